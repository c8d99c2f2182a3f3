"""Credentials as their providers hand them out, for measuring what redaction finds.

Prefix, alphabet and length follow what providers document or show in their consoles. ``<w36>``
stands for 36 random letters and digits, ``h`` hex, ``d`` digits, ``u`` base32 capitals, ``l``
lower-case letters and digits, ``b`` base64.
"""

from __future__ import annotations

PROVIDERS: tuple[str, ...] = tuple(
    """
sk-ant-api03-<w86>-<w6>AA
sk-ant-admin01-<w86>-<w6>AA
sk-proj-<w58>T3BlbkFJ<w58>
sk-<w20>T3BlbkFJ<w20>
sk-svcacct-<w74>
sk-or-v1-<h64>
sk-<h32>
gsk_<w52>
xai-<w80>
pplx-<w48>
r8_<w37>
fw_<w22>
hf_<w34>
nvapi-<w64>
tvly-<w32>
pcsk_<w6>_<w63>
lsv2_pt_<h32>_<h10>
csk-<l48>
tgp_v1_<w43>
pa-<w43>
sk-lf-<h8>-<h4>-<h4>-<h4>-<h12>
e2b_<h40>
apify_api_<w36>
glsa_<w32>_<h8>
sntryu_<h64>
NRAK-<u27>
dt0c01.<u24>.<u64>
hcaik_<l58>
xaat-<h8>-<h4>-<h4>-<h4>-<h12>
phx_<w43>
sdk-<h8>-<h4>-<h4>-<h4>-<h12>
AKIA<u16>
ASIA<u16>
AIza<w35>
GOCSPX-<w28>
ya29.a0<w160>
1//0<w62>
<w3>8Q~<w34>
<w52>JQQJ99<w26>
LTAI5t<w18>
AQVN<w36>
dop_v1_<h64>
HRKU-AA<w58>
fo1_<w43>
rnd_<w32>
vcp_<w56>
nfp_<w36>
cfut_<w48>
v1.0-<h24>-<h146>
sbp_<h40>
sb_secret_<w22>_<w8>
pscale_tkn_<w43>
pscale_pw_<w43>
napi_<l64>
mdb_sa_sk_<w40>
CCDB1_<w22>_<w40>
dapi<h32>
hvs.<w95>
hvb.<w160>
<w14>.atlasv1.<w67>
pul-<h40>
dp.pt.<w43>
dp.st.prd.<w43>
ops_eyJ<w260>
A3-<u6>-<u6>-<u5>-<u5>-<u5>-<u5>
tskey-auth-<w17>-<w32>
tskey-api-<w17>-<w32>
AGE-SECRET-KEY-1<u58>
ghp_<w36>
gho_<w36>
ghs_<w36>
github_pat_<w22>_<w59>
glpat-<w20>
gldt-<w20>
glrt-t1_<w20>
GR1348941<w20>
ATBB<w32>
ATCTT3xFfGN0<w160>
npm_<w36>
pypi-AgEIcHlwaS5vcmc<w140>
rubygems_<h48>
dckr_pat_<w27>
CLOJARS_<l60>
cio<w32>
AKCp8<w68>
squ_<h40>
sgp_<h40>
CCIPAT_<w22>_<h40>
bkua_<h40>
PMAK-<h24>-<h34>
rdme_<l70>
ddp_<w36>
sk_live_<w24>
sk_live_51<w97>
rk_live_<w24>
sk_test_<w24>
whsec_<w32>
sq0atp-<w22>
sq0csp-<w43>
shpat_<h32>
shpss_<h32>
access_token$production$<l16>$<h32>
access-production-<h8>-<h4>-<h4>-<h4>-<h12>
FLWSECK-<h32>-X
rzp_live_<w14>
EZAK<w54>
shippo_live_<h40>
duffel_live_<w43>
xoxb-<d12>-<d13>-<w24>
xoxp-<d12>-<d12>-<d13>-<h32>
xapp-1-A0<u9>-<d13>-<h64>
M<w25>.<w6>.<w38>
<d10>:AA<w33>
SK<h32>
SG.<w22>.<w43>
key-<h32>
<h32>-us21
xkeysib-<h64>-<w16>
re_<w8>_<w24>
ATATT3xFfGF0<w170>=<h8>
lin_api_<w40>
ntn_<w46>
secret_<w43>
pat<w14>.<h64>
1/<d16>:<h32>
figd_<w40>
sl.B<w134>
CFPAT-<w43>
pk_<d8>_<u32>
tfp_<w44>_<w14>
pat-na1-<h8>-<h4>-<h4>-<h4>-<h12>
sk.eyJ1Ijoi<w70>.<w22>
EAA<w190>
signkey-prod-<h64>
tr_prod_<w24>
""".split()  # noqa: SIM905 - one format a line
)
"""One format a line; well over sixty services."""

IN_CONTEXT: tuple[str, ...] = (
    "https://hooks.slack.com/«services/T<u10>/B<u10>/<w24>»",
    "https://discord.com/api/webhooks/«<d19>/<w68>»",
    "DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=«<b86>==»;EndpointSuffix=core.windows.net",
    "Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=«<b43>=»",
    "https://acme.blob.core.windows.net/c?sv=2024-01-01&se=2027-01-01&sig=«<b43>»%3D",
    "aws_secret_access_key = «<b40>»",
    '"SecretAccessKey": "«<b40>»"',
    "aws configure set aws_secret_access_key «<b40>»",
    '"private_key_id": "«<h40>»"',
)
"""Credentials that the text beside them makes known; between «» the secret itself."""

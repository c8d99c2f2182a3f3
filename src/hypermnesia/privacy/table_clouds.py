"""Keys of clouds, hosts, databases and infrastructure."""

from __future__ import annotations

from hypermnesia.privacy.rule import IS, Rule, token, whole
from hypermnesia.privacy.table_models import provider as _key

CLOUDS: tuple[Rule, ...] = (
    _key(
        "aws-access-key",
        ("AKIA", "ASIA", "ABIA", "ACCA", "ABSK"),
        whole(r"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}|ABSK[A-Za-z0-9+/]{40,}={0,2}"),
        "«AKIA<u16>»",
        "AWS_ACCESS_KEY_ID=«ASIA<u16>»",
        floor=0,
        misses=("AKIA<u17>", "XAKIA<u16>"),
    ),
    _key(
        "aws-secret-key",
        ("access_key", "accesskey", "access-key", "access key", "aws"),
        r"(?i:secret[_ -]?access[_ -]?key|aws[_ -]?secret(?:[_ -]?key)?)"
        + IS
        + r"([A-Za-z0-9+/]{40})(?:[^A-Za-z0-9+/=]|$)",
        "aws_secret_access_key = «<b40>»",
        '"SecretAccessKey": "«<b40>»"',
    ),
    _key(
        "aws-session-token",
        ("aws_session_token", "sessiontoken", "x-amz-security-token"),
        r"(?i:aws_?session_?token|session_?token|x-amz-security-token)"
        + IS
        + r"([A-Za-z0-9+/%]{80,}={0,2})",
        "AWS_SESSION_TOKEN=«<b300>»",
    ),
    _key(
        "google-key",
        ("AIza", "GOCSPX-", "ya29.", "1//0", "AQ.Ab"),
        token(
            r"AIza[\w-]{30,}|GOCSPX-[\w-]{16,}|ya29\.[\w-]{20,}|1//0[\w-]{30,}|AQ\.Ab[\w-]{30,}"
        ),
        "«AIza<w35>»",
        "«GOCSPX-<w28>»",
        "«ya29.<w60>»",
        "«1//0<w60>»",
    ),
    _key(
        "gcp-service-account",
        ("private_key_id",),
        r"private_key_id" + IS + r"([0-9a-f]{32,})",
        '"private_key_id": "«<h40>»"',
    ),
    _key(
        "azure-key",
        ("AccountKey=", "AccessKey=", "SharedSecret="),
        r"(?:AccountKey|AccessKey|SharedSecret)=([A-Za-z0-9+/]{32,}={0,2})",
        "AccountName=acme;AccountKey=«<b86>==»;EndpointSuffix=core.windows.net",
    ),
    _key("azure-key", ("account_key", "storage_key", "storagekey", "cosmos", "access_key"),
         r"(?i:(?:account|storage|cosmos|access)(?:_?db)?[_-]?key)" + IS + r"([A-Za-z0-9+/]{86}==)", "AZURE_STORAGE_KEY=«<b86>==»"),
    _key("azure-key", ("sig=",), r"[?&;]sig=([A-Za-z0-9%+/]{32,}={0,2})", "?se=1&sig=«<w43>»"),
    _key("azure-key", ("Q~",), r"(?:^|[^\w~.-]|\\[nrt]|%[0-9A-Fa-f]{2})([\w~.-]{3}\dQ~[\w~.-]{31,34})(?:[^\w~-]|$)",
         "the client secret «abc8Q~<w34>»"),
    _key("azure-key", ("JQQJ9", "AZDO"), whole(r"[A-Za-z0-9]{52}JQQJ9[A-Za-z0-9]{27}|[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}"),
         "«<w52>JQQJ9<w27>»", "«<w76>AZDO<w4>»"),
    _key("alibaba-key", ("LTAI",), whole(r"LTAI[A-Za-z0-9]{12,20}"), "«LTAI<w20>»", floor=3.0),
    _key("tencent-key", ("AKID",), whole(r"AKID[A-Za-z0-9]{32}"), "«AKID<w32>»"),
    _key("yandex-key", ("AQVN", "y0_", "t1."), token(r"AQVN[\w-]{35,38}|y0_[\w-]{50,}|t1\.[A-Z0-9a-z_-]{20,}={0,2}\.[A-Z0-9a-z_-]{86}={0,2}"),
         "«AQVN<w36>»", "«y0_<w58>»"),
    _key("digitalocean-token", ("_v1_",), token(r"do[opr]_v1_[0-9a-f]{40,}"), "«dop_v1_<h64>»"),
    _key("heroku-key", ("HRKU-",), token(r"HRKU-[\w-]{30,}"), "«HRKU-AA<w58>»"),
    _key("fly-token", ("fo1_", "fm1", "fm2_"), token(r"(?:fo1_[\w-]{40,}|fm1[ar]_[A-Za-z0-9+/]{60,}={0,3}|fm2_[A-Za-z0-9+/]{60,}={0,3})"),
         "«fo1_<w43>»", "FlyV1 «fm2_<b120>»"),
    _key("render-key", ("rnd_",), token(r"rnd_[A-Za-z0-9]{28,}"), "«rnd_<w32>»"),
    _key("vercel-token", ("vcp_", "vci_", "vca_", "vcr_", "vck_", "vercel_blob_rw_"),
         token(r"vc[piark]_[A-Za-z0-9]{24,}|vercel_blob_rw_\w{30,}"), "«vcp_<w56>»", "«vercel_blob_rw_<w16>_<w30>»"),
    _key("netlify-token", ("nfp_", "nfc_", "nfo_", "nfu_", "nfb_"), token(r"nf[pcoub]_\w{30,}"), "«nfp_<w36>»"),
    _key("cloudflare-token", ("cfk_", "cfut_", "cfat_", "v1.0-"),
         token(r"cf(?:k|ut|at)_[\w-]{30,}|v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}"), "«cfut_<w48>»", "«v1.0-<h24>-<h146>»"),
    _key("scaleway-key", ("SCW",), whole(r"SCW[A-Z0-9]{17}"), "«SCW<u17>»", floor=3.0),
    _key("supabase-key", ("sbp_", "sb_secret_"), token(r"sbp_(?:v0_)?[0-9a-f]{40,}|sb_secret_[\w-]{20,}"),
         "«sbp_<h40>»", "«sb_secret_<w31>»"),
    _key("planetscale-token", ("pscale_",), token(r"pscale_(?:tkn|pw|oauth)_[\w.-]{30,}"), "«pscale_tkn_<w43>»"),
    _key("neon-key", ("napi_",), token(r"napi_[a-z0-9]{40,}"), "«napi_<h64>»"),
    _key("mongodb-key", ("mdb_sa_sk_",), token(r"mdb_sa_sk_[\w-]{30,}"), "«mdb_sa_sk_<w40>»"),
    _key("cockroach-key", ("CCDB1_",), token(r"CCDB1_[A-Za-z0-9]{22}_[A-Za-z0-9]{40}"), "«CCDB1_<w22>_<w40>»"),
    _key("databricks-token", ("dapi",), whole(r"dapi[0-9a-f]{32}(?:-\d)?"), "«dapi<h32>»"),
    _key("vault-token", ("hvs.", "hvb.", "hvr."), token(r"hv[sbr]\.[\w-]{20,}"), "«hvs.<w95>»"),
    _key("terraform-token", (".atlasv1.",), token(r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,}"), "«<w14>.atlasv1.<w67>»"),
    _key("pulumi-token", ("pul-",), whole(r"pul-[0-9a-f]{40}"), "«pul-<h40>»"),
    _key("doppler-token", ("dp.",), token(r"dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{30,}"), "«dp.pt.<w43>»"),
    _key("onepassword-key", ("ops_eyJ", "A3-"),
         token(r"ops_eyJ[\w-]{40,}={0,2}|A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
         "«ops_eyJ<w200>»", "«A3-<u6>-<u6>-<u5>-<u5>-<u5>-<u5>»"),
    _key("bitwarden-token", (), r"(?:^|[^\w.])(0\.[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\.[A-Za-z0-9]{20,}:[A-Za-z0-9+/]{20,}={0,2})",
         "BWS_ACCESS_TOKEN=«0.<h8>-<h4>-<h4>-<h4>-<h12>.<w30>:<b22>==»"),
    _key("tailscale-key", ("tskey-",), token(r"tskey-[a-z]{3,12}-[\w-]{16,}"), "«tskey-auth-<w12>CNTRL-<w30>»"),
    _key("ngrok-token", (), whole(r"2[A-Za-z0-9]{26}_[A-Za-z0-9]{20,22}"), "«2<w26>_<w21>»", floor=4.0),
    _key("age-key", ("AGE-SECRET-KEY-1",), token(r"AGE-SECRET-KEY-1[A-Z0-9]{20,}"), "«AGE-SECRET-KEY-1<u58>»"),
    _key("elastic-key", ("essu_",), token(r"essu_[A-Za-z0-9+/]{30,}={0,3}"), "«essu_<b60>»"),
    _key("infracost-key", ("ico-",), whole(r"ico-[A-Za-z0-9]{32}"), "«ico-<w32>»"),
    _key("prefect-key", ("pnu_", "pnb_"), token(r"pn[ub]_[A-Za-z0-9]{36,}"), "«pnu_<w36>»"),
    _key("scalingo-token", ("tk-us-",), token(r"tk-us-[\w-]{40,}"), "«tk-us-<w48>»"),
    _key("nuget-key", ("oy2",), whole(r"oy2[a-z0-9]{43}"), "«oy2<h43>»"),
)  # fmt: skip

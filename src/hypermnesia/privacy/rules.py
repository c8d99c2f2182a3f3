"""What a secret looks like, as data: one row per published credential format.

Every pattern is a literal prefix followed by possessive runs of one character
class, and no match may start inside such a run, so that scanning takes time
linear in the text whatever the text holds. Prefixes are the ones the providers
document for secret scanning; lengths are lower bounds well under the real ones,
so that a truncated credential is caught too.

Format decides, not spelling: a string that has the exact shape of a credential
is taken for one even if it is a documented example (AWS's ``AKIA...EXAMPLE``).
Only what nobody can mistake for a credential is let through: a run of ``x``,
``*`` or dots, "your", "placeholder", "changeme" and the like inside the body.
"""

from __future__ import annotations

from typing import NamedTuple


class Rule(NamedTuple):
    """A credential format.

    Attributes:
        name: what the mask and the refusal say.
        hints: literals of which a text must hold one for the rule to be tried; a substring
            search is some fifty times cheaper than the pattern.
        pattern: matches the credential, or holds it in a group called ``secret``.
        live: opens an account by itself, so that text holding it is refused, not just masked.
    """

    name: str
    hints: tuple[str, ...]
    pattern: str
    live: bool = True


# A format starts a word, follows an escape (``\n`` in JSON) or a percent-encoded character.
_B = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))"
_E = r"(?![A-Za-z0-9])"
_B_ALL = r"(?:(?<![\w~.-])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))"
# What may stand between a name and its value: quotes (escaped or not), blanks, one sign.
_IS = r"[\"'\\\s]{0,4}(?:=>?|:=?|is)[\"'\\\s]{0,4}"

RULES: tuple[Rule, ...] = (
    Rule("anthropic-key", ("sk-ant-",), _B + r"sk-ant-[\w-]{16,}+"),
    Rule(
        "openai-key",
        ("sk-",),
        _B + r"sk-(?:(?:proj|svcacct|admin|service|None|or-v1)-[\w-]{16,}+|[A-Za-z0-9]{16,}+)",
    ),
    Rule("stripe-key", ("k_live_",), _B + r"[sr]k_live_[A-Za-z0-9]{8,}+"),
    Rule("stripe-test-key", ("k_test_",), _B + r"[sr]k_test_[A-Za-z0-9]{8,}+", live=False),
    Rule("stripe-webhook-secret", ("whsec_",), _B + r"whsec_[A-Za-z0-9+/]{8,}+={0,2}"),
    Rule(
        "github-token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        _B + r"(?:gh[pousr]|github_pat)_\w{16,}+",
    ),
    Rule(
        "gitlab-token",
        ("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "gloas-"),
        _B + r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas)-[\w-]{16,}+(?:\.[\w-]{2,}+){0,3}",
    ),
    Rule(
        "slack-token",
        ("xox", "xapp-", "hooks.slack.com"),
        _B + r"(?:xox[a-z](?:\.xox[a-z])?-|xapp-)[\w-]{10,}+"
        r"|hooks\.slack\.com/(?P<secret>(?:services|workflows|triggers)/[\w/]{20,}+)",
    ),
    Rule(
        "aws-access-key",
        ("AKIA", "ASIA", "ABIA", "ACCA", "ABSK"),
        _B + r"(?:A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}" + _E + r"|ABSK[A-Za-z0-9+/]{40,}+={0,2})",
    ),
    Rule(
        "aws-secret-key",
        ("secret", "Secret", "SECRET"),
        r"(?i:secret[_ -]?access[_ -]?key|aws[_ -]?secret(?:[_ -]?key)?)"
        + _IS
        + r"(?P<secret>[A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])",
    ),
    Rule(
        "google-key",
        ("AIza", "GOCSPX-", "ya29."),
        _B + r"(?:AIza[\w-]{30,}+|GOCSPX-[\w-]{16,}+|ya29\.[\w-]{20,}+)",
    ),
    Rule(
        "gcp-service-account",
        ("private_key_id",),
        r"private_key_id" + _IS + r"(?P<secret>[0-9a-f]{32,}+)",
    ),
    Rule("huggingface-token", ("hf_", "api_org_"), _B + r"(?:hf|api_org)_[A-Za-z0-9]{20,}+(?!_)"),
    Rule(
        "registry-token",
        ("npm_", "pypi-Ag", "rubygems_", "dckr_", "CLOJARS_"),
        _B + r"(?:npm_[A-Za-z0-9]{20,}+(?!_)|pypi-Ag[\w-]{30,}+|rubygems_[0-9a-f]{40,}+"
        r"|dckr_(?:pat|oat)_[\w-]{16,}+|CLOJARS_[a-z0-9]{40,}+)",
    ),
    Rule(
        # developers.cloudflare.com/fundamentals/api/get-started/token-formats
        "cloudflare-token",
        ("cfk_", "cfut_", "cfat_", "v1.0-"),
        _B + r"(?:cf(?:k|ut|at)_[\w-]{30,}+|v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}+)",
    ),
    Rule(
        "azure-key",
        ("AccountKey=", "AccessKey=", "sig=", "Q~", "JQQJ9"),
        r"(?:AccountKey|AccessKey)=(?P<secret>[A-Za-z0-9+/]{32,}+={0,2})"
        r"|(?<=[?&;])sig=[A-Za-z0-9%+/]{32,}+={0,2}"
        rf"|{_B_ALL}[\w~.-]{{3}}\dQ~[\w~.-]{{31,34}}(?![\w~-])"
        rf"|{_B}"
        r"[A-Za-z0-9]{52}JQQJ9[A-Za-z0-9]{27}" + _E,
    ),
    Rule(
        "messaging-token",
        ("SG.", "SK", "key-", ":AA", "discord", "-us"),
        _B
        + r"(?:SG\.[\w-]{16,}+\.[\w-]{16,}+|SK[0-9a-f]{32}"
        + _E
        + r"|key-[0-9a-f]{32}"
        + _E
        + r"|[0-9a-f]{32}-us\d{1,2}"
        + _E
        + r"|\d{8,10}:AA[\w-]{33}"
        + _E
        + r")"
        r"|discord(?:app)?\.com/api/webhooks/(?P<secret>\d{5,20}/[\w-]{20,}+)"
        r"|(?<![\w.-])[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])",
    ),
    Rule(
        "cloud-token",
        ("hvs.", "hvb.", "hvr.", "dapi", "_v1_", "dp.", ".atlasv1.", "ops_eyJ", "HRKU-", "tskey-"),
        _B
        + r"(?:hv[sbr]\.[\w-]{20,}+|dapi[0-9a-f]{32}(?:-\d)?"
        + _E
        + r"|do[opr]_v1_[0-9a-f]{40,}+|dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{30,}+"
        r"|\w{14}\.atlasv1\.[\w-]{40,}+|ops_eyJ[\w-]{40,}+={0,2}|HRKU-[\w-]{30,}+"
        r"|tskey-[a-z]{3,12}-[\w-]{16,}+)",
    ),
    Rule(
        "service-token",
        (
            "lin_api_",
            "ntn_",
            "secret_",
            "glsa_",
            "glc_",
            "ATATT3",
            "sntry",
            "NRAK-",
            "shp",
            "sq0",
            "sbp_",
            "sb_secret_",
            "PMAK-",
            "pscale_",
            "figd_",
            "CCIPAT_",
            "nfp_",
            "bkua_",
            "EAA",
        ),
        _B + r"(?:lin_api_\w{20,}+|ntn_\w{30,}+|secret_[A-Za-z0-9]{40,}+|glsa_\w{20,}+"
        r"|glc_[A-Za-z0-9+/]{30,}+|ATATT3[\w=-]{40,}+|sntry[su]_[\w+/=-]{40,}+|NRAK-[A-Z0-9]{20,}+"
        r"|shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32,}+|sq0(?:atp|csp)-[\w-]{20,}+|sbp_[0-9a-f]{40,}+"
        r"|sb_secret_[\w-]{20,}+|PMAK-[\w-]{40,}+|pscale_(?:tkn|pw|oauth)_[\w.-]{30,}+"
        r"|figd_[\w-]{30,}+|CCIPAT_[\w-]{30,}+|nfp_\w{30,}+|bkua_\w{30,}+|EAA[A-Za-z0-9]{80,}+)",
    ),
    Rule(
        "model-provider-key",
        ("gsk_", "xai-", "pplx-", "r8_", "lsv2_", "pcsk_", "fw_", "tvly-", "nvapi-"),
        _B + r"(?:gsk_[A-Za-z0-9]{30,}+|xai-[A-Za-z0-9]{40,}+|pplx-[A-Za-z0-9]{30,}+"
        r"|r8_[A-Za-z0-9]{30,}+|lsv2_(?:pt|sk)_\w{30,}+|pcsk_\w{30,}+|fw_[A-Za-z0-9]{20,}+(?!_)"
        r"|tvly-[\w-]{24,}+|nvapi-[\w-]{40,}+)",
    ),
    Rule("age-key", ("AGE-SECRET-KEY-1",), r"AGE-SECRET-KEY-1[A-Z0-9]{20,}+"),
    # From here on: masked, never refused (they may be expired, hashed or meant for a test).
    Rule("jwt", ("eyJ",), _B + r"eyJ[\w-]{8,}+\.[\w-]{8,}+(?:\.[\w-]*+)?", live=False),
    Rule(
        "bearer-token",
        ("bearer", "Bearer", "BEARER"),
        r"(?i:bearer)[ \t]{1,4}(?P<secret>(?=[^\s]{0,200}\d)[\w.~+/=-]{8,}+)",
        live=False,
    ),
    Rule(
        "basic-auth",
        ("uthorization", "AUTHORIZATION"),
        r"(?i:authorization)" + _IS + r"(?i:basic)[ \t]{1,4}(?P<secret>[A-Za-z0-9+/]{8,}+={0,2})",
        live=False,
    ),
    Rule(
        "url-credential",
        ("://",),
        r"://(?<=[A-Za-z0-9]://)[^\s/:@\"'<>]{0,256}+:(?!\d{1,5}[?#])"
        r"(?P<secret>[^\s/\"'<>]{1,4096})@(?=[\w\[$<{])",
        live=False,
    ),
    Rule(
        "command-line-password",
        ("-u", "--user", "sshpass", "mysql", "docker login", "redis-cli"),
        r"(?<!\S)(?:(?:-u|--user)[ =]?[\"']?[^\s:\"'/]{1,64}+:(?!\d{1,6}(?!\S))"
        r"|sshpass ++-p *+[\"']?"
        r"|mysql(?:dump|admin)?(?: [\w=./-]{1,40}){0,6}? -p[\"']?"
        r"|docker login(?: [\w=./-]{1,40}){0,6}? (?:-p|--password)[ =][\"']?"
        r"|redis-cli(?: [\w=./-]{1,40}){0,6}? -a [\"']?)(?P<secret>[^\s\"'/]{4,}+)",
        live=False,
    ),
    Rule(
        "password-hash",
        ("$2", "$argon2", "$6$", "$5$", "$y$", "pbkdf2_"),
        r"(?<![\w$])\$(?:2[abxy]\$\d\d\$[./A-Za-z0-9]{31,}+|argon2id?\$[\w=,.+/$-]{30,}+"
        r"|[56y]\$[./A-Za-z0-9=$]{30,}+)|pbkdf2_sha\d{1,3}\$\d{2,8}\$[\w+/=$]{20,}+",
        live=False,
    ),
)

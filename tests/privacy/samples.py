"""Made-up secrets, put together at run time so that no scanner takes this file for a leak."""

from __future__ import annotations

import hashlib
import string

ALNUM = string.ascii_letters + string.digits
UPPER = string.ascii_uppercase + "234567"
HEX = "0123456789abcdef"


def fake(prefix: str, length: int, alphabet: str = ALNUM) -> str:
    """A prefix and ``length`` characters that look random and are always the same."""
    block = b"".join(hashlib.sha256(f"{prefix}{i}".encode()).digest() for i in range(8))
    return prefix + "".join(alphabet[byte % len(alphabet)] for byte in block[:length])


def pem(kind: str = "RSA ", *, lines: int = 3, newline: str = "\n", end: bool = True) -> str:
    """A private-key block of the given kind."""
    body = [fake("", 64, ALNUM + "+/") for _ in range(lines)]
    tail = [f"-----END {kind}PRIVATE KEY-----"] if end else []
    return newline.join([f"-----BEGIN {kind}PRIVATE KEY-----", *body, *tail])


LIVE: tuple[tuple[str, str], ...] = (
    ("anthropic-key", fake("sk-ant-api03-", 93)),
    ("openai-key", fake("sk-", 48)),
    ("openai-key", fake("sk-proj-", 120)),
    ("openrouter-key", fake("sk-or-v1-", 64, HEX)),
    ("stripe-key", fake("sk_live_", 24)),
    ("stripe-key", fake("rk_live_", 24)),
    ("stripe-webhook-secret", fake("whsec_", 32)),
    ("github-token", fake("ghp_", 36)),
    ("github-token", fake("ghs_", 36)),
    ("github-token", fake("github_pat_", 82)),
    ("gitlab-token", fake("glpat-", 20)),
    ("gitlab-token", fake("glrt-", 20) + ".01." + fake("", 9, HEX)),
    ("slack-token", fake("xoxb-123456789012-", 24)),
    ("slack-token", fake("xapp-1-A01-", 40)),
    ("aws-access-key", fake("AKIA", 16, UPPER)),
    ("aws-access-key", fake("ASIA", 16, UPPER)),
    ("google-key", fake("AIza", 35)),
    ("google-key", fake("GOCSPX-", 28)),
    ("google-key", fake("ya29.", 60)),
    ("huggingface-token", fake("hf_", 34, string.ascii_letters)),
    ("npm-token", fake("npm_", 36)),
    ("pypi-token", fake("pypi-AgEIcHlwaS5vcmc", 100)),
    ("docker-token", fake("dckr_pat_", 27)),
    ("cloudflare-token", fake("cfut_", 48)),
    ("cloudflare-token", fake("v1.0-", 24, HEX) + "-" + fake("", 146, HEX)),
    ("azure-key", fake("abc8Q~", 34)),
    ("azure-key", fake("", 52) + "JQQJ9" + fake("x", 26)),
    ("sendgrid-key", fake("SG.", 22) + "." + fake("", 43)),
    ("twilio-key", fake("SK", 32, HEX)),
    ("mailgun-key", fake("key-", 32, HEX)),
    ("telegram-token", "7312345678:AA" + fake("", 33)),
    ("vault-token", fake("hvs.", 95)),
    ("databricks-token", fake("dapi", 32, HEX)),
    ("digitalocean-token", fake("dop_v1_", 64, HEX)),
    ("tailscale-key", fake("tskey-auth-", 30)),
    ("linear-key", fake("lin_api_", 40)),
    ("grafana-token", fake("glsa_", 40)),
    ("atlassian-token", fake("ATATT3", 180)),
    ("shopify-token", fake("shpat_", 32, HEX)),
    ("groq-key", fake("gsk_", 52)),
    ("xai-key", fake("xai-", 80)),
    ("age-key", fake("AGE-SECRET-KEY-1", 58, UPPER)),
)
"""Rule and credential: each is refused and masked as a whole wherever it stands."""

LIVE_IN_CONTEXT: tuple[tuple[str, str, str], ...] = (
    ("aws-secret-key", "aws_secret_access_key = {}", fake("", 40, ALNUM + "/+")),
    ("aws-secret-key", '"SecretAccessKey": "{}"', fake("k", 39, ALNUM + "/+")),
    ("gcp-service-account", '{{"private_key_id": "{}"}}', fake("", 40, HEX)),
    ("gcp-service-account", '{{\\"private_key_id\\": \\"{}\\"}}', fake("", 40, HEX)),
    ("azure-key", "AccountName=acme;AccountKey={};EndpointSuffix=core", fake("", 86) + "=="),
    ("azure-key", "SharedAccessKeyName=root;SharedAccessKey={}", fake("", 43) + "="),
    ("azure-key", "https://acme.blob.core.windows.net/c?se=2026-01-01&sig={}", fake("", 43)),
    ("slack-token", "https://hooks.slack.com/{}", fake("services/T0AB12CD3/B0EF45GH6/", 24)),
    (
        "discord-token",
        "the discord bot runs with {}",
        fake("M", 23) + "." + fake("", 6) + "." + fake("q", 30),
    ),
    ("discord-webhook", "https://discord.com/api/webhooks/{}", fake("112233445566778899/", 60)),
)
"""Rule, template and secret: the text around it belongs to the format."""

MASKED_ONLY: tuple[tuple[str, str, str], ...] = (
    ("stripe-test-key", "checkout uses {}", fake("sk_test_", 24)),
    ("jwt", "cookie holds {}", fake("eyJ", 30) + "." + fake("eyJ", 60) + "." + fake("", 43)),
    ("jwt", "truncated {}", fake("eyJ", 30) + "." + fake("eyJ", 60)),
    ("bearer-token", "Authorization: Bearer {}", fake("", 12) + "9"),
    ("basic-auth", "Authorization: Basic {}", fake("", 20) + "=="),
    ("url-credential", "postgres://admin:{}@db.internal/app", "s3cr3t"),
    ("url-credential", "https://user:{}@example.com/", "pass"),
    ("url-credential", "redis://:{}@cache:6379/0", "p@ss:w0rd"),
    ("command-line-password", "curl -u deploy:{} https://nexus.acme.io", "Pa55word"),
    ("command-line-password", "sshpass -p '{}' ssh box", "hunter22"),
    ("command-line-password", "mysql -u root -p{}", "S3cretPw"),
    ("password-hash", "seeded with {}", fake("$2b$12$", 53)),
)
"""Rule, template and secret: masked, and no reason to refuse."""

PLACEHOLDERS: tuple[str, ...] = (
    "use sk-xxxx for now",
    "OPENAI_API_KEY=sk-...",
    "sk-" + "x" * 32 + " is a placeholder",
    "ghp_" + "x" * 36,
    "sk-proj-your-key-goes-here-123",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    "postgres://${DB_USER}:${DB_PASS}@db/app",
    "ghs_installation_token_for_app",
    "pk_live_ keys are public",
    "sk_live_ is the prefix of live keys",
    "AKIA is the prefix of access key ids",
)
"""What marks the place of a credential and cannot be one."""

"""Words that stand where a secret might, and are none."""

from __future__ import annotations

# fmt: off
STATES = frozenset((
    # what is said of a password or a token
    "absent", "accepted", "active", "already", "always", "another", "anything", "available",
    "base64", "basic", "because", "better", "between", "broken", "chosen", "common", "complex",
    "compromised", "confidential", "correct", "customer", "default", "different", "disabled",
    "easy", "either", "empty", "enabled", "enough", "example",
    "expired", "forgotten", "general", "generic",
    "global", "hashed", "hidden", "however", "immutable", "inactive", "incomplete",
    "incorrect", "inside",
    "instead", "internal", "invalid", "irrelevant", "itself", "known", "leaked", "legacy",
    "literal", "locked", "longer", "manual", "masked", "maximum", "minimum", "missing", "mixed",
    "mutable", "neither", "never", "nobody", "nothing", "numeric", "obsolete", "obvious",
    "offline", "online", "opaque", "optional", "outside", "personal", "plaintext", "possible",
    "printed", "private", "public", "random", "rather", "readonly", "required", "safe", "secret",
    "secure", "sensitive", "shared", "shorter", "simple", "somewhere", "stable", "static",
    "stolen", "strong", "temporary", "there", "trivial", "twice", "unchanged", "unique",
    "universal", "unknown", "unsafe", "unset", "useful", "useless", "valid", "visible", "weaker",
    "within", "without", "written", "wrong", "yours",
    # verbs and nouns that follow a colon
    "access", "account", "admins", "amount", "answer", "anyone", "before", "browser", "bucket",
    "button", "caller", "change", "check", "choose", "client", "column", "config", "contact",
    "cookie", "create", "credentials", "database", "delete", "deploy", "domain", "during",
    "ensure", "enter", "env", "environment", "error", "everyone", "exists", "expire", "expires",
    "export", "failed", "failure", "feature", "field", "follow", "forgot", "format", "friends",
    "github", "google", "header", "helper", "import", "include", "inputs", "install", "issue",
    "keychain",
    "keyring", "length", "login", "logout", "manager", "matches", "mismatch", "module", "monthly",
    "number", "object", "oracle", "please", "policy", "postpone", "postponed", "process",
    "prompt", "provider", "python", "refresh", "remove", "renew", "replace", "request", "reset",
    "result", "return", "returns", "review", "rotate", "rotation", "schema", "script", "server",
    "service", "session", "should", "sign", "stored", "string", "support", "system", "tokens",
    "update", "upload", "usage", "username", "vault", "verify", "version", "whatever", "whether",
    "worker", "yearly", "keepass", "bitwarden", "lastpass", "onepassword", "terraform",
    "kubernetes", "jenkins", "everything", "anywhere", "nowhere", "everywhere", "somebody",
    "someone", "whichever",
    # values of code and configuration
    "async", "await", "boolean", "bytes", "bearer", "bcrypt", "scrypt", "false", "float",
    "function", "integer", "lambda", "none", "null", "password", "passwords", "passphrase",
    "passcode", "raise", "self", "undefined", "varchar", "credential", "getpass", "passwd",
    "token", "secretstr", "hmacsha", "plain", "cleartext", "ciphertext", "passwordfield",
    "textfield",
))
"""Letter-only words, lower-case, that are not taken for a password."""

TECHNICAL = frozenset((
    "a", "aes", "api", "argon", "argoni", "argonid", "arn", "base", "bcrypt", "blake", "cbc",
    "chacha", "cidr", "claude", "crc", "curve", "cve", "cwe", "dapi", "debian", "des", "dsa",
    "ec", "ecdsa", "ed", "es", "fido", "fips", "float", "fy", "gb", "gcm", "gemini", "gpt", "h",
    "hmac", "hs", "hsm", "html", "http", "https", "i", "iam", "ip", "ipv", "iso", "java", "js",
    "json", "jwk", "jwt", "k", "kb", "kdf", "keyv", "kms", "krb", "ks", "l", "ldap", "llama",
    "log", "m", "mb", "md", "mfa", "mp", "mysql", "n", "neo", "nist", "nt", "ntlm", "ntlmv",
    "oauth", "oidc", "openid", "opus", "p", "paseto", "pbe", "pbkdf", "pep", "pg", "phi", "pkce",
    "pkcs", "poly", "postgres", "postgresql", "pr", "ps", "psk", "python", "q", "qwen", "rc",
    "rds", "redis", "rfc", "ripemd", "rs", "rsa", "rsassa", "s", "safetensors", "saml", "scram",
    "sha", "smtp", "soc", "sonnet", "sp", "sql", "ss", "ssh", "ssl", "sso", "svc", "tls", "totp",
    "u", "ubuntu", "uint", "uintarray", "utf", "uuid", "uuidv", "v", "vpc", "webauthn", "windows",
    "wpa", "x", "xchacha", "yubikey", "zip",
))
"""Letters of terms that carry a number: ``sha256`` is ``sha``, ``argon2id`` is ``argonid``."""

NUMBERED = frozenset((
    "alg", "ap", "auth", "bit", "bits", "byte", "bytes", "central", "char", "character",
    "characters", "chars", "client", "cluster", "db", "dev", "digit", "digits", "east", "env",
    "eu", "floor", "group", "int", "io", "key", "layer", "level", "node", "option", "part",
    "phase", "plan", "prod", "queue", "region", "release", "replica", "rev", "room", "route",
    "sec", "server", "service", "shard", "slot", "sprint", "stage", "staging", "step", "team",
    "test", "tier", "token", "topic", "us", "user", "vault", "web", "west", "worker", "year",
    "zone",
))
"""Things that are counted (``server2``); after "password is" even they are a password."""

CODE = frozenset((
    "app", "args", "cfg", "conf", "config", "context", "ctx", "data", "each", "env", "envs",
    "i18n", "k8s", "local", "module", "name", "opts", "options", "params", "process", "props",
    "req", "request", "secrets", "self", "settings", "state", "this", "user", "users", "value",
    "values", "var", "vars",
))
"""What code writes on either side of a full stop."""

PROSE = frozenset((
    "a", "after", "all", "also", "an", "and", "any", "are", "as", "at", "be", "because", "been",
    "before", "being", "by", "can", "cannot", "contain", "current", "enter", "every", "for",
    "from", "has", "have", "how", "if", "in", "incorrect", "into", "invalid", "is", "it", "its",
    "kept", "least", "lives", "may", "might", "missing", "must", "needed", "needs", "never",
    "new", "no", "not", "now", "of", "on", "only", "or", "our", "please", "required", "same",
    "saved", "set", "shall", "should", "since", "so", "stays", "stored", "that", "the", "their",
    "they", "this", "to", "too", "under", "until", "use", "used", "very", "was", "we", "were",
    "what", "when", "where", "which", "who", "will", "with", "without", "written", "wrong", "you",
    "your",
))
"""Words of a sentence about a passphrase, which none of its own words are likely to be."""

SENTENCE = frozenset((
    "about", "across", "again", "against", "already", "always", "but", "case", "does", "done",
    "during", "easy", "hard", "her", "here", "his", "just", "kept", "later", "like", "long",
    "more", "most", "much", "my", "often", "once", "over", "per", "sent", "short", "soon", "still",
    "strong", "than", "then", "there", "through", "today", "unless", "upon", "via", "weak", "when",
    "while", "yet",
))
"""Further words of a sentence about a password, which are rare in a passphrase."""
# fmt: on

SUFFIXES = (
    "able|ible|ing|ed|ous|ive|ful|less|ally|ly|al|ent|ant|ory|ary|tion|tions|sion|ment|ments|ness"
    "|ity|ities|ance|ence|ure"
)
"""Endings of ordinary English words of six letters and more."""

LONG_SUFFIXES = SUFFIXES + (
    "|ship|ism|ist|ists|ical|ics|er|ers|or|ors|ies|ate|ates|ize|izes|ise|ify|age|ages|graphy|ology"
    "|ware|word|words|phrase|text|side|ization|isation|specific|based|wide|es"
)
"""The same for words of twelve letters and more, where a chance ending matters less."""

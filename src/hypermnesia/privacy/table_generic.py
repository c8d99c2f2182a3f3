"""Secrets of no one provider: tokens by their form, addresses with a password, hashes, keys.

They may be expired, hashed or meant for a test, so all but private keys are masked, not refused.
"""

from __future__ import annotations

import base64
import binascii
import re

from hypermnesia.privacy.rule import IS, Rule, has_digit, token


def _opens_an_object(value: str) -> bool:
    """A JWT's head is a JSON object (RFC 7519); a pair of words with a full stop is none."""
    head = value.partition(".")[0]
    try:
        return base64.urlsafe_b64decode(head[: len(head) // 4 * 4]).startswith(b"{")
    except (binascii.Error, ValueError):
        return False


def _is_no_port(value: str) -> bool:
    """``http://localhost:3000?email=a@b`` names a port, not a password."""
    digits = value[: len(value) - len(value.lstrip("0123456789"))]
    return not (0 < len(digits) < 6 and value[len(digits) : len(digits) + 1] in {"?", "#"})  # noqa: PLR2004 - a port


def _is_no_group(value: str) -> bool:
    """``docker run -u 1000:1000`` names a user and a group, not a password."""
    return not (value.isdigit() and len(value) < 7)  # noqa: PLR2004 - an id of a group


def _is_basic(value: str) -> bool:
    """Basic credentials are ``user:password`` in base64 (RFC 7617)."""
    try:
        return b":" in base64.b64decode(value + "=" * (-len(value) % 4))
    except (binascii.Error, ValueError):
        return False


_SIGNS = frozenset("!@#$%^&*")
_NAMED = re.compile(r"[a-z]+(?:[-_.][a-z]+)*[-_.]v?\d{1,4}")
_STANDARD = re.compile(r"wpa|wep|802\.|[\d.]+ ?ghz", re.IGNORECASE)


def _is_no_name(value: str) -> bool:
    """``group_7`` and ``page-2`` name something that is counted."""
    return (has_digit(value) or bool(_SIGNS & set(value))) and not _NAMED.fullmatch(value)


def _is_passphrase(value: str) -> bool:
    """The key of a network, rather than a standard or a band."""
    return has_digit(value) and not _STANDARD.match(value)


def _is_mixed(value: str) -> bool:
    """A digit among letters of both cases: ``R4inyTuesday``, not ``Microsoft365``."""
    inner = value.rstrip("0123456789.,!?")
    return value != value.lower() and value != value.upper() and has_digit(inner)


PRIVATE_KEY_BODY = Rule(
    "private-key",
    "private-key",
    ("MII", "MHcCAQEE", "MHQCAQEE", "MIGHAgEA", "MIG2AgEA", "MC4CAQAw", "MIGkAgEB", "MIHcAgEB",
     "b3BlbnNzaC1rZXktdjE", "lQOYB", "lQdGB", "lFgEX"),
    # How base64 of the DER of a private key begins: PKCS#1, PKCS#8, SEC 1, and OpenSSH's magic.
    r"(?:^|[^A-Za-z0-9+/]|\\[nr])("
    r"(?:MII[A-Za-z0-9+/]{2,3}[IBDgA]BAA?K[A-Za-z0-9+/]|MII[A-Za-z0-9+/]{2,4}[IBDgA]{1,2}ADANBgkqhkiG9w0BAQ"
    r"|MII[A-Za-z0-9+/]{2,4}BABgkqhkiG9w0BBQ0|MHcCAQEEI|MHQCAQEEI|MIGHAgEAMBMGByqGSM49|MIG2AgEAMBAGByqGSM49"
    r"|MC4CAQAwBQYDK2V|MIGkAgEBBD|MIHcAgEBBEI|b3BlbnNzaC1rZXktdjE|lQ(?:OYB|dGB)|lFgEX)"
    r"[A-Za-z0-9+/]{24,}(?:(?:\s|\\[nr]|[>|#*,\"'`]){1,8}[A-Za-z0-9+/=]{16,})*={0,2}(?:(?:\s|\\[nr]){1,3}[A-Za-z0-9+/]{1,15}={1,2})?)",
    live=True,
    glued=False,
    matches=(
        "the body alone:\n«MIIEpAIBAAKCAQEA<b48>\n<b64>\n<b30>==»",
        "«MIIEvQIBADANBgkqhkiG9w0BAQEFAASC<b200>»",
        "«MHcCAQEEI<b150>»",
        "«b3BlbnNzaC1rZXktdjEAAAAABG5vbmU<b64>»",
    ),
    misses=("MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG<b80>", "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIB<b80>"),
)  # fmt: skip
"""A private key whose markers were left off."""

GENERIC: tuple[Rule, ...] = (
    PRIVATE_KEY_BODY,
    Rule("stripe-test-key", "provider", ("k_test_",), token(r"[sr]k_test_[A-Za-z0-9]{8,}"),
         floor=2.5, matches=("checkout uses «sk_test_<w24>»",), misses=("pk_test_<w24>",)),
    Rule("jwt", "jwt", ("eyJ",), token(r"eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?(?:\.[\w-]+)*"),
         check=_opens_an_object,
         matches=("cookie «eyJhbGciOiJIUzI1NiJ9.eyJ<w60>.<w43>»", "«eyJhbGciOiJIUzI1NiJ9.eyJ<w30>»"),
         misses=("eyJ is how a token begins",)),
    Rule("bearer-token", "header", ("bearer",), r"(?i:bearer)[ \t]{1,4}([\w.~+/=-]{8,})",
         check=has_digit,
         matches=("Authorization: Bearer «<w12>9»", "-H 'authorization: bearer «<h32>»'"),
         misses=("Authorization: Bearer <token>", "bearer token authentication is required",
                 "Bearer authentication-scheme")),
    Rule("basic-auth", "header", ("authorization",),
         r"(?i:authorization)" + IS + r"(?i:basic)[ \t]{1,4}([A-Za-z0-9+/]{8,}={0,2})",
         matches=("Authorization: Basic «<b20>==»", "proxy-authorization: basic «<b24>»"),
         misses=("Authorization: Basic realm=x",)),
    Rule("basic-auth", "header", ("basic ",), r"(?i:basic)[ \t]{1,4}([A-Za-z0-9+/]{12,}={0,2})",
         check=_is_basic, matches=("it sent Basic «ZGVwbG95OlBhNTV3b3Jk» to the proxy",),
         misses=("basic authentication", "basic understanding of it", "Basic Configuration")),
    Rule("authorization", "header", ("authorization",),
         r"(?i:authorization)" + IS + r"(?i:token|api-?key|key|sso-key|genie ?key|splunk|ssws)[ =:]{1,3}([\w.~+/=-]{8,})",
         check=has_digit, matches=("Authorization: Token «<h40>»", "authorization: ApiKey «<w32>»"),
         misses=("Authorization: Token based",)),
    Rule("command-line-password", "assignment", ("ConvertTo-SecureString", "unzip", "htpasswd"),
         r"(?:ConvertTo-SecureString(?: -String)? [\"']|unzip(?: [\w-]{1,10}){0,3}? -P ?[\"']?"
         r"|htpasswd -\w{0,4}b\w{0,4} \S{1,80} \S{1,40} [\"']?)([^\s\"']{4,})", glued=False,
         matches=("ConvertTo-SecureString '«Pa55word!»' -AsPlainText", "unzip -P «hunter22» x.zip"),
         misses=("unzip -q x.zip",)),
    Rule("command-line-password", "assignment", ("openssl", "net use", "pass:"),
         r"(?:openssl [^\n]{0,80}? -k +[\"']?| -pass(?:in|out)? +[\"']?pass:"
         r"|(?i:net use) [^\n]{0,80}?/user:[^\s:]{1,64} +[\"']?)([^\s\"'/]{4,})", glued=False,
         matches=("openssl enc -aes-256-cbc -k «turnst0ne» -in a", "openssl rsa -passout pass:«hunter22»",
                  "net use Z: \\\\srv\\share /user:ana «G4nnet!88»"),
         misses=("openssl enc -aes-256-cbc -in a", "net use Z: /delete")),
    Rule("call-password", "assignment", ("auth", "login", "sign", "connect", "credential", "UsernamePassword"),
         r"(?i)(?:\bauth ?= ?\(|(?:\blogin|sign_?in|authenticate|basic_?auth|getConnection|credentials?|UsernamePassword\w{0,24}"
         r"|set_?auth|connect)\( ?(?:[\w.]{1,40}, ?|[\"'][^\"'\n]{1,200}[\"'], ?)?|\bsp_addlogin )[\"'][^\"'\n]{1,80}[\"'] ?, ?[\"']"
         r"([^\s\"']{6,80})[\"'] ?(?:\)|;|$)", check=_is_no_name, glued=False,
         matches=("get(url, auth=('ana', '«whInch4t!»'))", 'getConnection(url, "app", "«Basalt9Rock»")',
                  'smtp.login("bot@x.org", "«Fennel!Seed»")', "EXEC sp_addlogin 'ops', '«Bl4ckthorn»';", 'login("ana@acme.io", "«St0nechat»")'),
         misses=("login('ana', password)", "authenticate('ldap', 'simple')",
                 "login('ana', 'next=/home')", "login('ana', 'profile-page-2')",
                 "authenticate('ldap', 'group_7')")),
    Rule("bitlocker-key", "spoken", (),
         r"(?:^|[^\d-])(\d{6}(?:-\d{6}){7})(?:[^\d-]|$)",
         matches=("recovery key «<d6>-<d6>-<d6>-<d6>-<d6>-<d6>-<d6>-<d6>»",),
         misses=("<d6>-<d6>-<d6>",)),
    Rule("wifi-password", "spoken", ("wifi", "wi-fi", "wlan", "ssid"),
         r"(?i)\b(?:(?:wi-?fi|wlan|ssid)(?: (?:at|in) \w{1,20}| network| details)?\s?[:=]\s?[^\s/\n]{1,32} ?/ ?"
         r"|ssid:? [^\s/\n]{1,32} ?[/,;] ?(?:key|pass\w{0,6}|pw)[: ]{1,2})([^\s/,;]{8,63})",
         check=_is_passphrase, glued=False, sure=False,
         matches=("wifi: Heron-Guest / «welcome2heron»", "WLAN: Heron/«st0rchNest»"),
         misses=("wifi: slow / unstable", "wifi: Heron / 2.4GHz", "wlan: wlan0 / wlan1",
                 "wifi: 802.11ax / WPA3-Enterprise")),
    Rule("login-password", "spoken", ("log", "sign"),
         r"(?i)\b(?:log|sign)(?:ged|ed|s)? ?in (?:with|as|using) [^\s,]{1,64}(?:,? and|,? /|,) ([^\s,;]{8,64})",
         check=_is_mixed, glued=False, sure=False,
         matches=("log in with dana@acme.io and «R4inyTuesday»", "signed in as ana, «Tram4Stop!»"),
         misses=("log in with Google and Microsoft365", "sign in as admin and restart")),
    Rule("command-line-password", "assignment", ("sudo -S",),
         r"(?:echo [\"']?([^\s\"'|]{4,})[\"']? ?\| ?sudo -S)", glued=False,
         matches=("echo '«s1skinSeed»' | sudo -S apt update",), misses=("sudo -S < /dev/stdin",)),
    Rule("command-line-password", "assignment", ("7z", "rclone obscure"),
         r"(?:\b7z[ar]? [^\n]{0,80}? -p[\"']?|rclone obscure [\"']?)([^\s\"']{4,})", glued=False,
         matches=("7z x backup.7z -p«s3cretZip9»", "rclone obscure «br4mbling»"),
         misses=("7z x backup.7z -p", "7z a x.7z src")),
    Rule("pgpass", "assignment", (":",),
         r"(?:^|\n)[A-Za-z*][\w.*-]{0,80}:(?:\d{2,5}|\*):[\w*-]{1,40}:[\w*-]{1,40}:([^\s:]{4,})(?:\s|$)",
         check=has_digit, glued=False, matches=("db.internal:5432:app:ana:«Tram4821»\n",),
         misses=("12:30:45:99:1234", "a:b:c:d:e1234")),
    Rule("url-credential", "url", ("://",),
         r"[A-Za-z0-9]://[^\s/:@\"'<>]{0,256}:([^\s/\"'<>]+)@[\w\[$<{%]",
         check=_is_no_port, glued=False,
         matches=("postgres://admin:«s3cr3t»@db.internal/app", "https://user:«pass»@example.com/",
                  "redis://:«p@ss:w0rd»@cache:6379/0",
                  "mongodb+srv://app:«Zx81kkP0q»@c0.mongodb.net/x?w=majority"),
         misses=("http://localhost:3000?email=someone@example.com", "https://example.com/@ana",
                 "postgres://localhost:5432/app", "ssh://git@github.com:22/acme/x.git",
                 "postgres://${DB_USER}:${DB_PASS}@db/app")),
    Rule("url-credential", "url", ("://",),
         r"https?://([A-Za-z0-9]{20,})@[\w-]+\.", floor=3.5, check=has_digit, glued=False,
         matches=("git clone https://«<w40>»@github.com/acme/x",),
         misses=("https://user@example.com",)),
    Rule("command-line-password", "assignment", ("-u", "--user", "--proxy-user"),
         r"(?:^|\s)(?:-u|--user|--proxy-user)[ =]?[\"']?[^\s:\"'/]{1,64}:([^\s\"'/]{4,})",
         check=_is_no_group, glued=False,
         matches=("curl -u deploy:«Pa55word» https://nexus.acme.io", "--user 'ana:«s3cr3tpw»'"),
         misses=("docker run -u 1000:1000 image",)),
    Rule("command-line-password", "assignment", ("sshpass", "mysql", "docker login", "redis-cli",
                                                 "--password", "-passin", "smbclient"),
         r"(?:sshpass +-p *[\"']?|mysql(?:dump|admin)?(?: [\w=./-]{1,40}){0,6}? -p[\"']?"
         r"|docker login(?: [\w=./-]{1,40}){0,6}? -p[ =][\"']?|-passin pass:"
         r"|redis-cli(?: [\w=./-]{1,40}){0,6}? -a [\"']?)([^\s\"'/]{4,})", glued=False,
         matches=("sshpass -p '«hunter22»' ssh box", "mysql -u root -p«S3cretPw»",
                  "docker login -u ana -p «Kx81mmQ2» registry.acme.io"),
         misses=("mysql -u root -p app", "redis-cli -h cache ping")),
    Rule("password-hash", "hash", ("$2", "$argon2", "$6$", "$5$", "$y$", "$1$", "$apr1$", "pbkdf2_"),
         r"(?:^|[^\w$])(\$(?:2[abxy]\$\d\d\$[./A-Za-z0-9]{31,}|argon2id?\$[\w=,.+/$-]{30,}"
         r"|(?:1|apr1)\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}"
         r"|[56y]\$[./A-Za-z0-9=$]{30,})|pbkdf2_sha\d{1,3}\$\d{2,8}\$[\w+/=$]{20,})",
         matches=("seeded with «$2b$12$<w53>»", "root:«$6$<w16>$<w86>»:19000",
                  "«pbkdf2_sha256$600000$<w22>$<b43>=»"),
         misses=("it costs $5 or $20", "$2b$ is the prefix of bcrypt")),
    Rule("session-cookie", "header", ("cookie",),
         r"(?i:cookie): [^\n]{0,200}?(?i:sess(?:ion)?(?:_?id)?|sid|auth|token|_session|phpsessid|jsessionid)=([\w%.+/=-]{16,})",
         floor=3.0, check=has_digit, matches=("Set-Cookie: sessionid=«<w32>»; Path=/",),
         misses=("Cookie: theme=dark",)),
    Rule("totp-seed", "url", ("otpauth://",), r"otpauth://[^\s\"'<>]{1,200}?[?&]secret=([A-Z2-7a-z=]{16,})",
         matches=("otpauth://totp/Acme:ana?secret=«<u32>»&issuer=Acme",),
         misses=("otpauth://totp/Acme:ana?issuer=Acme",)),
)  # fmt: skip

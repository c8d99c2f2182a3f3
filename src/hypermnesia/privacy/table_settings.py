"""Passwords that a command or a file of settings gives away by its own syntax, without an "is".

Databases, daemons, routers, XML, signed addresses, and pairs of a user and a password.
"""

from __future__ import annotations

import re

from hypermnesia.privacy.rule import Rule, has_digit

_QUESTION = re.compile(
    r"(?:what|which|who|where|when|how|your|the|a|not|no|never|optional|required|empty|wrong"
    r"|case|stored|hashed|asked|correct|incorrect|same|in|on|set|it|used|an|at)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*", re.IGNORECASE)
_REFERENCE = re.compile(r"[/<({\[-]|\$[a-z_{(]|\$\d\Z", re.IGNORECASE)
_VERSION = re.compile(r"v?\d+(?:\.\d+)+", re.IGNORECASE)


def _answers(value: str) -> bool:
    """``Fluffy`` answers a security question; ``What was ...`` asks it."""
    return _QUESTION.match(value) is None


def _is_secret_word(value: str) -> bool:
    """Something else than a bare lower-case word or a path: ``C0reSw1tch``, not ``encrypted``."""
    return not (_REFERENCE.match(value) or _WORD.fullmatch(value))


def _is_mixed(value: str) -> bool:
    """A digit beside a capital or a sign: ``Tram4821``, ``pelican#7``; not ``8080``, ``3.12-X``."""
    signs = any(char in value for char in "!@#$%^&*?")
    return (
        has_digit(value)
        and not _VERSION.match(value)
        and (signs or any(c.isupper() for c in value))
    )


def _is_argument(value: str) -> bool:
    """A password rather than a number, a path, a variable or a word in capitals: ``barnacle7``."""
    if _REFERENCE.match(value) or not any(char.isalpha() for char in value):
        return False
    signs = any(char in value for char in "!@#%^&*~")
    return (has_digit(value) or signs) and value != value.upper()


SETTINGS: tuple[Rule, ...] = (
    Rule("sql-password", "assignment", ("password", "identified"),
         r"(?i)\b(?:identified with [\w']{1,40} by|with(?: encrypted)? password|encrypted password"
         r"|(?:login|user|role) password|set password(?: for [^=\n]{1,60})?(?: =| to)"
         r"|password ?(?:=|:=) ?(?:old_)?password\()\s{0,3}(?:=\s?)?(?:password\()?N?[\"']([^'\"\n]{4,128})[\"']",
         check=_is_secret_word, glued=False,
         matches=("ALTER ROLE app WITH ENCRYPTED PASSWORD '«cobalt-Heron-3»';",
                  "CREATE USER etl IDENTIFIED WITH mysql_native_password BY '«m00nM!lk»'",
                  "SET PASSWORD FOR 'kim'@'%' = PASSWORD('«L0bster-Pot»');"),
         misses=("ALTER USER app WITH PASSWORD '$1'", "identified by 'id' alone")),
    Rule("daemon-password", "assignment",
         ("requirepass", "masterauth", "rootpw", "bindpw", "-storepass", "-keypass"),
         r"(?i)(?:^|[^\w])(?:requirepass|masterauth|rootpw|bindpw|-(?:store|key)pass)[ \t]{1,8}[\"']?([^\s\"']{4,})",
         check=_is_secret_word, glued=False,
         matches=("requirepass «foobared-9xQ»", "rootpw «T1n-Roof»", "keytool -genkey -storepass «kilnF1red»"),
         misses=("requirepass is set in redis.conf", "rootpw --lock", "masterauth <master-password>")),
    Rule("daemon-password", "assignment", ("chpasswd",),
         r"echo (?:-\w )?[\"']?[\w.-]{1,40}:([^\s\"'|]{4,})[\"']? ?\| ?(?:sudo )?chpasswd", glued=False,
         matches=("echo 'deploy:«Cr4b.apple9»' | chpasswd", "echo root:«t0rchwood» | sudo chpasswd"),
         misses=("echo $LINE | chpasswd", "chpasswd -e < users")),
    Rule("daemon-password", "assignment", ("net user",),
         r"(?i)\bnet user [\w.-]{1,40} [\"']?([^\s\"'/*]{4,})", check=has_digit, glued=False,
         matches=("net user backup «S1lverFox!» /add",), misses=("net user backup /delete", "net user kim *")),
    Rule("device-password", "assignment",
         ("snmp-server", "enable ", "secret ", "radius", "tacacs", "key-string", "pre-shared", "passphrase "),
         r"(?i)(?:snmp-server (?:community|host [\w.:]{3,40}(?: version \w{1,3})?)|enable (?:secret|password)(?: level \d{1,2})?"
         r"|username [\w.@-]{1,40}(?: privilege \d{1,2})? (?:secret|password)"
         r"|(?:radius|tacacs)(?:-server|\+)?(?: host [\w.:]{3,40})? key|key-string|ascii-text"
         r"|(?:wpa-psk|pre-shared-key) (?:ascii|hex))(?: [0-9])? [\"']?([^\s\"']{4,})",
         check=_is_secret_word, glued=False,
         matches=("snmp-server community «rw-N0rth-8» RW", "enable secret 0 «C0reSw1tch»",
                  "enable password 7 «094F471A1A0A»", "username kim privilege 15 secret 5 «$1$mERr$hx5rVt7rPNoS»",
                  "radius-server key «R4diusKey!»", "tacacs-server host 10.1.1.1 key 7 «0822455D0A16»"),
         misses=("snmp-server location dc-2", "enable secret is preferred over enable password",
                 "snmp-server community <string> RO")),
    Rule("xml-password", "assignment", ("password", "passwd", "pwd", "passphrase", "secret", "token", "apikey", "api-key"),
         r"(?i)<[\w.:-]{0,40}?(?:password|passwd|pwd|passphrase|secret|token|api-?key)"
         r"(?:(?: [^<>\n]{1,200})?>\s{0,4}<!\[CDATA\[\s{0,4}| [^<>\n]{1,200}[^<>\n/]>)([^<>\s\]]{4,})", check=has_digit, glued=False,
         matches=('<password encrypted="false">«f1eldmouse»</password>',
                  "<dbPassword><![CDATA[«Gr4nary&Loft»]]></dbPassword>"),
         misses=('<password type="xs:string"/>1234', '<token kind="word">bucket</token>')),
    Rule("xml-password", "assignment", ("</key>",),
         r"(?i)<key>[\w .-]{0,40}?(?:password|passwd|passphrase|secret|token|api_?key)</key>\s{0,20}<string>([^<\n]{4,})</string>",
         check=_is_secret_word, glued=False,
         matches=("<key>password</key>\n<string>«br4zilNut»</string>",), misses=("<key>token</key><string>bucket</string>",)),
    Rule("oracle-password", "url", ("sqlplus", "jdbc:oracle", "expdp", "impdp", "rman", "sqlldr"),
         r"(?i)(?:\b(?:sqlplus|expdp|impdp|exp|imp|rman target|sqlldr)(?: -\w{1,3})* [\"']?|jdbc:oracle:\w{2,5}:)"
         r"[\w$#]{1,30}/([^\s@/\"']{3,64})@", glued=False,
         matches=("sqlplus -s hr/«Maple_Leaf9»@orcl", "jdbc:oracle:thin:scott/«T1gerLily»@//ora:1521/ORCL"),
         misses=("sqlplus /nolog", "jdbc:oracle:thin:@//ora:1521/ORCL")),
    Rule("signed-url", "url", ("-signature=",), r"(?i)[?&;]x-(?:amz|goog)-signature=([0-9a-f]{64,})",
         matches=("https://b.s3.amazonaws.com/k?X-Amz-Expires=60&X-Amz-Signature=«<h64>»",),
         misses=("X-Amz-SignedHeaders=host",)),
    Rule("signed-url", "url", ("appid=",), r"[?&]appid=([0-9a-f]{32})(?:[^0-9a-f]|$)",
         matches=("https://api.weather.example/v1?appid=«<h32>»&q=Oslo",), misses=("?appid=730",)),
    Rule("twilio-token", "provider", ("AC",),
         r"AC[0-9a-f]{32}\W{1,4}(?:[\w-]{1,12}\W{1,4}){0,3}?([0-9a-f]{32})(?:[^0-9a-f]|$)", glued=False,
         matches=("sid AC<h32> auth «<h32>»", "AC<h32>:«<h32>»"), misses=("AC<h32> alone",)),
    Rule("totp-seed", "spoken", ("2fa", "mfa", "totp", "otp", "authenticator"),
         r"(?i:2fa|mfa|totp|otp|authenticator)[^\n]{0,40}?(?:[ :=\"'])([A-Z2-7]{16,64}|(?:[A-Za-z2-7]{4} ){3,15}[A-Za-z2-7]{4})(?:[^\w]|$)",
         check=has_digit, glued=False, sure=False,
         matches=("the 2FA seed is «JBSWY3DPEHPK3PXP»", "authenticator setup key: «jbsw y3dp ehpk 3pxp»"),
         misses=("2FA is REQUIREDFOREVERYONE",)),
    Rule("security-answer", "spoken", ("security", "secret", "recovery"),
         r"(?i)\b(?:security|secret|recovery) (?:question|answer)s?\b[^.!?\n]{0,80}?(?:\b(?:is|was|answer(?:ed)?)\b:? ?|: ?|= ?|-> ?)"
         r"[\"']?([A-Za-z0-9][\w'-]{2,30})(?:[.,;!)\"'\n]|$)", check=_answers, glued=False, sure=False,
         matches=("her security answer for mother's maiden name is «Oyelaran»", "security question (first pet): «Biscuit»"),
         misses=("the security question is optional", "security answer: required")),
    Rule("user-password", "spoken", ("user", "login", "account"),
         r"(?i)\b(?:user(?:name)?|login|account)(?: is)?[:= ]{1,2}[\"'`]?[\w.@+-]{1,64}[\"'`]?[ ,;/&]{1,3}(?:and |with )?"
         r"(?:the )?(?:pass|pw|pwd|passcode)(?: is)?[:= ]{1,2}[\"'`]?([^\s\"'`,;]{4,64})", check=has_digit, glued=False, sure=False,
         matches=("user root pass «1nkw3ll» on the NAS", "login kim, pw «thist1e»"),
         misses=("the user can pass 4 arguments", "user tests pass in 2.1s")),
    Rule("user-password", "spoken", (":",),
         r"(?i)(?:\b(?:use|try|with|as|login|logins?|creds?|credentials|account|user)(?: (?:is|are|for [\w ]{1,20}|in))?[: ]{1,2}[\"'`(]?[a-z][\w.@+-]{1,40}"
         r"|(?:^|\n)[a-z][\w.@+-]{1,40}):([^\s\"'`,;:/]{6,64})[\"'`)]? (?:works?|for|on|gets|lets|logs|to (?:log|get|sign))\b",
         check=_is_mixed, glued=False, sure=False,
         matches=("ana:«Tram4821» works on staging", "use admin:«Passw0rdless» to log in"),
         misses=("nginx:1.25.3 works on arm", "port:8080 works for me", "use python:3.12-Slim for the image")),
    Rule("wifi-password", "spoken", ("wifi", "wi-fi", "wlan", "hotspot", "ssid"),
         r"(?i)\b(?:wi-?fi|wlan|hotspot|ssid)\b[^.!?\n]{0,60}?\b(?:get on|join|joins?|connects?|log on|log in)(?: to it| there)? (?:with|using|via) "
         r"(?:the )?(?:key |code )?[\"'`]?([^\s\"'`,;]{6,63})", check=has_digit, glued=False, sure=False,
         matches=("the wifi is called Harbor and you get on with «seagull-99-pie»",),
         misses=("the wifi lets you connect with WPA clients",)),
    Rule("command-line-password", "assignment",
         ("mongo", "az login", "ldap", "cqlsh", "sqlcmd", "bcp ", "isql", "plink", "pscp", "psexec", "ipmitool", "mosquitto",
          "rdp", "cmdkey", "winexe", "vncviewer"),
         r"(?:^|[\s;&|(])(?:mongo(?:sh|dump|restore|import|export)?|az login|ldap(?:search|add|modify|delete|passwd|whoami)|cqlsh"
         r"|sqlcmd|bcp|isql|plink|pscp|psexec|ipmitool|mosquitto_(?:pub|sub)|[wx]freerdp|rdesktop|cmdkey)(?:\.exe)? [^\n]{0,120}?"
         r"(?: -(?:p|P|w|pw)[ =]?| /p(?:ass)?:)[\"']?([^\s\"']{4,})", check=_is_argument, glued=False,
         matches=("mongo admin -u root -p «barnacle7»", "ldapsearch -D cn=admin -w «Kelp-Forest2» -b dc=x",
                  "az login --service-principal -u app -p «h7~Q8kLmZz.0» --tenant x", "xfreerdp /v:host /u:kim /p:«Turb0tFin»"),
         misses=("mongo --port 27017 -p 27018", "plink -P 2222 host", "cqlsh -p $PASS", "ldapsearch -W -b dc=x")),
    Rule("command-line-password", "assignment", ("%", "--proxy-auth", "net use", "rclone", "lftp", "add_user"),
         r"(?:\b(?:smbclient|rpcclient|winexe|smbget) [^\n]{0,80}?-U ?[\"']?[\w.\\/-]{1,40}%|--proxy-auth [\w.-]{1,40}:"
         r"|(?i:net use) (?:\w: )?\\\\?[\w.\\$-]{3,80} |\brclone config (?:create|update) [^\n]{0,80}?\bpass(?:=| )"
         r"|\blftp [^\n]{0,40}?-u [\w.-]{1,40},|\badd_user [\w.-]{1,40} )[\"']?([^\s\"'/*]{4,})",
         check=_is_argument, glued=False,
         matches=("smbclient //nas/share -U kim%«urch1n99»", "ncat --proxy-auth kim:«gurnard8X» host",
                  "net use \\\\nas\\c$ «dab-Sole-7» /user:kim", "rclone config create r sftp pass «smelt-Run-5»",
                  "rabbitmqctl add_user ana «m1llrace»"),
         misses=("net use Z: \\\\srv\\share /user:ana", "rabbitmqctl add_user ana")),
    Rule("protocol-password", "assignment", ("PASS ", "LOGIN ", "AUTH "),
         r"(?:^|[\r\n>*]|\\n)[ \t]{0,4}(?:\w{1,4} )?(?:PASS|AUTH|LOGIN [\w.@\"+-]{1,60})[ \t]\"?([^\s\"]{4,64})\"?(?:[\r\n\\]|$)",
         check=_is_argument, glued=False,
         matches=("USER kim\r\nPASS «charr-Lake8»\r\n", "a1 LOGIN kim «zander41»", "AUTH «pikeJaw66»", "> LOGIN kim «zander41»"),
         misses=("AUTH PLAIN", "PASS tests/test_a.py", "LOGIN with 2FA", "PASS 12 of 12", "AUTH CRAM-MD5")),
    Rule("logged-password", "assignment", ("login", "logon", "auth"),
         r"(?i)\b(?:login|logon|auth(?:entication)?)(?: \w{1,12}){0,3}? (?:for|of|by|as|user|from) [\w.@-]{1,40} ?[/:] ?[\"']?([^\s\"'/,;]{6,64})",
         check=_is_mixed, glued=False, sure=False,
         matches=('invalid login for kim/"«l0achRiver»"',),
         misses=("login for kim: 200 OK", "auth for api/v2", "login from 10.0.0.4:52211")),
    Rule("wifi-password", "spoken", ("wifi", "wi-fi", "wlan"),
         r"(?i)\b(?:wi-?fi|wlan) (?:at|in|for|of) (?:the |our |my )?\w{1,20}(?: \w{1,20})? ?[:=] ?[\"']?([^\s\"',;]{8,63})",
         check=has_digit, glued=False, sure=False,
         matches=("the wifi at the cabin: «pinecone_2020»",), misses=("wifi in the office: unstable",)),
    Rule("sql-password", "assignment", ("value=", "value =", "val=", "val ="),
         r"(?i)\bval(?:ue)? ?= ?N?'([^'\n]{4,128})' where \w{1,30} ?= ?'[\w.-]{0,40}(?:pass(?:word)?|secret|token|api_?key|pwd)'",
         glued=False, matches=("UPDATE settings SET value='«teas3lHead»' WHERE name='smtp_password';",),
         misses=("UPDATE settings SET value='on' WHERE name='theme'",)),
    Rule("login-password", "spoken", ("log", "sign"),
         r"(?i)\b(?:log|sign)(?:ged|ed|s)? ?in (?:with|as|using) [\w.+-]{1,64}@[\w.-]{1,64}(?: and|,| /| :|:|,? and) ?([^\s,;]{6,64})",
         check=has_digit, glued=False, sure=False,
         matches=("sign in with kim@x.org / «Savory-10»",), misses=("log in as ana@x.org and restart",)),
    Rule("one-time-code", "spoken", ("to verify", "to log", "to sign", "to confirm", "to complete", "to reset", "to unlock",
                                     "to auth", "to access", "to finish"),
         r"(?i)\b(?:code|otp|pin)(?: is|:)? (\d{3}[- ]?\d{3}|\d{4,8}) to (?:verify|log ?in|sign ?in|confirm|complete|reset|unlock"
         r"|authenticate|access|finish)\b", glued=False, sure=False,
         matches=("Use code «551-903» to verify your account",), misses=("use code 4821 to get 20% off", "exit code 1234 to stdout")),
    Rule("one-time-code", "spoken", ("is your", "is my"),
         r"(?i)(?:^|[^\w.#-])((?:[A-Z]-)?\d{3}[- ]?\d{3}|\d{4,8}) is (?:your|my)(?: [\w-]{1,14}){0,3}"
         r" (?:verification|security|login|confirmation|access|one[- ]time) (?:code|otp|pin)\b", glued=False, sure=False,
         matches=("«G-204981» is your Google verification code",), misses=("4821 is your status code",)),
)  # fmt: skip
"""Rules for the syntax of one program each, and for sentences in which a pair stands."""

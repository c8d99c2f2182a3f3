"""The words that give a secret away: patterns over folded text, and the words beside them."""

from __future__ import annotations

WORDS = (
    r"pass[ _-]?(?:word|phrase|code|key|wd)|pasword|passwrd|psw|mdp|pwd|pw|p/w|psk|pswd"
    r"|identified by|secret|token|keypad|key"
    "|c\u00f3digo|codigo|codice"
    r"|credential|cred|login|code|combination|combo|otp|(?:pin|puk)(?:[ _-]?(?:code|number))?"
    # German, French, Spanish, Portuguese, Dutch, Polish, Czech, Swedish, Danish, Finnish, Turkish
    "|passwort|kennwort|mot de passe|contrase(?:\u00f1|n\u0303?)a|clave|senha|wachtwoord"
    "|(?:wlan|wifi|netzwerk|sicherheits)[ -]?schl\u00fcssel|cl(?:\u00e9|e) (?:wi-?fi|wpa2?)"
    "|(?:t\u00fcr|tuer|tor|zugangs|alarm)code"
    "|has\u0142o|heslo|l\u00f6senord(?:et)?|adgangskode|salasana|\u015fifre"
    # Russian, Chinese in two scripts, Japanese, Korean
    "|\u043f\u0430\u0440\u043e\u043b\u044c|\u5bc6\u7801|\u5bc6\u78bc|\u53e3\u4ee4"
    "|\u30d1\u30b9\u30ef\u30fc\u30c9|\u6697\u8a3c\u756a\u53f7|\ube44\ubc00\ubc88\ud638"
)
"""Credential words; more of them than a rule could list as keywords."""
HEAD = rf"{WORDS}|pass"
"""Where a credential word may begin; for RE2, which cannot look at what follows."""
_HEADS = (
    rf"{WORDS}|(?<=[a-z0-9]_)pass|(?<=fi )pass|(?<=[,;/] )pass(?=\s[^\s,;]{{6}})"
    r"|(?:(?<=sudo )|(?<=root )|(?<=admin )|(?<=vpn )|(?<=ssh )|(?<=db )|(?<=email )|(?<=login )"
    r"|(?<=router ))pass(?= )"
    r"|pass(?=[\"'`*_]{0,3}\s?(?:[:=\u2192]|->)|\Z|\sis\s|\s[\"'`])"
)
_TAIL = (
    r"(?:[ _-]?(?:value|string|word)| (?:details?|info))?s?(?: ?#?\d(?=\s?[:=])|\d{0,2})"
    r"(?:_(?:prod|production|staging|stage|dev|test|live|old|new|primary|secondary|main|v\d))?"
    r"(?![a-z0-9_])"
)
KEYWORD = rf"(?:{_HEADS}){_TAIL}"
"""A word that may announce a secret, with a plural or an environment behind it."""

QUALIFIER = r"(?:[A-Z]?[a-z0-9]{1,16}|[A-Z0-9]{1,16})[ _-]?\Z"
"""The word before a head, one hump of a camel-case name, in the original text."""
PLACES = frozenset((
    "2fa", "access", "alarm", "apartment", "auth", "authentication", "backup", "bike", "bluetooth",
    "box", "building", "burglar", "confirmation", "door", "elevator", "entrance", "entry", "garage",
    "garden", "gate", "guard", "gym", "house", "intercom", "keybox", "keypad", "lock", "lockbox",
    "locker", "login", "mailbox", "mfa", "office", "padlock", "pairing",
    "panel", "parental", "phone", "pin", "recovery", "room",
    "safe", "security", "shed", "signal", "sim", "sms", "suitcase", "time", "unit", "unlock",
    "vault", "verification", "voice", "voicemail",
))  # fmt: skip
"""What has a code or a combination."""
CARDS = frozenset(("atm", "bank", "card", "credit", "debit", "ipad", "laptop", "tablet", "watch"))
"""What has a PIN, while its code would be some other number."""
_PLACE = (
    r"door|gate|garage|safe|alarm|lock|locker"
    r"|lockbox|building|office|house|apartment|flat|shed|vault|padlock|suitcase|mailbox|elevator"
    r"|lift|gym|pool|entrance|unit|storage|room|cabinet|bike|barrier|parking|laundry|lab|cabin"
    r"|panel|keypad|intercom|screen|tablet|ipad|phone|card|airbnb|warehouse"
    r"|portal|garaje|edificio|ascensor|candado|cancello|ascensore|garagem|cofre|immeuble|ascenseur|cadenas"
    r"|coffre|tresor|schloss|keller|cassaforte|box"
    r"|porte|portail|puerta|porta|port\u00e3o|caja|alarma|t\u00fcr|deur"
)
DOOR_CODES = ("t\u00fcr", "tuer", "tor", "zugangs", "alarm")
"""How a German compound for the code of a door begins."""
PLACE_NEAR = (
    r"[^.!?\n]{0,60}?\b(?:to|for|of|at|on|into|de|del|der|do|da|des|van|f\u00fcr)"
    rf"(?: [a-z']{{1,12}}){{0,3}} (?:{_PLACE})\b"
)
"""What a code or a combination opens, named after it in the same sentence."""
PLACE_BEFORE = rf"\b(?:{_PLACE})\b[^.!?\n]{{0,60}}\Z"
"""The same, named before it: "the locker is number 12, combination ..."."""
NO_DOOR = frozenset((
    "area", "bar", "color", "colour", "country", "coupon", "currency", "discount", "dress", "error",
    "exit", "game", "http", "language", "legacy", "machine", "open", "postal", "product", "promo",
    "python", "qr", "response", "return", "review", "sample", "source", "status", "test", "zip",
))  # fmt: skip
"""Whose code opens nothing."""
OWNERS = frozenset((
    "access", "account", "activation", "admin", "aes", "anthropic", "bot", "cipher", "cookie",
    "crypto", "csrf", "device", "gpg", "ingest", "merchant", "partner", "pgp", "preshared", "root",
    "rsa", "sdk", "session", "ssh", "ssl", "tenant", "tls", "unseal", "vpn", "write",
    "api", "app", "application", "auth",
    "aws", "azure", "client", "cloudflare", "cohere", "consumer", "database", "datadog", "db",
    "decryption", "deploy", "deployment", "encryption", "fernet", "fi", "gemini", "github",
    "gitlab", "google", "grafana", "groq", "heroku", "hf", "hmac", "huggingface", "integration",
    "jwt", "licence", "license", "linear", "mailgun", "maps", "master", "mistral", "network",
    "notion", "openai", "openrouter", "pagerduty", "private", "prod", "product", "production",
    "router", "secret", "security", "sendgrid", "sentry", "server", "service", "shared",
    "signing", "slack", "staging", "stripe", "subscription", "supabase", "telegram", "twilio",
    "vercel", "webhook", "wifi", "wireless", "wlan", "wpa", "wpa2", "wpa3",
))  # fmt: skip
"""Whose key is a secret; a primary, foreign, cache or public key is none."""
HARMLESS = frozenset((
    "cache", "dedup", "dict", "foreign", "group", "hash", "idempotency", "index", "object",
    "partition", "primary", "public", "routing", "row", "s3", "shard", "sort", "storage", "the",
))  # fmt: skip
"""Whose key is no secret, however random it looks."""
SIGNERS = frozenset(("cookie", "hmac", "jwt", "session", "shared", "signing", "webhook"))
"""Whose secret is a password that people make up: ``SESSION_SECRET=keyboard-cat-99``."""
NETWORKS = frozenset(("fi", "network", "router", "wifi", "wireless", "wlan", "wpa", "wpa2", "wpa3"))
"""Whose key is a password: short, and often without a digit."""

_COPULA = (
    r"is|was|are|were|be|becomes|became|equals|reads|(?:it|that|which)'s"
    r"|(?:ends?|ended|winds?|wound) up (?:being|as)|(?:turns|turned) out to be|happens to be"
    r"|ist|lautet|war|es|est|era|\u00e9|\u00e8|jest|je|\u00e4r"
)
_LINKING = (
    _COPULA + r"|to|from|new|value|now|rotated|changed|updated|reset|set|currently|current|still|of"
    r"|as|will|has|been|used|just|also|temporarily|formerly|previously"
    r"|it|itself|which|s|the (?:word|string|number)"
)
_SIGN = (
    r":\s?[A-Za-z_][\w.\[\]| ]{0,30}\s?=(?!=)"  # an annotation: "password: str = ..."
    r"|[:=]{1,2}>?|%3d|<-|->|\u2192|>|\||-{1,3}(?= )|\((?=[\"'])|\((?=[^\s()]{4,64}\))"
    r"|,(?= (?:new|now|currently|formerly|previously|it|which)\b)|,(?=\s?[\"'])"
    r"|,(?=\s[^\s,]{6,64},)"  # "the password, ..., is"
    r"|,(?=\s[^\s,]{0,30}\d[^\s,]{0,30}(?:\n|\Z))"  # "the password for guests, ..."
    r"|!{1,2}[a-z]{3,8}(?=\s)"  # a tag of YAML: "password: !!str ..."
    r"|\u662f|\u4e3a|\u70ba|\u306f|\ub294|\uc740"
)
_SPACE = r"(?:\s|\*\*|__){0,8}+"
GLUE = r"[\"'`*_)\]\\]{0,4}+"
"""Quotes, emphasis and brackets that close a credential word."""
LINKS = rf"(?:{_SPACE}(?:(?:{_LINKING})(?![\w'-])|{_SIGN})){{0,5}}+{_SPACE}"
"""Linking words and signs between a credential word and its value."""
EXPLICIT = (
    rf"(?<!\w)(?:{_COPULA}|currently|formerly|previously)(?!\w)"
    r"|%3d|<-|[:=>\u2192\u662f\u4e3a\u70ba\u306f\ub294\uc740]"
)
"""What makes a link an assignment rather than a chance neighbour."""
BRACKETED = r"\s?\((?=[^\s()]{0,40}\d[^\s()]{0,40}\) ?)"
"""A value in brackets right after the word: "the password (Mugwort-3) opens it"."""
ASSIGNS = r"%3d|<-|[:=>|\u2192\uff1a]|identified by|[\"'`]\Z"
"""What makes it a piece of syntax rather than of a sentence."""
LISTED = r"[\"'`]\)?,\s?\Z"
"""A name in quotes and a comma before another string: ``define('DB_PASSWORD', '...')``."""
TOWARDS = r"(?:changed|rotated|updated|reset|set|now)(?: \w{1,20})? to\b"
"""What assigns a value, or opens a purpose: "reset to Xq7...", "reset to comply"."""
TO = r"(?<!\w)to\s"
SETS = (
    r"(?<!\w)(?:re)?(?:set|chang(?:e|ed|ing)|updat(?:e|ed|ing)|rotat(?:e|ed)|switch(?:ed)?|made)"
    r"\b[^.!?\n]{0,60}\Z"
)
"""A verb before the word, which "to" then belongs to: "we reset the database password to ..."."""
SCOPE = (
    r"(?:\s{1,4}\([^()\n]{1,40}\)"
    r"|\s{1,4}(?:for|of|on|to|at|in|into|with|we use|i use"
    r"|(?:that |which )?(?:you|we|i|they|he|she)|there|here|below|again|as follows|in question"
    r"|del?|f\u00fcr|pour|para|von|vom|der|du|do|da|dos|das|della|\u043e\u0442|\u0434\u043b\u044f|\u043a)"
    rf"(?:\s{{1,4}}[\w.@/-]{{1,40}}+(?:'(?!s\s\d)[\w-]{{0,20}}+)?){{0,6}}?)"
    rf"(?:'(?=s\s\d)|(?=\s*+(?:[:=]|-{{1,3}} )|,\s\S{{0,30}}\d\S{{0,30}}(?:\n|\Z)"
    rf"|\s{{1,4}}(?:{_COPULA}|has|have)\s))"
)
"""What the secret is for, before an "is": "... for the staging database"."""

STRING_PREFIX = r"[bBuUfF](?=[\"'])"
"""What Python and others write before the quote of a string."""
WRAPPER = (
    r"(?i)(?:\[\]byte|bytes|bytearray|(?:new )?(?:[a-z]\w{0,20}\.)?secret(?:str|string|value)?"
    r"|some|ok|(?:secret)?string::(?:from|new)|secret(?:\.|::)(?:of|from|new)|buffer\.from|(?:base64\.)?b64decode"
    r"|atob|&?str|(?:new )?string)\((?=[bu]?[\"'])"
)
"""What turns a string into bytes or into a secret of some type: ``[]byte("...")``."""
JOINT = (
    r"[^\w\n(#]{0,6}[:=][^\w\n(#]{0,6}\n?[^\w\n(#]{0,12}"
    r"|[^\w\n(#]{1,6}(?:value|val)[^\w\n(#]{1,8}(?:is )?"
    r"|\"? \{\s{0,12}"
    r"(?:(?:type|description|sensitive|nullable)\s{1,12}=[^\n]{0,100}\n\s{0,12}){0,4}"
    r"default\s{1,12}=\s{1,4}\"?"  # a variable of Terraform
    r"|[\"'],\s?(?:\w{1,12}=\w{1,12},\s?){0,3}default\s?=\s?[\"']"  # an option of a command
)
"""Any punctuation with a sign in it, and a word that says a value follows: ``.value = '...'``."""
WORD = r"[^\s\"'`<>]{1,64}"
"""A word of a sentence, with its punctuation."""
QUOTED = (
    r"\"(?P<double>(?:[^\"\\\n]|\\[^\n]){1,200}+)\"|'(?P<single>[^'\n]{1,200}+)'"
    r"|`(?P<code>[^`\n]{1,200}+)`"
)
ESCAPED = r"\\{1,3}([\"'])(?P<inside>[^\"'\\\n]{1,200}+)\\{1,3}\1"
BARE = (
    r"[^\s\"'`<>\\\u2026\u3001-\u303f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
    r"\uff08\uff09\uff0c\uff1b]"
)
BARE_START = BARE + r"{1,200}+"
"""As much of a value as is needed to judge it."""
BARE_REST = BARE + r"*+"
"""The rest; CJK text runs on without blanks, so its characters end a value."""
CUT = r"[;&,|](?=[\w.-]{1,40}[=:])|%26|\)(?!\w)|\](?!\w)"
"""Where a value ends though no blank follows: the next parameter, a closing bracket."""
CLAUSE_END = r"[^\S\n]*+[.,;!)\]}\"'`*\\\n]|\s*+\Z"

_DIGIT = "(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)"
_TURN = r"\d{1,2} ?(?:left|right|l|r|cw|ccw)(?![a-z])"
DIGITS = (
    rf"{_TURN}(?:,? (?:then )?{_TURN}){{1,4}}|"
    r"[#*]?(?:\d(?: \d){3,11}|\d{2,4}(?:[ -]\d{2,4}){1,4}|\d{1,2}(?:-\d{1,2}){2,3}|\d{4,12})"
    rf"[#*]?(?![.:/-]{{0,2}}\w)|{_DIGIT}(?:[ ,-]{{1,2}}{_DIGIT}){{3,11}}(?![a-z])"
)
"""A code in digits, grouped or not, or spoken."""
NEXT = (
    r"(?:\s{0,2}(?:,|/|;|->|\u2192|\|)\s{0,2}|\s{1,2}(?:and|or|to|but)\s{1,2}|,\s(?:and|or|but)\s)"
    r"(?:(?:then|it|is|now|to)\s){0,3}"
)
"""What joins one value to the next."""
ANOTHER = r"(?:,| and|, and|; )(?: [\w']{1,16}){1,3}(?: is|'s|:) "
"""What leads to the password of something else in the same sentence."""
PAIR = r"[\w.@+-]{2,64}\s?[/:|]\s?"
"""A user name in front of its password: "login: ana / ..."."""
AFTER_BEFORE = (
    r"\s{1,2}(?:for|of|on|at|until|now|in|to|from|since|when|that|which|we|i|you|they|he|she)\s"
)
"""What may follow the credential word in "... is the password for ..."."""
LINKS_BACK = r" (?:is|as|was|for|opens|unlocks) |'s "
BEFORE = (
    rf"(?<![^\s\"'`(])(?P<value>{_DIGIT}(?: {_DIGIT}){{3,11}}|[^\s\"'`]{{3,63}}[^\s\"'`,;])"
    r"[\"'`]?,? (?:is|as|was|for|opens|unlocks|(?:that|this|it|which)(?:'s| is))"
    r"(?: [a-z][\w'-]{0,20}){0,4} \Z"
)
"""The value in front of "is the door code", up to the credential word."""
_OPENED = (
    r"(?:door|gate|garage|safe|alarm|lock|locker|lockbox|phone|vault|padlock|barrier|cabinet"
    r"|building|office|elevator|lift|shed|suitcase|mailbox|tablet|ipad|screen)\b"
)
_OPENING = r"(?:the|our|my|his|her|their)(?: \w{1,20}){0,2}? " + _OPENED
OPENS = (
    rf"(?<![\w.#-])(?P<value>\d{{4,8}}[#*]?) (?:opens|unlocks|disarms) {_OPENING}",
    r"(?:type|enter|press|punch in|dial|use|key in|input) (?P<value>\d{4,8}[#*]?)"
    rf"(?: on the keypad)? to (?:open|unlock|disarm|enter|get (?:in|into)|turn off) {_OPENING}",
    rf"(?:open|unlock|disarm)s? {_OPENING} (?:with|using|by (?:typing|entering|dialling|pressing))"
    r" (?:the )?(?:code |pin |number )?(?P<value>\d{4,8}[#*]?)(?![.,]?\w)",
    rf"{_OPENED} (?:in the \w{{1,12}} )?(?:opens|unlocks) with (?:code |pin )?"
    r"(?P<value>\d{4,8}[#*]?)(?![.,]?\w)",
    r"(?<![\w.#-])(?P<value>\d{4,8}[#*]?) (?:gets|lets|will get|will let)"
    r" (?:you|me|us|them|him|her) (?:in|into|through)\b",
    r"(?:type|enter|press|punch in|dial|use|key in|input) (?P<value>\d{4,8}[#*]?) (?:at|on|into) "
    rf"(?:the|our|my|his|her|their)(?: \w{{1,20}}){{0,2}}? (?:keypad|panel|intercom|{_OPENED})",
    rf"to (?:open|unlock|disarm|enter|get (?:in|into)|turn off) {_OPENING},? (?:just )?"
    r"(?:type|enter|press|punch in|dial|use|key in|input) (?P<value>\d{4,8}[#*]?)(?![.,]?\w)",
)
"""The code in "4821 opens the front door", which names no code."""

COUNTED = (
    r"\s?(?:%|[kmg]?b\b|(?:bytes|ms|lines?|rows?|euros?|eur|dollars?|usd|pounds|people|visitors|users"
    r"|k?hz|v|volts?|ohms?|mm|cm|km|kg|times|calls|requests|commits|years?|days|hours|minutes|seconds|metres|meters|steps|units)\b)"
)
"""What follows a number that counts something."""
_DOOR = (
    r"\b(?:front door|back door|door|garage|alarm|locker|lock ?box|padlock|keypad|key ?(?:safe|box)"
    r"|safe|gate|intercom|entrance|shed|suitcase|mailbox|elevator|storage unit)\b"
)
_DIGITS = (
    r"(?<![\w.#$-])(?<!port )(?<!version )(?<!page )(?P<value>#\d{4,8}#|\d{4,8}[#*]?)(?![.,:/-]?\w)"
    rf"(?!{COUNTED})"
)
_CODE = r"(?<!error )(?<!status )(?<!source )\b(?:code|combination|combo|pin|passcode)\b"
_DEED = r"\b(?:opens?|opened|unlocks?|unlocked|disarms?|disarmed)\b"
_TURNS = r"(?P<value>\d{1,2}(?:-\d{1,2}){2,3})(?![.,:/-]?\w)"
_ENTERED = (
    r"\b(?:punch(?:ed)? in|typed?|enter(?:ed)?|dial(?:led|ed)?|press(?:ed)?|key(?:ed)? in|hit)\b"
)
OPENED = (
    r"(?i)\b(?:door|gate|garage|safe|alarm|lock|locker|lockbox|phone|vault|padlock|barrier|cabinet"
    r"|building|office|elevator|lift|shed|suitcase|mailbox|tablet|ipad|screen|keypad|intercom"
    r"|entrance|storage unit|key ?(?:box|safe)|(?:you|me|us|them|him|her) (?:in|into|through))\b"
    r"|\b(?:pin|passcode|code)\b[^.!?\n\d]{0,24}, "
)
"""One of these is near every number that the patterns below find."""
DOORS = (
    rf"{_CODE}[^.!\n\d]{{0,50}}?{_DOOR}[^.!\n\d]{{0,25}}?{_DIGITS}",
    rf"{_DOOR}[^.!?\n\d]{{0,40}}?{_CODE}[^.!?\n\d]{{0,16}}?{_DIGITS}",
    rf"{_DOOR}[^.!?\n\d]{{0,16}}?{_CODE}[^.!?\n\d#]{{0,60}}?\b(?:is|it's|to|now|reads)"
    rf" (?:now )?{_DIGITS}",
    rf"\b(?:key ?(?:box|safe)|lock ?box|keypad|padlock)(?:'s)?(?: number)?(?: is|:)? {_DIGITS}",
    rf"{_DOOR}[^.!?\n\d]{{0,16}}?\b(?:dial|press|punch in|key in)[^.!?\n\d]{{0,12}}?{_DIGITS}",
    rf"{_DOOR}[^.!?\n\d]{{0,24}}?{_DEED}[^.!?\n\d]{{0,8}}?\bwith\b[^.!?\n\d]{{0,12}}?{_DIGITS}",
    rf"{_ENTERED}[^.!?\n\d]{{0,12}}?{_DIGITS}[^.!?\n\d]{{0,20}}?{_DOOR}",
    r"\b(?:alarm|keypad|lock|locker|padlock|lock ?box|safe|intercom)\b[^.!?\n\d]{0,24}?"
    rf"\b(?:takes|wants|needs|expects|accepts)[^.!?\n\d]{{0,16}}?{_DIGITS}(?= then|[,.;!#]|\Z)",
    rf"{_DOOR}[^.!?\n\d]{{0,24}}?{_DEED} with {_TURNS}",
    rf"{_DOOR},?[^.!?\n\d]{{0,12}}? (?:i|we) (?:use|used|set|picked|chose)"
    rf"[^.!?\n\d]{{0,8}}? {_DIGITS}",
    r"\b(?:our|my|the|her|his|their|front|back|side|main|\w{1,20}'s)(?: \w{1,12})?"
    rf" (?:alarm|gate|door|garage|lockbox|safe|locker)[:=] {_DIGITS}",
    rf"{_DOOR}[^.!?\n\d]{{0,40}}?{_DIGITS} (?:opens|unlocks) (?:it|them|that)\b",
    rf"\b(?:it's|it is|try) {_DIGITS} (?:for|at|on) (?:the|our|my|her|his|their)"
    rf"(?: \w{{1,16}}){{0,2}} {_DOOR}",
    rf"{_CODE}[^.!?\n\d]{{0,24}}?, (?:then |just )?{_ENTERED}[^.!?\n\d]{{0,12}}?{_DIGITS}",
    r"\b(?:bike|luggage|suitcase|gym|gate|garage|shed|door|combination|pad) ?(?:lock|padlock)s?"
    r"(?: is| was)?(?: now)?(?: set to|:| =| to) (?P<value>\d(?:-\d){2,5}|\d{4,6})(?![.,:/-]?\w)",
)
"""A number beside a door and a word for what opens it, in any order."""
PHRASE_WORD = (
    r"(?:seed|recovery|backup|secret|mnemonic|wallet) ?(?:phrase|words|seed)|mnemonic|passphrase"
    r"|pass phrase|(?P<any>password)"
)
PHRASE = r"[a-z]{3,8}(?: {1,2}[a-z]{3,8}){11,23}(?![\w'-])"
"""A wallet seed: 12 to 24 words of 3 to 8 letters (BIP-39)."""
DICEWARE = r"[a-z]{3,12}(?: [a-z]{3,12}){3,7}(?=[.,;!\"'`\n]|\s*+\Z)"

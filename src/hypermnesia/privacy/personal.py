"""Personal data: e-mail, phone, payment card, IBAN, national and passport numbers, IP address.

RE2 finds what may be one; check digits, registries and the text beside it decide.
"""

from __future__ import annotations

from collections.abc import Iterator

from hypermnesia.privacy.plain import Plain
from hypermnesia.privacy.rule import Rule, regex_of
from hypermnesia.privacy.scan import Finding, compiled

_VERSIONED = r"(?i:\bv|version|release|build)[ =:]{0,2}\Z"
# Card number prefixes by network, ISO/IEC 7812 issuer identification numbers, with their lengths.
_ISSUERS = (
    r"4\d{15}|4\d{12}(?!\d)|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}"
    r"|3[47]\d{13}|(?:6011|64[4-9]\d|65\d\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}"
    r"|3(?:0[0-5]|[68]\d)\d{11}|62\d{14}"
)
# Length of an IBAN by country: the SWIFT IBAN registry (ISO 13616).
_IBAN_LENGTHS = (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28"
    " EE20 EG29 ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26"
    " IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30"
    " NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27 ST25 SV28 TL23"
    " TN24 TR26 UA29 VA22 VG24 XK20"
)


def _is_issued(value: str) -> bool:
    """Social security numbers that are given out (SSA, randomization of 2011)."""
    area, group, serial = compiled(r"\D").sub("", value)[:3], value[-7:-5], value[-4:]
    return area not in {"000", "666"} and area < "900" and group != "00" and serial != "0000"


EMAIL = Rule(
    "email",
    "personal",
    ("@",),
    # "?" is what a letter that is not ASCII becomes: addresses may hold them (RFC 6531).
    r"(?:^|[^\w.%+?-])([\w.%+?-]{1,64}@(?:[A-Za-z0-9?](?:[A-Za-z0-9?-]{0,62})?\.){1,8}[A-Za-z]{2,24})"
    r"(?:[^\w-]|$)",
    glued=False,
    matches=(
        "write to «ana.lopez+news@mail.example.co.uk» please",
        "(«bob@example.com»)",
        "<«j\u00fcrgen@m\u00fcller-bau.de»>",
        "who?«ana@example.com»",
    ),
    misses=("@ana and user@localhost", "git@github"),
)
PHONE = Rule(
    "phone",
    "personal",
    (),
    r"(?:^|[^\w.+/=-])(?:"
    r"((?:\+|00)[1-9]\d{0,2}(?:[ .()/-]{0,2}\d){6,13}"  # international: ITU-T E.164
    r"|(?:\([2-9]\d\d\) ?|[2-9]\d\d[-. ])[2-9]\d\d[-. ]\d{4}"  # North American numbering plan
    r"|\(?0\d{1,4}\)?[ /-]\d{3,4}(?:[ -]?\d{2,6}){1,3}))",  # a national trunk prefix
    glued=False,
    matches=(
        "call «+49 30 1234567» now",
        "call «(415) 555-2671».",
        "«415-555-2671» is the office",
        "from Berlin 030 is «030 1234567»",
    ),
    misses=("the range is 100-200-3000", "call the function at line 1234567"),
)
CALLED = Rule(
    "phone",
    "personal",
    (),
    r"(?i)(?:^|[^a-z])(?:phone|telephone|tel|mobile|cell|cellphone|whatsapp|handy|fax|sms"
    r"|call me at|reach me at|text me at|ring me on|ring)(?: (?:number|no))?[.:#]{0,2}"
    r"(?: (?:is|was|at|to|on|number|now)){0,3}[ :]{0,3}"
    r"(\+?\d(?:[ .()/-]{0,2}\d){6,14})(?:[^\w]|$)",
    glued=False,
    matches=("my phone number is «5552671234»", "WhatsApp: «0049 171 1234567»"),
    misses=("phone 12", "the phone has 128 GB"),
)
SSN = Rule(
    "ssn",
    "personal",
    (),
    r"(?:^|[^\w.-])(\d{3}-\d{2}-\d{4})(?:[^\w-]|$)",
    check=_is_issued,
    glued=False,
    matches=("SSN «536-22-8745»",),
    misses=("000-12-3456", "666-12-3456", "123-45-67890"),
)
NAMED_ID = Rule(
    "national-id",
    "personal",
    (),
    r"(?i)(?:ssn|social security(?: (?:number|no))?|national insurance(?: (?:number|no))?"
    r"|nino|tax id|steuer-?id|sin)[.:#]{0,2}(?: (?:is|was|number))?[ :#]{1,3}"
    r"(\d{9}|[A-Z]{2} ?\d\d ?\d\d ?\d\d ?[A-D]|\d{3} \d{2} \d{4}|\d{11}"
    r"|\d\d \d{3} \d{3} \d{3})(?:[^\w]|$)",
    glued=False,
    matches=("social security number: «536228745»", "NINO: «QQ 12 34 56 C»"),
    misses=("sin 30 is one half",),
)
PASSPORT = Rule(
    "passport",
    "personal",
    (),
    r"(?i)(?:passport|reisepass|passeport|pasaporte)(?:[ -]?(?:number|no|nr|num|#|id|nummer))?"
    r"[.:#]{0,2}(?: (?:is|was|of|number|reads)){0,2}[ :#]{1,3}"
    r"([A-Z]{0,3}\d[A-Z0-9]{5,8})(?:[^\w-]|$)",
    glued=False,
    matches=("my passport number is «C01X00T47»", "Passport No. «536228745»"),
    misses=("passport expires in 2031", "passport 10 years"),
)
PLAIN_RULES = (EMAIL, PHONE, CALLED, SSN, NAMED_ID, PASSPORT)
"""Rules whose pattern says all."""

# Where a number may begin; the next may start inside the reach of this one.
_CARD = r"[2-6](?:[ -]?\d){12,18}"
_IBAN = r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}"
_IPV4 = r"\d{1,3}(?:\.\d{1,3}){3}"
_IPV6 = r"[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:]{1,38}(?:\d{1,3}(?:\.\d{1,3}){3})?"


def find_personal(plain: Plain) -> Iterator[Finding]:
    """Personal data in a text; a number counts only if its own check digits agree."""
    if b"@" in plain.data:
        yield from _by_pattern(EMAIL, plain)
    if regex_of(r"\d").search(plain.data):
        yield from _find_cards(plain)
        yield from _find_ibans(plain)
        yield from _find_addresses(plain)
        for rule in PLAIN_RULES[1:]:
            yield from _by_pattern(rule, plain)


def _by_pattern(rule: Rule, plain: Plain) -> Iterator[Finding]:
    former = -1
    for first, end in rule.spans(plain.data):
        start = max(first, plain.text.rfind("?", first, end) + 1)  # a sign, and no letter
        followed = compiled(r"[\w-]|[.:]\d").match(plain.text, end) is not None
        # Digits and a blank before it make a number the end of a longer one, unless those are a
        # number found already: else a row of them would come to light one by one.
        led = compiled(r"\d ").match(plain.text, max(0, start - 2)) is not None
        if rule is PHONE and (followed or (led and former != start - 1)):
            continue
        if rule.accepts(plain.text[start:end]):
            former = end
            yield Finding(rule.name, start, end)


def _starts(pattern: str, plain: Plain) -> Iterator[tuple[int, str]]:
    """Every word at which the pattern matches, and what it matches there."""
    regex, position = regex_of(pattern), 0
    while (match := regex.search(plain.data, position)) is not None:
        start, end = match.span()
        before = plain.text[max(0, start - 1) : start]
        if not (before.isalnum() and before.isascii()):
            yield start, plain.text[start:end]
        step = compiled(r"\w+\W?").match(plain.text, start)
        position = max(step.end() if step else 0, start + 1)


def _find_cards(plain: Plain) -> Iterator[Finding]:
    for start, text in _starts(_CARD, plain):
        number = compiled(_ISSUERS).match(text.replace(" ", "").replace("-", ""))
        if number is None or plain.text[max(0, start - 1) : start] in {".", "-"}:
            continue
        end = start + _end_of(text, len(number[0]))
        if not plain.text[end : end + 1].isalnum() and _luhn(number[0]):
            yield Finding("card", start, end)


def _luhn(digits: str) -> bool:
    """The mod-10 check of ISO/IEC 7812-1, annex B."""
    doubled = (int(d) * 2 for d in digits[-2::-2])
    return (sum(map(int, digits[::-2])) + sum(d - 9 * (d > 9) for d in doubled)) % 10 == 0  # noqa: PLR2004 - digit sum


def _find_ibans(plain: Plain) -> Iterator[Finding]:
    """Candidates are cut to their country's length: a BIC or a word may follow."""
    for start, text in _starts(_IBAN, plain):
        place = _IBAN_LENGTHS.find(text[:2])
        if place < 0:
            continue
        end = _end_of(text, int(_IBAN_LENGTHS[place + 2 : place + 4]))
        if end and not plain.text[start + end : start + end + 1].isalnum() and _mod97(text[:end]):
            yield Finding("iban", start, start + end)


def _end_of(text: str, length: int) -> int:
    """Offset past the ``length``-th letter or digit, 0 if there are fewer."""
    places = [i for i, c in enumerate(text, 1) if c.isalnum()]
    return places[length - 1] if len(places) >= length else 0


def _mod97(iban: str) -> bool:
    """The check of ISO 7064 (mod 97-10) as ISO 13616 applies it."""
    compact = iban.replace(" ", "")
    return int("".join(str(int(c, 36)) for c in compact[4:] + compact[:4])) % 97 == 1


def _find_addresses(plain: Plain) -> Iterator[Finding]:
    """IP addresses that may identify somebody: not loopback, unspecified or a mask."""
    if b"." not in plain.data and b":" not in plain.data:
        return
    from ipaddress import ip_address  # noqa: PLC0415 - loaded only when personal data is masked

    for pattern in (_IPV4, _IPV6):
        for match in regex_of(pattern).finditer(plain.data):
            start, end = match.span()
            if not _is_alone(plain.text, start, end, "." if pattern is _IPV4 else ":."):
                continue
            try:
                address = ip_address(plain.text[start:end])
            except ValueError:
                continue
            if address.is_loopback or address.is_unspecified or address.packed[0] == 255:  # noqa: PLR2004 - a mask
                continue
            if not _looks_like_code(plain.text[start:end]) and not _is_version(plain.text, start):
                yield Finding("ip-address", start, end)


def _is_alone(text: str, start: int, end: int, joints: str) -> bool:
    """Whether an address is no part of a longer word or number."""
    before, after = text[max(0, start - 1) : start], text[end : end + 2]
    led = before.isalnum() or (before != "" and before in f"_-{joints}")
    followed = compiled(r"[\w-]|[.:]\w").match(after) is not None
    return not (led or followed)


def _looks_like_code(address: str) -> bool:
    """``a::b`` is a path in Rust before it is an address."""
    groups = [group for group in address.split(":") if group]
    return ":" in address and len(groups) < 4 and not any(map(str.isdigit, address))  # noqa: PLR2004


def _is_version(text: str, start: int) -> bool:
    return compiled(_VERSIONED).search(text, max(0, start - 12), start) is not None

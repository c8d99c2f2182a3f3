"""Personal data: e-mail, phone, payment card, IBAN and IP address."""

from __future__ import annotations

from collections.abc import Iterator

from hypermnesia.privacy.scan import Finding, compiled

_EMAIL = (
    r"(?<![\w.%+-])[\w.%+-]{1,64}+@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}(?<!-))?\.){1,8}"
    r"[A-Za-z]{2,24}(?![\w-])"
)
_PHONE = (
    r"(?<![\w.+/=-])(?<!\d )(?:"
    r"(?:\+|00)[1-9]\d{0,2}(?:[ .()/-]{0,2}\d){6,13}"  # international: ITU-T E.164
    r"|(?:\([2-9]\d\d\) ?|[2-9]\d\d[-. ])[2-9]\d\d[-. ]\d{4}"  # North American numbering plan
    r"|\(?0\d{1,4}\)?(?:[ /]|-)\d{3,4}(?:[ -]?\d{2,6}){1,3}"  # a national trunk prefix
    r")(?![\w-]|[.:]\d)"
)
_CALLED = (
    r"(?i:(?<![a-z])(?:phone|telephone|tel|mobile|cell|cellphone|whatsapp|handy|fax|sms|call me at"
    r"|reach me at|text me at)(?: (?:number|no))?)[.:#]{0,2}"
    r"(?: (?:is|was|at|to|on|number|now)){0,3}[ :]{0,3}"
    r"(?P<number>\+?\d(?:[ .()/-]{0,2}\d){6,14})(?!\w)"
)
# Candidates are looked at, not consumed: the next number may start inside the reach of this one.
_CARD = r"(?<![\w.-])(?=([2-6](?:[ -]?\d){12,18}))"
_IBAN = r"(?<![A-Za-z0-9])(?=([A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}))"
_IPV4 = r"(?<![\w.-])\d{1,3}(?:\.\d{1,3}){3}(?![\w-]|\.\w)"
_IPV6 = r"(?<![\w:.])[0-9A-Fa-f:]{3,39}(?:\d{1,3}(?:\.\d{1,3}){3})?(?![\w:])"
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


def find_personal(text: str) -> Iterator[Finding]:
    """Personal data in a text; a number counts only if its own check digits agree."""
    if "@" in text:
        yield from (Finding("email", *m.span()) for m in compiled(_EMAIL).finditer(text))
    if any(digit in text for digit in "0123456789"):
        yield from _find_cards(text)
        yield from _find_ibans(text)
        yield from _find_addresses(text)
        yield from _find_phones(text)


def _find_cards(text: str) -> Iterator[Finding]:
    for match in compiled(_CARD).finditer(text):
        number = compiled(_ISSUERS).match(match[1].replace(" ", "").replace("-", ""))
        if number is None:
            continue
        end = _end_of(match[1], len(number[0]))
        whole = not text[match.start() + end : match.start() + end + 1].isalnum()
        if whole and _luhn(number[0]):
            yield Finding("card", match.start(), match.start() + end)


def _luhn(digits: str) -> bool:
    """The mod-10 check of ISO/IEC 7812-1, annex B."""
    doubled = (int(d) * 2 for d in digits[-2::-2])
    return (sum(map(int, digits[::-2])) + sum(d - 9 * (d > 9) for d in doubled)) % 10 == 0  # noqa: PLR2004 - digit sum


def _find_ibans(text: str) -> Iterator[Finding]:
    """Candidates are cut to their country's length: a BIC or a word may follow."""
    for match in compiled(_IBAN).finditer(text):
        place = _IBAN_LENGTHS.find(match[1][:2])
        if place < 0:
            continue
        end = _end_of(match[1], int(_IBAN_LENGTHS[place + 2 : place + 4]))
        if end and not match[1][end : end + 1].isalnum() and _mod97(match[1][:end]):
            yield Finding("iban", match.start(), match.start() + end)


def _end_of(text: str, length: int) -> int:
    """Offset past the ``length``-th letter or digit, 0 if there are fewer."""
    places = [i for i, c in enumerate(text, 1) if c.isalnum()]
    return places[length - 1] if len(places) >= length else 0


def _mod97(iban: str) -> bool:
    """The check of ISO 7064 (mod 97-10) as ISO 13616 applies it."""
    compact = iban.replace(" ", "")
    return int("".join(str(int(c, 36)) for c in compact[4:] + compact[:4])) % 97 == 1


def _find_addresses(text: str) -> Iterator[Finding]:
    """IP addresses that may identify somebody: not loopback, unspecified or a mask."""
    if "." not in text and ":" not in text:
        return
    from ipaddress import ip_address  # noqa: PLC0415 - loaded only when personal data is masked

    for pattern in (_IPV4, _IPV6):
        for match in compiled(pattern).finditer(text):
            try:
                address = ip_address(match[0])
            except ValueError:
                continue
            if address.is_loopback or address.is_unspecified or match[0].startswith("255."):
                continue
            if not _looks_like_code(match[0]) and not _is_version(text, match.start()):
                yield Finding("ip-address", *match.span())


def _looks_like_code(address: str) -> bool:
    """``a::b`` is a path in Rust before it is an address."""
    groups = [group for group in address.split(":") if group]
    return ":" in address and len(groups) < 4 and not any(map(str.isdigit, address))  # noqa: PLR2004


def _is_version(text: str, start: int) -> bool:
    return compiled(_VERSIONED).search(text, max(0, start - 12), start) is not None


def _find_phones(text: str) -> Iterator[Finding]:
    for match in compiled(_PHONE).finditer(text):
        yield Finding("phone", *match.span())
    for match in compiled(_CALLED).finditer(text):
        yield Finding("phone", *match.span("number"))

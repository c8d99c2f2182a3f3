"""Whether the value after a credential word is a secret or a part of speech."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from hypermnesia.privacy.scan import compiled, is_placeholder
from hypermnesia.privacy.vocabulary import (
    CODE,
    LONG_SUFFIXES,
    NUMBERED,
    PROSE,
    STATES,
    SUFFIXES,
    TECHNICAL,
)

Family: TypeAlias = Literal["password", "code", "pin", "token", "key"]
"""Which kind of word introduces a value, in falling order of trust in what follows."""

SHORTEST = 4
"""Characters of the shortest code (a four-digit PIN)."""
SHORT = 6
"""Characters of the shortest password or token (the corpus specification: 6-120)."""
LONG = 12
"""Characters from which a value without a digit may be a secret (the same)."""
RANDOM = 20
"""Characters a value needs after "key" alone, of which nothing says that it is secret."""
LONG_SOFT = 8
"""Characters a token or a code of letters needs when no "is" and no sign stands before it."""

_THING = (
    r"(?:"
    r"v?\d{1,6}(?:\.\d{1,6}){1,5}(?:[-+.]?[a-z]{1,8}\.?\d{0,6})?"  # a version
    r"|\d{4}[-/.]\d\d(?:[-/.]\d\d)?(?:t[\d:.+z-]{2,30})?"  # a date
    r"|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}|\d{1,2}:\d\d(?::\d\d)?(?:am|pm|z)?"
    r"|(?:fy|q[1-4]|h[12])[-/ ]?\d{2,4}|\d{4}[-/ ]?(?:q[1-4]|h[12])"
    r"|[\d.,]{1,12}[-_ ]?(?:[kmgtbsdhwyx%]|[kmgt]b|ms|min|mins|minutes?|hrs?|hours?|days?|weeks?"
    r"|months?|years?|chars?|characters?|bits?|bytes?|digits?|tokens?|rps|qps|rpm|tpm|usd|eur|th|st"
    r"|nd|rd|times|words?|requests?|users?|px|hz|am|pm)(?:[-/][a-z]{1,12})?"  # a quantity
    r"|[@#][a-z_.-]+|#[0-9a-f]{6}"  # a person, a channel, a colour
    r")"
)
_TICKET = r"[A-Z][A-Z0-9]{1,9}[-#]\d{1,6}|(?i:pr|mr|issue|order|bug|ticket|invoice|no)?#\d{1,7}"
_NUMBER = r"#?\*?\d[\d.,:/ -]*[#*]?"
_CODE_EXPRESSION = (
    r"[a-z_][\w.]{0,80}[(\[]|\$|[{(<\[%]|[a-z_]\w*(?:\.[a-z_]\w*)+;?\Z|[a-z_]\w{0,60}(?:->|::)"
)
_LOCATION = (
    r"[\w.+-]{1,20}://|(?:[a-z_.-]{2,12}|s3):[a-z-]+/|arn:|op:|(?:\.{1,2}|~)?/[\w.-]+(?:/[\w.*-]*)*\Z"
    r"|[\w./-]{1,120}\.(?:py|[jt]sx?|json|ya?ml|toml|md|txt|sh|go|rs|java|env|pem|crt|cfg|ini|sql|html"
    r"|css|lock|xml|csv|log|tf|kt|rb|php|c|h|cc|cpp|proto|service|local|com|net|org|io|dev)(?::\d+)?\Z"
    r"|[a-z][a-z_-]*(?:/[a-z][\w-]*)+\Z"
)
_VALIDATION = r"(?:[a-z_]{3,20}(?::[\w,]{1,20})?\|)+[a-z_]{3,20}(?::[\w,]{1,20})?\Z"
"""A list of checks, as frameworks write them: ``required|string|min:8``."""
_TEMPLATE = r"\s*(?:\$[({]|\{\{|\{%|<%|%\()"
_EMAIL = r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}\Z"
_SYMBOL = r".[!@#$%^&*+=?~|].|[!@#$%^&*+=?~|]{2}"
_IDENTIFIER = r"[a-z]{2,}(?:[-_./][a-z]+)*(?:[-_./]v?\d{1,4})?(?:[-_./][a-z]{2,})*\Z"
_RANDOM = r"(?![0-9a-f]{8}-)(?=.*\d.*\d)[\w+/=.-]+\Z"
_TYPE = (
    r"(?:[A-Z][A-Za-z]{0,30}\d{0,5}){1,6}?(?:Keys?|Passwords?|Buffer|Credentials?|Tokens?|Secrets?"
    r"|Str|String|Field|Input|Provider|Manager|Handler|Config|Settings|Type|Callback|Error"
    r"|Exception|Request|Response|Store|Encoder|Validator|Policy|Generator|Service|Helper)\Z"
)
_TERMS = TECHNICAL | NUMBERED
_TERM_DIGITS = 5  # as in ed25519
_YEARLY = ("cve", "cwe", "rfc", "iso", "nist", "fy", "windows", "year")
_CODES = ("code", "pin")
_NEVER_WORDS = (*_CODES, "key")
_NAMES = r"(?<![a-z])(?:keys?|tokens?|secrets?|passw|pwd|creds?|auth)(?![a-z])"


class Context(NamedTuple):
    """How a value was introduced.

    Attributes:
        family: the kind of word before it.
        explicit: an "is", a sign or a "changed to" stands between the word and the value.
        by_word: it is no "to", so that even a plain word may be the value.
        quoted: the value stands in quotes.
        final: the value ends its clause.
        english: the word is English, so that English vocabulary can be told from a secret.
    """

    family: Family
    explicit: bool
    by_word: bool
    quoted: bool
    final: bool
    english: bool


def plausible(value: str, context: Context) -> bool:
    """Whether ``value`` (not empty, unquoted) is a secret in this context."""
    low = value.lower()
    if len(value) < SHORTEST or is_placeholder(value) or not _has_ascii_body(low):
        return False
    if compiled(_NUMBER).fullmatch(low):
        return _plausible_number(low, context)
    if _is_too_short(low, context) or _is_thing(value, low) or _is_expression(value, low, context):
        return False
    if _has_digit(low):
        return _plausible_mixed(value, low, context)
    if is_drawn(value) or (context.family == "password" and _is_diceware(low, context)):
        return True
    return context.by_word and _plausible_letters(value, low, context)


def _is_too_short(low: str, context: Context) -> bool:
    """Codes may have four characters; so may a password with a symbol, or a digit and quotes."""
    if len(low) >= SHORT or context.family in _CODES or compiled(_SYMBOL).search(low):
        return False
    return not (context.family == "password" and context.quoted and _has_digit(low))


def _is_thing(value: str, low: str) -> bool:
    """A version, a date, a quantity, a ticket: things that carry digits and are no secret."""
    return bool(compiled(_THING).fullmatch(low) or compiled(_TICKET).fullmatch(value))


def _plausible_number(low: str, context: Context) -> bool:
    """Bare digits open doors and phones; beside "token" or "secret" they only count something."""
    digits = [c for c in low if c.isdigit()]
    if (
        context.family in {"token", "key"}
        or len(digits) < SHORTEST
        or compiled(_THING).fullmatch(low)
    ):
        return False
    return context.explicit or context.family in _CODES or (context.final and low.isdigit())


def _is_expression(value: str, low: str, context: Context) -> bool:
    if compiled(rf"{_LOCATION}|{_VALIDATION}").match(low) or (
        not context.explicit and compiled(_EMAIL).match(low)
    ):
        return True
    if context.quoted:
        return False
    if is_type_name(value):
        return True
    return compiled(_CODE_EXPRESSION).match(low) is not None and not _is_dotted(low, context)


def _is_dotted(low: str, context: Context) -> bool:
    """``n3ttle.soup``: digits amid letters, as in passwords, and no part that names code."""
    parts = low.split(".")
    return (
        context.family == "password"
        and context.explicit
        and len(parts) == 2  # noqa: PLR2004 - a name in code is often longer
        and any(compiled(r"\w*[a-z]\d[a-z]\w*\Z").match(part) for part in parts)
        and not any(_is_technical(part, _TERMS) for part in parts)
        and compiled(_NAMES).search(low) is None
        and STATES.isdisjoint(parts)
        and CODE.isdisjoint(parts)
    )


def _plausible_mixed(value: str, low: str, context: Context) -> bool:
    """A value with a digit: a secret unless it is a technical term or an identifier."""
    certain = context.family == "password" and context.explicit
    known = _is_technical(low, TECHNICAL if certain else _TERMS)
    if context.family == "pin" or (known and not compiled(_SYMBOL).search(low)):
        return False
    match context.family:
        case "code":
            mixed = not value.islower() or (len(low) >= LONG_SOFT and _digits(low) > 1)
            return context.explicit or mixed
        case "password":
            composed = _digits(low) > 1 and any(c.isupper() for c in value)
            named = compiled(_IDENTIFIER).match(low) and "-" in low
            return (
                context.explicit
                or composed
                or not named
                or (context.quoted and len(low) >= LONG_SOFT)
            )
        case _:
            return _plausible_token(value, low, context)


def _plausible_token(value: str, low: str, context: Context) -> bool:
    """Beside "token" or "key" stand names and settings more often than secrets."""
    if compiled(_IDENTIFIER).match(value) and compiled(r"[-_./]").search(value):
        return False
    if context.family == "key":
        return (
            context.explicit and len(value) >= RANDOM and compiled(_RANDOM).match(low) is not None
        )
    if compiled(_NAMES).search(low) and len(value) < LONG * 2:
        return False
    return context.explicit or (len(value) >= LONG_SOFT and _digits(low) > 1)


def _is_technical(low: str, terms: frozenset[str]) -> bool:
    """``sha-256-hashed``, ``oauth2/oidc``: every part is a word or a term with a number."""
    parts = [part for part in compiled(r"[^a-z0-9]+").split(low) if part]
    names = [compiled(r"\d+").sub("", part) for part in parts]
    for part, name in zip(parts, names, strict=True):
        digits = len(part) - len(name)
        if digits and name and not (name in terms and _is_term(part, digits)):
            return False
        if not name and digits > 3 and parts[0] not in _YEARLY:  # noqa: PLR2004 - "aes-256"
            return False
    return not terms.isdisjoint(names)


def _is_term(part: str, digits: int) -> bool:
    """``ed25519`` and ``2fa`` are spelt like terms; ``40ss1`` and ``x1234567`` are not."""
    single = len(part) - digits == 1
    return digits <= _TERM_DIGITS - 2 * single and (part[0].isalpha() or part[-1].isalpha())


def _plausible_letters(value: str, low: str, context: Context) -> bool:
    """A value without a digit, after an "is" or a sign."""
    value, low = value.rstrip("!?"), low.rstrip("!?")
    if context.family == "password" and compiled(_SYMBOL).search(low):
        return True
    if compiled(r"[-_./]").search(low):
        return False
    if not (context.english and value.isalpha()) or low in STATES or context.family in _NEVER_WORDS:
        return False
    if len(value) >= LONG and not compiled(rf"\w*(?:{LONG_SUFFIXES})\Z").match(low):
        return not compiled(r"(?:[A-Z][a-z]+){2,}\Z").match(value) or context.family == "password"
    if context.family != "password" or not (context.final or context.quoted):
        return False
    return not compiled(rf"\w*(?:{SUFFIXES})\Z").match(low)


def _is_diceware(low: str, context: Context) -> bool:
    """Four words and more in a row, none of them about passwords."""
    words = compiled(r"[-_.]").split(low)
    if len(words) < 4 or not all(word.isalpha() and len(word) > 2 for word in words):  # noqa: PLR2004
        return False
    return (PROSE if context.explicit else PROSE | STATES | _TERMS).isdisjoint(words)


def is_drawn(value: str) -> bool:
    """Letters drawn at random: capitals strewn among small ones as in no word and no name."""
    letters = "".join(c for c in value if c.isalpha())
    if len(letters) < LONG or letters.islower() or letters.isupper():
        return False
    if compiled(r"(?i)[bcdfghjklmnpqrstvwxz]{7}").search(letters):
        return True
    # Random letters go from small to capital every fourth time; in names, words lie between.
    changes = len(compiled(r"[a-z][A-Z]").findall(letters))
    return changes * 6 >= len(letters) and not compiled(
        r"(?:(?:[A-Z]?[a-z]{2,16}|In|To|By|Id|Of|On|Is|As|At|Or|No|Up|Db|Io|Ip|Ui)[-_.]?)++\Z"
    ).match(value)


def is_strong(value: str) -> bool:
    """Whether a value looks like a password wherever it stands.

    It has letters, digits and a symbol, or mixes capitals, small letters and digits.
    """
    low = value.lower()
    if len(value) < SHORT + 1 or not value.isascii() or not _has_digit(low) or low.isdigit():
        return False
    if is_placeholder(value) or _is_thing(value, low) or is_type_name(value):
        return False
    if compiled(_LOCATION).match(low) or compiled(_EMAIL).match(low) or _is_technical(low, _TERMS):
        return False
    if compiled(r"(?i)[a-z0-9_-]+[!@#$%^&*~][\w!@#$%^&*~-]*\Z").match(value):
        return True
    mixed = not (value.islower() or value.isupper()) and _digits(low) > 1
    return mixed and compiled(r"[\w-]{8,}\Z").match(value) is not None


def is_made_up(value: str) -> bool:
    """Whether a digit stands for a letter of a word, as in ``h0llyBush``: no name, but a password.

    "2" and "4" say "to" and "for" in names (``str2int``), so they count only beside another digit.
    """
    low = value.lower()
    letters = sum(c.isalpha() for c in value)
    if letters < SHORT - 1 or "passw" in low or not compiled(r"[\w!@#$%^&*-]{7,40}\Z").match(value):
        return False
    if not compiled(r"(?:\w*[a-z])?[013-9][a-z]{2}\w*|\w*[a-z]{2}[013-9][a-z]").match(low):
        return False
    if compiled(r"(?i)[0-9a-f-]+\Z").match(value) or is_placeholder(value) or is_type_name(value):
        return False
    first = compiled(r"\d").split(low, 1)[0]
    if len(first) > 1 and first in _TERMS:
        return False  # "utf8decode"
    return not (_is_thing(value, low) or _is_technical(low, _TERMS))


def is_type_name(value: str) -> bool:
    """``Ed25519PrivateKey``, ``ClientCredentials``: what annotations and classes are called."""
    return compiled(_TYPE).match(value) is not None


def is_template(value: str) -> bool:
    """Whether a value only says what is to be put in its place: ``$(pass show db)``."""
    return compiled(_TEMPLATE).match(value) is not None


def _has_ascii_body(low: str) -> bool:
    """Secrets are typed on a keyboard; prose of other scripts runs on without blanks."""
    return sum(c.isascii() for c in low) * 2 > len(low)


def _has_digit(low: str) -> bool:
    return _digits(low) > 0


def _digits(low: str) -> int:
    return sum(c.isdigit() for c in low)

"""A value at a place of a text: where it ends, and whether it is a secret there.

:mod:`hypermnesia.privacy.credentials` looks for the places.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import NamedTuple

from hypermnesia.privacy import keywords
from hypermnesia.privacy.owners import is_english
from hypermnesia.privacy.plausible import (
    Context,
    Family,
    is_drawn,
    is_made_up,
    is_strong,
    is_template,
    plausible,
)
from hypermnesia.privacy.scan import compiled, end_of, folded_pattern
from hypermnesia.privacy.vocabulary import PROSE

QUOTES = frozenset("\"'`")
JUDGED = 200
"""Characters of a value by which it is judged; one that goes on is masked to its end."""
REACH = 100
"""Characters after a credential word in which a strong password is looked for."""
WORDS = 8
"""Words after a credential word among which a strong password is looked for."""


# Named tuples, because a scan makes many and they cost a tenth of a frozen dataclass to define.


class Page(NamedTuple):
    """A text and its folded form, of equal length, and the word that is looked at."""

    text: str
    folded: str
    word: re.Match[str]
    family: Family


class Link(NamedTuple):
    """What stands between word and value; see :class:`~hypermnesia.privacy.plausible.Context`."""

    explicit: bool
    by_word: bool = False
    assigned: bool = False


SIGN = Link(explicit=True, by_word=True, assigned=True)
"""A plain sign of assignment."""


class Value(NamedTuple):
    """A value's place, whether it stood in quotes, and whether a sign assigned it."""

    start: int
    end: int
    quoted: bool = False
    assigned: bool = False


def read(page: Page, start: int, link: Link) -> Value | None:
    """The secret at ``start``, if one is there."""
    numbered = link.explicit and page.word[0].startswith(("passcode", "pass code"))
    if (page.family in {"code", "pin"} or numbered) and (
        end := end_of(keywords.DIGITS, page.folded, start)
    ) > start:
        digits = page.folded[start:end]
        if folded_pattern(keywords.COUNTED).match(page.folded, end):
            return None
        if digits[0].isalpha() or " " in digits or is_secret(page, Value(start, end), link):
            return Value(start, end)
    value = _quoted(page.text, start) or _bare(page, start, link.explicit)
    if value is None or not is_secret(page, value, link) or _is_counted(page, value):
        return None
    if value.quoted or value.end - value.start < JUDGED:
        return value
    return Value(start, end_of(keywords.BARE_REST, page.text, value.end))


def _is_counted(page: Page, value: Value) -> bool:
    """``low-pass: 1200 Hz`` tells how much of something."""
    counted = folded_pattern(keywords.COUNTED).match(page.folded, value.end) is not None
    return counted and page.text[value.start : value.end].isdigit()


def is_secret(page: Page, value: Value, link: Link) -> bool:
    """Whether a value is a secret after its word and what stands between them."""
    found, word = page.text[value.start : value.end], page.word[0]
    if not link.explicit and found.isalpha() and not is_drawn(found):
        return False  # the common case in prose: "token bucket"
    if value.quoted and any(c.isspace() for c in found):
        given = link.explicit or word.startswith("passphrase")
        return (
            given and page.family == "password" and not is_template(found) and _is_passphrase(found)
        )
    final = folded_pattern(keywords.CLAUSE_END).match(page.folded, value.end) is not None
    spelt = word.replace(" ", "").replace("-", "").replace("_", "")
    explicit = link.explicit or (found.isdigit() and spelt.startswith(("passc", "passk")))
    context = Context(
        page.family, explicit, link.by_word, value.quoted, final, english=is_english(word)
    )
    return plausible(found, context)


def _quoted(text: str, start: int) -> Value | None:
    """The inside of quotes that open at ``start``, escaped ones included."""
    start = end_of(keywords.WRAPPER, text, start)
    start = end_of(keywords.STRING_PREFIX, text, start)
    if text[start : start + 1] not in QUOTES | {"\\"}:
        return None
    for pattern in (keywords.QUOTED, keywords.ESCAPED):
        if match := folded_pattern(pattern).match(text, start):
            return Value(*match.span(match.lastgroup or 0), quoted=True)
    return None


def _bare(page: Page, start: int, explicit: bool) -> Value | None:
    """The run of characters at ``start`` without the punctuation that closes a sentence."""
    start += page.text[start : start + 1] in QUOTES  # a quote that is never closed
    match = folded_pattern(keywords.BARE_START).match(page.text, start)
    if match is None or not (explicit or match[0][0].isalnum() or match[0][0] in "#*@$"):
        return None
    cut = folded_pattern(keywords.CUT).search(match[0])
    value = (match[0][: cut.start()] if cut else match[0]).rstrip(".,;:?)]}>")
    return Value(start, start + len(value)) if value else None


def nearby(page: Page, reach: int) -> Value | None:
    """A value in the same line that looks like nothing but a password: "..., Blue-Tram-99!"."""
    start, end = page.word.span()
    first = max(reach, page.text.rfind("\n", 0, start) + 1, start - REACH)
    if page.family != "password" or not compiled(r"\d").search(page.text, first, end + REACH):
        return None
    words = folded_pattern(keywords.WORD)
    for word in islice(words.finditer(page.text, end), WORDS):
        value = _trimmed(word)
        if not page.text[end : value.start].isprintable():
            break  # another line
        if _looks_secret(page.text[value.start : value.end]):
            return value
        if word[0].endswith((".", "!", "?", ";")):
            break
    for word in words.finditer(page.text, first, start):
        value = _trimmed(word)
        if is_made_up(page.text[value.start : value.end]):
            return value
    return None


def _trimmed(word: re.Match[str]) -> Value:
    """A word without the punctuation round it."""
    value = word[0].strip(".,;:?()[]{}|=")
    start = word.start() + word[0].find(value)
    return Value(start, start + len(value))


def _looks_secret(value: str) -> bool:
    return is_strong(value) or is_made_up(value)


def _is_passphrase(value: str) -> bool:
    """Several words in quotes: a passphrase unless they are a sentence about one."""
    words = value.lower().split()
    if not PROSE.isdisjoint(words):
        return False
    return 3 <= len(words) <= 8 or any(c.isdigit() for c in value)  # noqa: PLR2004 - diceware

"""Secrets that are recognised by the words around them.

``the wifi password is ...``, ``DB_PASSWORD=...``, ``"apiKey": "..."``, ``door code 4821``,
``... is the new passphrase``: a credential word, at most five linking words or signs, and
a value that is plausible as a secret. The words are looked up in the folded text, the value
is read from the original.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from hypermnesia.privacy import keywords
from hypermnesia.privacy.owners import family_of, is_english
from hypermnesia.privacy.plain import Plain
from hypermnesia.privacy.plausible import (
    Context,
    Family,
    is_drawn,
    is_made_up,
    is_strong,
    is_template,
    plausible,
)
from hypermnesia.privacy.rule import regex_of
from hypermnesia.privacy.scan import Finding, compiled, end_of, folded_pattern
from hypermnesia.privacy.vocabulary import PROSE

RULE = "credential"
"""A value that a sign or a syntax assigns: ``PASSWORD=...``, ``"apiKey": "..."``."""
SPOKEN = "spoken-secret"
"""A value that a sentence gives away: ``the wifi password is ...``, ``door code 4821``."""
MOST_VALUES = 64
"""Values that may follow one credential word ("backup codes: a, b, c")."""
QUOTES = frozenset("\"'`")
JUDGED = 200
"""Characters of a value by which it is judged; one that goes on is masked to its end."""
REACH = 100
"""Characters after a credential word in which a strong password is looked for."""
WORDS = 8
"""Words after a credential word among which a strong password is looked for."""
LOOK_BACK = 120
"""Characters before a credential word in which "... is the password" is looked for."""


def find_credentials(plain: Plain) -> Iterator[Finding]:
    """Values that the words around them give away, left to right, without overlap."""
    text, folded, reach = plain.text, plain.folded, 0
    for word in _words(folded):
        family = family_of(text, word)
        if family is None or word.start() < reach:
            continue
        for value in _values(_Page(text, folded, word, family), reach):
            yield Finding(RULE if value.assigned else SPOKEN, value.start, value.end)
            reach = value.end


def _words(folded: str) -> Iterator[re.Match[str]]:
    """The credential words of a text: found by RE2, read with what stands round them."""
    read, heads, data = folded_pattern(keywords.KEYWORD), regex_of(keywords.HEAD), folded.encode()
    seen = at = 0  # one place, in bytes and in characters
    while (head := heads.search(data, seen)) is not None:
        start = head.start()
        at += start - seen if len(data) == len(folded) else len(data[seen:start].decode())
        word = read.match(folded, at)
        if word is not None:
            yield word
        # What begins no word may overlap one that is: "otp" in "rootPassword".
        step = 1 if word is None else len(word[0].encode())
        seen, at = start + step, at + (1 if word is None else len(word[0]))


def is_secret_under(key: str, value: str) -> bool:
    """Whether ``value`` is a secret because of the name it is stored under.

    The name must end with the credential word: ``db_password``, ``apiKey``, ``door code``.
    """
    name, plain = Plain.of(key), Plain.of(value)
    for word in _words(name.folded):
        family = family_of(name.text, word)
        if family and word.end() == len(name.text):
            page = _Page(plain.text, plain.folded, word, family)
            return _is_secret(page, _Value(0, len(plain.text), quoted=True), _SIGN)
    return False


# Named tuples, because a scan makes many and they cost a tenth of a frozen dataclass to define.


class _Page(NamedTuple):
    """A text and its folded form, of equal length, and the word that is looked at."""

    text: str
    folded: str
    word: re.Match[str]
    family: Family


class _Link(NamedTuple):
    """What stands between word and value; see :class:`Context`."""

    explicit: bool
    by_word: bool = False
    assigned: bool = False


_SIGN = _Link(explicit=True, by_word=True, assigned=True)


class _Value(NamedTuple):
    """A value's place, whether it stood in quotes, and whether a sign assigned it."""

    start: int
    end: int
    quoted: bool = False
    assigned: bool = False


def _values(page: _Page, reach: int) -> Iterator[_Value]:
    """The secrets that one credential word introduces, or the one it follows."""
    after = end_of(keywords.GLUE, page.folded, page.word.end())
    scope = folded_pattern(keywords.SCOPE).match(page.folded, after)
    for start in (after, scope.end()) if scope else (after,):
        end = end_of(keywords.LINKS, page.folded, start)
        if end == page.word.end():
            continue
        link = _link(page, after, end)
        if not link.explicit and "\n" in page.text[after:end]:
            continue
        if page.word[0].startswith(("cred", "login")):
            page, link, end = _paired(page, link, start, end)
        if value := _read(page, end, link):
            yield value._replace(assigned=link.assigned)
            for further in _further(page, value.end):
                yield further._replace(assigned=link.assigned)
            return
    if value := _before(page, reach) or _joined(page) or _nearby(page, reach):
        yield value


def _paired(page: _Page, link: _Link, start: int, end: int) -> tuple[_Page, _Link, int]:
    """Past the user's name in ``login: ana / ...``, ``creds for grafana - ana:...``."""
    after = end_of(keywords.PAIR, page.folded, end)
    if after > end and page.text[start:end].rstrip().endswith("-"):
        link = link._replace(explicit=True, by_word=True)
    return (page._replace(family="password"), link, after) if link.explicit else (page, link, end)


def _link(page: _Page, start: int, end: int) -> _Link:
    """What the words from ``start`` to ``end`` make of a value after them."""
    towards = folded_pattern(keywords.TOWARDS).search(page.folded, start, end) is not None or (
        folded_pattern(keywords.TO).search(page.folded, start, end) is not None
        and folded_pattern(keywords.SETS).search(
            page.folded, max(0, page.word.start() - LOOK_BACK), page.word.start()
        )
        is not None
    )
    towards = towards or (
        folded_pattern(keywords.LISTED).search(page.folded, page.word.end(), end) is not None
    )
    explicit = folded_pattern(keywords.EXPLICIT).search(page.folded, start, end) is not None
    if page.family == "password":
        explicit = (
            explicit or folded_pattern(keywords.BRACKETED).match(page.folded, start) is not None
        )
    sign = folded_pattern(keywords.ASSIGNS).search(page.folded, page.word.end(), end) is not None
    assigned = sign and page.family not in {"code", "pin"}
    return _Link(explicit or towards, by_word=explicit and not towards, assigned=assigned)


def _further(page: _Page, end: int) -> Iterator[_Value]:
    """Values listed after the first: ``a, b and c``, ``from a to b``."""
    for _ in range(MOST_VALUES):
        start = page.folded.rfind(" ", 0, end) + 1
        end += page.text[end : end + 1] in QUOTES
        link = folded_pattern(keywords.NEXT).match(page.folded, end)
        value = _read(page, link.end(), _Link(page.family == "code")) if link else None
        value = value or _alike(page, start, end) or _another(page, end)
        if value is None:
            return
        yield value
        end = value.end


def _another(page: _Page, end: int) -> _Value | None:
    """The password of something else: ``my steam pw is ... and epic is ...``."""
    start = end_of(keywords.ANOTHER, page.folded, end)
    value = None if start == end else _read(page, start, _Link(explicit=True))
    return value if value and is_strong(page.text[value.start : value.end]) else None


def _alike(page: _Page, start: int, end: int) -> _Value | None:
    """The next of several codes with blanks between them, which are all of one form."""
    former, following = page.text[start:end], end_of(r"[^\S\n]{1,3}", page.text, end)
    value = page.text[following : following + len(former)]
    if page.family != "code" or following == end or not _has_form(value, former):
        return None
    stop = following + len(value)
    return None if page.text[stop : stop + 1].isalnum() else _Value(following, stop)


def _has_form(value: str, other: str) -> bool:
    """Whether two codes have as many letters or digits between the same other signs."""
    sign = compiled(r"[A-Za-z0-9]")
    return sign.sub("x", value) == sign.sub("x", other) and any(c.isdigit() for c in value)


def _read(page: _Page, start: int, link: _Link) -> _Value | None:
    """The secret at ``start``, if one is there."""
    numbered = link.explicit and page.word[0].startswith(("passcode", "pass code"))
    if (page.family in {"code", "pin"} or numbered) and (
        end := end_of(keywords.DIGITS, page.folded, start)
    ) > start:
        digits = page.folded[start:end]
        if folded_pattern(keywords.COUNTED).match(page.folded, end):
            return None
        if digits[0].isalpha() or " " in digits or _is_secret(page, _Value(start, end), link):
            return _Value(start, end)
    value = _quoted(page.text, start) or _bare(page, start, link.explicit)
    if value is None or not _is_secret(page, value, link) or _is_counted(page, value):
        return None
    if value.quoted or value.end - value.start < JUDGED:
        return value
    return _Value(start, end_of(keywords.BARE_REST, page.text, value.end))


def _is_counted(page: _Page, value: _Value) -> bool:
    """``low-pass: 1200 Hz`` tells how much of something."""
    counted = folded_pattern(keywords.COUNTED).match(page.folded, value.end) is not None
    return counted and page.text[value.start : value.end].isdigit()


def _is_secret(page: _Page, value: _Value, link: _Link) -> bool:
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


def _quoted(text: str, start: int) -> _Value | None:
    """The inside of quotes that open at ``start``, escaped ones included."""
    start = end_of(keywords.WRAPPER, text, start)
    start = end_of(keywords.STRING_PREFIX, text, start)
    if text[start : start + 1] not in QUOTES | {"\\"}:
        return None
    for pattern in (keywords.QUOTED, keywords.ESCAPED):
        if match := folded_pattern(pattern).match(text, start):
            return _Value(*match.span(match.lastgroup or 0), quoted=True)
    return None


def _bare(page: _Page, start: int, explicit: bool) -> _Value | None:
    """The run of characters at ``start`` without the punctuation that closes a sentence."""
    start += page.text[start : start + 1] in QUOTES  # a quote that is never closed
    match = folded_pattern(keywords.BARE_START).match(page.text, start)
    if match is None or not (explicit or match[0][0].isalnum() or match[0][0] in "#*@$"):
        return None
    cut = folded_pattern(keywords.CUT).search(match[0])
    value = (match[0][: cut.start()] if cut else match[0]).rstrip(".,;:?)]}>")
    return _Value(start, start + len(value)) if value else None


def _before(page: _Page, reach: int) -> _Value | None:
    """The value in ``4821 is the door code``; the word must end its clause."""
    ending = f"{keywords.CLAUSE_END}|{keywords.AFTER_BEFORE}"
    if not folded_pattern(ending).match(page.folded, page.word.end()):
        return None
    first, last = max(reach, page.word.start() - LOOK_BACK), page.word.start()
    if not folded_pattern(keywords.LINKS_BACK).search(page.folded, first, last):
        return None
    match = folded_pattern(keywords.BEFORE).search(page.folded, first, last)
    if match is None:
        return None
    value = _Value(*match.span("value"))
    spoken = page.family == "code" and " " in match["value"]
    return value if spoken or _is_secret(page, value, _Link(explicit=True)) else None


def _joined(page: _Page) -> _Value | None:
    """A value that some other punctuation assigns: ``password.value = "..."``, ``token=[...]``."""
    joint = folded_pattern(keywords.JOINT).match(page.folded, page.word.end())
    if joint is None or page.family not in {"password", "token"}:
        return None
    start = joint.end() - (page.text[joint.end() - 1 : joint.end()] in QUOTES)
    value = _read(page, start, _Link(explicit=True))
    return None if value is None else value._replace(assigned=True)


def _nearby(page: _Page, reach: int) -> _Value | None:
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


def _trimmed(word: re.Match[str]) -> _Value:
    """A word without the punctuation round it."""
    value = word[0].strip(".,;:?()[]{}|=")
    start = word.start() + word[0].find(value)
    return _Value(start, start + len(value))


def _looks_secret(value: str) -> bool:
    return is_strong(value) or is_made_up(value)


def _is_passphrase(value: str) -> bool:
    """Several words in quotes: a passphrase unless they are a sentence about one."""
    words = value.lower().split()
    if not PROSE.isdisjoint(words):
        return False
    return 3 <= len(words) <= 8 or any(c.isdigit() for c in value)  # noqa: PLR2004 - diceware

"""Secrets that are recognised by the words around them.

``the wifi password is ...``, ``DB_PASSWORD=...``, ``"apiKey": "..."``, ``door code 4821``,
``... is the new passphrase``: a credential word, at most five linking words or signs, and
a value that is plausible as a secret. The words are looked up in the folded text, the value
is read from the original.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from hypermnesia.privacy import keywords
from hypermnesia.privacy.plausible import Context, Family, plausible
from hypermnesia.privacy.scan import Finding, compiled, fold
from hypermnesia.privacy.vocabulary import PROSE

RULE = "credential"
MOST_VALUES = 64
"""Values that may follow one credential word ("backup codes: a, b, c")."""
QUOTES = frozenset("\"'`")
LONGEST_QUALIFIER = 16
"""Characters before a credential word that may qualify it ("authentication code")."""
LOOK_BACK = 120
"""Characters before a credential word in which "... is the password" is looked for."""


def find_credentials(text: str, folded: str) -> Iterator[Finding]:
    """Values that the words around them give away, left to right, without overlap.

    Args:
        text: the text itself.
        folded: ``fold(text)``.
    """
    if not any(hint in folded for hint in keywords.HINTS):
        return
    reach = 0
    for word in _re(keywords.KEYWORD).finditer(folded):
        family = _family(text, word)
        if family is None or word.start() < reach:
            continue
        for value in _values(_Page(text, folded, word, family), reach):
            yield Finding(RULE, value.start, value.end)
            reach = value.end
    yield from _find_phrases(folded)


def is_secret_under(key: str, value: str) -> bool:
    """Whether ``value`` is a secret because of the name it is stored under.

    The name must end with the credential word: ``db_password``, ``apiKey``, ``door code``.
    """
    for word in _re(keywords.KEYWORD).finditer(fold(key)):
        family = _family(key, word)
        if family and word.end() == len(key):
            english = _is_english(word[0])
            return plausible(value, Context(family, True, True, False, english))
    return False


@dataclass(frozen=True, slots=True)
class _Page:
    """A text and its folded form, of equal length, and the word that is looked at."""

    text: str
    folded: str
    word: re.Match[str]
    family: Family


@dataclass(frozen=True, slots=True)
class _Value:
    """A value's place, and whether it stood in quotes."""

    start: int
    end: int
    quoted: bool = False


def _re(pattern: str) -> re.Pattern[str]:
    return compiled(pattern, re.NOFLAG)


def _family(text: str, word: re.Match[str]) -> Family | None:
    """What kind of secret a word announces; ``None`` if it is only part of another word."""
    head, start = word[0], word.start()
    if head.startswith(("key", "code", "comb")):
        return _owned(head, _owner(text, start), word)
    if not _starts_word(text, start):
        return None
    if head.startswith(("secret", "token", "cred", "login")):
        return "token"
    if head.startswith("pin"):
        return "code" if _owner(text, start) in keywords.PLACES else "pin"
    return "code" if head.startswith("otp") else "password"


def _owned(head: str, owner: str, word: re.Match[str]) -> Family | None:
    """A key or a code is a secret only as somebody's or something's."""
    if head.startswith("key"):
        known: Family | None = "token" if owner in keywords.OWNERS else None
        return "password" if owner in keywords.NETWORKS else known
    opens = owner in keywords.PLACES or _re(keywords.PLACE_AFTER).match(word.string, word.end())
    return "code" if opens else None


def _owner(text: str, start: int) -> str:
    """The word that qualifies the one at ``start``, lower-case: ``api`` in ``OPENAI_API_KEY``."""
    first = max(0, start - LONGEST_QUALIFIER)
    before = _re(keywords.QUALIFIER).search(text, first, start)
    return before[0].rstrip(" _-").lower() if before else ""


def _starts_word(text: str, start: int) -> bool:
    """At the start of a word or of a hump of a camel-case name; ``PGPASSWORD`` counts too."""
    if start == 0 or not text[start - 1].isalnum() or not text[start].isascii():
        return True
    hump = text[start - 1].islower() and text[start].isupper()
    return hump or text[start : start + 5].lower() == "passw"


def _is_english(word: str) -> bool:
    """Words are told from secrets by English vocabulary; other languages need a digit or symbol."""
    return (
        word.startswith(("pass", "pw", "ps", "key", "sec", "tok", "cred", "log"))
        and word != "passwort"
    )


def _values(page: _Page, reach: int) -> Iterator[_Value]:
    """The secrets that one credential word introduces, or the one it follows."""
    after = _end(keywords.GLUE, page.folded, page.word.end())
    scope = _re(keywords.SCOPE).match(page.folded, after)
    for start in (after, scope.end()) if scope else (after,):
        end = _end(keywords.LINKS, page.folded, start)
        if end == page.word.end():
            continue
        explicit = _re(keywords.EXPLICIT).search(page.folded, after, end) is not None
        if not explicit and "\n" in page.text[after:end]:
            continue
        if page.word[0].startswith(("cred", "login")) and explicit:
            page, end = replace(page, family="password"), _end(keywords.PAIR, page.folded, end)
        if value := _read(page, end, explicit):
            yield value
            yield from _further(page, value.end)
            return
    if value := _before(page, reach):
        yield value


def _further(page: _Page, end: int) -> Iterator[_Value]:
    """Values listed after the first: ``a, b and c``, ``from a to b``."""
    for _ in range(MOST_VALUES):
        end += page.text[end : end + 1] in QUOTES
        link = _re(keywords.NEXT).match(page.folded, end)
        value = _read(page, link.end(), page.family == "code") if link else None
        if value is None:
            return
        yield value
        end = value.end


def _read(page: _Page, start: int, explicit: bool) -> _Value | None:
    """The secret at ``start``, if one is there."""
    if (
        page.family in {"code", "pin"}
        and (end := _end(keywords.DIGITS, page.folded, start)) > start
    ):
        digits = page.folded[start:end]
        if digits[0].isalpha() or " " in digits or _is_secret(page, _Value(start, end), explicit):
            return _Value(start, end)
    value = _quoted(page.text, start) or _bare(page, start, explicit)
    return value if value and _is_secret(page, value, explicit) else None


def _is_secret(page: _Page, value: _Value, explicit: bool) -> bool:
    found = page.text[value.start : value.end]
    if not explicit and found.isalpha():
        return False  # the common case in prose: "token bucket"
    final = _re(keywords.CLAUSE_END).match(page.folded, value.end) is not None
    english = _is_english(page.word[0])
    if value.quoted and any(c.isspace() for c in found):
        phrase = page.word[0].startswith("passphrase")
        return (explicit or phrase) and page.family == "password" and _is_passphrase(found)
    return plausible(found, Context(page.family, explicit, value.quoted, final, english))


def _quoted(text: str, start: int) -> _Value | None:
    """The inside of quotes that open at ``start``, escaped ones included."""
    if text[start : start + 1] not in QUOTES | {"\\"}:
        return None
    for pattern in (keywords.QUOTED, keywords.ESCAPED):
        if match := _re(pattern).match(text, start):
            return _Value(*match.span(match.lastgroup or 0), quoted=True)
    return None


def _bare(page: _Page, start: int, explicit: bool) -> _Value | None:
    """The run of characters at ``start`` without the punctuation that closes a sentence."""
    start += page.text[start : start + 1] in QUOTES  # a quote that is never closed
    match = _re(keywords.BARE).match(page.text, start)
    if match is None or not (explicit or match[0][0].isalnum() or match[0][0] in "#*@$"):
        return None
    cut = _re(keywords.CUT).search(match[0])
    value = (match[0][: cut.start()] if cut else match[0]).rstrip(".,;:?)]}>")
    return _Value(start, start + len(value)) if value else None


def _before(page: _Page, reach: int) -> _Value | None:
    """The value in ``4821 is the door code``; the word must end its clause."""
    ending = f"{keywords.CLAUSE_END}|{keywords.AFTER_BEFORE}"
    if not _re(ending).match(page.folded, page.word.end()):
        return None
    first, last = max(reach, page.word.start() - LOOK_BACK), page.word.start()
    if not _re(r" (?:is|as|was|for|opens|unlocks) ").search(page.folded, first, last):
        return None
    match = _re(keywords.BEFORE).search(page.folded, first, last)
    if match is None:
        return None
    value = _Value(*match.span("value"))
    return value if _is_secret(page, value, explicit=False) else None


def _is_passphrase(value: str) -> bool:
    """Several words in quotes: a passphrase unless they are a sentence about one."""
    words = value.lower().split()
    if not PROSE.isdisjoint(words):
        return False
    return 3 <= len(words) <= 8 or any(c.isdigit() for c in value)  # noqa: PLR2004 - diceware


def _find_phrases(folded: str) -> Iterator[Finding]:
    """Wallet seeds (12 to 24 words) and unquoted passphrases (4 to 8)."""
    for word in _re(keywords.PHRASE_WORD).finditer(folded):
        start = _end(keywords.LINKS, folded, _end(keywords.GLUE, folded, word.end()))
        seed = _re(keywords.PHRASE).match(folded, start)
        explicit = _re(keywords.EXPLICIT).search(folded, word.end(), start)
        phrase = seed or (explicit and _re(keywords.DICEWARE).match(folded, start))
        if phrase and (seed or PROSE.isdisjoint(phrase[0].split())):
            yield Finding(RULE, *phrase.span())


def _end(pattern: str, text: str, start: int) -> int:
    match = _re(pattern).match(text, start)
    return match.end() if match else start

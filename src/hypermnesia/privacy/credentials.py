"""Secrets that are recognised by the words around them.

``the wifi password is ...``, ``DB_PASSWORD=...``, ``"apiKey": "..."``, ``door code 4821``,
``... is the new passphrase``: a credential word, at most five linking words or signs, and
a value that is plausible as a secret. The words are looked up in the folded text, the value
is read from the original.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hypermnesia.privacy import keywords
from hypermnesia.privacy.owners import family_of
from hypermnesia.privacy.plain import Plain
from hypermnesia.privacy.plausible import is_strong
from hypermnesia.privacy.reading import QUOTES, SIGN, Link, Page, Value, is_secret, nearby, read
from hypermnesia.privacy.rule import regex_of
from hypermnesia.privacy.scan import Finding, compiled, end_of, folded_pattern

RULE = "credential"
"""A value that a sign or a syntax assigns: ``PASSWORD=...``, ``"apiKey": "..."``."""
SPOKEN = "spoken-secret"
"""A value that a sentence gives away: ``the wifi password is ...``, ``door code 4821``."""
MOST_VALUES = 64
"""Values that may follow one credential word ("backup codes: a, b, c")."""
LOOK_BACK = 120
"""Characters before a credential word in which "... is the password" is looked for."""


def find_credentials(plain: Plain) -> Iterator[Finding]:
    """Values that the words around them give away, left to right, without overlap."""
    text, folded, reach = plain.text, plain.folded, 0
    for word in _words(folded):
        family = family_of(text, word)
        if family is None or word.start() < reach:
            continue
        for value in _values(Page(text, folded, word, family), reach):
            yield Finding(RULE if value.assigned else SPOKEN, value.start, value.end)
            reach = value.end


def _words(folded: str) -> Iterator[re.Match[str]]:
    """The credential words of a text: found by RE2, read with what stands round them."""
    words, heads, data = folded_pattern(keywords.KEYWORD), regex_of(keywords.HEAD), folded.encode()
    seen = at = 0  # one place, in bytes and in characters
    while (head := heads.search(data, seen)) is not None:
        start = head.start()
        at += start - seen if len(data) == len(folded) else len(data[seen:start].decode())
        word = words.match(folded, at)
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
            page = Page(plain.text, plain.folded, word, family)
            return is_secret(page, Value(0, len(plain.text), quoted=True), SIGN)
    return False


def _values(page: Page, reach: int) -> Iterator[Value]:
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
        if value := read(page, end, link):
            yield value._replace(assigned=link.assigned)
            for further in _further(page, value.end):
                yield further._replace(assigned=link.assigned)
            return
    if value := _before(page, reach) or _joined(page) or nearby(page, reach):
        yield value


def _paired(page: Page, link: Link, start: int, end: int) -> tuple[Page, Link, int]:
    """Past the user's name in ``login: ana / ...``, ``creds for grafana - ana:...``."""
    after = end_of(keywords.PAIR, page.folded, end)
    if after > end and page.text[start:end].rstrip().endswith("-"):
        link = link._replace(explicit=True, by_word=True)
    return (page._replace(family="password"), link, after) if link.explicit else (page, link, end)


def _link(page: Page, start: int, end: int) -> Link:
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
    return Link(explicit or towards, by_word=explicit and not towards, assigned=assigned)


def _further(page: Page, end: int) -> Iterator[Value]:
    """Values listed after the first: ``a, b and c``, ``from a to b``."""
    for _ in range(MOST_VALUES):
        start = page.folded.rfind(" ", 0, end) + 1
        end += page.text[end : end + 1] in QUOTES
        link = folded_pattern(keywords.NEXT).match(page.folded, end)
        value = read(page, link.end(), Link(page.family == "code")) if link else None
        value = value or _alike(page, start, end) or _another(page, end)
        if value is None:
            return
        yield value
        end = value.end


def _another(page: Page, end: int) -> Value | None:
    """The password of something else: ``my steam pw is ... and epic is ...``."""
    start = end_of(keywords.ANOTHER, page.folded, end)
    value = None if start == end else read(page, start, Link(explicit=True))
    return value if value and is_strong(page.text[value.start : value.end]) else None


def _alike(page: Page, start: int, end: int) -> Value | None:
    """The next of several codes with blanks between them, which are all of one form."""
    former, following = page.text[start:end], end_of(r"[^\S\n]{1,3}", page.text, end)
    value = page.text[following : following + len(former)]
    if page.family != "code" or following == end or not _has_form(value, former):
        return None
    stop = following + len(value)
    return None if page.text[stop : stop + 1].isalnum() else Value(following, stop)


def _has_form(value: str, other: str) -> bool:
    """Whether two codes have as many letters or digits between the same other signs."""
    sign = compiled(r"[A-Za-z0-9]")
    return sign.sub("x", value) == sign.sub("x", other) and any(c.isdigit() for c in value)


def _before(page: Page, reach: int) -> Value | None:
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
    value = Value(*match.span("value"))
    spoken = page.family == "code" and " " in match["value"]
    return value if spoken or is_secret(page, value, Link(explicit=True)) else None


def _joined(page: Page) -> Value | None:
    """A value that some other punctuation assigns: ``password.value = "..."``, ``token=[...]``."""
    joint = folded_pattern(keywords.JOINT).match(page.folded, page.word.end())
    if joint is None or page.family not in {"password", "token"}:
        return None
    start = joint.end() - (page.text[joint.end() - 1 : joint.end()] in QUOTES)
    value = read(page, start, Link(explicit=True))
    return None if value is None else value._replace(assigned=True)

"""What kind of secret a credential word announces, by whose or what it is."""

from __future__ import annotations

import re

from hypermnesia.privacy import keywords
from hypermnesia.privacy.plausible import Family
from hypermnesia.privacy.scan import folded_pattern

LONGEST_QUALIFIER = 16
"""Characters before a credential word that may qualify it ("authentication code")."""

LONGEST_CLAUSE = 80
"""Characters before a combination in which what it opens may be named."""


def family_of(text: str, word: re.Match[str]) -> Family | None:
    """What kind of secret a word announces; ``None`` if it is only part of another word."""
    head, start = word[0], word.start()
    if head.startswith("keypad"):
        return "pin"
    if head.startswith(("key", "code", "codi", "c\u00f3di", "comb")):
        return _owned(head, _owner(text, start), word)
    if not _starts_word(text, start):
        return None
    if head.startswith(("secret", "token", "cred", "login")):
        signs = head.startswith("secret") and _owner(text, start) in keywords.SIGNERS
        return "password" if signs else "token"
    if head.startswith(("pin", "puk")):
        return "code" if _owner(text, start) in keywords.PLACES | keywords.CARDS else "pin"
    coded = head.startswith("otp") or (
        head.endswith("code") and head.startswith(keywords.DOOR_CODES)
    )
    return "code" if coded else "password"


def _owned(head: str, owner: str, word: re.Match[str]) -> Family | None:
    """A key or a code is a secret only as somebody's or something's."""
    if head.startswith("key"):
        if owner in keywords.HARMLESS:
            return None
        known: Family = "token" if owner in keywords.OWNERS else "key"
        return "password" if owner in keywords.NETWORKS else known
    if owner in keywords.PLACES:
        return "code"
    opens = folded_pattern(keywords.PLACE_NEAR).match(word.string, word.end()) is not None
    if head.startswith("comb") and not opens:  # "the locker is number 12, combo ..."
        first = max(0, word.start() - LONGEST_CLAUSE)
        opens = (
            folded_pattern(keywords.PLACE_BEFORE).search(word.string, first, word.start())
            is not None
        )
    return "code" if opens and owner not in keywords.NO_DOOR else None


def _owner(text: str, start: int) -> str:
    """The word that qualifies the one at ``start``, lower-case: ``api`` in ``OPENAI_API_KEY``."""
    first = max(0, start - LONGEST_QUALIFIER)
    before = folded_pattern(keywords.QUALIFIER).search(text, first, start)
    if before is None:
        return ""
    owner = before[0].rstrip(" _-")
    if owner.startswith("D") and text[before.start() - 1 : before.start()] == "-":
        owner = owner[1:]  # -DAUTH_KEY=... sets a property of a Java program
    return owner.lower()


def _starts_word(text: str, start: int) -> bool:
    """At the start of a word or of a hump of a camel-case name; ``PGPASSWORD`` counts too."""
    if start == 0 or not text[start - 1].isalnum() or not text[start].isascii():
        return True
    hump = text[start - 1].islower() and text[start].isupper()
    return (
        hump
        or text[max(0, start - 2) : start] == "-D"
        or text[start : start + 5].lower() == "passw"
    )


def is_english(word: str) -> bool:
    """Words are told from secrets by English vocabulary; other languages need a digit or symbol."""
    return (
        word.startswith(("pass", "pw", "ps", "key", "sec", "tok", "cred", "log"))
        and word != "passwort"
    )

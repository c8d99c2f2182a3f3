"""Telling talk from memories: who speaks, and whether a statement takes anything back.

A memory says what is the case. In talk people ask, wonder, thank and say the same thing again in
other words; what resembles an earlier statement rarely replaces it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from hypermnesia.judge import features_words as words
from hypermnesia.judge.features_change import FUNCTIONAL
from hypermnesia.judge.features_reading import matter, tidings
from hypermnesia.judge.features_text import READ_CHARACTERS

ASSISTANTS = frozenset({"assistant", "ai", "system", "tool", "bot"})
"""Speakers who compute and propose; they report nothing of their own that could change."""
USERS = frozenset({"user", "human", "customer", "client"})
"""Speakers named by their part alone: what they say is talk."""

_ONE_AT_A_TIME = FUNCTIONAL - words.STOP - {"time", "level", "starts", "start", "leads", "date"}
_NAME = r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*\.?"
_LABEL = re.compile(rf"({_NAME}(?: {_NAME})?): ")
_HEADINGS = words.word_set(
    "note notes decision todo update reminder summary status fact goal plan idea question answer"
    " context problem solution fix result agenda topic example warning tip task rule team"
)
"""What opens a note with a colon, and is nobody's name."""
_FILLER = r"and|but|so|also|however|then|well|yeah|yes|sure|ok|okay|actually|now"
_SUBJECT = re.compile(
    rf"(?:\W*(?:{_FILLER}),?\s+)*"
    r"([A-Z]\w*)(?:['\u2019]\w+)?\s",
    re.IGNORECASE,
)
_NAMED = ("User", "Human", "Customer", "Client")
_NAMED_USER = re.compile(rf"\b(?:{'|'.join(_NAMED)})\b")
"""A statement of talk with its first person resolved."""
_TASTE = re.compile(r"\w+\W+(?:(?:dis)?likes|loves|prefers|enjoys|hates|adores|avoids)\b")
_ATTITUDE = re.compile(
    rf"(?:\W*(?:{_FILLER}|user|i)\b,?)*"
    r"(?:['\u2019]m|\s+am|\s+is|['\u2019]s)?\s*(?:\w+ly\s+|kinda\s+|just\s+|also\s+|still\s+)*"
    r"(?:always|never|please|make sure|remember|trying|not sure|unsure|wondering|having|struggling"
    r"|stuck|worried|curious|thinking|thinks?|hoping|hopes?|wants?|needs?|would|will|could|should"
    r"|can|feels?|feeling|looking|planning|excited|nervous|confused|appreciates?|thanks|how|what"
    r"|why|when|which|where|does|do|is|are)\b",
    re.IGNORECASE,
)
"""Asking, wishing, wondering, instructing: nothing that could be outdated."""


@lru_cache(maxsize=8192)
def spoken(text: str) -> tuple[str, str]:
    """Who says it, lower-cased ("Ana: ..."; empty if it is not said), and what is said."""
    label = _LABEL.match(text)
    if label is None or label[1].lower() in _HEADINGS:
        return "", text
    return label[1].lower(), text[label.end() :]


@lru_cache(maxsize=4096)
def holder(text: str) -> str:
    """Who says it, or else its first word if that may be a name, lower-cased."""
    speaker, said = spoken(text)
    subject = _SUBJECT.match(said)
    return speaker or (subject[1].lower() if subject and subject[1][0].isupper() else "")


def repeats_in_talk(old: str, new: str, *, said: bool = False) -> bool:
    """Whether the newer of two texts, one of them talk, does not say that anything changed.

    Args:
        old: the earlier text.
        new: the later one.
        said: one of them is known to be talk; otherwise their wording tells.
    """
    if holder(old) in ASSISTANTS or holder(new) in ASSISTANTS:
        return True
    if not (said or is_talk(old) or is_talk(new)):
        return False
    return _attitude(new) or _attitude(old) or not _tells_change(old, new)


@lru_cache(maxsize=4096)
def is_talk(text: str) -> bool:
    """Whether a text is worded as what a user said: "User: ...", or "User is ...".

    What stands before other colons may be anything ("Jazz: I like how free it is").
    """
    speaker, said = spoken(text)
    if speaker in USERS:
        return True
    # Most texts hold none of the words, which is sooner told without the pattern.
    named = any(name in said for name in _NAMED) and _NAMED_USER.search(said)
    return bool(named) and not _TASTE.match(said)


def _tells_change(old: str, new: str) -> bool:
    """Whether the newer says so of most of the older, or both give what there is one of."""
    after = tidings(new)
    changed = after.changes > 0 or after.ends
    single = after.words & _ONE_AT_A_TIME
    if not (changed or single):  # most of talk; the older need not be taken apart
        return False
    before = matter(old)
    if before.words & single:
        return True
    return changed and 2 * len(before.core & matter(new).stems) >= len(before.core)


@lru_cache(maxsize=4096)
def _attitude(text: str) -> bool:
    return "?" in text[:READ_CHARACTERS] or bool(_ATTITUDE.match(spoken(text)[1]))

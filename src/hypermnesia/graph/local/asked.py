"""Answers that need their question to be understood."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hypermnesia.graph.local import cues, verbs, words
from hypermnesia.graph.local.reading import LONGEST, Reading
from hypermnesia.graph.local.said import Said, text_span
from hypermnesia.language.statements import statements

QUOTED = 120
"""Characters of a question that are repeated beside its answer."""
SHORT = 6
"""Words of an answer up to which one without a verb needs its question."""

_ANSWERING = re.compile(
    r"(?:yes|yeah|yep|yup|no|nope|nah|not|never|since|because|about|around|only|just|maybe|probably)\b",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:am|is|are|was|were|be|have|has|had|do|does|did|can|could|will|would|shall|should|may"
    r"|might|must|\w+n['\u2019]t|\w+['\u2019](?:s|m|re|ve|ll|d)|i|we|he|she|they)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Question:
    """The question that a turn may answer.

    Attributes:
        text: its words, at most :data:`QUOTED` characters, without double quotes.
        position: of the turn that asks it.
        telling: its telling words, folded.
        personal: it asks somebody about themselves and has a telling word, so that yes is news.
    """

    text: str
    position: int
    telling: frozenset[str]
    personal: bool

    def is_answered_by(self, reading: Reading) -> bool:
        """Whether a statement too short to be kept by itself is worth keeping as the answer."""
        if not (reading.opens and self.personal) or cues.is_courtesy(reading.core):
            return False
        marks = reading.telling or reading.names or reading.numbers or reading.mentions
        return cues.is_yes_or_no(reading.text) or bool(marks and depends(reading))

    def is_taken_up_by(self, readings: Sequence[Reading]) -> bool:
        """Whether a bare yes or no comes first and the next statement says it in full."""
        if len(readings) < 2 or not cues.is_yes_or_no(readings[0].text):  # noqa: PLR2004 - two
            return False
        return not self.telling.isdisjoint(readings[1].telling)


def question_before(turns: Sequence[Said], position: int) -> Question | None:
    """The last question of the turn before, when somebody else asked it."""
    if not position:
        return None
    before, here = turns[position - 1], turns[position]
    same = before.message.speaker == here.message.speaker or before.session != here.session
    start, end = text_span(before)
    tail = before.content[max(start, end - LONGEST) : end]
    if same or "?" not in tail:
        return None
    asked = [s.text for s in statements(tail) if not s.code and "?" in s.text[-3:]]
    if not asked:
        return None
    text = asked[-1][cues.lead(asked[-1]) :].replace('"', "'")
    among_people = before.message.role != "assistant" and here.message.role != "assistant"
    telling = frozenset(words.telling(words.words(text)))
    personal = among_people and " you" in text.casefold() and bool(telling)
    return Question(words.shortened(text, QUOTED), position - 1, telling, personal)


def depends(reading: Reading) -> bool:
    """Whether a statement is understood only with the question that it answers.

    It says yes or no, or points back, or is a few words without subject or verb, and does not
    speak of "I" behind its yes.
    """
    core = reading.core
    if cues.is_yes_or_no(reading.text) or cues.points_back(core):
        return True
    if reading.first or reading.second or _has_verb(core):
        return False
    return len(core.split()) <= SHORT or _ANSWERING.match(reading.text) is not None


def _has_verb(text: str) -> bool:
    """Whether a subject or a verb of the usual ones is among the words; its absence is a guess."""
    return _VERB.search(text) is not None or any(
        verbs.is_common(words.term(word)) for word in words.words(text)
    )

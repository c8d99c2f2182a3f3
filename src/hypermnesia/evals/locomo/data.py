"""LoCoMo's questions (Maharana et al., ACL 2024, arXiv 2402.17753), and the quirks of their gold.

Evidence strings need care: several ids share a string (``D8:6; D9:17``), ids are malformed
(``D:11:26``, ``D30:05``), and some match no turn. What can be read is; everything that was not as
it should be is counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hypermnesia.errors import InvalidInput
from hypermnesia.evals.fields import Fields, streamed
from hypermnesia.evals.questions import Question

KINDS: Mapping[int, str] = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}
"""Names of the categories, as in HyperMem's tables."""
ADVERSARIAL = 5
"""The category of questions that the talk does not answer; published tables leave it out."""

_ID = re.compile(r"D:?\s*(\d{1,6})\s*:\s*(\d{1,6})")
_CANONICAL = re.compile(r"D[1-9]\d*:[1-9]\d*")
_SESSION = re.compile(r"session_(\d{1,9})")


@dataclass(frozen=True, slots=True)
class Turn:
    """An utterance.

    Attributes:
        id: ``D4:7``.
        said: the date and time of its session, as the data give it.
        text: ``Speaker: text [shares caption]``.
    """

    id: str
    said: str
    text: str


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation with its questions.

    Attributes:
        name: the ``sample_id``, which selects it in the file.
        turns: in the order of the talk; sessions are ordered by number.
        questions: in the order of the file.
        quirks: how many times each thing about the evidence was not as it should be.
    """

    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]
    quirks: Mapping[str, int]


def talks(path: Path) -> list[Talk]:
    """Every conversation of a file.

    Raises:
        InvalidInput: the file cannot be used; the field and the item are named.
    """
    found = [_talk(fields, index) for index, fields in enumerate(streamed(path, "conversation"))]
    names = Counter(talk.name for talk in found)
    for name, count in names.items():
        if count > 1:
            raise InvalidInput(f"{path}: {count} conversations have the 'sample_id' {name!r}")
    return found


def evidence(
    strings: Sequence[str], turns: Mapping[str, object]
) -> tuple[tuple[str, ...], Counter[str]]:
    """The turns that evidence strings name, without repeats, and the quirks met on the way.

    Args:
        strings: as the data give them.
        turns: by id.
    """
    quirks: Counter[str] = Counter()
    found: dict[str, None] = {}
    for string in strings:
        ids = list(_ID.finditer(string))
        quirks["several ids in one string"] += len(ids) > 1
        quirks["no id in the string"] += not ids
        for match in ids:
            turn = f"D{int(match[1])}:{int(match[2])}"
            quirks["malformed id, read all the same"] += not _CANONICAL.fullmatch(match[0])
            if turn in turns:
                found[turn] = None
            else:
                quirks["id of no turn"] += 1
    quirks["question without usable evidence"] += not found
    return tuple(found), +quirks


def _talk(fields: Fields, index: int) -> Talk:
    name = fields.text("sample_id")
    turns = {turn.id: turn for turn in _turns(fields.object("conversation"))}
    if not turns:
        raise fields.wrong("conversation", "holds no turn in a session_1, session_2, ...")
    quirks: Counter[str] = Counter()
    questions: list[Question] = []
    for number, item in enumerate(fields.objects("qa", "question")):
        question, met = _question(item, f"locomo_{index}_qa{number}", turns)
        questions.append(question)
        quirks += met
    return Talk(name, tuple(turns.values()), tuple(questions), dict(sorted(quirks.items())))


def _turns(talk: Fields) -> Iterator[Turn]:
    numbers = sorted(int(match[1]) for key in talk.values if (match := _SESSION.fullmatch(key)))
    for number in numbers:
        said = talk.label(f"session_{number}_date_time")
        for turn in talk.objects(f"session_{number}", f"session {number}, turn"):
            caption = turn.label("blip_caption")
            text = f"{turn.text('speaker')}: {turn.label('text')}"
            yield Turn(
                turn.text("dia_id"), said, text + (f" [shares {caption}]" if caption else "")
            )


def _question(item: Fields, name: str, turns: Mapping[str, Turn]) -> tuple[Question, Counter[str]]:
    category = item.whole("category")
    if category not in KINDS:
        raise item.wrong("category", f"is {category}; known are {min(KINDS)} to {max(KINDS)}")
    gold, quirks = evidence(item.texts("evidence"), turns)
    answerable = category != ADVERSARIAL
    quirks["adversarial question with an answer"] += not answerable and "answer" in item.values
    if answerable and not item.label("answer"):
        raise item.wrong("answer", "is missing")
    question = Question(
        id=name,
        kind=KINDS[category],
        text=item.text("question"),
        answer=item.label("answer"),
        gold=gold,
        answerable=answerable,
        trap=item.label("adversarial_answer"),
    )
    return question, +quirks

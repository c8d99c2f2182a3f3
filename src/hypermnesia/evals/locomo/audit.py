"""A published audit of LoCoMo's gold: wrong answers and wrong citations, put right.

An entry holds ``question_id`` (``locomo_{conversation}_qa{question}``, both 0-based), ``question``,
``error_type``, ``correct_answer`` and ``correct_evidence``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hypermnesia.errors import InvalidInput
from hypermnesia.evals.fields import Fields, streamed
from hypermnesia.evals.locomo.data import Talk, evidence
from hypermnesia.evals.questions import Question

_ID = re.compile(r"locomo_(\d{1,6})_qa(\d{1,6})")


@dataclass(frozen=True, slots=True)
class Audited:
    """What came of an audit.

    Attributes:
        talks: with the gold put right; a question says so in its ``note``.
        errors: entries applied, by the kind of error they found.
        unmatched: entries on questions of no talk here, such as those of other files.
    """

    talks: list[Talk]
    errors: Mapping[str, int]
    unmatched: int


def audited(talks: Sequence[Talk], path: Path) -> Audited:
    """Put the gold right.

    A question is found by its number and its text. The number of the conversation counts only
    when that leaves a choice, since files hold different parts of the data set.

    Raises:
        InvalidInput: the file cannot be used, or no entry of it fits.
    """
    questions = [list(talk.questions) for talk in talks]
    errors: Counter[str] = Counter()
    unmatched = 0
    for entry in streamed(path, "entry"):
        conversation, number = _numbers(entry)
        text = entry.text("question")
        fitting = [
            index
            for index, asked in enumerate(questions)
            if number < len(asked) and asked[number].text == text
        ]
        if not fitting:
            unmatched += 1
            continue
        place = conversation if conversation in fitting else fitting[0]
        questions[place][number] = _corrected(questions[place][number], entry, talks[place])
        errors[entry.text("error_type")] += 1
    if not errors:
        raise InvalidInput(f"{path}: no entry is on a question of this data set")
    corrected = [
        replace(talk, questions=tuple(asked)) for talk, asked in zip(talks, questions, strict=True)
    ]
    return Audited(corrected, dict(sorted(errors.items())), unmatched)


def _numbers(entry: Fields) -> tuple[int, int]:
    match = _ID.fullmatch(entry.text("question_id"))
    if match is None:
        raise entry.wrong("question_id", "is not written locomo_N_qaM")
    return int(match[1]), int(match[2])


def _corrected(question: Question, entry: Fields, talk: Talk) -> Question:
    turns = {turn.id: turn for turn in talk.turns}
    gold, _ = evidence(entry.texts("correct_evidence"), turns)
    return replace(
        question,
        answer=entry.label("correct_answer") or question.answer,
        gold=gold or question.gold,
        note=entry.text("error_type"),
    )

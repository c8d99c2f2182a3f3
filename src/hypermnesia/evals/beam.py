"""BEAM (Tavakoli et al., arXiv 2510.27246): ten kinds of questions on long chats with an assistant.

One file a conversation::

    {"conversation": 1,
     "turns": [{"id": 0, "role": "user", "time_anchor": "March-15-2024" or null, "content": ...}],
     "questions": [{"id", "type", "question", "answer", "rubric": [...], "evidence": ...}]}

Evidence is a list of ids of turns (or of lists of them), or an object of such lists:
``original_info`` and ``updated_info`` of an update, the statements of a contradiction, the events
of a question on time. An abstention has none. What is measured of each kind:

- an update is found if the updated turn is; ``stale_at_1`` and ``original_first`` say that the
  original stood first or before it, ``updated_first`` that it stood behind it or was not found;
- a contradiction or a span of time is found if all its turns are: ``recall_all``;
- an abstention is right if it is not answered: ``abstained``;
- ``evidence_recall`` counts all turns of the evidence, outdated ones too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from hypermnesia.errors import InvalidInput
from hypermnesia.evals.asking import DEPTHS
from hypermnesia.evals.fields import Fields, streamed
from hypermnesia.evals.judging import judge_rubric
from hypermnesia.evals.metrics import recall, stale_at_1
from hypermnesia.evals.questions import Question
from hypermnesia.evals.talks import Scoring, Talk

ABSTENTION = "abstention"
ORIGINAL, UPDATED = "original_info", "updated_info"
_OPENED = {"turns": 1, "questions": 1}


def files(paths: Sequence[Path]) -> list[Path]:
    """The files named, and those of folders in the order of their numbers or names.

    Raises:
        InvalidInput: a folder holds no JSON file.
    """
    found: list[Path] = []
    for path in paths:
        inside = sorted(path.glob("*.json"), key=_place) if path.is_dir() else [path]
        if not inside:
            raise InvalidInput(f"{path} holds no .json file")
        found += inside
    return found


def talks(paths: Sequence[Path]) -> Iterator[Talk]:
    """Every conversation, read when it is reached.

    Raises:
        InvalidInput: a file cannot be used; the field and the item are named.
    """
    for path in paths:
        for item in streamed(path, "conversation", _OPENED):
            yield _talk(item)


def ranking(question: Question, ranked: Sequence[str]) -> dict[str, float]:
    """What is measured of a ranking beside the usual; see the top of the module."""
    evidence = (*question.gold, *question.stale)
    if not question.answerable or not evidence:
        return {}
    found = {f"evidence_recall@{k}": recall(ranked, evidence, k) for k in DEPTHS}
    if not question.stale:
        return found
    updated, original = (_rank(ranked, ids) for ids in (question.gold, question.stale))
    return found | {
        "stale_at_1": stale_at_1(ranked, question.stale),
        "updated_first": float(updated < original),
        "original_first": float(original < updated),
    }


SCORING = Scoring(ranking, judge_rubric)


def _rank(ranked: Sequence[str], ids: Sequence[str]) -> int:
    """0-based rank of the first of these ids; the length of the ranking if none is there."""
    return next((rank for rank, each in enumerate(ranked) if each in ids), len(ranked))


def _place(path: Path) -> tuple[int, str]:
    return (int(path.stem), "") if path.stem.isdecimal() else (10**9, path.stem)


def _talk(item: Fields) -> Talk:
    messages = list(_messages(item.objects("turns", "turn")))
    known = {message["id"] for message in messages}
    name = item.label("conversation") or item.where
    questions = [_question(each, known) for each in item.objects("questions", "question")]
    return Talk(name, messages, questions)


def _messages(turns: Sequence[Fields]) -> Iterator[dict[str, Any]]:
    """Turns as messages; a time opens a session and holds until the next."""
    session, at = 0, None
    for turn in turns:
        anchor = turn.moment("time_anchor")
        if anchor is not None:
            session, at = session + 1, anchor
        yield {
            "role": turn.text("role"),
            "content": turn.label("content"),
            "id": str(turn.whole("id")),
            "session": f"session {session}",
            "timestamp": at,
        }


def _question(item: Fields, known: set[str]) -> Question:
    kind = item.text("type")
    evidence = item.values.get("evidence")
    parts: Mapping[str, Any] = (
        cast("dict[str, Any]", evidence) if isinstance(evidence, dict) else {"evidence": evidence}
    )
    ids = {name: _ids(item, part, known) for name, part in parts.items()}
    stale = ids.pop(ORIGINAL, ())
    gold = tuple(dict.fromkeys(turn for part in ids.values() for turn in part))
    if kind != ABSTENTION and not gold:
        raise item.wrong("evidence", "names no turn")
    return Question(
        id=item.text("id"),
        kind=kind,
        text=item.text("question"),
        answer=item.label("answer"),
        gold=gold,
        stale=tuple(turn for turn in stale if turn not in gold),
        answerable=kind != ABSTENTION,
        rubric=item.texts("rubric"),
    )


def _ids(item: Fields, part: object, known: set[str]) -> tuple[str, ...]:
    """The turns of one list of evidence."""
    if part is None:
        return ()
    if not isinstance(part, list):
        raise item.wrong("evidence", "must be a list of ids of turns, or an object of such lists")
    ids = tuple(dict.fromkeys(_flat(cast("list[object]", part))))
    if unknown := [each for each in ids if each not in known]:
        raise item.wrong("evidence", f"names turns that are not there: {', '.join(unknown)[:80]}")
    return ids


def _flat(values: list[object]) -> Iterator[str]:
    """Ids as texts; turns that belong together stand in a list of their own."""
    for value in values:
        if isinstance(value, list):
            yield from map(str, cast("list[object]", value))
        else:
            yield str(value)

"""LongMemEval (Wu et al., ICLR 2025, arXiv 2410.10813): each question has a haystack of its own.

The official file is a list of objects with ``question_id``, ``question_type``, ``question``,
``answer``, ``question_date``, ``haystack_session_ids``, ``haystack_dates``, ``haystack_sessions``
(lists of turns ``role, content, has_answer?``) and ``answer_session_ids``. An id that ends in
``_abs`` is a question without an answer; these are a class of their own.

Turns are named ``{session}_{number}`` from 1, as in the official script. That script ranks user
turns alone; here all turns are ranked, and all that are marked ``has_answer`` are gold. A session
stands where its first turn does. Judging uses this package's prompts, not the official ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, cast

from hypermnesia.errors import InvalidInput
from hypermnesia.evals.fields import Fields, streamed
from hypermnesia.evals.judging import judge
from hypermnesia.evals.metrics import measured
from hypermnesia.evals.questions import Question
from hypermnesia.evals.talks import Scoring, Talk
from hypermnesia.graph.timestamps import instant

ABSTENTION = "abstention"
SESSION_METRICS = tuple(
    f"{name}@{depth}"
    for name in ("any_hit", "recall_all", "recall", "ndcg")
    for depth in (1, 3, 5, 10, 30)
)
"""What is measured of a ranking of sessions; at most 50 turns are ranked."""
_OPENED = {"haystack_sessions": 1}
_WEEKDAY = re.compile(r"\([A-Za-z]{2,9}\)")


def talks(path: Path, limit: int | None = None) -> Iterator[Talk]:
    """Every question with its haystack, read when it is reached.

    Args:
        path: the file.
        limit: only so many from the beginning.

    Raises:
        InvalidInput: the file cannot be used; the field and the item are named.
    """
    for item in islice(streamed(path, "question", _OPENED), limit):
        yield _talk(item)


def ranking(question: Question, ranked: Sequence[str]) -> dict[str, float]:
    """Recall of the sessions that hold the answer; see the top of the module."""
    if not question.answerable or not question.sessions:
        return {}
    sessions = tuple(dict.fromkeys(turn.rpartition("_")[0] for turn in ranked))
    found = measured(sessions, question.sessions, SESSION_METRICS)
    return {f"session_{name}": value for name, value in found.items()}


SCORING = Scoring(ranking, judge)


def _talk(item: Fields) -> Talk:
    name = item.text("question_id")
    messages: list[dict[str, Any]] = []
    gold: list[str] = []
    for session, said, turns in _sessions(item):
        for number, turn in enumerate(turns, start=1):
            turn_id = f"{session}_{number}"
            if turn.values.get("has_answer") is True:
                gold.append(turn_id)
            messages.append(
                {
                    "role": turn.text("role"),
                    "content": turn.label("content"),
                    "id": turn_id,
                    "session": session,
                    "timestamp": said,
                }
            )
    return Talk(name, messages, [_question(item, name, gold)])


def _question(item: Fields, name: str, gold: Sequence[str]) -> Question:
    answerable = not name.endswith("_abs")
    if answerable and not item.label("answer"):
        raise item.wrong("answer", "is missing")
    return Question(
        id=name,
        kind=item.text("question_type") if answerable else ABSTENTION,
        text=item.text("question"),
        answer=item.label("answer") if answerable else "",
        gold=tuple(gold) if answerable else (),
        answerable=answerable,
        sessions=item.texts("answer_session_ids"),
        asked=_moment(item, "question_date", item.label("question_date")),
    )


def _sessions(item: Fields) -> Iterator[tuple[str, datetime | None, list[Fields]]]:
    """Each session's id, time and turns; one that comes again is passed over.

    Raises:
        InvalidInput: ids, dates and sessions differ in number.
    """
    names, dates = item.texts("haystack_session_ids"), item.texts("haystack_dates")
    sessions = item.values.get("haystack_sessions")
    if not isinstance(sessions, list):
        raise item.wrong("haystack_sessions", "must be a list")
    found = cast("list[object]", sessions)
    if not len(names) == len(dates) == len(found):
        raise InvalidInput(
            f"{item.where} has {len(found)} 'haystack_sessions', {len(names)}"
            f" 'haystack_session_ids' and {len(dates)} 'haystack_dates'; they belong together"
        )
    seen: set[str] = set()
    for name, date, session in zip(names, dates, found, strict=True):
        if name in seen:
            continue
        seen.add(name)
        if not isinstance(session, list):
            raise item.wrong("haystack_sessions", f"has a session {name!r} that is no list")
        where = Fields(f"{item.where}, session {name}", {"haystack_sessions": session})
        turns = where.objects("haystack_sessions", "turn")
        yield name, _moment(item, "haystack_dates", date), turns


def _moment(item: Fields, name: str, text: str) -> datetime | None:
    """A date such as ``2023/05/20 (Sat) 02:21``."""
    try:
        return instant(" ".join(_WEEKDAY.sub(" ", text).split()), name)
    except InvalidInput as error:
        raise InvalidInput(f"{item.where}: {error}") from None

"""The questions a remote judge is asked, and the strict reading of its answers.

Three primitives make up every question block: a choice among options, a *noul* (the
probability that a statement is true) and a score on ordered levels. The shapes are
those of the public System One API (``POST /v1/systemone``); the wording is our own.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypeVar

from hypermnesia.errors import JudgeError
from hypermnesia.types import MEMORY_TYPES, Analysis, MemoryType

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hypermnesia.judge.protocol import Passage

T = TypeVar("T")
A = TypeVar("A")

GATE = 3.0
"""Salience below which a memory is low-signal, for judges on the published scale (DGUI)."""
TEXT_LIMIT = 8_000
"""Characters of one text a remote judge reads (about 2,000 tokens); the rest is left out."""
CONCURRENT = 4
"""Requests under way at once for one call: as many as a new memory has neighbours to check."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which of the options fits? Answer: ``{choice, probabilities, confidence}``."""

    instructions: str
    options: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Noul:
    """Is it true? Answer: ``{noul}``, the probability in [0, 1]."""

    instructions: str
    true: str
    false: str


@dataclass(frozen=True, slots=True)
class Score:
    """Which of the ordered levels? Answer: ``{score}``, the expected level, 0 to n - 1."""

    instructions: str
    levels: tuple[str, ...]


Question: TypeAlias = Choice | Noul | Score
UseCase: TypeAlias = Literal["analyze", "rerank", "supersede"]


@dataclass(frozen=True, slots=True)
class Block:
    """Questions about one JSON state.

    Attributes:
        use_case: names the block; part of a corpus row.
        state: what the questions are about.
        questions: each under the key of its answer.
    """

    use_case: UseCase
    state: Mapping[str, Any]
    questions: Mapping[str, Question]


ANALYZE: Mapping[str, Question] = {
    "memory_type": Choice(
        "Of what kind is `memory`?",
        {
            "fact": "States how something is: an attribute, an event, a number, a name, a date.",
            "preference": "States what someone likes, dislikes, wants or habitually does.",
            "decision": "Records a choice that was made, possibly with its reasons.",
            "project": "Describes a project: its goal, state, plan, people or places.",
            "solution": "Tells how a problem was solved or a task is done.",
            "architecture": "Describes how a system is built: parts, interfaces, data flow.",
            "conversation": "Small talk or a passing remark that carries no lasting information.",
        },
    ),
    "durable": Noul(
        "Is `memory` worth recalling in a future session?",
        true="It will still inform or change what is done days or months from now.",
        false="It matters only here and now, or says nothing a later session could use.",
    ),
    "salience": Score(
        "How much does `memory` matter to whoever relies on it later?",
        (
            "Trivial: nothing is lost if it is forgotten",
            "Minor: nice to know, seldom needed",
            "Useful: helps from time to time",
            "Important: work goes wrong or is repeated without it",
            "Critical: forgetting it causes serious harm or loss",
        ),
    ),
}
"""Questions about one memory."""

SUPERSEDE: Mapping[str, Question] = {
    "supersede": Noul(
        "Does `incoming_memory` replace or contradict `existing_memory`?",
        true=(
            "Both speak of the same attribute of the same subject and cannot both hold now:"
            " keeping both active would leave the store inconsistent."
        ),
        false=(
            "They can both hold: another subject, another attribute, an addition, a detail,"
            " a repetition, or a step of the same plan."
        ),
    )
}
"""The question about a stored memory and a new one."""


def analyze_block(memory: str) -> Block:
    """Type, durability and salience of one memory."""
    return Block("analyze", {"memory": _clip(memory)}, ANALYZE)


def rerank_block(query: str, candidates: Sequence[str]) -> Block:
    """One noul a candidate, keys ``c0`` to ``cN``, all in one block."""
    state = {
        "query": _clip(query),
        "candidates": [{"index": i, "memory": _clip(text)} for i, text in enumerate(candidates)],
    }
    questions = {f"c{i}": _relevance_question(i) for i in range(len(candidates))}
    return Block("rerank", state, questions)


def supersede_block(existing: str, incoming: str) -> Block:
    """Whether a new memory replaces a stored one."""
    state = {"existing_memory": _clip(existing), "incoming_memory": _clip(incoming)}
    return Block("supersede", state, SUPERSEDE)


def wire(question: Question) -> dict[str, Any]:
    """The JSON form of a question."""
    match question:
        case Choice(instructions, options):
            criteria: Any = dict(options)
            kind = "choice"
        case Noul(instructions, true, false):
            criteria = {"true": true, "false": false}
            kind = "noul"
        case Score(instructions, levels):
            criteria = list(levels)
            kind = "score"
    return {"type": kind, "instructions": instructions, "criteria": criteria}


class Ask(Protocol):
    """How a backend gets one block answered: the answers, as ``read`` understands them."""

    def __call__(self, block: Block, read: Callable[[Any], T]) -> T:
        """Raises JudgeError: no usable answer."""
        ...


def analyze(ask: Ask, memories: Sequence[Passage]) -> list[Analysis]:
    """Every memory analysed, a few requests at a time; see :class:`.protocol.Judge`."""
    return _each(lambda memory: ask(analyze_block(memory.text), read_analysis), memories)


def relevance(ask: Ask, query: Passage, candidates: Sequence[Passage]) -> list[float]:
    """All candidates judged in one request; see :class:`.protocol.Judge`."""
    if not candidates:
        return []
    block = rerank_block(query.text, [candidate.text for candidate in candidates])
    return ask(block, lambda answers: read_relevance(answers, len(candidates)))


def supersede(ask: Ask, existing: Sequence[Passage], incoming: Passage) -> list[float]:
    """Every stored memory judged, a few requests at a time; see :class:`.protocol.Judge`."""
    return _each(
        lambda passage: ask(supersede_block(passage.text, incoming.text), read_supersede), existing
    )


def read_analysis(answers: Any) -> Analysis:
    """An analysis from the answers to :data:`ANALYZE`.

    Raises:
        JudgeError: an answer is missing, of another type, or not finite.
    """
    keyed = _mapping(answers, "the answers")
    choice = _mapping(_entry(keyed, "memory_type"), "the answer memory_type")
    probabilities = _type_probabilities(choice)
    chosen = choice.get("choice")
    return Analysis(
        memory_type=max(MEMORY_TYPES, key=lambda t: (probabilities[t], t == chosen)),
        type_probabilities=probabilities,
        durable=_number(_entry(keyed, "durable"), "durable", "noul", 1.0),
        salience=_number(_entry(keyed, "salience"), "salience", "score", 4.0),
    )


def read_relevance(answers: Any, count: int) -> list[float]:
    """A probability a candidate from the answers to :func:`rerank_block`; a missing one is 0.

    Raises:
        JudgeError: an answer is of another type or not finite, or not one was given.
    """
    keyed = _mapping(answers, "the answers")
    keys = [f"c{i}" for i in range(count)]
    if not any(key in keyed for key in keys):
        raise JudgeError(f"the judge answered none of the {count} candidates")
    return [_number(keyed[key], key, "noul", 1.0) if key in keyed else 0.0 for key in keys]


def read_supersede(answers: Any) -> float:
    """The probability from the answers to :data:`SUPERSEDE`.

    Raises:
        JudgeError: the answer is missing, of another type, or not finite.
    """
    return _number(_entry(_mapping(answers, "the answers"), "supersede"), "supersede", "noul", 1.0)


def _relevance_question(index: int) -> Noul:
    return Noul(
        f"Does `candidates[{index}].memory` help to answer `query`?",
        true="It contains the answer or a part of it, or is needed to work it out.",
        false="It is about something else, or merely shares words with the query.",
    )


def _type_probabilities(answer: Mapping[str, Any]) -> dict[MemoryType, float]:
    """The seven probabilities, scaled to sum to 1; options that do not exist are left out."""
    given = _mapping(answer.get("probabilities"), "the probabilities of memory_type")
    known = {t: bounded(given[t], f"memory_type {t}", 1.0) for t in MEMORY_TYPES if t in given}
    total = math.fsum(known.values())
    if total <= 0.0:
        raise JudgeError("the judge gave no probability to any of the seven memory types")
    return {t: known.get(t, 0.0) / total for t in MEMORY_TYPES}


def _entry(answers: Mapping[str, Any], key: str) -> Any:
    if key not in answers:
        raise JudgeError(f"the judge left {key} unanswered")
    return answers[key]


def _number(answer: Any, key: str, field: str, high: float) -> float:
    return bounded(_mapping(answer, f"the answer {key}").get(field), f"{key}.{field}", high)


def bounded(value: Any, name: str, high: float) -> float:
    """The value clamped to [0, high]; bools and numbers in quotes are no numbers.

    Raises:
        JudgeError: the value is no number, or not finite.
    """
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise JudgeError(f"the judge gave no number for {name}, but {type(value).__name__}")
    clamped = min(max(value, 0), high)  # before isfinite, which cannot take a huge integer
    if isinstance(value, float) and not math.isfinite(value):
        raise JudgeError(f"the judge gave a value for {name} that is not finite")
    return float(clamped)


def _mapping(value: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise JudgeError(f"{name} should be a JSON object, but {type(value).__name__} came")
    return value


def _clip(text: str) -> str:
    return text if len(text) <= TEXT_LIMIT else text[: TEXT_LIMIT - 1] + "…"


def _each(answer: Callable[[A], T], items: Sequence[A]) -> list[T]:
    """Answers in order; the first failure cancels what has not begun."""
    if len(items) <= 1:
        return [answer(item) for item in items]
    with ThreadPoolExecutor(min(len(items), CONCURRENT)) as pool:
        return list(pool.map(answer, items))

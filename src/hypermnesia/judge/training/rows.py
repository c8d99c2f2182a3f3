"""Reading what a corpus teaches: rows of judgements, as they are exported."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from hypermnesia.errors import InvalidInput, JudgeError
from hypermnesia.judge.protocol import is_local
from hypermnesia.judge.questions import read_analysis, read_relevance, read_supersede
from hypermnesia.types import MEMORY_TYPES

MOST = 20_000
"""Rows of one use case that are learnt from; of more, the last in the file."""


@dataclass(frozen=True, slots=True)
class Analysed:
    """What was said of one memory.

    Attributes:
        memory: its id, where the row has one.
        types: probability of each of the seven types, in their order.
    """

    text: str
    memory: str | None
    types: tuple[float, ...]
    durable: float
    salience: float


@dataclass(frozen=True, slots=True)
class Ranked:
    """How much each candidate was said to help to answer a query."""

    query: str
    candidates: tuple[str, ...]
    relevance: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """With what probability a memory was said to replace another."""

    existing: str
    incoming: str
    replaces: float


@dataclass(slots=True)
class Corpus:
    """What a file teaches. Mutable: filled while it is read.

    Attributes:
        rows: how many it holds.
        own: of them, answered by the local judge itself, which teach it nothing.
        unusable: of them, that are no judgement.
        fault: what is wrong with the first of those, and in which line.
    """

    analysed: list[Analysed] = field(default_factory=list[Analysed])
    ranked: list[Ranked] = field(default_factory=list[Ranked])
    compared: list[Compared] = field(default_factory=list[Compared])
    rows: int = 0
    own: int = 0
    unusable: int = 0
    fault: str | None = None


def read(path: Path) -> Corpus:
    """Every judgement of a file that another judge than the local one made.

    A row that cannot be used is counted and passed over; one that is there twice counts once.

    Args:
        path: JSON lines in the row schema of ``hypermnesia corpus export``.

    Raises:
        InvalidInput: the file cannot be read, or holds nothing to learn from.
    """
    corpus = Corpus()
    seen = set[str]()
    for number, line in _lines(path):
        corpus.rows += 1
        try:
            row = _object(json.loads(line), "the row")
            if row.get("id") is not None and str(row["id"]) in seen:
                continue
            seen.add(str(row.get("id")))
            _take(corpus, row)
        except (ValueError, RecursionError, JudgeError) as error:
            corpus.unusable += 1
            corpus.fault = corpus.fault or f"line {number}: {_told(error)}"
    for rows in (corpus.analysed, corpus.ranked, corpus.compared):
        del rows[:-MOST]
    if not (corpus.analysed or corpus.ranked or corpus.compared):
        raise InvalidInput(f"{path} holds nothing to learn from: {_why_not(corpus)}")
    return corpus


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, line
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8 text; export the corpus as JSON lines") from error


def _take(corpus: Corpus, row: Mapping[str, Any]) -> None:
    if is_local(str(row.get("provider"))):
        corpus.own += 1
        return
    state, answers = _object(row.get("state"), "state"), _object(row.get("answers"), "answers")
    match row.get("use_case"):
        case "analyze":
            corpus.analysed.append(_analysed(state, answers, row.get("memory_id")))
        case "rerank":
            corpus.ranked.append(_ranked(state, answers))
        case "supersede":
            texts = _text(state, "existing_memory"), _text(state, "incoming_memory")
            corpus.compared.append(Compared(*texts, read_supersede(answers)))
        case other:
            raise ValueError(f"use_case is {str(other)[:40]!r}")


def _analysed(state: Mapping[str, Any], answers: Mapping[str, Any], memory: object) -> Analysed:
    said = read_analysis(answers)
    return Analysed(
        text=_text(state, "memory"),
        memory=memory if isinstance(memory, str) else None,
        types=tuple(said.type_probabilities[kind] for kind in MEMORY_TYPES),
        durable=said.durable,
        salience=said.salience,
    )


def _ranked(state: Mapping[str, Any], answers: Mapping[str, Any]) -> Ranked:
    listed = state.get("candidates")
    if not isinstance(listed, list) or not listed:
        raise ValueError("state has no candidates")
    candidates = tuple(
        _text(_object(each, "a candidate"), "memory") for each in cast("list[Any]", listed)
    )
    relevance = read_relevance(answers, len(candidates))
    return Ranked(_text(state, "query"), candidates, tuple(relevance))


def _object(value: Any, name: str) -> Mapping[str, Any]:
    """A JSON object; columns of a table hold it as text."""
    if isinstance(value, str):
        value = json.loads(value)
    if not isinstance(value, dict):
        raise ValueError(f"{name} is no JSON object")  # noqa: TRY004 - a fault of the row
    return cast("dict[str, Any]", value)


def _text(state: Mapping[str, Any], name: str) -> str:
    value = state.get(name)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"state has no text {name}")
    return value


def _told(error: Exception) -> str:
    """What is wrong, without the row's content."""
    return "not JSON" if isinstance(error, json.JSONDecodeError | RecursionError) else str(error)


def _why_not(corpus: Corpus) -> str:
    if corpus.own:
        return (
            f"the local judge itself gave {corpus.own} of its {corpus.rows} answers; rows of"
            ' another judge (`judge = "chat"` or `"system_one"`) are needed'
        )
    return corpus.fault or "it is empty"

"""What the simulated agent writes; every text was written for this project."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Concept:
    """A memory, perhaps said twice, and a question that shares no content word with either."""

    kind: str
    statement: str
    restated: str | None
    question: str


@dataclass(frozen=True, slots=True)
class Fact:
    """One aspect of a component (``{P}``, ``{C}``) or a person (``{N}``), with values ``{V}``."""

    kind: str
    aspect: str
    holder: Literal["component", "person"]
    statements: tuple[str, ...]
    questions: tuple[str, ...]
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Slot:
    """One thing of a project ``{P}`` whose value changes from ``{O}`` to ``{V}``."""

    slot: str
    first: tuple[str, ...]
    change: tuple[str, ...]
    restated: str
    values: tuple[str, ...]


@cache
def concepts() -> tuple[Concept, ...]:
    """The bank of semantic pairs."""
    return tuple(Concept(**line) for line in _lines("concepts.jsonl"))


@cache
def facts() -> tuple[Fact, ...]:
    """The bank of facts of which there are many alike."""
    return tuple(Fact(**_tuples(line)) for line in _lines("facts.jsonl"))


@cache
def slots() -> tuple[Slot, ...]:
    """The bank of subjects that change."""
    return tuple(Slot(**_tuples(line)) for line in _lines("slots.jsonl"))


@cache
def chatter() -> tuple[str, ...]:
    """What is said without telling anything."""
    return tuple(_read("chatter.txt").splitlines())


@cache
def stop_words() -> frozenset[str]:
    """Words that two texts may share without sharing content."""
    return frozenset(_read("stop_words.txt").splitlines())


def _lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in _read(name).splitlines()]


def _read(name: str) -> str:
    return (files(__name__) / name).read_text("utf-8")


def _tuples(line: dict[str, Any]) -> dict[str, Any]:
    return {k: tuple(v) if isinstance(v, list) else v for k, v in line.items()}

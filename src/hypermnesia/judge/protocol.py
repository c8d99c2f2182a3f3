"""What every judge answers, and what it is asked about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from hypermnesia.types import Analysis, Matrix

T = TypeVar("T")

LOCAL = "local"
"""Backend of the local judge with the heads that ship; with others their digest follows."""


def is_local(backend: str) -> bool:
    """Whether the local judge gave an answer, with whichever heads."""
    return backend == LOCAL or backend.startswith(f"{LOCAL}_")


@dataclass(frozen=True, slots=True)
class Passage:
    """A text with the vectors that a local judge reads; a remote one reads the text alone.

    Attributes:
        text: a memory's content, or a query.
        dense: L2-normalised vector of each window, shape ``(chunks, d)``.
        tokens: reduced, L2-normalised token vectors, shape ``(t, p)``; see
            :mod:`hypermnesia.models.late`. Empty when the encoder has none.
        weights: importance of each token vector, shape ``(t,)``; all ones for a memory.
        said: it is a statement taken from talk, where people repeat themselves in other words.
        memory: id of the memory that says it; ``None`` for a query.
    """

    text: str
    dense: Matrix
    tokens: Matrix
    weights: Matrix
    said: bool = False
    memory: str | None = None


class Judge(Protocol):
    """Answers three kinds of question. Every number it returns is finite and bounded."""

    @property
    def name(self) -> str:
        """The backend's name as it is recorded with a memory."""
        ...

    @property
    def gate(self) -> float:
        """Default salience in [0, 4] below which a memory is low-signal.

        It belongs to the judge because each has its own score distribution.
        """
        ...

    def analyze(self, memories: Sequence[Passage]) -> list[Analysis]:
        """Type, durability and salience of each memory, given without its token vectors.

        Raises:
            JudgeError: no usable answer after the bounded retries.
        """
        ...

    def relevance(self, query: Passage, candidates: Sequence[Passage]) -> list[float]:
        """Probability in [0, 1] that each candidate helps to answer the query.

        Raises:
            JudgeError: no usable answer after the bounded retries.
        """
        ...

    def supersede(self, existing: Sequence[Passage], incoming: Passage) -> list[float]:
        """Probability in [0, 1] that ``incoming`` replaces or contradicts each existing memory.

        That is: keeping both active would leave the store inconsistent.

        Raises:
            JudgeError: no usable answer after the bounded retries.
        """
        ...


@dataclass(frozen=True, slots=True)
class Judged(Generic[T]):
    """An answer with the name of the backend that gave it.

    Attributes:
        value: the answer; ``None`` when every judge is off or failed.
        backend: name of the judge that answered, or ``"off"``.
        degraded: a judge earlier in the chain was asked first and failed.
    """

    value: T | None
    backend: str
    degraded: bool

"""What a system under comparison takes, gives and does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

from hypermnesia.graph.messages import Message


@dataclass(frozen=True, slots=True)
class Item:
    """Something to remember.

    Attributes:
        id: unique in its collection; what a search answers with.
        text: what a system without a notion of speakers indexes: ``Speaker: words [shares
            caption]`` for an utterance.
        at: since when it holds, or when it was said; ``None`` = unknown.
        said: the same as an utterance of a conversation; ``None`` = a text by itself.
    """

    id: str
    text: str
    at: datetime | None = None
    said: Message | None = None


class Found(NamedTuple):
    """An item that a search answers with; scores are the system's own, higher is better."""

    id: str
    score: float


class Adapter(Protocol):
    """A memory system on a folder of its own. Used by one thread.

    A system may raise whatever it likes: what calls it reports that in its name.
    """

    def add(self, items: Sequence[Item]) -> int:
        """Remember items; when this returns, they are on disk and every search finds them.

        Returns:
            How many the system would not take.
        """
        ...

    def search(self, query: str, k: int) -> list[Found]:
        """At most ``k`` items that answer best, best first, each once.

        Args:
            query: any text that is not blank.
            k: 1 to 50.
        """
        ...

    def delete(self, ids: Sequence[str]) -> None:
        """Forget items for good; unknown ids are passed over."""
        ...

    def reset(self) -> None:
        """Forget everything; the system can be used on."""
        ...

    def close(self) -> None:
        """Release the files; the system cannot be used afterwards."""
        ...

"""The live memories nearest to newcomers, read as far as they are looked at."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from hypermnesia.engine import SUPERSEDE_NEIGHBOURS, Embedded, Engine
from hypermnesia.judge.protocol import Passage
from hypermnesia.store.columns import micros
from hypermnesia.store.protocol import Filter, Ranked, Told
from hypermnesia.types import INGESTED, Matrix, Node, Vector

UPDATE_NEIGHBOURS = 64
"""Nearest memories among which an earlier value is looked for, if a newcomer gives a new one.

Talk gives a value in passing: the statement it updates is often not among the nearest four.
"""


@dataclass(frozen=True, slots=True)
class Rival:
    """A live memory that a newcomer may replace or be replaced by."""

    node: Node
    embedded: Embedded

    def told(self) -> Told:
        """What it says."""
        return Told(self.node.id, self.node.content, micros(self.node.valid_from))

    def passage(self) -> Passage:
        """The memory as a judge reads it; made when asked for, since few neighbours are judged."""
        return self.embedded.passage(self.node.id, said=is_said(self.node))

    def without_tokens(self) -> Passage:
        """The same for what is told by words and sentence vectors alone."""
        return self.embedded.without_tokens(self.node.id, said=is_said(self.node))


@dataclass(frozen=True, slots=True)
class Shelf:
    """Stored memories that pass a filter; what is read of a row is what was asked for.

    Most neighbours of a newcomer need no more than their texts.
    """

    engine: Engine
    where: Filter
    known: dict[int, Rival | None] = field(default_factory=dict[int, "Rival | None"])
    skimmed: dict[int, Told | None] = field(default_factory=dict[int, "Told | None"])

    def skim(self, keys: Iterable[int]) -> None:
        """Read the texts of those that were not read yet, all at once."""
        if unread := sorted({k for k in keys if k not in self.known and k not in self.skimmed}):
            self.skimmed.update(dict.fromkeys(unread))
            self.skimmed.update(self.engine.store.texts(self.where, unread))

    def told(self, key: int) -> Told | None:
        """What one of them says; ``None`` if it does not pass or its row is damaged."""
        if key in self.known:
            rival = self.known[key]
            return rival and rival.told()
        if key not in self.skimmed:
            self.skim([key])
        return self.skimmed[key]

    def read(self, keys: Iterable[int]) -> None:
        """Read those that were not read yet, all at once."""
        if unread := sorted({key for key in keys if key not in self.known}):
            self.known.update(dict.fromkeys(unread))
            for s in self.engine.store.fetch(self.where, unread):
                self.known[s.key] = Rival(s.node, Embedded(s.node.content, s.dense, s.tokens))

    def get(self, key: int) -> Rival | None:
        """One of them; ``None`` if it does not pass or its row is damaged."""
        if key not in self.known:
            self.read([key])
        return self.known[key]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Those of a newcomer, the nearest first.

    Attributes:
        newcomer: itself, without its token vectors, which telling who is comparable spares.
        at: its event time, in microseconds since 1970.
        keys: of stored memories and, as ``~i``, places of earlier newcomers.
    """

    shelf: Shelf
    peers: Sequence[Rival]
    newcomer: Passage
    at: int
    keys: Sequence[int]
    _open: dict[int, bool] = field(default_factory=dict[int, bool])

    def texts(self, gone: Collection[str]) -> Iterator[tuple[int, str]]:
        """Key and content of those that nothing has replaced."""
        for key in self.keys:
            told = self._told(key)
            if told and told.id not in gone:
                yield key, told.content

    def comparable(self, keys: Sequence[int]) -> list[int]:
        """Those of the keys that need to be judged; of most, the text says that they need not."""
        asked = [key for key in keys if key not in self._open]
        told = {key: told for key in asked if (told := self._told(key))}
        # What is newer is not replaced: it may replace the newcomer.
        self._open.update((key, key in told) for key in asked)
        older = [key for key, text in told.items() if text.at <= self.at]
        texts = [told[key].content for key in older]
        if texts:
            worth = self.shelf.engine.judge.may_replace(texts, self.newcomer)
            self._open.update(zip(older, worth, strict=True))
        return [key for key in keys if self._open[key]]

    def rivals(self, keys: Sequence[int]) -> list[Rival]:
        """Some of them, whole; without those whose rows are damaged."""
        self.shelf.read(key for key in keys if key >= 0)
        found = (self.peers[~key] if key < 0 else self.shelf.get(key) for key in keys)
        return [rival for rival in found if rival is not None]

    def _told(self, key: int) -> Told | None:
        return self.peers[~key].told() if key < 0 else self.shelf.told(key)


def nearest(engine: Engine, where: Filter, means: Matrix, wide: Sequence[bool]) -> list[Ranked]:
    """Each newcomer's nearest stored memories; more of them if it gives values as new.

    Args:
        engine: without a judge nobody is compared, so nobody is looked for.
        where: which memories count.
        means: the newcomers' directions, shape ``(n, d)``.
        wide: whether each gives a value as new.
    """
    if not engine.judge.present:
        return [Ranked((), ())] * len(wide)
    # Twice as many as are judged: an earlier newcomer may have replaced some of them.
    limits = [UPDATE_NEIGHBOURS if more else SUPERSEDE_NEIGHBOURS * 2 for more in wide]
    return engine.store.nearest(where, means, limits)


def merged(stored: Ranked, peers: Vector) -> list[int]:
    """Keys of stored memories and, as ``~i``, places of earlier newcomers, the nearest first.

    Args:
        stored: nearest stored memories.
        peers: cosines of the earlier newcomers, shape ``(i,)``.
    """
    scores = np.concatenate([np.asarray(stored.scores, np.float32), peers])
    keys = np.concatenate([np.asarray(stored.keys, np.int64), ~np.arange(len(peers))])
    return keys[np.argsort(-scores, kind="stable")].tolist()


def is_said(node: Node) -> bool:
    """Whether it comes from a conversation."""
    return node.provenance.source == INGESTED

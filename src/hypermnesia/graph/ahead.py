"""Reading a source of talk in chunks, and embedding them before they are stored."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice

from hypermnesia.engine import Engine, Located, locate, slices
from hypermnesia.graph.arrival import Arrival
from hypermnesia.graph.messages import Rejected

CHUNK = 128
"""Messages stored per transaction, at most: enough to find some of equal length to embed together,
and to tell an episode or a topic that grows anew but seldom."""
AHEAD = 2
"""Chunks that are being embedded, or wait for it, while one is stored: with a single one the
encoder would have nothing to do from the moment it is done until the next one is at hand."""
CHUNK_CHARACTERS = 500_000
"""Characters after which a chunk is full: their token vectors take some 200 MB."""


@dataclass(slots=True)
class Source:
    """Where arrivals come from.

    Attributes:
        broken: why it broke off; kept until what came before is stored.
    """

    arrivals: Iterator[Arrival | Rejected]
    broken: Exception | None = None

    def read(self) -> Iterator[Arrival | Rejected]:
        """The arrivals up to the end, or to where it broke off."""
        try:
            yield from self.arrivals
        except Exception as error:  # noqa: BLE001 - the source is the caller's, and may raise anything
            self.broken = error


@dataclass(frozen=True, slots=True)
class Chunk:
    """Messages that are stored together.

    Attributes:
        new: those that the store did not know when they were read, by hash.
        known: how many it did.
        rejected: what cannot be stored.
        located: vectors of the new ones, in their order, slice by slice, once they are made.
    """

    size: int
    new: Mapping[bytes, Arrival]
    known: int
    rejected: Sequence[Rejected]
    located: Sequence[Future[list[Located]]]


def embedded_ahead(
    engine: Engine, scope: str, arrivals: Iterator[Arrival | Rejected]
) -> Generator[tuple[Chunk, bool]]:
    """Each chunk, and whether it is the last, while threads embed those after it.

    Most of the time goes into embedding, which needs no interpreter lock. The threads end with
    the iteration, after the slices that they are at.
    """
    pool = ThreadPoolExecutor(AHEAD, "hypermnesia-embed")
    read = iter(lambda: _read(engine, scope, arrivals, pool), None)
    try:
        ahead = deque(islice(read, AHEAD))
        while ahead:
            ahead.extend(islice(read, 1))
            yield ahead.popleft(), not ahead
    finally:
        pool.shutdown(cancel_futures=True)


def _read(
    engine: Engine, scope: str, arrivals: Iterator[Arrival | Rejected], pool: Executor
) -> Chunk | None:
    """The next chunk, its embedding begun; ``None`` at the end."""
    items = _chunk(arrivals)
    if not items:
        return None
    arrived = {item.hash: item for item in items if isinstance(item, Arrival)}
    told = {digest: {digest, *item.masked} for digest, item in arrived.items()}
    known = engine.store.live(scope, list(set().union(*told.values())))
    new = {digest: item for digest, item in arrived.items() if known.isdisjoint(told[digest])}
    return Chunk(
        size=len(items),
        new=new,
        known=len(arrived) - len(new),
        rejected=[item for item in items if isinstance(item, Rejected)],
        located=[
            pool.submit(locate, engine.embedder, texts)
            for texts in slices((item.content for item in new.values()), len)
        ],
    )


def _chunk(arrivals: Iterator[Arrival | Rejected]) -> list[Arrival | Rejected]:
    """What is stored together: few enough messages, and little enough text."""
    return next(slices(arrivals, _length, most=CHUNK, full=CHUNK_CHARACTERS), [])


def _length(item: Arrival | Rejected) -> int:
    return len(item.content) if isinstance(item, Arrival) else 0

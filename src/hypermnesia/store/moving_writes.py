"""Writing the rows of a move through the verbs that every store's transaction has."""

from __future__ import annotations

import numpy as np

from hypermnesia.store.columns import Parameters, node_of
from hypermnesia.store.moving import MovedLinks, MovedMemory
from hypermnesia.store.protocol import Record, Writer
from hypermnesia.store.vectors import unpacked


def record_of(memory: MovedMemory, dimension: int) -> Record:
    """A memory that was not forgotten, as it is inserted."""
    assert memory.hash is not None  # noqa: S101 - the caller looked
    dense = (
        unpacked(memory.dense, dimension) if memory.dense else np.zeros((0, dimension), np.float32)
    )
    return Record(node_of((0, *memory.row)), memory.hash, dense, memory.tokens)


def fields_of_row(row: Parameters) -> Parameters:
    """The values of :data:`~hypermnesia.store.columns.FIELDS` in a moved row."""
    return (row[0], *row[2:23])


def link(writer: Writer, links: MovedLinks) -> None:
    """Store what the hypergraph knows of a memory; the other ends are there."""
    if links.place is not None:
        writer.place(links.id, links.place, links.days)
    elif links.days:
        writer.date(links.id, links.days)
    if links.sources:
        writer.cite(links.id, links.sources)
    if links.members:
        writer.join(links.members)

"""What the channels found, with every signal for every candidate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hypermnesia.judge.protocol import Passage
from hypermnesia.models.late import expand
from hypermnesia.store.protocol import Signals
from hypermnesia.types import Node, Vector


@dataclass(frozen=True, slots=True)
class Pool:
    """What the channels found, with every signal for every candidate.

    Attributes:
        keys: the candidates, ``n`` of them.
        dense: best cosine over a memory's windows, ``(n,)``; NaN without vectors.
        lexical: BM25, ``(n,)``; 0 when no term of the query was matched.
        late: weighted MaxSim, ``(n,)``; NaN without token vectors.
        signals: the vectors that ``dense`` and ``late`` came from.
    """

    keys: Sequence[int]
    dense: Vector
    lexical: Vector
    late: Vector
    signals: Signals

    def passage(self, place: int, node: Node) -> Passage:
        """One candidate as a judge reads it, made of the vectors that are here already."""
        tokens = expand(self.signals.tokens[place])
        dense = self.signals.dense[self.signals.owners == place]
        weights = np.ones(len(tokens), np.float32)
        return Passage(node.content, dense, tokens, weights, memory=node.id)

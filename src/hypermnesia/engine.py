"""The parts that the pipelines work with, composed once by :func:`hypermnesia.config.build`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from hypermnesia.judge.chain import Chain
from hypermnesia.judge.protocol import Passage
from hypermnesia.models.encoder import Embedder
from hypermnesia.models.late import compress_all, expand
from hypermnesia.store.protocol import Store, Stored
from hypermnesia.types import Matrix

Preset: TypeAlias = Literal["default", "dgui"]
"""``dgui`` is the published read path; ``default`` is ours."""
Fusion: TypeAlias = Literal["absolute", "rrf", "z_score"]
RecallRedaction: TypeAlias = Literal["secrets", "personal", "off"]

SUPERSEDE_THRESHOLD = 0.80
"""Probability from which a newer memory replaces an older one (DGUI-HyperMem, write, step 7)."""
SUPERSEDE_NEIGHBOURS = 4
"""Nearest active memories that a newcomer is compared with (DGUI-HyperMem, write path step 7)."""


@dataclass(frozen=True, slots=True)
class Engine:
    """Store, models and policy of one open memory.

    Attributes:
        gate: salience in [0, 4] below which a memory is low-signal; ``None`` = the judge's own.
        preset: ``dgui`` asks each channel for ``max(2k, 12)`` candidates, as published.
        fusion: how the channels become one score, see :mod:`hypermnesia.read.fuse`.
        channel_depth: candidates the default preset asks of each channel at least.
        lexical_weight: weight of the lexical channel beside a dense weight of 1 in the
            fusions ``rrf`` and ``z_score``.
        redact: what recall masks.
    """

    store: Store
    embedder: Embedder
    judge: Chain
    gate: float | None = None
    supersede_threshold: float = SUPERSEDE_THRESHOLD
    preset: Preset = "default"
    fusion: Fusion = "absolute"
    channel_depth: int = 60
    lexical_weight: float = 1.0
    redact: RecallRedaction = "secrets"


@dataclass(frozen=True, slots=True)
class Embedded:
    """A text with its vectors, as they are stored.

    Attributes:
        dense: one vector per window, shape ``(chunks, d)``.
        tokens: compressed token vectors.
    """

    text: str
    dense: Matrix
    tokens: bytes

    def passage(self) -> Passage:
        """The text as a judge reads it: with the token vectors that storage kept."""
        tokens = expand(self.tokens)
        return Passage(self.text, self.dense, tokens, np.ones(len(tokens), np.float32))


def embed(embedder: Embedder, texts: Sequence[str]) -> list[Embedded]:
    """Encode memories and compress their token vectors."""
    encodings = embedder.encode(texts)
    return [
        Embedded(text, encoding.dense, blob)
        for text, encoding, blob in zip(texts, encodings, compress_all(encodings), strict=True)
    ]


def passage_of(stored: Stored) -> Passage:
    """A stored memory as a judge reads it."""
    return Embedded(stored.node.content, stored.dense, stored.tokens).passage()

"""The texts of a corpus as a judge meets them: memories compressed, queries weighted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from hypermnesia.judge.protocol import Passage
from hypermnesia.judge.training.rows import Corpus
from hypermnesia.models.encoder import Embedder
from hypermnesia.models.late import compress_all, expand, query_tokens
from hypermnesia.types import Matrix

BATCH = 64
_NONE = np.zeros((0, 1), np.float32)


@dataclass(frozen=True, slots=True)
class Texts:
    """Every text of a corpus, encoded once."""

    memories: Mapping[str, Passage]
    queries: Mapping[str, Passage]

    def vectors(self) -> Mapping[str, Matrix]:
        """L2-normalised mean vector of each text, shape ``(d,)``."""
        return {t: _mean(p) for t, p in [*self.queries.items(), *self.memories.items()]}


def memories_of(corpus: Corpus) -> list[str]:
    """Texts of memories, each once."""
    texts = [row.text for row in corpus.analysed]
    texts += [text for row in corpus.ranked for text in row.candidates]
    texts += [text for row in corpus.compared for text in (row.existing, row.incoming)]
    return sorted(set(texts))


def encode(corpus: Corpus, encoder: Embedder, progress: Callable[[int], None]) -> Texts:
    """Encode a corpus.

    Args:
        corpus: what was read.
        encoder: the bundled one; the heads were made for it.
        progress: called with the number of memories encoded since the last call.
    """
    memories: dict[str, Passage] = {}
    texts = memories_of(corpus)
    for first in range(0, len(texts), BATCH):
        batch = texts[first : first + BATCH]
        encodings = encoder.encode(batch)
        for text, encoding, blob in zip(batch, encodings, compress_all(encodings), strict=True):
            tokens = expand(blob).copy()
            memories[text] = Passage(text, encoding.dense, tokens, np.ones(len(tokens), np.float32))
        progress(len(batch))
    queries = {text: _query(encoder, text) for text in {row.query for row in corpus.ranked}}
    return Texts(memories, queries)


def bare(passage: Passage) -> Passage:
    """The same text without vectors: what a judge sees under another encoder."""
    return replace(passage, dense=_NONE, tokens=_NONE, weights=_NONE[:, 0])


def _query(encoder: Embedder, text: str) -> Passage:
    encoding = encoder.encode_queries([text])[0]
    tokens, weights = query_tokens(encoding)
    return Passage(text, encoding.dense, tokens, weights)


def _mean(passage: Passage) -> Matrix:
    mean = passage.dense.mean(axis=0)
    return mean / max(float(np.linalg.norm(mean)), 1e-9)

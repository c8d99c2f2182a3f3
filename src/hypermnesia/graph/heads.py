"""Vectors of episodes and topics, made of those of what they quote.

A head says nothing of its own: its words are those of some statements, or of some episodes,
which were embedded when they came. To embed them once more would cost as much as embedding the
talk. Mean pooling makes the vector of a text of those of its parts anyhow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hypermnesia.engine import Embedded, embed
from hypermnesia.graph.model import EpisodeText, EpisodeView, TopicText
from hypermnesia.graph.stored import headline
from hypermnesia.models.encoder import Embedder
from hypermnesia.models.late_merge import merge


def embed_episodes(
    embedder: Embedder, texts: Sequence[EpisodeText], told: Sequence[Mapping[str, Embedded]]
) -> list[Embedded]:
    """What is stored of each episode's title and summary.

    Args:
        embedder: for texts that are not made of known statements.
        texts: what the episodes say.
        told: for each, vectors of its statements and turns, by their words.

    Raises:
        ModelError: the encoder failed.
    """
    lines = [headline(text.title, text.summary) for text in texts]
    parts = [
        [known[words] for words in text.quotes if words in known and len(known[words].dense)]
        for text, known in zip(texts, told, strict=True)
    ]
    whole = [len(p) == len(t.quotes) > 0 for p, t in zip(parts, texts, strict=True)]
    return _embedded(embedder, lines, parts, whole)


def embed_topics(
    embedder: Embedder, texts: Sequence[TopicText], episodes: Sequence[Sequence[EpisodeView]]
) -> list[Embedded]:
    """What is stored of each topic's title and summary; see :func:`embed_episodes`.

    Args:
        embedder: for texts in other words than the episodes'.
        texts: what the topics say.
        episodes: what each of them holds.
    """
    lines = [headline(text.title, text.summary) for text in texts]
    parts = [
        [
            Embedded(e.text.summary, e.vector[None], e.tokens)
            for e in held
            if e.id in text.quotes and e.vector.any()
        ]
        for text, held in zip(texts, episodes, strict=True)
    ]
    return _embedded(embedder, lines, parts, [bool(p) for p in parts])


def _embedded(
    embedder: Embedder,
    lines: Sequence[str],
    parts: Sequence[Sequence[Embedded]],
    whole: Sequence[bool],
) -> list[Embedded]:
    """Texts composed of their parts where these are the whole of them, else embedded."""
    others = iter(embed(embedder, [n for n, known in zip(lines, whole, strict=True) if not known]))
    return [
        composed(line, made_of) if known else next(others)
        for line, made_of, known in zip(lines, parts, whole, strict=True)
    ]


def composed(text: str, parts: Sequence[Embedded]) -> Embedded:
    """A text of these parts, each of which counts by its length; a repeated one does again."""
    weights = np.asarray([len(part.text) / max(len(part.dense), 1) for part in parts], np.float32)
    mean = np.stack([w * p.dense.sum(axis=0) for w, p in zip(weights, parts, strict=True)]).sum(0)
    dense = mean[None] / max(float(np.linalg.norm(mean)), 1e-12)
    return Embedded(text, dense, merge(list(dict.fromkeys(part.tokens for part in parts))))

"""The default judge: the encoder's vectors, explicit text features and small trained heads.

It runs on one CPU core without a key or a network. With an encoder other than the bundled one it
answers from text features alone (and, for relevance, from standardised cosines): less well, but
it answers. How it was trained and how well it does: ``docs/explanation/local-judge.md``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hypermnesia.judge.features_query import (
    DENSE_DIMENSION,
    cosines,
    lexical_features,
    typical,
    vector_features,
)
from hypermnesia.judge.features_talk import repeats_in_talk
from hypermnesia.judge.features_text import analysis_features
from hypermnesia.judge.local_heads import SHIPPED, Floats, Heads, sigmoid, softmax
from hypermnesia.judge.local_supersede import (
    OTHER_THING,
    can_reach,
    may_be_reasoned,
    may_reach,
    probabilities,
    told_at_length,
)
from hypermnesia.judge.local_updates import may_update, update_probabilities
from hypermnesia.judge.protocol import Passage
from hypermnesia.types import MEMORY_TYPES, Analysis, Matrix

LIKINGS = 1024
"""Memories of which it is kept whether they are preferences."""
_PREFERENCE = MEMORY_TYPES.index("preference")
_TINY = 1e-9
"""Keeps a vector without direction from dividing by zero."""


class LocalJudge:
    """Answers every question from vectors and text; stateless, safe to share between threads.

    Args:
        floor: probability of supersession below which no caller tells one answer from another.
            A pair that by rule cannot reach it is not worked out and answered with 0, which
            spares most of the work: of a memory's neighbours, most are about something else.
        heads: what it was trained to; the shipped ones are read when first asked for.
    """

    def __init__(self, *, floor: float = 0.0, heads: Heads = SHIPPED) -> None:
        self._floor = floor
        self._heads = heads
        self._likings = dict[tuple[str, bytes], float]()

    @property
    def name(self) -> str:
        """Recorded with every memory it judges."""
        return self._heads.name

    @property
    def gate(self) -> float:
        """Salience below which a memory is chatter, at no more than 2% false gating in training."""
        return self._heads.number("gate")

    def analyze(self, memories: Sequence[Passage]) -> list[Analysis]:
        """Type, durability and salience of each memory; see :class:`~.protocol.Judge`."""
        if not memories:
            return []
        full = all(_bundled(m) for m in memories)
        variant = "full" if full else "text"
        x = analysis_rows(memories, dense=full)
        types = softmax(self._heads.linear(f"type/{variant}").logits(x))
        durable = sigmoid(self._heads.linear(f"durable/{variant}").logits(x)[:, 0])
        levels = softmax(self._heads.linear(f"salience/{variant}").logits(x))
        salience = levels @ np.arange(levels.shape[1])
        if full:
            for memory, p in zip(memories, types[:, _PREFERENCE].tolist(), strict=True):
                self._remember(_key(memory), p)
        return [
            Analysis(
                memory_type=MEMORY_TYPES[int(p.argmax())],
                type_probabilities=dict(zip(MEMORY_TYPES, p.tolist(), strict=True)),
                durable=float(d),
                salience=min(max(s, 0.0), 4.0),
            )
            for p, d, s in zip(types, durable, salience.tolist(), strict=True)
        ]

    def relevance(self, query: Passage, candidates: Sequence[Passage]) -> list[float]:
        """Probability that each candidate helps to answer; see :class:`~.protocol.Judge`."""
        if not candidates:
            return []
        x, variant = relevance_matrix(query, candidates)
        return sigmoid(self._heads.linear(f"relevance/{variant}").logits(x)[:, 0]).tolist()

    def supersede(self, existing: Sequence[Passage], incoming: Passage) -> list[float]:
        """Probability that ``incoming`` replaces each memory; see :class:`~.protocol.Judge`."""
        if not existing:
            return []
        vectors = all(_bundled(p) and len(p.tokens) for p in (*existing, incoming))
        talk = np.asarray([_repeats(old, incoming) for old in existing])
        possible = ~talk | (self._floor <= OTHER_THING)
        answers = np.zeros(len(existing))
        if possible.any():
            asked = [old for old, worth in zip(existing, possible, strict=True) if worth]
            answers[possible] = self._stated(asked, incoming, vectors=vectors)
        answers = np.where(talk, answers * OTHER_THING, answers)
        if vectors:
            answers = np.maximum(answers, update_probabilities(existing, incoming))
        return answers.tolist()

    def may_replace(self, texts: Sequence[str], incoming: Passage) -> list[bool]:
        """Which memories :meth:`supersede` might give the floor or more, whatever their vectors.

        Most neighbours are about something else, and their texts tell: they need not be read
        any further.

        Args:
            texts: of the memories already stored.
            incoming: the new one.
        """
        found = np.asarray([may_update(t, incoming.text, said=incoming.said) for t in texts], bool)
        told = [repeats_in_talk(text, incoming.text, said=incoming.said) for text in texts]
        open_ = ~np.asarray(told, bool) | (self._floor <= OTHER_THING)
        if open_.any():
            stated, reasoned = may_reach(self._floor, texts, incoming.text)
            found |= open_ & stated
            if (open_ & reasoned & ~found).any() and self._may_be_reasoned(incoming):
                found |= open_ & reasoned
        return found.tolist()

    def _may_be_reasoned(self, incoming: Passage) -> bool:
        """Whether a memory may be a preference with its reason; without vectors none is read so."""
        return _bundled(incoming) and may_be_reasoned(self._preference(incoming))

    def _stated(self, existing: Sequence[Passage], incoming: Passage, *, vectors: bool) -> Floats:
        """What the trained experts say of each pair, 0 where that cannot reach the floor."""
        preference = np.zeros(len(existing) + 1)
        if vectors and told_at_length(existing, incoming):
            preference = self._preferences(existing, incoming)
        possible = can_reach(self._floor, existing, incoming, preference, vectors=vectors)
        answers = np.zeros(len(existing))
        if possible.any():
            asked = [old for old, worth in zip(existing, possible, strict=True) if worth]
            kept = np.append(possible, [True])
            answers[possible] = probabilities(
                asked, incoming, preference[kept], vectors=vectors, heads=self._heads
            )
        return answers

    def _preferences(self, existing: Sequence[Passage], incoming: Passage) -> Floats:
        """Probability that each memory, the incoming one last, is a preference, shape ``(n + 1,)``.

        The existing ones' are left 0 where no pair could be two preferences with their reasons.
        """
        found = np.zeros(len(existing) + 1)
        found[-1] = self._preference(incoming)
        if may_be_reasoned(found[-1]):
            found[:-1] = [self._preference(memory) for memory in existing]
        return found

    def _preference(self, memory: Passage) -> float:
        """Probability that a memory is a preference; known of most that are asked about."""
        key = _key(memory)
        liking = self._likings.get(key)
        if liking is None:
            x = analysis_rows([memory], dense=True)
            liking = float(softmax(self._heads.linear("type/full").logits(x))[0, _PREFERENCE])
            self._remember(key, liking)
        return liking

    def _remember(self, key: tuple[str, bytes], liking: float) -> None:
        """Keep the probability that a memory is a preference: it will be compared with others."""
        if len(self._likings) >= LIKINGS:
            self._likings.clear()
        self._likings[key] = liking


def _key(memory: Passage) -> tuple[str, bytes]:
    return memory.text, memory.dense.tobytes()


def _repeats(old: Passage, new: Passage) -> bool:
    return repeats_in_talk(old.text, new.text, said=old.said or new.said)


def analysis_rows(memories: Sequence[Passage], *, dense: bool) -> Matrix:
    """Input of the type, durability and salience heads, with or without the dense vectors.

    Returns:
        Shape ``(n, features)``, float32.
    """
    text = np.stack([analysis_features(m.text) for m in memories])
    if not dense:
        return text
    windows = np.concatenate([m.dense for m in memories])
    if len(windows) > len(memories):
        counts = np.asarray([len(m.dense) for m in memories])
        windows = np.add.reduceat(windows, np.cumsum(counts) - counts) / counts[:, None]
    size = np.sqrt(np.einsum("ij,ij->i", windows, windows))
    means = windows / np.maximum(size, _TINY)[:, None]
    return np.hstack([means, text]).astype(np.float32, copy=False)


def relevance_matrix(query: Passage, candidates: Sequence[Passage]) -> tuple[Matrix, str]:
    """Input of a relevance head and the name of the head that fits the vectors at hand."""
    lexical = lexical_features(query.text, [c.text for c in candidates])
    everyone = (query, *candidates)
    if all(_bundled(p) and len(p.tokens) for p in everyone):
        return np.hstack([lexical, vector_features(query, candidates)]), "full"
    if not all(p.dense.size for p in everyone):
        return lexical, "text"
    cosine = cosines(query, candidates)
    if not _bundled(query):
        cosine = typical(cosine)
    return np.hstack([lexical, cosine[:, None]]), "dense"


def _bundled(passage: Passage) -> bool:
    return bool(len(passage.dense)) and passage.dense.shape[-1] == DENSE_DIMENSION

"""The parts that the pipelines work with, composed once by :func:`hypermnesia.config.build`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias, TypeVar, get_args

import numpy as np

from hypermnesia.judge.chain import Chain
from hypermnesia.judge.protocol import Passage
from hypermnesia.models.answer_cache import AnswerCache
from hypermnesia.models.chat import LanguageModel
from hypermnesia.models.encoder import Embedder, Encoding
from hypermnesia.models.http import Secret
from hypermnesia.models.late import Reduced, expand, pack_all, reduce_all
from hypermnesia.models.propagation import LAMBDA
from hypermnesia.models.rerank import Reranker
from hypermnesia.privacy import StoredSecrets
from hypermnesia.store.protocol import Store, Stored
from hypermnesia.types import Level, Matrix

Preset: TypeAlias = Literal["default", "dgui", "hypermem"]
"""``dgui`` and ``hypermem`` are the published read paths; ``default`` is ours."""
Fusion: TypeAlias = Literal["absolute", "rrf", "z_score"]
Rerank: TypeAlias = Literal["off", "judge", "model"]
Channel: TypeAlias = Literal["dense", "lexical", "late"]
"""What scores a candidate: sentence vectors, words, or token vectors."""
RecallRedaction: TypeAlias = Literal["secrets", "personal", "off"]
RowFormat: TypeAlias = Literal["jsonl", "parquet"]
"""Files of judgements: JSON lines, or Parquet with nested columns as JSON text."""

CHANNELS: tuple[Channel, ...] = get_args(Channel)
ROW_FORMATS: tuple[RowFormat, ...] = get_args(RowFormat)
CONTEXT_LEVELS: tuple[Level, ...] = ("turn", "fact", "episode")
"""What a context is made of. Topics are left out: they say what episodes are about."""
SUPERSEDE_THRESHOLD = 0.80
"""Probability from which a newer memory replaces an older one (DGUI-HyperMem, write, step 7)."""
SUPERSEDE_NEIGHBOURS = 4
"""Nearest active memories that a newcomer is compared with (DGUI-HyperMem, write path step 7)."""
SLICE = 128
"""Texts embedded at a stretch, at most: enough of them to find some of equal length."""
SLICE_CHARACTERS = 64_000
"""Characters after which a slice is full. Until compressed, the vector of each word piece, some
four letters, takes 1.5 KB; and an interruption has to wait for a slice."""

_NO_TOKENS = np.zeros((0, 1), np.float32)

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class GraphPolicy:
    """How the hypergraph takes part in a search; HyperMem's ablations are values of this.

    The preset ``dgui`` knows no hypergraph and heeds nothing here.

    Attributes:
        levels: heads that lead to memories: in ``hypermem`` by the gate that the paper has, in
            ``default`` by a prior.
        weights: memberships count by their weight, in priors and in propagation; false = alike.
        lam: share of its hyperedges that an embedding takes up, in ``hypermem``; 0 = none.
        topics: topics that ``hypermem`` keeps; the sizes are the paper's best.
        episodes: episodes it keeps.
        facts: facts it keeps.
        candidates: memories of a level that each of its channels names, before they are fused.
        rerank: who orders a level's candidates anew.
        prior: log-odds that the best possible heads add to a memory, in ``default``; 0 = none.
        flat: ``default`` also finds what no matching head leads to; false = the paper's gate.
        turns: ``default`` searches turns; false = what was made of them alone.
        talk: ``default`` ranks turns by what stands around them, who speaks and when; false =
            each alone, like a note, which another ``fusion`` or fewer ``channels`` ask for, too.
    """

    levels: tuple[Level, ...] = ("topic", "episode")
    weights: bool = True
    lam: float = LAMBDA
    topics: int = 10
    episodes: int = 10
    facts: int = 30
    candidates: int = 100
    rerank: Rerank = "off"
    prior: float = 0.0
    flat: bool = True
    turns: bool = True
    talk: bool = True


@dataclass(frozen=True, slots=True)
class CorpusPolicy:
    """Where judgements of scopes that agreed go when they leave, see :mod:`hypermnesia.corpus`.

    Attributes:
        folder: every batch becomes a file there; ``None`` = none can leave.
        format: of those files.
        repo: data set on the Hugging Face hub that gets them, too; ``None`` = none.
        token: for the hub; ``None`` = the one that its own tools saved.
        interval: time between two hand-overs by a service; ``None`` = only when asked.
    """

    folder: Path | None = None
    format: RowFormat = "jsonl"
    repo: str | None = None
    token: Secret | None = None
    interval: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Engine:
    """Store, models and policy of one open memory.

    Attributes:
        gate: salience in [0, 4] below which a memory is low-signal; ``None`` = the judge's own.
        preset: ``dgui`` asks each channel for ``max(2k, 12)`` candidates, as published;
            ``hypermem`` goes from topics over episodes to facts.
        graph: how the hypergraph takes part in a search.
        reranker: orders the levels of ``hypermem`` anew if ``graph.rerank`` says so.
        fusion: how the channels become one score, see :mod:`hypermnesia.read.fuse`.
        channel_depth: candidates the default preset asks of each channel at least.
        lexical_weight: weight of the lexical channel beside a dense weight of 1 in the
            fusions ``rrf`` and ``z_score``.
        channels: what takes part in the score; token vectors alone score what both others find.
        rank_salience: a memory's salience takes part in its rank; false = all count alike.
        redact: what recall masks.
        secrets: what becomes of secrets in what is stored.
        context_levels: levels that a context and an answer draw on.
        language_model: constructs episodes, facts and topics, and answers; ``None`` = the local
            forms do.
        answers: what a language model wrote, kept so that it need not be asked again. It is
            there without a model, too: earlier runs may have left answers that a forget erases.
        llm_concurrency: questions to the language model at once.
        corpus: where judgements go.
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
    channels: tuple[Channel, ...] = CHANNELS
    rank_salience: bool = True
    redact: RecallRedaction = "secrets"
    secrets: StoredSecrets = "redact"
    context_levels: tuple[Level, ...] = CONTEXT_LEVELS
    graph: GraphPolicy = GraphPolicy()
    reranker: Reranker | None = None
    language_model: LanguageModel | None = None
    answers: AnswerCache | None = None
    llm_concurrency: int = 1
    corpus: CorpusPolicy = CorpusPolicy()


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

    def passage(self, memory: str | None = None, *, said: bool = False) -> Passage:
        """The text as a judge reads it: with the token vectors that storage kept.

        Args:
            memory: see :class:`~hypermnesia.judge.protocol.Passage`.
            said: see there.
        """
        tokens = expand(self.tokens)
        weights = np.ones(len(tokens), np.float32)
        return Passage(self.text, self.dense, tokens, weights, said, memory)

    def without_tokens(self, memory: str | None = None, *, said: bool = False) -> Passage:
        """The same for what is told by words and sentence vectors alone."""
        return Passage(self.text, self.dense, _NO_TOKENS, _NO_TOKENS[:, 0], said, memory)


def embed(embedder: Embedder, texts: Sequence[str]) -> list[Embedded]:
    """Encode memories and compress their token vectors, however many and long they are."""
    parts = slices(texts, len)
    return [located.embedded for part in parts for located in locate(embedder, part)]


def slices(
    items: Iterable[Item],
    length: Callable[[Item], int],
    *,
    most: int = SLICE,
    full: int = SLICE_CHARACTERS,
) -> Iterator[list[Item]]:
    """Items in order, cut where a slice is full; none is taken before its slice is asked for.

    Args:
        items: what holds a text.
        length: characters of its text.
        most: items of a slice; by default what can be embedded at a stretch.
        full: characters after which it is full; likewise.
    """
    part, characters = list[Item](), 0
    for item in items:
        part.append(item)
        characters += length(item)
        if len(part) == most or characters >= full:
            yield part
            part, characters = [], 0
    if part:
        yield part


class Part(NamedTuple):
    """A text's vectors on the way to being stored.

    Attributes:
        dense: see :class:`Embedded`.
        tokens: see :attr:`hypermnesia.models.late.Reduced.vectors`.
    """

    dense: Matrix
    tokens: Matrix


@dataclass(frozen=True, slots=True)
class Located:
    """A text's vectors, with what is needed to take those of a part of it.

    Attributes:
        encoding: as the encoder gave it.
        reduced: its token vectors on the way to being stored.
    """

    embedded: Embedded
    encoding: Encoding
    reduced: Reduced

    def within(self, spans: Sequence[tuple[int, int]]) -> Part | None:
        """The vectors of a part, seen in the context of the whole.

        Pooling token vectors after the whole text was encoded is late chunking (Günther et al.
        2024).

        Args:
            spans: character offsets of what belongs to it.

        Returns:
            ``None`` when the encoder does not tell where its tokens lie, or none lies there.
        """
        starts, ends = self.encoding.offsets.T
        chosen = np.zeros(len(starts), np.bool_)
        for first, last in spans:
            chosen |= (starts < last) & (ends > first)
        if not chosen.any():
            return None
        tokens = self.encoding.tokens[chosen]
        mean = tokens.mean(axis=0, keepdims=True)
        dense = mean / np.maximum(np.linalg.norm(mean), 1e-12)
        kept = self.reduced.vectors[chosen[self.reduced.places]]
        if not len(kept):  # stop-words, which only a text without any other word keeps
            alone = Encoding(dense, self.encoding.pieces[chosen], tokens)
            kept = reduce_all([alone])[0].vectors
        return Part(dense, kept)


def locate(embedder: Embedder, texts: Sequence[str]) -> list[Located]:
    """Encode memories of which parts will be memories, too."""
    encodings = embedder.encode(texts)
    reduced = reduce_all(encodings)
    parts = [Part(e.dense, r.vectors) for e, r in zip(encodings, reduced, strict=True)]
    return list(map(Located, embedded_parts(texts, parts), encodings, reduced))


def embedded_parts(texts: Sequence[str], parts: Sequence[Part]) -> list[Embedded]:
    """Texts with what is stored of their vectors."""
    blobs = pack_all([part.tokens for part in parts])
    return [Embedded(t, p.dense, blob) for t, p, blob in zip(texts, parts, blobs, strict=True)]


def passage_of(stored: Stored) -> Passage:
    """A stored memory as a judge reads it."""
    return Embedded(stored.node.content, stored.dense, stored.tokens).passage(stored.node.id)

"""The values every room of Hypermnesia speaks in.

Nothing here does input or output. Times are aware :class:`~datetime.datetime`
objects: the instant is what counts, and the offset the caller gave is kept.

A little longer than most modules: one small value after the other, read together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

Level: TypeAlias = Literal["turn", "fact", "episode", "topic"]
MemoryType: TypeAlias = Literal[
    "fact", "preference", "decision", "project", "solution", "architecture", "conversation"
]
Status: TypeAlias = Literal["active", "low_signal", "superseded", "deleted"]

LEVELS: tuple[Level, ...] = get_args(Level)
MEMORY_TYPES: tuple[MemoryType, ...] = get_args(MemoryType)
STATUSES: tuple[Status, ...] = get_args(Status)

Vector: TypeAlias = npt.NDArray[np.float32]
"""A dense embedding, shape ``(d,)``, L2-normalised."""
Matrix: TypeAlias = npt.NDArray[np.float32]
"""Several vectors as rows, shape ``(n, d)``."""


INGESTED = "ingest"
"""Source of the turns of a conversation, and of the facts taken from them."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a memory came from. Every field is optional and free text."""

    source: str | None = None
    client: str | None = None
    user_id: str | None = None
    agent_id: str | None = None
    session_id: str | None = None
    turn_id: str | None = None


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a judge says of one memory.

    Attributes:
        memory_type: the most probable of the seven types.
        type_probabilities: probability of each type; sums to 1.
        durable: probability in [0, 1] that a future session should recall it.
        salience: expected level in [0, 4], Trivial to Critical.
    """

    memory_type: MemoryType
    type_probabilities: Mapping[MemoryType, float]
    durable: float
    salience: float


@dataclass(frozen=True, slots=True)
class Node:
    """One remembered thing, whatever its level.

    Attributes:
        valid_from: event time: since when the content holds.
        valid_until: event time from which something newer holds; ``None`` while current.
        created_at: when this store learnt of it.
        judge: backend that judged it (``"local"``, ``"system_one"``, ``"chat"``, ``"off"``).
        degraded: a fallback judge answered because the configured one could not.
    """

    id: str
    scope: str
    level: Level
    content: str
    memory_type: MemoryType
    tags: tuple[str, ...]
    metadata: Mapping[str, Any]
    salience: float | None
    durable: float | None
    status: Status
    superseded_by: str | None
    valid_from: datetime
    valid_until: datetime | None
    created_at: datetime
    updated_at: datetime
    provenance: Provenance
    judge: str
    degraded: bool
    pinned: bool
    access_count: int
    accessed_at: datetime | None


@dataclass(frozen=True, slots=True)
class Added:
    """The outcome of one ``add``.

    Attributes:
        status: ``active``, ``low_signal`` (kept, not recalled unless asked for), or
            ``superseded`` when the store already holds something newer.
        reason: one sentence saying why the memory got that status.
        superseded: ids of the memories this one replaced.
        duplicate: the text was known already; its row was refreshed, none was made.
        redacted: rules whose findings were masked before the memory was stored.
    """

    id: str
    status: Status
    reason: str
    memory_type: MemoryType
    salience: float | None
    durable: float | None
    superseded: tuple[str, ...]
    duplicate: bool
    judge: str
    degraded: bool
    redacted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """An item of a batch that could not be stored; the others were.

    Attributes:
        index: 0-based position in the batch.
        error: class name of the error.
        message: what was wrong and what to do.
    """

    index: int
    error: str
    message: str


@dataclass(frozen=True, slots=True)
class ChannelScore:
    """One retrieval channel's view of a hit: 1-based rank, raw and normalised score."""

    rank: int
    raw: float
    normalised: float


@dataclass(frozen=True, slots=True)
class Step:
    """A head that led to a hit: its level, id, 1-based rank and score in [0, 1] there."""

    level: Level
    id: str
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Explanation(Mapping[str, Any]):
    """Why a hit stands where it does; a mapping of its own fields.

    Attributes:
        dense: the dense channel (raw = cosine), ``None`` if it did not return the row.
        lexical: the lexical channel (raw = BM25), ``None`` if it did not return the row.
        late: late interaction (raw = weighted mean of maximal similarities).
        fused: channels fused, in [0, 1]; a prior is part of it.
        judge: relevance the judge gave, in [0, 1]; ``None`` with the judge off.
        judge_backend: which judge answered.
        degraded: the configured judge could not answer, a fallback did.
        salience: salience / 4, in [0, 1].
        final: the blend hits are ordered by, in [0, 1].
        prior: what its episodes and topics say for it, in [0, 1]; ``None`` = they were not asked.
        route: topics, episodes and facts that led to it in the preset ``hypermem``.
        talk: for a turn of talk, the log-odds that each signal adds (:mod:`.read.dialogue`);
            ``late`` and ``dense`` are those of the turn with its neighbours.
    """

    dense: ChannelScore | None
    lexical: ChannelScore | None
    late: ChannelScore | None
    fused: float
    judge: float | None
    judge_backend: str
    degraded: bool
    salience: float
    final: float
    prior: float | None = None
    route: tuple[Step, ...] = ()
    talk: Mapping[str, float] = field(default_factory=dict[str, float])

    def __getitem__(self, key: str) -> Any:
        if key not in self.__slots__:
            raise KeyError(key)
        return getattr(self, key)

    def __iter__(self) -> Iterator[str]:
        return (f.name for f in fields(self))

    def __len__(self) -> int:
        return len(fields(self))


@dataclass(frozen=True, slots=True)
class Hit:
    """One search result.

    Attributes:
        content: the text as recalled: secrets masked unless recall redaction is off.
        redacted: masking changed the text.
        score: equals ``explain.final``, in [0, 1].
        sources: external turn ids behind the hit, best first: a turn's own, those that say a
            fact, those of an episode.
        superseded_by: id of what replaced a superseded fact, or a fact that a turn told; with
            ``as_of``, only if that had happened by then.
    """

    id: str
    content: str
    level: Level
    score: float
    explain: Explanation
    node: Node
    redacted: bool = False
    sources: tuple[str, ...] = ()
    superseded_by: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """One page of ``list``: pass ``cursor`` back for the next; ``None`` on the last."""

    items: tuple[Node, ...]
    cursor: str | None

    def __iter__(self) -> Iterator[Node]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True, slots=True)
class Absence:
    """One place that was looked through for what was erased.

    Attributes:
        place: an index, a table or a file.
        sought: what was looked for there.
        method: how.
        found: how much of it is there; 0 proves the absence.
    """

    place: str
    sought: str
    method: str
    found: int


@dataclass(frozen=True, slots=True)
class Receipt:
    """Proof that memories are gone, without a word of theirs.

    Attributes:
        erased: SHA-256 of each memory's id, in hexadecimal digits.
        at: when the store was looked through, after it had been rewritten.
        samples: pieces of the erased texts that were searched for in the bytes of the files; 0
            when the texts were gone before, or are too short to be told from others.
        complete: nothing was found anywhere.
        places: every place that was looked through.
    """

    erased: tuple[str, ...]
    at: datetime
    samples: int
    complete: bool
    places: tuple[Absence, ...]


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What ``forget`` erased, or with ``dry_run`` would erase.

    Attributes:
        receipt: with ``erase``, the proof that nothing is left.
    """

    ids: tuple[str, ...]
    dry_run: bool
    receipt: Receipt | None = None


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What the store already knows about a candidate text.

    Attributes:
        repeats: memories that say the same.
        related: memories about the same thing.
        known: something relevant is stored; false means the candidate is new.
    """

    repeats: tuple[Hit, ...]
    related: tuple[Hit, ...]
    known: bool


@dataclass(frozen=True, slots=True)
class Profile:
    """A scope at a glance: counts, and the memories that matter most."""

    scope: str
    counts: Mapping[str, int]
    types: Mapping[str, int]
    levels: Mapping[str, int]
    first: datetime | None
    last: datetime | None
    highlights: Mapping[str, tuple[Node, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding of ``check``: what is wrong, with which memory, what to do."""

    kind: str
    detail: str
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Health:
    """The outcome of ``check``.

    Attributes:
        ok: no problem was found and a write went through.
        counts: rows examined per structure.
    """

    ok: bool
    problems: tuple[Problem, ...]
    counts: Mapping[str, int]

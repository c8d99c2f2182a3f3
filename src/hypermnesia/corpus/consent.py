"""Whether a scope's judgements may be queued and leave, and what became of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from hypermnesia.engine import Engine
from hypermnesia.store.outbox import Tally


@dataclass(frozen=True, slots=True)
class Consent:
    """What a scope has agreed to.

    Attributes:
        given: its judgements are queued from now on, and may leave.
        since: when it agreed; ``None`` = it does not.
        dropped: rows that had not left and went when consent was withdrawn.
    """

    scope: str
    given: bool
    since: datetime | None
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class CorpusStats:
    """What is queued, and what became of the rest.

    Attributes:
        consenting: scopes that agree, and since when.
        tallies: rows by scope and use case.
        flushed_at: when rows left for the last time.
    """

    consenting: Mapping[str, datetime]
    tallies: tuple[Tally, ...]
    flushed_at: datetime | None

    @property
    def pending(self) -> int:
        """Rows that wait to leave."""
        return sum(tally.pending for tally in self.tallies)

    @property
    def uploaded(self) -> int:
        """Rows that left, ever."""
        return sum(tally.uploaded for tally in self.tallies)


def consent(engine: Engine, scope: str, given: bool | None) -> Consent:
    """Give consent, withdraw it, or with ``None`` tell what holds.

    What is withdrawn takes effect at once: everything of the scope that is here is dropped.
    """
    dropped = 0
    if given is not None:
        with engine.store.write() as writer:
            dropped = writer.consent(scope, given=given)
    since = engine.store.consenting().get(scope)
    return Consent(scope, since is not None, since, dropped)


def stats(engine: Engine, scope: str | None) -> CorpusStats:
    """The queue (of a scope) at a glance."""
    store = engine.store
    agreed = {n: at for n, at in store.consenting().items() if scope in {None, n}}
    return CorpusStats(agreed, tuple(store.tallies(scope)), store.flushed_at())

"""What the pages and endpoints about accounts share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import monotonic

from hypermnesia.serve.accounts.policy import Policy
from hypermnesia.serve.accounts.rate import Buckets
from hypermnesia.serve.accounts.signin import Door
from hypermnesia.store.accounts import AccountStore


def time() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


CALLS_A_SECOND = 2.0
CALLS_AT_ONCE = 60
"""Calls from one address that need no credential: OAuth clients make a handful."""


@dataclass(frozen=True, slots=True)
class Hall:
    """Accounts, the rules for them, the way in, and the time.

    Attributes:
        ticks: seconds, of which only differences count; they never go back.
        strangers: slows down, by address, those who show no credential.
    """

    store: AccountStore
    policy: Policy
    now: Callable[[], datetime] = time
    ticks: Callable[[], float] = monotonic
    door: Door = field(init=False)
    strangers: Buckets = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "door", Door(self.store, self.policy.session, self.ticks))
        object.__setattr__(self, "strangers", Buckets(CALLS_A_SECOND, CALLS_AT_ONCE, self.ticks))

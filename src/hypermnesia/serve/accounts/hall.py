"""What the pages and endpoints about accounts share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from hypermnesia.serve.accounts.policy import Policy
from hypermnesia.serve.accounts.signin import Door
from hypermnesia.store.accounts import AccountStore


def time() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Hall:
    """Accounts, the rules for them, the way in, and the time."""

    store: AccountStore
    policy: Policy
    now: Callable[[], datetime] = time
    door: Door = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "door", Door(self.store, self.policy.session))

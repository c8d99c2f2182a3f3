"""How many requests an account may make: one authority that both enforces and shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from hypermnesia.errors import LimitReached
from hypermnesia.store.accounts import Account, AccountStore, Charge, Notice, Request

if TYPE_CHECKING:
    from hypermnesia.config import Settings

PERCENTS = (80, 90, 100)
"""Shares of the allowance that are worth a notice."""


@dataclass(frozen=True, slots=True)
class Plans:
    """What plans allow.

    Attributes:
        allowances: requests a calendar month (UTC) by the plan's name.
        default: plan of accounts without one; ``None`` = any number of requests.
    """

    allowances: Mapping[str, int]
    default: str | None = None

    @classmethod
    def of(cls, settings: Settings) -> Plans:
        """The plans that settings describe."""
        return cls(settings.serve_plans, settings.serve_plan)

    def limit_of(self, account: Account) -> int | None:
        """Most requests a month: the account's own allowance, else its plan's; ``None`` = any.

        An account on a plan that the configuration does not know may make none.
        """
        if account.allowance is not None:
            return account.allowance
        plan = self.default if account.plan is None else account.plan
        return None if plan is None else self.allowances.get(plan, 0)


@dataclass(frozen=True, slots=True)
class Standing:
    """Where an account stands in the current window.

    Attributes:
        limit: most requests; ``None`` = any number.
        used: requests so far.
        resets_at: when the next window begins.
        notices: every notice that was ever given, newest first.
    """

    plan: str | None
    limit: int | None
    used: int
    window: datetime
    resets_at: datetime
    notices: tuple[Notice, ...] = ()


def window_of(now: datetime) -> datetime:
    """When the window that holds a moment began: its calendar month, in UTC."""
    return now.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def following(window: datetime) -> datetime:
    """When the next window begins."""
    month = window.month % 12 + 1
    return window.replace(year=window.year + (month == 1), month=month)


def charge(
    store: AccountStore, plans: Plans, account: Account, action: str, now: datetime
) -> Charge:
    """Count a request.

    Raises:
        LimitReached: the allowance is used up; nothing was counted.
    """
    window, limit = window_of(now), plans.limit_of(account)
    charged = store.charge(Request(account.id, action, now, window, limit, PERCENTS))
    if not charged.allowed:
        resets_at = following(window)
        raise LimitReached(
            f"the {limit:,} requests of this month are used up; there are new ones from"
            f" {resets_at:%Y-%m-%d} (UTC) on, or ask for a larger plan"
            if limit is not None
            else "this account was removed",
            (resets_at - now).total_seconds(),
        )
    return charged


def standing(store: AccountStore, plans: Plans, account: Account, now: datetime) -> Standing:
    """Where an account stands."""
    window = window_of(now)
    return Standing(
        plans.default if account.plan is None else account.plan,
        plans.limit_of(account),
        store.spent(account.id, window),
        window,
        following(window),
        tuple(store.notices(account.id)),
    )

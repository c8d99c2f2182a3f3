"""How much of the service was used: the month's allowance, and requests by day and action."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from starlette.responses import Response

from hypermnesia.serve.accounts import quota
from hypermnesia.serve.accounts.hall import Hall
from hypermnesia.serve.accounts.managing import caller_of
from hypermnesia.serve.console.visit import Visit
from hypermnesia.store.accounts import Usage

DAYS = 30
"""Days that the chart goes back."""


@dataclass(frozen=True, slots=True)
class Day:
    """A column of the chart. Heights are shares of the highest column, in [0, 1]."""

    day: date
    allowed: int
    refused: int
    height: float
    refused_height: float


@dataclass(frozen=True, slots=True)
class Row:
    """Requests of one account and action over all days."""

    account: str
    action: str
    allowed: int
    refused: int


def show(visit: Visit) -> Response:
    """The visitor's standing and use; an administrator sees everybody's use."""
    hall, caller = visit.hall, caller_of(visit.request)
    if hall is None:
        return visit.page("access_none.html")
    now = hall.now()
    plans, store = hall.policy.plans, hall.store
    admin = visit.access.principal.admin
    whose = None if admin or caller is None else caller.account.id
    ledger = store.usage(now - timedelta(days=DAYS), whose) if admin or caller else []
    return visit.page(
        "usage.html",
        standing=caller and quota.standing(store, plans, caller.account, now),
        days=_days(ledger, now),
        rows=_rows(hall, ledger),
        plans=dict(plans.allowances),
    )


def _days(ledger: Sequence[Usage], now: datetime) -> list[Day]:
    allowed, refused = Counter[date](), Counter[date]()
    for line in ledger:
        allowed[line.day.date()] += line.allowed
        refused[line.day.date()] += line.refused
    days = [now.date() - timedelta(days=back) for back in reversed(range(DAYS))]
    most = max((allowed[day] + refused[day] for day in days), default=0) or 1
    return [
        Day(day, allowed[day], refused[day], allowed[day] / most, refused[day] / most)
        for day in days
    ]


def _rows(hall: Hall, ledger: Sequence[Usage]) -> list[Row]:
    """By account and action, the most used first."""
    names = {account.id: account.name for account in hall.store.accounts()}
    allowed, refused = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for line in ledger:
        key = names.get(line.account, "?"), line.action
        allowed[key] += line.allowed
        refused[key] += line.refused
    keys = sorted(allowed, key=lambda key: (-allowed[key], key))
    return [Row(*key, allowed[key], refused[key]) for key in keys]

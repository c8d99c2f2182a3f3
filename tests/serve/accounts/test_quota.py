"""Who may make how many requests."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hypermnesia.serve.accounts.quota import Plans, following, window_of
from hypermnesia.store.accounts import Account
from tests.serve.accounts.service import START

PLANS = Plans({"free": 2000, "pro": 15000}, "free")


@pytest.mark.parametrize(
    ("plan", "allowance", "limit"),
    [(None, None, 2000), ("pro", None, 15000), ("pro", 7, 7), (None, 0, 0), ("gone", None, 0)],
)
def test_the_own_allowance_wins_over_the_plan(
    plan: str | None, allowance: int | None, limit: int
) -> None:
    """A plan that is not configured allows nothing."""
    account = Account("1", "ada", START, plan=plan, allowance=allowance)
    assert PLANS.limit_of(account) == limit


def test_without_a_plan_nothing_is_limited() -> None:
    """One runs it for oneself."""
    assert Plans({}).limit_of(Account("1", "ada", START)) is None


@pytest.mark.parametrize(
    ("now", "window", "after"),
    [
        ("2026-05-31T23:59:59+00:00", "2026-05-01", "2026-06-01"),
        ("2026-12-31T23:30:00-01:00", "2027-01-01", "2027-02-01"),
        ("2026-12-01T00:00:00+00:00", "2026-12-01", "2027-01-01"),
    ],
)
def test_a_window_is_a_calendar_month_in_utc(now: str, window: str, after: str) -> None:
    """Whatever the offset of the clock."""
    began = window_of(datetime.fromisoformat(now))
    assert began == datetime.fromisoformat(window).replace(tzinfo=UTC)
    assert following(began) == datetime.fromisoformat(after).replace(tzinfo=UTC)

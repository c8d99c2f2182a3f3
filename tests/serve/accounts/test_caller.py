"""What a credential lets its holder do."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.serve.accounts.caller import Caller, covered
from hypermnesia.serve.principal import Principal
from hypermnesia.store.accounts import Account, Credential
from tests.serve.accounts.service import START

ADA = Account("1", "ada", START, admin=True, scopes=("team-*", "ada"))
TOKEN = Credential("2", "api", b"d", "1", START, None, scopes=("team-a", "ada"))

patterns = st.text("ab*", min_size=1, max_size=5)


def test_a_token_does_what_it_was_made_for() -> None:
    """And administers only where that was asked for."""
    assert Caller(ADA, TOKEN).principal == Principal("ada", ("team-a", "ada"))
    admin = replace(TOKEN, detail={"admin": True})
    assert Caller(ADA, admin).principal.admin
    assert not Caller(replace(ADA, admin=False), admin).principal.admin
    assert not Caller(ADA, replace(admin, read_only=True)).principal.admin
    assert Caller(ADA, replace(TOKEN, read_only=True)).principal.read_only


def test_a_session_does_what_its_account_may() -> None:
    """Its own fields do not matter."""
    session = replace(TOKEN, kind="session", scopes=(), read_only=True)
    assert Caller(ADA, session).principal == Principal("ada", ADA.scopes, admin=True)


def test_a_token_loses_what_its_account_loses() -> None:
    """At once."""
    assert Caller(replace(ADA, scopes=("ada",)), TOKEN).principal.scopes == ("ada",)


@pytest.mark.parametrize(
    ("pattern", "by", "contained"),
    [
        ("a", ("a",), True),
        ("a*", ("*",), True),
        ("*", ("a*",), False),
        ("ab*", ("a*",), True),
        ("a*", ("ab*",), False),
        ("*a", ("a*",), False),
        ("a*b", ("a*", "*b"), True),
        ("A", ("a",), False),
        ("a", (), False),
    ],
)
def test_a_pattern_is_covered_by_a_wider_one(
    pattern: str, by: tuple[str, ...], *, contained: bool
) -> None:
    """Compared exactly, case included."""
    assert (covered((pattern,), by) == (pattern,)) is contained


@given(patterns, st.lists(patterns, max_size=3), st.text("ab", max_size=6))
def test_what_is_covered_matches_nothing_more(pattern: str, by: list[str], scope: str) -> None:
    """For any patterns and any scope."""
    if covered((pattern,), tuple(by)) and Principal("", (pattern,)).may_use(scope):
        assert any(re.fullmatch(one.replace("*", ".*"), scope) for one in by)

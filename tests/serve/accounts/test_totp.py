"""One-time passwords by time."""

from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest

from hypermnesia.serve.accounts import totp

SEED = base64.b32encode(b"12345678901234567890").decode()


@pytest.mark.parametrize(
    ("seconds", "code"),
    [
        (59, "94287082"),
        (1111111109, "07081804"),
        (1111111111, "14050471"),
        (1234567890, "89005924"),
        (2000000000, "69279037"),
        (20000000000, "65353130"),
    ],
)
def test_codes_are_those_of_the_standard(seconds: int, code: str) -> None:
    """RFC 6238, appendix B, SHA-1."""
    moment = datetime.fromtimestamp(seconds, UTC)
    assert totp.code_at(SEED, totp.step_of(moment), digits=8) == code


@pytest.mark.parametrize(("late", "accepted"), [(-30, True), (0, True), (30, True), (60, False)])
def test_a_clock_may_be_off_by_one_step(late: int, *, accepted: bool) -> None:
    """And no more."""
    now = datetime(2026, 5, 3, 12, tzinfo=UTC)
    code = totp.code_at(SEED, totp.step_of(now))
    step = totp.matching_step(SEED, code, now + timedelta(seconds=late))
    assert (step == totp.step_of(now)) is accepted


@pytest.mark.parametrize("code", ["", "12345", "1234567", "abcdef", "１２３４５６", "\ud800"])
def test_what_is_no_code_is_refused(code: str) -> None:
    """Whatever it is."""
    assert totp.matching_step(SEED, code, datetime(2026, 5, 3, tzinfo=UTC)) is None


def test_a_code_may_be_typed_with_a_space() -> None:
    """As authenticators show it."""
    now = datetime(2026, 5, 3, 12, tzinfo=UTC)
    code = totp.code_at(SEED, totp.step_of(now))
    assert totp.matching_step(SEED, f"{code[:3]} {code[3:]}", now) is not None


def test_the_link_holds_the_seed_and_names_the_account() -> None:
    """Escaped."""
    seed = totp.new_seed()
    parts = urlsplit(totp.link_of(seed, "ada & co"))
    assert (parts.scheme, parts.netloc) == ("otpauth", "totp")
    assert parts.path == "/Hypermnesia:ada%20%26%20co"
    assert parse_qs(parts.query) == {"secret": [seed], "issuer": ["Hypermnesia"]}

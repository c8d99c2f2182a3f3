"""Passwords of people."""

from __future__ import annotations

import pytest

from hypermnesia.errors import InvalidInput
from hypermnesia.serve.accounts import passwords


def test_a_password_matches_its_own_hash_alone() -> None:
    """Two hashes of it differ."""
    first, second = passwords.hash_of("correct horse"), passwords.hash_of("correct horse")
    assert first != second
    assert passwords.matches("correct horse", first)
    assert not passwords.matches("correct horsE", first)


def test_a_hash_is_argon2id_with_the_parameters_of_the_standard() -> None:
    """RFC 9106, second recommended choice; the library's own defaults."""
    from argon2 import PasswordHasher, extract_parameters, profiles

    made = extract_parameters(PasswordHasher().hash("x"))
    assert made == profiles.RFC_9106_LOW_MEMORY


@pytest.mark.parametrize("password", ["", "elevenchars", "x" * 257])
def test_a_password_has_bounds(password: str) -> None:
    """Both ends."""
    with pytest.raises(InvalidInput, match="12 to 256"):
        passwords.hash_of(password)


@pytest.mark.parametrize("stored", [None, "", "no hash"])
def test_nothing_matches_what_is_no_hash(stored: str | None) -> None:
    """Nobody gets in by a damaged row."""
    assert not passwords.matches("nobody has this password", stored)


def test_a_password_may_hold_any_character() -> None:
    """Half a surrogate pair included: it is bytes that are hashed."""
    hashed = passwords.hash_of("пароль пароль \ud800")
    assert passwords.matches("пароль пароль \ud800", hashed)

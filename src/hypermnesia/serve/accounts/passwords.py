"""Passwords of people: Argon2id, never more than a few at once."""

from __future__ import annotations

import threading
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

from hypermnesia.errors import InvalidInput

if TYPE_CHECKING:
    from argon2 import PasswordHasher

SHORTEST = 12
LONGEST = 256
AT_ONCE = 2
"""Hashes computed at the same time: each takes 64 MiB (RFC 9106, second recommended choice)."""

_seats = threading.BoundedSemaphore(AT_ONCE)


@cache
def hasher() -> PasswordHasher:
    """The hasher with the library's parameters, which are those of RFC 9106 for little memory."""
    from argon2 import PasswordHasher  # noqa: PLC0415 - loads a C library; sign-in alone needs it

    return PasswordHasher()


def hash_of(password: str) -> str:
    """What is stored of a new password.

    Raises:
        InvalidInput: it is too short or too long.
    """
    if not SHORTEST <= len(password) <= LONGEST:
        raise InvalidInput(f"a password has {SHORTEST} to {LONGEST} characters; choose another")
    with _seats:
        return hasher().hash(password.encode("utf-8", "surrogatepass"))


def matches(password: str, stored: str | None) -> bool:
    """Whether it is the password; as slow when there is none to compare with.

    Args:
        password: as it was typed.
        stored: what :func:`hash_of` made of the right one; ``None`` = nobody has it.
    """
    from argon2.exceptions import InvalidHashError, VerificationError  # noqa: PLC0415 - as above

    if len(password) > LONGEST:
        return False
    typed, right = password.encode("utf-8", "surrogatepass"), False
    with _seats, suppress(VerificationError, InvalidHashError):
        right = hasher().verify(_nobodys() if stored is None else stored, typed)
    return right and stored is not None


@cache
def _nobodys() -> str:
    """A hash that takes as long to verify as any: who has an account cannot be timed."""
    return hasher().hash("nobody has this password")

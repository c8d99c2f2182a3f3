"""Secrets of the service's own making: how they look, and what is kept of them."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass, field

from hypermnesia.store.accounts import Credential, CredentialKind

RANDOM_BYTES = 32
"""256 bits: nobody guesses one, so a plain SHA-256 is all that has to be kept of it."""
SHOWN = 6
"""Random characters that a list shows, 36 of 256 bits."""
MARK = "hm_"
"""Every secret begins with it and its kind, so that it is recognised where it should not be."""

_FAMILY = re.compile(rf"{MARK}refresh_([\w-]{{1,64}})\.", re.ASCII)


@dataclass(frozen=True, slots=True)
class Issued:
    """A credential with its secret, which is shown once and kept nowhere."""

    secret: str = field(repr=False)
    credential: Credential


def new_secret(kind: CredentialKind, family: str = "") -> str:
    """A fresh secret; one of a family names it, so that a used one is told from an unknown one."""
    middle = f"{family}." if family else ""
    return f"{MARK}{kind}_{middle}{secrets.token_urlsafe(RANDOM_BYTES)}"


def digest_of(secret: str) -> bytes:
    """What is stored of a secret: its SHA-256, 32 bytes.

    A secret is found by it, so no comparison of the secret itself can be timed.
    """
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def prefix_of(secret: str) -> str:
    """The first characters, by which people tell secrets apart."""
    return secret[: secret.index("_", len(MARK)) + 1 + SHOWN]


def family_of(secret: str) -> str:
    """The family that a refresh token names; empty when it names none."""
    named = _FAMILY.match(secret)
    return named[1] if named else ""


def csrf_of(session: str) -> str:
    """The token that forms of a session carry: derived from its secret, so bound to it."""
    return hmac.new(session.encode(), b"csrf", hashlib.sha256).hexdigest()


def same(given: str, expected: str) -> bool:
    """Whether two texts are equal, in a time that does not tell where they differ."""
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), expected.encode())

"""One-time passwords by time (RFC 6238): HMAC-SHA-1, six digits, thirty seconds."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from datetime import datetime
from urllib.parse import quote, urlencode

from hypermnesia.serve.accounts.secret import same

PERIOD = 30
"""Seconds of a time step (RFC 6238, 5.2)."""
DIGITS = 6
SEED_BYTES = 20
"""Length of an HMAC-SHA-1 key (RFC 4226, 4, R6)."""
DRIFT = 1
"""Steps that a clock may be off, either way (RFC 6238, 5.2)."""


def new_seed() -> str:
    """A fresh seed in base32, as authenticators take it."""
    return base64.b32encode(secrets.token_bytes(SEED_BYTES)).decode()


def code_at(seed: str, step: int, digits: int = DIGITS) -> str:
    """The one-time password of a time step (RFC 4226, 5.3)."""
    mac = hmac.new(base64.b32decode(seed), step.to_bytes(8), hashlib.sha1).digest()
    at = mac[-1] & 0xF
    value = int.from_bytes(mac[at : at + 4]) & 0x7FFF_FFFF
    return f"{value % 10**digits:0{digits}}"


def step_of(moment: datetime) -> int:
    """The time step of a moment."""
    return int(moment.timestamp()) // PERIOD


def matching_step(seed: str, code: str, now: datetime) -> int | None:
    """The step whose password this is, if it is one of about now."""
    current = step_of(now)
    given = code.replace(" ", "")
    # All are computed and compared, whichever matches.
    found = [
        step
        for step in range(current - DRIFT, current + DRIFT + 1)
        if same(given, code_at(seed, step))
    ]
    return found[-1] if found else None


def link_of(seed: str, account: str, issuer: str = "Hypermnesia") -> str:
    """The ``otpauth:`` link that an authenticator reads, from a QR code or as it is."""
    query = urlencode({"secret": seed, "issuer": issuer}, quote_via=quote)
    return f"otpauth://totp/{quote(issuer)}:{quote(account, safe='')}?{query}"

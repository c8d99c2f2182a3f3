"""Rows of accounts and credentials, and the statements that several transactions share."""

from __future__ import annotations

from datetime import datetime

import apsw

from hypermnesia.errors import Conflict
from hypermnesia.store.account_columns import (
    ACCOUNT,
    CREDENTIAL,
    KEPT,
    account_of,
    account_values,
    credential_of,
)
from hypermnesia.store.accounts import Account, Credential, CredentialKind
from hypermnesia.store.columns import micros

LIVE = "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :at)"

_REDEEM = f"""
UPDATE credential SET used_at = :at
WHERE digest = :digest AND kind = :kind AND used_at IS NULL AND {LIVE}
RETURNING {CREDENTIAL}
"""


def put(connection: apsw.Connection, account: Account) -> None:
    """Store a new account, or replace the one with its id, all but its ``totp_step``.

    Raises:
        Conflict: another account has the name.
    """
    values = account_values(account)
    replaced = ", ".join(
        f"{name} = excluded.{name}" for name in ACCOUNT.split(", ") if name not in KEPT
    )
    try:
        connection.execute(
            f"INSERT INTO account ({ACCOUNT}) VALUES ({', '.join('?' * len(values))})"
            f" ON CONFLICT (id) DO UPDATE SET {replaced}",
            values,
        )
    except apsw.ConstraintError as error:
        raise Conflict(f"an account {account.name!r} exists; choose another name") from error


def redeemed(
    connection: apsw.Connection, digest: bytes, kind: CredentialKind, at: datetime
) -> Credential | None:
    """A single-use credential, used up; ``None`` unless it was live and unused."""
    row = connection.execute(_REDEEM, {"digest": digest, "kind": kind, "at": micros(at)}).fetchone()
    return None if row is None else credential_of(row)


def revoke_family(connection: apsw.Connection, family: str | None, at: datetime) -> bool:
    """Revoke everything that one authorization led to; false if there was nothing left."""
    connection.execute(
        "UPDATE credential SET revoked_at = ? WHERE family = ? AND revoked_at IS NULL",
        (micros(at), family),
    )
    return connection.changes() > 0


def account_by(connection: apsw.Connection, column: str, value: str | None) -> Account | None:
    """The account with this ``id`` or ``name``."""
    row = connection.execute(
        f"SELECT {ACCOUNT} FROM account WHERE {column} = ?", (value,)
    ).fetchone()
    return None if row is None else account_of(row)

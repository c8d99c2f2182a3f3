"""Rows of accounts and credentials, and the statements that several transactions share."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import apsw

from hypermnesia.errors import Conflict
from hypermnesia.store.accounts import Account, Credential, CredentialKind
from hypermnesia.store.sqlite.rows import micros, moment_of

ACCOUNT = (
    "id, name, created_at, admin, scopes, plan, allowance, password, totp, totp_step, disabled"
)
CREDENTIAL = (
    "id, kind, digest, account, created_at, expires_at, label, prefix, scopes, read_only,"
    " used_at, revoked_at, family, client, detail"
)
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
    values = (
        account.id,
        account.name,
        micros(account.created_at),
        account.admin,
        json.dumps(account.scopes),
        account.plan,
        account.allowance,
        account.password,
        account.totp,
        account.totp_step,
        account.disabled,
    )
    kept = {"id", "created_at", "totp_step"}
    replaced = ", ".join(
        f"{name} = excluded.{name}" for name in ACCOUNT.split(", ") if name not in kept
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


def revoke_family(connection: apsw.Connection, family: str | None, at: datetime) -> None:
    """Revoke everything that one authorization led to."""
    connection.execute(
        "UPDATE credential SET revoked_at = ? WHERE family = ? AND revoked_at IS NULL",
        (micros(at), family),
    )


def account_by(connection: apsw.Connection, column: str, value: str | None) -> Account | None:
    """The account with this ``id`` or ``name``."""
    row = connection.execute(
        f"SELECT {ACCOUNT} FROM account WHERE {column} = ?", (value,)
    ).fetchone()
    return None if row is None else account_of(row)


def account_of(row: tuple[Any, ...]) -> Account:
    """An account from a row of :data:`ACCOUNT`."""
    number, name, created, admin, scopes, *others, disabled = row
    return Account(
        number, name, moment_of(created), bool(admin), tuple(json.loads(scopes)), *others,
        disabled=bool(disabled),
    )  # fmt: skip


def credential_of(row: tuple[Any, ...]) -> Credential:
    """A credential from a row of :data:`CREDENTIAL`."""
    number, kind, digest, account, created, expires, label, prefix, scopes, read_only = row[:10]
    used, revoked, family, client, detail = row[10:]
    return Credential(
        number,
        kind,
        digest,
        account,
        moment_of(created),
        _moment(expires),
        label,
        prefix,
        tuple(json.loads(scopes)),
        bool(read_only),
        _moment(used),
        _moment(revoked),
        family,
        client,
        json.loads(detail),
    )


def optional_micros(moment: datetime | None) -> int | None:
    """Microseconds since 1970, or ``None``."""
    return None if moment is None else micros(moment)


def _moment(value: int | None) -> datetime | None:
    return None if value is None else moment_of(value)

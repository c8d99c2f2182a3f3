"""Between accounts and credentials and the columns that hold them, in any SQL store."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from hypermnesia.store.accounts import Account, Credential
from hypermnesia.store.columns import micros, moment_of

ACCOUNT = (
    "id, name, created_at, admin, scopes, plan, allowance, password, totp, totp_step, disabled"
)
CREDENTIAL = (
    "id, kind, digest, account, created_at, expires_at, label, prefix, scopes, read_only,"
    " used_at, revoked_at, family, client, detail"
)
KEPT = frozenset({"id", "created_at", "totp_step"})
"""Columns that stay when an account is replaced."""


def account_values(account: Account) -> tuple[Any, ...]:
    """An account's values for :data:`ACCOUNT`."""
    return (
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


def credential_values(credential: Credential) -> tuple[Any, ...]:
    """A credential's values for :data:`CREDENTIAL`."""
    return (
        credential.id,
        credential.kind,
        credential.digest,
        credential.account,
        micros(credential.created_at),
        optional_micros(credential.expires_at),
        credential.label,
        credential.prefix,
        json.dumps(credential.scopes),
        credential.read_only,
        optional_micros(credential.used_at),
        optional_micros(credential.revoked_at),
        credential.family,
        credential.client,
        json.dumps(dict(credential.detail)),
    )


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

"""Who a credential stands for, and what they may do with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from hypermnesia.errors import Unauthenticated
from hypermnesia.serve.accounts.secret import digest_of
from hypermnesia.serve.principal import Principal
from hypermnesia.store.accounts import Account, AccountStore, Credential, CredentialKind

USE_NOTED_EVERY = timedelta(minutes=1)
"""The last use of a credential is as precise as that, so that reads seldom write."""
LONGEST_SECRET = 200
"""Characters; those issued have fewer than 120."""


@dataclass(frozen=True, slots=True)
class Caller:
    """An account, and the credential it came with."""

    account: Account
    credential: Credential

    @property
    def principal(self) -> Principal:
        """What it may do: no more than the credential, and no more than the account as it is now.

        A session does what its account may. A token administers only where that was asked for.
        """
        account, held = self.account, self.credential
        if held.kind == "session":
            return Principal(account.name, account.scopes, admin=account.admin)
        return Principal(
            account.name,
            covered(held.scopes, account.scopes),
            read_only=held.read_only,
            admin=account.admin and bool(held.detail.get("admin")) and not held.read_only,
        )


def covered(patterns: Iterable[str], by: tuple[str, ...]) -> tuple[str, ...]:
    """Those patterns that match nothing which the others do not match.

    A pattern that another one matches, its ``*`` taken for a character like any other, is
    contained in it: ``*`` alone can match ``*``.
    """
    whole = Principal("", by)
    return tuple(pattern for pattern in patterns if whole.may_use(pattern))


def authenticate(
    store: AccountStore, secret: str, kinds: tuple[CredentialKind, ...], now: datetime
) -> Caller:
    """Whose secret it is.

    Args:
        store: where accounts are kept.
        secret: as it was sent.
        kinds: what it may be.
        now: the time.

    Raises:
        Unauthenticated: it is unknown, of another kind, expired or revoked, or its account is
            disabled: the message does not say which.
    """
    found = store.credential(digest_of(secret)) if len(secret) <= LONGEST_SECRET else None
    if found is None:
        raise _refusal()
    credential, account = found
    if (
        account is None
        or account.disabled
        or credential.kind not in kinds
        or not credential.live(now)
    ):
        raise _refusal()
    if credential.used_at is None or now - credential.used_at >= USE_NOTED_EVERY:
        store.touch_credential(credential.id, now)
    return Caller(account, credential)


def _refusal() -> Unauthenticated:
    return Unauthenticated("this token is unknown, expired or revoked; ask for a new one")

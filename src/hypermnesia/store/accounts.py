"""Who may use a service on a store, and how much: what a store keeps of it.

The store keeps rows and makes changes atomic; what a token may do, how long it lives and what
a plan allows is decided by the service. Times are aware and in UTC. A secret is never passed
here: a credential is found by the SHA-256 of its random bits.

A little longer than most modules: values and verbs are the contract of every store, and are read
together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol, TypeAlias

CredentialKind: TypeAlias = Literal["api", "session", "setup", "code", "access", "refresh"]


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody who may use the service.

    Attributes:
        name: unique, what people and logs call it.
        admin: may manage accounts, tokens and the store.
        scopes: patterns of the memory scopes that it may use.
        plan: name of its plan; ``None`` = the service's default.
        allowance: requests a window; overrides every plan.
        password: Argon2 hash; ``None`` = nobody can sign in.
        totp: base32 seed of its one-time passwords, if it has any.
        totp_step: time step of the last one-time password that was accepted.
        disabled: nothing of it is accepted.
    """

    id: str
    name: str
    created_at: datetime
    admin: bool = False
    scopes: tuple[str, ...] = ()
    plan: str | None = None
    allowance: int | None = None
    password: str | None = field(default=None, repr=False)
    totp: str | None = field(default=None, repr=False)
    totp_step: int = 0
    disabled: bool = False


@dataclass(frozen=True, slots=True)
class Credential:
    """Something that proves who one is: a token, a session, a code.

    Attributes:
        digest: SHA-256 of the secret, 32 bytes.
        account: id of its account; ``None`` for the setup link alone.
        label: what its maker called it.
        prefix: first characters of the secret, by which people tell tokens apart.
        scopes: patterns of memory scopes, a part of the account's.
        expires_at: ``None`` = never, for API tokens alone.
        used_at: when it was last used; of a code or a setup link, when it was redeemed.
        family: what one OAuth authorization led to.
        client: id of the OAuth client it was given to.
        detail: whatever else its kind needs, as JSON.
    """

    id: str
    kind: CredentialKind
    digest: bytes = field(repr=False)
    account: str | None
    created_at: datetime
    expires_at: datetime | None
    label: str = ""
    prefix: str = ""
    scopes: tuple[str, ...] = ()
    read_only: bool = False
    used_at: datetime | None = None
    revoked_at: datetime | None = None
    family: str | None = None
    client: str | None = None
    detail: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def live(self, at: datetime) -> bool:
        """Neither revoked nor expired."""
        return self.revoked_at is None and (self.expires_at is None or at < self.expires_at)


@dataclass(frozen=True, slots=True)
class OAuthClient:
    """A program that registered itself. ``metadata`` is as in RFC 7591, JSON."""

    id: str
    metadata: Mapping[str, Any]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Notice:
    """A share of the allowance that was reached.

    Attributes:
        window: when the counted window began.
        percent: share reached.
        delivered_at: when the account was told; ``None`` = not yet.
    """

    window: datetime
    percent: int
    at: datetime
    delivered_at: datetime | None


@dataclass(frozen=True, slots=True)
class Request:
    """One use of the service, to be counted.

    Attributes:
        account: its id.
        action: what was asked for, such as ``search``.
        at: now.
        window: when the counted window began.
        limit: most requests in a window; ``None`` = any number.
        percents: shares of the limit that are worth a notice.
    """

    account: str
    action: str
    at: datetime
    window: datetime
    limit: int | None
    percents: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Charge:
    """What became of a request.

    Attributes:
        allowed: whether it was within the limit. One that was not is not counted as used.
        used: requests in the window so far.
        notices: those this request caused; they count as delivered.
    """

    allowed: bool
    used: int
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """Requests of an account on one day, by action. ``day`` is its first instant."""

    account: str
    day: datetime
    action: str
    allowed: int
    refused: int


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """Who did what, when; never the content.

    Attributes:
        actor: name of the account, or of what acted without one.
        via: id of the credential, or ``local`` or ``cli``.
        action: what was done, such as ``token.create``.
        target: what it was done to: a scope, an id, a name.
        outcome: ``ok``, or why not.
    """

    at: datetime
    actor: str
    via: str
    action: str
    target: str
    outcome: str


class AccountStore(Protocol):
    """Rows of accounts; every method is one transaction.

    Every method may raise :class:`~hypermnesia.errors.StoreError`.
    """

    # --- accounts ------------------------------------------------------------------

    def accounts(self) -> Sequence[Account]:
        """All of them, by name."""
        ...

    def account(self, name: str) -> Account | None:
        """The one of this name."""
        ...

    def put_account(self, account: Account) -> None:
        """Store a new account, or replace the one with its id, all but its ``totp_step``.

        Raises:
            Conflict: another account has the name.
        """
        ...

    def found(self, account: Account, setup: bytes, at: datetime) -> bool:
        """Store the first account and redeem the setup link; false, and neither, otherwise.

        Args:
            account: the first account.
            setup: digest of a live, unused setup link.
            at: now.
        """
        ...

    def remove_account(self, name: str) -> bool:
        """Remove an account with its credentials, counters and notices; false if unknown."""
        ...

    def accept_step(self, account: str, step: int) -> bool:
        """Accept a one-time password's time step once: false unless later than the last."""
        ...

    # --- credentials ---------------------------------------------------------------

    def issue(self, credential: Credential) -> None:
        """Store a new credential.

        Raises:
            NotFound: its account is gone.
        """
        ...

    def credential(self, digest: bytes) -> tuple[Credential, Account | None] | None:
        """A credential, live or not, with its account."""
        ...

    def credentials(self, kind: CredentialKind, account: str | None = None) -> Sequence[Credential]:
        """Those of a kind (of an account), newest first."""
        ...

    def touch_credential(self, credential: str, at: datetime) -> None:
        """Note the last use; skipped when the store is busy."""
        ...

    def redeem(self, digest: bytes, kind: CredentialKind, at: datetime) -> Credential | None:
        """Use a single-use credential up, in one statement.

        ``None`` unless it is live and unused. One that was redeemed before has been stolen,
        from one side or the other: its whole family is revoked.
        """
        ...

    def rotate(
        self, family: str, client: str, old: bytes, new: bytes, at: datetime
    ) -> Credential | None:
        """Put a new refresh token in the place of the old one, in one statement.

        Its expiry stays. ``None`` unless the old one is the family's current and live token of
        this client. Any other token of a living family was used before: the family is revoked.
        """
        ...

    def revoke(self, credential: str, at: datetime) -> bool:
        """Revoke by id; false if unknown or revoked before."""
        ...

    def revoke_family(self, family: str, at: datetime) -> bool:
        """Revoke everything that one authorization led to; false if there was nothing left."""
        ...

    def revoke_all(self, account: str, kinds: Sequence[CredentialKind], at: datetime) -> int:
        """Revoke an account's live credentials of these kinds; how many there were."""
        ...

    # --- OAuth clients -------------------------------------------------------------

    def register(self, client: OAuthClient, most: int) -> bool:
        """Store a client; false when ``most`` are stored already."""
        ...

    def client(self, client: str) -> OAuthClient | None:
        """A registered client."""
        ...

    # --- quota, usage, audit -------------------------------------------------------

    def charge(self, request: Request) -> Charge:
        """Count a request if the limit allows it, in one statement; and note it in the ledger.

        A counter of an earlier window begins anew; one of a later window (the clock was set
        back) goes on. Unlike other changes, the last few counts may be lost with the power.
        """
        ...

    def spent(self, account: str, window: datetime) -> int:
        """Requests counted in this window."""
        ...

    def notices(self, account: str) -> Sequence[Notice]:
        """All that were given, newest first."""
        ...

    def usage(self, since: datetime, account: str | None = None) -> Sequence[Usage]:
        """The ledger, oldest day first."""
        ...

    def audit(self, entry: AuditEntry) -> None:
        """Append to the audit log; like :meth:`charge`, without waiting for the disk."""
        ...

    def audited(self, limit: int, before: datetime | None = None) -> Sequence[AuditEntry]:
        """The audit log, newest first."""
        ...

    def sweep(self, at: datetime, keep: datetime) -> None:
        """Drop what expired before ``at`` but for API tokens, and audit entries before ``keep``.

        OAuth clients that were registered before ``at`` and hold nothing any more go, too.
        """
        ...

"""Accounts, tokens and quotas as they are shown: never a secret, a hash or a seed."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, Field

from hypermnesia.serve.accounts.quota import Standing
from hypermnesia.store.accounts import Account, AuditEntry, Credential, Notice, Usage


class TokenShown(BaseModel):
    """A token without its secret."""

    id: str
    account: str = Field(description="Name of its account.")
    label: str
    prefix: str = Field(description="Its first characters.")
    scopes: list[str]
    read_only: bool
    admin: bool
    created_at: datetime
    expires_at: datetime | None
    used_at: datetime | None
    revoked_at: datetime | None

    @classmethod
    def of(cls, token: Credential, account: str) -> TokenShown:
        """A token of the account of this name."""
        return cls(
            id=token.id,
            account=account,
            label=token.label,
            prefix=token.prefix,
            scopes=list(token.scopes),
            read_only=token.read_only,
            admin=bool(token.detail.get("admin")),
            created_at=token.created_at,
            expires_at=token.expires_at,
            used_at=token.used_at,
            revoked_at=token.revoked_at,
        )


class TokenMade(TokenShown):
    """A new token."""

    secret: str = Field(description="Shown this once.")


class AccountShown(BaseModel):
    """An account."""

    name: str
    admin: bool
    scopes: list[str]
    plan: str | None
    allowance: int | None = Field(description="Its own, which overrides that of the plan.")
    password: bool = Field(description="One can sign in to it.")
    totp: bool = Field(description="Signing in takes a one-time password, too.")
    disabled: bool
    created_at: datetime

    @classmethod
    def of(cls, account: Account) -> AccountShown:
        """An account."""
        return cls(
            name=account.name,
            admin=account.admin,
            scopes=list(account.scopes),
            plan=account.plan,
            allowance=account.allowance,
            password=account.password is not None,
            totp=account.totp is not None,
            disabled=account.disabled,
            created_at=account.created_at,
        )


class NoticeShown(BaseModel):
    """A share of the allowance that was reached."""

    window: datetime
    percent: int
    at: datetime
    delivered_at: datetime | None

    @classmethod
    def of(cls, notice: Notice) -> NoticeShown:
        """A notice."""
        return cls(
            window=notice.window,
            percent=notice.percent,
            at=notice.at,
            delivered_at=notice.delivered_at,
        )


class StandingShown(BaseModel):
    """Where an account stands: what is shown here is what is enforced."""

    plan: str | None
    limit: int | None = Field(description="Most requests; null: any number.")
    used: int
    window: datetime = Field(description="When the counted month began.")
    resets_at: datetime
    notices: list[NoticeShown]

    @classmethod
    def of(cls, standing: Standing) -> StandingShown:
        """A standing."""
        return cls(
            plan=standing.plan,
            limit=standing.limit,
            used=standing.used,
            window=standing.window,
            resets_at=standing.resets_at,
            notices=[NoticeShown.of(notice) for notice in standing.notices],
        )


class Whoami(BaseModel):
    """Who calls, with what rights, and what is left of the quota."""

    name: str
    scopes: list[str]
    read_only: bool
    admin: bool
    standing: StandingShown | None = Field(description="Null: nothing is counted.")


class UsageShown(BaseModel):
    """Requests of a day, by action."""

    account: str
    day: datetime
    action: str
    allowed: int
    refused: int

    @classmethod
    def of(cls, usage: Usage, account: str) -> UsageShown:
        """A line of the ledger."""
        return cls(
            account=account,
            day=usage.day,
            action=usage.action,
            allowed=usage.allowed,
            refused=usage.refused,
        )


class AuditShown(BaseModel):
    """Who did what, and when."""

    at: datetime
    actor: str
    via: str
    action: str
    target: str
    outcome: str

    @classmethod
    def of(cls, entry: AuditEntry) -> AuditShown:
        """An entry."""
        return cls(
            at=entry.at,
            actor=entry.actor,
            via=entry.via,
            action=entry.action,
            target=entry.target,
            outcome=entry.outcome,
        )

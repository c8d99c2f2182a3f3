"""Accounts and the audit log over REST, for administrators."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from hypermnesia.errors import InvalidInput
from hypermnesia.serve.accounts import administration, audit
from hypermnesia.serve.accounts.administration import Changes
from hypermnesia.serve.accounts.managing import Held, Managing
from hypermnesia.serve.accounts.passwords import LONGEST, SHORTEST
from hypermnesia.serve.accounts.shown import (
    AccountShown,
    AuditShown,
)
from hypermnesia.serve.accounts.token_endpoints import Name, Patterns
from hypermnesia.serve.http.problem import PROBLEMS
from hypermnesia.serve.http.workers import Pool

router = APIRouter(prefix="/api/v1", tags=["accounts"], responses=PROBLEMS)

Allowance = Annotated[
    int,
    Field(ge=-1, le=administration.MOST_ALLOWED, description="Overrides the plan; -1: does not."),
]


class NewAccount(BaseModel):
    """An account to make."""

    model_config = ConfigDict(extra="forbid")

    name: Name
    admin: bool = False
    scopes: Patterns = []
    plan: str | None = Field(None, max_length=100)
    allowance: Allowance | None = None
    password: str | None = Field(None, min_length=SHORTEST, max_length=LONGEST)


class AccountChanges(BaseModel):
    """What to change; what is left out stays."""

    model_config = ConfigDict(extra="forbid")

    admin: bool | None = None
    scopes: Patterns | None = None
    plan: str | None = Field(None, max_length=100, description="Empty: the service's default.")
    allowance: Allowance | None = None
    disabled: bool | None = None


@router.get("/accounts", operation_id="list_accounts")
async def listed(manager: Managing, hall: Held, workers: Pool) -> list[AccountShown]:
    """All accounts (administrators)."""
    manager.must_own()
    return [AccountShown.of(one) for one in await workers.run(hall.store.accounts)]


@router.post("/accounts", status_code=201, operation_id="create_account")
async def create(manager: Managing, hall: Held, workers: Pool, body: NewAccount) -> AccountShown:
    """Make an account (administrators)."""
    manager.must_own()

    def made() -> AccountShown:
        now = hall.now()
        changes = Changes(body.admin, body.scopes, body.plan, body.allowance)
        account = administration.create(
            hall.store, hall.policy.plans, now, body.name, changes, body.password
        )
        audit.record(hall.store, manager.by, "account.create", account.name, now)
        return AccountShown.of(account)

    return await workers.run(made)


@router.patch("/accounts/{name}", operation_id="change_account")
async def change(
    manager: Managing, hall: Held, workers: Pool, name: str, body: AccountChanges
) -> AccountShown:
    """Change an account (administrators)."""
    manager.must_own()

    def changed() -> AccountShown:
        now = hall.now()
        changes = Changes(**body.model_dump())
        account = administration.change(hall.store, hall.policy.plans, name, changes, now)
        audit.record(hall.store, manager.by, "account.change", account.name, now)
        return AccountShown.of(account)

    return await workers.run(changed)


@router.delete(
    "/accounts/{name}", status_code=204, response_class=Response, operation_id="remove_account"
)
async def remove(manager: Managing, hall: Held, workers: Pool, name: str) -> None:
    """Remove an account with whatever it holds; memories stay (administrators)."""
    manager.must_own()

    def removed() -> None:
        administration.remove(hall.store, name)
        audit.record(hall.store, manager.by, "account.remove", name, hall.now())

    await workers.run(removed)


@router.get("/audit", operation_id="audit")
async def audited(
    manager: Managing,
    hall: Held,
    workers: Pool,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    before: Annotated[datetime | None, Query(description="Only entries before.")] = None,
) -> list[AuditShown]:
    """Who did what and when, newest first (administrators)."""
    manager.must_own()
    if before is not None and before.tzinfo is None:
        raise InvalidInput("before needs an offset, such as Z")
    entries = await workers.run(lambda: hall.store.audited(limit, before))
    return [AuditShown.of(entry) for entry in entries]

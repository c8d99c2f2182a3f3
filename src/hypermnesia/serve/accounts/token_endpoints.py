"""One's own rights, quota and tokens over REST."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from hypermnesia.serve.accounts import audit, quota, tokens
from hypermnesia.serve.accounts.managing import Held, Managing, caller_of
from hypermnesia.serve.accounts.shown import (
    StandingShown,
    TokenMade,
    TokenShown,
    UsageShown,
    Whoami,
)
from hypermnesia.serve.accounts.signin import LONGEST_NAME
from hypermnesia.serve.http.caller import principal_of
from hypermnesia.serve.http.fields import Scope
from hypermnesia.serve.http.problem import PROBLEMS
from hypermnesia.serve.http.workers import Pool

router = APIRouter(prefix="/api/v1", tags=["accounts"], responses=PROBLEMS)

Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
Patterns = Annotated[
    list[Scope],
    Field(
        max_length=tokens.MOST_PATTERNS,
        description="Scopes it may use; `*` in one stands for any characters.",
    ),
]


class NewToken(BaseModel):
    """A token to make."""

    model_config = ConfigDict(extra="forbid")

    label: str = Field(min_length=1, max_length=tokens.LONGEST_LABEL, description="What it is for.")
    account: Name | None = Field(None, description="Whose (administrators); default: one's own.")
    scopes: Patterns = []
    read_only: bool = False
    admin: bool = False
    days: float | None = Field(None, gt=0, le=3660, description="How long it lives.")


@router.get("/account", operation_id="whoami")
async def whoami(request: Request, hall: Held, workers: Pool) -> Whoami:
    """Who calls, with what rights, and what is left of the quota."""
    principal = principal_of(request)
    caller = caller_of(request)
    standing = None
    if caller is not None:
        standing = await workers.run(
            lambda: quota.standing(hall.store, hall.policy.plans, caller.account, hall.now())
        )
    return Whoami(
        name=principal.name,
        scopes=list(principal.scopes),
        read_only=principal.read_only,
        admin=principal.admin,
        standing=None if standing is None else StandingShown.of(standing),
    )


@router.get("/account/usage", operation_id="usage")
async def usage(
    manager: Managing,
    hall: Held,
    workers: Pool,
    days: Annotated[int, Query(ge=1, le=3660)] = 30,
    account: Annotated[Name | None, Query(description="Administrators: whose.")] = None,
) -> list[UsageShown]:
    """Requests by day and action; of everybody, for an administrator who names nobody."""
    since = hall.now() - timedelta(days=days)
    if account is None and manager.principal.admin:
        names = {one.id: one.name for one in await workers.run(hall.store.accounts)}
        lines = await workers.run(lambda: hall.store.usage(since))
        return [UsageShown.of(line, names.get(line.account, "?")) for line in lines]
    whose = await workers.run(lambda: manager.account(hall, account))
    lines = await workers.run(lambda: hall.store.usage(since, whose.id))
    return [UsageShown.of(line, whose.name) for line in lines]


@router.get("/tokens", operation_id="list_tokens")
async def listed(
    manager: Managing,
    hall: Held,
    workers: Pool,
    account: Annotated[Name | None, Query(description="Administrators: whose.")] = None,
) -> list[TokenShown]:
    """API tokens, newest first; never their secrets."""
    if account is None and manager.principal.admin:
        names = {one.id: one.name for one in await workers.run(hall.store.accounts)}
        found = await workers.run(lambda: hall.store.credentials("api"))
        return [TokenShown.of(one, names.get(one.account or "", "?")) for one in found]
    whose = await workers.run(lambda: manager.account(hall, account))
    found = await workers.run(lambda: hall.store.credentials("api", whose.id))
    return [TokenShown.of(one, whose.name) for one in found]


@router.post("/tokens", status_code=201, operation_id="create_token")
async def create(manager: Managing, hall: Held, workers: Pool, body: NewToken) -> TokenMade:
    """Make an API token; its secret is shown this once."""

    def made() -> TokenMade:
        account, now = manager.account(hall, body.account), hall.now()
        if body.admin:
            manager.must_own()
        issued = tokens.create(
            hall.store,
            account,
            now,
            label=body.label,
            scopes=body.scopes,
            read_only=body.read_only,
            admin=body.admin,
            life=None if body.days is None else timedelta(days=body.days),
        )
        audit.record(hall.store, manager.by, "token.create", issued.credential.id, now)
        shown = TokenShown.of(issued.credential, account.name)
        return TokenMade(**shown.model_dump(), secret=issued.secret)

    return await workers.run(made)


@router.delete(
    "/tokens/{token_id}", status_code=204, response_class=Response, operation_id="revoke_token"
)
async def revoke(manager: Managing, hall: Held, workers: Pool, token_id: str) -> None:
    """Revoke an API token, by its id or prefix."""

    def revoked() -> None:
        now = hall.now()
        own = None if manager.principal.admin else manager.account(hall, None)
        done = tokens.revoke(hall.store, token_id, now, own)
        audit.record(hall.store, manager.by, "token.revoke", done, now)

    await workers.run(revoked)

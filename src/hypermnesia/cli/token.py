"""The verb for API tokens of the service: create, list, revoke."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

from hypermnesia.cli.options import Invocation, pass_invocation, shared
from hypermnesia.cli.render import counted
from hypermnesia.cli.terminal import say, show_json, show_rows

if TYPE_CHECKING:
    from hypermnesia.memory import Memory
    from hypermnesia.store.accounts import Account, Credential


@click.group
@shared
def token() -> None:
    """Make, list and revoke tokens, with which programs call the service."""


@token.command
@click.argument("label")
@click.option(
    "--account", metavar="NAME", help="Whose [default: the only account; made if there is none]."
)
@click.option(
    "--allow",
    "scopes",
    multiple=True,
    metavar="PATTERN",
    help="Only these scopes; '*' stands for any characters (repeatable) [default: the account's].",
)
@click.option("--read-only", is_flag=True, help="It may change nothing.")
@click.option("--admin", is_flag=True, help="It may administer the service.")
@click.option("--days", type=float, help="How long it lives [default: until it is revoked].")
@shared
@pass_invocation
def create(
    invocation: Invocation, *, label: str, account: str | None, scopes: Sequence[str],
    read_only: bool, admin: bool, days: float | None,
) -> None:  # fmt: skip
    """Make a token and print it, this once; only a digest of it is kept."""
    from hypermnesia.serve.accounts import audit, tokens  # noqa: PLC0415 - as with any verb

    with invocation.memory() as memory:
        owner, now = _account(memory, account), datetime.now(UTC)
        issued = tokens.create(
            memory.accounts, owner, now,
            label=label, scopes=scopes, read_only=read_only, admin=admin,
            life=None if days is None else timedelta(days=days),
        )  # fmt: skip
        audit.record(memory.accounts, audit.COMMAND, "token.create", issued.credential.id, now)
    if invocation.json:
        show_json({**_document(issued.credential, owner.name), "secret": issued.secret})
    else:
        click.echo(issued.secret)
    may = "read" if read_only else "read and change"
    allowed = ", ".join(issued.credential.scopes) or "no scope: give the account some"
    say(f"token {issued.credential.prefix}… of {owner.name} may {may}: {allowed}; it is not shown"
        " again")  # fmt: skip


@token.command("list")
@click.option("--account", metavar="NAME", help="Whose [default: everybody's].")
@shared
@pass_invocation
def list_(invocation: Invocation, *, account: str | None) -> None:
    """List tokens, newest first: what they are for and when they were used, never the secret."""
    from hypermnesia.serve.accounts.administration import known  # noqa: PLC0415 - as above

    with invocation.memory() as memory:
        store = memory.accounts
        owner = None if account is None else known(store, account)
        names = {one.id: one.name for one in store.accounts()}
        found = store.credentials("api", None if owner is None else owner.id)
    rows = [(one, names.get(one.account or "", "?")) for one in found]
    if invocation.json:
        show_json([_document(one, name) for one, name in rows])
        return
    show_rows(
        ["token", "account", "scopes", "may", "state", "last used", "for"],
        [
            [one.prefix, name, " ".join(one.scopes), _rights(one), _state(one),
             _day(one.used_at), one.label]
            for one, name in rows
        ],
    )  # fmt: skip
    say(counted(len(rows), "token", "tokens"))


@token.command
@click.argument("token", metavar="ID|PREFIX")
@shared
@pass_invocation
def revoke(invocation: Invocation, *, token: str) -> None:
    """Revoke a token by its id, or by the prefix that the list shows, at once and for good."""
    from hypermnesia.serve.accounts import audit, tokens  # noqa: PLC0415 - as above

    with invocation.memory() as memory:
        now = datetime.now(UTC)
        revoked = tokens.revoke(memory.accounts, token, now)
        audit.record(memory.accounts, audit.COMMAND, "token.revoke", revoked, now)
    if invocation.json:
        show_json({"revoked": revoked})
    say("revoked")


def _account(memory: Memory, name: str | None) -> Account:
    from hypermnesia.config import load  # noqa: PLC0415 - pydantic is slow to import
    from hypermnesia.serve.accounts import administration  # noqa: PLC0415 - as above
    from hypermnesia.serve.accounts.quota import Plans  # noqa: PLC0415 - as above

    if name is not None:
        return administration.known(memory.accounts, name)
    plans = Plans.of(load())
    return administration.default_account(memory.accounts, plans, datetime.now(UTC))


def _document(one: Credential, account: str) -> dict[str, object]:
    return {
        "id": one.id,
        "prefix": one.prefix,
        "label": one.label,
        "account": account,
        "scopes": list(one.scopes),
        "read_only": one.read_only,
        "admin": bool(one.detail.get("admin")),
        "created_at": one.created_at.isoformat(),
        "expires_at": _iso(one.expires_at),
        "used_at": _iso(one.used_at),
        "revoked_at": _iso(one.revoked_at),
    }


def _rights(one: Credential) -> str:
    return "read" if one.read_only else "administer" if one.detail.get("admin") else "write"


def _state(one: Credential) -> str:
    if one.revoked_at is not None:
        return "revoked"
    return "in force" if one.live(datetime.now(UTC)) else "expired"


def _day(moment: datetime | None) -> str:
    return "never" if moment is None else f"{moment:%Y-%m-%d}"


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()

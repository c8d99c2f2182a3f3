"""The verb for accounts of the service: who may use it, and how much."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import click

from hypermnesia.cli.options import Invocation, pass_invocation, shared
from hypermnesia.cli.render import counted
from hypermnesia.cli.terminal import can_ask, say, show_fields, show_json, show_rows
from hypermnesia.errors import InvalidInput

if TYPE_CHECKING:
    from hypermnesia.serve.accounts.quota import Plans
    from hypermnesia.store.accounts import Account, AccountStore

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class _Office:
    store: AccountStore
    plans: Plans
    now: datetime

    def record(self, action: str, name: str) -> None:
        from hypermnesia.serve.accounts import audit  # noqa: PLC0415 - this verb alone needs it

        audit.record(self.store, audit.COMMAND, action, name, self.now)

    def show(self, invocation: Invocation, account: Account) -> None:
        from hypermnesia.serve.accounts import quota  # noqa: PLC0415 - as above
        from hypermnesia.serve.accounts.shown import AccountShown, StandingShown  # noqa: PLC0415

        stands = quota.standing(self.store, self.plans, account, self.now)
        if invocation.json:
            shown = AccountShown.of(account).model_dump(mode="json")
            show_json(shown | {"standing": StandingShown.of(stands).model_dump(mode="json")})
            return
        limit = "any number" if stands.limit is None else f"{stands.limit:,}"
        show_fields([
            ("name", account.name),
            ("scopes", " ".join(account.scopes) or "none"),
            ("administers", "yes" if account.admin else "no"),
            ("signs in", _ways_in(account)),
            ("plan", stands.plan or "none"),
            ("requests", f"{stands.used:,} of {limit} until {stands.resets_at:%Y-%m-%d}"),
            ("state", "disabled" if account.disabled else "in force"),
        ])  # fmt: skip


@contextmanager
def _office(invocation: Invocation) -> Generator[_Office]:
    from hypermnesia.config import load  # noqa: PLC0415 - pydantic is slow to import
    from hypermnesia.serve.accounts.quota import Plans  # noqa: PLC0415 - as above

    plans = Plans.of(load())
    with invocation.memory() as memory:
        yield _Office(memory.accounts, plans, datetime.now(UTC))


def _rights(command: Callable[P, R]) -> Callable[P, R]:
    for option in (
        click.option("--allowance", type=int, metavar="N",
                     help="Requests a month, whatever the plan; -1: those of the plan."),
        click.option("--plan", metavar="NAME", help="Its plan; '' for the service's default."),
        click.option("--allow", "scopes", multiple=True, metavar="PATTERN",
                     help="Scopes it may use; '*' stands for any characters (repeatable)."),
        click.option("--admin/--no-admin", default=None, help="It may administer the service."),
    ):  # fmt: skip
        command = option(command)
    return command


@click.group
@shared
def account() -> None:
    """Manage who may use the service on this store, and how much."""


@account.command
@click.argument("name")
@_rights
@click.option("--password", "ask", is_flag=True, help="Ask for a password to sign in with.")
@shared
@pass_invocation
def create(
    invocation: Invocation, *, name: str, admin: bool | None, scopes: Sequence[str],
    plan: str | None, allowance: int | None, ask: bool,
) -> None:  # fmt: skip
    """Make an account; an administrator has all scopes unless some are named."""
    from hypermnesia.serve.accounts import administration  # noqa: PLC0415 - as above

    password = _password() if ask else None
    with _office(invocation) as office:
        changes = administration.Changes(admin, scopes, plan, allowance)
        made = administration.create(
            office.store, office.plans, office.now, name, changes, password
        )
        office.record("account.create", made.name)
        office.show(invocation, made)


@account.command("list")
@shared
@pass_invocation
def list_(invocation: Invocation) -> None:
    """List accounts with what they used of their month."""
    from hypermnesia.serve.accounts import quota  # noqa: PLC0415 - as above

    with _office(invocation) as office:
        found = office.store.accounts()
        stands = [quota.standing(office.store, office.plans, one, office.now) for one in found]
    if invocation.json:
        show_json([
            {"name": one.name, "admin": one.admin, "scopes": list(one.scopes),
             "disabled": one.disabled, "plan": stand.plan, "limit": stand.limit,
             "used": stand.used}
            for one, stand in zip(found, stands, strict=True)
        ])  # fmt: skip
        return
    show_rows(
        ["account", "plan", "used", "limit", "state", "scopes"],
        [
            [one.name, stand.plan or "none", f"{stand.used:,}",
             "any" if stand.limit is None else f"{stand.limit:,}",
             "disabled" if one.disabled else "administers" if one.admin else "in force",
             " ".join(one.scopes)]
            for one, stand in zip(found, stands, strict=True)
        ],
    )  # fmt: skip
    say(counted(len(found), "account", "accounts"))


@account.command
@click.argument("name")
@shared
@pass_invocation
def show(invocation: Invocation, *, name: str) -> None:
    """Show an account, its quota and its notices."""
    from hypermnesia.serve.accounts.administration import known  # noqa: PLC0415 - as above

    with _office(invocation) as office:
        office.show(invocation, known(office.store, name))


@account.command
@click.argument("name")
@_rights
@click.option("--disable/--enable", "disabled", default=None,
              help="Accept nothing of it any more, and revoke what it holds.")  # fmt: skip
@shared
@pass_invocation
def change(
    invocation: Invocation, *, name: str, admin: bool | None, scopes: Sequence[str],
    plan: str | None, allowance: int | None, disabled: bool | None,
) -> None:  # fmt: skip
    """Change an account; what is left out stays. Tokens never do more than their account may."""
    from hypermnesia.serve.accounts import administration  # noqa: PLC0415 - as above

    with _office(invocation) as office:
        changes = administration.Changes(admin, scopes or None, plan, allowance, disabled)
        changed = administration.change(office.store, office.plans, name, changes, office.now)
        office.record("account.change", changed.name)
        office.show(invocation, changed)


@account.command
@click.argument("name")
@shared
@pass_invocation
def remove(invocation: Invocation, *, name: str) -> None:
    """Remove an account with its tokens, sessions and counters; memories stay."""
    from hypermnesia.serve.accounts import administration  # noqa: PLC0415 - as above

    with _office(invocation) as office:
        administration.remove(office.store, name)
        office.record("account.remove", name)
    if invocation.json:
        show_json({"removed": name})
    say("removed")


@account.command
@click.argument("name")
@shared
@pass_invocation
def password(invocation: Invocation, *, name: str) -> None:
    """Give an account a password, asked for or read from standard input; it is signed out."""
    from hypermnesia.serve.accounts import signin  # noqa: PLC0415 - as above
    from hypermnesia.serve.accounts.administration import known  # noqa: PLC0415 - as above

    with _office(invocation) as office:
        one = known(office.store, name)
        signin.set_password(office.store, one, _password(), office.now)
        office.record("account.password", one.name)
        office.show(invocation, known(office.store, name))


@account.command
@click.argument("name")
@click.option("--off", is_flag=True, help="Ask for none any more.")
@shared
@pass_invocation
def totp(invocation: Invocation, *, name: str, off: bool) -> None:
    """Ask for one-time codes at sign-in: prints the link that an authenticator takes, this once."""
    from hypermnesia.serve.accounts import totp as codes  # noqa: PLC0415 - as above
    from hypermnesia.serve.accounts.administration import known  # noqa: PLC0415 - as above

    with _office(invocation) as office:
        one, seed = known(office.store, name), None if off else codes.new_seed()
        office.store.put_account(replace(one, totp=seed))
        office.record("account.totp", one.name)
    link = None if seed is None else codes.link_of(seed, one.name)
    if invocation.json:
        show_json({"name": one.name, "link": link})
    elif link is not None:
        click.echo(link)
    say("codes are no longer asked for" if off else "codes are asked for from now on")


@account.command("audit")
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True,
              help="At most so many entries.")  # fmt: skip
@shared
@pass_invocation
def audited(invocation: Invocation, *, limit: int) -> None:
    """Show who did what and when, newest first; never the content."""
    from hypermnesia.serve.accounts.shown import AuditShown  # noqa: PLC0415 - as above

    with _office(invocation) as office:
        entries = office.store.audited(limit)
    if invocation.json:
        show_json([AuditShown.of(entry).model_dump(mode="json") for entry in entries])
        return
    show_rows(
        ["at", "who", "what", "outcome", "target"],
        [
            [f"{entry.at:%Y-%m-%d %H:%M:%S}", entry.actor, entry.action, entry.outcome,
             entry.target]
            for entry in entries
        ],
    )  # fmt: skip


def _password() -> str:
    if can_ask():
        asked: str = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
        return asked
    line = sys.stdin.readline().rstrip("\r\n")
    if not line:
        raise InvalidInput("no password: type one at a terminal, or give a line on standard input")
    return line


def _ways_in(one: Account) -> str:
    if one.password is None:
        return "no"
    return "with a password" if one.totp is None else "with a password and a one-time code"

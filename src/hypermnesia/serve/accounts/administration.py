"""Making, changing and removing accounts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from hypermnesia.errors import Conflict, InvalidInput, NotFound
from hypermnesia.identity import new_id
from hypermnesia.serve.accounts import passwords
from hypermnesia.serve.accounts.quota import Plans
from hypermnesia.serve.accounts.signin import name_of
from hypermnesia.serve.accounts.tokens import patterns_of
from hypermnesia.store.accounts import Account, AccountStore, CredentialKind

OWNER = "owner"
"""Account of tokens that are made where there are no accounts."""
HELD: tuple[CredentialKind, ...] = ("session", "api", "access", "refresh", "code")
MOST_ALLOWED = 2**53


@dataclass(frozen=True, slots=True)
class Changes:
    """What to change of an account; ``None`` leaves it as it is.

    Attributes:
        plan: empty = the service's default.
        allowance: negative = that of the plan.
    """

    admin: bool | None = None
    scopes: Sequence[str] | None = None
    plan: str | None = None
    allowance: int | None = None
    disabled: bool | None = None


def create(
    store: AccountStore,
    plans: Plans,
    now: datetime,
    name: str,
    changes: Changes,
    password: str | None = None,
) -> Account:
    """Make an account.

    Args:
        store: where it is kept.
        plans: those there are.
        now: the time.
        name: of the account.
        changes: what it has; without scopes, an administrator has all, others none.
        password: ``None`` = nobody can sign in to it.

    Raises:
        InvalidInput: name, plan, scopes or password cannot be used.
        Conflict: there is one of this name.
    """
    hashed = None if password is None else passwords.hash_of(password)
    account = _changed(Account(new_id(), name_of(name), now, password=hashed), changes, plans)
    if account.admin and not account.scopes:
        account = replace(account, scopes=("*",))
    store.put_account(account)
    return account


def change(
    store: AccountStore, plans: Plans, name: str, changes: Changes, now: datetime
) -> Account:
    """Change an account; one that is disabled loses whatever it holds.

    Raises:
        NotFound: there is none of this name.
        InvalidInput: plan or scopes cannot be used.
        Conflict: nobody would be left to administer the service.
    """
    before = known(store, name)
    account = _changed(before, changes, plans)
    if before.admin and not before.disabled and (account.disabled or not account.admin):
        _leave_somebody(store, before)
    store.put_account(account)
    if account.disabled:
        store.revoke_all(account.id, HELD, now)
    return account


def remove(store: AccountStore, name: str) -> None:
    """Remove an account and whatever it holds.

    Raises:
        NotFound: there is none of this name.
        Conflict: nobody would be left to administer the service.
    """
    account = known(store, name)
    if account.admin and not account.disabled:
        _leave_somebody(store, account)
    store.remove_account(name)


def known(store: AccountStore, name: str) -> Account:
    """The account of this name.

    Raises:
        NotFound: there is none.
    """
    account = store.account(name) if name.isprintable() else None
    if account is None:
        raise NotFound(f"there is no account {name[:60]!r}; list them to see their names")
    return account


def default_account(store: AccountStore, plans: Plans, now: datetime) -> Account:
    """The one account there is; where there is none, a new one that administers.

    Raises:
        InvalidInput: there are several.
    """
    accounts = store.accounts()
    if len(accounts) > 1:
        names = ", ".join(account.name for account in accounts[:10])
        raise InvalidInput(f"name the account: there are {names}")
    return accounts[0] if accounts else create(store, plans, now, OWNER, Changes(admin=True))


def _changed(account: Account, changes: Changes, plans: Plans) -> Account:
    if changes.plan and changes.plan not in plans.allowances:
        names = ", ".join(plans.allowances) or "none is configured"
        raise InvalidInput(f"there is no plan {changes.plan[:60]!r}; plans: {names}")
    if changes.allowance is not None and changes.allowance > MOST_ALLOWED:
        raise InvalidInput(f"an allowance is at most {MOST_ALLOWED:,}")
    return replace(
        account,
        admin=account.admin if changes.admin is None else changes.admin,
        scopes=account.scopes if changes.scopes is None else patterns_of(changes.scopes),
        plan=account.plan if changes.plan is None else changes.plan or None,
        allowance=_allowance(account.allowance, changes.allowance),
        disabled=account.disabled if changes.disabled is None else changes.disabled,
    )


def _allowance(before: int | None, asked: int | None) -> int | None:
    if asked is None:
        return before
    return asked if asked >= 0 else None


def _leave_somebody(store: AccountStore, leaving: Account) -> None:
    others = [
        one.name
        for one in store.accounts()
        if one.admin and not one.disabled and one.id != leaving.id
    ]
    if not others:
        raise Conflict(f"{leaving.name} is the last administrator; make another one first")

"""API tokens: made for programs, shown once, bound to scopes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from hypermnesia import validate
from hypermnesia.errors import Forbidden, InvalidInput, NotFound
from hypermnesia.identity import new_id
from hypermnesia.plain import plain_text
from hypermnesia.serve.accounts.caller import covered
from hypermnesia.serve.accounts.secret import Issued, digest_of, new_secret, prefix_of
from hypermnesia.store.accounts import Account, AccountStore, Credential

MOST_PATTERNS = 50
MOST_TOKENS = 1000
"""API tokens of one account, expired and revoked ones included."""
LONGEST_LABEL = 100
LONGEST_LIFE = timedelta(days=3660)


def create(
    store: AccountStore,
    account: Account,
    now: datetime,
    *,
    label: str,
    scopes: Sequence[str] = (),
    read_only: bool = False,
    admin: bool = False,
    life: timedelta | None = None,
) -> Issued:
    """Make a token for an account.

    Args:
        store: where it is kept.
        account: whose it is.
        now: the time.
        label: what it is for.
        scopes: patterns of the scopes it may use; none = all of the account's.
        read_only: it may change nothing.
        admin: it may administer the service.
        life: how long it lives; ``None`` = until it is revoked.

    Raises:
        InvalidInput: the label, a pattern or the life is out of bounds.
        Forbidden: the account itself may not do this.
    """
    patterns = _allowed(account, scopes, admin=admin)
    if admin and read_only:
        raise InvalidInput("a token that administers cannot be read-only; choose one")
    if life is not None and not timedelta(0) < life <= LONGEST_LIFE:
        raise InvalidInput(f"a token lives for up to {LONGEST_LIFE.days} days, or without end")
    if len(store.credentials("api", account.id)) >= MOST_TOKENS:
        raise InvalidInput(f"{account.name} has {MOST_TOKENS} tokens; remove some")
    secret = new_secret("api")
    credential = Credential(
        new_id(),
        "api",
        digest_of(secret),
        account.id,
        now,
        None if life is None else now + life,
        label=label_of(label),
        prefix=prefix_of(secret),
        scopes=patterns,
        read_only=read_only,
        detail={"admin": True} if admin else {},
    )
    store.issue(credential)
    return Issued(secret, credential)


def _allowed(account: Account, scopes: Sequence[str], *, admin: bool) -> tuple[str, ...]:
    """A token's patterns, none of which its account may not use itself."""
    patterns = patterns_of(scopes) or account.scopes
    beyond = [pattern for pattern in patterns if pattern not in covered(patterns, account.scopes)]
    if beyond:
        raise Forbidden(f"{account.name} may not use {beyond[0]!r}; ask for a part of its scopes")
    if admin and not account.admin:
        raise Forbidden(f"{account.name} is no administrator, so its tokens are none")
    return patterns


def revoke(store: AccountStore, given: str, now: datetime, account: Account | None = None) -> str:
    """Revoke an API token by its id or by the prefix that is shown of it; returns the id.

    Args:
        store: where it is kept.
        given: id or prefix.
        now: the time.
        account: whose it must be; ``None`` = anyone's.

    Raises:
        NotFound: there is none, or it was revoked before.
        InvalidInput: the prefix is that of several.
    """
    listed = store.credentials("api", None if account is None else account.id)
    meant = [one.id for one in listed if given in {one.id, one.prefix} and one.revoked_at is None]
    if len(meant) > 1:
        raise InvalidInput(f"{len(meant)} tokens begin with {given!r}; name one by its id")
    if not meant or not store.revoke(meant[0], now):
        raise NotFound(f"no token in force is called {given[:60]!r}; list them to see their names")
    return meant[0]


def patterns_of(scopes: Sequence[str]) -> tuple[str, ...]:
    """Patterns of scopes, each checked as a scope is.

    Raises:
        InvalidInput: one is no name, or there are too many.
    """
    if len(scopes) > MOST_PATTERNS:
        raise InvalidInput(f"{len(scopes)} patterns of scopes given, at most {MOST_PATTERNS}")
    return tuple(dict.fromkeys(validate.scope(scope) for scope in scopes))


def label_of(text: str) -> str:
    """A label, trimmed.

    Raises:
        InvalidInput: it is blank, too long, or cannot be stored.
    """
    label = " ".join(plain_text(text, "label").split())
    if not 0 < len(label) <= LONGEST_LABEL:
        raise InvalidInput(f"a label has 1 to {LONGEST_LABEL} characters; say what it is for")
    return label

"""Signing in with a password, and the setup link that makes the first account."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from hypermnesia import validate
from hypermnesia.errors import Forbidden, InvalidInput, LimitReached, Unauthenticated
from hypermnesia.identity import new_id
from hypermnesia.serve.accounts import audit, passwords, totp
from hypermnesia.serve.accounts.caller import Caller
from hypermnesia.serve.accounts.rate import Buckets
from hypermnesia.serve.accounts.secret import Issued, digest_of, new_secret
from hypermnesia.store.accounts import Account, AccountStore, Credential

SETUP_LIFE = timedelta(hours=24)
ATTEMPTS = 8
"""Passwords that may be tried for one account in a row; then one every thirty seconds."""
ATTEMPTS_A_SECOND = 1 / 30
ADDRESS_ATTEMPTS = 40
"""The same from one address, which a proxy's people share; then one every two seconds."""
ADDRESS_ATTEMPTS_A_SECOND = 1 / 2
LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Attempt:
    """What somebody typed to sign in, and where from."""

    name: str
    password: str
    code: str
    address: str


class Door:
    """Lets people in, and slows those who guess.

    Args:
        store: where accounts are kept.
        session: how long a session lives.
        ticks: seconds, of which only differences count.
    """

    def __init__(self, store: AccountStore, session: timedelta, ticks: Callable[[], float]) -> None:
        self._store = store
        self._session = session
        self._names = Buckets(ATTEMPTS_A_SECOND, ATTEMPTS, ticks)
        self._addresses = Buckets(ADDRESS_ATTEMPTS_A_SECOND, ADDRESS_ATTEMPTS, ticks)

    def sign_in(self, attempt: Attempt, now: datetime) -> Issued:
        """Begin a session.

        Raises:
            LimitReached: too many attempts; nothing was checked.
            Unauthenticated: name, password or one-time password is wrong: it is not said which.
        """
        name = attempt.name[:LONGEST_NAME]
        _slow_down(self._addresses.take(attempt.address), self._names.take(name))
        account = self._store.account(attempt.name) if attempt.name.isprintable() else None
        if not self._proves(account, attempt, now):
            # What was typed as a name may have been the password.
            known = "unknown name" if account is None else account.name
            audit.record(self._store, "nobody", "sign-in", known, now, "refused")
            raise Unauthenticated("name, password or one-time code is wrong; try again")
        assert account is not None  # noqa: S101 - nobody proves to be nobody
        self._names.refill(name)
        issued = begin(self._store, account, now, self._session)
        audit.record(self._store, Caller(account, issued.credential), "sign-in", account.name, now)
        return issued

    def complete_setup(
        self, link: str, name: str, password: str, address: str, now: datetime
    ) -> Issued:
        """Make the first account, an administrator, and begin its session.

        Raises:
            LimitReached: too many attempts.
            InvalidInput: the name or the password is out of bounds; the link can still be used.
            Forbidden: the link is unknown, used or expired, or there is an account already.
        """
        _slow_down(self._addresses.take(address))
        self._check_link(link, now)
        account = Account(
            new_id(),
            name_of(name),
            now,
            admin=True,
            scopes=("*",),
            password=passwords.hash_of(password),
        )
        if not self._store.found(account, digest_of(link), now):
            raise _used_up()
        audit.record(self._store, account.name, "account.create", account.name, now)
        return begin(self._store, account, now, self._session)

    def _check_link(self, link: str, now: datetime) -> None:
        """Nobody without a link gets to choose a password, which is expensive to hash."""
        found = self._store.credential(digest_of(link))
        if found is None or found[0].kind != "setup" or not found[0].live(now):
            raise _used_up()

    def _proves(self, account: Account | None, attempt: Attempt, now: datetime) -> bool:
        stored = None if account is None or account.disabled else account.password
        if not passwords.matches(attempt.password, stored) or account is None:
            return False
        if account.totp is None:
            return True
        step = totp.matching_step(account.totp, attempt.code, now)
        return step is not None and self._store.accept_step(account.id, step)


def _slow_down(*waits: float) -> None:
    if any(waits):
        raise LimitReached("too many attempts; wait before the next", max(waits))


def _used_up() -> Forbidden:
    return Forbidden(
        "this setup code is unknown, used or expired, or the service is set up already; sign in,"
        " or restart the service for a new one"
    )


def begin(store: AccountStore, account: Account, now: datetime, life: timedelta) -> Issued:
    """A fresh session of an account."""
    secret = new_secret("session")
    credential = Credential(new_id(), "session", digest_of(secret), account.id, now, now + life)
    store.issue(credential)
    return Issued(secret, credential)


def setup_secret(store: AccountStore, now: datetime) -> str | None:
    """A one-time secret that makes the first account; ``None`` when there is one already."""
    if store.accounts():
        return None
    secret = new_secret("setup")
    store.issue(Credential(new_id(), "setup", digest_of(secret), None, now, now + SETUP_LIFE))
    return secret


def set_password(store: AccountStore, account: Account, password: str, now: datetime) -> None:
    """Give an account a password; whoever is signed in to it is signed out.

    Raises:
        InvalidInput: it is too short or too long.
    """
    store.put_account(replace(account, password=passwords.hash_of(password)))
    store.revoke_all(account.id, ("session",), now)


def name_of(text: str) -> str:
    """A name for an account: as a scope's, without what would be odd in an address.

    Raises:
        InvalidInput: it is none.
    """
    name = validate.scope(text)
    if len(name) > LONGEST_NAME or not name.isprintable() or set(name) & set("*/\\;?#%"):
        raise InvalidInput(
            f"a name has up to {LONGEST_NAME} printable characters and none of */\\;?#%;"
            " choose another"
        )
    return name

"""Tokens and accounts: who may come in, and with what."""

from __future__ import annotations

from datetime import timedelta

from starlette.responses import Response

from hypermnesia.errors import Conflict, InvalidInput, NotFound
from hypermnesia.serve.accounts import audit, tokens
from hypermnesia.serve.accounts.hall import Hall
from hypermnesia.serve.accounts.managing import Manager
from hypermnesia.serve.accounts.shown import AccountShown, AuditShown, TokenShown
from hypermnesia.serve.console.visit import Visit

AUDITED = 50
"""Entries of the audit log that an administrator sees."""


def show(visit: Visit) -> Response:
    """The tokens that the visitor manages; for administrators accounts and the audit log, too."""
    hall = visit.hall
    if hall is None:
        return visit.page("access_none.html")
    return _page(visit, hall, None)


def create(visit: Visit) -> Response:
    """Make a token; its secret is in this answer and nowhere else."""
    hall, manager = _hall(visit), Manager(visit.request)
    account, now = manager.account(hall, visit.value("account")), hall.now()
    issued = tokens.create(
        hall.store,
        account,
        now,
        label=visit.needed("label"),
        scopes=_lines(visit.value("scopes")),
        read_only=visit.value("read_only") is not None,
        life=_life(visit.value("days")),
    )
    audit.record(hall.store, manager.by, "token.create", issued.credential.id, now)
    return _page(visit, hall, issued.secret)


def ask_revoke(visit: Visit) -> Response:
    """Say which token would be revoked, and ask."""
    hall = _hall(visit)
    named = [token for token in _tokens(hall, Manager(visit.request)) if token.id == _id(visit)]
    if not named:
        raise NotFound("there is no such token")
    return visit.page("revoke.html", listed=named[0])


def revoke(visit: Visit) -> Response:
    """Let a token open nothing any more."""
    hall, manager = _hall(visit), Manager(visit.request)
    own = None if manager.principal.admin else manager.account(hall, None)
    done = tokens.revoke(hall.store, _id(visit), hall.now(), own)
    audit.record(hall.store, manager.by, "token.revoke", done, hall.now())
    return visit.go("/access", "revoked")


def _page(visit: Visit, hall: Hall, secret: str | None) -> Response:
    manager = Manager(visit.request)
    admin = manager.principal.admin
    return visit.page(
        "access.html",
        secret=secret,
        tokens=_tokens(hall, manager),
        own=manager.caller is not None,
        accounts=[AccountShown.of(one) for one in hall.store.accounts()] if admin else [],
        audited=[AuditShown.of(one) for one in hall.store.audited(AUDITED)] if admin else [],
    )


def _tokens(hall: Hall, manager: Manager) -> list[TokenShown]:
    if manager.principal.admin:
        names = {one.id: one.name for one in hall.store.accounts()}
        found = hall.store.credentials("api")
        return [TokenShown.of(one, names.get(one.account or "", "?")) for one in found]
    account = manager.account(hall, None)
    return [TokenShown.of(one, account.name) for one in hall.store.credentials("api", account.id)]


def _hall(visit: Visit) -> Hall:
    if visit.hall is None:
        raise Conflict("this service has no accounts, so it has no tokens")
    return visit.hall


def _id(visit: Visit) -> str:
    return visit.needed("id")


def _lines(text: str | None) -> list[str]:
    return [line.strip() for line in (text or "").splitlines() if line.strip()]


def _life(text: str | None) -> timedelta | None:
    try:
        return None if text is None else timedelta(days=float(text))
    except (ValueError, OverflowError):
        raise InvalidInput("days must be a number, up to 3660") from None

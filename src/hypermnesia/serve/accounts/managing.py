"""Who may manage tokens and accounts.

Only a person who signed in, or a token that administers: one that leaked must not be able to make
others.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request
from starlette.requests import HTTPConnection

from hypermnesia.errors import Forbidden, InvalidInput
from hypermnesia.serve.accounts import administration
from hypermnesia.serve.accounts.caller import Caller
from hypermnesia.serve.accounts.hall import Hall
from hypermnesia.serve.http.caller import principal_of
from hypermnesia.serve.principal import Principal
from hypermnesia.store.accounts import Account


def hall_of(connection: HTTPConnection) -> Hall:
    """Accounts and the rules for them, as the gate left them with the request."""
    hall = getattr(connection.state, "hall", None)
    if not isinstance(hall, Hall):
        raise TypeError("the application was made without accounts")
    return hall


def caller_of(connection: HTTPConnection) -> Caller | None:
    """Who calls, with what credential; ``None`` where nobody needs one."""
    caller = getattr(connection.state, "caller", None)
    return caller if isinstance(caller, Caller) else None


Held = Annotated[Hall, Depends(hall_of)]
"""A route's argument of this type is where accounts are kept."""


class Manager:
    """Somebody who manages tokens: whose, and whether also those of others."""

    def __init__(self, request: Request) -> None:
        self.caller = caller_of(request)
        self.principal: Principal = principal_of(request)
        signed_in = self.caller is not None and self.caller.credential.kind == "session"
        if not (signed_in or self.principal.admin):
            raise Forbidden("tokens cannot manage tokens; sign in, or use one that administers")

    @property
    def by(self) -> Caller | str:
        """For the audit log."""
        return self.caller or self.principal.name

    def must_own(self) -> None:
        """Refuse whoever does not administer.

        Raises:
            Forbidden: it is somebody who does not.
        """
        if not self.principal.admin:
            raise Forbidden(f"{self.principal.name} does not administer this service")

    def account(self, hall: Hall, name: str | None) -> Account:
        """Whose tokens are meant.

        Raises:
            Forbidden: another's, and this is no administrator.
            NotFound: there is no such account.
        """
        if name is None and self.caller is not None:
            return self.caller.account
        if name is None:
            raise InvalidInput("name the account")
        if self.caller is None or name != self.caller.account.name:
            self.must_own()
        return administration.known(hall.store, name)


Managing = Annotated[Manager, Depends(Manager)]
"""A route's argument of this type is somebody who may manage tokens."""

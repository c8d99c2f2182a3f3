"""Who sent a request: the seam between what authenticates and what serves.

Authentication is an ASGI middleware (or anything else that runs first): it puts a
:class:`~hypermnesia.serve.principal.Principal` into ``request.state.principal``, or leaves it
out for a request without credentials.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends
from starlette.requests import HTTPConnection

from hypermnesia.errors import Unauthenticated
from hypermnesia.memory import Memory
from hypermnesia.serve.access import Access
from hypermnesia.serve.principal import OWNER, Principal


def principal_of(connection: HTTPConnection) -> Principal:
    """Who sent the request; the owner, where the service is open to its own machine alone.

    Raises:
        Unauthenticated: nobody said who it is, and the service is not open.
    """
    found = getattr(connection.state, "principal", None)
    if isinstance(found, Principal):
        return found
    if connection.app.state.open:
        connection.state.principal = OWNER
        return OWNER
    raise Unauthenticated("a token is needed; send it as 'Authorization: Bearer TOKEN'")


def notices_of(connection: HTTPConnection) -> tuple[str, ...]:
    """What whoever authenticated has to tell the sender with this answer."""
    return getattr(connection.state, "notices", ())


def access_of(connection: HTTPConnection) -> Access:
    """The memory as the sender of the request may use it.

    Raises:
        Unauthenticated: see :func:`principal_of`.
    """
    memory = connection.app.state.memory
    if not isinstance(memory, Memory):
        raise TypeError("the application was made without a memory")
    return Access(memory, principal_of(connection))


Caller = Annotated[Access, Depends(access_of)]
"""A route's argument of this type is the memory as its caller may use it."""

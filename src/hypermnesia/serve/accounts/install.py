"""Accounts as one piece: what :func:`~hypermnesia.serve.http.app.create_app` takes of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from time import monotonic

from fastapi import APIRouter
from starlette.middleware import Middleware

from hypermnesia.config import Settings
from hypermnesia.memory import Memory
from hypermnesia.serve.accounts import account_endpoints, token_endpoints
from hypermnesia.serve.accounts.entry import entry_router
from hypermnesia.serve.accounts.gate import Gate
from hypermnesia.serve.accounts.hall import Hall, time
from hypermnesia.serve.accounts.oauth.documents import Documents
from hypermnesia.serve.accounts.oauth.router import oauth_router
from hypermnesia.serve.accounts.policy import Policy
from hypermnesia.serve.accounts.signin import setup_secret


@dataclass(frozen=True, slots=True)
class Accounts:
    """Everything about accounts, ready to be put around an application.

    Attributes:
        middleware: the gate that every request passes.
        routers: its pages and endpoints.
    """

    hall: Hall
    middleware: tuple[Middleware, ...]
    routers: tuple[APIRouter, ...]

    def setup_link(self, address: str) -> str | None:
        """A link that makes the first account; ``None`` when there is one already.

        The secret stands after ``#``, which browsers send to nobody.

        Args:
            address: of the service, without a slash at the end.
        """
        secret = setup_secret(self.hall.store, self.hall.now())
        return None if secret is None else f"{address}/setup#{secret}"


def accounts_of(
    memory: Memory,
    settings: Settings,
    documents: Documents | None = None,
    now: Callable[[], datetime] = time,
    ticks: Callable[[], float] = monotonic,
) -> Accounts:
    """Accounts of a memory, under these settings.

    Args:
        memory: whose store keeps them.
        settings: those that begin with ``serve_`` and ``oauth_``.
        documents: finds OAuth clients by their documents; ``None`` = as configured.
        now: the time.
        ticks: seconds, of which only differences count.

    Raises:
        InvalidInput: an address among the settings is none.
    """
    hall = Hall(memory.accounts, Policy.of(settings), now, ticks)
    return Accounts(
        hall,
        (Middleware(Gate, hall=hall),),
        (
            token_endpoints.router,
            account_endpoints.router,
            entry_router(hall),
            oauth_router(hall, documents),
        ),
    )

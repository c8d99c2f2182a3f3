"""The service with its gate, on a real port, and people and programs that call it."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import socket
import threading
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import uvicorn

from hypermnesia import config
from hypermnesia.memory import Memory
from hypermnesia.models.http import tls_context
from hypermnesia.serve.accounts import administration, passwords, tokens
from hypermnesia.serve.accounts.administration import Changes
from hypermnesia.serve.accounts.install import Accounts, accounts_of
from hypermnesia.serve.accounts.oauth.documents import Documents
from hypermnesia.serve.http.app import create_app
from hypermnesia.store.accounts import Account

WAIT = 60.0
"""Seconds for whatever has to happen; a loaded machine is slow."""
PASSWORD = "correct horse battery"
REVISION = "2026-07-28"
START = datetime(2026, 5, 3, 12, tzinfo=UTC)


def tool_call(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """A call of an MCP tool, as clients of the present revision send it."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": REVISION,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": name, "arguments": arguments, "_meta": meta}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def mcp_headers(tool: str) -> dict[str, str]:
    """The headers that go with it."""
    return {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": REVISION,
        "Mcp-Method": "tools/call",
        "Mcp-Name": tool,
    }


@dataclass
class Clock:
    """A time that only tests move."""

    at: datetime = START

    def __call__(self) -> datetime:
        """The time."""
        return self.at

    def ticks(self) -> float:
        """The same in seconds."""
        return self.at.timestamp()

    def forward(self, by: timedelta) -> None:
        """Later."""
        self.at += by


@dataclass(frozen=True)
class Service:
    """A running service.

    Attributes:
        url: its address.
        http: a client without credentials, which follows no redirect.
    """

    url: str
    memory: Memory
    accounts: Accounts
    clock: Clock
    http: httpx2.Client
    closing: ExitStack

    def reset(self) -> None:
        """Nobody is known, and nothing was done."""
        hall = self.accounts.hall
        for account in hall.store.accounts():
            hall.store.remove_account(account.name)
        hall.store.sweep(START + timedelta(days=9999), START + timedelta(days=9999))
        for buckets in (hall.door._names, hall.door._addresses, hall.strangers):
            buckets._levels.clear()
        self.clock.at = START

    def account(self, name: str = "ada", *, password: bool = False, **changes: Any) -> Account:
        """Make an account, in the place of one; without scopes it has those of its own name."""
        changes.setdefault("scopes", [f"{name}*"])
        hall = self.accounts.hall
        hall.store.remove_account(name)
        made = administration.create(
            hall.store, hall.policy.plans, hall.now(), name, Changes(**changes)
        )
        if password:
            made = replace(made, password=_hash_of(PASSWORD))
            hall.store.put_account(made)
        return made

    def known(self, name: str = "ada") -> Account:
        """An account that was made."""
        return administration.known(self.accounts.hall.store, name)

    def token(self, account: Account, label: str = "test", **more: Any) -> str:
        """Make an API token; its secret."""
        hall = self.accounts.hall
        return tokens.create(hall.store, account, hall.now(), label=label, **more).secret

    def bearing(self, secret: str) -> httpx2.Client:
        """A client with a token."""
        return self._client({"Authorization": f"Bearer {secret}"})

    def browser(self) -> httpx2.Client:
        """A client that keeps cookies and says which page its forms are from."""
        return self._client({"Origin": self.url})

    def signed_in(self, name: str = "ada") -> httpx2.Client:
        """A browser in which somebody signed in."""
        browser = self.browser()
        answer = browser.post("/signin", data={"name": name, "password": PASSWORD})
        assert answer.status_code == 303, answer.text
        return browser

    def _client(self, headers: dict[str, str]) -> httpx2.Client:
        made = httpx2.Client(verify=tls_context(), base_url=self.url, headers=headers, timeout=WAIT)
        return self.closing.enter_context(made)


_HASHES: dict[str, str] = {}


def _hash_of(password: str) -> str:
    """Hashed once: it is meant to be slow."""
    if password not in _HASHES:
        _HASHES[password] = passwords.hash_of(password)
    return _HASHES[password]


@contextmanager
def running(
    memory: Memory, documents: Documents | None = None, **settings: Any
) -> Generator[Service]:
    """Run the service on a free port of the loopback interface."""
    clock = Clock()
    given = config.load(store="unused", **settings)
    accounts = accounts_of(memory, given, documents, clock, clock.ticks)
    app = create_app(memory, given, middleware=accounts.middleware, routers=accounts.routers)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(128)  # so that whoever comes early waits in the queue
        server = uvicorn.Server(
            uvicorn.Config(app, log_config=None, ws="none", timeout_keep_alive=1)
        )
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        thread = threading.Thread(target=server.run, args=([listening],), name="service")
        thread.start()
        try:
            with ExitStack() as closing:
                http = closing.enter_context(
                    httpx2.Client(verify=tls_context(), base_url=url, timeout=WAIT)
                )
                yield Service(url, memory, accounts, clock, http, closing)
        finally:
            server.should_exit = True
            thread.join(WAIT)
        assert not thread.is_alive()

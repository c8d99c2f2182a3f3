"""What the address of a request says of it, before anything is routed.

A path that is not listed here needs a credential: a new page or endpoint is closed until
somebody opens it.
"""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qsl

from hypermnesia.serve.accounts.secret import MARK
from hypermnesia.serve.accounts.site import Connection, header
from hypermnesia.serve.http.problem import Failed

API: Final = "/api/"
MCP: Final = "/mcp"
OWN: Final = ("/api/v1/account", "/api/v1/accounts", "/api/v1/tokens", "/api/v1/audit")
"""Endpoints about accounts: to look at one's quota costs nothing of it."""

_PROBES: Final = frozenset({"/healthz", "/readyz"})
_CLIENTS: Final = frozenset({"/token", "/register", "/revoke"})
"""Where OAuth clients show credentials of their own, or need none."""
_WELL_KNOWN: Final = "/.well-known/"
_PUBLIC: Final = frozenset({
    "/signin", "/signout", "/setup", "/setup/link.js", "/authorize", "/favicon.ico",
})  # fmt: skip
_STATIC: Final = "/console/static/"
_PAGES: Final = ("/console", "/signin", "/signout", "/setup", "/authorize")
"""Pages whose forms carry a token, which the pages check."""

_SECRET_NAMES: Final = frozenset({
    "access_token", "api_key", "apikey", "auth", "authorization", "bearer", "client_secret",
    "id_token", "jwt", "key", "passkey", "passwd", "password", "refresh_token", "secret",
    "session", "token", "x-api-key",
})  # fmt: skip
_SECRET: Final = re.compile(rf"{MARK}(?:api|session|setup|code|access|refresh)_[\w.-]{{16}}")
"""A secret or most of one; the prefix that lists show is shorter."""
_AMBIGUOUS: Final = re.compile(r"//|\\|/\.{1,2}(?:/|$)|[\x00-\x1f\x7f]|^[^/]|;")


def check(connection: Connection) -> None:
    """Refuse an address that could be read in two ways, or that carries a secret.

    A secret in an address ends up in logs and histories, so it is taken out of this one: what
    is logged later cannot show it.

    Raises:
        Failed: 404 or 400.
    """
    query = connection.get("query_string", b"")
    if _tells_a_secret(query.decode("latin-1")):
        connection["query_string"] = b""
        raise Failed(
            HTTPStatus.BAD_REQUEST,
            "secret-in-address",
            "a token, password or key stands in the address; revoke it, since addresses are"
            " logged, and send it as 'Authorization: Bearer TOKEN'",
        )
    if _SECRET.search(connection["path"]):
        connection["path"], connection["raw_path"] = "/", b"/"
        raise Failed(
            HTTPStatus.BAD_REQUEST, "secret-in-address", "a token stands in the address; revoke it"
        )
    if _AMBIGUOUS.search(connection["path"]):
        raise Failed(HTTPStatus.NOT_FOUND, "not_found", "there is nothing at this address")
    for name in (b"host", b"authorization", b"content-length", b"content-type", b"origin"):
        header(connection, name)


def is_probe(path: str) -> bool:
    """Asked by what watches the process, by whatever name it reaches it."""
    return path in _PROBES


def is_public(path: str) -> bool:
    """Answered without a credential."""
    return path in _PUBLIC or path in _CLIENTS or path.startswith((_WELL_KNOWN, _STATIC))


def is_for_any_origin(path: str) -> bool:
    """Called by OAuth clients that run in browsers; nothing there acts on a cookie."""
    return path in _CLIENTS or path.startswith(_WELL_KNOWN)


def has_its_own_credentials(path: str) -> bool:
    """Looks at the Authorization header itself."""
    return path in _CLIENTS


def is_page(path: str) -> bool:
    """A page for people, whose forms are checked by the page itself."""
    return any(path == page or path.startswith(f"{page}/") for page in _PAGES)


def is_metered(path: str) -> bool:
    """A call of the memory, which counts."""
    own = any(path == mine or path.startswith(f"{mine}/") for mine in OWN)
    return path == MCP or path.startswith(f"{MCP}/") or (path.startswith(API) and not own)


def whole(connection: Connection) -> str:
    """Path and query, to come back to."""
    query = connection.get("query_string", b"").decode("latin-1")
    return f"{connection['path']}?{query}" if query else connection["path"]


def _tells_a_secret(query: str) -> bool:
    try:
        pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=200)
    except ValueError:  # more than anybody needs: nobody looks through them
        return True
    names = {name.strip().lower() for name, _ in pairs}
    return bool(names & _SECRET_NAMES) or any(_SECRET.search(f"{n}={v}") for n, v in pairs)

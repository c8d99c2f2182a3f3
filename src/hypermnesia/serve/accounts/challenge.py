"""How a client learns what credentials it needs (RFC 6750, RFC 9728)."""

from __future__ import annotations

from http import HTTPStatus

from hypermnesia.serve.accounts.site import Connection, Site

READ = "memory:read"
WRITE = "memory:write"
SCOPES = (READ, WRITE)
"""What an OAuth client may ask for; which memory scopes it gets, the person decides."""
METADATA = "/.well-known/oauth-protected-resource"
STATUSES = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})

Headers = list[tuple[bytes, bytes]]


def text(site: Site, connection: Connection, status: int) -> str:
    """The value of ``WWW-Authenticate``."""
    parts: list[str] = []
    if status == HTTPStatus.FORBIDDEN:
        parts.append('error="insufficient_scope"')
    elif any(name == b"authorization" for name, _ in connection["headers"]):
        parts.append('error="invalid_token"')
    parts.append(f'scope="{" ".join(SCOPES)}"')
    if site.trusted(connection):
        parts.append(f'resource_metadata="{site.base(connection)}{METADATA}/mcp"')
    return f"Bearer {', '.join(parts)}"


def completed(site: Site, connection: Connection, status: int, headers: Headers) -> Headers:
    """The headers of an answer from further inside, with the challenge that belongs to it."""
    if status not in STATUSES or connection["path"] in {"/token", "/register", "/revoke"}:
        return headers
    others = [pair for pair in headers if pair[0].lower() != b"www-authenticate"]
    return [*others, (b"www-authenticate", text(site, connection, status).encode("latin-1"))]

"""Where the service stands: its address, and which requests come through its own door."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from hypermnesia.config import Settings
from hypermnesia.errors import InvalidInput
from hypermnesia.serve.http.problem import Failed

LOOPBACK = "127.0.0.1"
"""The only address on which the service is open to whoever runs it, without a token."""
_OWN_NAMES = ("127.0.0.1", "localhost", "[::1]")
_PORTS = {"http": 80, "https": 443}

Connection: TypeAlias = MutableMapping[str, Any]
"""The scope of an ASGI request."""


@dataclass(frozen=True, slots=True)
class Site:
    """The address of the service.

    Attributes:
        host: what it listens on.
        url: how clients reach it, without a slash at the end; ``None`` = where it listens.
        origins: further origins whose pages may call it.
    """

    host: str
    url: str | None = None
    origins: tuple[str, ...] = ()

    @classmethod
    def of(cls, settings: Settings) -> Site:
        """The site that settings describe.

        Raises:
            InvalidInput: an address among them is none.
        """
        url = settings.serve_url
        return cls(
            settings.serve_host,
            None if url is None else _address(url, "serve_url"),
            tuple(_origin(_address(origin, "serve_origins")) for origin in settings.serve_origins),
        )

    @property
    def loopback(self) -> bool:
        """Only its own machine reaches it, unless something passes requests on."""
        return self.host in {"127.0.0.1", "::1", "localhost"}

    @property
    def private(self) -> bool:
        """It listens on the default address, and nothing is said to stand in front of it."""
        return self.host == LOOPBACK and self.url is None

    def base(self, connection: Connection) -> str:
        """How clients reach it, without a slash at the end."""
        if self.url is not None:
            return self.url
        host, port = _server(connection)
        return f"http://{host}:{port}"

    def secure(self, connection: Connection) -> bool:
        """Clients reach it over TLS."""
        return self.base(connection).startswith("https://")

    def trusted(self, connection: Connection) -> bool:
        """What passes between it and its clients stays between them: TLS, or one machine."""
        return self.secure(connection) or self.loopback

    def check_host(self, connection: Connection) -> None:
        """Refuse a request that was sent to another name (DNS rebinding).

        Where neither its address nor a loopback binding says which names are its own, any
        will do: then nothing is open without a token, and a session belongs to its name.

        Raises:
            Failed: 421.
        """
        if not (self.url or self.loopback):
            return
        host = header(connection, b"host")
        if host is None or host.lower() not in set(self._hosts(connection)):
            raise Failed(
                HTTPStatus.MISDIRECTED_REQUEST,
                "misdirected",
                "this is not the address of the service; set serve_url to the one it has",
            )

    def own_origin(self, connection: Connection, origin: str) -> bool:
        """Whether a page of this origin is one of the service's own."""
        if origin == _origin(self.base(connection)):
            return True
        if not self.loopback:
            return False
        port = _server(connection)[1]
        return origin in {f"http://{name}:{port}" for name in _OWN_NAMES}

    def _hosts(self, connection: Connection) -> Iterator[str]:
        if self.url:
            parts = urlsplit(self.url)
            yield parts.netloc.lower()
            yield f"{parts.hostname}:{parts.port or _PORTS[parts.scheme]}"
        if self.loopback:
            port = _server(connection)[1]
            for name in _OWN_NAMES:
                yield f"{name}:{port}"
                if port == _PORTS["http"]:
                    yield name


def header(connection: Connection, name: bytes) -> str | None:
    """A header that stands at most once; ``None`` when it is missing.

    Raises:
        Failed: 400, it stands there several times: which one counts must not be a guess.
    """
    values: list[bytes] = [value for key, value in connection["headers"] if key == name]
    if len(values) > 1:
        raise Failed(
            HTTPStatus.BAD_REQUEST, "ambiguous", f"the header {name.decode()} is sent twice"
        )
    return values[0].decode("latin-1") if values else None


def _server(connection: Connection) -> tuple[str, int]:
    host, port = connection.get("server") or (LOOPBACK, 80)
    return (f"[{host}]" if ":" in host else host), port or 80


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()


def _address(url: str, setting: str) -> str:
    try:
        parts = urlsplit(url)
        sound = parts.scheme in _PORTS and parts.hostname and parts.port != 0
    except ValueError:
        sound = False
    else:
        sound = sound and not (parts.query or parts.fragment or parts.username)
    if not sound:
        raise InvalidInput(f"bad settings: {setting}: write an address as https://memory.example")
    return url.rstrip("/")

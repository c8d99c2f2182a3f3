"""Client documents: metadata that a client keeps at the URL which is its id.

The URL is a caller's, so it is fetched with care (draft-ietf-oauth-client-id-metadata-document,
security considerations): from configured hosts, by https, at public addresses, without
redirects, a bounded answer in bounded time. The address that was checked is the one that is
connected to, so that no second look-up can lead elsewhere.
"""

from __future__ import annotations

import ipaddress
import json
import socket
import ssl
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse, HTTPSConnection
from threading import Lock, Timer
from typing import Any, cast
from urllib.parse import urlsplit

MOST_BYTES = 5 * 1024
"""Of a document (draft, maximum response size)."""
TIMEOUT = 5.0
"""Seconds for all of it, but for looking up the name, which the system bounds."""
KEPT_FOR = 300.0
"""Seconds that a document, or its absence, is remembered."""
KEPT = 256
LONGEST = 500
"""Characters of a client's id."""
ANY = "*"

Fetch = Callable[[str], "bytes | None"]


class Documents:
    """Fetches client documents and keeps them for a while.

    Args:
        hosts: whose documents may be fetched; empty = nobody's, ``*`` = any public host's.
        fetch: gets the bytes at a URL.
        clock: seconds; only differences count.
    """

    def __init__(
        self,
        hosts: tuple[str, ...],
        fetch: Fetch | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._hosts = hosts
        self._fetch = fetch or fetched
        self._clock = clock
        self._lock = Lock()
        self._kept: OrderedDict[str, tuple[float, Mapping[str, Any] | None]] = OrderedDict()

    def get(self, client_id: str) -> Mapping[str, Any] | None:
        """The document of a client; ``None`` when it may not be fetched or cannot be used."""
        if not self.allows(client_id):
            return None
        with self._lock:  # one at a time: nobody makes the service fetch a hundred
            known = self._kept.get(client_id)
            if known is None or self._clock() - known[0] > KEPT_FOR:
                known = (self._clock(), _checked(client_id, self._fetch(client_id)))
                self._kept[client_id] = known
                if len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
            return known[1]

    def allows(self, client_id: str) -> bool:
        """Whether the URL may be a client's id at all."""
        try:
            parts = urlsplit(client_id)
            port = parts.port
        except ValueError:
            return False
        plain = client_id.isascii() and client_id.isprintable() and len(client_id) <= LONGEST
        sound = (
            plain
            and client_id.startswith("https://")
            and len(parts.path) > 1
            and port in {None, 443}
            and not (parts.query or "#" in client_id or "@" in parts.netloc or "\\" in client_id)
            and not {".", ".."} & set(parts.path.split("/"))
        )
        return bool(sound) and (parts.hostname in self._hosts or ANY in self._hosts)


def _checked(client_id: str, body: bytes | None) -> Mapping[str, Any] | None:
    try:
        document: Any = json.loads(body or b"")
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict):
        return None
    found = cast("dict[str, Any]", document)
    secretive = {"client_secret", "client_secret_expires_at"} & found.keys()
    return found if found.get("client_id") == client_id and not secretive else None


def fetched(url: str) -> bytes | None:
    """What is at an https URL; ``None`` for anything but a small 200 from a public address."""
    parts = urlsplit(url)
    address = _public_address(parts.hostname or "")
    if address is None:
        return None
    connection = Pinned(parts.hostname or "", address)
    timer = Timer(TIMEOUT, connection.cut)  # a time-out of the socket's is for each read alone
    timer.start()
    try:
        connection.request("GET", parts.path, headers={"Accept": "application/json"})
        return _bounded(connection.getresponse())
    except (OSError, HTTPException):
        return None
    finally:
        timer.cancel()
        connection.close()


def _bounded(response: HTTPResponse) -> bytes | None:
    if response.status != HTTPStatus.OK:  # a redirect could lead anywhere
        return None
    body = response.read(MOST_BYTES + 1)
    return None if len(body) > MOST_BYTES or response.length else body


def _public_address(host: str) -> str | None:
    """An address of the host, if all that it has are public."""
    try:
        entries = socket.getaddrinfo(host, 443, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return None
    found = {str(entry[4][0]) for entry in entries}
    return min(found) if found and all(map(is_public, found)) else None


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the internet and not to this machine or its networks."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, ipaddress.IPv6Address):
        inner = parsed.ipv4_mapped or parsed.sixtofour or (parsed.teredo or (None, None))[1]
        if inner is not None and not is_public(str(inner)):
            return False
        if parsed in ipaddress.ip_network("64:ff9b::/96"):  # translated to IPv4 by the network
            return is_public(str(ipaddress.IPv4Address(int(parsed) & 0xFFFF_FFFF)))
    return parsed.is_global and not parsed.is_multicast


class Pinned(HTTPSConnection):
    """Connects to an address that was checked; the certificate is checked for the name.

    Args:
        host: the name.
        address: where it is.
        port: of the server.
        tls: what certificates are trusted; ``None`` = the system's.
    """

    def __init__(
        self, host: str, address: str, port: int = 443, tls: ssl.SSLContext | None = None
    ) -> None:
        self._address = address
        self._tls = tls or ssl.create_default_context()
        super().__init__(host, port, timeout=TIMEOUT, context=self._tls)

    def connect(self) -> None:
        """Connect, and shake hands as the host that was named."""
        self.sock = socket.create_connection((self._address, self.port), timeout=TIMEOUT)
        self.sock = self._tls.wrap_socket(self.sock, server_hostname=self.host)

    def cut(self) -> None:
        """End whatever is under way, from another thread."""
        if self.sock is not None:
            with suppress(OSError):
                self.sock.shutdown(socket.SHUT_RDWR)

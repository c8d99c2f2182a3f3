"""A network between a process and its PostgreSQL server on which something happens at any byte."""

from __future__ import annotations

import shutil
import socket
import tempfile
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

_NAME = ".s.PGSQL.5432"


class Proxy:
    """Passes bytes on in both directions until it is told to stop.

    Args:
        folder: where the socket that clients connect to is made.
        server: folder of the server's socket.
    """

    def __init__(self, folder: Path, server: Path) -> None:
        self._server = str(server / _NAME)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / _NAME))
        self._listener.listen()
        self._lock = threading.Lock()
        self._links: list[socket.socket] = []
        self._left: int | None = None
        self._act: Callable[[], None] = self._cut
        self._acting = threading.Lock()
        self.events = 0
        self._serving = threading.Thread(target=self._serve, daemon=True)
        self._serving.start()

    def after(self, size: int, act: Callable[[], None] | None = None) -> None:
        """Act once so many more bytes have passed, in their midst.

        Args:
            size: bytes, both directions together.
            act: what is done; ``None`` = every connection is cut.
        """
        with self._lock:
            self._left, self._act = size, act or self._cut

    def calm(self) -> None:
        """Act no more, and wait for what is being done."""
        with self._lock:
            self._left = None
        with self._acting:
            pass

    def close(self) -> None:
        """Let nobody in any more, and cut what is open."""
        _shut(self._listener)
        self._cut()
        self._serving.join()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.socket(socket.AF_UNIX)
                try:
                    server.connect(self._server)
                except OSError:  # the server is down: so is this connection
                    client.close()
                    server.close()
                    continue
                with self._lock:
                    self._links += [client, server]
                for ends in ((client, server), (server, client)):
                    threading.Thread(target=self._pass, args=ends, daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                allowed, act = self._allowed(len(data))
                target.sendall(data[:allowed])
                if act is not None:
                    act()
                    self._acting.release()
                    break
        for end in (source, target):
            _shut(end)

    def _allowed(self, size: int) -> tuple[int, Callable[[], None] | None]:
        with self._lock:
            if self._left is None or self._left > size:
                self._left = None if self._left is None else self._left - size
                return size, None
            allowed, self._left = self._left, None
            self.events += 1
            self._acting.acquire()
            return allowed, self._act

    def _cut(self) -> None:
        with self._lock:
            links, self._links = self._links, []
        for link in links:
            _shut(link)


def _shut(link: socket.socket) -> None:
    with suppress(OSError):
        link.shutdown(socket.SHUT_RDWR)
    link.close()


@contextmanager
def through(url: str) -> Generator[tuple[str, Proxy]]:
    """The URL of the same store through a proxy, and the proxy."""
    found = urlsplit(url)
    query = dict(parse_qsl(found.query))
    folder = Path(tempfile.mkdtemp(prefix="hm-cut-"))
    proxy = Proxy(folder, Path(query["host"]))
    try:
        query["host"] = str(folder)
        yield urlunsplit(found._replace(query=urlencode(query, quote_via=quote))), proxy
    finally:
        proxy.close()
        shutil.rmtree(folder, ignore_errors=True)

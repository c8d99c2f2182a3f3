"""Client documents: fetched from allowed hosts, at public addresses, and not otherwise."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import pytest
import trustme

from hypermnesia.memory import Memory
from hypermnesia.serve.accounts.oauth import documents
from hypermnesia.serve.accounts.oauth.documents import Documents, is_public
from tests.serve.accounts.flow import REDIRECT, Flow, returned
from tests.serve.accounts.service import running

ID = "https://client.example/oauth/client.json"
DOCUMENT = {"client_id": ID, "client_name": "Editor", "redirect_uris": [REDIRECT]}


class Web:
    """Everything there is to fetch, and what was fetched of it."""

    def __init__(self, **pages: Any) -> None:
        self.pages = pages
        self.fetched: list[str] = []

    def __call__(self, url: str) -> bytes | None:
        """What is at a URL."""
        self.fetched.append(url)
        found = self.pages.get(url)
        return found if isinstance(found, bytes) or found is None else json.dumps(found).encode()


def test_a_client_is_known_by_its_document(memory: Memory) -> None:
    """From the host that is allowed; it goes through OAuth without having registered."""
    web = Web(**{ID: DOCUMENT})
    found = Documents(("client.example",), web)
    settings = {"oauth_client_hosts": ("client.example",)}
    with running(memory, found, **settings) as service:
        service.account(password=True)
        metadata = service.http.get("/.well-known/oauth-authorization-server").json()
        assert metadata["client_id_metadata_document_supported"] is True
        flow = Flow(service, ID)
        given = flow.exchange(returned(flow.allow(service.signed_in()))["code"])
        assert flow.works(given.json()["access_token"])
        assert web.fetched == [ID]


def test_by_default_no_url_of_a_caller_is_fetched(memory: Memory) -> None:
    """Whoever asks, on whatever way."""
    web = Web(**{ID: DOCUMENT})
    with running(memory, Documents((), web)) as service:
        service.account(password=True)
        flow = Flow(service, ID)
        person = service.signed_in()
        assert flow.ask(person).status_code == 400
        assert flow.exchange("x").status_code == 401
        assert flow.ask(person, redirect_uri="https://client.example/cb").status_code == 400
        assert flow.ask(person, resource="https://client.example/").status_code == 400
    assert web.fetched == []


@pytest.mark.parametrize(
    "client_id",
    [
        "http://client.example/c.json", "https://client.example", "https://client.example/",
        "https://other.example/c.json", "https://client.example.evil.example/c.json",
        "https://client.example:8443/c.json", "https://client.example:x/c.json",
        "https://client.example@evil.example/c.json", "https://evil@client.example/c.json",
        "https://client.example/c.json?x=1", "https://client.example/c.json#x",
        "https://client.example/a/../c.json", "https://client.example/./c.json",
        "https://client.example\\@evil.example/c", "https://client.example/c\r\nX: y",
        "https://client.example/" + "c" * 500, "https://[::1]/c.json", "HTTPS://client.example/c",
        "ftp://client.example/c", "https://127.0.0.1/c", "https:///c.json", "", "https://é/c",
    ],
)  # fmt: skip
def test_an_address_that_is_no_clients_is_not_fetched(client_id: str) -> None:
    """Another host, another port, or one that could be read in two ways."""
    web = Web()
    assert Documents(("client.example",), web).get(client_id) is None
    assert web.fetched == []


@pytest.mark.parametrize(
    "page",
    [
        None, b"", b"no json", b"[]", b'"x"', b"[" * 5000, b"\xff",
        {**DOCUMENT, "client_id": "https://client.example/other.json"},
        {**DOCUMENT, "client_id": None},
        {**DOCUMENT, "client_secret": "x"},
    ],
)  # fmt: skip
def test_a_document_that_is_none_is_not_used(page: Any) -> None:
    """And not asked for again at once."""
    web = Web(**{ID: page})
    found = Documents(("*",), web)
    assert [found.get(ID), found.get(ID)] == [None, None]
    assert web.fetched == [ID]


def test_a_document_is_kept_for_a_while_and_not_for_ever() -> None:
    """A hundred requests fetch it once."""
    now = [0.0]
    web = Web(**{ID: DOCUMENT})
    found = Documents(("*",), web, lambda: now[0])
    for at in (0.0, 299.0, 301.0):
        now[0] = at
        assert found.get(ID) == DOCUMENT
    assert len(web.fetched) == 2


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.215.14", True), ("2606:2800:21f:cb07:6820:80da:af6b:8b2c", True),
        ("127.0.0.1", False), ("10.1.2.3", False), ("172.16.0.1", False), ("192.168.1.1", False),
        ("169.254.169.254", False), ("100.64.0.1", False), ("0.0.0.0", False),
        ("224.0.0.1", False), ("255.255.255.255", False), ("192.0.2.1", False), ("::1", False),
        ("::", False), ("fe80::1", False), ("fc00::1", False), ("ff02::1", False),
        ("::ffff:127.0.0.1", False), ("::ffff:10.0.0.1", False), ("2002:7f00:1::", False),
        ("64:ff9b::7f00:1", False), ("64:ff9b::a9fe:a9fe", False), ("fe80::1%eth0", False),
        ("example.com", False), ("", False),
    ],
)  # fmt: skip
def test_only_addresses_of_the_internet_are_public(address: str, *, public: bool) -> None:
    """Nothing of this machine, its networks, or a cloud's metadata, in any disguise."""
    assert is_public(address) is public


@pytest.mark.parametrize(
    "found",
    [["127.0.0.1"], ["93.184.215.14", "10.0.0.1"], ["::1", "93.184.215.14"], []],
)
def test_a_name_of_which_one_address_is_private_is_not_connected_to(
    monkeypatch: pytest.MonkeyPatch, found: list[str]
) -> None:
    """Its owner could choose which one comes first."""
    entries = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, 443)) for one in found]

    def look_up(*_asked: object, **_how: object) -> list[Any]:
        return entries

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    monkeypatch.setattr(socket, "create_connection", pytest.fail)
    assert documents.fetched(ID) is None


# --- a real server, over TLS -------------------------------------------------------


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    """A certificate authority that only these tests trust."""
    return trustme.CA()


@contextmanager
def tls_server(
    authority: trustme.CA, name: str, answer: Callable[[ssl.SSLSocket, threading.Event], None]
) -> Generator[int]:
    """Answers each connection; the port."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(name).configure_cert(context)
    over = threading.Event()

    def run(listening: socket.socket) -> None:
        while not over.is_set():
            try:
                raw, _ = listening.accept()
            except OSError:
                return
            with raw:
                try:
                    with context.wrap_socket(raw, server_side=True) as connection:
                        connection.recv(65536)
                        answer(connection, over)
                except OSError:
                    continue

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=run, args=(listening,))
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            over.set()
            listening.shutdown(socket.SHUT_RDWR)
            thread.join(60)


@pytest.fixture
def at_client_example(
    monkeypatch: pytest.MonkeyPatch, authority: trustme.CA
) -> Callable[[int], None]:
    """Let client.example be a port of this machine, which counts as public here."""

    def point(port: int) -> None:
        trusted = ssl.create_default_context()
        authority.configure_trust(trusted)
        real = documents.Pinned

        def pinned(host: str, address: str) -> documents.Pinned:
            return real(host, address, port, trusted)

        def look_up(_host: str) -> str:
            return "127.0.0.1"

        monkeypatch.setattr(documents, "_public_address", look_up)
        monkeypatch.setattr(documents, "Pinned", pinned)

    return point


def replying(raw: bytes) -> Callable[[ssl.SSLSocket, threading.Event], None]:
    """Sends these bytes."""
    return lambda connection, _over: connection.sendall(raw)


BODY = json.dumps(DOCUMENT).encode()


@pytest.mark.parametrize(
    ("raw", "got"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY, True),
        (b"HTTP/1.1 302 Found\r\nLocation: https://127.0.0.1/\r\nContent-Length: 0\r\n\r\n", False),
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY, False),
        (b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 6000, False),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nx", False),
        (b"no http at all\r\n\r\n", False),
        (b"", False),
    ],
)
def test_only_a_small_answer_is_taken_and_no_redirect_followed(
    authority: trustme.CA, at_client_example: Callable[[int], None], raw: bytes, *, got: bool
) -> None:
    """From a real server with a certificate for the name."""
    with tls_server(authority, "client.example", replying(raw)) as port:
        at_client_example(port)
        assert documents.fetched(ID) == (BODY if got else None)


def test_a_certificate_for_another_name_is_refused(
    authority: trustme.CA, at_client_example: Callable[[int], None]
) -> None:
    """The address was checked; so is who answers there."""
    raw = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY
    with tls_server(authority, "other.example", replying(raw)) as port:
        at_client_example(port)
        assert documents.fetched(ID) is None


def test_a_server_that_dribbles_is_given_up(
    authority: trustme.CA, at_client_example: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A byte now and then keeps no request waiting: the bound is for all of it."""
    monkeypatch.setattr(documents, "TIMEOUT", 0.5)

    def dribble(connection: ssl.SSLSocket, over: threading.Event) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\n")
        while not over.wait(0.05):
            connection.sendall(b"X: y\r\n")

    with tls_server(authority, "client.example", dribble) as port:
        at_client_example(port)
        assert Documents(("*",)).get(ID) is None

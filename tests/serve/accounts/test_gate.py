"""What passes the gate, and what does not, over real HTTP."""

from __future__ import annotations

import json
import socket
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest

from hypermnesia.memory import Memory
from hypermnesia.serve.accounts import administration, signin
from hypermnesia.serve.accounts.administration import Changes
from hypermnesia.serve.accounts.secret import csrf_of
from tests.serve.accounts.service import WAIT, Service, mcp_headers, running, tool_call

SEARCH = {"query": "anything", "scope": "ada"}
CALL = tool_call("memory_search", SEARCH)
SURFACES = [
    ("POST", "/api/v1/search", SEARCH),
    ("GET", "/api/v1/memories", None),
    ("POST", "/api/search", SEARCH),
    ("POST", "/mcp", CALL),
    ("GET", "/api/v1/tokens", None),
    ("GET", "/metrics", None),
    ("GET", "/no/such/page", None),
]


def ask(
    client: httpx2.Client, method: str, path: str, body: object, **headers: str
) -> httpx2.Response:
    """One request, as a client of each surface makes it."""
    called: Any = body
    named = mcp_headers(called["params"]["name"]) if path == "/mcp" else {}
    return client.request(method, path, json=body, headers={**named, **headers})


# --- nobody known yet --------------------------------------------------------------


def test_on_the_default_address_the_owner_needs_no_token(service: Service) -> None:
    """As long as nobody has an account."""
    assert service.http.get("/api/v1/account").json()["name"] == "owner"
    assert service.http.post("/api/v1/memories", json={"content": "one"}).status_code == 201
    service.account()
    assert service.http.get("/api/v1/account").status_code == 401


ELSEWHERE: list[dict[str, Any]] = [
    {"serve_host": "localhost"},
    {"serve_host": "0.0.0.0"},
    {"serve_url": "https://m.example"},
]


@pytest.mark.parametrize("settings", ELSEWHERE)
def test_anywhere_else_nothing_is_answered_without_a_token(
    memory: Memory, settings: dict[str, Any]
) -> None:
    """Even while there is nobody who could have one."""
    with running(memory, **settings) as service:
        headers = {"Host": "m.example"} if "serve_url" in settings else {}
        for method, path, body in SURFACES:
            assert ask(service.http, method, path, body, **headers).status_code == 401, path


def test_what_a_proxy_passes_on_is_not_the_owners(service: Service) -> None:
    """It could come from anywhere."""
    for header in ("X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"):
        answer = service.http.get("/api/v1/account", headers={header: "10.0.0.1"})
        assert answer.status_code == 401, header
    old, _ = raw(service, b"GET /api/v1/account HTTP/1.0\r\n" + host(service))
    new, _ = raw(service, b"GET /api/v1/account HTTP/1.1\r\n" + host(service))
    assert (old, new) == (401, 200)


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "127.0.0.1:1", ""])
def test_another_name_is_refused(closed: Service, host: str) -> None:
    """A page may make its own name point to this machine (DNS rebinding)."""
    for path in ("/api/v1/account", "/mcp", "/console", "/signin"):
        assert closed.http.get(path, headers={"Host": host}).status_code == 421, path


def test_its_own_names_are_taken_and_probes_may_use_any(service: Service) -> None:
    """Localhost is as good as 127.0.0.1."""
    port = urlsplit(service.url).port
    assert service.http.get("/api/v1/account", headers={"Host": f"localhost:{port}"}).is_success
    assert service.http.get("/healthz", headers={"Host": "10.1.2.3"}).status_code == 200


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1"])
def test_a_page_of_another_origin_is_refused(closed: Service, origin: str) -> None:
    """With a token or without, on every surface."""
    for client in (closed.http, closed.bearing(closed.token(closed.known()))):
        for method, path, body in SURFACES:
            assert ask(client, method, path, body, Origin=origin).status_code == 403, path


def test_a_page_of_another_origin_is_refused_by_an_open_service(service: Service) -> None:
    """Where it would be the owner's."""
    for method, path, body in SURFACES:
        answer = ask(service.http, method, path, body, Origin="https://evil.example")
        assert answer.status_code == 403, path


def test_what_another_site_makes_a_browser_load_is_refused(service: Service) -> None:
    """An image or a script of its page; a person who follows a link is let in."""
    headers = {"Sec-Fetch-Site": "cross-site"}
    assert service.http.get("/api/v1/export", headers=headers).status_code == 401
    answer = service.http.get("/console", headers={**headers, "Accept": "text/html"})
    assert answer.status_code == 404  # nothing is mounted there, and nobody was turned away


def test_pages_of_configured_origins_call_with_a_token(memory: Memory) -> None:
    """After asking whether they may; never with a person's session."""
    with running(memory, serve_origins=("https://app.example",)) as service:
        account = service.account(password=True)
        token, person = service.bearing(service.token(account)), service.signed_in()
        theirs, evil = {"Origin": "https://app.example"}, {"Origin": "https://app.example.evil"}
        asks = {"Access-Control-Request-Method": "POST"}
        for path in ("/api/v1/search", "/mcp"):
            answer = service.http.options(path, headers={**theirs, **asks})
            assert answer.status_code == 204
            assert answer.headers["access-control-allow-origin"] == "https://app.example"
            assert "authorization" in answer.headers["access-control-allow-headers"]
            assert "access-control-allow-credentials" not in answer.headers
            assert service.http.options(path, headers={**evil, **asks}).status_code == 403
            assert service.http.options(path, headers=asks).status_code == 401
        answer = token.get("/api/v1/account", headers=theirs)
        assert answer.status_code == 200
        assert answer.headers["access-control-allow-origin"] == "https://app.example"
        assert token.get("/api/v1/account", headers=evil).status_code == 403
        refused = service.http.get("/api/v1/account", headers=theirs)
        assert refused.headers["access-control-allow-origin"] == "https://app.example"
        csrf = {"X-CSRF-Token": csrf_of(person.cookies["hypermnesia_session"])}
        body = {"content": "x", "scope": "ada"}
        forged = person.post("/api/v1/memories", json=body, headers={**theirs, **csrf})
        assert forged.status_code == 403


def test_what_somebody_gets_is_kept_in_no_cache(closed: Service) -> None:
    """A browser or a proxy could hand it to the next person."""
    client = closed.bearing(closed.token(closed.known()))
    assert client.get("/api/v1/account").headers["cache-control"] == "no-store"


# --- tokens ------------------------------------------------------------------------


def test_a_bad_token_is_refused_on_every_surface(closed: Service) -> None:
    """Expired, revoked, unknown, of another kind, of a disabled account, or no token at all."""
    account, store = closed.account(), closed.accounts.hall.store
    gone = closed.token(closed.account("gone"))
    administration.change(
        store, closed.accounts.hall.policy.plans, "gone", Changes(disabled=True), closed.clock()
    )
    revoked = closed.token(account)
    store.revoke(store.credentials("api", account.id)[0].id, closed.clock())
    expired = closed.token(account, life=timedelta(hours=1))
    closed.clock.forward(timedelta(hours=1))
    session = signin.begin(store, account, closed.clock(), timedelta(hours=1)).secret
    bad = (expired, revoked, gone, session, "hm_api_unknown", "-", "0" * 5000)
    for secret in bad:
        client = closed.bearing(secret)
        for method, path, body in SURFACES:
            answer = ask(client, method, path, body)
            assert answer.status_code == 401, (secret, path)
            assert answer.headers["content-type"] == "application/problem+json"
            assert 'error="invalid_token"' in answer.headers["www-authenticate"]
            assert secret not in answer.json()["detail"]


def test_a_challenge_says_where_to_get_a_token(closed: Service) -> None:
    """RFC 6750 and RFC 9728."""
    told = closed.http.post("/mcp", json=CALL, headers=mcp_headers("memory_search")).headers[
        "www-authenticate"
    ]
    assert told.startswith("Bearer ")
    assert "error=" not in told
    assert 'scope="memory:read memory:write"' in told
    (where,) = [part for part in told.split('"') if part.startswith("http")]
    assert closed.http.get(where).json()["resource"] == f"{closed.url}/mcp"


def test_only_bearer_tokens_are_understood(service: Service) -> None:
    """And never fall back to the owner, of an open service."""
    for sent in ("Basic YTpi", "Bearer", "Token x", "bearer\tx"):
        answer = service.http.get("/api/v1/account", headers={"Authorization": sent})
        assert answer.status_code == 401, sent


def test_a_token_works_until_it_is_revoked_or_its_account_disabled(closed: Service) -> None:
    """At the very next request."""
    account = closed.account()
    client = closed.bearing(closed.token(account))
    assert client.get("/api/v1/account").status_code == 200
    closed.accounts.hall.store.remove_account(account.name)
    assert client.get("/api/v1/account").status_code == 401


def test_a_read_only_token_changes_nothing(closed: Service) -> None:
    """By REST, whose refusal names what is missing."""
    client = closed.bearing(closed.token(closed.account(), read_only=True))
    assert client.post("/api/v1/search", json=SEARCH).status_code == 200
    answer = client.post("/api/v1/memories", json={"content": "x"})
    assert answer.status_code == 403
    assert 'error="insufficient_scope"' in answer.headers["www-authenticate"]


# --- addresses ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "query",
    [
        "token=x", "access_token=x", "ACCESS_TOKEN=x", "api_key=", "a=1&password=x", "token",
        "%74oken=x", "q=hm_api_abcdefghijklmnop", "hm_session_abcdefghijklmnop",
        "q=%68m_refresh_abcdefghijklmno.y",
        "&".join(f"a{n}=1" for n in range(300)),
    ],
)  # fmt: skip
def test_a_secret_in_an_address_is_refused(
    closed: Service, query: str, caplog: pytest.LogCaptureFixture
) -> None:
    """On every surface, with a good token or none; and no log repeats it."""
    good = closed.bearing(closed.token(closed.known()))
    with caplog.at_level("DEBUG"):
        for client in (good, closed.http):
            for path in ("/api/v1/memories", "/mcp", "/console", "/signin", "/token", "/healthz"):
                answer = client.get(f"{path}?{query}")
                assert answer.status_code == 400, path
                assert answer.json()["type"].endswith(":secret-in-address")
    # The client's own records are not the service's, and a path of it is called /token.
    told = [r.getMessage() for r in caplog.records if not r.name.startswith(("http", "asyncio"))]
    assert told
    assert f"?{query}" not in "\n".join(told)


def test_a_secret_in_a_path_is_refused(closed: Service) -> None:
    """Where a program put it by mistake."""
    assert closed.http.get("/api/v1/memories/hm_api_abcdefghijklmnop").status_code == 400


RAW_PATHS = [
    b"//api/v1/account", b"/api//v1/account", b"/api/v1/../v1/account", b"/./api/v1/account",
    b"/signin/../api/v1/account", b"/signin/..%2fapi/v1/account", b"/signin%2f..%2fapi%2fv1",
    b"/console/static/../../api/v1/account", b"/console/static/..%5c..%5capi",
    b"/signin;/api/v1/account", b"/.well-known/../api/v1/account", b"/%2e%2e/api/v1/account",
    b"/api/v1/account%00", b"/api/v1/account%0d%0aX: y", b"/API/V1/ACCOUNT", b"/api/v1/account/",
    b"http://127.0.0.1/api/v1/account", b"*",
]  # fmt: skip


@pytest.mark.parametrize("path", RAW_PATHS)
def test_no_spelling_of_a_path_gets_past_the_gate(closed: Service, path: bytes) -> None:
    """Sent as it is: clients would tidy it up."""
    status, body = raw(closed, b"GET " + path + b" HTTP/1.1\r\n" + host(closed))
    assert status in {400, 401, 404, 421}, body
    assert b"scopes" not in body


@pytest.mark.parametrize(
    "headers",
    [
        b"Authorization: Bearer %s\r\nAuthorization: Bearer x\r\n",
        b"Authorization: Bearer x\r\nAuthorization: Bearer %s\r\n",
        b"Authorization: Bearer %s\r\nHost: evil.example\r\n",
        b"Authorization: Bearer %s\r\nOrigin: a\r\nOrigin: b\r\n",
        b"Authorization : Bearer %s\r\n",
        b" Authorization: Bearer %s\r\n",
        b"X: y\rAuthorization: Bearer %s\r\n",
        b"X-Original-URL: /signin\r\nX-HTTP-Method-Override: GET\r\nX-Forwarded-User: ada\r\n%.0s",
    ],
)
def test_no_trick_with_headers_gets_past_the_gate(closed: Service, headers: bytes) -> None:
    """Doubled, folded, misspelt, or meant for a proxy."""
    secret = closed.token(closed.known()).encode()
    request = b"GET /api/v1/account HTTP/1.1\r\n" + host(closed) + headers % secret
    status, body = raw(closed, request)
    assert status in {400, 401}, body
    assert b"scopes" not in body


def test_a_request_smuggled_behind_another_is_refused(closed: Service) -> None:
    """Two lengths, of which a proxy may believe the other."""
    secret = closed.token(closed.known()).encode()
    inner = b"GET /api/v1/account HTTP/1.1\r\n" + host(closed) + b"\r\n"
    for lengths in (
        b"Content-Length: 0\r\nTransfer-Encoding: chunked\r\n",
        b"Content-Length: 0\r\nContent-Length: %d\r\n" % len(inner),
        b"Transfer-Encoding: chunked, identity\r\n",
        b"Transfer-Encoding: xchunked\r\n",
    ):
        request = b"POST /api/v1/search HTTP/1.1\r\n" + host(closed) + lengths
        request += b"Authorization: Bearer " + secret + b"\r\n\r\n0\r\n\r\n" + inner
        status, body = raw(closed, request, whole=True)
        assert status in {400, 401, 411, 422, 501}, body
        assert body.count(b"HTTP/1.1 200") == 0


def test_no_header_makes_one_somebody_else(closed: Service) -> None:
    """State is the gate's alone."""
    answer = closed.http.get(
        "/api/v1/account", headers={"X-Principal": "ada", "Principal": "ada", "Remote-User": "ada"}
    )
    assert answer.status_code == 401


# --- limits ------------------------------------------------------------------------


def test_a_quota_is_counted_shown_and_enforced_as_one(memory: Memory) -> None:
    """What is left is what is shown; notices come once, with the request that caused them."""
    with running(memory, serve_plans={"tiny": 5}) as service:
        client = service.bearing(service.token(service.account(plan="tiny")))
        answers = [client.post("/api/v1/search", json=SEARCH) for _ in range(7)]
        assert [answer.status_code for answer in answers] == [200] * 5 + [429] * 2
        told = [answer.headers.get("hypermnesia-notice", "")[:4].strip() for answer in answers]
        assert told == ["", "", "", "80%", "100%", "", ""]
        assert int(answers[-1].headers["retry-after"]) == 28 * 86400 + 12 * 3600
        assert answers[-1].headers["content-type"] == "application/problem+json"
        assert "2026-06-01" in answers[-1].json()["detail"]
        standing = client.get("/api/v1/account").json()["standing"]
        assert (standing["used"], standing["limit"]) == (5, 5)
        assert [notice["percent"] for notice in standing["notices"]] == [100, 80]
        assert ask(client, "POST", "/mcp", CALL).status_code == 429
        service.clock.at = service.clock.at.replace(month=6, day=1)
        assert client.post("/api/v1/search", json=SEARCH).status_code == 200
        assert client.get("/api/v1/account").json()["standing"]["used"] == 1


def test_an_agent_is_told_of_its_quota_by_the_result_of_its_tool(memory: Memory) -> None:
    """It sees no headers; the structured result stays what its schema says."""
    with running(memory, serve_plans={"tiny": 5}) as service:
        client = service.bearing(service.token(service.account(plan="tiny")))
        results = [ask(client, "POST", "/mcp", CALL).json()["result"] for _ in range(5)]
        told = [[part["text"][:4].strip() for part in one["content"][1:]] for one in results]
        assert told == [[], [], [], ["80%"], ["100%"]]
        assert all(one["structuredContent"] == results[0]["structuredContent"] for one in results)


def test_refused_requests_cost_nothing(memory: Memory) -> None:
    """Nor do those that never got past the gate."""
    with running(memory, serve_plans={"tiny": 5}) as service:
        account = service.account(plan="tiny")
        client = service.bearing(service.token(account))
        client.get("/api/v1/memories?token=x")
        client.get("/api/v1/memories", headers={"Origin": "https://evil.example"})
        service.http.get("/api/v1/memories")
        assert client.get("/api/v1/account").json()["standing"]["used"] == 0


def test_a_flood_is_slowed_down(memory: Memory) -> None:
    """Each account by itself."""
    with running(memory, serve_rate=0.001, serve_burst=3) as service:
        ada = service.bearing(service.token(service.account()))
        eve = service.bearing(service.token(service.account("eve")))
        statuses = [ada.get("/api/v1/account").status_code for _ in range(5)]
        assert statuses == [200] * 3 + [429] * 2
        assert eve.get("/api/v1/account").status_code == 200
        assert int(ada.get("/api/v1/account").headers["retry-after"]) == 1000
        service.clock.forward(timedelta(seconds=1000))
        assert ada.get("/api/v1/account").status_code == 200


def test_changes_are_audited_without_their_content(closed: Service) -> None:
    """Who, what and when; searches are only counted."""
    client = closed.bearing(closed.token(closed.account(scopes=["default"])))
    client.post("/api/v1/memories", json={"content": "the secret plan"})
    client.post("/api/v1/search", json={"query": "the secret plan"})
    client.post("/api/v1/memories", json={"content": "x", "scope": "not mine"})
    client.post("/api/v1/memories/the secret plan/restore", json={})
    ask(client, "POST", "/mcp", tool_call("memory_search", {"query": "the secret plan"}))
    ask(client, "POST", "/mcp", tool_call("memory_add", {"content": "the secret plan b"}))
    entries = closed.accounts.hall.store.audited(9)
    assert [(e.actor, e.action, e.outcome) for e in entries] == [
        ("ada", "mcp.memory_add", "ok"),
        ("ada", "rest.memories", "404"),
        ("ada", "rest.memories", "403"),
        ("ada", "rest.memories", "ok"),
    ]  # fmt: skip
    assert "secret plan" not in str(entries)
    (today,) = {line.day for line in closed.accounts.hall.store.usage(closed.clock())}
    assert today == closed.clock().replace(hour=0)


def test_what_a_call_names_itself_cannot_fill_the_ledger(closed: Service) -> None:
    """Names come from a closed list."""
    client = closed.bearing(closed.token(closed.account()))
    for number in range(20):
        client.get(f"/api/v1/made-up-{number}")
        ask(client, "POST", "/mcp", CALL, **{"Mcp-Name": f"made-up-{number}"})
    actions = {line.action for line in closed.accounts.hall.store.usage(closed.clock())}
    assert actions == {"rest.other", "mcp.call"}


# --- raw requests ------------------------------------------------------------------


def host(service: Service) -> bytes:
    """The header that names the service."""
    return f"Host: {urlsplit(service.url).netloc}\r\nConnection: close\r\n".encode()


def raw(service: Service, request: bytes, *, whole: bool = False) -> tuple[int, bytes]:
    """Send bytes as they are; the status and everything that came back."""
    address = urlsplit(service.url)
    with socket.create_connection((address.hostname or "", address.port or 0), WAIT) as connection:
        connection.sendall(request if whole else request + b"\r\n")
        received = b""
        while part := connection.recv(65536):
            received += part
    return int(received.split(b" ", 2)[1]), received


def test_the_helper_gets_through_with_a_good_request(closed: Service) -> None:
    """Or the tests above would prove nothing."""
    secret = closed.token(closed.known()).encode()
    request = b"GET /api/v1/account HTTP/1.1\r\n" + host(closed)
    status, body = raw(closed, request + b"Authorization: Bearer " + secret + b"\r\n")
    assert status == 200
    assert json.loads(body.rpartition(b"\r\n\r\n")[2])["scopes"] == ["ada*"]

"""OAuth, over real HTTP: what a client gets, and what a thief does not."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from urllib.parse import unquote, urlencode

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)
from pydantic import AnyUrl

from hypermnesia.memory import Memory
from hypermnesia.models.http import tls_context
from hypermnesia.serve.accounts.secret import csrf_of
from tests.serve.accounts.flow import REDIRECT, Flow, returned, submit
from tests.serve.accounts.service import Service, running


@pytest.fixture
def peopled(closed: Service) -> Iterator[Service]:
    """Ada can sign in; clients may register."""
    closed.account(password=True)
    yield closed
    closed.reset()


@pytest.fixture
def person(peopled: Service) -> httpx2.Client:
    """Ada's browser."""
    return peopled.signed_in()


@pytest.fixture
def flow(peopled: Service) -> Flow:
    """A registered client."""
    flow = Flow(peopled)
    assert flow.register().status_code == 201
    return flow


# --- what a client gets ------------------------------------------------------------


def test_metadata_say_what_there_is(closed: Service) -> None:
    """To scripts of any page."""
    answer = closed.http.get(
        "/.well-known/oauth-authorization-server", headers={"Origin": "https://client.example"}
    )
    assert answer.headers["access-control-allow-origin"] == "*"
    told = answer.json()
    assert told["issuer"] == closed.url
    assert told["code_challenge_methods_supported"] == ["S256"]
    assert told["token_endpoint_auth_methods_supported"] == ["none"]
    assert told["client_id_metadata_document_supported"] is False
    assert told["registration_endpoint"] == f"{closed.url}/register"
    for path in ("", "/mcp"):
        told = closed.http.get(f"/.well-known/oauth-protected-resource{path}").json()
        assert told["resource"] == f"{closed.url}/mcp"
        assert told["authorization_servers"] == [closed.url]


def test_a_person_allows_a_client_a_part_of_what_they_may(
    flow: Flow, person: httpx2.Client
) -> None:
    """The tokens do that and nothing else."""
    page = flow.ask(person)
    assert "Editor" in page.text
    assert "http://127.0.0.1:7777" in page.text
    assert "form-action 'self' http://127.0.0.1:7777;" in page.headers["content-security-policy"]
    back = returned(flow.allow(person))
    assert back["state"] == "st&te"
    assert back["iss"] == flow.service.url
    tokens = flow.exchange(back["code"])
    assert tokens.headers["cache-control"] == "no-store"
    given = tokens.json()
    assert (given["token_type"], given["scope"]) == ("Bearer", "memory:read memory:write")
    assert given["expires_in"] == 3600
    client = flow.service.bearing(given["access_token"])
    told = client.get("/api/v1/account").json()
    assert (told["name"], told["scopes"], told["admin"]) == ("ada", ["ada-notes"], False)
    body = {"content": "x", "scope": "ada-notes"}
    assert client.post("/api/v1/memories", json=body).status_code == 201
    body["scope"] = "ada"
    assert client.post("/api/v1/memories", json=body).status_code == 403
    assert client.get("/api/v1/tokens").status_code == 403
    actions = [entry.action for entry in flow.service.accounts.hall.store.audited(9)]
    assert "oauth.allow" in actions


def test_all_scopes_are_not_allowed_by_a_slip(peopled: Service) -> None:
    """Who may use all is asked about the usual one."""
    flow = Flow(peopled)
    flow.register()
    for scopes, suggested in ((["*"], "default"), (["a", "b"], "a\nb")):
        peopled.account(password=True, scopes=scopes)
        assert f">{suggested}</textarea>" in flow.ask(peopled.signed_in()).text


@pytest.mark.parametrize("decided", [{"may_write": None}, {"scope": "memory:read"}])
def test_a_client_may_only_read_if_nothing_else_was_allowed(
    flow: Flow, person: httpx2.Client, decided: dict[str, str | None]
) -> None:
    """By the person, or because it asked for no more."""
    given = flow.exchange(flow.code(person, **decided)).json()
    assert given["scope"] == "memory:read"
    body = {"content": "x", "scope": "ada-notes"}
    client = flow.service.bearing(given["access_token"])
    assert client.post("/api/v1/memories", json=body).status_code == 403
    again = flow.refresh(given["refresh_token"], scope="memory:read memory:write")
    assert again.json()["error"] == "invalid_scope"


def test_an_mcp_client_of_the_sdk_gets_in_by_itself(
    peopled: Service, person: httpx2.Client
) -> None:
    """Discovery, registration, consent, tokens, and a call of a tool with the token."""
    flow = Flow(peopled)

    class Kept:
        tokens: OAuthToken | None = None
        client: OAuthClientInformationFull | None = None

        async def get_tokens(self) -> OAuthToken | None:
            return self.tokens

        async def set_tokens(self, tokens: OAuthToken) -> None:
            self.tokens = tokens

        async def get_client_info(self) -> OAuthClientInformationFull | None:
            return self.client

        async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
            self.client = client_info

    asked: list[httpx2.Response] = []

    async def redirect(url: str) -> None:
        page = await anyio.to_thread.run_sync(person.get, url)
        asked.append(page)

    async def callback() -> AuthorizationCodeResult:
        back = returned(submit(person, asked[0]))
        return AuthorizationCodeResult(code=back["code"], state=back["state"], iss=back["iss"])

    kept = Kept()
    auth = OAuthClientProvider(
        f"{flow.service.url}/mcp",
        OAuthClientMetadata(redirect_uris=[AnyUrl(REDIRECT)], client_name="SDK"),
        kept,
        redirect,
        callback,
    )

    async def call() -> str:
        async with (
            httpx2.AsyncClient(verify=tls_context(), auth=auth, timeout=60) as http,
            Client(streamable_http_client(f"{flow.service.url}/mcp", http_client=http)) as client,
        ):
            arguments = {"content": "We chose NATS over Kafka.", "scope": "ada-notes"}
            result = await client.call_tool("memory_add", arguments)
            assert not result.is_error, result
            return str(result.structured_content)

    assert "active" in anyio.run(call)
    assert kept.tokens is not None
    assert flow.works(kept.tokens.access_token)


# --- asking ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"state": "x" * 2001}, "invalid_request"),
        ({"scope": "memory:read admin"}, "invalid_scope"),
        ({"scope": ""}, "invalid_scope"),
        ({"resource": "https://other.example/mcp"}, "invalid_target"),
    ],
)
def test_a_bad_request_is_told_to_the_client(
    flow: Flow, person: httpx2.Client, changes: dict[str, str | None], error: str
) -> None:
    """With its state and the issuer."""
    back = returned(flow.ask(person, **changes))
    assert (back["error"], back["iss"]) == (error, flow.service.url)


@pytest.mark.parametrize(
    "changes",
    [
        {"client_id": "unknown"},
        {"client_id": None},
        {"client_id": "https://evil.example/client.json"},
        {"redirect_uri": None},
        {"redirect_uri": "https://evil.example/callback"},
        {"redirect_uri": f"{REDIRECT}/"},
        {"redirect_uri": f"{REDIRECT}?a=b"},
        {"redirect_uri": f"{REDIRECT}#a"},
        {"redirect_uri": REDIRECT.replace("127", "@127")},
        {"redirect_uri": REDIRECT.replace("callback", "./callback")},
        {"redirect_uri": REDIRECT.upper()},
        {"redirect_uri": REDIRECT.replace("http", "https")},
        {"redirect_uri": REDIRECT.replace("127.0.0.1", "localhost")},
    ],
)
def test_nobody_is_sent_to_an_address_that_is_not_the_clients(
    flow: Flow, person: httpx2.Client, changes: dict[str, str | None]
) -> None:
    """The person is told instead; there is no open redirect."""
    answer = flow.ask(person, **changes)
    assert answer.status_code == 400
    assert "location" not in answer.headers


def test_a_program_on_this_machine_may_listen_on_any_port(
    flow: Flow, person: httpx2.Client
) -> None:
    """It learns which when it begins to listen (OAuth 2.1, 2.3.1)."""
    moved = REDIRECT.replace("7777", "50123")
    assert flow.ask(person, redirect_uri=moved).status_code == 200


def test_a_doubled_field_is_refused(flow: Flow, person: httpx2.Client) -> None:
    """Which of two redirects counts must not be a guess."""
    query = urlencode(flow.asking()) + "&redirect_uri=https://evil.example"
    assert person.get(f"/authorize?{query}").status_code == 400


def test_who_is_not_signed_in_signs_in_first_and_comes_back(flow: Flow) -> None:
    """A token is nobody's consent."""
    for client in (
        flow.service.browser(),
        flow.service.bearing(flow.service.token(flow.service.known())),
    ):
        answer = flow.ask(client)
        assert answer.status_code == 303
        assert answer.headers["location"].startswith("/signin?next=%2Fauthorize%3F")
        target = unquote(answer.headers["location"].partition("next=")[2])
    assert flow.service.signed_in().get(target).status_code == 200


def test_a_decision_needs_the_persons_own_page(flow: Flow, person: httpx2.Client) -> None:
    """No other site can allow anything."""
    form = {**flow.asking(), "decision": "allow", "memory_scopes": "ada", "may_write": "yes"}
    token = csrf_of(person.cookies["hypermnesia_session"])
    foreign = {"Origin": "https://evil.example"}
    forged = [
        person.post("/authorize", data=form),
        person.post("/authorize", data={**form, "csrf_token": "0" * 64}),
        person.post("/authorize", data={**form, "csrf_token": token}, headers=foreign),
        flow.service.browser().post("/authorize", data={**form, "csrf_token": token}),
    ]
    assert [answer.status_code for answer in forged] == [403, 403, 403, 400]


def test_a_refusal_is_told_to_the_client(flow: Flow, person: httpx2.Client) -> None:
    """And written down."""
    assert returned(flow.allow(person, decision="refuse"))["error"] == "access_denied"
    assert returned(flow.allow(person, decision=None))["error"] == "access_denied"


@pytest.mark.parametrize("patterns", ["", "eve", "*", "ada\neve", "ada " * 60, "a\x00b"])
def test_nobody_allows_more_than_they_may(flow: Flow, person: httpx2.Client, patterns: str) -> None:
    """They see the page again, with what is wrong."""
    answer = flow.allow(person, memory_scopes=patterns)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text


def reuses(flow: Flow) -> list[str]:
    """What the audit log tells of this client's secrets that came a second time."""
    entries = flow.service.accounts.hall.store.audited(1000)
    told = [entry for entry in entries if entry.target == flow.client_id]
    return [entry.action for entry in told if entry.outcome.startswith("used twice")]


# --- codes -------------------------------------------------------------------------


def test_a_code_works_once_and_its_second_use_ends_what_it_led_to(
    flow: Flow, person: httpx2.Client
) -> None:
    """Whoever comes second."""
    code = flow.code(person)
    given = flow.exchange(code).json()
    assert flow.works(given["access_token"])
    for _ in range(3):
        assert flow.exchange(code).json()["error"] == "invalid_grant"
    assert not flow.works(given["access_token"])
    assert flow.refresh(given["refresh_token"]).json()["error"] == "invalid_grant"
    assert reuses(flow) == ["oauth.code"]


def test_of_many_that_use_a_code_at_once_at_most_one_gets_tokens(
    flow: Flow, person: httpx2.Client
) -> None:
    """And those do not outlive the theft."""
    code = flow.code(person)
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(flow.exchange, [code] * 6))
    given = [answer.json() for answer in answers if answer.status_code == 200]
    assert len(given) <= 1
    assert set(reuses(flow)) == {"oauth.code"}
    assert not any(flow.works(tokens["access_token"]) for tokens in given)


def test_a_code_is_of_no_use_to_anybody_else(flow: Flow, person: httpx2.Client) -> None:
    """Not to another client, without the verifier, at another address, or later."""
    code = flow.code(person)
    other = Flow(flow.service)
    other.register()
    other.verifier = flow.verifier
    refused = [
        other.exchange(code),
        flow.exchange(code, code_verifier="x" * 43),
        flow.exchange(code, code_verifier=None),
        flow.exchange(code, redirect_uri="http://127.0.0.1:7777/other"),
        flow.exchange(code, redirect_uri=None),
        flow.exchange(code, client_id=None),
        flow.exchange(code, client_id="unknown"),
        flow.exchange(f"{code}x"),
        flow.exchange(""),
    ]
    assert all(answer.status_code in {400, 401} for answer in refused)
    flow.service.clock.forward(timedelta(minutes=1))
    assert flow.exchange(code).json()["error"] == "invalid_grant"


# --- refresh tokens ----------------------------------------------------------------


def test_a_refresh_token_is_rotated_and_its_second_use_ends_the_family(
    flow: Flow, person: httpx2.Client
) -> None:
    """All of it: nobody can tell who the thief is."""
    first = flow.exchange(flow.code(person)).json()
    second = flow.refresh(first["refresh_token"]).json()
    assert second["refresh_token"] != first["refresh_token"]
    assert flow.works(second["access_token"])
    assert flow.refresh(first["refresh_token"]).json()["error"] == "invalid_grant"
    assert not flow.works(second["access_token"])
    assert flow.refresh(second["refresh_token"]).json()["error"] == "invalid_grant"
    assert reuses(flow) == ["oauth.refresh"]


def test_of_many_that_refresh_at_once_at_most_one_gets_tokens(
    flow: Flow, person: httpx2.Client
) -> None:
    """And those end with the family."""
    token = flow.exchange(flow.code(person)).json()["refresh_token"]
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(flow.refresh, [token] * 6))
    given = [answer.json() for answer in answers if answer.status_code == 200]
    assert len(given) <= 1
    assert set(reuses(flow)) == {"oauth.refresh"}
    assert not any(flow.works(tokens["access_token"]) for tokens in given)


def test_an_authorization_ends_on_its_day_however_often_it_is_refreshed(
    flow: Flow, person: httpx2.Client
) -> None:
    """Thirty days after the person allowed it."""
    token = flow.exchange(flow.code(person)).json()["refresh_token"]
    for _ in range(2):
        flow.service.clock.forward(timedelta(days=14, hours=23))
        token = flow.refresh(token).json()["refresh_token"]
    flow.service.clock.forward(timedelta(hours=2))
    assert flow.refresh(token).json()["error"] == "invalid_grant"


def test_an_access_token_expires_by_itself(flow: Flow, person: httpx2.Client) -> None:
    """On every surface; the refresh token then gets another one."""
    given = flow.exchange(flow.code(person)).json()
    flow.service.clock.forward(timedelta(hours=1))
    assert not flow.works(given["access_token"])
    assert flow.works(flow.refresh(given["refresh_token"]).json()["access_token"])


def test_a_refresh_token_is_of_no_use_to_another_client(flow: Flow, person: httpx2.Client) -> None:
    """And ends the family, since it got into other hands."""
    token = flow.exchange(flow.code(person)).json()["refresh_token"]
    other = Flow(flow.service)
    other.register()
    assert other.refresh(token).json()["error"] == "invalid_grant"
    assert flow.refresh(token).json()["error"] == "invalid_grant"


def test_a_disabled_account_refreshes_nothing(flow: Flow, person: httpx2.Client) -> None:
    """Even if its authorizations were left as they are."""
    token = flow.exchange(flow.code(person)).json()["refresh_token"]
    store = flow.service.accounts.hall.store
    store.put_account(replace(flow.service.known(), disabled=True))
    assert flow.refresh(token).json()["error"] == "invalid_grant"


@pytest.mark.parametrize(
    "token", ["", "x", "hm_refresh_", "hm_refresh_unknown.x", "hm_refresh_.x", "é" * 50]
)
def test_what_is_no_refresh_token_is_refused(flow: Flow, token: str) -> None:
    """Whatever it is; and nobody can fill the log with it."""
    assert flow.refresh(token).status_code == 400
    assert not reuses(flow)


def test_kinds_of_tokens_are_not_mixed_up(flow: Flow, person: httpx2.Client) -> None:
    """A refresh token opens nothing, an access token refreshes nothing, a code is neither."""
    code = flow.code(person)
    given = flow.exchange(code).json()
    assert not flow.works(given["refresh_token"])
    assert not flow.works(code)
    assert flow.refresh(given["access_token"]).status_code == 400
    assert flow.exchange(given["access_token"]).status_code == 400
    assert flow.works(given["access_token"])


# --- revocation --------------------------------------------------------------------


@pytest.mark.parametrize("which", ["access_token", "refresh_token"])
def test_a_client_gives_back_what_it_was_given(
    flow: Flow, person: httpx2.Client, which: str
) -> None:
    """Either token ends both; nobody else's client can."""
    given = flow.exchange(flow.code(person)).json()
    other = Flow(flow.service)
    other.register()
    for client_id, works in ((other.client_id, True), (flow.client_id, False)):
        form = {"token": given[which], "client_id": client_id}
        assert flow.service.http.post("/revoke", data=form).status_code == 200
        assert flow.works(given["access_token"]) is works
    assert flow.refresh(given["refresh_token"]).json()["error"] == "invalid_grant"


def test_revoking_what_is_unknown_tells_nothing(flow: Flow) -> None:
    """RFC 7009, 2.2; an API token is no client's to revoke."""
    secret = flow.service.token(flow.service.known())
    for token in ("unknown", secret):
        form = {"token": token, "client_id": flow.client_id}
        assert flow.service.http.post("/revoke", data=form).status_code == 200
    assert flow.works(secret)
    assert flow.service.http.post("/revoke", data={"token": "x"}).status_code == 400


# --- registration ------------------------------------------------------------------


@pytest.mark.parametrize(
    "metadata",
    [
        {"redirect_uris": []},
        {"redirect_uris": None},
        {"redirect_uris": "https://a.example"},
        {"redirect_uris": [REDIRECT] * 11},
        {"redirect_uris": ["http://a.example/cb"]},
        {"redirect_uris": ["javascript:alert(1)"]},
        {"redirect_uris": ["data:text/html,x"]},
        {"redirect_uris": ["https://a.example/cb#x"]},
        {"redirect_uris": ["https://user@a.example/cb"]},
        {"redirect_uris": [REDIRECT, "file:///etc/passwd"]},
        {"redirect_uris": ["https://a.example/" + "x" * 2000]},
    ],
)
def test_a_client_with_unusable_redirects_is_not_registered(
    closed: Service, metadata: dict[str, object]
) -> None:
    """None of them, not only the bad one."""
    answer = Flow(closed).register(**metadata)
    assert answer.status_code == 400
    assert answer.json()["error"] == "invalid_client_metadata"


def test_a_client_gets_no_secret_and_no_more_than_there_is(closed: Service) -> None:
    """Whatever it asks for."""
    answer = Flow(closed).register(
        token_endpoint_auth_method="client_secret_post",
        scope="admin",
        grant_types=["authorization_code", "client_credentials"],
        client_name="x" * 500,
        client_id="mine",
    )
    told = answer.json()
    assert "client_secret" not in told
    assert told["token_endpoint_auth_method"] == "none"
    assert told["scope"] == "memory:read memory:write"
    assert told["grant_types"] == ["authorization_code", "refresh_token"]
    assert told["client_id"] != "mine"
    assert len(told["client_name"]) == 80


def test_registration_is_bounded(closed: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """In number, in size, and in how fast."""
    monkeypatch.setattr("hypermnesia.serve.accounts.oauth.clients.MOST_CLIENTS", 2)
    statuses = [Flow(closed).register().status_code for _ in range(3)]
    assert statuses == [201, 201, 429]
    assert Flow(closed).register(client_uri="https://a/" + "x" * 40_000).status_code == 413
    statuses = [closed.http.post("/register", content=b"{}").status_code for _ in range(57)]
    assert statuses == [400] * 56 + [429]


def test_nobody_registers_unless_it_is_allowed(service: Service) -> None:
    """By default clients are known by their documents, or by nobody."""
    service.account()
    assert (
        "registration_endpoint"
        not in service.http.get("/.well-known/oauth-authorization-server").json()
    )
    assert Flow(service).register().status_code == 404


def test_without_tls_there_is_no_oauth(memory: Memory) -> None:
    """Codes and tokens would be read on their way."""
    with running(memory, serve_host="0.0.0.0", oauth_registration=True) as service:
        service.account(password=True)
        assert service.http.get("/.well-known/oauth-authorization-server").status_code == 404
        assert Flow(service).register().status_code == 404
        assert Flow(service).ask(service.signed_in()).status_code == 400

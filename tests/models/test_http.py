"""JSON over HTTP: bounded in time, size and attempts, and silent about keys."""

from __future__ import annotations

import base64
import gzip
import logging
import subprocess
import sys
import traceback
from typing import TYPE_CHECKING, Any

import pytest
from stamina.instrumentation import RetryDetails, get_on_retry_hooks, set_on_retry_hooks

from hypermnesia.errors import ModelError
from hypermnesia.models import http
from hypermnesia.models.http import Endpoint, JsonObject
from tests.servers.http import Handler, Received, Reply, Server, in_turn, nothing_listening, serve
from tests.servers.protocols import Secret

if TYPE_CHECKING:
    from collections.abc import Iterator

KEY = "sk-very-secret-0123456789"
OK = Reply({"fine": True})


def posted(server: Server, *, timeout: float = 10.0, attempts: int = 3) -> JsonObject:
    """One call with an API key."""
    endpoint = Endpoint(server.url, api_key=Secret(KEY), timeout=timeout, attempts=attempts)
    return endpoint.post("/v1/thing", {"a": 1})


def test_posts_json_with_the_bearer_key() -> None:
    """The server sees path, body and key as its API documents them."""
    with serve(in_turn(OK)) as server:
        assert posted(server) == {"fine": True}
    (request,) = server.received
    assert (request.path, request.body) == ("/v1/thing", {"a": 1})
    assert request.headers["authorization"] == f"Bearer {KEY}"


def test_sends_no_authorization_without_a_key() -> None:
    """An unset or empty key is left out, not sent as an empty bearer token."""
    with serve(in_turn(OK)) as server:
        Endpoint(server.url).post("/x", {})
        Endpoint(server.url, api_key=Secret("")).post("/x", {})
    assert ["authorization" in request.headers for request in server.received] == [False, False]


@pytest.mark.parametrize("suffix", ["", "/", "/v1", "/v1/"])
def test_a_base_url_may_end_in_the_api_version_or_not(suffix: str) -> None:
    """Both habits of writing a base URL reach the same path."""
    with serve(in_turn(OK)) as server:
        Endpoint(server.url + suffix).post("/v1/thing", {})
    assert server.received[0].path == "/v1/thing"


def test_keeps_a_path_of_the_base_url() -> None:
    """A gateway may mount an API below a path of its own."""
    with serve(in_turn(OK)) as server:
        Endpoint(f"{server.url}/gateway/v1").post("/v1/thing", {})
    assert server.received[0].path == "/gateway/v1/thing"


def test_a_lone_surrogate_is_sent_as_a_question_mark() -> None:
    """Text that is no valid Unicode does not break the request."""
    with serve(in_turn(OK)) as server:
        Endpoint(server.url).post("/x", {"text": "a\ud800b"})
    assert server.received[0].body == {"text": "a?b"}


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 529])
def test_a_passing_failure_is_tried_again(status: int) -> None:
    """An overloaded or restarting server gets a second chance."""
    with serve(in_turn(Reply(status=status), OK)) as server:
        assert posted(server) == {"fine": True}
    assert len(server.received) == 2


def test_a_broken_connection_is_tried_again() -> None:
    """A server that hangs up without an answer gets a second chance."""
    with serve(in_turn(Reply(hang_up=True), OK)) as server:
        assert posted(server) == {"fine": True}


def test_attempts_are_bounded() -> None:
    """A server that keeps failing is asked as often as configured, no more."""
    with (
        serve(in_turn(Reply(status=500))) as server,
        pytest.raises(ModelError, match=r"answered 500: try again later"),
    ):
        posted(server, attempts=3)
    assert len(server.received) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_a_refusal_is_final(status: int) -> None:
    """An error that will not pass costs one request, and the message says what to check."""
    with (
        serve(in_turn(Reply(status=status))) as server,
        pytest.raises(ModelError, match=rf"answered {status}: (check|send)"),
    ):
        posted(server)
    assert len(server.received) == 1


def test_offer_tells_a_refused_body_from_a_failure() -> None:
    """A caller with a plainer body at hand learns that this one was refused."""
    with serve(in_turn(Reply(status=400), Reply(status=422), Reply(status=401))) as server:
        endpoint = Endpoint(server.url)
        assert endpoint.offer("/x", {}) is None
        assert endpoint.offer("/x", {}) is None
        with pytest.raises(ModelError, match="401"):
            endpoint.offer("/x", {})


def test_retry_after_is_honoured_within_the_budget() -> None:
    """The wait is the one the server asked for, not the default back-off."""
    waits: list[float] = []

    def note(details: RetryDetails) -> None:
        waits.append(details.wait_for)

    set_on_retry_hooks([note])
    try:
        busy = Reply(status=429, headers={"Retry-After": "0"})
        with serve(in_turn(busy, OK), waits=True) as server:
            assert posted(server) == {"fine": True}
    finally:
        set_on_retry_hooks(None)
    assert waits == [0.0]


def test_retry_after_beyond_the_budget_gives_up_at_once() -> None:
    """Nobody waits an hour for a judgement."""
    with (
        serve(in_turn(Reply(status=429, headers={"Retry-After": "3600"}))) as server,
        pytest.raises(ModelError, match="answered 429: wait"),
    ):
        posted(server)
    assert len(server.received) == 1


@pytest.mark.parametrize("value", ["soon", "-1", "Fri, 31 Dec 2049 23:59:59 GMT", "٣", "9" * 40])
def test_a_retry_after_that_is_no_number_of_seconds_counts_as_none_given(value: str) -> None:
    """An odd header falls back to the default back-off."""
    assert http._retry_after(value) is None  # pyright: ignore[reportPrivateUsage]


def test_a_slow_server_times_out_and_is_not_asked_again() -> None:
    """A second request would only add to the load of a server still busy with the first."""

    def wait(_: Received) -> Reply:
        server.closing.wait()
        return OK

    with serve(wait) as server, pytest.raises(ModelError, match=r"did not answer within 0\.1 s"):
        posted(server, timeout=0.1)
    assert len(server.received) == 1


def test_a_server_that_sends_byte_after_byte_times_out() -> None:
    """Each byte comes in time, the whole answer never does."""

    def drip() -> Iterator[bytes]:
        while not server.closing.wait(0.01):
            yield b" "

    with (
        serve(lambda _: Reply(raw=drip())) as server,
        pytest.raises(ModelError, match=r"did not answer within 0\.2 s"),
    ):
        posted(server, timeout=0.2)


def test_a_refused_connection_is_reported_with_the_address() -> None:
    """The message names the origin and asks whether the server is running."""
    with nothing_listening() as url, pytest.raises(ModelError, match=f"{url} cannot be reached"):
        Endpoint(url).post("/x", {})


@pytest.mark.parametrize("headers", [{}, {"Content-Encoding": "gzip"}])
def test_a_huge_body_is_not_read_to_its_end(headers: dict[str, str]) -> None:
    """The limit holds for what a body unpacks to, too."""
    body = b"[" * (http.RESPONSE_LIMIT + 1)
    raw = gzip.compress(body, 1) if headers else body
    with (
        serve(in_turn(Reply(raw=raw, headers=headers))) as server,
        pytest.raises(ModelError, match="sent more than 8388608 bytes"),
    ):
        posted(server)


@pytest.mark.parametrize(
    "raw",
    [b"", b"<html>", b'{"a": ', b"[" * 100_000, b"\xff\xfe\x00", b"[1]", b'"text"', b"null"],
)
def test_anything_but_a_json_object_is_an_error(raw: bytes) -> None:
    """Pages, cut or deeply nested JSON and other JSON values are refused, not passed on."""
    with serve(in_turn(Reply(raw=raw))) as server, pytest.raises(ModelError, match="JSON"):
        posted(server)


def test_a_body_that_cannot_be_unpacked_is_an_error() -> None:
    """A wrong content encoding is reported, without a traceback of the HTTP library."""
    broken = Reply(raw=b"not gzip", headers={"Content-Encoding": "gzip"})
    with serve(in_turn(broken)) as server, pytest.raises(ModelError, match="DecodingError"):
        posted(server)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed_so_the_key_stays_here(status: int) -> None:
    """No other server ever sees a request, let alone the key."""
    with serve(in_turn(OK)) as elsewhere:
        away = Reply(status=status, headers={"Location": f"{elsewhere.url}/v1/thing"})
        with serve(in_turn(away)) as server, pytest.raises(ModelError, match="not followed"):
            posted(server)
    assert elsewhere.received == []


def test_credentials_in_the_url_become_basic_authentication() -> None:
    """They are taken out of the URL and sent where they belong, percent-decoded."""
    with serve(in_turn(OK)) as server:
        url = server.url.replace("//", "//user:p%40ss-word@")
        Endpoint(url).post("/x", {})
    expected = base64.b64encode(b"user:p@ss-word").decode()
    assert server.received[0].headers["authorization"] == f"Basic {expected}"


@pytest.mark.parametrize(
    "handler",
    [
        in_turn(Reply({"error": {"message": f"bad key {KEY}", "code": KEY}}, status=401)),
        in_turn(Reply({"error": {"message": f"bad key {KEY}"}}, status=500)),
        in_turn(Reply({"error": KEY}, status=400)),
        in_turn(Reply(hang_up=True)),
        in_turn(Reply(raw=KEY.encode())),
        in_turn(Reply(status=302, headers={"Location": f"http://{KEY}@127.0.0.1/{KEY}"})),
    ],
)
def test_no_key_reaches_an_error_a_traceback_a_repr_or_a_log(
    handler: Handler, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """Even when a server echoes the key, and with every library logging all it can."""
    caplog.set_level(logging.DEBUG)
    with serve(handler) as server:
        with_key = Endpoint(server.url, api_key=Secret(KEY))
        with_url = Endpoint(server.url.replace("//", f"//user:{KEY}@"))
        for endpoint in (with_key, with_url):
            with pytest.raises(ModelError) as caught:
                endpoint.post("/x", {})
            shown = "".join(traceback.format_exception(caught.value))
            assert KEY not in shown + repr(caught.value) + repr(endpoint) + str(vars(endpoint))
    # httpcore2 quotes the headers a server sends; what this server echoes there is its own doing.
    own = [r.getMessage() for r in caplog.records if r.name.split(".")[0] != "httpcore2"]
    assert KEY not in "".join(own)
    assert capfd.readouterr().out == ""


def test_no_log_line_of_any_library_holds_the_request_s_key(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """With everything at DEBUG, neither a bearer key nor URL credentials are written down."""
    caplog.set_level(logging.DEBUG)
    with serve(in_turn(Reply(status=500), OK)) as server:
        posted(server)
        Endpoint(server.url.replace("//", f"//user:{KEY}@")).post("/x", {})
    assert caplog.records
    assert KEY not in caplog.text
    assert base64.b64encode(f"user:{KEY}".encode()).decode() not in caplog.text


@pytest.mark.parametrize("key", [f"{KEY}\n", f"{KEY} x", f"{KEY}é", f"\t{KEY}"])
def test_a_key_that_no_header_can_carry_is_refused_without_showing_it(key: str) -> None:
    """A line break copied along with a key is caught before a library quotes the header."""
    with pytest.raises(ModelError, match="API key") as caught:
        Endpoint("http://127.0.0.1", api_key=Secret(key))
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:8000",
        "ftp://host",
        f"http://user:{KEY}@",
        f"http://user:{KEY}@host:port",
        f"http://[::1:{KEY}",
        f"https://host/v1?key={KEY}",
        f"https://host/v1#{KEY}",
    ],
)
def test_an_address_that_cannot_be_used_is_refused_without_showing_it(url: str) -> None:
    """Typing errors surface when the endpoint is made, and credentials in them do not."""
    with pytest.raises(ModelError, match="base URL") as caught:
        Endpoint(url)
    assert KEY not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(
    "codes",
    [
        {"code": "model_not_found"},
        {"code": "model_not_found", "type": "invalid_request_error"},
        {"code": 404, "type": "model_not_found"},
        {"code": None, "type": "model_not_found"},
    ],
)
def test_the_provider_s_short_error_code_is_reported(codes: dict[str, Any]) -> None:
    """A code in plain words helps; prose is left out, because it could echo anything."""
    error = {"error": {"message": "long prose"} | codes}
    with (
        serve(in_turn(Reply(error, status=404))) as server,
        pytest.raises(ModelError, match=r"answered 404 \(model_not_found\)") as caught,
    ):
        posted(server)
    assert "prose" not in str(caught.value)


def test_a_proxy_that_cannot_be_used_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """A misspelt proxy in the environment is named as the cause."""
    monkeypatch.setenv("HTTP_PROXY", "gopher://127.0.0.1:1")
    with pytest.raises(ModelError, match="proxy"):
        Endpoint("http://example.invalid").post("/x", {})


def test_hooks_the_application_gave_to_stamina_stay() -> None:
    """The library does not take over another package's process-wide settings."""

    def hook(details: RetryDetails) -> None:
        return None

    set_on_retry_hooks([hook])
    try:
        with serve(in_turn(Reply(status=500), OK)) as server:
            posted(server)
        assert get_on_retry_hooks() == (hook,)
    finally:
        set_on_retry_hooks(None)


def test_a_retry_writes_nothing_to_stdout_even_with_structlog_unconfigured() -> None:
    """An unconfigured structlog would print each retry into a JSON-RPC stream."""
    program = """
import sys, types
structlog = types.ModuleType("structlog")  # stands in for the package, which prints by default
logger = types.SimpleNamespace(warning=lambda *a, **k: print("retry scheduled"))
structlog.get_logger = lambda name: logger
structlog.is_configured = lambda: False
sys.modules["structlog"] = structlog
from hypermnesia.errors import ModelError
from hypermnesia.models.http import Endpoint
try:
    Endpoint(sys.argv[1], attempts=2).post("/x", {})
except ModelError as error:
    print(error, file=sys.stderr)
"""
    with nothing_listening() as url:
        done = subprocess.run(
            [sys.executable, "-c", program, url], capture_output=True, text=True, check=True
        )
    assert done.stdout == ""
    assert "cannot be reached" in done.stderr


def test_importing_the_package_s_clients_loads_no_http_library() -> None:
    """Start-up pays for httpx2 and stamina only when a server is used."""
    program = """
import sys
import hypermnesia.judge.chain, hypermnesia.judge.chat, hypermnesia.judge.system_one
import hypermnesia.models.embeddings, hypermnesia.models.rerank
print([name for name in ("httpx2", "stamina", "onnxruntime") if name in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"

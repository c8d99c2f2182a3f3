"""JSON over HTTP to a model server, bounded in time, size and attempts.

A key is read by the caller (from the environment) and travels in the
``Authorization`` header alone: never in a URL, a repr, a log line or an error.
"""

from __future__ import annotations

import base64
import json
import re
import sys
import time
import weakref
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias
from urllib.parse import unquote, urlsplit

from hypermnesia.errors import ModelError

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Mapping

    import httpx2

JsonObject: TypeAlias = dict[str, Any]

TIMEOUT = 30.0
"""Seconds one attempt may take, from connecting to the last byte."""
CONNECT_TIMEOUT = 5.0
"""Seconds to wait for a connection: a server that is down shows itself soon."""
BUDGET = 2.0
"""All attempts and the waits between them, as a multiple of the time-out."""
ATTEMPTS = 3
"""Requests sent at most for one call."""
RESPONSE_LIMIT = 8 * 1024 * 1024
"""Bytes of a decoded response that are read at most."""

_BAD_BODY = frozenset({400, 422})
_TRANSIENT = frozenset({408, 429, *range(500, 600)})
_HINTS = {
    400: "check the model name and its options",
    401: "check the API key in the environment",
    403: "check the API key in the environment and what it may use",
    404: "check the base URL and the model name",
    413: "send less text in one call",
    422: "check the model name and its options",
    429: "wait, or ask for a higher rate limit",
}
_KEY = re.compile(r"[\x21-\x7e]+")
_CODE = re.compile(r"[a-z_]{3,40}")


class Secret(Protocol):
    """Holds a key without showing it, like pydantic's ``SecretStr``."""

    def get_secret_value(self) -> str:
        """The key itself."""
        ...


class _Transient(ModelError):
    """A failure that may pass. ``after``: seconds the server asked to wait."""

    def __init__(self, message: str, after: float | None = None) -> None:
        super().__init__(message)
        self.after = after


class Endpoint:
    """A model server that answers a JSON object to a posted JSON object.

    Safe to share between threads. Connection errors, 429 and 5xx are tried again, honouring
    ``Retry-After`` when it fits into the budget; a time-out is not, because the server may
    still be busy with the first request. Redirects are not followed, lest the key leak.

    Args:
        base_url: with or without a trailing ``/v1``; credentials in it (``user:pass@``) are
            sent as Basic authentication.
        api_key: sent as a bearer token.
        timeout: seconds one attempt may take; all of them together take :data:`BUDGET` times that.
        attempts: requests sent at most.

    Raises:
        ModelError: the address or the key cannot be used.
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key: Secret | None = None,
        timeout: float = TIMEOUT,
        attempts: int = ATTEMPTS,
    ) -> None:
        self.origin, self.host, self._path, credentials = _parsed(base_url)
        self._authorization = _authorization(api_key, credentials)
        self._timeout = timeout
        self._attempts = attempts

    def __repr__(self) -> str:
        return f"Endpoint({self.origin!r})"

    def post(self, path: str, body: Mapping[str, Any]) -> JsonObject:
        """The object the server answers.

        Lone surrogates in the body become ``?``.

        Raises:
            ModelError: no answer in time, an error status, or no JSON object.
        """
        answer = self._answer(path, body)
        if isinstance(answer, ModelError):
            raise answer
        return answer

    def offer(self, path: str, body: Mapping[str, Any]) -> JsonObject | None:
        """Like :meth:`post`, but ``None`` when the server does not accept the body (400, 422)."""
        answer = self._answer(path, body)
        return None if isinstance(answer, ModelError) else answer

    def _answer(self, path: str, body: Mapping[str, Any]) -> JsonObject | ModelError:
        """The answer, or as a value the error of a body that the server does not accept."""
        import stamina  # noqa: PLC0415 - loaded only when a server is used

        _keep_stdout_clean()
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        budget = self._timeout * BUDGET
        deadline = time.monotonic() + budget
        attempts = stamina.retry_context(
            _backoff(deadline),
            attempts=self._attempts,
            timeout=budget,
            wait_max=1.0,
            wait_jitter=0.2,
        )
        try:
            for attempt in attempts:
                with attempt:
                    return self._exchange(path, content, deadline)
        except _Transient as error:
            raise ModelError(str(error)) from None
        raise AssertionError  # stamina returns or raises

    def _exchange(self, path: str, content: bytes, deadline: float) -> JsonObject | ModelError:
        """One request, at most until the deadline."""
        seconds = min(self._timeout, max(deadline - time.monotonic(), 0.0))
        status, headers, body = self._send(self._url(path), content, seconds)
        if status in _BAD_BODY:
            return self._failure(status, headers, body)
        if not 200 <= status < 300:  # noqa: PLR2004 - the statuses of success
            raise self._failure(status, headers, body)
        return self._object(body)

    def _send(self, url: str, content: bytes, seconds: float) -> tuple[int, httpx2.Headers, bytes]:
        import httpx2  # noqa: PLC0415 - loaded only when a server is used

        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if authorization := self._authorization():
            headers["Authorization"] = authorization
        deadline = time.monotonic() + seconds
        timeout = httpx2.Timeout(seconds, connect=min(seconds, CONNECT_TIMEOUT))
        try:
            with self._client.stream(
                "POST", url, content=content, headers=headers, timeout=timeout
            ) as response:
                body = self._bounded(response, deadline)
                return response.status_code, response.headers, body
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            raise _Transient(f"{self.origin} cannot be reached ({error}); is it running?") from None
        except httpx2.TimeoutException:
            raise self._late() from None
        except (httpx2.NetworkError, httpx2.RemoteProtocolError) as error:
            name = type(error).__name__
            raise _Transient(f"{self.origin} broke the connection ({name})") from None
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise ModelError(f"asking {self.origin} failed ({type(error).__name__})") from None

    def _bounded(self, response: httpx2.Response, deadline: float) -> bytes:
        """The decoded body; the deadline also stops a server that sends byte after byte."""
        body = bytearray()
        for chunk in response.iter_bytes():
            body += chunk
            if len(body) > RESPONSE_LIMIT:
                raise ModelError(f"{self.origin} sent more than {RESPONSE_LIMIT} bytes")
            if time.monotonic() > deadline:
                raise self._late()
        return bytes(body)

    def _late(self) -> ModelError:
        return ModelError(
            f"{self.origin} did not answer within {self._timeout:g} s; raise the time-out"
        )

    def _failure(self, status: int, headers: httpx2.Headers, body: bytes) -> ModelError:
        moved = "redirects are not followed, configure the final address"
        other = moved if 300 <= status < 400 else "try again later"  # noqa: PLR2004 - redirections
        message = f"{self.origin} answered {status}{_code(body)}: {_HINTS.get(status, other)}"
        if status in _TRANSIENT:
            return _Transient(message, _retry_after(headers.get("Retry-After")))
        return ModelError(message)

    def _object(self, body: bytes) -> JsonObject:
        try:
            value = json.loads(body)
        except (ValueError, RecursionError):
            raise ModelError(f"{self.origin} did not answer JSON; {_HINTS[404]}") from None
        if not isinstance(value, dict):
            raise ModelError(f"{self.origin} did not answer a JSON object; {_HINTS[404]}")
        return value

    def _url(self, path: str) -> str:
        base = self._path.removesuffix("/v1") if path.startswith("/v1/") else self._path
        return f"{self.origin}{base}{path}"

    @cached_property
    def _client(self) -> httpx2.Client:
        import httpx2  # noqa: PLC0415 - loaded only when a server is used

        try:
            client = httpx2.Client(verify=tls_context(), follow_redirects=False)
        except (ImportError, ValueError):
            raise ModelError("the proxy named in the environment cannot be used") from None
        weakref.finalize(self, client.close)  # with the endpoint, or at exit
        return client


@cache
def tls_context() -> ssl.SSLContext:
    """The system's default, one for all clients: reading the certificate store takes 50 ms."""
    import httpx2  # noqa: PLC0415 - loaded only when a server is used

    return httpx2.create_ssl_context()


def _parsed(base_url: str) -> tuple[str, str, str, str]:
    """Origin, host, path and credentials of a base address; the first three hold no secret."""
    try:
        parts = urlsplit(base_url.strip())
        host, _ = parts.hostname, parts.port  # an impossible port raises here
    except ValueError:
        raise ModelError("the base URL of a model server cannot be parsed") from None
    if parts.scheme not in ("http", "https") or not host:
        raise ModelError("the base URL of a model server must read http(s)://host[:port][/path]")
    if parts.query or parts.fragment:
        raise ModelError("the base URL of a model server must hold no query; put keys elsewhere")
    credentials, _, place = parts.netloc.rpartition("@")
    return f"{parts.scheme}://{place}", host, parts.path.rstrip("/"), unquote(credentials)


def _authorization(api_key: Secret | None, credentials: str) -> Callable[[], str | None]:
    """Builds the header value anew for each request, so that no attribute shows it."""
    if api_key is not None and api_key.get_secret_value():
        key = api_key
        if not _KEY.fullmatch(key.get_secret_value()):
            raise ModelError("the API key holds spaces or characters that no header can carry")
        return lambda: f"Bearer {key.get_secret_value()}"
    if credentials:
        return lambda: f"Basic {base64.b64encode(credentials.encode()).decode()}"
    return lambda: None


def _backoff(deadline: float) -> Callable[[Exception], bool | float]:
    """Whether to try again, and after how many seconds when the server said so."""

    def hook(error: Exception) -> bool | float:
        if not isinstance(error, _Transient):
            return False
        if error.after is None:
            return True
        return error.after if time.monotonic() + error.after < deadline else False

    return hook


def _retry_after(value: str | None) -> float | None:
    """Seconds of a ``Retry-After`` header; its rarer form, a date, counts as none given."""
    return float(value) if value and re.fullmatch(r"[0-9]{1,9}", value.strip()) else None


def _code(body: bytes) -> str:
    """The provider's short error code in brackets; prose could echo a key or a memory."""
    try:
        error = json.loads(body)["error"]
        codes = [error.get("code"), error.get("type")]
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return ""
    return next((f" ({c})" for c in codes if isinstance(c, str) and _CODE.fullmatch(c)), "")


def _keep_stdout_clean() -> None:
    """Take stamina's structlog hook away while structlog is unconfigured: it would print."""
    from stamina import instrumentation  # noqa: PLC0415 - loaded only when a server is used

    hooks = instrumentation.get_on_retry_hooks()
    structlog = sys.modules.get("structlog")
    if structlog is not None and not structlog.is_configured():
        kept = [h for h in hooks if not str(getattr(h, "__module__", "")).endswith("._structlog")]
        instrumentation.set_on_retry_hooks(kept)

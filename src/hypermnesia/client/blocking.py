"""The client that blocks."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Concatenate, ParamSpec, Self, TypeVar

import httpx2

from hypermnesia.client import verbs
from hypermnesia.client.connection import (
    ADDRESS,
    TIMEOUT,
    base_of,
    extra,
    headers_of,
    part_of,
    reply_of,
    timeouts,
    unreachable,
)
from hypermnesia.client.jobs import begun, cancel, look
from hypermnesia.client.steps import Pause, Reply, Request, Steps
from hypermnesia.errors import InvalidInput
from hypermnesia.models.http import tls_context

P = ParamSpec("P")
T = TypeVar("T")


def _blocking(verb: Callable[P, Steps[T]]) -> Callable[Concatenate[Client, P], T]:
    @wraps(verb)
    def method(self: Client, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.carry_out(verb(*args, **kwargs))

    return method


class Client:
    """A memory behind a service, with the verbs and results of :class:`hypermnesia.Memory`.

    Safe to share between threads; a context manager. A request that does not get through is
    sent again, which carries nothing out twice.

    Args:
        address: of the service.
        token: what it knows the caller by; ``None`` = that of ``HYPERMNESIA_TOKEN``, if any.
        timeout: seconds for one request.

    Every method may raise :class:`~hypermnesia.errors.AccessError` when the service does not do
    this for this caller, and :class:`~hypermnesia.errors.ServiceError` when it is out of reach.

    Raises:
        InvalidInput: the address or the token is none.
    """

    def __init__(
        self, address: str = ADDRESS, token: str | None = None, *, timeout: float = TIMEOUT
    ) -> None:
        self._http = httpx2.Client(
            base_url=base_of(address),
            headers=headers_of(token),
            timeout=timeouts(timeout),
            verify=tls_context(),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    add = _blocking(verbs.add)
    add_many = _blocking(verbs.add_many)
    ingest = _blocking(verbs.ingest)
    observe = _blocking(verbs.observe)
    update = _blocking(verbs.update)
    restore = _blocking(verbs.restore)
    forget = _blocking(verbs.forget)
    search = _blocking(verbs.search)
    context = _blocking(verbs.context)
    answer = _blocking(verbs.answer)
    suggest = _blocking(verbs.suggest)
    get = _blocking(verbs.get)
    history = _blocking(verbs.history)
    events = _blocking(verbs.events)
    recent = _blocking(verbs.recent)
    surroundings = _blocking(verbs.surroundings)
    hyperedges = _blocking(verbs.hyperedges)
    list = _blocking(verbs.list_)
    profile = _blocking(verbs.profile)
    scopes = _blocking(verbs.scopes)
    export = _blocking(verbs.export)
    import_ = _blocking(verbs.import_)
    check = _blocking(verbs.check)
    scan = _blocking(verbs.scan)
    reindex = _blocking(verbs.reindex)
    corpus_consent = _blocking(verbs.corpus_consent)
    corpus_stats = _blocking(verbs.corpus_stats)
    corpus_flush = _blocking(verbs.corpus_flush)
    corpus_export = _blocking(verbs.corpus_export)
    jobs = _blocking(begun)
    job = _blocking(look)
    cancel_job = _blocking(cancel)

    def carry_out(self, steps: Steps[T]) -> T:
        """Run the steps of a verb and return what it came to."""
        try:
            step = next(steps)
            while True:
                if isinstance(step, Pause):
                    time.sleep(step.seconds)
                    step = steps.send(Reply(0))
                else:
                    step = steps.send(self._sent(step))
        except StopIteration as done:
            return done.value

    def _sent(self, request: Request) -> Reply:
        try:
            if request.upload is not None:
                with request.upload.open("rb") as file:
                    return self._streamed(request, file)
            return self._streamed(request, None)
        except httpx2.TransportError as error:
            return unreachable(error)

    def _streamed(self, request: Request, content: BinaryIO | None) -> Reply:
        with self._http.stream(
            request.method,
            request.path,
            params=request.params,
            json=request.body,
            headers=extra(request),
            content=content,
        ) as response:
            if request.download is not None and response.is_success:
                _save(response, request.download)
                return reply_of(response, "")
            return reply_of(response, response.read().decode("utf-8", "replace"))


def _save(response: httpx2.Response, path: Path) -> None:
    part = part_of(path)
    try:
        with part.open("wb") as file:
            for piece in response.iter_bytes():
                file.write(piece)
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise InvalidInput(f"{path} cannot be written ({error.strerror})") from error
    except BaseException:
        part.unlink(missing_ok=True)
        raise

"""The client that is awaited."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import Concatenate, ParamSpec, Self, TypeVar

import anyio
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


def _awaiting(
    verb: Callable[P, Steps[T]],
) -> Callable[Concatenate[AsyncClient, P], Awaitable[T]]:
    @wraps(verb)
    async def method(self: AsyncClient, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.carry_out(verb(*args, **kwargs))

    return method


class AsyncClient:
    """Like :class:`~hypermnesia.client.Client`, its verbs to be awaited.

    Runs on any event loop that anyio knows; an asynchronous context manager.

    Raises:
        InvalidInput: the address or the token is none.
    """

    def __init__(
        self, address: str = ADDRESS, token: str | None = None, *, timeout: float = TIMEOUT
    ) -> None:
        self._http = httpx2.AsyncClient(
            base_url=base_of(address),
            headers=headers_of(token),
            timeout=timeouts(timeout),
            verify=tls_context(),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    add = _awaiting(verbs.add)
    add_many = _awaiting(verbs.add_many)
    ingest = _awaiting(verbs.ingest)
    observe = _awaiting(verbs.observe)
    update = _awaiting(verbs.update)
    restore = _awaiting(verbs.restore)
    forget = _awaiting(verbs.forget)
    search = _awaiting(verbs.search)
    context = _awaiting(verbs.context)
    answer = _awaiting(verbs.answer)
    suggest = _awaiting(verbs.suggest)
    get = _awaiting(verbs.get)
    history = _awaiting(verbs.history)
    events = _awaiting(verbs.events)
    recent = _awaiting(verbs.recent)
    surroundings = _awaiting(verbs.surroundings)
    hyperedges = _awaiting(verbs.hyperedges)
    list = _awaiting(verbs.list_)
    profile = _awaiting(verbs.profile)
    scopes = _awaiting(verbs.scopes)
    export = _awaiting(verbs.export)
    import_ = _awaiting(verbs.import_)
    check = _awaiting(verbs.check)
    scan = _awaiting(verbs.scan)
    reindex = _awaiting(verbs.reindex)
    corpus_consent = _awaiting(verbs.corpus_consent)
    corpus_stats = _awaiting(verbs.corpus_stats)
    corpus_flush = _awaiting(verbs.corpus_flush)
    corpus_export = _awaiting(verbs.corpus_export)
    jobs = _awaiting(begun)
    job = _awaiting(look)
    cancel_job = _awaiting(cancel)

    async def carry_out(self, steps: Steps[T]) -> T:
        """Run the steps of a verb and return what it came to."""
        try:
            step = next(steps)
            while True:
                if isinstance(step, Pause):
                    await anyio.sleep(step.seconds)
                    step = steps.send(Reply(0))
                else:
                    step = steps.send(await self._sent(step))
        except StopIteration as done:
            return done.value

    async def _sent(self, request: Request) -> Reply:
        content = None if request.upload is None else _pieces(request.upload)
        try:
            async with self._http.stream(
                request.method,
                request.path,
                params=request.params,
                json=request.body,
                headers=extra(request),
                content=content,
            ) as response:
                if request.download is not None and response.is_success:
                    await _save(response, request.download)
                    return reply_of(response, "")
                return reply_of(response, (await response.aread()).decode("utf-8", "replace"))
        except httpx2.TransportError as error:
            return unreachable(error)


async def _pieces(path: Path) -> AsyncGenerator[bytes]:
    async with await anyio.open_file(path, "rb") as file:
        while piece := await file.read(65_536):
            yield piece


async def _save(response: httpx2.Response, path: Path) -> None:
    part = part_of(path)
    try:
        async with await anyio.open_file(part, "wb") as file:
            async for piece in response.aiter_bytes():
                await file.write(piece)
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise InvalidInput(f"{path} cannot be written ({error.strerror})") from error
    except BaseException:
        part.unlink(missing_ok=True)
        raise

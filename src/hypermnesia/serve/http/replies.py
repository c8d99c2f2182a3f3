"""Answers: as JSON, with the tag of a version, and given twice if asked twice under one key."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from fastapi import Depends, Header, Request
from starlette.responses import Response

from hypermnesia.serial import plain
from hypermnesia.serve.http.caller import Caller
from hypermnesia.serve.http.problem import Failed
from hypermnesia.serve.http.workers import Pool, Workers
from hypermnesia.store.service import ServiceStore
from hypermnesia.types import Node

KEPT_FOR = timedelta(hours=24)
"""How long an answer is kept for whoever asks again."""
UNDER_WAY = timedelta(minutes=10)
"""How long a key is taken by a request that never came to an end: its process died."""
MAX_KEY = 255


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a request came to.

    Attributes:
        value: anything of :mod:`hypermnesia.types`, or JSON.
    """

    value: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    def response(self) -> Response:
        """As it is sent."""
        return _json(self.body(), self.status, self.headers)

    def body(self) -> bytes:
        """The value as JSON."""
        return json.dumps(
            plain(self.value), ensure_ascii=False, allow_nan=False, separators=(",", ":")
        ).encode()


def _json(body: bytes, status: int, headers: Mapping[str, str]) -> Response:
    return Response(body, status, dict(headers), "application/json")


def version_of(node: Node) -> str:
    """The entity tag of a memory: another for each change, the same however often it is read."""
    seen = {n: v for n, v in plain(node).items() if n not in {"access_count", "accessed_at"}}
    text = json.dumps(seen, sort_keys=True, ensure_ascii=False)
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'


@dataclass(frozen=True, slots=True)
class Once:
    """Carries a request out once, however often its client sends it under the same key.

    Attributes:
        key: of this client, method and path; ``None`` = none was given.
        digest: of everything else in the request.
    """

    service: ServiceStore
    workers: Workers
    key: str | None
    digest: bytes

    async def __call__(self, work: Callable[[], Outcome], *, patient: bool = False) -> Response:
        """Do the work in a thread, or give the answer that it was given before.

        Args:
            work: what the request asks for. Its answer holds no text of a memory, because that
                would outlive the memory; errors are not kept, so that they can be corrected.
            patient: it may take as long as it takes.

        Raises:
            Failed: the key belongs to another request, or to this one and it is under way.
        """
        if self.key is None:
            return (await self.workers.run(work, patient=patient)).response()
        return await self.workers.run(lambda: self._kept(self.key or "", work), patient=patient)

    def _kept(self, key: str, work: Callable[[], Outcome]) -> Response:
        now = datetime.now(UTC)
        found = self.service.reserve_reply(key, self.digest, now, now + UNDER_WAY)
        if found is not None:
            if found.digest != self.digest:
                raise Failed(
                    422, "IdempotencyKeyReused", "this Idempotency-Key came with another request"
                )
            if found.status is None:
                raise Failed(
                    409, "InProgress", "the request is still under way", {"Retry-After": "1"}
                )
            return _json(found.body, found.status, {"Idempotency-Replayed": "true"})
        try:
            outcome = work()
        except BaseException:
            self.service.drop_reply(key)
            raise
        self.service.keep_reply(key, outcome.status, outcome.body(), now + KEPT_FOR)
        return outcome.response()


async def _once(
    request: Request,
    access: Caller,
    workers: Pool,
    idempotency_key: Annotated[
        str | None,
        Header(
            min_length=1,
            max_length=MAX_KEY,
            pattern=r"^[!-~]+$",
            description="Of the client's choice: the same request with the same key is carried out"
            " once, and answered alike for a day.",
        ),
    ] = None,
) -> Once:
    key, digest = None, b""
    if idempotency_key is not None:
        named = (access.principal.name, request.method, request.url.path, idempotency_key)
        key = hashlib.sha256("\n".join(named).encode()).hexdigest()
        query = request.url.query.encode()
        digest = hashlib.sha256(query + b"\n" + await request.body()).digest()
    return Once(access.memory.service, workers, key, digest)


OneTime = Annotated[Once, Depends(_once)]
"""A route's argument of this type carries its work out."""

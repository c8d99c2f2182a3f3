"""What a verb asks of its transport: requests and pauses, one after the other.

A verb is a generator. It yields a :class:`Request` and gets its :class:`Reply`, or yields a
:class:`Pause`, and returns what the caller wanted. It does no input or output of its own, so
that a blocking and an awaiting transport run the same verbs.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, TypeVar
from uuid import uuid4

from hypermnesia.client.failures import failure_of
from hypermnesia.errors import ServiceError

ATTEMPTS = 4
"""Requests sent at most for one call: each may be sent twice without being carried out twice."""
WAIT = 0.25
"""Seconds before the second attempt; each further wait is twice as long."""
LONGEST_WAIT = 10.0
"""Seconds that a service may ask for before a call gives up."""
_BUSY = 503
_ERROR = 400


@dataclass(frozen=True, slots=True)
class Request:
    """A request to be sent.

    Attributes:
        params: of the query, each any number of times.
        body: sent as JSON; ``None`` = there is none.
        upload: a file sent instead, as JSON lines.
        download: a file that the answer goes to; it appears whole or not at all.
    """

    method: str
    path: str
    params: tuple[tuple[str, str], ...] = ()
    body: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    upload: Path | None = None
    download: Path | None = None


@dataclass(frozen=True, slots=True)
class Pause:
    """Seconds to wait."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back.

    Attributes:
        status: of HTTP; 0 = nothing came back, and ``text`` says why.
        headers: names in lower case.
    """

    status: int
    text: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    def json(self) -> Any:
        """The body.

        Raises:
            ServiceError: it is not JSON: something else than the service answered.
        """
        try:
            return json.loads(self.text)
        except ValueError:
            raise ServiceError(
                "what answered is no Hypermnesia service; check the address"
            ) from None


T = TypeVar("T")
Steps: TypeAlias = Generator[Request | Pause, Reply, T]
"""A call under way, which returns ``T``."""


def asked(request: Request) -> Steps[Reply]:
    """Send a request, again while the service is out of reach or busy.

    Raises:
        HypermnesiaError: the service refused, as the facade would have.
    """
    wait = WAIT
    for attempt in range(ATTEMPTS):
        reply = yield request
        if 0 < reply.status < _ERROR:
            return reply
        seconds = _seconds(reply, wait)
        last = attempt == ATTEMPTS - 1
        if last or reply.status not in {0, _BUSY} or seconds > LONGEST_WAIT:
            raise failure_of(reply.status, reply.text, reply.headers)
        yield Pause(seconds)
        wait *= 2
    raise AssertionError


def once() -> dict[str, str]:
    """Headers of a request that is carried out once, however often it is sent."""
    return {"Idempotency-Key": uuid4().hex}


def _seconds(reply: Reply, otherwise: float) -> float:
    try:
        return float(reply.headers.get("retry-after", ""))
    except ValueError:
        return otherwise

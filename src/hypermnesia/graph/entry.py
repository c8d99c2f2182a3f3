"""Where conversations come in: lists, files, streams and single messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, TextIO, TypeAlias, cast

from hypermnesia import validate
from hypermnesia.engine import Engine
from hypermnesia.errors import InvalidInput
from hypermnesia.graph import renewal
from hypermnesia.graph.arrival import SESSION
from hypermnesia.graph.choice import constructor_for
from hypermnesia.graph.distinct import Distinct
from hypermnesia.graph.ingest import Ingested, ingest
from hypermnesia.graph.messages import Message, Rejected, message_of, parsed
from hypermnesia.graph.sources import read

STDIN = "-"
ERASED = 500
"""Memories erased in one transaction, at most."""

Source: TypeAlias = Iterable[Mapping[str, Any] | Message] | str | Path | BinaryIO | TextIO


def take_in(
    engine: Engine,
    source: Source,
    scope: str,
    *,
    session: str | None,
    format: str | None,  # noqa: A002 - as users name it
    select: str | None,
    progress: Callable[[int], None] | None,
) -> Ingested:
    """Ingest what a caller handed over; see :meth:`hypermnesia.Memory.ingest`."""
    messages, name = _opened(source, format, select)
    named = None if session is None else validate.label(session, "session")
    return ingest(
        engine,
        constructor_for(engine),
        messages,
        scope,
        session=named or name or SESSION,
        progress=progress,
    )


def observe(engine: Engine, message: Mapping[str, Any] | Message, scope: str) -> Ingested:
    """Append one message to a live session; see :meth:`hypermnesia.Memory.observe`."""
    said = message_of(message, 0)
    if said.at is None:  # it is being said now, so saying it again is another turn
        said = replace(said, at=datetime.now(UTC))
    return ingest(engine, constructor_for(engine), [said], scope, live=True)


def forget(engine: Engine, ids: Sequence[str]) -> None:
    """Erase memories, and let their heads say nothing of them any more; see ``Memory.forget``.

    What was forgotten already is passed over. With them go all the answers kept of a language
    model, because they do not tell which memories they speak of.

    Raises:
        StoreError: something could not be erased.
        ModelError: the encoder failed; what was erased so far is gone.
    """
    by_scope: dict[str, list[str]] = {}
    for node in engine.store.get(ids):
        if node.status != "deleted":
            by_scope.setdefault(node.scope, []).append(node.id)
    for scope, gone in by_scope.items():
        for start in range(0, len(gone), ERASED):
            part = gone[start : start + ERASED]
            renewal.forget(engine, constructor_for(engine), scope, part)
    if by_scope and engine.answers is not None:
        engine.answers.clear()


def _opened(
    source: Source,
    format: str | None,  # noqa: A002 - as users name it
    select: str | None,
) -> tuple[Iterator[Message | Rejected], str | None]:
    """The messages of a list, file or stream, and the name of the file, if it is one.

    Raises:
        InvalidInput: it is none of these.
    """
    if isinstance(source, str | Path):
        name = None if str(source) == STDIN else Path(source).stem
        return read(source, format, select=select), name
    if isinstance(source, Mapping) or not hasattr(source, "__iter__"):
        raise InvalidInput(
            "ingest takes a list of messages, a file or a stream; observe takes one message"
        )
    if hasattr(source, "read"):
        return read(cast("BinaryIO | TextIO", source), format, select=select), None
    if format is not None or select is not None:
        raise InvalidInput("format and select go with a file or stream, not with a list")
    return _listed(cast("Iterable[object]", source)), None


def _listed(items: Iterable[object]) -> Iterator[Message | Rejected]:
    """Messages of a list; one that cannot be used is rejected in its place."""
    distinct = Distinct()
    for index, item in enumerate(items):
        try:
            message = distinct.admit(parsed(item))
        except InvalidInput as error:
            yield Rejected(index, f"message {index + 1}", str(error))
        else:
            if message is not None:
                yield message

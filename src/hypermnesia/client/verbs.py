"""Every verb of the facade as steps; both clients run these.

The explanation of each verb is that of :class:`hypermnesia.Memory`. It is as long as the facade
is, because it states every verb with its arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from hypermnesia.answer.result import Answer
from hypermnesia.client.jobs import finished
from hypermnesia.client.steps import Request, Steps, asked, once
from hypermnesia.client.values import body, made, pairs, params, read
from hypermnesia.corpus.consent import Consent, CorpusStats
from hypermnesia.corpus.export import Exported
from hypermnesia.corpus.files import format_of
from hypermnesia.corpus.flush import Flushed
from hypermnesia.errors import InvalidInput, NotFound
from hypermnesia.graph.ingest import Ingested
from hypermnesia.memory import FORGET_SIMILARITY
from hypermnesia.read.context import Citation, Context
from hypermnesia.read.surroundings import Hyperedge, Surroundings
from hypermnesia.serial import plain
from hypermnesia.store.protocol import Event
from hypermnesia.transfer import Imported
from hypermnesia.types import (
    Added,
    Failure,
    Forgotten,
    Health,
    Hit,
    Node,
    Page,
    Profile,
    Suggestion,
)
from hypermnesia.write.cleanse import Scanned

if TYPE_CHECKING:
    from hypermnesia.graph.entry import Source
    from hypermnesia.graph.messages import Message
    from hypermnesia.read.filters import Moment, Names
    from hypermnesia.write.batch import Item

API = "/api/v1"
BATCH = 200
"""Texts sent with one request of ``add_many``."""


def add(
    content: str,
    *,
    scope: str | None = None,
    at: Moment = None,
    tags: Iterable[str] | None = None,
    metadata: Mapping[str, Any] | None = None,
    memory_type: str | None = None,
    pin: bool = False,
    provenance: Mapping[str, str | None] | None = None,
) -> Steps[Added]:
    """Remember a text."""
    fields = body(
        content=content,
        scope=scope,
        at=at,
        tags=_listed(tags),
        metadata=metadata,
        memory_type=memory_type,
        pin=pin,
        provenance=provenance,
    )
    return read(Added, (yield from _posted("/memories", fields)))


def add_many(
    items: Iterable[Item],
    *,
    scope: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> Steps[list[Added | Failure]]:
    """Remember many texts; a bad one fails alone and is reported in its place."""
    given = [plain(dict(item)) if isinstance(item, Mapping) else item for item in items]
    outcomes: list[Added | Failure] = []
    for start in range(0, len(given), BATCH):
        batch = given[start : start + BATCH]
        reply = yield from _posted("/memories/batch", body(items=batch, scope=scope))
        found = made(list[Added | Failure], reply.json()["items"])
        outcomes += [
            replace(one, index=one.index + start) if isinstance(one, Failure) else one
            for one in found
        ]
        if progress is not None:
            progress(len(batch))
    return outcomes


def ingest(
    messages: Source,
    *,
    scope: str | None = None,
    session: str | None = None,
    format: str | None = None,  # noqa: A002 - what the facade calls it
    select: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> Steps[Ingested]:
    """Remember a conversation; returns when the service is done with it."""
    fields = _conversation(messages) | body(
        scope=scope, session=session, format=format, select=select
    )
    reply = yield from _posted("/ingest", fields)
    return made(Ingested, (yield from finished(reply, _added(progress))))


def observe(message: Mapping[str, Any] | Message, *, scope: str | None = None) -> Steps[Ingested]:
    """Append one message to a live session."""
    fields = body(message=plain(message), scope=scope)
    return read(Ingested, (yield from _posted("/observe", fields)))


def update(
    memory_id: str,
    *,
    scope: str | None = None,
    content: str | None = None,
    at: Moment = None,
    tags: Iterable[str] | None = None,
    metadata: Mapping[str, Any] | None = None,
    memory_type: str | None = None,
    salience: float | None = None,
    durable: float | None = None,
    pin: bool | None = None,
    unchanged_since: datetime | None = None,
) -> Steps[Added]:
    """Correct a memory in place; ``None`` leaves a field as it is."""
    version = "*"
    if scope is not None or unchanged_since is not None:
        known = yield from asked(_got(f"/memories/{memory_id}"))
        node = _within(read(Node, known), scope)
        if unchanged_since is not None:
            # Of another version than the caller's, the tag is one that no longer fits.
            same = node.updated_at == unchanged_since
            version = known.headers["etag"] if same else '"outdated"'
    fields = body(
        content=content,
        at=at,
        tags=_listed(tags),
        metadata=metadata,
        memory_type=memory_type,
        salience=salience,
        durable=durable,
        pin=pin,
    )
    headers = {"If-Match": version, **once()}
    path = f"{API}/memories/{memory_id}"
    return read(Added, (yield from asked(Request("PATCH", path, body=fields, headers=headers))))


def restore(memory_id: str, *, scope: str | None = None) -> Steps[Node]:
    """Undo a supersession, or lift a memory over the gate."""
    if scope is not None:
        yield from get(memory_id, scope=scope)
    return read(Node, (yield from _posted(f"/memories/{memory_id}/restore", {})))


def forget(
    *,
    ids: Sequence[str] | None = None,
    query: str | None = None,
    scope: str | None = None,
    dry_run: bool = False,
    min_similarity: float = FORGET_SIMILARITY,
    erase: bool = False,
) -> Steps[Forgotten]:
    """Erase memories for good, with every index of them."""
    like = {} if query is None else {"min_similarity": min_similarity}
    fields = body(ids=ids, query=query, scope=scope, dry_run=dry_run, erase=erase, **like)
    return read(Forgotten, (yield from _posted("/forget", fields)))


def search(
    query: str,
    *,
    scope: str | None = None,
    k: int = 10,
    levels: Names = None,
    types: Names = None,
    tags: Names = None,
    metadata: Mapping[str, Any] | None = None,
    status: Names = None,
    since: Moment = None,
    until: Moment = None,
    as_of: Moment = None,
    min_score: float = 0.0,
) -> Steps[list[Hit]]:
    """The memories that answer best, each with its reasons."""
    filters = _filters(levels, types, tags, metadata, status, since, until, as_of)
    fields = body(query=query, scope=scope, k=k, min_score=min_score, **filters)
    reply = yield from _posted("/search", fields)
    return made(list[Hit], reply.json()["items"])


def context(query: str, *, max_tokens: int = 2000, k: int = 50, **filters: Any) -> Steps[Context]:
    """Hits packed into a prompt-ready text with dates and citations."""
    fields = body(query=query, max_tokens=max_tokens, k=k, **_named(filters))
    found = (yield from _posted("/context", fields)).json()
    cited = made(tuple[Citation, ...], found["citations"])
    return Context(found["text"], cited, found["tokens"])


def answer(question: str, *, max_tokens: int = 4000, k: int = 50, **filters: Any) -> Steps[Answer]:
    """Answer a question from what is remembered, or say that it is not known."""
    fields = body(question=question, max_tokens=max_tokens, k=k, **_named(filters))
    return read(Answer, (yield from _posted("/answer", fields)))


def suggest(content: str, *, scope: str | None = None, k: int = 5) -> Steps[Suggestion]:
    """What is known already about a text that one thinks of adding."""
    fields = body(content=content, scope=scope, k=k)
    return read(Suggestion, (yield from _posted("/suggest", fields)))


def get(memory_id: str, *, scope: str | None = None, reveal: bool = False) -> Steps[Node]:
    """One memory by its id, whatever its status."""
    wanted = params(reveal=True if reveal else None)
    reply = yield from asked(_got(f"/memories/{memory_id}", wanted))
    return _within(read(Node, reply), scope)


def history(memory_id: str, *, scope: str | None = None) -> Steps[tuple[Node, ...]]:
    """Every version linked to a memory by supersession, oldest first."""
    if scope is not None:
        yield from get(memory_id, scope=scope)
    reply = yield from asked(_got(f"/memories/{memory_id}/history"))
    return made(tuple[Node, ...], reply.json()["items"])


def events(memory_id: str, *, scope: str | None = None) -> Steps[tuple[Event, ...]]:
    """What happened to a memory, oldest first."""
    if scope is not None:
        yield from get(memory_id, scope=scope)
    reply = yield from asked(_got(f"/memories/{memory_id}/events"))
    return made(tuple[Event, ...], reply.json()["items"])


def recent(
    *, scope: str | None = None, limit: int = 50, after: int = 0
) -> Steps[tuple[tuple[int, Event], ...]]:
    """What happened last in a scope, newest first."""
    reply = yield from asked(_got("/events", params(scope=scope, limit=limit, after=after)))
    return tuple((one["number"], made(Event, one["event"])) for one in reply.json()["items"])


def surroundings(
    memory_id: str, *, scope: str | None = None, limit: int = 100
) -> Steps[Surroundings]:
    """What a memory is joined to."""
    if scope is not None:
        yield from get(memory_id, scope=scope)
    path = f"/memories/{memory_id}/surroundings"
    return read(Surroundings, (yield from asked(_got(path, params(limit=limit)))))


def hyperedges(
    heads: Sequence[str], *, scope: str | None = None, limit: int = 100
) -> Steps[tuple[Hyperedge, ...]]:
    """Heads with their first members, by falling weight."""
    wanted = params(heads=heads, scope=scope, limit=limit)
    reply = yield from asked(_got("/hyperedges", wanted))
    return made(tuple[Hyperedge, ...], reply.json()["items"])


def list_(
    *,
    scope: str | None = None,
    limit: int = 50,
    cursor: str | None = None,
    newest: bool = True,
    levels: Names = None,
    types: Names = None,
    tags: Names = None,
    metadata: Mapping[str, Any] | None = None,
    status: Names = None,
    since: Moment = None,
    until: Moment = None,
    as_of: Moment = None,
) -> Steps[Page]:
    """Memories by event time, a page at a time."""
    filters = _filters(levels, types, tags, None, status, since, until, as_of)
    filters["metadata"] = pairs(metadata)
    wanted = params(scope=scope, limit=limit, cursor=cursor, newest=newest, **filters)
    return read(Page, (yield from asked(_got("/memories", wanted))))


def profile(scope: str | None = None) -> Steps[Profile]:
    """A scope at a glance."""
    return read(Profile, (yield from asked(_got("/profile", params(scope=scope)))))


def scopes() -> Steps[Sequence[str]]:
    """Names of the scopes within reach that hold a memory."""
    reply = yield from asked(_got("/scopes"))
    return made(list[str], reply.json()["items"])


def export(path: str | Path, *, scope: str | None = None) -> Steps[int]:
    """Write everything (of a scope) as JSON lines to a file here; returns how many memories."""
    request = replace(_got("/export", params(scope=scope)), download=Path(path))
    reply = yield from asked(request)
    return int(reply.headers.get("hypermnesia-memories", 0))


def import_(path: str | Path, *, progress: Callable[[int], None] | None = None) -> Steps[Imported]:
    """Store what an export holds; returns when the service is done with it."""
    request = Request("POST", f"{API}/import", headers=once(), upload=_file(path))
    reply = yield from asked(request)
    return made(Imported, (yield from finished(reply, _added(progress))))


def check() -> Steps[Health]:
    """Compare rows and indexes with each other, and prove that a write works."""
    return read(Health, (yield from asked(Request("POST", f"{API}/check"))))


def scan(
    *,
    scope: str | None = None,
    fix: bool = False,
    personal: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Steps[Scanned]:
    """Look through what is stored for secrets; progress is told when it is done."""
    fields = body(scope=scope, fix=fix, personal=personal)
    found = read(Scanned, (yield from _posted("/scan", fields)))
    if progress is not None:
        progress(found.memories)
    return found


def reindex(progress: Callable[[int, int], None] | None = None) -> Steps[int]:
    """Rebuild what is derived from the rows; returns when the service is done with it."""
    reply = yield from _posted("/reindex", {})
    found = yield from finished(reply, progress)
    return int(found["embedded"])


def corpus_consent(given: bool | None = None, *, scope: str | None = None) -> Steps[Consent]:
    """Let a scope's judgements be queued and leave, or no longer."""
    reply = yield from _posted("/corpus/consent", body(given=given, scope=scope))
    return read(Consent, reply)


def corpus_stats(*, scope: str | None = None) -> Steps[CorpusStats]:
    """What is queued, and what became of the rest."""
    return read(CorpusStats, (yield from asked(_got("/corpus", params(scope=scope)))))


def corpus_flush(
    *, scope: str | None = None, progress: Callable[[int], None] | None = None
) -> Steps[Flushed]:
    """Hand over what is queued; files are named as they are called where the service runs."""
    done = read(Flushed, (yield from _posted("/corpus/flush", body(scope=scope))))
    if progress is not None:
        progress(done.rows)
    return done


def corpus_export(
    path: str | Path,
    *,
    scope: str | None = None,
    format: str | None = None,  # noqa: A002 - as the facade calls it
) -> Steps[Exported]:
    """Write what is queued, or left and is kept, to a file here, as JSON lines.

    Raises:
        InvalidInput: another format is asked for.
    """
    if (format or format_of(Path(path))) != "jsonl":
        raise InvalidInput("a service exports JSON lines; name a file that ends in .jsonl")
    request = replace(_got("/corpus/export", params(scope=scope)), download=Path(path))
    told = (yield from asked(request)).headers
    numbers = (told.get(f"hypermnesia-{name}", "0") for name in ("rows", "withheld"))
    return Exported(*map(int, numbers))


# --- inside ------------------------------------------------------------------------


def _posted(path: str, fields: Mapping[str, Any]) -> Steps[Any]:
    return asked(Request("POST", f"{API}{path}", body=fields, headers=once()))


def _got(path: str, wanted: tuple[tuple[str, str], ...] = ()) -> Request:
    return Request("GET", f"{API}{path}", params=wanted)


def _filters(
    levels: Names,
    types: Names,
    tags: Names,
    metadata: Mapping[str, Any] | None,
    status: Names,
    since: Moment,
    until: Moment,
    as_of: Moment,
) -> dict[str, Any]:
    return _named({
        "levels": levels, "types": types, "tags": tags, "metadata": metadata, "status": status,
        "since": since, "until": until, "as_of": as_of,
    })  # fmt: skip


def _named(filters: Mapping[str, Any]) -> dict[str, Any]:
    """Filters as JSON; a single name may stand alone."""
    several = {"levels", "types", "tags", "status"}
    return {n: _listed(v) if n in several else v for n, v in filters.items()}


def _listed(values: Iterable[str] | str | None) -> list[str] | None:
    if values is None:
        return None
    return [values] if isinstance(values, str) else list(values)


def _within(node: Node, scope: str | None) -> Node:
    if scope is not None and node.scope != scope:
        raise NotFound(f"no memory has the id {node.id!r} in scope {scope!r}")
    return node


def _conversation(source: Source) -> dict[str, Any]:
    """Messages, or the text of a file that is here and not where the service runs."""
    if isinstance(source, str | Path):
        path = _file(source)
        return {"document": _decoded(path.read_bytes()), "session": path.stem}
    if hasattr(source, "read"):
        return {"document": _decoded(cast("IO[Any]", source).read())}
    return {"messages": [plain(one) for one in cast("Iterable[Any]", source)]}


def _decoded(text: str | bytes) -> str:
    try:
        return text if isinstance(text, str) else text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"the conversation is not UTF-8 (byte {error.start})") from None


def _file(path: str | Path) -> Path:
    found = Path(path)
    if not found.is_file():
        raise InvalidInput(f"{found} cannot be read: there is no such file")
    return found


def _added(progress: Callable[[int], None] | None) -> Callable[[int, int], None] | None:
    """Progress by what came since the last call, from progress by what there is."""
    if progress is None:
        return None
    seen = 0

    def step(done: int, _total: int) -> None:
        nonlocal seen
        if done > seen:
            progress(done - seen)
            seen = done

    return step

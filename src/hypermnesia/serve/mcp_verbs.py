"""What each MCP tool does: one function a tool, from checked arguments to a bounded answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from hypermnesia import __version__, validate
from hypermnesia.errors import InvalidInput
from hypermnesia.memory import Memory
from hypermnesia.serial import plain
from hypermnesia.serve.mcp_answers import (
    MAX_RESULT,
    PAGE,
    Answer,
    brief,
    brief_hit,
    clip,
    clip_encoded,
    encoded,
    fitted,
    lines,
    moment,
    rounded,
)
from hypermnesia.serve.mcp_call import Call
from hypermnesia.serve.mcp_corpus import corpus_stats, corpus_sync
from hypermnesia.serve.mcp_tools import FILTERS, HELP
from hypermnesia.types import Added, Hit, Node

CONTEXT_TOKENS = 1000
"""Budget of ``memory_context`` when none is given; more than a result can hold is cut anyway."""
CONTEXT_STEPS = (1200, 900, 600, 300, 150)
"""Budgets tried in turn: a result has room for two copies of some 1,200 tokens of prose."""
SEARCH_HITS = 10
LISTED = 20
PREVIEWED = 20
"""Memories that ``memory_forget`` shows before it erases them."""
MAX_METADATA_SHOWN = 1000
"""Characters of a memory's metadata, as JSON, that ``memory_get`` shows."""
IDS_SHOWN = 100
"""Ids that a result of ``memory_forget`` or ``memory_add`` names; the rest is counted."""


Verb: TypeAlias = Callable[[Memory, Call], Answer]


def add(memory: Memory, call: Call) -> Answer:
    """Remember a text."""
    given = call.some("content", "at", "tags", "metadata", "memory_type", "pin")
    provenance = {"source": "mcp", "client": clip(call.client, 100) if call.client else None}
    return _written(memory.add(**given, scope=call.scope(memory), provenance=provenance))


def search(memory: Memory, call: Call) -> Answer:
    """The best hits from ``offset`` on, as many as a result holds."""
    given = call.some("query", *FILTERS)
    offset = validate.bounded(call.arguments.get("offset", 0), 0, validate.MAX_K, "offset")
    explain = call.arguments.get("explain", False)
    k = call.arguments.get("k", SEARCH_HITS)
    hits = memory.search(**given, k=k, scope=call.scope(memory))[offset:]

    def compose(count: int, length: int) -> Answer:
        items = [brief_hit(hit, length, explain=explain) for hit in hits[:count]]
        left = len(hits) - count
        more = {"omitted": left, "next_offset": offset + count} if left else {}
        note = f"\n{left} more: same query, offset {offset + count}." if left else ""
        return Answer(
            (lines(items, offset + 1) or "Nothing found.") + note, {"memories": items, **more}
        )

    return fitted(len(hits), compose)


def context(memory: Memory, call: Call) -> Answer:
    """What is known as one block; the budget shrinks until the result holds it."""
    given = call.some("query", *FILTERS)
    asked = call.arguments.get("max_tokens", CONTEXT_TOKENS)
    budget = validate.bounded(asked, 50, 100_000, "max_tokens")

    def compose(tokens: int) -> Answer:
        block = memory.context(**given, scope=call.scope(memory), max_tokens=tokens)
        cited = [{"number": c.number, "id": c.id} for c in block.citations]
        data = {"context": str(block), "tokens": block.tokens, "citations": cited}
        return Answer(str(block) or "Nothing relevant is remembered.", data)

    *larger, smallest = sorted({min(budget, most) for most in CONTEXT_STEPS}, reverse=True)
    for tokens in larger:
        answer = compose(tokens)
        if answer.size() <= MAX_RESULT:
            return answer
    return compose(smallest)


def suggest(memory: Memory, call: Call) -> Answer:
    """What is known of a text, sorted into repeats and related memories."""
    found = memory.suggest(call.arguments["content"], scope=call.scope(memory))
    hits = (*found.repeats, *found.related)

    def compose(count: int, length: int) -> Answer:
        repeats = _hits(found.repeats[:count], length)
        related = _hits(found.related[: max(count - len(found.repeats), 0)], length)
        data = {"known": found.known, "repeats": repeats, "related": related}
        parts = (("Says the same:\n", repeats), ("About the same:\n", related))
        text = "\n".join(title + lines(items) for title, items in parts if items)
        return Answer(text or "Nothing is known of this yet; add it if it will matter.", data)

    return fitted(len(hits), compose)


def list_(memory: Memory, call: Call) -> Answer:
    """A page of memories by event time, as long as a result holds."""
    given = call.some("cursor", *FILTERS)
    limit = validate.count(call.arguments.get("limit", LISTED), validate.MAX_K, "limit")
    page = memory.list(**given, scope=call.scope(memory), limit=limit)

    def compose(count: int, length: int) -> Answer:
        items = [brief(node, length) for node in page.items[:count]]
        # The cursor is longer than this by little: it is put in when the page is settled.
        return Answer(lines(items) or "Nothing here.", {"memories": items})

    answer = fitted(len(page.items), compose, MAX_RESULT - 600)
    shown = len(answer.data["memories"])
    cut = 0 < shown < len(page.items)
    cursor = (memory.list(**given, scope=call.scope(memory), limit=shown) if cut else page).cursor
    if cursor is None:
        return answer
    return Answer(f"{answer.text}\nMore: cursor {cursor}", {**answer.data, "cursor": cursor})


def get(memory: Memory, call: Call) -> Answer:
    """One memory, its content a page at a time."""
    wanted = call.arguments["id"]
    node = memory.get(wanted, scope=call.scope_of(memory, wanted))
    offset = call.arguments.get("offset", 0)
    validate.bounded(offset, 0, max(len(node.content) - 1, 0), "offset")
    page = clip_encoded(node.content[offset:], PAGE)
    end = offset + len(page)
    whole = not offset and end == len(node.content)
    place = {} if whole else {"offset": offset, "length": len(node.content)}
    follows = {"next_offset": end} if end < len(node.content) else {}
    data = {**brief(node, 0), **_details(node), "content": page, **place, **follows}
    if whole:
        del data["length"]
    head = lines([{**brief(node, 0), "content": ""}]).removeprefix("1. ").split(":", 1)[0]
    tail = f"\n[characters {offset:,}-{end:,} of {len(node.content):,}" if not whole else ""
    tail += f"; next offset {end}]" if follows else "]" if tail else ""
    return Answer(f"{head}:\n{page}{tail}", data)


def history(memory: Memory, call: Call) -> Answer:
    """Every version, oldest first; of a very long chain the newest."""
    wanted = call.arguments["id"]
    versions = memory.history(wanted, scope=call.scope_of(memory, wanted))

    def compose(count: int, length: int) -> Answer:
        items = [brief(node, length) for node in versions[len(versions) - count :]]
        left = len(versions) - count
        note = f"{left} older versions are left out.\n" if left else ""
        return Answer(
            note + lines(items), {"memories": items, **({"omitted": left} if left else {})}
        )

    return fitted(len(versions), compose)


def profile(memory: Memory, call: Call) -> Answer:
    """A scope at a glance."""
    found = memory.profile(call.scope(memory))
    nodes = [node for group in found.highlights.values() for node in group]
    span = {name: moment(at) for name, at in (("first", found.first), ("last", found.last)) if at}
    data = {
        "scope": found.scope,
        "counts": dict(found.counts),
        "types": dict(found.types),
        "levels": dict(found.levels),
        **span,
    }
    counts = ", ".join(f"{n} {status}" for status, n in found.counts.items() if n) or "empty"
    head = f"Scope {found.scope}: {counts}." + (
        f" From {span['first'][:10]} to {span['last'][:10]}." if len(span) > 1 else ""
    )

    def compose(count: int, length: int) -> Answer:
        items = [brief(node, length) for node in nodes[:count]]
        text = f"{head}\n{lines(items)}".rstrip()
        return Answer(text, {**data, "highlights": items})

    return fitted(len(nodes), compose)


def update(memory: Memory, call: Call) -> Answer:
    """Correct a memory in place."""
    given = call.some("content", "at", "tags", "pin")
    if not given:
        raise InvalidInput("nothing to change; give content, tags, or another field")
    wanted = call.arguments["id"]
    return _written(memory.update(wanted, scope=call.scope_of(memory, wanted), **given))


def restore(memory: Memory, call: Call) -> Answer:
    """Make a memory active again."""
    wanted = call.arguments["id"]
    node = memory.restore(wanted, scope=call.scope_of(memory, wanted))
    return Answer(f"{node.id} is {node.status} again.", {"id": node.id, "status": node.status})


def forget(memory: Memory, call: Call) -> Answer:
    """Erase memories, or show what would be.

    Ids say exactly what is meant and go at once; what a query or a scope takes in, the caller
    cannot know, so unless ``dry_run`` is false it is only shown.
    """
    given = call.some("ids", "query")
    scope = _reach(memory, call)
    dry_run = call.arguments.get("dry_run", "ids" not in given)
    result = memory.forget(**given, scope=scope, dry_run=dry_run)
    shown = result.ids[:PREVIEWED] if dry_run else ()
    nodes = [memory.get(memory_id, scope=scope) for memory_id in shown]
    total = len(result.ids)
    data = {"ids": list(result.ids[:IDS_SHOWN]), "dry_run": dry_run, "count": total}
    if not dry_run:
        return Answer(f"Erased {total} memories for good.", data)

    def compose(count: int, length: int) -> Answer:
        items = [brief(node, length) for node in nodes[:count]]
        rest = f"\nand {total - count} more." if total > count else ""
        head = f"{total} memories would be erased; nothing was. With dry_run false they are gone."
        return Answer(f"{head}\n{lines(items)}{rest}".rstrip(), {**data, "memories": items})

    return fitted(len(nodes), compose)


def bulk(memory: Memory, call: Call) -> tuple[str, ...]:
    """What a ``memory_forget`` would erase without its caller having named it."""
    given = call.some("query")
    if "ids" in call.arguments or call.arguments.get("dry_run", True):
        return ()
    return memory.forget(**given, scope=_reach(memory, call), dry_run=True).ids


def _reach(memory: Memory, call: Call) -> str | None:
    """The scope to forget in; ``None`` = wherever the ids lie, all of them within reach."""
    if call.only is None and set(call.some("ids", "query", "scope")) == {"ids"}:
        for one in call.arguments["ids"]:
            call.scope_of(memory, one)
        return None
    # Without ids or query, a scope must be named: nobody empties one by leaving it out.
    named = call.some("ids", "query", "scope")
    return call.scope(memory) if named else None


def help_(memory: Memory, call: Call) -> Answer:
    """How to use the memory."""
    del memory
    kept = f" This server keeps to the scope {call.only!r}." if call.only else ""
    return Answer(f"{HELP}{kept}", {"help": f"{HELP}{kept}", "version": __version__})


VERBS: Mapping[str, Verb] = {
    "memory_add": add,
    "memory_search": search,
    "memory_context": context,
    "memory_suggest": suggest,
    "memory_list": list_,
    "memory_get": get,
    "memory_history": history,
    "memory_profile": profile,
    "memory_update": update,
    "memory_restore": restore,
    "memory_forget": forget,
    "memory_help": help_,
    "memory_corpus_stats": corpus_stats,
    "memory_corpus_sync": corpus_sync,
    "jev_queue_stats": corpus_stats,
    "sync_jev_dataset": corpus_sync,
}


def _written(added: Added) -> Answer:
    data = rounded(plain(added))
    replaced = added.superseded[:IDS_SHOWN]
    data["superseded"] = list(replaced)
    known = " (known already)" if added.duplicate else ""
    text = f"{added.id}{known}: {added.memory_type}, {added.status}; {added.reason}."
    if replaced:
        text += f" It retires {', '.join(replaced)}."
    if added.redacted:
        text += f" Masked before it was stored: {', '.join(added.redacted)}."
    return Answer(text, data)


def _hits(hits: Sequence[Hit], length: int) -> list[dict[str, Any]]:
    return [brief_hit(hit, length) for hit in hits]


def _details(node: Node) -> dict[str, Any]:
    """What only ``memory_get`` shows."""
    fits = encoded(plain(node.metadata)) <= MAX_METADATA_SHOWN
    metadata = {"metadata": plain(node.metadata)} if fits else {"metadata_omitted": True}
    return {
        "scope": node.scope,
        "level": node.level,
        "status": node.status,
        "salience": rounded(node.salience),
        "durable": rounded(node.durable),
        "pinned": node.pinned,
        "judge": node.judge,
        "created_at": moment(node.created_at),
        "updated_at": moment(node.updated_at),
        **(metadata if node.metadata else {}),
    }

"""What must hold of a store after whatever befell it; one function each.

Each looks at the store in a way of its own, mostly past the code that wrote it, and returns what
is wrong in words. That each can object is shown in ``tests/torture/test_invariants.py``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, TypeAlias

from hypermnesia.memory import Memory
from hypermnesia.store.lexicon import query_terms
from hypermnesia.store.protocol import Filter
from hypermnesia.types import Node, Status
from torture.image import CONTENT, LEVEL, STATUS, SUCCESSOR, Image, image_of, memories
from torture.opening import SCOPE, Reading, engine_of, store_of

LIVING: tuple[Status, ...] = ("active", "low_signal", "superseded")
PROBED = 16
"""Memories that each look at the indexes asks for; the newest, where damage would be."""


@dataclass(frozen=True, slots=True)
class Look:
    """A store under examination: through its memory, and past it."""

    memory: Memory
    reading: Reading


Invariant: TypeAlias = Callable[[Look], list[str]]


def check_is_clean(look: Look) -> list[str]:
    """The product's own check finds nothing, and its probe could write."""
    return [f"check: {p.kind}: {p.detail}" for p in look.memory.check().problems]


def both_indexes_agree_with_the_rows(look: Look) -> list[str]:
    """Each index holds every living memory and no other; each memory is found by its own text."""
    return [*_counted(look), *_found(look)]


def _counted(look: Look) -> Iterator[str]:
    store, rows = store_of(look.memory), memories(image_of(look.reading))
    living = {memory_id for memory_id, row in rows.items() if row[STATUS] != "deleted"}
    where = Filter(SCOPE, statuses=LIVING)
    (near,) = store.nearest(
        where, engine_of(look.memory).embedder.encode_queries(["x"])[0].dense, 10**6
    )
    dense = {node.id for node in store.nodes(where, near.keys).values()}
    if dense != living or len(near.keys) != len(living):
        yield f"dense index: {len(near.keys)} memories, {len(living)} rows live"
    # Other connections have other caches: what is counted here is what the tables hold.
    tables = ("vectors", "document" if _has_documents(look) else "lexical_docsize")
    for table in tables:
        ((number,),) = look.reading.fetch(f"SELECT count(*) FROM {table}")
        if number != len(living):
            yield f"{table}: {number} rows for {len(living)} living memories"


def _has_documents(look: Look) -> bool:
    return type(store_of(look.memory)).__name__ == "PostgresStore"


def _found(look: Look) -> Iterator[str]:
    store, embedder = store_of(look.memory), engine_of(look.memory).embedder
    ids = dict(look.reading.fetch("SELECT key, id FROM memory"))
    newest = sorted(store.iterate(Filter(SCOPE, statuses=LIVING)), key=_updated, reverse=True)
    for node in islice(newest, PROBED):
        where = Filter(SCOPE, levels=(node.level,), statuses=LIVING)
        (near,) = store.nearest(where, embedder.encode_queries([node.content])[0].dense, 200)
        words = store.lexical(where, query_terms(node.content), 1000)
        for index, keys in (("dense", near.keys), ("lexical", words.keys)):
            if node.id not in {ids[key] for key in keys}:
                yield f"{index} index does not find {node.id} by its own text"


def _updated(node: Node) -> datetime:
    return node.updated_at


def one_active_head_per_chain(look: Look) -> list[str]:
    """Chains of supersession have no cycle, end somewhere, and at most one of each is active."""
    rows = memories(image_of(look.reading))
    wrong: list[str] = []
    active = Counter[str]()
    for memory_id, row in rows.items():
        if row[STATUS] in {"active", "low_signal"} and row[SUCCESSOR] is not None:
            wrong.append(f"{memory_id} is {row[STATUS]} and has a successor")
        root = _root(memory_id, rows)
        if root is None:
            wrong.append(f"{memory_id} stands in a cycle of supersession")
        elif row[STATUS] == "active":
            active[root] += 1
    texts = Counter(
        row[CONTENT]
        for row in rows.values()
        if row[STATUS] in {"active", "low_signal"} and row[LEVEL] == "fact"
    )
    wrong += [f"chain of {root} has {n} active memories" for root, n in active.items() if n > 1]
    return wrong + [f"one text lives {n} times: {text[:40]}" for text, n in texts.items() if n > 1]


def _root(memory_id: str, rows: Image) -> str | None:
    """Where a chain ends, ``None`` = nowhere."""
    seen = set[str]()
    while (row := rows.get(memory_id)) is not None and row[SUCCESSOR] is not None:
        if memory_id in seen:
            return None
        seen.add(memory_id)
        memory_id = row[SUCCESSOR]
    return memory_id


def no_orphans(look: Look) -> list[str]:
    """Ends of hyperedges and citations live; no episode or topic is empty; every turn has a place.

    What a link should point to is asked for by key, since a join would hide what is missing.
    """
    wrong: list[str] = []
    for table, ends in (("member", ("head", "node")), ("source", ("fact", "turn"))):
        for end in ends:
            ((number,),) = look.reading.fetch(
                f"SELECT count(*) FROM {table} x WHERE x.{end} NOT IN"
                " (SELECT key FROM memory WHERE status <> 'deleted')"
            )
            if number:
                wrong.append(f"{number} rows of {table} whose {end} is gone")
    for kind, query in (
        ("heads without members", "level IN ('episode', 'topic') AND key NOT IN"
         " (SELECT head FROM member)"),
        ("turns without a place", "level = 'turn' AND key NOT IN (SELECT memory FROM turn)"),
    ):  # fmt: skip
        ((number,),) = look.reading.fetch(
            f"SELECT count(*) FROM memory WHERE status <> 'deleted' AND {query}"
        )
        if number:
            wrong.append(f"{number} {kind}")
    return wrong


def outbox_is_consistent(look: Look) -> list[str]:
    """Queued rows have living memories and a consent; batches have rows; totals are whole."""
    counted = {
        "rows of memories that are gone": "SELECT count(*) FROM outbox_memory WHERE memory NOT IN"
        " (SELECT key FROM memory WHERE status <> 'deleted')",
        "rows without a memory": "SELECT count(*) FROM outbox WHERE key NOT IN"
        " (SELECT row FROM outbox_memory)",
        "rows without consent": "SELECT count(*) FROM outbox WHERE scope NOT IN"
        " (SELECT scope FROM consent)",
        "rows of no batch that is known": "SELECT count(*) FROM outbox WHERE batch IS NOT NULL"
        " AND batch NOT IN (SELECT key FROM outbox_batch)",
        "rows that left and are in a batch": "SELECT count(*) FROM outbox WHERE batch IS NOT NULL"
        " AND state <> 'pending'",
        "negative totals": "SELECT count(*) FROM outbox_total WHERE rows < 0",
        "more uploaded rows than were counted": "SELECT count(*) FROM (SELECT o.scope, o.use_case,"
        " count(*) AS n FROM outbox o WHERE o.state = 'uploaded' GROUP BY o.scope, o.use_case) u"
        " WHERE u.n > coalesce((SELECT sum(t.rows) FROM outbox_total t WHERE t.scope = u.scope"
        " AND t.use_case = u.use_case AND t.outcome = 'uploaded'), 0)",
    }
    found = {what: look.reading.fetch(query)[0][0] for what, query in counted.items()}
    return [f"outbox: {number} {what}" for what, number in found.items() if number]


def quotas_are_never_negative(look: Look) -> list[str]:
    """Nor is any counter of the ledger, and nobody was let through more often than counted."""
    wrong = look.reading.fetch(
        "SELECT account FROM quota WHERE used < 0 UNION ALL"
        " SELECT account FROM usage WHERE allowed < 0 OR refused < 0 UNION ALL"
        " SELECT q.account FROM quota q WHERE q.used >"
        " (SELECT coalesce(sum(u.allowed), 0) FROM usage u WHERE u.account = q.account)"
    )
    return [f"quota of {account} is wrong" for (account,) in wrong]


INVARIANTS: tuple[Invariant, ...] = (
    check_is_clean,
    both_indexes_agree_with_the_rows,
    one_active_head_per_chain,
    no_orphans,
    outbox_is_consistent,
    quotas_are_never_negative,
)


def violations(look: Look) -> list[str]:
    """All that is wrong, each with the name of the invariant that it breaks."""
    return [f"{invariant.__name__}: {what}" for invariant in INVARIANTS for what in invariant(look)]


def texts_of(image: Image) -> set[Any]:
    """Texts that live in an image."""
    return {row[CONTENT] for row in memories(image).values() if row[STATUS] != "deleted"}

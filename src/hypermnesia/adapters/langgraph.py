"""A store of LangGraph (``BaseStore``) that keeps its items as memories.

A namespace is a scope, so that nothing crosses from one to another; an item is a pinned memory
whose metadata hold its key and value. Items are not facts that replace each other: one that the
judge takes to be superseded is still there.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import ge, gt, le, lt
from typing import Any, cast
from urllib.parse import quote, unquote

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    get_text_at_path,
    tokenize_path,
)

from hypermnesia.errors import Conflict, InvalidInput
from hypermnesia.memory import Memory
from hypermnesia.types import Node

ROOT = "langgraph"
"""Beginning of the scopes that items are kept in."""
KEY, VALUE, SEARCHED = "langgraph_key", "langgraph_value", "langgraph_searched"
ALL = ("active", "low_signal", "superseded")
MOST = 50
"""Hits that one search of a scope gives at most."""
PAGE = 1000

_ORDER = {"$gt": gt, "$gte": ge, "$lt": lt, "$lte": le}


class HypermnesiaStore(BaseStore):
    """Items of LangGraph in a :class:`~hypermnesia.Memory`, which the caller opens and closes.

    A search with a query ranks by meaning and words, at most 50 items of each namespace; one
    without gives the latest first. A value has at most 16,000 characters as JSON. Of a value whose
    ``index`` is ``False`` only the key is embedded, and no query finds it.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry operations out; those that read see what was there before those that write.

        Raises:
            InvalidInput: a namespace, key or value cannot be stored; nothing after it is.
            ValueError: an operator of a filter is unknown.
        """
        asked = list(ops)
        results: list[Result] = [self._read(op) for op in asked]
        puts = {(op.namespace, op.key): op for op in asked if isinstance(op, PutOp)}
        for op in puts.values():  # of several for one key the last counts
            self._put(op)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same, in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _read(self, op: Op) -> Result:
        match op:
            case GetOp():
                node = self._find(scope_of(op.namespace), op.key)
                return None if node is None else _item(node, op.namespace)
            case SearchOp():
                return self._search(op)
            case ListNamespacesOp():
                return self._namespaces(op)
            case _:
                return None

    def _find(self, scope: str, key: str) -> Node | None:
        page = self._memory.list(scope=scope, metadata={KEY: key}, status=ALL, limit=1)
        return page.items[0] if page.items else None

    def _put(self, op: PutOp) -> None:
        scope = scope_of(op.namespace)
        present = self._find(scope, op.key)
        if op.value is None:
            if present is not None:
                self._memory.forget(ids=[present.id], scope=scope)
            return
        metadata = {KEY: op.key, VALUE: op.value, SEARCHED: op.index is not False}
        content = _content(op)
        if present is not None:
            try:
                self._memory.update(present.id, scope=scope, content=content, metadata=metadata)
            except Conflict:  # a superseded memory is not corrected: it is replaced
                self._memory.forget(ids=[present.id], scope=scope)
            else:
                return
        self._memory.add(content, scope=scope, metadata=metadata, pin=True)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        found = [
            item
            for namespace, scope in self._scopes()
            if namespace[: len(op.namespace_prefix)] == tuple(op.namespace_prefix)
            for item in self._items(namespace, scope, op.query)
            if _passes(item.value, op.filter or {})
        ]
        if op.query:
            found.sort(key=lambda item: item.score or 0.0, reverse=True)
        else:
            found.sort(key=lambda item: item.updated_at, reverse=True)
        return found[op.offset : op.offset + op.limit]

    def _items(self, namespace: tuple[str, ...], scope: str, query: str | None) -> Iterator[Any]:
        if query:
            where: dict[str, Any] = {"scope": scope, "status": ALL, "metadata": {SEARCHED: True}}
            for hit in self._memory.search(query, k=MOST, **where):
                yield _search_item(hit.node, namespace, hit.score)
            return
        cursor = None
        while True:
            page = self._memory.list(scope=scope, status=ALL, limit=PAGE, cursor=cursor)
            yield from (_search_item(n, namespace, None) for n in page.items if KEY in n.metadata)
            cursor = page.cursor
            if cursor is None:
                return

    def _scopes(self) -> Iterator[tuple[tuple[str, ...], str]]:
        for scope in self._memory.scopes():
            namespace = namespace_of(scope)
            if namespace is not None:
                yield namespace, scope

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        conditions = op.match_conditions or ()
        found = {
            namespace[: op.max_depth]
            for namespace, _ in self._scopes()
            if all(_matches(condition, namespace) for condition in conditions)
        }
        return sorted(found)[op.offset : op.offset + op.limit]


def scope_of(namespace: Sequence[str]) -> str:
    """The scope of a namespace: its labels, in which slashes are escaped, below :data:`ROOT`.

    Raises:
        InvalidInput: it is longer than a scope may be.
    """
    return "/".join([ROOT, *(quote(label, safe=" ") for label in namespace)])


def namespace_of(scope: str) -> tuple[str, ...] | None:
    """The namespace of a scope; ``None`` for a scope that is none of these."""
    root, *labels = scope.split("/")
    return tuple(map(unquote, labels)) if root == ROOT and labels else None


def _content(op: PutOp) -> str:
    """The text by which an item is found; its key keeps items of equal values apart."""
    if op.index is False:
        return f"{op.key}:"
    paths = op.index or ["$"]
    value = cast("Mapping[str, Any]", op.value)
    texts = [
        text
        for path in paths
        for text in (
            [_text(value)] if path == "$" else get_text_at_path(value, tokenize_path(path))
        )
    ]
    return f"{op.key}: " + "\n".join(texts)


def _text(value: Mapping[str, Any]) -> str:
    """A value as words: what is text as it is, the rest as JSON, each behind its name."""
    return "; ".join(
        f"{name}: {field if isinstance(field, str) else json.dumps(field, ensure_ascii=False)}"
        for name, field in value.items()
    )


def _fields(node: Node, namespace: tuple[str, ...]) -> dict[str, Any]:
    return {
        "value": dict(cast("Mapping[str, Any]", node.metadata[VALUE])),
        "key": node.metadata[KEY],
        "namespace": namespace,
        "created_at": node.created_at,
        "updated_at": node.updated_at,
    }


def _item(node: Node, namespace: tuple[str, ...]) -> Item:
    return Item(**_fields(node, namespace))


def _search_item(node: Node, namespace: tuple[str, ...], score: float | None) -> SearchItem:
    return SearchItem(**_fields(node, namespace), score=score)


def _matches(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    path = tuple(condition.path)
    if len(namespace) < len(path):
        return False
    head = condition.match_type == "prefix"
    part = namespace[: len(path)] if head else namespace[len(namespace) - len(path) :]
    return all(wanted in {"*", label} for wanted, label in zip(path, part, strict=True))


def _passes(value: object, wanted: object) -> bool:
    """Whether a value is as a filter wants it: equal, or as its operators say."""
    match wanted:
        case dict():
            fields = cast("dict[str, object]", wanted)
            if any(name.startswith("$") for name in fields):
                return all(_holds(value, name, bound) for name, bound in fields.items())
            inner = cast("Mapping[str, object]", value) if isinstance(value, Mapping) else None
            return inner is not None and all(
                _passes(inner.get(name), bound) for name, bound in fields.items()
            )
        case _:
            return value == wanted


def _holds(value: object, operator: str, bound: object) -> bool:
    match operator:
        case "$eq":
            return value == bound
        case "$ne":
            return value != bound
        case "$gt" | "$gte" | "$lt" | "$lte":
            numbers = isinstance(value, int | float) and isinstance(bound, int | float)
            words = isinstance(value, str) and isinstance(bound, str)
            return (numbers or words) and bool(
                _ORDER[operator](cast("Any", value), cast("Any", bound))
            )
        case _:
            raise InvalidInput(f"a filter takes $eq, $ne, $gt, $gte, $lt, $lte, not {operator!r}")

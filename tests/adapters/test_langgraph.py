"""The contract of LangGraph's stores, beside the store that LangGraph ships."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langgraph.store.base import BaseStore, GetOp, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from hypermnesia import Memory
from hypermnesia.adapters.langgraph import HypermnesiaStore, namespace_of, scope_of
from hypermnesia.errors import InvalidInput


@pytest.fixture(params=["ours", "theirs"])
def store(request: pytest.FixtureRequest, memory: Memory) -> BaseStore:
    """Both must behave alike."""
    return HypermnesiaStore(memory) if request.param == "ours" else InMemoryStore()


def _keys(items: list[Any]) -> set[str]:
    return {item.key for item in items}


def test_an_item_is_put_got_changed_and_deleted(store: BaseStore) -> None:
    """With its times."""
    value = {"theme": "dark", "size": 1.5, "nested": {"a": [1, None, True]}, "é": "ü"}
    store.put(("users", "1"), "prefs", value)
    first = store.get(("users", "1"), "prefs")
    assert first is not None
    assert (first.value, first.key, first.namespace) == (value, "prefs", ("users", "1"))
    store.put(("users", "1"), "prefs", {"theme": "light"})
    second = store.get(("users", "1"), "prefs")
    assert second is not None
    assert second.value == {"theme": "light"}
    assert first.created_at <= second.created_at <= second.updated_at
    assert second.updated_at >= first.updated_at
    store.delete(("users", "1"), "prefs")
    assert store.get(("users", "1"), "prefs") is None
    store.delete(("users", "1"), "prefs")


def test_equal_values_under_two_keys_are_two_items(store: BaseStore) -> None:
    """And in two namespaces."""
    for key in ("a", "b"):
        store.put(("n",), key, {"text": "the same"})
    store.put(("m",), "a", {"text": "the same"})
    assert _keys(store.search(("n",))) == {"a", "b"}
    store.delete(("n",), "a")
    assert _keys(store.search(("n",))) == {"b"}
    assert store.get(("m",), "a") is not None


def test_names_that_look_alike_are_told_apart(store: BaseStore) -> None:
    """Slashes, escapes, case and spaces within labels."""
    names = [("a", "b"), ("a/b",), ("a%2Fb",), ("A", "b"), ("a b",), ("a", "b", "c")]
    for number, name in enumerate(names):
        store.put(name, "k", {"number": number})
    found = [store.get(name, "k") for name in names]
    assert [item.value["number"] for item in found if item] == list(range(len(names)))
    assert set(store.list_namespaces()) == set(names)


FILTERS: list[tuple[dict[str, Any], set[str]]] = [
    ({"kind": "x"}, {"a", "b"}),
    ({"kind": "x", "n": 1}, {"a"}),
    ({"n": {"$gt": 1}}, {"b", "c"}),
    ({"n": {"$gte": 1, "$lt": 3}}, {"a", "b"}),
    ({"n": {"$lte": 2}}, {"a", "b"}),
    ({"kind": {"$ne": "x"}}, {"c"}),
    ({"kind": {"$eq": "y"}}, {"c"}),
    ({"in": {"side": True}}, {"c"}),
    ({"none": "x"}, set()),
]


@pytest.mark.parametrize(("wanted", "keys"), FILTERS, ids=[str(one) for one, _ in FILTERS])
def test_filters(store: BaseStore, wanted: dict[str, Any], keys: set[str]) -> None:
    """Equality, operators, and fields within fields."""
    store.put(("n",), "a", {"kind": "x", "n": 1})
    store.put(("n",), "b", {"kind": "x", "n": 2})
    store.put(("n",), "c", {"kind": "y", "n": 3, "in": {"side": True}})
    assert _keys(store.search(("n",), filter=wanted)) == keys


def test_a_search_reaches_what_is_below_a_prefix(store: BaseStore) -> None:
    """By whole labels; a page at a time."""
    for name in (("a",), ("a", "x"), ("a", "x", "y"), ("ab",)):
        store.put(name, "/".join(name), {"v": 1})
    assert _keys(store.search(("a",))) == {"a", "a/x", "a/x/y"}
    assert len(store.search((), limit=10)) == 4
    pages = [store.search(("a",), limit=2, offset=offset) for offset in (0, 2, 4)]
    assert [len(page) for page in pages] == [2, 1, 0]
    assert len(_keys([*pages[0], *pages[1]])) == 3


def test_namespaces_are_listed(store: BaseStore) -> None:
    """By prefix, suffix, wildcard and depth; those that are empty are gone."""
    for name in (("a", "b", "c"), ("a", "b", "d"), ("a", "e"), ("f", "b", "c")):
        store.put(name, "k", {"v": 1})
    assert set(store.list_namespaces(prefix=("a", "b"))) == {("a", "b", "c"), ("a", "b", "d")}
    assert set(store.list_namespaces(suffix=("b", "c"))) == {("a", "b", "c"), ("f", "b", "c")}
    assert set(store.list_namespaces(prefix=("*", "b"), suffix=("c",))) == {
        ("a", "b", "c"), ("f", "b", "c")
    }  # fmt: skip
    assert set(store.list_namespaces(max_depth=2)) == {("a", "b"), ("a", "e"), ("f", "b")}
    assert len(store.list_namespaces(limit=2)) == len(store.list_namespaces(offset=2)) == 2


def test_a_batch_reads_before_it_writes(store: BaseStore) -> None:
    """And of two writes to one key the last counts."""
    store.put(("n",), "k", {"v": 0})
    results = store.batch(
        [
            PutOp(("n",), "k", {"v": 1}),
            GetOp(("n",), "k"),
            PutOp(("n",), "k", {"v": 2}),
            SearchOp(("n",), None, 10, 0),
        ]
    )
    got, found = results[1], results[3]
    assert getattr(got, "value", None) == {"v": 0}
    assert isinstance(found, list)
    assert [getattr(item, "value", None) for item in found] == [{"v": 0}]
    item = store.get(("n",), "k")
    assert item is not None
    assert item.value == {"v": 2}


def test_the_same_from_a_loop(store: BaseStore) -> None:
    """Several at once."""

    async def work() -> list[Any]:
        await asyncio.gather(*(store.aput(("n",), str(k), {"v": k}) for k in range(8)))
        await store.adelete(("n",), "0")
        return await store.asearch(("n",), limit=20)

    assert _keys(asyncio.run(work())) == {str(k) for k in range(1, 8)}


def test_a_query_ranks_by_meaning(judged_memory: Memory) -> None:
    """With the encoder and the judge; what was kept out of the index is not found."""
    store = HypermnesiaStore(judged_memory)
    store.put(("n",), "food", {"text": "I am allergic to peanuts"})
    store.put(("n",), "home", {"text": "The flat is in Lisbon"})
    store.put(("n",), "hidden", {"text": "Peanuts are dangerous"}, index=False)
    store.put(("n",), "field", {"text": "unrelated", "note": "Peanut butter"}, index=["text"])
    found = store.search(("n",), query="which nuts can I not eat?")
    assert found[0].key == "food"
    assert found[0].score is not None
    assert "hidden" not in _keys(found)
    assert store.get(("n",), "hidden") is not None


def test_an_item_that_the_judge_takes_for_superseded_stays(judged_memory: Memory) -> None:
    """A store of items forgets what it is told to, and nothing else."""
    store = HypermnesiaStore(judged_memory)
    store.put(("n",), "old", {"text": "My name is Ann"})
    store.put(("n",), "new", {"text": "My name is now Bea"})
    assert _keys(store.search(("n",))) == {"old", "new"}
    store.put(("n",), "old", {"text": "My name was Ann"})
    item = store.get(("n",), "old")
    assert item is not None
    assert item.value == {"text": "My name was Ann"}


def test_what_cannot_be_stored_is_said(memory: Memory) -> None:
    """A value or namespace that is too long, and an operator nobody knows."""
    store = HypermnesiaStore(memory)
    with pytest.raises(InvalidInput, match="metadata"):
        store.put(("n",), "k", {"text": "x" * 20_000})
    with pytest.raises(InvalidInput, match="scope"):
        store.put(("n" * 300,), "k", {"v": 1})
    store.put(("n",), "k", {"v": 1})
    with pytest.raises(InvalidInput, match="regex"):
        store.search(("n",), filter={"v": {"$regex": "x"}})


def test_other_scopes_are_no_namespaces(memory: Memory) -> None:
    """What the memory holds beside them is not shown."""
    memory.add("A fact of an agent.", scope="langgraph-like")
    assert HypermnesiaStore(memory).list_namespaces() == []
    assert namespace_of(scope_of(("a/b", "%"))) == ("a/b", "%")

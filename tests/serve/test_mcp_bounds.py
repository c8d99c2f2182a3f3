"""No result floods an agent's context."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.engine import Engine
from hypermnesia.judge.chain import Chain
from hypermnesia.memory import Memory
from hypermnesia.serve.mcp import build_server
from hypermnesia.serve.mcp_answers import MAX_RESULT, clip, clip_encoded, encoded
from hypermnesia.store.sqlite.store import SqliteStore
from tests.serve.lines import INITIALIZED, call, exchange, initialize, told
from tests.store.embedders import HashEmbedder

ROOM_FOR_ENVELOPE = 200
LONG = "billing " + 'word " \\ \n ünï 漢字 😀 ' * 100


def ask(memory: Memory, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """The result of one call, checked against the bound."""
    answers = exchange(
        build_server(memory), initialize("2025-11-25"), INITIALIZED, call(1, tool, **arguments)
    )
    result = answers[1]["result"]
    assert not result["isError"], told(answers[1])
    size = len(json.dumps(result, ensure_ascii=False, separators=(",", ":")))
    assert size <= MAX_RESULT + ROOM_FOR_ENVELOPE
    return {**result["structuredContent"], "text": told(answers[1])}


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """Sixty memories of 2,000 characters with large labels, and one that is much longer."""
    embedder = HashEmbedder()
    path = tmp_path_factory.mktemp("full") / "memory.db"
    store = SqliteStore(path, embedder.identity, embedder.dimension)
    labels = {"tags": [f"{'tag' * 30}{i}" for i in range(5)], "metadata": {"note": "x " * 1000}}
    with Memory(Engine(store, embedder, Chain(())), "default") as memory:
        memory.add_many([{"content": f"{number} {LONG}", **labels} for number in range(60)])
        memory.add(LONG * 10, at="2030-01-01")
        yield memory


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("memory_search", {"query": "billing"}),
        ("memory_search", {"query": "billing", "k": 50, "explain": True}),
        ("memory_context", {"query": "billing", "max_tokens": 100_000}),
        ("memory_suggest", {"content": "billing word"}),
        ("memory_list", {"limit": 50}),
        ("memory_profile", {}),
        ("memory_forget", {"query": LONG}),
        ("memory_forget", {"scope": "default"}),
        ("memory_help", {}),
    ],
)
def test_a_result_stays_within_its_bound(
    full: Memory, tool: str, arguments: dict[str, Any]
) -> None:
    """However much there is, and however long each is."""
    ask(full, tool, **arguments)


def test_a_long_memory_is_read_to_its_end_page_by_page(full: Memory) -> None:
    """Nothing is lost between pages."""
    node = full.list(limit=1).items[0]
    pages: list[str] = []
    offset = 0
    while True:
        page = ask(full, "memory_get", id=node.id, offset=offset)
        pages.append(page["content"])
        if "next_offset" not in page:
            break
        offset = page["next_offset"]
    assert "".join(pages) == node.content
    assert len(pages) > 5


def test_hits_that_do_not_fit_are_reached_by_the_offset(full: Memory) -> None:
    """All fifty come, a result at a time, each once."""
    seen: list[str] = []
    offset = 0
    while offset < 50:
        result = ask(full, "memory_search", query="billing", k=50, offset=offset)
        seen += [hit["id"] for hit in result["memories"]]
        offset = result.get("next_offset", 50)
    assert len(seen) == len(set(seen)) == 50


def test_a_clipped_content_says_how_long_it_is_and_where_the_rest_is(full: Memory) -> None:
    """A model must not take a beginning for the whole."""
    result = ask(full, "memory_search", query="billing")
    assert all(hit["length"] > len(hit["content"]) for hit in result["memories"])
    assert "characters: memory_get]" in result["text"]


def test_everything_erased_is_counted_even_if_not_listed(full: Memory) -> None:
    """The number is right although only some are shown."""
    assert ask(full, "memory_forget", scope="default")["count"] == 61


@given(st.text(max_size=300), st.integers(10, 400))
def test_clipping_keeps_a_beginning_and_the_length(text: str, length: int) -> None:
    """Whole if it fits, else a beginning with an ellipsis."""
    cut = clip(text, length)
    assert len(cut) <= length
    assert cut == text or (cut.endswith("…") and text.startswith(cut[:-1]))


@given(st.text(max_size=300), st.integers(8, 400))
def test_a_page_is_as_long_as_its_bound_allows(text: str, length: int) -> None:
    """Measured as JSON, and moving on by at least one character."""
    page = clip_encoded(text, length)
    assert text.startswith(page)
    assert encoded(page) <= length
    assert page == text or encoded(text[: len(page) + 1]) > length

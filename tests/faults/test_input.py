"""Whatever text comes in: stored, found or refused with a reason, never a crash."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hypermnesia.errors import HypermnesiaError, InvalidInput, Refused
from hypermnesia.identity import new_id
from hypermnesia.memory import Memory
from hypermnesia.types import Added

NAUGHTY = (
    "don't POL-358 multi-agent @nasa a/b 50% grammar::fa",
    '"',
    "NEAR(a b) OR NOT * ^ col:x {a b} : (",
    "'; DROP TABLE memory; --",
    "%s %n {0} ${x} `id` \\x00 \\u0000",
    "\u202e\u2066rtl\u2069 \u200b\u200d\ufeff",
    "👩‍👩‍👧‍👦🏳️‍🌈 🇩🇪",
    "Z̸̧̛͚a̴͎͠l̶̬̕g̷͔̾o̵̭͝",
    "東京都の天気は？ 서울 กรุงเทพ",
    "<script>alert(1)</script> &lt;",
    "\x01\x02\x1b[31m\x7f\x85",
    "\ufffe\uffff\U0010ffff\ue000",
    "../../etc/passwd C:\\con\\nul",
    "null None NaN -0 1e309 true undefined",
    "İIıi ß ﬃ ǅ",
    "a" * 5000,
    "۱۲۳ ½ ² Ⅷ",
)
UNSTORABLE = ("nul \0 inside", "half \ud800 pair", "\udfff", "\0")


def naughty_lines() -> list[str]:
    """The lines of a list kept outside the repository, when its folder is named."""
    folder = os.environ.get("HYPERMNESIA_DEV_DATA")
    path = Path(folder or ".") / "naughty-strings.txt"
    if not folder or not path.is_file():
        pytest.skip("HYPERMNESIA_DEV_DATA names no folder with naughty-strings.txt")
    lines = path.read_text("utf-8", "surrogateescape").splitlines()
    kept = [line for line in lines if line.strip() and not line.startswith("#")]
    return [line for line in kept if _encodable(line)]


def survives(memory: Memory, text: str) -> None:
    """A text through every door: what is accepted is kept and found, the rest is refused."""
    doors: tuple[Callable[[], object], ...] = (
        lambda: memory.add(text),
        lambda: memory.add(f"tagged {new_id()}", tags=[text]),
        lambda: memory.add(f"labelled {new_id()}", metadata={text: text, "deep": [{"k": text}]}),
        lambda: memory.add(f"scoped {new_id()}", scope=text),
        lambda: memory.add("from afar", provenance={"source": text}),
        lambda: memory.add("typed", memory_type=text),
        lambda: memory.search(text),
        lambda: memory.context(text),
        lambda: memory.suggest(text),
        lambda: memory.search("x", tags=[text], metadata={"k": text}),
        lambda: memory.list(scope=text),
        lambda: memory.list(cursor=text),
        lambda: memory.get(text),
        lambda: memory.search("x", since=text),
        lambda: memory.forget(query=text, dry_run=True),
    )
    for door in doors:
        try:
            door()
        except HypermnesiaError as error:
            str(error).encode("utf-8")  # a message can always be printed


@pytest.mark.parametrize("text", [*NAUGHTY, *UNSTORABLE], ids=range(len(NAUGHTY + UNSTORABLE)))
def test_a_naughty_text_goes_through_every_door(memory: Memory, text: str) -> None:
    """And the store is sound afterwards."""
    survives(memory, text)
    assert memory.check().problems == ()


@pytest.mark.parametrize("text", NAUGHTY, ids=range(len(NAUGHTY)))
def test_a_naughty_text_comes_back_as_it_was(memory: Memory, text: str) -> None:
    """Content, tag, metadata and scope, byte for byte but for the white space around."""
    short = text.strip()[:100]
    added = memory.add(text, tags=[short], metadata={short: text}, scope=short)
    node = memory.get(added.id, reveal=True)
    assert node.content == text.strip()
    assert (node.tags, dict(node.metadata), node.scope) == ((short,), {short: text}, short)
    assert [n.id for n in memory.list(scope=short, tags=[short], metadata={short: text})] == [
        added.id
    ]
    assert memory.search(text, scope=short)[0].id == added.id


def test_a_list_of_naughty_lines_goes_through_every_door(memory: Memory) -> None:
    """As content, tag, metadata, scope and question; the store is sound afterwards."""
    for line in naughty_lines():
        short = line.strip()[:100].strip()
        labels = {short: line}
        try:
            added = memory.add(line, tags=[short], metadata=labels, scope=short)
        except Refused:
            continue
        hits = memory.search(line, scope=short, tags=[short], metadata=labels)
        assert added.id in {hit.id for hit in hits}
    assert memory.check().problems == ()


def test_naughty_lines_are_embedded_and_judged(judged_memory: Memory) -> None:
    """By the real models, in batches; each is found again."""
    lines = list(dict.fromkeys(line.strip() for line in naughty_lines()))
    outcomes = judged_memory.add_many({"content": line, "pin": True} for line in lines)
    assert len(outcomes) == len(lines)
    kept = [o.id for o in outcomes if isinstance(o, Added)]
    assert len(kept) > 0.9 * len(lines)
    for memory_id in kept[::50]:
        assert judged_memory.search(judged_memory.get(memory_id, reveal=True).content)
    assert judged_memory.check().problems == ()


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=st.text(st.characters(), max_size=60))
def test_any_text_at_all_is_stored_or_refused(memory: Memory, text: str) -> None:
    """Surrogates, controls and unassigned characters included."""
    try:
        added = memory.add(text)
    except (InvalidInput, Refused):
        assert not text.strip() or "\0" in text or not _encodable(text)
        return
    assert memory.get(added.id, reveal=True).content.strip() == memory.get(added.id).content
    assert memory.search(text)


def _encodable(text: str) -> bool:
    return text == text.encode("utf-8", "ignore").decode()


@pytest.mark.parametrize("text", ["", " ", "\r\n\t ", "\u2003\u00a0"])
def test_nothing_is_not_a_memory_nor_a_question(memory: Memory, text: str) -> None:
    """Empty and blank texts are refused on every path."""
    added = memory.add("text")
    for attempt in (
        lambda: memory.add(text),
        lambda: memory.search(text),
        lambda: memory.context(text),
        lambda: memory.suggest(text),
        lambda: memory.update(added.id, content=text),
        lambda: memory.forget(query=text),
        lambda: memory.add("x", scope=text),
        lambda: memory.add("x", tags=[text]),
        lambda: memory.forget(scope=text),
    ):
        with pytest.raises(InvalidInput):
            attempt()
    assert [n.content for n in memory.list()] == ["text"]


def test_the_longest_memory_has_64000_characters(memory: Memory) -> None:
    """One more is refused with both numbers in the message."""
    longest = ("word " * 12_800)[:-1] + "x"
    assert len(longest) == 64_000
    added = memory.add(longest)
    assert memory.get(added.id).content == longest
    with pytest.raises(InvalidInput, match=r"64,001 characters, at most 64,000"):
        memory.add(longest + "y")
    with pytest.raises(InvalidInput, match="64,001"):
        memory.update(added.id, content=longest + "y")


@pytest.mark.parametrize("text", UNSTORABLE, ids=range(len(UNSTORABLE)))
def test_what_cannot_be_stored_is_refused_by_name(memory: Memory, text: str) -> None:
    """NUL and halves of surrogate pairs, wherever they stand."""
    for attempt in (
        lambda: memory.add(text),
        lambda: memory.add("x", scope=text),
        lambda: memory.add("x", tags=[text]),
        lambda: memory.add("x", metadata={"k": text}),
        lambda: memory.add("x", metadata={text: 1}),
        lambda: memory.add("x", metadata={"k": [{"k": text}]}),
        lambda: memory.add("x", provenance={"source": text}),
    ):
        with pytest.raises(InvalidInput, match=r"NUL|surrogate"):
            attempt()


def test_a_question_may_hold_what_cannot_be_stored(memory: Memory) -> None:
    """It is only asked, not kept."""
    memory.add("half a pair")
    assert memory.search("half \ud800 pair \0")[0].content == "half a pair"


@pytest.mark.parametrize("k", [0, 51, -1, True, 1.0, "5", None])
def test_k_is_a_whole_number_from_1_to_50(memory: Memory, k: Any) -> None:
    """Anything else is refused, booleans included."""
    for search in (memory.search, memory.context, memory.suggest):
        with pytest.raises(InvalidInput, match="k must be a whole number from 1 to 50"):
            search("x", k=k)


@pytest.mark.parametrize(
    "given",
    [
        {"types": "opinion"},
        {"types": ["fact", "opinion"]},
        {"types": 5},
        {"levels": "chapter"},
        {"status": "deleted"},
        {"status": "gone"},
        {"tags": 5},
        {"tags": [5]},
        {"metadata": "k=v"},
        {"metadata": {"k": [1]}},
        {"metadata": {"k": {}}},
        {"metadata": {"k": float("nan")}},
        {"since": "yesterday"},
        {"until": "2026-13-01"},
        {"as_of": "2026-02-30"},
        {"since": 5},
        {"until": ""},
        {"scope": " x"},
        {"scope": "x" * 201},
        {"scope": 5},
    ],
    ids=str,
)
def test_a_filter_that_means_nothing_is_refused(memory: Memory, given: dict[str, Any]) -> None:
    """By search and list alike, instead of finding nothing."""
    memory.add("x")
    for attempt in (lambda: memory.search("x", **given), lambda: memory.list(**given)):
        with pytest.raises(InvalidInput):
            attempt()


def test_a_filter_on_an_unknown_field_is_refused(memory: Memory) -> None:
    """Not silently ignored."""
    with pytest.raises(TypeError):
        memory.search("x", colour="red")  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        memory.context("x", colour="red")


@pytest.mark.parametrize(
    "given",
    [
        {"memory_type": "opinion"},
        {"memory_type": ["fact"]},
        {"at": "yesterday"},
        {"at": "2026-05-03T25:00"},
        {"at": "0001-01-01T00:00:00+14:00"},
        {"at": "9999-12-31T23:59:59-12:00"},
        {"tags": [f"t{i}" for i in range(51)]},
        {"tags": ["t" * 101]},
        {"tags": [None]},
        {"tags": 5},
        {"metadata": {"k": "v" * 16_000}},
        {"metadata": {1: "one"}},
        {"metadata": {"k": {2: "two"}}},
        {"metadata": {"k": b"bytes"}},
        {"metadata": {"k": float("inf")}},
        {"metadata": {"k": {1, 2}}},
        {"metadata": ["k"]},
        {"metadata": "text"},
        {"provenance": {"where": "here"}},
        {"provenance": {"source": 5}},
        {"provenance": {"source": "s" * 501}},
        {"provenance": ["source"]},
        {"content": 5},
        {"content": None},
        {"content": b"bytes"},
    ],
    ids=lambda given: str(given)[:40],
)
def test_a_bad_argument_is_refused_and_nothing_stored(
    memory: Memory, given: dict[str, Any]
) -> None:
    """With the package's own error."""
    with pytest.raises(InvalidInput):
        cast("Any", memory.add)(**{"content": "x", **given})
    assert len(memory.list()) == 0


def test_metadata_that_nests_too_deep_is_refused_before_it_is_stored(memory: Memory) -> None:
    """What redaction could not walk would be unreadable later."""
    deep: Any = "bottom"
    for _ in range(31):
        deep = [deep]
    added = memory.add("deep", metadata={"k": deep})
    assert memory.get(added.id).content == "deep"
    for levels in (1, 500, 5000):
        deeper = deep
        for _ in range(levels):
            deeper = {"k": deeper}
        with pytest.raises(InvalidInput, match="nested more than 32 deep"):
            memory.add("too deep", metadata={"k": deeper})


def test_text_that_spells_an_escape_is_no_nul(memory: Memory) -> None:
    """Six characters, not one."""
    added = memory.add("x", metadata={"k": "\\u0000", "path": "C:\\u0000"})
    assert dict(memory.get(added.id).metadata) == {"k": "\\u0000", "path": "C:\\u0000"}


@pytest.mark.parametrize("store", [b"memory.db", float("nan"), 7])
def test_a_store_is_named_by_a_path(store: Any) -> None:
    """Not by what merely prints like one."""
    with pytest.raises(InvalidInput, match="path"):
        Memory.open(store)


@pytest.mark.parametrize(
    "selection",
    [
        {},
        {"ids": ["x"]},
        {"ids": [], "query": "x"},
        {"ids": [5]},
        {"ids": 3},
        {"query": "x", "min_similarity": 2},
    ],
    ids=str,
)
def test_forget_takes_exactly_one_sound_selection(
    memory: Memory, selection: dict[str, Any]
) -> None:
    """Never everything by mistake."""
    memory.add("x")
    with pytest.raises(InvalidInput):
        memory.forget(**selection)
    assert len(memory.list()) == 1

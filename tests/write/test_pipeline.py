"""Gate, duplicates, batches and fallbacks."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from hypermnesia.errors import InvalidInput, ModelError, NotFound, Refused
from hypermnesia.memory import Memory
from hypermnesia.models.encoder import Encoding
from hypermnesia.types import Added, Failure
from hypermnesia.write.batch import BATCH
from tests.conftest import OpenMemory
from tests.store.embedders import HashEmbedder
from tests.write.judges import ScriptedJudge

KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.mark.parametrize(
    ("salience", "status", "reason"),
    [
        (1.99, "low_signal", "salience 1.99 is below the gate 2.00"),
        (2.0, "active", "salience 2.00 reaches the gate 2.00"),
    ],
)
def test_the_gate_says_why(
    open_memory: OpenMemory, salience: float, status: str, reason: str
) -> None:
    """Status and reason of what is just below and just at the gate."""
    memory = open_memory(judges=[ScriptedJudge(saliences={"text": salience})])
    added = memory.add("text")
    assert (added.status, added.salience, added.judge) == (status, salience, "scripted")
    assert added.reason.startswith(reason)


def test_low_signal_memories_are_kept_for_who_asks(open_memory: OpenMemory) -> None:
    """Not recalled, not lost."""
    memory = open_memory(judges=[ScriptedJudge(saliences={"ok thanks": 0.1})])
    memory.add("ok thanks")
    assert memory.search("ok thanks") == []
    (hit,) = memory.search("ok thanks", status="low_signal")
    assert hit.node.status == "low_signal"


def test_a_pin_wins_over_the_gate(open_memory: OpenMemory) -> None:
    """At once, and when a known low-signal text is added again with one."""
    memory = open_memory(judges=[ScriptedJudge(saliences={"one": 0.1, "two": 0.1})])
    assert memory.add("one", pin=True).reason == "pinned"
    memory.add("two")
    again = memory.add("two", pin=True)
    assert (again.duplicate, again.status) == (True, "active")
    assert memory.update(again.id, pin=False).status == "low_signal"


def test_the_configured_gate_overrides_the_judges(open_memory: OpenMemory) -> None:
    """Zero lets everything through."""
    memory = open_memory(judges=[ScriptedJudge(saliences={"text": 0.0})], gate=0.0)
    assert memory.add("text").status == "active"


def test_with_the_judge_off_nothing_is_gated(memory: Memory) -> None:
    """And the reason says so."""
    added = memory.add("ok")
    assert (added.status, added.salience, added.judge, added.degraded) == (
        "active",
        None,
        "off",
        False,
    )
    assert "judge is off" in added.reason


def test_a_fallback_is_reported_with_everything_it_touched(
    open_memory: OpenMemory, caplog: pytest.LogCaptureFixture
) -> None:
    """In what was added and in what is found."""
    broken, spare = ScriptedJudge(name="remote", broken=True), ScriptedJudge(name="spare")
    memory = open_memory(judges=[broken, spare])
    with caplog.at_level(logging.WARNING, "hypermnesia"):
        added = memory.add("text")
    assert (added.judge, added.degraded) == ("spare", True)
    assert memory.get(added.id).degraded
    explain = memory.search("text")[0].explain
    assert (explain.judge_backend, explain.degraded) == ("spare", True)
    assert "remote" in caplog.text


def test_an_edit_of_labels_keeps_the_status_whoever_judged(open_memory: OpenMemory) -> None:
    """Rated by a judge that is configured no longer, it is held to the published gate."""
    memory = open_memory(judges=[ScriptedJudge(name="former", saliences={"text": 0.1})])
    low = memory.add("text").id
    memory.close()
    again = open_memory(judges=[ScriptedJudge(name="present")])
    assert again.update(low, tags=["t"]).status == "low_signal"
    assert again.update(low, salience=2.9).status == "low_signal"
    assert again.update(low, salience=3.0).status == "active"


def test_adding_a_text_twice_refreshes_one_memory(memory: Memory) -> None:
    """Labels are merged, nothing doubles, nothing is lost."""
    first = memory.add("Café  rule", tags=["a"], metadata={"k": 1, "l": 1})
    again = memory.add("cafe\u0301\r\nRULE ", tags=["b"], metadata={"k": 2})
    assert (again.id, again.duplicate) == (first.id, True)
    node = memory.get(first.id)
    assert (node.content, node.tags, dict(node.metadata)) == (
        "Café  rule",
        ("a", "b"),
        {"k": 2, "l": 1},
    )
    assert len(memory.list()) == 1
    assert len(memory.search("rule", tags="b", metadata={"k": 2})) == 1


def test_a_refresh_that_would_overflow_is_refused(memory: Memory) -> None:
    """The bounds hold for what is merged, too."""
    memory.add("text", tags=[f"t{i}" for i in range(50)])
    with pytest.raises(InvalidInput, match="51 tags"):
        memory.add("text", tags=["one more"])


def test_a_repetition_within_a_batch_is_a_duplicate(memory: Memory) -> None:
    """Also across batches of the same call."""
    outcomes = memory.add_many(["same", "Same ", *[f"n{i}" for i in range(BATCH)], "SAME"])
    same = [outcomes[i] for i in (0, 1, -1)]
    assert all(isinstance(outcome, Added) for outcome in outcomes)
    assert len({outcome.id for outcome in same if isinstance(outcome, Added)}) == 1
    assert [o.duplicate for o in same if isinstance(o, Added)] == [False, True, True]
    assert len(memory.list(limit=2 * BATCH)) == BATCH + 1


def test_a_bad_item_fails_alone_and_in_its_place(memory: Memory) -> None:
    """Whatever is wrong with it."""
    bad: list[object] = [
        "",
        None,
        5,
        b"bytes",
        ["content"],
        {},
        {"content": "x", "colour": "red"},
        {"content": "x", 3: "y"},
        {"content": "x", "at": "yesterday"},
        {"content": "x", "scope": ""},
        {"content": "x", "tags": 7},
        {"content": "x", "metadata": [1]},
        {"content": "x", "provenance": {"where": "here"}},
        {"content": "x", "provenance": "here"},
        {"content": KEY},
        {"content": "x", "tags": [KEY]},
        {"content": "x", "metadata": {"deep": [{"k": KEY}]}},
    ]
    items: list[object] = [
        item for pair in zip(bad, map(str, range(99)), strict=False) for item in pair
    ]
    steps = list[int]()
    outcomes = memory.add_many(items, progress=steps.append)  # type: ignore[arg-type]
    assert sum(steps) == len(items)
    for i, outcome in enumerate(outcomes):
        if i % 2:
            assert isinstance(outcome, Added)
        else:
            assert isinstance(outcome, Failure), bad[i // 2]
            assert outcome.index == i
            assert outcome.error in {"InvalidInput", "Refused"}
            assert KEY not in outcome.message
    assert memory.check().ok


def test_one_batch_may_serve_several_scopes(memory: Memory) -> None:
    """Each item lands in its own."""
    memory.add_many(["a", {"content": "b", "scope": "other"}, "c"], scope="here")
    assert [n.content for n in memory.list(scope="here", newest=False)] == ["a", "c"]
    assert [n.content for n in memory.list(scope="other")] == ["b"]


class Choosy(HashEmbedder):
    """Cannot embed one text, nor a batch that holds it."""

    def encode(self, texts: Sequence[str]) -> list[Encoding]:
        """Refuse the text ``poison``."""
        if "poison" in texts:
            raise ModelError("this text cannot be embedded")
        return super().encode(texts)


def test_a_text_that_cannot_be_embedded_fails_alone(open_memory: OpenMemory) -> None:
    """The rest of its batch is stored."""
    memory = open_memory(embedder=Choosy())
    outcomes = memory.add_many(["one", "poison", "two"])
    assert [type(outcome).__name__ for outcome in outcomes] == ["Added", "Failure", "Added"]
    with pytest.raises(ModelError):
        memory.add("poison")
    assert len(memory.list()) == 2


def test_refusal_comes_before_everything_else(open_memory: OpenMemory) -> None:
    """Nothing prohibited reaches the encoder, the judge or the file."""
    scripted = ScriptedJudge()
    memory = open_memory(judges=[scripted], embedder=Choosy())
    for attempt in (
        lambda: memory.add(f"the key is {KEY}"),
        lambda: memory.add("x", tags=[KEY]),
        lambda: memory.add("x", metadata={KEY: 1}),
    ):
        with pytest.raises(Refused) as refused:
            attempt()
        assert KEY not in str(refused.value)
    added = memory.add("fine")
    with pytest.raises(Refused):
        memory.update(added.id, content=f"now {KEY}")
    assert [n.content for n in memory.list()] == ["fine"]


class Racing(HashEmbedder):
    """Lets something happen between looking and writing."""

    def __init__(self, meanwhile: Callable[[], object]) -> None:
        super().__init__()
        self.meanwhile = meanwhile
        self.races = 0

    def encode(self, texts: Sequence[str]) -> list[Encoding]:
        """Run ``meanwhile`` once per race that is left."""
        if self.races:
            self.races -= 1
            self.meanwhile()
        return super().encode(texts)


def test_a_text_that_another_process_adds_meanwhile_is_a_duplicate(
    open_memory: OpenMemory,
) -> None:
    """The plan made before it was known is thrown away."""
    other = open_memory()
    embedder = Racing(lambda: other.add("the text"))
    memory = open_memory(embedder=embedder)
    embedder.races = 1
    assert memory.add("The Text").duplicate
    assert len(memory.list()) == 1


def test_a_text_that_vanishes_meanwhile_is_stored_anew(open_memory: OpenMemory) -> None:
    """In a batch, whose other items are stored once."""
    other = open_memory()
    gone = other.add("known").id
    embedder = Racing(lambda: other.forget(ids=[gone]))
    memory = open_memory(embedder=embedder)
    embedder.races = 1
    outcomes = memory.add_many(["new", "known"])
    assert [o.duplicate for o in outcomes if isinstance(o, Added)] == [False, False]
    assert len(memory.list()) == 2
    assert memory.check().ok


def test_many_threads_adding_one_text_make_one_memory(open_memory: OpenMemory) -> None:
    """All of them get its id."""
    memories = [open_memory() for _ in range(2)]

    def add(i: int) -> str:
        return memories[i % 2].add("one text").id

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(add, range(16)))
    assert len(set(found)) == 1
    assert len(memories[0].list()) == 1


def test_an_unknown_id_is_not_found(memory: Memory) -> None:
    """By any verb, and neither is one of another scope."""
    from hypermnesia.identity import new_id

    here = memory.add("text", scope="here").id
    for attempt in (
        lambda: memory.get(new_id()),
        lambda: memory.get(here, scope="there"),
        lambda: memory.history(here, scope="there"),
        lambda: memory.events(here, scope="there"),
        lambda: memory.update(here, scope="there", tags=["x"]),
        lambda: memory.restore(here, scope="there"),
        lambda: memory.forget(ids=[here], scope="there"),
    ):
        with pytest.raises(NotFound, match="no memory has the id"):
            attempt()
    assert memory.get(here).tags == ()


def test_an_update_without_a_change_says_so(memory: Memory) -> None:
    """And leaves the row alone."""
    added = memory.add("text", tags=["t"])
    before = memory.get(added.id)
    assert memory.update(added.id, tags=["t"], content="text").reason == "nothing changed"
    assert memory.get(added.id) == before


def test_every_field_can_be_corrected(memory: Memory) -> None:
    """The former values stay in the log."""
    added = memory.add("text")
    memory.update(
        added.id,
        content="better text",
        at="2020-01-01",
        tags=["t"],
        metadata={"k": 1},
        memory_type="decision",
        salience=4,
        durable=1,
        pin=True,
    )
    node = memory.get(added.id)
    assert (node.content, node.tags, dict(node.metadata)) == ("better text", ("t",), {"k": 1})
    assert (node.memory_type, node.salience, node.durable, node.pinned) == ("decision", 4, 1, True)
    assert node.valid_from.year == 2020
    event = memory.events(added.id)[-1]
    assert event.detail["before"]["content"] == "text"
    assert memory.search("better", types="decision", tags="t", metadata={"k": 1})
    assert memory.check().ok

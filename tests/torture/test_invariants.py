"""Each invariant objects to a store that breaks it, and to no other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest
from torture.explained import every_acknowledged_write_is_present, nothing_is_half_applied
from torture.image import Image, image_of, memories
from torture.invariants import INVARIANTS, Look, violations
from torture.opening import SCOPE, Reading, open_memory
from torture.steps import Choice, Step

from hypermnesia.memory import Memory

MESSAGES = [
    {
        "speaker": "Anna",
        "content": "I moved to Lisbon in May and I love the harbour there",
        "id": "a",
    },
    {
        "speaker": "Ben",
        "content": "The deadline of the billing project is 9 May, I was told",
        "id": "b",
    },
]


@pytest.fixture
def place(tmp_path: Path) -> str:
    """A sound store with something of everything."""
    place = str(tmp_path / "store.db")
    with open_memory(place) as memory:
        memory.corpus_consent(given=True)
        memory.add("The search timeout is 10 seconds")
        memory.add("The search timeout is 20 seconds")
        memory.add("The search timeout is 30 seconds")
        memory.ingest(MESSAGES)
        memory.forget(ids=[memory.add("soon forgotten").id])
    return place


@pytest.fixture
def look(place: str) -> Iterator[Look]:
    """Looks at the store, opened after it was damaged."""
    with open_memory(place) as memory, Reading(place) as reading:
        yield Look(memory, reading)


def damage(place: str, statements: str) -> None:
    """Spoil rows behind the store's back, whatever the schema says."""
    connection = apsw.Connection(place)
    connection.execute("PRAGMA ignore_check_constraints = ON")
    connection.execute(statements)
    connection.close()


ACCOUNT = (
    "INSERT INTO account (id, name, created_at) VALUES ('i', 'n', 0);"
    "INSERT INTO quota (account, began, used) VALUES ('i', 0, {used});"
)
OLDEST = "(SELECT min(key) FROM memory WHERE status = 'superseded')"
FACT = "(SELECT max(key) FROM memory WHERE status = 'active' AND level = 'fact')"
INDEXES = "both_indexes_agree_with_the_rows"
DAMAGES: dict[str, tuple[str, str]] = {
    "a vector is gone": (
        INDEXES,
        f"DELETE FROM vectors WHERE memory = {FACT}",
    ),
    "terms are gone": (
        INDEXES,
        f"DELETE FROM lexical WHERE rowid = {FACT}",
    ),
    "terms are another's": (
        INDEXES,
        f"DELETE FROM lexical WHERE rowid = {FACT};"
        f" INSERT INTO lexical (rowid, scope, terms, labels) VALUES ({FACT}, 's1', 'zebra', '')",
    ),
    "a text is another's": (
        "check_is_clean",
        f"UPDATE memory SET content = 'other' WHERE key = {FACT}",
    ),
    "a replaced memory is active": (
        "one_active_head_per_chain",
        f"UPDATE memory SET status = 'active' WHERE key = {OLDEST}",
    ),
    "a chain goes round": (
        "one_active_head_per_chain",
        "UPDATE memory SET superseded_by = (SELECT id FROM memory WHERE status = 'superseded'"
        " ORDER BY key LIMIT 1), status = 'superseded' WHERE content LIKE '%30 seconds'",
    ),
    "a text lives twice": (
        "one_active_head_per_chain",
        "DROP INDEX memory_by_text; UPDATE memory SET superseded_by = NULL, status = 'active',"
        " content = (SELECT content FROM memory WHERE content LIKE '%30 seconds')"
        f" WHERE key = {OLDEST}",
    ),
    "a member is forgotten": (
        "no_orphans",
        "UPDATE memory SET status = 'deleted', hash = NULL WHERE key = (SELECT node FROM member)",
    ),
    "an episode is empty": ("no_orphans", "DELETE FROM member"),
    "a turn has no place": ("no_orphans", "DELETE FROM turn"),
    "a queued row has no memory": ("outbox_is_consistent", "DELETE FROM outbox_memory"),
    "a queued row has no consent": ("outbox_is_consistent", "DELETE FROM consent"),
    "a row left uncounted": ("outbox_is_consistent", "UPDATE outbox SET state = 'uploaded'"),
    "a quota is negative": ("quotas_are_never_negative", ACCOUNT.format(used=-1)),
    "a request is not in the ledger": ("quotas_are_never_negative", ACCOUNT.format(used=1)),
}


@pytest.mark.parametrize(("invariant", "statements"), DAMAGES.values(), ids=DAMAGES.keys())
def test_an_invariant_objects(place: str, invariant: str, statements: str) -> None:
    """By its name."""
    damage(place, statements)
    with open_memory(place) as memory, Reading(place) as reading:
        found = violations(Look(memory, reading))
    assert any(line.startswith(f"{invariant}: ") for line in found), found


def test_every_invariant_was_seen_to_object() -> None:
    """None of them is there for show."""
    assert {name for name, _ in DAMAGES.values()} == {each.__name__ for each in INVARIANTS}


def test_a_sound_store_is_not_objected_to(look: Look) -> None:
    """By any of them."""
    assert violations(look) == []


# --- what was acknowledged ---------------------------------------------------------------


Change = Callable[[dict[str, tuple[object, ...]]], object]


def spoilt(look: Look, change: Change) -> tuple[Image, Image]:
    """The image of a store, and the same after a change."""
    before = image_of(look.reading)
    after = dict(before)
    change(after)
    return before, after


def row(image: Image, text: str) -> str:
    """The key of the memory with this text."""
    return next(f"memory:{i}" for i, values in memories(image).items() if text in values)


NEW = ("fact", "active", "new", None)


def lose(after: dict[str, tuple[object, ...]]) -> None:
    """A memory is not there any more."""
    del after[row(after, "The search timeout is 30 seconds")]


def alter(after: dict[str, tuple[object, ...]]) -> None:
    """A memory says something else."""
    after[row(after, "The search timeout is 30 seconds")] = NEW


def add(after: dict[str, tuple[object, ...]]) -> None:
    """Something is there that nobody told of."""
    after["memory:x"] = NEW


@pytest.mark.parametrize("change", [lose, alter, add])
def test_what_was_acknowledged_is_missed(look: Look, change: Change) -> None:
    """Whatever became of it, with nothing under way."""
    before, after = spoilt(look, change)
    assert every_acknowledged_write_is_present(before, after, None)
    assert every_acknowledged_write_is_present(before, before, None) == []


@pytest.mark.parametrize("change", [lose, alter])
@pytest.mark.parametrize("verb", ["add", "flush", "reindex", "ingest", "restore"])
def test_what_the_interrupted_verb_has_no_business_with_is_missed(
    look: Look, change: Change, verb: str
) -> None:
    """Only its own rows are excused."""
    before, after = spoilt(look, change)
    step = Step(verb, {"id": "another", "content": "new"})  # type: ignore[arg-type]
    assert every_acknowledged_write_is_present(before, after, step)


HALVES: dict[str, tuple[Step, Change]] = {
    "add": (Step("add", {"content": "newer"}), add),
    "add_many": (
        Step("add_many", {"items": ["first", "new"]}),
        add,
    ),
    "ingest": (
        Step("ingest", {"messages": [{"content": "new"}, {"content": "second"}]}),
        add,
    ),
    "update": (Step("update", {"id": "x", "content": "newer"}), add),
    "forget": (Step("forget", {"id": "x"}), add),
    "reindex": (Step("reindex"), add),
}


@pytest.mark.parametrize(("step", "change"), HALVES.values(), ids=HALVES.keys())
def test_half_of_a_verb_is_noticed(look: Look, step: Step, change: Change) -> None:
    """Where all or nothing was promised."""
    before, after = spoilt(look, change)
    assert nothing_is_half_applied(before, after, step)
    assert nothing_is_half_applied(before, before, step) == []


def test_texts_of_one_family_replace_each_other_and_no_others(tmp_path: Path) -> None:
    """Which the rounds rest on: the judge's answers about them are certain."""
    with open_memory(str(tmp_path / "store.db")) as memory:
        for text in (
            "The deadline of the billing project is 3 May",
            "The deadline of the search project is 3 May",
            "The billing timeout is 1017 seconds",
        ):
            assert memory.add(text).superseded == ()
        assert len(memory.add("The deadline of the billing project is 9 May").superseded) == 1
        assert len(memory.list(scope=SCOPE)) == 3


def test_choices_can_be_repeated(tmp_path: Path) -> None:
    """The same seed, the same verbs with the same texts."""
    from random import Random

    def chosen(memory: Memory) -> list[Step]:
        choice = Choice(Random(3))
        return [choice.step(memory, choice.verb()) for _ in range(30)]

    with open_memory(str(tmp_path / "store.db")) as memory:
        assert chosen(memory) == chosen(memory)

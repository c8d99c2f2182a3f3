"""What the judge leaves alone in a store like those people have."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.texts import memories
from training.dialogue import generate_dialogue

from hypermnesia.judge.features_reading import read, tidings
from hypermnesia.memory import Memory

UNSEEN = 41
"""No seed of the training."""


@pytest.mark.parametrize(
    "texts",
    [list(memories(150, seed=UNSEEN)), [turn.text for turn in generate_dialogue(UNSEEN, 75)]],
    ids=["project notes", "talk"],
)
def test_neighbours_that_merely_resemble_each_other_all_stay(
    tmp_path: Path, texts: list[str]
) -> None:
    """A memory retired by mistake is a memory lost to search: at most one add in thirty does it."""
    with Memory.open(tmp_path / "memory.db") as memory:
        memory.add_many(texts)
        counts = memory.profile().counts
    assert counts.get("superseded", 0) <= len(texts) / 30


def test_a_long_memory_is_not_retired_for_one_of_its_sentences(tmp_path: Path) -> None:
    """Most of what it says still holds, and would be lost with it."""
    with Memory.open(tmp_path / "memory.db") as memory:
        old = memory.add(
            "Ana owns the Kafka cluster; it keeps 30 days of data. Ben prefers trains over flights."
            " The deadline of the search milestone is 8 March."
        )
        new = memory.add("Ana owns the Kafka cluster; it keeps 60 days of data now.")
        assert new.superseded == ()
        assert memory.get(old.id).status == "active"


def test_a_question_neither_replaces_nor_is_replaced(tmp_path: Path) -> None:
    """It states nothing that could be outdated."""
    with Memory.open(tmp_path / "memory.db") as memory:
        memory.add("Gina: What kind of dance do you teach in the studio?", pin=True)
        told = memory.add("Gina: I love teaching contemporary dance in the studio!", pin=True)
        asked = memory.add("Gina: Which contemporary dance do you love to teach?", pin=True)
        assert told.superseded == asked.superseded == ()


@pytest.mark.parametrize(
    "text",
    ["We moved the standup to 9 now", "Billing no longer uses Kafka", "Ana: I like trains =)", ""],
)
def test_tidings_are_a_part_of_the_reading(text: str) -> None:
    """What is read first must not differ from what is read when it matters."""
    first, whole = tidings(text), read(text)
    assert (first.words, first.changes, first.ends) == (whole.words, whole.changes, whole.ends)

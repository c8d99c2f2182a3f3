"""Whether a statement of talk updates a value that an earlier one gave."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from training.features import passages
from training.pairs import Pair, read_pairs

from hypermnesia.judge.local_updates import news, update_probabilities
from hypermnesia.memory import Memory

CASES = read_pairs("updates.txt")
HELD_OUT = read_pairs("updates_heldout.txt")
THRESHOLD = 0.80


def updated(existing: list[str], incoming: str) -> list[bool]:
    """Which of the statements the last one updates."""
    *old, new = (replace(p, said=True) for p in passages([*existing, incoming]))
    return [p >= THRESHOLD for p in update_probabilities(old, new)]


def share(pairs: list[Pair]) -> float:
    """Of these pairs, the share said to be updates."""
    return sum(updated([p.existing], p.incoming)[0] for p in pairs) / len(pairs)


@pytest.mark.parametrize("pair", [p for p in CASES if p.supersedes], ids=lambda p: p.incoming[:40])
def test_a_later_value_of_the_same_thing_is_an_update(pair: Pair) -> None:
    """Tallies that grow, announced values, dates that move."""
    assert updated([pair.existing], pair.incoming) == [True]


@pytest.mark.parametrize("family", ["difference", "goal", "events", "speaker", "again"])
def test_what_states_no_new_value_of_the_same_thing_is_none(family: str) -> None:
    """Differences, goals, events, another speaker's values, and old values told again."""
    assert share([p for p in CASES if p.family == family and not p.supersedes]) == 0


def test_another_things_value_seldom_passes_for_an_update() -> None:
    """Written to be mistaken: at most three in ten are."""
    bystanders = [p for p in CASES if not p.supersedes and p.family in {"other-thing", "puzzle"}]
    assert share(bystanders) <= 0.3


def test_pairs_that_were_held_out_are_told_apart() -> None:
    """At least four updates in five, at most one bystander in seven."""
    assert share([p for p in HELD_OUT if p.supersedes]) >= 0.8
    assert share([p for p in HELD_OUT if not p.supersedes]) <= 1 / 7


def test_the_closest_value_is_updated_wherever_it_was_told() -> None:
    """Both statements of the old value, and no other tally in the same unit."""
    old = [
        "User: I've finished 8 lessons of the Welsh course",
        "User: I've paid for 6 riding lessons",
        "User: after 8 lessons of Welsh I can order a coffee",
    ]
    assert updated(old, "User: I've now finished 11 lessons of the Welsh course") == [
        True,
        False,
        True,
    ]


def test_a_named_former_value_must_be_the_one_given() -> None:
    """From 8 to 11 updates no 5."""
    new = "User: I went from 8 to 11 laps in the pool"
    assert updated(["User: I swim 8 laps in the pool"], new) == [True]
    assert updated(["User: I swim 5 laps in the pool"], new) == [False]


def test_a_tally_does_not_shrink() -> None:
    """Fewer than before are others, or were told late."""
    assert updated(["User: I've read 15 plays"], "User: I've read 12 plays") == [False]


def test_a_text_of_several_statements_is_not_retired_for_one() -> None:
    """What else it says would be lost."""
    old = "User: I've read 12 plays. My favourite is Antigone."
    assert updated([old], "User: I've now read 15 plays") == [False]


@pytest.mark.parametrize(
    ("existing", "incoming", "expected"),
    [
        ("User has finished 8 lessons of Welsh", "User: I've finished 11 lessons of Welsh", True),
        ("User: I've finished 8 lessons of Welsh", "User has finished 11 lessons of Welsh", True),
        ("User has finished 8 lessons of Welsh", "Mei has finished 11 lessons of Welsh", False),
        ("User has finished 8 lessons of Welsh", "Mei: I've finished 11 lessons of Welsh", False),
    ],
)
def test_who_is_spoken_of_counts_with_and_without_a_label(
    existing: str, incoming: str, expected: bool
) -> None:
    """A statement may name its speaker before a colon or as its subject."""
    assert updated([existing], incoming) == [expected]


def test_most_statements_are_no_news() -> None:
    """They are not compared with anything."""
    assert not news("User: I like the smell of rain")
    assert not news("The crew now has 12 members")
    assert news("The crew now has 12 members", said=True)
    assert update_probabilities([], passages(["User: I now have 3 cats"])[0]).shape == (0,)


def test_an_update_amid_other_talk_retires_the_old_value(tmp_path: Path) -> None:
    """Through the public interface, with the statement it updates far from the nearest."""
    with Memory.open(tmp_path / "memory.db") as memory:
        old = memory.add("User: the co-op we started last spring has 45 members", pin=True)
        for n in range(12):
            memory.add(f"User: how should we plan evening number {n} of the co-op?", pin=True)
        new = memory.add(
            "User: I'd love a hand with the co-op's evenings, given how the members have grown"
            " since, which have now reached 70",
            pin=True,
        )
        assert memory.get(old.id).superseded_by == new.id

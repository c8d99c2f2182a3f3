"""The judge of histories: good ones pass, bad ones do not, and each is made by hand."""

from __future__ import annotations

import pytest
from torture.linear import Call, linearizable, unplaceable, unread


def add(
    target: str, invoked: float, returned: float, *, at: int = 0, outcome: str = "active",
    ids: str = "",
) -> Call:  # fmt: skip
    """A memory is added and supersedes those of ``ids``, one letter each."""
    return Call(0, "add", "s", target, invoked, returned, outcome, at, frozenset(ids))


def read(ids: str, invoked: float, returned: float) -> Call:
    """These memories, one letter each, are active."""
    return Call(1, "read", "s", "", invoked, returned, ids=frozenset(ids))


def update(
    target: str, invoked: float, returned: float, outcome: str = "active", ids: str = ""
) -> Call:
    """A text is corrected."""
    return Call(2, "update", "s", target, invoked, returned, outcome, ids=frozenset(ids))


def forget(target: str, invoked: float, returned: float) -> Call:
    """A memory is erased."""
    return Call(3, "forget", "s", target, invoked, returned)


def restore(target: str, invoked: float, returned: float, outcome: str = "ok") -> Call:
    """A memory stands again."""
    return Call(3, "restore", "s", target, invoked, returned, outcome)


GOOD: dict[str, list[Call]] = {
    "nothing": [],
    "one after the other": [add("a", 0, 1), read("a", 2, 3), add("b", 4, 5, at=1, ids="a")],
    "at once, in the other order": [add("b", 0, 9, at=1, ids="a"), add("a", 1, 8)],
    "at once, the older one last": [add("b", 0, 9, at=1), add("a", 1, 8, outcome="superseded")],
    "a read during an add sees it": [add("a", 0, 9), read("a", 1, 2)],
    "a read during an add does not see it": [add("a", 0, 9), read("", 1, 2)],
    "corrected, then refused": [
        add("a", 0, 1), update("a", 2, 3), add("b", 4, 5, at=1, ids="a"),
        update("a", 6, 7, "Conflict"),
    ],
    "forgotten while it is corrected": [
        add("a", 0, 1), update("a", 2, 9, "NotFound"), forget("a", 3, 4),
    ],
    "restored, both stand, the next replaces both": [
        add("a", 0, 1), add("b", 2, 3, at=1, ids="a"), restore("a", 4, 5), read("ab", 6, 7),
        add("c", 8, 9, at=2, ids="ab"), read("c", 10, 11),
    ],
    "inserted into history": [
        add("a", 0, 1), add("c", 2, 3, at=2, ids="a"),
        add("b", 4, 5, at=1, outcome="superseded", ids="a"), read("c", 6, 7),
    ],
}  # fmt: skip
BAD: dict[str, list[Call]] = {
    "an add is lost": [add("a", 0, 1), read("", 2, 3)],
    "a read of the past": [add("a", 0, 1), add("b", 2, 3, at=1, ids="a"), read("a", 4, 5)],
    "a read of the future": [read("a", 0, 1), add("a", 2, 3)],
    "two reads disagree about the order": [
        add("a", 0, 9), read("a", 1, 2), read("", 3, 4),
    ],
    "two heads": [add("a", 0, 1), add("b", 2, 3, at=1)],
    "both replace the same one and stand": [
        add("a", 0, 1), add("b", 2, 9, at=1, ids="a"), add("c", 3, 8, at=1, ids="a"),
    ],
    "an older one stands": [add("b", 0, 1, at=1), add("a", 2, 3)],
    "a superseded one is corrected": [
        add("a", 0, 1), add("b", 2, 3, at=1, ids="a"), update("a", 4, 5, ids="b"),
    ],
    "what is forgotten comes back": [add("a", 0, 1), forget("a", 2, 3), read("a", 4, 5)],
    "a forgotten one is restored": [add("a", 0, 1), forget("a", 2, 3), restore("a", 4, 5)],
    "stored twice": [add("a", 0, 1), add("a", 2, 3)],
    "it replaces what was never there": [add("a", 0, 1, ids="x")],
}  # fmt: skip


@pytest.mark.parametrize("calls", GOOD.values(), ids=GOOD.keys())
def test_a_history_that_has_an_order_passes(calls: list[Call]) -> None:
    """In whichever order it is told."""
    assert linearizable(calls)
    assert linearizable(calls[::-1])


@pytest.mark.parametrize("calls", BAD.values(), ids=BAD.keys())
def test_a_history_without_an_order_does_not(calls: list[Call]) -> None:
    """In whichever order it is told."""
    assert not linearizable(calls)
    assert not linearizable(calls[::-1])


def test_subjects_are_judged_apart() -> None:
    """The one that is wrong is named."""
    other = Call(0, "add", "t", "a", 0, 1, "active")
    assert unplaceable([other, add("a", 0, 1), read("", 2, 3)]) == ["2 calls about s have no order"]


def test_many_calls_at_once_are_judged_in_reasonable_time() -> None:
    """Twelve writers that overlap entirely: each state is tried once."""
    letters = "abcdefghijkl"
    calls = [add(letter, 0, 99, at=i, ids=letters[i - 1 : i]) for i, letter in enumerate(letters)]
    assert linearizable([*calls, read("l", 100, 101)])
    assert not linearizable([*calls, read("k", 100, 101)])


def test_a_writer_that_does_not_find_its_write_is_noticed() -> None:
    """Unless somebody else was about to change it."""
    search = Call(0, "read", "s", "a", 2, 3)
    assert unread([add("a", 0, 1)], [search])
    assert unread([add("a", 0, 1), forget("a", 2, 4)], [search]) == []
    assert unread([add("a", 0, 1)], [Call(0, "read", "s", "a", 2, 3, ids=frozenset("a"))]) == []

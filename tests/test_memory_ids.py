"""Identifiers."""

from __future__ import annotations

import time
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

from hypermnesia import identity
from hypermnesia.identity import new_id


def test_ids_increase_in_the_order_they_are_made() -> None:
    """As text and as numbers, however many a millisecond takes."""
    ids = [new_id() for _ in range(20_000)]
    assert ids == sorted(ids)
    assert len(set(ids)) == len(ids)


def test_ids_of_several_threads_never_collide() -> None:
    """And increase within each."""

    def many(number: int) -> list[str]:
        return [new_id() for _ in range(number)]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(many, [3000] * 4))
    assert all(ids == sorted(ids) for ids in found)
    assert len({i for ids in found for i in ids}) == 12_000


def test_an_id_is_a_uuid_of_version_seven_and_of_now() -> None:
    """RFC 9562: variant, version, and milliseconds since 1970 in the first 48 bits."""
    before = time.time_ns() // 1_000_000
    made = uuid.UUID(new_id())
    assert (made.version, made.variant) == (7, uuid.RFC_4122)
    assert before - 1 <= made.int >> 80 <= time.time_ns() // 1_000_000 + 1


def test_ids_increase_when_the_clock_is_set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """The counter goes on from where it was."""
    first = new_id()
    monkeypatch.setattr(identity.time, "time_ns", lambda: 0)
    assert new_id() > first

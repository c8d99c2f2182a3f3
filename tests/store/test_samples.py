"""Pieces of texts and finding them in files."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.store import samples
from hypermnesia.store.samples import LONGEST, MOST, PER_TEXT, SHORTEST, present, samples_of


@given(st.text(max_size=400))
def test_pieces_are_parts_of_their_text_and_few(text: str) -> None:
    """Within their bounds, and free of what JSON writes differently."""
    pieces = samples_of([text])
    assert len(pieces) <= PER_TEXT
    for piece in pieces:
        assert SHORTEST <= len(piece) <= LONGEST
        assert piece in text.encode("utf-8", "replace")
        assert not set(piece) & {*range(32), ord('"'), ord("\\")}


def test_half_a_character_is_no_reason_to_fail() -> None:
    """A lone surrogate cannot be encoded; what stands beside it can."""
    assert samples_of(["\ud800"]) == ()
    assert samples_of(["abcdefgh \udfff"])


def test_of_very_many_pieces_some_are_looked_for() -> None:
    """Spread evenly, so that none of many memories is favoured."""
    pieces = samples_of(f"number {i:08d}" for i in range(2 * MOST + 1))
    assert MOST / 2 <= len(pieces) <= MOST
    assert pieces[0] < b"number 00000010"
    assert pieces[-1] > b"number 00039990"


@pytest.mark.parametrize("block", [64, 1 << 24])
def test_pieces_are_found_wherever_they_lie(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    """At any alignment, across the blocks that a file is read in, at its very end."""
    monkeypatch.setattr(samples, "_BLOCK", block)
    chance = random.Random(3)
    for size in (SHORTEST, 13, LONGEST):
        pieces = [chance.randbytes(size) for _ in range(20)]
        filler = [chance.randbytes(chance.randrange(90)) for _ in pieces]
        path = tmp_path / f"{size}"
        path.write_bytes(b"".join(f + p for f, p in zip(filler, pieces[:10], strict=False)))
        assert present(pieces, path) == set(pieces[:10])


def test_pieces_that_begin_alike_are_told_apart(tmp_path: Path) -> None:
    """The first machine word only says where to look."""
    (tmp_path / "file").write_bytes(b"..abcdefgh-one..")
    sought = [b"abcdefgh-one", b"abcdefgh-two", b"abcdefgh"]
    assert present(sought, tmp_path / "file") == {b"abcdefgh-one", b"abcdefgh"}


def test_no_file_and_an_empty_file_hold_nothing(tmp_path: Path) -> None:
    """Nor is anything found when nothing is sought."""
    (tmp_path / "empty").touch()
    for name in ("missing", "empty"):
        assert present([b"abcdefgh"], tmp_path / name) == set()
    (tmp_path / "short").write_bytes(b"abc")
    assert present([b"abcdefgh"], tmp_path / "short") == set()
    assert present([], tmp_path / "short") == set()

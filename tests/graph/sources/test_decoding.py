"""Bytes as text and lines."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hypermnesia.graph.sources import decoding
from hypermnesia.graph.sources.decoding import Line, lines, pieces


def heeded(data: bytes) -> tuple[str, list[int]]:
    """The text, and the bytes that were told."""
    told = list[int]()
    return "".join(pieces(io.BytesIO(data), told.append)), told


@settings(deadline=None)
@given(
    st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\ufffd\ufeff")),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]),
    st.integers(1, 9),
)
def test_text_is_read_back_in_chunks_of_any_size(text: str, encoding: str, size: int) -> None:
    """A letter may lie across two chunks."""
    # As UTF-16 it has the first bytes of any UTF-32, and no text begins with NUL.
    assume(encoding != "utf-16" or not text.startswith("\0"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decoding, "CHUNK", size)
        assert heeded(text.encode(encoding)) == (text, [])


@settings(deadline=None)
@given(st.binary(max_size=40), st.integers(1, 9))
def test_bytes_of_any_kind_become_storable_text(data: bytes, size: int) -> None:
    """Nothing is told unless something was replaced, and then the first place, once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decoding, "CHUNK", size)
        text, told = heeded(data)
    text.encode("utf-8")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or data[:4] == b"\0\0\xfe\xff":
        return
    body = data.removeprefix(b"\xef\xbb\xbf")
    assert told == [len(data) - len(body) + start for start in _broken_at(body)]
    assert text == body.decode("utf-8") if not told else "\ufffd" in text


def _broken_at(data: bytes) -> list[int]:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return [error.start]
    return []


def test_utf_16_that_breaks_is_told_too() -> None:
    """Half of a pair, and a byte too few."""
    assert heeded(b"\xff\xfea\0\x00\xd8b\0") == ("a\ufffdb", [4])
    assert heeded(b"\xff\xfea\0b") == ("a\ufffd", [4])


@settings(deadline=None)
@given(st.lists(st.text(alphabet="ab\r\n\u2028\x0b")))
def test_lines_end_in_lf_or_cr_lf_only(texts: list[str]) -> None:
    """Other separators are part of a text, wherever the pieces are cut."""
    whole = "".join(texts)
    expected = whole.split("\n")
    found = list(lines(iter(texts)))
    assert [line.text for line in found] == [
        text.removesuffix("\r") for text in (expected if expected[-1] else expected[:-1])
    ]
    assert [line.number for line in found] == list(range(1, len(found) + 1))


def test_a_line_too_long_is_cut_and_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is beyond is not held."""
    monkeypatch.setattr(decoding, "MAX_LINE", 5)

    def text() -> Iterator[str]:
        yield from ("abc", "def", "g" * 50, "\nxy\n", "12345")

    assert list(lines(text())) == [
        Line(1, "abcde", whole=False),
        Line(2, "xy"),
        Line(3, "12345"),
    ]

"""What all formats have in common: encodings, broken files, long messages, repeated ids."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypermnesia.errors import InvalidInput
from hypermnesia.graph.messages import Message, Rejected
from hypermnesia.graph.sources import FORMATS, decoding, detect, read
from hypermnesia.validate import MAX_CONTENT
from tests.graph.sources.samples import DOCUMENTS, LOCOMO, OPENAI, every, messages

TRANSCRIPT = "## 8 May 2023\nAnn: hi\nBob: ho\n"
TEXTS = {name: json.dumps(value) for name, value in DOCUMENTS.items()} | {"transcript": TRANSCRIPT}


def plain(items: list[Message | Rejected]) -> list[Message]:
    """Messages without their sessions, whose names may stand behind them in a file."""
    return [replace(item, session=None) for item in items if isinstance(item, Message)]


class Trickle(io.RawIOBase):
    """A stream that cannot seek and gives a byte at a time."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self._data = iter(data)

    def readable(self) -> bool:
        """It is there to be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """One byte, or none at the end."""
        for byte in self._data:
            buffer[0] = byte
            return 1
        return 0


@pytest.mark.parametrize("name", FORMATS)
def test_the_format_is_told_from_the_beginning(name: str) -> None:
    """As text and as bytes, in one line and in many, and in a list."""
    text = TEXTS[name]
    shapes = [text, "\n " + text, text.encode(), b"\xef\xbb\xbf" + text.encode()]
    shapes += [text.encode("utf-16")]
    if name in DOCUMENTS:
        shapes.append(json.dumps(DOCUMENTS[name], indent=1))
    assert {detect(shape) for shape in shapes} == {name}
    assert plain(every(text)) == plain(every(text, format=name)) != []


@pytest.mark.parametrize(
    "text",
    [
        *("Once upon a time\nthere was: a bean", '{"beans": 5}', "\x00\x01\x02", "a,b\n1,2"),
        *("[2023]", '{"conversation": 5, "turns": []}', "x" * 10**6, "To: you\nFrom: me\n"),
    ],
)
def test_an_unknown_format_is_refused_with_its_beginning(text: str) -> None:
    """Sixty characters of it, and the way to name it."""
    with pytest.raises(InvalidInput, match=r"not any known format: .*--format") as caught:
        every(text)
    assert repr(text[:60]) in str(caught.value)
    assert len(str(caught.value)) < 400


def test_an_unknown_name_of_a_format_is_refused() -> None:
    """With the names that there are."""
    with pytest.raises(InvalidInput, match="openai, locomo, chatgpt, claude, transcript"):
        every(TRANSCRIPT, format="whatsapp")


def test_files_and_standard_input_are_read(tmp_path: Path) -> None:
    """By path, by name, and through a pipe."""
    path = tmp_path / "talk.json"
    path.write_text(TEXTS["locomo"], "utf-8")
    expected = every(TEXTS["locomo"])
    assert list(read(path)) == list(read(str(path))) == expected
    code = (
        "from hypermnesia.graph.sources import read\n"
        "for message in read('-'): print(ascii(message))"
    )
    piped = subprocess.run(
        [sys.executable, "-c", code], input=path.read_bytes(), capture_output=True, check=True
    )
    assert piped.stdout.decode().splitlines() == [ascii(message) for message in expected]


def test_a_path_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    """A folder, a missing file, no file name at all, text in another encoding."""
    for path in (tmp_path, tmp_path / "missing", "a\0b"):
        with pytest.raises(InvalidInput, match="cannot be read"):
            list(read(path))
    wrong = io.TextIOWrapper(io.BytesIO(b"Ann: \xff"), encoding="utf-8")
    with pytest.raises(InvalidInput, match="cannot be read"):
        list(read(wrong))


def test_a_stream_stays_open_and_a_file_is_closed_early(tmp_path: Path) -> None:
    """Whoever opened it closes it; an unclosed file would be a warning, so an error here."""
    stream = io.StringIO(TRANSCRIPT)
    assert len(list(read(stream))) == 2
    assert not stream.closed
    path = tmp_path / "talk.txt"
    path.write_text(TRANSCRIPT, "utf-8")
    reading = read(path)
    next(reading)
    del reading


@pytest.mark.parametrize("name", FORMATS)
def test_a_stream_may_give_a_byte_at_a_time(name: str) -> None:
    """Marks, letters, escapes and values are put together again."""
    text = TEXTS[name].replace("hi", "h\u00ef\U0001f600")
    expected = every(text)
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32"):
        assert list(read(Trickle(text.encode(encoding)))) == expected  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_byte_order_marks_and_dos_line_ends_change_nothing(name: str, encoding: str) -> None:
    """As Windows programs write text."""
    text = json.dumps(DOCUMENTS[name], indent=1) if name in DOCUMENTS else TRANSCRIPT
    data = text.replace("\n", "\r\n").encode(encoding)
    assert every(data) == every(text)


def test_bytes_in_no_encoding_are_replaced_and_told_once() -> None:
    """The place is the first such byte, counted from the file's beginning."""
    data = b"\xef\xbb\xbfAnn: \xc3\xa4 caf\xe9\nBob: na\xefve\n"
    told, *found = every(data)
    assert isinstance(told, Rejected)
    assert (told.where, "U+FFFD" in told.message) == ("byte 14", True)
    assert data[14:15] == b"\xe9"
    assert [m.content for m in plain(found)] == ["\xe4 caf\ufffd", "na\ufffdve"]
    assert len(found) == 2
    assert every("Ann: a \ufffd of one's own".encode())[0] == Message(
        "Ann", "a \ufffd of one's own"
    )


def test_characters_no_store_can_hold_are_replaced_and_told_once() -> None:
    """NUL and halves of pairs, as JSON can spell them; whole pairs are emoji."""
    text = r"""[{"role": "user", "content": "a\u0000b"}, {"role": "user", "content": "\ud83d"},
        {"role": "user", "content": [{"type": "text", "text": "c\u0000"}], "caption": "\udead"},
        {"role": "user", "content": "\ud83d\ude00"}]"""
    told, *found = every(text)
    assert isinstance(told, Rejected)
    assert told.where == "message 1"
    assert [(m.content, m.caption) for m in plain(found)] == [
        ("a\ufffdb", None),
        ("\ufffd", None),
        ("c\ufffd", "\ufffd"),
        ("\U0001f600", None),
    ]
    assert len(found) == 4


def test_a_message_longer_than_a_memory_is_told_in_parts() -> None:
    """A megabyte, in any format; every part can be stored."""
    text = ("A sentence on beans. " * 50_000).strip()
    found = messages([{"role": "user", "content": text, "id": "long"}])
    assert [m.id for m in found[:3]] == ["long", "long#2", "long#3"]
    assert all(len(m.content) <= MAX_CONTENT and m.content.endswith(".") for m in found)
    assert " ".join(m.content for m in found) == text
    assert " ".join(m.content for m in messages(f"Ann: {text}")) == text


def test_a_repetition_is_told_and_another_message_of_the_id_kept() -> None:
    """Nothing is lost to an id that was given twice."""
    one = {"role": "user", "content": "one", "id": "a"}
    found = every(json.dumps([one, {**one, "content": "two"}, one]))
    assert [m.id for m in plain(found)] == ["a", "a~2"]
    assert isinstance(found[2], Rejected)
    assert (found[2].index, found[2].where) == (2, "message 3")


def test_times_are_left_as_they_are() -> None:
    """Mixed zones, no order, none at all: to be settled by whoever builds on them."""
    stamps = ["2024-01-02T00:00:00+09:00", None, "2023-01-01T00:00:00-05:00", 1683554160]
    found = messages([{"role": "user", "content": "x", "timestamp": stamp} for stamp in stamps])
    assert [m.at and m.at.isoformat() for m in found] == [
        "2024-01-02T00:00:00+09:00",
        None,
        "2023-01-01T00:00:00-05:00",
        "2023-05-08T13:56:00+00:00",
    ]


@pytest.mark.parametrize("text", ["", " \n", "\ufeff"])
def test_an_empty_source_is_told(text: str) -> None:
    """It is not an error of the format."""
    assert [type(item) for item in every(text)] == [Rejected]
    assert [type(item) for item in every(text, format="claude")] == [Rejected]


@pytest.mark.parametrize("text", ["[]", '{"messages": []}', '[{"messages": []}]', "[[]]"])
def test_an_empty_conversation_is_none(text: str) -> None:
    """No message, nothing to tell."""
    assert every(text) == []


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("indent", [None, 1])
def test_of_a_cut_document_the_messages_before_the_cut_are_read(
    name: str, indent: int | None
) -> None:
    """At every byte, with the format named or told: a prefix, then one place."""
    text = json.dumps(DOCUMENTS[name], indent=indent)
    whole = plain(every(text))
    for end in range(len(text)):
        for options in ({}, {"format": name}):
            found = every(text[:end], **options)
            *before, last = found
            assert plain(before) == whole[: len(before)], end
            assert isinstance(last, Rejected)


@pytest.mark.parametrize("text", ["\n".join(map(json.dumps, OPENAI)), TRANSCRIPT])
def test_of_cut_lines_those_before_the_cut_are_read(text: str) -> None:
    """Half a line is rejected where lines are JSON, and half a message where they are talk."""
    text = text.replace("beans", "b\u00e9ans")
    whole, data = every(text), text.encode()
    name = detect(text)
    for end in range(1, len(data)):
        found = plain(every(data[:end], format=name))
        kept = found if name == "openai" else found[:-1]
        assert kept == whole[: len(kept)]
        assert len(kept) >= data[:end].count(b"\n") - (name == "transcript") * 2


def test_a_line_too_long_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """As JSON it is useless; of talk, the beginning is kept."""
    monkeypatch.setattr(decoding, "MAX_LINE", 100)
    one = json.dumps({"role": "user", "content": "one"})
    found = every("\n".join([one, one.replace("one", "x" * 200), one]))
    assert [getattr(item, "where", "read") for item in found] == ["read", "line 2", "read"]
    told, kept = every("Ann: " + "x" * 200)
    assert isinstance(told, Rejected)
    assert kept == Message("Ann", "x" * 95)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_cut_names_line_and_column(name: str) -> None:
    """Where an editor shows the break."""
    text = json.dumps(DOCUMENTS[name], indent=1)
    text = text[: text.rindex('"') - 3]
    last = every(text, format=name)[-1]
    assert isinstance(last, Rejected)
    lines = text.split("\n")
    assert last.where == f"line {len(lines)}, column {len(lines[-1]) + 1}"


@settings(deadline=None)
@given(st.sampled_from(sorted(DOCUMENTS)), st.data())
def test_a_damaged_document_never_raises(name: str, data: st.DataObject) -> None:
    """Any stretch replaced by anything: messages, and places of what could not be read."""
    raw = json.dumps(DOCUMENTS[name]).encode()
    begin = data.draw(st.integers(0, len(raw)))
    end = data.draw(st.integers(begin, min(len(raw), begin + 20)))
    junk = data.draw(st.binary(max_size=6) | st.sampled_from([b"{", b"]", b'"', b",", b"\\", b":"]))
    for item in every(raw[:begin] + junk + raw[end:], format=name):
        assert isinstance(item, Rejected) or item.content or item.caption


@settings(deadline=None)
@given(st.sampled_from(FORMATS), st.text(max_size=60) | st.binary(max_size=60))
def test_no_text_raises_where_the_format_is_named(name: str, text: str | bytes) -> None:
    """Whatever it is; without a name the format may be refused, and nothing else."""
    assert all(isinstance(item, Message | Rejected) for item in every(text, format=name))
    with suppress(InvalidInput):
        every(text)


@pytest.mark.parametrize("name", ["openai", "claude", "chatgpt", "locomo"])
@pytest.mark.parametrize("text", ["Ann: hi", "5", '"x"', "null", "}", "[1, [2, {}]]", "[" * 10**5])
def test_a_wrong_name_of_a_format_is_told_item_by_item(name: str, text: str) -> None:
    """Something is rejected, nothing is raised."""
    found = every(text, format=name)
    assert found
    assert all(isinstance(item, Rejected) for item in found)


def naughty() -> list[str]:
    """Lines that break programs, kept outside the repository."""
    folder = os.environ.get("HYPERMNESIA_DEV_DATA")
    path = Path(folder or ".") / "naughty-strings.txt"
    if not folder or not path.is_file():
        pytest.skip("HYPERMNESIA_DEV_DATA names no folder with naughty-strings.txt")
    lines = path.read_text("utf-8", "surrogateescape").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def test_naughty_strings_come_through_every_format() -> None:
    """As contents: each is a message, none changes another."""
    texts = [text for text in naughty() if text.isprintable()]
    talk = {"session_1": [{"speaker": "Ann", "text": text} for text in texts]}
    chat = [{"chat_messages": [{"sender": "human", "text": text} for text in texts]}]
    expected = [text.strip() for text in texts]
    for source in ([{"role": "user", "content": text} for text in texts], chat):
        assert [m.content for m in messages(source)] == expected
    assert [m.content for m in messages({"conversation": talk})] == expected
    assert [m.content for m in messages("".join(f"Ann: {text}\n" for text in texts))] == expected


class Endless(io.RawIOBase):
    """A stream that makes up its lines while it is read."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        super().__init__()
        self._lines = lines

    def read(self, size: int = -1) -> bytes:
        """The next line, whatever its size."""
        return next(self._lines, b"")


@pytest.mark.parametrize(
    "line",
    [b'{"role": "user", "id": "%d", "content": "%s"}\n', b"[2023-05-08 13:56] Ann %d: %s\n"],
    ids=["lines", "transcript"],
)
def test_lines_and_transcripts_are_read_in_little_memory(line: bytes) -> None:
    """Eight megabytes pass through less than four."""
    stream = Endless(line % (number, b"word " * 200) for number in range(8_000))
    list(read(io.StringIO(TRANSCRIPT)))  # import and compile what is needed, first
    tracemalloc.start()
    try:
        count = sum(isinstance(item, Message) for item in read(stream))  # pyright: ignore[reportArgumentType]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 8_000
    assert peak < 4_000_000


def test_what_a_document_does_not_need_is_not_kept() -> None:
    """Questions and summaries pass by; a conversation is all that is held."""
    labels = b'"observation": [' + b",".join([b'"%s"' % (b"x" * 999)] * 100) + b"],"
    tail = json.dumps(LOCOMO)[1:].encode()
    chunks = (chunk for chunk in (b"{", *(labels for _ in range(200)), tail))
    tracemalloc.start()
    try:
        found = list(read(Endless(chunks)))  # pyright: ignore[reportArgumentType]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found == every(json.dumps(LOCOMO))
    assert peak < 4_000_000

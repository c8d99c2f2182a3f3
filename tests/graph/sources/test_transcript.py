"""Talk as people write it down."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hypermnesia.graph.messages import Message, Rejected
from hypermnesia.graph.sources import transcript
from tests.graph.sources.samples import every, messages

AT = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


def said(text: str) -> list[tuple[str, str]]:
    """Who said what."""
    return [(message.speaker, message.content) for message in messages(text)]


def times(text: str) -> list[datetime | None]:
    """When each message was said."""
    return [message.at for message in messages(text)]


def test_a_line_is_a_message_and_other_lines_go_on_with_it() -> None:
    """Blank lines and indentation within a message are kept, white space around it is not."""
    text = "Ann: one\n  two\n\nthree: four\nNote: five\n\nBob Ross:\nsix\n\n**Cy:** seven\n"
    assert said(text) == [
        ("Ann", "one\n  two\n\nthree: four\nNote: five"),
        ("Bob Ross", "six"),
        ("Cy", "seven"),
    ]
    assert times(text) == [None] * 3


@pytest.mark.parametrize(
    "line",
    [
        "[2023-05-08 13:56] Ann: hi",
        "[8 May 2023, 1:56 pm] Ann: hi",
        "2023-05-08 13:56 - Ann: hi",
        "08/05/2023, 13:56 - Ann: hi",
        "2023-05-08 13:56 Ann: hi",
        "2023-05-08T13:56:00Z Ann: hi",
        "[2023-05-08T15:56+02:00] Ann: hi",
        "\u200e[08/05/2023, 13:56:00] Ann: hi",
        "Ann (2023-05-08 13:56): hi",
        "Ann [8 May 2023 13:56]\nhi",
        "Ann \u2014 08/05/2023 13:56\nhi",
        "## 8 May 2023\nAnn  1:56 PM\nhi",
        "## 8 May 2023\n[13:56] Ann: hi",
        "8 May 2023\n\n[13:56] Ann: hi",
        "# Monday, May 8th, 2023\n\n13:56 - Ann: hi",
        "--- session 3, 8 May 2023 1:56 pm ---\nAnn: hi",
        "=== Session 3 (8 May 2023 13:56) ===\nAnn: hi",
    ],
)
def test_a_message_has_the_time_that_stands_by_it_or_above(line: str) -> None:
    """In front, behind the name, or in a heading."""
    (message,) = messages(line, format="transcript")
    assert (message.speaker, message.content, message.at) == ("Ann", "hi", AT)
    assert messages(line) == [message]


def test_headings_set_date_and_session_until_the_next() -> None:
    """A title above all is a session; further down, other headings are part of the message."""
    text = """# Garden talk

Ann: zero
--- session 3, 8 May 2023 ---
Ann: one
## Beds
are ready
## Session 4
Ann: two
## 10 May 2023
Ann: three
"""
    assert [(m.session, m.content, m.at and m.at.day) for m in messages(text)] == [
        ("Garden talk", "zero", None),
        ("session 3", "one\n## Beds\nare ready", 8),
        ("Session 4", "two", 8),
        ("Session 4", "three", 10),
    ]


def test_a_messenger_stamps_every_message() -> None:
    """So "Name: text" without a time goes on; what nobody says, the system does."""
    text = (
        "08/05/2023, 13:55 - Messages are encrypted.\n"
        "08/05/2023, 13:56 - Ann: the list\n"
        "Beans: two rows\n"
        "25/05/2023, 13:57 - +49 170 1234567: thanks: a lot\n"
    )
    assert said(text) == [
        ("system", "Messages are encrypted."),
        ("Ann", "the list\nBeans: two rows"),
        ("+49 170 1234567", "thanks: a lot"),
    ]
    assert times(text)[1:] == [AT, datetime(2023, 5, 25, 13, 57, tzinfo=UTC)]


def test_the_order_of_day_and_month_is_that_of_the_whole_text() -> None:
    """A later date tells how an earlier one is meant."""
    text = "[5/8/23, 1:56:00\u202fPM] Ann: one\n[5/25/23, 1:56:00\u202fPM] Ann: two\n"
    assert times(text) == [AT, AT.replace(day=25)]


def test_dates_may_stand_by_some_messages_only() -> None:
    """Handwritten notes; a message without a time has none, rather than another's."""
    text = "[2023-05-08 13:56] Ann: one\nBob: two\n[13:57] Ann: three\n"
    assert said(text) == [("Ann", "one"), ("Bob", "two"), ("Ann", "three")]
    assert times(text) == [AT, None, AT.replace(minute=57)]


def test_times_that_always_stood_by_messages_are_waited_for() -> None:
    """After five of them, a line without a time is part of the message above it."""
    text = "".join(f"[13:5{number}] Ann: {number}\n" for number in range(5))
    text += "Beans: two\n[14:00] Bob: ok"
    assert said(text)[4:] == [("Ann", "4\nBeans: two"), ("Bob", "ok")]


def test_names_in_lower_case_are_names_where_the_text_begins_with_one() -> None:
    """Otherwise a word and a colon are part of a sentence."""
    assert said("ann: hi\nbob: ho") == [("ann", "hi"), ("bob", "ho")]
    assert said("Ann: hi\nreason: none") == [("Ann", "hi\nreason: none")]
    assert said("Ann: hi\nuser: ho") == [("Ann", "hi"), ("user", "ho")]


def test_in_a_chat_with_an_assistant_only_the_two_speak() -> None:
    """Answers are full of words before colons."""
    answer = "Pros: cheap\nStep 1: dig\nnext: sow"
    for name in ("assistant", "AI", "ChatGPT", "Claude"):
        text = f"User: how?\n{name}: So:\n{answer}\nUser: thanks"
        assert said(text) == [("User", "how?"), (name, f"So:\n{answer}"), ("User", "thanks")]


def test_addresses_and_times_are_no_speakers() -> None:
    """Nor are list items, quotations and labels."""
    more = "https://example.org\n10:30 is fine\n- Bob: no\n> Bob: no\n1. Bob: no\nPS: yes\nBob:no"
    assert said(f"Ann: see\n{more}") == [("Ann", f"see\n{more}")]


def test_code_is_not_searched_for_speakers() -> None:
    """Until its fence is closed, or is seen to be a stray one."""
    code = "```yaml\nUser: postgres\n## 8 May 2023\n```"
    assert said(f"Ann: see\n{code}\nBob: ok") == [("Ann", f"see\n{code}"), ("Bob", "ok")]
    assert said(f"Ann: {code}\nBob: ```x```\nAnn: ok")[1:] == [("Bob", "```x```"), ("Ann", "ok")]
    stray = "\n".join(["Ann: ```", *["x"] * transcript.MAX_FENCED, "Bob: ok"])
    assert said(stray)[-1] == ("Bob", "ok")


def test_an_empty_message_and_a_line_of_nobody_are_told() -> None:
    """With the number of the line; the rest is read."""
    found = every("stray\nAnn: one\nBob:\nAnn: two\n", format="transcript")
    assert [item.content for item in found if isinstance(item, Message)] == ["one", "two"]
    assert [item.where for item in found if isinstance(item, Rejected)] == ["line 1", "line 3"]


def test_a_speech_without_end_is_cut_in_memory() -> None:
    """Every piece has its speaker; no line is lost."""
    line = "x" * 99
    found = said("Ann: go\n" + f"{line}\n" * (transcript.MAX_HELD // 50))
    assert {speaker for speaker, _ in found} == {"Ann"}
    assert sum(content.count(line) for _, content in found) == transcript.MAX_HELD // 50


@pytest.mark.parametrize(
    "line",
    [
        "# " + "-" * 10**6 + "a",
        "Ann" + " " * 10**6 + "x",
        "[" * 10**6,
        "1 - " * 10**5 + "1",
        "A " * 10**6,
        "Ann: " + ":" * 10**6,
        "*" * 10**6,
        "```" * 10**5,
    ],
    ids=["dashes", "spaces", "brackets", "stamps", "names", "colons", "stars", "fences"],
)
def test_hostile_lines_are_kept_whole(line: str) -> None:
    """A pattern that went back and forth over them would not end."""
    found = every(f"Ann: hi\n{line}\nBob: ho")
    letters = "".join(m.speaker + m.content for m in found if isinstance(m, Message))
    assert sum(map(letters.count, line[:1])) >= line.count(line[0])
    assert letters.endswith("ho")

"""Messages as callers pass them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypermnesia.errors import InvalidInput
from hypermnesia.graph.messages import MAX_MESSAGE, Message, message_of, parts
from hypermnesia.validate import MAX_CONTENT


def test_every_field_of_the_contract_is_read() -> None:
    """Text is trimmed, the role found in any case, a number may be an id."""
    item = {
        "speaker": " Ida ",
        "role": "User",
        "content": " My beans came up.\n",
        "timestamp": "2023-05-08T13:56:00Z",
        "id": 12,
        "session": "garden",
        "caption": " beans ",
    }
    assert message_of(item, 0) == Message(
        speaker="Ida",
        content="My beans came up.",
        role="user",
        at=datetime(2023, 5, 8, 13, 56, tzinfo=UTC),
        id="12",
        session="garden",
        caption="beans",
    )


@pytest.mark.parametrize(
    ("given_", "speaker", "role"),
    [
        ({"role": "assistant"}, "assistant", "assistant"),
        ({"role": "developer"}, "system", "system"),
        ({"role": "human"}, "user", "user"),
        ({"role": "function", "speaker": "search"}, "search", "tool"),
        ({"role": "Ida"}, "Ida", None),
        ({"speaker": "Ida"}, "Ida", None),
        ({"speaker": "User"}, "User", "user"),
        ({"speaker": "Ida", "role": "gardener"}, "Ida", None),
    ],
)
def test_a_name_speaks_and_a_role_is_one_of_four(
    given_: dict[str, str], speaker: str, role: str | None
) -> None:
    """An unknown role is a name; a name that is a role has it."""
    message = message_of({"content": "hi", **given_}, 0)
    assert (message.speaker, message.role) == (speaker, role)


def test_parts_of_a_content_are_joined_and_pictures_described() -> None:
    """As chat APIs send them; what cannot be read is passed over."""
    content: list[Any] = [
        {"type": "text", "text": "Look:"},
        {"type": "image_url", "image_url": {"url": "data:...", "alt": "a slug"}},
        {"type": "input_image", "alt": "a leaf"},
        {"type": "input_audio", "input_audio": {"data": "..."}},
        {"type": "output_text", "text": "a slug!"},
        "and text alone",
    ]
    message = message_of({"role": "user", "content": content}, 0)
    assert message.content == "Look:\na slug!\nand text alone"
    assert message.caption == "a slug\na leaf"


def test_a_caption_is_enough() -> None:
    """A picture without words is a message."""
    assert message_of({"role": "user", "content": None, "caption": "a slug"}, 0).content == ""


@pytest.mark.parametrize(
    ("item", "named"),
    [
        ({"content": "hi"}, "'role' nor 'speaker'"),
        ({"role": " ", "content": "hi"}, "'role' nor 'speaker'"),
        ({"role": "user"}, "content is empty"),
        ({"role": "user", "content": " ", "caption": "\n"}, "content is empty"),
        ({"role": "user", "content": []}, "content is empty"),
        ({"role": "user", "content": 5}, "content must be text"),
        ({"role": "user", "content": {"text": "hi"}}, "content must be text"),
        ({"role": "user", "content": [{"type": "text", "text": 5}]}, "content must be text"),
        ({"role": "user", "content": "a\0b"}, "content holds a NUL"),
        ({"role": "user", "content": "a\ud800"}, "content holds half"),
        ({"role": ["user"], "content": "hi"}, "role must be text"),
        ({"role": "user", "content": "hi", "id": True}, "id must be text"),
        ({"role": "user", "content": "hi", "id": "x" * 501}, "id has 501"),
        ({"role": "user", "content": "hi", "id": 10**5000}, "id must be text"),
        ({"role": "user", "content": "hi", "session": 1.5}, "session must be text"),
        ({"role": "user", "content": "hi", "caption": 5}, "caption must be text"),
        ({"role": "user", "content": "hi", "timestamp": "soon"}, "timestamp"),
        ({"role": "user", "content": "x" * (MAX_MESSAGE + 1)}, "content has 4,000,001"),
        ({"role": "user", "content": ["x" * MAX_MESSAGE, "y"]}, "content has 4,000,002"),
        ("hi", "must be an object"),
        (None, "must be an object"),
    ],
)
def test_a_bad_field_is_named_with_its_message(item: Any, named: str) -> None:
    """The error says which message and which field."""
    with pytest.raises(InvalidInput, match=rf"^message 3: .*{named}"):
        message_of(item, 3)


def test_a_message_made_by_hand_is_checked_like_any_other() -> None:
    """The type alone is no promise."""
    message = Message("Ida", "hi", at=datetime(2023, 5, 8, tzinfo=UTC))
    assert message_of(message, 0) == message
    with pytest.raises(InvalidInput, match="content is empty"):
        message_of(Message("Ida", " "), 0)


def test_deep_nesting_is_no_danger() -> None:
    """Parts are looked at one level deep."""
    deep: Any = []
    for _ in range(10_000):
        deep = [deep]
    with pytest.raises(InvalidInput, match="content is empty"):
        message_of({"role": "user", "content": deep}, 0)


def test_a_message_that_fits_is_its_only_part() -> None:
    """Nothing is copied or renamed."""
    message = Message("Ida", "x" * MAX_CONTENT, id="a")
    assert [*parts(message)] == [message]
    alone = Message("Ida", "", caption="a slug")
    assert [*parts(alone)] == [alone]


def test_a_long_message_is_cut_where_it_pauses() -> None:
    """Paragraph before line before sentence before word; caption and id stay with the first."""
    pieces = ["One two. Three\nfour.", "Five six. Seven eight.", "ninety-nine"]
    message = Message("Ida", "\n\n".join(pieces), id="a", caption="c")
    assert [(p.content, p.id, p.caption) for p in parts(message, 24)] == [
        (pieces[0], "a", "c"),
        (pieces[1], "a#2", None),
        (pieces[2], "a#3", None),
    ]
    assert [p.content for p in parts(Message("Ida", "One two. Three"), 12)] == ["One two.", "Three"]
    assert [p.content for p in parts(Message("Ida", "one two three"), 10)] == ["one two", "three"]
    assert [p.content for p in parts(Message("Ida", "a" * 9), 4)] == ["aaaa", "aaaa", "a"]


@settings(deadline=None)
@given(st.text(alphabet="ab .\n\u3002", min_size=1).filter(str.strip), st.integers(1, 20))
def test_parts_lose_nothing_but_space(text: str, limit: int) -> None:
    """Every part fits, none is blank, and together they have every letter."""
    pieces = [part.content for part in parts(Message("Ida", text.strip()), limit)]
    assert all(0 < len(piece) <= limit and piece == piece.strip() for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(text.split())


VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)


@settings(deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["role", "speaker", "content", "timestamp", "id", "session", "caption"]),
        st.recursive(VALUES, lambda v: st.lists(v) | st.dictionaries(st.text(), v), max_leaves=5),
    )
)
def test_any_item_is_a_message_or_an_invalid_input(item: dict[str, Any]) -> None:
    """No value of any field raises anything else."""
    try:
        message = message_of(item, 0)
    except InvalidInput:
        return
    assert message.speaker
    assert message.content or message.caption

"""Messages as chat APIs take them."""

from __future__ import annotations

import json
from datetime import datetime

import pytest

from hypermnesia.graph.messages import Message, Rejected
from tests.graph.sources.samples import OPENAI, every, messages

CONTENTS = [
    "You help with gardens.",
    "When do I sow beans?",
    "After the last frost.",
    'A "frost"? {here]\n\\',
]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(OPENAI),
        json.dumps(OPENAI, indent=2),
        "\n".join(map(json.dumps, OPENAI)),
        "\n\n".join(map(json.dumps, OPENAI)) + "\n",
        "\n".join(json.dumps(message, indent=1) for message in OPENAI),
        json.dumps({"messages": OPENAI}),
        json.dumps({"messages": OPENAI}, indent=0),
        json.dumps({"model": {"a": ["b"]}, "messages": OPENAI, "n": 1}),
        json.dumps([{"messages": OPENAI}]),
        json.dumps([OPENAI]),
    ],
    ids=[
        *("list", "indented", "lines", "gaps", "one after another", "object", "flush", "more"),
        *("conversations", "lists"),
    ],
)
def test_every_shape_holds_the_same_messages(text: str) -> None:
    """A list, lines, an object, a list of objects or of lists."""
    found = messages(text)
    assert [message.content for message in found] == CONTENTS
    assert [message.speaker for message in found] == ["system", "user", "assistant", "Ida"]
    assert [message.role for message in found] == ["system", "user", "assistant", "user"]
    assert found[1].at == datetime.fromisoformat("2024-04-02T09:00:00+02:00")
    assert found[3].id == "7"
    assert {message.session for message in found} == {None}


def test_conversations_do_not_mix() -> None:
    """Their ids are sessions; without one, the number tells them apart; a message's own wins."""
    one = {"role": "user", "content": "hi"}
    several = [
        {"id": "garden", "messages": [one, {**one, "session": "own"}]},
        {"messages": [one]},
        [one],
    ]
    sessions = ["garden", "own", "conversation 2", "conversation 3"]
    assert [message.session for message in messages(several)] == sessions
    lines = "\n".join(map(json.dumps, several))
    assert [message.session for message in messages(lines)] == sessions
    assert len(messages(several, select="garden")) == 2
    assert len(messages([{"messages": [one, one], "id": 5}], select="5")) == 2
    assert {m.session for m in messages([{"id": True, "messages": [one]}])} == {None}


def test_a_bad_line_fails_alone() -> None:
    """The others are read, and the line is named."""
    lines = [
        '{"role": "user", "content": "one"}',
        '{"role": "user", "content": "tw',
        "nonsense",
        '{"role": "user"}',
        '{"role": "user", "content": ' + "[" * 10_000 + "]" * 10_000 + "}",
        "[" * 10_000,
        '"text"',
        '{"role": "user", "content": "last"} and more',
        '{"role": "user", "content": "end"}',
    ]
    found = every("\n".join(lines))
    assert [item.content for item in found if isinstance(item, Message)] == ["one", "last", "end"]
    rejected = [item for item in found if isinstance(item, Rejected)]
    assert [item.where for item in rejected] == [f"line {n}" for n in (2, 3, 4, 5, 6, 7, 8)]
    assert [item.index for item in rejected] == [1, 2, 3, 4, 5, 6, 8]


def test_lines_are_told_from_a_document_though_the_first_is_broken() -> None:
    """A log that was cut at its beginning."""
    found = every('{"role": "user", "cont\n{"role": "user", "content": "two"}\n')
    assert [type(item) for item in found] == [Rejected, Message]


def test_a_bad_message_in_a_list_fails_alone() -> None:
    """Wrong literals and deep nesting have an end, after which the list goes on."""
    good, deep = json.dumps(OPENAI[1]), "[" * 5000 + "]" * 5000
    bad = ('{"role": "user", "content": one}', "5", f'{{"role": "user", "content": {deep}}}')
    *rejected, last = every(f"[{', '.join((*bad, good))}]")
    assert [type(item) for item in rejected] == [Rejected] * 3
    assert isinstance(last, Message)
    nested = f'{{"messages": [{{"role": oops}}, {good}]}}'
    assert [type(item) for item in every(nested)] == [Rejected, Message]


def test_calls_of_tools_are_no_messages() -> None:
    """They hold no text; a call beside a text does not hide it."""
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}
    use = {"role": "assistant", "content": [{"type": "tool_use", "name": "f", "input": {}}]}
    both = {"role": "assistant", "content": "Looking.", "tool_calls": [{"id": "1"}]}
    assert [message.content for message in messages([call, use, both])] == ["Looking."]
    assert [type(item) for item in every(json.dumps([{"role": "user", "content": None}]))] == [
        Rejected
    ]

"""Changing one value of a JSON text and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypermnesia.clients import jsonc
from hypermnesia.errors import InvalidInput

COMMENTED = """\
// servers of mine
{
  /* the first */
  "servers": {
    "one": { "command": "one", "args": ["-x",], }, // stays
    // before the second
    "two": {
      "url": "http://localhost/a//b", // not a comment in there
    }, // trailing
  },
  "inputs": [] // none
}
"""

values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
objects = st.dictionaries(st.text(max_size=3), values, max_size=3)
layouts = st.sampled_from([None, 0, 2, 4, "\t"])


def test_comments_and_trailing_commas_are_read() -> None:
    """As editors write them."""
    value = jsonc.read(COMMENTED)
    assert value["servers"]["one"] == {"command": "one", "args": ["-x"]}
    assert value["servers"]["two"]["url"] == "http://localhost/a//b"


def test_an_entry_is_added_and_every_other_character_stays() -> None:
    """The comments among them; the comma at the end is kept as the file's habit."""
    changed = jsonc.put(COMMENTED, ("servers", "mine"), {"command": "x"})
    added = '\n    "mine": {\n      "command": "x"\n    },'
    assert changed.count(added) == 1
    assert changed.replace(added, "") == COMMENTED


def test_what_was_added_is_taken_out_again() -> None:
    """To the byte."""
    changed = jsonc.put(COMMENTED, ("servers", "mine"), {"command": "x"})
    assert jsonc.drop(changed, ("servers", "mine")) == COMMENTED


def test_a_value_is_replaced_in_its_place() -> None:
    """Without moving its neighbours."""
    changed = jsonc.put(COMMENTED, ("servers", "one"), {"command": "other"})
    assert list(jsonc.read(changed)["servers"]) == ["one", "two"]
    assert "// stays" in changed


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        '{"a": 1,}',
        '{\n  "a": 1\n}\n',
        '{\r\n\t"a": 1, // note\r\n\t"b": 2 // last\r\n}',
        '{\n  "m": {"x": {}}\n}',
        '{\n  "m": {\n    "x": [1]\n  }\n}',
        '{"m":{"x":1}}',
        "{\n  // only a comment\n}",
        "{}",
    ],
)
def test_adding_and_taking_out_is_nothing(text: str) -> None:
    """Whatever the layout."""
    changed = jsonc.put(text, ("m", "new"), {"k": ["v"]})
    assert jsonc.read(changed)["m"]["new"] == {"k": ["v"]}
    assert jsonc.prune(jsonc.drop(changed, ("m", "new")), ("m",)) == text


def test_lines_end_as_the_file_ends_them() -> None:
    """A file of Windows gets no lines of its own kind mixed with others."""
    changed = jsonc.put('{\r\n  "a": 1\r\n}\r\n', ("b",), {"c": 1})
    assert changed.count("\n") == changed.count("\r\n")


def test_an_empty_text_becomes_a_document() -> None:
    """Comments at its top stay."""
    assert jsonc.put("", ("a", "b"), 1) == '{\n  "a": {\n    "b": 1\n  }\n}\n'
    assert jsonc.put("// top", ("a",), 1).startswith("// top\n{")
    assert jsonc.drop("", ("a",)) == ""


def test_elements_of_lists_are_added_and_taken_out() -> None:
    """A position counts where a name would."""
    text = '{\n  "h": [\n    {"a": 1}\n  ]\n}'
    changed = jsonc.put(text, ("h", 1), {"b": 2})
    assert jsonc.read(changed)["h"] == [{"a": 1}, {"b": 2}]
    assert jsonc.drop(changed, ("h", 1)) == text
    assert jsonc.read(jsonc.drop(changed, ("h", 0)))["h"] == [{"b": 2}]


def test_of_names_that_repeat_the_last_counts() -> None:
    """It is the one that readers take."""
    changed = jsonc.put('{"a": 1, "a": {"x": 1}}', ("a", "y"), 2)
    assert json.loads(changed) == {"a": {"x": 1, "y": 2}}


def test_the_only_entry_beside_a_comment_leaves_the_comment() -> None:
    """And its container with it."""
    text = '{\n  "m": {\n    // mine\n    "x": 1\n  }\n}'
    left = jsonc.prune(jsonc.drop(text, ("m", "x")), ("m",))
    assert jsonc.read(left) == {"m": {}}
    assert "// mine" in left


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("{", "line 1, column 2"),
        ('{"a": 1', "line 1"),
        ('{"a" 1}', "':'"),
        ("{a: 1}", "double quotes"),
        ('{"a": 1 "b": 2}', "','"),
        ('{"a": 1}\n}', "line 2"),
        ("{'a': 1}", "line 1"),
        ('{"a": 01e}', "no JSON value"),
        ("<<<<<<< HEAD", "line 1"),
        ("[" * 5000, "nested"),
        ('{"a": "\n"}', "line 1"),
        ("/* never closed", "line 1"),
    ],
)
def test_what_is_no_json_is_refused_with_its_place(text: str, place: str) -> None:
    """Rather than guessed at."""
    with pytest.raises(InvalidInput, match="not JSON") as caught:
        jsonc.put(text, ("a",), 1)
    assert place in str(caught.value)


@pytest.mark.parametrize("text", ["[]", '{"m": []}', '{"m": null}', '{"m": "x"}', "1", '"x"'])
def test_what_is_no_object_on_the_way_is_not_replaced(text: str) -> None:
    """Somebody may have meant something by it."""
    with pytest.raises(InvalidInput, match="not an object"):
        jsonc.put(text, ("m", "new"), 1)


@given(objects, layouts, values)
@settings(max_examples=150, deadline=None)
def test_any_document_keeps_all_but_what_is_put(
    document: dict[str, Any], indent: int | str | None, value: object
) -> None:
    """Read by another reader."""
    document.pop("", None)
    text = json.dumps(document, indent=indent)
    changed = jsonc.put(text, ("",), value)
    assert json.loads(changed) == {**document, "": value}
    assert json.loads(jsonc.drop(changed, ("",))) == document


@given(st.text(alphabet='{}[]",:/*\n 1a\\', max_size=30))
@settings(max_examples=200, deadline=None)
def test_no_text_breaks_it(text: str) -> None:
    """It answers or refuses."""
    try:
        changed = jsonc.put(text, ("a", "b"), 1)
    except InvalidInput:
        return
    assert jsonc.read(changed)["a"]["b"] == 1

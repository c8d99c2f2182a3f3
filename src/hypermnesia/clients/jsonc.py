"""Changing one value of a JSON text and no other character: comments, order and layout stay.

Comments (``//``, ``/* */``) and trailing commas are read, as the editors' configuration files have
them. What was written is read again, and refused unless it says what was meant.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

from hypermnesia.clients.jsonc_nodes import EMPTY, Item, Key, Node, is_blank, parse
from hypermnesia.errors import InvalidInput

Path: TypeAlias = Sequence[Key]
"""Where a value stands: names of members, positions in lists."""

_REST_OF_LINE = re.compile(r"[ \t]*(?:/\*[^\n]*?\*/[ \t]*)*(?://[^\r\n]*)?")
_INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)
_NOTHING = object()


def read(text: str) -> Any:
    """The value that a text holds; ``None`` for one that holds nothing but space and comments.

    Raises:
        InvalidInput: it is not JSON, even with comments; the message names line and column.
    """
    return None if is_blank(text) else parse(text).value


def put(text: str, path: Path, value: Any) -> str:
    """The text with the value at a path, replaced or added; containers on the way are made.

    Raises:
        InvalidInput: the text is not JSON, or something on the way is no container.
    """
    if is_blank(text):
        body = json.dumps(_nested(path, value), indent=2, ensure_ascii=False)
        return text + ("\n" if text and not text.endswith("\n") else "") + body + "\n"
    root = parse(text)
    chain, rest = _follow(root, path)
    node = chain[-1]
    if rest:
        _expect_container(node, rest[0], path[: len(path) - len(rest)])
        changed = _insert(text, node, rest[0], _nested(rest[1:], value))
    else:
        written = _written(text, value, _indent_of(text, node.start))
        changed = text[: node.start] + written + text[node.end :]
    return _checked(changed, _changed(root.value, path, value))


def drop(text: str, path: Path) -> str:
    """The text without the value at a path; the same text if there is none.

    Raises:
        InvalidInput: the text is not JSON.
    """
    if is_blank(text):
        return text
    chain, rest = _follow(parse(text), path)
    if rest:
        return text
    return _checked(_cut(text, chain[-2], path[-1]), _changed(chain[0].value, path, _NOTHING))


def prune(text: str, path: Path) -> str:
    """The text without the containers on a path, inmost first, that hold nothing, no comment."""
    for length in range(len(path), 0, -1):
        chain, rest = _follow(parse(text), path[:length])
        if rest or text[chain[-1].start : chain[-1].end] not in EMPTY.values():
            break
        text = drop(text, path[:length])
    return text


def _follow(root: Node, path: Path) -> tuple[list[Node], Path]:
    """The nodes from the root as far along a path as there are any, and the rest of the path."""
    chain = [root]
    for index, key in enumerate(path):
        item = _find(chain[-1], key)
        if item is None:
            return chain, path[index:]
        chain.append(item.node)
    return chain, ()


def _find(node: Node, key: Key) -> Item | None:
    """The last of that name: it is the one that readers of JSON take."""
    if isinstance(node.value, list) != isinstance(key, int):
        return None
    return next((item for item in reversed(node.items) if item.key == key), None)


def _expect_container(node: Node, key: Key, path: Path) -> None:
    kind, name = (list, "a list") if isinstance(key, int) else (dict, "an object")
    if not isinstance(node.value, kind):
        place = ".".join(map(str, path)) or "the whole"
        raise InvalidInput(f"{place} is not {name}")


def _nested(path: Path, value: Any) -> Any:
    for key in reversed(path):
        value = [value] if isinstance(key, int) else {key: value}
    return value


def _insert(text: str, node: Node, key: Key, value: Any) -> str:
    own = _indent_of(text, node.start)
    newline, unit = _newline(text), _unit(text)
    if not node.items:
        inner = text[node.start + 1 : node.end - 1].rstrip()
        written = _member(text, key, value, own + unit)
        filled = f"{inner}{newline}{own}{unit}{written}{newline}{own}"
        return text[: node.start + 1] + filled + text[node.end - 1 :]
    last = node.items[-1]
    if "\n" not in text[node.start : node.end]:
        start = "" if isinstance(key, int) else json.dumps(key, ensure_ascii=False) + ": "
        written = start + json.dumps(value, ensure_ascii=False)
        if last.comma is None:
            return f"{text[: last.node.end]}, {written}{text[last.node.end :]}"
        return f"{text[: last.comma + 1]} {written},{text[last.comma + 1 :]}"
    indent = _indent_of(text, node.items[0].start)
    written = newline + indent + _member(text, key, value, indent)
    if last.comma is None:
        place = _line_end(text, last.node.end)
        return text[: last.node.end] + "," + text[last.node.end : place] + written + text[place:]
    place = _line_end(text, last.comma + 1)
    return text[:place] + written + "," + text[place:]


def _cut(text: str, parent: Node, key: Key) -> str:
    position = max(i for i, item in enumerate(parent.items) if item.key == key)
    item = parent.items[position]
    if len(parent.items) == 1:
        end = item.node.end if item.comma is None else item.comma + 1
        inner = text[parent.start + 1 : item.start].rstrip() + text[end : parent.end - 1]
        inner = inner if inner.strip() else ""
        return text[: parent.start + 1] + inner + text[parent.end - 1 :]
    start = len(text[: item.start].rstrip())
    if item.comma is not None:
        return text[:start] + text[item.comma + 1 :]
    before = parent.items[position - 1].comma
    if before is None:
        raise InvalidInput("the entry cannot be taken out")
    return text[:before] + text[before + 1 : start] + text[item.node.end :]


def _member(text: str, key: Key, value: Any, indent: str) -> str:
    written = _written(text, value, indent)
    return written if isinstance(key, int) else f"{json.dumps(key, ensure_ascii=False)}: {written}"


def _written(text: str, value: Any, indent: str) -> str:
    lines = json.dumps(value, indent=_unit(text), ensure_ascii=False).split("\n")
    return (_newline(text) + indent).join(lines)


def _line_end(text: str, at: int) -> int:
    """Behind the comment that ends a line, or the place itself if more follows on the line."""
    match = _REST_OF_LINE.match(text, at)
    end = match.end() if match else at
    return end if text[end : end + 1] in {"", "\n", "\r"} else at


def _indent_of(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    match = _INDENT.search(text)
    return match[1] if match else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _checked(changed: str, wanted: Any) -> str:
    """The text, if it says what it should.

    Raises:
        InvalidInput: it does not.
    """
    if read(changed) != wanted:
        raise InvalidInput("the entry cannot be changed without touching what stands beside it")
    return changed


def _changed(value: Any, path: Path, new: Any) -> Any:
    """A copy of a value with another at a path, or without the one that is there."""
    key, *rest = path
    if isinstance(key, str):
        fields = dict(cast("Mapping[str, Any]", value or {}))
        fields[key] = _changed(fields.get(key), rest, new) if rest else new
        return {name: field for name, field in fields.items() if field is not _NOTHING}
    items = list(cast("list[Any]", value or []))
    inner = _changed(items[key] if key < len(items) else None, rest, new) if rest else new
    items[key : key + 1] = [] if inner is _NOTHING else [inner]
    return items

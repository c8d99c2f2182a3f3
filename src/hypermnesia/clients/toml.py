"""Changing one table of a TOML text; comments, order and layout of the others stay."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from typing import Any, cast

from hypermnesia.errors import InvalidInput


def read(text: str) -> Any:
    """The values that a text holds.

    Raises:
        InvalidInput: it is not TOML; the message names line and column.
    """
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InvalidInput(f"it is not TOML: {error}") from None


def put(text: str, path: Sequence[str], value: Any) -> str:
    """The text with the table at a path, replaced or added.

    Raises:
        InvalidInput: the text is not TOML, or something on the way is no table.
    """
    wanted = read(text)
    _place(wanted, path)[path[-1]] = value
    document = _parsed(text)
    table = document
    for key in path[:-1]:
        if key not in table:
            table[key] = _super_table()
        table = table[key]
    if path[-1] in table:
        _renew(table[path[-1]], value)
    else:
        table[path[-1]] = value
    return _checked(document, wanted)


def drop(text: str, path: Sequence[str]) -> str:
    """The text without the table at a path; the same text if there is none.

    Raises:
        InvalidInput: the text is not TOML.
    """
    wanted = read(text)
    parent = wanted
    for key in path[:-1]:
        parent = parent.get(key)
        if not isinstance(parent, dict):
            return text
    if path[-1] not in parent:
        return text
    del cast("dict[str, Any]", parent)[path[-1]]
    document = _parsed(text)
    table = document
    for key in path[:-1]:
        table = table[key]
    del table[path[-1]]
    if not parent and len(path) > 1:  # a table above that was only implied is gone with it
        _delete(document, path[:-1])
        _delete(wanted, path[:-1])
    return _checked(document, wanted)


def prune(text: str, path: Sequence[str]) -> str:
    """The text as it is: :func:`drop` leaves no empty table behind."""
    del path
    return text


def _parsed(text: str) -> Any:
    from tomlkit import parse  # noqa: PLC0415 - for one client alone
    from tomlkit.exceptions import TOMLKitError  # noqa: PLC0415

    try:
        return parse(text)
    except TOMLKitError as error:
        raise InvalidInput(f"it is not TOML: {error}") from None


def _super_table() -> Any:
    from tomlkit import table  # noqa: PLC0415 - for one client alone

    return table(is_super_table=True)


def _renew(table: Any, value: dict[str, Any]) -> None:
    """Make a table hold these values, in place, so that what stands around it does not move."""
    for name in [name for name in table if name not in value]:
        del table[name]
    for name, item in value.items():
        if table.get(name) != item:
            table[name] = item


def _delete(values: Any, path: Sequence[str]) -> None:
    for key in path[:-1]:
        values = values[key]
    del values[path[-1]]


def _place(values: Any, path: Sequence[str]) -> dict[str, Any]:
    for index, key in enumerate(path[:-1]):
        values = values.setdefault(key, {})
        if not isinstance(values, dict):
            raise InvalidInput(f"{'.'.join(path[: index + 1])} is not a table")
    return values


def _checked(document: Any, wanted: Any) -> str:
    """The text of a document, if it holds what it should.

    Raises:
        InvalidInput: it does not.
    """
    text = document.as_string()
    if read(text) != wanted:
        raise InvalidInput("the entry cannot be changed without touching what stands beside it")
    return text

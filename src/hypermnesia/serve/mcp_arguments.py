"""Arguments of a tool call, checked against the tool's own schema before anything runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from hypermnesia.errors import InvalidInput
from hypermnesia.serve.mcp_tools import FILTERS, Schema, Tool

_SPOKEN = {
    "string": "text",
    "array": "a list of texts",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "object": "an object",
}


def checked(tool: Tool, given: Mapping[str, Any] | None) -> dict[str, Any]:
    """The arguments that were given; an explicit null counts as not given.

    ``filters`` are checked field by field and laid beside the rest; agents that put them
    there themselves are understood.

    Raises:
        InvalidInput: one is unknown, missing or of another type; the message names it.
    """
    allowed = {**tool.arguments, **(FILTERS if "filters" in tool.arguments else {})}
    arguments = _each(tool.name, given or {}, tool.arguments, allowed)
    if missing := [name for name in tool.required if name not in arguments]:
        raise InvalidInput(f"{tool.name} needs {_names(missing)}")
    filters = arguments.pop("filters", {})
    return {**arguments, **_each("filters", filters, FILTERS, FILTERS)}


def _each(
    owner: str,
    given: Mapping[str, Any],
    shown: Mapping[str, Schema],
    allowed: Mapping[str, Schema],
) -> dict[str, Any]:
    values = {name: value for name, value in given.items() if value is not None}
    if unknown := [name for name in values if name not in allowed]:
        takes = f"takes {', '.join(shown)}" if shown else "takes no arguments"
        raise InvalidInput(f"{owner} has no {_names(unknown)}; it {takes}")
    return {name: _typed(value, allowed[name], name) for name, value in values.items()}


def _names(names: list[str]) -> str:
    return ", ".join(repr(name[:40]) for name in names[:5])


def _typed(value: object, schema: Schema, name: str) -> Any:
    wanted = schema["type"]
    if not _fits(value, wanted):
        raise InvalidInput(f"{name} must be {_SPOKEN[wanted]}, not {_kind(value)}")
    if wanted == "array":
        for item in cast("list[object]", value):
            if not isinstance(item, str):
                raise InvalidInput(f"{name} must be {_SPOKEN[wanted]}; one is {_kind(item)}")
    # JSON Schema takes 10.0 for a whole number, and so do clients that know no other numbers.
    return int(cast("float", value)) if wanted == "integer" else value


def _fits(value: object, wanted: str) -> bool:
    match wanted:
        case "string":
            return isinstance(value, str)
        case "array":
            return isinstance(value, list)
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            whole = isinstance(value, float) and value.is_integer()
            return whole or (isinstance(value, int) and not isinstance(value, bool))
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case _:
            return isinstance(value, dict)


def _kind(value: object) -> str:
    match value:
        case bool():
            return "true or false"
        case str():
            return "text"
        case int() | float():
            return "a number"
        case list():
            return "a list"
        case dict():
            return "an object"
        case _:
            return "null"

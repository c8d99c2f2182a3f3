"""Fuzz the redaction walker: ``python -m tests.fuzz.walker -max_total_time=600``.

Needs atheris (``pip install atheris``; no dependency of the project, for it exists on Linux alone).
Each input is read as a JSON-like value with a credential somewhere in it. The walker must not
raise, must leave the credential nowhere, and must find nothing the second time. Arguments are those
of libFuzzer; an input that fails is written to a file, and given that file it is run again.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import Any, Protocol

from tests.privacy.samples import LIVE
from tests.privacy.values import strings

atheris: Any = import_module("atheris")

with atheris.instrument_imports(include=["hypermnesia.privacy"]):
    from hypermnesia.privacy import examine

NAMES = ("password", "value", "name", "key", "pin", "apiKey", "token", "door code", "note", "")
PHRASES = (
    "the wifi password is ", "password: ", '"secret": "', "door code ", " is the password",
    "-----BEGIN PRIVATE KEY-----\n", "[redacted:", "[redacted:x]", "Bearer ", "https://a:",
)  # fmt: skip
SEPARATORS = (" ", "\n", ", ", '"', "'", "\t")
DEEPEST = 6
MOST = 4


class Source(Protocol):
    """What atheris makes of the bytes of one input."""

    def ConsumeIntInRange(self, low: int, high: int) -> int: ...  # noqa: D102, N802 - its name
    def ConsumeUnicode(self, count: int) -> str: ...  # noqa: D102, N802
    def ConsumeInt(self, size: int) -> int: ...  # noqa: D102, N802
    def ConsumeFloat(self) -> float: ...  # noqa: D102, N802


def value(source: Source, secret: str, depth: int = 0) -> Any:
    """A nested value that may hold the secret."""
    kind = source.ConsumeIntInRange(0, 6 if depth < DEEPEST else 2)
    if kind == 0:
        scalars = (None, True, False, source.ConsumeInt(8), source.ConsumeFloat())
        return scalars[source.ConsumeIntInRange(0, len(scalars) - 1)]
    if kind <= 2:
        return text(source, secret)
    items = [value(source, secret, depth + 1) for _ in range(source.ConsumeIntInRange(0, MOST))]
    if kind == 3:
        return {key(source, secret): item for item in items}
    if kind == 4:
        return json.dumps(items, ensure_ascii=bool(source.ConsumeIntInRange(0, 1)))
    return tuple(items) if kind == 5 else items


def key(source: Source, secret: str) -> Any:
    """The name of a field."""
    place = source.ConsumeIntInRange(0, len(NAMES) + 1)
    return NAMES[place] if place < len(NAMES) else text(source, secret)


def text(source: Source, secret: str) -> str:
    """Some text, with or without a phrase that announces a secret, and the secret."""
    parts = [source.ConsumeUnicode(source.ConsumeIntInRange(0, 24))]
    place = source.ConsumeIntInRange(0, 2 * len(PHRASES))
    if place < len(PHRASES):
        parts.append(PHRASES[place])
    if source.ConsumeIntInRange(0, 1):
        separator = SEPARATORS[source.ConsumeIntInRange(0, len(SEPARATORS) - 1)]
        parts += [separator, secret, separator]
    return "".join((*parts, source.ConsumeUnicode(source.ConsumeIntInRange(0, 12))))


def one_input(data: bytes) -> None:
    """Check one value."""
    source: Source = atheris.FuzzedDataProvider(data)
    secret = LIVE[source.ConsumeIntInRange(0, len(LIVE) - 1)][1]
    personal, sure = (bool(source.ConsumeIntInRange(0, 1)) for _ in range(2))
    once = examine(value(source, secret), personal, sure=sure)
    if any(secret in each for each in strings(once.value)):
        raise AssertionError("a credential is left")
    again = examine(once.value, personal, sure=sure)
    if again.rules or repr(again.value) != repr(once.value):
        raise AssertionError("the second walk found something")


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()

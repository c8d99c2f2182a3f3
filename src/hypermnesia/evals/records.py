"""One raw record a question and system, and the line of JSON that it becomes."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from hypermnesia.errors import InvalidInput


class Key(NamedTuple):
    """What a record is of: no run has two of one key."""

    system: str
    id: str
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """What one system answered to one question.

    Attributes:
        id: the question's id within its data.
        system: system or configuration that answered.
        kind: class or category of the question; ``class`` in the file.
        gold: relevant ids.
        ranked: ids as the system ranked them, best first.
        metrics: values by name (``recall@10``); one that is undefined here is left out.
        scores: the system's scores of ``ranked``, or nothing.
        seed: of the generator, where there are several runs of the same questions.
        detail: whatever else helps to understand the answer, as plain JSON. No timings: the
            same seed must give the same bytes.
    """

    id: str
    system: str
    kind: str
    gold: tuple[str, ...] = ()
    ranked: tuple[str, ...] = ()
    metrics: Mapping[str, float] = field(default_factory=dict[str, float])
    scores: tuple[float, ...] = ()
    seed: int | None = None
    detail: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def key(self) -> Key:
        """What the record is of."""
        return Key(self.system, self.id, self.seed)

    def line(self) -> str:
        """The record as one line of JSON.

        Raises:
            InvalidInput: a value is not finite or not JSON.
        """
        return json_line(
            {
                **key_fields(self.key),
                "class": self.kind,
                "gold": list(self.gold),
                "ranked": list(self.ranked),
                "scores": list(self.scores),
                "metrics": dict(self.metrics),
                "detail": dict(self.detail),
            }
        )


def key_fields(key: Key) -> dict[str, Any]:
    """A key as the first fields of a line."""
    return {"system": key.system, "id": key.id, "seed": key.seed}


def key_of(line: Mapping[str, Any]) -> Key:
    """The key that :func:`key_fields` wrote."""
    return Key(line["system"], line["id"], line["seed"])


def record_of(line: Mapping[str, Any]) -> Record:
    """The record that :meth:`Record.line` wrote.

    Raises:
        KeyError: a field is missing.
    """
    return Record(
        **key_fields(key_of(line)),
        kind=line["class"],
        gold=tuple(line["gold"]),
        ranked=tuple(line["ranked"]),
        metrics={name: _finite(value, name) for name, value in line["metrics"].items()},
        scores=tuple(line["scores"]),
        detail=line["detail"],
    )


def json_line(value: Mapping[str, Any]) -> str:
    """One line of JSON with its line break, in ASCII: any text survives, lone surrogates too.

    Raises:
        InvalidInput: a value is not finite or not JSON.
    """
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":")) + "\n"
    except (TypeError, ValueError) as error:
        key = "/".join(str(value.get(name)) for name in ("system", "seed", "id"))
        raise InvalidInput(f"the record {key} is not plain JSON: {error}") from error


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSON Lines file, or of ``<path>.gz``; without either there are none.

    Raises:
        InvalidInput: a line is not an object of JSON.
    """
    packed = path.with_name(path.name + ".gz")
    if not path.exists() and not packed.exists():
        return
    with (
        path.open(encoding="utf-8") if path.exists() else gzip.open(packed, "rt", encoding="utf-8")
    ) as lines:
        for number, line in enumerate(lines, start=1):
            try:
                value = json.loads(line)
            except ValueError:
                value = None
            if not isinstance(value, dict):
                raise InvalidInput(f"{path}, line {number}: not an object of JSON; the file was"
                                   " changed by hand or damaged, start the run anew")  # fmt: skip
            yield value


def _finite(value: float, name: str) -> float:
    if not math.isfinite(value):
        raise InvalidInput(f"the metric {name} is not finite")
    return value

"""Memories, hits and outcomes as rows, fields and lines of text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from hypermnesia.cli.terminal import interactive, show_fields, show_json, show_rows

if TYPE_CHECKING:
    from hypermnesia.types import Added, ChannelScore, Explanation, Hit, Node

Fields = list[tuple[str, str]]


def day(moment: datetime | None) -> str:
    """A date, or a dash."""
    return "-" if moment is None else f"{moment:%Y-%m-%d}"


def number(value: float | None) -> str:
    """Two decimals, or a dash when no judge gave a value."""
    return "-" if value is None else f"{value:.2f}"


def show_document(value: Any) -> None:
    """Values of :mod:`hypermnesia.types`, alone or in lists and mappings, as one JSON document."""
    from hypermnesia.serial import plain  # noqa: PLC0415 - numpy, which the memory has loaded

    show_json(plain(value))


def show_nodes(nodes: Iterable[Node]) -> None:
    """Memories as rows: date, status, type, salience, (id,) text."""
    listed = list(nodes)
    cells = [[day(n.valid_from), n.status, n.memory_type, number(n.salience)] for n in listed]
    _show_with_ids(
        ["date", "status", "type", "salience"], cells, [(n.id, n.content) for n in listed], ()
    )


def show_hits(hits: Sequence[Hit], *, explain: bool = False) -> None:
    """Hits as rows: rank, score, date, type, (id,) text; and why, on request."""
    cells = [
        [str(rank), f"{hit.score:.3f}", day(hit.node.valid_from), hit.node.memory_type]
        for rank, hit in enumerate(hits, start=1)
    ]
    texts = [(hit.id, hit.content) for hit in hits]
    reasons = [explanation_lines(hit.explain) for hit in hits] if explain else ()
    _show_with_ids(["#", "score", "date", "type"], cells, texts, reasons)


def _show_with_ids(
    columns: list[str],
    cells: Sequence[list[str]],
    texts: Sequence[tuple[str, str]],
    notes: Sequence[Sequence[str]],
) -> None:
    """On a terminal the id stands below the text, where it costs no width."""
    extra = list(notes) or [() for _ in cells]
    if interactive():
        rows = [[*row, text] for row, (_, text) in zip(cells, texts, strict=True)]
        below = [[*lines, key] for lines, (key, _) in zip(extra, texts, strict=True)]
        show_rows([*columns, "memory"], rows, below)
    else:
        rows = [[*row, key, text] for row, (key, text) in zip(cells, texts, strict=True)]
        show_rows([*columns, "id", "memory"], rows, extra)


def explanation_lines(explain: Explanation) -> list[str]:
    """Every component of a score, in two lines, and a third for what led to the hit."""
    channels = [
        f"{name} {_channel(value)}"
        for name, value in (
            ("dense", explain.dense),
            ("lexical", explain.lexical),
            ("late", explain.late),
        )
    ]
    judge = "off" if explain.judge is None else f"{explain.judge:.3f} ({explain.judge_backend})"
    prior = "" if explain.prior is None else f" (prior {explain.prior:.3f})"
    blend = (
        f"fused {explain.fused:.3f}{prior}, judge {judge}, salience {explain.salience:.2f}"
        f" -> final {explain.final:.3f}"
    )
    if explain.degraded:
        blend += " (degraded: a fallback answered)"
    route = [f"{step.level} #{step.rank} {step.score:.3f} {step.id}" for step in explain.route]
    return [", ".join(channels), blend, *([f"by way of {', '.join(route)}"] if route else [])]


def _channel(score: ChannelScore | None) -> str:
    return "-" if score is None else f"#{score.rank} {_significant(score.raw)}"


def _significant(raw: float) -> str:
    """Three decimals, or three digits where that would show nothing (BM25 of common words)."""
    return f"{raw:.3f}" if abs(raw) >= 0.001 or raw == 0 else f"{raw:.1e}"  # noqa: PLR2004 - 3 decimals


def show_added(added: Added, replaced: Sequence[Node]) -> None:
    """The outcome of an add or update, with the texts it replaced."""
    fields: Fields = [
        ("id", added.id),
        ("status", f"{added.status}: {added.reason}"),
        ("type", added.memory_type),
        ("salience", f"{number(added.salience)} of 4"),
        ("durable", number(added.durable)),
        ("judge", added.judge + (" (degraded: a fallback answered)" if added.degraded else "")),
    ]
    fields += [("supersedes", node_line(node)) for node in replaced]
    if added.redacted:
        fields.append(("masked", ", ".join(added.redacted)))
    show_fields(fields)


def node_line(node: Node) -> str:
    """A memory in one line that begins with its id."""
    return f"{node.id} ({day(node.valid_from)}) {node.content}"


def show_node(node: Node) -> None:
    """One memory with everything known about it."""
    until = "" if node.valid_until is None else f" until {node.valid_until.isoformat()}"
    judge = node.judge + (" (degraded: a fallback answered)" if node.degraded else "")
    fields: Fields = [
        ("id", node.id),
        ("memory", node.content),
        ("scope", node.scope),
        ("level", node.level),
        ("type", node.memory_type),
        ("status", _status(node)),
        ("valid", node.valid_from.isoformat() + until),
        ("stored", node.created_at.isoformat()),
        ("changed", node.updated_at.isoformat()),
        ("salience", f"{number(node.salience)} of 4"),
        ("durable", number(node.durable)),
        ("judge", judge),
        ("tags", ", ".join(node.tags)),
        ("metadata", compact(node.metadata) if node.metadata else ""),
        ("recalled", f"{node.access_count} times, last {day(node.accessed_at)}"),
    ]
    fields += [(name, value) for name, value in provenance(node).items() if value]
    show_fields((name, value) for name, value in fields if value)


def provenance(node: Node) -> Mapping[str, str | None]:
    """Where a memory came from, by the names of the fields."""
    origin = node.provenance
    return {name: getattr(origin, name) for name in origin.__slots__}


def _status(node: Node) -> str:
    pinned = ", pinned" if node.pinned else ""
    by = f" by {node.superseded_by}" if node.superseded_by else ""
    return f"{node.status}{by}{pinned}"


def compact(value: Mapping[str, Any]) -> str:
    """A JSON object in one line."""
    return json.dumps(value, ensure_ascii=False)


def counted(count: int, noun: str = "memory", plural: str = "memories") -> str:
    """``1 memory``, ``2,000 memories``."""
    return f"{count:,} {noun if count == 1 else plural}"

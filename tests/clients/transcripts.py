"""Transcripts as Claude Code writes them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

FACT = "The billing service publishes its events over NATS since May."


def line(kind: str, content: object, number: int, **extra: object) -> dict[str, Any]:
    """One record of a transcript."""
    return {
        "parentUuid": None, "isSidechain": False, "userType": "external", "cwd": "/home/ann/shop",
        "sessionId": "5a0ddcd0", "version": "2.1.300", "gitBranch": "main", "type": kind,
        "message": {"role": kind, "content": content},
        "uuid": f"u{number}", "timestamp": f"2026-11-30T09:{number:02}:00.000Z", **extra,
    }  # fmt: skip


def session() -> list[Mapping[str, Any]]:
    """A session that recalls a fact, repeats it, and decides something new."""
    answer = json.dumps({"hits": [{"id": "x", "content": FACT}]})
    call = {"type": "tool_use", "id": "t1", "name": "mcp__hypermnesia__memory_search", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": answer}
    shown = f"<system-reminder>\n<hypermnesia-memory>\n- {FACT}\n</hypermnesia-memory>"
    said = f"I remember:\n\n- [1] 2026-05-03, decision: {FACT}\n\nSo retries belong into NATS, too."
    return [
        {"type": "summary", "summary": "Billing", "leafUuid": "u9"},
        {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
        line("user", [{"type": "text", "text": shown}], 1, isMeta=True),
        line("user", f"{shown}</system-reminder>What carries our billing events?", 2),
        line("assistant", [{"type": "thinking", "thinking": "hm", "signature": "x"}], 3),
        line("assistant", [call], 4),
        line("user", [result], 5),
        line("assistant", [{"type": "text", "text": said}], 6),
        line("assistant", [{"type": "text", "text": "a subagent"}], 7, isSidechain=True),
        line("user", "<command-name>/clear</command-name>", 8),
        line("user", "We decided to keep failed invoices for thirty days.", 9),
    ]


def write(path: Path, records: Iterable[object]) -> Path:
    """A transcript on disk, with a line that is only half written."""
    text = "".join(json.dumps(record) + "\n" for record in records)
    path.write_text(text + '{"type": "assistant", "mess', "utf-8")
    return path

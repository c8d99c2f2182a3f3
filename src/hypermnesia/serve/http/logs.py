"""Log lines for machines: one JSON object each, without the content of any memory."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, TextIO


class Lines(logging.Formatter):
    """A record as JSON.

    Of an exception its type and its place are told, not its message: a library's may quote
    what it was given.
    """

    def format(self, record: logging.LogRecord) -> str:
        """The record on one line."""
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "seen", {}),
        }
        if record.exc_info and record.exc_info[0] is not None:
            line["exception"] = record.exc_info[0].__name__
            line["place"] = _place(record.exc_info[2])
        return json.dumps(line, ensure_ascii=False)


def _place(trace: TracebackType | None) -> list[str]:
    """Files, lines and functions, the innermost last."""
    frames = traceback.extract_tb(trace)
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]


def install(stream: TextIO | None = None, level: int = logging.INFO) -> logging.Handler:
    """Write the log of the whole process to a stream, standard error by default."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(Lines())
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(level)
    for noisy in ("mcp", "httpx2", "httpcore2"):  # they tell of each message
        logging.getLogger(noisy).setLevel(logging.WARNING)
    return handler

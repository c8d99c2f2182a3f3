"""Time-ordered identifiers (UUIDv7, RFC 9562), increasing within a process."""

from __future__ import annotations

import os
import threading
import time
import uuid

_lock = threading.Lock()
_last = 0


def new_id() -> str:
    """A fresh UUIDv7: 48 bits of milliseconds, 12 bits counting within them, 62 random bits."""
    global _last  # noqa: PLW0603 - the counter is what makes ids of one process increase
    with _lock:
        # RFC 9562, 6.2 method 3: the sub-millisecond fraction serves as the counter.
        ticks = max(time.time_ns() * 4096 // 1_000_000, _last + 1)
        _last = ticks
    tail = int.from_bytes(os.urandom(8)) >> 2
    value = (ticks >> 12) << 80 | 0x7 << 76 | (ticks & 0xFFF) << 64 | 0b10 << 62 | tail
    return str(uuid.UUID(int=value))

"""What tells sound vectors from damaged ones; see :mod:`hypermnesia.store.vectors`."""

from __future__ import annotations

from hypermnesia.store.vectors import (
    bounded_rows,
    signals_of,
    sound,
    sound_tokens,
    stored_of,
    unpacked,
    whole,
)

__all__ = [
    "bounded_rows",
    "signals_of",
    "sound",
    "sound_tokens",
    "stored_of",
    "unpacked",
    "whole",
]

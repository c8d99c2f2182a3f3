"""Passages as a remote judge sees them: text alone."""

from __future__ import annotations

import numpy as np

from hypermnesia.judge.protocol import Passage


def passage(text: str) -> Passage:
    """A text without vectors."""
    empty = np.empty((0, 0), np.float32)
    return Passage(text, dense=empty, tokens=empty, weights=np.empty(0, np.float32))


def passages(*texts: str) -> list[Passage]:
    """Several texts without vectors."""
    return [passage(text) for text in texts]

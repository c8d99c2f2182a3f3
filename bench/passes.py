"""What forward passes cost, alone and side by side: ``python -m bench.passes``.

Slices of made-up texts are encoded in every way in turn, so that each ratio is of the same texts
and minute. The values go to ``results/published/passes.json``.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from unittest.mock import patch

import numpy as np

from bench.published import publish
from bench.texts import memories
from hypermnesia.evals.stored import storable
from hypermnesia.models import passes
from hypermnesia.models.encoder import OnnxEncoder
from hypermnesia.models.passes import grouped

RESULTS = Path("results", "published", "passes.json")
"""What the page on performance refers to."""
SLICES = 12
SLICE = 256
SPECIAL = 2
"""Pieces of every text that :meth:`OnnxEncoder.count` leaves out."""
LIMITS = (64, 128, 256, 512, 1024)
"""Pieces of a pass at most that are compared."""
BATCHES = (2048, 128, 16)
"""Texts encoded at a time whose padding is told."""
ALIKE = "The potter from Lisbon sailed to the island of Madeira with a friend in early spring."
REPEATED = (1, 2, 3, 4, 6, 8)
"""Copies of :data:`ALIKE` in a pass, from which its own cost follows."""

Way = Callable[[Sequence[str]], object]


def compared(texts: Sequence[str], lengths: Sequence[int]) -> list[tuple[str, float]]:
    """Median speed of each way to make passes, as a share of the encoder's own."""
    encoder, known = OnnxEncoder(), dict(zip(texts, lengths, strict=True))

    def in_turn(part: Sequence[str]) -> None:
        for group in grouped([known[text] for text in part]):  # all cores share a single pass
            encoder.encode([part[i] for i in group])

    def limited(part: Sequence[str], pieces: int) -> None:
        with patch.object(passes, "PIECES", pieces):
            encoder.encode(part)

    ways: dict[str, Way] = {
        "on one core each": encoder.encode,
        "on all cores, one after the other": in_turn,
        **{f"of {n:,} pieces at most": partial(limited, pieces=n) for n in LIMITS},
    }
    for encode in ways.values():
        encode(texts[:64])
    times = {name: list[float]() for name in ways}
    for start in range(0, len(texts), SLICE):
        for name, encode in ways.items():
            times[name].append(_timed(encode, texts[start : start + SLICE]))
    own = times["on one core each"]
    return [
        (name, statistics.median(a / b for a, b in zip(own, each, strict=True)))
        for name, each in times.items()
    ]


def own_cost() -> float:
    """What a pass on one core costs beside its pieces, in pieces: a line through the medians."""
    encoder = OnnxEncoder(threads=1)
    pieces = encoder.count(ALIKE) + SPECIAL
    encoder.encode([ALIKE])
    took = {n: list[float]() for n in REPEATED}
    for _ in range(40):
        for n, times in took.items():
            times.append(_timed(encoder.encode, [ALIKE] * n))
    medians = [statistics.median(times) for times in took.values()]
    slope, alone = np.polyfit(np.asarray(REPEATED) * pieces, medians, 1)
    return float(alone / slope)


def padding(lengths: Sequence[int], batch: int) -> float:
    """Padded pieces for each piece of text, less one, in batches of this size."""
    parts = [lengths[start : start + batch] for start in range(0, len(lengths), batch)]
    padded = sum(max(p[i] for i in group) * len(group) for p in parts for group in grouped(p))
    return padded / sum(lengths) - 1


def _timed(call: Way, texts: Sequence[str]) -> float:
    start = time.perf_counter()
    call(texts)
    return time.perf_counter() - start


def main() -> None:
    """Measure and publish two tables."""
    texts, counting = list(memories(SLICES * SLICE, seed=5)), OnnxEncoder()
    lengths = [counting.count(text) + SPECIAL for text in texts]
    rates = storable("Passes of the encoder", ("passes", "speed"), compared(texts, lengths), ".2f")
    costs = storable(
        "What passes cost beside their texts",
        ("", "value"),
        [
            ("a pass by itself, in pieces", own_cost()),
            *((f"padding in batches of {n:,}", padding(lengths, n)) for n in BATCHES),
        ],
        [".1f", *[".1%"] * len(BATCHES)],
    )
    publish(RESULTS, "python -m bench.passes", {"rates": rates, "costs": costs})


if __name__ == "__main__":
    main()

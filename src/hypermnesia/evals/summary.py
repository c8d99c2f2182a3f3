"""What the raw records of an evaluation add up to; summaries come from here alone."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from hypermnesia.evals.metrics import paired_bootstrap, spread
from hypermnesia.evals.records import Key, Record

RESAMPLES = 2000


def summarise(records: Sequence[Record], baseline: str | None = None) -> dict[str, Any]:
    """Means by system and class, and differences from a baseline.

    Every metric is averaged over the questions that have it. With several seeds the mean is the
    mean of the seeds' means and ``sd`` their population standard deviation, as the published
    evaluation has it; with one seed or none there is no ``sd``.

    Returns:
        ``{"records", "systems": {system: {"all": {metric: {"mean", "sd"?, "n"}},
        "classes": {class: {metric: ...}}}}, "differences"?: {system: {metric: {"mean", "low",
        "high", "n"}}}}``; differences are the system's value minus the baseline's, with a 95%
        paired bootstrap interval over the questions both have.
    """
    systems = _grouped(records, lambda record: record.system)
    summary: dict[str, Any] = {
        "records": len(records),
        "systems": {name: _system(own) for name, own in systems.items()},
    }
    if baseline in systems:
        summary["baseline"] = baseline
        summary["differences"] = {
            name: _differences(own, systems[baseline])
            for name, own in systems.items()
            if name != baseline
        }
    return summary


def summarise_timings(timings: Mapping[Key, Mapping[str, float]]) -> dict[str, Any]:
    """Median, 95th percentile and mean of every timing by system, in the unit of its name.

    Returns:
        ``{system: {timing: {"p50", "p95", "mean", "n"}}}``.
    """
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for key, measured in timings.items():
        for name, value in measured.items():
            values[key.system][name].append(value)
    return {
        system: {name: _quantiles(listed) for name, listed in sorted(by_name.items())}
        for system, by_name in values.items()
    }


def _quantiles(values: Sequence[float]) -> dict[str, float]:
    p50, p95 = np.quantile(np.asarray(values, np.float64), (0.5, 0.95))
    return {"p50": float(p50), "p95": float(p95), "mean": float(np.mean(values)), "n": len(values)}


def _grouped(records: Iterable[Record], of: Callable[[Record], str]) -> dict[str, list[Record]]:
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(of(record), []).append(record)
    return groups


def _system(records: Sequence[Record]) -> dict[str, Any]:
    classes = _grouped(records, lambda record: record.kind)
    return {
        "all": _means(records),
        "classes": {name: _means(classes[name]) for name in sorted(classes)},
    }


def _means(records: Sequence[Record]) -> dict[str, Any]:
    names = dict.fromkeys(name for record in records for name in record.metrics)
    return {name: _mean(name, records) for name in names}


def _mean(metric: str, records: Sequence[Record]) -> dict[str, float]:
    by_seed: dict[int | None, list[float]] = {}
    for record in records:
        if metric in record.metrics:
            by_seed.setdefault(record.seed, []).append(record.metrics[metric])
    over = spread([math.fsum(values) / len(values) for values in by_seed.values()])
    count = sum(map(len, by_seed.values()))
    if len(by_seed) == 1:
        return {"mean": over.mean, "n": count}
    return {"mean": over.mean, "sd": over.sd, "n": count}


def _differences(own: Sequence[Record], baseline: Sequence[Record]) -> dict[str, Any]:
    other = {(record.seed, record.id): record for record in baseline}
    pairs = [
        (record, other[record.seed, record.id])
        for record in own
        if (record.seed, record.id) in other
    ]
    names = dict.fromkeys(name for record, _ in pairs for name in record.metrics)
    found: dict[str, Any] = {}
    for name in names:
        both = [(a.metrics[name], b.metrics[name]) for a, b in pairs
                if name in a.metrics and name in b.metrics]  # fmt: skip
        if both:
            ours, theirs = zip(*both, strict=True)
            found[name] = {
                **paired_bootstrap(ours, theirs, RESAMPLES)._asdict(),
                "n": len(both),
            }
    return found

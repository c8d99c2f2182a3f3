"""Which findings of the published evaluation hold here, told from the raw records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, Literal, TypeAlias

from hypermnesia.evals.metrics import Difference, paired_bootstrap
from hypermnesia.evals.records import Record

COMPARED = ("recall@10", "ndcg@10", "precision@1")
"""Metrics in which every two configurations are compared."""
Verdict: TypeAlias = Literal["holds", "does not hold", "undecided"]


@dataclass(frozen=True, slots=True)
class Claim:
    """A difference that the published table shows.

    Attributes:
        text: in words.
        system: what is said of it.
        against: what it is compared with.
        metric: in which.
        published: the published difference; its sign is what is claimed.
    """

    text: str
    system: str
    against: str
    metric: str
    published: float


CLAIMS = (
    Claim("words alone find far less than sentence vectors", "lexical", "dense", "ndcg@10",
          0.230 - 0.418),
    Claim("equal-weight RRF finds less than dense", "rrf", "dense", "recall@10", 0.587 - 0.598),
    Claim("equal-weight RRF ranks worse than dense", "rrf", "dense", "ndcg@10", 0.378 - 0.418),
    Claim("lexical weight 0.3 finds more than equal weights", "rrf-0.3", "rrf", "recall@10",
          0.624 - 0.587),
    Claim("lexical weight 0.3 ranks better than equal weights", "rrf-0.3", "rrf", "ndcg@10",
          0.422 - 0.378),
    Claim("lexical weight 0.3 finds more than dense", "rrf-0.3", "dense", "recall@10",
          0.624 - 0.598),
    Claim("reranking dense finds more", "dense+judge", "dense", "recall@10", 0.620 - 0.598),
    Claim("reranking dense costs first places", "dense+judge", "dense", "precision@1",
          0.276 - 0.282),
    Claim("reranking RRF 0.3 finds more", "rrf-0.3+judge", "rrf-0.3", "recall@10", 0.629 - 0.624),
    Claim("reranking RRF 0.3 ranks worse", "rrf-0.3+judge", "rrf-0.3", "ndcg@10", 0.415 - 0.422),
    Claim("reranking RRF 0.3 costs first places", "rrf-0.3+judge", "rrf-0.3", "precision@1",
          0.244 - 0.262),
)  # fmt: skip
"""DGUI-HyperMem whitepaper (CTECX 2026), retrieval table, bge-base-en-v1.5 and ms-marco-MiniLM-L-6.
Several of its differences are smaller than what its three seeds can tell."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A claim, and what was measured.

    Attributes:
        difference: with its 95% interval over the questions.
        verdict: ``holds`` when the whole interval lies on the claimed side of zero, ``does not
            hold`` when on the other, else ``undecided``.
    """

    claim: Claim
    difference: Difference
    verdict: Verdict

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        return {
            **asdict(self.claim),
            "difference": self.difference._asdict(),
            "verdict": self.verdict,
        }


def findings(records: Sequence[Record]) -> list[Finding]:
    """Every claim whose two configurations were measured."""
    by_system = _by_system(records)
    return [
        Finding(claim, difference, verdict(claim.published, difference))
        for claim in CLAIMS
        if claim.system in by_system and claim.against in by_system
        for difference in [
            _compared(by_system[claim.system], by_system[claim.against], claim.metric)
        ]
    ]


def verdict(claimed: float, difference: Difference) -> Verdict:
    """Whether a difference has the claimed sign, as far as its interval can tell."""
    if difference.low <= 0 <= difference.high:
        return "undecided"
    return "holds" if (difference.mean > 0) == (claimed > 0) else "does not hold"


def document(records: Sequence[Record]) -> dict[str, Any]:
    """What ``findings.json`` holds, made of the records alone."""
    return {
        "findings": [found.plain() for found in findings(records)],
        "comparisons": comparisons(records),
    }


def comparisons(records: Sequence[Record]) -> dict[str, dict[str, dict[str, float]]]:
    """Every two configurations: ``{"a - b": {metric: {"mean", "low", "high"}}}``."""
    by_system = _by_system(records)
    return {
        f"{a} - {b}": {
            metric: _compared(by_system[a], by_system[b], metric)._asdict() for metric in COMPARED
        }
        for a, b in combinations(by_system, 2)
    }


def _by_system(records: Sequence[Record]) -> Mapping[str, Mapping[tuple[str, int | None], Record]]:
    found: dict[str, dict[tuple[str, int | None], Record]] = {}
    for record in records:
        found.setdefault(record.system, {})[record.id, record.seed] = record
    return found


def _compared(
    a: Mapping[tuple[str, int | None], Record],
    b: Mapping[tuple[str, int | None], Record],
    metric: str,
) -> Difference:
    both = sorted(a.keys() & b.keys())
    return paired_bootstrap(
        [a[key].metrics[metric] for key in both], [b[key].metrics[metric] for key in both]
    )

"""Published findings are told to hold only when the records say so."""

from __future__ import annotations

import pytest

from hypermnesia.evals.metrics import Difference
from hypermnesia.evals.records import Record
from hypermnesia.evals.simulate.configurations import CONFIGURATIONS
from hypermnesia.evals.simulate.findings import CLAIMS, comparisons, findings, verdict


def records(**recall: float) -> list[Record]:
    """Forty questions a system, all with the same values."""
    return [
        Record(f"q{n}", system, "lexical", ("m1",), (), {
            "recall@10": value, "ndcg@10": value, "precision@1": value}, seed=11)
        for system, value in recall.items()
        for n in range(40)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("claimed", "interval", "expected"),
    [
        (0.1, (0.2, 0.1, 0.3), "holds"),
        (-0.1, (-0.2, -0.3, -0.1), "holds"),
        (0.1, (-0.2, -0.3, -0.1), "does not hold"),
        (-0.1, (0.2, 0.1, 0.3), "does not hold"),
        (0.1, (0.1, -0.1, 0.3), "undecided"),
        (0.1, (0.1, 0.0, 0.3), "undecided"),
    ],
)
def test_a_claim_holds_when_its_whole_interval_is_on_its_side(
    claimed: float, interval: tuple[float, float, float], expected: str
) -> None:
    """An interval that touches zero decides nothing."""
    assert verdict(claimed, Difference(*interval)) == expected


def test_findings_follow_the_records() -> None:
    """What was not measured is not judged."""
    found = {one.claim.text: one.verdict for one in findings(records(lexical=0.2, dense=0.5))}
    assert found == {"words alone find far less than sentence vectors": "holds"}
    found = {one.claim.text: one.verdict for one in findings(records(lexical=0.7, dense=0.5))}
    assert found == {"words alone find far less than sentence vectors": "does not hold"}


def test_every_pair_is_compared_in_one_direction() -> None:
    """In the order of the configurations."""
    found = comparisons(records(lexical=0.2, dense=0.5, rrf=0.4))
    assert list(found) == ["lexical - dense", "lexical - rrf", "dense - rrf"]
    assert found["dense - rrf"]["recall@10"]["mean"] == pytest.approx(0.1)


def test_claims_name_configurations_that_exist() -> None:
    """And metrics that are compared."""
    names = {configuration.name for configuration in CONFIGURATIONS}
    assert {c.system for c in CLAIMS} | {c.against for c in CLAIMS} <= names

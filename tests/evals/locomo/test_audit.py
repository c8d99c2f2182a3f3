"""An audit puts the gold right, and says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from hypermnesia.errors import InvalidInput
from hypermnesia.evals.locomo.audit import Audited, audited
from hypermnesia.evals.locomo.data import talks
from tests.evals.samples import ANN, AUDIT, CLEO, written


def apply(folder: Path, audit: object) -> Audited:
    """Both talks, audited."""
    found = talks(written(folder, "locomo.json", [ANN, CLEO]))
    return audited(found, written(folder, "audit.json", audit))


def test_answers_and_evidence_are_put_right(tmp_path: Path) -> None:
    """The question keeps its place, and notes what was wrong."""
    outcome = apply(tmp_path, AUDIT)
    question = outcome.talks[0].questions[2]
    assert (question.answer, question.gold, question.note) == (
        "a greyhound", ("D2:1",), "HALLUCINATION",
    )  # fmt: skip
    assert outcome.talks[0].questions[0].note == ""


def test_a_file_with_other_conversations_still_fits(tmp_path: Path) -> None:
    """Number and text of the question decide; what fits nowhere is counted."""
    outcome = apply(tmp_path, AUDIT)
    assert outcome.talks[1].questions[0].gold == ("D1:2",)
    assert outcome.errors == {"HALLUCINATION": 1, "WRONG_CITATION": 1}
    assert outcome.unmatched == 1


def test_a_correction_without_usable_evidence_keeps_the_old(tmp_path: Path) -> None:
    """A question does not leave the evaluation because an audit is vague."""
    outcome = apply(tmp_path, [AUDIT[0] | {"correct_evidence": [], "correct_answer": ""}])
    question = outcome.talks[0].questions[2]
    assert (question.answer, question.gold) == ("a greyhound and a canoe", ("D2:1", "D2:2"))


def test_an_audit_of_something_else_is_refused(tmp_path: Path) -> None:
    """Rather than reporting audited figures that are not."""
    with pytest.raises(InvalidInput, match="no entry is on a question"):
        apply(tmp_path, AUDIT[2:])
    with pytest.raises(InvalidInput, match=r"'question_id' of audit\.json, entry 1"):
        apply(tmp_path, [AUDIT[0] | {"question_id": "7"}])

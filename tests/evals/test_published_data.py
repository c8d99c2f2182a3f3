"""The readers on the published data, where a developer has them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hypermnesia.evals import beam
from hypermnesia.evals.locomo.audit import audited
from hypermnesia.evals.locomo.data import talks


def data(name: str) -> Path:
    """A file or folder of the data; without it the test is skipped."""
    path = Path(os.environ.get("HYPERMNESIA_DEV_DATA") or ".") / name
    if "HYPERMNESIA_DEV_DATA" not in os.environ or not path.exists():
        pytest.skip(f"HYPERMNESIA_DEV_DATA names no folder with {name}")
    return path


def test_every_entry_of_the_audit_finds_its_question() -> None:
    """And nearly every question has evidence that can be read."""
    found = talks(data("locomo-dev.json"))
    outcome = audited(found, data("locomo-audit-dev.json"))
    assert outcome.unmatched == 0
    questions = [question for talk in outcome.talks for question in talk.questions]
    assert sum(bool(question.note) for question in questions) == sum(outcome.errors.values())
    assert sum(not question.gold for question in questions) < 0.01 * len(questions)


def test_every_conversation_of_beam_is_read() -> None:
    """Only abstentions have no evidence, and only updates an original."""
    for talk in beam.talks(beam.files([data("beam-dev")])):
        for question in talk.questions:
            assert bool(question.gold) == question.answerable
            assert not question.stale or question.kind == "knowledge_update"
            assert question.rubric

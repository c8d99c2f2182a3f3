"""ask."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hypermnesia.answer.result import NOT_KNOWN, Answer
from hypermnesia.memory import Memory
from tests.cli.conftest import Terminal


def test_an_extractive_answer_says_what_it_is_and_where_it_stands(hm: Terminal) -> None:
    """The answer first, then the memory with its date and id."""
    added = hm.add("Billing uses NATS", "--at", "2026-05-03")
    first, second = hm.out("ask", "billing uses?").splitlines()
    assert first == "Billing uses NATS (extractive answer, no language model)"
    assert second == f"[1] 2026-05-03, {added}: Billing uses NATS"


def test_a_question_may_come_from_stdin_and_filters_apply(hm: Terminal) -> None:
    """As for search."""
    hm.add("Billing uses NATS")
    assert "NATS" in hm.out("ask", "-", stdin="billing uses?\n")
    assert hm.run("ask", "billing uses?", "--tag", "other").stdout == ""


def test_not_knowing_is_a_note_and_no_failure(hm: Terminal) -> None:
    """Stdout stays empty, so that a script does not take it for an answer."""
    result = hm.run("ask", "what does billing use?")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"{NOT_KNOWN} (extractive answer, no language model)\n"


def test_the_document_holds_everything(hm: Terminal) -> None:
    """Kind, citations and the memories themselves."""
    added = hm.add("Billing uses NATS")
    answer = hm.json("ask", "billing uses?")
    assert (answer["text"], answer["kind"], answer["known"]) == (
        "Billing uses NATS", "extractive", True,
    )  # fmt: skip
    assert [c["id"] for c in answer["citations"]] == [h["id"] for h in answer["hits"]] == [added]
    assert hm.json("ask", "what else?", "--scope", "other")["known"] is False


def test_an_answer_of_a_model_has_no_caveat_unless_something_failed(
    hm: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And lists the memories that it cites as they are."""
    hm.add("Billing uses NATS")
    extracted = Memory.answer

    def by_model(self: Memory, question: str, **options: object) -> Answer:
        found = extracted(self, question, **options)  # type: ignore[arg-type]
        return replace(found, text="NATS", kind="model", quote="", degraded="?" in question)

    monkeypatch.setattr(Memory, "answer", by_model)
    first, second = hm.out("ask", "billing uses").splitlines()
    assert first == "NATS"
    assert second.endswith(": Billing uses NATS")
    assert hm.out("ask", "billing uses?").startswith("NATS (degraded: a model failed)\n")

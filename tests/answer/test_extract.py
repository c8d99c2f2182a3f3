"""Answers taken out of memories, with the bundled encoder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import pytest

from hypermnesia.answer.extract import extract
from hypermnesia.answer.result import NOT_KNOWN, Answer, Asked
from hypermnesia.errors import ModelError
from hypermnesia.models.encoder import Encoding, OnnxEncoder
from hypermnesia.types import Hit
from tests.read.test_context import hit, talk
from tests.store.embedders import HashEmbedder

SAID = datetime.fromisoformat("2024-03-10T09:00:00+00:00")
HITS = (
    talk("Bo: When did you move to Lisbon?", "1", valid_from=SAID),
    talk("Ann: I moved to Lisbon last month. The flat has a balcony.", "2", valid_from=SAID),
    talk("Ann: I adopted a dog called Rex yesterday!", "3", valid_from=SAID),
    talk("Bo: My sister has three cats. They sleep all day.", "4", valid_from=SAID),
    hit("Billing uses NATS since the move from Kafka", 0.6, valid_from=SAID),
)


def ask(encoder: OnnxEncoder, question: str, *hits: Hit) -> Answer:
    """The answer from these hits, or from the talk."""
    return extract(encoder, Asked(question), hits or HITS)


def test_a_question_about_a_time_is_answered_with_the_date(encoder: OnnxEncoder) -> None:
    """Resolved against the day on which it was said; the quote says where it comes from."""
    answer = ask(encoder, "When did Ann adopt Rex?")
    assert answer.text == "9 March 2024"
    assert answer.quote == "Ann: I adopted a dog called Rex yesterday (9 March 2024)!"
    assert (answer.kind, answer.known, answer.tokens) == ("extractive", True, 0)


def test_a_question_is_no_answer(encoder: OnnxEncoder) -> None:
    """Though nothing is more alike."""
    answer = ask(encoder, "When did you move to Lisbon?")
    assert answer.text == "February 2024"


def test_without_a_date_the_answer_says_when_it_was_said(encoder: OnnxEncoder) -> None:
    """Which is not when it happened, and is not passed off as that."""
    said = talk("Ann: I joined the choir!", "5", valid_from=SAID)
    assert ask(encoder, "When did Ann join the choir?", said).text == "said on 10 March 2024"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many cats does Bo's sister have?", "Bo: My sister has three cats."),
        ("What does billing use?", "Billing uses NATS since the move from Kafka"),
        ("What does Ann's flat have?", "Ann: The flat has a balcony."),
    ],
)
def test_other_questions_are_answered_with_the_sentence(
    encoder: OnnxEncoder, question: str, answer: str
) -> None:
    """One sentence of a memory, with its speaker, cited."""
    found = ask(encoder, question)
    assert found.text == found.quote == answer
    (citation,) = found.citations
    assert (citation.number, citation.id) == (1, found.hits[0].id)


@pytest.mark.parametrize(
    "question",
    ["Which database stores the invoices?", "Where did Carl learn to sail?", "?", "東京"],
)
def test_what_no_memory_is_like_is_not_known(encoder: OnnxEncoder, question: str) -> None:
    """Better no answer than a wrong one."""
    answer = ask(encoder, question)
    assert (answer.text, answer.known) == (NOT_KNOWN, False)
    assert (answer.citations, answer.hits) == ((), ())


def test_nothing_found_is_not_known(encoder: OnnxEncoder) -> None:
    """Heads alone say nothing that could be quoted."""
    for hits in ([], [hit("Cats. Bo has three cats.", level="episode")]):
        assert not extract(encoder, Asked("How many cats does Bo have?"), hits).known


def test_what_holds_is_preferred_to_what_was_superseded(encoder: OnnxEncoder) -> None:
    """Although both are alike."""
    old = replace(hit("The staging port is 8080"), superseded_by="x")
    new = hit("The staging port is now 9090")
    for hits in ((old, new), (new, old)):
        assert ask(encoder, "What is the staging port?", *hits).hits == (new,)


def test_an_encoder_without_token_vectors_compares_sentences() -> None:
    """By their cosine."""
    hits = [hit("Tea is at four o'clock. Billing uses NATS")]
    assert extract(HashEmbedder(), Asked("billing uses?"), hits).text == "Billing uses NATS"


def test_a_failing_encoder_leaves_the_words_to_decide() -> None:
    """And the answer says that it is worth less."""

    class Mute(HashEmbedder):
        def encode_queries(self, texts: Sequence[str]) -> list[Encoding]:
            raise ModelError(f"no vectors for {len(texts)} texts")

    answer = extract(Mute(), Asked("What does billing use?"), HITS)
    assert (answer.text, answer.degraded) == (HITS[-1].content, True)
    assert not extract(Mute(), Asked("Who sings?"), HITS).known

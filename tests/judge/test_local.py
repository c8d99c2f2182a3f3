"""The local judge: its contract, its gate, and the shipped hard pairs."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from training.memories import read_cases
from training.pair_reasons import KINDS, reasoned
from training.pairs import read_pairs

from hypermnesia.judge.local import LocalJudge
from hypermnesia.judge.protocol import Passage
from hypermnesia.models.encoder import OnnxEncoder
from hypermnesia.models.late import compress, expand, query_tokens
from hypermnesia.types import MEMORY_TYPES
from tests.judge import passages as bare

THRESHOLD = 0.80
"""The probability at which the write path supersedes."""

Read = Callable[[Sequence[str]], list[Passage]]

CHATTER = (
    "ok thanks!", "lol", "hello", "running the tests now", "sounds good", "see you tomorrow",
    "Let me check that.", "14 passed in 3.2s",
)  # fmt: skip
WORTH_KEEPING = (
    "Anna is allergic to peanuts", "db port is 5433", "I prefer dark mode.", "My name is Priya.",
    "We decided to use Postgres instead of MySQL because of JSON support.",
    "Call me Ben.", "redis port: 6380", "The release is scheduled for Friday.",
)  # fmt: skip


@pytest.fixture(scope="module")
def judge() -> LocalJudge:
    """The judge under test."""
    return LocalJudge()


@pytest.fixture(scope="module")
def read(encoder: OnnxEncoder) -> Read:
    """Memories as the store hands them to a judge."""

    def passages(texts: Sequence[str]) -> list[Passage]:
        out: list[Passage] = []
        for text, encoding in zip(texts, encoder.encode(list(texts)), strict=True):
            tokens = expand(compress(encoding.pieces, encoding.tokens))
            out.append(Passage(text, encoding.dense, tokens, np.ones(len(tokens), np.float32)))
        return out

    return passages


@pytest.fixture(scope="module")
def ask(encoder: OnnxEncoder) -> Callable[[str], Passage]:
    """A query as the read path hands it to a judge."""

    def query(text: str) -> Passage:
        encoding = encoder.encode_queries([text])[0]
        return Passage(text, encoding.dense, *query_tokens(encoding))

    return query


@pytest.fixture(scope="module")
def replaces(judge: LocalJudge, read: Read) -> Callable[[str, str], float]:
    """Probability that the second text replaces the first."""

    def probability(existing: str, incoming: str) -> float:
        old, new = read([existing, incoming])
        return judge.supersede([old], new)[0]

    return probability


def test_its_name_is_recorded_as_local(judge: LocalJudge) -> None:
    """Rows say which backend judged them."""
    assert judge.name == "local"


def test_its_gate_lies_on_the_salience_scale(judge: LocalJudge) -> None:
    """A gate outside [0, 4] would hide everything or nothing."""
    assert 0 < judge.gate < 4


@pytest.mark.parametrize("text", CHATTER)
def test_chatter_falls_below_the_gate(judge: LocalJudge, read: Read, text: str) -> None:
    """Greetings, thanks and tool noise are not worth recalling."""
    assert judge.analyze(read([text]))[0].salience < judge.gate


@pytest.mark.parametrize("text", WORTH_KEEPING)
def test_a_durable_memory_passes_the_gate(judge: LocalJudge, read: Read, text: str) -> None:
    """Facts, preferences and decisions are kept, however terse."""
    assert judge.analyze(read([text]))[0].salience >= judge.gate


def test_held_out_memories_get_their_type_and_are_rarely_gated(
    judge: LocalJudge, read: Read
) -> None:
    """The floors leave some room below the published figures."""
    cases = read_cases("memories_heldout.txt")
    said = judge.analyze(read([case.text for case in cases]))
    right = [s.memory_type == c.memory_type for s, c in zip(said, cases, strict=True)]
    gated = [s.salience < judge.gate for s, c in zip(said, cases, strict=True) if c.durable]
    assert np.mean(right) >= 0.72
    assert np.mean(gated) <= 0.04


def test_type_probabilities_cover_the_seven_types_and_sum_to_one(
    judge: LocalJudge, read: Read
) -> None:
    """An analysis is a distribution, with the likeliest type named."""
    said = judge.analyze(read(["We chose NATS over Kafka for billing."]))[0]
    assert set(said.type_probabilities) == set(MEMORY_TYPES)
    assert sum(said.type_probabilities.values()) == pytest.approx(1)
    assert said.memory_type == max(said.type_probabilities, key=said.type_probabilities.__getitem__)


def test_the_memory_that_answers_is_the_most_relevant(
    judge: LocalJudge, read: Read, ask: Callable[[str], Passage]
) -> None:
    """Subject and attribute both count."""
    memories = [
        "Elena lives in Vienna.",
        "Bruno lives in Porto.",
        "Elena is a nurse.",
        "I like tea.",
    ]
    probabilities = judge.relevance(ask("Where does Elena live?"), read(memories))
    assert int(np.argmax(probabilities)) == 0


@pytest.mark.parametrize(
    ("existing", "incoming"),
    [
        ("My name is Anna.", "My name is Joanna."),
        ("The billing service uses Kafka.", "We moved billing from Kafka to NATS."),
        ("Marco loves Chinese food.", "Marco can't stand Chinese food any more."),
        ("db port is 5432", "db port is 5433"),
        ("Alice owns the payment service.", "Bob took over the payment service from Alice."),
        ("I live in Lisbon.", "I moved to Porto last month."),
    ],
)
def test_a_changed_value_supersedes(
    replaces: Callable[[str, str], float], existing: str, incoming: str
) -> None:
    """Keeping both active would leave the store inconsistent."""
    assert replaces(existing, incoming) >= THRESHOLD


@pytest.mark.parametrize(
    ("existing", "incoming"),
    [
        ("Invoice INV-1001 is for 40 euros.", "Invoice INV-1002 is for 45 euros."),
        ("cat number 0", "cat number 1"),
        ("I own a Volvo.", "I own a Fiat."),
        ("My hobby is chess.", "My hobby is pottery."),
        ("The car is red.", "The car is fast."),
        ("Anna is allergic to nuts.", "Ben is allergic to nuts."),
        ("I am planning to buy a motorbike.", "I bought the motorbike."),
        ("A man is riding a horse.", "A man is feeding a horse."),
    ],
)
def test_compatible_memories_both_stay(
    replaces: Callable[[str, str], float], existing: str, incoming: str
) -> None:
    """A wrong supersession hides a memory."""
    assert replaces(existing, incoming) < THRESHOLD


def test_the_same_words_again_supersede_nothing(replaces: Callable[[str, str], float]) -> None:
    """A repetition is a duplicate, not a change."""
    assert replaces("I prefer dark mode.", "I prefer dark mode.") == 0


def test_the_order_of_a_change_matters(replaces: Callable[[str, str], float]) -> None:
    """The announcement of a change replaces the old state; not the other way round."""
    old, new = "The team uses Jira.", "We moved from Jira to Linear."
    assert replaces(old, new) > replaces(new, old)


@pytest.mark.parametrize("name", ["pairs_heldout.txt", "pairs_things_heldout.txt"])
def test_hard_pairs_held_out_of_training_are_told_apart(
    judge: LocalJudge, read: Read, name: str
) -> None:
    """The floor leaves some room below the published figure."""
    cases = read_pairs(name)
    texts = read([t for c in cases for t in (c.existing, c.incoming)])
    said = [
        judge.supersede([old], new)[0] >= THRESHOLD
        for old, new in zip(texts[::2], texts[1::2], strict=True)
    ]
    assert np.mean(np.asarray(said) == [c.supersedes for c in cases]) >= 0.82


def test_no_question_about_nothing_has_no_answer(judge: LocalJudge, read: Read) -> None:
    """Empty lists are answered with empty lists."""
    (one,) = read(["I like tea."])
    assert judge.analyze([]) == []
    assert judge.relevance(one, []) == []
    assert judge.supersede([], one) == []


def test_answers_do_not_depend_on_the_company(judge: LocalJudge, read: Read) -> None:
    """A neighbour's probability is its own, alone or among others."""
    old, other, new = read(["I live in Lisbon.", "I own a Volvo.", "I live in Porto."])
    together = judge.supersede([old, other], new)
    assert together == pytest.approx([judge.supersede([p], new)[0] for p in (old, other)], abs=1e-6)


def test_a_floor_changes_no_answer_above_it(read: Read) -> None:
    """Pairs that are ruled out without being worked out could not have reached it."""
    pairs = [*read_pairs("pairs_heldout.txt"), *read_pairs("updates_heldout.txt")[::3]]
    texts = read([text for pair in pairs for text in (pair.existing, pair.incoming)])
    existing, exact, quick = texts[::2], LocalJudge(), LocalJudge(floor=THRESHOLD)
    for i, incoming in enumerate(texts[1::2]):
        company = [existing[i], *existing[i + 1 : i + 4]]
        whole = np.asarray(exact.supersede(company, incoming))
        floored = np.asarray(quick.supersede(company, incoming))
        high = whole >= THRESHOLD
        assert (floored >= THRESHOLD).tolist() == high.tolist()
        assert floored[high].tolist() == whole[high].tolist()


@pytest.mark.parametrize("said", [False, True])
def test_what_the_text_rules_out_no_vectors_would_bring_back(read: Read, *, said: bool) -> None:
    """And it rules out a good part of what stands beside."""
    pairs = [*read_pairs("pairs_heldout.txt"), *read_pairs("updates_heldout.txt")[::3]]
    rng = random.Random(29)
    reasons = [reasoned(rng, kind) for kind in KINDS for _ in range(3)]
    told = [*((p.existing, p.incoming) for p in pairs), *reasons]
    texts = [replace(p, said=said) for p in read([text for pair in told for text in pair])]
    existing, judge = texts[::2], LocalJudge(floor=THRESHOLD)
    ruled_out = others = 0
    for i, incoming in enumerate(texts[1::2]):
        company = [existing[(i + 41 * step) % len(existing)] for step in range(4)]
        worth = judge.may_replace([p.text for p in company], incoming)
        answers = judge.supersede(company, incoming)
        for possible, answer in zip(worth, answers, strict=True):
            assert possible or answer < THRESHOLD
        ruled_out += len(worth[1:]) - sum(worth[1:])
        others += len(worth[1:])
    assert ruled_out > others / 3


def test_without_a_floor_no_text_rules_anything_out(judge: LocalJudge, read: Read) -> None:
    """Every probability is asked for then."""
    new, *others = read(["I own a Volvo.", "I live in Porto.", "Ana: Do you like tea?"])
    assert judge.may_replace([other.text for other in others], new) == [True, True]
    assert judge.may_replace([], new) == []


@pytest.mark.parametrize(
    "text", ["", " ", "\x00", "\ud800", "?", "!!!", "猫が好きです", "😀", "a" * 64_000]
)
def test_awkward_texts_are_judged_like_any_other(judge: LocalJudge, text: str) -> None:
    """Without vectors, the text alone decides, and nothing is raised."""
    _check(judge, bare.passage(text), bare.passages("I like tea.", text))


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_text_gets_bounded_and_repeatable_answers(one: str, other: str) -> None:
    """Every number is finite, in its range, and the same when asked again."""
    _check(LocalJudge(), bare.passage(one), bare.passages(other, one))


@pytest.mark.parametrize(
    ("dimension", "chunks", "tokens"), [(768, 1, 5), (384, 3, 0), (384, 2, 7), (16, 2, 0)]
)
def test_vectors_of_any_encoder_are_accepted(
    judge: LocalJudge, dimension: int, chunks: int, tokens: int
) -> None:
    """Another dimension, several windows, or no token vectors: the judge answers all the same."""
    rng = np.random.default_rng(0)

    def passage(text: str) -> Passage:
        dense = rng.normal(size=(chunks, dimension)).astype(np.float32)
        late = rng.normal(size=(tokens, 24)).astype(np.float32)
        unit = [v / np.linalg.norm(v, axis=1, keepdims=True) for v in (dense, late)]
        return Passage(text, unit[0], unit[1], np.ones(tokens, np.float32))

    _check(
        judge, passage("I live in Porto."), [passage(t) for t in ("I live in Lisbon.", "tea", "")]
    )


def test_mixed_passages_with_and_without_tokens_are_answered(judge: LocalJudge, read: Read) -> None:
    """One neighbour without token vectors must not spoil the others."""
    old, new = read(["I live in Lisbon.", "I live in Porto."])
    without = Passage(old.text, old.dense, np.zeros((0, 192), np.float32), np.zeros(0, np.float32))
    _check(judge, new, [old, without])


def _check(judge: LocalJudge, one: Passage, others: list[Passage]) -> None:
    said = judge.analyze(others)
    assert len(said) == len(others)
    assert all(0 <= s.durable <= 1 and 0 <= s.salience <= 4 for s in said)
    assert said == judge.analyze(others)
    for numbers, again in (
        (judge.relevance(one, others), judge.relevance(one, others)),
        (judge.supersede(others, one), judge.supersede(others, one)),
    ):
        assert len(numbers) == len(others)
        assert all(0 <= n <= 1 for n in numbers)
        assert numbers == again

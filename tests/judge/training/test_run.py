"""Training on a corpus, from rows to heads that answer differently."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hypermnesia.errors import InvalidInput
from hypermnesia.judge.local import LocalJudge
from hypermnesia.judge.local_heads import SHIPPED, Heads
from hypermnesia.judge.own_heads import read as read_heads
from hypermnesia.judge.own_heads import write as write_heads
from hypermnesia.judge.training.heads import HIGHEST, levels_of
from hypermnesia.judge.training.rows import read
from hypermnesia.judge.training.run import Outcome, Trained, train
from hypermnesia.judge.training.tasks import tasks
from hypermnesia.judge.training.texts import encode
from hypermnesia.models.encoder import OnnxEncoder
from tests.judge.training.samples import (
    Row,
    analysis,
    comparisons,
    opinions,
    ranking,
    write,
)


@pytest.fixture(scope="module")
def trained(encoder: OnnxEncoder, tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """What the opinions taught."""
    path = write(tmp_path_factory.mktemp("corpus") / "c.jsonl", opinions(160))
    return train(read(path), encoder)


def outcome(trained: Trained, head: str) -> Outcome:
    """What became of one head."""
    (found,) = [one for one in trained.outcomes if one.head == head]
    return found


def test_an_opinion_is_learnt_and_holds_on_rows_that_were_held_out(trained: Trained) -> None:
    """Fewer errors by more than chance explains, in every measure that the judges are told by."""
    found = outcome(trained, "type/full")
    assert found.better
    assert found.measures["brier"].high < 0 < found.measures["accuracy"].low
    assert (found.rows, found.lacking) == (160, None)
    assert found.groups > 100
    assert outcome(trained, "durable/full").measures["brier"].change < 0


def test_trained_heads_answer_what_they_were_taught(
    trained: Trained, encoder: OnnxEncoder, tmp_path: Path
) -> None:
    """Through the judge, after a way through their file; the name tells them apart."""
    write_heads(tmp_path / "heads.npz", trained.arrays)
    heads = read_heads(tmp_path / "heads.npz")
    assert heads is not None
    judge = LocalJudge(heads=heads)
    assert judge.name.startswith("local_")
    path = write(tmp_path / "c.jsonl", opinions(160))
    memories = list(encode(read(path), encoder, lambda _done: None).memories.values())
    before, after = LocalJudge().analyze(memories), judge.analyze(memories)

    facts = [sum(one.memory_type == "fact" for one in said) for said in (before, after)]
    assert facts[1] < facts[0] / 2


def test_what_was_no_question_of_the_corpus_stays_as_shipped(trained: Trained) -> None:
    """No array of relevance or supersession is touched."""
    assert not any(name.startswith(("relevance", "supersede")) for name in trained.arrays)


def test_tasks_answer_as_the_judge_does(encoder: OnnxEncoder, tmp_path: Path) -> None:
    """The shipped figures are those of the judge in force, for every question."""
    rows: list[Row] = opinions(6) + comparisons(6)
    lists = {"the port is 80": 0.9, "lunch was good": 0.1, "ports are numbers": 0.4}
    rows += [ranking("which port?", lists), ranking("what was for lunch?", lists)]
    corpus = read(write(tmp_path / "c.jsonl", rows))
    texts, judge = encode(corpus, encoder, lambda _done: None), LocalJudge()
    found = {task.head: task for task in tasks(corpus, texts)}

    def said(head: str) -> list[list[float]]:
        task = found[head]
        return task.predict(SHIPPED, np.ones(len(task.y), np.bool_)).tolist()

    analyses = judge.analyze([texts.memories[row.text] for row in corpus.analysed])
    for one, p, d in zip(analyses, said("type/full"), said("durable/full"), strict=True):
        assert p == pytest.approx(list(one.type_probabilities.values()))
        assert d[0] == pytest.approx(one.durable)
    for one, p in zip(analyses, said("salience/full"), strict=True):
        assert np.dot(p, np.arange(HIGHEST + 1)) == pytest.approx(one.salience)
    relevant = [
        judge.relevance(texts.queries[r.query], [texts.memories[c] for c in r.candidates])
        for r in corpus.ranked
    ]
    assert [p[0] for p in said("relevance/full")] == pytest.approx(
        np.concatenate(relevant).tolist()
    )
    pairs = [(texts.memories[r.existing], texts.memories[r.incoming]) for r in corpus.compared]
    replaced = [judge.supersede([old], new)[0] for old, new in pairs]
    assert [p[0] for p in said("supersede/full")] == pytest.approx(replaced)


def test_pairs_are_weighed_anew(encoder: OnnxEncoder, tmp_path: Path) -> None:
    """One who means the opposite of the shipped head is believed; the trees stay what they are."""
    corpus = read(write(tmp_path / "c.jsonl", comparisons(120)))
    result = train(corpus, encoder)
    assert outcome(result, "supersede/full").better
    assert outcome(result, "supersede/text").better
    assert not any(name.endswith(("feature", "threshold")) for name in result.arrays)
    texts = encode(corpus, encoder, lambda _done: None)
    judge, shipped = LocalJudge(heads=Heads("candidate", result.arrays)), LocalJudge()
    moved = [
        judge.supersede([old], new)[0] - shipped.supersede([old], new)[0]
        for row in corpus.compared
        for old, new in [(texts.memories[row.existing], texts.memories[row.incoming])]
    ]
    assert min(moved) < -0.3
    assert max(moved) > 0.3


def test_a_corpus_that_is_too_small_or_one_sided_is_refused(
    encoder: OnnxEncoder, tmp_path: Path
) -> None:
    """Each question says what it lacks."""
    with pytest.raises(InvalidInput, match="question type it has 20 rows of it; at least 100"):
        train(read(write(tmp_path / "small.jsonl", opinions(20))), encoder)
    alike = [
        analysis(f"The answer to question {i} is {i * 7}", "fact", 0.9, 3.0) for i in range(120)
    ]
    with pytest.raises(InvalidInput, match="120 of 120 answers to it that say the same") as told:
        train(read(write(tmp_path / "same.jsonl", alike)), encoder)
    assert "durable" in str(told.value)


def test_rows_about_one_thing_cannot_be_held_out(encoder: OnnxEncoder, tmp_path: Path) -> None:
    """Near-duplicates of what was learnt would prove nothing."""
    rows = [
        analysis(f"The build number is {i}", "fact" if i % 2 else "project", i % 2, 1 + i % 3)
        for i in range(120)
    ]
    with pytest.raises(InvalidInput, match="groups of rows about different things"):
        train(read(write(tmp_path / "c.jsonl", rows)), encoder)


def test_an_expected_level_is_spread_over_its_neighbours() -> None:
    """So that its mean is kept."""
    levels = levels_of([0.0, 1.25, 4.0, 9.0])
    assert (levels @ np.arange(HIGHEST + 1)).tolist() == [0.0, 1.25, 4.0, 4.0]
    assert levels.sum(axis=1).tolist() == [1.0] * 4

"""What is learnt from which rows of a corpus."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hypermnesia.corpus.judgement import Judgement, analysis_answers
from hypermnesia.corpus.row import row_of
from hypermnesia.errors import InvalidInput
from hypermnesia.identity import new_id
from hypermnesia.judge.training import rows
from hypermnesia.judge.training.rows import Analysed, Compared, Ranked, read
from hypermnesia.types import MEMORY_TYPES, Analysis
from tests.judge.training.samples import analysis, comparison, ranking, write


def test_each_question_is_read_as_the_judge_was_asked_it(tmp_path: Path) -> None:
    """Texts from the state, probabilities from the answers; the seven types sum to one."""
    corpus = read(
        write(
            tmp_path / "c.jsonl",
            [
                analysis("We chose NATS", "decision", 0.9, 3.5, memory_id="m1"),
                ranking("what queue?", {"NATS": 0.8, "lunch": 0.1, "Kafka": 0.4}),
                comparison("port 1", "port 2", 0.7),
            ],
        )
    )
    (said,) = corpus.analysed
    assert (said.text, said.memory, said.durable, said.salience) == (
        "We chose NATS", "m1", 0.9, 3.5,
    )  # fmt: skip
    assert sum(said.types) == pytest.approx(1)
    assert corpus.ranked == [Ranked("what queue?", ("NATS", "lunch", "Kafka"), (0.8, 0.1, 0.4))]
    assert corpus.compared == [Compared("port 1", "port 2", 0.7)]
    assert (corpus.rows, corpus.own, corpus.unusable, corpus.fault) == (3, 0, 0, None)


def test_rows_are_read_as_the_corpus_writes_them(tmp_path: Path) -> None:
    """Its own rows of all three questions, redacted and with every column."""
    said = Analysis("decision", {**dict.fromkeys(MEMORY_TYPES, 0.0), "decision": 1.0}, 0.9, 3.5)
    ids = tuple(new_id() for _ in range(3))
    ranked = {f"c{i}": {"noul": p} for i, p in enumerate((0.8, 0.1, 0.4))}
    judgements = [
        Judgement("analyze", ("We chose NATS",), analysis_answers(said), ids[:1], ids[0], "chat"),
        Judgement("rerank", ("what queue?", "NATS", "lunch", "Kafka"), ranked, ids, None, "chat"),
        Judgement(
            "supersede", ("port 1", "port 2"), {"supersede": {"noul": 0.7}}, ids[:2], ids[1], "chat"
        ),
    ]
    rows = [row_of(each, "default", model="m", salt="s", about=None).body for each in judgements]
    corpus = read(write(tmp_path / "c.jsonl", [row for row in rows if row is not None]))
    assert corpus.fault is None
    (one,) = corpus.analysed
    assert (one.text, one.memory, one.durable, one.salience) == (
        "We chose NATS", ids[0], 0.9, 3.5,
    )  # fmt: skip
    assert corpus.ranked == [Ranked("what queue?", ("NATS", "lunch", "Kafka"), (0.8, 0.1, 0.4))]
    assert corpus.compared == [Compared("port 1", "port 2", 0.7)]


def test_objects_may_stand_there_as_text(tmp_path: Path) -> None:
    """As columns of a table hold them."""
    one = comparison("a b", "a c", 0.2)
    one |= {name: json.dumps(one[name]) for name in ("state", "answers")}
    assert read(write(tmp_path / "c.jsonl", [one])).compared == [Compared("a b", "a c", 0.2)]


def test_a_row_counts_once_and_without_an_id_each_time(tmp_path: Path) -> None:
    """Two exports in one file hold the same rows."""
    twice, nameless = comparison("a", "b", 0.1), comparison("c", "d", 0.1, id=None)
    corpus = read(write(tmp_path / "c.jsonl", [twice, twice, nameless, nameless]))
    assert len(corpus.compared) == 3


def test_the_local_judges_own_answers_teach_it_nothing(tmp_path: Path) -> None:
    """Whichever heads gave them; a file of nothing else is refused with what is needed."""
    own = [comparison("a", "b", 0.1, provider=name) for name in ("local", "local_1a2b3c4d")]
    other = comparison("a", "b", 0.1, provider="system_one")
    corpus = read(write(tmp_path / "c.jsonl", [*own, other]))
    assert (corpus.own, len(corpus.compared)) == (2, 1)
    with pytest.raises(InvalidInput, match=r"local judge itself gave 2 of its 2 .*system_one"):
        read(write(tmp_path / "own.jsonl", own))


BAD = {
    "not JSON": "{",
    "no object": "[1]",
    "no state": {**comparison("a", "b", 0.1), "state": None},
    "no answers": {**comparison("a", "b", 0.1), "answers": "x"},
    "another use case": {**comparison("a", "b", 0.1), "use_case": "dance"},
    "a blank text": comparison("a", " ", 0.1),
    "an answer out of range is clamped, one that is no number is not": comparison(
        "a", "b", "0.5"  # type: ignore[arg-type]
    ),
    "not finite": comparison("a", "b", float("nan")),
    "no candidates": {**ranking("q", {"a": 0.1}), "state": {"query": "q", "candidates": []}},
    "candidates that are no objects": {
        **ranking("q", {"a": 0.1}), "state": {"query": "q", "candidates": ["a"]},
    },
    "deeply nested": "[" * 100_000,
}  # fmt: skip


@pytest.mark.parametrize("line", BAD.values(), ids=BAD)
def test_a_bad_row_is_counted_and_passed_over(tmp_path: Path, line: object) -> None:
    """The first fault is told with its line, without the row's content."""
    good = comparison("aaa secret words", "b", 0.1)
    corpus = read(write(tmp_path / "c.jsonl", [good, line]))  # type: ignore[list-item]
    assert (len(corpus.compared), corpus.unusable) == (1, 1)
    assert corpus.fault is not None
    assert corpus.fault.startswith("line 2: ")
    with pytest.raises(InvalidInput, match="nothing to learn from: line 1: "):
        read(write(tmp_path / "bad.jsonl", [line]))  # type: ignore[list-item]


def test_of_too_many_rows_the_last_are_learnt_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was judged lately is closer to what will be."""
    monkeypatch.setattr(rows, "MOST", 2)
    said = [analysis(f"text {i}", "fact", 0.5, 2) for i in range(4)]
    kept: list[Analysed] = read(write(tmp_path / "c.jsonl", said)).analysed
    assert [one.text for one in kept] == ["text 2", "text 3"]


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    """Missing, a folder, another encoding, empty."""
    (tmp_path / "utf16").write_bytes("{}".encode("utf-16"))
    (tmp_path / "empty").touch()
    for name, message in {
        "missing": "cannot be read", ".": "cannot be read", "utf16": "UTF-8", "empty": "is empty"
    }.items():  # fmt: skip
        with pytest.raises(InvalidInput, match=message):
            read(tmp_path / name)

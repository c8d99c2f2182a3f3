"""Rows have the published schema, the exact question block, and no secret."""

from __future__ import annotations

import json
import uuid
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.corpus.judgement import Judgement
from hypermnesia.corpus.row import COLUMNS, IDENTITY, faults, is_whole, row_of
from hypermnesia.engine import CorpusPolicy
from hypermnesia.judge.local import LocalJudge
from hypermnesia.judge.questions import (
    ANALYZE,
    SUPERSEDE,
    TEXT_LIMIT,
    read_analysis,
    read_relevance,
    read_supersede,
    rerank_block,
    wire,
)
from hypermnesia.models.encoder import OnnxEncoder
from hypermnesia.privacy import examine
from tests.conftest import OpenMemory
from tests.corpus.queues import KEY, PASSWORD, agreeing, queue, rows
from tests.write.judges import ScriptedJudge


def test_a_row_has_every_column_and_no_other(open_memory: OpenMemory) -> None:
    """In the order of the published schema."""
    memory = agreeing(open_memory)
    memory.add("alpha")
    (found,) = rows(memory)
    assert tuple(found) == COLUMNS
    assert uuid.UUID(found["id"]).version == 7
    assert datetime.fromisoformat(found["created_at"]).utcoffset() is not None
    assert found["id"] == queue(memory)[0].id


def test_questions_and_answers_are_those_of_the_api(
    open_memory: OpenMemory, encoder: OnnxEncoder
) -> None:
    """What a judge behind the API is asked, and what it would have to answer to say the same."""
    memory = agreeing(open_memory, embedder=encoder, judges=[LocalJudge()])
    old = memory.add("The staging API listens on port 8080.")
    new = memory.add("The staging API now listens on port 9090.")
    memory.add("We chose NATS over Kafka for billing.")
    memory.add("I prefer tea over coffee.")
    hits = memory.search("which port does staging use?")
    analyzed = rows(memory, "analyze")[0]
    assert analyzed["questions"] == {key: wire(question) for key, question in ANALYZE.items()}
    assert analyzed["instruct_type"] == "choice+noul+score"
    analysis = read_analysis(analyzed["answers"])
    assert (analysis.memory_type, analysis.salience) == (old.memory_type, old.salience)
    pair = rows(memory, "supersede")[0]
    assert pair["questions"] == {key: wire(question) for key, question in SUPERSEDE.items()}
    assert new.superseded == (old.id,)
    assert read_supersede(pair["answers"]) >= 0.8
    ranking = rows(memory, "rerank")[0]
    block = rerank_block("", [""] * len(ranking["state"]["candidates"]))
    assert ranking["questions"] == {key: wire(q) for key, q in block.questions.items()}
    relevances = read_relevance(ranking["answers"], len(ranking["questions"]))
    judged = {hit.content: hit.explain.judge for hit in hits}
    assert {
        c["memory"]: r for c, r in zip(ranking["state"]["candidates"], relevances, strict=True)
    } == judged


def test_the_texts_of_a_row_say_the_same_as_its_objects(open_memory: OpenMemory) -> None:
    """Instruction, input and output are for those who train on text."""
    memory = agreeing(open_memory)
    memory.add_many(["alpha one", "alpha two"])
    for found in rows(memory):
        assert json.loads(found["input"]) == found["state"]
        assert json.loads(found["output"]) == found["answers"]
        for key, question in found["questions"].items():
            assert f"{key}: {question['instructions']}" in found["instruction"]


@pytest.mark.parametrize(
    "text",
    [
        f"the wifi password is {PASSWORD}, tell nobody",
        f'{{"name": "DB_PASSWORD", "value": "{PASSWORD}"}}',
        "write to ann.lee@example.com or call +44 20 7946 0958",
        "pay to DE89 3704 0044 0532 0130 00",
        "the server is 203.0.113.77",
    ],
)
def test_secrets_and_personal_data_are_masked_in_every_field(
    open_memory: OpenMemory, text: str
) -> None:
    """Texts are there as objects and as JSON in strings."""
    memory = agreeing(open_memory, secrets="keep")
    memory.add(text)
    memory.add("alpha")
    memory.add("beta")
    memory.search(text)
    assert len(rows(memory)) >= 4
    for item in queue(memory):
        body = item.body or ""
        for secret in (PASSWORD, "ann.lee", "7946 0958", "0532 0130", "203.0.113.77"):
            assert secret not in body
        assert faults(json.loads(body)) == ()


def test_a_secret_found_once_is_masked_everywhere_in_the_row(open_memory: OpenMemory) -> None:
    """A pair may give it away in one text and repeat it in the other."""
    memory = agreeing(open_memory, secrets="keep")
    memory.add(f"the deploy password is {PASSWORD}")
    memory.add(f"yes the deploy one, {PASSWORD} it is")
    (pair,) = rows(memory, "supersede")
    assert "[redacted:" in pair["state"]["incoming_memory"]
    assert PASSWORD not in json.dumps(pair)


def test_a_cut_does_not_let_half_a_secret_out() -> None:
    """Long texts are masked before they are clipped: no rule knows a half."""
    token = "ghs_" + "q7Rk2mVx9LpZ4tYw8NbC3sDf6GhJ1aQe5UiO"
    text = "word " * ((TEXT_LIMIT - 10) // 5) + token
    assert examine([text[:TEXT_LIMIT]], personal=True).rules == {}
    made = row_of(
        Judgement("analyze", (text,), {}, ("m",), "m", "local"),
        "a",
        model="m",
        salt="s",
        about=None,
    )
    assert made.body is not None
    assert token[:8] not in made.body


def test_no_name_that_a_caller_gave_gets_into_a_row(open_memory: OpenMemory) -> None:
    """Scope, tags, metadata, source, client and the ids of user, agent, session and turn."""
    memory = agreeing(open_memory)
    memory.corpus_consent(given=True, scope="clinic-of-dr-mabuse")
    provenance = dict.fromkeys(("source", "client", "user_id", "agent_id"), "mabuse")
    memory.add(
        "alpha",
        scope="clinic-of-dr-mabuse",
        tags=["mabuse"],
        metadata={"patient": "mabuse"},
        provenance={**provenance, "session_id": "mabuse", "turn_id": "mabuse"},
    )
    (found,) = rows(memory)
    assert "mabuse" not in json.dumps(found)
    assert found["source"] is None
    assert len(found["scope"]) == len(found["tag_id"]) == 16


def test_disguised_names_can_be_told_apart(open_memory: OpenMemory) -> None:
    """Alike in one store for the same scope and tags, whatever their order; not in another."""
    memory, other = agreeing(open_memory), agreeing(open_memory, name="other.db")
    memory.corpus_consent(given=True, scope="b")
    memory.add("one", tags=["x", "y"])
    memory.add("two", tags=["y", "x"])
    memory.add("three", scope="b")
    other.add("one", tags=["x", "y"])
    one, two, three = rows(memory, "analyze")
    assert (one["scope"], one["tag_id"]) == (two["scope"], two["tag_id"])
    assert three["scope"] != one["scope"]
    assert three["tag_id"] is None
    assert rows(other)[0]["scope"] != one["scope"]
    assert rows(other)[0]["tag_id"] != one["tag_id"]


def test_our_own_sources_are_named(open_memory: OpenMemory) -> None:
    """They say where judgements come from."""
    memory = agreeing(open_memory)
    memory.add("alpha", provenance={"source": "mcp"})
    assert rows(memory)[0]["source"] == "mcp"


def test_the_model_behind_a_judge_is_named(open_memory: OpenMemory) -> None:
    """Where the judge tells it."""

    class Remote(ScriptedJudge):
        model = "system-one-large"

    memory = agreeing(open_memory, judges=[Remote(name="system_one")])
    memory.add("alpha")
    (found,) = rows(memory)
    assert (found["provider"], found["model"]) == ("system_one", "system-one-large")


def test_a_model_is_named_in_plain_characters(open_memory: OpenMemory) -> None:
    """Or the scan, which knows no others there, would keep every row of it here."""

    class Remote(ScriptedJudge):
        model = "Größe 8B (int8), \u201cnew\u201d" + "x" * 300

    memory = agreeing(open_memory, judges=[Remote(name="chat")])
    memory.add("alpha")
    (found,) = rows(memory)
    assert found["model"].startswith("Größe 8B _int8__ _new_x")
    assert faults(found) == ()


PIECES = (
    KEY, PASSWORD, "the wifi password is ", '{"pin": 1234, "x": "', '"}', "ann@example.com", "[",
    "[redacted:email]", "[redacted:", "door code 4821", "https://u:p4ssw0rdX@h.de/", "\n", '"',
    "\\", "\u2028", "\u200b", "DE89 3704 0044 0532 0130 00", " is ", "=", "4111 1111 1111 1111",
    "{", "é",
)  # fmt: skip
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=80),
    st.lists(st.sampled_from(PIECES), max_size=10).map("".join),
)


@given(st.lists(TEXTS, min_size=4, max_size=4))
def test_no_text_makes_a_row_that_the_scan_keeps_here(texts: list[str]) -> None:
    """Whatever is judged can be queued, and what was masked once is found no more."""
    answers = {f"c{i}": {"noul": 0.5} for i in range(3)}
    judgement = Judgement("rerank", tuple(texts), answers, ("a", "b", "c"), None, "local")
    made = row_of(judgement, "a", model="m", salt="s", about=None)
    assert made.body is not None
    assert is_whole(made.id, made.body)
    assert faults(json.loads(made.body)) == ()


@pytest.mark.parametrize("name", sorted(IDENTITY))
def test_an_identity_field_that_is_not_one_keeps_a_row_here(
    open_memory: OpenMemory, name: str
) -> None:
    """They are not searched for secrets, so nothing else may hide there."""
    memory = agreeing(open_memory)
    memory.add("alpha")
    (found,) = rows(memory)
    assert faults(found) == ()
    assert faults({**found, name: "the patient's name & more"}) == (f"field {name}",)
    assert faults({**found, name: ["x"]}) == (f"field {name}",)


@pytest.mark.parametrize(
    "body", ["", "{", "[]", '"x"', "{}", '{"id": "x"}', "[" * 5000], ids=range(7)
)
def test_a_damaged_row_is_not_whole(body: str) -> None:
    """Whatever became of it in the file."""
    assert not is_whole("x", body)


def test_a_whole_row_is_one_line_with_its_own_id() -> None:
    """Or it would break the lines around it."""
    row: dict[str, Any] = dict.fromkeys(COLUMNS)
    row["id"] = "x"
    assert is_whole("x", json.dumps(row))
    assert not is_whole("y", json.dumps(row))
    assert not is_whole("x", json.dumps(row, indent=1))


def test_a_row_that_cannot_be_searched_stays_here() -> None:
    """Fail closed on the way out, too."""
    assert faults({}) == ("unreadable",)


def test_the_folder_is_no_part_of_a_row(open_memory: OpenMemory) -> None:
    """Nor is anything else of the configuration."""
    memory = agreeing(open_memory, corpus=CorpusPolicy(repo="me/mine"))
    memory.add("alpha")
    assert "me/mine" not in (queue(memory)[0].body or "")

"""The read path: what a hit says of itself, filters, floors and limits."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hypermnesia.errors import InvalidInput
from hypermnesia.memory import Memory
from hypermnesia.types import ChannelScore
from tests.conftest import OpenMemory
from tests.write.judges import ScriptedJudge

TEXTS = (
    "billing uses nats since may",
    "the office is in lyon",
    "src/auth.py raises POL-358",
    "we deploy on fridays",
    "東京都の天気",
)


@pytest.fixture
def filled(memory: Memory) -> Memory:
    """A few memories."""
    memory.add_many(TEXTS)
    return memory


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("what does billing use?", TEXTS[0]),
        ("office", TEXTS[1]),
        ("POL-358", TEXTS[2]),
        ("auth.py", TEXTS[2]),
        ("don't deploy", TEXTS[3]),
        ("東京", TEXTS[4]),
    ],
)
def test_the_word_asked_for_comes_first(filled: Memory, query: str, found: str) -> None:
    """Questions, identifiers whole and in parts, scripts without spaces."""
    assert filled.search(query)[0].content == found


def test_every_hit_explains_its_score(filled: Memory) -> None:
    """Ranks from one without gaps, scores in bounds, the final one the hit's own."""
    hits = filled.search("billing office", k=50)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    for hit in hits:
        explain = hit.explain
        assert hit.score == explain.final == explain["final"]
        assert set(explain) == {
            "dense", "lexical", "late", "fused", "judge", "judge_backend", "degraded",
            "salience", "final", "prior", "route", "talk",
        }  # fmt: skip
        assert 0 <= explain.fused <= 1
        assert 0 <= explain.final <= 1
        assert (explain.judge, explain.judge_backend) == (None, "off")
        assert explain.salience == 0.5
        for channel in (explain.dense, explain.lexical, explain.late):
            assert channel is None or _is_sound(channel)
    ranks = sorted(hit.explain.dense.rank for hit in hits if hit.explain.dense)
    assert ranks == list(range(1, len(hits) + 1))


def _is_sound(channel: ChannelScore) -> bool:
    return channel.rank >= 1 and 0 <= channel.normalised <= 1


def test_no_more_than_k_hits_come_back(filled: Memory) -> None:
    """And never fewer than match, up to k."""
    assert len(filled.search("billing", k=2)) == 2
    assert len(filled.search("billing", k=50)) == len(TEXTS)


def test_a_floor_cuts_off_what_scores_less(filled: Memory) -> None:
    """Possibly everything."""
    scores = [hit.score for hit in filled.search("billing")]
    floor = scores[1]
    assert [h.score for h in filled.search("billing", min_score=floor)] == [
        s for s in scores if s >= floor
    ]
    assert filled.search("billing", min_score=1.0) == []
    with pytest.raises(InvalidInput, match="min_score"):
        filled.search("billing", min_score=1.5)


def test_an_empty_store_finds_nothing(memory: Memory) -> None:
    """In the default scope and in unknown ones."""
    assert memory.search("anything") == []
    assert memory.search("anything", scope="nowhere") == []
    assert memory.context("anything") == ""


def test_a_filter_never_hides_a_match(memory: Memory) -> None:
    """However many better ones it excludes, and at k = 1."""
    memory.add_many([f"alpha alpha {i}" for i in range(150)])
    memory.add("alpha beta gamma delta", tags=["rare"], memory_type="decision", at="1999-01-01")
    for where in ({"tags": "rare"}, {"types": "decision"}, {"until": "2000-01-01"}):
        (hit,) = memory.search("alpha", k=1, **where)  # type: ignore[arg-type]
        assert hit.node.tags == ("rare",)


def test_filters_are_joined(memory: Memory) -> None:
    """All tags, any type, equal metadata, and a span of time."""
    memory.add("alpha 1", tags=["a", "b"], metadata={"n": 1, "s": "x"}, at="2020-06-01")
    memory.add("alpha 2", tags=["a"], metadata={"n": 1.0, "s": "y"}, memory_type="decision")
    memory.add("alpha 3", tags=["b"], metadata={"n": "1"}, memory_type="project")

    def found(**where: object) -> list[str]:
        return sorted(hit.content[-1] for hit in memory.search("alpha", **where))  # type: ignore[arg-type]

    assert found() == ["1", "2", "3"]
    assert found(tags=["a", "b"]) == ["1"]
    assert found(types=["decision", "project"]) == ["2", "3"]
    assert found(metadata={"n": 1}) == ["1", "2"]
    assert found(metadata={"n": "1"}) == ["3"]
    assert found(metadata={"n": 1, "s": "y"}) == ["2"]
    assert found(since="2020-01-01", until="2020-12-31") == ["1"]
    assert found(tags="a", types="fact") == ["1"]
    assert found(tags="c") == []
    assert found(levels="fact") == ["1", "2", "3"]
    assert found(levels=["turn", "episode"]) == []


def test_a_judge_raises_what_it_finds_relevant(open_memory: OpenMemory) -> None:
    """Its answer is part of the blend and of the explanation."""

    class Partial(ScriptedJudge):
        def relevance(self, query: object, candidates: object) -> list[float]:
            return [float("second" in c.text) for c in candidates]  # type: ignore[attr-defined]

    memory = open_memory(judges=[Partial()])
    memory.add_many(["alpha first", "alpha second"])
    first, second = memory.search("alpha first")
    assert (first.content, first.explain.judge) == ("alpha second", 1.0)
    assert second.explain.judge == 0.0
    assert first.explain.judge_backend == "scripted"


def test_a_hit_names_the_turn_it_came_from(memory: Memory) -> None:
    """The caller's own id."""
    memory.add("alpha", provenance={"turn_id": "D1:3"})
    memory.add("alpha too")
    sources = {hit.content: hit.sources for hit in memory.search("alpha")}
    assert sources == {"alpha": ("D1:3",), "alpha too": ()}


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    query=st.text(min_size=1, max_size=40).filter(
        lambda text: bool(text.replace("\0", " ").strip())
    )
)
def test_any_question_gets_an_answer(filled: Memory, query: str) -> None:
    """Quotes, operators, controls, halves of pairs: never an error."""
    for hit in filled.search(query):
        assert hit.content
        assert 0 <= hit.score <= 1


def test_the_published_preset_ranks_by_reciprocal_rank(open_memory: OpenMemory) -> None:
    """And scores stay in bounds."""
    memory = open_memory(preset="dgui")
    memory.add_many(TEXTS)
    hits = memory.search("billing uses nats")
    assert hits[0].content == TEXTS[0]
    assert all(0 <= hit.score <= 1 for hit in hits)

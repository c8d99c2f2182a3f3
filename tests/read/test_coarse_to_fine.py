"""The preset ``hypermem`` does what was published, checked against plain Python."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from hypermnesia.cli.render import explanation_lines
from hypermnesia.engine import GraphPolicy
from hypermnesia.errors import ModelError
from hypermnesia.judge.protocol import Passage
from hypermnesia.memory import Memory
from hypermnesia.store.incidence import Member
from hypermnesia.types import Hit, Level, Step
from tests.conftest import OpenMemory
from tests.read.hypergraphs import SAID, TEXTS, TOPICS, Graph, Oracle, bm25, stored
from tests.store.bench import node, record
from tests.write.judges import ScriptedJudge

QUERIES = ("tomato seeds garden", "violin teacher", "concert tickets cost euros", "train harbour")
NARROW = GraphPolicy(topics=1, episodes=2, facts=3)


@pytest.fixture
def hypermem(open_memory: OpenMemory) -> Memory:
    """The preset as published, over the hypergraph."""
    memory = open_memory(preset="hypermem")
    stored(memory)
    return memory


def under(memory: Memory, policy: GraphPolicy, preset: str = "hypermem") -> Memory:
    """The same store under another policy."""
    return Memory(replace(memory._engine, preset=preset, graph=policy), "default")  # type: ignore[arg-type]


def places(hits: Sequence[Hit], level: Level) -> list[int]:
    """Places in the tables of the hits of a level, in their order."""
    return [TEXTS[level].index(hit.content) for hit in hits if hit.level == level]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize(
    "policy",
    [
        GraphPolicy(),
        NARROW,
        replace(NARROW, topics=2, lam=0.0),
        replace(NARROW, weights=False, lam=2.0),
        replace(NARROW, levels=("episode",)),
        replace(NARROW, levels=("topic",)),
        replace(NARROW, levels=()),
        GraphPolicy(candidates=2),
    ],
)
def test_levels_are_ranked_as_published(hypermem: Memory, query: str, policy: GraphPolicy) -> None:
    """Topics, their episodes, their facts; under every ablation the one the oracle has."""
    expected = Oracle(policy).ranks(query)
    hits = under(hypermem, policy).search(query, levels=["topic", "episode", "fact"], k=50)
    for level in expected:
        assert places(hits, level) == expected[level]
    assert len(hits) == sum(map(len, expected.values()))


def test_every_component_of_a_score_is_shown(hypermem: Memory) -> None:
    """Raw scores of both channels, their fusion, and the ranks of what led to the hit."""
    query, oracle = QUERIES[0], Oracle(NARROW)
    ranks = oracle.ranks(query)
    hits = under(hypermem, NARROW).search(query, levels="fact")
    fused = oracle.fused(query, "fact", [0, 1, 2, 3])
    for hit in hits:
        (place,) = places([hit], "fact")
        episode = place // 2
        explain = hit.explain
        assert explain.dense
        assert explain.dense.raw == pytest.approx(oracle.cosines(query, "fact")[place], abs=1e-3)
        lexical = bm25(query, "fact").get(place)
        assert (explain.lexical and explain.lexical.raw) == pytest.approx(lexical)
        assert explain.final == explain.fused == pytest.approx(fused[place])
        assert [(s.level, s.rank) for s in explain.route] == [
            ("topic", 1),
            ("episode", ranks["episode"].index(episode) + 1),
        ]
        assert explain.route[0] == Step("topic", explain.route[0].id, 1, 1.0)
        assert hypermem.get(explain.route[1].id).content == TEXTS["episode"][episode]


def test_facts_come_before_their_episodes(hypermem: Memory) -> None:
    """That is the published answer context; topics and turns come only when they are asked for."""
    hits = hypermem.search(QUERIES[0], k=50)
    levels = [hit.level for hit in hits]
    assert levels == sorted(levels, key=["fact", "episode"].index)
    assert set(levels) == {"fact", "episode"}
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert [hit.id for hit in hypermem.search(QUERIES[0], k=2)] == [hit.id for hit in hits[:2]]
    every = hypermem.search(QUERIES[0], k=50, levels=["turn", "topic", "fact", "episode"])
    order = ["fact", "episode", "turn", "topic"]
    assert list(dict.fromkeys(hit.level for hit in every)) == order


def test_turns_are_those_of_the_best_facts(hypermem: Memory) -> None:
    """By their fact's rank, then those of the episodes by similarity; none from elsewhere."""
    query, policy = QUERIES[0], replace(NARROW, facts=2)
    ranks, cosines = Oracle(policy).ranks(query), Oracle(policy).cosines(query, "turn")
    said = [turn for episode in ranks["episode"] for turn in SAID[episode]]
    rest = sorted(set(said) - set(ranks["fact"]), key=lambda turn: -cosines[turn])
    hits = under(hypermem, policy).search(query, levels="turn")
    assert places(hits, "turn") == [*ranks["fact"], *rest]
    assert [step.level for step in hits[0].explain.route] == ["topic", "episode", "fact"]
    assert [step.level for step in hits[-1].explain.route] == ["topic", "episode"]


def test_what_no_head_holds_is_not_found(hypermem: Memory) -> None:
    """The gate of the publication; without levels that lead it is open."""
    query = "bob likes tomato soup"
    stray = len(TEXTS["fact"]) - 1
    assert stray not in places(hypermem.search(query, k=50), "fact")
    assert places(under(hypermem, GraphPolicy(levels=())).search(query), "fact")[0] == stray
    assert places(under(hypermem, GraphPolicy(), "default").search(query), "fact")[0] == stray


def test_a_filter_holds_for_what_is_returned(open_memory: OpenMemory) -> None:
    """Not for what leads to it: an untagged episode may hold a tagged fact."""
    memory = open_memory(preset="hypermem")
    stored(memory, tags=("t",))
    assert {hit.level for hit in memory.search(QUERIES[0], tags="t", k=50)} == {"fact"}
    assert memory.search(QUERIES[0], tags="u") == []
    assert memory.search(QUERIES[0], tags="t", levels="turn") == []


def test_another_scope_leads_nowhere(hypermem: Memory) -> None:
    """Its topics and episodes neither lead to facts nor come back."""
    stored(hypermem, "theirs")
    ours = hypermem.search(QUERIES[0], k=50)
    assert {hit.node.scope for hit in ours} == {"default"}
    assert hypermem.search(QUERIES[0], scope="nobody") == []


def test_a_superseded_fact_is_found_where_it_held(open_memory: OpenMemory) -> None:
    """Seen from then it competes by its own embedding; today it is gone."""
    memory = open_memory(preset="hypermem")
    graph = stored(memory)
    old, new = graph.nodes["fact"][:2]
    until = old.valid_from.replace(year=2030)
    with memory._engine.store.write() as writer:
        writer.amend(replace(old, status="superseded", superseded_by=new.id, valid_until=until))
    assert old.id not in [hit.id for hit in memory.search(QUERIES[0])]
    assert memory.search(QUERIES[0], as_of="2029-01-01", k=1)[0].id == old.id


class Reversing:
    """Prefers what sorts last."""

    def __init__(self, *, broken: bool = False, logits: bool = False) -> None:
        self._broken = broken
        self._scale = 10.0 if logits else 1.0

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """By place in the alphabet."""
        if self._broken:
            raise ModelError("no server")
        order = sorted(texts)
        return [self._scale * (order.index(text) + 1) / len(texts) for text in texts]


class Judging(ScriptedJudge):
    """The same as a judge."""

    def relevance(self, query: Passage, candidates: Sequence[Passage]) -> list[float]:
        """By place in the alphabet."""
        return Reversing().scores(query.text, [passage.text for passage in candidates])


@pytest.mark.parametrize("logits", [False, True])
def test_a_reranker_orders_each_level_anew(open_memory: OpenMemory, *, logits: bool) -> None:
    """Before the level is cut, and its score is the level's; logits are brought into bounds."""
    policy = GraphPolicy(rerank="model", topics=1)
    memory = open_memory(preset="hypermem", graph=policy, reranker=Reversing(logits=logits))
    stored(memory)
    hits = memory.search(QUERIES[0], levels=["topic", "episode"])
    last = max(TEXTS["topic"])
    episodes = [TEXTS["episode"][e] for e in TOPICS[TEXTS["topic"].index(last)]]
    assert [hit.content for hit in hits] == [*sorted(episodes, reverse=True), last]
    assert {hit.explain.judge_backend for hit in hits} == {"reranker"}
    assert all(0 <= hit.score <= 1 and hit.explain.judge for hit in hits)


def test_the_judge_may_rerank(open_memory: OpenMemory) -> None:
    """Its relevance is the score."""
    policy = GraphPolicy(rerank="judge")
    memory = open_memory(preset="hypermem", graph=policy, judges=[Judging()])
    stored(memory)
    hits = memory.search(QUERIES[0], levels="topic")
    assert [hit.content for hit in hits] == sorted(TEXTS["topic"], reverse=True)
    assert [hit.explain.judge for hit in hits] == [hit.score for hit in hits]
    assert hits[0].explain.judge_backend == "scripted"


def test_a_broken_reranker_leaves_the_order_and_says_so(open_memory: OpenMemory) -> None:
    """Search goes on with what the channels say."""
    policy = replace(NARROW, rerank="model")
    memory = open_memory(preset="hypermem", graph=policy, reranker=Reversing(broken=True))
    stored(memory)
    hits = memory.search(QUERIES[0], levels="fact")
    assert places(hits, "fact") == Oracle(NARROW).ranks(QUERIES[0])["fact"]
    assert all(hit.explain.degraded and hit.explain.judge is None for hit in hits)


def test_a_store_without_talk_finds_nothing(open_memory: OpenMemory) -> None:
    """Where nothing heads anything, nothing leads anywhere."""
    memory = open_memory(preset="hypermem")
    memory.add("alpha")
    assert memory.search("alpha") == []
    assert memory.search("alpha", levels="turn") == []


def test_the_heaviest_of_many_facts_is_kept(open_memory: OpenMemory) -> None:
    """An episode of more facts than candidates is ranked to its end before it is cut."""
    memory = open_memory(preset="hypermem", graph=GraphPolicy(candidates=5, facts=3))
    graph: Graph = stored(memory)
    many = [node(f"filler {i}", scope="default") for i in range(60)]
    last = node("quartz quartz", scope="default")
    with memory._engine.store.write() as writer:
        for item in (*many, last):
            writer.insert(record(item))
        writer.join([Member(graph.id("episode", 0), n.id, "core", 0.5) for n in (*many, last)])
    hits = memory.search("quartz", levels="fact")
    assert (hits[0].id, len(hits)) == (last.id, 3)


def test_a_route_is_shown_on_the_command_line(hypermem: Memory) -> None:
    """Each step with its rank, below the score."""
    hit = under(hypermem, NARROW).search(QUERIES[0], levels="fact")[0]
    *_, line = explanation_lines(hit.explain)
    assert line.startswith("by way of topic #1 1.000 ")
    assert f"episode #1 1.000 {hit.explain.route[1].id}" in line

"""Heads that match speak for what they hold, in the preset ``default``."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.engine import GraphPolicy
from hypermnesia.memory import Memory
from hypermnesia.read.priors import lifted, priors
from hypermnesia.store.incidence import Link
from hypermnesia.types import Hit, Level
from tests.conftest import OpenMemory
from tests.read.hypergraphs import TEXTS, stored

LINKS = [
    Link(1, 10, 0.5),  # a topic and its episode
    Link(2, 11, 1.0),
    Link(10, 100, 0.8),  # an episode and its fact
    Link(11, 100, 0.5),
    Link(11, 1000, 1.0),  # an episode and its turn
    Link(100, 1000, 1.0),  # a fact and its turn
]
QUERY = "music violin teacher"
unit = st.floats(0, 1, width=32)


def prior(key: int, scores: dict[int, float], *, weighted: bool = True) -> float:
    """The prior of one key."""
    return float(priors([key], LINKS, scores, weighted=weighted)[0])


def test_the_best_head_speaks_for_a_memory() -> None:
    """By weight times score."""
    assert prior(100, {10: 0.5, 11: 0.9}) == pytest.approx(0.45)
    assert prior(100, {10: 0.6, 11: 0.9}) == pytest.approx(0.48)
    assert prior(100, {10: 0.6, 11: 0.9}, weighted=False) == pytest.approx(0.9)


def test_a_topic_speaks_through_its_episodes() -> None:
    """As far down as turns; a memory's own score is no part of its prior."""
    assert prior(10, {1: 0.8}) == pytest.approx(0.4)
    assert prior(100, {1: 0.8}) == pytest.approx(0.32)
    assert prior(1000, {1: 0.8}) == pytest.approx(0.32)
    assert prior(100, {100: 1.0, 1: 0.8, 10: 0.6}) == pytest.approx(0.48)
    assert prior(10, {10: 1.0}) == 0


def test_the_order_of_links_does_not_matter() -> None:
    """Priors are a property of the graph."""
    scores = {1: 0.8, 2: 0.4, 11: 0.1}
    keys = [10, 11, 100, 1000]
    one = priors(keys, LINKS, scores, weighted=True)
    assert np.array_equal(one, priors(keys, LINKS[::-1], scores, weighted=True))


@given(st.lists(st.tuples(unit, unit), min_size=1), st.floats(0, 20))
def test_a_lift_stays_in_bounds_and_only_raises(
    rows: list[tuple[float, float]], weight: float
) -> None:
    """No prior, or no weight, leaves a score as it is."""
    fused, prior = (np.array(column, np.float32) for column in zip(*rows, strict=True))
    raised = lifted(fused, prior, weight)
    assert ((raised >= fused - 1e-6) & (raised <= 1)).all()
    assert np.allclose(lifted(fused, prior * 0, weight), fused, atol=1e-6)


def test_a_lift_adds_log_odds() -> None:
    """Two times the prior of a half is one."""
    one = float(lifted(np.array([0.5], np.float32), np.array([0.5], np.float32), 2.0)[0])
    assert one == pytest.approx(1 / (1 + np.exp(-1)))


def searched(memory: Memory, policy: GraphPolicy, **filters: str) -> dict[str, Hit]:
    """Hits by content."""
    engine = replace(memory._engine, graph=policy)
    return {hit.content: hit for hit in Memory(engine, "default").search(QUERY, k=50, **filters)}  # type: ignore[arg-type]


@pytest.fixture
def filled(memory: Memory) -> Memory:
    """The default preset over the hypergraph."""
    stored(memory)
    return memory


def test_a_prior_raises_what_matching_heads_hold(filled: Memory) -> None:
    """A fact of the violin lesson gains most; one without an episode nothing."""
    plain = searched(filled, GraphPolicy(prior=0.0), levels="fact")
    raised = searched(filled, GraphPolicy(prior=2.0), levels="fact")
    gain = {text: raised[text].explain.fused - plain[text].explain.fused for text in plain}
    assert max(gain, key=gain.__getitem__) in {TEXTS["fact"][4], TEXTS["fact"][5]}
    stray = TEXTS["fact"][-1]
    assert gain[stray] == pytest.approx(0, abs=1e-6)
    assert raised[stray].explain.prior == 0
    assert (raised[TEXTS["fact"][4]].explain.prior or 0) > 0
    assert plain[stray].explain.prior is None


def test_weights_count_unless_told_otherwise(filled: Memory) -> None:
    """Facts of 0.9 and 0.2 in the same episode have the same prior without weights."""
    one, two = TEXTS["fact"][4], TEXTS["fact"][5]
    weighed = searched(filled, GraphPolicy(prior=1.0, levels=("episode",)), levels="fact")
    alike = searched(
        filled, GraphPolicy(prior=1.0, levels=("episode",), weights=False), levels="fact"
    )
    first, second = weighed[one].explain.prior, weighed[two].explain.prior
    assert first
    assert second == pytest.approx(first * 0.2 / 0.9)
    assert alike[one].explain.prior == alike[two].explain.prior == pytest.approx(first / 0.9)


def test_only_levels_that_lead_speak(filled: Memory) -> None:
    """Topics alone, episodes alone, or nobody."""
    text = TEXTS["fact"][4]
    leading: list[tuple[Level, ...]] = [("topic",), ("episode",), ()]
    found = {
        levels: searched(filled, GraphPolicy(prior=1.0, levels=levels), levels="fact")[text]
        for levels in leading
    }
    assert found["topic",].explain.prior != found["episode",].explain.prior
    assert found[()].explain.prior is None


def test_without_the_flat_route_only_heads_lead(filled: Memory) -> None:
    """To members of the best episodes of the best topics."""
    gate = GraphPolicy(flat=False, topics=1, episodes=1)
    found = set(searched(filled, gate))
    lesson = {*TEXTS["fact"][4:6], *TEXTS["turn"][4:6], TEXTS["episode"][2]}
    assert found == lesson
    assert set(searched(filled, replace(gate, flat=True))) > lesson
    assert set(searched(filled, replace(gate, levels=()))) > lesson


def test_turns_may_be_left_out(filled: Memory) -> None:
    """Asked for or not."""
    without = GraphPolicy(turns=False)
    assert any(hit.level == "turn" for hit in searched(filled, GraphPolicy()).values())
    assert not any(hit.level == "turn" for hit in searched(filled, without).values())
    assert searched(filled, without, levels="turn") == {}


def test_the_published_preset_without_a_graph_knows_no_prior(open_memory: OpenMemory) -> None:
    """Nothing of the policy touches ``dgui``."""
    memory = open_memory(preset="dgui")
    stored(memory)
    changed = GraphPolicy(prior=2.0, flat=False, turns=False, topics=1, episodes=1)
    plain, other = searched(memory, GraphPolicy()), searched(memory, changed)
    assert [h.explain for h in other.values()] == [h.explain for h in plain.values()]

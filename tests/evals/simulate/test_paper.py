"""The published kind of workload has the published one's shape and flaws."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from hypermnesia.evals.simulate.paper import ambiguous, impossible
from hypermnesia.evals.simulate.workload import world
from hypermnesia.evals.simulate.world import World


@pytest.fixture(scope="module", params=[11, 12, 13])
def made(request: pytest.FixtureRequest) -> World:
    """The published seeds."""
    return world("paper", request.param, 900, 150)


def test_it_has_the_published_size(made: World) -> None:
    """About 870 rows, 95 sessions, and classes of 37, 37, 37 and 39."""
    assert 850 <= len(made.rows) <= 880
    assert {row.session for row in made.rows} <= set(range(95))
    assert Counter(query.kind for query in made.queries) == {
        "lexical": 37, "semantic": 37, "temporal": 37, "pinpoint": 39,
    }  # fmt: skip


def test_only_active_rows_are_stored_and_nineteen_questions_cannot_be_answered(
    made: World,
) -> None:
    """Every second temporal question asks for a superseded row."""
    assert all(row.until is None for row in made.rows)
    assert sum(row.kind == "subject" for row in made.rows) == 20
    assert impossible(made) == 19


def test_every_question_has_one_gold_though_most_are_ambiguous(made: World) -> None:
    """More than half can be answered by several rows."""
    assert all(len(query.golds) == 1 for query in made.queries)
    assert ambiguous(made) > 75


def test_its_lexical_questions_carry_no_path(made: World) -> None:
    """As published."""
    lexical = [query.text for query in made.queries if query.kind == "lexical"]
    assert not any(re.search(r"[/._]", text) for text in lexical)


def test_the_same_seed_gives_the_same_world() -> None:
    """Another seed gives another."""
    assert world("paper", 5, 300, 40) == world("paper", 5, 300, 40)
    assert world("paper", 5, 300, 40) != world("paper", 6, 300, 40)

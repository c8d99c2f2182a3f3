"""Words rank by pg_textsearch as they do without it, and a store does without it at any time.

Needs a server that has the extension, and nothing else on it: ``make textsearch`` starts one. The
one that it starts has one session for all connections, so names are given with their schema, and
prepared statements are dropped before the next store is opened.
"""

from __future__ import annotations

import logging
import os
import uuid
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, LiteralString, TypeAlias, cast

import psycopg
import pytest
from bench.texts import memories, queries
from psycopg import sql

from hypermnesia.store.lexicon import query_terms
from hypermnesia.store.postgres import lexical, textsearch
from hypermnesia.store.postgres.store import PostgresStore
from hypermnesia.store.protocol import Filter, Ranked
from hypermnesia.store.sqlite.store import SqliteStore
from hypermnesia.store.stems import stems
from hypermnesia.types import Level
from tests.store.bench import EMBEDDER, Bench, node
from tests.store.postgres.test_check import embed, ignore
from tests.store.postgres.test_lexical import alike, ranking

URL = os.environ.get("HYPERMNESIA_TEST_TEXTSEARCH", "")
pytestmark = pytest.mark.skipif(not URL, reason="a server with pg_textsearch: make textsearch")
POLICIES = Path(__file__).parents[3] / "deploy" / "row-level-security.sql"

Admin = psycopg.Connection[Any]
Opened: TypeAlias = Callable[[], AbstractContextManager[Bench]]


@pytest.fixture
def admin() -> Iterator[Admin]:
    """A connection of a superuser to a database that has both extensions."""
    with psycopg.connect(URL, autocommit=True, prepare_threshold=None) as connection:
        for name in ("vector", textsearch.EXTENSION):
            connection.execute(
                sql.SQL("CREATE EXTENSION IF NOT EXISTS {} SCHEMA public").format(
                    sql.Identifier(name)
                )
            )
        yield connection


@pytest.fixture
def schema(admin: Admin) -> Iterator[str]:
    """The name of a schema that is not there yet."""
    name = f"test_{uuid.uuid4().hex}"
    yield name
    admin.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(name)))


@pytest.fixture
def opened(admin: Admin, schema: str) -> Opened:
    """Opens the store in that schema."""

    @contextmanager
    def open_one() -> Generator[Bench]:
        admin.execute("DEALLOCATE ALL")
        url = f"{URL}{'&' if '?' in URL else '?'}schema={schema}"
        store = PostgresStore(url, EMBEDDER.identity, EMBEDDER.dimension, size=1)
        yield Bench(store, lambda _embedder: store)
        store.close()

    return open_one


@pytest.fixture
def indexed(monkeypatch: pytest.MonkeyPatch) -> Counter[bool]:
    """Has the index asked however few there are, and counts its answers: whether there was one."""
    answers = Counter[bool]()
    by_index = lexical._by_index  # pyright: ignore[reportPrivateUsage]

    def counting(*arguments: Any) -> Ranked | None:
        found = by_index(*arguments)
        answers[found is not None] += 1
        return found

    monkeypatch.setattr(lexical, "FEW", 0)
    monkeypatch.setattr(lexical, "_by_index", counting)
    return answers


def has_index(admin: Admin, schema: str) -> bool:
    """Whether the store has the index."""
    named = f"{schema}.{textsearch.INDEX}"
    row = admin.execute("SELECT to_regclass(%s) IS NOT NULL", (named,)).fetchone()
    assert row is not None
    return row[0]


def missed(found: list[float], best: list[float]) -> int:
    """How many of the best scores were not found; equally scored memories may change places."""
    return (Counter(round(s, 9) for s in best) - Counter(round(s, 9) for s in found)).total()


@pytest.mark.parametrize("levels", [(), ("fact",)], ids=["all levels", "one level"])
def test_the_best_are_those_of_the_oracle(
    opened: Opened, indexed: Counter[bool], tmp_path: Path, levels: tuple[Level, ...]
) -> None:
    """But for the tolerance, though another scope shares the index; scores are always exact."""
    asked, limit, best, absent = 300, 10, 0, 0
    oracle = SqliteStore(tmp_path / "oracle.db", EMBEDDER.identity, EMBEDDER.dimension)
    with opened() as bench:
        items = [
            node(text, level="fact" if i % 4 == 0 else "turn")
            for i, text in enumerate(memories(1500))
        ]
        others = [node(text, scope="b") for text in memories(500, seed=3)]
        bench.put(*items, *others)
        Bench(oracle, lambda _embedder: oracle).put(*items)
        for query in queries(asked):
            wanted = dict(ranking(oracle, "a", query, len(items), *levels))
            found = ranking(bench.store, "a", query, limit, *levels)
            assert dict(found) == pytest.approx({text: wanted[text] for text, _ in found}, rel=1e-9)
            best += min(limit, len(wanted))
            absent += missed([s for _, s in found], list(wanted.values())[:limit])
    oracle.close()
    assert indexed[True] > asked // 2
    assert absent <= lexical.TOLERANCE * best


def test_a_common_word_is_told_for_what_it_weighs_in_its_scope(
    opened: Opened, indexed: Counter[bool]
) -> None:
    """Half of a scope holds it, few of all scopes do: to the index it would be the rarer one."""
    with opened() as bench:
        bench.put(
            *[node(f"alpha alpha alpha {i}") for i in range(100)],
            *[node(f"beta with so many other words that it is long, and {i}") for i in range(3)],
            *[node(f"gamma {i}") for i in range(100)],
            *[node(f"beta {i}", scope="b") for i in range(300)],
            *[node(f"gamma {i}", scope="c") for i in range(300)],
        )
        found = ranking(bench.store, "a", "alpha beta", 3)
        assert [text[:4] for text, _ in found] == ["beta"] * 3
        assert indexed == {True: 1}


def test_a_narrow_filter_is_answered_by_a_full_look(opened: Opened, indexed: Counter[bool]) -> None:
    """The only match that passes ranks last of many."""
    with opened() as bench:
        bench.put(
            *[node(f"alpha alpha alpha {i}") for i in range(40)],
            node("alpha and many other words that make it long", tags=("t",)),
            *[node(f"beta {i}") for i in range(60)],
        )
        assert bench.words(Filter("a", tags=("t",)), "alpha", 1) == [
            "alpha and many other words that make it long"
        ]
        assert indexed == {False: 1}


def test_few_matches_are_all_scored(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, indexed: Counter[bool]
) -> None:
    """Which is quicker than to have the best of them named."""
    with opened() as bench:
        bench.put(*[node(f"alpha {i}") for i in range(5)], *[node(f"beta {i}") for i in range(20)])
        monkeypatch.setattr(lexical, "FEW", 5)
        assert len(bench.words(Filter("a"), "alpha", 2)) == 2
        assert indexed == {False: 1}


def test_totals_that_do_not_add_up_break_no_search(
    opened: Opened, indexed: Counter[bool], admin: Admin, schema: str
) -> None:
    """More memories hold a term than there are: it weighs next to nothing."""
    with opened() as bench:
        bench.put(*[node(f"alpha {i}") for i in range(9)])
        damage = sql.SQL("UPDATE {}.total SET documents = 1").format(sql.Identifier(schema))
        admin.execute(damage)
        assert len(bench.words(Filter("a"), "alpha", 3)) == 3
        assert indexed == {True: 1}
        assert [problem.kind for problem in bench.store.check().problems] == ["totals"]


def test_what_is_written_or_erased_counts_at_once(opened: Opened, indexed: Counter[bool]) -> None:
    """Written and erased ones, and none of another scope."""
    with opened() as bench:
        items = [node(f"alpha one {i}") for i in range(3)]
        bench.put(*items, *[node(f"filler {i}") for i in range(9)])
        bench.put(*[node(f"alpha secret {i}", scope="b") for i in range(3)])
        bench.erase(items[0].id, items[1].id)
        assert bench.words(Filter("a"), "alpha", 1) == ["alpha one 2"]
        assert indexed == {True: 1}
        assert bench.store.check().problems == ()


def test_an_older_store_is_indexed_by_a_rebuild_and_not_by_opening_it(
    opened: Opened, indexed: Counter[bool], admin: Admin, schema: str
) -> None:
    """One whose documents do not say how often they hold a term."""
    with opened() as bench:
        bench.put(*[node("alpha " * (9 - i) + f"{i}") for i in range(9)])
        bench.put(*[node(f"beta {i}") for i in range(20)])
        best = ranking(bench.store, "a", "alpha", 3)
        assert indexed == {True: 1}
    assert has_index(admin, schema)
    place = sql.Identifier(schema)
    admin.execute(sql.SQL("DROP INDEX {}.document_by_lexeme").format(place))
    admin.execute(sql.SQL("UPDATE {}.document SET counts = NULL").format(place))
    with opened() as bench:
        alike(ranking(bench.store, "a", "alpha", 3), best)
        assert bench.store.check().problems == ()
        assert indexed == {True: 1}
        assert not has_index(admin, schema)
        bench.store.reindex(embed, ignore)
    assert has_index(admin, schema)
    with opened() as bench:
        alike(ranking(bench.store, "a", "alpha", 3), best)
        assert indexed == {True: 2}


def test_a_store_does_without_an_extension_that_was_dropped(
    opened: Opened, indexed: Counter[bool], admin: Admin, caplog: pytest.LogCaptureFixture
) -> None:
    """While it is open, which is told once, and afterwards; installed again, a rebuild uses it."""
    with opened() as bench:
        bench.put(*[node(f"alpha {i}") for i in range(9)], *[node(f"beta {i}") for i in range(20)])
        best = ranking(bench.store, "a", "alpha", 3)
        admin.execute("DROP EXTENSION pg_textsearch CASCADE")
        with caplog.at_level(logging.WARNING, "hypermnesia"):
            for _ in range(2):
                alike(ranking(bench.store, "a", "alpha", 3), best)
        assert [r.message.split(" from")[0] for r in caplog.records] == [
            "words are ranked without pg_textsearch"
        ]
        bench.put(node("alpha gamma"))
    with opened() as bench:
        assert bench.words(Filter("a"), "gamma") == ["alpha gamma"]
        bench.store.reindex(embed, ignore)
        assert bench.store.check().problems == ()
        admin.execute("CREATE EXTENSION pg_textsearch SCHEMA public")
        bench.store.reindex(embed, ignore)
    assert indexed == {True: 1}
    with opened() as bench:
        assert bench.words(Filter("a"), "gamma", 1) == ["alpha gamma"]
        assert indexed == {True: 2}


def secured(admin: Admin, schema: str) -> None:
    """Switch the policies on, as the page for operators says, without the client's commands."""
    statements = POLICIES.read_text("utf-8").partition("DO $$")[2]
    admin.execute(sql.SQL("SET search_path = {}, public").format(sql.Identifier(schema)))
    admin.execute(cast("LiteralString", f"DO $${statements}"))


def test_policies_and_conditions_leave_the_walk_through_the_index_as_it_is(
    opened: Opened, admin: Admin, schema: str
) -> None:
    """The planner takes the index, which yields what passes, for a role that policies bind."""
    with opened() as bench:
        bench.put(*[node(f"alpha {i}", level="turn") for i in range(99)], node("alpha"))
        bench.put(*[node(f"alpha {i}", scope="b") for i in range(5)])
    secured(admin, schema)
    values = {
        "scope": 1,
        "terms": stems(" ".join(query_terms("alpha")), query=True),
        "repeats": [1],
        "levels": [1],
        "wide": 3,
    }
    query = cast("LiteralString", lexical.NAMED.format(best=textsearch.best("public")))
    role, place = sql.Identifier(f"role_{schema}"), sql.Identifier(schema)
    admin.execute(sql.SQL("CREATE ROLE {}").format(role))
    admin.execute(sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(place, role))
    admin.execute(sql.SQL("GRANT SELECT ON ALL TABLES IN SCHEMA {} TO {}").format(place, role))
    with admin.transaction():
        admin.execute(sql.SQL("SET LOCAL ROLE {}").format(role))
        assert admin.execute(query, values).fetchall() == []
        admin.execute("SELECT set_config('hypermnesia.scope', '1', true)")
        assert len(admin.execute(query, values).fetchall()) == 1
        admin.execute("SET LOCAL enable_sort = off")
        plan = admin.execute(f"EXPLAIN {query}", values).fetchall()
    admin.execute(sql.SQL("DROP OWNED BY {}").format(role))
    admin.execute(sql.SQL("DROP ROLE {}").format(role))
    text = "\n".join(row[0] for row in plan)
    assert f"Index Scan using {textsearch.INDEX}" in text


def test_a_server_that_refuses_the_index_is_done_without(
    opened: Opened, admin: Admin, schema: str, caplog: pytest.LogCaptureFixture
) -> None:
    """As one that is told not to have such an index together with policies; a warning says so."""
    with opened() as bench:
        bench.put(node("alpha"))
    secured(admin, schema)
    admin.execute("SET pg_textsearch.allow_rls = off")
    with caplog.at_level(logging.WARNING, "hypermnesia"):
        textsearch.build(admin)
    admin.execute("RESET pg_textsearch.allow_rls")
    assert "words are not indexed by pg_textsearch" in caplog.text
    with opened() as bench:
        assert bench.words(Filter("a"), "alpha") == ["alpha"]

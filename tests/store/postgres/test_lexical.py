"""Words rank here as they do in the SQLite store."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypermnesia.store.lexicon import query_terms
from hypermnesia.store.postgres import bm25, lexical
from hypermnesia.store.postgres.store import PostgresStore
from hypermnesia.store.protocol import Filter, Ranked, Store
from hypermnesia.store.sqlite.store import SqliteStore
from hypermnesia.types import LEVELS, Level
from tests.servers.postgres import Server
from tests.store.bench import EMBEDDER, Bench, node
from tests.store.postgres.test_check import embed, ignore

Admin = psycopg.Connection[Any]
TOLERANCE = 1e-9
"""Relative: both sum the same products, in another order."""
ROUNDED = 30 / bm25.SCALE
"""Absolute: what rounding the shares of as many words as a query here has may come to."""
WORDS = ("kafka", "owns", "owned", "cluster", "café", "port", "src/auth.py", "東京都", "don't")
levels: st.SearchStrategy[Level] = st.sampled_from(LEVELS)
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=30).map(" ".join)


def ranking(
    store: Store, scope: str, query: str, limit: int, *levels: Level
) -> list[tuple[str, float]]:
    """Contents with their scores."""
    where = Filter(scope, levels=levels)
    found = store.lexical(where, query_terms(query), limit)
    nodes = store.nodes(where, found.keys)
    return [(nodes[k].content, s) for k, s in zip(found.keys, found.scores, strict=True)]


def alike(one: Sequence[tuple[str, float]], other: Sequence[tuple[str, float]]) -> None:
    """Equal scores in order; equally scored memories may change places."""
    assert [s for _, s in one] == pytest.approx([s for _, s in other], rel=TOLERANCE, abs=ROUNDED)
    assert dict(one) == pytest.approx(dict(other), rel=TOLERANCE, abs=ROUNDED)


def rows(found: Ranked) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Keys and scores."""
    return found.keys, found.scores


@settings(max_examples=12)
@given(
    corpus=st.lists(st.tuples(texts, levels), min_size=1, max_size=12),
    queries=st.lists(texts, min_size=1, max_size=4),
)
def test_scores_are_those_of_the_sqlite_store(
    postgres_server: Server,
    tmp_path_factory: pytest.TempPathFactory,
    corpus: list[tuple[str, Level]],
    queries: list[str],
) -> None:
    """Over all levels, where the statistics are the store's, and over one, where they are its."""
    path: Path = tmp_path_factory.mktemp("oracle") / "store.db"
    with (
        closing(SqliteStore(path, EMBEDDER.identity, EMBEDDER.dimension)) as oracle,
        postgres_server.store() as url,
        closing(PostgresStore(url, EMBEDDER.identity, EMBEDDER.dimension)) as store,
    ):
        items = [node(f"{text} n{i}", level=level) for i, (text, level) in enumerate(corpus)]
        for each in (oracle, store):
            Bench(each, lambda _embedder, each=each: each).put(*items)
        for query in queries:
            alike(ranking(store, "a", query, 50), ranking(oracle, "a", query, 50))
            for level in dict(corpus).values():
                one, other = (ranking(each, "a", query, 50, level) for each in (store, oracle))
                alike(one, other)


def test_what_changes_and_goes_no_longer_weighs(bench: Bench, tmp_path: Path) -> None:
    """Rewritten, relabelled and erased: the statistics are those of what is there."""
    oracle = SqliteStore(tmp_path / "oracle.db", EMBEDDER.identity, EMBEDDER.dimension)
    for each in (bench, Bench(oracle, lambda _embedder: oracle)):
        items = [node(f"alpha beta gamma n{i} " + "filler " * i) for i in range(9)]
        each.put(*items)
        each.erase(items[0].id, items[1].id)
        each.put(node("alpha omega"), node("omega omega delta", tags=("alpha",)))
    alike(
        ranking(bench.store, "a", "alpha omega filler", 50),
        ranking(oracle, "a", "alpha omega filler", 50),
    )
    assert bench.store.check().problems == ()
    oracle.close()


def test_other_scopes_do_not_weigh(bench: Bench) -> None:
    """How rare a word is says the scope alone: another tenant's texts change no score."""
    bench.put(node("alpha one"), node("beta two"), node("gamma three"))
    before = ranking(bench.store, "a", "alpha", 5)
    bench.put(*[node(f"alpha {i}", scope="b") for i in range(20)])
    assert ranking(bench.store, "a", "alpha", 5) == before


def test_a_narrow_filter_is_answered_from_beyond_the_first_look(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The only match that passes ranks last of many."""
    monkeypatch.setattr(lexical, "FIRST_LOOK", 2)
    bench.put(
        *[node(f"alpha alpha alpha {i}") for i in range(20)],
        node("alpha and many other words that make it long", tags=("t",)),
        *[node(f"beta {i}") for i in range(40)],
    )
    assert bench.words(Filter("a", tags=("t",)), "alpha", 3) == [
        "alpha and many other words that make it long"
    ]


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Has no more ranked than are asked for, and counts how far searches had to look.

    Those whose telling stems settled it (``some``) or were all that is asked for (``all``), and
    those that scored every match after that.
    """
    looks = Counter[str]()
    run = lexical.run

    def counting(connection: Any, query: str, values: Any) -> Any:
        rows = run(connection, query, values)
        kind = "every" if "others" not in values else "some" if values["others"] else "all"
        looks[kind] += 1
        return rows

    monkeypatch.setattr(lexical, "FIRST_LOOK", 1)
    monkeypatch.setattr(bm25, "SPARED", 0)
    monkeypatch.setattr(bm25, "FEW", 0)
    monkeypatch.setattr(lexical, "run", counting)
    return looks


@pytest.mark.parametrize("tags", [(), ("t",)], ids=["no filter", "a filter"])
@pytest.mark.parametrize("asked", [(), ("turn",)], ids=["all levels", "one level"])
def test_the_best_by_telling_words_are_the_best_by_all(
    bench: Bench,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    looks: Counter[str],
    tags: tuple[str, ...],
    asked: tuple[Level, ...],
) -> None:
    """However many stems lead: others are looked up for some memories, or in the end for all."""
    rng, words = random.Random(3), [f"w{i}" for i in range(16)]
    shares = [1 / (i + 1) for i in range(len(words))]
    items = [
        node(
            " ".join(rng.choices(words, shares, k=rng.randint(2, 12))) + f" n{i}",
            level="turn" if i % 3 else "fact",
            tags=("t",) if i % 2 else (),
        )
        for i in range(150)
    ]
    oracle = SqliteStore(tmp_path / "oracle.db", EMBEDDER.identity, EMBEDDER.dimension)
    for each in (bench.store, oracle):
        Bench(each, lambda _embedder, each=each: each).put(*items)
    where = Filter("a", levels=asked, tags=tags)

    def leading(found: Sequence[bm25.Stem], _wide: int) -> int:
        return rng.randint(1, len(found))

    monkeypatch.setattr(bm25, "leading", leading)
    for _ in range(60):
        terms = rng.choices([*words, "n1"], k=rng.randint(1, 4))  # the same may be asked twice
        limit = rng.randint(1, 6)
        whole = oracle.lexical(where, terms, len(items))
        wanted = {oracle.nodes(where, [k])[k].content: s for k, s in zip(*rows(whole), strict=True)}
        found = bench.store.lexical(where, terms, limit)
        assert found.scores == pytest.approx(whole.scores[:limit], rel=TOLERANCE, abs=ROUNDED)
        memories = bench.store.nodes(where, found.keys)
        told = {memories[k].content: s for k, s in zip(*rows(found), strict=True)}
        assert told == pytest.approx(
            {name: wanted[name] for name in told}, rel=TOLERANCE, abs=ROUNDED
        )
    assert min(looks[kind] for kind in ("some", "all", "every")) > 0
    assert looks["some"] + looks["all"] == 60
    oracle.close()


def test_of_equal_memories_at_the_edge_the_first_are_returned(
    bench: Bench, looks: Counter[str]
) -> None:
    """However few are asked for; all of the same score may be among the best."""
    bench.put(
        *[node(f"alpha beta gamma n{i}") for i in range(10)],
        *[node(f"beta gamma other n{i}") for i in range(10)],
        *[node(f"gamma other words n{i}") for i in range(10)],
        *[node(f"delta n{i}") for i in range(40)],
    )
    whole = bench.words(Filter("a"), "alpha beta gamma", 30)
    assert [text[:5] for text in whole] == ["alpha"] * 10 + ["beta "] * 10 + ["gamma"] * 10
    assert whole[:10] == [f"alpha beta gamma n{i}" for i in range(10)]
    for limit in range(1, 30):
        assert bench.words(Filter("a"), "alpha beta gamma", limit) == whole[:limit]
    assert looks["some"] > 9


def test_who_holds_common_words_alone_is_found_when_the_telling_ones_score_low(
    bench: Bench, looks: Counter[str]
) -> None:
    """A long memory gets little for its telling word, a short one more for a common one."""
    filler = " ".join(f"f{i}" for i in range(300))
    bench.put(
        node("rare"),
        *[node(f"rare {filler} {i}") for i in range(2)],
        *[node(f"common common {i}") for i in range(12)],
        *[node(f"{i} and so on") for i in range(90)],
    )
    found = bench.words(Filter("a"), "rare common", 2)
    assert [text[:6] for text in found] == ["rare", "common"]
    assert looks == {"some": 1, "every": 1}


def test_documents_say_how_often_they_hold_a_term(bench: Bench, admin: Admin) -> None:
    """As opaque words for an index, others in each scope; what is wrong is found and repaired."""
    bench.put(node("alpha alpha beta", memory_type="fact"), node("alpha", scope="b"))
    texts = "SELECT lexemes(scope, terms, counts) FROM document ORDER BY scope"
    words = [text.split() for (text,) in admin.execute(texts).fetchall()]
    assert [sorted(Counter(each).values()) for each in words] == [[1, 1, 2], [1, 1]]
    assert not set(words[0]) & set(words[1])
    assert all(word.isascii() and word.isalnum() for each in words for word in each)
    admin.execute("UPDATE document SET counts = array_fill(1, ARRAY[cardinality(terms)])")
    assert [problem.kind for problem in bench.store.check().problems] == ["postings"]
    bench.store.reindex(embed, ignore)
    assert bench.store.check().problems == ()
    assert [text.split() for (text,) in admin.execute(texts).fetchall()] == words


def test_documents_of_an_earlier_version_are_no_fault(bench: Bench, admin: Admin) -> None:
    """They do not say how often; each term counts once until they are indexed anew."""
    bench.put(node("alpha alpha beta"))
    admin.execute("UPDATE document SET counts = NULL")
    assert bench.store.check().problems == ()
    (text,) = admin.execute("SELECT lexemes(scope, terms, counts) FROM document").fetchone() or (
        "",
    )
    assert sorted(Counter(text.split()).values()) == [1, 1, 1]


def test_no_query_is_a_syntax_error(bench: Bench) -> None:
    """Whatever people type."""
    bench.put(node("alpha beta"))
    for text in (
        "'",
        '"',
        "%s",
        "%",
        "a & b | !c",
        "alpha:*",
        "\\",
        "()",
        "日本",
        "🙂",
        "{}",
        "--",
    ):
        bench.store.lexical(Filter("a"), query_terms(text), 5)
        bench.store.lexical(Filter("a"), (text,), 5)
    assert bench.words(Filter("a"), "alpha's %s") == ["alpha beta"]

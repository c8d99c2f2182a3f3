"""What is damaged is found, named, and repaired by a reindex."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg
import pytest

from hypermnesia.store.protocol import Filter
from hypermnesia.types import Matrix
from tests.store.bench import EMBEDDER, Bench, node, vector
from tests.store.incidence_contract import told

Admin = psycopg.Connection[Any]
OTHER = "INSERT INTO encoder (identity, dimension) VALUES ('former', 32) ON CONFLICT DO NOTHING"


def embed(texts: Sequence[str]) -> list[tuple[Matrix, bytes]]:
    """As the hashing encoder does."""
    return [(encoding.dense, b"") for encoding in EMBEDDER.encode(texts)]


def ignore(_done: int, _total: int) -> None:
    """Nobody watches."""


DAMAGES = {
    "lexical": "DELETE FROM posting; DELETE FROM document",
    "postings": "DELETE FROM posting WHERE term = 'alpha'",
    "orphans": "INSERT INTO posting SELECT scope, 'stray', key, 1, 1, 1 FROM memory",
    "totals": "UPDATE total SET documents = documents + 1",
    "label": "DELETE FROM label",
    "vectors": "DELETE FROM vectors",
    "damaged vectors": "UPDATE chunk SET dense = (SELECT array_agg(9.0)::real[]::halfvec"
    " FROM generate_series(1, 32))",
    "stale vectors": f"{OTHER}; UPDATE vectors SET encoder ="
    " (SELECT id FROM encoder WHERE identity = 'former')",
}


@pytest.mark.parametrize("kind", DAMAGES)
def test_what_is_derived_is_repaired(bench: Bench, admin: Admin, kind: str) -> None:
    """Found by its kind; after a reindex words, labels and vectors find everything again."""
    bench.put(node("alpha beta", tags=("t",), metadata={"k": 1}), node("gamma", scope="b"))
    told(bench, scope="c")
    for statement in DAMAGES[kind].split("; "):
        admin.execute(statement)  # type: ignore[call-overload]
    assert kind in {problem.kind for problem in bench.store.check().problems}
    bench.store.reindex(embed, ignore)
    assert bench.store.check().problems == ()
    assert bench.words(Filter("a", tags=("t",)), "alpha") == ["alpha beta"]
    assert bench.dense(Filter("a", metadata=(("k", 1),)), "alpha") == ["alpha beta"]


def test_what_cannot_be_derived_is_named(bench: Bench, admin: Admin) -> None:
    """A changed text, broken metadata, a turn without a place, a memory replaced by itself."""
    changed, broken, itself = node("alpha"), node("beta"), node("gamma")
    bench.put(changed, broken, itself, lost := node("delta", level="turn"))
    admin.execute("UPDATE memory SET content = 'other' WHERE id = %s", (changed.id,))
    admin.execute("UPDATE memory SET metadata = '{' WHERE id = %s", (broken.id,))
    admin.execute("UPDATE memory SET superseded_by = id WHERE id = %s", (itself.id,))
    found = {(problem.kind, problem.id) for problem in bench.store.check().problems}
    assert {("row", changed.id), ("chain", itself.id), ("place", lost.id)} <= found
    assert ("row", None) in found
    assert not bench.store.check().ok


def test_a_broken_row_hides_no_other(bench: Bench, admin: Admin) -> None:
    """Reads leave it out and go on."""
    broken = node("alpha broken")
    bench.put(node("alpha one"), broken, node("alpha two"))
    admin.execute("UPDATE memory SET metadata = '{' WHERE id = %s", (broken.id,))
    where = Filter("a")
    (ranked,) = bench.store.nearest(where, vector("alpha"), 10)
    assert len(ranked.keys) == 3
    found = {stored.node.content for stored in bench.store.fetch(where, ranked.keys)}
    assert found == {"alpha one", "alpha two"}
    page = bench.store.list(where, 2, None)
    assert len(page) + len(bench.store.list(where, 2, page.cursor)) == 2
    assert len(list(bench.store.iterate(where))) == 2
    assert bench.store.get([broken.id]) == []
    assert bench.store.reindex(embed, ignore) == 0


def test_others_write_while_a_store_is_rebuilt(bench: Bench, admin: Admin) -> None:
    """A batch holds one scope at a time; what comes in meanwhile is indexed like the rest."""
    bench.put(*[node(f"alpha {i}") for i in range(70)])
    added: list[str] = []

    def meanwhile(texts: Sequence[str]) -> list[tuple[Matrix, bytes]]:
        item = node(f"omega {len(added)}", scope="b")
        bench.put(item)
        added.append(item.id)
        return embed(texts)

    admin.execute("DELETE FROM vectors")
    bench.store.reindex(meanwhile, ignore)
    assert added
    assert bench.store.check().problems == ()
    assert len(bench.words(Filter("b"), "omega")) == len(added)

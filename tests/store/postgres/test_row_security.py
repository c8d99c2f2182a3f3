"""Row-level security by scope, switched on as an operator does it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from hypermnesia.store.postgres import reading
from hypermnesia.store.postgres.store import PostgresStore
from hypermnesia.store.protocol import Filter
from tests.servers.postgres import OWN_SERVER, PATIENCE, Server, binaries, emptied
from tests.store.bench import EMBEDDER, Bench, node
from tests.store.contract import CONTRACT
from tests.store.embedders import HashEmbedder
from tests.store.incidence_contract import INCIDENCE, told

pytestmark = OWN_SERVER
DEPLOY = Path(__file__).parents[3] / "deploy"
CLAUSES = [
    clause
    for clause in (*CONTRACT, *INCIDENCE)
    if clause.__name__
    in {
        "nothing_crosses_a_scope",
        "a_filter_without_scope_spans_all_scopes",
        "erased_memories_are_gone_from_everywhere",
        "another_encoder_is_refused_until_everything_is_embedded_anew",
        "a_sound_store_passes_its_check",
        "no_verb_shows_another_scopes_talk",
        "embeddings_propagate_over_hyperedges",
        "a_turn_knows_what_replaced_what_it_told",
    }
]


@contextmanager
def secured(server: Server) -> Generator[tuple[str, str]]:
    """URLs of a store with policies: for a role that they bind, and for the superuser."""
    with server.role() as role, server.database() as url:
        with psycopg.connect(url, autocommit=True) as admin:
            admin.execute("CREATE EXTENSION vector")
            name = sql.Identifier(role)
            admin.execute(sql.SQL("CREATE SCHEMA hypermnesia AUTHORIZATION {}").format(name))
        as_role = url.replace("postgres@", f"{role}@")
        PostgresStore(as_role, EMBEDDER.identity, EMBEDDER.dimension).close()
        for _ in range(2):  # again, as after an upgrade
            run_script(as_role, "row-level-security.sql")
        yield as_role, url


def run_script(url: str, name: str) -> None:
    """By the client that the page for operators names."""
    client = binaries() / "psql"
    subprocess.run(
        [client, url, "--set=ON_ERROR_STOP=1", "--quiet", f"--file={DEPLOY / name}"],
        check=True,
        capture_output=True,
        timeout=PATIENCE,
    )


@pytest.fixture(scope="module")
def urls(postgres_server: Server) -> Iterator[tuple[str, str]]:
    """One secured database for all clauses."""
    with secured(postgres_server) as found:
        yield found


@pytest.fixture
def bench(urls: tuple[str, str]) -> Iterator[Bench]:
    """An empty store with policies, used by a role that they bind."""
    with psycopg.connect(urls[1], autocommit=True) as admin:
        emptied(admin, "hypermnesia")
    opened: list[PostgresStore] = []

    def track(embedder: HashEmbedder) -> PostgresStore:
        opened.append(PostgresStore(urls[0], embedder.identity, embedder.dimension))
        return opened[-1]

    yield Bench(track(EMBEDDER), track)
    for store in opened:
        store.close()


@pytest.mark.parametrize("clause", CLAUSES, ids=lambda clause: clause.__name__)
def test_a_store_with_policies_keeps_its_contract(
    bench: Bench, clause: Callable[[Bench], None]
) -> None:
    """What spans scopes still does, and what does not still finds its own."""
    clause(bench)


def test_a_session_sees_the_scope_that_it_names_and_no_other(
    bench: Bench, urls: tuple[str, str]
) -> None:
    """Even a query that forgets its condition; one that names nothing sees nothing."""
    told(bench)
    bench.put(node("secret of b", scope="b"))
    with psycopg.connect(urls[0], autocommit=True) as connection:
        connection.execute("SET search_path = hypermnesia, public")
        scopes = dict(connection.execute("SELECT name, id FROM scope").fetchall())

        def seen(scope: str) -> list[int]:
            connection.execute("SELECT set_config('hypermnesia.scope', %s, false)", (scope,))
            row = connection.execute(
                "SELECT (SELECT count(*) FROM memory),"
                " (SELECT count(*) FROM posting WHERE term = 'secret'),"
                " (SELECT count(*) FROM member), (SELECT count(*) FROM event)"
            ).fetchone()
            assert row is not None
            return list(row)

        assert seen(str(scopes["b"])) == [1, 1, 0, 0]
        assert seen(str(scopes["a"])) == [9, 0, 8, 0]
        assert seen("*") == [10, 1, 8, 0]
        assert seen("") == seen("nonsense") == [0, 0, 0, 0]
    with psycopg.connect(urls[0], autocommit=True) as connection:
        row = connection.execute("SELECT count(*) FROM hypermnesia.memory").fetchone()
        assert row == (0,)


def test_reads_of_a_scope_are_bound_to_it(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A condition that lets everything through still shows nothing of another scope."""
    bench.put(node("alpha of a"), node("alpha of b", scope="b"))
    where = Filter("a")
    assert len(list(bench.store.iterate(Filter(None)))) == 2

    def careless(_where: Filter, _scope: int | None) -> tuple[str, tuple[object, ...]]:
        return "true", ()

    monkeypatch.setattr(reading, "condition", careless)
    assert bench.dense(where, "alpha") == bench.words(where, "alpha") == ["alpha of a"]
    assert [n.content for n in bench.store.list(where, 10, None)] == ["alpha of a"]

"""Moving a store: everything arrives, an interrupted move goes on, and the stores are compared."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import pytest

from hypermnesia.cli import main
from hypermnesia.errors import Conflict, InvalidInput, StoreBusy, StoreError
from hypermnesia.identity import new_id
from hypermnesia.migration import migrate
from hypermnesia.store import moving
from hypermnesia.store.accounts import AuditEntry
from hypermnesia.store.outbox import Queued
from hypermnesia.store.postgres.store import PostgresStore
from hypermnesia.store.protocol import Filter, Store
from hypermnesia.store.sqlite.moving import SqliteTarget
from hypermnesia.store.sqlite.store import SqliteStore
from hypermnesia.types import STATUSES, Matrix
from tests.servers.postgres import Server
from tests.store.accounts_contract import an_account, known
from tests.store.bench import EMBEDDER, NOON, Bench, node
from tests.store.embedders import HashEmbedder
from tests.store.incidence_contract import Talk, told

EVERYTHING = Filter(None, statuses=STATUSES)
Places = Callable[[str], str]


@pytest.fixture
def place(tmp_path: Path, postgres_server: Server) -> Iterator[Places]:
    """Names of new stores by kind."""
    with ExitStack() as stack:

        def new(kind: str) -> str:
            if kind == "sqlite":
                return str(tmp_path / f"{new_id()}.db")
            return stack.enter_context(postgres_server.store())

        yield new


def opened(name: str, embedder: HashEmbedder = EMBEDDER) -> Store:
    """The store of this name."""
    if name.startswith("postgresql://"):
        return PostgresStore(name, embedder.identity, embedder.dimension)
    return SqliteStore(Path(name), embedder.identity, embedder.dimension)


def fill(name: str) -> Talk:
    """Something of all that a store can hold; the talk that is in it."""
    with closing(opened(name)) as store:
        bench = Bench(store, lambda _embedder: store)
        talk = told(bench)
        told(bench, scope="b")
        new = node("omega new", tags=("t", "ü"), metadata={"k": 1.5, "l": [None]}, pinned=True)
        old = node("omega old", status="superseded", superseded_by=new.id, valid_until=NOON)
        gone = node("soon gone")
        bench.put(new, old, gone, node("low", status="low_signal", scope="b", salience=0.25))
        with store.write() as writer:
            writer.log("supersede", "a", old.id, {"by": new.id, "why": "newer"})
            writer.log("add", "a", new.id, {"reason": "ü"})
            writer.consent("a", given=True)
            judged = (new.id, old.id)
            writer.enqueue([Queued(new_id(), "a", "supersede", judged, NOON, '{"x": 1}')])
            writer.enqueue([Queued(new_id(), "a", "analyze", (new.id,), NOON, None)])
        bench.erase(gone.id)
        store.touch("a", list(bench.keys(Filter("a"), "omega").values()), {"k": 1})
        accounts, account = known(bench)
        accounts.put_account(replace(an_account("bob"), admin=True, disabled=True))
        store.accounts.audit(AuditEntry(NOON, account.name, "cli", "x.y", "z", "ok"))
    return talk


def silent(_done: int, _total: int) -> None:
    """No progress is shown."""


@pytest.mark.parametrize("source", ["sqlite", "postgres"])
@pytest.mark.parametrize("target", ["sqlite", "postgres"])
def test_everything_arrives_as_it_was(place: Places, source: str, target: str) -> None:
    """Rows, tombstones, vectors, words, graph, log, queue and accounts; both are sound."""
    here, there = place(source), place(target)
    talk = fill(here)
    report = migrate(here, there, silent)
    assert report.counts == {"memories": 22, "links": 22, "events": 3, "corpus": 1, "service": 5}
    assert not report.resumed
    with closing(opened(here)) as old, closing(opened(there)) as new:
        by_id = {n.id: n for n in old.iterate(EVERYTHING)}
        assert {n.id: n for n in new.iterate(EVERYTHING)} == by_id
        for scope in ("a", "b"):
            before = [n.id for n in old.iterate(Filter(scope, statuses=STATUSES))]
            assert [n.id for n in new.iterate(Filter(scope, statuses=STATUSES))] == before
        was, now = (Bench(each, lambda _embedder, each=each: each) for each in (old, new))
        for query in ("omega", "alpha beta", "gamma"):
            assert set(now.words(Filter("a"), query)) == set(was.words(Filter("a"), query))
            assert set(now.dense(Filter("a"), query)) == set(was.dense(Filter("a"), query))
        assert now.words(Filter("a", tags=("ü",)), "omega") == ["omega new"]
        everyone = [*talk.ids, *(f.id for f in talk.facts), talk.episode.id, talk.topic.id]
        for read in ("members", "heads", "sources", "drawn", "places", "days", "evidence"):
            assert getattr(new, read)("a", everyone) == getattr(old, read)("a", everyone)
        for memory_id in by_id:
            assert list(new.events(memory_id)) == list(old.events(memory_id))
            assert new.chain(memory_id) == old.chain(memory_id)
        assert list(new.queued(None)) == list(old.queued(None))
        assert new.tallies(None) == old.tallies(None)
        assert new.corpus_salt() == old.corpus_salt()
        assert new.consenting() == old.consenting()
        assert new.accounts.accounts() == old.accounts.accounts()
        assert new.accounts.audited(9) == old.accounts.audited(9)
        assert new.check().problems == old.check().problems == ()
        now.put(node("omega added later"))
        assert "omega added later" in now.words(Filter("a"), "omega")


@pytest.mark.parametrize("target", ["sqlite", "postgres"])
def test_an_interrupted_move_goes_on_where_it_stopped(
    place: Places, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever it breaks: nothing is moved twice, nothing is left out."""
    monkeypatch.setattr(moving, "BATCH", 4)
    here, there = place("sqlite"), place(target)
    fill(here)

    def breaking(done: int, _total: int) -> None:
        if done:
            raise KeyboardInterrupt

    for _ in range(20):  # each gets one batch further
        with pytest.raises(KeyboardInterrupt):
            migrate(here, there, breaking)
    report = migrate(here, there, silent)
    assert report.resumed
    assert report.counts["memories"] == 22
    with closing(opened(there)) as store:
        assert store.check().problems == ()


def test_a_move_to_a_store_that_is_not_empty_is_refused(place: Places) -> None:
    """Whether it holds memories, another unfinished move, or is the source itself."""
    here, other = place("sqlite"), place("sqlite")
    fill(here)
    fill(other)
    with pytest.raises(Conflict, match="not empty"):
        migrate(here, other, silent)
    with pytest.raises(InvalidInput):
        migrate(here, here, silent)
    there = place("sqlite")
    migrate(here, there, silent)
    with pytest.raises(InvalidInput, match="already"):
        migrate(here, there, silent)
    with pytest.raises(StoreError, match="does not exist"):
        migrate(place("sqlite"), place("sqlite"), silent)
    with pytest.raises(InvalidInput):
        migrate(here, "mysql://db/x", silent)


def test_an_unfinished_move_from_another_store_is_not_gone_on_with(
    place: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two stores would be mixed."""
    here, other, there = place("sqlite"), place("sqlite"), place("sqlite")
    fill(here)
    fill(other)
    with monkeypatch.context() as patch:
        patch.setattr(SqliteTarget, "take", interrupted)
        with pytest.raises(KeyboardInterrupt):
            migrate(here, there, silent)
    with pytest.raises(Conflict, match="another store"):
        migrate(other, there, silent)
    assert migrate(here, there, silent).resumed


def interrupted(*_: object) -> None:
    """Ctrl-C."""
    raise KeyboardInterrupt


def test_a_source_that_was_written_to_meanwhile_is_noticed(
    place: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By count and checksum; the move is not called done."""
    monkeypatch.setattr(moving, "BATCH", 4)
    here, there = place("sqlite"), place("sqlite")
    fill(here)
    with closing(opened(here)) as writing:
        bench = Bench(writing, lambda _embedder: writing)
        first = next(writing.iterate(Filter("a")))
        calls = 0

        def meddle(_done: int, _total: int) -> None:
            nonlocal calls
            calls += 1
            if calls == 2:  # the first batch has arrived
                bench.amend(replace(first, tags=("changed",)))

        with pytest.raises(StoreError, match="are not those of"):
            migrate(here, there, meddle)


def test_two_moves_to_one_store_do_not_mix(place: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second finds that the first has gone on, and stops."""
    monkeypatch.setattr(moving, "BATCH", 4)
    here, there = place("sqlite"), place("sqlite")
    fill(here)
    inside = False
    noted = SqliteTarget.noted

    def overtaken(target: SqliteTarget) -> str | None:
        nonlocal inside
        if not inside:
            inside = True
            return "{}"
        return noted(target)

    monkeypatch.setattr(SqliteTarget, "noted", overtaken)
    with pytest.raises(StoreBusy, match="another process"):
        migrate(here, there, silent)
    assert migrate(here, there, silent).resumed


def test_vectors_of_a_former_encoder_and_missing_ones_are_moved_as_they_are(
    place: Places,
) -> None:
    """The store says afterwards what it said before, and can be re-embedded there."""
    here, there = place("sqlite"), place("postgres")
    fill(here)
    newer = HashEmbedder(dimension=16, name="newer")
    with closing(opened(here, newer)) as store:

        def broken(_texts: Sequence[str]) -> list[tuple[Matrix, bytes]]:
            raise StoreError("the model broke")

        with pytest.raises(StoreError):
            store.reindex(broken, silent)
    migrate(here, there, silent)
    with closing(opened(here, newer)) as old, closing(opened(there, newer)) as new:
        before = {(p.kind, p.id) for p in old.check().problems}
        assert {(p.kind, p.id) for p in new.check().problems} == before
        assert before
        total = new.reindex(lambda texts: [(e.dense, b"") for e in newer.encode(texts)], silent)
        assert total == 21
        assert new.check().problems == ()


def test_the_command_moves_and_reports(
    place: Places, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As JSON on standard output; an error is one line and status 1."""
    here, there = place("sqlite"), place("postgres")
    fill(here)

    def run(*names: str) -> int | str | None:
        monkeypatch.setattr(sys, "argv", ["hypermnesia", "migrate-store", *names])
        with pytest.raises(SystemExit) as over:
            main()
        return over.value.code

    assert run(here, there, "--json") == 0
    out = json.loads(capsys.readouterr().out)
    assert out["counts"]["memories"] == 22
    assert len(out["checksums"]["memories"]) == 64
    assert run(here, there) == 1
    assert "already" in capsys.readouterr().err
    assert run(here, "postgresql://ann:s3cr3t@127.0.0.1:1/m?connect_timeout=2") == 1
    said = capsys.readouterr().err
    assert "postgresql://ann@127.0.0.1:1/m" in said
    assert "s3cr3t" not in said

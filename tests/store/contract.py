"""What every :class:`~hypermnesia.store.protocol.Store` must do, whatever it is made of.

Each function takes a :class:`~tests.store.bench.Bench`; ``test_contract.py`` runs all of them
against every implementation. A new store joins by adding its opener there.
Longer than a module should be, because a contract is read in one piece.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
import pytest

from hypermnesia.errors import EncoderMismatch, NotFound
from hypermnesia.identity import new_id
from hypermnesia.store.columns import micros
from hypermnesia.store.protocol import Filter, Told
from hypermnesia.store.text import content_hash
from hypermnesia.types import Matrix, Provenance, Status
from tests.store.bench import EMBEDDER, EVERYTHING, NOON, Bench, node, record, vector
from tests.store.embedders import HashEmbedder


def a_stored_memory_is_found_by_both_channels(bench: Bench) -> None:
    """Read your own writes, by words and by vector."""
    bench.put(node("alpha beta"), node("gamma delta"))
    assert bench.dense(Filter("a"), "alpha")[0] == "alpha beta"
    assert bench.words(Filter("a"), "gamma") == ["gamma delta"]


def every_field_of_a_memory_comes_back(bench: Bench) -> None:
    """Times keep their offset, metadata its JSON types."""
    zone = NOON.astimezone().tzinfo
    full = node(
        "alpha",
        level="episode",
        memory_type="decision",
        tags=("x", "y/z"),
        metadata={"n": 1.5, "list": [1, None], "deep": {"k": True}, "s": "ü"},
        salience=3.25,
        durable=0.5,
        valid_from=datetime.fromisoformat("1931-01-02T03:04:05.000006+05:30"),
        created_at=datetime.fromisoformat("2026-05-03T23:00:00-09:30"),
        updated_at=NOON.astimezone(zone),
        provenance=Provenance(source="s", turn_id="t"),
        judge="local",
        degraded=True,
        pinned=True,
        access_count=7,
        accessed_at=NOON,
    )
    bench.put(full)
    (back,) = bench.store.get([full.id])
    assert back == full
    assert back.valid_from.utcoffset() == timedelta(hours=5, minutes=30)
    assert back.created_at.utcoffset() == timedelta(hours=-9, minutes=-30)


def memories_come_back_in_the_order_asked(bench: Bench) -> None:
    """``get`` follows its argument and leaves out the unknown."""
    first, second = node("alpha"), node("beta")
    bench.put(first, second)
    assert [n.id for n in bench.store.get([second.id, new_id(), first.id])] == [
        second.id,
        first.id,
    ]


def each_query_has_its_own_limit(bench: Bench) -> None:
    """Several are asked at once, some of them for more than others."""
    bench.put(node("alpha"), node("alpha beta"), node("beta"))
    queries = np.concatenate([vector("alpha"), vector("beta")])
    first, second = bench.store.nearest(Filter("a"), queries, 9)
    few, many = bench.store.nearest(Filter("a"), queries, [1, 9])
    assert (few.keys, many.keys) == (first.keys[:1], second.keys)
    assert (len(few.keys), len(many.keys)) == (1, 3)


def nothing_crosses_a_scope(bench: Bench) -> None:
    """Neither channel, list, count, nor an unknown scope shows another scope's memories."""
    bench.put(node("alpha secret", scope="a"), node("alpha public", scope="b"))
    for reader in (bench.dense, bench.words):
        assert reader(Filter("b"), "alpha") == ["alpha public"]
        assert reader(Filter("nobody"), "alpha") == []
    store, nobody = bench.store, Filter("nobody")
    assert [n.content for n in store.list(Filter("b"), 10, None)] == ["alpha public"]
    assert list(store.list(nobody, 10, None)) == []
    assert list(store.iterate(nobody)) == []
    assert store.salient(nobody, 10) == []
    assert store.counts("b")["status"] == {"active": 1}
    assert not any(store.counts("nobody").values())
    assert store.changed("nobody") == 0
    keys = list(bench.keys(Filter("a"), "alpha").values())
    assert store.fetch(Filter("b"), keys) == []
    assert store.nodes(Filter("b"), keys) == store.nodes(nobody, keys) == {}
    assert [n.content for n in store.nodes(Filter("a"), keys).values()] == ["alpha secret"]
    assert store.texts(Filter("b"), keys) == store.texts(nobody, keys) == {}
    known = {
        key: Told(n.id, n.content, micros(n.valid_from))
        for key, n in store.nodes(Filter("a"), keys).items()
    }
    assert store.texts(Filter("a"), keys) == known
    ids = [n.id for n in store.list(Filter("a"), 10, None)]
    assert store.get(ids, "b") == []


def a_filter_without_scope_spans_all_scopes(bench: Bench) -> None:
    """For the owner alone: export and statistics."""
    bench.put(node("alpha", scope="a"), node("beta", scope="b"))
    assert {n.content for n in bench.store.iterate(Filter(None))} == {"alpha", "beta"}
    assert bench.store.scopes() == ["a", "b"]
    assert bench.store.counts(None)["status"] == {"active": 2}


def only_active_memories_are_seen_unless_asked_for(bench: Bench) -> None:
    """Each status is found when named, and no filter value at all means every one."""
    head = node("alpha head")
    bench.put(
        head,
        node("alpha low", status="low_signal"),
        node("alpha old", status="superseded", superseded_by=head.id, valid_until=NOON),
    )
    contents: dict[Status, str] = {
        "active": "alpha head",
        "low_signal": "alpha low",
        "superseded": "alpha old",
    }
    for status, content in contents.items():
        where = Filter("a", statuses=(status,))
        assert bench.dense(where, "alpha") == bench.words(where, "alpha") == [content]
    assert len(bench.dense(Filter("a", statuses=()), "alpha")) == 3
    assert len(bench.words(Filter("a", statuses=()), "alpha")) == 3


def as_of_sees_the_past_as_it_was(bench: Bench) -> None:
    """A superseded memory held from its event time until its successor's."""
    early, late = NOON, NOON + timedelta(days=1)
    new = node("alpha new", valid_from=late)
    old = node(
        "alpha old", status="superseded", superseded_by=new.id, valid_from=early, valid_until=late
    )
    bench.put(old, new)
    before = early - timedelta(microseconds=1)
    for moment, expected in ((before, []), (early, ["alpha old"]), (late, ["alpha new"])):
        where = Filter("a", as_of=moment)
        assert bench.dense(where, "alpha") == expected
        assert bench.words(where, "alpha") == expected
        assert [n.content for n in bench.store.list(where, 10, None)] == expected


def a_filter_never_starves_a_channel(bench: Bench) -> None:
    """One rare match among many better ones is still found at depth one."""
    bench.put(
        *[node(f"alpha alpha {i}") for i in range(60)],
        node("alpha beta gamma delta epsilon", tags=("rare",)),
    )
    where = Filter("a", tags=("rare",))
    assert bench.dense(where, "alpha", 1) == ["alpha beta gamma delta epsilon"]
    assert bench.words(where, "alpha", 1) == ["alpha beta gamma delta epsilon"]


def every_named_type_and_level_passes(bench: Bench) -> None:
    """Not only the first of several."""
    bench.put(
        node("alpha one", memory_type="decision", level="turn"),
        node("alpha two", memory_type="project", level="episode"),
        node("alpha three", memory_type="solution", level="topic"),
    )
    for where in (
        Filter("a", types=("decision", "project")),
        Filter("a", levels=("turn", "episode")),
    ):
        assert sorted(bench.words(where, "alpha")) == ["alpha one", "alpha two"]
        assert sorted(bench.dense(where, "alpha")) == ["alpha one", "alpha two"]


def a_text_lives_once_in_a_scope(bench: Bench) -> None:
    """``live`` knows active and low-signal texts, not superseded or erased ones."""
    one, low = node("alpha"), node("beta", status="low_signal")
    old = node("gamma", status="superseded", superseded_by=one.id)
    bench.put(one, low, old)
    digests = {c: content_hash("a", c) for c in ("alpha", "beta", "gamma")}
    assert bench.store.live("a", list(digests.values())) == {digests["alpha"], digests["beta"]}
    assert bench.store.live("b", list(digests.values())) == set()
    bench.erase(one.id)
    assert bench.store.live("a", [digests["alpha"]]) == set()


def the_log_of_a_scope_is_read_from_its_end(bench: Bench) -> None:
    """Newest first, each with a number that rises; other scopes have logs of their own."""
    bench.put(node("alpha"), node("beta", scope="b"))
    for scope, reason in (("a", "one"), ("b", "two"), ("a", "three")):
        with bench.store.write() as writer:
            writer.log("add", scope, None, {"reason": reason})
    (late, third), (early, first) = bench.store.recent("a", 10)
    assert (dict(third.detail), dict(first.detail)) == ({"reason": "three"}, {"reason": "one"})
    assert late > early
    assert [number for number, _ in bench.store.recent("a", 10, after=early)] == [late]
    assert [number for number, _ in bench.store.recent("a", 1)] == [late]
    assert not bench.store.recent("nowhere", 10)


def erased_memories_are_gone_from_everywhere(bench: Bench) -> None:
    """A tombstone keeps the id from coming back; nothing else stays."""
    gone, kept = node("alpha gone", tags=("t",)), node("alpha kept", tags=("t",))
    bench.put(gone, kept)
    with bench.store.write() as writer:
        writer.log("add", "a", gone.id, {"reason": "alpha"})
    assert len(bench.dense(Filter("a"), "alpha")) == 2
    bench.erase(gone.id)
    for where in (Filter("a"), Filter("a", tags=("t",)), Filter("a", statuses=EVERYTHING)):
        assert bench.dense(where, "alpha") == bench.words(where, "alpha") == ["alpha kept"]
        assert [n.content for n in bench.store.list(where, 10, None)] == ["alpha kept"]
    assert [dict(event.detail) for event in bench.store.events(gone.id)] == [{}]
    (stone,) = bench.store.get([gone.id])
    assert (stone.status, stone.content, stone.tags, dict(stone.metadata)) == (
        "deleted",
        "",
        (),
        {},
    )
    with bench.store.write() as writer:
        assert writer.knows(gone.id)
        assert not writer.knows(new_id())


def a_failed_transaction_leaves_no_trace(bench: Bench) -> None:
    """All of a write happens, or nothing."""
    kept = node("alpha kept")
    bench.put(kept)
    before = bench.store.changed("a")

    def fail_late() -> None:
        with bench.store.write() as writer:
            writer.insert(record(node("alpha lost")))
            writer.amend(replace(kept, tags=("lost",)))
            writer.get(new_id())

    with pytest.raises(NotFound):
        fail_late()
    assert bench.store.changed("a") == before
    assert bench.words(Filter("a"), "alpha") == bench.dense(Filter("a"), "alpha") == ["alpha kept"]
    assert bench.store.get([kept.id])[0].tags == ()


def a_rewritten_text_replaces_the_old_in_both_channels(bench: Bench) -> None:
    """The old words find nothing, the new ones do."""
    one = node("alpha")
    bench.put(one)
    with bench.store.write() as writer:
        writer.rewrite(record(replace(one, content="omega")))
    assert bench.words(Filter("a"), "alpha") == []
    assert bench.words(Filter("a"), "omega") == bench.dense(Filter("a"), "omega") == ["omega"]
    assert bench.store.live("a", [content_hash("a", "alpha")]) == set()


def a_second_handle_sees_every_change_at_once(bench: Bench) -> None:
    """As another process would: adds, changes and erasures, by both channels."""
    other = Bench(bench.open(EMBEDDER), bench.open)
    assert other.dense(Filter("a"), "alpha") == []
    one, two = node("alpha one"), node("alpha two")
    bench.put(one, two)
    assert sorted(other.dense(Filter("a"), "alpha")) == ["alpha one", "alpha two"]
    bench.amend(replace(one, status="low_signal"))
    assert other.dense(Filter("a"), "alpha") == other.words(Filter("a"), "alpha") == ["alpha two"]
    bench.erase(two.id)
    assert other.dense(Filter("a"), "alpha") == other.words(Filter("a"), "alpha") == []


def a_chain_is_read_from_any_of_its_links(bench: Bench) -> None:
    """Oldest first, branches included."""
    last = node("third", valid_from=NOON + timedelta(days=2))
    middle = node(
        "second", status="superseded", superseded_by=last.id, valid_from=NOON + timedelta(days=1)
    )
    first = node("first", status="superseded", superseded_by=middle.id)
    bench.put(last, first, middle, node("elsewhere"))
    for link in (first, middle, last):
        assert [n.content for n in bench.store.chain(link.id)] == ["first", "second", "third"]
    hashes = {text: content_hash("a", text) for text in ("first", "second", "third", "fourth")}
    superseded = {hashes["first"], hashes["second"]}
    assert bench.store.superseded("a", list(hashes.values())) == superseded
    assert bench.store.superseded("a", []) == bench.store.superseded("b", list(hashes.values()))
    assert bench.store.superseded_heads("a", hashes["first"]) == [last.id]
    assert bench.store.superseded_heads("b", content_hash("b", "first")) == []


def recalls_are_counted_without_a_change(bench: Bench) -> None:
    """Counting touches no row, so that no cache is invalidated."""
    one = node("alpha")
    bench.put(one)
    before = bench.store.changed("a")
    keys = list(bench.keys(Filter("a"), "alpha").values())
    for _ in range(3):
        bench.store.touch("a", keys, {"k": 1})
    (back,) = bench.store.get([one.id])
    assert back.access_count == 3
    assert back.accessed_at is not None
    assert bench.store.changed("a") == before


def another_encoder_is_refused_until_everything_is_embedded_anew(bench: Bench) -> None:
    """Words go on finding; writes say what to do; reindexing brings the vectors back."""
    bench.put(node("alpha one"), node("beta two"))
    newer = HashEmbedder(dimension=16, name="newer")
    other = bench.open(newer)
    for attempt in (other.claim_encoder, lambda: other.write().__enter__()):
        with pytest.raises(EncoderMismatch, match="reindex"):
            attempt()
    query = newer.encode_queries(["alpha"])[0].dense
    assert other.nearest(Filter("a"), query, 5)[0].keys == ()
    assert len(other.lexical(Filter("a"), ("alpha",), 5).keys) == 1
    assert not other.check().ok

    def embed(texts: Sequence[str]) -> list[tuple[Matrix, bytes]]:
        return [(e.dense, b"") for e in newer.encode(texts)]

    steps: list[tuple[int, int]] = []
    assert other.reindex(embed, lambda done, total: steps.append((done, total))) == 2
    assert steps[-1] == (2, 2)
    assert len(other.nearest(Filter("a"), query, 5)[0].keys) == 2
    assert other.check().problems == ()
    assert other.reindex(embed, lambda _done, _total: None) == 0


def a_sound_store_passes_its_check(bench: Bench) -> None:
    """Counts say what was looked at."""
    bench.put(node("alpha", tags=("t",), metadata={"k": 1}), node("beta"))
    gone = node("gamma")
    bench.put(gone)
    bench.erase(gone.id)
    health = bench.store.check()
    assert health.problems == ()
    assert health.ok
    assert health.counts["memories"] == 2


def the_most_salient_come_first(bench: Bench) -> None:
    """Unrated ones last, newer before older."""
    bench.put(
        node("mid", salience=2.0),
        node("top", salience=4.0),
        node("none"),
        node("mid later", salience=2.0, valid_from=NOON + timedelta(days=1)),
    )
    assert [n.content for n in bench.store.salient(Filter("a"), 3)] == ["top", "mid later", "mid"]


def a_long_memory_counts_by_its_best_window(bench: Bench) -> None:
    """And appears once."""
    filler = " ".join(f"w{i}" for i in range(200))
    bench.put(node(f"{filler} alpha"), node("beta"))
    (ranked,) = bench.store.nearest(Filter("a"), vector("alpha"), 10)
    assert len(ranked.keys) == 2
    assert np.isclose(ranked.scores[0], 1.0, atol=1e-3)


def what_is_left_of_a_memory_is_found(bench: Bench) -> None:
    """Each index is looked at: there is something in it before, and nothing after it is erased."""
    one = node("alpha beta gamma", tags=("t",), metadata={"k": 1})
    bench.put(one, node("delta"))
    before = {place.place: place.found for place in bench.store.purge([one.id], [])}
    assert min(before[name] for name in ("rows", "lexical index", "labels", "vectors")) >= 1
    bench.erase(one.id)
    after = bench.store.purge([one.id], [b"alpha beta gamma"])
    assert {place.place: place.found for place in after} == dict.fromkeys(before, 0)
    assert bench.words(Filter("a"), "delta") == ["delta"]


CONTRACT: tuple[Callable[[Bench], None], ...] = (
    a_stored_memory_is_found_by_both_channels,
    every_field_of_a_memory_comes_back,
    memories_come_back_in_the_order_asked,
    each_query_has_its_own_limit,
    nothing_crosses_a_scope,
    a_filter_without_scope_spans_all_scopes,
    only_active_memories_are_seen_unless_asked_for,
    as_of_sees_the_past_as_it_was,
    a_filter_never_starves_a_channel,
    every_named_type_and_level_passes,
    a_text_lives_once_in_a_scope,
    the_log_of_a_scope_is_read_from_its_end,
    erased_memories_are_gone_from_everywhere,
    a_failed_transaction_leaves_no_trace,
    a_rewritten_text_replaces_the_old_in_both_channels,
    a_second_handle_sees_every_change_at_once,
    a_chain_is_read_from_any_of_its_links,
    recalls_are_counted_without_a_change,
    another_encoder_is_refused_until_everything_is_embedded_anew,
    a_sound_store_passes_its_check,
    the_most_salient_come_first,
    a_long_memory_counts_by_its_best_window,
    what_is_left_of_a_memory_is_found,
)

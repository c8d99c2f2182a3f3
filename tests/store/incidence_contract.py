"""What every store must do for the hypergraph; ``test_contract.py`` runs it.

Longer than a module should be, because a contract is read in one piece.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import TypeAlias

import numpy as np
import pytest

from hypermnesia.errors import Conflict, HypermnesiaError, InvalidInput, NotFound
from hypermnesia.identity import new_id
from hypermnesia.store.incidence import Days, Link, Member, Place, Utterance
from hypermnesia.store.protocol import Filter, Writer
from hypermnesia.types import Level, Matrix, Node, Provenance
from tests.store.bench import EMBEDDER, NOON, Bench, node, record, vector

Attempt: TypeAlias = Callable[[Writer], None]
MAY = Days(date(2026, 5, 1), date(2026, 5, 31))
TODAY = Days(date(2026, 5, 3), date(2026, 5, 3))
TALK = ("Ann: alpha", "Bob: beta", "Ann: gamma", "Bob: delta", "Ann: omega")


@dataclass(frozen=True)
class Talk:
    """Five turns, a fact from the first two and one from the third, an episode, a topic."""

    turns: tuple[Node, ...]
    facts: tuple[Node, ...]
    episode: Node
    topic: Node

    @property
    def ids(self) -> list[str]:
        """Ids of the turns."""
        return [turn.id for turn in self.turns]

    def members(self) -> list[Member]:
        """Every membership, each weight used once."""
        return [
            Member(self.episode.id, self.facts[0].id, "core", 0.9),
            Member(self.episode.id, self.facts[1].id, "detail", 0.5),
            *[Member(self.episode.id, t, "turn", 0.1 + i / 20) for i, t in enumerate(self.ids)],
            Member(self.topic.id, self.episode.id, "initiating", 0.7),
        ]


def turn(content: str, position: int, scope: str = "a", session: str = "s") -> Node:
    """A turn that says which message it is."""
    source = Provenance(session_id=session, turn_id=f"D{position}")
    return node(content, level="turn", scope=scope, provenance=source)


def told(bench: Bench, scope: str = "a", session: str = "s") -> Talk:
    """Store a talk."""
    turns = tuple(turn(text, i, scope, session) for i, text in enumerate(TALK))
    facts = tuple(node(f"{text} {session}", scope=scope) for text in ("alpha beta", "gamma"))
    episode = node("stories", scope=scope, level="episode")
    talk = Talk(turns, facts, episode, node("letters", scope=scope, level="topic"))
    bench.put(*turns, *facts, episode, talk.topic)
    with bench.store.write() as writer:
        for position, item in enumerate(turns):
            speaker = item.content.partition(":")[0]
            writer.place(item.id, Place(session, position, speaker), [TODAY] if position else [])
        writer.date(facts[1].id, [TODAY, MAY])
        writer.cite(facts[0].id, [turns[1].id, turns[0].id])
        writer.cite(facts[1].id, [turns[2].id])
        writer.join(talk.members())
    return talk


def refused(bench: Bench, error: type[HypermnesiaError], match: str, *attempts: Attempt) -> None:
    """Every attempt fails, in a transaction of its own."""
    for attempt in attempts:
        with pytest.raises(error, match=match), bench.store.write() as writer:
            attempt(writer)


def places(turns: Iterable[Utterance]) -> list[int]:
    """Positions, in order."""
    return sorted(item.place.position for item in turns)


def keys_of(bench: Bench, *nodes: Node) -> list[int]:
    """Keys of stored nodes, in their order."""
    where = Filter(nodes[0].scope, levels=(nodes[0].level,), statuses=())
    (ranked,) = bench.store.nearest(where, vector("alpha"), 100)
    found = {s.node.id: s.key for s in bench.store.fetch(where, ranked.keys)}
    return [found[item.id] for item in nodes]


def embeddings(bench: Bench, level: Level, lam: float = 0.5) -> dict[str, Matrix]:
    """Propagated embedding by content."""
    found = bench.store.propagated("a", level, lam)
    stored = bench.store.fetch(Filter("a"), found.keys)
    content = {s.key: s.node.content for s in stored}
    return {content[key]: row for key, row in zip(found.keys, found.propagated, strict=True)}


def raw(text: str) -> Matrix:
    """A text's own embedding, as storage rounds it."""
    stored = vector(text)[0].astype(np.float16).astype(np.float32)
    return stored / np.linalg.norm(stored)


def aggregated(texts: Sequence[str], weights: Sequence[float]) -> Matrix:
    """The formula of the paper, written out once more."""
    shares = np.exp(weights) / np.exp(weights).sum()
    return np.sum([s * raw(t) for s, t in zip(shares, texts, strict=True)], axis=0)


def the_end_of_a_session_is_read_back(bench: Bench) -> None:
    """Whole turns with their places, oldest first."""
    talk = told(bench)
    told(bench, session="other")
    tail = bench.store.tail("a", "s", 2)
    assert [item.node for item in tail] == list(talk.turns[-2:])
    assert [item.place for item in tail] == [Place("s", 3, "Bob"), Place("s", 4, "Ann")]
    assert [item.key for item in tail] == keys_of(bench, *talk.turns[-2:])
    assert bench.store.tail("a", "unheard of", 2) == []
    with bench.store.write() as writer:
        assert (writer.end("a", "s"), writer.end("a", "unheard of"), writer.end("b", "s")) == (
            5,
            0,
            0,
        )


def the_tail_holds_turns_of_any_status(bench: Bench) -> None:
    """Their positions are taken, whatever became of them."""
    talk = told(bench)
    bench.amend(replace(talk.turns[-1], status="low_signal"))
    assert [item.place.position for item in bench.store.tail("a", "s", 2)] == [3, 4]


def speakers_are_counted(bench: Bench) -> None:
    """Over all sessions of the scope."""
    told(bench)
    told(bench, session="other")
    assert bench.store.speakers("a") == {"Ann": 6, "Bob": 4}


def a_turn_is_read_with_those_around_it(bench: Bench) -> None:
    """As far as the reach, within its session, each once."""
    talk = told(bench)
    told(bench, session="other")
    first, _, third, *_ = keys_of(bench, *talk.turns)
    assert places(bench.store.around("a", [third], 0)) == [2]
    assert places(bench.store.around("a", [third], 1)) == [1, 2, 3]
    assert places(bench.store.around("a", [first, third], 1)) == [0, 1, 2, 3]
    assert places(bench.store.around("a", [third], 9)) == [0, 1, 2, 3, 4]
    (alone,) = bench.store.around("a", [third], 0)
    assert alone == Utterance(third, "Ann: gamma", NOON, Place("s", 2, "Ann"))
    assert bench.store.around("a", keys_of(bench, talk.episode), 3) == []


def only_active_turns_are_around(bench: Bench) -> None:
    """A gated turn is neither a neighbour nor has any."""
    talk = told(bench)
    second, third = keys_of(bench, *talk.turns[1:3])
    bench.amend(replace(talk.turns[2], status="low_signal"))
    assert places(bench.store.around("a", [second], 1)) == [0, 1]
    assert bench.store.around("a", [third], 1) == []


def a_gap_left_by_a_forgotten_turn_keeps_its_width(bench: Bench) -> None:
    """Distance is that of the talk, not of what remains of it."""
    talk = told(bench)
    (second,) = keys_of(bench, talk.turns[1])
    bench.erase(talk.turns[2].id)
    assert places(bench.store.around("a", [second], 1)) == [0, 1]
    assert places(bench.store.around("a", [second], 2)) == [0, 1, 3]
    assert bench.store.check().problems == ()


def a_turn_placed_again_has_moved(bench: Bench) -> None:
    """Its former place is free, its former days are gone."""
    talk = told(bench)
    with bench.store.write() as writer:
        writer.place(talk.ids[1], Place("t", 7, "Bo"), [MAY])
        writer.place(talk.ids[2], Place("s", 1, "Ann"), [])
    assert bench.store.places("a", talk.ids[1:3]) == {
        talk.ids[1]: Place("t", 7, "Bo"),
        talk.ids[2]: Place("s", 1, "Ann"),
    }
    assert bench.store.days("a", talk.ids[1:3]) == {talk.ids[1]: (MAY,)}


def what_is_stored_now_may_be_said_otherwise_at_once(bench: Bench) -> None:
    """Before its transaction ends, a new memory moves, speaks of other days, and is erased."""
    first, second, fact = turn("Ann: alpha", 0), turn("Bob: beta", 1), node("alpha beta", scope="a")
    with bench.store.write() as writer:
        for item in (first, second, fact):
            writer.insert(record(item))
        writer.place(first.id, Place("s", 0, "Ann"), [TODAY])
        writer.place(first.id, Place("t", 7, "Bo"), [MAY])
        writer.place(second.id, Place("s", 0, "Bob"), [TODAY])
        writer.date(fact.id, [TODAY])
        writer.date(fact.id, [MAY])
        writer.cite(fact.id, [second.id])
        writer.erase([second.id])
        with pytest.raises(NotFound, match=second.id):
            writer.place(second.id, Place("s", 0, "Bob"), [])
        writer.place(first.id, Place("s", 0, "Ann"), [MAY])
    assert bench.store.places("a", [first.id, second.id]) == {first.id: Place("s", 0, "Ann")}
    assert bench.store.days("a", [first.id, second.id, fact.id]) == {
        first.id: (MAY,),
        fact.id: (MAY,),
    }
    assert bench.store.check().problems == ()


def two_turns_cannot_stand_in_one_place(bench: Bench) -> None:
    """The second is told which one is there, and stays where it was."""
    talk = told(bench)
    with bench.store.write() as writer:
        with pytest.raises(Conflict, match=talk.ids[1]):
            writer.place(talk.ids[2], Place("s", 1, "Ann"), [])
        writer.place(talk.ids[1], Place("s", 1, "Bob"), [TODAY])
    assert bench.store.places("a", [talk.ids[2]]) == {talk.ids[2]: Place("s", 2, "Ann")}


def days_are_kept_per_turn_and_fact(bench: Bench) -> None:
    """Earliest first; said again, they replace what was said before."""
    talk = told(bench)
    asked = [talk.ids[0], talk.ids[1], talk.facts[1].id]
    assert bench.store.days("a", asked) == {
        talk.ids[1]: (TODAY,),
        talk.facts[1].id: (MAY, TODAY),
    }
    extreme = Days(date.min, date.max)
    with bench.store.write() as writer:
        writer.date(talk.facts[1].id, [extreme, extreme])
    assert bench.store.days("a", asked)[talk.facts[1].id] == (extreme,)


def hyperedges_are_read_from_both_ends(bench: Bench) -> None:
    """With role and weight, the heaviest first."""
    talk = told(bench)
    by_weight = sorted(talk.members(), key=lambda member: -member.weight)
    assert bench.store.members("a", [talk.topic.id, talk.episode.id]) == by_weight
    assert bench.store.members("a", [talk.topic.id]) == talk.members()[-1:]
    assert bench.store.heads("a", [talk.ids[0], talk.facts[0].id]) == [
        talk.members()[0],
        talk.members()[2],
    ]
    assert bench.store.members("a", [talk.ids[0], new_id()]) == []


def links_are_read_by_key(bench: Bench) -> None:
    """Down to one level, up to the topics, memberships with their weight and sources with 1."""
    talk = told(bench)
    told(bench, session="other")
    topic, episode = keys_of(bench, talk.topic)[0], keys_of(bench, talk.episode)[0]
    facts, turns = keys_of(bench, *talk.facts), keys_of(bench, *talk.turns)
    edges = {Link(episode, facts[0], 0.9), Link(episode, facts[1], 0.5)}
    said = {Link(episode, key, 0.1 + i / 20) for i, key in enumerate(turns)}
    cited = {Link(facts[0], turns[0], 1), Link(facts[0], turns[1], 1), Link(facts[1], turns[2], 1)}
    top = {Link(topic, episode, 0.7)}
    store = bench.store
    assert set(store.below("a", [topic, episode], "episode")) == top
    assert set(store.below("a", [topic, episode], "fact")) == edges
    assert set(store.below("a", [*facts, episode], "turn")) == said | cited
    assert set(store.below("a", facts, "turn")) == cited
    assert store.below("a", [], "turn") == store.above("a", []) == []
    assert set(store.above("a", facts)) == edges | top
    assert set(store.above("a", turns)) == said | cited | edges | top
    assert set(store.above("a", [episode])) == top


def joining_again_changes_role_and_weight(bench: Bench) -> None:
    """There is one membership of a node in a hyperedge, and only a change counts as one."""
    talk = told(bench)
    other = replace(talk.members()[0], role="causal", weight=0.2)
    before = bench.store.changed("a")
    with bench.store.write() as writer:
        writer.join(talk.members())
    assert bench.store.changed("a") == before
    with bench.store.write() as writer:
        writer.join([other])
    assert bench.store.heads("a", [talk.facts[0].id]) == [other]
    assert bench.store.changed("a") > before


def a_node_that_left_is_no_member(bench: Bench) -> None:
    """The others stay, and leaving twice is no error."""
    talk = told(bench)
    for _ in range(2):
        with bench.store.write() as writer:
            writer.leave(talk.episode.id, [talk.facts[0].id, *talk.ids])
    assert bench.store.members("a", [talk.episode.id]) == [talk.members()[1]]


def a_fact_names_its_sources_and_a_turn_its_facts(bench: Bench) -> None:
    """Sources in the order in which they were said; citing twice adds nothing."""
    talk = told(bench)
    one, two = (fact.id for fact in talk.facts)
    bench.amend(replace(talk.facts[1], status="superseded", superseded_by=one))
    with bench.store.write() as writer:
        writer.cite(two, [talk.ids[0], talk.ids[2]])
        writer.cite(two, [])
    assert bench.store.sources("a", [one, two, talk.episode.id]) == {
        one: (talk.ids[0], talk.ids[1]),
        two: (talk.ids[0], talk.ids[2]),
    }
    assert bench.store.drawn("a", talk.ids) == {
        talk.ids[0]: (one, two),
        talk.ids[1]: (one,),
        talk.ids[2]: (two,),
    }


def links_between_unknown_or_erased_memories_are_refused(bench: Bench) -> None:
    """And nothing of the transaction is kept."""
    talk = told(bench)
    bench.erase(talk.ids[4])
    fact, episode, turn = talk.facts[0].id, talk.episode.id, talk.ids[0]

    def left_before(attempt: Attempt) -> Attempt:
        def both(writer: Writer) -> None:
            writer.leave(episode, [turn])
            attempt(writer)

        return both

    def linking(stranger: str) -> list[Attempt]:
        return [
            lambda w: w.place(stranger, Place("s", 9, "x"), []),
            lambda w: w.cite(fact, [stranger]),
            lambda w: w.cite(stranger, [turn]),
            lambda w: w.date(stranger, [MAY]),
            lambda w: w.join([Member(stranger, turn, "turn", 1)]),
            lambda w: w.join([Member(episode, stranger, "turn", 1)]),
            lambda w: w.leave(episode, [stranger]),
            lambda w: w.leave(stranger, [turn]),
        ]

    for stranger in (new_id(), talk.ids[4]):
        refused(bench, NotFound, stranger, *map(left_before, linking(stranger)))
    assert len(bench.store.members("a", [episode])) == 6


def no_link_crosses_a_scope(bench: Bench) -> None:
    """Neither end may lie elsewhere."""
    here, there = told(bench), told(bench, "b")
    refused(
        bench,
        NotFound,
        "scope",
        lambda w: w.cite(here.facts[0].id, [there.ids[0]]),
        lambda w: w.join([Member(here.episode.id, there.ids[0], "turn", 1)]),
        lambda w: w.join([Member(here.topic.id, there.episode.id, "climax", 1)]),
        lambda w: w.leave(here.episode.id, [there.ids[0]]),
    )
    assert len(bench.store.members("b", [there.episode.id])) == 7


def only_what_a_level_has_can_be_said_of_it(bench: Bench) -> None:
    """A turn is placed, a fact cites, an episode holds facts and turns, a topic episodes."""
    talk = told(bench)
    fact, episode, topic = talk.facts[0].id, talk.episode.id, talk.topic.id
    refused(
        bench,
        InvalidInput,
        "is a",
        lambda w: w.place(fact, Place("s", 9, "x"), []),
        lambda w: w.date(talk.ids[0], [MAY]),
        lambda w: w.cite(talk.ids[0], [talk.ids[1]]),
        lambda w: w.cite(fact, [fact]),
        lambda w: w.join([Member(fact, talk.ids[0], "turn", 1)]),
        lambda w: w.join([Member(topic, fact, "core", 1)]),
        lambda w: w.join([Member(episode, episode, "core", 1)]),
        lambda w: w.join([Member(episode, topic, "core", 1)]),
    )


def a_weight_lies_between_0_and_1(bench: Bench) -> None:
    """Both included."""
    talk = told(bench)
    for weight in (-0.01, 1.01, float("nan")):
        with pytest.raises(InvalidInput, match="weight"), bench.store.write() as writer:
            writer.join([replace(talk.members()[0], weight=weight)])
    for weight in (0.0, 1.0):
        with bench.store.write() as writer:
            writer.join([replace(talk.members()[0], weight=weight)])
        assert bench.store.heads("a", [talk.facts[0].id])[0].weight == weight


def no_verb_shows_another_scopes_talk(bench: Bench) -> None:
    """By ids and keys that are right but for their scope."""
    talk = told(bench)
    told(bench, "b", session="theirs")
    everything = [*talk.ids, *(f.id for f in talk.facts), talk.episode.id, talk.topic.id]
    store, keys = bench.store, keys_of(bench, *talk.turns)
    heads = [*keys_of(bench, talk.episode), *keys_of(bench, *talk.facts)]
    for scope in ("b", "nobody"):
        assert store.tail(scope, "s", 9) == []
        assert store.around(scope, keys, 9) == []
        assert store.members(scope, everything) == store.heads(scope, everything) == []
        assert store.sources(scope, everything) == store.drawn(scope, everything) == {}
        assert store.places(scope, everything) == store.days(scope, everything) == {}
        assert not set(store.propagated(scope, "turn", 0.5).keys) & set(keys)
        assert store.above(scope, keys) == store.below(scope, heads, "turn") == []
    assert store.speakers("b") == {"Ann": 3, "Bob": 2}
    assert store.speakers("nobody") == {}
    assert len(store.propagated("b", "turn", 0.5).keys) == 5
    assert store.propagated("nobody", "turn", 0.5).raw.shape == (0, EMBEDDER.dimension)


def what_stands_on_nothing_else_is_named(bench: Bench) -> None:
    """Facts with their only turns, heads with their last members, and so on upwards."""
    talk = told(bench)
    one, two = (fact.id for fact in talk.facts)
    store = bench.store
    assert store.dependants([]) == store.dependants([talk.ids[3]]) == []
    assert store.dependants([talk.ids[0]]) == []
    assert store.dependants([talk.ids[2]]) == [two]
    assert set(store.dependants(talk.ids)) == {one, two, talk.episode.id, talk.topic.id}
    assert store.dependants([talk.episode.id]) == [talk.topic.id]
    with store.write() as writer:
        writer.leave(talk.episode.id, [one])
        assert writer.dependants([talk.ids[0], talk.ids[1]]) == [one]


def erased_memories_leave_the_hypergraph(bench: Bench) -> None:
    """Both ends of every link, the place, the days and the name of an empty session."""
    talk = told(bench)
    bench.erase(talk.ids[0], talk.facts[1].id, talk.topic.id)
    store = bench.store
    assert {m.node for m in store.members("a", [talk.episode.id])} == {
        talk.facts[0].id,
        *talk.ids[1:],
    }
    assert store.heads("a", [talk.ids[0], talk.facts[1].id, talk.episode.id]) == []
    assert store.sources("a", [f.id for f in talk.facts]) == {talk.facts[0].id: (talk.ids[1],)}
    assert store.drawn("a", talk.ids) == {talk.ids[1]: (talk.facts[0].id,)}
    assert store.places("a", talk.ids[:1]) == store.days("a", [talk.facts[1].id]) == {}
    assert store.speakers("a") == {"Ann": 2, "Bob": 2}
    assert store.check().problems == ()


def reindexing_keeps_the_hypergraph(bench: Bench) -> None:
    """It is no derived thing."""
    talk = told(bench)
    before = embeddings(bench, "fact")

    def embed(texts: Sequence[str]) -> list[tuple[Matrix, bytes]]:
        return [(e.dense, b"") for e in EMBEDDER.encode(texts)]

    bench.store.reindex(embed, lambda _done, _total: None)
    assert len(bench.store.members("a", [talk.episode.id])) == 7
    assert len(bench.store.places("a", talk.ids)) == 5
    assert bench.store.sources("a", [talk.facts[1].id]) == {talk.facts[1].id: (talk.ids[2],)}
    assert bench.store.days("a", [talk.facts[1].id]) == {talk.facts[1].id: (MAY, TODAY)}
    after = embeddings(bench, "fact")
    assert all(np.array_equal(after[name], row) for name, row in before.items())


def embeddings_propagate_over_hyperedges(bench: Bench) -> None:
    """A node takes up its edges, each the softmax-weighted mean of its members of that level."""
    told(bench)
    found = embeddings(bench, "fact")
    edge = aggregated(["alpha beta s", "gamma s"], [0.9, 0.5])
    for text in ("alpha beta s", "gamma s"):
        assert np.allclose(found[text], raw(text) + 0.5 * edge, atol=1e-6)
    topics = bench.store.propagated("a", "topic", 0.5)
    assert np.array_equal(topics.raw, topics.propagated)
    plain = bench.store.propagated("a", "fact", 0.0)
    assert np.array_equal(plain.raw, plain.propagated)


def members_may_count_alike(bench: Bench) -> None:
    """A hyperedge is then the plain mean, beside the weighted one and kept up to date like it."""
    talk = told(bench)
    one, two = (raw(fact.content) for fact in talk.facts)
    keys = keys_of(bench, *talk.facts)

    def unweighted() -> list[Matrix]:
        found = bench.store.propagated("a", "fact", 0.5, weighted=False)
        return [found.propagated[found.keys.index(key)] for key in keys]

    assert np.allclose(unweighted(), [one + (one + two) / 4, two + (one + two) / 4], atol=1e-6)
    assert not np.allclose(embeddings(bench, "fact")[talk.facts[0].content], unweighted()[0])
    with bench.store.write() as writer:
        writer.join([Member(talk.episode.id, talk.facts[1].id, "core", 0.1)])
    assert np.allclose(unweighted(), [one + (one + two) / 4, two + (one + two) / 4], atol=1e-6)


def what_is_not_active_takes_no_part_in_propagation(bench: Bench) -> None:
    """Superseded, it leaves its hyperedges' embeddings; restored, it is back."""
    talk = told(bench)
    both = embeddings(bench, "fact")
    old, new = talk.facts[1], talk.facts[0]
    bench.amend(replace(old, status="superseded", superseded_by=new.id))
    found = embeddings(bench, "fact")
    assert list(found) == [new.content]
    assert np.allclose(found[new.content], 1.5 * raw(new.content), atol=1e-6)
    bench.amend(old)
    back = embeddings(bench, "fact")
    assert back.keys() == both.keys()
    assert all(np.allclose(back[name], row, atol=1e-6) for name, row in both.items())


def a_node_of_several_windows_has_one_direction(bench: Bench) -> None:
    """The normalised mean of its vectors."""
    long = node(" ".join(f"w{i}" for i in range(500)))
    bench.put(long)
    dense = record(long).dense.astype(np.float16).astype(np.float32)
    assert len(dense) == 3
    (row,) = bench.store.propagated("a", "fact", 0.5).raw
    mean = dense.mean(axis=0)
    assert np.allclose(row, mean / np.linalg.norm(mean), atol=1e-6)


def a_second_handle_sees_the_hypergraph_change(bench: Bench) -> None:
    """As another process would: joined, left, weighed anew, erased."""
    talk = told(bench)
    other = Bench(bench.open(EMBEDDER), bench.open)
    one, two = talk.facts
    assert len(embeddings(other, "fact")) == 2
    with bench.store.write() as writer:
        writer.leave(talk.episode.id, [two.id])
    found = embeddings(other, "fact")
    assert np.allclose(found[two.content], raw(two.content), atol=1e-6)
    assert np.allclose(found[one.content], 1.5 * raw(one.content), atol=1e-6)
    with bench.store.write() as writer:
        writer.join([Member(talk.episode.id, two.id, "core", 0.1)])
    edge = aggregated([one.content, two.content], [0.9, 0.1])
    found = embeddings(other, "fact")
    assert np.allclose(found[one.content], raw(one.content) + 0.5 * edge, atol=1e-6)
    bench.erase(talk.episode.id)
    found = embeddings(other, "fact")
    assert np.allclose(found[one.content], raw(one.content), atol=1e-6)


def every_level_is_ranked_on_its_own(bench: Bench) -> None:
    """Whatever fills the other levels, one of few memories is searched to its end."""
    talk = told(bench)
    bench.put(*[node(f"letters stories alpha {i}") for i in range(60)])
    for item in (talk.turns[0], talk.episode, talk.topic):
        where = Filter("a", levels=(item.level,))
        assert bench.words(where, "alpha letters stories", 1) == [item.content]
        assert bench.dense(where, item.content, 1) == [item.content]


def days_lie_in_the_calendar(bench: Bench) -> None:
    """Years 1 to 9999 come back as they went in."""
    talk = told(bench)
    spans = [Days(date.min, date.min), Days(date.max - timedelta(days=1), date.max)]
    with bench.store.write() as writer:
        writer.date(talk.facts[0].id, spans)
    assert bench.store.days("a", [talk.facts[0].id]) == {talk.facts[0].id: tuple(spans)}


def evidence_is_named_as_it_came_in(bench: Bench) -> None:
    """By the ids that turns had outside, in the order of the talk; topics have turns indirectly."""
    talk = told(bench)
    bench.put(nameless := node("Ann: psi", level="turn"))
    with bench.store.write() as writer:
        writer.join([Member(talk.episode.id, nameless.id, "turn", 1.0)])
    asked = [*talk.ids, *(f.id for f in talk.facts), talk.episode.id, talk.topic.id]
    assert bench.store.evidence("a", asked) == {
        talk.facts[0].id: ("D0", "D1"),
        talk.facts[1].id: ("D2",),
        talk.episode.id: ("D0", "D1", "D2", "D3", "D4"),
    }
    assert bench.store.evidence("b", asked) == bench.store.evidence("nobody", asked) == {}


def a_turn_knows_what_replaced_what_it_told(bench: Bench) -> None:
    """The end of the chain, as it was at the time that is asked for."""
    talk = told(bench)
    day = timedelta(days=1)
    newest = node("gamma thrice", valid_from=NOON + 2 * day)
    newer = node("gamma twice", valid_from=NOON + day)
    bench.put(newer, newest)
    assert bench.store.successors("a", talk.ids, None) == {}
    bench.amend(_replaced(talk.facts[1], newer))
    bench.amend(_replaced(newer, newest))
    turn_id = talk.ids[2]
    assert bench.store.successors("a", talk.ids, None) == {turn_id: newest.id}
    assert bench.store.successors("a", talk.ids, NOON + 2 * day) == {turn_id: newest.id}
    assert bench.store.successors("a", talk.ids, NOON + day) == {turn_id: newer.id}
    assert bench.store.successors("a", talk.ids, NOON) == {}
    assert bench.store.successors("b", talk.ids, None) == {}
    bench.erase(newest.id)
    assert bench.store.successors("a", talk.ids, None) == {}


def a_turn_does_not_replace_itself(bench: Bench) -> None:
    """It may correct in its second sentence what it said in its first."""
    talk = told(bench)
    with bench.store.write() as writer:
        writer.cite(talk.facts[0].id, [talk.ids[2]])
    bench.amend(_replaced(talk.facts[1], talk.facts[0]))
    assert bench.store.successors("a", talk.ids, None) == {}


def of_several_replacements_the_latest_counts(bench: Bench) -> None:
    """A turn may have told two things that no longer hold."""
    talk = told(bench)
    late, early = (
        node(text, valid_from=NOON + timedelta(days=days)) for text, days in (("x", 2), ("y", 1))
    )
    bench.put(late, early)
    with bench.store.write() as writer:
        writer.cite(talk.facts[0].id, [talk.ids[2]])
    bench.amend(_replaced(talk.facts[0], late))
    bench.amend(_replaced(talk.facts[1], early))
    assert bench.store.successors("a", [talk.ids[2]], None) == {talk.ids[2]: late.id}


def _replaced(old: Node, new: Node) -> Node:
    return replace(old, status="superseded", superseded_by=new.id, valid_until=new.valid_from)


INCIDENCE: tuple[Callable[[Bench], None], ...] = (
    the_end_of_a_session_is_read_back,
    the_tail_holds_turns_of_any_status,
    speakers_are_counted,
    a_turn_is_read_with_those_around_it,
    only_active_turns_are_around,
    a_gap_left_by_a_forgotten_turn_keeps_its_width,
    a_turn_placed_again_has_moved,
    what_is_stored_now_may_be_said_otherwise_at_once,
    two_turns_cannot_stand_in_one_place,
    days_are_kept_per_turn_and_fact,
    days_lie_in_the_calendar,
    hyperedges_are_read_from_both_ends,
    links_are_read_by_key,
    joining_again_changes_role_and_weight,
    a_node_that_left_is_no_member,
    a_fact_names_its_sources_and_a_turn_its_facts,
    links_between_unknown_or_erased_memories_are_refused,
    no_link_crosses_a_scope,
    only_what_a_level_has_can_be_said_of_it,
    a_weight_lies_between_0_and_1,
    no_verb_shows_another_scopes_talk,
    what_stands_on_nothing_else_is_named,
    erased_memories_leave_the_hypergraph,
    reindexing_keeps_the_hypergraph,
    embeddings_propagate_over_hyperedges,
    members_may_count_alike,
    what_is_not_active_takes_no_part_in_propagation,
    a_node_of_several_windows_has_one_direction,
    a_second_handle_sees_the_hypergraph_change,
    every_level_is_ranked_on_its_own,
    evidence_is_named_as_it_came_in,
    a_turn_knows_what_replaced_what_it_told,
    a_turn_does_not_replace_itself,
    of_several_replacements_the_latest_counts,
)

"""A hand-made hypergraph in a real store, and coarse-to-fine retrieval in plain Python.

The oracle follows the publication (HyperMem, arXiv 2604.08256): per level BM25 and the cosine with
propagated embeddings, fused by reciprocal ranks, the best expanded to the next level.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from hypermnesia.engine import GraphPolicy
from hypermnesia.memory import Memory
from hypermnesia.store.incidence import Member, Place
from hypermnesia.types import Level, Node
from tests.store.bench import node, record, vector
from tests.store.incidence_contract import raw, turn

# No word has two forms here, so that the oracle need not stem.
TEXTS: Mapping[Level, Sequence[str]] = {
    "topic": ("garden plants seasons", "music lesson concert", "travel plans train"),
    "episode": (
        "tomato seeds planted in the garden",
        "roses pruned and compost ordered",
        "violin lesson with a teacher",
        "concert tickets and train booked",
        "hotel near the harbour found",
    ),
    "fact": (
        "ann planted tomato seeds in april",
        "ann owns a greenhouse",
        "bob prunes roses every march",
        "compost at ten euros",
        "ann plays violin since 2019",
        "the teacher lives in lyon",
        "concert tickets cost forty euros",
        "the train leaves at noon",
        "the hotel has a garden",
        "bob likes tomato soup",
    ),
    "turn": (
        "Ann: I planted tomato seeds in april",
        "Bob: do you own a greenhouse",
        "Bob: I prune my roses every march",
        "Ann: compost costs ten euros",
        "Ann: I play violin since 2019",
        "Bob: where does the teacher live",
        "Ann: tickets cost forty euros",
        "Bob: the train leaves at noon",
        "Ann: the hotel has a garden",
    ),
}
TOPICS: Sequence[Mapping[int, float]] = ({0: 0.9, 1: 0.5}, {2: 0.9, 3: 0.7}, {3: 0.3, 4: 0.9})
"""Weight of each episode in each topic; the fourth belongs to two."""
EPISODES: Sequence[Mapping[int, float]] = (
    {0: 1.0, 1: 0.4},
    {2: 0.8, 3: 0.6},
    {4: 0.9, 5: 0.2},
    {6: 0.7, 7: 0.7},
    {8: 0.5},
)
"""Weight of each fact in each episode; the last fact belongs to none."""
SAID: Sequence[Sequence[int]] = ((0, 1), (2, 3), (4, 5), (6, 7), (8,))
"""Turns of each episode. Each fact but the last was taken from the turn of its number."""


@dataclass(frozen=True)
class Graph:
    """What was stored: nodes by level in the order of the tables above."""

    nodes: Mapping[Level, Sequence[Node]]

    def id(self, level: Level, place: int) -> str:
        """Id of a node."""
        return self.nodes[level][place].id


def stored(memory: Memory, scope: str = "default", **fields: object) -> Graph:
    """Put the hypergraph into a memory; ``fields`` go to every fact."""
    nodes: dict[Level, list[Node]] = {
        level: [node(text, scope=scope, level=level) for text in TEXTS[level]]
        for level in ("topic", "episode")
    }
    nodes["fact"] = [node(text, scope=scope, **fields) for text in TEXTS["fact"]]
    nodes["turn"] = [turn(text, i, scope) for i, text in enumerate(TEXTS["turn"])]
    graph = Graph(nodes)
    with memory._engine.store.write() as writer:
        for item in (item for level in nodes.values() for item in level):
            writer.insert(record(item))
        for i, item in enumerate(nodes["turn"]):
            writer.place(item.id, Place("s", i, item.content[:3]), [])
            writer.cite(graph.id("fact", i), [item.id])
        writer.join(members(graph))
    return graph


def members(graph: Graph) -> list[Member]:
    """Every membership."""
    tops = [
        Member(graph.id("topic", t), graph.id("episode", e), "developing", weight)
        for t, edge in enumerate(TOPICS)
        for e, weight in edge.items()
    ]
    facts = [
        Member(graph.id("episode", e), graph.id("fact", f), "core", weight)
        for e, edge in enumerate(EPISODES)
        for f, weight in edge.items()
    ]
    turns = [
        Member(graph.id("episode", e), graph.id("turn", t), "turn", 1.0)
        for e, said in enumerate(SAID)
        for t in said
    ]
    return [*tops, *facts, *turns]


@dataclass(frozen=True)
class Oracle:
    """The published retrieval under a policy, on the tables above."""

    policy: GraphPolicy = field(default_factory=GraphPolicy)

    def ranks(self, query: str) -> dict[Level, list[int]]:
        """Places that each ranked level keeps, best first."""
        found: dict[Level, list[int]] = {}
        chosen: list[int] | None = None
        below: dict[Level, Sequence[Mapping[int, float]]] = {"episode": TOPICS, "fact": EPISODES}
        sizes: dict[Level, int] = {
            "topic": self.policy.topics,
            "episode": self.policy.episodes,
            "fact": self.policy.facts,
        }
        for level, size in sizes.items():
            within = list(range(len(TEXTS[level])))
            if chosen is not None:
                within = sorted({place for head in chosen for place in below[level][head]})
            if level == "fact" or level in self.policy.levels:
                fused = self.fused(query, level, within)
                chosen = sorted(fused, key=lambda place: -fused[place])[:size]
                found[level] = chosen
            elif chosen is not None:
                chosen = within
        return found

    def fused(self, query: str, level: Level, within: Sequence[int]) -> dict[int, float]:
        """Reciprocal ranks of both channels by place, the best 1."""
        total: dict[int, float] = {}
        for scores in (self.cosines(query, level), bm25(query, level)):
            named = sorted((p for p in within if p in scores), key=lambda p: -scores[p])
            for rank, place in enumerate(named[: self.policy.candidates], start=1):
                total[place] = total.get(place, 0) + 1 / (60 + rank)
        best = max(total.values(), default=1)
        return {place: score / best for place, score in total.items()}

    def cosines(self, query: str, level: Level) -> dict[int, float]:
        """Cosine with the propagated embedding by place."""
        own = [raw(text) for text in TEXTS[level]]
        moved = [row.copy() for row in own]
        edges: dict[Level, Sequence[Mapping[int, float]]] = {
            "topic": (),
            "episode": TOPICS,
            "fact": EPISODES,
            "turn": [dict.fromkeys(said, 1.0) for said in SAID],
        }
        for edge in edges[level]:
            shares = {p: math.exp(w) if self.policy.weights else 1.0 for p, w in edge.items()}
            weights = np.array(list(shares.values()), np.float32)
            mean = weights / weights.sum() @ np.stack([own[p] for p in shares])
            for place in edge:
                moved[place] = moved[place] + self.policy.lam * mean
        (asked,) = vector(query)
        return {p: float(asked @ row / np.linalg.norm(row)) for p, row in enumerate(moved)}


def bm25(query: str, level: Level, k1: float = 1.2, b: float = 0.75) -> dict[int, float]:
    """BM25 by place, by the statistics of the level alone; places that share no word have none."""
    documents = [text.casefold().replace(":", "").split() for text in TEXTS[level]]
    lengths = [len(document) + 2 for document in documents]  # and a term for scope and type
    mean = sum(lengths) / len(lengths)
    scores: dict[int, float] = {}
    for term in query.split():
        holders = sum(term in document for document in documents)
        idf = max(math.log((len(documents) - holders + 0.5) / (holders + 0.5)), 1e-6)
        for place, document in enumerate(documents):
            if count := document.count(term):
                norm = k1 * (1 - b + b * lengths[place] / mean)
                scores[place] = scores.get(place, 0) + idf * count * (k1 + 1) / (count + norm)
    return scores

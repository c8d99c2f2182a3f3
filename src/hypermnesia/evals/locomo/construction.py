"""Stages 1 to 3: what an ingest made of the talks, written out to be looked at."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import astuple, dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from hypermnesia.errors import Conflict, InvalidInput, StoreError
from hypermnesia.evals.locomo.data import Talk
from hypermnesia.evals.locomo.experiment import Experiment
from hypermnesia.evals.results import write_json
from hypermnesia.memory import Memory
from hypermnesia.serial import plain

EPISODES, HYPERGRAPH, INDEX = "1_episodes.json", "2_hypergraph.json", "3_index.json"

Advance = Callable[[int], None]
"""Told how many items more are done."""


@dataclass(slots=True)
class _Written:
    """What an export holds, by kind.

    Attributes:
        nodes: memories by id.
        members: hyperedges, by head.
        sources: turns of each fact.
    """

    nodes: dict[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    members: dict[str, list[list[Any]]] = field(default_factory=dict[str, list[list[Any]]])
    sources: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def of(self, level: str) -> Iterator[Mapping[str, Any]]:
        """The memories of a level, in the order in which they were stored."""
        return (node for node in self.nodes.values() if node["level"] == level)

    def told(self, ids: list[str]) -> list[str]:
        """External ids of turns."""
        return [self.nodes[each]["provenance"]["turn_id"] for each in ids]


def extract_episodes(experiment: Experiment, advance: Advance) -> None:
    """Stage 1: ingest every talk, and write the episodes that were found.

    An ingest makes facts, topics and indexes as well, in one transaction a chunk; they are
    written out by the next stages. What the store knows already is passed over.

    Raises:
        Conflict: the store holds another talk of the same name.
    """
    if experiment.part(EPISODES).exists():
        _refuse_others(experiment, experiment.former(EPISODES, 1))
    written: dict[str, Any] = {}
    with Memory.open(experiment.store, settings=experiment.settings) as memory:
        for talk in experiment.talks:
            started = perf_counter()
            report = memory.ingest(
                experiment.file,
                format="locomo",
                select=talk.name,
                scope=talk.name,
                progress=advance,
            )
            seconds = perf_counter() - started
            found = _exported(memory, talk.name)
            written[talk.name] = {
                "sha256": _digest(talk),
                "ingested": plain(report) | {"seconds": round(seconds, 3)},
                "episodes": [_episode(node, found) for node in found.of("episode")],
            }
    write_json(experiment.part(EPISODES), written)


def build_hypergraph(experiment: Experiment, advance: Advance) -> None:
    """Stage 2: write topics, facts and memberships of every talk.

    Raises:
        InvalidInput: stage 1 did not run.
        Conflict: it ran on other talks.
    """
    episodes = experiment.former(EPISODES, 1)
    _refuse_others(experiment, episodes)
    written: dict[str, Any] = {}
    with Memory.open(experiment.store, settings=experiment.settings) as memory:
        for name in episodes:
            found = _exported(memory, name)
            written[name] = {
                "topics": [_head(node) for node in found.of("topic")],
                "facts": [_fact(node, found) for node in found.of("fact")],
                "hyperedges": [
                    {"head": head, "members": [m for m in members if m[1] != "turn"]}
                    for head, members in found.members.items()
                ],
            }
            advance(1)
    write_json(experiment.part(HYPERGRAPH), written)


def index(experiment: Experiment, advance: Advance) -> None:
    """Stage 3: check the indexes, and write their counts and sizes.

    Raises:
        InvalidInput: stage 2 did not run.
        Conflict: stage 1 ran on other talks.
        StoreError: rows and indexes disagree.
    """
    graph = experiment.former(HYPERGRAPH, 2)
    _refuse_others(experiment, experiment.former(EPISODES, 1))
    with Memory.open(experiment.store, settings=experiment.settings) as memory:
        health = memory.check()
        levels = {name: plain(memory.profile(name).levels) for name in graph}
    files = experiment.folder.glob(f"{experiment.store.name}*")
    written = {
        "ok": health.ok,
        "problems": plain(health.problems),
        "counts": plain(health.counts),
        "levels": levels,
        "bytes": sum(path.stat().st_size for path in files),
    }
    write_json(experiment.part(INDEX), written)
    if not health.ok:
        raise StoreError(f"{experiment.store} is not sound; {experiment.part(INDEX)} says why")
    advance(1)


def require_talks(experiment: Experiment) -> None:
    """Refuse questions on a talk that is not in the store: they would find nothing, and count.

    Raises:
        InvalidInput: stage 1 did not run, or not on all talks.
        Conflict: it ran on other talks of the same names.
    """
    ingested = experiment.former(EPISODES, 1)
    for talk in experiment.talks:
        if talk.name not in ingested:
            raise InvalidInput(
                f"{experiment.part(EPISODES)} has no talk {talk.name!r}; --select those that it"
                " has, or run stages 1 to 3 before, with --stages 1-3"
            )
    _refuse_others(experiment, ingested)


def _refuse_others(experiment: Experiment, ingested: Mapping[str, Any]) -> None:
    for talk in experiment.talks:
        if talk.name in ingested and ingested[talk.name].get("sha256") != _digest(talk):
            raise Conflict(
                f"{experiment.folder} holds another talk of the name {talk.name!r}; give this"
                " one another --experiment, or start it anew with --stages 1-6 --fresh"
            )


def _digest(talk: Talk) -> str:
    """sha256 of what was said and when, in whichever file it stands."""
    said = json.dumps([astuple(turn) for turn in talk.turns])
    return hashlib.sha256(said.encode()).hexdigest()


def _exported(memory: Memory, scope: str) -> _Written:
    found = _Written()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "export.jsonl"
        memory.export(path, scope=scope)
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                match json.loads(line):
                    case {"kind": "hyperedge", "head": head, "members": members}:
                        found.members.setdefault(head, []).extend(members)
                    case {"kind": "sources", "fact": fact, "turns": turns}:
                        found.sources.setdefault(fact, []).extend(turns)
                    case node:
                        found.nodes[node["id"]] = node
    return found


def _head(node: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": node["id"], "content": node["content"], **node["metadata"]}


def _episode(node: Mapping[str, Any], found: _Written) -> dict[str, Any]:
    members = found.members.get(node["id"], [])
    turns = [member for member, role, _ in members if role == "turn"]
    return _head(node) | {"turns": found.told(turns)}


def _fact(node: Mapping[str, Any], found: _Written) -> dict[str, Any]:
    return _head(node) | {
        "type": node["memory_type"],
        "status": node["status"],
        "superseded_by": node["superseded_by"],
        "valid_from": node["valid_from"],
        "turns": found.told(found.sources.get(node["id"], [])),
    }

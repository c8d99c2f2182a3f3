"""The systems that data sets of conversations are asked on: presets, ablations and baselines.

All of them read one store, made by one ingest; they differ in settings of the read path alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hypermnesia.errors import InvalidInput
from hypermnesia.types import Level


@dataclass(frozen=True, slots=True, eq=False)
class System:
    """A way of reading the store.

    Attributes:
        name: as results call it.
        about: in one line.
        settings: those that differ from the ones in force.
        levels: of the search that ranks turns; a hit of another level ranks the turns behind it.
        retrieves: false = everything is read, nothing is ranked.
    """

    name: str
    about: str
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    levels: tuple[Level, ...] = ("turn",)
    retrieves: bool = True


def _hypermem(name: str, about: str, **settings: Any) -> System:
    return System(name, about, {"preset": "hypermem", **settings})


DEFAULT = System("default", "the settings in force")
FULL_CONTEXT = System(
    "full-context", "the whole talk is read, nothing is searched", retrieves=False
)
RAW_TURNS = System(
    "raw-turns",
    "turns word for word, ranked by words and embedding, without facts, episodes, topics, judge",
    {"preset": "dgui", "context_levels": ("turn",), "judge": "off"},
)
DGUI = System("dgui", "flat judged search as published", {"preset": "dgui"})
HYPERMEM = _hypermem("hypermem", "topics, then episodes, then facts, as published")
ABLATIONS = (
    _hypermem("hypermem-no-topics", "episodes lead to facts", graph_levels=("episode",)),
    _hypermem(
        "hypermem-facts", "flat facts, no hierarchy", graph_levels=(), context_levels=("fact",)
    ),
    _hypermem("hypermem-one-topic", "one topic is kept", graph_topics=1),
    _hypermem("hypermem-lambda-0", "embeddings are not propagated", graph_lambda=0.0),
    _hypermem("hypermem-unweighted", "members count alike", graph_weights=False),
    System("default-prior", "heads that match lift their members", {"graph_prior": 1.0}),
    System("default-no-talk", "turns are ranked like notes", {"graph_talk": False}),
    System("default-gated", "only what heads lead to is found", {"graph_flat": False}),
    System(
        "default-no-turns",
        "facts and episodes alone, no turns",
        {"graph_turns": False, "context_levels": ("fact", "episode")},
        ("fact", "episode"),
    ),
    System("default-no-judge", "nothing is judged when it is read", {"judge": "off"}),
)
"""HyperMem's ablations (arXiv 2604.08256, table 3) and those of the default read path."""
BASELINES = (FULL_CONTEXT, RAW_TURNS)
SYSTEMS = {s.name: s for s in (DEFAULT, DGUI, HYPERMEM, *BASELINES, *ABLATIONS)}


def described() -> dict[str, Any]:
    """Every system with its settings, as plain JSON."""
    return {
        name: {"about": each.about, "settings": dict(each.settings)}
        for name, each in SYSTEMS.items()
    }


def chosen(names: Iterable[str], *, whole: bool = False) -> list[System]:
    """The systems of these names, in their order, without repeats.

    Args:
        names: of systems.
        whole: whether one that reads everything can be had.

    Raises:
        InvalidInput: one is unknown, or cannot be had.
    """
    known = {name: each for name, each in SYSTEMS.items() if whole or each.retrieves}
    wanted = list(dict.fromkeys(names))
    for name in wanted:
        if name not in known:
            raise InvalidInput(f"there is no system {name!r} here; known are {', '.join(known)}")
    return [known[name] for name in wanted]

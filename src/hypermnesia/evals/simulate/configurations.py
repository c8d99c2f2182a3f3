"""The read paths that a simulation compares: all read one store and differ in settings alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from hypermnesia.errors import InvalidInput

DEPTH, K = 60, 10
"""Candidates a channel, and hits (published workload); the shortlist is then 20."""
ORACLE = "oracle"
"""Ranks first what answers, among what the store would return: no ranking can do better."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """A read path by its settings.

    Attributes:
        name: as results call it.
        about: in one line.
        settings: of :class:`hypermnesia.config.Settings`, over those in force.
        reads: by searching, by listing the newest, or from the truth.
    """

    name: str
    about: str
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    reads: Literal["search", "list", "truth"] = "search"


def _published(
    name: str,
    about: str,
    *,
    channels: tuple[str, ...] = ("dense", "lexical"),
    fusion: str = "rrf",
    weight: float = 1.0,
    judge: str = "off",
    salience: bool = True,
) -> Configuration:
    return Configuration(
        name,
        about,
        {
            "preset": "default",
            "channel_depth": DEPTH,
            "channels": channels,
            "fusion": fusion,
            "lexical_weight": weight,
            "judge": judge,
            "rank_salience": salience,
            "graph_prior": 0.0,
        },
    )


CONFIGURATIONS = (
    Configuration("recency", "the newest, whatever is asked", reads="list"),
    _published("lexical", "words (BM25) alone", channels=("lexical",), salience=False),
    _published("dense", "sentence vectors alone", channels=("dense",), salience=False),
    _published("dense+salience", "the same, blended with salience as the fused ones are",
               channels=("dense",)),
    _published("dense+judge", "dense, its shortlist reranked by the judge",
               channels=("dense",), judge="local", salience=False),
    _published("rrf", "reciprocal ranks of dense and lexical, equal weights"),
    _published("rrf+judge", "the same, reranked by the judge", judge="local"),
    _published("rrf-0.3", "reciprocal ranks, lexical weight 0.3", weight=0.3),
    _published("rrf-0.3+judge", "the same, reranked by the judge", weight=0.3, judge="local"),
    _published("z-score", "sum of the z-scores of dense and lexical", fusion="z_score"),
    _published("late", "late interaction (MaxSim) over what both channels find",
               channels=("late",), fusion="absolute", salience=False),
    Configuration("default", "the settings in force"),
    Configuration(ORACLE, "the best any ranking could do", reads="truth"),
)  # fmt: skip
"""The eight of the published table, in its order, with four more and the ceiling. Where it has a
cross-encoder, here the local judge's relevance is blended in: no cross-encoder comes with the
package. As there, the single channels rank without salience; ``dense+salience`` is the control."""


def chosen(names: Iterable[str]) -> tuple[Configuration, ...]:
    """The configurations of these names in the order of the table; all, if none is named.

    Raises:
        InvalidInput: one is unknown.
    """
    wanted = set(names)
    known = {configuration.name for configuration in CONFIGURATIONS}
    if unknown := sorted(wanted - known):
        raise InvalidInput(
            f"there is no configuration {', '.join(unknown)}; one of {', '.join(sorted(known))}"
        )
    return tuple(c for c in CONFIGURATIONS if not wanted or c.name in wanted)

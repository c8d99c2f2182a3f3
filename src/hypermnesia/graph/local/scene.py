"""What all facts of a stretch of talk share: who speaks, and about what."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hypermnesia.graph.local import words
from hypermnesia.graph.local.said import Said, name_of

READ = 1_000
"""Characters of each turn from which the theme is taken: a pasted page is not the talk."""

_CALLED = re.compile(r"(?:,|[Hh]ey|[Hh]i|[Hh]ello|[Tt]hanks|[Ww]ow) ([A-Z]\w+)(?=[,.!?])")


@dataclass(frozen=True, slots=True)
class Scene:
    """What all facts of an episode share.

    Attributes:
        turns: the turns.
        contents: what was said in them, the beginning of each.
        people: folded words of the speakers' names.
        speakers: the speakers, in the order in which they first speak.
        theme: weight of each telling word, see :func:`~.words.weights`.
        strongest: sum of the three greatest weights.
    """

    turns: Sequence[Said]
    contents: tuple[str, ...]
    people: frozenset[str]
    speakers: tuple[str, ...]
    theme: Mapping[str, float]
    strongest: float

    @staticmethod
    def of(turns: Sequence[Said]) -> Scene:
        """The scene of some turns."""
        speakers = tuple(dict.fromkeys(name_of(turn) for turn in turns))
        contents = tuple(turn.content[:READ] for turn in turns)
        people = _people(speakers, contents)
        theme = words.weights(contents, people)
        return Scene(turns, contents, people, speakers, theme, sum(sorted(theme.values())[-3:]))

    def other(self, speaker: str) -> str | None:
        """The only other speaker, if there is just one."""
        others = [name for name in self.speakers if name != speaker]
        return others[0] if len(others) == 1 else None

    def centrality(self, telling: Sequence[str]) -> float:
        """How much a statement has of the theme, in [0, 1].

        The theme weight of its words that other turns share, against the three greatest weights.
        """
        distinct = dict.fromkeys(telling)
        return min(1.0, sum(self.theme.get(w, 0.0) for w in distinct) / (self.strongest or 1.0))


def _people(speakers: Sequence[str], contents: Sequence[str]) -> frozenset[str]:
    """Folded words of the speakers' names, and short forms by which they are called."""
    people = {words.term(w) for name in speakers for w in words.words(name)}
    called = {words.term(name) for said in contents for name in _CALLED.findall(said)}
    short = {c for c in called if any(name.startswith(c) for name in people)}
    return frozenset(people | short)

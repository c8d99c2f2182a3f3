"""The choices of local construction, all in one place."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What local construction decides by.

    Those marked (HyperMem) are the paper's or its guidance to a language model; the others were
    set on conversations written for this project and looked at on public ones. Nothing hangs on
    their last digit.

    Attributes:
        gap: silence after which a new theme always begins a new episode (HyperMem, detection).
        fewest: exchanges before which a weak sign ends nothing (HyperMem: 3 to 20).
        most: exchanges from which an episode ends at the next weak sign.
        window: turns looked back on for the present theme; on public talk four tell more than
            three or six.
        novel: newness of a theme from which it is a new one, see :func:`~.boundary.boundary`.
        end: evidence from which an episode ends, see :func:`~.boundary.evidence`; a theme ends it
            by itself only when it is newer than most turns of steady talk are.
        telling_turn: telling words from which a turn says what it is about, its speaker's name
            included.
        per_turn: facts taken from one turn at most.
        per_answer: the same of an assistant's turn: its advice is not the user's life.
        specific: specificity that a statement of an assistant must have, see
            :func:`~.worth.specificity`.
        same_topic: nearness from which an episode is of a topic, whatever its words, see
            :func:`~.topics.match`.
        near_topic: nearness from which shared keywords may decide.
        shared: keywords that must be shared then.
        beside: how much less near than the nearest another topic may be that takes it as well.
    """

    gap: timedelta = timedelta(hours=4)
    fewest: int = 3
    most: int = 20
    window: int = 4
    novel: float = 0.5
    end: float = 0.55
    telling_turn: int = 3
    per_turn: int = 8
    per_answer: int = 3
    specific: float = 0.5
    same_topic: float = 0.75
    near_topic: float = 0.55
    shared: int = 2
    beside: float = 0.05


DEFAULT = Thresholds()
"""As shipped."""

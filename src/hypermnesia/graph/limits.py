"""How long an episode can be and last, whatever it is about."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from hypermnesia.graph.model import Turn

MOST_TOKENS = 65_536
"""Tokens of an episode at most (specification of the hypergraph, construction, step 1)."""
MOST_TURNS = 500
"""Messages of an episode at most (the same)."""
LONGEST_PAUSE = timedelta(days=7)
"""Silence after which nothing goes on, even about the same thing: a choice of this project."""
ASCII_TOKEN = 3
"""Characters of ASCII text that are counted as one token: models need about four."""


def must_split(turns: Sequence[Turn], incoming: Turn) -> bool:
    """Whether an episode of these turns has no room for another one, or was over long before.

    An episode without turns has room for any, so that no message is too long to belong somewhere.
    """
    if not turns:
        return False
    if len(turns) >= MOST_TURNS or incoming.at - turns[-1].at > LONGEST_PAUSE:
        return True
    return sum(map(_tokens, turns)) + _tokens(incoming) > MOST_TOKENS


def _tokens(turn: Turn) -> int:
    """Tokens of a turn, rather too many than too few; elsewhere than in ASCII one a character."""
    length = len(turn.content)
    return -(-length // ASCII_TOKEN) if turn.content.isascii() else length

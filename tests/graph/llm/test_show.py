"""What a model is shown."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.graph.llm.show import FRAME, WIDEST, block, pieces, said, shown_turn
from tests.graph.llm.scripted import turns_of

TEXTS = st.text(alphabet='<>/data"\\{}\n x', max_size=30) | st.text(max_size=30)


@given(st.lists(TEXTS, max_size=4))
def test_no_text_can_end_the_data(texts: list[str]) -> None:
    """The marks stand once each, and what is between them is read back as it was."""
    shown = block({"texts": texts})
    opening, closing = "<data>\n", "\n</data>"
    assert shown.startswith(opening)
    assert shown.endswith(closing)
    inside = shown[len(opening) : -len(closing)]
    assert "<" not in inside
    assert json.loads(inside) == {"texts": texts}


@given(st.lists(st.text(max_size=25), max_size=8), st.integers(FRAME + WIDEST, FRAME + 60))
def test_pieces_hold_every_character_once_and_are_bounded(texts: list[str], limit: int) -> None:
    """In order; a turn without text is still shown."""
    turns = turns_of([("Ann", text) for text in texts])
    cut = pieces(turns, limit)
    excerpts = [excerpt for piece in cut for excerpt in piece]
    assert all(sum(FRAME + len(e.text.encode()) for e in piece) <= limit for piece in cut)
    for position, turn in enumerate(turns):
        assert "".join(e.text for e in excerpts if e.position == position) == said(turn)
    assert sorted({e.position for e in excerpts}) == list(range(len(turns)))
    assert excerpts == sorted(excerpts, key=lambda e: e.position)


@given(st.lists(st.integers(0, 25), min_size=1, max_size=8))
def test_earlier_pieces_stay_when_an_episode_grows(lengths: list[int]) -> None:
    """So that their answers are found again."""
    before = pieces(turns_of([("Ann", "x" * n) for n in lengths]), FRAME + 30)
    after = pieces(turns_of([("Ann", "x" * n) for n in [*lengths, 5]]), FRAME + 30)
    assert after[: len(before) - 1] == before[:-1]


def test_an_assumed_time_is_not_shown() -> None:
    """No model may count from the time of the ingest, and a rerun shall ask the same."""
    assert shown_turn(turns_of(at=None)[0], "Hi.") == {"speaker": "Ann", "text": "Hi."}

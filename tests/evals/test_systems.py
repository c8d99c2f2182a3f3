"""The systems that are compared."""

from __future__ import annotations

import json

import pytest

from hypermnesia.cli import eval_shown
from hypermnesia.config import load
from hypermnesia.errors import InvalidInput
from hypermnesia.evals.conditions import encoder_of, in_force
from hypermnesia.evals.systems import SYSTEMS, chosen, described

pytestmark = pytest.mark.usefixtures("hashed")


def test_every_system_is_made_of_settings_that_exist() -> None:
    """And only full-context needs none."""
    for system in SYSTEMS.values():
        settings = load(**system.settings)
        for name, value in system.settings.items():
            assert getattr(settings, name) == value
    assert json.loads(json.dumps(described())).keys() == SYSTEMS.keys()


def test_the_command_line_knows_them_without_loading_them() -> None:
    """The names are written out there."""
    assert set(eval_shown.SYSTEMS) == set(SYSTEMS)


def test_unknown_systems_are_refused_with_the_known() -> None:
    """And the one that reads everything where the talk does not fit a model."""
    assert [s.name for s in chosen(["dgui", "default", "dgui"])] == ["dgui", "default"]
    with pytest.raises(InvalidInput, match="'nothing' here; known are default"):
        chosen(["nothing"])
    with pytest.raises(InvalidInput, match="full-context"):
        chosen(["full-context"])
    assert chosen(["full-context"], whole=True)


def test_published_settings_hold_no_folder_and_no_address() -> None:
    """Names and hosts are enough to know what was run."""
    settings = load(
        store="/home/ann/memory.db", encoder="/home/ann/models/mini", llm_url="http://ann@host:1/v1"
    )
    public = in_force(settings)
    assert (public["encoder"], public["llm_url"]) == ("mini", "host")
    written = json.dumps(public)
    assert "ann@" not in written
    assert "/home" not in written
    assert encoder_of(load()).startswith("all-MiniLM-L6-v2")

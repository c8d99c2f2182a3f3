"""A user without a home is told so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from hypermnesia.cli.app import app
from hypermnesia.clients.system import System
from hypermnesia.errors import InvalidInput
from hypermnesia.folders import Kind, expanded, user_folder

XDG = ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")


@pytest.fixture
def homeless(monkeypatch: pytest.MonkeyPatch) -> None:
    """As for a user id that the system does not list: ``~`` stays what it is."""
    for variable in ("HOME", "USERPROFILE", *XDG):
        monkeypatch.delenv(variable, raising=False)
    unchanged: Callable[[str], str] = lambda path: path  # noqa: E731 - typed where it is made
    monkeypatch.setattr("os.path.expanduser", unchanged)


@pytest.mark.usefixtures("homeless")
@pytest.mark.parametrize("kind", ["cache", "config", "data", "log"])
def test_a_default_place_needs_a_home(kind: Kind) -> None:
    """Whatever it holds."""
    with pytest.raises(InvalidInput, match="set HOME"):
        user_folder(kind)


@pytest.mark.usefixtures("homeless")
def test_a_path_below_home_needs_one() -> None:
    """So does the place of other programs' files."""
    with pytest.raises(InvalidInput, match=r"memory\.db: no such home"):
        expanded("~/memory.db")
    with pytest.raises(InvalidInput, match="no such home"):
        System.current()


def test_the_home_of_nobody_is_no_home() -> None:
    """Though the user has one."""
    with pytest.raises(InvalidInput, match="give the whole path"):
        expanded("~no-such-user/memory.db")


@pytest.mark.usefixtures("homeless")
def test_the_command_says_what_to_do(tmp_path: Path) -> None:
    """It is the caller's to mend, not a bug to report."""
    found = CliRunner().invoke(app, ["list", "--store", str(tmp_path / "memory.db")])
    assert found.exit_code == 1
    assert "set HOME" in found.output
    assert "bug" not in found.output

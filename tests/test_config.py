"""Settings from the environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from hypermnesia.config import load
from hypermnesia.errors import InvalidInput


@pytest.fixture(autouse=True)
def _no_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "empty.toml").touch()
    monkeypatch.setenv("HYPERMNESIA_CONFIG", str(tmp_path / "empty.toml"))


def test_a_list_in_the_environment_is_json(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the reference says."""
    monkeypatch.setenv("HYPERMNESIA_CONTEXT_LEVELS", '["turn", "topic"]')
    assert load().context_levels == ("turn", "topic")


@pytest.mark.parametrize("value", ["turn", "[]", '["page"]', "7"])
def test_a_list_that_cannot_be_used_is_named(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """Not the file, which is innocent; and never shown."""
    monkeypatch.setenv("HYPERMNESIA_CONTEXT_LEVELS", value)
    with pytest.raises(InvalidInput, match="context_levels") as caught:
        load()
    assert "TOML" not in str(caught.value)
    assert "page" not in str(caught.value)


def test_a_named_file_that_is_not_there_is_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Whoever names it wants its settings to hold."""
    monkeypatch.setenv("HYPERMNESIA_CONFIG", str(tmp_path / "gone.toml"))
    with pytest.raises(InvalidInput, match=r"gone\.toml"):
        load()

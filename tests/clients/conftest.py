"""A machine of the test's own: home, project, backups, and the command that is installed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from hypermnesia.clients import command, file
from hypermnesia.clients.system import System
from hypermnesia.folders import Kind

COMMAND = "/opt/hypermnesia/bin/hypermnesia"


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> System:
    """Linux with an empty home."""

    def folder(kind: Kind) -> Path:
        return tmp_path / kind / "hypermnesia"

    def executable(*, shared: bool) -> tuple[str, ...]:
        return ("hypermnesia",) if shared else (COMMAND,)

    monkeypatch.setattr(file, "user_folder", folder)
    monkeypatch.setattr(command, "executable", executable)
    return machine(tmp_path / "home")


def machine(
    home: Path, platform: str = "linux", environ: Mapping[str, str] | None = None
) -> System:
    """A machine of a platform, with an environment."""
    home.mkdir(exist_ok=True)
    return System(home, environ or {}, platform)

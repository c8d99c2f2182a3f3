"""The command that is written must start this program where the client runs."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from hypermnesia import __version__
from hypermnesia.clients import command
from hypermnesia.errors import InvalidInput


def test_the_full_path_starts_this_program_without_any_path_variable() -> None:
    """As a client with windows starts it."""
    (path,) = command.executable(shared=False)
    assert Path(path).is_absolute()
    run = [path, "--version"]
    done = subprocess.run(run, env={}, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.strip() == f"hypermnesia {__version__}"


def test_a_shared_file_gets_the_name_where_it_leads_here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """And the path where it leads to another installation, or nowhere."""
    monkeypatch.setenv("PATH", sysconfig.get_path("scripts"))
    assert command.executable(shared=True) == ("hypermnesia",)
    other = tmp_path / "hypermnesia"
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    for folder in (str(tmp_path), str(tmp_path / "none")):
        monkeypatch.setenv("PATH", folder)
        assert Path(command.executable(shared=True)[0]).is_absolute()


def test_what_uvx_made_for_one_run_is_started_by_uvx(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its folder is cleared away some day."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "uv" / "archive-v0" / "x1"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InvalidInput, match="uv tool install"):
        command.executable(shared=False)
    uvx = tmp_path / "uvx"
    uvx.write_text("#!/bin/sh\n")
    uvx.chmod(0o755)
    assert command.executable(shared=False) == (str(uvx), "hypermnesia")


def test_without_a_command_it_says_how_to_get_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Instead of writing an entry that cannot start."""

    def nowhere(_name: str) -> str:
        return str(tmp_path)

    monkeypatch.setattr(sysconfig, "get_path", nowhere)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InvalidInput, match="pipx"):
        command.executable(shared=False)


def test_options_follow_the_verb() -> None:
    """Those that are given."""
    assert command.words(("hm",), "mcp") == ("hm", "mcp")
    assert command.words(("hm",), "mcp", store="/s", scope="a b") == (
        "hm", "mcp", "--store", "/s", "--scope", "a b"
    )  # fmt: skip

"""The start of a stdio server loads what it needs and no more."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.serve.lines import call, enveloped, running, told

BROKEN = "from hypermnesia.serve import mcp_imports as m; m._FOLDERS += ('mcp.not_there',)"


def loaded(code: str) -> set[str]:
    """Names of the modules that a fresh interpreter has after running the code."""
    code = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_serving_stdio_loads_no_client_and_no_http() -> None:
    """These make up half of the SDK's imports."""
    modules = loaded(
        "from hypermnesia.serve.mcp_imports import import_server_half\n"
        "import_server_half()\n"
        "import hypermnesia.serve.mcp_stdio, hypermnesia.serve.mcp_desk"
    )
    assert "mcp.server.lowlevel.server" in modules
    for name in ("mcp.client", "mcp.server.mcpserver", "starlette", "uvicorn", "httpx2", "jwt"):
        assert name not in modules


def test_building_a_server_elsewhere_leaves_the_sdk_whole() -> None:
    """Only a process that serves stdio and nothing else is pared down."""
    modules = loaded(
        "from hypermnesia.serve.mcp import build_server\n"
        "build_server(lambda: None)\n"
        "import mcp\n"
        "assert mcp.Client"
    )
    assert "mcp.client.client" in modules


@pytest.mark.parametrize("before", ["", BROKEN])
def test_a_sdk_that_cannot_be_pared_down_is_loaded_whole(tmp_path: Path, before: str) -> None:
    """A later release may be built differently; the server still serves."""
    with running(tmp_path / "memory.db", before=before) as server:
        answer = server.ask(enveloped(call(1, "memory_search", query="billing")))
        _, errors, status = server.finish()
    assert told(answer) == "Nothing found."
    assert (errors, status) == ("", 0)

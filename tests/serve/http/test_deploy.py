"""What is in `deploy/` is understood by what it is for."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DEPLOY = Path(__file__).parents[3] / "deploy"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd")
def test_the_unit_is_one_that_systemd_takes(tmp_path: Path) -> None:
    """All but the command, which is not installed here."""
    unit = tmp_path / "hypermnesia.service"
    told = (DEPLOY / unit.name).read_text("utf-8")
    unit.write_text(told.replace("/opt/hypermnesia/bin/hypermnesia", sys.executable), "utf-8")
    found = subprocess.run(
        ["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False
    )
    assert (found.returncode, found.stderr) == (0, "")


def test_a_container_is_healthy_while_the_service_answers(address: str) -> None:
    """By the command that its image names; and is not when nothing answers."""
    told = (DEPLOY / "Containerfile").read_text("utf-8")
    check = re.search(r"HEALTHCHECK .*\\\n\s*(\[.*\])", told)
    assert check is not None
    _, option, code = json.loads(check[1])

    def status(port: str) -> int:
        command = [sys.executable, option, code.replace("8765", port)]
        environment = {**os.environ, "no_proxy": "127.0.0.1"}
        return subprocess.run(command, capture_output=True, env=environment, check=False).returncode

    assert status(address.rpartition(":")[2]) == 0
    assert status("1") != 0

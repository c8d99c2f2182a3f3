"""The runtime of models leaves nothing behind and reports to nobody."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ENCODE = """
import os
from hypermnesia.models.encoder import OnnxEncoder
OnnxEncoder().encode(["Ana moved to Graz."])
print(os.environ["ORT_DISABLE_TELEMETRY"])
"""


def encoded(home: Path, **variables: str) -> str:
    """Encode in a process whose user has an empty home; what it says of the variable."""
    kept = {n: v for n, v in os.environ.items() if not n.startswith(("XDG_", "ORT_"))}
    environment = kept | {"HOME": str(home)} | variables
    run = subprocess.run(
        [sys.executable, "-c", ENCODE], env=environment, capture_output=True, text=True, check=True
    )
    return run.stdout.strip()


def test_no_device_id_is_left_in_the_users_home(tmp_path: Path) -> None:
    """The runtime would make one, and then tell its maker of it."""
    assert encoded(tmp_path) == "1"
    assert list(tmp_path.rglob("*")) == []


def test_the_variable_stays_as_the_user_set_it(tmp_path: Path) -> None:
    """Whoever wants the reports can have them."""
    assert encoded(tmp_path, ORT_DISABLE_TELEMETRY="true") == "true"

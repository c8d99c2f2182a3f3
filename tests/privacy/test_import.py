"""Importing the room costs next to nothing."""

from __future__ import annotations

import subprocess
import sys

PROBE = """
import sys
import hypermnesia.privacy
from hypermnesia.privacy.scan import compiled
heavy = {"numpy", "ipaddress", "hypothesis", "pydantic", "onnxruntime"} & set(sys.modules)
print(sorted(heavy), compiled.cache_info().currsize)
"""


def test_importing_compiles_nothing_and_loads_nothing_heavy() -> None:
    """Patterns are compiled at their first use; a refusal needs no address parser."""
    probe = subprocess.run(
        [sys.executable, "-c", PROBE], capture_output=True, text=True, check=True
    )
    assert probe.stdout == "[] 0\n"

"""What the places of configuration files depend on: home, environment, platform."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from hypermnesia.folders import expanded


@dataclass(frozen=True, slots=True)
class System:
    """The machine as a client sees it.

    Attributes:
        platform: as ``sys.platform`` names it.
    """

    home: Path
    environ: Mapping[str, str]
    platform: str

    @classmethod
    def current(cls) -> Self:
        """This one."""
        return cls(expanded("~"), os.environ, sys.platform)

    def folder(self, variable: str, default: str) -> Path:
        """The folder that a variable names, or one below home."""
        named = self.environ.get(variable)
        return Path(named) if named else self.home / default

    def application_data(self) -> Path:
        """Where desktop applications keep their configuration."""
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        if self.platform == "win32":
            return self.folder("APPDATA", "AppData/Roaming")
        return self.folder("XDG_CONFIG_HOME", ".config")

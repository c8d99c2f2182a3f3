"""One tool call: its arguments, and the scope that it may work in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hypermnesia.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call.

    Attributes:
        arguments: checked against the tool's schema.
        only: the one scope that this server keeps to; ``None`` = any.
        client: what the client calls itself.
    """

    arguments: Mapping[str, Any]
    only: str | None = None
    client: str | None = None

    @property
    def scope(self) -> str | None:
        """The scope to work in; ``None`` = the configured default.

        Raises:
            InvalidInput: another one is asked for than this server keeps to.
        """
        asked = self.arguments.get("scope")
        if self.only is None or asked is None or asked == self.only:
            return self.only if asked is None else asked
        raise InvalidInput(f"this server keeps to the scope {self.only!r}; leave scope out")

    def some(self, *names: str) -> dict[str, Any]:
        """Those of the named arguments that were given."""
        return {name: self.arguments[name] for name in names if name in self.arguments}

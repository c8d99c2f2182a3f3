"""One tool call: its arguments, and the scope that it may work in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hypermnesia.errors import InvalidInput
from hypermnesia.memory import Memory
from hypermnesia.serve.access import Access
from hypermnesia.serve.principal import OWNER, Principal


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call.

    Attributes:
        arguments: checked against the tool's schema.
        only: the one scope that this server keeps to; ``None`` = any.
        client: what the client calls itself.
        principal: who calls.
    """

    arguments: Mapping[str, Any]
    only: str | None = None
    client: str | None = None
    principal: Principal = OWNER

    def scope(self, memory: Memory) -> str:
        """The scope to work in.

        Raises:
            InvalidInput: another one is asked for than this server keeps to.
            Forbidden: the principal may not use it.
        """
        asked = self.arguments.get("scope")
        if self.only is not None and asked not in {None, self.only}:
            raise InvalidInput(f"this server keeps to the scope {self.only!r}; leave scope out")
        return Access(memory, self.principal).scope(self.only if asked is None else asked)

    def scope_of(self, memory: Memory, memory_id: str) -> str:
        """The scope in which a memory lies that this call may see.

        Raises:
            NotFound: there is none with this id.
        """
        if self.only is not None:
            return memory.get(memory_id, scope=self.only).scope
        return Access(memory, self.principal).scope_of(memory_id)

    def some(self, *names: str) -> dict[str, Any]:
        """Those of the named arguments that were given."""
        return {name: self.arguments[name] for name in names if name in self.arguments}

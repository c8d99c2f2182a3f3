"""A memory as one principal may use it: every surface asks here before it calls the facade."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hypermnesia.errors import Forbidden, NotFound
from hypermnesia.memory import Memory
from hypermnesia.serve.principal import Principal


@dataclass(frozen=True, slots=True)
class Access:
    """Which scope a call works in, or why it may not."""

    memory: Memory
    principal: Principal

    def scope(self, asked: str | None) -> str:
        """The scope to read.

        Raises:
            Forbidden: the principal may not use it.
        """
        return self.principal.scope_or_default(asked, self.memory.scope)

    def write_scope(self, asked: str | None) -> str:
        """The scope to change.

        Raises:
            Forbidden: the principal may not use it, or not write at all.
        """
        self.must_write()
        return self.scope(asked)

    def scope_of(self, memory_id: str) -> str:
        """The scope that holds a memory; one out of reach is as unknown as one that never was.

        Raises:
            NotFound: no memory within reach has this id.
            InvalidInput: it is no id.
        """
        unknown = NotFound(f"no memory has the id {memory_id!r}")
        try:
            scope = self.memory.get(memory_id).scope
        except NotFound:
            if "*" in self.principal.scopes:
                raise  # it may know that one was forgotten; others not even that it was there
            raise unknown from None
        if not self.principal.may_use(scope):
            raise unknown
        return scope

    def write_scope_of(self, memory_id: str) -> str:
        """The scope that holds a memory which is about to be changed.

        Raises:
            Forbidden: the principal may not write.
            NotFound: no memory within reach has this id.
        """
        self.must_write()
        return self.scope_of(memory_id)

    def scopes(self) -> Sequence[str]:
        """Names of the scopes within reach that hold a memory."""
        return [scope for scope in self.memory.scopes() if self.principal.may_use(scope)]

    def must_write(self) -> None:
        """Refuse a principal that may only read.

        Raises:
            Forbidden: it is one.
        """
        if self.principal.read_only:
            raise Forbidden(f"{self.principal.name} may only read; ask for a token that may write")

    def must_own(self) -> None:
        """Refuse a principal that does not look after the whole store.

        Raises:
            Forbidden: it is one.
        """
        if not self.principal.admin:
            raise Forbidden(f"{self.principal.name} does not administer this service")

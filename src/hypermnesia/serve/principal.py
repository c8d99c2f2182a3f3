"""Who calls, and what they may do.

This module knows no protocol. Over HTTP, whatever authenticates a request leaves its principal
in ``request.state.principal``; :func:`hypermnesia.serve.http.caller.principal_of` reads it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from hypermnesia.errors import Forbidden


@dataclass(frozen=True, slots=True)
class Principal:
    """A caller.

    Attributes:
        name: shown in logs, jobs and the audit log; never a secret.
        scopes: names of the scopes it may use; ``*`` in one stands for any characters.
        read_only: it may change nothing.
        admin: it may look after the whole store, whatever the scope.
    """

    name: str
    scopes: tuple[str, ...] = ("*",)
    read_only: bool = False
    admin: bool = False

    def may_use(self, scope: str) -> bool:
        """Whether one of its patterns covers a scope; compared exactly, case included."""
        return any(_covers(pattern, scope) for pattern in self.scopes)

    def scope_or_default(self, asked: str | None, default: str) -> str:
        """The scope to work in: the one asked for, or its default.

        That is the memory's, or where the principal may not use it, the first scope that it
        names without ``*``.

        Raises:
            Forbidden: it may not use it.
        """
        if asked is None and not self.may_use(default):
            named = [scope for scope in self.scopes if "*" not in scope]
            if not named:
                raise Forbidden(f"{self.name} may not use the default scope; name one")
            return named[0]
        scope = default if asked is None else asked
        if not self.may_use(scope):
            raise Forbidden(f"{self.name} may not use this scope; ask for a token that covers it")
        return scope


OWNER = Principal("owner", admin=True)
"""Who runs the process and reaches it without passing through anyone else's hands."""


def _covers(pattern: str, scope: str) -> bool:
    if "*" not in pattern:
        return pattern == scope
    return bool(re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), scope, re.DOTALL))

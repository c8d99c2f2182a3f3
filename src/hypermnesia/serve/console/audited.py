"""Entries of the audit log for what is done in the console: who, what and to which; no content."""

from __future__ import annotations

from hypermnesia.serve.accounts import audit
from hypermnesia.serve.accounts.managing import caller_of
from hypermnesia.serve.console.visit import Visit

_OWN = frozenset({"/access", "/access/revoke"})
"""Actions that make an entry of their own, as they do elsewhere."""


def note(visit: Visit) -> None:
    """Say in the audit log what a form did."""
    hall = visit.hall
    if hall is None or visit.path in _OWN:
        return
    by = caller_of(visit.request) or visit.access.principal.name
    action = f"console{visit.path.replace('/', '.')}"
    target = " ".join(visit.values("id")) or visit.scope
    audit.record(hall.store, by, action, target, hall.now())

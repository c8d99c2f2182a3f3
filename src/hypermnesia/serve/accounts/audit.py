"""Who did what and when; never the content."""

from __future__ import annotations

import re
from datetime import datetime

from hypermnesia.serve.accounts.caller import Caller
from hypermnesia.store.accounts import AccountStore, AuditEntry

LONGEST = 200
"""Characters of a target."""
COMMAND = "command line"
"""Who did it, where somebody works on the store itself."""
_ODD = re.compile(r"[^ -~]")


def record(
    store: AccountStore,
    by: Caller | str,
    action: str,
    target: str,
    now: datetime,
    outcome: str = "ok",
) -> None:
    """Append to the audit log.

    Args:
        store: where it is kept.
        by: who did it; a name for who came without a credential.
        action: what was done, such as ``token.create``.
        target: what it was done to: an id, a name; never a text of a memory or a secret.
        now: the time.
        outcome: ``ok``, or why not.
    """
    actor, via = (by, "none") if isinstance(by, str) else (by.account.name, by.credential.id)
    store.audit(AuditEntry(now, _line(actor), via, action, _line(target), outcome))


def _line(text: str) -> str:
    """Printable ASCII of bounded length: a log is read in terminals."""
    return _ODD.sub("?", text[:LONGEST])

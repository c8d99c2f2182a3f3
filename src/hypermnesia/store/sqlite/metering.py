"""Counters of requests, the notices they cause, the ledger and the audit log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from datetime import datetime, timedelta
from typing import Any

import apsw

from hypermnesia.store.accounts import AuditEntry, Charge, Notice, Request, Usage
from hypermnesia.store.columns import micros, moment_of
from hypermnesia.store.sqlite.connection import Connections

_DAY = timedelta(days=1) // timedelta(microseconds=1)

# Nothing is inserted or updated, and so nothing returned, when the limit does not allow it.
_CHARGE = """
INSERT INTO quota (account, began, used)
SELECT id, :began, 1 FROM account WHERE id = :account AND :most >= 1
ON CONFLICT (account) DO UPDATE SET
    used = CASE WHEN began < excluded.began THEN 1 ELSE used + 1 END,
    began = max(began, excluded.began)
WHERE began < excluded.began OR used < :most
RETURNING used, began
"""
_NO_LIMIT = 2**62


class SqliteMeter:
    """The metering half of a :class:`~hypermnesia.store.accounts.AccountStore`."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def charge(self, request: Request) -> Charge:
        """Count a request if the limit allows it; see the protocol."""
        most = _NO_LIMIT if request.limit is None else request.limit
        with self._connections.metering() as connection:
            row = connection.execute(
                _CHARGE,
                {"account": request.account, "began": micros(request.window), "most": most},
            ).fetchone()
            _note(connection, request, allowed=row is not None)
            if row is None:
                return Charge(False, _used(connection, request.account, micros(request.window)))
            used, began = row
            return Charge(True, used, tuple(_reached(connection, request, used, began)))

    def spent(self, account: str, window: datetime) -> int:
        """Requests counted in this window."""
        with self._connections.snapshot() as connection:
            return _used(connection, account, micros(window))

    def notices(self, account: str) -> Sequence[Notice]:
        """All that were given, newest first."""
        with self._connections.snapshot() as connection:
            return [
                _notice(row)
                for row in connection.execute(
                    "SELECT began, percent, at, delivered_at FROM quota_notice"
                    " WHERE account = ? ORDER BY began DESC, percent DESC",
                    (account,),
                )
            ]

    def usage(self, since: datetime, account: str | None = None) -> Sequence[Usage]:
        """The ledger, oldest day first."""
        with self._connections.snapshot() as connection:
            rows = connection.execute(
                "SELECT account, day, action, allowed, refused FROM usage"
                " WHERE day >= :since AND (:account IS NULL OR account = :account)"
                " ORDER BY day, account, action",
                {"since": micros(since) // _DAY, "account": account},
            )
            return [Usage(who, moment_of(day * _DAY), *counts) for who, day, *counts in rows]

    def audit(self, entry: AuditEntry) -> None:
        """Append to the audit log."""
        with self._connections.metering() as connection:
            connection.execute(
                "INSERT INTO audit (at, actor, via, action, target, outcome)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (micros(entry.at), *astuple(entry)[1:]),
            )

    def audited(self, limit: int, before: datetime | None = None) -> Sequence[AuditEntry]:
        """The audit log, newest first."""
        with self._connections.snapshot() as connection:
            rows = connection.execute(
                "SELECT at, actor, via, action, target, outcome FROM audit"
                " WHERE :before IS NULL OR at < :before ORDER BY at DESC, key DESC LIMIT :limit",
                {"before": None if before is None else micros(before), "limit": limit},
            )
            return [AuditEntry(moment_of(at), *rest) for at, *rest in rows]


def _note(connection: apsw.Connection, request: Request, *, allowed: bool) -> None:
    column = "allowed" if allowed else "refused"
    connection.execute(
        f"INSERT INTO usage (account, day, action, {column})"
        " SELECT id, ?, ?, 1 FROM account WHERE id = ?"
        f" ON CONFLICT (account, day, action) DO UPDATE SET {column} = {column} + 1",
        (micros(request.at) // _DAY, request.action, request.account),
    )


def _reached(connection: apsw.Connection, request: Request, used: int, began: int) -> list[Notice]:
    if request.limit is None:
        return []
    passed = [percent for percent in request.percents if used * 100 >= request.limit * percent]
    if not passed:
        return []
    # A limit lowered in mid-window passes several shares at once: only the highest is news.
    rows = connection.execute(
        "INSERT INTO quota_notice (account, began, percent, at, delivered_at)"
        " SELECT :account, :began, :percent, :at, :at WHERE NOT EXISTS (SELECT 1 FROM quota_notice"
        "  WHERE account = :account AND began = :began AND percent >= :percent)"
        " RETURNING began, percent, at, delivered_at",
        {
            "account": request.account,
            "began": began,
            "percent": max(passed),
            "at": micros(request.at),
        },
    ).fetchall()
    return [_notice(row) for row in rows]


def _notice(row: tuple[Any, ...]) -> Notice:
    began, percent, at, delivered = row
    told = None if delivered is None else moment_of(delivered)
    return Notice(moment_of(began), percent, moment_of(at), told)


def _used(connection: apsw.Connection, account: str, began: int) -> int:
    found = connection.execute(
        "SELECT used FROM quota WHERE account = ? AND began >= ?", (account, began)
    ).get
    return 0 if found is None else found

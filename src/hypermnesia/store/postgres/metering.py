"""Counters of requests, the notices they cause, the ledger and the audit log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from datetime import datetime, timedelta

from hypermnesia.store.accounts import AuditEntry, Charge, Notice, Request, Usage
from hypermnesia.store.columns import Parameters, micros, moment_of
from hypermnesia.store.postgres.connection import Connections
from hypermnesia.store.postgres.statements import Link, execute, run, value

_DAY = timedelta(days=1) // timedelta(microseconds=1)

# Nothing is inserted or updated, and so nothing returned, when the limit does not allow it.
_CHARGE = """INSERT INTO quota AS q (account, began, used)
    SELECT id, %(began)s, 1 FROM account WHERE id = %(account)s AND %(most)s >= 1
    ON CONFLICT (account) DO UPDATE SET
        used = CASE WHEN q.began < excluded.began THEN 1 ELSE q.used + 1 END,
        began = greatest(q.began, excluded.began)
    WHERE q.began < excluded.began OR q.used < %(most)s
    RETURNING used, began"""
_NO_LIMIT = 2**62
_USED = "SELECT used FROM quota WHERE account = %s AND began >= %s"


class PostgresMeter:
    """The metering half of a :class:`~hypermnesia.store.accounts.AccountStore`."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def charge(self, request: Request) -> Charge:
        """Count a request if the limit allows it; see the protocol."""
        most = _NO_LIMIT if request.limit is None else request.limit
        began = micros(request.window)
        with self._connections.metering() as connection:
            values = {"account": request.account, "began": began, "most": most}
            rows = run(connection, _CHARGE, values)
            _note(connection, request, allowed=bool(rows))
            if not rows:
                return Charge(False, value(connection, _USED, (request.account, began)) or 0)
            used, began = rows[0]
            return Charge(True, used, tuple(_reached(connection, request, used, began)))

    def spent(self, account: str, window: datetime) -> int:
        """Requests counted in this window."""
        rows = self._connections.fetch(_USED, (account, micros(window)))
        return rows[0][0] if rows else 0

    def notices(self, account: str) -> Sequence[Notice]:
        """All that were given, newest first."""
        rows = self._connections.fetch(
            "SELECT began, percent, at, delivered_at FROM quota_notice"
            " WHERE account = %s ORDER BY began DESC, percent DESC",
            (account,),
        )
        return [_notice(row) for row in rows]

    def usage(self, since: datetime, account: str | None = None) -> Sequence[Usage]:
        """The ledger, oldest day first."""
        rows = self._connections.fetch(
            "SELECT account, day, action, allowed, refused FROM usage"
            " WHERE day >= %s AND (%s::text IS NULL OR account = %s)"
            " ORDER BY day, account, action",
            (micros(since) // _DAY, account, account),
        )
        return [Usage(who, moment_of(day * _DAY), *counts) for who, day, *counts in rows]

    def audit(self, entry: AuditEntry) -> None:
        """Append to the audit log."""
        with self._connections.metering() as connection:
            execute(
                connection,
                "INSERT INTO audit (at, actor, via, action, target, outcome)"
                " VALUES (%s, %s, %s, %s, %s, %s)",
                (micros(entry.at), *astuple(entry)[1:]),
            )

    def audited(self, limit: int, before: datetime | None = None) -> Sequence[AuditEntry]:
        """The audit log, newest first."""
        moment = None if before is None else micros(before)
        rows = self._connections.fetch(
            "SELECT at, actor, via, action, target, outcome FROM audit"
            " WHERE %s::bigint IS NULL OR at < %s ORDER BY at DESC, key DESC LIMIT %s",
            (moment, moment, limit),
        )
        return [AuditEntry(moment_of(at), *rest) for at, *rest in rows]


def _note(connection: Link, request: Request, *, allowed: bool) -> None:
    column = "allowed" if allowed else "refused"
    execute(
        connection,
        f"INSERT INTO usage AS u (account, day, action, {column})"
        " SELECT id, %s, %s, 1 FROM account WHERE id = %s"
        f" ON CONFLICT (account, day, action) DO UPDATE SET {column} = u.{column} + 1",
        (micros(request.at) // _DAY, request.action, request.account),
    )


def _reached(connection: Link, request: Request, used: int, began: int) -> list[Notice]:
    if request.limit is None:
        return []
    passed = [percent for percent in request.percents if used * 100 >= request.limit * percent]
    if not passed:
        return []
    # A limit lowered in mid-window passes several shares at once: only the highest is news.
    rows = run(
        connection,
        "INSERT INTO quota_notice (account, began, percent, at, delivered_at)"
        " SELECT %(account)s, %(began)s, %(percent)s, %(at)s, %(at)s WHERE NOT EXISTS"
        " (SELECT 1 FROM quota_notice WHERE account = %(account)s AND began = %(began)s"
        "  AND percent >= %(percent)s) RETURNING began, percent, at, delivered_at",
        {
            "account": request.account,
            "began": began,
            "percent": max(passed),
            "at": micros(request.at),
        },
    )
    return [_notice(row) for row in rows]


def _notice(row: Parameters) -> Notice:
    began, percent, at, delivered = row
    told = None if delivered is None else moment_of(delivered)
    return Notice(moment_of(began), percent, moment_of(at), told)

"""Where a PostgreSQL store lies, read from its URL."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from hypermnesia.errors import InvalidInput

SCHEMA = "hypermnesia"
"""Schema of the tables unless the URL names one by ``schema=``."""

_NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}")
_PROGRAM = "hypermnesia"


@dataclass(frozen=True, slots=True)
class Address:
    """A database and a schema in it.

    Attributes:
        conninfo: for libpq; holds the password, so it is never shown.
        schema: holds the tables of one store.
        shown: the URL without password and parameters, for messages.
    """

    conninfo: str = field(repr=False)
    schema: str
    shown: str


def address_of(url: str, *, connect_timeout: int) -> Address:
    """Read ``postgresql://user:password@host:port/database?schema=name``.

    What the URL leaves out comes from libpq's own sources: ``PG*`` variables, service and
    password files. Its other parameters are passed on to libpq.

    Args:
        url: the store.
        connect_timeout: seconds to wait for a connection when the URL does not say.

    Raises:
        InvalidInput: it cannot be read. The message does not repeat it.
    """
    head, _, query = url.partition("?")
    given = [piece for piece in query.split("&") if piece]
    named = [piece.removeprefix("schema=") for piece in given if piece.startswith("schema=")]
    schema = named[-1] if named else SCHEMA
    if not _NAME.fullmatch(schema):
        raise InvalidInput(
            "the schema of a PostgreSQL store is named by lower-case letters, digits and _,"
            f" at most 63; {schema[:40]!r} is not"
        )
    rest = "&".join(piece for piece in given if not piece.startswith("schema="))
    try:
        found = conninfo_to_dict(f"{head}?{rest}" if rest else head)
    except (psycopg.Error, UnicodeError, ValueError):
        raise _unreadable() from None
    defaults = {
        "connect_timeout": str(max(2, connect_timeout)),
        "application_name": _PROGRAM,
        "keepalives_idle": "30",
        "keepalives_interval": "10",
        "keepalives_count": "3",
        "tcp_user_timeout": "30000",
    }
    return Address(make_conninfo("", **{**defaults, **found}), schema, _shown(found, schema))


def _shown(values: Mapping[str, Any], schema: str) -> str:
    user = f"{values['user']}@" if values.get("user") else ""
    host = str(values.get("host") or values.get("hostaddr") or "")
    port = f":{values['port']}" if values.get("port") else ""
    within = "" if schema == SCHEMA else f"?schema={schema}"
    return f"postgresql://{user}{host}{port}/{values.get('dbname') or ''}{within}"


def _unreadable() -> InvalidInput:
    return InvalidInput(
        "the URL of the PostgreSQL store cannot be read; write"
        " postgresql://user:password@host:5432/database, with special characters in the"
        " password percent-encoded"
    )

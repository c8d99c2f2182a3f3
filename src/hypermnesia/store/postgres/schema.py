"""Making and migrating a store's schema, whichever of many processes comes first."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import Any, LiteralString, cast

import psycopg
from psycopg import Connection, sql
from psycopg.types import TypeInfo

from hypermnesia.errors import StoreError, StoreVersion
from hypermnesia.store.postgres.address import Address
from hypermnesia.store.postgres.textsearch import build

LEAST_SERVER = 13
"""Oldest PostgreSQL that the required pgvector runs on."""
LEAST_VECTOR = (0, 8)
"""pgvector that scans an index on until enough rows have passed a filter."""
EXTENSION = "vector"
"""What pgvector is called inside a database."""
LOCK = 0x48_79_4D_6E
"""``HyMn``: class of the advisory locks."""

_MIGRATIONS = "hypermnesia.store.postgres.migrations"


@dataclass(frozen=True, slots=True)
class Prepared:
    """What opening found out.

    Attributes:
        halfvec: the vector type.
        extension: schema that the extension lies in.
        read_only: the server is a standby.
        row_security: policies by scope are switched on.
    """

    halfvec: TypeInfo
    extension: str
    read_only: bool
    row_security: bool


def prepare(connection: Connection[Any], address: Address, wait: float) -> Prepared:
    """Check server and extension, and bring the schema up to date.

    Raises:
        StoreVersion: a newer version of this package wrote the schema.
        StoreError: server or extension are missing, too old, or may not be used.
    """
    _check_server(connection, address)
    read_only = bool(_one(connection, "SELECT pg_is_in_recovery()"))
    if _version(connection, address) < newest():
        if read_only:
            raise StoreError(
                f"{address.shown} is a standby without this version's schema;"
                " open the primary first"
            )
        _migrate(connection, address, wait)
    info, extension = _extension(connection, address)
    return Prepared(info, extension, read_only, _row_security(connection, address))


def _check_server(connection: Connection[Any], address: Address) -> None:
    number = connection.info.server_version
    if number < LEAST_SERVER * 10_000:
        raise StoreError(
            f"{address.shown} runs PostgreSQL {number // 10_000}, at least {LEAST_SERVER} is"
            " needed; upgrade the server"
        )
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise StoreError(
            f"the database at {address.shown} is encoded in {encoding}; create one with"
            " ENCODING 'UTF8'"
        )


def newest() -> int:
    """The schema that this version of the package knows."""
    return migrations()[-1][0]


def migrations() -> list[tuple[int, str]]:
    """Number and script of each migration, in order."""
    found = [entry for entry in files(_MIGRATIONS).iterdir() if entry.name.endswith(".sql")]
    return sorted((int(entry.name[:4]), entry.read_text("utf-8")) for entry in found)


def _version(connection: Connection[Any], address: Address) -> int:
    """The schema's version, 0 when there is none.

    Raises:
        StoreVersion: a newer version wrote it.
        StoreError: another application's tables are in the way.
    """
    known = _one(
        connection,
        "SELECT to_regclass(format('%%I.setting', %s::text)) IS NOT NULL",
        (address.schema,),
    )
    if not known:
        return 0
    query = sql.SQL("SELECT value FROM {} WHERE name = 'schema'").format(
        sql.Identifier(address.schema, "setting")
    )
    row = connection.execute(query).fetchone()
    version = int(row[0]) if row else 0
    if version > newest():
        raise StoreVersion(
            f"{address.shown} was written by a newer Hypermnesia (schema {version}, this one"
            f" knows {newest()}); upgrade the package. The store was left untouched"
        )
    return version


def _migrate(connection: Connection[Any], address: Address, wait: float) -> None:
    """Run what is missing, in one transaction, alone."""
    name = sql.Identifier(address.schema)
    try:
        with connection.transaction():
            connection.execute(
                "SELECT set_config('lock_timeout', %s, true)", (f"{int(wait * 1000)}ms",)
            )
            connection.execute(
                "SELECT pg_advisory_xact_lock(%s, hashtext(%s))", (LOCK, address.schema)
            )
            version = _version(connection, address)  # again: another process may have migrated
            if version == newest():
                return
            _create_extension(connection, address)
            _, extension = _extension(connection, address)
            exists = "SELECT 1 FROM pg_namespace WHERE nspname = %s"
            if not _one(connection, exists, (address.schema,)):
                connection.execute(sql.SQL("CREATE SCHEMA {}").format(name))
            path = sql.SQL("SET LOCAL search_path = {}, {}")
            connection.execute(path.format(name, sql.Identifier(extension)))
            for number, script in migrations():
                if number > version:
                    connection.execute(cast("LiteralString", script))
            if version == 0:  # of a store that holds much, the rebuild makes it
                build(connection)
            connection.execute(
                "INSERT INTO setting (name, value) VALUES ('schema', %s)"
                " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                (str(newest()),),
            )
    except psycopg.errors.InsufficientPrivilege as error:
        raise StoreError(
            f"this user may not create the store's tables at {address.shown}; let its owner open"
            f" the store once, or GRANT CREATE ON DATABASE, or CREATE SCHEMA {address.schema}"
            " AUTHORIZATION the user"
        ) from error


def _create_extension(connection: Connection[Any], address: Address) -> None:
    """Switch pgvector on in this database, if it is not."""
    if _one(connection, "SELECT 1 FROM pg_extension WHERE extname = %s", (EXTENSION,)):
        return
    if not _one(connection, "SELECT 1 FROM pg_available_extensions WHERE name = %s", (EXTENSION,)):
        raise StoreError(
            f"the server at {address.shown} lacks the extension pgvector; install it there"
            " (such as the package postgresql-17-pgvector), then open the store again"
        )
    try:
        with connection.transaction():
            query = sql.SQL("CREATE EXTENSION IF NOT EXISTS {}")
            connection.execute(query.format(sql.Identifier(EXTENSION)))
    except psycopg.errors.InsufficientPrivilege as error:
        raise StoreError(
            f"the extension pgvector is not switched on at {address.shown} and this user may not"
            " do so; let an administrator run CREATE EXTENSION vector in that database"
        ) from error


def _extension(connection: Connection[Any], address: Address) -> tuple[TypeInfo, str]:
    """The vector type and where it lies.

    Raises:
        StoreError: the extension is missing or too old.
    """
    row = connection.execute(
        "SELECT e.extversion, n.nspname, t.oid, t.typarray FROM pg_extension e"
        " JOIN pg_namespace n ON n.oid = e.extnamespace"
        " LEFT JOIN pg_type t ON t.typname = 'halfvec' AND t.typnamespace = n.oid"
        " WHERE e.extname = %s",
        (EXTENSION,),
    ).fetchone()
    if row is None:
        raise StoreError(
            f"the extension pgvector was removed from {address.shown}; run CREATE EXTENSION"
            " vector in that database and restore a backup"
        )
    version, schema, oid, array = row
    if tuple(int(part) for part in version.split(".")[:2]) < LEAST_VECTOR:
        least = ".".join(map(str, LEAST_VECTOR))
        raise StoreError(
            f"pgvector {version} at {address.shown} is too old, at least {least} is needed;"
            " upgrade the package and run ALTER EXTENSION vector UPDATE"
        )
    return TypeInfo("halfvec", oid, array), schema


def _row_security(connection: Connection[Any], address: Address) -> bool:
    return bool(
        _one(
            connection,
            "SELECT relrowsecurity FROM pg_class"
            " WHERE oid = to_regclass(format('%%I.memory', %s::text))",
            (address.schema,),
        )
    )


def _one(connection: Connection[Any], query: LiteralString, values: tuple[Any, ...] = ()) -> Any:
    row = connection.execute(query, values).fetchone()
    return None if row is None else row[0]

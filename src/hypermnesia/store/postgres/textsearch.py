"""The index of words that the extension pg_textsearch keeps, where a server has it.

It covers every document of the store: each of its terms as an opaque word of its scope, as often
as it occurs (``lexemes`` in the migrations), so that the extension counts what the store counts.
It is made with a new store, and by a rebuild of an older one.
"""

from __future__ import annotations

import logging

import psycopg
from psycopg import sql

from hypermnesia.store.postgres.faults import reason
from hypermnesia.store.postgres.statements import Link, execute, value

log = logging.getLogger("hypermnesia")

EXTENSION = "pg_textsearch"
"""What it is called inside a database."""
INDEX = "document_by_lexeme"
"""The index over the documents."""

# On the workers of Citus, indexes have other names than the one that a query has to tell.
_INSTALLED = f"""SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
    WHERE e.extname = '{EXTENSION}'
        AND NOT EXISTS (SELECT 1 FROM pg_extension c WHERE c.extname = 'citus')"""
PRESENT = f"""{_INSTALLED} AND EXISTS (SELECT 1 FROM pg_index i
        WHERE i.indexrelid = to_regclass('{INDEX}') AND i.indisvalid
            AND i.indrelid = 'document'::regclass)"""
"""Reads the schema that the extension lies in; no row when it or the index is missing."""

_REFUSALS = (
    psycopg.NotSupportedError,
    psycopg.ProgrammingError,
    psycopg.InternalError,
    psycopg.errors.ObjectNotInPrerequisiteState,
)


def build(connection: Link) -> None:
    """Make the index anew, if the extension is installed.

    A server that refuses, as one that does not load the extension's library, has no index: a
    warning says so, and words are ranked without it.

    Args:
        connection: whose search path is the store's.
    """
    if value(connection, _INSTALLED) is None:
        return
    try:
        with connection.transaction():
            execute(connection, f"DROP INDEX IF EXISTS {INDEX}")
            execute(
                connection,
                f"CREATE INDEX {INDEX} ON document USING bm25 (lexemes(scope, terms, counts))"
                " WITH (text_config = 'pg_catalog.simple')",
            )
    except _REFUSALS as error:
        log.warning("words are not indexed by %s: %s", EXTENSION, reason(error))


def best(schema: str) -> str:
    """What puts documents ``d`` in order, those that hold the most of the sought terms first.

    Its parameters are the number of the scope, the terms, and how much each weighs in whole
    ``repeats``: the extension takes a word that is asked twice for twice as important.

    Args:
        schema: where the extension lies.
    """
    place = sql.Identifier(schema).as_string()
    return (
        f"lexemes(d.scope, d.terms, d.counts) OPERATOR({place}.<@>) {place}.to_bm25query("
        "lexemes(%(scope)s::bigint, %(terms)s::text[], %(repeats)s::integer[]),"
        f" '{INDEX}')"
    )

"""Accounts, credentials and OAuth clients in PostgreSQL."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from datetime import datetime

import psycopg

from hypermnesia.errors import Conflict, NotFound, StoreError
from hypermnesia.store.account_columns import (
    ACCOUNT,
    CREDENTIAL,
    KEPT,
    account_of,
    account_values,
    credential_of,
    credential_values,
)
from hypermnesia.store.accounts import Account, Credential, CredentialKind, OAuthClient
from hypermnesia.store.columns import micros, moment_of
from hypermnesia.store.postgres.metering import PostgresMeter
from hypermnesia.store.postgres.schema import LOCK
from hypermnesia.store.postgres.statements import Link, affected, execute, run, value

log = logging.getLogger("hypermnesia")

_LIVE = "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > %(at)s)"
_REPLACED = ", ".join(
    f"{name} = excluded.{name}" for name in ACCOUNT.split(", ") if name not in KEPT
)

_PUT = f"""INSERT INTO account ({ACCOUNT}) VALUES ({", ".join(["%s"] * len(ACCOUNT.split(", ")))})
    ON CONFLICT (id) DO UPDATE SET {_REPLACED}"""
_ISSUE = f"""INSERT INTO credential ({CREDENTIAL})
    VALUES ({", ".join(["%s"] * len(CREDENTIAL.split(", ")))})"""

# One statement decides: of several requests with the same token, exactly one gets a row.
_REDEEM = f"""UPDATE credential SET used_at = %(at)s
    WHERE digest = %(digest)s AND kind = %(kind)s AND used_at IS NULL AND {_LIVE}
    RETURNING {CREDENTIAL}"""
_ROTATE = f"""UPDATE credential SET digest = %(new)s, used_at = %(at)s
    WHERE digest = %(old)s AND kind = 'refresh' AND family = %(family)s
    AND client = %(client)s AND {_LIVE} RETURNING {CREDENTIAL}"""


class PostgresAccounts(PostgresMeter):
    """An :class:`~hypermnesia.store.accounts.AccountStore` in the schema of the store."""

    # --- accounts ------------------------------------------------------------------

    def accounts(self) -> Sequence[Account]:
        """All of them, by name."""
        rows = self._connections.fetch(f"SELECT {ACCOUNT} FROM account ORDER BY name")
        return [account_of(row) for row in rows]

    def account(self, name: str) -> Account | None:
        """The one of this name."""
        rows = self._connections.fetch(f"SELECT {ACCOUNT} FROM account WHERE name = %s", (name,))
        return account_of(rows[0]) if rows else None

    def put_account(self, account: Account) -> None:
        """Store a new account, or replace the one with its id, all but its ``totp_step``."""
        with self._connections.transaction() as connection:
            _put(connection, account)

    def found(self, account: Account, setup: bytes, at: datetime) -> bool:
        """Store the first account and redeem the setup link; false, and neither, otherwise."""
        with self._connections.transaction() as connection:
            _alone(connection)
            if run(connection, "SELECT 1 FROM account LIMIT 1"):
                return False
            if _redeemed(connection, setup, "setup", at) is None:
                return False
            _put(connection, account)
            return True

    def remove_account(self, name: str) -> bool:
        """Remove an account with its credentials, counters and notices; false if unknown."""
        with self._connections.transaction() as connection:
            return affected(connection, "DELETE FROM account WHERE name = %s", (name,)) > 0

    def accept_step(self, account: str, step: int) -> bool:
        """Accept a one-time password's time step once: false unless later than the last."""
        query = "UPDATE account SET totp_step = %s WHERE id = %s AND totp_step < %s"
        with self._connections.transaction() as connection:
            return affected(connection, query, (step, account, step)) > 0

    # --- credentials ---------------------------------------------------------------

    def issue(self, credential: Credential) -> None:
        """Store a new credential."""
        with self._connections.transaction() as connection:
            try:
                affected(connection, _ISSUE, credential_values(credential))
            except psycopg.IntegrityError as error:
                raise NotFound("the account was removed; nothing was issued") from error

    def credential(self, digest: bytes) -> tuple[Credential, Account | None] | None:
        """A credential, live or not, with its account."""
        with self._connections.snapshot() as connection:
            query = f"SELECT {CREDENTIAL} FROM credential WHERE digest = %s"
            rows = run(connection, query, (digest,))
            if not rows:
                return None
            found = credential_of(rows[0])
            query = f"SELECT {ACCOUNT} FROM account WHERE id = %s"
            owner = run(connection, query, (found.account,))
        return found, account_of(owner[0]) if owner else None

    def credentials(self, kind: CredentialKind, account: str | None = None) -> Sequence[Credential]:
        """Those of a kind (of an account), newest first."""
        rows = self._connections.fetch(
            f"SELECT {CREDENTIAL} FROM credential WHERE kind = %s"
            " AND (%s::text IS NULL OR account = %s) ORDER BY created_at DESC, id DESC",
            (kind, account, account),
        )
        return [credential_of(row) for row in rows]

    def touch_credential(self, credential: str, at: datetime) -> None:
        """Note the last use; skipped when the store is busy."""
        if self._connections.read_only:
            return
        try:
            with self._connections.counting() as connection:
                execute(
                    connection,
                    "UPDATE credential SET used_at = %(at)s WHERE id = %(id)s"
                    " AND (used_at IS NULL OR used_at < %(at)s)",
                    {"id": credential, "at": micros(at)},
                )
        except StoreError as error:  # no reason to refuse the request
            log.info("use of a credential not noted: %s", error)

    def redeem(self, digest: bytes, kind: CredentialKind, at: datetime) -> Credential | None:
        """Use a single-use credential up; a second use revokes its family."""
        with self._connections.transaction() as connection:
            found = _redeemed(connection, digest, kind, at)
            if found is None:
                family = value(
                    connection,
                    "SELECT family FROM credential WHERE digest = %s AND kind = %s"
                    " AND used_at IS NOT NULL",
                    (digest, kind),
                )
                _revoke_family(connection, family, at)
            return found

    def rotate(
        self, family: str, client: str, old: bytes, new: bytes, at: datetime
    ) -> Credential | None:
        """Put a new refresh token in the place of the old one; a reused one ends the family."""
        values = {"family": family, "client": client, "old": old, "new": new, "at": micros(at)}
        with self._connections.transaction() as connection:
            rows = run(connection, _ROTATE, values)
            if not rows:
                _revoke_family(connection, family, at)
                return None
            return credential_of(rows[0])

    def revoke(self, credential: str, at: datetime) -> bool:
        """Revoke by id; false if unknown or revoked before."""
        query = "UPDATE credential SET revoked_at = %s WHERE id = %s AND revoked_at IS NULL"
        with self._connections.transaction() as connection:
            return affected(connection, query, (micros(at), credential)) > 0

    def revoke_family(self, family: str, at: datetime) -> bool:
        """Revoke everything that one authorization led to; false if there was nothing left."""
        with self._connections.transaction() as connection:
            return _revoke_family(connection, family, at)

    def revoke_all(self, account: str, kinds: Sequence[CredentialKind], at: datetime) -> int:
        """Revoke an account's live credentials of these kinds; how many there were."""
        with self._connections.transaction() as connection:
            return affected(
                connection,
                "UPDATE credential SET revoked_at = %(at)s WHERE account = %(account)s"
                f" AND kind = ANY(%(kinds)s::text[]) AND {_LIVE}",
                {"at": micros(at), "account": account, "kinds": list(kinds)},
            )

    # --- OAuth clients -------------------------------------------------------------

    def register(self, client: OAuthClient, most: int) -> bool:
        """Store a client; false when ``most`` are stored already."""
        with self._connections.transaction() as connection:
            _alone(connection)
            return (
                affected(
                    connection,
                    "INSERT INTO oauth_client (id, metadata, created_at) SELECT %s, %s, %s"
                    " WHERE (SELECT count(*) FROM oauth_client) < %s",
                    (client.id, json.dumps(dict(client.metadata)), micros(client.created_at), most),
                )
                > 0
            )

    def client(self, client: str) -> OAuthClient | None:
        """A registered client."""
        rows = self._connections.fetch(
            "SELECT id, metadata, created_at FROM oauth_client WHERE id = %s", (client,)
        )
        if not rows:
            return None
        number, metadata, created = rows[0]
        return OAuthClient(number, json.loads(metadata), moment_of(created))

    # --- care ----------------------------------------------------------------------

    def sweep(self, at: datetime, keep: datetime) -> None:
        """Drop what expired before ``at`` but for API tokens, and audit entries before ``keep``."""
        with self._connections.transaction() as connection:
            execute(
                connection,
                "DELETE FROM credential WHERE expires_at < %s AND kind <> 'api'",
                (micros(at),),
            )
            execute(connection, "DELETE FROM audit WHERE at < %s", (micros(keep),))
            execute(
                connection,
                "DELETE FROM oauth_client c WHERE created_at < %s AND NOT EXISTS"
                " (SELECT 1 FROM credential o WHERE o.client = c.id)",
                (micros(at),),
            )


def _alone(connection: Link) -> None:
    """Let what counts rows before it adds one be done by one transaction at a time."""
    execute(
        connection,
        "SELECT pg_advisory_xact_lock(%s, hashtext(current_schema()))",
        (LOCK + 3,),
    )


def _put(connection: Link, account: Account) -> None:
    try:
        affected(connection, _PUT, account_values(account))
    except psycopg.errors.UniqueViolation as error:
        raise Conflict(f"an account {account.name!r} exists; choose another name") from error


def _redeemed(
    connection: Link, digest: bytes, kind: CredentialKind, at: datetime
) -> Credential | None:
    rows = run(connection, _REDEEM, {"digest": digest, "kind": kind, "at": micros(at)})
    return credential_of(rows[0]) if rows else None


def _revoke_family(connection: Link, family: str | None, at: datetime) -> bool:
    query = "UPDATE credential SET revoked_at = %s WHERE family = %s AND revoked_at IS NULL"
    return affected(connection, query, (micros(at), family)) > 0

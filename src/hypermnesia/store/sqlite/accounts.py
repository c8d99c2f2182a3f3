"""Accounts, credentials and OAuth clients in the store file."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from datetime import datetime

import apsw

from hypermnesia.errors import NotFound, StoreError
from hypermnesia.store.account_columns import (
    ACCOUNT,
    CREDENTIAL,
    account_of,
    credential_of,
    credential_values,
)
from hypermnesia.store.accounts import Account, Credential, CredentialKind, OAuthClient
from hypermnesia.store.columns import micros, moment_of
from hypermnesia.store.sqlite.account_rows import (
    LIVE,
    account_by,
    put,
    redeemed,
    revoke_family,
)
from hypermnesia.store.sqlite.metering import SqliteMeter

log = logging.getLogger("hypermnesia")

# One statement decides: of several requests with the same token, exactly one gets a row.
_ROTATE = f"""
UPDATE credential SET digest = :new, used_at = :at
WHERE digest = :old AND kind = 'refresh' AND family = :family AND client = :client AND {LIVE}
RETURNING {CREDENTIAL}
"""


class SqliteAccounts(SqliteMeter):
    """An :class:`~hypermnesia.store.accounts.AccountStore` in the store file."""

    # --- accounts ------------------------------------------------------------------

    def accounts(self) -> Sequence[Account]:
        """All of them, by name."""
        with self._connections.snapshot() as connection:
            rows = connection.execute(f"SELECT {ACCOUNT} FROM account ORDER BY name").fetchall()
        return [account_of(row) for row in rows]

    def account(self, name: str) -> Account | None:
        """The one of this name."""
        with self._connections.snapshot() as connection:
            return account_by(connection, "name", name)

    def put_account(self, account: Account) -> None:
        """Store a new account, or replace the one with its id, all but its ``totp_step``."""
        with self._connections.transaction() as connection:
            put(connection, account)

    def found(self, account: Account, setup: bytes, at: datetime) -> bool:
        """Store the first account and redeem the setup link; false, and neither, otherwise."""
        with self._connections.transaction() as connection:
            if connection.execute("SELECT 1 FROM account LIMIT 1").get is not None:
                return False
            if redeemed(connection, setup, "setup", at) is None:
                return False
            put(connection, account)
            return True

    def remove_account(self, name: str) -> bool:
        """Remove an account with its credentials, counters and notices; false if unknown."""
        with self._connections.transaction() as connection:
            connection.execute("DELETE FROM account WHERE name = ?", (name,))
            return connection.changes() > 0

    def accept_step(self, account: str, step: int) -> bool:
        """Accept a one-time password's time step once: false unless later than the last."""
        with self._connections.transaction() as connection:
            connection.execute(
                "UPDATE account SET totp_step = :step WHERE id = :account AND totp_step < :step",
                {"account": account, "step": step},
            )
            return connection.changes() > 0

    # --- credentials ---------------------------------------------------------------

    def issue(self, credential: Credential) -> None:
        """Store a new credential."""
        values = credential_values(credential)
        with self._connections.transaction() as connection:
            try:
                connection.execute(
                    f"INSERT INTO credential ({CREDENTIAL})"
                    f" VALUES ({', '.join('?' * len(values))})",
                    values,
                )
            except apsw.ConstraintError as error:
                raise NotFound("the account was removed; nothing was issued") from error

    def credential(self, digest: bytes) -> tuple[Credential, Account | None] | None:
        """A credential, live or not, with its account."""
        with self._connections.snapshot() as connection:
            row = connection.execute(
                f"SELECT {CREDENTIAL} FROM credential WHERE digest = ?", (digest,)
            ).fetchone()
            if row is None:
                return None
            found = credential_of(row)
            return found, account_by(connection, "id", found.account)

    def credentials(self, kind: CredentialKind, account: str | None = None) -> Sequence[Credential]:
        """Those of a kind (of an account), newest first."""
        with self._connections.snapshot() as connection:
            rows = connection.execute(
                f"SELECT {CREDENTIAL} FROM credential WHERE kind = :kind"
                " AND (:account IS NULL OR account = :account) ORDER BY created_at DESC, id DESC",
                {"kind": kind, "account": account},
            ).fetchall()
        return [credential_of(row) for row in rows]

    def touch_credential(self, credential: str, at: datetime) -> None:
        """Note the last use; skipped when the store is busy."""
        if self._connections.read_only:
            return
        try:
            with self._connections.counting() as connection:
                connection.execute(
                    "UPDATE credential SET used_at = :at WHERE id = :id"
                    " AND (used_at IS NULL OR used_at < :at)",
                    {"id": credential, "at": micros(at)},
                )
        except StoreError as error:  # no reason to refuse the request
            log.info("use of a credential not noted: %s", error)

    def redeem(self, digest: bytes, kind: CredentialKind, at: datetime) -> Credential | None:
        """Use a single-use credential up; a second use revokes its family."""
        with self._connections.transaction() as connection:
            found = redeemed(connection, digest, kind, at)
            if found is None:
                family = connection.execute(
                    "SELECT family FROM credential WHERE digest = ? AND kind = ?"
                    " AND used_at IS NOT NULL",
                    (digest, kind),
                ).get
                revoke_family(connection, family, at)
            return found

    def rotate(
        self, family: str, client: str, old: bytes, new: bytes, at: datetime
    ) -> Credential | None:
        """Put a new refresh token in the place of the old one; a reused one ends the family."""
        values = {"family": family, "client": client, "old": old, "new": new, "at": micros(at)}
        with self._connections.transaction() as connection:
            row = connection.execute(_ROTATE, values).fetchone()
            if row is None:
                revoke_family(connection, family, at)
                return None
            return credential_of(row)

    def revoke(self, credential: str, at: datetime) -> bool:
        """Revoke by id; false if unknown or revoked before."""
        with self._connections.transaction() as connection:
            connection.execute(
                "UPDATE credential SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL",
                (micros(at), credential),
            )
            return connection.changes() > 0

    def revoke_family(self, family: str, at: datetime) -> bool:
        """Revoke everything that one authorization led to; false if there was nothing left."""
        with self._connections.transaction() as connection:
            return revoke_family(connection, family, at)

    def revoke_all(self, account: str, kinds: Sequence[CredentialKind], at: datetime) -> int:
        """Revoke an account's live credentials of these kinds; how many there were."""
        with self._connections.transaction() as connection:
            connection.execute(
                "UPDATE credential SET revoked_at = :at WHERE account = :account"
                f" AND kind IN (SELECT value FROM json_each(:kinds)) AND {LIVE}",
                {"at": micros(at), "account": account, "kinds": json.dumps(list(kinds))},
            )
            return connection.changes()

    # --- OAuth clients -------------------------------------------------------------

    def register(self, client: OAuthClient, most: int) -> bool:
        """Store a client; false when ``most`` are stored already."""
        with self._connections.transaction() as connection:
            connection.execute(
                "INSERT INTO oauth_client (id, metadata, created_at) SELECT ?, ?, ?"
                " WHERE (SELECT count(*) FROM oauth_client) < ?",
                (client.id, json.dumps(dict(client.metadata)), micros(client.created_at), most),
            )
            return connection.changes() > 0

    def client(self, client: str) -> OAuthClient | None:
        """A registered client."""
        with self._connections.snapshot() as connection:
            row = connection.execute(
                "SELECT id, metadata, created_at FROM oauth_client WHERE id = ?", (client,)
            ).fetchone()
        return None if row is None else OAuthClient(row[0], json.loads(row[1]), moment_of(row[2]))

    # --- care ----------------------------------------------------------------------

    def sweep(self, at: datetime, keep: datetime) -> None:
        """Drop what expired before ``at`` but for API tokens, and audit entries before ``keep``."""
        with self._connections.transaction() as connection:
            connection.execute(
                "DELETE FROM credential WHERE expires_at < ? AND kind <> 'api'", (micros(at),)
            )
            connection.execute("DELETE FROM audit WHERE at < ?", (micros(keep),))
            connection.execute(
                "DELETE FROM oauth_client WHERE created_at < ? AND id NOT IN"
                " (SELECT client FROM credential WHERE client IS NOT NULL)",
                (micros(at),),
            )

"""Codes and tokens, for the token endpoint of the MCP SDK.

The SDK parses requests and checks PKCE, redirect, client and expiry; what may happen only once
is decided here, by single statements of the store.
"""

from __future__ import annotations

import math
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

import anyio.to_thread
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    AuthorizeError,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    TokenError,
)
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyUrl

from hypermnesia.identity import new_id
from hypermnesia.serve.accounts import audit
from hypermnesia.serve.accounts.challenge import WRITE
from hypermnesia.serve.accounts.hall import Hall
from hypermnesia.serve.accounts.oauth.clients import Clients
from hypermnesia.serve.accounts.secret import digest_of, family_of, new_secret
from hypermnesia.store.accounts import Account, Credential, CredentialKind


@dataclass(frozen=True, slots=True)
class Grant:
    """What a person allowed a client.

    Attributes:
        scopes: OAuth scopes.
        patterns: memory scopes that it may use.
    """

    client: str
    redirect: str
    challenge: str
    scopes: tuple[str, ...]
    patterns: tuple[str, ...]


def new_code(hall: Hall, account: Account, grant: Grant, life: timedelta) -> str:
    """A code that a client can exchange once for what a person allowed it."""
    code, now = new_secret("code"), hall.now()
    hall.store.issue(
        Credential(
            new_id(),
            "code",
            digest_of(code),
            account.id,
            now,
            now + life,
            scopes=grant.patterns,
            read_only=WRITE not in grant.scopes,
            family=secrets.token_urlsafe(16),
            client=grant.client,
            detail={
                "redirect": grant.redirect,
                "challenge": grant.challenge,
                "scopes": list(grant.scopes),
            },
        )
    )
    return code


class Provider(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """What the SDK's token endpoint asks for."""

    def __init__(self, hall: Hall, clients: Clients) -> None:
        self._hall = hall
        self._clients = clients

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        """A client by its id."""
        client = await anyio.to_thread.run_sync(self._clients.get, client_id)
        return None if client is None else client.information()

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        """A code that this client can still exchange; one used before ends what it led to."""
        return await anyio.to_thread.run_sync(self._code, client.client_id, authorization_code)

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        """Tokens for a code, once."""
        return await anyio.to_thread.run_sync(
            self._redeem, client.client_id, authorization_code.code
        )

    async def load_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: str
    ) -> RefreshToken | None:
        """A refresh token that this client can still use; one used before ends its family."""
        return await anyio.to_thread.run_sync(self._refresh, client.client_id, refresh_token)

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        """A new pair of tokens, once."""
        return await anyio.to_thread.run_sync(
            self._rotate, client.client_id, refresh_token.token, tuple(scopes)
        )

    async def authorize(
        self, client: OAuthClientInformationFull, params: AuthorizationParams
    ) -> str:
        """People are asked by a page, see :mod:`.authorize`; nothing is allowed without them.

        Raises:
            AuthorizeError: always.
        """
        del client, params
        raise AuthorizeError("access_denied", "a person has to allow it")

    # --- in a thread ---------------------------------------------------------------

    def _code(self, client: str, code: str) -> AuthorizationCode | None:
        found = self._of_client(code, "code", client)
        if found is None:
            return None
        if found.used_at is not None:
            self._end(found.family, client, "oauth.code")
            return None
        if not found.live(self._hall.now()):
            return None
        return AuthorizationCode(
            code=code,
            scopes=found.detail["scopes"],
            expires_at=math.inf,  # seen to above, by the service's own clock
            client_id=client,
            code_challenge=found.detail["challenge"],
            redirect_uri=AnyUrl(found.detail["redirect"]),
            redirect_uri_provided_explicitly=True,
        )

    def _redeem(self, client: str, code: str) -> OAuthToken:
        now = self._hall.now()
        redeemed = self._hall.store.redeem(digest_of(code), "code", now)
        if redeemed is None or redeemed.family is None:
            self._note(client, "oauth.code")  # it was unused a moment ago; as in `_rotate`
            raise TokenError("invalid_grant", "the code was used before; ask again")
        scopes = tuple(redeemed.detail["scopes"])
        refresh = new_secret("refresh", redeemed.family)
        expires = now + self._hall.policy.refresh
        self._hall.store.issue(_of_family(redeemed, "refresh", refresh, now, expires, scopes))
        return self._pair(redeemed, redeemed.digest, refresh, scopes, now)

    def _refresh(self, client: str, token: str) -> RefreshToken | None:
        found = self._of_client(token, "refresh", client)
        if found is None:  # if its family is known, it was used before
            self._end(family_of(token), client, "oauth.refresh")
            return None
        if not found.live(self._hall.now()):
            return None
        return RefreshToken(token=token, client_id=client, scopes=found.detail["scopes"])

    def _rotate(self, client: str, token: str, scopes: tuple[str, ...]) -> OAuthToken:
        now, family = self._hall.now(), family_of(token)
        refresh = new_secret("refresh", family)
        rotated = self._hall.store.rotate(family, client, digest_of(token), digest_of(refresh), now)
        if rotated is None:  # it was the present one a moment ago, and the store ended its family
            self._note(client, "oauth.refresh")
            raise TokenError("invalid_grant", "the refresh token was used before; ask again")
        return self._pair(rotated, rotated.digest, refresh, scopes, now)

    def _pair(
        self,
        granted: Credential,
        witness: bytes,
        refresh: str,
        scopes: tuple[str, ...],
        now: datetime,
    ) -> OAuthToken:
        """An access token beside a refresh token.

        Whoever used the same code or token at this very moment has revoked the family, and
        with it ``witness``: then what was issued meanwhile is revoked as well.
        """
        access = new_secret("access")
        expires = now + self._hall.policy.access
        self._hall.store.issue(_of_family(granted, "access", access, now, expires, scopes))
        held = self._hall.store.credential(witness)
        if held is None or held[0].revoked_at is not None or held[1] is None or held[1].disabled:
            self._hall.store.revoke_family(granted.family or "", now)
            raise TokenError("invalid_grant", "this authorization was revoked; ask again")
        return OAuthToken(
            access_token=access,
            expires_in=int(self._hall.policy.access.total_seconds()),
            scope=" ".join(scopes),
            refresh_token=refresh,
        )

    def _of_client(self, secret: str, kind: CredentialKind, client: str) -> Credential | None:
        found = self._hall.store.credential(digest_of(secret))
        if found is None or found[0].kind != kind or found[0].client != client:
            return None
        return found[0]

    def _end(self, family: str | None, client: str, action: str) -> None:
        """Revoke a family of which something came a second time.

        One that is unknown or at its end is not noted: whoever makes names up, or repeats a
        stolen secret, cannot fill the log.
        """
        if family and self._hall.store.revoke_family(family, self._hall.now()):
            self._note(client, action)

    def _note(self, client: str, action: str) -> None:
        now, outcome = self._hall.now(), "used twice: revoked what it led to"
        audit.record(self._hall.store, "oauth client", action, client, now, outcome)


def _of_family(
    granted: Credential,
    kind: CredentialKind,
    secret: str,
    now: datetime,
    expires: datetime,
    scopes: tuple[str, ...],
) -> Credential:
    """A credential that may do what was granted, or less."""
    return Credential(
        new_id(),
        kind,
        digest_of(secret),
        granted.account,
        now,
        expires,
        scopes=granted.scopes,
        read_only=granted.read_only or WRITE not in scopes,
        family=granted.family,
        client=granted.client,
        detail={"scopes": list(scopes)},
    )

"""OAuth clients: those that registered, and those whose id is the URL of a document."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata
from pydantic import AnyUrl, ValidationError

from hypermnesia.errors import InvalidInput, LimitReached
from hypermnesia.identity import new_id
from hypermnesia.serve.accounts.challenge import SCOPES
from hypermnesia.serve.accounts.oauth import redirects
from hypermnesia.serve.accounts.oauth.documents import LONGEST, Documents
from hypermnesia.store.accounts import AccountStore, OAuthClient

MOST_CLIENTS = 1000
MOST_REDIRECTS = 10
LONGEST_NAME = 80
GRANTS = ("authorization_code", "refresh_token")
DOCUMENT = "https://"
"""How the ids of clients begin that are described by a document."""


@dataclass(frozen=True, slots=True)
class Client:
    """A client. All are public ones, without a secret: they prove themselves by PKCE.

    Attributes:
        name: what it calls itself, or its id.
        redirects: where it may send people, as it wrote them.
    """

    id: str
    name: str
    redirects: tuple[str, ...]

    def allows(self, redirect: str) -> bool:
        """Whether it may send a person there."""
        return any(redirects.matches(redirect, known) for known in self.redirects)

    def information(self) -> OAuthClientInformationFull:
        """The client as the SDK knows it."""
        return OAuthClientInformationFull(
            client_id=self.id,
            client_name=self.name,
            redirect_uris=[AnyUrl(redirect) for redirect in self.redirects],
            grant_types=list(GRANTS),
            response_types=["code"],
            token_endpoint_auth_method="none",  # noqa: S106 - that there is no secret
            scope=" ".join(SCOPES),
        )


class Clients:
    """Finds and registers clients.

    Args:
        store: where registered ones are kept.
        documents: finds the others.
    """

    def __init__(self, store: AccountStore, documents: Documents) -> None:
        self._store = store
        self._documents = documents

    def get(self, client_id: str) -> Client | None:
        """The client with this id."""
        if not client_id.isprintable() or len(client_id) > LONGEST:
            return None
        if client_id.startswith(DOCUMENT):
            return _client(client_id, self._documents.get(client_id) or {})
        known = self._store.client(client_id)
        return None if known is None else _client(known.id, known.metadata)

    def register(self, body: bytes, now: datetime) -> Client:
        """Store a client that registers itself (RFC 7591).

        Whatever way to prove itself it asks for, it gets none.

        Raises:
            InvalidInput: its metadata cannot be used.
            LimitReached: there are too many already.
        """
        try:
            OAuthClientMetadata.model_validate_json(body)
        except ValidationError as error:
            places = ", ".join(".".join(map(str, item["loc"])) for item in error.errors())
            raise InvalidInput(f"client metadata that cannot be used: {places[:200]}") from None
        asked = cast("dict[str, Any]", json.loads(body))
        # As they were sent, since they are compared so: a model writes URLs in its own way.
        metadata = {name: asked.get(name) for name in ("client_name", "redirect_uris")}
        client = _client(f"hmc-{new_id()}", metadata)
        if client is None:
            raise InvalidInput(
                f"redirect_uris: 1 to {MOST_REDIRECTS}, each https, http on this machine, or of a"
                " program's own scheme"
            )
        if not self._store.register(OAuthClient(client.id, metadata, now), MOST_CLIENTS):
            raise LimitReached("too many clients have registered; ask the administrator", 3600)
        return client


def _client(client_id: str, metadata: Mapping[str, Any]) -> Client | None:
    """A client from its metadata; ``None`` when they name no place that people may be sent to."""
    listed: Any = metadata.get("redirect_uris")
    if not isinstance(listed, list):
        return None
    given = cast("list[object]", listed)
    sound = [uri for uri in given if isinstance(uri, str) and redirects.acceptable(uri)]
    if not 0 < len(given) <= MOST_REDIRECTS or len(sound) != len(given):
        return None
    name: Any = metadata.get("client_name")
    shown = " ".join(name.split())[:LONGEST_NAME] if isinstance(name, str) else ""
    return Client(client_id, shown or client_id[:LONGEST_NAME], tuple(sound))

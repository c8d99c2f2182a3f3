"""The endpoints of OAuth: metadata, authorization, tokens, registration, revocation."""

from __future__ import annotations

from http import HTTPStatus

import anyio.to_thread
from fastapi import APIRouter
from mcp.server.auth.handlers.token import TokenHandler
from mcp.server.auth.json_response import PydanticJSONResponse
from mcp.server.auth.middleware.client_auth import ClientAuthenticator
from mcp.shared.auth import OAuthMetadata, ProtectedResourceMetadata
from pydantic import BaseModel
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, request_response
from starlette.types import Message, Receive

from hypermnesia.errors import InvalidInput, LimitReached
from hypermnesia.serve.accounts import audit
from hypermnesia.serve.accounts.challenge import METADATA, SCOPES
from hypermnesia.serve.accounts.form import MOST_BYTES, fields_of
from hypermnesia.serve.accounts.hall import Hall
from hypermnesia.serve.accounts.oauth.authorize import Consent
from hypermnesia.serve.accounts.oauth.clients import GRANTS, Clients
from hypermnesia.serve.accounts.oauth.documents import Documents
from hypermnesia.serve.accounts.oauth.provider import Provider
from hypermnesia.serve.accounts.secret import digest_of
from hypermnesia.serve.http.problem import Failed

SERVER_METADATA = "/.well-known/oauth-authorization-server"
NO_STORE = {"Cache-Control": "no-store", "Pragma": "no-cache"}


def oauth_router(hall: Hall, documents: Documents | None = None) -> APIRouter:
    """Everything of OAuth, at the root.

    Args:
        hall: accounts and the rules for them.
        documents: finds clients by the URL of their document; ``None`` = as configured.
    """
    found = documents or Documents(hall.policy.client_hosts)
    endpoints = _Endpoints(hall, Clients(hall.store, found))
    router = APIRouter(include_in_schema=False)
    for path in (METADATA, f"{METADATA}/mcp"):
        router.routes.append(_open(path, endpoints.resource, "GET"))
    router.routes.append(_open(SERVER_METADATA, endpoints.server, "GET"))
    router.routes.append(_open("/token", endpoints.token, "POST"))
    router.routes.append(_open("/revoke", endpoints.revoke, "POST"))
    if hall.policy.registration:
        router.routes.append(_open("/register", endpoints.register, "POST"))
    router.add_route("/authorize", endpoints.ask, methods=["GET"])
    router.add_route("/authorize", endpoints.decide, methods=["POST"])
    return router


class _Endpoints:
    def __init__(self, hall: Hall, clients: Clients) -> None:
        self._hall = hall
        self._clients = clients
        provider = Provider(hall, clients)
        self._tokens = TokenHandler(provider, ClientAuthenticator(provider))
        self._consent = Consent(hall, clients)

    async def ask(self, request: Request) -> Response:
        """A client asks, through a person's browser."""
        self._slow_down(request)
        return await self._consent.ask(request)

    async def decide(self, request: Request) -> Response:
        """The person answers."""
        self._slow_down(request)
        return await self._consent.decide(request)

    async def resource(self, request: Request) -> Response:
        """What protects ``/mcp`` (RFC 9728)."""
        base = self._base(request)
        metadata = ProtectedResourceMetadata.model_validate(
            {
                "resource": f"{base}/mcp",
                "authorization_servers": [base],
                "scopes_supported": list(SCOPES),
                "resource_name": "Hypermnesia",
            }
        )
        return _metadata(metadata)

    async def server(self, request: Request) -> Response:
        """What this authorization server can do (RFC 8414)."""
        base = self._base(request)
        registration = f"{base}/register" if self._hall.policy.registration else None
        metadata = OAuthMetadata.model_validate(
            {
                "issuer": base,
                "authorization_endpoint": f"{base}/authorize",
                "token_endpoint": f"{base}/token",
                "revocation_endpoint": f"{base}/revoke",
                "registration_endpoint": registration,
                "scopes_supported": list(SCOPES),
                "response_types_supported": ["code"],
                "grant_types_supported": list(GRANTS),
                "token_endpoint_auth_methods_supported": ["none"],
                "revocation_endpoint_auth_methods_supported": ["none"],
                "code_challenge_methods_supported": ["S256"],
                "authorization_response_iss_parameter_supported": True,
                "client_id_metadata_document_supported": bool(self._hall.policy.client_hosts),
            }
        )
        return _metadata(metadata)

    async def token(self, request: Request) -> Response:
        """Tokens for a code or a refresh token."""
        body = await self._body(request)
        fields_of(body)  # each once: which of two counts must not be a guess
        return await self._tokens.handle(Request(request.scope, _replaying(body)))

    async def register(self, request: Request) -> Response:
        """A client registers itself (RFC 7591)."""
        body = await self._body(request)
        try:
            client = await anyio.to_thread.run_sync(self._registered, body)
        except InvalidInput as error:
            fault = {"error": "invalid_client_metadata", "error_description": str(error)}
            return JSONResponse(fault, HTTPStatus.BAD_REQUEST, NO_STORE)
        return JSONResponse(client, HTTPStatus.CREATED, NO_STORE)

    async def revoke(self, request: Request) -> Response:
        """A client gives back what it was given (RFC 7009)."""
        sent = fields_of(await self._body(request))
        client, token = sent.get("client_id", ""), sent.get("token", "")
        if not client or not token:
            fault = {"error": "invalid_request", "error_description": "client_id and token, please"}
            return JSONResponse(fault, HTTPStatus.BAD_REQUEST, NO_STORE)
        await anyio.to_thread.run_sync(self._revoked, client, token)
        return Response(None, HTTPStatus.OK, NO_STORE)  # whatever it was (RFC 7009, 2.2)

    def _registered(self, body: bytes) -> dict[str, object]:
        now = self._hall.now()
        client = self._clients.register(body, now)
        audit.record(self._hall.store, "oauth client", "client.register", client.id, now)
        return {
            "client_id": client.id,
            "client_id_issued_at": int(now.timestamp()),
            "client_name": client.name,
            "redirect_uris": list(client.redirects),
            "grant_types": list(GRANTS),
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
            "scope": " ".join(SCOPES),
        }

    def _revoked(self, client: str, token: str) -> None:
        found = self._hall.store.credential(digest_of(token))
        if found is None or found[0].kind not in {"access", "refresh"}:
            return
        credential, account = found
        if credential.client != client or credential.family is None:
            return
        now = self._hall.now()
        if not self._hall.store.revoke_family(credential.family, now):
            return
        name = "oauth client" if account is None else account.name
        audit.record(self._hall.store, name, "oauth.revoke", client, now)

    def _base(self, request: Request) -> str:
        site = self._hall.policy.site
        if not site.trusted(request.scope):
            raise Failed(
                HTTPStatus.NOT_FOUND, "not_found", "OAuth needs TLS: set serve_url to https://..."
            )
        return site.base(request.scope)

    def _slow_down(self, request: Request) -> None:
        wait = self._hall.strangers.take(request.client.host if request.client else "unknown")
        if wait:
            raise LimitReached("too many calls from this address; wait a little", wait)

    async def _body(self, request: Request) -> bytes:
        self._base(request)
        self._slow_down(request)
        body = bytearray()
        async for part in request.stream():
            body += part
            if len(body) > MOST_BYTES:
                raise Failed(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too-large", "this is too large")
        return bytes(body)


def _metadata(model: BaseModel) -> Response:
    return PydanticJSONResponse(model, headers={"Cache-Control": "public, max-age=300"})


def _open(path: str, endpoint: object, method: str) -> Route:
    """A route that scripts of any page may call: it acts on no cookie."""
    called = CORSMiddleware(
        request_response(endpoint),  # pyright: ignore[reportArgumentType]
        allow_origins=["*"],
        allow_methods=[method],
        allow_headers=["mcp-protocol-version"],
    )
    return Route(path, called, methods=[method, "OPTIONS"])


def _replaying(body: bytes) -> Receive:
    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive

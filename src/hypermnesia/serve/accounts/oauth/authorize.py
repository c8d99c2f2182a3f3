"""Asking a person whether a client may use their memory."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from urllib.parse import quote, urlencode, urlsplit

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from hypermnesia.errors import AccessError, InvalidInput
from hypermnesia.serve.accounts import audit, pages, tokens
from hypermnesia.serve.accounts.caller import Caller, covered
from hypermnesia.serve.accounts.challenge import READ, SCOPES, WRITE
from hypermnesia.serve.accounts.form import check_origin, check_token, fields_of, form_of
from hypermnesia.serve.accounts.hall import Hall
from hypermnesia.serve.accounts.oauth.clients import Client, Clients
from hypermnesia.serve.accounts.oauth.provider import Grant, new_code
from hypermnesia.serve.accounts.oauth.redirects import origin_of
from hypermnesia.serve.http.problem import Failed
from hypermnesia.serve.principal import Principal

CODE_LIFE = timedelta(minutes=1)
LONGEST_STATE = 2000
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")
"""A SHA-256 in base64url (RFC 7636, 4.2)."""
_ASKED = (
    "client_id", "redirect_uri", "response_type", "code_challenge", "code_challenge_method",
    "state", "scope", "resource",
)  # fmt: skip


class Unanswerable(Exception):
    """The request cannot even be refused by a redirect: nobody knows where to."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request for authorization whose client and redirect are in order.

    Attributes:
        error: why it is refused by a redirect, as OAuth names it; empty if it is sound.
    """

    client: Client
    redirect: str
    fields: Mapping[str, str]
    scopes: tuple[str, ...]
    error: str = ""

    def answer(self, issuer: str, **result: str) -> Response:
        """Send the person back to the client with a result (RFC 6749, 4.1.2; RFC 9207)."""
        state = {"state": self.fields["state"]} if "state" in self.fields else {}
        query = urlencode({**result, **state, "iss": issuer})
        separator = "&" if urlsplit(self.redirect).query else "?"
        headers = {"Cache-Control": "no-store"}
        where = f"{self.redirect}{separator}{query}"
        return RedirectResponse(where, HTTPStatus.FOUND, headers)


class Consent:
    """The authorization endpoint.

    Args:
        hall: accounts and the rules for them.
        clients: who may ask.
    """

    def __init__(self, hall: Hall, clients: Clients) -> None:
        self._hall = hall
        self._clients = clients

    async def ask(self, request: Request) -> Response:
        """Show who asks for what."""
        query: bytes = request.scope.get("query_string", b"")
        try:
            asked = await self._asked(request, query)
        except (Unanswerable, Failed) as error:
            return _no(str(error))
        if asked.error:
            return asked.answer(self._issuer(request), error=asked.error)
        caller = _signed_in(request)
        if caller is None:
            target = quote(f"/authorize?{query.decode('latin-1')}", safe="")
            return RedirectResponse(f"/signin?next={target}", HTTPStatus.SEE_OTHER)
        return self._page(request, asked, caller)

    async def decide(self, request: Request) -> Response:
        """Do what the person decided."""
        check_origin(request, self._hall.policy.site)
        sent = await form_of(request)
        caller = _signed_in(request)
        if caller is None:
            return _no("you were signed out; go back to the program and begin again")
        check_token(request, sent)
        try:
            asked = await self._asked(request, urlencode(_only_asked(sent)).encode())
        except (Unanswerable, Failed) as error:
            return _no(str(error))
        if asked.error:
            return asked.answer(self._issuer(request), error=asked.error)
        if sent.get("decision") != "allow":
            await anyio.to_thread.run_sync(self._note, caller, asked, "refused")
            return asked.answer(self._issuer(request), error="access_denied")
        try:
            code = await anyio.to_thread.run_sync(self._allow, caller, asked, sent)
        except (InvalidInput, AccessError) as error:
            return self._page(request, asked, caller, str(error), sent.get("memory_scopes", ""))
        return asked.answer(self._issuer(request), code=code)

    async def _asked(self, request: Request, query: bytes) -> Asked:
        if not self._hall.policy.site.trusted(request.scope):
            raise Unanswerable("this service is reached without TLS; set serve_url to https://...")
        fields = _only_asked(fields_of(query))
        client_id, redirect = fields.get("client_id", ""), fields.get("redirect_uri", "")
        client = await anyio.to_thread.run_sync(self._clients.get, client_id)
        if client is None:
            raise Unanswerable("the program that sent you here is not known to this service")
        if not client.allows(redirect):
            raise Unanswerable("the program wants to send you to an address that is not its own")
        scopes = tuple(dict.fromkeys(fields.get("scope", " ".join(SCOPES)).split()))
        error = _fault(fields, scopes, f"{self._issuer(request)}/mcp")
        return Asked(client, redirect, fields, scopes, error)

    def _page(
        self,
        request: Request,
        asked: Asked,
        caller: Caller,
        problem: str = "",
        patterns: str | None = None,
    ) -> Response:
        own = caller.account.scopes
        return pages.page(
            "consent.html",
            HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
            leads_to=origin_of(asked.redirect),
            problem=problem,
            client=asked.client.name,
            account=caller.account.name,
            destination=origin_of(asked.redirect),
            csrf=request.state.csrf,
            asked=asked.fields,
            patterns=_suggested(request, own) if patterns is None else patterns,
            own=", ".join(own),
            asks_to_write=WRITE in asked.scopes,
            writes=WRITE in asked.scopes,
        )

    def _allow(self, caller: Caller, asked: Asked, sent: Mapping[str, str]) -> str:
        """A code for what was allowed.

        Raises:
            InvalidInput: no scope is named, or one that is no name.
            AccessError: one that the person may not use.
        """
        lines = [line.strip() for line in sent.get("memory_scopes", "").splitlines()]
        patterns = tokens.patterns_of([line for line in lines if line])
        if not patterns:
            raise InvalidInput("name at least one scope")
        if covered(patterns, caller.account.scopes) != patterns:
            raise InvalidInput("one of these scopes is not yours to allow")
        writes = WRITE in asked.scopes and sent.get("may_write") == "yes"
        scopes = (READ, WRITE) if writes else (READ,)
        challenge = asked.fields["code_challenge"]
        grant = Grant(asked.client.id, asked.redirect, challenge, scopes, patterns)
        code = new_code(self._hall, caller.account, grant, CODE_LIFE)
        self._note(caller, asked, "ok")
        return code

    def _note(self, caller: Caller, asked: Asked, outcome: str) -> None:
        now = self._hall.now()
        audit.record(self._hall.store, caller, "oauth.allow", asked.client.id, now, outcome)

    def _issuer(self, request: Request) -> str:
        return self._hall.policy.site.base(request.scope)


def _fault(fields: Mapping[str, str], scopes: tuple[str, ...], resource: str) -> str:
    """What is wrong with a request, as OAuth names it; empty if nothing is."""
    if fields.get("response_type") != "code":
        return "unsupported_response_type"
    method = fields.get("code_challenge_method")
    if method != "S256" or not _CHALLENGE.fullmatch(fields.get("code_challenge", "")):
        return "invalid_request"
    if len(fields.get("state", "")) > LONGEST_STATE:
        return "invalid_request"
    if not scopes or not set(scopes) <= set(SCOPES):
        return "invalid_scope"
    base = resource.removesuffix("/mcp")
    if fields.get("resource", resource).removesuffix("/") not in {resource, base}:
        return "invalid_target"
    return ""


def _suggested(request: Request, own: tuple[str, ...]) -> str:
    """What to allow unless the person says otherwise: the usual scope, rather than all."""
    usual: str = request.app.state.memory.scope
    return usual if Principal("", own).may_use(usual) else "\n".join(own)


def _only_asked(fields: Mapping[str, str]) -> dict[str, str]:
    return {name: fields[name] for name in _ASKED if name in fields}


def _signed_in(request: Request) -> Caller | None:
    """The person; a token cannot allow anything."""
    caller = getattr(request.state, "caller", None)
    signed_in = isinstance(caller, Caller) and caller.credential.kind == "session"
    return caller if signed_in else None


def _no(text: str) -> Response:
    return pages.page(
        "message.html", HTTPStatus.BAD_REQUEST, heading="This cannot be allowed", text=text
    )

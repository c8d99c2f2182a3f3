"""A client and a person going through OAuth, step by step."""

from __future__ import annotations

import base64
import hashlib
import html
import re
import secrets
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2

from tests.serve.accounts.service import Service

REDIRECT = "http://127.0.0.1:7777/callback"
HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)">')


@dataclass
class Flow:
    """One client of a service.

    Attributes:
        verifier: its PKCE secret.
    """

    service: Service
    client_id: str = ""
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(40))

    def register(self, **metadata: Any) -> httpx2.Response:
        """Register, and go on as that client."""
        asked = {"redirect_uris": [REDIRECT], "client_name": "Editor", **metadata}
        answer = self.service.http.post("/register", json=asked)
        if answer.status_code == 201:
            self.client_id = answer.json()["client_id"]
        return answer

    def asking(self, **changes: str | None) -> dict[str, str]:
        """What the client asks for, with changes; ``None`` leaves a field out."""
        challenge = hashlib.sha256(self.verifier.encode()).digest()
        asked: dict[str, str | None] = {
            "client_id": self.client_id,
            "redirect_uri": REDIRECT,
            "response_type": "code",
            "code_challenge": base64.urlsafe_b64encode(challenge).decode().rstrip("="),
            "code_challenge_method": "S256",
            "state": "st&te",
            "scope": "memory:read memory:write",
            "resource": f"{self.service.url}/mcp",
            **changes,
        }
        return {name: value for name, value in asked.items() if value is not None}

    def ask(self, person: httpx2.Client, **changes: str | None) -> httpx2.Response:
        """What the person sees."""
        return person.get("/authorize", params=self.asking(**changes))

    def allow(self, person: httpx2.Client, **decided: Any) -> httpx2.Response:
        """The person allows it, or what they decide."""
        return submit(person, self.ask(person), **decided)

    def code(self, person: httpx2.Client, **decided: Any) -> str:
        """The code that the client receives."""
        return returned(self.allow(person, **decided))["code"]

    def exchange(self, code: str, **changes: str | None) -> httpx2.Response:
        """Tokens for a code."""
        return self.token(
            grant_type="authorization_code",
            code=code,
            **{"code_verifier": self.verifier, "redirect_uri": REDIRECT, **changes},
        )

    def refresh(self, token: str, **changes: str | None) -> httpx2.Response:
        """Tokens for a refresh token."""
        return self.token(grant_type="refresh_token", refresh_token=token, **changes)

    def token(self, **fields: str | None) -> httpx2.Response:
        """A call of the token endpoint."""
        sent: dict[str, str | None] = {"client_id": self.client_id, **fields}
        form = {name: value for name, value in sent.items() if value is not None}
        return self.service.http.post("/token", data=form)

    def works(self, access: str) -> bool:
        """Whether the service takes an access token."""
        return self.service.bearing(access).get("/api/v1/account").status_code == 200


def submit(person: httpx2.Client, page: httpx2.Response, **decided: Any) -> httpx2.Response:
    """Allow what a consent page asks for, or what was decided."""
    assert page.status_code == 200, page.text
    form: dict[str, Any] = {n: html.unescape(value) for n, value in HIDDEN.findall(page.text)}
    form |= {"memory_scopes": "ada-notes", "may_write": "yes", "decision": "allow", **decided}
    return person.post("/authorize", data={n: v for n, v in form.items() if v is not None})


def returned(answer: httpx2.Response) -> dict[str, str]:
    """What a redirect brings to the client."""
    assert answer.status_code == 302, answer.text
    assert answer.headers["location"].startswith(f"{REDIRECT}?")
    return {n: v for n, (v,) in parse_qs(urlsplit(answer.headers["location"]).query).items()}

"""One request for a page: who asks, for which scope, with which values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import FormData, QueryParams, UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from hypermnesia.errors import InvalidInput
from hypermnesia.memory import Memory
from hypermnesia.serve.access import Access
from hypermnesia.serve.accounts.hall import Hall
from hypermnesia.serve.accounts.managing import caller_of
from hypermnesia.serve.console.pages import render
from hypermnesia.serve.console.said import Said, said

HOME = "/console"


@dataclass(frozen=True, slots=True)
class Visit:
    """What a view works with.

    Attributes:
        access: the memory as the visitor may use it.
        scope: the scope of the page; the visitor may use it.
        path: the page, below the console's own path.
        asked: values of the address.
        sent: values of the form, when one was sent.
        token: what a form of the page must carry.
        request: what it came with, for the few pages about the service itself.
    """

    access: Access
    scope: str
    path: str
    asked: QueryParams
    sent: FormData
    token: str = field(repr=False)
    request: Request = field(repr=False)

    @property
    def memory(self) -> Memory:
        """The memory."""
        return self.access.memory

    @property
    def may_write(self) -> bool:
        """Whether the visitor may change what is remembered."""
        return not self.access.principal.read_only

    @property
    def may_own(self) -> bool:
        """Whether the visitor looks after the whole store."""
        return self.access.principal.admin and self.may_write

    @property
    def hall(self) -> Hall | None:
        """Accounts and the rules for them; ``None`` in a service without."""
        hall = getattr(self.request.state, "hall", None)
        return hall if isinstance(hall, Hall) else None

    @property
    def session(self) -> str | None:
        """What a form that ends the session must carry; ``None`` where nobody signed in."""
        caller = caller_of(self.request)
        signed_in = caller is not None and caller.credential.kind == "session"
        return getattr(self.request.state, "csrf", None) if signed_in else None

    def value(self, name: str) -> str | None:
        """A text of the form or the address; ``None`` when it is missing or blank."""
        found = self.sent.get(name, self.asked.get(name))
        return found.strip() or None if isinstance(found, str) else None

    def values(self, name: str) -> list[str]:
        """All texts of a name, blank ones left out."""
        found: Sequence[object] = [*self.sent.getlist(name), *self.asked.getlist(name)]
        return [value for value in found if isinstance(value, str) and value.strip()]

    def needed(self, name: str) -> str:
        """A text that must be there.

        Raises:
            InvalidInput: it is not.
        """
        value = self.value(name)
        if value is None:
            raise InvalidInput(f"{name} is missing; open the page from within the console")
        return value

    def whole(self, name: str, default: int) -> int:
        """A whole number.

        Raises:
            InvalidInput: the text is none.
        """
        value = self.value(name)
        if value is None:
            return default
        if not (value.isascii() and value.isdigit() and len(value) <= 15):  # noqa: PLR2004 - < 2**53
            raise InvalidInput(f"{name} must be a whole number")
        return int(value)

    def upload(self, name: str) -> UploadFile:
        """A file of the form.

        Raises:
            InvalidInput: none was chosen.
        """
        found = self.sent.get(name)
        if not isinstance(found, UploadFile) or not found.filename:
            raise InvalidInput("no file was chosen")
        return found

    def link(self, path: str = "", **values: Any) -> str:
        """The address of a page in this scope; values that are ``None`` or empty are left out."""
        scope = None if self.scope == self.memory.scope else self.scope
        given = {"scope": scope, **values}
        query = urlencode({n: v for n, v in given.items() if v not in (None, "", [])}, doseq=True)
        return f"{HOME}{path}{'?' if query else ''}{query}"

    def go(self, path: str, done: str, **values: Any) -> Response:
        """Send the browser to a page that says what was done."""
        return RedirectResponse(self.link(path, done=done, **values), 303)

    def moved(self, scope: str) -> Response:
        """Send the browser to the same page in another scope, which the visitor may use."""
        given = {name: self.asked.getlist(name) for name in self.asked if name != "scope"}
        query = urlencode({"scope": scope, **given}, doseq=True)
        return RedirectResponse(f"{HOME}{self.path}?{query}", 303)

    def page(self, template: str, *, status: int = 200, **values: Any) -> Response:
        """A page made from a template."""
        return render(template, status, {**self._shared(), **values})

    def _shared(self) -> Mapping[str, Any]:
        """What every template may use."""
        notice: Said | None = said(self.asked.get("done"))
        return {
            "visit": self,
            "link": self.link,
            "scope": self.scope,
            "path": self.path,
            "token": self.token,
            "said": notice,
        }

"""The few pages that people see before they are known: sign-in, setup, consent."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse, Response


def page(template: str, status: int = 200, *, leads_to: str = "", **values: Any) -> Response:
    """A page; everything put into it is escaped.

    Args:
        template: its file.
        status: of the answer.
        leads_to: an origin that its form may end at, by a redirect.
        **values: what the template shows.
    """
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self';"
        f" form-action 'self' {leads_to}; base-uri 'none'; frame-ancestors 'none'"
    )
    headers = {
        "Content-Security-Policy": policy,
        "X-Content-Type-Options": "nosniff",
        # Not no-referrer: a browser would then hide the origin of the page's own form.
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cache-Control": "no-store",
    }
    text = _templates().get_template(template).render({"problem": "", **values})
    return HTMLResponse(text, status, headers)


def setup_script() -> Response:
    """What takes the setup code out of the address."""
    headers = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache"}
    return Response(_script(), media_type="text/javascript", headers=headers)


@cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("hypermnesia.serve.accounts"),
        autoescape=True,
        undefined=StrictUndefined,
    )


@cache
def _script() -> str:
    return (files("hypermnesia.serve.accounts") / "templates" / "link.js").read_text("utf-8")

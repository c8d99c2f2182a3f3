"""What a visitor sees when a page cannot be shown or an action not be done."""

from __future__ import annotations

from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from hypermnesia.errors import HypermnesiaError
from hypermnesia.serve.console.pages import render
from hypermnesia.serve.http.problem import told


def failure(request: Request, error: HypermnesiaError | HTTPException) -> Response:
    """A page with what was wrong and what to do; other formats get it from the REST service."""
    own = isinstance(error, HypermnesiaError)
    status = told(error).status_code if own else error.status_code
    detail = str(error) if own else error.detail
    values = {"status": status, "title": HTTPStatus(status).phrase, "detail": detail}
    if request.url.path.endswith("/part"):
        return render("failure_part.html", status, values)
    return render("failure.html", status, values)

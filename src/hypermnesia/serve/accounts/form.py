"""Forms as they are sent: small, plain, each field once, from a page of the service's own."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from urllib.parse import parse_qsl

from starlette.requests import Request

from hypermnesia.errors import Forbidden
from hypermnesia.serve.accounts.secret import same
from hypermnesia.serve.accounts.site import Site, header
from hypermnesia.serve.http.problem import Failed

MOST_BYTES = 32_000
MOST_FIELDS = 40
CSRF_FIELD = "csrf_token"


async def form_of(request: Request) -> Mapping[str, str]:
    """The fields of a form.

    Raises:
        Failed: it is too large, no form, or names a field twice.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise Failed(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "no-form", "send a form, URL-encoded")
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            raise Failed(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too-large", "the form is too large")
    return fields_of(bytes(body))


def fields_of(encoded: bytes) -> Mapping[str, str]:
    """URL-encoded fields, each of which may stand there once (RFC 6749, 3.1).

    Raises:
        Failed: one stands there twice, or it cannot be decoded.
    """
    try:
        pairs = parse_qsl(
            encoded.decode("ascii"), True, errors="strict", max_num_fields=MOST_FIELDS
        )
    except ValueError:  # which UnicodeDecodeError is, too
        raise Failed(HTTPStatus.BAD_REQUEST, "bad-form", "the form cannot be read") from None
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise Failed(HTTPStatus.BAD_REQUEST, "ambiguous", "a field stands there twice")
    return fields


def check_origin(request: Request, site: Site) -> None:
    """Refuse a form of a page that is not the service's own.

    Raises:
        Forbidden: it is another's, or nobody knows whose.
    """
    origin = header(request.scope, b"origin")
    fetched = header(request.scope, b"sec-fetch-site")
    own = origin is not None and site.own_origin(request.scope, origin)
    if fetched not in {None, "same-origin"} or not (own or fetched == "same-origin"):
        raise Forbidden("the form was not sent by a page of this service; open it and try again")


def check_token(request: Request, fields: Mapping[str, str]) -> None:
    """Refuse a form without the token of the session.

    Raises:
        Forbidden: it is missing or another session's.
    """
    expected = getattr(request.state, "csrf", None)
    if not isinstance(expected, str) or not same(fields.get(CSRF_FIELD, ""), expected):
        raise Forbidden("the form belongs to another session; open the page again and send it anew")

# SPDX-License-Identifier: Apache-2.0
"""Who may do what: host names, the token, sizes, headers of every answer."""

from __future__ import annotations

import hmac
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from starlette.responses import JSONResponse, Response

if TYPE_CHECKING:
    from starlette.requests import Request

MAX_REQUESTS = 64  # at one time; more are answered with 503
FOREIGN_ORIGIN = "a page of another server cannot change this one"
READ_ONLY = "this server is read-only: it was started without a token"
MAX_BODY = 32 << 20  # bytes of one POST; a record has 2 to 100 kB

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


# The page with forms: they go to this server alone, and browsers say where they come from.
FORM_HEADERS = {
    "Content-Security-Policy": HEADERS["Content-Security-Policy"].replace(
        "form-action 'none'", "form-action 'self'"
    ),
    "Referrer-Policy": "same-origin",
}


class TooLarge(Exception):
    """The body is larger than MAX_BODY."""


def refusal_response(status: int, why: str) -> Response:
    """Return a refusal as JSON; a refusal for want of a token says how to bring one."""
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
    return JSONResponse({"error": why}, status, headers)


def is_name_of_this_server(header: str, allowed: Sequence[str]) -> bool:
    """Whether the Host header names this server.

    A page of elsewhere whose name was made to point here (DNS rebinding) names itself.
    """
    match = re.fullmatch(r"(?:\[([^]]*)\]|([^:]*))(?::[0-9]+)?", header.strip().lower())
    return match is not None and (match[1] or match[2]) in allowed


def why_write_is_refused(
    request: Request, token: str | None, hosts: Sequence[str]
) -> Response | None:
    """Return the refusal; None when the request carries the token.

    The token comes in a header that no page of elsewhere can make a browser send, and never from a
    cookie. A page that says where it is from and is not from here is refused before that.
    """
    if token is None:
        return refusal_response(403, READ_ONLY)
    if not is_same_origin(request, hosts):
        return refusal_response(403, FOREIGN_ORIGIN)
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not same_token(given, token):
        return refusal_response(401, "this needs the token: Authorization: Bearer TOKEN")
    return None


def has_content_type(request: Request, kind: str) -> bool:
    """Whether the body is said to be of a kind, whatever its parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip() == kind


def is_same_origin(request: Request, hosts: Sequence[str]) -> bool:
    """Whether a request is of a page of this server, or of none (curl says no origin)."""
    origin = request.headers.get("origin")
    return origin is None or is_name_of_this_server(origin.partition("://")[2], hosts)


def same_token(given: str, token: str) -> bool:
    """Whether this is the token; it takes as long for one that is nearly right."""
    return hmac.compare_digest(given.strip().encode("utf-8", "replace"), token.encode())


async def read_body(request: Request, most: int = MAX_BODY) -> bytes:
    """Return the body. Raises TooLarge before more than `most` bytes are held."""
    declared_length = request.headers.get("content-length", "0")
    if not declared_length.isdigit() or int(declared_length) > most:
        raise TooLarge
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise TooLarge
        parts.append(part)
    return b"".join(parts)

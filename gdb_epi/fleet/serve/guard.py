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


class TooLarge(Exception):
    """The body is larger than MAX_BODY."""


def refusal(status: int, why: str) -> Response:
    """Return a refusal as JSON; a refusal for want of a token says how to bring one."""
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
    return JSONResponse({"error": why}, status, headers)


def known_host(header: str, allowed: Sequence[str]) -> bool:
    """Whether the Host header names this server.

    A page of elsewhere whose name was made to point here (DNS rebinding) names itself.
    """
    match = re.fullmatch(r"(?:\[([^]]*)\]|([^:]*))(?::[0-9]+)?", header.strip().lower())
    return match is not None and (match[1] or match[2]) in allowed


def may_ingest(request: Request, token: str | None) -> Response | None:
    """Return the refusal; None when the request carries the token."""
    if token is None:
        return refusal(403, "this server is read-only: it was started without a token for ingest")
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    matches = hmac.compare_digest(given.strip().encode(), token.encode())
    if scheme.lower() != "bearer" or not matches:
        return refusal(401, "ingest needs the token: Authorization: Bearer TOKEN")
    return None


async def body_of(request: Request) -> bytes:
    """Return the body. Raises TooLarge before more than MAX_BODY bytes are held."""
    declared_length = request.headers.get("content-length", "0")
    if not declared_length.isdigit() or int(declared_length) > MAX_BODY:
        raise TooLarge
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > MAX_BODY:
            raise TooLarge
        parts.append(part)
    return b"".join(parts)

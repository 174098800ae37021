# SPDX-License-Identifier: Apache-2.0
"""The routes. Handlers are plain functions: Starlette runs them in threads."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

from sqlalchemy import Engine
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from gdb_epi.errors import EpiError, InputError, UsageError
from gdb_epi.fleet.report.gather import ReportScope, gather_page
from gdb_epi.fleet.report.html import render_core, render_page
from gdb_epi.fleet.serve import answers
from gdb_epi.fleet.serve.access_checks import (
    HEADERS,
    MAX_BODY,
    MAX_REQUESTS,
    TooLarge,
    has_content_type,
    is_name_of_this_server,
    read_body,
    refusal_response,
    why_write_is_refused,
)
from gdb_epi.fleet.serve.cache import AnswerCache
from gdb_epi.fleet.serve.forms import MAX_DECISION, PATH, DecisionPage
from gdb_epi.fleet.serve.metrics import CONTENT_TYPE, metrics
from gdb_epi.fleet.store.day_of_prune import read_prune_day_by_itself

MAX_NAME = 512  # characters of a name in a path or query
MIN_PACKED = 4 << 10  # bytes of an answer that is worth packing; a page has megabytes
API, JSON = "/api/v1", "application/json"


class ServerSettings(NamedTuple):
    """What the server was started with."""

    hosts: tuple[str, ...]  # names by which it may be addressed, in lower case
    token: str | None = None  # for ingest; None: read-only


def make_app(engine: Engine, settings: ServerSettings) -> ASGIApp:
    """Return the application."""
    server = _Server(engine, settings)
    get: Mapping[str, Callable[[Request], Response]] = {
        "/": server.report,
        "/signature/{name:path}": server.signature,
        "/core/{name}": server.core,
        "/metrics": server.metrics,
        "/healthz": server.health,
        f"{API}/signatures": server.answer_by_query(
            lambda e, q: answers.signatures_answer(e, _number(q, "limit", 20))
        ),
        f"{API}/signatures/{{name:path}}": server.answer_by_name(answers.signature_answer),
        f"{API}/cores/{{name}}": server.answer_by_name(answers.core_record),
        f"{API}/hosts/{{name:path}}": server.answer_by_name(answers.host_answer),
        f"{API}/trend": server.answer_by_query(
            lambda e, q: answers.trend_answer(e, q.get("signature"))
        ),
        f"{API}/new": server.answer_by_query(
            lambda e, q: answers.new_signatures_answer(e, _number(q, "days", 7))
        ),
        f"{API}/findings": server.answer_by_query(lambda e, _: answers.findings_answer(e)),
        f"{API}/states": server.answer_by_query(lambda e, _: answers.states_answer(e)),
        f"{API}/verdicts": server.answer_by_query(lambda e, _: answers.verdicts_answer(e)),
    }
    routes = [Route(path, handler, methods=["GET"]) for path, handler in get.items()]
    routes.append(Route(f"{API}/records", server.records, methods=["POST"]))
    routes.append(Route(f"{API}/marks", server.take_decision, methods=["POST"]))
    forms = DecisionPage(engine, settings.token, settings.hosts)
    routes.append(Route(PATH, forms.show, methods=["GET"]))
    routes.append(Route(PATH, forms.take, methods=["POST"]))
    failures: Any = {
        answers.NotFound: lambda _, error: refusal_response(404, str(error)),
        ValueError: lambda _, error: refusal_response(400, str(error)),
        ClientDisconnect: lambda *_: refusal_response(400, "the client left"),  # nobody reads it
        TooLarge: lambda *_: refusal_response(413, f"a body has at most {MAX_BODY} bytes"),
        EpiError: lambda _, error: refusal_response(500, error.line()),
        404: lambda *_: refusal_response(404, "there is no such page"),
        405: lambda *_: refusal_response(405, "this address does not take that method"),
    }
    packed = [Middleware(GZipMiddleware, minimum_size=MIN_PACKED)]
    app = Starlette(routes=routes, exception_handlers=failures, middleware=packed)
    return _HostCheck(app, settings.hosts)


class _Server:
    def __init__(self, engine: Engine, settings: ServerSettings) -> None:
        self._engine = engine
        self._settings = settings
        self._cache = AnswerCache(engine)
        # A scrape must not wait for a page in the making.
        self._counters = AnswerCache(engine)

    def report(self, request: Request) -> Response:
        """The whole report."""
        return HTMLResponse(self._cache.get("report", lambda: self._page(None)))

    def signature(self, request: Request) -> Response:
        """The report about one signature."""
        text = answers.signature_text(self._engine, _name(request))
        return HTMLResponse(self._cache.get(("signature", text), lambda: self._page(text)))

    def _page(self, signature: str | None) -> str:
        return render_page(
            gather_page(self._engine, ReportScope(signature=signature)), _core_address
        )

    def core(self, request: Request) -> Response:
        """The record of one core."""
        return HTMLResponse(render_core(answers.core_record(self._engine, _name(request))))

    def metrics(self, request: Request) -> Response:
        """Prometheus' text format."""
        text = self._counters.get("metrics", lambda: metrics(self._engine))
        return Response(text, media_type=CONTENT_TYPE)

    def health(self, request: Request) -> Response:
        """Whether the database answers."""
        read_prune_day_by_itself(self._engine)  # any question does, this one reads a single row
        return JSONResponse({"ok": True, "ingest": self._settings.token is not None})

    def answer_by_query(
        self, ask: Callable[[Engine, Mapping[str, str]], Any]
    ) -> Callable[[Request], Response]:
        """Return the handler of a question with parameters."""

        def handler(request: Request) -> Response:
            query = {key: value[:MAX_NAME] for key, value in request.query_params.items()}
            key = (request.url.path, tuple(sorted(query.items())))
            return _Json(self._cache.get(key, lambda: ask(self._engine, query)))

        return handler

    def answer_by_name(self, ask: Callable[[Engine, str], Any]) -> Callable[[Request], Response]:
        """Return the handler of a question about something with a name."""

        def handler(request: Request) -> Response:
            return _Json(ask(self._engine, _name(request)))

        return handler

    async def records(self, request: Request) -> Response:
        """Take records in, for those who have the token."""
        refused = why_write_is_refused(request, self._settings.token, self._settings.hosts)
        if refused is not None:
            return refused
        done = await run_in_threadpool(
            answers.store_records, self._engine, await read_body(request)
        )
        return JSONResponse(done, 200 if not done["rejects"] else 422)

    async def take_decision(self, request: Request) -> Response:
        """Take a decision on a signature or host from a client that has the token."""
        refused = why_write_is_refused(request, self._settings.token, self._settings.hosts)
        if refused is not None:
            return refused
        if not has_content_type(request, JSON):
            return refusal_response(415, f"a decision is a JSON object: Content-Type: {JSON}")
        body = await read_body(request, MAX_DECISION)
        try:
            held = await run_in_threadpool(answers.store_decision, self._engine, body)
        except InputError as error:
            return refusal_response(404, error.line())
        except UsageError as error:
            return refusal_response(422, error.line())
        return _Json(held)


class _Json(JSONResponse):
    """JSON in ASCII: a record may hold half of a surrogate pair, or a number that JSON lacks."""

    def render(self, content: Any) -> bytes:
        """Return the body; NaN and infinities become null."""
        try:
            return json.dumps(content, allow_nan=False).encode("ascii")
        except ValueError:
            finite = json.loads(json.dumps(content), parse_constant=lambda _: None)
            return json.dumps(finite).encode("ascii")


class _HostCheck:
    """Refuses foreign host names and too many requests at once.

    Gives every answer the headers that keep browsers in check.
    """

    def __init__(self, app: ASGIApp, hosts: tuple[str, ...]) -> None:
        self._app = app
        self._hosts = hosts
        self._requests = 0  # being answered

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Any) -> None:
            if message["type"] == "http.response.start":
                given = {name.lower() for name, _ in message["headers"]}
                every = [(k.lower().encode(), v.encode()) for k, v in HEADERS.items()]
                missing = [(name, value) for name, value in every if name not in given]
                message = {**message, "headers": [*message["headers"], *missing]}
            await send(message)

        header = dict(scope["headers"]).get(b"host", b"").decode("latin-1")
        app = (
            self._app
            if is_name_of_this_server(header, self._hosts)
            else refusal_response(400, "unknown host name")
        )
        if self._requests >= MAX_REQUESTS:
            app = refusal_response(503, f"{MAX_REQUESTS} requests are being answered; again later")
        self._requests += 1
        try:
            await app(scope, receive, guarded)
        finally:
            self._requests -= 1


def _core_address(key: str) -> str:
    return f"/core/{quote(key, safe='')}"


def _name(request: Request) -> str:
    return str(request.path_params["name"])[:MAX_NAME]


def _number(query: Mapping[str, str], name: str, default: int) -> int:
    """Return a parameter. Raises ValueError, which is answered with 400."""
    given = query.get(name, str(default))
    if not given.isascii() or not given.isdigit() or len(given) > 6:
        raise ValueError(f"{name} is not a number: {given[:40]!r}")
    return int(given)

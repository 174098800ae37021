# SPDX-License-Identifier: Apache-2.0
"""The routes, the page of decisions, who may do what, and answers that are kept.

Handlers are plain functions: Starlette runs them in threads. The token is typed into a form (a
password manager keeps it) and travels in its body, or comes in a header. The server sets no cookie,
so that no page of elsewhere can make a browser send anything that counts.
"""

from __future__ import annotations

import hmac
import json
import re
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from threading import Lock
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, quote, urlencode

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from sqlalchemy import Engine, func, select
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from gdb_epi.errors import EpiError, InputError, UsageError
from gdb_epi.fleet.decisions.current_state import FIXED, HOST, IGNORED, SIGNATURE, STATE_WORDS
from gdb_epi.fleet.decisions.finding_states import findings_to_raise, stored_findings
from gdb_epi.fleet.decisions.record_decision import DecisionResult, record_decision
from gdb_epi.fleet.decisions.states import failed_fixes, read_decision_states
from gdb_epi.fleet.population.host_spelling import match_spellings
from gdb_epi.fleet.questions.population_verdict import kind_of_cause
from gdb_epi.fleet.records.projection import is_of_this_model
from gdb_epi.fleet.report.build_page import MAX_STATES, ReportScope, build_page, state_rows
from gdb_epi.fleet.report.html import render_core, render_decisions, render_page
from gdb_epi.fleet.report.page import DecisionForm, DecisionsPage, StateChoice
from gdb_epi.fleet.report.text_formatting import harmless_text
from gdb_epi.fleet.screen.finding import finding_identity
from gdb_epi.fleet.serve import answers
from gdb_epi.fleet.serve.answers import parse_decision, screened_now
from gdb_epi.fleet.store import tables
from gdb_epi.fleet.store.day_of_prune import read_prune_day_by_itself
from gdb_epi.fleet.store.plain_sql import sqlalchemy_executor
from gdb_epi.judgement.labels import LABELS

# -- Prometheus' metrics: crashes by category and verdict, and what stands out now -----------------
#
# Crashes are never counted by signature or host, which would be millions of series. What stands
# out is screened for each state of the database, so that nobody needs to run `fleet screen` for
# it; at most MAX_SERIES of it have labels.

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
VERDICTS = frozenset(LABELS)
MAX_CATEGORIES = 60  # the vocabulary has 25 and classes below some of them
MAX_SERIES = 100  # findings with labels
MAX_LABEL = 200  # characters
NEW = "new"  # was never raised, or was settled on less evidence
OTHER, NONE, OTHER_MODEL = "other", "none", "other-model"
_CATEGORY = re.compile(r"[a-z][a-z0-9:_-]{0,60}\Z")


def metrics(engine: Engine) -> bytes:
    """Return the metrics in Prometheus' text format."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_CrashMetricsCollector(engine))
    return generate_latest(registry)


class _CrashMetricsCollector:
    """Asks the database when it is scraped."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics."""
        description = "Core dumps in the fleet database by category and verdict of the single core."
        crashes = CounterMetricFamily(
            "gdb_epi_crashes", description, labels=("category", "verdict")
        )
        for values, count in sorted(_crash_counts(self._engine).items()):
            crashes.add_metric(values, count)
        yield crashes
        description = "Findings over the population by state."
        findings = GaugeMetricFamily("gdb_epi_findings", description, labels=("state",))
        state = tables.finding.c.state
        with self._engine.connect() as connection:
            rows = select(state, func.count()).group_by(state).order_by(state)
            for name, count in connection.execute(rows):
                findings.add_metric((str(name),), int(count))
        yield findings
        yield from _finding_metrics(self._engine)
        yield from _state_metrics(self._engine)


def _finding_metrics(engine: Engine) -> Iterator[Metric]:
    description = "Crashes of what has more than its share now; no screening by hand is needed."
    labels = ("finding", "kind", "host", "state")
    gauge = GaugeMetricFamily("gdb_epi_finding_crashes", description, labels=labels)
    population, screened = screened_now(engine)
    before = stored_findings(engine)
    states = {old.identity: old.state for old in before}
    findings = sorted(screened.findings, key=lambda f: f.p) if screened is not None else []
    for finding in findings[:MAX_SERIES]:
        state = states.get(finding_identity(*finding.identity), NEW)
        if state != NEW and findings_to_raise([finding], before):
            state = NEW  # settled on clearly less evidence
        host = finding.value if finding.attr == HOST else ""
        name = f"{finding.attr}={finding.value} {finding.signature}"
        kind = kind_of_cause(population, (finding,))
        values = [_metric_label(text) for text in (name, kind, host, state)]
        gauge.add_metric(values, finding.n)
    yield gauge
    description = "Findings that stand out now, those without a series of their own too."
    yield GaugeMetricFamily("gdb_epi_findings_now", description, value=len(findings))


def _state_metrics(engine: Engine) -> Iterator[Metric]:
    description = "Signatures and hosts by the state that people gave them."
    gauge = GaugeMetricFamily("gdb_epi_states", description, labels=("about", "state"))
    description = "Crashes of a fixed signature on the version of its fix or later."
    again = GaugeMetricFamily(
        "gdb_epi_regressed_crashes", description, labels=("signature", "fixed_in")
    )
    with engine.connect() as connection:
        states = read_decision_states(sqlalchemy_executor(connection), time.time())
    counts = Counter((state.current.subject.about, state.state) for state in states)
    for values, count in sorted(counts.items()):
        gauge.add_metric(values, count)
    for state, fix in failed_fixes(states)[:MAX_SERIES]:
        labels = [_metric_label(state.current.subject.name), _metric_label(fix.version)]
        again.add_metric(labels, fix.crashes_again)
    yield gauge
    yield again


def _metric_label(text: str) -> str:
    """A label of whatever a process called itself: one line, not too long."""
    return harmless_text(text, MAX_LABEL)


def _crash_counts(engine: Engine) -> Counter[tuple[str, str]]:
    """Count; words that are none of the vocabulary, as records from afar may have, are `other`."""
    c = tables.crash.c
    chosen = (
        select(tables.sig.c.category, c.verdict, func.count(c.id))
        .select_from(tables.crash.outerjoin(tables.sig, c.sig_id == tables.sig.c.id))
        .group_by(tables.sig.c.category, c.verdict)
        .order_by(func.count(c.id).desc(), tables.sig.c.category)
    )
    counts: Counter[tuple[str, str]] = Counter()
    named: set[str] = set()
    with engine.connect() as connection:
        for category, verdict, count in connection.execute(chosen):
            counts[(_metric_category(category, named), _metric_verdict(verdict))] += int(count)
    return counts


def _metric_category(category: str | None, named: set[str]) -> str:
    if category is None:
        return NONE
    if category not in named and (len(named) >= MAX_CATEGORIES or not _CATEGORY.match(category)):
        return OTHER
    named.add(category)
    return category


def _metric_verdict(verdict: str | None) -> str:
    if verdict is None:
        return NONE
    if not is_of_this_model(verdict):
        return OTHER_MODEL
    return verdict if verdict in VERDICTS else OTHER


# -- The routes, the page of decisions, who may do what, and answers that are kept -----------------

MAX_NAME = 512  # characters of a name in a path or query
MIN_PACKED = 4 << 10  # bytes of an answer that is worth packing; a page has megabytes
API, JSON = "/api/v1", "application/json"
MAX_KEPT = 32  # answers; a page has up to 3 MB
MAX_REQUESTS = 64  # at one time; more are answered with 503
FOREIGN_ORIGIN = "a page of another server cannot change this one"
READ_ONLY = "this server is read-only: it was started without a token"
MAX_BODY = 32 << 20  # bytes of one POST; a record has 2 to 100 kB
PATH = "/decisions"
MAX_DECISION = 64 << 10  # bytes
MAX_FIELDS = 20
MAX_SHOWN = 512  # characters of a name that an address gives
FORM = "application/x-www-form-urlencoded"
_STATES = {
    about: tuple(StateChoice(state, f"{state}: {words}") for state, words in states.items())
    for about, states in STATE_WORDS.items()
}
_STATES[SIGNATURE] += (
    StateChoice(FIXED, "fixed in the version below"),
    StateChoice(IGNORED, "ignored until the day below"),
)
_TITLES = {SIGNATURE: ("A signature", "key, or its start"), HOST: ("A host", "name")}

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


class ServerSettings(NamedTuple):
    """What the server was started with."""

    hosts: tuple[str, ...]  # names by which it may be addressed, in lower case
    token: str | None = None  # for ingest; None: read-only


def make_app(engine: Engine, settings: ServerSettings) -> ASGIApp:
    """Return the application."""
    server = _Server(engine, settings)
    get: Mapping[str, Callable[[Request], Response]] = {
        "/": server.serve_report_page,
        "/signature/{name:path}": server.serve_signature_page,
        "/core/{name}": server.serve_core_record,
        "/metrics": server.metrics,
        "/healthz": server.health,
        f"{API}/signatures": server.make_query_handler(
            lambda e, q: answers.signatures_answer(e, _query_number(q, "limit", 20))
        ),
        f"{API}/signatures/{{name:path}}": server.make_name_handler(answers.signature_answer),
        f"{API}/cores/{{name}}": server.make_name_handler(answers.core_record),
        f"{API}/hosts/{{name:path}}": server.make_name_handler(answers.host_answer),
        f"{API}/trend": server.make_query_handler(
            lambda e, q: answers.trend_answer(e, q.get("signature"))
        ),
        f"{API}/new": server.make_query_handler(
            lambda e, q: answers.new_signatures_answer(e, _query_number(q, "days", 7))
        ),
        f"{API}/findings": server.make_query_handler(lambda e, _: answers.findings_answer(e)),
        f"{API}/states": server.make_query_handler(lambda e, _: answers.states_answer(e)),
        f"{API}/verdicts": server.make_query_handler(lambda e, _: answers.verdicts_answer(e)),
    }
    routes = [Route(path, handler, methods=["GET"]) for path, handler in get.items()]
    routes.append(Route(f"{API}/records", server.receive_records, methods=["POST"]))
    routes.append(Route(f"{API}/marks", server.take_decision, methods=["POST"]))
    forms = DecisionPage(engine, settings.token, settings.hosts)
    routes.append(Route(PATH, forms.show, methods=["GET"]))
    routes.append(Route(PATH, forms.take_decision, methods=["POST"]))
    failures: Any = {
        answers.NotFound: lambda _, error: refusal_response(404, str(error)),
        ValueError: lambda _, error: refusal_response(400, str(error)),
        ClientDisconnect: lambda *_: refusal_response(400, "the client left"),  # nobody reads it
        TooLarge: lambda *_: refusal_response(413, f"a body has at most {MAX_BODY} bytes"),
        EpiError: lambda _, error: refusal_response(500, error.one_line_text()),
        404: lambda *_: refusal_response(404, f"there is no such page; there are {', '.join(get)}"),
        405: lambda *_: refusal_response(405, "this address does not take that method"),
    }
    packed = [Middleware(GZipMiddleware, minimum_size=MIN_PACKED)]
    app = Starlette(routes=routes, exception_handlers=failures, middleware=packed)
    return _HostAndLoadCheck(app, settings.hosts)


class _Server:
    def __init__(self, engine: Engine, settings: ServerSettings) -> None:
        self._engine = engine
        self._settings = settings
        self._cache = AnswerCache(engine)
        # A scrape must not wait for a page in the making.
        self._counters = AnswerCache(engine)

    def serve_report_page(self, request: Request) -> Response:
        """The whole report."""
        return HTMLResponse(
            self._cache.answer_for_state("report", lambda: self._render_report_page(None))
        )

    def serve_signature_page(self, request: Request) -> Response:
        """The report about one signature."""
        text = answers.signature_text(self._engine, _name_in_path(request))
        return HTMLResponse(
            self._cache.answer_for_state(
                ("signature", text), lambda: self._render_report_page(text)
            )
        )

    def _render_report_page(self, signature: str | None) -> str:
        return render_page(
            build_page(self._engine, ReportScope(signature=signature)), _core_address
        )

    def serve_core_record(self, request: Request) -> Response:
        """The record of one core."""
        return HTMLResponse(render_core(answers.core_record(self._engine, _name_in_path(request))))

    def metrics(self, request: Request) -> Response:
        """Prometheus' text format."""
        text = self._counters.answer_for_state("metrics", lambda: metrics(self._engine))
        return Response(text, media_type=CONTENT_TYPE)

    def health(self, request: Request) -> Response:
        """Whether the database answers."""
        read_prune_day_by_itself(self._engine)  # any question does, this one reads a single row
        return JSONResponse({"ok": True, "ingest": self._settings.token is not None})

    def make_query_handler(
        self, ask: Callable[[Engine, Mapping[str, str]], Any]
    ) -> Callable[[Request], Response]:
        """Return the handler of a question with parameters."""

        def handler(request: Request) -> Response:
            query = {key: value[:MAX_NAME] for key, value in request.query_params.items()}
            key = (request.url.path, tuple(sorted(query.items())))
            return _AsciiJsonResponse(
                self._cache.answer_for_state(key, lambda: ask(self._engine, query))
            )

        return handler

    def make_name_handler(self, ask: Callable[[Engine, str], Any]) -> Callable[[Request], Response]:
        """Return the handler of a question about something with a name."""

        def handler(request: Request) -> Response:
            return _AsciiJsonResponse(ask(self._engine, _name_in_path(request)))

        return handler

    async def receive_records(self, request: Request) -> Response:
        """Take records in, for those who have the token."""
        refused = refusal_of_write(request, self._settings.token, self._settings.hosts)
        if refused is not None:
            return refused
        done = await run_in_threadpool(
            answers.store_records, self._engine, await read_body(request)
        )
        return JSONResponse(done, 200 if not done["rejects"] else 422)

    async def take_decision(self, request: Request) -> Response:
        """Take a decision on a signature or host from a client that has the token."""
        refused = refusal_of_write(request, self._settings.token, self._settings.hosts)
        if refused is not None:
            return refused
        if not has_content_type(request, JSON):
            return refusal_response(415, f"a decision is a JSON object: Content-Type: {JSON}")
        body = await read_body(request, MAX_DECISION)
        try:
            held = await run_in_threadpool(answers.store_decision, self._engine, body)
        except InputError as error:
            return refusal_response(404, error.one_line_text())
        except UsageError as error:
            return refusal_response(422, error.one_line_text())
        return _AsciiJsonResponse(held)


class _AsciiJsonResponse(JSONResponse):
    """JSON in ASCII: a record may hold half of a surrogate pair, or a number that JSON lacks."""

    def render(self, content: Any) -> bytes:
        """Return the body; NaN and infinities become null."""
        try:
            return json.dumps(content, allow_nan=False).encode("ascii")
        except ValueError:
            finite = json.loads(json.dumps(content), parse_constant=lambda _: None)
            return json.dumps(finite).encode("ascii")


class _HostAndLoadCheck:
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


def _name_in_path(request: Request) -> str:
    return str(request.path_params["name"])[:MAX_NAME]


def _query_number(query: Mapping[str, str], name: str, default: int) -> int:
    """Return a parameter. Raises ValueError, which is answered with 400."""
    given = query.get(name, str(default))
    if not given.isascii() or not given.isdigit() or len(given) > 6:
        raise ValueError(f"{name} is not a number: {given[:40]!r}")
    return int(given)


class DecisionPage:
    """Shows what was decided, and takes decisions."""

    def __init__(self, engine: Engine, token: str | None, hosts: Sequence[str]) -> None:
        self._engine = engine
        self._token = token
        self._hosts = hosts

    def show(self, request: Request) -> Response:
        """All decisions, or those about one signature or host, which the forms begin with."""
        given = {key: request.query_params.get(key, "")[:MAX_SHOWN] for key in ("about", "name")}
        return self._render_page(given)

    async def take_decision(self, request: Request) -> Response:
        """Take a decision; the answer leads to the page that shows what holds then."""
        if self._token is None:
            return await self._page_of_refused_decision({}, 403, READ_ONLY)
        if not is_same_origin(request, self._hosts):
            return await self._page_of_refused_decision({}, 403, FOREIGN_ORIGIN)
        if not has_content_type(request, FORM):
            return await self._page_of_refused_decision({}, 415, f"a form is sent as {FORM}")
        body = await read_body(request, MAX_DECISION)
        pairs = parse_qsl(body.decode("utf-8", "replace"), max_num_fields=MAX_FIELDS)
        given = {name: value.strip() for name, value in pairs}
        token = given.pop("token", "")
        if not is_same_token(token, self._token):
            problem = "this is not the token of the server" if token else "the token is missing"
            return await self._page_of_refused_decision(given, 403, problem)
        try:
            decided = await run_in_threadpool(self._record_given_decision, given)
        except (InputError, UsageError) as error:
            return await self._page_of_refused_decision(given, 422, str(error))
        where = {"about": decided.subject.about, "name": decided.subject.name}
        return RedirectResponse(f"{PATH}?{urlencode(where)}", 303, FORM_HEADERS)

    async def _page_of_refused_decision(
        self, given: Mapping[str, str], status: int, problem: str
    ) -> Response:
        # The page asks the database: not in the thread that serves everybody.
        return await run_in_threadpool(self._render_page, given, status, problem)

    def _record_given_decision(self, given: Mapping[str, str]) -> DecisionResult:
        texts = {name: value for name, value in given.items() if value}
        return record_decision(self._engine, parse_decision(texts), time.time())

    def _render_page(
        self, given: Mapping[str, str], status: int = 200, problem: str = ""
    ) -> Response:
        about, name = given.get("about", ""), given.get("name", "")
        with self._engine.connect() as connection:
            states = read_decision_states(sqlalchemy_executor(connection), time.time())
        if name and not problem:
            same = match_spellings([name], [s.current.subject.name for s in states])
            states = [
                s for s in states
                if s.current.subject.about == about
                and (s.current.subject.name == name or (about == HOST and s.text in same))
            ]  # fmt: skip
        page = DecisionsPage(
            rows=state_rows(states),
            of=name if not problem else "",
            forms=_decision_forms(given) if self._token is not None else (),
            problem=problem,
            action=PATH,
            more=max(len(states) - MAX_STATES, 0),
        )
        return HTMLResponse(render_decisions(page), status, FORM_HEADERS)


def _decision_forms(given: Mapping[str, str]) -> tuple[DecisionForm, ...]:
    """The form of what was asked about, or both; what was typed stands in it again."""
    asked = [about for about in _STATES if about == given.get("about")]
    return tuple(
        DecisionForm(about, *_TITLES[about], _STATES[about], given if asked else {})
        for about in asked or _STATES
    )


def database_fingerprint(engine: Engine) -> Hashable:
    """Return a value that changes with the crashes, the host-hours, findings and decisions."""
    finding, mark = tables.finding.c, tables.mark.c
    with engine.connect() as connection:
        changes = connection.execute(select(func.count(), func.max(tables.change.c.id))).one()
        rows = select(func.count(), func.max(finding.decided_at), func.sum(finding.raised))
        decided = connection.execute(select(func.count(), func.max(mark.id))).one()
        return (*changes, *connection.execute(rows).one(), *decided)


class AnswerCache:
    """Keeps answers for one state of the database; each is made by a single thread."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._kept: OrderedDict[Hashable, tuple[Hashable, Any]] = OrderedDict()
        self._lock = Lock()
        self._making = Lock()

    def answer_for_state(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return the answer, made where it is not there for this state."""
        state = database_fingerprint(self._engine)
        kept = self._find_current_answer(key, state)
        if kept is not None:
            return kept[1]
        # One at a time: ten readers of one page must not make it ten times.
        with self._making:
            kept = self._find_current_answer(key, state)
            if kept is not None:
                return kept[1]
            answer = make()
        with self._lock:
            self._kept[key] = (state, answer)
            self._kept.move_to_end(key)
            while len(self._kept) > MAX_KEPT:
                self._kept.popitem(last=False)
        return answer

    def _find_current_answer(self, key: Hashable, state: Hashable) -> tuple[Hashable, Any] | None:
        with self._lock:
            kept = self._kept.get(key)
        return kept if kept is not None and kept[0] == state else None


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


def refusal_of_write(request: Request, token: str | None, hosts: Sequence[str]) -> Response | None:
    """Return the refusal; None when the request carries the token.

    The token comes in a header that no page of elsewhere can make a browser send, and never from a
    cookie. A page that says where it is from and is not from here is refused before that.
    """
    if token is None:
        return refusal_response(403, READ_ONLY)
    if not is_same_origin(request, hosts):
        return refusal_response(403, FOREIGN_ORIGIN)
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not is_same_token(given, token):
        return refusal_response(401, "this needs the token: Authorization: Bearer TOKEN")
    return None


def has_content_type(request: Request, kind: str) -> bool:
    """Whether the body is said to be of a kind, whatever its parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip() == kind


def is_same_origin(request: Request, hosts: Sequence[str]) -> bool:
    """Whether a request is of a page of this server, or of none (curl says no origin)."""
    origin = request.headers.get("origin")
    return origin is None or is_name_of_this_server(origin.partition("://")[2], hosts)


def is_same_token(given: str, token: str) -> bool:
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

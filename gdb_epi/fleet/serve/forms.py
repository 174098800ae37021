# SPDX-License-Identifier: Apache-2.0
"""The page of decisions, and its forms for those who have the token.

The token is typed into the form (a password manager keeps it) and travels in its body. The server
sets no cookie, so that no page of elsewhere can make a browser send anything that counts.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from urllib.parse import parse_qsl, urlencode

from sqlalchemy import Engine
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from gdb_epi.errors import InputError, UsageError
from gdb_epi.fleet.decisions.current_state import FIXED, HOST, IGNORED, SIGNATURE, STATE_WORDS
from gdb_epi.fleet.decisions.record_decision import DecisionResult, record_decision
from gdb_epi.fleet.decisions.states import read_states
from gdb_epi.fleet.population.host_spelling import match_spellings
from gdb_epi.fleet.report.html import render_decisions
from gdb_epi.fleet.report.page import DecisionForm, DecisionsPage, StateChoice
from gdb_epi.fleet.report.states import MAX_STATES, state_rows
from gdb_epi.fleet.serve.access_checks import (
    FOREIGN_ORIGIN,
    FORM_HEADERS,
    READ_ONLY,
    has_content_type,
    is_same_origin,
    read_body,
    same_token,
)
from gdb_epi.fleet.serve.answers import decision_of
from gdb_epi.fleet.store.plain_sql import sqlalchemy_executor

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


class DecisionPage:
    """Shows what was decided, and takes decisions."""

    def __init__(self, engine: Engine, token: str | None, hosts: Sequence[str]) -> None:
        self._engine = engine
        self._token = token
        self._hosts = hosts

    def show(self, request: Request) -> Response:
        """All decisions, or those about one signature or host, which the forms begin with."""
        given = {key: request.query_params.get(key, "")[:MAX_SHOWN] for key in ("about", "name")}
        return self._page(given)

    async def take(self, request: Request) -> Response:
        """Take a decision; the answer leads to the page that shows what holds then."""
        if self._token is None:
            return await self._refused({}, 403, READ_ONLY)
        if not is_same_origin(request, self._hosts):
            return await self._refused({}, 403, FOREIGN_ORIGIN)
        if not has_content_type(request, FORM):
            return await self._refused({}, 415, f"a form is sent as {FORM}")
        body = await read_body(request, MAX_DECISION)
        pairs = parse_qsl(body.decode("utf-8", "replace"), max_num_fields=MAX_FIELDS)
        given = {name: value.strip() for name, value in pairs}
        token = given.pop("token", "")
        if not same_token(token, self._token):
            problem = "this is not the token of the server" if token else "the token is missing"
            return await self._refused(given, 403, problem)
        try:
            decided = await run_in_threadpool(self._decide, given)
        except (InputError, UsageError) as error:
            return await self._refused(given, 422, str(error))
        where = {"about": decided.subject.about, "name": decided.subject.name}
        return RedirectResponse(f"{PATH}?{urlencode(where)}", 303, FORM_HEADERS)

    async def _refused(self, given: Mapping[str, str], status: int, problem: str) -> Response:
        # The page asks the database: not in the thread that serves everybody.
        return await run_in_threadpool(self._page, given, status, problem)

    def _decide(self, given: Mapping[str, str]) -> DecisionResult:
        texts = {name: value for name, value in given.items() if value}
        return record_decision(self._engine, decision_of(texts), time.time())

    def _page(self, given: Mapping[str, str], status: int = 200, problem: str = "") -> Response:
        about, name = given.get("about", ""), given.get("name", "")
        with self._engine.connect() as connection:
            states = read_states(sqlalchemy_executor(connection), time.time())
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
            forms=_forms(given) if self._token is not None else (),
            problem=problem,
            action=PATH,
            more=max(len(states) - MAX_STATES, 0),
        )
        return HTMLResponse(render_decisions(page), status, FORM_HEADERS)


def _forms(given: Mapping[str, str]) -> tuple[DecisionForm, ...]:
    """The form of what was asked about, or both; what was typed stands in it again."""
    asked = [about for about in _STATES if about == given.get("about")]
    return tuple(
        DecisionForm(about, *_TITLES[about], _STATES[about], given if asked else {})
        for about in asked or _STATES
    )

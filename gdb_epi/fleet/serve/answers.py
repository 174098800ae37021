# SPDX-License-Identifier: Apache-2.0
"""What the API answers: plain values, from the same questions as `gdb-epi fleet`."""

from __future__ import annotations

import time
from collections.abc import Mapping
from io import BytesIO
from typing import Any

from sqlalchemy import Engine

from gdb_epi.errors import InputError, UsageError
from gdb_epi.fleet.decisions.current_state import HOST, SIGNATURE
from gdb_epi.fleet.decisions.finding_states import stored_findings
from gdb_epi.fleet.decisions.record_decision import DecisionToRecord, record_decision
from gdb_epi.fleet.decisions.repairs import (
    screen_without_repaired_hosts_past,
    separate_past_of_repaired_hosts,
)
from gdb_epi.fleet.decisions.states import day_before_repair_by_host, read_decision_states
from gdb_epi.fleet.population.cache import load_population, load_population_without_attributes
from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.questions import lookup
from gdb_epi.fleet.questions import signatures as curves
from gdb_epi.fleet.questions.find_signature import SignatureGroup
from gdb_epi.fleet.questions.population_verdict import judge_population, judge_signature
from gdb_epi.fleet.questions.signatures import top_signatures
from gdb_epi.fleet.records.prepare import RecordPreparer
from gdb_epi.fleet.records.reader import read_record_stream
from gdb_epi.fleet.screen.screening import ScreeningResult
from gdb_epi.fleet.store.day_numbers import iso_day
from gdb_epi.fleet.store.ingest import store_batches
from gdb_epi.fleet.store.plain_sql import sqlalchemy_executor
from gdb_epi.util import parse_json_object

MAX_ROWS = 1000
MAX_DAYS = 3660
SHOWN_REJECTS = 20
SOMEBODY = "somebody with the server's token"  # who decides, where nobody is named


class NotFound(Exception):
    """Nothing in the database is called that."""


def signatures_answer(engine: Engine, limit: int) -> list[dict[str, Any]]:
    """The most frequent signatures."""
    return [row._asdict() for row in top_signatures(engine, min(max(limit, 1), MAX_ROWS))]


def signature_answer(engine: Engine, wanted: str) -> dict[str, Any]:
    """One signature: what is stored, its curve, and the verdict of the population."""
    group = _find_signature_group(engine, wanted)
    population = load_population(engine)
    name = group.name
    judged = None
    if name in population.signatures and population.day.size:
        day = population.last_day
        judged = judge_signature(population, population.signatures.index(name), day).as_json(day)
    curve = [_day_json(row) for row in curves.epidemic_curve(population, group.name)]
    named = {"kind": group.kind, "key": group.key, "text": group.text, "category": group.category}
    summary = lookup.summarise_signature(engine, group)._asdict()
    return {**named, **summary, "curve": curve, "verdict": judged}


def _find_signature_group(engine: Engine, wanted: str) -> SignatureGroup:
    try:
        group = lookup.find_signature_group(engine, wanted)
    except InputError as error:
        raise NotFound(error.one_line_text()) from error
    if group is None:
        raise NotFound(f"no signature {wanted!r}")
    return group


def signature_text(engine: Engine, wanted: str) -> str:
    """The text by which the population names a signature."""
    group = _find_signature_group(engine, wanted)
    return group.name


def core_record(engine: Engine, wanted: str) -> dict[str, Any]:
    """The stored record of a core."""
    record = lookup.find_record(engine, wanted)
    if record is None:
        raise NotFound(f"no core {wanted!r}")
    return record


def host_answer(engine: Engine, wanted: str) -> dict[str, Any]:
    """One host: its attributes and crashes."""
    ids = lookup.find_host_ids(engine, wanted)
    if not ids:
        raise NotFound(f"no host {wanted!r}")
    attributes = [{"attr": a, "value": v} for a, v in lookup.host_attributes(engine, ids)]
    return {
        "host": wanted,
        "attributes": attributes,
        **lookup.summarise_host(engine, ids)._asdict(),
    }


def trend_answer(engine: Engine, wanted: str | None) -> list[dict[str, Any]]:
    """The epidemic curve of one signature, or of all."""
    name = None if wanted is None else _find_signature_group(engine, wanted).name
    return [
        _day_json(row)
        for row in curves.epidemic_curve(load_population_without_attributes(engine), name)
    ]


def _day_json(row: curves.EpidemicCurveDay) -> dict[str, Any]:
    return {"date": iso_day(row.day), **row._asdict()}


def new_signatures_answer(engine: Engine, days: float) -> list[dict[str, Any]]:
    """The signatures first seen in the last days before the latest crash."""
    population = load_population_without_attributes(engine)
    until = curves.latest_crash_time(population)
    if until is None:
        return []
    window = min(max(days, 0.0), float(MAX_DAYS))
    rows = curves.new_signatures(engine, population, window, until, MAX_ROWS)
    # As `top` says it: the day on which a record came in is no time of a crash.
    return [{**row._asdict(), "first_seen": row.first_seen if row.timed else None} for row in rows]


def findings_answer(engine: Engine) -> list[dict[str, Any]]:
    """The findings that were raised, with their state."""
    return [{"date": iso_day(f.day), **f._asdict()} for f in stored_findings(engine)]


def verdicts_answer(engine: Engine) -> list[dict[str, Any]]:
    """What stands out now, judged."""
    population, screened = screened_now(engine)
    if screened is None:
        return []
    judged = judge_population(population, screened.day, screened)
    return [verdict.as_json(screened.day) for verdict in judged]


def screened_now(engine: Engine) -> tuple[Population, ScreeningResult | None]:
    """What stands out now, without what repaired hosts did before; None: there is no crash."""
    with engine.connect() as connection:
        repaired = day_before_repair_by_host(sqlalchemy_executor(connection), time.time())
    population = separate_past_of_repaired_hosts(load_population(engine), repaired)
    return population, screen_without_repaired_hosts_past(population)


def states_answer(engine: Engine) -> list[dict[str, Any]]:
    """What was decided of signatures and hosts, with the history."""
    with engine.connect() as connection:
        held = read_decision_states(sqlalchemy_executor(connection), time.time())
    return [state.as_json() for state in held]


def store_decision(engine: Engine, body: bytes) -> dict[str, Any]:
    """Write a decision down: a JSON object with `about`, `name` and what is said about it.

    Raises UsageError for one that makes no sense, InputError where nothing has that name.
    """
    given = parse_json_object(body)
    if given is None:
        raise UsageError("a decision is a JSON object", hint='{"about": "signature", "name": KEY}')
    decided = record_decision(engine, parse_decision(given), time.time())
    about, lines = decided.subject.about, decided.lines
    return {"about": about, "lines": lines, "states": states_answer(engine)}


def parse_decision(given: Mapping[Any, Any]) -> DecisionToRecord:
    """Return the decision that a client sent. Raises UsageError for what is none."""
    unknown = sorted(map(str, given.keys() - set(DecisionToRecord._fields)))
    texts = {name: value for name, value in given.items() if value is not None}
    if unknown or not all(isinstance(value, str) for value in texts.values()):
        what = f"not known: {', '.join(unknown)[:200]}" if unknown else "its values are texts"
        raise UsageError(what, hint=", ".join(DecisionToRecord._fields))
    if texts.get("about") not in (SIGNATURE, HOST) or not texts.get("name"):
        raise UsageError("a decision names a signature or a host", hint="about, name")
    return DecisionToRecord(**{"who": SOMEBODY, **texts})


def store_records(engine: Engine, body: bytes) -> dict[str, Any]:
    """Store records: JSON lines, or one JSON object or array."""
    preparer = RecordPreparer()
    outcome = store_batches(
        engine, (preparer.prepare_part(part) for part in read_record_stream("body", BytesIO(body)))
    )
    rejected = [{"where": where, "why": why} for where, why in outcome.rejected[:SHOWN_REJECTS]]
    return {**outcome._asdict(), "rejected": rejected, "rejects": len(outcome.rejected)}

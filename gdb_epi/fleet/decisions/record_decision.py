# SPDX-License-Identifier: Apache-2.0
"""Record a person's decision: check it, write it down, say what holds now.

The shell and the server take the same `DecisionToRecord`.
"""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, Engine, func, select

from gdb_epi.errors import InputError, UsageError
from gdb_epi.fleet.decisions.current_state import (
    ACKNOWLEDGED,
    FIXED,
    HEALTHY,
    HOST,
    HOST_STATES,
    IGNORED,
    NOTED,
    REGRESSED,
    REPAIRED,
    SIGNATURE,
    SIGNATURE_STATES,
    CurrentState,
    DecisionSubject,
    StoredDecision,
    insert_decision,
    read_current_state,
)
from gdb_epi.fleet.decisions.decision_lines import host_decision_lines, signature_decision_lines
from gdb_epi.fleet.decisions.finding_states import CONFIRMED, OPEN
from gdb_epi.fleet.decisions.fix_assessment import (
    DEFAULT_NAME,
    attribute_names_with_version,
    attribute_names_with_versions,
    count_versions_seen,
    why_fix_cannot_be_watched,
)
from gdb_epi.fleet.population.host_spelling import match_spellings, read_host_names
from gdb_epi.fleet.questions.find_signature import require_signature
from gdb_epi.fleet.store import tables
from gdb_epi.fleet.store.day_numbers import MAX_DAY, SECONDS_A_DAY, parse_written_day
from gdb_epi.fleet.store.plain_sql import Execute, sqlalchemy_executor
from gdb_epi.fleet.store.transactions import begin_write, note_change
from gdb_epi.util import counted

MAX_HINTED_NAMES = 12  # names with versions that a hint lists


class DecisionToRecord(NamedTuple):
    """What somebody decides; the texts are as they were typed."""

    about: str  # signature or host
    name: str  # a key, its start, part of the text; the name of a host
    who: str
    state: str | None = None
    fixed_in: str | None = None
    version_of: str | None = None
    ignore_until: str | None = None
    owner: str | None = None
    ticket: str | None = None
    note: str | None = None
    on: str | None = None  # the day of the event of a host, when it is recorded later


class DecisionResult(NamedTuple):
    """The subject of a decision, and what holds for it now, as lines."""

    subject: DecisionSubject
    lines: list[str]


def record_decision(engine: Engine, decision: DecisionToRecord, now: float) -> DecisionResult:
    """Store a decision; return what holds then.

    Raises UsageError for one that makes no sense, InputError where nothing has that name.
    """
    state = _new_state(decision)
    until = _parse_end_of_ignoring(decision.ignore_until)
    moment = _event_time(decision, state, now)
    with begin_write(engine) as connection:
        execute = sqlalchemy_executor(connection)
        subject = _find_subject(connection, execute, decision)
        current = read_current_state(execute, subject, now)
        state = state or _default_state(current)
        version = decision.fixed_in
        if version and subject.about == SIGNATURE:
            decision = _decision_with_version_of(execute, subject, decision)
            _check_fix(execute, subject, decision)
        mark = StoredDecision(
            subject, moment, decision.who, state, version,
            (decision.version_of or DEFAULT_NAME) if version else None,
            decision.owner, decision.ticket, decision.note, until,
        )  # fmt: skip
        insert_decision(connection, mark)
        if subject.about == HOST and state == REPAIRED:
            # Settle the findings raised about a host before its repair: only later ones count.
            c = tables.finding.c
            of_hosts = (c.attr == HOST) & c.state.in_((OPEN, CONFIRMED))
            raised = connection.execute(select(c.value).where(of_hosts)).scalars().all()
            every = read_host_names(execute)  # a label may be that of several
            spelt = match_spellings([subject.name], [*raised, *every])
            mine = of_hosts & c.value.in_([value for value in raised if value in spelt])
            mine &= c.day <= int(moment // SECONDS_A_DAY)
            values = {"state": REPAIRED, "decided_at": moment, "decided_n": c.n, "decided_p": c.p}
            connection.execute(tables.finding.update().where(mine).values(values))
        note_change(connection)
        lines = _state_lines(execute, subject)
        if subject.about == HOST and state == REPAIRED:
            lines.append(_crashes_before_repair_words(connection, subject.name, moment))
        return DecisionResult(subject, lines)


def _new_state(decision: DecisionToRecord) -> str | None:
    """Return the new state; None where it stays and only owner, ticket or note are added."""
    given = [decision.state, FIXED if decision.fixed_in else None]
    given.append(IGNORED if decision.ignore_until else None)
    states = list(dict.fromkeys(state for state in given if state))
    allowed = SIGNATURE_STATES if decision.about == SIGNATURE else HOST_STATES
    if len(states) > 1:
        raise UsageError(f"{states[0]} or {states[1]}, not both")
    if not states and not (decision.owner or decision.ticket or decision.note):
        raise UsageError(
            f"nothing to note of this {decision.about}",
            hint="--acknowledged or --fixed-in 2.3"
            if decision.about == SIGNATURE
            else "--drained or --repaired",
        )
    if states and (states[0] not in allowed or states[0] == REGRESSED):
        what = f"a {decision.about} cannot be marked {states[0]}"
        raise UsageError(what, hint=", ".join(s for s in allowed if s != REGRESSED))
    if states == [FIXED] and not decision.fixed_in:
        raise UsageError("say in which version it is fixed", hint="--fixed-in 2.3")
    if decision.version_of and not decision.fixed_in:
        raise UsageError("--of says whose version --fixed-in is", hint="--fixed-in 2.3 --of torch")
    return states[0] if states else None


def _default_state(current: CurrentState) -> str:
    """Return the state where none was given: a first decision on a signature acknowledges it."""
    if current.mark is not None:
        return NOTED
    return ACKNOWLEDGED if current.subject.about == SIGNATURE else HEALTHY


def _parse_end_of_ignoring(given: str | None) -> float | None:
    return (
        None
        if given is None
        else (_parse_day(given, "--ignore-until 2026-12-31") + 1) * SECONDS_A_DAY
    )


def _event_time(decision: DecisionToRecord, state: str | None, now: float) -> float:
    """Return the time of the event that the decision is about."""
    if decision.on is None:
        return now
    if decision.about != HOST or state is None:
        raise UsageError("--on is the day of what became of a host", hint="--repaired --on DAY")
    day = _parse_day(decision.on, "--on 2026-11-21")
    if day * SECONDS_A_DAY > now:
        raise UsageError(f"{decision.on} is not over yet", hint="--on a day that was")
    return float(day * SECONDS_A_DAY)


def _parse_day(given: str, hint: str) -> int:
    day = parse_written_day(given)
    if day is None or not 0 <= day < MAX_DAY:
        raise UsageError(f"no day: {given!r}", hint=hint)
    return day


def _find_subject(
    connection: Connection, execute: Execute, decision: DecisionToRecord
) -> DecisionSubject:
    if decision.about == SIGNATURE:
        group = require_signature(execute, decision.name)
        return DecisionSubject(SIGNATURE, group.kind, group.key)
    if decision.about != HOST:
        raise UsageError(f"{decision.about!r} is neither a signature nor a host")
    host = tables.host.c
    rows = connection.execute(
        select(host.name, host.machine_id).where(
            (host.name == decision.name) | (host.machine_id == decision.name)
        )
    ).all()
    names = {name or machine for name, machine in rows}
    if not names:  # by case, or with its domain and without
        names = set(match_spellings(read_host_names(execute), [decision.name]).values())
    if not names:
        raise InputError(f"no host {decision.name!r}", hint="gdb-epi fleet suspects")
    if len(names) > 1:
        raise InputError(f"{len(names)} hosts have the machine id {decision.name!r}")
    return DecisionSubject(HOST, "", names.pop())


def _crashes_before_repair_words(connection: Connection, host: str, moment: float) -> str:
    """Say how many crashes of a repaired host, until the end of that day, count no more."""
    c, end = tables.crash.c, (moment // SECONDS_A_DAY + 1) * SECONDS_A_DAY
    mine = (c.host_id == tables.host.c.id) & (tables.host.c.name == host)
    past, since = (
        connection.execute(
            select(func.count()).select_from(tables.crash).where(mine, when)
        ).scalar()
        for when in (c.ts < end, c.ts >= end)
    )
    return f"{counted(past or 0, 'crash')} until then count against it no more; {since} since then"


def _state_lines(execute: Execute, subject: DecisionSubject) -> list[str]:
    if subject.about == HOST:
        words = host_decision_lines(execute, subject.name)
        return words or [f"host {subject.name} is healthy"]
    return [f"signature {subject.name}", *signature_decision_lines(execute, *subject[1:])]


def _decision_with_version_of(
    execute: Execute, subject: DecisionSubject, decision: DecisionToRecord
) -> DecisionToRecord:
    """Return a decision that says whose version it is, where one name alone has that version."""
    if decision.version_of or count_versions_seen(execute, subject, DEFAULT_NAME)[0]:
        return decision
    names = attribute_names_with_version(execute, subject, decision.fixed_in or "")
    return decision._replace(version_of=names[0]) if len(names) == 1 else decision


def _check_fix(execute: Execute, subject: DecisionSubject, decision: DecisionToRecord) -> None:
    """Raise UsageError where no crash tells such a version: the mark would do nothing but silence.

    One that cannot be compared with those of today may be with later ones: its state says so.
    """
    name, version = decision.version_of or DEFAULT_NAME, decision.fixed_in or ""
    seen, _ = count_versions_seen(execute, subject, name)
    if not seen:
        why = why_fix_cannot_be_watched(seen, name, version)
        names = attribute_names_with_versions(execute, subject)
        some = ", ".join(names[:MAX_HINTED_NAMES])
        some += ", ..." if len(names) > MAX_HINTED_NAMES else ""
        where = f"--of NAME, one of {some}; or " if names else ""
        own = f"gdb-epi host-facts --set {name}=X -o host.json, beside the cores of version X"
        raise UsageError(why, hint=f"{where}--acknowledged --note TEXT; to record it: {own}")

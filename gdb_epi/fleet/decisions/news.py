# SPDX-License-Identifier: Apache-2.0
"""News to send: findings, regressions, hosts that fail again; each once to each address."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from math import inf
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Connection, Engine, select

from gdb_epi.fleet.decisions.current_state import (
    BACK,
    FIXED,
    HEALTHY,
    HOST,
    REGRESSED,
    SIGNATURE,
    SUSPECT,
    TOOL,
    read_current_states,
)
from gdb_epi.fleet.decisions.daily_screening import describe_unscreened_crashes
from gdb_epi.fleet.decisions.finding_states import CONFIRMED, OPEN, StoredFinding, stored_findings
from gdb_epi.fleet.decisions.fix_assessment import (
    FixAssessment,
    cores_crashed_after_fix,
    describe_fix,
)
from gdb_epi.fleet.decisions.states import StateWithCrashes, failed_fixes, read_decision_states
from gdb_epi.fleet.population.cache import load_population, load_population_without_attributes
from gdb_epi.fleet.population.population import FOREVER_AGO, Population
from gdb_epi.fleet.questions.signature_history import (
    name_signatures_by_causes,
    signature_title,
    some_records,
)
from gdb_epi.fleet.questions.signatures import (
    NewSignature,
    TopSignature,
    find_program,
    new_signatures,
    top_signatures,
)
from gdb_epi.fleet.records.facts import program_in_words
from gdb_epi.fleet.screen.events import find_events
from gdb_epi.fleet.screen.finding import ALL
from gdb_epi.fleet.screen.finding_texts import NOTHING_NEEDED, describe_test
from gdb_epi.fleet.screen.silent_hosts import find_silent_groups
from gdb_epi.fleet.store import tables
from gdb_epi.fleet.store.day_numbers import SECONDS_A_DAY, iso_day
from gdb_epi.fleet.store.dimensions import insert_statement
from gdb_epi.fleet.store.plain_sql import sqlalchemy_executor
from gdb_epi.fleet.store.transactions import begin_write
from gdb_epi.render.signature_words import WHERE, signature_phrase_and_key
from gdb_epi.util import counted

FINDING, REGRESSION, AGAIN, DIGEST = ("finding", "regression", "host-again", "digest")
MAX_TITLE = 300  # characters
MAX_CORES = 100  # that one item names
MAX_TOP = 5  # signatures of a digest
MAX_LISTED = 20  # lines of one part of a digest
MIN_HOST_DAYS, MAX_STOPPED = 5, 0.1  # of a host before it stopped; of the hosts, in some days
MAX_COUNTED = 100_000  # signatures that a title counts


class NewsItem(NamedTuple):
    """One piece of news. It is sent once per `subject`, which holds no secret and no address."""

    subject: str
    kind: str  # finding, regression, host-again, digest
    title: str  # one sentence
    lines: tuple[str, ...]  # the numbers behind it
    host: str | None
    crashes: int
    cores: tuple[str, ...]  # at most MAX_CORES keys, the latest first
    detail: dict[str, Any]

    def as_json(self) -> dict[str, Any]:
        """Return it as one JSON object."""
        return {**self._asdict(), "lines": list(self.lines), "cores": list(self.cores)}


def unsent_news(engine: Engine, address: str) -> list[NewsItem]:
    """Return the news an address has not had: open findings, regressions, hosts that fail again.

    News that could not be delivered is returned again the next time.
    """
    moment, channel = time.time(), hash_address(address)
    with engine.connect() as connection:
        execute = sqlalchemy_executor(connection)
        n = tables.notice.c
        sent = set(connection.execute(select(n.subject).where(n.channel == channel)).scalars())
        news = [
            _item_of_finding(f) for f in stored_findings(engine) if f.state in (OPEN, CONFIRMED)
        ]
        for state, fix in failed_fixes(read_decision_states(execute, moment)):
            cores = cores_crashed_after_fix(execute, state.current.subject, fix)
            news.append(_item_of_regression(state, fix, cores))
        raised = {entry.host for entry in news}
        for subject, held in read_current_states(execute, HOST, moment).items():
            mark = held.mark
            is_mine = held.state == SUSPECT and held.who == TOOL and subject.name not in raised
            if mark is not None and is_mine:
                title = _cut_title(f"{subject.name}: {mark.note or 'fails again'}")
                once = f"host {subject.name} {mark.at:.0f}"
                news.append(NewsItem(once, AGAIN, title, (), subject.name, 0, (), {}))
    return [entry for entry in news if entry.subject not in sent]


def record_sent_news(engine: Engine, address: str, news: Sequence[NewsItem]) -> None:
    """Record which news an address was sent."""
    channel, now = hash_address(address), time.time()
    with begin_write(engine) as connection:
        rows = [{"at": now, "channel": channel, "subject": entry.subject} for entry in news]
        if rows:
            connection.execute(
                insert_statement(connection, tables.notice).on_conflict_do_nothing(), rows
            )


def hash_address(address: str) -> str:
    """Return an id of an address for the database, from which nobody can read the address."""
    return hashlib.sha256(address.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _item_of_finding(finding: StoredFinding, program: str = "") -> NewsItem:
    detail = finding.detail
    verdict = finding.verdict
    lines = [finding.numbers_line(interval=False)]
    if detail.get("test"):
        lines.append(
            describe_test(str(detail["test"]), str(detail.get("exposure", NOTHING_NEEDED)))
        )
    lines += [f"but: {caveat}" for caveat in detail.get("caveats", ())]
    settle = f"gdb-epi fleet confirm {finding.id}, or gdb-epi fleet dismiss {finding.id}"
    lines.append(f"to settle it: {settle}")
    host = finding.value if finding.attr == HOST else None
    subject = f"{finding.attr}={finding.value} {finding.signature} {finding.raised}"
    title = verdict if finding.value in verdict else f"{finding.attr}={finding.value}: {verdict}"
    if not finding.signature.startswith(ALL):
        title += f": {signature_phrase_and_key(finding.signature, program)}"
    cores = tuple(detail.get("cores", ())[:MAX_CORES])
    more = {**detail, "id": finding.id, "state": finding.state, "raised": finding.raised}
    more.pop("cores", None)
    return NewsItem(subject, FINDING, _cut_title(title), tuple(lines), host, finding.n, cores, more)


def _item_of_regression(
    state: StateWithCrashes, fix: FixAssessment, cores: Sequence[str]
) -> NewsItem:
    held = state.current
    fixes = [mark.at for mark in held.history if mark.state == FIXED]
    subject = f"regressed {held.subject.kind}:{held.subject.name} {fix.version} {fixes[-1]:.0f}"
    lines = (signature_phrase_and_key(state.text), *held.owner_and_ticket())
    return NewsItem(
        subject, REGRESSION, _regression_title(state), lines, None, fix.crashes_again,
        tuple(cores), {"state": state.as_json()},
    )  # fmt: skip


def _regression_title(state: StateWithCrashes) -> str:
    words = REGRESSED if state.fix is None else describe_fix(state.fix)
    return _cut_title(f"{state.current.subject.name}: {words}")


def make_digest(engine: Engine, days: int, until: int, now: float) -> NewsItem:
    """Return the news of the last `days` days, up to and including a day, as one item.

    What needs a person comes first; empty parts are left out.
    """
    first, end = until - days + 1, (until + 1) * SECONDS_A_DAY
    findings = [
        f for f in stored_findings(engine) if f.state in (OPEN, CONFIRMED) and f.day <= until
    ]
    fresh = [f for f in findings if f.day >= first]
    still_open = [f for f in findings if f not in fresh and f.state == OPEN]
    with engine.connect() as connection:
        moment = min(now, end - 1)
        execute = sqlalchemy_executor(connection)
        states = read_decision_states(execute, moment, end if end <= now else inf)
        later = sum(
            held.since is not None and end <= min(held.since, now)
            for about in (SIGNATURE, HOST)
            for held in read_current_states(execute, about, now).values()
        )
        programs = _programs_by_signature(
            connection, [*fresh[:MAX_LISTED], *still_open[:MAX_LISTED]]
        )
        was_screened, unscreened = describe_unscreened_crashes(connection, until)
        named = name_signatures_by_causes(
            sqlalchemy_executor(connection),
            [_item_of_finding(f, programs.get(f.signature, "")).title for f in findings],
        )
    # An acknowledged bug that stands out for the first time is no news to those who know it.
    decided = {s.text: f" ({s.state})" for s in states if s.current.subject.about == SIGNATURE}
    titles = {
        f.id: f"finding {f.id}{decided.get(f.signature.partition(WHERE)[0], '')}: {title}"
        for f, title in zip(findings, named, strict=True)
    }
    regressed = [s for s in states if s.state == REGRESSED]
    hosts = [
        s for s in states if s.current.subject.about == HOST and s.state not in (HEALTHY, BACK)
    ]
    population = load_population(engine, until)
    new = new_signatures(engine, load_population_without_attributes(engine), days, end, MAX_COUNTED)
    top = top_signatures(engine, MAX_TOP, until if end <= now else None)
    lines = [unscreened] if unscreened else []
    _add_titled_lines(lines, "New findings:", [titles[f.id] for f in fresh])
    _add_titled_lines(lines, "Regressed:", [_regression_title(s) for s in regressed])
    _add_titled_lines(lines, "Still open:", [titles[f.id] for f in still_open])
    _add_titled_lines(lines, "Hosts:", [f"{s.text}: {s.state}" for s in hosts])
    silent = [f"a fall may be silence: {group.words()}" for group in find_silent_groups(population)]
    _add_titled_lines(
        lines, "Silent:", silent or _lines_of_hosts_whose_hours_ended(population, first)
    )
    _add_titled_lines(lines, "New signatures:", _signature_lines(engine, new))
    fresh_keys = {row.key for row in new}
    others = _signature_lines(engine, [row for row in top if row.key not in fresh_keys])
    _add_titled_lines(
        lines,
        "Most frequent of all time, beside them:" if new else "Most frequent of all time:",
        others,
    )
    if later:
        lines.append(f"Decided after these days, and left out: {later}; gdb-epi fleet states")
    span = f"{iso_day(first)} to {iso_day(until)}"
    latest = max((row.last_seen for row in top if row.last_seen is not None), default=None)
    if latest is not None and latest < first * SECONDS_A_DAY:
        when = iso_day(int(latest // SECONDS_A_DAY))
        lines.insert(0, f"No crash in these days: the last one of the most frequent was on {when}")
    title = counted(len(fresh), "new finding") if was_screened else "no screening has run"
    title = f"{span}: {title}, {len(regressed)} regressed, "
    title += (
        f"{counted(len(new), 'new signature')}; {_crash_counts_words(population, first, until)}"
    )
    numbers = [f.id for f in (*fresh, *still_open)]
    kept = {"days": days, "until": iso_day(until), "screened": not unscreened, "findings": numbers}
    return NewsItem(f"digest {span}", DIGEST, title, tuple(lines), None, 0, (), kept)


def _crash_counts_words(population: Population, first: int, until: int) -> str:
    """Return how many crashes some days had, and the same number of days before them."""
    repeats = find_events(population).repeated_crashes
    days = population.day[population.has_time & ~repeats]
    span = until + 1 - first
    now, before = (
        int(np.count_nonzero((days >= day) & (days < day + span))) for day in (first, first - span)
    )
    words = counted(now, "crash")
    if (repeats & (population.day > first - span) & (population.day <= until)).any():
        words += ", what came together counted once"
    if not days.size or int(days.min()) > first - span:  # there was not as long a time before
        return words
    return f"{words} ({before} in the {counted(span, 'day')} before)"


def _lines_of_hosts_whose_hours_ended(population: Population, first: int) -> list[str]:
    """Name the hosts whose host-hours ended in the days from the first one on; their crashes, too.

    None where many ended, as of a fleet whose machines come and go.
    """
    if not population.has_exposure:
        return []
    rows = (population.exposure_host >= 0) & (population.exposure_hours > 0)
    last = np.full(len(population.hosts), FOREVER_AGO)
    np.maximum.at(last, population.exposure_host[rows], population.exposure_day[rows])
    placed = population.has_time & (population.host >= 0)
    np.maximum.at(last, population.host[placed], population.day[placed])
    had_hours = np.bincount(population.exposure_host[rows], minlength=last.size) >= MIN_HOST_DAYS
    end = int(population.exposure_day[rows].max(initial=FOREVER_AGO))
    stopped = np.flatnonzero(had_hours & (last >= first - 1) & (last < end - 1))
    if stopped.size > max(1.0, MAX_STOPPED * np.count_nonzero(had_hours)):
        return []
    return [
        f"{population.hosts[host]} has no host-hours and no crash since {iso_day(int(last[host]))}:"
        " switched off, or its data does not arrive"
        for host in stopped.tolist()
    ]


def _signature_lines(engine: Engine, rows: Sequence[NewSignature | TopSignature]) -> list[str]:
    """Return what happened, where and how often, and the key to ask for more, of each."""
    lines: list[str] = []
    with engine.connect() as connection:
        execute = sqlalchemy_executor(connection)
        for row in rows:
            # What is not listed is only counted.
            records = some_records(execute, row.key) if len(lines) < MAX_LISTED else []
            title = signature_title(row.signature or "", None, list(row.verdicts), records)
            of_program = f" of {program_in_words(row.program)}" if row.program else ""
            lines.append(f"{title}{of_program}: {counted(row.crashes, 'crash')} ({row.key})")
    return lines


def _programs_by_signature(
    connection: Connection, findings: Sequence[StoredFinding]
) -> dict[str, str]:
    """Return signature -> the program of its crashes, of those for which it is known."""
    programs: dict[str, str] = {}
    for signature in {f.signature for f in findings if not f.signature.startswith(ALL)}:
        line = signature.partition(WHERE)[0]
        ids = select(tables.sig.c.id).where(tables.sig.c.text == line)
        program = find_program(connection, tables.crash.c.sig_id.in_(ids))
        if program is not None:
            programs[signature] = program_in_words(program)
    return programs


def _add_titled_lines(lines: list[str], title: str, lines_of_part: Sequence[str]) -> None:
    if lines_of_part:
        lines.append(title)
        lines += [f"  {_cut_title(line)}" for line in lines_of_part[:MAX_LISTED]]
        if len(lines_of_part) > MAX_LISTED:
            lines.append(f"  and {len(lines_of_part) - MAX_LISTED} more")


def _cut_title(text: str) -> str:
    return text if len(text) <= MAX_TITLE else f"{text[: MAX_TITLE - 3]}..."

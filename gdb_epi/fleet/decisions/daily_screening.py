# SPDX-License-Identifier: Apache-2.0
"""The daily screening, with the life of bugs and hosts: what is new today is reported once.

New are a finding, a fixed signature that crashed again on the fixed version or a later one, and a
repaired host that fails again. Ignored signatures stay silent until their day.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from sqlalchemy import Connection, Engine, func, or_, select

from gdb_epi.fleet.decisions.current_state import (
    BACK,
    FIXED,
    HOST,
    IGNORED,
    REGRESSED,
    REPAIRED,
    SIGNATURE,
    SUSPECT,
    TOOL,
    DecisionSubject,
    StoredDecision,
    insert_decision,
    read_current_states,
)
from gdb_epi.fleet.decisions.finding_states import (
    findings_not_to_repeat,
    findings_to_raise,
    latest_core_keys,
    store_findings,
    stored_findings,
)
from gdb_epi.fleet.decisions.fix_assessment import (
    FixAssessment,
    cores_crashed_after_fix,
    describe_fix,
)
from gdb_epi.fleet.decisions.repairs import (
    match_names_to_hosts,
    screen_without_repaired_hosts_past,
    separate_past_of_repaired_hosts,
)
from gdb_epi.fleet.decisions.states import (
    StateWithCrashes,
    day_before_repair_by_host,
    failed_fixes,
    read_decision_states,
)
from gdb_epi.fleet.population.cache import load_population
from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.questions.signature_history import format_utc_time
from gdb_epi.fleet.records.facts import is_process_attribute
from gdb_epi.fleet.screen.screening import ScreeningResult
from gdb_epi.fleet.store import tables
from gdb_epi.fleet.store.day_numbers import SECONDS_A_DAY
from gdb_epi.fleet.store.plain_sql import Execute, sqlalchemy_executor
from gdb_epi.fleet.store.schema_version import SCREENED
from gdb_epi.fleet.store.transactions import begin_write
from gdb_epi.util import counted

_TEXTS = "SELECT kind, key, coalesce(text, key) FROM sig"


class HostFailingAfterRepair(NamedTuple):
    """A host that has crashes with damaged memory since it was repaired."""

    host: str
    repaired: int  # the day, since 1970-01-01
    crashes: int
    damaged: int
    cores: tuple[str, ...]

    def words(self) -> str:
        """Return it as a sentence."""
        of_all = f"{self.damaged} of its {counted(self.crashes, 'crash')} since"
        have = "has" if self.damaged == 1 else "have"
        return f"host {self.host} was repaired and fails again: {of_all} {have} a flipped bit"


class DailyScreening(NamedTuple):
    """The result of a screening; `population` is what was screened."""

    population: Population
    result: ScreeningResult | None  # with the new findings alone; None: there is no crash
    regressed: tuple[tuple[StateWithCrashes, FixAssessment], ...]
    again: tuple[HostFailingAfterRepair, ...]
    beside: dict[str, str]  # name of a regressed signature -> another cause of the crashes since

    @property
    def has_findings(self) -> bool:
        """Whether the screening itself raised something."""
        return self.result is not None and bool(self.result.findings)

    @property
    def has_news(self) -> bool:
        """Whether there is anything that was not reported yet."""
        return bool(self.has_findings or self.regressed or self.again)


def run_daily_screening(engine: Engine, asof: int | None) -> DailyScreening:
    """Screen at the end of a day (the last one), store what is new, and return it."""
    moment = time.time()
    with engine.connect() as connection:
        execute = sqlalchemy_executor(connection)
        repaired = day_before_repair_by_host(execute, moment)
        ignored = _ignored_signatures(execute, moment)
        watched = [
            subject.name
            for subject, held in read_current_states(execute, HOST, moment).items()
            if held.state in (REPAIRED, BACK)
        ]
        failed = failed_fixes(read_decision_states(execute, moment))
        regressed = [(s, fix) for s, fix in failed if s.current.state == FIXED]
        cores = [cores_crashed_after_fix(execute, s.current.subject, fix) for s, fix in regressed]
    population = separate_past_of_repaired_hosts(load_population(engine, asof), repaired)
    before = stored_findings(engine)
    screened = screen_without_repaired_hosts_past(population, asof, findings_not_to_repeat(before))
    if screened is not None:
        raised = findings_to_raise(screened.findings, before)
        new = tuple(finding for finding in raised if finding.signature not in ignored)
        store_findings(engine, new, screened.day, population)
        screened = screened._replace(findings=new)
    named = {f.value for f in screened.findings if f.attr == HOST} if screened else set()
    # The population's name of each host; its marks stay under the name that was marked.
    meant = match_names_to_hosts(population, watched)
    again = {
        name: host for name, host_name in meant.items() if host_name not in named
        for host in [_repaired_host_failing_again(population, host_name, repaired[name])]
        if host is not None
    }  # fmt: skip
    marks = [_regression_decision(state, fix, moment) for state, fix in regressed]
    marks += [_decision_to_suspect_host(name, host.words(), moment) for name, host in again.items()]
    if screened is not None:
        marks += [
            _decision_to_suspect_host(name, f"repaired, and raised again: {f.n} crashes", moment)
            for f in screened.findings
            for name, host_name in meant.items()
            if f.attr == HOST and f.value == host_name
        ]
    with begin_write(engine) as connection:
        for mark in marks:
            insert_decision(connection, mark)
        meta, end = tables.meta, "inf" if asof is None else f"{(asof + 1) * SECONDS_A_DAY}"
        connection.execute(meta.delete().where(meta.c.key == SCREENED))
        connection.execute(meta.insert().values(key=SCREENED, value=f"{moment} {end}"))
    named_marks = [(f.signature, f.attr, f.value) for f in before]
    if screened is not None:
        named_marks += [(f.signature, f.attr, f.value) for f in screened.findings]
    beside = {
        state.current.subject.name: words
        for (state, _), keys in zip(regressed, cores, strict=True)
        if (words := _name_value_of_other_cause(population, set(keys), state.text, named_marks))
    }
    return DailyScreening(population, screened, tuple(regressed), tuple(again.values()), beside)


def _name_value_of_other_cause(
    population: Population, cores: set[str], signature: str, marks: Sequence[tuple[str, str, str]]
) -> str:
    """Name a value that all crashes after a fix have, and that a finding has: another cause."""
    if signature not in population.signatures:
        return ""
    rows = np.flatnonzero(population.crashes_of_signature(signature))
    keys = population.core_keys.keys_under(population.crashes_of_signature(signature))
    late = rows[[key in cores for key in keys]]
    for of_signature, attr, value in marks:
        attribute = population.attribute(attr)
        if of_signature != signature or attribute is None or not late.size:
            continue
        if not is_process_attribute(attr) and attribute.crashes_with(value)[late].all():
            return (
                f"all of these have {attr}={value}, which goes with this signature "
                "whatever the version: perhaps another cause, which that fix is not about"
            )
    return ""


def describe_unscreened_crashes(connection: Connection, until: int) -> tuple[bool, str]:
    """Return whether any screening ran, and which crashes up to a day none has seen, in words.

    No finding among these is no all-clear. Older versions stored findings, and no time.
    """
    c = tables.crash.c
    unseen = [or_(c.ts.is_(None), c.ts < (until + 1) * SECONDS_A_DAY)]
    kept = select(tables.meta.c.value).where(tables.meta.c.key == SCREENED)
    ran = connection.execute(kept).scalar()
    if ran is not None:
        moment, end = map(float, ran.split())
        unseen.append(or_(c.received > moment, c.ts >= end))
    count = connection.execute(select(func.count()).where(*unseen)).scalar_one()
    crashes = counted(count, "crash")
    if ran is not None:
        since = f"{crashes} came since the last screening ({format_utc_time(moment)})"
        return True, f"{since}: what stands out among them is not known" if count else ""
    if connection.execute(select(tables.finding.c.id).limit(1)).first() is not None:
        return True, "When the last screening ran is not known" if count else ""
    return not count, f"What stands out among the {crashes} is not known" if count else ""


def _ignored_signatures(execute: Execute, now: float) -> set[str]:
    """Return the texts of the signatures that are ignored now."""
    every = read_current_states(execute, SIGNATURE, now).items()
    keys = {subject[1:] for subject, held in every if held.state == IGNORED}
    if not keys:
        return set()
    return {str(text) for kind, key, text in execute(_TEXTS, {}) if (kind, key) in keys}


def _repaired_host_failing_again(
    population: Population, name: str, day: int
) -> HostFailingAfterRepair | None:
    """Return a repaired host with damaged memory: one such crash after a repair is worth a look."""
    mine = (population.host == population.hosts.index(name)) & (population.day > day)
    damaged = mine & population.bitflip
    if not damaged.any():
        return None
    cores = tuple(latest_core_keys(population, damaged))
    return HostFailingAfterRepair(name, day, int(mine.sum()), int(damaged.sum()), cores)


def _regression_decision(state: StateWithCrashes, fix: FixAssessment, now: float) -> StoredDecision:
    seen, note = fix.again[0].version, describe_fix(fix)
    return StoredDecision(
        state.current.subject, now, TOOL, REGRESSED, seen, fix.version_of, note=note
    )


def _decision_to_suspect_host(host: str, note: str, now: float) -> StoredDecision:
    return StoredDecision(DecisionSubject(HOST, "", host), now, TOOL, SUSPECT, note=note)

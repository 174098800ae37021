# SPDX-License-Identifier: Apache-2.0
"""The daily screening with the life of bugs and hosts: what is new today, each told once.

New are: a finding, a fixed signature that crashed again on the fixed version or later, and a
repaired host that fails again. What is ignored stays silent until its day.
"""

from __future__ import annotations

import time
from typing import NamedTuple

from sqlalchemy import Engine

from gdb_epi.fleet.life.fixes import Fix, fix_words
from gdb_epi.fleet.life.marks import (
    BACK,
    FIXED,
    HOST,
    IGNORED,
    REGRESSED,
    REPAIRED,
    SIGNATURE,
    SUSPECT,
    TOOL,
    Mark,
    Subject,
    insert_decision,
    standings,
)
from gdb_epi.fleet.life.repairs import (
    hosts_meant,
    with_past_of_repaired_hosts_apart,
    without_past_hosts,
)
from gdb_epi.fleet.life.states import State, all_states, failed_fixes, repaired_hosts
from gdb_epi.fleet.population.cache import load_population
from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.screen.finding_states import (
    findings_to_raise,
    known_findings,
    latest_cores,
    store_findings,
    stored_findings,
)
from gdb_epi.fleet.screen.screening import Screen, screen
from gdb_epi.fleet.store.sql_without_sqlalchemy import Execute, sqlalchemy_executor
from gdb_epi.fleet.store.transactions import begin
from gdb_epi.util import counted

_TEXTS = "SELECT kind, key, coalesce(text, key) FROM sig"


class HostAgain(NamedTuple):
    """A host that has crashes with damaged memory since it was repaired."""

    host: str
    repaired: int  # the day, since 1970-01-01
    crashes: int
    damaged: int
    cores: tuple[str, ...]

    def words(self) -> str:
        """Return it as a sentence."""
        of_all = f"{self.damaged} of its {counted(self.crashes, 'crash')} since"
        return f"host {self.host} was repaired and fails again: {of_all} have a flipped bit"


class Today(NamedTuple):
    """What a screening gave; `population` is what it looked at."""

    population: Population
    screen: Screen | None  # with the new findings alone; None: there is no crash
    regressed: tuple[tuple[State, Fix], ...]
    again: tuple[HostAgain, ...]

    @property
    def has_findings(self) -> bool:
        """Whether the screening itself raised something."""
        return self.screen is not None and bool(self.screen.findings)

    @property
    def is_new(self) -> bool:
        """Whether there is anything that nobody was told."""
        return bool(self.has_findings or self.regressed or self.again)


def screen_today(engine: Engine, asof: int | None) -> Today:
    """Screen at the end of a day (the last one), store what is new, and return it."""
    moment = time.time()
    with engine.connect() as connection:
        execute = sqlalchemy_executor(connection)
        repaired = repaired_hosts(execute, moment)
        ignored = _ignored(execute, moment)
        watched = [
            subject.name
            for subject, held in standings(execute, HOST, moment).items()
            if held.state in (REPAIRED, BACK)
        ]
        failed = failed_fixes(all_states(execute, moment))
        regressed = [(s, fix) for s, fix in failed if s.standing.state == FIXED]
    population = with_past_of_repaired_hosts_apart(load_population(engine, asof), repaired)
    screened = None
    if population.day.size:
        day = population.last_day if asof is None else asof
        before = stored_findings(engine)
        today = screen(population, day, known_findings(before))
        raised = findings_to_raise(without_past_hosts(today.findings), before)
        new = [finding for finding in raised if finding.signature not in ignored]
        store_findings(engine, new, day, population)
        screened = today._replace(findings=tuple(new))
    named = {f.value for f in screened.findings if f.attr == HOST} if screened else set()
    # The population's name of each; its marks stay under the name that was marked.
    meant = hosts_meant(population, watched)
    again = {
        name: host for name, host_name in meant.items() if host_name not in named
        for host in [_again(population, host_name, repaired[name])] if host is not None
    }  # fmt: skip
    marks = [_regression(state, fix, moment) for state, fix in regressed]
    marks += [_host_mark(name, host.words(), moment) for name, host in again.items()]
    if screened is not None:
        marks += [
            _host_mark(name, f"repaired, and raised again: {f.n} crashes", moment)
            for f in screened.findings
            for name, host_name in meant.items()
            if f.attr == HOST and f.value == host_name
        ]
    if marks:
        with begin(engine) as connection:
            for mark in marks:
                insert_decision(connection, mark)
    return Today(population, screened, tuple(regressed), tuple(again.values()))


def _ignored(execute: Execute, now: float) -> set[str]:
    """The texts of signatures about which nobody wants to hear now."""
    every = standings(execute, SIGNATURE, now).items()
    keys = {subject[1:] for subject, held in every if held.state == IGNORED}
    if not keys:
        return set()
    return {str(text) for kind, key, text in execute(_TEXTS, {}) if (kind, key) in keys}


def _again(population: Population, name: str, day: int) -> HostAgain | None:
    """A repaired host with damaged memory: after a repair one such crash is worth a look."""
    mine = (population.host == population.hosts.index(name)) & (population.day > day)
    damaged = mine & population.bitflip
    if not damaged.any():
        return None
    cores = tuple(latest_cores(population, damaged))
    return HostAgain(name, day, int(mine.sum()), int(damaged.sum()), cores)


def _regression(state: State, fix: Fix, now: float) -> Mark:
    seen, note = fix.again[0].version, fix_words(fix)
    return Mark(state.standing.subject, now, TOOL, REGRESSED, seen, fix.version_of, note=note)


def _host_mark(host: str, note: str, now: float) -> Mark:
    return Mark(Subject(HOST, "", host), now, TOOL, SUSPECT, note=note)

# SPDX-License-Identifier: Apache-2.0
"""The hosts to take out now, and the words for the schedulers that do it.

A host is taken out if its crashes point to its hardware, or if a person confirmed a finding about
it or called it suspect. A host whose job may be the cause is named and left in. A share of the
fleet is never exceeded, whatever the statistics say; hosts beyond it are named too.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Engine

from gdb_epi.fleet.decisions.current_state import (
    BACK,
    DRAINED,
    HEALTHY,
    HOST,
    SUSPECT,
    TOOL,
    read_current_states,
)
from gdb_epi.fleet.decisions.finding_states import (
    CONFIRMED,
    DISMISSED,
    StoredFinding,
    findings_to_raise,
    stored_findings,
)
from gdb_epi.fleet.decisions.repairs import (
    drop_findings_about_repaired_past,
    match_names_to_hosts,
    screen_without_repaired_hosts_past,
    separate_past_of_repaired_hosts,
)
from gdb_epi.fleet.decisions.states import day_before_repair_by_host
from gdb_epi.fleet.population.cache import load_population
from gdb_epi.fleet.population.host_spelling import count_machines
from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.questions.job_deaths_by_first_host import find_job_deaths_by_first_host
from gdb_epi.fleet.questions.population_verdict import (
    HARDWARE_HOST,
    PopulationVerdict,
    hosts_by_crashes,
    judge_host,
)
from gdb_epi.fleet.screen.finding import (
    BITFLIP,
    MIN_RR,
    Finding,
    crashes_of_findings,
    finding_identity,
    is_about_whole_host,
    may_host_stand_out_by_chance,
)
from gdb_epi.fleet.screen.finding_texts import is_hardware_or_place_attribute
from gdb_epi.fleet.screen.screening import ScreeningResult
from gdb_epi.fleet.store.day_numbers import SECONDS_A_DAY, iso_day, utc_day_text
from gdb_epi.fleet.store.plain_sql import sqlalchemy_executor
from gdb_epi.util import counted, shortened_list

SCHEMA = "gdb-epi/exclude/1"
RECENT_DAYS = 7  # days of host-hours by which the fleet is counted
CAVEAT_RECOVERED = (
    "since {end} it is like other hosts; if it was repaired: "
    "gdb-epi fleet mark host {host} --repaired"
)
MOVE_JOB = "its job may be the cause: move that first"
DIES_FIRST = "it dies first of many jobs, and the others follow: test it, and confirm its finding"
NOT_SURE = "it may be broken, or had bad luck: wait for more crashes like these"
SHARED_NAME = "several machines have this name: drain this one by hand"
MIN_SIGNATURES, MAX_FIRST = 3, 4  # that go with a part; hosts that are named
MIN_TO_DATE, MIN_GAIN = 5, 3.0  # crashes of a host; log-likelihood of two rates above one
MAX_REASON = 180  # characters
# A DNS name: it cannot be mistaken for a shell word, a Slurm list (node[1-9],x) or an option.
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?\Z")
_NODE = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?\Z")  # of Kubernetes


class HostToDrain(NamedTuple):
    """A host to take out; days are since 1970-01-01."""

    host: str
    reason: str
    evidence: tuple[str, ...]
    since: int  # the day from which on it has more than before, or that of the decision
    until: int
    crashes: int


class DrainPlan(NamedTuple):
    """What to do now. `left_in` and `refused` hold pairs of a host and the reason."""

    hosts: tuple[HostToDrain, ...]
    beyond: tuple[HostToDrain, ...]  # the share of the fleet is used up
    left_in: tuple[tuple[str, str], ...]
    refused: tuple[tuple[str, str], ...]
    drained: tuple[str, ...]  # out already
    overdue: tuple[str, ...]  # of these, those whose time is over
    fleet: int  # hosts
    counted_by: str
    most: int  # hosts that may be out
    groups: tuple[str, ...] = ()  # broken things other than a host that could be named

    def as_json(self, *, dry_run: bool, share: float) -> dict[str, Any]:
        """Return it as one JSON object."""
        shown = {
            name: [_host_json(host) for host in hosts]
            for name, hosts in (("hosts", self.hosts), ("beyond", self.beyond))
        }
        pairs = {
            name: [{"host": host, "why": why} for host, why in some]
            for name, some in (("left_in", self.left_in), ("refused", self.refused))
        }
        rest = {"drained": list(self.drained), "overdue": list(self.overdue), "fleet": self.fleet}
        rest |= {"counted_by": self.counted_by, "most": self.most, "at_most": share}
        rest["groups"] = list(self.groups)
        return {"schema": SCHEMA, "dry_run": dry_run, **shown, **pairs, **rest}


def plan_drain(
    engine: Engine,
    *,
    share: float,
    days: int,
    now: float,
    fleet: int | None = None,
    node_names: bool = False,
) -> DrainPlan:
    """Return which hosts to take out, the strongest evidence first; stores nothing.

    `share` (0 to 1) of the fleet may be out, those that are drained already included; `days` is for
    how long. With `node_names` only what Kubernetes takes for a node is a name.
    """
    with engine.connect() as connection:
        execute = sqlalchemy_executor(connection)
        marked = {subject.name: s for subject, s in read_current_states(execute, HOST, now).items()}
        repaired = day_before_repair_by_host(execute, now)
    population = separate_past_of_repaired_hosts(load_population(engine), repaired)
    host_of_name = match_names_to_hosts(population, marked)
    by_time = sorted(marked.items(), key=lambda pair: pair[1].since or 0.0)
    # The last word about a host holds.
    state_of_host = {host_of_name.get(name, name): state for name, state in by_time}
    before = stored_findings(engine)
    drained = sorted(name for name, state in state_of_host.items() if state.state == DRAINED)
    overdue = [n for n in drained if (m := state_of_host[n].mark) and m.until and m.until <= now]
    screened = screen_without_repaired_hosts_past(population)
    wanted, left_in = _hosts_to_drain_and_left_in(population, screened, before, now, days)
    groups = list(_describe_broken_parts(population, () if screened is None else screened.findings))
    for name, state in state_of_host.items():
        if state.state == SUSPECT and state.who != TOOL and name not in wanted:
            since = int((state.since or now) // SECONDS_A_DAY)
            words = f"{state.who} calls it suspect" + (f": {state.note}" if state.note else "")
            wanted[name] = HostToDrain(name, words, (), since, _last_day_of_drain(now, days), 0)
        elif state.state == SUSPECT and state.who == TOOL and name not in wanted:
            left_in.setdefault(name, f"a suspect: {state.note}" if state.note else "a suspect")
        if state.state in (HEALTHY, BACK) and name in left_in:
            left_in[name] = f"{left_in[name]}; {state.state} since {utc_day_text(state.since)}"
    pattern = _NODE if node_names else _NAME
    shared = {m for own in population.quality.get("namesakes", {}).values() for m in own}
    refused = [
        (name, SHARED_NAME if name in shared else "no name of a host")
        for name in wanted
        if not pattern.match(name)
    ]
    chosen = [host for name, host in wanted.items() if pattern.match(name) and name not in drained]
    size, source = (
        (fleet, "--fleet-size") if fleet is not None else _fleet_size_and_source(population)
    )
    most = int(share * size + 1e-9)
    room = max(most - len(drained), 0)
    left = [(n, why) for n, why in left_in.items() if n not in wanted and n not in drained]
    return DrainPlan(
        tuple(chosen[:room]), tuple(chosen[room:]), tuple(left), tuple(refused),
        tuple(drained), tuple(overdue), size, source, most, tuple(groups),
    )  # fmt: skip


def _describe_broken_parts(population: Population, findings: Sequence[Finding]) -> Iterator[str]:
    """Say which part or lot of several hosts is broken by all signs, and which hosts come first.

    Bit flips go with it, or many signatures do: one is code that only such hosts run.
    """
    same: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.attr != HOST and is_hardware_or_place_attribute(finding.attr):
            same.setdefault(finding.mark, []).append(finding)
    for mark, some in same.items():
        flips = any(finding.signature == BITFLIP for finding in some)
        if not flips and len(some) < MIN_SIGNATURES:
            continue
        attribute = population.attribute(some[0].attr)
        assert attribute is not None  # it has a finding
        members = crashes_of_findings(some, population.day.size)
        has = attribute.hours_with(some[0].value) & (population.exposure_hours > 0)
        size = np.unique(population.exposure_host[has]).size
        first = hosts_by_crashes(population, members)
        what = "bit flips go" if flips else f"{len(some)} signatures go"
        of_hosts = f", which {counted(size, 'host')} have" if size else ""
        yield f"{what} with {mark}{of_hosts}; the most are on {shortened_list(first, MAX_FIRST)}"


def _hosts_to_drain_and_left_in(
    population: Population,
    screened: ScreeningResult | None,
    before: list[StoredFinding],
    now: float,
    days: int,
) -> tuple[dict[str, HostToDrain], dict[str, str]]:
    """Return the hosts to take out by today's findings, and those left in, with the reason."""
    wanted: dict[str, HostToDrain] = {}
    left_in: dict[str, str] = {}
    if screened is None:
        return wanted, left_in
    state = {old.identity: old.state for old in before}
    deaths = find_job_deaths_by_first_host(population)
    first_to_die = population.hosts[deaths.host] if deaths and deaths.is_suspect else None
    mine = (f for f in drop_findings_about_repaired_past(screened.hosts) if f.attr == HOST)
    for finding in sorted(mine, key=lambda f: f.p):
        decided = state.get(finding_identity(*finding.identity))
        if finding.value in wanted:
            continue
        if decided == DISMISSED and not findings_to_raise([finding], before):
            left_in[finding.value] = "a person dismissed the finding"
            continue
        judged = judge_host(population, finding)
        if decided != CONFIRMED and (why := _why_host_is_not_drained(finding, judged)) is not None:
            dies_first = why == MOVE_JOB and finding.value == first_to_die
            left_in.setdefault(finding.value, DIES_FIRST if dies_first else why)
            continue
        words = "confirmed by a person" if decided == CONFIRMED else "hardware suspect"
        times = f"{finding.rr:.3g} times its share" if finding.rr >= MIN_RR else "more of late"
        reason = f"{words}: {counted(finding.n, 'crash')}, {times}"
        evidence = (*judged.evidence, *(f"but: {caveat}" for caveat in judged.caveats))
        first, until = day_host_went_bad(population, finding), _last_day_of_drain(now, days)
        host = HostToDrain(finding.value, reason, evidence, first, until, finding.n)
        wanted[finding.value] = host
    return wanted, left_in


def _why_host_is_not_drained(finding: Finding, judged: PopulationVerdict) -> str | None:
    """Return why a host that stands out is not taken out; None where it is to be."""
    if not is_about_whole_host(finding.signature) or judged.kind != HARDWARE_HOST:
        return NOT_SURE if may_host_stand_out_by_chance(finding) else MOVE_JOB
    if (since := finding.changes.replaced) is not None:
        return f"another machine has its name since {since}"
    if (end := finding.changes.recovered) is not None:
        return CAVEAT_RECOVERED.format(end=end, host=finding.value)
    if (out := finding.changes.left) is not None:
        return f"no host-hours since {out}: it seems to be out already"
    return None


def day_host_went_bad(population: Population, finding: Finding) -> int:
    """Return the day of the first crash of a host after which it has more of them than before.

    A healthy host has one now and then: the first crash of all is not where it broke.
    """
    days = np.sort(population.day[finding.members])
    timed_days = population.day[population.has_time]
    if timed_days.size < days.size or days.size < MIN_TO_DATE:
        return int(days[0])
    start, end = int(timed_days.min()), int(timed_days.max()) + 1
    best, since = MIN_GAIN, int(days[0])
    overall = days.size * np.log(days.size / (end - start))
    for before, day in enumerate(days.tolist()):
        spans = max(day - start, 1), max(end - day, 1)
        counts = before, days.size - before
        rates = [count / span for count, span in zip(counts, spans, strict=True)]
        if (before and day == days[before - 1]) or rates[0] >= rates[1]:
            continue
        gain = sum(c * np.log(r) for c, r in zip(counts, rates, strict=True) if c) - overall
        if gain > best:
            best, since = float(gain), day
    return since


def _fleet_size_and_source(population: Population) -> tuple[int, str]:
    """Count the hosts: those with recent host-hours, else all that ever crashed."""
    if population.has_exposure and population.day.size:
        recent = population.exposure_day > int(population.exposure_day.max()) - RECENT_DAYS
        running = recent & (population.exposure_hours > 0)
        up = (population.hosts[code] for code in np.unique(population.exposure_host[running]))
        return count_machines(up), f"hosts with host-hours in the last {RECENT_DAYS} days"
    return count_machines(population.hosts), "hosts that ever crashed: the fleet has more"


def slurm_lines(plan: DrainPlan) -> Iterator[str]:
    """Yield commands of Slurm, safe to be given to a shell."""
    for host in plan.hosts:
        span = f"since {iso_day(host.since)} until {iso_day(host.until)}"
        reason = shlex.quote(f"Reason={_text_safe_for_shell(f'gdb-epi: {host.reason}; {span}')}")
        yield f"scontrol update NodeName={host.host} State=DRAIN {reason}"


def kubernetes_lines(plan: DrainPlan) -> Iterator[str]:
    """Yield commands of Kubernetes, safe to be given to a shell. Pods that run are left alone."""
    for host in plan.hosts:
        yield f"kubectl cordon {host.host}"
        notes = {"reason": _text_safe_for_shell(host.reason), "since": iso_day(host.since)}
        notes["until"] = iso_day(host.until)
        words = " ".join(shlex.quote(f"gdb-epi/{name}={value}") for name, value in notes.items())
        yield f"kubectl annotate node {host.host} --overwrite {words}"


def _text_safe_for_shell(text: str) -> str:
    """Return a reason in printable ASCII, without what a shell or Slurm would interpret."""
    return re.sub(r"[^A-Za-z0-9 .,:;()%+=/_-]", "?", text)[:MAX_REASON]


def _host_json(host: HostToDrain) -> dict[str, Any]:
    days = {"since": iso_day(host.since), "until": iso_day(host.until)}
    return {**host._asdict(), "evidence": list(host.evidence), **days}


def _last_day_of_drain(now: float, days: int) -> int:
    return int(now // SECONDS_A_DAY) + days

# SPDX-License-Identifier: Apache-2.0
"""The daily screening: hosts first, then everything else without the crashes they explain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from heapq import nsmallest

import numpy as np

from gdb_epi.fleet.population.cached_answers import cached_answer
from gdb_epi.fleet.population.coverage import (
    drop_host_hours,
    fill_days_without_host_hours,
    has_crashes_without_hours,
    sum_old_host_hours,
)
from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.screen.attributes import (
    attribute_findings,
    findings_of_all_crashes,
    signature_findings,
)
from gdb_epi.fleet.screen.confounded_findings import (
    add_rival_values,
    drop_aliases_that_are_findings,
    drop_confounded_findings,
)
from gdb_epi.fleet.screen.dose_response import (
    GROWS,
    MOMENTS,
    is_age_of_process,
    number_beyond_others_words,
    process_age_words,
)
from gdb_epi.fleet.screen.ended_findings import (
    add_caveat_of_end,
    add_caveat_of_former_machine,
    crashes_explained_by_others,
)
from gdb_epi.fleet.screen.events import CrashEvents, find_events, population_without_counting
from gdb_epi.fleet.screen.finding import (
    ALL,
    BITFLIP,
    CPU,
    EVENT,
    HOST,
    HOURS_AND_DAYS,
    LOCK,
    MAX_Q,
    MIN_N,
    WINDOWS,
    DaysHostChanged,
    Finding,
    crashes_of_findings,
    is_about_whole_host,
)
from gdb_epi.fleet.screen.finding_texts import is_host_suspect_clearer_now
from gdb_epi.fleet.screen.hosts import (
    JudgedHosts,
    findings_of_hosts,
    host_findings,
    signature_of_most,
)
from gdb_epi.fleet.screen.hosts_explained_by_group import (
    drop_group_explained_hosts,
    drop_hosts_of_marked_signatures,
)
from gdb_epi.fleet.screen.past_silence import drop_past_silences, find_past_silences
from gdb_epi.fleet.screen.recurring_events import is_event_at_known_place, is_event_that_goes_on
from gdb_epi.fleet.screen.renamings import add_renaming_caveats
from gdb_epi.fleet.screen.silent_hosts import drop_silent_hours
from gdb_epi.fleet.screen.time_and_cpu_patterns import (
    hours_of_group_words,
    is_event_at_known_time_of_signature,
    is_explained_by_days_of_month,
    is_known_time,
    time_and_cpu_findings,
)
from gdb_epi.fleet.statistics.arrays import Bools, count_codes
from gdb_epi.render.signature_words import signature_phrase_and_key
from gdb_epi.typing_lite import NamedTuple

STORM, STORM_HOSTS, MIN_STORM_HOSTS = 0.5, 0.2, 10  # of the crashes, of the hosts; hosts
MAX_OTHERS = 200  # findings of a screening, the strongest: more of them mean something else
MAX_OPEN_CRASHES = 200_000  # with more few hosts are in doubt, and a question must stay quick
FAMILIES = 3  # by host-hours, by the crashes that these do not cover, and by all crashes
MAX_DAYS = 370  # a longer replay goes from one day with crashes to the next


class ScreeningResult(NamedTuple):
    """What stands out at the end of a day; `peeled` are the crashes attributed to single hosts."""

    day: int
    findings: tuple[Finding, ...]
    peeled: Bools
    hosts: tuple[Finding, ...]  # all of the hosts, those that were raised before too
    judged: JudgedHosts | None = None  # those with host-hours, where some may be in doubt


def screen_population(
    population: Population, day: int, earlier_findings: tuple[Finding, ...] = ()
) -> ScreeningResult:
    """Test everything that is known at the end of `day`; `earlier_findings` are not repeated.

    Crashes that came together count as one. What the host-hours do not cover is judged by itself,
    against other crashes (case-control).
    """
    if earlier_findings or population.day.size <= MAX_OPEN_CRASHES:  # hosts in doubt hold columns
        return _screen_uncached(population, day, earlier_findings)
    make = partial(_screen_uncached, population, day, ())
    kinds = ScreeningResult, Finding, DaysHostChanged
    return cached_answer(population, "screening", make, *kinds, of=day)


def _screen_uncached(
    population: Population, day: int, earlier_findings: tuple[Finding, ...]
) -> ScreeningResult:
    past = find_past_silences(population)
    whole, population = population, drop_past_silences(drop_silent_hours(population), past)
    events = find_events(population)
    parts = split_by_coverage(events, day)
    # What makes a whole group crash more does not make its hosts suspects one by one.
    group = _strongest_group(parts)
    judged = _judge_hosts_by_group(parts, day, group)
    make = partial(_host_findings, population, parts, judged, group)
    kinds = Finding, DaysHostChanged
    hosts = cached_answer(population, "hosts", make, *kinds, of=day) if group is None else make()
    del make
    in_doubt = judged if population.day.size <= MAX_OPEN_CRASHES else None
    del judged  # it holds all columns
    # A signature of which a host was peeled is looked at for its second cause: a question asked
    # beforehand, so its tests do not pay for those of all the other signatures.
    asked = [
        name for finding in hosts for name in _signatures_of_host_finding(parts.counted, finding)
    ]
    peeled = crashes_of_findings(hosts, population.day.size)
    raised = {finding.identity for finding in earlier_findings}
    new = [
        event
        for event in events.findings
        if event.identity not in raised
        and not is_event_at_known_time_of_signature(event, earlier_findings)
        and not is_event_at_known_place(event, events.findings, raised)
        and not is_event_that_goes_on(population, event, events.findings, earlier_findings)
    ]
    # A host's reason may become clearer (`*` then `*bitflip`): that is no new finding.
    named = {(f.value, _kind_of_finding(f)) for f in earlier_findings if f.attr == HOST}
    for finding in hosts:
        about = (finding.value, _kind_of_finding(finding))
        of_host = [f.caveats for f in earlier_findings if (f.attr, f.value) == finding.identity[:2]]
        is_raised = finding.identity in raised or about in named
        if not is_raised or is_host_suspect_clearer_now(finding, of_host):
            named.add(about)
            new.append(finding)
    for part in (parts.by_hours, parts.other_attributes):
        if part is None:
            continue
        free = ~peeled & (part.signature >= 0)
        # Each holds a mask of all crashes: no more of them than are kept are held at any time.
        others = nsmallest(MAX_OTHERS, attribute_findings(part, free, asked), key=lambda f: f.p)
        earlier = [
            f for f in earlier_findings if f.attr != HOST and _is_finding_comparable(part, f)
        ]
        kept = drop_confounded_findings(part, others, earlier)
        keys = {finding.identity for finding in new}
        new += [add_rival_values(part, f, free) for f in kept if f.identity not in keys]
    counted = parts.counted
    del parts, part  # copies of all columns
    new += _findings_without_hours(counted, ~peeled, asked, (*earlier_findings, *new))
    moments = nsmallest(MAX_OTHERS, time_and_cpu_findings(counted, ~peeled), key=lambda f: f.p)
    new = [f for f in new if not is_explained_by_days_of_month(counted, f, moments)]
    known_moments = [moment for moment in moments if is_known_time(moment, earlier_findings)]
    # A job that was moved has its events at its new hour.
    new = [
        f
        for f in new
        if f.attr != EVENT or not is_event_at_known_time_of_signature(f, known_moments)
    ]
    new += [moment for moment in moments if not any(moment is m for m in known_moments)]
    new = _findings_with_times_of_crashes(whole, new)
    new, hosts = (
        [
            add_caveat_of_former_machine(
                whole,
                add_caveat_of_end(
                    whole, f, day, moments, peeled | crashes_explained_by_others(whole, f, new)
                ),
            )
            for f in some
        ]
        for some in (new, hosts)
    )
    # A machine that came back under another name is one: that name has what it did before.
    names = {f.value for f in (*hosts, *earlier_findings) if f.attr == HOST}
    new, hosts = ([f for f in some if f.changes.now not in names] for some in (new, hosts))
    new = drop_hosts_of_marked_signatures(counted, new, earlier_findings)
    new = add_renaming_caveats(population, drop_aliases_that_are_findings(new))
    return ScreeningResult(day, tuple(new), peeled, tuple(hosts), in_doubt)


def _findings_with_times_of_crashes(
    population: Population, findings: list[Finding]
) -> list[Finding]:
    """Return findings, with when crashes come that a process or a group has at certain times.

    What comes at each start or stop has no hours of its own; its events say so.
    """
    about = {
        signature_of_most(population, f)
        for f in findings
        if f.attr in (EVENT, *HOURS_AND_DAYS) or is_age_of_process(f.attr)
    }
    of_moment: dict[str, str] = {}
    for name in sorted(about.intersection(population.signatures)):
        words = process_age_words(population, population.crashes_of_signature(name))
        if words is not None and words.endswith(MOMENTS):
            of_moment[name] = words
    kept = []
    for finding in findings:
        if finding.signature in (ALL, BITFLIP) and finding.attr not in (HOST, EVENT):
            more = (
                hours_of_group_words(population, finding),
                number_beyond_others_words(population, finding),
            )
            finding = finding.with_caveats(*more)
        words = of_moment.get(signature_of_most(population, finding))
        if words and (finding.attr == EVENT or is_age_of_process(finding.attr)):
            finding = finding._replace(caveats=(words, *finding.caveats))
        elif words and finding.attr in HOURS_AND_DAYS and not words.endswith(GROWS):
            continue
        kept.append(finding)
    return kept


def _findings_without_hours(
    counted: Population, free: Bools, asked: Sequence[str], findings: Sequence[Finding]
) -> list[Finding]:
    """Return what goes with the signatures `asked` of which the host-hours do not tell it."""
    with_other_marks = {finding.signature for finding in findings if finding.attr != HOST}
    new: list[Finding] = []
    for name in dict.fromkeys(asked):
        if name not in with_other_marks and (marks := case_control_findings(counted, free, name)):
            alone = drop_host_hours(counted)
            new += [
                add_rival_values(alone, f, free) for f in drop_confounded_findings(alone, marks, [])
            ]
    return new


def case_control_findings(population: Population, free: Bools, name: str) -> list[Finding]:
    """Return the values that go with a signature by all crashes; none where hours tell of all.

    A feed that begins after a roll-out, or lacks the kernel of every second host, makes the share
    of a version wrong or its crashes few. The records know both: other crashes are the controls.

    `free` are the crashes that hosts do not explain. This is one more question about the same
    signature, so q allows for all of them.
    """
    if not has_crashes_without_hours(population):
        return []
    alone = drop_host_hours(population)
    paid = (f._replace(q=f.q * FAMILIES) for f in signature_findings(alone, free, name))
    return [finding for finding in paid if finding.q <= MAX_Q]


class _PopulationByCoverage(NamedTuple):
    """The population by what is known of the hours of its crashes; all masks are of all crashes."""

    counted: Population  # without repeats
    by_hours: Population  # what host-hours cover; all of it where there are none
    other_hosts: Population | None  # crashes of hosts whose hours are not known, without hours
    other_attributes: Population | None  # crashes that no row of host-hours covers


def split_by_coverage(events: CrashEvents, day: int) -> _PopulationByCoverage:
    """Return the population by what the host-hours cover of it, at the end of a day."""
    counted = population = events.counted
    if not population.has_exposure:
        return _PopulationByCoverage(counted, counted, None, None)
    covered, repeats = population.has_host_hours, events.repeated_crashes
    filled, gaps = fill_days_without_host_hours(counted)
    near = covered.copy()
    if gaps.size:
        ever = np.zeros(len(population.hosts) + 1, dtype=bool)
        ever[population.exposure_host[population.exposure_hours > 0]] = True
        near |= np.isin(population.known_day, gaps) & ever[population.host]
    by_hours = sum_old_host_hours(filled, day - max(WINDOWS))
    if not near.all():
        by_hours = population_without_counting(by_hours, ~near)
    of_hosts, of_attributes = (
        drop_host_hours(population_without_counting(counted, with_hours))
        if int((~with_hours & ~repeats).sum()) >= MIN_N
        else None
        for with_hours in (near, covered)
    )
    return _PopulationByCoverage(counted, by_hours, of_hosts, of_attributes)


def screen_hosts(population: Population, day: int) -> list[Finding]:
    """Return the findings of hosts at the end of a day, as a screening without a group has them."""

    def find_host_findings() -> list[Finding]:
        parts = split_by_coverage(find_events(population), day)
        return _host_findings(population, parts, _judge_hosts_by_group(parts, day, None), None)

    return cached_answer(population, "hosts", find_host_findings, Finding, DaysHostChanged, of=day)


def judged_hosts(population: Population, day: int) -> JudgedHosts:
    """Return the hosts with host-hours at the end of a day, as a screening judges them."""
    parts = split_by_coverage(find_events(population), day)
    return _judge_hosts_by_group(parts, day, _strongest_group(parts))


def _strongest_group(parts: _PopulationByCoverage) -> Finding | None:
    return min(findings_of_all_crashes(parts.by_hours), key=lambda f: (f.p, -f.rr), default=None)


def _judge_hosts_by_group(
    parts: _PopulationByCoverage, day: int, group: Finding | None
) -> JudgedHosts:
    calm = _without_dominant_signature(parts.by_hours)
    return JudgedHosts(calm if group is None else _reweigh_host_hours_by_group(calm, group), day)


def _without_dominant_signature(population: Population) -> Population:
    """Return the population without a signature that most crashes have, on many hosts.

    Beside a release that kills its program everywhere nobody sees the host that breaks meanwhile.
    """
    storm = _crashes_of_dominant_signatures(population)
    return population if storm is None else population_without_counting(population, storm)


def _crashes_of_dominant_signatures(population: Population) -> Bools | None:
    placed = (population.signature >= 0) & (population.host >= 0)
    counts = count_codes(population.signature, len(population.signatures) + 1, placed)
    storm = placed & (population.signature == counts.argmax())
    if counts.max() <= STORM * counts.sum():
        return None
    hosts = np.unique(population.host[storm]).size
    is_everywhere = hosts >= max(STORM_HOSTS * len(population.hosts), MIN_STORM_HOSTS)
    return storm if is_everywhere else None


def _host_findings(
    population: Population, parts: _PopulationByCoverage, judged: JudgedHosts, group: Finding | None
) -> list[Finding]:
    """Return the findings of hosts; those of a `group` are measured by its rate."""
    day = judged.day
    findings = drop_group_explained_hosts(parts.by_hours, day, list(findings_of_hosts(judged)))
    if group is not None:
        given = f"; given the rate of {group.attr}={group.value}"
        findings = [f._replace(test=f.test + given) for f in findings]
    if parts.other_hosts is not None:
        findings += host_findings(_without_dominant_signature(parts.other_hosts), day)
    events = find_events(population)
    storm = _crashes_of_dominant_signatures(parts.by_hours)
    counts = np.ones(population.day.size, dtype=bool)
    if storm is not None:
        code = population.signature[storm.argmax()]
        counts = population.signature != code
        left_out = (
            f"; without the crashes of {signature_phrase_and_key(population.signatures[code])}"
        )
        findings = [f._replace(test=f.test + left_out) for f in findings]
    return [_add_repeats_of_loops(population, events, finding, counts) for finding in findings]


def _add_repeats_of_loops(
    population: Population, events: CrashEvents, finding: Finding, counts: Bools
) -> Finding:
    """Name the crashes of a host's loops too; what they tell was counted once."""
    mine = population.host == population.hosts.index(finding.value)
    members = events.with_repeats(finding.members) & mine
    again = events.repeated_crashes & (population.host >= 0) & counts
    if finding.signature.startswith(CPU):
        again &= mine
    elif finding.signature == LOCK:
        again &= population.lock_inherited
    elif not finding.signature.startswith(ALL):
        again &= population.crashes_of_signature(finding.signature)
    total = finding.total + int(again.sum())
    return finding._replace(members=members, n=int(members.sum()), total=total)


def _reweigh_host_hours_by_group(population: Population, group: Finding) -> Population:
    """Return the population with host-hours that count by the rate of a group."""
    attribute = population.attribute(group.attr)
    if attribute is None:
        return population
    inside = attribute.hours_with(group.value)
    hours = population.exposure_hours * np.where(inside, group.rr, 1.0)
    return population._replace(exposure_hours=hours)


def _signatures_of_host_finding(population: Population, finding: Finding) -> list[str]:
    """The signature of a host's finding; of a host with all kinds the one that is half of them."""
    if not finding.signature.startswith("*"):
        return [finding.signature]
    mine = population.signature[finding.members & (population.signature >= 0)]
    counts = np.bincount(mine, minlength=1)
    most = int(np.argmax(counts))
    return [population.signatures[most]] if counts[most] >= max(MIN_N, finding.n / 2) else []


def screen_day_by_day(population: Population) -> Iterator[ScreeningResult]:
    """Screen day by day, never using later data; each finding is raised once."""
    if not population.day.size:
        return
    raised_findings: tuple[Finding, ...] = ()
    # The days from the first crash to the last; of a long time those with crashes.
    timed = population.day[population.has_time]
    days = np.unique(timed if timed.size else population.day)
    if days[-1] - days[0] <= MAX_DAYS:
        days = np.arange(days[0], days[-1] + 1)
    for day in days.tolist():
        screened = screen_population(population.until_day(day), day, raised_findings)
        raised_findings += screened.findings
        yield screened._replace(judged=None)


def _is_finding_comparable(population: Population, finding: Finding) -> bool:
    """Whether a finding of the past can be compared: its value and signature still exist."""
    attribute = population.attribute(finding.attr)
    if attribute is None or finding.value not in attribute.values:
        return False
    return finding.signature.startswith("*") or finding.signature in population.signatures


def _kind_of_finding(finding: Finding) -> str:
    return ALL if is_about_whole_host(finding.signature) else finding.signature

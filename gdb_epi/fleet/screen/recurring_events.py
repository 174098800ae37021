# SPDX-License-Identifier: Apache-2.0
"""Events of one signature as one entry: a job that dies every Sunday is one story, not eleven.

So is a loop that goes with its program from host to host, and a power strip that dips each week,
whatever runs on its hosts.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.records.facts import is_process_attribute
from gdb_epi.fleet.screen.events import PLACES
from gdb_epi.fleet.screen.finding import (
    ALL,
    CLUSTERED_CRASHES,
    EVENT,
    HOST,
    LOOP_OF,
    TIME_AND_CPU_ATTRIBUTES,
    Finding,
)
from gdb_epi.fleet.screen.finding_texts import (
    describe_test,
    describe_verdict,
    equivalent_marks_words,
    finding_sentence,
)
from gdb_epi.fleet.screen.host_evidence import flipped_bits_words
from gdb_epi.fleet.screen.hosts import signature_of_most
from gdb_epi.fleet.screen.programs import program_of_signature
from gdb_epi.fleet.store.day_numbers import iso_day, parse_day
from gdb_epi.util import counted, shortened_list

# Of one signature, or one place, from which on they are told together.
MIN_ALIKE = {EVENT: 3, LOOP_OF: 2}
GOES_ON = 2  # days from one event of a signature to the next
MAX_TIMES = 12  # of events at one place, that are listed


def group_recurring_events(
    findings: Sequence[Finding],
) -> list[tuple[Finding, tuple[Finding, ...]]]:
    """Return each finding with the events that it stands for; the order stays.

    What says when the crashes of a signature come (an hour, a weekday) goes before its events.
    """
    alike: dict[tuple[str, str], list[Finding]] = {}
    places = _places_by_event(findings)
    for finding in findings:
        if id(finding) in places:
            alike.setdefault((EVENT, places[id(finding)]), []).append(finding)
        elif finding.attr in CLUSTERED_CRASHES and not finding.signature.startswith("*"):
            alike.setdefault((finding.attr, finding.signature), []).append(finding)
    many = {key: some for key, some in alike.items() if len(some) >= MIN_ALIKE[key[0]]}
    moments = [
        f for f in findings if f.attr in TIME_AND_CPU_ATTRIBUTES and (EVENT, f.signature) in many
    ]
    groups: list[tuple[Finding, tuple[Finding, ...]]] = []
    for finding in findings:
        mine = many.get((finding.attr, places.get(id(finding), finding.signature)), [])
        if any(finding is moment for moment in moments):
            continue
        if not mine:
            groups.append((finding, ()))
            continue
        largest = max(mine, key=lambda f: f.n)
        if finding is mine[0]:
            if finding.attr == EVENT:
                groups += [(f, ()) for f in moments if f.signature == finding.signature]
            groups.append((largest, tuple(f for f in mine if f is not largest)))
    return groups


def is_event_at_known_place(
    event: Finding, events: Sequence[Finding], raised: Collection[tuple[str, str, str]]
) -> bool:
    """Whether an event at a place that failed before is no news: it has not become twice as many.

    `events` are all events so far, `raised` the keys of those that were news. A power strip that
    dips each week is news three times, then at the sixth dip, the twelfth ...
    """
    if not (place := _first_shared_place(event)):
        return False
    same = sorted(other.value for other in events if _first_shared_place(other) == place)
    raised_before = [
        e.value for e in events if _first_shared_place(e) == place and e.identity in raised
    ]
    if not raised_before or event.value < max(raised_before):
        return False
    at_last = bisect_right(same, max(raised_before))
    needed = at_last + 1 if at_last < MIN_ALIKE[EVENT] else 2 * at_last
    return bisect_right(same, event.value) < needed


def is_event_that_goes_on(
    population: Population, event: Finding, events: Sequence[Finding], earlier: Sequence[Finding]
) -> bool:
    """Whether an event is one that was told: its signature has had them since, days apart at most.

    What comes each night, or ebbs away, is told once, and once more when it is twice as large.
    `events` are all so far, `earlier` the findings that were news.
    """
    name = signature_of_most(population, event)
    raised = [f for f in earlier if f.attr == EVENT and f.signature == name]
    if (
        event.attr != EVENT
        or name == ALL
        or not raised
        or _crash_count_of_event(event) > 2 * max(map(_crash_count_of_event, raised))
    ):
        return False
    same = [e for e in events if e.attr == EVENT and signature_of_most(population, e) == name]
    days = {_first_day_of_event(e) for e in (*same, *raised)}
    reached = {_first_day_of_event(e) for e in raised}
    while near := {day for day in days - reached if any(abs(day - r) <= GOES_ON for r in reached)}:
        reached |= near
    return _first_day_of_event(event) in reached


def _first_day_of_event(event: Finding) -> int:
    return parse_day(event.value.partition(" ")[0]) or 0


def _crash_count_of_event(event: Finding) -> int:
    """Return the crashes of an event, with those of other signatures: its test tells them."""
    count = event.test.partition(" ")[0]
    return int(count) if count.isdigit() else event.n


def _places_by_event(findings: Sequence[Finding]) -> dict[int, str]:
    """Return the place ("pdu=p3") of the events, by their identity, that are told by it.

    These are many of one place; those of a signature that others of its events have elsewhere are
    told by the signature.
    """
    events = [finding for finding in findings if finding.attr == EVENT]
    of_signature: dict[str, set[str]] = {}
    for event in events:
        if not event.signature.startswith("*"):
            of_signature.setdefault(event.signature, set()).add(_first_shared_place(event))
    mine = [
        e for e in events if _first_shared_place(e) and len(of_signature.get(e.signature, ())) < 2
    ]
    sizes = Counter(map(_first_shared_place, mine))
    return {
        id(e): _first_shared_place(e)
        for e in mine
        if sizes[_first_shared_place(e)] >= MIN_ALIKE[EVENT]
    }


def _first_shared_place(event: Finding) -> str:
    """Return the first place that nearly all hosts of an event share; "" where there is none."""
    return next((mark for mark in event.aliases if mark.partition("=")[0] in PLACES), "")


def place_of_events(finding: Finding, others: Sequence[Finding]) -> str | None:
    """Return the place of events that are told together because of it; None of any others."""
    events = (finding, *others)
    if (
        finding.attr != EVENT
        or not others
        or len({_first_shared_place(event) for event in events}) > 1
    ):
        return None
    return _first_shared_place(finding) or None


def describe_group(headline: str, finding: Finding, others: Sequence[Finding]) -> str:
    """Return the headline of a finding with the events that it stands for."""
    if (place := place_of_events(finding, others)) is not None:
        events = (finding, *others)
        crashes = sum(event.n for event in events)
        size = f"{len(events)} times, {crashes} crashes on its hosts, together each time"
        shared = set.intersection(*(set(event.aliases) for event in events))
        if jobs := [m for m in sorted(shared) if is_process_attribute(m.partition("=")[0])]:
            return f"{place}, {size}, all with {jobs[0]}: see that job, then the place"
        return f"{place} failed, by all signs ({size}): see its power, network or cooling first"
    # A loop names its hosts.
    is_event = bool(others) and others[0].attr == EVENT
    return f"{headline}, and {counted(len(others), 'more event')} like it" if is_event else headline


def describe_recurrence(finding: Finding, others: Sequence[Finding]) -> str:
    """Say how many events, or loops, like it there were; the value of an event says when."""
    crashes = sum(event.n for event in others)
    if others[0].attr == LOOP_OF:
        return f"{counted(len(others), 'more host')} with such a loop, {crashes} crashes"
    if place_of_events(finding, others) is not None:
        times = sorted(event.value for event in (finding, *others))
        return f"at {shortened_list(times, MAX_TIMES)}"
    days = sorted(event.value.split(" ", 1)[0] for event in others)
    return f"{len(others)} more events like it, {crashes} crashes, from {days[0]} to {days[-1]}"


def finding_lines(
    population: Population,
    day: int,
    finding: Finding,
    others: Sequence[Finding] = (),
    name: str = "",
) -> Iterator[str]:
    """Yield one finding: what, the numbers, how it was tested, what else it may be.

    `others` are events that it stands for; `name` is by what it can be confirmed, "finding 3: ".
    """
    yield f"{iso_day(day)}  {name}{describe_group(describe_verdict(finding), finding, others)}"
    yield f"    {finding_sentence(finding)}"
    if program := program_of_signature(population, finding.signature):
        yield f"    the program: {program}"
    if finding.attr not in CLUSTERED_CRASHES:  # it is in the sentence
        yield f"    {describe_test(finding.test, finding.exposure)}"
    if finding.attr == HOST and (flips := flipped_bits_words(population, finding.members)):
        yield f"    {flips}"
    if others:
        yield f"    {describe_recurrence(finding, others)}"
    yield from (f"    but: {c}" for c in (equivalent_marks_words(finding), *finding.caveats) if c)

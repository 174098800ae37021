# SPDX-License-Identifier: Apache-2.0
"""Crashes that come together: one cause that is counted once.

A program that is restarted and dies again on one host, a power dip in a rack, a bad answer from a
service that all hosts use: such crashes are not independent, and a test that assumes they are would
accuse a host or a version because of one event. They are reported as a finding of their own, and
count as one crash in all tests.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from gdb_epi.fleet.population.attribute_combinations import count_known_pairs
from gdb_epi.fleet.population.cached_answers import cached_answer
from gdb_epi.fleet.population.population import (
    Attribute,
    ComputedOnceCache,
    Population,
    computed_once_per_population,
)
from gdb_epi.fleet.population.signatures_by_local_time import ZONES
from gdb_epi.fleet.screen.dose_response import is_age_of_process
from gdb_epi.fleet.screen.finding import ALL, CAVEAT_MOVED, EVENT, LOOP_OF, DaysHostChanged, Finding
from gdb_epi.fleet.screen.finding_texts import describe_verdict
from gdb_epi.fleet.screen.programs import (
    caveat_of_program_on_one_host,
    crashes_of_same_programs,
    program_of_each_crash,
)
from gdb_epi.fleet.statistics.arrays import (
    ABSENT,
    Bools,
    Floats,
    Ints,
    count_codes,
    distinct_pairs,
    find_runs,
    mask_of_dense_runs,
    release_pages,
    row_blocks,
    row_blocks_with_next_row,
    rows_of_runs,
    rows_under,
)
from gdb_epi.fleet.statistics.hypothesis_tests import binomial_p, binomial_tail
from gdb_epi.fleet.store.day_numbers import SECONDS_A_DAY, iso_moment
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted, shortened_list

# Seconds: a supervisor waits some minutes at most before it starts a program again, which then runs
# for some time before it dies again. What one host alone dies of is taken for such a loop.
LOOP_GAP, GAP_OF_ONE_HOST = 900, 7_200
MIN_LOOP = 5  # crashes in a row that are reported; fewer only count once
# A number of a job: many values, each of which has few crashes.
MIN_JOBS, MAX_OF_JOB = 20, 5
LONG_RUN = 20  # crashes: what is longer has not come to its end
MAX_USUAL = 0.05  # loops as long as this from work that is retried on each host anyway
GAP = 300  # seconds between crashes of one event; less where they are frequent
# Clients notice a file server that is away for an hour at different times, also within seconds.
LONG_GAP, LONGEST = 1_800, 7_200
MIN_HOSTS = 4  # of one event
BUSY = 5.0  # times the mean rate: what an hour of the week may have
MAX_P = 0.01  # of one event among all possible ones
ONE_SECOND = 0.5  # share of crashes at one second of the day, from which on times are dates
BESIDE = 60  # seconds before and after an event that belong to it
MOSTLY = 0.9  # of an event's hosts with one value, which is then named
# What hosts share that can fail for all of them at once.
PLACES = ("rack", "switch", "row", "zone", "chassis", "pdu", "psu", "cluster")
MAX_PLACES = 3  # of all hosts of an event, that are named
CAVEAT_COUNTED_ONCE = "one event, counted once: no host and no version is accused by it"
CAVEAT_OF_ONE_KIND = (
    "look first at what all of them were given or called then: an input that is tried again on one "
    "host after the other, a service, a setting"
)
CAVEAT_CLOCKS = (
    "the clocks of {zone} changed just then (from {before} to {after}): code that works with local "
    "times may die so, and at each such change"
)
ONE_EVENT = "their clocks seem to write local time as UTC: it is one event"
CAVEAT_SHIFTED = (
    "{count} of them say {moment}: all on hosts with {marks}, whose other crashes come {hours} "
    f"than those of other hosts there, too; {ONE_EVENT}"
)
HALF_HOUR, MOST_SHIFTED = 1_800, 14 * 3_600  # seconds: zones differ by so much
MIN_PROFILE = 30  # crashes of other hosts of a place, whose hours are then compared
MIN_GAIN = 5.0  # log-likelihood units: the shift explains the hours of a group's other crashes
CLOCK_CHANGE_BEFORE, CLOCK_CHANGE_AFTER = 3600, 600  # seconds from the start of an event
MAX_NAMED = 2  # events of a signature
NEAR = 3  # days before a loop, and after it
OF_OTHERS = 0.1  # of the other crashes of its program, that have the value of a loop
MAX_SHARED_P = 0.05  # that loops share values of some attribute by chance
OWN_VALUES = (
    "all of them have {attr} {values}, as {count} of {others} other crashes of the program: they "
    "may follow that"
)
BEGAN = "in a row from "
CAVEAT_RESTARTED = "a program that is restarted and dies again, counted once: see the program first"


class CrashEvents(NamedTuple):
    """What came together."""

    repeated: Ints  # the rows of the crashes that do not count
    stands_for: Ints  # for each of these, the crash that counts instead
    findings: tuple[Finding, ...]
    counted: Population  # in which repeats have no host, signature or value

    @property
    def repeated_crashes(self) -> Bools:
        """Which crashes do not count."""
        return self.counted.mask_of_rows(self.repeated)

    def event_of_most_crashes(
        self, population: Population, signature: int, share: float = MOSTLY
    ) -> str | None:
        """Name the event or loop with nearly all crashes of a signature; None if there is none.

        "Nearly all" is a `share` of them.
        """
        same = population.signature == signature
        sizes: dict[str, int] = {}
        together = same & False
        for finding in self.findings:
            mine = same & self.with_repeats(finding.members) & ~together
            if mine.any():
                words = describe_verdict(finding)
                sizes[words] = sizes.get(words, 0) + int(mine.sum())
                together |= mine
        count, total = int(together.sum()), int(same.sum())
        if not sizes or count < share * total:
            return None
        named = sorted(sizes, key=sizes.__getitem__, reverse=True)[:MAX_NAMED]
        rest = len(sizes) - len(named)
        more = f", and {counted(rest, 'more event')}" if rest else ""
        return f"{'; '.join(named)}{more}: {count} of its {total} crashes"

    def with_repeats(self, members: Bools) -> Bools:
        """Return some crashes, and those that they stand for."""
        both: Bools = members.copy()
        both[self.repeated] |= members[self.stands_for]
        return both


@computed_once_per_population
def find_events(population: Population) -> CrashEvents:
    """Return the events and loops of a population, and what is left to count."""
    together = cached_answer(
        population, "events", lambda: _find_repeats(population), Finding, DaysHostChanged
    )
    events = CrashEvents(*together, population)
    if not events.repeated.size:
        return events
    return events._replace(counted=population_without_counting(population, events.repeated))


def _find_repeats(population: Population) -> tuple[Ints, Ints, tuple[Finding, ...]]:
    """Return which crashes repeat which ones, and the findings; none where times are dates only."""
    second = population.second
    if second is None or not _has_time_of_day(second):
        none = np.zeros(0, dtype=np.int64)
        return none, none, ()
    loops = _find_loop_repeats(population, second)
    first = np.ones(population.day.size, dtype=bool)
    first[loops.repeated] = False
    retried, stands_for = _find_retries_elsewhere(population, second, first)
    first[retried] = False
    together = _joined_across_clocks(
        population, second, list(_crashes_of_events(population, second, first))
    )
    counted = np.arange(first.size)  # the crash that counts for each
    counted[loops.repeated] = loops.stands_for
    counted[retried] = stands_for
    counted = counted[counted]
    for whole, finding in together:
        counted[whole] = np.flatnonzero(finding.members)[0]
    counted = counted[counted]  # the first crash of a loop may be one of an event
    repeated = np.flatnonzero(counted != np.arange(first.size))
    in_event = np.zeros(first.size, dtype=bool)
    for whole, _ in together:
        in_event[whole] = True
    # What is retried during an event belongs to the event.
    own = [loop for loop in loops.findings if 2 * (in_event & loop.members).sum() < loop.n]
    findings = (
        *(finding for _, finding in together),
        *_add_caveats_of_moved_loops(population, own),
    )
    return repeated, counted[repeated], findings


def population_without_counting(population: Population, gone: Ints | Bools) -> Population:
    """Return the population in which some crashes cannot be counted; all keep their places.

    What is counted of it is kept as long as it is: half a gigabyte of ten million crashes.
    """

    def cleared(column: Any, nothing: int | bool) -> Any:
        copied = column.copy()
        release_pages(column)  # of a column of the cache hardly anything is read again
        copied[gone] = nothing
        return copied

    def of_others(attribute: Attribute) -> Attribute:
        reported = None if attribute.reported is None else cleared(attribute.reported, ABSENT)
        return attribute._replace(crash=cleared(attribute.crash, ABSENT), reported=reported)

    kept = population.with_each_attribute_changed(of_others)
    return kept._replace(
        host=cleared(population.host, ABSENT),
        signature=cleared(population.signature, ABSENT),
        cpu=cleared(population.cpu, ABSENT),
        bitflip=cleared(population.bitflip, False),
        lock_inherited=cleared(population.lock_inherited, False),
        memo=None if population.memo is None else ComputedOnceCache(),
    )


def _has_time_of_day(second: Ints) -> bool:
    """Whether times hold the time of the day, not only the date."""
    of_day = np.zeros(int(SECONDS_A_DAY), dtype=np.int64)
    for part in row_blocks(second.size):
        moments = second[part][second[part] >= 0]
        of_day += np.bincount(moments % of_day.size, minlength=of_day.size)
    timed = int(of_day.sum())
    return bool(timed and of_day.max() <= max(ONE_SECOND * timed, 1))


def _find_retries_elsewhere(
    population: Population, second: Ints, first: Bools
) -> tuple[Ints, Ints]:
    """Return the crashes of jobs that are tried again on other hosts, and what they repeat.

    A job is known by its number: an attribute that no host-hours have, with nearly as many values
    as it has stories. It dies there as it died before, within minutes.
    """
    none = np.zeros(0, dtype=np.int64)
    repeated, stands_for = [none], [none]
    for attribute in population.attributes:
        has = first & (attribute.crash >= 0) & (population.signature >= 0) & (second >= 0)
        number = int(np.count_nonzero(has))
        if not number or attribute.is_of_process or attribute.has_hours:
            continue
        if is_age_of_process(attribute.name):  # many values too, and no number of a job
            continue
        if len(attribute.values) < max(MIN_JOBS, number / MAX_OF_JOB):
            continue
        at = np.flatnonzero(has)
        at = at[np.argsort(second[at], kind="stable")]
        at = at[np.lexsort((population.signature[at], attribute.crash[at]))]
        again = np.zeros(at.size, dtype=bool)
        again[1:] = np.diff(second[at]) <= LOOP_GAP
        for column in (attribute.crash, population.signature):
            again[1:] &= column[at[1:]] == column[at[:-1]]
        begins, sizes = find_runs(again)
        repeated.append(at[again])
        stands_for.append(np.repeat(at[begins], sizes - 1))
        first = first.copy()
        first[at[again]] = False
    return np.concatenate(repeated), np.concatenate(stands_for)


class _RepeatsOfLoops(NamedTuple):
    """The fields of `CrashEvents`, for loops alone."""

    repeated: Ints
    stands_for: Ints
    findings: list[Finding]


def _find_loop_repeats(population: Population, second: Ints) -> _RepeatsOfLoops:
    """Return the repeats of loops, and the longest loop of each host and signature."""
    placed = (second >= 0) & (population.host >= 0) & (population.signature >= 0)
    at = rows_under(placed)
    columns = population.host[at], population.signature[at]
    apart = _gaps_of_loops(population)
    at = at[mask_of_dense_runs(columns, second[at], apart, 2)]
    # They are in the order of time.
    at = at[np.lexsort((population.signature[at], population.host[at]))]
    again = np.zeros(at.size, dtype=bool)
    for part in row_blocks_with_next_row(at.size):
        rows = at[part]
        is_near = np.diff(second[rows]) <= apart[population.signature[rows[1:]]]
        for column in (population.host, population.signature):
            is_near &= column[rows[1:]] == column[rows[:-1]]
        again[part][1:] = is_near
    begins, sizes = find_runs(again)
    repeated = at[again]
    stands_for = np.repeat(at[begins], sizes - 1)
    long = np.flatnonzero((sizes >= MIN_LOOP) & (_expected_loops_by_length(sizes) <= MAX_USUAL))
    findings: list[Finding] = []
    if not long.size:
        return _RepeatsOfLoops(repeated, stands_for, findings)
    totals = count_codes(population.signature, len(population.signatures), placed)
    reported: set[tuple[int, int]] = set()
    for number in long[np.argsort(-sizes[long], kind="stable")].tolist():
        mine = at[begins[number] : begins[number] + sizes[number]]
        about = int(population.host[mine[0]]), int(population.signature[mine[0]])
        if about in reported:
            continue
        reported.add(about)
        members = population.mask_of_rows(mine)
        beside = _other_crashes_of_program(population, mine)
        shared = tuple(
            attribute.mark_of_value(value)
            for attribute in population.attributes
            if attribute.is_of_process
            for value in _value_of_nearly_all_crashes(attribute, mine, attribute.crash[beside])
        )
        alone = caveat_of_program_on_one_host(population, members)
        minutes = max(int(second[mine[-1]] - second[mine[0]]) // 60, 1)
        since = iso_moment(int(second[mine[0]]))
        findings.append(Finding(
            LOOP_OF, population.hosts[about[0]], population.signatures[about[1]], mine.size,
            int(totals[about[1]]), 0.0, 0.0, float("nan"), 0.0, float("inf"),
            f"{BEGAN}{since}, in {minutes} min", "none needed", shared,
            (CAVEAT_RESTARTED, *alone), members,
        ))  # fmt: skip
    return _RepeatsOfLoops(repeated, stands_for, findings)


def _gaps_of_loops(population: Population) -> Ints:
    """Return how many seconds may lie between crashes of a loop, for each signature.

    Longer ones where one host alone has a signature whose program crashes on several hosts.
    """
    columns = population.signature, population.host
    signature, _, counts = population.computed_once(count_known_pairs, *columns)
    size = len(population.signatures)
    total = np.bincount(signature, weights=counts, minlength=size)
    most = np.zeros(size, dtype=np.int64)
    np.maximum.at(most, signature, counts)
    alone = (most >= MIN_LOOP) & (most >= MOSTLY * total)
    programs = program_of_each_crash(population)
    crash = population.signature * 0 if programs is None else programs.crash
    program, _, _ = population.computed_once(count_known_pairs, crash, population.host)
    hosts_of_program = np.bincount(program, minlength=int(crash.max(initial=0)) + 1)
    signature, program, _ = population.computed_once(count_known_pairs, population.signature, crash)
    widest = np.zeros(size, dtype=np.int64)
    np.maximum.at(widest, signature, hosts_of_program[program])
    alone &= widest >= MIN_HOSTS
    return np.where(alone, GAP_OF_ONE_HOST, LOOP_GAP)


def _other_crashes_of_program(population: Population, mine: Ints) -> Bools:
    """Return the other crashes of a loop's program about its time, or of all where few are."""
    apart = population.signature != population.signature[mine[0]]
    days = population.day[mine]
    near = (population.day >= days.min() - NEAR) & (population.day <= days.max() + NEAR)
    same = crashes_of_same_programs(population, mine)
    beside: Bools = apart & near & (True if same is None else same)
    return beside if np.count_nonzero(beside) >= MIN_LOOP else apart


def _expected_loops_by_length(sizes: Ints) -> Floats:
    """Return how many loops of each length, or longer, there would be without a loop.

    Where jobs are retried, some die a few times in a row: among the short runs, the share of the
    longer ones says how often a run goes on.
    """
    short = sizes[sizes < MIN_LOOP]
    longer = np.count_nonzero(short > 2)
    # The share of runs of 2 to 4 longer than 2, if each goes on with the probability `goes_on`.
    goes_on = (math.sqrt(1 + 4 * (longer + 0.5) / (short.size - longer + 0.5)) - 1) / 2
    # Of a few short runs most may be longer than 2 by chance: then all runs tell, up to a length.
    more = np.minimum(sizes, LONG_RUN) - 2
    goes_on = min(goes_on, (more.sum() + 1) / (more.sum() + np.sum(sizes < LONG_RUN) + 1))
    return np.asarray(short.size * goes_on ** (sizes - 2))


def _add_caveats_of_moved_loops(population: Population, loops: list[Finding]) -> list[Finding]:
    """Add to a loop that also occurred on other hosts that it follows its program."""
    of_signature: dict[str, list[Finding]] = {}
    for loop in loops:
        of_signature.setdefault(loop.signature, []).append(loop)
    several = {
        name: (
            CAVEAT_MOVED.format(hosts=shortened_list(sorted(loop.value for loop in some), 6)),
            *_own_values_of_loops(population, some),
        )
        for name, some in of_signature.items()
        if len(some) > 1
    }
    return [
        loop._replace(caveats=(*several.get(loop.signature, ()), *loop.caveats)) for loop in loops
    ]


def _own_values_of_loops(population: Population, loops: list[Finding]) -> tuple[str, ...]:
    """Name the values of each loop that hardly any other crash of its program has.

    Some attribute is soon shared by two loops: all that are asked are paid for.
    """
    mine = np.logical_or.reduce([loop.members for loop in loops])
    same = crashes_of_same_programs(population, mine)
    others = ~mine if same is None else same & ~mine
    others &= population.signature != population.signature[mine.argmax()]
    best: tuple[float, str] | None = None
    for attribute in population.attributes:
        codes = {int(code) for loop in loops for code in np.unique(attribute.crash[loop.members])}
        beside = attribute.crash[others & (attribute.crash >= 0)]
        if attribute.is_of_process or ABSENT in codes or len(codes) >= len(loops):
            continue
        count = int(np.isin(beside, list(codes)).sum())
        if not beside.size or count > OF_OTHERS * len(codes) * beside.size:
            continue
        # The first loop with each value chose it; the others came to the values of these.
        share = (count + 1) / (beside.size + 1)
        if share ** (len(loops) - len(codes)) * len(population.attributes) > MAX_SHARED_P:
            continue
        counts = np.bincount(attribute.crash[mine], minlength=len(attribute.values))
        each = [f"{attribute.values[code]} ({counts[code]})" for code in sorted(codes)]
        words = OWN_VALUES.format(
            attr=attribute.name, values=shortened_list(each, 6), count=count, others=beside.size
        )
        if best is None or count / beside.size < best[0]:
            best = count / beside.size, words
    begins = sorted(loop.test.removeprefix(BEGAN).partition(",")[0] for loop in loops)
    return (*([best[1]] if best else []), f"they began at {shortened_list(begins, 6)}")


def _crashes_of_events(
    population: Population, second: Ints, first: Bools
) -> Iterator[tuple[Ints, Finding]]:
    """Yield the crashes of each event on several hosts.

    Of loops, only the `first` crashes are used.
    """
    placed = (second >= 0) & (population.host >= 0)
    every, at = map(rows_under, (placed, placed & first))
    if at.size < MIN_HOSTS:
        return
    span = max(int(second[at[-1]] - second[at[0]]), int(SECONDS_A_DAY))
    places = [a for a in population.attributes if a.name in PLACES and len(a.values) > 1]
    columns: list[Ints] = [population.signature, *(place.crash for place in places)]
    columns.insert(0, np.zeros_like(population.signature))  # one group: all crashes
    chains: list[tuple[float, Ints]] = []
    times = second[at]
    for column in columns:
        codes = column[at]
        for gap, longest in ((GAP, span), (LONG_GAP, LONGEST)):
            chains += _unlikely_chains(population, times, at, codes, (span, gap, longest))
    del times
    event_of = np.full(first.size, ABSENT)
    chained = np.zeros(first.size, dtype=bool)
    events: list[tuple[float, Ints]] = []
    for p, mine in sorted(chains, key=lambda chain: (chain[0], -chain[1].size)):
        taken = event_of[mine] >= 0
        left = mine[~taken]
        if 2 * left.size < mine.size:
            # Events at one time are merged, with what else was then more frequent than by chance.
            numbers = np.unique(event_of[mine[taken]])
            event_of[np.isin(event_of, numbers)] = numbers[0]
            length = float(second[mine[-1]] - second[mine[0]] + GAP)
            share = min(BUSY * length / span, 1.0)
            if left.size and binomial_p(left.size, at.size, share) <= MAX_P:
                event_of[left], chained[left] = numbers[0], True
            continue
        whole = _add_simultaneous_crashes_of_hosts(population, second, every, left)
        event_of[whole[event_of[whole] < 0]] = len(events)
        chained[left] = True
        events.append((p, left))
    for number, (p, mine) in enumerate(events):
        whole = np.flatnonzero(event_of == number)
        if whole.size:
            core = whole[chained[whole]]
            yield whole, _event_finding(population, second, mine, p, (core, whole.size))


def _add_simultaneous_crashes_of_hosts(
    population: Population, second: Ints, at: Ints, mine: Ints
) -> Ints:
    """Return the crashes of an event and whatever else died on its hosts at that time.

    The rank that failed first has a signature of its own; those that it took along have another.
    """
    low, high = int(second[mine[0]]) - BESIDE, int(second[mine[-1]]) + BESIDE
    times = second[at]  # in order
    near = at[np.searchsorted(times, low) : np.searchsorted(times, high, side="right")]
    hosts = np.zeros(len(population.hosts), dtype=bool)
    hosts[population.host[mine]] = True
    return np.union1d(mine, near[hosts[population.host[near]]])


def _unlikely_chains(
    population: Population, second: Ints, at: Ints, codes: Ints, times: tuple[int, int, int]
) -> Iterator[tuple[float, Ints]]:
    """Yield (p, crashes) of the chains of each group that its rate does not explain.

    `second` and `codes` are those of the crashes `at`; `times` are the whole span, the largest gap
    in a chain, and the longest chain.
    """
    span, most_apart, longest = times
    coded = codes >= 0
    sizes = count_codes(codes, int(codes.max(initial=0)) + 1, coded)
    if most_apart > GAP:  # in a frequent group a longer gap means nothing
        coded &= (sizes * GAP < 0.2 * span)[codes]
    gap = np.minimum(most_apart, 0.2 / np.maximum(sizes / span, 1e-12))
    coded &= mask_of_dense_runs((codes,), second, gap, MIN_HOSTS)
    order = np.flatnonzero(coded)
    order = order[np.argsort(codes[order], kind="stable")]
    linked = np.zeros(order.size, dtype=bool)
    for part in row_blocks_with_next_row(order.size):
        group = codes[order[part]]
        is_near = np.diff(second[order[part]]) <= gap[group[1:]]
        linked[part][1:] = is_near & (group[1:] == group[:-1])
    begins, lengths = find_runs(linked)
    begins, lengths = begins[lengths >= MIN_HOSTS], lengths[lengths >= MIN_HOSTS]
    chained = at[order[rows_of_runs(begins, lengths)]]
    chain = np.repeat(np.arange(begins.size), lengths)
    hosts = np.bincount(distinct_pairs(chain, population.host[chained])[0], minlength=begins.size)
    several = np.flatnonzero(hosts >= MIN_HOSTS)
    begins, lengths, hosts = begins[several], lengths[several], hosts[several]
    # One crash per host, as one host's crashes are its own matter. The first one opens the chain.
    code = codes[order[begins]]
    length = second[order[begins + lengths - 1]] - second[order[begins]] + gap[code]
    share = np.minimum(BUSY * length / span, 1.0)
    tail = binomial_tail(*(np.asarray(x, dtype=float) for x in (hosts - 1, sizes[code] - 1, share)))
    p = np.minimum(1.0, tail * at.size)
    for i in np.flatnonzero((p <= MAX_P) & (length - gap[code] <= longest)).tolist():
        mine = order[begins[i] : begins[i] + lengths[i]]
        if most_apart > GAP:
            usual = _share_of_one_day_at_time(second[codes == code[i]], second[mine], span)
            chance = binomial_p(hosts[i] - 1, sizes[code[i]] - 1, usual)
            p[i] = max(p[i], min(1.0, chance * at.size))
        if p[i] <= MAX_P:
            yield float(p[i]), at[mine]


def _share_of_one_day_at_time(others: Ints, mine: Ints, span: int) -> float:
    """Return the share of a group's crashes that one day has at the time of day of these.

    Where all work runs in one hour of the night, the crashes of one night are no event.
    """
    day = int(SECONDS_A_DAY)
    begin, length = int(mine[0]) - LONG_GAP, int(mine[-1] - mine[0]) + 2 * LONG_GAP
    at_that_time = int(np.count_nonzero((others - begin) % day <= length)) - mine.size
    days = max(span / day, 1.0)
    return min(2 * (at_that_time + 1) / (days * max(others.size, 1)), 1.0)


def _event_finding(
    population: Population, second: Ints, mine: Ints, p: float, whole: tuple[Ints, int]
) -> Finding:
    """Return the finding of an event; `whole` are all crashes of its time, and their number."""
    core, size = whole
    kinds = np.unique(population.signature[mine])
    single = kinds.size == 1 and kinds[0] >= 0
    name = population.signatures[int(kinds[0])] if single else ALL
    hosts = np.unique(population.host[core]).size
    minutes = max(int(second[core[-1]] - second[core[0]]) // 60, 1)
    shared = tuple(
        attribute.mark_of_value(value)
        for attribute in population.attributes
        for value in _value_of_nearly_all_crashes(attribute, core, attribute.codes_in_fleet)
    )
    total = int((population.signature == kinds[0]).sum()) if single else population.day.size
    members, begin = population.mask_of_rows(mine), int(second[core[0]])
    places = (
        ""
        if any(m.partition("=")[0] in PLACES for m in shared)
        else _places_of_event_words(population, core)
    )
    caveats = (CAVEAT_COUNTED_ONCE, *([CAVEAT_OF_ONE_KIND] if single else ()))
    return Finding(
        EVENT, iso_moment(begin), name, mine.size, total, p, p, float("nan"), 0.0, float("inf"),
        f"{size} crashes on {hosts} hosts{places} in {minutes} min", "none needed",
        shared, (*caveats, *_clock_change_caveat(begin)), members,
    )  # fmt: skip


def _places_of_event_words(population: Population, core: Ints) -> str:
    """Return " of rack=r5, rack=r6": the few places of all hosts of an event; "" where many are."""
    for name in PLACES:
        if (place := population.attribute(name)) is None or (place.crash[core] < 0).any():
            continue
        codes = np.unique(place.crash[core])
        fleet = place.codes_in_fleet
        there = np.isin(fleet[fleet >= 0], codes)
        if 1 < codes.size <= MAX_PLACES and there.size and float(there.mean()) < 0.5:
            return f" of {', '.join(map(place.mark_of_value, codes.tolist()))}"
    return ""


def _joined_across_clocks(
    population: Population, second: Ints, events: list[tuple[Ints, Finding]]
) -> list[tuple[Ints, Finding]]:
    """Return the events, those as one that some hosts tell hours later because of their clocks.

    All hosts of the second event share values that no host of the first one has together, and their
    other crashes come as many hours later than those of other hosts of the same place.
    """
    joined, left = list(events), {id(event) for event in events}
    for later in events:
        for other in events:
            if later is other or not {id(later), id(other)} <= left:
                continue
            shifted = _shifted_event(population, second, later, other)
            if shifted is not None:
                left -= {id(later), id(other)}
                joined = [event for event in joined if event is not later and event is not other]
                joined.append(shifted)
    return joined


def _shifted_event(
    population: Population, second: Ints, event: tuple[Ints, Finding], true: tuple[Ints, Finding]
) -> tuple[Ints, Finding] | None:
    """Return two events as one, if the clocks of all hosts of the first are off; else None."""
    rows, finding = event
    if finding.signature != true[1].signature or finding.signature == ALL:
        return None
    apart = int(second[rows[0]] - second[true[0][0]])
    shift = round(apart / HALF_HOUR) * HALF_HOUR
    if not 0 < abs(shift) <= MOST_SHIFTED or abs(apart - shift) > GAP:
        return None
    hosts = population.host
    if np.isin(hosts[rows], hosts[true[0]]).any():
        return None
    marks = {
        attribute.mark_of_value(value): attribute.crash == value
        for attribute in population.attributes
        if not attribute.is_of_process
        for value in _value_of_nearly_all_crashes(attribute, rows, attribute.codes_in_fleet)
    }
    of_group = np.logical_and.reduce([second >= 0, *marks.values()])
    # What hit other hosts of the place at another hour came there then: its clocks are right.
    if not marks or not of_group[rows].all() or of_group[true[0]].any():
        return None
    if not all(has_mark[true[0]].any() for has_mark in marks.values()):
        return None
    # A group so small may be absent from the first event by chance.
    if (1 - of_group.sum() / (second >= 0).sum()) ** true[0].size > MAX_P:
        return None
    alone = second >= 0
    alone[np.concatenate((rows, true[0]))] = False
    mine, gains = second[alone & of_group], [0.0]
    for has_mark in marks.values():
        beside = second[alone & has_mark & ~of_group]
        if beside.size >= MIN_PROFILE:
            hourly = np.bincount(beside // 3600 % 24, minlength=24) + 1.0
            usual = np.log(hourly / hourly.sum())
            moved, as_recorded = ((mine - by) // 3600 % 24 for by in (shift, 0))
            gains.append(float(usual[moved].sum() - usual[as_recorded].sum()))
    if max(gains) < MIN_GAIN:
        return None
    right = np.where(of_group, second - shift, second)
    both = np.union1d(rows, true[0])
    both = both[np.argsort(right[both], kind="stable")]
    mine_of_both = both[(finding.members | true[1].members)[both]]
    whole = _event_finding(
        population, right, mine_of_both, min(finding.p, true[1].p), (both, both.size)
    )
    caveat = CAVEAT_SHIFTED.format(
        count=rows.size, moment=iso_moment(int(second[rows[0]])), marks=" and ".join(marks),
        hours=f"{abs(shift) / 3600:g} h {'later' if shift > 0 else 'earlier'}",
    )  # fmt: skip
    return np.sort(both), whole._replace(caveats=(caveat, *whole.caveats))


def _clock_change_caveat(start: int) -> tuple[str, ...]:
    """Say that clocks were put forward or back when an event began."""
    from datetime import datetime
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    for zone in ZONES:
        try:
            place = ZoneInfo(zone)
        except ZoneInfoNotFoundError:  # no list of zones on this machine
            return ()
        before, after = (
            datetime.fromtimestamp(at, place).strftime("%z")
            for at in (start - CLOCK_CHANGE_BEFORE, start + CLOCK_CHANGE_AFTER)
        )
        if before != after:
            return (CAVEAT_CLOCKS.format(zone=zone, before=before, after=after),)
    return ()


def _value_of_nearly_all_crashes(attribute: Attribute, mine: Ints, codes: Ints) -> list[int]:
    """Return the value of nearly all these crashes, unless most `codes` have it anyway."""
    counts = np.bincount(attribute.crash[mine] + 1, minlength=2)[1:]
    value = int(counts.argmax())
    if counts[value] < MOSTLY * mine.size:
        return []
    present = codes[codes >= 0]
    return [value] if not present.size or float((present == value).mean()) < 0.5 else []

# SPDX-License-Identifier: Apache-2.0
"""Signatures whose time or place is not chance, and which no finding explains.

A bug that came with a release on all hosts at once goes with no value of any attribute, and a bug
of a service that runs on twelve hosts accuses none of them. All that can be said is that it began
on some day, or stays on those hosts; this accuses nobody.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import lgamma, log

import numpy as np

from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.questions.version_courses import version_course
from gdb_epi.fleet.screen.dose_response import MOMENTS
from gdb_epi.fleet.screen.events import find_events
from gdb_epi.fleet.screen.finding import CLUSTERED_CRASHES, MIN_N
from gdb_epi.fleet.screen.hosts import exposure_shares, signature_of_most
from gdb_epi.fleet.screen.programs import (
    crashes_of_same_programs,
    main_program,
    named_with_program,
)
from gdb_epi.fleet.screen.renamings import moved_functions_of
from gdb_epi.fleet.screen.screening import ScreeningResult
from gdb_epi.fleet.statistics.arrays import Floats, Ints
from gdb_epi.fleet.statistics.hypothesis_tests import negative_binomial_tail
from gdb_epi.fleet.store.day_numbers import iso_day
from gdb_epi.util import counted

MIN_CRASHES = 8  # of a signature
MAX_P = 1e-3  # over all signatures: nobody asked about this one
MIN_BEFORE = 3  # days before it began
MAX_BURST_P, SPREAD = 1e-6, 0.3  # of a day, paid for all; how much usual days differ
MIN_BURST, MIN_IN_BURSTS = 6, 0.3  # crashes of a day, and hosts; of all crashes of the signature
LOUDEST, MAX_ROUNDS = 0.15, 8  # days that are left aside at first
MAX_TOLD = 5  # of each kind, the most frequent first
MAX_CRASHES = 1_000_000  # in all; with more of them everything is significant
MAX_PART = 0.5  # of the hosts: more are not "a few hosts"
QUIET = 7  # days without a crash after which the last one is named


def unexplained_signature_sentences(
    population: Population, day: int, screened: ScreeningResult, left_out: Sequence[str] = ()
) -> list[str]:
    """Return sentences about signatures that no finding is about, the most frequent ones first.

    Those in `left_out` have another explanation, and those whose events tell when they come too.
    """
    if not MIN_N <= population.day.size <= MAX_CRASHES:
        return []
    explained = {
        signature_of_most(population, f)
        for f in screened.findings
        if f.attr not in CLUSTERED_CRASHES or any(c.endswith(MOMENTS) for c in f.caveats)
    }.union(left_out)
    counted_once = find_events(population).counted
    sizes = np.bincount(counted_once.signature + 1, minlength=len(population.signatures) + 1)[1:]
    tested = int(np.count_nonzero(sizes >= MIN_CRASHES))
    began: list[str] = []
    bursts: list[str] = []
    few: list[str] = []
    rows = np.argsort(counted_once.signature, kind="stable")  # those without one come first
    ends = rows.size - sizes.sum() + np.cumsum(sizes)
    timed = counted_once.timed
    days = np.sort(counted_once.day[timed])
    each_day = np.bincount(days - days[:1])
    for code in np.argsort(-sizes, kind="stable").tolist():
        if sizes[code] < MIN_CRASHES:
            break
        if population.signatures[code] in explained:
            continue
        mine = rows[ends[code] - sizes[code] : ends[code]]
        name = population.signatures[code]
        begun = list(_began(counted_once, mine[timed[mine]], days, (day, tested)))
        if begun and (renaming := moved_functions_of(counted_once, name)):
            begun = (
                [] if explained.intersection(sum(renaming.signatures, ())) else [renaming.words()]
            )
            explained.update(sum(renaming.signatures, ()))
        elif begun and (course := version_course(counted_once, counted_once.signature == code)):
            begun = [f"{course.words()}: {named_with_program(population, name)}"]
        began += begun
        if (its_own := mine[timed[mine]]).size >= MIN_CRASHES:
            bursts += _in_bursts(counted_once, its_own, (int(days[0]), each_day), tested)
        few += _on_few_hosts(counted_once, mine, tested)
    return [*bursts[:MAX_TOLD], *began[:MAX_TOLD], *few[:MAX_TOLD]]


def _in_bursts(
    population: Population, mine: Ints, crashes: tuple[int, Ints], tested: int
) -> Iterator[str]:
    """Say that a signature comes in bursts of a day or some, on many hosts each time.

    A job that is queued again until somebody cancels it, or an input that no process can read, goes
    from host to host: it is one story, whatever version runs on those days. `crashes` are the first
    day, and how many crashes there are on each from then on.
    """
    first, every = crashes
    own = np.bincount(population.day[mine] - first, minlength=every.size)
    others = (every - own) + 1.0
    is_burst = (own >= MIN_BURST) & (own > np.quantile(own, 1 - LOUDEST))
    for _ in range(MAX_ROUNDS):  # what lies outside of the bursts tells what is usual
        usual = others * (own[~is_burst].sum() + 1) / max(others[~is_burst].sum(), 1.0)
        p = (
            negative_binomial_tail(own.astype(float), usual, usual * (1 + SPREAD * usual))
            * own.size
            * tested
        )
        again = (p <= MAX_BURST_P) & (own >= MIN_BURST)
        if (again == is_burst).all():
            break
        is_burst = again
    edges = np.flatnonzero(np.diff(np.concatenate(([0], is_burst.astype(int), [0]))))
    runs = edges.reshape(-1, 2)
    if not 1 <= len(runs) <= MAX_TOLD or own[is_burst].sum() < MIN_IN_BURSTS * mine.size:
        return
    parts = []
    for begin, end in runs.tolist():
        some = mine[(population.day[mine] >= first + begin) & (population.day[mine] < first + end)]
        hosts = np.unique(population.host[some[population.host[some] >= 0]]).size
        if hosts < MIN_BURST:  # one host's loop is its own story
            return
        last = f" to {iso_day(first + end - 1)}" if end - begin > 1 else ""
        parts.append(f"{some.size} on {hosts} hosts, {iso_day(first + begin)}{last}")
    name = named_with_program(population, population.signatures[population.signature[mine[0]]])
    yield (
        f"comes in bursts: {name}: {'; '.join(parts)}; of {counted(mine.size, 'crash')} in all. A "
        "job or an input that is tried again on other hosts looks like this, and no host and no "
        "version is accused by it"
    )


def _began(
    population: Population, mine: Ints, all_days: Ints, asked: tuple[int, int]
) -> Iterator[str]:
    """Say when a signature began, if chance would not have kept it away until then.

    `mine` are its crashes with a time, `known` the days of all crashes, in order.
    """
    day, tested = asked
    days = np.sort(population.day[mine])
    if days.size < MIN_CRASHES:
        return
    first, last = int(days[0]), int(days[-1])
    if first - int(all_days[0]) < MIN_BEFORE:
        return
    others = all_days.size - int(np.searchsorted(all_days, first)) - days.size
    share = (others + 1) / (all_days.size - days.size + 1)
    if population.has_exposure:
        late = population.exposure_hours[population.exposure_day >= first].sum()
        share = max(share, float(late / population.exposure_hours.sum()))
    # P(all others come after the first one), if each could have come before it.
    if min(share, 1.0) ** (days.size - 1) * tested > MAX_P:
        return
    hosts = np.unique(population.host[mine[population.host[mine] >= 0]]).size
    size = f"{counted(days.size, 'crash')} on {counted(hosts, 'host')}"
    until = f", the last on {iso_day(last)}" if day - last >= QUIET else ""
    name = named_with_program(population, population.signatures[population.signature[mine[0]]])
    yield f"began on {iso_day(first)}{until}: {name}: {size}; gdb-epi fleet onset says with what"


def _on_few_hosts(population: Population, mine: Ints, tested: int) -> Iterator[str]:
    """Say that a signature stays on a few hosts, if chance would have spread it."""
    share = exposure_shares(population).by_host
    alive = int(np.count_nonzero(share > 0))
    hosts = population.host[mine[population.host[mine] >= 0]]
    own = np.unique(hosts)
    if hosts.size < MIN_CRASHES or own.size < 2 or own.size > MAX_PART * alive:
        return
    # P(all on so many hosts) is at most the sum over all sets of so many hosts.
    part, size = float(np.sort(share)[-own.size :].sum()), alive
    if (its_shares := _shares_of_program(population, mine)) is not None:
        # Its program may run nowhere else, and more on some hosts: its other crashes tell where.
        part, size = float(its_shares[-own.size :].sum()), its_shares.size
    sets = lgamma(size + 1) - lgamma(own.size + 1) - lgamma(size - own.size + 1)
    if sets + hosts.size * log(part) > log(MAX_P / tested):
        return
    name = named_with_program(population, population.signatures[population.signature[mine[0]]])
    where = f"{counted(hosts.size, 'crash')} on {own.size} of {alive} hosts and on no other"
    mask = population.mask_of(mine)
    main = main_program(population, mask)
    runs = f": see what else {main[0]} has there" if main and main[1] == main[2] else ""
    yield f"stays on few hosts: {name}: {where}; no host is to blame by that{runs}"


def _shares_of_program(population: Population, mine: Ints) -> Floats | None:
    """Return each host's share of a program, in order; None: it has hardly crashed otherwise.

    `mine` are the crashes of the program that are asked about. A host that has no others counts as
    if it had one.
    """
    of_program = crashes_of_same_programs(population, mine)
    if of_program is None:
        return None
    of_program &= population.host >= 0
    has_any = np.unique(population.host[of_program])
    of_program[mine] = False
    if int(np.count_nonzero(of_program)) < MIN_CRASHES:
        return None
    others = np.bincount(population.host[of_program], minlength=len(population.hosts))[has_any]
    return np.asarray(np.sort(np.maximum(others, 1) / np.maximum(others, 1).sum()))

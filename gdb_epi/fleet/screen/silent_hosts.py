# SPDX-License-Identifier: Apache-2.0
"""Hosts that went silent together: no program of theirs crashes any more.

A collector that died, or an upload that is late, looks like recovery: rates fall with it, and the
place seems the healthiest. Fewer crashes of one program are no silence; none of any is.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TypeVar

import numpy as np

from gdb_epi.fleet.population.cached_answers import cached_answer
from gdb_epi.fleet.population.population import Attribute, Population, computed_once_per_population
from gdb_epi.fleet.population.value_spans import (
    GOES_ON,
    NEVER,
    first_and_last_days,
    share_of_usual_hours,
)
from gdb_epi.fleet.records.facts import PROGRAM
from gdb_epi.fleet.screen.events import find_events
from gdb_epi.fleet.screen.finding import MIN_N
from gdb_epi.fleet.screen.moved_programs import find_program_moves
from gdb_epi.fleet.screen.past_silence import TemporarySilenceOfHosts
from gdb_epi.fleet.screen.programs import program_of_each_crash
from gdb_epi.fleet.statistics.arrays import (
    ABSENT,
    Bools,
    Floats,
    Ints,
    count_codes,
    count_pairs,
    sum_by_code,
)
from gdb_epi.fleet.statistics.hypothesis_tests import (
    hypergeometric_p,
    hypergeometric_tail,
    poisson_binomial_tail,
)
from gdb_epi.fleet.store.day_numbers import iso_day
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted

MIN_QUIET = 2  # days
MIN_HOSTS = 2  # one host that stopped is its own story
MIN_CRASHES = 10  # before
MAX_LEFT = 0.1  # of the hosts of a value that has no hours: more have another one now
REPLACED = 0.5  # of the crashes due came on hosts of values that came up: it went out of use
MAX_P = 0.01  # that chance leaves none, paid for all groups
MAX_P_OF_OTHERS = 0.05  # the same without the most frequent signature, which may be mended
MAX_GROUPS = 4
MAX_ASKED = 20  # of those that chance does not leave
MAX_PROGRAMS = 5  # with the most quiet hosts
MIN_QUIET_HOSTS = 5  # of a program
MAX_QUIET_P = 0.05  # of a host that may be one of them
ENDS = (0.5, 0.75, 0.9, 1.0)  # of the quiet hosts, whose last day is looked at
MIN_OF_VALUE, MIN_HOSTS_OF_VALUE = 40, 20  # crashes, hosts: nearly all of which fell silent
MIN_FALLEN_DAYS = 7
MAX_LEFT_OVER = 0.2  # of the crashes that were due
LOUD = 3  # signatures without which all others must have fallen, too
MAX_P_OF_VALUE = 1e-6
RUNS = "its host-hours go on"
STOPPED = "it has no host-hours since then: it is off, or nothing of it is sent"
UNKNOWN = "no host-hours tell whether it runs"
MAX_LOG_P = np.log(1e-6)  # that days which scatter as the others do are all without a crash
MIN_OTHER_DAYS = 14


class SilentHosts(NamedTuple):
    """Hosts of one value without a crash since a day."""

    attr: str
    value: str
    last: int  # the day of the last crash
    hosts: Ints
    due: float  # crashes since, by its share before
    hours: str  # RUNS, STOPPED or UNKNOWN
    of_hosts: int = 0  # on how many hosts a program crashed, or how many have the value

    def words(self) -> str:
        """Say it, without a cause."""
        where = f"{self.attr}={self.value} ({counted(self.hosts.size, 'host')})"
        if self.of_hosts:
            what = self.value if self.attr == PROGRAM else f"{self.attr}={self.value}"
            where = f"{self.hosts.size} of the {self.of_hosts} hosts of {what}"
        return (
            f"no crash of any program on {where} after {iso_day(self.last)}, where about "
            f"{self.due:.0f} were due, and {self.hours}"
        )


class DaysWithoutAnyCrash(NamedTuple):
    """Days on which nothing crashed anywhere, between days on which much did."""

    first: int
    last: int
    due: float  # crashes, at the rate of the other days

    def words(self) -> str:
        """Say it, without a cause."""
        days = counted(self.last - self.first + 1, "day")
        return (
            f"no crash of any program on any host from {iso_day(self.first)} to "
            f"{iso_day(self.last)} ({days}), where about {self.due:.0f} were due"
        )


@computed_once_per_population
def find_silent_days(population: Population) -> DaysWithoutAnyCrash | None:
    """Return the one longest gap between crashes, if the days' own spread does not explain it.

    Gaps that come again, such as weekends, are how this fleet works.
    """
    if not population.has_time.any():
        return None
    make = partial(_longest_gap_between_crashes, population)
    return cached_answer(population, "silent-days", make, DaysWithoutAnyCrash)


def _longest_gap_between_crashes(population: Population) -> DaysWithoutAnyCrash | None:
    days, counts = np.unique(population.day[population.has_time], return_counts=True)
    days, counts = days[days >= 0], counts[days >= 0].astype(float)
    gaps = np.diff(days) - 1
    if days.size < MIN_OTHER_DAYS or not gaps.any():
        return None
    longest = int(gaps.argmax())
    length = int(gaps[longest])
    if length <= 2 * int(np.delete(gaps, longest).max(initial=0)):
        return None
    first, last = int(days[longest]) + 1, int(days[longest + 1]) - 1
    others = int(days[-1] - days[0]) + 1 - length
    mean = float(counts.sum()) / others
    variance = float((counts**2).sum()) / others - mean**2
    # Zero of a negative binomial with the spread of the other days; of a Poisson where they have
    # no more than that.
    excess = max(variance - mean, 0.0) / mean
    of_one_day = -mean * (np.log1p(excess) / excess if excess > 1e-9 else 1.0)
    if of_one_day * length > MAX_LOG_P:
        return None
    return DaysWithoutAnyCrash(first, last, mean * length)


@computed_once_per_population
def find_silent_groups(population: Population) -> list[SilentHosts]:
    """Return what went silent and still is, the surest first; no group of hosts twice."""
    if not population.has_time.any():
        return []
    make = partial(_groups_gone_silent, population)
    return cached_answer(population, "silent-groups", make, SilentHosts)


def _groups_gone_silent(population: Population) -> list[SilentHosts]:
    attributes = [a for a in population.attributes if not (a.is_of_process or a.is_range)]
    counted_once = find_events(population).counted
    free = (counted_once.host >= 0) & population.has_time & (population.day >= 0)
    if moved := {move.program for move in find_program_moves(counted_once)}:  # not due there since
        programs = program_of_each_crash(population)
        assert programs is not None  # some have moved
        free &= ~np.isin(programs.crash, [programs.values.index(name) for name in moved])
    groups: list[SilentHosts] = []
    hosts = _HostCrashes(population, free)
    if not hosts.is_any_quiet:  # of many crashes each host has some on each day
        return groups
    values = [_value_of_each_host(population, attribute) for attribute in attributes]
    silent = hosts.silence_of_program() or hosts.silence_of_most_hosts_with_value(
        attributes, values
    )
    if silent is not None:
        groups.append(silent)
        free &= ~np.isin(population.host, silent.hosts)
        hosts = _HostCrashes(population, free)
    while len(groups) < MAX_GROUPS:
        tables = [hosts.quiet_values(a, v) for a, v in zip(attributes, values, strict=True)]
        tests = sum(table.tested for table in tables)
        maybe = [(p * tests, table, at) for table in tables for at, p in enumerate(table.p)]
        likely = sorted((c for c in maybe if c[0] <= MAX_P), key=lambda c: c[0])[:MAX_ASKED]
        sure = (
            group
            for _, table, at in likely
            if (group := hosts.judge_silence(table, at)) is not None
        )
        if (silent := next(sure, None)) is None:
            break
        groups.append(silent)
        free &= ~np.isin(population.host, silent.hosts)
        hosts = _HostCrashes(population, free)
    return groups


def _last_day_before_fall(own: Ints, others: Ints) -> int | None:
    """Return the last day (a place) before some crashes nearly ended, beside the others."""
    n, m = np.cumsum(own)[:-1].astype(float), np.cumsum(others)[:-1].astype(float)
    if n.size <= MIN_FALLEN_DAYS or not n[-1] or not m[-1]:
        return None
    late = own.sum() - n, others.sum() - m
    with np.errstate(divide="ignore", invalid="ignore"):
        share = n / (n + m), late[0] / (late[0] + late[1])
        gain = sum(
            np.where(k > 0, k * np.log(part), 0.0) + np.where(j > 0, j * np.log(1 - part), 0.0)
            for k, j, part in ((n, m, share[0]), (*late, share[1]))
        )
    at = int(np.nanargmax(gain))
    due = n[at] / max(m[at], 1) * late[1][at]
    if own.size - 1 - at < MIN_FALLEN_DAYS or not 0 < late[0][at] <= MAX_LEFT_OVER * due:
        return None  # where none is left, all hosts of the value are silent
    return at if due >= 2 * MIN_CRASHES else None


def _value_of_each_host(population: Population, attribute: Attribute) -> Ints:
    """Return the latest value that each host is known to have, by the hours if they tell.

    Crashes alone tell nothing of a value that hosts leave: who still has it is who has not crashed
    since (a flag that was switched off everywhere would be silent by that).
    """
    size = len(population.hosts)
    value = _latest_code_of_each_host(
        population.exposure_host, attribute.exposure, population.exposure_day, size
    )
    crashed = population.computed_once(np.unique, population.host)
    if (value[crashed[crashed >= 0]] >= 0).all():
        return value
    has_both = (population.host >= 0) & (attribute.crash >= 0)
    seen = _latest_code_of_each_host(population.host, attribute.crash, population.day, size)
    _, held, _ = count_pairs(population.host, attribute.crash, among=has_both)
    stayed = np.bincount(seen[seen >= 0], minlength=len(attribute.values))
    left = np.bincount(held, minlength=stayed.size) - stayed
    seen[(left > MAX_LEFT * stayed)[seen] & (seen >= 0)] = ABSENT
    return np.where(value >= 0, value, seen)


def _latest_code_of_each_host(host: Ints, codes: Ints, day: Ints, size: int) -> Ints:
    """Return the code that each host had last."""
    value = np.full(size, ABSENT, dtype=np.int64)
    rows = np.flatnonzero((host >= 0) & (codes >= 0))
    if rows.size and (np.diff(day[rows]) < 0).any():
        rows = rows[np.argsort(day[rows], kind="stable")]
    value[host[rows]] = codes[rows]  # the last one stays
    return value


class _QuietValuesOfAttribute(NamedTuple):
    """Of one attribute the values whose hosts are quiet at the end."""

    attribute: Attribute
    hosts: Ints  # the value of each host
    values: Ints
    last: Ints  # the day of the last crash, of each value
    due: Floats
    p: list[float]
    replaced: list[bool]  # by hosts of a value that came up
    tested: int  # values


class _HostCrashes:
    """Of each host the crashes under a mask, and when they came."""

    def __init__(self, population: Population, free: Bools) -> None:
        self.population, self.free, size = population, free, len(population.hosts)
        self.crashes = count_codes(population.host, size, free)
        host = np.where(free, population.host, ABSENT)
        crashed, self.last = first_and_last_days(host, population.day, size)
        self.runs = population.exposure_hours > 0
        host = np.where(self.runs, population.exposure_host, ABSENT)
        ran, _ = first_and_last_days(host, population.exposure_day, size)
        self.first = np.minimum(crashed, ran)
        self.start, self.end = int(population.day.min()), population.last_day
        days = population.day[free] - self.start
        self.by_then = np.cumsum(np.bincount(days, minlength=self.end - self.start + 1))

    @property
    def is_any_quiet(self) -> bool:
        """Whether some host with crashes has none at the end."""
        return bool(((self.crashes > 0) & (self.end - self.last >= MIN_QUIET)).any())

    def quiet_values(self, attribute: Attribute, value: Ints) -> _QuietValuesOfAttribute:
        """Ask which values of an attribute have no crash since a day, and P of that by chance."""
        size = len(attribute.values)
        has_value = (value >= 0) & (self.crashes > 0)
        had = sum_by_code(value[has_value], self.crashes[has_value], size)
        many = np.bincount(value[value >= 0], minlength=size) >= MIN_HOSTS
        first, last = np.full(size, NEVER), np.full(size, -NEVER)
        np.minimum.at(first, value[has_value], self.first[has_value])
        np.maximum.at(last, value[has_value], self.last[has_value])
        asked = (had >= MIN_CRASHES) & many
        values = np.flatnonzero(asked & (self.end - last >= MIN_QUIET))
        if not values.size:
            none = np.zeros(0)
            tested = int(np.count_nonzero(asked))
            return _QuietValuesOfAttribute(attribute, value, values, values, none, [], [], tested)
        mine, since = had[values], first[values]
        upto, after = self._fleet_crashes_before_and_after(since, last[values])
        # All of its crashes among those up to its last day: the others tell how many came later.
        p = hypergeometric_tail(mine, upto + after, upto, mine)
        due = mine * after / np.maximum(upto, 1)
        codes = np.where(self.free, attribute.crash, ABSENT)
        seen, _ = first_and_last_days(codes, self.population.day, size)
        # Chance does not keep so many away from the days before; those that go on are its heirs.
        before, _ = self._fleet_crashes_before_and_after(
            seen * 0, np.minimum(seen, self.end + 1) - 1
        )
        came = (1 - before / max(self.by_then[-1], 1)) ** had <= MAX_P
        came &= last >= self.end - MIN_QUIET
        heirs = np.where(came & (seen > seen[values][:, None]), had, 0.0)
        replaced = heirs.sum(axis=1) >= REPLACED * due
        return _QuietValuesOfAttribute(
            attribute, value, values, last[values], due, p.tolist(), replaced.tolist(),
            int(np.count_nonzero(asked)),
        )  # fmt: skip

    def _fleet_crashes_before_and_after(self, first: Ints, last: Ints) -> tuple[Floats, Floats]:
        """Return the crashes of the fleet from a day up to another one, and those after it."""
        whole = np.append(self.by_then, 0).astype(float)  # the day before the start has none
        upto = whole[last - self.start]
        return upto - whole[np.maximum(first - self.start, 0) - 1], self.by_then[-1] - upto

    def silence_of_program(self) -> SilentHosts | None:
        """Return the hosts of one program that went silent each on its own day, the surest ones.

        A disk that is full of cores takes no more of them. That chance leaves so many hosts quiet
        is asked of their crashes without the most frequent signature, which may be mended.
        """
        population, programs = self.population, program_of_each_crash(self.population)
        asked = (self.crashes >= MIN_N) & (self.end - self.last >= MIN_QUIET)
        if programs is None or np.count_nonzero(asked) < MIN_QUIET_HOSTS:
            return None
        hosts = np.flatnonzero(asked)
        upto, after = self._fleet_crashes_before_and_after(
            np.minimum(self.first[hosts], self.last[hosts]), self.last[hosts]
        )
        quiet = np.zeros(self.crashes.size + 1, dtype=bool)
        share = upto / np.maximum(upto + after, 1)
        quiet[hosts] = (share ** self.crashes[hosts] <= MAX_QUIET_P) & self._has_hours_at_end()[
            hosts
        ]
        if np.count_nonzero(quiet) < MIN_QUIET_HOSTS:
            return None
        program, host, crashes = count_pairs(
            programs.crash, population.host, among=self.free & (programs.crash >= 0)
        )
        often = crashes >= MIN_N
        program, host = program[often], host[often]
        have = np.bincount(program[quiet[host]], minlength=len(programs.values))
        likely = np.argsort(-have, kind="stable")[:MAX_PROGRAMS]
        likely = likely[have[likely] >= MIN_QUIET_HOSTS]
        best: SilentHosts | None = None
        for code in likely.tolist():
            on = np.unique(host[program == code])
            for last in np.unique(np.quantile(self.last[on[quiet[on]]], ENDS).astype(int)).tolist():
                p, silent = self._silence_since_day(on, last, (PROGRAM, programs.values[code]))
                p *= likely.size * len(ENDS)
                if p <= MAX_P and (best is None or silent.hosts.size > best.hosts.size):
                    best = silent
        return best

    def silence_of_most_hosts_with_value(
        self, attributes: Sequence[Attribute], values: Sequence[Ints]
    ) -> SilentHosts | None:
        """Return the hosts of a value that went silent on one day, where a few of it still send.

        Crashes of all kinds and programs must have fallen with that, as no mending of one bug does.
        """
        population, day = self.population, self.population.day
        silences: list[tuple[float, SilentHosts]] = []
        for attribute, value in zip(attributes, values, strict=True):
            mine = np.where(population.host >= 0, value[population.host], ABSENT)
            counts = np.bincount(mine[self.free & (mine >= 0)], minlength=len(attribute.values))
            for code in np.flatnonzero(counts >= MIN_OF_VALUE).tolist():
                on = np.flatnonzero(value == code)
                own, others = (
                    np.bincount(day[self.free & some] - self.start, minlength=self.by_then.size)
                    for some in (mine == code, (mine != code))
                )
                fell = _last_day_before_fall(own, others)
                if fell is None or on.size < MIN_HOSTS_OF_VALUE:
                    continue
                last = self.start + fell
                after = day > last
                if not self._did_all_kinds_fall(self.free & (mine == code), after, others, fell):
                    continue
                p, silent = self._silence_since_day(
                    on, last, (attribute.name, attribute.values[code])
                )
                if p * len(attribute.values) * len(attributes) <= MAX_P_OF_VALUE:
                    silences.append((p, silent))
        return min(silences, key=lambda pair: pair[0], default=(0.0, None))[1]

    def _did_all_kinds_fall(self, own: Bools, after: Bools, others: Ints, fell: int) -> bool:
        """Whether crashes besides the most frequent signatures, and of each program, fell."""
        usual = others[fell + 1 :].sum() / max(others[: fell + 1].sum(), 1)
        kinds = self.population.signature
        sizes = np.bincount(kinds[own & (kinds >= 0)], minlength=1)
        rest = own & ~np.isin(kinds, np.argsort(-sizes, kind="stable")[:LOUD])
        parts = [(rest, MAX_LEFT_OVER)]
        if (programs := program_of_each_crash(self.population)) is not None:
            some = np.unique(programs.crash[own & (programs.crash >= 0)]).tolist()
            parts += [(own & (programs.crash == code), 2 * MAX_LEFT_OVER) for code in some]
        dues = [usual * np.count_nonzero(part & ~after) for part, _ in parts]
        return dues[0] >= MIN_CRASHES and all(
            due < MIN_CRASHES or np.count_nonzero(part & after) <= most * due
            for due, (part, most) in zip(dues, parts, strict=True)
        )

    def _has_hours_at_end(self) -> Bools:
        """Return which hosts have host-hours at the end."""
        population = self.population
        rows = self.runs & (population.exposure_day > self.end - MIN_QUIET)
        rows &= population.exposure_host >= 0
        return np.bincount(population.exposure_host[rows], minlength=self.crashes.size) > 0

    def _silence_since_day(
        self, on: Ints, last: int, mark: tuple[str, str]
    ) -> tuple[float, SilentHosts]:
        """Return P that so many of some hosts have no crash after a day, and who has none."""
        population = self.population
        inside = np.zeros(self.crashes.size + 1, dtype=bool)
        inside[on] = True
        signatures = population.signature[self.free & inside[population.host]]
        counts = np.bincount(signatures[signatures >= 0], minlength=1)
        others = self.free & (population.signature != counts.argmax())
        before = others & (population.day <= last)
        upto, whole = int(np.count_nonzero(before)), int(np.count_nonzero(others))
        had = count_codes(population.host, self.crashes.size, before & inside[population.host])[on]
        is_quiet = (self.last[on] <= last) & self._has_hours_at_end()[on]
        chance = np.power(upto / max(whole, 1), had, dtype=float)
        p = poisson_binomial_tail(int(is_quiet.sum()), chance)
        due = float(had[is_quiet].sum()) * (whole - upto) / max(upto, 1)
        return p, SilentHosts(*mark, last, on[is_quiet], due, RUNS, on.size)

    def judge_silence(self, table: _QuietValuesOfAttribute, at: int) -> SilentHosts | None:
        """Return a quiet value as silence; None where an end of one bug, or of use, explains it."""
        population, last = self.population, int(table.last[at])
        inside = np.append(table.hosts == table.values[at], False)
        hosts = np.flatnonzero(inside)
        hours = self._hours_after_words(inside, int(self.first[hosts].min()), last)
        if hours is None or (hours != RUNS and table.replaced[at]):
            return None
        mine = self.free & inside[population.host]
        signatures = population.signature[mine]
        counts = np.bincount(signatures[signatures >= 0], minlength=1)
        others = self.free & (population.signature != counts.argmax())
        left = int(np.count_nonzero(others & mine))
        whole = int(np.count_nonzero(others))
        upto = int(np.count_nonzero(others & (population.day <= last)))
        if hypergeometric_p(left, whole, upto, left) > MAX_P_OF_OTHERS:
            return None
        name = table.attribute.values[int(table.values[at])]
        return SilentHosts(table.attribute.name, name, last, hosts, float(table.due[at]), hours)

    def _hours_after_words(self, inside: Bools, first: int, last: int) -> str | None:
        """Say whether hosts run on after a day; None: some of them do."""
        share = share_of_usual_hours(self.population, inside, (last + 1, self.end), first)
        if share is None:
            return UNKNOWN
        if share >= GOES_ON:
            return RUNS
        return None if share else STOPPED


def drop_silent_hours(population: Population) -> Population:
    """Return the population without the host-hours of silent hosts since they fell silent.

    They would count as free of crashes, and what still sends its crashes would look worse by that.
    """
    for group in find_silent_groups(population):
        if group.hours == RUNS:
            population = population.without_hours(group.hosts, group.last + 1, NEVER)
    return population


_Group = TypeVar("_Group", bound="SilentHosts | TemporarySilenceOfHosts")


def silent_groups_with_signature(
    population: Population, groups: list[_Group], signature: int
) -> list[_Group]:
    """Return the groups that have crashes of a signature."""
    hosts = population.host[population.signature == signature]
    return [group for group in groups if np.isin(group.hosts, hosts).any()]


def drop_silent_hosts(population: Population, groups: list[SilentHosts]) -> Population:
    """Return the population without the hosts of some groups, before their silence too."""
    return population.without_hosts(np.concatenate([group.hosts for group in groups]))

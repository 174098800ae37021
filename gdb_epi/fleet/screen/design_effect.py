# SPDX-License-Identifier: Apache-2.0
"""How much less the crashes of a signature tell about an attribute because hosts are unlike.

Not every host runs the program that crashes, so crashes gather on the hosts that do, and a rack or
model with two more such hosts has more crashes by chance. The design effect (Kish 1965) is the
factor by which this raises the variance of a count; a count divided by it is worth as much as one
of independent crashes (Rao and Scott 1992). Unexplained crashes are counted here when needed.

So it is with days, where versions of a program are compared: a bad input that is tried on a dozen
hosts, or a network that fails for a day, hits the version of that day. A version that is to blame
is so for as long as it runs, by as much as its program runs.

Without host-hours: where racks run different services, most signatures prefer some racks, and no
rack is to blame. A single preference is then discounted by how much all of them scatter beyond
chance (genomic control: Devlin and Roeder 1999). The median is taken, so that a few real causes do
not change it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from gdb_epi.fleet.population.attribute_combinations import (
    AttributeCombinations,
    count_known_pairs,
    find_combinations,
)
from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.population.value_spans import is_newest_value
from gdb_epi.fleet.records.facts import split_image_tag
from gdb_epi.fleet.screen.finding import HOST_HOURS, NO_HOURS
from gdb_epi.fleet.screen.hosts import MAX_LIKE, exposure_shares
from gdb_epi.fleet.screen.programs import MIN_OTHERS, ProgramTable, crashes_of_same_programs
from gdb_epi.fleet.statistics.arrays import (
    MAX_TABLE,
    Bools,
    Floats,
    Ints,
    count_pairs,
    distinct_pairs,
    sum_by_code,
    widen_codes,
)
from gdb_epi.fleet.statistics.hypothesis_tests import (
    beta_binomial_tail,
    binomial_p,
    estimate_overdispersion,
)
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import memoized

MIN_SIGNATURES = 8
MIN_CRASHES = 8  # of a signature
MIN_BURSTS = 4.0  # times as scattered as by chance: processes that start together die in waves
MIN_UNEVEN = 1.0  # the variance of the rates of days, by the square of their mean
MIN_RETURN, MOST_KEEP = 3, 0.2  # crashes of a host, and such hosts; of them, that come back
SAME_VERSION = 0.8  # of the crashes with an image: what the host-hours say on their days
LEAST_DUE = 0.1  # of the mean: a day before a leak shows is not impossible
SURE_SPREAD = 4.0  # standard deviations of a chi-squared, beyond which days scatter for a reason


class HostsOfCrashes(NamedTuple):
    """Some crashes whose host and value of an attribute are known, for all of its values."""

    host: Ints
    value: Ints
    per_host: Ints


class HoursByHost(NamedTuple):
    """The host-hours of each host with each value of an attribute that it had."""

    host: Ints
    value: Ints
    hours: Floats


def hours_by_host_and_value(population: Population, exposure: Ints) -> HoursByHost:
    """Return the hours of each host with each value; `exposure` is that of each row."""
    both_known = (exposure >= 0) & (population.exposure_host >= 0)
    codes = widen_codes(exposure[both_known])
    size = int(codes.max(initial=0)) + 1
    cell = widen_codes(population.exposure_host[both_known]) * size + codes
    weights = population.exposure_hours[both_known]
    cells: Ints
    if len(population.hosts) * size <= MAX_TABLE:
        table = np.bincount(cell, weights=weights, minlength=size)
        cells = np.flatnonzero(table)
        return HoursByHost(cells // size, cells % size, np.asarray(table[cells], dtype=float))
    cells, where = np.unique(cell, return_inverse=True)
    return HoursByHost(cells // size, cells % size, sum_by_code(where, weights, cells.size))


class HostClustering:
    """How crashes of a population cluster on its hosts; what they have in common counts once."""

    def __init__(self, population: Population) -> None:
        self._population = population
        self._table: tuple[Ints, HoursByHost] | None = None  # of the attribute asked last

    def hosts_of_crashes(self, crashes: Ints, value: Ints) -> HostsOfCrashes:
        """Return the hosts of some crashes (rows), given the value that each has."""
        host = self._population.host[crashes]
        has_host = host >= 0
        hosts = host[has_host]
        return HostsOfCrashes(hosts, value[has_host], np.bincount(hosts))

    def design_effect(self, crashes: HostsOfCrashes, value: int, exposure: Ints) -> float:
        """Return the design effect on the count of crashes with a value; 1 where hosts are alike.

        `exposure` is the value of each row of the host-hours.
        """
        if self._table is None or self._table[0] is not exposure:
            self._table = exposure, hours_by_host_and_value(self._population, exposure)
        table = self._table[1]
        with_it, own = np.zeros(self._hours_per_host.size), table.value == value
        with_it[table.host[own]] = table.hours[own]
        hours = with_it, self._hours_per_host - with_it
        total = hours[0].sum() + hours[1].sum()
        share = float(hours[0].sum() / total) if total > 0 else 0.0
        if not 0 < share < 1:
            return 1.0
        least, pairs = self._differences_of_hosts
        expected = 1.0
        with_value = crashes.host[crashes.value == value]
        inside = np.bincount(with_value, minlength=crashes.per_host.size)
        # Pairs of crashes of one host, for as many crashes with the value and without it.
        for counts, of_host in zip((inside, crashes.per_host - inside), hours, strict=True):
            pairs += float((counts * (counts - 1)).sum())
            expected += int(counts.sum()) ** 2 * float(((of_host / of_host.sum()) ** 2).sum())
        alpha = max(pairs / expected - 1, least)
        both = zip((1 - share, share), hours, strict=True)
        variance = sum(rest**2 * float(((of_host / total) ** 2).sum()) for rest, of_host in both)
        return 1 + alpha * crashes.host.size * variance / (share * (1 - share))

    @cached_property
    def _hours_per_host(self) -> Floats:
        """The host-hours of each host."""
        population = self._population
        has_host = population.exposure_host >= 0
        hosts, hours = population.exposure_host[has_host], population.exposure_hours[has_host]
        return sum_by_code(hosts, hours, len(population.hosts))

    @cached_property
    def _differences_of_hosts(self) -> tuple[float, float]:
        """Return how much hosts differ in all their crashes, and in single signatures on average.

        The second is the number of pairs of crashes of one host for each that is expected.
        """
        population = self._population
        share = exposure_shares(population).by_host
        columns = population.signature, population.host
        cells = population.computed_once(count_known_pairs, *columns)
        return population.computed_once(
            _common_dispersion, *cells, share, len(population.signatures)
        )


def _common_dispersion(
    signature: Ints, host: Ints, counts: Ints, share: Floats, signatures: int
) -> tuple[float, float]:
    per_host = sum_by_code(host, counts, share.size)
    least = estimate_overdispersion(per_host, per_host.sum() * share)
    few = np.minimum(counts, MAX_LIKE).astype(float)  # a bad host says nothing about the others
    of_signature = sum_by_code(signature, few, signatures)
    expected = float((of_signature**2).sum() * (share**2).sum())
    return least, float((few * (few - 1)).sum() + 1 + least) / (expected + 1)


def expected_shares(population: Population, attribute: Attribute) -> tuple[Floats, str]:
    """Return each value's share of the host-hours, or of all crashes where hours are not known."""
    size, hours = len(attribute.values), population.exposure_hours
    return population.computed_once(
        _shares_of_hours_or_crashes, attribute.exposure, attribute.crash, hours, size
    )


def _shares_of_hours_or_crashes(
    exposure: Ints, crash: Ints, hours: Floats, size: int
) -> tuple[Floats, str]:
    table = _hours_of_values(exposure, hours, size)
    if table.sum() > 0:
        return table / table.sum(), HOST_HOURS
    crashes = np.bincount(crash + 1, minlength=size + 1)[1:]  # ABSENT is -1
    return crashes / max(int(crashes.sum()), 1), NO_HOURS


def hours_of_values_within(population: Population, attribute: Attribute, within: Bools) -> Floats:
    """Return the host-hours of each value in some rows of the exposure."""
    exposure, hours = attribute.exposure[within], population.exposure_hours[within]
    return _hours_of_values(exposure, hours, len(attribute.values))


def _hours_of_values(exposure: Ints, hours: Floats, size: int) -> Floats:
    has_value = exposure >= 0
    return np.bincount(exposure[has_value], weights=hours[has_value], minlength=size).astype(float)


def p_given_bursts(
    population: Population, free: Bools, mine: Ints, inside: Bools, share: float
) -> float:
    """Return P of as many of some crashes with a version, where those of a day may have one cause.

    `mine` are the crashes (rows) of a signature, `inside` a mask of all crashes with the version,
    `share` that of it among the other crashes of the programs. 0 where they come in no bursts.
    """
    others = free & population.has_time & (population.signature >= 0)
    if (of_programs := crashes_of_same_programs(population, mine)) is not None:
        others &= of_programs
    others[mine] = False
    timed = population.has_time[mine]
    effects = [
        day_design_effect(
            population, mine[timed & (inside[mine] == side)], others & (inside == side)
        )
        for side in (True, False)
    ]
    if effects[0] <= 1:
        return 0.0
    n = np.count_nonzero(inside[mine])
    count, rest = n / effects[0], (mine.size - n) / effects[1]
    return binomial_p(count, count + rest, share)


def p_given_weeks(
    population: Population, free: Bools, mine: Ints, codes: Ints, value: int
) -> float:
    """Return P of as many crashes with a value beside the others of their programs and weeks.

    `codes` are the values of all crashes. An experiment that began in mid-month makes all that died
    before it prefer the arm that was everywhere then. Weeks in which all others have the value, or
    none, tell nothing. 0 where hardly any of the crashes are of other weeks, and of what comes to
    hosts for good, as a kernel: there time is what tells.
    """
    if not _values_recur_on_hosts(population, codes):
        return 0.0
    others = free & population.has_time & (population.signature >= 0) & (codes >= 0)
    if (of_programs := crashes_of_same_programs(population, mine)) is not None:
        others &= of_programs
    others[mine] = False
    mine = mine[population.has_time[mine] & (codes[mine] >= 0)]
    week = population.day // 7
    week = week - week.min(initial=0)
    (n, a), (m, b) = (
        [np.bincount(week[rows], codes[rows] == value, week.max(initial=0) + 1) if only
         else np.bincount(week[rows], minlength=week.max(initial=0) + 1) for only in (False, True)]
        for rows in (mine, np.flatnonzero(others))
    )  # fmt: skip
    tells = (b > 0) & (b < m) & (n > 0)
    count, weight = int(n[tells].sum()), float(m[tells].sum())
    if count < MIN_OTHERS:
        return 0.0
    mean = float((n * (b + 0.5) / (m + 1.0))[tells].sum() / count)
    return beta_binomial_tail(int(a[tells].sum()), count, mean * weight, (1 - mean) * weight)


def _values_recur_on_hosts(population: Population, codes: Ints) -> bool:
    """Whether the crashes of a host come back to a value that it had before, as by chance."""
    rows = np.flatnonzero(population.has_time & (population.host >= 0) & (codes >= 0))
    rows = rows[np.argsort(population.host[rows], kind="stable")]  # they are in the order of time
    host, value = population.host[rows], codes[rows]
    is_change = (host[1:] == host[:-1]) & (value[1:] != value[:-1])
    changes = np.bincount(host[1:][is_change], minlength=len(population.hosts))
    values = np.bincount(distinct_pairs(host, value, host >= 0)[0], minlength=changes.size)
    crashes = np.bincount(host, minlength=changes.size)
    may_return = (crashes >= MIN_RETURN) & (changes > 0)
    returns = (changes >= values)[may_return]
    return bool(returns.size >= MIN_RETURN and returns.mean() >= MOST_KEEP)


def p_by_hours_of_version(population: Population, mine: Ints, inside: Bools, version: str) -> float:
    """Return P of as many crashes with a version by the host-hours, if another attribute has it.

    `inside` are all crashes with it. Where a leak has most of the other crashes of a program, its
    versions are those of the other crashes, and the hours know better. 0 where nothing tells.
    """
    version = split_image_tag(version)[1] or version
    same = crashes_of_same_programs(population, mine)
    for attribute in population.attributes:
        if version not in attribute.values or not attribute.has_hours:
            continue
        code, has_hours = attribute.values.index(version), attribute.exposure >= 0
        both = attribute.crash[inside & (attribute.crash >= 0)]
        theirs = inside[(attribute.crash == code) & (True if same is None else same)]
        # One stands for the other: a rack "2" has crashes of all versions.
        if not both.size or min((both == code).mean(), theirs.mean()) < SAME_VERSION:
            continue
        hours = population.exposure_hours
        share = hours[attribute.exposure == code].sum() / max(float(hours[has_hours].sum()), 1e-12)
        count = float(np.count_nonzero(inside[mine]))
        return binomial_p(count, mine.size, share)
    return 0.0


def has_previous_version_signature_too(
    population: Population, mine: Ints, codes: Ints, value: int
) -> bool:
    """Whether the version before has crashes of a signature half as often as a version, or more.

    `codes` are the versions of all crashes. What grows for another reason stands out in its last or
    busiest version beside the average of all; a version that brought it has more than the last one.
    How often is told by the other crashes of the programs. Only of what comes to all at some time:
    variants that are there at the same time have no order.
    """
    same = crashes_of_same_programs(population, mine)
    usable = population.has_time & (codes >= 0)
    rows = np.flatnonzero(usable if same is None else usable & same)
    day, code = population.day[rows], codes[rows]
    median = {int(c): float(np.median(day[code == c])) for c in np.unique(code)}
    if value not in median:
        return False
    first, last = (np.quantile(day[code == value], q) for q in (0.1, 0.9))
    during = (day >= first) & (day <= last)
    earlier = [c for c in median if median[c] < first]
    if (code[during] == value).mean() < SAME_VERSION or not earlier:
        return False
    before = max(earlier, key=lambda c: median[c])
    own = population.mask_of_rows(mine)[rows]
    (a, m), (b, n) = ([int(((code == c) & some).sum()) for some in (own, ~own)]
                      for c in (value, before))  # fmt: skip
    due = a * (n + 1) / (m + 1)
    return due >= MIN_OTHERS and b >= max(MIN_RETURN, due / 2)


def day_design_effect(population: Population, mine: Ints, others: Bools) -> float:
    """Return the design effect of days on the crashes `mine` of some programs with a value.

    The `others` (a mask of all crashes), each kind once a day, tell when and how much these
    programs ran with the value: what comes in bursts itself is no measure. 1 where chance may
    scatter the days as much.
    """
    if not mine.size:
        return 1.0
    days = population.day[mine]
    beside = distinct_pairs(population.day, population.signature, others)[0]
    first = int(min(days.min(), beside.min(initial=days.min())))
    own = np.bincount(days - first, minlength=int(beside.max(initial=first)) - first + 1)
    # It ran on days without a crash, too.
    ran: Floats = np.bincount(beside - first, minlength=own.size).astype(float) + 1.0
    due = ran * _isotonic_rates(own / ran, ran)  # what leaks comes more and more often
    return _crashes_per_independent_one(
        own, np.maximum(due, LEAST_DUE * mine.size * ran / ran.sum())
    )


def effect_of_bursts(
    population: Population, attribute: Attribute, value: int, crashes: Ints
) -> float:
    """Return the design effect of days on crashes with a value, among its days since the first."""
    own = population.day[crashes[population.has_time[crashes]]]
    if not own.size:
        return 1.0
    ran = population.exposure_day[attribute.exposure == value]
    if not ran.size:
        ran = population.day[attribute.crash == value]
    days = np.union1d(own, ran[ran >= own.min()])
    counts = np.bincount(np.searchsorted(days, own), minlength=days.size)
    return _crashes_per_independent_one(counts, np.full(days.size, own.size / days.size))


def _crashes_per_independent_one(own: Ints, due: Floats) -> float:
    """Return how many crashes of a burst tell as much as one; `own` and `due` are those of days.

    1 where chance may scatter the days as much.
    """
    chi, free = float(((own - due) ** 2 / due).sum()), own.size - 1
    is_sure = chi > free + SURE_SPREAD * np.sqrt(2 * free)
    # Of many crashes a day a little unevenness is sure, and is no burst.
    is_uneven = chi / max(free, 1) - 1 >= MIN_UNEVEN * own.sum() / own.size
    return chi / free if is_sure and is_uneven and chi > MIN_BURSTS * free else 1.0


def _isotonic_rates(rates: Floats, weights: Floats) -> Floats:
    """Return the nearest rates that never fall (pool adjacent violators)."""
    pools: list[tuple[float, float, int]] = []  # rate, weight, days
    for rate, weight in zip(rates.tolist(), weights.tolist(), strict=True):
        pools.append((rate, weight, 1))
        while len(pools) > 1 and pools[-2][0] >= pools[-1][0]:
            (a, m, days), (b, n, more) = pools[-2:]
            pools[-2:] = [((a * m + b * n) / (m + n), m + n, days + more)]
    return np.repeat([rate for rate, _, _ in pools], [days for _, _, days in pools])


class UnexplainedCrashes:
    """The crashes with a signature under a mask, counted when they are needed."""

    def __init__(self, population: Population, free: Bools) -> None:
        self._population, self._free = population, free
        self.hosts = HostClustering(population)
        self.tables: dict[str, ProgramTable | None] = {}  # of programs, by the name of an attribute

    @property
    def mask(self) -> Bools:
        """Which crashes are counted."""
        return self._free

    @memoized
    def combination_counts(self) -> Floats:
        """Return how many crashes each combination of the attributes has."""
        mask = self._free & (self._population.signature >= 0)
        return find_combinations(self._population).count_crashes_by_combination(mask)

    @memoized
    def rows_of_signature(self, signature: int) -> Ints:
        """Return the rows of the crashes of a signature."""
        return np.flatnonzero(self._free & (self._population.signature == signature))

    @memoized
    def signature_cells(self) -> tuple[Ints, Ints, Ints]:
        """Return the pairs of a signature and a combination that occur, and how often they do."""
        chosen = self._free & (self._population.signature >= 0)
        combinations = find_combinations(self._population)
        return combinations.count_by_signature_and_combination(self._population.signature, chosen)


def crashes_of_signature(population: Population, free: Bools, name: str) -> Ints:
    """Return the rows of the crashes of a signature under a mask."""
    return np.flatnonzero(free & population.crashes_of_signature(name))


def inflation_without_host_hours(population: Population, codes: Ints, share: Floats) -> float:
    """Return the inflation (1 and up) of an attribute without host-hours.

    `codes` are the values of each combination of the population's attributes, `share` the expected
    share of each value.
    """
    combinations = find_combinations(population)
    signature, combination, counts = population.computed_once(
        _count_signatures_by_combination, population.signature, combinations
    )
    value = codes[combination]
    has_value = value >= 0
    if not has_value.all():
        signature, value, counts = signature[has_value], value[has_value], counts[has_value]
    weights = None if combinations.where is None else counts
    return median_inflation(*count_pairs(signature, value, weights), share)


def median_inflation(signature: Ints, value: Ints, count: Ints, share: Floats) -> float:
    """Return the median inflation of the cells of signatures and values, given their shares."""
    if not signature.size:
        return 1.0
    totals = sum_by_code(signature, count, 0)
    weights = count.astype(float) ** 2 / np.maximum(share[value], 1e-12)
    squares = sum_by_code(signature, weights, totals.size)
    many = totals >= MIN_CRASHES
    free = int((share > 0).sum()) - 1
    if int(many.sum()) < MIN_SIGNATURES or free < 1:
        return 1.0
    chi = squares[many] / totals[many] - totals[many]
    return max(1.0, float(np.median(chi)) / free)


def _count_signatures_by_combination(
    signature: Ints, combinations: AttributeCombinations
) -> tuple[Ints, Ints, Ints]:
    return combinations.count_by_signature_and_combination(signature, signature >= 0)


class AttributeToTest(NamedTuple):
    """An attribute (or two as one) whose values are tested."""

    population: Population
    name: str
    values: Sequence[str]
    codes: Ints  # the value of each combination of the population's attributes
    share: Floats  # of the host-hours, of each value
    source: str  # where the shares came from
    is_newest: Callable[[int], bool]  # whether a value appeared while others disappeared
    exposure: Callable[[], Ints]  # the value of each row of the exposure

    def codes_of(self, crashes: Ints) -> Ints:
        """Return the value of each of some crashes."""
        return np.asarray(self.codes[find_combinations(self.population).of_crash[crashes]])


def attribute_to_test(population: Population, attribute: Attribute) -> AttributeToTest:
    """Return an attribute of the population, ready for the tests of its values."""
    share, source = expected_shares(population, attribute)
    codes = find_combinations(population).codes(attribute)
    return AttributeToTest(
        population, attribute.name, attribute.values, codes, share, source,
        lambda value: is_newest_value(population, attribute, value), lambda: attribute.exposure,
    )  # fmt: skip

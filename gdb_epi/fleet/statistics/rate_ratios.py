# SPDX-License-Identifier: Apache-2.0
"""How many times as often hosts crash with a value of an attribute, beside themselves and others.

While some hosts change and others do not, what changed on the hosts is held against what changed on
the others: a Poisson regression with a rate of each host and of each day.

That misleads where hosts got a value because of the crashes that they had. Whoever is chosen for
many crashes has fewer of them afterwards, whatever is done (regression to the mean). What a host
may be expected to do is told by its own crashes and by how much hosts differ (Hauer, Observational
Before-After Studies, 1997), here by the likeliest distribution of any form (Laird 1978): with a
gamma distribution ten bad hosts among many alike were drawn to these, and a cure looked half as
good. The likelihood is the same whatever rule made hosts change, if it saw nothing but crashes.
"""

from __future__ import annotations

import numpy as np

from gdb_epi.fleet.statistics.arrays import Bools, Floats, Ints
from gdb_epi.fleet.statistics.hypothesis_tests import relative_risk
from gdb_epi.typing_lite import NamedTuple

Z = 1.959964
EXACT_TAIL = 0.025  # of each side of an interval
MAX_COHORTS = 400  # hosts that got and lost a value on the same days; else in the same weeks
MAX_ROUNDS, NEAR_ENOUGH = 500, 1e-6  # of a fit
ONE_WAY = 0.9  # of the hosts that have a value for a part of the time: all get it, or all lose it
MIN_INFORMATION = 2.0  # of the logarithm of a ratio: less tells nothing below 4 times
RATES = np.geomspace(0.02, 100.0, 60)  # of a host, beside the mean of all
FIT_ROUNDS = 60
OF_FIT = 1.3  # times the error, as the rates of hosts are fitted to the same crashes
DAYS_OF_STRETCH = 7  # of which each has a rate
SURE_Z = 3.0  # normal deviations


def _factor_text(times: float) -> str:
    return f"{times:.2g}" if times < 100 else f"{times:,.0f}"


class RateRatio(NamedTuple):
    """A rate ratio and its 95 % interval."""

    ratio: float
    low: float
    high: float

    def words(self) -> str:
        """Say how many times as often."""
        return f"{_factor_text(self.ratio)} times (95 %: {self.range_words()})"

    def range_words(self) -> str:
        """Return the interval."""
        return f"{_factor_text(self.low)} to {_factor_text(self.high)}"

    def standard_errors_above_one(self) -> float:
        """Return how many standard errors the logarithm lies above that of 1.

        Without a lower end, as where no crash has the value, by the upper one alone.
        """
        ratio = max(self.ratio, 1e-9)
        half = np.log(self.high / self.low) / 2 if self.low > 0 else np.log(self.high / ratio)
        return Z * float(np.log(ratio)) / max(float(half), 1e-9)


class CrashesAndHostHours(NamedTuple):
    """Crashes and host-hours of one attribute, as columns."""

    codes: tuple[Ints, Ints]  # of the crashes, of the host-hours
    days: tuple[Ints, Ints]  # from the first one of the host-hours
    hosts: tuple[Ints, Ints]
    hours: Floats
    crashes: Ints  # which ones of the population
    feed: Ints  # which host-hours of the population

    def select_crashes(self, chosen: Bools) -> CrashesAndHostHours:
        """Return the cells of some of the crashes, and of all host-hours."""
        return self._replace(
            codes=(self.codes[0][chosen], self.codes[1]),
            days=(self.days[0][chosen], self.days[1]),
            hosts=(self.hosts[0][chosen], self.hosts[1]),
            crashes=self.crashes[chosen],
        )

    def select_host_hours(self, chosen: Bools) -> CrashesAndHostHours:
        """Return the cells of all crashes, and of some of the host-hours."""
        return self._replace(
            codes=(self.codes[0], self.codes[1][chosen]),
            days=(self.days[0], self.days[1][chosen]),
            hosts=(self.hosts[0], self.hosts[1][chosen]),
            hours=self.hours[chosen],
            feed=self.feed[chosen],
        )

    def hosts_and_days(self) -> tuple[int, int]:
        """Return how many hosts there are, and how many days."""
        hosts, days = (1 + max(int(x.max(initial=-1)) for x in p) for p in (self.hosts, self.days))
        return hosts, days

    def tables_without_and_with_value(
        self, code: int, row_of_host: Ints, days_apart: int
    ) -> tuple[Floats, Floats]:
        """Return crashes and hours without a value and with it, by rows of hosts and stretches."""
        rows, columns = (
            int(row_of_host.max(initial=0)) + 1,
            (self.hosts_and_days()[1] - 1) // days_apart + 1,
        )
        crashes, hours = (
            np.bincount(
                ((codes == code) * rows + row_of_host[host]) * columns + day // days_apart,
                weights,
                2 * rows * columns,
            )
            .astype(float)
            .reshape(2, rows, columns)
            for codes, host, day, weights in (
                (self.codes[0], self.hosts[0], self.days[0], np.ones(self.hosts[0].size)),
                (self.codes[1], self.hosts[1], self.days[1], self.hours),
            )
        )
        return crashes, hours


def risk_by_strata(
    code: int, cells: CrashesAndHostHours, strata: tuple[Ints, Ints]
) -> RateRatio | None:
    """Return how many times as often a value has crashes as the others of the same strata.

    Strata are numbers from 0 on: days, hosts. None where none of both has a crash in any of them.
    """
    size = 1 + max(int(side.max(initial=-1)) for side in strata)
    crashes, hours = (
        [np.bincount(at[has], weight[has], size) for has in (codes == code, codes != code)]
        for at, codes, weight in (
            (strata[0], cells.codes[0], np.ones(strata[0].size)),
            (strata[1], cells.codes[1], cells.hours),
        )
    )
    both = (hours[0] > 0) & (hours[1] > 0)
    if not both.any():
        return None
    (n1, n0), (h1, h0) = ([x[both] for x in pair] for pair in (crashes, hours))
    if not (n1 + n0).any():
        return None
    total = h1 + h0
    more, fewer = float((n1 * h0 / total).sum()), float((n0 * h1 / total).sum())
    due = float(((n1 + n0) * h1 / total).sum())
    if more <= 0 or fewer <= 0:
        rest = max((n1 + n0).sum() - due, 1e-9)
        ratio, low, high = map(float, relative_risk(n1.sum(), due, n0.sum(), rest))
        # All of the crashes have the value, or none: that has an exact limit.
        told = float((n1 + n0).sum()) / _overdispersion(code, cells, strata)
        share, odds = EXACT_TAIL ** (1 / max(told, 1e-9)), rest / max(due, 1e-9)
        if fewer <= 0 < more:
            low = max(low, float(share / (1 - share) * odds))
        elif more <= 0 < fewer and share > 0:
            high = min(high, float((1 - share) / share * odds))
        return RateRatio(ratio, low, high)
    variance = float(((n1 + n0) * h1 * h0 / total**2).sum()) / (more * fewer)
    half = Z * float(np.sqrt(variance * _overdispersion(code, cells, strata)))
    ratio = more / fewer
    return RateRatio(ratio, ratio * float(np.exp(-half)), ratio * float(np.exp(half)))


def _overdispersion(code: int, cells: CrashesAndHostHours, strata: tuple[Ints, Ints]) -> float:
    """Return how much more the crashes scatter than by chance, from host to host or day to day."""
    across = cells.hosts if strata is cells.days else cells.days
    size = 1 + max(int(side.max(initial=-1)) for side in across)
    chi, free = 0.0, -2
    for has_crash, has_hours in (
        (cells.codes[0] == code, cells.codes[1] == code),
        (cells.codes[0] != code, cells.codes[1] != code),
    ):
        n = np.bincount(across[0][has_crash], minlength=size)
        h = np.bincount(across[1][has_hours], cells.hours[has_hours], size)
        due = h * n.sum() / max(h.sum(), 1e-12)
        chi += float(((n - due)[due > 0] ** 2 / due[due > 0]).sum())
        free += int((due > 0).sum())
    return max(1.0, chi / free) if free > 0 else 1.0


def risk_given_host_and_day(code: int, cells: CrashesAndHostHours) -> RateRatio | None:
    """Return how many times as often hosts crash with a value, given the rate of each host and day.

    Hosts that got and lost the value at the same time are one: each keeps its rate. None where
    hosts change all at once, or too few to tell. No crash with the value tells as much as the
    crashes that would change the ratio: these are due with it, if it did nothing.
    """
    hosts, days = cells.hosts_and_days()
    has = cells.codes[1] == code
    first, last = np.full(hosts, days), np.full(hosts, -1)
    np.minimum.at(first, cells.hosts[1][has], cells.days[1][has])
    np.maximum.at(last, cells.hosts[1][has], cells.days[1][has])
    for days_apart in (1, 7, days):
        ends = first // days_apart, (last + 1) // days_apart
        number = np.unique(ends[0] * (days + 2) + ends[1], return_inverse=True)[1].reshape(-1)
        if number.max(initial=0) < MAX_COHORTS:
            break
    crashes, hours = cells.tables_without_and_with_value(code, number, 1)
    crashes = np.where(hours > 0, crashes, 0.0)
    with_value = float(crashes[1].sum())
    if with_value >= crashes.sum():
        return None
    ratio, of_day = 1.0, np.ones(days)
    for _ in range(MAX_ROUNDS):  # the likeliest ratio, rates of hosts and of days, in turn
        times = np.array([1.0, ratio])[:, None, None]
        of_hosts = _quotient(crashes.sum((0, 2)), (times * hours * of_day).sum((0, 2)))
        of_day = _quotient(crashes.sum((0, 1)), (times * hours * of_hosts[:, None]).sum((0, 1)))
        before = ratio
        due_with = float((hours[1] * of_hosts[:, None] * of_day).sum())
        ratio = max(with_value, NEAR_ENOUGH) / max(due_with, 1e-12)
        if abs(np.log(ratio / before)) < NEAR_ENOUGH:
            break
    of_value = ratio if with_value else 1.0
    due = np.array([1.0, of_value])[:, None, None] * hours * of_hosts[:, None] * of_day
    # What is left of "has the value" once hosts and days are given tells of the ratio.
    rest = np.broadcast_to(np.array([0.0, 1.0])[:, None, None], due.shape)
    for _ in range(MAX_ROUNDS):
        mean = _quotient((due * rest).sum((0, 2)), due.sum((0, 2)))
        rest = rest - mean[:, None]
        shift = _quotient((due * rest).sum((0, 1)), due.sum((0, 1)))
        rest = rest - shift
        if max(np.abs(mean).max(), np.abs(shift).max()) < NEAR_ENOUGH:
            break
    information = float((due * rest**2).sum())
    if information < MIN_INFORMATION:
        return None
    some = (due > 0) & (crashes.sum((1, 2)) > 0)[:, None, None]
    free = int(some.sum()) - int((of_hosts > 0).sum()) - int((of_day > 0).sum())
    chi = float(((crashes - due)[some] ** 2 / due[some]).sum())
    information /= max(1.0, chi / max(free, 1))
    if not with_value:
        return RateRatio(0.5 / information, 0.0, -float(np.log(EXACT_TAIL)) / information)
    half = Z * float(np.sqrt(1 / information))
    return RateRatio(ratio, ratio * float(np.exp(-half)), ratio * float(np.exp(half)))


class HostsChosenForCrashes(NamedTuple):
    """Hosts that had more crashes than others until they got a value, or lost it."""

    times: float  # the crashes of the others until then
    lost: bool
    risk: RateRatio  # with the value, beside what hosts with such a past have


def find_chosen_hosts(
    code: int, cells: CrashesAndHostHours, both: RateRatio
) -> HostsChosenForCrashes | None:
    """Return the hosts that changed; None unless they were worse than others and then got better.

    `both` is what they did themselves, beside the change of the others. None too where some hosts
    get the value while others lose it, and where all that could get it did: nobody chose.
    """
    crashes, hours = cells.tables_without_and_with_value(
        code, np.arange(cells.hosts_and_days()[0]), DAYS_OF_STRETCH
    )
    mean = _quotient(hours @ np.arange(hours.shape[2]), hours.sum(2))
    changed = (hours.sum(2) > 0).all(0)
    gained = float((mean[1] > mean[0])[changed].mean()) if changed.any() else 0.5
    lost = gained <= 1 - ONE_WAY
    if not (lost and both.low > 1) and not (gained >= ONE_WAY and both.high < 1):
        return None
    order = [1, 0] if lost else [0, 1]
    some = hours[order[0]].sum(1) > 0
    if not lost:  # a host of another service, without the value that these had, was no choice
        earlier = np.unique(cells.codes[1][changed[cells.hosts[1]]])
        some[np.setdiff1d(cells.hosts[1], cells.hosts[1][np.isin(cells.codes[1], earlier)])] = False
    cohort = CrashesBeforeAndAfterChange(crashes[order][:, some], hours[order][:, some])
    times = cohort.ratio_to_unchanged_hosts_before()
    if times <= 1:
        return None
    ratio, error = cohort.ratio_given_history()
    ratio, wide = 1 / ratio if lost else ratio, float(np.exp(Z * error))
    return HostsChosenForCrashes(times, lost, RateRatio(ratio, ratio / wide, ratio * wide))


class CrashesBeforeAndAfterChange(NamedTuple):
    """Crashes (with hours) of each host in each stretch of time, before a change and after it.

    Of shape (2, hosts, stretches). Hosts that did not change have hours of one of both alone.
    """

    crashes: Floats
    hours: Floats

    def ratio_to_unchanged_hosts_before(self) -> float:
        """Return how many times the crashes of hosts that stayed those that changed had until then.

        1 where that is not surely more.
        """
        changed = (self.hours.sum(2) > 0).all(0)
        stayed = self.crashes[0, ~changed].sum(0), self.hours[0, ~changed].sum(0)
        rate = np.divide(*stayed, out=np.zeros_like(stayed[0]), where=stayed[1] > 0)
        has_rate = stayed[1] > 0
        count = float(self.crashes[0, changed][:, has_rate].sum())
        due = float((self.hours[0, changed].sum(0) * rate)[has_rate].sum())
        if due <= 0 or (count - due) / np.sqrt(due * (1 + due / max(stayed[0].sum(), 1))) < SURE_Z:
            return 1.0
        return count / due

    def ratio_given_history(self) -> tuple[float, float]:
        """Return how many times as often hosts crash afterwards as hosts with their past do.

        And the standard error of its logarithm. Rate of each stretch, ratio and how many hosts have
        which rate in turn (EM).
        """
        counts, per_host = self.crashes.sum((0, 1)), self.crashes.sum((0, 2))
        after, ratio, part = float(self.crashes[1].sum()), 1.0, np.full(RATES.size, 1 / RATES.size)
        of_stretch = counts / np.maximum(self.hours.sum((0, 1)), 1e-9)
        for _ in range(FIT_ROUNDS):
            due = self.hours @ of_stretch * np.array([[1.0], [ratio]])
            likely = per_host[:, None] * np.log(RATES) - np.outer(due.sum(0), RATES)
            likely = part * np.exp(likely - likely.max(1, keepdims=True))
            likely /= likely.sum(1, keepdims=True)
            part = np.maximum(likely.mean(0), 1e-12)
            rate = likely @ RATES
            ratio = after / max(float((self.hours[1] @ of_stretch * rate).sum()), 1e-9)
            times = self.hours[0] + ratio * self.hours[1]
            of_stretch = counts / np.maximum(rate @ times, 1e-9)
        later = self.hours[1] @ of_stretch * ratio
        spread = likely @ RATES**2 - rate**2
        information = float((later * rate - later**2 * spread).sum())
        return ratio, OF_FIT * float(1 / np.sqrt(max(information, 1e-9)))


def _quotient(counts: Floats, due: Floats) -> Floats:
    return np.divide(counts, due, out=np.zeros_like(due), where=due > 0)

# SPDX-License-Identifier: Apache-2.0
"""More crashes by more host-hours: what got more hosts did not get worse."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gdb_epi.fleet.population.population import Population, computed_once_per_population
from gdb_epi.fleet.population.value_spans import is_kept_by_hosts
from gdb_epi.fleet.questions.daily_rates import (
    DailyRates,
    daily_rates,
    log_likelihood_ratios,
    rate_ratio_at_day,
)
from gdb_epi.fleet.screen.events import find_events
from gdb_epi.fleet.screen.finding import Finding
from gdb_epi.fleet.statistics.arrays import ABSENT, Bools, Floats, Ints, widen_codes
from gdb_epi.fleet.statistics.hypothesis_tests import ratio_with_interval, relative_risk
from gdb_epi.fleet.store.day_numbers import iso_day
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted

MIN_OFTENER = 1.3  # host-hours a day, and crashes a day, times
MIN_GAIN = 4.0  # log-likelihood units: a change that people see
MAX_PLACES = 200  # values of an attribute: with more they name hosts
MAX_CRASHES = 1_000_000  # a question must stay quick
MAX_SAID = 3  # places
MIN_SHARE = 0.05  # of the host-hours, before and after, of what explains a change
NEARLY_ALL = 0.9  # of the hosts
WEEK, MIN_HOSTS, MAX_CELLS = 7, 3, 20_000_000  # days; hosts; hosts times days
MIN_USED, KNOWN = 0.01, 0.95  # of the host-hours, that have a value on each side; of the crashes


class ChangeExplainedByHostHours(NamedTuple):
    """More (or fewer) crashes a day since some day, which the host-hours explain."""

    row: int
    day: int
    a_day: tuple[float, float]  # crashes, before and after
    hours: float  # times as many a day
    risk: tuple[float, float, float]  # of the rate, and its interval
    gain: float  # log-likelihood ratio of the number that was due

    def words(self) -> str:
        """Say that hosts are more and not worse."""
        before, after = self.a_day
        more, higher = ("more", "higher") if after > before else ("fewer", "lower")
        rr, low, high = self.risk
        return (
            f"{more} crashes a day since {iso_day(self.day)} ({after:.2g}, {before:.2g} before) by "
            f"{more} host-hours ({self.hours:.3g} times), not by a {higher} rate "
            f"({rr:.2g} times; 95 %: {low:.2g} to {high:.2g})"
        )


def change_by_host_hours_sentences(
    population: Population, findings: Sequence[Finding]
) -> list[str]:
    """Say of the fleet, or of places, that the host-hours alone changed how many crashes come.

    The crashes of `findings` are explained otherwise.
    """
    if not population.has_exposure or population.day.size > MAX_CRASHES:
        return []
    free = (population.signature >= 0) & population.has_host_hours
    for finding in findings:
        free &= ~finding.members
    population = find_events(population).counted
    days = daily_rates(population, free & (population.signature >= 0))
    if days.hours.size < 3:
        return []
    whole = find_changes_by_host_hours(days.first, days.counts[None], days.hours[None])
    grown = whole[0].hours if whole else 1.0
    places: list[tuple[float, str, Bools]] = []
    kept = population.exposure_day >= days.first
    kept &= population.exposure_day < days.first + days.hours.size
    host, day_of_hours = population.exposure_host[kept], population.exposure_day[kept]
    width = days.hours.size
    for attribute in population.attributes:
        codes, size = attribute.exposure[kept], len(attribute.values)
        if attribute.is_of_process or not 1 < size <= MAX_PLACES:
            continue
        if not is_kept_by_hosts(host, codes):
            continue
        has_value = codes >= 0
        mine = days.mine & (attribute.crash >= 0)
        cells = [
            widen_codes(code) * width + day - days.first
            for code, day in (
                (attribute.crash[mine], population.day[mine]),
                (codes[has_value], day_of_hours[has_value]),
            )
        ]
        weights = np.ones(cells[0].size), population.exposure_hours[kept][has_value]
        tables = [
            np.bincount(cell, weight, size * width).astype(float).reshape(size, width)
            for cell, weight in zip(cells, weights, strict=True)
        ]
        for change in find_changes_by_host_hours(days.first, tables[0], tables[1]):
            if abs(np.log(change.hours / grown)) < np.log(MIN_OFTENER):
                continue
            name = attribute.mark_of_value(change.row)
            members = mine & (attribute.crash == change.row)
            places.append((change.gain, f"{name}: {change.words()}", members))
    explained = np.zeros(population.day.size, dtype=bool)
    sentences = [f"all crashes: {change.words()}" for change in whole]
    for _, words, members in sorted(places, key=lambda place: (-place[0], place[1])):
        if np.count_nonzero(members & explained) <= members.sum() / 2 and len(sentences) < MAX_SAID:
            sentences.append(words)
            explained |= members
    return sentences


class HostsWithRecountedHours(NamedTuple):
    """Hosts whose hours a day changed at once, while as many crashes come: a place, or all."""

    mark: str
    day: int
    hosts: Ints
    a_day: tuple[float, float]  # hours of a host, before and since
    changed: int  # hosts
    crashes: tuple[float, float]  # a day
    risk: tuple[float, float, float]  # of the crashes a day, and its interval

    def words(self) -> str:
        """Say it, and both that may be."""
        (before, since), (had, have), (rr, low, high) = self.a_day, self.crashes, self.risk
        return (
            f"{self.mark}: {since:.3g} host-hours a day of each host since {iso_day(self.day)}, "
            f"{before:.3g} before ({self.changed} of {counted(self.hosts.size, 'host')}), and as "
            f"many crashes ({have:.2g} a day, {had:.2g} before: {rr:.2g} times; 95 %: {low:.2g} to "
            f"{high:.2g}). Either hours are counted otherwise since, or they crash "
            f"{before / since:.2g} times as often in those they run; a rate cannot tell"
        )


@computed_once_per_population
def find_recounted_hours(population: Population) -> list[HostsWithRecountedHours]:
    """Return the hosts, all or those of a place, whose hours changed and whose crashes did not."""
    if not population.has_exposure:
        return []
    runs = (population.exposure_hours > 0) & (population.exposure_host >= 0)
    host, size = widen_codes(population.exposure_host[runs]), len(population.hosts)
    first = int(population.exposure_day[runs].min(initial=population.last_day))
    day = widen_codes(population.exposure_day[runs]) - first
    width = int(day.max(initial=0)) + 1
    if size * width > MAX_CELLS or width < 2 * WEEK:
        return []
    table = np.bincount(host * width + day, population.exposure_hours[runs], size * width)
    table = table.reshape(size, width)
    groups = [("all hosts", np.flatnonzero(table.any(axis=1)))]
    for attribute in population.attributes:
        codes = attribute.exposure[runs]
        if 1 < len(attribute.values) <= MAX_PLACES and is_kept_by_hosts(host, codes):
            of_host = np.full(size, ABSENT)
            of_host[host[codes >= 0]] = codes[codes >= 0]
            groups += [
                (f"{attribute.name}={value}", np.flatnonzero(of_host == code))
                for code, value in enumerate(attribute.values)
            ]
    crashes = find_events(population).counted
    recounted: list[HostsWithRecountedHours] = []
    for mark, hosts in sorted(groups, key=lambda group: -group[1].size):
        if hosts.size < MIN_HOSTS or any(np.isin(hosts, r.hosts).any() for r in recounted):
            continue
        hours, ran = table[hosts].sum(axis=0), (table[hosts] > 0).sum(axis=0).astype(float)
        gain = log_likelihood_ratios(
            np.cumsum(hours)[:-1], np.cumsum(ran)[:-1], hours.sum(), float(ran.sum())
        )
        cut = int(gain.argmax()) + 1
        if not WEEK <= cut <= width - WEEK or min(ran[:cut].sum(), ran[cut:].sum()) <= 0:
            continue
        # The weeks on both sides tell a change of a day from what grows, or follows the week.
        near = slice(cut - WEEK, cut), slice(cut, cut + WEEK)
        each = np.array(
            [
                table[hosts, part].sum(axis=1) / np.maximum((table[hosts, part] > 0).sum(axis=1), 1)
                for part in near
            ]
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            times = each[1] / each[0]
        ratio = float(np.median(times[np.isfinite(times)])) if np.isfinite(times).any() else 1.0
        ratio = max(ratio, 1e-9)
        apart = np.abs(np.log(np.maximum(times, 1e-9) / ratio))
        changed = int((apart <= abs(np.log(ratio)) / 2).sum())
        if abs(np.log(ratio)) < np.log(MIN_OFTENER) or changed < NEARLY_ALL * hosts.size:
            continue
        # Days after the last one of the feed have crashes, and no hours yet.
        fed = (crashes.day >= first) & (crashes.day < first + width)
        mine = crashes.has_time & np.isin(crashes.host, hosts) & fed
        late = crashes.day >= first + cut
        n = int((mine & ~late).sum()), int((mine & late).sum())
        days = cut, width - cut
        risk = relative_risk(n[1], days[1], n[0], days[0])
        if not risk[1] <= 1 <= risk[2] or risk[1] <= ratio <= risk[2]:
            continue
        a_day = float(np.median(each[0])), float(np.median(each[1]))
        rates = n[0] / days[0], n[1] / days[1]
        recounted.append(
            HostsWithRecountedHours(mark, first + cut, hosts, a_day, changed, rates, risk)
        )
    return recounted


def change_by_hours_of_value_sentence(
    population: Population, days: DailyRates, cut: int
) -> str | None:
    """Say that a rate changed because the hours with a value did; None where no value explains it.

    At equal load the rate is as before, and there are more hours of high load: then no release of
    that time is needed to explain it. What is left at equal values is the rate ratio of Mantel and
    Haenszel: rates pooled over both sides would hide a change in every value. Each value must have
    been there on both sides, so that this is no roll-out.
    """
    rr = rate_ratio_at_day(days, cut, 1.0)[0]
    best: tuple[float, str] | None = None
    late = population.exposure_day >= days.first + cut
    inside = (population.exposure_day >= days.first) & (population.exposure_hours > 0)
    inside &= population.exposure_day < days.first + days.hours.size
    of_day = np.clip(population.exposure_day - days.first, 0, days.hours.size - 1)
    inside &= days.hours[of_day] > 0  # days of silence have none
    for attribute in population.attributes:
        size, has_hours = len(attribute.values), inside & (attribute.exposure >= 0)
        if attribute.is_of_process or not 1 < size <= MAX_PLACES:
            continue
        hours, counts = (
            np.array([
                np.bincount(codes[some], weights[some], size)
                for some in (has_value & ~after, has_value & after)
            ])
            for codes, weights, has_value, after in (
                (attribute.exposure, population.exposure_hours, has_hours, late),
                (attribute.crash, np.ones(days.mine.size), days.mine & (attribute.crash >= 0),
                 population.day >= days.first + cut),
            )
        )  # fmt: skip
        used = hours > MIN_USED * hours.sum(axis=1, keepdims=True)
        if not used[:, counts.sum(axis=0) > 0].all() or counts.sum() < days.counts.sum() * KNOWN:
            continue
        used = used.all(axis=0)
        hours, counts = hours[:, used], counts[:, used]
        total = hours.sum(axis=0)
        since, before = ((counts[at] * hours[1 - at] / total).sum() for at in (1, 0))
        if min(since, before) <= 0:
            continue
        variance = (counts.sum(axis=0) * hours.prod(axis=0) / total**2).sum() / (since * before)
        given = ratio_with_interval(since / before, variance)
        # Too wide an interval explains nothing, nor does a part of the change.
        if not given[1] <= 1 <= given[2] or not _is_rest_apart_from_change(given, rr):
            continue
        share = hours / hours.sum(axis=1, keepdims=True)
        rates = counts.sum(axis=0) / total
        gains = share[1] - share[0] if rr > 1 else share[0] - share[1]
        most = int(np.argmax(np.where(gains > 0, gains * rates, -1.0)))
        if share[:, most].min() < MIN_SHARE:  # it came into use then
            continue
        value = attribute.values[int(np.flatnonzero(used)[most])]
        more, higher = ("more", "rose") if rr > 1 else ("fewer", "fell")
        grew = "more" if share[1][most] > share[0][most] else "fewer"
        words = (
            f"the rate {higher} by {grew} host-hours with {attribute.name}={value} "
            f"({share[0][most]:.0%} of all before, {share[1][most]:.0%} since): at equal "
            f"{attribute.name} {given[0]:.2g} times (95 %: {given[1]:.2g} to {given[2]:.2g}) as "
            f"often as before, and no other change is needed to explain that {more} of them come"
        )
        if best is None or abs(np.log(given[0])) < best[0]:
            best = abs(float(np.log(given[0]))), words
    return None if best is None else best[1]


def _is_rest_apart_from_change(given: tuple[float, float, float], rr: float) -> bool:
    """Whether the interval of what is left of a change is well apart from the change."""
    end = given[2] if rr > 1 else given[1]
    return bool(abs(np.log(end)) <= abs(np.log(rr)) / 2)


def find_changes_by_host_hours(
    first: int, counts: Floats, hours: Floats
) -> list[ChangeExplainedByHostHours]:
    """Return the rows whose host-hours changed, and the crashes with them at about the same rate.

    The columns are days. Where so few crashes come that the change would not show, none is told.
    """
    whole = hours.sum(axis=1, keepdims=True)
    due = hours * counts.sum(axis=1, keepdims=True) / np.maximum(whole, 1e-12)
    days = np.arange(1.0, counts.shape[1] + 1)
    total = due.sum(axis=1, keepdims=True)
    gain = log_likelihood_ratios(np.cumsum(due, axis=1)[:, :-1], days[:-1], total, float(days[-1]))
    changes = []
    for row in np.flatnonzero(gain.max(axis=1, initial=0.0) >= MIN_GAIN).tolist():
        cut = int(gain[row].argmax()) + 1
        n, h = ((float(x[row, :cut].sum()), float(x[row, cut:].sum())) for x in (counts, hours))
        if min(*n, *h) <= 0:
            continue
        ratio = cut / (counts.shape[1] - cut)
        more, often = h[1] / h[0] * ratio, n[1] / n[0] * ratio
        risk = relative_risk(n[1], h[1], n[0], h[0])
        least = np.log(MIN_OFTENER)
        shows = min(np.log([more, often])) >= least or max(np.log([more, often])) <= -least
        if shows and (risk[1] <= 1 if often > 1 else risk[2] >= 1):
            a_day = n[0] / cut, n[1] / (counts.shape[1] - cut)
            at = float(gain[row, cut - 1])
            changes.append(ChangeExplainedByHostHours(row, first + cut, a_day, more, risk, at))
    return changes

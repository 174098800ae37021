# SPDX-License-Identifier: Apache-2.0
"""How often some crashes come, day by day, and the day on which that changed most.

A scan of the likelihood ratio of two Poisson rates per host-hour over the days; its p value by
permutations, as the days are many.
"""

from __future__ import annotations

import numpy as np

from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.screen.finding import HOST_HOURS
from gdb_epi.fleet.screen.silent_hosts import find_silent_days
from gdb_epi.fleet.statistics.arrays import Bools, Floats
from gdb_epi.fleet.statistics.hypothesis_tests import relative_risk
from gdb_epi.typing_lite import NamedTuple

PERMUTATIONS = 999
SEED = 20_260_101  # the same data gives the same answer
MAX_DAYS = 3_660


class DailyRates(NamedTuple):
    """Crashes and host-hours by day."""

    first: int
    counts: Floats  # crashes a day
    hours: Floats  # host-hours a day, or 1
    mine: Bools  # which crashes of the population
    source: str


def daily_rates_of_signature(population: Population, signature: int) -> DailyRates:
    """Return the crashes of a signature by day, with the host-hours."""
    return daily_rates(population, population.signature == signature)


def daily_rates(population: Population, mine: Bools) -> DailyRates:
    """Return some crashes by day, with the host-hours, or days where none are known."""
    last = population.last_day
    hours: Floats
    mine = mine & (population.day <= last)
    mine &= (population.day > last - MAX_DAYS) & population.timed
    if population.has_exposure:
        recent_days = (population.exposure_day <= last) & (
            population.exposure_day > last - MAX_DAYS
        )
        first = int(population.exposure_day[recent_days].min()) if recent_days.any() else last
        offset = population.exposure_day[recent_days] - first
        weights = population.exposure_hours[recent_days]
        hours = np.zeros(last - first + 1)
        np.add.at(hours, offset, weights)
        mine &= population.day >= first
        # A day without host-hours says nothing, although a crash on it had some.
        mine &= hours[np.clip(population.day - first, 0, hours.size - 1)] > 0
        source = HOST_HOURS
    else:
        recent = population.known_day[population.timed & (population.day <= last)]
        recent = recent[recent > last - MAX_DAYS]
        first = int(recent.min()) if recent.size else last
        hours = np.ones(last - first + 1, dtype=np.float64)
        source = "none: days, which all count alike"
    counts = np.bincount(population.day[mine] - first, minlength=hours.size).astype(float)
    if (gap := find_silent_days(population)) is not None:
        hours[max(gap.first - first, 0) : max(gap.last + 1 - first, 0)] = 0.0
    return DailyRates(first, counts, hours, mine, source)


def scan_for_change(counts: Floats, hours: Floats) -> tuple[Floats, float]:
    """Return the log-likelihood ratio of a change before day 1, 2 ..., and the dispersion."""
    ratio = log_likelihood_ratios(
        np.cumsum(counts)[None, :-1], np.cumsum(hours)[:-1], counts.sum(), hours.sum()
    )
    cut = int(np.argmax(ratio[0])) + 1
    chi, free = 0.0, -2
    for part in (slice(0, cut), slice(cut, None)):
        n, h = counts[part], hours[part]
        expected = h * n.sum() / max(h.sum(), 1e-12)
        has_hours = expected > 0
        chi += float((((n - expected)[has_hours]) ** 2 / expected[has_hours]).sum())
        free += int(has_hours.sum())
    return ratio[0], max(1.0, chi / free) if free > 0 else 1.0


def log_likelihood_ratios(n0: Floats, h0: Floats, n: float | Floats, h: float) -> Floats:
    """Return the ratios of two rates to one, by the crashes and hours up to each day."""
    n1, h1 = n - n0, h - h0
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = [np.where(a > 0, a * np.log(a * h / (b * n)), 0.0) for a, b in ((n0, h0), (n1, h1))]
    return np.where((h0 > 0) & (h1 > 0), parts[0] + parts[1], 0.0)


def p_value_of_change(days: DailyRates, statistic: float) -> float:
    """Return how often chance alone gives a change with this statistic."""
    share = days.hours / days.hours.sum()
    draws = np.random.default_rng(SEED).multinomial(int(days.counts.sum()), share, PERMUTATIONS)
    sums = np.cumsum(draws, axis=1)[:, :-1].astype(float)
    ratio = log_likelihood_ratios(
        sums, np.cumsum(days.hours)[:-1], days.counts.sum(), days.hours.sum()
    )
    return float((1 + (ratio.max(axis=1) >= statistic).sum()) / (PERMUTATIONS + 1))


def rate_of(days: DailyRates, part: slice) -> float:
    """Return the crashes per 1,000 host-hours of some days, or per day."""
    hours = float(days.hours[part].sum())
    unit = 1000.0 if days.source == HOST_HOURS else 1.0
    return unit * float(days.counts[part].sum()) / hours if hours else 0.0


def risk_of_change(days: DailyRates, cut: int, spread: float) -> tuple[float, float, float]:
    """Return how much the rate rose at a day, with its interval."""
    n, h = ([float(x[:cut].sum()), float(x[cut:].sum())] for x in (days.counts, days.hours))
    ratio, _, high = relative_risk(n[1], h[1], n[0], h[0])
    factor = (high / ratio) ** spread**0.5
    return ratio, ratio / factor, ratio * factor

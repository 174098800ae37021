# SPDX-License-Identifier: Apache-2.0
"""How often some crashes come, day by day, and the day on which that changed most.

A scan of the likelihood ratio of two Poisson rates per host-hour over the days; its p value by
permutations, as the days are many. Data, an index or a load that grows makes a rate that rises all
the time: it has no such day, and what merely came later seems worse than what came before. A rise
of all crashes at once is the fault of no signature, version or host, whatever was new on that day;
as one bug alone can raise the total, the signatures that rose most are left out of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import erfc

import numpy as np

from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.screen.events import find_events
from gdb_epi.fleet.screen.finding import HOST, HOST_HOURS, Finding
from gdb_epi.fleet.screen.programs import program_of_each_crash
from gdb_epi.fleet.screen.silent_hosts import find_silent_days
from gdb_epi.fleet.statistics.arrays import Bools, Floats, Ints
from gdb_epi.fleet.statistics.hypothesis_tests import (
    binomial_p,
    binomial_tail,
    relative_risk,
)
from gdb_epi.fleet.store.day_numbers import iso_day
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted, shortened_list

MIN_CRASHES = 5
MAX_P = 0.01  # that chance alone changes a rate as much
SURE_P = 0.001  # for all crashes together, about which nobody asked
PERMUTATIONS = 999
SEED = 20_260_101  # the same data gives the same answer
MAX_DAYS = 3_660
MAX_BURST, MAX_BURSTS, MAX_RUNS = 14, 6, 50  # days; how many are named, and looked for
MIN_BURST = 4.0  # times the rate of the other days
MIN_GROWING, MIN_WEEKS = 40, 4  # crashes of a signature whose rate may rise all the time; weeks
MIN_AT_FIRST = 5  # crashes in the first quarter of the time: else it began
MAX_GROWTH_P = 0.001  # of a rise, paid for all signatures that are looked at
MIN_HALVES = 2.0  # standard deviations of the rise inside the two halves of the time
AS_GOOD = 1.0  # log-likelihood units that the best step may be better than the rise
MAX_GROWING = 50  # signatures that are looked at, the most frequent ones
MAX_FOR_GROWTH = 1_000_000  # crashes: a question must stay quick
STEPS, MAX_STEP = 25, 0.1  # of Newton's method, and how far one may go (a day)


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
    first, hours, counts_then, source = population.computed_once(_recent_days, population)
    mine = mine & counts_then
    counts = np.bincount(population.day[mine] - first, minlength=hours.size).astype(float)
    return DailyRates(first, counts, hours, mine, source)


def _recent_days(population: Population) -> tuple[int, Floats, Bools, str]:
    """Return the first of the days that count, the hours of each, their crashes, and the source."""
    last = population.last_day
    hours: Floats
    recent = population.has_time & (population.day <= last) & (population.day > last - MAX_DAYS)
    if population.has_exposure:
        recent_days = (population.exposure_day <= last) & (
            population.exposure_day > last - MAX_DAYS
        )
        first = int(population.exposure_day[recent_days].min()) if recent_days.any() else last
        offset = population.exposure_day[recent_days] - first
        weights = population.exposure_hours[recent_days]
        hours = np.zeros(last - first + 1)
        np.add.at(hours, offset, weights)
        recent &= population.day >= first
        # A day without host-hours says nothing, although a crash on it had some.
        recent &= (hours > 0)[np.clip(population.day - first, 0, hours.size - 1)]
        source = HOST_HOURS
    else:
        first = int(population.day[recent].min()) if recent.any() else last
        hours = np.ones(last - first + 1, dtype=np.float64)
        source = "none: days, which all count alike"
    if (gap := find_silent_days(population)) is not None:
        hours[max(gap.first - first, 0) : max(gap.last + 1 - first, 0)] = 0.0
    return first, hours, recent, source


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


def rate_of_days(days: DailyRates, part: slice) -> float:
    """Return the crashes per 1,000 host-hours of some days, or per day."""
    hours = float(days.hours[part].sum())
    unit = 1000.0 if days.source == HOST_HOURS else 1.0
    return unit * float(days.counts[part].sum()) / hours if hours else 0.0


def rate_ratio_at_day(days: DailyRates, cut: int, spread: float) -> tuple[float, float, float]:
    """Return how much the rate rose at a day, with its interval."""
    n, h = ([float(x[:cut].sum()), float(x[cut:].sum())] for x in (days.counts, days.hours))
    ratio, _, high = relative_risk(n[1], h[1], n[0], h[0])
    factor = (high / ratio) ** spread**0.5
    return ratio, ratio / factor, ratio * factor


def rate_change_words(population: Population, crashes: Bools) -> str | None:
    """Say whether and when the rate of some crashes changed; None of too few to say.

    Crashes without host-hours are left out where others have them.
    """
    if population.has_exposure:
        crashes = crashes & population.has_host_hours
    days = daily_rates(population, crashes)
    if days.counts.sum() < MIN_CRASHES or days.counts.size < 3:
        return None
    per_hour = days.source == HOST_HOURS
    changes = []
    for rates in (days, days._replace(hours=(days.hours > 0).astype(float))):
        scan, spread = scan_for_change(rates.counts, rates.hours)
        changes.append((int(np.argmax(scan)) + 1, p_value_of_change(rates, scan.max() / spread)))
    (cut, p), (cut_of_counts, p_of_counts) = changes
    if p <= MAX_P:
        before, after = (rate_of_days(days, part) for part in (slice(cut), slice(cut, None)))
        unit = "per 1,000 host-hours" if per_hour else "a day"
        how = f"{'rose' if after > before else 'fell'} on {iso_day(days.first + cut)}"
        return f"the rate {how}, from {before:.3g} to {after:.3g} crashes {unit}"
    words = f"no lasting change of the rate: chance alone does as much in {p:.0%} of cases"
    if p_of_counts <= MAX_P:
        since = iso_day(days.first + cut_of_counts)
        words += f"; crashes a day changed on {since} as the host-hours did"
    bursts = burst_words(population, days)
    return f"{words}; {bursts}" if bursts else words


def burst_words(population: Population, days: DailyRates) -> str | None:
    """Say on which few days most crashes came; None where no such days stand out.

    The most unlikely run of days first, paid for by all runs, and so on among the other days.
    """
    counts, hours = days.counts.copy(), days.hours.copy()
    bursts: list[tuple[int, int, int]] = []  # first day, last day, crashes
    while len(bursts) < MAX_RUNS and counts.sum() >= MIN_CRASHES:
        sums, spent = (np.append(0.0, np.cumsum(x)) for x in (counts, hours))
        runs = [(0.0, 1.0, 0, 0)]
        for length in range(1, min(MAX_BURST, counts.size) + 1):
            n, share = (x[length:] - x[:-length] for x in (sums, spent / spent[-1]))
            tail = binomial_tail(n, np.full(n.size, sums[-1]), share)
            at = int(np.argmin(tail))
            runs.append((float(n[at]), float(tail[at]), at, length))
        n, p, at, length = min(runs, key=lambda run: run[1])
        if p * MAX_BURST * counts.size > SURE_P or n < MIN_CRASHES:
            break
        bursts.append((days.first + at, days.first + at + length - 1, int(n)))
        counts[at : at + length] = hours[at : at + length] = 0.0
    ends = {days.first, days.first + days.counts.size - 1}
    if len(bursts) == 1 and ends & {*bursts[0][:2]}:  # it began, or ended: the scan judges that
        return None
    inside = sum(n for _, _, n in bursts)
    others, beside = float(counts.sum()), float(hours.sum())
    busy = float(days.hours.sum()) - beside
    if not 2 * inside > days.counts.sum() or inside * beside < MIN_BURST * others * busy:
        return None
    then = np.zeros(days.mine.size, dtype=bool)
    for first, last, _ in bursts:
        then |= (population.day >= first) & (population.day <= last)
    rest = population.has_time & (population.signature >= 0) & ~days.mine
    spans = [
        f"{iso_day(first)}{f' to {iso_day(last)}' * (last > first)} ({n})"
        for first, last, n in sorted(bursts)
    ]
    each = shortened_list(spans, MAX_BURSTS)
    words = f"{inside} of its {int(days.counts.sum())} crashes came in bursts: {each}"
    if not (rest & ~then).any() or not busy:
        return words
    rise = float((rest & then).sum()) * beside / (float((rest & ~then).sum()) * busy)
    return f"{words}; all other crashes were {rise:.2g} times as frequent then"


class SteadyGrowth(NamedTuple):
    """A rate that rises all the time: no day began it."""

    signature: int
    times: float  # from the first day to the last, of a rate that rises evenly
    quarters: tuple[float, float]  # rates of the first and the last quarter of the days
    weeks: int
    unit: str
    others: float  # times that all other crashes rose

    def words(self) -> str:
        """Say it, and what does not follow."""
        first, last = self.quarters
        return (
            f"the rate rises all the time, about {self.times:.2g} times in {self.weeks} weeks "
            f"({first:.2g} at first, {last:.2g} at last, crashes {self.unit}; all other crashes "
            f"{self.others:.2g} times). No day began it, so no release of a day did: look for what "
            "grows, as data, an index or load"
        )


def find_steady_growth(
    population: Population, signature: int, looked_at: int = 1
) -> SteadyGrowth | None:
    """Return how the rate of a signature rises all the time, beside all other crashes; else None.

    It must be there from the beginning, rise inside both halves of the time, and the rise must tell
    as much as the best single step.
    """
    days = daily_rates_of_signature(population, signature)
    if days.counts.sum() < MIN_GROWING or days.counts.size < 7 * MIN_WEEKS:
        return None
    others = daily_rates(population, (population.signature >= 0) & ~days.mine)
    if others.counts.size != days.counts.size or not others.counts.any():
        return None
    quarter = days.counts.size // 4
    if days.counts[:quarter].sum() < MIN_AT_FIRST:
        return None
    scan, spread = scan_for_change(days.counts, days.hours)
    slope, gain, _ = _fit_slope(days.counts, days.hours)
    if slope <= 0 or gain < scan.max() - AS_GOOD:
        return None
    # A fleet that grows, or whose hours lack, has more of everything.
    relative, beside, _ = _fit_slope(days.counts, others.counts)
    limit = MAX_GROWTH_P / max(looked_at, 1)
    # The p value (two-sided) of a log-likelihood ratio at one degree of freedom.
    if relative <= 0 or max(erfc(max(g / spread, 0.0) ** 0.5) for g in (gain, beside)) > limit:
        return None
    middle = days.counts.size // 2
    halves = [
        _fit_slope(days.counts[part], days.hours[part])
        for part in (slice(middle), slice(middle, None))
    ]
    scores = [half[0] / half[2] for half in halves]
    if min(scores) <= 0 or sum(scores) / (2 * spread) ** 0.5 < MIN_HALVES:
        return None
    rates = rate_of_days(days, slice(quarter)), rate_of_days(days, slice(-quarter, None))
    span = days.counts.size
    unit = "per 1,000 host-hours" if days.source == HOST_HOURS else "a day"
    whole = _fit_slope(others.counts, others.hours)[0]
    times = float(np.exp(slope * span)), float(np.exp(whole * span))
    return SteadyGrowth(signature, times[0], rates, round(span / 7), unit, times[1])


def growing_signatures(population: Population, findings: Sequence[Finding]) -> list[SteadyGrowth]:
    """Return the signatures whose rate rises all the time, the most frequent first.

    Crashes that came together count once. Those of `findings` are explained otherwise: what comes
    to one host after the other makes a rate rise all the time, too.
    """
    if population.day.size > MAX_FOR_GROWTH:
        return []
    population = find_events(population).counted
    free = population.signature >= 0
    for finding in findings:
        free &= ~finding.members
    sizes = np.bincount(population.signature[free], minlength=1)
    largest = np.argsort(-sizes, kind="stable")[:MAX_GROWING]
    marked = {finding.signature for finding in findings if finding.attr != HOST}
    some = [
        code
        for code in largest.tolist()
        if sizes[code] >= MIN_GROWING and population.signatures[code] not in marked
    ]
    growing = (find_steady_growth(population, code, len(some)) for code in some)
    return [growth for growth in growing if growth is not None]


def _fit_slope(counts: Floats, hours: Floats) -> tuple[float, float, float]:
    """Return how fast the logarithm of a rate rises a day, what that tells, and its deviation.

    A Poisson regression on the day; what it tells is its log-likelihood beside an even rate's.
    """
    has_hours = hours > 0
    n, h, day = counts[has_hours], hours[has_hours], np.flatnonzero(has_hours).astype(float)
    total = float(n.sum())
    if total <= 0 or day.size < 2:
        return 0.0, 0.0, float("inf")
    day -= day.mean()
    slope, deviation = 0.0, float("inf")
    for _ in range(STEPS):
        weight = h * np.exp(slope * day - np.max(slope * day))
        weight /= weight.sum()
        mean = float((weight * day).sum())
        variance = max(float((weight * (day - mean) ** 2).sum()), 1e-12)
        deviation = 1 / np.sqrt(total * variance)
        slope += float(np.clip(((n * day).sum() / total - mean) / variance, -MAX_STEP, MAX_STEP))
    top = float(np.max(slope * day))
    spread_out = np.log((h * np.exp(slope * day - top)).sum() / h.sum()) + top
    return slope, float((n * day).sum() * slope - total * spread_out), float(deviation)


MAX_OF_MONTH, MIN_MONTHS, MIN_OFTENER, MAX_MONTH_P = 4, 4, 1.5, 1e-6  # days; months; times
COMMON_CAUSE = "load, or something that all have in common; no host and no version is accused by it"
LEFT_OUT = 2  # of the signatures: those that rose most
MIN_RISE = 1.3  # of the others, by the lower end of its interval
MIN_OF_PROGRAM = 8  # crashes of a program that counts
MIN_SHARE_OF_PROGRAMS = 0.75  # that rose too


class CommonRise(NamedTuple):
    """How much more often crashes came after a day, the signatures that rose most left out."""

    ratio: float
    rising_programs: int
    counted: int  # programs in all; 0: unknown

    def words(self) -> str:
        """Say how much, and in how many programs."""
        where = f" in {self.rising_programs} of {self.counted} programs" if self.counted else ""
        return f"{self.ratio:.2g} times as often{where}"


def find_common_rise(
    population: Population, crashes: Bools, day: int, hours: tuple[float, float]
) -> CommonRise | None:
    """Return the rise of some crashes from `day` on, if most signatures and programs share it.

    `hours` are those before and after, or days; None where only a few of them rose.
    """
    late = population.day >= day
    signature = population.signature[crashes & (population.signature >= 0)]
    if not signature.size:
        return None
    before, after = _counts_by_code_before_and_after(
        population.signature, crashes, late, len(population.signatures)
    )
    rise = after - before * hours[1] / hours[0]
    rest = np.argsort(rise, kind="stable")[:-LEFT_OUT]
    a, b = float(after[rest].sum()), float(before[rest].sum())
    if not a or not b:
        return None
    if relative_risk(a, hours[1], b, hours[0])[1] < MIN_RISE:
        return None
    ratio = relative_risk(float(after.sum()), hours[1], float(before.sum()), hours[0])[0]
    programs = program_of_each_crash(population)
    if programs is None or len(programs.values) == 1:
        return CommonRise(ratio, 0, 0)
    before, after = _counts_by_code_before_and_after(
        programs.crash, crashes, late, len(programs.values)
    )
    counted = before + after >= MIN_OF_PROGRAM
    rose = counted & (after * hours[0] >= MIN_RISE * before * hours[1])
    some, every = int(rose.sum()), int(counted.sum())
    return (
        CommonRise(ratio, some, every)
        if every > 1 and some >= MIN_SHARE_OF_PROGRAMS * every
        else None
    )


def _counts_by_code_before_and_after(
    codes: Ints, crashes: Bools, late: Bools, size: int
) -> tuple[Floats, Floats]:
    has_value = crashes & (codes >= 0)
    before, after = (
        np.bincount(codes[has_value & when], minlength=size).astype(float) for when in (~late, late)
    )
    return before, after


def fleet_wide_rise_words(population: Population) -> str | None:
    """Say since when crashes of all kinds are more frequent; None where they are not."""
    events = find_events(population)
    days = daily_rates(population, (events.counted.signature >= 0) & (population.day >= 0))
    if days.counts.size < 3 or days.counts.sum() < MIN_CRASHES:
        return None
    scan, spread = scan_for_change(days.counts, days.hours)
    cut = int(np.argmax(scan)) + 1
    hours = float(days.hours[:cut].sum()), float(days.hours[cut:].sum())
    rise = find_common_rise(events.counted, days.mine, days.first + cut, hours)
    if rise is None or p_value_of_change(days, float(scan[cut - 1]) / spread) > SURE_P:
        return None
    slope, gain, _ = _fit_slope(days.counts, days.hours)
    if gain >= scan[cut - 1]:
        where = rise.words().partition(" in ")[2]
        times = np.exp(slope * (days.hours.size - 1))
        words = f"{times:.2g} times from the first day to the last{f', in {where}' * bool(where)}"
        return f"all crashes rise steadily ({words}): {COMMON_CAUSE}"
    return f"all crashes rose on {iso_day(days.first + cut)} ({rise.words()}): {COMMON_CAUSE}"


def month_end_words(population: Population) -> str | None:
    """Say that all crashes are more frequent on the last (or first) working days of each month.

    Each month must show it, beside its own other working days: a rise of one month is another.
    """
    if population.day.size > MAX_FOR_GROWTH:
        return None
    counted_once = find_events(population).counted
    days = daily_rates(counted_once, (counted_once.signature >= 0) & (counted_once.day >= 0))
    dates = np.arange(days.first, days.first + days.hours.size).astype("datetime64[D]")
    works = (np.is_busday(dates)) & (days.hours > 0)
    months = dates.astype("datetime64[M]")
    best: tuple[float, str] | None = None
    for end in ("last", "first"):
        edge = (months + 1).astype("datetime64[D]") if end == "last" else months.astype(dates.dtype)
        rank = np.busday_count(dates, edge) if end == "last" else np.busday_count(edge, dates) + 1
        for width in range(1, MAX_OF_MONTH + 1):
            inside, rest = works & (rank <= width), works & (rank > width)
            parts = [
                [
                    (
                        float(days.counts[some & (months == month)].sum()),
                        float(days.hours[some & (months == month)].sum()),
                    )
                    for some in (inside, rest)
                ]
                for month in np.unique(months[inside])
            ]
            whole = [(a, h, b, g) for (a, h), (b, g) in parts if h and g and a + b >= MIN_CRASHES]
            if len(whole) < MIN_MONTHS or any(a * g < MIN_OFTENER * b * h for a, h, b, g in whole):
                continue
            n, hours, others, beside = (sum(column) for column in zip(*whole, strict=True))
            share = hours / (hours + beside)
            p = binomial_p(n, n + others, share) * 2 * MAX_OF_MONTH
            if p <= MAX_MONTH_P and (best is None or p < best[0]):
                each = ", ".join(f"{a:.0f}" for a, _, _, _ in whole)
                times = relative_risk(n, hours, others, beside)[0]
                best = (
                    p,
                    (
                        f"all crashes are {times:.2g} times as frequent on the {end} "
                        f"{counted(width, 'working day')} of a month as on its others, in each of "
                        f"{len(whole)} months ({each}): a load of the month looks so, and what "
                        "changed just before one of them is no cause by that"
                    ),
                )
    return None if best is None else best[1]

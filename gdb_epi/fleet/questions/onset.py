# SPDX-License-Identifier: Apache-2.0
"""When a signature began, and which roll-out goes with that.

The change point is the day that splits the daily counts best into two Poisson rates per host-hour
(likelihood ratio scan; Kulldorff 1997 in one dimension); its p value comes from 999 permutations of
the crashes over the host-hours. Where days scatter more than Poisson's, the statistic is divided by
the dispersion (quasi-likelihood). A roll-out is judged twice: by how well the rate follows its
share of the host-hours and, free of time, by whether on each day crashes prefer the hosts that
have it to those that do not (exact Poisson-binomial).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gdb_epi.fleet.population.coverage import without_hours
from gdb_epi.fleet.population.number_ranges import RANGE
from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.questions.common_rise import CommonRise, common_rise
from gdb_epi.fleet.questions.moved_programs import moves_of
from gdb_epi.fleet.questions.subpopulations import subpopulations_of
from gdb_epi.fleet.screen.ended_findings import renaming_of
from gdb_epi.fleet.screen.events import find_events
from gdb_epi.fleet.screen.finding import HOST_HOURS
from gdb_epi.fleet.screen.programs import crashes_of_same_programs, is_process_attribute
from gdb_epi.fleet.screen.silent_hosts import (
    STOPPED,
    find_silent_days,
    find_silent_groups,
    groups_with_signature,
    without_silent_hosts,
)
from gdb_epi.fleet.statistics.arrays import Bools, Floats, widen_codes
from gdb_epi.fleet.statistics.hypothesis_tests import (
    binomial_tail,
    poisson_binomial_tail,
    relative_risk,
)
from gdb_epi.fleet.store.days import iso_day
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted, shortened_list

PERMUTATIONS = 999
SEED = 20_260_101  # the same data gives the same answer
MIN_CRASHES = 5
MAX_DAYS = 3_660
MAX_P = 0.01
MAYBE_P = 0.05
COMES_WITH_IT = 10.0  # times as often as without it
MOST_OF_THEM = 0.9
MAX_FOR_KINDS = 50_000  # crashes: a question must stay quick
SURE_P = 0.001  # for all crashes together, about which nobody asked
INTERVAL = 1.92  # log-likelihood units: half of chi-square's 95 % point at one degree of freedom
RARE, COMMON = 0.05, 0.5  # shares of the host-hours: before, and once rolled out
SOME = 0.1  # of the host-hours, once rolled out to a part of the hosts
SLOW_FIT = 0.5  # of the log-likelihood of the change, by a share that grew while it did
CLOSE = 2.0  # log-likelihood units: roll-outs that fit as well as each other
MAX_SHOWN = 8
MIN_SEEN = 3  # crashes with a value before it counts as new


class RollOut(NamedTuple):
    """A value that came into use; days are since 1970-01-01, on `half` half of the hours had it."""

    attr: str
    value: str
    first: int
    half: int | None
    fit: float  # log-likelihood of a rate that follows its share, above that of a constant rate
    with_it: int  # crashes on hosts that had it
    expected: float  # of them, by its share of each crash's day
    p: float | None  # on each crash's own day; None when no day had both
    refuted: bool = False  # on those days the crashes came elsewhere too often for it
    went: bool = False  # a value that went out of use; the days are those from which it was gone

    def words(self) -> str:
        """Say which value it is."""
        return f"{self.attr}={self.value}"


class Onset(NamedTuple):
    """The answer: `day` is None when it cannot be told, and `answer` says why."""

    signature: str
    answer: str = ""
    crashes: int = 0
    day: int | None = None
    low: int | None = None  # 95 % interval of the day
    high: int | None = None
    before: float | None = None  # crashes per 1,000 host-hours, or per day without exposure
    after: float | None = None
    rr: float | None = None  # rate after : rate before, given that day
    rr_low: float | None = None  # its 95 % interval, wider where days scatter more than Poisson's
    rr_high: float | None = None
    p: float | None = None
    first_crash: int | None = None
    exposure: str = ""
    roll_outs: tuple[RollOut, ...] = ()  # that came up near it, the best fitting first
    caveats: tuple[str, ...] = ()


class _Change(NamedTuple):
    """A change of a rate: the interval of its day, its log-likelihood, and how much more there was.

    `times` is beside all other crashes, and above 1 whichever side has more.
    """

    low: int
    high: int
    fit: float
    times: float


class _Days(NamedTuple):
    first: int
    counts: Floats  # crashes a day
    hours: Floats  # host-hours a day, or 1
    mine: Bools  # which crashes of the population
    source: str


def find_onset(population: Population, signature: int) -> Onset:
    """Tell when a signature (its code in the population) began, and with what."""
    events = find_events(population)
    asked = events.counted  # crashes that came together are no rate
    moves = moves_of(asked, signature)
    if moves:  # the host-hours of all hosts are not those of its program
        asked = without_hours(asked)
    answer = _onset(asked, signature)
    silent = [g for g in find_silent_groups(population) if g.hours != STOPPED]
    left_out = ""
    if silent and answer.after is not None and answer.after < (answer.before or 0.0):
        asked = without_silent_hosts(asked, silent)
        answer = _onset(asked, signature)
        left_out = "left out: "
    else:
        silent = groups_with_signature(population, silent, signature)
    if answer.day is not None and not any(_is_proven(r) for r in answer.roll_outs):
        whole = _change_of_program(asked, signature)
        answer = answer._replace(caveats=(*answer.caveats, *whole))
    if answer.day is None and not answer.roll_outs:
        answer = answer._replace(caveats=tuple(_changes_of_kinds(asked, signature)))
    caveats = [*(move.words() for move in moves), _left_out(asked, signature, answer.crashes)]
    caveats += [f"{left_out}{group.words()}" for group in silent]
    renamed = (renaming_of(asked, r.attr, answer.signature) for r in answer.roll_outs)
    caveats += list(dict.fromkeys(renaming.words() for renaming in renamed if renaming))[:1]
    if (gap := find_silent_days(population)) is not None:
        caveats.append(f"left out: {gap.words()}")
    same = population.signature == signature
    if repeats := int((events.repeats & same).sum()):
        text = f"{repeats:,} of its {counted(int(same.sum()), 'crash')} came together with others"
        caveats.append(f"{text}: counted once")
    if answer.crashes < MIN_CRASHES and (together := events.mostly_of(population, signature)):
        answer = answer._replace(answer=f"nothing to date but {together}")
    answer = answer._replace(caveats=(*answer.caveats, *filter(None, caveats)))
    pruned = population.pruned
    if pruned is None or answer.signature not in pruned.signatures:
        return answer
    caveat = f"it came before {iso_day(pruned.before)} too; crashes of then were pruned"
    return answer._replace(caveats=(*answer.caveats, caveat), first_crash=None)


def _is_proven(roll_out: RollOut) -> bool:
    return roll_out.p is not None and roll_out.p <= SURE_P and not roll_out.refuted


def _change_of_program(population: Population, signature: int) -> tuple[str, ...]:
    """Say with what all crashes of a signature's program rose, if those of it alone tell no more.

    A program of which no core was kept seems to begin to crash where a collector keeps them.
    """
    mine = population.signature == signature
    every = crashes_of_same_programs(population, mine)
    if every is None or not np.count_nonzero(every & ~mine & (population.signature >= 0)):
        return ()
    codes = np.where(every, len(population.signatures), population.signature)
    names = [*population.signatures, "all crashes of its program"]
    whole = population._replace(signature=codes, signatures=names, memo=None)
    onset = _onset(whole, len(population.signatures))
    if onset.day is None or not any(_is_proven(r) for r in onset.roll_outs):
        return ()
    return (f"{names[-1]}: {onset.answer}; what begins to keep its cores does the same",)


def _changes_of_kinds(population: Population, signature: int) -> Iterator[str]:
    """Say which kinds of its cores came or went while the rate stayed: one bug for another one."""
    mine = population.signature == signature
    if not MIN_CRASHES <= np.count_nonzero(mine) <= MAX_FOR_KINDS:
        return
    for kind in subpopulations_of(population, mine):
        codes = np.where(kind.members, len(population.signatures), population.signature)
        apart = population._replace(
            signature=codes, signatures=[*population.signatures, kind.mark], memo=None
        )
        onset = _onset(apart, len(population.signatures))
        if onset.day is not None and (onset.p or 0.0) <= SURE_P:
            yield f"of those with {kind.mark} {onset.answer}, on {iso_day(onset.day)}"


def _left_out(population: Population, signature: int, used: int) -> str | None:
    """Say how many crashes of a signature the days have no place for; None where they have all."""
    mine = population.signature == signature
    total, timeless = int(mine.sum()), int((mine & ~population.timed).sum())
    why = []
    if timeless:
        why.append(f"{timeless} without a time that is believed")
    if outside := total - timeless - used:
        why.append(f"{outside} on days without host-hours")
    return f"of its {counted(total, 'crash')} are left out: {' and '.join(why)}" if why else None


def _onset(population: Population, signature: int) -> Onset:
    days = _days(population, signature)
    n = int(days.counts.sum())
    name = population.signatures[signature]
    first = int(population.day[days.mine].min()) if n else None
    nothing = Onset(name, crashes=n, first_crash=first, exposure=days.source)
    if n < MIN_CRASHES:
        return nothing._replace(
            answer=f"cannot tell: {counted(n, 'crash')} to count, at least {MIN_CRASHES} are needed"
        )
    if days.counts.size < 3:
        return nothing._replace(answer="cannot tell: fewer than three days are known")
    scan, spread = _scan(days.counts, days.hours)
    best = int(np.argmax(scan))
    p = _p_value(days, float(scan[best]) / spread)
    if p > MAX_P:
        answer_text = f"no change of its rate: chance alone does as much in {p:.0%} of cases"
        if p <= MAYBE_P and not days.counts[: best + 1].any():
            since = f"none before {iso_day(days.first + best + 1)}, {n} since"
            answer_text = f"cannot tell yet: {since}; chance alone does that in {p:.0%} of cases"
        came = _that_came_and_went(population, days)
        if came:
            both = " and ".join(r.words() for r in came)
            answer_text = f"no lasting change of its rate; it comes and goes with {both}: {_WHERE}"
        return nothing._replace(answer=answer_text, p=p, roll_outs=came)
    near = np.flatnonzero(scan >= scan[best] - INTERVAL * spread) + 1
    low, high = days.first + int(near.min()), days.first + int(near.max())
    cut = best + 1
    rates = [_rate(days, slice(0, cut)), _rate(days, slice(cut, None))]
    rr, rr_low, rr_high = _risk(days, cut, spread)
    common = _common_rise(population, days, cut) if rates[1] > rates[0] else None
    times = rr / common[0].ratio if common else max(rr, 1 / rr)
    change = _Change(low, high, float(scan[best]), times)
    roll_outs = tuple(_roll_outs(population, days, change, rose=rr > 1))
    answer, caveats = _answer(rates, roll_outs)
    if common is not None and common[1]:
        answer = f"the rate rose as that of all other crashes did ({common[0].words()}): "
        answer += COMMON_CAUSE
        caveats = (_EVERYWHERE,) if roll_outs else ()
    elif common is not None:
        caveats = (*caveats, f"all other crashes rose too, and less ({common[0].words()})")
    elif not roll_outs:
        varied = [a.name for a in population.attributes if len(a.values) > 1]
        answer = f"{answer}{_looked_at(varied)}"
    return nothing._replace(
        answer=answer, day=days.first + cut, low=low, high=high, before=rates[0], after=rates[1],
        rr=rr, rr_low=rr_low, rr_high=rr_high, p=p, roll_outs=roll_outs, caveats=caveats,
    )  # fmt: skip


def _common_rise(population: Population, days: _Days, cut: int) -> tuple[CommonRise, bool] | None:
    """Return how all other crashes rose from a day on, and whether this signature rose no more."""
    n, hours = ((float(x[:cut].sum()), float(x[cut:].sum())) for x in (days.counts, days.hours))
    others = population.timed & (population.signature >= 0) & ~days.mine
    others &= (population.day >= days.first) & (population.day < days.first + days.hours.size)
    rise = common_rise(population, others, days.first + cut, hours)
    if rise is None:
        return None
    share = rise.ratio * hours[1] / (rise.ratio * hours[1] + hours[0])
    chance = binomial_tail(*(np.array([x]) for x in (n[1], n[0] + n[1], share)))[0]
    return rise, bool(chance > MAX_P)


def fleet_wide_rise_words(population: Population) -> str | None:
    """Say since when crashes of all kinds are more frequent; None where they are not."""
    events = find_events(population)
    days = _days_of(population, (events.counted.signature >= 0) & (population.day >= 0))
    if days.counts.size < 3 or days.counts.sum() < MIN_CRASHES:
        return None
    scan, spread = _scan(days.counts, days.hours)
    cut = int(np.argmax(scan)) + 1
    hours = float(days.hours[:cut].sum()), float(days.hours[cut:].sum())
    rise = common_rise(events.counted, days.mine, days.first + cut, hours)
    if rise is None or _p_value(days, float(scan[cut - 1]) / spread) > SURE_P:
        return None
    gain, times = _steady_rise(days)
    if gain >= scan[cut - 1]:
        where = rise.words().partition(" in ")[2]
        words = f"{times:.2g} times from the first day to the last{f', in {where}' * bool(where)}"
        return f"all crashes rise steadily ({words}): {COMMON_CAUSE}"
    return f"all crashes rose on {iso_day(days.first + cut)} ({rise.words()}): {COMMON_CAUSE}"


def _steady_rise(days: _Days) -> tuple[float, float]:
    """Return the log-likelihood ratio of a rate that grows evenly, and how many times it grows."""
    has_hours = days.hours > 0
    n, h = days.counts[has_hours], days.hours[has_hours]
    when = np.linspace(0.0, 1.0, days.hours.size)[has_hours]
    slope = 0.0
    for _ in range(25):  # Newton; the likelihood is concave
        weights = h * np.exp(slope * when)
        weights /= weights.sum()
        middle = float((weights * when).sum())
        spread = float((weights * when**2).sum()) - middle**2
        slope += (float((n * when).sum()) / float(n.sum()) - middle) / max(spread, 1e-9)
    grown = float((h * np.exp(slope * when)).sum()) / float(h.sum())
    return slope * float((n * when).sum()) - float(n.sum()) * float(np.log(grown)), np.exp(slope)


def _days(population: Population, signature: int) -> _Days:
    return _days_of(population, population.signature == signature)


def _days_of(population: Population, mine: Bools) -> _Days:
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
    return _Days(first, counts, hours, mine, source)


def _scan(counts: Floats, hours: Floats) -> tuple[Floats, float]:
    """Return the log-likelihood ratio of a change before day 1, 2 ..., and the dispersion."""
    ratio = _ratios(np.cumsum(counts)[None, :-1], np.cumsum(hours)[:-1], counts.sum(), hours.sum())
    cut = int(np.argmax(ratio[0])) + 1
    chi, free = 0.0, -2
    for part in (slice(0, cut), slice(cut, None)):
        n, h = counts[part], hours[part]
        expected = h * n.sum() / max(h.sum(), 1e-12)
        has_hours = expected > 0
        chi += float((((n - expected)[has_hours]) ** 2 / expected[has_hours]).sum())
        free += int(has_hours.sum())
    return ratio[0], max(1.0, chi / free) if free > 0 else 1.0


def _ratios(n0: Floats, h0: Floats, n: float, h: float) -> Floats:
    n1, h1 = n - n0, h - h0
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = [np.where(a > 0, a * np.log(a * h / (b * n)), 0.0) for a, b in ((n0, h0), (n1, h1))]
    return np.where((h0 > 0) & (h1 > 0), parts[0] + parts[1], 0.0)


def _p_value(days: _Days, statistic: float) -> float:
    share = days.hours / days.hours.sum()
    draws = np.random.default_rng(SEED).multinomial(int(days.counts.sum()), share, PERMUTATIONS)
    sums = np.cumsum(draws, axis=1)[:, :-1].astype(float)
    ratio = _ratios(sums, np.cumsum(days.hours)[:-1], days.counts.sum(), days.hours.sum())
    return float((1 + (ratio.max(axis=1) >= statistic).sum()) / (PERMUTATIONS + 1))


def _rate(days: _Days, part: slice) -> float:
    hours = float(days.hours[part].sum())
    unit = 1000.0 if days.source == HOST_HOURS else 1.0
    return unit * float(days.counts[part].sum()) / hours if hours else 0.0


def _risk(days: _Days, cut: int, spread: float) -> tuple[float, float, float]:
    n, h = ([float(x[:cut].sum()), float(x[cut:].sum())] for x in (days.counts, days.hours))
    ratio, _, high = relative_risk(n[1], h[1], n[0], h[0])
    factor = (high / ratio) ** spread**0.5
    return ratio, ratio / factor, ratio * factor


def _roll_outs(
    population: Population, days: _Days, change: _Change, *, rose: bool
) -> Iterator[RollOut]:
    """The values that came up, or went away, when the rate may have changed; the best fit first."""
    # With what brings a fall fewer crashes come, by as much.
    near = _came_up(population, days, change if rose else change._replace(times=1 / change.times))
    if not rose:
        # What went away came up when time is read backwards.
        end = 2 * days.first + days.hours.size - 1
        turned = population._replace(
            day=end - population.day, exposure_day=end - population.exposure_day, memo=None
        )
        back = days._replace(counts=days.counts[::-1], hours=days.hours[::-1])
        mirrored = change._replace(low=end + 1 - change.high, high=end + 1 - change.low)
        near += [
            r._replace(
                first=end + 1 - r.first,
                half=None if r.half is None else end + 1 - r.half,
                went=True,
            )
            for r in _came_up(turned, back, mirrored)
        ]
    yield from sorted(near, key=_order)[:MAX_SHOWN]


def _that_came_and_went(population: Population, days: _Days) -> tuple[RollOut, ...]:
    """Return the values that nearly all crashes have, each proven on its own days; else nothing.

    A version that is rolled out and back leaves no change of the rate that lasts.
    """
    last = days.first + days.hours.size - 1
    whole = _Change(days.first, last, 0.0, COMES_WITH_IT)
    came = [r for r in _came_up(population, days, whole) if not r.refuted]
    proven = sorted((r for r in came if r.p is not None and r.p <= SURE_P), key=_order)
    for name in dict.fromkeys(r.attr for r in proven):
        same = [r for r in proven if r.attr == name]
        if sum(r.with_it for r in same) >= MOST_OF_THEM * days.counts.sum():
            return tuple(same)
    return ()


def _came_up(population: Population, days: _Days, change: _Change) -> list[RollOut]:
    """Return the values that came up while a rate may have risen."""
    low, candidates = change.low, list[RollOut]()
    for attribute in population.attributes:
        candidates += _of_attribute(population, attribute, days, change.times)
    # Numbers that every host comes by, as days of uptime, are told as ranges.
    ranges = {r.attr.removesuffix(RANGE) for r in candidates if r.attr.endswith(RANGE)}
    return [
        r
        for r in candidates
        if r.attr not in ranges
        and (r.first <= change.high or _is_slow(r, change))
        # Without host-hours it has no day of its half: it counts where it came up at that time.
        and ((r.half or change.high) >= low - 1 or _is_slow(r, change))
        and (r.half is not None or r.first >= low - 1 or _is_fed(population, r))
    ]


def _is_slow(roll_out: RollOut, change: _Change) -> bool:
    """Whether a value came host by host: its crashes tell it, and its share, not its day."""
    proven = roll_out.p is not None and roll_out.p <= SURE_P
    return proven and roll_out.fit >= SLOW_FIT * change.fit


def _is_fed(population: Population, roll_out: RollOut) -> bool:
    attribute = population.attribute(roll_out.attr)
    return attribute is not None and bool((attribute.exposure >= 0).any())


def _order(roll_out: RollOut) -> tuple[float, float, str, str]:
    """What the crashes of its own days prefer comes first: time cannot have done that."""
    proof = roll_out.p if roll_out.p is not None and roll_out.p <= MAX_P else 1.0
    return proof, -roll_out.fit, roll_out.attr, roll_out.value


def _of_attribute(
    population: Population, attribute: Attribute, days: _Days, times: float
) -> Iterator[RollOut]:
    in_range = (attribute.exposure >= 0) & (population.exposure_day >= days.first)
    in_range &= population.exposure_day < days.first + days.hours.size
    if not in_range.any():
        yield from _first_seen(population, attribute, days, times)
        return
    size, width = len(attribute.values), days.hours.size
    cell = (
        widen_codes(attribute.exposure[in_range]) * width
        + population.exposure_day[in_range]
        - days.first
    )
    weights = population.exposure_hours[in_range]
    table = np.bincount(cell, weights=weights, minlength=size * width).reshape(size, width)
    total = np.maximum(table.sum(axis=0), 1e-12)
    shares = table / total
    for value in np.flatnonzero((shares[:, 0] < RARE) & (shares.max(axis=1) >= SOME)):
        share = shares[value]
        above = np.flatnonzero(share >= RARE)
        half = np.flatnonzero(share >= min(COMMON, float(share.max()) / 2))
        came = RollOut(
            attribute.name,
            attribute.values[value],
            days.first + int(above[0]),
            days.first + int(half[0]) if half.size else None,
            _fit(days, share),
            *_own_days(population, attribute, int(value), days, share, times),
        )
        # What a part of the hosts got explains a rise where the crashes prefer those hosts.
        if share.max() >= COMMON or (came.p is not None and came.p <= MAX_P):
            yield came


def _first_seen(
    population: Population, attribute: Attribute, days: _Days, times: float
) -> Iterator[RollOut]:
    """Yield the values of an attribute without host-hours that crashes had from some day on.

    What share has it between its first and its last crash is told by the crashes of all other
    signatures: of a version of the process by those of its programs.
    """
    width = days.hours.size
    usable = (attribute.crash >= 0) & population.timed
    usable &= (population.day >= days.first) & (population.day < days.first + width)
    same = (
        crashes_of_same_programs(population, days.mine)
        if is_process_attribute(attribute.name)
        else None
    )
    if same is not None:
        usable &= same
    codes, day = attribute.crash[usable], population.day[usable] - days.first
    is_other = ~days.mine[usable]
    first, last = np.full(len(attribute.values), width), np.full(len(attribute.values), -1)
    np.minimum.at(first, codes, day)
    np.maximum.at(last, codes, day)
    counts = np.bincount(codes, minlength=first.size)
    for value in np.flatnonzero((counts >= MIN_SEEN) & (first > 0)).tolist():
        since, until = int(first[value]), int(last[value])
        before = int(np.count_nonzero(is_other & (day < since)))
        during = is_other & (day >= since) & (day <= until)
        have = int(np.count_nonzero(during & (codes == value)))
        part = (have + 0.5) / (int(np.count_nonzero(during)) + 1.0)
        # A value that came up, and no rare one that chance showed late.
        if (1 - part) ** before > MAX_P:
            continue
        at = np.arange(width)
        share = np.where((at >= since) & (at <= until), part, 0.0)
        yield RollOut(
            attribute.name,
            attribute.values[value],
            days.first + since,
            None,
            _fit(days, share),
            *_own_days(population, attribute, value, days, share, times),
        )


def _fit(days: _Days, share: Floats) -> float:
    """Log-likelihood of rate a + b * share (EM for the two parts) above that of a constant rate."""
    n, parts = days.counts, (days.hours * (1 - share), days.hours * share)
    constant = n.sum() / days.hours.sum()
    rates = [constant, constant]
    for _ in range(200):
        mean = np.maximum(rates[0] * parts[0] + rates[1] * parts[1], 1e-300)
        rates = [
            r * (n * p / mean).sum() / max(p.sum(), 1e-12)
            for r, p in zip(rates, parts, strict=True)
        ]
    mean = np.maximum(rates[0] * parts[0] + rates[1] * parts[1], 1e-300)
    flat = np.maximum(constant * days.hours, 1e-300)
    return float((n * np.log(mean / flat)).sum() - (mean - flat).sum())


def _own_days(
    population: Population,
    attribute: Attribute,
    value: int,
    days: _Days,
    share: Floats,
    times: float,
) -> tuple[int, float, float | None, bool]:
    """Return how many crashes have a value, how many by chance, P of that, and if it is refuted.

    It is where too few (or too many) have it for a value with which `times` as many come.
    """
    mine = days.mine & (attribute.crash >= 0)
    chance = share[population.day[mine] - days.first]
    with_it = int((attribute.crash[mine] == value).sum())
    # On a day on which all or none of the hosts had it, the crash could not choose.
    open_days = (chance > 0) & (chance < 1)
    if not open_days.any():
        return with_it, float(chance.sum()), None, False
    has_it = attribute.crash[mine][open_days] == value
    hits, given = int(has_it.sum()), chance[open_days]
    if_so = times * given / (times * given + 1 - given)
    too = (hits, if_so) if times < 1 else (int((~has_it).sum()), 1 - if_so)
    refuted = poisson_binomial_tail(*too) <= MAX_P
    return with_it, float(chance.sum()), poisson_binomial_tail(hits, given), refuted


def _answer(rates: list[float], roll_outs: tuple[RollOut, ...]) -> tuple[str, tuple[str, ...]]:
    rose = rates[1] > rates[0]
    word = "rose" if rose else "fell"
    if not roll_outs:
        return f"the rate {word}; nothing that is recorded came up then", ()
    left = [r for r in roll_outs if not r.refuted]
    gone = ", ".join(r.words() for r in roll_outs if r.refuted)
    caveats = (f"{gone}{_REFUTED} as much {'without' if rose else 'with'} it",) if gone else ()
    if not left:
        return f"the rate {word}; nothing that is recorded and changed then is why", caveats
    best = max(left, key=lambda r: r.fit)
    proven = [r for r in left if r.p is not None and r.p <= MAX_P and r.went != rose]
    rivals = [r for r in left if r is not best and best.fit - r.fit < CLOSE]
    if len(proven) == 1:
        r = proven[0]
        if r.went:
            answer = f"the rate fell when {r.words()} went out of use"
            return f"{answer}: on the days before, the crashes came where it was", ()
        answer = f"the rate rose with {r.words()}"
        return f"{answer}: {_WHERE}", ()
    if rose and len(proven) > 1:
        both = " and ".join(r.words() for r in proven)
        return f"the rate rose with {both}, which were rolled out together", (_TOGETHER,)
    if proven:
        both = " and ".join(r.words() for r in proven)
        return f"the rate fell when {both} went out of use together", (_TOGETHER,)
    if best.fit <= CLOSE:
        return f"the rate {word}; no roll-out of that time fits it", caveats
    names = ", ".join(r.words() for r in (best, *rivals))
    if rivals:
        how = "came up or went" if any(r.went for r in (best, *rivals)) else "came up"
        return f"cannot tell: the rate {word} when {names} {how} at once", (_TOGETHER, *caveats)
    answer = f"the rate {word} when {names} {'went out of use' if best.went else 'came up'}"
    answer += f"; beside the date nothing speaks for it (p {_p(best.p)})"
    return answer, (_TIME, *caveats)


def _looked_at(names: list[str]) -> str:
    """Name the attributes of which no value came into use."""
    if not names:
        return ": no attribute of hosts, kernels or images is"
    return f" (looked at: {shortened_list(names, MAX_SHOWN)}); see what else was changed"


_WHERE = "on the days of its roll-out the crashes came where it was"
_TOGETHER = "simultaneous roll-outs cannot be told apart: stage the next ones"
_TIME = "coincides with a roll-out: anything else that changed then fits too"
_REFUTED = " changed then, and is not why: while some hosts had it and some not, crashes came"
_EVERYWHERE = "what came up then explains no rise of what does not run it"
COMMON_CAUSE = "load, or something that all have in common; no host and no version is accused by it"


def _p(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.2g}"

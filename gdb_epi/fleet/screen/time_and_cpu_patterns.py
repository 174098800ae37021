# SPDX-License-Identifier: Apache-2.0
"""Signatures that come at some hour of the day, on some day of the week, or on one CPU number.

None of these has host-hours; the crashes of all other signatures are the controls, so that a load
that follows the week accuses nothing. A day counts once inside the hours that are tested, however
much came then: what happened on one day is one story.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

import numpy as np

from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.population.signatures_by_local_time import find_signatures_by_local_time
from gdb_epi.fleet.population.value_spans import is_newest_value
from gdb_epi.fleet.screen.design_effect import median_inflation
from gdb_epi.fleet.screen.finding import (
    CPU_NUMBER,
    DAY_OF_MONTH,
    DAY_OF_WEEK,
    MAX_CONDITIONAL_P,
    MAX_Q,
    MIN_N,
    MIN_RR,
    TIME_OF_DAY,
    Finding,
)
from gdb_epi.fleet.screen.host_evidence import cpu_kind_of_hosts
from gdb_epi.fleet.screen.programs import crashes_of_same_programs, program_of_most_crashes
from gdb_epi.fleet.statistics.arrays import (
    Bools,
    Floats,
    Ints,
    count_pairs,
    distinct_pairs,
    row_blocks,
    sum_by_code,
    widen_codes,
)
from gdb_epi.fleet.statistics.hypothesis_tests import (
    binomial_p,
    binomial_tail,
    hypergeometric_p,
    hypergeometric_tail,
    q_values,
    relative_risk,
    risk_by_share,
)
from gdb_epi.fleet.store.day_numbers import iso_day
from gdb_epi.util import counted

MAX_P_OF_TIME = 1e-4  # asked anew each day of signatures that mean nothing to anybody
MIN_TIMES = 8  # crashes of a signature, each hour once
MAX_HOURS = 3  # windows of one signature
MAX_WIDTH, MAX_GROUP_P = 8, 1e-6  # hours of a group, beside the hours of all crashes elsewhere
WIDEST = 4  # hours: what comes in more of them follows a load
MIN_DAYS = 4  # on which it came in these hours
MIN_WEEKS = 6  # that a signature spans, from which on a day of the week can be told
MIN_HOSTS = 3  # of a CPU number
MIN_RATIO = 3.0
# Places that may have a local time, or clocks of their own.
OF_ONE_TIME = ("site", "region", "zone", "country", "datacenter", "dc", "cluster")
NEARLY_ALL = 0.9  # of the crashes of a time: a value that those of other times have not
MAX_HOST_P = 0.01
CONTROLS = "the times of all other crashes"
OTHER_CPUS = "the CPU numbers of all other crashes"
WHAT_RUNS_THEN = "what runs at that time, or the load of one service, looks the same"
PINNED_EVERYWHERE = "work that is pinned to this CPU on all hosts looks the same"
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTH = 31  # slots: days up to MIDDLE by their number, the others by how many follow
MIDDLE = 15
MIN_TURNS = 3  # of a month, in which it came
MAX_TURN = 4  # days
MAX_PLACE_ROWS = 200_000  # signatures times places: of more no local hours are asked
LOCAL_HOUR = "each {place} has its own hour: the time of the day there, and not one job by UTC"
_TIMES = (TIME_OF_DAY, DAY_OF_WEEK, DAY_OF_MONTH)
_Lead = tuple[str, str, Ints, float, tuple[float, float, float]]
_LocalHours = dict[int, list[tuple[Attribute, int, _Lead]]]
MOVED = "{now} since {since}, {before} until then"  # `_MOVE` reads it
MAX_MOVE_P = 1e-3
_SPAN = re.compile(r"(\d\d):00 to (\d\d):00 UTC")
_MOVE = re.compile(r"(?P<now>\d\d):.* since (?P<since>\S+), (?P<before>\d\d):.* until then")
_HOUR, _FIRST_WEEKDAY = 3600, 3  # 1970-01-01 was a Thursday


def is_event_at_known_time_of_signature(event: Finding, moments: Iterable[Finding]) -> bool:
    """Whether an event comes when its signature is known to come: the next Sunday is no news."""
    mine = [m for m in moments if m.signature == event.signature and m.attr in _TIMES]
    kinds = {moment.attr for moment in mine}  # it may have several hours, and a day of the week
    return bool(mine) and all(
        any(_is_event_at_time_of_moment(event, moment) for moment in mine if moment.attr == kind)
        for kind in kinds
    )


def _is_event_at_time_of_moment(event: Finding, moment: Finding) -> bool:
    try:
        when = datetime.strptime(event.value, "%Y-%m-%d %H:%M UTC")
    except ValueError:
        return False
    if moment.attr == DAY_OF_WEEK:
        return moment.value.startswith(DAYS[when.weekday()])
    if moment.attr == DAY_OF_MONTH:
        return bool(
            _are_days_in_turn_of_month(
                np.array([(when - datetime(1970, 1, 1)).days]), moment.value
            )[0]
        )
    return when.hour in _parse_hours(moment.value)


def time_and_cpu_findings(population: Population, free: Bools) -> Iterator[Finding]:
    """Yield what comes at some time of the day or week, or on some CPU number of many hosts."""
    yield from _cpu_findings(population, free)
    if population.second is None:
        return
    some = free & (population.signature >= 0) & (population.second >= 0)
    if not some.any():
        return
    first, hour = _hours_since_first(population.second, some)
    signature, cell = distinct_pairs(population.signature, hour, some)
    cell = cell + first
    if np.count_nonzero(np.bincount(cell % 24)) < 2:
        return  # dates alone
    sizes = np.bincount(signature, minlength=len(population.signatures))
    tested = np.flatnonzero(sizes >= MIN_TIMES)
    of_day, of_week, of_month = (
        np.bincount(signature * width + slot, minlength=sizes.size * width).reshape(-1, width)
        for width, slot in (
            (24, cell % 24), (7, (cell // 24 + _FIRST_WEEKDAY) % 7),
            (MONTH, _month_slot(cell // 24)),
        )
    )  # fmt: skip
    local = _hours_by_place(population, some, first, hour)
    at_turn = (sizes >= MIN_TIMES) & _is_at_turn_of_month(of_month)
    leans = _may_signatures_recur_by_time(of_day[tested], of_week[tested]) | at_turn[
        tested
    ] & ~_is_at_turn_of_month(of_month.sum(axis=0)[None, :])
    # Of a closing that several programs die in, none is measured by the deaths of the others.
    of_month_elsewhere = of_month[~at_turn].sum(axis=0)
    for code in np.union1d(tested[leans], list(local)).astype(int).tolist():
        times = cell[signature == code]
        others = [table.sum(axis=0) - table[code] for table in (of_day, of_week)]
        crashes = np.flatnonzero(some & (population.signature == code))
        name = population.signatures[code]
        leads = [
            *(
                ()
                if code in local
                else _leading_hours_or_moved_hours(times, others[0].astype(float), tested.size)
            ),
            *_leading_weekdays(times, others[1].astype(float), tested.size),
            *_leading_turns_of_month(times, of_month_elsewhere.astype(float), tested.size),
        ]
        for lead in leads:
            if not _do_other_crashes_come_then_too(population, some, crashes, lead):
                caveat = _moved_hours_words(lead[1])
                yield _time_finding(population, name, crashes, crashes, lead, caveat=caveat)
        for attribute, value, lead in local.get(code, ()):
            there = crashes[attribute.crash[crashes] == value]
            place = attribute.mark_of_value(value)
            caveat = LOCAL_HOUR.format(place=attribute.name)
            yield _time_finding(population, name, crashes, there, lead, place, caveat=caveat)


def hours_of_group_words(population: Population, finding: Finding) -> str | None:
    """Say at which hours the crashes of a group come, and on how many days, as others do not."""
    group = population.attribute(finding.attr)
    if population.second is None or group is None:
        return None
    timed = (population.second >= 0) & (population.signature >= 0)
    mine = finding.members & timed
    outside = timed & (group.crash >= 0) & ~group.crashes_with(finding.value)
    hour, elsewhere = (population.second[some] // _HOUR for some in (mine, outside))
    times = np.unique(hour)
    # By hours that have a crash, and by crashes: a busy fleet has some in every hour, and a burst
    # many in one.
    usual = [
        np.bincount(others % 24, minlength=24).astype(float)
        for others in (np.unique(elsewhere), elsewhere)
    ]
    if times.size < MIN_TIMES or np.count_nonzero(usual[0]) < 2:
        return None
    best: tuple[float, Ints] | None = None
    own = np.bincount(times % 24, minlength=24)
    for width in range(1, MAX_WIDTH + 1):
        windows = (np.arange(24)[:, None] + np.arange(width)) % 24
        inside, total = own[windows].sum(axis=1).astype(float), np.full(24, float(times.size))
        share = np.maximum(*(_shares_of_other_crashes_by_slot(some, windows) for some in usual))
        p = binomial_tail(inside, total, share) * 24 * MAX_WIDTH
        p[inside < MIN_RR * share * times.size] = 1.0
        at = int(p.argmin())
        if p[at] <= MAX_GROUP_P and (best is None or p[at] < best[0]):
            best = float(p[at]), windows[at]
    if best is None:
        return None
    at_that_time = np.isin(hour % 24, best[1])
    days = np.unique(hour[at_that_time] // 24)
    if days.size < MIN_DAYS:
        return None
    span = _hours_span_text(int(best[1][0]), best[1].size)
    return (
        f"{at_that_time.sum()} of {hour.size} come at {span}, on "
        f"{counted(days.size, 'day')} from {iso_day(int(days[0]))} to {iso_day(int(days[-1]))}; of "
        f"those elsewhere {np.isin(elsewhere % 24, best[1]).mean():.0%} do"
    )


def _time_finding(
    population: Population, name: str, crashes: Ints, among: Ints, lead: _Lead,
    *place: str, caveat: str = "",
) -> Finding:  # fmt: skip
    """Return the finding of a time, of those `among` the crashes that are at a place."""
    kind, value, inside, chance, risk = lead
    assert population.second is not None
    members = population.mask_of_rows(
        among[np.isin(_slots_of_hours(population.second[among] // _HOUR, kind), inside)]
    )
    main = program_of_most_crashes(population, members)
    where = place or _values_peculiar_to(population, members, crashes)
    local = None
    if kind == TIME_OF_DAY:
        local = find_signatures_by_local_time(population, population.mask_of_rows(among))
        caveat = "" if local and _MOVE.match(value) else caveat
    return Finding(
        kind, value, name, int(members.sum()), among.size, chance, chance, *risk,
        "binomial by days, given the times of all other crashes", CONTROLS,
        (*((main[0],) if main and main[1] == main[2] else ()), *where),
        (WHAT_RUNS_THEN, *filter(None, (caveat, local.words() if local else ""))), members,
    )  # fmt: skip


def _do_other_crashes_come_then_too(
    population: Population, some: Bools, crashes: Ints, lead: _Lead
) -> bool:
    """Whether the other crashes of a program come at the same time: it works then, or works most.

    `crashes` are those of a signature. Where hardly any other crash of it is known, nothing tells.
    """
    same = crashes_of_same_programs(population, crashes)
    if same is None or population.second is None:
        return False
    same &= some
    same[crashes] = False
    kind, _, inside, *_ = lead
    mine, others = (
        np.unique(population.second[rows] // _HOUR) for rows in (crashes, np.flatnonzero(same))
    )
    if others.size < MIN_TIMES:
        return False
    hits, usual = (
        int(np.isin(_slots_of_hours(hours, kind), inside).sum()) for hours in (mine, others)
    )
    share = min((usual + 2 * np.sqrt(usual + 1)) / others.size, 1.0)
    return binomial_p(hits, mine.size, share) > MAX_Q


def _hours_by_place(population: Population, some: Bools, first: int, hour: Ints) -> _LocalHours:
    """Return the hours of signatures that come at another one in each of several places."""
    hours: _LocalHours = {}
    for attribute in population.attributes:
        size = len(attribute.values)
        if attribute.name not in OF_ONE_TIME or size < 2:
            continue
        if len(population.signatures) * size > MAX_PLACE_ROWS:
            continue
        at = some & (attribute.crash >= 0)
        row, cell = distinct_pairs(
            widen_codes(population.signature) * size + attribute.crash, hour, at
        )
        cell = cell + first
        table = np.bincount(row * 24 + cell % 24, minlength=len(population.signatures) * size * 24)
        table = table.reshape(-1, size, 24)
        many = table.sum(axis=2) >= MIN_TIMES
        leans = many & _may_signatures_recur_by_time(table.reshape(-1, 24)).reshape(many.shape)
        for code in np.flatnonzero(leans.sum(axis=1) > 1).tolist():
            if code in hours:
                continue
            leads = []
            for value in np.flatnonzero(leans[code]).tolist():
                others = table[:, value].sum(axis=0) - table[code, value]
                times = cell[row == code * size + value]
                lead = _best_hours(times, others.astype(float), int(many.sum()))
                leads += [] if lead is None else [(attribute, value, lead)]
            together = np.concatenate([lead[2] for _, _, lead in leads]) if leads else row[:0]
            if len(leads) > 1 and np.unique(together).size == together.size:
                hours[code] = leads
    return hours


def _values_peculiar_to(population: Population, members: Bools, crashes: Ints) -> tuple[str, ...]:
    """Return the values that the crashes of a time have, and hardly any other of the signature."""
    inside = members[crashes]
    places = []
    for attribute in population.attributes:
        if attribute.name not in OF_ONE_TIME:
            continue
        codes = attribute.crash[crashes]
        here, others = codes[inside & (codes >= 0)], codes[~inside & (codes >= 0)]
        if min(here.size, others.size) < MIN_N:
            continue
        value = int(np.bincount(here).argmax())
        if (here == value).mean() >= NEARLY_ALL and (others == value).mean() <= 1 - NEARLY_ALL:
            places.append(attribute.mark_of_value(value))
    return tuple(places)


def _hours_since_first(second: Ints, some: Bools) -> tuple[int, Ints]:
    """Return the hour (since 1970) of the first crash under a mask, and how many later each is."""
    first = int(second.min(where=some, initial=np.iinfo(second.dtype).max)) // _HOUR
    most = int(second.max(where=some, initial=0)) // _HOUR - first
    hour: Any = np.zeros(second.size, dtype=np.int16 if most < 1 << 15 else np.int64)
    for part in row_blocks(second.size):
        hour[part] = np.clip(second[part] // _HOUR - first, 0, most)  # others lie anywhere
    return first, hour


def _slots_of_hours(hour: Ints, name: str) -> Ints:
    if name == DAY_OF_MONTH:
        return _month_slot(hour // 24)
    return hour % 24 if name == TIME_OF_DAY else (hour // 24 + _FIRST_WEEKDAY) % 7


def _month_slot(day: Ints) -> Ints:
    """Return the slot of each day in its month; the last day of any month is the last slot."""
    first = int(day.min(initial=0))
    days = (first + np.arange(int(day.max(initial=0)) - first + 1)).astype("datetime64[D]")
    months = days.astype("datetime64[M]")
    number = (days - months).astype(np.int64)
    following = ((months + 1).astype("datetime64[D]") - days).astype(np.int64)
    slots: Ints = np.where(number < MIDDLE, number, MONTH - following)
    return slots[day - first]


def _is_at_turn_of_month(of_month: Ints) -> Bools:
    """Tell which rows have most at the turn of the month."""
    at_turn = of_month[:, :MAX_TURN].sum(axis=1) + of_month[:, -MAX_TURN:].sum(axis=1)
    return np.asarray(at_turn >= NEARLY_ALL * of_month.sum(axis=1))


def _leading_turns_of_month(times: Ints, others: Floats, tested: int) -> Iterator[_Lead]:
    """Yield the days around the end of a month at which nearly all of a signature comes."""
    days = np.unique(times // 24)
    slots = _month_slot(days)
    best: tuple[float, int, Ints, tuple[float, float, float]] | None = None
    for width in range(1, MAX_TURN + 1):
        for before in range(width + 1):
            window = (np.arange(width) - before) % MONTH
            inside = np.isin(slots, window)
            a, b = int(inside.sum()), int((~inside).sum())
            months = (days[inside] + before).astype("datetime64[D]").astype("datetime64[M]")
            if np.unique(months).size < MIN_TURNS or a < NEARLY_ALL * (a + b):
                continue
            share = max(
                float(_shares_of_other_crashes_by_slot(others, window[None, :])[0]), width / MONTH
            )
            p = binomial_p(a, a + b, share) * MAX_TURN**2 * tested
            if best is None or p < best[0]:
                best = p, before, window, relative_risk(a, share, b, 1 - share)
    if best is not None and best[0] <= MAX_P_OF_TIME and best[3][0] >= MIN_RATIO:
        yield (
            DAY_OF_MONTH,
            _turn_of_month_words(best[1], best[2].size - best[1]),
            best[2],
            best[0],
            best[3],
        )


def _turn_of_month_words(last: int, first: int) -> str:
    """Say which days around the end of a month; `_are_days_in_turn_of_month` reads it."""
    words = []
    if last:
        words.append("the last day" if last == 1 else f"the last {last} days")
    if first:
        words.append("the first day" if first == 1 else f"the first {first} days")
    return f"{' and '.join(words)} of a month (UTC)"


def _are_days_in_turn_of_month(day: Ints, value: str) -> Bools:
    """Whether days are among those that a finding names."""
    numbers = {
        kind: int(n or 1) for kind, n in re.findall(r"the (last|first) (?:(\d) )?day", value)
    }
    slots = _month_slot(day)
    return (slots >= MONTH - numbers.get("last", 0)) | (slots < numbers.get("first", 0))


def _known_month_turn(moments: Iterable[Finding], days: Ints) -> str | None:
    """Return the days of the month on which nearly all of some crashes came, if one is known.

    Of a closing that several programs die in, one may be known before the others.
    """
    values = (moment.value for moment in moments if moment.attr == DAY_OF_MONTH)
    return next(
        (
            v
            for v in values
            if days.size and _are_days_in_turn_of_month(days, v).mean() >= NEARLY_ALL
        ),
        None,
    )


def is_no_due_day_since_last_crash(moments: Iterable[Finding], days: Ints, until: int) -> bool:
    """Whether crashes come on days of the month of which none has been since the last of them."""
    value = _known_month_turn(moments, days)
    since = np.arange(int(days.max(initial=0)) + 1, until + 1)
    return value is not None and not _are_days_in_turn_of_month(since, value).any()


def is_known_time(moment: Finding, earlier: Iterable[Finding]) -> bool:
    """Whether a signature was found to come at that time; more crashes may move it by an hour."""
    same = [f for f in earlier if (f.attr, f.signature) == (moment.attr, moment.signature)]
    if moment.attr in (DAY_OF_WEEK, DAY_OF_MONTH):
        return bool(same)
    if moment.attr != TIME_OF_DAY:
        return any(f.value == moment.value for f in same)
    hours = _parse_hours(moment.value)
    return any(hours & _parse_hours(f.value) for f in same)


def _parse_hours(value: str) -> set[int]:
    """Return the hours that a value names; of a job that was moved those before, too."""
    spans = [(int(first), int(last)) for first, last in _SPAN.findall(value)]
    return {(first + i) % 24 for first, last in spans for i in range((last - first) % 24 or 24)}


def is_explained_by_days_of_month(
    population: Population, finding: Finding, moments: Iterable[Finding]
) -> bool:
    """Whether a value has as many crashes of a signature as of the hours of its days of a month.

    A version that came up before the end of a month has all the crashes of the days that follow.
    """
    if finding.signature not in population.signatures:
        return False
    mine = population.crashes_of_signature(finding.signature)
    turn = _known_month_turn(moments, population.day[mine & population.has_time])
    attribute = population.attribute(finding.attr)
    if turn is None or attribute is None or finding.value not in attribute.values:
        return False
    code = attribute.values.index(finding.value)
    if not is_newest_value(population, attribute, code):
        return False
    at_turn = (attribute.exposure >= 0) & _are_days_in_turn_of_month(population.exposure_day, turn)
    hours = np.bincount(attribute.exposure[at_turn], weights=population.exposure_hours[at_turn])
    if hours.size <= code or not hours.sum():
        return False
    p = binomial_p(finding.n, finding.total, float(hours[code] / hours.sum()))
    return p > MAX_CONDITIONAL_P


def _may_signatures_recur_by_time(of_day: Ints, of_week: Ints | None = None) -> Bools:
    """Tell which signatures (rows) may have a time: quick, for most have none."""
    most = np.sum([np.roll(of_day, -i, axis=1) for i in range(WIDEST)], axis=0).max(axis=1)
    size = of_day.sum(axis=1)
    leans = most >= 0.4 * size
    return np.asarray(leans if of_week is None else leans | (of_week.max(axis=1) >= 0.4 * size))


def _days_and_hours(times: Ints) -> tuple[Ints, Ints]:
    """Return the days of some crashes, and a row of each with 1 at the hours that have one."""
    days, row = np.unique(times // 24, return_inverse=True)
    hits = np.zeros((days.size, 24), dtype=np.int64)
    hits[row.ravel(), times % 24] = 1
    return days, hits


def _leading_hours_or_moved_hours(times: Ints, others: Floats, tested: int) -> Iterator[_Lead]:
    """Yield the hours in which a signature comes; where they moved on some day, both as one."""
    moved = _hours_before_and_after_move(times)
    if moved is not None:
        before, now, since, width = moved
        there = np.where(times // 24 < since, times + now - before, times)
        lead = _best_hours(there, others, tested)
        if lead is not None and np.isin(now, lead[2]):
            value = MOVED.format(
                now=_hours_span_text(now, width),
                since=iso_day(since),
                before=_hours_span_text(before, width),
            )
            both = (np.array([[before], [now]]) + np.arange(width)).ravel() % 24
            yield TIME_OF_DAY, value, both, lead[3], lead[4]
            return
    yield from _leading_hours(times, others, tested)


def _hours_before_and_after_move(times: Ints) -> tuple[int, int, int, int] | None:
    """Return the hours in which a signature came before a day and since, the day, their number.

    None unless nearly all days before it have one and nearly all since have the other. Sundays at
    three and other days at five, or two hours of each day, are in no such order.
    """
    days, hits = _days_and_hours(times)
    best: tuple[float, int, int, int, int] | None = None
    for width in (1, 2):
        inside = (hits + np.roll(hits, -1, axis=1) if width > 1 else hits) > 0
        until = np.cumsum(inside, axis=0)
        for at in range(MIN_DAYS, days.size - MIN_DAYS + 1):
            early, late = until[at - 1], until[-1] - until[at - 1]
            before, now = int(early.argmax()), int(late.argmax())
            is_apart = width <= (now - before) % 24 <= 24 - width
            few = min(early[before] / at, late[now] / (days.size - at))
            if not is_apart or few < NEARLY_ALL:
                continue
            numbers = (late[now], until[-1, before] + until[-1, now], until[-1, now],
                       late[now] + late[before])  # fmt: skip
            p = hypergeometric_p(*numbers) * 2 * days.size
            if p <= MAX_MOVE_P and (best is None or p < best[0]):
                best = p, before, now, int(days[at]), width
    return None if best is None else best[1:]


def _moved_hours_words(value: str) -> str:
    """Say by how much the hours of a job moved; "" where they did not."""
    moved = _MOVE.match(value)
    if moved is None:
        return ""
    now, before = (int(moved.group(name)) for name in ("now", "before"))
    by = (now - before + 12) % 24 - 12
    return f"it moved by {counted(abs(by), 'hour')}, and is no new cause: was its timer changed?"


def _hours_span_text(start: int, width: int) -> str:
    return f"{start:02}:00 to {(start + width) % 24:02}:00 UTC"


def _leading_hours(times: Ints, others: Floats, tested: int) -> Iterator[_Lead]:
    """Yield the hours in which a signature comes: the best window, then what else is left.

    A job of one local time comes at as many hours as there are zones. What goes on in the hours
    beside a window is wider than WIDEST, and follows a load.
    """
    others = others.copy()
    beside = np.zeros(0, dtype=np.int64)
    for _ in range(MAX_HOURS):
        lead = _best_hours(times, others, tested) if times.size else None
        if lead is None or np.isin(lead[2], beside).any():
            return
        yield lead
        times = times[~np.isin(times % 24, lead[2])]
        others[lead[2]] = 0.0
        beside = np.concatenate((beside, lead[2] - 1, lead[2] + 1)) % 24


def _best_hours(times: Ints, others: Floats, tested: int) -> _Lead | None:
    """Return the best window of hours in which a signature comes."""
    days, hits = _days_and_hours(times)
    size, number = np.unique(hits.sum(axis=1), return_counts=True)  # hours of a day that have some
    inside = hits * 0
    best: tuple[float, int, int, float, float] | None = None
    for width in range(1, WIDEST + 1):
        inside = inside + np.roll(hits, 1 - width, axis=1)  # of the hours from each one on
        a = (inside > 0).sum(axis=0)
        window = (np.arange(24)[:, None] + np.arange(width)) % 24
        share = _shares_of_other_crashes_by_slot(others, window)
        # Of a day with many crashes some come then by chance. Days are unlike: their mean is the
        # weaker test (Hoeffding 1956).
        chance = (number * (1 - (1 - share[:, None]) ** size)).sum(axis=1) / days.size
        p = binomial_tail(a.astype(float), np.full(24, float(days.size)), chance)
        p *= 24 * WIDEST * tested
        p[a < MIN_DAYS] = 1.0
        i = int(p.argmin())
        if best is None or p[i] < best[0]:
            best = float(p[i]), i, width, float(share[i]), float(inside[:, i].sum())
    if best is None or best[0] > MAX_P_OF_TIME:
        return None
    chance_of_best, start, width, part, those = best
    risk = relative_risk(those, part, float(hits.sum()) - those, 1 - part)
    if risk[0] < MIN_RATIO:
        return None
    return (
        TIME_OF_DAY,
        _hours_span_text(start, width),
        (start + np.arange(width)) % 24,
        chance_of_best,
        risk,
    )


def _leading_weekdays(times: Ints, others: Floats, tested: int) -> Iterator[_Lead]:
    days = np.unique(times // 24)
    if int(days[-1]) - int(days[0]) < 7 * MIN_WEEKS - 1:
        return
    counts = np.bincount((days + _FIRST_WEEKDAY) % 7, minlength=7)
    number = int(counts.argmax())
    a, b = int(counts[number]), int(counts.sum() - counts[number])
    share = max(float(_shares_of_other_crashes_by_slot(others, np.array([[number]]))[0]), 1 / 7)
    p = binomial_p(a, a + b, share) * 7 * tested
    risk = relative_risk(a, share, b, 1 - share)
    if p <= MAX_P_OF_TIME and risk[0] >= MIN_RATIO:
        yield DAY_OF_WEEK, f"{DAYS[number]} (UTC)", np.array([number]), p, risk


def _shares_of_other_crashes_by_slot(others: Floats, slots: Ints) -> Floats:
    """The shares of the controls in rows of slots, not far below those of times that are alike."""
    inside = others[slots].sum(axis=1)
    share = (inside + 2 * np.sqrt(inside + 1)) / max(float(others.sum()), 1.0)
    return np.asarray(np.clip(share, slots.shape[1] / others.size / 2, 0.999))


def _cpu_findings(population: Population, free: Bools) -> Iterator[Finding]:
    """Yield CPU numbers that have more of a signature than of all others, over many hosts."""
    some = free & (population.signature >= 0) & (population.cpu >= 0) & (population.host >= 0)
    size = int(np.count_nonzero(some))
    if size < MIN_N:
        return
    signature, cpu, count = count_pairs(population.signature, population.cpu, among=some)
    of_signature, of_cpu = sum_by_code(signature, count, 0), sum_by_code(cpu, count, 0)
    many = count >= MIN_N
    s, c, a = signature[many], cpu[many], count[many].astype(float)
    n = of_signature[s]
    p = hypergeometric_tail(a, np.full(a.size, float(size)), of_cpu[c], n)
    unlike = median_inflation(signature, cpu, count, of_cpu / size)
    p = np.maximum(p, binomial_tail(a / unlike, n / unlike, of_cpu[c] / size))
    tested = int((of_signature >= MIN_N).sum()) * int((of_cpu > 0).sum())
    kinds = cpu_kind_of_hosts(population)[0]
    for i in np.flatnonzero(q_values(p, tested) <= MAX_Q).tolist():
        of_same = population.signature == s[i]
        mine = np.flatnonzero(some & of_same)
        share = _cpu_share_on_hosts_of_same_kinds(
            population, kinds, mine, np.flatnonzero(some & ~of_same), c[i]
        )
        p[i] = max(p[i], binomial_p(a[i] / unlike, n[i] / unlike, share))
        if q_values(p, tested)[i] > MAX_Q:
            continue
        q = float(q_values(p, tested)[i])
        risk = risk_by_share(a[i], n[i], share)
        here = mine[population.cpu[mine] == c[i]]
        hosts = np.unique(population.host[here]).size
        lean = binomial_p(hosts, np.unique(population.host[mine]).size, share)
        if risk[0] < MIN_RR or hosts < MIN_HOSTS or lean > MAX_HOST_P:
            continue
        members = population.mask_of_rows(here)
        yield Finding(
            CPU_NUMBER, str(int(c[i])), population.signatures[s[i]], int(a[i]), int(n[i]),
            float(p[i]), q, *risk, f"Fisher exact, on {hosts} hosts", OTHER_CPUS, (),
            (PINNED_EVERYWHERE,), members,
        )  # fmt: skip


def _cpu_share_on_hosts_of_same_kinds(
    population: Population, kinds: Ints, mine: Ints, others: Ints, cpu: int
) -> float:
    """Return the share that a CPU number has of other crashes, on hosts of the kinds of `mine`.

    A program that runs on small machines alone has only small numbers. What few crashes tell of a
    kind is not taken for less than it may be.
    """
    kind_of_others = kinds[population.host[others]]
    number, of_kind = np.unique(kinds[population.host[mine]], return_counts=True)
    total = 0.0
    for kind, count in zip(number.tolist(), of_kind.tolist(), strict=True):
        seen = population.cpu[others[kind_of_others == kind]]
        here = float(np.count_nonzero(seen == cpu))
        numbers = max(int(np.unique(seen).size), 2)
        share = (here + np.sqrt(here + 1)) / (seen.size + 1) if seen.size else 0.5
        total += count * min(max(share, 0.5 / numbers), 1.0)
    return total / mine.size

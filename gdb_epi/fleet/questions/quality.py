# SPDX-License-Identifier: Apache-2.0
"""The quality of the data (times, host-hours, names, attributes), and its effect on the answers.

Each line says what was seen, what was done about it, and what would fix it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gdb_epi.fleet.population.cached_answers import cached_answer
from gdb_epi.fleet.population.fill_missing_attributes import mark_of_crashes_without_attribute
from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.population.signatures_by_local_time import (
    are_of_signatures_of_few_hours,
    circular_window_sums,
    find_signatures_by_local_time,
)
from gdb_epi.fleet.population.value_spans import first_and_last_days
from gdb_epi.fleet.questions.changes_by_host_hours import find_recounted_hours
from gdb_epi.fleet.questions.collection_limits import (
    find_collection_limit,
    find_core_size_limit,
    find_limit_per_host,
)
from gdb_epi.fleet.records.crash_times import NO_ZONE, UNREADABLE
from gdb_epi.fleet.records.facts import ENV
from gdb_epi.fleet.screen.events import ONE_EVENT, CrashEvents, find_events
from gdb_epi.fleet.screen.finding import EVENT
from gdb_epi.fleet.screen.past_silence import find_past_silences
from gdb_epi.fleet.screen.programs import crashes_of_same_programs
from gdb_epi.fleet.screen.silent_hosts import STOPPED, find_silent_days, find_silent_groups
from gdb_epi.fleet.statistics.arrays import (
    Bools,
    Floats,
    Ints,
    distinct_rows,
    positions_in,
    row_blocks,
    widen_codes,
)
from gdb_epi.fleet.store.day_numbers import SECONDS_A_DAY, iso_day, utc_day_text
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted, shortened_list

# -- Places whose times are shifted by whole hours: clocks that write local time as if it were
#    UTC
#
# A job that runs at one hour, or an event, comes some hours later there than everywhere else.
# One of these is no proof: a job may run by local time, an event may reach one place after
# another. Two with the same shift are reported. Jobs that move in UTC when clocks change keep
# their local hour: they are compared as if no clock had changed, so that what hosts got in that
# month is not accused.

DAY = int(SECONDS_A_DAY)
MIN_TIMES = 3  # crashes of a signature, in the place and elsewhere
WINDOW_HOURS = 3  # of a window, within which a signature comes at one time of the day
MOSTLY = 0.8  # of its crashes
BIN = 600  # seconds
BINS = DAY // BIN
PAIRS = 4_096  # of a signature and a value that are examined at a time
MAX_OFF = 0.25  # hours from a whole number of them
MIN_STORIES = 2  # jobs or events
MAX_VALUES = 200  # of an attribute: with more they name hosts


class ClockShiftOfValue(NamedTuple):
    """A value of an attribute, and by how many hours some signatures are shifted there."""

    attr: str
    value: str
    hours: int
    stories: int  # jobs or events that are shifted so
    crashes: int


def clock_shifts(population: Population) -> list[ClockShiftOfValue]:
    """Return the places where signatures of one hour come at another one, each once."""
    if population.second is None:
        return []
    return population.computed_once(
        _find_clock_shifts, population, _seconds_as_if_no_clock_changed(population)
    )


def _seconds_as_if_no_clock_changed(population: Population) -> Ints:
    """Return the seconds of the crashes, those of programs that run by local time moved back."""
    second = population.second
    assert second is not None
    local = find_signatures_by_local_time(population)
    if local is None:
        return second
    moved = np.isin(population.signature, local.signatures)
    same = crashes_of_same_programs(population, moved)
    moved = (moved if same is None else same) & (second >= local.at)
    return np.where(moved, second - local.by, second)


def _find_clock_shifts(population: Population, second: Ints) -> list[ClockShiftOfValue]:
    # The crashes of signatures that may have one hour here and another one elsewhere. Most of
    # their crashes then lie in two windows, one of which has at least half of them. Other
    # signatures are left out before any place is examined.
    has_time = (second >= 0) & (population.signature >= 0)
    # One of the two has half of its crashes in them.
    is_asked = are_of_signatures_of_few_hours(
        population, second, has_time, (2 * MIN_TIMES, MOSTLY / 2)
    )
    crashes = np.flatnonzero(has_time & is_asked)
    places = [
        place
        for attribute in population.attributes
        if not attribute.is_of_process and 1 < len(attribute.values) <= MAX_VALUES
        for place in _clock_shifts_by_attribute(population, attribute, crashes, second[crashes])
    ]
    places.sort(key=lambda place: (-place.stories, -place.crashes))
    by_shift: dict[int, ClockShiftOfValue] = {}
    for place in places:  # a rack of a site is shifted as its site is
        by_shift.setdefault(place.hours, place)
    return list(by_shift.values())


def _clock_shifts_by_attribute(
    population: Population, attribute: Attribute, crashes: Ints, second: Ints
) -> Iterator[ClockShiftOfValue]:
    signature, bins = widen_codes(population.signature[crashes]), second % DAY // BIN
    width = len(attribute.values) + 1  # the last place is of no value
    of_crash = signature * width + attribute.crash[crashes] % width
    pairs, counts = np.unique(of_crash, return_counts=True)
    others = np.bincount(signature, minlength=1)[pairs // width] - counts
    asked = (pairs % width < width - 1) & (np.minimum(counts, others) >= MIN_TIMES)
    pairs, counts = pairs[asked], counts[asked]
    # The crashes of each value and shift; those of a single day are one event.
    shifts: dict[tuple[int, int], dict[tuple[str, int], int]] = {}
    for part in row_blocks(pairs.size, PAIRS):
        some = pairs[part]
        names, row = np.unique(some // width, return_inverse=True)
        here = _count_by_time_of_day(of_crash, bins, some)
        elsewhere = _count_by_time_of_day(signature, bins, names)[row] - here
        apart = (_usual_hour_of_each_row(here) - _usual_hour_of_each_row(elsewhere) + 12) % 24 - 12
        # Clocks are off by whole hours; any two evenings are some hours apart.
        shift = np.where(np.abs(apart - np.round(apart)) <= MAX_OFF, np.round(apart), np.nan)
        for at in np.flatnonzero(np.abs(shift) > 0).tolist():  # not those that are not known
            name, value = divmod(int(some[at]), width)
            here_days = np.unique(population.day[crashes[of_crash == some[at]]])
            others = (signature == name) & (of_crash != some[at])
            other_days = np.unique(population.day[crashes[others]])
            about = ("day", int(here_days[0]))
            if here_days.size > 1:
                # A job that was tried again on one evening tells nothing of its hours.
                if min(here_days.size, other_days.size) < MIN_TIMES:
                    continue
                about = "signature", name
            elif here_days[0] not in other_days:
                continue
            by_event = shifts.setdefault((value, int(shift[at])), {})
            by_event[about] = by_event.get(about, 0) + int(counts[part][at])
    for (value, hours), each in shifts.items():
        if len(each) >= MIN_STORIES:
            yield ClockShiftOfValue(
                attribute.name, attribute.values[value], hours, len(each), sum(each.values())
            )


def _count_by_time_of_day(codes: Ints, bins: Ints, chosen: Ints) -> Ints:
    """Return how many crashes of each of some codes (a row) come at each time of the day."""
    row = positions_in(chosen, codes)
    cell = row[row >= 0] * BINS + bins[row >= 0]
    return np.bincount(cell, minlength=chosen.size * BINS).reshape(-1, BINS)


def _usual_hour_of_each_row(counts: Ints) -> Floats:
    """Return the hour around which nearly all of each row lies; NaN where it is spread out."""
    width = WINDOW_HOURS * 3600 // BIN
    near = circular_window_sums(counts, width)
    best = near.argmax(axis=1)[:, None]
    steps = np.arange(width)
    window = np.take_along_axis(counts, (best + steps) % BINS, axis=1)
    middle = (best[:, 0] + (window * (steps + 0.5)).sum(axis=1) / window.sum(axis=1)) * BIN / 3600
    return np.where(window.sum(axis=1) >= MOSTLY * counts.sum(axis=1), middle, np.nan)


# -- The quality of the data (times, host-hours, names, attributes), and its effect on the
#    answers

MAX_NAMED = 6  # hosts, days or names of one line
MAX_CLOCKS = 20  # hosts with a flat battery, each of which somebody must go to
MIN_NAMES, MOSTLY_NEW = 100, 0.98  # crashes; names a crash: 100 of 1,000 hosts have 95
MIN_TWICE = 3  # crashes: fewer may be chance
MISSING = 0.05  # share without a value from which it is reported
TIMES, HOURS, NAMES, ATTRIBUTES, EVENTS = "times", "host-hours", "hosts", "attributes", "events"
SILENCE, LIMIT = "silence", "limit"
_REASONS = {
    "none": ("have no time", "let a collector give it (journal, xattr, core_pattern %t)"),
    "file date": (
        "have only the date of a file as their time, which a copy changes",
        "let a collector give it (journal, xattr, core_pattern %t)",
    ),
    UNREADABLE: (
        "have a time that cannot be read",
        "write it as seconds since 1970 or as 2026-11-21T04:30:00+02:00",
    ),
    NO_ZONE: (
        "have a time without a time zone, which may be half a day off",
        "write them as 2026-11-21T04:30:00+02:00 or as seconds since 1970; of records that are all "
        "of one zone: gdb-epi fleet ingest --zone Europe/Berlin FILE, again",
    ),
    "ahead": ("have a time ahead of the arrival of the record", "set the clocks of those hosts"),
    "before 2000": ("have a time before 2000", "set the clocks of those hosts"),
}


NEARLY_ALL, MIN_TO_PLACE, MAX_MARKS = 0.8, 8, 2  # of crashes that lie together; crashes; values
MAX_SPAN = 0.25  # of all days


class QualityCheck(NamedTuple):
    """The result of one check; `is_fine` where nothing needs to be done."""

    about: str
    is_fine: bool
    text: str
    advice: str = ""


def check_quality(population: Population) -> list[QualityCheck]:
    """Return the results of all checks, those that need a look first."""
    return cached_answer(population, "quality", lambda: _run_checks(population), QualityCheck)


def _run_checks(population: Population) -> list[QualityCheck]:
    results = [
        *_check_times(population), *_check_time_zones(population), *_check_host_hours(population),
        *_check_collection_limits(population), *_check_host_names(population),
        *_check_short_lived_hosts(population), *_check_attributes(population),
        *_check_events(population),
    ]  # fmt: skip
    return sorted(results, key=lambda check: check.is_fine)


def _check_times(population: Population) -> Iterator[QualityCheck]:
    quality, size = population.quality, population.day.size
    if pruned := population.left_by_prune:
        text = f"crashes before {iso_day(pruned.before)} were pruned: the "
        text += f"{counted(pruned.left, 'crash')} left of then are shown, in no count and test"
        yield QualityCheck(TIMES, True, text)
    unknown = int((~population.has_time).sum())
    for reason, count in sorted(quality.get("unknown", {}).items()):
        words, advice = _REASONS.get(reason, _REASONS["none"])
        hosts, several = quality.get("unknown_hosts", {}).get(reason, ((), 0))
        more = f" and {several - len(hosts)} more" if several > len(hosts) else ""
        where = f" (on {', '.join(hosts)}{more})" if hosts else ""
        yield QualityCheck(
            TIMES, False, f"{_count_of_all_text(count, size)} {words}{where}: in no curve", advice
        )
    if stray := int(quality.get("stray", 0)):
        off = quality.get("clocks_off", {})
        hosts = [f"{host} ({days:+g} days)" for host, days in sorted(off.items())]
        clocks = f"; clocks that are off: {shortened_list(hosts, MAX_NAMED)}" if off else ""
        text = f"{_count_of_all_text(stray, size)} far from those that arrived with them{clocks}"
        for host, days in quality.get("after_all", {}).items():
            text += f"; {host} alone has crashes {days:g} days after any other host: "
            text += "its clock is ahead, or records of the others are missing"
        if back := quality.get("clocks_back"):
            text += f"; clocks that go back at times, as with a flat battery: {len(back)} hosts "
            text += f"({shortened_list(sorted(back), MAX_CLOCKS)})"
        if reset := quality.get("reset"):
            text += _reset_clocks_words(*reset)
        yield QualityCheck(TIMES, False, f"{text}: in no curve", "set the clocks of those hosts")
    if ahead := quality.get("clocks_ahead"):
        hosts = [f"{host} ({days:+g} days)" for host, days in sorted(ahead.items())]
        text = "later than what came in beside them, and believed: the crashes of "
        text += (
            f"{shortened_list(hosts, MAX_NAMED)}: either their clocks are ahead, or most others' "
        )
        yield QualityCheck(
            TIMES, False, f"{text}records come in late", "see the clocks of those hosts"
        )
    if not unknown and size:
        yield QualityCheck(
            TIMES, True, f"all {counted(size, 'crash')} have a time that can be true"
        )


def _reset_clocks_words(
    crashes: int, first: float, last: float, begin: float, end: float, hosts: Sequence[str]
) -> str:
    """Say when crashes happened whose clocks had lost the year, by what arrived beside them."""
    recorded, arrived = (
        a if a == b else f"{a} to {b}"
        for a, b in ((utc_day_text(x), utc_day_text(y)) for x, y in ((first, last), (begin, end)))
    )
    return (
        f"; {crashes} say {recorded} and came in beside crashes of {arrived}, so they are of then, "
        f"from clocks that had lost the date: {counted(len(hosts), 'host')} "
        f"({shortened_list(list(hosts), MAX_CLOCKS)})"
    )


def _check_collection_limits(population: Population) -> Iterator[QualityCheck]:
    if (limit := find_collection_limit(population)) is not None:
        advice = "raise the limit, or let the collector keep some of each hour"
        yield QualityCheck(LIMIT, False, limit.words(), advice)
    of_hosts = find_limit_per_host(population)
    if of_hosts is not None:
        advice = "see whether the collector keeps one core of a host: let it keep more"
        yield QualityCheck(LIMIT, False, of_hosts.words(), advice)
    if sizes := find_core_size_limit(population):
        yield QualityCheck(
            SILENCE, False, sizes.words(), "see what limit of size the collector has"
        )
    if of_hosts is None and (gap := find_silent_days(population)) is not None:
        text = f"{gap.words()}: missing records look like this, and so does a fleet that was idle; "
        text += "`onset` leaves these days out"
        yield QualityCheck(SILENCE, False, text, "look for cores of those days that were not read")
    for past in find_past_silences(population):
        text = f"{past.words()}: missing records look like this, and so do hosts without work; it "
        text += "is no proof of good health, and what follows is no outbreak; tests and `onset` "
        text += "leave these hours out, `trend` and `compare` do not"
        yield QualityCheck(SILENCE, False, text, "look for cores of those days that were not read")
    for group in find_silent_groups(population):
        if group.hours == STOPPED:  # such hosts are in no rate
            continue
        text = f"{group.words()}: a collector that stopped or uploads late looks like this, and so "
        text += "do hosts without work; tests leave these hours out, `trend` and `compare` do not"
        yield QualityCheck(SILENCE, False, text, "see whether cores of it still arrive")


def _check_time_zones(population: Population) -> Iterator[QualityCheck]:
    if (local := find_signatures_by_local_time(population)) is not None:
        yield QualityCheck(TIMES, True, local.words())
    for event in find_events(population).findings:
        for words in (c for c in event.caveats if c.endswith(ONE_EVENT)):
            text = f"of the crashes of {event.value} {words}"
            yield QualityCheck(TIMES, False, text, "see how their collectors write times")
    for place in clock_shifts(population):
        text = f"{place.attr}={place.value}: {place.stories} jobs or events come there "
        text += f"{place.hours:+d} hours from where they come elsewhere ({place.crashes} crashes): "
        text += "its clocks may write local time as UTC; one event then looks like two"
        yield QualityCheck(TIMES, False, text, "see how its collectors write times")


def _check_host_hours(population: Population) -> Iterator[QualityCheck]:
    if not population.has_exposure:
        text = (
            "no host-hours: crashes are compared with other crashes, and what is busier than "
            "others looks worse than it is"
        )
        yield QualityCheck(HOURS, False, text, "gdb-epi fleet exposure FILE")
        return
    covered, timed = population.has_host_hours, population.has_time
    days = np.unique(population.exposure_day[population.exposure_hours > 0])
    crash_days = np.unique(population.day[timed])
    gaps = np.setdiff1d(crash_days, days)
    lacking = int((~covered).sum())
    if gaps.size:
        there = np.unique(population.host[timed & np.isin(population.day, gaps)])
        mend = "feed those days"
        if there.size == 1 and there[0] >= 0 and covered.any():
            name = population.hosts[int(there[0])]
            mend = f"all of these are of host {name}: see whether its clock is right; else {mend}"
        yield QualityCheck(
            HOURS, False, f"no host-hours for {_day_ranges_text(gaps)}, which have crashes: hosts "
            "that ran beside those days are taken to have run, attributes are compared without "
            "hours",
            mend,
        )  # fmt: skip
    has_hours = np.unique(population.exposure_host[population.exposure_hours > 0])
    crashed = np.unique(population.host[population.host >= 0])
    without = np.setdiff1d(crashed, has_hours)
    if without.size:
        names = [population.hosts[code] for code in without.tolist()]
        yield QualityCheck(
            HOURS, False, f"{counted(without.size, 'host')} with crashes and no host-hours "
            f"({shortened_list(names, MAX_NAMED)}): compared among themselves",
            "feed their hours, or see whether they are spelt otherwise there",
        )  # fmt: skip
    for recounted in find_recounted_hours(population):
        yield QualityCheck(HOURS, False, recounted.words(), "see what writes these hours")
    if lacking:
        count = _count_of_all_text(lacking, population.day.size)
        text = f"{count} on days or hosts without host-hours"
        text += where_most_crashes_are(population, ~population.has_host_hours)
        yield QualityCheck(HOURS, False, f"{text}: compared with other crashes")
    else:
        text = (
            f"host-hours from {iso_day(int(days[0]))} to {iso_day(int(days[-1]))} cover all crashes"
        )
        yield QualityCheck(HOURS, True, text)


def where_most_crashes_are(population: Population, some: Bools) -> str:
    """Say in which days, and at which places, nearly all of some crashes lie; "" where nowhere."""
    days = np.sort(population.day[some & population.has_time])
    if days.size < MIN_TO_PLACE:
        return ""
    width = int(NEARLY_ALL * days.size) - 1
    spans = days[width:] - days[: days.size - width]
    at = int(spans.argmin())
    first, last = int(days[at]), int(days[at + width])
    words: list[str] = []
    marks: list[tuple[float, str]] = []
    if last - first <= MAX_SPAN * (int(population.day.max()) - int(population.day.min())):
        words.append(f"from {iso_day(first)} to {iso_day(last)}")
    for attribute in population.attributes:
        codes, others = attribute.crash[some], attribute.crash[~some]
        codes, others = codes[codes >= 0], others[others >= 0]
        if codes.size < MIN_TO_PLACE or not others.size or attribute.is_of_process:
            continue
        value = int(np.bincount(codes).argmax())
        usual = float((others == value).mean())
        if (codes == value).mean() >= NEARLY_ALL and usual <= 1 / 2:
            marks.append((usual, attribute.mark_of_value(value)))
    if marks:
        words.append(f"with {' and '.join(mark for _, mark in sorted(marks)[:MAX_MARKS])}")
    return f", most of them {' '.join(words)}" if words else ""


def _check_host_names(population: Population) -> Iterator[QualityCheck]:
    spelt: Sequence[Any] = population.quality.get("spelt", ())
    if spelt:
        some = shortened_list([f"{name} = {taken}" for name, taken in spelt], MAX_NAMED)
        text = f"{counted(len(spelt), 'name')} of hosts spelt otherwise and taken for one: {some}"
        yield QualityCheck(NAMES, True, text)
    if namesakes := population.quality.get("namesakes"):
        machines = sum(map(len, namesakes.values()))
        some = shortened_list([", ".join(own) for own in namesakes.values()], MAX_NAMED)
        text = f"{counted(len(namesakes), 'name')} of several machines at the same time: by site, "
        text += f"serial or machine id {counted(machines, 'host')}, each by itself: {some}"
        yield QualityCheck(NAMES, True, text)
    if again := population.quality.get("again"):
        some = shortened_list([installed_again_words(*about) for about in again], MAX_NAMED)
        yield QualityCheck(NAMES, True, f"installed again, one host still: {some}")
    if doubled := population.quality.get("doubled"):
        some = shortened_list(doubled, MAX_NAMED)
        text = f"{counted(len(doubled), 'host')} with host-hours under two names on the same days, "
        text += f"more than a day has: {some}; counted once"
        yield QualityCheck(HOURS, False, text, "let one exporter tell them")
    if outlived := population.quality.get("outlived"):
        some = shortened_list(sorted(outlived), MAX_NAMED)
        text = f"{counted(len(outlived), 'host')} with host-hours under an old name beside the new "
        text += f"one, though only the new one crashes: {some}; hours of the old name are left out "
        text += "from then on"
        yield QualityCheck(NAMES, False, text, "take the old names out of the host-hours")
    if renamed := population.quality.get("renamed"):
        some = shortened_list([" = ".join(names) for names in renamed], MAX_NAMED)
        text = f"{counted(len(renamed), 'machine id')} with several names, one after the other, "
        yield QualityCheck(NAMES, True, f"{text}taken for renamed hosts: {some}")
    if copies := population.quality.get("copies"):
        some = shortened_list([", ".join(names[:MAX_NAMED]) for names in copies], MAX_NAMED)
        text = f"{counted(len(copies), 'machine id')} of several hosts that run at the same time: "
        yield QualityCheck(NAMES, True, f"{text}copies of an image, each a host of its own: {some}")
    if reused := population.quality.get("reused"):
        some = shortened_list([f"{name} ({many})" for name, many in reused.items()], MAX_NAMED)
        text = f"{counted(len(reused), 'name')} with many machine ids: {some}: of a scaling group "
        text += "such a name is no machine, and what lies below it (hypervisor, zone) is; or "
        yield QualityCheck(NAMES, True, f"{text}containers have ids of their own")
    yield from _check_hosts_that_hardly_recur(population)
    nameless = int((population.host < 0).sum())
    if nameless:
        share = _count_of_all_text(nameless, population.day.size)
        text = f"{share} name no host: no host is suspected by them"
        yield QualityCheck(NAMES, False, text, "let the collector write the host's name")


def _check_hosts_that_hardly_recur(population: Population) -> Iterator[QualityCheck]:
    """Report host names that hardly ever recur, if no host-hours say how long such hosts live."""
    hosts = population.host[population.host >= 0]
    names = np.unique(hosts).size
    if population.has_exposure or hosts.size < MIN_NAMES or names < MOSTLY_NEW * hosts.size:
        return
    text = f"{names:,} names for {counted(f'{hosts.size:,}', 'crash')}: hardly any comes again; if "
    text += "they are names of pods or containers, no bad host can be told by them"
    advice = "let records name the node: NODE_NAME in the pod, or hostname in host.json"
    yield QualityCheck(NAMES, False, text, advice)


def installed_again_words(host: str, ids: Sequence[str], day: str, serial: str) -> str:
    """Say that a machine was installed again."""
    same = f", the same serial {serial}" if serial else ""
    return f"{host} (machine id {', then '.join(ids)} since {day}{same})"


MIN_HOSTS, MIN_DAYS = 10, 7  # fewer say nothing about how long hosts live
AT_ONCE = 0.2  # of the hosts, that end or begin on one day


def _check_short_lived_hosts(population: Population) -> Iterator[QualityCheck]:
    """Report hosts that live for a day, where as many begin as ended the day before."""
    rows = (population.exposure_hours > 0) & (population.exposure_host >= 0)
    day, host = population.exposure_day[rows], population.exposure_host[rows]
    first, last = first_and_last_days(host, day, len(population.hosts))
    lived = last >= 0
    first, last = first[lived], last[lived]
    if first.size < MIN_HOSTS or int(last.max()) - int(first.min()) < MIN_DAYS:
        return
    if float(np.median(last - first)) < 1:
        text = "half of the hosts have hours on one day alone: no single one of them can be told"
        yield QualityCheck(NAMES, True, f"{text} from chance; versions, models and zones can")
        return
    ends, ended = np.unique(last[last < last.max()], return_counts=True)
    for end, many in zip(ends.tolist(), ended.tolist(), strict=True):
        begun = int(np.count_nonzero(first == end + 1))
        if min(many, begun) >= max(AT_ONCE * first.size, MIN_HOSTS / 2):
            text = f"{counted(many, 'host')} have their last hours on {iso_day(end)} and {begun}"
            text += " others their first on the next day: if renamed, each counts as two, "
            text += "and what it did before is not known of it"
            yield QualityCheck(NAMES, False, text, "give hosts one name in records and host-hours")


def _check_attributes(population: Population) -> Iterator[QualityCheck]:
    differ = population.quality.get("differ", {})
    for name, count in sorted(differ.items()):
        say = "says" if count == 1 else "say"
        text = f"{name}: {counted(count, 'crash')} {say} another value than the host-hours"
        text += " of the day; that of the host-hours is taken"
        attribute = population.attribute(name)
        advice = f"see which of both has an old {name}, and feed that anew"
        if attribute is not None:
            both = attribute.codes_as_reported
            unlike = (attribute.crash >= 0) & (both >= 0) & (attribute.crash != both)
            rows = np.flatnonzero(unlike & (population.host >= 0) & population.has_time)
            if rows.size:
                latest = int(rows[-1])
                host, day = population.hosts[population.host[latest]], int(population.day[latest])
                by_hours, by_core = (attribute.values[c[latest]] for c in (attribute.crash, both))
                advice += f"; the latest: {host} on {iso_day(day)}: the host-hours say {by_hours}, "
                advice += f"the crash {by_core} (core {population.core_keys[latest]})"
        yield QualityCheck(ATTRIBUTES, False, text, advice)
    alike: dict[tuple[int, int, str], list[str]] = {}
    for name, numbers in sorted(population.quality.get("filled", {}).items()):
        alike.setdefault(tuple(numbers), []).append(name)
    for (lacking, host_days, where), names in sorted(alike.items(), reverse=True):
        text = f"{shortened_list(names, MAX_NAMED)}: {counted(f'{lacking:,}', 'crash')}"
        text += f" and {counted(f'{host_days:,}', 'host-day')}" * bool(host_days)
        text += f" without it, nearly all with {where}" if where else " without it"
        text += "; hosts keep it, so it is taken from what the same hosts told at other times"
        is_fine = not where and lacking < MISSING * population.day.size
        yield QualityCheck(ATTRIBUTES, is_fine, text, "let every collector tell it")
    for attribute in population.attributes:
        if attribute.name.startswith(("package ", "lib ", ENV)) or attribute.is_range:
            continue  # a process that did not load or set it lacks nothing
        crashes = _share_without_value(attribute.crash)
        hours = _share_without_value(attribute.exposure) if attribute.has_hours else 0.0
        if max(crashes, hours) < MISSING:
            continue
        text = f"{attribute.name}: unknown for {crashes:.0%} of the crashes"
        if attribute.has_hours:
            text += f" and {hours:.0%} of the host-days"
        if where := mark_of_crashes_without_attribute(population, attribute.crash < 0):
            text += f", those with {where}"
        yield QualityCheck(ATTRIBUTES, False, f"{text}; they are left out of its tests")


def _check_events(population: Population) -> Iterator[QualityCheck]:
    if twice := population.quality.get("twice"):
        hosts, where = ", ".join(twice["hosts"]), ", ".join(twice["shared"])
        if more := twice["of_hosts"] - len(twice["hosts"]):
            hosts += f" and {more} more"
        text = f"{counted(twice['count'], 'record')} more of a death that another record tells of "
        text += "(same boot, pid and fault address, another key: sent twice, or by two collectors)"
        text += f" since {twice['since']}" if twice["since"] else ""
        text += f", of {counted(twice['of_hosts'], 'host')} ({where or hosts}"
        text += f": {hosts})" if where else ")"
        text += ": counted once; more records of these are no more crashes"
        advice = "let one collector send each core, under one key"
        yield QualityCheck(EVENTS, False, text, advice)
    events = find_events(population)
    if (twice := _count_stored_twice(population, events)) >= MIN_TWICE:
        share = _count_of_all_text(twice, population.day.size)
        text = f"{share} have host, second, CPU number and signature "
        text += "of another: one core stored under two keys, as of a copy that was cut; tests count"
        yield QualityCheck(
            EVENTS,
            False,
            f"{text} it once, `top` and `trend` twice",
            "let one collector send each core",
        )
    repeats = int(events.repeated_crashes.sum())
    if repeats:
        many = sum(finding.attr == EVENT for finding in events.findings)
        several = f", {counted(many, 'event')} on several hosts among them" if many else ""
        share = _count_of_all_text(repeats, population.day.size)
        text = f"{share} came right after others of their kind{several}"
        yield QualityCheck(EVENTS, True, f"{text}: counted once")


def _count_stored_twice(population: Population, events: CrashEvents) -> int:
    """Count the crashes that were stored twice; each is a repeat of another one."""
    if population.second is None:
        return 0
    rows = np.union1d(events.repeated, events.stands_for)
    has_both = (population.cpu[rows] >= 0) & (population.host[rows] >= 0)
    rows = rows[has_both & population.has_time[rows]]
    of_core = population.host, population.second, population.cpu, population.signature
    return int((distinct_rows([column[rows] for column in of_core])[2] - 1).sum())


def _share_without_value(codes: Ints) -> float:
    return float((codes < 0).mean()) if codes.size else 0.0


def _count_of_all_text(count: int, size: int) -> str:
    return f"{count:,} of {counted(f'{size:,}', 'crash')}"


def _day_ranges_text(days: Ints) -> str:
    """Return days in words: runs of them from the first to the last."""
    breaks = np.flatnonzero(np.diff(days) > 1)
    starts, ends = [0, *(breaks + 1).tolist()], [*breaks.tolist(), days.size - 1]
    runs = [
        iso_day(int(days[a])) if a == b else f"{iso_day(int(days[a]))} to {iso_day(int(days[b]))}"
        for a, b in zip(starts, ends, strict=True)
    ]
    return shortened_list(runs, MAX_NAMED)

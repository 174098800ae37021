# SPDX-License-Identifier: Apache-2.0
"""Places whose times are shifted by whole hours: clocks that write local time as if it were UTC.

A job that runs at one hour, or an event, comes some hours later there than everywhere else. One of
these is no proof: a job may run by local time, an event may reach one place after another. Two with
the same shift are reported. Jobs that move in UTC when clocks change keep their local hour: they
are compared as if no clock had changed, so that what hosts got in that month is not accused.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gdb_epi.fleet.population.local_hours import (
    are_of_few_hours,
    find_local_hours,
    sums_of_windows,
)
from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.screen.programs import crashes_of_same_programs, is_process_attribute
from gdb_epi.fleet.statistics.arrays import (
    Floats,
    Ints,
    positions_in,
    row_blocks,
    widen_codes,
)
from gdb_epi.fleet.store.day_numbers import SECONDS_A_DAY
from gdb_epi.typing_lite import NamedTuple

DAY = int(SECONDS_A_DAY)
MIN_TIMES = 3  # crashes of a signature, in the place and elsewhere
HOURS = 3  # of a window, within which a signature comes at one time of the day
MOSTLY = 0.8  # of its crashes
BIN = 600  # seconds
BINS = DAY // BIN
PAIRS = 4_096  # of a signature and a value that are examined at a time
MAX_OFF = 0.25  # hours from a whole number of them
MIN_STORIES = 2  # jobs or events
MAX_VALUES = 200  # of an attribute: with more they name hosts


class ShiftedPlace(NamedTuple):
    """A value of an attribute, and by how many hours some signatures are shifted there."""

    attr: str
    value: str
    hours: int
    stories: int  # jobs or events that are shifted so
    crashes: int


def shifted_places(population: Population) -> list[ShiftedPlace]:
    """Return the places where signatures of one hour come at another one, each once."""
    if population.second is None:
        return []
    return population.once(_shifted_places, population, _as_if_no_clock_changed(population))


def _as_if_no_clock_changed(population: Population) -> Ints:
    """Return the seconds of the crashes, those of programs that run by local time moved back."""
    second = population.second
    assert second is not None
    local = find_local_hours(population)
    if local is None:
        return second
    moved = np.isin(population.signature, local.signatures)
    same = crashes_of_same_programs(population, moved)
    moved = (moved if same is None else same) & (second >= local.at)
    return np.where(moved, second - local.by, second)


def _shifted_places(population: Population, second: Ints) -> list[ShiftedPlace]:
    # The crashes of signatures that may have one hour here and another one elsewhere. Most of
    # their crashes then lie in two windows, one of which has at least half of them. Other
    # signatures are left out before any place is examined.
    has_time = (second >= 0) & (population.signature >= 0)
    # One of the two has half of its crashes in them.
    is_asked = are_of_few_hours(population, second, has_time, (2 * MIN_TIMES, MOSTLY / 2))
    crashes = np.flatnonzero(has_time & is_asked)
    places = [
        place
        for attribute in population.attributes
        if not is_process_attribute(attribute.name) and 1 < len(attribute.values) <= MAX_VALUES
        for place in _places_of_attribute(population, attribute, crashes, second[crashes])
    ]
    places.sort(key=lambda place: (-place.stories, -place.crashes))
    by_shift: dict[int, ShiftedPlace] = {}
    for place in places:  # a rack of a site is shifted as its site is
        by_shift.setdefault(place.hours, place)
    return list(by_shift.values())


def _places_of_attribute(
    population: Population, attribute: Attribute, crashes: Ints, second: Ints
) -> Iterator[ShiftedPlace]:
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
        apart = (_middles(here) - _middles(elsewhere) + 12) % 24 - 12
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
            yield ShiftedPlace(
                attribute.name, attribute.values[value], hours, len(each), sum(each.values())
            )


def _count_by_time_of_day(codes: Ints, bins: Ints, chosen: Ints) -> Ints:
    """Return how many crashes of each of some codes (a row) come at each time of the day."""
    row = positions_in(chosen, codes)
    cell = row[row >= 0] * BINS + bins[row >= 0]
    return np.bincount(cell, minlength=chosen.size * BINS).reshape(-1, BINS)


def _middles(counts: Ints) -> Floats:
    """Return the hour around which nearly all of each row lies; NaN where it is spread out."""
    width = HOURS * 3600 // BIN
    near = sums_of_windows(counts, width)
    best = near.argmax(axis=1)[:, None]
    steps = np.arange(width)
    window = np.take_along_axis(counts, (best + steps) % BINS, axis=1)
    middle = (best[:, 0] + (window * (steps + 0.5)).sum(axis=1) / window.sum(axis=1)) * BIN / 3600
    return np.where(window.sum(axis=1) >= MOSTLY * counts.sum(axis=1), middle, np.nan)

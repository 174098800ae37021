# SPDX-License-Identifier: Apache-2.0
"""Places whose times are shifted by whole hours: clocks that write local time as if it were UTC.

A job of one hour, or an event of one moment, comes some hours later there than everywhere else.
One of these is no proof: a job may run by local time, an event come to one place after another.
Two of one shift are told.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.screen.programs import is_of_process
from gdb_epi.fleet.statistics.arrays import Floats, Ints
from gdb_epi.typing_lite import NamedTuple

MIN_TIMES = 3  # crashes of a signature, in the place and elsewhere
WIDTH = 1.5  # hours around the middle of a signature's times
MOSTLY = 0.8  # of them within that
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
    """Return the places whose signatures of one hour come at another one, each once."""
    if population.second is None:
        return []
    return population.once(_shifted_places, population, population.second)


def _shifted_places(population: Population, second: Ints) -> list[ShiftedPlace]:
    known = np.flatnonzero((second >= 0) & (population.signature >= 0))
    groups = []
    sizes = np.bincount(population.signature[known], minlength=1)
    order = known[np.argsort(population.signature[known], kind="stable")]
    ends = np.cumsum(sizes)
    for code in np.flatnonzero(sizes >= 2 * MIN_TIMES).tolist():
        groups.append(order[ends[code] - sizes[code] : ends[code]])
    places = [
        place
        for attribute in population.attributes
        if not is_of_process(attribute.name) and 1 < len(attribute.values) <= MAX_VALUES
        for place in _of_attribute(population, attribute, groups, second)
    ]
    places.sort(key=lambda place: (-place.stories, -place.crashes))
    by_shift: dict[int, ShiftedPlace] = {}
    for place in places:  # a rack of a site is shifted as its site is
        by_shift.setdefault(place.hours, place)
    return list(by_shift.values())


def _of_attribute(
    population: Population, attribute: Attribute, groups: list[Ints], second: Ints
) -> Iterator[ShiftedPlace]:
    # Of each value and shift the crashes; what came on one day alone is one event.
    shifts: dict[tuple[int, int], dict[tuple[str, int], int]] = {}
    for number, crashes in enumerate(groups):
        codes, hours = attribute.crash[crashes], second[crashes] % 86_400 / 3600.0
        counts = np.bincount(codes[codes >= 0], minlength=len(attribute.values))
        for value in np.flatnonzero(counts >= MIN_TIMES).tolist():
            here, others = (_middle(hours[which]) for which in (codes == value, codes != value))
            if here is None or others is None:
                continue
            shift = round((here - others + 12) % 24 - 12)
            if shift:
                days = np.unique(population.day[crashes[codes == value]])
                about = ("day", int(days[0])) if days.size == 1 else ("signature", number)
                by_event = shifts.setdefault((value, shift), {})
                by_event[about] = by_event.get(about, 0) + int(counts[value])
    for (value, shift), each in shifts.items():
        if len(each) >= MIN_STORIES:
            crashes_there = sum(each.values())
            name = attribute.values[value]
            yield ShiftedPlace(attribute.name, name, shift, len(each), crashes_there)


def _middle(hours: Floats) -> float | None:
    """Return the hour around which nearly all of some times lie; None where they are spread."""
    if hours.size < MIN_TIMES:
        return None
    away = np.abs((hours[:, None] - hours[None, :200] + 12) % 24 - 12)
    near = (away <= WIDTH).mean(axis=0)
    best = int(near.argmax())
    if near[best] < MOSTLY:
        return None
    middle = float(hours[:200][best])
    close = (hours - middle + 12) % 24 - 12
    return middle + float(np.median(close[np.abs(close) <= WIDTH]))

# SPDX-License-Identifier: Apache-2.0
"""Values that crashes without a mark have in common, which chance explains as well.

No mark was found for these crashes. That does not prove that there is none: ten crashes in a row
have a version that three quarters of the fleet run once in twenty times. The values that all of
them share are named as possible, with their probability, and so is what the data lacks.
"""

from __future__ import annotations

import numpy as np

from gdb_epi.fleet.population.attribute_combinations import find_combinations, sum_by_value
from gdb_epi.fleet.population.coverage import drop_host_hours, has_crashes_without_hours
from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.screen.design_effect import expected_shares
from gdb_epi.fleet.screen.finding import HOST_HOURS, MAX_Q, MIN_N
from gdb_epi.fleet.screen.programs import (
    MIN_OTHERS,
    crashes_of_same_programs,
    is_compared_by_program,
)
from gdb_epi.fleet.screen.screening import FAMILIES
from gdb_epi.fleet.statistics.arrays import Bools, Floats
from gdb_epi.fleet.statistics.hypothesis_tests import binomial_tail, hypergeometric_tail
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted, shortened_list

ALL_OF_THEM = 0.9  # of the crashes with a known value: a few may have another cause
COMMON = 0.9  # of the host-hours or crashes: a value of so many says nothing
MIN_KNOWN = 3  # crashes whose value is known
LACKING = 0.2  # share of the crashes without a value from which it is reported
MAX_POSSIBLE = 3
MAX_NAMED = 8  # attributes of one line
MAX_MORE = 200  # crashes


class ValueInCommon(NamedTuple):
    """A value that these crashes have in common, and that chance explains as well."""

    attr: str
    value: str
    crashes: int
    known: int  # crashes whose value is known
    share: float  # of the host-hours, or of all crashes without hours
    by_hours: bool
    chance: float  # that as many have it by chance
    more: int | None  # crashes like these that would settle it; None: beyond MAX_MORE

    @property
    def name(self) -> str:
        """The value, written as a mark is."""
        return f"{self.attr}={self.value}"

    def words(self) -> str:
        """Say it, without accusing."""
        return f"{self.name}: {self.numbers_sentence()}"

    def numbers_sentence(self) -> str:
        """Say how many have it, how often chance gives as many, and what would settle it."""
        of_what = "host-hours" if self.by_hours else "crashes of all kinds"
        more = f"about {counted(self.more, 'more crash')}" if self.more else "hundreds more"
        return (
            f"{self.crashes} of {self.known} have it, as have "
            f"{self.share:.0%} of the {of_what}; chance alone gives as much in "
            f"{max(self.chance, 0.01):.0%} of cases; {more} like these would tell"
        )


class ValuesInCommon(NamedTuple):
    """The possible marks of some crashes, and what the data lacks."""

    possible: tuple[ValueInCommon, ...]  # the least likely by chance first
    lacking: tuple[tuple[str, int], ...]  # attributes, and how many of the crashes have no value
    without_hours: int  # crashes on days or hosts without host-hours
    crashes: int
    attributes: tuple[str, ...]  # those with enough known values to be tested
    usual: tuple[str, ...] = ()  # marks that they share with nearly all that they are held against

    def lines(self) -> list[str]:
        """Say what cannot be told, and what would settle it."""
        if self.crashes < MIN_KNOWN:
            return [f"cannot be told: {counted(self.crashes, 'crash')} are too few"]
        lines = [f"cannot be told from chance yet: {mark.words()}" for mark in self.possible]
        if not (self.attributes or self.usual):
            lines.append("cannot be told: too little is known of the hosts of these crashes")
        elif self.attributes and not self.possible:
            lines.append(
                "cannot be told: these crashes share no value of "
                f"{shortened_list(self.attributes, MAX_NAMED)}: what they have in common is not "
                "among these, or they have several causes"
            )
        if self.usual:
            lines.append(
                f"nearly all have {shortened_list(self.usual, MAX_NAMED)}, as have nearly all that "
                "they are compared with: that tells nothing of the cause"
            )
        if self.lacking:
            some = [
                f"{name} (of {'all' if count == self.crashes else count})"
                for name, count in self.lacking
            ]
            names = shortened_list(some, MAX_NAMED)
            lines.append(f"missing of the {counted(self.crashes, 'crash')} that count: {names}")
        if self.without_hours:
            lines.append(
                f"missing: host-hours of the days or hosts of {self.without_hours} of these "
                f"{counted(self.crashes, 'crash')}: gdb-epi fleet check names them"
            )
        return lines

    def as_json(self) -> dict[str, object]:
        """Return it as a JSON object, with the sentences."""
        plain = {**self._asdict(), "lacking": dict(self.lacking), "words": self.lines()}
        return {**plain, "possible": [mark._asdict() for mark in self.possible]}


def find_values_in_common(population: Population, free: Bools, members: Bools) -> ValuesInCommon:
    """Return the possible marks of `members`; `free` are the crashes that hosts do not explain."""
    uncovered = members & ~population.has_host_hours if population.has_exposure else members & False
    families = FAMILIES if has_crashes_without_hours(population) else 1
    asked = drop_host_hours(population) if families > 1 else population
    size = int(members.sum())
    lacking, enough = [], []
    possible, usual = list[ValueInCommon](), list[ValueInCommon]()
    here, whole = (
        find_combinations(asked).count_crashes_by_combination(some)
        for some in (members, free | members)
    )
    varied = [attribute for attribute in asked.attributes if len(attribute.values) > 1]
    same_programs = crashes_of_same_programs(asked, members)
    beside = whole
    if same_programs is not None:
        beside = find_combinations(asked).count_crashes_by_combination(
            (free | members) & same_programs
        )
    for attribute in varied:
        # A version of a program is compared with the program's other crashes.
        controls = beside if attribute.is_of_process else whole
        mark, with_value = _value_in_common(asked, attribute, here, controls, families)
        is_usual = mark is not None and (
            mark.share > COMMON or _is_explained_by_program(asked, attribute, mark, beside - here)
        )
        if mark is not None:
            (usual if is_usual else possible).append(mark)
        if with_value >= MIN_KNOWN and not is_usual:
            enough.append(attribute.name)
        if size - with_value >= max(LACKING * size, 1):
            lacking.append((attribute.name, size - with_value))
    possible.sort(key=lambda mark: (mark.chance, mark.attr))
    return ValuesInCommon(
        tuple(possible[:MAX_POSSIBLE]), tuple(lacking), int(uncovered.sum()), size, tuple(enough),
        tuple(mark.name for mark in usual),
    )  # fmt: skip


def _is_explained_by_program(
    population: Population, attribute: Attribute, mark: ValueInCommon, others: Floats
) -> bool:
    """Whether nearly all other crashes of the same programs have a value: they run there alone."""
    codes = find_combinations(population).codes(attribute)
    counts = sum_by_value(codes, others, len(attribute.values))
    have, with_value = counts[attribute.values.index(mark.value)], counts.sum()
    return bool(with_value >= MIN_OTHERS and have > COMMON * with_value)


def _value_in_common(
    population: Population, attribute: Attribute, here: Floats, whole: Floats, families: int
) -> tuple[ValueInCommon | None, int]:
    """Return the value that nearly all have (None: there is none), and of how many it is known.

    `here` and `whole` count the crashes of each combination of attributes: those in question, and
    all of them.
    """
    shares, source = expected_shares(population, attribute)
    codes = find_combinations(population).codes(attribute)
    counts, everything = (sum_by_value(codes, some, shares.size) for some in (here, whole))
    if is_compared_by_program(population, attribute.name):
        shares = everything / max(float(everything.sum()), 1.0)
    with_value = int(counts.sum())
    value = int(counts.argmax())
    of_nearly_all = with_value >= MIN_KNOWN and counts[value] >= ALL_OF_THEM * with_value
    if not of_nearly_all or shares[value] <= 0:
        return None, with_value
    sizes = np.arange(with_value, with_value + MAX_MORE + 1, dtype=float)
    more = sizes - with_value
    have = np.floor(counts[value] / with_value * sizes)
    p = np.maximum(
        binomial_tail(have, sizes, np.full(sizes.size, shares[value])),
        hypergeometric_tail(
            have, everything.sum() + more, everything[value] + have - counts[value], sizes
        ),
    )
    tests = int((shares > 0).sum()) * families
    enough = np.flatnonzero((p * tests <= MAX_Q) & (sizes >= MIN_N) & (more > 0))
    mark = ValueInCommon(
        attribute.name,
        attribute.values[value],
        int(counts[value]),
        with_value,
        float(shares[value]),
        source == HOST_HOURS,
        min(1.0, float(p[0]) * tests),
        int(more[enough[0]]) if enough.size else None,
    )
    return mark, with_value

# SPDX-License-Identifier: Apache-2.0
"""Subpopulations of a signature: crashes that look alike in facts of the cores themselves.

A misaligned stack pointer or a return to null says how a process died and not why: a subpopulation
is not a cause. It points to one when a host or an attribute goes with it; neither is used to find
subpopulations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.records.facts import CORE_SIZE, CPU_TIME, EXECUTABLE
from gdb_epi.fleet.screen.finding import MAX_Q, MIN_N
from gdb_epi.fleet.statistics.arrays import (
    ABSENT,
    Bools,
    Ints,
    absent_column,
    count_pairs,
    rows_under,
)
from gdb_epi.fleet.statistics.hypothesis_tests import hypergeometric_tail
from gdb_epi.fleet.statistics.latent_classes import MIN_CLASS, find_classes
from gdb_epi.typing_lite import NamedTuple

MAX_LEVELS = 8  # values of a fact that are distinguished; all others count as one
MAX_VALUES = 64  # of a fact: with more it names single crashes
MAX_FACTS = 40
MAX_OTHERS = 20_000  # crashes of other signatures that are examined
MIN_KNOWN = 0.5  # of the crashes must have a fact
SAME = 0.95  # of the other crashes in which one fact follows from another: one measurement
MIN_TOLD = 0.5  # difference of shares from which a fact marks a subpopulation
MAX_TOLD = 3  # facts that name a subpopulation
FUNCTION = "function_code"  # the fact that says which nameless function failed (SPEC.md N68)
OTHER_FUNCTION = "another function, or not known which"


class Subpopulation(NamedTuple):
    """Crashes that look alike, and what marks them among the others of the signature."""

    mark: str  # fact=value and fact=value
    members: Bools


class FactValueDifference(NamedTuple):
    """A value of a fact: its share here and in the other crashes of the signature."""

    fact: str
    value: str
    here: int
    of_here: int
    there: int
    of_there: int

    @property
    def share_difference(self) -> float:
        """How much larger the share is here, 0..1."""
        return self.here / max(self.of_here, 1) - self.there / max(self.of_there, 1)

    def words(self) -> str:
        """Return it with its numbers."""
        rest = f", {self.there} of {self.of_there} elsewhere" if self.of_there else ""
        return f"{self.fact}={self.value} ({self.here} of {self.of_here}{rest})"


def fact_attributes(population: Population) -> tuple[Attribute, ...]:
    """Return the facts of the cores, the flags among them."""
    none = absent_column(population.exposure_day.size)
    flags = (("bitflip", population.bitflip), ("lock_inherited", population.lock_inherited))
    attributes = tuple(Attribute(n, ["false", "true"], f.view(np.int8), none) for n, f in flags)
    # How old a process was, and what file it was started from, are no looks of its death.
    no_looks = (CPU_TIME, CORE_SIZE, EXECUTABLE)
    looks = (fact for fact in population.facts if fact.name not in no_looks)
    return (*looks, *attributes)


def find_subpopulations(population: Population, members: Bools) -> list[Subpopulation]:
    """Return the subpopulations of some crashes, the largest first; none where they are all alike.

    A crash whose facts fit two of them nearly equally well is in neither.
    """
    rows = np.flatnonzero(members)
    functions = _split_by_function(population, members, rows)
    if functions:
        return functions
    varied = list(_varied_facts(fact_attributes(population), rows))
    others = _sample_of_others(members)
    kept = _without_derived_facts(varied, others)[:MAX_FACTS]
    classes_of_rows = find_classes([_number_frequent_values(fact.crash[rows]) for fact in kept])
    of_row, sure = classes_of_rows.of_row, classes_of_rows.sure
    if classes_of_rows.number < 2:
        chosen = _divide_by_fact(population, kept, rows, others)
        if chosen is None:
            return []
        of_row = chosen
    parts = []
    counts = np.bincount(of_row[sure])
    for number in np.argsort(-counts)[: np.count_nonzero(counts)]:
        mine = np.zeros(members.size, dtype=bool)
        mine[rows[sure & (of_row == number)]] = True
        parts.append(Subpopulation(distinguishing_mark(population, mine, members & ~mine), mine))
    return parts


def _split_by_function(population: Population, members: Bools, rows: Ints) -> list[Subpopulation]:
    """Return a subpopulation per unnamed function that crashed often enough; none for a single one.

    No statistics: two functions are two places, whatever else the crashes share.
    """
    fact = next((fact for fact in population.facts if fact.name == FUNCTION), None)
    if fact is None:
        return []
    codes = fact.crash[rows]
    counts = np.bincount(codes[codes >= 0])
    often = [int(code) for code in np.argsort(-counts, kind="stable") if counts[code] >= MIN_N]
    if len(often) < 2:
        return []
    parts = []
    rest = members.copy()
    for code in often[:MAX_LEVELS]:
        mine = members & (fact.crash == code)
        parts.append(Subpopulation(f"{FUNCTION}={fact.values[code]}", mine))
        rest &= ~mine
    return [*parts, Subpopulation(OTHER_FUNCTION, rest)] if rest.any() else parts


def distinguishing_mark(population: Population, mine: Bools, others: Bools) -> str:
    """Return the facts that mark some crashes, in words short enough to name them."""
    differences = distinguishing_facts(population, mine, others)
    return " and ".join(f"{t.fact}={t.value}" for t in differences) or "facts in other combinations"


def distinguishing_facts(
    population: Population, mine: Bools, others: Bools, columns: Sequence[Attribute] | None = None
) -> list[FactValueDifference]:
    """Return the facts whose values differ most between two sets of crashes, at most MAX_TOLD.

    With `columns`, attributes of the fleet are compared instead of facts of the cores.
    """
    differences = _fact_differences(
        mine, others, fact_attributes(population) if columns is None else columns
    )
    # "false" says less than a fact that is present.
    return sorted(differences, key=lambda t: (t.value == "false", -t.share_difference, t.fact))[
        :MAX_TOLD
    ]


def _fact_differences(
    mine: Bools, others: Bools, columns: Sequence[Attribute]
) -> list[FactValueDifference]:
    differences = []
    rows = [np.flatnonzero(mask) for mask in (mine, others)]
    for fact in columns:
        here, there = (codes[codes >= 0] for codes in (fact.crash[row] for row in rows))
        if here.size < MIN_CLASS or not there.size or len(fact.values) > MAX_VALUES:
            continue
        size = len(fact.values)
        counts = np.bincount(here, minlength=size), np.bincount(there, minlength=size)
        value = int(np.argmax(counts[0] / here.size - counts[1] / there.size))
        numbers = int(counts[0][value]), here.size, int(counts[1][value]), there.size
        difference = FactValueDifference(fact.name, fact.values[value], *numbers)
        if difference.share_difference >= MIN_TOLD:
            differences.append(difference)
    return differences


def attributes_in_mark(population: Population, same: Bools, mine: Bools) -> frozenset[str]:
    """Return the attributes that the facts of a subpopulation (`mine` of `same`) stand for.

    A fact that tells an attribute in crashes of other signatures as well (or follows from it) is
    that attribute under another name: crashes chosen by the one all have the other, whatever the
    cause, and it is no evidence for it.
    """
    facts = {fact.name: fact for fact in fact_attributes(population)}
    differences = _fact_differences(mine, same & ~mine, tuple(facts.values()))
    others = _sample_of_others(same)
    return frozenset(
        attribute.name
        for attribute in population.attributes
        if any(_is_fact_tied_to_attribute(facts[d.fact], attribute, others) for d in differences)
    )


def _sample_of_others(members: Bools) -> Ints:
    others = rows_under(~members)
    return np.asarray(others[:: others.size // MAX_OTHERS + 1])


def _is_fact_tied_to_attribute(fact: Attribute, attribute: Attribute, others: Ints) -> bool:
    codes = fact.crash[others], attribute.crash[others]
    return _is_determined_by(codes[1], codes[0]) or _is_determined_by(codes[0], codes[1])


def _varied_facts(facts: Sequence[Attribute], rows: Ints) -> Iterator[Attribute]:
    """Yield the facts that most of these crashes have, and that are not the same in all."""
    for fact in facts:
        codes = fact.crash[rows]
        present = codes[codes >= 0]
        if len(fact.values) > MAX_VALUES or present.size < MIN_KNOWN * rows.size:
            continue
        counts = np.sort(np.bincount(present))
        if counts.size > 1 and present.size - counts[-1] >= MIN_CLASS:
            yield fact


def _without_derived_facts(facts: Sequence[Attribute], others: Ints) -> list[Attribute]:
    """Leave out facts that follow from another fact in crashes of other signatures as well.

    Two names of one measurement would look like two facts that agree.
    """
    kept: list[Attribute] = []
    for fact in sorted(facts, key=lambda f: (-len(f.values), f.name)):
        if not any(_is_determined_by(fact.crash[others], k.crash[others]) for k in kept):
            kept.append(fact)
    return kept


def _is_determined_by(codes: Ints, given: Ints) -> bool:
    """Whether `codes` can be told from `given`, although they vary."""
    both_known = (codes >= 0) & (given >= 0)
    if int(both_known.sum()) < MIN_CLASS:
        return False
    first, second, counts = count_pairs(given[both_known], codes[both_known])
    # A value that only one crash has tells nothing of others.
    again = np.bincount(first, weights=counts)[first] > 1
    first, second, counts = first[again], second[again], counts[again]
    total = counts.sum()
    if total < MIN_CLASS:
        return False
    most = np.zeros(int(first.max()) + 1)
    np.maximum.at(most, first, counts)
    alone = np.bincount(second, weights=counts).max() / total
    return bool(alone < SAME and most.sum() / total >= SAME)


def _number_frequent_values(codes: Ints) -> Ints:
    """Number the values that occur, the most frequent first; all rare ones share a number."""
    has_value = codes >= 0
    counts = np.bincount(codes[has_value])
    order = np.argsort(-counts, kind="stable")
    level = np.full(counts.size, MAX_LEVELS - 1, dtype=np.int64)
    level[order[: MAX_LEVELS - 1]] = np.arange(min(order.size, MAX_LEVELS - 1))
    levels = np.full(codes.size, ABSENT, dtype=np.int64)
    levels[has_value] = level[codes[has_value]]
    return levels


def _divide_by_fact(
    population: Population, facts: Sequence[Attribute], rows: Ints, others: Ints
) -> Ints | None:
    """Divide the crashes by the value of a fact that is most strongly tied to an attribute.

    Fisher's exact test in the crashes of the signature alone, Bonferroni over all pairs of values.
    What is tied in all crashes (`others` are of other signatures) says nothing of these.
    """
    pairs = [(f, a) for f in facts for a in population.attributes]
    best: tuple[float, Ints] | None = None
    tests = 0
    for fact, attribute in pairs:
        f, a = fact.crash[rows], attribute.crash[rows]
        both_known = (f >= 0) & (a >= 0)
        if int(both_known.sum()) < 2 * MIN_N or len(attribute.values) > MAX_VALUES:
            continue
        first, second, counts = count_pairs(f[both_known], a[both_known])
        of_fact, of_value = np.bincount(f[both_known]), np.bincount(a[both_known])
        keep = (counts >= MIN_N) & (of_fact[first] <= int(both_known.sum()) - MIN_N)
        tests += int((of_fact > 0).sum()) * int((of_value > 0).sum())
        if not keep.any():
            continue
        n = [x[keep].astype(float) for x in (counts, of_value[second], of_fact[first])]
        p = hypergeometric_tail(n[0], np.full(n[0].size, float(both_known.sum())), n[1], n[2])
        least = int(np.argmin(p))
        if (best is None or p[least] < best[0]) and not _is_fact_tied_to_attribute(
            fact, attribute, others
        ):
            best = float(p[least]), (f == first[keep][least]).astype(np.int64)
    return best[1] if best is not None and best[0] * tests <= MAX_Q else None

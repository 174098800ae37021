# SPDX-License-Identifier: Apache-2.0
"""The distinct combinations of attribute values: some thousand, where crashes are a million.

Hosts share versions and models, so that a question about attributes counts each combination once
and then works on those counts. Sums of crashes are whole numbers: no order of adding changes them.
Pairs of two columns are counted in the same way: how many crashes of each host a CPU has.
"""

from __future__ import annotations

import numpy as np

from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.statistics.arrays import (
    Bools,
    Floats,
    Ints,
    count_codes,
    count_pairs,
    distinct_pairs,
    few_distinct_rows,
    narrow_codes,
    sum_by_code,
)
from gdb_epi.typing_lite import NamedTuple


class AttributeCombinations(NamedTuple):
    """The combinations that the crashes of a population have."""

    of_crash: Ints  # the number of each crash's combination
    where: Ints | None  # a crash of each combination; None: each crash is counted as one of its own

    def codes(self, attribute: Attribute) -> Ints:
        """Return the value that each combination has of an attribute of the population."""
        return attribute.crash if self.where is None else np.asarray(attribute.crash[self.where])

    def count_crashes_by_combination(self, crashes: Ints | Bools) -> Floats:
        """Return how many of some crashes (a mask, or where they are) have each combination."""
        size = self.of_crash.size if self.where is None else self.where.size
        if crashes.dtype == bool:
            return count_codes(self.of_crash, size, np.asarray(crashes, bool)).astype(float)
        return np.bincount(self.of_crash[crashes], minlength=size).astype(float)

    def occurring_combinations_and_counts(self, crashes: Ints) -> tuple[Ints, Floats]:
        """Return which combinations some crashes have (where they are), and how many each."""
        which, counts = np.unique(self.of_crash[crashes], return_counts=True)
        return which, counts.astype(float)

    def count_by_signature_and_combination(
        self, signature: Ints, some: Bools
    ) -> tuple[Ints, Ints, Ints]:
        """Return the pairs of a signature and a combination of crashes under a mask, how many."""
        if self.where is None:
            crashes = np.flatnonzero(some)
            return signature[crashes], crashes, np.ones(crashes.size, dtype=np.int64)
        return count_pairs(signature, self.of_crash, among=some)


def find_combinations(population: Population) -> AttributeCombinations:
    """Return the combinations of all attributes of a population."""
    columns = [attribute.crash for attribute in population.attributes]
    return population.computed_once(_combinations_of_columns, population.day, *columns)


def crashes_by_combination(population: Population) -> Floats:
    """Return how many crashes have each combination."""
    return population.computed_once(_count_all_by_combination, find_combinations(population))


def with_host_by_combination(population: Population, among: Bools | None = None) -> Floats:
    """Return how many crashes of known hosts (some of them, or all) have each combination."""
    if among is None:
        return population.computed_once(
            _count_of_hosts_by_combination, population.host, find_combinations(population)
        )
    return find_combinations(population).count_crashes_by_combination(
        among & (population.host >= 0)
    )


def _count_of_hosts_by_combination(host: Ints, combinations: AttributeCombinations) -> Floats:
    return combinations.count_crashes_by_combination(host >= 0)


def _count_all_by_combination(combinations: AttributeCombinations) -> Floats:
    if combinations.where is None:
        return np.ones(combinations.of_crash.size)
    return np.bincount(combinations.of_crash, minlength=combinations.where.size).astype(float)


def _combinations_of_columns(day: Ints, *columns: Ints) -> AttributeCombinations:
    # Those with the most values first: where most combinations occur once (attributes of jobs, not
    # of hosts) they show it soon, and to find each of them costs more than it saves.
    ordered = sorted(columns, key=lambda column: -int(column.max(initial=0)))
    # Without attributes all crashes have one combination, the empty one.
    rows = few_distinct_rows(ordered or (day * 0,), max(day.size // 2, 1))
    if rows is None:
        return AttributeCombinations(np.arange(day.size, dtype=np.int32), None)
    return AttributeCombinations(narrow_codes(rows[1]), rows[0])


def sum_by_value(codes: Ints, counts: Floats, size: int) -> Floats:
    """Return the crashes of each value, given the value and the crashes of each combination."""
    has_value = codes >= 0
    if not has_value.all():
        codes, counts = codes[has_value], counts[has_value]
    return sum_by_code(codes, counts, size)


def count_known_pairs(first: Ints, second: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the distinct pairs of two columns where both are known (0 and up), and their counts.

    The columns are those of a population, so that its memo can keep the answer: in 32 bits, as ten
    million crashes have millions of pairs.
    """
    pairs = count_pairs(first, second, among=(first >= 0) & (second >= 0))
    first, second, counts = (narrow_codes(column, np.int32) for column in pairs)
    return first, second, counts


def count_hosts_of_signatures(signature: Ints, host: Ints, size: int) -> Ints:
    """Return how many hosts have each of so many signatures, given the columns of a population."""
    among = (signature >= 0) & (host >= 0)
    return np.bincount(distinct_pairs(signature, host, among)[0], minlength=size)

# SPDX-License-Identifier: Apache-2.0
"""How far signatures and the values of an attribute depend on each other throughout.

Where racks run different services, most signatures prefer some racks, and no rack is to blame. A
single preference is then discounted by how much all of them scatter beyond chance (genomic control:
Devlin and Roeder 1999). The median is taken, so that a few real causes do not change it.
"""

from __future__ import annotations

import numpy as np

from gdb_epi.fleet.population.combinations import Combinations, find_combinations
from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.statistics.arrays import Floats, Ints, count_pairs, sum_by_code

MIN_SIGNATURES = 8
MIN_CRASHES = 8  # of a signature


def attribute_inflation(population: Population, codes: Ints, share: Floats) -> float:
    """Return the inflation (1 and up) of an attribute without host-hours.

    `codes` are the values of each combination of the population's attributes, `share` the expected
    share of each value.
    """
    combinations = find_combinations(population)
    signature, combination, counts = population.once(_cells, population.signature, combinations)
    value = codes[combination]
    has_value = value >= 0
    if not has_value.all():
        signature, value, counts = signature[has_value], value[has_value], counts[has_value]
    weights = None if combinations.where is None else counts
    return median_inflation(*count_pairs(signature, value, weights), share)


def median_inflation(signature: Ints, value: Ints, count: Ints, share: Floats) -> float:
    """Return the median inflation of the cells of signatures and values, given their shares."""
    if not signature.size:
        return 1.0
    totals = sum_by_code(signature, count, 0)
    weights = count.astype(float) ** 2 / np.maximum(share[value], 1e-12)
    squares = sum_by_code(signature, weights, totals.size)
    many = totals >= MIN_CRASHES
    free = int((share > 0).sum()) - 1
    if int(many.sum()) < MIN_SIGNATURES or free < 1:
        return 1.0
    chi = squares[many] / totals[many] - totals[many]
    return max(1.0, float(np.median(chi)) / free)


def _cells(signature: Ints, combinations: Combinations) -> tuple[Ints, Ints, Ints]:
    return combinations.with_signatures(signature, signature >= 0)

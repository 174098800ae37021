# SPDX-License-Identifier: Apache-2.0
"""The distinct pairs of two columns of a population: how many crashes of each host a CPU has."""

from __future__ import annotations

from gdb_epi.fleet import statistics as st
from gdb_epi.fleet.population import Ints


def pairs_of(one: Ints, two: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the distinct pairs of two columns where both are known (0 and up), and their counts.

    The columns are those of a population, so that its memo can keep the answer.
    """
    known = (one >= 0) & (two >= 0)
    return st.cells(one, two) if known.all() else st.cells(one[known], two[known])

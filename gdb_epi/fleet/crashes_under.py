# SPDX-License-Identifier: Apache-2.0
"""The crashes of signatures that earlier findings leave unexplained, counted when needed."""

from __future__ import annotations

import numpy as np

from gdb_epi.fleet import statistics as st
from gdb_epi.fleet.combinations import combinations_of
from gdb_epi.fleet.population import Bools, Floats, Ints, Population
from gdb_epi.fleet.unlike_hosts import UnlikeHosts


class CrashesUnder:
    """The crashes with a signature under a mask, counted when they are needed."""

    def __init__(self, population: Population, free: Bools) -> None:
        self._population, self._free = population, free
        self.hosts = UnlikeHosts(population)
        self._all: Floats | None = None
        self._of: dict[int, Ints] = {}
        self._cells: tuple[Ints, Ints, Ints] | None = None

    def all(self) -> Floats:
        """Return how many there are of each combination of the attributes."""
        if self._all is None:
            mask = self._free & (self._population.signature >= 0)
            self._all = combinations_of(self._population).tally(mask)
        return self._all

    def of(self, signature: int) -> Ints:
        """Return where in the columns the crashes of a signature are."""
        if signature not in self._of:
            mask = self._free & (self._population.signature == signature)
            self._of[signature] = np.flatnonzero(mask)
        return self._of[signature]

    def cells(self) -> tuple[Ints, Ints, Ints]:
        """Return the pairs of a signature and a combination that occur, and how often they do."""
        if self._cells is None:
            chosen = np.flatnonzero(self._free & (self._population.signature >= 0))
            of_crash = combinations_of(self._population).of_crash
            self._cells = st.cells(self._population.signature[chosen], of_crash[chosen])
        return self._cells


def crashes_of(population: Population, free: Bools, name: str) -> Ints:
    """Return where in the columns the crashes of a signature are, of those under a mask."""
    return np.flatnonzero(free & (population.signature == population.signatures.index(name)))

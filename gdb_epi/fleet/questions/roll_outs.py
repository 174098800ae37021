# SPDX-License-Identifier: Apache-2.0
"""Values that came into use, and those that bring a part of some crashes each.

A value with which only a part of the crashes came looks refuted, as too many came without it. Where
the crashes prefer it beside every other value, and more than one is such, there are two causes.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.screen.aliases import drop_aliases
from gdb_epi.fleet.screen.attributes import signature_findings
from gdb_epi.fleet.store.day_numbers import iso_day
from gdb_epi.typing_lite import NamedTuple

SURE_P = 0.001  # that as many crashes are where it was, on the days of its roll-out


class RollOut(NamedTuple):
    """A value that came into use; days are since 1970-01-01, on `half` half of the hours had it."""

    attr: str
    value: str
    first: int
    half: int | None
    fit: float  # log-likelihood of a rate that follows its share, above that of a constant rate
    with_it: int  # crashes on hosts that had it
    expected: float  # of them, by its share of each crash's day
    p: float | None  # on each crash's own day; None when no day had both
    refuted: bool = False  # on those days the crashes came elsewhere too often for it
    went: bool = False  # a value that went out of use; the days are those from which it was gone

    def words(self) -> str:
        """Say which value it is."""
        return f"{self.attr}={self.value}"


def words_of_partial_causes(
    population: Population, name: str, roll_outs: Sequence[RollOut]
) -> str | None:
    """Say with which values parts of a signature's crashes came; None where one explains all.

    Each must stand out given the others, as for a split.
    """
    proven = {
        (r.attr, r.value): r for r in roll_outs if r.p is not None and r.p <= SURE_P and not r.went
    }
    if len(proven) < 2 or not any(r.refuted for r in proven.values()):
        return None
    free = population.signature >= 0
    kept = drop_aliases(population, list(signature_findings(population, free, name)), [])
    parts = [proven[f.attr, f.value] for f in kept if (f.attr, f.value) in proven]
    if len(parts) < 2:
        return None
    each = [f"{r.words()} ({r.with_it} of them, from {iso_day(r.first)})" for r in parts]
    return (
        f"the rate rose with {' and with '.join(each)}: each brought a part of the crashes, where "
        "it was; gdb-epi fleet split says which"
    )

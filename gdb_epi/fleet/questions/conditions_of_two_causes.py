# SPDX-License-Identifier: Apache-2.0
"""What each of two causes of a signature needs besides its mark.

A library that fails on the CPUs of one vendor and a kernel that fails on those of the other overlap
where a host has both. Neither has a second condition that all of its crashes meet; but the crashes
with one mark and without the other are of one cause alone, and tell what that needs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.screen.design_effect import hours_of_values_within
from gdb_epi.fleet.screen.finding import HOST_HOURS, MIN_N, Finding
from gdb_epi.fleet.screen.programs import MIN_OTHERS, crashes_of_same_programs
from gdb_epi.fleet.statistics.arrays import Bools, Ints
from gdb_epi.fleet.statistics.hypothesis_tests import binomial_p, risk_by_share

MIN_ALONE = 8  # crashes with one mark and without the other
MOST = 0.85  # of them, that have the value; others come anyway
MAX_P = 1e-4  # paid for all values that are looked at


def find_conditions_of_two_causes(
    population: Population, same: Bools, marks: Sequence[Finding]
) -> tuple[Finding, Finding] | None:
    """Return what the crashes with each of two marks need as well; None unless both need something.

    `same` are the crashes of the signature.
    """
    if len(marks) != 2:
        return None
    attributes = [population.attribute(mark.attr) for mark in marks]
    if attributes[0] is None or attributes[1] is None or attributes[0] is attributes[1]:
        return None
    of_marks = [  # for each mark its crashes and its host-hours
        (a.crashes_with(mark.value), a.hours_with(mark.value))
        for a, mark in zip(attributes, marks, strict=True)
        if a is not None
    ]
    conditions = []
    for here, other in ((0, 1), (1, 0)):
        alone = np.flatnonzero(same & of_marks[here][0] & ~of_marks[other][0])
        hours = of_marks[here][1] & ~of_marks[other][1]
        others = [a for a in population.attributes if all(a is not marked for marked in attributes)]
        conditions.append(_find_needed_value(population, marks[here], alone, hours, others))
    first, second = conditions
    # What both need tells nothing apart: it is where the program runs.
    if first is None or second is None or first[:2] == second[:2]:
        return None
    return first, second


def _find_needed_value(
    population: Population, mark: Finding, alone: Ints, hours: Bools, others: Sequence[Attribute]
) -> Finding | None:
    """Return the value that nearly all of some crashes have, and few of the host-hours there.

    Where a program runs anyway, as its crashes of other kinds tell, is no condition.
    """
    of_programs = crashes_of_same_programs(population, alone)
    of_other_kinds = (
        np.zeros(population.day.size, dtype=bool) if of_programs is None else of_programs
    )
    of_other_kinds = of_other_kinds & (
        population.signature != population.signature[alone[:1]].max(initial=-1)
    )
    best: list[tuple[float, Finding]] = []
    tests = 0
    for other in others:
        table = hours_of_values_within(population, other, hours)
        if other.is_of_process or np.count_nonzero(table) < 2:
            continue
        tests += int(np.count_nonzero(table))
        codes = other.crash[alone]
        counts = np.bincount(codes[codes >= 0], minlength=table.size)
        value, n = int(counts.argmax()), int(counts.sum())
        with_value, share = int(counts[value]), float(table[value] / table.sum())
        if n < MIN_ALONE or with_value < max(MIN_N, MOST * n):
            continue
        elsewhere = other.crash[of_other_kinds & (other.crash >= 0)]
        if elsewhere.size >= MIN_OTHERS:
            runs = (np.count_nonzero(elsewhere == value) + 1) / (elsewhere.size + 2)
            share = max(share, float(runs))
        p = binomial_p(with_value, n, share)
        members = population.mask_of_rows(alone[codes == value])
        best.append((p, Finding(
            other.name, other.values[value], mark.signature, with_value, n, p, p,
            *risk_by_share(with_value, n, share),
            f"binomial by host-hours, of the crashes with {mark.attr}={mark.value} alone",
            HOST_HOURS, (), (), members,
        )))  # fmt: skip
    if not best:
        return None
    p, finding = min(best, key=lambda pair: (pair[0], pair[1].attr))
    return finding._replace(q=min(p * tests, 1.0)) if p * tests <= MAX_P else None

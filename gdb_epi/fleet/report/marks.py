# SPDX-License-Identifier: Apache-2.0
"""What marks the populations of a split: facts of the cores and attributes, counted in each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.questions.subpopulations import distinguishing_facts, facts_of
from gdb_epi.fleet.questions.verdict import Cause
from gdb_epi.fleet.report.page import Count, MarkRow
from gdb_epi.fleet.report.texts import clean
from gdb_epi.fleet.screen.types import HOST
from gdb_epi.fleet.statistics.arrays import ABSENT, Bools

MAX_ROWS = 12  # of one split
MAX_NAME = 60
FACT, ATTRIBUTE = "core", "fleet"  # where a row is known from


def mark_rows(population: Population, causes: Sequence[Cause]) -> tuple[MarkRow, ...]:
    """Return a row for each value that marks a population, with its count in every one of them.

    First the conditions that were tested, then the attributes and facts whose shares differ most.
    """
    columns = {(ATTRIBUTE, a.name): a for a in (_hosts(population), *population.attributes)}
    columns |= {(FACT, fact.name): fact for fact in facts_of(population)}
    whole = np.logical_or.reduce([cause.members for cause in causes])
    wanted = dict.fromkeys(_wanted(population, causes, whole))
    rows = []
    for kind, name, value in list(wanted)[:MAX_ROWS]:
        column = columns[kind, name]
        if value in column.values:
            code = column.values.index(value)
            counts = tuple(_count(column, code, cause.members) for cause in causes)
            others = _count(column, code, ~whole)
            rows.append(
                MarkRow(clean(name, MAX_NAME), clean(value, MAX_NAME), kind, counts, others)
            )
    return tuple(rows)


def _hosts(population: Population) -> Attribute:
    return Attribute(HOST, population.hosts, population.host, population.exposure_host)


def _wanted(
    population: Population, causes: Sequence[Cause], whole: Bools
) -> Iterator[tuple[str, str, str]]:
    for cause in causes:
        for finding in cause.findings:
            yield ATTRIBUTE, finding.attr, finding.value
    for kind, columns in ((FACT, None), (ATTRIBUTE, population.attributes)):
        for cause in causes:
            for difference in distinguishing_facts(
                population, cause.members, whole & ~cause.members, columns
            ):
                yield kind, difference.fact, difference.value


def _count(column: Attribute, code: int, members: Bools) -> Count:
    codes = column.crash[members]
    return Count(int((codes == code).sum()), int((codes != ABSENT).sum()))

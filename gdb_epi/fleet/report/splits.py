# SPDX-License-Identifier: Apache-2.0
"""The populations of signatures that are more than one thing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gdb_epi.fleet.population import Population
from gdb_epi.fleet.population_verdict import (
    HARDWARE_HOST,
    ONE_HOST,
    TWO_CAUSES,
    PopulationVerdict,
    of_split,
)
from gdb_epi.fleet.report.axis import Series
from gdb_epi.fleet.report.headlines import css_kind, numbers_of
from gdb_epi.fleet.report.page import PartView, SignatureRow, SplitView
from gdb_epi.fleet.report.texts import clean
from gdb_epi.fleet.screen_types import MIN_N
from gdb_epi.fleet.splitting import Part, Split, split
from gdb_epi.words import counted

MAX_SPLITS = 6  # signatures; each one is a question of its own
MAX_MARK = 90


def split_views(
    population: Population,
    rows: Sequence[SignatureRow],
    verdicts: Sequence[PopulationVerdict],
    day: int | None,
    series: Series,
) -> tuple[SplitView, ...]:
    """Return the signatures with two populations, side by side; the only one in any case."""
    if day is None:
        return ()
    wanted = _candidates(population, verdicts)
    chosen = [row for row in rows if row.code in wanted or len(rows) == 1]
    chosen.sort(key=lambda row: (-wanted.get(row.code, 0), row.rank))
    views: list[SplitView] = []
    for row in chosen[: 2 * MAX_SPLITS]:
        if row.code >= 0 and len(views) < MAX_SPLITS:
            found = split(population, row.code, day)
            judged = of_split(population, found)
            if judged.kind == TWO_CAUSES or len(rows) == 1:
                views.append(_view(row, found, judged, series))
    return tuple(views)


def _candidates(population: Population, verdicts: Sequence[PopulationVerdict]) -> dict[int, float]:
    """Signatures judged to be two things, and those of which a bad host has its share.

    The value is what orders them: the crashes of the host.
    """
    size = len(population.signatures)
    found: dict[int, float] = {}
    for verdict in verdicts:
        if verdict.kind == TWO_CAUSES and verdict.subject in population.signatures:
            found[population.signatures.index(verdict.subject)] = float("inf")
        elif verdict.kind in (HARDWARE_HOST, ONE_HOST):
            for finding in verdict.causes[0].findings:
                mine = population.signature[finding.members]
                counts = np.bincount(mine[mine >= 0], minlength=size)
                for code in np.flatnonzero(counts >= MIN_N).tolist():
                    found[code] = max(found.get(code, 0.0), float(counts[code]))
    return found


def _view(row: SignatureRow, found: Split, judged: PopulationVerdict, series: Series) -> SplitView:
    pairs = zip(found.parts, judged.causes, strict=True)
    parts = tuple(_part(part, css_kind(cause.kind), series) for part, cause in pairs)
    # How many more crashes are needed stands beside it.
    answer = judged.headline.partition(" (about ")[0]
    return SplitView(row.rank, row.words, clean(answer), _more(found), parts)


def _more(found: Split) -> str | None:
    if found.more is None:
        return None
    leaning = f"; it leans to {clean(found.leaning, MAX_MARK)}" if found.leaning else ""
    return f"about {counted(found.more, 'more crash')} would settle the rest{leaning}"


def _part(part: Part, kind: str, series: Series) -> PartView:
    return PartView(
        clean(part.mark, MAX_MARK),
        part.label,
        kind,
        part.crashes,
        part.hosts,
        part.bitflips,
        numbers_of(part.finding) if part.finding else None,
        series.daily(part.members),
    )

# SPDX-License-Identifier: Apache-2.0
"""The populations of signatures that are more than one thing."""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.fleet.population import Population
from gdb_epi.fleet.population_verdict import TWO_CAUSES, PopulationVerdict, of_split
from gdb_epi.fleet.report.axis import Series
from gdb_epi.fleet.report.headlines import css_kind, numbers_of
from gdb_epi.fleet.report.page import PartView, SignatureRow, SplitView
from gdb_epi.fleet.report.texts import clean
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
    named = {v.subject for v in verdicts if v.kind == TWO_CAUSES}
    chosen = [row for row in rows if row.code >= 0 and (row.name in named or len(rows) == 1)]
    return tuple(_view(population, row, day, series) for row in chosen[:MAX_SPLITS])


def _view(population: Population, row: SignatureRow, day: int, series: Series) -> SplitView:
    found = split(population, row.code, day)
    judged = of_split(population, found)
    pairs = zip(found.parts, judged.causes, strict=True)
    parts = tuple(_part(part, css_kind(cause.kind), series) for part, cause in pairs)
    return SplitView(row.rank, row.words, clean(judged.headline), _more(found), parts)


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

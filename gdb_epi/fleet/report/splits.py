# SPDX-License-Identifier: Apache-2.0
"""The populations of signatures that are more than one thing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.questions.splitting import UNCERTAIN
from gdb_epi.fleet.questions.verdict import (
    HARDWARE_GROUP,
    HARDWARE_HOST,
    MOVE_JOB,
    NOT_ENOUGH,
    ONE_HOST,
    SOFTWARE,
    TWO_CAUSES,
    Cause,
    PopulationVerdict,
    of_signature,
)
from gdb_epi.fleet.report.axis import Series
from gdb_epi.fleet.report.headlines import css_kind, numbers_of
from gdb_epi.fleet.report.marks import mark_rows
from gdb_epi.fleet.report.page import PartView, SignatureRow, SplitView
from gdb_epi.fleet.report.texts import clean
from gdb_epi.fleet.screen.screening import Screen
from gdb_epi.fleet.screen.types import MIN_N
from gdb_epi.fleet.statistics.arrays import Bools
from gdb_epi.util import counted

MAX_SPLITS = 6
MAX_ASKED = 3  # signatures of a bad host that are split as well: each one is a question of its own
MAX_MARK = 90
LABELS = {
    HARDWARE_HOST: "one host, which has crashes of all kinds: take it out, test it",
    ONE_HOST: f"one host: {MOVE_JOB}",
    HARDWARE_GROUP: "hardware or firmware",
    SOFTWARE: "software or configuration",
    NOT_ENOUGH: "not explained",
}


def split_views(
    population: Population,
    rows: Sequence[SignatureRow],
    verdicts: Sequence[PopulationVerdict],
    screened: Screen | None,
    series: Series,
) -> tuple[SplitView, ...]:
    """Return the signatures with two populations, side by side; the only one in any case."""
    if screened is None:
        return ()
    row_of = {row.name: row for row in rows if row.code >= 0}
    judged = [v for v in verdicts if v.kind == TWO_CAUSES and v.subject in row_of]
    judged_subjects = {v.subject for v in verdicts}
    alone = [row.code for row in rows if len(rows) == 1 and row.code >= 0 and not judged]
    asked = alone or _of_bad_hosts(population, verdicts)
    for code in asked:
        name = population.signatures[code]
        if name in row_of and (alone or name not in judged_subjects):
            verdict = of_signature(population, code, screened.day, screened.hosts)
            if verdict.kind == TWO_CAUSES or alone:
                judged.append(verdict)
    return tuple(_view(population, row_of[v.subject], v, series) for v in judged[:MAX_SPLITS])


def _of_bad_hosts(population: Population, verdicts: Sequence[PopulationVerdict]) -> list[int]:
    """Signatures of which a bad host has several crashes, most first."""
    size = len(population.signatures)
    most_crashes: dict[int, int] = {}
    for verdict in verdicts:
        if verdict.kind in (HARDWARE_HOST, ONE_HOST):
            for finding in verdict.causes[0].findings:
                mine = population.signature[finding.members]
                counts = np.bincount(mine[mine >= 0], minlength=size)
                for code in np.flatnonzero(counts >= MIN_N).tolist():
                    most_crashes[code] = max(most_crashes.get(code, 0), int(counts[code]))
    return sorted(most_crashes, key=lambda code: (-most_crashes[code], code))[:MAX_ASKED]


def _view(
    population: Population, row: SignatureRow, judged: PopulationVerdict, series: Series
) -> SplitView:
    parts = tuple(_part(population, cause, cause.members, series) for cause in judged.causes)
    # How many more crashes are needed stands beside it.
    answer = judged.headline.partition(" (about ")[0]
    more = None
    if judged.more is not None:
        more = f"about {counted(judged.more, 'more crash')} would settle the rest"
    marks = mark_rows(population, judged.causes)
    return SplitView(row.rank, row.words, clean(answer), more, parts, marks)


def _part(population: Population, cause: Cause, members: Bools, series: Series) -> PartView:
    return PartView(
        clean(cause.mark, MAX_MARK),
        cause.label if cause.mark == UNCERTAIN else LABELS.get(cause.kind, LABELS[NOT_ENOUGH]),
        css_kind(cause.kind),
        cause.crashes,
        cause.hosts,
        int((population.bitflip & members).sum()),
        numbers_of(cause.findings[0]) if cause.findings else None,
        series.daily(members),
    )

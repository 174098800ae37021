# SPDX-License-Identifier: Apache-2.0
"""The populations of signatures that are more than one thing, and what marks each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.questions.population_verdict import (
    HARDWARE_GROUP,
    HARDWARE_HOST,
    MOVE_JOB,
    NOT_ENOUGH,
    ONE_HOST,
    SOFTWARE,
    TWO_CAUSES,
    PopulationCause,
    PopulationVerdict,
    judge_signature,
)
from gdb_epi.fleet.questions.splitting import UNCERTAIN
from gdb_epi.fleet.questions.subpopulations import distinguishing_facts, fact_attributes
from gdb_epi.fleet.report.axis import CrashCountsBySignature
from gdb_epi.fleet.report.headlines import collect_numbers, css_class_of_cause
from gdb_epi.fleet.report.page import KnownCount, MarkCountsRow, SignatureRow, SplitPart, SplitView
from gdb_epi.fleet.report.text_formatting import harmless_text
from gdb_epi.fleet.screen.finding import HOST, MIN_N
from gdb_epi.fleet.screen.screening import ScreeningResult
from gdb_epi.fleet.statistics.arrays import ABSENT, Bools
from gdb_epi.util import counted

MAX_ROWS = 12  # of one split
MAX_NAME = 60
FACT, ATTRIBUTE = "core", "fleet"  # where a row is known from


def mark_rows(
    population: Population, causes: Sequence[PopulationCause]
) -> tuple[MarkCountsRow, ...]:
    """Return a row for each value that marks a population, with its count in every one of them.

    First the conditions that were tested, then the attributes and facts whose shares differ most.
    """
    hosts = Attribute(HOST, population.hosts, population.host, population.exposure_host)
    columns = {(ATTRIBUTE, a.name): a for a in (hosts, *population.attributes)}
    columns |= {(FACT, fact.name): fact for fact in fact_attributes(population)}
    whole = np.logical_or.reduce([cause.members for cause in causes])
    wanted = dict.fromkeys(_values_to_show(population, causes, whole))
    rows = []
    for kind, name, value in list(wanted)[:MAX_ROWS]:
        column = columns[kind, name]
        if value in column.values:
            code = column.values.index(value)
            counts = tuple(_count_known_values(column, code, cause.members) for cause in causes)
            others = _count_known_values(column, code, ~whole)
            rows.append(
                MarkCountsRow(
                    harmless_text(name, MAX_NAME),
                    harmless_text(value, MAX_NAME),
                    kind,
                    counts,
                    others,
                )
            )
    return tuple(rows)


def _values_to_show(
    population: Population, causes: Sequence[PopulationCause], whole: Bools
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


def _count_known_values(column: Attribute, code: int, members: Bools) -> KnownCount:
    codes = column.crash[members]
    return KnownCount(int((codes == code).sum()), int((codes != ABSENT).sum()))


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
    screened: ScreeningResult | None,
    series: CrashCountsBySignature,
) -> tuple[SplitView, ...]:
    """Return the signatures with two populations, side by side; the only one in any case."""
    if screened is None:
        return ()
    row_of = {row.name: row for row in rows if row.code >= 0}
    judged = [v for v in verdicts if v.kind == TWO_CAUSES and v.subject in row_of]
    judged_subjects = {v.subject for v in verdicts}
    alone = [row.code for row in rows if len(rows) == 1 and row.code >= 0 and not judged]
    asked = alone or _bad_host_signatures(population, verdicts)
    for code in asked:
        name = population.signatures[code]
        if name in row_of and (alone or name not in judged_subjects):
            verdict = judge_signature(population, code, screened.day, screened)
            if verdict.kind == TWO_CAUSES or alone:
                judged.append(verdict)
    return tuple(_split_view(population, row_of[v.subject], v, series) for v in judged[:MAX_SPLITS])


def _bad_host_signatures(
    population: Population, verdicts: Sequence[PopulationVerdict]
) -> list[int]:
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


def _split_view(
    population: Population,
    row: SignatureRow,
    judged: PopulationVerdict,
    series: CrashCountsBySignature,
) -> SplitView:
    parts = tuple(_split_part(population, cause, cause.members, series) for cause in judged.causes)
    # How many more crashes are needed stands beside it.
    answer = judged.headline.partition(" (about ")[0]
    more = None
    if judged.more is not None:
        more = f"about {counted(judged.more, 'more crash')} would settle the rest"
    marks = mark_rows(population, judged.causes)
    return SplitView(row.rank, row.words, harmless_text(answer), more, parts, marks)


def _split_part(
    population: Population, cause: PopulationCause, members: Bools, series: CrashCountsBySignature
) -> SplitPart:
    unknown = LABELS[NOT_ENOUGH]
    return SplitPart(
        mark=harmless_text(cause.mark, MAX_MARK),
        label=cause.label if cause.mark == UNCERTAIN else LABELS.get(cause.kind, unknown),
        kind=css_class_of_cause(cause.kind),
        crashes=cause.crashes,
        hosts=cause.hosts,
        bitflips=int((population.bitflip & members).sum()),
        numbers=collect_numbers(cause.findings[0]) if cause.findings else None,
        daily=series.counts_by_step(members),
    )

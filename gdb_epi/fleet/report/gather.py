# SPDX-License-Identifier: Apache-2.0
"""Ask the database everything that the page shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from sqlalchemy import Engine

from gdb_epi.fleet.population.cache import load_population
from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.questions.verdict import PopulationVerdict, of_population
from gdb_epi.fleet.report.axis import Series, axis_of
from gdb_epi.fleet.report.counts import Identity, Tally, bits_by_host, tally
from gdb_epi.fleet.report.headlines import headline
from gdb_epi.fleet.report.maps import bit_rows, host_map
from gdb_epi.fleet.report.overview import curve, facts_of, notes_of, span_of, summary
from gdb_epi.fleet.report.page import Page, SignatureRow
from gdb_epi.fleet.report.populations import split_views
from gdb_epi.fleet.report.signature_sections import sections
from gdb_epi.fleet.report.texts import signature_words
from gdb_epi.fleet.screen.finding_states import DISMISSED, stored
from gdb_epi.fleet.screen.screening import screen
from gdb_epi.fleet.statistics.arrays import Bools

TITLE = "Why Python processes died"
MAX_SIGNATURES = 400  # in the table, each with a section
MAX_HEADLINES = 24
HOST_MARK = "host="


class ReportScope(NamedTuple):
    """What the page is about."""

    since: int | None = None  # days since 1970-01-01
    until: int | None = None
    signature: str | None = None  # the text, as in Population.signatures


def gather(engine: Engine, wanted: ReportScope) -> Page:
    """Return the page's contents. The same database gives the same page."""
    population = load_population(engine, wanted.until)
    if wanted.since is not None:
        recent = population.day >= wanted.since, population.exposure_day >= wanted.since
        population = population.chosen(*recent)
    window = (wanted.since, wanted.until)
    counts = tally(engine, population, window)
    before = stored(engine)
    axis = axis_of(population)
    series = Series(population, axis)
    screened = screen(population, axis.last) if axis is not None else None
    verdicts = of_population(population, screened.day, screened) if screened is not None else []
    mine = [v for v in verdicts if wanted.signature in (None, v.subject)]
    rows = _rows(
        population, counts, series, {v.subject for v in mine[:MAX_HEADLINES]}, wanted.signature
    )
    ranks = {row.name: row.rank for row in rows}
    every = [headline(verdict, before, ranks) for verdict in mine]
    heads = tuple(head for head in every if head.state != DISMISSED)
    bits = bit_rows(bits_by_host(engine, window, wanted.signature))
    hosts = [v.subject.removeprefix(HOST_MARK) for v in mine if v.subject.startswith(HOST_MARK)]
    return Page(
        title=TITLE,
        span=span_of(axis),
        facts=facts_of(population, counts),
        summary=summary(counts, heads),
        headlines=heads[:MAX_HEADLINES],
        dismissed=len(every) - len(heads),
        curve=curve(population, axis, before, _explained(population, mine)),
        step=axis.step if axis else 1,
        signatures=rows,
        more_signatures=max(int((counts.per_signature() > 0).sum()) - len(rows), 0),
        host_map=host_map(population, counts, rows, hosts),
        bits=bits,
        splits=split_views(population, rows, mine, screened, series),
        sections=sections(engine, population, counts, series, rows, heads),
        notes=notes_of(population, counts, axis),
    )


def _explained(population: Population, verdicts: Sequence[PopulationVerdict]) -> Bools:
    """Return which crashes a finding covers."""
    covered = np.zeros(population.day.size, dtype=bool)
    for verdict in verdicts:
        for cause in verdict.causes:
            for finding in cause.findings:
                covered |= finding.members
    return covered


def _rows(
    population: Population, counts: Tally, series: Series, named: set[str], only: str | None
) -> tuple[SignatureRow, ...]:
    """The most frequent signatures, and those that a finding names, most frequent first."""
    total = counts.per_signature()
    order = np.lexsort((np.arange(total.size), -total))
    every = order[total[order] > 0].tolist()
    chosen = every[:MAX_SIGNATURES]
    chosen += [i for i in every[MAX_SIGNATURES:] if counts.signatures[i] in named]
    if only is not None:
        chosen = [i for i in every if counts.signatures[i] == only]
    hosts = counts.hosts_per_signature()
    codes = {name: i for i, name in enumerate(population.signatures)}
    rows = []
    for rank, number in enumerate(chosen, 1):
        name, crashes = counts.signatures[number], int(total[number])
        code = codes.get(name, -1)
        members = series.members(code)
        identity = counts.identities.get(name, Identity(None, None, None))
        best = counts.of(number)[:1]
        days = population.day[members]
        verdicts = counts.verdicts.get(name, {}).items()
        rows.append(
            SignatureRow(
                rank=rank,
                code=code,
                name=name,
                key=identity.key,
                kind=identity.kind,
                words=signature_words(name, identity.category),
                crashes=crashes,
                hosts=int(hosts[number]),
                top_host=best[0][0] if best else None,
                top_share=best[0][1] / crashes if best else 0.0,
                first=int(days.min()) if days.size else None,
                last=int(days.max()) if days.size else None,
                verdicts=tuple(sorted(verdicts, key=lambda pair: (-pair[1], pair[0]))),
                daily=series.daily(members),
                bitflips=int(population.bitflip[members].sum()),
                inherited=int(population.lock_inherited[members].sum()),
            )
        )
    return tuple(rows)

# SPDX-License-Identifier: Apache-2.0
"""Ask the database everything that the page shows."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from sqlalchemy import Engine

from gdb_epi.fleet.decisions.repairs import screen_present, separate_past_of_repaired_hosts
from gdb_epi.fleet.decisions.states import read_states, repaired_hosts
from gdb_epi.fleet.population.cache import load_population
from gdb_epi.fleet.population.population import FOREVER_AGO, Population
from gdb_epi.fleet.questions.verdict import PopulationVerdict, judge_population
from gdb_epi.fleet.records.facts import program_of_crashes, short_program
from gdb_epi.fleet.report.axis import CrashSeries, choose_day_axis
from gdb_epi.fleet.report.counts import (
    PopulationCounts,
    SignatureIdentity,
    bits_by_host,
    count_population,
)
from gdb_epi.fleet.report.headlines import headline_of_verdict, join_alike_headlines
from gdb_epi.fleet.report.maps import flip_histograms, host_map
from gdb_epi.fleet.report.overview import (
    caveats_of_answers,
    curve_with_findings,
    days_in_words,
    no_findings_text,
    population_sizes,
    summary_sentences,
    urgent_signatures,
)
from gdb_epi.fleet.report.page import Page, SignatureRow
from gdb_epi.fleet.report.signature_sections import signature_sections
from gdb_epi.fleet.report.split_views import split_views
from gdb_epi.fleet.report.states import regressed_words, state_rows
from gdb_epi.fleet.screen.finding import crashes_of
from gdb_epi.fleet.screen.finding_states import DISMISSED, stored_findings
from gdb_epi.fleet.screen.programs import known_programs
from gdb_epi.fleet.statistics.arrays import Bools
from gdb_epi.fleet.store.plain_sql import sqlalchemy_executor
from gdb_epi.judgement.labels import URGENT
from gdb_epi.render.signature_words import parse_signature_line

TITLE = "Why Python processes died"
MAX_SIGNATURES = 400  # in the table, each with a section
MAX_HEADLINES = 24
HOST_MARK = "host="


class ReportScope(NamedTuple):
    """What the page is about."""

    since: int | None = None  # days since 1970-01-01
    until: int | None = None
    signature: str | None = None  # the text, as in Population.signatures


def gather_page(engine: Engine, wanted: ReportScope) -> Page:
    """Return the page's contents. The same database gives the same page."""
    with engine.connect() as connection:
        execute, now = sqlalchemy_executor(connection), time.time()
        repaired, states = repaired_hosts(execute, now), read_states(execute, now)
    population = separate_past_of_repaired_hosts(load_population(engine, wanted.until), repaired)
    window = (wanted.since, wanted.until)
    if window != (None, None):  # a crash of unknown time cannot be said to lie inside
        since = FOREVER_AGO if wanted.since is None else wanted.since
        inside = population.timed & (population.day >= since)
        population = population.chosen(inside, population.exposure_day >= since)
    if pruned := population.pruned:  # crashes left from before the prune are not counted
        window = (max(pruned.before, wanted.since or 0), wanted.until)
    counts = count_population(engine, population, window)
    before = stored_findings(engine)
    axis = choose_day_axis(population)
    series = CrashSeries(population, axis)
    today = axis.last if axis is not None else population.last_day
    screened = screen_present(population, today)
    verdicts = judge_population(population, screened.day, screened) if screened is not None else []
    verdicts_shown = [v for v in verdicts if wanted.signature in (None, v.subject)]
    rows = _rows(
        population,
        counts,
        series,
        {v.subject for v in verdicts_shown[:MAX_HEADLINES]},
        wanted.signature,
    )
    ranks = {row.name: row.rank for row in rows}
    all_headlines = [headline_of_verdict(verdict, before, ranks) for verdict in verdicts_shown]
    headlines = tuple(head for head in all_headlines if head.state != DISMISSED)
    bits = flip_histograms(bits_by_host(engine, window, wanted.signature))
    hosts = [
        v.subject.removeprefix(HOST_MARK) for v in verdicts_shown if v.subject.startswith(HOST_MARK)
    ]
    shown, urgent = join_alike_headlines(headlines), urgent_signatures(rows)
    regressions = regressed_words(states) if wanted.signature is None else None
    return Page(
        title=TITLE,
        span=days_in_words(axis),
        facts=population_sizes(population, counts),
        summary=(
            *((regressions,) if regressions else ()),
            *summary_sentences(counts, shown, urgent),
        ),
        headlines=shown[:MAX_HEADLINES],
        urgent=urgent,
        no_findings=no_findings_text(population, counts),
        dismissed=len(all_headlines) - len(headlines),
        curve=curve_with_findings(
            population, axis, before, _explained_crashes(population, verdicts_shown)
        ),
        step=axis.step if axis else 1,
        signatures=rows,
        more_signatures=max(int((counts.per_signature() > 0).sum()) - len(rows), 0),
        host_map=host_map(population, counts, rows, hosts),
        bits=bits,
        splits=split_views(population, rows, verdicts_shown, screened, series),
        sections=signature_sections(engine, population, counts, series, rows, headlines),
        notes=caveats_of_answers(population, counts, axis),
        states=state_rows(states) if wanted.signature is None else (),
    )


def _explained_crashes(population: Population, verdicts: Sequence[PopulationVerdict]) -> Bools:
    """Return which crashes a finding covers."""
    causes = [cause for verdict in verdicts for cause in verdict.causes]
    findings = (finding for cause in causes for finding in cause.findings)
    return crashes_of(findings, population.day.size)


def _rows(
    population: Population,
    counts: PopulationCounts,
    series: CrashSeries,
    named: set[str],
    only: str | None,
) -> tuple[SignatureRow, ...]:
    """The most frequent signatures, and those that a finding names, most frequent first."""
    total = counts.per_signature()
    is_usual = np.array([not {*URGENT}.intersection(counts.verdicts.get(name, ()))
                         for name in counts.signatures])  # fmt: skip
    order = np.lexsort((np.arange(total.size), is_usual, -total))
    by_frequency = order[total[order] > 0].tolist()
    chosen = by_frequency[:MAX_SIGNATURES]
    chosen += [i for i in by_frequency[MAX_SIGNATURES:] if counts.signatures[i] in named]
    if only is not None:
        chosen = [i for i in by_frequency if counts.signatures[i] == only]
    hosts = counts.hosts_per_signature()
    codes = {name: i for i, name in enumerate(population.signatures)}
    rows = []
    for rank, number in enumerate(chosen, 1):
        name, crashes = counts.signatures[number], int(total[number])
        code = codes.get(name, -1)
        members = series.members(code)
        identity = counts.identities.get(name, SignatureIdentity(None, None, None))
        best = counts.of(number)[:1]
        days = population.known_day[members]
        days = days[days > FOREVER_AGO]
        verdicts = counts.verdicts.get(name, {}).items()
        rows.append(
            SignatureRow(
                rank=rank,
                code=code,
                name=name,
                key=identity.key,
                kind=identity.kind,
                words=parse_signature_line(name, identity.category),
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
                program=short_program(program_of_crashes(known_programs(population, members))),
            )
        )
    return tuple(rows)

# SPDX-License-Identifier: Apache-2.0
"""A section for each signature: a merged stack, its evidence, cores to look at."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Engine, select

from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.report.axis import Series
from gdb_epi.fleet.report.examples import example, records, weight
from gdb_epi.fleet.report.page import ExampleCore, Headline, Section, SignatureRow
from gdb_epi.fleet.report.tally import Tally
from gdb_epi.fleet.report.texts import day_text
from gdb_epi.fleet.store import tables as t

MAX_CORES = 3  # named in a section; the fullest of their records gives stack and evidence
MAX_HOSTS = 8
MAX_UNTIMED = 400  # signatures without any time whose cores are looked up one by one


def sections(
    engine: Engine,
    population: Population,
    counts: Tally,
    series: Series,
    rows: Sequence[SignatureRow],
    headlines: Sequence[Headline],
) -> tuple[Section, ...]:
    """Return the sections in the order of the table."""
    cores = {row.rank: _cores(population, series, row) for row in rows}
    lonely = [row for row in rows if not cores[row.rank] and row.key][:MAX_UNTIMED]
    cores |= {row.rank: _untimed_cores(engine, row) for row in lonely}
    wanted = [core.core_key for cores_of_row in cores.values() for core in cores_of_row]
    opened = dict(records(engine, wanted))
    number = {name: code for code, name in enumerate(counts.signatures)}
    cores_of_row = []
    for row in rows:
        mine = [(c.core_key, opened[c.core_key]) for c in cores[row.rank] if c.core_key in opened]
        best = max(mine, key=lambda pair: weight(pair[1]), default=None)
        cores_of_row.append(
            Section(
                row,
                example(*best) if best else None,
                tuple(cores[row.rank]),
                tuple(counts.of(number[row.name])[:MAX_HOSTS]),
                tuple(h for h in headlines if h.signature == row.rank),
            )
        )
    return tuple(cores_of_row)


def _cores(population: Population, series: Series, row: SignatureRow) -> list[ExampleCore]:
    """The latest cores, the latest first."""
    latest = []
    for i in series.members(row.code)[: -MAX_CORES - 1 : -1].tolist() if row.code >= 0 else ():
        host = int(population.host[i])
        name = population.hosts[host] if host >= 0 else "–"
        latest.append(ExampleCore(population.core_keys[i], day_text(int(population.day[i])), name))
    return latest


def _untimed_cores(engine: Engine, row: SignatureRow) -> list[ExampleCore]:
    c = t.crash.c
    chosen = (
        select(c.core_key, t.host.c.name)
        .select_from(
            t.crash.join(t.sig, c.sig_id == t.sig.c.id).outerjoin(t.host, c.host_id == t.host.c.id)
        )
        .where(t.sig.c.key == row.key, t.sig.c.kind == (row.kind or ""))
        .order_by(c.core_key)
        .limit(MAX_CORES)
    )
    with engine.connect() as connection:
        return [ExampleCore(key, "–", host or "–") for key, host in connection.execute(chosen)]

# SPDX-License-Identifier: Apache-2.0
"""A section for each signature: the stack and evidence of a stored record, cores to look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Engine, select

from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.records.packing import unpack_record_or_empty
from gdb_epi.fleet.records.values import text_or_none
from gdb_epi.fleet.report.axis import CrashSeries
from gdb_epi.fleet.report.counts import PopulationCounts
from gdb_epi.fleet.report.page import (
    Example,
    ExampleCore,
    Frame,
    Headline,
    SignatureRow,
    SignatureSection,
)
from gdb_epi.fleet.report.texts import day_text, harmless_text
from gdb_epi.fleet.store import tables
from gdb_epi.fleet.store.dimensions import in_list_parts
from gdb_epi.record.record_parts import get_group
from gdb_epi.render.frame_lines import NATIVE as C
from gdb_epi.render.frame_lines import PYTHON as PY
from gdb_epi.render.frame_lines import StackCall, fold_calls, shown_name, stack_rows
from gdb_epi.render.opening_sentences import escaped_opening
from gdb_epi.render.signature_words import PYTHON, parse_signature_line
from gdb_epi.render.triage import telling_calls

MAX_FRAMES = 24
MAX_LINES = 8  # items of evidence, reasons
MAX_LINE = 300  # characters

Json = Mapping[str, Any]


def stored_records(
    engine: Engine, core_keys: Sequence[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (core_key, record) of the cores that are stored."""
    chosen = select(tables.crash.c.core_key, tables.raw.c.record).join(
        tables.raw, tables.raw.c.crash_id == tables.crash.c.id
    )
    with engine.connect() as connection:
        for part in in_list_parts(list(core_keys)):
            for key, blob in connection.execute(chosen.where(tables.crash.c.core_key.in_(part))):
                yield str(key), unpack_record_or_empty(blob)


def example_of_record(core_key: str, record: Json) -> Example:
    """Return what a record says about its crash."""
    calls = telling_calls(record)
    happened, cause = escaped_opening(record, calls)
    frames, source = _frames(record, calls)
    verdict = get_group(record, "verdict")
    evidence = _evidence(record)
    reasons = _texts(verdict.get("reasons"))
    return Example(
        core_key,
        harmless_text(happened, 2 * MAX_LINE),
        harmless_text(cause, 2 * MAX_LINE),
        frames,
        source,
        # Most reasons are the evidence itself; why nothing can be told is not.
        tuple(reason for reason in reasons if not any(reason in line for line in evidence)),
        _texts(verdict.get("against")),
        evidence,
    )


def example_rank(record: Json) -> tuple[int, int]:
    """Return how much an example shows: frames, then evidence."""
    frames = get_group(get_group(record, "threads"), "crashed").get("frames")
    findings = record.get("findings")
    size = len(frames) if isinstance(frames, list) else 0
    return (size, len(findings) if isinstance(findings, list) else 0)


def _frames(record: Json, calls: Sequence[StackCall]) -> tuple[tuple[Frame, ...], str]:
    rows = stack_rows(fold_calls(calls), MAX_FRAMES)
    if rows:
        return tuple(_frame(row.call) for row in rows), "the stack in the core"
    lines = get_group(get_group(record, "signature"), "text")
    for name in ("strict", "stable", "python", "native", "coarse"):
        line = text_or_none(lines.get(name))
        if line:
            named = parse_signature_line(line, None).frames
            calls = [StackCall(PY if language == PYTHON else C, name) for language, name in named]
            frames = tuple(_frame(call) for call in calls)
            return frames, f"the signature ({name}); no frames were stored"
    return (), "no frames were stored"


def _frame(call: StackCall) -> Frame:
    name, place, aside = shown_name(call), call.place().rsplit("/", 1)[-1], call.aside
    return Frame(call.language, *(harmless_text(words, MAX_LINE) for words in (name, place, aside)))


def _evidence(record: Json) -> tuple[str, ...]:
    lines = []
    category = text_or_none(get_group(record, "signature").get("evidence"))
    if category:
        lines.append(harmless_text(category, MAX_LINE))
    findings = record.get("findings")
    for finding in findings[:MAX_LINES] if isinstance(findings, list) else ():
        summary = text_or_none(finding.get("summary")) if isinstance(finding, dict) else None
        if summary:
            lines.append(harmless_text(summary, MAX_LINE))
    return tuple(dict.fromkeys(lines))


def _texts(value: Any) -> tuple[str, ...]:
    given = value[:MAX_LINES] if isinstance(value, list) else []
    return tuple(harmless_text(line, MAX_LINE) for line in given if isinstance(line, str))


MAX_CORES = 3  # named in a section; the fullest of their records gives stack and evidence
MAX_HOSTS = 8


def signature_sections(
    engine: Engine,
    population: Population,
    counts: PopulationCounts,
    series: CrashSeries,
    rows: Sequence[SignatureRow],
    headlines: Sequence[Headline],
) -> tuple[SignatureSection, ...]:
    """Return the sections in the order of the table."""
    cores = {row.rank: _cores(population, series, row) for row in rows}
    wanted = [core.core_key for cores_of_row in cores.values() for core in cores_of_row]
    opened = dict(stored_records(engine, wanted))
    number = {name: code for code, name in enumerate(counts.signatures)}
    cores_of_row = []
    for row in rows:
        mine = [(c.core_key, opened[c.core_key]) for c in cores[row.rank] if c.core_key in opened]
        best = max(mine, key=lambda pair: example_rank(pair[1]), default=None)
        cores_of_row.append(
            SignatureSection(
                row,
                example_of_record(*best) if best else None,
                tuple(cores[row.rank]),
                tuple(counts.of(number[row.name])[:MAX_HOSTS]),
                tuple(h for h in headlines if h.signature == row.rank),
            )
        )
    return tuple(cores_of_row)


def _cores(population: Population, series: CrashSeries, row: SignatureRow) -> list[ExampleCore]:
    """The latest cores, the latest first."""
    latest, timed = [], population.timed
    for i in series.members(row.code)[: -MAX_CORES - 1 : -1].tolist() if row.code >= 0 else ():
        host = int(population.host[i])
        name = population.hosts[host] if host >= 0 else "–"
        day = day_text(int(population.day[i])) if timed[i] else "–"
        latest.append(ExampleCore(population.core_keys[i], day, name))
    return latest

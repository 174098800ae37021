# SPDX-License-Identifier: Apache-2.0
"""A section for each signature: the stack and evidence of a stored record, cores to look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Connection, Engine, func, select

from gdb_epi.fleet.population.population import NO_SIGNATURE, Population
from gdb_epi.fleet.records.packing import unpack_record_or_empty
from gdb_epi.fleet.records.values import text_or_none
from gdb_epi.fleet.report.axis import CrashCountsBySignature
from gdb_epi.fleet.report.page import (
    ExampleCore,
    ExampleOfSignature,
    Headline,
    SignatureRow,
    SignatureSection,
    StackFrame,
)
from gdb_epi.fleet.report.text_formatting import day_text, harmless_text
from gdb_epi.fleet.statistics.arrays import Ints
from gdb_epi.fleet.store import tables
from gdb_epi.fleet.store.day_numbers import SECONDS_A_DAY
from gdb_epi.fleet.store.dimensions import parts_for_in_list
from gdb_epi.record.record_parts import get_group
from gdb_epi.render.frame_lines import NATIVE as C
from gdb_epi.render.frame_lines import PYTHON as PY
from gdb_epi.render.frame_lines import StackCall, fold_calls, limit_stack_rows, shown_name
from gdb_epi.render.opening_sentences import escaped_opening
from gdb_epi.render.signature_words import PYTHON, parse_signature_line
from gdb_epi.render.triage import explaining_calls

# -- Counts of the whole population: per signature, per signature and host, per verdict ------------

NO_HOST = "(host not known)"

Window = tuple[int | None, int | None]  # first and last day, None for no bound


class SignatureIdentity(NamedTuple):
    """How a signature can be asked for."""

    kind: str | None
    key: str | None
    category: str | None


class PopulationCounts(NamedTuple):
    """Counts by codes of `signatures` and `hosts`; crashes without a time are in the cells too."""

    signatures: list[str]
    hosts: list[str]
    cell_signature: Ints
    cell_host: Ints  # -1 where the host is not known
    cell_crashes: Ints
    identities: dict[str, SignatureIdentity]
    verdicts: dict[str, dict[str, int]]  # signature -> label -> crashes
    untimed: int

    @property
    def crashes(self) -> int:
        """How many crashes there are."""
        return int(self.cell_crashes.sum())

    def per_signature(self) -> Ints:
        """Return the crashes of each signature."""
        weights = self.cell_crashes.astype(float)
        size = len(self.signatures)
        return np.bincount(self.cell_signature, weights, minlength=size).astype(np.int64)

    def hosts_per_signature(self) -> Ints:
        """Return on how many known hosts each signature was seen."""
        has_host = self.cell_host >= 0
        return np.bincount(self.cell_signature[has_host], minlength=len(self.signatures))

    def hosts_of_signature(self, signature: int) -> list[tuple[str, int]]:
        """Return the known hosts of a signature with their crashes, most first."""
        mine = (self.cell_signature == signature) & (self.cell_host >= 0)
        pairs = zip(self.cell_host[mine].tolist(), self.cell_crashes[mine].tolist(), strict=True)
        return sorted(((self.hosts[h], n) for h, n in pairs), key=lambda pair: (-pair[1], pair[0]))


def count_population(engine: Engine, population: Population, window: Window) -> PopulationCounts:
    """Count the crashes of a population, which is that of the window."""
    with engine.connect() as connection:
        names, identities = _signature_names(connection)
        c = tables.crash.c
        n = func.count(c.id)
        chosen = select(c.sig_id, c.verdict, n).where(
            c.verdict.is_not(None), *_conditions_of_window(window)
        )
        verdicts: dict[str, dict[str, int]] = {}
        for sig_id, verdict, count in connection.execute(chosen.group_by(c.sig_id, c.verdict)):
            row = verdicts.setdefault(names.get(sig_id, NO_SIGNATURE), {})
            row[str(verdict)] = row.get(str(verdict), 0) + int(count)
    signatures = sorted({*population.signatures, NO_SIGNATURE})
    width = len(population.hosts) + 1
    at = {name: code for code, name in enumerate(signatures)}
    code = np.array([*(at[name] for name in population.signatures), at[NO_SIGNATURE]])
    cells = code[population.signature] * width + population.host + 1  # -1, none, is the last one
    keys, counts = np.unique(cells, return_counts=True)
    return PopulationCounts(
        signatures=signatures,
        hosts=population.hosts,
        cell_signature=keys // width,
        cell_host=keys % width - 1,
        cell_crashes=counts.astype(np.int64),
        identities=identities,
        verdicts=verdicts,
        untimed=int((~population.has_time).sum()),
    )


def _signature_names(
    connection: Connection,
) -> tuple[dict[int | None, str], dict[str, SignatureIdentity]]:
    c = tables.sig.c
    rows = connection.execute(select(c.id, c.kind, c.key, c.coarse, c.category, c.text))
    names: dict[int | None, str] = {None: NO_SIGNATURE}
    identities: dict[str, SignatureIdentity] = {}
    for number, kind, key, coarse, category, text in rows:
        names[number] = text or key or coarse or NO_SIGNATURE  # as population.py names them
        identities.setdefault(
            names[number], SignatureIdentity(kind or None, key or coarse or None, category)
        )
    return names, identities


def _conditions_of_window(window: Window) -> list[Any]:
    c = tables.crash.c
    first, last = window
    conditions = [] if first is None else [c.ts >= first * SECONDS_A_DAY]
    return conditions + ([] if last is None else [c.ts < (last + 1) * SECONDS_A_DAY])


def flipped_bits_by_host(
    engine: Engine, window: Window, signature: str | None
) -> dict[str, Counter[int]]:
    """Return host -> how often each bit (0..63) of a pointer was wrong."""
    c, host = tables.crash.c, tables.host.c
    source = tables.crash.outerjoin(tables.host, c.host_id == host.id)
    # By columns alone: PostgreSQL takes no expression with a parameter for the same one twice.
    keys = (host.name, host.machine_id, c.flip_bit)
    chosen = select(*keys, func.count(c.id)).where(
        c.flip_bit.is_not(None), c.bitflip.is_(True), *_conditions_of_window(window)
    )
    if signature is not None:
        source = source.join(tables.sig, c.sig_id == tables.sig.c.id)
        chosen = chosen.where(func.coalesce(tables.sig.c.text, tables.sig.c.key) == signature)
    flips_by_host: dict[str, Counter[int]] = {}
    with engine.connect() as connection:
        rows = connection.execute(chosen.select_from(source).group_by(*keys))
        for name, machine, bit, n in rows:
            flips_by_host.setdefault(name or machine or NO_HOST, Counter())[int(bit)] += int(n)
    return flips_by_host


# -- A section for each signature: the stack and evidence of a stored record, cores to look at -----

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
        for part in parts_for_in_list(list(core_keys)):
            for key, blob in connection.execute(chosen.where(tables.crash.c.core_key.in_(part))):
                yield str(key), unpack_record_or_empty(blob)


def example_of_record(core_key: str, record: Json) -> ExampleOfSignature:
    """Return what a record says about its crash."""
    calls = explaining_calls(record)
    happened, cause = escaped_opening(record, calls)
    frames, source = _frames_of_record(record, calls)
    verdict = get_group(record, "verdict")
    evidence = _evidence_lines(record)
    reasons = _harmless_texts(verdict.get("reasons"))
    return ExampleOfSignature(
        core_key,
        harmless_text(happened, 2 * MAX_LINE),
        harmless_text(cause, 2 * MAX_LINE),
        frames,
        source,
        # Most reasons are the evidence itself; why nothing can be told is not.
        tuple(reason for reason in reasons if not any(reason in line for line in evidence)),
        _harmless_texts(verdict.get("against")),
        evidence,
    )


def example_rank(record: Json) -> tuple[int, int]:
    """Return how much an example shows: frames, then evidence."""
    frames = get_group(get_group(record, "threads"), "crashed").get("frames")
    findings = record.get("findings")
    size = len(frames) if isinstance(frames, list) else 0
    return (size, len(findings) if isinstance(findings, list) else 0)


def _frames_of_record(
    record: Json, calls: Sequence[StackCall]
) -> tuple[tuple[StackFrame, ...], str]:
    rows = limit_stack_rows(fold_calls(calls), MAX_FRAMES)
    if rows:
        return tuple(_frame_of_call(row.call) for row in rows), ""
    lines = get_group(get_group(record, "signature"), "text")
    for name in ("strict", "stable", "python", "native", "coarse"):
        line = text_or_none(lines.get(name))
        if line:
            named = parse_signature_line(line, None).frames
            calls = [StackCall(PY if language == PYTHON else C, name) for language, name in named]
            frames = tuple(_frame_of_call(call) for call in calls)
            return frames, "its frames were not stored; these are the names in its signature"
    return (), "its frames were not stored"


def _frame_of_call(call: StackCall) -> StackFrame:
    name, place, aside = shown_name(call), call.place().rsplit("/", 1)[-1], call.aside
    return StackFrame(
        call.language, *(harmless_text(words, MAX_LINE) for words in (name, place, aside))
    )


def _evidence_lines(record: Json) -> tuple[str, ...]:
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


def _harmless_texts(value: Any) -> tuple[str, ...]:
    given = value[:MAX_LINES] if isinstance(value, list) else []
    return tuple(harmless_text(line, MAX_LINE) for line in given if isinstance(line, str))


MAX_CORES = 3  # named in a section; the fullest of their records gives stack and evidence
MAX_HOSTS = 8


def signature_sections(
    engine: Engine,
    population: Population,
    counts: PopulationCounts,
    series: CrashCountsBySignature,
    rows: Sequence[SignatureRow],
    headlines: Sequence[Headline],
) -> tuple[SignatureSection, ...]:
    """Return the sections in the order of the table."""
    cores = {row.rank: _example_cores(population, series, row) for row in rows}
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
                tuple(counts.hosts_of_signature(number[row.name])[:MAX_HOSTS]),
                tuple(h for h in headlines if h.signature == row.rank),
            )
        )
    return tuple(cores_of_row)


def _example_cores(
    population: Population, series: CrashCountsBySignature, row: SignatureRow
) -> list[ExampleCore]:
    """The latest cores, the latest first."""
    latest, timed = [], population.has_time
    for i in (
        series.crashes_of_signature(row.code)[: -MAX_CORES - 1 : -1].tolist()
        if row.code >= 0
        else ()
    ):
        host = int(population.host[i])
        name = population.hosts[host] if host >= 0 else ""
        day = day_text(int(population.day[i])) if timed[i] else ""
        latest.append(ExampleCore(population.core_keys[i], day, name))
    return latest

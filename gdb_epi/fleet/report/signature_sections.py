# SPDX-License-Identifier: Apache-2.0
"""A section for each signature: the stack and evidence of a stored record, cores to look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Engine, select

from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.report.axis import Series
from gdb_epi.fleet.report.counts import Tally
from gdb_epi.fleet.report.page import Example, ExampleCore, Frame, Headline, Section, SignatureRow
from gdb_epi.fleet.report.texts import NATIVE, PYTHON, clean, day_text, signature_words
from gdb_epi.fleet.store import tables as t
from gdb_epi.fleet.store.dimensions import in_list_parts
from gdb_epi.fleet.store.packing import stored_record
from gdb_epi.fleet.store.values import group, text

MAX_FRAMES = 24
MAX_LINES = 8  # items of evidence, reasons
MAX_LINE = 300  # characters

Json = Mapping[str, Any]


def records(engine: Engine, core_keys: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (core_key, record) of the cores that are stored."""
    chosen = select(t.crash.c.core_key, t.raw.c.record).join(
        t.raw, t.raw.c.crash_id == t.crash.c.id
    )
    with engine.connect() as connection:
        for part in in_list_parts(list(core_keys)):
            for key, blob in connection.execute(chosen.where(t.crash.c.core_key.in_(part))):
                yield str(key), stored_record(blob)


def example(core_key: str, record: Json) -> Example:
    """Return what a record says about its crash."""
    frames, more, source = _frames(record)
    verdict = group(record, "verdict")
    label, word = text(verdict.get("label")), text(verdict.get("word"))
    evidence = _evidence(record)
    reasons = _texts(verdict.get("reasons"))
    return Example(
        core_key,
        frames,
        more,
        source,
        f"{label} ({word})" if label and word else label,
        # Most reasons are the evidence itself; why nothing can be told is not.
        tuple(reason for reason in reasons if not any(reason in line for line in evidence)),
        _texts(verdict.get("against")),
        evidence,
    )


def weight(record: Json) -> tuple[int, int]:
    """Return how much an example shows: frames, then evidence."""
    frames = group(group(record, "threads"), "crashed").get("frames")
    findings = record.get("findings")
    size = len(frames) if isinstance(frames, list) else 0
    return (size, len(findings) if isinstance(findings, list) else 0)


def _frames(record: Json) -> tuple[tuple[Frame, ...], int, str]:
    given = group(group(record, "threads"), "crashed").get("frames")
    if isinstance(given, list) and given:
        frames = [_frame(f) for f in given if isinstance(f, dict)]
        return tuple(frames[:MAX_FRAMES]), max(len(frames) - MAX_FRAMES, 0), "the stack in the core"
    lines = group(group(record, "signature"), "text")
    for name in ("strict", "stable", "python", "native", "coarse"):
        line = text(lines.get(name))
        if line:
            words = signature_words(line, None)
            named = [Frame(lang, clean(f, MAX_LINE), "", False) for lang, f in words.frames]
            return tuple(named), 0, f"the signature ({name}); no frames were stored"
    return (), 0, "no frames were stored"


def _frame(frame: Json) -> Frame:
    python = frame.get("language") == PYTHON
    name = frame.get("qualname") if python else frame.get("function")
    function = text(name) or text(frame.get("name")) or "??"
    file, line = text(frame.get("filename")), frame.get("lineno")
    place = f"{_base(file)}:{line}" if file and isinstance(line, int) else _base(file or "")
    module = text(frame.get("module")) or ""
    if not python:
        place = f"{module} {place}".strip()
    glue = not python and bool(frame.get("eval_loop") or frame.get("kind") == "inline")
    language = PYTHON if python else NATIVE
    return Frame(language, clean(function, MAX_LINE), clean(place, MAX_LINE), glue)


def _base(path: str) -> str:
    return path.rsplit("/", 1)[-1]


def _evidence(record: Json) -> tuple[str, ...]:
    lines = []
    category = text(group(record, "signature").get("evidence"))
    if category:
        lines.append(clean(category, MAX_LINE))
    findings = record.get("findings")
    for finding in findings[:MAX_LINES] if isinstance(findings, list) else ():
        summary = text(finding.get("summary")) if isinstance(finding, dict) else None
        if summary:
            lines.append(clean(f"{finding.get('detector')}: {summary}", MAX_LINE))
    flags = group(record, "flags")
    named = [word for word in ("bitflip", "lock_inherited") if flags.get(word) is True]
    lines += [f"flag: {word}" for word in named]
    return tuple(dict.fromkeys(lines))


def _texts(value: Any) -> tuple[str, ...]:
    given = value[:MAX_LINES] if isinstance(value, list) else []
    return tuple(clean(line, MAX_LINE) for line in given if isinstance(line, str))


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
    cores |= {row.rank: _cores_without_time(engine, row) for row in lonely}
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


def _cores_without_time(engine: Engine, row: SignatureRow) -> list[ExampleCore]:
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

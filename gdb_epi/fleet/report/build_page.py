# SPDX-License-Identifier: Apache-2.0
"""Build the page of the report from the database: its head, its rows and their details."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from sqlalchemy import Engine

from gdb_epi.fleet.decisions.current_state import SIGNATURE
from gdb_epi.fleet.decisions.finding_states import DISMISSED, StoredFinding, stored_findings
from gdb_epi.fleet.decisions.fix_assessment import describe_fix
from gdb_epi.fleet.decisions.repairs import (
    screen_without_repaired_hosts_past,
    separate_past_of_repaired_hosts,
)
from gdb_epi.fleet.decisions.states import (
    StateWithCrashes,
    day_before_repair_by_host,
    failed_fixes,
    read_decision_states,
)
from gdb_epi.fleet.population.cache import load_population
from gdb_epi.fleet.population.population import FOREVER_AGO, Population
from gdb_epi.fleet.questions.population_verdict import PopulationVerdict, judge_population
from gdb_epi.fleet.questions.quality import ATTRIBUTES, HOURS, check_quality
from gdb_epi.fleet.questions.signature_history import describe_crash_by_records, some_records
from gdb_epi.fleet.records.facts import program_name_of_crashes, short_program
from gdb_epi.fleet.report.axis import CrashCountsBySignature, DayAxis, choose_day_axis
from gdb_epi.fleet.report.headlines import headline_of_verdict, join_alike_headlines
from gdb_epi.fleet.report.page import (
    CurveDay,
    FlippedBitHistogram,
    Headline,
    HostMap,
    HostMapRow,
    NamedValue,
    ReportPage,
    SignatureRow,
    StateRow,
    UrgentSignature,
)
from gdb_epi.fleet.report.signature_sections import (
    PopulationCounts,
    SignatureIdentity,
    count_population,
    flipped_bits_by_host,
    signature_sections,
)
from gdb_epi.fleet.report.split_views import split_views
from gdb_epi.fleet.report.text_formatting import (
    day_text,
    harmless_text,
    label_in_words,
    number_text,
)
from gdb_epi.fleet.screen.finding import crashes_of_findings
from gdb_epi.fleet.screen.programs import known_programs
from gdb_epi.fleet.statistics.arrays import Bools
from gdb_epi.fleet.store.day_numbers import utc_day_text
from gdb_epi.fleet.store.plain_sql import sqlalchemy_executor
from gdb_epi.judgement.labels import URGENT
from gdb_epi.render.signature_words import SignatureParts, parse_signature_line
from gdb_epi.util import counted

# -- The states of signatures and hosts on the page ------------------------------------------------

MAX_STATES = 200
MAX_HISTORY = 20  # decisions of one row, the latest


def state_rows(states: Sequence[StateWithCrashes]) -> tuple[StateRow, ...]:
    """Return the rows; what needs a person comes first."""
    return tuple(_state_row(state) for state in states[:MAX_STATES])


def regressed_fixes_words(states: Sequence[StateWithCrashes]) -> str | None:
    """Say how many fixed signatures crash again; None when none does."""
    again = failed_fixes(states)
    if not again:
        return None
    first, fix = again[0]
    many = f"{counted(len(again), 'fixed signature')} crash again" if len(again) > 1 else ""
    first_text = f"{first.current.subject.name} was {describe_fix(fix)}"
    return (
        f"{many}, the first: {first_text}."
        if many
        else f"A fixed signature crashes again: {first_text}."
    )


def _state_row(state: StateWithCrashes) -> StateRow:
    held = state.current
    is_signature = held.subject.about == SIGNATURE
    what = [describe_fix(state.fix)] if state.fix is not None else []
    if held.mark is not None and held.mark.until is not None:
        what.append(f"until {utc_day_text(held.mark.until - 1)}")
    what += [held.note] if held.note else []
    history = [f"{utc_day_text(mark.at)} {mark.words()}" for mark in held.history[-MAX_HISTORY:]]
    return StateRow(
        about=held.subject.about,
        name=held.subject.name,
        words=parse_signature_line(state.text, None) if is_signature else None,
        state=state.state,
        since=utc_day_text(held.since),
        what="; ".join(what),
        owner=", ".join(part for part in (held.owner, held.ticket) if part),
        crashes=state.crashes,
        history=tuple(history),
    )


# -- Ask the database everything that the page shows: its head, the rows, and what each part
#    needs

MAX_COLUMNS = 16  # signatures
MAX_ROWS = 30  # hosts
MAX_BIT_HOSTS = 8
EXPECTED_FLOOR = 0.5  # crashes: below that chi-square makes too much of one crash
GROUPS = ("rack", "row", "zone", "sku")  # the first attribute that is known groups the hosts
POINTER_BITS = 64


def map_of_hosts_by_signatures(
    population: Population,
    counts: PopulationCounts,
    rows: Sequence[SignatureRow],
    marked: Sequence[str],
) -> HostMap | None:
    """Return the hosts whose crashes are the most concentrated, by group; None without hosts.

    Concentration of a host is how far its cells exceed what its total and the signature's total
    would give, and its total that of other hosts (chi-square); `marked` hosts come in any case.
    """
    has_host = counts.cell_host >= 0
    if not has_host.any() or not rows:
        return None
    host, sig, n = (
        a[has_host] for a in (counts.cell_host, counts.cell_signature, counts.cell_crashes)
    )
    per_host = np.bincount(host, n, minlength=len(counts.hosts))
    per_sig = np.bincount(sig, n, minlength=len(counts.signatures))
    expected = np.maximum(per_host[host] * per_sig[sig] / per_host.sum(), EXPECTED_FLOOR)
    # One crash in a cell says nothing: every host has some signature that few others have.
    excess = np.where(n > 1, np.maximum(n - expected, 0) ** 2 / expected, 0)
    usual = per_host.sum() / max(len(counts.hosts), 1)
    score = np.bincount(host, excess, minlength=len(counts.hosts))
    score = score + np.maximum(per_host - usual, 0) ** 2 / max(usual, EXPECTED_FLOOR)
    score[[i for i, name in enumerate(counts.hosts) if name in set(marked)]] = np.inf
    seen = np.flatnonzero(per_host)
    chosen = seen[np.lexsort((seen, -per_host[seen], -score[seen]))][:MAX_ROWS]
    columns = _signature_columns(counts, rows, chosen)
    group_name, groups = _group_of_each_host(population, counts, chosen)
    at = {counts.signatures.index(row.name): i for i, row in enumerate(columns)}
    lines = []
    for code in chosen.tolist():
        cells = [0] * len(columns)
        for s, k in zip(sig[host == code].tolist(), n[host == code].tolist(), strict=True):
            if s in at:
                cells[at[s]] = int(k)
        total = int(per_host[code])
        lines.append(
            HostMapRow(
                counts.hosts[code], groups.get(code, ""), total, tuple(cells), total - sum(cells)
            )
        )
    return HostMap(
        group_name,
        columns,
        tuple(_hosts_by_group(lines)),
        int(seen.size - chosen.size),
        int((per_sig > 0).sum()) - len(columns),
    )


def _signature_columns(
    counts: PopulationCounts, rows: Sequence[SignatureRow], hosts: np.ndarray
) -> tuple[SignatureRow, ...]:
    """The signatures that these hosts have most, in the order of the table."""
    mine = np.isin(counts.cell_host, hosts)
    size = len(counts.signatures)
    crashes = np.bincount(counts.cell_signature[mine], counts.cell_crashes[mine], minlength=size)
    at = {name: i for i, name in enumerate(counts.signatures)}
    best = sorted(rows, key=lambda row: (-crashes[at[row.name]], row.rank))[:MAX_COLUMNS]
    return tuple(sorted((r for r in best if crashes[at[r.name]]), key=lambda row: row.rank))


def _group_of_each_host(
    population: Population, counts: PopulationCounts, hosts: np.ndarray
) -> tuple[str | None, dict[int, str]]:
    """The group of each host: the value that its latest crash had."""
    attribute = next((a for a in map(population.attribute, GROUPS) if a is not None), None)
    if attribute is None:
        return None, {}
    code = {name: i for i, name in enumerate(population.hosts)}
    group_of_host = {}
    for host in hosts.tolist():
        mine = np.flatnonzero(population.host == code.get(counts.hosts[host], -2))
        values = attribute.crash[mine]
        values = values[values >= 0]
        if values.size:
            group_of_host[host] = attribute.values[int(values[-1])]
    return attribute.name, group_of_host


def _hosts_by_group(lines: Sequence[HostMapRow]) -> list[HostMapRow]:
    """Put the hosts of one group side by side, where the first of them stood."""
    groups: dict[str, list[HostMapRow]] = {}
    for line in lines:
        groups.setdefault(line.group, []).append(line)
    return [line for group in groups.values() for line in group]


def flipped_bit_histograms(
    flips_by_host: Mapping[str, Counter[int]],
) -> tuple[FlippedBitHistogram, ...]:
    """Return a histogram for each host with several flips, and one for all the others."""
    order = sorted(flips_by_host.items(), key=lambda pair: (-sum(pair[1].values()), pair[0]))
    own = [pair for pair in order if sum(pair[1].values()) > 1][:MAX_BIT_HOSTS]
    rows = [_bit_row_of_host(host, bits) for host, bits in own]
    others = order[len(own) :]
    if len(others) == 1:
        rows.append(_bit_row_of_host(*others[0]))
    elif others:
        total: Counter[int] = Counter()
        for _, bits in others:
            total.update(bits)
        rows.append(_bit_row_of_host(f"{len(others):,} {'other ' if own else ''}hosts", total))
    return tuple(rows)


def _bit_row_of_host(host: str, bits: Counter[int]) -> FlippedBitHistogram:
    return FlippedBitHistogram(
        host, tuple(bits.get(i, 0) for i in range(POINTER_BITS)), _repeated_bit_words(bits)
    )


def _repeated_bit_words(bits: Counter[int]) -> str:
    """Say whether it is one bit again and again, which a broken cell or line would show."""
    total = sum(bits.values())
    bit, most = min(bits.items(), key=lambda pair: (-pair[1], pair[0]))
    if total == 1:
        return f"one flip, bit {bit}"
    if most * 2 > total:
        return f"bit {bit} in {number_text(most)} of {counted(total, 'flip')}"
    lanes = Counter(b // 8 for b in bits.elements())
    lane, often = min(lanes.items(), key=lambda pair: (-pair[1], pair[0]))
    if often * 3 > total * 2 and total > 2:
        return f"byte {lane} in {number_text(often)} of {counted(total, 'flip')}"
    return f"{counted(total, 'flip')} over {counted(len(bits), 'bit')}"


# -- Ask the database everything that the page shows: its head, the rows, and what each part
#    needs

TITLE = "Why Python processes died"
MAX_SIGNATURES = 400  # in the table, each with a section
MAX_HEADLINES = 24
MAX_NAMED = 100  # signatures that are called by their causes
HOST_MARK = "host="


class ReportScope(NamedTuple):
    """What the page is about."""

    since: int | None = None  # days since 1970-01-01
    until: int | None = None
    signature: str | None = None  # the text, as in Population.signatures


def build_page(engine: Engine, wanted: ReportScope) -> ReportPage:
    """Return the page's contents. The same database gives the same page."""
    with engine.connect() as connection:
        execute, now = sqlalchemy_executor(connection), time.time()
        repaired, states = (
            day_before_repair_by_host(execute, now),
            read_decision_states(execute, now),
        )
    population = separate_past_of_repaired_hosts(load_population(engine, wanted.until), repaired)
    window = (wanted.since, wanted.until)
    if window != (None, None):  # a crash of unknown time cannot be said to lie inside
        since = FOREVER_AGO if wanted.since is None else wanted.since
        inside = population.has_time & (population.day >= since)
        population = population.select(inside, population.exposure_day >= since)
    if pruned := population.left_by_prune:  # crashes left from before the prune are not counted
        window = (max(pruned.before, wanted.since or 0), wanted.until)
    counts = count_population(engine, population, window)
    before = stored_findings(engine)
    axis = choose_day_axis(population)
    series = CrashCountsBySignature(population, axis)
    today = axis.last if axis is not None else population.last_day
    screened = screen_without_repaired_hosts_past(population, today)
    verdicts = judge_population(population, screened.day, screened) if screened is not None else []
    verdicts_shown = [v for v in verdicts if wanted.signature in (None, v.subject)]
    rows = _signature_rows(
        population,
        counts,
        series,
        {v.subject for v in verdicts_shown[:MAX_HEADLINES]},
        wanted.signature,
    )
    ranks = {row.name: row.rank for row in rows}
    all_headlines = [headline_of_verdict(verdict, before, ranks) for verdict in verdicts_shown]
    headlines = tuple(head for head in all_headlines if head.state != DISMISSED)
    bits = flipped_bit_histograms(flipped_bits_by_host(engine, window, wanted.signature))
    hosts = [
        v.subject.removeprefix(HOST_MARK) for v in verdicts_shown if v.subject.startswith(HOST_MARK)
    ]
    shown, urgent = join_alike_headlines(headlines), urgent_signatures(rows)
    regressions = regressed_fixes_words(states) if wanted.signature is None else None
    return ReportPage(
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
        host_map=map_of_hosts_by_signatures(population, counts, rows, hosts),
        bits=bits,
        splits=split_views(population, rows, verdicts_shown, screened, series),
        sections=signature_sections(engine, population, counts, series, rows, headlines),
        notes=caveats_of_answers(population, counts, axis),
        states=state_rows(states) if wanted.signature is None else (),
        names=_names_by_cause(engine, rows[:MAX_NAMED]),
    )


def _names_by_cause(engine: Engine, rows: Sequence[SignatureRow]) -> dict[SignatureParts, str]:
    """Return what signatures are called whose records agree; a line knows its category alone."""
    with engine.connect() as connection:
        execute = sqlalchemy_executor(connection)
        names = {
            row.words: describe_crash_by_records(row.name, some_records(execute, row.key))
            for row in rows
        }
    return {words: name for words, name in names.items() if name}


def _explained_crashes(population: Population, verdicts: Sequence[PopulationVerdict]) -> Bools:
    """Return which crashes a finding covers."""
    causes = [cause for verdict in verdicts for cause in verdict.causes]
    findings = (finding for cause in causes for finding in cause.findings)
    return crashes_of_findings(findings, population.day.size)


def _signature_rows(
    population: Population,
    counts: PopulationCounts,
    series: CrashCountsBySignature,
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
        members = series.crashes_of_signature(code)
        identity = counts.identities.get(name, SignatureIdentity(None, None, None))
        best = counts.hosts_of_signature(number)[:1]
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
                daily=series.counts_by_step(members),
                bitflips=int(population.bitflip[members].sum()),
                inherited=int(population.lock_inherited[members].sum()),
                program=short_program(program_name_of_crashes(known_programs(population, members))),
            )
        )
    return tuple(rows)


MAX_CHECKS = 8  # lines about the data; gdb-epi fleet check has all
MAX_NOTE = 400  # characters of one
MAX_RAISED = 4  # findings named at one day of the curve


def days_in_words(axis: DayAxis | None) -> str:
    """Return the days that the page is about."""
    if axis is None:
        return "no crash has a time"
    if axis.first == axis.last:
        return day_text(axis.first)
    return f"{day_text(axis.first)} to {day_text(axis.last)}"


def population_sizes(population: Population, counts: PopulationCounts) -> tuple[NamedValue, ...]:
    """Return the sizes of the population."""
    hosts = counts.cell_host[counts.cell_host >= 0]
    facts = [
        NamedValue("crashes", number_text(counts.crashes)),
        NamedValue("signatures", number_text(int((counts.per_signature() > 0).sum()))),
    ]
    if hosts.size:
        facts.append(NamedValue("hosts with crashes", number_text(int(np.unique(hosts).size))))
    if population.has_exposure:
        hours = float(population.exposure_hours.sum())
        facts.append(NamedValue("host-hours", number_text(round(hours))))
        covered = int(
            population.has_host_hours.sum()
        )  # of hosts that the feed lacks there are no hours
        facts.append(NamedValue("per 1,000 host-hours", number_text(1000 * covered / hours)))
    return tuple(facts)


def urgent_signatures(rows: Sequence[SignatureRow]) -> tuple[UrgentSignature, ...]:
    """Return what single cores say by themselves, which no comparison of crashes can: it is first.

    Hardware suspects, damage, inherited locks, deadlocks; the most frequent of each first.
    """
    return tuple(
        UrgentSignature(label, n, row.rank, row.words)
        for label in URGENT
        for row in sorted(rows, key=lambda row: -dict(row.verdicts).get(label, 0))
        if (n := dict(row.verdicts).get(label, 0))
    )


def _urgent_signatures_sentences(urgent: Sequence[UrgentSignature]) -> tuple[str, ...]:
    sizes: Counter[str] = Counter()
    for row in urgent:
        sizes[row.label] += row.crashes
    words = ", ".join(f"{label_in_words(label)} {number_text(n)}" for label, n in sizes.items())
    return (f"What cores say by themselves: {words}.",) if words else ()


def summary_sentences(
    counts: PopulationCounts, headlines: Sequence[Headline], urgent: Sequence[UrgentSignature] = ()
) -> tuple[str, ...]:
    """Return the answer in words, before any number is explained."""
    alone, compared = _urgent_signatures_sentences(urgent), _comparison_sentences(counts, headlines)
    if headlines or not alone:
        return (*compared, *alone)
    return (*alone, *(f"Compared with each other: {_after_colon(c)}" for c in compared))


def _after_colon(sentence: str) -> str:
    """Return a sentence with a small first letter, but for an acronym (CPU)."""
    return sentence if sentence[1:2].isupper() else f"{sentence[:1].lower()}{sentence[1:]}"


def no_findings_text(population: Population, counts: PopulationCounts) -> str:
    """Return what stands in the place of findings; only what could have been found is denied."""
    if (counts.cell_host >= 0).any():
        what = "No host and no attribute was found to have more crashes than its share."
    else:
        what = "No attribute was found to have more crashes than its share; no record names a host."
    lacks = "" if population.has_exposure else ", or without host-hours"
    return f"{what} With few crashes{lacks}, one that has may not be seen."


def _comparison_sentences(
    counts: PopulationCounts, headlines: Sequence[Headline]
) -> tuple[str, ...]:
    """Return what comparing the crashes with each other says."""
    if not counts.crashes:
        return ("The database holds no crashes yet.",)
    if not headlines:
        size = counted(f"{counts.crashes:,}", "crash") if counts.crashes != 1 else "1 crash"
        if not (counts.cell_host >= 0).any():
            return (f"Cannot tell whether a host is to blame: of {size}, none names its host.",)
        return (
            f"Nothing stands out among {size}: no host, version or other attribute has more "
            "crashes than its share, as far as these numbers can tell.",
        )
    kinds = [
        (sum(h.kind in ("hardware", "host") for h in headlines), "to a host or to hardware"),
        (sum(h.kind == "software" for h in headlines), "to a version, configuration or load"),
        (sum(h.kind == "two" for h in headlines), "to two causes in one signature"),
        (sum(h.kind == "unknown" for h in headlines), "to one event, or to no cause yet"),
    ]
    parts = [f"{n} {'points' if n == 1 else 'point'} {where}" for n, where in kinds if n]
    total = len(headlines)
    what = "One finding stands out" if total == 1 else f"{total} findings stand out"
    first = headlines[0]
    strongest = f"The first: {first.label.lower()}: {_after_colon(first.title)}."
    return (f"{what}: {', '.join(parts)}.", *([strongest] if total > 1 else ()))


def curve_with_findings(
    population: Population, axis: DayAxis | None, before: Sequence[StoredFinding], explained: Bools
) -> tuple[CurveDay, ...]:
    """Return the epidemic curve, with the findings that were raised on each day."""
    if axis is None:
        return ()
    places = axis.steps_of_days(population.known_day)
    inside = (places >= 0) & (places < axis.steps)
    crashes = np.bincount(places[inside], minlength=axis.steps)
    in_findings = np.bincount(places[inside & explained], minlength=axis.steps)
    with_hours = np.bincount(places[inside & population.has_host_hours], minlength=axis.steps)
    with_host = inside & (population.host >= 0)
    pairs = np.unique(places[with_host] * (len(population.hosts) + 1) + population.host[with_host])
    hosts = np.bincount(pairs // (len(population.hosts) + 1), minlength=axis.steps)
    hours = _hours_by_step(population, axis)
    raised: dict[int, list[str]] = {}
    for stored_finding in sorted(before, key=lambda old: old.identity):
        place = (stored_finding.day - axis.first) // axis.step
        names = raised.setdefault(place, [])
        name = harmless_text(f"{stored_finding.attr} {stored_finding.value}", 40)
        if stored_finding.state != DISMISSED and name not in names and len(names) < MAX_RAISED:
            names.append(name)
    return tuple(
        CurveDay(
            label=axis.first_day_of_step(i),
            day=axis.first + i * axis.step,
            crashes=int(crashes[i]),
            explained=int(in_findings[i]),
            hosts=int(hosts[i]),
            hours=hours[i],
            rate=1000 * int(with_hours[i]) / hours[i] if hours[i] else None,
            raised=tuple(raised.get(i, ())),
        )
        for i in range(axis.steps)
    )


def _hours_by_step(population: Population, axis: DayAxis) -> list[float]:
    places = axis.steps_of_days(population.exposure_day)
    inside = (places >= 0) & (places < axis.steps)
    weights = population.exposure_hours[inside]
    hours: list[float] = np.bincount(places[inside], weights, minlength=axis.steps).tolist()
    return hours


def caveats_of_answers(
    population: Population, counts: PopulationCounts, axis: DayAxis | None
) -> tuple[str, ...]:
    """Return what limits the answers."""
    notes = []
    if population.has_exposure:
        notes.append("Rates rest on the host-hours that were fed in (fleet exposure).")
    else:
        notes.append(
            "No host-hours are known, so crashes are compared with other crashes: "
            "a cause that raises all crashes of a host alike cannot be seen."
        )
    if counts.crashes and not (counts.cell_host >= 0).any():
        notes.append("No record names its host, so no host can be suspected.")
    if counts.untimed:
        notes.append(
            f"{counted(number_text(counts.untimed), 'crash')} without a time that can be trusted: "
            "in the tables and tests, absent from every curve."
        )
    kinds = (ATTRIBUTES, HOURS) if population.has_exposure else (ATTRIBUTES,)
    looks = [c for c in check_quality(population) if c.about in kinds and not c.is_fine]
    notes += [f"The data: {harmless_text(check.text, MAX_NOTE)}." for check in looks[:MAX_CHECKS]]
    if axis is not None and axis.outside:
        notes.append(
            f"{counted(number_text(axis.outside), 'crash')} far from all others in time (a clock "
            "may be off): in the tables and tests, outside of the curves."
        )
    return tuple(notes)

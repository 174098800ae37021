# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet show`: one signature, one core or one host."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from gdb_epi.cli.fleet.output import (
    add_day_and_output_options,
    end_of_day,
    parse_day_argument,
    print_lines,
)
from gdb_epi.cli.support.messages import repeated_database_option
from gdb_epi.errors import InputError
from gdb_epi.util import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gdb_epi.fleet.questions.find_signature import SignatureGroup
    from gdb_epi.fleet.questions.lookup import CrashSummary

HELP = "what is stored of one signature (key, its start, or part of the text), core or host"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "what",
        metavar="SIGNATURE|CORE_KEY|HOST",
        help="the key of a signature or of a core, its start, part of a signature's text; a host",
    )
    add_day_and_output_options(parser, "one JSON object", csv=False)


def run(args: Namespace) -> None:
    """Print it. Raises InputError when nothing in the database is called that."""
    from gdb_epi.fleet.store.database import open_database

    with open_database(args.db, write=False) as engine:
        from gdb_epi.fleet.store.day_of_prune import prune_caveat, read_prune_day_by_itself

        data, lines = _subject_report(
            engine, args.what, parse_day_argument(args.asof), repeated_database_option(args)
        )
        if "first" in data:  # of a signature or a host
            lines[2:2] = prune_caveat(read_prune_day_by_itself(engine), data["first"])
    if args.json:
        print(json.dumps(data, indent=1))
        return
    print_lines(lines)


def _subject_report(
    engine: Any, what: str, asof: int | None, again: str
) -> tuple[dict[str, Any], list[str]]:
    """Return data and lines; `again` is --db, which commands to paste repeat."""
    from gdb_epi.fleet.questions import lookup
    from gdb_epi.fleet.questions.signature_history import (
        longest_gap_sentence,
        name_signatures_by_causes,
        some_records,
    )
    from gdb_epi.fleet.store.plain_sql import sqlalchemy_executor

    hosts = lookup.find_host_ids(engine, what)
    if hosts:
        summary = lookup.summarise_host(engine, hosts, asof)
        attributes = lookup.host_attributes(engine, hosts)
        data = {"host": what, "attributes": attributes, **summary._asdict()}
        decisions = _findings_and_decisions_of_host(engine, what) + _names_and_events_of_host(
            engine, what, asof
        )
        lines = [f"host {what}", *_host_lines(summary, attributes, decisions, again)]
        with engine.connect() as connection:
            return data, name_signatures_by_causes(sqlalchemy_executor(connection), lines)
    record = lookup.find_record(engine, what)
    if record is not None:
        from gdb_epi.render.triage import REPORT, Audience, render_triage

        answer = render_triage(record, Audience(REPORT, database=again))
        head = [f"core {record.get('core_key')}", *_origin_lines(record), ""]
        return record, [*head, *answer]
    group = lookup.find_signature_group(engine, what)
    if group is None:
        if keys := [key for key, _ in lookup.find_cores(engine, what)]:
            some = ", ".join(keys) + ", ..." * (len(keys) == lookup.MAX_CORES)
            raise InputError(f"several cores fit: {some}", hint="more of the key")
        raise InputError(f"no signature, core or host {what!r}", hint="gdb-epi fleet top")
    summary = lookup.summarise_signature(engine, group, asof)
    named = {"kind": group.kind, "key": group.key, "text": group.text, "category": group.category}
    known, versions = _sentences_about_signature(engine, group, asof)
    about = {"kind": group.kind or "", "key": group.key or ""}
    numbers = summary.crashes, summary.first, summary.last
    with engine.connect() as connection:
        execute = sqlalchemy_executor(connection)
        records = some_records(execute, group.key)
        gap = "" if summary.not_believed else longest_gap_sentence(execute, about, *numbers)
    lines = _signature_lines(group, summary, (known, versions), records, again)
    lines[2:2] = [gap] if gap else []
    return {**named, **summary._asdict()}, lines


def _sentences_about_signature(
    engine: Any, group: SignatureGroup, asof: int | None
) -> tuple[list[str], str | None]:
    """Return what is known of a signature, as sentences, and which versions have it."""
    from gdb_epi.fleet.population.cache import load_population
    from gdb_epi.fleet.questions.suspects import sentences_about_signature
    from gdb_epi.fleet.screen.version_courses import versions_with_and_without_words

    population = load_population(engine, asof)
    if group.text not in population.signatures:
        return [], None
    code = population.signatures.index(group.text)
    versions = versions_with_and_without_words(population, population.signature == code)
    return sentences_about_signature(population, code), versions


def _origin_lines(record: dict[str, Any]) -> Iterator[str]:
    """Yield where and when it died, and its file: what one needs to find the core again."""
    from gdb_epi.cli.fleet.output import size_text
    from gdb_epi.fleet.questions.signature_history import format_utc_time
    from gdb_epi.fleet.records.values import number_or_none
    from gdb_epi.record.record_parts import get_group
    from gdb_epi.render.triage import labelled_lines

    time, file = get_group(record, "time"), get_group(record, "file")
    host = get_group(record, "host").get("hostname") or "not known"
    when = format_utc_time(number_or_none(time.get("crash_ts"))) or "not known"
    source = f" (source: {time['ts_source']})" if time.get("ts_source") else ""
    yield from labelled_lines("Host", [str(host)])
    yield from labelled_lines("Time", [f"{when}{source}"])
    if file.get("name"):
        size = number_or_none(file.get("size"))
        words = f"{file['name']}, {size_text(int(size))}" if size is not None else str(file["name"])
        yield from labelled_lines("File", [words])


def _signature_lines(
    group: SignatureGroup,
    summary: CrashSummary,
    known: tuple[Sequence[str], str | None],
    records: Sequence[dict[str, Any]],
    again: str,
) -> list[str]:
    from gdb_epi.fleet.questions.signature_history import signature_title
    from gdb_epi.fleet.records.facts import SEVERAL
    from gdb_epi.render.frame_lines import NATIVE as C
    from gdb_epi.render.frame_lines import PYTHON as PY
    from gdb_epi.render.frame_lines import StackCall, StackRow, row_lines
    from gdb_epi.render.signature_words import PYTHON, parse_signature_line
    from gdb_epi.render.triage import labelled_lines

    labels = [label for label, _ in summary.tables["verdict"]]
    frames = parse_signature_line(group.text or "", group.category).frames
    rows = [StackRow(StackCall(PY if language == PYTHON else C, name)) for language, name in frames]
    lines = [
        signature_title(group.name, group.category, labels, records),
        _crash_count_line(summary),
        "",
    ]
    lines += labelled_lines("Known", known[0])
    program = (
        "several, so it may be several bugs" if summary.program == SEVERAL else summary.program
    )
    lines += labelled_lines("Program", [program] if program else [])
    lines += labelled_lines("Versions", [known[1]] if known[1] else [])
    for label, name in (("Verdict", "verdict"), ("Hosts", "host"), ("Python", "python")):
        lines += labelled_lines(label, _tally_line(summary, name))
    stack = [line.strip() for line in row_lines(rows)]
    lines += ["", *labelled_lines("Stack", stack), ""] if stack else [""]
    steps = [("more than one cause in it?", f"split {group.key}")]
    steps.append(("which hosts or versions?", f"correlate {group.key}"))
    return lines + _next_step_lines(summary, steps, again)


def _findings_and_decisions_of_host(engine: Any, name: str) -> list[str]:
    """Return what was decided about a host, and its findings that are open or confirmed."""
    from gdb_epi.fleet.decisions.decision_lines import host_decision_lines
    from gdb_epi.fleet.decisions.finding_states import CONFIRMED, OPEN, stored_findings
    from gdb_epi.fleet.population.host_spelling import match_spellings
    from gdb_epi.fleet.store.plain_sql import sqlalchemy_executor

    about = [
        f for f in stored_findings(engine) if f.attr == "host" and f.state in (OPEN, CONFIRMED)
    ]
    mine = match_spellings([name], [f.value for f in about])
    words = [
        f"finding {f.id} ({f.state}): {f.detail.get('verdict') or f.numbers_line(interval=False)}"
        for f in about if f.value in mine
    ]  # fmt: skip
    with engine.connect() as connection:
        return words + host_decision_lines(sqlalchemy_executor(connection), name)


def _names_and_events_of_host(engine: Any, name: str, asof: int | None) -> list[str]:
    """Say what stands out of a host, which crashes are another machine's, how many are one event.

    What stands out is what came since its repair.
    """
    import time

    import numpy as np

    from gdb_epi.fleet.decisions.decision_lines import host_decision_lines
    from gdb_epi.fleet.decisions.repairs import (
        latest_names_of_renamed_hosts,
        separate_past_of_repaired_hosts,
    )
    from gdb_epi.fleet.decisions.states import day_before_repair_by_host
    from gdb_epi.fleet.population.cache import load_population
    from gdb_epi.fleet.population.host_spelling import match_spellings
    from gdb_epi.fleet.questions.suspects import kinds_of_host_sentences, sentences_about_hosts
    from gdb_epi.fleet.screen.events import find_events
    from gdb_epi.fleet.screen.host_evidence import flipped_bits_words
    from gdb_epi.fleet.store.plain_sql import sqlalchemy_executor

    population = load_population(engine, asof)
    renamed = population.quality.get("renamed", ())
    given_again = population.quality.get("given_again", ())
    is_now = latest_names_of_renamed_hosts(population)
    names = match_spellings([is_now.get(name, name)], population.hosts)
    mine = [population.hosts.index(host) for host in names]
    count = int(np.isin(population.host, mine).sum())
    with engine.connect() as connection:
        execute = sqlalchemy_executor(connection)
        repaired = day_before_repair_by_host(execute, time.time(), end_of_day(asof))
        decided = [
            line
            for old, now in is_now.items()
            if now in names and old != name
            for line in host_decision_lines(execute, old)
        ]
    lines = decided + sentences_about_hosts(
        separate_past_of_repaired_hosts(population, repaired), names
    )
    for *before, last in renamed:
        if name in before and name not in given_again:
            lines.append(
                f"its machine id is that of {last} since: taken for one host that was renamed "
                f"({counted(count, 'crash')} together); hosts copied from one image may look the "
                "same"
            )
        elif name in before:
            lines.append(
                f"{counted(count, 'crash')} of the machine that has this name now; the others are "
                f"of the one that is called {last} since"
            )
        elif name == last:
            lines.append(
                f"its machine id is that of {' and '.join(before)}, whose crashes are older: taken "
                f"for one host that was renamed ({counted(count, 'crash')} together); hosts copied "
                "from one image may look the same"
            )
    repeated = find_events(population).repeated
    again = int(np.isin(population.host[repeated], mine).sum())
    if again:
        lines.append(
            f"{again} of its crashes came right after one of their kind, as of a program that is "
            "started again: counted once"
        )
    if flips := flipped_bits_words(population, np.isin(population.host, mine)):
        lines.append(flips)
    return lines + kinds_of_host_sentences(population, mine)


def _host_lines(
    summary: CrashSummary,
    attributes: Sequence[tuple[str, str]],
    decisions: Sequence[str],
    again: str,
) -> list[str]:
    from gdb_epi.render.signature_words import signature_phrase_and_key
    from gdb_epi.render.triage import labelled_lines

    lines = [_crash_count_line(summary), "", *labelled_lines("Known", decisions)]
    for label, name in (("Verdict", "verdict"), ("CPU", "cpu")):
        lines += labelled_lines(label, _tally_line(summary, name))
    lines.append("Crashes, most frequent first")
    for text, count in summary.tables["signature"]:
        lines.append(f"  {count:6}  {signature_phrase_and_key(text)}")
    values: dict[str, list[str]] = {}
    for name, value in attributes:
        if not name.endswith("_hash"):  # it tells hosts apart for questions, and a reader nothing
            values.setdefault(name, []).append(value)
    facts = [f"{name}: {', '.join(some)}" for name, some in values.items()]
    lines += ["", *labelled_lines("Host", facts)]
    return [*lines, "", *_next_step_lines(summary, [("is this host to blame?", "suspects")], again)]


def _tally_line(summary: CrashSummary, table: str) -> list[str]:
    """Return "node-1 (3), node-2 (1)" as a line; none of an empty table."""
    values = summary.tables[table]
    return [", ".join(f"{value} ({count})" for value, count in values)] if values else []


def _crash_count_line(summary: CrashSummary) -> str:
    from gdb_epi.fleet.questions.signature_history import format_utc_time

    if summary.first is None:
        return f"{counted(summary.crashes, 'crash')}; when is not known"
    first, last = format_utc_time(summary.first), format_utc_time(summary.last)
    when = f"on {first}" if first == last else f"first {first}, last {last}"
    if summary.not_believed:
        when += f" (the clocks of {summary.not_believed} were wrong: left out here)"
    return f"{counted(summary.crashes, 'crash')}, {when}"


def _next_step_lines(
    summary: CrashSummary, steps: Sequence[tuple[str, str]], again: str
) -> list[str]:
    """Return the next steps; no line is broken, as it is pasted."""
    from gdb_epi.render.frame_lines import LABEL

    latest = [("its latest core:", f"show {key}") for key in summary.examples[:1]]
    every = [*latest, *steps]
    width = max(len(asked) for asked, _ in every)
    return [
        f"{'' if number else 'Next':<{LABEL}}{asked:<{width}}  gdb-epi fleet {verb}{again}"
        for number, (asked, verb) in enumerate(every)
    ]

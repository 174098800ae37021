# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet show`: one signature, one core or one host."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from gdb_epi.cli.fleet.output import add_forms, print_line
from gdb_epi.errors import EXIT_DONE, InputError
from gdb_epi.util import counted

if TYPE_CHECKING:
    from gdb_epi.fleet.questions.lookup import Summary

GROUP = "Look"
HELP = "what is stored of one signature (key, its start, or part of the text), core or host"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("what", metavar="SIGNATURE|CORE_KEY|HOST")
    add_forms(parser, "one JSON object", csv=False)


def run(args: Namespace) -> int:
    """Print it. Raises InputError when nothing in the database is called that."""
    from gdb_epi.fleet.store.db import open_database

    with open_database(args.db, write=False) as engine:
        data, lines = _found(engine, args.what)
    if args.json:
        print(json.dumps(data, indent=1))
        return EXIT_DONE
    for line in lines:
        print_line(line)
    return EXIT_DONE


def _found(engine: Any, what: str) -> tuple[dict[str, Any], list[str]]:
    from gdb_epi.fleet.questions import lookup

    hosts = lookup.find_host(engine, what)
    if hosts:
        summary = lookup.of_host(engine, hosts)
        attributes = lookup.host_attributes(engine, hosts)
        lines = [f"host {what}", *(f"  {name}: {value}" for name, value in attributes)]
        data = {"host": what, "attributes": attributes, **summary._asdict()}
        return data, lines + _lines(summary)
    record = lookup.find_record(engine, what)
    if record is not None:
        from gdb_epi.render.triage import REPORT, Reader, render_triage

        answer = render_triage(record, Reader(REPORT))
        return record, [f"core {record.get('core_key')}", *answer]
    group = lookup.find_group(engine, what)
    if group is None:
        raise InputError(f"no signature, core or host {what!r}", hint="gdb-epi fleet top")
    summary = lookup.of_signature(engine, group)
    named = {"kind": group.kind, "key": group.key, "text": group.text, "category": group.category}
    lines = [group.name, f"  {group.kind} {group.key}"]
    return {**named, **summary._asdict()}, lines + _lines(summary)


def _lines(summary: Summary) -> list[str]:
    from gdb_epi.fleet.questions.seen import utc_time

    lines = [f"  {counted(summary.crashes, 'crash')}"]
    if summary.first is not None:
        lines[0] += f", first {utc_time(summary.first)}, last {utc_time(summary.last)}"
    for name, rows in summary.tables.items():
        if rows:
            lines.append(f"  by {name}:")
            lines += [f"    {count:6}  {value}" for value, count in rows]
    lines.append("  latest cores: " + ", ".join(summary.examples))
    return lines

# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet findings`: what `fleet screen` raised, and what became of it."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from gdb_epi.cli.fleet.output import add_output_options, print_line, print_lines

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from gdb_epi.fleet.decisions.finding_states import StoredFinding

HELP = "the findings that were raised, with their states: open, confirmed, dismissed, repaired"
EPILOG = "`fleet confirm ID` and `fleet dismiss ID` set the state, `fleet reopen ID` takes it back."
STATES = ("open", "confirmed", "dismissed", "repaired")


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add_output_options(parser)
    parser.add_argument("--state", choices=STATES, help="only findings in this state (all)")


def run(args: Namespace) -> None:
    """Print them, the latest first."""
    from gdb_epi.fleet.store.database import open_database

    with open_database(args.db, write=False) as engine:
        from gdb_epi.fleet.decisions.finding_states import stored_findings
        from gdb_epi.fleet.decisions.states import day_before_repair_by_host
        from gdb_epi.fleet.population.host_spelling import match_spellings
        from gdb_epi.fleet.questions.signature_history import name_signatures_by_causes
        from gdb_epi.fleet.store.plain_sql import sqlalchemy_executor

        findings = stored_findings(engine, args.state)
        with engine.connect() as connection:
            execute = sqlalchemy_executor(connection)
            marked = day_before_repair_by_host(execute, time.time())
            hosts = [finding.value for finding in findings if finding.attr == "host"]
            repaired = set(match_spellings(hosts, marked).values())
            lines = [line for finding in findings for line in _finding_lines(finding, repaired)]
            lines = name_signatures_by_causes(execute, lines)
    if args.json or args.csv:
        from gdb_epi.cli.fleet.output import print_rows

        print_rows([finding_row(finding) for finding in findings], as_csv=args.csv)
    elif findings:
        from gdb_epi.fleet.screen.finding_texts import P_AND_Q

        print_lines((*lines, P_AND_Q))
    else:
        print_line(f"no {args.state + ' ' if args.state else ''}findings")


def finding_row(finding: StoredFinding) -> dict[str, object]:
    """Return a finding as one flat JSON object."""
    from gdb_epi.fleet.questions.signature_history import format_utc_time
    from gdb_epi.fleet.store.day_numbers import iso_day

    kept = {**finding._asdict(), "date": iso_day(finding.day)}
    detail = kept.pop("detail")
    kept["decided_at"] = format_utc_time(finding.decided_at) or None
    for name in ("verdict", "rr_interval", "test", "exposure", "aliases", "caveats"):
        kept[name] = detail.get(name)
    return kept


def _finding_lines(finding: StoredFinding, repaired: Container[str]) -> Iterator[str]:
    from gdb_epi.fleet.screen.finding_texts import describe_test
    from gdb_epi.fleet.store.day_numbers import iso_day

    verdict = finding.verdict
    yield f"{finding.id:>4}  {finding.state:<9}  {iso_day(finding.day)}  {verdict}"
    yield f"      {finding.numbers_line(interval=True)}"
    test, exposure = (finding.detail.get(name, "") for name in ("test", "exposure"))
    if test:
        yield f"      {describe_test(str(test), str(exposure))}"
    for caveat in finding.detail.get("caveats", ()):
        yield f"      but: {caveat}"
    if finding.raised > 1:
        is_repaired = finding.attr == "host" and finding.value in repaired
        how = "its host was repaired" if is_repaired else "it was dismissed"
        yield f"      raised again after {how} with {finding.decided_n} crashes"
    if finding.note:
        yield f"      note: {finding.note}"

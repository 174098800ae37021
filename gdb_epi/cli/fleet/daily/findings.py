# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet findings`: what `fleet screen` raised, and what became of it."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from gdb_epi.cli.fleet.output import add_output_options, print_line

if TYPE_CHECKING:
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
        from gdb_epi.fleet.decisions.states import repaired_hosts
        from gdb_epi.fleet.population.host_spelling import match_spellings
        from gdb_epi.fleet.store.plain_sql import sqlalchemy_executor

        findings = stored_findings(engine, args.state)
        with engine.connect() as connection:
            marked = repaired_hosts(sqlalchemy_executor(connection), time.time())
        hosts = [finding.value for finding in findings if finding.attr == "host"]
        repaired = set(match_spellings(hosts, marked).values())
    if args.json or args.csv:
        from gdb_epi.cli.fleet.output import print_rows

        print_rows([finding_row(finding) for finding in findings], as_csv=args.csv)
    elif findings:
        from gdb_epi.fleet.screen.finding_texts import P_AND_Q

        for finding in findings:
            _print_finding(finding, repaired=finding.attr == "host" and finding.value in repaired)
        print_line(P_AND_Q)
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


def _print_finding(finding: StoredFinding, *, repaired: bool) -> None:
    from gdb_epi.fleet.screen.finding_texts import describe_test
    from gdb_epi.fleet.store.day_numbers import iso_day

    verdict = finding.verdict
    print_line(f"{finding.id:>4}  {finding.state:<9}  {iso_day(finding.day)}  {verdict}")
    print_line(f"      {finding.numbers(interval=True)}")
    test, exposure = (finding.detail.get(name, "") for name in ("test", "exposure"))
    if test:
        print_line(f"      {describe_test(str(test), str(exposure))}")
    for caveat in finding.detail.get("caveats", ()):
        print_line(f"      but: {caveat}")
    if finding.raised > 1:
        how = "its host was repaired" if repaired else "it was dismissed"
        print_line(f"      raised again after {how} with {finding.decided_n} crashes")
    if finding.note:
        print_line(f"      note: {finding.note}")

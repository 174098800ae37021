# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet findings`: what `fleet screen` raised, and what became of it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from gdb_epi.cli.fleet.output import add_forms, print_line
from gdb_epi.errors import EXIT_DONE

if TYPE_CHECKING:
    from gdb_epi.fleet.screen.finding_states import StoredFinding

GROUP = "Every day"
HELP = "the findings that were raised, with their states: open, confirmed, dismissed"
EPILOG = "`fleet confirm ID` and `fleet dismiss ID` set the state, `fleet reopen ID` takes it back."
STATES = ("open", "confirmed", "dismissed")


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add_forms(parser)
    parser.add_argument("--state", choices=STATES, help="only those (all)")


def run(args: Namespace) -> int:
    """Print them, the latest first."""
    from gdb_epi.fleet.store.db import open_database

    with open_database(args.db, write=False) as engine:
        from gdb_epi.fleet.screen.finding_states import stored

        findings = stored(engine, args.state)
    if args.json or args.csv:
        from gdb_epi.cli.fleet.output import print_rows

        print_rows([row(finding) for finding in findings], as_csv=args.csv)
    elif findings:
        for finding in findings:
            _print(finding)
    else:
        print_line(f"no {args.state + ' ' if args.state else ''}findings")
    return EXIT_DONE


def row(finding: StoredFinding) -> dict[str, object]:
    """Return a finding as one flat JSON object."""
    from gdb_epi.fleet.questions.seen import utc_time
    from gdb_epi.fleet.store.days import iso_day

    kept = {**finding._asdict(), "date": iso_day(finding.day)}
    detail = kept.pop("detail")
    kept["decided_at"] = utc_time(finding.decided_at) or None
    for name in ("verdict", "rr_interval", "test", "exposure", "aliases", "caveats"):
        kept[name] = detail.get(name)
    return kept


def _print(finding: StoredFinding) -> None:
    from gdb_epi.fleet.screen.finding_texts import crashes_of
    from gdb_epi.fleet.store.days import iso_day

    verdict = finding.detail.get("verdict") or f"{finding.attr}={finding.value}"
    print_line(f"{finding.id:>4}  {finding.state:<9}  {iso_day(finding.day)}  {verdict}")
    test, exposure = (finding.detail.get(name) or "" for name in ("test", "exposure"))
    counts = crashes_of(finding.signature, test)
    numbers = f"{finding.attr}={finding.value}: {finding.n} {counts}"
    for name in ("rr", "p", "q"):
        value = getattr(finding, name)
        numbers += "" if value is None else f", {name} {value:.2g}"
        if name == "rr":
            numbers += _interval(finding.detail.get("rr_interval"))
    print_line(f"      {numbers}")
    if test:
        print_line(f"      test: {test}; exposure: {exposure}")
    for caveat in finding.detail.get("caveats") or ():
        print_line(f"      but: {caveat}")
    if finding.raised > 1:
        print_line(f"      raised again after it was dismissed with {finding.decided_n} crashes")
    if finding.note:
        print_line(f"      note: {finding.note}")


def _interval(limits: Any) -> str:
    """Return the 95 % interval in words; a limit that JSON could not hold has no bound."""
    if not isinstance(limits, list) or len(limits) != 2:
        return ""
    low, high = ("unbounded" if limit is None else f"{limit:.2g}" for limit in limits)
    return f" (95 %: {low} to {high})"

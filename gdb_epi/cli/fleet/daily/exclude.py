# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet exclude`: the hosts to take out now, in the words of a scheduler."""

from __future__ import annotations

import json
import math
import time
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from gdb_epi.argument_types import argument_error, whole_number
from gdb_epi.cli.fleet.output import add_database_option, add_who_option, print_line, print_lines
from gdb_epi.errors import EXIT_DONE, EXIT_EXPECTATION_NOT_MET

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from gdb_epi.fleet.decisions.drain_plan import DrainPlan

HELP = "the hosts to drain now, for Slurm or Kubernetes: reason, evidence, since and until when"
EPILOG = (
    "A dry run unless --apply: its commands are comments. --apply prints commands for a shell (it "
    "runs none) and marks the hosts drained, so that they count as out; `fleet mark host HOST "
    "--back` ends that. Never are more hosts out than --at-most of the fleet, rounded down; the "
    "fleet is counted by the host-hours of the last 7 days, or given by --fleet-size."
)
EXIT_CODES = (
    "0 done, 1 the tool failed, 2 wrong arguments, 3 an input was unusable; with --apply 4 when "
    "hosts that should be out are left in, as too many would be out"
)
SHARE = 0.02
DAYS = 14
MAX_NAMED = 20


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add(
        "--format",
        choices=("text", "slurm", "kubernetes", "json"),
        default="text",
        help="for whom: a person, or the commands of Slurm or Kubernetes (text)",
    )
    add(
        "--at-most",
        type=_parse_share,
        default=SHARE,
        metavar="SHARE",
        help="never more hosts out than this share of the fleet (2%%)",
    )
    add("--fleet-size", type=whole_number(1), metavar="N", help="hosts that the fleet has")
    add(
        "--days",
        type=whole_number(1, 3660),
        default=DAYS,
        metavar="N",
        help="how long they are to be out (14)",
    )
    add("--apply", action="store_true", help="print the commands, mark the hosts drained")
    add_who_option(parser)
    add_database_option(parser)


def run(args: Namespace) -> int:
    """Print what to do; with --apply remember it."""
    from gdb_epi.fleet.store.database import open_database

    now = time.time()
    with open_database(args.db, write=args.apply, create=False) as engine:
        from gdb_epi.fleet.decisions.drain_plan import plan_drain

        plan = plan_drain(
            engine,
            share=args.at_most,
            days=args.days,
            now=now,
            fleet=args.fleet_size,
            node_names=args.format == "kubernetes",
        )
        if args.apply:
            _mark_hosts_drained(engine, plan, args.by, now)
    if args.format == "json":
        print(json.dumps(plan.as_json(dry_run=not args.apply, share=args.at_most), indent=1))
    elif args.format == "text":
        _print_plan(plan, args)
    else:
        from gdb_epi.fleet.decisions.drain_plan import kubernetes_lines, slurm_lines

        lines = slurm_lines(plan) if args.format == "slurm" else kubernetes_lines(plan)
        for line in lines:
            print(line if args.apply else f"# dry run: {line}")
        for line in _plan_remarks(plan, args):
            # Print a line that a shell ignores; nothing that a host calls itself ends it.
            from gdb_epi.render.escape import escape

            print(f"# {escape(line)}")
    return EXIT_EXPECTATION_NOT_MET if args.apply and plan.beyond else EXIT_DONE


def _mark_hosts_drained(engine: Engine, plan: DrainPlan, by: str | None, now: float) -> None:
    from gdb_epi.fleet.decisions.current_state import (
        DRAINED,
        HOST,
        DecisionSubject,
        StoredDecision,
        current_user_name,
        insert_decision,
    )
    from gdb_epi.fleet.store.day_numbers import SECONDS_A_DAY
    from gdb_epi.fleet.store.transactions import begin_write

    with begin_write(engine) as connection:
        for host in plan.hosts:
            until = (host.until + 1) * SECONDS_A_DAY
            mark = StoredDecision(
                DecisionSubject(HOST, "", host.host), now, by or current_user_name(), DRAINED
            )
            insert_decision(connection, mark._replace(note=host.reason, until=until))


def _print_plan(plan: DrainPlan, args: Namespace) -> None:
    from gdb_epi.fleet.store.day_numbers import iso_day

    for host in plan.hosts:
        print_line(f"{host.host}  since {iso_day(host.since)}, until {iso_day(host.until)}")
        print_lines(f"    {line}" for line in (host.reason, *host.evidence))
    print_lines(_plan_remarks(plan, args))


def _plan_remarks(plan: DrainPlan, args: Namespace) -> list[str]:
    from gdb_epi.util import counted, shortened_list

    lines = []
    beyond = shortened_list([host.host for host in plan.beyond], MAX_NAMED)
    needed = len(plan.hosts) + len(plan.drained) + len(plan.beyond)
    take = f"--at-most {math.ceil(100 * needed / max(plan.fleet, 1))}%"
    if not plan.hosts and plan.beyond:
        done = "nothing is marked: " if args.apply else ""
        lines.append(f"{done}{beyond} should be drained, and too many would be out then")
    elif not plan.hosts:
        why = "" if plan.left_in or plan.refused else ": no host's crashes point to its hardware"
        lines.append(f"no host to take out now{why}")
    elif args.apply:
        lines.append(f"{counted(len(plan.hosts), 'host')} marked drained")
    else:
        lines.append("dry run: nothing is changed; --apply prints commands and marks them drained")
    if plan.fleet:
        share = f"{100 * args.at_most:g} % of {counted(plan.fleet, 'host')} ({plan.counted_by})"
        if plan.beyond:
            share += f"; to allow it: {take}"
        elif not plan.most:  # no day would ever take one out of so small a fleet
            share += f" is less than one; to allow one: --at-most {math.ceil(100 / plan.fleet)}%"
        limit = f"at most {counted(plan.most, 'host')}" if plan.most else "no host"
        if plan.hosts or plan.beyond or plan.left_in:
            lines.append(f"{limit} may be out: {share}")
        elif not plan.most:
            lines.append(f"if some did, {limit} could be taken out: {share}")
    lines += [
        f"a part that several hosts have, see fleet suspects: {group}" for group in plan.groups
    ]
    if plan.drained:
        lines.append(f"out already: {shortened_list(plan.drained, MAX_NAMED)}")
    if plan.overdue:
        overdue = shortened_list(plan.overdue, MAX_NAMED)
        lines.append(f"their time is over, mark them --repaired or --back: {overdue}")
    if plan.hosts and plan.beyond:
        lines.append(f"left in, though they should be out too: {beyond}")
    lines += [f"left in: {host}: {why}" for host, why in plan.left_in]
    lines += [f"refused: {host!r}: {why}" for host, why in plan.refused]
    return lines


def _parse_share(word: str) -> float:
    """Read 2%, 0.02."""
    digits, percent = word.removesuffix("%"), word.endswith("%")
    try:
        value = float(digits) / (100 if percent else 1)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise argument_error(word, "is no share: 2%, or 0.02")
    return value

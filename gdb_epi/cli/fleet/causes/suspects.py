# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet suspects`: hosts and attributes that are over-represented now."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace

from gdb_epi.cli.fleet import output
from gdb_epi.cli.support.messages import no_crashes_message

HELP = "hosts, hardware, kernels, images, packages with more crashes than their share"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    output.add_day_and_output_options(parser)


def run(args: Namespace) -> None:
    """Print all of today's findings, strongest first; stores nothing."""
    from gdb_epi.cli.fleet.data.check import print_hint_to_check
    from gdb_epi.fleet.decisions.decision_lines import decided_finding_lines
    from gdb_epi.fleet.decisions.repairs import (
        screen_without_repaired_hosts_past,
        separate_past_of_repaired_hosts,
    )
    from gdb_epi.fleet.decisions.states import day_before_repair_by_host
    from gdb_epi.fleet.population.open_for_question import open_for_question
    from gdb_epi.fleet.questions.signature_history import name_signatures_by_causes
    from gdb_epi.fleet.questions.suspects import suspect_lines
    from gdb_epi.fleet.screen.finding_texts import finding_json

    asof = output.parse_day_argument(args.asof)
    with open_for_question(args.db) as base:
        repaired = day_before_repair_by_host(base.execute, time.time(), output.end_of_day(asof))
        population = separate_past_of_repaired_hosts(base.population(asof), repaired)
        screened = screen_without_repaired_hosts_past(population, asof)
        decided = decided_finding_lines(base.execute, screened.findings if screened else ())
        lines: list[str] = []
        if screened is not None and not (args.json or args.csv):
            lines = [*decided, *suspect_lines(population, screened)]
        lines = name_signatures_by_causes(base.execute, lines)
    if args.json or args.csv:
        findings = () if screened is None else sorted(screened.findings, key=lambda f: f.p)
        rows = [finding_json(f, screened.day) for f in findings if screened is not None]
        output.print_rows(rows, as_csv=args.csv)
    elif screened is None:
        output.print_line(no_crashes_message(args))
    else:
        output.print_lines(lines)
        print_hint_to_check(population, args)

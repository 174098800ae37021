# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet suspects`: hosts and attributes that are over-represented now."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from gdb_epi.cli.fleet.output import add_asof, add_forms, day_argument, print_line
from gdb_epi.errors import EXIT_DONE
from gdb_epi.util import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gdb_epi.fleet.questions.verdict import PopulationVerdict

GROUP = "Find causes"
HELP = "hosts, hardware, kernels, images, packages with more crashes than their share"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add_asof(parser)
    add_forms(parser)


def run(args: Namespace) -> int:
    """Print all of today's findings, strongest first; stores nothing."""
    from gdb_epi.cli.fleet.check import point_to_check
    from gdb_epi.cli.fleet.screen import P_AND_Q, print_finding
    from gdb_epi.fleet.life.repairs import with_past_of_repaired_hosts_apart, without_past_hosts
    from gdb_epi.fleet.life.states import repaired_hosts
    from gdb_epi.fleet.population.reading import open_for_question
    from gdb_epi.fleet.store.days import iso_day

    asof = day_argument(args.asof)
    with open_for_question(args.db) as base:
        repaired = repaired_hosts(base.execute, time.time())
        population = with_past_of_repaired_hosts_apart(base.population(asof), repaired)
    from gdb_epi.fleet.questions.verdict import judge_population
    from gdb_epi.fleet.screen.alike_events import group_alike_events
    from gdb_epi.fleet.screen.finding_texts import as_json, plain_signature
    from gdb_epi.fleet.screen.screening import screen

    if not population.day.size:
        day, findings, screened = asof or 0, [], None
    else:
        day = population.last_day if asof is None else asof
        screened = screen(population, day)
        screened = screened._replace(findings=without_past_hosts(screened.findings))
        findings = sorted(screened.findings, key=lambda f: f.p)
    rows = [as_json(finding, day) for finding in findings]
    if args.json or args.csv:
        from gdb_epi.cli.fleet.output import print_rows

        print_rows(rows, as_csv=args.csv)
        return EXIT_DONE
    if findings:
        for headline, subjects in _headlines(judge_population(population, day, screened)):
            name = subjects[0].removeprefix("host=")
            is_told = name in headline or subjects[0].startswith("*")
            what = "" if is_told else f": {plain_signature(subjects[0])}"
            rest = len(subjects) - 1
            more = f", and {counted(rest, 'more signature')}" if rest else ""
            print_line(f"verdict: {headline}{what}{more}")
        print()
    for finding, others in group_alike_events(findings):
        print_finding(iso_day(day), finding, others)
    if findings:
        print(P_AND_Q)
    else:
        print(f"nothing stands out among {counted(population.day.size, 'crash')}")
    if screened is not None:
        from gdb_epi.fleet.questions.unexplained_signatures import unexplained_signature_sentences
        from gdb_epi.fleet.screen.possible_hosts import undecided_sentences

        for line in unexplained_signature_sentences(population, day, screened):
            print_line(line)
        for line in undecided_sentences(population, day, screened):
            print_line(line)
    point_to_check(population)
    return EXIT_DONE


def _headlines(verdicts: Sequence[PopulationVerdict]) -> list[tuple[str, list[str]]]:
    """Return each headline with its subjects; alike events are one."""
    from gdb_epi.fleet.screen.alike_events import group_alike_events

    apart = {
        id(verdict.causes[0].findings[0]): verdict
        for verdict in verdicts
        if verdict.causes and verdict.causes[0].findings
    }
    first = [v.causes[0].findings[0] for v in apart.values()]
    lines: list[tuple[str, str]] = []
    for finding, others in group_alike_events(first):
        verdict = apart[id(finding)]
        more = f", and {counted(len(others), 'more event')} like it" if others else ""
        lines.append((f"{verdict.headline}{more}", verdict.subject))
    lines += [(v.headline, v.subject) for v in verdicts if not v.causes or not v.causes[0].findings]
    by_headline: dict[str, list[str]] = {}
    for headline, subject in lines:
        by_headline.setdefault(headline, []).append(subject)
    return list(by_headline.items())

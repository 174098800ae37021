# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet suspects`: hosts and attributes that are over-represented now."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from gdb_epi.cli.fleet.output import (
    add_asof_option,
    add_output_options,
    parse_day_argument,
    print_line,
    print_rows,
)
from gdb_epi.cli.support.messages import no_crashes_message
from gdb_epi.util import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gdb_epi.fleet.population.population import Population
    from gdb_epi.fleet.questions.verdict import PopulationVerdict
    from gdb_epi.fleet.screen.finding import Finding
    from gdb_epi.fleet.screen.screening import ScreeningResult

GROUP = "Find causes"
HELP = "hosts, hardware, kernels, images, packages with more crashes than their share"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add_asof_option(parser)
    add_output_options(parser)


def run(args: Namespace) -> None:
    """Print all of today's findings, strongest first; stores nothing."""
    from gdb_epi.cli.fleet.check import print_hint_to_check
    from gdb_epi.fleet.decisions.repairs import separate_past_of_repaired_hosts, without_past_hosts
    from gdb_epi.fleet.decisions.states import repaired_hosts
    from gdb_epi.fleet.population.open_for_question import open_for_question
    from gdb_epi.fleet.questions.collection_limits import find_limit_of_hosts
    from gdb_epi.fleet.questions.daily_rates import growing_signatures
    from gdb_epi.fleet.questions.rates import worse_value_sentences
    from gdb_epi.fleet.screen.programs import program_of_signature
    from gdb_epi.render.signature_words import named_signature

    asof = parse_day_argument(args.asof)
    with open_for_question(args.db) as base:
        repaired = repaired_hosts(base.execute, time.time())
        population = separate_past_of_repaired_hosts(base.population(asof), repaired)
    from gdb_epi.fleet.screen.finding_texts import finding_json
    from gdb_epi.fleet.screen.screening import screen_population

    day = population.last_day if asof is None else asof
    screened = screen_population(population, day) if population.day.size else None
    if screened is not None:
        screened = screened._replace(findings=without_past_hosts(screened.findings))
    findings = sorted(screened.findings, key=lambda f: f.p) if screened is not None else []
    if args.json or args.csv:
        print_rows([finding_json(finding, day) for finding in findings], as_csv=args.csv)
        return
    if (of_hosts := find_limit_of_hosts(population)) is not None:
        print_line(of_hosts.words())
    worse = worse_value_sentences(population, findings)
    for growth in growing_signatures(population, findings):
        name = population.signatures[growth.signature]
        called = named_signature(name, program_of_signature(population, name))
        worse.append(f"{called}: {growth.words()}")
    for line in worse:
        print_line(f"verdict: {line}")
    if screened is None:
        print_line(no_crashes_message(args))
    elif not findings:
        what = "nothing else" if worse else "nothing"
        print(f"{what} stands out among {counted(population.day.size, 'crash')}")
    else:
        _print_verdicts(population, screened)
        _print_findings(population, findings, day)
    if screened is not None:
        _print_what_is_open(population, screened)
    print_hint_to_check(population, args)


def _print_verdicts(population: Population, screened: ScreeningResult) -> None:
    """Print each headline once, with the first of its signatures."""
    from gdb_epi.fleet.questions.verdict import judge_population, same_bug_verdicts
    from gdb_epi.fleet.questions.version_courses import CAME_WITH
    from gdb_epi.fleet.screen.programs import program_of_signature
    from gdb_epi.render.signature_words import named_signature

    verdicts = judge_population(population, screened.day, screened)
    same_bugs = same_bug_verdicts(population, verdicts)
    for line, _ in same_bugs:
        print_line(f"verdict: {line}")
    of_same = {subject for _, subjects in same_bugs for subject in subjects}
    # What is said of one of them alone is which of its versions have it.
    verdicts = [v for v in verdicts if v.subject not in of_same or CAME_WITH in v.headline]
    for headline, subjects in _headlines(verdicts):
        is_named = subjects[0].removeprefix("host=") in headline or subjects[0].startswith("*")
        program = program_of_signature(population, subjects[0])
        what = "" if is_named else f": {named_signature(subjects[0], program)}"
        rest = len(subjects) - 1
        more = f", and {counted(rest, 'more signature')}" if rest else ""
        print_line(f"verdict: {headline}{what}{more}")
    print()


def _print_findings(population: Population, findings: Sequence[Finding], day: int) -> None:
    from gdb_epi.cli.fleet.screen import print_finding
    from gdb_epi.fleet.questions.verdict import name_main_hosts
    from gdb_epi.fleet.screen.finding import BITFLIP, HOST
    from gdb_epi.fleet.screen.finding_texts import P_AND_Q
    from gdb_epi.fleet.screen.recurring_events import group_recurring_events
    from gdb_epi.fleet.store.day_numbers import iso_day

    for finding, others in group_recurring_events(findings):
        print_finding(population, iso_day(day), finding, others)
        if finding.signature == BITFLIP and finding.attr != HOST:  # which of them to look at first
            print_line(f"    they came {name_main_hosts(population, finding)}")
    print_line(P_AND_Q)


def _print_what_is_open(population: Population, screened: ScreeningResult) -> None:
    """Print the signatures that nothing explains, and what cannot be told from chance."""
    from gdb_epi.fleet.questions.changes_by_hours import change_by_hours_sentences
    from gdb_epi.fleet.questions.collection_limits import find_collection_limit, find_limit_of_hosts
    from gdb_epi.fleet.questions.common_rise import fleet_wide_rise_words
    from gdb_epi.fleet.questions.moved_programs import find_program_moves
    from gdb_epi.fleet.questions.onset import counting_change_sentences
    from gdb_epi.fleet.questions.quality import dropped_sizes_words
    from gdb_epi.fleet.questions.unexplained_signatures import unexplained_signature_sentences
    from gdb_epi.fleet.screen.events import find_events
    from gdb_epi.fleet.screen.possibly_bad_hosts import undecided_sentences

    if (limit := find_collection_limit(population)) is not None:
        print_line(limit.words())
    for move in find_program_moves(find_events(population).counted):
        print_line(move.words())
    if change := fleet_wide_rise_words(population):
        print_line(change)
    if dropped := dropped_sizes_words(population):
        print_line(dropped)
    for line in counting_change_sentences(population):
        print_line(line)
    for line in change_by_hours_sentences(population, screened.findings):
        print_line(line)
    open_questions = unexplained_signature_sentences, undecided_sentences
    for sentences in open_questions[: 1 if find_limit_of_hosts(population) is not None else 2]:
        for line in sentences(population, screened.day, screened):
            print_line(line)


def _headlines(verdicts: Sequence[PopulationVerdict]) -> list[tuple[str, list[str]]]:
    """Return each headline with its subjects; alike events are one."""
    from gdb_epi.fleet.screen.finding import ALL
    from gdb_epi.fleet.screen.recurring_events import (
        describe_group,
        group_recurring_events,
        place_of_events,
    )

    # A finding holds arrays, which cannot be compared: it is known by its identity.
    by_finding: dict[int, PopulationVerdict] = {}
    first_findings: list[Finding] = []
    without_finding: list[PopulationVerdict] = []
    for verdict in verdicts:
        if verdict.causes and verdict.causes[0].findings:
            first_findings.append(verdict.causes[0].findings[0])
            by_finding[id(first_findings[-1])] = verdict
        else:
            without_finding.append(verdict)
    by_headline: dict[str, dict[str, None]] = {}  # the subjects, each once, in order
    for finding, others in group_recurring_events(first_findings):
        verdict = by_finding[id(finding)]
        headline = describe_group(verdict.headline, finding, others)
        is_place = place_of_events(finding, others) is not None
        by_headline.setdefault(headline, {})[ALL if is_place else verdict.subject] = None
    for verdict in without_finding:
        by_headline.setdefault(verdict.headline, {})[verdict.subject] = None
    return [(headline, list(subjects)) for headline, subjects in by_headline.items()]

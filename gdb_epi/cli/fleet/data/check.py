# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet check`: what is wrong with the data, and what that does to the answers."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from gdb_epi.cli.fleet.output import (
    add_day_and_output_options,
    parse_day_argument,
    print_line,
    print_rows,
)
from gdb_epi.cli.support.messages import no_crashes_message, repeated_database_option

if TYPE_CHECKING:
    from gdb_epi.fleet.population.population import Population
    from gdb_epi.fleet.screen.past_silence import TemporarySilenceOfHosts
    from gdb_epi.fleet.screen.silent_hosts import SilentHosts

HELP = "the quality of the data: clocks, gaps of the host-hours, names, missing attributes"
EPILOG = (
    "What needs a look comes first. What was set aside is named, and no question counts it as true."
)


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add_day_and_output_options(parser)


def print_hint_to_check(population: Population, args: Namespace) -> None:
    """Print, below findings, that the data they rest on needs a look, where it does."""
    from gdb_epi.fleet.questions.quality import check_quality

    about = dict.fromkeys(check.about for check in check_quality(population) if not check.is_fine)
    if about and population.day.size:
        again = repeated_database_option(args)
        print_line(f"the data needs a look ({', '.join(about)}): gdb-epi fleet check{again}")


def silence_and_limit_lines(
    population: Population, day: int | None, signature: str | None = None
) -> list[str]:
    """Return what went silent by the end of a day, for who reads counts: a fall is no recovery.

    Of a signature only what has crashes of it is told.
    """
    from gdb_epi.fleet.questions.collection_limits import find_collection_limit, find_limit_per_host
    from gdb_epi.fleet.screen.past_silence import find_past_silences
    from gdb_epi.fleet.screen.silent_hosts import find_silent_groups, silent_groups_with_signature

    until_day = population if day is None else population.until_day(day)
    silent: list[SilentHosts | TemporarySilenceOfHosts]
    silent = [*find_silent_groups(until_day), *find_past_silences(until_day)]
    if signature is not None:
        silent = silent_groups_with_signature(
            until_day, silent, until_day.signatures.index(signature)
        )
    lines = [f"a fall may be silence: {group.words()}" for group in silent]
    limits = find_collection_limit(until_day), find_limit_per_host(until_day)
    return [*(limit.words() for limit in limits if limit is not None), *lines]


def run(args: Namespace) -> None:
    """Print a line for each thing that was looked at, and what would mend it."""
    from gdb_epi.fleet.population.open_for_question import open_for_question
    from gdb_epi.fleet.questions.quality import check_quality

    asof = parse_day_argument(args.asof)
    with open_for_question(args.db) as base:
        population = base.population(asof)
    outcomes = check_quality(population)
    if args.json or args.csv:
        print_rows([check._asdict() for check in outcomes], as_csv=args.csv)
        return
    if not population.day.size:
        print_line(no_crashes_message(args))
        return
    looks = sum(not check.is_fine for check in outcomes)
    what = f"{looks} thing{'s' * (looks != 1)} to look at" if looks else "nothing to mend"
    print(f"the data: {what}")
    for check in outcomes:
        print_line(f"  {'fine' if check.is_fine else 'look'}  {check.about}: {check.text}")
        if check.advice:
            again = (
                repeated_database_option(args) if check.advice.startswith("gdb-epi fleet") else ""
            )
            print_line(f"        to mend it: {check.advice}{again}")

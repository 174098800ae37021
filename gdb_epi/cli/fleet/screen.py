# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet screen`: what stands out; each finding is raised once."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from gdb_epi.cli.fleet.output import add_forms, print_line
from gdb_epi.errors import EXIT_DONE, UsageError
from gdb_epi.util import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gdb_epi.fleet.population.population import Population
    from gdb_epi.fleet.screen.screening import Screen

GROUP = "Every day"
HELP = "the daily screening: hosts and attributes with more crashes than their share"
EPILOG = "Findings that were raised before are not repeated; `fleet suspects` shows all of today's."


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    day = parser.add_mutually_exclusive_group()
    day.add_argument("--asof", metavar="DAY", help="as at the end of this day (the last one)")
    day.add_argument("--replay", action="store_true", help="day by day, without later data")
    add_forms(parser, "one JSON object a line", csv=False)


def run(args: Namespace) -> int:
    """Screen and print; only a screen of today is stored."""
    from gdb_epi.fleet.store.db import open_database

    asof = day_argument(args.asof)
    with open_database(args.db, write=not args.replay, make=False) as engine:
        from gdb_epi.fleet.population.cache import load_population
        from gdb_epi.fleet.screen.finding_states import (
            findings_to_raise,
            keep,
            known_findings,
            stored,
        )
        from gdb_epi.fleet.screen.screening import replay, screen

        population = load_population(engine, asof)
        if args.replay:
            screens = list(replay(population))
        elif population.day.size:
            day = population.last_day if asof is None else asof
            before = stored(engine)
            today = screen(population, day, known_findings(before))
            new = findings_to_raise(today.findings, before)
            keep(engine, new, day)
            screens = [today._replace(findings=new)]
        else:
            screens = []
    _print(population, screens, as_json=args.json)
    return EXIT_DONE


def day_argument(value: str | None) -> int | None:
    """Return a --asof argument as a day number. Raises UsageError."""
    if value is None:
        return None
    from gdb_epi.fleet.store.days import day_number

    day = day_number(value)
    if day is None:
        raise UsageError(f"no day: {value!r}", hint="--asof 2026-11-21")
    return day


def _print(population: Population, screens: Sequence[Screen], *, as_json: bool) -> None:
    from gdb_epi.fleet.screen import finding_texts as finding_store
    from gdb_epi.fleet.store.days import iso_day

    if as_json:
        for screen in screens:
            for finding in screen.findings:
                print(json.dumps(finding_store.as_json(finding, screen.day)))
        print(json.dumps(_peeled(population, screens)))
        return
    lines = [(iso_day(screen.day), finding) for screen in screens for finding in screen.findings]
    for day, finding in lines:
        print_finding(day, finding)
    if not lines:
        days = (
            counted(population.day.size, "crash")
            if population.day.size
            else "no crashes with a time"
        )
        print(f"nothing new stands out ({days})")


def _peeled(population: Population, screens: Sequence[Screen]) -> dict[str, Any]:
    """The cores attributed to one host, as the last screen has them."""
    members = population.day >= 0
    members[:] = False
    if screens:
        members[: screens[-1].peeled.size] = screens[-1].peeled
    return {"attr": "#peeled", "members": population.core_keys.under(members)}


def print_finding(day: str, finding: Any) -> None:
    """Print one finding: what, the numbers, how it was tested, what else it may be."""
    from gdb_epi.fleet.screen.finding_texts import sentence, verdict

    print_line(f"{day}  {verdict(finding)}")
    print_line(f"    {sentence(finding)}")
    print_line(f"    test: {finding.test}; exposure: {finding.exposure}")
    for caveat in finding.caveats:
        print_line(f"    but: {caveat}")

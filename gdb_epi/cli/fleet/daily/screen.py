# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet screen`: what stands out; each finding is raised once."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from gdb_epi.cli.fleet import output
from gdb_epi.cli.fleet.data.check import print_hint_to_check
from gdb_epi.cli.fleet.notify import add_notify_options, parse_address_and_key, send_unsent_news
from gdb_epi.cli.support.messages import repeated_database_option, settle_finding_hint
from gdb_epi.errors import EXIT_DONE, EXIT_NEWS, UsageError
from gdb_epi.util import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Engine

    from gdb_epi.fleet.decisions.daily_screening import DailyScreening
    from gdb_epi.fleet.population.population import Population
    from gdb_epi.fleet.screen.screening import ScreeningResult

HELP = "the regular screening: hosts and attributes with more crashes than their share"
EPILOG = (
    "Findings that were raised before are not repeated; `fleet suspects` shows all of today's. Run "
    "it by the hour: a host that breaks has often crashed again before the day is over. New "
    "are also fixed signatures that crash again on the fixed version or later, and repaired hosts "
    "that fail again. --notify sends what is new, once to each address; what could not be "
    "delivered is sent the next time."
)
EXIT_CODES = (
    "0 done, 1 the tool failed or something could not be delivered, 2 wrong arguments, 3 an input "
    "was unusable; with --exit-code 5 when something is new, or was new to --notify"
)


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    day = parser.add_mutually_exclusive_group()
    output.add_asof_option(day)
    day.add_argument("--replay", action="store_true", help="day by day, without later data")
    parser.add_argument("--exit-code", action="store_true", help="5 when something is new, else 0")
    add_notify_options(parser)
    output.add_output_options(parser, "one JSON object a line", csv=False)


def run(args: Namespace) -> int:
    """Screen and print; only a screen of today is stored."""
    from gdb_epi.fleet.store.database import open_database

    asof, place = output.parse_day_argument(args.asof), parse_address_and_key(args)
    if args.replay and (place[0] is not None or args.exit_code):
        raise UsageError("a replay is of the past: nobody is told of it")
    with open_database(args.db, write=not args.replay, create=False) as engine:
        if args.replay:
            from gdb_epi.fleet.population.cache import load_population
            from gdb_epi.fleet.screen.screening import screen_day_by_day

            population = load_population(engine, asof)
            screens = list(screen_day_by_day(population))
            _print_findings(engine, population, screens, as_json=args.json, ids={})
            return EXIT_DONE
        from gdb_epi.fleet.decisions.daily_screening import run_daily_screening
        from gdb_epi.fleet.decisions.finding_states import OPEN, stored_findings
        from gdb_epi.fleet.decisions.news import unsent_news

        today = run_daily_screening(engine, asof)
        _print_regressions_and_failing_hosts(today, as_json=args.json)
        screens = [today.result] if today.result is not None else []
        stored = stored_findings(engine)
        if args.json or not (today.regressed or today.again) or today.has_findings:
            ids = {finding.identity: finding.id for finding in stored}
            _print_findings(engine, today.population, screens, as_json=args.json, ids=ids)
        if not args.json:
            again, is_open = repeated_database_option(args), [f for f in stored if f.state == OPEN]
            if today.has_findings:
                output.print_line(settle_finding_hint(f"ID{again}"))
            elif is_open:
                earlier = counted(len(is_open), "earlier finding")
                output.print_line(
                    f"{earlier} still open: gdb-epi fleet findings --state open{again}"
                )
            print_hint_to_check(today.population, args)
        late = unsent_news(engine, place[0]) if place[0] is not None else []
        send_unsent_news(engine, args, place, late)
    # What an address could not be told of an earlier screening is new to who waits for it.
    return EXIT_NEWS if args.exit_code and (today.has_news or late) else EXIT_DONE


def _print_regressions_and_failing_hosts(today: DailyScreening, *, as_json: bool) -> None:
    """Print what came back: fixed signatures, repaired hosts."""
    from gdb_epi.fleet.decisions.fix_assessment import describe_fix
    from gdb_epi.render.signature_words import signature_phrase_and_key

    for state, fix in today.regressed:
        if as_json:
            print(json.dumps({"attr": "#regressed", **state.as_json()}))
        else:
            output.print_line(f"regressed: {state.current.subject.name}: {describe_fix(fix)}")
            output.print_line(f"    {signature_phrase_and_key(state.text)}")
            if words := today.beside.get(state.current.subject.name):
                output.print_line(f"    but: {words}")
    for host in today.again:
        if as_json:
            print(json.dumps({"attr": "#host-again", **host._asdict()}))
        else:
            output.print_line(host.words())


def _print_findings(
    engine: Engine,
    population: Population,
    screens: Sequence[ScreeningResult],
    *,
    as_json: bool,
    ids: Mapping[tuple[str, str, str], int],
) -> None:
    from gdb_epi.fleet.decisions.finding_states import latest_core_keys
    from gdb_epi.fleet.questions.signature_history import name_signatures_by_causes
    from gdb_epi.fleet.screen.finding import finding_identity
    from gdb_epi.fleet.screen.finding_texts import P_AND_Q, finding_json
    from gdb_epi.fleet.screen.recurring_events import finding_lines, group_recurring_events
    from gdb_epi.fleet.store.plain_sql import sqlalchemy_executor

    if as_json:
        for screen in screens:
            for finding in screen.findings:
                cores = latest_core_keys(population, finding.members)
                print(json.dumps({**finding_json(finding, screen.day), "cores": cores}))
        print(json.dumps(_cores_attributed_to_hosts_json(population, screens)))
        return
    lines: list[str] = []
    for screen in screens:
        for finding, others in group_recurring_events(screen.findings):
            every = [ids.get(finding_identity(*some.identity)) for some in (finding, *others)]
            numbers = ", ".join(str(number) for number in every if number is not None)
            name = f"finding{'s' * (len(every) > 1)} {numbers}: " if numbers else ""
            lines += finding_lines(population, screen.day, finding, others, name)
    with engine.connect() as connection:
        output.print_lines(name_signatures_by_causes(sqlalchemy_executor(connection), lines))
    if any(screen.findings for screen in screens):
        output.print_line(P_AND_Q)
    else:
        output.print_line(f"nothing new stands out among {counted(population.day.size, 'crash')}")


def _cores_attributed_to_hosts_json(
    population: Population, screens: Sequence[ScreeningResult]
) -> dict[str, Any]:
    """The cores attributed to one host, as the last screen has them."""
    import numpy as np

    members = np.zeros(population.day.size, dtype=bool)
    if screens:
        members[: screens[-1].peeled.size] = screens[-1].peeled
    return {"attr": "#peeled", "members": population.core_keys.keys_under(members)}

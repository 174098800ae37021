# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet digest`: what the last days brought, on one page."""

from __future__ import annotations

import json
import time
from argparse import ArgumentParser, Namespace

from gdb_epi.argument_types import whole_number
from gdb_epi.cli.fleet import output
from gdb_epi.cli.fleet.notify import add_notify_options, parse_address_and_key, send_unsent_news
from gdb_epi.cli.support.messages import repeated_database_option, settle_finding_hint

HELP = "what the last days brought: new findings, regressions, hosts, new signatures"
DAYS = 7


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--days",
        type=whole_number(1, 3660),
        default=DAYS,
        metavar="N",
        help="days that it covers (7)",
    )
    output.add_asof_option(parser, "up to and with this day (today)")
    add_notify_options(parser)
    output.add_output_options(parser, "one JSON object", csv=False)


def run(args: Namespace) -> None:
    """Print the digest, and send it where that is asked for; stores nothing but that."""
    from gdb_epi.fleet.store.database import open_database
    from gdb_epi.fleet.store.day_numbers import SECONDS_A_DAY

    asof, place = output.parse_day_argument(args.asof), parse_address_and_key(args)
    now = time.time()
    until = int(now // SECONDS_A_DAY) if asof is None else asof
    with open_database(args.db, write=place[0] is not None, create=False) as engine:
        from gdb_epi.fleet.decisions.news import make_digest

        news = make_digest(engine, args.days, until, now)
        if args.json:
            print(json.dumps(news.as_json(), indent=1))
        else:
            output.print_lines((news.title, *news.lines))
            again = repeated_database_option(args)
            if not news.detail["screened"]:
                output.print_line(f"To screen them: gdb-epi fleet screen{again}")
            if findings := news.detail["findings"]:
                output.print_line(settle_finding_hint(f"{findings[0]}{again}"))
            if news.lines:
                output.print_line(f"More about a signature: gdb-epi fleet show KEY{again}")
        send_unsent_news(engine, args, place, [news])

# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet trend`: the epidemic curve."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from gdb_epi.cli.fleet import output
from gdb_epi.cli.support.messages import repeated_database_option
from gdb_epi.util import counted

HELP = "crashes a day, and per 1,000 host-hours where these are known"
BAR, MIN_BAR = 40, 8  # characters of the longest bar
BESIDE = 55  # columns of the table without it


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "signature", nargs="?", metavar="SIGNATURE", help="one signature; none: all"
    )
    output.add_day_and_output_options(parser)


def run(args: Namespace) -> None:
    """Print a line a day."""
    from gdb_epi.fleet.store.database import open_database
    from gdb_epi.render.escape import terminal_width

    with open_database(args.db, write=False) as engine:
        from gdb_epi.cli.fleet.data.check import silence_and_limit_lines
        from gdb_epi.fleet.population.cache import load_population
        from gdb_epi.fleet.questions.lookup import require_signature_group
        from gdb_epi.fleet.questions.signatures import count_crashes_without_time, epidemic_curve
        from gdb_epi.fleet.store.day_numbers import iso_day
        from gdb_epi.fleet.store.day_of_prune import read_prune_day_by_itself

        name = (
            None if args.signature is None else require_signature_group(engine, args.signature).name
        )
        times, asof = load_population(engine), output.parse_day_argument(args.asof)
        rows = epidemic_curve(times, name, asof)
        timeless = count_crashes_without_time(times, name, asof)
        pruned = read_prune_day_by_itself(engine)
        change = hole = None
        silence = [] if args.json or args.csv else silence_and_limit_lines(times, asof, name)
        if not (args.json or args.csv):
            from gdb_epi.fleet.questions.daily_rates import rate_change_words

            known = times if asof is None else load_population(engine, asof)
            if name is None or name in known.signatures:
                mine = known.signature >= 0 if name is None else known.crashes_of_signature(name)
                change = rate_change_words(known, mine)
                if (
                    known.has_exposure
                    and (without := mine & known.has_time & ~known.has_host_hours).any()
                ):
                    from gdb_epi.fleet.questions.quality import where_most_crashes_are

                    hole = f"{counted(int(without.sum()), 'crash')} on days or hosts without "
                    hole += f"host-hours{where_most_crashes_are(known, without)}: in no rate"
    if args.json or args.csv:
        dated = [{"date": iso_day(row.day), **row._asdict()} for row in rows]
        output.print_rows(dated, as_csv=args.csv)
        return
    most = max((row.crashes for row in rows), default=0)
    longest = min(BAR, max((terminal_width() or BESIDE + BAR) - BESIDE, MIN_BAR))
    cells = [
        [
            iso_day(row.day),
            row.crashes,
            row.hosts,
            "" if row.per_1000_hours is None else f"{row.per_1000_hours:.3g}",
            "#" * -(-longest * row.crashes // max(most, 1)),
        ]
        for row in rows
    ]
    headers = ["day", "crashes", "hosts", "per 1000 host-hours", ""]
    if all(row.per_1000_hours is None for row in rows):
        headers, cells = [*headers[:3], ""], [[*row[:3], row[4]] for row in cells]
    if cells or not timeless:
        output.print_table(headers, cells, empty="no crashes with a time")
    if change is not None:
        output.print_line(change)
    output.print_lines([*([hole] if hole else []), *silence])
    if timeless:
        more = "crash" if not rows else "more crash"
        output.print_line(
            f"{counted(timeless, more)} on no known day: no time, or one that cannot be true; why: "
            f"gdb-epi fleet check{repeated_database_option(args)}"
        )
    if pruned is not None:
        print(f"before {iso_day(pruned)} crashes were pruned: nothing begins there")

# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet prune`: thin out old crashes."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace

from gdb_epi.argument_types import argument_error, whole_number
from gdb_epi.cli.fleet.output import add_database_option, print_dry_run_note, print_line, size_text
from gdb_epi.errors import UsageError
from gdb_epi.util import counted, shortened_list

HELP = "thin out crashes older than some days; how large the tables are"
EPILOG = (
    "A dry run unless --apply. Of each signature the first crash and the newest --keep stay, so "
    "that it is never new again; so do the crashes of suspected hosts (an open or confirmed "
    "finding, marked suspect or drained) and the cores that open findings name. What stays of that "
    "age is still shown, but counted no longer. Host-hours of that age go too."
)
KEEP = 10
MAX_DAYS = 36_500
MAX_DIGITS = 20  # Python reads no number of any length
MAX_NAMED = 6
KEPT = "are kept as examples: they stay in top and show, and are in no rate, trend or test"
_CONTENTS = {"raw": "records", "exposure": "host-hours", "crash": "crashes", "sig": "signatures"}
SHOWN = 0.1  # of all bytes, from which on a table is shown


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add(
        "--older-than",
        type=_parse_age_in_days,
        metavar="AGE",
        help="crashes older than this go: 180d",
    )
    add("--keep", type=whole_number(1), default=KEEP, metavar="N", help="newest that stay (10)")
    add("--apply", action="store_true", help="delete them, no dry run")
    add_database_option(parser)


def run(args: Namespace) -> None:
    """Say what goes, and delete it with --apply."""
    from gdb_epi.fleet.store.database import open_database, refuse_lake
    from gdb_epi.fleet.store.day_numbers import SECONDS_A_DAY, iso_day

    if args.older_than is None:
        raise UsageError("say from what age crashes may be removed", hint="--older-than 180d")
    now = time.time()
    before = int(now // SECONDS_A_DAY) - args.older_than
    refuse_lake(args.db, "is read-only")
    with open_database(args.db, write=args.apply, create=False) as engine:
        from gdb_epi.fleet.decisions.pruning import prune_old_crashes

        pruning = prune_old_crashes(engine, before, args.keep, apply=args.apply, now=now)
    rows = []
    if pruning.crashes:
        rows += [counted(pruning.crashes, "crash"), size_text(pruning.bytes) + " of records"]
        rows.append(f"of {counted(pruning.signatures, 'signature')}")
    rows += [counted(pruning.host_days, "host-day")] if pruning.host_days else []
    rows += [counted(pruning.log_lines, "log line")] if pruning.log_lines else []
    words = "deleted" if args.apply else "would go"
    print_line(f"{words}, from before {iso_day(pruning.before)}: {', '.join(rows) or 'nothing'}")
    if pruning.kept:
        print_line(f"  {counted(pruning.kept, 'crash')} of that age {KEPT}")
    if pruning.kept_of_hosts:
        names = shortened_list(pruning.hosts, MAX_NAMED)
        print_line(f"  {pruning.kept_of_hosts} of these are of suspected hosts: {names}")
    whole = sum(pruning.tables.values())
    large = [name for name, size in pruning.tables.items() if size >= SHOWN * whole]
    sizes = {"all tables": (*pruning.tables,), **{name: (name,) for name in large}}
    for title, tables in sizes.items() if pruning.tables else ():
        size, after = (
            sum(some[n] for n in tables) for some in (pruning.tables, pruning.tables_after)
        )
        then = f" -> {size_text(after)}" if args.apply else ""
        print_line(f"  {_CONTENTS.get(title, title)}: {size_text(size)}{then}")
    if not args.apply:
        print_dry_run_note()


def _parse_age_in_days(word: str) -> int:
    """Read 180d, 180."""
    digits = word.removesuffix("d")
    days = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < MAX_DIGITS else 0
    if not 0 < days <= MAX_DAYS:
        raise argument_error(word, f"is no age: 180d, at most {MAX_DAYS} days")
    return days

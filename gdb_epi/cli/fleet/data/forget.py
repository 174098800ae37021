# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet forget`: delete what is stored of a host, a user or a core."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from gdb_epi.cli.fleet.output import add_database_option, print_dry_run_note, print_line, size_text
from gdb_epi.errors import UsageError
from gdb_epi.util import counted

HELP = "delete all that is stored of a host, a user or a core: tables, records, spool, caches"
EPILOG = (
    "A dry run unless --apply. A host is meant in all its spellings (case, domain). Of a user the "
    "records have the number; a login name is looked up on this machine. Exports cannot be reached "
    "from here: those that this user made are named, with when they were made."
)


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--host", metavar="HOST", help="its name, or its machine id")
    what.add_argument("--user", metavar="USER", help="login name or number (uid)")
    what.add_argument("--core", metavar="KEY", help="the key of a core, or its beginning")
    parser.add_argument("--apply", action="store_true", help="delete it, no dry run")
    add_database_option(parser)


def run(args: Namespace) -> None:
    """Say what goes, and delete it with --apply."""
    from gdb_epi.fleet.store.database import open_database, refuse_lake

    kind = next((k for k in ("host", "user", "core") if getattr(args, k) is not None), None)
    if kind is None:
        raise UsageError("say what to forget", hint="--host HOST, --user USER or --core KEY")
    refuse_lake(args.db, "is read-only")
    with open_database(args.db, write=args.apply, create=False) as engine:
        from gdb_epi.fleet.decisions.forgetting import forget_host_user_or_core
        from gdb_epi.fleet.questions.signature_history import format_utc_time

        gone = forget_host_user_or_core(engine, kind, getattr(args, kind), apply=args.apply)
    rows = [
        counted(n, name) for n, name in (
            (gone.host_days, "host-day"), (gone.findings, "finding"),
            (gone.decisions, "decision"), (gone.notices, "notice"),
            (gone.log_lines, "log line"), (gone.spooled, "spooled record"),
        ) if n
    ]  # fmt: skip
    what = ", ".join([f"{counted(gone.crashes, 'crash')} ({size_text(gone.bytes)})", *rows])
    print_line(f"{'deleted' if args.apply else 'would go'}: {what}")
    print_line(f"  {kind}: {', '.join(gone.names)}")
    if gone.other_names:
        names = ", ".join(gone.other_names)
        print_line(f"  the same machine id has other names, which stay: {names}")
    if not args.apply:
        print_dry_run_note()
    for at, place in gone.exports:
        print_line(f"not reached: an export of {format_utc_time(at)} to {place}")
    print_line("not reached: core files, exports by others, and copies of the database")

# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet ingest`: put records (JSON lines) into the database."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from gdb_epi.cli.fleet.output import add_database_option
from gdb_epi.errors import EXIT_DONE, EXIT_UNUSABLE_INPUT, UsageError
from gdb_epi.util import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import tzinfo

HELP = "put records into the database: JSON-lines files, folders, '-', or the waiting spool"
SHOWN_REJECTS = 10


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "records", nargs="*", metavar="FILE", help="files, folders or '-'; none: the spool"
    )
    parser.add_argument(
        "--zone",
        metavar="ZONE",
        help="of times that are written without one: UTC, +02:00 or a name like Europe/Berlin "
        "(default: such a time is not believed)",
    )
    add_database_option(parser)


def run(args: Namespace) -> int:
    """Ingest and say what became of it; 3 when a record was rejected."""
    from gdb_epi.fleet.records.helper_processes import helpers_worth_starting, prepare_in_helpers
    from gdb_epi.fleet.records.reader import find_record_files
    from gdb_epi.fleet.store.database import open_database

    zone = None if args.zone is None else parse_time_zone(args.zone)
    if not args.records:
        return _ingest_spool(args.db, zone)
    paths = find_record_files([Path(name) for name in args.records if name != "-"])
    stdin = sys.stdin.buffer if "-" in args.records else None
    with (
        prepare_in_helpers(paths, stdin, helpers_worth_starting(paths), zone) as batches,
        open_database(args.db, write=True) as engine,
    ):
        from gdb_epi.fleet.store.ingest import store_batches

        outcome = store_batches(engine, batches, everything=True)
    print(outcome.summary_line())
    if times := outcome.times_line():
        print(times)
    return report_rejected(outcome.rejected)


def parse_time_zone(name: str) -> tzinfo:
    """Return the time zone of a name or an offset. Raises UsageError."""
    from datetime import datetime, timezone
    from zoneinfo import ZoneInfo

    if name.upper() in ("UTC", "Z", "GMT"):
        return timezone.utc
    with suppress(ValueError):
        if name[:1] in "+-":
            return datetime.strptime(name, "%z").tzinfo or timezone.utc
    # A name that is no key of the database raises an error of KeyError or OSError; a folder too.
    with suppress(ValueError, KeyError, OSError):
        return ZoneInfo(name)
    raise UsageError(f"no time zone: {name!r}", hint="--zone UTC, +02:00 or Europe/Berlin")


def _ingest_spool(db: str | None, zone: tzinfo | None) -> int:
    """Take the spool in; a file is deleted after its records are committed."""
    from gdb_epi.fleet.records.helper_processes import prepare_in_helpers
    from gdb_epi.fleet.records.spool import waiting_spool_files
    from gdb_epi.fleet.store.database import open_database

    files = waiting_spool_files()
    if not files:
        print("nothing waits in the spool")
        return EXIT_DONE
    with open_database(db, write=True) as engine:
        from gdb_epi.fleet.store.ingest import IngestOutcome, store_batches

        total = IngestOutcome()
        for path in files:
            with prepare_in_helpers([path], zone=zone) as batches:
                outcome = store_batches(engine, batches)
            # A file with bad lines is kept under another name: nothing is lost, and it is not
            # tried again each time.
            with suppress(FileNotFoundError):  # another ingest took it
                if outcome.rejected:
                    path.rename(path.with_suffix(".rejected"))
                else:
                    path.unlink()
            total += outcome
    print(f"{total.summary_line()}; {counted(len(files), 'spool file')}")
    if times := total.times_line():
        print(times)
    return report_rejected(total.rejected)


def report_rejected(rejected: Sequence[tuple[str, str]]) -> int:
    """Tell the first rejects on standard error; return the exit code."""
    from gdb_epi.render.escape import escape

    for where, why in rejected[:SHOWN_REJECTS]:
        print(f"gdb-epi: {escape(where)}: {escape(why)}", file=sys.stderr)
    if len(rejected) > SHOWN_REJECTS:
        print(f"gdb-epi: and {len(rejected) - SHOWN_REJECTS} more", file=sys.stderr)
    return EXIT_UNUSABLE_INPUT if rejected else EXIT_DONE

# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet ingest`: put records (JSON lines) into the database."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from gdb_epi.cli.fleet.output import add_database
from gdb_epi.errors import EXIT_DONE, EXIT_UNUSABLE_INPUT, InputError
from gdb_epi.words import counted

HELP = "put records into the database: JSON-lines files, folders, '-', or the waiting spool"
SHOWN_REJECTS = 10


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "records", nargs="*", metavar="FILE", help="files, folders or '-'; none: the spool"
    )
    add_database(parser)


def run(args: Namespace) -> int:
    """Ingest and say what became of it; 3 when a record was rejected."""
    from gdb_epi.fleet.db import open_database
    from gdb_epi.fleet.reader import files_of

    if not args.records:
        return _ingest_spool(args.db)
    paths = files_of([Path(name) for name in args.records if name != "-"])
    reader = _Reader()
    with open_database(args.db, write=True) as engine:
        from gdb_epi.fleet.ingest import ingest

        outcome = ingest(engine, reader.records(paths, stdin="-" in args.records))
    rejected = [*reader.rejected, *outcome.rejected]
    print(outcome._replace(rejected=tuple(rejected)).line())
    return report_rejected(rejected)


def _ingest_spool(db: str | None) -> int:
    """Take the spool in; a file is deleted after its records are committed."""
    from gdb_epi.fleet.db import open_database
    from gdb_epi.fleet.spool import waiting

    files = waiting()
    if not files:
        print("nothing waits in the spool")
        return EXIT_DONE
    rejected: list[tuple[str, str]] = []
    with open_database(db, write=True) as engine:
        from gdb_epi.fleet.ingest import Outcome, ingest

        total = Outcome()
        for path in files:
            reader = _Reader()
            outcome = ingest(engine, reader.records([path], stdin=False))
            bad = [*reader.rejected, *outcome.rejected]
            # A file with bad lines is kept under another name: nothing is lost, and it is not
            # tried again each time.
            with suppress(FileNotFoundError):  # another ingest took it
                if bad:
                    path.rename(path.with_suffix(".rejected"))
                else:
                    path.unlink()
            rejected += bad
            total += outcome
    print(f"{total._replace(rejected=tuple(rejected)).line()}; {counted(len(files), 'spool file')}")
    return report_rejected(rejected)


def report_rejected(rejected: list[tuple[str, str]]) -> int:
    """Tell the first rejects on standard error; return the exit code."""
    from gdb_epi.render.text import escape

    for where, why in rejected[:SHOWN_REJECTS]:
        print(f"gdb-epi: {escape(where)}: {escape(why)}", file=sys.stderr)
    if len(rejected) > SHOWN_REJECTS:
        print(f"gdb-epi: and {len(rejected) - SHOWN_REJECTS} more", file=sys.stderr)
    return EXIT_UNUSABLE_INPUT if rejected else EXIT_DONE


class _Reader:
    """Streams records out of files; keeps what was no record."""

    def __init__(self) -> None:
        self.rejected: list[tuple[str, str]] = []

    def records(self, paths: list[Path], *, stdin: bool) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield (where, record) of all the files."""
        from gdb_epi.fleet.reader import records_in

        for path in paths:
            try:
                with path.open("rb") as stream:
                    yield from self._good(records_in(str(path), stream))
            except FileNotFoundError:
                continue  # another ingest took this spool file
            except OSError as error:
                self.rejected.append((str(path), error.strerror or str(error)))
        if stdin:
            yield from self._good(records_in("stdin", sys.stdin.buffer))

    def _good(self, items: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
        for where, item in items:
            if isinstance(item, InputError):
                self.rejected.append((where, str(item)))
            else:
                yield where, item

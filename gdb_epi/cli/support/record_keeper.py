# SPDX-License-Identifier: Apache-2.0
"""Keep records: in the database, or in the spool when the database cannot take them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from time import monotonic

from gdb_epi.cli.support.messages import missing_origin_lines, write_to_stderr
from gdb_epi.errors import EXIT_DONE, EXIT_USAGE, EpiError
from gdb_epi.record.record_parts import get_group
from gdb_epi.typing_lite import TYPE_CHECKING, Any
from gdb_epi.util import counted

if TYPE_CHECKING:
    Named = tuple[str, Mapping[str, Any], str | None]

BATCH = 200  # records that wait in memory
WAIT = 5.0  # seconds that they wait there: what a kill takes away is decoded again


class RecordKeeper:
    """Stores records in batches and loses none; `exit_code` says how that went.

    After the first failure everything goes into the spool: a locked database is not waited for
    again and again.
    """

    def __init__(self, db: str | None) -> None:
        self.exit_code = EXIT_DONE
        self.added = 0
        self.known = 0
        self._db = db
        self._failed = False
        self._batch: list[Named] = []
        self._due = 0.0
        self._no_host = self._no_time = 0  # records in the database without

    def add(self, core: str, record: Mapping[str, Any], key: str | None = None) -> None:
        """Take the record of a core; the core's path names it when it cannot be stored.

        Under `key` it is noted that the core is done, when its record is stored.
        """
        now = monotonic()
        self._due = self._due if self._batch else now + WAIT
        self._batch.append((core, record, key))
        if len(self._batch) >= BATCH or now > self._due:
            self.store_waiting_records()

    def store_waiting_records(self) -> None:
        """Write what waits."""
        batch, self._batch = self._batch, []
        if not batch:
            return
        if not self._failed:
            try:
                self._store(batch)
                return
            except EpiError as error:
                self._failed = True
                # Nobody asked for a database by name: the spool is as good a place.
                optional = self._db is None and isinstance(error.__cause__, ModuleNotFoundError)
                self.exit_code = EXIT_DONE if optional else error.exit_code
                if error.exit_code == EXIT_USAGE:  # nothing that could be named again
                    self._db = None
                write_to_stderr(error.one_line_text())
        self._write_to_spool(batch)

    def print_summary(self) -> None:
        """Say how many records went into the database, and which database that is."""
        if not self.added and not self.known:
            return
        from gdb_epi.fleet.paths import default_database, hide_password

        place = hide_password(self._db) if self._db is not None else str(default_database())
        if self.added + self.known == 1:
            write_to_stderr(f"{'stored' if self.added else 'stored already'} in {place}")
        else:
            write_to_stderr(
                f"{counted(self.added, 'record')} stored in {place}, {self.known} known already"
            )
            kept = self.added + self.known
            for line in missing_origin_lines(
                no_host=self._no_host >= kept, no_time=self._no_time >= kept
            ):
                write_to_stderr(line)

    def _store(self, batch: list[Named]) -> None:
        from gdb_epi.fleet.records.crash_times import FILE_DATE
        from gdb_epi.fleet.store.database import open_database

        with open_database(self._db, write=True) as engine:
            from gdb_epi.fleet.store.ingest import ingest

            # The base name alone: the database keeps what was rejected, and folders name users.
            outcome = ingest(
                engine, ((os.path.basename(core), record) for core, record, _ in batch)
            )
            keys = {key: record.get("core_key") for _, record, key in batch if key is not None}
            if keys:
                from gdb_epi.fleet.store.examined_files import note_examined

                # After the records: who is killed between them does these cores again.
                note_examined(engine, {key: core for key, core in keys.items() if core})
        self.added += outcome.added
        self.known += outcome.replaced + outcome.known
        for core, why in outcome.rejected:
            write_to_stderr(f"{core}: not stored: {why}")
        rejected = Counter(core for core, _ in outcome.rejected)
        for core, record, _ in batch:
            name = os.path.basename(core)
            if rejected[name]:  # several folders may have a file of that name
                rejected[name] -= 1
                continue
            self._no_host += not get_group(record, "host").get("hostname")
            time = get_group(record, "time")
            self._no_time += time.get("crash_ts") is None or time.get("ts_source") == FILE_DATE

    def _write_to_spool(self, batch: list[Named]) -> None:
        from gdb_epi.fleet.records.spool import SpoolError, ingest_later_command, write_to_spool

        try:
            path = write_to_spool(record for _, record, _ in batch)
        except SpoolError as error:
            self.exit_code = error.exit_code
            write_to_stderr(
                f"{error.one_line_text()}; or --output FILE --format json keeps the record"
            )
            return
        count = "record" if len(batch) == 1 else f"{len(batch)} records"
        write_to_stderr(f"{count} kept in {path}; later: {ingest_later_command(path, self._db)}")

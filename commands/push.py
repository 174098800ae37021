# SPDX-License-Identifier: Apache-2.0
"""`epi push`: give the record of this core to the fleet database."""

from __future__ import annotations

import os
from argparse import Namespace
from importlib.util import find_spec

from gdb_epi.errors import EpiError, InputError, SoftError
from gdb_epi.registry import argument, command
from gdb_epi.report import Report
from gdb_epi.session import Session
from gdb_epi.typing_lite import Any


@command(
    "push",
    arguments=(argument("--db", metavar="URL", help="database URL or SQLite file"),),
    in_shell=False,
)
def store_record(session: Session, args: Namespace) -> Report:
    """Store the record of this core in the fleet database.

    GDB's Python rarely has SQLAlchemy. Then, or when the database cannot take it, the record is
    kept in the spool, and `gdb-epi fleet ingest` takes it from there.
    """
    from gdb_epi.analysis import analyze

    record = dict(analyze(session))
    if not isinstance(record.get("core_key"), str):
        raise InputError("only a core can be pushed", hint="gcore FILE, then core-file FILE")
    path = getattr(session.target, "path", None)
    if isinstance(path, str) and os.path.isfile(path):
        from gdb_epi.fleet.records.provenance import add_provenance

        add_provenance(record, path)
    if find_spec("sqlalchemy") is None:
        return _write_to_spool(record, args.db, [])
    try:
        return _store_in_database(record, args.db)
    except EpiError as error:
        return _write_to_spool(
            record, args.db, [SoftError("push", "database", error.one_line_text())]
        )


def _store_in_database(record: dict[str, Any], db: str | None) -> Report:
    from gdb_epi.fleet.store.database import database_url, open_database, shown_url

    with open_database(db, write=True) as engine:
        from gdb_epi.fleet.store.ingest import ingest

        outcome = ingest(engine, [("epi push", record)])
    if outcome.rejected:
        raise InputError(outcome.rejected[0][1])
    shown = shown_url(database_url(db))
    word = "added" if outcome.added else "replaced" if outcome.replaced else "known already"
    document = {"core_key": record["core_key"], "database": shown, "outcome": word}
    place = shown.removeprefix("sqlite:///")
    done = {
        "added": f"The record of this core is stored in {place}",
        "replaced": f"The record of this core is in {place}, in place of an older one",
    }
    line = done.get(word, f"The record of this core was in {place} already")
    steps = [
        "What the fleet knows of such crashes: epi seen",
        f"This one alone, in a shell: gdb-epi fleet show {record['core_key']}",
    ]
    return Report("push", lines=[line, *steps], data=document)


def _write_to_spool(record: dict[str, Any], db: str | None, errors: list[SoftError]) -> Report:
    from gdb_epi.fleet.records.spool import ingest_later_command, write_to_spool

    path = write_to_spool([record])
    document = {"core_key": record["core_key"], "spool": str(path), "outcome": "spooled"}
    lines = [
        f"Not in the database yet: the record of this core waits in {path}",
        f"To store it, in a shell: {ingest_later_command(path, db)}",
    ]
    return Report("push", lines=lines, data=document, soft_errors=errors)

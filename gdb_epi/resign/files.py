# SPDX-License-Identifier: Apache-2.0
"""Resign records in files and in the fleet database."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any

from gdb_epi.errors import InputError
from gdb_epi.resign.signature import ResignedSignature, resign
from gdb_epi.resign.verdicts import RejudgedVerdict, rejudge
from gdb_epi.typing_lite import TYPE_CHECKING
from gdb_epi.util import parse_json_object

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

MAX_DOCUMENT = 256 << 20  # bytes of a file that is one JSON document

OnRecord = Callable[[Mapping[str, Any], ResignedSignature, RejudgedVerdict], None]


def resign_file(name: str, on_record: OnRecord, *, apply: bool) -> None:
    """Resign every record of a file: JSON lines, one JSON object, or an array of them.

    With `apply` the file is replaced as a whole when something changed. What is no record stays as
    it is. Raises InputError.
    """
    try:
        with open(name, "rb") as stream:
            if _is_json_document(stream):
                _resign_json_document(name, stream, on_record, apply=apply)
            else:
                _resign_json_lines(name, stream, on_record, apply=apply)
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{name}: {error}", hint="records as JSON") from None


def _is_json_document(stream: IO[bytes]) -> bool:
    """Tell whether a file is one JSON document: its first line is no object of its own."""
    head = stream.readline(MAX_DOCUMENT)
    stream.seek(0)
    try:
        return not isinstance(json.loads(head), dict)
    except ValueError:
        return True


def _resign_json_document(
    name: str, stream: IO[bytes], on_record: OnRecord, *, apply: bool
) -> None:
    content = stream.read(MAX_DOCUMENT + 1)
    if len(content) > MAX_DOCUMENT:
        raise InputError(f"{name}: larger than {MAX_DOCUMENT} bytes", hint="JSON lines")
    value = json.loads(content)
    many = value if isinstance(value, list) else [value]
    records = [_resign_record(record, on_record) for record in many]
    if apply and any(new is not None for new in records):
        whole = [old if new is None else new for old, new in zip(many, records, strict=True)]
        text = json.dumps(whole if isinstance(value, list) else whole[0], indent=2)
        with _open_replacement(name) as out:
            out.write(text.encode("ascii") + b"\n")


def _resign_json_lines(name: str, stream: IO[bytes], on_record: OnRecord, *, apply: bool) -> None:
    changed = False
    with _open_replacement(name) if apply else contextlib.nullcontext() as out:
        for line in stream:
            new = _resign_record(parse_json_object(line), on_record)
            changed |= new is not None
            if out is not None:
                out.write(line if new is None else json.dumps(new).encode("ascii") + b"\n")
        if out is not None and not changed:
            raise _FileStaysUnchanged


def _resign_record(record: Any, on_record: OnRecord) -> Mapping[str, Any] | None:
    """Return the record with its new signature and verdict; None when it stays as it is."""
    if not isinstance(record, dict):
        return None
    resigned, judged = resign(record), rejudge(record)
    on_record(record, resigned, judged)
    changed = {} if resigned.signature is None else {"signature": resigned.signature}
    if judged.verdict is not None:
        changed |= {"verdict": judged.verdict, "flags": judged.flags}
    return {**record, **changed} if changed else None


class _FileStaysUnchanged(Exception):
    """Nothing changed: the file stays."""


@contextlib.contextmanager
def _open_replacement(name: str) -> Iterator[IO[bytes]]:
    """Write a new file beside the old one, which it replaces at the end."""
    target = os.path.realpath(name)
    mode = os.stat(target).st_mode
    number, path = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".resign-")
    try:
        with os.fdopen(number, "wb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        os.chmod(path, mode & 0o7777)
        os.replace(path, target)
    except _FileStaysUnchanged:
        pass  # `finally` removes the copy
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


def resign_database(engine: Engine, on_record: OnRecord, *, apply: bool) -> None:
    """Resign every record of a database, one transaction per batch."""
    from gdb_epi.fleet.store.transactions import begin_write

    after: int | None = 0
    while after is not None:
        with begin_write(engine) if apply else engine.connect() as connection:
            after = _resign_batch(connection, after, on_record, apply=apply)


def _resign_batch(
    connection: Connection, after: int, on_record: OnRecord, *, apply: bool
) -> int | None:
    """Resign the records after a number; return the last number, None at the end."""
    from gdb_epi.fleet.records.packing import unpack_record_or_empty
    from gdb_epi.fleet.store.reproject import packed_records_after

    packed = packed_records_after(connection, after)
    changed = {}
    for number, blob in packed.items():
        new = _resign_record(unpack_record_or_empty(blob), on_record)
        if new is not None:
            changed[number] = new
    if apply and changed:
        _store_records(connection, changed)
    return max(packed, default=None)


def _store_records(connection: Connection, changed: Mapping[int, Mapping[str, Any]]) -> None:
    from gdb_epi.fleet.records.packing import RecordPacker
    from gdb_epi.fleet.records.projection import project_record
    from gdb_epi.fleet.store import tables
    from gdb_epi.fleet.store.dimensions import DimensionIds
    from gdb_epi.fleet.store.transactions import note_change

    packer, ids = RecordPacker(), DimensionIds()
    projected = {number: project_record(record) for number, record in changed.items()}
    ids.ensure_ids(connection, list(projected.values()))
    for number, rows in projected.items():
        of_raw, of_crash = tables.raw.c.crash_id == number, tables.crash.c.id == number
        blob = packer.pack_record(changed[number])
        connection.execute(tables.raw.update().where(of_raw).values(record=blob))
        connection.execute(tables.crash.update().where(of_crash).values(ids.crash_row(rows)))
    note_change(connection)

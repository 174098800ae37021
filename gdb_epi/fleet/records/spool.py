# SPDX-License-Identifier: Apache-2.0
"""The spool: records that could not (or should not) go into the database right now.

One JSON-lines file per writer and moment, made complete under another name and then renamed, so
a reader never sees half a file. Standard library only: `epi push` runs this inside GDB.
"""

from __future__ import annotations

import json
import os
import shlex
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from gdb_epi.errors import EpiError
from gdb_epi.fleet.paths import hide_password, spool_folder
from gdb_epi.fleet.records.prepare import storable_record
from gdb_epi.private_files import check_own_folder, make_private_folder
from gdb_epi.util import parse_json_object

SUFFIX = ".jsonl"


class SpoolError(EpiError):
    """The record could not be kept anywhere."""

    hint = "free some space, or point XDG_DATA_HOME or TMPDIR at a writable folder"


def write_to_spool(records: Iterable[Mapping[str, Any]]) -> Path:
    """Write records into a new spool file and return its path.

    Falls back to the temporary folder. Raises SpoolError when nothing is writable.
    """
    lines = [json.dumps(storable_record(record), sort_keys=True) for record in records]
    text = "".join(f"{line}\n" for line in lines)
    problems = []
    for folder in (spool_folder(), _fallback_folder()):
        try:
            make_private_folder(folder)
            if folder == _fallback_folder():  # everybody may make a folder of that name there
                check_own_folder(folder)
            return _write_spool_file(folder, text)
        except OSError as error:
            problems.append(str(error))
    raise SpoolError(f"cannot spool the record: {'; '.join(problems)}")


def ingest_later_command(path: Path, db: str | None) -> str:
    """Return the command that takes a spool file into the database that was meant.

    Of a URL with a password only its place is shown.
    """
    words = ["gdb-epi", "fleet", "ingest"]
    if path.parent != spool_folder():  # the fallback: nobody looks there unasked
        words.append(shlex.quote(str(path)))
    if db is not None:
        words += ["--db", "URL" if "@" in db or hide_password(db) != db else shlex.quote(db)]
    return " ".join(words)


def waiting_spool_files(folder: Path | None = None) -> list[Path]:
    """Return the spool files that wait, oldest first."""
    place = spool_folder() if folder is None else folder
    return sorted(place.glob(f"*{SUFFIX}")) if place.is_dir() else []


def drop_spooled(is_meant: Callable[[Mapping[str, Any]], bool], *, apply: bool) -> int:
    """Return how many records that are meant wait in the spool; delete them on `apply`.

    Lines that are no record stay, as does a file that an ingest takes meanwhile.
    """
    count = 0
    for folder in (spool_folder(), _fallback_folder()):
        for path in waiting_spool_files(folder):
            try:
                if folder == _fallback_folder():
                    check_own_folder(folder)
                lines = path.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
                kept = [
                    line for line in lines
                    if (record := parse_json_object(line)) is None or not is_meant(record)
                ]  # fmt: skip
                count += len(lines) - len(kept)
                if apply and len(kept) < len(lines):
                    if kept:
                        _write_spool_file(folder, "".join(f"{line}\n" for line in kept))
                    path.unlink()
            except FileNotFoundError:
                continue
    return count


def _fallback_folder() -> Path:
    return Path(tempfile.gettempdir()) / f"gdb-epi-spool-{os.getuid()}"


def _write_spool_file(folder: Path, text: str) -> Path:
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
    handle, draft = tempfile.mkstemp(prefix=f"{stamp}-{os.getpid()}-", suffix=".part", dir=folder)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        final = Path(draft).with_suffix(SUFFIX)
        Path(draft).rename(final)
    except OSError:
        Path(draft).unlink(missing_ok=True)
        raise
    return final

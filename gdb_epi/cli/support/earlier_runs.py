# SPDX-License-Identifier: Apache-2.0
"""Which cores an earlier run has stored: a run that was stopped goes on where it was.

A core is the same when its file has the same name, size, date and beginning, and what lies beside
it is the same; it is done when the same version stored it with options that give the same record.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from itertools import islice

from gdb_epi import __version__
from gdb_epi.cli.support.core_files import CoreInput
from gdb_epi.cli.support.examine import (
    ExaminedCore,
    ExamineOptions,
    FailedCore,
    Result,
    without_private_parts,
)
from gdb_epi.cli.support.native_gdb import find_gdb
from gdb_epi.errors import EXIT_FAILED, EpiError
from gdb_epi.sidecars.find import sidecar_paths_beside
from gdb_epi.target.elf_files import sysroot_folders

BEGINNING = 1 << 16  # bytes: headers with all addresses, notes with registers and pids
READ_AHEAD = 100  # records


class EarlierResults:
    """What of the cores of this run is stored, by their places on the command line.

    `keys` has a name for each core as it is now, under which the run notes that it is done.
    """

    def __init__(self, db: str | None, cores: Sequence[CoreInput], options: ExamineOptions) -> None:
        self._db = db
        self._cores = cores
        self._options = options
        how = _options_key(options)
        self.keys = [_core_file_key(core, how) for core in cores]
        self._core_keys: dict[int, str] = {}
        self._records: dict[int, Result] = {}

    def ask_database(self) -> None:
        """Ask the database. If it cannot be asked, storing the records will say so."""
        from gdb_epi.fleet.store.database import open_database
        from gdb_epi.fleet.store.examined_files import core_keys_examined_before

        try:
            with open_database(self._db, write=True, create=False) as engine:
                stored = core_keys_examined_before(engine, filter(None, self.keys))
        except EpiError:
            return
        for index, key in enumerate(self.keys):
            if key in stored:
                self._core_keys[index] = stored[key]

    def __contains__(self, index: int) -> bool:
        return index in self._core_keys

    def __len__(self) -> int:
        return len(self._core_keys)

    def take_result(self, index: int) -> Result:
        """Return the record of a core that was done; each can be taken once."""
        if index not in self._records:
            self._read_next_records(index)
        return self._records.pop(index)

    def _read_next_records(self, index: int) -> None:
        from gdb_epi.fleet.store.database import open_database
        from gdb_epi.fleet.store.examined_files import read_records

        behind = (i for i in range(index, len(self.keys)) if i in self)
        wanted = list(islice(behind, READ_AHEAD))
        why, hint = "its record went from the database meanwhile", "again"
        try:
            with open_database(self._db, write=True, create=False) as engine:
                records = read_records(engine, {self._core_keys[i] for i in wanted})
        except EpiError as error:
            records, why, hint = {}, str(error), error.hint
        for i in wanted:
            record = records.get(self._core_keys[i])
            self._records[i] = (
                FailedCore(f"{self._cores[i].path}: {why}", hint, EXIT_FAILED)
                if record is None
                else ExaminedCore(without_private_parts(dict(record), self._options), None)
            )


def _options_key(options: ExamineOptions) -> bytes:
    """Return what stands for the tool and those options that a record depends on."""
    gdb = None if options.native == "never" else find_gdb(options.gdb)
    key = options.hmac_key
    named = (options.exe, gdb, *options.sidecars[:3])
    words = (
        __version__,
        "auto" if options.native == "gdb" else options.native,
        [os.path.abspath(root) for root in sysroot_folders(options.sysroot)],
        options.max_size,
        options.prefix,
        options.sidecars.core_pattern,
        options.sidecars.beside,
        options.messages,
        options.redact_addresses,
        key and hashlib.sha256(key).hexdigest(),
        [(name, _size_and_mtime(name)) for name in named if name is not None],
    )
    return repr(words).encode("utf-8", "surrogateescape")


def _core_file_key(core: CoreInput, how: bytes) -> str | None:
    """Return the name of a core as it is now, 32 hex digits; None when it cannot be read."""
    if core.remote is not None:
        _, size, modified, version = core.remote
        if modified is None and not version:
            return None  # nothing tells whether it is another one now
        words = repr((core.path, size, modified, version, core.compression))
        return hashlib.sha256(how + words.encode("utf-8", "surrogateescape")).hexdigest()[:32]
    try:
        with open(core.path, "rb", buffering=0) as file:
            status = os.fstat(file.fileno())
            beginning = file.read(BEGINNING)
        beside = [
            (os.path.basename(path), _size_and_mtime(path))
            for path in sidecar_paths_beside(core.path)
        ]
        attributes = [(name, os.getxattr(core.path, name)) for name in _user_xattrs(core.path)]
    except OSError:
        return None
    name = os.path.basename(core.path)
    what = (name, status.st_size, status.st_mtime_ns, core.compression, beside, attributes)
    digest = hashlib.sha256(how)
    for part in (repr(what).encode("utf-8", "surrogateescape"), beginning):
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()[:32]


def _user_xattrs(path: str) -> Iterator[str]:
    try:
        yield from sorted(name for name in os.listxattr(path) if name.startswith("user."))
    except OSError:  # a file system without them
        return


def _size_and_mtime(path: str) -> tuple[int, int] | None:
    """Return size and date of a file; None when it is not there."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns

# SPDX-License-Identifier: Apache-2.0
"""The .pyc file of a module, and whether it is provably the one that the process loaded.

An edit of the source makes the same picture as a flip: one constant more or less by one, all else
equal. A .pyc that is valid for its source, in a folder that looks as it did when the process
listed it, from a source no younger than that folder, cannot have been rewritten since. The process
keeps the time of the folder: FileFinder._path_mtime (Lib/importlib/_bootstrap_external.py, 3.8 to
3.15). Seconds are compared: archives keep no more.
"""

from __future__ import annotations

import os

from gdb_epi.corruption.context import Context, once_per_run
from gdb_epi.corruption.heap.memory_readers import shared_object_search
from gdb_epi.cpython.source.guarded_files import SourceFile, bytecode_cache_paths, read_regular_file
from gdb_epi.cpython.source.pyc import CHECKED, read_pyc_header
from gdb_epi.cpython.source.source_checks import does_pyc_hash_match
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import NOT_AVAILABLE, Absent, LayoutError, UnreadableMemory
from gdb_epi.sizes import HALF_MASK
from gdb_epi.target.elf_files import locate_in_sysroot
from gdb_epi.typing_lite import NamedTuple

MAX_PYC = 16 << 20
MAX_FILES = 4096
# Builders write the same time into every file: 0, 1 (Nix), 1980-01-01 (zip). It tells nothing.
FIXED_TIMES = 315_532_800 + 3 * 86_400


class PycProof(NamedTuple):
    """Whether a .pyc is the one that was loaded; `says` why, or why that cannot be told."""

    holds: bool
    says: str


def guess_sysroot(context: Context) -> str | None:
    """Return the folder in which this machine has the process' files, by those of its modules.

    "" for this machine's own root; None when no file of the process is here.
    """
    for module in context.target.modules():
        if isinstance(module.file, str) and module.file.endswith(module.path):
            return module.file[: -len(module.path)]
    return None


class LoadedPyc(NamedTuple):
    """The .pyc that lies where that of a source file does, as this machine has it now."""

    source: str  # as the code object names it
    file: SourceFile


class PycFiles:
    """The .pyc files of one process' modules; each is read, and its proof looked for, once."""

    def __init__(self, context: Context, python: PythonState) -> None:
        self._context = context
        self._python = python
        self._root = guess_sysroot(context)
        self._files: dict[str, LoadedPyc | Absent] = {}
        self._proofs: dict[str, PycProof] = {}

    def of(self, source: str) -> LoadedPyc | Absent:
        """Return the .pyc of a source file; Absent when there is none here, or after MAX_FILES."""
        if source not in self._files:
            if len(self._files) >= MAX_FILES:
                return Absent(NOT_AVAILABLE, f"more than {MAX_FILES} files")
            self._files[source] = self._read(source)
        return self._files[source]

    def _read(self, source: str) -> LoadedPyc | Absent:
        if self._root is None:
            return Absent(NOT_AVAILABLE, "no file of the process is here")
        for path in bytecode_cache_paths(source, self._python.layout):
            local_path = locate_in_sysroot(path, self._root)
            file = (
                local_path
                if isinstance(local_path, Absent)
                else read_regular_file(local_path, MAX_PYC)
            )
            if not isinstance(file, Absent):
                return LoadedPyc(source, file)
        return Absent(NOT_AVAILABLE, "no .pyc")

    def proof(self, pyc: LoadedPyc) -> PycProof:
        """Tell whether a .pyc is the one that the process loaded."""
        if pyc.source not in self._proofs:
            try:
                self._proofs[pyc.source] = self._prove(pyc)
            except (UnreadableMemory, LayoutError) as error:
                self._proofs[pyc.source] = PycProof(False, str(error))
        return self._proofs[pyc.source]

    def _prove(self, pyc: LoadedPyc) -> PycProof:
        header, magic = read_pyc_header(pyc.file.data), self._interpreters_magic()
        if magic is None:
            return PycProof(False, "the core does not hold the interpreter's magic number")
        if header is None or header.magic != magic:
            return PycProof(False, f"its magic number is not the interpreter's ({pyc.file.path})")
        local_path = locate_in_sysroot(pyc.source, self._root)
        source = local_path if isinstance(local_path, Absent) else read_regular_file(local_path)
        if isinstance(source, Absent):
            return PycProof(False, f"its source is not here: {source.detail}")
        written = source.mtime_ns // 10**9
        if header.hash is None:
            if (header.mtime, header.size) != (written & HALF_MASK, source.size & HALF_MASK):
                return PycProof(
                    False, f"its header names another time or size than {source.path} has"
                )
        elif not header.flags & CHECKED:
            written = max(written, pyc.file.mtime_ns // 10**9)
        elif does_pyc_hash_match(header.magic, source, header.hash) is not True:
            return PycProof(False, f"its header has another hash than {source.path}")
        return self._prove_folder(pyc.source.rpartition("/")[0], written)

    def _prove_folder(self, folder: str, written: int) -> PycProof:
        """Tell whether a folder is as the process saw it, and no younger file is in question."""
        listed = self._listed_at(folder)
        if listed is None or listed < 0:
            return PycProof(False, f"the process has no listing of {folder}")
        place = locate_in_sysroot(folder, self._root)
        try:
            now = None if isinstance(place, Absent) else os.stat(place).st_mtime
        except OSError:
            now = None
        if now is None or int(now) != int(listed):
            return PycProof(False, f"{folder} was changed since the process listed it")
        if written > listed:
            return PycProof(False, f"the source is younger than the process' listing of {folder}")
        if min(written, listed) < FIXED_TIMES:
            return PycProof(False, f"the times in {folder} are made up")
        return PycProof(True, f"valid for its source, and {folder} is as the process listed it")

    def _listed_at(self, folder: str) -> float | None:
        """Return the time that a folder had when the import system last listed it."""
        access = shared_object_search(self._context).access
        cache = self._name_of_module("sys", "path_importer_cache")
        finder = access.get(cache, folder) if cache else None
        value = access.attribute(finder, "_path_mtime") if finder else None
        return access.real(value) if value else None  # -1, an int, after invalidate_caches()

    def _interpreters_magic(self) -> bytes | None:
        """Return the interpreter's own magic number, by the import system."""
        value = self._name_of_module("_frozen_importlib_external", "MAGIC_NUMBER")
        return shared_object_search(self._context).access.data(value, 4) if value else None

    def _name_of_module(self, module: str, name: str) -> int | None:
        """Return what a module of the first interpreter has under a name (PyObject *)."""
        access = shared_object_search(self._context).access
        for interpreter in self._python.interpreters[:1]:
            contents = access.module(interpreter.address, module)
            return access.get(contents, name) if contents else None
        return None


@once_per_run
def pyc_files(context: Context) -> PycFiles:
    """Return the .pyc files of a process, which must have a Python."""
    python = context.state.python
    assert isinstance(python, PythonState)
    return PycFiles(context, python)

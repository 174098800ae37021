# SPDX-License-Identifier: Apache-2.0
"""Versions of imported packages for the record: what `modules.py` finds, at a tenth of the cost.

Only top-level packages outside the standard library, only from the core, and only texts that look
like versions. Every triage runs it, so dicts are read no further than needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.cpython.types import InterpreterState, PythonState
from gdb_epi.errors import NOT_AVAILABLE, UNREADABLE, Absent, UnreadableMemory
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import version_or_none

MAX_MODULES = 50_000
MAX_NAMES = 20_000  # of one module that are examined
MAX_ALL_NAMES = 500_000  # of all modules together
MAX_STDLIB = 4096
MAX_NAME = 256
# Where a module's dict has `__file__` when it has one: the import system sets it first.
EARLY = 12
_ASKED_FOR = ("__version__", "__file__", "__path__")
_INSTALLED = ("/site-packages", "/dist-packages")


class PackageVersion(NamedTuple):
    """A top-level package; `source` is "__version__" or "metadata"."""

    name: str
    version: str
    source: str


class PackageVersions(NamedTuple):
    """The packages of one interpreter, by name; `lost` entries of sys.modules were unreadable."""

    packages: tuple[PackageVersion, ...]
    lost: int


class _ModuleFacts(NamedTuple):
    file: str | None = None
    package: bool = False
    version: str | None = None


def read_package_versions(target: Target, python: PythonState) -> PackageVersions | Absent:
    """Return the versions of the packages that the main interpreter imported.

    Absent when sys.modules cannot be read.
    """
    if not python.interpreters:
        return Absent(NOT_AVAILABLE, "no interpreter")
    reader = MemoryReader(target, python.layout)
    return _VersionReader(target, python, reader, python.interpreters[0]).versions()


class _VersionReader:
    def __init__(
        self,
        target: Target,
        python: PythonState,
        reader: MemoryReader,
        interpreter: InterpreterState,
    ) -> None:
        self._target = target
        self._python = python
        self._reader = reader
        self._interpreter = interpreter
        self._objects = NamespaceReader(reader)
        self._room = MAX_ALL_NAMES

    def versions(self) -> PackageVersions | Absent:
        """Return all packages that have a version."""
        lost = 0
        seen: dict[str, _ModuleFacts] = {}
        try:
            hash_at = self._reader.layout.require("PyASCIIObject", "hash")
            stdlib = self._stdlib_names(hash_at)
            contents = self._objects.sys_modules(self._interpreter.address)
            if isinstance(contents, Absent):
                return contents
            modules = self._objects.dict_items(contents) if contents else iter(())
            for key, value in islice(modules, MAX_MODULES):
                if self._reader.word(key + hash_at) in stdlib:
                    continue
                name = self._reader.string(key, MAX_NAME)
                if isinstance(name, Absent):
                    lost += 1
                elif "." not in name and name != "__main__":
                    module = self._read_module_facts(value, not stdlib)
                    lost += module is None
                    if module is not None:
                        seen[name] = module
        except UnreadableMemory as error:
            if not seen:
                return Absent(UNREADABLE, str(error))
            lost += 1
        versions = [
            PackageVersion(n, s.version, "__version__") for n, s in seen.items() if s.version
        ]
        # A distribution's name begins with a letter or a digit (PEP 508): no look for setuptools'
        # _distutils_hack, which half of all processes have.
        rest = [
            n
            for n, s in seen.items()
            if not s.version and s.file and _is_installed(s.file) and n[:1].isalnum()
        ]
        if rest:
            versions += self._versions_by_metadata(frozenset(rest))
        return PackageVersions(tuple(sorted(versions)), lost)

    def _versions_by_metadata(self, names: frozenset[str]) -> Iterator[PackageVersion]:
        """Look the rest up among metadata folders; rare enough to pay for the whole decoder."""
        from gdb_epi.cpython.runtime.modules import read_imported_modules, top_level_packages

        every = read_imported_modules(self._target, self._python, self._interpreter, only=names)
        if isinstance(every, Absent):
            return
        for package in top_level_packages(every):
            if package.version is not None:
                yield PackageVersion(package.name, package.version, package.source)

    def _read_module_facts(self, address: int, by_file: bool) -> _ModuleFacts | None:
        """Read what a module's dict says; `by_file` tells the standard library by its folder."""
        reader = self._reader
        try:
            contents = reader.field(address, "PyModuleObject", "md_dict")
            if not contents or contents & 7:
                return _ModuleFacts()  # None or an object of another kind
            values: dict[str, str | None] = {}
            for number, (key, value) in enumerate(self._objects.dict_items(contents)):
                self._room -= 1
                if number > MAX_NAMES or self._room < 0:
                    return None  # counted as lost
                if number > EARLY and "__file__" not in values and by_file:
                    break
                name = reader.which_string(key, _ASKED_FOR)
                if name is not None:
                    text = reader.string(value, 4096) if name != "__path__" else ""
                    values[name] = None if isinstance(text, Absent) else text
                if "__version__" in values and "__file__" in values:
                    break
                file = values.get("__file__") or ""
                if by_file and "/lib/python3" in file and not _is_installed(file):
                    return _ModuleFacts()  # of the standard library
            version = version_or_none(values.get("__version__"))
            if by_file and not values.get("__file__"):
                version = None  # built in
            return _ModuleFacts(values.get("__file__"), "__path__" in values, version)
        except UnreadableMemory:
            return None if self._is_module(address) else _ModuleFacts()

    def _is_module(self, address: int) -> bool:
        """Tell whether an entry of sys.modules has the type that `sys` has, or is unknown."""
        with suppress(UnreadableMemory):
            held = self._objects.sys_modules(self._interpreter.address)
            if not isinstance(held, Absent):
                held = self._objects.dict_get(held, "sys")
            if not isinstance(held, Absent):
                return self._reader.type_of(address) == self._reader.type_of(held)
        return True

    def _stdlib_names(self, hash_at: int) -> set[int]:
        """Return the hashes of sys.stdlib_module_names (3.10+, bpo-42955); empty where it is lost.

        All names in sets and dicts keep theirs, and no two of a process have the same.
        """
        contents = self._objects.module_dict(self._interpreter.address, "sys")
        if isinstance(contents, Absent):
            return set()
        names_at = self._objects.dict_get(contents, "stdlib_module_names")
        if isinstance(names_at, Absent):
            return set()
        try:
            members = list(islice(ContainerReader(self._reader).set_items(names_at), MAX_STDLIB))
        except UnreadableMemory:
            return set()
        return {*self._reader.words([name + hash_at for name in members])} - {0}


def _is_installed(file: str) -> bool:
    return any(folder in file for folder in _INSTALLED)

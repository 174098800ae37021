# SPDX-License-Identifier: Apache-2.0
"""Thread names: `threading._active` of an interpreter, ident -> Thread.name."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.errors import NOT_AVAILABLE, UNREADABLE, Absent, UnreadableMemory

MAX_NAME = 4096


def read_thread_names(
    reader: MemoryReader, objects: NamespaceReader, interpreter: int
) -> dict[int, str] | Absent:
    """Return the names of the threads that `threading` knows, by ident (pthread_t).

    Absent when sys.modules cannot be read; empty when `threading` was never imported. While the
    interpreter finalizes sys.modules is empty, but modules that frames run in may still hold
    `threading`. Reference: Lib/threading.py (_active), 3.8 to 3.15.
    """
    try:
        contents = find_threading_globals(reader, objects, interpreter)
        if isinstance(contents, Absent):
            return {} if contents.reason == NOT_AVAILABLE else contents
        names = {}
        for ident, thread in read_active_threads(objects, contents) if contents else ():
            name_at = objects.attribute(thread, "_name")
            name = name_at if isinstance(name_at, Absent) else reader.string(name_at, MAX_NAME)
            if not isinstance(name, Absent):
                names[ident] = name
        return names
    except UnreadableMemory as error:
        return Absent(UNREADABLE, f"sys.modules: {error}")


def read_active_threads(objects: NamespaceReader, contents: int) -> Iterator[tuple[int, int]]:
    """Yield (ident, Thread object) of threading._active, given the globals of `threading`."""
    active = objects.dict_get(contents, "_active")
    for key, thread in () if isinstance(active, Absent) else objects.dict_items(active):
        ident = objects.integer(key)
        if not isinstance(ident, Absent):
            yield ident, thread


def find_threading_globals(
    reader: MemoryReader, objects: NamespaceReader, interpreter: int
) -> int | Absent:
    """Return the dict (PyObject *) of the module `threading`, 0 when it was cleared.

    Absent when it was never imported or cannot be found. Raises UnreadableMemory.
    """
    try:
        modules = objects.sys_modules(interpreter)
    except UnreadableMemory as error:
        return Absent(UNREADABLE, f"sys.modules: {error}")
    if isinstance(modules, Absent):
        return modules
    module: int | Absent = Absent(NOT_AVAILABLE, "no sys.modules")
    if modules:
        module = objects.dict_get(modules, "threading")
    for contents in objects.known_globals():
        if not isinstance(module, Absent):
            break
        held = objects.dict_get(contents, "threading")
        module = module if isinstance(held, Absent) else held
    if isinstance(module, Absent):
        return module
    return reader.field(module, "PyModuleObject", "md_dict")

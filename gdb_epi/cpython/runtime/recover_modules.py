# SPDX-License-Identifier: Apache-2.0
"""Find modules when sys.modules is gone: the globals of frames still lead to them.

While an interpreter finalizes, sys.modules is emptied first; functions that run keep their globals.

Thread names: `threading._active` of an interpreter, ident -> Thread.name.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.frames.code_objects import CodeReader
from gdb_epi.cpython.frames.frame_chain import frame_reader
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import NOT_AVAILABLE, UNREADABLE, Absent, LayoutError, UnreadableMemory

MAX_FRAMES = 2000
MAX_FRAMES_PER_THREAD = 200
MAX_NAME = 4096


def remember_frame_globals(
    reader: MemoryReader, objects: NamespaceReader, python: PythonState
) -> None:
    """Let `objects` know the globals of all frames (`NamespaceReader.known_globals`)."""
    frames = frame_reader(reader, CodeReader(reader))
    left = MAX_FRAMES
    for thread in python.threads():
        for frame in thread.frames[:MAX_FRAMES_PER_THREAD]:
            if left <= 0:
                return
            left -= 1
            try:
                raw = frames.read(frame.address) if frame.hole is None else None
                if raw is not None and not raw.problem:
                    objects.module_name(raw.globals)
            except (UnreadableMemory, LayoutError):
                continue


def find_module_dict(
    objects: NamespaceReader, reader: MemoryReader, interpreter: int, name: str
) -> int | Absent:
    """Return the dict (PyObject *) of a module: by sys.modules, else by the globals of frames.

    Absent when it was never imported or is gone. The second way needs remember_frame_globals().
    """
    listed = objects.module_dict(interpreter, name)
    if not isinstance(listed, Absent):
        return listed
    package, _, leaf = name.partition(".")
    try:
        for contents in objects.known_globals():
            if objects.module_name(contents) == name:
                return contents
            module = objects.dict_get(contents, package)
            if leaf and not isinstance(module, Absent):
                inner = _module_dict(reader, module)
                module = objects.dict_get(inner, leaf) if inner else listed
            if not isinstance(module, Absent):
                return _module_dict(reader, module) or listed
    except UnreadableMemory:
        return listed
    return listed


def _module_dict(reader: MemoryReader, module: int) -> int:
    """Return md_dict of a module object; 0 when it is no module, or was cleared."""
    if reader.type_name(reader.type_of(module)) != "module":
        return 0
    return reader.field(module, "PyModuleObject", "md_dict")


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

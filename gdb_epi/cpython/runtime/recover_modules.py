# SPDX-License-Identifier: Apache-2.0
"""Find modules when sys.modules is gone: the globals of frames still lead to them.

While an interpreter finalizes, sys.modules is emptied first; functions that run keep their globals.
"""

from __future__ import annotations

from gdb_epi.cpython.frames.code_objects import CodeReader
from gdb_epi.cpython.frames.frame_chain import frame_reader
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory

MAX_FRAMES = 2000
MAX_FRAMES_PER_THREAD = 200


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

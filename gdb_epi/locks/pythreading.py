# SPDX-License-Identifier: Apache-2.0
"""What Python's threading module remembers: its main thread."""

from __future__ import annotations

from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import NOT_APPLICABLE, NOT_AVAILABLE, Absent, LayoutError, UnreadableMemory
from gdb_epi.lean import TYPE_CHECKING, NamedTuple
from gdb_epi.target.api import Target

if TYPE_CHECKING:
    from gdb_epi.cpython.objects import Objects
    from gdb_epi.cpython.reader import Reader


class MainThread(NamedTuple):
    """threading._main_thread: its native_id and the name of its type."""

    native_id: int | None
    type_name: str | None


def main_thread_facts(target: Target, python: PythonState | Absent) -> MainThread | Absent:
    """Return what threading says of the main thread.

    Absent without CPython, or when `threading` was never imported. Reference: Lib/threading.py
    (_main_thread, _after_fork), 3.8 to 3.14.
    """
    if isinstance(python, Absent):
        return Absent(NOT_APPLICABLE, python.detail)
    from gdb_epi.cpython.objects import Objects
    from gdb_epi.cpython.reader import Reader

    try:
        reader = Reader(target, python.layout)
        objects = Objects(reader)
        return _facts(reader, objects, python)
    except (UnreadableMemory, LayoutError) as error:
        return Absent(NOT_AVAILABLE, f"threading: {error}")


def _facts(reader: Reader, objects: Objects, python: PythonState) -> MainThread | Absent:
    layout = python.layout
    at = layout.offset("PyInterpreterState", "imports.modules", "modules")
    if at is None or not python.interpreters:
        return Absent(NOT_AVAILABLE, "the layout does not say where sys.modules is")
    modules = reader.u64(python.interpreters[0].address + at)
    threading = objects.dict_get(modules, "threading") if modules else None
    if threading is None or isinstance(threading, Absent):
        return Absent(NOT_APPLICABLE, "threading was not imported")
    contents = reader.u64(threading + layout.require("PyModuleObject", "md_dict"))
    main = objects.dict_get(contents, "_main_thread")
    if isinstance(main, Absent):
        return main
    native = objects.attribute(main, "_native_id")
    number = Absent(NOT_AVAILABLE, "") if isinstance(native, Absent) else objects.integer(native)
    type_name = reader.type_name(reader.type_of(main))
    return MainThread(
        None if isinstance(number, Absent) else number,
        None if isinstance(type_name, Absent) else type_name,
    )

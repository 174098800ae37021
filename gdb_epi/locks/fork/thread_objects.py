# SPDX-License-Identifier: Apache-2.0
"""What `threading` still knows of threads, ended and vanished ones too (F9).

`threading._dangling` is a WeakSet of every Thread object that is alive; after a fork the parent's
threads stay in it with their old `_ident` and `_native_id`. Reference: Lib/threading.py
(_dangling, _after_fork), Lib/_weakrefset.py, 3.8 to 3.15.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import NOT_APPLICABLE, NOT_AVAILABLE, Absent, LayoutError, UnreadableMemory
from gdb_epi.fault.memory_reads import read_u64
from gdb_epi.typing_lite import NamedTuple

MAX_THREADS = 100_000
MAX_NAME = 4096
_WANTED = ("_name", "_ident", "_native_id")
_LONG_SUBCLASS = 1 << 24  # Py_TPFLAGS_LONG_SUBCLASS, public ABI (Include/object.h)


class ThreadObject(NamedTuple):
    """One threading.Thread object; a number that it does not have is None."""

    address: int
    ident: int | None = None
    native_id: int | None = None
    name: str | None = None
    type_name: str | None = None


def find_module_dict_of_main_interpreter(
    objects: NamespaceReader, python: PythonState, name: str
) -> int | Absent:
    """Return the dict (PyObject *) of a module of the main interpreter.

    Absent: not_applicable when the program never imported it, else whether it did cannot be told.
    """
    if not python.interpreters:
        return Absent(NOT_AVAILABLE, "no interpreter")
    contents = objects.module_dict(python.interpreters[0].address, name)
    if not isinstance(contents, Absent):
        return contents
    if contents.reason == NOT_AVAILABLE:
        return Absent(NOT_APPLICABLE, f"{name} was not imported")
    return Absent(contents.reason, f"whether {name} was imported cannot be told: {contents.detail}")


def read_thread_objects(
    reader: MemoryReader, python: PythonState
) -> tuple[ThreadObject, ...] | Absent:
    """Return every Thread object that threading still knows.

    Absent when `threading` was never imported (it has no threads then), or cannot be read.
    """
    objects = NamespaceReader(reader)
    contents = find_module_dict_of_main_interpreter(objects, python, "threading")
    if isinstance(contents, Absent):
        return contents
    threads: dict[int, ThreadObject] = {}
    try:
        for address in dict.fromkeys(_thread_object_addresses(reader, objects, contents)):
            thread = _read_thread_object(reader, objects, address)
            # A dead weak reference points at None, which has no attributes.
            if thread.name is not None or thread.ident is not None:
                threads[address] = thread
            if len(threads) >= MAX_THREADS:
                break
    except (UnreadableMemory, LayoutError) as error:
        if not threads:
            return Absent(NOT_AVAILABLE, f"threading._dangling: {error}")
    return tuple(threads.values())


def read_main_thread(reader: MemoryReader, python: PythonState) -> ThreadObject | Absent:
    """Return threading._main_thread. Absent when `threading` was never imported, or unreadable."""
    objects = NamespaceReader(reader)
    contents = find_module_dict_of_main_interpreter(objects, python, "threading")
    if isinstance(contents, Absent):
        return contents
    address = objects.dict_get(contents, "_main_thread")
    if isinstance(address, Absent):
        return address
    try:
        return _read_thread_object(reader, objects, address)
    except (UnreadableMemory, LayoutError) as error:
        return Absent(NOT_AVAILABLE, f"threading._main_thread: {error}")


def _thread_object_addresses(
    reader: MemoryReader, objects: NamespaceReader, contents: int
) -> Iterator[int]:
    active = objects.dict_get(contents, "_active")
    if not isinstance(active, Absent):
        for _ident, thread in objects.dict_items(active):
            yield thread
    dangling = objects.dict_get(contents, "_dangling")
    weak_set_data = (
        dangling if isinstance(dangling, Absent) else objects.attribute(dangling, "data")
    )
    if isinstance(weak_set_data, Absent):
        return
    object_at = reader.layout.require("PyWeakReference", "wr_object")
    for reference in ContainerReader(reader).set_items(weak_set_data):
        address = read_u64(reader.target, reference + object_at)
        if address:
            yield address


def _read_thread_object(
    reader: MemoryReader, objects: NamespaceReader, address: int
) -> ThreadObject:
    wanted: dict[str, int] = {}
    try:
        for key, value in objects.attributes(address):
            for name_ in _WANTED:
                if name_ not in wanted and reader.is_str_object_with_text(key, name_):
                    wanted[name_] = value
            if len(wanted) == len(_WANTED):
                break
    except UnreadableMemory:
        return ThreadObject(address)
    name = None if "_name" not in wanted else reader.string(wanted["_name"], MAX_NAME)
    type_name = reader.type_name(reader.type_of(address))
    return ThreadObject(
        address,
        _read_int_object(reader, objects, wanted.get("_ident")),
        _read_int_object(reader, objects, wanted.get("_native_id")),
        None if isinstance(name, Absent) else name,
        None if isinstance(type_name, Absent) else type_name,
    )


def _read_int_object(
    reader: MemoryReader, objects: NamespaceReader, address: int | None
) -> int | None:
    if not address:
        return None
    kind = reader.type_of(address)
    if not reader.field(kind, "PyTypeObject", "tp_flags") & _LONG_SUBCLASS:
        return None  # None: the thread never ran
    number = objects.integer(address)
    return None if isinstance(number, Absent) else number or None

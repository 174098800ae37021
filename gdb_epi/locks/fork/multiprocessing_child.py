# SPDX-License-Identifier: Apache-2.0
"""Is this process a child of `multiprocessing`, and how was it started?

Reference: Lib/multiprocessing/process.py (_current_process, _parent_process; 3.8 and later),
context.py (ForkProcess, SpawnProcess, ForkServerProcess), 3.8 to 3.15.
"""

from __future__ import annotations

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import NOT_APPLICABLE, NOT_AVAILABLE, Absent, LayoutError, UnreadableMemory
from gdb_epi.locks.fork.thread_objects import find_module_dict_of_main_interpreter
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple

_METHODS = {"ForkProcess": "fork", "SpawnProcess": "spawn", "ForkServerProcess": "forkserver"}
# What the command line of an exec'd lineage begins with (multiprocessing/spawn.py, forkserver.py).
_COMMANDS = ("from multiprocessing.spawn import", "from multiprocessing.forkserver import")
MAX_NAME = 512


class MultiprocessingChild(NamedTuple):
    """`method`: "fork", "spawn", "forkserver", or the name of the process object's class."""

    method: str
    name: str | None
    parent_pid: int | None


def read_multiprocessing_child(
    reader: MemoryReader, python: PythonState
) -> MultiprocessingChild | Absent:
    """Return what multiprocessing says about this process.

    Absent (not_applicable) when it did not start it.
    """
    objects = NamespaceReader(reader)
    contents = find_module_dict_of_main_interpreter(objects, python, "multiprocessing.process")
    if isinstance(contents, Absent):
        return contents
    try:
        parent = objects.dict_get(contents, "_parent_process")
        current = objects.dict_get(contents, "_current_process")
        if isinstance(parent, Absent) or isinstance(current, Absent):
            return Absent(NOT_AVAILABLE, "multiprocessing.process has no such variables")
        if _type_name(reader, parent) in (None, "NoneType"):
            return Absent(NOT_APPLICABLE, "multiprocessing did not start this process")
        kind = _type_name(reader, current) or "unknown"
        name_at = objects.attribute(current, "_name")
        name = None if isinstance(name_at, Absent) else reader.string(name_at, MAX_NAME)
        pid_at = objects.attribute(parent, "_pid")
        pid = None if isinstance(pid_at, Absent) else objects.integer(pid_at)
        return MultiprocessingChild(
            _METHODS.get(kind, kind),
            None if isinstance(name, Absent) else name,
            None if isinstance(pid, Absent) else pid,
        )
    except (UnreadableMemory, LayoutError) as error:
        return Absent(NOT_AVAILABLE, f"multiprocessing.process: {error}")


def _type_name(reader: MemoryReader, address: int) -> str | None:
    name = reader.type_name(reader.type_of(address))
    return None if isinstance(name, Absent) else name.rpartition(".")[2]


def parse_start_method(target: Target) -> str | None:
    """Return "spawn" or "forkserver" when the command line says that this image was exec'd so."""
    process = target.process()
    if isinstance(process, Absent):
        return None
    for command in _COMMANDS:
        if command in process.psargs:
            return command.split(".")[1].split()[0]
    return None

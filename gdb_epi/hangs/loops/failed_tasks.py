# SPDX-License-Identifier: Apache-2.0
"""Tasks of asyncio that failed, which nobody noticed.

What such a task would have given never comes. asyncio logs the exception when the task object goes:
one that a list or an attribute keeps fails in silence (Modules/_asynciomodule.c, task_log_tb, 3.8
to 3.15).
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.heap.instances import shared_instances
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.cpython.objects.type_objects import TypeReader
from gdb_epi.cpython.running.exceptions import ExceptionDecoder
from gdb_epi.cpython.running.tasks import TaskFields
from gdb_epi.cpython.running.tracebacks import Traceback, TracebackLine
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.hangs.library_calls import is_library_file
from gdb_epi.hangs.types import function_and_line
from gdb_epi.target.api import Target
from gdb_epi.target.memory_search import find_word
from gdb_epi.typing_lite import NamedTuple

MAX_TASKS = 2_000
_TASK = "_asyncio.Task"


class FailedTask(NamedTuple):
    """A task that ended with an exception which nobody has asked for."""

    exception: str
    lines: tuple[TracebackLine, ...] = ()  # of the program's own code, innermost first

    def text(self) -> str:
        """Return "a task had ended with ValueError in f (file:3), ..." for a sentence."""
        place = f" in {function_and_line(self.lines[0])}" if self.lines else ""
        return f"a task had ended with {self.exception}{place}, which nobody has looked at"


def find_failed_tasks(target: Target, python: PythonState) -> Iterator[FailedTask]:
    """Yield the tasks that ended with an exception which nobody has retrieved."""
    instances = shared_instances(target, python)
    if not instances.are_listed and _looks_like_no_task_failed(target, python, instances.reader):
        return
    decoder = ExceptionDecoder(target, python)
    reader = instances.reader
    objects = NamespaceReader(reader)
    fields = TaskFields(reader, objects, TypeReader(reader, objects, ()))
    for task in instances.instances_of((_TASK,))[:MAX_TASKS]:
        raised = _unretrieved_exception(fields, task.address)
        if raised:
            exception = decoder.exception(raised)
            if not isinstance(exception.type, Absent):
                yield FailedTask(exception.type, _lines_of_program(exception.traceback))


def _looks_like_no_task_failed(target: Target, python: PythonState, reader: MemoryReader) -> bool:
    """Tell whether no word that is the class Task heads a failed one, so that no walk is needed.

    The lists of the collector, where all of them are, take ten times as long as the words. A class
    that is derived from Task, or was replaced, leaves it open.
    """
    at, objects = reader.layout.require("PyObject", "ob_type"), NamespaceReader(reader)
    fields = TaskFields(reader, objects, TypeReader(reader, objects, ()))
    try:
        for interpreter in python.interpreters:
            module = objects.module_dict(interpreter.address, "asyncio.tasks")
            if isinstance(module, Absent):
                return False
            kind = objects.dict_get(module, "_CTask")
            if isinstance(kind, Absent) or reader.field(kind, "PyTypeObject", "tp_subclasses"):
                return False
            words = find_word(target, kind, limit=MAX_TASKS)
            heads = [place - at for place in words.addresses]
            if not words.complete or any(_unretrieved_exception(fields, head) for head in heads):
                return False
    except (UnreadableMemory, LayoutError):
        return False
    return True


def _unretrieved_exception(fields: TaskFields, task: int) -> int:
    """Return the exception that a task ended with, if nobody has retrieved it; else 0."""
    try:
        failed = fields.state(task) == "finished" and fields.has_unretrieved_exception(task)
        return fields.exception(task) if failed else 0
    except (UnreadableMemory, LayoutError):
        return 0


def _lines_of_program(traceback: Traceback | Absent) -> tuple[TracebackLine, ...]:
    lines = () if isinstance(traceback, Absent) else traceback.lines
    own = (line for line in reversed(lines) if not line.hole)
    return tuple(line for line in own if not is_library_file(line.filename))

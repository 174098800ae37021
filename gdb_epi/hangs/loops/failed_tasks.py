# SPDX-License-Identifier: Apache-2.0
"""Tasks of asyncio that failed, which nobody noticed.

What such a task would have given never comes. asyncio logs the exception when the task object goes:
one that a list or an attribute keeps fails in silence (Modules/_asynciomodule.c, task_log_tb, 3.8
to 3.15).
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.heap.instances import instances_of
from gdb_epi.cpython.running.exceptions import ExceptionDecoder
from gdb_epi.cpython.running.tracebacks import Traceback
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.hangs.library_calls import is_library_file
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple

MAX_TASKS = 2_000
_TASK = "_asyncio.Task"
_FINISHED = 2  # fut_state: pending, cancelled, finished


class FailedTask(NamedTuple):
    """A task that ended with an exception which nobody has asked for."""

    exception: str
    where: str  # "function (file:line)", "" when it is not known

    def text(self) -> str:
        """Return "a task had ended with ValueError in f (file:3), ..." for a sentence."""
        place = f" in {self.where}" if self.where else ""
        return f"a task had ended with {self.exception}{place}, which nobody has looked at"


def failed_tasks(target: Target, python: PythonState) -> Iterator[FailedTask]:
    """Yield the tasks that ended with an exception which nobody has retrieved."""
    instances = instances_of(target, python)
    reader, layout = instances.reader, instances.reader.layout
    flag = layout.find("TaskObj", "task_log_tb")
    if flag is None:
        return
    decoder = ExceptionDecoder(target, python)
    for task in instances.of((_TASK,))[:MAX_TASKS]:
        try:
            word = int.from_bytes(reader.read(task.address + flag.offset, flag.size), "little")
            unseen = word >> max(0, flag.bit_offset) & 1  # an int before 3.12, then one bit
            raised = reader.u64(task.address + layout.require("TaskObj", "task_exception"))
            state = reader.u32(task.address + layout.require("TaskObj", "task_state"))
        except (UnreadableMemory, LayoutError):
            continue
        if state == _FINISHED and unseen and raised:
            exception = decoder.exception(raised)
            if not isinstance(exception.type, Absent):
                yield FailedTask(exception.type, _where(exception.traceback))


def _where(traceback: Traceback | Absent) -> str:
    """Return "function (file:line)" of the innermost line in the program's own code."""
    lines = () if isinstance(traceback, Absent) else traceback.lines
    own = (line for line in reversed(lines) if not line.hole and not is_library_file(line.filename))
    line = next(own, None)
    if line is None:
        return ""
    file = line.filename.rpartition("/")[2]
    return f"{line.qualname or line.name} ({file}:{line.lineno or '?'})"

# SPDX-License-Identifier: Apache-2.0
"""trio's tasks: which there are, in whose nursery each is, where its coroutine waits.

A `Runner` (trio/_core/_run.py, 0.22 to 0.35) holds the set of its tasks. The thread that runs it
has it as a variable of `run()` or `unrolled_run()`; in guest mode it is looked for among
the objects of the garbage collector. A task names its nursery, a nursery the task that opened it.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.frames.coroutines import COROUTINES, RUNNING, CoroutineReader
from gdb_epi.cpython.heap.instances import shared_instances
from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.running.frame_waits import WaitReader
from gdb_epi.cpython.running.tasks import (
    TRIO,
    TRIO_MODULE,
    Task,
    Tasks,
    add_thread_frames,
    is_module_imported,
)
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import NOT_AVAILABLE, Absent, EpiError, LayoutError, SoftError, UnreadableMemory
from gdb_epi.target.api import Target

MAX_TASKS = 100_000
MAX_PROBLEMS = 50
_RUNNER = "trio._core._run.Runner"


def read_trio_tasks(target: Target, python: PythonState) -> Tasks:
    """Return the trio tasks of every interpreter; none where trio was not imported.

    Never raises for damage.
    """
    return _TrioDecoder(target, python).all_tasks()


class _TrioDecoder:
    def __init__(self, target: Target, python: PythonState) -> None:
        self._target, self._python = target, python
        self._problems: list[SoftError] = []

    def all_tasks(self) -> Tasks:
        """Return the tasks of every runner."""
        if not is_module_imported(self._target, self._python, TRIO_MODULE):
            return Tasks((), ())
        self._waits = WaitReader(self._target, self._python)
        context = self._waits.context
        self._reader = context.reader
        self._containers = ContainerReader(context.reader)
        self._coroutines = CoroutineReader(context.reader, context.objects, context.types)
        tasks: list[Task] = []
        for runner, interpreter in self._interpreters_of_runners().items():
            try:
                tasks += self._tasks_of_runner(runner, interpreter)
            except (UnreadableMemory, LayoutError) as error:
                self._note_problem(f"runner {runner:#x}", str(error))
        return Tasks(tuple(tasks), tuple(self._problems))

    def _note_problem(self, subject: str, message: str) -> None:
        if len(self._problems) < MAX_PROBLEMS:
            self._problems.append(SoftError("tasks", subject, message))

    def _interpreters_of_runners(self) -> dict[int, int]:
        """Return the runners with their interpreters' ids."""
        runners: dict[int, int] = {}
        for thread in self._python.threads():
            for frame in thread.frames:
                if frame.module == TRIO_MODULE and frame.hole is None:
                    runner = self._waits.variables(frame).get("runner", 0)
                    if self._waits.class_name_of(runner) == _RUNNER:
                        runners.setdefault(runner, thread.interpreter)
        if not runners:
            instances = shared_instances(self._reader.target, self._python)
            for instance in instances.instances_of((_RUNNER,)):
                runners[instance.address] = self._python.interpreters[0].id
            self._problems += instances.problems[:MAX_PROBLEMS]
        return runners

    def _tasks_of_runner(self, runner: int, interpreter: int) -> Iterator[Task]:
        addresses = self._waits.attribute(runner, "tasks")
        init = self._waits.attribute(runner, "init_task")
        if not addresses:
            raise UnreadableMemory(runner, 8, "a runner of trio without its set of tasks")
        for number, address in enumerate(self._containers.set_items(addresses), 1):
            if number > MAX_TASKS:
                self._note_problem(f"runner {runner:#x}", f"more than {MAX_TASKS} tasks")
                return
            yield self._decode_task(address, runner, interpreter, init)

    def _decode_task(self, address: int, runner: int, interpreter: int, init: int) -> Task:
        attribute = self._waits.attribute
        name = self._waits.text(attribute(address, "name"))
        nursery = attribute(address, "_parent_nursery")
        parent = attribute(nursery, "_parent_task") if nursery else 0
        status = attribute(address, "_cancel_status")
        task = Task(
            address,
            interpreter,
            name or Absent(NOT_AVAILABLE, "not readable"),
            state="pending",
            kind="Python",
            loop=runner,
            awaited_by=(parent,) if parent else (),
            framework=TRIO,
            cancelled=self._waits.is_true_object(attribute(status, "effectively_cancelled")),
            # Of the first task's nurseries one is for the program's main task and trio's own
            # tasks, the other for the task that run_sync_soon() wakes.
            system=address == init
            or (parent != 0 and parent == init and self._runs_code_of_trio(address)),
        )
        coroutine = attribute(address, "coro")
        if self._coroutines.ident(coroutine) not in COROUTINES:
            self._note_problem(f"task {name}", "its coroutine is not a Python one")
            return task
        chain = self._coroutines.suspended_chain(coroutine)
        if chain.broken:
            self._note_problem(f"task {name}", f"its stack: {chain.broken}")
        task = task._replace(coro=self._coroutines.qualname(coroutine), stack=chain.frames)
        if chain.state == RUNNING:
            frame = self._coroutines.frame_address(coroutine)
            running = add_thread_frames(task, frame, self._python.threads())
            if running is None:
                self._note_problem(f"task {name}", "it runs, but its frame is in no thread's stack")
            return running or task._replace(running=True)
        return task

    def _runs_code_of_trio(self, address: int) -> bool:
        """Whether a task of the system nursery runs trio's own code, not the program's main."""
        coroutine = self._waits.attribute(address, "coro")
        try:
            frame = self._coroutines.state_and_frame(coroutine)[1]
        except EpiError:
            return False
        return frame is not None and (frame.module or "").partition(".")[0] == "trio"

# SPDX-License-Identifier: Apache-2.0
"""The tasks of asyncio and trio: what each waits for, also as a tree: below each what it waits for.

`epi tasks` and `gdb-epi tasks` share this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from gdb_epi.cpython.running.tasks import ASYNCIO, TRIO, Task
from gdb_epi.cpython.running.wait_rules import FUTURE, LOCK, PLAIN_CLASSES, SEMAPHORE, TASK, TASKS
from gdb_epi.errors import Absent
from gdb_epi.process_state import ProcessState
from gdb_epi.record.stacks import read_tasks_and_waits, task_json
from gdb_epi.render.merged_stacks import nothing_found_line, task_frame_lines
from gdb_epi.report import Report
from gdb_epi.typing_lite import TYPE_CHECKING
from gdb_epi.util import counted

if TYPE_CHECKING:
    from gdb_epi.cpython.running.unfinished_tasks import UnfinishedTask

MAX_LINES = 20_000
SHOWN_NAMES = 8  # of tasks that are alike
A_TASK = "a task each"  # of several, whose names differ
FRAMES = 40  # of a task
MAX_CHAIN = 8  # coroutines shown in one line


Place = Callable[[Task], object]  # equal for tasks that differ only in what is below them
Heads = Callable[[Sequence[Task]], Sequence[str]]  # the lines of one task, or of some alike


def tree_lines(tasks: Sequence[Task], heads: Heads, place: Place, limit: int) -> list[str]:
    """Return the lines of the forest, at most `limit`.

    Tasks with the same parents whose whole subtrees are alike are one entry: the subtree of the
    first stands for all. A task that several others wait for appears below each, with its subtree
    only the first time. Tasks that wait for each other in a circle have no root: each circle is
    named, and begins a tree of its own.
    """
    forest = _TaskForest(tasks, place)
    lines: list[str] = []
    for root, circle in forest.roots():
        if circle:
            lines.append(f"cycle: {' -> '.join(_task_name(task) for task in circle)}")
        for line in forest.subtree_lines(root, heads):
            if len(lines) >= limit:
                return [*lines, f"... more than {limit} lines"]
            lines.append(line)
    return lines


class _TaskForest:
    def __init__(self, tasks: Sequence[Task], place: Place) -> None:
        self._tasks = tasks
        self._by_address = {task.address: task for task in tasks}
        self._children: dict[int, list[Task]] = {}
        for task in tasks:
            for waiter in task.awaited_by:
                self._children.setdefault(waiter, []).append(task)
        self._shown: set[int] = set()
        self._stood_for: set[int] = set()  # tasks for which another one stands
        self._kinds = self._subtree_numbers(place)

    def roots(self) -> Iterator[tuple[list[Task], list[Task]]]:
        """Yield the root tasks, those alike together; for a circle also the closed circle."""
        waits = self._by_address.keys()
        for alike in self._alike_tasks_together(
            [t for t in self._tasks if waits.isdisjoint(t.awaited_by)]
        ):
            yield alike, []
        for task in self._tasks:  # those that no root leads to
            if task.address not in self._shown and task.address not in self._stood_for:
                circle = self._circle_of_waiters(task)
                yield circle[:1], circle

    def _subtree_numbers(self, place: Place) -> dict[int, int]:
        """Return a number per task, the same for those whose whole subtrees are alike.

        Waiters count where there are several: a task that others wait for too is nobody's own.
        """
        numbers: dict[int, int] = {}
        kinds: dict[object, int] = {}
        seen: set[int] = set()
        left = list(reversed(self._tasks))
        while left:
            task = left[-1]
            children = self._children.get(task.address, [])
            if task.address not in seen:
                seen.add(task.address)
                left += [child for child in children if child.address not in seen]
                continue
            left.pop()
            if task.address in numbers:
                continue
            # A child without a number closes a circle: it is like no other.
            below = sorted(numbers.get(child.address, -child.address) for child in children)
            waiters = frozenset(
                address for address in task.awaited_by if address in self._by_address
            )
            kind = (place(task), tuple(below), waiters if len(waiters) > 1 else None)
            numbers[task.address] = kinds.setdefault(kind, len(kinds))
        return numbers

    def _alike_tasks_together(self, tasks: Sequence[Task]) -> list[list[Task]]:
        """Return the tasks, those alike together, and note what the first of them stands for."""
        groups: dict[int, list[Task]] = {}
        for task in tasks:
            groups.setdefault(self._kinds[task.address], []).append(task)
        left = [task for alike in groups.values() for task in alike[1:]]
        while left:
            task = left.pop()
            if task.address not in self._stood_for:
                self._stood_for.add(task.address)
                left += self._children.get(task.address, [])
        return list(groups.values())

    def _circle_of_waiters(self, task: Task) -> list[Task]:
        """Return the circle that a task's waiters lead to, in the order of waiting."""
        by_address = self._by_address
        path: dict[int, None] = {}
        while task.address not in path:
            path[task.address] = None
            task = next(by_address[waiter] for waiter in task.awaited_by if waiter in by_address)
        around = list(path)
        around = around[around.index(task.address) :]
        return [by_address[address] for address in (around[0], *reversed(around))]

    def subtree_lines(self, root: list[Task], heads: Heads) -> Iterator[str]:
        """Yield the lines of one tree; depth first, without recursion."""
        left: list[tuple[list[Task], str, str, frozenset[int]]] = [(root, "", "", frozenset())]
        while left:
            alike, lead, indent, above = left.pop()
            task = alike[0]
            head, *more = heads(alike)
            again = task.address in self._shown
            mark = "  (cycle)" if task.address in above else "  (shown above)" if again else ""
            yield f"{lead}(T) {head}{mark}"
            if again:
                continue
            self._shown.add(task.address)
            children = self._alike_tasks_together(self._children.get(task.address, []))
            for line in (*more, _coroutine_chain(task)):
                if line:
                    yield f"{indent}{'│' if children else ' '}     {line.strip()}"
            for number, child in enumerate(reversed(children)):
                last = number == 0
                lead = f"{indent}{'└──' if last else '├──'} "
                deeper = f"{indent}{'    ' if last else '│   '}"
                left.append((child, lead, deeper, above | {task.address}))


def _task_name(task: Task) -> str:
    return task.name if isinstance(task.name, str) else f"task {task.address:#x}"


def _coroutine_chain(task: Task) -> str:
    """Return the coroutines of a task, the outermost first, with the lines where they wait."""
    names = [
        f"[hole: {frame.hole}]"
        if frame.hole is not None
        else f"{frame.qualname or frame.name} "
        f"({frame.filename.rpartition('/')[2]}:{frame.lineno or '?'})"
        for frame in reversed(task.stack)
    ]
    if len(names) > MAX_CHAIN:
        half = MAX_CHAIN // 2
        names = [*names[:half], f"({len(names) - 2 * half} more)", *names[-half:]]
    return " > ".join(names)


def tasks_report(state: ProcessState, limit: int, *, tree: bool, each: bool) -> Report:
    """Return the tasks as a report: `limit` frames of each, or as a tree of who waits for whom.

    Tasks that are alike stand together, unless `each` is wanted. Raises InputError without Python.
    """
    state.required_python()
    listing, waits = read_tasks_and_waits(state)
    shown = _TaskWaitWords(waits)
    errors = [*listing.soft_errors, *state.python_soft_errors()]
    lines: list[str] = []
    if tree:
        place = partial(_tree_grouping_key, shown, each=each)
        lines = tree_lines(listing.tasks, partial(_lines_of_alike_tasks, shown), place, MAX_LINES)
    else:
        for alike in _groups_of_alike_tasks(shown, listing.tasks, each=each):
            lines += _lines_of_alike_tasks(shown, alike)
            lines += task_frame_lines(alike[0].stack, limit=max(limit, 2))
    if not listing.tasks:
        lines = [nothing_found_line(state, "no tasks of asyncio or trio", listing.soft_errors)]
    return Report(
        _task_count_title(listing.tasks),
        lines=lines,
        data={"tasks": [task_json(task, waits.get(task.address)) for task in listing.tasks]},
        soft_errors=errors,
    )


def _task_count_title(tasks: Sequence[Task]) -> str:
    numbers = {
        framework: sum(1 for task in tasks if task.framework == framework)
        for framework in (ASYNCIO, TRIO)
    }
    parts = [counted(number, f"{name} task") for name, number in numbers.items() if number]
    return ", ".join(parts) or counted(0, "asyncio task")


class _TaskWaitWords:
    """What tasks wait for, in words: of one task, or of several that are alike."""

    def __init__(self, waits: Mapping[int, UnfinishedTask]) -> None:
        self._waits = waits

    def text(self, task: Task, *, several: bool = False) -> str:
        """Return what a task waits for and, of one task, who holds it."""
        waits = self._waits.get(task.address)
        awaits = PLAIN_CLASSES.get(task.awaits, task.awaits)
        if several and task.awaits_task:
            awaits = A_TASK
        if waits is None or waits.wait is None:
            return f"waits for {awaits}" if awaits else ""
        if waits.wait.kind in (FUTURE, TASK, TASKS) and task.awaits:
            # The tree and the name of the task say more than the class of a future.
            name = f" ({waits.wait.name})" if waits.wait.name and not several else ""
            return f"waits for {awaits}{name}"
        text = f"waits for {waits.wait.text(several=several)}"
        if waits.wakers and not several and waits.wait.kind in (LOCK, SEMAPHORE):
            text += f", held by {', '.join(map(self._name_of_task_at, waits.wakers[:SHOWN_NAMES]))}"
        return text

    def _name_of_task_at(self, address: int) -> str:
        waits = self._waits.get(address)
        return f"task {address:#x}" if waits is None else waits.name


def _groups_of_alike_tasks(
    shown: _TaskWaitWords, tasks: Sequence[Task], *, each: bool
) -> list[list[Task]]:
    """Return the tasks, those together that differ in nothing but their names; running ones first.

    A server has thousands that wait in one line; without `each` they are said once.
    """
    groups: dict[object, list[Task]] = {}
    for task in tasks:
        groups.setdefault(_grouping_key(shown, task, each=each), []).append(task)
    return sorted(groups.values(), key=lambda alike: not alike[0].running)


def _grouping_key(shown: _TaskWaitWords, task: Task, *, each: bool) -> object:
    """Return what is the same for tasks that differ in nothing but their names."""
    if each or task.running:
        return task.address
    what = _state_words(task, shown.text(task, several=True))
    awaits_one = task.awaits_task and task.awaits
    places = tuple((f.filename, f.lineno, f.qualname or f.name, f.hole) for f in task.stack)
    return task.interpreter, task.loop, what, awaits_one, places


def _tree_grouping_key(shown: _TaskWaitWords, task: Task, *, each: bool) -> object:
    """Return the same, but for the name of a task that is awaited: it stands below."""
    if task.awaits_task:
        task = task._replace(awaits=A_TASK, awaits_task=False)
    return _grouping_key(shown, task, each=each)


def _lines_of_alike_tasks(shown: _TaskWaitWords, alike: Sequence[Task]) -> list[str]:
    if len(alike) == 1:
        return [f"{_task_name(alike[0])}  {_state_words(alike[0], shown.text(alike[0]))}"]
    names = sorted(map(_task_name, alike), key=lambda name: (len(name), name))
    more = len(names) - SHOWN_NAMES
    rest = f" and {more} more (--each)" if more > 0 else ""
    heading = ", ".join(names[:SHOWN_NAMES])
    texts = {shown.text(task) for task in alike}
    what = texts.pop() if len(texts) == 1 else shown.text(alike[0], several=True)
    return [f"{len(alike)} tasks alike: {heading}{rest}", f"  {_state_words(alike[0], what)}"]


def _state_words(task: Task, waits: str) -> str:
    coro = f"(no coroutine: {task.coro.detail})" if isinstance(task.coro, Absent) else task.coro
    if task.running:
        state = "running" if task.tid is None else f"running in thread {task.tid}"
    else:
        state = "(state unknown)" if isinstance(task.state, Absent) else task.state
        state = f"failed: {task.failure}" if task.failure else state
    parts = [coro, state]
    if task.framework != ASYNCIO:
        parts.append(f"{task.framework}'s own" if task.system else task.framework)
    elif task.kind != "C":
        parts.append(f"written in {task.kind}")
    if task.cancelled:
        parts.append("in a cancelled scope")
    if waits:
        parts.append(waits)
    return "  ".join(parts)

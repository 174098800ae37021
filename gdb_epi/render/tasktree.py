# SPDX-License-Identifier: Apache-2.0
"""asyncio tasks as a tree: below each task those that it waits for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from gdb_epi.cpython.tasks import Task

MAX_CHAIN = 8  # coroutines shown in one line


def tree_lines(tasks: Sequence[Task], title: Callable[[Task], str], limit: int) -> list[str]:
    """Return the lines of the forest, at most `limit`.

    A task that several others wait for stands below each, with what is below it only the first
    time. Tasks that wait for each other in a circle have no root: each circle is named, and begins
    a tree of its own.
    """
    forest = _Forest(tasks)
    lines: list[str] = []
    for root, circle in forest.roots():
        if circle:
            lines.append(f"cycle: {' -> '.join(_name(one) for one in circle)}")
        for line in forest.below(root, title):
            if len(lines) >= limit:
                return [*lines, f"... more than {limit} lines"]
            lines.append(line)
    return lines


class _Forest:
    def __init__(self, tasks: Sequence[Task]) -> None:
        self._tasks = tasks
        self._known = {task.address: task for task in tasks}
        self._children: dict[int, list[Task]] = {}
        for task in tasks:
            for waiter in task.awaited_by:
                self._children.setdefault(waiter, []).append(task)
        self._shown: set[int] = set()

    def roots(self) -> Iterator[tuple[Task, list[Task]]]:
        """Yield the tasks to begin with; for one in a circle also that circle, closed."""
        for task in self._tasks:
            if not any(waiter in self._known for waiter in task.awaited_by):
                yield task, []
        for task in self._tasks:  # those that no root led to
            if task.address not in self._shown:
                circle = self._circle(task)
                yield circle[0], circle

    def _circle(self, task: Task) -> list[Task]:
        """Return the circle that a task's waiters lead to, in the order of waiting."""
        path: dict[int, None] = {}
        while task.address not in path:
            path[task.address] = None
            task = next(self._known[one] for one in task.awaited_by if one in self._known)
        around = list(path)
        around = around[around.index(task.address) :]
        return [self._known[one] for one in (around[0], *reversed(around))]

    def below(self, root: Task, title: Callable[[Task], str]) -> Iterator[str]:
        """Yield the lines of one tree; depth first, without recursion."""
        left: list[tuple[Task, str, str, frozenset[int]]] = [(root, "", "", frozenset())]
        while left:
            task, lead, indent, above = left.pop()
            chain = _chain(task)
            again = task.address in self._shown
            mark = "  (cycle)" if task.address in above else "  (shown above)" if again else ""
            yield f"{lead}(T) {title(task)}{mark}"
            if again:
                continue
            self._shown.add(task.address)
            children = self._children.get(task.address, [])
            if chain:
                yield f"{indent}{'│' if children else ' '}     {chain}"
            for number, child in enumerate(reversed(children)):
                last = number == 0
                lead = f"{indent}{'└──' if last else '├──'} "
                deeper = f"{indent}{'    ' if last else '│   '}"
                left.append((child, lead, deeper, above | {task.address}))


def _name(task: Task) -> str:
    return task.name if isinstance(task.name, str) else f"task {task.address:#x}"


def _chain(task: Task) -> str:
    """Return the coroutines of a task, the outermost first, with the lines where they wait."""
    names = [
        f"[hole: {frame.hole}]"
        if frame.hole is not None
        else f"{frame.qualname or frame.name}:{frame.lineno or '?'}"
        for frame in reversed(task.stack)
    ]
    if len(names) > MAX_CHAIN:
        half = MAX_CHAIN // 2
        names = [*names[:half], f"({len(names) - 2 * half} more)", *names[-half:]]
    return " > ".join(names)

# SPDX-License-Identifier: Apache-2.0
"""asyncio tasks as a tree: below each task those that it waits for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from gdb_epi.cpython.running.tasks import Task

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
    forest = _Forest(tasks, place)
    lines: list[str] = []
    for root, circle in forest.roots():
        if circle:
            lines.append(f"cycle: {' -> '.join(_name(task) for task in circle)}")
        for line in forest.below(root, heads):
            if len(lines) >= limit:
                return [*lines, f"... more than {limit} lines"]
            lines.append(line)
    return lines


class _Forest:
    def __init__(self, tasks: Sequence[Task], place: Place) -> None:
        self._tasks = tasks
        self._by_address = {task.address: task for task in tasks}
        self._children: dict[int, list[Task]] = {}
        for task in tasks:
            for waiter in task.awaited_by:
                self._children.setdefault(waiter, []).append(task)
        self._shown: set[int] = set()
        self._stood_for: set[int] = set()  # tasks for which another one stands
        self._kinds = self._numbered(place)

    def roots(self) -> Iterator[tuple[list[Task], list[Task]]]:
        """Yield the root tasks, those alike together; for a circle also the closed circle."""
        waits = self._by_address.keys()
        for alike in self._together([t for t in self._tasks if waits.isdisjoint(t.awaited_by)]):
            yield alike, []
        for task in self._tasks:  # those that no root leads to
            if task.address not in self._shown and task.address not in self._stood_for:
                circle = self._circle(task)
                yield circle[:1], circle

    def _numbered(self, place: Place) -> dict[int, int]:
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

    def _together(self, tasks: Sequence[Task]) -> list[list[Task]]:
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

    def _circle(self, task: Task) -> list[Task]:
        """Return the circle that a task's waiters lead to, in the order of waiting."""
        by_address = self._by_address
        path: dict[int, None] = {}
        while task.address not in path:
            path[task.address] = None
            task = next(by_address[waiter] for waiter in task.awaited_by if waiter in by_address)
        around = list(path)
        around = around[around.index(task.address) :]
        return [by_address[address] for address in (around[0], *reversed(around))]

    def below(self, root: list[Task], heads: Heads) -> Iterator[str]:
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
            children = self._together(self._children.get(task.address, []))
            for line in (*more, _chain(task)):
                if line:
                    yield f"{indent}{'│' if children else ' '}     {line.strip()}"
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

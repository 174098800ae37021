# SPDX-License-Identifier: Apache-2.0
"""Walk the objects that the garbage collector tracks: one linked list per generation.

Reference: Include/internal/pycore_gc.h, PyGC_Head in front of each object. Objects that a running
collection holds in lists on its C stack are in none of these. Free-threaded builds have no lists:
their objects are found by walking the allocator's pages, which is not done here.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.gc import GcState, gc_state
from gdb_epi.cpython.reader import Reader
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import NOT_APPLICABLE, UNREADABLE, Absent, LayoutError, UnreadableMemory
from gdb_epi.lean import NamedTuple

MAX_OBJECTS = 1_000_000
# Links carry flags in their two low bits (prev: finalized, collecting; next: unreachable).
_FLAGS = 3


class Tracked(NamedTuple):
    """What a walk over one generation found."""

    name: str
    objects: tuple[int, ...]  # PyObject *
    ended: str  # why the walk stopped early; "" when it came back to the head


def heads(reader: Reader, state: GcState) -> list[tuple[str, int]]:
    """Return the names and addresses of the list heads; empty in free-threaded builds."""
    found = [(f"generation {one.name}", one.head) for one in state.generations if one.head]
    if state.permanent:
        found.append(("permanent", state.permanent))
    return found


def walk(reader: Reader, head: int, cap: int = MAX_OBJECTS) -> Iterator[int]:
    """Yield the objects of one list. Raises UnreadableMemory where it is damaged or too long."""
    layout = reader.layout
    next_at = layout.require("PyGC_Head", "_gc_next")
    size = layout.size("PyGC_Head")
    if not size:
        raise LayoutError(f"no sizeof(PyGC_Head) in {layout.source}")
    seen = {head}
    node = reader.u64(head + next_at) & ~_FLAGS
    while node != head:
        if node in seen or not node:
            raise UnreadableMemory(node, size, "a cycle or a NULL in a list of the collector")
        if len(seen) > cap:
            raise UnreadableMemory(node, size, f"more than {cap} objects; not walked further")
        seen.add(node)
        following = reader.u64(node + next_at) & ~_FLAGS
        yield node + size
        node = following


def tracked(reader: Reader, state: GcState, cap: int = MAX_OBJECTS) -> list[Tracked]:
    """Return the objects of every generation, at most `cap` in all. Never raises for damage."""
    found = []
    for name, head in heads(reader, state):
        objects: list[int] = []
        ended = ""
        try:
            for address in walk(reader, head, cap):
                objects.append(address)
        except (UnreadableMemory, LayoutError) as error:
            ended = str(error)
        cap -= len(objects)
        found.append(Tracked(name, tuple(objects), ended))
    return found


def tracked_objects(
    reader: Reader, python: PythonState, cap: int = MAX_OBJECTS
) -> tuple[list[int], list[Absent]]:
    """Return the tracked objects of all interpreters, and why some may be missing.

    Interpreters may share a collector (3.8); each list is walked once.
    """
    objects: list[int] = []
    missing: list[Absent] = []
    if python.layout.free_threaded:
        why = "free-threaded builds keep no list of their objects"
        return [], [Absent(NOT_APPLICABLE, why)]
    known: set[int] = set()
    for interpreter in python.interpreters:
        try:
            state = gc_state(reader, python.runtime, interpreter.address)
        except (UnreadableMemory, LayoutError) as error:
            missing.append(Absent(UNREADABLE, f"the collector: {error}"))
            continue
        if state.address in known:
            continue
        known.add(state.address)
        for part in tracked(reader, state, cap - len(objects)):
            objects += part.objects
            if part.ended:
                missing.append(Absent(UNREADABLE, f"{part.name}: {part.ended}"))
    return objects, missing

# SPDX-License-Identifier: Apache-2.0
"""Walk the objects that the garbage collector tracks: one linked list per generation.

Reference: Include/internal/pycore_gc.h, PyGC_Head in front of each object. Objects that a running
collection holds in lists on its C stack are in none of these. Free-threaded builds have no lists:
their objects are found by walking the allocator's pages, which is not done here.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.memory_reader import CircularList, MemoryReader
from gdb_epi.cpython.runtime.gc import GcState, read_gc_state
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import NOT_APPLICABLE, UNREADABLE, Absent, LayoutError, UnreadableMemory
from gdb_epi.sizes import PAGE, split_into_words
from gdb_epi.typing_lite import NamedTuple

MAX_OBJECTS = 1_000_000
MAX_FRAMES = 200  # per thread
MAX_LOCALS = 16  # words of a frame that are tried
# Links carry flags in their two low bits (prev: finalized, collecting; next: unreachable).
_FLAGS = 3


class TrackedGeneration(NamedTuple):
    """What a walk over one generation found."""

    name: str
    objects: list[int]  # PyObject *
    types: list[int]  # of these, PyTypeObject *
    ended: str  # why the walk stopped early; "" when it came back to the head


def gc_list_heads(state: GcState) -> list[tuple[str, int]]:
    """Return the names and addresses of the list heads; empty in free-threaded builds."""
    heads = [
        (f"generation {generation.name}", generation.head)
        for generation in state.generations
        if generation.head
    ]
    if state.permanent:
        heads.append(("permanent", state.permanent))
    return heads


def objects_by_generation(
    reader: MemoryReader, state: GcState, cap: int = MAX_OBJECTS
) -> list[TrackedGeneration]:
    """Return the objects of every generation, at most `cap` in all. Never raises for damage."""
    generations = []
    for name, head in gc_list_heads(state):
        objects: list[int] = []
        types: list[int] = []
        require = reader.layout.require
        try:
            size = reader.layout.size("PyGC_Head")
            if not size:
                raise LayoutError(f"no sizeof(PyGC_Head) in {reader.layout.source}")
            next_at, type_at = require("PyGC_Head", "_gc_next"), require("PyObject", "ob_type")
            link = CircularList(head, next_at, _FLAGS, size, size + type_at)
            nodes, types, ended = reader.walk_circular_list(link, cap)
            objects = [node + size for node in nodes]
        except LayoutError as error:
            ended = str(error)
        cap -= len(objects)
        generations.append(TrackedGeneration(name, objects, types, ended))
    return generations


def tracked_objects(
    reader: MemoryReader, python: PythonState, cap: int = MAX_OBJECTS
) -> tuple[list[int], list[int], list[Absent]]:
    """Return the tracked objects of all interpreters, their types, and why some may be missing.

    Interpreters may share a collector (3.8); each list is walked once.
    """
    objects: list[int] = []
    types: list[int] = []
    missing: list[Absent] = []
    if python.layout.free_threaded:
        why = "free-threaded builds keep no list of their objects"
        return [], [], [Absent(NOT_APPLICABLE, why)]
    collectors: set[int] = set()
    for interpreter in python.interpreters:
        try:
            state = read_gc_state(reader, python.runtime, interpreter.address)
        except (UnreadableMemory, LayoutError) as error:
            missing.append(Absent(UNREADABLE, f"the collector: {error}"))
            continue
        if state.address in collectors:
            continue
        collectors.add(state.address)
        for part in objects_by_generation(reader, state, cap - len(objects)):
            objects += part.objects
            types += part.types
            if part.ended:
                missing.append(Absent(UNREADABLE, f"{part.name}: {part.ended}"))
    return objects, types, missing


def objects_being_collected(reader: MemoryReader, python: PythonState) -> list[int]:
    """Return objects that a running collection holds in lists of its own.

    The heads of these lists are on the C stack, but each list is a ring: the locals of frames that
    finalizers run (`self` of a `__del__`) lead into it. What no frame refers to is not found.
    """
    objects: dict[int, None] = {}
    size = reader.layout.size("PyGC_Head") or 0
    if python.layout.free_threaded or not size or not _may_be_collecting(reader, python):
        return []
    stacks = [thread.sp for thread in reader.target.threads()]
    for thread in python.threads():
        for frame in thread.frames[:MAX_FRAMES]:
            for address in read_possible_pointers_in_locals(reader, frame.address):
                node = address - size
                is_new = address not in objects and len(objects) < MAX_OBJECTS
                if is_new and _is_linked_in_ring(reader, node):
                    objects.update(dict.fromkeys(_objects_of_ring(reader, node, stacks)))
    return list(objects)


def _may_be_collecting(reader: MemoryReader, python: PythonState) -> bool:
    """Tell whether a collection runs, or may run because that cannot be read."""
    for interpreter in python.interpreters:
        try:
            if read_gc_state(reader, python.runtime, interpreter.address).collecting:
                return True
        except (UnreadableMemory, LayoutError):
            return True
    return False


def read_possible_pointers_in_locals(reader: MemoryReader, frame: int) -> list[int]:
    """Return what may be pointers to objects among the first locals of a frame."""
    layout = reader.layout
    at = layout.offset("_PyInterpreterFrame", "localsplus")
    if at is None:
        at = layout.require("PyFrameObject", "f_localsplus")
    pointers = b""
    for count in (MAX_LOCALS, 1):  # a frame at the end of a mapping has fewer words after it
        try:
            pointers = reader.read(frame + at, 8 * count)
            break
        except UnreadableMemory:
            continue
    words = [word & ~_FLAGS for word in split_into_words(pointers)]
    return [word for word in words if word > PAGE and not word & 7]


def _is_linked_in_ring(reader: MemoryReader, node: int) -> bool:
    """Tell whether two neighbours of a node point back at it."""
    next_at = reader.layout.require("PyGC_Head", "_gc_next")
    prev_at = reader.layout.require("PyGC_Head", "_gc_prev")
    try:
        after = reader.u64(node + next_at) & ~_FLAGS
        before = reader.u64(node + prev_at) & ~_FLAGS
        if not after or not before:
            return False
        back = reader.u64(after + prev_at) & ~_FLAGS
        return back == node and reader.u64(before + next_at) & ~_FLAGS == node
    except UnreadableMemory:
        return False


def _objects_of_ring(reader: MemoryReader, start: int, stacks: list[int]) -> Iterator[int]:
    """Yield the objects of a ring but for its head, which lies on a stack of the process."""
    size = reader.layout.size("PyGC_Head") or 0
    next_at = reader.layout.require("PyGC_Head", "_gc_next")
    node, seen = start, set[int]()
    while node not in seen and len(seen) < MAX_OBJECTS:
        seen.add(node)
        region = reader.target.region_at(node)
        if region is None:
            return
        if not any(region.start <= pointer < region.end for pointer in stacks):
            yield node + size
        try:
            node = reader.u64(node + next_at) & ~_FLAGS
        except UnreadableMemory:
            return

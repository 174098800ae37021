# SPDX-License-Identifier: Apache-2.0
"""The cyclic garbage collector: what it is set to, its counts, and whether it runs.

Reference: Include/internal/pycore_gc.h (pycore_interp_structs.h since 3.14), Python/gc.c. 3.9
(bpo-40010) moved the state from the runtime to the interpreters. Free-threaded builds have no
generations: they look at every object of the heap at once.
"""

from __future__ import annotations

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.typing_lite import NamedTuple

_STRUCT = "_gc_runtime_state"

# Modules/gcmodule.c: gc.DEBUG_*; the same in 3.8 to 3.15.
DEBUG = ((1 << 0, "STATS"), (1 << 1, "COLLECTABLE"), (1 << 2, "UNCOLLECTABLE"), (1 << 5, "SAVEALL"))
MAX_GENERATIONS = 8


class Generation(NamedTuple):
    """One generation. `head` is the address of its list's head, 0 in free-threaded builds.

    `counter` is what gc.get_count() gives: allocations less deallocations since the last
    collection, or collections of the next younger generation.
    """

    name: str
    threshold: int
    counter: int
    head: int


class GcState(NamedTuple):
    """The collector of an interpreter (up to 3.8: of the process).

    `collecting`: a collection runs. `generation` is the number of the one being collected, None
    when none is or it is unknown; `evidence` says by what. `frame` is the Python frame that
    started the collection (3.15+), 0 when unknown. `garbage` counts gc.garbage, -1 when unknown;
    so do the long-lived objects, which the incremental collector does not count.
    """

    address: int
    enabled: bool
    debug: int
    collecting: bool
    generation: int | None
    evidence: str
    frame: int
    generations: tuple[Generation, ...]
    permanent: int  # head of the list of gc.freeze(); 0 in free-threaded builds
    garbage: int
    callbacks: int
    long_lived_total: int
    long_lived_pending: int


def read_gc_state(reader: MemoryReader, runtime: int, interpreter: int) -> GcState:
    """Return the collector's state. Raises UnreadableMemory, LayoutError."""
    layout = reader.layout
    at = layout.offset("PyInterpreterState", "gc")
    if at is not None:
        address = interpreter + at
    else:
        address = runtime + layout.require("_PyRuntimeState", "gc")

    def u32(member: str) -> int:
        return reader.field32(address, _STRUCT, member)

    def u64(member: str) -> int:
        return reader.field(address, _STRUCT, member)

    def field_or_minus_one(member: str) -> int:
        return u64(member) if layout.offset(_STRUCT, member) is not None else -1

    generations = _generations(reader, address)
    collecting = bool(u32("collecting"))
    callbacks = _list_length(reader, u64("callbacks"))
    number, evidence = (None, "")
    if collecting:
        number, evidence = _collected_generation(
            generations, free_threaded=layout.free_threaded, callbacks=callbacks
        )
        # Words that only the incremental collector of 3.14.0 to 3.14.4 used: later releases went
        # back to generations and left them in place, unused and zero.
        unused = [layout.offset(_STRUCT, f"dummy{number}") for number in (1, 2, 3)]
        used = any(offset is not None and reader.u32(address + offset) for offset in unused)
        if not layout.free_threaded and (used or layout.offset(_STRUCT, "work_to_do") is not None):
            number, evidence = None, "the incremental collector of early 3.14 keeps no such number"
    frame_at = layout.offset(_STRUCT, "frame")
    permanent = layout.require(_STRUCT, "permanent_generation")
    return GcState(
        address=address,
        enabled=bool(u32("enabled")),
        debug=u32("debug"),
        collecting=collecting,
        generation=number,
        evidence=evidence,
        frame=reader.u64(address + frame_at) if frame_at is not None and collecting else 0,
        generations=tuple(generations),
        permanent=0 if layout.free_threaded else address + permanent,
        garbage=_list_length(reader, u64("garbage")),
        callbacks=callbacks,
        long_lived_total=field_or_minus_one("long_lived_total"),
        long_lived_pending=field_or_minus_one("long_lived_pending"),
    )


def debug_flag_names(flags: int) -> list[str]:
    """Return the names of gc.set_debug() flags, without their DEBUG_."""
    return [name for bit, name in DEBUG if flags & bit]


def _generations(reader: MemoryReader, address: int) -> list[Generation]:
    """Read the generations: an array, or `young` and the array `old`.

    3.14.0 to 3.14.4 (incremental) and the free-threaded builds since have the second form, in the
    very bytes of the first.
    """
    layout = reader.layout
    young, array = layout.find_field(_STRUCT, "young"), layout.find_field(_STRUCT, "generations")
    pieces = (
        [("young", young), ("old", layout.find_field(_STRUCT, "old"))] if young else [("", array)]
    )
    element = layout.find_field(_STRUCT, "permanent_generation")
    if element is None or element.size <= 0:
        raise LayoutError(f"no struct gc_generation in {layout.source}")
    threshold_at = layout.require(_STRUCT, "permanent_generation.threshold") - element.offset
    count_at = layout.require(_STRUCT, "permanent_generation.count") - element.offset
    generations: list[Generation] = []
    for prefix, field in pieces:
        if field is None:
            raise LayoutError(f"no generations in {layout.source}")
        number = min(field.size // element.size, MAX_GENERATIONS)
        start = _start_of_generations(reader, address, field.offset)
        for index in range(number):
            name = f"{prefix} {index}" if prefix and number > 1 else prefix or str(index)
            place = start + index * element.size
            threshold, count = (
                int.from_bytes(reader.read(place + offset, 4), "little", signed=True)
                for offset in (threshold_at, count_at)
            )
            head = 0 if layout.free_threaded else place
            generations.append(Generation(name, threshold, count, head))
    return generations


def _start_of_generations(reader: MemoryReader, address: int, offset: int) -> int:
    """Return where an array of generations begins: where `generation0` points to, if anywhere.

    In some builds (Debian's 3.13.5) the array lies 4 bytes before its place in the table, though
    all members after it lie where they should.
    """
    layout = reader.layout
    at, end = layout.offset(_STRUCT, "generation0"), layout.size(_STRUCT) or 0
    first = reader.u64(address + at) if at is not None else 0
    near = first and abs(first - address - offset) <= 8 and first < address + end
    return first if near else address + offset


def _collected_generation(
    generations: list[Generation], *, free_threaded: bool, callbacks: int
) -> tuple[int | None, str]:
    """Tell which generation is being collected, by the counts.

    A collection calls gc.callbacks first. Then it adds one to the count of the next older
    generation and sets its own and all younger ones to 0; while it runs only the count of the
    youngest grows.
    """
    if free_threaded:
        return None, "free-threaded builds collect the whole heap, not a generation"
    counts = [generation.counter for generation in generations]
    if callbacks:
        why = (
            f"cannot tell which: the counts are {counts}, and gc.callbacks run before they are set"
        )
        return None, why
    for number in range(len(counts) - 1):
        if counts[number + 1] > 0:
            return number, f"the counts are {counts}: that of {number + 1} is not 0"
    return len(counts) - 1, f"the counts are {counts}: all older than the youngest are 0"


def _list_length(reader: MemoryReader, address: int) -> int:
    """Return the length of a list object, 0 when it was never made; -1 when it is unreadable."""
    if not address:
        return 0
    try:
        length = reader.signed_field(address, "PyListObject", "ob_size")
    except UnreadableMemory:
        return -1
    return length if 0 <= length < 1 << 40 else -1

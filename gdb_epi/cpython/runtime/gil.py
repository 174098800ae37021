# SPDX-License-Identifier: Apache-2.0
"""The GIL: who holds it, who waits for it, and whether its holder was asked to give it up.

Reference: Python/ceval_gil.c. 3.12 (gh-99113) gave each interpreter a pointer to its GIL, which is
its own or the main interpreter's; 3.13 free-threaded (gh-108722) can switch it off.
"""

from __future__ import annotations

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.errors import LayoutError
from gdb_epi.target.derived_registers import FUTEX_MASK, FUTEX_WAITS, is_at_system_call
from gdb_epi.typing_lite import NamedTuple

_STRUCT = "_gil_runtime_state"
_MEMBERS = ("locked", "switch_number", "interval")

# What a thread that sleeps in futex(2) on a word of the GIL is doing there.
WAITS = "waits for the GIL"
HANDED_OVER = "gave the GIL up and waits until another thread took it"


class Gil(NamedTuple):
    """One GIL. `holder` is a PyThreadState *, 0 when nobody holds it.

    `waiting` maps LWPs to WAITS or HANDED_OVER. `enabled` is False where a free-threaded build runs
    without it.
    """

    address: int
    enabled: bool
    locked: bool
    holder: int
    switch_number: int
    interval: int  # microseconds
    waiting: dict[int, str]


def gil_address(reader: MemoryReader, runtime: int, interpreter: int) -> int:
    """Return the address of an interpreter's GIL; 0 when it has none yet.

    Raises UnreadableMemory, LayoutError.
    """
    layout = reader.layout
    pointer_at = layout.offset("PyInterpreterState", "ceval.gil")
    if pointer_at is not None:
        return reader.u64(interpreter + pointer_at)
    return runtime + layout.require("_PyRuntimeState", "ceval.gil")


def gil_holder(reader: MemoryReader, gil: int) -> int:
    """Return the PyThreadState * that holds a GIL; 0 when it is free or switched off."""
    layout = reader.layout
    enabled = layout.offset(_STRUCT, "enabled")
    if not gil or (enabled is not None and not reader.u32(gil + enabled)):
        return 0
    if reader.field32(gil, _STRUCT, "locked") != 1:
        return 0
    return reader.field(gil, _STRUCT, "last_holder")


def read_gil(reader: MemoryReader, runtime: int, interpreter: int) -> Gil | None:
    """Return all that is known about an interpreter's GIL; None when it has none yet.

    Raises UnreadableMemory, LayoutError.
    """
    layout = reader.layout
    gil = gil_address(reader, runtime, interpreter)
    if not gil:
        return None
    at = {name: gil + layout.require(_STRUCT, name) for name in _MEMBERS}
    enabled = layout.offset(_STRUCT, "enabled")
    return Gil(
        address=gil,
        enabled=enabled is None or bool(reader.u32(gil + enabled)),
        locked=reader.u32(at["locked"]) == 1,
        holder=gil_holder(reader, gil),
        switch_number=reader.u64(at["switch_number"]),
        interval=reader.u64(at["interval"]),
        waiting=_threads_asleep_on_gil(reader, gil),
    )


def _threads_asleep_on_gil(reader: MemoryReader, gil: int) -> dict[int, str]:
    """Return the threads that the kernel had asleep on the GIL's mutexes and conditions.

    A thread polls every `interval`; one caught between two polls is missed.
    """
    ranges = []
    for member in ("cond", "mutex", "switch_cond", "switch_mutex"):
        field = reader.layout.find_field(_STRUCT, member)
        if field is None:
            raise LayoutError(f"{_STRUCT} has no member {member} in {reader.layout.source}")
        doing = HANDED_OVER if member.startswith("switch") else WAITS
        ranges.append((gil + field.offset, gil + field.offset + field.size, doing))
    waiting = {}
    for thread in reader.target.threads():
        sleeps = (
            thread.system_call_name == "futex"
            and thread.system_call_argument(1) & FUTEX_MASK in FUTEX_WAITS
        )
        if not sleeps or is_at_system_call(reader.target, thread) is False:
            continue
        address = thread.system_call_argument(0)
        for start, end, doing in ranges:
            if start <= address < end:
                waiting[thread.tid] = doing
    return waiting

# SPDX-License-Identifier: Apache-2.0
"""Threads that want the GIL and were caught awake: they poll it, every 5 ms by default.

No register says so then. What does: the GIL is held by another thread, and the frames just above
the stack pointer keep the address of its mutex or condition variable, which only take_gil() and
drop_gil() handle. Leftovers of an earlier call cannot be told apart: probable at most.
Reference: Python/ceval_gil.c (take_gil), 3.8 to 3.15.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.runtime.gil import Gil
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.locks import types as t
from gdb_epi.locks.context import LockContext, family
from gdb_epi.locks.families.python_locks import GIL, gil_of
from gdb_epi.locks.python.view import LockWorld
from gdb_epi.locks.waits.activity import activity
from gdb_epi.target.api import Thread

STACK_BYTES = 512  # from the stack pointer up
_STRUCT = "_gil_runtime_state"


@family("gil-polling")
def gil_polling(context: LockContext, thread: Thread) -> Iterator[t.Wait]:
    """Yield the GIL for a thread that runs C code of take_gil() while another thread holds it."""
    if "rsp" not in thread.registers or activity(context.target, thread).state != "running":
        return
    world = context.world
    if world is None:
        return
    for interpreter in world.python.interpreters:
        known = gil_of(context, world, interpreter.address)
        if known is None or not known.holder:
            continue
        holder = next((one for one in world.python.threads() if one.address == known.holder), None)
        if holder is None or not holder.alive or holder.tid in (None, thread.tid):
            continue
        word = _word_of(world, thread.registers["rsp"], known)
        if word is not None:
            owner = t.Owner(holder.tid, holder.ident, holder.name, "live")
            said = f"the thread runs, and its stack refers to {word:#x} of the GIL, which is held"
            yield t.Wait(
                thread.tid, word, GIL, None, known.address, owner, t.LIVE_HOLDER, t.PROBABLE,
                (said,), True,
            )  # fmt: skip
            return


def _word_of(world: LockWorld, stack: int, gil: Gil) -> int | None:
    """Return the word of a GIL's mutex or condition variable that the stack refers to."""
    layout = world.reader.layout
    ranges = []
    for member in ("cond", "mutex"):
        field = layout.find(_STRUCT, member)
        if field is not None:
            ranges.append((gil.address + field.offset, gil.address + field.offset + field.size))
    try:
        data = world.reader.read(stack, STACK_BYTES)
    except (UnreadableMemory, LayoutError):
        return None
    for at in range(0, STACK_BYTES, 8):
        word = int.from_bytes(data[at : at + 8], "little")
        if any(start <= word < end for start, end in ranges):
            return word
    return None

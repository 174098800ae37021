# SPDX-License-Identifier: Apache-2.0
"""Threads that want the GIL and were caught awake: they poll it, every 5 ms by default.

No register shows it then. What does: the GIL is held by another thread, and the frames just above
the stack pointer keep the address of its mutex or condition variable, which only take_gil() and
drop_gil() handle. Leftovers of an earlier call cannot be told apart: probable at most.
Reference: Python/ceval_gil.c (take_gil), 3.8 to 3.15.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.runtime.gil import Gil
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.locks.context import LockContext, lock_family
from gdb_epi.locks.python.python_view import PythonView
from gdb_epi.locks.types import GIL, LIVE_HOLDER, PROBABLE, LockOwner, LockWait
from gdb_epi.locks.waits.thread_activity import classify_thread_activity
from gdb_epi.sizes import split_into_words
from gdb_epi.target.api import Thread

STACK_BYTES = 512  # from the stack pointer up
_STRUCT = "_gil_runtime_state"


@lock_family("gil-polling")
def gil_polling(context: LockContext, thread: Thread) -> Iterator[LockWait]:
    """Yield the GIL for a thread that runs C code of take_gil() while another thread holds it."""
    if not thread.sp or classify_thread_activity(context.target, thread).state != "running":
        return
    view = context.python_view
    if view is None:
        return
    for interpreter in view.python.interpreters:
        gil = view.gil(interpreter.address)
        if gil is None or not gil.holder:
            continue
        holder = next((s for s in view.python.threads() if s.address == gil.holder), None)
        if holder is None or not holder.alive or holder.tid in (None, thread.tid):
            continue
        word = _gil_word_on_stack(view, thread.sp, gil)
        if word is not None:
            yield LockWait(
                tid=thread.tid,
                address=word,
                kind=GIL,
                name=None,
                object=gil.address,
                owner=LockOwner(holder.tid, holder.ident, holder.name, "live"),
                verdict=LIVE_HOLDER,
                confidence=PROBABLE,
                evidence=(
                    f"the thread runs, and its stack refers to {word:#x} of the GIL, which is held",
                ),
                timed=True,
            )
            return


def _gil_word_on_stack(view: PythonView, stack: int, gil: Gil) -> int | None:
    """Return the word of a GIL's mutex or condition variable that the stack refers to."""
    ranges = []
    for member in ("cond", "mutex"):
        field = view.reader.layout.find(_STRUCT, member)
        if field is not None:
            ranges.append((gil.address + field.offset, gil.address + field.offset + field.size))
    try:
        words = split_into_words(view.reader.read(stack, STACK_BYTES))
    except (UnreadableMemory, LayoutError):
        return None
    for word in words:
        if any(start <= word < end for start, end in ranges):
            return word
    return None

# SPDX-License-Identifier: Apache-2.0
"""The stack that a thread was given at its start; it may run on another one for a while.

Handlers run on an alternate stack (sigaltstack()), fibres on memory that a library mapped for them.
glibc records the block of each thread's stack in its descriptor (allocatestack.c), which lies at
the end of the block; the stack of the process is where the kernel puts the bytes of AT_RANDOM.
"""

from __future__ import annotations

from gdb_epi.errors import Absent
from gdb_epi.fault.memory_reads import read_up_to
from gdb_epi.sizes import PAGE, words_in
from gdb_epi.target.api import Region, Target, Thread
from gdb_epi.target.auxv import AT_RANDOM
from gdb_epi.typing_lite import NamedTuple

DESCRIPTOR = 2560  # bytes that are searched: struct pthread has 2,304 to 2,496 (2.31 to 2.42)
MIN_STACK = 16 << 10  # PTHREAD_STACK_MIN
BEHIND_DESCRIPTOR = 1 << 20  # bytes between a descriptor and the end of the block
_WORDS = 4  # stackblock, stackblock_size, guardsize, reported_guardsize


class ThreadStack(NamedTuple):
    """The writable part of a thread's own stack, from `start` to `end`."""

    start: int
    end: int

    def is_of(self, region: Region) -> bool:
        """Tell whether the lower end of the stack is at the start of the mapping, or inside it."""
        return region.start <= self.start < region.end


def thread_stack_of(target: Target, thread: Thread) -> ThreadStack | None:
    """Return a thread's own stack; None where neither glibc nor the kernel tells it."""
    block = _block(target, thread.ident) if thread.ident else None
    if block is not None:
        return block
    process = target.process()
    first = None if isinstance(process, Absent) else process.pid
    region = target.region_at(target.auxv().get(AT_RANDOM, 0))
    if thread.tid != first or region is None or "w" not in region.perms:
        return None
    return ThreadStack(region.start, region.end)


def _block(target: Target, descriptor: int) -> ThreadStack | None:
    """Return the block recorded in a descriptor of glibc, without its guard."""
    words = words_in(read_up_to(target, descriptor, DESCRIPTOR))
    for at in range(len(words) - _WORDS + 1):
        start, size, guard, reported = words[at : at + _WORDS]
        end = start + size
        holds = 0 < start < descriptor < end <= descriptor + BEHIND_DESCRIPTOR
        if not holds or size < MIN_STACK:
            continue
        if max(guard, reported) < size and not guard % PAGE and not reported % PAGE:
            return ThreadStack(start + guard, end)
    return None

# SPDX-License-Identifier: Apache-2.0
"""R4: a stack canary differs by one bit from the thread's own, or that from its source."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.memory import read_words
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.types import MEMORY, Evidence, Skipped, word_evidence
from gdb_epi.errors import UnreadableMemory
from gdb_epi.target.api import Thread
from gdb_epi.target.auxv import AT_RANDOM

GUARD_AT = 0x28  # tcbhead_t.stack_guard (glibc sysdeps/x86_64/nptl/tls.h); the compilers' ABI
POINTER_GUARD_AT = 0x30
BELOW = 4096  # bytes under rsp: frames that were just left
REACH = 1 << 20  # bytes above rsp that are read of one thread
MAX_THREADS = 4096
LOW_BITS = 8  # byte 0 of a canary is 0: a one-byte overflow changes it


@check("R4")
def canary(context: Context) -> Iterator[Evidence | Skipped]:
    """Look for words on stacks that are one bit from fs:0x28, and compare fs:0x28 with AT_RANDOM.

    Innocent causes: an overflow by one byte into the canary's lowest byte, which is 0 (bits 0 to 7
    are not looked at); a random word is one bit from the canary with chance 2^-58. glibc takes the
    canary and the pointer guard of all threads from the 16 bytes that the kernel put on the stack.
    """
    threads = context.target.threads()
    guards = {thread.tid: _guard(context, thread) for thread in threads[:MAX_THREADS]}
    known = [guard for guard in guards.values() if guard]
    if not known:
        yield Skipped("R4", "no thread's fs:0x28 is in the core, or it is 0")
        return
    usual = max(known, key=known.count)
    yield from _random(context, guards, usual)
    for thread in threads[:MAX_THREADS]:
        yield from _stack(context, thread, usual)


def _guard(context: Context, thread: Thread, at: int = GUARD_AT) -> int:
    words = read_words(context, thread.registers.get("fs_base", 0) + at, 1)
    return words[0] if words else 0


def _random(context: Context, guards: dict[int, int], usual: int) -> Iterator[Evidence]:
    """Compare the guards of each thread with the kernel's random bytes (csu/libc-start.c)."""
    given = read_words(context, context.target.auxv().get(AT_RANDOM, 0), 2)
    seen: set[int] = set()
    for thread in context.target.threads()[:MAX_THREADS]:
        base = thread.registers.get("fs_base", 0)
        if base in seen:
            continue
        seen.add(base)
        guard = guards.get(thread.tid, 0)
        pairs = [(GUARD_AT, guard, given[0] & ~0xFF)] if given else []
        pairs += [(GUARD_AT, guard, usual)]
        if given:
            pairs += [(POINTER_GUARD_AT, _guard(context, thread, POINTER_GUARD_AT), given[1])]
        for at, found, right in pairs:
            if (found ^ right).bit_count() == 1:
                yield word_evidence(
                    "R4",
                    base + at,
                    found,
                    right,
                    MEMORY,
                    f"fs:{at:#x} of thread {thread.tid} differs in one bit from its copy (the "
                    "kernel's random bytes, other threads)",
                    tid=thread.tid,
                )
                break


def _stack(context: Context, thread: Thread, guard: int) -> Iterator[Evidence]:
    sp = thread.registers.get("rsp", 0)
    region = context.target.region_at(sp)
    if region is None or "w" not in region.perms:
        return
    start = max(region.start, sp - BELOW) & ~7
    end = min(region.start + min(region.dumped, region.size), sp + REACH)
    if context.sweep:
        start, end = region.start, region.start + min(region.dumped, region.size)
    if end <= start or not context.budget.take(end - start):
        return
    try:
        words = memoryview(context.target.read(start, end - start & ~7)).cast("Q")
    except UnreadableMemory:
        return
    near = {guard ^ 1 << bit for bit in range(LOW_BITS, 64)}
    if near.isdisjoint(words):
        return
    for number, word in enumerate(words):
        if word in near:
            at = start + 8 * number
            dead = ", in a frame that was left already" if at < sp else ""
            yield word_evidence(
                "R4",
                at,
                word,
                guard,
                MEMORY,
                f"the word at {at:#x} on the stack of thread {thread.tid} is one bit from the "
                f"canary in fs:0x28{dead}",
                tid=thread.tid,
            )

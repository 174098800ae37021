# SPDX-License-Identifier: Apache-2.0
"""How much of the memory that only a core can hold is missing, and whose it is.

Counted are writable mappings: nothing but the core has their contents. Code and constants come from
files with the same build-id, so their absence is no loss by itself. Anonymous memory without a
page, which the kernel leaves out of a core (vma_dump_size() in fs/coredump.c), is not missing
either: nothing was ever written there.
"""

from __future__ import annotations

from collections.abc import Container

from gdb_epi.target.api import Region, Target
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted

MAX_MAPPINGS = 16  # the largest losses that are named


class IncompleteMapping(NamedTuple):
    """One writable mapping that is not whole in the core."""

    start: int
    size: int
    missing: int  # bytes, at its end
    what: str  # file name, "native stack of thread N", "anonymous memory"


class MissingWritableMemory(NamedTuple):
    """Sizes in bytes; `percent` is of `expected`, with one decimal."""

    expected: int
    missing: int
    percent: float
    mappings: tuple[IncompleteMapping, ...]  # the largest losses first, at most MAX_MAPPINGS
    mapping_count: int
    stacks: tuple[int, ...]  # LWPs whose native stack lacks the bytes at the stack pointer


def measure_missing_memory(target: Target) -> MissingWritableMemory:
    """Return what writable memory the core lacks; nothing is read."""
    owners: dict[int, int] = {}  # start of a stack's mapping -> LWP
    lost_stacks = []
    for thread in target.threads():
        pointer = thread.sp
        region = target.region_at(pointer)
        if region is not None and "w" not in region.perms:
            # In its guard, where nothing is: what the thread used begins after it.
            pointer = region.end
            region = target.region_at(pointer)
        if region is None or "w" not in region.perms:
            continue
        owners.setdefault(region.start, thread.tid)
        if pointer >= region.start + region.dumped:
            lost_stacks.append(thread.tid)
    unused = _mappings_without_pages(target, owners)
    writable = [r for r in target.regions() if "w" in r.perms and r.start not in unused]
    expected = sum(region.size for region in writable)
    lost = [
        IncompleteMapping(r.start, r.size, r.size - r.dumped_size, _region_name(r, owners))
        for r in writable
        if r.dumped < r.size
    ]
    missing = sum(mapping.missing for mapping in lost)
    lost.sort(key=lambda mapping: (-mapping.missing, mapping.start))
    percent = round(100 * missing / expected, 1) if expected else 0.0
    return MissingWritableMemory(
        expected=expected,
        missing=missing,
        percent=percent,
        mappings=tuple(lost[:MAX_MAPPINGS]),
        mapping_count=len(lost),
        stacks=tuple(lost_stacks),
    )


def _mappings_without_pages(target: Target, stacks: Container[int]) -> frozenset[int]:
    """Return the starts of the anonymous mappings for which the kernel had no page to dump.

    In a complete core those are the mappings with no bytes while others have some; otherwise the
    process's filter (coredump_filter) may have left all of them out. Memory that the program kept
    out itself (MADV_DONTDUMP) looks the same.
    """
    private = [r for r in target.regions() if "w" in r.perms and r.path is None]
    if target.truncation().truncated or not any(r.dumped >= r.size for r in private):
        return frozenset()
    return frozenset(r.start for r in private if not r.dumped and r.start not in stacks)


def _region_name(region: Region, owners: dict[int, int]) -> str:
    if region.start in owners:
        return f"native stack of thread {owners[region.start]}"
    return region.path.rpartition("/")[2] if region.path else "anonymous memory"


def missing_memory_sentence(memory: MissingWritableMemory) -> str:
    """Say in one sentence what is missing; "" when nothing worth a word is.

    glibc 2.41 keeps a page of the vDSO's random numbers out of every core (MADV_DONTDUMP).
    """
    if not memory.percent and not memory.stacks:
        return ""
    text = (
        f"{memory.percent:g}% of the writable memory ({memory.missing} of {memory.expected} "
        f"bytes, in {counted(memory.mapping_count, 'mapping')})"
    )
    if memory.stacks:
        shown = ", ".join(map(str, memory.stacks[:8])) + (", ..." if len(memory.stacks) > 8 else "")
        text += f"; the native stacks of {counted(len(memory.stacks), 'thread')} ({shown})"
    return text

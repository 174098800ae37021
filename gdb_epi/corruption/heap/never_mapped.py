# SPDX-License-Identifier: Apache-2.0
"""Addresses at which the process never had memory: no pointer to them can be left over.

The kernel puts the heap of brk() a random distance after the executable and grows it upwards; it
lets mmap() grow downwards from a random distance below the stack (start_brk and mmap_base of
mm_struct, arch/x86/mm/mmap.c): what lies before the one and after the other is never handed out.
Above the stack lie the pages of the vDSO alone.
"""

from __future__ import annotations

from gdb_epi.corruption.context import Context, once_per_run
from gdb_epi.target.api import Region, get_architecture, module_at
from gdb_epi.target.auxv import AT_ENTRY, AT_RANDOM
from gdb_epi.typing_lite import NamedTuple

NOWHERE = 1 << 36  # bytes from all that is mapped: no memory that was unmapped lay there
MARGIN = 1 << 20  # bytes beside a mapping into which software overruns
MAX_STACK = 64 << 20  # bytes below a stack that it may have had
MAX_GAP = 1 << 41  # bytes below a stack in which mmap_base lies; else memory grows upwards there
MAX_BRK = 2 << 30  # bytes from the executable to its heap; 1 GB from Linux 6.9 on


class NeverMappedRange(NamedTuple):
    """Addresses from `start` up to `end` that were never mapped."""

    start: int
    end: int


def was_never_mapped(context: Context, value: int) -> bool:
    """Tell whether a word can be no address of memory that was given back.

    Then it is no object that was freed, and what one bit away is right needs no missing reference:
    a word that looks like a holder of it may be left over from something else.
    """
    if any(gap.start <= value < gap.end for gap in unmapped_gaps(context)):
        return True
    return all(
        value + NOWHERE <= region.start or region.end + NOWHERE <= value
        for region in context.target.regions()
    )


@once_per_run
def unmapped_gaps(context: Context) -> list[NeverMappedRange]:
    """Return the gaps before the heap of brk(), below the first stack and above it."""
    regions = sorted(context.target.regions())
    gaps = (_gap_before_heap(context, regions), *_gaps_around_stack(context, regions))
    return [gap for gap in gaps if gap is not None and gap.start < gap.end]


def _gap_before_heap(context: Context, regions: list[Region]) -> NeverMappedRange | None:
    """The executable, its .bss, a gap, the heap: nothing else is mapped between them."""
    image = module_at(context.target, context.target.auxv().get(AT_ENTRY, 0))
    if image is None:
        return None
    end = image.end
    for region in regions:
        if region.end <= end:
            continue
        if region.start <= end:  # .bss, in the last page of the file's mapping and after it
            end = region.end
            continue
        is_heap = "w" in region.perms and not region.is_file_mapped
        near = region.start - end < MAX_BRK
        return NeverMappedRange(end + MARGIN, region.start - MARGIN) if is_heap and near else None
    return None


def _gaps_around_stack(context: Context, regions: list[Region]) -> list[NeverMappedRange]:
    at = context.target.auxv().get(AT_RANDOM, 0)  # at the top of the first thread's stack
    stack = context.target.region_at(at) if at else None
    if stack is None:
        return []
    top = get_architecture(context.target).user_top
    last = max(region.end for region in regions if region.end <= top) if stack.end <= top else top
    gaps = [NeverMappedRange(last + MARGIN, top)]
    below = [region for region in regions if region.end <= stack.start]
    if below and stack.start - below[-1].end <= MAX_GAP:
        gaps.append(NeverMappedRange(below[-1].end + MARGIN, stack.start - MAX_STACK))
    return gaps

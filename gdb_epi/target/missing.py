# SPDX-License-Identifier: Apache-2.0
"""How much of the memory that only a core can hold is missing, and whose it is.

Counted are writable mappings: nothing but the core has their contents. Code and constants come from
files with the same build-id, so their absence is no loss by itself.
"""

from __future__ import annotations

from gdb_epi.target.api import Region, Target
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted

MAX_MAPPINGS = 16  # the largest losses that are named


class LostMapping(NamedTuple):
    """One writable mapping that is not whole in the core."""

    start: int
    size: int
    missing: int  # bytes, at its end
    what: str  # file name, "native stack of thread N", "anonymous memory"


class Missing(NamedTuple):
    """Sizes in bytes; `percent` is of `expected`, with one decimal."""

    expected: int
    missing: int
    percent: float
    mappings: tuple[LostMapping, ...]  # the largest losses first, at most MAX_MAPPINGS
    mapping_count: int
    stacks: tuple[int, ...]  # LWPs of whose native stack the bytes at its top of use are missing


def missing_memory(target: Target) -> Missing:
    """Return what writable memory the core lacks; nothing is read."""
    owners, lost_stacks = _stacks(target)
    writable = [region for region in target.regions() if "w" in region.perms]
    expected = sum(region.size for region in writable)
    lost = [
        LostMapping(r.start, r.size, r.size - min(r.dumped, r.size), _what(r, owners))
        for r in writable
        if r.dumped < r.size
    ]
    missing = sum(one.missing for one in lost)
    lost.sort(key=lambda one: (-one.missing, one.start))
    percent = round(100 * missing / expected, 1) if expected else 0.0
    return Missing(
        expected, missing, percent, tuple(lost[:MAX_MAPPINGS]), len(lost), tuple(lost_stacks)
    )


def _stacks(target: Target) -> tuple[dict[int, int], list[int]]:
    """Return whose stack starts where, and the LWPs whose stack pointer's bytes are missing."""
    owners: dict[int, int] = {}
    lost = []
    for thread in target.threads():
        pointer = thread.registers.get("rsp", 0)
        region = target.region_at(pointer)
        if region is None:
            continue
        owners.setdefault(region.start, thread.tid)
        if pointer >= region.start + region.dumped:
            lost.append(thread.tid)
    return owners, lost


def _what(region: Region, owners: dict[int, int]) -> str:
    if region.start in owners:
        return f"native stack of thread {owners[region.start]}"
    return region.path.rpartition("/")[2] if region.path else "anonymous memory"


def told(found: Missing) -> str:
    """Return one sentence; "" when nothing worth a word is missing.

    glibc 2.41 keeps a page of the vDSO's random numbers out of every core (MADV_DONTDUMP).
    """
    if not found.percent and not found.stacks:
        return ""
    text = (
        f"{found.percent:g} % of the writable memory ({found.missing} of {found.expected} bytes, "
        f"in {counted(found.mapping_count, 'mapping')})"
    )
    if found.stacks:
        shown = ", ".join(map(str, found.stacks[:8])) + (", ..." if len(found.stacks) > 8 else "")
        text += f"; the native stacks of {counted(len(found.stacks), 'thread')} ({shown})"
    return text

# SPDX-License-Identifier: Apache-2.0
"""C7:popped: the word that was popped last is rip, and one bit from a return address."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.types import MEMORY, Evidence, word_evidence
from gdb_epi.errors import Absent
from gdb_epi.fault import read_word
from gdb_epi.fault.site import NO_FAULT
from gdb_epi.fault.text import return_address

WORD = 8
ADDRESS_BITS = 47


@check("C7-popped", needs="crash", order=52)
def last_return(context: Context) -> Iterator[Evidence]:
    """Look for the return address that a return should have taken, which went to rip instead.

    The word right below rsp is rip: a return took it, and its first instruction failed. It lies
    behind no call. Of random code addresses 1 of 10^4 is a return address, so one of the 47 that
    are one bit away in 1 of 200 at most. Innocent causes: a zero byte written over the lowest one
    (left out); thunks of retpolines, which return to functions (left out) and labels.
    """
    site = context.site
    if isinstance(site, Absent) or site.kind == NO_FAULT or site.arrived:
        return
    pc, place = site.fault.pc, site.fault.sp - WORD
    if read_word(context.target, place) != pc or not pc & 0xFF:
        return
    function = context.functions.at(pc)
    if function is not None and function.start == pc:
        return
    if return_address(context.target, pc) is not None:
        return
    flips = [pc ^ 1 << bit for bit in range(ADDRESS_BITS)]
    found = [one for one in flips if return_address(context.target, one) is not None]
    for right in found:
        yield word_evidence(
            "C7:popped",
            place,
            pc,
            right,
            MEMORY,
            f"a return took rip from {place:#018x}, {pc:#018x}; that lies behind no call, but one "
            f"bit away {right:#018x} does",
            rivals=len(found),
        )

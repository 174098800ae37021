# SPDX-License-Identifier: Apache-2.0
"""An access just below the stack mapping of the thread."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.findings import Finding, detector, hex_word
from gdb_epi.errors import Absent
from gdb_epi.fault.place import STACK_ENDED
from gdb_epi.process_state import ProcessState


@detector("stack_overflow", needs="crash")
def stack_overflow(state: ProcessState) -> Iterator[Finding]:
    """Find an access below the stack that the thread ran out of, in its guard, or by a large frame.

    Innocent causes: this is itself the ordinary explanation. Not claimed when rsp is elsewhere (a
    wild pointer that happens to point below a stack).
    Reference: the kernel's guard gap, mm/mmap.c (stack_guard_gap); glibc's guard pages.
    """
    account = state.account
    if isinstance(account, Absent) or account.place.kind != STACK_ENDED:
        return
    fault, place, stack = account.fault, account.place, account.place.region
    assert stack is not None and account.address is not None
    by = ", in a frame larger than what was left of it" if place.large else ""
    yield Finding(
        "stack_overflow",
        f"thread {fault.tid}",
        {
            "address": hex_word(account.address),
            "rsp": hex_word(fault.sp),
            "stack": [hex_word(stack.start), hex_word(stack.end)],
            "size": stack.size,
        },
        f"the access is {place.distance} bytes past the end of the thread's stack of "
        f"{stack.size >> 10} KiB{by}",
    )

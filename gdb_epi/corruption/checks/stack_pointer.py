# SPDX-License-Identifier: Apache-2.0
"""R27: a stack pointer that leads to no memory, one bit from the thread's own stack."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import REGISTER, Evidence, word_evidence
from gdb_epi.corruption.registry import check
from gdb_epi.errors import Absent
from gdb_epi.fault.instructions import call_before
from gdb_epi.fault.maps import permits
from gdb_epi.fault.place import GUARD, STACK_ENDED
from gdb_epi.target.unwind import Unwinder

FRAMES = 6  # that are walked
FEWEST = 4  # of them that must be behind a call
MOST_FRAME = 64 << 10  # bytes of one frame
LEAST_BIT = 12  # within a page it would still be mapped


@check(
    "R27",
    needs="crash",
    order=58,
    innocent_causes=(
        "a stack that was full (then the access is just below it, and nothing is said); a switch "
        "of stacks to a wrong one, or a saved frame pointer that was overwritten and popped: no "
        "bit leads from those to frames of the very function that runs, with its callers."
    ),
)
def stack_pointer(context: Context) -> Iterator[Evidence]:
    """Look for the bit with which rsp leads to the frames of the function that runs.

    The unwind tables say where its return address lies from rsp on; it and those of its callers
    must each stand behind a call. rsp is never computed from data: it moves by small numbers.
    """
    account, fault = context.state.account, context.fault
    if isinstance(account, Absent) or isinstance(fault, Absent) or not account.through_stack:
        return
    if account.place.kind in (STACK_ENDED, GUARD):
        return
    unwinder = Unwinder(context.target, context.functions)
    right = [
        corrected
        for bit in range(LEAST_BIT, 64)
        if permits(context.target.region_at(corrected := fault.sp ^ 1 << bit), "w")
        and _has_frames(context, unwinder, {**fault.registers, "rsp": corrected})
    ]
    if len(right) == 1:
        yield word_evidence(
            "R27", "rsp", fault.sp, right[0], REGISTER,
            f"rsp holds {fault.sp:#018x}, where no memory is; from {right[0]:#018x}, one bit away, "
            "the frames of this function and its callers lie as the unwind tables say",
        )  # fmt: skip


def _has_frames(context: Context, unwinder: Unwinder, registers: dict[str, int]) -> bool:
    frames = list(islice(unwinder.walk(registers), FRAMES))
    if not frames or not 0 < frames[0].cfa - registers["rsp"] <= MOST_FRAME:
        return False
    behind = [call_before(context.target, frame.pc) is not None for frame in frames[1:]]
    return sum(behind) >= FEWEST - 1 and all(behind[: FEWEST - 1])

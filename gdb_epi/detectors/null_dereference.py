# SPDX-License-Identifier: Apache-2.0
"""An access or jump in the first 64 KiB."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.findings import Finding, detector, hex_word
from gdb_epi.errors import Absent
from gdb_epi.fault.instructions import operand_of
from gdb_epi.fault.maps import NEAR_NULL
from gdb_epi.fault.reads import read_up_to
from gdb_epi.fault.signals import SI_KERNEL, SIGSEGV
from gdb_epi.process_state import ProcessState
from gdb_epi.x86 import MAX_LENGTH


@detector("null_dereference", needs="crash")
def null_dereference(state: ProcessState) -> Iterator[Finding]:
    """Find a fault address below 64 KiB, by value: not only a base register of exactly 0.

    Innocent causes: none apply, this is itself the ordinary explanation of a low address (a NULL
    pointer plus a member's offset). A flipped bit of a pointer leaves its other bits set, so a low
    address speaks against one; only a pointer zeroed as a whole looks the same.
    Reference: rust-minidump treats base 0 as "null pointer + offset" and tests no bit flip.
    """
    fault = state.fault
    if isinstance(fault, Absent) or not fault.is_hardware_trap or fault.signo != SIGSEGV:
        return
    address = fault.address
    if address is None or address >= NEAR_NULL or fault.code == SI_KERNEL:
        return
    operand = None if fault.pc == address else operand_of(state.target, fault)
    facts = {
        "address": hex_word(address),
        "access": "execute" if fault.pc == address else (operand.access if operand else None),
        "base": operand.base if operand else None,
    }
    through = f" through {operand.base}" if operand and operand.base else ""
    what = "jump to" if fault.pc == address else "access at"
    summary = f"{what} address {address:#x}{through}: a NULL pointer and an offset"
    if fault.pc != address and not read_up_to(state.target, fault.pc, MAX_LENGTH):
        summary += (
            ", by the kernel's word alone: the instruction is neither in the core nor in a file"
        )
    yield Finding("null_dereference", f"thread {fault.tid}", facts, summary)

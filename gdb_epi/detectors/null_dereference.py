# SPDX-License-Identifier: Apache-2.0
"""An access or jump in the first 64 KiB, or through a NULL pointer beyond them."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import Finding, detector, hex_word
from gdb_epi.errors import Absent
from gdb_epi.fault.account import TRANSFER
from gdb_epi.fault.address_place import OR_A_NUMBER
from gdb_epi.fault.called_functions import call_that_set_register
from gdb_epi.fault.errno import errno_of
from gdb_epi.fault.own_native_code import readable_name
from gdb_epi.process_state import ProcessState
from gdb_epi.sizes import WORD_MASK, signed_word

# errno (include/uapi/asm-generic/errno-base.h, errno.h), where it tells what a setting lacks.
_WHY = {
    2: "no such file", 9: "no open file", 12: "no memory", 13: "no permission",
    20: "no such folder", 22: "an argument is invalid", 23: "too many open files on the host",
    24: "too many open files", 28: "no space on the disk", 75: "the number is too large",
}  # fmt: skip
_FULL = (23, 24)  # said of an opened file alone, and no program tries for it
_MINUS_ONE = ("mmap", "mmap64", "shmat", "sbrk")  # return -1 when they fail
# Functions that return NULL when they fail, and set errno then (their manual pages).
_SET_ERRNO = frozenset(
    ("fopen", "fopen64", "fdopen", "freopen", "opendir", "popen", "tmpfile", "getcwd", "realpath",
     "open_memstream", "fmemopen", "readdir", "getpwnam", "getpwuid", "getgrnam", "localtime",
     "gmtime", *_MINUS_ONE)
)  # fmt: skip


@detector("null_dereference", needs="crash")
def null_dereference(state: ProcessState) -> Iterator[Finding]:
    """Find an access or a call below 64 KiB, or one by a base register of 0.

    Innocent causes: none apply, this is itself the ordinary explanation of a low address (a NULL
    pointer plus a member's offset). A flipped bit of a pointer leaves its other bits set, so a low
    address speaks against one; only a pointer zeroed as a whole looks the same. Not claimed for a
    return, which took the word from the stack, nor for an access through a stack pointer that leads
    to no stack: there the program followed no pointer. Reference: rust-minidump treats base 0 as
    "null pointer + offset" and tests no bit flip.
    """
    account = state.fault_account
    if isinstance(account, Absent) or not account.is_near_null:
        return
    if account.failed_in_return or account.through_stack:
        return
    address, site = account.address or 0, account.site
    executed = account.how == TRANSFER
    base = site.operand.base if site.operand is not None and not executed else None
    facts: dict[str, str | int | None] = {
        "address": hex_word(address),
        "access": "execute" if executed else site.access,
        "base": base,
    }
    through = f" through register {base}" if base else ""
    what = f"{site.kind} to" if executed else "access at"
    value, plain = account.fault.registers.get(base or "", 0), ""
    meant = "a NULL pointer" if not address else f"a NULL pointer and an offset of {address}"
    if executed and address:  # a call adds nothing to the pointer that it takes
        meant = plain = f"the number {address} was taken for a pointer to code"
    elif value >> 63:
        meant = plain = f"the number {signed_word(value)} was taken for a pointer"
    elif value:  # a member's address, computed before; or a small number that is not an address
        through += f", which holds {value}"
        meant = f"a NULL pointer plus that many bytes, {OR_A_NUMBER}"
        plain = f"NULL plus {value} bytes, or that number itself, was taken for a pointer"
    summary = f"{what} address {address:#x}{through}: {meant}"
    if base and not value and site.operand is not None and not site.operand.index_register:
        done = "writes" if site.access == "w" else "reads"
        far = signed_word(address)
        behind = f" {abs(far)} bytes {'behind' if far > 0 else 'before'} it" if far else " there"
        summary = f"the pointer in {base} is NULL, and the code {done}{behind}"
    if not executed and not site.code:
        summary += (
            " (by the kernel's word alone: the instruction is neither in the core nor in a file)"
        )
    frames = state.target.native_frames(account.fault.tid)
    is_followed = base and value in (0, WORD_MASK) and site.fault.architecture.decodes
    if is_followed and base and not isinstance(frames, Absent):
        call = call_that_set_register(state.target, frames, account.fault.pc, base)
        if call.function and (not value or call.function in _MINUS_ONE):
            facts["returned_by"] = call.function
            given = "-1" if value else "NULL"
            plain = f"{readable_name(call.function)}() had returned {given}"
            by_it = call.function in _SET_ERRNO and call.is_last
            number = errno_of(state.target, account.fault) if by_it else None
            if number is not None and number in _WHY:
                facts["errno"] = number
                plain += f": {_WHY[number]} (errno {number})"
    last = errno_of(state.target, account.fault) if not plain and not executed else None
    if last in _FULL:
        facts["errno"] = last
        plain = f"a pointer was NULL; the call that failed last said: {_WHY[last]} (errno {last})"
    if plain:
        facts["plain"] = plain
    yield Finding("null_dereference", f"thread {account.fault.tid}", facts, summary)

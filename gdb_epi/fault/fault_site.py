# SPDX-License-Identifier: Apache-2.0
"""What failed: which access of which instruction, and at what true address.

How Linux reports x86 faults (measured on 6.18, AMD): a page fault gives its address; a general
protection fault (non-canonical, misaligned vector, privileged) gives SI_KERNEL and 0, as SIGBUS if
the base was rsp or rbp (#SS). A return or jump to a non-canonical address stops at the instruction
on AMD, but Intel may already be there: both shapes are tried.
"""

from __future__ import annotations

from gdb_epi.fault.find_fault import Fault
from gdb_epi.fault.instructions import call_before
from gdb_epi.fault.mapping_checks import (
    VSYSCALL,
    is_canonical,
    may_execute,
    permits,
    user_space_end,
)
from gdb_epi.fault.memory_reads import read_up_to, read_word
from gdb_epi.fault.signals import (
    BUS_ADRALN,
    PROTECTION_FAULT,
    SEGV_ACCERR,
    SEGV_MAPERR,
    SEGV_PKUERR,
    SI_KERNEL,
    SIGBUS,
    SIGFPE,
    SIGILL,
    SIGSEGV,
    SIGTRAP,
)
from gdb_epi.sizes import PAGE, WORD, WORD_MASK
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.x86 import MAX_LENGTH, UNKNOWN_INDEX, Instruction, MemoryOperand, decode

DATA, RETURN, CALL, JUMP, FETCH = "data", "return", "call", "jump", "fetch"
MISALIGNED, PRIVILEGED, ILLEGAL = "misaligned", "privileged", "illegal"
ARITHMETIC, TRAPPED, UNEXPLAINED, NO_FAULT = "arithmetic", "trap", "unexplained", "none"
UNSTARTED_HANDLER = "unstarted-handler"  # the kernel could not start the handler of a signal
TRANSFERS = frozenset((RETURN, CALL, JUMP, FETCH))

STRING_BLOCK = 64  # bytes: fast string operations fault anywhere in the block they move
ERROR_WRITE, ERROR_FETCH = 2, 16  # bits of a page fault's error code


class FaultSite(NamedTuple):
    """The access or transfer of control that failed, its address, and the instruction behind it.

    `kind` is one of the names above. `address` is the true address of the access (or the target of
    the transfer), None when it is unknown; `source` says where it is from: "kernel",
    "operand", "stack". `access` is "r", "w", "x" or None. `operand` is the access that failed.
    `instruction` is None when the text cannot be read or is not known: `why` says which. For a
    transfer that has happened (`arrived`) the instruction is the one at its target and says
    nothing. `slot` is the address of the stack word that a return took.
    """

    fault: Fault
    kind: str
    address: int | None
    source: str
    access: str | None
    instruction: Instruction | None
    operand: MemoryOperand | None
    code: bytes
    slot: int | None = None
    arrived: bool = False
    why: str = ""


def site_of_fault(target: Target, fault: Fault) -> FaultSite:
    """Return what failed. Every fault has a site; what is unknown says so."""
    machine = fault.architecture
    code = read_up_to(target, fault.pc, MAX_LENGTH)
    instruction = decode(code) if code and machine.decodes else None
    why = "" if instruction else "the instruction is not in the core and no file has it"
    if not machine.decodes:
        why = f"instructions of {machine.name} are not decoded"
    elif code and instruction is None:
        why = f"the bytes {code[:8].hex()} are no instruction that is known here"
    blank = FaultSite(
        fault=fault,
        kind=NO_FAULT,
        address=None,
        source="",
        access=None,
        instruction=instruction,
        operand=None,
        code=code,
        why=why,
    )
    if not fault.is_hardware_trap:
        return blank
    other = {SIGFPE: ARITHMETIC, SIGILL: ILLEGAL, SIGTRAP: TRAPPED}.get(fault.signo)
    if other is not None:
        return blank._replace(kind=other)
    if fault.signo == SIGSEGV and fault.code in (SEGV_MAPERR, SEGV_ACCERR, SEGV_PKUERR):
        return _site_of_page_fault(target, blank)
    if fault.code == SI_KERNEL and fault.signo in (SIGSEGV, SIGBUS):
        return _site_of_general_protection(target, blank)
    if fault.signo == SIGBUS and fault.code == BUS_ADRALN:  # #AC: the flag AC, a split lock
        return blank._replace(kind=MISALIGNED)
    if fault.signo == SIGBUS and fault.address:  # the end of a mapped file, poisoned memory
        return _data_access_site(target, blank)
    return blank._replace(kind=UNEXPLAINED, address=fault.address, source="kernel")


# -- page faults ---------------------------------------------------------------------------


def _site_of_page_fault(target: Target, site: FaultSite) -> FaultSite:
    fault = site.fault
    address = fault.address or 0
    at_pc = address == fault.pc
    next_page = fault.pc < address < fault.pc + MAX_LENGTH and address % PAGE == 0
    if fault.error is not None:
        fetched = bool(fault.error & ERROR_FETCH)
    else:
        # Code that was entered in its middle may write to where it stands, by the register called.
        region = target.region_at(address)
        at_pc = at_pc and (region is None or "x" not in region.perms)
        fetched = at_pc or (next_page and not may_execute(region))
    if fetched:
        return find_failed_transfer(target, site._replace(address=address, source="kernel"))
    return _data_access_site(target, site)


def find_failed_transfer(target: Target, site: FaultSite) -> FaultSite:
    """Tell how control came to an address that cannot be executed.

    A call has pushed its return address, and its target is still in the register or memory that it
    names; a return leaves the slot that it popped just below rsp.
    """
    fault = site.fault
    site = site._replace(access="x", arrived=True, instruction=None, kind=FETCH)
    if site.address != fault.pc:
        return site._replace(why=f"the instruction at {fault.pc:#x} runs into it")
    if not fault.architecture.call_pushes:
        return _tell_transfer_by_link_register(target, site)
    top, popped = read_word(target, fault.sp), read_word(target, fault.sp - 8)
    call = call_before(target, top) if top else None
    if call is not None and did_call_go_to(target, fault, call, top or 0, fault.pc):
        return site._replace(kind=CALL, operand=call.explicit_operand)
    # Zeros are everywhere: if the top may be a return address, no return has popped it.
    if popped == fault.pc and (fault.pc or not may_execute(target.region_at(top or 0))):
        return site._replace(kind=RETURN, slot=fault.sp - 8)
    if call is not None and call.target is None:
        return site._replace(
            kind=CALL, operand=call.explicit_operand, why="its target has changed since"
        )
    return site._replace(kind=JUMP, why="no word on the stack says how control came here")


def _tell_transfer_by_link_register(target: Target, site: FaultSite) -> FaultSite:
    """Distinguish a return from a call by the link register, where calls put return addresses."""
    fault, machine = site.fault, site.fault.architecture
    back = fault.registers.get(machine.link or "", 0)
    if back == fault.pc:
        return site._replace(kind=RETURN)
    before = read_up_to(target, back - WORD, WORD)
    if len(before) == WORD and may_execute(target.region_at(back)) and machine.is_call(before):
        return site._replace(
            kind=CALL, why=f"{machine.link} holds the way back; its target is lost"
        )
    return site._replace(kind=JUMP, why=f"{machine.link} does not say how control came here")


def did_call_go_to(
    target: Target, fault: Fault, call: Instruction, return_address: int, wanted: int
) -> bool:
    """Tell whether an indirect call that has just been made went to an address."""
    if call.target_register is not None:
        return fault.registers.get(call.target_register) == wanted
    if call.explicit_operand is None:
        return False
    # The call has pushed 8 bytes since it computed the address.
    before = {**fault.registers, "rip": return_address - call.length, "rsp": fault.sp + 8}
    at = call.explicit_operand.address(before)
    return at is not None and read_word(target, at, dumped_only=False) == wanted


def _data_access_site(target: Target, site: FaultSite) -> FaultSite:
    """Find the access of the instruction that covers the address the kernel reported."""
    fault, address = site.fault, site.fault.address or 0
    access = None
    if fault.error is not None:
        access = "w" if fault.error & ERROR_WRITE else "r"
    elif (fault.signo, fault.code) == (SIGSEGV, SEGV_ACCERR):  # the number is BUS_ADRERR too
        region = target.region_at(address)
        if permits(region, "r") and not permits(region, "w"):  # only a write is refused there
            access = "w"
    site = site._replace(kind=DATA, address=address, source="kernel", access=access)
    if site.instruction is None:
        return site
    unknown = [
        operand for operand in site.instruction.operands if operand.address(fault.registers) is None
    ]
    for operand in site.instruction.operands:
        if _access_covers(operand, fault, address, site.instruction.name == "string"):
            return site._replace(operand=operand, access=access or operand.access)
    if unknown:
        return site._replace(operand=unknown[0], access=access or unknown[0].access)
    if _touches_unlisted_memory(site.instruction):
        return site
    return site._replace(kind=UNEXPLAINED, why=_no_access_covers_address_note(site, address))


def _access_covers(operand: MemoryOperand, fault: Fault, address: int, string: bool) -> bool:
    start = operand.address(fault.registers)
    if start is None:
        return False
    size = operand.size or 1
    if string:
        return -STRING_BLOCK < address - start < max(size, STRING_BLOCK)
    return 0 <= address - start < size


def _touches_unlisted_memory(instruction: Instruction) -> bool:
    """Tell whether an instruction touches memory that its operands do not show.

    These are accesses of unknown size (xsave, descriptor loads), system calls, segment loads.
    """
    unknown = any(operand.access is None or not operand.size for operand in instruction.operands)
    segment = instruction.opcode_map == 0 and instruction.opcode in (0x8E, 0xCA, 0xCB, 0xCF, 0xC8)
    calls = instruction.name in ("syscall", "int", "int3")
    return unknown or segment or instruction.privileged or calls


def _no_access_covers_address_note(site: FaultSite, address: int) -> str:
    assert site.instruction is not None
    accessed = [operand.address(site.fault.registers) for operand in site.instruction.operands]
    listed = ", ".join(f"{place:#x}" for place in accessed if place is not None) or "nothing"
    return f"the instruction accesses {listed}, the kernel reported {address:#x}"


# -- protection faults -----------------------------------------------------------------------


def _site_of_general_protection(target: Target, site: FaultSite) -> FaultSite:
    """A general protection or stack fault: the operands give the address, not the kernel."""
    fault, instruction = site.fault, site.instruction
    top = user_space_end(target, fault)
    if not is_canonical(fault.pc, top):  # Intel's shape: rip has arrived already
        return find_failed_transfer(target, site._replace(address=fault.pc, source="operand"))
    if fault.pc & -PAGE == VSYSCALL:  # which of its entries are emulated: entry/vsyscall
        return find_failed_transfer(target, site._replace(address=fault.pc, source="kernel"))
    if instruction is None:
        return site._replace(kind=UNEXPLAINED)
    for operand in instruction.operands:
        start = operand.address(fault.registers)
        if start is not None and not _is_range_canonical(start, operand.size or 1, top):
            return site._replace(
                kind=DATA, address=start, source="operand", access=operand.access, operand=operand
            )
    gone = _transfer_stopped_at_instruction(target, fault, instruction, top)
    if gone is not None:
        kind, address, operand_, slot = gone
        source = "stack" if slot is not None else "operand"
        return site._replace(
            kind=kind, address=address, source=source, access="x", operand=operand_, slot=slot
        )
    for operand in instruction.operands:
        start = operand.address(fault.registers)
        if start is not None and operand.align > 1 and start % operand.align:
            return site._replace(
                kind=MISALIGNED, address=start, source="operand", access=operand.access,
                operand=operand,
            )  # fmt: skip
    if instruction.privileged or instruction.name in ("int", "iret"):
        return site._replace(kind=PRIVILEGED)
    if fault.signo == SIGSEGV and is_in_system_call(target, site):
        return site._replace(kind=UNSTARTED_HANDLER, why=_NO_ROOM_FOR_HANDLER)
    unknown = next((op for op in instruction.operands if op.index_register == UNKNOWN_INDEX), None)
    if unknown is not None or _touches_unlisted_memory(instruction):
        return site._replace(kind=DATA, operand=unknown, why="the address cannot be computed")
    refused = _fault_hidden_by_signal_frame(target, site)
    if refused is not None:
        return refused
    # The trap number is in signal frames alone.
    if fault.signo == SIGSEGV and fault.trap != PROTECTION_FAULT:
        return site._replace(kind=UNSTARTED_HANDLER, why=_NO_ROOM_FOR_HANDLER)
    return site._replace(
        kind=UNEXPLAINED, why="a protection fault, but its operands are canonical and aligned"
    )


# force_sigsegv() in kernel/signal.c gives the same SIGSEGV, at whatever instruction ran just then.
_NO_ROOM_FOR_HANDLER = (
    "the instruction cannot fault; the kernel ends a process like this when it cannot start the "
    "handler of a signal, as when its alternate stack is gone"
)
_SYSCALL = b"\x0f\x05"


def is_in_system_call(target: Target, site: FaultSite) -> bool:
    """Tell whether a thread was in a system call, or begins it again, when it was ended.

    Only the kernel can end it there: `syscall` itself makes no fault, and what follows has not
    begun.
    """
    if site.instruction is not None and site.instruction.name == "syscall":
        return True
    return read_up_to(target, site.fault.pc - len(_SYSCALL), len(_SYSCALL)) == _SYSCALL


def _fault_hidden_by_signal_frame(target: Target, site: FaultSite) -> FaultSite | None:
    """Return the page fault hidden by a signal frame that could not be written.

    The kernel then ends the process with a SIGSEGV without an address, with the registers of the
    fault: force_sigsegv() in kernel/signal.c. A full stack does this to every handler that runs on
    it.
    """
    for operand in site.instruction.operands if site.instruction is not None else ():
        start = operand.address(site.fault.registers)
        if start is not None and not permits(target.region_at(start), operand.access):
            why = "the kernel found no room on the stack to start the handler of this fault"
            return site._replace(
                kind=DATA, address=start, source="operand", access=operand.access, operand=operand,
                why=why,
            )  # fmt: skip
    return None


def _is_range_canonical(start: int, size: int, top: int) -> bool:
    return is_canonical(start, top) and is_canonical((start + size - 1) & WORD_MASK, top)


def _transfer_stopped_at_instruction(
    target: Target, fault: Fault, instruction: Instruction, top: int
) -> tuple[str, int, MemoryOperand | None, int | None] | None:
    """Return (kind, target, operand, slot) of a transfer that stopped at its instruction."""
    if instruction.flow == "return":
        word = read_word(target, fault.sp)
        if word is not None and not is_canonical(word, top):
            return RETURN, word, None, fault.sp
    elif instruction.flow in ("call", "jump") and instruction.target is None:
        if instruction.target_register is not None:
            word = fault.registers.get(instruction.target_register)
        else:
            explicit = instruction.explicit_operand
            at = explicit.address(fault.registers) if explicit is not None else None
            word = None if at is None else read_word(target, at, dumped_only=False)
        if word is not None and not is_canonical(word, top):
            return (
                (CALL if instruction.flow == "call" else JUMP),
                word,
                instruction.explicit_operand,
                None,
            )
    return None

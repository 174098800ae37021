# SPDX-License-Identifier: Apache-2.0
"""The signal, and what registers and the top of the stack say about the failure.

Facts without judgement: over many crashes they separate a stack pointer that a CPU computed wrongly
from a return slot that a race set to 0.
"""

from __future__ import annotations

from gdb_epi.detectors.registry import hex_word
from gdb_epi.errors import Absent
from gdb_epi.fault.fault_site import CALL, RETURN, FaultSite
from gdb_epi.fault.find_fault import Fault
from gdb_epi.fault.mapping_checks import NEAR_NULL, is_canonical, may_execute, user_space_end
from gdb_epi.fault.memory_reads import NULL_PAGE, read_word
from gdb_epi.fault.signals import signal_name
from gdb_epi.record.registry import SEVERAL_GROUPS, Json, RecordNotes, RecordParts, group
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.x86 import MemoryOperand

ALIGNMENT = 16  # System V ABI, x86-64 3.2.2: rsp mod 16 is 8 on entry, 0 at a call


@group("signal", order=30)
def signal(parts: RecordParts, _notes: RecordNotes) -> Json | None:
    """Return the signal; None when the core names none."""
    crash, fault = parts.state.crash, parts.signed.inputs.fault
    if isinstance(crash, Absent):
        return None
    fields: Json = {
        "signo": crash.signo,
        "name": signal_name(crash.signo),
        "si_code": crash.si_code,
        "si_errno": crash.si_errno,
        "fault_address": None if crash.fault_address is None else hex_word(crash.fault_address),
        "sender_pid": crash.sender_pid,
        "sender_uid": crash.sender_uid,
    }
    if isinstance(fault, Fault):
        fields["pc"] = hex_word(fault.pc)
        fields["sender"] = fault.sender
        if fault.origin == "signal-frame":
            fields["behind_handler"] = {
                "signo": fault.signo,
                "name": signal_name(fault.signo),
                "si_code": fault.code,
                "fault_address": None if fault.address is None else hex_word(fault.address),
            }
    return fields


@group(SEVERAL_GROUPS, order=200)
def failure_site_facts(parts: RecordParts, _notes: RecordNotes) -> Json | None:
    """Return the group `facts`, flat, and the addresses that belong into the group `signal`.

    None for signals that somebody sent, as no instruction failed.
    """
    account, target = parts.state.fault_account, parts.state.target
    if isinstance(account, Absent) or not account.fault.is_hardware_trap:
        return None
    site = account.site
    if not site.fault.sp:
        return None
    address = site.address if site.address is not None else site.fault.address
    facts: Json = {
        "rsp_mod_16": site.fault.sp % ALIGNMENT if site.fault.architecture.call_pushes else None,
        "pc_in": kind_of_address(target, site.fault.pc),
        "fault_kind": site.kind,
        "access": site.access,
    }
    addresses: Json = {}
    if address is not None:
        facts["fault_in"] = kind_of_address(target, address)
    access = failing_access(target, site)
    if access is not None:
        text = operand_text(access.operand)
        facts["operand"] = text
        facts |= {"operand_register": access.register, "operand_register_in": access.points_to}
        addresses["operand"] = {"text": text}
        if access.address is not None:
            addresses["operand"]["address"] = hex_word(access.address)
        if access.register is not None and access.value is not None:
            addresses["operand"] |= {"register": access.register, "value": hex_word(access.value)}
    slot = slot_of_wild_transfer(target, site)
    if slot is not None:
        facts |= {"return_slot_how": slot.how, "return_slot_in": slot.points_to}
        addresses["return_slot"] = {
            "address": hex_word(slot.address),
            "value": hex_word(slot.value),
        }
    facts = {key: value for key, value in facts.items() if value is not None}
    return {"facts": facts, "signal": addresses}


class ReturnAddressSlot(NamedTuple):
    """The word that a return took (`how` "return"), or that a call pushed ("call")."""

    how: str
    address: int
    value: int
    points_to: str


class FailingAccess(NamedTuple):
    """The memory operand that failed; `register` is its base."""

    operand: MemoryOperand
    address: int | None
    register: str | None
    value: int | None
    points_to: str | None


def kind_of_address(target: Target, address: int) -> str:
    """Return null, near-null, non-canonical, unmapped, code, stack, file or memory."""
    if address < NULL_PAGE:
        return "null"
    if not is_canonical(address, user_space_end(target)):
        return "non-canonical"
    region = target.region_at(address)
    if region is None:
        return "near-null" if address < NEAR_NULL else "unmapped"
    if may_execute(region) and "?" not in region.perms:
        return "code"
    pointers = (thread.sp for thread in target.threads())
    if any(region.start <= pointer < region.end for pointer in pointers):
        return "stack"
    return "file" if region.path else "memory"


def slot_of_wild_transfer(target: Target, site: FaultSite) -> ReturnAddressSlot | None:
    """Return the word on the stack by which control came to a wild program counter.

    A return leaves its word just below rsp; a call has pushed the return address to rsp. None when
    the program counter is in code, or when it is unknown how control left it.
    """
    if site.kind == RETURN and site.slot is not None:
        how, address = RETURN, site.slot
    elif site.kind == CALL and site.arrived:
        how, address = CALL, site.fault.sp
    else:
        return None
    value = read_word(target, address)
    if value is None:
        return None
    return ReturnAddressSlot(how, address, value, kind_of_address(target, value))


def failing_access(target: Target, site: FaultSite) -> FailingAccess | None:
    """Return the memory access that failed; None when it is not known."""
    operand = site.operand
    if operand is None:
        return None
    registers = site.fault.registers
    register = next(iter(operand.registers()), None)
    value = registers.get(register) if register else None
    kind = None if value is None else kind_of_address(target, value)
    return FailingAccess(operand, operand.address(registers), register, value, kind)


def operand_text(operand: MemoryOperand) -> str:
    """Return fs:rdi+rcx*8+0x10, the way manuals write an effective address."""
    base = "rip" if operand.rip_relative else operand.base
    terms = [base] if base else []
    if operand.index_register:
        scaled = f"*{operand.scale}" if operand.scale != 1 else ""
        terms.append(operand.index_register + scaled)
    text = "+".join(terms)
    if operand.displacement or not terms:
        sign = "-" if operand.displacement < 0 else "+" if terms else ""
        text += f"{sign}{abs(operand.displacement):#x}"
    return f"{operand.segment[:2]}:{text}" if operand.segment else text

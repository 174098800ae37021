# SPDX-License-Identifier: Apache-2.0
"""Facts of the crash itself: alignment of the stack, return slot, operand; CPU time.

What the registers and the top of the stack say where the process failed.

Facts, no judgement: a population of them separates a stack pointer that a CPU got wrong from a
return slot that a race set to 0.
"""

from __future__ import annotations

from gdb_epi.detectors.findings import hex_word
from gdb_epi.errors import Absent
from gdb_epi.fault.find import Fault
from gdb_epi.fault.maps import NEAR_NULL, is_canonical, may_execute
from gdb_epi.fault.reads import NULL_PAGE, read_word
from gdb_epi.fault.site import CALL, RETURN, FaultSite, analyze_fault
from gdb_epi.record.registry import SEVERAL, Notes, group
from gdb_epi.target.api import Region, Target
from gdb_epi.target.auxv import exec_random
from gdb_epi.typing_lite import TYPE_CHECKING, Any, NamedTuple
from gdb_epi.x86 import Operand

if TYPE_CHECKING:
    from gdb_epi.record import Parts


ALIGNMENT = 16  # System V ABI, x86-64 3.2.2: rsp mod 16 is 8 on entry, 0 at a call


class Slot(NamedTuple):
    """The word that a return took (`how` "return"), or that a call pushed ("call")."""

    how: str
    address: int
    value: int
    points_to: str


class Access(NamedTuple):
    """The memory operand that failed; `register` is the one it rests on."""

    operand: Operand
    address: int | None
    register: str | None
    value: int | None
    points_to: str | None


def kind_of_address(target: Target, address: int) -> str:
    """Return null, near-null, non-canonical, unmapped, code, stack, file or memory."""
    if address < NULL_PAGE:
        return "null"
    if not is_canonical(address):
        return "non-canonical"
    region = target.region_at(address)
    if region is None:
        return "near-null" if address < NEAR_NULL else "unmapped"
    if may_execute(region) and "?" not in region.perms:
        return "code"
    if _is_stack(target, region):
        return "stack"
    return "file" if region.path else "memory"


def _is_stack(target: Target, region: Region) -> bool:
    pointers = (thread.registers.get("rsp", 0) for thread in target.threads())
    return any(region.start <= pointer < region.end for pointer in pointers)


def return_slot(target: Target, site: FaultSite) -> Slot | None:
    """Return the word on the stack by which control came to a wild program counter.

    A return leaves the word it took just below rsp; a call has pushed the way back to rsp. None
    when the program counter is in code, or when it cannot be told how control left it.
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
    return Slot(how, address, value, kind_of_address(target, value))


def failing_access(target: Target, site: FaultSite) -> Access | None:
    """Return the memory access that failed; None when it is not known."""
    operand = site.operand
    if operand is None:
        return None
    registers = site.fault.registers
    register = next(iter(operand.registers()), None)
    value = registers.get(register) if register else None
    kind = None if value is None else kind_of_address(target, value)
    return Access(operand, operand.address(registers), register, value, kind)


Json = dict[str, Any]
_SALT = b"gdb-epi exec/1"


def _site(parts: Parts) -> FaultSite | None:
    """Return what failed in an instruction; None for signals that somebody sent."""
    fault = parts.signed.scene.fault
    if not isinstance(fault, Fault) or not fault.is_hardware_trap:
        return None
    return analyze_fault(parts.state.target, fault)


@group(SEVERAL)
def where_it_failed(parts: Parts, _notes: Notes) -> Json | None:
    """Return the group facts, flat, and the addresses that belong to it for the group signal."""
    site, target = _site(parts), parts.state.target
    if site is None or "rsp" not in site.fault.registers:
        return None
    fault = site.fault
    address = site.address if site.address is not None else fault.address
    facts: Json = {
        "rsp_mod_16": fault.sp % ALIGNMENT,
        "pc_in": kind_of_address(target, fault.pc),
        "fault_kind": site.kind,
        "access": site.access,
    }
    signal: Json = {}
    if address is not None:
        facts["fault_in"] = kind_of_address(target, address)
    access = failing_access(target, site)
    if access is not None:
        facts["operand"] = operand_text(access.operand)
        facts |= {"operand_register": access.register, "operand_register_in": access.points_to}
        signal["operand"] = _access(access)
    slot = return_slot(target, site)
    if slot is not None:
        facts |= {"return_slot_how": slot.how, "return_slot_in": slot.points_to}
        signal["return_slot"] = {"address": hex_word(slot.address), "value": hex_word(slot.value)}
    facts = {key: value for key, value in facts.items() if value is not None}
    return {"facts": facts, "signal": signal}


def _access(access: Access) -> Json:
    told: Json = {"text": operand_text(access.operand)}
    if access.address is not None:
        told["address"] = hex_word(access.address)
    if access.register is not None and access.value is not None:
        told |= {"register": access.register, "value": hex_word(access.value)}
    return told


def operand_text(operand: Operand) -> str:
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


@group("process")
def process_group(parts: Parts, _notes: Notes) -> Json | None:
    """Return the CPU time of the process and a name for its exec."""
    state = parts.state
    told: Json = {}
    name = exec_id(parts)
    if name is not None:
        told["exec_id"] = name
    pid = None if isinstance(state.process, Absent) else state.process.pid
    leader = next((t for t in state.target.threads() if t.tid == pid), None)
    if leader is not None and leader.cpu_seconds is not None:
        told["cpu_seconds"] = dict(zip(("user", "system"), leader.cpu_seconds, strict=True))
    return told


def exec_id(parts: Parts) -> str | None:
    """Return a hash of the 16 bytes at AT_RANDOM, which forked siblings share; None without."""
    from gdb_epi.util import sha256_hex

    raw = exec_random(parts.state.target)
    return None if raw is None else sha256_hex(_SALT + raw)[:16]

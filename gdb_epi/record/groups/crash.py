# SPDX-License-Identifier: Apache-2.0
"""Facts of the crash itself: alignment of the stack, return slot, operand; CPU time."""

from __future__ import annotations

from gdb_epi.detectors.findings import hex_word
from gdb_epi.errors import Absent, UnreadableMemory
from gdb_epi.facts.crashsite import (
    ALIGNMENT,
    Access,
    failing_access,
    kind_of_address,
    return_slot,
)
from gdb_epi.fault import Fault
from gdb_epi.lean import TYPE_CHECKING, Any
from gdb_epi.record.registry import Notes, group
from gdb_epi.x86 import Operand

if TYPE_CHECKING:
    from gdb_epi.record import Parts

Json = dict[str, Any]
AT_RANDOM = 25
_SALT = b"gdb-epi exec/1"


def _fault(parts: Parts) -> Fault | None:
    """Return what failed in an instruction; None for signals that somebody sent."""
    fault = parts.signed.scene.fault
    return fault if isinstance(fault, Fault) and fault.is_hardware_trap else None


@group("facts")
def facts_group(parts: Parts, _notes: Notes) -> Json | None:
    """Return flat facts that may separate populations of one signature."""
    fault, target = _fault(parts), parts.state.target
    if fault is None or "rsp" not in fault.registers:
        return None
    told: Json = {
        "rsp_mod_16": fault.sp % ALIGNMENT,
        "pc_in": kind_of_address(target, fault.pc),
    }
    if fault.address is not None:
        told["fault_in"] = kind_of_address(target, fault.address)
    access = failing_access(target, fault)
    if access is not None:
        told |= {"operand": operand_text(access.operand), "access": access.operand.access}
        told |= {"operand_register": access.register, "operand_register_in": access.points_to}
    slot = return_slot(target, fault)
    if slot is not None:
        told |= {"return_slot_how": slot.how, "return_slot_in": slot.points_to}
    return {key: value for key, value in told.items() if value is not None}


@group("signal")
def signal_group(parts: Parts, _notes: Notes) -> Json | None:
    """Return the addresses that belong to the facts."""
    fault, target = _fault(parts), parts.state.target
    if fault is None:
        return None
    told: Json = {}
    access = failing_access(target, fault)
    if access is not None:
        told["operand"] = _access(access)
    slot = return_slot(target, fault)
    if slot is not None:
        told["return_slot"] = {"address": hex_word(slot.address), "value": hex_word(slot.value)}
    return told


def _access(access: Access) -> Json:
    told: Json = {"text": operand_text(access.operand)}
    if access.address is not None:
        told["address"] = hex_word(access.address)
    if access.register is not None and access.value is not None:
        told |= {"register": access.register, "value": hex_word(access.value)}
    return told


def operand_text(operand: Operand) -> str:
    """Return fs:rdi+rcx*8+0x10, the way manuals write an effective address."""
    if operand.rip_relative:
        return "rip+?"
    terms = [operand.base] if operand.base else []
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
    from gdb_epi.digest import sha256_hex

    target = parts.state.target
    address = target.auxv().get(AT_RANDOM)
    try:
        raw = target.read(address, 16) if address else b""
    except UnreadableMemory:
        return None
    # Canaries come from these bytes: only a hash leaves the core.
    return sha256_hex(_SALT + raw)[:16] if any(raw) else None

# SPDX-License-Identifier: Apache-2.0
"""C5 and C6: an instruction that the code does not have, or that cannot fault so."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.types import (
    REGISTER,
    UNKNOWN,
    Evidence,
    Skipped,
    changed_bits,
    word_evidence,
)
from gdb_epi.errors import NOT_AVAILABLE, Absent, UnreadableMemory
from gdb_epi.fault.site import ARITHMETIC, ILLEGAL, NO_FAULT, UNEXPLAINED, Site
from gdb_epi.target.functions import Function
from gdb_epi.x86 import MAX_LENGTH, Instruction
from gdb_epi.x86.length import boundary_after

MAX_DECODED = 1 << 15  # bytes of a function that are decoded from its start


@check("C5", needs="crash")
def entry(context: Context) -> Iterator[Evidence | Skipped]:
    """Tell whether the faulting instruction is one of the function's, decoded from its start.

    Innocent causes: data in the text (jump tables of hand-written assembly), code that jumps
    over a lock prefix (glibc before 2.26); then decoding from the start ends at bytes that are no
    instruction, and nothing is said. Code that was not compiled from a file (JIT) is left out.
    """
    site = context.site
    if isinstance(site, Absent) or site.kind == NO_FAULT or site.arrived:
        return
    pc = site.fault.pc
    function = context.functions.at(pc)
    if function is None:
        yield Skipped("C5", "the function that holds rip is not known (no unwind tables)")
        return
    step = _boundary_after(context, function, pc)
    if isinstance(step, Absent):
        yield Skipped("C5", step.detail)
    elif step != pc:
        summary = (
            f"rip {pc:#x} is inside of the instruction that ends at {step:#x} of the function "
            f"at {function.start:#x}: control came here by a wrong address"
        )
        facts = {"function": hex(function.start)}
        yield Evidence("C5", "rip", None, None, (), UNKNOWN, summary, facts)


def _boundary_after(context: Context, function: Function, pc: int) -> int | Absent:
    """Return the first instruction at or behind an address, from the function's start on."""
    if pc - function.start > MAX_DECODED:
        return Absent(NOT_AVAILABLE, f"rip is more than {MAX_DECODED} bytes into its function")
    try:
        data = context.target.read(function.start, pc - function.start + MAX_LENGTH)
    except UnreadableMemory:
        return Absent(NOT_AVAILABLE, "the function's text is not in the core and no file has it")
    at = boundary_after(data, pc - function.start)
    if at is None:
        return Absent(NOT_AVAILABLE, "the function holds bytes that are no known instruction")
    return function.start + at


@check("C6", needs="crash")
def unexplained(context: Context) -> Iterator[Evidence | Skipped]:
    """Tell whether the instruction can have made the fault that the kernel reports.

    Innocent causes: misaligned vectors, string and gather instructions, privileged ones, and
    addresses that depend on a bit number are known and explained; another thread may have
    unmapped code; text that was changed is check R2's.
    """
    site = context.site
    if isinstance(site, Absent) or site.kind == NO_FAULT:
        return
    if site.instruction is None and not site.arrived:
        if site.kind != ILLEGAL:
            yield Skipped("C6", site.why)
        return
    told = _impossible(site, site.instruction)
    if told is not None:
        yield told


def _impossible(site: Site, one: Instruction | None) -> Evidence | None:
    if one is None:
        return None
    if site.kind == UNEXPLAINED:
        return _by_address(site) or _plain(site.why)
    if site.kind == ARITHMETIC and one.name != "div" and site.fault.code in (1, 2):
        return _plain("SIGFPE of an integer division, but the instruction does not divide")
    if site.kind == ILLEGAL and site.fault.code == 2 and _ordinary(one):
        return _plain("SIGILL, but the instruction is one that every x86-64 CPU has")
    return None


def _ordinary(one: Instruction) -> bool:
    """Whether every CPU runs it: plain integer code without a trap."""
    if one.encoding != "legacy" or one.flow == "trap" or one.privileged:
        return False
    plain = one.map == 0 and (one.opcode < 0x60 or 0x70 <= one.opcode < 0x90)
    return plain or (one.map == 0 and one.opcode in (0xC3, 0xE8, 0xE9, 0xEB, 0xC7))


def _by_address(site: Site) -> Evidence | None:
    """The kernel's address is one bit from that of an operand: the CPU computed it wrong."""
    if site.address is None or site.instruction is None:
        return None
    for operand in site.instruction.operands:
        computed = operand.address(site.fault.registers)
        if computed is not None and len(changed_bits(computed, site.address)) == 1:
            summary = (
                f"the instruction accesses {computed:#018x}, the fault was at "
                f"{site.address:#018x}, one bit from it"
            )
            return word_evidence("C6", "address", site.address, computed, REGISTER, summary)
    return None


def _plain(why: str) -> Evidence:
    return Evidence("C6", "rip", None, None, (), UNKNOWN, why, {})

# SPDX-License-Identifier: Apache-2.0
"""What the instruction that failed had changed itself: only repeated string operations begin.

Every other instruction that fails leaves the registers as they were. `rep movs` and `rep stos`
(memcpy and memset of much, where the CPU is fast at it) stop between two rounds: rdi, rsi and rcx
have moved on by then, and differ from what the code before made them.
"""

from __future__ import annotations

from gdb_epi.corruption.code.preceding_code import Trail
from gdb_epi.corruption.context import Context
from gdb_epi.fault.signals import SIGSEGV
from gdb_epi.fault.site import STRING_BLOCK, FaultSite
from gdb_epi.sizes import PAGE, WORD, WORD_MASK
from gdb_epi.x86 import Instruction
from gdb_epi.x86.flow import CALL_CHANGES, CONSTANT, COPY, changed, produced

NARROW = 0xFFFFFFFF
_NOTHING: frozenset[str] = frozenset()


def moved_on(
    context: Context, site: FaultSite, ran: Trail, registers: dict[str, int]
) -> frozenset[str]:
    """Return the registers that the instruction which failed may have changed before it did."""
    one = site.instruction
    if one is None or not one.repeated or site.arrived:
        return _NOTHING
    counters = changed(one) or _NOTHING
    if _failed_in_the_first_page(context, site) or _still_as_made(ran, registers, counters):
        return _NOTHING
    return counters


def _failed_in_the_first_page(context: Context, site: FaultSite) -> bool:
    """Whether no round can have succeeded, because one before it would have failed too.

    A page is there or not as a whole, so whoever runs into one fails at its edge. Another thread
    may take the page away in the middle, and another process that of a file (SIGBUS).
    """
    if len(context.target.threads()) > 1 or site.fault.signo != SIGSEGV or site.instruction is None:
        return False
    operands = site.instruction.operands if site.operand is None else (site.operand,)
    places = [one.address(site.fault.registers) for one in operands]
    places.append(site.fault.address or site.address)
    return all(at is not None and not _is_at_an_edge(at) for at in places)


def _is_at_an_edge(address: int) -> bool:
    return not STRING_BLOCK <= address % PAGE <= PAGE - STRING_BLOCK


def _still_as_made(ran: Trail, registers: dict[str, int], counters: frozenset[str]) -> bool:
    """Whether one of the registers, which all move together, still holds what it was given.

    A number, or a copy of or for another register: nothing else has to be believed for that.
    """
    gone: set[str] = set()  # changed by what ran later
    for number in range(len(ran.steps) - 1, -1, -1):
        one = ran.steps[number].instruction
        change = CALL_CHANGES if ran.steps_over(number) else changed(one)
        if change is None:
            return False
        if number not in ran.skippable:
            given = (_given(one, name, registers, counters) for name in change)
            if any(names and gone.isdisjoint(names) for names in given):
                return True
        gone |= change
    return False


def _given(
    one: Instruction, name: str, registers: dict[str, int], counters: frozenset[str]
) -> tuple[str, ...]:
    """Return the registers that show that a counter has not moved, or nothing."""
    how = produced(one, name)
    held = registers.get(name)
    if how.kind == CONSTANT and isinstance(how.source, int):
        mask = WORD_MASK if how.size == WORD else NARROW
        return (name,) if name in counters and held == how.source & mask else ()
    if how.kind == COPY and isinstance(how.source, str) and how.size == WORD:
        counted = (name in counters) != (how.source in counters)
        return (name, how.source) if counted and held == registers.get(how.source) else ()
    return ()

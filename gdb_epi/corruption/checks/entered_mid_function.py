# SPDX-License-Identifier: Apache-2.0
"""C7: control came into the middle of a function by a pointer that is one bit from its start."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.corruption.code.code_map import begins_function
from gdb_epi.corruption.code.preceding_code import called_function
from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import MEMORY, REGISTER, Evidence, word_evidence
from gdb_epi.corruption.heap.memory import on_stack, read_words
from gdb_epi.corruption.registry import check
from gdb_epi.errors import Absent
from gdb_epi.fault.find_fault import GENERAL
from gdb_epi.fault.instructions import Step, call_returning_to
from gdb_epi.fault.reads import read_word
from gdb_epi.fault.site import NO_FAULT, FaultSite
from gdb_epi.sizes import WORD
from gdb_epi.target.functions import Function
from gdb_epi.x86 import MAX_LENGTH, Instruction

MAX_FUNCTION = 4096  # bytes; in an interpreter's loop many words name places inside of it
MAX_RUN = 96  # bytes from where control came in to the fault
MAX_WALKED = 256  # the same, behind a return
BELOW = 64  # words below a popped one
COPIES = 2  # of the right pointer: a table or a program's objects hold it, one holds another
POPPED = 16  # words below rsp in which the return address may still lie
MAX_BIT = 12
PLACES = 2
ROWS = 16  # words before and behind one that may be in a table


@check(
    "C7",
    needs="crash",
    order=52,
    innocent_causes=(
        "words that name places inside of functions are return addresses (left out), tables of "
        "labels (functions of more than 4 KiB are left out) and of lines, as symbolisers make "
        "them (left out beside other words of the kind); several candidates argue against each. "
        "C7:copy when other words hold the right pointer, C7:called when the stack shows that the "
        "function that the right return address belongs to had run."
    ),
)
def arrived_inside(context: Context) -> Iterator[Evidence]:
    """Look for the word by which control came into the middle of the function that failed.

    Either a pointer to a place before rip, in a register or in memory, one bit from the start of
    a function; or below rsp a popped word one bit from a return address.
    """
    site = context.site
    if isinstance(site, Absent) or site.kind == NO_FAULT or site.arrived:
        return
    function = context.functions.at(site.fault.pc)
    if function is None or site.fault.pc - function.start > MAX_FUNCTION:
        return
    candidates = [*_by_pointer(context, site, function), *_by_return(context, site, function)]
    for candidate in candidates:
        yield candidate._replace(facts={**candidate.facts, "rivals": len(candidates)})


def _by_pointer(context: Context, site: FaultSite, function: Function) -> Iterator[Evidence]:
    pc = site.fault.pc
    inside: dict[int, list[int]] = {}  # a place in the function -> starts one bit away
    for value in range(max(function.start + 1, pc - MAX_RUN), pc + 1):
        starts = [
            start for bit in range(MAX_BIT) if begins_function(context, start := value ^ 1 << bit)
        ]
        if starts and call_returning_to(context.target, value) is None:
            inside[value] = starts
    context.search_together(list(inside), PLACES)
    for value, starts in inside.items():
        registers = site.fault.registers
        names = [n for n in GENERAL if registers.get(n) == value]
        places = tuple(
            at for at in context.places_of(value, PLACES) if not _in_table(context, at, value)
        )
        if site.fault.origin != "core" and pc - value < MAX_LENGTH:
            continue  # what reported the fault keeps rip, and looks for the instruction before it
        if value == pc:  # signal frames hold it
            places = tuple(at for at in places if not on_stack(context, at))
        if not places and not names:
            continue
        for right in starts:
            copies = len(context.places_of(right, COPIES)) if places else 0
            once = len(places) == 1 and not on_stack(context, places[0])
            summary = (
                f"{value:#018x} is inside of the function that failed, at or before rip, and one "
                f"bit from {right:#018x}, where a function begins"
            )
            yield word_evidence(
                "C7:copy" if once and copies == COPIES else "C7",
                places[0] if places else names[0],
                value,
                right,
                summary,
                path=MEMORY if places else REGISTER,
            )


def _in_table(context: Context, place: int, value: int) -> bool:
    """Whether words beside a place name places inside of functions nearby too."""
    around = read_words(context, place - ROWS * WORD, 2 * ROWS + 1)
    near = (word for word in around if word != value and abs(word - value) < MAX_FUNCTION)
    return any(
        not begins_function(context, word) and call_returning_to(context.target, word) is None
        for word in near
    )


def _by_return(context: Context, site: FaultSite, function: Function) -> Iterator[Evidence]:
    """A return address that one bit moved by a few bytes: the popped word lies below rsp."""
    pc, sp = site.fault.pc, site.fault.sp
    for place in range(sp - 8, sp - 8 * POPPED - 8, -8):
        value = read_word(context.target, place)
        if value is None or not 0 <= pc - value < MAX_WALKED:
            continue
        if not value & 0xFF:
            continue  # a zero written over its lowest byte, as overflows do (seen in 1 of 916)
        if not function.start <= value or call_returning_to(context.target, value) is not None:
            continue
        for bit in range(MAX_BIT):
            right = value ^ 1 << bit
            if context.functions.at(right) != function or right > pc + MAX_WALKED:
                continue
            call = call_returning_to(context.target, right)
            if call is not None:
                summary = (
                    f"the popped word at {place:#018x}, {value:#018x}, is at or before rip, and "
                    f"one bit (bit {bit}) from {right:#018x}, which lies behind a call"
                )
                yield word_evidence(
                    "C7:called" if _had_run(context, right, call, place) else "C7",
                    place,
                    value,
                    right,
                    summary,
                )


def _had_run(context: Context, behind: int, call: Instruction, place: int) -> bool:
    """Whether below a popped word lie return addresses in the function that returned by it."""
    start = called_function(context.target, Step(behind - call.length, call))
    function = context.functions.at(start) if start is not None else None
    if function is None:
        return False
    below = read_words(context, place - WORD * BELOW, BELOW)
    return any(
        function.start < word <= function.end
        and call_returning_to(context.target, word) is not None
        for word in below
    )

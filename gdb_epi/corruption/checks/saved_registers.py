# SPDX-License-Identifier: Apache-2.0
"""R23: registers that functions saved, against what the caller made the same argument from."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.handed_on import Link, leads, links
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.types import MEMORY, UNKNOWN, Evidence, Skipped, word_evidence
from gdb_epi.errors import Absent
from gdb_epi.target.unwind import SAVED, Activation, Unwinder
from gdb_epi.x86.flow import CONSTANT, COPY

MAX_FRAMES = 24  # in a default run: 0.15 milliseconds each
MAX_SWEPT = 256


@check("R23", needs="crash", order=54)
def saved_registers(context: Context) -> Iterator[Evidence | Skipped]:
    """Compare an argument that a function keeps in a register with what its caller made it from.

    Both lie on the stack, in slots that the unwind tables name; the code of both functions says
    that they are equal. One bit differs, and only one of the two words leads anywhere, or is where
    something begins. Innocent causes: code that was changed since, or is not what ran; functions
    that came here by a jump (calls must name the very function); an overrun of the stack: it
    differs in many bits, or leaves a zero as the lowest byte.
    """
    fault = context.fault
    if isinstance(fault, Absent):
        yield Skipped("R23", fault.detail)
        return
    walk = Unwinder(context.target, context.functions).walk(fault.registers)
    frames = list(islice(walk, MAX_SWEPT if context.sweep else MAX_FRAMES))
    if len(frames) < 2:
        yield Skipped("R23", "no unwind table leads out of the innermost function")
        return
    for link in links(context, frames):
        context.counts["arguments kept"] = context.counts.get("arguments kept", 0) + 1
        if (link.held ^ link.expected).bit_count() == 1:
            yield from _judge(context, frames, link)


def _judge(context: Context, frames: list[Activation], link: Link) -> Iterator[Evidence]:
    """Yield the word that leads nowhere when the other one does, or begins nothing."""
    words = (link.held, link.expected)
    held, expected = (leads(context, one) for one in words)
    if held and expected:
        held, expected = (context.things.at(one) is not None for one in words)
    if expected and (not held or link.kind == CONSTANT):
        place = slot_of(frames, link.frame, link.register)
        found, right = link.held, link.expected
    elif held and not expected and link.kind == COPY:
        theirs = frames[link.frame + 1].registers
        name = next((one for one in SAVED if theirs.get(one) == link.expected), None)
        if name is None:
            return
        place = slot_of(frames, link.frame + 1, name)
        found, right = link.expected, link.held
    else:
        return
    if not found & 0xFF and (found ^ right) <= 0xFF:
        return  # as a string that ends one byte too far leaves it
    yield word_evidence(
        "R23",
        place,
        found,
        right,
        UNKNOWN if isinstance(place, str) else MEMORY,
        f"the argument that the call at {link.call:#x} passed is {link.held:#018x} in "
        f"{link.register} of the called function, which only copied it, and {link.expected:#018x} "
        "by what the caller made it from",
    )


def slot_of(frames: list[Activation], number: int, register: str) -> int | str:
    """Return where a frame's register is saved; its name when nothing saved it."""
    for one in reversed(frames[:number]):
        if register in one.slots:
            return one.slots[register]
    return register

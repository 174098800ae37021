# SPDX-License-Identifier: Apache-2.0
"""Registers that the functions of real stacks saved: the walk by unwind tables, and flips (R23)."""

from __future__ import annotations

import pytest
from support.mutate import MutatedTarget
from support.opening import made_or_skip, oldest_or_skip, target_of

from gdb_epi.corruption.checks.saved_on_stack import (
    find_saved_register_slot,
    is_mapped,
    registers_known_from_caller,
    saved_registers,
)
from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import Evidence
from gdb_epi.errors import Absent
from gdb_epi.fault.instructions import call_before
from gdb_epi.process_state import ProcessState
from gdb_epi.target.cfi import Unwinder, UnwoundFrame

MINORS = [(3, 8), (3, 12), (3, 13)]
TOP = 46  # of user addresses
PLACES = 4


def walk(context: Context) -> list[UnwoundFrame]:
    fault = context.fault
    assert not isinstance(fault, Absent)
    return list(Unwinder(context.target, context.functions).walk(fault.registers))


@pytest.mark.parametrize("minor", MINORS, ids="{0[0]}.{0[1]}".format)
def test_flips_of_saved_registers_are_named(minor: tuple[int, int]) -> None:
    target = target_of(made_or_skip(oldest_or_skip(minor), "simple"))
    context = Context(ProcessState(target), sweep=True)
    frames = walk(context)
    for frame in frames[1:]:
        assert call_before(target, frame.pc) is not None, hex(frame.pc)
    assert [frame.cfa for frame in frames] == sorted(frame.cfa for frame in frames)
    arguments = list(registers_known_from_caller(context, frames))
    assert all(argument.held == argument.expected for argument in arguments)
    assert not list(saved_registers(context))
    argument_places = {
        find_saved_register_slot(frames, argument.frame, argument.register)
        for argument in arguments
        if is_mapped(context, argument.held)
    }
    places = sorted(place for place in argument_places if isinstance(place, int))[:PLACES]
    if not places:
        pytest.skip("no function on this stack keeps an argument that the caller has too")
    for place in places:
        word = int.from_bytes(target.read(place, 8), "little")
        bit = next(b for b in range(TOP, 20, -1) if not is_mapped(context, word ^ 1 << b))
        changed = MutatedTarget(target)
        changed.flip(place, bit)
        again = Context(ProcessState(changed), sweep=True)  # type: ignore[arg-type]
        evidence = list(saved_registers(again))
        assert {(sign.where, sign.bits) for sign in evidence if isinstance(sign, Evidence)} == {
            (place, (bit,))
        }

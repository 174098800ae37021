# SPDX-License-Identifier: Apache-2.0
"""The native stack of a greenlet ends where the greenlet began, in real cores."""

from __future__ import annotations

import pytest
from support.interpreters import Interpreter, one_per_minor
from support.opening import made_or_skip, target_of

from gdb_epi.target.cfi import Unwinder
from gdb_epi.target.function_bounds import FunctionBounds
from gdb_epi.target.greenlet_stacks import GreenletStackStarts

ORDINARY = ((3, 9), (3, 12))


@pytest.mark.parametrize(
    "interpreter",
    [
        pytest.param(
            interpreter,
            id=interpreter.id,
            marks=() if interpreter.minor in ORDINARY else pytest.mark.heavy,
        )
        for interpreter in one_per_minor()
        if (3, 9) <= interpreter.minor <= (3, 14)
    ],
)
def test_the_stack_ends_where_the_greenlet_began(interpreter: Interpreter) -> None:
    target = target_of(made_or_skip(interpreter, "greenlet_stack"))
    thread = target.threads()[0]
    switches = GreenletStackStarts(target)
    assert switches
    frames = list(Unwinder(target, FunctionBounds(target)).walk(thread.registers))
    inside = [switches.is_in_greenlet_extension(frame.pc) for frame in frames]
    # Its last calls are those of the extension that started it; none leads out of it again.
    assert inside[-1] and not inside[0]
    assert inside[inside.index(True) :] == [True] * inside.count(True)
    assert 2 <= inside.count(True) <= 6
    # Beyond lies what was left of its thread's older calls: the last frame reaches up to it.
    stack = target.region_at(frames[-1].cfa)
    assert stack is not None and frames[-1].cfa < stack.end


def test_without_the_package_nothing_is_searched() -> None:
    for interpreter in one_per_minor()[:1]:
        target = target_of(made_or_skip(interpreter, "simple"))
        assert not GreenletStackStarts(target)

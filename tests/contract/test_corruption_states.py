# SPDX-License-Identifier: Apache-2.0
"""Thread states, built-in functions and bytecode, flipped in copies of real cores: all named."""

from __future__ import annotations

import pytest
from support.interpreters import one_per_minor
from support.mutate import MutatedTarget
from support.opening import interpreter_or_skip, made_or_skip, target_of

from gdb_epi.corruption.checks.builtin_functions import (
    _builtin_functions_of_module,
    builtin_functions,
)
from gdb_epi.corruption.checks.copies_in_files import (
    _read_running_bytecode,
    check_bytecode_against_pyc,
)
from gdb_epi.corruption.checks.python_frames import (
    interpreter_calls_left_unwound,
    interpreter_of_thread_state,
)
from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import Evidence, NotChecked
from gdb_epi.corruption.files.pyc_files import LoadedPyc, pyc_files
from gdb_epi.corruption.heap.object_walk import ObjectWalk, object_walk
from gdb_epi.corruption.heap.readers import shared_object_search
from gdb_epi.cpython.types import PythonState
from gdb_epi.process_state import ProcessState
from gdb_epi.target.corefile import CoreFileTarget

INTERPRETERS = [pytest.param(i.id, id=i.id) for i in one_per_minor()]
HIGH = 44  # of an address: one that is flipped there is none


def opened(interpreter: str) -> tuple[CoreFileTarget, Context, PythonState]:
    installed = interpreter_or_skip(interpreter)
    target: CoreFileTarget = target_of(made_or_skip(installed, "simple"))
    context = Context(ProcessState(target))
    python = context.state.python
    assert isinstance(python, PythonState)
    return target, context, python


def found_by(check: object, target: object, *, sweep: bool = False) -> list[tuple[object, object]]:
    context = Context(ProcessState(target), sweep=sweep)  # type: ignore[arg-type]
    try:
        evidence = list(check(context))  # type: ignore[operator]
    except NotChecked:
        return []
    return [(sign.where, sign.bits) for sign in evidence if isinstance(sign, Evidence)]


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_the_interpreter_of_a_thread_state(interpreter: str) -> None:
    """One bit of it hides neither the thread nor Python."""
    target, _, python = opened(interpreter)
    assert not found_by(interpreter_of_thread_state, target)
    place = python.threads()[0].address + python.layout.require("PyThreadState", "interp")
    changed = MutatedTarget(target)
    changed.flip(place, HIGH)
    assert found_by(interpreter_of_thread_state, changed) == [(place, (HIGH,))]
    changed.flip(place, HIGH - 1)
    assert not found_by(interpreter_of_thread_state, changed)


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_calls_that_the_stack_has_left(interpreter: str) -> None:
    """As longjmp() leaves them: the list leads below the stack pointer. One bit may do so too."""
    target, context, python = opened(interpreter)
    (thread,) = [thread for thread in python.threads() if thread.crashed]
    layout, sp = python.layout, context.fault.sp  # type: ignore[union-attr]
    first = layout.offset("PyThreadState", "cframe", "current_frame")
    kept = layout.offset("_PyCFrame", "previous")
    if layout.offset("PyThreadState", "cframe") is None:
        kept = layout.offset("_PyInterpreterFrame", "previous")
    if first is None or kept is None:
        pytest.skip("no list of calls")
    assert not found_by(interpreter_calls_left_unwound, target)
    region = target.region_at(sp)
    assert region is not None
    link = 0
    while not region.start <= link < region.end:
        place = link + kept if link else thread.address + first
        link = int.from_bytes(target.read(place, 8), "little")
        if not link:
            pytest.skip("nothing of it is on the stack")
    changed = MutatedTarget(target)
    changed.put(sp - 0x200, target.read(link, 0x100))
    changed.put_word(place, sp - 0x200)
    assert found_by(interpreter_calls_left_unwound, changed) == [(place, ())]
    for bit in range(4, 20):
        flipped = MutatedTarget(target)
        flipped.flip(place, bit)
        assert not found_by(interpreter_calls_left_unwound, flipped), bit


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_the_fields_of_a_built_in_function(interpreter: str) -> None:
    target, context, python = opened(interpreter)
    assert not found_by(builtin_functions, target)
    layout = python.layout
    functions = list(_builtin_functions_of_module(shared_object_search(context), python))
    builtin_len = next(function for function in functions if function.name == "len")
    calls = [function.vectorcall for function in functions]
    assert calls.count(builtin_len.vectorcall) > 4
    for member in ("m_ml", "vectorcall"):
        place = builtin_len.address + layout.require("PyCFunctionObject", member)
        changed = MutatedTarget(target)
        changed.flip(place, HIGH)
        assert found_by(builtin_functions, changed) == [(place, (HIGH,))]
        changed.flip(place, HIGH - 1)
        assert not found_by(builtin_functions, changed)


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_bytecode_is_held_against_the_file(interpreter: str) -> None:
    target, context, _python = opened(interpreter)
    assert not found_by(check_bytecode_against_pyc, target, sweep=True)
    walk = object_walk(context)
    assert isinstance(walk, ObjectWalk)
    codes = []
    for code in [
        _read_running_bytecode(walk.reader, at) for at, kind in walk.visited if kind == "code"
    ]:
        pyc = pyc_files(context).pyc_of_source(code.file) if code else None
        if (
            code
            and isinstance(pyc, LoadedPyc)
            and any(needle in pyc.file.data for needle in code.needles)
        ):
            if pyc_files(context).proof_of_pyc(pyc).holds:
                codes.append(code)
    if not codes:
        pytest.skip("no .pyc of this time of the code that this process reached")
    places = []
    for code in codes:
        changed = MutatedTarget(target)
        changed.flip(code.start & -8, 8 * (code.start % 8) + 8)  # an argument: the first one
        places += found_by(check_bytecode_against_pyc, changed, sweep=True)
        if places:
            assert places == [(code.start & -8, (8 * (code.start % 8) + 8,))]
            changed.flip(code.start & -8, 8 * (code.start % 8) + 9)
            assert not found_by(check_bytecode_against_pyc, changed, sweep=True)
            return
    pytest.fail(f"a changed argument was found in none of {len(codes)} code objects")

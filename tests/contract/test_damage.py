# SPDX-License-Identifier: Apache-2.0
"""Damaged frame links, code objects and stacks in real cores: what is kept, and what is said."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.interpreters import Interpreter, one_per_minor
from support.mutate import MutatedTarget
from support.opening import interpreter_or_skip, made_or_skip, need_core_dumps, target_of

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.runtime.python_state import decode_python
from gdb_epi.cpython.types import PyFrame, PythonState, ThreadState
from gdb_epi.errors import UNREADABLE, Absent
from gdb_epi.locks.fork.signs import read_multiprocessing_child
from gdb_epi.locks.fork.thread_objects import read_main_thread, read_thread_objects
from gdb_epi.target.corefile import CoreFileTarget

INTERPRETERS = [pytest.param(i.id, id=i.id) for i in one_per_minor()]


@pytest.fixture(params=INTERPRETERS)
def victim(request: pytest.FixtureRequest) -> tuple[MutatedTarget, PythonState, ThreadState]:
    """A mutable view of a core, its intact state, and the intact thread that died."""
    need_core_dumps()
    interpreter = interpreter_or_skip(request.param)
    target = MutatedTarget(opened(interpreter))
    python = decode_python(target)
    assert isinstance(python, PythonState)
    thread = next(t for t in python.threads() if t.crashed)
    assert len(thread.frames) >= 4
    assert not any(frame.hole for frame in thread.frames)
    return target, python, thread


def opened(interpreter: Interpreter) -> CoreFileTarget:
    made = made_or_skip(interpreter, "worker")
    return target_of(made)


def again(target: MutatedTarget, thread: ThreadState) -> ThreadState:
    """Decode the changed memory; return the same thread."""
    python = decode_python(target)
    assert isinstance(python, PythonState), python
    return next(t for t in python.threads() if t.address == thread.address)


def link_of(python: PythonState, frame: PyFrame) -> int:
    layout = python.layout
    offset = layout.offset("_PyInterpreterFrame", "previous")
    return frame.address + (
        offset if offset is not None else layout.require("PyFrameObject", "f_back")
    )


def code_slot(python: PythonState, frame: PyFrame) -> int:
    layout = python.layout
    offset = layout.offset("_PyInterpreterFrame", "f_executable.bits", "f_executable", "f_code")
    return frame.address + (
        offset if offset is not None else layout.require("PyFrameObject", "f_code")
    )


def has_datastack(python: PythonState) -> bool:
    return python.layout.offset("PyThreadState", "datastack_chunk") is not None


def names(thread: ThreadState) -> list[str]:
    return [frame.name for frame in thread.frames if frame.hole is None]


LINKS: dict[str, Callable[[int, int], int]] = {
    "garbage": lambda link, frame: 0x4141414141414141,
    "low": lambda link, frame: 0x10,
    "bit 41": lambda link, frame: link ^ 1 << 41,
    "bit 3": lambda link, frame: link ^ 1 << 3,
    "self": lambda link, frame: frame,
    "null": lambda link, frame: 0,
}


@pytest.mark.parametrize("damage", sorted(LINKS))
def test_a_damaged_link_costs_no_stack(victim, damage: str) -> None:
    target, python, thread = victim
    index = 1
    frame = thread.frames[index]
    at = link_of(python, frame)
    target.put_word(at, LINKS[damage](int.from_bytes(target.read(at, 8), "little"), frame.address))
    after = again(target, thread)
    intact = names(thread)
    assert names(after)[: index + 1] == intact[: index + 1]
    if has_datastack(python):
        assert names(after) == intact
        assert any(f.provenance == "datastack" or f.hole for f in after.frames)
        assert after.soft_errors
    elif damage not in ("null", "bit 3"):
        assert any(f.hole for f in after.frames), "the loss must be visible"
        assert after.soft_errors


def test_a_damaged_code_pointer_costs_one_frame(victim) -> None:
    target, python, thread = victim
    target.flip(code_slot(python, thread.frames[1]), 40)
    after = again(target, thread)
    holes = [f for f in after.frames if f.hole is not None]
    assert len(holes) == 1
    intact = names(thread)
    assert names(after) == intact[:1] + intact[2:]


def test_a_damaged_name_costs_nothing(victim) -> None:
    target, python, thread = victim
    if python.layout.offset("PyCodeObject", "co_qualname") is None:
        pytest.skip("before 3.11 a code object has its name only once")
    slot = thread.frames[1].code + python.layout.require("PyCodeObject", "co_name")
    target.flip(slot, 44)
    after = again(target, thread)
    assert names(after) == names(thread)


def test_a_lost_head_is_replaced_by_the_datastack(victim) -> None:
    target, python, thread = victim
    if not has_datastack(python):
        pytest.skip("no data stack before 3.11")
    layout = python.layout
    slot = thread.address + layout.require("PyThreadState", "current_frame", "cframe")
    target.put_word(slot, 0x4242424242424248)
    after = again(target, thread)
    assert names(after) == names(thread)
    assert any(f.hole for f in after.frames)


def test_a_frame_that_a_generator_called_and_that_is_being_cleared_is_no_damage(victim) -> None:
    """It is taken from the chain before it is cleared, and from the data stack after that."""
    target, python, thread = victim
    layout = python.layout
    if not has_datastack(python):
        pytest.skip("frames are objects")
    reader = MemoryReader(target, layout)
    first, second = thread.frames[:2]
    generator = reader.field(thread.address, "PyThreadState", "datastack_top") + 0x400  # unused
    for at in range(0, layout.require("_PyInterpreterFrame", "localsplus"), 8):
        target.put_word(generator + at, reader.u64(second.address + at))
    target.put_word(generator + layout.require("_PyInterpreterFrame", "previous"), second.address)
    target.put_word(link_of(python, first), generator)
    head = layout.offset("PyThreadState", "current_frame")
    if head is None:
        hop = reader.field(thread.address, "PyThreadState", "cframe")
        target.put_word(hop + layout.require("_PyCFrame", "current_frame"), generator)
    else:
        target.put_word(thread.address + head, generator)
    after = again(target, thread)
    assert [f.address for f in after.frames] == [generator, *(f.address for f in thread.frames[1:])]
    assert not any(frame.provenance == "datastack" for frame in after.frames)
    assert not after.soft_errors


def test_two_frames_that_link_to_each_other_end(victim) -> None:
    target, python, thread = victim
    target.put_word(link_of(python, thread.frames[2]), thread.frames[1].address)
    after = again(target, thread)
    assert names(after)[:3] == names(thread)[:3]
    if has_datastack(python):
        assert names(after) == names(thread)
    assert after.soft_errors


def test_a_bad_thread_costs_one_thread(victim) -> None:
    target, python, thread = victim
    others = [t for t in python.threads() if t.address != thread.address]
    assert others
    head = python.layout.require("PyThreadState", "current_frame", "cframe", "frame")
    target.put_word(thread.address + head, 0x4242424242424242)
    decoded = decode_python(target)
    assert isinstance(decoded, PythonState)
    for other in others:
        same = next(t for t in decoded.threads() if t.address == other.address)
        assert same.frames == other.frames


@pytest.mark.parametrize("what", ["unreadable", "cleared"])
def test_a_lost_table_of_modules_is_no_proof_that_none_was_imported(
    victim: tuple[MutatedTarget, PythonState, ThreadState], what: str
) -> None:
    target, python, _thread = victim
    reader = MemoryReader(target, python.layout)
    assert not isinstance(read_thread_objects(reader, python), Absent)
    where = python.layout.offset("PyInterpreterState", "imports.modules", "modules")
    keys_at = python.layout.require("PyDictObject", "ma_keys")
    assert where is not None
    keys = reader.u64(reader.u64(python.interpreters[0].address + where) + keys_at)
    if what == "unreadable":
        target.take_out(keys, keys + 32)
    else:
        target.put(keys, bytes(32))
    for changed in (
        read_main_thread(MemoryReader(target, python.layout), python),
        read_thread_objects(MemoryReader(target, python.layout), python),
        read_multiprocessing_child(MemoryReader(target, python.layout), python),
    ):
        assert isinstance(changed, Absent)
        assert changed.reason == UNREADABLE
        assert "cannot be told" in changed.detail

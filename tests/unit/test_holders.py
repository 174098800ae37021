# SPDX-License-Identifier: Apache-2.0
"""Who is inside `with lock:`, told by bound __exit__ methods in frames."""

from __future__ import annotations

import struct

import pytest
from support.scenes import HEAP, MMAP, PID, crash, state

from gdb_epi.cpython.layout import load
from gdb_epi.cpython.reader import Reader
from gdb_epi.cpython.types import CHAIN, InterpreterState, PyFrame, PythonState, ThreadState
from gdb_epi.errors import Absent
from gdb_epi.locks.holders import Holders, find_holders
from gdb_epi.process_state import ProcessState

LOCK = HEAP + 0x3000
TYPE, DEFINITION, TEXT = HEAP + 0x100, HEAP + 0x400, HEAP + 0x500
FIRST, SECOND = HEAP + 0x600, HEAP + 0x680  # two bound methods
OUTER, INNER = MMAP + 0x2000, MMAP + 0x2080  # two frames of the waiting thread
OTHER = MMAP + 0x2800  # a frame of another thread


def python() -> PythonState:
    layout = load((3, 13))
    assert not isinstance(layout, Absent)

    def frame(at: int, name: str) -> PyFrame:
        return PyFrame(at, 1, name, name, "f.py", 1, "m", "thread", CHAIN, False)

    waiter = ThreadState(
        1, 0, 1, PID, "a", False, True, True, (frame(INNER, "inner"), frame(OUTER, "outer"))
    )
    other = ThreadState(2, 0, 2, PID + 1, "b", False, False, True, (frame(OTHER, "other"),))
    main = InterpreterState(1, 0, (waiter, other))
    return PythonState("3.13.0", 0, layout, 0, "", False, None, (main,))


def process(
    references: dict[int, int], *, name: bytes = b"__exit__", count: int = 1
) -> ProcessState:
    """Two bound methods of one lock; `references` are words of frames that point at them."""
    layout = python().layout
    words = dict(references)
    for method in (FIRST, SECOND):
        words |= {method: count, method + 8: TYPE, method + 16: DEFINITION, method + 24: LOCK}
    words |= {TYPE + layout.require("PyTypeObject", "tp_name"): TEXT, DEFINITION: TEXT + 0x40}
    made = state(crash(6, 0, sender=5), words=words)
    made.target.write(TEXT, b"builtin_function_or_method\0")
    made.target.write(TEXT + 0x40, name + b"\0")
    return made


def holders(made: ProcessState) -> Holders:
    known = python()
    return find_holders(Reader(made.target, known.layout), known, LOCK, PID)


def functions(made: ProcessState) -> list[str]:
    return [holder.function for holder in holders(made).living]


def test_a_frame_further_out_is_inside_the_block() -> None:
    made = process({INNER + 0x50: FIRST, OUTER + 0x50: SECOND})
    assert functions(made) == ["outer"]
    assert holders(made).elsewhere == ()


def test_the_entry_of_a_block_holds_nothing() -> None:
    made = process({INNER + 0x50: FIRST})
    assert functions(made) == []
    assert holders(made).elsewhere == (SECOND,)  # alive, in no living frame


def test_two_blocks_in_the_innermost_frame_are_a_self_deadlock() -> None:
    assert functions(process({INNER + 0x50: FIRST, INNER + 0x58: SECOND})) == ["inner"]


def test_another_threads_block() -> None:
    made = process({INNER + 0x50: FIRST, OTHER + 0x10: SECOND})
    assert [(h.tid, h.function) for h in holders(made).living] == [(PID + 1, "other")]


@pytest.mark.parametrize("changed", [{"name": b"acquire"}, {"count": 0}, {"count": HEAP}])
def test_other_methods_and_freed_objects_do_not_count(changed: dict[str, object]) -> None:
    made = process({INNER + 0x50: FIRST, OUTER + 0x50: SECOND}, **changed)
    assert holders(made) == Holders((), ())


def test_damaged_objects_do_not_stop_the_search() -> None:
    made = process({OUTER + 0x50: SECOND})
    made.target.write(FIRST + 8, struct.pack("<Q", 0x10))
    assert functions(made) == ["outer"]

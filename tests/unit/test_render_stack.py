# SPDX-License-Identifier: Apache-2.0
"""Merged stacks as text: what is folded, what --native and --native-all add."""

from __future__ import annotations

from gdb_epi.cpython.frames.callee import VALUE_STACK, Callee
from gdb_epi.cpython.types import MergedStack, PyFrame, StackFrame
from gdb_epi.render.stack import ALL, FOLDED, NATIVE, stack_lines
from gdb_epi.target.api import NativeFrame


def native(pc: int, function: str | None, evidence: str = "") -> StackFrame:
    frame = NativeFrame(
        pc, 8 * pc, function, "/l/python3.15", None, pc, None, None, False, "normal"
    )
    return StackFrame(frame, None, evidence)


PYTHON = PyFrame(0x50, 1, "f", "C.f", "/a.py", 7, "a", "thread", "chain", True)
STACK = MergedStack(
    1,
    (
        native(1, "time_sleep"),
        native(2, "PyObject_Vectorcall"),
        native(3, None, "entry-frame"),
        StackFrame(None, PYTHON, "entry-frame"),
        native(4, "_start"),
    ),
    None,
    ("1 Python frame is not placed",),
)
CALLEES = {0x50: Callee("time.sleep", "time_sleep", VALUE_STACK)}


def lines(detail: str) -> list[str]:
    return stack_lines(STACK, detail=detail, limit=10, callees=CALLEES)


def test_plumbing_is_folded_by_name_and_by_evidence() -> None:
    assert lines(FOLDED) == [
        "  #0   time_sleep  in python3.15",
        '  #3   py  C.f  "/a.py":7  calling time.sleep',
        "  (3 frames of CPython's own machinery folded; --native shows them)",
        "  (1 Python frame is not placed)",
    ]


def test_native_shows_every_frame() -> None:
    found = lines(NATIVE)
    assert found[2] == "  #2   ??  in python3.15+0x3  (eval loop)"
    assert found[1].endswith("PyObject_Vectorcall  in python3.15") and "_start" in found[4]


def test_native_all_shows_addresses_and_evidence() -> None:
    found = lines(ALL)
    assert found[2].endswith("(eval loop)  pc 0x3 sp 0x18  [eval loop: entry-frame]")
    assert found[3].endswith("calling time.sleep  [frame 0x50, thread; placed by: entry-frame]")

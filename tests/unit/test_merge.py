# SPDX-License-Identifier: Apache-2.0
"""Merging native stacks with Python frames: order, gaps, missing symbols; nothing is lost."""

from __future__ import annotations

from gdb_epi.cpython.merge import merge_stack
from gdb_epi.cpython.types import PyFrame, ThreadState
from gdb_epi.errors import Absent
from gdb_epi.target.api import NativeFrame

EVAL = "_PyEval_EvalFrameDefault"


def native(*names: str) -> list[NativeFrame]:
    return [
        NativeFrame(
            i, i, name, "lib.so", None, i, None, None, False,
            "sentinel" if name == "..." else "normal",
        )
        for i, name in enumerate(names)
    ]  # fmt: skip


def python(text: str) -> ThreadState:
    """`a b | c` is two eval calls: a and b in the inner one, c in the outer."""
    frames = []
    for group in text.split("|"):
        names = group.split()
        for number, name in enumerate(names):
            entry = number == len(names) - 1
            frames.append(PyFrame(1, 1, name, None, "f.py", 1, None, "thread", "chain", entry))
    return ThreadState(1, 0, 1, 1, None, False, False, True, tuple(frames))


def merged(text: str, *names: str) -> str:
    stack = merge_stack(1, python(text), native(*names))
    return " ".join(
        f.python.name if f.python else (f.native.function or "") for f in stack.frames
    ).replace(EVAL, "E")


def test_each_eval_call_takes_its_frames() -> None:
    found = merged("a b | c", "crash", "cfunc", EVAL, "callback", EVAL, "main")
    assert found == "crash cfunc E a b callback E c main"


def test_without_a_symbol_python_stands_behind_the_native_frames() -> None:
    assert merged("a | b", "crash", "cfunc") == "crash cfunc a b"


def test_missing_eval_calls_are_matched_from_the_outside() -> None:
    assert merged("a | b | c", "crash", EVAL, "main") == "crash a b E c main"


def test_more_eval_calls_than_groups() -> None:
    assert merged("a", "crash", EVAL, "call", EVAL, "main") == "crash E call E a main"


def test_parts_of_the_eval_loop_count() -> None:
    found = merged("a", "x", "_PyEval_EvalFrameDefault.cold", "main")
    assert found == "x E.cold a main"


def test_a_gap_takes_what_lies_between() -> None:
    found = merged("a | b | c | d", "crash", EVAL, "...", EVAL, "main")
    assert found == "crash E a ... b c E d main"


def test_no_native_frames() -> None:
    stack = merge_stack(1, python("a b"), Absent("not_available", "no gdb"))
    assert [f.python.name for f in stack.frames if f.python] == ["a", "b"]
    assert stack.native is not None and stack.native.detail == "no gdb"


def test_a_thread_without_python() -> None:
    stack = merge_stack(1, None, native("poll", "main"))
    assert [f.native.function for f in stack.frames if f.native] == ["poll", "main"]

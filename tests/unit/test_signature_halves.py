# SPDX-License-Identifier: Apache-2.0
"""Native frames that nothing backs are no half of a signature."""

from __future__ import annotations

from support.fake_target import FakeTarget

from gdb_epi.cpython.types import MergedFrame, MergedStack
from gdb_epi.errors import Absent
from gdb_epi.signature.drop_sets import load_drop_sets
from gdb_epi.signature.sign import _is_stack_backed_by_no_file
from gdb_epi.signature.tokens import EVAL_LOOP, tokenise
from gdb_epi.target.api import Module, NativeFrame

MISSING = Absent("not_available", "no such file here")


def frame(module: str, function: str | None = None) -> NativeFrame:
    return NativeFrame(0x1000, 0x7000, function, module, None, 0, None, None, False, "normal")


def target(file: str | Absent) -> FakeTarget:
    return FakeTarget(modules=[Module("/lib/libc.so.6", 0, 0, 0x2000, "ab", file)])


def test_guessed_frames_are_no_native_half() -> None:
    assert _is_stack_backed_by_no_file(
        target(MISSING), [frame("/lib/libc.so.6"), frame("/lib/libc.so.6")]
    )


def test_a_name_or_a_file_backs_the_stack() -> None:
    assert not _is_stack_backed_by_no_file(target(MISSING), [frame("/lib/libc.so.6", "memcpy")])
    assert not _is_stack_backed_by_no_file(target("/lib/libc.so.6"), [frame("/lib/libc.so.6")])
    assert not _is_stack_backed_by_no_file(target(MISSING), [])


def test_a_nameless_eval_loop_is_dropped_like_a_named_one() -> None:
    loop = frame("/usr/bin/python3.13")
    calls = [frame("/lib/libx.so", "work"), loop, frame("/usr/bin/python3.13", "main")]
    proven = [MergedFrame(f, None, "entry-frame" if f is loop else "") for f in calls]
    named = [MergedFrame(f._replace(function=EVAL_LOOP) if f is loop else f, None) for f in calls]
    unproven = [MergedFrame(f, None) for f in calls]
    tokens = [
        tokenise(MergedStack(1, tuple(stack), None), load_drop_sets(), lambda _: None).tokens
        for stack in (proven, named, unproven)
    ]
    assert tokens[0] == tokens[1] != tokens[2]
    assert [t.drop_class for t in tokens[0]][1] == "eval-glue"

# SPDX-License-Identifier: Apache-2.0
"""A crash with `-X perf` has the signature that it has without."""

from __future__ import annotations

import shutil

import pytest
from support.interpreters import Interpreter, one_per_minor
from support.opening import made_or_skip
from support.zoo import signed

from gdb_epi.cpython.frames.merged_stack import START

INTERPRETERS = [
    pytest.param(interpreter, id=interpreter.id)
    for interpreter in one_per_minor()
    if interpreter.minor >= (3, 12)
]


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_trampolines_do_not_change_a_signature(interpreter: Interpreter) -> None:
    gdb = shutil.which("gdb")
    if gdb is None:
        pytest.skip("no gdb")
    signed_by_mode = {}
    for name in ("perf-trampolines", "perf-trampolines-off"):
        made = made_or_skip(interpreter, name)
        signed_by_mode[name] = signed(made.core, gdb, interpreter)
    on, off = (process.signature.keys for process in signed_by_mode.values())
    for name in ("stable", "coarse", "native", "python"):  # `strict` keeps every frame
        assert on[name].text == off[name].text
    stack = signed_by_mode["perf-trampolines"].stack
    assert stack is not None
    native = [frame.native.function for frame in stack.frames if frame.native is not None]
    assert START in native, "no trampoline was there"

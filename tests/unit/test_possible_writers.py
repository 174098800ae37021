# SPDX-License-Identifier: Apache-2.0
"""Which native code is named as having perhaps written to some memory, and in which order."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from gdb_epi.fault.own_native_code import possible_writers
from gdb_epi.typing_lite import Any

NUMPY = "/usr/lib/python3.11/site-packages/numpy/core/_multiarray_umath.so"
BLAS = "/opt/deps/numpy.libs/libopenblas-1f2e.so"
OWN, OTHER = "/srv/app/framing.so", "/srv/app/ring.so"


@pytest.mark.parametrize(
    ("mapped", "on_stack", "named"),
    [
        ([NUMPY, OWN], [NUMPY], "framing.so or _multiarray_umath.so"),
        ([NUMPY, BLAS, OTHER, OWN], [OWN], "framing.so, ring.so, _multiarray_umath.so or others"),
        (["/lib/libc.so.6", OWN], [], "framing.so"),
        (["/lib/x86_64-linux-gnu/libresolv.so.2", OWN], [], "framing.so or libresolv.so.2"),
        (["/lib/libc.so.6"], [], ""),
    ],
)
def test_the_programs_own_code_comes_first(
    mapped: list[str], on_stack: list[str], named: str
) -> None:
    target: Any = SimpleNamespace(modules=lambda: [SimpleNamespace(path=path) for path in mapped])
    frames: Any = [SimpleNamespace(module=path) for path in on_stack]
    assert possible_writers(target, frames)[1] == named

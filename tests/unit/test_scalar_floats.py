# SPDX-License-Identifier: Apache-2.0
"""What SSE instructions make of single numbers, as the processor makes it."""

from __future__ import annotations

import math

import pytest

from gdb_epi.x86 import decode
from gdb_epi.x86.scalar_floats import (
    flags_of_float_comparison,
    float_from_bits,
    low_half_after,
    put_float_into_low_half,
    truncated_to_integer,
)


def bits(number: float, *, double: bool = True) -> int:
    return put_float_into_low_half(number, 0, double=double)


@pytest.mark.parametrize(
    ("code", "double", "left", "right", "made"),
    [
        ("f2 0f 58 c1", True, 0.1, 0.2, 0.1 + 0.2),  # addsd xmm0, xmm1
        ("f3 0f 58 c1", False, 16777216.0, 1.0, 16777216.0),  # addss: lost by rounding
        ("f2 0f 5c c1", True, 3.0, 5.0, -2.0),
        ("f2 0f 5e c1", True, 1.0, 0.0, math.inf),
        ("f2 0f 5e c1", True, 1.0, -0.0, -math.inf),
        ("f3 0f 59 c1", False, 3e38, 3e38, math.inf),
        ("f2 0f 51 c1", True, 7.0, 9.0, 3.0),
        ("f2 0f 5d c1", True, math.nan, 4.0, 4.0),  # minsd takes the second one
    ],
)  # fmt: skip
def test_operations(code: str, double: bool, left: float, right: float, made: float) -> None:
    insn = decode(bytes.fromhex(code))
    assert insn is not None
    number = low_half_after(insn, bits(left, double=double), bits(right, double=double))
    assert number is not None
    assert float_from_bits(number, double=double) == made


def test_what_is_not_known_stays_so() -> None:
    add, clear = decode(bytes.fromhex("f2 0f 58 c1")), decode(bytes.fromhex("66 0f ef c0"))
    packed = decode(bytes.fromhex("66 0f 58 c1"))
    assert add is not None and clear is not None and packed is not None
    assert low_half_after(add, None, 1) is None
    assert low_half_after(add, 1, None) is None
    assert low_half_after(packed, 1, 1) is None
    assert low_half_after(clear, None, None) == 0


def test_comparisons() -> None:
    one, two, nan = bits(1.0), bits(2.0), bits(math.nan)
    assert flags_of_float_comparison(one, two, double=True) == 1
    assert flags_of_float_comparison(two, one, double=True) == 0
    assert flags_of_float_comparison(one, one, double=True) == 64
    assert flags_of_float_comparison(one, nan, double=True) == 64 | 4 | 1
    assert truncated_to_integer(bits(-2.7), 4, double=True) == 0xFFFFFFFE
    assert truncated_to_integer(nan, 8, double=True) is None
    assert truncated_to_integer(bits(1e300), 8, double=True) is None

# SPDX-License-Identifier: Apache-2.0
"""How long an operation of whole numbers takes, by their sizes alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gdb_epi.hangs.loops.long_computations import (
    PER_SECOND,
    TOO_LONG,
    LongComputation,
    WholeNumber,
    estimate_function,
    estimate_operator,
)


def number(value: int) -> WholeNumber:
    zeros = (value & -value).bit_length() - 1
    return WholeNumber(value.bit_length(), value.bit_length() - zeros, value)


def seconds(estimates: list[LongComputation]) -> float:
    return max((each.work for each in estimates), default=0) / PER_SECOND


def operator(left: int, sign: str, right: int) -> float:
    return seconds(list(estimate_operator(sign, number(left), number(right))))


def function(name: str, *given: int) -> float:
    return seconds(list(estimate_function(name, [number(each) for each in given])))


# Not worked out while tests are collected: each worker would, for seconds.
# Seconds that pyenv's CPython 3.11.7 took for each on a server of 2023 with 10**9 products a second
@pytest.mark.parametrize(
    ("estimate", "took"),
    [
        (lambda: operator(9, "**", 9**6), 0.065),
        (lambda: operator(7, "**", 10**6), 0.13),
        (lambda: operator(3**10**6, "*", 3**10**6), 0.16),
        (lambda: operator(3**200_000, "//", 3**100_001), 0.033),
        (lambda: function("pow", 7, (1 << 400) - 1, 3**20_000), 0.6),
        (lambda: function("factorial", 200_000), 0.38),
    ],
)
def test_an_estimate_is_below_what_it_took_and_not_far_below(
    estimate: Callable[[], float], took: float
) -> None:
    assert took / 6 < estimate() < took


@pytest.mark.parametrize(
    "estimate",
    [
        lambda: operator(9, "**", 9**9),
        lambda: operator(2**64 - 59, "**", 10**8),
        lambda: function("pow", 10, 10**10),
        lambda: function("pow", 3, 3**10**6, 3**10**6),
        lambda: function("factorial", 10**9),
    ],
)
def test_hours_are_too_long(estimate: Callable[[], float]) -> None:
    assert estimate() > TOO_LONG


@pytest.mark.parametrize(
    "estimate",
    [
        lambda: operator(3, "**", 10**8),
        lambda: operator(2, "**", 10**12),  # a power of two has one digit that is not zero
        lambda: operator(1, "**", 10**15),
        lambda: operator(9, "**", 0),
        lambda: operator(3**10**6, "+", 3**10**6),
        lambda: function("factorial", 10**7),
        lambda: function("pow", 3, 2**4096, 2**4096 - 1),
        lambda: function("len", 10**18),
        lambda: function("pow", 3),
    ],
)
def test_minutes_are_not(estimate: Callable[[], float]) -> None:
    assert estimate() < TOO_LONG

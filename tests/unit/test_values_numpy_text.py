# SPDX-License-Identifier: Apache-2.0
"""Numbers and times as numpy writes them; expectations were taken from numpy 1.24 to 2.5."""

from __future__ import annotations

import random
import struct

import pytest

from gdb_epi.cpython.values.libraries.numpy import (
    complex_text,
    datetime64_text,
    float_text,
    is_float_text_version_dependent,
    is_not_a_time,
    long_double_text,
)


def narrow(value: float, form: str) -> float:
    return float(struct.unpack(form, struct.pack(form, value))[0])


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        (0.1, "f", "0.1"),
        (16777216.0, "f", "16777216.0"),
        (1e16, "f", "1e+16"),
        (3.4028235e38, "f", "3.4028235e+38"),
        (1e-45, "f", "1e-45"),
        (0.0001, "f", "1e-04"),  # as a float32 it is below 0.0001
        (0.0001, "e", "0.0001"),
        (0.00001, "f", "1e-05"),
        (9999999.0, "f", "9999999.0"),
        (-0.0, "f", "-0.0"),
        (0.333, "e", "0.333"),
        (65504.0, "e", "65500.0"),
        (0.1, "d", "0.1"),
        (float("nan"), "f", "nan"),
        (float("-inf"), "e", "-inf"),
    ],
)
def test_shortest_floats(value: float, form: str, text: str) -> None:
    assert float_text(narrow(value, form), form) == text


@pytest.mark.parametrize("form", ["e", "f", "d"])
def test_every_text_gives_its_float_back(form: str) -> None:
    chance = random.Random(form)
    for _ in range(2000):
        raw = chance.randbytes(struct.calcsize(form))
        value = struct.unpack(form, raw)[0]
        if value == value and abs(value) != float("inf"):
            assert narrow(float(float_text(value, form)), form) == value


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        (1e6, "f", "1e+06"),
        (999999.0, "f", "999999.0"),
        (1234567.0, "f", "1.234567e+06"),
        (2000.0, "e", "2e+03"),
        (999.0, "e", "999.0"),
        (1e6, "d", "1000000.0"),
    ],
)
def test_large_floats_have_exponents_since_2_3(value: float, form: str, text: str) -> None:
    assert float_text(value, form, exponents=True) == text


@pytest.mark.parametrize(
    ("mantissa", "rest", "text"),
    [
        (0xC000000000000000, 0x3FFF, "1.5"),
        (0xCCCCCCCCCCCCCCCD, 0x3FFB, "0.1"),
        (0xAAAAAAAAAAAAAAAB, 0x3FFD, "0.33333333333333333334"),
        (0x8E1BC9BF04000000, 0x4034, "1e+16"),
        (0x8E1BC9BF03FFFC00, 0x4034, "9999999999999999.0"),
        (0xD1B71758E219652C, 0x3FF1, "0.0001"),
        (0x8000000000000000, 0x403E, "9.223372036854775808e+18"),
        (0xA4F0636A3204F67C, 16455, "6.085175666886455392e+21"),  # half way, to an even mantissa
        (1, 0, "4e-4951"),
        (0xFFFFFFFFFFFFFFFF, 0x7FFE, "1.189731495357231765e+4932"),
        (0, 0x8000, "-0.0"),
        (0x8000000000000000, 0xFFFF, "-inf"),
        (0xC000000000000000, 0xFFFF, "nan"),
        (0x4000000000000000, 0x3FFF, None),
    ],
)
def test_long_doubles(mantissa: int, rest: int, text: str | None) -> None:
    assert long_double_text(mantissa, rest) == text


def test_what_differs_between_releases_is_told() -> None:
    for value, form in ((1e6, "f"), (1e15, "f"), (-9999999.0, "f"), (1e3, "e"), (65504.0, "e")):
        assert is_float_text_version_dependent(value, form)
    for value, form in ((999999.0, "f"), (1e16, "f"), (999.0, "e"), (1e15, "d"), (0.0, "e")):
        assert not is_float_text_version_dependent(value, form)


def test_complex_numbers() -> None:
    assert complex_text(1.0, -2.0, "d") == "1-2j"
    assert complex_text(0.0, 1.0, "d") == "1j"
    assert complex_text(narrow(0.1, "f"), 3.0, "f") == "0.1+3j"


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0, "Y", "1970"),
        (-1, "M", "1969-12"),
        (1, "W", "1970-01-08"),
        (19782, "D", "2024-02-29"),
        (-1, "h", "1969-12-31T23"),
        (90, "m", "1970-01-01T01:30"),
        (1, "ms", "1970-01-01T00:00:00.001"),
        (1, "ns", "1970-01-01T00:00:00.000000001"),
        (1 << 60, "D", None),
        (5, "as", None),
        (-(1 << 63), "D", "NaT"),
    ],
)
def test_moments(value: int, unit: str, text: str | None) -> None:
    assert datetime64_text(value, unit) == text
    assert is_not_a_time(value) == (text == "NaT")

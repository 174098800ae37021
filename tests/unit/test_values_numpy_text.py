# SPDX-License-Identifier: Apache-2.0
"""Numbers and times as numpy writes them; expectations were taken from numpy 1.24 to 2.2."""

from __future__ import annotations

import random
import struct

import pytest

from gdb_epi.cpython.values_numpy_text import (
    complex_text,
    depends_on_version,
    float_text,
    moment_text,
    not_a_time,
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


def test_what_differs_between_releases_is_told() -> None:
    for value, form in ((1e6, "f"), (1e15, "f"), (-9999999.0, "f"), (1e3, "e"), (65504.0, "e")):
        assert depends_on_version(value, form)
    for value, form in ((999999.0, "f"), (1e16, "f"), (999.0, "e"), (1e15, "d"), (0.0, "e")):
        assert not depends_on_version(value, form)


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
    assert moment_text(value, unit) == text
    assert not_a_time(value) == (text == "NaT")

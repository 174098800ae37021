# SPDX-License-Identifier: Apache-2.0
"""format() and `%` done again: what every CPython does the same, and nothing else."""

from __future__ import annotations

import pytest

from gdb_epi.cpython.values.repr_decoder import Undecodable
from gdb_epi.cpython.values.str_formatting import format_braces, format_percent, format_value


@pytest.mark.parametrize(
    ("value", "spec", "text"),
    [
        (1, ">4", "   1"),
        (True, ">4", "   1"),
        (2.625, ".2f", "2.62"),
        (-5, "=+06", "-00005"),
        (255, "#06x", "0x00ff"),
        (1234567, ",", "1,234,567"),
        (0.25, ".0%", "25%"),
        ("ab", "*^6", "**ab**"),
        ("abcdef", ".3s", "abc"),
        ("a", "\n<3", "a\n\n"),
    ],
)
def test_formats(value: int | float | str, spec: str, text: str) -> None:
    assert format_value(value, spec) == text


@pytest.mark.parametrize(
    ("value", "spec"),
    [
        ("a", "05"),  # an error up to 3.9
        (1, "n"),  # depends on the locale
        (-0.0, "z.1f"),  # 3.11
        (1, "99999"),
        (1.5, "d"),
        ("a", "d"),
        (1, "%Y"),
        (1, "{}"),
    ],
)
def test_formats_that_are_refused(value: int | float | str, spec: str) -> None:
    with pytest.raises(Undecodable):
        format_value(value, spec)


def by_percent(template: str, *values: int | float | str) -> str:
    def text(number: int, wants_repr: bool) -> str:
        return repr(values[number]) if wants_repr else str(values[number])

    return format_percent(template, len(values), text, lambda number: values[number])


@pytest.mark.parametrize(
    ("template", "values"),
    [
        ("%s(%r)", ("a", "b")),
        ("%5s|%-5s|%.1s", ("a", "b", "cd")),
        ("%04d %x %#o %+d", (1, 255, 8, 2)),
        ("%.1f%% %g %e", (0.25, 1e20, 3)),
        ("100%%", ()),
        ("%d", (2.9,)),
    ],
)
def test_percent(template: str, values: tuple[int | float | str, ...]) -> None:
    assert by_percent(template, *values) == template % values


@pytest.mark.parametrize(
    ("template", "values"),
    [
        ("%s", ()),
        ("%s", (1, 2)),
        ("%(name)s", (1,)),
        ("%*d", (1, 2)),
        ("%c", (65,)),
        ("%d", ("a",)),
        ("%x", (1.5,)),
        ("%99999d", (1,)),
        ("100%", ()),
    ],
)
def test_percents_that_are_refused(template: str, values: tuple[int | float | str, ...]) -> None:
    with pytest.raises(Undecodable):
        by_percent(template, *values)


def by_braces(template: str, *values: int | float | str) -> str:
    def text(number: int, conversion: str, spec: str) -> str:
        value = values[number]
        shown = {"r": repr(value), "s": str(value)}.get(conversion)
        return (
            format_value(value if shown is None else shown, spec) if spec else str(shown or value)
        )

    return format_braces(template, len(values), text)


@pytest.mark.parametrize(
    ("template", "values"),
    [
        ("{}({!r})", ("a", "b")),
        ("{1} {0!s:>5} {1:04}", (1, 2)),
        ("{{{}}} {:.2f}", (1, 0.125)),
        ("none", ()),
    ],
)
def test_braces(template: str, values: tuple[int | float | str, ...]) -> None:
    assert by_braces(template, *values) == template.format(*values)


@pytest.mark.parametrize(
    ("template", "values"),
    [
        ("{}", ()),
        ("{} {0}", (1, 2)),
        ("{name}", (1,)),
        ("{0.real}", (1,)),
        ("{0[0]}", ("a",)),
        ("{:{}}", (1, 2)),
        ("{!a}", ("a",)),
        ("}", ()),
    ],
)
def test_braces_that_are_refused(template: str, values: tuple[int | float | str, ...]) -> None:
    with pytest.raises(Undecodable):
        by_braces(template, *values)

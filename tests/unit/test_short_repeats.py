# SPDX-License-Identifier: Apache-2.0
"""An object in many frames is shown with its attributes once."""

from __future__ import annotations

import pytest

from gdb_epi.render.escape import WIDTH
from gdb_epi.render.variables import MAX_VALUE_LINES, shorten_if_shown_before, value_lines

OBJECT = "<app.H object at 0x7f80c0f28ef0> with request=<socket.socket fd=5>, server=7"


def test_an_object_is_shown_with_its_attributes_once() -> None:
    shown: set[str] = set()
    assert shorten_if_shown_before(OBJECT, shown) == OBJECT
    assert shorten_if_shown_before(OBJECT, shown) == "<app.H object at 0x7f80c0f28ef0>, as above"
    assert shorten_if_shown_before(OBJECT.replace("7f80", "7f81"), shown).endswith("server=7"), (
        "another one"
    )
    other = OBJECT.replace("server=7", "server=8")
    assert shorten_if_shown_before(other, shown) == other, "not as above"


@pytest.mark.parametrize(
    "text", ["'tea with 0x10>'", "7", "<app.H object at 0x7f80c0f28ef0>", "''"]
)
def test_other_values_are_shown_each_time(text: str) -> None:
    shown: set[str] = set()
    assert [shorten_if_shown_before(text, shown) for _ in range(2)] == [text, text]


def test_a_long_value_takes_a_few_lines_of_the_screen() -> None:
    """Lines of `gdb-epi stacks --locals` had 1,500 columns: WSGI's environ, data frames."""
    environ = "environ = {" + ", ".join(f"'KEY_{n}': 'value {n}'" for n in range(90)) + "}"
    for text in (environ, f"buffer = {b'x' * 900!r}"):
        lines = value_lines(f"        {text}", most=MAX_VALUE_LINES)
        assert len(lines) == MAX_VALUE_LINES and max(map(len, lines)) <= WIDTH
        assert lines[0].startswith(f"        {text[:40]}") and lines[-1].endswith("...")
        whole = "".join("".join(value_lines(text, most=None)).split())
        assert whole == "".join(text.split()), "nothing is lost where all is asked for"
    assert value_lines("n = 7", most=MAX_VALUE_LINES) == ["n = 7"]

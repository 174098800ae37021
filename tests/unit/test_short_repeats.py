# SPDX-License-Identifier: Apache-2.0
"""An object in many frames is shown with its attributes once."""

from __future__ import annotations

import pytest

from gdb_epi.render.variables import short_repeat

OBJECT = "<app.H object at 0x7f80c0f28ef0> with request=<socket.socket fd=5>, server=7"


def test_an_object_is_shown_with_its_attributes_once() -> None:
    shown: set[str] = set()
    assert short_repeat(OBJECT, shown) == OBJECT
    assert short_repeat(OBJECT, shown) == "<app.H object at 0x7f80c0f28ef0>, as above"
    assert short_repeat(OBJECT.replace("7f80", "7f81"), shown).endswith("server=7"), "another one"
    other = OBJECT.replace("server=7", "server=8")
    assert short_repeat(other, shown) == other, "not as above"


@pytest.mark.parametrize(
    "text", ["'tea with 0x10>'", "7", "<app.H object at 0x7f80c0f28ef0>", "''"]
)
def test_other_values_are_shown_each_time(text: str) -> None:
    shown: set[str] = set()
    assert [short_repeat(text, shown) for _ in range(2)] == [text, text]

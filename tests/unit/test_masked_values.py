# SPDX-License-Identifier: Apache-2.0
"""Secrets are hidden in other texts, and thousands of them cost little."""

from __future__ import annotations

import time
from typing import Any

from gdb_epi.cpython.values.masked_values import MaskedValues


class _Strings:
    """A process whose objects are texts, by their addresses."""

    def __init__(self, *texts: str) -> None:
        self._texts = texts

    def string(self, address: int, _cap: int) -> str:
        return self._texts[address]


def test_the_longest_secret_is_hidden_and_what_repr_makes_of_one() -> None:
    masked, strings = MaskedValues(), _Strings("hunter2-x", "hunter2-x-tail", "it's\nso hidden")
    reader: Any = strings
    for address in range(3):
        masked.note(reader, address, "str")
    assert masked.hide("a hunter2-x-tail b hunter2-x c") == "a *** b *** c"
    assert masked.hide(repr("say it's\nso hidden")) == '"say ***"'


def test_a_secret_that_was_noted_last_costs_as_little_as_the_first() -> None:
    """Rows with a token each are noted and shown in turn."""
    texts = [f"{number:06}{number * 7919:026x}z" for number in range(800)]
    masked, reader = MaskedValues(), _Strings(*texts)
    any_reader: Any = reader
    begun = time.process_time()
    for address, text in enumerate(texts):
        masked.note(any_reader, address, "str")
        assert masked.hide(f"token {text}") == "token ***"
    assert time.process_time() - begun < 1.5

# SPDX-License-Identifier: Apache-2.0
"""Secrets are hidden in other texts, and thousands of them cost little."""

from __future__ import annotations

import json
import time
from typing import Any

from gdb_epi.cpython.values.context import MaskedValues
from gdb_epi.render.report_json import render_report_json
from gdb_epi.report import Report


class _Strings:
    """A process whose objects are texts, by their addresses."""

    def __init__(self, *texts: str) -> None:
        self._texts = texts

    def string(self, address: int, _cap: int) -> str:
        return self._texts[address]

    def is_interned(self, _address: int) -> bool:
        return False


def test_the_longest_secret_is_hidden_and_what_repr_makes_of_one() -> None:
    masked, strings = MaskedValues(), _Strings("hunter2-x", "hunter2-x-tail", "it's\nso hidden")
    reader: Any = strings
    for address in range(3):
        masked.note_secret(reader, address, "str")
    assert masked.mask_secrets_in("a hunter2-x-tail b hunter2-x c") == "a *** b *** c"
    assert masked.mask_secrets_in(repr("say it's\nso hidden")) == '"say ***"'


def test_a_secret_that_was_noted_last_costs_as_little_as_the_first() -> None:
    """Rows with a token each are noted and shown in turn."""
    texts = [f"{number:06}{number * 7919:026x}z" for number in range(800)]
    masked, reader = MaskedValues(), _Strings(*texts)
    any_reader: Any = reader
    begun = time.process_time()
    for address, text in enumerate(texts):
        masked.note_secret(any_reader, address, "str")
        assert masked.mask_secrets_in(f"token {text}") == "token ***"
    assert time.process_time() - begun < 1.5


def secrets_of(*texts: str) -> MaskedValues:
    masked = MaskedValues()
    reader: Any = _Strings(*texts)
    for address in range(len(texts)):
        masked.note_secret(reader, address, "str")
    return masked


def test_a_secret_of_digits_is_masked_but_not_within_an_address() -> None:
    masked = secrets_of("482913", "hunter2-x")
    text = "is '482913', \\n482913, at 0x7f4829130010 and xhunter2-xy"
    assert masked.mask_secrets_in(text) == "is '***', \\n***, at 0x7f4829130010 and x***y"


def test_a_password_that_says_so_is_one_but_no_name_of_a_header() -> None:
    masked = secrets_of("Secret123!", "X-Auth-Token", "access_token", "Bearer")
    assert (
        masked.mask_secrets_in("Secret123! X-Auth-Token access_token")
        == "*** X-Auth-Token access_token"
    )


def test_json_stays_json_when_a_number_equals_a_secret() -> None:
    """`"bytes": 482913` became `"bytes": ***`; a quote or letter that JSON escapes was shown."""
    masked = secrets_of("482913", 'h\u00fcnter"2')
    data: dict[str, Any] = {"bytes": 482913, "text": 'is h\u00fcnter"2 or 482913'}
    shown = json.loads(render_report_json(Report("t", data=data), masked.mask_secrets_in))
    assert shown == {"bytes": 482913, "text": "is *** or ***"}

# SPDX-License-Identifier: Apache-2.0
"""Numbers with their nouns, and probabilities."""

from __future__ import annotations

import pytest

from gdb_epi.render.corruption import _probability_text
from gdb_epi.render.signature_words import signature_phrase_and_key
from gdb_epi.signature.keys import make_key
from gdb_epi.util import add_article, counted, duration_words, natural_sort_key


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [
        (1, "thread state", "1 thread state"),
        (0, "thread state", "0 thread states"),
        (2, "crash", "2 crashes"),
        (1, "crash", "1 crash"),
        (3, "entry", "3 entries"),
        (2, "day", "2 days"),
    ],
)
def test_counted(number: object, noun: str, text: str) -> None:
    assert counted(number, noun) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "< 0.0001"),
        (0.00099, "0.00099"),
        (0.943, "0.94"),
        (0.9978, "0.9978"),
        (1.0, "> 0.9999"),
    ],
)
def test_no_probability_is_shown_as_certain(value: float, text: str) -> None:
    assert _probability_text(value) == text


def test_with_article() -> None:
    assert [add_article(noun) for noun in ("object", "str", "int", "")] == [
        "an object", "a str", "an int", "a ",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("segv-wild f <- g <-- py:__main__.load", "bad pointer in f, in load"),
        ("segv-null f <- g", "NULL pointer, in f"),
        ("segv-null", "NULL pointer"),
        ("killed-external deadlock lock:a py:m.one => lock:b py:m.two", "hung, in m.one"),
        ("killed-external lock:__main__.lk futex <-- py:__main__.f", "waits for lk, in f"),
        ("killed-external task py:__main__.main", "waits for a task, in main"),
        (
            "abort-terminate:E lib.so!? <-- py:m.f",
            "C++ exception (E) in a function of lib.so, in m.f",
        ),
    ],
)
def test_a_signature_is_called_what_it_is_with_its_key(content: str, words: str) -> None:
    key = make_key("stable", content)
    assert signature_phrase_and_key(key.text) == f'"{words}" (key {key.value})'


def test_what_is_no_signature_stays_as_it_is() -> None:
    assert [signature_phrase_and_key(text) for text in ("host=node-7", "*bitflip", "ab12")] == [
        "host=node-7", "*bitflip", "ab12",
    ]  # fmt: skip
    line = "gsig/2 stable segv-null f <-- py:m.g"
    assert (
        signature_phrase_and_key(f"{line} where rsp=8")
        == f"{signature_phrase_and_key(line)}, those with rsp=8"
    )
    assert "key" not in signature_phrase_and_key(f"gsig/2 stable segv-null {'f' * 5_000}")


def test_the_programs_own_function_names_the_place() -> None:
    key = make_key("stable", "segv-null string_at <-- py:ctypes.string_at <- py:__main__.price")
    assert signature_phrase_and_key(key.text).startswith('"NULL pointer in string_at, in price"')
    key = make_key("stable", "segv-null string_at <-- py:ctypes.string_at")
    assert signature_phrase_and_key(key.text).startswith(
        '"NULL pointer in string_at, in ctypes.string_at"'
    )


def test_names_with_numbers_are_in_the_order_of_their_numbers() -> None:
    names = ["h10/core", "h2/core", "h1", "a", "h2"]
    assert sorted(names, key=natural_sort_key) == ["a", "h1", "h2", "h2/core", "h10/core"]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.25, "0.25 s"), (60, "60 s"), (600, "600 s"), (10_000, "10,000 s (2.8 h)"),
     (604_800, "604,800 s (7 days)")],
)  # fmt: skip
def test_long_times_are_said_in_hours_too(seconds: float, words: str) -> None:
    """It was "after 1e+04 s at most"."""
    assert duration_words(seconds) == words

# SPDX-License-Identifier: Apache-2.0
"""How far one content reaches: patterns, numbers in steps, data; what was changed since."""

from __future__ import annotations

import struct

import pytest
from support.fake_target import FakeTarget

from gdb_epi.corruption.heap.content_runs import ContentRun, content_runs
from gdb_epi.target.api import Region

START, SIZE = 0x7F0000000000, 0x1000
AT = 0x400


def runs(content: bytes, place: int = AT, at: int = AT) -> list[ContentRun]:
    """Return the runs through a place of memory with a content at an offset, zeros elsewhere."""
    memory = bytearray(SIZE)
    memory[at : at + len(content)] = content
    region = Region(START, START + SIZE, "rw-p", None, 0, SIZE)
    target = FakeTarget(regions=[region], memory={START: bytes(memory)})
    return list(content_runs(target, START + place))


def extent(run: ContentRun) -> tuple[int, int]:
    return run.start - START, run.end - START


def test_numbers_in_steps_go_on_over_words_that_were_changed_since() -> None:
    words = [struct.pack("<d", 20 + n / 4) for n in range(16)]
    words[9] = struct.pack("<Q", 1)
    run = runs(b"".join(words), AT + 32)[0]
    assert (run.in_step, run.period, extent(run)) == (True, 8, (AT, AT + 128))
    assert "floating-point numbers in equal steps, from 20.0, 20.25, 20.5 on" in run.what


def test_records_step_in_one_of_their_fields() -> None:
    records = b"".join(struct.pack("<iid", n, 3, n * 0.3) for n in range(6))
    run = runs(records, AT + 40)[0]
    assert run.in_step
    assert extent(run)[0] == AT
    assert run.period == 16


def test_a_filling_pattern_is_not_in_step() -> None:
    (run, *_) = runs(b"\x20" * 100, AT + 48)
    assert (run.in_step, run.period, extent(run)) == (False, 1, (AT, AT + 100))


def test_what_lies_amid_zeros_is_no_pattern() -> None:
    assert runs(struct.pack("<Q", 0x123456789ABCDE), AT) == []


def test_a_table_of_pointers_is_no_foreign_content() -> None:
    assert runs(struct.pack("<Q", START + 64) * 20, AT + 80) == []
    objects = struct.pack("<20Q", *[START + 32 * n for n in range(20)])
    assert runs(objects, AT + 80) == []


@pytest.mark.parametrize("few", [2, 3])
def test_a_few_words_are_no_run(few: int) -> None:
    assert (
        runs(struct.pack(f"<{few}Q", *[0x7AB3 * n << 40 | n * n for n in range(3, 3 + few)])) == []
    )


def test_text_is_told_as_text() -> None:
    text = b"The quick brown fox jumps over the lazy dog; pack my box with jugs"
    run = runs(text, AT + 16)[-1]
    assert run.what.startswith("text, b'The quick")
    assert not run.in_step

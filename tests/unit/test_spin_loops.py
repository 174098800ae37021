# SPDX-License-Identifier: Apache-2.0
"""Loops of a spin lock, assembled by GNU as, and loops that only look like one."""

from __future__ import annotations

import pytest

from gdb_epi.locks.spin_loops import Code, word_tested_by_loop
from gdb_epi.x86 import decode

START, WORD = 0x401158, 0x404018
EXCHANGE = "f00fb115b62e0000"  # lock cmpxchg %edx,0x2eb6(%rip)


def loop(code: str) -> Code:
    """Return the instructions of a loop that begins at START."""
    left, at, made = bytes.fromhex(code), START, []
    while left:
        instruction = decode(left)
        assert instruction is not None
        made.append((at, left[: instruction.length], instruction))
        at, left = at + instruction.length, left[instruction.length :]
    return made


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("89d8" + EXCHANGE + "75f4", WORD),  # mov %ebx,%eax; lock cmpxchg; jne
        ("87038503" + "75fa", 0x7000),  # xchg %eax,(%rbx); test %eax,(%rbx); jne
        ("f3908b0385c075f8", 0x7000),  # pause; mov (%rbx),%eax; test %eax,%eax; jne
        ("8b0385c075fa", None),  # the same without a pause: any search may do so
        ("f3908b0301430475f6", None),  # it writes elsewhere
        ("f3908b038b4b0475f6", None),  # it reads two words
        ("83c00183f80a75f8", None),  # it accesses no memory
    ],
)
def test_words_of_loops(code: str, word: int | None) -> None:
    assert word_tested_by_loop(loop(code), {"rbx": 0x7000, "rax": 1}) == word

# SPDX-License-Identifier: Apache-2.0
"""Reading as much as there is: the very prefix that can be read, in few steps."""

from __future__ import annotations

import pytest
from support.fake_target import FakeTarget

from gdb_epi.fault.memory_reads import read_up_to

START = 0x1000


class Counting(FakeTarget):
    """Memory that counts how often it is asked."""

    asked = 0

    def read(self, address: int, size: int) -> bytes:
        self.asked += 1
        return super().read(address, size)


@pytest.mark.parametrize("wanted", [-1, 0, 1, 2, 7, 15, 16, 17, 4096])
@pytest.mark.parametrize("there", [0, 1, 2, 15, 16, 1000])
def test_the_bytes_that_can_be_read(there: int, wanted: int) -> None:
    content = bytes(number % 251 for number in range(there))
    target = FakeTarget(memory={START: content})
    assert read_up_to(target, START, wanted) == content[: max(wanted, 0)]


def test_a_long_function_whose_last_page_is_missing_is_read_in_few_steps() -> None:
    """It was asked for byte by byte from the end: 258,048 reads."""
    target = Counting(memory={START: bytes(4096)})
    assert len(read_up_to(target, START, 1 << 18)) == 4096
    assert target.asked <= 20

# SPDX-License-Identifier: Apache-2.0
"""R24 and M:link: a list of C data in malloc's blocks, one link of which leads to none."""

from __future__ import annotations

import struct

from support.faults import evidence, failed, fault_at
from support.scenes import HEAP, HEAP_SIZE, MMAP

from gdb_epi.corruption.checks.native_structs import dangling_node_links
from gdb_epi.corruption.context import Context

FIELD, LOAD = "488b7810", "488b0f"  # mov 0x10(%rax),%rdi; mov (%rdi),%rcx
TCACHE, SIZE, COUNT = 0x290, 0x30, 200
NODES = [HEAP + TCACHE + 16 + SIZE * number for number in range(COUNT)]
NUMBER, BIT = 51, 12  # the node that should be named, and what is wrong in its name
RIGHT = NODES[NUMBER]
SLOT = NODES[NUMBER - 1]


def listed(
    value: int, words: dict[int, int] | None = None, *, free: int = 0, rest: int = 1
) -> Context:
    """A list of nodes (next, key, data); `value` stands where RIGHT should be.

    The chunk that holds `free` is marked so by the next one. `rest` are nodes that no other names.
    """
    data = bytearray(HEAP_SIZE)
    struct.pack_into("<QQ", data, 0, 0, TCACHE | 1)
    for number, node in enumerate(NODES):
        at = node - HEAP
        following = NODES[number + 1] if number + 1 < COUNT and number % COUNT >= rest - 1 else 0
        struct.pack_into("<QQQQ", data, at - 16, 0, SIZE | 1, following, number + 7)
        struct.pack_into("<Q", data, at + 16, MMAP + 64 * number)
    for node in NODES:
        if node <= free < node + SIZE:
            struct.pack_into("<QQ", data, node - HEAP + SIZE - 16, SIZE, SIZE)
    end = NODES[-1] + SIZE - 16 - HEAP
    struct.pack_into("<QQ", data, end, 0, (HEAP_SIZE - end) | 1)
    struct.pack_into("<Q", data, SLOT - HEAP, value)
    (read,) = struct.unpack_from("<Q", data, value - HEAP + 16)  # through the link
    made = failed(LOAD, fault_at(read), before=FIELD, rax=value, rdi=read)
    made.target.write(HEAP, bytes(data))  # type: ignore[attr-defined]
    for place, word in (words or {}).items():
        made.target.write(place, struct.pack("<Q", word))  # type: ignore[attr-defined]
    return made


def test_the_one_node_that_none_names_is_one_bit_away() -> None:
    wrong = RIGHT ^ 1 << BIT
    assert wrong not in NODES
    (sign,) = evidence(dangling_node_links(listed(wrong)))
    assert (sign.id, sign.where, sign.corrected, sign.bits) == ("R24", SLOT, RIGHT, (BIT,))


def test_a_byte_of_zeros() -> None:
    wrong = RIGHT & ~0xFF00
    assert (wrong ^ RIGHT).bit_count() > 1 and wrong & 0xFF
    (sign,) = evidence(dangling_node_links(listed(wrong)))
    assert (sign.id, sign.where, sign.corrected) == ("M:link", SLOT, RIGHT)


def test_near_misses_say_nothing() -> None:
    wrong = RIGHT ^ 1 << BIT
    assert evidence(dangling_node_links(listed(RIGHT))) == [], "a sound list"
    assert evidence(dangling_node_links(listed(NODES[3]))) == [], "it names a block"
    assert evidence(dangling_node_links(listed(RIGHT ^ 1 << 3))) == [], "so near software errs"
    assert evidence(dangling_node_links(listed(RIGHT ^ 3 << BIT))) == [], "two bits"
    assert evidence(dangling_node_links(listed(wrong, {NODES[9]: RIGHT}))) == [], "another names it"
    assert evidence(dangling_node_links(listed(wrong, free=wrong))) == [], (
        "free memory: a stale link"
    )
    assert evidence(dangling_node_links(listed(wrong, rest=20))) == [], "many that none names"
    assert evidence(dangling_node_links(listed(wrong, {RIGHT + 8: MMAP}))) == [], "of another kind"
    assert evidence(dangling_node_links(listed(wrong, {MMAP + 64: wrong}))) == [], "held twice"

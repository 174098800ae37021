# SPDX-License-Identifier: Apache-2.0
"""The walk over a list of the collector's gives what a plain one gives, damaged or not."""

from __future__ import annotations

import random
import struct
from itertools import count

import pytest
from support.fake_target import FakeTarget

from gdb_epi.cpython.layout.layout import load_layout
from gdb_epi.cpython.memory_reader import (
    FIRST_NODES,
    CircularList,
    MemoryReader,
    why_linked_list_walk_ends,
)
from gdb_epi.errors import UnreadableMemory
from gdb_epi.target.api import Region

START, NODE, TYPE_AT = 0x7F0000000000, 16, 24  # what stands for ob_type lies in the node behind
NOT_MAPPED = 0x1000
WHOLE, TO_NULL, TO_NOTHING = "back to the head", "to NULL", "to no memory"
SIZES = (1, 2, 100, FIRST_NODES - 1, FIRST_NODES, FIRST_NODES + 1, 3 * FIRST_NODES)


def walks(after: list[int], cap: int) -> list[tuple[list[int], list[int], str]]:
    """Return what both walks say of a list whose node N leads to the address `after[N]`."""
    memory = b"".join(struct.pack("<QQ", *each) for each in zip(after, count(1)))
    region = Region(START, START + len(memory), "rw-p", 0, None, len(memory))
    target = FakeTarget(regions=[region], memory={START: memory})
    layout = load_layout((3, 11))
    link = CircularList(START, 0, 3, NODE, TYPE_AT)
    reader = MemoryReader(target, layout)
    return [reader.walk_circular_list(link, cap), plain_walk(reader, link, cap)]


def plain_walk(
    reader: MemoryReader, link: CircularList, cap: int
) -> tuple[list[int], list[int], str]:
    """Return the nodes, their types, and why the walk ended early, by a call for each node."""
    nodes: list[int] = []
    types: list[int] = []
    seen = {link.head}
    try:
        node = reader.u64(link.head + link.next_at) & ~link.flags
        while node != link.head:
            if node in seen or not node or len(nodes) >= cap:
                return (
                    nodes,
                    types,
                    why_linked_list_walk_ends(node, link, cap, repeats=node in seen),
                )
            following = reader.u64(node + link.next_at) & ~link.flags
            seen.add(node)
            nodes.append(node)
            types.append(reader.word(node + link.type_at))
            node = following
    except UnreadableMemory as error:
        return nodes, types, str(error)
    return nodes, types, ""


def in_order(number: int) -> tuple[list[int], list[int]]:
    """Return nodes in an order of their own, the head first, and where each leads: in a ring."""
    order = [0, *random.Random(number).sample(range(1, number + 1), number)]
    after = [0] * (number + 1)
    for place, node in enumerate(order):
        after[node] = START + NODE * order[(place + 1) % len(order)]
    return order, after


@pytest.mark.parametrize("number", SIZES)
@pytest.mark.parametrize("end", [WHOLE, TO_NULL, TO_NOTHING])
def test_a_list_ends(number: int, end: str) -> None:
    order, after = in_order(number)
    if end != WHOLE:
        after[order[-1]] = 0 if end == TO_NULL else NOT_MAPPED
    for cap in (number // 2 + 1, 10 * number + 1):
        fast, plain = walks(after, cap)
        assert fast == plain
        assert (plain[2] == "") == (end == WHOLE and cap >= number)


@pytest.mark.parametrize("number", SIZES)
@pytest.mark.parametrize("share", [0.0, 0.3, 0.999])
def test_a_list_leads_back_into_itself(number: int, share: float) -> None:
    order, after = in_order(number)
    after[order[-1]] = START + NODE * order[1 + int(share * (number - 1))]
    for cap in (number // 2 + 1, 10 * number + 1):
        fast, plain = walks(after, cap)
        assert fast == plain
        assert plain[2]

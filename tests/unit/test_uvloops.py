# SPDX-License-Identifier: Apache-2.0
"""Handles of a libuv loop, by memory written as include/uv.h has it."""

from __future__ import annotations

from support.scenes import HEAP, crash, state
from unit.test_pylock import layout_of

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.running.uvloops import UvLoop, read_uv_loop

LOOP, NATIVE, HANDLES = HEAP + 0x100, HEAP + 0x1000, HEAP + 0x2000
ASYNC, POLL, TCP, TIMER = 1, 8, 12, 13
ACTIVE, CLOSING, INTERNAL = 4, 1, 16


def read(*handles: tuple[int, int, int, int], end: int = NATIVE + 16) -> UvLoop | None:
    """Read a loop with such handles: (type, flags, descriptor, connection callback)."""
    target = state(crash(6, 0, sender=5)).target
    nodes = [HANDLES + 0x100 * number + 32 for number in range(len(handles))]
    following = [*nodes[1:], end]
    words = {
        LOOP + 80: NATIVE, NATIVE: LOOP, NATIVE + 16: nodes[0] if nodes else end,
        NATIVE + 32: 0, NATIVE + 64: 5,
    }  # fmt: skip
    for node, after, (kind, flags, number, connection) in zip(
        nodes, following, handles, strict=True
    ):
        handle = node - 32
        words |= {
            handle + 8: NATIVE, handle + 16: kind, node: after, handle + 88: flags,
            handle + (152 if kind == POLL else 184): number, handle + 224: connection,
        }  # fmt: skip
    for address, word in words.items():
        target.write(address, word.to_bytes(8, "little"))  # type: ignore[attr-defined]
    return read_uv_loop(MemoryReader(target, layout_of((3, 11))), LOOP)


def test_active_handles_of_the_program_count() -> None:
    assert read(
        (ASYNC, ACTIVE | INTERNAL, 0, 0), (ASYNC, ACTIVE, 0, 0), (POLL, ACTIVE, 11, 0),
        (TCP, ACTIVE, 12, 0), (TCP, ACTIVE | CLOSING, 13, 0), (TIMER, ACTIVE, 0, 0),
        (TIMER, 0, 0, 0),
    ) == UvLoop(5, (11, 12), 0, 1, False)  # fmt: skip


def test_a_stream_with_a_callback_for_connections_listens() -> None:
    native = read((TCP, ACTIVE, 12, 0x7F0000001000))
    assert native is not None
    assert native.listening


def test_a_list_that_leads_elsewhere_is_no_loop() -> None:
    assert read((TIMER, ACTIVE, 0, 0), end=HEAP + 0x3000) is None

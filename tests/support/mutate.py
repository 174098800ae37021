# SPDX-License-Identifier: Apache-2.0
"""A target whose memory is another's with some bytes changed."""

from __future__ import annotations

from typing import Any

from gdb_epi.errors import UnreadableMemory


class MutatedTarget:
    """Everything as in `inner`, but for the words put in, and the ranges taken out."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self._bytes: dict[int, int] = {}
        self._gone: list[tuple[int, int]] = []
        self.reads = 0
        self.bytes_read = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def put(self, address: int, data: bytes) -> None:
        """Change bytes."""
        self._bytes.update(enumerate(data, address))

    def put_word(self, address: int, value: int) -> None:
        """Change an 8-byte word."""
        self.put(address, (value & (1 << 64) - 1).to_bytes(8, "little"))

    def flip(self, address: int, bit: int) -> None:
        """Flip one bit of an 8-byte word."""
        word = int.from_bytes(self.read(address, 8), "little")
        self.put_word(address, word ^ 1 << bit)

    def take_out(self, start: int, end: int) -> None:
        """Make a range unreadable."""
        self._gone.append((start, end))

    def read(self, address: int, size: int) -> bytes:
        self.reads += 1
        self.bytes_read += max(size, 0)
        for start, end in self._gone:
            if address < end and address + size > start:
                raise UnreadableMemory(address, size, "taken out by the test")
        data = self._inner.read(address, size)
        if self._bytes:
            changed = [a for a in self._bytes if address <= a < address + size]
            if changed:
                patched = bytearray(data)
                for at in changed:
                    patched[at - address] = self._bytes[at]
                return bytes(patched)
        return data

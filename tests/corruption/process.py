# SPDX-License-Identifier: Apache-2.0
"""Memory of a live process, to read and to damage: /proc/PID/mem and /proc/PID/maps."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

WORD = 8
MAX_SCAN = 64 << 20  # bytes of one mapping that a search reads


class Map(NamedTuple):
    """One line of /proc/PID/maps."""

    start: int
    end: int
    perms: str
    path: str


class Memory:
    """The memory of a process that this one may trace."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._file = os.open(f"/proc/{pid}/mem", os.O_RDWR)

    def close(self) -> None:
        """Let go of the process."""
        os.close(self._file)

    def read(self, address: int, size: int) -> bytes:
        """Return bytes; raises OSError where nothing is mapped."""
        return os.pread(self._file, size, address)

    def word(self, address: int, size: int = WORD) -> int:
        """Return an unsigned integer; raises OSError where nothing is mapped."""
        data = self.read(address, size)
        if len(data) != size:
            raise OSError(f"short read at {address:#x}")
        return int.from_bytes(data, "little")

    def write(self, address: int, data: bytes) -> None:
        """Change bytes, whatever the mapping's permissions are."""
        os.pwrite(self._file, data, address)

    def put(self, address: int, value: int) -> None:
        """Change a word."""
        self.write(address, struct.pack("<Q", value))

    def maps(self) -> list[Map]:
        """Return the mappings as they are now."""
        mappings = []
        for line in Path(f"/proc/{self.pid}/maps").read_text().splitlines():
            parts = line.split(None, 5)
            start, _, end = parts[0].partition("-")
            path = parts[5] if len(parts) > 5 else ""
            mappings.append(Map(int(start, 16), int(end, 16), parts[1], path))
        return mappings

    def find(self, value: int, start: int, size: int) -> list[int]:
        """Return the aligned addresses in a range at which a word lies."""
        data = self.read(start, size)
        needle, at, places = struct.pack("<Q", value), 0, []
        while (at := data.find(needle, at)) >= 0:
            if (start + at) % WORD == 0:
                places.append(start + at)
            at += 1
        return places

    def find_everywhere(self, value: int) -> Iterator[int]:
        """Yield the aligned addresses at which a word lies, in anonymous writable mappings."""
        for region in self.maps():
            anonymous = not region.path or region.path in ("[heap]", "[stack]")
            if region.perms.startswith("rw") and anonymous:
                try:
                    yield from self.find(
                        value, region.start, min(region.end - region.start, MAX_SCAN)
                    )
                except OSError:
                    continue

    def stack_pointer(self) -> int:
        """Return rsp of a thread that waits in a system call."""
        return int(Path(f"/proc/{self.pid}/syscall").read_text().split()[-2], 16)

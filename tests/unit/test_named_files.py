# SPDX-License-Identifier: Apache-2.0
"""Names in a core that GDB would open: pipes and devices are seen wherever they are named."""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from gdb_epi.errors import UnreadableMemory
from gdb_epi.target import elf
from gdb_epi.target.core_notes import MappedFile
from gdb_epi.target.unsafe_file_names import find_unsafe_file_name

BASE, DYNAMIC, DEBUG, FIRST, SECOND, STRINGS = (0x10000 + 0x1000 * n for n in range(6))


class Core:
    """A core with one mapped file and a dynamic linker's list of two names."""

    def __init__(self, mapped: str = "", linked: str = "", execfn: str = "") -> None:
        self._mapped = mapped
        headers = elf.PHDR.pack(elf.PT_PHDR, 4, 64, 64, 0, 112, 112, 8)
        headers += elf.PHDR.pack(elf.PT_DYNAMIC, 6, 0, DYNAMIC - BASE, 0, 32, 32, 8)
        self._memory = {
            BASE + 64: headers,
            DYNAMIC: struct.pack("<qQqQ", 21, DEBUG, 0, 0),
            DEBUG: struct.pack("<i4xQ", 1, FIRST) + bytes(32),
            FIRST: struct.pack("<4Q", BASE, STRINGS + 8, DYNAMIC, SECOND),
            SECOND: struct.pack("<4Q", 0, STRINGS + 16, 0, FIRST),
            STRINGS: (bytes(16) + os.fsencode(linked)).ljust(0x400, b"\0") + os.fsencode(execfn),
        }

    def read(self, address: int, size: int) -> bytes:
        data = self._memory.get(address & -0x1000 if address >= DYNAMIC else BASE + 64, b"")
        at = address & 0xFFF if address >= DYNAMIC else address - BASE - 64
        if at < 0 or at >= 0x800:
            raise UnreadableMemory(address, size)
        return data[at : at + size].ljust(size, b"\0")

    def mapped_files(self) -> Sequence[MappedFile]:
        return [MappedFile(BASE, BASE + 4096, 0, self._mapped)]

    def auxv(self) -> Mapping[int, int]:
        return {3: BASE + 64, 5: 2, 31: STRINGS + 0x400}


@pytest.mark.parametrize("where", ["mapped", "linked", "execfn"])
def test_a_pipe_is_seen_wherever_it_is_named(tmp_path: Path, where: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    expected = "pipe, which the core names, is a named pipe"
    assert find_unsafe_file_name(Core(**{where: str(tmp_path / "pipe")}), None, None) == expected
    assert find_unsafe_file_name(Core(**{where: "/pipe"}), None, f"{tmp_path}/") == expected
    assert find_unsafe_file_name(Core(**{where: "/pipe"}), None, None) is None


def test_the_executable_that_the_user_named_is_looked_at(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    why = find_unsafe_file_name(Core(), str(tmp_path / "pipe"), None)
    assert why == "the executable is a named pipe"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("/dev/ptmx", "is a device"),
        ("/dev/dri/../ptmx", None),
        ("/dev/zero", None),
        ("/proc/self/exe", None),
        ("/tmp", None),
        ("/nowhere/at/all", None),
        ("relative", None),
        ("", None),
    ],
)
def test_devices_that_programs_map_are_no_reason(name: str, why: str | None) -> None:
    reason = find_unsafe_file_name(Core(linked=name), None, None)
    assert (reason or "").endswith(why or "") and (reason is None) == (why is None)


def test_gdb_is_not_led_out_of_the_sysroot(tmp_path: Path) -> None:
    climbing = find_unsafe_file_name(Core(linked="/lib/../../etc/passwd"), None, str(tmp_path))
    assert climbing == "passwd, which the core names, leads out of the sysroot"
    assert (
        find_unsafe_file_name(Core(linked="/opt/bin/../lib/libz.so"), None, str(tmp_path)) is None
    )

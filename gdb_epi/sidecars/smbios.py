# SPDX-License-Identifier: Apache-2.0
"""Memory modules out of the SMBIOS table that the kernel shows to root.

Source: DMTF DSP0134 (SMBIOS 3.7), 6.1 structures, 7.18 Memory Device (type 17).
"""

from __future__ import annotations

import struct

from gdb_epi.lean import NamedTuple

MEMORY_DEVICE = 17
END = 127
MAX_STRUCTURES = 4096
MAX_STRINGS = 64
MAX_TEXT = 64
_EXTENDED_SIZE = 0x7FFF


class Dimm(NamedTuple):
    """One module; sizes in MiB. Texts are None where the firmware left them empty."""

    slot: str | None
    size: int
    manufacturer: str | None
    serial: str | None
    part: str | None


def memory_devices(table: bytes) -> list[Dimm]:
    """Return the modules that are plugged in; what is malformed ends the list."""
    found = []
    at = 0
    for _ in range(MAX_STRUCTURES):
        if at + 4 > len(table):
            break
        kind, length = table[at], table[at + 1]
        if length < 4 or kind == END:
            break
        end = table.find(b"\0\0", at + length)
        if end < 0:
            break
        if kind == MEMORY_DEVICE and length >= 0x1B:
            strings = table[at + length : end].split(b"\0")[:MAX_STRINGS]
            dimm = _dimm(table[at : at + length], strings)
            found += [dimm] if dimm.size else []
        at = end + 2
    return found


def _dimm(data: bytes, strings: list[bytes]) -> Dimm:
    (size,) = struct.unpack_from("<H", data, 0x0C)
    if size == _EXTENDED_SIZE and len(data) >= 0x20:
        size = struct.unpack_from("<I", data, 0x1C)[0] & 0x7FFFFFFF
    elif size == 0xFFFF:  # unknown
        size = 0
    elif size & 0x8000:  # in KiB
        size = (size & 0x7FFF) >> 10

    def text(offset: int) -> str | None:
        number = data[offset]
        if not 0 < number <= len(strings):
            return None
        raw = strings[number - 1][:MAX_TEXT]
        return raw.decode("ascii", "replace").strip() or None

    return Dimm(text(0x10), size, text(0x17), text(0x18), text(0x1A))

# SPDX-License-Identifier: Apache-2.0
"""The .debug_* sections of a file, unpacked where they are compressed."""

from __future__ import annotations

import struct
import zlib

from gdb_epi.target.elf_files import ElfFile
from gdb_epi.target.gdb_like_unwinder import GdbNeeded
from gdb_epi.target.symbols import read_sections

MAX_SECTION = 1 << 28  # bytes of one, unpacked
MAX_STRING, USUAL_STRING = 1 << 14, 128
SHF_COMPRESSED, ELFCOMPRESS_ZLIB = 0x800, 1
_CHDR = struct.Struct("<IIQQ")  # ch_type, ch_reserved, ch_size, ch_addralign
_PIECE = 1 << 16


class DebugSections:
    """The sections of one file; a compressed one is unpacked as far as it is read."""

    def __init__(self, file: ElfFile) -> None:
        self._file = file
        self._places = {section.name: section for section in read_sections(file)}
        self._packed: dict[str, _CompressedSection] = {}
        if b".gnu_debugaltlink" in self._places:
            raise GdbNeeded("debug information of several files")

    def has(self, name: str) -> bool:
        """Tell whether there is such a section."""
        return name.encode() in self._places

    def read(self, name: str, start: int, size: int) -> bytes:
        """Return bytes of a section. Raises GdbNeeded where it has not so many."""
        section = self._places.get(name.encode())
        if section is None or start < 0 or size < 0:
            raise GdbNeeded(f"no {name}")
        if section.flags & SHF_COMPRESSED:
            if name not in self._packed:
                self._packed[name] = _CompressedSection(self._file, section.offset, section.size)
            return self._packed[name].read(start, size)
        if start + size > section.size:
            raise GdbNeeded(f"{name} is short")
        content = self._file.read(section.offset + start, size)
        if len(content) < size:
            raise GdbNeeded(f"{name} is cut off")
        return content

    def size(self, name: str) -> int:
        """Return how many bytes a section has, 0 of one that is not there."""
        section = self._places.get(name.encode())
        if section is None:
            return 0
        if section.flags & SHF_COMPRESSED:
            _, _, size, _ = _CHDR.unpack(self._file.read(section.offset, _CHDR.size))
            return min(int(size), MAX_SECTION)
        return section.size

    def read_string(self, name: str, start: int) -> bytes:
        """Return the string that begins at an offset of a section."""
        room = min(MAX_STRING, self.size(name) - start)
        for size in (min(USUAL_STRING, room), room):  # nearly all are short
            text, end, _ = self.read(name, start, size).partition(b"\0")
            if end:
                return text
        raise GdbNeeded("a string without an end")


class _CompressedSection:
    """A section that zlib has packed."""

    def __init__(self, file: ElfFile, offset: int, size: int) -> None:
        kind, _, self._size, _ = _CHDR.unpack(file.read(offset, _CHDR.size))
        if kind != ELFCOMPRESS_ZLIB or self._size > MAX_SECTION:
            raise GdbNeeded("a section that is packed another way")
        self._file = file
        self._at, self._end = offset + _CHDR.size, offset + size  # of what is still packed
        self._source = b""
        self._unpacking = zlib.decompressobj()
        self._data = bytearray()

    def read(self, start: int, size: int) -> bytes:
        """Unpack as far as it is needed."""
        end = start + size
        if end > self._size:
            raise GdbNeeded("a packed section is short")
        while len(self._data) < end:
            if not self._source:
                self._source = self._file.read(self._at, min(_PIECE, self._end - self._at))
                self._at += len(self._source)
            is_last = not self._source or self._unpacking.eof
            try:
                piece = self._unpacking.decompress(self._source, max(end - len(self._data), _PIECE))
            except zlib.error:
                raise GdbNeeded("a packed section is damaged") from None
            if not piece and is_last:
                raise GdbNeeded("a packed section is cut off")
            self._source = self._unpacking.unconsumed_tail
            self._data += piece
        return bytes(self._data[start:end])

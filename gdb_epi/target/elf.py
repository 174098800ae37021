# SPDX-License-Identifier: Apache-2.0
"""ELF headers by `struct`: just what a core that may be cut off anywhere allows.

pyelftools serves the rest (sections, .symtab, DWARF). It is not used here because it raises on
truncated input and because importing it takes about 105 ms, three times a whole cold triage.
Reference: System V gABI, linux fs/binfmt_elf.c (6.x).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial

from gdb_epi.sizes import PAGE
from gdb_epi.typing_lite import NamedTuple, Protocol

ET_EXEC, ET_DYN, ET_CORE = 2, 3, 4
# Machines that are not read here, but whose cores people have (elf.h).
MACHINES = {
    3: "i386",
    8: "mips",
    20: "ppc",
    21: "ppc64",
    22: "s390",
    40: "arm",
    243: "riscv",
    258: "loongarch",
}
PT_LOAD, PT_DYNAMIC, PT_NOTE, PT_PHDR = 1, 2, 4, 6
PT_GNU_RELRO = 0x6474E552
SHT_SYMTAB, SHT_DYNSYM = 2, 11
STT_SECTION, STT_FILE, STT_TLS = 3, 4, 6  # types of symbols that name no place in code
PF_X = 1
PN_XNUM = 0xFFFF  # the real count is then in sh_info of section header 0
NT_GNU_BUILD_ID = 3

MAX_SEGMENTS = 1_000_000
MAX_HEADERS = 256  # of an object in memory
MAX_PAGES = 96  # first pages of objects whose headers are kept; a process has about 25
MAX_NOTE_BYTES = 256 << 20
MAX_BUILD_ID = 64

EHDR = struct.Struct("<16sHHIQQQIHHHHHH")
PHDR = struct.Struct("<IIQQQQQQ")
_SEGMENT = struct.Struct("<IIQQ8xQQ8x")  # the same, without p_paddr and p_align
NHDR = struct.Struct("<III")
SHDR = struct.Struct("<IIQQQQIIQQ")
SYM = struct.Struct("<IBBHQQ")  # st_name, st_info, st_other, st_shndx, st_value, st_size
DYN = struct.Struct("<qQ")  # d_tag, d_val
MAX_DYNAMIC = 1024  # entries of a dynamic section that are read


class Buffer(Protocol):
    """Bytes that can be sliced: bytes, memoryview or mmap."""

    def __len__(self) -> int: ...
    def __getitem__(self, key: slice, /) -> bytes: ...


class Header(NamedTuple):
    """The fields of an ELF header that are used."""

    type: int
    machine: int
    is_64: bool
    little_endian: bool
    phoff: int
    shoff: int
    phentsize: int
    phnum: int


class Segment(NamedTuple):
    """One program header."""

    type: int
    flags: int
    offset: int
    vaddr: int
    filesz: int
    memsz: int


# A process maps hundreds of files: Segment._make() would count the fields of each row again.
_segment: Callable[[Iterable[int]], Segment] = partial(tuple.__new__, Segment)


class Note(NamedTuple):
    """One ELF note."""

    name: bytes
    type: int
    desc: bytes


def parse_header(data: bytes) -> Header | None:
    """Return the ELF header at the start of `data`, or None when it is not ELF."""
    if len(data) < 20 or data[:4] != b"\x7fELF":
        return None
    is_64, little = data[4] == 2, data[5] == 1
    if not (is_64 and little) or len(data) < EHDR.size:
        kind, machine = struct.unpack_from("<HH" if little else ">HH", data, 16)
        return Header(kind, machine, is_64, little, 0, 0, 0, 0)
    fields = EHDR.unpack_from(data)
    return Header(fields[1], fields[2], True, True, fields[5], fields[6], fields[9], fields[10])


def read_segments(data: Buffer, header: Header) -> Iterator[Segment]:
    """Yield the program headers as far as the bytes go."""
    count = header.phnum
    if count == PN_XNUM:  # more than 65,534 mappings
        section = data[header.shoff : header.shoff + 64]
        count = struct.unpack_from("<I", section, 44)[0] if len(section) == 64 else count
    size = max(header.phentsize, PHDR.size)
    count = min(count, MAX_SEGMENTS)
    if size == PHDR.size:  # nearly always
        raw = data[header.phoff : header.phoff + count * size]
        yield from map(_segment, _SEGMENT.iter_unpack(raw[: len(raw) // size * size]))
        return
    for index in range(count):
        start = header.phoff + index * size
        raw = data[start : start + PHDR.size]
        if len(raw) < PHDR.size:
            return
        kind, flags, offset, vaddr, _paddr, filesz, memsz, _align = PHDR.unpack(raw)
        yield Segment(kind, flags, offset, vaddr, filesz, memsz)


def base_and_headers(page: bytes, start: int) -> tuple[int, tuple[Segment, ...]] | None:
    """Return (load base, program headers) of an ELF object whose first page is `page`."""
    headers = _program_headers_in_page(page)
    if headers is None:
        return None
    first = next((s for s in headers if s.type == PT_LOAD and s.offset == 0), None)
    vaddr = first.vaddr & -PAGE if first else 0
    return start - vaddr, headers


@lru_cache(maxsize=MAX_PAGES)
def _program_headers_in_page(page: bytes) -> tuple[Segment, ...] | None:
    """Return the program headers in a page; of a library they are asked for in core after core."""
    header = parse_header(page)
    if header is None or not header.is_64 or header.phnum > MAX_HEADERS:
        return None
    return tuple(read_segments(page, header))


def read_notes(data: bytes) -> Iterator[Note]:
    """Yield the notes of a PT_NOTE segment; stop at the first that is cut off."""
    position = 0
    while position + NHDR.size <= len(data):
        namesz, descsz, kind = NHDR.unpack_from(data, position)
        name_at = position + NHDR.size
        desc_at = name_at + (namesz + 3 & ~3)
        end = desc_at + descsz
        if end > len(data):
            return
        yield Note(data[name_at : name_at + namesz].rstrip(b"\0"), kind, data[desc_at:end])
        position = desc_at + (descsz + 3 & ~3)


def read_build_id(note_bytes: bytes) -> str | None:
    """Return the GNU build-id in the bytes of a PT_NOTE segment, in hex."""
    for note in read_notes(note_bytes):
        if note.name == b"GNU" and note.type == NT_GNU_BUILD_ID:
            return note.desc[:MAX_BUILD_ID].hex()
    return None

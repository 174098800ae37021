# SPDX-License-Identifier: Apache-2.0
"""glibc before 2.34: threads live in a library of their own, and no dynamic symbol names its lists.

Distributions keep libpthread's .symtab, because libthread_db needs it (nptl_db/structs.def). It is
read here with `struct` alone: one small file, a few milliseconds.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator

from gdb_epi.errors import Absent
from gdb_epi.target.api import Module, Target

MAX_SECTIONS = 4096
MAX_SYMBOLS = 1 << 20
MAX_TABLE = 64 << 20  # bytes of one section
MAX_NAME = 256
_SHT_SYMTAB, _SHT_DYNSYM = 2, 11
_STT_FUNC = 2
_SECTION = struct.Struct("<IIQQQQIIQQ")  # Elf64_Shdr
_SYMBOL = struct.Struct("<IBBHQQ")  # Elf64_Sym


def pthread_symbols(target: Target, names: Collection[str]) -> dict[str, int]:
    """Return the run-time addresses of symbols of libpthread's .symtab.

    Empty where there is no such library, no matching file, or no .symtab (glibc 2.34 and later keep
    an empty libpthread.so.0).
    """
    for module in target.modules():
        if module.path.rpartition("/")[2].startswith("libpthread"):
            return _symbols(module, names)
    return {}


def _symbols(module: Module, names: Collection[str]) -> dict[str, int]:
    if isinstance(module.file, Absent):
        return {}
    wanted = {name.encode(): name for name in names}
    found: dict[str, int] = {}
    try:
        with open(module.file, "rb") as stream:
            for text, value in symtab(stream.read(MAX_TABLE)):
                if text in wanted:
                    found[wanted[text]] = module.base + value
    except (OSError, struct.error, IndexError):
        return {}
    return found


def symtab(image: bytes) -> Iterator[tuple[bytes, int]]:
    """Yield (name, value) of the .symtab of a 64-bit ELF file. Raises struct.error, IndexError."""
    for name, _info, value, _size in _entries(image, (_SHT_SYMTAB,)):
        yield name, value


def functions(path: str, limit: int) -> list[tuple[int, int, str]]:
    """Return (value, size, name) of an ELF file's functions; empty when it cannot be read."""
    try:
        with open(path, "rb") as stream:
            image = stream.read(limit)
        return [
            (value, size, name.decode("utf-8", "replace"))
            for name, info, value, size in _entries(image, (_SHT_SYMTAB, _SHT_DYNSYM))
            if info & 15 == _STT_FUNC and size
        ]
    except (OSError, struct.error, IndexError):
        return []


def _entries(image: bytes, kinds: tuple[int, ...]) -> Iterator[tuple[bytes, int, int, int]]:
    table_at = struct.unpack_from("<Q", image, 40)[0]
    size, count = struct.unpack_from("<HH", image, 58)
    if size != _SECTION.size or count > MAX_SECTIONS:
        return
    sections = [_SECTION.unpack_from(image, table_at + size * n) for n in range(count)]
    for section in sections:
        if section[1] not in kinds:
            continue
        strings_at = sections[section[6]][4]
        start, total = section[4], min(section[5], MAX_SYMBOLS * _SYMBOL.size)
        data = image[start : start + total // _SYMBOL.size * _SYMBOL.size]
        for name, info, _other, index, value, length in _SYMBOL.iter_unpack(data):
            end = image.find(b"\0", strings_at + name, strings_at + name + MAX_NAME)
            if index and end >= 0:
                yield image[strings_at + name : end], info, value, length

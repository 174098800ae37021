# SPDX-License-Identifier: Apache-2.0
"""The ELF objects mapped in a core: load addresses, build-ids, files, symbols.

A file may be mapped more than once. Programs map libraries that run once more, as data:
AddressSanitizer and Rust's backtraces map whole files to find symbols, and such copies often come
to lie below the object that ld.so loaded. Only the parts of the object lie as its program headers
say, and only of it something may be executed.
Reference: glibc 2.42 elf/dl-map-segments.h; Rust 1.80 std::backtrace_rs (mmap of the file).

The dynamic symbols of a mapped ELF object: of the matching file, or of the process' memory.

By PT_DYNAMIC and DT_GNU_HASH, so they work wherever the pages come from.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property

from gdb_epi.errors import NOT_AVAILABLE, Absent, SoftError, UnreadableMemory
from gdb_epi.sizes import PAGE, USER_TOP, WORD, WORD_MASK
from gdb_epi.target import elf
from gdb_epi.target.api import CrashInfo, Module, Region, Thread, Truncation
from gdb_epi.target.auxv import AT_ENTRY, AT_PHDR, AT_SYSINFO_EHDR
from gdb_epi.target.core_notes import MappedFile
from gdb_epi.target.elf_files import ElfFile, FileFinder, open_elf
from gdb_epi.target.symbols import symtab_value
from gdb_epi.typing_lite import NamedTuple, Protocol
from gdb_epi.util import memoized
from gdb_epi.x86 import MAX_LENGTH
from gdb_epi.x86.decode import decode
from gdb_epi.x86.instruction import CALL, JUMP, RETURN

# The files, beside the executable, whose .symtab is asked.
_STATIC_SYMBOLS_IN = ("libpython", "python", "libc.", "libc-", "libpthread", "ld-")
DT_STRTAB, DT_SYMTAB, DT_DEBUG, DT_GNU_HASH = 5, 6, 21, 0x6FFFFEF5

MAX_CHAIN = 100_000
MAX_BLOOM = 1 << 20  # words


def loaded_mappings(
    spans: Sequence[MappedFile],
    first_page: Callable[[int], bytes | None],
    may_execute: Callable[[int], bool],
) -> Sequence[MappedFile]:
    """Return the spans of the object; all of them when nothing tells them apart.

    `spans` are all mappings of one file, by address; `first_page` returns the page at an address,
    `may_execute` whether the mapping there may be executed, as far as that is known. Of an object
    that was loaded twice (dlmopen) they are those of the first.
    """
    starts = [span.start for span in spans if span.offset == 0]
    if not starts or (len(starts) == 1 and spans[0].offset == 0):
        return spans  # nearly always; a copy of a later part of the file lies beside it at most
    loaded, executable_count = spans, 0
    for start in starts:
        page = first_page(start)
        image = elf.base_and_headers(page, start) if page else None
        if image is None:
            continue
        base, segments = image
        places = {  # of what the segments of an object at `base` map, less the offset in the file
            base + (segment.vaddr & -PAGE) - (segment.offset & -PAGE)
            for segment in segments
            if segment.type == elf.PT_LOAD
        }
        parts = [span for span in spans if span.start - span.offset in places]
        executable = sum(may_execute(span.start) for span in parts)
        if executable > executable_count:
            loaded, executable_count = parts, executable
    return loaded


def is_mapped_as_data_only(
    spans: Sequence[MappedFile], segments: Sequence[elf.Segment], may_execute: Callable[[int], bool]
) -> bool:
    """Tell whether a file with code is mapped as data alone: nothing loaded it."""
    code = any(part.type == elf.PT_LOAD and part.flags & elf.PF_X for part in segments)
    return code and not any(may_execute(span.start) for span in spans)


class CoreMemory(Protocol):
    """What is asked of the core: its memory, and what its notes say."""

    files: FileFinder

    def read(self, address: int, size: int) -> bytes: ...
    def region_at(self, address: int) -> Region | None: ...
    def mapped_files(self) -> Sequence[MappedFile]: ...
    def auxv(self) -> Mapping[int, int]: ...
    def threads(self) -> Sequence[Thread]: ...
    def crash(self) -> CrashInfo | Absent: ...
    def truncation(self) -> Truncation: ...


class MappedImage(NamedTuple):
    """A module with what its ELF headers in memory say."""

    module: Module
    segments: tuple[elf.Segment, ...]
    elf_file: ElfFile | Absent


class Modules:
    """The mapped ELF objects of one core; computed on first use."""

    def __init__(self, target: CoreMemory) -> None:
        self._target = target
        self._tables: list[tuple[int, GnuHashTable]] = []
        self._without_table: Iterator[str] | None = None  # paths of modules not yet looked at

    # -- files that stand in for elided pages -----------------------------------------------

    def file_bytes(self, region: Region, address: int, size: int) -> bytes:
        """Return bytes of a mapping that the core does not hold, from the matching file.

        Raises UnreadableMemory for writable mappings (their contents may have differed from the
        file), for anonymous ones, and when no file has the core's build-id.
        """
        if region.path is None or "w" in region.perms:
            why = "not in the core" if region.dumped == 0 else "cut off from the core"
            raise UnreadableMemory(address, size, why)
        file = self.matching_local_file(region.path)
        if isinstance(file, Absent):
            raise UnreadableMemory(address, size, f"not in the core; {file.detail}")
        content = file.read(region.file_offset + address - region.start, size)
        if len(content) < size:  # the last page of a file mapping is zero-filled by the kernel
            if size - len(content) >= PAGE:
                raise UnreadableMemory(address, size, f"beyond the end of {file.path}")
            content += bytes(size - len(content))
        return content

    @memoized
    def matching_local_file(self, path: str) -> ElfFile | Absent:
        """Return the file on this machine with the build-id that the core has for `path`."""
        build_id = self._build_id(path)
        file = self._target.files.find_by_build_id(path, build_id, path == self._exe_path())
        if build_id is None and isinstance(file, Absent):
            file = self._file_by_first_page(path) or self._file_by_failed_access(path) or file
        return file

    def _file_by_first_page(self, path: str) -> ElfFile | None:
        """Return the file whose first page and dynamic section are those in the core.

        Wheels that patchelf rewrote keep their build-id in a page at the end, which is never
        written and so not dumped (numpy 2.3). The program headers give the size of everything,
        the dynamic section the place and size of every table: another build that agrees in both
        is not known.
        """
        headers, page = self._load_base_and_headers(path), self._first_page(path)
        if headers is None or page is None:
            return None
        base, segments = headers
        segment = next((s for s in segments if s.type == elf.PT_DYNAMIC), None)
        held = self._read_dumped(base + segment.vaddr, segment.filesz) if segment else None
        if segment is None or not held or segment.filesz > elf.MAX_DYNAMIC * elf.DYN.size:
            return None
        for file in self._target.files.open_candidates(path, path == self._exe_path()):
            wanted = file.read(segment.offset, segment.filesz)
            if file.read(0, len(page)) == page and dynamic_section_matches(wanted, held, base):
                return file
        return None

    def _file_by_failed_access(self, path: str) -> ElfFile | None:
        """Return the file whose instruction at the program counter makes the access that failed.

        For the object whose first page was cut off with the end of the core. Its segments must be
        those that were mapped, too: another build seldom agrees in their sizes, and then has
        another instruction there, which by chance alone makes that very address of the registers.
        """
        thread, crash = next(iter(self._target.threads()), None), self._target.crash()
        if self._first_page(path) or thread is None or isinstance(crash, Absent):
            return None
        spans = {span.offset: span for span in self._mappings_of_path(path)}
        code = next((s for s in spans.values() if s.start <= thread.pc < s.end), None)
        if code is None or not self._target.truncation().truncated:
            return None
        for file in self._target.files.open_candidates(path, path == self._exe_path()):
            image = elf.base_and_headers(file.read(0, PAGE), 0)
            loads = [part for part in image[1] if part.type == elf.PT_LOAD] if image else []
            sizes = {part.offset & -PAGE: part.offset % PAGE + part.filesz for part in loads}
            same = all(at in spans for at in sizes)
            if not same or -(-sizes.get(code.offset, 0) // PAGE) * PAGE != code.end - code.start:
                continue
            at = code.offset + thread.pc - code.start
            if self._makes_failed_access(file.read(at, MAX_LENGTH), thread.registers, crash):
                return file
        return None

    def _makes_failed_access(
        self, code: bytes, registers: Mapping[str, int], crash: CrashInfo
    ) -> bool:
        """Whether an instruction accesses, or jumps to, the address that the kernel named.

        It names none that is not canonical.
        """
        instruction = decode(code)
        accessed = (
            [operand.address(registers) for operand in instruction.operands] if instruction else []
        )
        if instruction is not None and instruction.flow in (CALL, JUMP, RETURN) and accessed:
            held = self._read_dumped(accessed[0] or 0, WORD)
            accessed = [int.from_bytes(held, "little")] if held else []
        if crash.fault_address:
            return crash.fault_address in accessed
        return any(address and USER_TOP <= address < -USER_TOP & WORD_MASK for address in accessed)

    def check_executable(self) -> SoftError | None:
        """Say when the executable that the user named is not the one that died.

        The message names no path of this machine: it goes into the record.
        """
        named = self._target.files.exe
        path = self._exe_path()
        if named is None:
            return None
        if path is None:
            return SoftError("executable", "--exe", "the core does not say which one it ran")
        expected = self._build_id(path)
        file = open_elf(named)
        if isinstance(file, Absent):
            return SoftError("executable", "--exe", "the file that was named is no ELF file")
        if expected is None:
            return SoftError("executable", "--exe", "the core holds no build-id to compare with")
        if file.build_id != expected:
            here = f"build-id {(file.build_id or 'none')[:16]}"
            why = f"it is of another build ({here}) than {path}, which ran ({expected[:16]})"
            return SoftError("executable", "--exe", f"{why}: it was not used")
        return None

    def _mappings_of_path(self, path: str) -> Sequence[MappedFile]:
        return self._mappings_by_path.get(path, [])

    @cached_property
    def _mappings_by_path(self) -> dict[str, Sequence[MappedFile]]:
        by_path: dict[str, list[MappedFile]] = {}
        for entry in self._target.mapped_files():
            by_path.setdefault(entry.path, []).append(entry)
        return {
            path: loaded_mappings(spans, self._dumped_page, self._is_in_executable_mapping)
            for path, spans in by_path.items()
        }

    def _dumped_page(self, address: int) -> bytes | None:
        return self._read_dumped(address, PAGE)

    def _is_in_executable_mapping(self, address: int) -> bool:
        region = self._target.region_at(address)
        return region is not None and ("x" in region.perms or "?" in region.perms)

    def _read_dumped(self, address: int, size: int) -> bytes | None:
        region = self._target.region_at(address)
        if region is None or address + size > region.start + region.dumped:
            return None
        return self._target.read(address, size)

    @memoized
    def _load_base_and_headers(self, path: str) -> tuple[int, tuple[elf.Segment, ...]] | None:
        """Return (load base, program headers) from dumped memory, or None."""
        start = self._address_of_first_page(path)
        page = self._first_page(path)
        return None if start is None or page is None else elf.base_and_headers(page, start)

    def _address_of_first_page(self, path: str) -> int | None:
        return next((span.start for span in self._mappings_of_path(path) if span.offset == 0), None)

    def _first_page(self, path: str) -> bytes | None:
        start = self._address_of_first_page(path)
        return self._dumped_page(start) if start is not None else None

    def _build_id(self, path: str) -> str | None:
        headers = self._load_base_and_headers(path)
        return self._build_id_in_notes(*headers) if headers else None

    def _build_id_in_notes(self, base: int, segments: Sequence[elf.Segment]) -> str | None:
        """Return the build-id of an object's dumped notes."""
        for segment in segments:
            if segment.type == elf.PT_NOTE:
                raw = self._read_dumped(base + segment.vaddr, min(segment.filesz, PAGE))
                build_id = elf.read_build_id(raw) if raw else None
                if build_id:
                    return build_id
        return None

    def _exe_path(self) -> str | None:
        auxv = self._target.auxv()
        address = auxv.get(AT_PHDR) or auxv.get(AT_ENTRY)
        region = self._target.region_at(address) if address else None
        return region.path if region else None

    # -- modules ------------------------------------------------------------------------------

    def all_modules(self) -> Sequence[Module]:
        """Return every mapped ELF object, the executable first, then by address."""
        return [image.module for image in self._all_images().values()]

    @memoized
    def _all_images(self) -> dict[str, MappedImage]:
        named = {path: self._mapped_image(path) for path in self._mapped_paths()}
        images = {path: image for path, image in named.items() if image is not None}
        vdso = self._vdso()
        return images if vdso is None else {**images, vdso.module.path: vdso}

    def _mapped_paths(self) -> list[str]:
        """Return the mapped files, the executable first."""
        exe = self._exe_path()
        paths = list(dict.fromkeys(entry.path for entry in self._target.mapped_files()))
        return sorted(paths, key=lambda path: path != exe)

    @memoized
    def _mapped_image(self, path: str) -> MappedImage | None:
        spans = self._mappings_of_path(path)
        headers = self._load_base_and_headers(path)
        elf_file = self.matching_local_file(path)
        local_path = elf_file.path if isinstance(elf_file, ElfFile) else elf_file
        start, end = min(span.start for span in spans), max(span.end for span in spans)
        if headers is None:
            # Without its first page we cannot know the file; say so only for objects with code.
            if not any(self._is_in_executable_mapping(span.start) for span in spans):
                return None
            return MappedImage(Module(path, start, start, end, None, local_path), (), elf_file)
        base, segments = headers
        if is_mapped_as_data_only(spans, segments, self._is_in_executable_mapping):
            return None
        module = Module(path, base, start, end, self._build_id_in_notes(base, segments), local_path)
        return MappedImage(module, segments, elf_file)

    def _vdso(self) -> MappedImage | None:
        start = self._target.auxv().get(AT_SYSINFO_EHDR)
        region = self._target.region_at(start) if start else None
        page = self._dumped_page(start) if start and region else None
        image = elf.base_and_headers(page, start) if start and page else None
        if region is None or image is None:
            return None
        base, segments = image
        build_id = self._build_id_in_notes(base, segments)
        absent = Absent(NOT_AVAILABLE, "the vDSO is part of the kernel")
        module = Module("linux-vdso.so.1", base, region.start, region.end, build_id, absent)
        return MappedImage(module, segments, absent)

    # -- symbols ------------------------------------------------------------------------------

    @memoized
    def symbol(self, name: str) -> int | None:
        """Return the address of a symbol: dynamic ones first, then .symtab of the files."""
        address = self.dynamic_symbol(name)
        return self._static_symbol(name) if address is None else address

    def dynamic_symbol(self, name: str) -> int | None:
        """Return the address of a dynamic symbol."""
        wanted = name.encode()
        hashed = gnu_hash(wanted)
        for base, table in self._symbol_tables():
            try:
                address = table.address(wanted, hashed)
            except (UnreadableMemory, struct.error):
                continue
            if address is not None:
                return base + address
        return None

    def _symbol_tables(self) -> Iterator[tuple[int, GnuHashTable]]:
        """Yield (base, dynamic symbols) of each module, libpython's first.

        Most questions are about that one, and opening thirty files costs 10 ms.
        """
        yield from self._tables
        if self._without_table is None:
            paths = sorted(self._mapped_paths(), key=lambda path: "libpython" not in path)
            self._without_table = iter(paths)
        for path in self._without_table:
            image = self._mapped_image(path)
            if image is None:
                continue
            file, base = image.elf_file, image.module.base
            table = symbol_table_of_file(file) if isinstance(file, ElfFile) else None
            if table is None:
                try:
                    table = open_symbol_table(self._target, base, image.segments)
                except (UnreadableMemory, struct.error):
                    continue
                base = 0  # its symbols have the addresses of the process
            if table is not None:
                self._tables.append((base, table))
                yield base, table

    def _static_symbol(self, name: str) -> int | None:
        """Return the address of a symbol in .symtab of the executable, CPython or the C library.

        Nothing else is asked for. In another library a static `list_lock` is another thing, and
        the tables are large (PyTorch: 76 MB of names).
        """
        entry = self._target.auxv().get(AT_ENTRY, 0)  # of the executable
        for path, image in self._all_images().items():
            module = image.module
            asked = path.rpartition("/")[2].startswith(_STATIC_SYMBOLS_IN)
            if isinstance(image.elf_file, ElfFile) and (
                asked or module.start <= entry < module.end
            ):
                value = symtab_value(image.elf_file, name)
                if value:
                    return module.base + value
        return None

    def section(self, module: Module, name: str) -> tuple[int, int] | None:
        """Return (address, size) of a section of the module's file."""
        if isinstance(module.file, Absent):
            return None
        try:
            from elftools.common.exceptions import ELFError
            from elftools.elf.elffile import ELFFile
        except ImportError:  # inside a GDB without our packages; `epi doctor` says so
            return None
        try:
            with open(module.file, "rb") as stream:
                section = ELFFile(stream).get_section_by_name(name)
                if section is None:
                    return None
                return module.base + int(section["sh_addr"]), int(section["sh_size"])
        except (ELFError, OSError, struct.error):
            return None


class ReadableMemory(Protocol):
    """What is asked of the process: its memory."""

    def read(self, address: int, size: int) -> bytes: ...


def dynamic_section_matches(file: bytes, memory: bytes, base: int) -> bool:
    """Tell whether a dynamic section in memory is that of a file.

    ld.so adds the load address to the pointers among the values and stores one of its own after
    DT_DEBUG; nothing else changes.
    """
    if len(file) != len(memory) or len(file) % elf.DYN.size:
        return False
    pairs = zip(elf.DYN.iter_unpack(file), elf.DYN.iter_unpack(memory), strict=True)
    return all(
        tag == held_tag and (held in (value, value + base) or tag == DT_DEBUG)
        for (tag, value), (held_tag, held) in pairs
    )


def gnu_hash(name: bytes) -> int:
    """Return the hash of DT_GNU_HASH tables."""
    value = 5381
    for byte in name:
        value = (value * 33 + byte) & 0xFFFFFFFF
    return value


def read_dynamic_section(
    target: ReadableMemory, base: int, segments: Sequence[elf.Segment]
) -> dict[int, int]:
    """Return an object's dynamic section by tags. Raises UnreadableMemory."""
    segment = next((s for s in segments if s.type == elf.PT_DYNAMIC), None)
    if segment is None:
        return {}
    size = min(segment.memsz, elf.MAX_DYNAMIC * elf.DYN.size) // elf.DYN.size * elf.DYN.size
    entries = dict(elf.DYN.iter_unpack(target.read(base + segment.vaddr, size)))
    # ld.so relocates these pointers in place, except where the section is read-only (vDSO).
    for tag in (DT_STRTAB, DT_SYMTAB, DT_GNU_HASH):
        if 0 < entries.get(tag, 0) < base:
            entries[tag] += base
    return entries


class GnuHashTable(NamedTuple):
    """An object's DT_GNU_HASH table, and where the symbols and names are that it leads to.

    `base` is the load base; the addresses are those of the process.
    """

    target: ReadableMemory
    base: int
    symbols: int
    names: int
    buckets: int
    bucket_count: int
    first: int  # index of the first symbol that has a hash
    bloom: memoryview  # words in which two bits are set of each name that there is
    shift: int

    def address(self, name: bytes, hashed: int) -> int | None:
        """Return the address of a symbol, whose `gnu_hash` is given.

        Raises UnreadableMemory when the tables are neither in the core nor in a matching file.
        """
        bits = self.bloom[(hashed >> 6) % len(self.bloom)]
        if not bits >> (hashed & 63) & bits >> (hashed >> self.shift & 63) & 1:
            return None
        read = self.target.read
        bucket = read(self.buckets + 4 * (hashed % self.bucket_count), 4)
        index = int.from_bytes(bucket, "little")
        if index < self.first:
            return None
        chains = self.buckets + 4 * (self.bucket_count - self.first)
        for number in range(index, index + MAX_CHAIN):
            entry = int.from_bytes(read(chains + 4 * number, 4), "little")
            if entry | 1 == hashed | 1:
                symbol = read(self.symbols + number * elf.SYM.size, elf.SYM.size)
                st_name, _, _, shndx, value, _ = elf.SYM.unpack(symbol)
                ended = name + b"\0"
                if shndx and read(self.names + st_name, len(ended)) == ended:
                    return self.base + int(value)
            if entry & 1:
                return None
        return None


def open_symbol_table(
    target: ReadableMemory, base: int, segments: Sequence[elf.Segment]
) -> GnuHashTable | None:
    """Return the dynamic symbols of an object; None when it has no hash table of them.

    Raises UnreadableMemory when the tables are neither in the core nor in a matching file.
    """
    dynamic = read_dynamic_section(target, base, segments)
    if not all(tag in dynamic for tag in (DT_STRTAB, DT_SYMTAB, DT_GNU_HASH)):
        return None
    table = dynamic[DT_GNU_HASH]
    bucket_count, first, bloom_size, shift = struct.unpack("<4I", target.read(table, 16))
    if not bucket_count or not 0 < bloom_size < MAX_BLOOM:
        return None
    bloom = memoryview(target.read(table + 16, 8 * bloom_size)).cast("Q")
    buckets = table + 16 + 8 * bloom_size
    symbols, names = dynamic[DT_SYMTAB], dynamic[DT_STRTAB]
    return GnuHashTable(target, base, symbols, names, buckets, bucket_count, first, bloom, shift)


class _FileImage(NamedTuple):
    """The bytes of an ELF file as they would lie in memory from address 0 on.

    Not the file itself: that keeps the table which is read from here, and circles stay for ever.
    """

    data: mmap.mmap
    segments: Sequence[elf.Segment]

    def read(self, address: int, size: int) -> bytes:
        """Return bytes that the file has for an address. Raises UnreadableMemory."""
        for part in self.segments:
            within = address - part.vaddr
            if part.type == elf.PT_LOAD and 0 <= within <= part.filesz - size:
                return self.data[part.offset + within : part.offset + within + size]
        raise UnreadableMemory(address, size, "not in the file")


def symbol_table_of_file(file: ElfFile) -> GnuHashTable | None:
    """Return the dynamic symbols of a file, as if its load base were 0; opened once for all cores.

    None when it has no hash table of them.
    """
    if symbol_table_of_file not in file.kept:
        table = None
        _, segments = elf.base_and_headers(file.read(0, PAGE), 0) or (0, ())
        with suppress(UnreadableMemory, struct.error):
            table = open_symbol_table(_FileImage(file.data, segments), 0, segments)
        file.kept[symbol_table_of_file] = table
    kept: GnuHashTable | None = file.kept[symbol_table_of_file]
    return kept

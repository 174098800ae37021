# SPDX-License-Identifier: Apache-2.0
"""CoreFileTarget: a core file without GDB.

Every byte it returns is either in the core (`dumped`), or was left out by the kernel from a
mapping that cannot be written and comes from a file with the same build-id (`file`).
"""

from __future__ import annotations

import mmap
import os
import stat
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter
from struct import Struct

from gdb_epi.errors import (
    NOT_AVAILABLE,
    UNREADABLE,
    Absent,
    InputError,
    SoftError,
    UnreadableMemory,
)
from gdb_epi.machine import ARCHITECTURES
from gdb_epi.sizes import PAGE, WORD
from gdb_epi.target import elf
from gdb_epi.target.api import (
    ABSENT,
    DUMPED,
    FILE,
    CrashInfo,
    MappedRegions,
    Module,
    NativeFrame,
    ProcessInfo,
    Region,
    StructType,
    Thread,
    Truncation,
)
from gdb_epi.target.core_notes import CoreNotes, MappedFile, decode_notes
from gdb_epi.target.derived_registers import add_derived_registers
from gdb_epi.target.elf_files import FileFinder, OpenElfFiles
from gdb_epi.target.mapped_bytes import MappedBytes
from gdb_epi.target.modules import Modules
from gdb_epi.typing_lite import Any, NamedTuple

PIECE = 1 << 17  # bytes that are compared with zeros at once
_ZEROS = bytes(PIECE)
WINDOW = 16 << 20  # bytes that are searched before pages are given back
MAX_LOOKED_AT = 64 << 20  # bytes of a core's pages that searches keep in this process
MAX_READ = 1 << 30  # one read() call
MAX_BETWEEN = 1 << 16  # bytes between two mappings in the file that are searched with them
SKIP_ZEROS_FROM = 1 << 20  # bytes: from this size on, zeros of a region are worth recording


class NonZeroRanges:
    """The parts of a core file that are not all zero; each window is looked at once.

    Free-threaded builds reserve a gigabyte for mimalloc, thread stacks and big arrays are mostly
    untouched: the kernel leaves holes in the file for such pages (dump_skip, fs/coredump.c), and
    searching their zeros costs more than a second. A copied core may have lost its holes, so pieces
    are checked as well.
    """

    def __init__(self, path: str, core: mmap.mmap) -> None:
        self._path = path
        self._data = core
        self._windows: dict[tuple[int, int], list[tuple[int, int]]] = {}

    def ranges(self, start: int, end: int) -> list[tuple[int, int]]:
        """Return (low, high) file offsets in [start, end), ascending; the rest is zeros."""
        filled = self._windows.get((start, end))
        if filled is None:
            filled = self._windows[start, end] = list(self._filled_ranges(start, end))
        return filled

    def _filled_ranges(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        low = high = start
        for first, last in self._data_extents(start, end):
            for at in range(first, last, PIECE):
                stop = min(at + PIECE, last)
                if self._is_zero(at, stop):
                    continue
                if at != high and high > low:
                    yield low, high
                if at != high or high == low:
                    low = at
                high = stop
        if high > low:
            yield low, high

    def _is_zero(self, start: int, end: int) -> bool:
        head = min(start + PAGE, end)
        if self._data[start:head] != _ZEROS[: head - start]:
            return False
        return self._data[head:end] == _ZEROS[: end - head]

    def _data_extents(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the parts that are not holes of the file; all of it where holes cannot be told.

        A core that was decompressed in memory has a file of another size or content.
        """
        try:
            descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            yield start, end
            return
        try:
            same = os.fstat(descriptor).st_size == len(self._data)
            if not same or os.pread(descriptor, PAGE, 0) != self._data[:PAGE]:
                yield start, end
                return
            at = start
            while at < end:
                try:
                    low = max(at, os.lseek(descriptor, at, os.SEEK_DATA))
                except OSError:  # ENXIO: nothing but a hole up to the end of the file
                    return
                if low >= end:
                    return
                try:
                    at = min(end, os.lseek(descriptor, low, os.SEEK_HOLE))
                except OSError:
                    at = end
                at = max(at, low + 1)
                yield low, at
        finally:
            os.close(descriptor)


class _NonzeroPart(NamedTuple):
    """What is not zero of a mapping, by its number: file offsets, and how far they are ahead."""

    low: int
    high: int
    delta: int
    number: int


_low_of = attrgetter("low")
_take_word = Struct("<Q").unpack_from
Ranges = Sequence[tuple[int, int]]
NativeSource = Callable[[int], "Sequence[NativeFrame] | Absent"]
_Search = Callable[[bytes, int, int], int]  # of the file: bytes, from, to -> offset or -1


class CoreFileTarget(MappedRegions):
    """A core file, read through mmap. Immutable once open.

    `native_source` may be set to a function that supplies native frames (GDB run beside).
    """

    kind = "core"

    def __init__(self, path: str, data: mmap.mmap, header: elf.Header, files: FileFinder) -> None:
        self.path = path
        self.soft_errors: list[SoftError] = []
        self.native_source: NativeSource | None = None
        self.files = files
        self.kept: dict[Any, Any] = {}  # api.shared_cache()
        self._data = data
        self._bytes = MappedBytes(data)
        self._filled_ranges = NonZeroRanges(path, data)
        self._spans: tuple[Ranges, list[tuple[int, int, list[_NonzeroPart]]]] | None = None
        self._asked_before = 0, -1, 0  # a mapping's first and last word, and how its file is ahead
        self._gives_back = False
        self._looked_at = 0  # bytes, since pages were given back
        self._header = header
        self._segments = list(elf.read_segments(data, header))
        self._note_bytes = self._collect_notes()
        self.architecture = ARCHITECTURES[header.machine]
        self._notes: CoreNotes = decode_notes(elf.read_notes(self._note_bytes), self.architecture)
        self.soft_errors += self._notes.soft_errors
        self._index_regions()
        self._modules = Modules(self)
        end = max((s.offset + s.filesz for s in self._segments), default=0)
        missing = max(0, end - len(self._data))
        announced = min(self._header.phnum, elf.MAX_SEGMENTS)
        reason = ""
        if missing:
            reason = f"the headers announce {end} bytes, the file has {len(self._data)}"
        if self._header.phnum != elf.PN_XNUM and len(self._segments) < announced:
            missing = max(missing, 1)
            reason = f"only {len(self._segments)} of {announced} program headers are in the file"
        self._truncation = Truncation(bool(missing), missing, reason)
        if missing:
            self.soft_errors.append(
                SoftError("core", os.path.basename(self.path), "truncated: " + reason)
            )
        self._threads = add_derived_registers(self, self._notes.threads, self._modules.symbol)
        wrong = self._modules.check_executable()
        self.soft_errors += [wrong] if wrong is not None else []

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        exe: str | None = None,
        sysroot: str | None = None,
        kept: OpenElfFiles | None = None,
    ) -> CoreFileTarget:
        """Open a core file; `kept` are files that stay open from core to core.

        Raises InputError, with what to try, when it is no readable core of x86-64 or aarch64.
        """
        name = os.fspath(path)
        target = cls.from_buffer(name, _map_file(name), exe=exe, sysroot=sysroot, kept=kept)
        # Only for a file: pages dropped from other memory would turn into zeros.
        large = len(target._data) > MAX_LOOKED_AT
        target._gives_back = large and hasattr(mmap, "MADV_DONTNEED")
        return target

    @classmethod
    def from_buffer(
        cls,
        name: str,
        data: mmap.mmap,
        *,
        exe: str | None = None,
        sysroot: str | None = None,
        kept: OpenElfFiles | None = None,
    ) -> CoreFileTarget:
        """Read a core that is in memory already; as open()."""
        header = elf.parse_header(data[:64])
        if header is None:
            raise InputError(f"{name}: not a core file (no ELF header)", hint="name a core dump")
        if header.type != elf.ET_CORE:
            raise InputError(
                f"{name}: an ELF file but not a core",
                hint="name the core dump; the executable goes into --exe",
            )
        if header.machine not in ARCHITECTURES or not (header.is_64 and header.little_endian):
            raise InputError(
                f"{name}: a core of another machine ({_name_of_unsupported_machine(header)}), "
                "which is not read",
                hint="only cores of x86-64 and aarch64 can be read",
            )
        if len(data) < elf.EHDR.size:
            raise InputError(
                f"{name}: cut off inside of its ELF header ({len(data)} bytes)",
                hint="check ulimit -c and free space where cores go",
            )
        return cls(name, data, header, FileFinder(exe, sysroot, kept))

    # -- layout of the file ---------------------------------------------------------------

    def _collect_notes(self) -> bytes:
        """Join what the PT_NOTE segments hold, at most as much as the whole file.

        Many damaged headers may name the same bytes as notes (fuzz input 3025 of seed 1: 80 MB).
        """
        parts = []
        left = min(elf.MAX_NOTE_BYTES, len(self._data))
        for segment in self._segments:
            if segment.type == elf.PT_NOTE and left:
                part = self._data[segment.offset : segment.offset + min(segment.filesz, left)]
                left -= len(part)
                parts.append(part)
        return b"".join(parts)

    def _index_regions(self) -> None:
        """Join PT_LOAD (what was dumped) with NT_FILE (what was mapped)."""
        length = len(self._data)
        mapped = {entry.start: entry for entry in self._notes.files}
        regions: list[Region] = []
        offsets: dict[int, int] = {}
        loads = [segment for segment in self._segments if segment.type == elf.PT_LOAD]
        loads.sort(key=lambda segment: segment.vaddr)
        left = length  # bytes that are still to be placed: no byte of a core is in two mappings
        placed_twice = 0
        for load in loads:
            size = max(load.memsz, load.filesz)
            if size <= 0 or load.vaddr + size > 1 << 64 or load.vaddr in offsets:
                continue  # of two headers for one address, a damaged one, the first counts
            entry = mapped.pop(load.vaddr, None)
            if entry is None:
                files = self._notes.files
                index = bisect_right(files, (load.vaddr, 1 << 64, 0, "")) - 1
                entry = files[index] if index >= 0 and load.vaddr < files[index].end else None
            # A truncated file must not look like pages that the kernel left out on purpose: the
            # missing tail of a writable mapping is never taken from a file (Modules.file_bytes).
            dumped = max(0, min(load.filesz, length - load.offset, size))
            if dumped > left:
                placed_twice += 1
                dumped = 0
            left -= dumped
            perms = "".join(
                letter if load.flags & bit else "-"
                for letter, bit in (("r", 4), ("w", 2), ("x", 1))
            )
            path = entry.path if entry else None
            file_offset = entry.offset + load.vaddr - entry.start if entry else 0
            regions.append(Region(load.vaddr, load.vaddr + size, perms, path, file_offset, dumped))
            offsets[load.vaddr] = load.offset
        if placed_twice:
            message = (
                f"{placed_twice} program headers name bytes of the file that others have named"
            )
            self.soft_errors.append(SoftError("core", "program headers", message))
        # gcore leaves whole mappings out of the program headers; NT_FILE still names them.
        starts = [region.start for region in regions]
        for entry in mapped.values():
            index = bisect_right(starts, entry.start) - 1
            if index < 0 or regions[index].end <= entry.start:
                regions.append(Region(entry.start, entry.end, "r?-", entry.path, entry.offset, 0))
        regions.sort()
        self.set_regions(regions)
        # Where the dumped part of each mapping ends, and what its offsets in the file are ahead.
        self._dumped_ends = [region.start + region.dumped for region in regions]
        self._deltas = [offsets.get(region.start, 0) - region.start for region in regions]

    # -- memory ---------------------------------------------------------------------------

    def read(self, address: int, size: int) -> bytes:
        """Return exactly `size` bytes at `address`, or raise UnreadableMemory."""
        index = bisect_right(self._starts, address) - 1
        if index >= 0 and size >= 0 and address + size <= self._dumped_ends[index]:
            at = address + self._deltas[index]
            return self._data[at : at + size]
        if size < 0 or size > MAX_READ:
            raise UnreadableMemory(address, size, f"a read of more than {MAX_READ} bytes")
        return self._read_across_mappings(address, size)

    def dumped_word(self, address: int) -> int | None:
        """Return the word at an address; None where no one mapping was dumped with all of it."""
        low, last, delta = self._asked_before  # most words are asked of one mapping for a while
        if not low <= address <= last:
            index = bisect_right(self._starts, address) - 1
            if index < 0 or address + WORD > self._dumped_ends[index]:
                return None
            delta = self._deltas[index]
            self._asked_before = self._starts[index], self._dumped_ends[index] - WORD, delta
        word: int = _take_word(self._data, address + delta)[0]
        return word

    def memory_view(self, start: int, size: int = PAGE) -> memoryview | None:
        """Return memory of one mapping without a copy; None where it was not dumped whole."""
        index = bisect_right(self._starts, start) - 1
        if index >= 0 and start + size <= self._dumped_ends[index]:
            at = start + self._deltas[index]
            return self._bytes.view[at : at + size]
        return None

    def _read_across_mappings(self, address: int, size: int) -> bytes:
        parts = []
        end = address + size
        while address < end:
            index = bisect_right(self._starts, address) - 1
            region = self._regions[index] if index >= 0 else None
            if region is None or address >= region.end:
                raise UnreadableMemory(address, end - address, "not mapped")
            within = address - region.start
            if within < region.dumped:
                take = min(end - address, region.dumped - within)
                at = address + self._deltas[index]
                parts.append(self._data[at : at + take])
            else:
                take = min(end, region.end) - address
                parts.append(self._modules.file_bytes(region, address, take))
            address += take
        return b"".join(parts)

    def provenance(self, address: int, size: int = 1) -> str:
        """Return the weakest provenance over the range: dumped, file or absent."""
        weakest = DUMPED
        end = address + size
        while address < end:
            region = self.region_at(address)
            if region is None:
                return ABSENT
            if address < region.start + region.dumped:
                address = region.start + region.dumped
                continue
            take = min(end, region.end) - address
            try:
                self._modules.file_bytes(region, address, take)
            except UnreadableMemory:
                return ABSENT
            weakest = FILE
            address += take
        return weakest

    def find(self, needle: bytes, start: int, end: int) -> int | None:
        """Return the first address in [start, end) at which dumped bytes hold `needle`."""
        index = max(bisect_right(self._starts, start) - 1, 0)
        for number in range(index, len(self._regions)):
            region = self._regions[number]
            low = max(start, region.start)
            high = min(end, self._dumped_ends[number])
            if region.start >= end:
                return None
            if low < high:
                delta = self._deltas[number]
                at = self._find_in_region(number, needle, low + delta, high + delta)
                if at >= 0:
                    return at - delta
        return None

    def _find_in_region(self, number: int, needle: bytes, low: int, high: int) -> int:
        """Search file offsets [low, high) of a region; -1 when the bytes are not there."""
        if not needle.strip(b"\0"):
            return self._search_windows(self._bytes.find, needle, low, high)
        over = len(needle) - 1  # its zero bytes may lie outside the filled part
        ranges = self._nonzero_ranges(number)
        first = bisect_right(ranges, (low, low)) - 1
        for filled_low, filled_high in ranges[max(0, first) :]:
            if filled_low - over >= high:
                break
            begin, stop = max(low, filled_low - over), min(high, filled_high + over)
            at = self._search_windows(self._bytes.find, needle, begin, stop)
            if at >= 0:
                return at
        return -1

    def _nonzero_ranges(self, number: int) -> Sequence[tuple[int, int]]:
        """Return the file offsets of what is not zero in a region; all of it of a small one."""
        delta = self._deltas[number]
        start, end = self._starts[number] + delta, self._dumped_ends[number] + delta
        small = end - start < SKIP_ZEROS_FROM
        return ((start, end),) if small else self._filled_ranges.ranges(start, end)

    def word_places(self, word: bytes, ranges: Ranges, most: int) -> Iterator[int]:
        """Yield the multiples of 8 in ranges, ascending, where a word other than 0 was dumped.

        Each range lies in one mapping; of each at most so many. Mappings that lie side by side in
        the file are searched together.
        """
        if self._spans is None or self._spans[0] is not ranges:
            self._spans = ranges, self._merge_nearby_nonzero_ranges(ranges)
        for low, high, parts in self._spans[1]:
            # gcore does not align mappings in the file.
            search = self._bytes.find if parts[0].delta & 7 else self._bytes.find_word
            met, last = 0, -1
            while (at := self._search_windows(search, word, low, high)) >= 0:
                low = at + 1
                part = parts[bisect_right(parts, at, key=_low_of) - 1]
                if at + WORD <= part.high and not at - part.delta & 7:
                    met, last = met + 1 if part.number == last else 1, part.number
                    yield at - part.delta
                    if met == most:
                        low = max((p.high for p in parts if p.number == last), default=high)

    def _merge_nearby_nonzero_ranges(
        self, ranges: Ranges
    ) -> list[tuple[int, int, list[_NonzeroPart]]]:
        """Return (low, high, parts) in the file of what is not zero; little is between parts."""
        spans: list[tuple[int, int, list[_NonzeroPart]]] = []
        for start, end in ranges:
            number = bisect_right(self._starts, start) - 1
            delta = self._deltas[number]
            for low, high in self._nonzero_ranges(number):
                part = _NonzeroPart(max(low, start + delta), min(high, end + delta), delta, number)
                if part.low >= part.high:
                    continue
                if spans and not (delta | spans[-1][2][0].delta) & 7:
                    first, stop, parts = spans[-1]
                    if 0 <= part.low - stop <= MAX_BETWEEN:
                        parts.append(part)
                        spans[-1] = first, part.high, parts
                        continue
                spans.append((part.low, part.high, [part]))
        return spans

    def _search_windows(self, search: _Search, needle: bytes, low: int, high: int) -> int:
        """Search file offsets in windows, and give back what was looked at of a large file."""
        if not self._gives_back:
            return search(needle, low, high)
        for start in range(low, high, WINDOW):
            stop = min(start + WINDOW + len(needle) - 1, high)
            at = search(needle, start, stop)
            self._looked_at += (stop if at < 0 else at) - start
            if self._looked_at > MAX_LOOKED_AT:
                self._data.madvise(mmap.MADV_DONTNEED)
                self._looked_at = 0
            if at >= 0:
                return at
        return -1

    # -- what the notes say ---------------------------------------------------------------

    def threads(self) -> Sequence[Thread]:
        """Return the LWPs; the first is the one that died."""
        return self._threads

    def crash(self) -> CrashInfo | Absent:
        """Return how the process died."""
        return self._notes.crash

    def process(self) -> ProcessInfo | Absent:
        """Return pids, uid and command."""
        return self._notes.process

    def auxv(self) -> Mapping[int, int]:
        """Return the auxiliary vector."""
        return self._notes.auxv

    def mapped_files(self) -> Sequence[MappedFile]:
        """Return the entries of NT_FILE."""
        return self._notes.files

    def truncation(self) -> Truncation:
        """Return what is missing of the core file."""
        return self._truncation

    def core_key(self) -> str | Absent:
        """Return the SHA-256 (32 hex digits) of the PT_NOTE bytes."""
        from gdb_epi.util import sha256_hex

        announced = sum(s.filesz for s in self._segments if s.type == elf.PT_NOTE)
        if not announced or len(self._note_bytes) < announced:
            return Absent(UNREADABLE, "the PT_NOTE segment is not whole")
        return sha256_hex(self._note_bytes)[:32]

    # -- objects, symbols, native frames ----------------------------------------------------

    def modules(self) -> Sequence[Module]:
        """Return the mapped ELF objects, the executable first."""
        return self._modules.all_modules()

    def symbol(self, name: str) -> int | None:
        """Return the run-time address of a dynamic symbol, or of one in .symtab."""
        return self._modules.symbol(name)

    def dynamic_symbol(self, name: str) -> int | None:
        """Return the run-time address of a dynamic symbol; no .symtab is searched."""
        return self._modules.dynamic_symbol(name)

    def section(self, module: Module, name: str) -> tuple[int, int] | None:
        """Return (address, size) of a section, read from the module's file."""
        return self._modules.section(module, name)

    def type_layout(self, name: str) -> StructType | None:
        """Return None: types need a debugger."""
        return None

    def native_frames(self, tid: int) -> Sequence[NativeFrame] | Absent:
        """Return the native stack from `native_source`, or say that there is none."""
        if self.native_source is None:
            return Absent(NOT_AVAILABLE, "native frames need GDB")
        return self.native_source(tid)


def _map_file(name: str) -> mmap.mmap:
    try:
        require_regular_file(name, os.stat(name).st_mode)
        descriptor = os.open(name, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    except FileNotFoundError:
        raise InputError(f"{name}: no such file", hint="check the path") from None
    except PermissionError:
        raise InputError(
            f"{name}: permission denied", hint="cores belong to the crashed user; use sudo or chmod"
        ) from None
    except OSError as error:
        raise InputError(f"{name}: {error.strerror}", hint="check the path") from None
    try:
        status = os.fstat(descriptor)
        require_regular_file(name, status.st_mode)
        if status.st_size == 0:
            raise InputError(
                f"{name}: an empty file", hint="check ulimit -c, and the free space where cores go"
            )
        return mmap.mmap(descriptor, 0, prot=mmap.PROT_READ)
    finally:
        os.close(descriptor)


def _name_of_unsupported_machine(header: elf.Header) -> str:
    """Return the name of a machine that is not read."""
    if header.machine not in ARCHITECTURES:
        return elf.MACHINES.get(header.machine, f"e_machine {header.machine}")
    kind = "with 32-bit pointers" if not header.is_64 else "big-endian"
    return f"{ARCHITECTURES[header.machine].name}, {kind}"


def require_regular_file(name: str, mode: int) -> None:
    """Raise InputError for a folder, a device or a named pipe.

    Asked before the file is opened (opening some devices does things) and after.
    """
    if stat.S_ISDIR(mode):
        raise InputError(f"{name}: a folder", hint="name a core file in it")
    if not stat.S_ISREG(mode):
        raise InputError(f"{name}: not a regular file", hint="copy the core to a file")

# SPDX-License-Identifier: Apache-2.0
"""Targets whose memory is another's with some bytes changed: by hand, or by a seed."""

from __future__ import annotations

import bisect
import mmap
import random
import struct
from collections.abc import Iterable
from typing import Any

from gdb_epi.errors import UnreadableMemory
from gdb_epi.sizes import PAGE
from gdb_epi.target import elf
from gdb_epi.target.api import Thread
from support.snapshot import SnapshotTarget


class MutatedTarget:
    """Everything as in `inner`, but for the words put in, and the ranges taken out."""

    dumped_word = None  # of a core file: it knows nothing of the changes

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self._bytes: dict[int, int] = {}
        self._places: list[int] = []  # its keys in order: a page of them meets 15,000 reads
        self._gone: list[tuple[int, int]] = []
        self.reads = 0
        self.bytes_read = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def put(self, address: int, content: bytes) -> None:
        """Change bytes."""
        self._bytes.update(enumerate(content, address))
        self._places = sorted(self._bytes)

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
        content = self._inner.read(address, size)
        first = bisect.bisect_left(self._places, address)
        changed = self._places[first : bisect.bisect_left(self._places, address + size, first)]
        if not changed:
            return content
        patched = bytearray(content)
        for at in changed:
            patched[at - address] = self._bytes[at]
        return bytes(patched)


class Searched(MutatedTarget):
    """Searches find what was put in, too."""

    def find(self, needle: bytes, start: int, end: int) -> int | None:
        at = self.read(start, end - start).find(needle)
        return start + at if at >= 0 else None


# --- mutations of recordings, by a seed -----------------------------------------------------------

# Values that have hurt decoders: ends of ranges, sizes near overflow, poison, odd pointers.
EVIL = (
    0, 1, 2, 7, 8, 0xFF, 0xFFF, 0xFFFF, 1 << 20, (1 << 30) - 1, 1 << 30, (1 << 31) - 1, 1 << 31,
    (1 << 32) - 1, 1 << 32, 1 << 40, 1 << 47, (1 << 48) - 1, 1 << 60, 1 << 62, (1 << 63) - 1,
    1 << 63, (1 << 64) - 8, (1 << 64) - 1, 0xDDDDDDDDDDDDDDDD, 0xFDFDFDFDFDFDFDFD,
    0xCDCDCDCDCDCDCDCD, 0x4141414141414141, 0xFFFFFFFF00000000,
)  # fmt: skip


class Scene:
    """A recording, and where in it the pointers and the small numbers lie."""

    def __init__(self, snapshot: SnapshotTarget) -> None:
        self.snapshot = snapshot
        self.pages = snapshot.pages()
        pages = set(self.pages)
        self.pointers: list[int] = []
        self.numbers: list[int] = []
        for page in self.pages:
            for at, (word,) in enumerate(struct.iter_unpack("<Q", snapshot.read(page, PAGE))):
                if word & -PAGE in pages:
                    self.pointers.append(page + 8 * at)
                elif 0 < word < 1 << 20:
                    self.numbers.append(page + 8 * at)

    def place(self, chance: random.Random) -> int:
        """Return the address of a word, a telling one in most cases."""
        kind = chance.randrange(8)
        if kind < 4 and self.pointers:
            return chance.choice(self.pointers)
        if kind < 7 and self.numbers:
            return chance.choice(self.numbers)
        return chance.choice(self.pages) + 8 * chance.randrange(PAGE // 8)


class DamagedSnapshot(SnapshotTarget):
    """A recording of which some pages were replaced; it shares the others with the original."""

    def __init__(self, original: SnapshotTarget) -> None:
        self.__dict__.update(original.__dict__)
        self._pages = dict(original._pages)
        self.soft_errors = list(original.soft_errors)
        self.damage: list[str] = []

    def put(self, address: int, content: bytes) -> None:
        """Change bytes of one page."""
        page = address & -PAGE
        old, provenance = self._pages[page]
        at = address - page
        self._pages[page] = (old[:at] + content + old[at + len(content) :], provenance)

    def put_word(self, address: int, value: int) -> None:
        """Change a word."""
        self.put(address, (value & (1 << 64) - 1).to_bytes(8, "little"))

    def word(self, address: int) -> int:
        """Return a word."""
        return int.from_bytes(self.read(address, 8), "little")

    def drop(self, pages: Iterable[int]) -> None:
        """Lose pages."""
        for page in pages:
            self._pages.pop(page, None)

    def threads(self) -> list[Thread]:
        """Return the LWPs, with registers as they were changed."""
        changed = self.__dict__.get("_threads")
        return list(super().threads()) if changed is None else list(changed)


def _bits(target: DamagedSnapshot, scene: Scene, chance: random.Random) -> None:
    for _ in range(chance.choice((1, 1, 2, 8))):
        at = scene.place(chance)
        target.put_word(at, target.word(at) ^ 1 << chance.randrange(64))


def _bytes(target: DamagedSnapshot, scene: Scene, chance: random.Random) -> None:
    for _ in range(chance.choice((1, 4, 64))):
        target.put(
            chance.choice(scene.pages) + chance.randrange(PAGE), bytes([chance.choice(EVIL) & 255])
        )


def _evil_words(target: DamagedSnapshot, scene: Scene, chance: random.Random) -> None:
    for _ in range(chance.choice((1, 2, 16, 200))):
        target.put_word(scene.place(chance), chance.choice(EVIL))


def _lengths(target: DamagedSnapshot, scene: Scene, chance: random.Random) -> None:
    """Blow small numbers up: sizes, counts, indexes, bit fields."""
    for at in chance.choices(scene.numbers, k=chance.choice((1, 8, 64))):
        value = target.word(at)
        target.put_word(at, chance.choice((value << 8, value << 16, value << 32, -value, value + 1,
                                           value * 1000, chance.choice(EVIL))))  # fmt: skip


def _swaps(target: DamagedSnapshot, scene: Scene, chance: random.Random) -> None:
    for _ in range(chance.choice((1, 2, 16, 100))):
        place, other = chance.choice(scene.pointers), chance.choice(scene.pointers)
        held, there = target.word(place), target.word(other)
        target.put_word(place, there)
        target.put_word(other, held)


def _loops(target: DamagedSnapshot, scene: Scene, chance: random.Random) -> None:
    """Point pointers at themselves or just beside what they pointed at."""
    for at in chance.choices(scene.pointers, k=chance.choice((1, 4, 50))):
        target.put_word(
            at, chance.choice((at, at - 8, at & -16, target.word(at) + 8, target.word(at) - 16))
        )


def _page_replaced(target: DamagedSnapshot, scene: Scene, chance: random.Random) -> None:
    for page in chance.choices(scene.pages, k=chance.choice((1, 3))):
        other = chance.choice(scene.pages)
        target.put(page, chance.choice((bytes(PAGE), b"\xff" * PAGE, chance.randbytes(PAGE),
                                        target.read(other, PAGE))))  # fmt: skip


def _pages_lost(target: DamagedSnapshot, scene: Scene, chance: random.Random) -> None:
    target.drop(chance.sample(scene.pages, chance.randrange(1, len(scene.pages))))


def _cut(target: DamagedSnapshot, scene: Scene, chance: random.Random) -> None:
    target.drop(scene.pages[chance.randrange(len(scene.pages)) :])


def _regions(target: DamagedSnapshot, scene: Scene, chance: random.Random) -> None:
    regions = list(target._regions)
    for _ in range(chance.choice((1, 3))):
        index = chance.randrange(len(regions))
        region = regions[index]
        regions[index] = chance.choice((
            region._replace(dumped=0), region._replace(perms="rw-"), region._replace(path=None),
            region._replace(end=min(region.end + (1 << 40), 1 << 64), dumped=region.dumped << 20),
            region._replace(end=region.start + 1, dumped=1),
        ))  # fmt: skip
    target._regions = sorted(regions)
    target._starts = [region.start for region in target._regions]


def _registers(target: DamagedSnapshot, scene: Scene, chance: random.Random) -> None:
    changed = []
    for thread in target.threads():
        registers = dict(thread.registers)
        for name in chance.sample(sorted(registers), chance.randrange(1, 6)):
            registers[name] = chance.choice((*EVIL, chance.choice(scene.pages)))
        changed.append(thread._replace(registers=registers))
    target._threads = changed[: chance.choice((0, 1, len(changed), len(changed)))]


MUTATIONS = {
    "flipped bits": _bits,
    "bytes": _bytes,
    "evil words": _evil_words,
    "hostile lengths": _lengths,
    "swapped pointers": _swaps,
    "pointers to themselves": _loops,
    "replaced pages": _page_replaced,
    "lost pages": _pages_lost,
    "cut": _cut,
    "mappings": _regions,
    "registers": _registers,
}
_OFTEN = tuple(
    name for name in MUTATIONS for _ in range(1 if name in ("mappings", "registers", "cut") else 2)
)


def damaged(scene: Scene, chance: random.Random) -> DamagedSnapshot:
    """Return a damaged copy of a recording; `damage` names what was done."""
    target = DamagedSnapshot(scene.snapshot)
    for name in chance.choices(_OFTEN, k=chance.choice((1, 1, 1, 2, 3))):
        target.damage.append(name)
        # Pages go last: the other mutations need all of them.
    target.damage.sort(key=lambda name: name in ("lost pages", "cut"))
    for name in target.damage:
        MUTATIONS[name](target, scene, chance)
    return target


# --- mutations of core files ----------------------------------------------------------------------


def damage_file(core: mmap.mmap, chance: random.Random) -> str:
    """Change a core file that is mapped privately; return what was done.

    Headers and notes, where lengths, counts and offsets lie, get most of it.
    """
    header = elf.parse_header(core[:64])
    assert header is not None
    heads = list(elf.read_segments(core, header))
    note = next(s for s in heads if s.type == elf.PT_NOTE)
    places = {
        "ELF header": (4, 64),
        "program headers": (64, 64 + 56 * len(heads)),
        "notes": (note.offset, note.offset + note.filesz),
        "first load": (0, 0),
        "anywhere": (0, len(core)),
    }
    load = chance.choice([s for s in heads if s.type == elf.PT_LOAD and s.filesz])
    places["first load"] = (load.offset, load.offset + min(load.filesz, PAGE))
    kinds = [
        "ELF header",
        "program headers",
        "program headers",
        "notes",
        "notes",
        "first load",
        "anywhere",
    ]
    done = []
    for name in chance.choices(kinds, k=chance.choice((1, 1, 2, 4))):
        low, high = places[name]
        high = min(high, len(core))
        for _ in range(chance.choice((1, 1, 4, 32)) if low + 16 < high else 0):
            width = chance.choice((1, 2, 4, 8))
            at = chance.randrange(low, high - width)
            value = chance.choice(EVIL)
            if chance.randrange(2):
                value = int.from_bytes(core[at : at + width], "little") ^ 1 << chance.randrange(
                    8 * width
                )
            core[at : at + width] = (value & (1 << 8 * width) - 1).to_bytes(width, "little")
        done.append(name)
    return ", ".join(done)

# SPDX-License-Identifier: Apache-2.0
"""Damaged core files, numbered and made from a seed, run through `gdb-epi triage`.

Headers, notes, structures in memory, mappings that overlap, cuts, and archives: whatever was done,
the run ends with one record and exit code 0, or with one line and exit code 3. A run of many is
tests/bench/mutants.py; tests/property/test_mutants.py runs some.
"""

from __future__ import annotations

import bz2
import gc
import gzip
import json
import lzma
import os
import random
import resource
import struct
import sys
import time
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

from gdb_epi.cli import main, triage
from gdb_epi.cli.support import workers
from gdb_epi.sizes import PAGE
from gdb_epi.target import elf
from support.mutate import EVIL

CPU_SECONDS = 10  # of one mutant, at most
MEMORY_MB = 500
KILLED_AT = 2 * CPU_SECONDS
PHDR = elf.PHDR.size
PER_FORK = 25  # mutants that one process runs: 60 ms each with a fork for each, else 20
ARCHIVE_EVERY = 12  # one mutant in so many is packed; those of xz cost 100 ms to make
WORDS = ("triage", "--no-db", "--native", "never", "--format", "json")
MORE_WORDS = ((), (), (), ("--stacks", "--locals"), ("--stacks", "--messages"))


class Base:
    """A whole core, and where in it the words lie that are worth damaging."""

    def __init__(self, name: str, core: bytes) -> None:
        self.name = name
        self.core = core
        header = elf.parse_header(core[:64])
        assert header is not None
        self.heads = list(elf.read_segments(core, header))
        note = next(head for head in self.heads if head.type == elf.PT_NOTE)
        self.notes = (note.offset, note.offset + note.filesz)
        self.loads = [head for head in self.heads if head.type == elf.PT_LOAD and head.filesz]
        self.note_heads = _note_heads(core, *self.notes)
        self.pointers = array("I")  # offsets in the file
        self.numbers = array("I")
        ranges = [(load.vaddr, load.vaddr + load.memsz) for load in self.loads]
        low, high = min(ranges)[0], max(ranges)[1]
        for load in self.loads:
            if not load.flags & 2:
                continue
            whole = load.filesz // 8 * 8
            words = struct.iter_unpack("<Q", core[load.offset : load.offset + whole])
            for at, (word,) in enumerate(words):
                if low <= word < high and word & 7 == 0:
                    self.pointers.append(load.offset + 8 * at)
                elif 0 < word < 1 << 20:
                    self.numbers.append(load.offset + 8 * at)


def _note_heads(core: bytes, start: int, end: int) -> list[int]:
    places = []
    while start + 12 <= end:
        places.append(start)
        name, size, _ = elf.NHDR.unpack_from(core, start)
        start += 12 + (name + 3 & ~3) + (size + 3 & ~3)
    return places


class Mutant(NamedTuple):
    """A damaged core as a file, and what was done to it."""

    source: str
    damage: str
    content: bytes
    suffix: str


class Ended(NamedTuple):
    """How the run over one mutant ended; `wrong` is empty when all was right."""

    number: int
    source: str
    damage: str
    code: int
    cpu: float  # seconds
    memory_mb: float
    wrong: str


def mutant(bases: Sequence[Base], seed: int, number: int) -> Mutant:
    """Return mutant `number` of a seed, always the same."""
    chance = random.Random(f"mutant {seed}:{number}")
    base = chance.choice(bases)
    core = bytearray(base.core)
    names = chance.choices(tuple(KINDS), k=chance.choice((1, 1, 2, 3)))
    for name in names:
        KINDS[name](core, base, chance)
    suffix = ""
    if number % ARCHIVE_EVERY == 0:
        names.append("archive")
        core, suffix = _archive(bytes(core), chance)
    return Mutant(base.name, " + ".join(names), bytes(core), suffix)


def _put(core: bytearray, at: int, width: int, value: int) -> None:
    if 0 <= at and at + width <= len(core):
        core[at : at + width] = (value & (1 << 8 * width) - 1).to_bytes(width, "little")


def _changed(old: int, chance: random.Random) -> int:
    return chance.choice((
        chance.choice(EVIL), old ^ 1 << chance.randrange(64), old + 1, old - 1, old << 8, old << 32,
        -old, old + PAGE, old - PAGE,
    ))  # fmt: skip


def _change_words(
    core: bytearray, low: int, high: int, chance: random.Random, counts: Sequence[int]
) -> None:
    high = min(high, len(core))
    for _ in range(chance.choice(counts) if high - low > 8 else 0):
        width = chance.choice((1, 2, 4, 8))
        at = chance.randrange(low, high - width)
        old = int.from_bytes(core[at : at + width], "little")
        _put(core, at, width, _changed(old, chance))


def _elf_header(core: bytearray, _base: Base, chance: random.Random) -> None:
    _change_words(core, 4, 64, chance, (1, 1, 2, 8))


def _program_headers(core: bytearray, base: Base, chance: random.Random) -> None:
    fields = ((0, 4), (4, 4), (8, 8), (16, 8), (24, 8), (32, 8), (40, 8), (48, 8))
    for _ in range(chance.choice((1, 1, 4, 32))):
        offset, width = chance.choice(fields)
        at = 64 + PHDR * chance.randrange(len(base.heads)) + offset
        old = int.from_bytes(core[at : at + width], "little")
        _put(core, at, width, _changed(old, chance))


def _notes(core: bytearray, base: Base, chance: random.Random) -> None:
    if chance.randrange(2):
        _change_words(core, *base.notes, chance, (1, 4, 32, 200))
        return
    for _ in range(chance.choice((1, 1, 3))):
        at = chance.choice(base.note_heads) + chance.choice((0, 4, 8))
        old = int.from_bytes(core[at : at + 4], "little")
        _put(core, at, 4, _changed(old, chance))


def _structures(core: bytearray, base: Base, chance: random.Random) -> None:
    """Damage pointers, counts and lengths of what the process had in memory."""
    for _ in range(chance.choice((1, 2, 16, 200))):
        at = chance.choice(base.pointers if chance.randrange(2) else base.numbers)
        old = int.from_bytes(core[at : at + 8], "little")
        other = chance.choice(base.pointers)
        there = int.from_bytes(core[other : other + 8], "little")
        _put(core, at, 8, chance.choice((_changed(old, chance), there, there + 8, old - 16)))


def _pages(core: bytearray, base: Base, chance: random.Random) -> None:
    for _ in range(chance.choice((1, 3, 20))):
        load, other = chance.choice(base.loads), chance.choice(base.loads)
        at = load.offset + PAGE * chance.randrange(max(load.filesz // PAGE, 1))
        there = other.offset + PAGE * chance.randrange(max(other.filesz // PAGE, 1))
        page = chance.choice((bytes(PAGE), b"\xff" * PAGE, core[there : there + PAGE]))
        core[at : at + PAGE] = page[: len(core[at : at + PAGE])]


def _overlaps(core: bytearray, base: Base, chance: random.Random) -> None:
    """Let headers name the addresses or the bytes of others, all of the file, or as notes."""
    for _ in range(chance.choice((1, 2, 8, len(base.heads)))):
        index = chance.randrange(len(base.heads))
        at = 64 + PHDR * index
        mine, other = base.heads[index], chance.choice(base.heads)
        kind = chance.randrange(6)
        if kind == 0:
            core[at : at + PHDR] = core[64 : 64 + PHDR]
        elif kind == 1:
            _put(core, at + 16, 8, other.vaddr + chance.choice((0, PAGE, -PAGE, 1)))
        elif kind == 2:
            _put(core, at + 8, 8, other.offset + chance.choice((0, PAGE, 1)))
        elif kind == 3:
            size = chance.choice((len(core), other.filesz, 1 << 40, (1 << 64) - mine.vaddr))
            _put(core, at + 32, 8, size)
            _put(core, at + 40, 8, size)
        elif kind == 4:
            _put(core, at, 4, chance.choice((elf.PT_NOTE, elf.PT_LOAD)))
        else:
            _put(core, at + 8, 8, 0)
            _put(core, at + 32, 8, len(core))


def _cut(core: bytearray, _base: Base, chance: random.Random) -> None:
    size = len(core)
    if size:
        del core[chance.choice((chance.randrange(size), int(size ** chance.random()))) :]


KINDS: Mapping[str, Callable[[bytearray, Base, random.Random], None]] = {
    "ELF header": _elf_header,
    "program headers": _program_headers,
    "notes": _notes,
    "structures": _structures,
    "pages": _pages,
    "overlaps": _overlaps,
    "cut": _cut,
}


def _archive(core: bytes, chance: random.Random) -> tuple[bytearray, str]:
    """Pack a core; cut, flip, repeat, or add to the packed bytes."""
    suffix = chance.choice((".gz", ".gz", ".gz", ".bz2", ".xz"))
    if suffix == ".gz":
        packed = bytearray(gzip.compress(core, 1, mtime=0))
    elif suffix == ".xz":
        packed = bytearray(lzma.compress(core, preset=0))
    else:
        packed = bytearray(bz2.compress(core, 1))
    kind = chance.randrange(6)
    if kind == 0:
        del packed[chance.randrange(1, len(packed)) :]
    elif kind == 1:
        _change_words(packed, 0, 40, chance, (1, 2, 4))
    elif kind == 2:
        _change_words(packed, 0, len(packed), chance, (1, 4, 64))
    elif kind == 3:
        packed += packed[: chance.randrange(len(packed))]
    elif kind == 4:
        packed += chance.randbytes(chance.choice((1, 100, PAGE)))
    return packed, suffix


def prepare() -> None:
    """Import all that a triage needs, so that forks share it."""
    from importlib import import_module

    from gdb_epi.loader import import_all_modules

    for name in workers.LOADED_FIRST:
        import_module(name)
    for name in workers.LOADED_WHOLE:
        import_all_modules(import_module(f"gdb_epi.{name}"))
    gc.collect()
    gc.freeze()


def run_mutants(
    bases: Sequence[Base], seed: int, numbers: Sequence[int], folder: Path
) -> Iterator[Ended]:
    """Run `gdb-epi triage` over mutants, PER_FORK of them in a fork of this process.

    A fork that dies costs the mutant at which it died. `folder` is empty before and after.
    """
    left = list(numbers)
    while left:
        reader, writer = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if not pid:
            os.close(reader)
            _run_here(bases, seed, left[:PER_FORK], folder, writer)
        os.close(writer)
        ended = 0
        with os.fdopen(reader, "rb") as lines:
            for line in lines:
                yield Ended(*json.loads(line))
                ended += 1
        _, status, used = os.wait4(pid, 0)
        code = os.waitstatus_to_exitcode(status)
        cpu, memory_mb = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
        if code:
            made = mutant(bases, seed, left[ended])
            wrong = f"the process ended with {code}"
            yield Ended(left[ended], made.source, made.damage, code, cpu, memory_mb, wrong)
            ended += 1
            for path in folder.iterdir():
                path.unlink()
        left = left[ended:]


def _run_here(
    bases: Sequence[Base], seed: int, numbers: Sequence[int], folder: Path, report: int
) -> NoReturn:
    """Run mutants in this process, which ends with the last; write a line of each."""
    code = 99
    # What the tests before left in the process that was forked is none of the mutants'.
    before = _most_memory_mb()
    try:
        os.environ["TMPDIR"] = str(folder)
        os.environ["GDB_EPI_DEBUG"] = "1"
        streams = [folder / "out", folder / "err"]
        for descriptor, name in enumerate(streams, 1):
            os.dup2(os.open(name, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), descriptor)
        # pytest has others, which do not lead to these descriptors.
        sys.stdout, sys.stderr = (open(n, "w", closefd=False) for n in (1, 2))
        for number in numbers:
            made = mutant(bases, seed, number)
            used = resource.getrusage(resource.RUSAGE_SELF)
            limit = int(used.ru_utime + used.ru_stime) + KILLED_AT
            resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
            ended = _run_one(made, number, folder, before)
            os.write(report, json.dumps(ended).encode() + b"\n")
        for path in streams:
            path.unlink()
        code = 0
    finally:
        os._exit(code)


def _most_memory_mb() -> float:
    """Return the most memory that this process has had at a time, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _run_one(made: Mutant, number: int, folder: Path, before: float) -> Ended:
    path = folder / f"core{made.suffix}"
    path.write_bytes(made.content)
    words = [*WORDS, *MORE_WORDS[number % len(MORE_WORDS)], str(path)]
    started = time.process_time()
    code = main.main(words)
    cpu = time.process_time() - started
    sys.stdout.flush()
    sys.stderr.flush()
    path.unlink()  # before the next is written: the mapping of this one may live on
    answer, complaints = (path.read_bytes() for path in (folder / "out", folder / "err"))
    wrong = _what_is_wrong(code, answer, complaints.decode(errors="replace"))
    os.ftruncate(1, 0)
    os.ftruncate(2, 0)
    memory_mb = _most_memory_mb() - before
    if cpu > CPU_SECONDS:
        wrong = wrong or f"{cpu:.1f} s of CPU"
    if memory_mb > MEMORY_MB:
        wrong = wrong or f"{memory_mb:.0f} MB"
    left = sorted({path.name for path in folder.iterdir()} - {"out", "err"})
    wrong = wrong or (f"left behind: {left}" if left else "")
    return Ended(number, made.source, made.damage, code, cpu, memory_mb, wrong)


def _what_is_wrong(code: int, out: bytes, err: str) -> str:
    """Return why an ending is not right, "" for one that is."""
    lines = err.splitlines()
    if "Traceback" in err:
        return " < ".join(line.strip() for line in reversed(lines[-7:]))
    if code == 0 and out.startswith(b"{") and out.count(b"\n") == 1 and not err:
        return ""
    if code == 3 and not out and len(lines) == 1 and lines[0].startswith("gdb-epi: "):
        return ""
    return f"exit code {code}, {out.count(10)} lines of answer; {lines[-1] if lines else 'silent'}"


assert triage.READS_CORES  # the verb that is run is the one that a guard would run

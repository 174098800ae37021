# SPDX-License-Identifier: Apache-2.0
"""R2, R3: pages of mapped files against the files themselves.

R2: dumped text and constants differ from the file. R3: a relocated word that nobody may write is
not what ld.so put there. A pointer to a function that may be written is told by where it leads.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import Evidence, Skipped, plain_evidence, word_evidence
from gdb_epi.corruption.files.elf_images import (
    PF_W,
    ImageFile,
    image_files,
    missing_files_line,
    read_only_pieces,
)
from gdb_epi.corruption.heap.memory_readers import read_words, words_between
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.replay.code_map import begins_function
from gdb_epi.errors import Absent
from gdb_epi.sizes import PAGE, WORD, WORD_MASK
from gdb_epi.util import counted

BREAKPOINT = 0xCC
MAX_WRONG = 16  # words of one object; more of them were rewritten by something
MAX_PIECES = 64  # pages with differences that are looked at
MAX_DATA = 4 << 20  # bytes of variables of one file


@check(
    "R2",
    innocent_causes=(
        "breakpoints and uprobes (a byte 0xCC: named, no evidence), objects with text relocations "
        "(left out), functions patched at run time (many bytes differ: said, no evidence). Most "
        "cores hold only the first page of each object (coredump_filter bit 2 adds the others)."
    ),
)
def read_only_pages(context: Context) -> Iterator[Evidence | Skipped]:
    """Compare read-only pages that the core holds with the file of the same build-id."""
    files, missing = image_files(context)
    compared = 0
    for image in files:
        if image.has_text_relocations:
            yield Skipped("R2", f"{image.name} has text relocations")
            continue
        for load in image.loads:
            if load.flags & PF_W:
                continue
            low = image.base + load.vaddr
            for start, data in read_only_pieces(context, low, low + load.filesz):
                compared += len(data)
                yield from _compare(image, start, data)
    if not compared:
        yield Skipped("R2", "there is no read-only page of an object whose file is here")
    if missing:
        yield Skipped("R2", missing_files_line(missing))


def _compare(image: ImageFile, start: int, data: bytes) -> Iterator[Evidence | Skipped]:
    at = image.offset(start - image.base, len(data))
    if at is None:
        return
    right = image.data[at : at + len(data)]
    if data == right:
        return
    pages = [n for n in range(0, len(data), PAGE) if data[n : n + PAGE] != right[n : n + PAGE]]
    wrong = [
        word
        for n in pages[:MAX_PIECES]
        for word in _differing_words(start + n, data[n : n + PAGE], right[n : n + PAGE])
    ]
    yield from _judge(image, wrong)


def _differing_words(start: int, ours: bytes, theirs: bytes) -> Iterator[tuple[int, int, int]]:
    for at in range(0, len(ours), 8):
        held, right = ours[at : at + 8], theirs[at : at + 8]
        if held != right:
            yield start + at, int.from_bytes(held, "little"), int.from_bytes(right, "little")


def _judge(image: ImageFile, wrong: list[tuple[int, int, int]]) -> Iterator[Evidence | Skipped]:
    traps = [word for word in wrong if is_breakpoint(word[1], word[2])]
    others = [word for word in wrong if word not in traps]
    if traps:
        yield Skipped("R2", f"{counted(len(traps), 'breakpoint')} (0xCC) in {image.name}")
    single = [word for word in others if (word[1] ^ word[2]).bit_count() == 1]
    if len(others) != len(single) or len(single) > MAX_WRONG:
        differ = (
            f"{len(others)} words of {image.name} differ from its file, not only in single bits"
        )
        yield Skipped("R2", f"{differ}: patched at run time, or overwritten")
        return
    for at, held, right in single:
        summary = (
            f"the read-only word at {at:#x} differs in one bit from {image.module.path} "
            f"(same build-id), which has {right:#x}"
        )
        yield word_evidence("R2", at, held, right, summary, module=image.module.path)


def is_breakpoint(held: int, right: int) -> bool:
    """Tell whether two words differ only in bytes that became 0xCC."""
    pairs = zip(held.to_bytes(8, "little"), right.to_bytes(8, "little"), strict=True)
    return all(ours in (theirs, BREAKPOINT) for ours, theirs in pairs)


@check(
    "R3",
    costly=True,
    innocent_causes=(
        "none writable, the pages are read-only since start-up. Left out: lazy GOT slots, IFUNCs "
        "and symbols of other objects, and an object in which many words differ (a tool that "
        "hooks functions makes the pages writable for a moment)."
    ),
)
def relocated_words(context: Context) -> Iterator[Evidence | Skipped]:
    """Compare the words of PT_GNU_RELRO that are relative relocations with base plus addend."""
    files, missing = image_files(context)
    for image in files:
        yield from _check_relro(context, image)
    if missing:
        yield Skipped("R3", missing_files_line(missing))


def _check_relro(context: Context, image: ImageFile) -> Iterator[Evidence | Skipped]:
    if image.relro is None:
        return
    # ld.so protects whole pages only (elf/dl-reloc.c, _dl_protect_relro).
    low = image.base + image.relro.vaddr & -PAGE
    high = image.base + image.relro.vaddr + image.relro.memsz & -PAGE
    wrong = [
        (at, held, right)
        for start, data in read_only_pieces(context, low, high)
        for at, held, right in _wrong_relocations(image, start, data)
    ]
    if len(wrong) > MAX_WRONG:
        yield Skipped("R3", f"{len(wrong)} words of {image.name} differ: rewritten by a hook?")
        return
    for at, held, right in wrong:
        summary = (
            f"the read-only word at {at:#x} holds {held:#x}; ld.so put {right:#x} there "
            f"(relative relocation of {image.module.path}, same build-id)"
        )
        id = "R3" if (held ^ right).bit_count() == 1 else "R3:bits"
        yield word_evidence(id, at, held, right, summary, module=image.module.path)


def _wrong_relocations(image: ImageFile, start: int, data: bytes) -> Iterator[tuple[int, int, int]]:
    base = image.base
    low = start - base
    words = memoryview(data[: len(data) & ~7]).cast("Q")
    if low >= 0 and not low & 7 and image.tables.relocated_words(low, len(data)).hold(words, base):
        return
    for address, value in image.relatives(low, low + len(data) - 7):
        if words[address - low >> 3] != value + base & WORD_MASK and not address & 7:
            yield address + base, words[address - low >> 3], value + base & WORD_MASK


@check(
    "S:overwritten-pointer",
    costly=True,
    needs="crash",
    order=17,
    innocent_causes=(
        "this is one: a counter or index that goes past the table before the pointer. Programs put "
        "other functions into such variables, and no place inside of one, as long as the unwind "
        "tables tell them apart; said only of the pointer into the function that failed."
    ),
)
def pointers_into_functions(context: Context) -> Iterator[Evidence]:
    """Find a variable that ld.so set to a function, and that leads into the middle of one."""
    fault = context.fault
    pc = 0 if isinstance(fault, Absent) else fault.pc
    inside = context.functions.at(pc) if pc else None
    if inside is None:
        return
    for image in image_files(context)[0]:
        if image.offset(pc - image.base, 1) is None:
            continue
        for load in image.loads:
            start = image.base + load.vaddr + WORD - 1 & -WORD
            count = load.filesz // WORD if load.flags & PF_W and load.filesz < MAX_DATA else 0
            words = read_words(context, start, count)
            for number in words_between(words, inside.start, pc):
                yield from _pointer_astray(context, image, start + WORD * number, words[number])


def _pointer_astray(context: Context, image: ImageFile, at: int, held: int) -> Iterator[Evidence]:
    right = image.expected(at)
    if right is None or right == held or not begins_function(context, right):
        return
    summary = (
        f"the word at {at:#x} was overwritten: ld.so put the address of the function at {right:#x} "
        f"there, and it is {held:#x}, inside of the function that failed"
    )
    if (held ^ right).bit_count() == 1:
        yield word_evidence("R14", at, held, right, summary)
    else:
        yield plain_evidence("S:overwritten-place", at, summary)

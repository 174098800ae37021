# SPDX-License-Identifier: Apache-2.0
"""R3: a relocated word that nobody may write is not what ld.so put there."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.images import (
    MASK,
    PAGE,
    ImageFile,
    dumped_pieces,
    image_files,
    missing_text,
)
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.types import MEMORY, Evidence, Skipped, word_evidence

MAX_WRONG = 16  # words of one object; more of them were rewritten by something


@check("R3")
def relro(context: Context) -> Iterator[Evidence | Skipped]:
    """Compare the words of PT_GNU_RELRO that are relative relocations with base plus addend.

    Innocent causes: none writable, the pages are read-only since start-up. Left out: lazy GOT
    slots, IFUNCs and symbols of other objects, and an object in which many words differ (a tool
    that hooks functions makes the pages writable for a moment).
    """
    files, missing = image_files(context)
    for image in files:
        yield from _of_image(context, image)
    if missing:
        yield Skipped("R3", missing_text(missing))


def _of_image(context: Context, image: ImageFile) -> Iterator[Evidence | Skipped]:
    if image.relro is None:
        return
    # ld.so protects whole pages only (elf/dl-reloc.c, _dl_protect_relro).
    low = image.base + image.relro.vaddr & -PAGE
    high = image.base + image.relro.vaddr + image.relro.memsz & -PAGE
    wrong = [
        (at, found, right)
        for start, data in dumped_pieces(context, low, high, writable=False)
        for at, found, right in _wrong(image, start, data)
    ]
    if len(wrong) > MAX_WRONG:
        name = image.module.path.rpartition("/")[2]
        yield Skipped("R3", f"{len(wrong)} words of {name} differ: rewritten by a hook?")
        return
    for at, found, right in wrong:
        yield word_evidence(
            "R3" if (found ^ right).bit_count() == 1 else "R3:bits",
            at,
            found,
            right,
            MEMORY,
            f"the read-only word at {at:#x} holds {found:#x}; ld.so put {right:#x} there "
            f"(relative relocation of {image.module.path}, same build-id)",
            module=image.module.path,
        )


def _wrong(image: ImageFile, start: int, data: bytes) -> Iterator[tuple[int, int, int]]:
    words = memoryview(data[: len(data) & ~7]).cast("Q")
    base = image.base
    low = start - base
    for address, value in image.relatives(low, low + len(data) - 7):
        if words[address - low >> 3] != value + base & MASK and not address & 7:
            yield address + base, words[address - low >> 3], value + base & MASK

# SPDX-License-Identifier: Apache-2.0
"""Which mappings of an ELF file are the object that ld.so loaded, and which are copies to read.

Programs map libraries that run once more, as data: AddressSanitizer and Rust's backtraces map whole
files to find symbols, and they often come to lie below the object itself. Only the parts of the
object lie as its program headers say, and only of it something may be executed.
Reference: glibc 2.42 elf/dl-map-segments.h; Rust 1.80 std::backtrace_rs (mmap of the file).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gdb_epi.sizes import PAGE
from gdb_epi.target import elf
from gdb_epi.typing_lite import NamedTuple


class Span(NamedTuple):
    """One mapping of a file: the half-open range, and its offset in the file in bytes."""

    start: int
    end: int
    offset: int


def loaded_spans(
    spans: Sequence[Span],
    first_page: Callable[[int], bytes | None],
    runs: Callable[[int], bool],
) -> Sequence[Span]:
    """Return the spans of the object; all of them when nothing tells them apart.

    `spans` are all mappings of one file, by address; `first_page` returns the page at an address,
    `runs` whether the mapping there may be executed, as far as that is known. Of an object that
    was loaded twice (dlmopen) they are those of the first.
    """
    starts = [one.start for one in spans if one.offset == 0]
    if not starts or (len(starts) == 1 and spans[0].offset == 0):
        return spans  # nearly always; a copy of a later part of the file lies beside it at most
    best, most = spans, 0
    for start in starts:
        page = first_page(start)
        found = elf.parse_image(page, start) if page else None
        parts = _placed(spans, *found) if found else []
        running = sum(runs(one.start) for one in parts)
        if running > most:
            best, most = parts, running
    return best


def only_read(
    spans: Sequence[Span], segments: Sequence[elf.Segment], runs: Callable[[int], bool]
) -> bool:
    """Whether a file with code is mapped as data alone: nothing loaded it."""
    code = any(one.type == elf.PT_LOAD and one.flags & elf.PF_X for one in segments)
    return code and not any(runs(one.start) for one in spans)


def _placed(spans: Sequence[Span], base: int, segments: Sequence[elf.Segment]) -> list[Span]:
    """Return the spans that lie where a segment of the object at `base` would put them."""
    starts = {
        base + (one.vaddr & -PAGE) - (one.offset & -PAGE)
        for one in segments
        if one.type == elf.PT_LOAD
    }
    return [one for one in spans if one.start - one.offset in starts]

# SPDX-License-Identifier: Apache-2.0
"""How far one content reaches through memory: a filling pattern, numbers in steps, text, data.

A store that goes beyond its block leaves one content on both sides of the block's end. Each run
is measured from a word outwards; a few words that were changed since (counts of references, links
of the collector) do not end it.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.fault.mapping_checks import NEAR_NULL
from gdb_epi.fault.memory_reads import try_read
from gdb_epi.fault.word_shapes import shape_of
from gdb_epi.sizes import WORD, WORD_MASK
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple

REACH = 32 << 10  # bytes to each side of a word
PERIODS = (1, 2, 4, 8, 12, 16, 20, 24, 32, 40, 48, 64)
# (bytes of a number, bytes from one to the next): arrays, and fields of structs.
_STEPS = ((8, 8), (8, 16), (8, 24), (8, 32), (4, 4), (4, 8), (4, 12), (4, 16), (4, 24), (2, 2))
MIN_RUN, MIN_PERIODS = 24, 3  # bytes; of a pattern
MIN_TERMS = 4  # numbers in equal steps
MIN_WILD = 4  # words that are no addresses
MAX_CHANGED = 2  # words side by side that were changed since
SHOWN = 3  # words of a run that are told
LOW = 1 << 32  # below it lie small numbers, and programs that are not position-independent
_PRINTABLE = frozenset((*range(0x20, 0x7F), 9, 10, 13))


class ContentRun(NamedTuple):
    """Where one content begins and ends; `in_step`: each part tells how the next one goes on.

    Two buffers that were filled alike do not lie in step, but for a pattern that is as long as the
    distance of their starts.
    """

    start: int
    end: int
    what: str
    in_step: bool
    period: int = 0  # bytes after which it repeats, or takes a step; 0 where it does neither

    @property
    def kind_in_words(self) -> str:
        """What it is in a few words, without what stands there."""
        words = self.what.partition(", ")[0]
        if words.startswith("the text "):
            return "text, over and over"
        return f"{words}, over and over" if words.startswith("the byte") else words


def content_runs(target: Target, place: int) -> Iterator[ContentRun]:
    """Yield the runs of content that go over the word at a place, those in step first."""
    region = target.region_at(place)
    if region is None or place % WORD:
        return
    low = max(region.start, place - REACH)
    high = min(region.dumped_end, place + REACH) & -WORD
    memory, at = try_read(target, low, high - low), place - low
    if at + WORD > len(memory):
        return
    for start, end, what, stride in _runs_in_steps(target, memory, at):
        yield ContentRun(low + start, low + end, what, True, stride)
    for period in PERIODS:
        start, end = _bounds_of_repeated_pattern(memory, at, period)
        if end > start:
            pattern = memory[start : start + period]
            if any(pattern) and not _contains_address(target, memory[at : at + max(period, WORD)]):
                content = memory[at : at + max(min(period, 16), 1)]
                what = f"the byte{'s' * (period > 1)} 0x{content.hex(' ')}, over and over"
                if period == 1 and _PRINTABLE.issuperset(content):
                    what = f"the byte 0x{content.hex()} ({content.decode()!r}), over and over"
                if period > 1 and _PRINTABLE.issuperset(content):
                    what = f"the text {content!r}, over and over"
                yield ContentRun(low + start, low + end, what, False, period)
            break
    start, end = _bounds_of_non_address_words(target, memory, at)
    if end - start >= MIN_WILD * WORD:
        yield ContentRun(low + start, low + end, _describe_content(memory[start:end]), False)


def _contains_address(target: Target, pattern: bytes) -> bool:
    """Whether a pattern has an address in it: tables of pointers repeat by nature."""
    words = [int.from_bytes(pattern[n : n + WORD], "little") for n in range(0, len(pattern), WORD)]
    return any(word >= LOW and target.region_at(word) is not None for word in words)


def _bounds_of_repeated_pattern(memory: bytes, at: int, period: int) -> tuple[int, int]:
    """Return where a pattern that goes over a place begins and ends."""
    start, end = at, at
    while (
        start > 0
        and start - 1 + period < len(memory)
        and (memory[start - 1] == memory[start - 1 + period])
    ):
        start -= 1
    while end + period < len(memory) and memory[end] == memory[end + period]:
        end += 1
    end += period
    if end - start < max(MIN_RUN, MIN_PERIODS * period) or end < at + WORD:
        return at, at
    pattern, window = memory[start : start + period], max(2 * WORD, period)

    def does_pattern_fit(where: int) -> bool:
        return 0 <= where <= len(memory) - window and all(
            memory[n] == pattern[(n - start) % period] for n in range(where, where + window)
        )

    def grow_to_edge(edge: int, step: int) -> int:
        while 0 <= edge + step < len(memory):
            if memory[min(edge, edge + step)] == pattern[(min(edge, edge + step) - start) % period]:
                edge += step
                continue
            skipped = (edge & -WORD) if step > 0 else -(-edge // WORD) * WORD
            for words in range(1, MAX_CHANGED + 1):
                beyond = skipped + step * WORD * words
                if does_pattern_fit(beyond if step > 0 else beyond - window):
                    edge = beyond
                    break
            else:
                return edge
        return edge

    return grow_to_edge(start, -1), grow_to_edge(end, 1)


def _runs_in_steps(target: Target, memory: bytes, at: int) -> Iterator[tuple[int, int, str, int]]:
    """Yield (start, end, words, stride) of numbers that grow by one step around a place."""
    for width, stride in _STEPS:
        # Of records, the fields beside are looked at too: the place lies in one of them.
        lanes = range(at + WORD - max(WORD, stride), at + WORD, width) if width > 2 else (at,)
        for first in lanes:
            run = _numbers_in_step(memory, first, width, stride)
            if run is None:
                continue
            start, end, step = run
            if start > at or end + stride - width < at + WORD:
                continue
            end = max(end, at + WORD)
            if end - start < (MIN_TERMS - 1) * stride + width:
                continue
            word = int.from_bytes(memory[first & -WORD : (first & -WORD) + WORD], "little")
            if step % 16 == 0 and word >= LOW and target.region_at(word) is not None:
                continue  # objects side by side are named in step
            yield start, end, _describe_numbers(memory, start, width, stride), stride
            return


def _numbers_in_step(
    memory: bytes, at: int, width: int, stride: int
) -> tuple[int, int, int] | None:
    """Return start and end of numbers in equal steps around one, and the step; None without."""
    mask = (1 << 8 * width) - 1

    def number(place: int) -> int | None:
        whole = place >= 0 and place + width <= len(memory)
        return int.from_bytes(memory[place : place + width], "little") if whole else None

    here = number(at)
    for side in (stride, -stride):
        beside = number(at + side)
        if here is None or beside is None:
            continue
        step = (beside - here if side > 0 else here - beside) & mask
        if not step:
            continue

        def is_number_in_step(count: int, step: int = step) -> bool:
            return number(at + count * stride) == (here + count * step) & mask

        ends = [0, 0]
        for side_number, way in enumerate((-1, 1)):
            while is_number_in_step(way * (ends[side_number] + 1)):
                ends[side_number] += 1
        if sum(ends) + 1 < MIN_TERMS:
            continue
        for side_number, way in enumerate((-1, 1)):  # on over what was changed since
            missed = 0
            while missed <= MAX_CHANGED:
                count = ends[side_number] + missed + 1
                if is_number_in_step(way * count):
                    ends[side_number], missed = count, 0
                else:
                    missed += 1
        return at - ends[0] * stride, at + ends[1] * stride + width, step
    return None


def _describe_numbers(memory: bytes, start: int, width: int, stride: int) -> str:
    places = [start + n * stride for n in range(SHOWN)]
    numbers = [int.from_bytes(memory[at : at + width], "little") for at in places]
    shapes = [shape_of(number) for number in numbers] if width == WORD else []
    if shapes and all(shape is not None and shape.name == "double" for shape in shapes):
        import struct

        shown = [repr(struct.unpack_from("<d", memory, at)[0]) for at in places]
        return f"floating-point numbers in equal steps, from {', '.join(shown)} on"
    kind = f"{8 * width}-bit numbers"
    if width == 4 and all(0x2F000000 < number < 0x4F000000 for number in numbers):
        kind = "32-bit numbers (floating-point ones)"
    shown = [f"{number:#x}" if number >= NEAR_NULL else str(number) for number in numbers]
    return f"{kind} in equal steps, from {', '.join(shown)} on"


def _bounds_of_non_address_words(target: Target, memory: bytes, at: int) -> tuple[int, int]:
    """Return where words begin and end that are no addresses and no small numbers."""

    def is_no_address(place: int) -> bool:
        word = int.from_bytes(memory[place : place + WORD], "little")
        return LOW <= word < WORD_MASK and target.region_at(word) is None

    if not is_no_address(at):
        return at, at
    ends = []
    for way in (-WORD, WORD):
        edge = place = at
        while 0 <= place + way <= len(memory) - WORD and abs(place + way - edge) <= WORD * 2:
            place += way
            if is_no_address(place):
                edge = place
        ends.append(edge)
    return ends[0], ends[1] + WORD


def _describe_content(content: bytes) -> str:
    """Say what data look like."""
    printable = sum(byte in _PRINTABLE for byte in content)
    if printable * 8 >= 7 * len(content):
        return f"text, {content[:24]!r}"
    words = [
        int.from_bytes(content[at : at + WORD], "little") for at in range(0, len(content), WORD)
    ]
    shapes = [shape.name for shape in map(shape_of, words) if shape is not None]
    common = max(shapes, key=shapes.count, default="")
    if shapes.count(common) * 2 > len(words):
        names = {"double": "floating-point numbers", "int-pair": "small numbers",
                 "ascii": "text", "poison": "a filling pattern"}  # fmt: skip
        if common in names:
            return f"{names[common]}, {', '.join(f'{word:#x}' for word in words[:SHOWN])}"
    return f"data that are no addresses, {', '.join(f'{word:#x}' for word in words[:SHOWN])}"

# SPDX-License-Identifier: Apache-2.0
"""Find str and bytes objects: those that frames and the fault lead to, or all in some memory."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.heap.pymalloc_pools import POOL_SIZES, read_pool_shape
from gdb_epi.corruption.heap.readers import CHUNK, words_at_fault
from gdb_epi.cpython.heap.object_search import ObjectSearch
from gdb_epi.cpython.objects.str_layout import (
    MAX_DATA,
    UNHASHED,
    HashedString,
    StringLayout,
    bytes_object_layout,
    read_hashed_string,
    str_object_layout,
)
from gdb_epi.cpython.types import PyFrame, PythonState
from gdb_epi.errors import UnreadableMemory
from gdb_epi.target.api import Target
from gdb_epi.target.memory_search import find_bytes
from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import re

MAX_FRAMES = 64  # of all threads, those of the crashed one first
MAX_NAMED = 4096
MAX_TUPLE = 512
MAX_KEYS = 512
MAX_ARGUMENTS, MAX_SAME_HASH, MIN_HASH = 4, 16, 1 << 32  # smaller ones are other numbers
MIN_WANTED = 16
MAX_NEAR_TYPES = 64  # places of one such word in one piece of memory
MAX_LOOKED_AT = 512  # type pointers, for a sample


class SkippedObjects:
    """What a search left out: long strings; objects whose state or length is impossible."""

    def __init__(self) -> None:
        self.long = 0
        self.odd: list[int] = []


def str_and_bytes_layouts(heap: ObjectSearch, python: PythonState) -> list[StringLayout]:
    """Return the forms of str and bytes; empty when the types are not found."""
    layout = heap.reader.layout
    types: dict[str, int] = {}
    for interpreter in python.interpreters:
        contents = heap.access.module_dict(interpreter.address, "builtins")
        for name in ("str", "bytes"):
            address = heap.access.dict_value(contents, name) if contents else None
            if address and heap.access.ident(address) == "type":
                types.setdefault(name, address)
    if "str" not in types:
        kind = _type_of_names(heap, python)
        if kind is None:
            return []
        types["str"] = kind
    form = str_object_layout(layout, types["str"])
    return [form, bytes_object_layout(layout, types["bytes"])] if "bytes" in types else [form]


def _type_of_names(heap: ObjectSearch, python: PythonState) -> int | None:
    """Return the type of the names of code objects, when they agree."""
    at = heap.reader.layout.require("PyCodeObject", "co_name")
    kinds: dict[int, int] = {}
    for thread in python.threads():
        for frame in thread.frames[:MAX_FRAMES]:
            try:
                kind = heap.reader.type_of(heap.reader.u64(frame.code + at))
            except UnreadableMemory:
                continue
            kinds[kind] = kinds.get(kind, 0) + 1
    return max(kinds, key=lambda kind: kinds[kind]) if kinds else None


def reachable_strings(
    context: Context, heap: ObjectSearch, python: PythonState, form: StringLayout
) -> Iterator[int]:
    """Yield str objects that code objects, namespaces of frames, and the fault know; each once."""
    seen: set[int] = set()
    for address in _candidate_strings(context, heap, python):
        if address in seen or address & 7:
            continue
        seen.add(address)
        if len(seen) > MAX_NAMED:
            return
        try:
            if heap.reader.type_of(address) == form.type:
                yield address
        except UnreadableMemory:
            continue


def _candidate_strings(context: Context, heap: ObjectSearch, python: PythonState) -> Iterator[int]:
    threads = sorted(python.threads(), key=lambda thread: not thread.crashed)
    frames = [frame for thread in threads for frame in thread.frames][:MAX_FRAMES]
    seen: set[int] = set()
    for frame in frames:
        if frame.code and frame.code not in seen:
            seen.add(frame.code)
            yield from _names_in_code_object(heap, frame.code)
    yield from words_at_fault(context)
    yield from _arguments_of_exceptions(context, heap)
    for frame in frames[:3]:
        yield from _keys_of_globals(heap, frame)


def _arguments_of_exceptions(context: Context, heap: ObjectSearch) -> Iterator[int]:
    """Yield the arguments of the crashed thread's exceptions, and what has the hash of one.

    A KeyError has the key. The one that it was not found by kept its hash if a letter was damaged.
    """
    layout, word = heap.reader.layout, heap.reader.word
    args_at = layout.require("PyBaseExceptionObject", "args")
    hash_at = layout.require("PyASCIIObject", "hash")
    for thread in context.state.exceptions:
        raised = thread.all_raised() if thread.thread.crashed else ()
        for info in (info for chain in raised for info in chain.exceptions if info.address):
            arguments = heap.access.sequence_items(word(info.address + args_at)) or ()
            for argument in arguments[:MAX_ARGUMENTS]:
                yield argument
                if heap.access.ident(argument) == "str":
                    hash_ = word(argument + hash_at)
                    places = (
                        context.places_of_word(hash_, MAX_SAME_HASH) if hash_ >= MIN_HASH else ()
                    )
                    yield from (place - hash_at for place in places)


def _names_in_code_object(heap: ObjectSearch, code: int) -> Iterator[int]:
    reader, layout = heap.reader, heap.reader.layout
    for member in ("co_name", "co_qualname", "co_filename"):
        at = layout.offset("PyCodeObject", member)
        if at is not None:
            try:
                yield reader.u64(code + at)
            except UnreadableMemory:
                continue
    for member in ("co_names", "co_varnames", "co_localsplusnames", "co_consts"):
        at = layout.offset("PyCodeObject", member)
        if at is None:
            continue
        try:
            names = heap.access.sequence_items(reader.u64(code + at))
        except UnreadableMemory:
            continue
        yield from (names or ())[:MAX_TUPLE]


def _keys_of_globals(heap: ObjectSearch, frame: PyFrame) -> Iterator[int]:
    """Yield the keys of the globals that a frame has."""
    layout = heap.reader.layout
    at = layout.offset("_PyInterpreterFrame", "f_globals")
    if at is None:
        at = layout.offset("PyFrameObject", "f_globals")
    if at is None or not frame.address:
        return
    try:
        space = heap.reader.u64(frame.address + at)
    except UnreadableMemory:
        return
    for number, (key, _value) in enumerate(heap.access.dict_pairs(space)):
        if number == MAX_KEYS:
            return
        yield key


def sample_strings(context: Context, form: StringLayout) -> list[HashedString]:
    """Return hashed strings of memory, to tell the algorithm by; small mappings come first."""
    # Without its zero bytes: far faster. What is no type pointer then is no string either.
    needle = form.type.to_bytes(8, "little").rstrip(b"\0")
    sample: list[HashedString] = []
    looked = 0
    regions = [
        region for region in context.target.regions() if "w" in region.perms and region.dumped > 0
    ]
    for region in sorted(regions, key=lambda region: region.dumped):
        end = region.dumped_end
        for at in find_bytes(context.target, needle, region.start, end):
            looked += 1
            text = "" if at & 7 else read_hashed_string(context.target, form, at - form.type_at)
            if isinstance(text, HashedString):
                sample.append(text)
            if looked >= MAX_LOOKED_AT or len(sample) >= 2 * MIN_WANTED:
                return sample
    return sample


def hashed_strings_in(
    target: Target,
    form: StringLayout,
    start: int,
    memory: bytes,
    left_out: SkippedObjects,
    wanted: re.Pattern[bytes] | None = None,
) -> Iterator[tuple[int, bytes, int]]:
    """Yield (address, contents, hash) of the hashed objects of one type in a piece of memory.

    `start` is aligned to 8. What cannot be read is left out; `left_out` takes the rest. `wanted`
    finds the type words of some objects; without it all of them are.
    """
    size = len(memory)
    numbers = [
        at - form.type_at >> 3
        for at in find_all_occurrences(wanted or form.type.to_bytes(8, "little"), memory)
        if not at & 7
    ]
    first_inside = bisect_left(numbers, 0)
    behind = bisect_right(numbers, size - form.head_size - 256 >> 3)
    for number in (*numbers[:first_inside], *numbers[behind:]):
        yield from _string_reaching_over_end(target, form, start + 8 * number, left_out)
    inside = numbers[first_inside:behind]
    if not inside:
        return
    from array import array

    words = array("Q", memory[: size & ~7])
    # itemgetter takes all words at one offset at once: a quarter of the time of struct.
    pick = itemgetter(*inside, 0)
    state_at, shift = form.state_at & ~7, 8 * (form.state_at & 4)
    lengths, hashes, states = (
        pick(words[at >> 3 :]) for at in (form.length_at, form.hash_at, state_at)
    )
    kinds = {bits << shift: kind for bits, kind in form.kinds.items()}
    mask = form.state_mask << shift
    for number, length, stored, state in zip(inside, lengths, hashes, states, strict=False):
        if stored == UNHASHED:
            continue
        kind = kinds.get(state & mask)
        if kind is None or length > CHUNK:
            left_out.odd.append(start + (number << 3))
            continue
        first = (number << 3) + kind[0]
        last = first + length * kind[1]
        if last <= size and last - first <= MAX_DATA:
            yield start + (number << 3), memory[first:last], stored
        else:
            yield from _string_reaching_over_end(target, form, start + (number << 3), left_out)


def find_all_occurrences(needle: bytes | re.Pattern[bytes], memory: bytes) -> list[int]:
    """Return where bytes stand in a piece of memory, ascending, without overlaps.

    Half of the time that bytes.find takes when there are thousands.
    """
    import re

    pattern = re.escape(needle) if isinstance(needle, bytes) else needle
    return [match.start() for match in re.finditer(pattern, memory)]


def places_of_types_one_bit_off(
    forms: Sequence[StringLayout],
    start: int,
    memory: bytes,
    patterns_of_types: Iterable[re.Pattern[bytes]],
) -> Iterator[tuple[StringLayout, int]]:
    """Yield where objects may lie whose type word is one bit from the type's address.

    `patterns_of_types` are some of patterns_one_bit_off_types(). That an object lies there, its
    hash has to tell.
    """
    for pattern in patterns_of_types:
        seen: dict[int, int] = {}
        for match in pattern.finditer(memory):
            at = match.start() & ~7
            word = int.from_bytes(memory[at : at + 8], "little")
            form = next(
                (candidate for candidate in forms if (word ^ candidate.type).bit_count() == 1), None
            )
            seen[word] = seen.get(word, 0) + 1
            if form is not None and seen[word] <= MAX_NEAR_TYPES:
                yield form, start + at - form.type_at


class PatternsOneBitOffTypes(NamedTuple):
    """Expressions for words one bit from the address of a type, by the half that is whole.

    They begin with that half: memory without it, as buffers are, takes 0.4 ns a byte.
    """

    low: list[re.Pattern[bytes]]
    high: list[re.Pattern[bytes]]


def patterns_one_bit_off_types(forms: Sequence[StringLayout]) -> PatternsOneBitOffTypes:
    """Return the expressions for the types of some forms."""
    import re

    high: dict[bytes, list[bytes]] = {}  # types of one library share it: it is searched for once
    for form in forms:
        first, last = address_part_patterns(form)
        near = b"".join(map(_byte_or_one_bit_off_pattern, form.type.to_bytes(8, "little")[:3]))
        either = b"(?<=%s%s)(?<!%s%s)" % (near, last, first, last)
        high.setdefault(last, []).append(either)
    return PatternsOneBitOffTypes(
        [
            re.compile(
                address_part_patterns(form)[0] + high_part_one_bit_off_pattern(form), re.DOTALL
            )
            for form in forms
        ],
        [re.compile(b"%s(?:%s)" % (k, b"|".join(v)), re.DOTALL) for k, v in high.items()],
    )


def address_part_patterns(form: StringLayout) -> tuple[bytes, bytes]:
    """Return the expressions for the low three bytes of a type's address, and for the rest."""
    import re

    word = form.type.to_bytes(8, "little")
    return re.escape(word[:3]), re.escape(word[3:])


def high_part_one_bit_off_pattern(form: StringLayout) -> bytes:
    """Return what follows on the low half of a type's address when one bit of the rest is wrong."""
    near = b"".join(map(_byte_or_one_bit_off_pattern, form.type.to_bytes(8, "little")[3:]))
    return b"(?!%s)(?=%s)" % (address_part_patterns(form)[1], near)


def _byte_or_one_bit_off_pattern(byte: int) -> bytes:
    """Return the expression for a byte and its eight neighbours."""
    flips = (0, *(1 << bit for bit in range(8)))
    return b"[%s]" % b"".join(b"\\x%02x" % (byte ^ flip) for flip in flips)


def is_mostly_pymalloc_pools(start: int, memory: bytes) -> bool:
    """Tell whether pymalloc's pools fill most of a piece of memory."""
    step = POOL_SIZES[0]
    places = range(-start % step, len(memory) - step + 1, step)
    pools = sum(read_pool_shape(start + at, memory, at) is not None for at in places)
    return bool(places) and 2 * pools > len(places)


def _string_reaching_over_end(
    target: Target, form: StringLayout, address: int, left_out: SkippedObjects
) -> Iterator[tuple[int, bytes, int]]:
    """Yield an object that reaches over the end of the piece."""
    text = read_hashed_string(target, form, address)
    if isinstance(text, HashedString):
        yield address, text.data, text.stored
    elif text in ("long", "odd"):  # a flipped length may make any string long
        left_out.long += text == "long"
        left_out.odd.append(address)

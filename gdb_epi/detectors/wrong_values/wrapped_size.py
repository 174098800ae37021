# SPDX-License-Identifier: Apache-2.0
"""An access by a size or an offset that was computed in 32 bits, where the true one has more."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement

from gdb_epi.detectors.registry import Finding, SupportedLabel, detector, hex_word
from gdb_epi.errors import Absent
from gdb_epi.fault.account import ACCESS
from gdb_epi.fault.find_fault import GENERAL
from gdb_epi.fault.malloc_heap import FLAGS, HEAD_BYTES, MIN_CHUNK
from gdb_epi.fault.mapping_checks import NEAR_NULL, permits
from gdb_epi.fault.memory_reads import read_up_to, read_word
from gdb_epi.fault.variables_holding_address import numbers_in_variables
from gdb_epi.process_state import ProcessState
from gdb_epi.sizes import HALF_MASK, PAGE, WORD, split_into_words
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple

STRUCT = 64  # bytes of a struct in which its sizes are looked for, beside the block
MAX_NUMBERS = 24
MAX_NUMBER = 1 << 31  # from there on it is -1 and its like, by far more often than a count
ITEM_SIZES = (1, 2, 3, 4, 8, 16)  # bytes
IS_MMAPPED = 2  # malloc/malloc.c
WRAP = 1 << 32
MIN_BEFORE = 1 << 24  # bytes before memory; a loop that runs backwards, or -1, leads less far
MIN_SIZE = 64  # smaller blocks fit too much


class _MallocBlock(NamedTuple):
    """A block of malloc's: where it begins, the size of its chunk, and numbers that stand by it."""

    start: int
    chunk: int
    numbers: frozenset[int]


@detector(
    "wrapped_size", needs="crash", supports=SupportedLabel("software", "out-of-bounds", root=True)
)
def wrapped_size(state: ProcessState) -> Iterator[Finding]:
    """Find a block of malloc's that is too small by a multiple of 4 GiB, and an access behind it.

    Or an access before memory of 2 GiB and more, by less than that: 4 GiB farther on it is in it,
    where an offset that is kept in an int leads. Flips of one bit do so too, in one bit of 43.

    The numbers of items stand in the struct that names the block, or in registers: their product
    reaches the place that was accessed, and what it is in 32 bits is the size that malloc was
    asked for.
    Innocent causes: one flipped bit of a number, tested: none makes the size right without a wrap,
    or a variable of Python holds the same number. A number that is used twice may be one word.
    That numbers beside a pointer fit a block of other origin by chance: 1 of a million for each
    pair and size of an item, as malloc rounds a large block up to pages. Halves of pointers, and
    what is negative as an int, are no counts.
    Reference: CWE-190; sysmalloc_mmap() and request2size in glibc's malloc/malloc.c.
    """
    account = state.fault_account
    if isinstance(account, Absent) or account.how != ACCESS or account.address is None:
        return
    meant = state.target.region_at(account.address + WRAP)
    if meant is not None and permits(meant, "w") and meant.path is None:
        before = meant.start - account.address
        if MIN_BEFORE <= before <= MAX_NUMBER <= meant.size:
            facts: dict[str, object] = {"block": hex_word(meant.start)}
            summary = (
                f"an offset was computed in 32 bits, and wrapped: the access is {before:,} bytes "
                f"before memory of {meant.size:,} bytes, and 4 GiB farther on it would be in it"
            )
            yield Finding("wrapped_size", f"thread {account.fault.tid}", facts, summary)
            return
    registers = account.fault.registers
    held = [registers.get(name, 0) for name in GENERAL]
    certain: frozenset[int] | None = None
    for block in _malloc_blocks_in_registers(state.target, held):
        distance = account.address - block.start
        if not block.chunk <= distance:
            continue
        numbers = sorted(block.numbers | {number for number in held if 1 < number < MAX_NUMBER})
        products = list(_wrapped_products(numbers[-MAX_NUMBERS:], block.chunk, distance))
        if not products:
            continue
        if certain is None:
            certain = numbers_in_variables(state.target, state.python, account.fault.tid)
        wrapped = next(
            (p for p in products if not _is_product_by_bit_flip(p, block.chunk, certain)), None
        )
        if wrapped is None:
            continue
        first, second, size = wrapped
        wanted = first * second * size
        facts = {"numbers": [first, second], "item": size, "block": hex_word(block.start)}
        times = f"{first} x {second}" + (f" x {size} bytes" if size > 1 else " bytes")
        summary = (
            f"a size was computed in 32 bits, and wrapped: {times} are {wanted:,}, and the block "
            f"is one for {wanted % WRAP:,}"
        )
        yield Finding("wrapped_size", f"thread {account.fault.tid}", facts, summary)
        return


def _malloc_blocks_in_registers(target: Target, held: list[int]) -> Iterator[_MallocBlock]:
    """Yield blocks that registers name, or structs that registers name."""
    starts: dict[int, frozenset[int]] = dict.fromkeys(held, frozenset())
    for struct in dict.fromkeys(held):
        if struct < NEAR_NULL or struct % WORD:
            continue
        raw = read_up_to(target, struct, STRUCT)
        words = split_into_words(raw)
        no_pointers = (word for word in words if target.region_at(word) is None)
        halves = (half for word in no_pointers for half in (word & HALF_MASK, word >> 32))
        numbers = frozenset(half for half in halves if 1 < half < MAX_NUMBER)
        for word in words:
            starts[word] = starts.get(word, frozenset()) | numbers
    for start, numbers in starts.items():
        if start < NEAR_NULL or start % HEAD_BYTES:
            continue
        head = read_word(target, start - WORD) or 0
        chunk = head & ~FLAGS
        by_pages = bool(head & IS_MMAPPED)
        if chunk < MIN_CHUNK or chunk % (PAGE if by_pages else HEAD_BYTES):
            continue
        if by_pages and start % PAGE != HEAD_BYTES:
            continue
        yield _MallocBlock(start, chunk | (IS_MMAPPED if by_pages else 0), numbers)


def _wrapped_products(
    numbers: list[int], chunk: int, distance: int
) -> Iterator[tuple[int, int, int]]:
    """Yield two numbers and an item's size whose product, in 32 bits, is a block's size."""
    for first, second in combinations_with_replacement(numbers, 2):
        for size in ITEM_SIZES:
            wanted = first * second * size
            asked = wanted % WRAP
            if wanted < WRAP or asked < MIN_SIZE or distance >= wanted:
                continue
            if _chunk_size_for_request(asked, bool(chunk & IS_MMAPPED)) == chunk & ~IS_MMAPPED:
                yield first, second, size


def _is_product_by_bit_flip(
    product: tuple[int, int, int], chunk: int, certain: frozenset[int]
) -> bool:
    """Tell whether a number with one bit changed gives the block as well; not of a certain one."""
    first, second, size = product
    by_pages, length = bool(chunk & IS_MMAPPED), chunk & ~IS_MMAPPED
    meant = []
    for number, other in ((first, second), (second, first)):
        if number not in certain:
            changed = [number ^ 1 << bit for bit in range(32)]
            meant += [each * other for each in changed]
            meant += [each * each for each in changed if number == other]  # one word, used twice
    return any(_chunk_size_for_request(count * size, by_pages) == length for count in meant)


def _chunk_size_for_request(asked: int, by_pages: bool) -> int:
    """Return the size of the chunk that malloc takes for a request."""
    if by_pages:
        return -(-(asked + HEAD_BYTES) // PAGE) * PAGE
    return max(MIN_CHUNK, -(-(asked + WORD) // HEAD_BYTES) * HEAD_BYTES)

# SPDX-License-Identifier: Apache-2.0
"""R24: a link of a C list or tree leads to no block; a block without a link is one bit away.

Blocks of malloc are of a kind when they are about as large and their words are alike: addresses of
blocks, of files, of other memory, small numbers. Nothing is known of the program's structs.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import Evidence, word_evidence
from gdb_epi.corruption.heap.malloc_chunks import HEAD, HeapChunks, heap_chunks, is_in_free_chunk
from gdb_epi.corruption.heap.memory_readers import POINTER_LANES, is_on_stack
from gdb_epi.corruption.heap.object_references import is_partly_written
from gdb_epi.corruption.pointers.suspect_words import Suspect, find_suspects
from gdb_epi.corruption.registry import check
from gdb_epi.fault.malloc_heap import FLAGS
from gdb_epi.fault.mapping_checks import NEAR_NULL
from gdb_epi.sizes import WORD
from gdb_epi.typing_lite import NamedTuple

SIBLINGS = 32  # the nearest blocks that hold such a link
MIN_SIBLINGS = 8
MAX_BLOCKS = 100_000  # of a heap
MAX_WORDS = 64  # of one block
MAX_UNNAMED = 8  # blocks of a kind: lists' first, leaked ones, and the one that is looked for
NEARLY_ALL = 0.9
MAX_ZEROS = 1  # words of a block that may be of any sort: no link, or a number
SLACK = 2  # words: the header, and one at the end that a program need not use
GRAIN = 16  # bytes
SMALL = 1 << 16
BLOCK, NUMBER, OTHER = "block", "number", "other"
BITS = range(9, 47)  # a neighbour in memory is nearer, and marks are in others


class BlockLink(NamedTuple):
    """A word of a block that should name another.

    `kin` are the nearest blocks like its block, `siblings` what the same word of some of those
    names.
    """

    slot: int
    kin: tuple[int, ...]
    siblings: tuple[int, ...]


class MallocBlocks:
    """The blocks of the main heap, by their addresses."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._every: HeapChunks = heap_chunks(context)
        places = self._every.places if len(self._every.places) <= MAX_BLOCKS else []
        self._starts = [self._every.start + WORD * (at + HEAD) for at in places]
        self._known = set(self._starts)

    def begins(self, address: int) -> bool:
        """Whether a block begins at an address, in use or free."""
        return address in self._known

    def is_free(self, address: int) -> bool:
        """Whether an address lies in a free block, or after the last one: in malloc's top."""
        if is_in_free_chunk(self._context, address):
            return True
        end = self._starts[-1] + self.size(self._starts[-1]) if self._starts else 0
        return end <= address < self._every.start + WORD * len(self._every.words)

    def link(self, slot: int) -> BlockLink | None:
        """Return the word at `slot` as a link; None where the words like it name no blocks."""
        number = bisect_right(self._starts, slot) - 1
        if number < 0 or is_in_free_chunk(self._context, slot):
            return None
        holder = self._starts[number]
        at, count = (slot - holder) // WORD, self.size(holder) // WORD - SLACK
        if not 0 <= at < count or count > MAX_WORDS:
            return None
        own = self._words(holder, count)
        alike = {n: self._sort(word) for n, word in enumerate(own) if word and n != at}
        kin = self._like(holder, alike | {at: BLOCK})
        kin.sort(key=lambda block: abs(block - holder))
        named = [
            word for block in kin if block != holder and (word := self._word(block + WORD * at))
        ]
        siblings = tuple(named[:SIBLINGS])
        return BlockLink(slot, tuple(kin), siblings) if len(siblings) >= MIN_SIBLINGS else None

    def unnamed(self, link: BlockLink) -> list[int]:
        """Return the blocks like those that a link's siblings name, which none of its kin names.

        Empty for more than MAX_UNNAMED: then it says nothing.
        """
        named = {word for block in link.kin for word in self._words(block)}
        least = min(link.siblings, key=self.size)
        alike = self._alike(link.siblings, self.size(least) // WORD - SLACK)
        blocks = [block for block in self._like(least, alike) if block not in named]
        return blocks if len(blocks) <= MAX_UNNAMED else []

    def size(self, start: int) -> int:
        """Return the size of the chunk of a block, its header included."""
        return self._word(start - WORD) & ~FLAGS

    def _like(self, block: int, alike: dict[int, str]) -> list[int]:
        """Return the blocks in use as large as one, or the next larger, whose words are alike."""
        size = self.size(block)
        words, start = self._every.words, self._every.start
        blocks = []
        for at in self._every.places:
            if size <= words[at + 1] & ~FLAGS <= size + GRAIN:
                held = [words[at + HEAD + n] for n in alike]
                same = map(self._is_sort, held, alike.values())
                start_of_block = start + WORD * (at + HEAD)
                few = held.count(0) <= MAX_ZEROS and (any(held) or not held)
                if few and all(same) and not is_in_free_chunk(self._context, start_of_block):
                    blocks.append(start_of_block)
        return blocks

    def _word(self, address: int) -> int:
        word: int = self._every.words[(address - self._every.start) // WORD]
        return word

    def _words(self, start: int, count: int = MAX_WORDS) -> list[int]:
        at = (start - self._every.start) // WORD
        count = min(count, self.size(start) // WORD - 1)
        return self._every.words[at : at + count].tolist()

    def _alike(self, siblings: tuple[int, ...], count: int) -> dict[int, str]:
        """Return the words, by their numbers, that are of one sort in nearly all siblings."""
        sort_by_word = {}
        contents = [self._words(block, count) for block in dict.fromkeys(siblings)]
        for number in range(count):
            sorts = Counter(self._sort(words[number]) for words in contents if words[number])
            for sort, times in sorts.most_common(1):
                if times >= NEARLY_ALL * sorts.total() and 2 * times >= len(contents):
                    sort_by_word[number] = sort
        return sort_by_word

    def _is_sort(self, word: int, sort: str) -> bool:
        return not word or self._sort(word) == sort

    def _sort(self, word: int) -> str:
        if word in self._known:
            return BLOCK
        if word < SMALL:
            return NUMBER
        region = self._context.target.region_at(word)
        return OTHER if region is None else f"{region.perms} {region.path or ''}"


@check(
    "R24",
    costly=True,
    needs="crash",
    order=58,
    innocent_causes=(
        "a block that was freed and joined to others (the next of its list may be unnamed then, "
        "and lies near: bits below the tenth are left out); marks in the lowest and top bits "
        "(left out); blocks that the program leaked (more than eight say nothing); a zero of two "
        "or four bytes over the end of a word."
    ),
)
def dangling_node_links(context: Context) -> Iterator[Evidence]:
    """Hold a link in a block of malloc against the links in the blocks of its kind.

    The word must name no block, and no free memory; the same word of others of its kind names
    blocks that are alike; and of those, at most eight of which none of the kind names, exactly
    one is one bit away (R24), or one byte, which is 0 (M:link).
    """
    slots = {
        slot: suspect for suspect in find_suspects(context) for slot in _slots(context, suspect)
    }
    if not slots:
        return
    links = MallocBlocks(context)
    for slot, suspect in slots.items():
        if links.begins(suspect.value) or links.is_free(suspect.value):
            continue
        link = links.link(slot)
        unnamed = links.unnamed(link) if link is not None else []
        yield from _adjacent(
            context, slot, suspect.value, unnamed, len(link.siblings) if link else 0
        )


def _slots(context: Context, suspect: Suspect) -> list[int]:
    """Return the one place of a word that may be a damaged link; empty where several hold it."""
    if suspect.value < NEAR_NULL:
        return []
    places = [slot for slot in suspect.slots if not is_on_stack(context, slot)]
    return places if len(places) == 1 else []


def _adjacent(
    context: Context, slot: int, value: int, unnamed: list[int], count: int
) -> Iterator[Evidence]:
    """Yield the one block that is a bit away, else the one that is a byte of zeros away."""
    by_bit = [block for block in unnamed if block ^ value in {1 << bit for bit in BITS}]
    by_byte = [block for block in unnamed if _is_zeroed_byte(value, block)]
    blocks = by_bit or by_byte
    if len(blocks) != 1 or is_partly_written(context, slot, value, blocks[0]):
        return
    how = "one bit" if by_bit else "one byte, which is 0,"
    summary = (
        f"the word at {slot:#018x}, {value:#018x}, names no block of malloc, where {count} blocks "
        f"of its kind name such; {how} away is {blocks[0]:#018x}, one of {len(unnamed)} of those "
        "that none of them names"
    )
    yield word_evidence("R24" if by_bit else "M:link", slot, value, blocks[0], summary)


def _is_zeroed_byte(value: int, right: int) -> bool:
    """Whether a byte of an address is 0 and those below it are not: no store of a zero did that."""
    for lane in POINTER_LANES:
        byte = 0xFF << 8 * lane
        if (value ^ right) & ~byte == 0 and not value & byte and value & (1 << 8 * lane) - 1:
            return True
    return False

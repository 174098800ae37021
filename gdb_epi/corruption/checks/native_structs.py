# SPDX-License-Identifier: Apache-2.0
"""R24, R29: what data of C and C++ name: the next block of a list or tree, a table of functions.

R24: a link leads to no block, and a block without a link is one bit away. Blocks of malloc are of a
kind when they are about as large and their words are alike: addresses of blocks, of files, of other
memory, small numbers. Nothing is known of the program's structs.

R29: a C++ object, or a FILE of the C library, whose table of functions is beside one. The table
that an object names begins where the words before are the offset to the whole object and the type's
description (Itanium C++ ABI, 2.5.2 and 2.9.5). A flipped low bit leads into the middle of such a
table: another method is called, which takes its arguments for what they are not. glibc refuses a
FILE whose table is none of its own. The table that a struct of C names begins with functions.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator

from gdb_epi.corruption.checks.overwritten_places import ID as OVERWRITTEN_PLACE
from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import Evidence, plain_evidence, word_evidence
from gdb_epi.corruption.heap.malloc_chunks import HEAD, HeapChunks, heap_chunks, is_in_free_chunk
from gdb_epi.corruption.heap.object_references import can_software_have_written_word
from gdb_epi.corruption.heap.readers import POINTER_LANES, is_on_stack, words_at_fault
from gdb_epi.corruption.pointers.suspects import SuspectedWord, find_suspects
from gdb_epi.corruption.registry import check
from gdb_epi.fault.malloc_heap import FLAGS
from gdb_epi.fault.mapping_checks import NEAR_NULL, may_execute
from gdb_epi.fault.memory_reads import read_word, try_read
from gdb_epi.fault.stdio_files import FILE_MAGIC, FILE_TABLE, MAGIC_MASK, stdio_files
from gdb_epi.sizes import WORD, signed_word, split_into_words
from gdb_epi.target.api import Region
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import memoized

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
TABLE_BITS = range(3, 16)  # beyond, the word leads to no table of the same file
MAX_OBJECT = 1 << 20  # bytes from the start of an object to one of its bases
MAX_PLACES = 64
MIN_ALIKE = 2  # other objects that name the right table
MAX_WRONG = 2
MIN_FUNCTIONS = 2  # words with which a table of functions begins
NAME = 4  # letters of a type's name that are looked at


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

    def begins_block(self, address: int) -> bool:
        """Whether a block begins at an address, in use or free."""
        return address in self._known

    def is_free(self, address: int) -> bool:
        """Whether an address lies in a free block, or after the last one: in malloc's top."""
        if is_in_free_chunk(self._context, address):
            return True
        end = self._starts[-1] + self.chunk_size(self._starts[-1]) if self._starts else 0
        return end <= address < self._every.start + WORD * len(self._every.words)

    def link_at(self, slot: int) -> BlockLink | None:
        """Return the word at `slot` as a link; None where the words like it name no blocks."""
        number = bisect_right(self._starts, slot) - 1
        if number < 0 or is_in_free_chunk(self._context, slot):
            return None
        holder = self._starts[number]
        at, count = (slot - holder) // WORD, self.chunk_size(holder) // WORD - SLACK
        if not 0 <= at < count or count > MAX_WORDS:
            return None
        own = self._words(holder, count)
        alike = {n: self._sort_of_word(word) for n, word in enumerate(own) if word and n != at}
        kin = self._blocks_with_like_words(holder, alike | {at: BLOCK})
        kin.sort(key=lambda block: abs(block - holder))
        named = [
            word for block in kin if block != holder and (word := self._word(block + WORD * at))
        ]
        siblings = tuple(named[:SIBLINGS])
        return BlockLink(slot, tuple(kin), siblings) if len(siblings) >= MIN_SIBLINGS else None

    def unnamed_blocks_alike(self, link: BlockLink) -> list[int]:
        """Return the blocks like those that a link's siblings name, which none of its kin names.

        Empty for more than MAX_UNNAMED: then it says nothing.
        """
        named = {word for block in link.kin for word in self._words(block)}
        least = min(link.siblings, key=self.chunk_size)
        alike = self._words_alike_in_siblings(link.siblings, self.chunk_size(least) // WORD - SLACK)
        blocks = [
            block for block in self._blocks_with_like_words(least, alike) if block not in named
        ]
        return blocks if len(blocks) <= MAX_UNNAMED else []

    def chunk_size(self, start: int) -> int:
        """Return the size of the chunk of a block, its header included."""
        return self._word(start - WORD) & ~FLAGS

    def _blocks_with_like_words(self, block: int, alike: dict[int, str]) -> list[int]:
        """Return the blocks in use as large as one, or the next larger, whose words are alike."""
        size = self.chunk_size(block)
        words, start = self._every.words, self._every.start
        blocks = []
        for at in self._every.places:
            if size <= words[at + 1] & ~FLAGS <= size + GRAIN:
                held = [words[at + HEAD + n] for n in alike]
                same = map(self._is_zero_or_of_sort, held, alike.values())
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
        count = min(count, self.chunk_size(start) // WORD - 1)
        return self._every.words[at : at + count].tolist()

    def _words_alike_in_siblings(self, siblings: tuple[int, ...], count: int) -> dict[int, str]:
        """Return the words, by their numbers, that are of one sort in nearly all siblings."""
        sort_by_word = {}
        contents = [self._words(block, count) for block in dict.fromkeys(siblings)]
        for number in range(count):
            sorts = Counter(
                self._sort_of_word(words[number]) for words in contents if words[number]
            )
            for sort, times in sorts.most_common(1):
                if times >= NEARLY_ALL * sorts.total() and 2 * times >= len(contents):
                    sort_by_word[number] = sort
        return sort_by_word

    def _is_zero_or_of_sort(self, word: int, sort: str) -> bool:
        return not word or self._sort_of_word(word) == sort

    def _sort_of_word(self, word: int) -> str:
        if word in self._known:
            return BLOCK
        if word < SMALL:
            return NUMBER
        region = self._context.target.region_at(word)
        return OTHER if region is None else f"{region.perms} {region.path or ''}"


@check("R24", costly=True, needs="crash", order=58)
def dangling_node_links(context: Context) -> Iterator[Evidence]:
    """Hold a link in a block of malloc against the links in the blocks of its kind.

    The word must name no block, and no free memory; the same word of others of its kind names
    blocks that are alike; and of those, at most eight of which none of the kind names, exactly
    one is one bit away (R24), or one byte, which is 0 (M:link).

    Innocent causes: a block that was freed and joined to others (the next of its list may be
    unnamed then, and lies near: bits below the tenth are left out); marks in the lowest and top
    bits (left out); blocks that the program leaked (more than eight say nothing); a zero of two or
    four bytes over the end of a word.
    """
    slots = {
        slot: suspect
        for suspect in find_suspects(context)
        for slot in _slots_of_damaged_link(context, suspect)
    }
    if not slots:
        return
    links = MallocBlocks(context)
    for slot, suspect in slots.items():
        if links.begins_block(suspect.value) or links.is_free(suspect.value):
            continue
        link = links.link_at(slot)
        unnamed = links.unnamed_blocks_alike(link) if link is not None else []
        yield from _evidence_of_near_block(
            context, slot, suspect.value, unnamed, len(link.siblings) if link else 0
        )


def _slots_of_damaged_link(context: Context, suspect: SuspectedWord) -> list[int]:
    """Return the one place of a word that may be a damaged link; empty where several hold it."""
    if suspect.value < NEAR_NULL:
        return []
    places = [slot for slot in suspect.slots if not is_on_stack(context, slot)]
    return places if len(places) == 1 else []


def _evidence_of_near_block(
    context: Context, slot: int, value: int, unnamed: list[int], count: int
) -> Iterator[Evidence]:
    """Yield the one block that is a bit away, else the one that is a byte of zeros away."""
    by_bit = [block for block in unnamed if block ^ value in {1 << bit for bit in BITS}]
    by_byte = [block for block in unnamed if _is_only_upper_byte_zeroed(value, block)]
    blocks = by_bit or by_byte
    if len(blocks) != 1 or can_software_have_written_word(context, slot, value, blocks[0]):
        return
    how = "one bit" if by_bit else "one byte, which is 0,"
    summary = (
        f"the word at {slot:#018x}, {value:#018x}, names no block of malloc, where {count} blocks "
        f"of its kind name such; {how} away is {blocks[0]:#018x}, one of {len(unnamed)} of those "
        "that none of them names"
    )
    yield word_evidence("R24" if by_bit else "M:link", slot, value, blocks[0], summary)


def _is_only_upper_byte_zeroed(value: int, right: int) -> bool:
    """Whether a byte of an address is 0 and those below it are not: no store of a zero did that."""
    for lane in POINTER_LANES:
        byte = 0xFF << 8 * lane
        if (value ^ right) & ~byte == 0 and not value & byte and value & (1 << 8 * lane) - 1:
            return True
    return False


@check("R29", costly=True, needs="crash", order=58)
def virtual_tables(context: Context) -> Iterator[Evidence]:
    """Look at the first word of the objects that the fault had at hand, and at all open FILEs.

    Innocent causes: an object that was freed or overwritten (its first word leads to no table's
    neighbourhood then), a table without a description of its type (-fno-rtti: nothing is said), a
    pointer into a table that is no object's first word: other objects must name the right table. A
    FILE that was closed is not on glibc's list; one without its magic number is not judged. A
    struct that names a table without functions may be of a kind that has none; that a table which
    others name is one bit away is chance then.
    """
    yield from _check_vtables_of_stdio_files(context)
    tables = _VirtualTables(context)
    yield from _check_tables_of_structs(context, tables)
    wrong: dict[int, tuple[int, list[int]]] = {}
    for address in dict.fromkeys(words_at_fault(context)):
        if address % WORD or not tables.may_be_object(address):
            continue
        held = read_word(context.target, address)
        region = None if held is None or held % WORD else context.target.region_at(held)
        if held is None or region is None or not region.is_file_mapped or tables.begins_table(held):
            continue
        right = [held ^ 1 << bit for bit in TABLE_BITS if tables.begins_table(held ^ 1 << bit)]
        alike = [table for table in right if _do_several_objects_name_table(context, table)]
        if alike:
            wrong[address] = held, alike
    if len(wrong) > MAX_WRONG:
        return
    for address, (held, alike) in wrong.items():
        if len(alike) == 1:
            summary = (
                f"the object at {address:#018x} names {held:#018x} as its virtual table: none "
                f"begins there; at {alike[0]:#018x}, one bit away, one does, and other objects "
                "name it"
            )
            yield word_evidence("R29", address, held, alike[0], summary)


def _check_vtables_of_stdio_files(context: Context) -> Iterator[Evidence]:
    """Tell a FILE that is whole, on glibc's list, and names no table of operations.

    Such a table is two words of 0 and functions (struct _IO_jump_t, libio/libioP.h).
    """
    named: dict[int, int] = {}
    for file in stdio_files(context.target):
        flags, table = (read_word(context.target, file + at) for at in (0, FILE_TABLE))
        if flags is None or table is None or flags & MAGIC_MASK != FILE_MAGIC:
            return
        named[file] = table
    sound = {table for table in named.values() if _begins_table_of_operations(context, table)}
    wrong = [(file, table) for file, table in named.items() if table not in sound]
    for file, held in wrong if len(wrong) <= MAX_WRONG < len(named) else ():
        right = [table for table in sound if (held ^ table).bit_count() == 1]
        what = f"the open FILE at {file:#x} names {held:#018x} as its table of operations, which "
        if len(right) == 1:
            what += f"is none; {right[0]:#018x}, one bit away, is one, and other FILEs name it"
            yield word_evidence("R29", file + FILE_TABLE, held, right[0], what)
        else:
            what += "is none, and is otherwise whole: that word was overwritten"
            yield plain_evidence(OVERWRITTEN_PLACE, file + FILE_TABLE, what)


def _check_tables_of_structs(context: Context, tables: _VirtualTables) -> Iterator[Evidence]:
    """Tell a struct of C that names no functions, where its like name a table one bit away."""
    for suspect in find_suspects(context):
        places = [place for place in suspect.slots if not is_on_stack(context, place)]
        held = suspect.value
        if not suspect.depth or len(places) != 1 or not tables.may_be_object(places[0]):
            continue
        if not tables.may_hold_table(held) or any(tables.which_words_are_code(held)):
            continue
        near = (held ^ 1 << bit for bit in TABLE_BITS)
        right = [
            at
            for at in near
            if all(tables.which_words_are_code(at)) and _do_several_objects_name_table(context, at)
        ]
        if len(right) == 1 and len(context.places_of_word(held, MAX_PLACES)) == 1:
            summary = (
                f"the word at {places[0]:#x} is {held:#018x}, where no function is named; "
                f"{right[0]:#018x}, one bit away, is a table of functions, and other blocks name it"
            )
            yield word_evidence("R29", places[0], held, right[0], summary)


def _begins_table_of_operations(context: Context, table: int) -> bool:
    words = split_into_words(try_read(context.target, table, 4 * WORD)) if table % WORD == 0 else ()
    return (
        len(words) == 4
        and not any(words[:2])
        and all(may_execute(context.target.region_at(word)) for word in words[2:])
    )


def _do_several_objects_name_table(context: Context, table: int) -> bool:
    places = context.places_of_word(table, MAX_PLACES)
    objects = [at for at in places if not is_on_stack(context, at) and at % (2 * WORD) == 0]
    return len(objects) >= MIN_ALIKE


class _VirtualTables:
    """Where virtual tables can be, and where they begin."""

    def __init__(self, context: Context) -> None:
        self._target = context.target
        self._constants = [
            region
            for region in context.target.regions()
            if region.is_file_mapped and "x" not in region.perms
        ]
        self._starts = [region.start for region in self._constants]

    def may_be_object(self, address: int) -> bool:
        """Whether an address is in writable memory that is no file's."""
        region: Region | None = self._target.region_at(address)
        return region is not None and "w" in region.perms and not region.is_file_mapped

    def may_hold_table(self, address: int) -> bool:
        """Whether an address lies in a file's data that may be constant."""
        if address % WORD:
            return False
        index = bisect_right(self._starts, address) - 1
        return index >= 0 and address < self._constants[index].end

    def which_words_are_code(self, table: int) -> list[bool]:
        """Return of the first words of a table whether each is the address of code."""
        words = split_into_words(try_read(self._target, table, MIN_FUNCTIONS * WORD))
        inside = self.may_hold_table(table) and len(words) == MIN_FUNCTIONS
        return [inside and may_execute(self._target.region_at(word)) for word in words] or [False]

    @memoized
    def begins_table(self, table: int) -> bool:
        """Whether an object's virtual table begins there."""
        return self.may_hold_table(table) and self._begins_vtable(table)

    def _begins_vtable(self, table: int) -> bool:
        words = split_into_words(try_read(self._target, table - 2 * WORD, 3 * WORD))
        if not words:
            return False
        to_whole, described, first = words
        if not -MAX_OBJECT < signed_word(to_whole) <= 0 or not self.may_hold_table(described):
            return False
        if first and not may_execute(self._target.region_at(first)):
            return False
        return self._describes_type(described)

    def _describes_type(self, address: int) -> bool:
        """Whether a std::type_info is there: a virtual table of its own, and a mangled name."""
        own, name = (read_word(self._target, address + n) or 0 for n in (0, WORD))
        text = try_read(self._target, name, NAME) if own and name else b""
        return (
            text != b""
            and text[:1] in b"*0123456789NSI"
            and all(0x24 <= letter < 0x7F or not letter for letter in text)
        )

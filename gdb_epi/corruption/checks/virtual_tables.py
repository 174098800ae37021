# SPDX-License-Identifier: Apache-2.0
"""R29: a C++ object, or a FILE of the C library, whose table of functions is beside one.

The table that an object names begins where the words before are the offset to the whole object and
the type's description (Itanium C++ ABI, 2.5.2 and 2.9.5). A flipped low bit leads into the middle
of such a table: another method is called, which takes its arguments for what they are not. glibc
refuses a FILE whose table is none of its own. The table that a struct of C names begins with
functions.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from gdb_epi.corruption.checks.overwritten_places import ID as OVERWRITTEN_PLACE
from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import Evidence, plain_evidence, word_evidence
from gdb_epi.corruption.heap.memory_readers import collect_fault_values, is_on_stack
from gdb_epi.corruption.pointers.suspect_words import find_suspects
from gdb_epi.corruption.registry import check
from gdb_epi.fault.mapping_checks import may_execute
from gdb_epi.fault.memory_reads import read_word, try_read
from gdb_epi.fault.stdio_files import FILE_MAGIC, FILE_TABLE, MAGIC_MASK, stdio_files
from gdb_epi.sizes import WORD, signed_word, split_into_words
from gdb_epi.target.api import Region
from gdb_epi.util import memoized

BITS = range(3, 16)  # beyond, the word leads to no table of the same file
MAX_OBJECT = 1 << 20  # bytes from the start of an object to one of its bases
MAX_PLACES = 64
MIN_ALIKE = 2  # other objects that name the right table
MAX_WRONG = 2
MIN_FUNCTIONS = 2  # words with which a table of functions begins
NAME = 4  # letters of a type's name that are looked at


@check(
    "R29",
    costly=True,
    needs="crash",
    order=58,
    innocent_causes=(
        "an object that was freed or overwritten (its first word leads to no table's neighbourhood "
        "then), a table without a description of its type (-fno-rtti: nothing is said), a pointer "
        "into a table that is no object's first word: other objects must name the right table. "
        "A FILE that was closed is not on glibc's list; one without its magic number is not "
        "judged. A struct that names a table without functions may be of a kind that has none; "
        "that a table which others name is one bit away is chance then."
    ),
)
def virtual_tables(context: Context) -> Iterator[Evidence]:
    """Look at the first word of the objects that the fault had at hand, and at all open FILEs."""
    yield from _tables_of_files(context)
    tables = _Tables(context)
    yield from _tables_of_structs(context, tables)
    wrong: dict[int, tuple[int, list[int]]] = {}
    for address in dict.fromkeys(collect_fault_values(context)):
        if address % WORD or not tables.may_be_object(address):
            continue
        held = read_word(context.target, address)
        region = None if held is None or held % WORD else context.target.region_at(held)
        if held is None or region is None or not region.in_file or tables.begins(held):
            continue
        right = [held ^ 1 << bit for bit in BITS if tables.begins(held ^ 1 << bit)]
        alike = [table for table in right if _is_named(context, table)]
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


def _tables_of_files(context: Context) -> Iterator[Evidence]:
    """Tell a FILE that is whole, on glibc's list, and names no table of operations.

    Such a table is two words of 0 and functions (struct _IO_jump_t, libio/libioP.h).
    """
    named: dict[int, int] = {}
    for file in stdio_files(context.target):
        flags, table = (read_word(context.target, file + at) for at in (0, FILE_TABLE))
        if flags is None or table is None or flags & MAGIC_MASK != FILE_MAGIC:
            return
        named[file] = table
    sound = {table for table in named.values() if _begins_operations(context, table)}
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


def _tables_of_structs(context: Context, tables: _Tables) -> Iterator[Evidence]:
    """Tell a struct of C that names no functions, where its like name a table one bit away."""
    for suspect in find_suspects(context):
        places = [place for place in suspect.slots if not is_on_stack(context, place)]
        held = suspect.value
        if not suspect.depth or len(places) != 1 or not tables.may_be_object(places[0]):
            continue
        if not tables.in_constants(held) or any(tables.functions(held)):
            continue
        near = (held ^ 1 << bit for bit in BITS)
        right = [at for at in near if all(tables.functions(at)) and _is_named(context, at)]
        if len(right) == 1 and len(context.places_of(held, MAX_PLACES)) == 1:
            summary = (
                f"the word at {places[0]:#x} is {held:#018x}, where no function is named; "
                f"{right[0]:#018x}, one bit away, is a table of functions, and other blocks name it"
            )
            yield word_evidence("R29", places[0], held, right[0], summary)


def _begins_operations(context: Context, table: int) -> bool:
    words = split_into_words(try_read(context.target, table, 4 * WORD)) if table % WORD == 0 else ()
    return (
        len(words) == 4
        and not any(words[:2])
        and all(may_execute(context.target.region_at(word)) for word in words[2:])
    )


def _is_named(context: Context, table: int) -> bool:
    places = context.places_of(table, MAX_PLACES)
    objects = [at for at in places if not is_on_stack(context, at) and at % (2 * WORD) == 0]
    return len(objects) >= MIN_ALIKE


class _Tables:
    """Where virtual tables can be, and where they begin."""

    def __init__(self, context: Context) -> None:
        self._target = context.target
        self._constants = [
            region
            for region in context.target.regions()
            if region.in_file and "x" not in region.perms
        ]
        self._starts = [region.start for region in self._constants]

    def may_be_object(self, address: int) -> bool:
        """Whether an address is in writable memory that is no file's."""
        region: Region | None = self._target.region_at(address)
        return region is not None and "w" in region.perms and not region.in_file

    def in_constants(self, address: int) -> bool:
        """Whether an address lies in a file's data that may be constant."""
        if address % WORD:
            return False
        index = bisect_right(self._starts, address) - 1
        return index >= 0 and address < self._constants[index].end

    def functions(self, table: int) -> list[bool]:
        """Return of the first words of a table whether each is the address of code."""
        words = split_into_words(try_read(self._target, table, MIN_FUNCTIONS * WORD))
        inside = self.in_constants(table) and len(words) == MIN_FUNCTIONS
        return [inside and may_execute(self._target.region_at(word)) for word in words] or [False]

    @memoized
    def begins(self, table: int) -> bool:
        """Whether an object's virtual table begins there."""
        return self.in_constants(table) and self._begins(table)

    def _begins(self, table: int) -> bool:
        words = split_into_words(try_read(self._target, table - 2 * WORD, 3 * WORD))
        if not words:
            return False
        to_whole, described, first = words
        if not -MAX_OBJECT < signed_word(to_whole) <= 0 or not self.in_constants(described):
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

# SPDX-License-Identifier: Apache-2.0
"""R30: a number in the head of a dict's table that its other numbers and its indices contradict.

S:overwritten-place: several numbers that no such head can have.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import Evidence, plain_evidence, require, word_evidence
from gdb_epi.corruption.heap.address_index import address_index
from gdb_epi.corruption.heap.object_types import HEAP_TYPE
from gdb_epi.corruption.heap.object_walk import ObjectWalk, object_walk
from gdb_epi.corruption.heap.pool_census import (
    GRAIN,
    BlockWords,
    PoolCensus,
    SizeClassBlocks,
    pool_census,
)
from gdb_epi.corruption.heap.pymalloc_pools import object_header_size
from gdb_epi.corruption.heap.readers import words_at_fault
from gdb_epi.corruption.registry import check
from gdb_epi.cpython.layout.layout import Layout
from gdb_epi.cpython.memory_reader import MemoryReader, make_field_struct
from gdb_epi.fault.memory_reads import try_read
from gdb_epi.sizes import WORD, WORD_MASK
from gdb_epi.typing_lite import NamedTuple

MIN_BIT = 3  # of counts: an insertion that was under way leaves them off by one
MIN_LOG2, MAX_LOG2 = 3, 24  # of tables that are looked at
MAX_DICTS = 20_000
MAX_WRONG = 2  # more are an overwrite, or a table that works in another way
MAX_OVERWRITTEN = 64
SPLIT = 2  # DICT_KEYS_SPLIT: dk_kind from 3.11 on
MIN_IMPOSSIBLE = 2  # numbers of one head
MAX_NUMBER = 1 << 33  # of entries, of 24 bytes, and of references
LOWEST_BIT, HIGHEST_BIT = 4, 47  # of a pointer to a table, that may be flipped
EMPTY, DUMMY = -1, -2  # of the table of indices
_NEGATIVE = bytes(range(0x80, 0x100))
# The width in bytes of an index, by the logarithm of the table's size (Objects/dictobject.c).
_WIDTHS = ((8, 0), (16, 1), (32, 2))
_NAMES = {
    "ma_used": "used",
    "dk_size": "size",
    "dk_log2_size": "size",
    "dk_log2_index_bytes": "log2_bytes",
    "dk_kind": "kind",
    "dk_usable": "usable",
    "dk_nentries": "entries",
}
_WORDS = frozenset(("ma_used", "dk_size", "dk_usable", "dk_nentries"))


class _DictTableNumbers(NamedTuple):
    """The numbers of a dict and of its table; `used` is the dict's, -1 where values lie elsewhere.

    `size` is the number of indices (up to 3.10) or its logarithm, beside a width and a kind.
    """

    used: int
    size: int
    usable: int
    entries: int
    log2_bytes: int | None = None
    kind: int = 0

    @property
    def log2(self) -> int:
        """Return the logarithm of the number of indices; -1 where that is not a power of two."""
        if self.log2_bytes is not None:
            return self.size
        return self.size.bit_length() - 1 if self.size.bit_count() == 1 else -1

    @property
    def adds_up(self) -> bool:
        """Whether used and free entries are as many as a table of this size has.

        Tables that instances share have fewer (3.11 and later), and popitem() gives none back.
        """
        log2 = self.log2
        return (
            MIN_LOG2 <= log2 <= MAX_LOG2
            and self.log2_bytes in (None, log2 + _index_width_log2(log2))
            and 0 <= self.kind <= 2
            and self.usable >= 0
            and max(self.used, 0) <= self.entries
            and self.usable + self.entries <= (2 << log2) // 3
        )

    @property
    def impossible_count(self) -> int:
        """How many of the numbers no table can have, whatever the others are."""
        log2, width = self.log2, self.log2_bytes
        return (
            (not 0 <= log2 <= MAX_NUMBER.bit_length())
            + (width is not None and not 0 <= width - log2 <= 3)
            + (not 0 <= self.kind <= 2)
            + (not 0 <= self.usable < MAX_NUMBER)
            + (not 0 <= self.entries < MAX_NUMBER)
        )


@check("R30", everywhere=True, needs="python", order=57)
def dict_tables(context: Context) -> Iterator[Evidence]:
    """Hold the size and the counts of the tables of all dicts against each other.

    Used and free entries add up to what a table of its size has; its indices name as many entries
    as the dict says that it holds. A number counts where one flipped bit makes both true.

    Innocent causes: an insertion that was under way (counts that are off by one or a few are left
    out), a dict or table that was freed or overwritten (its indices fit no number then).
    """
    census, walk = require(pool_census(context)), require(object_walk(context))
    tables = _DictTables(walk.reader)
    wrong: dict[int, tuple[int, _DictTableNumbers]] = {}
    all_dicts = list(_dicts_in_pools(census, walk, tables))
    for dicts in all_dicts:
        for number, keys, table in tables.contradicted_dicts(dicts):
            if census.is_reference_count(dicts.row.word(number, dicts.head)):
                wrong.setdefault(keys, (dicts.blocks.start_of_block(number) + dicts.head, table))

    def do_other_dicts_name_table(keys: int) -> bool:
        return any(
            other == keys and census.is_reference_count(dicts.row.word(number, dicts.head))
            for dicts in all_dicts
            for number, other in zip(dicts.numbers, dicts.keys, strict=True)
        )

    yield from _evidence_of_overwritten_table(context, tables, wrong, do_other_dicts_name_table)
    if len(wrong) > MAX_WRONG:
        return
    for keys, (owner, table) in wrong.items():
        repairs = list(tables.one_bit_repairs(keys, table))
        if len(repairs) == 1:
            member, right = repairs[0]
            place, held, corrected = tables.place_and_right_word(owner, keys, member, table, right)
            summary = (
                f"{member} of the dict at {owner:#018x} is {getattr(table, _NAMES[member])}; with "
                f"{getattr(right, _NAMES[member])}, one bit away, its table's size, counts and "
                "indices agree"
            )
            yield word_evidence("R30", place, held, corrected, summary, member=member)


def _evidence_of_overwritten_table(
    context: Context,
    tables: _DictTables,
    wrong: dict[int, tuple[int, _DictTableNumbers]],
    is_named: Callable[[int], bool],
) -> Iterator[Evidence]:
    """Tell the first table whose head holds what none can, of those that the fault had at hand.

    Its dict is in use, and no bit of its pointer to the table, changed, leads to one that no dict
    names.
    """
    index = address_index(context)
    heads = {
        keys: (owner, table)
        for keys, (owner, table) in wrong.items()
        if table.impossible_count + (tables.reference_count(keys) >= MAX_NUMBER) >= MIN_IMPOSSIBLE
        and not index.in_free_block(owner)
    }
    at_hand = [value for value in words_at_fault(context) if value in heads]
    for keys in [*at_hand, *sorted(heads)][:1] if len(heads) <= MAX_OVERWRITTEN else ():
        owner, table = heads[keys]
        flips = [keys ^ 1 << bit for bit in range(LOWEST_BIT, HIGHEST_BIT)]
        others = [flip for flip in flips if tables.is_dict_table_at(flip, table.used)]
        if keys % (2 * WORD) or not all(map(is_named, others)):
            continue
        numbers = ", ".join(
            f"{name} {getattr(table, field):#x}" for name, field in tables.member_names.items()
        )
        summary = (
            f"the head of the table of the dict at {owner:#018x} was overwritten: no table has "
            f"these numbers ({numbers})"
        )
        yield plain_evidence("S:overwritten-place", keys, summary)


def _index_width_log2(log2: int) -> int:
    return next((width for most, width in _WIDTHS if log2 < most), 3)


class _DictsInBlocksOfOneSize(NamedTuple):
    """The dicts in blocks of one size, freed ones too: block numbers, tables and claimed counts."""

    blocks: SizeClassBlocks
    row: BlockWords
    head: int
    numbers: list[int]
    keys: list[int]
    used: list[int]


def _dicts_in_pools(
    census: PoolCensus, walk: ObjectWalk, tables: _DictTables
) -> Iterator[_DictsInBlocksOfOneSize]:
    """Yield the dicts in the pools."""
    for kind in walk.kinds.types_met_so_far():
        if kind.name != "dict" or kind.flags & HEAP_TYPE:
            continue
        head = object_header_size(kind.flags)
        for blocks in census.classes:
            if 0 <= blocks.block - head - tables.size < GRAIN:
                row = blocks.all_block_words
                numbers = row.blocks_holding(kind.address, head + tables.type_at)[:MAX_DICTS]
                keys = row.words_of_blocks(numbers, head + tables.keys_at)
                used = row.words_of_blocks(numbers, head + tables.used_at)
                yield _DictsInBlocksOfOneSize(blocks, row, head, numbers, keys, used)


class _DictTables:
    """Where the numbers of dicts and their tables are. Raises LayoutError."""

    def __init__(self, reader: MemoryReader) -> None:
        layout: Layout = reader.layout
        self._reader = reader
        self.type_at = layout.require("PyObject", "ob_type")
        self.size = layout.size("PyDictObject") or 0
        self.used_at, self.keys_at, self.values_at = (
            layout.require("PyDictObject", name) for name in ("ma_used", "ma_keys", "ma_values")
        )
        for name in ("dk_usable", "dk_nentries"):
            layout.require("PyDictKeysObject", name)
        places = {name: layout.offset("PyDictKeysObject", name) for name in _NAMES}
        at = [(name, offset) for name, offset in places.items() if offset is not None]
        self._at = dict(sorted(at, key=lambda entry: entry[1]))
        self._indices = layout.require("PyDictKeysObject", "dk_indices")
        self._names = [_NAMES[name] for name in self._at]
        codes = ["q" if name in _WORDS else "B" for name in self._at]
        self._fields = make_field_struct(list(zip(self._at.values(), codes, strict=True)))
        self._masks: dict[int, int] = {}  # words that the numbers are in -> their bits there
        for name, offset in self._at.items():
            bits = WORD_MASK if name in _WORDS else 0xFF << 8 * (offset % WORD)
            self._masks[offset & -WORD] = self._masks.get(offset & -WORD, 0) | bits
        self._words = make_field_struct([(offset, "Q") for offset in self._masks])
        self._entries = list(self._masks).index(self._at["dk_nentries"])

    def contradicted_dicts(
        self, dicts: _DictsInBlocksOfOneSize
    ) -> Iterator[tuple[int, int, _DictTableNumbers]]:
        """Yield the dicts whose numbers do not add up: number of the block, table, numbers.

        Nearly all tables share their numbers with others, so each distinct set is checked once.
        Whether a dict keeps its values elsewhere is read only for suspects.
        """
        tables = [keys for keys in sorted(set(dicts.keys)) if keys and not keys & 7]
        columns = [
            column if mask == WORD_MASK else [word & mask for word in column]
            for column, mask in zip(
                self._reader.word_columns(tables, list(self._masks)),
                self._masks.values(),
                strict=True,
            )
        ]
        shapes = {
            shape: self._table_from_words(shape, -1) for shape in set(zip(*columns, strict=True))
        }
        wrong = {shape for shape, table in shapes.items() if not self._is_consistent(table)}
        entries = dict(zip(tables, columns[self._entries], strict=True))
        pairs = zip(dicts.keys, dicts.used, strict=True)
        suspects = {keys for keys, used in pairs if used > entries.get(keys, used)}
        if not suspects and not any(map(any, wrong)):
            return
        shape_of = {
            keys: shape
            for keys, shape in zip(tables, zip(*columns, strict=True), strict=True)
            if shape in wrong or keys in suspects
        }
        for place in [n for n, keys in enumerate(dicts.keys) if keys in shape_of]:
            number, keys, used = dicts.numbers[place], dicts.keys[place], dicts.used[place]
            if dicts.row.word(number, dicts.head + self.values_at):
                used = -1
            table = shapes[shape_of[keys]]._replace(used=used)
            if any(shape_of[keys]) and not self._is_consistent(table):  # else it cannot be read
                yield number, keys, table

    @property
    def member_names(self) -> dict[str, str]:
        """The members of a table's head that this release has, and the numbers that they are."""
        return {name: _NAMES[name] for name in self._at}

    def reference_count(self, keys: int) -> int:
        """Return how many references a table counts."""
        offset = self._reader.layout.offset("PyDictKeysObject", "dk_refcnt")
        return 0 if offset is None else self._reader.word(keys + offset)

    def is_dict_table_at(self, keys: int, used: int) -> bool:
        """Whether the table of a dict with so many entries lies at an address.

        -1: one that instances share.
        """
        words = try_read(self._reader.target, keys, self._indices)
        if len(words) < self._indices or not 0 < self.reference_count(keys) < MAX_NUMBER:
            return False
        numbers = self._fields.unpack_from(words)
        table = _DictTableNumbers(used=used, **dict(zip(self._names, numbers, strict=True)))
        right_kind = table.log2_bytes is None or (used < 0) == (table.kind == SPLIT)
        return (
            right_kind and table.adds_up and table.entries > 0 and self._do_indices_fit(keys, table)
        )

    def _is_consistent(self, table: _DictTableNumbers) -> bool:
        return table.adds_up or self.is_shared_empty_table(table)

    def _table_from_words(self, words: tuple[int, ...], used: int) -> _DictTableNumbers:
        numbers = self._fields.unpack_from(self._words.pack(*words))
        return _DictTableNumbers(used=used, **dict(zip(self._names, numbers, strict=True)))

    def is_shared_empty_table(self, table: _DictTableNumbers) -> bool:
        """Whether this is the table of all empty dicts (Py_EMPTY_KEYS)."""
        return not table.entries and table.used <= 0 and table.usable <= 1

    def one_bit_repairs(
        self, keys: int, table: _DictTableNumbers
    ) -> Iterator[tuple[str, _DictTableNumbers]]:
        """Yield each member in which one flipped bit makes all numbers agree with the indices."""
        members = [*self._at, "ma_used"] if table.used >= 0 else list(self._at)
        for member in members:
            held = getattr(table, _NAMES[member])
            for bit in range(MIN_BIT, 64) if member in _WORDS else range(8):
                value = held + (1 << 63) if bit == 63 else held ^ 1 << bit
                right = table._replace(**{_NAMES[member]: value})
                if right.adds_up and self._is_full(right) and self._do_indices_fit(keys, right):
                    yield member, right

    def _is_full(self, table: _DictTableNumbers) -> bool:
        """Whether used and free entries fill the table, where no other dict shares it."""
        return table.used < 0 or table.usable + table.entries == (2 << table.log2) // 3

    def _do_indices_fit(self, keys: int, table: _DictTableNumbers) -> bool:
        """Whether the indices name exactly that many different entries, and none after the last."""
        width = 1 << _index_width_log2(table.log2)
        indices = try_read(self._reader.target, keys + self._indices, width << table.log2)
        if not indices:
            return False
        if width == 1:
            named = list(indices.translate(None, _NEGATIVE))
        else:
            named = [n for n in array("h" if width == 2 else "i", indices) if n >= 0]
        if len(named) != len(set(named)) or max(named, default=-1) >= table.entries:
            return False
        return len(named) == (table.entries if table.used < 0 else table.used)

    def place_and_right_word(
        self, owner: int, keys: int, member: str, table: _DictTableNumbers, right: _DictTableNumbers
    ) -> tuple[int, int, int]:
        """Return the place of the word that a member is in, what it holds, and what it should."""
        name = _NAMES[member]
        at = owner + self.used_at if member == "ma_used" else keys + self._at[member]
        place = at & -WORD
        changed = (getattr(table, name) ^ getattr(right, name)) << 8 * (at - place)
        held = self._reader.word(place)
        return place, held, held ^ changed & WORD_MASK

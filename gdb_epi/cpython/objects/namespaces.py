# SPDX-License-Identifier: Apache-2.0
"""Dicts, instance attributes and module names, as far as naming threads and frames needs them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import islice
from struct import Struct

from gdb_epi.cpython.memory_reader import MemoryReader, make_field_struct
from gdb_epi.errors import NOT_AVAILABLE, UNPARSABLE, UNREADABLE, Absent, UnreadableMemory
from gdb_epi.target.api import shared_cache
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import memoized

MANY_ENTRIES = 1000  # fewer are simply read
MAX_DICT_ENTRIES = 1_000_000
MAX_LOG2 = 40
MAX_SHARED_KEYS = 1024
ENTRIES_AT_ONCE = 256
MAX_INT_DIGITS = 8
ASKED_OFTEN = 1  # of one dict: then all of its keys are read
MANY_IN_FRONT = 16  # keys that a dict is asked for before it is read as a whole
MAX_NAMES = 20_000  # of a dict that is read as a whole
MAX_NAME = 128  # bytes of a key that is asked for

_WITH_HASH, _WITHOUT_HASH = Struct("<8xQQ"), Struct("<QQ")  # an entry of a keys table

# Type flags are public ABI (Include/object.h): 3.11 (gh-89503) and 3.13 (gh-115776).
_MANAGED_DICT = 1 << 4
INLINE_VALUES = 1 << 2


_NOT_MANAGED, _TAGGED, _EMBEDDED = range(3)


class _AttributeStorage(NamedTuple):
    """Where instances of a class keep attributes: the offset of a word, and of inline values."""

    managed: int
    offset: int
    values: int  # 0: none


class _DictKeysHeadFormat(NamedTuple):
    """How a keys table begins: its index's log2 in bytes, kind, number of entries; its index."""

    fields: Struct
    indices: int


class _DictEntriesByKey(NamedTuple):
    """The keys of a dict: place and value by text, and by bytes.

    Bytes are what is_str_object_with_text() compares. Of plain strings, whose
    bytes are their text, there are no bytes.
    `ended`: why the dict could not be read to its end.
    """

    texts: dict[str, tuple[int, int]]
    raw: dict[bytes, tuple[int, int]]
    ended: Absent | None

    def value(self, key: str) -> int | None:
        """Return the value under the first key that is a text."""
        entry = self.texts.get(key)
        if key.isascii():
            bare = self.raw.get(key.encode("ascii"))
            entry = bare if entry is None or (bare is not None and bare < entry) else entry
        return None if entry is None else entry[1]


class NamespaceReader:
    """Containers of one process, read with one layout."""

    def __init__(self, reader: MemoryReader) -> None:
        self._reader = reader
        self._layout = reader.layout
        self._module_names: dict[int, str | Absent] = {}
        self._storages: dict[int, _AttributeStorage] = {}
        # Keys of dicts that were read as a whole, and how often each dict was asked.
        kept: tuple[dict[int, _DictEntriesByKey | None], dict[int, int]] = ({}, {})
        if (store := shared_cache(reader.target)) is not None:
            kept = store.setdefault((NamespaceReader, reader.layout), kept)
        self._names, self._asked = kept

    def module_name(self, globals_dict: int) -> str | Absent:
        """Return `__name__` of a frame's globals."""
        if globals_dict not in self._module_names:
            value = self.dict_get(globals_dict, "__name__")
            self._module_names[globals_dict] = (
                value if isinstance(value, Absent) else self._reader.string(value, 4096)
            )
        return self._module_names[globals_dict]

    def known_globals(self) -> list[int]:
        """Return the globals dicts that frames named so far."""
        return list(self._module_names)

    def sys_modules(self, interpreter: int) -> int | Absent:
        """Return sys.modules (PyObject *) of an interpreter, 0 before and after its life.

        Absent when the layout does not say where it is. Raises UnreadableMemory.
        """
        # 3.12 (gh-98612) moved interp->modules into interp->imports.
        at = self._offset_or_none("PyInterpreterState", "imports.modules")
        if at is None:
            at = self._offset_or_none("PyInterpreterState", "modules")
        if at is None:
            return Absent(NOT_AVAILABLE, "the layout does not say where sys.modules is")
        return self._reader.u64(interpreter + at)

    def module_dict(self, interpreter: int, name: str) -> int | Absent:
        """Return the dict (PyObject *) of a module in sys.modules of an interpreter.

        Absent: not_available when sys.modules was read and has none, else it cannot be told.
        """
        try:
            modules = self.sys_modules(interpreter)
            if isinstance(modules, Absent):
                return modules
            module = (
                self.dict_get(modules, name) if modules else Absent(NOT_AVAILABLE, "no modules")
            )
            if isinstance(module, Absent):
                # Doubt that a module is missing where even sys is: the table was cleared or is
                # damaged.
                if not modules or module.reason == UNREADABLE:
                    return module
                if isinstance(self.dict_get(modules, "sys"), Absent):
                    return Absent(UNREADABLE, f"sys.modules at {modules:#x} does not even have sys")
                return module
            return self._reader.field(module, "PyModuleObject", "md_dict")
        except UnreadableMemory as error:
            return Absent(UNREADABLE, str(error))

    @memoized
    def _offset_or_none(self, struct: str, member: str) -> int | None:
        """Return an offset, or None; the layout is asked once for each."""
        return self._layout.offset(struct, member)

    def _required_offset(self, struct: str, member: str) -> int:
        """Return an offset. Raises LayoutError when there is none."""
        offset = self._offset_or_none(struct, member)
        return self._layout.require(struct, member) if offset is None else offset

    # -- dicts ------------------------------------------------------------------------------

    def dict_get(self, address: int, key: str) -> int | Absent:
        """Return the value (PyObject *) under a str key of a dict.

        A dict that is asked again, as sys.modules is, is read once as a whole.
        """
        names = self._names.get(address)
        if names is None:
            asked = self._asked.get(address, 0)
            if asked == ASKED_OFTEN:
                names = self._names[address] = self._keys_by_text(address)
            self._asked[address] = asked + 1
        if names is not None and len(key) <= MAX_NAME:
            value = names.value(key)
            if value is not None:
                return value
            if names.ended is not None:
                return names.ended
        else:
            try:
                value = self._reader.value_under_string(self.dict_items(address), key)
                if value is not None:
                    return value
            except UnreadableMemory as error:
                return Absent(UNREADABLE, str(error))
        return Absent(NOT_AVAILABLE, f"no key {key!r} in the dict at {address:#x}")

    def values_of_names(self, address: int, names: Sequence[str]) -> list[int]:
        """Return what a dict has under names that most have in front; 0 where dict_get() has none.

        Such a dict need not be read as a whole.
        """
        values: dict[str, int] = {}
        with suppress(UnreadableMemory):
            for key, value in islice(self.dict_items(address), MANY_IN_FRONT):
                name = self._reader.which_string(key, names)
                if name is not None:
                    values.setdefault(name, value)
                    if len(values) == len(names):
                        break
        others = (values.get(name) or self.dict_get(address, name) for name in names)
        return [0 if isinstance(value, Absent) else value for value in others]

    def _keys_by_text(self, address: int) -> _DictEntriesByKey | None:
        """Return the keys of a dict; None where it has too many."""
        texts: dict[str, tuple[int, int]] = {}
        raw: dict[bytes, tuple[int, int]] = {}
        try:
            for number, (key, value) in enumerate(self.dict_items(address)):
                if number == MAX_NAMES:
                    return None
                plain = self._reader.compact_ascii_string(key, MAX_NAME)
                bare = (
                    None if plain is not None else self._reader.compact_ascii_bytes(key, MAX_NAME)
                )
                if bare is not None:
                    raw.setdefault(bare, (number, value))
                text = self._reader.string(key, 4096) if plain is None else plain
                if isinstance(text, str):
                    texts.setdefault(text, (number, value))
        except UnreadableMemory as error:
            return _DictEntriesByKey(texts, raw, Absent(UNREADABLE, str(error)))
        return _DictEntriesByKey(texts, raw, None)

    def dict_items(self, address: int) -> Iterator[tuple[int, int]]:
        """Yield (key, value) pointers of a dict, in insertion order.

        Raises UnreadableMemory. Reference: Objects/dictobject.c, 3.8 to 3.15.
        """
        reader = self._reader
        keys = reader.u64(address + self._required_offset("PyDictObject", "ma_keys"))
        values = reader.u64(address + self._required_offset("PyDictObject", "ma_values"))
        if values:
            values += self._offset_or_none("PyDictValues", "values") or 0
        yield from self.keys_table_items(keys, values)

    def keys_table_items(self, keys: int, values: int) -> Iterator[tuple[int, int]]:
        """Yield (key, value) of a keys table; `values` is the split array's address or 0.

        The table is read in pieces, so that a reader of the first entries pays for those only.
        """
        start, count, width, has_hash = self.keys_table_entries(keys)
        if count > MAX_DICT_ENTRIES:
            self._reader.read(start + count * width - 1, 1)  # refuse what is not mapped
        if values:
            if count > MAX_SHARED_KEYS:
                raise UnreadableMemory(start, count, "an absurd number of shared keys")
            data = self._reader.read(start, count * width)
            array = self._reader.read(values, 8 * count)
            for index in self._insertion_order(values, count):
                at = index * width + (8 if has_hash else 0)
                key = int.from_bytes(data[at : at + 8], "little")
                value = int.from_bytes(array[8 * index : 8 * index + 8], "little")
                if key and value:
                    yield key, value
            return
        entry = _WITH_HASH if has_hash else _WITHOUT_HASH
        for first in range(0, count, ENTRIES_AT_ONCE):
            number = min(ENTRIES_AT_ONCE, count - first)
            entries = self._reader.read(start + first * width, number * width)
            for key, value in entry.iter_unpack(entries):
                if key and value:
                    yield key, value

    def _insertion_order(self, values: int, count: int) -> list[int]:
        """Return the indices of a split table in insertion order.

        Up to 3.10 keys were shared only in the order of insertion. 3.11 (bpo-45340) keeps the order
        before the values, 3.13 after them. `values` is the address of the first value.
        """
        capacity = self._offset_or_none("PyDictValues", "capacity")
        try:
            if capacity is not None:
                prefix = values - self._required_offset("PyDictValues", "values")
                size = self._reader.u8(prefix + self._required_offset("PyDictValues", "size"))
                room = self._reader.u8(prefix + capacity)
                order = list(self._reader.read(values + 8 * room, size))
            elif self._offset_or_none("PyDictValues", "values") is not None:
                size = self._reader.u8(values - 2)
                order = list(self._reader.read(values - 2 - size, size))[::-1]
            else:
                return list(range(count))
        except UnreadableMemory:
            return list(range(count))
        if len(set(order)) != len(order) or any(index >= count for index in order):
            return list(range(count))
        return order

    def keys_table_entries(self, keys: int) -> tuple[int, int, int, bool]:
        """Return (address of the entries, their number, their size, whether they hold a hash)."""
        head = self._keys_head_format
        if head is not None:  # nearly all tables are small and lie in one piece
            fields = self._reader.unpack_fields(keys, head.fields)
            if fields is not None:
                log2, kind, count = fields
                if log2 <= MAX_LOG2 and kind <= 2 and 0 <= count <= MANY_ENTRIES:
                    start = keys + head.indices + (1 << log2)
                    return start, count, 16 if kind else 24, not kind
        return self._keys_table_entries_uncached(keys)

    @cached_property
    def _keys_head_format(self) -> _DictKeysHeadFormat | None:
        """What takes the head of a keys table apart; None before 3.11 (bpo-46845)."""
        table = "PyDictKeysObject"
        names = ("dk_log2_index_bytes", "dk_kind", "dk_nentries")
        offsets = [self._offset_or_none(table, name) for name in names]
        indices = self._offset_or_none(table, "dk_indices")
        places = [at for at in offsets if at is not None]
        if indices is None or len(places) < len(names) or places != sorted(places):
            return None
        return _DictKeysHeadFormat(make_field_struct(zip(places, "BBq", strict=True)), indices)

    def _keys_table_entries_uncached(self, keys: int) -> tuple[int, int, int, bool]:
        reader = self._reader
        table = "PyDictKeysObject"
        count = reader.i64(keys + self._required_offset(table, "dk_nentries"))
        if count < 0:
            raise UnreadableMemory(keys, 8, f"dk_nentries is {count}")
        if count > MANY_ENTRIES:
            self._require_room_for_entries(keys, count)
        indices = keys + self._required_offset(table, "dk_indices")
        log2_bytes = self._offset_or_none(table, "dk_log2_index_bytes")
        if log2_bytes is not None:  # 3.11 (bpo-46845): unicode tables without hashes
            log2 = reader.u8(keys + log2_bytes)
            kind = reader.u8(keys + self._required_offset(table, "dk_kind"))
            if log2 > MAX_LOG2 or kind > 2:
                raise UnreadableMemory(keys, 8, f"dict keys of kind {kind}, log2 {log2}")
            return indices + (1 << log2), count, 24 if kind == 0 else 16, kind == 0
        size = reader.u64(keys + self._required_offset(table, "dk_size"))
        if size > 1 << MAX_LOG2:
            raise UnreadableMemory(keys, 8, f"dk_size is {size}")
        width = 1 if size <= 0xFF else 2 if size <= 0xFFFF else 4 if size <= 0xFFFFFFFF else 8
        return indices + size * width, count, 24, True

    def _require_room_for_entries(self, keys: int, count: int) -> None:
        """Raise UnreadableMemory when a keys table is too small for that many entries.

        At most two thirds of it are used (USABLE_FRACTION, Objects/dictobject.c). A damaged number
        would have hundreds of thousands of words of other memory taken for keys.
        """
        table = "PyDictKeysObject"
        log2_at = self._offset_or_none(table, "dk_log2_size")
        if log2_at is not None:  # 3.11 (bpo-46845)
            size = 1 << min(self._reader.u8(keys + log2_at), MAX_LOG2)
        else:
            size = self._reader.u64(keys + self._required_offset(table, "dk_size"))
        if count > size * 2 // 3:
            raise UnreadableMemory(keys, 8, f"dk_nentries is {count} in a table of {size}")

    # -- instances ----------------------------------------------------------------------------

    def attributes(self, address: int) -> Iterator[tuple[int, int]]:
        """Yield (name, value) pointers of an instance's own attributes, slots excepted.

        Raises UnreadableMemory. Reference: Objects/dictobject.c, Include/internal/pycore_object.h.
        """
        kind = self._reader.type_of(address)
        held, values = self.attribute_storage(address, kind)
        if held:
            yield from self.dict_items(held)
        elif values:
            yield from self.keys_table_items(self.shared_keys(kind), values)

    def attribute_storage(self, address: int, kind: int) -> tuple[int, int]:
        """Return the dict of an instance, or its array of values without one; 0 for neither.

        `kind` is its type. Raises UnreadableMemory.
        """
        reader = self._reader
        how = self._storages.get(kind)
        if how is None:
            how = self._storages[kind] = self._attribute_storage_of_class(kind)
        if how.managed == _NOT_MANAGED:
            offset = how.offset
            if offset < 0:
                offset += self._instance_size(kind, address)
            return (reader.u64(address + offset) if offset > 0 else 0), 0
        if how.managed == _EMBEDDED:
            held = reader.u64(address + how.offset)
            return (held, 0) if held or not how.values else (0, address + how.values)
        # 3.12 (gh-95649) keeps one tagged word 24 bytes before the object (bit 0: values);
        # 3.11 has the values at -32 and the dict at -24. A tag bit never occurs in a dict pointer.
        word = reader.u64(address + how.offset)
        if word & 1:
            return 0, word + 1
        if not word and self._offset_or_none("PyThreadState", "cframe") is not None:
            return 0, reader.u64(address - 32)
        return word, 0

    def _attribute_storage_of_class(self, kind: int) -> _AttributeStorage:
        """Return where the instances of a class keep their attributes."""
        reader = self._reader
        flags = reader.u64(kind + self._required_offset("PyTypeObject", "tp_flags"))
        if not flags & _MANAGED_DICT:
            offset = reader.i64(kind + self._required_offset("PyTypeObject", "tp_dictoffset"))
            return _AttributeStorage(_NOT_MANAGED, offset, 0)
        if self._offset_or_none("PyDictValues", "embedded") is None:
            return _AttributeStorage(_TAGGED, -24, 0)
        # 3.13 (gh-115776): values inline after the object, flagged valid or not.
        before, values = -8 if self._layout.free_threaded else -24, 0
        if flags & INLINE_VALUES:
            values = reader.u64(kind + self._required_offset("PyTypeObject", "tp_basicsize"))
            values += self._offset_or_none("PyDictValues", "values") or 0
        return _AttributeStorage(_EMBEDDED, before, values)

    def shared_keys(self, kind: int) -> int:
        """Return the keys that instances of a class share. Raises UnreadableMemory."""
        keys = self._reader.u64(kind + self._required_offset("PyHeapTypeObject", "ht_cached_keys"))
        _, count, _, _ = self.keys_table_entries(keys)
        if count > MAX_SHARED_KEYS:
            raise UnreadableMemory(keys, count, "an absurd number of shared keys")
        return keys

    def _instance_size(self, kind: int, address: int) -> int:
        """Return the bytes of an instance of variable size, e.g. of a class derived from tuple."""
        reader = self._reader
        count = abs(reader.i64(address + self._required_offset("PyVarObject", "ob_size")))
        basic = reader.u64(kind + self._required_offset("PyTypeObject", "tp_basicsize"))
        item_size = reader.u64(kind + self._required_offset("PyTypeObject", "tp_itemsize"))
        size = (basic + count * item_size + 7) & ~7
        if size >> MAX_LOG2:
            raise UnreadableMemory(address, size, "an absurd size of an object")
        return size

    def attribute(self, address: int, name: str) -> int | Absent:
        """Return one attribute (PyObject *) of an instance."""
        try:
            for key, value in self.attributes(address):
                if self._reader.is_str_object_with_text(key, name):
                    return value
        except UnreadableMemory as error:
            return Absent(UNREADABLE, str(error))
        return Absent(NOT_AVAILABLE, f"no attribute {name!r}")

    def integer(self, address: int) -> int | Absent:
        """Return the value of a small int (at most 8 digits of 30 bits).

        Reference: Include/cpython/longintrepr.h; 3.12 (gh-101291) moved the sign into lv_tag.
        """
        reader = self._reader
        try:
            tag_at = self._offset_or_none("PyLongObject", "lv_tag")
            if tag_at is not None:
                tag = reader.u64(address + tag_at)
                count, sign = tag >> 3, 1 - (tag & 3)
            else:
                size = reader.i64(address + self._required_offset("PyLongObject", "ob_size"))
                count, sign = abs(size), (size > 0) - (size < 0)
            if count > MAX_INT_DIGITS:
                return Absent(UNPARSABLE, f"int of {count} digits at {address:#x}")
            digits = reader.read(
                address + self._required_offset("PyLongObject", "ob_digit"), 4 * count
            )
        except UnreadableMemory as error:
            return Absent(UNREADABLE, str(error))
        value = 0
        for index in range(count):
            digit = int.from_bytes(digits[4 * index : 4 * index + 4], "little")
            value |= digit << 30 * index
        return sign * value

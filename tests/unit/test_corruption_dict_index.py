# SPDX-License-Identifier: Apache-2.0
"""Where a dict's index leads to by a hash; and what two objects of a type hold in one field."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from gdb_epi.corruption.checks import typed_field, typed_slot
from gdb_epi.corruption.checks.typed_slot import is_dict_key_in_place
from gdb_epi.corruption.heap.object_walk import ContainerSlot
from gdb_epi.errors import UnreadableMemory

DICT, KEYS, KEY, ENTRIES, INDICES = 0x1000, 0x2000, 0x3000, 0x2120, 0x2020
LOG2, COUNT, WIDTH, ENTRY = 8, 100, 16, 42
HASH_AT, KEYS_AT = 24, 32
SLOT = ContainerSlot(ENTRIES + WIDTH * ENTRY, 1, DICT, "dict")


class Reader:
    """Memory of one table: an index of bytes, and the hash of KEY."""

    def __init__(self, index: dict[int, int], hashed: int, log2: bool) -> None:
        self.index, self.hashed, self.log2 = index, hashed, log2
        self.layout = self

    def offset(self, struct: str, member: str) -> int | None:
        offsets = {"hash": HASH_AT, "ma_keys": KEYS_AT, "dk_indices": 32, "dk_size": 8}
        return offsets.get(member, 16 if member == "dk_log2_size" and self.log2 else None)

    def require(self, struct: str, member: str) -> int:
        offset = self.offset(struct, member)
        assert offset is not None
        return offset

    def u64(self, at: int) -> int:
        words = {DICT + KEYS_AT: KEYS, KEY + HASH_AT: self.hashed, KEYS + 8: 1 << LOG2}
        if at not in words:
            raise UnreadableMemory(at, 8)
        return words[at]

    def field(self, at: int, struct: str, member: str) -> int:
        return self.u64(at + self.require(struct, member))

    def u8(self, at: int) -> int:
        assert at == KEYS + 16
        return LOG2

    def read(self, at: int, size: int) -> bytes:
        assert size == 1 and 0 <= at - INDICES < 1 << LOG2
        return self.index.get(at - INDICES, 0xFF).to_bytes(1, "little")


def found(
    index: dict[int, int], hashed: int, slot: ContainerSlot = SLOT, *, log2: bool = True,
    offsets: tuple[int, ...] = (0, 1),
) -> bool:  # fmt: skip
    reader = Reader(index, hashed, log2)
    place = lambda _at: (ENTRIES, COUNT, WIDTH, offsets)  # noqa: E731
    walk: Any = SimpleNamespace(reader=reader, dict_entries_place=place)
    return is_dict_key_in_place(walk, slot, KEY)


def test_the_key_at_its_entry() -> None:
    assert found({0x37: ENTRY}, 0xABCDEF_37)
    assert found({0x37: ENTRY}, 0xABCDEF_37, log2=False)
    second = (0x37 * 5 + (0x1037 >> 5) + 1) & 0xFF
    assert found({0x37: 3, second: ENTRY}, 0x1037)


@pytest.mark.parametrize(
    ("index", "hashed", "slot"),
    [
        ({0x37: ENTRY + 1}, 0x37, SLOT),
        ({0x38: ENTRY}, 0x37, SLOT),
        ({0x37: ENTRY}, 0, SLOT),  # not hashed yet
        ({0xFF: ENTRY}, (1 << 64) - 1, SLOT),
        ({0x37: ENTRY}, 0x37, SLOT._replace(place=SLOT.place + 8)),  # a value
        ({0x37: ENTRY}, 0x37, SLOT._replace(kind="list")),
        ({0x37: ENTRY}, 0x37, SLOT._replace(owner=DICT + 8)),  # not readable
    ],
)
def test_other_entries(index: dict[int, int], hashed: int, slot: ContainerSlot) -> None:
    assert not found(index, hashed, slot)


@pytest.mark.parametrize(
    ("count", "place", "keys"), [(128, 48, [KEY]), (127, 48, []), (128, 0, []), (128, None, [])]
)
def test_a_word_in_the_middle_of_an_object_where_a_large_table_has_a_key(
    count: int, place: int | None, keys: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A freed key may have begun there: in a small table the index says too little."""
    index = SimpleNamespace(
        may_begin_object=lambda _at: place == 0, is_past_start_in_pool_block=lambda _at: bool(place)
    )
    monkeypatch.setattr(typed_slot, "address_index", lambda _context: index)
    where = lambda _at: (ENTRIES, count, WIDTH, (0, 1))  # noqa: E731
    walk: Any = SimpleNamespace(
        reader=Reader({0x37: ENTRY}, 0x37, log2=True), dict_entries_place=where
    )
    context: Any = None
    objects = [typed_slot.TypedAddress(KEY, "str"), typed_slot.TypedAddress(KEY + 64, "list")]
    key_of_large_table = typed_slot._key_of_large_table(context, walk, SLOT, objects)
    assert [address for address, _ in key_of_large_table] == keys


def test_a_split_table_has_no_keys() -> None:
    assert not found({0x37: ENTRY}, 0x37, offsets=(0,))


TYPE, OWNER, FIELD, RIGHT = 0x7F00_0000_1000, 0x7F00_0001_0000, 0x28, 0x7F00_0009_0000
OTHERS = [OWNER + 0x200 * number for number in range(1, 4)]


@pytest.mark.parametrize(
    ("held", "free", "framed", "alike"),
    [
        (OTHERS[:2], (), False, True),
        (OTHERS[:1], (), False, False),
        ([OTHERS[0], OWNER], (), False, False),
        ([OTHERS[0], OTHERS[1] + 8], (), False, False),  # at another place
        (OTHERS[:2], (OTHERS[0] + FIELD,), False, False),
        (OTHERS[:2], (), True, False),  # frames that are no objects
    ],
)
def test_what_two_other_objects_of_the_type_hold(
    held: list[int],
    free: tuple[int, ...],
    framed: bool,
    alike: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def type_of(at: int) -> int:
        if at not in (OWNER, *OTHERS):
            raise UnreadableMemory(at, 8)
        return TYPE

    layout = SimpleNamespace(offset=lambda _struct, _member: 8 if framed else None)
    walk: Any = SimpleNamespace(reader=SimpleNamespace(type_of=type_of, layout=layout))
    index = SimpleNamespace(in_free_block=lambda at: at in free)
    monkeypatch.setattr(typed_field, "address_index", lambda _context: index)
    context: Any = SimpleNamespace(
        places_of_word=lambda _value, _limit: tuple(address + FIELD for address in held)
    )
    field: Any = SimpleNamespace(offset=FIELD)
    wrong_field = typed_field._WrongTypedField(OWNER, typed_field.FRAME, field, RIGHT ^ 1 << 13)
    assert (
        typed_field._do_others_in_memory_hold_right_word(context, walk, wrong_field, RIGHT) is alike
    )

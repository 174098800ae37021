# SPDX-License-Identifier: Apache-2.0
"""Numbers of objects and classes that no frame leads to, flipped in copies of real cores."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.interpreters import one_per_minor
from support.mutate import MutatedTarget
from support.opening import interpreter_or_skip, made_or_skip, target_of

from gdb_epi.corruption.checks.builtin_functions import small_ints
from gdb_epi.corruption.checks.dict_tables import dict_tables
from gdb_epi.corruption.checks.item_counts import heap_item_counts, heap_string_flags, item_counts
from gdb_epi.corruption.checks.type_slots import (
    _classes_at_hand,
    check_class_flags_and_sizes,
    type_slots,
)
from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import Evidence
from gdb_epi.corruption.heap.object_types import HEAP_TYPE
from gdb_epi.corruption.heap.object_walk import ObjectWalk, object_walk
from gdb_epi.corruption.heap.pool_census import PoolCensus, classes_in_malloc_heap, pool_census
from gdb_epi.corruption.heap.pymalloc_pools import object_header_size
from gdb_epi.corruption.heap.readers import shared_object_search, shared_reader
from gdb_epi.cpython.objects.str_layout import str_object_layout
from gdb_epi.process_state import ProcessState
from gdb_epi.target.corefile import CoreFileTarget

INTERPRETERS = [pytest.param(i.id, id=i.id) for i in one_per_minor()]
HIGH, HIGHER, CARRIES_GC = 20, 36, 14
Check = Callable[[Context], object]


def evidence(check: Check, target: object) -> list[Evidence]:
    context = Context(ProcessState(target))  # type: ignore[arg-type]
    return [sign for sign in check(context) if isinstance(sign, Evidence)]  # type: ignore[attr-defined]


def core_of(interpreter: str) -> CoreFileTarget:
    target: CoreFileTarget = target_of(made_or_skip(interpreter_or_skip(interpreter), "simple"))
    return target


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_a_length_that_no_frame_leads_to_is_named(interpreter: str) -> None:
    target = core_of(interpreter)
    assert not evidence(heap_item_counts, target), "the healthy core"
    context = Context(ProcessState(target))
    census, walk = pool_census(context), object_walk(context)
    assert isinstance(census, PoolCensus)
    assert isinstance(walk, ObjectWalk)
    layout = walk.reader.layout
    length_at = layout.require("PyASCIIObject", "length")
    size_at = layout.require("PyVarObject", "ob_size")
    walked = {address for address, _category in walk.visited}
    for name, at, size in (("str", length_at, 48), ("tuple", size_at, 24), ("list", size_at, 40)):
        kind = next(
            kind
            for kind in walk.kinds.types_met_so_far()
            if kind.name == name and not kind.flags & HEAP_TYPE
        )
        head = object_header_size(kind.flags)
        owner = next(
            owner
            for owner in census.objects_of_type(kind.address, head, size)
            if owner not in walked and 0 < walk.reader.word(owner + at) < 64
        )
        for bits in ((HIGH,), (HIGHER,), (HIGH, HIGHER)):
            changed = MutatedTarget(target)
            for bit in bits:
                changed.flip(owner + at, bit)
            damage = evidence(heap_item_counts, changed)
            if len(bits) == 1 or name == "str":  # two bits: where a NUL says where it ends
                assert [(sign.id, sign.where, sign.bits) for sign in damage] == [
                    ("R25", owner + at, bits)
                ]
            else:
                assert not damage
        if name == "str":
            assert not evidence(item_counts, changed), "nothing near the frames tells it"


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_flags_that_no_str_has_are_named(interpreter: str) -> None:
    target = core_of(interpreter)
    assert not evidence(heap_string_flags, target), "the healthy core"
    context = Context(ProcessState(target))
    census, walk = pool_census(context), object_walk(context)
    assert isinstance(census, PoolCensus)
    assert isinstance(walk, ObjectWalk)
    word, form = walk.reader.word, str_object_layout(walk.reader.layout, 0)
    assert form is not None
    of_ascii = next(state for state, (_head, width) in form.kinds.items() if width == 1)
    compact = 5
    kind = next(
        k for k in walk.kinds.types_met_so_far() if k.name == "str" and not k.flags & HEAP_TYPE
    )
    owner = next(
        owner
        for owner in census.objects_of_type(kind.address, 0, 48)
        if word(owner + form.state_at) & form.state_mask == of_ascii
        and 0 < word(owner + form.length_at) < 64
    )
    changed = MutatedTarget(target)
    changed.flip(owner + form.state_at, compact)
    damage = evidence(heap_string_flags, changed)
    assert [(sign.id, sign.where, sign.bits) for sign in damage] == [
        ("R25", owner + form.state_at, (compact,))
    ]


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_a_number_of_a_class_is_named(interpreter: str) -> None:
    target = core_of(interpreter)
    assert not evidence(check_class_flags_and_sizes, target), "the healthy core"
    context = Context(ProcessState(target))
    reader = shared_reader(context)
    at = reader.layout.require("PyTypeObject", "tp_flags")
    basicsize_at = reader.layout.require("PyTypeObject", "tp_basicsize")
    traverse_at = reader.layout.require("PyTypeObject", "tp_traverse")
    dealloc_at = reader.layout.require("PyTypeObject", "tp_dealloc")
    classes = [kind for kind in classes_in_malloc_heap(context) if reader.word(kind + traverse_at)]
    freed_by = [reader.word(kind + dealloc_at) for kind in classes]
    usual = max(set(freed_by), key=freed_by.count)
    mine = [
        kind
        for kind, how in zip(classes, freed_by, strict=True)
        if how == usual and "." not in str(reader.type_name(kind))  # class statements make no dots
    ]
    for kind in (mine[1], mine[-1]):
        for offset, bit in ((at, CARRIES_GC), (at, HIGHER), (basicsize_at, HIGHER)):
            changed = MutatedTarget(target)
            changed.flip(kind + offset, bit)
            damage = evidence(check_class_flags_and_sizes, changed)
            assert [(sign.id, sign.where, sign.bits) for sign in damage] == [
                ("R28", kind + offset, (bit,))
            ]
        overwritten = MutatedTarget(target)
        overwritten.flip(kind + at, CARRIES_GC)
        overwritten.flip(kind + basicsize_at, HIGHER)
        assert not evidence(check_class_flags_and_sizes, overwritten), (
            "two numbers are an overwrite"
        )


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_a_number_of_a_dicts_table_is_named(interpreter: str) -> None:
    target = core_of(interpreter)
    assert not evidence(dict_tables, target), "the healthy core"
    context = Context(ProcessState(target))
    census, walk = pool_census(context), object_walk(context)
    assert isinstance(census, PoolCensus)
    assert isinstance(walk, ObjectWalk)
    layout, word = walk.reader.layout, walk.reader.word
    keys_at, used_at = (layout.require("PyDictObject", name) for name in ("ma_keys", "ma_used"))
    values_at = layout.require("PyDictObject", "ma_values")
    kind = next(
        k for k in walk.kinds.types_met_so_far() if k.name == "dict" and not k.flags & HEAP_TYPE
    )
    head = object_header_size(kind.flags)
    owner = next(
        owner
        for owner in census.objects_of_type(kind.address, head, layout.size("PyDictObject") or 0)
        if word(owner + used_at) > 2 and not word(owner + values_at)
    )
    keys = word(owner + keys_at)
    size_at = layout.offset("PyDictKeysObject", "dk_size")
    places = [
        (owner + used_at, HIGH),
        (keys + layout.require("PyDictKeysObject", "dk_nentries"), HIGHER),
        (keys + layout.require("PyDictKeysObject", "dk_usable"), HIGH),
        (keys + (size_at or layout.require("PyDictKeysObject", "dk_log2_size")), 4),
    ]
    for where, bit in places:
        changed = MutatedTarget(target)
        changed.flip(where, bit)
        (damage,) = evidence(dict_tables, changed)
        assert damage.id == "R30"
        assert (int(damage.where), damage.bits) == (where & -8, (bit + 8 * (where % 8),))
    changed = MutatedTarget(target)
    changed.put(keys, b"Cem Alb3 and whoever comes after in the list"[: 8 * 5])
    (damage,) = evidence(dict_tables, changed)
    assert (damage.id, damage.where) == ("S:overwritten-place", keys)
    changed = MutatedTarget(target)
    changed.put_word(owner + keys_at, keys ^ 1 << HIGH)
    changed.put(keys ^ 1 << HIGH, b"Cem Alb3 and whoever comes after in the list"[: 8 * 5])
    assert not evidence(dict_tables, changed), "its pointer may be the damaged word"


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_a_small_int_that_is_not_what_its_place_says(interpreter: str) -> None:
    target = core_of(interpreter)
    assert not evidence(small_ints, target), "the healthy core"
    walk = object_walk(Context(ProcessState(target)))
    assert isinstance(walk, ObjectWalk)
    layout, word = walk.reader.layout, walk.reader.word
    tag_at = layout.offset("PyLongObject", "lv_tag")
    size_at = tag_at if tag_at is not None else layout.require("PyVarObject", "ob_size")
    digit_at = layout.require("PyLongObject", "ob_digit")
    (ints,) = walk.kinds.objects_of_types(frozenset(("int",))).values()
    owner = next(
        owner
        for owner in ints
        if word(owner + size_at) in (1, 8, 12) and 5 < word(owner + digit_at) & 0xFFFFFFFF < 99
    )
    for place, garbage, id_, where in (
        (owner + size_at, 0x402B_E581_0000_0000, "S:overwritten-place", owner + size_at),
        (owner + digit_at, word(owner + digit_at) ^ 1 << HIGH, "R32", owner + digit_at),
    ):
        changed = MutatedTarget(target)
        changed.put_word(place, garbage)
        (damage,) = evidence(small_ints, changed)
        assert (damage.id, damage.where) == (id_, where)


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_a_slot_of_a_class_that_the_fault_had_at_hand(interpreter: str) -> None:
    target = core_of(interpreter)
    assert not evidence(type_slots, target), "the healthy core"
    context = Context(ProcessState(target))
    heap = shared_object_search(context)
    tp_dealloc = heap.reader.layout.require("PyTypeObject", "tp_dealloc")
    classes = [kind for kind in _classes_at_hand(context, heap) if heap.reader.u64(kind)]
    assert classes
    place = classes[0] + tp_dealloc
    changed = MutatedTarget(target)
    changed.flip(place, 0)
    assert [each.where for each in evidence(type_slots, changed)] == [place]

# SPDX-License-Identifier: Apache-2.0
"""Freed, overwritten and absurd objects, built by hand for every layout: marked where they are."""

from __future__ import annotations

import time

import pytest
from support.build import BASE, SIZE
from test_values import LAYOUTS, Maker

from gdb_epi.cpython.values.context import name_allocator_mark
from gdb_epi.cpython.values.process_values import ReprLimits

MAX_SECONDS = 5.0  # of processor time; far above what was seen
POISONED = (0xDD, 0xCD, 0xFD, 0xDB)


@pytest.fixture(params=LAYOUTS)
def maker(request: pytest.FixtureRequest) -> Maker:
    return Maker(*request.param)


@pytest.mark.parametrize("byte", POISONED)
def test_poisoned_objects_are_named_and_the_rest_is_right(maker: Maker, byte: int) -> None:
    word = byte * 0x0101010101010101
    bad, good = maker.int(5), maker.int(7)
    maker.set("PyObject", bad, "ob_type", word)
    value = maker.value(maker.list([good, bad, word & ~7 | byte, good]))
    assert value.text.startswith("[7, <cannot decode an object at 0x")
    assert value.text.endswith(", 7]") and not value.exact
    assert value.text.count(f"every byte is {byte:#x}") == 2
    assert "memory" in name_allocator_mark(word) or "guard" in name_allocator_mark(word)


def test_only_whole_words_are_poison() -> None:
    assert name_allocator_mark(0xDDDDDDDDDDDDDDDD) and name_allocator_mark(0xFDFDFDFDFDFDFDFD)
    for word in (
        0,
        0xDD,
        0xDDDDDDDDDDDDDDD0,
        0x7F00DDDDDDDDDDDD,
        0xAAAAAAAAAAAAAAAA,
        (1 << 64) - 1,
    ):
        assert name_allocator_mark(word) == ""


def test_a_reference_count_of_zero_is_told(maker: Maker) -> None:
    gone = maker.int(5)
    maker.set("PyObject", gone, "ob_refcnt", 0)
    value = maker.value(maker.list([maker.int(1), gone]))
    if maker.layout.free_threaded:  # counts in two fields
        assert value.text == "[1, 5]"
        return
    assert value.text == "[1, <freed (reference count 0): 5>]" and not value.exact


def test_a_bool_of_thousands_of_digits(maker: Maker) -> None:
    """str() refuses ints of more than 4,300 decimals (CPython 3.11, gh-95778)."""
    for bits in (12_000, 14_200, 14_400, 17_000, 18_000):
        value = maker.value(maker.list([maker.int(1 << bits, "bool"), maker.int(3)]))
        assert value.text.startswith("[<cannot decode bool at 0x") and value.text.endswith(", 3]")


def test_a_dict_with_absurd_tables(maker: Maker) -> None:
    maker.types["dict"] = maker.type("dict", 1 << 29, base=maker.object)
    for count in (-1, 1 << 20, 1 << 40, 1 << 62):
        at = maker.new("PyDictObject", "dict")
        keys = maker.new("PyDictKeysObject", extra=256)
        maker.set("PyDictObject", at, "ma_used", 3)
        maker.set("PyDictObject", at, "ma_keys", keys)
        maker.set("PyDictKeysObject", keys, "dk_nentries", count)
        maker.set("PyDictKeysObject", keys, "dk_size", 8)
        maker.set("PyDictKeysObject", keys, "dk_log2_index_bytes", 3)
        started = time.process_time()
        value = maker.value(maker.list([maker.int(1), at, maker.int(2)]))
        assert time.process_time() - started < MAX_SECONDS
        assert value.text.startswith("[1, ") and value.text.endswith(", 2]")
        assert not value.exact or value.cut
    for keys in (0, 7, 1 << 62, BASE + SIZE - 8):
        at = maker.new("PyDictObject", "dict")
        maker.set("PyDictObject", at, "ma_used", 3)
        maker.set("PyDictObject", at, "ma_keys", keys)
        assert maker.value(at).text.startswith("<cannot decode dict at 0x")


def test_the_type_of_a_type_and_its_name_lost(maker: Maker) -> None:
    kind = maker.type("lost", 0, base=maker.object, repr_slot=0x1000)
    maker.set("PyTypeObject", kind, "tp_name", 1 << 62)
    maker.types["lost"] = kind
    value = maker.value(maker.list([maker.new("PyObject", "lost", 32), maker.int(3)]))
    assert value.text.startswith("[<? object at 0x") and value.text.endswith(">, 3]")
    assert not value.exact


def test_long_cycles_of_bases_are_left(maker: Maker) -> None:
    kinds = [maker.type(f"k{n}", 0, base=maker.object) for n in range(50)]
    for kind, other in zip(kinds, kinds[1:] + kinds[:1], strict=True):
        maker.set("PyTypeObject", kind, "tp_base", other)
    maker.types["k0"] = kinds[0]
    started = time.process_time()
    value = maker.value(maker.new("PyObject", "k0", 32))
    assert "the bases of the type make a cycle" in value.text
    assert time.process_time() - started < MAX_SECONDS


# The limits count what is written, by whatever layout it is read: some, all with --heavy.
SOME_LAYOUTS = [
    pytest.param(*layout.values, id=layout.id, marks=[pytest.mark.heavy] if number % 12 else [])
    for number, layout in enumerate(LAYOUTS)
]


@pytest.mark.parametrize("maker", SOME_LAYOUTS, indirect=True)
def test_wide_and_deep_lists_stay_within_the_limits(maker: Maker) -> None:
    number = maker.int(1)
    wide = maker.list([number] * 50_000)
    started = time.process_time()
    value = maker.value(wide, ReprLimits(width=1_000_000))
    assert time.process_time() - started < 10 * MAX_SECONDS
    assert value.text.startswith("[1, 1, ") and len(value.text) < 300_000
    assert value.cut == (len(value.text) < 3 * 50_000)
    # Every list holds the next one ten times: 10**8 items in all.
    inner = maker.list([number])
    for _ in range(8):
        inner = maker.list([inner] * 10)
    started = time.process_time()
    value = maker.value(inner, ReprLimits(depth=40, total=50_000))
    assert value.cut and len(value.text) < 150_000
    assert time.process_time() - started < 10 * MAX_SECONDS

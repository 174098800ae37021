# SPDX-License-Identifier: Apache-2.0
"""Slots that may name what was freed: the slots beside them, and what raises a count there."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from gdb_epi.corruption.checks import typed_field, typed_slot
from gdb_epi.corruption.checks import typed_slot as siblings
from gdb_epi.corruption.checks.gc_links import GcLinkReader
from gdb_epi.corruption.checks.item_counts import _CountTooLarge, _evidence_of_wrong_count
from gdb_epi.corruption.heap import object_references
from gdb_epi.corruption.heap.object_types import INSTANCE
from gdb_epi.corruption.heap.object_walk import ContainerSlot

LIST, START, BIT = 0x7F00_0000_0040, 0x7F00_0001_0000, 12
POINTS = [0x7F00_0100_0010 + 64 * n for n in range(8)]
RIGHT = 0x7F00_0200_0010
SLOT = ContainerSlot(START, RIGHT ^ 1 << BIT, LIST, "list")


class Walk:
    """A list whose other items are POINTS; `others` are of another type."""

    def __init__(self, items: list[int], kind: str, others: frozenset[int] = frozenset()) -> None:
        self.items, self.kind, self.others = items, kind, others
        self.kinds = SimpleNamespace(
            type_of_object=lambda _one: SimpleNamespace(category=self.category())
        )

    def category(self) -> str:
        return INSTANCE if self.kind == "Point" else ""

    def type_name_at(self, address: int) -> str:
        return "Circle" if address in self.others else self.kind

    def other_slots_of_container(self, slot: ContainerSlot) -> list[tuple[int, int]]:
        return [(slot.place + 8 * n, word) for n, word in enumerate(self.items, 1)]


def told(
    monkeypatch: pytest.MonkeyPatch, *, items: list[int] = POINTS, kind: str = "Point",
    others: frozenset[int] = frozenset(), lost: tuple[int, ...] = (RIGHT,), offset: int = 0,
    more: Sequence[int] = (),
) -> siblings.Objects:  # fmt: skip
    """What the slots beside SLOT say of RIGHT; each object has 1 reference, `lost` no holder."""
    held = lambda _context, address, _limit: 0 if address in lost else 1  # noqa: E731
    monkeypatch.setattr(siblings, "count_references", held)
    monkeypatch.setattr(
        siblings, "has_lost_reference", lambda _context, address, _wrong: address in lost
    )
    place = lambda address: offset if address == SLOT.value else 0  # noqa: E731
    index = SimpleNamespace(reference_count=lambda _one: 1, offset_in_pool_block=place)
    monkeypatch.setattr(siblings, "address_index", lambda _context: index)
    context: Any = SimpleNamespace(objects_counted=0)
    walk: Any = Walk(items, kind, others)
    return siblings.find_object_that_lost_reference(
        context,
        walk,
        SLOT,
        [siblings.TypedAddress(address, kind) for address in (RIGHT, RIGHT ^ 32, *more)],
    )


def test_the_one_object_of_the_type_of_all_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(monkeypatch) == [(RIGHT, "Point")]
    assert told(monkeypatch, kind="str", offset=32) == [(RIGHT, "str")]


def test_of_many_those_that_the_container_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """255 other values of a byte lead to a hundred objects of the list: none was counted."""
    many = [RIGHT + 0x100 * n for n in range(1, 60)]
    assert told(monkeypatch, items=[*POINTS, *many], more=many) == [(RIGHT, "Point")]
    assert not told(monkeypatch, more=many)


def test_near_misses_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not told(monkeypatch, items=POINTS[:3]), "few"
    assert not told(monkeypatch, others=frozenset(POINTS[5:6])), "of several types"
    assert not told(monkeypatch, lost=(RIGHT, RIGHT ^ 32)), "two candidates"
    assert not told(monkeypatch, lost=(RIGHT, POINTS[1])), "they miss references too"
    assert not told(monkeypatch, lost=()), "nothing is missing"
    assert not told(monkeypatch, kind="str"), "a str can have begun there"
    assert not told(monkeypatch, kind="function", offset=32), "functions are often not counted"


def test_a_count_that_was_raised_needs_what_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """One or two may come of any wild pointer; who took the reference names the place."""
    context: Any = None
    for stale, named in ((True, True), (True, False), (False, True), (False, False)):
        monkeypatch.setattr(
            object_references, "may_be_freed_object", lambda _c, _p, stale=stale: stale
        )
        monkeypatch.setattr(
            object_references, "_does_any_word_name_place", lambda _c, _p, named=named: named
        )
        made = {
            n: object_references.can_software_have_written_word(context, START, RIGHT + n, RIGHT)
            for n in (1, 2, 4)
        }
        assert made == {1: named, 2: named, 4: stale and named}
        assert not object_references.can_software_have_written_word(
            context, START, RIGHT - 8, RIGHT
        )


def test_a_zero_byte_needs_a_text_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a slot behind another one no text's end was written; a hash may stand between."""
    wrong = RIGHT + 0x180 & ~0xFF
    right = wrong | 1 << 6
    index = SimpleNamespace(object_type=lambda address: "str" if address == RIGHT else None)
    monkeypatch.setattr(object_references, "address_index", lambda _context: index)
    context: Any = SimpleNamespace(target=None)
    for words, partly in (
        ({START - 8: RIGHT}, False),
        ({START - 16: RIGHT, START - 8: 5000}, False),
        ({START - 16: RIGHT, START - 8: 0x74 << 56}, True),
        ({START - 8: 5000}, True),
        ({}, True),
    ):
        monkeypatch.setattr(
            object_references, "read_word", lambda _t, at, words=words: words.get(at, 0)
        )
        assert (
            object_references.can_software_have_written_word(context, START, wrong, right) == partly
        ), words
    assert object_references.can_software_have_written_word(
        context, START, wrong & ~0xFFFF, wrong & ~0xFFFF | 1 << 12
    )


def test_of_two_slots_a_tuple_is_a_copy_where_no_object_can_begin() -> None:
    odd, even = RIGHT + 4, RIGHT + 64
    held = [
        ContainerSlot(START, odd, LIST, "dict"),
        ContainerSlot(START + 64, odd, LIST + 64, "tuple"),
        ContainerSlot(START + 128, odd, LIST + 128, typed_slot.FRAME),
    ]
    things: Any = SimpleNamespace(is_past_start_in_pool_block=lambda address: address == RIGHT + 8)
    assert typed_slot._slots_that_are_no_copies(things, held) == held[:1]
    assert (
        typed_slot._slots_that_are_no_copies(things, [*held, held[0]._replace(place=START + 8)])
        == []
    )
    same = [slot._replace(value=even) for slot in held]
    assert typed_slot._slots_that_are_no_copies(things, same) == []
    assert typed_slot._slots_that_are_no_copies(things, [same[0], same[2]]) == same[:1]
    inside = [slot._replace(value=RIGHT + 8) for slot in held]
    assert typed_slot._slots_that_are_no_copies(things, inside) == inside[:1]


def test_a_field_of_which_others_hold_the_right_word() -> None:
    """Frames of one module share its globals; one other frame is too few."""
    words = {frame + 16: RIGHT for frame in POINTS[1:3]} | {POINTS[0] + 16: SLOT.value}
    for number in (2, 3):
        frames = [SimpleNamespace(address=address) for address in POINTS[:number]]
        reader = SimpleNamespace(words=lambda places: [words.get(at, 0) for at in places])
        walk: Any = SimpleNamespace(frames=frames, reader=reader, visited=[])
        wrong: Any = SimpleNamespace(
            owner=POINTS[0], category="frame", field=SimpleNamespace(offset=16), value=SLOT.value
        )
        assert typed_field._do_others_hold_right_word(walk, wrong, RIGHT) == (number == 3)


SIZE = 16
P, A, N = 0x7F00_0000_1000, 0x7F00_0000_9000, 0x7F00_0000_1000 ^ 1 << 14
BEYOND, BEFORE = 0x7F00_0000_A000, 0x7F00_0000_B000


def links(words: dict[int, int]) -> GcLinkReader:
    """Return links over made-up nodes, all of which are objects."""
    made: Any = GcLinkReader.__new__(GcLinkReader)
    made.size, made._next_at, made._prev_at = SIZE, 0, 8
    made._word = lambda at: words.get(at, 0)
    made.reader = SimpleNamespace(words=lambda places: [words.get(at, 0) for at in places])
    made.is_gc_head = lambda node: node in words
    reader: GcLinkReader = made
    return reader


def chained(*nodes: int) -> dict[int, int]:
    words: dict[int, int] = {}
    for node, other in zip(nodes, nodes[1:], strict=False):
        words[node], words[other + 8] = other, node
    return words


def test_a_node_that_was_left_in_a_list_is_no_flip() -> None:
    """Its next names a node that is whole in another list, and whose prev is one bit from it."""
    words = {**chained(BEFORE, N), N: A, **chained(P, A, BEYOND)}
    assert list(links(words).one_bit_repairs(N)) == []


def test_a_prev_that_leads_nowhere_is_one() -> None:
    words = chained(BEFORE, N, A, BEYOND)
    words[A + 8] ^= 1 << 14
    (repair,) = links(words).one_bit_repairs(N)
    assert (repair.where, repair.found, repair.corrected) == (A + 8, P, N)


def test_of_two_counts_that_fit_the_one_behind_which_no_object_is() -> None:
    """428 items are 300 with bit 7 changed, and 172 with bit 8; item 172 is an object."""
    items, owner = START, LIST
    walk: Any = SimpleNamespace(
        reader=SimpleNamespace(
            word=lambda at: at, consecutive_words=lambda at, n: [*range(at, at + 8 * n, 8)]
        ),
        type_name_at=lambda word: "int" if word < items + 8 * 300 else "",
    )
    count = _CountTooLarge(owner, "list", owner + 24, 428, 0, 309, items, "it has room for 309")
    context: Any = None
    (damage,) = _evidence_of_wrong_count(context, walk, count)
    assert (damage.found, damage.corrected, damage.bits) == (428, 300, (7,))

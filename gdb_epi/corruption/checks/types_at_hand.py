# SPDX-License-Identifier: Apache-2.0
"""R18: an object that the fault had at hand names no type; one bit away from the word is one.

The failed access may lie far behind that word: a function was taken from what is no type.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import Evidence, word_evidence
from gdb_epi.corruption.heap.address_index import address_index
from gdb_epi.corruption.heap.memory_readers import collect_fault_values, is_on_stack
from gdb_epi.corruption.heap.object_references import ALIGNED
from gdb_epi.corruption.heap.object_types import SUBCLASS
from gdb_epi.corruption.heap.object_walk import object_walk
from gdb_epi.corruption.pointers.suspect_words import is_held_once
from gdb_epi.corruption.registry import check
from gdb_epi.cpython.heap.object_search import HAVE_GC
from gdb_epi.errors import Absent
from gdb_epi.fault.memory_reads import read_word
from gdb_epi.sizes import PAGE, WORD
from gdb_epi.util import add_article

BITS = range(64)
MIN_NAMED = 8  # words that name a type in use
MAX_SLOTS = 64
MAX_COUNTED = 1 << 20  # references of what is taken for an object


@check(
    "R18-type",
    costly=True,
    needs="python",
    order=56,
    innocent_causes=(
        "other data in the place of an object: a small number and a pointer to a file's data, of "
        "which 1 of 20 is one bit from a type. Said only of a word that leads to no such data, and "
        "that no other word holds, in a block that begins with a reference count. What looks like "
        "a type by chance is named by few words."
    ),
)
def types_at_hand(context: Context) -> Iterator[Evidence]:
    """Look at what begins blocks at the addresses in registers and on the top of the stack."""
    index = address_index(context)
    for address in dict.fromkeys((*collect_fault_values(context), *_named_by_slots(context))):
        if not _may_begin_object(context, address):
            continue
        held = read_word(context.target, address + WORD) or 0
        if held < PAGE or index.at(held) is not None or index.type_name(held):
            continue
        right = [near for bit in BITS if _is_type_in_use(context, near := held ^ 1 << bit)]
        if len(right) != 1 or not is_held_once(context, held) or is_on_stack(context, address):
            continue
        region = context.target.region_at(held)
        in_file = not held % WORD and region is not None and region.in_file
        static = index.place_in_block(address) is None
        if (in_file or static) and not _fits_block(context, address, right[0]):
            continue
        name = index.type_name(right[0])
        summary = (
            f"where the object at {address:#x} names its type stands {held:#018x}; one bit away, "
            f"at {right[0]:#x}, is the type of {add_article(str(name))}"
        )
        yield word_evidence("R18", address + WORD, held, right[0], summary, object_type=name)
        return


def _named_by_slots(context: Context) -> list[int]:
    """Return what slots of containers and frames name, which is no object."""
    walk = object_walk(context)
    slots = [] if isinstance(walk, Absent) else walk.without_type[:MAX_SLOTS]
    return [slot.value for slot in slots]


def _may_begin_object(context: Context, address: int) -> bool:
    """Whether a block in use begins at an address, or an object may in a file's writable data."""
    index, region = address_index(context), context.target.region_at(address)
    count = read_word(context.target, address)
    if region is None or count is None or address % WORD:
        return False
    if region.in_file:
        return "w" in region.perms
    return count < MAX_COUNTED and index.begins_block(address) and not index.in_free_block(address)


def _is_static_object(context: Context, address: int, kind: int) -> bool:
    """Whether an object lies in a file's data: a slot names it, or it is immortal as types are."""
    count = read_word(context.target, address)
    immortal = count is not None and count >> 30 & 3 and count == read_word(context.target, kind)
    return bool(immortal) or address in _named_by_slots(context)


def _fits_block(context: Context, address: int, kind: int) -> bool:
    """Whether a block of pymalloc's is as large as an object of a type, and begins as it does.

    The collector's links lie before an object that it follows, and before none else
    (PyType_GenericAlloc in Objects/typeobject.c, 3.8 to 3.15).
    """
    python, bounds = context.state.python, address_index(context).bounds_of_block(address)
    if isinstance(python, Absent):
        return False
    if bounds is None:
        return _is_static_object(context, address, kind)
    words = {
        name: read_word(context.target, kind + at) or 0
        for name in ("tp_basicsize", "tp_itemsize", "tp_flags")
        if (at := python.layout.offset("PyTypeObject", name)) is not None
    }
    if len(words) < 3 or (address - bounds[0] > 0) != bool(words["tp_flags"] & HAVE_GC):
        return False
    basic = words["tp_basicsize"]
    if words["tp_flags"] & SUBCLASS["str"]:  # its size is that of one whose text lies elsewhere
        basic, words["tp_itemsize"] = python.layout.size("PyASCIIObject") or basic, 1
    room = bounds[1] - address - basic
    return room >= 0 if words["tp_itemsize"] else 0 <= room < ALIGNED


def _is_type_in_use(context: Context, address: int) -> bool:
    """Whether a type begins there that its objects, its bases and its methods name."""
    name = address_index(context).type_name(address)
    plain = name is not None and name.isascii() and name.replace(".", "").isidentifier()
    return plain and len(context.places_of(address, MIN_NAMED)) == MIN_NAMED

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
from gdb_epi.corruption.pointers.suspect_words import is_held_once
from gdb_epi.corruption.registry import check
from gdb_epi.fault.memory_reads import read_word
from gdb_epi.sizes import PAGE, WORD
from gdb_epi.util import add_article

BITS = range(64)
MIN_NAMED = 8  # words that name a type in use
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
    for address in collect_fault_values(context):
        if not index.begins_block(address) or index.in_free_block(address):
            continue
        held = read_word(context.target, address + WORD) or 0
        count = read_word(context.target, address)
        if held < PAGE or count is None or count >= MAX_COUNTED or index.type_name(held):
            continue
        region = context.target.region_at(held)
        if not held % WORD and region is not None and region.in_file:
            continue
        right = [near for bit in BITS if _is_type_in_use(context, near := held ^ 1 << bit)]
        if len(right) != 1 or not is_held_once(context, held) or is_on_stack(context, address):
            continue
        name = index.type_name(right[0])
        summary = (
            f"where the object at {address:#x} names its type stands {held:#018x}; one bit away, "
            f"at {right[0]:#x}, is the type of {add_article(str(name))}"
        )
        yield word_evidence("R18", address + WORD, held, right[0], summary, object_type=name)
        return


def _is_type_in_use(context: Context, address: int) -> bool:
    """Whether a type begins there that its objects, its bases and its methods name."""
    name = address_index(context).type_name(address)
    plain = name is not None and name.isascii() and name.replace(".", "").isidentifier()
    return plain and len(context.places_of(address, MIN_NAMED)) == MIN_NAMED

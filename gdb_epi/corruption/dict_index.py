# SPDX-License-Identifier: Apache-2.0
"""The index of a dict: by its hash a key is found at one entry, and at no other.

Reference: lookdict() and unicodekeys_lookup_unicode() in Objects/dictobject.c, 3.8 to 3.15: the
same steps in all.
"""

from __future__ import annotations

from gdb_epi.corruption.typed_walk import Slot, Walk
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.x86 import MASK

PERTURB_SHIFT = 5
MAX_STEPS = 64
MAX_LOG2 = 24
WORD = 8


def is_found_at(walk: Walk, slot: Slot, key: int) -> bool:
    """Whether a str that is put into the slot of a dict's key is found there by its own hash.

    False where that cannot be told: for values, split tables, and keys that are not hashed yet.
    """
    layout = walk.reader.layout
    hash_at = layout.offset("PyASCIIObject", "hash")
    keys_at = layout.offset("PyDictObject", "ma_keys")
    if slot.kind != "dict" or hash_at is None or keys_at is None:
        return False
    try:
        return _is_found(walk, slot, walk.reader.u64(slot.owner + keys_at), key + hash_at)
    except (UnreadableMemory, LayoutError):
        return False


def _is_found(walk: Walk, slot: Slot, keys: int, hash_at: int) -> bool:
    start, count, width, offsets = next(iter(walk.dict_places(slot.owner)))
    wanted, rest = divmod(slot.place - start - WORD * offsets[0], width)
    if len(offsets) != 2 or rest or not 0 <= wanted < count:
        return False
    layout, reader = walk.reader.layout, walk.reader
    table = "PyDictKeysObject"
    log2_at = layout.offset(table, "dk_log2_size")
    if log2_at is not None:
        log2 = reader.u8(keys + log2_at)
    else:
        log2 = reader.u64(keys + layout.require(table, "dk_size")).bit_length() - 1
    indices = keys + layout.require(table, "dk_indices")
    if not 0 <= log2 <= MAX_LOG2 or (start - indices) % (1 << log2):
        return False
    size = (start - indices) >> log2
    found = reader.u64(hash_at)
    at, perturb = found, found
    for _ in range(MAX_STEPS if found not in (0, MASK) else 0):
        at &= (1 << log2) - 1
        index = int.from_bytes(reader.read(indices + at * size, size), "little", signed=True)
        if index == wanted:
            return True
        if index == -1:
            return False
        perturb >>= PERTURB_SHIFT
        at = at * 5 + perturb + 1
    return False

# SPDX-License-Identifier: Apache-2.0
"""SipHash, of one byte string or of many at once, in plain Python.

For many, one number holds one 64-bit word of each of a thousand strings, in lanes of 72 bits: that
is about twenty times as fast as one string after the other. The upper 8 bits take carries: what
rotates goes through masks, and v1 and v3, through which carries grow, are cut at each word. From
one cut to the next, and through the rounds at the end, they stay below 100.
Reference: Python/pyhash.c: SipHash-2-4 up to 3.10, SipHash-1-3 from 3.11 (bpo-29410).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from functools import lru_cache

from gdb_epi.sizes import WORD_MASK
from gdb_epi.typing_lite import NamedTuple

VARIANTS = ((1, 3), (2, 4))  # rounds per word, rounds at the end
LANE_BYTES = 9
MAX_KEPT = 8  # constants, by how many lanes they are for: 0.1 MB each for a thousand
_INITIAL = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)
# What fills a string up to whole words, by the lowest byte of its length, which comes last.
_TAILS = tuple(bytes(7 - (length & 7)) + bytes((length,)) for length in range(256))
_Masks = tuple[tuple[int, int], ...]


class HashKey(NamedTuple):
    """The secret of one process and its variant: rounds per word, rounds at the end."""

    k0: int
    k1: int
    compression: int
    finalization: int

    @property
    def name(self) -> str:
        """Return what the variant is called."""
        return f"SipHash-{self.compression}-{self.finalization}"


def siphash(key: HashKey, text: bytes) -> int:
    """Return the hash of one byte string (unsigned)."""
    padded = text + _TAILS[len(text) & 255]
    v0, v1, v2, v3 = (start ^ k for start, k in zip(_INITIAL, (key.k0, key.k1) * 2, strict=True))
    words = struct.unpack(f"<{len(padded) >> 3}Q", padded)
    rounds = [*((word, key.compression) for word in words), (0, key.finalization)]
    for number, (word, count) in enumerate(rounds):
        if number == len(words):
            v2 ^= 0xFF
        v3 ^= word
        for _ in range(count):
            v0 = v0 + v1 & WORD_MASK
            v1 = (v1 << 13 | v1 >> 51) & WORD_MASK ^ v0
            v2 = v2 + v3 & WORD_MASK
            v3 = (v3 << 16 | v3 >> 48) & WORD_MASK ^ v2
            v0 = (v0 << 32 | v0 >> 32) + v3 & WORD_MASK
            v3 = (v3 << 21 | v3 >> 43) & WORD_MASK ^ v0
            v2 = v2 + v1 & WORD_MASK
            v1 = (v1 << 17 | v1 >> 47) & WORD_MASK ^ v2
            v2 = (v2 << 32 | v2 >> 32) & WORD_MASK
        v0 ^= word
    return v0 ^ v1 ^ v2 ^ v3


def python_hash(key: HashKey, text: bytes) -> int:
    """Return the hash of str or bytes contents as CPython stores it (unsigned).

    Of nothing it is 0, and -1 means "not hashed yet", so that becomes -2 (_Py_HashBytes).
    """
    hashed = siphash(key, text) if text else 0
    return hashed if hashed != WORD_MASK else WORD_MASK - 1


def hash_many(key: HashKey, texts: Sequence[bytes]) -> int:
    """Return the hashes of strings, one in each lane (LANE_BYTES; the upper 8 bits are 0).

    Their lengths fill the same number of words up: they are the same without the lowest 3 bits.
    """
    padded = [text + _TAILS[len(text) & 255] for text in texts]
    count, size = len(padded), len(padded[0])
    blob = b"".join(padded)
    return hash_lanes(key, (_in_lanes(blob, at, size) for at in range(0, size, 8)), count)


def hash_lanes(key: HashKey, words: Iterable[int], count: int) -> int:
    """Return the hashes of `count` strings, one in each lane.

    `words` are their first words, one in each lane, then their second ones, and so on; the last
    holds what is left of the characters, and the length in its highest byte.
    """
    one_per_lane = _one_in_each_lane(count)
    mask = one_per_lane * WORD_MASK
    masks = _rotation_masks(count)
    keys = (key.k0, key.k1) * 2
    v0, v1, v2, v3 = (one_per_lane * (start ^ k) for start, k in zip(_INITIAL, keys, strict=True))
    for word in words:
        v1 &= mask  # carries grow through additions of v1 and v3 alone
        v3 = v3 & mask ^ word
        for _ in range(key.compression):
            v0, v1, v2, v3 = _sip_round(v0, v1, v2, v3, masks)
        v0 ^= word
    v2 ^= one_per_lane * 0xFF
    for _ in range(key.finalization):
        v0, v1, v2, v3 = _sip_round(v0, v1, v2, v3, masks)
    return (v0 ^ v1 ^ v2 ^ v3) & mask


def pack_into_lanes(words: Sequence[int]) -> int:
    """Return 64-bit words, one in each lane."""
    return _in_lanes(struct.pack(f"<{len(words)}Q", *words), 0, 8)


def _in_lanes(blob: bytes, at: int, size: int) -> int:
    """Return the words at one offset of strings of one size, one in each lane."""
    return pack_byte_columns([blob[at + byte :: size] for byte in range(8)])


def pack_byte_columns(column: Sequence[bytes]) -> int:
    """Return words, one in each lane: all their lowest bytes are given, then their second ones."""
    lanes = bytearray(LANE_BYTES * len(column[0]))
    for byte, values in enumerate(column):
        lanes[byte::LANE_BYTES] = values
    return int.from_bytes(lanes, "little")


def unequal_lanes(left: int, right: int, count: int) -> list[int]:
    """Return the numbers of the lanes in which two vectors differ."""
    changed = left ^ right
    if not changed:
        return []
    lanes = changed.to_bytes(LANE_BYTES * count, "little")
    none = bytes(LANE_BYTES)
    return [n for n in range(count) if lanes[LANE_BYTES * n : LANE_BYTES * (n + 1)] != none]


@lru_cache(maxsize=MAX_KEPT)
def _one_in_each_lane(count: int) -> int:
    return int.from_bytes((b"\1" + bytes(LANE_BYTES - 1)) * count, "little")


@lru_cache(maxsize=MAX_KEPT)
def _rotation_masks(count: int) -> _Masks:
    """Return (high bits, low bits) of each lane for rotations by 13, 16, 17, 21, 32."""
    one_per_lane = _one_in_each_lane(count)
    lows = ((1 << shift) - 1 for shift in (13, 16, 17, 21, 32))
    return tuple((one_per_lane * (WORD_MASK & ~low), one_per_lane * low) for low in lows)


def _sip_round(v0: int, v1: int, v2: int, v3: int, masks: _Masks) -> tuple[int, int, int, int]:
    """One SipRound in all lanes. Sums may have carries above bit 63; rotations leave them out."""
    (high13, low13), (high16, low16), (high17, low17), (high21, low21), (high32, low32) = masks
    v0 += v1
    v1 = v1 << 13 & high13 ^ v1 >> 51 & low13 ^ v0
    v2 += v3
    v3 = v3 << 16 & high16 ^ v3 >> 48 & low16 ^ v2
    v0 = (v0 << 32 & high32 ^ v0 >> 32 & low32) + v3
    v3 = v3 << 21 & high21 ^ v3 >> 43 & low21 ^ v0
    v2 += v1
    v1 = v1 << 17 & high17 ^ v1 >> 47 & low17 ^ v2
    return v0, v1, v2 << 32 & high32 ^ v2 >> 32 & low32, v3

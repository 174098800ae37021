# SPDX-License-Identifier: Apache-2.0
"""SipHash of many byte strings at once, in plain Python.

One number holds one 64-bit word of each of a thousand strings, in lanes of 120 bits (four digits
of CPython's integers; a rotation by at least 13 bits leaves what comes from a neighbour above bit
64, where the mask takes it away). That is about fifteen times as fast as one string after the
other. A lane may be wrong by a carry out of 56 set bits, so the caller looks again at what
differs, with `siphash`.
Reference: Python/pyhash.c: SipHash-2-4 up to 3.10, SipHash-1-3 from 3.11 (bpo-29410).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from gdb_epi.lean import NamedTuple

MASK = (1 << 64) - 1
LANE_BYTES = 15
LANE = 8 * LANE_BYTES
_INITIAL = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)


class Key(NamedTuple):
    """The secret of one process and its variant: rounds per word, rounds at the end."""

    k0: int
    k1: int
    compression: int
    finalization: int

    @property
    def name(self) -> str:
        """Return what the variant is called."""
        return f"SipHash-{self.compression}-{self.finalization}"


def siphash(key: Key, data: bytes) -> int:
    """Return the hash of one byte string as CPython stores it (unsigned)."""
    if not data:
        return 0
    padded = pad(data)
    v0, v1, v2, v3 = (start ^ k for start, k in zip(_INITIAL, (key.k0, key.k1) * 2, strict=True))
    for at in range(0, len(padded), 8):
        word = int.from_bytes(padded[at : at + 8], "little")
        v3 ^= word
        for _ in range(key.compression):
            v0, v1, v2, v3 = _round(v0, v1, v2, v3, MASK)
        v0 ^= word
    v2 ^= 0xFF
    for _ in range(key.finalization):
        v0, v1, v2, v3 = _round(v0, v1, v2, v3, MASK)
    found = v0 ^ v1 ^ v2 ^ v3
    return found if found != MASK else MASK - 1  # -1 means "not hashed yet": CPython stores -2


def pad(data: bytes) -> bytes:
    """Return data filled up to whole words, the length in the last byte."""
    return data + _tail(len(data) & 255, -(len(data) + 1) & 7)


@cache
def _tail(length: int, zeros: int) -> bytes:
    return bytes(zeros) + bytes((length,))


def hash_padded(key: Key, padded: Sequence[bytes]) -> int:
    """Return the hashes of strings of one padded length, one in each lane."""
    count, size = len(padded), len(padded[0])
    ones = _ones(count)
    mask = ones * MASK
    blob = b"".join(padded)
    v0, v1, v2, v3 = (
        ones * (start ^ k) for start, k in zip(_INITIAL, (key.k0, key.k1) * 2, strict=True)
    )
    lanes = bytearray(LANE_BYTES * count)
    for at in range(0, size, 8):
        for byte in range(8):
            lanes[byte::LANE_BYTES] = blob[at + byte :: size]
        words = int.from_bytes(lanes, "little")
        v3 ^= words
        for _ in range(key.compression):
            v0, v1, v2, v3 = _round(v0, v1, v2, v3, mask)
        v0 ^= words
    v2 ^= ones * 0xFF
    for _ in range(key.finalization):
        v0, v1, v2, v3 = _round(v0, v1, v2, v3, mask)
    return v0 ^ v1 ^ v2 ^ v3


def in_lanes(words: Sequence[int]) -> int:
    """Return 64-bit words, one in each lane."""
    gap = bytes(LANE_BYTES - 8)
    return int.from_bytes(gap.join([word.to_bytes(8, "little") for word in words]), "little")


def unequal(left: int, right: int, count: int) -> list[int]:
    """Return the numbers of the lanes in which two vectors differ."""
    changed = left ^ right
    if not changed:
        return []
    data = changed.to_bytes(LANE_BYTES * count, "little")
    none = bytes(LANE_BYTES)
    return [n for n in range(count) if data[LANE_BYTES * n : LANE_BYTES * (n + 1)] != none]


@cache
def _ones(count: int) -> int:
    return int.from_bytes((b"\1" + bytes(LANE_BYTES - 1)) * count, "little")


def _round(v0: int, v1: int, v2: int, v3: int, mask: int) -> tuple[int, int, int, int]:
    """One SipRound, on one string or on many; values below `mask` go in and come out."""
    v0 = (v0 + v1) & mask
    v1 = ((v1 << 13 | v1 >> 51) ^ v0) & mask
    v2 = (v2 + v3) & mask
    v3 = ((v3 << 16 | v3 >> 48) ^ v2) & mask
    v0 = ((v0 << 32 | v0 >> 32) & mask) + v3 & mask
    v3 = ((v3 << 21 | v3 >> 43) ^ v0) & mask
    v2 = (v2 + v1) & mask
    v1 = ((v1 << 17 | v1 >> 47) ^ v2) & mask
    return v0, v1, (v2 << 32 | v2 >> 32) & mask, v3

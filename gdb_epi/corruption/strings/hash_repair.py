# SPDX-License-Identifier: Apache-2.0
"""Compare hashes in bulk, and find the one bit that makes an object fit its hash again."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.siphash import (
    VARIANTS,
    HashKey,
    hash_many,
    pack_into_lanes,
    python_hash,
    unequal_lanes,
)
from gdb_epi.cpython.objects.str_layout import MAX_DATA, HashedString, StringFormat
from gdb_epi.errors import UnreadableMemory
from gdb_epi.fault.memory_reads import read_u64, try_read
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple

BATCH = 1024
MIN_SAMPLE = 8
MAX_SAMPLE = 64
CUTOFF = 8  # Py_HASH_CUTOFF is at most 7: shorter strings may have another hash
MAX_WORK = 4_000_000  # words hashed to find one flipped bit: 4096 bytes of data


class HashFlip(NamedTuple):
    """One bit of the word at `where` that makes an object fit its hash."""

    where: int
    found: int
    corrected: int
    member: str


def find_key(target: Target, reader: MemoryReader, texts: Sequence[HashedString]) -> HashKey | str:
    """Return the key that fits strings of the process, or why there is none."""
    place = target.symbol("_Py_HashSecret")
    if place is None:
        return "the symbol _Py_HashSecret is not found"
    at = reader.layout.offset("_Py_hashsecret", "siphash.k0")
    other = reader.layout.offset("_Py_hashsecret", "siphash.k1")
    if at is None or other is None:
        return "the layout does not tell where the secret's two words lie"
    try:
        k0, k1 = reader.u64(place + at), reader.u64(place + other)
    except UnreadableMemory as error:
        return f"the secret: {error}"
    sample = [text for text in texts if len(text.data) >= CUTOFF][:MAX_SAMPLE]
    if len(sample) < MIN_SAMPLE:
        return f"only {len(sample)} hashed strings of {CUTOFF} bytes or more to tell the hash by"
    for rounds in VARIANTS:
        key = HashKey(k0, k1, *rounds)
        if _fits_more_than(key, sample, len(sample) // 2):
            return key
    return (
        "neither SipHash-1-3 nor SipHash-2-4 with the core's secret gives the hashes of most "
        "strings: another algorithm (FNV), or the secret is damaged"
    )


def hashes_short_strings(key: HashKey, texts: Iterable[HashedString]) -> bool:
    """Tell whether strings of fewer than 8 bytes have this hash too (no Py_HASH_CUTOFF)."""
    sample = [text for text in texts if 0 < len(text.data) < CUTOFF][:MAX_SAMPLE]
    return _fits_more_than(key, sample, (len(sample) + 1) // 2 - 1)


def _fits_more_than(key: HashKey, sample: Sequence[HashedString], number: int) -> bool:
    """Tell whether a key gives the hashes of more than so many strings; no more are hashed."""
    others = len(sample) - number  # that many more misses than allowed leave too few
    fit = 0
    for count, text in enumerate(sample):
        if fit > number or count - fit >= others:
            break
        fit += python_hash(key, text.data) == text.stored
    return fit > number


class BulkHasher:
    """Hash many texts, a thousand of one length in words at a time."""

    def __init__(self, key: HashKey, *, shortest: int = 0) -> None:
        self.key = key
        self.checked = 0
        self._shortest = shortest
        self._waiting: dict[int, list[tuple[int, bytes, int]]] = {}

    def add(self, texts: Iterable[tuple[int, bytes, int]]) -> list[int]:
        """Take objects (address, contents, hash); return the addresses found not to fit."""
        waiting, shortest = self._waiting, self._shortest
        wrong: list[int] = []
        for text in texts:
            size = len(text[1])
            if size < shortest:
                continue
            group = waiting.get(size | 7)
            if group is None:
                group = waiting[size | 7] = []
            group.append(text)
            if len(group) == BATCH:
                wrong += self._compare(group)
                group.clear()
        return wrong

    def rest(self) -> Iterator[int]:
        """Yield the addresses that do not fit among those that wait."""
        for group in self._waiting.values():
            if group:
                yield from self._compare(group)
        self._waiting.clear()

    def _compare(self, group: list[tuple[int, bytes, int]]) -> list[int]:
        self.checked += len(group)
        hashes = hash_many(self.key, [characters for _, characters, _ in group])
        wrong = unequal_lanes(
            hashes, pack_into_lanes([stored for _, _, stored in group]), len(group)
        )
        # Again, one by one: the lanes do not know of empty strings, nor of hash -1.
        return [
            address
            for address, characters, stored in (group[number] for number in wrong)
            if python_hash(self.key, characters) != stored
        ]


def find_hash_flip(key: HashKey, form: StringFormat, text: HashedString) -> HashFlip | None:
    """Return the bit of the hash word itself that was flipped."""
    right = python_hash(key, text.data)
    if (right ^ text.stored).bit_count() != 1:
        return None
    return HashFlip(text.address + form.hash_at, text.stored, right, "hash")


def find_data_flip(key: HashKey, target: Target, text: HashedString) -> HashFlip | None:
    """Return the bit of the characters that was flipped. Up to 4096 bytes."""
    size = len(text.data)
    if not size or 8 * size * (size // 8 + 1) > MAX_WORK * 4:
        return None
    places = [(byte, bit) for byte in range(size) for bit in range(8)]
    for first in range(0, len(places), BATCH):
        part = places[first : first + BATCH]
        hashes = hash_many(key, [_flip_bit(text.data, *place) for place in part])
        wrong = set(unequal_lanes(hashes, pack_into_lanes([text.stored] * len(part)), len(part)))
        for number, (byte, bit) in enumerate(part):
            if number not in wrong:
                return _word_flip(target, text.start + byte, bit, "characters")
    return None


def _flip_bit(content: bytes, byte: int, bit: int) -> bytes:
    return content[:byte] + bytes((content[byte] ^ 1 << bit,)) + content[byte + 1 :]


def _word_flip(target: Target, byte_at: int, bit: int, member: str) -> HashFlip | None:
    where = byte_at & ~7
    held = read_u64(target, where)
    flip = 1 << 8 * (byte_at - where) + bit
    return None if held is None else HashFlip(where, held, held ^ flip, member)


def find_header_flip(
    key: HashKey, target: Target, form: StringFormat, address: int
) -> HashFlip | None:
    """Return the bit of the length or of the state that was flipped."""
    head = try_read(target, address, form.head)
    if not head:
        return None
    length, stored = (
        struct.unpack_from("<Q", head, at)[0] for at in (form.length_at, form.hash_at)
    )
    state = struct.unpack_from("<I", head, form.state_at)[0]
    tries = [(length ^ 1 << bit, state, form.length_at, bit, "length") for bit in range(64)]
    tries += [
        (length, state ^ 1 << bit, form.state_at, bit, "state")
        for bit in range(32)
        if form.state_mask >> bit & 1
    ]
    for size, bits, at, bit, member in tries:
        kind = form.kinds.get(bits & form.state_mask)
        if kind is None or not 0 < size * kind[1] <= MAX_DATA:
            continue
        characters = try_read(target, address + kind[0], size * kind[1])
        if characters and python_hash(key, characters) == stored:
            return _word_flip(target, address + at + bit // 8, bit % 8, member)
    return None

# SPDX-License-Identifier: Apache-2.0
"""Hash the strings of pymalloc's pools in columns: no step in Python for each of them.

The blocks of a pool have one size, so words at one offset of them are a slice with a stride. Where
many blocks are ASCII strings, all are hashed, and the results of what is none are left out. A
string that its block was made for has as many words as the block has room for, or one less; others
are given back, to be looked at one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from gdb_epi.corruption.pools import OVERHEAD, Pool
from gdb_epi.corruption.texts import UNHASHED, Form
from gdb_epi.cpython.siphash import (
    LANE_BYTES,
    Key,
    absorbed,
    column_of,
    finished,
    mask_of,
    ones_of,
    started,
)

LANES = 1024  # blocks that are hashed at once
FEWEST = 4  # one of so many blocks is a string
WORD = 8
# By the lowest byte of a length: whether a byte of the last word belongs to the string.
_KEPT = tuple(bytes(0xFF if length & 7 > byte else 0 for length in range(256)) for byte in range(8))


class PoolStrings:
    """Collect pools by the size of their blocks, and hash a thousand blocks at a time.

    `wrong` are addresses of strings that do not fit their hash, to be looked at again; `others`
    those of hashed objects that were not looked at; `checked` counts what was.
    """

    def __init__(self, key: Key, form: Form) -> None:
        self.wrong: list[int] = []
        self.others: list[int] = []
        self.checked = 0
        self._key, self._form = key, form
        self._needle = form.type.to_bytes(WORD, "little").rstrip(b"\0")
        # The form that the most strings have, with one byte for each character.
        self._state, self._head = next(
            ((bits, at) for bits, (at, width) in form.kinds.items() if width == 1), (0, 0)
        )
        self._waiting: dict[int, list[tuple[int, bytes]]] = {}
        self._number: dict[int, int] = {}  # of blocks that wait

    def take(self, pool: Pool, data: bytes) -> bool:
        """Take a pool, if all that looks like an object of the type begins a block of it."""
        block, count = pool.block, pool.carved
        if block < self._head + WORD or count > LANES or not self._head or self._head % WORD:
            return False
        area = data[OVERHEAD : OVERHEAD + count * block]
        words, form = memoryview(area).cast("Q"), self._form
        kinds = words[form.type_at >> 3 :: block >> 3].tolist()
        strings = kinds.count(form.type)
        if FEWEST * strings < count or data.count(self._needle) != strings:
            return False
        hashes = words[form.hash_at >> 3 :: block >> 3].tolist()
        hashed = strings - hashes.count(UNHASHED)  # or more: others may have such a word there
        if hashed <= 0:
            pairs = zip(kinds, hashes, strict=True)
            hashed = sum([stored != UNHASHED for kind, stored in pairs if kind == form.type])
        if not hashed or FEWEST * hashed < count:
            return not hashed
        if self._number.get(block, 0) + count > LANES:
            self._flush(block)
        self._waiting.setdefault(block, []).append((pool.address + OVERHEAD, area))
        self._number[block] = self._number.get(block, 0) + count
        return True

    def rest(self) -> None:
        """Hash what waits."""
        for block in list(self._waiting):
            self._flush(block)

    def _flush(self, block: int) -> None:
        areas = self._waiting.pop(block, [])
        self._number[block] = 0
        blob = b"".join([area for _, area in areas]).ljust(LANES * block, b"\0")
        form, ones, mask = self._form, ones_of(LANES), mask_of(LANES)

        def column(at: int) -> int:
            return column_of(blob, at, block, LANES)

        def differs(words: int, value: int) -> int:
            """1 in each lane whose word is not a value: then the sum carries."""
            return (words ^ ones * value) + mask >> 64 & ones

        stored = column(form.hash_at)
        lengths = column(form.length_at)
        hashed = differs(stored, UNHASHED) & (ones ^ differs(column(form.type_at), form.type))
        states = column(form.state_at) & ones * form.state_mask
        plain = hashed & (ones ^ differs(states, self._state))
        words = lengths >> 3 & mask
        looked = 0
        most = (block - self._head) // WORD - 1
        numbers = range(max(most - 1, 0), most + 1)
        fitting = [plain & (ones ^ differs(words, number)) for number in numbers]
        wanted = [number for number, fits in zip(numbers, fitting, strict=True) if fits]
        for number, found in self._hashes(blob, block, wanted, column):
            fits = fitting[number - numbers[0]]
            looked |= fits
            wrong = fits & ((found ^ stored) + mask >> 64)
            if wrong:
                self.wrong += _addresses(areas, block, wrong)
        self.checked += looked.bit_count()
        if hashed != looked:
            self.others += _addresses(areas, block, hashed ^ looked)

    def _hashes(
        self, blob: bytes, block: int, wanted: Sequence[int], column: Callable[[int], int]
    ) -> Iterator[tuple[int, int]]:
        """Yield (whole words of contents, hashes of strings that have so many)."""
        low = blob[self._form.length_at :: block]
        lanes = bytearray(LANE_BYTES * LANES)
        for byte in range(7):
            lanes[byte::LANE_BYTES] = low.translate(_KEPT[byte])
        kept = int.from_bytes(lanes, "little")
        lanes = bytearray(LANE_BYTES * LANES)
        lanes[7::LANE_BYTES] = low
        tops = int.from_bytes(lanes, "little")
        key, head = self._key, self._head
        state, done = started(key, LANES), 0
        for number in wanted:
            columns = [column(head + WORD * one) for one in range(done, number + 1)]
            state, done = absorbed(key, LANES, state, columns[:-1]), number
            last = absorbed(key, LANES, state, [columns[-1] & kept | tops])
            yield number, finished(key, LANES, last)


def _addresses(areas: list[tuple[int, bytes]], block: int, lanes: int) -> list[int]:
    """Return the addresses of the blocks whose lanes are 1."""
    chosen = lanes.to_bytes(LANE_BYTES * LANES, "little")[::LANE_BYTES]
    found: list[int] = []
    first = 0
    for start, area in areas:
        count = len(area) // block
        part = chosen[first : first + count]
        found += [start + number * block for number in range(count) if part[number]]
        first += count
    return found

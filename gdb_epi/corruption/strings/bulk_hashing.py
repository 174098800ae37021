# SPDX-License-Identifier: Apache-2.0
"""Hash the ordinary strings of a piece of memory without a step of Python for each.

A regular expression takes all of them out at once: hashed, one byte a character, not long. Each
becomes a record of the same size (what lies after its type's address, from its length on), and the
words of a thousand records are hashed together (cpython/objects/siphash.py). Where a record lies is
looked for only when its hash is wrong. That is a fifth of the time of one string after the other;
what the expression does not take (`others`) goes that way.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import compress, groupby

from gdb_epi.corruption.strings.find_strings import (
    address_part_patterns,
    high_part_one_bit_off_pattern,
)
from gdb_epi.cpython.objects.siphash import (
    HashKey,
    hash_lanes,
    pack_byte_columns,
    python_hash,
    unequal_lanes,
)
from gdb_epi.cpython.objects.str_layout import StringFormat
from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import re

LONGEST = 63  # characters; of longer ones each record would hold much that is not used
BATCH = 1024
HASHED = rb"(?!.{%d}\xff{8})"
WORD_CLASS = bytes(length // 8 for length in range(256))  # words before the last, by length


class WrongHash(NamedTuple):
    """An object whose hash is not that of its contents: its piece of memory, and its record."""

    start: int
    record: bytes


class StringRecords:
    """The ordinary strings of one form, hashed with one key."""

    def __init__(self, form: StringFormat, key: HashKey, shortest: int = 0) -> None:
        self._key = key
        self._form = form
        self._base = form.type_at + 8  # of the object, where a record begins
        self._type_at = form.type_at
        self._length_at, self._hash_at = form.length_at - self._base, form.hash_at - self._base
        state, (chars_at, _) = min(form.kinds.items(), key=lambda kind: (kind[1][1], kind[1][0]))
        self._chars_at = chars_at - self._base
        self._size = self._chars_at + LONGEST + 1
        self.usable = min(self._length_at, self._hash_at, form.state_at - self._base) >= 0
        self._kind = form.type.to_bytes(8, "little")
        self._atoms = self._record(form, state, max(1, shortest)) if self.usable else b""
        self._waiting: dict[int, list[tuple[int, bytes]]] = {}  # by words: (piece, records)
        self.checked = 0

    def _record(self, form: StringFormat, state: int, shortest: int) -> bytes:
        """Return the expression for a record: its length and its state are such ones."""
        atoms = [b"."] * self._size
        atoms[self._length_at : self._length_at + 8] = [
            b"[\\x%02x-\\x%02x]" % (shortest, LONGEST),
            *[b"\\x00"] * 7,
        ]
        for byte in range(4):
            mask, bits = form.state_mask >> 8 * byte & 255, state >> 8 * byte & 255
            if mask:
                fit = [value for value in range(256) if value & mask == bits]
                at = form.state_at - self._base + byte
                atoms[at] = b"[%s]" % b"".join(b"\\x%02x" % value for value in fit)
        runs = ((atom, len(list(run))) for atom, run in groupby(atoms))
        return b"".join(atom if count == 1 else b"%s{%d}" % (atom, count) for atom, count in runs)

    @cached_property
    def _ordinary(self) -> re.Pattern[bytes]:
        """Find all hashed objects; the group is a record, empty when it is not ordinary.

        Also, with an empty group, words of which the low half is the type's: see NearTypePatterns.
        """
        import re

        low, high = address_part_patterns(self._form)
        object_ = high + HASHED % self._hash_at + b"(?=(%s)|)" % self._atoms
        pattern = low + b"(?:%s|%s)" % (object_, high_part_one_bit_off_pattern(self._form))
        return re.compile(pattern, re.DOTALL)

    @cached_property
    def others(self) -> re.Pattern[bytes]:
        """Find the type words of hashed objects that are not ordinary."""
        import re

        hashed = HASHED % self._hash_at
        return re.compile(re.escape(self._kind) + hashed + b"(?!%s)" % self._atoms, re.DOTALL)

    def take(self, start: int, memory: bytes) -> tuple[list[WrongHash], bool]:
        """Take a piece of memory; return what is wrong, and whether it holds others or ghosts."""
        records = self._ordinary.findall(memory)
        blob = b"".join(records)
        count = len(blob) // self._size
        if not count:
            return [], bool(records)
        has_others = count < len(records)
        if has_others:
            records = list(filter(None, records))
        classes = blob[self._length_at :: self._size].translate(WORD_CLASS)
        wrong: list[WrongHash] = []
        for number in set(classes):
            same = blob
            if classes.count(number) < count:
                is_same = bytes(other == number for other in range(256))
                same = b"".join(compress(records, classes.translate(is_same)))
            wrong += self._add(number, start, same)
        return wrong, has_others

    def rest(self) -> Iterator[WrongHash]:
        """Yield what does not fit among the records that wait."""
        for words, pieces in self._waiting.items():
            yield from self._compare(words, pieces)
        self._waiting.clear()

    def _add(self, words: int, start: int, records: bytes) -> list[WrongHash]:
        waiting = self._waiting.setdefault(words, [])
        waiting.append((start, records))
        if sum(len(waiting_records) for _, waiting_records in waiting) < BATCH * self._size:
            return []
        whole = (
            sum(len(waiting_records) for _, waiting_records in waiting)
            // self._size
            % BATCH
            * self._size
        )
        cut = len(records) - whole  # all but the last piece fits into one batch
        waiting[-1] = (start, records[:cut])
        wrong = self._compare(words, waiting)
        self._waiting[words] = [(start, records[cut:])]
        return wrong

    def _compare(self, words: int, pieces: list[tuple[int, bytes]]) -> list[WrongHash]:
        """Hash records that have the same number of words; return those that do not fit."""
        size = self._size
        blob = b"".join(records for _, records in pieces)
        numbers: list[int] = []
        for at in range(0, len(blob), BATCH * size):
            part = blob[at : at + BATCH * size]
            numbers += [at // size + number for number in self._unequal(words, part)]
        self.checked += len(blob) // size
        wrong: list[WrongHash] = []
        for number in numbers:
            record = blob[number * size : (number + 1) * size]
            if not self._fits(record):
                wrong.append(WrongHash(_piece_of(number * size, pieces), record))
        return wrong

    def _unequal(self, words: int, blob: bytes) -> list[int]:
        size, first = self._size, self._chars_at
        count = len(blob) // size
        lengths = blob[self._length_at :: size]
        columns = [blob[first + at :: size] for at in range(8 * words + 7)]
        whole = (pack_byte_columns(columns[8 * at : 8 * at + 8]) for at in range(words))
        # The last word: the characters that are left, then zeros, and the length at the top.
        left = pack_byte_columns([*columns[8 * words :], lengths])
        keep = pack_byte_columns([*(lengths.translate(table) for table in _KEEP), b"\xff" * count])
        hashes = hash_lanes(self._key, (*whole, left & keep), count)
        stored = [blob[self._hash_at + byte :: size] for byte in range(8)]
        return unequal_lanes(hashes, pack_byte_columns(stored), count)

    def _fits(self, record: bytes) -> bool:
        """Tell whether a record fits after all: the lanes do not know of hash -1."""
        length = record[self._length_at]
        characters = record[self._chars_at : self._chars_at + length]
        stored = int.from_bytes(record[self._hash_at : self._hash_at + 8], "little")
        return python_hash(self._key, characters) == stored

    def places(self, wrong: WrongHash, memory: bytes) -> Iterator[int]:
        """Yield the addresses of the objects in a piece of memory that have this record."""
        import re

        for match in re.finditer(re.escape(self._kind + wrong.record), memory):
            at = match.start() - self._type_at
            if not at & 7:
                yield wrong.start + at


# Which of the bytes 0 to 6 of the last word are characters, by the length.
_KEEP = tuple(
    bytes(255 if byte < (length & 7) else 0 for length in range(256)) for byte in range(7)
)


def _piece_of(offset: int, pieces: list[tuple[int, bytes]]) -> int:
    """Return the start of the piece of memory that the record at an offset comes from."""
    for start, records in pieces:
        if offset < len(records):
            return start
        offset -= len(records)
    raise AssertionError("a record comes from no piece")

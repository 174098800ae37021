# SPDX-License-Identifier: Apache-2.0
"""Compare hashes of strings in bulk, and find the one bit that makes an object fit its hash again.

A regular expression takes all ordinary strings out of a piece of memory at once: hashed, one byte a
character, not long. Each becomes a record of the same size (what lies after its type's address,
from its length on), and the words of a thousand records are hashed together
(cpython/objects/siphash.py). Where a record lies is looked for only when its hash is wrong. That is
a fifth of the time of one string after the other; what the expression does not take goes that way.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import compress, groupby

from gdb_epi.corruption.strings.find_strings import (
    address_part_patterns,
    high_part_one_bit_off_pattern,
)
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.siphash import (
    VARIANTS,
    HashKey,
    hash_lanes,
    hash_many,
    pack_byte_columns,
    pack_into_lanes,
    python_hash,
    unequal_lanes,
)
from gdb_epi.cpython.objects.str_layout import MAX_DATA, HashedString, StringLayout
from gdb_epi.errors import UnreadableMemory
from gdb_epi.fault.memory_reads import read_u64, try_read
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import re

LONGEST = 63  # characters; of longer ones each record would hold much that is not used
BATCH = 1024
HASHED = rb"(?!.{%d}\xff{8})"
WORD_CLASS = bytes(length // 8 for length in range(256))  # words before the last, by length
MIN_SAMPLE = 8
MAX_SAMPLE = 64
CUTOFF = 8  # Py_HASH_CUTOFF is at most 7: shorter strings may have another hash
MAX_WORK = 4_000_000  # words hashed to find one flipped bit: 4096 bytes of data


class WronglyHashedString(NamedTuple):
    """An object whose hash is not that of its contents: its piece of memory, and its record."""

    start: int
    record: bytes


class StringRecordHasher:
    """The ordinary strings of one form, hashed with one key."""

    def __init__(self, form: StringLayout, key: HashKey, shortest: int = 0) -> None:
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
        self._atoms = self._record_pattern(form, state, max(1, shortest)) if self.usable else b""
        self._waiting: dict[int, list[tuple[int, bytes]]] = {}  # by words: (piece, records)
        self.checked = 0

    def _record_pattern(self, form: StringLayout, state: int, shortest: int) -> bytes:
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
    def _hashed_objects_pattern(self) -> re.Pattern[bytes]:
        """Find all hashed objects; the group is a record, empty when it is not ordinary.

        Also, with an empty group, words whose low half is the type's: PatternsOneBitOffTypes.
        """
        import re

        low, high = address_part_patterns(self._form)
        object_ = high + HASHED % self._hash_at + b"(?=(%s)|)" % self._atoms
        pattern = low + b"(?:%s|%s)" % (object_, high_part_one_bit_off_pattern(self._form))
        return re.compile(pattern, re.DOTALL)

    @cached_property
    def unusual_objects_pattern(self) -> re.Pattern[bytes]:
        """Find the type words of hashed objects that are not ordinary."""
        import re

        hashed = HASHED % self._hash_at
        return re.compile(re.escape(self._kind) + hashed + b"(?!%s)" % self._atoms, re.DOTALL)

    def check_piece(self, start: int, memory: bytes) -> tuple[list[WronglyHashedString], bool]:
        """Take a piece of memory; return what is wrong, and whether it holds others or ghosts."""
        records = self._hashed_objects_pattern.findall(memory)
        blob = b"".join(records)
        count = len(blob) // self._size
        if not count:
            return [], bool(records)
        has_others = count < len(records)
        if has_others:
            records = list(filter(None, records))
        classes = blob[self._length_at :: self._size].translate(WORD_CLASS)
        wrong: list[WronglyHashedString] = []
        for number in set(classes):
            same = blob
            if classes.count(number) < count:
                is_same = bytes(other == number for other in range(256))
                same = b"".join(compress(records, classes.translate(is_same)))
            wrong += self._add_records(number, start, same)
        return wrong, has_others

    def compare_waiting_records(self) -> Iterator[WronglyHashedString]:
        """Compare the records that wait; yield what does not fit."""
        for words, pieces in self._waiting.items():
            yield from self._hash_and_compare(words, pieces)
        self._waiting.clear()

    def _add_records(self, words: int, start: int, records: bytes) -> list[WronglyHashedString]:
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
        wrong = self._hash_and_compare(words, waiting)
        self._waiting[words] = [(start, records[cut:])]
        return wrong

    def _hash_and_compare(
        self, words: int, pieces: list[tuple[int, bytes]]
    ) -> list[WronglyHashedString]:
        """Hash records that have the same number of words; return those that do not fit."""
        size = self._size
        blob = b"".join(records for _, records in pieces)
        numbers: list[int] = []
        for at in range(0, len(blob), BATCH * size):
            part = blob[at : at + BATCH * size]
            numbers += [at // size + number for number in self._indices_of_unequal(words, part)]
        self.checked += len(blob) // size
        wrong: list[WronglyHashedString] = []
        for number in numbers:
            record = blob[number * size : (number + 1) * size]
            if not self._fits_with_hash_of_minus_one(record):
                wrong.append(
                    WronglyHashedString(_start_of_piece_with_record(number * size, pieces), record)
                )
        return wrong

    def _indices_of_unequal(self, words: int, blob: bytes) -> list[int]:
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

    def _fits_with_hash_of_minus_one(self, record: bytes) -> bool:
        """Tell whether a record fits after all: the lanes do not know of hash -1."""
        length = record[self._length_at]
        characters = record[self._chars_at : self._chars_at + length]
        stored = int.from_bytes(record[self._hash_at : self._hash_at + 8], "little")
        return python_hash(self._key, characters) == stored

    def addresses_of_record(self, wrong: WronglyHashedString, memory: bytes) -> Iterator[int]:
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


def _start_of_piece_with_record(offset: int, pieces: list[tuple[int, bytes]]) -> int:
    """Return the start of the piece of memory that the record at an offset comes from."""
    for start, records in pieces:
        if offset < len(records):
            return start
        offset -= len(records)
    raise AssertionError("a record comes from no piece")


class HashFlip(NamedTuple):
    """One bit of the word at `where` that makes an object fit its hash."""

    where: int
    found: int
    corrected: int
    member: str


def find_hash_key(
    target: Target, reader: MemoryReader, texts: Sequence[HashedString]
) -> HashKey | str:
    """Return the key that fits strings of the process, or why there is none."""
    place = target.symbol("_Py_HashSecret")
    if place is None:
        return "the symbol _Py_HashSecret is not found"
    try:
        k0, k1 = (reader.field(place, "_Py_hashsecret", f"siphash.k{number}") for number in (0, 1))
    except UnreadableMemory as error:
        return f"the secret: {error}"
    sample = [text for text in texts if len(text.data) >= CUTOFF][:MAX_SAMPLE]
    if len(sample) < MIN_SAMPLE:
        return f"only {len(sample)} hashed strings of {CUTOFF} bytes or more to tell the hash by"
    for rounds in VARIANTS:
        key = HashKey(k0, k1, *rounds)
        if _does_key_fit_more_than(key, sample, len(sample) // 2):
            return key
    return (
        "neither SipHash-1-3 nor SipHash-2-4 with the core's secret gives the hashes of most "
        "strings: another algorithm (FNV), or the secret is damaged"
    )


def does_key_hash_short_strings(key: HashKey, texts: Iterable[HashedString]) -> bool:
    """Tell whether strings of fewer than 8 bytes have this hash too (no Py_HASH_CUTOFF)."""
    sample = [text for text in texts if 0 < len(text.data) < CUTOFF][:MAX_SAMPLE]
    return _does_key_fit_more_than(key, sample, (len(sample) + 1) // 2 - 1)


def _does_key_fit_more_than(key: HashKey, sample: Sequence[HashedString], number: int) -> bool:
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

    def add_texts(self, texts: Iterable[tuple[int, bytes, int]]) -> list[int]:
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
                wrong += self._hash_and_compare(group)
                group.clear()
        return wrong

    def compare_waiting_strings(self) -> Iterator[int]:
        """Compare the strings that wait; yield the addresses of those that do not fit."""
        for group in self._waiting.values():
            if group:
                yield from self._hash_and_compare(group)
        self._waiting.clear()

    def _hash_and_compare(self, group: list[tuple[int, bytes, int]]) -> list[int]:
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


def find_hash_flip(key: HashKey, form: StringLayout, text: HashedString) -> HashFlip | None:
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
                return _hash_flip_of_bit(target, text.start + byte, bit, "characters")
    return None


def _flip_bit(content: bytes, byte: int, bit: int) -> bytes:
    return content[:byte] + bytes((content[byte] ^ 1 << bit,)) + content[byte + 1 :]


def _hash_flip_of_bit(target: Target, byte_at: int, bit: int, member: str) -> HashFlip | None:
    where = byte_at & ~7
    held = read_u64(target, where)
    flip = 1 << 8 * (byte_at - where) + bit
    return None if held is None else HashFlip(where, held, held ^ flip, member)


def find_header_flip(
    key: HashKey, target: Target, form: StringLayout, address: int
) -> HashFlip | None:
    """Return the bit of the length or of the state that was flipped."""
    head = try_read(target, address, form.head_size)
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
            return _hash_flip_of_bit(target, address + at + bit // 8, bit % 8, member)
    return None

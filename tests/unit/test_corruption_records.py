# SPDX-License-Identifier: Apache-2.0
"""Strings taken out of memory at once, against one after the other; types one bit off."""

from __future__ import annotations

import random
import struct

import pytest

from gdb_epi.corruption.strings.bulk_hashing import LONGEST, StringRecordHasher
from gdb_epi.corruption.strings.find_strings import (
    patterns_one_bit_off_types,
    places_of_types_one_bit_off,
)
from gdb_epi.cpython.objects.siphash import VARIANTS, HashKey, python_hash
from gdb_epi.cpython.objects.str_layout import StringLayout
from gdb_epi.sizes import WORD_MASK

START = 0x7F1234500000
ASCII, OTHER = 0b1100100, 0b0100100  # kind 1, compact, and ASCII or not
KINDS = {ASCII: (48, 1), OTHER: (72, 1)}
STR = StringLayout("str", 0x7FB258A61860, 8, 16, 24, 32, 0b1111100, KINDS)
BYTES = StringLayout("bytes", 0x7FB258A48640, 8, 16, 24, 16, 0, {0: (32, 1)})


def an_object(form: StringLayout, data: bytes, stored: int, state: int = ASCII) -> bytes:
    """Return the bytes of an object, filled up with what is no zero, to 8 bytes."""
    head = struct.pack("<QQQQ", 1, form.type, len(data), stored)
    if form is STR:
        head += struct.pack("<II", state | 0x80, 0xABCDEF01)  # bit 7 was "ready" once
    whole = head.ljust(form.kinds[state if form is STR else 0][0], b"\x55") + data + b"\0"
    return whole + b"\x77" * (-len(whole) % 8)


def memory(
    form: StringLayout, key: HashKey, chance: random.Random
) -> tuple[bytes, list[tuple[int, bytes]]]:
    """Return memory with objects, and (offset, contents) of those that are ordinary."""
    made, ordinary = bytearray(chance.randbytes(64)), []
    for number in range(3000):
        data = chance.randbytes(number % (LONGEST + 20))
        fate = number % 7
        if fate == 0:  # not hashed yet
            made += an_object(form, data, WORD_MASK)
        elif fate == 1 and form is STR:  # has no ASCII
            made += an_object(form, data, python_hash(key, data), OTHER)
        else:
            if 0 < len(data) <= LONGEST:
                ordinary.append((len(made), data))
            made += an_object(form, data, python_hash(key, data))
    return bytes(made) + bytes(256), ordinary


@pytest.mark.parametrize("form", [STR, BYTES], ids=["str", "bytes"])
@pytest.mark.parametrize("rounds", VARIANTS)
def test_records_are_checked_and_found_again(form: StringLayout, rounds: tuple[int, int]) -> None:
    chance = random.Random(7)
    key = HashKey(chance.getrandbits(64), chance.getrandbits(64), *rounds)
    data, ordinary = memory(form, key, chance)
    whole = StringRecordHasher(form, key)
    assert whole.check_piece(START, data) == ([], True) and not list(
        whole.compare_waiting_records()
    )
    assert whole.checked == len(ordinary)
    changed, flipped = bytearray(data), chance.sample(ordinary, 40)
    for at, text in flipped:  # in the hash, or in the characters
        first = form.hash_at if chance.random() < 0.5 else min(form.kinds.values())[0]
        size = 8 if first == form.hash_at else len(text)
        changed[at + first + chance.randrange(size)] ^= 1 << chance.randrange(8)
    pieces = {START: data, START + len(data): bytes(changed), START + 2 * len(data): data}
    records = StringRecordHasher(form, key)
    wrong = [
        record for start, piece in pieces.items() for record in records.check_piece(start, piece)[0]
    ]
    wrong += records.compare_waiting_records()
    places = {
        at for record in wrong for at in records.addresses_of_record(record, pieces[record.start])
    }
    assert places == {START + len(data) + at for at, _ in flipped}
    assert records.checked == 3 * len(ordinary)


def test_what_is_not_ordinary_is_found_by_the_other_expression() -> None:
    key = HashKey(1, 2, 1, 3)
    data, ordinary = memory(STR, key, random.Random(8))
    type_places = {at + STR.type_at for at, _ in ordinary}
    hashed = {
        at
        for at in range(64 + STR.type_at, len(data), 8)
        if data[at : at + 8] == STR.type.to_bytes(8, "little")
        and data[at + 16 : at + 24] != b"\xff" * 8
    }
    assert {
        matched.start()
        for matched in StringRecordHasher(STR, key).unusual_objects_pattern.finditer(data)
    } == hashed - type_places


@pytest.mark.parametrize("apart", [0x420, 0x19220, 0x7000000], ids=["near", "library", "far"])
def test_words_one_bit_from_a_type(apart: int) -> None:
    chance = random.Random(apart)
    forms = [STR, BYTES._replace(type=STR.type + apart)]
    data, right = bytearray(1 << 16), set()
    for number in range(1, 512):
        form = chance.choice(forms)
        word = form.type ^ (1 << number % 64 if number % 3 else 0)
        data[64 * number : 64 * number + 8] = word.to_bytes(8, "little")
        if number % 3:
            right.add((form.name, START + 64 * number - form.type_at))
    ghosts = patterns_one_bit_off_types(forms)
    near_types = places_of_types_one_bit_off(forms, START, bytes(data), (*ghosts.low, *ghosts.high))
    assert {(form.name, at) for form, at in near_types} == right

# SPDX-License-Identifier: Apache-2.0
"""Which change of a word code makes by itself: masks, flags and offsets that stand in it."""

from __future__ import annotations

import re

from gdb_epi.sizes import WORD_MASK
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.x86.decode import decode

# A shifted counter sets its lowest bits. Smaller shifts stand in any code: they, shifts by a
# register and flags of 32-bit indices explained 30 % of all single bits of 40 libraries of PyPI,
# what is left 2 %.
MIN_SHIFT, GENERATIONS = 40, 4
MAX_SMALL = 16 << 10  # bytes of code in which a bit set by a register and a number belong together
MAX_APART = 12  # bytes between a shift and the one back
# movabs; add, or, and, sub, xor of a register but rsp with 32 bits; lea with 32 bits; of a word.
_CONSTANTS = re.compile(
    rb"[\x48\x49][\xb8-\xbf](.{8})"
    rb"|[\x48\x49](?:\x81[\xc0-\xc3\xc5-\xcb\xcd-\xcf\xe0-\xe3\xe5-\xeb\xed-\xf7]"
    rb"|[\x05\x0d\x25\x2d\x35])(.{4})"
    rb"|[\x48-\x4f]\x8d[\x80-\x83\x85-\x8b\x8d-\x93\x95-\x9b\x9d-\xa3\xa5-\xab\xad-\xb3\xb5-\xbb"
    rb"\xbd-\xbf](.{4})",
    re.DOTALL,
)
# bt, bts, btr, btc with a number.
_BIT = re.compile(rb"(?=[\x48-\x4f]\x0f\xba)")
_BYTE = re.compile(rb"\x80[\x48-\x4f\x60-\x67\x70-\x77](.)(.)", re.DOTALL)  # or, and, xor
_SHIFT = re.compile(rb"[\x48\x49]\xc1[\xe0-\xe7](.)", re.DOTALL)
_SHIFT_PAIR = re.compile(
    rb"(?=[\x48\x49]\xc1[\xe0-\xe7](.).{0,%d}?[\x48\x49]\xc1[\xe8-\xef\xf8-\xff]\1)" % MAX_APART,
    re.DOTALL,
)

_BY_REGISTER = re.compile(rb"[\x48-\x4f]\x0f[\xab\xb3\xbb]")  # bts, btr, btc
_NUMBER = re.compile(rb"[\xb8-\xbf]([\x18-\x3f])\x00\x00\x00")  # mov of the number of a bit


class WordChanges(NamedTuple):
    """The constants of code by which words are changed.

    `shifted`: by how many bits counters are; `cut`: how many top bits a pair of shifts clears.
    `bytes_changed`: the place within a word, modulo 8, and the constant of an instruction of one
    byte.
    """

    constants: frozenset[int] = frozenset()
    bits: frozenset[int] = frozenset()
    shifted: frozenset[int] = frozenset()
    cut: frozenset[int] = frozenset()
    bytes_changed: frozenset[tuple[int, int]] = frozenset()

    def can_make(self, wrong: int, right: int) -> bool:
        """Tell whether one of them makes a wrong word of a right one."""
        change = wrong ^ right
        for constant in self.constants:
            made = (right & constant, right | constant, right ^ constant,
                    right + constant & WORD_MASK, right - constant & WORD_MASK)  # fmt: skip
            if wrong in made:
                return True
        if any((right << count & WORD_MASK) >> count == wrong for count in self.cut):
            return True
        if change & change - 1 or not change:
            return False
        bit = change.bit_length() - 1
        lane, mask = bit // 8, 1 << bit % 8
        return (
            bit in self.bits
            or any(0 <= bit - count < GENERATIONS for count in self.shifted)
            or bool({(lane, mask), (lane, mask ^ 0xFF)} & self.bytes_changed)
        )


def word_changes(code: bytes) -> WordChanges:
    """Return the changes of words that code makes."""
    constants = set()
    for match in _CONSTANTS.finditer(code):
        constant = next(filter(None, match.groups()))
        constants.add(int.from_bytes(constant, "little", signed=True) & WORD_MASK)
    bits = set()
    for match in _BIT.finditer(code):
        instruction = decode(code[match.start() : match.start() + 15])
        if instruction is not None and instruction.modrm_reg >= 4 and instruction.immediate:
            bits.add(instruction.immediate)
    if len(code) <= MAX_SMALL and _BY_REGISTER.search(code):
        bits |= _operand_bytes_matching(_NUMBER, code)
    return WordChanges(
        frozenset(constants - {0}),
        frozenset(bits),
        frozenset(count for count in _operand_bytes_matching(_SHIFT, code) if count >= MIN_SHIFT),
        frozenset(_operand_bytes_matching(_SHIFT_PAIR, code)),
        frozenset((match[1][0] % 8, match[2][0]) for match in _BYTE.finditer(code)),
    )


def _operand_bytes_matching(pattern: re.Pattern[bytes], code: bytes) -> set[int]:
    return {match[1][0] for match in pattern.finditer(code)}

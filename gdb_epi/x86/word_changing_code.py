# SPDX-License-Identifier: Apache-2.0
"""Which change of a word code makes by itself: masks, flags and offsets that stand in it.

All by patterns of bytes, in code that is too much to decode. What matches may lie within other
instructions: that code makes a change is said of more code than really does.
"""

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
_MOVE = rb"[\x48\x49][\xb8-\xbf]"  # movabs
_SHIFT_LEFT = rb"[\x48\x49]\xc1[\xe0-\xe7]"
# movabs; add, or, and, sub, xor of a register but rsp with 32 bits; lea with 32 bits; of a word.
_CONSTANTS = re.compile(
    _MOVE + rb"(.{8})"
    rb"|[\x48\x49](?:\x81[\xc0-\xc3\xc5-\xcb\xcd-\xcf\xe0-\xe3\xe5-\xeb\xed-\xf7]"
    rb"|[\x05\x0d\x25\x2d\x35])(.{4})"
    rb"|[\x48-\x4f]\x8d[\x80-\x83\x85-\x8b\x8d-\x93\x95-\x9b\x9d-\xa3\xa5-\xab\xad-\xb3\xb5-\xbb"
    rb"\xbd-\xbf](.{4})",
    re.DOTALL,
)
# bt, bts, btr, btc with a number.
_BIT = re.compile(rb"(?=[\x48-\x4f]\x0f\xba)")
_BYTE = re.compile(rb"\x80[\x48-\x4f\x60-\x67\x70-\x77](.)(.)", re.DOTALL)  # or, and, xor
_SHIFT = re.compile(_SHIFT_LEFT + rb"(.)", re.DOTALL)
_SHIFT_PAIR = re.compile(
    rb"(?=%b(.).{0,%d}?[\x48\x49]\xc1[\xe8-\xef\xf8-\xff]\1)" % (_SHIFT_LEFT, MAX_APART), re.DOTALL
)

_BY_REGISTER = re.compile(rb"[\x48-\x4f]\x0f[\xab\xb3\xbb]")  # bts, btr, btc
# shl by cl of a 64-bit register, and bts by a register.
_VARIABLE_SHIFT = re.compile(rb"[\x48\x49]\xd3[\xe0-\xe7]|[\x48\x49\x4c\x4d]\x0f\xab")
# shl and rotations by cl; bts and btc by a register; shlx (VEX.66.0F38 F7); then bytes and words
# written to [base + disp8] or [rsp + disp8] with an offset of 6 or 7 modulo 8.
_TOP_BITS = re.compile(
    rb"[\x48\x49]\xd3[\xc0-\xcf\xe0-\xe7]|\x0f[\xab\xbb]|\xc4[\x42\x62\xc2\xe2].\xf7"
    rb"|(?:[\x80\x88\xc6\x08]|\x66[\x81\x83\x89\xc7\x09])(?:[\x40-\x43\x45-\x4b\x4d-\x53\x55-\x5b"
    rb"\x5d-\x63\x65-\x6b\x6d-\x73\x75-\x7b\x7d-\x7f]|[\x44\x4c\x54\x5c\x64\x6c\x74\x7c].)"
    rb"[\x06\x07\x0e\x0f\x16\x17\x1e\x1f\x26\x27\x2e\x2f\x36\x37\x3e\x3f\x46\x47\x4e\x4f]",
    re.DOTALL,
)
_NUMBER = re.compile(rb"[\xb8-\xbf]([\x18-\x3f])\x00\x00\x00")  # mov of the number of a bit


class WordChangingConstants(NamedTuple):
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

    def explains(self, wrong: int, right: int) -> bool:
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


def word_changing_constants(code: bytes) -> WordChangingConstants:
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
    return WordChangingConstants(
        frozenset(constants - {0}),
        frozenset(bits),
        frozenset(count for count in _operand_bytes_matching(_SHIFT, code) if count >= MIN_SHIFT),
        frozenset(_operand_bytes_matching(_SHIFT_PAIR, code)),
        frozenset((match[1][0] % 8, match[2][0]) for match in _BYTE.finditer(code)),
    )


def may_set_bit(code: bytes, bit: int) -> bool:
    """Tell whether an instruction may set that one bit: by a constant, bts, btc, or a shift."""
    number = re.escape(bytes((bit,)))
    constant = _MOVE + re.escape((1 << bit).to_bytes(8, "little"))
    set_bit = rb"\x0f\xba[\xe8-\xef\xf8-\xff]" + number
    pattern = b"|".join((constant, set_bit, _SHIFT_LEFT + number))
    return re.search(pattern, code, re.DOTALL) is not None


def has_variable_shift(code: bytes) -> bool:
    """Tell whether code may shift a word, or set a bit of it, by a number in a register."""
    return _VARIABLE_SHIFT.search(code) is not None


def possible_writes_of_top_bits(code: bytes) -> list[int]:
    """Return where an instruction may begin that sets any of the top 16 bits of a word.

    By a shift, rotation or bts by a register, or by writing bytes of a word there.
    """
    return [match.start() for match in _TOP_BITS.finditer(code)]


def _operand_bytes_matching(pattern: re.Pattern[bytes], code: bytes) -> set[int]:
    return {match[1][0] for match in pattern.finditer(code)}

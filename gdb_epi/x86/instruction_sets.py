# SPDX-License-Identifier: Apache-2.0
"""Which extension of the instruction set an instruction belongs to, and its bit in CPUID.

Only what is certain from opcodes: an encoding that is not listed belongs to none.
Source: Intel SDM volume 2 (the CPUID feature flag of each instruction); AMD64 volumes 3 and 6 (XOP,
FMA4, TBM, LWP, 3DNow!).
"""

from __future__ import annotations

from gdb_epi.typing_lite import NamedTuple
from gdb_epi.x86.decode import PREFIXES

LEAF_1, LEAF_7, LEAF_80000001 = "1", "7", "80000001"
EBX, ECX, EDX = 1, 2, 3
_FMA = frozenset((*range(0x96, 0xA0), *range(0xA6, 0xB0), *range(0xB6, 0xC0)))
_FMA4 = frozenset((*range(0x5C, 0x60), *range(0x68, 0x70), *range(0x78, 0x80)))
_SSSE3 = frozenset((*range(0x0C), 0x1C, 0x1D, 0x1E))
_SSE4_1 = frozenset((0x10, 0x14, 0x15, 0x17, *range(0x20, 0x26), *range(0x28, 0x2C),
                     *range(0x30, 0x36), *range(0x38, 0x42)))  # fmt: skip
_SSE4_1_MAP3 = frozenset((*range(0x08, 0x0F), *range(0x14, 0x18), 0x20, 0x21, 0x22, 0x40, 0x41,
                          0x42))  # fmt: skip
# Of AVX2 in map 2: broadcasts of integers, gathers, shifts by vectors, permutations.
_AVX2 = frozenset((0x16, 0x36, 0x45, 0x46, 0x47, 0x58, 0x59, 0x5A, 0x78, 0x79, 0x8C, 0x8E, 0x90,
                   0x91, 0x92, 0x93))  # fmt: skip
_AVX2_MAP3 = frozenset((0x00, 0x01, 0x02, 0x38, 0x39, 0x46))
_AVX2_WIDE = frozenset((*range(0x60, 0x6E), *range(0x74, 0x77), *range(0xD1, 0xD6),
                        *range(0xD8, 0xE0), *range(0xE0, 0xE6), *range(0xE8, 0xF0),
                        *range(0xF1, 0xF7), *range(0xF8, 0xFF)))  # fmt: skip
_XOP_MAPS = (8, 9, 10)


class InstructionSet(NamedTuple):
    """An extension: the CPUID leaf, register and bit that say that a CPU has it.

    `by_system`: its registers must be saved by the kernel too, or it fails as well.
    """

    name: str
    leaf: str
    register: int
    bit: int
    by_system: bool = False


AVX = InstructionSet("AVX", LEAF_1, ECX, 28, True)
AVX2 = InstructionSet("AVX2", LEAF_7, EBX, 5, True)
AVX512 = InstructionSet("AVX-512", LEAF_7, EBX, 16, True)
AVX512_FP16 = InstructionSet("AVX-512 FP16", LEAF_7, EDX, 23, True)
FMA = InstructionSet("FMA", LEAF_1, ECX, 12, True)
F16C = InstructionSet("F16C", LEAF_1, ECX, 29, True)
XOP = InstructionSet("AMD's XOP", LEAF_80000001, ECX, 11, True)
FMA4 = InstructionSet("AMD's FMA4", LEAF_80000001, ECX, 16, True)
TBM = InstructionSet("AMD's TBM", LEAF_80000001, ECX, 21)
LWP = InstructionSet("AMD's LWP", LEAF_80000001, ECX, 15)
THREE_D_NOW = InstructionSet("AMD's 3DNow!", LEAF_80000001, EDX, 31)
BMI1 = InstructionSet("BMI1", LEAF_7, EBX, 3)
BMI2 = InstructionSet("BMI2", LEAF_7, EBX, 8)
ADX = InstructionSet("ADX", LEAF_7, EBX, 19)
SHA = InstructionSet("SHA", LEAF_7, EBX, 29)
AMX = InstructionSet("AMX", LEAF_7, EDX, 24, True)
VAES = InstructionSet("VAES", LEAF_7, ECX, 9, True)
SSSE3 = InstructionSet("SSSE3", LEAF_1, ECX, 9)
SSE4_1 = InstructionSet("SSE4.1", LEAF_1, ECX, 19)
SSE4_2 = InstructionSet("SSE4.2", LEAF_1, ECX, 20)
MOVBE = InstructionSet("MOVBE", LEAF_1, ECX, 22)
POPCNT = InstructionSet("POPCNT", LEAF_1, ECX, 23)
AES = InstructionSet("AES", LEAF_1, ECX, 25)
PCLMUL = InstructionSet("PCLMULQDQ", LEAF_1, ECX, 1)
RDRAND = InstructionSet("RDRAND", LEAF_1, ECX, 30)
RDSEED = InstructionSet("RDSEED", LEAF_7, EBX, 18)
GFNI = InstructionSet("GFNI", LEAF_7, ECX, 8)
VPCLMUL = InstructionSet("VPCLMULQDQ", LEAF_7, ECX, 10, True)
# Parts of AVX-512: name, register of leaf 7, bit, then opcodes by map and prefix (0 none, 1 66,
# 2 F3, 3 F2). Opcodes of which the prefix or the width W makes something else are left out.
_PARTS: tuple[tuple[str, int, int, dict[tuple[int, int], tuple[int, ...]]], ...] = (
    ("VNNI", ECX, 11, {(2, 1): (0x50, 0x51, 0x52, 0x53)}),
    ("4VNNIW", EDX, 2, {(2, 3): (0x52, 0x53)}),
    ("4FMAPS", EDX, 3, {(2, 3): (0x9A, 0x9B, 0xAA, 0xAB)}),
    ("IFMA", EBX, 21, {(2, 1): (0xB4, 0xB5)}),
    ("VBMI", ECX, 1, {(2, 1): (0x83,)}),
    ("VBMI2", ECX, 6, {(2, 1): (0x62, 0x63, *range(0x70, 0x74)), (3, 1): tuple(range(0x70, 0x74))}),
    ("BITALG", ECX, 12, {(2, 1): (0x54, 0x8F)}),
    ("VPOPCNTDQ", ECX, 14, {(2, 1): (0x55,)}),
    ("VP2INTERSECT", EDX, 8, {(2, 3): (0x68,)}),
    ("ER", EBX, 27, {(2, 1): (0xC8, *range(0xCA, 0xCE))}),
    ("PF", EBX, 26, {(2, 1): (0xC6, 0xC7)}),
)


def instruction_sets(code: bytes) -> tuple[InstructionSet, ...]:
    """Return the extensions that the instruction at the start of `code` needs; () for none known.

    The most special one comes first.
    """
    try:
        at, prefix = 0, 0
        while code[at] in PREFIXES:
            prefix = code[at] if code[at] in (0x66, 0xF2, 0xF3) else prefix
            at += 1
        first = code[at]
        if first == 0x8F and code[at + 1] & 0x1F in _XOP_MAPS:
            return _xop_sets(code[at + 1] & 0x1F, code[at + 3])
        if first == 0xC5:
            return _vex_sets(1, code[at + 1], code[at + 2])
        if first == 0xC4:
            return _vex_sets(code[at + 1] & 0x1F, code[at + 2], code[at + 3])
        if first == 0x62:
            return _evex_sets(code[at + 1] & 7, code[at + 2] & 3, code[at + 4])
        if 0x40 <= first <= 0x4F:
            at += 1
        if code[at] != 0x0F:
            return ()
        return _legacy_sets(code[at + 1 :], prefix)
    except IndexError:
        return ()


def _evex_sets(number: int, prefix: int, opcode: int) -> tuple[InstructionSet, ...]:
    if number in (5, 6):
        return AVX512_FP16, AVX512
    for name, register, bit, opcodes in _PARTS:
        if opcode in opcodes.get((number, prefix), ()):
            return InstructionSet(f"AVX-512 {name}", LEAF_7, register, bit, True), AVX512
    if prefix == 1 and ((number, opcode) == (2, 0xCF) or (number == 3 and opcode in (0xCE, 0xCF))):
        return GFNI, AVX512
    if (number, prefix, opcode) == (3, 1, 0x44):
        return VPCLMUL, AVX512
    return (VAES, AVX512) if number == 2 and 0xDC <= opcode <= 0xDF else (AVX512,)


def _xop_sets(number: int, opcode: int) -> tuple[InstructionSet, ...]:
    if number == 9 and opcode in (0x01, 0x02):
        return (TBM,)
    if opcode == 0x12 and number != 8:
        return (LWP,)
    return (TBM,) if number == 10 and opcode == 0x10 else (XOP,)


def _vex_sets(number: int, last: int, opcode: int) -> tuple[InstructionSet, ...]:
    wide, prefix = last & 4, last & 3
    if number == 2:
        if opcode in _FMA:
            return FMA, AVX
        if opcode in (0xF2, 0xF3) or (opcode == 0xF7 and not prefix):
            return (BMI1,)  # of no vectors
        if opcode in (0xF5, 0xF6, 0xF7):
            return (BMI2,)
        if opcode in (0x49, 0x4B, 0x5C, 0x5E):
            return (AMX,)
        if opcode == 0x13:
            return F16C, AVX
        if 0xDC <= opcode <= 0xDF:
            return (VAES if wide else AES), AVX
        if opcode in _AVX2 or (wide and opcode in _SSSE3):
            return AVX2, AVX
    if number == 3:
        if opcode == 0xF0:
            return (BMI2,)
        if opcode == 0x1D:
            return F16C, AVX
        if opcode in _FMA4:
            return FMA4, AVX
        if opcode in _AVX2_MAP3:
            return AVX2, AVX
    if number == 1 and wide and prefix == 1 and opcode in _AVX2_WIDE:
        return AVX2, AVX
    return (AVX,) if number in (1, 2, 3) else ()


def _legacy_sets(code: bytes, prefix: int) -> tuple[InstructionSet, ...]:
    """Return what the bytes after 0F need."""
    opcode = code[0]
    if opcode == 0x38:
        return _opcode_map2_sets(code[1], prefix)
    if opcode == 0x3A:
        if code[1] == 0x0F:
            return (SSSE3,)
        if code[1] in _SSE4_1_MAP3:
            return (SSE4_1,)
        named = {0x44: PCLMUL, 0xCC: SHA, 0xDF: AES}.get(code[1])
        named = SSE4_2 if 0x60 <= code[1] <= 0x63 else named
        return () if named is None else (named,)
    if opcode == 0x0F:
        return (THREE_D_NOW,)
    if opcode == 0xB8 and prefix == 0xF3:
        return (POPCNT,)
    if opcode == 0xC7 and code[1] >= 0xC0 and prefix != 0xF3:
        chosen = {6: RDRAND, 7: RDSEED}.get(code[1] >> 3 & 7)
        return () if chosen is None else (chosen,)
    return ()


def _opcode_map2_sets(opcode: int, prefix: int) -> tuple[InstructionSet, ...]:
    if opcode in (0xF0, 0xF1):
        return (SSE4_2,) if prefix == 0xF2 else (MOVBE,)
    if opcode == 0xF6 and prefix in (0x66, 0xF3):
        return (ADX,)
    if opcode == 0x37:
        return (SSE4_2,)
    if 0xC8 <= opcode <= 0xCD:
        return (SHA,)
    if 0xDB <= opcode <= 0xDF:
        return (AES,)
    if opcode in _SSE4_1:
        return (SSE4_1,)
    return (SSSE3,) if opcode in _SSSE3 else ()

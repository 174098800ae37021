# SPDX-License-Identifier: Apache-2.0
"""What else a word that should be a pointer looks like: text, a double, poison, integers.

Each function recognises one kind of value. None of them reads memory unless its docstring says so.
"""

from __future__ import annotations

from gdb_epi.sizes import HALF_MASK
from gdb_epi.typing_lite import NamedTuple

# Bytes that allocators and debug modes write. CPython: 0xCD fresh, 0xDD freed, 0xFD around (3.8+,
# Objects/obmalloc.c); before 3.8 0xCB 0xDB 0xFB. jemalloc and MALLOC_PERTURB_ 0x5A, 0xA5;
# mozjemalloc 0xE4, 0xE5; MSVC and others 0xCC, 0xAB, 0xFE, 0xBA. tcache keys are random.
POISON = frozenset(
    (0xCD, 0xDD, 0xFD, 0xCB, 0xDB, 0xFB, 0x5A, 0xA5, 0xE4, 0xE5, 0xCC, 0xAB, 0xFE, 0x6B, 0xEF, 0xBE)
)
_FILLS = ": Python's debug allocators fill {} with it"
_OF_PYTHON = {
    0xCD: _FILLS.format("fresh memory"),
    0xDD: _FILLS.format("freed memory"),
    0xFD: _FILLS.format("the room around blocks"),
}
MIN_REPEATED = 4  # equal bytes side by side that make a value poison
MAX_DIGITS = 6  # whole bytes in the digits of a double, below its sign and exponent
PRINTABLE = 6  # printable bytes from the low end that make a value text
_EXPONENTS = range(0x3E0, 0x420)  # of doubles between about 1e-9 and 1e9
MAX_PLAIN, PLAIN_DIGITS = 10, 4  # characters of a double, digits of a float, that people write
MIN_FLOAT, MAX_FLOAT = 1e-4, 1e6
MAX_ERRNO = 4095
AS_RETURNED = ", as functions return when they fail"
SMALL = 1 << 24  # integers of a pair are smaller
NO_INTEGER = -(1 << 31)  # what a floating-point number that fits no int becomes (cvttsd2si, SDM)


class WordShape(NamedTuple):
    """A kind of value and the sentence that says why."""

    name: str  # "negative", "ascii", "double", "poison", "int-pair"
    why: str


def shape_of(value: int) -> WordShape | None:
    """Return what a 64-bit word looks like; None for nothing known, and for pointers."""
    return (
        negative_number_shape(value)
        or repeating_double_shape(value)
        or poison_shape(value)
        or ascii_text_shape(value)
        or four_shorts_shape(value)
        or equal_halves_shape(value)
        or double_shape(value)
        or int_pair_shape(value)
    )


def negative_number_shape(value: int) -> WordShape | None:
    """Recognise -1 and other small negative numbers, which functions return on failure.

    MAP_FAILED is -1, and system calls return -4095 to -1 (MAX_ERRNO, include/linux/err.h).
    """
    number = value - (1 << 64)
    if not -MAX_ERRNO <= number < 0:
        return None
    return WordShape("negative", f"it is the number {number}{AS_RETURNED}")


def ascii_text_shape(value: int) -> WordShape | None:
    """Recognise a word whose bytes are text from the low end."""
    raw = value.to_bytes(8, "little")
    count = 0
    while count < 8 and (0x20 <= raw[count] < 0x7F or raw[count] in b"\n\t\r"):
        count += 1
    rest = raw[count:]
    if count >= PRINTABLE and (not any(rest) or count >= 7):
        return WordShape("ascii", f"its bytes are text: {raw[:count]!r}")
    texts = [text for text in raw.split(b"\0") if text]
    if raw[7] and sum(map(len, texts)) >= PRINTABLE and all(map(_is_printable, texts)):
        return WordShape("ascii", f"its bytes are the ends of texts: {raw!r}")  # no address
    if _is_wide_text(raw):
        return WordShape("ascii", f"its bytes are UTF-16 or UTF-32 text: {raw!r}")
    return None


def _is_printable(text: bytes) -> bool:
    return all(0x20 <= byte < 0x7F for byte in text)


def _is_wide_text(raw: bytes) -> bool:
    letters = (raw[0], raw[4])
    if not all(0x20 < letter < 0x7F for letter in letters) or raw[5] or raw[7]:
        return False
    if raw[2] == raw[6] == 0:
        return raw[1] == raw[3] == 0
    return raw[1] == raw[3] == 0 and all(0x20 < letter < 0x7F for letter in (raw[2], raw[6]))


def double_shape(value: int) -> WordShape | None:
    """Recognise a floating-point number of ordinary size."""
    if (value >> 52 & 0x7FF) not in _EXPONENTS:
        return None
    import struct

    raw = value.to_bytes(8, "little")
    number = struct.unpack("<d", raw)[0]
    if len(repr(number)) > MAX_PLAIN:
        narrow = [_short_float_text(raw[at : at + 4]) for at in (0, 4)]
        if all(narrow):
            return WordShape(
                "double", f"it is two 32-bit floating-point numbers, {', '.join(narrow)}"
            )
    return WordShape("double", f"it is the floating-point number {number!r}")


def _short_float_text(raw: bytes) -> str:
    """Return a 32-bit floating-point number of few digits as people write it; "" for others."""
    import struct

    number = struct.unpack("<f", raw)[0]
    plain = f"{number:.{PLAIN_DIGITS}g}"
    if number and not MIN_FLOAT <= abs(number) <= MAX_FLOAT:
        return ""
    return repr(float(plain)) if struct.pack("<f", float(plain)) == raw else ""


def shape_note(value: int) -> str:
    """Return what a word looks like, to stand behind it: " (its bytes are text: b'...')", or ""."""
    shape = shape_of(value)
    return f" ({shape.why})" if shape is not None else ""


def repeating_double_shape(value: int) -> WordShape | None:
    """Recognise a floating-point number like 0.1 or 1/3, whose digits repeat one byte."""
    run, byte = _longest_byte_run(value.to_bytes(8, "little"))
    is_digit = byte % 0x11 == 0 and byte not in (0, 0xFF)
    return double_shape(value) if is_digit and MIN_REPEATED <= run <= MAX_DIGITS else None


def poison_shape(value: int) -> WordShape | None:
    """Recognise a repeated byte, or part of such a word: it fills fresh or freed memory."""
    raw = value.to_bytes(8, "little")
    run, byte = _longest_byte_run(raw)
    if byte not in (0, 0xFF) and (run >= 6 or (run >= MIN_REPEATED and byte in POISON)):
        why = f"{run} of its bytes are {byte:#04x}, a filling pattern{_OF_PYTHON.get(byte, '')}"
        return WordShape("poison", why)
    if raw[:4] in (b"\xef\xbe\xad\xde", b"\xbe\xba\xfe\xca", b"\r\xf0\xad\xba"):
        return WordShape("poison", f"its low half is the mark {value & HALF_MASK:#010x}")
    return None


def _longest_byte_run(raw: bytes) -> tuple[int, int]:
    best, at = (0, 0), 0
    while at < 8:
        end = at
        while end < 8 and raw[end] == raw[at]:
            end += 1
        best = max(best, (end - at, raw[at]), key=lambda pair: (pair[0], pair[1] in POISON))
        at = end
    return best


def int_pair_shape(value: int) -> WordShape | None:
    """Recognise two small 32-bit integers side by side.

    A user-space pointer has such a high half only in programs with low addresses.
    """
    low, high = value & HALF_MASK, value >> 32
    if value - (1 << 64) in (NO_INTEGER * 4, NO_INTEGER * 8):
        return None  # an index of items of 4 or 8 bytes
    if 0 < high < 0x1000 and (low < SMALL or low > (1 << 32) - SMALL):
        return WordShape(
            "int-pair", f"it is two 32-bit integers, {high} and {_as_signed_32_bit(low)}"
        )
    if high > (1 << 32) - 0x1000 and (low > (1 << 32) - SMALL or low < SMALL):
        return WordShape(
            "int-pair",
            f"it is two 32-bit integers, {_as_signed_32_bit(high)} and {_as_signed_32_bit(low)}",
        )
    return None


def four_shorts_shape(value: int) -> WordShape | None:
    """Recognise four integers of 16 bits that lie close to each other.

    Pixels, samples and registers of devices do. Of doubles with any digits 1 in 10^6 looks so.
    """
    units = [value >> shift & 0xFFFF for shift in (0, 16, 32, 48)]
    if min(units) < 0x100 or max(units) - min(units) >= 0x100:
        return None
    listed = ", ".join(f"{unit:#x}" for unit in units)
    return WordShape("int-pair", f"it is four 16-bit integers, {listed}")


def equal_halves_shape(value: int) -> WordShape | None:
    """Recognise a 32-bit number that stands there twice: what fills pixels and arrays with it."""
    low, high = value & HALF_MASK, value >> 32
    if low != high or low < SMALL:
        return None
    return WordShape(
        "int-pair", f"it is the 32-bit number {low:#x} twice, as where memory is filled"
    )


def _as_signed_32_bit(half: int) -> int:
    return half - (1 << 32) if half >> 31 else half

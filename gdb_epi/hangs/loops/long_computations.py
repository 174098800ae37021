# SPDX-License-Identifier: Apache-2.0
"""One operation of whole numbers whose work follows from their sizes: 9 ** 387420489.

CPython multiplies numbers of up to 70 digits of 30 bits digit by digit, larger ones by Karatsuba's
algorithm, and divides digit by digit (Objects/longobject.c: KARATSUBA_CUTOFF, k_mul, x_divrem; 3.8
to 3.15). So many products of digits an operation takes at least; a processor of today does some
10**9 a second. No other thread runs Python before the operation has ended: it keeps the GIL.

The operands lie on the value stack of the frame whose instruction runs. Words above its top are
left over from before: so a number that is being built has to lie on the native stack, too large for
a short operation and no larger than the numbers of this one.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import log2

from gdb_epi.cpython.frames.eval_calls import EVAL_LOOP
from gdb_epi.cpython.frames.opcodes import OPERATORS_BY_INSTRUCTION
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.types import PyFrame
from gdb_epi.hangs.hang_context import HangContext, process_rule_from_thread_rule
from gdb_epi.hangs.types import HANG, RUNNING, HangDiagnosis, ThreadActivity, wait_diagnosis
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted

PER_SECOND = 2 * 10**9  # products of digits: twice what was measured on a server of 2023
TOO_LONG = 600  # seconds that nobody waits for with all other threads standing still
DIGIT_BITS = 30
KARATSUBA_CUTOFF = 70  # digits
MIN_BUILT = 1_000  # digits of a number on the native stack: shorter ones are multiplied at once
STACK_BYTES = 1 << 15  # of the native stack, innermost: Karatsuba's calls are few
MAX_DIGITS = 1 << 31
MAX_LOW_DIGITS = 256  # that are looked at for zeros
MAX_SHOWN_BITS = 64
_GROWTH = 1.585  # log2(3)
_CALLS = (
    "CALL",
    "PRECALL",
    "CALL_FUNCTION",
    "CALL_METHOD",
    "CALL_KW",
    "CALL_FUNCTION_KW",
    "CALL_FUNCTION_EX",
)
_UNITS = (("years", 31_557_600), ("days", 86_400), ("hours", 3_600), ("minutes", 60))


class WholeNumber(NamedTuple):
    """A positive int of the process: its bits, those from the lowest 1 on, its value if short."""

    bits: int
    odd_bits: int
    value: int | None

    def text(self) -> str:
        """Return the number, or how long it is."""
        short = self.value is not None and self.bits <= MAX_SHOWN_BITS
        return str(self.value) if short else f"(a number of {self.bits} bits)"


class LongComputation(NamedTuple):
    """An operation: how a sentence says it, its work, and the bits of its largest number."""

    text: str
    work: float  # products of digits, at least
    bits: float


@process_rule_from_thread_rule
def diagnose_long_computation(
    context: HangContext, activity: ThreadActivity
) -> HangDiagnosis | None:
    """A thread computes with numbers so large that the one operation takes hours or years."""
    frames = context.view.frames(activity.tid)
    if activity.kind not in RUNNING or not activity.frames or not frames:
        return None
    frame = frames[0]
    built = _digits_of_largest_int_on_stack(context, activity.tid)
    if built < MIN_BUILT:
        return None
    candidates = (
        running_computation
        for running_computation in _running_computations(context, frame)
        if running_computation.work / PER_SECOND >= TOO_LONG
    )
    running = next(
        (candidate for candidate in candidates if built * DIGIT_BITS <= 2 * candidate.bits + 64),
        None,
    )
    if running is None:
        return None
    lasts = _duration_words(running.work / PER_SECOND)
    standing = [
        d for d in context.activities if d.tid != activity.tid and context.view.frames(d.tid)
    ]
    others = f", and {counted(len(standing), 'other thread')} with Python" if standing else ""
    return wait_diagnosis(
        HANG, "long computation", f"{activity.who()} computes {running.text} at "
        f"{activity.where()}; that one operation takes {lasts} or more, and keeps the GIL",
        activity._replace(key_frames=activity.frames),
        evidence=(f"it takes at least {running.work:.1e} products of digits, of which a "
                  f"processor of today does some 10**9 a second{others}",
                  "a number of that size is being built on its native stack"),
        ruled_out=("numbers whose computation ends within minutes",),
        doubts=("it ends after all",),
    )  # fmt: skip


def _duration_words(seconds: float) -> str:
    unit, length = next(each for each in _UNITS if seconds >= each[1])
    number = seconds / length
    return f"{number:.0f} {unit}" if number < 10_000 else f"{number:.0e} {unit}"


def _running_computations(context: HangContext, frame: PyFrame) -> Iterator[LongComputation]:
    """Yield what the running instruction of a frame may compute, by the words of its value stack.

    Raises UnreadableMemory, LayoutError.
    """
    at = context.acquire_calls.running_byte_offset(frame)
    code = context.call_sites.instructions(frame.code) if at is not None else ()
    running = next(
        (each for each in code if (at or 0) < each.end and each.operation != "extended"), None
    )
    if running is None:
        return
    sign = OPERATORS_BY_INSTRUCTION.get(running.name)
    if running.name == "BINARY_OP":
        sign = (context.call_sites.opcodes.operator_sign(running.argument) or "").rstrip("=")
    stack = context.view.slots.words_of_frame(frame).stack
    numbers = [_read_whole_number(context, word) for word in stack]
    for place, word in enumerate(stack):
        if sign:
            operands = (each for each in numbers[place : place + 2] if each is not None)
            yield from estimate_operator(sign, *operands)
        elif running.name in _CALLS:
            behind = 2 if stack[place + 1 : place + 2] == (0,) else 1  # 3.13: NULL behind it
            given = numbers[place + behind : place + behind + running.argument]
            arguments = [each for each in given if each is not None]
            if len(arguments) == running.argument:
                yield from estimate_function(_name_of_builtin_function(context, word), arguments)


def _name_of_builtin_function(context: HangContext, word: int) -> str:
    reader = context.view.reader
    if context.view.type_name(word) != "builtin_function_or_method":
        return ""
    name = reader.method_def_name(word)
    return name if isinstance(name, str) else ""


def estimate_operator(sign: str, *operands: WholeNumber) -> Iterator[LongComputation]:
    """Yield the work of an operator of two numbers."""
    if len(operands) != 2:
        return
    left, right = operands
    if sign == "**" and right.value is not None:
        yield _estimate_power(left, right, right.value)
    elif sign == "*":
        work = _digit_products_for_product(left.bits / DIGIT_BITS, right.bits / DIGIT_BITS)
        text = f"the product of numbers of {left.bits} and {right.bits} bits"
        yield LongComputation(text, work, left.bits + right.bits)
    elif sign in ("//", "%"):
        work = max(0, left.bits - right.bits) * right.bits / DIGIT_BITS**2
        text = f"the quotient of numbers of {left.bits} and {right.bits} bits"
        yield LongComputation(text, work, left.bits)


def estimate_function(name: str, given: list[WholeNumber]) -> Iterator[LongComputation]:
    """Yield the work of a function of C that is given some numbers."""
    if name in ("pow", "__pow__") and len(given) > 2:
        _, power, modulus = given[:3]
        work = power.bits * (modulus.bits / DIGIT_BITS) ** 2
        sizes = f"numbers of {power.bits} and {modulus.bits} bits"
        yield LongComputation(f"a power with a modulus, of {sizes},", work, 2 * modulus.bits)
    elif name in ("pow", "__pow__"):
        yield from estimate_operator("**", *given[:2])
    elif name in ("mul", "floordiv", "mod", "divmod"):
        yield from estimate_operator("*" if name == "mul" else "//", *given[:2])
    elif name == "factorial" and given and given[0].value is not None:
        number = given[0].value
        bits = number * max(0.0, log2(max(number, 2)) - 1.4427)
        # The factors are put together in pairs; powers of two are left for the end.
        work = _digit_products_for_square(max(0.0, bits - number) / 2 / DIGIT_BITS)
        yield LongComputation(
            f"factorial({number}), a number of {_estimate_decimal_work(bits)},", work, bits
        )


def _estimate_power(base: WholeNumber, power: WholeNumber, exponent: int) -> LongComputation:
    bits = exponent * (base.bits - 1.0 if base.value is None else log2(base.value))
    # Of the digits that are zero nothing is multiplied: powers of two are soon there.
    odd = max(0.0, bits - exponent * (base.bits - base.odd_bits))
    text = f"{base.text()} ** {power.text()}, a number of {_estimate_decimal_work(bits)},"
    return LongComputation(text, _digit_products_for_square(odd / 2 / DIGIT_BITS), bits)


def _estimate_decimal_work(bits: float) -> str:
    digits = bits / log2(10)
    return f"{digits / 1e6:,.0f} million digits" if digits < 1e12 else f"{digits:.0e} digits"


def _digit_products_for_square(digits: float) -> float:
    """Return the products for the square of a number."""
    return _digit_products_for_product(digits, digits)


def _digit_products_for_product(left: float, right: float) -> float:
    """Return the products for a product of two numbers of so many digits: the smaller squared."""
    small, large = sorted((left, right))
    if small <= KARATSUBA_CUTOFF:
        return small * large
    squares: float = KARATSUBA_CUTOFF**2 * (small / KARATSUBA_CUTOFF) ** _GROWTH * large / small
    return squares


def _read_whole_number(context: HangContext, word: int) -> WholeNumber | None:
    """Return a positive int by its address; None for any other word."""
    if context.view.type_name(word) != "int":
        return None
    reader = context.view.reader
    count = _count_digits(reader, word)
    if not 0 < count < MAX_DIGITS:
        return None
    first = word + reader.layout.require("PyLongObject", "ob_digit")
    low = reader.read(first, 4 * min(count, MAX_LOW_DIGITS))
    top = int.from_bytes(reader.read(first + 4 * (count - 1), 4), "little")
    value = 0
    for at in range(len(low) - 4, -4, -4):
        value = value << DIGIT_BITS | int.from_bytes(low[at : at + 4], "little")
    if not value:
        return None
    bits = DIGIT_BITS * (count - 1) + top.bit_length()
    zeros = (value & -value).bit_length() - 1
    return WholeNumber(bits, bits - zeros, value if count <= 8 else None)


def _count_digits(reader: MemoryReader, number: int) -> int:
    """Return how many digits an int has; its sign is left out."""
    tag_at = reader.layout.offset("PyLongObject", "lv_tag", "long_value.lv_tag")
    if tag_at is not None:
        return reader.u64(number + tag_at) >> 3
    return abs(reader.signed_field(number, "PyLongObject", "ob_size"))


def _digits_of_largest_int_on_stack(context: HangContext, tid: int) -> int:
    """Return the digits of the largest int that code of C has at hand; 0 in Python's own loop."""
    if next(context.native_functions(tid), "").startswith(EVAL_LOOP):
        return 0
    reader, largest = context.view.reader, 0
    for word in dict.fromkeys(context.native_stack_words(tid, STACK_BYTES)):
        if word > 1 << 16 and context.view.type_name(word) == "int":
            count = _count_digits(reader, word)
            if count > largest and context.target.region_at(word + 4 * count) is not None:
                largest = count if count < MAX_DIGITS else largest
    return largest

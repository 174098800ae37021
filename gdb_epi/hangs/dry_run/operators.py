# SPDX-License-Identifier: Apache-2.0
"""Operators of numbers, texts and containers as a dry run (dry_run.py) applies them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence

from gdb_epi.cpython.values.repr_decoder import Undecodable
from gdb_epi.cpython.values.repr_from_bytecode import COMPARISONS
from gdb_epi.cpython.values.str_formatting import Plain
from gdb_epi.cpython.values.value_stack import (
    STR,
    BuiltStr,
    BuiltTuple,
    CertainException,
    ComputedNumber,
    ExceptionInFlight,
    Item,
    NumberWithinBounds,
    PartlyKnownText,
    ProcessObject,
    RandomlyDrawnValue,
)
from gdb_epi.hangs.dry_run.builtin_calls import call_method, operate_on_sets
from gdb_epi.hangs.dry_run.container_evaluation import (
    BYTES,
    COUNTER,
    DEQUE,
    DICTS,
    LIBRARY_VALUES,
    MAX_ITEMS,
    SETS,
)
from gdb_epi.hangs.dry_run.loop_states import INFINITE, Bounds, are_decimal_bounds, are_float_bounds
from gdb_epi.hangs.dry_run.object_evaluation import ObjectEvaluation
from gdb_epi.typing_lite import Any

MAX_BITS = 1 << 12  # of one number
_OPERATORS: Mapping[str, Callable[[Plain, Plain], Plain]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv,
    "/": operator.truediv, "%": operator.mod, "&": operator.and_, "|": operator.or_,
    "^": operator.xor, ">>": operator.rshift,
    "<<": operator.lshift, "**": operator.pow,
}  # fmt: skip

_CHANGED_IN_PLACE = ("list", "set", "bytearray", DEQUE)
# By the instructions of 3.8 to 3.10; later ones have BINARY_OP.


def apply_operator(run: ObjectEvaluation, sign: str, left: Item, right: Item) -> Item:
    """Return what an operator gives of two items. Raises Undecodable, Raised."""
    kinds = run.type_name(left), run.type_name(right)
    if isinstance(left, RandomlyDrawnValue) or isinstance(right, RandomlyDrawnValue):
        if sign not in ("+", "-", "//"):
            raise Undecodable("an operator")
        return run.apply_to_drawn_values(_OPERATORS[sign], left, right)
    unknown = isinstance(left, PartlyKnownText) or isinstance(right, PartlyKnownText)
    if unknown or (sign == "%" and is_known_only_by_kind(right)):
        if sign == "%" and kinds[0] == "str" and isinstance(right, BuiltTuple):
            parts = run.text_of(left).replace("%d", "%s").split("%s")
            if "%" not in "".join(parts) and len(parts) == len(right.items) + 1:
                escaped = (part.replace("{", "{{").replace("}", "}}") for part in parts)
                return format_partly_known_text(run, "{}".join(escaped), right.items)
        begins = known_beginning_of_text(run, left) if sign == "+" else ""
        if sign == "+" and not isinstance(left, PartlyKnownText):
            begins += known_beginning_of_text(run, right)
        return PartlyKnownText(begins=begins)
    if isinstance(left, NumberWithinBounds) or isinstance(right, NumberWithinBounds):
        both = run.number_bounds(left), run.number_bounds(right)
        infinite = sum(each is not None and INFINITE in map(abs, each) for each in both)
        run.memory.multiplies |= infinite > (sign in ("+", "-"))
        return _apply_to_bounds(sign, *both)
    if sign == "%" and kinds[0] == "str":
        return run.format_with_percent(left, right)
    if kinds[0] in SETS and kinds[1] in SETS:
        return operate_on_sets(run, sign, left, right)
    if sign == "+" and kinds[0] == "bytes" and kinds[1] in BYTES:
        return run.apply_host_function(operator.add, run.to_python(left), run.to_python(right))
    if sign == "+" and kinds == ("list", "list"):
        return run.memory.make_object("list", [*run.members(left), *run.members(right)])
    if sign == "*" and sorted(kinds) in (["int", "list"], ["int", "str"]):
        return _repeat_sequence(run, *((left, right) if kinds[1] == "int" else (right, left)))
    if not {*kinds}.isdisjoint(LIBRARY_VALUES) and sign in _OPERATORS:
        return run.apply_host_function(_OPERATORS[sign], run.to_python(left), run.to_python(right))
    values = run.plain_value_of(left), run.plain_value_of(right)
    texts = sum(isinstance(value, str) for value in values)
    if sign not in _OPERATORS or (texts and (texts, sign) != (2, "+")):
        raise Undecodable("an operator")
    shifts = sign in ("<<", "**") and isinstance(values[1], int) and values[1] > MAX_BITS
    if shifts or any(isinstance(v, int) and v.bit_length() > MAX_BITS for v in values):
        raise Undecodable("a large number")
    return run.apply_host_function(_OPERATORS[sign], *values)


def apply_in_place_operator(run: ObjectEvaluation, sign: str, left: Item, right: Item) -> Item:
    """Return what `+=` and the like give: a list, set or dict itself, whoever else has it."""
    kind = run.type_name(left)
    if not isinstance(left, ProcessObject) or kind not in (*_CHANGED_IN_PLACE, *DICTS):
        return apply_operator(run, sign, left, right)
    if kind == "set" and run.type_name(right) in SETS:
        run.replace_items(left, run.members(operate_on_sets(run, sign, left, right)))
    elif kind == "list" and sign == "*":
        run.replace_items(left, run.members(apply_operator(run, sign, left, right)))
    elif kind in ("list", "bytearray", DEQUE) and sign == "+":
        call_method(run, left, "extend", [right], {})
    elif kind in DICTS and kind != COUNTER and sign == "|":
        call_method(run, left, "update", [right], {})
    else:
        raise Undecodable("an operator")
    return left


def known_beginning_of_text(run: ObjectEvaluation, of: Item) -> str:
    """Return how a text begins, or what formats as one. Raises Undecodable."""
    if isinstance(of, PartlyKnownText):
        return of.begins
    return "" if is_known_only_by_kind(of) else run.convert_item(of, STR)


def build_partly_known_text(
    run: ObjectEvaluation, name: str, argument: int, items: Sequence[Item]
) -> Item:
    """Return the text that an instruction makes of what is not known; None where all is known.

    Raises Undecodable.
    """
    if any(isinstance(item, RandomlyDrawnValue) for item in items):
        if name != "BUILD_STRING" and (len(items) > 1 or argument):
            raise Undecodable("a format of a draw")
        return run.apply_to_drawn_values(lambda *parts: "".join(map(str, parts)), *items)
    if not any(map(is_known_only_by_kind, items)):
        return None
    plain = len(items) == 1 and not argument and name != "CONVERT_VALUE"
    begins = ""
    for part in items if plain or name == "BUILD_STRING" else ():
        begins += known_beginning_of_text(run, part)
        if is_known_only_by_kind(part):
            break
    return PartlyKnownText(begins=begins)


def format_partly_known_text(
    run: ObjectEvaluation, template: str, arguments: Sequence[Item]
) -> Item:
    """Return how a text begins that str.format() makes of what is not known. Raises Undecodable."""
    from string import Formatter

    begins = ""
    try:
        parts = enumerate(Formatter().parse(template))
        for number, (literal, field, spec, conversion) in parts:
            begins += literal
            place = field or str(number)
            simple = field is not None and not spec and not conversion and place.isdigit()
            if not simple or int(place) >= len(arguments):
                break
            begins += known_beginning_of_text(run, arguments[int(place)])
            if is_known_only_by_kind(arguments[int(place)]):
                break
    except ValueError:
        raise Undecodable("a format of another kind") from None
    return PartlyKnownText(begins=begins)


def is_known_only_by_kind(item: Item) -> bool:
    """Tell whether an item, or a part of a tuple, is known only by its kind."""
    parts = item.items if isinstance(item, BuiltTuple) else (item,)
    return any(
        isinstance(part, (NumberWithinBounds, PartlyKnownText, ExceptionInFlight)) for part in parts
    )


def _apply_to_bounds(sign: str, left: Bounds | None, right: Bounds | None) -> Item:
    """Return what an operator gives of all numbers within bounds: it keeps their order.

    So does rounding. An int that may have any size makes an error of what a float takes.
    """
    if sign not in ("+", "-", "*", "/") or left is None or right is None:
        raise Undecodable("what depends on a number that is not known")
    if are_decimal_bounds(left) or are_decimal_bounds(right):
        if sign not in ("+", "-"):  # a product may be too large for a Decimal
            raise Undecodable("what depends on a number that is not known")
        if any(isinstance(end, float) for end in (*left, *right)):
            raise CertainException(TypeError)
    floats = sum(map(are_float_bounds, (left, right)))
    endless = any(
        INFINITE in map(abs, each) and not are_float_bounds(each) for each in (left, right)
    )
    if endless and (sign == "/" or (sign == "*" and floats)):
        raise Undecodable("a number that may be too large for a float")
    if sign == "/" and right[0] <= 0 <= right[1]:
        raise Undecodable("a division by what may be 0")
    try:
        ends: list[Any] = [_OPERATORS[sign](low, high) for low in left for high in right]
    except OverflowError:
        raise Undecodable("a large number") from None
    if any(end != end for end in ends):  # NaN: of two infinite numbers
        return NumberWithinBounds(-INFINITE, INFINITE)
    return NumberWithinBounds(min(ends), max(ends))


def _repeat_sequence(run: ObjectEvaluation, of: Item, number: Item) -> Item:
    times = run.plain_value_of(number)
    if not isinstance(times, int) or times * run.length(of) > MAX_ITEMS:
        raise Undecodable("a long text")
    if run.type_name(of) == "list":
        return run.memory.make_object("list", [*run.members(of)] * times)
    return BuiltStr(run.text_of(of) * times)


def apply_comparison(run: ObjectEvaluation, how: int, left: Item, right: Item) -> Item:
    """Return what `<`, `<=`, `==`, `!=`, `>` and `>=` give. Raises Undecodable, Raised."""
    function = COMPARISONS[how]
    if isinstance(left, NumberWithinBounds) or isinstance(right, NumberWithinBounds):
        mine, other = run.number_bounds(left), run.number_bounds(right)
        if mine is None or other is None:
            raise Undecodable("what depends on a number that is not known")
        given = {function(low, high) for low in mine for high in other}
        overlap = mine[0] <= other[1] and other[0] <= mine[1]
        if len(given) > 1 or (overlap and function in (operator.eq, operator.ne)):
            raise Undecodable("what depends on a number that is not known")
        return ComputedNumber(given.pop())
    if isinstance(left, RandomlyDrawnValue) or isinstance(right, RandomlyDrawnValue):
        return run.apply_to_drawn_values(function, left, right)
    second: Any = run.as_python_value_or_nan(right)
    first: Any = run.as_python_value_or_nan(left)
    try:
        return ComputedNumber(function(first, second))
    except TypeError:
        raise CertainException(TypeError) from None

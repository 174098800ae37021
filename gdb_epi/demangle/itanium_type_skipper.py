# SPDX-License-Identifier: Apache-2.0
"""Skip the types and expressions of an Itanium-mangled name without decoding them.

Source: Itanium C++ ABI, sections 5.1.5 (types), 5.1.6 (expressions), 5.1.10 (compression).
"""

from __future__ import annotations

from collections.abc import Callable

from gdb_epi.demangle.mangled_name_reader import (
    DIGITS,
    OPERATORS,
    STANDARD,
    MangledNameReader,
    UnreadableName,
)

# What follows a code: types (t, up to the E that closes them T), expressions (e, x), an unresolved
# name (n), the bound of an array (b), an E.
_OPERANDS = {
    **dict.fromkeys(("ds", *OPERATORS), "ee"),
    **dict.fromkeys("ps ng ad de co nt sp sz az nx tw te dl da aw sZ".split(), "e"),
    **dict.fromkeys(("st", "at", "ti"), "t"),
    **dict.fromkeys(("dc", "sc", "cc", "rc"), "te"),
    **dict.fromkeys(("cl", "cp", "il"), "x"),
    **dict.fromkeys(("dt", "pt"), "en"),
    "tl": "tx",
    "qu": "eee",
    "sP": "T",
    "tr": "",
}
_D_TYPES = {
    **dict.fromkeys("Dd De Df Dh Di Ds Du Da Dc Dn".split(), ""),
    **dict.fromkeys(("Dp", "Do", "Dx"), "t"),
    **dict.fromkeys(("DB", "DU"), "b"),
    **dict.fromkeys(("Dt", "DT"), "eE"),
    "DO": "eEt",
    "Dw": "Tt",
    "Dv": "bt",
}
_QUALIFIERS = "PROCGrVK"
_BUILTIN = "vwbcahstijlmxynofdegz"


def skip_types(reader: MangledNameReader) -> None:
    """Skip template arguments or parameter types up to the E that closes them."""
    reader.enter_level()
    while not reader.accept("E"):
        skip_argument(reader)
    reader.leave_level()


def skip_argument(reader: MangledNameReader) -> None:
    """Skip one template argument: a type, an expression, a literal or a pack."""
    reader.enter_level()
    if reader.accept("X"):
        skip_expression(reader)
        reader.expect("E")
    elif reader.accept("J"):
        skip_types(reader)
    elif reader.peek() == "L":
        _skip_literal(reader)
    else:
        skip_type(reader)
    reader.leave_level()


def skip_type(reader: MangledNameReader) -> None:
    """Skip one whole type."""
    reader.enter_level()
    while reader.next_is_one_of(_QUALIFIERS):
        reader.position += 1
    if reader.next_is_one_of(_BUILTIN):
        reader.position += 1
    elif reader.next_is_one_of(DIGITS + "SNZTU"):
        _skip_class_type(reader)
    elif reader.peek() == "D":
        _skip_type_beginning_with_d(reader)
    elif reader.accept("F"):
        reader.accept("Y")
        while not reader.accept("E"):
            if reader.peek(2) in ("RE", "OE"):  # the function's own reference qualifier
                reader.position += 1
            else:
                skip_type(reader)
    elif reader.accept("A"):
        _skip_array_bound(reader)
        skip_type(reader)
    elif reader.accept("M"):
        skip_type(reader)
        skip_type(reader)
    elif reader.accept("u"):
        reader.source_name()
        _skip_template_arguments(reader)
    else:
        raise UnreadableName
    reader.leave_level()


def _skip_array_bound(reader: MangledNameReader) -> None:
    if reader.next_is_one_of(DIGITS):
        while reader.next_is_one_of(DIGITS):
            reader.position += 1
    elif reader.peek() != "_":
        skip_expression(reader)
    reader.expect("_")


def _skip_template_arguments(reader: MangledNameReader) -> None:
    if reader.accept("I"):
        skip_types(reader)


def _skip_class_type(reader: MangledNameReader) -> None:
    letter = reader.peek()
    if letter == "S":
        _skip_substitution(reader)
    elif letter == "N":
        reader.position += 1
        _skip_nested_name(reader)
    elif letter == "Z":
        reader.position += 1
        skip_local_name(reader)
    elif letter == "T":
        reader.skip_template_parameter()
    elif letter == "U":
        _skip_closure_or_vendor_type(reader)
    else:
        reader.source_name()
        _skip_tags(reader)
    _skip_template_arguments(reader)


def _skip_tags(reader: MangledNameReader) -> None:
    while reader.accept("B"):
        reader.source_name()


def _skip_closure_or_vendor_type(reader: MangledNameReader) -> None:
    """Skip a closure, an unnamed type, or a vendor's qualifier with its type."""
    if reader.peek(2) in ("Ul", "Ut", "Ub"):
        skip_unnamed_type(reader)
        return
    reader.position += 1
    reader.source_name()
    _skip_template_arguments(reader)
    skip_type(reader)


def skip_unnamed_type(reader: MangledNameReader) -> bool:
    """Skip Ul...E_ or Ut_; return whether it was a closure."""
    closure = reader.accept("Ul")
    if closure:
        while reader.peek(2) in ("Ty", "Tn", "Tt", "Tp"):  # explicit template parameters
            reader.position += 2
            if reader.text[reader.position - 1] == "n":
                skip_type(reader)
        skip_types(reader)
    elif not reader.accept("Ut"):
        raise UnreadableName
    reader.skip_sequence_id()
    return closure


def _skip_nested_name(reader: MangledNameReader) -> None:
    while reader.next_is_one_of("rVKROH"):
        reader.position += 1
    while not reader.accept("E"):
        _skip_nested_name_part(reader)


def _skip_nested_name_part(reader: MangledNameReader) -> None:
    """Skip one piece of a nested name."""
    reader.enter_level()
    letter = reader.peek()
    if letter == "S":
        _skip_substitution(reader, alone=True)
    elif letter == "T":
        reader.skip_template_parameter()
    elif letter == "I":
        _skip_template_arguments(reader)
    elif letter == "D" and reader.peek(2) in ("Dt", "DT"):
        _skip_type_beginning_with_d(reader)
    elif letter in tuple("CD") and reader.peek(2)[1:] in tuple("0123459"):
        reader.position += 2
    elif letter == "U":
        skip_unnamed_type(reader)
    elif letter == "L" or letter in tuple(DIGITS):
        reader.accept("L")
        reader.source_name()
    elif letter == "M" or not letter:  # data member prefix
        reader.expect("M")
    else:
        _skip_operator_name(reader)
    _skip_tags(reader)
    reader.leave_level()


def _skip_operator_name(reader: MangledNameReader) -> None:
    code = reader.peek(2)
    reader.position += 2
    if code == "cv":
        skip_type(reader)
    elif code == "li":
        reader.source_name()
    elif code not in OPERATORS:
        raise UnreadableName


def skip_local_name(reader: MangledNameReader) -> None:
    """Skip a local name after its Z."""
    skip_encoding(reader)
    reader.expect("E")
    if reader.accept("s"):
        reader.skip_discriminator()
        return
    if reader.accept("d"):
        reader.skip_sequence_id()
    _skip_name(reader)
    reader.skip_discriminator()


def skip_encoding(reader: MangledNameReader) -> None:
    """Skip a function's name and its types, up to the E (or the end) after them."""
    _skip_name(reader)
    while reader.peek() and not reader.next_is_one_of("E."):
        skip_type(reader)


def _skip_name(reader: MangledNameReader) -> None:
    reader.enter_level()
    if reader.accept("N"):
        _skip_nested_name(reader)
    elif reader.accept("Z"):
        skip_local_name(reader)
    else:
        if not reader.accept("St") and reader.peek() == "S":
            _skip_substitution(reader)
        else:
            _skip_nested_name_part(reader)
        _skip_template_arguments(reader)
    reader.leave_level()


def _skip_substitution(reader: MangledNameReader, *, alone: bool = False) -> None:
    reader.expect("S")
    if reader.accept("t"):
        if not alone:
            _skip_nested_name_part(reader)
        return
    if reader.peek() and reader.peek() in STANDARD:
        reader.position += 1
        _skip_tags(reader)
        return
    reader.skip_sequence_id()


def _skip_type_beginning_with_d(reader: MangledNameReader) -> None:
    """Skip the types whose codes begin with D."""
    code = reader.peek(2)
    reader.position += 2
    if code == "DF":
        reader.read_number()
        if not (reader.accept("_") or reader.accept("b") or reader.accept("x")):
            raise UnreadableName
    else:
        _skip_operands(reader, _D_TYPES.get(code))


def _skip_literal(reader: MangledNameReader) -> None:
    reader.expect("L")
    if reader.accept("_Z"):
        skip_encoding(reader)
    else:
        skip_type(reader)
        while reader.next_is_one_of("0123456789abcdefn_"):
            reader.position += 1
    reader.expect("E")


def _skip_expressions(reader: MangledNameReader, end: str = "E") -> None:
    while not reader.accept(end):
        skip_expression(reader)


def skip_expression(reader: MangledNameReader) -> None:
    """Skip one expression."""
    reader.enter_level()
    reader.accept("gs")
    code = reader.peek(2)
    if reader.peek() == "L":
        _skip_literal(reader)
    elif reader.peek() == "T":
        reader.skip_template_parameter()
    elif reader.next_is_one_of(DIGITS):
        _skip_simple_id(reader)
    elif code in ("fp", "fL"):
        _skip_function_parameter(reader)
    else:
        reader.position += 2
        _skip_operator_expression(reader, code)
    reader.leave_level()


def _skip_simple_id(reader: MangledNameReader) -> None:
    reader.source_name()
    _skip_tags(reader)
    _skip_template_arguments(reader)


def _skip_function_parameter(reader: MangledNameReader) -> None:
    level = reader.accept("fL")
    if level:
        reader.read_number()
        reader.expect("p")
    else:
        reader.expect("fp")
        if reader.accept("T"):
            return
    while reader.next_is_one_of("rVK"):
        reader.position += 1
    reader.skip_sequence_id()


def _skip_operator_expression(reader: MangledNameReader, code: str) -> None:
    """Skip the operands of an expression whose two-letter code was taken."""
    if code in ("pp", "mm"):
        reader.accept("_")
        skip_expression(reader)
    elif code == "cv":
        skip_type(reader)
        if reader.accept("_"):
            _skip_expressions(reader)
        else:
            skip_expression(reader)
    elif code in ("sr", "on", "dn"):
        reader.position -= 2
        _skip_unresolved_name(reader)
    elif code in ("fl", "fr", "fL", "fR"):
        reader.position += 2
        _skip_operands(reader, "ee" if code in ("fL", "fR") else "e")
    elif code in ("nw", "na"):
        _skip_expressions(reader, "_")
        skip_type(reader)
        if reader.accept("pi"):
            _skip_expressions(reader)
        else:
            reader.expect("E")
    else:
        _skip_operands(reader, _OPERANDS.get(code))


def _skip_operands(reader: MangledNameReader, kinds: str | None) -> None:
    if kinds is None:
        raise UnreadableName
    for kind in kinds:
        _SKIP[kind](reader)


def _skip_unresolved_name(reader: MangledNameReader) -> None:
    """Skip a name that only instantiation resolves: sr..., on OPERATOR, dn TYPE, or an id."""
    reader.accept("gs")
    if reader.accept("srN"):
        skip_type(reader)
        while not reader.accept("E"):
            _skip_simple_id(reader)
        _skip_unresolved_name(reader)
    elif reader.accept("sr"):
        if reader.next_is_one_of(DIGITS):  # qualifiers by name end with an E, a type does not
            while not reader.accept("E"):
                _skip_simple_id(reader)
        else:
            skip_type(reader)
        _skip_unresolved_name(reader)
    elif reader.accept("on"):
        _skip_operator_name(reader)
        _skip_template_arguments(reader)
    elif reader.accept("dn"):
        skip_type(reader)
    else:
        _skip_simple_id(reader)


# By the letters of _OPERANDS and _D_TYPES.
_SKIP: dict[str, Callable[[MangledNameReader], None]] = {
    "t": skip_type,
    "T": skip_types,
    "e": skip_expression,
    "x": _skip_expressions,
    "n": _skip_unresolved_name,
    "b": _skip_array_bound,
    "E": lambda reader: reader.expect("E"),
}

# SPDX-License-Identifier: Apache-2.0
"""Read the path of a Rust v0 symbol (_R...), without generic arguments and hashes.

Source: Rust RFC 2603 (symbol name mangling v0), "Syntax of mangled names". Types are skipped or
given by their path; constants and trait bounds are not read.
"""

from __future__ import annotations

from gdb_epi.demangle.mangled_name_reader import DIGITS, MangledNameReader, UnreadableName

LAMBDA = "{lambda}"
SHIM = "{shim}"
MAX_NAME = 16_384  # characters of a name that are examined
MAX_TEXT = 65_536  # characters of a result; back references may blow a name up

_BASIC = {
    "a": "i8", "b": "bool", "c": "char", "d": "f64", "e": "str", "f": "f32", "h": "u8",
    "i": "isize", "j": "usize", "l": "i32", "m": "u32", "n": "i128", "o": "u128", "s": "i16",
    "t": "u16", "u": "()", "v": "...", "x": "i64", "y": "u64", "z": "!", "p": "_",
}  # fmt: skip


def rust_v0_name(linkage: str) -> str | None:
    """Return `crate::module::function`, `<type as trait>::method`; None when it cannot be read."""
    if not linkage.startswith("_R") or len(linkage) > MAX_NAME:
        return None
    reader = MangledNameReader(linkage, 2)
    try:
        if reader.next_is_one_of(DIGITS):  # an encoding version that is not v0
            return None
        path = _path(reader)
        if reader.peek() and not reader.next_is_one_of(".$"):
            _path(reader)  # the crate that instantiated it
        return path if not reader.peek() or reader.next_is_one_of(".$") else None
    except (UnreadableName, RecursionError):
        return None


def _base62(reader: MangledNameReader) -> int:
    if reader.accept("_"):
        return 0
    value = 0
    while not reader.accept("_"):
        letter = reader.peek()
        if not (letter.isascii() and letter.isalnum()) or value >> 64:
            raise UnreadableName
        reader.position += 1
        digit = int(letter, 36) + (26 if letter.isupper() else 0)
        value = value * 62 + digit
    return value + 1


def _identifier(reader: MangledNameReader) -> str:
    if reader.accept("s"):
        _base62(reader)
    punycode = reader.accept("u")
    size = 0 if reader.accept("0") else reader.read_number()
    reader.accept("_")
    name = reader.peek(size)
    if len(name) != size:
        raise UnreadableName
    reader.position += size
    if not punycode:
        return name
    head, _, tail = name.rpartition("_")
    try:
        return f"{head}-{tail}".encode("ascii").decode("punycode") if head else tail
    except UnicodeError:
        raise UnreadableName from None


def _path(reader: MangledNameReader) -> str:
    reader.enter_level()
    letter = reader.peek()
    reader.position += 1
    if letter == "C":
        path = _identifier(reader)
    elif letter == "M":
        _skip_impl_path(reader)
        path = _type(reader)
    elif letter == "X":
        _skip_impl_path(reader)
        path = _qualified_path(reader)
    elif letter == "Y":
        path = _qualified_path(reader)
    elif letter == "N":
        space = reader.peek()
        reader.position += 1
        outer = _path(reader)
        name = _identifier(reader)
        if space == "C":
            name = LAMBDA
        elif space == "S":
            name = SHIM
        elif space.isupper():
            name = f"{{{space}}}"
        elif not space.isalpha():
            raise UnreadableName
        path = f"{outer}::{name}" if name else outer
    elif letter == "I":
        path = _path(reader)
        while not reader.accept("E"):
            if reader.accept("L"):
                _base62(reader)
            elif reader.accept("K"):
                _constant(reader)
            else:
                _type(reader)
    elif letter == "B":
        path = _read_backreference(reader, _path)
    else:
        raise UnreadableName
    reader.leave_level()
    if len(path) > MAX_TEXT:
        raise UnreadableName
    return path


def _skip_impl_path(reader: MangledNameReader) -> None:
    """Skip where an impl block stands: [disambiguator] path."""
    if reader.accept("s"):
        _base62(reader)
    _path(reader)


def _qualified_path(reader: MangledNameReader) -> str:
    own = _type(reader)
    return f"<{own} as {_path(reader)}>"


def _read_backreference(reader: MangledNameReader, read: object) -> str:
    """Read what stands at an earlier place of the name."""
    at = reader.position - 1
    target = _base62(reader) + 2
    if target >= at or not callable(read):
        raise UnreadableName
    behind, reader.position = reader.position, target
    text = str(read(reader))
    reader.position = behind
    return text


def _constant(reader: MangledNameReader) -> str:
    if reader.accept("p"):
        return "_"
    if reader.accept("B"):
        return _read_backreference(reader, _constant)
    if not reader.next_is_one_of("abchijlmnostxy"):
        raise UnreadableName
    reader.position += 1
    reader.accept("n")
    while not reader.accept("_"):
        if not reader.next_is_one_of("0123456789abcdef"):
            raise UnreadableName
        reader.position += 1
    return "_"


def _type(reader: MangledNameReader) -> str:
    reader.enter_level()
    name = _read_type_of_any_length(reader)
    reader.leave_level()
    if len(name) > MAX_TEXT:
        raise UnreadableName
    return name


def _read_type_of_any_length(reader: MangledNameReader) -> str:
    letter = reader.peek()
    if letter in _BASIC and letter:
        reader.position += 1
        return _BASIC[letter]
    if reader.next_is_one_of("CMXYNI"):
        return _path(reader)
    reader.position += 1
    if letter == "B":
        return _read_backreference(reader, _type)
    if letter in ("R", "Q"):
        if reader.accept("L"):
            _base62(reader)
        return ("&mut " if letter == "Q" else "&") + _type(reader)
    if letter in ("P", "O"):
        return ("*mut " if letter == "O" else "*const ") + _type(reader)
    if letter == "A":
        element = _type(reader)
        _constant(reader)
        return f"[{element}; _]"
    if letter == "S":
        return f"[{_type(reader)}]"
    if letter == "T":
        parts = []
        while not reader.accept("E"):
            parts.append(_type(reader))
        return f"({', '.join(parts)})"
    if letter == "F":
        return _read_function_type(reader)
    if letter == "D":
        return _trait_object(reader)
    raise UnreadableName


def _read_function_type(reader: MangledNameReader) -> str:
    """Read a pointer to a function: unsafe extern "C" fn(arguments) -> result."""
    if reader.accept("G"):
        _base62(reader)
    words = "unsafe " if reader.accept("U") else ""
    if reader.accept("K"):
        words += f'extern "{"C" if reader.accept("C") else _identifier(reader)}" '
    parts = []
    while not reader.accept("E"):
        parts.append(_type(reader))
    return_type = _type(reader)
    behind = "" if return_type == "()" else f" -> {return_type}"
    return f"{words}fn({', '.join(parts)}){behind}"


def _trait_object(reader: MangledNameReader) -> str:
    """Read dyn A + B; bound types and lifetimes are skipped."""
    if reader.accept("G"):
        _base62(reader)
    parts = []
    while not reader.accept("E"):
        parts.append(_path(reader))
        while reader.accept("p"):
            _identifier(reader)
            _type(reader)
    reader.expect("L")
    _base62(reader)
    return f"dyn {' + '.join(parts)}"

# SPDX-License-Identifier: Apache-2.0
"""Read the <name> part of an Itanium-mangled linkage name; nothing else.

This is no demangler: argument types, return types and template arguments are skipped, not
decoded, which is all a signature needs. A name outside the grammar below is returned as None and
stays mangled in the signature (SPEC.md section 4 says so).
Source: Itanium C++ ABI, section 5.1 (mangling); Rust's legacy names follow the same grammar.
"""

from __future__ import annotations

import re

MAX_NAME = 4096  # characters of a linkage name that are looked at
MAX_DEPTH = 32

_STANDARD = {
    "t": "std", "a": "std::allocator", "b": "std::basic_string", "s": "std::string",
    "i": "std::istream", "o": "std::ostream", "d": "std::iostream",
}  # fmt: skip
_OPERATORS = {
    "nw": "new", "na": "new[]", "dl": "delete", "da": "delete[]", "ps": "+", "ng": "-", "ad": "&",
    "de": "*", "co": "~", "pl": "+", "mi": "-", "ml": "*", "dv": "/", "rm": "%", "an": "&",
    "or": "|", "eo": "^", "aS": "=", "pL": "+=", "mI": "-=", "mL": "*=", "dV": "/=", "rM": "%=",
    "aN": "&=", "oR": "|=", "eO": "^=", "ls": "<<", "rs": ">>", "lS": "<<=", "rS": ">>=",
    "eq": "==", "ne": "!=", "lt": "<", "gt": ">", "le": "<=", "ge": ">=", "ss": "<=>", "nt": "!",
    "aa": "&&", "oo": "||", "pp": "++", "mm": "--", "cm": ",", "pm": "->*", "pt": "->",
    "cl": "()", "ix": "[]", "qu": "?",
}  # fmt: skip
_RUST_HASH = re.compile(r"h[0-9a-f]{16}\Z")
_RUST_ESCAPES = (
    ("$LT$", "<"), ("$GT$", ">"), ("$RF$", "&"), ("$BP$", "*"), ("$LP$", "("), ("$RP$", ")"),
    ("$C$", ","), ("$u20$", " "), ("$u27$", "'"), ("$u5b$", "["), ("$u5d$", "]"), ("$u7b$", "{"),
    ("$u7d$", "}"), ("$u7e$", "~"), ("$u2b$", "+"), ("$SP$", "@"), ("..", "::"),
)  # fmt: skip
_LAMBDA = "{lambda}"
_DIGITS = "0123456789"


class _Unknown(Exception):
    """The name is outside the grammar that is read here."""


class _Reader:
    """A position in a mangled name."""

    def __init__(self, text: str, position: int) -> None:
        self.text = text
        self.position = position
        self.depth = 0

    def peek(self, size: int = 1) -> str:
        """Return the next characters without taking them."""
        return self.text[self.position : self.position + size]

    def take(self, expected: str) -> bool:
        """Take the expected text if it comes next."""
        if self.text.startswith(expected, self.position):
            self.position += len(expected)
            return True
        return False

    def need(self, expected: str) -> None:
        """Take the expected text, or give up on the name."""
        if not self.take(expected):
            raise _Unknown

    def number(self) -> int:
        """Read a decimal number of at most five digits."""
        start = self.position
        while self.peek() and self.peek() in _DIGITS and self.position - start < 5:
            self.position += 1
        if start == self.position:
            raise _Unknown
        return int(self.text[start : self.position])

    def source_name(self) -> str:
        """Read a length and so many characters."""
        size = self.number()
        name = self.peek(size)
        if size == 0 or len(name) != size:
            raise _Unknown
        self.position += size
        return name

    def enter(self) -> None:
        """Count one level of nesting, and give up beyond the cap."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _Unknown


def function_name(linkage: str) -> str | None:
    """Return `a::b<T>::c` for a mangled function name, or None when it cannot be read.

    Special names (thunks) give the function they lead to.
    """
    if not linkage.startswith("_Z") or len(linkage) > MAX_NAME:
        return None
    reader = _Reader(linkage, 2)
    try:
        _skip_thunk(reader)
        return _name(reader)
    except _Unknown:
        return None


def _skip_thunk(reader: _Reader) -> None:
    if reader.take("Th") or reader.take("Tv"):
        virtual = reader.text[reader.position - 1] == "v"
        _offset(reader)
        if virtual:
            _offset(reader)


def _offset(reader: _Reader) -> None:
    reader.take("n")
    reader.number()
    reader.need("_")


def _name(reader: _Reader) -> str:
    reader.enter()
    if reader.take("N"):
        return _nested(reader)
    if reader.take("Z"):
        return _local(reader)
    parts: list[str] = []
    if reader.take("St"):
        parts.append("std")
    _component(reader, parts)
    if reader.take("I"):
        _skip_until_end(reader)
        parts[-1] += "<T>"
    return "::".join(parts)


def _nested(reader: _Reader) -> str:
    while reader.peek() and reader.peek() in "rVKRO":  # cv and ref qualifiers
        reader.position += 1
    parts: list[str] = []
    while not reader.take("E"):
        if reader.take("I"):
            if not parts:
                raise _Unknown
            _skip_until_end(reader)
            parts[-1] += "<T>"
        elif reader.peek() == "S":
            parts.append(_substitution(reader))
        else:
            _component(reader, parts)
    if len(parts) > 1 and _RUST_HASH.match(parts[-1]):
        parts = [_rust(part) for part in parts[:-1]]
    if not parts:
        raise _Unknown
    return "::".join(parts)


def _substitution(reader: _Reader) -> str:
    reader.need("S")
    letter = reader.peek()
    if letter not in _STANDARD or not letter:  # S_ and S0_ need the table of types: not read
        raise _Unknown
    reader.position += 1
    return _STANDARD[letter]


def _component(reader: _Reader, parts: list[str]) -> None:
    reader.take("L")  # internal linkage
    letter = reader.peek()
    if letter and letter in _DIGITS:
        name = reader.source_name()
        parts.append("{anon}" if name.startswith("_GLOBAL__N_") else name)
    elif letter in ("C", "D") and reader.peek(2)[1:] in tuple("012345I"):
        _structor(reader, parts)
    elif letter == "U":
        parts.append(_unnamed(reader))
    else:
        parts.append(_operator(reader))
    while reader.take("B"):  # ABI tag
        reader.source_name()


def _structor(reader: _Reader, parts: list[str]) -> None:
    if not parts or reader.peek(2)[1:] == "I":  # inheriting constructors name a type
        raise _Unknown
    owner = parts[-1].removesuffix("<T>")
    parts.append(f"~{owner}" if reader.peek() == "D" else owner)
    reader.position += 2


def _unnamed(reader: _Reader) -> str:
    if reader.take("Ul"):
        _skip_until_end(reader)
        _optional_number(reader)
        return _LAMBDA
    reader.need("Ut")
    _optional_number(reader)
    return "{unnamed}"


def _optional_number(reader: _Reader) -> None:
    if reader.peek() in tuple(_DIGITS):
        reader.number()
    reader.need("_")


def _operator(reader: _Reader) -> str:
    code = reader.peek(2)
    reader.position += 2
    if code == "cv":
        _skip_conversion(reader)
        return "operator{conversion}"
    if code == "li":
        return f'operator""{reader.source_name()}'
    if code not in _OPERATORS:
        raise _Unknown
    name = _OPERATORS[code]
    return f"operator {name}" if name[0].isalpha() else f"operator{name}"


def _skip_conversion(reader: _Reader) -> None:
    """Skip the type that a conversion operator names: one whole type, not one token."""
    while reader.peek() in ("P", "R", "O", "K", "V"):
        reader.position += 1
    if reader.take("St"):
        reader.source_name()
    else:
        _skip_type(reader)
    if reader.take("I"):
        _skip_until_end(reader)


def _local(reader: _Reader) -> str:
    """Read Z <encoding> E <entity>: the enclosing function stays in front."""
    outer = _name(reader)
    _skip_until_end(reader)  # its argument types
    if reader.take("s"):
        return f"{outer}::{{string}}"
    if reader.take("d"):
        _optional_number(reader)
    inner = _name(reader)
    return f"{outer}::{inner}"


def _skip_until_end(reader: _Reader) -> None:
    """Skip types, template arguments and expressions up to the E that closes them."""
    reader.enter()
    while not reader.take("E"):
        _skip_type(reader)
    reader.depth -= 1


def _skip_type(reader: _Reader) -> None:
    """Skip one token; what opens a bracket is skipped up to its E."""
    letter = reader.peek()
    if not letter:
        raise _Unknown
    if letter in _DIGITS:
        reader.source_name()
    elif letter == "S":
        _skip_substitution(reader)
    elif letter == "T":
        _skip_parameter(reader)
    elif letter == "L":
        _skip_literal(reader)
    elif letter in "NIFJZ":
        reader.position += 1
        _skip_until_end(reader)
    elif letter == "X" or reader.peek(2) in ("DT", "Dt", "Do", "DO", "Dw"):
        raise _Unknown  # expressions have a grammar of their own
    elif letter == "D" or reader.peek(2) in ("Ul", "Ut"):
        if letter == "U":
            _unnamed(reader)
        else:
            reader.position += 2
    elif letter == "A":  # array: A <number> _ <type>
        reader.position += 1
        _optional_number(reader)
    else:
        reader.position += 1


def _skip_substitution(reader: _Reader) -> None:
    reader.need("S")
    if reader.peek() in _STANDARD and reader.peek():
        reader.position += 1
        return
    while reader.peek() and (reader.peek() in _DIGITS or reader.peek().isupper()):
        reader.position += 1
    reader.need("_")


def _skip_parameter(reader: _Reader) -> None:
    reader.need("T")
    if reader.peek() in tuple(_DIGITS):
        reader.number()
    reader.need("_")


def _skip_literal(reader: _Reader) -> None:
    reader.need("L")
    if reader.take("_Z"):
        _name(reader)
        _skip_until_end(reader)
        return
    _skip_type(reader)
    reader.take("n")
    while reader.peek() and reader.peek() != "E":
        if reader.peek() not in "0123456789abcdef_":
            raise _Unknown
        reader.position += 1
    reader.need("E")


def _rust(part: str) -> str:
    if part.startswith("_$"):
        part = part[1:]
    for escape, text in _RUST_ESCAPES:
        part = part.replace(escape, text)
    return part

# SPDX-License-Identifier: Apache-2.0
"""Read the <name> part of an Itanium-mangled linkage name; nothing else.

This is no demangler: argument types, return types and template arguments are skipped, not decoded,
which is all a signature needs. A name outside the grammar is returned as None and stays mangled in
the signature (SPEC.md N23). Source: Itanium C++ ABI, section 5.1; Rust's legacy names follow the
same grammar.
"""

from __future__ import annotations

from gdb_epi.demangle.itanium_type_skipper import skip_type, skip_types, skip_unnamed_type
from gdb_epi.demangle.mangled_name_reader import (
    DIGITS,
    OPERATORS,
    STANDARD,
    MangledNameReader,
    UnreadableName,
)
from gdb_epi.lazy_pattern import LazyPattern

MAX_NAME = 16_384  # characters of a linkage name that are examined
LAMBDA = "{lambda}"
UNNAMED = "{unnamed}"
ANONYMOUS = "{anon}"
STATIC_INIT = "{static-init}"
TEMPLATE = "<T>"

_RUST_END = LazyPattern(r"17h[0-9a-f]{16}E(?:\.|\Z)", "17h")
_RUST_HASH = LazyPattern(r"h[0-9a-f]{16}\Z", "h")
RUST_HASH = 17  # characters
_RUST_ESCAPES = (
    ("$LT$", "<"), ("$GT$", ">"), ("$RF$", "&"), ("$BP$", "*"), ("$LP$", "("), ("$RP$", ")"),
    ("$C$", ","), ("$u20$", " "), ("$u27$", "'"), ("$u5b$", "["), ("$u5d$", "]"), ("$u7b$", "{"),
    ("$u7d$", "}"), ("$u7e$", "~"), ("$u2b$", "+"), ("$u3b$", ";"), ("$SP$", "@"), ("..", "::"),
)  # fmt: skip


def function_name(linkage: str) -> str | None:
    """Return `a::b<T>::c` for a mangled function name, or None when it cannot be read."""
    read = read_name_and_rules(linkage)
    return read[0] if read else None


def read_name_and_rules(linkage: str) -> tuple[str, list[str]] | None:
    """Return the name of function_name() and the rules of SPEC.md that made it, or None.

    Thunks give the function they lead to; the wrappers of thread-local variables the variable with
    `::{tls}` after it.
    """
    if not linkage.startswith("_Z") or len(linkage) > MAX_NAME:
        return None
    reader = MangledNameReader(linkage, 2)
    try:
        tls = reader.accept("TW") or reader.accept("TH")
        if not tls:
            _skip_thunk(reader)
        name = _name(reader)
        # Skip the types after the name: a name that is cut or damaged there is not read.
        while reader.peek() and not reader.next_is_one_of("."):
            reader.note_rule("N13")
            skip_type(reader)
    except (UnreadableName, RecursionError):
        return None
    if tls:
        reader.note_rule("N14")
        name = f"{name}::{{tls}}"
    return name, reader.used


def class_name(encoding: str) -> str | None:
    """Return the name of a class by its type encoding (std::type_info::name()), or None."""
    if len(encoding) > MAX_NAME:
        return None
    reader = MangledNameReader(encoding, 0)
    try:
        name = _name(reader)
    except (UnreadableName, RecursionError):
        return None
    return None if reader.peek() else name


def local_name(linkage: str, position: int) -> str:
    """Return the name of a local entity whose "Z" is at a position; "" when it cannot be read."""
    reader = MangledNameReader(linkage[:MAX_NAME], position)
    try:
        reader.expect("Z")
        return _read_local_name(reader)
    except (UnreadableName, RecursionError):
        return ""


def is_rust_legacy(linkage: str) -> bool:
    """Tell whether a name of the Itanium grammar is Rust's: its last part is a hash."""
    return linkage.startswith("_ZN") and bool(_RUST_END.search(linkage))


def _skip_thunk(reader: MangledNameReader) -> None:
    if reader.peek(3) == "GTt" or reader.peek(2) in ("Tc", "Th", "Tv"):
        reader.note_rule("N14")
    if reader.accept("GTt"):  # a clone for transactional memory
        return
    if reader.accept("Tc"):
        _skip_call_offset(reader)
        _skip_call_offset(reader)
    elif reader.peek(2) in ("Th", "Tv"):
        reader.position += 1
        _skip_call_offset(reader)


def _skip_call_offset(reader: MangledNameReader) -> None:
    virtual = reader.accept("v")
    if not virtual:
        reader.expect("h")
    for _ in range(2 if virtual else 1):
        reader.accept("n")
        while reader.next_is_one_of(DIGITS):
            reader.position += 1
        reader.expect("_")


def _name(reader: MangledNameReader) -> str:
    reader.enter_level()
    if reader.accept("N"):
        name = _nested_name(reader)
    elif reader.accept("Z"):
        name = _read_local_name(reader)
    else:
        parts: list[str] = []
        if reader.accept("St"):
            parts.append("std")
        _read_component(reader, parts)
        _skip_template_arguments(reader, parts)
        name = "::".join(parts)
    reader.leave_level()
    return name


def _skip_template_arguments(reader: MangledNameReader, parts: list[str]) -> None:
    if reader.accept("I"):
        if not parts:
            raise UnreadableName
        skip_types(reader)
        reader.note_rule("N9")
        parts[-1] += TEMPLATE


def _nested_name(reader: MangledNameReader) -> str:
    while reader.next_is_one_of("rVKROH"):  # cv and reference qualifiers, explicit object
        reader.position += 1
    parts: list[str] = []
    while not reader.accept("E"):
        reader.enter_level()
        if reader.peek() == "I":
            _skip_template_arguments(reader, parts)
        elif reader.peek() == "S":
            reader.expect("S")
            letter = reader.peek()
            if letter not in STANDARD or not letter:  # S_ and S0_ need the table of types: not read
                raise UnreadableName
            reader.position += 1
            _skip_abi_tags(reader)
            parts.append(STANDARD[letter])
        elif parts and reader.accept("M"):  # a closure in the initialiser of a member
            pass
        else:
            _read_component(reader, parts)
        reader.leave_level()
    if len(parts) > 1 and len(parts[-1]) == RUST_HASH and _RUST_HASH.match(parts[-1]):
        reader.note_rule("N17")
        parts = [_unescape_rust_part(part) for part in parts[:-1]]
    if not parts:
        raise UnreadableName
    return "::".join(parts)


def _skip_abi_tags(reader: MangledNameReader) -> None:
    while reader.accept("B"):
        reader.note_rule("N12")
        reader.source_name()


def _read_component(reader: MangledNameReader, parts: list[str]) -> None:
    while reader.accept("W"):  # the module of C++20 that a name belongs to
        reader.accept("P")
        reader.source_name()
    if reader.peek(2) != "Ls":
        reader.accept("L")  # internal linkage
    two = reader.peek(2)
    if reader.next_is_one_of(DIGITS):
        parts.append(_read_source_name(reader))
    elif two[:1] in ("C", "D") and two[1:] in tuple("0123459I"):
        # Read C1, D0 and their like; CI1 inherits and names the base after it.
        if not parts:
            raise UnreadableName
        reader.note_rule("N14")
        owner = parts[-1].removesuffix(TEMPLATE).rsplit("::", 1)[-1]
        parts.append(f"~{owner}" if reader.peek() == "D" else owner)
        reader.position += 1
        if reader.accept("I"):
            reader.position += 1
            skip_type(reader)
        else:
            reader.position += 1
    elif two in ("Ul", "Ut"):
        reader.note_rule("N11")
        parts.append(LAMBDA if skip_unnamed_type(reader) else UNNAMED)
    else:
        parts.append(_read_operator_name(reader))
    _skip_abi_tags(reader)


def _read_source_name(reader: MangledNameReader) -> str:
    name = reader.source_name()
    if not name.startswith("_GLOBAL__N_"):
        return name
    reader.note_rule("N10")
    return ANONYMOUS


def _read_operator_name(reader: MangledNameReader) -> str:
    code = reader.peek(2)
    reader.position += 2
    reader.note_rule("N15")
    if code == "cv":
        # Template arguments after a template parameter are the operator's own.
        reader.skip_template_parameter() if reader.peek() == "T" else skip_type(reader)
        return "operator{conversion}"
    if code == "li":
        return f'operator""{reader.source_name()}'
    if code not in OPERATORS:
        raise UnreadableName
    name = OPERATORS[code]
    return f"operator {name}" if name[0].isalpha() else f"operator{name}"


def _read_local_name(reader: MangledNameReader) -> str:
    """Read Z <encoding> E <entity>: the enclosing function stays in front."""
    outer = _name(reader)
    while not reader.accept("E"):  # its argument types
        skip_type(reader)
    if reader.accept("s"):
        reader.skip_discriminator()
        return f"{outer}::{{string}}"
    if reader.accept("d"):
        reader.skip_sequence_id()
    inner = _name(reader)
    reader.skip_discriminator()
    return f"{outer}::{inner}"


def _unescape_rust_part(part: str) -> str:
    if part.startswith("_$"):
        part = part[1:]
    for escape, text in _RUST_ESCAPES:
        part = part.replace(escape, text)
    return part

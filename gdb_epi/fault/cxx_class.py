# SPDX-License-Identifier: Apache-2.0
"""The class of a C++ object, by its table of virtual functions.

Before the functions stand the offset to the top of the object and a pointer to the class'
std::type_info, whose second word is the name of the class.
Source: Itanium C++ ABI, 2.5.2 (virtual table components) and 2.9.4 (RTTI layout).
"""

from __future__ import annotations

from itertools import takewhile

from gdb_epi.fault.mapping_checks import may_execute
from gdb_epi.fault.memory_reads import c_string, read_word
from gdb_epi.sizes import PAGE, WORD, WORD_MASK
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple

MAX_METHODS = 512
MAX_NAME = 256
MAX_OBJECT = 1 << 20  # bytes between an object and its base part
_TYPE, _TOP, _NAME = -WORD, -2 * WORD, WORD


class MethodTable(NamedTuple):
    """A table of virtual functions: the address that objects hold, its class, its functions."""

    address: int
    class_name: str
    methods: int


def method_table(target: Target, address: int) -> MethodTable | None:
    """Return the table that objects with this first word have; None where none begins there."""
    region = target.region_at(address)
    if address % WORD or region is None or region.path is None or "x" in region.perms:
        return None
    top = _read(target, address + _TOP)
    if top is None or not 0 <= -top & WORD_MASK <= MAX_OBJECT:
        return None
    info = _read(target, address + _TYPE)
    name = _class_name(target, info) if info else None
    if name is None:
        return None
    # NULL stands for a missing function of a base class; at the end it means nothing.
    words = (_read(target, address + WORD * number) for number in range(MAX_METHODS))
    methods = takewhile(lambda word: word and may_execute(target.region_at(word)), words)
    return MethodTable(address, name, sum(1 for _ in methods))


def _class_name(target: Target, info: int) -> str | None:
    """Return the name in a std::type_info: its first word is a table of methods too."""
    own, name = _read(target, info), _read(target, info + _NAME)
    if info % WORD or not own or not name or target.region_at(own) is None:
        return None
    sizes = (min(size, PAGE - name % PAGE) for size in (MAX_NAME, 64, 16))
    mangled = c_string(target, name & ~(1 << 63), *sizes).decode("ascii", "replace")
    mangled = mangled.removeprefix("*")
    if not mangled.isascii() or not (mangled[:1].isdigit() or mangled[:1] in ("N", "S")):
        return None
    from gdb_epi.demangle.itanium import class_name  # modules that other crashes do not need

    return class_name(mangled)


def _read(target: Target, address: int) -> int | None:
    return read_word(target, address, dumped_only=False)

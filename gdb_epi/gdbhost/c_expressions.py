# SPDX-License-Identifier: Apache-2.0
"""C expressions that users type, evaluated by GDB: where they lead, and if Python may be there.

Nothing is assigned and no function of the process is called. Where there is no debug information of
Python, a pointer to one of its types is read as a pointer to void.
"""

from __future__ import annotations

import re

import gdb

from gdb_epi.errors import InputError
from gdb_epi.expressions import C_STRUCTS
from gdb_epi.gdbhost.selection import temporary_gdb_setting
from gdb_epi.session import CValue
from gdb_epi.sizes import WORD, WORD_MASK

MAX_BASES = 8  # structs that a struct begins with
_OBJECT = ("PyObject", "_object")
_INT_TAG = 3  # Py_INT_TAG of it (Include/internal/pycore_stackref.h)
STACK_REF = "_PyStackRef"  # 3.14 (gh-117139): the two lowest bits are a tag
_STRUCTS = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)
_INTEGERS = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_CHAR)
_QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""")
_ASSIGNING = re.compile(r"(?<![=!<>])=(?!=)|<<=|>>=|\+\+|--")
_NO_SYMBOLS = "No symbol table is loaded"
_POINTED = re.compile(r"\b(?:struct\s+)?(_?Py\w+|_object|_typeobject|_frame|_ts|_is)(?=\s*\*)")


def evaluate_c_expression(text: str) -> CValue:
    """Return where an expression leads. Raises InputError with GDB's words."""
    if _ASSIGNING.search(_QUOTED.sub("", text)):
        raise InputError(f"{text}: nothing is assigned here", hint="GDB's own print")
    try:
        with temporary_gdb_setting("may-call-functions", "off"):
            return c_value_of(gdb.parse_and_eval(_POINTED.sub(_void_if_unknown_type, text)), text)
    except (gdb.error, OverflowError, ValueError) as error:
        raise InputError(f"{text}: {_message_of_gdb(error)}") from None


def _message_of_gdb(error: Exception) -> str:
    """Return GDB's message, without its advice to load a file that has no symbols anyway."""
    words = str(error).rstrip(".")
    if words.startswith(_NO_SYMBOLS):
        return "GDB knows no names of C here: no file has debug information"
    return words if "; try: " in words else f"GDB says: {words}"  # of a function of ours


def c_value_of(value: gdb.Value, text: str = "it") -> CValue:
    """Return where a value leads. Raises InputError, gdb.error."""
    if value.is_optimized_out:
        raise InputError(f"{text} is optimized out", hint="info registers; epi locals")
    ctype = value.type.strip_typedefs()
    if ctype.code in (gdb.TYPE_CODE_REF, getattr(gdb, "TYPE_CODE_RVALUE_REF", None)):
        return c_value_of(value.referenced_value(), text)
    if ctype.code == gdb.TYPE_CODE_PTR:
        target = ctype.target()
        name, is_object = c_type_name(target), may_be_python_object(target)
        shown = name if is_object or name in C_STRUCTS else str(value.type)
        return CValue(int(value) & WORD_MASK, shown, is_object)
    if ctype.code in _INTEGERS:
        return CValue(int(value) & WORD_MASK, str(ctype), ctype.sizeof == WORD, True)
    if ctype.code not in _STRUCTS:
        return CValue(0, str(value.type), False)
    if c_type_name(value.type) == STACK_REF:
        bits = int(value["bits"])
        if bits & 3 == _INT_TAG:
            raise InputError(f"{text} is a tagged number, no object")
        return CValue(bits & WORD_MASK & ~3, STACK_REF, True)
    if value.address is None:
        raise InputError(f"{text} is of the C type {value.type} and has no address")
    return CValue(
        int(value.address) & WORD_MASK, c_type_name(value.type), may_be_python_object(value.type)
    )


def may_be_python_object(ctype: gdb.Type) -> bool:
    """Tell whether a struct begins with PyObject_HEAD, or is not known at all (void)."""
    return ctype.strip_typedefs().code == gdb.TYPE_CODE_VOID or is_object_struct(ctype)


def is_object_struct(ctype: gdb.Type) -> bool:
    """Tell whether a struct is PyObject or begins with it (Include/object.h, PyObject_HEAD)."""
    for _ in range(MAX_BASES):
        if c_type_name(ctype) in _OBJECT:
            return True
        ctype = ctype.strip_typedefs()
        if ctype.code != gdb.TYPE_CODE_STRUCT:
            return False
        fields = ctype.fields()
        if not fields or getattr(fields[0], "bitpos", None) != 0:
            return False
        ctype = fields[0].type
    return False


def c_type_name(ctype: gdb.Type) -> str:
    """Return the name of a type without const and volatile, or a struct's tag."""
    plain = ctype.unqualified()
    return str(plain.name or plain.tag or plain)


def _void_if_unknown_type(match: re.Match[str]) -> str:
    try:
        gdb.lookup_type(match[1])
    except gdb.error:
        try:
            gdb.lookup_type(f"struct {match[1]}")
        except gdb.error:
            return "void"
    return match[0]

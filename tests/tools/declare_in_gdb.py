# SPDX-License-Identifier: Apache-2.0
"""Write C declarations of structs that CPython keeps private to .c files; runs inside GDB.

Debug information of one build says which members such a struct has and of which types. Compiled
again with the headers of another build (free-threaded, Py_DEBUG) the same members come to lie
where that build has them, because the types that differ (PyObject, PyMutex) are in the headers.
Members that the other build alone has cannot be seen this way: emit_layouts.py says so.
"""

from __future__ import annotations

import os
import sys

import gdb

ROOT = os.environ["GDB_EPI_ROOT"]
sys.path[:0] = [ROOT, os.path.join(ROOT, "tests")]

from support.layout_tables import struct_key

from gdb_epi.cpython.layout.struct_specs import STRUCTS

INTEGERS = {1: "char", 2: "short", 4: "int", 8: "long"}
AGGREGATES = {gdb.TYPE_CODE_STRUCT: "struct", gdb.TYPE_CODE_UNION: "union"}


def declare(ctype: gdb.Type, name: str, public: frozenset[str]) -> str:
    """Return a C declaration of `name` with a type of the same size and alignment."""
    bare = ctype.strip_typedefs()
    if bare.code == gdb.TYPE_CODE_PTR:
        return f"void *{name}"
    if bare.code == gdb.TYPE_CODE_ARRAY:
        low, high = bare.range()  # (0, 0) for a flexible array, whose size is 0
        count = high - low + 1 if bare.sizeof else 0
        return declare(bare.target(), f"{name}[{count}]", public)
    if bare.code in AGGREGATES:
        spelling = str(ctype.unqualified())
        if struct_key(spelling) in public or struct_key(ctype.name or "") in public:
            return f"{spelling} {name}"
        return f"{AGGREGATES[bare.code]} {{ {members(bare, public)} }} {name}"
    if bare.code == gdb.TYPE_CODE_FLT:
        return f"double {name}"
    return f"{INTEGERS[bare.sizeof]} {name}"


def members(ctype: gdb.Type, public: frozenset[str]) -> str:
    """Return the declarations of all members."""
    texts = []
    for field in ctype.fields():
        name = field.name or ""
        if field.bitsize:
            size = field.type.strip_typedefs().sizeof
            texts.append(f"unsigned {INTEGERS[size]} {name} : {field.bitsize};")
        else:
            texts.append(f"{declare(field.type, name, public)};")
    return " ".join(texts)


def definition(key: str, public: frozenset[str]) -> str | None:
    """Return the C definition of one struct under the name that CPython gives it."""
    for spelling in STRUCTS[key].spellings:
        try:
            ctype = gdb.lookup_type(spelling).strip_typedefs()
        except gdb.error:
            continue
        if ctype.code in AGGREGATES and ctype.fields():
            if spelling.startswith("struct "):
                return f"{spelling} {{ {members(ctype, public)} }};"
            return f"typedef struct {{ {members(ctype, public)} }} {spelling};"
    return None


def main() -> None:
    """Write the definitions of the structs named by GDB_EPI_PRIVATE."""
    public = frozenset(os.environ["GDB_EPI_PUBLIC"].split())
    definitions = (definition(key, public) for key in os.environ["GDB_EPI_PRIVATE"].split())
    with open(os.environ["GDB_EPI_OUT"], "w", encoding="utf-8") as stream:
        stream.write("\n".join(text for text in definitions if text) + "\n")


main()

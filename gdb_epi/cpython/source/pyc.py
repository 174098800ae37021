# SPDX-License-Identifier: Apache-2.0
"""A .pyc file: its header (PEP 552) and the code objects that marshal wrote into it.

A parser of our own: the files of another release are read too, and `marshal` trusts what it loads.
Reference: Python/marshal.c, r_object (3.8 to 3.15); Lib/importlib/_bootstrap_external.py.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping

from gdb_epi.cpython.layout.layout import Layout
from gdb_epi.errors import UNPARSABLE, Absent
from gdb_epi.typing_lite import NamedTuple

HEADER = 16  # bytes: magic number, flags, then mtime and size of the source, or its hash
HASHED, CHECKED = 1, 2  # flags (PEP 552)
MAX_OBJECTS = 4 << 20
MAX_DEPTH = 2000  # MAX_MARSHAL_STACK_DEPTH of r_object
_REF = 0x80  # FLAG_REF: later TYPE_REFs name this object by its number
_DIGIT = 15  # bits of a digit of TYPE_LONG

# What marshal writes of a code object: numbers, objects, and co_firstlineno in between.
_NUMBERS_38 = ("co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_nlocals",
               "co_stacksize", "co_flags")  # fmt: skip
_OBJECTS_38 = ("co_code", "co_consts", "co_names", "co_varnames", "co_freevars", "co_cellvars",
               "co_filename", "co_name")  # fmt: skip
# 3.11 (bpo-40222, bpo-44530): without co_nlocals; names of variables in one tuple.
_NUMBERS = tuple(name for name in _NUMBERS_38 if name != "co_nlocals")
_OBJECTS = ("co_code", "co_consts", "co_names", "co_localsplusnames", "co_localspluskinds",
            "co_filename", "co_name", "co_qualname")  # fmt: skip
_REFERENCE = ord("r")
_SHORT = b"zZ"  # strings of ASCII, plain and interned
_CODE, _TUPLE, _SMALL_TUPLE, _FROZENSET, _SLICE = b"c()>:"


class OpaqueConstant:
    """A constant that is not taken apart: a set, a slice."""


UNKNOWN = OpaqueConstant()
Value = object  # None, bool, int, float, complex, str, bytes, a tuple of these, Code or UNKNOWN


class PycHeader(NamedTuple):
    """The first 16 bytes; `mtime` and `size` of the source are None in a file with its hash."""

    magic: bytes
    flags: int
    mtime: int | None
    size: int | None
    hash: bytes | None


class MarshalledCode(NamedTuple):
    """A code object of the file: its members by CPython's names."""

    members: dict[str, Value]


class _CodeObjectFormat(NamedTuple):
    """The contents of a code object: numbers, objects, the first line, and tables."""

    numbers: tuple[str, ...]
    objects: tuple[str, ...]
    tables: tuple[str, ...]


class _UnfinishedMarshalObject:
    """A tuple, a set, a slice or a code object that is not read to its end."""

    __slots__ = ("items", "kind", "members", "ref", "wanted")

    def __init__(self, kind: int, wanted: int, ref: int) -> None:
        self.kind, self.wanted, self.ref = kind, wanted, ref
        self.items: list[Value] = []
        self.members: dict[str, Value] = {}


def read_pyc_header(content: bytes) -> PycHeader | None:
    """Return the header of a .pyc file; None for one that is too short."""
    if len(content) < HEADER:
        return None
    magic, flags, first, second = content[:4], *struct.unpack_from("<III", content, 4)
    if flags & HASHED:
        return PycHeader(magic, flags, None, None, content[8:HEADER])
    return PycHeader(magic, flags, first, second, None)


def read_code_objects(content: bytes, layout: Layout) -> list[MarshalledCode] | Absent:
    """Return all code objects of a .pyc file, inner ones before those that hold them.

    Absent when the file is damaged, or holds what no release up to 3.15 writes.
    """
    parser = _MarshalParser(content, _code_object_format_of_layout(layout))
    try:
        parser.parse()
    except (IndexError, ValueError, struct.error) as error:
        return Absent(UNPARSABLE, f"marshal data: {error} at byte {parser.at}")
    return parser.codes


def _code_object_format_of_layout(layout: Layout) -> _CodeObjectFormat:
    has = layout.document["structs"]["PyCodeObject"][1]
    if "co_localsplusnames" in has:  # 3.11
        return _CodeObjectFormat(_NUMBERS, _OBJECTS, ("co_linetable", "co_exceptiontable"))
    table = "co_linetable" if "co_linetable" in has else "co_lnotab"  # 3.10 (PEP 626)
    return _CodeObjectFormat(_NUMBERS_38, _OBJECTS_38, (table,))


class _MarshalParser:
    def __init__(self, data: bytes, form: _CodeObjectFormat) -> None:
        self.data, self.form = data, form
        self.at = HEADER
        self.codes: list[MarshalledCode] = []
        self._refs: list[Value] = []

    def parse(self) -> None:
        """Read the one object that the file holds."""
        data, refs, unpack = self.data, self._refs, struct.Struct("<I").unpack_from
        stack: list[_UnfinishedMarshalObject] = []
        value: Value
        for _ in range(MAX_OBJECTS):
            kind = data[self.at]
            self.at += 1
            ref = -1
            if kind & _REF:
                kind ^= _REF
                ref = len(refs)
                refs.append(UNKNOWN)  # in its place before the items' own
            plain = _PLAIN.get(kind)
            if kind == _REFERENCE:  # most objects, so without a call
                value = refs[unpack(data, self.at)[0]]
                self.at += 4
            elif kind in _SHORT:
                end = self.at + 1 + data[self.at]
                value = data[self.at + 1 : end].decode("ascii")
                self.at = end
            elif plain is not None:
                value = plain(self)
            else:
                opened = self._begin_object(kind, ref)
                if opened.wanted:
                    if len(stack) >= MAX_DEPTH:
                        raise ValueError(f"nested deeper than {MAX_DEPTH}")
                    stack.append(opened)
                    continue
                value = self._finish_object(opened)
            if ref >= 0:
                refs[ref] = value
            while stack:
                top = stack[-1]
                top.items.append(value)
                if top.kind == _CODE and len(top.items) == len(self.form.objects):
                    top.members["co_firstlineno"] = self.read_c_int()
                if len(top.items) < top.wanted:
                    break
                value = self._finish_object(stack.pop())
            if not stack:
                return
        raise ValueError(f"more than {MAX_OBJECTS} objects")

    def _begin_object(self, kind: int, ref: int) -> _UnfinishedMarshalObject:
        if kind == _CODE:
            opened = _UnfinishedMarshalObject(
                kind, len(self.form.objects) + len(self.form.tables), ref
            )
            for name in self.form.numbers:
                opened.members[name] = self.read_c_int()
            return opened
        if kind == _SMALL_TUPLE:
            return _UnfinishedMarshalObject(_TUPLE, self.read_bytes(1)[0], ref)
        if kind in (_TUPLE, _FROZENSET):
            return _UnfinishedMarshalObject(kind, self.read_count(), ref)
        if kind == _SLICE:
            return _UnfinishedMarshalObject(kind, 3, ref)
        raise ValueError(f"type {chr(kind)!r}")

    def _finish_object(self, opened: _UnfinishedMarshalObject) -> Value:
        value: Value = UNKNOWN
        if opened.kind == _TUPLE:
            value = tuple(opened.items)
        elif opened.kind == _CODE:
            names = (*self.form.objects, *self.form.tables)
            opened.members.update(zip(names, opened.items, strict=True))
            value = MarshalledCode(opened.members)
            self.codes.append(value)
        if opened.ref >= 0:
            self._refs[opened.ref] = value
        return value

    def read_bytes(self, size: int) -> bytes:
        """Return the next bytes."""
        at = self.at
        self.at = end = at + size
        if end > len(self.data):
            raise ValueError("cut off")
        return self.data[at:end]

    def read_c_int(self) -> int:
        """Return a C int."""
        return int.from_bytes(self.read_bytes(4), "little", signed=True)

    def read_count(self) -> int:
        """Return how many follow, which is not more than there are bytes left."""
        count = self.read_c_int()
        if not 0 <= count <= len(self.data):
            raise ValueError(f"a length of {count}")
        return count

    def read_long(self) -> int:
        """Return an int of 15-bit digits."""
        count = self.read_c_int()
        raw = self.read_bytes(2 * abs(count))
        value = 0
        for digit in reversed(struct.unpack(f"<{abs(count)}H", raw)):
            value = value << _DIGIT | digit
        return -value if count < 0 else value


_PLAIN: Mapping[int, Callable[[_MarshalParser], Value]] = {
    ord("N"): lambda _: None,
    ord("T"): lambda _: True,
    ord("F"): lambda _: False,
    ord("."): lambda _: ...,
    ord("i"): _MarshalParser.read_c_int,
    ord("l"): _MarshalParser.read_long,
    ord("g"): lambda parser: struct.unpack("<d", parser.read_bytes(8))[0],
    ord("y"): lambda parser: complex(*struct.unpack("<dd", parser.read_bytes(16))),
    ord("s"): lambda parser: parser.read_bytes(parser.read_count()),
    ord("a"): lambda parser: parser.read_bytes(parser.read_count()).decode("ascii"),
    ord("A"): lambda parser: parser.read_bytes(parser.read_count()).decode("ascii"),
    ord("u"): lambda parser: parser.read_bytes(parser.read_count()).decode(
        "utf-8", "surrogatepass"
    ),
    ord("t"): lambda parser: parser.read_bytes(parser.read_count()).decode(
        "utf-8", "surrogatepass"
    ),
}  # those without items

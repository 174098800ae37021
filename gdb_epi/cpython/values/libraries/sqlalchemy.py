# SPDX-License-Identifier: Apache-2.0
"""Rows and URLs of SQLAlchemy."""

from __future__ import annotations

from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes_repr
from gdb_epi.errors import UnreadableMemory

_BASES = ("BaseRow",)
_MAX_WORDS = 6
MAX_SHOWN = 299  # characters of one value that _repr_row shows whole


def _row_values(decoder: ReprDecoder, obj: Obj) -> int:
    """Return the tuple of a row's values (PyObject *).

    The pure-Python BaseRow has it as an attribute. That of C (1.4) and Cython (2.0) has a struct of
    PyObject pointers: among them is one tuple.
    """
    try:
        held = decoder.attribute(obj.address, "_data")
        if decoder.ident(held) == "tuple":
            return held
    except Undecodable:
        pass
    base = next((t for t in obj.lineage.types if t.name in _BASES), obj.lineage.root)
    tuples = []
    for index in range(min(_MAX_WORDS, (base.basicsize - 16) // 8)):
        try:
            word = decoder.word(obj, index)
            if decoder.ident(word) == "tuple":
                tuples.append(word)
        except (UnreadableMemory, Undecodable):
            continue
    if len(tuples) != 1:
        raise Undecodable("its values are not to be found")
    return tuples[0]


@decodes_repr(("sqlalchemy.engine.row", "Row.__repr__"), in_itself="(...)")
def row(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what Row.__repr__ does: sql_util._repr_row, which is a tuple's repr for short rows."""
    held = decoder.obj(_row_values(decoder, obj))
    values = decoder.tuple_items(held.address)
    try:
        names = _column_names(decoder, obj, len(values))
    except (Undecodable, UnreadableMemory):
        names = [""] * len(values)
    texts = [decoder.repr_of_named(name, at) for name, at in zip(names, values, strict=True)]
    if any(len(text) > MAX_SHOWN for text in texts):
        decoder.mark_inexact()  # it cuts long values in the middle
    inside = decoder.join_text(
        texts, decoder.signed_field(held.address, "PyTupleObject", "ob_size")
    )
    return f"({inside},)" if len(values) == 1 else f"({inside})"


@decodes_repr(("sqlalchemy.engine.row", "RowMapping.__repr__"), in_itself="{...}")
def row_mapping(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what RowMapping.__repr__ does: show it as a dict, by the names of its columns."""
    values = decoder.tuple_items(_row_values(decoder, obj))
    names = _column_names(decoder, obj, len(values))
    pairs = zip(names, values, strict=True)
    texts = (f"{name!r}: {decoder.repr_of_named(name, at)}" for name, at in pairs)
    return "{" + decoder.join_text(texts, len(names)) + "}"


def _column_names(decoder: ReprDecoder, obj: Obj, count: int) -> list[str]:
    """Return the names of a row's columns."""
    # The names of columns: RMKeyView holds the list of them.
    keys = decoder.attribute(_row_metadata(decoder, obj), "_keys")
    if decoder.ident(keys) not in ("list", "tuple"):
        keys = decoder.attribute(keys, "_keys")
    kind = decoder.ident(keys)
    if kind not in ("list", "tuple"):
        raise Undecodable("its names are no list")
    names = [
        decoder.string(name)
        for name in decoder.read_object_pointers(*decoder.array_range(keys, kind), "names")
    ]
    if len(names) != count:
        raise Undecodable("other names than values")
    return names


def _row_metadata(decoder: ReprDecoder, obj: Obj) -> int:
    """Return the result's metadata that a row refers to."""
    try:
        return decoder.attribute(obj.address, "_parent")
    except Undecodable:
        pass
    for index in range(_MAX_WORDS):
        try:
            word = decoder.word(obj, index)
            if decoder.obj(word).type.name.endswith("ResultMetaData"):
                return word
        except (UnreadableMemory, Undecodable):
            continue
    raise Undecodable("its result is not to be found")


@decodes_repr(("sqlalchemy.engine.url", "URL.__repr__"))
def url(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what URL.__repr__ does: a password is always `***`."""
    from urllib.parse import quote

    parts = decoder.tuple_items(obj.address)
    if len(parts) != 7:
        raise Undecodable("a URL of another release")
    texts = [None if decoder.is_none(part) else part for part in parts]
    driver, user, _, host, port, base, query = texts
    text = f"{decoder.string(driver or 0)}://"
    if user is not None:
        text += quote(decoder.string(user), safe=" +")
        text += ":***@" if texts[2] is not None else "@"
    if host is not None:
        name = decoder.string(host)
        text += f"[{name}]" if ":" in name else name
    if port is not None:
        text += f":{decoder.repr_of(port)}"
    if base is not None:
        text += f"/{decoder.string(base)}"
    is_dict = query is not None and any(t.name == "dict" for t in decoder.obj(query).lineage.types)
    if query is not None and (not is_dict or decoder.field(query, "PyDictObject", "ma_used")):
        decoder.mark_inexact()
        text += "?..."
    return text

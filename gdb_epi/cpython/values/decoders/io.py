# SPDX-License-Identifier: Apache-2.0
"""Files and streams: io."""

from __future__ import annotations

from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes

MAX_STREAMS = 8  # streams that wrap streams
_BUFFERED = ("_io.BufferedReader", "_io.BufferedWriter", "_io.BufferedRandom")


def _own_attribute(decoder: ReprDecoder, address: int, name: str) -> int | None:
    for key, value in decoder.context.attributes(address):
        if key == name:
            return value
    return None


def _type_name_since_313(decoder: ReprDecoder, obj: Obj, fixed: str) -> str:
    """Return the name in a repr: the type's own since 3.13, a fixed one before."""
    newer = decoder.layout.offset("ThreadHandle", "state") is not None
    return decoder.type_name(obj) if newer else fixed


@decodes("_io.FileIO")
def file_io(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a FileIO."""
    reader = decoder.reader
    number = reader.field32(obj.address, "fileio", "fd")
    shown = _type_name_since_313(decoder, obj, "_io.FileIO")
    if number >> 31:
        return f"<{shown} [closed]>"
    names = ("created", "readable", "writable", "appending", "closefd")
    is_ = {name: decoder.bit_field(obj.address, "fileio", name) for name in names}
    if is_["created"]:
        mode = "xb+" if is_["readable"] else "xb"
    elif is_["appending"]:
        mode = "ab+" if is_["readable"] else "ab"
    elif is_["readable"]:
        mode = "rb+" if is_["writable"] else "rb"
    else:
        mode = "wb"
    name = _own_attribute(decoder, obj.address, "name")
    who = f"fd={number}" if name is None else f"name={decoder.repr_of(name)}"
    return f"<{shown} {who} mode='{mode}' closefd={bool(is_['closefd'])}>"


def _stream_name(decoder: ReprDecoder, address: int) -> int | None:
    """Return what `.name` of a stream gives: its own, or that of the stream inside."""
    for _ in range(MAX_STREAMS):
        obj = decoder.obj(address)
        own = _own_attribute(decoder, address, "name")
        kind = obj.lineage.ident
        if own is not None or kind == "_io.FileIO":
            return own
        if kind in _BUFFERED:
            address = decoder.field(address, "buffered", "raw")
        elif kind == "_io.TextIOWrapper":
            address = decoder.field(address, "textio", "buffer")
        elif kind in ("_io.BytesIO", "_io.StringIO"):
            return None
        else:
            decoder.mark_inexact()  # its `name` is a property written in Python
            return None
        if not address:
            return None
    raise Undecodable("streams in streams without an end")


@decodes(*_BUFFERED)
def buffered(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a buffered stream."""
    name = _stream_name(decoder, obj.address)
    rest = "" if name is None else f" name={decoder.repr_of(name)}"
    return f"<{decoder.type_name(obj)}{rest}>"


@decodes("_io.TextIOWrapper")
def text_io(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a text stream."""
    encoding = decoder.field(obj.address, "textio", "encoding")
    if decoder.reader.u32(obj.address + decoder.offset("textio", "ok")) != 1:
        raise Undecodable("it was never initialized")
    name, mode = _stream_name(decoder, obj.address), _own_attribute(decoder, obj.address, "mode")
    text = "" if name is None else f" name={decoder.repr_of(name)}"
    text += "" if mode is None else f" mode={decoder.repr_of(mode)}"
    shown = _type_name_since_313(decoder, obj, "_io.TextIOWrapper")
    return f"<{shown}{text} encoding={decoder.repr_of(encoding)}>"

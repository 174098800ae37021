# SPDX-License-Identifier: Apache-2.0
"""Files, streams and buffers: `io`, memoryview, mmap, socket."""

from __future__ import annotations

import struct

from gdb_epi.cpython.values.attributes import attribute, attributes
from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes, decodes_repr
from gdb_epi.errors import Absent

MAX_DIMENSIONS = 64  # PyBUF_MAX_NDIM
MAX_STREAMS = 8  # streams that wrap streams
_BUFFERED = ("_io.BufferedReader", "_io.BufferedWriter", "_io.BufferedRandom")
# By the words of the struct: in which word `access` is, and from which bit on.
_ACCESS_AT = {7: (5, 32), 8: (6, 0), 9: (6, 32)}
_MMAP_ACCESS = ("ACCESS_DEFAULT", "ACCESS_READ", "ACCESS_WRITE", "ACCESS_COPY")


def _own(decoder: ReprDecoder, address: int, name: str) -> int | None:
    for key, value in attributes(decoder, address):
        if key == name:
            return value
    return None


def _by_class(decoder: ReprDecoder, found: Obj, fixed: str) -> str:
    """Return the name in a repr: the type's own since 3.13, a fixed one before."""
    newer = decoder.layout.offset("ThreadHandle", "state") is not None
    return decoder.type_name(found) if newer else fixed


@decodes("_io.FileIO")
def file_io(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a FileIO."""
    layout, reader = decoder.layout, decoder.reader
    number = reader.u32(found.address + layout.require("fileio", "fd"))
    shown = _by_class(decoder, found, "_io.FileIO")
    if number >> 31:
        return f"<{shown} [closed]>"
    names = ("created", "readable", "writable", "appending", "closefd")
    is_ = {name: _flag(decoder, found.address, "fileio", name) for name in names}
    if is_["created"]:
        mode = "xb+" if is_["readable"] else "xb"
    elif is_["appending"]:
        mode = "ab+" if is_["readable"] else "ab"
    elif is_["readable"]:
        mode = "rb+" if is_["writable"] else "rb"
    else:
        mode = "wb"
    name = _own(decoder, found.address, "name")
    who = f"fd={number}" if name is None else f"name={decoder.show(name)}"
    return f"<{shown} {who} mode='{mode}' closefd={bool(is_['closefd'])}>"


def _flag(decoder: ReprDecoder, address: int, kind: str, name: str) -> int:
    """Return a member of a few bits."""
    member = decoder.layout.find(kind, name)
    if member is None:
        raise Undecodable(f"the layout has no {kind}.{name}")
    word = int.from_bytes(decoder.reader.read(address + member.offset, member.size), "little")
    return word >> member.bit_offset & ((1 << member.bit_size) - 1) if member.bit_size else word


def _name(decoder: ReprDecoder, address: int) -> int | None:
    """Return what `.name` of a stream gives: its own, or that of the stream inside."""
    for _ in range(MAX_STREAMS):
        found = decoder.obj(address)
        own = _own(decoder, address, "name")
        kind = found.lineage.ident
        if own is not None or kind == "_io.FileIO":
            return own
        if kind in _BUFFERED:
            address = decoder.field(address, "buffered", "raw")
        elif kind == "_io.TextIOWrapper":
            address = decoder.field(address, "textio", "buffer")
        elif kind in ("_io.BytesIO", "_io.StringIO"):
            return None
        else:
            decoder.inexact()  # its `name` is a property written in Python
            return None
        if not address:
            return None
    raise Undecodable("streams in streams without an end")


@decodes(*_BUFFERED)
def buffered(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a buffered stream."""
    name = _name(decoder, found.address)
    rest = "" if name is None else f" name={decoder.show(name)}"
    return f"<{decoder.type_name(found)}{rest}>"


@decodes("_io.TextIOWrapper")
def text_io(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a text stream."""
    encoding = decoder.field(found.address, "textio", "encoding")
    if decoder.reader.u32(found.address + decoder.context.offset("textio", "ok")) != 1:
        raise Undecodable("it was never initialized")
    name, mode = _name(decoder, found.address), _own(decoder, found.address, "mode")
    text = "" if name is None else f" name={decoder.show(name)}"
    text += "" if mode is None else f" mode={decoder.show(mode)}"
    shown = _by_class(decoder, found, "_io.TextIOWrapper")
    return f"<{shown}{text} encoding={decoder.show(encoding)}>"


@decodes("memoryview")
def memory_view(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a memoryview: released or not; its format and shape stand beside it."""
    address, reader = found.address, decoder.reader
    flags = reader.u32(address + decoder.context.offset("PyMemoryViewObject", "flags"))
    if flags & 1:
        return f"<released memory at {address:#x}>"
    count = reader.u32(address + decoder.context.offset("PyMemoryViewObject", "view.ndim"))
    if count > MAX_DIMENSIONS:
        raise Undecodable(f"a memoryview of {count} dimensions")
    form = reader.c_string(decoder.field(address, "PyMemoryViewObject", "view.format"), 64)
    size = decoder.signed(address, "PyMemoryViewObject", "view.itemsize")
    shape_at = decoder.field(address, "PyMemoryViewObject", "view.shape")
    shape = struct.unpack(f"<{count}q", reader.read(shape_at, 8 * count)) if count else ()
    decoder.note("format", "?" if isinstance(form, Absent) else repr(form))
    decoder.note("itemsize", str(size))
    decoder.note("shape", repr(shape))
    return f"<memory at {address:#x}>"


@decodes("mmap.mmap")
def memory_map(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a mmap: data, size, pos, offset, exports, fd, access (Modules/mmapmodule.c).

    3.13 (gh-78502) put trackfd between the last two, 3.14 flags behind that; each makes the struct
    one word longer.
    """
    data, size, position, offset = (decoder.word(found, index) for index in range(4))
    shown = decoder.type_name(found)
    if not data:
        return f"<{shown} closed=True>"
    words = (found.lineage.root.basicsize - (decoder.layout.size("PyObject") or 0)) // 8
    place = _ACCESS_AT.get(words)
    if place is None:
        raise Undecodable("a struct of unknown shape")
    access = decoder.word(found, place[0]) >> place[1] & 0xFFFFFFFF
    if access >= len(_MMAP_ACCESS):
        raise Undecodable(f"an access of {access}")
    rest = f"length={size}, pos={position}, offset={offset}"
    return f"<{shown} closed=False, access={_MMAP_ACCESS[access]}, {rest}>"


@decodes_repr(("socket", "socket.__repr__"))
def socket(decoder: ReprDecoder, found: Obj) -> str:
    """Do what socket.__repr__ does; only the kernel knew the addresses of an open one.

    _socket.socket is sock_fd, sock_family, sock_type, sock_proto (Modules/socketmodule.h).
    """
    first, second = decoder.word(found, 0), decoder.word(found, 1)
    parts = [first & 0xFFFFFFFF, first >> 32, second & 0xFFFFFFFF, second >> 32]
    number, family, kind, protocol = (p - (1 << 32) if p >> 31 else p for p in parts)
    closed = decoder.show(attribute(decoder, found.address, "_closed")) == "True"
    if not closed:
        decoder.inexact()
    state = " [closed]" if closed else ""
    name = f"{found.type.module}.{found.type.qualname}"
    names = [str(family), str(kind)]
    if decoder.layout.offset("PyCodeObject", "co_qualname") is None:
        # Up to 3.10 the members of its enumerations showed their names.
        names = [_enum_name(decoder, "AddressFamily", family)]
        names.append(_enum_name(decoder, "SocketKind", kind))
    return f"<{name}{state} fd={number}, family={names[0]}, type={names[1]}, proto={protocol}>"


def _enum_name(decoder: ReprDecoder, name: str, value: int) -> str:
    """Return what str() of a member of an enumeration of `socket` gave up to 3.10."""
    contents = decoder.context.types.module_dict("socket")
    kind = decoder.context.objects.dict_get(contents, name) if contents else 0
    if not kind or isinstance(kind, Absent):
        raise Undecodable(f"socket.{name} is not to be found")
    held = decoder.context.types.lookup(decoder.context.types.at(kind), "_value2member_map_")
    for key, member in decoder.context.objects.dict_items(held[1]) if held else ():
        if decoder.context.objects.integer(key) == value:
            return f"{name}.{decoder.string(attribute(decoder, member, '_name_'))}"
    return str(value)

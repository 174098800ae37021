# SPDX-License-Identifier: Apache-2.0
"""Exceptions and exception groups; the entries of traceback's summaries."""

from __future__ import annotations

from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes, decodes_repr


@decodes("BaseException", in_itself="...")
def exception(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode an exception: its class and arguments."""
    args = decoder.field(obj.address, "PyBaseExceptionObject", "args")
    shown = decoder.obj(args)
    if shown.lineage.ident != "tuple":
        raise Undecodable("its arguments are no tuple")
    if not obj.type.name:
        raise Undecodable("its type has no name")
    text = decoder.repr_of(args)
    # A single argument is shown without the comma of a 1-tuple.
    return obj.type.name + (text[:-2] + ")" if text.endswith(",)") else text)


@decodes("ImportError")
def import_error(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode an ImportError; 3.15 gave it a repr that shows its name and path, too."""
    text = exception(decoder, obj)
    extra = ""
    for name in ("name", "path"):
        value = decoder.field(obj.address, "PyImportErrorObject", name)
        if value and not decoder.is_none(value):
            extra += f", {name}={decoder.repr_of(value)}"
    inside = text[:-1] + extra if not text.endswith("()") else text[:-1] + extra[2:]
    return f"{inside})"


@decodes("BaseExceptionGroup", in_itself="...")
def exception_group(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a group; newer releases show the exceptions that it holds, whatever args became."""
    struct = "PyBaseExceptionGroupObject"
    message = decoder.field(obj.address, struct, "msg")
    args = decoder.field(obj.address, "PyBaseExceptionObject", "args")
    start = args + decoder.offset("PyTupleObject", "ob_item")
    if (
        decoder.ident(args) != "tuple"
        or decoder.signed_field(args, "PyTupleObject", "ob_size") != 2
    ):
        raise Undecodable("its arguments are no pair")
    held_type = decoder.ident(decoder.reader.u64(start + 8))
    held = decoder.field(obj.address, struct, "excs")
    if held_type not in ("list", "tuple") or decoder.ident(held) != "tuple":
        raise Undecodable("its exceptions are of a shape that is not known")
    shown = decoder.repr_of(held)
    if held_type == "list":
        shown = f"[{shown[1:-1].removesuffix(',')}]"
    return f"{decoder.class_name(obj)}({decoder.repr_of(message)}, {shown})"


@decodes_repr(("traceback", "FrameSummary.__repr__"))
def frame_summary(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what FrameSummary.__repr__ does."""
    file, name = (
        decoder.string(decoder.attribute(obj.address, key)) for key in ("filename", "name")
    )
    line = decoder.attribute_text(obj.address, "lineno")
    return f"<FrameSummary file {file}, line {line} in {name}>"

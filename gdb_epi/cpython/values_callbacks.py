# SPDX-License-Identifier: Apache-2.0
"""How asyncio shows callbacks: Lib/asyncio/format_helpers.py (3.8 to 3.15)."""

from __future__ import annotations

from gdb_epi.cpython.values_core import Obj, Painter, Undecodable
from gdb_epi.cpython.values_machinery import tuple_items
from gdb_epi.cpython.values_short import short
from gdb_epi.errors import Absent

MAX_PARTIALS = 20  # partial() of partial()
MAX_WRAPPED = 20  # __wrapped__ of __wrapped__


def callback_source(painter: Painter, address: int, args: int = 0) -> str:
    """Do what _format_callback_source() does; `args` is a tuple or 0 for none."""
    text = _format_callback(painter, address, args)
    source = _source(painter, address)
    return f"{text} at {source}" if source else text


def _format_callback(painter: Painter, address: int, args: int) -> str:
    suffix, words = "", 0
    for _ in range(MAX_PARTIALS):
        found = painter.obj(address)
        if found.lineage.ident != "functools.partial":
            name = qualname(painter, found) or painter.show(address)
            return name + _arguments(painter, args, words) + suffix
        suffix = _arguments(painter, args, words) + suffix
        args, words = (painter.field(address, "partialobject", n) for n in ("args", "kw"))
        address = painter.field(address, "partialobject", "fn")
    raise Undecodable("partials of partials without an end")


def _arguments(painter: Painter, args: int, words: int) -> str:
    # Newer releases show them in debug mode only; asyncio itself tells which it is.
    if _hides_arguments(painter):
        return "()"
    texts = [short(painter, at) for at in tuple_items(painter, args)] if args else []
    if words:
        pairs = painter.world.objects.dict_items(words)
        texts += [f"{painter.string(key)}={short(painter, value)}" for key, value in pairs]
    return f"({', '.join(texts)})"


def _hides_arguments(painter: Painter) -> bool:
    """Tell whether asyncio's own function takes `debug`, without which no arguments are shown."""
    known = painter.world.facts
    if "asyncio hides arguments" not in known:
        known["asyncio hides arguments"] = _takes_debug(painter)
    return known["asyncio hides arguments"]


def _takes_debug(painter: Painter) -> bool:
    contents = painter.world.types.module_dict("asyncio.format_helpers")
    get = painter.world.objects.dict_get
    function = get(contents, "_format_args_and_kwargs") if contents else 0
    if not function or isinstance(function, Absent) or painter.ident(function) != "function":
        raise Undecodable("asyncio.format_helpers is not to be found")
    code = painter.field(function, "PyFunctionObject", "func_code")
    at = painter.layout.require("PyCodeObject", "co_kwonlyargcount")
    return painter.reader.u32(code + at) > 0


def qualname(painter: Painter, found: Obj) -> str:
    """Return `__qualname__` of something that can be called; "" when it has none."""
    kind, address = found.lineage.ident, found.address
    if kind == "method":
        address = painter.field(address, "PyMethodObject", "im_func")
        kind = painter.ident(address)
    if kind == "function":
        return painter.string(painter.field(address, "PyFunctionObject", "func_qualname"))
    if kind == "type":
        return painter.world.types.at(address).qualname
    if kind == "builtin_function_or_method":
        definition = painter.field(address, "PyCFunctionObject", "m_ml")
        name = painter.reader.c_string(painter.field(definition, "PyMethodDef", "ml_name"), 4096)
        if isinstance(name, Absent):
            raise Undecodable(f"the name of a callback: {name.detail}")
        bound = painter.field(address, "PyCFunctionObject", "m_self")
        if not bound or painter.ident(bound) == "module":
            return name
        owner = painter.obj(bound)
        of = painter.world.types.at(bound) if owner.lineage.ident == "type" else owner.type
        return f"{of.qualname}.{name}"
    if found.type.python_class:
        painter.inexact()  # an instance may have one of its own
    return ""


def _source(painter: Painter, address: int) -> str:
    """Do what _get_function_source() does."""
    for _ in range(MAX_PARTIALS + MAX_WRAPPED):
        found = painter.obj(address)
        kind = found.lineage.ident
        if kind == "functools.partial":
            address = painter.field(address, "partialobject", "fn")
            continue
        if kind == "method":  # unwrap() looks for __wrapped__ through a method as well
            inner = painter.field(address, "PyMethodObject", "im_func")
            wrapped = painter.world.objects.attribute(inner, "__wrapped__")
            if isinstance(wrapped, Absent):
                return ""
            address = wrapped
            continue
        if kind != "function":
            return ""
        wrapped = painter.world.objects.attribute(address, "__wrapped__")
        if isinstance(wrapped, Absent):
            return place(painter, painter.field(address, "PyFunctionObject", "func_code"))
        address = wrapped
    raise Undecodable("wrappers of wrappers without an end")


def place(painter: Painter, code: int) -> str:
    """Return file and first line of a code object."""
    file = painter.string(painter.field(code, "PyCodeObject", "co_filename"))
    line = painter.reader.u32(code + painter.layout.require("PyCodeObject", "co_firstlineno"))
    return f"{file}:{line}"

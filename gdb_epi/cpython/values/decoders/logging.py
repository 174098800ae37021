# SPDX-License-Identifier: Apache-2.0
"""Loggers and handlers of logging."""

from __future__ import annotations

from gdb_epi.cpython.values.decoders.builtin_scalars import read_int
from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes_repr
from gdb_epi.errors import Absent

MAX_LOGGERS = 200  # ancestors of one logger


@decodes_repr(("logging", "Logger.__repr__"))
def logger(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what Logger.__repr__ does: the level is its own or that of an ancestor."""
    at, level = obj.address, 0
    for _ in range(MAX_LOGGERS):
        level = read_int(decoder, decoder.attribute(at, "level"))
        above = decoder.attribute(at, "parent")
        if level or decoder.is_none(above):
            break
        at = above
    else:
        raise Undecodable("its ancestors do not end")
    name = decoder.string(decoder.attribute(obj.address, "name"))
    return f"<{decoder.class_name(obj)} {name} ({_level_name(decoder, obj, level)})>"


@decodes_repr(("logging", "Handler.__repr__"))
def handler(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what Handler.__repr__ does."""
    level = _level_name(decoder, obj, read_int(decoder, decoder.attribute(obj.address, "level")))
    return f"<{decoder.class_name(obj)} ({level})>"


def _level_name(decoder: ReprDecoder, obj: Obj, value: int) -> str:
    """Do what logging.getLevelName() does."""
    names = find_visible_global(decoder, obj, "_levelToName")
    for key, name in decoder.objects.dict_items(names):
        if decoder.ident(key) == "int" and read_int(decoder, key) == value:
            return decoder.string(name)
    return f"Level {value}"


def find_visible_global(decoder: ReprDecoder, obj: Obj, name: str) -> int:
    """Return a global that the __repr__ of an object sees. Raises Undecodable."""
    own = decoder.types.lookup(obj.type, "__repr__")
    if own is None or decoder.ident(own[1]) != "function":
        raise Undecodable("its __repr__ is no function")
    names = decoder.field(own[1], "PyFunctionObject", "func_globals")
    value = decoder.objects.dict_get(names, name)
    if isinstance(value, Absent):
        raise Undecodable(f"no global {name}")
    return value

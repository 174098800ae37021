# SPDX-License-Identifier: Apache-2.0
"""Frames, weak references, descriptors, operators, context variables, regular expressions.

Fields that no layout table has come from tp_members of the very type, or, where it declares none,
by their place in the struct, which is the same from 3.8 to 3.15; each decoder names its source.
"""

from __future__ import annotations

from gdb_epi.cpython.values.attributes import attributes
from gdb_epi.cpython.values.core import Obj, Painter, Undecodable, decodes
from gdb_epi.errors import Absent

MAX_SHOWN_PATTERN = 200  # characters, Modules/_sre: pattern_repr
MAX_SHOWN_MATCH = 50
# Lib/re/_constants.py; in the order in which pattern_repr() names them.
_FLAG_NAMES = (
    (1, "re.TEMPLATE"),
    (2, "re.IGNORECASE"),
    (4, "re.LOCALE"),
    (8, "re.MULTILINE"),
    (16, "re.DOTALL"),
    (64, "re.VERBOSE"),
    (128, "re.DEBUG"),
    (256, "re.ASCII"),
)
_UNICODE = 32


@decodes("frame")
def frame(painter: Painter, found: Obj) -> str:
    """Decode a frame object; since 3.11 (bpo-44590) it points to what it is about."""
    at = painter.layout.offset("PyFrameObject", "f_frame")
    address = painter.reader.u64(found.address + at) if at is not None else found.address
    shown = painter.world.coroutines.frame(address)
    where = f"file {shown.filename!r}, line {shown.lineno}, code {shown.name}"
    if shown.lineno is None:
        painter.inexact()
    return f"<frame at {found.address:#x}, {where}>"


@decodes("generator", "coroutine", "async_generator")
def generator(painter: Painter, found: Obj) -> str:
    """Decode a generator, coroutine or async generator; the three share their layout.

    Beside it stand its state and where it is suspended.
    """
    name = painter.string(painter.field(found.address, "PyGenObject", "gi_qualname"))
    state, at = painter.world.coroutines.where(found.address)
    painter.note("state", state)
    if at is not None:
        painter.note("at", f"{at.filename}:{at.lineno or '?'}")
    return f"<{found.lineage.ident} object {name} at {found.address:#x}>"


def name_of(painter: Painter, found: Obj) -> str | None:
    """Return `__name__` of an object as getattr() finds it; None when it has none."""
    kind = found.lineage.ident
    if kind == "type":
        return painter.world.types.at(found.address).name
    if kind in ("function", "generator", "coroutine"):
        member = ("PyFunctionObject", "func_name")
        struct = member if kind == "function" else ("PyGenObject", "gi_name")
        return painter.string(painter.field(found.address, *struct))
    if kind == "method":
        inner = painter.obj(painter.field(found.address, *_METHOD))
        return name_of(painter, inner) if inner.lineage.ident != "method" else None
    if kind == "builtin_function_or_method":
        definition = painter.field(found.address, "PyCFunctionObject", "m_ml")
        text = painter.reader.c_string(painter.field(definition, "PyMethodDef", "ml_name"), 4096)
        return None if isinstance(text, Absent) else text
    if kind == "module":
        contents = painter.field(found.address, "PyModuleObject", "md_dict")
        value = painter.world.objects.dict_get(contents, "__name__")
        return None if isinstance(value, Absent) else _text_or_none(painter, value)
    for key, value in attributes(painter, found.address):
        if key == "__name__":
            return _text_or_none(painter, value)
    inherited = painter.world.types.lookup(found.type, "__name__")
    return _text_or_none(painter, inherited[1]) if inherited is not None else None


_METHOD = ("PyMethodObject", "im_func")


def _text_or_none(painter: Painter, address: int) -> str | None:
    return painter.string(address) if painter.ident(address) == "str" else None


@decodes("weakref", "weakref.ReferenceType")
def weak_reference(painter: Painter, found: Obj) -> str:
    """Decode a weak reference: dead, or what it refers to and that one's `__name__`."""
    at = painter.field(found.address, "PyWeakReference", "wr_object")
    if not at or painter.ident(at) == "NoneType":
        return f"<weakref at {found.address:#x}; dead>"
    held = painter.obj(at)
    name = name_of(painter, held)
    kind = painter.type_name(held)
    return f"<weakref at {found.address:#x}; to '{kind}' at {at:#x}{f' ({name})' if name else ''}>"


@decodes("itertools.count")
def count(painter: Painter, found: Obj) -> str:
    """Decode itertools.count: cnt, long_cnt, long_step (Modules/itertoolsmodule.c)."""
    now, large, step = painter.number(found, 0), painter.word(found, 1), painter.word(found, 2)
    shown = painter.show(large) if large and now == (1 << 63) - 1 else str(now)
    by = painter.show(step)
    return (
        f"{_short(painter, found)}({shown})"
        if by == "1"
        else (f"{_short(painter, found)}({shown}, {by})")
    )


def _short(painter: Painter, found: Obj) -> str:
    return painter.type_name(found).rpartition(".")[2]


@decodes("itertools.repeat")
def repeat(painter: Painter, found: Obj) -> str:
    """Decode itertools.repeat: element, cnt (Modules/itertoolsmodule.c)."""
    left = painter.number(found, 1)
    inside = painter.show(painter.word(found, 0)) + (f", {left}" if left != -1 else "")
    return f"{_short(painter, found)}({inside})"


@decodes("operator.itemgetter", "operator.attrgetter")
def getter(painter: Painter, found: Obj) -> str:
    """Decode the getters: their number, then the item or a tuple (Modules/_operator.c)."""
    number, held = painter.number(found, 0), painter.word(found, 1)
    if not painter.enter(found.address):
        return f"{painter.type_name(found)}(...)"
    try:
        by_attribute = found.lineage.ident.endswith("attrgetter")
        if by_attribute:
            texts = [repr(_dotted(painter, at)) for at in tuple_items(painter, held)]
            inside = ", ".join(texts)
        elif number == 1:
            inside = painter.show(held)
        else:
            inside = painter.show(held)[1:-1]
    finally:
        painter.leave(found.address)
    return f"{painter.type_name(found)}({inside})"


def _dotted(painter: Painter, address: int) -> str:
    """Return an attribute as it was given: a str, or a tuple of the parts between its dots."""
    if painter.ident(address) == "str":
        return painter.string(address)
    return ".".join(painter.string(part) for part in tuple_items(painter, address))


def tuple_items(painter: Painter, address: int) -> list[int]:
    """Return the items of a tuple, as far as the width allows. Raises Undecodable."""
    if painter.ident(address) != "tuple":
        raise Undecodable("not a tuple")
    number = painter.signed(address, "PyTupleObject", "ob_size")
    start = address + painter.world.offset("PyTupleObject", "ob_item")
    return painter.items(start, number, "tuple items")


@decodes("operator.methodcaller")
def method_caller(painter: Painter, found: Obj) -> str:
    """Decode a methodcaller: name, args, kwds (Modules/_operator.c).

    3.13 alone keeps the name among the arguments, too.
    """
    name, args, words = (painter.word(found, index) for index in range(3))
    texts = [painter.show(name)]
    held = tuple_items(painter, args)
    newer = painter.layout.offset("ThreadHandle", "state") is not None
    has_name = newer and painter.layout.offset("_PyInterpreterFrame", "stackpointer") is None
    texts += [painter.show(at) for at in (held[1:] if has_name else held)]
    if words and painter.ident(words) == "dict":
        texts += [
            f"{painter.string(key)}={painter.show(value)}"
            for key, value in painter.world.objects.dict_items(words)
        ]
    elif words and newer:
        raise Undecodable("keywords of a shape that is not known")
    return f"{painter.type_name(found)}({', '.join(texts)})"


@decodes("classmethod", "staticmethod")
def wrapped_function(painter: Painter, found: Obj) -> str:
    """Decode what classmethod() and staticmethod() make: cm_callable (Objects/funcobject.c).

    Their repr() names the built-in type, also of a subclass (3.10).
    """
    return f"<{found.lineage.ident}({painter.show(painter.word(found, 0))})>"


@decodes("method-wrapper")
def method_wrapper(painter: Painter, found: Obj) -> str:
    """Decode a method-wrapper: descr, self (Objects/descrobject.c, wrapperobject)."""
    descriptor, bound = painter.word(found, 0), painter.word(found, 1)
    name = painter.string(painter.field(descriptor, "PyMemberDescrObject", "d_common.d_name"))
    kind = painter.type_name(painter.obj(bound))
    return f"<method-wrapper '{name}' of {kind} object at {bound:#x}>"


@decodes("classmethod_descriptor")
def class_method_descriptor(painter: Painter, found: Obj) -> str:
    """Decode the descriptor of a C type's class method."""
    name = painter.string(painter.field(found.address, "PyMemberDescrObject", "d_common.d_name"))
    owner = painter.field(found.address, "PyMemberDescrObject", "d_common.d_type")
    kind = painter.world.types.at(owner).full_name
    if not kind:
        raise Undecodable("its type has no name")
    return f"<method '{name}' of '{kind}' objects>"


@decodes("super")
def super_(painter: Painter, found: Obj) -> str:
    """Decode super(): type, obj, obj_type (Objects/typeobject.c)."""
    kind, _bound, of = (painter.word(found, index) for index in range(3))
    name = painter.world.types.at(kind).full_name if kind else "NULL"
    if of:
        return f"<super: <class '{name}'>, <{painter.world.types.at(of).full_name} object>>"
    return f"<super: <class '{name}'>, NULL>"


@decodes("_struct.Struct")
def structure(painter: Painter, found: Obj) -> str:
    """Decode a Struct: s_size, s_len, s_codes, s_format (Modules/_struct.c); object's to 3.12.

    The format was bytes up to 3.14.
    """
    form = painter.word(found, 3)
    kind = painter.ident(form)
    if kind not in ("bytes", "str"):
        raise Undecodable("it has no format")
    return f"{painter.class_name(found)}({painter.show(form)[kind == 'bytes' :]})"


@decodes("ContextVar", "_contextvars.ContextVar")
def context_variable(painter: Painter, found: Obj) -> str:
    """Decode a ContextVar: var_name, var_default (Include/internal/pycore_context.h)."""
    name, default = painter.word(found, 0), painter.word(found, 1)
    if painter.ident(name) != "str":
        raise Undecodable("it has no name")
    rest = f" default={painter.show(default)}" if default else ""
    return f"<ContextVar name={painter.show(name)}{rest} at {found.address:#x}>"


@decodes("Token", "_contextvars.Token")
def context_token(painter: Painter, found: Obj) -> str:
    """Decode a Token: tok_ctx, tok_var, tok_oldval, tok_used (pycore_context.h)."""
    variable, used = painter.word(found, 1), painter.word(found, 3) & 0xFFFFFFFF
    if painter.ident(variable) not in ("ContextVar", "_contextvars.ContextVar") or used > 1:
        raise Undecodable("it has no variable")
    mark = " used" if used else ""
    return f"<Token{mark} var={painter.show(variable)} at {found.address:#x}>"


@decodes("re.Pattern", "_sre.SRE_Pattern")
def pattern(painter: Painter, found: Obj) -> str:
    """Decode a compiled pattern by the members that its type declares."""
    held = painter.reader.u64(painter.member(found, "pattern"))
    flags = painter.reader.u32(painter.member(found, "flags"))
    is_text = painter.ident(held) == "str"
    shown = painter.show(held)
    if len(shown) > MAX_SHOWN_PATTERN:
        shown = shown[:MAX_SHOWN_PATTERN]
    if is_text and flags & (4 | _UNICODE | 256) == _UNICODE:
        flags &= ~_UNICODE
    names = [name for bit, name in _flag_names(painter) if flags & bit]
    rest = flags & ~sum(bit for bit, _ in _flag_names(painter))
    names += [hex(rest)] if rest else []
    return f"re.compile({shown}{', ' + '|'.join(names) if names else ''})"


def _flag_names(painter: Painter) -> tuple[tuple[int, str], ...]:
    # 3.13 (gh-105687) dropped TEMPLATE; the same release brought ThreadHandle.
    newer = painter.layout.offset("ThreadHandle", "state") is not None
    return _FLAG_NAMES[1:] if newer else _FLAG_NAMES


@decodes("re.Match", "_sre.SRE_Match")
def match(painter: Painter, found: Obj) -> str:
    """Decode a match: its mark[] begins behind `groups` (Modules/_sre/sre.h, MatchObject).

    The word before mark[] is `groups`, the one of lastindex before it; lastindex is no declared
    member, so both are told by endpos, which is.
    """
    text = painter.reader.u64(painter.member(found, "string"))
    after = painter.member(found, "endpos") + 8
    _last, groups, start, end = (painter.reader.i64(after + 8 * n) for n in range(4))
    if not (0 < groups < 1 << 20 and 0 <= start <= end):
        raise Undecodable(f"a match from {start} to {end} of {groups} groups")
    inside = _slice(painter, text, start, end)[:MAX_SHOWN_MATCH]
    return f"<{painter.type_name(found)} object; span=({start}, {end}), match={inside}>"


def _slice(painter: Painter, address: int, start: int, end: int) -> str:
    from gdb_epi.cpython.values.scalars import str_contents

    if painter.ident(address) == "str":
        text, length = str_contents(painter, address, end)
        if end > length:
            raise Undecodable("a match beyond its string")
        return repr(text[start:end])
    if painter.ident(address) != "bytes":
        raise Undecodable("a match in something that is no str or bytes")
    first = address + painter.world.offset("PyBytesObject", "ob_sval")
    painter.require_range(first, end, "bytes of a match")
    return repr(painter.reader.read(first + start, min(end - start, MAX_SHOWN_PATTERN)))

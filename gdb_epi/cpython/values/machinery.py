# SPDX-License-Identifier: Apache-2.0
"""Frames, weak references, descriptors, operators, context variables, regular expressions.

Fields that no layout table has come from tp_members of the very type, or, where it declares none,
by their place in the struct, which is the same from 3.8 to 3.15; each decoder names its source.
"""

from __future__ import annotations

from gdb_epi.cpython.values.attributes import attributes
from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes
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
def frame(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a frame object; since 3.11 (bpo-44590) it points to what it is about."""
    at = decoder.layout.offset("PyFrameObject", "f_frame")
    address = decoder.reader.u64(found.address + at) if at is not None else found.address
    shown = decoder.context.coroutines.frame(address)
    where = f"file {shown.filename!r}, line {shown.lineno}, code {shown.name}"
    if shown.lineno is None:
        decoder.inexact()
    return f"<frame at {found.address:#x}, {where}>"


@decodes("generator", "coroutine", "async_generator")
def generator(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a generator, coroutine or async generator; the three share their layout.

    Beside it stand its state and where it is suspended.
    """
    name = decoder.string(decoder.field(found.address, "PyGenObject", "gi_qualname"))
    state, at = decoder.context.coroutines.where(found.address)
    decoder.note("state", state)
    if at is not None:
        decoder.note("at", f"{at.filename}:{at.lineno or '?'}")
    return f"<{found.lineage.ident} object {name} at {found.address:#x}>"


def name_of(decoder: ReprDecoder, found: Obj) -> str | None:
    """Return `__name__` of an object as getattr() finds it; None when it has none."""
    kind = found.lineage.ident
    if kind == "type":
        return decoder.context.types.at(found.address).name
    if kind in ("function", "generator", "coroutine"):
        member = ("PyFunctionObject", "func_name")
        struct = member if kind == "function" else ("PyGenObject", "gi_name")
        return decoder.string(decoder.field(found.address, *struct))
    if kind == "method":
        inner = decoder.obj(decoder.field(found.address, *_METHOD))
        return name_of(decoder, inner) if inner.lineage.ident != "method" else None
    if kind == "builtin_function_or_method":
        definition = decoder.field(found.address, "PyCFunctionObject", "m_ml")
        text = decoder.reader.c_string(decoder.field(definition, "PyMethodDef", "ml_name"), 4096)
        return None if isinstance(text, Absent) else text
    if kind == "module":
        contents = decoder.field(found.address, "PyModuleObject", "md_dict")
        value = decoder.context.objects.dict_get(contents, "__name__")
        return None if isinstance(value, Absent) else _text_or_none(decoder, value)
    for key, value in attributes(decoder, found.address):
        if key == "__name__":
            return _text_or_none(decoder, value)
    inherited = decoder.context.types.lookup(found.type, "__name__")
    return _text_or_none(decoder, inherited[1]) if inherited is not None else None


_METHOD = ("PyMethodObject", "im_func")


def _text_or_none(decoder: ReprDecoder, address: int) -> str | None:
    return decoder.string(address) if decoder.ident(address) == "str" else None


@decodes("weakref", "weakref.ReferenceType")
def weak_reference(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a weak reference: dead, or what it refers to and that one's `__name__`."""
    at = decoder.field(found.address, "PyWeakReference", "wr_object")
    if not at or decoder.ident(at) == "NoneType":
        return f"<weakref at {found.address:#x}; dead>"
    held = decoder.obj(at)
    name = name_of(decoder, held)
    kind = decoder.type_name(held)
    return f"<weakref at {found.address:#x}; to '{kind}' at {at:#x}{f' ({name})' if name else ''}>"


@decodes("itertools.count")
def count(decoder: ReprDecoder, found: Obj) -> str:
    """Decode itertools.count: cnt, long_cnt, long_step (Modules/itertoolsmodule.c)."""
    now, large, step = decoder.number(found, 0), decoder.word(found, 1), decoder.word(found, 2)
    shown = decoder.show(large) if large and now == (1 << 63) - 1 else str(now)
    by = decoder.show(step)
    return (
        f"{_short(decoder, found)}({shown})"
        if by == "1"
        else (f"{_short(decoder, found)}({shown}, {by})")
    )


def _short(decoder: ReprDecoder, found: Obj) -> str:
    return decoder.type_name(found).rpartition(".")[2]


@decodes("itertools.repeat")
def repeat(decoder: ReprDecoder, found: Obj) -> str:
    """Decode itertools.repeat: element, cnt (Modules/itertoolsmodule.c)."""
    left = decoder.number(found, 1)
    inside = decoder.show(decoder.word(found, 0)) + (f", {left}" if left != -1 else "")
    return f"{_short(decoder, found)}({inside})"


@decodes("operator.itemgetter", "operator.attrgetter")
def getter(decoder: ReprDecoder, found: Obj) -> str:
    """Decode the getters: their number, then the item or a tuple (Modules/_operator.c)."""
    number, held = decoder.number(found, 0), decoder.word(found, 1)
    if not decoder.enter(found.address):
        return f"{decoder.type_name(found)}(...)"
    try:
        by_attribute = found.lineage.ident.endswith("attrgetter")
        if by_attribute:
            texts = [repr(_dotted(decoder, at)) for at in tuple_items(decoder, held)]
            inside = ", ".join(texts)
        elif number == 1:
            inside = decoder.show(held)
        else:
            inside = decoder.show(held)[1:-1]
    finally:
        decoder.leave(found.address)
    return f"{decoder.type_name(found)}({inside})"


def _dotted(decoder: ReprDecoder, address: int) -> str:
    """Return an attribute as it was given: a str, or a tuple of the parts between its dots."""
    if decoder.ident(address) == "str":
        return decoder.string(address)
    return ".".join(decoder.string(part) for part in tuple_items(decoder, address))


def tuple_items(decoder: ReprDecoder, address: int) -> list[int]:
    """Return the items of a tuple, as far as the width allows. Raises Undecodable."""
    if decoder.ident(address) != "tuple":
        raise Undecodable("not a tuple")
    number = decoder.signed(address, "PyTupleObject", "ob_size")
    start = address + decoder.context.offset("PyTupleObject", "ob_item")
    return decoder.items(start, number, "tuple items")


@decodes("operator.methodcaller")
def method_caller(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a methodcaller: name, args, kwds (Modules/_operator.c).

    3.13 alone keeps the name among the arguments, too.
    """
    name, args, words = (decoder.word(found, index) for index in range(3))
    texts = [decoder.show(name)]
    held = tuple_items(decoder, args)
    newer = decoder.layout.offset("ThreadHandle", "state") is not None
    has_name = newer and decoder.layout.offset("_PyInterpreterFrame", "stackpointer") is None
    texts += [decoder.show(at) for at in (held[1:] if has_name else held)]
    if words and decoder.ident(words) == "dict":
        texts += [
            f"{decoder.string(key)}={decoder.show(value)}"
            for key, value in decoder.context.objects.dict_items(words)
        ]
    elif words and newer:
        raise Undecodable("keywords of a shape that is not known")
    return f"{decoder.type_name(found)}({', '.join(texts)})"


@decodes("classmethod", "staticmethod")
def wrapped_function(decoder: ReprDecoder, found: Obj) -> str:
    """Decode what classmethod() and staticmethod() make: cm_callable (Objects/funcobject.c).

    Their repr() names the built-in type, also of a subclass (3.10).
    """
    return f"<{found.lineage.ident}({decoder.show(decoder.word(found, 0))})>"


@decodes("method-wrapper")
def method_wrapper(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a method-wrapper: descr, self (Objects/descrobject.c, wrapperobject)."""
    descriptor, bound = decoder.word(found, 0), decoder.word(found, 1)
    name = decoder.string(decoder.field(descriptor, "PyMemberDescrObject", "d_common.d_name"))
    kind = decoder.type_name(decoder.obj(bound))
    return f"<method-wrapper '{name}' of {kind} object at {bound:#x}>"


@decodes("classmethod_descriptor")
def class_method_descriptor(decoder: ReprDecoder, found: Obj) -> str:
    """Decode the descriptor of a C type's class method."""
    name = decoder.string(decoder.field(found.address, "PyMemberDescrObject", "d_common.d_name"))
    owner = decoder.field(found.address, "PyMemberDescrObject", "d_common.d_type")
    kind = decoder.context.types.at(owner).full_name
    if not kind:
        raise Undecodable("its type has no name")
    return f"<method '{name}' of '{kind}' objects>"


@decodes("super")
def super_(decoder: ReprDecoder, found: Obj) -> str:
    """Decode super(): type, obj, obj_type (Objects/typeobject.c)."""
    kind, _bound, of = (decoder.word(found, index) for index in range(3))
    name = decoder.context.types.at(kind).full_name if kind else "NULL"
    if of:
        return f"<super: <class '{name}'>, <{decoder.context.types.at(of).full_name} object>>"
    return f"<super: <class '{name}'>, NULL>"


@decodes("_struct.Struct")
def structure(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a Struct: s_size, s_len, s_codes, s_format (Modules/_struct.c); object's to 3.12.

    The format was bytes up to 3.14.
    """
    form = decoder.word(found, 3)
    kind = decoder.ident(form)
    if kind not in ("bytes", "str"):
        raise Undecodable("it has no format")
    return f"{decoder.class_name(found)}({decoder.show(form)[kind == 'bytes' :]})"


@decodes("ContextVar", "_contextvars.ContextVar")
def context_variable(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a ContextVar: var_name, var_default (Include/internal/pycore_context.h)."""
    name, default = decoder.word(found, 0), decoder.word(found, 1)
    if decoder.ident(name) != "str":
        raise Undecodable("it has no name")
    rest = f" default={decoder.show(default)}" if default else ""
    return f"<ContextVar name={decoder.show(name)}{rest} at {found.address:#x}>"


@decodes("Token", "_contextvars.Token")
def context_token(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a Token: tok_ctx, tok_var, tok_oldval, tok_used (pycore_context.h)."""
    variable, used = decoder.word(found, 1), decoder.word(found, 3) & 0xFFFFFFFF
    if decoder.ident(variable) not in ("ContextVar", "_contextvars.ContextVar") or used > 1:
        raise Undecodable("it has no variable")
    mark = " used" if used else ""
    return f"<Token{mark} var={decoder.show(variable)} at {found.address:#x}>"


@decodes("re.Pattern", "_sre.SRE_Pattern")
def pattern(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a compiled pattern by the members that its type declares."""
    held = decoder.reader.u64(decoder.member(found, "pattern"))
    flags = decoder.reader.u32(decoder.member(found, "flags"))
    is_text = decoder.ident(held) == "str"
    shown = decoder.show(held)
    if len(shown) > MAX_SHOWN_PATTERN:
        shown = shown[:MAX_SHOWN_PATTERN]
    if is_text and flags & (4 | _UNICODE | 256) == _UNICODE:
        flags &= ~_UNICODE
    names = [name for bit, name in _flag_names(decoder) if flags & bit]
    rest = flags & ~sum(bit for bit, _ in _flag_names(decoder))
    names += [hex(rest)] if rest else []
    return f"re.compile({shown}{', ' + '|'.join(names) if names else ''})"


def _flag_names(decoder: ReprDecoder) -> tuple[tuple[int, str], ...]:
    # 3.13 (gh-105687) dropped TEMPLATE; the same release brought ThreadHandle.
    newer = decoder.layout.offset("ThreadHandle", "state") is not None
    return _FLAG_NAMES[1:] if newer else _FLAG_NAMES


@decodes("re.Match", "_sre.SRE_Match")
def match(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a match: its mark[] begins behind `groups` (Modules/_sre/sre.h, MatchObject).

    The word before mark[] is `groups`, the one of lastindex before it; lastindex is no declared
    member, so both are told by endpos, which is.
    """
    text = decoder.reader.u64(decoder.member(found, "string"))
    after = decoder.member(found, "endpos") + 8
    _last, groups, start, end = (decoder.reader.i64(after + 8 * n) for n in range(4))
    if not (0 < groups < 1 << 20 and 0 <= start <= end):
        raise Undecodable(f"a match from {start} to {end} of {groups} groups")
    inside = _slice(decoder, text, start, end)[:MAX_SHOWN_MATCH]
    return f"<{decoder.type_name(found)} object; span=({start}, {end}), match={inside}>"


def _slice(decoder: ReprDecoder, address: int, start: int, end: int) -> str:
    from gdb_epi.cpython.values.scalars import str_contents

    if decoder.ident(address) == "str":
        text, length = str_contents(decoder, address, end)
        if end > length:
            raise Undecodable("a match beyond its string")
        return repr(text[start:end])
    if decoder.ident(address) != "bytes":
        raise Undecodable("a match in something that is no str or bytes")
    first = address + decoder.context.offset("PyBytesObject", "ob_sval")
    decoder.require_range(first, end, "bytes of a match")
    return repr(decoder.reader.read(first + start, min(end - start, MAX_SHOWN_PATTERN)))

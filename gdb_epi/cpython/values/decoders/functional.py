# SPDX-License-Identifier: Apache-2.0
"""The objects of functools, itertools and operator."""

from __future__ import annotations

from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes, decodes_repr


@decodes("functools.partial", in_itself="...")
def partial(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a functools.partial."""
    function, args, keywords = (
        decoder.field(obj.address, "partialobject", name) for name in ("fn", "args", "kw")
    )
    keywords_type = decoder.ident(keywords)
    if decoder.ident(args) != "tuple" or keywords_type != "dict":
        raise Undecodable("its arguments are no tuple and dict")
    name = decoder.type_name(obj)
    if obj.type.is_python_class and decoder.layout.offset("ThreadHandle", "state") is not None:
        name = f"{obj.type.module}.{obj.type.qualname}"  # 3.13
    start, positional = decoder.array_range(args, "tuple")
    texts = [decoder.repr_of(function)]
    texts += [
        decoder.repr_of(argument)
        for argument in decoder.read_object_pointers(start, positional, "arguments")
    ]
    shown = zip(range(decoder.limits.width), decoder.keyword_texts(keywords), strict=False)
    texts += [text for _, text in shown]
    count = 1 + positional + decoder.signed_field(keywords, "PyDictObject", "ma_used")
    return f"{name}({decoder.join_text(texts, count)})"


@decodes_repr(("functools", "partialmethod.__repr__"), ("functools", "_partial_repr"))
def partial_method(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what partialmethod.__repr__ does; up to 3.12 an empty part left its comma."""
    args = [
        decoder.repr_of(at) for at in decoder.tuple_items(decoder.attribute(obj.address, "args"))
    ]
    words = [*decoder.keyword_texts(decoder.attribute(obj.address, "keywords"))]
    name = f"{obj.type.module}.{obj.type.qualname}"
    func = decoder.attribute_text(obj.address, "func")
    if decoder.layout.offset("ThreadHandle", "state") is not None:  # 3.13
        return f"{name}({', '.join([func, *args, *words])})"
    return f"{name}({func}, {', '.join(args)}, {', '.join(words)})"


@decodes("itertools.count")
def itertools_count(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode itertools.count: cnt, long_cnt, long_step (Modules/itertoolsmodule.c)."""
    now, large, step = (
        decoder.signed_word_of_object(obj, 0),
        decoder.word(obj, 1),
        decoder.word(obj, 2),
    )
    shown = decoder.repr_of(large) if large and now == (1 << 63) - 1 else str(now)
    by = decoder.repr_of(step)
    return f"{_type_name_without_module(decoder, obj)}({shown if by == '1' else f'{shown}, {by}'})"


@decodes("itertools.repeat")
def itertools_repeat(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode itertools.repeat: element, cnt (Modules/itertoolsmodule.c)."""
    left = decoder.signed_word_of_object(obj, 1)
    inside = decoder.repr_of(decoder.word(obj, 0)) + (f", {left}" if left != -1 else "")
    return f"{_type_name_without_module(decoder, obj)}({inside})"


@decodes("operator.itemgetter", "operator.attrgetter")
def operator_getter(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode the getters: their number, then the item or a tuple (Modules/_operator.c)."""
    number, held = decoder.signed_word_of_object(obj, 0), decoder.word(obj, 1)
    with decoder.entering_container(obj.address) as is_first:
        if not is_first:
            return f"{decoder.type_name(obj)}(...)"
        if obj.lineage.ident.endswith("attrgetter"):
            inside = ", ".join(repr(_attr_path(decoder, at)) for at in decoder.tuple_items(held))
        elif number == 1:
            inside = decoder.repr_of(held)
        else:
            inside = decoder.repr_of(held)[1:-1]
    return f"{decoder.type_name(obj)}({inside})"


def _attr_path(decoder: ReprDecoder, address: int) -> str:
    """Return an attribute as it was given: a str, or a tuple of the parts between its dots."""
    if decoder.ident(address) == "str":
        return decoder.string(address)
    return ".".join(decoder.string(part) for part in decoder.tuple_items(address))


@decodes("operator.methodcaller")
def method_caller(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a methodcaller: name, args, kwds (Modules/_operator.c).

    3.13 alone keeps the name among the arguments, too.
    """
    name, args, words = (decoder.word(obj, index) for index in range(3))
    texts = [decoder.repr_of(name)]
    held = decoder.tuple_items(args)
    newer = decoder.layout.offset("ThreadHandle", "state") is not None
    has_name = newer and decoder.layout.offset("_PyInterpreterFrame", "stackpointer") is None
    texts += [decoder.repr_of(at) for at in (held[1:] if has_name else held)]
    if words and decoder.ident(words) == "dict":
        texts += decoder.keyword_texts(words)
    elif words and newer:
        raise Undecodable("keywords of a shape that is not known")
    return f"{decoder.type_name(obj)}({', '.join(texts)})"


def _type_name_without_module(decoder: ReprDecoder, obj: Obj) -> str:
    return decoder.type_name(obj).rpartition(".")[2]

# SPDX-License-Identifier: Apache-2.0
"""The objects of functools, itertools and operator."""

from __future__ import annotations

from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes, decodes_repr


@decodes("functools.partial")
def partial(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a functools.partial."""
    at = {n: decoder.field(obj.address, "partialobject", n) for n in ("fn", "args", "kw")}
    args, kinds = at["args"], decoder.obj(at["kw"]).lineage.ident
    if decoder.ident(args) != "tuple" or kinds != "dict":
        raise Undecodable("its arguments are no tuple and dict")
    name = decoder.type_name(obj)
    if obj.type.python_class and decoder.layout.offset("ThreadHandle", "state") is not None:
        name = f"{obj.type.module}.{obj.type.qualname}"  # 3.13
    with decoder.entered(obj.address) as is_first:
        if not is_first:
            return "..."
        return f"{name}({decoder.join_text(_parts(decoder, at), _count(decoder, at))})"


def _count(decoder: ReprDecoder, at: dict[str, int]) -> int:
    positional = decoder.signed(at["args"], "PyTupleObject", "ob_size")
    return 1 + positional + decoder.signed(at["kw"], "PyDictObject", "ma_used")


def _parts(decoder: ReprDecoder, at: dict[str, int]) -> list[str]:
    count = decoder.signed(at["args"], "PyTupleObject", "ob_size")
    start = at["args"] + decoder.offset("PyTupleObject", "ob_item")
    texts = [decoder.repr_of(at["fn"])]
    texts += [decoder.repr_of(item) for item in decoder.items(start, count, "arguments")]
    for number, (key, value) in enumerate(decoder.objects.dict_items(at["kw"])):
        if number >= decoder.limits.width:
            break
        texts.append(f"{decoder.string(key)}={decoder.repr_of(value)}")
    return texts


@decodes_repr(("functools", "partialmethod.__repr__"), ("functools", "_partial_repr"))
def partial_method(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what partialmethod.__repr__ does; up to 3.12 an empty part left its comma."""
    args = [
        decoder.repr_of(at) for at in decoder.tuple_items(decoder.attribute(obj.address, "args"))
    ]
    words = [
        f"{decoder.string(key)}={decoder.repr_of(value)}"
        for key, value in decoder.objects.dict_items(decoder.attribute(obj.address, "keywords"))
    ]
    name = f"{obj.type.module}.{obj.type.qualname}"
    func = decoder.attribute_text(obj.address, "func")
    if decoder.layout.offset("ThreadHandle", "state") is not None:  # 3.13
        return f"{name}({', '.join([func, *args, *words])})"
    return f"{name}({func}, {', '.join(args)}, {', '.join(words)})"


@decodes("itertools.count")
def count(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode itertools.count: cnt, long_cnt, long_step (Modules/itertoolsmodule.c)."""
    now, large, step = decoder.number(obj, 0), decoder.word(obj, 1), decoder.word(obj, 2)
    shown = decoder.repr_of(large) if large and now == (1 << 63) - 1 else str(now)
    by = decoder.repr_of(step)
    return (
        f"{_short(decoder, obj)}({shown})"
        if by == "1"
        else (f"{_short(decoder, obj)}({shown}, {by})")
    )


@decodes("itertools.repeat")
def repeat(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode itertools.repeat: element, cnt (Modules/itertoolsmodule.c)."""
    left = decoder.number(obj, 1)
    inside = decoder.repr_of(decoder.word(obj, 0)) + (f", {left}" if left != -1 else "")
    return f"{_short(decoder, obj)}({inside})"


@decodes("operator.itemgetter", "operator.attrgetter")
def getter(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode the getters: their number, then the item or a tuple (Modules/_operator.c)."""
    number, held = decoder.number(obj, 0), decoder.word(obj, 1)
    with decoder.entered(obj.address) as is_first:
        if not is_first:
            return f"{decoder.type_name(obj)}(...)"
        by_attribute = obj.lineage.ident.endswith("attrgetter")
        if by_attribute:
            texts = [repr(_dotted(decoder, at)) for at in decoder.tuple_items(held)]
            inside = ", ".join(texts)
        elif number == 1:
            inside = decoder.repr_of(held)
        else:
            inside = decoder.repr_of(held)[1:-1]
    return f"{decoder.type_name(obj)}({inside})"


def _dotted(decoder: ReprDecoder, address: int) -> str:
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
        texts += [
            f"{decoder.string(key)}={decoder.repr_of(value)}"
            for key, value in decoder.objects.dict_items(words)
        ]
    elif words and newer:
        raise Undecodable("keywords of a shape that is not known")
    return f"{decoder.type_name(obj)}({', '.join(texts)})"


def _short(decoder: ReprDecoder, obj: Obj) -> str:
    return decoder.type_name(obj).rpartition(".")[2]

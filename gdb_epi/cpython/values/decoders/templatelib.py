# SPDX-License-Identifier: Apache-2.0
"""Template strings: string.templatelib (3.14, PEP 750)."""

from __future__ import annotations

from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes


@decodes("string.templatelib.Template")
def template(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a Template: strings and interpolations, two tuples (Objects/templateobject.c)."""
    strings, interpolations = decoder.word(obj, 0), decoder.word(obj, 1)
    if decoder.ident(strings) != "tuple" or decoder.ident(interpolations) != "tuple":
        raise Undecodable("its parts are no tuples")
    shown = decoder.repr_of(strings), decoder.repr_of(interpolations)
    return f"{decoder.class_name(obj)}(strings={shown[0]}, interpolations={shown[1]})"


@decodes("string.templatelib.Interpolation")
def interpolation(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode an Interpolation: value, expression, conversion, format (interpolationobject.c).

    The expression names the value.
    """
    value, *rest = (decoder.word(obj, index) for index in range(4))
    texts = [decoder.repr_of(part) for part in rest]
    shown = decoder.repr_of_named(texts[0], value)
    return f"{decoder.class_name(obj)}({', '.join((shown, *texts))})"

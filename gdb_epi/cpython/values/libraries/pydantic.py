# SPDX-License-Identifier: Apache-2.0
"""Models and secrets of pydantic 2."""

from __future__ import annotations

from gdb_epi.cpython.values.repr_decoder import CUT, Obj, ReprDecoder, Undecodable, decodes_repr

MAX_FIELDS = 1000


@decodes_repr(("pydantic.main", "BaseModel.__repr__"))
def model(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what BaseModel.__repr__ does, for fields alone; extra ones are shown after them.

    What a class computes (computed_field) or shows by __repr_args__ of its own is not known.
    """
    fields = _fields(decoder, obj)
    own = decoder.types.lookup(obj.type, "__repr_args__")
    if own is None or own[0].module != "pydantic.main":
        raise Undecodable("it says what it shows in Python code")
    with decoder.entering_container(obj.address) as is_first:
        if not is_first:
            return f"{decoder.class_name(obj)}({CUT})"
        texts = []
        for name, field in fields[:MAX_FIELDS]:
            try:
                if decoder.attribute_text(field, "repr") == "False":
                    continue
                texts.append(f"{name}={decoder.attribute_text(obj.address, name)}")
            except Undecodable:  # a field that was never set is not shown
                decoder.mark_inexact()
        extra = decoder.attribute(obj.address, "__pydantic_extra__")
        if decoder.ident(extra) == "dict":
            texts += decoder.keyword_texts(extra)
        return f"{decoder.class_name(obj)}({decoder.join_text(texts, len(texts))})"


def _fields(decoder: ReprDecoder, obj: Obj) -> list[tuple[str, int]]:
    """Return name and FieldInfo (PyObject *) of each field that the class has."""
    for name in ("__pydantic_fields__", "model_fields"):
        held = decoder.types.lookup(obj.type, name)
        if held is not None and decoder.ident(held[1]) == "dict":
            pairs = list(decoder.objects.dict_items(held[1]))
            break
    else:
        raise Undecodable("its class has no fields")
    computed = decoder.types.lookup(obj.type, "__pydantic_decorators__")
    if computed is not None:
        table = decoder.attribute(computed[1], "computed_fields")
        count = decoder.field(table, "PyDictObject", "ma_used")
        if count:
            decoder.mark_inexact()
    return [(decoder.string(key), field) for key, field in pairs]


@decodes_repr(
    ("pydantic.types", "_SecretBase.__repr__"), ("pydantic.types", "_SecretField.__repr__")
)
def secret(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what the secrets of pydantic do: show that there is one; `--secrets` tells which."""
    value = decoder.attribute(obj.address, "_secret_value")
    kind = decoder.ident(value)
    if kind not in ("str", "bytes"):
        raise Undecodable("a secret of another type")
    struct = "PyASCIIObject" if kind == "str" else "PyBytesObject"
    length = decoder.signed_field(value, struct, "length" if kind == "str" else "ob_size")
    shown = (
        repr("*" * 10 if length else "") if kind == "str" else repr(b"*" * 10 if length else b"")
    )
    if decoder.limits.secrets:
        decoder.note_left_out("_secret_value", decoder.with_fresh_limits().repr_of(value))
    return f"{decoder.class_name(obj)}({shown})"

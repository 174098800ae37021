# SPDX-License-Identifier: Apache-2.0
"""Type hints: what `typing` and `types` make, as they show themselves.

Reference: Lib/typing.py, Objects/genericaliasobject.c, Objects/unionobject.c (3.8 to 3.15).
"""

from __future__ import annotations

from contextlib import suppress

from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes, decodes_repr


def type_hint_text(decoder: ReprDecoder, address: int) -> str:
    """Return one type as typing shows it: a class by its name, `...` as such."""
    obj = decoder.obj(address)
    kind = obj.lineage.ident
    if kind == "type":
        info = decoder.types.type_at(address)
        if not info.qualname or not info.module:
            raise Undecodable("a class without a name")
        return info.qualname if info.module == "builtins" else f"{info.module}.{info.qualname}"
    if kind == "ellipsis":
        return "..."
    if kind == "function":
        return decoder.string(decoder.field(address, "PyFunctionObject", "func_name"))
    if kind == "list":
        if decoder.is_too_deep or not decoder.enter_container(address):
            raise Undecodable("lists of types in lists without an end")
        try:
            hints = decoder.read_object_pointers(*decoder.array_range(address, "list"), "types")
            return f"[{', '.join(type_hint_text(decoder, hint) for hint in hints)}]"
        finally:
            decoder.leave_container(address)
    return decoder.repr_of(address)


@decodes("types.GenericAlias")
def generic_alias(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode list[int] and its like, by the members that the type declares (3.9+)."""
    origin = decoder.reader.u64(decoder.member_address(obj, "__origin__"))
    args = decoder.reader.u64(decoder.member_address(obj, "__args__"))
    star = ""
    if "__unpacked__" in decoder.context.members(obj.lineage.root):  # 3.11 (bpo-43224)
        star = "*" if decoder.reader.u8(decoder.member_address(obj, "__unpacked__")) else ""
    texts = [type_hint_text(decoder, tuple_item) for tuple_item in decoder.tuple_items(args)]
    name = type_hint_text(decoder, origin)
    if not obj.is_exact and obj.type.is_python_class:
        # collections.abc.Callable[...], whose class adds a repr.
        if obj.type.qualname != "_CallableGenericAlias" or not texts:
            raise Undecodable("a child of GenericAlias")
        return f"{name}[[{', '.join(texts[:-1])}], {texts[-1]}]"
    return f"{star}{name}[{', '.join(texts) if texts else '()'}]"


@decodes_repr(
    ("_collections_abc", "_CallableGenericAlias.__repr__"),
    ("collections.abc", "_CallableGenericAlias.__repr__"),
)
def callable_alias(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what the __repr__ of collections.abc.Callable[...] does."""
    name = type_hint_text(decoder, decoder.reader.u64(decoder.member_address(obj, "__origin__")))
    args = decoder.tuple_items(decoder.reader.u64(decoder.member_address(obj, "__args__")))
    return _callable_text(decoder, name, args)


@decodes("types.UnionType", "typing.Union")
def union(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode int | str (3.10+); since 3.14 (gh-105499) also what typing.Union[...] makes."""
    args = decoder.tuple_items(decoder.reader.u64(decoder.member_address(obj, "__args__")))
    return " | ".join(
        "None" if _is_none_type(decoder, arg) else type_hint_text(decoder, arg) for arg in args
    )


def _is_none_type(decoder: ReprDecoder, address: int) -> bool:
    return decoder.ident(address) == "type" and decoder.types.type_at(address).name == "NoneType"


@decodes("typing.TypeVar", "typing.ParamSpec")
def type_variable(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a TypeVar or ParamSpec of C (3.12, gh-104549): its name is the first word."""
    name = decoder.string(decoder.word(obj, 0))
    members = decoder.context.members(obj.lineage.root)
    flags = []
    for key in ("__covariant__", "__contravariant__", "__infer_variance__"):
        if key not in members:
            raise Undecodable(f"its type declares no member {key}")
        flags.append(decoder.reader.u8(decoder.member_address(obj, key)))
    return _name_with_variance(name, *flags)


def _name_with_variance(name: str, covariant: int, contravariant: int, inferred: int = 0) -> str:
    if inferred:
        return name
    return ("+" if covariant else "-" if contravariant else "~") + name


@decodes_repr(("typing", "_TypeVarLike.__repr__"), ("typing", "TypeVar.__repr__"),
              ("typing", "_BoundVarianceMixin.__repr__"))  # fmt: skip
def python_type_variable(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what the TypeVar of Python did (to 3.11)."""
    name = decoder.string(decoder.attribute(obj.address, "__name__"))
    flags = [
        decoder.is_attribute_true(obj.address, key)
        for key in ("__covariant__", "__contravariant__")
    ]
    return _name_with_variance(name, *flags)


@decodes("typing.TypeVarTuple")
def type_variable_tuple(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a TypeVarTuple of C: its name is the first word (3.12+); 3.15 gave it a variance."""
    if "__covariant__" in decoder.context.members(obj.lineage.root):
        return type_variable(decoder, obj)
    return decoder.string(decoder.word(obj, 0))


@decodes_repr(("typing", "TypeVarTuple.__repr__"))
def python_type_variable_tuple(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what the TypeVarTuple of Python did (3.11)."""
    return decoder.string(decoder.attribute(obj.address, "__name__"))


@decodes("typing.ParamSpecArgs", "typing.ParamSpecKwargs")
def param_spec_part(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode P.args and P.kwargs: the ParamSpec is the first word (3.12+)."""
    of = decoder.obj(decoder.word(obj, 0))
    part = "args" if obj.lineage.ident.endswith("Args") else "kwargs"
    if of.lineage.ident != "typing.ParamSpec":
        return f"{decoder.repr_of(of.address)}.{part}"
    return f"{decoder.string(decoder.word(of, 0))}.{part}"


@decodes_repr(("typing", "ParamSpecArgs.__repr__"), ("typing", "ParamSpecKwargs.__repr__"))
def python_param_spec_part(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what P.args and P.kwargs of Python did (3.10, 3.11)."""
    origin = decoder.attribute(obj.address, "__origin__")
    part = "args" if obj.type.qualname.endswith("Args") else "kwargs"
    return f"{decoder.string(decoder.attribute(origin, '__name__'))}.{part}"


@decodes("typing.TypeAliasType")
def type_alias(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode what a `type` statement makes: its name is the first word (3.12, gh-104099)."""
    return decoder.string(decoder.word(obj, 0))


@decodes_repr(("typing", "_SpecialForm.__repr__"), ("typing", "_SpecialGenericAlias.__repr__"))
def special_form(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what typing.Union, typing.List and their like show without parameters."""
    return "typing." + decoder.string(decoder.attribute(obj.address, "_name"))


@decodes_repr(("typing", "_AnyMeta.__repr__"))
def typing_any(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what typing.Any's metaclass does (3.11+)."""
    info = decoder.types.type_at(obj.address)
    if info.qualname == "Any" and info.module == "typing":
        return "typing.Any"
    return f"<class '{info.qualified_name}'>"


@decodes_repr(("typing", "_GenericAlias.__repr__"), ("typing", "_UnionGenericAlias.__repr__"),
              ("typing", "_CallableGenericAlias.__repr__"),
              ("typing", "_ConcatenateGenericAlias.__repr__"),
              ("typing", "_LiteralGenericAlias.__repr__"))  # fmt: skip
def typing_alias(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what typing's aliases do: their name, or their origin's, and their parameters."""
    get = {n: decoder.attribute(obj.address, n) for n in ("_name", "__origin__", "__args__")}
    args = decoder.tuple_items(get["__args__"])
    origin = decoder.obj(get["__origin__"])
    if decoder.ident(get["_name"]) == "str":
        name = "typing." + decoder.string(get["_name"])
    else:
        name = type_hint_text(decoder, origin.address)
    if _is_special(decoder, obj):  # 3.8: typing.List itself is one of these
        return name
    kind = ""
    if origin.type.module == "typing" and origin.lineage.ident == "":
        kind = decoder.string(decoder.attribute(origin.address, "_name"))
    if kind == "Union" or obj.type.qualname == "_UnionGenericAlias":
        return _union_text(decoder, args, knows_optional=obj.type.qualname == "_UnionGenericAlias")
    if kind == "Literal":
        return f"typing.Literal[{', '.join(decoder.repr_of(arg) for arg in args)}]"
    if name == "typing.Callable" or obj.type.qualname == "_CallableGenericAlias":
        return _callable_text(decoder, "typing.Callable", args)
    return f"{name}[{', '.join(type_hint_text(decoder, arg) for arg in args) or '()'}]"


def _is_special(decoder: ReprDecoder, obj: Obj) -> bool:
    try:
        return decoder.is_attribute_true(obj.address, "_special")
    except Undecodable:
        return False


def _union_text(decoder: ReprDecoder, args: list[int], *, knows_optional: bool) -> str:
    """Show a Union; 3.9, which gave it a class of its own, began to show an Optional."""
    nones = [_is_none_type(decoder, arg) for arg in args]
    texts = [type_hint_text(decoder, arg) for arg in args]
    if len(args) == 2 and sum(nones) == 1 and knows_optional:
        return f"typing.Optional[{texts[nones.index(False)]}]"
    return f"typing.Union[{', '.join(texts)}]"


def _is_parameter_list(decoder: ReprDecoder, address: int) -> bool:
    """Do what _is_param_expr() does: `...`, a list, a ParamSpec, or Concatenate[...]."""
    obj = decoder.obj(address)
    names = ("ParamSpec", "_ConcatenateGenericAlias")
    return obj.lineage.ident in ("ellipsis", "list") or obj.type.qualname in names


def _callable_text(decoder: ReprDecoder, name: str, args: list[int]) -> str:
    if not args:
        raise Undecodable("it has no parameters")
    texts = [type_hint_text(decoder, arg) for arg in args]
    if len(args) == 2 and _is_parameter_list(decoder, args[0]):
        return f"{name}[{texts[0]}, {texts[1]}]"
    return f"{name}[[{', '.join(texts[:-1])}], {texts[-1]}]"


@decodes_repr(("typing", "_AnnotatedAlias.__repr__"))
def annotated(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what Annotated[...] shows."""
    origin = type_hint_text(decoder, decoder.attribute(obj.address, "__origin__"))
    notes = decoder.tuple_items(decoder.attribute(obj.address, "__metadata__"))
    return f"typing.Annotated[{origin}, {', '.join(decoder.repr_of(note) for note in notes)}]"


@decodes_repr(("typing", "_UnpackGenericAlias.__repr__"))
def unpacked(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what Unpack[...] shows: with a star in 3.11, whose TypeVarTuple was written in Python."""
    args = decoder.tuple_items(decoder.attribute(obj.address, "__args__"))
    if not args:
        raise Undecodable("it has no parameters")
    if decoder.types.type_at(decoder.module_global("typing", "TypeVarTuple")).is_python_class:
        return f"*{decoder.repr_of(args[0])}"
    return f"typing.Unpack[{type_hint_text(decoder, args[0])}]"


@decodes_repr(("typing", "ForwardRef.__repr__"), ("annotationlib", "ForwardRef.__repr__"))
def forward_reference(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what ForwardRef.__repr__ does."""
    text = _forward_arg(decoder, obj)
    for name, keyword in (("__forward_module__", "module"), ("__owner__", "owner")):
        try:
            value = decoder.attribute(obj.address, name)
        except Undecodable:
            continue
        if not decoder.is_none(value):
            text += f", {keyword}={decoder.repr_of(value)}"
            decoder.mark_inexact()  # which of these are shown changed between releases
    if "is_class" in text or obj.type.module == "annotationlib":
        with suppress(Undecodable):
            if decoder.attribute_text(obj.address, "__forward_is_class__") != "False":
                decoder.mark_inexact()
    return f"ForwardRef({text})"


def _forward_arg(decoder: ReprDecoder, obj: Obj) -> str:
    try:
        return decoder.attribute_text(obj.address, "__forward_arg__")
    except Undecodable:  # 3.14 (gh-119180) computes it unless it is given
        text = decoder.attribute_text(obj.address, "__arg__")
        if text == "None":
            raise Undecodable("its text was not computed yet") from None
        return text


@decodes_repr(("typing", "NewType.__repr__"))
def new_type(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what NewType.__repr__ does (3.10+; a function before)."""
    module = decoder.string(decoder.attribute(obj.address, "__module__"))
    return f"{module}.{decoder.string(decoder.attribute(obj.address, '__qualname__'))}"

# SPDX-License-Identifier: Apache-2.0
"""How a dry run (dry_run.py) makes objects of the program's classes; their operators and truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gdb_epi.cpython.objects.type_objects import TypeInfo
from gdb_epi.cpython.values.repr_decoder import Undecodable
from gdb_epi.cpython.values.value_stack import (
    BuiltTuple,
    CertainException,
    ClassOfObject,
    GlobalName,
    Item,
    Method,
    ProcessObject,
    special_method,
)
from gdb_epi.hangs.dry_run.container_evaluation import CLASS
from gdb_epi.hangs.dry_run.equality import is_plain_tuple_class
from gdb_epi.hangs.dry_run.object_evaluation import ObjectEvaluation

_SPECIAL_NAMES = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod",
    "&": "and", "|": "or", "^": "xor", ">>": "rshift", "<<": "lshift", "**": "pow",
}  # fmt: skip
_COMPARED = ("int", "bool", "str", "bytes")
LRU_CACHE = "functools._lru_cache_wrapper"
_CACHE, _RESULT_OF_LINK = 56 + 8 + 8, 48
_CALLABLE_OF_STATICMETHOD = 16  # sm_callable, after the head (Objects/funcobject.c, 3.8 to 3.14)


def make_instance(
    run: ObjectEvaluation, kind: ProcessObject, arguments: Sequence[Item],
    keywords: Mapping[str, Item],
) -> Item:  # fmt: skip
    """Return a new object of a class, as type.__call__ makes it. Raises Undecodable, Raised."""
    decoder, info = run.decoder, run.decoder.types.type_at(kind.address)
    if not decoder.obj(kind.address).is_exact or not info.is_python_class:
        raise Undecodable("a new object of another kind")
    own_new = _new_method_of_class(run, info)
    if own_new is None:
        begin = special_method(decoder, info, "__init__")
        made: Item = make_bare_instance(run, kind)
        if begin is None and (arguments or keywords):
            raise CertainException(TypeError)
    else:
        made = run.call_item(ProcessObject(own_new), [kind, *arguments], keywords)
        if not isinstance(made, ProcessObject) or run.type_name(made) not in (
            "",
            "instance",
            "tuple",
        ):
            raise Undecodable("a new object of another kind")
        if run.type_name(made) == "tuple":
            return made  # a namedtuple: is_plain_tuple_class()
        if all(each.address != kind.address for each in decoder.types.mro(run.class_of(made))):
            return made  # whose __init__ is not called
        begin = special_method(decoder, run.class_of(made), "__init__")
    if begin is not None and isinstance(made, ProcessObject):
        run.call_item(Method(begin[1], begin[0], made, "__init__"), arguments, keywords)
    return made


def make_tuple_instance(run: ObjectEvaluation, kind: Item, *of: Item) -> Item:
    """Return what tuple.__new__() gives of a class derived from it: namedtuples call that.

    Raises Undecodable.
    """
    if not isinstance(kind, ProcessObject) or not is_plain_tuple_class(
        run.decoder, run.decoder.types.type_at(kind.address)
    ):
        raise Undecodable("a tuple of another kind")
    made = run.memory.make_object("tuple", run.all_items(of[0]) if of else ())
    run.memory.stored[made.address, CLASS] = kind
    return made


def make_bare_instance(run: ObjectEvaluation, kind: Item) -> ProcessObject:
    """Return what object.__new__() gives of a class. Raises Undecodable."""
    if not isinstance(kind, ProcessObject) or run.decoder.ident(kind.address) != "type":
        raise Undecodable("a new object of another kind")
    mro = run.decoder.types.mro(run.decoder.types.type_at(kind.address))
    if any(each.base and not each.is_python_class for each in mro):
        raise Undecodable("a new object of a C type")
    made = run.memory.make_object("instance")
    run.memory.stored[made.address, CLASS] = kind
    return made


def _new_method_of_class(run: ObjectEvaluation, info: TypeInfo) -> int | None:
    """Return the `__new__` (PyFunctionObject *) of a class; None where it is that of `object`.

    A class keeps it as a staticmethod (type_new_staticmethod, Objects/typeobject.c).
    """
    decoder = run.decoder
    for base in decoder.types.mro(info):
        if base.base and not base.is_python_class:
            raise Undecodable("a new object of a C type")
        value = decoder.objects.dict_get(base.dict, "__new__") if base.dict else 0
        if not base.base or not isinstance(value, int) or not value:
            continue
        if decoder.ident(value) != "staticmethod":
            raise Undecodable("a __new__ of another kind")
        function = decoder.reader.u64(value + _CALLABLE_OF_STATICMETHOD)
        if decoder.ident(function) != "function":
            raise Undecodable("a __new__ of another kind")
        return function
    return None


def operate_on_instance(
    run: ObjectEvaluation, sign: str, left: Item, right: Item, *, in_place: bool
) -> Item:
    """Return what the class of the left item does for an operator; None where it has no say.

    The right one comes first only if its class is derived from the left one's. Raises Undecodable.
    """
    if not isinstance(left, ProcessObject) or run.type_name(left) not in ("", "instance"):
        return None
    info, name = run.class_of(left), _SPECIAL_NAMES[sign]
    if (
        isinstance(right, ProcessObject)
        and run.type_name(right) in ("", "instance")
        and run.class_of(right).address != info.address
    ):
        raise Undecodable("an operator of two classes")
    for special in (f"__i{name}__", f"__{name}__") if in_place else (f"__{name}__",):
        function = special_method(run.decoder, info, special)
        if function is not None:
            given = run.call_item(Method(function[1], function[0], left, special), [right])
            if given == GlobalName("NotImplemented"):
                raise Undecodable("an operator that is not implemented")
            return given
    return None


def class_as_process_object(run: ObjectEvaluation, item: Item) -> Item:
    """Return a class as the object that it is in the process, anything else as it is."""
    if isinstance(item, ClassOfObject):
        return ProcessObject(item.info.address)
    if isinstance(item, GlobalName) and run.is_builtin(item.name):
        builtins = run.decoder.context.types.module_dict("builtins")
        at = run.decoder.objects.dict_get(builtins, item.name) if builtins else 0
        return ProcessObject(at) if isinstance(at, int) and at else item
    return item


def truth_of_instance(run: ObjectEvaluation, of: ProcessObject) -> bool:
    """Return bool() of an object of the program's class. Raises Undecodable, Raised."""
    info = run.class_of(of)
    for name in ("__bool__", "__len__"):
        function = special_method(run.decoder, info, name)
        if function is not None:
            return run.truth(run.call_item(Method(function[1], function[0], of, name), ()))
    return True


def attribute_of_object_itself(run: ObjectEvaluation, of: ProcessObject, name: str) -> int:
    """Return what an object itself has under a name, 0 without one.

    A function of its class stands back, and a functools.cached_property.
    """
    obj = run.decoder.obj(of.address)
    if (of.address, name) in run.memory.stored or not run.has_default_lookup(obj):
        return 0
    in_class = run.find_in_class(obj, name)
    hidden = ("cached_property", "function")
    if in_class is not None and run.decoder.obj(in_class[1]).type.name not in hidden:
        return 0
    run.memory.read.add(of.address)
    return run.own_attribute(of, name)


def has_attribute_already(run: ObjectEvaluation, of: int, name: str, item: Item) -> bool:
    """Tell whether an object has that very object, number or text as its attribute already."""
    before = run.memory.stored.get((of, name))
    if before is None:
        before = ProcessObject(run.own_attribute(ProcessObject(of), name))
    if before == item:
        return isinstance(item, ProcessObject) and item.address > 0
    if not isinstance(before, ProcessObject) or before.address <= 0:
        return False
    kind = run.type_name(item)
    return kind in _COMPARED and kind == run.type_name(before) and run.are_equal(before, item)


def lru_cached_method(run: ObjectEvaluation, of: ProcessObject, name: str) -> Item:
    """Return a method that functools.lru_cache() wraps; None for another."""
    in_class = run.decoder.types.lookup(run.class_of(of), name)
    if in_class is None or run.decoder.obj(in_class[1]).type.full_name != LRU_CACHE:
        return None
    return Method(in_class[1], in_class[0], of, name)


def lru_cached_result(run: ObjectEvaluation, wrapper: int, arguments: Sequence[Item]) -> Item:
    """Return what functools.lru_cache() has kept for arguments. Raises Undecodable without it.

    A wrapper is a link of 56 bytes, a function, an int and a dict. A key of that is one int or str,
    else the tuple of the arguments; a value the result, or a link with it at its end, after the
    head, two neighbours, hash and key (Modules/_functoolsmodule.c, 3.8 to 3.14).
    """
    decoder, reader = run.decoder, run.decoder.reader
    cache = reader.u64(wrapper + _CACHE)
    if run.type_name(ProcessObject(cache)) != "dict":
        raise Undecodable("a cache of another kind")
    alone = len(arguments) == 1 and run.type_name(arguments[0]) in ("int", "str")
    key = run.to_python(arguments[0]) if alone else run.to_python(BuiltTuple(tuple(arguments)))
    run.memory.read |= {wrapper, cache}
    value = run.dict_values_by_python_key(ProcessObject(cache)).get(key)
    if not isinstance(value, ProcessObject):
        raise Undecodable("what a cache does not have")
    if decoder.ident(value.address).endswith("_lru_list_elem"):
        return ProcessObject(reader.u64(value.address + _RESULT_OF_LINK))
    return value

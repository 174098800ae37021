# SPDX-License-Identifier: Apache-2.0
"""Expression paths such as `a.b[3]['k']` or `0x7f12.items`, followed through memory.

Nothing is evaluated: attributes are read from instances, classes and modules, items from tuples,
lists, deques and dicts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gdb_epi.cpython.objects.type_objects import STRUCT_SEQUENCE
from gdb_epi.cpython.values.context import OBJECT_MEMBERS
from gdb_epi.cpython.values.decoders.collections import deque_items
from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable
from gdb_epi.errors import Absent, InputError, LayoutError, UnreadableMemory, UsageError

MAX_STEPS = 100
MAX_KEYS = 1_000_000
MAX_NAMES = 20  # named in a hint
# Attributes of classes that run code when they are read.
_COMPUTED = {"property": "a property", "getset_descriptor": "an attribute computed in C"}

START = re.compile(r"\s*(0[xX][0-9a-fA-F]+|[^\W\d]\w*)")
_QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_STEP = re.compile(
    r"\s*(?:\.\s*(?P<name>[^\W\d]\w*)"
    rf"|\[\s*(?:(?P<quoted>{_QUOTED})|(?P<bare>[^\]]*?))\s*\])"
)

_STRUCTS = {"list": "PyListObject", "collections.deque": "dequeobject"}


def is_expression_path(text: str, position: int) -> bool:
    """Tell whether there are only attributes and items from a position on."""
    while text[position:].strip():
        step = _STEP.match(text, position)
        if step is None:
            return False
        position = step.end()
    return True


def follow_steps(decoder: ReprDecoder, address: int, text: str, position: int) -> int:
    """Return the PyObject * that the attributes and items after a position lead to.

    `address` is the object that the text before it names. Raises UsageError for what is no path,
    InputError when a step leads nowhere.
    """
    for _ in range(MAX_STEPS):
        if not text[position:].strip():
            return address
        step = _STEP.match(text, position)
        if step is None:
            raise UsageError(f"cannot read {text[position:]!r} in {text!r}", hint="a.b[3]['k']")
        so_far = text[:position].strip()
        try:
            obj = decoder.obj(address)
            if step["name"] is not None:
                address = _find_attribute(decoder, obj, step["name"], so_far)
            else:
                address = _item_by_subscript(decoder, obj, step, so_far)
        except (UnreadableMemory, LayoutError, Undecodable) as error:
            raise InputError(f"{text[: step.end()].strip()}: {error}") from None
        position = step.end()
    raise UsageError(f"more than {MAX_STEPS} steps")


def _find_attribute(decoder: ReprDecoder, obj: Obj, name: str, so_far: str) -> int:
    if name == "__class__":
        return decoder.reader.type_of(obj.address)
    names: list[str] = []
    for key, value in own_attributes(decoder, obj):
        if key == name:
            return value
        names.append(key)
    info = decoder.types.type_at(obj.address) if obj.lineage.ident == "type" else obj.type
    inherited = decoder.types.lookup(info, name)
    if inherited is not None:
        return _class_attribute(decoder, obj, inherited[1], f"{so_far}.{name}")
    named = ", ".join(names[:MAX_NAMES])
    where = "in its slots, its dict or its classes, as far as they are in the core"
    raise InputError(f"{so_far} has no attribute {name} {where}", hint=named or "epi locals")


def _class_attribute(decoder: ReprDecoder, obj: Obj, value: int, path: str) -> int:
    """Return what a class attribute gives for an instance, if no code has to run for that."""
    kind = decoder.ident(value)
    if obj.lineage.ident == "type":
        return value
    if kind in _COMPUTED:
        raise InputError(f"{path} is {_COMPUTED[kind]}: it is computed by code, which is not run")
    if kind.endswith("collections._tuplegetter"):  # a namedtuple's field: index, doc
        index = decoder.signed_word_of_object(decoder.obj(value), 0)
        count = decoder.signed_field(obj.address, "PyTupleObject", "ob_size")
        if not 0 <= index < count:
            raise Undecodable("a field beyond the tuple")
        start = obj.address + decoder.layout.require("PyTupleObject", "ob_item")
        return decoder.reader.u64(start + 8 * index)
    if kind == "member_descriptor":
        return _object_in_slot(decoder, obj, value, path)
    of = decoder.obj(value).type
    if of.qualname == "cached_property":
        raise InputError(f"{path} is a cached property that was not computed yet")
    if of.is_python_class and decoder.types.lookup(of, "__get__") is not None:
        what = f"{path} is of type {of.qualified_name}: it is computed by code, which is not run"
        raise InputError(what)
    return value


def _object_in_slot(decoder: ReprDecoder, obj: Obj, descriptor: int, path: str) -> int:
    """Return the object in a slot, or in a member of a C type."""
    name = decoder.string(decoder.field(descriptor, "PyMemberDescrObject", "d_common.d_name"))
    for info in obj.lineage.types:
        place = decoder.context.members(info).get(name)
        if place is not None:
            held = decoder.reader.u64(obj.address + place[0]) if place[1] in OBJECT_MEMBERS else 0
            if held:
                return held
            what = "is not set" if place[1] in OBJECT_MEMBERS else "is no object but a number in C"
            raise InputError(f"{path} {what}")
    raise InputError(f"{path} is a slot that is not set")


def own_attributes(decoder: ReprDecoder, obj: Obj) -> Iterator[tuple[str, int]]:
    """Yield what an object holds itself, a module its globals. Raises UnreadableMemory."""
    if obj.lineage.ident != "module":
        yield from decoder.context.attributes(obj.address)
        return
    contents = decoder.field(obj.address, "PyModuleObject", "md_dict")
    for key, value in decoder.objects.dict_items(contents):
        name = decoder.reader.string(key, 4096)
        if not isinstance(name, Absent):
            yield name, value


def _item_by_subscript(decoder: ReprDecoder, obj: Obj, step: re.Match[str], so_far: str) -> int:
    obj = _wrapped_container(decoder, obj)
    kind = obj.lineage.ident
    text = step["quoted"] or step["bare"]
    if kind in ("dict", "collections.defaultdict", "collections.OrderedDict", "frozendict"):
        return _value_by_key(decoder, obj.address, step, so_far)
    if kind not in ("tuple", STRUCT_SEQUENCE, "list", "collections.deque"):
        raise InputError(
            f"{so_far} is of type {obj.type.qualified_name}: it has no items to look up"
        )
    if not re.fullmatch(r"-?\d{1,18}", text):
        raise UsageError(f"{text!r} is no index", hint="[0], [-1]")
    struct = _STRUCTS.get(kind, "PyTupleObject")
    count, number = decoder.signed_field(obj.address, struct, "ob_size"), int(text)
    index = number + count if number < 0 else number
    if not 0 <= index < count:
        raise InputError(f"{so_far} has {count} items", hint=f"[0] to [{count - 1}]")
    if struct == "PyTupleObject":
        start = obj.address + decoder.layout.require(struct, "ob_item")
        return decoder.reader.u64(start + 8 * index)
    if kind == "list":
        return decoder.reader.u64(decoder.field(obj.address, struct, "ob_item") + 8 * index)
    for at, value in enumerate(deque_items(decoder, obj.address, count)):
        if at == index:
            return value
    raise InputError(f"{so_far} ends before item {index}")


def _wrapped_container(decoder: ReprDecoder, obj: Obj) -> Obj:
    """Return what a wrapper looks its items up in: UserDict, UserList, mappingproxy."""
    if obj.lineage.ident == "mappingproxy":
        return decoder.obj(decoder.field(obj.address, "mappingproxyobject", "mapping"))
    names = {(info.module, info.qualname) for info in obj.lineage.types}
    if names & {("collections", "UserDict"), ("collections", "UserList")}:
        return decoder.obj(decoder.attribute(obj.address, "data"))
    return obj


def _value_by_key(decoder: ReprDecoder, address: int, step: re.Match[str], so_far: str) -> int:
    """Find a key by its repr. GDB takes quotes away, so a bare word may also be a str."""
    wanted = [_word_repr(step["quoted"])] if step["quoted"] else [step["bare"], repr(step["bare"])]
    by_repr: dict[str, int] = {}
    for number, (key, value) in enumerate(decoder.objects.dict_items(address)):
        if number > MAX_KEYS:
            break
        text = decoder.with_fresh_limits().repr_of(key)
        if text == wanted[0]:
            return value
        if text in wanted or len(by_repr) < MAX_NAMES:
            by_repr[text] = value
    for text in wanted:
        if text in by_repr:
            return by_repr[text]
    raise InputError(f"{so_far} has no key {wanted[0]}", hint=", ".join(by_repr) or "it is empty")


def _word_repr(text: str) -> str:
    """Return the repr of a quoted word, whichever quotes it has."""
    from ast import literal_eval

    try:
        return repr(literal_eval(text))
    except (ValueError, SyntaxError):
        return text

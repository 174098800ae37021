# SPDX-License-Identifier: Apache-2.0
"""What the interpreter itself is made of: functions, classes, modules, code, frames, descriptors.

Most of them have their names in the module types.
"""

from __future__ import annotations

from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes, decodes_repr
from gdb_epi.errors import Absent

_DESCRIPTORS = {
    "member_descriptor": "member",
    "getset_descriptor": "attribute",
    "method_descriptor": "method",
    "classmethod_descriptor": "method",
    "wrapper_descriptor": "slot wrapper",
}


@decodes("function")
def function(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a Python function."""
    name = decoder.string(decoder.field(obj.address, "PyFunctionObject", "func_qualname"))
    return f"<function {name} at {obj.address:#x}>"


@decodes("method", in_itself="...")
def method(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a bound method: its function's qualname and what it is bound to."""
    called = decoder.field(obj.address, "PyMethodObject", "im_func")
    bound = decoder.field(obj.address, "PyMethodObject", "im_self")
    name = "?"
    if decoder.ident(called) == "function":
        name = decoder.string(decoder.field(called, "PyFunctionObject", "func_qualname"))
    else:
        decoder.mark_inexact()
    return f"<bound method {name} of {decoder.repr_of(bound)}>"


@decodes("builtin_function_or_method")
def builtin_function(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a built-in function, or a method of an object of a built-in type."""
    name = decoder.reader.method_def_name(obj.address)
    if isinstance(name, Absent):
        raise Undecodable(f"its name: {name.detail}")
    bound = decoder.field(obj.address, "PyCFunctionObject", "m_self")
    if not bound or decoder.ident(bound) == "module":
        return f"<built-in function {name}>"
    owner = decoder.type_name(decoder.obj(bound))
    return f"<built-in method {name} of {owner} object at {bound:#x}>"


@decodes("type")
def class_(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a class."""
    info = decoder.types.type_at(obj.address)
    if not info.qualname:
        raise Undecodable("its name lies in memory that nobody has")
    return f"<class '{info.qualified_name}'>"


@decodes("module")
def module(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a module as importlib's _module_repr() does, from its __spec__ or __file__."""
    contents = decoder.field(obj.address, "PyModuleObject", "md_dict")
    name = decoder.objects.dict_get(contents, "__name__")
    shown = "'?'" if isinstance(name, Absent) else decoder.repr_of(name)
    spec = decoder.objects.dict_get(contents, "__spec__")
    if not isinstance(spec, Absent) and decoder.ident(spec) != "NoneType":
        return _module_repr_by_spec(decoder, spec, shown)
    file = decoder.objects.dict_get(contents, "__file__")
    if isinstance(file, Absent):
        loader = decoder.objects.dict_get(contents, "__loader__")
        if isinstance(loader, Absent) or not decoder.is_none(loader):
            decoder.mark_inexact()  # its loader's repr may be part of it
        return f"<module {shown}>"
    return f"<module {shown} from {decoder.repr_of(file)}>"


def _module_repr_by_spec(decoder: ReprDecoder, spec: int, shown: str) -> str:
    get = decoder.objects.attribute
    name, origin, has_file = (get(spec, n) for n in ("name", "origin", "_set_fileattr"))
    if isinstance(origin, Absent) or isinstance(has_file, Absent) or isinstance(name, Absent):
        decoder.mark_inexact()
        return f"<module {shown}>"
    shown = decoder.repr_of(name)
    if decoder.ident(origin) == "NoneType":
        # `sys` of the older versions: the loader's own method says what it is.
        loader = decoder.objects.attribute(spec, "loader")
        if not isinstance(loader, Absent):
            is_class = decoder.ident(loader) == "type"
            if is_class and decoder.types.type_at(loader).qualname == "BuiltinImporter":
                return f"<module {shown} (built-in)>"
        decoder.mark_inexact()
        return f"<module {shown}>"
    if decoder.repr_of(has_file) == "True":
        return f"<module {shown} from {decoder.repr_of(origin)}>"
    return f"<module {shown} ({decoder.string(origin)})>"


@decodes_repr(
    ("_frozen_importlib", "ModuleSpec.__repr__"), ("importlib._bootstrap", "ModuleSpec.__repr__")
)
def module_spec(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what ModuleSpec.__repr__ does."""
    texts: list[str] = []
    for name in ("name", "loader", "origin", "submodule_search_locations"):
        value = decoder.attribute_text(obj.address, name)
        if value != "None" or len(texts) < 2:
            texts.append(f"{name}={value}")
    return f"{obj.type.name}({', '.join(texts)})"


@decodes("code")
def code(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a code object."""
    reader = decoder.reader
    name = decoder.string(decoder.field(obj.address, "PyCodeObject", "co_name"))
    file = decoder.string(decoder.field(obj.address, "PyCodeObject", "co_filename"))
    line = reader.field32(obj.address, "PyCodeObject", "co_firstlineno")
    line = line - (1 << 32) if line >> 31 else line
    where = f'file "{file}", line {line or -1}'
    return f"<code object {name} at {obj.address:#x}, {where}>"


@decodes("frame")
def frame(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a frame object; since 3.11 (bpo-44590) it points to what it is about."""
    at = decoder.layout.offset("PyFrameObject", "f_frame")
    address = decoder.reader.u64(obj.address + at) if at is not None else obj.address
    shown = decoder.context.coroutines.frame_at(address)
    where = f"file {shown.filename!r}, line {shown.lineno}, code {shown.name}"
    if shown.lineno is None:
        decoder.mark_inexact()
    return f"<frame at {obj.address:#x}, {where}>"


@decodes("generator", "coroutine", "async_generator")
def generator(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a generator, coroutine or async generator; the three share their layout.

    Beside it stand its state and where it is suspended.
    """
    name = decoder.string(decoder.field(obj.address, "PyGenObject", "gi_qualname"))
    state, at = decoder.context.coroutines.state_and_frame(obj.address)
    decoder.note_left_out("state", state)
    if at is not None:
        decoder.note_left_out("at", f"{at.filename}:{at.lineno or '?'}")
    return f"<{obj.lineage.ident} object {name} at {obj.address:#x}>"


@decodes("cell")
def cell(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a cell itself; variables show what is in it."""
    inside = decoder.field(obj.address, "PyCellObject", "ob_ref")
    if not inside:
        return f"<cell at {obj.address:#x}: empty>"
    name = decoder.type_name(decoder.obj(inside))
    return f"<cell at {obj.address:#x}: {name} object at {inside:#x}>"


@decodes(*_DESCRIPTORS)
def descriptor(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode the descriptors that C types and `__slots__` put into classes."""
    name = decoder.string(decoder.field(obj.address, "PyMemberDescrObject", "d_common.d_name"))
    owner = decoder.field(obj.address, "PyMemberDescrObject", "d_common.d_type")
    kind, of = _DESCRIPTORS[obj.lineage.ident], decoder.types.type_at(owner).full_name
    if not of:
        raise Undecodable("its type has no name")
    return f"<{kind} '{name}' of '{of}' objects>"


@decodes("classmethod", "staticmethod")
def classmethod_or_staticmethod(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode what classmethod() and staticmethod() make: cm_callable (Objects/funcobject.c).

    Their repr() names the built-in type, also of a subclass (3.10).
    """
    return f"<{obj.lineage.ident}({decoder.repr_of(decoder.word(obj, 0))})>"


@decodes("method-wrapper")
def method_wrapper(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a method-wrapper: descr, self (Objects/descrobject.c, wrapperobject)."""
    descriptor, bound = decoder.word(obj, 0), decoder.word(obj, 1)
    name = decoder.string(decoder.field(descriptor, "PyMemberDescrObject", "d_common.d_name"))
    kind = decoder.type_name(decoder.obj(bound))
    return f"<method-wrapper '{name}' of {kind} object at {bound:#x}>"


@decodes("super")
def super_(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode super(): type, obj, obj_type (Objects/typeobject.c)."""
    kind, _bound, of = (decoder.word(obj, index) for index in range(3))
    name = decoder.types.type_at(kind).full_name if kind else "NULL"
    if of:
        return f"<super: <class '{name}'>, <{decoder.types.type_at(of).full_name} object>>"
    return f"<super: <class '{name}'>, NULL>"


@decodes("types.SimpleNamespace")
def simple_namespace(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a types.SimpleNamespace."""
    contents = decoder.field(obj.address, "_PyNamespaceObject", "ns_dict")
    name = "namespace" if obj.is_exact else obj.type.name
    count = decoder.field(contents, "PyDictObject", "ma_used")
    with decoder.entering_container(obj.address) as is_first:
        if not is_first:
            return f"{name}(...)"
        return f"{name}({decoder.join_text(decoder.keyword_texts(contents), count)})"

# SPDX-License-Identifier: Apache-2.0
"""Functions, classes, modules, code, generators, cells, exceptions and other plumbing."""

from __future__ import annotations

from gdb_epi.cpython.values.core import Obj, Painter, Undecodable, decodes
from gdb_epi.errors import Absent

MAX_NAME = 4096


@decodes("function")
def function(painter: Painter, found: Obj) -> str:
    """Decode a Python function."""
    name = painter.string(painter.field(found.address, "PyFunctionObject", "func_qualname"))
    return f"<function {name} at {found.address:#x}>"


@decodes("method")
def method(painter: Painter, found: Obj) -> str:
    """Decode a bound method: its function's qualname and what it is bound to."""
    called = painter.field(found.address, "PyMethodObject", "im_func")
    bound = painter.field(found.address, "PyMethodObject", "im_self")
    name = "?"
    if painter.obj(called).lineage.ident == "function":
        name = painter.string(painter.field(called, "PyFunctionObject", "func_qualname"))
    else:
        painter.inexact()
    if not painter.enter(found.address):
        return "..."
    try:
        return f"<bound method {name} of {painter.show(bound)}>"
    finally:
        painter.leave(found.address)


@decodes("builtin_function_or_method")
def builtin(painter: Painter, found: Obj) -> str:
    """Decode a built-in function, or a method of an object of a built-in type."""
    definition = painter.field(found.address, "PyCFunctionObject", "m_ml")
    name = painter.reader.c_string(painter.field(definition, "PyMethodDef", "ml_name"), MAX_NAME)
    if isinstance(name, Absent):
        raise Undecodable(f"its name: {name.detail}")
    bound = painter.field(found.address, "PyCFunctionObject", "m_self")
    if not bound or painter.obj(bound).lineage.ident == "module":
        return f"<built-in function {name}>"
    owner = painter.type_name(painter.obj(bound))
    return f"<built-in method {name} of {owner} object at {bound:#x}>"


@decodes("type")
def class_(painter: Painter, found: Obj) -> str:
    """Decode a class."""
    info = painter.world.types.at(found.address)
    if not info.qualname:
        raise Undecodable("its name lies in memory that nobody has")
    return f"<class '{info.shown}'>"


@decodes("module")
def module(painter: Painter, found: Obj) -> str:
    """Decode a module as importlib's _module_repr() does, from its __spec__ or __file__."""
    contents = painter.field(found.address, "PyModuleObject", "md_dict")
    name = painter.world.objects.dict_get(contents, "__name__")
    shown = "'?'" if isinstance(name, Absent) else painter.show(name)
    spec = painter.world.objects.dict_get(contents, "__spec__")
    if not isinstance(spec, Absent) and painter.obj(spec).lineage.ident != "NoneType":
        return _by_spec(painter, spec, shown)
    file = painter.world.objects.dict_get(contents, "__file__")
    if isinstance(file, Absent):
        loader = painter.world.objects.dict_get(contents, "__loader__")
        if isinstance(loader, Absent) or painter.ident(loader) != "NoneType":
            painter.inexact()  # its loader's repr may be part of it
        return f"<module {shown}>"
    return f"<module {shown} from {painter.show(file)}>"


def _by_spec(painter: Painter, spec: int, shown: str) -> str:
    get = painter.world.objects.attribute
    name, origin, has_file = (get(spec, n) for n in ("name", "origin", "_set_fileattr"))
    if isinstance(origin, Absent) or isinstance(has_file, Absent) or isinstance(name, Absent):
        painter.inexact()
        return f"<module {shown}>"
    shown = painter.show(name)
    if painter.obj(origin).lineage.ident == "NoneType":
        return _without_origin(painter, spec, shown)
    if painter.show(has_file) == "True":
        return f"<module {shown} from {painter.show(origin)}>"
    return f"<module {shown} ({painter.string(origin)})>"


def _without_origin(painter: Painter, spec: int, shown: str) -> str:
    # `sys` of the older versions: the loader's own method says what it is.
    loader = painter.world.objects.attribute(spec, "loader")
    loaders = [] if isinstance(loader, Absent) else [loader]
    for one in loaders:
        is_class = painter.obj(one).lineage.ident == "type"
        if is_class and painter.world.types.at(one).qualname == "BuiltinImporter":
            return f"<module {shown} (built-in)>"
    painter.inexact()
    return f"<module {shown}>"


@decodes("code")
def code(painter: Painter, found: Obj) -> str:
    """Decode a code object."""
    layout, reader = painter.layout, painter.reader
    name = painter.string(painter.field(found.address, "PyCodeObject", "co_name"))
    file = painter.string(painter.field(found.address, "PyCodeObject", "co_filename"))
    line = reader.u32(found.address + layout.require("PyCodeObject", "co_firstlineno"))
    line = line - (1 << 32) if line >> 31 else line
    where = f'file "{file}", line {line or -1}'
    return f"<code object {name} at {found.address:#x}, {where}>"


@decodes("cell")
def cell(painter: Painter, found: Obj) -> str:
    """Decode a cell itself; variables show what is in it."""
    inside = painter.field(found.address, "PyCellObject", "ob_ref")
    if not inside:
        return f"<cell at {found.address:#x}: empty>"
    name = painter.type_name(painter.obj(inside))
    return f"<cell at {found.address:#x}: {name} object at {inside:#x}>"


@decodes("BaseException")
def exception(painter: Painter, found: Obj) -> str:
    """Decode an exception: its class and arguments."""
    args = painter.field(found.address, "PyBaseExceptionObject", "args")
    shown = painter.obj(args)
    if shown.lineage.ident != "tuple":
        raise Undecodable("its arguments are no tuple")
    if not found.type.name:
        raise Undecodable("its type has no name")
    if not painter.enter(found.address):
        return "..."
    try:
        text = painter.show(args)
    finally:
        painter.leave(found.address)
    # A single argument is shown without the comma of a 1-tuple.
    return found.type.name + (text[:-2] + ")" if text.endswith(",)") else text)


@decodes("ImportError")
def import_error(painter: Painter, found: Obj) -> str:
    """Decode an ImportError; 3.15 gave it a repr that shows its name and path, too."""
    text = exception(painter, found)
    extra = ""
    for name in ("name", "path"):
        value = painter.field(found.address, "PyImportErrorObject", name)
        if value and painter.ident(value) != "NoneType":
            extra += f", {name}={painter.show(value)}"
    inside = text[:-1] + extra if not text.endswith("()") else text[:-1] + extra[2:]
    return f"{inside})"


@decodes("BaseExceptionGroup")
def exception_group(painter: Painter, found: Obj) -> str:
    """Decode a group; newer releases show the exceptions that it holds, whatever args became."""
    struct = "PyBaseExceptionGroupObject"
    message = painter.field(found.address, struct, "msg")
    args = painter.field(found.address, "PyBaseExceptionObject", "args")
    start = args + painter.world.offset("PyTupleObject", "ob_item")
    if painter.ident(args) != "tuple" or painter.signed(args, "PyTupleObject", "ob_size") != 2:
        raise Undecodable("its arguments are no pair")
    given = painter.ident(painter.reader.u64(start + 8))
    held = painter.field(found.address, struct, "excs")
    if given not in ("list", "tuple") or painter.ident(held) != "tuple":
        raise Undecodable("its exceptions are of a shape that is not known")
    if not painter.enter(found.address):
        return "..."
    try:
        shown = painter.show(held)
    finally:
        painter.leave(found.address)
    if given == "list":
        shown = f"[{shown[1:-1].removesuffix(',')}]"
    return f"{painter.class_name(found)}({painter.show(message)}, {shown})"


_DESCRIPTORS = {
    "member_descriptor": "member",
    "getset_descriptor": "attribute",
    "method_descriptor": "method",
    "wrapper_descriptor": "slot wrapper",
}


@decodes(*_DESCRIPTORS)
def descriptor(painter: Painter, found: Obj) -> str:
    """Decode the descriptors that C types and `__slots__` put into classes."""
    name = painter.string(painter.field(found.address, "PyMemberDescrObject", "d_common.d_name"))
    owner = painter.field(found.address, "PyMemberDescrObject", "d_common.d_type")
    kind, of = _DESCRIPTORS[found.lineage.ident], painter.world.types.at(owner).full_name
    if not of:
        raise Undecodable("its type has no name")
    return f"<{kind} '{name}' of '{of}' objects>"


@decodes("types.SimpleNamespace")
def namespace(painter: Painter, found: Obj) -> str:
    """Decode a types.SimpleNamespace."""
    contents = painter.field(found.address, "_PyNamespaceObject", "ns_dict")
    is_itself = found.type.address == found.lineage.root.address
    name = "namespace" if is_itself else found.type.name
    count = painter.field(contents, "PyDictObject", "ma_used")
    if not painter.enter(found.address):
        return f"{name}(...)"
    try:
        pairs = painter.world.objects.dict_items(contents)
        texts = (f"{painter.string(key)}={painter.show(value)}" for key, value in pairs)
        return f"{name}({painter.join_text(texts, count)})"
    finally:
        painter.leave(found.address)


@decodes("functools.partial")
def partial(painter: Painter, found: Obj) -> str:
    """Decode a functools.partial."""
    at = {n: painter.field(found.address, "partialobject", n) for n in ("fn", "args", "kw")}
    args, kinds = at["args"], painter.obj(at["kw"]).lineage.ident
    if painter.obj(args).lineage.ident != "tuple" or kinds != "dict":
        raise Undecodable("its arguments are no tuple and dict")
    name = painter.type_name(found)
    if found.type.python_class and painter.layout.offset("ThreadHandle", "state") is not None:
        name = f"{found.type.module}.{found.type.qualname}"  # 3.13
    if not painter.enter(found.address):
        return "..."
    try:
        return f"{name}({painter.join_text(_parts(painter, at), _count(painter, at))})"
    finally:
        painter.leave(found.address)


def _count(painter: Painter, at: dict[str, int]) -> int:
    positional = painter.signed(at["args"], "PyTupleObject", "ob_size")
    return 1 + positional + painter.signed(at["kw"], "PyDictObject", "ma_used")


def _parts(painter: Painter, at: dict[str, int]) -> list[str]:
    count = painter.signed(at["args"], "PyTupleObject", "ob_size")
    start = at["args"] + painter.world.offset("PyTupleObject", "ob_item")
    texts = [painter.show(at["fn"])]
    texts += [painter.show(item) for item in painter.items(start, count, "arguments")]
    for number, (key, value) in enumerate(painter.world.objects.dict_items(at["kw"])):
        if number >= painter.limits.width:
            break
        texts.append(f"{painter.string(key)}={painter.show(value)}")
    return texts

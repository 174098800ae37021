# SPDX-License-Identifier: Apache-2.0
"""Functions, classes, modules, code, generators, cells, exceptions and other plumbing."""

from __future__ import annotations

from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes
from gdb_epi.errors import Absent

MAX_NAME = 4096


@decodes("function")
def function(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a Python function."""
    name = decoder.string(decoder.field(found.address, "PyFunctionObject", "func_qualname"))
    return f"<function {name} at {found.address:#x}>"


@decodes("method")
def method(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a bound method: its function's qualname and what it is bound to."""
    called = decoder.field(found.address, "PyMethodObject", "im_func")
    bound = decoder.field(found.address, "PyMethodObject", "im_self")
    name = "?"
    if decoder.obj(called).lineage.ident == "function":
        name = decoder.string(decoder.field(called, "PyFunctionObject", "func_qualname"))
    else:
        decoder.inexact()
    if not decoder.enter(found.address):
        return "..."
    try:
        return f"<bound method {name} of {decoder.show(bound)}>"
    finally:
        decoder.leave(found.address)


@decodes("builtin_function_or_method")
def builtin(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a built-in function, or a method of an object of a built-in type."""
    definition = decoder.field(found.address, "PyCFunctionObject", "m_ml")
    name = decoder.reader.c_string(decoder.field(definition, "PyMethodDef", "ml_name"), MAX_NAME)
    if isinstance(name, Absent):
        raise Undecodable(f"its name: {name.detail}")
    bound = decoder.field(found.address, "PyCFunctionObject", "m_self")
    if not bound or decoder.obj(bound).lineage.ident == "module":
        return f"<built-in function {name}>"
    owner = decoder.type_name(decoder.obj(bound))
    return f"<built-in method {name} of {owner} object at {bound:#x}>"


@decodes("type")
def class_(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a class."""
    info = decoder.context.types.at(found.address)
    if not info.qualname:
        raise Undecodable("its name lies in memory that nobody has")
    return f"<class '{info.shown}'>"


@decodes("module")
def module(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a module as importlib's _module_repr() does, from its __spec__ or __file__."""
    contents = decoder.field(found.address, "PyModuleObject", "md_dict")
    name = decoder.context.objects.dict_get(contents, "__name__")
    shown = "'?'" if isinstance(name, Absent) else decoder.show(name)
    spec = decoder.context.objects.dict_get(contents, "__spec__")
    if not isinstance(spec, Absent) and decoder.obj(spec).lineage.ident != "NoneType":
        return _by_spec(decoder, spec, shown)
    file = decoder.context.objects.dict_get(contents, "__file__")
    if isinstance(file, Absent):
        loader = decoder.context.objects.dict_get(contents, "__loader__")
        if isinstance(loader, Absent) or decoder.ident(loader) != "NoneType":
            decoder.inexact()  # its loader's repr may be part of it
        return f"<module {shown}>"
    return f"<module {shown} from {decoder.show(file)}>"


def _by_spec(decoder: ReprDecoder, spec: int, shown: str) -> str:
    get = decoder.context.objects.attribute
    name, origin, has_file = (get(spec, n) for n in ("name", "origin", "_set_fileattr"))
    if isinstance(origin, Absent) or isinstance(has_file, Absent) or isinstance(name, Absent):
        decoder.inexact()
        return f"<module {shown}>"
    shown = decoder.show(name)
    if decoder.obj(origin).lineage.ident == "NoneType":
        return _without_origin(decoder, spec, shown)
    if decoder.show(has_file) == "True":
        return f"<module {shown} from {decoder.show(origin)}>"
    return f"<module {shown} ({decoder.string(origin)})>"


def _without_origin(decoder: ReprDecoder, spec: int, shown: str) -> str:
    # `sys` of the older versions: the loader's own method says what it is.
    loader = decoder.context.objects.attribute(spec, "loader")
    loaders = [] if isinstance(loader, Absent) else [loader]
    for one in loaders:
        is_class = decoder.obj(one).lineage.ident == "type"
        if is_class and decoder.context.types.at(one).qualname == "BuiltinImporter":
            return f"<module {shown} (built-in)>"
    decoder.inexact()
    return f"<module {shown}>"


@decodes("code")
def code(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a code object."""
    layout, reader = decoder.layout, decoder.reader
    name = decoder.string(decoder.field(found.address, "PyCodeObject", "co_name"))
    file = decoder.string(decoder.field(found.address, "PyCodeObject", "co_filename"))
    line = reader.u32(found.address + layout.require("PyCodeObject", "co_firstlineno"))
    line = line - (1 << 32) if line >> 31 else line
    where = f'file "{file}", line {line or -1}'
    return f"<code object {name} at {found.address:#x}, {where}>"


@decodes("cell")
def cell(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a cell itself; variables show what is in it."""
    inside = decoder.field(found.address, "PyCellObject", "ob_ref")
    if not inside:
        return f"<cell at {found.address:#x}: empty>"
    name = decoder.type_name(decoder.obj(inside))
    return f"<cell at {found.address:#x}: {name} object at {inside:#x}>"


@decodes("BaseException")
def exception(decoder: ReprDecoder, found: Obj) -> str:
    """Decode an exception: its class and arguments."""
    args = decoder.field(found.address, "PyBaseExceptionObject", "args")
    shown = decoder.obj(args)
    if shown.lineage.ident != "tuple":
        raise Undecodable("its arguments are no tuple")
    if not found.type.name:
        raise Undecodable("its type has no name")
    if not decoder.enter(found.address):
        return "..."
    try:
        text = decoder.show(args)
    finally:
        decoder.leave(found.address)
    # A single argument is shown without the comma of a 1-tuple.
    return found.type.name + (text[:-2] + ")" if text.endswith(",)") else text)


@decodes("ImportError")
def import_error(decoder: ReprDecoder, found: Obj) -> str:
    """Decode an ImportError; 3.15 gave it a repr that shows its name and path, too."""
    text = exception(decoder, found)
    extra = ""
    for name in ("name", "path"):
        value = decoder.field(found.address, "PyImportErrorObject", name)
        if value and decoder.ident(value) != "NoneType":
            extra += f", {name}={decoder.show(value)}"
    inside = text[:-1] + extra if not text.endswith("()") else text[:-1] + extra[2:]
    return f"{inside})"


@decodes("BaseExceptionGroup")
def exception_group(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a group; newer releases show the exceptions that it holds, whatever args became."""
    struct = "PyBaseExceptionGroupObject"
    message = decoder.field(found.address, struct, "msg")
    args = decoder.field(found.address, "PyBaseExceptionObject", "args")
    start = args + decoder.context.offset("PyTupleObject", "ob_item")
    if decoder.ident(args) != "tuple" or decoder.signed(args, "PyTupleObject", "ob_size") != 2:
        raise Undecodable("its arguments are no pair")
    given = decoder.ident(decoder.reader.u64(start + 8))
    held = decoder.field(found.address, struct, "excs")
    if given not in ("list", "tuple") or decoder.ident(held) != "tuple":
        raise Undecodable("its exceptions are of a shape that is not known")
    if not decoder.enter(found.address):
        return "..."
    try:
        shown = decoder.show(held)
    finally:
        decoder.leave(found.address)
    if given == "list":
        shown = f"[{shown[1:-1].removesuffix(',')}]"
    return f"{decoder.class_name(found)}({decoder.show(message)}, {shown})"


_DESCRIPTORS = {
    "member_descriptor": "member",
    "getset_descriptor": "attribute",
    "method_descriptor": "method",
    "wrapper_descriptor": "slot wrapper",
}


@decodes(*_DESCRIPTORS)
def descriptor(decoder: ReprDecoder, found: Obj) -> str:
    """Decode the descriptors that C types and `__slots__` put into classes."""
    name = decoder.string(decoder.field(found.address, "PyMemberDescrObject", "d_common.d_name"))
    owner = decoder.field(found.address, "PyMemberDescrObject", "d_common.d_type")
    kind, of = _DESCRIPTORS[found.lineage.ident], decoder.context.types.at(owner).full_name
    if not of:
        raise Undecodable("its type has no name")
    return f"<{kind} '{name}' of '{of}' objects>"


@decodes("types.SimpleNamespace")
def namespace(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a types.SimpleNamespace."""
    contents = decoder.field(found.address, "_PyNamespaceObject", "ns_dict")
    is_itself = found.type.address == found.lineage.root.address
    name = "namespace" if is_itself else found.type.name
    count = decoder.field(contents, "PyDictObject", "ma_used")
    if not decoder.enter(found.address):
        return f"{name}(...)"
    try:
        pairs = decoder.context.objects.dict_items(contents)
        texts = (f"{decoder.string(key)}={decoder.show(value)}" for key, value in pairs)
        return f"{name}({decoder.join_text(texts, count)})"
    finally:
        decoder.leave(found.address)


@decodes("functools.partial")
def partial(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a functools.partial."""
    at = {n: decoder.field(found.address, "partialobject", n) for n in ("fn", "args", "kw")}
    args, kinds = at["args"], decoder.obj(at["kw"]).lineage.ident
    if decoder.obj(args).lineage.ident != "tuple" or kinds != "dict":
        raise Undecodable("its arguments are no tuple and dict")
    name = decoder.type_name(found)
    if found.type.python_class and decoder.layout.offset("ThreadHandle", "state") is not None:
        name = f"{found.type.module}.{found.type.qualname}"  # 3.13
    if not decoder.enter(found.address):
        return "..."
    try:
        return f"{name}({decoder.join_text(_parts(decoder, at), _count(decoder, at))})"
    finally:
        decoder.leave(found.address)


def _count(decoder: ReprDecoder, at: dict[str, int]) -> int:
    positional = decoder.signed(at["args"], "PyTupleObject", "ob_size")
    return 1 + positional + decoder.signed(at["kw"], "PyDictObject", "ma_used")


def _parts(decoder: ReprDecoder, at: dict[str, int]) -> list[str]:
    count = decoder.signed(at["args"], "PyTupleObject", "ob_size")
    start = at["args"] + decoder.context.offset("PyTupleObject", "ob_item")
    texts = [decoder.show(at["fn"])]
    texts += [decoder.show(item) for item in decoder.items(start, count, "arguments")]
    for number, (key, value) in enumerate(decoder.context.objects.dict_items(at["kw"])):
        if number >= decoder.limits.width:
            break
        texts.append(f"{decoder.string(key)}={decoder.show(value)}")
    return texts

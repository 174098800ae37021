# SPDX-License-Identifier: Apache-2.0
"""Names of static types whose own text lies in a file that is not here.

tp_name of a type that C code defines points into the read-only data of its library, which no core
holds. The dicts of modules, which every core holds, name most of these types too.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from itertools import islice

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory

MAX_MODULES = 5_000
MAX_MODULE_ENTRIES = 20_000
MAX_NAME = 256
MAX_PATH = 4096

# Modules whose dicts name types where tp_name cannot be read, and names that differ there.
_NAMING_MODULES = ("builtins", "types", "_collections", "datetime", "_datetime", "_decimal")
# Objects of `builtins` that tell the name of their type.
_INSTANCES = {
    "None": "NoneType",
    "Ellipsis": "ellipsis",
    "NotImplemented": "NotImplementedType",
    "len": "builtin_function_or_method",
}
_ALIASES = {
    "types.FunctionType": "function",
    "types.CodeType": "code",
    "types.GeneratorType": "generator",
    "types.CoroutineType": "coroutine",
    "types.AsyncGeneratorType": "async_generator",
    "types.MethodType": "method",
    "types.BuiltinFunctionType": "builtin_function_or_method",
    "types.ModuleType": "module",
    "types.CellType": "cell",
    "types.MappingProxyType": "mappingproxy",
    "types.MemberDescriptorType": "member_descriptor",
    "types.FrameType": "frame",
    "types.TracebackType": "traceback",
    "types.WrapperDescriptorType": "wrapper_descriptor",
    "types.MethodWrapperType": "method-wrapper",
    "types.MethodDescriptorType": "method_descriptor",
    "types.ClassMethodDescriptorType": "classmethod_descriptor",
    "types.GetSetDescriptorType": "getset_descriptor",
    "_collections.deque": "collections.deque",
    "_collections.defaultdict": "collections.defaultdict",
    "_collections.OrderedDict": "collections.OrderedDict",
    "_decimal.Decimal": "decimal.Decimal",
    "_functools.partial": "functools.partial",
    "greenlet._greenlet.greenlet": "greenlet.greenlet",
}
# What C modules call their types, where it is not the module's own name.
_PREFIXES = {
    "builtins.": "",
    "_operator.": "operator.",
    "numpy._core._multiarray_umath.": "numpy.",
    "numpy.core._multiarray_umath.": "numpy.",
}


class StaticTypeNames:
    """The types that the dicts of one process's modules name; read when first asked."""

    def __init__(self, reader: MemoryReader, interpreters: tuple[int, ...]) -> None:
        self._reader = reader
        self._objects = NamespaceReader(reader)
        self._interpreters = interpreters  # PyInterpreterState *

    def name(self, type_address: int) -> str | None:
        """Return what tp_name of a PyTypeObject says; None where no dict names the type."""
        # Also asked about words that are not types: in most processes the dicts need not be read.
        return self._names.get(type_address) if self._is_type(type_address) else None

    @cached_property
    def _names(self) -> dict[int, str]:
        names: dict[int, str] = {}
        for interpreter in self._interpreters:
            for module in _NAMING_MODULES:
                contents = self._objects.module_dict(interpreter, module)
                if not isinstance(contents, Absent):
                    self._read(module, contents, names)
            with suppress(UnreadableMemory, LayoutError):
                self._read_c_modules(interpreter, names)
        return names

    def _read_c_modules(self, interpreter: int, names: dict[int, str]) -> None:
        """Read the modules that no Python source made: built-in ones and extensions."""
        modules = self._objects.sys_modules(interpreter)
        if isinstance(modules, Absent) or not modules:
            return
        dict_at = self._reader.layout.require("PyModuleObject", "md_dict")
        for key, module in islice(self._objects.dict_items(modules), MAX_MODULES):
            name = self._reader.string(key, MAX_NAME)
            if isinstance(name, Absent) or name in _NAMING_MODULES:
                continue
            with suppress(UnreadableMemory, LayoutError):
                contents = self._reader.u64(module + dict_at)
                file = self._objects.dict_get(contents, "__file__")
                path = None if isinstance(file, Absent) else self._reader.string(file, MAX_PATH)
                if path is None or (not isinstance(path, Absent) and ".so" in path):
                    self._read(name, contents, names)

    def _read(self, module: str, contents: int, names: dict[int, str]) -> None:
        """Note the types in a module's dict (PyObject *)."""
        prefix = _PREFIXES.get(f"{module}.", f"{module}.")
        with suppress(UnreadableMemory, LayoutError):
            for key, value in islice(self._objects.dict_items(contents), MAX_MODULE_ENTRIES):
                name = self._reader.string(key, MAX_NAME)
                if isinstance(name, Absent):
                    continue
                if not prefix and name in _INSTANCES:
                    names.setdefault(self._reader.type_of(value), _INSTANCES[name])
                elif self._is_type(value):
                    full_name = f"{module}.{name}" if prefix else name
                    names.setdefault(value, _ALIASES.get(full_name, prefix + name))

    def _is_type(self, address: int) -> bool:
        """Tell whether an object's type is a type of types, by Py_TPFLAGS_TYPE_SUBCLASS."""
        try:
            flags = self._reader.field(self._reader.type_of(address), "PyTypeObject", "tp_flags")
        except UnreadableMemory:
            return False
        return bool(flags & (self._reader.layout.constant("Py_TPFLAGS_TYPE_SUBCLASS") or 0))

# SPDX-License-Identifier: Apache-2.0
"""Of what a dict is the namespace: a module, a class or an instance."""

from __future__ import annotations

from gdb_epi.cpython.heap import Heap
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import UnreadableMemory

MAX_OWNERS = 32  # dicts of instances whose owners are looked for in all memory


class Namespaces:
    """Name the owners of the dicts of one process."""

    def __init__(self, heap: Heap, python: PythonState) -> None:
        self._heap = heap
        self._python = python
        self._reader = heap.reader
        self._access = heap.access
        self._known: dict[int, str] | None = None
        self._cap = 0

    def owner(self, holder: int) -> str | None:
        """Return whose namespace a dict is, in words; raises OutOfTime."""
        known = self._modules_and_classes()
        if holder not in known and len(known) < self._cap:
            for at in self._heap.search.words(holder):
                instance = self._heap.enclosing(at)
                if instance is not None and self._is_namespace(instance, at):
                    known[holder] = f"{self._access.type_name(instance)} at {instance:#x}"
                    break
        return known.get(holder)

    def _is_namespace(self, instance: int, at: int) -> bool:
        layout = self._reader.layout
        try:
            kind = self._reader.type_of(instance)
            offset = self._reader.i64(kind + layout.require("PyTypeObject", "tp_dictoffset"))
        except UnreadableMemory:
            return False
        return offset > 0 and at == instance + offset

    def _modules_and_classes(self) -> dict[int, str]:
        if self._known is None:
            types = self._heap.types().values()
            self._known = {one.dict: f"class {one.shown}" for one in types if one.dict}
            at = self._reader.layout.offset("PyInterpreterState", "imports.modules", "modules")
            dict_at = self._reader.layout.require("PyModuleObject", "md_dict")
            for interpreter in self._python.interpreters if at is not None else ():
                modules = self._reader.u64(interpreter.address + (at or 0))
                for key, value in self._access.pairs(modules):
                    name = self._access.text(key, 4096)
                    if name and self._access.ident(value) == "module":
                        self._known[self._reader.u64(value + dict_at)] = f"module {name}"
            self._cap = len(self._known) + MAX_OWNERS
        return self._known

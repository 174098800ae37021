# SPDX-License-Identifier: Apache-2.0
"""Name a Python object by the module global, or the attribute of one, that holds it.

Only references that were walked to count: a str that happens to lie before the pointer in memory
(a local variable on the data stack) is no name.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from gdb_epi.locks.python.view import LockWorld

MAX_MODULES = 48
MAX_ENTRIES = 20_000  # globals and attributes looked at in all
MAX_NAME = 256
_SKIP = frozenset(
    ("module", "type", "function", "builtin_function_or_method", "str", "int", "float", "NoneType",
     "bool", "tuple", "list", "dict", "bytes", "set", "frozenset", "method", "cell", "code")
)  # fmt: skip


class Names:
    """Where the objects of some modules live; built once, on first use."""

    def __init__(self, world: LockWorld, modules: Sequence[str]) -> None:
        self._world = world
        self._left = MAX_ENTRIES
        self._known: dict[int, str] = {}
        deeper: list[tuple[int, str]] = []
        # What the threads run in, and where the standard library keeps its locks.
        wanted = dict.fromkeys(("__main__", *modules, "logging"))
        for module in list(wanted)[:MAX_MODULES]:
            deeper += self._globals(module)
        for address, path in deeper:
            for attribute, value in world.attributes(address):
                self._known.setdefault(value, f"{path}.{attribute}")
                self._left -= 1
            if self._left <= 0:
                return

    def of(self, address: int) -> str | None:
        """Return a name, None when none of the modules refers to the object."""
        return self._known.get(address)

    def _globals(self, module: str) -> list[tuple[int, str]]:
        """Take a module's globals in; return those whose attributes are worth a look."""
        world, deeper = self._world, []
        interpreters = world.python.interpreters[:1]
        try:
            for interpreter in interpreters:
                contents = world.objects.module_dict(interpreter.address, module)
                if isinstance(contents, Absent):
                    continue
                for key, value in world.objects.dict_items(contents):
                    self._left -= 1
                    kind = world.locks.type_name(value)
                    if kind in _SKIP:
                        continue
                    name = world.reader.string(key, MAX_NAME)
                    if isinstance(name, Absent):
                        continue
                    self._known.setdefault(value, f"{module}.{name}")
                    deeper.append((value, f"{module}.{name}"))
        except (UnreadableMemory, LayoutError):
            pass
        return deeper

# SPDX-License-Identifier: Apache-2.0
"""Name a Python object by the module attribute, or the attribute of one, that holds it.

Only references that were walked to count: a str that happens to lie before the pointer in memory
(a local variable on the data stack) is no name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.lean import TYPE_CHECKING

if TYPE_CHECKING:
    from gdb_epi.cpython.objects import Objects
    from gdb_epi.cpython.reader import Reader

MAX_MODULES = 32
MAX_ENTRIES = 20_000  # dict entries and attributes looked at
MAX_NAME = 256


def module_attribute(
    reader: Reader, python: PythonState, wanted: int, modules: Sequence[str]
) -> str | None:
    """Return `module.NAME` or `module.NAME.attribute` that refers to the object `wanted`.

    Only `modules` are walked (those that the threads run in), and one level of attributes.
    """
    from gdb_epi.cpython.objects import Objects

    objects = Objects(reader)
    left = MAX_ENTRIES
    for module, contents in _module_dicts(reader, objects, python, modules):
        values: list[tuple[str, int]] = []
        for name, value in _named(reader, objects.dict_items(contents)):
            if value == wanted:
                return f"{module}.{name}"
            values.append((name, value))
        for name, value in values:
            for attribute, inner in _named(reader, objects.attributes(value)):
                left -= 1
                if inner == wanted:
                    return f"{module}.{name}.{attribute}"
            left -= 1
            if left <= 0:
                return None
    return None


def _named(reader: Reader, pairs: Iterator[tuple[int, int]]) -> Iterator[tuple[str, int]]:
    """Yield (name, object); unreadable parts end the walk of this container."""
    try:
        for key, value in pairs:
            text = reader.string(key, MAX_NAME)
            if not isinstance(text, Absent):
                yield text, value
    except (UnreadableMemory, LayoutError):
        return


def _module_dicts(
    reader: Reader, objects: Objects, python: PythonState, wanted: Sequence[str]
) -> Iterator[tuple[str, int]]:
    layout = python.layout
    at = layout.offset("PyInterpreterState", "imports.modules", "modules")
    if at is None:
        return
    for interpreter in python.interpreters[:MAX_MODULES]:
        try:
            modules = reader.u64(interpreter.address + at)
            for name in list(dict.fromkeys(wanted))[:MAX_MODULES]:
                module = objects.dict_get(modules, name) if modules else None
                if module is None or isinstance(module, Absent):
                    continue
                contents = reader.u64(module + layout.require("PyModuleObject", "md_dict"))
                if contents:
                    yield name, contents
        except (UnreadableMemory, LayoutError):
            continue

# SPDX-License-Identifier: Apache-2.0
"""Which threads refer to an object, and by which name: who could notify, put, set or release it.

A thread refers to an object when a variable in its frames is the object or has it as a direct
attribute: that is how code reaches the object, unless it goes through globals.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import islice

from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.locks.python.python_view import PythonView

MAX_FRAMES = 40  # of one thread
MAX_THREADS = 1_000
MAX_ATTRIBUTES = 64
_PLAIN = frozenset(("str", "int", "float", "bytes", "bool", "NoneType", "module", "type", "dict",
                    "tuple", "list", "function", "code"))  # fmt: skip

# Bound methods: struct, and the member that is the object whose method it is.
METHODS = {
    "method": ("PyMethodObject", "im_self"),
    "builtin_function_or_method": ("PyCFunctionObject", "m_self"),
}


class FrameReferences:
    """The objects that the frames of every thread refer to."""

    def __init__(self, view: PythonView) -> None:
        self._view = view

    def threads_referring_to(self, address: int) -> set[int]:
        """Return the threads whose frames refer to an object."""
        return {tid for tid, _ in self._references_by_object.get(address, ())}

    def variable_name(self, address: int, tid: int | None = None) -> str:
        """Return what code calls an object: "queue", "self.done"; "" when no frame names it."""
        names = [
            name for thread, name in self._references_by_object.get(address, ())
            if name and (tid is None or thread == tid)
        ]  # fmt: skip
        names = [name for name in names if name != "self"]  # the object's own methods
        own = [name for name in names if not name.startswith("self._")]
        return self._view.name_of_object(address) or next(iter(own or names), "")

    def _objects_of_kept_method(self, value: int) -> Iterator[int]:
        """Yield what a method that an object keeps, as a Timer does, is a method of, and has."""
        if value & 7 or self._view.type_name(value) not in METHODS:
            return
        struct, member = METHODS[self._view.type_name(value)]
        try:
            reader = self._view.reader
            subject = reader.field(value, struct, member)
        except (UnreadableMemory, LayoutError):
            return
        if not subject or self._view.type_name(subject) in _PLAIN:
            return
        yield subject
        yield from (at for _, at in islice(self._view.attributes(subject), MAX_ATTRIBUTES))

    @cached_property
    def _references_by_object(self) -> dict[int, list[tuple[int, str]]]:
        by_object: dict[int, list[tuple[int, str]]] = {}
        view = self._view
        for tid, frames in list(view.all_frames().items())[:MAX_THREADS]:
            for frame in reversed(frames[:MAX_FRAMES]):  # the program's own names come first
                if frame.name == "<module>":  # its variables are globals, which any code can reach
                    continue
                for name, word in view.variable_addresses(frame):
                    by_object.setdefault(word, []).append((tid, name))
                    if word & 7 or view.type_name(word) in _PLAIN:
                        continue
                    for number, (attribute, value) in enumerate(view.attributes(word)):
                        if number == MAX_ATTRIBUTES:
                            break
                        by_object.setdefault(value, []).append((tid, f"{name}.{attribute}"))
                        for behind in self._objects_of_kept_method(value):
                            by_object.setdefault(behind, []).append((tid, ""))
        return by_object

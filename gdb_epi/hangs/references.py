# SPDX-License-Identifier: Apache-2.0
"""Which threads refer to an object, and by which name: who could notify, put, set or release it.

A thread refers to an object when a variable in its frames is the object or has it as a direct
attribute: that is how code reaches the object, unless it goes through globals.
"""

from __future__ import annotations

from functools import cached_property

from gdb_epi.locks.python.view import PythonView

MAX_FRAMES = 40  # of one thread
MAX_THREADS = 1_000
MAX_ATTRIBUTES = 64
_PLAIN = frozenset(("str", "int", "float", "bytes", "bool", "NoneType", "module", "type", "dict",
                    "tuple", "list", "function", "code"))  # fmt: skip


class References:
    """The objects that the frames of every thread refer to."""

    def __init__(self, view: PythonView) -> None:
        self._view = view

    def threads(self, address: int) -> set[int]:
        """Return the threads whose frames refer to an object."""
        return {tid for tid, _ in self._by_object.get(address, ())}

    def name(self, address: int, tid: int | None = None) -> str:
        """Return what code calls an object: "queue", "self.done"; "" when no frame names it."""
        names = [n for t, n in self._by_object.get(address, ()) if tid is None or t == tid]
        names = [name for name in names if name != "self"]  # the object's own methods
        own = [name for name in names if not name.startswith("self._")]
        return self._view.name(address) or next(iter(own or names), "")

    @cached_property
    def _by_object(self) -> dict[int, list[tuple[int, str]]]:
        by_object: dict[int, list[tuple[int, str]]] = {}
        view = self._view
        for tid, frames in list(view.all_frames().items())[:MAX_THREADS]:
            for frame in reversed(frames[:MAX_FRAMES]):  # the program's own names come first
                if frame.name == "<module>":  # its variables are globals, which any code can reach
                    continue
                for name, word in view.variable_addresses(frame):
                    by_object.setdefault(word, []).append((tid, name))
                    if word & 7 or view.locks.type_name(word) in _PLAIN:
                        continue
                    for number, (attribute, value) in enumerate(view.attributes(word)):
                        if number == MAX_ATTRIBUTES:
                            break
                        by_object.setdefault(value, []).append((tid, f"{name}.{attribute}"))
        return by_object

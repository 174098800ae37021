# SPDX-License-Identifier: Apache-2.0
"""What decoders of values need of one process, and what they found out about it."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.objects.attributes import Objects
from gdb_epi.cpython.objects.type_objects import TypeInfo, Types
from gdb_epi.cpython.reader import Reader
from gdb_epi.errors import Absent
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from gdb_epi.cpython.frames.coroutines import Coroutines
    from gdb_epi.cpython.values.repr_decoder import Decoder

MAX_NAME = 4096
MAX_MEMBER = 256
MAX_MEMBERS = 200


class ValueContext:
    """What decoders need of the process, and what they found out about its types."""

    def __init__(self, target: Target, reader: Reader, objects: Objects, types: Types) -> None:
        self.target = target
        self.reader = reader
        self.objects = objects
        self.types = types
        self.slots: dict[int, tuple[tuple[str, int], ...]] = {}  # by type: name and offset
        self.python_reprs: dict[int, Decoder | None] = {}  # by type
        self.repr_steps: dict[int, list[tuple[str, int]] | None] = {}  # by type
        self.attributes: dict[int, dict[str, int]] = {}  # by instance, of small ones
        self.facts: dict[str, bool] = {}  # what decoders found out about the standard library
        self.tables: dict[str, dict[int, str]] = {}  # what a module says its numbers mean
        self._names: dict[int, str | None] = {}
        self._offsets: dict[tuple[str, ...], int] = {}
        self._members: dict[int, dict[str, tuple[int, int]]] = {}
        self._coroutines: Coroutines | None = None

    @property
    def coroutines(self) -> Coroutines:
        """The reader of coroutines, generators and frame objects; made when needed."""
        if self._coroutines is None:
            from gdb_epi.cpython.frames.coroutines import Coroutines

            self._coroutines = Coroutines(self.reader, self.objects, self.types)
        return self._coroutines

    def members(self, info: TypeInfo) -> dict[str, tuple[int, int]]:
        """Return the members that a C type declares in tp_members: (offset, type) by name.

        They tell where the fields of a struct are whose definition no table has. Empty when the
        names lie in memory that nobody has.
        """
        found = self._members.get(info.address)
        if found is None:
            found = self._members[info.address] = dict(self._read_members(info))
        return found

    def _read_members(self, info: TypeInfo) -> Iterator[tuple[str, tuple[int, int]]]:
        reader, size = self.reader, self.reader.layout.size("PyMemberDef") or 0
        at = reader.u64(info.address + self.offset("PyTypeObject", "tp_members"))
        for _ in range(MAX_MEMBERS if at and size else 0):
            pointer = reader.u64(at + self.offset("PyMemberDef", "name"))
            name = reader.c_string(pointer, MAX_MEMBER) if pointer else None
            if name is None or isinstance(name, Absent):
                return
            kind = reader.u32(at + self.offset("PyMemberDef", "type"))
            yield name, (reader.i64(at + self.offset("PyMemberDef", "offset")), kind)
            at += size

    def offset(self, *path: str) -> int:
        """Return the offset of a struct's member, the first of those that there are."""
        found = self._offsets.get(path)
        if found is None:
            found = self._offsets[path] = self.reader.layout.require(path[0], *path[1:])
        return found

    def name(self, address: int) -> str | None:
        """Return an attribute's name out of its str object; None when it is damaged."""
        if address not in self._names:
            found = self.reader.string(address, MAX_NAME)
            self._names[address] = None if isinstance(found, Absent) else found
        return self._names[address]

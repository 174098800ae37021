# SPDX-License-Identifier: Apache-2.0
"""Whether the lock under a name now may be another one than the lock that code took by that name.

`self.lock.acquire()` keeps no reference to the lock. Where code that makes a new one (a reload, a
reconnect, a lock made on first use) stores it under the name again, a frame may have taken the lock
that was there before. What makes the object itself runs before anybody can take its lock.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice

from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.objects.type_objects import TypeReader
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.locks.python.call_sites import CallSites, MethodCall, read_name_tuple
from gdb_epi.locks.python.python_view import PythonView
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import memoized

MAX_BODIES = 5_000  # functions of the modules that threads run in, and of one class
MAX_CONSTANTS = 1_000  # of one code object
MAX_ENTRIES = 10_000  # of one module or class
# In a child the thread that took a lock is gone anyway: hooks of fork() are told by their names.
_MAKERS = frozenset(("__init__", "__new__", "__post_init__", "__setstate__"))


class NamedPlace(NamedTuple):
    """Where code found an object: an attribute of `owner`, or a global of the dict `owner`."""

    owner: int
    name: str


class _StoringCode(NamedTuple):
    """Code that may store: its globals, and for a method its class and what it calls the object."""

    code: int
    scope: int
    kind: int = 0
    subject: str = ""


class ReplacedLocks:
    """Find code that stores what is found in a place anew."""

    def __init__(
        self, view: PythonView, types: TypeReader, sites: CallSites, scopes: Iterable[int]
    ) -> None:
        self._view, self._types, self._sites = view, types, sites
        self._scopes = scopes  # globals of the modules whose code is looked at
        self._reader = view.reader
        self._containers = ContainerReader(view.reader)

    @memoized
    def may_be_stored_anew(self, place: NamedPlace) -> bool:
        """Tell whether code stores in a place, other than what makes its object."""
        with suppress(UnreadableMemory, LayoutError):
            classes = self._classes_of(place.owner)
            bodies = dict.fromkeys(islice(self._codes_that_may_store(classes), MAX_BODIES))
            names = {body: frozenset(read_name_tuple(self._reader, body.code, "co_names"))
                     for body in bodies}  # fmt: skip
            storing = (body for body in bodies if place.name in names[body])
            return any(
                self._stores_in_place(body, place, classes)
                and not self._creates_object(body, names)
                for body in storing
            )
        return False

    def _creates_object(
        self, body: _StoringCode, names: Mapping[_StoringCode, Collection[str]]
    ) -> bool:
        """Tell whether code makes an object, or is a method that only such code calls."""
        own = self._name_of(body.code)
        if own in _MAKERS or "fork" in own:
            return True
        callers = {
            self._name_of(each.code) for each, used in names.items()
            if own in used and any(
                call.path and call.name == own for call in self._sites.calls_of(each.code).calls
            )
        }  # fmt: skip
        return bool(callers) and callers <= _MAKERS

    def _name_of(self, code: int) -> str:
        return self._reader.text_field(code, "PyCodeObject", "co_name")

    def _stores_in_place(
        self, body: _StoringCode, place: NamedPlace, classes: tuple[int, ...]
    ) -> bool:
        for store in self._sites.calls_of(body.code).stores:
            kind, root = store.root
            if store.name != place.name:
                continue
            if not store.path:
                if body.scope == place.owner:
                    return True
            elif kind == "global":
                if self._owner_stored_into(store, body.scope) == place.owner:
                    return True
            elif root != body.subject or len(store.path) > 1 or body.kind in classes:
                return True  # an object that is not known, or this one
        return False

    def _owner_stored_into(self, store: MethodCall, scope: int) -> int:
        """Return the object whose attribute is stored, the dict of a module; 0 when unknown."""
        address = self._view.objects.dict_get(scope, store.root[1])
        for name in store.path[:-1]:
            if isinstance(address, Absent) or not address:
                return 0
            address = self._view.attribute(address, name) or 0
        return 0 if isinstance(address, Absent) else self.owner_address(address)

    def owner_address(self, address: int) -> int:
        """Return what keeps an object's attributes apart: of a module its dict, else itself."""
        if self._view.type_name(address) != "module":
            return address
        return self._reader.field(address, "PyModuleObject", "md_dict")

    def _classes_of(self, owner: int) -> tuple[int, ...]:
        kind = owner if self._view.type_name(owner) == "type" else self._reader.type_of(owner)
        return tuple(each.address for each in self._types.mro(self._types.type_at(kind)))

    def _codes_that_may_store(self, classes: tuple[int, ...]) -> Iterator[_StoringCode]:
        """Yield the code of some classes, and of the modules with all their classes."""
        for kind in classes:
            yield from self._codes_of_class(kind)
        for scope in self._scopes:
            for _, value in islice(self._view.objects.dict_items(scope), MAX_ENTRIES):
                if self._view.type_name(value) == "function":
                    yield from self._codes_of_function(value, 0)
                elif self._types.lineage(self._reader.type_of(value)).ident == "type":
                    yield from self._codes_of_class(value)

    def _codes_of_class(self, kind: int) -> Iterator[_StoringCode]:
        contents = self._types.type_at(kind).dict
        entries = self._view.objects.dict_items(contents) if contents else ()
        for _, value in islice(entries, MAX_ENTRIES):
            if self._view.type_name(value) in ("staticmethod", "classmethod", "property"):
                value = self._reader.u64(value + (self._reader.layout.size("PyObject") or 16))
            if self._view.type_name(value) == "function":
                yield from self._codes_of_function(value, kind)

    def _codes_of_function(self, function: int, kind: int) -> Iterator[_StoringCode]:
        """Yield a function's code and the code of functions that it makes."""
        scope = self._reader.field(function, "PyFunctionObject", "func_globals")
        codes = [self._reader.field(function, "PyFunctionObject", "func_code")]
        variables = self._sites.name_tables(codes[0]).variables if kind else []
        subject = variables[0] if variables else ""
        for code in codes:
            yield _StoringCode(code, scope, kind, subject)
            constants = self._reader.field(code, "PyCodeObject", "co_consts")
            inner = self._containers.tuple_items(constants)[:MAX_CONSTANTS]
            codes += [each for each in inner if self._view.type_name(each) == "code"]

# SPDX-License-Identifier: Apache-2.0
"""The functions of one process: which are the program's own, and which somebody keeps to call them.

What calls a function that is not known may call each one that somebody keeps beside its module or
class: more references than its name has are seen in its count.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property

from gdb_epi.cpython.heap.instances import shared_instances
from gdb_epi.cpython.types import PyFrame
from gdb_epi.cpython.values.process_values import PlainValues
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.hangs.frame_references import METHODS
from gdb_epi.hangs.library_calls import is_library_file
from gdb_epi.hangs.live.connected_protocols import UncalledProtocolMethods
from gdb_epi.hangs.live.effects import is_byte_in_ranges
from gdb_epi.hangs.live.library_effects import EVENT_LOOP, has_module_effect
from gdb_epi.locks.python.acquire_calls import AcquireCalls
from gdb_epi.locks.python.python_view import PythonView
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import default_when_unreadable, memoized

MAX_FUNCTIONS = 60_000  # of the process
MAX_PATH = 4096
MAX_NAME = 256
_OF_MODULES = ("__name__", "__file__")  # among the first in its dict (Objects/moduleobject.c)
_WEAK_REFERENCES = ("weakref", "weakref.ReferenceType", "ReferenceType")
_FUNCTION = ("f_funcobj.bits", "f_funcobj", "f_func")  # renamed in 3.12, tagged in 3.14
# What calls of classes and `with` lead to is followed; annotations are made by none of these.
_CALLED_BY_VALUES = frozenset((
    "__init__", "__new__", "__enter__", "__exit__", "__aenter__", "__aexit__", "__annotate__",
))  # fmt: skip
_PLAIN_BASES = frozenset(("", "builtins", "abc", "typing", "enum", "collections", "contextlib"))


class ProgramFunction(NamedTuple):
    """A function of the process: its address, code and globals, and how often it is referred to."""

    address: int
    code: int
    scope: int
    references: int


class ModuleOfGlobals(NamedTuple):
    """Whose globals a dict is."""

    name: str
    is_library: bool  # the standard library's, or a library of loops that is as quiet as asyncio
    is_own: bool  # the program's


class ProgramCode:
    """The functions of one process, and whose they are."""

    def __init__(
        self, view: PythonView, calls: AcquireCalls, is_installed: Callable[[str], bool],
        changes_of: Callable[[int, Collection[str]], list[int]], resting: Sequence[int] = (),
    ) -> None:  # fmt: skip
        self.view, self.calls, self._reader = view, calls, view.reader
        self._resting = resting  # code of the frames of greenlets
        self._is_installed, self._changes_of = is_installed, changes_of

    @cached_property
    def _functions(self) -> list[ProgramFunction]:
        """All functions that the collector knows. Raises LayoutError where it keeps no lists."""
        instances = shared_instances(self.view.target, self.view.python)
        functions = [each.address for each in instances.instances_of(("function",))[:MAX_FUNCTIONS]]
        if instances.problems or not functions:
            raise LayoutError("no list of all functions")
        require = self._reader.layout.require
        offsets = [require("PyFunctionObject", name) for name in ("func_code", "func_globals")]
        offsets.append(require("PyObject", "ob_refcnt"))
        columns = [instances.reader.words([at + offset for at in functions]) for offset in offsets]
        return [ProgramFunction(*each) for each in zip(functions, *columns, strict=True)]

    @cached_property
    def own_functions(self) -> dict[str, list[ProgramFunction]]:
        """The program's own functions, by the name of their code."""
        by_name: dict[str, list[ProgramFunction]] = {}
        scopes = {function.scope for function in self._functions}
        own = {scope for scope in scopes if self.module_of_globals(scope).is_own}
        for each in self._functions:
            if each.scope in own:
                by_name.setdefault(self.name_of_code(each.code), []).append(each)
        return by_name

    @cached_property
    def own_codes(self) -> frozenset[int]:
        """The code of the program's own functions."""
        return frozenset(each.code for named in self.own_functions.values() for each in named)

    def uses_any_name(self, names: Collection[str], frames: Iterable[PyFrame] = ()) -> bool:
        """Tell whether code of the program, or of some frames, has one of some names.

        Raises UnreadableMemory, LayoutError.
        """
        codes = self.own_codes.union(frame.code for frame in frames if frame.code)
        tables = (self.calls.sites.name_tuple(code, "co_names") for code in codes)
        return any(not table.isdisjoint(names) for table in map(frozenset, tables))

    @memoized
    def guarded_ranges_of_handlers(
        self, code: int, setup: str = "SETUP_FINALLY"
    ) -> list[tuple[int, int, int]]:
        """Return what handlers of errors guard, up to which byte, and where they are.

        Those of `with` blocks too since 3.11; before, `setup` begins the names of instructions.

        Raises UnreadableMemory, LayoutError.
        """
        sites = self.calls.sites
        if self._reader.layout.offset("PyCodeObject", "co_exceptiontable") is not None:
            return [
                (each.start, each.end, each.target)
                for each in self.view.slots.exception_table(code)
            ]
        # Up to 3.10 an instruction says where the handler is of what follows, until there.
        return [
            (instruction.end, target, target) for instruction in sites.instructions(code)
            if instruction.name.startswith(setup)
            and (target := sites.opcodes.jump_target(instruction.name, instruction.argument,
                                                     instruction.end))
        ]  # fmt: skip

    @cached_property
    def implicitly_called_methods(self) -> list[str]:
        """The program's methods that operators, statements and C code call without their names."""
        return [name for name in sorted(self.own_functions) if name[:2] == name[-2:] == "__" != name
                and name not in _CALLED_BY_VALUES]  # fmt: skip

    @cached_property
    def functions_named_in_no_code(self) -> list[ProgramFunction]:
        """The program's functions whose names stand in none of its code; the start of a thread has.

        Raises UnreadableMemory, LayoutError.
        """
        frames = (f.code for own in self.view.all_frames().values() for f in own)
        codes = {*frames, *(each.code for named in self.own_functions.values() for each in named)}
        tables = ("co_names", "co_varnames", "co_cellvars", "co_freevars")
        names = {"run", "<lambda>"}
        for code in codes:
            names.update(*(self.calls.sites.name_tuple(code, table) for table in tables))
            cells = self.calls.sites.name_tables(code)
            names.update(cells.variables, cells.cells)
        return [
            each
            for name, named in self.own_functions.items()
            if name not in names
            for each in named
        ]

    @cached_property
    def own_modules(self) -> frozenset[str]:
        """The names of the program's modules."""
        scopes = {
            function.scope for functions in self.own_functions.values() for function in functions
        }
        return frozenset(self.module_of_globals(scope).name for scope in scopes) - {""}

    def name_of_code(self, code: int) -> str:
        """Return the name of a code object."""
        return self._reader.text_field(code, "PyCodeObject", "co_name")

    @cached_property
    def functions_kept_to_be_called(self) -> list[tuple[ProgramFunction, int]]:
        """(function, self) of the program's functions that somebody may have to call them."""
        return [
            *self._referenced_functions,
            *((overriding_function, 0) for overriding_function in self.overriding_functions),
        ]

    @cached_property
    def _referenced_functions(self) -> list[tuple[ProgramFunction, int]]:
        """(function, self) of the program's functions that something beside their names refers to.

        A module or class has one reference, each frame that runs a function another one. So has a
        started thread: it has called its target, once.
        """
        alive = [frame for frames in self.view.all_frames().values() for frame in frames]
        resting = list(self._frames_of_suspended_functions())
        started = Counter(
            at for frames in self.view.all_frames().values() for at in self._thread_targets(frames)
        )
        variables = Counter(
            at for frame in (*alive, *resting) for _, at in self.view.variable_addresses(frame)
        )
        frames_refer = self._reader.layout.offset("_PyInterpreterFrame", "previous") is not None
        running = Counter([*self._resting, *(frame.code for frame in (*alive, *resting))])
        left = Counter(self._functions_of_finished_frames())
        bound: dict[int, list[int]] = {}
        instances = shared_instances(self.view.target, self.view.python)
        require = self._reader.layout.require
        to, of = (require("PyMethodObject", name) for name in ("im_func", "im_self"))
        for method in instances.instances_of(("method",)):
            with suppress(UnreadableMemory):
                function = self._reader.u64(method.address + to)
                subject = self._reader.u64(method.address + of)
                bound.setdefault(function, []).append(0 if method.address in started else subject)
        kept = []
        for each in (
            function for functions in self.own_functions.values() for function in functions
        ):
            methods = bound.get(each.address, [])
            name = self.name_of_code(each.code)
            frames, targets = running[each.code], started[each.address]
            targets += left[each.address]
            ordinary = 1 + frames + len(methods) + targets
            if "<locals>" in self._qualified_name(each) or name == "<lambda>":
                ordinary = frames * frames_refer + targets + variables[each.address]
            if (each.references & 0xFFFFFFFF) > ordinary:
                kept.append((each, 0))
            kept += [(each, subject) for subject in methods if subject]
        return kept

    def _thread_targets(self, frames: Sequence[PyFrame]) -> Iterator[int]:
        """Yield what the thread of some frames was started with (Lib/threading.py, run()).

        Twice where run() has it on its stack too: it calls f(*args) through C code up to 3.11.
        """
        for place, frame in enumerate(frames):
            if (frame.module, frame.name) == ("threading", "run"):
                target = self.view.attribute(self.view.variable(frame, "self"), "_target")
                if target:
                    yield from (target,) * (1 + (place > 0 and frames[place - 1].is_entry))

    def _frames_of_suspended_functions(self) -> Iterator[PyFrame]:
        """Yield the frames of generators and coroutines that rest, each with its function (3.11).

        bpo-44032 made frames keep it.
        """
        if self._reader.layout.offset("_PyInterpreterFrame", "previous") is not None:
            yield from self.suspended_frames

    def _functions_of_finished_frames(self) -> Iterator[int]:
        """Yield the functions of frames that are over and that somebody keeps, as a traceback does.

        Such a frame object has its function too (take_ownership() in Python/frame.c, 3.11 to 3.15).
        """
        layout = self._reader.layout
        at, size = layout.offset("PyFrameObject", "f_frame"), layout.size("PyFrameObject") or 0
        if at is None:
            return
        for of_class in shared_instances(self.view.target, self.view.python).instances_of(
            ("frame",)
        ):
            with suppress(UnreadableMemory):
                inner = self._reader.u64(of_class.address + at)
                if 0 < inner - of_class.address <= size:  # the frame lies in the object
                    function = self._reader.field(inner, "_PyInterpreterFrame", *_FUNCTION)
                    yield 0 if function & 3 else function  # a borrowed reference is not counted

    @cached_property
    def suspended_frames(self) -> list[PyFrame]:
        """The frames of generators and coroutines that rest."""
        instances = shared_instances(self.view.target, self.view.python)
        frames = list[PyFrame]()
        for of_class in instances.instances_of(("generator", "coroutine", "async_generator")):
            with suppress(UnreadableMemory, LayoutError):
                frame = self.view.slots.frame_of_suspended_generator(of_class.address)
                frames += [frame] if frame is not None else []
        return frames

    @cached_property
    def overriding_functions(self) -> list[ProgramFunction]:
        """The functions of the program's classes that libraries know by a base of theirs.

        Of protocols of asyncio only those that are connected, unless code that may run connects.
        """
        by_address = {
            function.address: function
            for functions in self.own_functions.values()
            for function in functions
        }
        instances = shared_instances(self.view.target, self.view.python)
        codes = {
            *self.view.running_code(),
            *(frame.code for frame in self.suspended_frames),
            *self._resting,
        }
        codes |= {function.code for function, _ in self._referenced_functions}
        uncalled = UncalledProtocolMethods(self.view, instances, self.calls.sites, codes - {0})
        own, functions = self.own_modules, list[ProgramFunction]()
        for at in dict.fromkeys(of_class.address for of_class in instances.instances_of(("type",))):
            with suppress(UnreadableMemory, LayoutError):
                info = instances.types.type_at(at)
                mine = own | _PLAIN_BASES
                bases = instances.types.mro(info)[1:]
                plain = all(base.module in mine or not base.is_python_class for base in bases)
                if info.module not in own or not info.dict or plain:
                    continue
                left = uncalled.uncalled_methods_of(at)
                for _, value in self.view.objects.dict_items(info.dict):
                    if (
                        value in by_address
                        and self.name_of_code(by_address[value].code) not in left
                    ):
                        functions.append(by_address[value])
        return functions

    def is_method_kept(self, address: int, methods: Collection[str]) -> bool:
        """Tell whether somebody keeps one of some methods of an object, to call it later."""
        kept = (self._name_of_method(*each) for each in self._kept_methods.get(address, ()))
        return not set(kept).isdisjoint(methods)

    @cached_property
    def _kept_methods(self) -> dict[int, list[tuple[int, str]]]:
        """The methods that somebody keeps, with their types, by the object that each is of."""
        instances = shared_instances(self.view.target, self.view.python)
        kept: dict[int, list[tuple[int, str]]] = {}
        for kind, (struct, member) in METHODS.items():
            methods = [of_class.address for of_class in instances.instances_of((kind,))]
            at = self._reader.layout.require(struct, member)
            subjects = instances.reader.words([method + at for method in methods])
            for method, subject in zip(methods, subjects, strict=True):
                kept.setdefault(subject, []).append((method, kind))
        return kept

    def bound_objects(self, methods: Collection[str]) -> Iterator[int]:
        """Yield the objects of which somebody keeps one of some methods of Python."""
        instances = shared_instances(self.view.target, self.view.python)
        at = self._reader.layout.require("PyMethodObject", "im_self")
        for of_class in instances.instances_of(("method",)):
            if self._name_of_method(of_class.address, "method") in methods:
                yield self._reader.u64(of_class.address + at)

    @default_when_unreadable("")
    def _name_of_method(self, method: int, kind: str) -> str:
        if kind == "method":
            function = self._reader.field(method, "PyMethodObject", "im_func")
            return self.name_of_code(self.calls.as_called_function(function, 0).code)
        name = self._reader.method_def_name(method)
        return "" if isinstance(name, Absent) else name

    def is_defined_in_class(self, function: int) -> bool:
        """Tell whether a function stands in a class, by its qualified name."""
        return "." in self._reader.text_field(function, "PyFunctionObject", "func_qualname")

    def _qualified_name(self, function: ProgramFunction) -> str:
        return self._reader.text_field(function.address, "PyFunctionObject", "func_qualname")

    @memoized
    def module_of_globals(self, scope: int) -> ModuleOfGlobals:
        """Return whose globals a dict is."""
        name, file = (
            "" if isinstance(text, Absent) else text
            for value in self.view.objects.values_of_names(scope, _OF_MODULES)
            for text in (self._reader.string(value, MAX_PATH) if value else "",)
        )
        installed = "site-packages" in file or "dist-packages" in file or (
            bool(file) and self._is_installed(file)
        )  # fmt: skip
        # What exec() made, or types.FunctionType(), may have globals without a name.
        unnamed = not file and name in ("", "__main__")
        library = not installed and not unnamed and (is_library_file(file) or not file)
        own = not library and not installed
        library |= installed and has_module_effect(name, EVENT_LOOP)
        return ModuleOfGlobals(name, library, own)

    @cached_property
    def modules_by_name(self) -> dict[str, int]:
        """The modules of sys.modules by their names (PyModuleObject *)."""
        modules = self.view.objects.sys_modules(self.view.python.interpreters[0].address)
        contents = () if isinstance(modules, Absent) else self._entries_of_dict(modules)
        return {name: at for name, at in contents if self.view.type_name(at) == "module"}

    def may_import_run_unseen_code(self, name: str, parts: Iterable[str] = ()) -> bool:
        """Tell whether an import runs code of a module that is not there yet, as it may be.

        `parts` are what is imported from it. A name may be relative to a package. The standard
        library's modules do nothing to the program. Raises UnreadableMemory, LayoutError.
        """
        standard: frozenset[str] = getattr(sys, "stdlib_module_names", frozenset())
        if not name or name.partition(".")[0] in standard:
            return False
        if not any(each == name or each.endswith(f".{name}") for each in self.modules_by_name):
            return True
        module = self.modules_by_name.get(name, 0)
        scope = self._reader.field(module, "PyModuleObject", "md_dict") if module else 0
        return bool(scope) and any(
            part != "*" and f"{name}.{part}" not in self.modules_by_name
            and isinstance(self.view.objects.dict_get(scope, part), Absent)
            for part in parts
        )  # fmt: skip

    def variables_stored(self, code: int, live: Iterable[tuple[int, int]]) -> set[str]:
        """Return the variables that code stores: what they hold now is not what it uses then."""
        _, slots, cells = self.calls.sites.name_tables(code)
        stored = set()
        for instruction in self.calls.sites.instructions(code):
            name = instruction.name
            if not name.startswith(("STORE_FAST", "STORE_DEREF")) or not is_byte_in_ranges(
                live, instruction.at
            ):
                continue
            numbers = [instruction.argument]
            if name.count("FAST") > 1:  # two variables in one instruction (3.13)
                numbers = [
                    instruction.argument >> 4,
                    *[instruction.argument & 15][: name.endswith("STORE_FAST")],
                ]
            table = cells if name == "STORE_DEREF" else slots
            stored |= {table[number] for number in numbers if number < len(table)}
        return stored

    # -- classes ------------------------------------------------------------------------------

    @cached_property
    def _contents_of_own_classes(self) -> dict[int, list[tuple[str, int]]]:
        """What the program's classes have, by the class (PyTypeObject *): names and objects."""
        instances = shared_instances(self.view.target, self.view.python)
        classes: dict[int, list[tuple[str, int]]] = {}
        for at in dict.fromkeys(of_class.address for of_class in instances.instances_of(("type",))):
            with suppress(UnreadableMemory, LayoutError):
                info = instances.types.type_at(at)
                if info.module in self.own_modules and info.dict:
                    classes[at] = list(self._entries_of_dict(info.dict))
        return classes

    def _entries_of_dict(self, contents: int) -> Iterator[tuple[str, int]]:
        for key, value in self.view.objects.dict_items(contents):
            name = self._reader.string(key, MAX_NAME)
            if isinstance(name, str):
                yield name, value

    def functions_in_class(self, kind: int) -> list[tuple[str, int]]:
        """Return the functions of one of the program's classes, with their names."""
        type_name = self.view.type_name
        return [
            (name, at)
            for name, at in self._contents_of_own_classes.get(kind, ())
            if type_name(at) == "function"
        ]

    @memoized
    def instances_of(self, kind: int) -> tuple[int, ...]:
        """Return the objects of a class, those of the program's classes below it too."""
        instances = shared_instances(self.view.target, self.view.python)
        names = {instances.types.type_at(kind).qualified_name}
        for contents_of_own_class in self._contents_of_own_classes:
            info = instances.types.type_at(contents_of_own_class)
            if any(base.address == kind for base in instances.types.mro(info)):
                names.add(info.qualified_name)
        return tuple(of_class.address for of_class in instances.instances_of(names))

    @memoized
    def names_in_class(self, kind: int) -> frozenset[str]:
        """Return the names that a class has itself. Raises UnreadableMemory, LayoutError."""
        instances = shared_instances(self.view.target, self.view.python)
        contents = instances.types.type_at(kind).dict
        return (
            frozenset(name for name, _ in self._entries_of_dict(contents))
            if contents
            else frozenset()
        )

    @cached_property
    def class_of_function(self) -> dict[int, int]:
        """The class (PyTypeObject *) that has a function, by the function."""
        return {
            at: kind
            for kind in self._contents_of_own_classes
            for _, at in self.functions_in_class(kind)
        }

    @cached_property
    def property_getters(self) -> dict[str, list[tuple[int, int]]]:
        """(class, function) of the program's properties, by their names."""
        return self._accessors_of_properties(0)

    @cached_property
    def property_setters(self) -> dict[str, list[tuple[int, int]]]:
        """(class, function) of what storing in the program's properties calls."""
        return self._accessors_of_properties(8)

    def _accessors_of_properties(self, place: int) -> dict[str, list[tuple[int, int]]]:
        """prop_get and prop_set are the first members of a property (Objects/descrobject.c)."""
        head = self._reader.layout.size("PyObject") or 16
        by_name: dict[str, list[tuple[int, int]]] = {}
        for kind, contents in self._contents_of_own_classes.items():
            for name, at in contents:
                if self.view.type_name(at) == "property":
                    function = self._reader.u64(at + head + place)
                elif self.view.type_name(at) == "cached_property" and not place:
                    function = self.view.attribute(at, "func") or 0
                else:
                    continue
                if function and self.view.type_name(function) == "function":
                    by_name.setdefault(name, []).append((kind, function))
        return by_name

    # -- what others call for the program -----------------------------------------------------

    @cached_property
    def own_logging_handlers(self) -> list[int]:
        """The handlers, filters and the like of `logging` that are of the program's classes."""
        instances = shared_instances(self.view.target, self.view.python)
        kinds = ("logging.Filterer", "logging.Formatter", "logging.Filter", "logging.LogRecord")
        return [
            of_class.address for of_class in instances.instances_of(kinds)
            if instances.types.type_of_object(of_class.address).module in self.own_modules
        ]  # fmt: skip

    @cached_property
    def executor_callables(self) -> list[int]:
        """What executors have to call, and futures when they are done."""
        instances = shared_instances(self.view.target, self.view.python)
        items = instances.instances_of(("concurrent.futures.thread._WorkItem",))
        futures = instances.instances_of(("concurrent.futures._base.Future",))
        lists = (self.view.attribute(future.address, "_done_callbacks") for future in futures)
        return [*(each.address for each in items), *filter(None, lists)]

    @cached_property
    def callbacks_of_weak_references(self) -> list[int]:
        """What is called when an object is dropped: of weak references, and finalizers."""
        instances = shared_instances(self.view.target, self.view.python)
        at = self._reader.layout.offset("PyWeakReference", "wr_callback")
        callbacks = []
        plain = PlainValues(self.view.target, self.view.python)
        for each in instances.instances_of(_WEAK_REFERENCES) if at is not None else ():
            with suppress(UnreadableMemory, LayoutError):
                callback = self._reader.u64(each.address + (at or 0))
                kind = self.view.type_name(callback)
                if kind == "function":
                    made = self.calls.as_called_function(callback, 0)
                    callbacks += [] if self.module_of_globals(made.scope).is_library else [callback]
                elif kind == "finalize":  # Lib/weakref.py, 3.8 to 3.15
                    registry = self.calls.class_attribute(
                        self._reader.type_of(callback), "_registry"
                    )
                    for key, info in self.view.objects.dict_items(registry):
                        if key == callback:
                            callbacks.append(plain.attribute(info, "func") or 0)
                elif kind:
                    callbacks.append(callback)
        return [fromkey for fromkey in dict.fromkeys(callbacks) if fromkey]

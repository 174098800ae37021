# SPDX-License-Identifier: Apache-2.0
"""What calls lead to: functions with what they are given, classes, methods of C code.

A call of a known object leads to its function. Of an object that is not known its method's name
leads to every function of that name, and what calls a function that is not known to each one that
somebody keeps.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.objects.type_objects import TypeInfo
from gdb_epi.errors import Absent
from gdb_epi.hangs.live import library_effects as effects
from gdb_epi.hangs.live.library_effects import (
    has_effect,
    has_quiet_objects,
    is_harmless,
    top_package,
)
from gdb_epi.hangs.live.program_code import Module
from gdb_epi.hangs.live.value_reads import MAX_NAMED, MAX_TEXT, ValueReads
from gdb_epi.hangs.live.value_store import CallContext, Walk
from gdb_epi.hangs.live.values import (
    DATA,
    IS_DATA,
    NOTHING,
    UNKNOWN,
    UNKNOWN_ARGUMENTS,
    Arguments,
    Atom,
    Bound,
    Instance,
    Made,
    Mark,
    Named,
    Obj,
    OfBuiltin,
    Site,
    Super,
    Text,
    Value,
    View,
    join_all,
)
from gdb_epi.hangs.live.walk import EVERYTHING
from gdb_epi.locks.python.acquire_calls import CalledFunction

MAX_CELLS = 16  # of a library's function
MAX_DEPTH = 30  # of calls that lead to one another at once
MAX_VARIANTS = 6  # of one function, by its arguments; then all are one
_GENERATES = 0x20 | 0x80 | 0x200  # CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR
_REST, _KEYWORDS = 4, 8  # CO_VARARGS, CO_VARKEYWORDS
_CALLABLES = ("function", "method", "builtin_function_or_method", "functools.partial", "generator")


class ValueCalls:
    """What code calls, with which values."""

    def __init__(self, walk: Walk, reads: ValueReads) -> None:
        self._walk, self._reads, self._store, self._heap = walk, reads, walk.store, walk.heap
        self._live, self._view, self._reader = walk.code, walk.code.view, walk.code.view.reader
        self._sites, self._containers = walk.code.calls.sites, ContainerReader(self._reader)
        self._depth = 0
        self._calls_kept = walk.surely  # what somebody keeps is followed, or shall not be
        self._by_key: dict[object, CallContext] = {}
        self._variants: dict[object, int] = {}
        self._made_classes: set[int] = set()
        self._makes_objects = False  # of classes that no call names, as pickle does
        self._without_objects: dict[int, list[tuple[int, Arguments]]] = {}
        self._methods_called: set[Atom] = set()  # of what a library knows by its base

    def call(self, context: CallContext | None, called: Value, given: Arguments) -> Value:
        """Return what a call gives."""
        if (
            given.by_place is None
            and context is not None
            and (called is None or self._may_change(called))
        ):
            self._reads.touch(UNKNOWN)
        if called is None:
            self._call_unknown(given)
            return UNKNOWN
        self._depth += 1
        try:
            if self._depth > MAX_DEPTH:  # functions that wrap each other
                self._walk.unbounded = True
                return UNKNOWN
            return join_all(self.call_atom(context, atom, given) for atom in called)
        finally:
            self._depth -= 1

    def _call_unknown(self, given: Arguments) -> None:
        """Call what is not known: it may call its arguments, and all their methods."""
        self.call_kept()
        self._hand_on_all(given)
        self._touch_all(given)
        atoms = (atom for value in given.all() for atom in value or ())
        self._walk.called.update((atom.address, "*") for atom in atoms if isinstance(atom, Obj))

    def _hand_on_all(self, given: Arguments) -> None:
        values = given.all()
        for value in values:
            self._walk.hand_on(value)
        if any(map(self._may_change, values)):
            for value in values:
                self._reads.touch(value, within=True)

    def _touch_all(self, given: Arguments) -> None:
        """Give arguments, and what they hold, to what may change them."""
        for value in given.all():
            self._reads.touch(value, within=True)

    def _may_change(self, called: Value) -> bool:
        """Tell whether a function that is not followed may change its arguments."""
        for atom in called or ():
            if isinstance(atom, OfBuiltin) and atom.name not in effects.OF_OWN_OBJECT:
                return True
            kind = self._heap.kind(atom.address) if isinstance(atom, Obj) else ""
            if not isinstance(atom, Obj) or not kind:
                continue
            if kind in ("wrapper_descriptor", "method_descriptor", "method-wrapper"):
                return True
            if kind == "function":
                made = self._live.calls.body_of(atom.address, 0)
                module = self._live.module(made.scope)
                name = self._live.name_of(made.code)
                if module.is_library and not is_harmless(module.name, name):
                    return True
            if kind == "builtin_function_or_method":
                subject = self._reader.field(atom.address, "PyCFunctionObject", "m_self")
                defined = self._reader.definition_name(atom.address)
                name = defined if isinstance(defined, str) else ""
                if name not in effects.OF_OWN_OBJECT and not is_harmless(
                    self._module_name(subject), name
                ):
                    return True
        return False

    def call_atom(self, context: CallContext | None, atom: Atom, given: Arguments) -> Value:
        """Return what a call of one possibility gives."""
        if isinstance(atom, Obj):
            return self.call_object(context, atom, given)
        if isinstance(atom, Made):
            parent = self._store.contexts[atom.context]
            return self._enter(CalledFunction(atom.code, {}, atom.scope), given, parent=parent)
        if isinstance(atom, Bound):
            if isinstance(atom.function, Obj):
                return self.call_function(atom.function.address, atom.subject, given)
            return UNKNOWN
        if isinstance(atom, OfBuiltin):
            return self._call_builtin_method(atom, given)
        if isinstance(atom, Instance):
            method = self._heap.in_class(atom.type, "__call__")
            if method and self._heap.kind(method) == "function":
                return self.call_function(method, atom, given)
        elif isinstance(atom, Named):
            self._hand_on_all(given)
            self.call_named(atom.name)
            if atom.name not in effects.OF_OWN_OBJECT and atom.name not in self._live.own:
                self._touch_all(given)
            return UNKNOWN
        elif isinstance(atom, (Mark, Text, Super)):
            self._hand_on_all(given)
            return UNKNOWN
        self.call_kept()
        self._hand_on_all(given)
        return UNKNOWN

    def call_classes(self, context: CallContext, value: Value) -> None:
        """Instantiate the classes among some values, as `raise` does."""
        for atom in value or ():
            if isinstance(atom, Obj) and self._reads.is_type(atom.address):
                self.call_object(context, atom, Arguments())

    def call_kept(self) -> None:
        """Follow every function that somebody may have been given, to call it."""
        if not self._calls_kept:
            self._calls_kept = True
            for function, subject in self._live.kept:
                of = Obj(subject) if subject else None
                self.call_function(function.address, of, UNKNOWN_ARGUMENTS)

    def call_of_any(self, kind: int, function: int, given: Arguments) -> None:
        """Call a method of whatever object of a class: of none as long as there is none."""
        if self._makes_objects or kind in self._made_classes or self._live.instances_of(kind):
            self.call_function(function, Instance(kind, False), given)
        else:
            self._without_objects.setdefault(kind, []).append((function, given))

    def call_named(self, name: str) -> None:
        """A method of an object that is not known is called."""
        self._walk.called.add((0, name))
        if (
            not self.call_all_named(name)
            and name not in effects.OF_DATA
            and not name.startswith("__")
        ):
            self.call_kept()

    def call_all_named(self, name: str) -> bool:
        """Follow every function of the program of a name; tell whether there is any."""
        named = self._live.own.get(name, [])
        self._walk.unbounded |= len(named) > MAX_NAMED
        for each in named[:MAX_NAMED]:
            owner = self._live.owners.get(each.address, 0)
            if owner:
                self.call_of_any(owner, each.address, UNKNOWN_ARGUMENTS)
            else:
                self.call_function(each.address, None, UNKNOWN_ARGUMENTS)
        return bool(named)

    def call_object(self, context: CallContext | None, atom: Obj, given: Arguments) -> Value:
        """Call an object."""
        at, heap = atom.address, self._heap
        kind = heap.kind(at)
        if kind == "function":
            return self.call_function(at, None, given)
        if kind == "method":
            function, subject = heap.method(at)
            if heap.kind(function) == "function":
                self._walk.called.add((subject, self._live.name_of(
                    self._live.calls.body_of(function, 0).code)))  # fmt: skip
                return self.call_function(function, Obj(subject), given)
            return self.call(context, heap.value(function), Arguments(None, given.by_name))
        if kind == "builtin_function_or_method":
            return self._call_builtin(context, atom, given)
        if kind in ("partial", "functools.partial"):
            function, first = heap.partial(at)
            values = list(map(heap.value, first))
            if given.by_place is None:
                self._hand_on_all(Arguments(values))
            return self.call(context, heap.value(function), given.behind(values))
        if self._reads.is_type(at):
            return self._instantiate(context, at, given)
        if kind.startswith("weakref"):
            referent = self._reader.field(at, "PyWeakReference", "wr_object")
            return heap.value(referent)
        if kind in ("method_descriptor", "wrapper_descriptor"):
            self._call_unbound(
                self._reader.text_field(at, "PyMethodDescrObject", "d_common.d_name"), given
            )
        wrapped = heap.own_attribute(at, "__wrapped__")
        if wrapped:
            return self.call(context, heap.value(wrapped), given)
        method = heap.in_class(self._reader.type_of(at), "__call__")
        if method and heap.kind(method) == "function":
            return self.call_function(method, atom, given)
        self._walk.does_anything |= kind.rpartition(".")[2] in effects.UNFOLLOWED
        if kind != "NoneType":
            self._call_unknown(given)
            if kind == "method-wrapper":
                self._reads.touch(UNKNOWN)
        return UNKNOWN

    def _call_unbound(self, name: str, given: Arguments) -> None:
        """A method of a library is called as a function, with its object."""
        first = given.by_place[0] if given.by_place else UNKNOWN
        for atom in first or (None,):
            if not isinstance(atom, (Mark, Text)):
                self._walk.called.add((atom.address if isinstance(atom, Obj) else 0, name))

    def call_function(self, address: int, subject: Atom | None, given: Arguments) -> Value:
        """Call a function, of a method with its `self`."""
        made = self._live.calls.body_of(address, 0)
        module = self._live.module(made.scope)
        if subject is None and given.by_place is None:  # of a method any object of its class
            owner = self._live.owners.get(address, 0)
            subject = Instance(owner, False) if owner else None
        if module.is_library:
            return self._call_library(address, module, subject, given)
        if subject is None:
            return self._enter(made, given, function=address)
        first: Value = frozenset((subject,))
        return self._enter(made, given.behind([first]), function=address, first=first)

    def _call_library(
        self, address: int, module: Module, subject: Atom | None, given: Arguments
    ) -> Value:
        wrapped = self._heap.own_attribute(address, "__wrapped__")
        for cell in self._containers.cells(address, MAX_CELLS):
            if cell and cell != wrapped:
                self._walk.hand_on(self._heap.value(cell))
        if wrapped and self._heap.kind(wrapped) == "function":  # as by contextmanager()
            inside = given if subject is None else given.behind([frozenset((subject,))])
            return self.call(None, self._heap.value(wrapped), inside)
        name = self._live.name_of(self._live.calls.body_of(address, 0).code)
        if subject is None and self._live.is_method(address):
            self._call_unbound(name, given)
        self._walk.does_anything |= effects.loads_code(module.name)
        held = [subject.address] if isinstance(subject, Obj) else []
        if isinstance(subject, (Obj, Instance)):
            kind = self._reads.type_of(subject)
            if self._heap.type_info(kind).module in self._live.own_modules:
                self._call_methods(subject, kind)
        self._walk.enter_library(module.name, held)
        top = top_package(module.name)
        self._make_objects(top)
        if top == "contextlib" or (module.name == "threading" and name in ("run", "start")):
            self.call_what_is_held(held)
        self._hand_on_as_called(top, given)
        if not is_harmless(module.name, name):
            self._touch_all(given)
            self._reads.touch(frozenset((subject,)) if subject is not None else NOTHING)
        if isinstance(subject, Obj) and module.name == "queue" and name in effects.TAKES:
            queue = self._heap.own_attribute(subject.address, "queue")
            return self._reads.items(None, self._heap.value(queue)) if queue else UNKNOWN
        return DATA if self._gives_data(top, given) else UNKNOWN

    def call_what_is_held(self, objects: Sequence[int]) -> None:
        """Call what some objects of a library have been given to call."""
        given = self._heap.given(objects)
        if given is None:
            self.call_kept()
        for at in given or ():
            if at not in objects:
                self._walk.hand_on_object(Obj(at))

    def _enter(
        self, called: CalledFunction, given: Arguments, *, parent: CallContext | None = None,
        function: int = 0, first: Value = NOTHING,
    ) -> Value:  # fmt: skip
        """Run code with arguments; return what it returns, or its generator.

        `first` is the first argument where no other is known by its place.
        """
        field, code = self._reader.field32, called.code
        count, only, flags = (
            field(code, "PyCodeObject", name)
            for name in ("co_argcount", "co_kwonlyargcount", "co_flags")
        )
        variables = self._sites.tables(code).variables
        parameters = variables[: count + only]
        bound: dict[str, Value] = dict.fromkeys(parameters, UNKNOWN)
        if given.by_place is not None:
            bound |= self._defaults(function, parameters[:count], parameters[count:])
            bound |= dict(zip(parameters[:count], given.by_place, strict=False))
            for name, value in given.by_name.items():
                if name in bound:
                    bound[name] = value
                elif flags & _KEYWORDS:
                    self._walk.hand_on(value)
            for value in given.by_place[count:]:
                self._walk.hand_on(value)
        else:
            self._hand_on_all(given)
            if first and parameters:
                bound[parameters[0]] = first
        rest = variables[
            count + only : count + only + bool(flags & _REST) + bool(flags & _KEYWORDS)
        ]
        bound |= dict.fromkeys(rest, UNKNOWN)
        place = (code, function, parent.number if parent is not None else -1)
        key = (place, tuple(bound.items()))
        context = self._by_key.get(key)
        if context is None and self._variants.get(place, 0) >= MAX_VARIANTS:
            key = (place, ())
            context = self._by_key.get(key)
        if context is None:
            context = self._store.make_context(code, called.scope, (EVERYTHING,), parent, None)
            self._by_key[key] = context
            self._variants[place] = self._variants.get(place, 0) + 1
            for name, address in called.names.items():
                self._store.write(("variable", context.number, name), self._heap.value(address))
            if parent is not None:
                context.free = frozenset(self._free_variables(code))
        for name, value in bound.items():
            self._store.write(("variable", context.number, name), value)
        if flags & _GENERATES:
            return frozenset((Site(context.number, -1, "generator"),))
        return self._store.read(("return", context.number))

    def _free_variables(self, code: int) -> list[str]:
        names = self._sites.strings(code, "co_freevars")
        if names:
            return names
        layout = self._reader.layout
        at = layout.offset("PyCodeObject", "co_nfreevars")
        count = self._reader.u32(code + at) if at is not None else 0
        return self._sites.tables(code).cells[-count:] if count else []

    def _defaults(
        self, function: int, by_place: Sequence[str], by_name: Sequence[str]
    ) -> dict[str, Value]:
        if not function:
            return {}
        field = self._reader.field
        values: dict[str, Value] = {}
        held = field(function, "PyFunctionObject", "func_defaults")
        if held and self._heap.kind(held) == "tuple":
            items = self._containers.tuple_items(held)
            for name, at in zip(reversed(by_place), reversed(items), strict=False):
                values[name] = self._reads.now(at, name)
        held = field(function, "PyFunctionObject", "func_kwdefaults")
        for name in by_name if held else ():
            value = self._view.objects.dict_get(held, name)
            values[name] = UNKNOWN if isinstance(value, Absent) else self._reads.now(value, name)
        return values

    def returns(self, context: CallContext, value: Value, *, yields: bool) -> None:
        """Take what a run returns or yields."""
        if yields:
            self._store.write(("items", Site(context.number, -1, "generator")), value)
        else:
            self._store.write(("return", context.number), value)

    def made_function(self, context: CallContext, code: Value) -> Value:
        """Return a function that code makes."""
        functions = [
            Made(each.address, context.scope, context.number)
            for each in code or ()
            if isinstance(each, Obj) and self._heap.kind(each.address) == "code"
        ]
        return frozenset(functions) if functions else UNKNOWN

    def _instantiate(self, context: CallContext | None, kind: int, given: Arguments) -> Value:
        """Call a class."""
        info = self._heap.type_info(kind)
        if not info.python_class:
            return self._make_builtin(context, info, given)
        made = Instance(kind, True)
        for base in self._heap.mro(kind):
            self._made_classes.add(base.address)
            for function, arguments in self._without_objects.pop(base.address, ()):
                self.call_function(function, Instance(base.address, False), arguments)
        is_own = info.module in self._live.own_modules
        meta = self._reader.type_of(kind)
        for of, name in ((kind, "__init__"), (kind, "__new__"), (meta, "__call__")):
            function = self._heap.in_class(of, name)
            _, inner = self._heap.unwrapped(function) if function else ("", 0)
            if inner and self._heap.kind(inner) == "function":
                subject = made if name == "__init__" else Obj(kind)
                self.call_function(inner, subject, given)
        scope = self._view.objects.module_dict(
            self._view.python.interpreters[0].address, info.module
        )
        module = Module("", True, False) if isinstance(scope, Absent) else self._live.module(scope)
        if module.is_library or not is_own:
            self._walk.enter_library(info.module, [])
            self._hand_on_all(given)
        elif not self._reads.is_plainly_own(kind):
            self._call_methods(made, kind)
        return frozenset((made,))

    def _make_builtin(self, context: CallContext | None, info: TypeInfo, given: Arguments) -> Value:
        name = info.full_name
        if name == "super":
            return self._super(context, given.by_place)
        if name in effects.MAKES_NUMBER_OR_TEXT or (
            name == "type" and given.by_place is not None and len(given.by_place) == 1
        ):
            return DATA if name != "type" else UNKNOWN
        if name in effects.GOES_OVER_ITEMS:
            self._hand_on_callables(given)
            made = self._site(context, -3, name)
            values = given.by_place if given.by_place is not None else [UNKNOWN]
            items = (self._reads.items(context, each) for each in values)
            self._reads.collect(made, join_all([*items, *given.by_name.values()]))
            if name == "enumerate":
                self._reads.collect(made, DATA)
            if name in ("enumerate", "zip"):
                return frozenset(View(each, "pairs") for each in made or ())
            return made
        self._hand_on_all(given)
        if name.rpartition(".")[2] == "partial":
            return DATA  # what it calls has been called
        if has_effect(info.module, effects.GIVES_DATA) or top_package(info.module) in (
            "queue",
            "threading",
        ):
            return frozenset((Instance(info.address, True),))
        return UNKNOWN

    def _super(self, context: CallContext | None, given: Sequence[Value] | None) -> Value:
        if context is None or given is None:
            return UNKNOWN
        if len(given) == 2:
            kind, subject = given
        else:
            names = self._sites.tables(context.code).variables
            kind = self._reads.variable(context, "__class__")
            subject = self._reads.variable(context, names[0]) if names else UNKNOWN
        if kind is None:
            return UNKNOWN
        return frozenset(
            Super(each.address, subject, "super") for each in kind if isinstance(each, Obj)
        )

    def _call_builtin(self, context: CallContext | None, atom: Obj, given: Arguments) -> Value:
        """Call a function of C, or a method of C of an object."""
        subject = self._reader.field(atom.address, "PyCFunctionObject", "m_self")
        called = self._reader.definition_name(atom.address)
        name = called if isinstance(called, str) else ""
        if subject and self._heap.kind(subject) not in ("module", "NoneType"):
            self._walk.called.add((subject, "*"))
            return self._call_builtin_method(OfBuiltin(Obj(subject), name, "builtin"), given)
        self._walk.called.add((subject, name))
        values = list(given.by_place or ())
        if name in ("next", "anext"):
            self._reads.touch(values[0] if values else UNKNOWN)
        if not is_harmless(self._module_name(subject), name):
            self._touch_all(given)
        if name == "getattr" and context is not None:
            (text, *more) = (values[1] if len(values) > 1 else None) or (IS_DATA,)
            if isinstance(text, Text) and not more:
                wanted = self._reader.string(text.address, MAX_TEXT)
                if isinstance(wanted, str):
                    return join_all(
                        [self._reads.attribute(context, values[0], wanted), *values[2:]]
                    )
        if name in effects.UNFOLLOWED or name in ("getattr", "setattr"):
            self._walk.does_anything = True
        if name == "__import__":
            return UNKNOWN
        if name in ("any", "all"):
            self._reads.items(context, values[0] if values else UNKNOWN)
        if name in effects.ONLY_LOOKS:
            self._hand_on_all(Arguments(None, given.by_name))
            if name == "print":
                self._walk.call_writers()
            return DATA
        if name in effects.GIVES_ONE_ITEM | effects.GIVES_ITEMS:
            self._hand_on_callables(given)
            items = join_all(self._reads.items(context, each) for each in values[:1])
            if name in effects.GIVES_ONE_ITEM:
                return join_all([items, *values[1:]])
            made = self._site(context, -4, name)
            self._reads.collect(made, items)
            return made
        module = self._module_name(subject)
        self._make_objects(module)
        self._hand_on_as_called(module, given)
        return DATA if name == "open" or self._gives_data(module, given) else UNKNOWN

    @staticmethod
    def _site(context: CallContext | None, at: int, kind: str) -> Value:
        """Return what code makes at a place, or a built-in function for it (`at` below 0)."""
        return frozenset((Site(context.number if context is not None else -1, at, kind),))

    def _hand_on_as_called(self, module: str, given: Arguments) -> None:
        """Hand on what a function of a module may call of its arguments."""
        if has_effect(module, effects.CALLS_NOTHING):
            self._hand_on_callables(given)
        else:
            self._hand_on_all(given)

    def _gives_data(self, module: str, given: Arguments) -> bool:
        """Tell whether a function of a module returns nothing that is the program's."""
        return has_effect(module, effects.GIVES_DATA) and not self._are_called(given)

    def _make_objects(self, module: str) -> None:
        """Count objects of all classes as there where a library makes some by itself."""
        if not self._makes_objects and has_effect(module, effects.MAKES_OBJECTS):
            self._makes_objects = True
            for kind, calls in self._without_objects.items():
                for function, arguments in calls:
                    self.call_function(function, Instance(kind, False), arguments)

    def _module_name(self, module: int) -> str:
        if not module or self._heap.kind(module) != "module":
            return ""
        scope = self._reader.field(module, "PyModuleObject", "md_dict")
        return top_package(self._live.module(scope).name)

    def _are_called(self, given: Arguments) -> bool:
        """Tell whether arguments have a function, whose results may come back."""
        functions = ("function", "method", "type", "functools.partial")
        return any(
            isinstance(atom, (Made, Bound))
            or (isinstance(atom, Obj) and self._heap.kind(atom.address) in functions)
            for value in given.all()
            for atom in value or ()
        )

    def _hand_on_callables(self, given: Arguments) -> None:
        """Hand on the functions among arguments: key functions and the like."""
        for value in given.all():
            self._walk.hand_on(frozenset(
                each for each in value or () if isinstance(each, (Made, Bound, OfBuiltin))
                or (isinstance(each, Obj) and self._heap.kind(each.address) in _CALLABLES)
            ))  # fmt: skip

    def _call_builtin_method(self, atom: OfBuiltin, given: Arguments) -> Value:
        subject, name = atom.subject, atom.name
        of_class = isinstance(subject, Obj) and self._reads.is_type(subject.address)
        if name not in (
            effects.READS if of_class else effects.OF_OWN_OBJECT
        ):  # a class is given its object
            self._touch_all(given)
        if isinstance(subject, Mark):
            self._hand_on_callables(given)
            return DATA
        if name not in effects.READS and not of_class:
            self._reads.touch(frozenset((subject,)))
        kind = self._kind_of(subject)
        if isinstance(subject, Obj):
            self._walk.called.add((subject.address, name))
        if isinstance(subject, (Site, View)) or kind in effects.CONTAINERS:
            of: Value = frozenset((subject,))
            values = [*(given.by_place or (UNKNOWN,)), *given.by_name.values()]
            if name in effects.INSERTS:
                for value in values:
                    many = name in ("extend", "extendleft", "update")
                    self._reads.collect(of, self._reads.items(None, value) if many else value)
                    if not isinstance(subject, Site):
                        self._walk.hand_on_to_others(
                            self._reads.items(None, value) if many else value
                        )
            else:
                self._hand_on_callables(given)
            if name in effects.TAKES or name == "setdefault":
                held = self._reads.items_of(subject)
                if name in effects.OF_PAIRS:
                    return frozenset((View(subject, effects.OF_PAIRS[name]),))
                if name in ("values", "keys", "copy", "union", "difference", "intersection"):
                    return of
                return join_all(
                    [held, *(values[1:] if name in ("get", "pop", "setdefault") else ())]
                )
            return DATA
        self._hand_on_all(given)
        self._reads.items_of(subject)  # of a generator: it goes on
        info = self._heap.type_info(self._reads.type_of(subject))
        base = next((each for each in self._heap.mro(info.address) if not each.python_class), info)
        top = top_package(base.module)
        if (
            isinstance(subject, Instance)
            and not subject.is_new
            and not self._reads.is_plainly_own(info.address)
        ):
            self._walk.called.add((0, name))
        self._make_objects(top)
        if not has_quiet_objects(top):
            self.call_kept()  # which it may have been given before
        if isinstance(subject, Obj) and not info.python_class:
            self._walk.hand_on_held(subject.address)
        if top == "queue" and name in effects.TAKES:
            return UNKNOWN
        return DATA if top == "threading" or has_effect(top, effects.GIVES_DATA) else UNKNOWN

    def _kind_of(self, subject: Atom) -> str:
        kind = self._reads.type_of(subject)
        if not kind:
            return ""
        names = (each.full_name for each in self._heap.mro(kind))
        return next((name for name in names if name in effects.CONTAINERS), "")

    def _call_methods(self, subject: Obj | Instance, kind: int) -> None:
        """Call the methods of an own class that a library may know by a base of it."""
        if subject in self._methods_called:
            return
        self._methods_called.add(subject)
        classes = self._heap.mro(kind)
        own = [each for each in classes if each.module in self._live.own_modules]
        others = [each for each in classes if each not in own and each.full_name != "object"]
        if not others:
            return
        of_bases = {name for each in others for name in self._live.names_in_class(each.address)}
        threads = all(each.module == "threading" or not each.python_class for each in others)
        for each in own:
            for name, function in self._live.functions_in_class(each.address):
                if name in of_bases or not threads:
                    self.call_function(function, subject, UNKNOWN_ARGUMENTS)

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
    do_module_objects_call_nothing,
    has_module_effect,
    is_function_without_side_effects,
    top_package,
)
from gdb_epi.hangs.live.name_walk import EVERYTHING
from gdb_epi.hangs.live.program_code import ModuleOfGlobals
from gdb_epi.hangs.live.value_reads import MAX_NAMED, MAX_TEXT, ValueReads
from gdb_epi.hangs.live.value_store import CallContext, CodeWalk
from gdb_epi.hangs.live.values import (
    DATA,
    IS_DATA,
    NOTHING,
    UNKNOWN,
    UNKNOWN_ARGUMENTS,
    AnyInstance,
    Arguments,
    Atom,
    BoundMethod,
    ConstantText,
    KnownObject,
    MadeAtPlace,
    MadeByCode,
    MethodInC,
    PairsOfContainer,
    PlainData,
    SuperProxy,
    UnknownAttribute,
    Value,
    union_of_all_values,
)
from gdb_epi.locks.python.acquire_calls import CalledFunction

MAX_CELLS, MAX_DEPTH = 16, 30  # of a library's function; of calls that lead to one another
MAX_VARIANTS = 6  # of one function, by its arguments; then all are one
_GENERATES = 0x20 | 0x80 | 0x200  # CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR
_REST, _KEYWORDS = 4, 8  # CO_VARARGS, CO_VARKEYWORDS
_CALLABLES = ("function", "method", "builtin_function_or_method", "functools.partial", "generator")


class ValueCalls:
    """What code calls, with which values."""

    def __init__(self, walk: CodeWalk, reads: ValueReads) -> None:
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
            and (called is None or self._may_call_change_arguments(called))
        ):
            self._reads.note_possible_change(UNKNOWN)
        if called is None:
            self._call_unknown(given)
            return UNKNOWN
        self._depth += 1
        try:
            if self._depth > MAX_DEPTH:  # functions that wrap each other
                self._walk.unbounded = True
                return UNKNOWN
            return union_of_all_values(self.call_for_value(context, atom, given) for atom in called)
        finally:
            self._depth -= 1

    def _call_unknown(self, given: Arguments) -> None:
        """Call what is not known: it may call its arguments, and all their methods."""
        self.call_kept_functions()
        self._give_arguments_to_unseen_code(given)
        self._note_arguments_may_change(given)
        atoms = (atom for value in given.known_values() for atom in value or ())
        self._walk.called.update(
            (atom.address, "*") for atom in atoms if isinstance(atom, KnownObject)
        )

    def _give_arguments_to_unseen_code(self, given: Arguments) -> None:
        values = given.known_values()
        for value in values:
            self._walk.hand_to_unseen_code(value)
        if any(map(self._may_call_change_arguments, values)):
            for value in values:
                self._reads.note_possible_change(value, within=True)

    def _note_arguments_may_change(self, given: Arguments) -> None:
        """Give arguments, and what they hold, to what may change them."""
        for value in given.known_values():
            self._reads.note_possible_change(value, within=True)

    def _may_call_change_arguments(self, called: Value) -> bool:
        """Tell whether a function that is not followed may change its arguments."""
        for atom in called or ():
            if isinstance(atom, MethodInC) and atom.name not in effects.OF_OWN_OBJECT:
                return True
            kind = self._heap.type_name(atom.address) if isinstance(atom, KnownObject) else ""
            if not isinstance(atom, KnownObject) or not kind:
                continue
            if kind in ("wrapper_descriptor", "method_descriptor", "method-wrapper"):
                return True
            if kind == "function":
                made = self._live.calls.as_called_function(atom.address, 0)
                module = self._live.module_of_globals(made.scope)
                name = self._live.name_of_code(made.code)
                if module.is_library and not is_function_without_side_effects(module.name, name):
                    return True
            if kind == "builtin_function_or_method":
                subject = self._reader.field(atom.address, "PyCFunctionObject", "m_self")
                defined = self._reader.method_def_name(atom.address)
                name = defined if isinstance(defined, str) else ""
                if name not in effects.OF_OWN_OBJECT and not is_function_without_side_effects(
                    self._module_name(subject), name
                ):
                    return True
        return False

    def call_for_value(self, context: CallContext | None, atom: Atom, given: Arguments) -> Value:
        """Return what a call of one possibility gives."""
        if isinstance(atom, KnownObject):
            return self.call_object(context, atom, given)
        if isinstance(atom, MadeByCode):
            parent = self._store.contexts[atom.context]
            return self._run_function(
                CalledFunction(atom.code, {}, atom.scope), given, parent=parent
            )
        if isinstance(atom, BoundMethod):
            if isinstance(atom.function, KnownObject):
                return self.call_function(atom.function.address, atom.subject, given)
            return UNKNOWN
        if isinstance(atom, MethodInC):
            return self._call_builtin_method(atom, given)
        if isinstance(atom, AnyInstance):
            method = self._heap.class_attribute(atom.type, "__call__")
            if method and self._heap.type_name(method) == "function":
                return self.call_function(method, atom, given)
        elif isinstance(atom, UnknownAttribute):
            self._give_arguments_to_unseen_code(given)
            self.call_methods_named(atom.name)
            if atom.name not in effects.OF_OWN_OBJECT and atom.name not in self._live.own_functions:
                self._note_arguments_may_change(given)
            return UNKNOWN
        elif isinstance(atom, (PlainData, ConstantText, SuperProxy)):
            self._give_arguments_to_unseen_code(given)
            return UNKNOWN
        self.call_kept_functions()
        self._give_arguments_to_unseen_code(given)
        return UNKNOWN

    def call_classes(self, context: CallContext, value: Value) -> None:
        """Instantiate the classes among some values, as `raise` does."""
        for atom in value or ():
            if isinstance(atom, KnownObject) and self._reads.is_type(atom.address):
                self.call_object(context, atom, Arguments())

    def call_kept_functions(self) -> None:
        """Follow every function that somebody may have been given, to call it."""
        if not self._calls_kept:
            self._calls_kept = True
            for function, subject in self._live.functions_kept_to_be_called:
                of = KnownObject(subject) if subject else None
                self.call_function(function.address, of, UNKNOWN_ARGUMENTS)

    def call_method_of_any_instance(self, kind: int, function: int, given: Arguments) -> None:
        """Call a method of whatever object of a class: of none as long as there is none."""
        if self._makes_objects or kind in self._made_classes or self._live.instances_of(kind):
            self.call_function(function, AnyInstance(kind, False), given)
        else:
            self._without_objects.setdefault(kind, []).append((function, given))

    def call_methods_named(self, name: str) -> None:
        """A method of an object that is not known is called."""
        self._walk.called.add((0, name))
        if (
            not self.call_all_named(name)
            and name not in effects.OF_DATA
            and not name.startswith("__")
        ):
            self.call_kept_functions()

    def call_all_named(self, name: str) -> bool:
        """Follow every function of the program of a name; tell whether there is any."""
        named = self._live.own_functions.get(name, [])
        self._walk.unbounded |= len(named) > MAX_NAMED
        for each in named[:MAX_NAMED]:
            owner = self._live.class_of_function.get(each.address, 0)
            if owner:
                self.call_method_of_any_instance(owner, each.address, UNKNOWN_ARGUMENTS)
            else:
                self.call_function(each.address, None, UNKNOWN_ARGUMENTS)
        return bool(named)

    def call_object(
        self, context: CallContext | None, atom: KnownObject, given: Arguments
    ) -> Value:
        """Call an object."""
        at, heap = atom.address, self._heap
        kind = heap.type_name(at)
        if kind == "function":
            return self.call_function(at, None, given)
        if kind == "method":
            function, subject = heap.read_bound_method(at)
            if heap.type_name(function) == "function":
                self._walk.called.add((subject, self._live.name_of_code(
                    self._live.calls.as_called_function(function, 0).code)))  # fmt: skip
                return self.call_function(function, KnownObject(subject), given)
            return self.call(
                context, heap.value_of_object(function), Arguments(None, given.by_name)
            )
        if kind == "builtin_function_or_method":
            return self._call_builtin(context, atom, given)
        if kind in ("partial", "functools.partial"):
            function, first = heap.read_partial(at)
            values = list(map(heap.value_of_object, first))
            if given.by_place is None:
                self._give_arguments_to_unseen_code(Arguments(values))
            return self.call(context, heap.value_of_object(function), given.placed_behind(values))
        if self._reads.is_type(at):
            return self._instantiate_class(context, at, given)
        if kind.startswith("weakref"):
            referent = self._reader.field(at, "PyWeakReference", "wr_object")
            return heap.value_of_object(referent)
        if kind in ("method_descriptor", "wrapper_descriptor"):
            self._call_unbound_library_method(
                self._reader.text_field(at, "PyMethodDescrObject", "d_common.d_name"), given
            )
        wrapped = heap.own_attribute(at, "__wrapped__")
        if wrapped:
            return self.call(context, heap.value_of_object(wrapped), given)
        method = heap.class_attribute(self._reader.type_of(at), "__call__")
        if method and heap.type_name(method) == "function":
            return self.call_function(method, atom, given)
        self._walk.does_anything |= kind.rpartition(".")[2] in effects.UNFOLLOWED
        if kind != "NoneType":
            self._call_unknown(given)
            if kind == "method-wrapper":
                self._reads.note_possible_change(UNKNOWN)
        return UNKNOWN

    def _call_unbound_library_method(self, name: str, given: Arguments) -> None:
        """A method of a library is called as a function, with its object."""
        first = given.by_place[0] if given.by_place else UNKNOWN
        for atom in first or (None,):
            if not isinstance(atom, (PlainData, ConstantText)):
                self._walk.called.add((atom.address if isinstance(atom, KnownObject) else 0, name))

    def call_function(self, address: int, subject: Atom | None, given: Arguments) -> Value:
        """Call a function, of a method with its `self`."""
        made = self._live.calls.as_called_function(address, 0)
        module = self._live.module_of_globals(made.scope)
        if subject is None and given.by_place is None:  # of a method any object of its class
            owner = self._live.class_of_function.get(address, 0)
            subject = AnyInstance(owner, False) if owner else None
        if module.is_library:
            return self._call_library(address, module, subject, given)
        if subject is None:
            return self._run_function(made, given, function=address)
        first: Value = frozenset((subject,))
        return self._run_function(made, given.placed_behind([first]), function=address, first=first)

    def _call_library(
        self, address: int, module: ModuleOfGlobals, subject: Atom | None, given: Arguments
    ) -> Value:
        wrapped = self._heap.own_attribute(address, "__wrapped__")
        for cell in self._containers.closure_values(address, MAX_CELLS):
            if cell and cell != wrapped:
                self._walk.hand_to_unseen_code(self._heap.value_of_object(cell))
        if wrapped and self._heap.type_name(wrapped) == "function":  # as by contextmanager()
            inside = given if subject is None else given.placed_behind([frozenset((subject,))])
            return self.call(None, self._heap.value_of_object(wrapped), inside)
        name = self._live.name_of_code(self._live.calls.as_called_function(address, 0).code)
        if subject is None and self._live.is_defined_in_class(address):
            self._call_unbound_library_method(name, given)
        self._walk.does_anything |= effects.may_load_unseen_code(module.name)
        held = [subject.address] if isinstance(subject, KnownObject) else []
        if isinstance(subject, (KnownObject, AnyInstance)):
            kind = self._reads.type_of(subject)
            if self._heap.type_info(kind).module in self._live.own_modules:
                self._call_library_overrides(subject, kind)
        self._walk.run_library_code(module.name, held)
        top = top_package(module.name)
        self._assume_instances_made_by_library(top)
        if top == "contextlib" or (module.name == "threading" and name in ("run", "start")):
            self.call_callables_held_by(held)
        self._give_called_arguments_to_unseen_code(top, given)
        if not is_function_without_side_effects(module.name, name):
            self._note_arguments_may_change(given)
            self._reads.note_possible_change(
                frozenset((subject,)) if subject is not None else NOTHING
            )
        if isinstance(subject, KnownObject) and module.name == "queue" and name in effects.TAKES:
            queue = self._heap.own_attribute(subject.address, "queue")
            return (
                self._reads.iterated_values(None, self._heap.value_of_object(queue))
                if queue
                else UNKNOWN
            )
        return DATA if self._returns_only_data(top, given) else UNKNOWN

    def call_callables_held_by(self, objects: Sequence[int]) -> None:
        """Call what some objects of a library have been given to call."""
        given = self._heap.callables_reachable_from(objects)
        if given is None:
            self.call_kept_functions()
        for at in given or ():
            if at not in objects:
                self._walk.hand_object_to_unseen_code(KnownObject(at))

    def _run_function(
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
        variables = self._sites.name_tables(code).variables
        parameters = variables[: count + only]
        bound: dict[str, Value] = dict.fromkeys(parameters, UNKNOWN)
        if given.by_place is not None:
            bound |= self._default_values(function, parameters[:count], parameters[count:])
            bound |= dict(zip(parameters[:count], given.by_place, strict=False))
            for name, value in given.by_name.items():
                if name in bound:
                    bound[name] = value
                elif flags & _KEYWORDS:
                    self._walk.hand_to_unseen_code(value)
            for value in given.by_place[count:]:
                self._walk.hand_to_unseen_code(value)
        else:
            self._give_arguments_to_unseen_code(given)
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
                self._store.write(
                    ("variable", context.number, name), self._heap.value_of_object(address)
                )
            if parent is not None:
                context.free = frozenset(self._free_variables(code))
        for name, value in bound.items():
            self._store.write(("variable", context.number, name), value)
        if flags & _GENERATES:
            return frozenset((MadeAtPlace(context.number, -1, "generator"),))
        return self._store.read(("return", context.number))

    def _free_variables(self, code: int) -> list[str]:
        names = self._sites.name_tuple(code, "co_freevars")
        if names:
            return names
        layout = self._reader.layout
        at = layout.offset("PyCodeObject", "co_nfreevars")
        count = self._reader.u32(code + at) if at is not None else 0
        return self._sites.name_tables(code).cells[-count:] if count else []

    def _default_values(
        self, function: int, by_place: Sequence[str], by_name: Sequence[str]
    ) -> dict[str, Value]:
        if not function:
            return {}
        field = self._reader.field
        values: dict[str, Value] = {}
        held = field(function, "PyFunctionObject", "func_defaults")
        if held and self._heap.type_name(held) == "tuple":
            items = self._containers.tuple_items(held)
            for name, at in zip(reversed(by_place), reversed(items), strict=False):
                values[name] = self._reads.object_value_now(at, name)
        held = field(function, "PyFunctionObject", "func_kwdefaults")
        for name in by_name if held else ():
            value = self._view.objects.dict_get(held, name)
            values[name] = (
                UNKNOWN if isinstance(value, Absent) else self._reads.object_value_now(value, name)
            )
        return values

    def record_returned(self, context: CallContext, value: Value, *, yields: bool) -> None:
        """Take what a run returns or yields."""
        if yields:
            self._store.write(("items", MadeAtPlace(context.number, -1, "generator")), value)
        else:
            self._store.write(("return", context.number), value)

    def make_function(self, context: CallContext, code: Value) -> Value:
        """Return a function that code makes."""
        functions = [
            MadeByCode(each.address, context.scope, context.number)
            for each in code or ()
            if isinstance(each, KnownObject) and self._heap.type_name(each.address) == "code"
        ]
        return frozenset(functions) if functions else UNKNOWN

    def _instantiate_class(self, context: CallContext | None, kind: int, given: Arguments) -> Value:
        """Call a class."""
        info = self._heap.type_info(kind)
        if not info.is_python_class:
            return self._make_builtin(context, info, given)
        made = AnyInstance(kind, True)
        for base in self._heap.mro(kind):
            self._made_classes.add(base.address)
            for function, arguments in self._without_objects.pop(base.address, ()):
                self.call_function(function, AnyInstance(base.address, False), arguments)
        is_own = info.module in self._live.own_modules
        meta = self._reader.type_of(kind)
        for of, name in ((kind, "__init__"), (kind, "__new__"), (meta, "__call__")):
            function = self._heap.class_attribute(of, name)
            _, inner = self._heap.unwrap_descriptor(function) if function else ("", 0)
            if inner and self._heap.type_name(inner) == "function":
                subject = made if name == "__init__" else KnownObject(kind)
                self.call_function(inner, subject, given)
        scope = self._view.objects.module_dict(
            self._view.python.interpreters[0].address, info.module
        )
        module = (
            ModuleOfGlobals("", True, False)
            if isinstance(scope, Absent)
            else self._live.module_of_globals(scope)
        )
        if module.is_library or not is_own:
            self._walk.run_library_code(info.module, [])
            self._give_arguments_to_unseen_code(given)
        elif not self._reads.is_class_of_program_alone(kind):
            self._call_library_overrides(made, kind)
        return frozenset((made,))

    def _make_builtin(self, context: CallContext | None, info: TypeInfo, given: Arguments) -> Value:
        name = info.full_name
        if name == "super":
            return self._call_super(context, given.by_place)
        if name in effects.MAKES_NUMBER_OR_TEXT or (
            name == "type" and given.by_place is not None and len(given.by_place) == 1
        ):
            return DATA if name != "type" else UNKNOWN
        if name in effects.GOES_OVER_ITEMS:
            self._give_callables_to_unseen_code(given)
            made = self._value_made_at(context, -3, name)
            values = given.by_place if given.by_place is not None else [UNKNOWN]
            items = (self._reads.iterated_values(context, value) for value in values)
            self._reads.add_to_new_container(
                made, union_of_all_values([*items, *given.by_name.values()])
            )
            if name == "enumerate":
                self._reads.add_to_new_container(made, DATA)
            if name in ("enumerate", "zip"):
                return frozenset(PairsOfContainer(each, "pairs") for each in made or ())
            return made
        self._give_arguments_to_unseen_code(given)
        if name.rpartition(".")[2] == "partial":
            return DATA  # what it calls has been called
        if has_module_effect(info.module, effects.GIVES_DATA) or top_package(info.module) in (
            "queue",
            "threading",
        ):
            return frozenset((AnyInstance(info.address, True),))
        return UNKNOWN

    def _call_super(self, context: CallContext | None, given: Sequence[Value] | None) -> Value:
        if context is None or given is None:
            return UNKNOWN
        if len(given) == 2:
            kind, subject = given
        else:
            names = self._sites.name_tables(context.code).variables
            kind = self._reads.variable(context, "__class__")
            subject = self._reads.variable(context, names[0]) if names else UNKNOWN
        if kind is None:
            return UNKNOWN
        return frozenset(
            SuperProxy(each.address, subject, "super")
            for each in kind
            if isinstance(each, KnownObject)
        )

    def _call_builtin(
        self, context: CallContext | None, atom: KnownObject, given: Arguments
    ) -> Value:
        """Call a function of C, or a method of C of an object."""
        subject = self._reader.field(atom.address, "PyCFunctionObject", "m_self")
        called = self._reader.method_def_name(atom.address)
        name = called if isinstance(called, str) else ""
        if subject and self._heap.type_name(subject) not in ("module", "NoneType"):
            self._walk.called.add((subject, "*"))
            return self._call_builtin_method(
                MethodInC(KnownObject(subject), name, "builtin"), given
            )
        self._walk.called.add((subject, name))
        values = list(given.by_place or ())
        if name in ("next", "anext"):
            self._reads.note_possible_change(values[0] if values else UNKNOWN)
        if not is_function_without_side_effects(self._module_name(subject), name):
            self._note_arguments_may_change(given)
        if name == "getattr" and context is not None:
            (text, *more) = (values[1] if len(values) > 1 else None) or (IS_DATA,)
            if isinstance(text, ConstantText) and not more:
                wanted = self._reader.string(text.address, MAX_TEXT)
                if isinstance(wanted, str):
                    return union_of_all_values(
                        [self._reads.attribute(context, values[0], wanted), *values[2:]]
                    )
        if name in effects.UNFOLLOWED or name in ("getattr", "setattr"):
            self._walk.does_anything = True
        if name == "__import__":
            return UNKNOWN
        if name in ("any", "all"):
            self._reads.iterated_values(context, values[0] if values else UNKNOWN)
        if name in effects.ONLY_LOOKS:
            self._give_arguments_to_unseen_code(Arguments(None, given.by_name))
            if name == "print":
                self._walk.call_stream_writers()
            return DATA
        if name in effects.GIVES_ONE_ITEM | effects.GIVES_ITEMS:
            self._give_callables_to_unseen_code(given)
            items = union_of_all_values(
                self._reads.iterated_values(context, each) for each in values[:1]
            )
            if name in effects.GIVES_ONE_ITEM:
                return union_of_all_values([items, *values[1:]])
            made = self._value_made_at(context, -4, name)
            self._reads.add_to_new_container(made, items)
            return made
        module = self._module_name(subject)
        self._assume_instances_made_by_library(module)
        self._give_called_arguments_to_unseen_code(module, given)
        return DATA if name == "open" or self._returns_only_data(module, given) else UNKNOWN

    @staticmethod
    def _value_made_at(context: CallContext | None, at: int, kind: str) -> Value:
        """Return what code makes at a place, or a built-in function for it (`at` below 0)."""
        return frozenset((MadeAtPlace(context.number if context is not None else -1, at, kind),))

    def _give_called_arguments_to_unseen_code(self, module: str, given: Arguments) -> None:
        """Hand on what a function of a module may call of its arguments."""
        if has_module_effect(module, effects.CALLS_NOTHING):
            self._give_callables_to_unseen_code(given)
        else:
            self._give_arguments_to_unseen_code(given)

    def _returns_only_data(self, module: str, given: Arguments) -> bool:
        """Tell whether a function of a module returns nothing that is the program's."""
        return has_module_effect(module, effects.GIVES_DATA) and not self._contains_function(given)

    def _assume_instances_made_by_library(self, module: str) -> None:
        """Count objects of all classes as there where a library makes some by itself."""
        if not self._makes_objects and has_module_effect(module, effects.MAKES_OBJECTS):
            self._makes_objects = True
            for kind, calls in self._without_objects.items():
                for function, arguments in calls:
                    self.call_function(function, AnyInstance(kind, False), arguments)

    def _module_name(self, module: int) -> str:
        if not module or self._heap.type_name(module) != "module":
            return ""
        scope = self._reader.field(module, "PyModuleObject", "md_dict")
        return top_package(self._live.module_of_globals(scope).name)

    def _contains_function(self, given: Arguments) -> bool:
        """Tell whether arguments have a function, whose results may come back."""
        functions = ("function", "method", "type", "functools.partial")
        return any(
            isinstance(atom, (MadeByCode, BoundMethod))
            or (isinstance(atom, KnownObject) and self._heap.type_name(atom.address) in functions)
            for value in given.known_values()
            for atom in value or ()
        )

    def _give_callables_to_unseen_code(self, given: Arguments) -> None:
        """Hand on the functions among arguments: key functions and the like."""
        for value in given.known_values():
            self._walk.hand_to_unseen_code(frozenset(
                atom for atom in value or ()
                if isinstance(atom, (MadeByCode, BoundMethod, MethodInC)) or (isinstance(
                    atom, KnownObject) and self._heap.type_name(atom.address) in _CALLABLES)
            ))  # fmt: skip

    def _call_builtin_method(self, atom: MethodInC, given: Arguments) -> Value:
        subject, name = atom.subject, atom.name
        of_class = isinstance(subject, KnownObject) and self._reads.is_type(subject.address)
        if name not in (
            effects.READS if of_class else effects.OF_OWN_OBJECT
        ):  # a class is given its object
            self._note_arguments_may_change(given)
        if isinstance(subject, PlainData):
            self._give_callables_to_unseen_code(given)
            return DATA
        if name not in effects.READS and not of_class:
            self._reads.note_possible_change(frozenset((subject,)))
        kind = self._builtin_base_name(subject)
        if isinstance(subject, KnownObject):
            self._walk.called.add((subject.address, name))
        if isinstance(subject, (MadeAtPlace, PairsOfContainer)) or kind in effects.CONTAINERS:
            of: Value = frozenset((subject,))
            values = [*(given.by_place or (UNKNOWN,)), *given.by_name.values()]
            if name in effects.INSERTS:
                for value in values:
                    many = name in ("extend", "extendleft", "update")
                    self._reads.add_to_new_container(
                        of, self._reads.iterated_values(None, value) if many else value
                    )
                    if not isinstance(subject, MadeAtPlace):
                        self._walk.share_with_other_threads(
                            self._reads.iterated_values(None, value) if many else value
                        )
            else:
                self._give_callables_to_unseen_code(given)
            if name in effects.TAKES or name == "setdefault":
                held = self._reads.iterated_values_of_atom(subject)
                if name in effects.OF_PAIRS:
                    return frozenset((PairsOfContainer(subject, effects.OF_PAIRS[name]),))
                if name in ("values", "keys", "copy", "union", "difference", "intersection"):
                    return of
                return union_of_all_values(
                    [held, *(values[1:] if name in ("get", "pop", "setdefault") else ())]
                )
            return DATA
        self._give_arguments_to_unseen_code(given)
        self._reads.iterated_values_of_atom(subject)  # of a generator: it goes on
        info = self._heap.type_info(self._reads.type_of(subject))
        mro = self._heap.mro(info.address)
        base = next((each for each in mro if not each.is_python_class), info)
        top = top_package(base.module)
        if (
            isinstance(subject, AnyInstance)
            and not subject.is_new
            and not self._reads.is_class_of_program_alone(info.address)
        ):
            self._walk.called.add((0, name))
        self._assume_instances_made_by_library(top)
        if not do_module_objects_call_nothing(top):
            self.call_kept_functions()  # which it may have been given before
        if isinstance(subject, KnownObject) and not info.is_python_class:
            self._walk.hand_held_objects_to_unseen_code(subject.address)
        if top == "queue" and name in effects.TAKES:
            return UNKNOWN
        return DATA if top == "threading" or has_module_effect(top, effects.GIVES_DATA) else UNKNOWN

    def _builtin_base_name(self, subject: Atom) -> str:
        kind = self._reads.type_of(subject)
        if not kind:
            return ""
        names = (each.full_name for each in self._heap.mro(kind))
        return next((name for name in names if name in effects.CONTAINERS), "")

    def _call_library_overrides(self, subject: KnownObject | AnyInstance, kind: int) -> None:
        """Call the methods of an own class that a library may know by a base of it."""
        if subject in self._methods_called:
            return
        self._methods_called.add(subject)
        classes = self._heap.mro(kind)
        own = [each for each in classes if each.module in self._live.own_modules]
        others = [each for each in classes if each not in own and each.full_name != "object"]
        if not others:
            return
        of_bases = {name for other in others for name in self._live.names_in_class(other.address)}
        threads = all(other.module == "threading" or not other.is_python_class for other in others)
        for each in own:
            for name, function in self._live.functions_in_class(each.address):
                if name in of_bases or not threads:
                    self.call_function(function, subject, UNKNOWN_ARGUMENTS)

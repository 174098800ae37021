# SPDX-License-Identifier: Apache-2.0
"""What calls lead to: functions with what they are given, classes, methods of C code.

A call of a known object leads to its function. Of an object that is not known its method's name
leads to every function of that name, and what calls a function that is not known to each one that
somebody keeps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gdb_epi.cpython.objects.type_objects import TypeInfo
from gdb_epi.errors import Absent
from gdb_epi.hangs.live.harmless import OF_OWN_OBJECT, READS, is_harmless
from gdb_epi.hangs.live.program_code import LOOPS, Module
from gdb_epi.hangs.live.reach import OF_DATA, QUIET
from gdb_epi.hangs.live.value_flow import Context
from gdb_epi.hangs.live.value_reads import MAX_NAMED, MAX_TEXT, UNFOLLOWED, ValueReads
from gdb_epi.hangs.live.values import (
    DATA,
    IS_DATA,
    NOTHING,
    UNKNOWN,
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

MAX_CELLS = 16  # of a library's function
MAX_DEPTH = 30  # of calls that lead to one another at once
MAX_VARIANTS = 6  # of one function, by its arguments; then all are one
_GENERATES = 0x20 | 0x80 | 0x200  # CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR
_REST, _KEYWORDS = 4, 8  # CO_VARARGS, CO_VARKEYWORDS
# Parts of the standard library whose functions return nothing that is the program's.
_GIVES_DATA = frozenset(
    "time os posix posixpath json re math datetime uuid hashlib base64 struct string zlib gzip "
    "socket ssl urllib http email pathlib tempfile shutil platform statistics decimal fractions "
    "csv locale secrets subprocess sqlite3 logging io getpass fcntl resource errno traceback "
    "warnings textwrap hmac calendar numbers shlex signal thread".split()
)
# Those of them that call none of their arguments, but for methods of the program's classes.
_CALLS_NOTHING = frozenset(
    "time os posix posixpath math datetime uuid hashlib base64 struct string zlib gzip socket "
    "logging pathlib tempfile platform csv locale secrets getpass fcntl errno textwrap calendar "
    "shlex statistics decimal fractions numbers hmac".split()
)
_INSERTS = frozenset(
    "append appendleft add insert extend extendleft update setdefault put put_nowait "
    "__setitem__ push".split()
)
_TAKES = frozenset(
    "pop popleft popitem get values items keys copy __getitem__ get_nowait union difference "
    "intersection elements most_common".split()
)
_OF_PAIRS = {"items": "pairs", "most_common": "pairs", "popitem": "pair"}
CONTAINERS = frozenset((
    "list", "dict", "set", "frozenset", "tuple", "collections.deque", "collections.OrderedDict",
    "collections.defaultdict", "dict_keys", "dict_values", "dict_items",
))  # fmt: skip
_NUMBERS = frozenset((
    "int", "float", "str", "bytes", "bool", "complex", "bytearray", "object", "range", "slice",
    "memoryview",
))  # fmt: skip
_OVER_ITEMS = frozenset((
    "list", "tuple", "set", "frozenset", "dict", "reversed", "enumerate", "zip", "filter",
    "collections.deque", "collections.OrderedDict", "collections.defaultdict",
))  # fmt: skip
_ITEM_OF = frozenset(("next", "min", "max", "sum", "anext"))
_PASSED = frozenset(("iter", "sorted"))
# What makes objects of classes that it was not given.
_MAKES_OBJECTS = frozenset(
    "pickle copy copyreg shelve multiprocessing marshal ctypes dill cloudpickle joblib".split()
)
# Whose objects of C code call nothing that they were given before.
_QUIET_OBJECTS = (
    QUIET - {"sqlite3"}
    | LOOPS
    | frozenset("thread contextvars array mmap multiprocessing weakref".split())
)
_ONLY_LOOK = frozenset((
    "len", "isinstance", "issubclass", "id", "repr", "hash", "callable", "print", "abs", "round",
    "ord", "chr", "any", "all", "hasattr", "bin", "hex", "oct", "format", "ascii", "divmod", "pow",
))  # fmt: skip


class ValueCalls(ValueReads):
    """What code calls, with which values."""

    # -- calls --------------------------------------------------------------------------------

    def call(
        self, context: Context | None, called: Value, given: Sequence[Value] | None,
        by_name: Mapping[str, Value],
    ) -> Value:  # fmt: skip
        """Return what a call gives; None for arguments that are not known."""
        if given is None and context is not None and (called is None or self._may_change(called)):
            self.touch(UNKNOWN)
        if called is None:
            self.call_kept()
            self._hand_on_all(given, by_name)
            self._touch_all(given, by_name)
            return UNKNOWN
        self._depth += 1
        try:
            if self._depth > MAX_DEPTH:  # functions that wrap each other
                self._unbounded = True
                return UNKNOWN
            return join_all(self._call(context, atom, given, by_name) for atom in called)
        finally:
            self._depth -= 1

    def _hand_on_all(self, given: Sequence[Value] | None, by_name: Mapping[str, Value]) -> None:
        values = [*(given or ()), *by_name.values()]
        for value in values:
            self.hand_on(value)
        if any(map(self._may_change, values)):
            for value in values:
                self.touch(value, within=True)

    def _touch_all(self, given: Sequence[Value] | None, by_name: Mapping[str, Value]) -> None:
        """Give arguments, and what they hold, to what may change them."""
        for value in (*(given or ()), *by_name.values()):
            self.touch(value, within=True)

    def _may_change(self, called: Value) -> bool:
        """Tell whether a function that is not followed may change its arguments."""
        for atom in called or ():
            if isinstance(atom, OfBuiltin) and atom.name not in OF_OWN_OBJECT:
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
                if name not in OF_OWN_OBJECT and not is_harmless(self._module_name(subject), name):
                    return True
        return False

    def _call(
        self, context: Context | None, atom: Atom, given: Sequence[Value] | None,
        by_name: Mapping[str, Value],
    ) -> Value:  # fmt: skip
        if isinstance(atom, Obj):
            return self._call_object(context, atom, given, by_name)
        if isinstance(atom, Made):
            parent = self._contexts[atom.context]
            return self._enter(atom.code, atom.scope, {}, given, by_name, parent)
        if isinstance(atom, Bound):
            if isinstance(atom.function, Obj):
                return self._call_function(atom.function.address, atom.subject, given, by_name)
            return UNKNOWN
        if isinstance(atom, OfBuiltin):
            return self._call_builtin_method(atom, given, by_name)
        if isinstance(atom, Instance):
            method = self._heap.in_class(atom.type, "__call__")
            if method and self._heap.kind(method) == "function":
                return self._call_function(method, atom, given, by_name)
        elif isinstance(atom, Named):
            self._hand_on_all(given, by_name)
            self._call_named(atom.name)
            if atom.name not in OF_OWN_OBJECT and atom.name not in self._live.own:
                self._touch_all(given, by_name)
            return UNKNOWN
        elif isinstance(atom, (Mark, Text, Super)):
            self._hand_on_all(given, by_name)
            return UNKNOWN
        self.call_kept()
        self._hand_on_all(given, by_name)
        return UNKNOWN

    def _call_named(self, name: str) -> None:
        """A method of an object that is not known is called."""
        self._calls.add((0, name))
        if not self._call_all_named(name) and name not in OF_DATA and not name.startswith("__"):
            self.call_kept()

    def _call_all_named(self, name: str) -> bool:
        named = self._live.own.get(name, [])
        self._unbounded |= len(named) > MAX_NAMED
        for each in named[:MAX_NAMED]:
            owner = self._live.owners.get(each.address, 0)
            if owner:
                self._call_of_any(owner, each.address, None)
            else:
                self._call_function(each.address, None, None, {})
        return bool(named)

    def _call_object(
        self, context: Context | None, atom: Obj, given: Sequence[Value] | None,
        by_name: Mapping[str, Value],
    ) -> Value:  # fmt: skip
        at, heap = atom.address, self._heap
        kind = heap.kind(at)
        if kind == "function":
            return self._call_function(at, None, given, by_name)
        if kind == "method":
            function, subject = heap.method(at)
            if heap.kind(function) == "function":
                self._calls.add((subject, self._live.name_of(
                    self._live.calls.body_of(function, 0).code)))  # fmt: skip
                return self._call_function(function, Obj(subject), given, by_name)
            return self.call(context, heap.value(function), None, by_name)
        if kind == "builtin_function_or_method":
            return self._call_builtin(context, atom, given, by_name)
        if kind in ("partial", "functools.partial"):
            function, first = heap.partial(at)
            arguments = None if given is None else [*map(heap.value, first), *given]
            self._hand_on_all(None if arguments is not None else list(map(heap.value, first)), {})
            return self.call(context, heap.value(function), arguments, by_name)
        if self._is_type(at):
            return self._instantiate(context, at, given, by_name)
        if kind.startswith("weakref"):
            referent = self._reader.field(at, "PyWeakReference", "wr_object")
            return heap.value(referent)
        wrapped = heap.own_attribute(at, "__wrapped__")
        if wrapped:
            return self.call(context, heap.value(wrapped), given, by_name)
        method = heap.in_class(self._reader.type_of(at), "__call__")
        if method and heap.kind(method) == "function":
            return self._call_function(method, atom, given, by_name)
        self._hand_on_all(given, by_name)
        self.does_anything |= kind.rpartition(".")[2] in UNFOLLOWED
        if kind != "NoneType":
            self.call_kept()
            self._touch_all(given, by_name)
            if kind == "method-wrapper":
                self.touch(UNKNOWN)
        return UNKNOWN

    def _call_function(
        self, address: int, subject: Atom | None, given: Sequence[Value] | None,
        by_name: Mapping[str, Value],
    ) -> Value:  # fmt: skip
        """Call a function, of a method with its `self`."""
        made = self._live.calls.body_of(address, 0)
        module = self._live.module(made.scope)
        if subject is None and given is None:  # of a method any object of its class
            owner = self._live.owners.get(address, 0)
            subject = Instance(owner, False) if owner else None
        if module.is_library:
            return self._call_library(address, module, subject, given, by_name)
        arguments = given
        if subject is not None:
            first: Value = frozenset((subject,))
            if given is not None:
                arguments = [first, *given]
            else:
                return self._enter(
                    made.code, made.scope, made.names, None, by_name, None, address, first
                )
        return self._enter(made.code, made.scope, made.names, arguments, by_name, None, address)

    def _call_library(
        self, address: int, module: Module, subject: Atom | None, given: Sequence[Value] | None,
        by_name: Mapping[str, Value],
    ) -> Value:  # fmt: skip
        wrapped = self._heap.own_attribute(address, "__wrapped__")
        for cell in self._containers.cells(address, MAX_CELLS):
            if cell and cell != wrapped:
                self.hand_on(self._heap.value(cell))
        if wrapped and self._heap.kind(wrapped) == "function":  # as by contextmanager()
            inside = [frozenset((subject,)), *(given or ())] if subject is not None else given
            return self.call(
                None, self._heap.value(wrapped), inside if given is not None else None, by_name
            )
        name = self._live.name_of(self._live.calls.body_of(address, 0).code)
        held = [subject.address] if isinstance(subject, Obj) else []
        if isinstance(subject, (Obj, Instance)):
            kind = self._type_of(subject)
            if self._heap.type_info(kind).module in self._live.own_modules:
                self._call_methods(subject, kind)
        self._enter_library(module.name, held)
        top = module.name.partition(".")[0]
        self._make_objects(top)
        if top == "contextlib" or (module.name == "threading" and name in ("run", "start")):
            self._call_what_is_held(held)
        if top in _CALLS_NOTHING:
            self._hand_on_callables(given, by_name)
        else:
            self._hand_on_all(given, by_name)
        if not is_harmless(module.name, name):
            self._touch_all(given, by_name)
            self.touch(frozenset((subject,)) if subject is not None else NOTHING)
        if isinstance(subject, Obj) and module.name == "queue" and name in _TAKES:
            queue = self._heap.own_attribute(subject.address, "queue")
            return self.items(None, self._heap.value(queue)) if queue else UNKNOWN
        if top in _GIVES_DATA and not self._are_called(given, by_name):
            return DATA
        return UNKNOWN

    def _call_what_is_held(self, objects: Sequence[int]) -> None:
        """Call what some objects of a library have been given to call."""
        given = self._heap.given(objects)
        if given is None:
            self.call_kept()
        for at in given or ():
            if at not in objects:
                self._hand_on_object(Obj(at))

    def _enter(
        self, code: int, scope: int, names: Mapping[str, int], given: Sequence[Value] | None,
        by_name: Mapping[str, Value], parent: Context | None, function: int = 0,
        first: Value = NOTHING,
    ) -> Value:  # fmt: skip
        """Run code with arguments; return what it returns, or its generator."""
        field = self._reader.field32
        count, only, flags = (
            field(code, "PyCodeObject", name)
            for name in ("co_argcount", "co_kwonlyargcount", "co_flags")
        )
        variables = self.sites.tables(code).variables
        parameters = variables[: count + only]
        bound: dict[str, Value] = dict.fromkeys(parameters, UNKNOWN)
        if given is not None:
            defaults = self._defaults(function, parameters[:count], parameters[count:])
            bound = {name: defaults.get(name, UNKNOWN) for name in parameters}
            for name, value in zip(parameters[:count], given, strict=False):
                bound[name] = value
            for name, value in by_name.items():
                if name in bound:
                    bound[name] = value
                elif flags & _KEYWORDS:
                    self.hand_on(value)
            for value in given[count:]:
                self.hand_on(value)
        elif first and parameters:
            bound[parameters[0]] = first
        if given is None:
            self._hand_on_all(None, by_name)
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
            context = self._make(code, scope, (EVERYTHING,), parent, None)
            self._by_key[key] = context
            self._variants[place] = self._variants.get(place, 0) + 1
            for name, address in names.items():
                self._write(("variable", context.number, name), self._heap.value(address))
            if parent is not None:
                context.free = frozenset(self._free_variables(code))
        for name, value in bound.items():
            self._write(("variable", context.number, name), value)
        if flags & _GENERATES:
            return frozenset((Site(context.number, -1, "generator"),))
        return self._read(("return", context.number))

    def _free_variables(self, code: int) -> list[str]:
        names = self.sites.strings(code, "co_freevars")
        if names:
            return names
        layout = self._reader.layout
        at = layout.offset("PyCodeObject", "co_nfreevars")
        count = self._reader.u32(code + at) if at is not None else 0
        return self.sites.tables(code).cells[-count:] if count else []

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
                values[name] = self._now(at, name)
        held = field(function, "PyFunctionObject", "func_kwdefaults")
        for name in by_name if held else ():
            value = self._view.objects.dict_get(held, name)
            values[name] = UNKNOWN if isinstance(value, Absent) else self._now(value, name)
        return values

    def returns(self, context: Context, value: Value, *, yields: bool) -> None:
        """Take what a run returns or yields."""
        if yields:
            self._write(("items", Site(context.number, -1, "generator")), value)
        else:
            self._write(("return", context.number), value)

    def made_function(self, context: Context, code: Value) -> Value:
        """Return a function that code makes."""
        functions = [
            Made(each.address, context.scope, context.number)
            for each in code or ()
            if isinstance(each, Obj) and self._heap.kind(each.address) == "code"
        ]
        return frozenset(functions) if functions else UNKNOWN

    def _instantiate(
        self, context: Context | None, kind: int, given: Sequence[Value] | None,
        by_name: Mapping[str, Value],
    ) -> Value:  # fmt: skip
        """Call a class."""
        info = self._heap.type_info(kind)
        if not info.python_class:
            return self._make_builtin(context, info, given, by_name)
        made = Instance(kind, True)
        for base in self._heap.mro(kind):
            self._made_classes.add(base.address)
            for function, arguments in self._without_objects.pop(base.address, ()):
                self._call_function(function, Instance(base.address, False), arguments, {})
        is_own = info.module in self._live.own_modules
        meta = self._reader.type_of(kind)
        for of, name in ((kind, "__init__"), (kind, "__new__"), (meta, "__call__")):
            function = self._heap.in_class(of, name)
            _, inner = self._heap.unwrapped(function) if function else ("", 0)
            if inner and self._heap.kind(inner) == "function":
                subject = made if name == "__init__" else Obj(kind)
                self._call_function(inner, subject, given, by_name)
        scope = self._view.objects.module_dict(
            self._view.python.interpreters[0].address, info.module
        )
        module = Module("", True, False) if isinstance(scope, Absent) else self._live.module(scope)
        if module.is_library or not is_own:
            self._enter_library(info.module, [])
            self._hand_on_all(given, by_name)
        elif not self._is_plainly_own(kind):
            self._call_methods(made, kind)
        return frozenset((made,))

    def _make_builtin(
        self, context: Context | None, info: TypeInfo, given: Sequence[Value] | None,
        by_name: Mapping[str, Value],
    ) -> Value:  # fmt: skip
        name = info.full_name
        if name == "super":
            return self._super(context, given)
        if name in _NUMBERS or (name == "type" and given is not None and len(given) == 1):
            return DATA if name != "type" else UNKNOWN
        if name in _OVER_ITEMS:
            self._hand_on_callables(given, by_name)
            made: Value = frozenset(
                (Site(context.number if context is not None else -1, -3, name),)
            )
            values = given if given is not None else [UNKNOWN]
            self.collect(
                made, join_all([*(self.items(context, each) for each in values), *by_name.values()])
            )
            if name == "enumerate":
                self.collect(made, DATA)
            if name in ("enumerate", "zip"):
                return frozenset(View(each, "pairs") for each in made or ())
            return made
        self._hand_on_all(given, by_name)
        if name.rpartition(".")[2] == "partial":
            return DATA  # what it calls has been called
        if info.module.lstrip("_").partition(".")[0] in _GIVES_DATA | {"queue", "threading"}:
            return frozenset((Instance(info.address, True),))
        return UNKNOWN

    def _super(self, context: Context | None, given: Sequence[Value] | None) -> Value:
        if context is None or given is None:
            return UNKNOWN
        if len(given) == 2:
            kind, subject = given
        else:
            names = self.sites.tables(context.code).variables
            kind = self.variable(context, "__class__")
            subject = self.variable(context, names[0]) if names else UNKNOWN
        if kind is None:
            return UNKNOWN
        return frozenset(
            Super(each.address, subject, "super") for each in kind if isinstance(each, Obj)
        )

    def _call_builtin(
        self, context: Context | None, atom: Obj, given: Sequence[Value] | None,
        by_name: Mapping[str, Value],
    ) -> Value:  # fmt: skip
        """Call a function of C, or a method of C of an object."""
        subject = self._reader.field(atom.address, "PyCFunctionObject", "m_self")
        called = self._reader.definition_name(atom.address)
        name = called if isinstance(called, str) else ""
        if subject and self._heap.kind(subject) not in ("module", "NoneType"):
            self._calls.add((subject, "*"))
            return self._call_builtin_method(
                OfBuiltin(Obj(subject), name, "builtin"), given, by_name
            )
        self._calls.add((subject, name))
        values = list(given or ())
        if name in ("next", "anext"):
            self.touch(values[0] if values else UNKNOWN)
        if not is_harmless(self._module_name(subject), name):
            self._touch_all(given, by_name)
        if name == "getattr" and context is not None:
            (text, *more) = (values[1] if len(values) > 1 else None) or (IS_DATA,)
            if isinstance(text, Text) and not more:
                wanted = self._reader.string(text.address, MAX_TEXT)
                if isinstance(wanted, str):
                    return join_all([self.attribute(context, values[0], wanted), *values[2:]])
        if name in UNFOLLOWED or name in ("getattr", "setattr"):
            self.does_anything = True
        if name == "__import__":
            return UNKNOWN
        if name in ("any", "all"):
            self.items(context, values[0] if values else UNKNOWN)
        if name in _ONLY_LOOK:
            self._hand_on_all(None, by_name)
            if name == "print":
                self._call_writers()
            return DATA
        if name in _ITEM_OF or name in _PASSED:
            self._hand_on_callables(values, by_name)
            items = join_all(self.items(context, each) for each in values[:1])
            if name in _ITEM_OF:
                return join_all([items, *values[1:]])
            made: Value = frozenset(
                (Site(context.number if context is not None else -1, -4, name),)
            )
            self.collect(made, items)
            return made
        module = self._module_name(subject)
        self._make_objects(module)
        if module in _CALLS_NOTHING:
            self._hand_on_callables(given, by_name)
        else:
            self._hand_on_all(given, by_name)
        gives_data = module in _GIVES_DATA and not self._are_called(given, by_name)
        if gives_data or name == "open":
            return DATA
        return UNKNOWN

    def _make_objects(self, module: str) -> None:
        """Count objects of all classes as there where a library makes some by itself."""
        if not self._makes_objects and module in _MAKES_OBJECTS:
            self._makes_objects = True
            for kind, calls in self._without_objects.items():
                for function, arguments in calls:
                    self._call_function(function, Instance(kind, False), arguments, {})

    def _module_name(self, module: int) -> str:
        if not module or self._heap.kind(module) != "module":
            return ""
        scope = self._reader.field(module, "PyModuleObject", "md_dict")
        return self._live.module(scope).name.lstrip("_").partition(".")[0]

    def _are_called(self, given: Sequence[Value] | None, by_name: Mapping[str, Value]) -> bool:
        """Tell whether arguments have a function, whose results may come back."""
        functions = ("function", "method", "type", "functools.partial")
        return any(
            isinstance(atom, (Made, Bound))
            or (isinstance(atom, Obj) and self._heap.kind(atom.address) in functions)
            for value in (*(given or ()), *by_name.values())
            for atom in value or ()
        )

    def _hand_on_callables(
        self, given: Sequence[Value] | None, by_name: Mapping[str, Value]
    ) -> None:
        """Hand on the functions among arguments: key functions and the like."""
        for value in (*(given or ()), *by_name.values()):
            some = frozenset(
                each for each in value or ()
                if isinstance(each, (Made, Bound, OfBuiltin)) or (
                    isinstance(each, Obj) and self._heap.kind(each.address) in
                    ("function", "method", "builtin_function_or_method", "functools.partial",
                     "generator"))
            )  # fmt: skip
            self.hand_on(some)

    def _call_builtin_method(
        self, atom: OfBuiltin, given: Sequence[Value] | None, by_name: Mapping[str, Value]
    ) -> Value:
        subject, name = atom.subject, atom.name
        of_class = isinstance(subject, Obj) and self._is_type(subject.address)
        if name not in (READS if of_class else OF_OWN_OBJECT):  # a class is given its object
            self._touch_all(given, by_name)
        if isinstance(subject, Mark):
            self._hand_on_callables(given, by_name)
            return DATA
        if name not in READS and not of_class:
            self.touch(frozenset((subject,)))
        kind = self._kind_of(subject)
        if isinstance(subject, Obj):
            self._calls.add((subject.address, name))
        if isinstance(subject, (Site, View)) or kind in CONTAINERS:
            of: Value = frozenset((subject,))
            values = [*(given or (UNKNOWN,)), *by_name.values()]
            if name in _INSERTS:
                for value in values:
                    many = name in ("extend", "extendleft", "update")
                    self.collect(of, self.items(None, value) if many else value)
                    if not isinstance(subject, Site):
                        self._hand_on_to_others(self.items(None, value) if many else value)
            else:
                self._hand_on_callables(given, by_name)
            if name in _TAKES or name == "setdefault":
                held = self._items(subject)
                if name in _OF_PAIRS:
                    return frozenset((View(subject, _OF_PAIRS[name]),))
                if name in ("values", "keys", "copy", "union", "difference", "intersection"):
                    return of
                return join_all(
                    [held, *(values[1:] if name in ("get", "pop", "setdefault") else ())]
                )
            return DATA
        self._hand_on_all(given, by_name)
        self._items(subject)  # of a generator: it goes on
        info = self._heap.type_info(self._type_of(subject))
        base = next((each for each in self._heap.mro(info.address) if not each.python_class), info)
        top = base.module.lstrip("_").partition(".")[0]
        if (
            isinstance(subject, Instance)
            and not subject.is_new
            and not self._is_plainly_own(info.address)
        ):
            self._calls.add((0, name))
        self._make_objects(top)
        if top not in _QUIET_OBJECTS:
            self.call_kept()  # which it may have been given before
        if top == "queue" and name in _TAKES:
            return UNKNOWN
        return DATA if top in _GIVES_DATA | {"thread", "threading"} else UNKNOWN

    def _kind_of(self, subject: Atom) -> str:
        kind = self._type_of(subject)
        if not kind:
            return ""
        names = (each.full_name for each in self._heap.mro(kind))
        return next((name for name in names if name in CONTAINERS), "")

    def _call_methods(self, subject: Obj | Instance, kind: int) -> None:
        """Call the methods of an own class that a library may know by a base of it."""
        key = ("methods", subject)
        if key in self._handed:
            return
        self._handed.add(key)
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
                    self._call_function(function, subject, None, {})

    # -- what value_walk.py does --------------------------------------------------------------

    def _hand_on_object(self, atom: Obj) -> None:
        """Give an object to code that is not followed."""
        raise NotImplementedError

    def _enter_library(self, name: str, held: Iterable[int]) -> None:
        """Run code of a library that is not followed."""
        raise NotImplementedError

    def _call_writers(self) -> None:
        """A stream that is the program's own is written to."""
        raise NotImplementedError

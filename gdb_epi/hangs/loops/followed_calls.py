# SPDX-License-Identifier: Apache-2.0
"""What a dry run (dry_run.py) calls: functions of the program, generators, built-in functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.objects.type_objects import TypeInfo
from gdb_epi.cpython.values.repr_decoder import Undecodable
from gdb_epi.cpython.values.repr_from_bytecode import EXCEPTIONS
from gdb_epi.cpython.values.value_stack_items import (
    BuiltinMethod,
    BuiltStr,
    BuiltTuple,
    Caught,
    ComputedNumber,
    Global,
    Item,
    Iteration,
    MadeFunction,
    Method,
    NoneResult,
    Numbers,
    ProcessObject,
    Rest,
    UnknownNumber,
    UnknownText,
)
from gdb_epi.cpython.values.value_stack_operations import PLAIN_DATA, Raised, special_method
from gdb_epi.hangs.loops.changing_objects import (
    DEQUE,
    DICTS,
    MAX_CODE,
    MAX_ITEMS,
)
from gdb_epi.hangs.loops.container_methods import ContainerMethods

MAX_DEPTH = 12  # of calls in one another
_CELL = 0x40 | 0x80  # CO_FAST_CELL, CO_FAST_FREE of co_localspluskinds
_OF_NUMBERS: Mapping[str, Callable[..., object]] = {
    "abs": abs, "int": int, "float": float, "bool": bool, "divmod": divmod, "round": round,
    "ord": ord, "chr": chr, "hash": lambda number: hash(int(number)),
}  # fmt: skip
_OF_MATH = frozenset(
    "ceil floor trunc sqrt gcd fabs fmod hypot isclose isqrt log log2 log10 sin cos tan exp "
    "degrees radians copysign isfinite isinf isnan".split()
)
CLASS = "__class__"
_LOGS = frozenset(("debug", "info", "warning", "error", "critical"))


class YieldedValue(Exception):
    """A generator gives a value and rests."""

    def __init__(self, value: Item) -> None:
        super().__init__("a value")
        self.value = value


class FollowedCalls(ContainerMethods):
    """Code that goes on: what it calls."""

    first_cell = 0  # up to 3.10 cells are counted apart from variables
    names = 0
    keywords: tuple[str, ...] = ()  # of the call that follows (3.11 and 3.12)
    generators: Callable[[int], Rest | None] | None = None  # those of the process

    def made(self) -> FollowedCalls:
        """Return the run of a function that is called."""
        raise NotImplementedError

    # -- functions ------------------------------------------------------------------------------

    def call(self, function: int, owner: TypeInfo | None, arguments: Sequence[Item]) -> Item:
        """Return what a function of the program returns. Raises Undecodable, Raised, Endless."""
        return self._run_function(ProcessObject(function), owner, arguments, {})

    def call_item(
        self, called: Item, arguments: Sequence[Item], keywords: Mapping[str, Item] | None = None
    ) -> Item:
        """Return what a callable returns. Raises Undecodable, Raised, Endless."""
        named = keywords or {}
        if isinstance(called, BuiltinMethod):
            return self.call_method(called.of, called.name, arguments, named)
        if isinstance(called, Method):
            function = ProcessObject(called.function)
            return self._run_function(function, called.owner, [called.self, *arguments], named)
        if isinstance(called, MadeFunction):
            return self._run_function(called, None, arguments, named)
        if isinstance(called, Global) and self._builtin(called.name):
            kind = EXCEPTIONS.get(called.name)
            if kind is not None and issubclass(kind, Exception):
                return Caught(kind)
            return self.call_builtin(called.name, list(arguments), named)
        if not isinstance(called, ProcessObject):
            raise Undecodable("a call")
        ident = self.decoder.ident(called.address)
        if ident == "function":
            return self._run_function(called, None, arguments, named)
        if ident == "type":
            return self._new_instance(called, arguments, named)
        if ident == "builtin_function_or_method":
            return self._call_native(called, arguments, named)
        if ident == "method":
            at = called.address
            function, owner = (
                ProcessObject(self.decoder.field(at, "PyMethodObject", name))
                for name in ("im_func", "im_self")
            )
            if self.is_random(owner) and not named:
                return self.draw(self._name_of(function), arguments)
            return self.call_item(function, [owner, *arguments], named)
        raise Undecodable("a call")

    def _name_of(self, function: ProcessObject) -> str:
        at = self.decoder.field(function.address, "PyFunctionObject", "func_name")
        return self.decoder.string(at)

    def _call_native(
        self, called: ProcessObject, arguments: Sequence[Item], keywords: Mapping[str, Item]
    ) -> Item:
        """Return what a method of an object, or a function of `math`, gives."""
        of = ProcessObject(self.decoder.field(called.address, "PyCFunctionObject", "m_self"))
        text = self.decoder.repr_of(called.address)
        name = text.removeprefix("<built-in method ").partition(" of ")[0]
        if name != text and self.knows_method(of, name):
            return self.call_method(of, name, arguments, keywords)
        name = text.removeprefix("<built-in function ").rstrip(">")
        if name == "sleep" and self._is_module(of, "time"):
            return NoneResult()
        if name in _OF_MATH and not keywords and self._is_module(of, "math"):
            function: Callable[..., object] = getattr(math, name)
            return self.of_host(function, *map(self.host, arguments))
        raise Undecodable("a call")

    def _is_module(self, of: ProcessObject, name: str) -> bool:
        if not of.address or self.decoder.ident(of.address) != "module":
            return False
        return self.decoder.repr_of(of.address).startswith(f"<module '{name}'")

    def _run_function(
        self, function: ProcessObject | MadeFunction, owner: TypeInfo | None,
        arguments: Sequence[Item], keywords: Mapping[str, Item],
    ) -> Item:  # fmt: skip
        if self.depth >= MAX_DEPTH:
            raise Undecodable("calls in one another")
        run, decoder = self.made(), self.decoder
        defaults: Sequence[Item]
        if isinstance(function, MadeFunction):
            run.code, run.globals, cells, defaults = function
            named = {}
        else:
            run.function, run.owner, at = function.address, owner, function.address
            run.code = decoder.field(at, "PyFunctionObject", "func_code")
            run.globals = decoder.field(at, "PyFunctionObject", "func_globals")
            containers = ContainerReader(decoder.reader)
            words = containers.cells(at, MAX_ITEMS)
            cells = tuple(ProcessObject(word) if word else None for word in words)
            given = decoder.field(at, "PyFunctionObject", "func_defaults")
            defaults = [*map(ProcessObject, containers.tuple_items(given))] if given else ()
            named = self._named_defaults(decoder.field(at, "PyFunctionObject", "func_kwdefaults"))
        run.locals = run.bound_arguments(arguments, keywords, defaults, named)
        run.put_cells(cells)
        if run.has_flag("CO_COROUTINE") or run.has_flag("CO_ASYNC_GENERATOR"):
            raise Undecodable("a coroutine")
        if run.is_generator():
            rest = Rest(run.code, run.globals, 0, tuple(sorted(run.locals.items())))
            return self.memory.make("generator", [rest])
        decoder.nesting += 1
        try:
            return run.go(0, MAX_CODE)
        finally:
            decoder.nesting -= 1

    def _named_defaults(self, at: int) -> dict[str, Item]:
        if not at:
            return {}
        pairs = self.decoder.objects.dict_items(at)
        return {self.decoder.string(key): ProcessObject(value) for key, value in pairs}

    def has_flag(self, name: str) -> bool:
        """Tell whether the code is of some sort ("CO_COROUTINE")."""
        return bool(self._count("co_flags") & (self.decoder.layout.constant(name) or 0))

    def is_generator(self) -> bool:
        """Tell whether the code is that of a generator."""
        return self.has_flag("CO_GENERATOR")

    def _count(self, member: str) -> int:
        at = self.code + self.decoder.offset("PyCodeObject", member)
        return self.decoder.reader.u32(at)

    def bound_arguments(
        self, arguments: Sequence[Item], keywords: Mapping[str, Item],
        defaults: Sequence[Item], named: Mapping[str, Item],
    ) -> dict[int, Item]:  # fmt: skip
        """Return the variables of this function when it begins. Raises Undecodable."""
        count = self._count("co_argcount")
        only_named = self._count("co_kwonlyargcount")
        several, others = self.has_flag("CO_VARARGS"), self.has_flag("CO_VARKEYWORDS")
        names = self._slot_names()[: count + only_named]
        bound: dict[int, Item] = dict(enumerate(arguments[:count]))
        rest = dict(keywords)
        for number, name in enumerate(names):
            if name in rest:
                if number in bound:
                    raise Raised(TypeError)
                bound[number] = rest.pop(name)
            elif number not in bound and count - len(defaults) <= number < count:
                bound[number] = defaults[number - count + len(defaults)]
            elif number not in bound and number >= count and name in named:
                bound[number] = named[name]
        if (
            len(bound) < len(names)
            or (len(arguments) > count and not several)
            or (rest and not others)
        ):
            raise Undecodable("a function that takes other arguments")
        at = count + only_named
        if several:
            bound[at] = BuiltTuple(tuple(arguments[count:]))
        if others:
            pairs = (BuiltTuple((BuiltStr(name), value)) for name, value in rest.items())
            bound[at + several] = self.memory.make("dict", pairs)
        return bound

    def _slot_names(self) -> list[str]:
        modern = self.decoder.layout.offset("PyCodeObject", "co_localsplusnames") is not None
        return self._names_in("co_localsplusnames" if modern else "co_varnames")

    def _names_in(self, member: str) -> list[str]:
        table = self.decoder.field(self.code, "PyCodeObject", member)
        words = ContainerReader(self.decoder.reader).tuple_items(table)
        return [self.decoder.string(word) for word in words]

    # -- cells ----------------------------------------------------------------------------------

    def put_cells(self, cells: Sequence[Item]) -> None:
        """Put the variables of functions around this one, and its own cells, in their places."""
        layout = self.decoder.layout
        if layout.offset("PyCodeObject", "co_localsplusnames") is not None:
            first = self._count("co_nlocalsplus") - len(cells)
        else:  # up to 3.10: cells apart; those of arguments begin with them
            variables, own = self._names_in("co_varnames"), self._names_in("co_cellvars")
            self.first_cell = len(variables)
            for number, name in enumerate(own):
                if name in variables and variables.index(name) in self.locals:
                    self.locals[self.first_cell + number] = self.locals[variables.index(name)]
            first = self.first_cell + len(own)
        for number, cell in enumerate(cells):
            if cell is not None:
                self.locals[first + number] = cell

    def _cell(self, number: int) -> ProcessObject | None:
        """Return the cell of a variable that was given to another function."""
        item = self.locals.get(number)
        is_cell = isinstance(item, ProcessObject) and self.memory.kinds.get(item.address) == "cell"
        return item if is_cell and isinstance(item, ProcessObject) else None

    def _do_load_closure(self, argument: int) -> None:
        number = self.first_cell + argument
        cell = self._cell(number)
        if cell is None:
            items = [self.locals[number]] if number in self.locals else []
            cell = self.locals[number] = self.memory.make("cell", items)
        self.stack.append(cell)

    def _do_load_deref(self, argument: int) -> None:
        cell = self._cell(self.first_cell + argument)
        if cell is None:
            super()._do_load_fast(self.first_cell + argument)
            return
        if not self.memory.contents[cell.address]:
            raise Undecodable("a local variable")
        self.stack += self.memory.contents[cell.address]

    def _do_store_deref(self, argument: int) -> None:
        cell = self._cell(self.first_cell + argument)
        if cell is None:
            self._do_store_fast(self.first_cell + argument)
        else:
            self.memory.contents[cell.address] = (self._pop(),)

    def _do_load_fast(self, argument: int) -> None:
        if self._cell(argument) is not None or self._is_cell(argument):
            self._do_load_closure(argument)  # 3.13 has no other instruction for that
        else:
            super()._do_load_fast(argument)

    _do_load_fast_check = _do_load_fast_borrow = _do_load_fast

    def _is_cell(self, number: int) -> bool:
        if self.decoder.layout.version < (3, 13):
            return False
        at = self.decoder.field(self.code, "PyCodeObject", "co_localspluskinds")
        kinds = self.decoder.reader.bytes_object(at, MAX_CODE)
        return isinstance(kinds, bytes) and number < len(kinds) and bool(kinds[number] & _CELL)

    def _do_make_cell(self, _argument: int) -> None:
        """Do nothing: what is in a cell lies in its variable until a function is given it."""

    def _do_delete_fast(self, argument: int) -> None:
        self.locals.pop(argument, None)

    def _do_load_fast_and_clear(self, argument: int) -> None:
        """Keep the variable that a comprehension uses meanwhile (3.12)."""
        self.stack.append(self.locals.pop(argument, None))

    def _do_store_fast(self, argument: int) -> None:
        item = self._pop()
        if item is None:
            self.locals.pop(argument, None)
        else:
            self.locals[argument] = item

    def _do_make_function(self, argument: int) -> None:
        if self.decoder.layout.version < (3, 11):
            self._pop()  # its name
        code = self._pop()
        cells = self.members(self._pop()) if argument & 8 else ()
        if argument & 6 or not isinstance(code, ProcessObject):
            raise Undecodable("a function of another kind")
        defaults = self.members(self._pop()) if argument & 1 else ()
        self.stack.append(MadeFunction(code.address, self.globals, tuple(cells), tuple(defaults)))

    def _do_set_function_attribute(self, argument: int) -> None:
        """Give a new function its cells or defaults (3.13)."""
        function, attribute = self._pop(), self._pop()
        if not isinstance(function, MadeFunction) or argument not in (1, 8):
            raise Undecodable("a function of another kind")
        items = tuple(self.members(attribute))
        cells, defaults = (items, ()) if argument == 8 else (function.cells, items)
        defaults = defaults or function.defaults
        self.stack.append(function._replace(cells=cells, defaults=defaults))

    # -- generators -----------------------------------------------------------------------------

    def resume(self, generator: ProcessObject, rest: Rest) -> Item | None:
        """Return the next value of a generator, None at its end. Raises Undecodable, Raised."""
        if self.depth >= MAX_DEPTH:
            raise Undecodable("calls in one another")
        run, contents = self.made(), self.memory.contents
        run.code, run.globals, run.locals = rest.code, rest.globals, dict(rest.locals)
        run.stack = list(rest.stack)
        if self.decoder.layout.offset("PyCodeObject", "co_localsplusnames") is None:
            run.first_cell = len(run._names_in("co_varnames"))
        if rest.at and not rest.runs:
            run.stack.append(NoneResult())  # what was sent
        contents[generator.address] = ()
        try:
            run.go(rest.at, MAX_CODE)
        except YieldedValue as given:
            kept = Rest(rest.code, rest.globals, run.following,
                        tuple(sorted(run.locals.items())), tuple(run.stack))  # fmt: skip
            contents[generator.address] = (kept,)
            return given.value
        return None

    def _do_return_generator(self, _argument: int) -> None:
        self.stack.append(None)

    def _do_gen_start(self, _argument: int) -> None:
        """Do nothing: what was sent first is not on this stack (3.10)."""

    def _do_yield_value(self, _argument: int) -> None:
        raise YieldedValue(self._pop())

    def generator_at_rest(self, address: int) -> Rest | None:
        """Return where a generator of the process goes on. Raises Undecodable."""
        if self.generators is None:
            raise Undecodable("a generator")
        return self.generators(address)

    # -- instances ------------------------------------------------------------------------------

    def _new_instance(
        self, kind: ProcessObject, arguments: Sequence[Item], keywords: Mapping[str, Item]
    ) -> Item:
        """Return a new object of a class. Raises Undecodable, Raised, Endless."""
        decoder, info = self.decoder, self.decoder.types.at(kind.address)
        if info.full_name == DEQUE and len(arguments) < 2 and not keywords:
            return self.memory.make(DEQUE, self.all_of(arguments[0]) if arguments else ())
        meta = decoder.obj(kind.address)
        plain = meta.is_exact and info.python_class
        if not plain or special_method(decoder, info, "__new__") is not None:
            raise Undecodable("a new object of another kind")
        made = self.memory.make("instance")
        self.memory.stored[made.address, CLASS] = kind
        begin = special_method(decoder, info, "__init__")
        if begin is not None:
            self._run_function(ProcessObject(begin[1]), begin[0], [made, *arguments], keywords)
        elif arguments or keywords:
            raise Raised(TypeError)
        return made

    def class_of(self, of: ProcessObject) -> TypeInfo:
        """Return the class of an object that was made, or of the process."""
        made = self.memory.stored.get((of.address, CLASS))
        if isinstance(made, ProcessObject):
            return self.decoder.types.at(made.address)
        return self.decoder.obj(of.address).type

    def of_instance(self, of: ProcessObject, name: str) -> Item:
        """Return what `of.name` is now. Raises Undecodable, Raised."""
        item = self.memory.stored.get((of.address, name))
        if of.address >= 0:
            self.memory.read.add(of.address)
            return super().of_instance(of, name) if item is None else item
        in_class = self.decoder.types.lookup(self.class_of(of), name)
        kind = self.decoder.ident(in_class[1]) if in_class else ""
        if in_class and kind == "property":
            getter = self.decoder.reader.u64(
                self.decoder.member(self.decoder.obj(in_class[1]), "fget")
            )
            return self.call(getter, in_class[0], [of])
        if item is None and in_class and kind in PLAIN_DATA:
            item = ProcessObject(in_class[1])
        if item is None:
            raise Undecodable("an attribute of a new object")
        return item

    # -- calls ----------------------------------------------------------------------------------

    def _method(self, name: str) -> None:
        of = self.stack[-1] if self.stack else None
        if isinstance(of, (BuiltStr, BuiltTuple, ProcessObject)) and self.knows_method(of, name):
            self.stack[-1:] = [None, BuiltinMethod(of, name)]
        elif isinstance(of, ProcessObject) and of.address < 0:
            in_class = self.decoder.types.lookup(self.class_of(of), name)
            if in_class is None or self.decoder.ident(in_class[1]) != "function":
                raise Undecodable("a method")
            self.stack[-1:] = [None, Method(in_class[1], in_class[0], of, name)]
        elif isinstance(of, ProcessObject) and self._is_module_or_class(of):
            self.stack[-1:] = [None, self._of_module_or_class(of, name)]
        elif isinstance(of, ProcessObject) and name in _LOGS and self._is_logger(of):
            self.stack[-1:] = [None, Global("print")]
        else:
            super()._method(name)

    def _is_logger(self, of: ProcessObject) -> bool:
        info = self.decoder.obj(of.address).type
        module = self.decoder.types.lookup(info, "__module__") if info.name == "Logger" else None
        return module is not None and self.decoder.string(module[1]) == "logging"

    def _is_module_or_class(self, of: ProcessObject) -> bool:
        return of.address > 0 and self.decoder.ident(of.address) in ("module", "type")

    def _of_module_or_class(self, of: ProcessObject, name: str) -> Item:
        """Return a name of a module, or a value or function that a class has."""
        if self.decoder.ident(of.address) == "module":
            at = self.decoder.objects.attribute(of.address, name)
            if isinstance(at, int):
                self.memory.read.add(of.address)
                return ProcessObject(at)
            raise Undecodable("an attribute of a module")
        info, meta = self.decoder.types.at(of.address), self.decoder.obj(of.address)
        in_class = self.decoder.types.lookup(info, name) if meta.is_exact else None
        kinds = (*PLAIN_DATA, "function")
        if in_class is None or self.decoder.ident(in_class[1]) not in kinds:
            raise Undecodable("an attribute of a class")
        return self.memory.stored.get((of.address, name)) or ProcessObject(in_class[1])

    def _do_load_attr(self, argument: int) -> None:
        of, shift = self.stack[-1] if self.stack else None, self.dialect.attr_shift
        if (shift and argument & 1) or not isinstance(of, ProcessObject):
            super()._do_load_attr(argument)
        elif self._is_module_or_class(of):
            self.stack[-1] = self._of_module_or_class(of, self._name(argument >> shift))
        elif self.knows_method(of, self._name(argument >> shift)):
            self.stack[-1] = BuiltinMethod(of, self._name(argument >> shift))
        elif of.address < 0:
            self.stack[-1] = self.of_instance(of, self._name(argument >> shift))
        else:
            super()._do_load_attr(argument)

    def _do_before_with(self, _argument: int) -> None:
        """Enter a `with` block: the exit lies below what its manager gave (3.11 to 3.13)."""
        enter, leave = self._managed(self._pop())
        self.stack += [leave, self.call_item(enter, ())]

    def _do_setup_with(self, argument: int) -> None:
        """Enter a `with` block (3.9, 3.10)."""
        if self.decoder.layout.version < (3, 9):
            raise Undecodable("a block that ends otherwise")
        enter, leave = self._managed(self._pop())
        self.stack.append(leave)
        self._do_setup_finally(argument)
        self.stack.append(self.call_item(enter, ()))

    def _managed(self, manager: Item) -> tuple[Item, Item]:
        if not isinstance(manager, ProcessObject):
            raise Undecodable("a manager of another kind")
        if self.knows_method(manager, "__enter__"):
            return BuiltinMethod(manager, "__enter__"), BuiltinMethod(manager, "__exit__")
        info = self.class_of(manager)
        names = ("__enter__", "__exit__")
        enter, leave = (special_method(self.decoder, info, name) for name in names)
        if enter is None or leave is None:
            raise Undecodable("a manager of another kind")
        return (
            Method(enter[1], enter[0], manager, names[0]),
            Method(leave[1], leave[0], manager, names[1]),
        )

    def _do_kw_names(self, argument: int) -> None:
        self.keywords = tuple(self.text_of(each) for each in self.members(self._constant(argument)))

    def _do_call_kw(self, argument: int) -> None:
        """Like CALL; the names of the last arguments are on top (3.13)."""
        self.keywords = tuple(self.text_of(each) for each in self.members(self._pop()))
        self._do_call(argument)

    def _do_call_function_kw(self, argument: int) -> None:
        """Like CALL_FUNCTION, with the names on top (up to 3.10)."""
        self.keywords = tuple(self.text_of(each) for each in self.members(self._pop()))
        self._do_call_function(argument)

    def _do_call(self, argument: int) -> None:
        """Two words below the arguments: a callable, and NULL or its `self`."""
        arguments = self._popped(argument)
        second, first = self._pop(), self._pop()
        if first is None:
            self._call(second, arguments)
        elif second is None:
            self._call(first, arguments)
        else:  # 3.11 and 3.12: a method and its self; comprehensions: a function and its argument
            self._call(first, [second, *arguments])

    _do_call_method = _do_call

    def _call(self, called: Item, arguments: list[Item]) -> None:
        names, self.keywords = self.keywords, ()
        positional = arguments[: len(arguments) - len(names)]
        named = dict(zip(names, arguments[len(positional) :], strict=True))
        if isinstance(called, (BuiltinMethod, Method, MadeFunction, ProcessObject, Global)):
            self.stack.append(self.call_item(called, positional, named))
        elif named:
            raise Undecodable("a call")
        else:
            super()._call(called, arguments)

    def call_builtin(self, name: str, arguments: list[Item], keywords: Mapping[str, Item]) -> Item:
        """Return what a built-in function gives. Raises Undecodable, Raised."""
        follow = getattr(self, f"_builtin_{name}", None)
        if follow is not None:
            made: Item = follow(arguments, keywords)
            return made
        if keywords:
            raise Undecodable("a call")
        if name in _OF_NUMBERS and arguments:
            return self.of_host(_OF_NUMBERS[name], *map(self.host, arguments))
        return self._call_builtin(name, arguments)

    def _builtin_range(self, arguments: list[Item], _keywords: Mapping[str, Item]) -> Item:
        bounds = [self.bound(argument) or 0 for argument in arguments]
        if not bounds or not all((*bounds, 1)[2:]):
            raise Undecodable("a range of another kind")
        numbers = range(*bounds)
        return Numbers(numbers.start, numbers.stop, numbers.step)

    def _builtin_isinstance(self, arguments: list[Item], _keywords: Mapping[str, Item]) -> Item:
        of, kind = arguments
        if (
            not isinstance(of, ProcessObject)
            or not isinstance(kind, ProcessObject)
            or of.address < 0
        ):
            raise Undecodable("a class of another kind")
        meta = self.decoder.obj(kind.address)
        if meta.lineage.ident != "type" or not meta.is_exact:
            raise Undecodable("a class that decides on its instances")
        mro = self.decoder.types.mro(self.decoder.obj(of.address).type)
        return ComputedNumber(any(info.address == kind.address for info in mro))

    def _builtin_list(self, arguments: list[Item], _keywords: Mapping[str, Item]) -> Item:
        return self.memory.make("list", self.all_of(arguments[0]) if arguments else ())

    def _builtin_tuple(self, arguments: list[Item], _keywords: Mapping[str, Item]) -> Item:
        return BuiltTuple(tuple(self.all_of(arguments[0])) if arguments else ())

    def _builtin_set(self, arguments: list[Item], _keywords: Mapping[str, Item]) -> Item:
        items = self.all_of(arguments[0]) if arguments else ()
        return self.memory.make("set", {self.host(each): each for each in items}.values())

    _builtin_frozenset = _builtin_set

    def _builtin_dict(self, arguments: list[Item], keywords: Mapping[str, Item]) -> Item:
        if len(arguments) > 1 or keywords:
            raise Undecodable("a call")
        made = self.memory.make("dict")
        if arguments and self.kind(arguments[0]) in DICTS:
            self.call_method(made, "update", arguments, {})
        elif arguments:
            for pair in self.all_of(arguments[0]):
                key, value = self.all_of(pair)
                self.store_item(made, key, value)
        return made

    def _builtin_iter(self, arguments: list[Item], _keywords: Mapping[str, Item]) -> Item:
        (over,) = arguments
        iterator = self.iterator(over)
        made = isinstance(iterator, Iteration)
        return self.memory.make("iterator", [iterator]) if made else iterator

    def _builtin_next(self, arguments: list[Item], _keywords: Mapping[str, Item]) -> Item:
        if not isinstance(arguments[0], ProcessObject):
            raise Undecodable("an iterator of another kind")
        following = self.advance(arguments[0])
        if following is not None:
            return following[0]
        if len(arguments) == 1:
            raise Raised(StopIteration)
        return arguments[1]

    def _builtin_sorted(self, arguments: list[Item], keywords: Mapping[str, Item]) -> Item:
        return self.memory.make("list", self.sorted_items(self.all_of(arguments[0]), keywords))

    def _builtin_reversed(self, arguments: list[Item], _keywords: Mapping[str, Item]) -> Item:
        return self._iterator_of(self.all_of(arguments[0])[::-1])

    def _builtin_enumerate(self, arguments: list[Item], keywords: Mapping[str, Item]) -> Item:
        start = self.host((*arguments, keywords.get("start", ComputedNumber(0)))[1])
        if not isinstance(start, int):
            raise Undecodable("a call")
        return self._pairs_of(
            (ComputedNumber(start + n), each) for n, each in enumerate(self.all_of(arguments[0]))
        )

    def _builtin_zip(self, arguments: list[Item], _keywords: Mapping[str, Item]) -> Item:
        return self._pairs_of(zip(*map(self.all_of, arguments), strict=False))

    def _pairs_of(self, pairs: Iterator[tuple[Item, ...]]) -> Item:
        return self._iterator_of(map(BuiltTuple, pairs))

    def _iterator_of(self, items: Iterable[Item]) -> Item:
        return self.memory.make("iterator", [Iteration(BuiltTuple(tuple(items)), 0)])

    def _builtin_sum(self, arguments: list[Item], keywords: Mapping[str, Item]) -> Item:
        start = (*arguments[1:], keywords.get("start", ComputedNumber(0)))[0]
        values = [self.host(each) for each in (start, *self.all_of(arguments[0]))]
        if not all(type(value) in (int, float, bool) for value in values):
            raise Undecodable("a sum of other things")
        return self.of_host(sum, values[1:], values[0])

    def _builtin_any(self, arguments: list[Item], _keywords: Mapping[str, Item]) -> Item:
        return self._first_that_is(True, arguments[0])

    def _builtin_all(self, arguments: list[Item], _keywords: Mapping[str, Item]) -> Item:
        return self._first_that_is(False, arguments[0])

    def _first_that_is(self, wanted: bool, of: Item) -> Item:
        return ComputedNumber(
            wanted if any(self.truth(item) == wanted for item in self.each_of(of)) else not wanted
        )

    def _builtin_min(self, arguments: list[Item], keywords: Mapping[str, Item]) -> Item:
        return self._extreme(min, arguments, keywords)

    def _builtin_max(self, arguments: list[Item], keywords: Mapping[str, Item]) -> Item:
        return self._extreme(max, arguments, keywords)

    def _extreme(
        self, choose: Callable[..., int], arguments: list[Item], keywords: Mapping[str, Item]
    ) -> Item:
        items = arguments if len(arguments) > 1 else self.all_of(arguments[0])
        if not keywords.keys() <= {"key", "default"}:
            raise Undecodable("a call")
        if not items and "default" in keywords:
            return keywords["default"]
        if not items:
            raise Raised(ValueError)
        keys = self.sort_keys(items, keywords.get("key"))
        try:
            return items[choose(range(len(items)), key=keys.__getitem__)]
        except TypeError:
            raise Raised(TypeError) from None

    def _builtin_print(self, _arguments: list[Item], _keywords: Mapping[str, Item]) -> Item:
        return NoneResult()

    def _builtin_str(self, arguments: list[Item], keywords: Mapping[str, Item]) -> Item:
        if keywords or len(arguments) > 1:
            raise Undecodable("a call")
        if arguments and isinstance(arguments[0], UnknownNumber):
            return UnknownText()
        return self._call_builtin("str", arguments) if arguments else BuiltStr("")

    def _do_raise_varargs(self, argument: int) -> None:
        item = self._pop() if argument == 1 else None
        if isinstance(item, Global):
            item = self.call_item(item, ())
        if not isinstance(item, Caught):
            raise Undecodable("an exception of another kind")
        raise Raised(item.kind)

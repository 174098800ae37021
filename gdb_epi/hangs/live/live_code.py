# SPDX-License-Identifier: Apache-2.0
"""What the code that can still run may do: who could end a wait, or change what a loop looks at.

A thread that goes on runs what is left of its frames' code, and the functions which that calls. A
call whose object is known leads to one function; of any other the name alone counts, and it may
lead to every function of that name. What calls a function that is not known may call each one that
somebody keeps beside its module or class: more references than its name has are seen in its count.
Threads that wait without a timeout run nothing until another one ends their wait. So what no code
that can run may do is done by nobody. Whatever cannot be followed counts as able to do anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import chain

from gdb_epi.cpython.heap.instances import shared_instances
from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.types import PyFrame
from gdb_epi.cpython.values.value_stack import find_opcodes
from gdb_epi.errors import Absent, EpiError, LayoutError, UnreadableMemory
from gdb_epi.hangs.frame_references import METHODS
from gdb_epi.hangs.library_calls import is_library_file
from gdb_epi.hangs.live.connected_protocols import UncalledMethods
from gdb_epi.hangs.live.loop_callbacks import find_loop_callbacks
from gdb_epi.hangs.live.reach import ANYTHING, OF_DATA, QUIET, Body, Reach, covers
from gdb_epi.locks.python.acquire_calls import AcquireCalls, CalledFunction
from gdb_epi.locks.python.call_sites import MAX_CODE, Instruction, MethodCall
from gdb_epi.locks.python.python_view import PythonView
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import memoized

MAX_BODIES = 600  # functions that one thread's code may call
MAX_FUNCTIONS = 60_000  # of the process
MAX_NAMED = 12  # functions of one name that a call may lead to
MAX_PATH = 4096
MAX_WRAPPED = 8  # functions in one another, as by contextmanager()
_EVERYTHING = (0, MAX_CODE)
_LOADS = ("fast", "cell", "global", "name", "const", "number")
_STORES_ITEM = ("STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE")
_ENTERS = ("BEFORE_WITH", "SETUP_WITH", "LOAD_SPECIAL", "BEFORE_ASYNC_WITH", "SETUP_ASYNC_WITH")
_DYNAMIC = frozenset(("setattr", "getattr", "exec", "eval", "vars", "__dict__", "globals",
                      "methodcaller", "attrgetter", "delattr"))  # fmt: skip
# Methods that code calls without their names.
_UNNAMED = (
    "__setitem__", "__getitem__", "__delitem__", "__setattr__", "__getattr__", "__getattribute__",
    "__call__", "__iter__", "__next__", "__contains__", "__bool__", "__del__", "__get__", "__set__",
    "__await__", "__aiter__", "__anext__", "__missing__",
)  # fmt: skip
_MANAGERS = ("__enter__", "__exit__", "__aenter__", "__aexit__")
_FUNCTION = ("f_funcobj.bits", "f_funcobj", "f_func")  # renamed in 3.12, tagged in 3.14
OF_GENERATOR = "GeneratorContextManager"  # contextlib's, and its brother for `async with`
_LOOPS = frozenset(("trio", "gevent", "greenlet", "outcome"))
_VARARGS = 4  # CO_VARARGS
_PLAIN_BASES = frozenset(("", "builtins", "abc", "typing", "enum", "collections", "contextlib"))
_BY_CALLS_ALONE = frozenset(("threading", "queue", "collections", "types"))


class _Function(NamedTuple):
    """A function of the process: its address, code and globals, and how often it is referred to."""

    address: int
    code: int
    scope: int
    references: int


class _Module(NamedTuple):
    name: str
    is_library: bool  # the standard library's, or a library of loops that is as quiet as asyncio
    is_own: bool  # the program's


class LiveCode:
    """The functions of one process, and what code that can still run may do with them."""

    def __init__(
        self, view: PythonView, calls: AcquireCalls, is_installed: Callable[[str], bool],
        changes_of: Callable[[int, Collection[str]], list[int]], resting: Sequence[int] = (),
    ) -> None:  # fmt: skip
        self.view, self.calls, self._reader = view, calls, view.reader
        self._resting = resting  # code of the frames of greenlets
        self._is_installed, self._changes_of = is_installed, changes_of

    def of_frames(self, *stacks: Sequence[PyFrame], in_loop: bool = False) -> Reach:
        """Return what the rest of the code of stacks may do; `in_loop`: as long as it goes round.

        At the end of a `with` block the generator of its context manager goes on.
        """
        try:
            generators = ([f] for frames in stacks for f in self._generators_of_blocks(frames))
            return _Walk(self, *stacks, *generators, in_loop=in_loop).reach()
        except (UnreadableMemory, LayoutError, IndexError):
            return ANYTHING

    def _generators_of_blocks(self, frames: Sequence[PyFrame]) -> Iterator[PyFrame]:
        """Yield where the generators rest whose `with` blocks some frames are in."""
        for _, manager in self.view.slots.entered_blocks(frames):
            if (self.view.locks.type_name(manager) or "").endswith(OF_GENERATOR):
                generator = self.view.attribute(manager, "gen")
                frame = self.view.slots.suspended(generator) if generator else None
                if frame is not None:
                    yield frame

    def handlers(self) -> Iterator[tuple[str, Reach]]:
        """Yield (name, what it may do) of the functions that may be handlers of signals.

        Somebody keeps such a function, and it takes a number and a frame.
        """
        reader = self._reader
        with suppress(UnreadableMemory, LayoutError, IndexError):
            running = {f.code for frames in self.view.all_frames().values() for f in frames}
            for function, subject in self.kept:
                wanted = 2 + (subject != 0)
                takes, flags = (
                    reader.field32(function.code, "PyCodeObject", name)
                    for name in ("co_argcount", "co_flags")
                )
                fits = takes == wanted or (takes < wanted and flags & _VARARGS)
                if fits and function.code not in running:
                    walk = _Walk(self)
                    walk.add_function(function.address, subject)
                    yield self.name_of(function.code), walk.reach()

    def of_callable(self, value: int, *, surely: bool = False) -> Reach:
        """Return what a function or method may do when called; `surely`: what its code names."""
        try:
            return _Walk(self, called=(value,), surely=surely).reach()
        except (UnreadableMemory, LayoutError, IndexError):
            return ANYTHING

    @cached_property
    def called_back(self) -> Reach:
        """What any function may do that somebody keeps, to call it later."""
        try:
            return _Walk(self, calls_back=True).reach()
        except (UnreadableMemory, LayoutError, IndexError):
            return ANYTHING

    @cached_property
    def called_by_loops(self) -> Reach:
        """What event loops of asyncio may call; all that somebody keeps where that is not known."""
        try:
            own = {each.address: each.code for named in self.own.values() for each in named}
            called = find_loop_callbacks(self.view, self.calls.sites, self.own_modules, own)
            if called is None:
                return self.called_back
            overriding = (each.address for each in self.overriding)
            return _Walk(self, called=(*called, *overriding)).reach()
        except (EpiError, IndexError):
            return self.called_back

    def stores(self, reach: Reach, names: Collection[str]) -> bool:
        """Tell whether code may change what has one of some names: changes_of(), and cells."""
        return reach.unbounded or any(
            covers(body.live, at)
            for body in reach.bodies
            for at in (*self._changes_of(body.code, names), *self.cells_stored(body.code, names))
        )

    def stores_items(self, reach: Reach) -> bool:
        """Tell whether code may store an item of any container, or delete one."""
        return reach.unbounded or any(
            each.name in _STORES_ITEM and covers(body.live, each.at)
            for body in reach.bodies
            for each in self.calls.sites.instructions(body.code)
        )

    def cells_stored(self, code: int, names: Collection[str]) -> Iterator[int]:
        """Yield the bytes where code stores a variable, in a cell, of one of some names."""
        cells = self.calls.sites.tables(code).cells
        for each in self.calls.sites.instructions(code):
            stores = each.name == "STORE_DEREF" and each.argument < len(cells)
            if stores and cells[each.argument] in names:
                yield each.at

    def variables_stored(self, code: int, live: Iterable[tuple[int, int]]) -> set[str]:
        """Return the variables that code stores: what they hold now is not what it uses then."""
        _, slots, cells = self.calls.sites.tables(code)
        stored = set()
        for each in self.calls.sites.instructions(code):
            name = each.name
            if not name.startswith(("STORE_FAST", "STORE_DEREF")) or not covers(live, each.at):
                continue
            numbers = [each.argument]
            if name.count("FAST") > 1:  # two variables in one instruction (3.13)
                numbers = [each.argument >> 4, *[each.argument & 15][: name.endswith("STORE_FAST")]]
            table = cells if name == "STORE_DEREF" else slots
            stored |= {table[number] for number in numbers if number < len(table)}
        return stored

    def enters_blocks(self, code: int, place: range) -> bool:
        """Tell whether any instruction of a piece of code begins a `with` block."""
        code_of_place = (x for x in self.calls.sites.instructions(code) if x.at in place)
        return any(each.name in _ENTERS for each in code_of_place)

    def is_changed_by_libraries(self, address: int) -> bool:
        """Tell whether an object is of a class whose library changes it by code not looked at.

        Of `threading`, `queue` and `collections` only calls change anything.
        """
        try:
            info = self.calls.type_of(address)
        except (UnreadableMemory, LayoutError):
            return True
        if info.full_name.startswith("_asyncio."):
            return True
        if not info.python_class or info.module in _BY_CALLS_ALONE:
            return False
        interpreter = self.view.python.interpreters[0].address
        scope = self.view.objects.module_dict(interpreter, info.module)
        return not isinstance(scope, Absent) and self.module(scope).is_library

    @cached_property
    def _functions(self) -> list[_Function]:
        """All functions that the collector knows. Raises LayoutError where it keeps no lists."""
        instances = shared_instances(self.view.target, self.view.python)
        functions = [each.address for each in instances.of(("function",))[:MAX_FUNCTIONS]]
        if instances.problems or not functions:
            raise LayoutError("no list of all functions")
        require = self._reader.layout.require
        offsets = [require("PyFunctionObject", name) for name in ("func_code", "func_globals")]
        offsets.append(require("PyObject", "ob_refcnt"))
        columns = [instances.reader.words([at + offset for at in functions]) for offset in offsets]
        return [_Function(*each) for each in zip(functions, *columns, strict=True)]

    @cached_property
    def own(self) -> dict[str, list[_Function]]:
        """The program's own functions, by the name of their code."""
        by_name: dict[str, list[_Function]] = {}
        for each in self._functions:
            if self.module(each.scope).is_own:
                by_name.setdefault(self.name_of(each.code), []).append(each)
        return by_name

    @cached_property
    def own_modules(self) -> frozenset[str]:
        """The names of the program's modules."""
        scopes = {each.scope for functions in self.own.values() for each in functions}
        return frozenset(self.module(scope).name for scope in scopes)

    def name_of(self, code: int) -> str:
        """Return the name of a code object."""
        return self._reader.text_field(code, "PyCodeObject", "co_name")

    @cached_property
    def kept(self) -> list[tuple[_Function, int]]:
        """(function, self) of the program's functions that somebody may have to call them."""
        return [*self._referred, *((each, 0) for each in self.overriding)]

    @cached_property
    def _referred(self) -> list[tuple[_Function, int]]:
        """(function, self) of the program's functions that something beside their names refers to.

        A module or class has one reference, each frame that runs a function another one. So has a
        started thread: it has called its target, once.
        """
        alive = [frame for frames in self.view.all_frames().values() for frame in frames]
        resting = list(self._suspended())
        started = Counter(
            at for frames in self.view.all_frames().values() for at in self._targets(frames)
        )
        variables = Counter(
            at for frame in (*alive, *resting) for _, at in self.view.variable_addresses(frame)
        )
        frames_refer = self._reader.layout.offset("_PyInterpreterFrame", "previous") is not None
        running = Counter([*self._resting, *(frame.code for frame in (*alive, *resting))])
        left = Counter(self._functions_of_left_frames())
        bound: dict[int, list[int]] = {}
        instances = shared_instances(self.view.target, self.view.python)
        require = self._reader.layout.require
        to, of = (require("PyMethodObject", name) for name in ("im_func", "im_self"))
        for method in instances.of(("method",)):
            with suppress(UnreadableMemory):
                function = self._reader.u64(method.address + to)
                subject = self._reader.u64(method.address + of)
                bound.setdefault(function, []).append(0 if method.address in started else subject)
        kept = []
        for each in (each for functions in self.own.values() for each in functions):
            methods = bound.get(each.address, [])
            name = self.name_of(each.code)
            frames, targets = running[each.code], started[each.address]
            targets += left[each.address]
            ordinary = 1 + frames + len(methods) + targets
            if "<locals>" in self._qualified(each) or name == "<lambda>":
                ordinary = frames * frames_refer + targets + variables[each.address]
            if (each.references & 0xFFFFFFFF) > ordinary:
                kept.append((each, 0))
            kept += [(each, subject) for subject in methods if subject]
        return kept

    def _targets(self, frames: Sequence[PyFrame]) -> Iterator[int]:
        """Yield what the thread of some frames was started with (Lib/threading.py, run()).

        Twice where run() has it on its stack too: it calls f(*args) through C code up to 3.11.
        """
        for place, frame in enumerate(frames):
            if (frame.module, frame.name) == ("threading", "run"):
                thread = self.view.variable(frame, "self")
                target = self.view.attribute(thread, "_target") if thread else None
                if target:
                    yield from (target,) * (1 + (place > 0 and frames[place - 1].is_entry))

    def _suspended(self) -> Iterator[PyFrame]:
        """Yield the frames of generators and coroutines that rest, each with its function (3.11).

        bpo-44032 made frames keep it.
        """
        if self._reader.layout.offset("_PyInterpreterFrame", "previous") is not None:
            yield from self.resting

    def _functions_of_left_frames(self) -> Iterator[int]:
        """Yield the functions of frames that are over and that somebody keeps, as a traceback does.

        Such a frame object has its function too (take_ownership() in Python/frame.c, 3.11 to 3.15).
        """
        layout = self._reader.layout
        at, size = layout.offset("PyFrameObject", "f_frame"), layout.size("PyFrameObject") or 0
        if at is None:
            return
        for each in shared_instances(self.view.target, self.view.python).of(("frame",)):
            with suppress(UnreadableMemory):
                inner = self._reader.u64(each.address + at)
                if 0 < inner - each.address <= size:  # the frame lies in the object
                    function = self._reader.field(inner, "_PyInterpreterFrame", *_FUNCTION)
                    yield 0 if function & 3 else function  # a borrowed reference is not counted

    @cached_property
    def resting(self) -> list[PyFrame]:
        """The frames of generators and coroutines that rest."""
        instances = shared_instances(self.view.target, self.view.python)
        frames = list[PyFrame]()
        for each in instances.of(("generator", "coroutine", "async_generator")):
            with suppress(UnreadableMemory, LayoutError):
                frame = self.view.slots.suspended(each.address)
                frames += [frame] if frame is not None else []
        return frames

    @cached_property
    def overriding(self) -> list[_Function]:
        """The functions of the program's classes that libraries know by a base of theirs.

        Of protocols of asyncio only those that are connected, unless code that may run connects.
        """
        by_address = {each.address: each for functions in self.own.values() for each in functions}
        instances = shared_instances(self.view.target, self.view.python)
        running = (frame.code for frames in self.view.all_frames().values() for frame in frames)
        codes = {*running, *(frame.code for frame in self.resting), *self._resting}
        codes |= {function.code for function, _ in self._referred}
        uncalled = UncalledMethods(self.view, instances, self.calls.sites, codes - {0})
        own, functions = self.own_modules, list[_Function]()
        for at in dict.fromkeys(each.address for each in instances.of(("type",))):
            with suppress(UnreadableMemory, LayoutError):
                info = instances.types.at(at)
                mine = own | _PLAIN_BASES
                bases = instances.types.mro(info)[1:]
                plain = all(base.module in mine or not base.python_class for base in bases)
                if info.module not in own or not info.dict or plain:
                    continue
                left = uncalled.of(at)
                for _, value in self.view.objects.dict_items(info.dict):
                    if value in by_address and self.name_of(by_address[value].code) not in left:
                        functions.append(by_address[value])
        return functions

    def is_bound(self, address: int, methods: Collection[str]) -> bool:
        """Tell whether somebody keeps one of some methods of an object, to call it later."""
        kept = (self._name_of_method(*each) for each in self._kept_methods.get(address, ()))
        return not set(kept).isdisjoint(methods)

    @cached_property
    def _kept_methods(self) -> dict[int, list[tuple[int, str]]]:
        """The methods that somebody keeps, with their types, by the object that each is of."""
        instances = shared_instances(self.view.target, self.view.python)
        kept: dict[int, list[tuple[int, str]]] = {}
        for kind, (struct, member) in METHODS.items():
            methods = [each.address for each in instances.of((kind,))]
            at = self._reader.layout.require(struct, member)
            subjects = instances.reader.words([method + at for method in methods])
            for method, subject in zip(methods, subjects, strict=True):
                kept.setdefault(subject, []).append((method, kind))
        return kept

    def bound_objects(self, methods: Collection[str]) -> Iterator[int]:
        """Yield the objects of which somebody keeps one of some methods of Python."""
        instances = shared_instances(self.view.target, self.view.python)
        at = self._reader.layout.require("PyMethodObject", "im_self")
        for each in instances.of(("method",)):
            if self._name_of_method(each.address, "method") in methods:
                yield self._reader.u64(each.address + at)

    def _name_of_method(self, method: int, kind: str) -> str:
        with suppress(UnreadableMemory, LayoutError):
            if kind == "method":
                function = self._reader.field(method, "PyMethodObject", "im_func")
                return self.name_of(self.calls.body_of(function, 0).code)
            name = self._reader.definition_name(method)
            return "" if isinstance(name, Absent) else name
        return ""

    def _qualified(self, function: _Function) -> str:
        return self._reader.text_field(function.address, "PyFunctionObject", "func_qualname")

    @memoized
    def module(self, scope: int) -> _Module:
        """Return whose globals a dict is."""
        texts = []
        for name in ("__name__", "__file__"):
            value = self.view.objects.dict_get(scope, name)
            text = "" if isinstance(value, Absent) else self._reader.string(value, MAX_PATH)
            texts.append("" if isinstance(text, Absent) else text)
        name, file = texts
        installed = "site-packages" in file or "dist-packages" in file or (
            bool(file) and self._is_installed(file)
        )  # fmt: skip
        library = not installed and (is_library_file(file) or (not file and name != "__main__"))
        own = not library and not installed
        library |= installed and name.partition(".")[0] in _LOOPS
        return _Module(name, library, own)


def _takes_item(code: Sequence[Instruction]) -> bool:
    """Tell whether what was pushed as a callable is a container, whose item is called.

    One more word lies on the stack when its item is taken: the index.
    """
    words = 0
    for each in code:
        if each.name == "BINARY_SUBSCR":
            if words <= 1:
                return True
            words -= 1
        elif each.operation in _LOADS:
            words += 1
        elif each.operation == "call" and words > each.argument:  # it gives the index
            words -= each.argument
        elif each.operation not in ("attr", "method", "nothing", "extended"):
            return False
    return False


class _Walk:
    """One walk over all code that some frames' code leads to."""

    def __init__(
        self, code: LiveCode, *stacks: Sequence[PyFrame],
        calls_back: bool = False, in_loop: bool = False, called: Iterable[int] = (),
        surely: bool = False,
    ) -> None:  # fmt: skip
        self._live, self._view, self._calls = code, code.view, code.calls
        self._reader = self._view.reader
        self._found: set[tuple[int, str]] = set()
        self._bodies: dict[tuple[int, int], Body] = {}
        self._todo: list[Body] = []
        self._unbounded, self._calls_back = False, surely
        self._running = 0
        inward = (
            0 if not n else frames[n - 1].code for frames in stacks for n in range(len(frames))
        )
        for frame, running in zip(chain.from_iterable(stacks), inward, strict=True):
            self._unbounded |= frame.hole is not None  # what could not be read may do anything
            if frame.hole is not None or not frame.code:
                continue
            scope = self._calls.globals_of(frame)
            module = code.module(scope)
            if module.is_library:
                self._enter_library(module)
                self._follow_timer(frame)
                continue
            live = self._calls.live_bytes(frame)
            if in_loop:
                live = tuple(self._calls.loops_around(frame).items())[-1:]
            stored = code.variables_stored(frame.code, live)
            kept = {name: at for name, at in self._view.variable_addresses(frame)
                    if name not in stored}  # fmt: skip
            inside = 0 if self._calls.running_loop(frame) else running
            body = Body(frame.code, kept, scope, live, inside, is_frame=True)
            self._add(body, frame.address)
        if calls_back:
            self._call_back()
        for value in called:
            self._value(value, [])
        for name in _UNNAMED if self._todo and not surely else ():
            self._add_all_named(name)

    def reach(self) -> Reach:
        """Return what all of it may do."""
        while self._todo and not self._unbounded:
            body = self._todo.pop()
            self._follow(body)
            self._unbounded |= len(self._bodies) > MAX_BODIES
        return Reach(frozenset(self._found), tuple(self._bodies.values()), self._unbounded)

    def _add(self, body: Body, key: int) -> None:
        if (body.code, key) not in self._bodies:
            self._bodies[body.code, key] = body
            self._todo.append(body)

    def add_function(self, address: int, subject: int) -> None:
        """Follow a function, of a method with its `self`."""
        wrapped: int | None = address
        for _ in range(MAX_WRAPPED):
            if not wrapped or self._view.locks.type_name(wrapped) != "function":
                return
            made: CalledFunction = self._calls.body_of(wrapped, subject)
            module = self._live.module(made.scope)
            if not module.is_library:
                if made.code != self._running:
                    self._add(Body(made.code, made.names, made.scope, (_EVERYTHING,)), subject)
                return
            self._enter_library(module)
            wrapped = self._view.attribute(wrapped, "__wrapped__")  # as by contextmanager()
        self._unbounded = True

    def _add_all_named(self, name: str) -> bool:
        """Follow every function of the program of a name; tell whether there is any."""
        named = self._live.own.get(name, [])
        self._unbounded |= len(named) > MAX_NAMED
        for each in named[:MAX_NAMED]:
            self.add_function(each.address, 0)
        return bool(named)

    def _enter_library(self, module: _Module) -> None:
        if module.name.partition(".")[0] not in QUIET | _LOOPS:
            self._call_back()

    def _follow_timer(self, frame: PyFrame) -> None:
        """Follow the function that a threading.Timer calls when its time has come."""
        if (frame.module, frame.name) == ("threading", "run"):
            timer = self._view.variable(frame, "self") or 0
            values = [self._view.attribute(timer, "function") or 0] if timer else []
            given = self._view.attribute(timer, "args") if any(values) else None
            if given and self._view.locks.type_name(given) == "tuple":
                values += ContainerReader(self._reader).tuple_items(given)
            for value in filter(None, values):
                self._value(value, [])

    def _call_back(self) -> None:
        """Follow every function that somebody may have been given, to call it."""
        if not self._calls_back:
            self._calls_back = True
            for function, subject in self._live.kept:
                self.add_function(function.address, subject)

    def _follow(self, body: Body) -> None:
        sites = self._calls.sites
        read = sites.of(body.code)
        self._running = body.running
        call_places: set[int] = set()
        managers: list[int] = []
        for call in read.all_of_it():
            call_places.add(call.at)
            if covers(body.live, call.at):
                self._follow_call(call, body, managers)
        for at, does, name in sites.names_used(body.code):
            if not covers(body.live, at):
                continue
            if name in _DYNAMIC:
                self._unbounded = True
            if does in ("attr", "method") and at not in call_places:
                self._name(name)
        self._enter_blocks(body, managers)
        self._calls_of_variables(body)
        self._running = 0
        for inner in self._inner_codes(body):
            self._add(Body(inner, dict(body.names), body.scope, (_EVERYTHING,)), 0)

    def _inner_codes(self, body: Body) -> Iterator[int]:
        """Yield the code of comprehensions and functions that code makes."""
        constants = ContainerReader(self._reader).tuple_items(
            self._reader.field(body.code, "PyCodeObject", "co_consts")
        )
        for each in self._calls.sites.instructions(body.code):
            if each.operation == "const" and covers(body.live, each.at):
                constant = constants[each.argument]
                if self._view.locks.type_name(constant) == "code":
                    yield constant

    def _name(self, name: str) -> None:
        """A method of an object that is not known is called, or an attribute is loaded."""
        self._found.add((0, name))
        if not self._add_all_named(name) and name not in OF_DATA and not name.startswith("__"):
            self._call_back()

    def _follow_call(self, call: MethodCall, body: Body, managers: list[int]) -> None:
        receiver = self._calls.receiver(call, body.names, body.scope)
        if not call.path:
            if receiver:
                self._value(receiver, managers)
            return
        name = call.path[-1]
        if not receiver or self._view.locks.type_name(receiver) == "NoneType":
            self._name(name)  # another object will be there when that is called
            return
        is_class = self._view.locks.type_name(receiver) == "type"  # a method of any object of it
        self._found.add((0 if is_class else receiver, name))
        value = self._calls.attribute(receiver, name)
        kind = self._view.locks.type_name(value) if value and not value & 7 else ""
        if kind == "function":
            is_method = self._view.locks.type_name(receiver) not in ("module", "type")
            own = self._view.attribute(receiver, name) if is_method else None
            self.add_function(value, receiver if is_method and own is None else 0)
        elif kind in ("property", "staticmethod", "classmethod", "cached_property", "partial",
                      "functools.partial", "functools.cached_property"):  # fmt: skip
            self._add_all_named(name)
        elif value:
            self._value(value, managers)
        elif name in self._live.own:
            self._add_all_named(name)

    def _value(self, value: int, managers: list[int]) -> None:
        """An object is loaded: where it is a function or class, it may be called."""
        if value & 7:
            return
        managers.append(value)
        kind = self._view.locks.type_name(value)
        if kind == "function":
            self.add_function(value, 0)
        elif kind == "method":
            function = self._reader.field(value, "PyMethodObject", "im_func")
            if self._view.locks.type_name(function) == "function":
                subject = self._reader.field(value, "PyMethodObject", "im_self")
                self._found.add(
                    (subject, self._live.name_of(self._calls.body_of(function, 0).code))
                )
                self.add_function(function, subject)
        elif kind == "type":
            for name in ("__init__", "__new__", *_MANAGERS):
                function = self._calls.class_attribute(value, name)
                if function and self._view.locks.type_name(function) == "function":
                    self.add_function(function, 0)
        elif kind == "builtin_function_or_method":
            subject = self._reader.field(value, "PyCFunctionObject", "m_self")
            if subject and self._view.locks.type_name(subject) not in ("module", "NoneType"):
                self._found.add((subject, "*"))
            else:
                called = self._reader.definition_name(value)
                self._found.add((subject, called if isinstance(called, str) else ""))
                self._unbounded |= called in _DYNAMIC
        elif kind in ("partial", "functools.partial"):
            self._call_back()
            head = self._reader.layout.size("PyObject") or 16
            self._value(self._reader.u64(value + head), managers)  # Modules/_functoolsmodule.c

    def _enter_blocks(self, body: Body, managers: Iterable[int]) -> None:
        """Follow what `with` calls of the objects that code names, else of all managers."""
        code = self._calls.sites.instructions(body.code)
        if not any(each.name in _ENTERS and covers(body.live, each.at) for each in code):
            return
        for value in managers:
            for name in _MANAGERS:
                function = self._calls.type_attribute(value, name)
                self._found.add((value, name))
                if function and self._view.locks.type_name(function) == "function":
                    self.add_function(function, value)

    def _calls_of_variables(self, body: Body) -> None:
        """Where code calls what has no name, or a variable without a value, that may be anything.

        Such a callable is pushed with a NULL (3.11), before it or after it (3.13). Until then every
        variable may be one, and every item.
        """
        there_are = find_opcodes(self._reader.layout).instructions
        marked, after_it = "PUSH_NULL" in there_are, "CALL_KW" in there_are
        code = list(self._calls.sites.instructions(body.code))
        for place, each in enumerate(code):
            if not covers(body.live, each.at):
                continue
            with_null = each.operation == "global" and marked and each.argument & 1
            if with_null and _takes_item(code[place + 1 :]):
                self._call_back()
                return
            if marked and each.name != "PUSH_NULL":
                continue
            if not marked and each.name == "BINARY_SUBSCR":
                self._call_back()
                return
            at = place + (0 if not marked else -1 if after_it else 1)
            pushed = code[at] if 0 <= at < len(code) else each
            beyond = code[at + 1].operation if not after_it and at + 1 < len(code) else ""
            if beyond in ("attr", "method") or pushed.operation in ("attr", "name"):
                continue  # what it is was looked at by its name
            is_variable = pushed.operation in ("fast", "cell")
            is_variable &= not _takes_item(code[place + 2 :])
            if (marked or is_variable) and not (
                is_variable and body.names.get(self._variable(body.code, pushed))
            ):
                self._call_back()
                return

    def _variable(self, code: int, loads: Instruction) -> str:
        table = self._calls.sites.strings(code, "co_varnames")
        if loads.operation == "cell" or not table:
            table = self._calls.sites.tables(code).cells
        return table[loads.argument] if loads.argument < len(table) else ""

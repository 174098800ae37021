# SPDX-License-Identifier: Apache-2.0
"""What code may do by the names that it uses, where its values cannot be followed.

A call whose object is known leads to one function; of any other the name alone counts, and it may
lead to every function of that name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.types import PyFrame
from gdb_epi.cpython.values.value_stack import opcodes_of_process
from gdb_epi.hangs.live.effects import CodeEffects, CodeToRun, is_byte_in_ranges
from gdb_epi.hangs.live.library_effects import (
    EVENT_LOOP,
    GENERATORS,
    MANAGERS,
    OF_DATA,
    QUIET,
    UNFOLLOWED_BY_NAME,
    UNNAMED,
    has_module_effect,
    may_load_unseen_code,
)
from gdb_epi.hangs.live.program_code import ModuleOfGlobals, ProgramCode
from gdb_epi.locks.python.acquire_calls import CalledFunction
from gdb_epi.locks.python.call_sites import MAX_CODE, Instruction, MethodCall

MAX_BODIES = 600  # functions that one thread's code may call
MAX_NAMED = 12  # functions of one name that a call may lead to
MAX_WRAPPED = 8  # functions in one another, as by contextmanager()
EVERYTHING = (0, MAX_CODE)
_LOADS = ("fast", "cell", "global", "name", "const", "number")
ENTERS = ("BEFORE_WITH", "SETUP_WITH", "LOAD_SPECIAL", "BEFORE_ASYNC_WITH", "SETUP_ASYNC_WITH")


def _calls_item_of_container(code: Sequence[Instruction]) -> bool:
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


class CodeWalkByNames:
    """One walk over all code that some frames' code leads to."""

    def __init__(
        self, code: ProgramCode, *stacks: Sequence[PyFrame],
        calls_back: bool = False, in_loop: bool = False, called: Iterable[int] = (),
        surely: bool = False,
    ) -> None:  # fmt: skip
        self._live, self._view, self._calls = code, code.view, code.calls
        self._reader = self._view.reader
        self._found: set[tuple[int, str]] = set()
        self._bodies: dict[tuple[int, int], CodeToRun] = {}
        self._todo: list[CodeToRun] = []
        self._gone_on: set[int] = set()
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
            module = code.module_of_globals(scope)
            if module.is_library:
                self._run_library_code(module)
                self._follow_timer(frame)
                continue
            live = self._calls.bytes_yet_to_run(frame)
            if in_loop:
                live = tuple(self._calls.loops_around(frame).items())[-1:]
            stored = code.variables_stored(frame.code, live)
            kept = {name: at for name, at in self._view.variable_addresses(frame)
                    if name not in stored}  # fmt: skip
            inside = 0 if self._calls.is_running_in_loop(frame) else running
            body = CodeToRun(frame.code, kept, scope, live, inside, is_frame=True)
            self._queue_code(body, frame.address)
        if calls_back:
            self._follow_kept_functions()
        for value in called:
            self._follow_object(value, [])
        for name in UNNAMED if self._todo and not surely else ():
            self._follow_functions_named(name)

    def effects(self) -> CodeEffects:
        """Return what all of it may do."""
        while self._todo and not self._unbounded:
            body = self._todo.pop()
            self._follow_code(body)
            self._unbounded |= len(self._bodies) > MAX_BODIES
        return CodeEffects(frozenset(self._found), tuple(self._bodies.values()), self._unbounded)

    def _queue_code(self, body: CodeToRun, key: int) -> None:
        if (body.code, key) not in self._bodies:
            self._bodies[body.code, key] = body
            self._todo.append(body)
            for value in body.names.values():
                self._follow_generator(value)

    def _follow_generator(self, value: int) -> None:
        """Follow a generator or coroutine that a variable has: whoever has it lets it go on."""
        kind = self._view.type_name(value)
        if kind not in GENERATORS or value in self._gone_on:
            return
        self._gone_on.add(value)
        frame = self._view.slots.frame_of_suspended_generator(value)
        scope = self._calls.globals_of(frame) if frame is not None else 0
        if frame is not None and not self._live.module_of_globals(scope).is_library:
            names = dict(self._view.variable_addresses(frame))
            live = self._calls.bytes_yet_to_run(frame)
            self._queue_code(
                CodeToRun(frame.code, names, scope, live, is_frame=True), frame.address
            )

    def add_function(self, address: int, subject: int) -> None:
        """Follow a function, of a method with its `self`."""
        wrapped: int | None = address
        for _ in range(MAX_WRAPPED):
            if not wrapped or self._view.type_name(wrapped) != "function":
                return
            made: CalledFunction = self._calls.as_called_function(wrapped, subject)
            module = self._live.module_of_globals(made.scope)
            if not module.is_library:
                if made.code != self._running:
                    self._queue_code(
                        CodeToRun(made.code, made.names, made.scope, (EVERYTHING,)), subject
                    )
                return
            if self._live.is_defined_in_class(wrapped):
                self._found.add((subject, self._live.name_of_code(made.code)))
            self._unbounded |= may_load_unseen_code(module.name)
            self._run_library_code(module)
            wrapped = self._view.attribute(wrapped, "__wrapped__")  # as by contextmanager()
        self._unbounded = True

    def _follow_functions_named(self, name: str) -> bool:
        """Follow every function of the program of a name; tell whether there is any."""
        named = self._live.own_functions.get(name, [])
        self._unbounded |= len(named) > MAX_NAMED
        for each in named[:MAX_NAMED]:
            self.add_function(each.address, 0)
        return bool(named)

    def _run_library_code(self, module: ModuleOfGlobals) -> None:
        if not has_module_effect(module.name, QUIET | EVENT_LOOP):
            self._follow_kept_functions()

    def _follow_timer(self, frame: PyFrame) -> None:
        """Follow the function that a threading.Timer calls when its time has come."""
        if (frame.module, frame.name) == ("threading", "run"):
            timer = self._view.variable(frame, "self") or 0
            values = [self._view.attribute(timer, "function") or 0] if timer else []
            given = self._view.attribute(timer, "args") if any(values) else None
            if given and self._view.type_name(given) == "tuple":
                values += ContainerReader(self._reader).tuple_items(given)
            for value in filter(None, values):
                self._follow_object(value, [])

    def _follow_kept_functions(self) -> None:
        """Follow every function that somebody may have been given, to call it."""
        if not self._calls_back:
            self._calls_back = True
            for function, subject in self._live.functions_kept_to_be_called:
                self.add_function(function.address, subject)

    def _follow_code(self, body: CodeToRun) -> None:
        sites = self._calls.sites
        read = sites.calls_of(body.code)
        self._running = body.running
        call_places: set[int] = set()
        managers: list[int] = []
        for call in read.made_and_possible_calls():
            call_places.add(call.at)
            if is_byte_in_ranges(body.live, call.at):
                self._follow_call(call, body, managers)
        for at, does, name in sites.names_used_by_instructions(body.code):
            if not is_byte_in_ranges(body.live, at):
                continue
            if name in UNFOLLOWED_BY_NAME:
                self._unbounded = True
            if does in ("attr", "method") and at not in call_places:
                self._follow_methods_named(name)
        modules = sites.name_tuple(body.code, "co_names")
        self._unbounded |= any(
            instruction.name == "IMPORT_NAME" and is_byte_in_ranges(body.live, instruction.at)
            and self._live.may_import_run_unseen_code(modules[instruction.argument])
            for instruction in sites.instructions(body.code)
        )  # fmt: skip
        self._follow_with_blocks(body, managers)
        self._follow_nameless_calls(body)
        self._running = 0
        for inner in self._inner_codes(body):
            self._queue_code(CodeToRun(inner, dict(body.names), body.scope, (EVERYTHING,)), 0)

    def _inner_codes(self, body: CodeToRun) -> Iterator[int]:
        """Yield the code of comprehensions and functions that code makes."""
        constants = ContainerReader(self._reader).tuple_items(
            self._reader.field(body.code, "PyCodeObject", "co_consts")
        )
        for instruction in self._calls.sites.instructions(body.code):
            if instruction.operation == "const" and is_byte_in_ranges(body.live, instruction.at):
                constant = constants[instruction.argument]
                if self._view.type_name(constant) == "code":
                    yield constant

    def _follow_methods_named(self, name: str) -> None:
        """A method of an object that is not known is called, or an attribute is loaded."""
        self._found.add((0, name))
        if (
            not self._follow_functions_named(name)
            and name not in OF_DATA
            and not name.startswith("__")
        ):
            self._follow_kept_functions()

    def _follow_call(self, call: MethodCall, body: CodeToRun, managers: list[int]) -> None:
        receiver = self._calls.receiver_of_call(call, body.names, body.scope)
        if not call.path:
            if receiver:
                self._follow_object(receiver, managers)
            return
        name = call.path[-1]
        if not receiver or self._view.type_name(receiver) == "NoneType":
            self._follow_methods_named(name)  # another object will be there when that is called
            return
        is_class = self._view.type_name(receiver) == "type"  # a method of any object of it
        self._found.add((0 if is_class else receiver, name))
        value = self._calls.attribute(receiver, name)
        kind = self._view.type_name(value)
        if kind == "function":
            is_method = self._view.type_name(receiver) not in ("module", "type")
            own = self._view.attribute(receiver, name) if is_method else None
            self.add_function(value, receiver if is_method and own is None else 0)
        elif kind in ("property", "staticmethod", "classmethod", "cached_property", "partial",
                      "functools.partial", "functools.cached_property"):  # fmt: skip
            self._follow_functions_named(name)
        elif value:
            self._follow_object(value, managers)
        elif name in self._live.own_functions:
            self._follow_functions_named(name)

    def _follow_object(self, value: int, managers: list[int]) -> None:
        """An object is loaded: where it is a function or class, it may be called."""
        if value & 7:
            return
        managers.append(value)
        kind = self._view.type_name(value)
        if kind == "function":
            self.add_function(value, 0)
        elif kind == "method":
            function = self._reader.field(value, "PyMethodObject", "im_func")
            if self._view.type_name(function) == "function":
                subject = self._reader.field(value, "PyMethodObject", "im_self")
                self._found.add(
                    (
                        subject,
                        self._live.name_of_code(self._calls.as_called_function(function, 0).code),
                    )
                )
                self.add_function(function, subject)
        elif kind == "type":
            for name in ("__init__", "__new__", *MANAGERS):
                function = self._calls.class_attribute(value, name)
                if function and self._view.type_name(function) == "function":
                    self.add_function(function, 0)
        elif kind == "builtin_function_or_method":
            subject = self._reader.field(value, "PyCFunctionObject", "m_self")
            if subject and self._view.type_name(subject) not in ("module", "NoneType"):
                self._found.add((subject, "*"))
            else:
                called = self._reader.method_def_name(value)
                self._found.add((subject, called if isinstance(called, str) else ""))
                self._unbounded |= called in UNFOLLOWED_BY_NAME
        elif kind in ("partial", "functools.partial"):
            self._follow_kept_functions()
            head = self._reader.layout.size("PyObject") or 16
            self._follow_object(
                self._reader.u64(value + head), managers
            )  # Modules/_functoolsmodule.c
        elif kind in ("method_descriptor", "wrapper_descriptor"):  # of any object
            name = self._reader.text_field(value, "PyMethodDescrObject", "d_common.d_name")
            self._found.add((0, name))
        elif kind.rpartition(".")[2] in UNFOLLOWED_BY_NAME:
            self._unbounded = True

    def _follow_with_blocks(self, body: CodeToRun, managers: Iterable[int]) -> None:
        """Follow what `with` calls of the objects that code names, else of all managers."""
        code = self._calls.sites.instructions(body.code)
        if not any(each.name in ENTERS and is_byte_in_ranges(body.live, each.at) for each in code):
            return
        for value in managers:
            for name in MANAGERS:
                function = self._calls.type_attribute(value, name)
                self._found.add((value, name))
                if function and self._view.type_name(function) == "function":
                    self.add_function(function, value)

    def _follow_nameless_calls(self, body: CodeToRun) -> None:
        """Where code calls what has no name, or a variable without a value, that may be anything.

        Such a callable is pushed with a NULL (3.11), before it or after it (3.13). Until then every
        variable may be one, and every item.
        """
        there_are = opcodes_of_process(self._reader.layout).instructions
        marked, after_it = "PUSH_NULL" in there_are, "CALL_KW" in there_are
        code = list(self._calls.sites.instructions(body.code))
        for place, each in enumerate(code):
            if not is_byte_in_ranges(body.live, each.at):
                continue
            with_null = each.operation == "global" and marked and each.argument & 1
            if with_null and _calls_item_of_container(code[place + 1 :]):
                self._follow_kept_functions()
                return
            if marked and each.name != "PUSH_NULL":
                continue
            if not marked and each.name == "BINARY_SUBSCR":
                self._follow_kept_functions()
                return
            at = place + (0 if not marked else -1 if after_it else 1)
            pushed = code[at] if 0 <= at < len(code) else each
            beyond = code[at + 1].operation if not after_it and at + 1 < len(code) else ""
            if beyond in ("attr", "method") or pushed.operation in ("attr", "name"):
                continue  # what it is was looked at by its name
            is_variable = pushed.operation in ("fast", "cell")
            is_variable &= not _calls_item_of_container(code[place + 2 :])
            if (marked or is_variable) and not (
                is_variable and body.names.get(self._loaded_variable_name(body.code, pushed))
            ):
                self._follow_kept_functions()
                return

    def _loaded_variable_name(self, code: int, loads: Instruction) -> str:
        table = self._calls.sites.name_tuple(code, "co_varnames")
        if loads.operation == "cell" or not table:
            table = self._calls.sites.name_tables(code).cells
        return table[loads.argument] if loads.argument < len(table) else ""

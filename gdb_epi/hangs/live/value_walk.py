# SPDX-License-Identifier: Apache-2.0
"""What code may do by the values that it works on, from where its frames stand.

A call of a known object leads to its function, with what that is given. Of an object that is not
known its method's name leads to every function of that name, and what calls a function that is not
known to each one that somebody keeps. What code hands on, by a container or an attribute that
others see or to a library, may be called by whoever has it then: that counts as done here, as
everybody else sees what is there now.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence

from gdb_epi.cpython.types import PyFrame
from gdb_epi.hangs.live.calls_by_values import ValueCalls
from gdb_epi.hangs.live.effects import CodeEffects, CodeToRun
from gdb_epi.hangs.live.library_effects import (
    CONTAINERS,
    EVENT_LOOP,
    GENERATORS,
    KEEPS_WITHIN,
    MANAGERS,
    QUIET,
    has_module_effect,
    is_inert_c_object,
    top_package,
)
from gdb_epi.hangs.live.program_code import ProgramCode
from gdb_epi.hangs.live.value_flow import ValueFlow
from gdb_epi.hangs.live.value_reads import ValueReads
from gdb_epi.hangs.live.value_store import CallContext, FramePosition, ValueStore
from gdb_epi.hangs.live.values import (
    DATA,
    NOTHING,
    UNKNOWN,
    UNKNOWN_ARGUMENTS,
    AnyInstance,
    Arguments,
    Atom,
    BoundMethod,
    ConstantText,
    HeapValues,
    KnownObject,
    MadeAtPlace,
    MadeByCode,
    MethodInC,
    PairsOfContainer,
    PlainData,
    SuperProxy,
    UnknownAttribute,
    Value,
    union_of_values,
    variables_with_single_object,
)
from gdb_epi.locks.python.call_sites import MAX_CODE

MAX_CONTEXTS = 1_500
MAX_RUNS = 1_000  # of contexts, again where what they read has changed
_FUNCTIONS = ("function", "method", "builtin_function_or_method", "functools.partial", "partial")


class CodeWalkByValues:
    """One walk over all code that some frames, or some callables, lead to.

    `reads` is where values lie, `calls` what calls lead to, `store` what the runs of code leave
    for one another.
    """

    def __init__(self, code: ProgramCode, heap: HeapValues, *, surely: bool = False) -> None:
        self.code, self.heap, self.surely, self.store = code, heap, surely, ValueStore()
        self._view, self._reader, self._sites = code.view, code.view.reader, code.calls.sites
        self.called: set[tuple[int, str]] = set()  # object, 0 for any, and method
        self.touched: set[int] = set()  # 0 for any object
        self.unbounded = False
        self.does_anything = False  # what it calls has a name that is not seen
        self.runs = 0  # of contexts
        self._libraries_entered: set[object] = set()
        self._handed_on: set[object] = set()
        self._handing: set[Atom] = set()  # containers that hold one another
        # A proxy: a walk that names itself waits for the garbage collector, with all of its core.
        itself = weakref.proxy(self)
        self.reads = ValueReads(itself)
        self.calls = ValueCalls(itself, self.reads)

    # -- where it begins ----------------------------------------------------------------------

    def add_stack(self, frames: Sequence[PyFrame], *, in_loop: bool) -> None:
        """Follow what is left of some frames' code."""
        for frame in frames:
            self.unbounded |= frame.hole is not None  # what could not be read may do anything
            if frame.hole is None and frame.code:
                self._add_frame(frame, in_loop=in_loop)
        for _, manager in self._view.slots.entered_with_blocks(frames):
            if not in_loop:
                self.enter_with_block(None, self.heap.value_of_object(manager), later=False)

    def _add_frame(self, frame: PyFrame, *, in_loop: bool) -> None:
        calls = self.code.calls
        scope = calls.globals_of(frame)
        module = self.code.module_of_globals(scope)
        if module.is_library:
            values = [at for _, at in self._view.variable_addresses(frame)]
            self.run_library_code(module.name, values)
            self._follow_timer(frame)
            return
        loops = calls.loops_around(frame)
        at = calls.running_byte_offset(frame)
        at = -1 if at is None else at
        running = self._sites.running_instruction(frame.code, at) if at >= 0 else None
        place = running.at if running is not None else at
        if in_loop:
            live = tuple(loops.items())[-1:]
        else:
            live = (*loops.items(), (place + 1, MAX_CODE))
        words = self._stack_of(frame)
        where = FramePosition(
            place, any(first <= place <= last for first, last in loops.items()), words
        )
        context = self.store.make_context(frame.code, scope, live, None, where)
        shared = calls.bytes_yet_to_run(frame) if not in_loop else live
        context.live, context.shown = live, shared
        for name, value in self._view.variable_addresses(frame):
            self.store.write(("variable", context.number, name), self.heap.value_of_object(value))

    def _stack_of(self, frame: PyFrame) -> Value:
        """Return what lies on the value stack of a frame."""
        words = self._view.slots.value_stack_in_call(frame)
        if words is None:
            words = self._view.slots.words_of_frame(frame).stack
        objects = [at for at in words if at and not at & 7 and self.heap.type_name(at)]
        return self.heap.value_of_objects(objects) if objects else UNKNOWN

    def effects(self) -> CodeEffects:
        """Return what all of it may do. Raises CodeCannotBeFollowed, and what reading raises."""
        if self.store.contexts and not self.surely:
            for name in self.code.implicitly_called_methods:
                self.calls.call_all_named(name)
            for value in self.code.callbacks_of_weak_references:
                self.hand_to_unseen_code(self.heap.value_of_object(value))
        while self.store.todo and not self.unbounded:
            self.runs += 1
            self._follow_context(self.store.next_context())
            self.unbounded |= len(self.store.contexts) > MAX_CONTEXTS or self.runs > MAX_RUNS
        return CodeEffects(
            frozenset(self.called), tuple(map(self._code_to_run, self.store.contexts)),
            self.unbounded, frozenset(self.touched),
        )  # fmt: skip

    def _follow_context(self, context: CallContext) -> None:
        has_table = self._reader.layout.offset("PyCodeObject", "co_exceptiontable") is not None
        handlers = self._view.slots.exception_table(context.code) if has_table else ()
        self.store.reading = context
        try:
            ValueFlow(self, self.reads, self.calls, context, handlers).run()
        finally:
            self.store.reading = None

    def _code_to_run(self, context: CallContext) -> CodeToRun:
        names = self._sites.name_tables(context.code).variables
        values = [
            (name, self.store.values.get(("variable", context.number, name), UNKNOWN))
            for name in names
        ]
        live = context.shown or context.live
        return CodeToRun(
            context.code,
            dict(variables_with_single_object(values)),
            context.scope,
            live,
            0,
            context.frame is not None,
        )

    # -- what others are given ----------------------------------------------------------------

    def hand_to_unseen_code(self, value: Value) -> None:
        """Give a value to code that is not followed: it may call it."""
        for atom in value or ():
            if isinstance(atom, (PlainData, ConstantText, SuperProxy)):
                continue
            if isinstance(atom, (PairsOfContainer, MadeAtPlace)):
                held = atom.subject if isinstance(atom, PairsOfContainer) else atom
                if held not in self._handing and atom.kind != "generator":
                    self._handing.add(held)
                    self.hand_to_unseen_code(self.reads.iterated_values_of_atom(held))
                    self._handing.discard(held)
            elif isinstance(atom, UnknownAttribute):
                self.calls.call_methods_named(atom.name)
            elif isinstance(atom, MethodInC):
                if isinstance(atom.subject, KnownObject):
                    self.called.add((atom.subject.address, atom.name))
                    self.called.add((atom.subject.address, "*"))
            elif isinstance(atom, (MadeByCode, BoundMethod)):
                self.calls.call_for_value(None, atom, UNKNOWN_ARGUMENTS)
            elif isinstance(atom, AnyInstance):
                self._hand_instance_to_unseen_code(atom, atom.type)
            else:
                self.hand_object_to_unseen_code(atom)

    def hand_held_objects_to_unseen_code(self, address: int) -> None:
        """Run code of C of an object: it may call what that refers to, as csv.writer() does."""
        kind, key = self.heap.type_name(address), ("held", address)
        info = self.heap.type_info(self._reader.type_of(address))
        if key in self._handed_on or info.is_python_class or is_inert_c_object(info.module, kind):
            return
        self._handed_on.add(key)
        for at in self.heap.objects_referred_to(address):
            self.hand_object_to_unseen_code(KnownObject(at))
            self.hand_held_objects_to_unseen_code(at)

    def hand_object_to_unseen_code(self, atom: KnownObject) -> None:
        """Give an object to code that is not followed."""
        kind = self.heap.type_name(atom.address)
        if kind in ("module", "code", "frame", "cell"):
            return
        key = ("object", atom)
        if key in self._handed_on:
            return
        self._handed_on.add(key)
        if kind in GENERATORS:
            self.reads.iterated_values_of_atom(atom)
        elif kind in _FUNCTIONS:
            self.calls.call_object(None, atom, UNKNOWN_ARGUMENTS)
        elif self.reads.is_type(atom.address):
            info = self.heap.type_info(atom.address)
            meta = self.heap.type_info(self._reader.type_of(atom.address))
            for name in ("__new__", "__init__") if meta.module in self.code.own_modules else ():
                function = self.heap.class_attribute(
                    meta.address, name
                )  # for a class that is made of it
                _, inner = self.heap.unwrap_descriptor(function) if function else ("", 0)
                if inner and self.heap.type_name(inner) == "function":
                    self.calls.call_function(inner, atom, UNKNOWN_ARGUMENTS)
            if info.module in self.code.own_modules:
                self.calls.call_object(None, atom, UNKNOWN_ARGUMENTS)
        elif kind in CONTAINERS:
            given = self.heap.callables_reachable_from([atom.address])
            if given is None:
                self.calls.call_kept_functions()
            for at in given or ():
                if at != atom.address:
                    self.hand_object_to_unseen_code(KnownObject(at))
        else:
            self._hand_instance_to_unseen_code(atom, self._reader.type_of(atom.address))

    def _hand_instance_to_unseen_code(self, atom: KnownObject | AnyInstance, kind: int) -> None:
        key = ("instance", atom)
        own = self.code.own_modules
        if key in self._handed_on or self.heap.type_info(kind).module not in own:
            return
        self._handed_on.add(key)
        for each in self.heap.mro(kind):
            if each.module in own:
                for _, function in self.code.functions_in_class(each.address):
                    self.calls.call_function(function, atom, UNKNOWN_ARGUMENTS)

    def share_with_other_threads(self, value: Value) -> None:
        """Put a value where other threads see it: whoever has it may do anything with it."""
        self.hand_to_unseen_code(value)
        for atom in value or ():
            if not isinstance(atom, KnownObject) or self.heap.type_name(atom.address) in CONTAINERS:
                continue
            if not self.reads.is_class_of_program_alone(self._reader.type_of(atom.address)):
                self.called.add((atom.address, "*"))

    def run_library_code(self, name: str, held: Iterable[int]) -> None:
        """Run code of a library that is not followed: it may call what it was given."""
        top = top_package(name)
        if top == "logging":
            self.call_stream_writers()
            for at in self.code.own_logging_handlers:
                self.hand_object_to_unseen_code(KnownObject(at))
        if has_module_effect(top, QUIET | EVENT_LOOP):
            return
        held = list(held)
        key = ("library", top, tuple(held))
        if key in self._libraries_entered:
            return
        self._libraries_entered.add(key)
        given = (
            self.heap.callables_reachable_from([*held, *self.code.executor_callables])
            if has_module_effect(top, KEEPS_WITHIN)
            else None
        )
        if given is None:
            self.calls.call_kept_functions()
        for at in given or ():
            self.hand_object_to_unseen_code(KnownObject(at))

    def call_stream_writers(self) -> None:
        """A stream that is the program's own is written to."""
        for name in ("write", "flush"):
            if name in self.code.own_functions:
                self.calls.call_all_named(name)

    def enter_with_block(
        self, context: CallContext | None, manager: Value, *, later: bool
    ) -> Value:
        """Return what a `with` block is given; `later`: by `async with`."""
        if manager is None:
            for name in MANAGERS:
                self.calls.call_all_named(name)
            return UNKNOWN
        given: Value = NOTHING
        for atom in manager:
            if isinstance(atom, MadeAtPlace):
                given = union_of_values(given, self.reads.iterated_values_of_atom(atom))
                continue
            kind = self.reads.type_of(atom)
            if not kind or not isinstance(atom, (KnownObject, AnyInstance)):
                given = union_of_values(
                    given, DATA if isinstance(atom, (PlainData, ConstantText)) else UNKNOWN
                )
                if isinstance(atom, UnknownAttribute):
                    for name in MANAGERS:
                        self.calls.call_all_named(name)
                continue
            entering: Value = frozenset((atom,))
            for name in MANAGERS[2:] if later else MANAGERS[:2]:
                if isinstance(atom, KnownObject):
                    self.called.add((atom.address, name))
                function = self.heap.class_attribute(kind, name)
                if function and self.heap.type_name(function) == "function":
                    returned = self.calls.call_function(function, atom, Arguments((UNKNOWN,) * 3))
                    module = self.code.module_of_globals(
                        self.code.calls.as_called_function(function, 0).scope
                    )
                    if name == "__enter__" and not module.is_library:
                        entering = returned
            if isinstance(atom, KnownObject) and self.heap.type_info(kind).module == "contextlib":
                self.calls.call_callables_held_by([atom.address])  # as an ExitStack has callbacks
            given = union_of_values(given, UNKNOWN if later else entering)
        return given

    def _follow_timer(self, frame: PyFrame) -> None:
        """Follow the function that a threading.Timer calls when its time has come."""
        if (frame.module, frame.name) == ("threading", "run"):
            timer = self._view.variable(frame, "self") or 0
            function = self._view.attribute(timer, "function") if timer else 0
            given = self._view.attribute(timer, "args") if function else None
            arguments = UNKNOWN_ARGUMENTS
            if given and self.heap.type_name(given) in ("tuple", "list"):
                values = map(self.heap.value_of_object, self.heap.iterated_objects(given) or ())
                arguments = Arguments(list(values))
            if function:
                self.calls.call(None, self.heap.value_of_object(function), arguments)

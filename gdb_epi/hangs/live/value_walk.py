# SPDX-License-Identifier: Apache-2.0
"""What code may do by the values that it works on, from where its frames stand.

A call of a known object leads to its function, with what that is given. Of an object that is not
known its method's name leads to every function of that name, and what calls a function that is not
known to each one that somebody keeps. What code hands on, by a container or an attribute that
others see or to a library, may be called by whoever has it then: that counts as done here, as
everybody else sees what is there now.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gdb_epi.cpython.types import PyFrame
from gdb_epi.hangs.live.calls_by_values import CONTAINERS, ValueCalls
from gdb_epi.hangs.live.program_code import LOOPS
from gdb_epi.hangs.live.reach import QUIET, Body, Reach
from gdb_epi.hangs.live.value_flow import Context, Frame, ValueFlow
from gdb_epi.hangs.live.values import (
    DATA,
    NOTHING,
    UNKNOWN,
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
    join,
    single,
)
from gdb_epi.hangs.live.walk import GENERATORS, MANAGERS
from gdb_epi.locks.python.call_sites import MAX_CODE

MAX_CONTEXTS = 1_500
MAX_RUNS = 6_000  # of contexts, again where what they read has changed
# Those written in Python that keep what they call in their own objects.
_KEEPS_WITHIN = frozenset(("concurrent", "socketserver", "sched", "wsgiref", "xmlrpc", "http"))


class ValueWalk(ValueCalls):
    """One walk over all code that some frames, or some callables, lead to."""

    # -- where it begins ----------------------------------------------------------------------

    def add_stack(self, frames: Sequence[PyFrame], *, in_loop: bool) -> None:
        """Follow what is left of some frames' code."""
        for frame in frames:
            self._unbounded |= frame.hole is not None  # what could not be read may do anything
            if frame.hole is None and frame.code:
                self._add_frame(frame, in_loop=in_loop)
        for _, manager in self._view.slots.entered_blocks(frames):
            if not in_loop:
                self.entered(None, self._heap.value(manager), later=False)

    def _add_frame(self, frame: PyFrame, *, in_loop: bool) -> None:
        calls = self._live.calls
        scope = calls.globals_of(frame)
        module = self._live.module(scope)
        if module.is_library:
            values = [at for _, at in self._view.variable_addresses(frame)]
            self._enter_library(module.name, values)
            self._follow_timer(frame)
            return
        loops = calls.loops_around(frame)
        at = calls.running_byte(frame)
        at = -1 if at is None else at
        running = self.sites.running(frame.code, at) if at >= 0 else None
        place = running.at if running is not None else at
        if in_loop:
            live = tuple(loops.items())[-1:]
        else:
            live = (*loops.items(), (place + 1, MAX_CODE))
        words = self._stack_of(frame)
        where = Frame(place, any(first <= place <= last for first, last in loops.items()), words)
        context = self._make(frame.code, scope, live, None, where)
        shared = calls.live_bytes(frame) if not in_loop else live
        context.live, context.shown = live, shared
        for name, value in self._view.variable_addresses(frame):
            self._write(("variable", context.number, name), self._heap.value(value))

    def _stack_of(self, frame: PyFrame) -> Value:
        """Return what lies on the value stack of a frame."""
        words = self._view.slots.stack_in_call(frame)
        if words is None:
            words = self._view.slots.of(frame).stack
        objects = [at for at in words if at and not at & 7 and self._heap.kind(at)]
        return self._heap.values(objects) if objects else UNKNOWN

    def add_callable(self, address: int) -> None:
        """Follow what somebody may call."""
        self.hand_on(self._heap.value(address))

    def call_kept(self) -> None:
        """Follow every function that somebody may have been given, to call it."""
        if not self._calls_back:
            self._calls_back = True
            for function, subject in self._live.kept:
                self._call_function(function.address, Obj(subject) if subject else None, None, {})

    def reach(self) -> Reach:
        """Return what all of it may do. Raises UnknownFlow, and what reading raises."""
        if self._contexts and not self._surely:
            for name in self._live.implicit:
                self._call_all_named(name)
            for value in self._live.callbacks_of_weak_references:
                self.hand_on(self._heap.value(value))
        while self._todo and not self._unbounded:
            context = self._todo.pop()
            self._queued.discard(context.number)
            self.runs += 1
            self._run(context)
            self._unbounded |= len(self._contexts) > MAX_CONTEXTS or self.runs > MAX_RUNS
        return Reach(
            frozenset(self._calls), tuple(map(self._body, self._contexts)), self._unbounded,
            frozenset(self._touched),
        )  # fmt: skip

    def _run(self, context: Context) -> None:
        tables = self.sites.tables(context.code)
        handlers = (
            self._view.slots.handlers(context.code)
            if self._reader.layout.offset("PyCodeObject", "co_exceptiontable") is not None else ()
        )  # fmt: skip
        self._reading = context
        try:
            flow = ValueFlow(
                self, context, tables, lambda at: self._texts_at(context, at), handlers
            )
            flow.run()
        finally:
            self._reading = None

    def _body(self, context: Context) -> Body:
        names = self.sites.tables(context.code).variables
        values = [
            (name, self._store.get(("variable", context.number, name), UNKNOWN)) for name in names
        ]
        live = context.shown or context.live
        return Body(
            context.code, dict(single(values)), context.scope, live, 0, context.frame is not None
        )

    # -- what others are given ----------------------------------------------------------------

    def hand_on(self, value: Value) -> None:
        """Give a value to code that is not followed: it may call it."""
        for atom in value or ():
            if isinstance(atom, (Mark, Text, Super)):
                continue
            if isinstance(atom, (View, Site)):
                held = atom.subject if isinstance(atom, View) else atom
                if held not in self._handing and atom.kind != "generator":
                    self._handing.add(held)
                    self.hand_on(self._items(held))
                    self._handing.discard(held)
            elif isinstance(atom, Named):
                self._call_named(atom.name)
            elif isinstance(atom, OfBuiltin):
                if isinstance(atom.subject, Obj):
                    self._calls.add((atom.subject.address, atom.name))
                    self._calls.add((atom.subject.address, "*"))
            elif isinstance(atom, (Made, Bound)):
                self._call(None, atom, None, {})
            elif isinstance(atom, Instance):
                self._hand_on_instance(atom, atom.type)
            else:
                self._hand_on_object(atom)

    def _hand_on_object(self, atom: Obj) -> None:
        kind = self._heap.kind(atom.address)
        if kind in ("module", "code", "frame", "cell"):
            return
        key = ("object", atom)
        if key in self._handed:
            return
        self._handed.add(key)
        if kind in GENERATORS:
            self._items(atom)
        elif kind in (
            "function",
            "method",
            "builtin_function_or_method",
            "functools.partial",
            "partial",
        ):
            self._call_object(None, atom, None, {})
        elif self._is_type(atom.address):
            info = self._heap.type_info(atom.address)
            meta = self._heap.type_info(self._reader.type_of(atom.address))
            for name in ("__new__", "__init__") if meta.module in self._live.own_modules else ():
                function = self._heap.in_class(meta.address, name)  # for a class that is made of it
                _, inner = self._heap.unwrapped(function) if function else ("", 0)
                if inner and self._heap.kind(inner) == "function":
                    self._call_function(inner, atom, None, {})
            if info.module in self._live.own_modules:
                self._call_object(None, atom, None, {})
        elif kind in CONTAINERS:
            given = self._heap.given([atom.address])
            if given is None:
                self.call_kept()
            for at in given or ():
                if at != atom.address:
                    self._hand_on_object(Obj(at))
        else:
            self._hand_on_instance(atom, self._reader.type_of(atom.address))

    def _hand_on_instance(self, atom: Obj | Instance, kind: int) -> None:
        key = ("instance", atom)
        own = self._live.own_modules
        if key in self._handed or self._heap.type_info(kind).module not in own:
            return
        self._handed.add(key)
        for each in self._heap.mro(kind):
            if each.module in own:
                for _, function in self._live.functions_in_class(each.address):
                    self._call_function(function, atom, None, {})

    def _hand_on_to_others(self, value: Value) -> None:
        """Put a value where other threads see it: whoever has it may do anything with it."""
        self.hand_on(value)
        for atom in value or ():
            if not isinstance(atom, Obj) or self._heap.kind(atom.address) in CONTAINERS:
                continue
            if not self._is_plainly_own(self._reader.type_of(atom.address)):
                self._calls.add((atom.address, "*"))

    def _enter_library(self, name: str, held: Iterable[int]) -> None:
        """Run code of a library that is not followed: it may call what it was given."""
        top = name.partition(".")[0].lstrip("_")
        if top == "logging":
            self._call_writers()
            for at in self._live.handlers_of_logs:
                self._hand_on_object(Obj(at))
        if top in QUIET | LOOPS:
            return
        held = list(held)
        key = ("library", top, tuple(held))
        if key in self._entered_libraries:
            return
        self._entered_libraries.add(key)
        given = self._heap.given([*held, *self._live.jobs]) if top in _KEEPS_WITHIN else None
        if given is None:
            self.call_kept()
        for at in given or ():
            self._hand_on_object(Obj(at))

    def _call_writers(self) -> None:
        """A stream that is the program's own is written to."""
        for name in ("write", "flush"):
            if name in self._live.own:
                self._call_all_named(name)

    def entered(self, context: Context | None, manager: Value, *, later: bool) -> Value:
        """Return what a `with` block is given; `later`: by `async with`."""
        if manager is None:
            for name in MANAGERS:
                self._call_all_named(name)
            return UNKNOWN
        given: Value = NOTHING
        for atom in manager:
            if isinstance(atom, Site):
                given = join(given, self._items(atom))
                continue
            kind = self._type_of(atom)
            if not kind or not isinstance(atom, (Obj, Instance)):
                given = join(given, DATA if isinstance(atom, (Mark, Text)) else UNKNOWN)
                if isinstance(atom, Named):
                    for name in MANAGERS:
                        self._call_all_named(name)
                continue
            entering: Value = frozenset((atom,))
            for name in MANAGERS[2:] if later else MANAGERS[:2]:
                if isinstance(atom, Obj):
                    self._calls.add((atom.address, name))
                function = self._heap.in_class(kind, name)
                if function and self._heap.kind(function) == "function":
                    returned = self._call_function(function, atom, (UNKNOWN,) * 3, {})
                    module = self._live.module(self._live.calls.body_of(function, 0).scope)
                    if name == "__enter__" and not module.is_library:
                        entering = returned
            if isinstance(atom, Obj) and self._heap.type_info(kind).module == "contextlib":
                self._call_what_is_held([atom.address])  # as an ExitStack has callbacks
            given = join(given, UNKNOWN if later else entering)
        return given

    def _follow_timer(self, frame: PyFrame) -> None:
        """Follow the function that a threading.Timer calls when its time has come."""
        if (frame.module, frame.name) == ("threading", "run"):
            timer = self._view.variable(frame, "self") or 0
            function = self._view.attribute(timer, "function") if timer else 0
            given = self._view.attribute(timer, "args") if function else None
            arguments: Sequence[Value] | None = None
            if given and self._heap.kind(given) in ("tuple", "list"):
                arguments = [self._heap.value(at) for at in self._heap.items(given) or ()]
            if function:
                self.call(None, self._heap.value(function), arguments, {})

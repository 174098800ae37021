# SPDX-License-Identifier: Apache-2.0
"""Who took a lock by `acquire()`: such a call leaves no trace but the code that was run.

A lock that stores no owner, and that no frame is in a `with` block of, may have been taken by hand.
The code of each frame up to the running instruction says which locks it took and did not release:
`lock.acquire()`, `self.lock.acquire()`, and methods that take or release a lock for their caller.
Where code branches all of it counts, so this is a likely holder and never a certain one. Only locks
that are held are considered.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial
from itertools import islice

from gdb_epi.cpython.frames.code_objects import CodeReader
from gdb_epi.cpython.frames.frame_chain import RawFrame, frame_reader
from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.objects.type_objects import TypeInfo, TypeReader
from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.locks.python.call_sites import MAX_CODE, CallSites, MethodCall, read_name_tuple
from gdb_epi.locks.python.replaced_locks import NamedPlace, ReplacedLocks
from gdb_epi.locks.types import function_and_line
from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gdb_epi.locks.python.python_view import PythonView

MAX_FRAMES = 64  # of one thread, innermost first
MAX_ALL_FRAMES = 2_000
MAX_DEPTH = 2  # methods that methods call
MAX_EFFECTS = 256  # of one frame
MAX_CLOSURE = 64  # variables
MAX_CALLS = 512  # that are followed from one frame
TAKES = frozenset(("acquire", "__enter__", "acquire_lock"))
GIVES = frozenset(("release", "__exit__", "release_lock"))
AHEAD, AGAIN, MADE = "ahead", "again", "made"  # when a call of a frame's code is made


class AcquiredLock(NamedTuple):
    """A frame whose code took a lock and has not released it; `line` is where it took it.

    `may_have_failed`: it gave a timeout, or asked not to wait, and what came of it is not known.
    `places` are the globals and attributes by which it came to the lock.
    """

    tid: int
    frame: PyFrame
    line: int | None
    may_have_failed: bool = False
    places: tuple[NamedPlace, ...] = ()

    def where(self) -> str:
        """Return "function (file:line)" of the call that took the lock."""
        return function_and_line(self.frame._replace(lineno=self.line))


class _LockEffect(NamedTuple):
    at: int
    lock: int
    takes: bool
    code: int  # of the method that did it, 0 when it is the lock's own
    succeeded: bool | None = True  # None where that is not known
    places: tuple[NamedPlace, ...] = ()


class CalledFunction(NamedTuple):
    """A Python function that is called: its code, the arguments that are known, its globals."""

    code: int
    names: dict[str, int]
    scope: int


class AcquireCalls:
    """Find the frames that took locks by hand."""

    def __init__(self, view: PythonView) -> None:
        self._view = view
        self._reader = view.reader
        self.sites = CallSites(view.reader)
        self._codes = CodeReader(view.reader)
        self._frames = frame_reader(view.reader, self._codes)
        addresses = view.python.interpreter_addresses()
        self._types = TypeReader(view.reader, view.objects, addresses)
        self._by_lock: dict[int, list[AcquiredLock]] | None = None
        self._failed: set[tuple[int, int]] = set()  # (thread, lock) of calls that returned False

    def frames_that_acquired(self, lock: int) -> list[AcquiredLock]:
        """Return the frames of living threads that took a lock by hand, one for each thread."""
        if self._by_lock is None:
            self._by_lock = {}
            left = MAX_ALL_FRAMES
            for tid, frames in self._view.all_frames().items():
                for taken, address in self._locks_acquired_by_thread(
                    tid, frames[: min(left, MAX_FRAMES)]
                ):
                    holders = self._by_lock.setdefault(address, [])
                    if all(other.tid != tid for other in holders):
                        holders.append(taken)
                left -= min(len(frames), MAX_FRAMES)
                if left <= 0:
                    break
        return self._by_lock.get(lock, [])

    def failed_to_take(self, tid: int, lock: int) -> bool:
        """Tell whether a frame of a thread tried to take a lock, and this has failed."""
        self.frames_that_acquired(lock)
        return (tid, lock) in self._failed

    def may_be_of_replaced_lock(self, taken: AcquiredLock) -> bool:
        """Tell whether another lock may have been under the name by which a frame took one."""
        return any(map(self._replaced_locks.may_be_stored_anew, taken.places))

    @cached_property
    def _replaced_locks(self) -> ReplacedLocks:
        running = [frame for frames in self._view.all_frames().values() for frame in frames]
        scopes = dict.fromkeys(
            self.globals_of(frame) for frame in running[:MAX_ALL_FRAMES]
            if frame.hole is None and frame.code
        )  # fmt: skip
        return ReplacedLocks(self._view, self._types, self.sites, scopes)

    def running_byte_offset(self, frame: PyFrame) -> int | None:
        """Return where the running instruction of a frame begins in its code."""
        if frame.hole is not None or not frame.code:
            return None
        return self._frames.read(frame.address).lasti

    def is_running_in_loop(self, frame: PyFrame) -> bool:
        """Tell whether the running instruction of a frame lies in a loop of its code."""
        return bool(self.loops_around(frame))

    def innermost_loop(self, frame: PyFrame) -> tuple[int, int] | None:
        """Return (first, last) byte of the innermost loop that a frame's instruction lies in."""
        return max(self.loops_around(frame).items(), default=None)

    def loops_around(self, frame: PyFrame) -> dict[int, int]:
        """Return {first: last} byte of all loops that a frame's instruction lies in.

        The first test of a `while` lies in its loop too: the byte is before the first one then.
        """
        at = self.running_byte_offset(frame)
        if at is None:
            return {}
        calls = self.sites.calls_of(frame.code)
        # `continue` jumps to the same first byte: the last of those ends the loop.
        return {
            first: last
            for first, last in sorted(calls.loops)
            if calls.first_tests.get((first, last), first) <= at <= last
        }

    def line_at_byte(self, frame: PyFrame, at: int) -> int | None:
        """Return the line of a byte of a frame's code."""
        return self._codes.line_at_offset(self._codes.code_at(frame.code), at)

    def calls_ahead(
        self, frame: PyFrame, depth: int = 0, running: int = 0
    ) -> Iterator[tuple[int, str]]:
        """Yield (object, method) of the calls that a frame has yet to make, or makes once more.

        Objects that cannot be told are left out. What Python functions call in their turn is
        followed for `depth` calls, but not the code `running`, whose call has been made.
        """
        starts = self._calls_made_at_times(frame, (AHEAD, AGAIN), depth)
        for receiver, call in self._follow_calls(
            starts, 0 if self.is_running_in_loop(frame) else running
        ):
            if receiver and call.path:
                yield receiver, call.path[-1]

    def names_called_before(self, frame: PyFrame, whens: tuple[str, ...], depth: int) -> set[str]:
        """Return the names of what a frame has called, in an earlier turn or line, or may have.

        `whens` are MADE and AGAIN: outside and inside of the loops that run.
        """
        return set[str]().union(
            *(names for _, names in self.names_by_call_before(frame, whens, depth))
        )

    def names_by_call_before(
        self, frame: PyFrame, whens: tuple[str, ...], depth: int
    ) -> Iterator[tuple[MethodCall, set[str]]]:
        """Yield the same by the frame's own calls, each with the name of what it calls."""
        left = MAX_CALLS
        for start in self._calls_made_at_times(frame, whens, depth):
            followed = [call.name for _, call in islice(self._follow_calls([start]), left)]
            left -= len(followed)
            yield start[0], set(followed)

    def bytes_yet_to_run(self, frame: PyFrame) -> tuple[tuple[int, int], ...]:
        """Return the (first, last) bytes of a frame's code that have yet to run, or run again."""
        if frame.hole is not None or not frame.code:
            return ()
        at, info = self._frames.read(frame.address).lasti, self._codes.code_at(frame.code)
        line = [instruction.at for instruction in self.sites.instructions(frame.code)
                if self._codes.line_at_offset(info, instruction.at) == frame.lineno]  # fmt: skip
        return (*self.loops_around(frame).items(), *((each, each) for each in line), (at, MAX_CODE))

    def globals_of(self, frame: PyFrame) -> int:
        """Return the dict of a frame's globals."""
        return self._frames.read(frame.address).globals

    def _calls_made_at_times(
        self, frame: PyFrame, whens: tuple[str, ...], depth: int
    ) -> list[tuple[MethodCall, dict[str, int], int, int]]:
        """Return the calls of a frame's code that are made at such times, for _follow_calls()."""
        if frame.hole is not None or not frame.code:
            return []
        variables, scope = dict(self._view.variable_addresses(frame)), self.globals_of(frame)
        timed = self._timed_calls(frame)
        return [(call, variables, scope, depth) for call, when in timed if when in whens]

    def names_called(self, function: int, depth: int = 0, subject: int = 0) -> Iterator[str]:
        """Yield the names of what a function, or a bound method, calls or may call.

        `subject` is what the function is a method of, if of anything.
        """
        kind = self._view.type_name(function)
        if kind == "method":
            subject = self._reader.field(function, "PyMethodObject", "im_self")
            function = self._reader.field(function, "PyMethodObject", "im_func")
        elif kind != "function":
            return
        body = self.as_called_function(function, subject)
        calls = self.sites.calls_of(body.code).made_and_possible_calls()
        for _, call in self._follow_calls([(c, body.names, body.scope, depth) for c in calls]):
            yield call.name

    def _follow_calls(
        self, left: list[tuple[MethodCall, dict[str, int], int, int]], but: int = 0
    ) -> Iterator[tuple[int, MethodCall]]:
        """Yield (receiver, call) of calls, and of what they call; 0 for one that is not known."""
        for _ in range(MAX_CALLS):
            if not left:
                return
            call, names, scope, further = left.pop()
            receiver = self.receiver_of_call(call, names, scope)
            yield receiver, call
            method = call.path[-1] if call.path else ""
            body = self._function_run_by_call(receiver, method) if further and receiver else None
            if further and not method and self._view.type_name(receiver) == "type":
                made = self.class_attribute(receiver, "__init__")
                if made and self._view.type_name(made) == "function":
                    body = self.as_called_function(made, 0)
            if body is not None and body.code != but:
                inner = self.sites.calls_of(body.code)
                left += [
                    (call, body.names, body.scope, further - 1)
                    for call in inner.made_and_possible_calls()
                ]

    def calls_with_times(self, frame: PyFrame) -> Iterator[tuple[int, str, str]]:
        """Yield (object, method, AHEAD, AGAIN or MADE) of the calls in a frame's code, in order.

        Those of the running line are ahead: `b.set(a.get())` loads `b.set` before it calls
        `a.get()`. Those before it in a loop that runs are made again.
        """
        if frame.hole is not None or not frame.code:
            return
        variables, scope = dict(self._view.variable_addresses(frame)), self.globals_of(frame)
        for call, when in self._timed_calls(frame):
            receiver = self.receiver_of_call(call, variables, scope)
            if receiver and call.path:
                yield receiver, call.path[-1], when

    def _timed_calls(self, frame: PyFrame) -> Iterator[tuple[MethodCall, str]]:
        """Yield the calls in a frame's code, and when each is made."""
        at, info = self._frames.read(frame.address).lasti, self._codes.code_at(frame.code)
        code = self.sites.calls_of(frame.code)
        loops = [(first, last) for first, last in code.loops if first <= at <= last]
        for call in code.made_and_possible_calls():
            when = AGAIN if any(first <= call.at <= last for first, last in loops) else MADE
            if call.at > at or self._codes.line_at_offset(info, call.at) == frame.lineno:
                when = AHEAD
            yield call, when

    def _locks_acquired_by_thread(
        self, tid: int, frames: tuple[PyFrame, ...]
    ) -> Iterator[tuple[AcquiredLock, int]]:
        inner = 0
        for number, frame in enumerate(frames):
            if frame.hole is not None or not frame.code:
                continue
            try:
                raw = self._frames.read(frame.address)
                effects = self._lock_effects_before_call(raw, frame, inner, innermost=number == 0)
            except (UnreadableMemory, LayoutError, IndexError):
                continue
            finally:
                inner = frame.code
            last = {effect.lock: effect for effect in effects if effect.succeeded is not False}
            taken = {lock: effect for lock, effect in last.items() if effect.takes}
            failed = {effect.lock for effect in effects if effect.succeeded is False}
            self._failed |= {(tid, lock) for lock in failed - taken.keys()}
            for lock, effect in taken.items():
                line = self._codes.line_at_offset(self._codes.code_at(frame.code), effect.at)
                failed_perhaps = effect.succeeded is None
                yield AcquiredLock(tid, frame, line, failed_perhaps, effect.places), lock

    def _lock_effects_before_call(
        self, raw: RawFrame, frame: PyFrame, inner: int, *, innermost: bool
    ) -> list[_LockEffect]:
        """Return what a frame did to locks before the call that it is in."""
        variables = dict(self._view.variable_addresses(frame))
        effects = list(self._lock_effects_of_code(frame.code, variables, raw.globals, raw.lasti, 0))
        # A running call is the last one: it has not returned, so what it does is not done yet. Else
        # other code runs after it: `with` of another lock.
        if effects and (innermost and not effects[-1].code):
            made = self.sites.argument_counts_of_call(frame.code, effects[-1].at)
            returned = made is not None and 0 < made[1] <= (raw.lasti or 0)
            return effects[:-1] if effects[-1].takes and not returned else effects
        while effects and inner and effects[-1].code == inner:
            effects.pop()
        return effects

    def _lock_effects_of_code(
        self, code: int, variables: dict[str, int], scope: int, end: int | None, depth: int
    ) -> Iterator[_LockEffect]:
        """Yield what code does to locks, up to the byte `end`."""
        count = 0
        for call in self.sites.calls_of(code).calls:
            if end is not None and call.at > end:
                return
            for effect in self._lock_effects_of_call(code, call, variables, scope, end, depth):
                count += 1
                if count > MAX_EFFECTS:
                    return
                yield effect

    def _lock_effects_of_call(
        self, code: int, call: MethodCall, variables: dict[str, int], scope: int,
        running: int | None, depth: int,
    ) -> Iterator[_LockEffect]:  # fmt: skip
        receiver = self.receiver_of_call(call, variables, scope)
        if not receiver:
            return
        method = call.path[-1] if call.path else ""
        if method in TAKES or method in GIVES:
            lock = self._view.lock_of_context_manager(receiver)
            made = self.sites.argument_counts_of_call(code, call.at) if method in TAKES else (0, 0)
            if lock is not None and made is not None:
                arguments, end = made
                succeeded: bool | None = not arguments or None
                if arguments and end and running is not None:
                    succeeded = self.sites.outcome_of_call(
                        code,
                        call.at,
                        end,
                        running,
                        partial(self._bool_value_of_variable, variables, scope),
                    )
                places = tuple(self._places_on_way(call, variables, scope))
                yield _LockEffect(call.at, lock, method in TAKES, 0, succeeded, places)
            if lock is not None:
                return  # Thread(target=lock.acquire) takes nothing here
        if depth >= MAX_DEPTH:
            return
        body = self._function_run_by_call(receiver, method)
        if body is None:
            return
        inner = self._lock_effects_of_code(body.code, body.names, body.scope, None, depth + 1)
        effects = {effect.lock: effect for effect in inner}
        if effects and call.path and self.sites.argument_counts_of_call(code, call.at) is None:
            return  # Thread(target=self.take)
        for effect in effects.values():
            yield effect._replace(at=call.at, code=body.code)

    def _function_run_by_call(self, receiver: int, method: str) -> CalledFunction | None:
        """Return what a call runs; None where that is no Python function that is known."""
        function = self._python_function_called(receiver, method)
        return self.as_called_function(function, receiver if method else 0) if function else None

    def as_called_function(self, function: int, subject: int) -> CalledFunction:
        """Return what a function runs; `subject` is what it is a method of, if of anything."""
        code = self._reader.field(function, "PyFunctionObject", "func_code")
        names = self.sites.name_tables(code).variables
        bound = {names[0]: subject} if names and subject else {}
        bound.update(self._closure_variables(function, code))
        return CalledFunction(
            code, bound, self._reader.field(function, "PyFunctionObject", "func_globals")
        )

    def _bool_value_of_variable(
        self, variables: dict[str, int], scope: int, name: str
    ) -> bool | None:
        """Return the value of a variable that is a bool; None for any other."""
        address = self.receiver_of_call(MethodCall(0, ("name", name), ()), variables, scope)
        if self._view.type_name(address) != "bool":
            return None
        number = self._view.objects.integer(address)
        return None if isinstance(number, Absent) else bool(number)

    def _closure_variables(self, function: int, code: int) -> dict[str, int]:
        """Return the variables of outer functions that a function uses, by name."""
        contents = ContainerReader(self._reader).closure_values(function, MAX_CLOSURE)
        if not contents:
            return {}
        names = read_name_tuple(self._reader, code, "co_freevars")
        names = names or read_name_tuple(self._reader, code, "co_localsplusnames")[-len(contents) :]
        return dict(zip(names, contents, strict=False))

    def receiver_of_call(self, call: MethodCall, variables: dict[str, int], scope: int) -> int:
        """Return the object whose method is called, or the function itself; 0 when unknown."""
        kind, name = call.root
        address = variables.get(name, 0)
        if not address and (kind == "global" or name not in variables) and scope:
            value = self._view.objects.dict_get(scope, name)
            address = 0 if isinstance(value, Absent) else value
        for attribute in call.path[:-1]:
            if not address or address & 7:
                return 0
            address = self.attribute(address, attribute)
        return 0 if address & 7 else address

    def _places_on_way(
        self, call: MethodCall, variables: dict[str, int], scope: int
    ) -> Iterator[NamedPlace]:
        """Yield the global and the attributes that lead to the object whose method is called."""
        name = call.root[1]
        if name not in variables:
            yield NamedPlace(scope, name)
        for length, attribute in enumerate(call.path[:-1], 1):
            owner = self.receiver_of_call(call._replace(path=call.path[:length]), variables, scope)
            yield NamedPlace(self._replaced_locks.owner_address(owner), attribute)

    def attribute(self, address: int, name: str) -> int:
        """Return what an object, its class or a module has under a name; 0 for nothing."""
        if self._view.type_name(address) == "module":
            value = self._view.objects.dict_get(
                self._reader.field(address, "PyModuleObject", "md_dict"), name
            )
            return 0 if isinstance(value, Absent) else value
        attribute = self._view.attribute(address, name)
        return self.type_attribute(address, name) if attribute is None else attribute

    def type_attribute(self, address: int, name: str) -> int:
        """Return what the type of an object has under a name; 0 for nothing."""
        return self.class_attribute(self._reader.type_of(address), name)

    def type_of(self, address: int) -> TypeInfo:
        """Return the type of an object."""
        return self._types.type_at(self._reader.type_of(address))

    def class_attribute(self, kind: int, name: str) -> int:
        """Return what a class has under a name; 0 for nothing."""
        owner_and_value = self._types.lookup(self._types.type_at(kind), name)
        return owner_and_value[1] if owner_and_value is not None else 0

    def _python_function_called(self, receiver: int, method: str) -> int:
        """Return the Python function of a method, or of a plain call; 0 for anything else."""
        if not method:
            return receiver if self._view.type_name(receiver) == "function" else 0
        if self._view.type_name(receiver) in ("module", "type", ""):
            return 0
        function = self.type_attribute(receiver, method)
        return function if function and self._view.type_name(function) == "function" else 0

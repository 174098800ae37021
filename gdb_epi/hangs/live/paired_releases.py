# SPDX-License-Identifier: Apache-2.0
"""Releases paired with an acquire before them: they free nobody who waits for the same.

A pool in a queue, a semaphore and a lock that is taken by hand have code that gives them back: of
later requests too. That code takes first, by the very call in which others wait already, and waits
there as well. Where what was lent is lost, by an exception between the two, nobody goes on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property

from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.hangs.live.effects import CodeEffects, CodeToRun, is_byte_in_ranges
from gdb_epi.hangs.live.live_code import LiveCode
from gdb_epi.locks.python.call_sites import MethodCall
from gdb_epi.util import default_when_unreadable, memoized

MAX_GIVING = 100  # functions that give, or call one that does
MAX_CHAIN = 8  # frames of who waits
_PERMITS = ("semaphore", "lock")
_ENTERED_BY = {"__exit__": "__enter__", "__aexit__": "__aenter__"}


class PairedReleases:
    """Tell which releases follow an acquire of their own, as those of who waits here do."""

    def __init__(
        self, live: LiveCode, stack: Sequence[PyFrame], frames: Sequence[PyFrame], address: int,
        gives: Collection[str], entered: Collection[int],
    ) -> None:  # fmt: skip
        """`frames` are the program's own of a stack.

        `entered` are the objects whose `with` blocks any frames are in: they may be its end.
        """
        own = frames[0].address if frames else 0
        place = next((n for n, frame in enumerate(stack) if frame.address == own), 0)
        self._method = stack[place - 1].name if place else ""  # the library's, which waits
        self._live, self._address, self._gives, self._entered = live, address, gives, entered
        self._within: dict[int, int] = {}  # by code: the byte of the call that takes
        self._taking: dict[int, int] = {}  # functions that return only when they have taken: `self`
        # What is read no more takes nothing.
        with suppress(UnreadableMemory, LayoutError, IndexError):
            self._read_frames(frames[:MAX_CHAIN])

    def _read_frames(self, frames: Sequence[PyFrame]) -> None:
        calls = self._live.calls
        for frame in frames:
            at = calls.running_byte_offset(frame)
            if frame.hole is not None or at is None or frame.code in self._within:
                break
            self._within[frame.code] = at
            before = self._bytes_reached_without(frame.code, at)
            if any(
                instruction.name.startswith("RETURN") and instruction.name != "RETURN_GENERATOR"
                for instruction in calls.sites.instructions(frame.code) if instruction.at in before
            ):  # fmt: skip
                break
            names = calls.sites.name_tables(frame.code).variables
            variables = dict(self._live.view.variable_addresses(frame))
            self._taking[frame.code] = variables.get(names[0], 0) if names else 0

    @property
    def is_own_block_entered(self) -> bool:
        """Whether it is a semaphore or lock whose own `with` block somebody is in."""
        kind = self._live.view.type_name(self._address) or ""
        return self._address in self._entered and kind.lower().endswith(_PERMITS)

    @default_when_unreadable(False)
    def does_acquire_precede_release(self, effects: CodeEffects) -> bool:
        """Tell whether all of some code that gives it has taken it before, in the same turn."""
        return not effects.unbounded and self._do_all_acquire_first(effects)

    def _do_all_acquire_first(self, effects: CodeEffects) -> bool:
        bodies, giving = effects.bodies, list[tuple[CodeToRun, list[MethodCall]]]()
        given_back = set[tuple[int, str]]()
        for body in bodies:
            given = list(self._release_calls(body))
            giving += [(body, [call for _, call in given])] if given else []
            given_back |= {(receiver, call.name) for receiver, call in given}
        if any(
            (at, name) not in given_back for at, name in effects.calls
            if (name in self._gives and at in (0, self._address))
            or (name == "*" and at == self._address)
        ):  # fmt: skip
            return False  # it is given in another way than by a call
        if self._is_released_at_block_exit(
            {body.code: max(c.at for c in places) for body, places in giving}
        ):
            return False
        todo = [body for body, places in giving if not self._acquires_before(body, places)]
        takes = len(todo) < len(giving)  # none may: of functions that call only one another
        met = set[tuple[int, int]]()
        while todo:
            body = todo.pop()
            name = self._live.name_of_code(body.code)
            if (body.code, self._self_of_method(body)) in met:
                continue
            met.add((body.code, self._self_of_method(body)))
            entered = _ENTERED_BY.get(name, "")
            if entered:
                if not self._does_block_acquire(body, entered):
                    return False
                takes = True
                continue
            unnamed = name.startswith("__")  # called without its name
            if (
                unnamed
                or body.is_frame
                or body.code in self._codes_of_kept_functions
                or len(met) > MAX_GIVING
            ):
                return False
            calling = [
                (each, places) for each in bodies
                if each.code != body.code and (places := list(self._calls_by_name(each, name)))
            ]  # fmt: skip
            if not calling:
                return False  # whoever calls it is not known
            passing = [each for each, places in calling if not self._acquires_before(each, places)]
            takes |= len(passing) < len(calling)
            todo += passing
        return takes

    def _is_released_at_block_exit(self, giving: Mapping[int, int]) -> bool:
        """Tell whether it is in a `with` block, or a generator rests, that is to give it back.

        `giving` has the last byte of each code that does.
        """
        if self.is_own_block_entered:
            return True
        calls = self._live.calls
        for manager in self._entered:
            exits = filter(None, (calls.type_attribute(manager, name) for name in _ENTERED_BY))
            functions = (f for f in exits if self._live.view.type_name(f) == "function")
            if any(calls.as_called_function(function, 0).code in giving for function in functions):
                return True
        for frame in self._live.suspended_frames:
            last, at = giving.get(frame.code, -1), calls.running_byte_offset(frame)
            if at is not None and at < last and at != self._within.get(frame.code):
                return True
        return False

    @cached_property
    def _codes_of_kept_functions(self) -> set[int]:
        return {function.code for function, _ in self._live.functions_kept_to_be_called}

    def _release_calls(self, body: CodeToRun) -> Iterator[tuple[int, MethodCall]]:
        """Yield the calls by which code gives it, and of what: 0 where that is not known."""
        calls, seen = self._live.calls, set[int]()
        for call in calls.sites.calls_of(body.code).made_and_possible_calls():
            seen.add(call.at)
            if call.path and call.name in self._gives and is_byte_in_ranges(body.live, call.at):
                receiver = calls.receiver_of_call(call, body.names, body.scope)
                if receiver in (0, self._address):
                    yield receiver, call
        for at, does, name in calls.sites.names_used_by_instructions(body.code):
            gives = does in ("attr", "method") and name in self._gives
            if gives and at not in seen and is_byte_in_ranges(body.live, at):
                yield 0, MethodCall(at, ("", ""), (name,))

    def _calls_by_name(self, body: CodeToRun, name: str) -> Iterator[MethodCall]:
        """Yield where code calls what has a name, also of an object that came out of another."""
        sites, seen = self._live.calls.sites, set[int]()
        for call in sites.calls_of(body.code).made_and_possible_calls():
            seen.add(call.at)
            if call.name == name and is_byte_in_ranges(body.live, call.at):
                yield call
        for at, does, used in sites.names_used_by_instructions(body.code):
            loads = does in ("attr", "method") and used == name
            if loads and at not in seen and is_byte_in_ranges(body.live, at):
                yield MethodCall(at, ("", ""), (name,))

    def _acquires_before(self, body: CodeToRun, places: Sequence[MethodCall]) -> bool:
        """Tell whether code has taken it before it comes to any of some calls."""
        if not places:
            return True
        if body.is_frame:
            return False  # it may have taken it already
        taking = [self._within[body.code]] if body.code in self._within else []
        return all(
            any(
                at < place.at and place.at not in self._bytes_reached_without(body.code, at)
                for at in (*taking, *self._acquire_calls(body, place))
            )
            for place in places
        )

    def _acquire_calls(self, body: CodeToRun, giving: MethodCall) -> Iterator[int]:
        """Yield where code takes it, or from the same attribute as it gives to."""
        calls = self._live.calls
        to = (giving.root, giving.path[:-1]) if giving.path[1:] else None
        for call in calls.sites.calls_of(body.code).made_and_possible_calls():
            receiver = calls.receiver_of_call(call, body.names, body.scope)
            same = receiver == self._address or (call.root, call.path[:-1]) == to
            if (
                same
                and call.path
                and call.name == self._method
                and self._is_without_arguments(body.code, call.at)
            ):
                yield call.at
                continue
            function = calls.attribute(receiver, call.name) if receiver and call.path else receiver
            if not function or self._live.view.type_name(function) != "function":
                continue
            code = calls.as_called_function(function, 0).code
            if code in self._taking and self._taking[code] in (0, receiver):
                yield call.at

    def _is_without_arguments(self, code: int, at: int) -> bool:
        """Tell whether a method is called just so: no timeout ends that wait."""
        loads = ("fast", "cell", "global", "name", "attr", "method", "nothing")
        code_after = (x for x in self._live.calls.sites.instructions(code) if x.at >= at)
        following = next((each for each in code_after if each.operation not in loads), None)
        return following is not None and following.operation == "call" and not following.argument

    def _does_block_acquire(self, body: CodeToRun, name: str) -> bool:
        """Tell whether the method that a `with` block begins with takes what its end gives back."""
        calls, subject = self._live.calls, self._self_of_method(body)
        function = calls.type_attribute(subject, name) if subject else 0
        if not function or self._live.view.type_name(function) != "function":
            return False
        code = calls.as_called_function(function, 0).code
        return code in self._taking and self._taking[code] == subject

    def _self_of_method(self, body: CodeToRun) -> int:
        names = self._live.calls.sites.name_tables(body.code).variables
        return body.names.get(names[0], 0) if names else 0

    @memoized
    def _bytes_reached_without(self, code: int, at: int) -> frozenset[int]:
        """Return the bytes that code may come to, by exceptions too, and not by way of a byte.

        Raises UnreadableMemory, LayoutError.
        """
        sites, guarded = (
            self._live.calls.sites,
            self._live.guarded_ranges_of_handlers(code, "SETUP_"),
        )
        steps = {instruction.at: instruction for instruction in sites.instructions(code)}
        reached, todo = set[int](), [min(steps, default=0)]
        while todo:
            place = todo.pop()
            step = steps.get(place)
            if step is None or place in reached:
                continue
            to = sites.jump_target(step)
            last = step.end
            if step.name == "SEND":  # of an `await`: all of it is one step
                to = sites.opcodes.jump_target(step.name, step.argument, step.end)
                last = to or last
            if place <= at < last:
                continue
            reached.add(place)
            todo += [target for start, end, target in guarded if start <= place < end]
            todo += ([step.end] if step.goes_on else []) + ([to] if to is not None else [])
        return frozenset(reached)

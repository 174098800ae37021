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

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from functools import cached_property

from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import Absent, EpiError, LayoutError, UnreadableMemory
from gdb_epi.hangs.live.effects import ANYTHING, CodeEffects, is_byte_in_ranges
from gdb_epi.hangs.live.loop_callbacks import find_loop_callbacks
from gdb_epi.hangs.live.name_walk import ENTERS, CodeWalkByNames
from gdb_epi.hangs.live.program_code import ProgramCode
from gdb_epi.hangs.live.value_flow import CodeCannotBeFollowed
from gdb_epi.hangs.live.value_walk import CodeWalkByValues
from gdb_epi.hangs.live.values import UNKNOWN_ARGUMENTS, HeapValues
from gdb_epi.util import default_when_unreadable, memoized

_STORES_ITEM = ("STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE")
MAX_RUNS_OF_ALL = 2_000  # of code by its values; then its names alone are followed
_VARARGS = 4  # CO_VARARGS
_BY_CALLS_ALONE = frozenset(("threading", "queue", "collections", "types"))


class LiveCode(ProgramCode):
    """The functions of one process, and what code that can still run may do with them."""

    @default_when_unreadable(ANYTHING)
    def effects_of_frames(self, *stacks: Sequence[PyFrame], in_loop: bool = False) -> CodeEffects:
        """Return what the rest of the code of stacks may do; `in_loop`: as long as it goes round.

        At the end of a `with` block the generator of its context manager goes on.
        """
        generators = [[f] for frames in stacks for f in self._frames_of_block_generators(frames)]
        if self._runs < MAX_RUNS_OF_ALL:
            walk = CodeWalkByValues(self, self._heap_values)
            with suppress(CodeCannotBeFollowed, UnreadableMemory, LayoutError, IndexError):
                for frames in (*stacks, *generators):
                    walk.add_stack(frames, in_loop=in_loop)
                try:
                    effects = walk.effects()
                finally:
                    self._runs += walk.runs
                if walk.does_anything:
                    return ANYTHING
                if not effects.unbounded:
                    return effects
        return CodeWalkByNames(self, *stacks, *generators, in_loop=in_loop).effects()

    _runs = 0  # that values were followed in, for all threads and tasks

    @cached_property
    def _heap_values(self) -> HeapValues:
        return HeapValues(self.view, self.calls)

    def _frames_of_block_generators(self, frames: Sequence[PyFrame]) -> Iterator[PyFrame]:
        """Yield where the generators rest whose `with` blocks some frames are in."""
        for _, manager in self.view.slots.entered_with_blocks(frames):
            frame = self.view.frame_of_manager(manager)
            if frame is not None:
                yield frame

    def effects_of_possible_handlers(self) -> Iterator[tuple[str, CodeEffects]]:
        """Yield (name, what it may do) of the functions that may be handlers of signals.

        Somebody keeps such a function, and it takes a number and a frame.
        """
        reader = self._reader
        with suppress(UnreadableMemory, LayoutError, IndexError):
            running = self.view.running_code()
            for function, subject in self.functions_kept_to_be_called:
                wanted = 2 + (subject != 0)
                takes, flags = (
                    reader.field32(function.code, "PyCodeObject", name)
                    for name in ("co_argcount", "co_flags")
                )
                fits = takes == wanted or (takes < wanted and flags & _VARARGS)
                if fits and function.code not in running:
                    walk = CodeWalkByNames(self)
                    walk.add_function(function.address, subject)
                    yield self.name_of_code(function.code), walk.effects()

    @default_when_unreadable(ANYTHING)
    def effects_of_callable(self, value: int, *, surely: bool = False) -> CodeEffects:
        """Return what a function or method may do when called; `surely`: what its code names."""
        return CodeWalkByNames(self, called=(value,), surely=surely).effects()

    @cached_property
    @default_when_unreadable(ANYTHING)
    def effects_of_kept_functions(self) -> CodeEffects:
        """What any function may do that somebody keeps, to call it later."""
        return CodeWalkByNames(self, calls_back=True).effects()

    @memoized
    def effects_of_unnamed_calls(self, awaited: frozenset[int]) -> CodeEffects:
        """What code may do that runs though no code of the program calls it by its name.

        Libraries, C code and the interpreter call what somebody keeps, methods whose names stand in
        no code of the program, and the rest of a generator's block when that is dropped, but for
        the `awaited` frames of tasks. What cannot be followed counts not.
        """
        walk = CodeWalkByValues(self, self._heap_values)
        running = self.view.running_code()
        with suppress(EpiError, CodeCannotBeFollowed, IndexError):
            walk.calls.call_kept_functions()
            for function in self.functions_named_in_no_code:
                if function.code not in running:
                    walk.calls.call_function(function.address, None, UNKNOWN_ARGUMENTS)
            for frame in (
                suspended_frame
                for suspended_frame in self.suspended_frames
                if suspended_frame.address not in awaited
            ):
                walk.add_stack((frame,), in_loop=False)
            walk.effects()
            for context in list(walk.store.contexts):  # __reduce__() returns what is called then
                walk.hand_to_unseen_code(walk.store.values.get(("return", context.number)))
            walk.effects()
        return CodeEffects(frozenset(walk.called), ())

    @cached_property
    def effects_of_loop_callbacks(self) -> CodeEffects:
        """What event loops of asyncio may call; all that somebody keeps where that is not known."""
        try:
            own = {
                each.address: each.code for named in self.own_functions.values() for each in named
            }
            called = find_loop_callbacks(self.view, self.calls.sites, self.own_modules, own)
            if called is None:
                return self.effects_of_kept_functions
            overriding = (
                overriding_function.address for overriding_function in self.overriding_functions
            )
            return CodeWalkByNames(self, called=(*called, *overriding)).effects()
        except (EpiError, IndexError):
            return self.effects_of_kept_functions

    def may_store_to(self, effects: CodeEffects, names: Collection[str]) -> bool:
        """Tell whether code may store to, or change the items of, some names or their cells."""
        return effects.unbounded or any(
            is_byte_in_ranges(body.live, at)
            for body in effects.bodies
            for at in (
                *self._changes_of(body.code, names),
                *self.offsets_storing_cells(body.code, names),
            )
        )

    def may_store_items(self, effects: CodeEffects) -> bool:
        """Tell whether code may store an item of any container, or delete one."""
        return effects.unbounded or any(
            instruction.name in _STORES_ITEM and is_byte_in_ranges(body.live, instruction.at)
            for body in effects.bodies
            for instruction in self.calls.sites.instructions(body.code)
        )

    def offsets_storing_cells(self, code: int, names: Collection[str]) -> Iterator[int]:
        """Yield the bytes where code stores a variable, in a cell, of one of some names."""
        cells = self.calls.sites.name_tables(code).cells
        for instruction in self.calls.sites.instructions(code):
            stores = instruction.name == "STORE_DEREF" and instruction.argument < len(cells)
            if stores and cells[instruction.argument] in names:
                yield instruction.at

    def does_code_enter_with_block(self, code: int, place: range) -> bool:
        """Tell whether any instruction of a piece of code begins a `with` block."""
        code_of_place = (x for x in self.calls.sites.instructions(code) if x.at in place)
        return any(each.name in ENTERS for each in code_of_place)

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
        if not info.is_python_class or info.module in _BY_CALLS_ALONE:
            return False
        interpreter = self.view.python.interpreters[0].address
        scope = self.view.objects.module_dict(interpreter, info.module)
        return not isinstance(scope, Absent) and self.module_of_globals(scope).is_library

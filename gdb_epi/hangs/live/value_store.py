# SPDX-License-Identifier: Apache-2.0
"""What variables, attributes, containers and results may be while code is followed by its values.

What is read is remembered with its reader, which runs again when more is stored there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gdb_epi.cpython.types import PyFrame
from gdb_epi.hangs.live.program_code import ProgramCode
from gdb_epi.hangs.live.values import (
    NOTHING,
    Arguments,
    Atom,
    HeapValues,
    KnownObject,
    Value,
    union_of_values,
)
from gdb_epi.typing_lite import NamedTuple, Protocol


class FramePosition(NamedTuple):
    """Where a frame stands: its running byte, and what lies on its stack."""

    at: int
    again: bool  # the running instruction lies in a loop
    stack: Value


class CallContext:
    """A run of code: with what, and where its variables are kept."""

    def __init__(
        self, number: int, code: int, scope: int, live: tuple[tuple[int, int], ...],
        parent: CallContext | None = None, frame: FramePosition | None = None,
    ) -> None:  # fmt: skip
        self.number, self.code, self.scope, self.live = number, code, scope, live
        self.parent, self.frame = parent, frame
        self.free: frozenset[str] = frozenset()  # variables of the parent
        self.shown = live  # as others count it: with all of the running line


class ValueStore:
    """The runs of code of one walk, and the values that they leave for one another."""

    def __init__(self) -> None:
        self.values: dict[object, Value] = {}
        self.contexts: list[CallContext] = []
        self.todo: list[CallContext] = []
        self.reading: CallContext | None = None
        self._queued: set[int] = set()
        self._readers: dict[object, set[int]] = {}

    def read(self, key: object) -> Value:
        """Return what is kept under a key; what runs now depends on it."""
        if self.reading is not None:
            self._readers.setdefault(key, set()).add(self.reading.number)
        return self.values.get(key, NOTHING)

    def write(self, key: object, value: Value) -> None:
        """Add possibilities; who has read the key before runs again."""
        old = self.values.get(key, NOTHING)
        joined = union_of_values(old, value)
        if joined != old or key not in self.values:
            self.values[key] = joined
            for number in self._readers.get(key, ()):
                self._queue_context(self.contexts[number])

    def make_context(
        self, code: int, scope: int, live: tuple[tuple[int, int], ...], parent: CallContext | None,
        frame: FramePosition | None,
    ) -> CallContext:  # fmt: skip
        """Return a new run of code, which is to be followed."""
        context = CallContext(len(self.contexts), code, scope, live, parent, frame)
        self.contexts.append(context)
        self._queue_context(context)
        return context

    def _queue_context(self, context: CallContext) -> None:
        if context.number not in self._queued:
            self._queued.add(context.number)
            self.todo.append(context)

    def next_context(self) -> CallContext:
        """Take a run that is to be followed."""
        context = self.todo.pop()
        self._queued.discard(context.number)
        return context


class CallFollower(Protocol):
    """What values need of calls: calls_by_values.py says what each of these does."""

    def call(self, context: CallContext | None, called: Value, given: Arguments) -> Value: ...
    def call_function(self, address: int, subject: Atom | None, given: Arguments) -> Value: ...
    def call_method_of_any_instance(self, kind: int, function: int, given: Arguments) -> None: ...
    def call_kept_functions(self) -> None: ...


class CodeWalk(Protocol):
    """What the parts of a walk need of the whole: value_walk.py says what each of these does."""

    code: ProgramCode
    heap: HeapValues
    store: ValueStore
    surely: bool
    called: set[tuple[int, str]]
    touched: set[int]
    unbounded: bool
    does_anything: bool

    @property
    def calls(self) -> CallFollower: ...
    def add_stack(self, frames: Sequence[PyFrame], *, in_loop: bool) -> None: ...
    def enter_with_block(
        self, context: CallContext | None, manager: Value, *, later: bool
    ) -> Value: ...
    def hand_to_unseen_code(self, value: Value) -> None: ...
    def hand_object_to_unseen_code(self, atom: KnownObject) -> None: ...
    def hand_held_objects_to_unseen_code(self, address: int) -> None: ...
    def share_with_other_threads(self, value: Value) -> None: ...
    def run_library_code(self, name: str, held: Iterable[int]) -> None: ...
    def call_stream_writers(self) -> None: ...

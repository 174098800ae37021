# SPDX-License-Identifier: Apache-2.0
"""Frames, lock objects, their holders and their names: Python as the lock families need it.

Everything is read on first use. A name is a module's global or an attribute of one. Only references
that were walked to count: a str that happens to lie before the pointer in memory (a local variable
on the data stack) is no name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import islice
from struct import unpack

from gdb_epi.cpython.frames.frame_slots import FrameSlots, FrameSlotWords
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.cpython.runtime.gil import Gil, read_gil
from gdb_epi.cpython.types import PyFrame, PythonState
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.fault.signals import MAX_SIGNAL
from gdb_epi.locks.python.lock_objects import LockObject, LockObjects
from gdb_epi.locks.types import VanishedThread, VanishedThreads, function_and_line
from gdb_epi.sizes import WORD
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple
from gdb_epi.util import memoized

if TYPE_CHECKING:
    from gdb_epi.cpython.values.variables import FrameVariables

MAX_FRAMES = 256  # of one thread, innermost first, that are searched for `with` blocks
MAX_OBJECTS = 256  # objects looked at to find the one that a thread waits for
MAX_NESTED_MANAGERS = 8  # generators that are managers, of one frame
MAX_STACKED = 256  # managers that one ExitStack has entered
GENERATOR_MANAGER = "_GeneratorContextManager"
ANY_GENERATOR_MANAGER = "GeneratorContextManager"  # also that of `async with`
EXIT_STACK = "ExitStack"
MAX_HOPS = 3  # cell -> bound method -> object -> attribute
MAX_REFERRING = 4  # frames named as weak evidence
MAX_REFERRING_FRAMES = 1_000  # checked for them, over all threads
NEAR_FRAMES = 4
_COPY = "multiprocess"  # of Lib/multiprocessing, with dill as its pickle: pathos and others use it
FRAMES_FOR_OBJECT = 4  # innermost frames whose slots may refer to the lock
MAX_TEXT = 256  # characters of a name or of an attribute's text
MAX_MODULES = 48  # whose globals name objects
MAX_NAMED = 20_000  # globals and attributes looked at in all, to name objects
# Objects whose attributes would lead away from the frame.
_CLOSED = frozenset(
    ("module", "type", "function", "dict", "str", "int", "tuple", "list", "bytes", "code", "frame")
)
# Globals that neither are a lock nor hold one.
_UNNAMED = _CLOSED - {"frame"} | frozenset(
    ("builtin_function_or_method", "float", "NoneType", "bool", "set", "frozenset", "method",
     "cell")
)  # fmt: skip
# The one pointer through which an object of these types leads on: struct and member.
_POINTERS = {
    "builtin_function_or_method": ("PyCFunctionObject", "m_self"),
    "builtin_method": ("PyCFunctionObject", "m_self"),
    "method": ("PyMethodObject", "im_self"),
    "cell": ("PyCellObject", "ob_ref"),
    "_io.TextIOWrapper": ("textio", "buffer"),
}


class WithBlock(NamedTuple):
    """A frame inside a `with` block: the thread, the frame, the manager and the lock behind it."""

    tid: int | None
    ident: int | None
    thread_name: str | None
    vanished: bool
    frame: PyFrame
    manager: int
    lock: int

    def where(self) -> str:
        """Return "function (file:line)"."""
        return function_and_line(self.frame)


def _with_original_module(frame: PyFrame) -> PyFrame:
    """Return a frame with the module whose copy it runs: multiprocess is one of multiprocessing."""
    package, dot, rest = (frame.module or "").partition(".")
    return frame._replace(module=f"multiprocessing.{rest}") if dot and package == _COPY else frame


class PythonView:
    """The Python side of one process."""

    def __init__(self, target: Target, python: PythonState, vanished: VanishedThreads) -> None:
        self.target = target
        self.python = python
        self.vanished = vanished
        self.reader = MemoryReader(target, python.layout)
        self.objects = NamespaceReader(self.reader)
        self.locks = LockObjects(self.reader)
        self.type_name = self.locks.type_name
        self.slots = FrameSlots(self.reader)
        self.problems: dict[str, str] = {}
        self._frames: dict[int, tuple[PyFrame, ...]] = {}
        # One thread runs in several interpreters where it calls from one into another: the other
        # was made later, and its frames are the inner ones (PEP 734).
        for thread in sorted(python.threads(), key=lambda thread: -thread.interpreter):
            if thread.alive and thread.tid is not None and thread.frames:
                outer = self._frames.get(thread.tid, ())
                self._frames[thread.tid] = outer + tuple(map(_with_original_module, thread.frames))
        self.thread_names = {t.tid: t.name for t in python.threads() if t.alive and t.tid}

    def frames(self, tid: int) -> tuple[PyFrame, ...]:
        """Return the Python frames of a living thread, innermost first."""
        return self._frames.get(tid, ())

    def all_frames(self) -> dict[int, tuple[PyFrame, ...]]:
        """Return the Python frames of every living thread by its id."""
        return self._frames

    def running_code(self) -> set[int]:
        """Return the code (PyCodeObject *) of all frames of all living threads."""
        return {frame.code for frames in self._frames.values() for frame in frames}

    def has_earlier_thread_ended(self, tid: int) -> bool:
        """Tell whether a thread that started before a living one has ended; True if unreadable.

        Each interpreter numbers its thread states from 1 on (Python/pystate.c, 3.8 to 3.15).
        """
        states = self.python.threads()
        inside = next((t.interpreter for t in states if t.alive and t.tid == tid), None)
        try:
            numbers = {
                t.tid: self.reader.field(t.address, "PyThreadState", "id")
                for t in states if t.interpreter == inside
            }  # fmt: skip
        except (UnreadableMemory, LayoutError):
            return True
        own = numbers.get(tid, 0)
        return not own or sum(number < own for number in numbers.values()) < own - 1

    @memoized
    def gil(self, interpreter: int) -> Gil | None:
        """Return the GIL of an interpreter (PyInterpreterState *); None when it is unreadable."""
        with suppress(UnreadableMemory, LayoutError):
            return read_gil(self.reader, self.python.runtime, interpreter)
        return None

    # -- the object that a thread waits for -------------------------------------------------------

    def awaited_lock_object(self, tid: int, address: int) -> tuple[LockObject, str] | None:
        """Return the lock object whose word a thread waits for, and how its frame refers to it."""
        seen: set[int] = set()
        for frame in self.frames(tid)[:FRAMES_FOR_OBJECT]:
            for word, path in self._reachable_from_frame(frame, seen):
                lock = self.locks.lock_at(word) if self.locks.is_lock(word) else None
                if lock is not None and lock.start <= address < lock.end:
                    return lock, path
        return None

    def _reachable_from_frame(self, frame: PyFrame, seen: set[int]) -> Iterator[tuple[int, str]]:
        """Yield (object, how it was reached) from the slots of a frame, nearest first."""
        slots = self._frame_slot_words(frame, report=True)
        words = [] if slots is None else [*reversed(slots.stack), *slots.variables]
        level = [(word, f"a slot of {frame.qualname or frame.name}") for word in words]
        level += self._standard_streams
        for _ in range(MAX_HOPS):
            following: list[tuple[int, str]] = []
            for word, path in level:
                if not word or word & (WORD - 1) or word in seen or len(seen) > MAX_OBJECTS:
                    continue
                seen.add(word)
                yield word, path
                following += self._objects_reached_from(word, path)
            level = following

    def _frame_slot_words(self, frame: PyFrame, *, report: bool = False) -> FrameSlotWords | None:
        if frame.hole is not None or not frame.code:
            return None
        try:
            return self.slots.words_of_frame(frame)
        except (UnreadableMemory, LayoutError) as error:
            if report:
                self.problems["frames"] = f"slots of {frame.name}: {error}"
            return None

    @cached_property
    def _standard_streams(self) -> list[tuple[int, str]]:
        """print() and the like reach the standard streams without a slot of a frame."""
        streams: list[tuple[int, str]] = []
        for interpreter in self.python.interpreters[:1]:
            contents = self.objects.module_dict(interpreter.address, "sys")
            if isinstance(contents, Absent):
                continue
            for name in ("stdout", "stderr", "stdin"):
                stream = self.objects.dict_get(contents, name)
                if not isinstance(stream, Absent):
                    streams.append((stream, f"sys.{name}"))
        return streams

    def _objects_reached_from(self, word: int, path: str) -> list[tuple[int, str]]:
        """Return what one object leads to."""
        kind = self.type_name(word)
        try:
            if kind in _POINTERS:
                at = self.reader.layout.offset(*_POINTERS[kind])
                return [] if at is None else [(self.reader.u64(word + at), path)]
            if not kind or kind in _CLOSED:
                return []
            return [(v, f"{path}, {kind}.{n}") for n, v in self.attributes(word)]
        except (UnreadableMemory, LayoutError):
            return []

    # -- attributes and variables -----------------------------------------------------------------

    def attributes(self, word: int) -> Iterator[tuple[str, int]]:
        """Yield (name, PyObject *) of an instance's attributes; an unreadable part ends it."""
        try:
            for count, (key, value) in enumerate(self.objects.attributes(word)):
                if count >= MAX_OBJECTS:
                    return
                name = self.reader.string(key, MAX_TEXT)
                if not isinstance(name, Absent):
                    yield name, value
        except (UnreadableMemory, LayoutError):
            return

    def attribute(self, word: int | None, *names: str) -> int | None:
        """Return what an instance leads to by attributes (PyObject *), None where one is not there.

        Nothing, which has no attributes, is an object that was not found.
        """
        for name in names:
            pairs = self.attributes(word) if word else ()
            word = next((value for key, value in pairs if key == name), None)
        return word

    def float_value(self, address: int) -> float:
        """Return the value of a float (PyObject *).

        Raises UnreadableMemory and LayoutError. Reference: Include/cpython/floatobject.h.
        """
        at = address + self.reader.layout.require("PyFloatObject", "ob_fval")
        value: float = unpack("<d", self.reader.read(at, 8))[0]
        return value

    def integer_attribute(self, word: int | None, name: str) -> int | None:
        """Return an attribute that is a small int."""
        value = self.attribute(word, name)
        if value is None or self.type_name(value) != "int":
            return None
        number = self.objects.integer(value)
        return None if isinstance(number, Absent) else number

    def text_attribute(self, word: int | None, name: str) -> str | None:
        """Return an attribute that is a str."""
        value = self.attribute(word, name)
        if value is None or self.type_name(value) != "str":
            return None
        text = self.reader.string(value, MAX_TEXT)
        return None if isinstance(text, Absent) else text

    def attribute_name(self, tid: int, lock: int) -> str | None:
        """Return "Class.attribute" when a variable of the innermost frames has a lock as one."""
        for frame in self.frames(tid)[:FRAMES_FOR_OBJECT]:
            for word in self._variables_worth_a_look(frame):
                in_cell = (
                    self._objects_reached_from(word, "") if self.type_name(word) == "cell" else []
                )
                for owner in [inner for inner, _ in in_cell] or [word]:
                    for name, value in self.attributes(owner):
                        if value == lock:
                            return f"{self.type_name(owner)}.{name}"
        return None

    def variable(self, frame: PyFrame | None, name: str) -> int | None:
        """Return a local variable (PyObject *) by its name; None where no frame was found."""
        if frame is None or frame.hole is not None:
            return None
        try:
            return next(
                (v for n, v in self.frame_variables_reader.variable_addresses(frame) if n == name),
                None,
            )
        except (UnreadableMemory, LayoutError):
            return None

    def variable_addresses(self, frame: PyFrame) -> list[tuple[str, int]]:
        """Return (name, PyObject *) of the bound variables of a frame."""
        try:
            return (
                []
                if frame.hole is not None
                else list(self.frame_variables_reader.variable_addresses(frame))
            )
        except (UnreadableMemory, LayoutError):
            return []

    def handled_signal(self, frame: PyFrame) -> int | None:
        """Return the signal whose Python handler a frame runs; None for others.

        A handler is called with the number and the interrupted frame (Modules/signalmodule.c,
        _PyErr_CheckSignalsTstate).
        """
        number: int | Absent | None = None
        for _, address in self.variable_addresses(frame):
            kind = self.type_name(address)
            if kind == "frame" and isinstance(number, int) and 0 < number <= MAX_SIGNAL:
                return number
            number = self.objects.integer(address) if kind == "int" else None
        return None

    def has_global(self, frame: PyFrame, name: str) -> bool:
        """Tell whether the module of a frame's code has a global of that name."""
        try:
            return frame.hole is None and any(
                name == key for key, _ in self.frame_variables_reader.global_addresses(frame)
            )
        except (UnreadableMemory, LayoutError):
            return False

    @cached_property
    def frame_variables_reader(self) -> FrameVariables:
        """The variables of frames."""
        # Imported only where a frame of threading waits.
        from gdb_epi.cpython.values.process_values import ProcessValues
        from gdb_epi.cpython.values.variables import FrameVariables

        interpreters = self.python.interpreter_addresses()
        return FrameVariables(ProcessValues(self.target, self.reader, interpreters))

    def _variables_worth_a_look(self, frame: PyFrame) -> list[int]:
        """Return the variables of a frame whose attributes are worth a look."""
        slots = self._frame_slot_words(frame)
        return [
            word
            for word in (slots.variables if slots is not None else ())
            if word and not word & (WORD - 1) and self.type_name(word) not in _CLOSED
        ]

    # -- holders ----------------------------------------------------------------------------------

    def with_blocks_of_lock(self, lock: int) -> Sequence[WithBlock]:
        """Return the frames inside a `with` block of a lock, living threads first."""
        return self._lock_blocks_by_lock.get(lock, ())

    def all_lock_blocks(self) -> Iterator[WithBlock]:
        """Yield every `with` block of every thread whose manager is a lock or has one."""
        for blocks in self._lock_blocks_by_lock.values():
            yield from blocks

    @cached_property
    def _lock_blocks_by_lock(self) -> dict[int, list[WithBlock]]:
        """The blocks of all threads by their lock."""
        idents = {thread.tid: thread.ident for thread in self.target.threads() if thread.ident}
        by_lock: dict[int, list[WithBlock]] = {}
        for tid, frames in self._frames.items():
            for block in self._lock_blocks_of_stack(
                frames, tid, idents.get(tid), self.thread_names.get(tid)
            ):
                by_lock.setdefault(block.lock, []).append(block)
        for gone in self.vanished.threads:
            for block in self.lock_blocks_of_vanished(gone):
                by_lock.setdefault(block.lock, []).append(block)
        return by_lock

    def lock_blocks_of_vanished(self, gone: VanishedThread) -> Iterator[WithBlock]:
        """Yield the lock blocks that a vanished thread was in."""
        return self._lock_blocks_of_stack(
            gone.frames, gone.tid, gone.ident, gone.name, vanished=True
        )

    def _lock_blocks_of_stack(
        self,
        frames: Sequence[PyFrame],
        tid: int | None,
        ident: int | None,
        name: str | None,
        *,
        vanished: bool = False,
    ) -> Iterator[WithBlock]:
        """Yield the blocks of a thread's stack; what Condition.wait() gave up is left out."""
        given_up: set[int] = set()
        for frame in frames[:MAX_FRAMES]:
            if frame.name == "wait" and frame.module == "threading":
                condition = self.variable(frame, "self")
                lock = self.lock_of_context_manager(condition) if condition else None
                if lock is not None:
                    given_up.add(lock)
            for inner, manager in self.entered_managers(frame):
                lock = self.lock_of_context_manager(manager)
                if lock is not None and lock not in given_up:
                    yield WithBlock(tid, ident, name, vanished, inner, manager, lock)

    def suspended_holder(self, lock: int, generators: Iterable[int]) -> tuple[int, PyFrame] | None:
        """Return the first of some generators that rests inside `with` of a lock, and its frame."""
        for generator in generators:
            with suppress(UnreadableMemory, LayoutError, IndexError):
                frame = self.slots.frame_of_suspended_generator(generator)
                blocks = self.entered_managers(frame) if frame is not None else ()
                if frame is not None and any(
                    self.lock_of_context_manager(m) == lock for _, m in blocks
                ):
                    return generator, frame
        return None

    def frame_of_manager(self, manager: int) -> PyFrame | None:
        """Return where a generator rests that is a context manager; None for other managers.

        Raises UnreadableMemory, LayoutError.
        """
        of_generator = self.type_name(manager).endswith(ANY_GENERATOR_MANAGER)
        generator = self.attribute(manager, "gen") if of_generator else None
        return self.slots.frame_of_suspended_generator(generator) if generator else None

    def entered_managers(self, frame: PyFrame) -> Iterator[tuple[PyFrame, int]]:
        """Yield (frame, manager) of a frame's blocks, and of what those managers have entered.

        `@contextmanager` keeps a suspended generator, which has the block; an ExitStack has a
        deque of what is to be left.
        """
        left = [frame]
        for _ in range(MAX_NESTED_MANAGERS):
            if not left:
                return
            inner = left.pop()
            try:
                for manager in [
                    m
                    for held in self.slots.context_managers(inner)
                    for m in self._with_managers_entered(held)
                ]:
                    yield inner, manager
                    if self.type_name(manager).endswith(GENERATOR_MANAGER):
                        below = self.frame_of_manager(manager)
                        left += [below] if below is not None else []
            except (UnreadableMemory, LayoutError) as error:
                self.problems["blocks"] = f"with blocks of {inner.name}: {error}"

    def _with_managers_entered(self, manager: int) -> Iterator[int]:
        """Yield a manager, and those that it has entered where it is an ExitStack.

        enter_context() keeps (True, bound __exit__) (Lib/contextlib.py, _push_exit_callback).
        """
        yield manager
        if not self.type_name(manager).endswith(EXIT_STACK):
            return
        entered = self.attribute(manager, "_exit_callbacks")
        if entered is None or self.type_name(entered) != "collections.deque":
            return
        containers = ContainerReader(self.reader)
        im_self = self.reader.layout.require("PyMethodObject", "im_self")
        for pair in islice(containers.deque_items(entered), MAX_STACKED):
            is_exit = self.type_name(pair) == "tuple"
            for callback in containers.tuple_items(pair)[1:2] if is_exit else ():
                if self.type_name(callback) == "method":
                    yield self.reader.u64(callback + im_self)

    def lock_of_context_manager(self, manager: int) -> int | None:
        """Return the lock that a context manager stands for: itself, or its `_lock`."""
        if self.locks.is_lock(manager):
            return manager
        inner = self.attribute(manager, "_lock")
        return inner if inner is not None and self.locks.is_lock(inner) else None

    def describe_referring_frames(self, lock: int, but: int) -> list[str]:
        """Name frames of other living threads with a variable, or attribute of one, that is it."""
        frames = [(tid, frame) for tid, frame in self._frames_by_object.get(lock, ()) if tid != but]
        return [f"{f.qualname or f.name} of thread {tid}" for tid, f in frames[:MAX_REFERRING]]

    @cached_property
    def _frames_by_object(self) -> dict[int, list[tuple[int, PyFrame]]]:
        """(thread, frame) by the objects that its variables are or have as attributes."""
        by_object: dict[int, list[tuple[int, PyFrame]]] = {}
        frames = [(tid, f) for tid, stack in self._frames.items() for f in stack[:NEAR_FRAMES]]
        for tid, frame in frames[:MAX_REFERRING_FRAMES]:
            slots = self._frame_slot_words(frame)
            words = [] if slots is None else list(slots.variables)
            for word in self._variables_worth_a_look(frame):
                words += [value for _, value in self.attributes(word) if self.locks.is_lock(value)]
            for word in dict.fromkeys(words):
                by_object.setdefault(word, []).append((tid, frame))
        return by_object

    # -- names ------------------------------------------------------------------------------------

    def name_of_object(self, address: int) -> str | None:
        """Return where an object lives: a module's global or an attribute of one."""
        return self._names_by_object.get(address)

    @cached_property
    def _names_by_object(self) -> dict[int, str]:
        """Names of objects, of the modules that threads run in and of logging."""
        modules = [f.module for frames in self._frames.values() for f in frames if f.module]
        named_globals: list[tuple[int, str]] = []
        left = MAX_NAMED
        for module in list(dict.fromkeys(("__main__", *modules, "logging")))[:MAX_MODULES]:
            left -= self._add_names_of_globals(module, named_globals)
        names: dict[int, str] = {}
        for address, path in named_globals:
            names.setdefault(address, path)
        for address, path in named_globals:
            for attribute, value in self.attributes(address):
                names.setdefault(value, f"{path}.{attribute}")
                left -= 1
            if left <= 0:
                break
        return names

    def _add_names_of_globals(self, module: str, names: list[tuple[int, str]]) -> int:
        """Append (object, name) of a module's globals; return how many were looked at."""
        count = 0
        with suppress(UnreadableMemory, LayoutError):
            for interpreter in self.python.interpreters[:1]:
                contents = self.objects.module_dict(interpreter.address, module)
                if isinstance(contents, Absent):
                    continue
                for key, value in self.objects.dict_items(contents):
                    count += 1
                    if self.type_name(value) in _UNNAMED:
                        continue
                    name = self.reader.string(key, MAX_TEXT)
                    if not isinstance(name, Absent):
                        names.append((value, f"{module}.{name}"))
        return count

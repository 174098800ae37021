# SPDX-License-Identifier: Apache-2.0
"""The Python side of one process, as the lock families need it; everything on first use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdb_epi.cpython.objects.object_reader import ObjectReader
from gdb_epi.cpython.reader import Reader
from gdb_epi.cpython.types import PyFrame, PythonState
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.locks.python.frame_slots import FrameSlots
from gdb_epi.locks.python.lock_objects import PyLock, PyLocks
from gdb_epi.locks.types import Vanished
from gdb_epi.locks.waits.object_names import Names
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gdb_epi.cpython.values.variables import FrameVariables

MAX_FRAMES = 256  # of one thread, innermost first, that are searched for `with` blocks
MAX_OBJECTS = 256  # objects looked at to find the one that a thread waits for
MAX_NESTED_MANAGERS = 8  # generators that are managers, of one frame
GENERATOR_MANAGER = "_GeneratorContextManager"
MAX_HOPS = 3  # cell -> bound method -> object -> attribute
MAX_REFERRING = 4  # frames named as weak evidence
MAX_REFERRING_FRAMES = 1_000  # looked at for them, of all threads
NEAR_FRAMES = 4
FRAMES_FOR_OBJECT = 4  # innermost frames whose slots may refer to the lock
# Objects whose attributes would lead away from the frame.
_CLOSED = frozenset(
    ("module", "type", "function", "dict", "str", "int", "tuple", "list", "bytes", "code", "frame")
)


class Block(NamedTuple):
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
        frame = self.frame
        file = frame.filename.rpartition("/")[2]
        return f"{frame.qualname or frame.name} ({file}:{frame.lineno or '?'})"


class LockWorld:
    """Frames, lock objects, holders and names of one process."""

    def __init__(self, target: Target, python: PythonState, vanished: Vanished) -> None:
        self.target = target
        self.python = python
        self.vanished = vanished
        self.reader = Reader(target, python.layout)
        self.objects = ObjectReader(self.reader)
        self.locks = PyLocks(self.reader)
        self.slots = FrameSlots(self.reader)
        self.problems: dict[str, str] = {}
        self.by_base = {
            t.registers["fs_base"]: t.tid for t in target.threads() if "fs_base" in t.registers
        }
        self._frames: dict[int, tuple[PyFrame, ...]] = {}
        for thread in python.threads():
            if thread.alive and thread.tid is not None and thread.frames:
                self._frames.setdefault(thread.tid, thread.frames)
        self.thread_names = {t.tid: t.name for t in python.threads() if t.alive and t.tid}
        self._blocks: dict[int, list[Block]] | None = None
        self._names: Names | None = None
        self._referring: dict[int, list[tuple[int, PyFrame]]] | None = None
        self._streams: list[tuple[int, str]] | None = None
        self._variables: FrameVariables | None = None

    def frames(self, tid: int) -> tuple[PyFrame, ...]:
        """Return the Python frames of a living thread, innermost first."""
        return self._frames.get(tid, ())

    # -- the object that a thread waits for -------------------------------------------------------

    def waiting_object(self, tid: int, address: int) -> tuple[PyLock, str] | None:
        """Return the lock object whose word a thread waits for, and how its frame refers to it."""
        seen: set[int] = set()
        for frame in self.frames(tid)[:FRAMES_FOR_OBJECT]:
            for word, path in self._reach(frame, seen):
                lock = self.locks.at(word) if self.locks.is_lock(word) else None
                if lock is not None and lock.start <= address < lock.end:
                    return lock, path
        return None

    def _reach(self, frame: PyFrame, seen: set[int]) -> Iterator[tuple[int, str]]:
        """Yield (object, how it was reached) from the slots of a frame, nearest first."""
        name = frame.qualname or frame.name
        level = [(word, f"a slot of {name}") for word in self._words(frame)]
        level += self._standard_streams()
        for _ in range(MAX_HOPS):
            following: list[tuple[int, str]] = []
            for word, path in level:
                if not word or word & 7 or word in seen or len(seen) > MAX_OBJECTS:
                    continue
                seen.add(word)
                yield word, path
                following += self._beyond(word, path)
            level = following

    def _words(self, frame: PyFrame) -> list[int]:
        if frame.hole is not None or not frame.code:
            return []
        try:
            slots = self.slots.of(frame)
        except (UnreadableMemory, LayoutError) as error:
            self.problems["frames"] = f"slots of {frame.name}: {error}"
            return []
        return [*reversed(slots.stack), *slots.variables]

    def _beyond(self, word: int, path: str) -> list[tuple[int, str]]:
        """Return what one object leads to."""
        kind = self.locks.type_name(word)
        struct = {
            "builtin_function_or_method": ("PyCFunctionObject", "m_self"),
            "builtin_method": ("PyCFunctionObject", "m_self"),
            "method": ("PyMethodObject", "im_self"),
            "cell": ("PyCellObject", "ob_ref"),
            "_io.TextIOWrapper": ("textio", "buffer"),
        }.get(kind)
        try:
            if struct is not None:
                at = self.reader.layout.offset(*struct)
                return [] if at is None else [(self.reader.u64(word + at), path)]
            if not kind or kind in _CLOSED:
                return []
            return [(v, f"{path}, {kind}.{n}") for n, v in self.attributes(word)]
        except (UnreadableMemory, LayoutError):
            return []

    def attributes(self, word: int) -> Iterator[tuple[str, int]]:
        """Yield (name, PyObject *) of an instance's attributes; an unreadable part ends it."""
        try:
            for count, (key, value) in enumerate(self.objects.attributes(word)):
                if count >= MAX_OBJECTS:
                    return
                name = self.reader.string(key, 256)
                if not isinstance(name, Absent):
                    yield name, value
        except (UnreadableMemory, LayoutError):
            return

    def attribute(self, word: int, name: str) -> int | None:
        """Return one attribute (PyObject *) of an instance, None when there is none."""
        return next((value for key, value in self.attributes(word) if key == name), None)

    def attribute_name(self, tid: int, lock: int) -> str | None:
        """Return "Class.attribute" when a variable of the innermost frames has a lock as one."""
        for frame in self.frames(tid)[:FRAMES_FOR_OBJECT]:
            for word in self._variables_alone(frame):
                found = next((name for name, value in self.attributes(word) if value == lock), None)
                if found is not None:
                    return f"{self.locks.type_name(word)}.{found}"
        return None

    def integer_attribute(self, word: int, name: str) -> int | None:
        """Return an attribute that is a small int."""
        value = self.attribute(word, name)
        if value is None or self.locks.type_name(value) != "int":
            return None
        found = self.objects.integer(value)
        return None if isinstance(found, Absent) else found

    def text_attribute(self, word: int, name: str) -> str | None:
        """Return an attribute that is a str."""
        value = self.attribute(word, name)
        if value is None or self.locks.type_name(value) != "str":
            return None
        found = self.reader.string(value, 256)
        return None if isinstance(found, Absent) else found

    def variable(self, frame: PyFrame, name: str) -> int | None:
        """Return a local variable (PyObject *) by its name."""
        from gdb_epi.cpython.values.process_values import (
            Values,  # only where a frame of threading waits
        )
        from gdb_epi.cpython.values.variables import FrameVariables

        if frame.hole is not None:
            return None
        try:
            if self._variables is None:
                self._variables = FrameVariables(Values(self.target, self.reader))
            return next((v for n, v in self._variables.addresses(frame) if n == name), None)
        except (UnreadableMemory, LayoutError):
            return None

    def _standard_streams(self) -> list[tuple[int, str]]:
        """print() and the like reach the standard streams without a slot of a frame."""
        if self._streams is not None:
            return self._streams
        found = self._streams = []
        for interpreter in self.python.interpreters[:1]:
            contents = self.objects.module_dict(interpreter.address, "sys")
            for name in () if isinstance(contents, Absent) else ("stdout", "stderr", "stdin"):
                stream = self.objects.dict_get(contents, name)  # type: ignore[arg-type]
                if not isinstance(stream, Absent):
                    found.append((stream, f"sys.{name}"))
        return found

    # -- holders ----------------------------------------------------------------------------------

    def holders(self, lock: int) -> Sequence[Block]:
        """Return the frames inside a `with` block of a lock, living threads first."""
        if self._blocks is None:
            self._blocks = {}
            for block in self._all_blocks():
                self._blocks.setdefault(block.lock, []).append(block)
        return self._blocks.get(lock, ())

    def blocks(self) -> Iterator[Block]:
        """Yield every `with` block of every thread whose manager is a lock or has one."""
        self.holders(0)
        for found in (self._blocks or {}).values():
            yield from found

    def _all_blocks(self) -> Iterator[Block]:
        idents = {tid: base for base, tid in self.by_base.items()}
        for tid, frames in self._frames.items():
            yield from self.blocks_of(
                frames, tid, idents.get(tid), self.thread_names.get(tid), False
            )
        for gone in self.vanished.threads:
            yield from self.blocks_of(gone.frames, gone.tid, gone.ident, gone.name, True)

    def blocks_of(
        self,
        frames: Sequence[PyFrame],
        tid: int | None,
        ident: int | None,
        name: str | None,
        vanished: bool,
    ) -> Iterator[Block]:
        """Yield the lock blocks of one stack; one that Condition.wait() gave up is left out."""
        given_up: set[int] = set()
        for frame in frames[:MAX_FRAMES]:
            if frame.name == "wait" and frame.module == "threading":
                condition = self.variable(frame, "self")
                lock = self.lock_of(condition) if condition else None
                if lock is not None:
                    given_up.add(lock)
            for inner, manager in self._managers(frame):
                lock = self.lock_of(manager)
                if lock is not None and lock not in given_up:
                    yield Block(tid, ident, name, vanished, inner, manager, lock)

    def _managers(self, frame: PyFrame) -> Iterator[tuple[PyFrame, int]]:
        """Yield (frame, manager) of a frame's blocks, and of generators that are managers.

        `@contextmanager` keeps a suspended generator, which has the block.
        """
        left = [frame]
        for _ in range(MAX_NESTED_MANAGERS):
            if not left:
                return
            inner = left.pop()
            try:
                managers = self.slots.managers(inner)
                for manager in managers:
                    yield inner, manager
                    if self.locks.type_name(manager).endswith(GENERATOR_MANAGER):
                        generator = self.attribute(manager, "gen")
                        below = self.slots.suspended(generator) if generator else None
                        left += [below] if below is not None else []
            except (UnreadableMemory, LayoutError) as error:
                self.problems["blocks"] = f"with blocks of {inner.name}: {error}"

    def lock_of(self, manager: int) -> int | None:
        """Return the lock that a context manager stands for: itself, or its `_lock`."""
        if self.locks.is_lock(manager):
            return manager
        inner = self.attribute(manager, "_lock")
        return inner if inner is not None and self.locks.is_lock(inner) else None

    def referring(self, lock: int, but: int) -> list[str]:
        """Name frames of other living threads with a variable, or attribute of one, that is it."""
        if self._referring is None:
            self._referring = {}
            frames = [(tid, f) for tid, all_ in self._frames.items() for f in all_[:NEAR_FRAMES]]
            for tid, frame in frames[:MAX_REFERRING_FRAMES]:
                for word in self._variables_of(frame):
                    self._referring.setdefault(word, []).append((tid, frame))
        found = [(tid, frame) for tid, frame in self._referring.get(lock, ()) if tid != but]
        return [f"{f.qualname or f.name} of thread {tid}" for tid, f in found[:MAX_REFERRING]]

    def _variables_of(self, frame: PyFrame) -> tuple[int, ...]:
        """Return a frame's variables and the locks that are attributes of them."""
        if frame.hole is not None or not frame.code:
            return ()
        try:
            found = list(self.slots.of(frame).variables)
        except (UnreadableMemory, LayoutError):
            return ()
        for word in self._variables_alone(frame):
            found += [value for _, value in self.attributes(word) if self.locks.is_lock(value)]
        return tuple(dict.fromkeys(found))

    def _variables_alone(self, frame: PyFrame) -> list[int]:
        """Return the variables of a frame whose attributes are worth a look."""
        if frame.hole is not None or not frame.code:
            return []
        try:
            words = self.slots.of(frame).variables
        except (UnreadableMemory, LayoutError):
            return []
        return [w for w in words if w and not w & 7 and self.locks.type_name(w) not in _CLOSED]

    # -- names ------------------------------------------------------------------------------------

    def name(self, address: int) -> str | None:
        """Return where an object lives: a module's global or an attribute of one."""
        if self._names is None:
            modules = [f.module for frames in self._frames.values() for f in frames if f.module]
            self._names = Names(self, modules)
        return self._names.of(address)

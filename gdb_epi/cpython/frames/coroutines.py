# SPDX-License-Identifier: Apache-2.0
"""Suspended coroutines: where one waits, what it awaits, and the chain of these.

A coroutine keeps its frame: up to 3.10 a frame object (gi_frame), since 3.11 inside itself
(gi_iframe). What it awaits is on top of the frame's value stack.
"""

from __future__ import annotations

from gdb_epi.cpython.frames.code_objects import CodeReader, locate_bytecode
from gdb_epi.cpython.frames.frame_chain import (
    RawFrame,
    frame_reader,
    make_python_frame,
    value_stack_start,
)
from gdb_epi.cpython.frames.opcodes import opcodes_of_version
from gdb_epi.cpython.frames.unlinked_frames import find_frame_objects, find_frame_type
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.cpython.objects.type_objects import TypeReader
from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import Absent, UnreadableMemory
from gdb_epi.typing_lite import NamedTuple

MAX_AWAITS = 1000  # coroutines that await each other
MAX_NAME = 4096
AWAIT = "await"  # PyFrame.provenance: found in a suspended coroutine

# Where in its life a coroutine is.
CREATED, SUSPENDED, RUNNING, DONE = "created", "suspended", "running", "done"

COROUTINES = ("coroutine", "generator", "async_generator")
# What awaiting an async generator, and `coroutine.__await__()`, leave between the two. The first
# field of each is what it drives (Objects/genobject.c, 3.8 to 3.15; anext() with a default: 3.10).
_BETWEEN = (
    "async_generator_asend",
    "async_generator_athrow",
    "anext_awaitable",
    "coroutine_wrapper",
)
# The argument of RESUME after `yield from` and after await (Lib/dis.py, 3.11 and later).
_RESUME_DELEGATING = (2, 3)
# 3.15 pushes one word (NULL or a tagged int) above the awaited object.
_TOP_WORDS = 3


class SuspendedChain(NamedTuple):
    """A chain of coroutines, innermost first. `awaits` is what the innermost one waits for.

    `broken` says why the chain ends before its innermost frame; "" when it does not.
    """

    state: str  # of the outermost coroutine; "" when it is unknown
    frames: tuple[PyFrame, ...]
    awaits: int = 0  # PyObject * or 0
    broken: str = ""


class CoroutineReader:
    """The coroutines and generators of one process."""

    def __init__(self, reader: MemoryReader, objects: NamespaceReader, types: TypeReader) -> None:
        layout = reader.layout
        self._reader = reader
        self._objects = objects
        self._types = types
        self.ident = (
            types.root_builtin_type_name
        )  # which of COROUTINES an object is, or another built-in type
        self._codes = CodeReader(reader)
        self._frames = frame_reader(reader, self._codes)
        self._iframe = layout.offset("PyGenObject", "gi_iframe")
        # After the object's head, as in every object that begins with a pointer.
        self._first_field = layout.require("PyMethodObject", "im_func")
        self._lost: dict[int, int] | None = None
        self._states = {
            layout.constant(f"FRAME_{name}"): state
            for name, state in (
                ("CREATED", CREATED),
                ("SUSPENDED", SUSPENDED),
                ("SUSPENDED_YIELD_FROM", SUSPENDED),
                ("SUSPENDED_YIELD_FROM_LOCKED", SUSPENDED),
                ("EXECUTING", RUNNING),
                ("COMPLETED", DONE),
                ("CLEARED", DONE),
            )
        }

    def qualname(self, address: int) -> str | Absent:
        """Return `__qualname__` of a coroutine or generator."""
        at = self._reader.layout.require("PyGenObject", "gi_qualname")
        try:
            return self._reader.string(self._reader.u64(address + at), MAX_NAME)
        except UnreadableMemory as error:
            return Absent("unreadable", str(error))

    def frame_address(self, address: int) -> int:
        """Return the frame of a coroutine; 0 when it has ended. Raises UnreadableMemory."""
        if self._iframe is not None:
            return address + self._iframe
        return self._reader.field(address, "PyGenObject", "gi_frame")

    def frame_of_lost_coroutine(self, address: int) -> int:
        """Return the frame object of a coroutine whose own memory is lost, up to 3.10; else 0."""
        if self._iframe is not None or not address or self._types.type_name_of(address):
            return 0
        return self.lost_coroutines().get(address, 0)

    def lost_coroutines(self) -> dict[int, int]:
        """Return the coroutines whose memory is lost, with the frame objects that name them.

        Up to 3.10 a suspended frame is an object of its own, and f_gen its coroutine. Empty since.
        """
        if self._lost is None:
            self._lost = {}
            kind = 0 if self._iframe is not None else find_frame_type(self._reader, ())
            for frame in find_frame_objects(self._reader, kind) if kind else ():
                owner = self._generator_of_frame(frame)
                if owner and not self._types.type_name_of(owner):
                    self._lost[owner] = frame
        return self._lost

    def kind_made_by_code(self, code: int) -> str:
        """Return which of COROUTINES calling a function of a code object makes; "" when none."""
        layout = self._reader.layout
        try:
            flags = self._reader.field32(code, "PyCodeObject", "co_flags")
        except UnreadableMemory:
            return ""
        for kind in COROUTINES:
            if flags & (layout.constant(f"CO_{kind.upper()}") or 0):
                return kind
        return ""

    def _generator_of_frame(self, frame: int) -> int:
        """Return f_gen of a frame object that is neither running nor damaged; 0 if it has none."""
        try:
            owner = self._reader.field(frame, "PyFrameObject", "f_gen")
            if not owner or self._state_before_311(owner, frame)[0] not in (CREATED, SUSPENDED):
                return 0
            read = self._frames.read(frame)
            # What lies on a stack may look like a frame object; code of a function tells it.
            return owner if not read.problem and self.kind_made_by_code(read.code) else 0
        except UnreadableMemory:
            return 0

    def suspended_chain(self, address: int) -> SuspendedChain:
        """Follow what coroutines await, from the outermost one on. Never raises for damage."""
        frames: list[PyFrame] = []
        seen: set[int] = set()
        first = ""
        try:
            while self.ident(address) in COROUTINES or self.frame_of_lost_coroutine(address):
                if address in seen or len(seen) >= MAX_AWAITS:
                    why = "comes twice" if address in seen else f"is beyond {MAX_AWAITS}"
                    return SuspendedChain(first, tuple(frames[::-1]), 0, f"{address:#x} {why}")
                seen.add(address)
                at = self.frame_of_lost_coroutine(address) or self.frame_address(address)
                state, awaiting = self._state_and_certainty(address, at)
                first = first or state
                if state == DONE:
                    address = 0
                    break
                raw = self._frames.read(at)
                frames.append(self._python_frame(raw))
                if raw.problem:
                    return SuspendedChain(first, tuple(frames[::-1]), 0, raw.problem)
                address = self._driven_coroutine(self._awaited_object(raw)) if awaiting else 0
        except UnreadableMemory as error:
            return SuspendedChain(first, tuple(frames[::-1]), 0, str(error))
        return SuspendedChain(first, tuple(frames[::-1]), address)

    def _driven_coroutine(self, address: int) -> int:
        """Return what an awaitable drives that stands between two coroutines, else itself."""
        for _ in range(len(_BETWEEN)):
            if not self._is_awaitable_wrapper(address):
                break
            inner = self._reader.u64(address + self._first_field)
            if not self.ident(inner):
                break
            address = inner
        return address

    def _is_awaitable_wrapper(self, address: int) -> bool:
        """Whether an object is one of _BETWEEN. Up to 3.9 their types were never made ready."""
        try:
            return self._reader.type_name(self._reader.type_of(address)) in _BETWEEN
        except UnreadableMemory:
            return False

    def state_and_frame(self, address: int) -> tuple[str, PyFrame | None]:
        """Return the state of a coroutine or generator and its frame, None when it has ended.

        Raises UnreadableMemory.
        """
        at = self.frame_address(address)
        state, _ = self._state_and_certainty(address, at)
        if state == DONE:
            return state, None
        return state, self.frame_at(at)

    def code_of_coroutine(self, address: int) -> int:
        """Return the code object of a coroutine, which is kept when it has ended.

        It was a field of its own up to 3.11; since then it is left in the frame. Raises
        UnreadableMemory.
        """
        layout, read = self._reader.layout, self._reader
        at = layout.offset("PyGenObject", "gi_code")
        if at is None:
            at = layout.require(
                "PyGenObject", "gi_iframe.f_executable", "gi_iframe.f_code", "gi_iframe"
            )
        return read.u64(address + at) & ~7

    def frame_at(self, address: int) -> PyFrame:
        """Return the frame at an address: a frame object up to 3.10, since then what it holds.

        Raises UnreadableMemory when it cannot be read.
        """
        raw = self._frames.read(address)
        if raw.problem:
            raise UnreadableMemory(address, 8, raw.problem)
        return self._python_frame(raw)

    def frame_with_callers(self, address: int) -> tuple[tuple[PyFrame, ...], str]:
        """Return a frame (as the frame reader knows it) with its callers, innermost first.

        The text says why the stack ends before its outermost frame; "" when it does not.
        """
        frames: list[PyFrame] = []
        seen: set[int] = set()
        try:
            while address:
                if address in seen or len(seen) >= MAX_AWAITS:
                    why = "comes twice" if address in seen else f"is beyond {MAX_AWAITS}"
                    return tuple(frames), f"{address:#x} {why}"
                seen.add(address)
                raw = self._frames.read(address)
                if not raw.internal:
                    frames.append(self._python_frame(raw))
                if raw.problem:
                    return tuple(frames), raw.problem
                address = raw.previous
        except UnreadableMemory as error:
            return tuple(frames), str(error)
        return tuple(frames), ""

    # -- one coroutine ------------------------------------------------------------------------

    def _state_and_certainty(self, address: int, frame: int) -> tuple[str, bool]:
        """Return where in its life a coroutine is, and whether it awaits something for sure.

        A coroutine can be suspended at an await only; a generator also at a plain yield, where
        the top of the stack means nothing. 3.13 (gh-109978) gave the former a state of its own.
        """
        layout = self._reader.layout
        at = layout.offset("PyGenObject", "gi_frame_state")
        if at is None:
            return self._state_before_311(address, frame)
        number = self._reader.u8(address + at)
        number -= 256 if number > 127 else 0
        state = self._states.get(number, "")
        if not state:
            raise UnreadableMemory(address + at, 1, f"gi_frame_state is {number}")
        delegates = [layout.constant("FRAME_SUSPENDED_YIELD_FROM" + end) for end in ("", "_LOCKED")]
        if delegates[0] is not None:
            return state, number in delegates
        return state, state == SUSPENDED and self._is_at_await(address, frame)

    def _is_at_await(self, address: int, frame: int) -> bool:
        """Tell whether a suspended object stands at an await or a `yield from`, up to 3.12.

        A coroutine can stand nowhere else. Of the others the next instruction tells: YIELD_FROM;
        in 3.11 and 3.12 (bpo-46841) the RESUME after each yield, which says after which kind.
        """
        if self.ident(address) == "coroutine":
            return True
        layout, read = self._reader.layout, self._reader
        raw = self._frames.read(frame)
        if raw.problem:
            return False
        start, _ = locate_bytecode(read, raw.code)
        if layout.offset("PyCodeObject", "co_code_adaptive") is not None:
            return read.u8(start + raw.lasti + 3) in _RESUME_DELEGATING
        opcodes = opcodes_of_version(layout.version)
        after = read.u8(start + raw.lasti + 2)
        return opcodes is not None and opcodes.names.get(after) == "YIELD_FROM"

    def _state_before_311(self, address: int, frame: int) -> tuple[str, bool]:
        """Up to 3.10: the frame object says it, by f_state (3.10) or by f_stacktop."""
        layout, read = self._reader.layout, self._reader
        if not frame:
            return DONE, False
        if read.field(frame, "PyFrameObject", "f_gen") != address:
            raise UnreadableMemory(frame, 8, "the frame does not name its coroutine")
        at = layout.offset("PyFrameObject", "f_state")
        if at is not None:
            number = read.u8(frame + at)
            number -= 256 if number > 127 else 0
            state = self._states.get(number, DONE)
        elif read.u8(frame + layout.require("PyFrameObject", "f_executing")):
            state = RUNNING
        elif not read.field(frame, "PyFrameObject", "f_stacktop"):
            state = DONE
        else:
            started = self._frames.read(frame).lasti >= 0
            state = SUSPENDED if started else CREATED
        return state, state == SUSPENDED and self._is_at_await(address, frame)

    def _awaited_object(self, raw: RawFrame) -> int:
        """Return the awaited object: the topmost word of the value stack that is an object."""
        base, top = self._value_stack_bounds(raw)
        if top & 7 or not base <= top <= base + 8 * (1 << 20):
            raise UnreadableMemory(top, 8, "the value stack of a suspended frame is damaged")
        for at in range(top - 8, max(base, top - 8 * _TOP_WORDS) - 8, -8):
            word = self._reader.u64(at)
            if word & 3 == 3 or word & ~3 == 0:  # a tagged int, NULL
                continue
            if self._has_tagged_pointers:
                word &= ~3
            if not self.frame_of_lost_coroutine(word) and not self._is_awaitable_wrapper(word):
                self._types.type_at(self._reader.type_of(word))  # raises when it is no object
            return word
        raise UnreadableMemory(top, 8, "no awaited object on the value stack")

    @property
    def _has_tagged_pointers(self) -> bool:
        # 3.14 (gh-117139): words of the value stack are _PyStackRef with two tag bits.
        return self._reader.layout.offset("_PyInterpreterFrame", "f_executable.bits") is not None

    def _value_stack_bounds(self, raw: RawFrame) -> tuple[int, int]:
        """Return where the value stack of a frame begins and ends."""
        layout, read = self._reader.layout, self._reader
        base = value_stack_start(read, raw.address, raw.code)
        if self._iframe is None:
            at = layout.offset("PyFrameObject", "f_stackdepth")  # 3.10 (bpo-42246)
            if at is not None:
                return base, base + 8 * read.u32(raw.address + at)
            return base, read.field(raw.address, "PyFrameObject", "f_stacktop")
        frame = "_PyInterpreterFrame"
        at = layout.offset(frame, "stackpointer")  # 3.14 (gh-118450)
        if at is not None:
            return base, read.u64(raw.address + at)
        slots = raw.address + layout.require(frame, "localsplus")
        return base, slots + 8 * read.field32(raw.address, frame, "stacktop")

    def _python_frame(self, raw: RawFrame) -> PyFrame:
        return make_python_frame(raw, self._codes, self._objects, AWAIT)

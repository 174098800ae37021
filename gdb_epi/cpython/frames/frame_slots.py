# SPDX-License-Identifier: Apache-2.0
"""What the slots of a Python frame refer to, and which `with` blocks the frame is inside of.

The value stack below the innermost handler of the running instruction is certainly in use: up to
3.10 the frame's block stack says how deep that is, since 3.11 (bpo-40222) the code's exception
table. A `with` block keeps its manager's `__exit__` there from the moment `__enter__` returned; a
thread that still waits for `__enter__` has pushed it already, but above that depth.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gdb_epi.cpython.frames.code_objects import CodeReader
from gdb_epi.cpython.frames.frame_chain import FrameObjectReader, InterpreterFrameReader
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.cpython.types import CHAIN, PyFrame
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.sizes import split_into_words
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import memoized

MAX_SLOTS = 1 << 12  # of one frame
MAX_BLOCKS = 20  # CO_MAXBLOCKS (Include/cpython/code.h)
MAX_TABLE = 1 << 20  # bytes of one exception table
_EXITS = ("__exit__", "__aexit__")

_AWAITING = 2  # slots that an await has: what is awaited, and what was sent to it


class FrameSlotWords(NamedTuple):
    """The object words of one frame: variables, and the value stack as far as it may be used.

    `deep` is how many words of `stack` are certainly in use.
    """

    variables: tuple[int, ...]
    stack: tuple[int, ...]
    deep: int


class ExceptionTableEntry(NamedTuple):
    """One range of an exception table in bytes of bytecode, its handler and the depth there."""

    start: int
    end: int
    depth: int
    target: int = 0
    pushes_byte: bool = False  # where the error was, under the exception


class FrameSlots:
    """Read the slots of the frames of one process."""

    def __init__(self, reader: MemoryReader) -> None:
        self.reader = reader
        layout = reader.layout
        codes = CodeReader(reader)
        self._modern = layout.offset("_PyInterpreterFrame", "previous") is not None
        self._frames: FrameObjectReader | InterpreterFrameReader
        if self._modern:
            self._frames = InterpreterFrameReader(reader, codes)
            self._slots_at = layout.require("_PyInterpreterFrame", "localsplus")
        else:
            self._frames = FrameObjectReader(reader, codes)
            self._slots_at = layout.require("PyFrameObject", "f_localsplus")
        # 3.14 (gh-117139): slots are _PyStackRef, whose two lowest bits are a tag.
        tagged = layout.offset("_PyInterpreterFrame", "f_executable.bits") is not None
        # 3.13 free-threaded already tags the value stack (Include/internal/pycore_stackref.h).
        self._tagged = tagged or layout.free_threaded
        self._exits: dict[int, bool] = {}

    def words_of_frame(self, frame: PyFrame) -> FrameSlotWords:
        """Return the slots of a frame. Raises UnreadableMemory, LayoutError."""
        variables, room = self._variable_count_and_stacksize(frame.code)
        start = frame.address + self._slots_at
        if not self._modern:
            # A frame object says where its value stack begins, and its own size.
            base = self.reader.field(frame.address, "PyFrameObject", "f_valuestack")
            variables = max(0, min((base - start) // 8, MAX_SLOTS))
        words = split_into_words(self.reader.read(start, 8 * (variables + room)))
        if self._tagged:
            words = [word & ~3 for word in words]
        deep = (
            self.stack_depth_kept_by_handler(frame.code, self._frames.read(frame.address).lasti)
            if self._modern
            else self._stack_depth_before_311(frame.address)
        )
        return FrameSlotWords(tuple(words[:variables]), tuple(words[variables:]), min(deep, room))

    def value_stack_in_call(self, frame: PyFrame) -> tuple[int, ...] | None:
        """Return the value stack of a frame that has called another one; None where it is not kept.

        What was called and its arguments are gone from it (3.11: the callee runs in the same
        eval loop). Raises UnreadableMemory, LayoutError.
        """
        layout, variables = self.reader.layout, self._variable_count_and_stacksize(frame.code)[0]
        top = layout.offset("_PyInterpreterFrame", "stacktop")
        pointer = layout.offset("_PyInterpreterFrame", "stackpointer")  # 3.14
        if top is not None:
            number = self.reader.u32(frame.address + top)
        elif pointer is not None:
            number = (
                self.reader.u64(frame.address + pointer) - frame.address - self._slots_at
            ) // 8
        else:
            return None
        words = self.words_of_frame(frame).stack
        return words[: number - variables] if 0 <= number - variables <= len(words) else None

    def context_managers(self, frame: PyFrame) -> list[int]:
        """Return the objects (PyObject *) whose `with` block the frame is in, outermost first.

        Raises UnreadableMemory, LayoutError.
        """
        return [manager for _, manager in self._managers_with_index(frame)]

    def entered_managers(self, frame: PyFrame, inward: PyFrame | None) -> list[int]:
        """Return the same managers, except one whose block the frame has not entered yet.

        `inward` is the frame that it calls or awaits. `async with` pushes __aexit__ before it
        awaits __aenter__: who waits there for a lock does not hold it. Since 3.12 (the handler
        is that of CLEANUP_THROW) the depth of the handler counts it, and the two slots of the
        await above it; before, only blocks that were entered. Raises UnreadableMemory, LayoutError.
        """
        placed = self._managers_with_index(frame)
        if placed and inward is not None and inward.name == "__aenter__":
            below_top = self.words_of_frame(frame).deep - placed[-1][0]
            if below_top > _AWAITING:
                placed.pop()
        return [manager for _, manager in placed]

    def entered_with_blocks(self, frames: Iterable[PyFrame]) -> Iterator[tuple[PyFrame, int]]:
        """Yield the frames of a stack that are inside of a `with` block, and its manager."""
        inward = None
        for frame in frames:
            try:
                managers = self.entered_managers(frame, inward)
            except (UnreadableMemory, LayoutError):
                managers = []
            yield from ((frame, manager) for manager in managers)
            inward = frame

    def _managers_with_index(self, frame: PyFrame) -> list[tuple[int, int]]:
        """Return (index on the value stack, manager) for each `with` block of a frame."""
        if frame.hole is not None or not frame.code:
            return []
        slots = self.words_of_frame(frame)
        placed = []
        for index, word in enumerate(slots.stack[: slots.deep]):
            # 3.14 (gh-120507) pushes the function and its self instead of a bound method.
            behind = slots.stack[index + 1] if index + 1 < slots.deep else 0
            manager = self._manager_of_exit_method(word, behind) if word and not word & 7 else None
            if manager:
                placed.append((index, manager))
        return placed

    def frame_of_suspended_generator(self, generator: int) -> PyFrame | None:
        """Return the frame of a generator object that does not run; None when it has ended.

        Raises UnreadableMemory, LayoutError. 3.11 (bpo-44590) put the frame into the generator.
        """
        layout, reader = self.reader.layout, self.reader
        inside = layout.offset("PyGenObject", "gi_iframe")
        at = generator + (inside or layout.require("PyGenObject", "gi_frame", "gi_iframe"))
        address = at if inside is not None else reader.u64(at)
        if not address:
            return None
        raw = self._frames.read(address)
        info = self._frames.codes.code_at(raw.code)
        if raw.problem or info.problem:
            return None
        line = self._frames.codes.line_at_offset(info, raw.lasti)
        return PyFrame(
            address=address,
            code=raw.code,
            name=info.name,
            qualname=info.qualname,
            filename=info.filename,
            lineno=line,
            module=None,
            owner="generator",
            provenance=CHAIN,
            is_entry=False,
        )

    # -- sizes and depths -----------------------------------------------------------------------

    @memoized
    def _variable_count_and_stacksize(self, code: int) -> tuple[int, int]:
        """Return (number of variables, co_stacksize) of a code object."""
        layout, read = self.reader.layout, self.reader.u32
        room = read(code + layout.require("PyCodeObject", "co_stacksize"))
        at = layout.offset("PyCodeObject", "co_nlocalsplus")
        variables = read(code + at) if at is not None else 0
        if max(room, variables) > MAX_SLOTS:
            raise UnreadableMemory(code, 8, f"a frame of {variables} + {room} slots")
        return (variables, room)

    def _stack_depth_before_311(self, frame: int) -> int:
        layout, reader = self.reader.layout, self.reader
        count = reader.field32(frame, "PyFrameObject", "f_iblock")
        if not 0 < count <= MAX_BLOCKS:
            return 0
        size = layout.size("PyTryBlock") or 0
        block = frame + layout.require("PyFrameObject", "f_blockstack") + (count - 1) * size
        return reader.field32(block, "PyTryBlock", "b_level")

    def stack_depth_kept_by_handler(self, code: int, at: int) -> int:
        """Return how much of the stack an error at a byte would leave (3.11); 0 for no handler."""
        entries = (each for each in self.exception_table(code) if each.start <= at < each.end)
        return next((entry.depth for entry in entries), 0)

    @memoized
    def exception_table(self, code: int) -> tuple[ExceptionTableEntry, ...]:
        """Return the table of handlers of a code object (3.11)."""
        raw = self.reader.bytes_object(
            self.reader.field(code, "PyCodeObject", "co_exceptiontable"), MAX_TABLE
        )
        return () if isinstance(raw, Absent) else tuple(parse_exception_table(raw))

    # -- managers -------------------------------------------------------------------------------

    def _manager_of_exit_method(self, word: int, behind: int) -> int | None:
        """Return the object of a bound `__exit__`, or of an unbound one with its self after it."""
        reader, layout = self.reader, self.reader.layout
        try:
            kind = reader.type_of(word)
            name = reader.type_name(kind)
            if name in ("builtin_function_or_method", "builtin_method"):  # latter: 3.9+ (PEP 573)
                manager = reader.field(word, "PyCFunctionObject", "m_self")
                if self._is_exit_method_def(
                    word, layout.require("PyCFunctionObject", "m_ml"), manager
                ):
                    return manager
            elif name == "method":
                function = reader.field(word, "PyMethodObject", "im_func")
                if self._is_function_exit(function):
                    return reader.field(word, "PyMethodObject", "im_self")
            elif not behind or behind & 7:
                return None
            elif name == "method_descriptor":
                if self._is_exit_method_def(
                    word, layout.require("PyMethodDescrObject", "d_method"), behind
                ):
                    return behind
            elif self._is_function_exit(word):
                return behind
        except UnreadableMemory:
            return None
        return None

    def _is_function_exit(self, function: int) -> bool:
        name = self.reader.type_name(self.reader.type_of(function))
        if name == "function":
            return self._is_python_exit(function)
        if isinstance(name, str) and name.endswith("cython_function_or_method"):
            # It begins with a PyCFunctionObject (Cython 3, Cython/Utility/CythonFunction.c).
            at = self.reader.layout.require("PyCFunctionObject", "m_ml")
            return self._is_exit_method_def(function, at)
        return False

    def _is_exit_method_def(self, holder: int, definition_at: int, manager: int = 0) -> bool:
        """Tell whether a PyMethodDef is that of `__exit__`, by its name or by the manager's class.

        The name lies in read-only data, which is in no core; the class's dict is in every core.
        """
        definition = self.reader.u64(holder + definition_at)
        if definition not in self._exits:
            name = self.reader.c_string(self.reader.field(definition, "PyMethodDef", "ml_name"), 32)
            self._exits[definition] = name in _EXITS or (
                isinstance(name, Absent) and definition in self._exit_methods_of(manager)
            )
        return self._exits[definition]

    def _exit_methods_of(self, manager: int) -> list[int]:
        """Return the PyMethodDef * of the exit methods in the dict of an object's class."""
        if not manager:
            return []
        reader = self.reader
        kind = reader.type_of(manager)
        contents = reader.field(kind, "PyTypeObject", "tp_dict")
        definitions = []
        for name in _EXITS if contents else ():
            method = NamespaceReader(reader).dict_get(contents, name)
            if isinstance(method, Absent) or not method:
                continue
            if reader.type_name(reader.type_of(method)) == "method_descriptor":
                definitions.append(reader.field(method, "PyMethodDescrObject", "d_method"))
        return definitions

    @memoized
    def _is_python_exit(self, function: int) -> bool:
        return self.reader.text_field(function, "PyFunctionObject", "func_name") in _EXITS


def parse_exception_table(raw: bytes) -> list[ExceptionTableEntry]:
    """Return the ranges of a co_exceptiontable; damage ends it.

    Each entry is four numbers of 6 bits a byte (start, size, target, depth << 1 | lasti), in code
    units of two bytes; bit 7 marks the first byte of an entry, bit 6 a byte that is followed by
    more. Reference: Objects/exception_handling_notes.txt (3.11+; InternalDocs since 3.13).
    """
    entries: list[ExceptionTableEntry] = []
    numbers: list[int] = []
    value = 0
    for byte in raw:
        value = value << 6 | byte & 63
        if byte & 64:
            if value >> 40:
                break
            continue
        numbers.append(value)
        value = 0
        if len(numbers) == 4:
            start, size, target, depth = numbers
            entries.append(
                ExceptionTableEntry(
                    2 * start, 2 * (start + size), depth >> 1, 2 * target, bool(depth & 1)
                )
            )
            numbers = []
    return entries

# SPDX-License-Identifier: Apache-2.0
"""The exception that a thread reports: nobody caught it, and it is printed, or a hook has it.

CPython takes it out of the error indicator first: it is neither in flight nor handled. It is an
argument of the hook in sys, where that is Python code that runs; and PyErr_Print() puts it into
sys.last_exc (3.12) or sys.last_value before it calls the hook, or prints.
Reference: _PyErr_PrintEx (Python/pythonrun.c), _PyErr_WriteUnraisableMsg (Python/errors.c), 3.8
to 3.15.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.frames.frame_slots import FrameSlots
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.cpython.types import PyFrame, PythonState, ThreadState
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.target.api import Target

MAX_FRAMES = 1000  # of one thread, Python or native
MAX_BOUND = 8  # methods and wrappers around a hook's function
_PRINTS = ("PyErr_Print", "PyErr_PrintEx", "_PyErr_Print", "_PyErr_PrintEx")
_LAST = ("last_exc", "last_value")
_VALUE = 1  # of (type, value, traceback), and of the fields of UnraisableHookArgs


class ReportedExceptions:
    """What threads of one process report."""

    def __init__(self, target: Target, python: PythonState) -> None:
        self._target = target
        self._reader = MemoryReader(target, python.layout)
        self._objects = NamespaceReader(self._reader)
        self._interpreters = {
            interpreter.id: interpreter.address for interpreter in python.interpreters
        }

    def possible_exceptions(self, thread: ThreadState) -> Iterator[int]:
        """Yield the objects that may be it (PyObject *), best first. Never raises."""
        interpreter = self._interpreters.get(thread.interpreter)
        if interpreter is None or not thread.alive:
            return
        try:
            variables = self._objects.module_dict(interpreter, "sys")
            if isinstance(variables, Absent):
                return
            yield from self._arguments_of_hooks(variables, thread)
            last = [self._objects.dict_get(variables, name) for name in _LAST]
            kept = [value for value in last if not isinstance(value, Absent)]
            if kept and self._is_printing_exception(
                thread
            ):  # a walk of its C stack: few processes keep any
                yield from kept
        except (UnreadableMemory, LayoutError):
            return

    def _arguments_of_hooks(self, variables: int, thread: ThreadState) -> Iterator[int]:
        """Yield the exceptions that running hooks of sys were given, innermost first."""
        hooks: dict[int, tuple[str, int]] = {}  # code of a hook: its name, arguments before its own
        for name in ("excepthook", "unraisablehook"):
            hook = self._objects.dict_get(variables, name)
            if not isinstance(hook, Absent):
                code, before = self._code_and_argument_count(hook)
                hooks[code] = name, before
        slots = FrameSlots(self._reader)
        for frame in thread.frames[:MAX_FRAMES]:
            if frame.hole is None and frame.code in hooks:
                name, before = hooks[frame.code]
                yield from self._exceptions_in_arguments(slots, frame, name, before)

    def _exceptions_in_arguments(
        self, slots: FrameSlots, frame: PyFrame, name: str, before: int
    ) -> Iterator[int]:
        """Yield the exception among the arguments of a hook; it may have been replaced since."""
        given = [self._unbox_cell(word) for word in slots.words_of_frame(frame).variables]
        if name == "excepthook":
            wanted = self._reader.field32(frame.code, "PyCodeObject", "co_argcount")
            if wanted <= before + _VALUE:  # def hook(*everything)
                if wanted < len(given) and self._type_name(given[wanted]) == "tuple":
                    yield self._tuple_item(given[wanted], _VALUE - wanted + before)
            elif before + _VALUE < len(given):
                yield given[before + _VALUE]
        elif before < len(given):  # an UnraisableHookArgs, which is a tuple
            yield self._tuple_item(given[before], _VALUE)

    def _type_name(self, address: int) -> str | Absent:
        return self._reader.type_name(self._reader.type_of(address))

    def _unbox_cell(self, word: int) -> int:
        """Return a variable's object, also of one that an inner function shares."""
        if word and self._type_name(word) == "cell":
            return self._reader.field(word, "PyCellObject", "ob_ref")
        return word

    def _tuple_item(self, address: int, number: int) -> int:
        start = address + self._reader.layout.require("PyTupleObject", "ob_item")
        return self._reader.u64(start + 8 * number)

    def _code_and_argument_count(self, hook: int) -> tuple[int, int]:
        """Return the code that a hook runs, 0 without any, and how many arguments come first."""
        for before in range(MAX_BOUND):
            kind = self._type_name(hook)
            if kind == "function":
                return self._reader.field(hook, "PyFunctionObject", "func_code"), before
            if kind != "method":
                break
            hook = self._reader.field(hook, "PyMethodObject", "im_func")
        return 0, 0

    def _is_printing_exception(self, thread: ThreadState) -> bool:
        """Tell whether PyErr_Print() is on the thread's C stack."""
        frames = self._target.native_frames(thread.tid or 0)
        if isinstance(frames, Absent):
            return False
        return any(frame.function in _PRINTS for frame in frames[:MAX_FRAMES])

# SPDX-License-Identifier: Apache-2.0
"""What Python code gave to the native function in which the process failed.

While a C function runs, its arguments stay on the value stack of the Python frame that called it,
from the callable on (Python/ceval.c, Python/bytecodes.c, 3.8 to 3.15). Two witnesses must agree: a
callable there, and a native frame of the thread whose function is the one that this callable runs.
What an earlier call left on the stack looks the same, so matches that disagree are none.

No value leaves this module: a record holds the types of arguments, and which of them are NULL in C.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.cpython.frames.code_objects import CodeReader, locate_bytecode
from gdb_epi.cpython.frames.frame_chain import frame_reader, value_stack_start
from gdb_epi.cpython.frames.opcodes import Instruction, opcodes_of_version
from gdb_epi.cpython.types import PyFrame, PythonState
from gdb_epi.errors import EpiError
from gdb_epi.fault.own_native_code import (
    function_readable_name,
    is_interpreter_frame,
    is_stdlib_extension,
)
from gdb_epi.sizes import PAGE, split_into_words
from gdb_epi.target.api import FOREIGN_CALLS, NativeFrame, Target
from gdb_epi.target.function_bounds import FunctionBounds
from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gdb_epi.cpython.values.context import Obj
    from gdb_epi.cpython.values.process_values import ProcessValues

MAX_NATIVE = 32  # native frames, from the failure outward
MAX_STACK_WORDS = 256  # of the value stack
MAX_CODE = 1 << 20  # bytes of one function's bytecode
MAX_ARGUMENTS = 12
CTYPES, EXTENSION = "ctypes", "extension"
_C_FUNCTIONS = ("_ctypes.CFuncPtr", "_ctypes.PyCFuncPtr")
# The instructions that call what lies on the stack, with arguments there.
_CALLS = frozenset(
    ("CALL", "CALL_KW", "PRECALL", "CALL_FUNCTION", "CALL_FUNCTION_KW", "CALL_METHOD")
)
_POINTER_CODES = frozenset("PzZO")  # of ctypes' simple types


class CallArgument(NamedTuple):
    """One positional argument: its type as repr() names it, and whether C gets a NULL pointer."""

    type: str
    is_null: bool


class NativeCall(NamedTuple):
    """A call of a native function by Python code.

    `function` is its name, None where it has none; `file` the one that it is in. `by` is CTYPES, or
    EXTENSION for a function that gets Python objects.
    """

    function: str | None
    file: str
    by: str
    arguments: tuple[CallArgument, ...]


def native_call_of_failure(
    target: Target, python: PythonState, frame: PyFrame, natives: Sequence[NativeFrame]
) -> NativeCall | None:
    """Return the call of native code by the innermost Python frame of a thread, and what it gave.

    `natives` are the thread's native frames, innermost first. None where the two witnesses do not
    agree, for a call with `*` or `**`, and where the frame's instruction is no call. Never raises.
    """
    entries = _running_functions(target, natives)
    if frame.hole is not None or not entries:
        return None
    from gdb_epi.cpython.values.process_values import get_process_values

    try:
        return _NativeCallReader(get_process_values(target, python), entries).read(frame)
    except EpiError:
        return None


def _running_functions(target: Target, natives: Sequence[NativeFrame]) -> dict[int, NativeFrame]:
    """Return the functions of native code up to the interpreter, by where each begins."""
    bounds = FunctionBounds(target)
    entries: dict[int, NativeFrame] = {}
    for number, native in enumerate(natives[:MAX_NATIVE]):
        if native.kind == "signal":
            entries.clear()  # a handler: what it interrupted failed
        if native.kind != "normal":
            continue
        if native.module_name.startswith(FOREIGN_CALLS) or is_interpreter_frame(native):
            if entries:
                break  # what called it
            continue
        if is_stdlib_extension(native.module or ""):
            continue
        function = (
            bounds.function_returned_to(native.pc) if number else bounds.function_at(native.pc)
        )
        if function is not None:
            entries[function.start] = native
    return entries


class _NativeCallReader:
    def __init__(self, values: ProcessValues, entries: dict[int, NativeFrame]) -> None:
        self._context, self._decoder = values.context, values.decoder()
        self._reader = values.context.reader
        self._entries = entries
        self._opcodes = opcodes_of_version(self._reader.layout.version)
        self._instructions = self._opcodes.instructions if self._opcodes else frozenset()

    def read(self, frame: PyFrame) -> NativeCall | None:
        """Return the call; None where it cannot be told. Raises EpiError."""
        call = self._running_call(frame)
        if call is None or call.argument > MAX_ARGUMENTS:
            return None
        room = min(
            self._reader.field32(frame.code, "PyCodeObject", "co_stacksize"), MAX_STACK_WORDS
        )
        start = value_stack_start(self._reader, frame.address, frame.code)
        # 3.14 (gh-117139), and free-threaded 3.13, tag references in the lowest bits.
        stack = [word & ~7 for word in split_into_words(self._reader.read(start, 8 * room))]
        calls = self._possible_calls(stack, call)
        if self._puts_result_over_callable():
            return calls[max(calls)] if calls else None
        # A callable among the arguments of another one: that call waits for this one's result.
        inner = [
            made
            for index, made in calls.items()
            if not any(index < other <= index + call.argument for other in calls)
        ]
        return inner[0] if len(set(inner)) == 1 else None

    def _puts_result_over_callable(self) -> bool:
        """Tell whether the result of a call takes the place of what was called (3.13, gh-106581).

        Then the last callable is the one that runs. Before, NULL lay below it, and that was taken.
        """
        return not {"CALL_FUNCTION", "KW_NAMES"} & self._instructions

    def _running_call(self, frame: PyFrame) -> Instruction | None:
        """Return the running instruction; None where it calls nothing that lies on the stack."""
        lasti = frame_reader(self._reader, CodeReader(self._reader)).read(frame.address).lasti
        start, size = locate_bytecode(self._reader, frame.code)
        units = self._reader.read(start, max(0, min(size, MAX_CODE)))
        steps = self._opcodes.decode(units) if self._opcodes is not None else ()
        running = next((step for step in steps if step.at <= lasti < step.end), None)
        return running if running is not None and running.name in _CALLS else None

    def _possible_calls(self, stack: Sequence[int], call: Instruction) -> dict[int, NativeCall]:
        """Return what may be the running call, by the place of the callable on the stack."""
        calls, count = {}, call.argument
        for index, word in enumerate(stack):
            if word < PAGE:
                continue
            try:
                match = self._native_frame_of_callable(word)
            except EpiError:
                continue  # a number, or an object that is gone
            if match is None:
                continue
            native, by, is_method = match
            first = index + 1
            if self._has_place_for_self(stack, index, call, is_method=is_method):
                first += 1
            arguments = stack[first : first + count]
            if len(arguments) == count and all(arguments):
                given = tuple(self._describe_argument(argument, by) for argument in arguments)
                name, file = function_readable_name(native), native.module_name
                calls[index] = NativeCall(name, file, by, given)
        return calls

    def _has_place_for_self(
        self, stack: Sequence[int], index: int, call: Instruction, *, is_method: bool
    ) -> bool:
        """Tell whether the word above a callable is the object of a method, or its place."""
        if self._puts_result_over_callable():
            return is_method or stack[index + 1 : index + 2] == [0]
        if "KW_NAMES" in self._instructions:  # 3.11 and 3.12: what is no method has NULL below it
            return is_method and bool(index and stack[index - 1])
        return is_method and call.name == "CALL_METHOD"

    def _native_frame_of_callable(self, word: int) -> tuple[NativeFrame, str, bool] | None:
        """Return the native frame that a callable runs, how, and whether it is a method's."""
        obj = self._context.obj(word)
        ident, read = obj.lineage.ident, self._reader
        if ident in _C_FUNCTIONS:
            entry = read.u64(self._decoder.word(obj, 0))
            native = self._entries.get(entry)
            return None if native is None else (native, CTYPES, False)
        if ident in ("builtin_function_or_method", "builtin_method"):
            definition, is_method = read.field(word, "PyCFunctionObject", "m_ml"), False
        elif ident in ("method_descriptor", "classmethod_descriptor"):
            definition, is_method = read.field(word, "PyMethodDescrObject", "d_method"), True
        else:
            return None
        native = self._entries.get(read.field(definition, "PyMethodDef", "ml_meth"))
        return None if native is None else (native, EXTENSION, is_method)

    def _describe_argument(self, address: int, by: str) -> CallArgument:
        try:
            obj = self._context.obj(address)
            return CallArgument(
                obj.type.qualified_name, by == CTYPES and self._is_passed_as_null(obj)
            )
        except EpiError:
            return CallArgument("?", is_null=False)

    def _is_passed_as_null(self, obj: Obj) -> bool:
        """Tell whether ctypes passes an object as a NULL pointer (callproc.c, ConvParam)."""
        ident = obj.lineage.ident
        if ident == "NoneType":
            return True
        if ident == "_ctypes._SimpleCData":
            code = self._decoder.types.lookup(obj.type, "_type_")
            if code is None or self._decoder.string(code[1], 8) not in _POINTER_CODES:
                return False
        elif ident not in ("_ctypes._Pointer", *_C_FUNCTIONS):
            return False
        return self._reader.u64(self._decoder.word(obj, 0)) == 0

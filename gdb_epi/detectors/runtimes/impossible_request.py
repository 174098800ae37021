# SPDX-License-Identifier: Apache-2.0
"""An allocation failed because the program asked for more than any process can have.

A size out of a damaged header, a product of unchecked counts, a negative number taken as unsigned:
no machine has that memory, and more of it does not help.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from gdb_epi.cpython.frames.opcodes import OPERATORS_BY_INSTRUCTION
from gdb_epi.cpython.frames.stack_steps import StackSteps
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.cpython.running.exceptions import ExceptionInfo, RaisedException
from gdb_epi.cpython.types import PythonState
from gdb_epi.detectors.registry import Finding, SupportedLabel, detector, failure_and_frames
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.fault.account import ABORTED, ACCESS, RAISED
from gdb_epi.fault.called_functions import call_that_set_register, size_asked_of_allocator
from gdb_epi.locks.python.call_sites import CallSites, Instruction
from gdb_epi.process_state import ProcessState
from gdb_epi.sizes import USER_TOP, WORD
from gdb_epi.typing_lite import NamedTuple, NoReturn

MAX_SHIFT = 512  # bits by which a number is shifted
MAX_ITEMS = 32  # of a tuple: the dimensions of an array
_RAISES = frozenset(("RAISE_VARARGS", "RERAISE"))


class _StackOperand(NamedTuple):
    """A word of the value stack: its object, 0 unknown, and the number that it is or holds."""

    address: int = 0
    number: int | None = None


class RaisingInstruction(NamedTuple):
    """The instruction at which an exception was raised, and the numbers that it was given.

    Of a tuple of numbers it is their product, as of the shape of an array.
    """

    name: str
    numbers: tuple[int, ...] = ()

    @property
    def is_raise_statement(self) -> bool:
        """Whether the program raised the exception itself."""
        return self.name in _RAISES


@detector(
    "impossible_request",
    needs="crash",
    supports=SupportedLabel("software", "failed-check", max_probability=0.79),
)
def impossible_request(state: ProcessState) -> Iterator[Finding]:
    """Find an allocation that failed, of 128 TiB or more, which is all that a process can address.

    The size of a MemoryError is the largest number that its call was given; that of a pointer that
    is NULL, the argument of the allocator that returned it, where its caller still has that.
    Innocent causes: a call that is given another such number (a time in nanoseconds) and fails for
    a small block: that it is the size is then wrong, so that it counts for no more than likely.
    Reference: man 3 malloc (ENOMEM); TASK_SIZE of x86-64, arch/x86/include/asm/page_64_types.h.
    """
    asked = _largest_size_and_who_asked(state)
    if asked is None or asked[0] < USER_TOP:
        return
    size, where = asked
    number = f"{size:,}" if size >> 64 == 0 else f"{size:.2g}"
    signed = size - (1 << 64)
    negative = f" (it is {signed:,} as a signed number)" if -(1 << 63) <= signed < 0 else ""
    summary = (
        f"{where} asked for more memory than any process can have, {number} bytes or "
        f"items{negative}: the size was wrong"
    )
    yield Finding("impossible_request", where, {"size": number}, summary)


def _largest_size_and_who_asked(state: ProcessState) -> tuple[int, str] | None:
    """Return the size of the allocation that failed, and who asked; None where it is not known."""
    failure = failure_and_frames(state, ABORTED, RAISED, ACCESS)
    if failure is None:
        return None
    account, frames = failure
    raised = memory_error_of_thread(state, account.fault.tid)
    if raised is not None:
        error = raised.root_exception
        by = raising_instruction(state, error)
        lines = () if isinstance(error.traceback, Absent) else error.traceback.lines
        if by is None or not by.numbers or not lines:
            return None
        return max(by.numbers), f"{lines[-1].name} (line {lines[-1].lineno})"
    operand = account.site.operand
    if account.how != ACCESS or operand is None or not account.fault.architecture.decodes:
        return None
    registers = account.fault.registers
    for name in operand.registers():
        call = call_that_set_register(state.target, frames, account.fault.pc, name)
        size = size_asked_of_allocator(state.target, frames, call, registers)
        if size is not None:
            return size, f"a call of {call.function}()"
    return None


def memory_error_of_thread(state: ProcessState, tid: int) -> RaisedException | None:
    """Return the MemoryError that a thread has in flight, or handles; None without one."""
    for exceptions in state.exceptions:
        if exceptions.thread.tid == tid and exceptions.thread.alive:
            for raised in exceptions.all_raised():
                if raised.root_exception.memory_error:
                    return raised
    return None


def raising_instruction(state: ProcessState, raised: ExceptionInfo) -> RaisingInstruction | None:
    """Return the instruction that raised an exception; None where it cannot be read."""
    traceback, python = raised.traceback, state.python
    if isinstance(traceback, Absent) or not isinstance(python, PythonState):
        return None
    reader = MemoryReader(state.target, python.layout)
    try:
        return _OperandReader(reader, traceback.innermost).read() if traceback.innermost else None
    except (UnreadableMemory, LayoutError, IndexError):
        return None


class _UnfollowableInstruction(Exception):
    """An instruction after which it is not known what lies on the stack."""


class _OperandReader(StackSteps[_StackOperand]):
    """Follow the loads of a statement up to the instruction that raised."""

    null = _StackOperand()

    def __init__(self, reader: MemoryReader, traceback: int) -> None:
        self._reader, self._objects = reader, NamespaceReader(reader)
        self._containers, self._sites = ContainerReader(reader), CallSites(reader)
        layout = reader.layout
        at = traceback + layout.require("PyTracebackObject", "tb_lasti")
        self._raised_at = int.from_bytes(reader.read(at, 4), "little", signed=True)
        frame, struct = reader.field(traceback, "PyTracebackObject", "tb_frame"), "PyFrameObject"
        if layout.offset(struct, "f_code") is None:  # 3.11 put a _PyInterpreterFrame between
            frame, struct = reader.field(frame, struct, "f_frame"), "_PyInterpreterFrame"
        names = ("f_executable.bits", "f_executable", "f_code")
        self._code = reader.field(frame, struct, *names) & ~3  # 3.14: tagged
        locals_at = layout.offset(struct, "localsplus", "f_localsplus")
        if locals_at is None:
            raise LayoutError("variables of a frame")
        self._variables = frame + locals_at
        self.opcodes, self.stack = self._sites.opcodes, []

    def read(self) -> RaisingInstruction | None:
        """Return the instruction; None where the code has none at that byte."""
        for step in self._sites.instructions(self._code):
            if step.at <= self._raised_at < step.end:
                numbers = (each.number for each in self._operands_of_instruction(step))
                return RaisingInstruction(step.name, tuple(n for n in numbers if n is not None))
            try:
                self.execute_instruction(step.name, step.argument)
                if not step.goes_on:
                    self.stack.clear()
            except _UnfollowableInstruction:
                self.stack.clear()
        return None

    def _operands_of_instruction(self, step: Instruction) -> list[_StackOperand]:
        if "CALL" in step.name:
            count = step.argument + ("KW" in step.name)
        else:
            count = 2 if self._operator_of_instruction(step) is not None else 0
        return self.stack[-count:] if count else []

    def refuse(self, why: str) -> NoReturn:
        """Raise _UnfollowableInstruction."""
        raise _UnfollowableInstruction(why)

    def unknown_word(self, what: str) -> _StackOperand:
        """Return a word that is not known."""
        return _StackOperand()

    def variable_at_index(self, number: int) -> _StackOperand:
        """Return what a variable is."""
        return self._operand_of_object(self._reader.u64(self._variables + WORD * number) & ~3)

    def constant_at_index(self, number: int) -> _StackOperand:
        """Return a constant."""
        constants = self._reader.field(self._code, "PyCodeObject", "co_consts")
        return self._operand_of_object(self._containers.tuple_items(constants)[number])

    def _do_load_small_int(self, argument: int) -> _StackOperand:
        return _StackOperand(0, argument)

    def attribute(self, of: _StackOperand, number: int) -> _StackOperand:
        """Return what an attribute is."""
        name = self._sites.name_tables(self._code).names[number]
        value = self._objects.attribute(of.address, name) if of.address else 0
        return (
            _StackOperand()
            if isinstance(value, Absent) or not value
            else self._operand_of_object(value)
        )

    def method(self, of: _StackOperand, number: int) -> list[_StackOperand]:
        """Return nothing that is known."""
        return [_StackOperand(), _StackOperand()]

    def operator_value(self, sign: str, left: _StackOperand, right: _StackOperand) -> _StackOperand:
        """Return what an operator gives."""
        return _StackOperand(0, _apply_operator(sign.removesuffix("="), left.number, right.number))

    def _do_build_tuple(self, _argument: int, *items: _StackOperand) -> _StackOperand:
        numbers = [each.number for each in items]
        return _StackOperand(
            0, prod(n or 0 for n in numbers) if items and None not in numbers else None
        )

    _do_build_list = _do_build_tuple

    def _operator_of_instruction(self, step: Instruction) -> str | None:
        sign = (
            self._sites.opcodes.operator_sign(step.argument)
            if step.name == "BINARY_OP"
            else OPERATORS_BY_INSTRUCTION.get(step.name)
        )
        return None if sign is None else sign.removesuffix("=")

    def _operand_of_object(self, address: int) -> _StackOperand:
        if not address:
            return _StackOperand()
        kind = self._reader.type_name(self._reader.type_of(address))
        if kind == "int":
            return _StackOperand(address, self._value_of_int(address))
        if kind != "tuple":
            return _StackOperand(address)
        items = [self._value_of_int(at) for at in self._containers.tuple_items(address)[:MAX_ITEMS]]
        return _StackOperand(address, None if None in items else prod(n or 0 for n in items))

    def _value_of_int(self, address: int) -> int | None:
        if self._reader.type_name(self._reader.type_of(address)) != "int":
            return None
        number = self._objects.integer(address)
        return None if isinstance(number, Absent) else number


def _apply_operator(sign: str, left: int | None, right: int | None) -> int | None:
    """Return what an operator makes of two numbers; None of one that is not known."""
    if left is None or right is None:
        return None
    if sign in ("<<", "**"):
        if not 0 <= right <= MAX_SHIFT or left.bit_length() > MAX_SHIFT:
            return None
        return left << right if sign == "<<" else left**right
    return {"*": left * right, "+": left + right, "-": left - right}.get(sign)

# SPDX-License-Identifier: Apache-2.0
"""C code called a callback of ctypes or cffi that had been freed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.types import PythonState
from gdb_epi.detectors.registry import Finding, SupportedLabel, detector, hex_word, plain_finding
from gdb_epi.errors import Absent, UnreadableMemory
from gdb_epi.fault.account import ACCESS, TRANSFER
from gdb_epi.fault.mapping_checks import may_execute, permits
from gdb_epi.fault.memory_reads import try_read
from gdb_epi.fault.own_native_code import AT_FAULT, PROGRAM
from gdb_epi.process_state import ProcessState
from gdb_epi.sizes import WORD, split_into_words
from gdb_epi.target.api import FOREIGN_CALLS, NativeFrame, Target, get_architecture
from gdb_epi.typing_lite import NamedTuple

# What is left of the code of libffi's closures after their first word: src/x86/ffi64.c, 3.3 to 3.4,
# with and without endbr64. A freed one begins with a link to the next free one instead
# (c/malloc_closure.h of cffi, Modules/_ctypes/malloc_closure.c: union mmaped_block, ITEM).
_REMAINDERS = (bytes.fromhex("ffffffff25070000000f1f80"), bytes.fromhex("25030000000f1f00"))
CALLERS = ("_ctypes", "_cffi_backend")  # files
CALLS = ("ffi_call", "ffi_raw_call")  # functions of libffi
_THUNK = "_ctypes.CThunkObject"  # Modules/_ctypes/ctypes.h; the name is the same since 2.5
MAX_FRAMES = 24
MAX_STACK = 32 << 10


@detector("freed_callback", needs="python", supports=SupportedLabel("software", "use-after-free"))
def freed_callback(state: ProcessState) -> Iterator[Finding]:
    """Find a call from C code into a freed closure, or to a ctypes callback without references.

    A living callback that is being called has at least one reference, and libffi has its object at
    hand, with what tells it the types of the arguments. Innocent causes: damage of the count, or of
    the first word of a closure's code. The object is not looked for without native frames.
    Reference: Modules/_ctypes/callbacks.c (closure_fcn, CThunkObject_dealloc), 3.8 to 3.15.
    """
    account, python = state.fault_account, state.python
    if isinstance(account, Absent) or not account.fault.is_hardware_trap:
        return
    closure = _freed_closure(state.target, account.fault.pc)
    if closure is not None:
        plain = (
            "C code called a callback of ctypes or cffi that was already freed: nothing in Python "
            "kept a reference to it"
        )
        facts = {"address": hex_word(closure), AT_FAULT: PROGRAM}
        yield plain_finding(
            "freed_callback", f"thread {account.fault.tid}", facts, plain, f"it was at {closure:#x}"
        )
        return
    if not isinstance(python, PythonState) or account.how not in (ACCESS, TRANSFER):
        return
    frames = state.target.native_frames(account.fault.tid)
    end = _end_of_callback_frames(frames) if not isinstance(frames, Absent) else None
    if end is None:
        return
    reader = MemoryReader(state.target, python.layout)
    words = list(
        _registers_and_stack_words(state.target, account.fault.registers, account.fault.sp, end.sp)
    )
    counts = {
        word: count
        for word in words
        if (count := _reference_count_of_callback(reader, word)) is not None
    }
    freed = next((word for word, count in counts.items() if count == 0), None)
    facts, summary = {AT_FAULT: PROGRAM}, ""
    if freed is not None:
        facts["address"] = hex_word(freed)
        facts["plain"] = (
            "C code called a ctypes callback that was already freed: nothing in Python kept a "
            "reference to it"
        )
        summary = f"{facts['plain']} (it was at {freed:#x})"
    elif end.in_libffi and not counts:
        summary = (
            "C code called a callback of ctypes or cffi, and libffi found no description of it: "
            "it was freed, as nothing in Python kept a reference to it, or overwritten"
        )
    if summary:
        yield Finding("freed_callback", f"thread {account.fault.tid}", facts, summary)


def _freed_closure(target: Target, pc: int) -> int | None:
    """Return the block of a freed closure whose first word, a link, was run as code; or None."""
    region = target.region_at(pc)
    if region is None or region.path or not may_execute(region):
        return None
    for block in (pc & -WORD, (pc & -WORD) - WORD):
        code = try_read(target, block, WORD + len(_REMAINDERS[0]))
        link = int.from_bytes(code[:WORD], "little")
        if code[WORD:].startswith(_REMAINDERS) and (not link or target.region_at(link) == region):
            return block
    return None


class _CallbackEnd(NamedTuple):
    """The stack pointer of the code that called back; whether libffi itself failed."""

    sp: int
    in_libffi: bool


def _end_of_callback_frames(frames: Sequence[NativeFrame]) -> _CallbackEnd | None:
    """Return where a callback ends, if ctypes is inward of libffi or libffi itself failed.

    Where ffi_call() is, or ctypes or cffi is outward of it, libffi made a call and no callback.
    """
    inward = in_libffi = False
    for number, frame in enumerate(frames[:MAX_FRAMES]):
        file = frame.module_name
        if file.startswith(CALLERS) or (frame.function or "").startswith(CALLS):
            if in_libffi:
                return None
            inward = True
        elif file.startswith(FOREIGN_CALLS):
            in_libffi = in_libffi or number == 0
            if not inward and not in_libffi:
                return None
        elif inward or in_libffi:
            return _CallbackEnd(frame.sp, in_libffi)
    return None


def _registers_and_stack_words(
    target: Target, registers: Mapping[str, int], start: int, end: int
) -> Iterator[int]:
    yield from (registers.get(name, 0) for name in get_architecture(target).general)
    stack = try_read(target, start, max(0, min(end - start, MAX_STACK)) & ~7)
    yield from dict.fromkeys(split_into_words(stack))


def _reference_count_of_callback(reader: MemoryReader, address: int) -> int | None:
    """Return how many references an address' ctypes callback has; None where there is none."""
    layout = reader.layout
    if address % 8 or not permits(reader.target.region_at(address), "w"):
        return None
    count_at = layout.offset("PyObject", "ob_refcnt")
    if count_at is None:
        return None
    try:
        kind = reader.field(address, "PyObject", "ob_type")
        if kind % 8 or reader.target.region_at(kind) is None:
            return None
        name = reader.field(kind, "PyTypeObject", "tp_name")
        return reader.u64(address + count_at) if reader.c_string(name) == _THUNK else None
    except UnreadableMemory:
        return None

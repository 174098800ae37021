# SPDX-License-Identifier: Apache-2.0
"""An offset read from data was added to the address of that data without a bounds check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.types import PythonState
from gdb_epi.detectors.registry import Finding, SupportedLabel, detector, hex_word
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.fault.account import ACCESS
from gdb_epi.fault.fault_site import DATA
from gdb_epi.process_state import ProcessState
from gdb_epi.sizes import WORD, WORD_MASK
from gdb_epi.target.memory_search import find_word
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.x86 import MemoryOperand

MIN_OFFSET = 1 << 16  # smaller numbers stand everywhere
MAX_PLACES = 16  # that hold the offset
MAX_SIZE = 1 << 40
REACH = 4096  # bytes from the start of the data on in which an offset is looked for


class BytesContents(NamedTuple):
    """The contents of a bytes object: where they begin, and how long they are."""

    start: int
    size: int


@detector("offset_from_data", needs="python", supports=SupportedLabel("software", "out-of-bounds"))
def offset_from_data(state: ProcessState) -> Iterator[Finding]:
    """Find an access at base + offset where base is the start of a bytes object's contents.

    The offset stands in these contents: code took it from a file or packet and did not check it.
    Innocent causes: one flipped bit of the offset, tested: none makes it lie inside. A small number
    is never looked for, as it may stand there by chance.
    Reference: CWE-823 (use of out-of-range pointer offset).
    """
    account, python = state.fault_account, state.python
    if isinstance(account, Absent) or account.how != ACCESS or not isinstance(python, PythonState):
        return
    operand, registers = account.site.operand, account.fault.registers
    if account.site.kind != DATA or operand is None:
        return
    for name, other in _offset_and_base(operand):
        offset, base = registers.get(name, 0), registers.get(other, 0)
        if offset < MIN_OFFSET:
            continue
        held = _bytes_object_with_contents(state, python, base)
        if held is None or _flip_puts_access_inside(operand, name, registers, held):
            continue
        end = held.start + min(held.size, REACH)
        places = find_word(state.target, offset, limit=MAX_PLACES).addresses
        at = next((place - held.start for place in places if held.start <= place < end), None)
        if at is None:
            continue
        facts = {"offset": hex_word(offset), "at": at, "size": held.size}
        summary = (
            f"the offset {offset:#x} stands in the data themselves, {at} bytes into a bytes object "
            f"of {held.size}, and leads out of it"
        )
        yield Finding("offset_from_data", f"thread {account.fault.tid}", facts, summary)
        return


def _offset_and_base(operand: MemoryOperand) -> Iterator[tuple[str, str]]:
    """Yield (offset, base) of the two registers of an access, in both orders."""
    first, second = operand.base, operand.index_register
    if first is not None and second is not None:
        yield second, first
        if operand.scale == 1:
            yield first, second


def _bytes_object_with_contents(
    state: ProcessState, python: PythonState, start: int
) -> BytesContents | None:
    """Return the bytes object whose contents begin at an address."""
    reader = MemoryReader(state.target, python.layout)
    try:
        first = python.layout.require("PyBytesObject", "ob_sval")
        if start < first or start % WORD:
            return None
        if reader.type_name(reader.type_of(start - first)) != "bytes":
            return None
        size = reader.field(start - first, "PyVarObject", "ob_size")
    except (UnreadableMemory, LayoutError):
        return None
    return BytesContents(start, size) if 0 < size < MAX_SIZE else None


def _flip_puts_access_inside(
    operand: MemoryOperand, name: str, registers: Mapping[str, int], held: BytesContents
) -> bool:
    """Tell whether one bit of the offset makes the access lie inside of the contents."""
    scale = operand.scale if name == operand.index_register else 1
    reached = (
        ((registers[name] ^ 1 << bit) * scale + operand.displacement) & WORD_MASK
        for bit in range(64)
    )
    return any(place < held.size for place in reached)

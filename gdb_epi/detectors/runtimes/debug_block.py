# SPDX-License-Identifier: Apache-2.0
"""A block of Python's debug allocator whose surroundings were overwritten."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.types import PythonState
from gdb_epi.detectors.registry import (
    Finding,
    SupportedLabel,
    detector,
    failure_and_frames,
    hex_word,
    plain_finding,
)
from gdb_epi.detectors.runtimes.python_fatal_error import find_fatal_error_frame_and_reason
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.fault.account import ABORTED
from gdb_epi.fault.memory_reads import try_read
from gdb_epi.fault.own_native_code import VICTIM, possible_writers
from gdb_epi.process_state import ProcessState
from gdb_epi.sizes import split_into_words
from gdb_epi.target.api import NativeFrame, Target
from gdb_epi.typing_lite import NamedTuple

# Objects/obmalloc.c: size (big-endian), one letter of the API, 7 forbidden bytes; after it 8 more.
_BEFORE, _PAD = 16, 8
_FORBIDDEN = 0xFD
_APIS = {ord("r"): "PyMem_RawMalloc", ord("m"): "PyMem_Malloc", ord("o"): "PyObject_Malloc"}
_CHECK = "_PyMem_DebugCheckAddress"
FEW_BITS = 2
MAX_FRAMES = 32
MAX_NAMELESS = 3  # frames of the check and of what frees a block, in a stripped interpreter
MAX_SIZE = 1 << 32
MAX_STACK = 16 << 10


class DebugBlock(NamedTuple):
    """A block with its bytes before and after: how many of each differ from what they were.

    `bits` is how many bits of them differ.
    """

    address: int
    size: int
    api: int
    before: int
    behind: int
    bits: int


@detector(
    "debug_block",
    needs="crash",
    supports=SupportedLabel(
        "software", "out-of-bounds", counted_by="kind", overwritten_fact="overwritten_at"
    ),
)
def debug_block(state: ProcessState) -> Iterator[Finding]:
    """Find the block at which the debug allocator's check stopped, and what of it was overwritten.

    Its address is on the stack of the check. Innocent causes: hardware that changed one or two bits
    (then it speaks for nothing). Who wrote the bytes is not told: it may have been any code. Absent
    without native frames.
    Reference: Objects/obmalloc.c (_PyMem_DebugCheckAddress), 3.8 to 3.15.
    """
    failure = failure_and_frames(state, ABORTED)
    if failure is None:
        return
    account, frames = failure
    end = _stack_end_of_check(state.target, frames, account.fault.registers)
    if end is None:
        return
    block = _damaged_block(state, end)
    if block is None:
        return
    side = "behind" if block.behind else "before"
    count = block.behind or block.before
    kind = _type_of_object_in_block(state, block) if chr(block.api) == "o" else None
    what = f"{_APIS[block.api]}, of type {kind}" if kind else _APIS[block.api]
    named, who = possible_writers(state.target, frames)
    facts = {
        "kind": "overwritten" if block.bits > FEW_BITS else "info",
        "address": hex_word(block.address), "size": block.size, "api": chr(block.api),
        "type": kind, "side": side, "bytes": count, "candidates": named[:8],
        "overwritten_at": hex_word(block.address + (block.size if block.behind else -8)),
        VICTIM: True,
    }  # fmt: skip
    plain = (
        f"{count} of the 8 bytes {side} a block of {block.size} bytes ({what}) were overwritten; "
        "who wrote them is not in the core"
    )
    plain += f", perhaps {who}" if who else ""
    details, subject = f"the block is at {block.address:#x}", f"thread {account.fault.tid}"
    yield plain_finding("debug_block", subject, facts, plain, details)


def _stack_end_of_check(
    target: Target, frames: Sequence[NativeFrame], registers: Mapping[str, int]
) -> int | None:
    """Return where on the stack the frames of the check end; None when no check gave up.

    A stripped interpreter has no names of them: what the fatal error gave as its reason tells.
    """
    near = frames[:MAX_FRAMES]
    inside = [n for n, frame in enumerate(near) if (frame.function or "").startswith(_CHECK)]
    if inside:
        beyond = near[inside[-1] + 1 :]
        outer = next((f for f in beyond if "_PyMem_Debug" not in (f.function or "")), None)
        return outer.sp if outer is not None else near[inside[-1]].sp
    gave_up = find_fatal_error_frame_and_reason(target, near, registers)
    if gave_up is None or gave_up[2] != "debug-allocator":
        return None
    end = near[gave_up[0]].sp
    for frame in near[gave_up[0] + 1 :][: MAX_NAMELESS + 1]:
        end = frame.sp
        if frame.function is not None:
            break
    return end


def _damaged_block(state: ProcessState, end: int) -> DebugBlock | None:
    fault = state.fault
    assert not isinstance(fault, Absent)
    words = [fault.registers.get(name, 0) for name in fault.architecture.general]
    size = max(0, min(end + 64 - fault.sp, MAX_STACK)) & ~7
    words += split_into_words(try_read(state.target, fault.sp, size))
    blocks = (_debug_block_at(state.target, word) for word in dict.fromkeys(words) if word % 8 == 0)
    return next((block for block in blocks if block is not None), None)


def _debug_block_at(target: Target, address: int) -> DebugBlock | None:
    region = target.region_at(address)
    if region is None or "w" not in region.perms or address - _BEFORE < region.start:
        return None
    try:
        head = target.read(address - _BEFORE, _BEFORE)
        size, api = int.from_bytes(head[:8], "big"), head[8]
        if api not in _APIS or not 0 < size < MAX_SIZE or address + size + _PAD > region.end:
            return None
        tail = target.read(address + size, _PAD)
    except UnreadableMemory:
        return None
    before = sum(byte != _FORBIDDEN for byte in head[9:])
    behind = sum(byte != _FORBIDDEN for byte in tail)
    # One side must be whole: else it is no such block.
    if bool(before) == bool(behind):
        return None
    bits = sum((byte ^ _FORBIDDEN).bit_count() for byte in (head[9:] if before else tail))
    return DebugBlock(address, size, api, before, behind, bits)


def _type_of_object_in_block(state: ProcessState, block: DebugBlock) -> str | None:
    """Return the type of the object in a block; the links of the collector may lie before it."""
    if not isinstance(state.python, PythonState):
        return None
    reader = MemoryReader(state.target, state.python.layout)
    for start in (block.address, block.address + 16):
        with suppress(UnreadableMemory, LayoutError):
            kind = reader.type_of(start)
            meta, name_at = reader.type_of(kind), reader.field(kind, "PyTypeObject", "tp_name")
            name = reader.c_string(name_at)
            if meta and isinstance(name, str) and name.isprintable() and 0 < len(name) < 200:
                return name
    return None

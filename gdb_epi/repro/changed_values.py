# SPDX-License-Identifier: Apache-2.0
"""What changed in a process between two copies of it, where its threads stand as they stood.

In: the decoded states of both. Out: numbers in local variables, lengths of containers that
variables hold, and private memory. A loop of one line, or one that sleeps in each turn, is seen at
the same place each time; its numbers tell that it goes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdb_epi.cpython.types import PyFrame, PythonState
from gdb_epi.cpython.values.process_values import PlainValues
from gdb_epi.cpython.values.secrets import is_secret_name
from gdb_epi.cpython.values.variables import FrameVariables
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple

MAX_THREADS, MAX_FRAMES, MAX_NAMES = 200, 200, 2000
MUCH = 8 << 20  # bytes by which a process has grown: less is the allocator's doing
_LENGTHS = {"list": ("PyListObject", "ob_size"), "dict": ("PyDictObject", "ma_used"),
            "set": ("PySetObject", "used")}  # fmt: skip


class ProcessChanges(NamedTuple):
    """What changed, as text, that which says most first; `grown` is memory, in bytes."""

    values: tuple[str, ...] = ()
    grown: int = 0


def find_changes(first: ProcessState, second: ProcessState) -> ProcessChanges:
    """Return what changed between two copies of one process."""
    before, after = _values_by_variable(first), _values_by_variable(second)
    changed = [
        (name[0] == "", f"{words}: {old} | {after[name][1]}")
        for name, (words, old) in before.items()
        if name in after and after[name][1] != old
    ]
    grown = _private_writable_bytes(second.target) - _private_writable_bytes(first.target)
    values = tuple(text for _, text in sorted(changed, key=lambda each: each[0]))
    return ProcessChanges(values, grown if grown >= MUCH else 0)


def _private_writable_bytes(target: Target) -> int:
    return sum(r.size for r in target.regions() if not r.is_file_mapped and "w" in r.perms)


def _values_by_variable(state: ProcessState) -> dict[tuple[object, ...], tuple[str, str]]:
    """Return numbers and lengths by the place and name of their variable: words, and the value."""
    if not isinstance(state.python, PythonState):
        return {}
    plain = PlainValues(state.target, state.python)
    variables = FrameVariables(plain.values)
    values: dict[tuple[object, ...], tuple[str, str]] = {}
    modules = set[int]()
    for thread in state.python_threads()[:MAX_THREADS]:
        frames = thread.frames[:MAX_FRAMES]
        for depth, frame in enumerate(frames):
            if frame.hole is not None:
                continue
            place = f"of {frame.qualname or frame.name}"
            depth_from_outside = len(frames) - depth
            for name, value in _read_numbers_and_lengths(
                plain, _variable_addresses(variables, frame)
            ):
                local = (thread.tid, depth_from_outside, frame.code, name)
                values[local] = (f"`{name}` {place}", value)
            contents = variables.globals_and_names(frame)[0]
            if contents and contents not in modules:
                modules.add(contents)
                names = variables.global_addresses(frame)
                for name, value in _read_numbers_and_lengths(plain, names):
                    values["", contents, name] = (f"`{name}` of module {frame.module}", value)
    return values


def _variable_addresses(variables: FrameVariables, frame: PyFrame) -> Sequence[tuple[str, int]]:
    try:
        return [(slot.name, word) for slot, word in variables.bound_slots(frame)]
    except (UnreadableMemory, LayoutError):
        return ()


def _read_numbers_and_lengths(
    plain: PlainValues, addresses: Sequence[tuple[str, int]] | Iterator[tuple[str, int]]
) -> Iterator[tuple[str, str]]:
    """Yield the names of variables with their number, or the length of their container."""
    reader, layout = plain.reader, plain.reader.layout
    try:
        for count, (name, address) in enumerate(addresses):
            if count >= MAX_NAMES:
                return
            if is_secret_name(name):
                continue
            number = plain.integer(address)
            real = plain.float_value(address) if number is None else None
            if number is not None or real is not None:
                yield name, f"{number if number is not None else real}"
                continue
            field = _LENGTHS.get(kind := plain.ident(address))
            if field is not None and layout.offset(*field) is not None:
                yield name, f"{kind} of {reader.signed_field(address, *field):,}"
    except (UnreadableMemory, LayoutError):
        return

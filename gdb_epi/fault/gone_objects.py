# SPDX-License-Identifier: Apache-2.0
"""Variables of the frames that failed whose objects are gone: freed too early, or overwritten.

A variable, or an item of a list or tuple, owns a reference, so that its object lives. Where its
reference count is 0, or no type is where its head says, something else gave that reference away, or
wrote there. An object that is being deleted just then has the count 0 too: its variable is cleared
before, but up to CPython 3.11 not where a function ends. So a count of 0 is told as that.
"""

from __future__ import annotations

from itertools import islice

from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, EpiError
from gdb_epi.fault.variables_holding_address import MAX_INSIDE, VariableFinder, frames_of_thread
from gdb_epi.sizes import WORD
from gdb_epi.target.api import ABSENT, Target, try_read
from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gdb_epi.cpython.values.process_values import ProcessValues

MAX_FRAMES, MAX_NAMED, MAX_VARIABLES = 4, 3, 100
TYPE_BYTES = 24  # of a type that must be in the core before it is called none
COUNT_IS_ZERO, NO_OBJECT = "reference-count-0", "no-object"


class GoneObject(NamedTuple):
    """A variable, or an item of it, whose object is gone; `type` is "" for what is no object."""

    name: str
    function: str
    how: str
    type: str


def gone_objects(target: Target, python: PythonState | Absent, tid: int) -> list[GoneObject]:
    """Return which variables of a thread's innermost Python frames have lost their objects.

    Never raises. Empty for free-threaded builds, which count references in two fields.
    """
    frames = [] if isinstance(python, Absent) else frames_of_thread(python, tid)[:MAX_FRAMES]
    if isinstance(python, Absent) or not frames or python.layout.free_threaded:
        return []
    from gdb_epi.cpython.values.process_values import get_process_values

    values = get_process_values(target, python)
    finder, gone = VariableFinder(values, 0), list[GoneObject]()
    for frame in frames:
        for name, place in islice(finder.variables_of(frame), MAX_VARIABLES):
            places = [(name, place)]
            try:
                kind = values.context.obj(place).lineage.ident
                if kind in ("list", "tuple"):
                    inside = finder.items_or_attributes(name, place, kind)
                    places += islice(inside, MAX_INSIDE)
            except EpiError:
                pass
            for part, address in places:
                how = _why_gone(target, values, address) if address else ""
                if how:
                    is_object = how == COUNT_IS_ZERO
                    type_name = values.context.obj(address).type.qualified_name if is_object else ""
                    function = frame.qualname or frame.name
                    gone.append(GoneObject(part, function, how, type_name))
        if gone:
            break
    return gone[:MAX_NAMED]


def _why_gone(target: Target, values: ProcessValues, address: int) -> str:
    """Return COUNT_IS_ZERO or NO_OBJECT; "" for an object, and where its memory is not here."""
    layout = values.context.reader.layout
    count = layout.find_field("PyObject", "ob_refcnt")
    at = layout.offset("PyObject", "ob_type")
    head = try_read(target, address, 2 * WORD) if at is not None else b""
    if address % WORD or len(head) < 2 * WORD or at is None or count is None:
        return ""
    type_at = int.from_bytes(head[at : at + WORD], "little")
    try:
        values.context.obj(address)
    except EpiError:
        is_here = target.region_at(type_at) is None or not _is_memory_absent(target, type_at)
        return NO_OBJECT if is_here else ""
    offset = layout.offset("PyObject", "ob_refcnt") or 0
    return "" if any(head[offset : offset + count.size]) else COUNT_IS_ZERO


def _is_memory_absent(target: Target, address: int) -> bool:
    return target.provenance(address, TYPE_BYTES * WORD) == ABSENT

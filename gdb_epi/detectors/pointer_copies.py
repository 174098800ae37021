# SPDX-License-Identifier: Apache-2.0
"""Where else the corrected pointer and the wrong one occur, and what the corrected one points at.

Part of pointer_one_bit_off; registers no detector itself.
"""

from __future__ import annotations

from gdb_epi.cpython.types import PythonState
from gdb_epi.detectors.pointer_candidates import Candidate
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.fault.find import GENERAL
from gdb_epi.fault.reads import read_word
from gdb_epi.process_state import ProcessState
from gdb_epi.target.search import find_word
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted

MAX_PLACES = 8


class Copies(NamedTuple):
    """Occurrences of the corrected value (registers, memory) and of the wrong one (memory).

    `object_type` is the Python type that the corrected value points at, None when it is no object.
    `neighbours`: the words before and after the wrong word point at objects of that type too.
    """

    registers: tuple[str, ...]
    places: tuple[int, ...]
    wrong_places: tuple[int, ...]
    object_type: str | None
    neighbours: bool
    complete: bool

    @property
    def total(self) -> int:
        """Return the number of copies of the corrected value."""
        return len(self.registers) + len(self.places)


def copies_of(state: ProcessState, candidate: Candidate) -> Copies:
    """Search registers and dumped memory for a candidate's corrected and wrong value."""
    fault = state.fault
    registers = {} if isinstance(fault, Absent) else fault.registers
    good = find_word(state.target, candidate.corrected, limit=MAX_PLACES)
    bad = find_word(state.target, candidate.wrong.value, limit=MAX_PLACES)
    kind = _object_type(state, candidate.corrected)
    beside = kind is not None and any(_beside(state, place, kind) for place in bad.addresses)
    return Copies(
        tuple(n for n in GENERAL if registers.get(n) == candidate.corrected),
        good.addresses,
        bad.addresses,
        kind,
        beside,
        (good.complete or len(good.addresses) == MAX_PLACES)
        and (bad.complete or len(bad.addresses) == MAX_PLACES),
    )


def copies_told(count: int, searched: bool) -> str:
    """Return the end of a sentence on a corrected value: who else holds it.

    Nothing was found and not all was searched: then nothing is said.
    """
    if not count:
        return "; no other place holds the latter" if searched else ""
    places = counted(count, "other place") if count < MAX_PLACES else f"{MAX_PLACES} or more places"
    return f"; {places} (memory, registers) {'holds' if count == 1 else 'hold'} the latter"


def _object_type(state: ProcessState, address: int) -> str | None:
    """Return the type name of a plausible PyObject."""
    python = state.python
    if not isinstance(python, PythonState) or address % 8:
        return None
    from gdb_epi.cpython.reader import Reader

    try:
        reader = Reader(state.target, python.layout)
        kind = reader.type_of(address)
        # A type's own type is a type: three levels make a chance hit very unlikely.
        meta = reader.type_name(reader.type_of(kind)) if kind % 8 == 0 and kind else None
        if meta is None or isinstance(meta, Absent) or not reader.u64(address):
            return None
        name = reader.type_name(kind)
    except (UnreadableMemory, LayoutError):
        return None
    plausible = not isinstance(name, Absent) and name.replace(".", "_").isidentifier()
    return (
        str(name)
        if plausible and (meta.replace(".", "_").isidentifier() and len(meta) < 128)
        else None
    )


def _beside(state: ProcessState, place: int, kind: str) -> bool:
    """Whether both neighbours of a word point at objects of the same type."""
    for near in (place - 8, place + 8):
        value = read_word(state.target, near)
        if not value or _object_type(state, value) != kind:
            return False
    return True

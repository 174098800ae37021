# SPDX-License-Identifier: Apache-2.0
"""Which variable of the Python frames holds the bad address, or what it was computed from.

A wrong handle that Python code passed to C is an int, a ctypes or a cffi object in one of the
calling frames. A variable is named when its value *is* the bad address, or when the bad address
lies at most REACH bytes after a pointer: among 2^47 addresses that is no coincidence. Small numbers
do coincide, so addresses below MIN_ADDRESS are never looked for, and a plain int counts as a base
only from MIN_BASE on. It is no coincidence either when a pointer plus a number, multiplied by the
item size or by another number, gives exactly the bad address, or when an array contains it. No
value leaves this module: a record holds names, and how far off they are.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from gdb_epi.cpython.types import PyFrame, PythonState
from gdb_epi.errors import Absent, EpiError
from gdb_epi.fault.mapping_checks import permits
from gdb_epi.sizes import HALF_MASK, WORD_MASK
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gdb_epi.cpython.values.process_values import ProcessValues

MIN_ADDRESS = 1 << 16  # vm.mmap_min_addr: below it lies no memory, and most numbers of programs
MIN_BASE = 1 << 32
REACH = 4096  # bytes: a field of a struct, an item of a small array
HEADER = 64  # bytes of an object that is used without being asked what it is
MAX_FRAMES = 16
MAX_NAMED = 3
MAX_LOOKED_AT = 2000  # values in all
MAX_INSIDE = 50  # attributes or items of one value

MAX_NUMBERS, MAX_POINTERS = 16, 16  # of one frame that are multiplied and added
ITEM_SIZES = (1, 2, 4, 8, 16)

IS, BASE, OBJECT, INDEXED, COVERS = "is", "base", "object", "indexed", "covers"
_POINTER_CODES = frozenset("PzZO")
_CDATA_WORD = {"P": 8, "z": 8, "Z": 8, "q": 8, "Q": 8, "l": 8, "L": 8, "O": 8}


class HoldingVariable(NamedTuple):
    """A variable that holds the bad address.

    `how` is IS, BASE (the address lies `offset` bytes after the value), OBJECT (the variable
    refers to an object there, and no object is there), INDEXED (`name` is a sum of a pointer and a
    product: what gives the address) or COVERS (an array, or a structure of ctypes, that has the
    address inside, `offset` bytes after its start, and no memory is there). `type` is the class of
    the value; `number` that of its frame, 0 the innermost.
    """

    name: str
    function: str
    filename: str
    lineno: int | None
    number: int
    how: str
    offset: int
    type: str


class _CandidateValue(NamedTuple):
    name: str
    value: int
    is_pointer: bool  # of a type that says so
    type: str
    size: int = 0  # of an array: the bytes from `value` on


def variables_holding(
    target: Target, python: PythonState | Absent, tid: int, address: int | None
) -> list[HoldingVariable]:
    """Return the variables of a thread's Python frames that hold the bad address, innermost first.

    Empty for addresses that may be anything's. Never raises.
    """
    if isinstance(python, Absent) or address is None or not MIN_ADDRESS <= address <= WORD_MASK:
        return []
    frames = frames_of_thread(python, tid)
    if not frames:
        return []
    from gdb_epi.cpython.values.process_values import get_process_values

    values = get_process_values(target, python)
    finder = VariableFinder(values, address)
    for number, frame in enumerate(frames):
        finder.search_frame(number, frame, finder.variables_of(frame))
        if len(finder.named) >= MAX_NAMED:
            break
    # What is the address itself says more than what lies near it.
    named = sorted(finder.named, key=lambda value: (value.how not in (IS, INDEXED), value.number))
    return named[:MAX_NAMED]


def numbers_in_variables(target: Target, python: PythonState | Absent, tid: int) -> frozenset[int]:
    """Return the ints that variables of a thread's Python frames hold, and attributes of those."""
    frames = [] if isinstance(python, Absent) else frames_of_thread(python, tid)
    if isinstance(python, Absent) or not frames:
        return frozenset()
    from gdb_epi.cpython.values.process_values import get_process_values

    finder = VariableFinder(get_process_values(target, python), 0)
    return frozenset(
        candidate.value
        for frame in frames
        for name, place in finder.variables_of(frame)
        for candidate in finder.candidate_values(name, place)
        if candidate.type == "int"
    )


def frames_of_thread(python: PythonState, tid: int) -> list[PyFrame]:
    """Return the innermost frames of a living thread."""
    frames = (f for t in python.threads() if t.tid == tid and t.alive for f in t.frames)
    return list(islice(frames, MAX_FRAMES))


def has_array_reaching_address(
    target: Target, address: int, named: Sequence[HoldingVariable]
) -> bool:
    """Tell whether a variable is an array that begins in memory and has the bad address inside.

    Its shape or strides are wrong: numpy's as_strided() takes any. Steps of whole pages then lead
    to the same offset of a page as the start has, where large blocks begin.
    """
    return any(
        value.how == COVERS
        and value.type == "numpy.ndarray"
        and permits(target.region_at(address - value.offset), "r")
        for value in named
    )


class VariableFinder:
    """Looks at the variables of frames, and at what these hold in attributes and items."""

    def __init__(self, values: ProcessValues, address: int) -> None:
        from gdb_epi.cpython.values.variables import FrameVariables

        self.values, self.context = values, values.context
        self._variables = FrameVariables(values)
        self._thread_ids = {thread.ident for thread in self.context.reader.target.threads()}
        self.address = address
        self.named: list[HoldingVariable] = []
        self._left = MAX_LOOKED_AT
        self._decoder = values.decoder()

    def variables_of(self, frame: PyFrame) -> list[tuple[str, int]]:
        """Return the names of a frame's variables, and where their objects are."""
        try:
            return list(self._variables.variable_addresses(frame))
        except EpiError:
            return []

    def search_frame(self, number: int, frame: PyFrame, places: Iterable[tuple[str, int]]) -> None:
        """Look at the variables of one frame."""
        seen: set[str] = set()
        candidates: list[_CandidateValue] = []
        for name, place in places:
            for candidate in self.candidate_values(name, place):
                candidates.append(candidate)
                how = self._relation_to_address(candidate)
                if how is None or candidate.name in seen:
                    continue
                seen.add(candidate.name)
                self._add_holding_variable(number, frame, candidate, how)
        name = "" if seen else _describe_sum_giving_address(candidates, self.address)
        if name:
            self._add_holding_variable(
                number, frame, _CandidateValue(name, self.address, True, "sum"), INDEXED
            )

    def _add_holding_variable(
        self, number: int, frame: PyFrame, candidate: _CandidateValue, how: str
    ) -> None:
        self.named.append(
            HoldingVariable(
                name=candidate.name,
                function=frame.qualname or frame.name,
                filename=frame.filename,
                lineno=frame.lineno,
                number=number,
                how=how,
                offset=self.address - candidate.value,
                type=candidate.type,
            )
        )

    def _relation_to_address(self, candidate: _CandidateValue) -> str | None:
        if candidate.size:
            gone = self.values.context.reader.target.region_at(self.address) is None
            inside = 0 <= self.address - candidate.value < candidate.size
            return COVERS if inside and gone else None
        if not candidate.is_pointer and candidate.value in self._thread_ids:
            return None  # the id of a living thread: its memory may end near any other's
        behind = self.address - candidate.value
        if candidate.type == OBJECT:
            return OBJECT if 0 <= behind < HEADER else None
        if not behind:
            return IS
        least = MIN_ADDRESS if candidate.is_pointer else MIN_BASE
        return BASE if 0 < behind <= REACH and candidate.value >= least else None

    def candidate_values(self, name: str, place: int) -> Iterator[_CandidateValue]:
        """Yield what a variable holds, and what it holds in attributes and items."""
        yield from self._candidate_values_of_object(name, place)
        try:
            obj = self.context.obj(place)
            inside = self.items_or_attributes(name, place, obj.lineage.ident)
            for count, (part, held) in enumerate(inside):
                if count >= MAX_INSIDE:
                    return
                yield from self._candidate_values_of_object(part, held)
        except EpiError:
            return

    def items_or_attributes(self, name: str, place: int, ident: str) -> Iterator[tuple[str, int]]:
        """Yield the items of a list or tuple, else the attributes, of an object with names."""
        if ident in ("tuple", "list"):
            start, count = self._decoder.array_range(place, ident)
            for index in range(min(count, MAX_INSIDE)):
                yield f"{name}[{index}]", self.context.reader.u64(start + 8 * index)
        elif ident not in ("dict", "type", "module", "function", "str", "bytes"):
            for key, value in self.context.attributes(place):
                yield f"{name}.{key}", value

    def _candidate_values_of_object(self, name: str, place: int) -> Iterator[_CandidateValue]:
        if self._left <= 0:
            return
        self._left -= 1
        try:
            obj = self.context.obj(place)
        except EpiError:
            yield _CandidateValue(name, place, True, OBJECT)
            return
        ident, kind = obj.lineage.ident, obj.type.qualified_name
        try:
            if ident == "int":
                number = self.context.objects.integer(place)
                if not isinstance(number, Absent) and -(1 << 63) <= number <= WORD_MASK:
                    yield _CandidateValue(name, number & WORD_MASK, False, kind)
            elif ident.startswith("_ctypes."):
                yield from self._candidates_of_ctypes(name, place, kind, ident)
            elif ident.startswith("_cffi_backend.") and "CData" in ident:
                # CDataObject: the type, then c_data, a pointer or where the data lies.
                yield _CandidateValue(name, self._decoder.word(obj, 1), True, kind)
            elif ident == "numpy.ndarray":
                yield from self._candidates_of_array(name, place, kind)
            elif ident.startswith("numpy.") and ident.endswith("int64"):
                yield _CandidateValue(name, self._decoder.word(obj, 0), False, kind)
        except EpiError:
            return

    def _candidates_of_array(self, name: str, place: int, kind: str) -> Iterator[_CandidateValue]:
        """Yield where an array's items lie, by its shape and its strides; nothing for no items."""
        from gdb_epi.cpython.values.libraries.numpy import read_array_parts

        start, shape, strides, item_type = read_array_parts(self._decoder, self.context.obj(place))
        if not all(shape):
            return
        ends = [(length - 1) * step for length, step in zip(shape, strides, strict=True)]
        low = start + sum(end for end in ends if end < 0)
        size = sum(abs(end) for end in ends) + item_type.size
        yield _CandidateValue(name, low, True, kind, size)

    def _candidates_of_ctypes(
        self, name: str, place: int, kind: str, ident: str
    ) -> Iterator[_CandidateValue]:
        """Yield what a ctypes object holds: it begins with b_ptr, which points to the value."""
        obj = self.context.obj(place)
        at = self._decoder.word(obj, 0)
        code = ""
        if ident == "_ctypes._SimpleCData":
            found_code = self._decoder.types.lookup(obj.type, "_type_")
            code = self._decoder.string(found_code[1], 8) if found_code is not None else ""
            if _CDATA_WORD.get(code) != 8:
                return
        elif ident in ("_ctypes.Structure", "_ctypes.Union", "_ctypes.Array"):
            if self._is_ctypes_memory_borrowed(place, at):
                yield _CandidateValue(name, at, True, kind, self._decoder.word(obj, 3))
            return
        elif ident not in ("_ctypes._Pointer", "_ctypes.PyCPointerType", "_ctypes.CFuncPtr",
                           "_ctypes.PyCFuncPtr"):  # fmt: skip
            return
        word = struct.unpack("<Q", self.context.reader.read(at, 8))[0]
        yield _CandidateValue(name, word, not code or code in _POINTER_CODES, kind)

    def _is_ctypes_memory_borrowed(self, place: int, at: int) -> bool:
        """Tell whether a ctypes structure has memory of somebody else, who may give it back.

        ctypes frees its own (b_needsfree) with the object: where that is gone, b_ptr is damaged.
        `.contents` copies what the pointer in b_base holds; one bit from it, it may be damaged
        too (Modules/_ctypes/_ctypes.c: CDataObject is b_ptr, b_needsfree, b_base, b_size).
        """
        obj = self.context.obj(place)
        base = self._decoder.word(obj, 2)
        if self._decoder.word(obj, 1) & HALF_MASK:
            return False
        if not base:
            return True
        parent = self.context.obj(base)
        if parent.lineage.ident == "_ctypes._Pointer":
            held = self.context.reader.u64(self._decoder.word(parent, 0))
            return (held ^ at).bit_count() != 1
        return not self._decoder.word(parent, 1) & HALF_MASK


def _describe_sum_giving_address(candidates: Sequence[_CandidateValue], address: int) -> str:
    """Return what of one frame's pointers and numbers gives an address: "samples + 4 * number".

    "" for nothing. Only what leads further than REACH: what lies near a pointer has its own line.
    """
    pointers = [c for c in candidates if not c.size and c.value >= MIN_BASE][:MAX_POINTERS]
    pointers = [c for c in pointers if c.type != OBJECT]
    numbers = [c for c in candidates if not c.is_pointer and c.type in ("int", "bool")]
    numbers = [c for c in numbers if c.value not in (0, 1)][:MAX_NUMBERS]
    for pointer in pointers:
        distance = address - pointer.value
        if abs(distance) <= REACH:
            continue
        for number in numbers:
            if number is pointer:
                continue
            times, rest = divmod(distance & WORD_MASK, number.value)
            if not rest and times in ITEM_SIZES:
                of = f"{times} * {number.name}" if times > 1 else number.name
                return f"{pointer.name} + {of}"
            for other in numbers:
                product = other.value * number.value
                if other is not number and not (product - distance) & WORD_MASK:
                    return f"{pointer.name} + {number.name} * {other.name}"
    return ""

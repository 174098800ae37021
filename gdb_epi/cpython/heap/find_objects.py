# SPDX-License-Identifier: Apache-2.0
"""Find objects by type, and texts by their bytes, in all of a process's memory."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from gdb_epi.cpython.frames.code_objects import CodeReader
from gdb_epi.cpython.heap.object_search import ObjectSearch
from gdb_epi.cpython.objects.type_objects import TypeInfo
from gdb_epi.cpython.types import PyFrame, PythonState
from gdb_epi.cpython.values.variables import FrameVariables
from gdb_epi.errors import Absent, LayoutError, SoftError, UnreadableMemory
from gdb_epi.target.memory_search import OutOfTime
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted

# Where an address lies: in which object, mapping, stack, or slot of a Python frame.


MAX_FRAMES = 200_000
RED_ZONE = 128  # bytes below the stack pointer that a leaf function may use (x86-64 psABI)


class FrameSlot(NamedTuple):
    """A word of a Python frame."""

    frame: PyFrame
    tid: int | None
    number: int  # of the frame in its thread, 0 innermost
    what: str  # "local NAME", "f_globals", "evaluation stack"


class _FrameWordRange(NamedTuple):
    start: int
    end: int
    frame: PyFrame
    tid: int | None
    number: int


class AddressLocations:
    """Say where addresses of one process lie."""

    def __init__(self, heap: ObjectSearch, python: PythonState) -> None:
        self._heap = heap
        self._target = heap.target
        self._reader = heap.reader
        self._variables = FrameVariables(heap.access.values)
        self._codes = CodeReader(heap.reader)
        self._pointers = sorted((thread.sp, thread.tid) for thread in heap.target.threads())
        self._spans = sorted(self._word_ranges_of_frames(python))
        self._starts = [span.start for span in self._spans]

    # -- frames -------------------------------------------------------------------------------

    def _word_ranges_of_frames(self, python: PythonState) -> list[_FrameWordRange]:
        """Return the ranges of all frames. Before 3.11 frames are objects of their own."""
        layout = self._reader.layout
        self._struct = "_PyInterpreterFrame"
        if layout.offset(self._struct, "previous") is None:
            self._struct = "PyFrameObject"
        self._slots_at = layout.require(self._struct, "localsplus", "f_localsplus")
        spans: list[_FrameWordRange] = []
        for thread in python.threads():
            for number, frame in enumerate(thread.frames):
                if frame.hole is None and len(spans) < MAX_FRAMES:
                    end = frame.address + self._slots_at + 8 * self._frame_word_count(frame)
                    spans.append(_FrameWordRange(frame.address, end, frame, thread.tid, number))
        return spans

    def _frame_word_count(self, frame: PyFrame) -> int:
        """Return how many words of locals and evaluation stack a frame has."""
        info = self._codes.code_at(frame.code)
        if info.framesize:
            return max(0, info.framesize - self._slots_at // 8)
        names = self._variables.variable_names_of_code(frame.code)
        size = 0 if isinstance(names, Absent) else names.size
        return size + min(self._reader.field32(frame.code, "PyCodeObject", "co_stacksize"), 1 << 16)

    def slot_at(self, address: int) -> FrameSlot | None:
        """Return the frame's slot at an address. None when it is in no frame of a thread."""
        index = bisect_right(self._starts, address) - 1
        if index < 0 or address >= self._spans[index].end:
            return None
        span = self._spans[index]
        offset = address - span.start
        what = self._name_of_frame_word(offset, span.frame.code)
        return FrameSlot(span.frame, span.tid, span.number, what)

    def _name_of_frame_word(self, offset: int, code: int) -> str:
        """Return what the word at an offset of a frame is."""
        if offset < self._slots_at:
            return find_struct_member(self._heap, self._struct, offset) or f"+{offset:#x}"
        number = (offset - self._slots_at) // 8
        names = self._variables.variable_names_of_code(code)
        if isinstance(names, Absent):
            return f"slot {number}"
        named = (slot.name for slot in names.slots if slot.number == number)
        return next((f"local {name}" for name in named), "evaluation stack")

    def local_name_at(self, frame: int, offset: int) -> str | None:
        """Return what the word at an offset of a generator's frame is (3.11+)."""
        if offset < self._slots_at:
            return self._name_of_frame_word(offset, 0)
        members = ("f_executable.bits", "f_executable", "f_code")
        at = self._reader.layout.offset(self._struct, *members)
        try:
            code = self._reader.u64(frame + at) & ~3 if at is not None else 0
        except UnreadableMemory:
            return None
        return self._name_of_frame_word(offset, code) if code else None

    # -- mappings -----------------------------------------------------------------------------

    def thread_whose_stack_holds(self, address: int) -> tuple[int, bool] | None:
        """Return the thread whose C stack holds an address, and whether that part is in use."""
        region = self._target.region_at(address)
        if region is None:
            return None
        inside = [stack for stack in self._pointers if region.start <= stack[0] < region.end]
        if not inside:
            return None
        # Several stacks in one mapping: the pointer at or below the address is its thread's.
        below = [stack for stack in inside if stack[0] - RED_ZONE <= address]
        pointer, tid = below[-1] if below else inside[0]
        return tid, address >= pointer - RED_ZONE

    def mapping_text(self, address: int) -> str:
        """Return the mapping of an address in words."""
        stack = self.thread_whose_stack_holds(address)
        if stack is not None:
            used = "" if stack[1] else ", a part no longer in use"
            return f"C stack of thread {stack[0]}{used}"
        region = self._target.region_at(address)
        if region is None:
            return "unmapped"
        name = region.path or "anonymous memory"
        kind = "data" if "w" in region.perms else "code" if "x" in region.perms else "constants"
        return f"{name} ({kind})" if region.path else name


def find_struct_member(heap: ObjectSearch, struct: str, offset: int) -> str | None:
    """Return the name of the pointer-sized member at an offset of a struct."""
    layout = heap.reader.layout.struct(struct)
    if layout is None:
        return None
    names = (n for n, member in layout.fields.items() if member[:2] == (offset, 8))
    return min(names, key=len, default=None)


MAX_BASES = 128
MAX_NEEDLE = 4096
_WIDE = ("utf-16-le", "utf-32-le")
OUT_OF_TIME = "the budget of time is spent; there may be more (--budget SECONDS)"


class ListedObject(NamedTuple):
    """One object; `tracked` by the garbage collector, None for types that never are."""

    address: int
    type: TypeInfo
    tracked: bool | None


class TypeCount(NamedTuple):
    """How many objects of exactly one type there are."""

    type: TypeInfo
    number: int
    tracked: int


class FoundObjects(NamedTuple):
    """The objects of some types: counts of all, addresses of the first `limit`."""

    counts: tuple[TypeCount, ...]
    objects: tuple[ListedObject, ...]
    complete: bool


class TextLocation(NamedTuple):
    """One place of a text. `object` is the object that holds it, 0 for raw memory."""

    address: int
    encoding: str
    object: int
    type: str
    mapping: str


def find_types_by_name(
    heap: ObjectSearch, name: str, *, subclasses: bool = False
) -> list[TypeInfo]:
    """Return the types of a name (`dict`, `Class`, `module.Class`) or address; raises OutOfTime."""
    types = heap.types_by_address()
    if name[:2] in ("0x", "0X"):
        try:
            named = [types[int(name, 16)]] if int(name, 16) in types else []
        except ValueError:
            named = []
    else:
        named = [
            info
            for info in types.values()
            if name in (info.qualified_name, info.qualname, info.full_name)
        ]
        exact = [info for info in named if name in (info.qualified_name, info.full_name)]
        named = exact if "." in name else named
    if subclasses and named:
        roots = {info.address for info in named}
        named = [info for info in types.values() if _derives_from(types, info, roots)]
    return sorted(named, key=lambda info: (info.qualified_name, info.address))


def _derives_from(types: dict[int, TypeInfo], info: TypeInfo, roots: set[int]) -> bool:
    """Follow tp_base; the second and later bases of a class are not looked at."""
    kind: TypeInfo | None = info
    for _ in range(MAX_BASES):
        if kind is None:
            return False
        if kind.address in roots:
            return True
        kind = types.get(kind.base)
    return False


def list_objects(heap: ObjectSearch, types: list[TypeInfo], limit: int) -> FoundObjects:
    """Return the objects of exactly these types."""
    counts: list[TypeCount] = []
    listed: list[ListedObject] = []
    complete = True
    for info in types:
        count = tracked = 0
        try:
            for address, is_tracked in heap.objects_of_type(info.address):
                count += 1
                tracked += is_tracked is True
                if len(listed) < limit:
                    listed.append(ListedObject(address, info, is_tracked))
        except OutOfTime:
            complete = False
        if count or complete:
            counts.append(TypeCount(info, count, tracked))
        if not complete:
            heap.soft_errors.append(SoftError("find", info.qualified_name, OUT_OF_TIME))
            break
    return FoundObjects(tuple(counts), tuple(listed), complete)


def text_encodings(text: str | bytes) -> dict[bytes, str]:
    """Return what a text looks like in memory, with the name of each form."""
    if isinstance(text, bytes):
        return {text[:MAX_NEEDLE]: "bytes"}
    encodings: dict[bytes, str] = {}
    text = text[:MAX_NEEDLE]
    for encoding in ("latin-1", "utf-8", *_WIDE):  # str objects have 1, 2 or 4 bytes a character
        try:
            raw = text.encode(encoding, "strict" if encoding == "latin-1" else "surrogatepass")
        except UnicodeEncodeError:
            continue
        encodings.setdefault(raw, "ascii" if text.isascii() and encoding == "latin-1" else encoding)
    return encodings


def find_text(
    heap: ObjectSearch, locations: AddressLocations, text: str | bytes, limit: int
) -> Iterator[TextLocation]:
    """Yield the locations of a text in all dumped memory, writable or not; raises OutOfTime."""
    count = 0
    for needle, encoding in text_encodings(text).items():
        for address in heap.search.find(needle, writable=False):
            try:
                holder = heap.object_enclosing(address) or 0
            except LayoutError:  # no type of types: raw memory can be searched all the same
                holder = 0
            kind = heap.access.type_name(holder) if holder else ""
            yield TextLocation(address, encoding, holder, kind, locations.mapping_text(address))
            count += 1
            if count >= limit:
                heap.soft_errors.append(
                    SoftError("find", "text", f"cut at {counted(limit, 'place')} (--limit N)")
                )
                return

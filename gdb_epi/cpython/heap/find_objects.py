# SPDX-License-Identifier: Apache-2.0
"""Find objects by type, and texts by their bytes, in all of a process's memory."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.heap.address_locations import AddressLocations
from gdb_epi.cpython.heap.object_search import ObjectSearch
from gdb_epi.cpython.objects.type_objects import TypeInfo
from gdb_epi.errors import LayoutError, SoftError
from gdb_epi.target.memory_search import OutOfTime
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted

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


class TextHit(NamedTuple):
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
    types = heap.types()
    if name[:2] in ("0x", "0X"):
        try:
            named = [types[int(name, 16)]] if int(name, 16) in types else []
        except ValueError:
            named = []
    else:
        named = [
            info for info in types.values() if name in (info.shown, info.qualname, info.full_name)
        ]
        exact = [info for info in named if name in (info.shown, info.full_name)]
        named = exact if "." in name else named
    if subclasses and named:
        roots = {info.address for info in named}
        named = [info for info in types.values() if _derives(types, info, roots)]
    return sorted(named, key=lambda info: (info.shown, info.address))


def _derives(types: dict[int, TypeInfo], info: TypeInfo, roots: set[int]) -> bool:
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
            for address, is_tracked in heap.instances(info.address):
                count += 1
                tracked += is_tracked is True
                if len(listed) < limit:
                    listed.append(ListedObject(address, info, is_tracked))
        except OutOfTime:
            complete = False
        if count or complete:
            counts.append(TypeCount(info, count, tracked))
        if not complete:
            heap.soft_errors.append(SoftError("find", info.shown, OUT_OF_TIME))
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
) -> Iterator[TextHit]:
    """Yield the locations of a text in all dumped memory, writable or not; raises OutOfTime."""
    count = 0
    for needle, encoding in text_encodings(text).items():
        for address in heap.search.find(needle, writable=False):
            try:
                holder = heap.enclosing(address) or 0
            except LayoutError:  # no type of types: raw memory can be searched all the same
                holder = 0
            kind = heap.access.type_name(holder) if holder else ""
            yield TextHit(address, encoding, holder, kind, locations.mapping(address))
            count += 1
            if count >= limit:
                heap.soft_errors.append(
                    SoftError("find", "text", f"cut at {counted(limit, 'place')} (--limit N)")
                )
                return

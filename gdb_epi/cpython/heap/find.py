# SPDX-License-Identifier: Apache-2.0
"""Find objects by type, and texts by their bytes, in all of a process's memory."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.heap.by_type import Heap
from gdb_epi.cpython.heap.places import Places
from gdb_epi.cpython.objects.type_objects import TypeInfo
from gdb_epi.errors import LayoutError, SoftError
from gdb_epi.target.search import OutOfTime
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted

MAX_BASES = 128
MAX_NEEDLE = 4096
_WIDE = ("utf-16-le", "utf-32-le")


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


class ObjectList(NamedTuple):
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


def types_named(heap: Heap, name: str, *, subclasses: bool = False) -> list[TypeInfo]:
    """Return the types of a name (`dict`, `Class`, `module.Class`) or address; raises OutOfTime."""
    known = heap.types()
    if name[:2] in ("0x", "0X"):
        try:
            found = [known[int(name, 16)]] if int(name, 16) in known else []
        except ValueError:
            found = []
    else:
        found = [one for one in known.values() if name in (one.shown, one.qualname, one.full_name)]
        exact = [one for one in found if name in (one.shown, one.full_name)]
        found = exact if "." in name else found
    if subclasses and found:
        roots = {one.address for one in found}
        found = [one for one in known.values() if _derives(known, one, roots)]
    return sorted(found, key=lambda one: (one.shown, one.address))


def _derives(known: dict[int, TypeInfo], one: TypeInfo, roots: set[int]) -> bool:
    """Follow tp_base; the second and later bases of a class are not looked at."""
    kind: TypeInfo | None = one
    for _ in range(MAX_BASES):
        if kind is None:
            return False
        if kind.address in roots:
            return True
        kind = known.get(kind.base)
    return False


def list_objects(heap: Heap, types: list[TypeInfo], limit: int) -> ObjectList:
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
    return ObjectList(tuple(counts), tuple(listed), complete)


OUT_OF_TIME = "the budget of time is spent; there may be more (--budget SECONDS)"


def text_encodings(text: str | bytes) -> dict[bytes, str]:
    """Return what a text looks like in memory, with the name of each form."""
    if isinstance(text, bytes):
        return {text[:MAX_NEEDLE]: "bytes"}
    found: dict[bytes, str] = {}
    text = text[:MAX_NEEDLE]
    for encoding in ("latin-1", "utf-8", *_WIDE):  # str objects have 1, 2 or 4 bytes a character
        try:
            raw = text.encode(encoding, "strict" if encoding == "latin-1" else "surrogatepass")
        except UnicodeEncodeError:
            continue
        found.setdefault(raw, "ascii" if text.isascii() and encoding == "latin-1" else encoding)
    return found


def find_text(heap: Heap, places: Places, text: str | bytes, limit: int) -> Iterator[TextHit]:
    """Yield the places of a text in all dumped memory, writable or not; raises OutOfTime."""
    count = 0
    for needle, encoding in text_encodings(text).items():
        for address in heap.search.find(needle, writable=False):
            yield _hit(heap, places, address, encoding)
            count += 1
            if count >= limit:
                heap.soft_errors.append(
                    SoftError("find", "text", f"cut at {counted(limit, 'place')} (--limit N)")
                )
                return


def _hit(heap: Heap, places: Places, address: int, encoding: str) -> TextHit:
    try:
        found = heap.enclosing(address)
    except LayoutError:  # no type of types: raw memory can be searched all the same
        found = None
    kind = heap.access.type_name(found) if found else ""
    return TextHit(address, encoding, found or 0, kind, places.mapping(address))

# SPDX-License-Identifier: Apache-2.0
"""R32, R33: what an object says of its memory, pointers and sizes, against the block that is there.

Arrays, views, sets, buffered streams and long integers say where their items lie, how many there
are and how much room they have, and the allocator has a block of its own opinion; a weak reference
names an object that names it. Where these contradict each other, and flipping one bit of one of the
words makes all of them agree, that word was damaged. What runs over the end of a damaged array, or
through its damaged pointer, may look like anything.

A std::vector is three pointers to one block: to its start, behind its items, and behind its room.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import Evidence, Skipped, require, word_evidence
from gdb_epi.corruption.heap.address_descriptions import find_malloc_chunk
from gdb_epi.corruption.heap.address_index import AddressIndex, address_index
from gdb_epi.corruption.heap.malloc_chunks import heap_chunks, is_in_free_chunk
from gdb_epi.corruption.heap.object_references import may_be_old_reference_count
from gdb_epi.corruption.heap.object_walk import ObjectWalk, object_walk
from gdb_epi.corruption.heap.readers import is_on_stack, read_words, where_in_range, words_at_fault
from gdb_epi.corruption.registry import check
from gdb_epi.cpython.layout.layout import Layout
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.errors import Absent, LayoutError
from gdb_epi.fault.abort_message import AbortMessage
from gdb_epi.fault.find_fault import GENERAL
from gdb_epi.fault.malloc_heap import HEAD_BYTES, main_heap
from gdb_epi.fault.mapping_checks import permits
from gdb_epi.sizes import ADDRESS_BITS, HALF_MASK, PAGE, PAGE_BITS, WORD, WORD_MASK, signed_word
from gdb_epi.typing_lite import NamedTuple

CONTRADICTS, POSSIBLE, AGREES = range(3)
MIN_BIT = 5  # of a number: what is wrong by fewer is an error of counting
MAX_OBJECTS = 4096  # of each type
MAX_OBJECT = 256  # bytes of an object, from its start
MAX_HOLDERS = 8  # words that name a block
MAX_WRONG = 2  # more are an overwrite
MAX_DIMENSIONS = 64  # NPY_MAXDIMS of numpy 2, PyBUF_MAX_NDIM
MAX_WIDTH = 1 << 20  # bytes of an item
LARGE = 128 << 10  # bytes from which malloc maps whole pages (M_MMAP_THRESHOLD)
GRAIN = 32  # bytes: what an allocator adds to what it was asked for
SLACK = 4  # a block that shrinks in place keeps at most a quarter more (pymalloc_realloc, 3.8+)
OVERHEAD = 8  # of a set: mask + 1 of its own small table (PySet_MINSIZE)
MIN_DIGITS = 1 << MIN_BIT
LOWEST_BOUND = 3  # bit of a pointer of a vector that is looked at
MAX_BOUNDS = 8  # words that are searched for
MAX_VARIABLES = 4 << 20  # bytes of files' data that are looked at
# PyArrayObject_fields (numpy/ndarraytypes.h, the same since 1.7), after the head of 16 bytes.
_DATA, _ND, _DIMENSIONS, _STRIDES, _BASE, _DESCR, _FLAGS = 16, 24, 32, 40, 48, 56, 64
_CONTIGUOUS, _OWNS = 1, 4  # NPY_ARRAY_C_CONTIGUOUS, NPY_ARRAY_OWNDATA
# Of PyArray_Descr: `elsize` of numpy 2 (npy_intp), else that of numpy 1 (int).
_WIDTH_2, _WIDTH_1 = 40, 32
# arrayobject (Modules/arraymodule.c): ob_item, allocated, ob_descr; arraydescr: typecode, itemsize.
_ITEM, _ALLOCATED, _ARRAY_DESCR = 24, 32, 40
# _PyManagedBufferObject (Include/internal or cpython/memoryobject.h): master.buf, .obj, .len.
_MASTER_BUF, _MASTER_LEN = 32, 48
_MASTER_FLAGS = 16
_REFERENT = 16  # wr_object of PyWeakReference, 3.8 to 3.15
# PyDecObject (Modules/_decimal/_decimal.c, 3.3 to 3.14): a hash, an mpd_t, and words of its own.
_DIGITS, _LENGTH, _ALLOC, _WORDS, _OWN_WORDS = 40, 48, 56, 64, 72
_OWN_COUNT = 4  # _Py_DEC_MINALLOC
_WORD_DIGITS = 19  # decimal digits in a word (MPD_RDIGITS, libmpdec/mpdecimal.h, 64 bits)
# stringio (Modules/_io/stringio.c, 3.8 to 3.14): characters of 4 bytes once they are joined.
_TEXT, _TEXT_SIZE, _TEXT_ROOM, _TEXT_STATE = 16, 32, 40, 48
_REALIZED, _CHARACTER = 1, 4
_CLOSED = 4  # close() leaves room for less, and the old size: resize_buffer(self, 0)


# Before each block of the debug allocators: its size, big-endian, the letter of its API, and 0xFD
# (_PyMem_DebugRawAlloc, Objects/obmalloc.c, 3.8 to 3.14).
_FORBIDDEN, _DEBUG_APIS = 0xFDFDFDFDFDFDFD, b"rmo"


class _SuspectWord(NamedTuple):
    """A word that may be the wrong one: its name, its lowest bit that is looked at.

    `alone`: no other object points to the same memory.
    """

    name: str
    least: int
    alone: bool = False


class _ObjectWords:
    """The words of one object, of which one may be taken as another; which were asked for."""

    def __init__(self, reader: MemoryReader) -> None:
        self._reader = reader
        self.asked: dict[int, _SuspectWord] = {}
        self.instead: tuple[int, int] = (0, 0)

    def read_trusted(self, place: int) -> int:
        """Return a word that is taken for right."""
        return self._reader.word(place)

    def read_pointer(self, place: int, name: str, alone: bool = True) -> int:
        """Return a pointer; `alone`: to what no other object points at."""
        return self._read_suspect(place, _SuspectWord(name, 0, alone))

    def read_number(self, place: int, name: str, least: int = MIN_BIT) -> int:
        """Return a number with a sign."""
        return signed_word(self._read_suspect(place, _SuspectWord(name, least)))

    def _read_suspect(self, place: int, word: _SuspectWord) -> int:
        self.asked.setdefault(place, word)
        return self.instead[1] if place == self.instead[0] else self._reader.word(place)


class _ObjectConsistency:
    """Tells of an object whether its words can all be true."""

    def __init__(self, context: Context, walk: ObjectWalk) -> None:
        self._context = context
        self._walk = walk
        self.index: AddressIndex = address_index(context)
        self.layout: Layout = walk.reader.layout

    def may_hold_old_reference_count(self, owner: int, place: int, more: int) -> bool:
        """Tell whether references to an object that is gone may have changed a word."""
        return may_be_old_reference_count(self._context, owner, place, more)

    def room_of_block(self, start: int) -> int | None:
        """Return how many bytes the block has that begins at an address; None for none."""
        if start < PAGE or start % WORD or start >> ADDRESS_BITS:
            return None
        header = self._walk.reader.word(start - WORD)
        if header >> 8 == _FORBIDDEN and header & 0xFF in _DEBUG_APIS:
            size = self._walk.reader.word(start - 2 * WORD)
            return int.from_bytes(size.to_bytes(WORD, "little"), "big")
        within = self.index.offset_in_pool_block(start)
        if within not in (None, 0) or (within == 0 and self.index.in_free_block(start)):
            return None
        end = self.index.end_of_block(start)
        return None if end is None else end - start

    def is_held_by_another(self, owner: int, start: int) -> bool:
        """Whether something else in use points at a block: then it is not this object's."""
        index, context = self.index, self._context
        return any(
            not owner <= place < owner + MAX_OBJECT
            and not is_on_stack(context, place)
            and (
                (index.offset_in_pool_block(place) is not None and not index.in_free_block(place))
                or (
                    find_malloc_chunk(context, place) is not None
                    and not is_in_free_chunk(context, place)
                )
            )
            for place in context.places_of_word(start, MAX_HOLDERS)
        )

    def type_name_of_object(self, address: int) -> str:
        """Return the type's name of an object; "" for none."""
        return self._walk.type_name_at(address)


def _how_contents_fit_block(need: int, room: int, *, shrinks: bool = False) -> int:
    """Return whether a block is too small for what is in it, or just right."""
    if need > room:
        return CONTRADICTS
    least = room - GRAIN - (PAGE if room >= LARGE else 0) - (room // SLACK if shrinks else 0)
    return AGREES if need > least else POSSIBLE


# -- one function for each type: what its words say together --------------------------------------


def _consistency_of_array(judge: _ObjectConsistency, words: _ObjectWords, owner: int) -> int:
    """An array.array: header, ob_item, allocated, ob_descr (Modules/arraymodule.c, 3.8 to 3.14)."""
    width = words.read_trusted(words.read_trusted(owner + _ARRAY_DESCR)) >> 32
    if width not in (1, 2, 4, 8):
        return POSSIBLE
    count = words.read_number(owner + judge.layout.require("PyVarObject", "ob_size"), "ob_size")
    start = words.read_pointer(owner + _ITEM, "ob_item")
    allocated = words.read_number(owner + _ALLOCATED, "allocated")
    if not 0 <= count <= allocated:
        return CONTRADICTS
    if not start:
        return POSSIBLE if not allocated else CONTRADICTS
    room = judge.room_of_block(start)
    return (
        CONTRADICTS
        if room is None
        else _how_contents_fit_block(allocated * width, room, shrinks=True)
    )


def _consistency_of_numpy_array(judge: _ObjectConsistency, words: _ObjectWords, owner: int) -> int:
    """A numpy array that owns its data, or is a view into one that does.

    `strides` follow `dimensions` in one block (PyArray_NewFromDescr_int, numpy 1.7 to 2.3).
    """
    dimensions = words.read_trusted(owner + _ND) & HALF_MASK
    flags, base = words.read_trusted(owner + _FLAGS) & HALF_MASK, words.read_trusted(owner + _BASE)
    descr = words.read_trusted(owner + _DESCR)
    width = words.read_trusted(descr + _WIDTH_2)
    if not 0 < width < MAX_WIDTH:
        width = words.read_trusted(descr + _WIDTH_1) & HALF_MASK
    if not 0 < dimensions <= MAX_DIMENSIONS or not 0 < width < MAX_WIDTH:
        return POSSIBLE
    owns = bool(flags & _OWNS) and not base
    if not owns and judge.type_name_of_object(base) != "numpy.ndarray":
        return POSSIBLE
    shape_at = words.read_pointer(owner + _DIMENSIONS, "dimensions")
    strides_at = words.read_pointer(owner + _STRIDES, "strides")
    if strides_at != shape_at + WORD * dimensions:
        return CONTRADICTS
    low = high = 0
    expected = width
    for number in reversed(range(dimensions)):
        length = words.read_number(shape_at + WORD * number, f"shape[{number}]")
        stride = words.read_number(strides_at + WORD * number, f"strides[{number}]", 0)
        if not length:
            return POSSIBLE  # of an array without items strides are what they like
        if length < 0 or (flags & _CONTIGUOUS and length > 1 and stride != expected):
            return CONTRADICTS
        expected *= length
        low += min(0, stride * (length - 1))
        high += max(0, stride * (length - 1))
    start = words.read_pointer(owner + _DATA, "data")
    if owns:
        room = judge.room_of_block(start)
        return CONTRADICTS if room is None or low else _how_contents_fit_block(high + width, room)
    held = words.read_trusted(base + _DATA)
    room = judge.room_of_block(held)
    if room is None:
        return POSSIBLE
    if start + low < held or start + high + width > held + room:
        return CONTRADICTS
    return AGREES


def _consistency_of_memoryview(judge: _ObjectConsistency, words: _ObjectWords, owner: int) -> int:
    """A memoryview of one dimension: its length, and the buffer that it is a part of."""
    at = {
        name: owner + judge.layout.require("PyMemoryViewObject", name)
        for name in ("flags", "mbuf", "view.ndim", "view.itemsize", "view.suboffsets", "view.buf",
                     "view.len", "view.shape", "view.strides")
    }  # fmt: skip
    managed, width = words.read_trusted(at["mbuf"]), words.read_trusted(at["view.itemsize"])
    flat = (
        words.read_trusted(at["view.ndim"] & -WORD) >> 8 * (at["view.ndim"] % WORD) & HALF_MASK == 1
    )
    released = (
        words.read_trusted(at["flags"]) & 1 or words.read_trusted(managed + _MASTER_FLAGS) & 1
    )
    if (
        not flat
        or released
        or words.read_trusted(at["view.suboffsets"])
        or not 0 < width < MAX_WIDTH
    ):
        return POSSIBLE
    length = words.read_number(at["view.len"], "len")
    start = words.read_pointer(at["view.buf"], "buf", alone=False)
    shape_at, strides_at = (
        words.read_trusted(at["view.shape"]),
        words.read_trusted(at["view.strides"]),
    )
    if not shape_at or not strides_at:
        return POSSIBLE
    count = words.read_number(shape_at, "shape[0]")
    stride = signed_word(words.read_trusted(strides_at))
    held, most = (
        words.read_trusted(managed + _MASTER_BUF),
        signed_word(words.read_trusted(managed + _MASTER_LEN)),
    )
    if not 0 <= most < 1 << ADDRESS_BITS:
        return POSSIBLE
    if length < 0 or count < 0 or count * width != length:
        return CONTRADICTS
    last = start + stride * max(count - 1, 0)
    if min(start, last) < held or max(start, last) + (width if count else 0) > held + most:
        return CONTRADICTS
    return AGREES


def _consistency_of_weakref(judge: _ObjectConsistency, words: _ObjectWords, owner: int) -> int:
    """A weak reference names an object, and that names the first of its weak references.

    Where it does so its type tells: from 3.12 on before the object (MANAGED_WEAKREF_OFFSET).
    """
    target = words.read_pointer(owner + _REFERENT, "wr_object", alone=False)
    if not target:
        return POSSIBLE
    if not judge.type_name_of_object(target):
        return CONTRADICTS
    kind = words.read_trusted(target + judge.layout.require("PyObject", "ob_type"))
    offset = words.read_trusted(kind + judge.layout.require("PyTypeObject", "tp_weaklistoffset"))
    return (
        AGREES if offset and words.read_trusted(target + offset & WORD_MASK) == owner else POSSIBLE
    )


def _consistency_of_set(judge: _ObjectConsistency, words: _ObjectWords, owner: int) -> int:
    """A set: how many entries are used, the mask of its table, and the table."""
    offset = judge.layout.require
    fill = words.read_number(owner + offset("PySetObject", "fill"), "fill")
    used = words.read_number(owner + offset("PySetObject", "used"), "used")
    mask = words.read_number(owner + offset("PySetObject", "mask"), "mask", 0)
    table = words.read_pointer(owner + offset("PySetObject", "table"), "table")
    entry = judge.layout.size("setentry") or 2 * WORD
    if mask < OVERHEAD - 1 or mask & mask + 1 or not 0 <= used <= fill <= mask:
        return CONTRADICTS
    if mask == OVERHEAD - 1:
        return AGREES if table == owner + offset("PySetObject", "smalltable") else CONTRADICTS
    room = judge.room_of_block(table)
    return CONTRADICTS if room is None else _how_contents_fit_block((mask + 1) * entry, room)


def _consistency_of_int(judge: _ObjectConsistency, words: _ObjectWords, owner: int) -> int:
    """An int: its number of digits, in ob_size or above three bits of lv_tag (3.12, gh-102381)."""
    digits = owner + judge.layout.require("PyLongObject", "ob_digit")
    tag = judge.layout.offset("PyLongObject", "lv_tag")
    if tag is not None:
        count = (words.read_number(owner + tag, "lv_tag", MIN_BIT + 3) & WORD_MASK) >> 3
    else:
        count = abs(
            words.read_number(owner + judge.layout.require("PyVarObject", "ob_size"), "ob_size")
        )
    room = judge.room_of_block(owner)
    if room is None or not count:
        return POSSIBLE
    if digits + 4 * count > owner + room:
        return CONTRADICTS
    last = digits + 4 * (count - 1)
    top = words.read_trusted(last & -WORD) >> 8 * (last % WORD) & HALF_MASK
    return AGREES if 0 < top < 1 << 30 else POSSIBLE


def _consistency_of_bytearray(judge: _ObjectConsistency, words: _ObjectWords, owner: int) -> int:
    """A bytearray: its block, how much of it there is, and where its bytes begin and end."""
    count_at = owner + judge.layout.require("PyVarObject", "ob_size")
    alloc_at, bytes_at, start_at = (
        owner + judge.layout.require("PyByteArrayObject", name)
        for name in ("ob_alloc", "ob_bytes", "ob_start")
    )
    count, room_said = (
        words.read_number(count_at, "ob_size"),
        words.read_number(alloc_at, "ob_alloc"),
    )
    block, start = (
        words.read_pointer(bytes_at, "ob_bytes"),
        words.read_pointer(start_at, "ob_start"),
    )
    if not block and not start:
        return POSSIBLE if not count else CONTRADICTS
    if count < 0 or not block <= start <= start + count <= block + room_said:
        return CONTRADICTS
    room = judge.room_of_block(block)
    return CONTRADICTS if room is None else _how_contents_fit_block(room_said, room, shrinks=True)


def _consistency_of_buffered(judge: _ObjectConsistency, words: _ObjectWords, owner: int) -> int:
    """A buffered stream of io: its buffer, that one's size, and the positions in it."""
    at = {
        name: owner + judge.layout.require("buffered", name)
        for name in ("buffer", "buffer_size", "pos", "read_end", "write_pos", "write_end")
    }
    start = words.read_pointer(at["buffer"], "buffer")
    size = words.read_number(at["buffer_size"], "buffer_size")
    inside = [
        words.read_number(at[name], name) for name in ("pos", "read_end", "write_pos", "write_end")
    ]
    if not start:
        return POSSIBLE
    if not all(-1 <= place <= size for place in inside):
        return CONTRADICTS
    room = judge.room_of_block(start)
    return CONTRADICTS if room is None else _how_contents_fit_block(size, room)


def _consistency_of_decimal(judge: _ObjectConsistency, words: _ObjectWords, owner: int) -> int:
    """A Decimal: its digits, the words that hold them, and how many of those it has room for."""
    digits = words.read_number(owner + _DIGITS, "digits")
    length, room_said = (
        words.read_number(owner + at, name, 0) for at, name in ((_LENGTH, "len"), (_ALLOC, "alloc"))
    )
    start = words.read_pointer(owner + _WORDS, "data")
    if not digits or not length:
        return POSSIBLE  # infinities, and numbers that are none
    if digits < 0 or length != -(-digits // _WORD_DIGITS) or length > room_said:
        return CONTRADICTS
    if start == owner + _OWN_WORDS:
        return AGREES if room_said == _OWN_COUNT else CONTRADICTS
    room = judge.room_of_block(start)
    return (
        CONTRADICTS
        if room is None
        else _how_contents_fit_block(WORD * room_said, room, shrinks=True)
    )


def _consistency_of_stringio(judge: _ObjectConsistency, words: _ObjectWords, owner: int) -> int:
    """An io.StringIO: its characters, how many there are, and for how many there is room."""
    start = words.read_pointer(owner + _TEXT, "buf")
    size = words.read_number(owner + _TEXT_SIZE, "string_size")
    room_said = words.read_number(owner + _TEXT_ROOM, "buf_size")
    if words.read_trusted(owner + _TEXT_STATE) & HALF_MASK != _REALIZED or 0 <= room_said < _CLOSED:
        return POSSIBLE
    if not 0 <= size <= room_said:
        return CONTRADICTS
    room = judge.room_of_block(start)
    return (
        CONTRADICTS
        if room is None
        else _how_contents_fit_block(_CHARACTER * room_said, room, shrinks=True)
    )


_TYPES: dict[str, Callable[[_ObjectConsistency, _ObjectWords, int], int]] = {
    "array.array": _consistency_of_array,
    "numpy.ndarray": _consistency_of_numpy_array,
    "memoryview": _consistency_of_memoryview,
    "weakref": _consistency_of_weakref,
    "weakref.ReferenceType": _consistency_of_weakref,  # 3.13 and later
    "set": _consistency_of_set,
    "frozenset": _consistency_of_set,
    "int": _consistency_of_int,
    "bytearray": _consistency_of_bytearray,
    "decimal.Decimal": _consistency_of_decimal,
    "_io.StringIO": _consistency_of_stringio,
    "_io.BufferedReader": _consistency_of_buffered,
    "_io.BufferedWriter": _consistency_of_buffered,
    "_io.BufferedRandom": _consistency_of_buffered,
}


@check("R32", costly=True, grows=True, needs="python", order=57)
def owned_buffers(context: Context) -> Iterator[Evidence | Skipped]:
    """Compare pointers and sizes of arrays, views and sets with the blocks that they name.

    Of the objects that the frames reach and those that the fault had at hand.

    Innocent causes: an array that is made or resized at this moment, and an extension that sets
    such words itself: numbers that are wrong by less than 32 are left out, and those that would be
    0 else, as powers of two are what programs compute with; of all words one bit away exactly one
    must make everything agree, up to the size that the allocator was asked for; a block of another
    allocator (then nothing agrees); an object that was freed or overwritten (the same); references
    to what is gone, which began at the word (a word of memory names it still).
    """
    walk = require(object_walk(context))
    walk.kinds.types_of_objects(list(words_at_fault(context)))
    judge, wrong = _ObjectConsistency(context, walk), []
    for name, objects in walk.kinds.objects_of_types(frozenset(_TYPES)).items():
        for owner in _objects_worth_checking(walk, name, objects)[:MAX_OBJECTS]:
            try:
                words = _ObjectWords(walk.reader)
                if _TYPES[name](judge, words, owner) == CONTRADICTS and _is_object_in_use(
                    judge, owner
                ):
                    wrong.append((name, owner, words))
            except LayoutError as error:
                yield Skipped("R32", str(error))
                break
    if len(wrong) > MAX_WRONG:
        return
    for name, owner, words in wrong:
        yield from _evidence_of_one_wrong_bit(judge, name, owner, words)


def _objects_worth_checking(walk: ObjectWalk, name: str, objects: list[int]) -> list[int]:
    """Return the objects that may be wrong: a process has thousands of ints of a few digits."""
    if name.startswith("weakref"):
        targets = walk.reader.words([owner + _REFERENT for owner in objects])
        walk.kinds.types_of_objects(targets)
        pairs = zip(objects, targets, strict=True)
        return [owner for owner, target in pairs if target and not walk.type_name_at(target)]
    if name != "int":
        return objects
    tag = walk.reader.layout.offset("PyLongObject", "lv_tag")
    at = tag if tag is not None else walk.reader.layout.offset("PyVarObject", "ob_size")
    sizes = walk.reader.words([owner + (at or 0) for owner in objects])
    most = MIN_DIGITS << 3 if tag is not None else MIN_DIGITS
    return [
        owner
        for owner, size in zip(objects, sizes, strict=True)
        if most <= size <= WORD_MASK - MIN_DIGITS
    ]


def _is_object_in_use(judge: _ObjectConsistency, owner: int) -> bool:
    return judge.index.object_type(owner) is not None and not judge.index.in_free_block(owner)


def _evidence_of_one_wrong_bit(
    judge: _ObjectConsistency, name: str, owner: int, words: _ObjectWords
) -> Iterator[Evidence]:
    """Yield the one word in which one flipped bit makes all agree; nothing where several do."""
    right = []
    for place, word in list(words.asked.items()):
        held = words.read_trusted(place)
        for bit in range(word.least, 64):
            words.instead = place, held ^ 1 << bit
            if held == 1 << bit:  # a power of two: programs have such strides and sizes
                continue
            if _TYPES[name](judge, words, owner) != AGREES:
                continue
            if not (word.alone and judge.is_held_by_another(owner, held ^ 1 << bit)):
                right.append((place, word.name, held, held ^ 1 << bit))
        words.instead = 0, 0
    if len(right) == 1:
        place, member, held, corrected = right[0]
        if judge.may_hold_old_reference_count(owner, place, held - corrected):
            return
        others = "its other words and the memory that it has"
        why = f"which contradicts {others}; with {corrected:#x}, one bit away, they agree"
        if member == "wr_object":
            why = f"where no object is; {corrected:#x}, one bit away, names it in return"
        summary = f"{member} of the {name} at {owner:#018x} is {held:#x}, {why}"
        yield word_evidence("R32", place, held, corrected, summary, member=member)


@check("R33", costly=True, needs="crash", order=58)
def cxx_vectors(context: Context) -> Iterator[Evidence]:
    """Find the pointer of a vector, of those that the fault had at hand, that leaves its block.

    malloc has the address of a block's header in a register, the program that of what lies behind
    it. Where malloc gave up, what it was given may be lost: then the variables of all files count.

    Innocent causes: three words that are no vector: two of them must lead into one block, the first
    to its start, in this order. A pointer that was moved through the block, or past its end, is one
    bit from the start by chance: what leads into the block itself is never called wrong, nor what
    begins another block (another thread was moving the items). Several such places: then nothing is
    said. Heaps that are not glibc's are not judged.
    """
    values = words_at_fault(context)
    behind_headers = [value + HEAD_BYTES for value in values[: len(GENERAL)]]
    at_hand = dict.fromkeys((*values, *behind_headers))
    wanted = [value for value in at_hand if _may_be_vector_bound(context, value)]
    context.search_words_together(wanted[:MAX_BOUNDS], MAX_HOLDERS)
    wrong: dict[int, tuple[int, int, int]] = {}
    for value in wanted[:MAX_BOUNDS]:
        for slot in context.places_of_word(value, MAX_HOLDERS):
            for number in range(3) if slot % WORD == 0 and not is_on_stack(context, slot) else ():
                right = _one_bit_correction_of_bound(context, slot - WORD * number, number, value)
                if right is not None:
                    wrong[slot] = value, right, number
    for slot, value in _vector_variables_of_files(context) if not wrong else ():
        right = _one_bit_correction_of_bound(context, slot, 0, value)
        if right is not None:
            wrong[slot] = value, right, 0
    if len(wrong) != 1:
        return
    ((slot, (value, right, number)),) = wrong.items()
    what = ("to the start of its items", "behind its items", "behind its room")[number]
    summary = (
        f"the pointer {what} of a vector at {slot - WORD * number:#x} is {value:#018x}, outside of "
        f"the block that its other two pointers lead to; {right:#018x}, one bit away, fits"
    )
    yield word_evidence("R33", slot, value, right, summary)


def _vector_variables_of_files(context: Context) -> Iterator[tuple[int, int]]:
    """Yield the variables of files before two that lead into malloc's heap, if malloc gave up."""
    account, heap = context.state.fault_account, main_heap(context.target)
    message = None if isinstance(account, Absent) else account.message
    if heap is None or not isinstance(message, AbortMessage) or message.kind != "malloc":
        return
    left = MAX_VARIABLES
    for region in context.target.regions():
        if not region.is_file_mapped or "w" not in region.perms or region.size > left:
            continue
        left -= region.size
        words = read_words(context, region.start, region.size // WORD)
        inside = where_in_range(words, heap.start, heap.end)
        for first, second in pairwise(inside):
            held = words[first - 1] if first and second == first + 1 else 0
            if held >= PAGE and _end_of_malloc_block(context, held) is None:
                yield region.start + WORD * (first - 1), held


def _may_be_vector_bound(context: Context, value: int) -> bool:
    """Tell whether a word begins no block and no object, and a block of malloc's is one bit away.

    Or, of an address without memory, one bit away is memory that malloc may have given.
    """
    if (value >> ADDRESS_BITS).bit_count() > 1:
        return False
    index, region = address_index(context), context.target.region_at(value)
    if region is None:
        flips = (value ^ 1 << bit for bit in range(PAGE_BITS, ADDRESS_BITS))
        return any(_may_be_malloc_memory(context, flip) for flip in flips)
    if value % HEAD_BYTES or region.is_file_mapped or index.offset_in_pool_block(value):
        return False
    if index.object_type(value) is not None:
        return False
    if is_on_stack(context, value) or _end_of_malloc_block(context, value) is not None:
        return False
    chunks = heap_chunks(context)
    low, high = chunks.start, chunks.start + WORD * len(chunks.words)
    near = [flip for bit in range(4, ADDRESS_BITS) if low <= (flip := value ^ 1 << bit) < high]
    blocks = ((find_malloc_chunk(context, flip), flip) for flip in near)
    return any(block is not None and block[0] == flip for block, flip in blocks)


def _may_be_malloc_memory(context: Context, address: int) -> bool:
    region = context.target.region_at(address)
    if region is None or region.is_file_mapped or not permits(region, "w"):
        return False
    no_pool = address_index(context).offset_in_pool_block(address) is None
    return no_pool and not is_on_stack(context, address)


def _end_of_malloc_block(context: Context, start: int) -> int | None:
    """Return where the block ends that malloc gave at an address, if it is in use."""
    index = address_index(context)
    if start % HEAD_BYTES or index.offset_in_pool_block(start) is not None:
        return None
    return None if is_in_free_chunk(context, start) else index.end_of_block(start)


def _one_bit_correction_of_bound(
    context: Context, vector: int, number: int, held: int
) -> int | None:
    """Return the one word one bit away with which three words are a vector; None for none.

    `number` is which of the three is in question.
    """
    words = list(read_words(context, vector, 3))
    right = []
    for bit in range(LOWEST_BOUND, ADDRESS_BITS) if len(words) == 3 else ():
        words[number] = held ^ 1 << bit
        start, last, room = words
        end = _end_of_malloc_block(context, start) if start < last <= room else None
        if end is not None and room <= end and not start <= held <= end:
            right.append(words[number])
    return right[0] if len(right) == 1 else None

# SPDX-License-Identifier: Apache-2.0
"""The .pyc file of a module, whether it is provably the one that was loaded, and its constants.

An edit of the source makes the same picture as a flip: one constant more or less by one, all else
equal. A .pyc that is valid for its source, in a folder that looks as it did when the process
listed it, from a source no younger than that folder, cannot have been rewritten since. The process
keeps the time of the folder: FileFinder._path_mtime (Lib/importlib/_bootstrap_external.py, 3.8 to
3.15). Seconds are compared: archives keep no more.

Constants are compared with objects in memory, bit by bit: an object of a known value has a known
image, its type, its size, its digits or characters. Reference: longintrepr.h, unicodeobject.h,
bytesobject.h, tupleobject.h, floatobject.h and complexobject.h in Include/cpython (3.8 to 3.15).
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable

from gdb_epi.corruption.context import Context, once_per_run
from gdb_epi.corruption.heap.readers import shared_object_search
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.source.pyc import (
    CHECKED,
    MarshalledCode,
    OpaqueConstant,
    Value,
    read_pyc_header,
)
from gdb_epi.cpython.source.safe_file_reading import (
    SourceFile,
    bytecode_cache_paths,
    read_file_in_sysroot,
)
from gdb_epi.cpython.source.source_checks import does_pyc_hash_match
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import NOT_AVAILABLE, Absent, LayoutError, UnreadableMemory
from gdb_epi.sizes import ADDRESS_BITS, HALF_MASK, WORD_MASK
from gdb_epi.target.elf_files import locate_in_sysroot
from gdb_epi.typing_lite import NamedTuple

MAX_TEXT = 1 << 20  # characters or bytes that are compared
MAX_ITEMS = 1 << 16  # objects of one code object
POINTER_BITS = range(ADDRESS_BITS)
ENOUGH = 2  # differences: more are not told apart
COROUTINE = 0x100  # CO_ITERABLE_COROUTINE: set by types.coroutine()
IMMORTAL_INT = 4  # a bit of lv_tag of small ints (3.14)
DIGIT, DIGIT_SIZE = 30, 4
_KINDS = {
    int: "int", bool: "bool", float: "float", complex: "complex", str: "str", bytes: "bytes",
    tuple: "tuple", type(None): "NoneType", type(...): "ellipsis",
}  # fmt: skip
CONSTANTS = frozenset((*_KINDS.values(), "code", "frozenset", "slice"))
# Left out: bytecode is specialized and R6's; the import system writes the file's own name.
_OTHERS = ("co_code", "co_filename")
MAX_PYC = 16 << 20
MAX_FILES = 4096
# Builders write the same time into every file: 0, 1 (Nix), 1980-01-01 (zip). It tells nothing.
FIXED_TIMES = 315_532_800 + 3 * 86_400


class ConstantDifference(NamedTuple):
    """A number, or the address of an object, at `slot`, that is not `value`."""

    member: str
    slot: int
    held: int
    value: Value
    number: bool


class _ExpectedObjectBytes(NamedTuple):
    """Bytes of an object's image, as one little-endian number; `ignored` bits may be anything."""

    offset: int
    size: int
    right: int
    ignored: int = 0


class CodeComparer:
    """Compares code objects of one process with those of .pyc files."""

    def __init__(self, reader: MemoryReader) -> None:
        self.reader = reader
        self._kinds: dict[int, str] = {}
        require, offset = reader.layout.require, reader.layout.offset
        self._tag_at = offset("PyLongObject", "lv_tag")  # 3.12 (gh-101291)
        self._int_size_at = offset("PyLongObject", "ob_size")
        self._digits_at = require("PyLongObject", "ob_digit")
        self._real_at = require("PyFloatObject", "ob_fval")
        self._complex_at = require("PyComplexObject", "cval")
        self._bytes_at = require("PyBytesObject", "ob_sval")
        self._bytes_size_at = require("PyBytesObject", "ob_size")
        self._length_at = require("PyASCIIObject", "length")
        self._heads = [
            reader.layout.size(s) or 0 for s in ("PyASCIIObject", "PyCompactUnicodeObject")
        ]
        self._items_at = require("PyTupleObject", "ob_item")
        self._count_at = require("PyTupleObject", "ob_size")

    def differences(self, address: int, code: MarshalledCode) -> list[ConstantDifference]:
        """Return how a code object differs from one of a file; at most ENOUGH.

        Raises UnreadableMemory.
        """
        differing: list[ConstantDifference] = []
        objects: list[tuple[str, int, Value]] = []
        for member, value in code.members.items():
            offset = self.reader.layout.offset("PyCodeObject", member)
            if offset is None or member in _OTHERS:
                continue
            if type(value) is not int:
                objects.append((member, address + offset, value))
                continue
            held = self.reader.u32(address + offset)
            ignored = COROUTINE if member == "co_flags" else 0
            if (held ^ value) & HALF_MASK & ~ignored:
                differing.append(ConstantDifference(member, address + offset, held, value, True))
                if len(differing) == ENOUGH:
                    return differing
        return self._compare_objects(objects, differing)

    def _compare_objects(
        self, todo: list[tuple[str, int, Value]], differing: list[ConstantDifference]
    ) -> list[ConstantDifference]:
        for _ in range(MAX_ITEMS):
            if not todo or len(differing) == ENOUGH:
                break
            member, slot, value = todo.pop()
            held = self.reader.u64(slot)
            if isinstance(value, OpaqueConstant | MarshalledCode):
                continue
            if not self._is_equal_to(held, value):
                difference = ConstantDifference(member, slot, held, value, False)
                # A name held twice is one.
                if not any(difference[2:] == other[2:] for other in differing):
                    differing.append(difference)
            elif isinstance(value, tuple):
                start = held + self._items_at
                todo += [(member, start + 8 * n, element) for n, element in enumerate(value)]
        return differing

    def flip_that_explains(self, difference: ConstantDifference) -> tuple[int, int] | None:
        """Return (address of a byte, bit from there) that makes a difference go; None if none does.

        The pointer may be wrong, or what it leads to. None also where either would explain it.
        """
        if difference.number:
            assert isinstance(difference.value, int)
            return _single_set_bit(
                difference.slot, (difference.held ^ difference.value) & HALF_MASK
            )
        right = [
            bit
            for bit in POINTER_BITS
            if self._equals_with_contents(difference.held ^ 1 << bit, difference.value)
        ]
        ways = [(difference.slot + bit // 8, bit % 8) for bit in right]
        if self.type_name_of_object(difference.held) == _KINDS.get(type(difference.value)):
            inside = self._flipped_bit_of_object(difference.held, difference.value)
            ways += [inside] if inside is not None else []
        return ways[0] if len(ways) == 1 else None

    def _flipped_bit_of_object(self, address: int, value: Value) -> tuple[int, int] | None:
        """Return the one bit in which an object differs from a value of its type."""
        try:
            parts = [
                (part.offset, self._mask_of_differing_bits(address, part))
                for part in self._expected_bytes_of_value(value)
            ]
        except UnreadableMemory:
            return None
        wrong = [(address + offset, flips) for offset, flips in parts if flips]
        return _single_set_bit(*wrong[0]) if len(wrong) == 1 else None

    def is_no_compiled_value(self, difference: ConstantDifference, place: int) -> bool:
        """Whether what is held is no constant, name or text that a compiler makes of any source."""
        if difference.number:
            return False
        if difference.slot <= place < difference.slot + 8:
            return self.type_name_of_object(difference.held) not in CONSTANTS
        if not isinstance(difference.value, str):
            return False
        text = self.reader.string(difference.held, MAX_TEXT)
        if isinstance(text, Absent) or (difference.value.isascii() and not text.isascii()):
            return True  # no bit of it says that characters are ASCII, but where they begin
        name = difference.member != "co_consts" and difference.value.isidentifier()
        return (difference.value.isprintable() and not text.isprintable()) or (
            name and not text.isidentifier()
        )

    def type_name_of_object(self, address: int) -> str:
        """Return the name of an object's type; "" when there is none."""
        try:
            kind = self.reader.type_of(address)
        except UnreadableMemory:
            return ""
        if kind not in self._kinds:
            name = self.reader.type_name(kind)
            self._kinds[kind] = "" if isinstance(name, Absent) else name
        return self._kinds[kind]

    def _equals_with_contents(self, address: int, value: Value) -> bool:
        """Tell whether an object and all that it holds is that value."""
        try:
            if not self._is_equal_to(address, value):
                return False
            if not isinstance(value, tuple):
                return True
            start = address + self._items_at
            todo: list[tuple[str, int, Value]] = [
                ("", start + 8 * n, part) for n, part in enumerate(value)
            ]
            return not self._compare_objects(todo, [])
        except UnreadableMemory:
            return False

    def _is_equal_to(self, address: int, value: Value) -> bool:
        """Whether an object is that value; of a tuple its length alone. Raises UnreadableMemory."""
        if address & 7 or self.type_name_of_object(address) != _KINDS.get(type(value)):
            return False
        try:
            return not any(
                self._mask_of_differing_bits(address, part)
                for part in self._expected_bytes_of_value(value)
            )
        except UnreadableMemory:
            return False

    def _mask_of_differing_bits(self, address: int, part: _ExpectedObjectBytes) -> int:
        raw = self.reader.read(address + part.offset, part.size)
        return (int.from_bytes(raw, "little") ^ part.right) & ~part.ignored

    def _expected_bytes_of_value(self, value: Value) -> Iterable[_ExpectedObjectBytes]:
        if isinstance(value, str):
            return self._expected_bytes_of_str(value)
        if isinstance(value, int):
            return self._expected_bytes_of_int(value)
        if isinstance(value, bytes):
            return _parts_with_size(self._bytes_size_at, len(value), self._bytes_at, value)
        if isinstance(value, tuple):
            return _parts_with_size(self._count_at, len(value), self._items_at, b"")
        if isinstance(value, float):
            return [_exact_bytes(self._real_at, struct.pack("<d", value))]
        if isinstance(value, complex):
            return [_exact_bytes(self._complex_at, struct.pack("<dd", value.real, value.imag))]
        return ()

    def _expected_bytes_of_str(self, value: str) -> list[_ExpectedObjectBytes]:
        highest = max(map(ord, value), default=0)
        codec = "latin-1" if highest < 0x100 else "utf-16-le" if highest < 0x10000 else "utf-32-le"
        encoded = value.encode(codec, "surrogatepass")
        return _parts_with_size(self._length_at, len(value), self._heads[highest >= 0x80], encoded)

    def _expected_bytes_of_int(self, value: int) -> list[_ExpectedObjectBytes]:
        count = -(-abs(value).bit_length() // DIGIT)
        digits = b"".join(
            (abs(value) >> DIGIT * n & (1 << DIGIT) - 1).to_bytes(DIGIT_SIZE, "little")
            for n in range(count)
        )
        sign = (value > 0) - (value < 0)
        if self._tag_at is not None:
            parts = [_ExpectedObjectBytes(self._tag_at, 8, count << 3 | 1 - sign, IMMORTAL_INT)]
        else:
            assert self._int_size_at is not None
            parts = [_ExpectedObjectBytes(self._int_size_at, 8, sign * count & WORD_MASK)]
        return [*parts, _exact_bytes(self._digits_at, digits)]


def _exact_bytes(offset: int, content: bytes) -> _ExpectedObjectBytes:
    return _ExpectedObjectBytes(offset, len(content), int.from_bytes(content, "little"))


def _parts_with_size(
    size_at: int, size: int, data_at: int, content: bytes
) -> list[_ExpectedObjectBytes]:
    return [_ExpectedObjectBytes(size_at, 8, size), _exact_bytes(data_at, content)]


def _single_set_bit(place: int, flips: int) -> tuple[int, int] | None:
    """Return (address of a byte, bit) of the one bit that is set; None for more."""
    if flips.bit_count() != 1:
        return None
    bit = flips.bit_length() - 1
    return place + bit // 8, bit % 8


class PycProvenance(NamedTuple):
    """Whether a .pyc is the one that was loaded; `says` why, or why that cannot be told."""

    holds: bool
    says: str


def sysroot_of_process_files(context: Context) -> str | None:
    """Return the folder in which this machine has the process' files, by those of its modules.

    "" for this machine's own root; None when no file of the process is here.
    """
    for module in context.target.modules():
        if isinstance(module.file, str) and module.file.endswith(module.path):
            return module.file[: -len(module.path)]
    return None


class LoadedPyc(NamedTuple):
    """The .pyc that lies where that of a source file does, as this machine has it now."""

    source: str  # as the code object names it
    file: SourceFile


class PycFiles:
    """The .pyc files of one process' modules; each is read, and its proof looked for, once."""

    def __init__(self, context: Context, python: PythonState) -> None:
        self._context = context
        self._python = python
        self._root = sysroot_of_process_files(context)
        self._files: dict[str, LoadedPyc | Absent] = {}
        self._proofs: dict[str, PycProvenance] = {}

    def pyc_of_source(self, source: str) -> LoadedPyc | Absent:
        """Return the .pyc of a source file; Absent when there is none here, or after MAX_FILES."""
        if source not in self._files:
            if len(self._files) >= MAX_FILES:
                return Absent(NOT_AVAILABLE, f"more than {MAX_FILES} files")
            self._files[source] = self._load_pyc(source)
        return self._files[source]

    def _load_pyc(self, source: str) -> LoadedPyc | Absent:
        if self._root is None:
            return Absent(NOT_AVAILABLE, "no file of the process is here")
        for path in bytecode_cache_paths(source, self._python.layout):
            file = read_file_in_sysroot(path, self._root, MAX_PYC)
            if not isinstance(file, Absent):
                return LoadedPyc(source, file)
        return Absent(NOT_AVAILABLE, "no .pyc")

    def proof_of_pyc(self, pyc: LoadedPyc) -> PycProvenance:
        """Tell whether a .pyc is the one that the process loaded."""
        if pyc.source not in self._proofs:
            try:
                self._proofs[pyc.source] = self._prove_pyc(pyc)
            except (UnreadableMemory, LayoutError) as error:
                self._proofs[pyc.source] = PycProvenance(False, str(error))
        return self._proofs[pyc.source]

    def _prove_pyc(self, pyc: LoadedPyc) -> PycProvenance:
        header, magic = read_pyc_header(pyc.file.data), self._interpreters_magic()
        if magic is None:
            return PycProvenance(False, "the core does not hold the interpreter's magic number")
        if header is None or header.magic != magic:
            return PycProvenance(
                False, f"its magic number is not the interpreter's ({pyc.file.path})"
            )
        source = read_file_in_sysroot(pyc.source, self._root)
        if isinstance(source, Absent):
            return PycProvenance(False, f"its source is not here: {source.detail}")
        written = source.mtime_ns // 10**9
        if header.hash is None:
            if (header.mtime, header.size) != (written & HALF_MASK, source.size & HALF_MASK):
                return PycProvenance(
                    False, f"its header names another time or size than {source.path} has"
                )
        elif not header.flags & CHECKED:
            written = max(written, pyc.file.mtime_ns // 10**9)
        elif does_pyc_hash_match(header.magic, source, header.hash) is not True:
            return PycProvenance(False, f"its header has another hash than {source.path}")
        return self._provenance_by_folder(pyc.source.rpartition("/")[0], written)

    def _provenance_by_folder(self, folder: str, written: int) -> PycProvenance:
        """Tell whether a folder is as the process saw it, and no younger file is in question."""
        listed = self._folder_time_when_listed(folder)
        if listed is None or listed < 0:
            return PycProvenance(False, f"the process has no listing of {folder}")
        place = locate_in_sysroot(folder, self._root)
        try:
            now = None if isinstance(place, Absent) else os.stat(place).st_mtime
        except OSError:
            now = None
        if now is None or int(now) != int(listed):
            return PycProvenance(False, f"{folder} was changed since the process listed it")
        if written > listed:
            return PycProvenance(
                False, f"the source is younger than the process' listing of {folder}"
            )
        if min(written, listed) < FIXED_TIMES:
            return PycProvenance(False, f"the times in {folder} are made up")
        return PycProvenance(
            True, f"valid for its source, and {folder} is as the process listed it"
        )

    def _folder_time_when_listed(self, folder: str) -> float | None:
        """Return the time that a folder had when the import system last listed it."""
        access = shared_object_search(self._context).access
        cache = self._attribute_of_module("sys", "path_importer_cache")
        finder = access.dict_value(cache, folder) if cache else None
        value = access.attribute(finder, "_path_mtime") if finder else None
        return access.float_value(value) if value else None  # -1, an int, after invalidate_caches()

    def _interpreters_magic(self) -> bytes | None:
        """Return the interpreter's own magic number, by the import system."""
        value = self._attribute_of_module("_frozen_importlib_external", "MAGIC_NUMBER")
        return shared_object_search(self._context).access.bytes_value(value, 4) if value else None

    def _attribute_of_module(self, module: str, name: str) -> int | None:
        """Return what a module of the first interpreter has under a name (PyObject *)."""
        access = shared_object_search(self._context).access
        for interpreter in self._python.interpreters[:1]:
            contents = access.module_dict(interpreter.address, module)
            return access.dict_value(contents, name) if contents else None
        return None


@once_per_run
def pyc_files(context: Context) -> PycFiles:
    """Return the .pyc files of a process, which must have a Python."""
    python = context.state.python
    assert isinstance(python, PythonState)
    return PycFiles(context, python)

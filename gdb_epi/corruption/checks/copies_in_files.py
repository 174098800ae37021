# SPDX-License-Identifier: Apache-2.0
"""R2, R3, R6, R22, R26: memory against the files that it came from.

R2: dumped text and constants differ from the mapped file. R3: a relocated word that nobody may
write is not what ld.so put there. A pointer to a function that may be written is told by where it
leads. R6: bytecode differs from the module's .pyc file. R22: names, constants, numbers and tables
of a code object do. R26 needs no file: an instruction loads a constant or a variable that the code
object does not have.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import (
    Evidence,
    NotChecked,
    Skipped,
    plain_evidence,
    require,
    word_evidence,
)
from gdb_epi.corruption.files.elf_images import (
    PF_W,
    ImageFile,
    image_files_of_modules,
    missing_files_line,
    read_only_memory,
)
from gdb_epi.corruption.files.pyc_files import (
    CodeComparer,
    ConstantDifference,
    LoadedPyc,
    pyc_files,
)
from gdb_epi.corruption.heap.object_walk import ObjectWalk, object_walk
from gdb_epi.corruption.heap.readers import read_words, shared_reader, where_in_range
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.replay.code_map import begins_function
from gdb_epi.cpython.frames.code_objects import CODE_UNIT, locate_bytecode
from gdb_epi.cpython.frames.opcodes import OpcodesOfVersion, opcodes_of_magic, opcodes_of_version
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.source.pyc import MarshalledCode, read_code_objects
from gdb_epi.cpython.source.source_checks import TYPE_STRING, marshalled_line_table
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.sizes import PAGE, WORD, WORD_MASK
from gdb_epi.target.elf import PF_X
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted

MAX_FRAMES = 6  # of each thread that crashed; in a sweep all code that frames reach
MAX_CODES = 20_000
MAX_CODE = 1 << 20  # bytes of one code object's instructions
MAX_TABLE = 1 << 20
MAX_CODE_CANDIDATES = 64
MAX_PARSED = 320 << 10  # bytes of .pyc files in a default run: 60 to 80 microseconds a KiB
MAX_SWEPT = 64 << 20
MAX_PART_CANDIDATES = 256  # code objects of one file with as many instructions
# What no compiler of a source text of a reasonable size writes: lines and counts beyond a million.
FAR_BIT = 20
COUNTS = ("co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_nlocals", "co_stacksize",
          "co_firstlineno")  # fmt: skip
MAX_DECODED = 1 << 16  # bytes of one code object's instructions
MIN_BIT = 4  # tools that rewrite code miscount by less
CONSTANTS, VARIABLES = "co_consts", "the variables of its frame"
# LOAD_FAST_LOAD_FAST packs two indexes into its argument.
_OF_ONE_VARIABLE = (
    "LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_AND_CLEAR", "LOAD_FAST_BORROW", "STORE_FAST",
    "DELETE_FAST",
)  # fmt: skip
BREAKPOINT = 0xCC
MAX_WRONG = 16  # words of one object; more of them were rewritten by something
MAX_PIECES = 64  # pages with differences that are looked at
MAX_DATA = 4 << 20  # bytes of variables of one file


class _RunningBytecode(NamedTuple):
    start: int  # of the first instruction
    held: bytes
    file: str
    needles: tuple[bytes, bytes]  # what marshal writes for its first line and line table


@check("R6", costly=True, needs="python", order=62)
def check_bytecode_against_pyc(context: Context) -> Iterator[Evidence | Skipped]:
    """Compare the instructions of running code objects with the .pyc files of their modules.

    By default of the innermost frames; in a sweep of all code that frames reach. The code object in
    the file is the one with the same first line and line table; specialized opcodes are taken back
    to what they were made of, caches are left out, and exactly one bit must differ.

    Innocent causes: instrumented code (sys.monitoring, coverage) and code that tools rewrote differ
    in more; a source that was edited since (the .pyc must be provably the one that was loaded: 3.14
    has small constants in arguments). Modules without one (scripts, frozen ones) cannot be
    compared.
    """
    python = require(context.state.python)
    reader = shared_reader(context)
    missing = 0
    for address in find_code_objects_to_compare(context, python):
        code = None
        with suppress(UnreadableMemory, LayoutError):
            code = _read_running_bytecode(reader, address)
        if code is None:
            continue
        pyc = pyc_files(context).pyc_of_source(code.file)
        if isinstance(pyc, Absent):
            missing += 1
            continue
        context.counts["code objects"] = context.counts.get("code objects", 0) + 1
        yield from _compare_bytecode(context, code, pyc)
    if missing:
        yield Skipped("R6", f"{counted(missing, 'code object')} of files without a .pyc here")


def find_code_objects_to_compare(context: Context, python: PythonState) -> Iterator[int]:
    """Yield the code objects to compare with .pyc files, each once.

    By default of the innermost frames; in a sweep all that frames reach.
    """
    codes = [
        frame.code
        for thread in python.threads()
        for frame in thread.frames[: None if context.sweep else MAX_FRAMES]
        if thread.crashed or context.sweep
    ]
    walk = object_walk(context) if context.sweep else None
    if isinstance(walk, ObjectWalk):
        codes += [address for address, category in walk.visited if category == "code"]
    yield from filter(None, dict.fromkeys(codes[:MAX_CODES]))


def source_file_of_code(reader: MemoryReader, address: int) -> str | None:
    """Return the source file of a code object; None for a frozen module, or no file.

    Raises UnreadableMemory.
    """
    file = reader.text_field(address, "PyCodeObject", "co_filename")
    return file if file.endswith(".py") and file.startswith("/") else None


def _read_running_bytecode(reader: MemoryReader, address: int) -> _RunningBytecode | None:
    """Read a code object's instructions; None where its file has no .pyc."""
    file = source_file_of_code(reader, address)
    if file is None:
        return None
    start, size = locate_bytecode(reader, address)
    if not 0 < size <= MAX_CODE or size % CODE_UNIT:
        return None
    first = reader.field32(address, "PyCodeObject", "co_firstlineno")
    table_at = reader.field(address, "PyCodeObject", "co_linetable", "co_lnotab")
    table = reader.bytes_object(table_at, MAX_TABLE)
    if isinstance(table, Absent):
        return None
    needles = marshalled_line_table(first, table), marshalled_line_table(first, table, ref=True)
    return _RunningBytecode(start, reader.read(start, size), file, needles)


def _compare_bytecode(
    context: Context, code: _RunningBytecode, pyc: LoadedPyc
) -> Iterator[Evidence | Skipped]:
    data = pyc.file.data
    opcodes = opcodes_of_magic(data[:4])
    if opcodes is None:
        yield Skipped("R6", f"no table of opcodes for .pyc files of magic {data[:4].hex()}")
        return
    end = max(0, *(data.rfind(needle) for needle in code.needles))
    compared = (
        bytecode_differences(code.held, held, opcodes)
        for held in _candidate_bytecodes(data[:end], code)
    )
    near = [differing for differing in compared if differing is not None]
    if len(near) != 1 or not near[0]:
        return
    at, held, right = near[0][0]
    where = code.start + at & -WORD
    word = int.from_bytes(context.target.read(where, WORD), "little")
    flip = held ^ right
    if flip.bit_count() != 1:
        return
    proof = pyc_files(context).proof_of_pyc(pyc)
    if not proof.holds:
        what = f"byte {at} of bytecode of {code.file} differs in one bit from that in the .pyc"
        yield Skipped("R6", f"{what}, which may be of later: {proof.says}")
    else:
        summary = (
            f"byte {at} of the bytecode at {code.start:#018x} is {held:#04x}; with {right:#04x} "
            f"it is that of the .pyc of {code.file}"
        )
        yield word_evidence(
            "R6", where, word, word ^ flip << 8 * (code.start + at - where), summary, offset=at
        )


def _candidate_bytecodes(data: bytes, code: _RunningBytecode) -> Iterator[bytes]:
    """Yield the byte strings of the code's length that a .pyc holds before its line table."""
    size = len(code.held)
    count = 0
    for kind in TYPE_STRING:
        needle = kind + size.to_bytes(4, "little")
        at = data.find(needle)
        while at >= 0 and count < MAX_CODE_CANDIDATES:
            start = at + len(needle)
            if start + size <= len(data):
                count += 1
                yield data[start : start + size]
            at = data.find(needle, at + 1)


def bytecode_differences(
    held: bytes, right: bytes, opcodes: OpcodesOfVersion
) -> list[tuple[int, int, int]] | None:
    """Return (offset, byte, the nearest right byte) where code differs.

    None for two or more differences, and for instrumented code.
    """
    differing: list[tuple[int, int, int]] = []
    at = 0
    while at < len(right):
        opcode, mine = right[at], held[at]
        if mine in opcodes.rewritten:
            return None
        if mine != opcode and opcodes.base.get(mine) != opcode:
            forms = [opcode, *(k for k, v in opcodes.base.items() if v == opcode)]
            differing.append((at, mine, min(forms, key=lambda form: (form ^ mine).bit_count())))
        if held[at + 1] != right[at + 1]:
            differing.append((at + 1, held[at + 1], right[at + 1]))
        if len(differing) > 1:
            return None
        at += CODE_UNIT * (1 + opcodes.caches.get(opcode, 0))
    return differing


@check("R22", costly=True, needs="python", order=63)
def check_code_parts_against_pyc(context: Context) -> Iterator[Evidence | Skipped]:
    """Compare what marshal wrote of running code objects with what they hold, but bytecode (R6).

    The code object in the .pyc is the one with as many instructions that is the same in all but
    one number, name, constant or table. One bit of that must differ, of the object or of the
    pointer to it.

    Innocent causes: a source that was edited since (the .pyc must be provably the one that was
    loaded, or the value one that no source makes); types.coroutine(), which sets one bit of
    co_flags (left out); tools that replace code objects, which differ in more.
    """
    python = require(context.state.python)
    constants = CodeComparer(shared_reader(context))
    files: dict[str, tuple[LoadedPyc, list[int]]] = {}
    missing = later = parsed = 0
    for address in find_code_objects_to_compare(context, python):
        source = None
        with suppress(UnreadableMemory):
            source = source_file_of_code(constants.reader, address)
        if source is None:
            continue
        pyc = pyc_files(context).pyc_of_source(source)
        if isinstance(pyc, Absent):
            missing += 1
        else:
            files.setdefault(pyc.source, (pyc, []))[1].append(address)
    for pyc, addresses in files.values():
        parsed += len(pyc.file.data)
        if parsed > (MAX_SWEPT if context.sweep else MAX_PARSED) or context.budget.out_of_time():
            parsed -= len(pyc.file.data)
            later += len(addresses)
            continue
        yield from _compare_code_parts(context, python, constants, pyc, addresses)
    if missing:
        yield Skipped("R22", f"{counted(missing, 'code object')} of files without a .pyc here")
    if later:
        yield Skipped("R22", f"{counted(later, 'code object')} of large files: see --sweep")


def _compare_code_parts(
    context: Context,
    python: PythonState,
    constants: CodeComparer,
    pyc: LoadedPyc,
    addresses: list[int],
) -> Iterator[Evidence | Skipped]:
    codes = read_code_objects(pyc.file.data, python.layout)
    if isinstance(codes, Absent):
        yield Skipped("R22", f"{pyc.file.path}: {codes.detail}")
        return
    by_size: dict[int, list[MarshalledCode]] = {}
    for code in codes:
        held = code.members["co_code"]
        by_size.setdefault(len(held) if isinstance(held, bytes) else -1, []).append(code)
    for address in addresses:
        context.counts["code parts"] = context.counts.get("code parts", 0) + 1
        with suppress(UnreadableMemory, LayoutError):
            near = _code_that_differs_in_one_part(constants, address, by_size)
            if near is not None:
                yield from _evidence_of_flipped_code_part(context, constants, pyc, *near)


def _code_that_differs_in_one_part(
    constants: CodeComparer, address: int, by_size: dict[int, list[MarshalledCode]]
) -> tuple[MarshalledCode, ConstantDifference] | None:
    """Return the only code object of the file that differs in one part, when none is the same."""
    _, size = locate_bytecode(constants.reader, address)
    near = []
    for code in by_size.get(size, ())[:MAX_PART_CANDIDATES]:
        differing = constants.differences(address, code)
        if not differing:
            return None
        if len(differing) == 1:
            near.append((code, differing[0]))
    return near[0] if len(near) == 1 else None


def _evidence_of_flipped_code_part(
    context: Context,
    constants: CodeComparer,
    pyc: LoadedPyc,
    code: MarshalledCode,
    difference: ConstantDifference,
) -> Iterator[Evidence | Skipped]:
    """Yield the bit that a part of a code object differs in, when the .pyc can be trusted."""
    flip = constants.flip_that_explains(difference)
    if flip is None:
        return
    place, bit = flip
    where = place & -WORD
    bit += 8 * (place - where)
    word = int.from_bytes(context.target.read(where, WORD), "little")
    name = code.members["co_name"]
    what = f"{difference.member} of the code object of {name!r} in {pyc.source}"
    proof = pyc_files(context).proof_of_pyc(pyc)
    unwritten = constants.is_no_compiled_value(difference, place) or (
        difference.member in COUNTS and bit % 32 >= FAR_BIT
    )
    if not proof.holds and not unwritten:
        why = f"{what} differs in one bit from the .pyc, which may be of later: {proof.says}"
        yield Skipped("R22", why)
        return
    summary = f"{what} differs in one bit, at {place:#018x}, from that in {pyc.file.path} " + (
        f"({proof.says})" if proof.holds else "and is none that a compiler makes"
    )
    yield word_evidence("R22" if proof.holds else "R22:form", where, word, word ^ 1 << bit, summary)


class BytecodeTableIndex(NamedTuple):
    """An index into a table: the position of its lowest byte in the instructions, and the index."""

    at: int
    table: str
    entry: int


@check("R26", costly=True, needs="python", order=63)
def check_indexes_in_bytecode(context: Context) -> Iterator[Evidence]:
    """Look for one instruction of running code whose index is beyond its table.

    Needs no .pyc, so it serves scripts too. Compilers write an entry into co_consts because an
    instruction loads it: one bit away must be exactly one entry that no other instruction loads.

    Innocent causes: code that was made or rewritten by hand (code.replace, bytecode libraries):
    more than one instruction is wrong then, or no entry is left without one that loads it; indexes
    that are wrong by less than 16 are left out; instrumented code is not looked at.
    """
    python = require(context.state.python)
    opcodes = opcodes_of_version(python.layout.version)
    if opcodes is None:
        raise NotChecked("no table of opcodes for Python {}.{}".format(*python.layout.version))
    reader = shared_reader(context)
    for address in find_code_objects_to_compare(context, python):
        wrong = None
        with suppress(UnreadableMemory, LayoutError):
            start, size = locate_bytecode(reader, address)
            if 0 < size <= MAX_DECODED and size % CODE_UNIT == 0:
                sizes = _entry_counts_of_code_tables(reader, address)
                wrong = find_index_beyond_table(reader.read(start, size), sizes, opcodes)
        if wrong is None:
            continue
        argument, right = wrong
        where = start + argument.at & -WORD
        word = int.from_bytes(context.target.read(where, WORD), "little")
        flip = (argument.entry ^ right) << 8 * (start + argument.at - where)
        summary = (
            f"byte {argument.at} of the bytecode at {start:#018x} loads entry {argument.entry} of "
            f"{argument.table}, which has {sizes[argument.table]}; {right}, one bit away, is one "
            "that nothing else loads"
        )
        yield word_evidence("R26", where, word, word ^ flip, summary, offset=argument.at)


def _entry_counts_of_code_tables(reader: MemoryReader, address: int) -> dict[str, int]:
    """Return how many entries the tables of a code object have."""
    consts = reader.field(address, "PyCodeObject", "co_consts")
    return {
        CONSTANTS: reader.field(consts, "PyVarObject", "ob_size"),
        VARIABLES: reader.field32(address, "PyCodeObject", "co_nlocalsplus", "co_nlocals"),
    }


def find_index_beyond_table(
    code: bytes, sizes: dict[str, int], opcodes: OpcodesOfVersion
) -> tuple[BytecodeTableIndex, int] | None:
    """Return the one argument that is beyond its table, and what it should be; None otherwise.

    None too for instrumented code, and where several indexes are wrong or could be right.
    """
    arguments = read_table_indexes(code, opcodes)
    if arguments is None:
        return None
    wrong = [argument for argument in arguments if argument.entry >= sizes[argument.table]]
    if len(wrong) != 1:
        return None
    argument = wrong[0]
    loaded = {other.entry for other in arguments if other.table == argument.table}
    right = [
        index
        for bit in range(MIN_BIT, 8)
        if (index := argument.entry ^ 1 << bit) < sizes[argument.table] and index not in loaded
    ]
    return (argument, right[0]) if len(right) == 1 else None


def read_table_indexes(code: bytes, opcodes: OpcodesOfVersion) -> list[BytecodeTableIndex] | None:
    """Return the indexes into constants and variables; None for instrumented code."""
    arguments: list[BytecodeTableIndex] = []
    for at, _, name, value in opcodes.decode(code):
        if code[at] in opcodes.rewritten:
            return None
        if opcodes.base.get(code[at], code[at]) in opcodes.consts:
            arguments.append(BytecodeTableIndex(at + 1, CONSTANTS, value))
        elif name in _OF_ONE_VARIABLE:
            arguments.append(BytecodeTableIndex(at + 1, VARIABLES, value))
    return arguments


@check("R2")
def read_only_pages(context: Context) -> Iterator[Evidence | Skipped]:
    """Compare read-only pages that the core holds with the file of the same build-id.

    Innocent causes: breakpoints and uprobes (a byte 0xCC: named, no evidence), objects with text
    relocations (left out), functions patched at run time (many bytes differ: said, no evidence; one
    bit, where the core holds this code and no other: R2:written). Most cores hold only the first
    page of each object (coredump_filter bit 2 adds the others), and code that was written to.
    """
    files, missing = image_files_of_modules(context)
    compared = 0
    only_written_code = _is_unwritten_code_left_out(context)
    for image in files:
        if image.has_text_relocations:
            yield Skipped("R2", f"{image.name} has text relocations")
            continue
        for load in image.loads:
            if load.flags & PF_W:
                continue
            low = image.base + load.vaddr
            written = only_written_code and bool(load.flags & PF_X)
            for start, data in read_only_memory(context, low, low + load.filesz):
                compared += len(data)
                yield from _compare_code_with_file(image, start, data, written)
    if not compared:
        yield Skipped("R2", "there is no read-only page of an object whose file is here")
    if missing:
        yield Skipped("R2", missing_files_line(missing))


def was_code_page_written(context: Context, pc: int) -> bool:
    """Tell whether code may have been another a moment ago: the process has written to its page.

    Of no file (JIT compilers), in memory that may be written, or in the core only because it was.
    """
    region = context.target.region_at(pc)
    if region is None or not region.is_file_mapped or "w" in region.perms:
        return True
    in_core = pc < region.dumped_end and pc - region.start >= PAGE
    return in_core and _is_unwritten_code_left_out(context)


def _is_unwritten_code_left_out(context: Context) -> bool:
    """Tell whether the kernel left out code of files, but for what the process has written to.

    Without bit 2 of coredump_filter a private mapping of a file is dumped if it has pages of the
    process's own, which only a write makes (mprotect and a store, or a debugger). A bit that the
    machine changed is in the page cache's page, which is then not in the core.
    Source: linux fs/coredump.c, vma_dump_size().
    """
    regions = context.target.regions()
    last = max((region.start for region in regions if region.dumped_size), default=0)
    return any(
        region.is_file_mapped
        and "x" in region.perms
        and region.file_offset >= PAGE
        and not region.dumped_size
        and region.start < last  # a core that was cut lacks what lies behind
        for region in regions
    )


def _compare_code_with_file(
    image: ImageFile, start: int, data: bytes, written: bool
) -> Iterator[Evidence | Skipped]:
    at = image.offset(start - image.base, len(data))
    if at is None:
        return
    right = image.data[at : at + len(data)]
    if data == right:
        return
    pages = [n for n in range(0, len(data), PAGE) if data[n : n + PAGE] != right[n : n + PAGE]]
    wrong = [
        word
        for n in pages[:MAX_PIECES]
        for word in _differing_words(start + n, data[n : n + PAGE], right[n : n + PAGE])
    ]
    yield from _evidence_of_differences(image, wrong, written)


def _differing_words(start: int, ours: bytes, theirs: bytes) -> Iterator[tuple[int, int, int]]:
    for at in range(0, len(ours), 8):
        held, right = ours[at : at + 8], theirs[at : at + 8]
        if held != right:
            yield start + at, int.from_bytes(held, "little"), int.from_bytes(right, "little")


def _evidence_of_differences(
    image: ImageFile, wrong: list[tuple[int, int, int]], written: bool
) -> Iterator[Evidence | Skipped]:
    traps = [word for word in wrong if differs_only_by_int3(word[1], word[2])]
    others = [word for word in wrong if word not in traps]
    if traps:
        yield Skipped("R2", f"{counted(len(traps), 'breakpoint')} (0xCC) in {image.name}")
    single = [word for word in others if (word[1] ^ word[2]).bit_count() == 1]
    if len(others) != len(single) or len(single) > MAX_WRONG:
        differ = (
            f"{len(others)} words of {image.name} differ from its file, not only in single bits"
        )
        yield Skipped("R2", f"{differ}: patched at run time, or overwritten")
        return
    for at, held, right in single:
        summary = (
            f"the read-only word at {at:#x} differs in one bit from {image.module.path} "
            f"(same build-id), which has {right:#x}"
        )
        id = "R2"
        if written and (image.offset(at - image.base) or 0) >= PAGE:  # not the first: always dumped
            summary += "; the process, or a debugger, wrote to this code: the core holds no other"
            id = "R2:written"
        yield word_evidence(id, at, held, right, summary, module=image.module.path)


def differs_only_by_int3(held: int, right: int) -> bool:
    """Tell whether two words differ only in bytes that became 0xCC."""
    pairs = zip(held.to_bytes(8, "little"), right.to_bytes(8, "little"), strict=True)
    return all(ours in (theirs, BREAKPOINT) for ours, theirs in pairs)


@check("R3", costly=True)
def relocated_words(context: Context) -> Iterator[Evidence | Skipped]:
    """Compare the words of PT_GNU_RELRO that are relative relocations with base plus addend.

    Innocent causes: none writable, the pages are read-only since start-up. Left out: lazy GOT
    slots, IFUNCs and symbols of other objects, and an object in which many words differ (a tool
    that hooks functions makes the pages writable for a moment).
    """
    files, missing = image_files_of_modules(context)
    for image in files:
        yield from _check_relocations_in_relro(context, image)
    if missing:
        yield Skipped("R3", missing_files_line(missing))


def _check_relocations_in_relro(context: Context, image: ImageFile) -> Iterator[Evidence | Skipped]:
    if image.relro is None:
        return
    # ld.so protects whole pages only (elf/dl-reloc.c, _dl_protect_relro).
    low = image.base + image.relro.vaddr & -PAGE
    high = image.base + image.relro.vaddr + image.relro.memsz & -PAGE
    wrong = [
        (at, held, right)
        for start, data in read_only_memory(context, low, high)
        for at, held, right in _wrong_relocations(image, start, data)
    ]
    if len(wrong) > MAX_WRONG:
        yield Skipped("R3", f"{len(wrong)} words of {image.name} differ: rewritten by a hook?")
        return
    for at, held, right in wrong:
        summary = (
            f"the read-only word at {at:#x} holds {held:#x}; ld.so put {right:#x} there "
            f"(relative relocation of {image.module.path}, same build-id)"
        )
        id = "R3" if (held ^ right).bit_count() == 1 else "R3:bits"
        yield word_evidence(id, at, held, right, summary, module=image.module.path)


def _wrong_relocations(image: ImageFile, start: int, data: bytes) -> Iterator[tuple[int, int, int]]:
    base = image.base
    low = start - base
    words = memoryview(data[: len(data) & ~7]).cast("Q")
    if (
        low >= 0
        and not low & 7
        and image.tables.relocated_words(low, len(data)).are_held_by(words, base)
    ):
        return
    for address, value in image.relatives(low, low + len(data) - 7):
        if words[address - low >> 3] != value + base & WORD_MASK and not address & 7:
            yield address + base, words[address - low >> 3], value + base & WORD_MASK


@check("S:overwritten-pointer", costly=True, needs="crash", order=17)
def pointers_into_functions(context: Context) -> Iterator[Evidence]:
    """Find a variable that ld.so set to a function, and that leads into the middle of one.

    Innocent causes: this is one: a counter or index that goes past the table before the pointer.
    Programs put other functions into such variables, and no place inside of one, as long as the
    unwind tables tell them apart; said only of the pointer into the function that failed.
    """
    fault = context.fault
    pc = 0 if isinstance(fault, Absent) else fault.pc
    inside = context.functions.function_at(pc) if pc else None
    if inside is None:
        return
    for image in image_files_of_modules(context)[0]:
        if image.offset(pc - image.base, 1) is None:
            continue
        for load in image.loads:
            start = image.base + load.vaddr + WORD - 1 & -WORD
            count = load.filesz // WORD if load.flags & PF_W and load.filesz < MAX_DATA else 0
            words = read_words(context, start, count)
            for number in where_in_range(words, inside.start, pc):
                yield from _evidence_of_wrong_function_pointer(
                    context, image, start + WORD * number, words[number]
                )


def _evidence_of_wrong_function_pointer(
    context: Context, image: ImageFile, at: int, held: int
) -> Iterator[Evidence]:
    right = image.expected_word(at)
    if right is None or right == held or not begins_function(context, right):
        return
    summary = (
        f"the word at {at:#x} was overwritten: ld.so put the address of the function at {right:#x} "
        f"there, and it is {held:#x}, inside of the function that failed"
    )
    if (held ^ right).bit_count() == 1:
        yield word_evidence("R14", at, held, right, summary)
    else:
        yield plain_evidence("S:overwritten-place", at, summary)

# SPDX-License-Identifier: Apache-2.0
"""Where to watch a process so that it stops in Python code.

Since 3.11 a call from Python to Python enters no C function, so a breakpoint in C misses it. But
the eval loop reads each instruction before it runs it, including the argument byte (NEXTOPARG() in
Python/ceval_macros.h, ceval.c; superinstructions of 3.11 read only that byte). A watchpoint on this
byte sees every run of the instruction, in every thread and from every caller.

A function is entered when the instruction after its first RESUME is read: by then the thread state
leads to the new frame, and the frame's last instruction tells an entry from a loop iteration.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdb_epi.cpython.frames.code_objects import CODE_UNIT, CodeInfo, CodeReader, locate_bytecode
from gdb_epi.cpython.frames.frame_chain import frame_reader
from gdb_epi.cpython.frames.line_tables import LineTableEntry, parse_line_table
from gdb_epi.cpython.frames.stack_walk import innermost_frame
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted

MAX_STATES = 200_000  # interpreters and thread states that are examined
MAX_CACHES = 2  # code units after a RESUME
LOOPS = "its first statement begins a loop: each turn stops"
# Jumps by an absolute number up to 3.10, JUMP_IF_FALSE_OR_POP to POP_JUMP_IF_TRUE
# (Include/opcode.h, 3.8 to 3.10).
_ABSOLUTE_JUMPS = range(111, 116)


class BreakpointLocation(NamedTuple):
    """A place in Python code: the process stops when the byte at `address` is read.

    The innermost frame must then run `code` (PyCodeObject *) and, unless `last` is None, its last
    instruction must not lie after that byte offset. `note` tells the user what may surprise him.
    """

    code: int
    name: str
    filename: str
    line: int | None
    address: int
    last: int | None
    note: str

    @property
    def where(self) -> str:
        """The file and line, for a screen."""
        return f"{self.filename}:{self.line if self.line is not None else '?'}"


def find_entry_location(codes: CodeReader, code: int) -> BreakpointLocation:
    """Return where calls of a code object can be seen.

    Raises LayoutError where this is not known, UnreadableMemory for damage.
    """
    reader, info = codes.reader, codes.code_at(code)
    start, size = _bytecode_range(reader, info)
    if not info.bytecode:  # up to 3.10 there is no RESUME, and each call begins at 0
        eval_code = reader.read(start, min(size, 1 << 16))
        loops = any(
            eval_code[at] in _ABSOLUTE_JUMPS
            and not eval_code[at + 1]
            and not (at and eval_code[at - 2] == 144)
            for at in range(0, len(eval_code) - 1, CODE_UNIT)
        )  # 144: EXTENDED_ARG
        return _location_in_code(codes, info, start, 0, None, LOOPS if loops else "")
    reader.layout.require("PyCodeObject", "_co_firsttraceable")
    # 3.15 gave RESUME an inline cache; an instruction and its caches have one entry.
    behind = info.firsttraceable + CODE_UNIT
    for entry in _line_table_entries(codes, info):
        if entry.start == info.firsttraceable and entry.end <= behind + MAX_CACHES * CODE_UNIT:
            behind = entry.end
            break
    if behind >= size:
        raise UnreadableMemory(start, size, "no RESUME in this bytecode")
    return _location_in_code(codes, info, start, behind, info.firsttraceable, "")


def find_line_location(
    codes: CodeReader, all_codes: Sequence[int], file: str, line: int
) -> BreakpointLocation:
    """Return where a line of a file can be seen, or the next line that has code.

    `all_codes` are the code objects of the process. Raises LookupError with a message for the user
    when there is none, LayoutError and UnreadableMemory as find_entry_location() does.
    """
    infos = [codes.code_at(code) for code in all_codes]
    infos = [info for info in infos if not info.problem and _is_wanted_file(info.filename, file)]
    if not infos:
        raise LookupError(f"no code of {file} is loaded (a module that is not imported has none)")
    lines: dict[int, list[tuple[CodeInfo, int, int]]] = {}  # (code, first offset, runs)
    for info in infos:
        own: dict[int, list[int]] = {}
        before = None
        for entry in _line_table_entries(codes, info):
            at = entry.position.line
            if at is not None and at != before:
                own.setdefault(at, []).append(entry.start)
            before = at
        for at, starts in own.items():
            lines.setdefault(at, []).append((info, min(starts), len(starts)))
    following = min((number for number in lines if number >= line), default=None)
    if following is None:
        raise LookupError(f"{file} has no code at line {line} or behind it")
    # Prefer a function to the code that defines it, and a statement to the lambdas in it.
    candidates = sorted(
        lines[following],
        key=lambda run: (_is_anonymous_code(run[0].name), -run[0].firstlineno, run[0].address),
    )
    info, offset, runs = candidates[0]
    alike = sum(other[0].name == info.name for other in candidates[1:])
    if info.firstlineno == following and info.bytecode and offset <= info.firsttraceable:
        place = find_entry_location(codes, info.address)
    else:
        place = _location_in_code(
            codes, info, _bytecode_range(codes.reader, info)[0], offset, None, ""
        )
    notes = [place.note] if place.note else []
    if following != line:
        notes.append(f"line {line} has no code")
    if runs > 1 and place.last is None:
        notes.append(f"the line is in {runs} pieces of bytecode: the first one stops")
    if alike:
        notes.append(f"{counted(alike, 'more code object')} of that name and line not watched")
    return place._replace(note="; ".join(notes))


def is_at_location(
    target: Target, python: PythonState, place: BreakpointLocation, tid: int, ident: int
) -> bool:
    """Tell whether a thread read the byte of a place because it is about to run it.

    `ident` is its pthread_t. Raises LayoutError, UnreadableMemory.
    """
    reader = MemoryReader(target, python.layout)
    tid_at = python.layout.offset("PyThreadState", "native_thread_id")
    ident_at = python.layout.require("PyThreadState", "thread_id")
    for tstate in _thread_states(reader, python.runtime):
        mine = reader.u64(tstate + ident_at) == ident
        if not mine and (tid_at is None or reader.u64(tstate + tid_at) != tid):
            continue
        frame = innermost_frame(reader, tstate)
        if frame:
            raw = frame_reader(reader, CodeReader(reader)).read(frame)
            if raw.code == place.code and (place.last is None or raw.lasti <= place.last):
                return True
    return False


def _line_table_entries(codes: CodeReader, info: CodeInfo) -> Iterator[LineTableEntry]:
    table = codes.line_table(info.address)
    if isinstance(table, Absent):
        return iter(())
    return parse_line_table(codes.reader.layout, table, info.firstlineno)


def _thread_states(reader: MemoryReader, runtime: int) -> Iterator[int]:
    require = reader.layout.require
    next_interpreter = require("PyInterpreterState", "next")
    head = require("PyInterpreterState", "threads.head", "tstate_head")
    next_thread = require("PyThreadState", "next")
    seen: set[int] = set()
    interpreter = reader.field(runtime, "_PyRuntimeState", "interpreters.head")
    while interpreter and interpreter not in seen and len(seen) < MAX_STATES:
        seen.add(interpreter)
        tstate = reader.u64(interpreter + head)
        while tstate and tstate not in seen and len(seen) < MAX_STATES:
            seen.add(tstate)
            yield tstate
            tstate = reader.u64(tstate + next_thread)
        interpreter = reader.u64(interpreter + next_interpreter)


def _bytecode_range(reader: MemoryReader, info: CodeInfo) -> tuple[int, int]:
    if info.problem:
        raise UnreadableMemory(info.address, 8, info.problem)
    if reader.layout.free_threaded and reader.layout.offset("PyCodeObject", "co_tlbc") is not None:
        # 3.14 (gh-115999): _PyCode_CreateTLBC
        raise LayoutError("in this free-threaded build each thread runs its own copy of the code")
    return locate_bytecode(reader, info.address)


def _location_in_code(
    codes: CodeReader, info: CodeInfo, start: int, offset: int, last: int | None, note: str
) -> BreakpointLocation:
    line = codes.line_at_offset(
        info, offset if last is None else last
    )  # for an entry, that of RESUME
    return BreakpointLocation(
        code=info.address,
        name=info.qualname or info.name,
        filename=info.filename,
        line=line,
        address=start + offset + 1,
        last=last,
        note=note,
    )


def _is_wanted_file(filename: str, wanted: str) -> bool:
    return filename == wanted or filename.endswith("/" + wanted.lstrip("/"))


def _is_anonymous_code(name: str) -> bool:
    return name.startswith("<") and name != "<module>"

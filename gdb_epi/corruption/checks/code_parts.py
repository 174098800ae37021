# SPDX-License-Identifier: Apache-2.0
"""R22: names, constants, numbers and tables of code objects against the .pyc of the module."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.corruption.checks.bytecode import codes_to_compare, source_of
from gdb_epi.corruption.constants import Constants, Difference
from gdb_epi.corruption.context import Context
from gdb_epi.corruption.loaded import Loaded, proof_of, pyc_of
from gdb_epi.corruption.paged import pages_of
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.types import MEMORY, Evidence, Skipped, word_evidence
from gdb_epi.cpython.code import bytecode_of
from gdb_epi.cpython.pyc import Code, codes_of
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.words import counted

MAX_PARSED = 320 << 10  # bytes of .pyc files in a default run: 60 to 80 microseconds a KiB
MAX_SWEPT = 64 << 20
MAX_CANDIDATES = 256  # code objects of one file with as many instructions
WORD = 8
# What no compiler of a source text of a reasonable size writes: lines and counts beyond a million.
FAR_BIT = 20
COUNTS = ("co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_nlocals", "co_stacksize",
          "co_firstlineno")  # fmt: skip


@check("R22", needs="python", order=63)
def code_parts(context: Context) -> Iterator[Evidence | Skipped]:
    """Compare what marshal wrote of running code objects with what they hold, but bytecode (R6).

    The code object in the .pyc is the one with as many instructions that is the same in all but
    one number, name, constant or table. One bit of that must differ, of the object or of the
    pointer to it. Innocent causes: a source that was edited since (the .pyc must be provably the
    one that was loaded, or the value one that no source makes); types.coroutine(), which sets one
    bit of co_flags (left out); tools that replace code objects, which differ in more.
    """
    python = context.state.python
    if not isinstance(python, PythonState):
        return
    constants = Constants(pages_of(context, python.layout))
    files: dict[str, tuple[Loaded, list[int]]] = {}
    missing = later = parsed = 0
    for address in codes_to_compare(context, python):
        try:
            source = source_of(constants.reader, address)
        except UnreadableMemory:
            continue
        if source is None:
            continue
        pyc = pyc_of(context, python, source)
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
        yield from _compare(context, python, constants, pyc, addresses)
    if missing:
        yield Skipped("R22", f"{counted(missing, 'code object')} of files without a .pyc here")
    if later:
        yield Skipped("R22", f"{counted(later, 'code object')} of large files: see --sweep")


def _compare(
    context: Context,
    python: PythonState,
    constants: Constants,
    pyc: Loaded,
    addresses: list[int],
) -> Iterator[Evidence | Skipped]:
    codes = codes_of(pyc.file.data, python.layout)
    if isinstance(codes, Absent):
        yield Skipped("R22", f"{pyc.file.path}: {codes.detail}")
        return
    by_size: dict[int, list[Code]] = {}
    for one in codes:
        held = one.members["co_code"]
        by_size.setdefault(len(held) if isinstance(held, bytes) else -1, []).append(one)
    for address in addresses:
        context.counts["code parts"] = context.counts.get("code parts", 0) + 1
        try:
            near = _near(constants, address, by_size)
            if near is not None:
                yield from _one_bit(context, python, constants, pyc, *near)
        except (UnreadableMemory, LayoutError):
            continue


def _near(
    constants: Constants, address: int, by_size: dict[int, list[Code]]
) -> tuple[Code, Difference] | None:
    """Return the only code object of the file that differs in one part, when none is the same."""
    _, size = bytecode_of(constants.reader, address)
    near = []
    for one in by_size.get(size, ())[:MAX_CANDIDATES]:
        found = constants.differences(address, one)
        if not found:
            return None
        if len(found) == 1:
            near.append((one, found[0]))
    return near[0] if len(near) == 1 else None


def _one_bit(
    context: Context,
    python: PythonState,
    constants: Constants,
    pyc: Loaded,
    code: Code,
    one: Difference,
) -> Iterator[Evidence | Skipped]:
    """Yield the bit that a part of a code object differs in, when the .pyc can be trusted."""
    flip = constants.flip(one)
    if flip is None:
        return
    place, bit = flip
    where = place & -WORD
    bit += 8 * (place - where)
    found = int.from_bytes(context.target.read(where, WORD), "little")
    name = code.members["co_name"]
    what = f"{one.member} of the code object of {name!r} in {pyc.source}"
    proof = proof_of(context, python, pyc)
    unwritten = constants.unwritten(one, place) or (one.member in COUNTS and bit % 32 >= FAR_BIT)
    if not proof.holds and not unwritten:
        why = f"{what} differs in one bit from the .pyc, which may be of later: {proof.says}"
        yield Skipped("R22", why)
        return
    yield word_evidence(
        "R22" if proof.holds else "R22:form",
        where,
        found,
        found ^ 1 << bit,
        MEMORY,
        f"{what} differs in one bit, at {place:#018x}, from that in {pyc.file.path} "
        + (f"({proof.says})" if proof.holds else "and is none that a compiler makes"),
    )

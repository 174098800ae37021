# SPDX-License-Identifier: Apache-2.0
"""A pointer that code of the program had changed on purpose was used with the change.

By a mark, a mask, an offset. A flag in the lower bits, and a mask that cuts an address, leave one
wrong bit as a flip does.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.types import PythonState
from gdb_epi.detectors.registry import Finding, SupportedLabel, detector, hex_word, plain_finding
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.fault.account import ACCESS, TRANSFER
from gdb_epi.fault.called_functions import MAX_BODY
from gdb_epi.fault.fault_site import DATA
from gdb_epi.fault.mapping_checks import may_execute, permits, untagged_address
from gdb_epi.fault.memory_reads import read_up_to, try_read
from gdb_epi.fault.own_native_code import is_own_library
from gdb_epi.process_state import ProcessState
from gdb_epi.sizes import ADDRESS_BITS, PAGE, WORD, split_into_words
from gdb_epi.target.api import Target, module_at, shared_cache
from gdb_epi.target.function_bounds import Function, FunctionBounds
from gdb_epi.target.memory_search import find_word
from gdb_epi.util import counted
from gdb_epi.x86.decode import decode_instructions
from gdb_epi.x86.instruction import CALL, JUMP
from gdb_epi.x86.word_changing_code import MAX_SMALL, WordChangingConstants, word_changing_constants

REACH = 2048  # bytes to each side: an array, a table, a few nodes of a heap
STRAY_REACH = 32 << 10  # in which a stray `|=` into many objects shows by its different bits
MAX_PLACES = 4  # that hold the pointer
MIN_OTHERS = 2  # other words with the same mark
STRAY_BITS = 3  # different marks of one bit side by side: programs mark pointers by one or two
MAX_CALLED = 64  # functions that are looked into
MAX_CODE = 4 << 20  # bytes of a library; half of the larger ones have a constant for any bit
SIGN = 63  # a bit that all kinds of code handle
FAR_BIT = 24  # software's near misses end below
DIGIT = 30  # bits of a digit of an int, in 32
NEIGHBOURS, CODE = "neighbours", "code"


@detector(
    "marked_pointer", needs="crash", supports=SupportedLabel("software", "wrong-pointer", "kind")
)
def marked_pointer(state: ProcessState) -> Iterator[Finding]:
    """Find a pointer that code of the program changed: a mark that was not taken off, or a mask.

    `neighbours`: other pointers beside it in memory have the same top bits. `code`: a library on
    the stack, or Python code, makes exactly this word of an address, by a constant.
    Innocent causes: a flipped bit of one word: then no other word has it, so that two others are
    asked for, and few libraries handle one such bit, so that the sign bit does not count.
    A bit that is stuck in one lane of memory sets words 64 bytes apart alike (`epi corruption`,
    M:stuck), so the others must not all lie so. A stray `|=` sets another bit in each word: where
    the others have three marks of one bit between them, no program uses them all as marks.
    Reference: tagged pointers, NaN boxing, the dirty and lock bits of caches and trees.
    """
    account = state.fault_account
    if isinstance(account, Absent) or account.how not in (ACCESS, TRANSFER):
        return
    if not account.fault.architecture.decodes:
        return
    target, site = state.target, account.site
    if site.kind == DATA:
        names = site.operand.registers() if site.operand is not None else ()
        values = {name: account.fault.registers.get(name, 0) for name in names}
        if PAGE <= (account.address or 0) < 1 << ADDRESS_BITS:
            # The sum of the registers has no mark: a register that has is a negative number.
            values = {name: value for name, value in values.items() if not value >> ADDRESS_BITS}
    else:
        values = {"the target": account.address or 0}
    for name, value in values.items():
        plain = untagged_address(target, value)
        others = {} if plain is None else _other_words_with_mark(target, value)
        if others:
            count = counted(len(others), "other pointer")
            kind, why = NEIGHBOURS, f"which {count} beside it in memory have too"
        else:
            near = _addresses_one_bit_off(target, value) if plain is None else [plain]
            made = (
                (right, code_that_changes_word(state, value, right))
                for right in near
                if not value >> SIGN
            )
            plain, maker = next((pair for pair in made if pair[1]), (None, None))
            kind, why = CODE, f"which {maker} sets, tests or clears itself"
        if plain is None:
            continue
        where = [hex_word(at) for at in find_word(target, value, limit=MAX_PLACES).addresses]
        facts = {"kind": kind, "value": hex_word(value), "address": hex_word(plain),
                 "others": len(others), "where": where}  # fmt: skip
        words = f"a pointer was used with a mark in its top bits, {why}: the mark was not taken off"
        if not value >> ADDRESS_BITS:
            words = f"a pointer was used as {maker} makes it on purpose: by a mask, flag or offset"
        details = f"{name} holds {value:#018x}, the address is {plain:#x}"
        subject = f"thread {account.fault.tid}"
        yield plain_finding("marked_pointer", subject, facts, words, details)
        return


def _other_words_with_mark(target: Target, value: int) -> dict[int, int]:
    """Return other words beside those of a value that have its mark, where no flip explains them.

    Flips are two of one lane, or of three different bits.
    """
    places = find_word(target, value, limit=MAX_PLACES).addresses
    marks, others = {value >> ADDRESS_BITS}, {}
    for place in places:
        for at, word in _marked_pointers_near(target, place):
            marks.add(word >> ADDRESS_BITS)
            alike = word != value and word >> ADDRESS_BITS == value >> ADDRESS_BITS
            if alike and abs(at - place) <= REACH:
                others[at] = word
    lanes = {at % 64 for at in (*others, *places)}
    single = sum(mark & mark - 1 == 0 for mark in marks)
    enough = min(len(set(others.values())), len(lanes)) >= MIN_OTHERS
    return others if enough and single < STRAY_BITS else {}


def _addresses_one_bit_off(target: Target, value: int) -> Iterator[int]:
    """Yield the mapped addresses that a word is one bit from; none of a word that is mapped.

    Nor where the word is right behind a mapping, whose size it goes beyond then.
    """
    if target.region_at(value) is None:
        for bit in range(FAR_BIT, ADDRESS_BITS):
            region = target.region_at(value ^ 1 << bit)
            if permits(region, None) and region is not None and not 0 <= value - region.end < PAGE:
                yield value ^ 1 << bit


def code_that_changes_word(
    state: ProcessState, wrong: int, right: int, *, of_cpython: bool = False
) -> str | None:
    """Return who makes a wrong word of a right one, by design; None for nobody.

    That is a function of a library of the program's own on the stack of the thread that failed, one
    that it calls, or any of a small library, also where a variable of that holds the word: by a
    mask, a flag or an offset that is a constant of it, or would undo that; no library changes
    fields of CPython's own so (`of_cpython`). Or it is code of Python, where an int is the wrong
    word: no flip of an argument changes that. Memory must hold the right one then: an int is the
    address of what was freed since, more often, and others are mapped one bit away from that.
    """
    libraries = {} if of_cpython else _word_changes_of_libraries(state, wrong)
    for name, changes in libraries.items():
        if changes.explains(wrong, right) or changes.explains(right, wrong):
            return f"code of {name}"
    of_python = _is_value_of_int(state, wrong) and find_word(state.target, right, limit=1).addresses
    return "code of Python" if of_python else None


def library_that_may_change_word(state: ProcessState, wrong: int, right: int) -> str | None:
    """Return whose code has a constant, anywhere, that makes the change; None for no library.

    Chance has one in many a library. What code of another call had marked and stored looks so too.
    """
    for name, changes in _word_changes_of_libraries(state, wrong, anywhere=True).items():
        if not any(changes) or changes.explains(wrong, right) or changes.explains(right, wrong):
            return name
    return None


def _word_changes_of_libraries(
    state: ProcessState, word: int, *, anywhere: bool = False
) -> dict[str, WordChangingConstants]:
    """Return what the code of such libraries does to words, by their file names.

    Of one that is too large to be searched `anywhere` it is nothing.
    """
    fault, target = state.fault, state.target
    frames = () if isinstance(fault, Absent) else target.native_frames(fault.tid)
    places: dict[str, list[int]] = {}
    for frame in () if isinstance(frames, Absent) else frames:
        if frame.module and is_own_library(frame.module):
            places.setdefault(frame.module, []).append(frame.pc)
    for slot in find_word(target, word, limit=MAX_PLACES).addresses:
        module = module_at(target, slot)
        if module is not None and is_own_library(module.path):
            places.setdefault(module.path, [])
    kept = shared_cache(target)
    known: dict[tuple[str, bool], WordChangingConstants] = (
        {} if kept is None else kept.setdefault(WordChangingConstants, {})
    )
    for path, pcs in places.items():
        if (path, anywhere) not in known:
            code = _library_code(target, path) if anywhere else _code_of_frames(target, path, pcs)
            known[path, anywhere] = word_changing_constants(code)
    return {path.rpartition("/")[2]: known[path, anywhere] for path in places}


def _library_code(target: Target, path: str) -> bytes:
    """Return the code of a library; b"" where it has more than MAX_CODE."""
    regions = [region for region in target.regions() if region.path == path and may_execute(region)]
    if sum(region.size for region in regions) > MAX_CODE:
        return b""
    return b"".join(try_read(target, region.start, region.size) for region in regions)


def _code_of_frames(target: Target, path: str, pcs: list[int]) -> bytes:
    """Return a small library's code; of others the functions of its frames, and what those call.

    A large one has a constant for half of all bits somewhere: a flag, a hash, a key.
    """
    regions = [region for region in target.regions() if region.path == path and may_execute(region)]
    if sum(region.size for region in regions) <= MAX_SMALL:
        return _library_code(target, path)
    bounds = FunctionBounds(target)
    on_stack = [
        bounds.function_at(pc) or bounds.function_returned_to(pc) for pc in pcs[:MAX_PLACES]
    ]
    functions = dict.fromkeys(function for function in on_stack if function is not None)
    for function in list(functions):
        for at, step in decode_instructions(
            read_up_to(target, function.start, _capped_body_size(function))
        ):
            if step is None or step.flow not in (CALL, JUMP) or step.target is None:
                continue
            to = function.start + at + step.length + step.target
            called = bounds.function_at(to) if any(r.start <= to < r.end for r in regions) else None
            if called is not None and len(functions) < MAX_CALLED:
                functions[called] = None
    return b"".join(
        read_up_to(target, function.start, _capped_body_size(function)) for function in functions
    )


def _capped_body_size(function: Function) -> int:
    return min(function.end - function.start, MAX_BODY)


def _is_value_of_int(state: ProcessState, word: int) -> bool:
    """Tell whether an int of Python has a word's value: two digits of 30 bits side by side."""
    python = state.python
    if not isinstance(python, PythonState) or word >> 2 * DIGIT or not word >> DIGIT:
        return False
    reader = MemoryReader(state.target, python.layout)
    digits = word >> DIGIT << 32 | word & (1 << DIGIT) - 1
    for place in find_word(state.target, digits, limit=MAX_PLACES).addresses:
        try:
            kind = reader.type_of(place - python.layout.require("PyLongObject", "ob_digit"))
            if reader.type_name(kind) == "int":
                return True
        except (UnreadableMemory, LayoutError):
            continue
    return False


def _marked_pointers_near(target: Target, place: int) -> Iterator[tuple[int, int]]:
    """Yield (address, word) of the words near a place that are mapped addresses under a mark."""
    region = target.region_at(place)
    if region is None:
        return
    start = max(region.start, place - STRAY_REACH) & -WORD
    end = min(region.end, place + STRAY_REACH)
    for first in range(start, end - WORD + 1, PAGE):
        words = split_into_words(try_read(target, first, min(PAGE, end - first)))
        for number, word in enumerate(words):
            if word >> ADDRESS_BITS and untagged_address(target, word) is not None:
                yield first + WORD * number, word

# SPDX-License-Identifier: Apache-2.0
"""What code wrote over objects: the same wrong word in several, text of two bytes a letter."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from gdb_epi.cpython.types import PythonState
from gdb_epi.detectors.registry import Finding, SupportedLabel, detector, hex_word, plain_finding
from gdb_epi.errors import Absent
from gdb_epi.fault.account import ACCESS, TRANSFER
from gdb_epi.fault.mapping_checks import permits
from gdb_epi.fault.memory_reads import read_word
from gdb_epi.fault.own_native_code import is_own_library
from gdb_epi.process_state import ProcessState
from gdb_epi.sizes import WORD
from gdb_epi.target.api import module_at
from gdb_epi.target.memory_search import find_word

MIN_WORD = 1 << 32  # smaller numbers stand everywhere
MIN_HALF = 1 << 16  # and so do pairs of such, as two of 32 bits in a word
MIN_OBJECTS = 3  # objects with the same wrong word
MAX_PLACES = 64
ALIGNMENT = 16  # of objects (Objects/obmalloc.c), since 3.7 on 64 bits
ALL_ONES = 0xFFFFFFFF
MAX_REFERENCES = 1 << 20  # of an object that is looked at
AROUND = (-2 * WORD, -WORD, WORD, 2 * WORD)
_LETTERS = frozenset((*range(0x20, 0x7F), 9, 10, 13))


@detector("repeated_wrong_word", needs="python", supports=SupportedLabel("software", "stray-store"))
def repeated_wrong_word(state: ProcessState) -> Iterator[Finding]:
    """Find a bad pointer that follows the reference count of three or more objects.

    There the type of an object stands: several objects have the same wrong one. A flipped bit
    changes one word, and a wrong type ends the process before it makes objects. Innocent causes: -1
    and other values that are no address of an object; copies on stacks and in registers, which do
    not count; a pointer of the program's own after a small number in a struct, so the code that
    failed must be CPython's. Reference: CWE-787 (out-of-bounds write).
    """
    if _did_own_library_fail(state):  # CPython alone follows the types of objects
        return
    for name, value in _bad_pointers_of_access(state):
        if value % WORD or value >> 32 == ALL_ONES:  # no type's address, and a small negative one
            continue
        places = [at for at in find_word(state.target, value, limit=MAX_PLACES).addresses
                  if (at - WORD) % ALIGNMENT == 0
                  and 0 < (read_word(state.target, at - WORD) or 0) < MAX_REFERENCES]  # fmt: skip
        if len(places) < MIN_OBJECTS:
            continue
        more = "at least " if len(places) == MAX_PLACES else ""
        steps = {after - before for before, after in pairwise(places)}
        apart = f", {steps.pop()} bytes apart," if len(steps) == 1 else ""
        facts = {"value": hex_word(value), "objects": len(places),
                 "where": [hex_word(at) for at in places[:8]]}  # fmt: skip
        plain = (
            f"{more}{len(places)} objects{apart} have the same wrong word as their type: code "
            "wrote over all of them"
        )
        details = f"{name} holds {value:#x} too"
        yield plain_finding("repeated_wrong_word", "memory", facts, plain, details)
        return


def _did_own_library_fail(state: ProcessState) -> bool:
    account = state.fault_account
    module = None if isinstance(account, Absent) else module_at(state.target, account.fault.pc)
    return module is not None and is_own_library(module.path or "")


@detector("wide_text", needs="python", supports=SupportedLabel("software", "other-data"))
def wide_text(state: ProcessState) -> Iterator[Finding]:
    """Find a bad pointer that is four letters of UTF-16 among such words.

    Innocent causes: a flipped pointer that leads into a text: then the word was read from where
    text belongs, which is not known here; that no other word around is text is tested.
    Reference: CWE-135 (sizes of wide strings in characters and bytes).
    """
    for name, value in _bad_pointers_of_access(state):
        if not is_wide_text(value):
            continue
        places = find_word(state.target, value, limit=2).addresses
        if len(places) != 1:
            continue
        around = [read_word(state.target, places[0] + step) for step in AROUND]
        alike = sum(word is not None and is_wide_text(word) for word in around)
        if alike < 2:
            continue
        facts = {"where": hex_word(places[0]), "around": alike}
        plain = "text of two bytes a letter (UTF-16) lies where a pointer belongs, among such text"
        details = f"{name} holds it; it is at {places[0]:#x}"
        yield plain_finding("wide_text", "memory", facts, plain, details)
        return


def is_wide_text(word: int) -> bool:
    """Tell whether a word is four printable letters of UTF-16."""
    return all(word >> 16 * unit & 0xFFFF in _LETTERS for unit in range(4))


def _bad_pointers_of_access(state: ProcessState) -> Iterator[tuple[str, int]]:
    """Yield (register, value) of the failed access that lead to no memory."""
    account = state.fault_account
    if isinstance(account, Absent) or account.how not in (ACCESS, TRANSFER):
        return
    if not isinstance(state.python, PythonState) or account.site.operand is None:
        return
    for name in account.site.operand.registers():
        value = account.fault.registers.get(name, 0)
        pair = max(value >> 32, value & 0xFFFFFFFF) < MIN_HALF
        if value >= MIN_WORD and not pair and not permits(state.target.region_at(value), None):
            yield name, value

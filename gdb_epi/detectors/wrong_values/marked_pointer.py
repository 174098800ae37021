# SPDX-License-Identifier: Apache-2.0
"""A pointer that the program itself had marked in its top bits was used with the mark."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import Finding, SupportedLabel, detector, hex_word, plain_finding
from gdb_epi.errors import Absent
from gdb_epi.fault.account import ACCESS, TRANSFER
from gdb_epi.fault.fault_site import DATA
from gdb_epi.fault.mapping_checks import may_execute, untagged_address
from gdb_epi.fault.memory_reads import try_read
from gdb_epi.fault.own_native_code import own_library_names_of_frames
from gdb_epi.process_state import ProcessState
from gdb_epi.sizes import ADDRESS_BITS, PAGE, WORD, WORD_MASK, split_into_words
from gdb_epi.target.api import Target
from gdb_epi.target.memory_search import find_word
from gdb_epi.util import counted
from gdb_epi.x86 import decode

REACH = 2048  # bytes to each side: an array, a table, a few nodes of a heap
STRAY_REACH = 32 << 10  # in which a stray `|=` into many objects shows by its different bits
MAX_PLACES = 4  # that hold the pointer
MIN_OTHERS = 2  # other words with the same mark
STRAY_BITS = 3  # different marks of one bit side by side: programs mark pointers by one or two
MAX_CODE = 4 << 20  # bytes of a library's code that are searched for the mark
SIGN = 63  # a bit that all kinds of code handle
NEIGHBOURS, CODE = "neighbours", "code"
_BIT_INSTRUCTION = b"\x0f\xba"  # bt, bts, btr, btc with a number


@detector(
    "marked_pointer", needs="crash", supports=SupportedLabel("software", "wrong-pointer", "kind")
)
def marked_pointer(state: ProcessState) -> Iterator[Finding]:
    """Find a pointer with top bits that are a mark of the program: it was not taken off.

    `neighbours`: other pointers beside it in memory have the same. `code`: the library that failed
    has instructions that set, test or clear exactly these bits.
    Innocent causes: a flipped bit of one word: then no other word has it, so that two others are
    asked for, and few libraries handle one bit of that height, so that the sign bit does not count.
    A bit that is stuck in one lane of memory sets words 64 bytes apart alike (`epi corruption`,
    M:stuck), so the others must not all lie so. A stray `|=` sets another bit in each word: where
    the others have three marks of one bit between them, no program uses them all as marks.
    Reference: tagged pointers, NaN boxing, the dirty and lock bits of caches and trees.
    """
    account = state.account
    if isinstance(account, Absent) or account.how not in (ACCESS, TRANSFER):
        return
    if not account.fault.architecture.decodes:
        return
    target, site = state.target, account.site
    if site.kind == DATA:
        names = site.operand.registers() if site.operand is not None else ()
        values = {name: account.fault.registers.get(name, 0) for name in names}
    else:
        values = {"the target": account.address or 0}
    for name, value in values.items():
        plain = untagged_address(target, value)
        if plain is None:
            continue
        places = find_word(target, value, limit=MAX_PLACES).addresses
        marks, others = {value >> ADDRESS_BITS}, {}
        for place in places:
            for at, word in _marked_near(target, place):
                marks.add(word >> ADDRESS_BITS)
                alike = word != value and word >> ADDRESS_BITS == value >> ADDRESS_BITS
                if alike and abs(at - place) <= REACH:
                    others[at] = word
        lanes = {at % 64 for at in (*others, *places)}
        single = sum(mark & mark - 1 == 0 for mark in marks)
        if (
            single < STRAY_BITS
            and len(set(others.values())) >= MIN_OTHERS
            and len(lanes) >= MIN_OTHERS
        ):
            kind, count = NEIGHBOURS, counted(len(others), "other pointer")
            why = f"which {count} beside it in memory have too"
        else:
            handles = _code_that_handles(state, account.fault.tid, value ^ plain)
            if handles is None:
                continue
            kind, why = CODE, f"which code of {handles} sets, tests or clears itself"
        facts = {"kind": kind, "value": hex_word(value), "plain": hex_word(plain),
                 "others": len(others), "where": [hex_word(at) for at in places]}  # fmt: skip
        words = f"a pointer was used with a mark in its top bits, {why}: the mark was not taken off"
        details = f"{name} holds {value:#018x}, the address is {plain:#x}"
        subject = f"thread {account.fault.tid}"
        yield plain_finding("marked_pointer", subject, facts, words, details)
        return


def _code_that_handles(state: ProcessState, tid: int, mark: int) -> str | None:
    """Return the library of the innermost frame where its code handles exactly these bits."""
    frames = state.target.native_frames(tid)
    if isinstance(frames, Absent) or not frames or mark >> SIGN:
        return None
    own = own_library_names_of_frames(frames[:1])
    path = frames[0].module
    if not own or path is None:
        return None
    for region in state.target.regions():
        if region.path != path or not may_execute(region) or region.size > MAX_CODE:
            continue
        if handles_mark(try_read(state.target, region.start, region.size), mark):
            return own[0]
    return None


def handles_mark(code: bytes, mark: int) -> bool:
    """Tell whether code loads the mark or its complement as a constant, or names its bit."""
    for constant in (mark, mark ^ WORD_MASK):
        at = code.find(constant.to_bytes(WORD, "little"))
        while at >= 2:  # movabs: REX.W and B8 + register before the constant
            if code[at - 2] in (0x48, 0x49) and 0xB8 <= code[at - 1] <= 0xBF:
                return True
            at = code.find(constant.to_bytes(WORD, "little"), at + 1)
    if mark & mark - 1:
        return False
    bit = mark.bit_length() - 1
    at = code.find(_BIT_INSTRUCTION)
    while at >= 1:
        instruction = decode(code[at - 1 : at + 14])
        wide = 0x48 <= code[at - 1] <= 0x4F
        if (
            wide
            and instruction is not None
            and instruction.immediate == bit
            and instruction.modrm_reg >= 4
        ):
            return True
        at = code.find(_BIT_INSTRUCTION, at + 1)
    return False


def _marked_near(target: Target, place: int) -> Iterator[tuple[int, int]]:
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

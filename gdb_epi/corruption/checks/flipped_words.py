# SPDX-License-Identifier: Apache-2.0
"""P, M: a word that is one bit, or what a part of a memory module does, from a right one.

Such parts lose a byte lane, give a cache line of zeros, or change the same bit again. Programs
clear blocks, or parts of them, and too much at that: such zeros begin where a block does, or where
its program thinks a member does. Neither knows of cache lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import (
    MEMORY,
    REGISTER,
    UNKNOWN,
    Evidence,
    Skipped,
    plain_evidence,
    word_evidence,
)
from gdb_epi.corruption.heap.address_descriptions import describe_address
from gdb_epi.corruption.heap.address_index import (
    FREE,
    FUNCTION,
    HEADS,
    OBJECT,
    ThingAtAddress,
    address_index,
)
from gdb_epi.corruption.heap.cpython_fields import type_that_may_mark
from gdb_epi.corruption.heap.popped_frames import (
    popped_frame_code_slot,
    popped_frame_link_slot,
)
from gdb_epi.corruption.heap.pymalloc_pools import GC_HEAD
from gdb_epi.corruption.heap.readers import AROUND, POINTER_LANES, is_on_stack, read_words
from gdb_epi.corruption.pointers.one_bit_neighbours import (
    MAX_COPIES,
    WordCorrection,
    count_registers_holding,
    has_software_pattern,
    is_far_flip,
    rank_one_bit_neighbours,
)
from gdb_epi.corruption.pointers.suspects import SuspectedWord, find_suspects
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.replay.register_origins import recomputed_registers
from gdb_epi.detectors.pointer_one_bit_off import copies_clause
from gdb_epi.detectors.wrong_values.marked_pointer import FAR_BIT, library_that_may_change_word
from gdb_epi.errors import Absent
from gdb_epi.fault.malloc_heap import HEAD_BYTES
from gdb_epi.fault.mapping_checks import NEAR_NULL
from gdb_epi.fault.memory_reads import read_word
from gdb_epi.fault.signals import SIGBUS, SIGSEGV
from gdb_epi.sizes import PAGE, WORD, WORD_MASK
from gdb_epi.target.memory_search import find_word
from gdb_epi.util import add_article

MAX_REPORTED = 8
OF_OBJECT = "into an object of type"
LINE = 64
BEFORE = 2  # words before the line that are given
MIN_ALIKE = 2
MAX_COUNTED = 16  # references of an object that were taken since
MIN_SIZE, MAX_SIZE = 0x20, 0x1000
MAX_CANDIDATES = 8  # of one word; more say nothing
MAX_WORDS = 256


@check("P", needs="crash")
def one_bit_pointer(context: Context) -> Iterator[Evidence | Skipped]:
    """Rank the one-bit neighbours of the words that made the failed access.

    Innocent causes: an abort or a signal that was sent (nothing is tested); near NULL; several high
    bits (tags, boxed values); an index of 2^k and a single tag bit come out as ambiguous; many
    neighbours argue against each (5 to 11 lie just past a mapping, 1 near a true flip); text,
    poison and so on are the checks of software's own patterns.
    """
    fault = context.fault
    if isinstance(fault, Absent) or not fault.is_hardware_trap:
        return
    if fault.signo not in (SIGSEGV, SIGBUS):
        return
    site = context.site
    if not isinstance(site, Absent) and site.instruction is None and not site.arrived:
        yield Skipped("P", f"only registers near the address were tested: {site.why}")
    best = rank_one_bit_neighbours(context)
    if context.searches_skipped:
        why = f"{context.searches_skipped} words were not looked for elsewhere: too much memory"
        yield Skipped("P", why)
    innocent = any(evidence.id.startswith("S:") for evidence in context.evidence)
    for neighbour in best[:MAX_REPORTED]:
        if not (innocent and neighbour.ambiguous):  # else nothing is left to doubt
            yield _pointer_evidence(context, neighbour)


def _pointer_evidence(context: Context, neighbour: WordCorrection) -> Evidence:
    suspect = neighbour.suspect
    where, path = _origin_of_wrong_word(context, neighbour)
    marks: str | None = None
    if not neighbour.ambiguous and not neighbour.of_cpython and neighbour.bit >= 0:
        marks = next(
            filter(None, (type_that_may_mark(context, at, neighbour.bit) for at in suspect.slots)),
            None,
        )
        if not marks and neighbour.bit >= FAR_BIT and not suspect.depth:
            marks = library_that_may_change_word(context.state, suspect.value, neighbour.corrected)
    evidence = word_evidence(
        _evidence_id(context, neighbour),
        where,
        suspect.value,
        neighbour.corrected,
        _sentence_of_correction(context, neighbour),
        path=path,
        rivals=neighbour.rivals,
        copies=neighbour.copies,
        object_type=neighbour.pointee.name if neighbour.pointee is not None else None,
        near=neighbour.near,
        around=neighbour.objects,
        depth=suspect.depth,
        marks=marks,
    )
    return evidence._replace(ambiguous=neighbour.ambiguous)


def _origin_of_wrong_word(context: Context, neighbour: WordCorrection) -> tuple[int | str, str]:
    """Return where the wrong word is, or was, and whether memory held it."""
    suspect = neighbour.suspect
    if suspect.slots:
        link = popped_frame_link_slot(context, suspect.value) if neighbour.pointee is None else None
        return link or suspect.slots[0], MEMORY
    if neighbour.pointee is not None and neighbour.pointee.name == "code":
        cleared = popped_frame_code_slot(context, neighbour.corrected)
        if cleared is not None:  # it was there, or was loaded wrongly from there
            return cleared, UNKNOWN
    return suspect.source, REGISTER


def _evidence_id(context: Context, neighbour: WordCorrection) -> str:
    may_be_far = not neighbour.suspect.depth and neighbour.level not in ("P5", "P14", "P16", "R17")
    far = may_be_far and is_far_flip(context, neighbour.suspect, neighbour.bit)
    return f"{neighbour.level}:far" if far else neighbour.level


def _sentence_of_correction(context: Context, neighbour: WordCorrection) -> str:
    suspect = neighbour.suspect
    held = "which was called" if suspect.source == "target" else f"in {suspect.source}"
    if suspect.slots:
        owner = describe_address(context, suspect.slots[0])
        held += f", and in memory at {suspect.slots[0]:#018x}"
        held += f", {owner}" if OF_OBJECT in owner else ""
    how_far = f"one bit (bit {neighbour.bit})" if neighbour.bit >= 0 else "one byte, which is 0,"
    role = "" if not suspect.depth else ", which was read through,"
    what = (
        f", where {_describe_pointee(neighbour.pointee)} begins"
        if neighbour.pointee is not None
        else ""
    )
    return (
        f"pointer {suspect.value:#018x} ({held}){role} is {how_far} from "
        f"{neighbour.corrected:#018x}{what}{_holders_of_corrected_clause(context, neighbour)}"
    )


def _holders_of_corrected_clause(context: Context, neighbour: WordCorrection) -> str:
    """Tell who holds the corrected word, as far as memory was searched for it by any check."""
    skipped = context.searches_skipped
    in_memory: tuple[int, ...] = ()
    searched = context.was_searched(neighbour.corrected)
    if searched:
        in_memory = context.places_of_word(neighbour.corrected, MAX_COPIES)
        searched = context.searches_skipped == skipped
    in_registers = count_registers_holding(context, neighbour.suspect, neighbour.corrected)
    more = not searched or len(in_memory) == MAX_COPIES
    count = max(neighbour.copies, in_registers + len(in_memory))
    return copies_clause(count, searched=searched, more=more)


def _describe_pointee(pointee: ThingAtAddress) -> str:
    if pointee.kind == OBJECT:
        return f"an object of type {pointee.name}"
    if pointee.kind == FUNCTION:
        return "a function"
    if pointee.kind == FREE:
        return f"a freed block (of {pointee.name})"
    return pointee.name if pointee.name.startswith("data ") else f"a block of {pointee.name}"


def crossed_blocks_clause(context: Context, start: int, words: Sequence[int]) -> str:
    """Return what a line of zeros at `start` runs across; "" for nothing that tells.

    `words` are those of the line, with two before and two after. One of the line may have been
    written since. The zeros must end with the line on one side, and begin inside of a block.
    """
    line = words[BEFORE:-BEFORE]
    written = sum(word != 0 for word in line)
    ends = (bool(words[BEFORE - 1] or line[0]), bool(words[-BEFORE] or line[-1]))
    if written > 1 or not any(ends) or (written == 1 and (line[0] or line[-1]) and not all(ends)):
        return ""
    number = next(n for n, word in enumerate(words) if n >= BEFORE - 1 and not word)
    first = start + (number - BEFORE) * WORD
    if clause := _crossed_chunks_clause(context, start, first):
        return clause
    # A pointer in the line is a field between others that were cleared (Py_CLEAR), such as a type.
    if any(word and context.target.region_at(word) is not None for word in line):
        return ""
    return _crossed_pool_blocks_clause(context, start, first)


def _crossed_chunks_clause(context: Context, start: int, first: int) -> str:
    """Tell of malloc's chunks; `first` is the first zero."""
    for zeroed in context.zeroed_headers:
        if start <= zeroed.header + WORD < start + LINE and first > zeroed.before + HEAD_BYTES:
            return (
                f"the header of the malloc chunk at {zeroed.header:#018x} is gone with it, inside "
                f"of the one at {zeroed.before:#018x} the zeros begin, and chunks follow behind"
            )
    return ""


def _crossed_pool_blocks_clause(context: Context, start: int, first: int) -> str:
    """Tell of blocks of pymalloc's that are in use."""
    index = address_index(context)
    within, place = (
        index.offset_in_pool_block(start),
        index.offset_in_pool_block(start + LINE - WORD),
    )
    if within is None or place is None or not WORD <= place < LINE - WORD:
        return ""
    before, behind = start - within, start + LINE - WORD - place
    if index.in_free_block(start) or index.in_free_block(behind) or first <= before:
        return ""
    if place < GC_HEAD and index.object_type(behind + GC_HEAD) is not None:
        return ""  # the collector does not track that object: its links are zero
    return (
        f"in it the block of pymalloc's at {before:#018x} ends, inside of which the zeros begin, "
        f"and the one at {behind:#018x} begins"
    )


@check("M:lane", costly=True, needs="crash", order=60)
def wrong_byte_of_pointer(context: Context) -> Iterator[Evidence]:
    """Find an object that differs from the wrong word in several bits of one byte.

    Only where the words around are objects of that very type, and the object has more references
    than words that hold its address: then one of them is this word.

    Innocent causes: overflows and partial writes begin at the low end of a word, which is left out;
    text, poison and other patterns; a word that is one bit from an object needs no other
    explanation.
    """
    if any(evidence.id.startswith("S:") for evidence in context.evidence):
        return
    if any(neighbour.pointee is not None for neighbour in rank_one_bit_neighbours(context)):
        return
    for suspect in find_suspects(context):
        if suspect.depth == 0 and not has_software_pattern(context, suspect):
            for slot in suspect.slots:
                if not is_on_stack(context, slot):
                    yield from _evidence_of_wrong_byte(context, suspect, slot)


def _evidence_of_wrong_byte(
    context: Context, suspect: SuspectedWord, slot: int
) -> Iterator[Evidence]:
    kind = _type_that_words_beside_point_to(context, slot)
    if kind is None or address_index(context).pointee_at(suspect.value) is not None:
        return
    candidates = [
        corrected
        for corrected in _words_one_byte_away(suspect.value)
        if context.target.region_at(corrected) is not None
        and address_index(context).object_type(corrected) == kind
    ]
    lost = [
        address
        for address in candidates[: 4 * MAX_CANDIDATES]
        if _lacks_exactly_one_reference(context, address)
    ]
    if not lost or len(lost) > MAX_CANDIDATES:
        return
    for corrected in lost:
        summary = (
            f"the word {suspect.value:#018x} at {slot:#018x} stands among {kind} objects and "
            f"differs in one byte from {corrected:#018x}, {add_article(kind)} that a word is "
            "missing for"
        )
        yield word_evidence(
            "M:lane", slot, suspect.value, corrected, summary, rivals=len(lost), object_type=kind
        )


def _words_one_byte_away(value: int) -> Iterator[int]:
    """Yield the words that differ in two or more bits of one byte of a pointer."""
    for lane in POINTER_LANES if value % WORD == 0 else ():
        held = value >> 8 * lane & 0xFF
        for byte in range(256):
            if (byte ^ held).bit_count() > 1:
                yield value ^ (byte ^ held) << 8 * lane


def _type_that_words_beside_point_to(context: Context, slot: int) -> str | None:
    """Return the type that at least two of the four words around are objects of."""
    words = filter(None, (read_word(context.target, slot + offset) for offset in AROUND))
    kinds = list(filter(None, map(address_index(context).object_type, words)))
    best = max(kinds, key=kinds.count, default=None)
    return best if best is not None and kinds.count(best) >= MIN_ALIKE else None


def _lacks_exactly_one_reference(context: Context, address: int) -> bool:
    """Whether an object misses one reference; what was leaked misses any number."""
    count = address_index(context).reference_count(address)
    if count is None:
        return False
    return len(find_word(context.target, address, limit=count).addresses) == count - 1


@check("M:line", needs="crash", order=61)
def zeroed_cache_line(context: Context) -> Iterator[Evidence]:
    """Find that the NULL that was used came from an aligned cache line of zeros amid live data.

    Innocent causes: one cleared field or object (the line would hold other words); memory that was
    never written, or cleared in larger pieces (the words right before and behind would be zero
    too); eight fields of a struct, or items of a table, that nobody set: said only where references
    to an object were counted in the line since, or blocks are crossed. One evidence for the crash:
    natural zero lines are many, this one was read. Of a line in which a block ends and another
    begins one of the words right before and behind is enough, where the zeros begin inside of a
    block: what is cleared too far begins at a block's start; not with a pointer in the line, nor
    where all that is zero of the block behind are the links of an object that the collector does
    not track; nor where the whole page is zeros, as memory is that was given back (madvise). Of a
    line that begins with a block nothing is claimed (M:line:block).
    """
    slot = _address_null_was_loaded_from(context)
    if slot is None:
        return
    start = slot & ~(LINE - 1)
    page = read_words(context, slot & -PAGE, PAGE // WORD)
    at = (start & PAGE - 1) // WORD
    nearest = [*page[max(0, at - 2) : at], *page[at + LINE // WORD : at + LINE // WORD + 2]]
    written_since = sum(min(word, -word & WORD_MASK) > MAX_COUNTED for word in page)
    if page and not any(nearest) and written_since <= LINE // WORD:
        return  # the page was given back to the kernel, or mapped anew
    words = read_words(context, start - 2 * WORD, LINE // WORD + 4)
    blocks = crossed_blocks_clause(context, start, words) if words else ""
    if blocks:
        summary = f"the NULL that was used came from {slot:#018x}, in a line of zeros; {blocks}"
        yield plain_evidence("M:line", start, summary, path=MEMORY, slot=slot)
        return
    if not words:
        return
    for number, word in enumerate(words[2:-2]):
        # The object whose type was zeroed: its count went on from 0.
        if word and (start + number * WORD != slot - WORD or word > MAX_COUNTED):
            return
    if not words[1] or not (words[-2] or words[-1]) or _may_be_chunk_size(words[1]):
        if words[-BEFORE] and _begins_block_in_cache_line(context, start, words[1]):
            yield _weak_evidence_of_zeroed_block(start, slot)
        return
    beside = (words[0], words[1], words[-2], words[-1])
    alike = sum(context.target.region_at(word) is not None for word in beside)
    if alike + sum(_may_be_chunk_size(word) for word in beside) < MIN_ALIKE:
        return
    if not any(words[2:-2]):
        yield _weak_evidence_of_zeroed_block(start, slot)
        return
    summary = (
        f"the NULL that was used came from {slot:#018x}; its cache line at {start:#018x} is all "
        f"zeros between words that are not, {alike} of the four nearest are addresses"
    )
    yield plain_evidence("M:line", start, summary, path=MEMORY, slot=slot)


def _begins_block_in_cache_line(context: Context, start: int, before: int) -> bool:
    """Whether a block begins in a line: `before` is the word right before it."""
    index = address_index(context)
    within, last = (
        index.offset_in_pool_block(start),
        index.offset_in_pool_block(start + LINE - WORD),
    )
    if within is None or last is None:
        return _may_be_chunk_size(before)
    return within in HEADS or last < LINE


def _weak_evidence_of_zeroed_block(start: int, slot: int) -> Evidence:
    """Return what says too little: zeros that begin where a block does are memset()'s as well.

    So are eight fields that nobody set, of a struct or a table: 1 of 8 rows of them is aligned.
    """
    summary = (
        f"the NULL that was used came from {slot:#018x}; its cache line at {start:#018x} is all "
        "zeros, between words that are not: data that was cleared or never set, or a line that was "
        "lost"
    )
    return plain_evidence("M:line:block", start, summary, path=MEMORY, slot=slot)


def _may_be_chunk_size(word: int) -> bool:
    """Whether a word may be the size of a small malloc chunk after one in use."""
    return word & 15 == 1 and MIN_SIZE < word < MAX_SIZE


def _address_null_was_loaded_from(context: Context) -> int | None:
    """Return the memory that the NULL base or target of the failed access was loaded from."""
    site = context.site
    if isinstance(site, Absent) or site.address is None or site.address >= NEAR_NULL:
        return None
    recomputed = recomputed_registers(context)
    if isinstance(recomputed, Absent) or site.operand is None:
        return None
    names = site.operand.registers()
    nulls = [remade for remade in recomputed if remade.held == remade.expected == 0]
    for slot in (null.slot for null in nulls if null.register in names and null.slot is not None):
        region = context.target.region_at(slot)
        if region is not None and "w" in region.perms and not is_on_stack(context, slot):
            return slot
    return None


@check("M:again", grows=True, order=95)
def recurring_flips(context: Context) -> Iterator[Evidence]:
    """Compare the one-bit differences that other checks have found in memory with each other.

    A bad cell or line of a memory part changes the same bit, in the same direction, wherever it is
    met: the words differ, the bit does not.

    Innocent causes: copies of one wrong word are one error, and count once; a bug that sets one
    flag bit in many words, which is why only words that other checks hold for damaged are compared
    and ambiguous ones are not.
    """
    words = _one_bit_evidence_of_each_word(context)
    for word in words:
        bit, ones = word.bits[0], _was_bit_set(word)
        repeats = [
            other
            for other in words
            if other.bits[0] == bit
            and _was_bit_set(other) == ones
            and (other.found, other.corrected) != (word.found, word.corrected)
        ]
        if repeats:
            yield _evidence_of_recurring_flip(word, repeats)


def _one_bit_evidence_of_each_word(context: Context) -> list[Evidence]:
    """Return one item for each damaged word: one bit, a place in memory, an unknown other use."""
    by_words: dict[tuple[object, ...], Evidence] = {}
    for evidence in context.evidence[:MAX_WORDS]:
        in_memory = isinstance(evidence.where, int) and evidence.found is not None
        if in_memory and len(evidence.bits) == 1 and not evidence.ambiguous:
            if evidence.id.startswith("P") and int(evidence.facts.get("rivals", 1)) > 1:
                continue  # which of its neighbours is the right one is not known
            by_words.setdefault((evidence.found, evidence.corrected), evidence)
    return list(by_words.values())


def _was_bit_set(evidence: Evidence) -> bool:
    return bool((evidence.found or 0) >> evidence.bits[0] & 1)


def _evidence_of_recurring_flip(word: Evidence, repeats: list[Evidence]) -> Evidence:
    assert isinstance(word.where, int)
    same_offset = [
        other
        for other in repeats
        if isinstance(other.where, int)
        and other.where // PAGE != word.where // PAGE
        and other.where % PAGE == word.where % PAGE
    ]
    places = ", ".join(f"{other.where:#x}" for other in (same_offset or repeats)[:4])
    what = f"bit {word.bits[0]} of the word at {word.where:#x} is wrong, and so it is at {places}"
    if same_offset:
        what += f", at the same offset {word.where % PAGE:#x} of other pages"
    facts = {"words": len(repeats) + 1}
    return word._replace(id="M3" if same_offset else "M2", summary=what, facts=facts)

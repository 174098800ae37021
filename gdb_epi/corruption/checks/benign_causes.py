# SPDX-License-Identifier: Apache-2.0
"""S: what software bugs look like, tested before anything is called damage: evidence against."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.corruption.checks.gc_links import (
    find_untracked_object_behind_register,
    is_deallocated_twice,
)
from gdb_epi.corruption.context import Context, once_per_run
from gdb_epi.corruption.evidence import ONCE_MORE, Evidence, plain_evidence
from gdb_epi.corruption.heap.address_descriptions import begins_free_chunk, leads_to_start_or_text
from gdb_epi.corruption.heap.address_index import FREE, address_index
from gdb_epi.corruption.heap.malloc_chunks import is_in_free_chunk, is_tcache_key
from gdb_epi.corruption.heap.never_mapped import was_never_mapped
from gdb_epi.corruption.heap.readers import AROUND, is_on_stack, read_words
from gdb_epi.corruption.pointers.one_bit_neighbours import rank_one_bit_neighbours
from gdb_epi.corruption.pointers.read_place import (
    TEXTS,
    addresses_value_was_read_through,
    describe_wrong_word,
    find_read_place,
    is_made_by_and,
    is_read_from_outside_blocks,
)
from gdb_epi.corruption.pointers.small_changes import (
    ONE_BIT,
    is_one_bit_from_start_of_thing,
    sign_id_or_one_bit_id,
)
from gdb_epi.corruption.pointers.software_sign_ids import (
    sign_id_of_null,
    sign_id_of_pointer,
    sign_id_of_value,
)
from gdb_epi.corruption.pointers.suspects import (
    FaultWord,
    SuspectedWord,
    find_fault_words,
    find_suspects,
    software_pattern,
)
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.replay.register_origins import recomputed_registers
from gdb_epi.detectors.registry import Finding
from gdb_epi.errors import Absent
from gdb_epi.fault.account import BUS
from gdb_epi.fault.address_place import GUARD
from gdb_epi.fault.fault_site import DATA, TRANSFERS, FaultSite
from gdb_epi.fault.malloc_heap import HEAD_BYTES
from gdb_epi.fault.mapping_checks import (
    NEAR_NULL,
    has_same_tag,
    is_canonical,
    is_past_segment,
    nearest_mapping,
    permits,
    untagged_address,
    user_space_end,
)
from gdb_epi.fault.memory_reads import read_word
from gdb_epi.fault.variables_holding_address import BASE, IS
from gdb_epi.fault.word_shapes import WordShape, shape_note, shape_of
from gdb_epi.sizes import PAGE, PAGE_BITS, WORD
from gdb_epi.target.api import Region, module_at

FAR = 64 << 10
ALIGNMENT = 16  # of what malloc gives, MALLOC_ALIGNMENT
MAX_PLACES = 16  # of one word
MIN_ADDRESS = 1 << 32
# Levels that an overrun does not explain.
TYPED = frozenset(("P8", "P9", "P13", "P14", "P15", "P3"))
IN_STEP = 64  # bytes that a loop may go on by
RUN = 2  # damaged neighbours that make a run
LAST = 64 << 10  # bytes at the end of a stack
IN_ONE_STEP = ":one-step"
HEAP_OF_THREAD = 64 << 20  # bytes: HEAP_MAX_SIZE of glibc on 64-bit machines
GONE_OR_PAST_END = "it went past the end of a piece of memory, or used one that was given back"
LIBC = ("libc.so.", "libc-2.")
NO_BLOCK = (
    "malloc looked for the heap of a thread where no memory is: what it was given, to free() or "
    "realloc(), is no block of its own, or the words before it were overwritten"
)
# What tells why a pointer was NULL: then that it was is no cause of its own.
MORE_THAN_NULL = ("failed_allocation", "freed_callback", "without_gil")
ORDINARY = ("null_dereference", "stack_overflow", "deliberate_abort")
_FREED_TWICE = ("double-free-detected-in-tcache-2", "fasttop")


def _failed_access(context: Context) -> FaultSite | None:
    """Return the failed access of an address; None for anything else."""
    site = context.site
    if isinstance(site, Absent) or site.kind not in (DATA, *TRANSFERS) or site.address is None:
        return None
    return site


@check("S:pattern", needs="crash", order=11)
def value_made_by_software(context: Context) -> Iterator[Evidence]:
    """Tell text, doubles, integers, poison, truncated, misaligned and tagged words.

    Innocent causes: these are the innocent causes themselves. The first wrong word counts; a word
    that a flipped pointer led to may be anything, and other checks look at that pointer.
    """
    account = context.state.fault_account
    if not isinstance(account, Absent) and account.how == BUS:
        return  # the pointer leads to memory; what is behind it was not there
    for word in find_fault_words(context)[:2]:
        shape = software_pattern(context, word)
        if shape is not None and shape.name == "negative":
            shape = (
                None
                if _is_null_explained_by_detector(context)
                or _is_negative_offset_from_pointer(context, word)
                else shape
            )
        if shape is not None:
            who = "control went to" if word.source == "target" else f"{word.source} holds"
            offset = _describe_as_offset(context, word, shape)
            why = offset or describe_wrong_word(context, word, shape)
            summary = f"{who} {word.value:#018x}: {why}"
            id = sign_id_of_value(context, word, f"S:{shape.name}")
            plain = "an offset is wrong" if offset else f"a pointer had a wrong value: {why}"
            yield plain_evidence(id, word.source, summary, plain=plain)
            return


def _is_negative_offset_from_pointer(context: Context, word: FaultWord) -> bool:
    """Whether a negative number was added to a pointer to memory, as loops that run down do."""
    site = context.site
    if isinstance(site, Absent) or site.operand is None:
        return False
    others = [name for name in site.operand.registers() if name != word.source]
    return any(context.target.region_at(site.fault.registers.get(name, 0)) for name in others)


def _describe_as_offset(context: Context, word: FaultWord, shape: WordShape) -> str:
    """Say from where a number leads that is added to a pointer; "" for other words."""
    site = context.site
    if isinstance(site, Absent) or site.operand is None:
        return ""
    if shape.name not in ("number", "int-pair"):
        return ""
    for name in site.operand.registers():
        start = site.fault.registers.get(name, 0)
        if name != word.source and context.target.region_at(start) is not None:
            return f"it is the offset {word.value} from {start:#x} in {name}"
    return ""


ENDED_THREAD = "it used memory of the stack of a thread that had ended"


@check("S:overrun", needs="crash", order=12)
def access_beside_mapping(context: Context) -> Iterator[Evidence]:
    """Tell an access just behind or before a mapping that allows it.

    Innocent causes: this is one (off by one, a loop too long, a length that is wrong). Not said of
    a pointer that stands among objects in memory: no loop made that. Nor of memory that may be
    accessed otherwise: that is no edge (S:read-only), or the file behind it ended. Nor, from a page
    on, of a pointer to the start of a page that is gone (S:unmapped). Nor where a stack ended: one
    fact counts once. Where stacks of threads were, it is S:ended-stack.
    """
    site = _failed_access(context)
    if site is None or site.kind != DATA or not is_canonical(site.address or 0):
        return
    if permits(context.target.region_at(site.address or 0), None):
        return
    if any(finding.detector == "stack_overflow" for finding in context.findings):
        return
    near = nearest_mapping(context.target, site.address or 0, FAR, site.access)
    if near is None or _is_access_pointer_among_objects(context):
        return
    gap = _gap_of_ended_stacks(context, site.address or 0)
    if gap is not None:
        summary = (
            f"the access is at {site.address or 0:#x}, where nothing is mapped for {gap} bytes: as "
            "much as the stacks of threads beside it take, so that threads have ended there"
        )
        pointers = [suspect.value for suspect in find_suspects(context)]
        id = sign_id_or_one_bit_id(context, "S:ended-stack", *pointers)
        yield plain_evidence(id, "", summary, plain=ENDED_THREAD)
        return
    begins_block = near.after and near.region.end + HEAD_BYTES
    if begins_block in [word.value for word in find_fault_words(context)] and near.distance:
        return  # no loop came there from the memory before it: S:unmapped
    if near.distance >= PAGE and _starts_page_without_memory(context, site):
        return  # what was unmapped lay there: how far other mappings lie is chance
    id = "S:past-end" if near.distance < PAGE else "S:near-end"
    side = "after the end" if near.after else "before the start"
    at = near.region.end if near.after else near.region.start
    if near.distance >= IN_STEP:  # a loop that ran on meets the edge itself
        # Nothing on a stack begins where that could be known.
        stack = is_on_stack(context, near.region.end - 1)
        pointers = [suspect.value for suspect in find_suspects(context)]
        id = id + ONE_BIT if stack else sign_id_or_one_bit_id(context, id, *pointers)
    far = f"{near.distance} bytes" if near.distance else "right"
    summary = f"the access is {far} {side} of a mapping, {at:#018x}"
    may_be_gone = near.after and any(
        at <= word.value <= (site.address or 0)
        and (word.value - at >= IN_STEP or not _is_word_only_on_stacks(context, word.value))
        for word in find_fault_words(context)
    )
    facts = {"plain": GONE_OR_PAST_END} if may_be_gone else {}
    yield plain_evidence(id, "", summary, **facts)


def _gap_of_ended_stacks(context: Context, address: int) -> int | None:
    """Return the bytes without memory around an address that whole stacks fit in, or None.

    glibc maps the stacks of threads with their guards side by side, and unmaps those that its cache
    has no room for (nptl/allocatestack.c). The guard lies at the low end.
    """
    regions = context.target.regions()
    after = next((n for n, region in enumerate(regions) if region.start > address), 0)
    if not after or regions[after - 1].end > address:
        return None
    gap = regions[after].start - regions[after - 1].end
    for at in (after + 1, after - 1):
        stack, guard = regions[at : at + 1], regions[at - 1]
        if stack and is_on_stack(context, stack[0].start) and not permits(guard, "r"):
            whole = stack[0].end - guard.start
            if guard.end == stack[0].start and gap % whole == 0:
                return gap
    return None


def _is_access_pointer_among_objects(context: Context) -> bool:
    """Whether a pointer of the access stands among objects in memory: no loop made that."""
    return any(
        neighbour.level in TYPED
        and not all(is_on_stack(context, slot) for slot in neighbour.suspect.slots)
        for neighbour in rank_one_bit_neighbours(context)
    )


@check("S:guard", needs="crash", order=13)
def access_to_guard_page(context: Context) -> Iterator[Evidence]:
    """Tell an access to a guard page, and one far below a stack by a large frame.

    Innocent causes: these are: overflows of stacks and of guarded buffers.
    """
    site = _failed_access(context)
    if site is None or site.kind != DATA or not is_canonical(site.address or 0):
        return
    account = context.state.fault_account
    if not isinstance(account, Absent) and account.place.kind == GUARD and account.place.region:
        start = account.place.region.start
        if _is_in_pymalloc_pool(context, site.address or 0):
            yield _evidence_of_mprotected_pool_page(site.address or 0, "closed")
            return
        summary = f"{site.address or 0:#018x} is in the guard at {start:#018x}"
        yield plain_evidence("S:guard-page", "", summary)


@check("S:read-only", needs="crash", order=13)
def write_to_read_only_memory(context: Context) -> Iterator[Evidence]:
    """Tell a write to memory that may be read: constants, code, what mprotect() closed.

    Innocent causes: this is one. A flipped pointer lands in such memory now and then: of one that
    the code did not make just before, but read or had from elsewhere, it is said with less weight
    (S:read-only:untraced), unless a mapping or a text constant begins where it leads, or it is
    memory that an allocator gave out (S:read-only:allocated). At the start of such memory, right
    behind what may be written, a loop ran on (S:past-end).
    """
    site = _failed_access(context)
    if site is None or site.kind != DATA or site.access != "w":
        return
    region = context.target.region_at(site.address or 0)
    if region is not None and permits(region, "r") and not permits(region, "w"):
        if _is_in_pymalloc_pool(context, site.address or 0):
            yield _evidence_of_mprotected_pool_page(site.address or 0, "made read-only")
            return
        words = find_fault_words(context)
        if _did_loop_leave_writable_memory(context, region, site.address or 0):
            summary = f"the access is right after the end of writable memory, {region.start:#018x}"
            yield plain_evidence("S:past-end", "", summary)
            return
        id = "S:read-only"
        if words and not leads_to_start_or_text(context, words[0].value):
            id = sign_id_of_pointer(context, words[0], id)
        yield plain_evidence(id, "", f"{site.address or 0:#018x} is mapped, but only to be read")


def _did_loop_leave_writable_memory(context: Context, region: Region, address: int) -> bool:
    """Whether a loop ran over the end of writable memory into the mapping behind it.

    That of a library is named by the loader alone.
    """
    before = permits(context.target.region_at(region.start - 1), "w")
    near = before and address - region.start < IN_STEP
    if not near or module_at(context.target, address) is not None:
        return near
    by_name = any(value.how in (IS, BASE) for value in context.state.variables_holding_bad_address)
    return not by_name and all(
        _is_end_of_memory_reached_by_loop(context, at) for at in (address, region.start)
    )


def _is_in_pymalloc_pool(context: Context, address: int) -> bool:
    """Whether an address lies in a pool of pymalloc's, which was made by writing there."""
    region = context.target.region_at(address)
    anonymous = region is not None and region.path is None
    return anonymous and address_index(context).offset_in_pool_block(address) is not None


def _evidence_of_mprotected_pool_page(address: int, how: str) -> Evidence:
    summary = (
        f"{address:#x} lies in a pool of Python's allocator: its page was {how} afterwards, as "
        "mprotect() does, and all objects in that page share this"
    )
    return plain_evidence("S:read-only:allocated", address, summary)


@check("S:unmapped", needs="crash", order=13)
def pointer_to_unmapped_page(context: Context) -> Iterator[Evidence]:
    """Tell a pointer to the start of a page where nothing is mapped.

    Innocent causes: this is one: memory that mmap() gave and munmap() took back. Few pointers point
    at the start of a page otherwise.
    """
    site = _failed_access(context)
    if site is None or site.kind != DATA or not is_canonical(site.address or 0):
        return
    for word in find_fault_words(context)[:1]:
        if _starts_page_without_memory(context, site):
            if _is_end_of_memory_reached_by_loop(context, word.value):
                continue  # to the end of what lies before it: an overrun
            if is_made_by_and(context, word.source):
                library = module_at(context.target, site.fault.pc)
                name = "" if library is None else library.path.rpartition("/")[2]
                if word.value % HEAP_OF_THREAD == 0 and name.startswith(LIBC):
                    yield plain_evidence("S:abort-malloc", word.source, NO_BLOCK)
                continue  # no pointer to that page stands anywhere
            summary = f"{word.source} holds {word.value:#018x}, the start of a page without memory"
            id = sign_id_or_one_bit_id(context, "S:unmapped", word.value)
            yield plain_evidence(sign_id_of_value(context, word, id), word.source, summary)


def _is_end_of_memory_reached_by_loop(context: Context, value: int) -> bool:
    """Whether memory ends at a place that no word of memory names: a loop ran there.

    What a loop goes on with stands in registers, or in a variable on the stack.
    """
    before = context.target.region_at(value - 1)
    return before is not None and _is_word_only_on_stacks(context, value)


def _is_word_only_on_stacks(context: Context, value: int) -> bool:
    return all(is_on_stack(context, place) for place in context.places_of_word(value, MAX_PLACES))


def _starts_page_without_memory(context: Context, site: FaultSite) -> bool:
    """Whether the first wrong word is the start of a page where memory may have been."""
    value = next((word.value for word in find_fault_words(context)), 0)
    page = value % PAGE == 0 and MIN_ADDRESS <= value < user_space_end(context.target, site.fault)
    return page and not (context.target.region_at(value) or was_never_mapped(context, value))


@check("S:use-after-free", costly=True, needs="crash", order=14)
def use_after_free(context: Context) -> Iterator[Evidence]:
    """Tell a pointer to, or a word in, a block that its allocator has free.

    Innocent causes: this is one. A flipped pointer may hit a free block by chance; such blocks are
    few, and the weight is small enough for strong evidence to win. Blocks in glibc's caches look
    used to malloc; they are known by the link, or the number that marks them as freed, that was
    read from them. A pointer behind the last of its items, as the interpreter keeps one of its
    stack, may be the first address of a free block that nobody reads: what was read through it
    counts. The number is a mark where it was used as an address: malloc's own code, and what ran
    after it, has it in registers. Reference: malloc/malloc.c (PROTECT_PTR), glibc 2.32 and later.
    """
    index, site = address_index(context), context.site
    was_used = not isinstance(site, Absent) and site.instruction is not None
    for suspect in find_suspects(context):
        if was_used and suspect.depth == 0 and is_tcache_key(context, suspect.value):
            summary = (
                f"{suspect.source} holds {suspect.value:#018x}, the random number that malloc "
                "writes into each small block that is freed: it was read from such a block"
            )
            yield plain_evidence("S:use-after-free", suspect.source, summary)
            return
        pointee, summary, reads_free = (
            index.pointee_at(suspect.value),
            "",
            _accesses_free_memory(context, suspect),
        )
        if pointee is not None and pointee.kind == FREE and reads_free:
            summary = (
                f"{suspect.source} points at {suspect.value:#018x}, a free block of {pointee.name}"
            )
        elif suspect.depth and reads_free and begins_free_chunk(context, suspect.value):
            summary = (
                f"the wrong word was read through {suspect.value:#018x}, where a free block of "
                "malloc's begins"
            )
        if summary:
            id = sign_id_or_one_bit_id(context, "S:use-after-free", suspect.value)
            yield plain_evidence(id, suspect.source, summary)
            return
        slots = suspect.slots if suspect.depth == 0 else ()
        kept = [slot for slot in slots if not is_on_stack(context, slot)]
        counted = bool(kept) and all(map(index.is_in_free_block_with_counted_link, kept))
        if counted or (slots and all(map(index.in_free_block, slots))):
            slot = kept[0] if counted else slots[0]
            summary = f"the word in {suspect.source} stands in a free block, at {slot:#018x}"
            if counted:
                summary += ": its link to the next free block was counted up, as a reference is"
            bases = addresses_value_was_read_through(context, suspect.source)
            id = sign_id_or_one_bit_id(context, "S:use-after-free", *bases)
            yield plain_evidence(id, slot, summary)
            return
        word = FaultWord(suspect.source, suspect.value, suspect.distance)
        read_from = find_read_place(context, word) if suspect.depth == 0 else None
        if read_from is not None and index.in_emptied_pool(read_from.slot):
            summary = (
                f"{suspect.source} holds {suspect.value:#018x}, read from {read_from.slot:#018x} "
                "in a pool of pymalloc whose blocks were all freed"
            )
            id = sign_id_or_one_bit_id(context, "S:use-after-free", read_from.base)
            yield plain_evidence(id, read_from.slot, summary)
            return
        for slot in suspect.slots:
            if _is_tcache_link(context, slot, suspect.value):
                summary = (
                    f"{suspect.source} holds {suspect.value:#018x}, the link of a free block of "
                    f"malloc: it stands at {slot:#018x}, where the block begins"
                )
                id = "S:use-after-free"
                if not is_tcache_key(context, read_word(context.target, slot + WORD) or 0):
                    id = "S:unset-or-freed"
                    summary += ", and malloc's mark of freed blocks does not stand behind it"
                yield plain_evidence(id, slot, summary)
                return
    small = _evidence_of_small_freed_word(context)
    if small is not None and not _is_null_explained_by_detector(context):
        yield small


@once_per_run
def _evidence_of_small_freed_word(context: Context) -> Evidence | None:
    """Tell a NULL or a small number of a free block of pymalloc's.

    It was read there; where that is not known, the code before read another word of such a block.
    Of a pool whose list of free blocks is damaged by a link that was counted up, as references to
    freed objects do: such a link lies where the object's count was.
    """
    index, site = address_index(context), context.site
    word = next(iter(find_fault_words(context)), None)
    if isinstance(site, Absent) or word is None or word.value >= NEAR_NULL:
        return None
    what = f"{word.source} is {word.value:#x}" if word.value else f"{word.source} is 0"
    read_from = find_read_place(context, word)
    if read_from is None:
        recomputed = recomputed_registers(context)
        for load in () if isinstance(recomputed, Absent) else recomputed:
            if (
                not load.address_registers
                or load.slot is None
                or load.held != load.expected
                or load.since
            ):
                continue
            if index.in_free_block(load.slot):
                base = site.fault.registers.get(load.address_registers[0], load.slot)
                summary = (
                    f"{what}; right before, {load.register} was read from {load.slot:#x}, in a "
                    "free block of pymalloc"
                )
                id = sign_id_or_one_bit_id(context, "S:use-after-free", base)
                return plain_evidence(id, load.slot, summary)
        return None
    steps = index.free_link_increment(read_from.base)
    if not steps and not index.in_free_block(read_from.slot):
        return None
    summary = f"{what}, read from {read_from.slot:#x} in a free block of pymalloc"
    if steps:
        summary += (
            ": where an object has its count stands the link to the next free block, counted "
            f"up by {steps}"
        )
    id = sign_id_or_one_bit_id(context, "S:use-after-free", read_from.base)
    return plain_evidence(id, read_from.slot, summary)


def _accesses_free_memory(context: Context, suspect: SuspectedWord) -> bool:
    """Whether the access goes through a pointer itself, or reads free memory through it."""
    if suspect.depth == 0:
        return True
    index = address_index(context)
    return any(
        index.in_free_block(place) or (place >= suspect.value and is_in_free_chunk(context, place))
        for place in _places_read_through(context, suspect.source)
    )


def _places_read_through(context: Context, register: str) -> list[int]:
    """Return the places from which words were loaded through a register."""
    site, recomputed = context.site, recomputed_registers(context)
    places = [] if isinstance(recomputed, Absent) else [
        remade.slot for remade in recomputed
        if register in remade.address_registers and remade.slot is not None
    ]  # fmt: skip
    if not isinstance(site, Absent) and site.operand is not None and site.kind in TRANSFERS:
        at = site.operand.address(site.fault.registers)
        if register in site.operand.registers() and at is not None:
            places.append(at)
    return places


def _is_tcache_link(context: Context, slot: int, value: int) -> bool:
    """Whether a word is what glibc writes into a block that it keeps: address / 4096 ^ next.

    What is mapped is none: in a low heap 1 of 16 pointers looks like one, sound or one bit off, for
    only the last digits of a link are hidden there.
    """
    if context.target.region_at(value) is not None:
        return False
    region = context.target.region_at(slot)
    if slot % ALIGNMENT or region is None or "w" not in region.perms or is_on_stack(context, slot):
        return False
    following = value ^ slot >> PAGE_BITS
    inside = region.start <= following < region.end and following != slot
    return following == 0 or (following % ALIGNMENT == 0 and inside)


@check("S:overwrite-run", needs="crash", order=15)
def overwritten_neighbours(context: Context) -> Iterator[Evidence]:
    """Tell a wrong word whose neighbours in memory are damaged alike, or marked alike.

    Innocent causes: this is one: overflows and stray copies write runs. Neighbours count when they
    are text, poison or other patterns of software; neighbours that are addresses under the same top
    bits tell of a mark. Not said of a place where text belongs, a str, nor of one that was read
    where no object or block is: that was not overwritten. Nor of a place that holds the same number
    or text, and from which nothing shows that it was read: text stands among text. Nor of a word
    one bit from something in use: structs hold numbers beside pointers.
    """
    site = _failed_access(context)
    if site is None:
        return
    for place, value in _places_of_wrong_words(context, site):
        if _is_in_text_object(context, place):
            continue
        around = [place + offset for offset in AROUND]
        plain = untagged_address(context.target, value)
        marked = sum(_has_same_mark_as_word_at(context, value, at) for at in around) if plain else 0
        if marked >= RUN:
            summary = (
                f"{value:#018x} at {place:#018x} is {plain:#x}, which is mapped, with top bits "
                f"that {marked} of the four words around it have too: a mark that was not taken off"
            )
            yield plain_evidence("S:tagged", place, summary)
            return
        pattern = software_pattern(context, FaultWord("memory", value, 0))
        if pattern is None and is_one_bit_from_start_of_thing(context, value):
            continue  # structs hold numbers beside pointers
        count = sum(_is_next_word_damaged_too(context, at) for at in around)
        if count >= RUN:
            summary = (
                f"the word at {place:#x} is {value:#x}{shape_note(value)}, and {count} of the "
                "four words around it are text, poison or numbers too"
            )
            yield plain_evidence("S:overwrite-run", place, summary)
            return


def _places_of_wrong_words(context: Context, site: FaultSite) -> list[tuple[int, int]]:
    """Return the places that the wrong words were read from, and the words.

    Of a word whose origin is not known the only place that holds it: one of several may be any
    copy, and one in free memory what was left behind. Of text and numbers not even that: they
    stand among their like.
    """
    index = address_index(context)
    places = []
    for suspect in find_suspects(context):
        if suspect.depth or is_read_from_outside_blocks(context, suspect.source):
            continue
        held = [slot for slot in suspect.slots if not is_on_stack(context, slot)]
        word = FaultWord(suspect.source, suspect.value, suspect.distance)
        called = find_read_place(context, word) if suspect.source == "target" else None
        if called is not None:
            places.append((called.slot, suspect.value))
        elif suspect.loaded and (not held or suspect.slots[-1] in held):
            places.append((suspect.slots[-1], suspect.value))
        elif len(held) == 1 and not index.in_free_block(held[0]):
            common = not suspect.loaded and software_pattern(context, word) is not None
            places += [] if common else [(held[0], suspect.value)]
    if site.slot is not None and site.address is not None:
        places.append((site.slot, site.address))
    return places


def _has_same_mark_as_word_at(context: Context, value: int, address: int) -> bool:
    word = read_word(context.target, address)
    return word is not None and has_same_tag(context.target, word, value)


def _is_in_text_object(context: Context, place: int) -> bool:
    """Whether a word lies in a str or bytes object: what is text there was not overwritten."""
    index = address_index(context)
    within = index.offset_in_pool_block(place)
    return within is not None and index.object_type(place - within) in TEXTS


def _is_next_word_damaged_too(context: Context, address: int) -> bool:
    word = read_word(context.target, address)
    if word is None or word < NEAR_NULL or context.target.region_at(word) is not None:
        return False
    return shape_of(word) is not None and not is_past_segment(context.target, address)


@check("ordinary", order=10)
def ordinary_causes_of_detectors(context: Context) -> Iterator[Evidence]:
    """Take over the detectors' findings of ordinary causes.

    Innocent causes: these are the innocent causes themselves. A NULL that was read through a
    pointer at which nothing begins is told apart: a flipped pointer leads to such zeros too.
    """
    explained = (
        _is_null_explained_by_detector(context)
        or _evidence_of_small_freed_word(context) is not None
    )
    for finding in context.findings:
        if explained and finding.detector == "null_dereference":
            continue
        if finding.detector in ORDINARY:
            where = finding.facts.get("overwritten_at")
            sign = plain_evidence(
                _evidence_id_of_finding(finding),
                int(where, 16) if where else "",
                finding.summary,
            )
            if finding.detector == "null_dereference":
                sign = _evidence_of_zero_gc_link(context) or sign._replace(
                    id=sign_id_of_null(context)
                )
            elif finding.detector == "stack_overflow" and _is_end_of_stack_untouched(context):
                sign = sign._replace(id=sign.id + IN_ONE_STEP)
            yield sign._replace(facts={**finding.facts, **sign.facts})


def _evidence_of_zero_gc_link(context: Context) -> Evidence | None:
    """Return what a link of 0 in the collector's head of an object is a sign of, and says."""
    site = context.site
    if isinstance(site, Absent) or site.kind != DATA or site.operand is None:
        return None
    nulls = [name for name in site.operand.registers() if site.fault.registers.get(name) == 0]
    address = next(
        filter(None, (find_untracked_object_behind_register(context, name) for name in nulls)), None
    )
    if address is None:
        return None
    links = f"the collector's links of the object at {address:#x} are 0"
    if is_deallocated_twice(context, address):
        twice = f"{links}, all that it held too, and its tp_dealloc was called: it was {ONCE_MORE}"
        return plain_evidence("S:use-after-free", "", twice, plain="an object was freed twice")
    plain = "an object was untracked or freed before, or overwritten"
    return plain_evidence("S:foreign-value", "", f"{links}: {plain}", plain=plain)


def _is_null_explained_by_detector(context: Context) -> bool:
    return any(finding.detector in MORE_THAN_NULL for finding in context.findings)


def _evidence_id_of_finding(finding: Finding) -> str:
    if finding.detector != "deliberate_abort":
        return f"S:{finding.detector}"
    # "double free or corruption (out)" and its like are said of a damaged size too.
    double = str(finding.facts.get("class", "")).endswith(_FREED_TWICE)
    if finding.facts.get("overrun") is False:
        return "S:abort-assert"
    return f"S:abort-{'double-free' if double else finding.facts.get('kind')}"


def _is_end_of_stack_untouched(context: Context) -> bool:
    """Whether nothing was ever written near the end of the stack that was passed.

    Recursion writes its frames down to the end. One large frame does not, nor a stack pointer that
    a damaged length, or a return into other code, moved.
    """
    account = context.state.fault_account
    stack = None if isinstance(account, Absent) else account.place.region
    if stack is None:
        return False
    words = read_words(context, stack.start, min(LAST, stack.size // 2) // WORD)
    return bool(words) and not any(words)

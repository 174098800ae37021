# SPDX-License-Identifier: Apache-2.0
"""One-bit neighbours of suspected words: the corrected word, and the evidence for it."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from gdb_epi.corruption.context import Context, once_per_run
from gdb_epi.corruption.files.elf_images import image_files_of_modules
from gdb_epi.corruption.heap.address_index import (
    BLOCK,
    FREE,
    FUNCTION,
    OBJECT,
    ThingAtAddress,
    address_index,
)
from gdb_epi.corruption.heap.cpython_fields import (
    is_allocator_link,
    is_cpython_field,
    is_in_data_stack,
)
from gdb_epi.corruption.heap.never_mapped import was_never_mapped
from gdb_epi.corruption.heap.pymalloc_pools import GC_HEAD
from gdb_epi.corruption.heap.readers import AROUND, is_on_stack, read_words
from gdb_epi.corruption.pointers.small_changes import begins_large_block
from gdb_epi.corruption.pointers.software_explanations import (
    HEAP,
    LOW_TAG_BITS,
    MIXED,
    STACK,
    TAG_BITS,
    software_explanation,
)
from gdb_epi.corruption.pointers.suspects import (
    LOW,
    FaultWord,
    SuspectedWord,
    find_suspects,
    is_at_most_once_off_stacks,
    software_pattern,
)
from gdb_epi.errors import Absent
from gdb_epi.fault.fault_site import DATA, TRANSFERS, FaultSite
from gdb_epi.fault.find_fault import GENERAL
from gdb_epi.fault.malloc_heap import HEAD_BYTES
from gdb_epi.fault.mapping_checks import NEAR_NULL, is_canonical, permits, user_space_end
from gdb_epi.fault.memory_reads import NULL_PAGE, read_word, try_read
from gdb_epi.sizes import PAGE, WORD, WORD_MASK
from gdb_epi.target.api import Module, module_at
from gdb_epi.typing_lite import NamedTuple

# From this bit on (16 MB) software's near misses end: overruns, stale pointers into the same heap
# and memory that was unmapped lie closer to what they meant. Indices of 2^k are ambiguous.
FAR_BIT = 24
NEVER_MAPPED_BIT = 20  # the same (1 MB) for words of memory that name what was never mapped
NEAR = 16384  # bytes: a pool
ROUND = 1 << 16  # 1 of 4,096 pointers is a multiple of it
MAX_COPIES = 4
MAX_TESTED = 24  # corrected values of one suspect that memory is searched for
MAX_SEARCHED = 6  # corrected values where nothing begins that memory is searched for
MAX_LANES = 4
# Levels from the strongest to the weakest; ids of weights.json.
LEVELS = (
    "R17", "P14", "P16", "P15", "P13", "P8", "P3", "P9", "P12", "P11", "P2", "P7", "P10", "P4",
    "P5", "M1", "P1",
)  # fmt: skip
MAX_TEXT = 256 << 10  # bytes of a module's code that are searched for an address
ENTRIES = 4  # words of a table that are looked at
MIN_FUNCTIONS = 2  # of them that are functions, in a table


class WordCorrection(NamedTuple):
    """A suspect and one flip of it; `bit` is -1 when a whole byte differs.

    `pointee` is what begins at the corrected address. `copies`: other words of memory or registers
    that hold it. `near`: within a pool of a register, and the wrong one is not. `objects` and
    `same`: how many of the four words around the wrong one are objects, and of the same type.
    `of_cpython`: the wrong word is a field of CPython's own. `owner`: the type of the object whose
    field it is. `orphan`: the corrected object
    has more references than words that hold its address, or the wrong word leads to a file's code
    or constants, where none was that could have been freed. `hashed`: the entry of a set or dict
    that the wrong word is in holds the corrected object's hash. `rivals`: flips that are as good.
    `ambiguous`: the software that makes the same word. `constant`: the corrected value is the
    address of read-only data of a file, several words hold it, and one the wrong one.
    """

    suspect: SuspectedWord
    corrected: int
    bit: int
    pointee: ThingAtAddress | None
    copies: int
    near: bool
    objects: int
    same: int
    ambiguous: str | None
    of_cpython: bool = False
    owner: str | None = None
    orphan: bool = False
    hashed: bool = False
    level: str = ""
    rivals: int = 1
    constant: bool = False


@once_per_run
def rank_one_bit_neighbours(context: Context) -> list[WordCorrection]:
    """Return the one-bit neighbours that would have worked, the best first."""
    suspects = find_suspects(context)
    garbage = any(not s.depth and has_software_pattern(context, s) for s in suspects)
    neighbours: list[WordCorrection] = []
    for suspect in suspects:
        if suspect.depth:
            neighbours += _flips_of_loaded_through_word(context, suspect, garbage)
        else:
            neighbours += _flips_of_access_word(context, suspect) or _zeroed_byte_corrections(
                context, suspect
            )
    levels = [choose_neighbour_evidence_id(neighbour) for neighbour in neighbours]
    ranks = [LEVELS.index(level) for level in levels if level]
    ranked = [
        neighbour._replace(level=level, rivals=sum(r <= LEVELS.index(level) for r in ranks))
        for neighbour, level in zip(neighbours, levels, strict=True)
        if level
    ]
    return sorted(ranked, key=lambda neighbour: LEVELS.index(neighbour.level))


def choose_neighbour_evidence_id(neighbour: WordCorrection) -> str:
    """Return the id of the strongest evidence that a neighbour gives; "" for none."""
    suspect, pointee = neighbour.suspect, neighbour.pointee
    if neighbour.bit < 0:
        return "M1" if neighbour.owner or neighbour.same or neighbour.copies else ""
    if neighbour.constant:
        return "P16"
    if suspect.depth:
        if pointee is None or pointee.kind != OBJECT or not (neighbour.objects or neighbour.owner):
            return ""
        if not (neighbour.same or neighbour.owner):
            return "P12"  # of another type than those around: leaked objects lie everywhere
        typed = neighbour.same or neighbour.owner not in ("dict", "tuple")  # those hold anything
        return "P14" if neighbour.orphan and typed else "P13"
    if neighbour.hashed:
        return "R17"
    if neighbour.owner and pointee is not None:
        return "P14" if neighbour.orphan else "P15"
    if pointee is not None and pointee.kind == OBJECT:
        if suspect.slots and neighbour.same:
            return "P8"
        if neighbour.copies:
            return "P3"
        return "P9" if suspect.slots and neighbour.objects else "P7"
    # That a function begins there is what C4 says, and near code 1 of 10 places begins one.
    kinds = (BLOCK, FUNCTION) if neighbour.bit >= FAR_BIT else (BLOCK,)
    exact = pointee is not None and pointee.kind in kinds
    if exact and suspect.slots and neighbour.near:
        return "P11"
    if neighbour.copies:
        return "P2"
    if exact and suspect.slots:
        return "P10"
    if neighbour.near:
        return "P4"
    return "P5" if neighbour.bit >= 47 else "P1"


def _flips_of_access_word(context: Context, suspect: SuspectedWord) -> list[WordCorrection]:
    """Return the flips of a word of the access itself that make the access legal."""
    site = context.site
    assert not isinstance(site, Absent)
    top = user_space_end(context.target, site.fault)
    if suspect.distance is None or not _may_be_damaged_pointer(context, site, suspect, top):
        return []
    access = "x" if site.kind in TRANSFERS else site.access
    size = site.operand.size if site.operand is not None and site.kind == DATA else 1
    bits = range(47) if is_canonical(suspect.value, top) else range(47, 64)
    legal = []
    for bit in bits:
        corrected = suspect.value ^ (1 << bit)
        reached = (corrected + suspect.distance) & WORD_MASK
        if reached < NEAR_NULL or not is_canonical(corrected, top):
            continue
        last = context.target.region_at(reached + max(size, 1) - 1)
        if permits(context.target.region_at(reached), access) and permits(last, access):
            legal.append((corrected, bit))
    plain = sum(address_index(context).pointee_at(corrected) is None for corrected, _ in legal)
    return [
        _correction_with_evidence(context, suspect, corrected, bit, search=plain <= MAX_SEARCHED)
        for corrected, bit in legal[:MAX_TESTED]
    ]


def _zeroed_byte_corrections(context: Context, suspect: SuspectedWord) -> list[WordCorrection]:
    """Return the changes of one zeroed byte after which a word points at something's start.

    A byte lane that reads 0, or that was never written. The two lowest bytes hardly tell anything;
    those that the canonical form fixes are lane 5. Of a word that stands in a register alone the
    third tells nothing either (a stride of 64 KiB is common), and others must hold the right word.
    """
    site = context.site
    assert not isinstance(site, Absent)
    if site.kind != DATA or suspect.distance is None or suspect.value < LOW:
        return []
    flips = []
    for lane in range(2 if suspect.slots else 3, 6):
        if suspect.value >> 8 * lane & 0xFF:
            continue
        for byte in range(1, 256):
            corrected = suspect.value | byte << 8 * lane
            reached = corrected + suspect.distance
            if corrected >> 47 or not permits(context.target.region_at(reached), site.access):
                continue
            if not suspect.slots or address_index(context).pointee_at(corrected) is not None:
                flips.append(_correction_with_evidence(context, suspect, corrected, -1))
    return flips if len(flips) <= MAX_LANES else []


def _may_be_damaged_pointer(
    context: Context, site: FaultSite, suspect: SuspectedWord, top: int
) -> bool:
    """Tell whether a word can be a damaged pointer: neither one that works nor a small number."""
    if suspect.value < NULL_PAGE or address_index(context).pointee_at(suspect.value) is not None:
        return False  # NULL; or a pointer to a thing, used as one to another
    if not is_canonical(suspect.value, top):
        return bin(suspect.value >> 47).count("1") == 1
    reached = suspect.value + (suspect.distance or 0)
    if reached < NEAR_NULL or suspect.value >= 1 << 63:
        return False
    access = "x" if site.kind in TRANSFERS else site.access
    return not permits(context.target.region_at(reached), access)


def _is_word_as_relocated(context: Context, slot: int, value: int) -> bool:
    """Tell whether a word of a file's constants is what its relocation says."""
    images = [
        i for i in image_files_of_modules(context)[0] if i.module.start <= slot < i.module.end
    ]
    return any(image.is_as_ld_so_left_it(slot, value) for image in images)


def _flips_of_loaded_through_word(
    context: Context, suspect: SuspectedWord, garbage: bool
) -> list[WordCorrection]:
    """Return the flips that make a word that was loaded through point at an object's start.

    A word that points where it should, at what was freed, cleared, overwritten (`garbage`) or is
    used for another thing, is an ordinary bug's; but not when it is a field of CPython's own, and
    an object of the neighbours' type one bit away has lost a reference. In overwritten memory not
    even that counts: programs leak references (1 of 80 use-after-free cores had such a neighbour).
    """
    slots = tuple(slot for slot in suspect.slots if not is_on_stack(context, slot))
    if not slots or context.target.region_at(suspect.value) is None:
        return []
    if any(_is_word_as_relocated(context, slot, suspect.value) for slot in slots):
        return []  # a word that ld.so wrote and nobody changed since
    suspect = suspect._replace(slots=slots)
    index = address_index(context)
    ordinary = (
        garbage
        or index.pointee_at(suspect.value) is not None
        or index.may_begin_object(suspect.value)
        or read_word(context.target, suspect.value + WORD) == 0
    )
    foreign = ordinary and not any(is_cpython_field(context, slot) for slot in slots)
    flips = []
    for bit in range(47):
        corrected = suspect.value ^ (1 << bit)
        if foreign:  # no object's field; but where another file's constants lie is no freed memory
            constant = _is_flipped_address_of_constants(context, suspect, corrected, bit)
            same = constant and _are_in_same_file(context, suspect.value, corrected)
            if constant and (
                not same or is_only_right_word_a_method_table(context, suspect.value, corrected)
            ):
                flips.append(_correction_with_evidence(context, suspect, corrected, bit))
        elif index.object_type(corrected) or _is_flipped_address_of_constants(
            context, suspect, corrected, bit
        ):
            near = _correction_with_evidence(context, suspect, corrected, bit)
            lost_a_reference = (
                near.orphan and not garbage and is_at_most_once_off_stacks(context, suspect.value)
            )
            if not ordinary or (
                lost_a_reference
                and (near.same or index.do_others_hold_same_type_there(slots[0], corrected))
            ):
                flips.append(near)
    return flips


def _are_in_same_file(context: Context, address: int, other: int) -> bool:
    regions = (context.target.region_at(address), context.target.region_at(other))
    paths = [region.path if region is not None else None for region in regions]
    return paths[0] is not None and paths[0] == paths[1]


def _correction_with_evidence(
    context: Context, suspect: SuspectedWord, corrected: int, bit: int, *, search: bool = True
) -> WordCorrection:
    """Return a flip of a suspect with all the evidence for it.

    Memory is not searched for a value where nothing begins without `search`.
    """
    index, slots = address_index(context), suspect.slots
    pointee = _what_begins_at(context, suspect, corrected)
    around = _types_around(context, suspect, corrected)
    kind = pointee.name if pointee is not None and pointee.kind == OBJECT else None
    same = sum(name == kind for name in around)
    rounded = pointee is None and not corrected % ROUND  # a mask or a size: those stand anywhere
    copies = 0 if rounded else count_registers_holding(context, suspect, corrected)
    constant = _is_flipped_address_of_constants(context, suspect, corrected, bit)
    worth_a_search = not (same and slots) and (search or pointee is not None) and not rounded
    if constant or (not suspect.depth and worth_a_search):
        copies += len(context.places_of_word(corrected, MAX_COPIES))
    own = any(is_cpython_field(context, slot) for slot in slots)
    owners = (index.object_with_field(slot) for slot in slots)
    owner = next((type_name for _, type_name in filter(None, owners)), None)
    orphan = bool(
        (suspect.depth or owner) and kind and _has_untraced_references(context, corrected)
    )
    orphan = orphan or bool(own and kind and _is_constant_of_file(context, suspect.value))
    hashed = kind is not None and _does_hash_beside_fit_object(context, slots, corrected)
    if kind == "type" and any(index.may_begin_object(slot - WORD) for slot in slots):
        own, owner = True, owner or "object"  # its ob_type: CPython keeps no marks there
    is_far_field = pointee is None and own and is_far_flip(context, suspect, bit)
    if is_far_field and _is_data_or_function_of_file(context, corrected):
        # what a field of an object names in a file's data has no start to be known by
        pointee = ThingAtAddress(BLOCK, "data of a file")
    purpose_known = (
        hashed
        or (own and pointee is not None)
        or ((own or not slots) and bool(kind and copies))
        or _is_never_tagged(context, corrected)
        or any(is_allocator_link(context, slot, corrected) for slot in slots)
    )
    stacked = [is_on_stack(context, slot) for slot in slots]
    ambiguous = software_explanation(
        context,
        suspect,
        corrected,
        bit,
        purpose_known=purpose_known,
        of_cpython=own,
        is_object=bool(copies and (kind or index.begins_with_gc_head(corrected))),
        held=STACK if all(stacked) else HEAP if pointee is not None and not any(stacked) else MIXED,
    )
    return WordCorrection(
        suspect=suspect,
        corrected=corrected,
        bit=bit,
        pointee=pointee,
        copies=copies,
        near=_is_near_corrected_alone(context, suspect, corrected),
        objects=len(around),
        same=same,
        ambiguous=ambiguous,
        of_cpython=own,
        owner=owner,
        orphan=orphan,
        hashed=hashed,
        constant=constant,
    )


def _what_begins_at(
    context: Context, suspect: SuspectedWord, corrected: int
) -> ThingAtAddress | None:
    """Return what begins at a corrected address and is in use."""
    pointee = address_index(context).pointee_at(corrected)
    if (
        pointee is None
        or pointee.kind == FREE
        or _looks_like_unmapped_pointer(context, suspect, corrected)
    ):
        return None
    return pointee


def _is_near_corrected_alone(context: Context, suspect: SuspectedWord, corrected: int) -> bool:
    """Whether a register, or the word's own place, is near the corrected address alone."""
    site = context.site
    assert not isinstance(site, Absent)
    registers = site.fault.registers
    others = [registers[n] for n in GENERAL if n in registers and n != suspect.source]
    return any(
        abs(value - corrected) < NEAR and abs(value - suspect.value) >= NEAR
        for value in (*others, *suspect.slots)
    )


def _does_hash_beside_fit_object(context: Context, slots: Sequence[int], corrected: int) -> bool:
    """Whether an object has the hash that stands beside the word in an entry of a set or dict."""
    beside = (read_word(context.target, slot + step) for slot in slots for step in (-WORD, WORD))
    return any(address_index(context).is_hash_of_object(corrected, word) for word in beside)


def _is_never_tagged(context: Context, address: int) -> bool:
    """Whether nobody tags an address: of stacks, or of what a file maps and nobody may write."""
    region = context.target.region_at(address)
    in_constants = region is not None and region.path is not None and "w" not in region.perms
    return in_constants or is_on_stack(context, address) or is_in_data_stack(context, address)


def _looks_like_unmapped_pointer(context: Context, suspect: SuspectedWord, corrected: int) -> bool:
    """Whether a word looks like the address of memory that was given back, another one than meant.

    Whole pages are mapped and unmapped, and large blocks begin 16 bytes after their start of
    malloc(), large tuples 16 more (the collector's head): what begins at others is chance, unless
    it is such a block as well.
    """
    inside = suspect.value % PAGE - HEAD_BYTES
    if inside in (0, GC_HEAD):
        return not begins_large_block(context, corrected - inside)
    return suspect.value % PAGE == 0


def count_registers_holding(context: Context, suspect: SuspectedWord, value: int) -> int:
    """Return how many registers of the failed thread hold a value, beside the suspected one."""
    fault = context.fault
    if isinstance(fault, Absent):
        return 0
    return sum(fault.registers.get(name) == value for name in GENERAL if name != suspect.source)


def is_far_flip(context: Context, suspect: SuspectedWord, bit: int) -> bool:
    """Whether a flip leads too far for an overrun, an index or an address that was given back."""
    if bit >= FAR_BIT:
        return True
    kept = suspect.slots and not any(is_on_stack(context, slot) for slot in suspect.slots)
    return bool(kept) and bit >= NEVER_MAPPED_BIT and was_never_mapped(context, suspect.value)


def _is_flipped_address_of_constants(
    context: Context, suspect: SuspectedWord, corrected: int, bit: int
) -> bool:
    """Whether a word of the heap should be that address of constants that others of its kind hold.

    Tables of methods and the like: nobody computes with their addresses. Starts of pages do not
    count: the kernel maps files and memory side by side, so what has gone began 2^n bytes from
    them.
    """
    if bit in LOW_TAG_BITS or bit in TAG_BITS or not suspect.slots or suspect.value % WORD:
        return False
    if suspect.value % PAGE in (0, HEAD_BYTES):  # of a mapping, of malloc's block that is one
        return False
    region = context.target.region_at(corrected)
    if region is None or region.path is None or "w" in region.perms or "x" in region.perms:
        return False
    if any(is_on_stack(context, slot) for slot in suspect.slots):
        return False
    wrong = context.places_of_word(suspect.value, MAX_COPIES)
    return len(wrong) == 1 and len(context.places_of_word(corrected, MAX_COPIES)) >= MAX_COPIES


def _is_constant_of_file(context: Context, address: int) -> bool:
    region = context.target.region_at(address)
    return region is not None and region.is_file_mapped and "w" not in region.perms


def _is_data_or_function_of_file(context: Context, address: int) -> bool:
    """Whether data of a file is there; in code a function must begin (a random target hit one)."""
    region = context.target.region_at(address)
    return region is not None and region.path is not None and "x" not in region.perms


def _has_untraced_references(context: Context, address: int) -> bool:
    """Tell whether an object has more references than words of memory that hold its address."""
    count = address_index(context).reference_count(address)
    if count is None:
        return False
    held = context.places_of_word(address, count)
    return context.was_searched(address) and len(held) < count


def _types_around(context: Context, suspect: SuspectedWord, corrected: int) -> list[str]:
    """Return the types of the objects that the words around the wrong one point at."""
    index = address_index(context)
    best: list[str] = []
    for slot in suspect.slots:
        words = (read_word(context.target, slot + offset) for offset in AROUND)
        kinds = (index.object_type(word) for word in words if word and word != corrected)
        best = max(best, [kind for kind in kinds if kind is not None], key=len)
    return best


def has_software_pattern(context: Context, suspect: SuspectedWord) -> bool:
    """Tell whether a suspect is text, poison or another value that software makes."""
    word = FaultWord(suspect.source, suspect.value, suspect.distance)
    return software_pattern(context, word) is not None


def is_only_right_word_a_method_table(context: Context, value: int, right: int) -> bool:
    """Whether `right` is a table of functions, and `value` nothing that the file's code can name.

    No function begins at one of the words there, no instruction has its address, and no word that
    ld.so relocates: a table with empty entries is named by one of those. False where the file's
    code is too large to search.
    """
    if _count_functions_in_table(context, right) < MIN_FUNCTIONS or _count_functions_in_table(
        context, value
    ):
        return False
    module = module_at(context.target, value)
    if module is None or _may_code_name_address(context, module, value):
        return False
    return _may_code_name_address(context, module, right)


def _count_functions_in_table(context: Context, address: int) -> int:
    words = read_words(context, address & ~7, ENTRIES)
    functions = [context.functions.function_at(word) for word in words]
    return sum(f is not None and f.start == w for f, w in zip(functions, words, strict=True))


def _may_code_name_address(context: Context, module: Module, value: int) -> bool:
    files, _missing = image_files_of_modules(context)
    mine = [image for image in files if image.module.start == module.start]
    if any(right == value for image in mine for _where, right in image.relocated_pointers()):
        return True
    for region in context.target.regions():
        if "x" in region.perms and module.start <= region.start < module.end:
            if region.size > MAX_TEXT:
                return True
            code = try_read(context.target, region.start, region.size)
            if not code or (value < LOW and value.to_bytes(4, "little") in code):
                return True
            if _is_rip_relative_operand_of(code, value - region.start - 4):
                return True
    return False


def _is_rip_relative_operand_of(code: bytes, distance: int) -> bool:
    """Tell whether a word of four bytes and its place add up to a distance: an operand by rip."""
    for shift in range(4):
        words = array("i", code[shift : shift + (len(code) - shift) // 4 * 4])
        at = shift
        for word in words:
            if word + at == distance:
                return True
            at += 4
    return False

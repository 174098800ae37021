# SPDX-License-Identifier: Apache-2.0
"""One-bit neighbours of suspected words: what the corrected word would be, and what says so."""

from __future__ import annotations

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.suspects import Suspect, suspects
from gdb_epi.corruption.things import BLOCK, FREE, FUNCTION, OBJECT, Thing, Things
from gdb_epi.corruption.words import Word, pattern_of
from gdb_epi.errors import Absent
from gdb_epi.fault import GENERAL, NEAR_NULL, NULL_PAGE, read_word
from gdb_epi.fault.maps import canonical, permits, user_top
from gdb_epi.fault.site import DATA, TRANSFERS, Site
from gdb_epi.lean import NamedTuple
from gdb_epi.search import find_word

LOW = 1 << 32  # addresses of programs that are not position-independent
NEAR = 16384  # bytes: a pool
MAX_COPIES = 4
MAX_TESTED = 24  # corrected values of one suspect that memory is searched for
TAG_BITS = range(56, 64)
STRIDE_BITS = range(12, 47)
AROUND = (-16, -8, 8, 16)


class Neighbour(NamedTuple):
    """A suspect and one flip of it.

    `thing` is what begins at the corrected address. `copies`: other words of memory or registers
    that hold it. `near`: within a pool of a register, and the wrong one is not. `objects` and
    `same`: how many of the four words around the wrong one are objects, and of the same type.
    `rivals`: other flips that are as good. `ambiguous`: the software that makes the same word.
    """

    suspect: Suspect
    corrected: int
    bit: int
    thing: Thing | None
    copies: int
    near: bool
    objects: int
    same: int
    ambiguous: str | None
    level: str = ""
    rivals: int = 1


# Levels from the strongest to the weakest; ids of weights.json.
LEVELS = ("P8", "P3", "P9", "P12", "P11", "P2", "P7", "P10", "P4", "P5", "P1")


def neighbours(context: Context) -> list[Neighbour]:
    """Return the one-bit neighbours that would have worked, the best first."""
    things = Things(context)
    found: list[Neighbour] = []
    for one in suspects(context):
        if one.depth == 0:
            found += _direct(context, things, one)
        else:
            found += _through(context, things, one)
    ranked = []
    for one_ in found:
        level = level_of(one_)
        if level:
            ranked.append(one_._replace(level=level))
    best = [LEVELS.index(one_.level) for one_ in ranked]
    ranked = [
        one_._replace(rivals=sum(other <= mine for other in best))
        for one_, mine in zip(ranked, best, strict=True)
    ]
    return sorted(ranked, key=lambda one_: LEVELS.index(one_.level))


def level_of(one: Neighbour) -> str:
    """Return the id of the strongest thing that can be said of a neighbour; "" for nothing."""
    suspect, thing = one.suspect, one.thing
    if suspect.depth:
        wanted = thing is not None and thing.kind == OBJECT and suspect.slots
        return "P12" if wanted and one.objects else ""
    if thing is not None and thing.kind == OBJECT:
        if suspect.slots and one.same:
            return "P8"
        if one.copies:
            return "P3"
        return "P9" if suspect.slots and one.objects else "P7"
    exact = thing is not None and thing.kind in (BLOCK, FUNCTION)
    if exact and suspect.slots and one.near:
        return "P11"
    if one.copies:
        return "P2"
    if exact and suspect.slots:
        return "P10"
    if one.near:
        return "P4"
    return "P5" if one.bit >= 47 else "P1"


def _direct(context: Context, things: Things, one: Suspect) -> list[Neighbour]:
    """Return the flips of a word of the access itself that make the access legal."""
    site = context.site
    assert not isinstance(site, Absent)
    top = user_top(context.target, site.fault)
    if one.distance is None or not _worth(context, site, one, top):
        return []
    access = "x" if site.kind in TRANSFERS else site.access
    size = site.operand.size if site.operand is not None and site.kind == DATA else 1
    bits = range(47) if canonical(one.value, top) else range(47, 64)
    legal = []
    for bit in bits:
        corrected = one.value ^ (1 << bit)
        reached = (corrected + one.distance) & ((1 << 64) - 1)
        if reached < NEAR_NULL or not canonical(corrected, top):
            continue
        last = context.target.region_at(reached + max(size, 1) - 1)
        if permits(context.target.region_at(reached), access) and permits(last, access):
            legal.append((corrected, bit))
    return [
        _neighbour(context, things, site, one, corrected, bit)
        for corrected, bit in legal[:MAX_TESTED]
    ]


def _worth(context: Context, site: Site, one: Suspect, top: int) -> bool:
    """Whether a word can be a damaged pointer at all: it is none that works, and no small one."""
    if one.value < NULL_PAGE:
        return False
    if not canonical(one.value, top):
        return bin(one.value >> 47).count("1") == 1
    reached = one.value + (one.distance or 0)
    if reached < NEAR_NULL or one.value >= 1 << 63:
        return False
    access = "x" if site.kind in TRANSFERS else site.access
    return not permits(context.target.region_at(reached), access)


def _through(context: Context, things: Things, one: Suspect) -> list[Neighbour]:
    """Return the flips that make a word that was loaded through point at an object's start."""
    if not one.slots or context.target.region_at(one.value) is None:
        return []
    if things.at(one.value) is not None:
        return []
    site = context.site
    assert not isinstance(site, Absent)
    found = []
    for bit in range(47):
        corrected = one.value ^ (1 << bit)
        if things.object_type(corrected) is not None:
            found.append(_neighbour(context, things, site, one, corrected, bit))
    return found


def _neighbour(
    context: Context, things: Things, site: Site, one: Suspect, corrected: int, bit: int
) -> Neighbour:
    registers = site.fault.registers
    others = [registers[n] for n in GENERAL if n in registers and n != one.source]
    copies = len(find_word(context.target, corrected, limit=MAX_COPIES).addresses)
    copies += sum(value == corrected for value in others)
    near = any(
        abs(value - corrected) < NEAR and abs(value - one.value) >= NEAR
        for value in (*others, *one.slots)
    )
    thing = things.at(corrected)
    if thing is not None and thing.kind == FREE:
        thing = None
    around = _around(context, things, one, corrected)
    kind = thing.name if thing is not None and thing.kind == OBJECT else None
    return Neighbour(
        one, corrected, bit, thing, copies, near, len(around),
        sum(name == kind for name in around), _ambiguity(context, site, one, bit, kind),
    )  # fmt: skip


def _around(context: Context, things: Things, one: Suspect, corrected: int) -> list[str]:
    """Return the types of the objects that the words around the wrong one point at."""
    best: list[str] = []
    for slot in one.slots:
        found = []
        for offset in AROUND:
            word = read_word(context.target, slot + offset)
            kind = things.object_type(word) if word and word != corrected else None
            if kind is not None:
                found.append(kind)
        best = max(best, found, key=len)
    return best


def _ambiguity(
    context: Context, site: Site, one: Suspect, bit: int, kind: str | None
) -> str | None:
    """Return what software makes the same word, or None."""
    if bit in TAG_BITS and kind is None:
        return "a single tag bit in the top byte"
    if one.slots or bit not in STRIDE_BITS or kind is not None:
        return None
    operand = site.operand
    if operand is not None and operand.index_register is not None:
        index = site.fault.registers.get(operand.index_register, 0)
        if one.source in (operand.index_register, "fault address") or index >> 12:
            return f"an index of 2^{bit} gives the same address"
    return None


def shaped(context: Context, one: Suspect) -> bool:
    """Whether a suspect is text, poison or another value that software makes."""
    return pattern_of(context, Word(one.source, one.value, one.distance)) is not None

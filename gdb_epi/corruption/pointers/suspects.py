# SPDX-License-Identifier: Apache-2.0
"""The words that may have been damaged: those of the failed access, and what they came from.

A pointer with a low bit flipped is still mapped: the program reads another place through it and
dies of what it found there. So the pointer that the failed one was loaded through is suspected
too, one producer back.
"""

from __future__ import annotations

from gdb_epi.corruption.code.register_origins import Remade, remade
from gdb_epi.corruption.context import Context
from gdb_epi.corruption.pointers.fault_words import Word, wrong_words
from gdb_epi.errors import Absent
from gdb_epi.fault.maps import NEAR_NULL
from gdb_epi.fault.site import FaultSite
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.x86.flow import COPY, LOAD

MAX_BACK = 3  # producers
MAX_PLACES = 4
MAX_HELD = 16


class Suspect(NamedTuple):
    """A word to test.

    `source` is a register, "target" or "fault address". `depth` 0 made the address, more was
    loaded through. `slots` are places of memory that hold the word; `loaded` when the code before
    the fault took it from the first of them. `distance` as in Word. `remade`: what the code gives
    when it is run again, None when that is not known.
    """

    source: str
    value: int
    depth: int
    slots: tuple[int, ...]
    loaded: bool
    distance: int | None
    remade: int | None = None


def suspects(context: Context) -> list[Suspect]:
    """Return the suspects, those of the access itself first; empty without a fault."""
    site = context.site
    if isinstance(site, Absent):
        return []
    made = remade(context)
    by_register = {} if isinstance(made, Absent) else _latest(made)
    found: list[Suspect] = []
    words = wrong_words(context)
    for word in words:
        found += _traced(context, site, by_register, word)
    seen: set[tuple[int, int]] = set()
    unique = []
    for one in found:
        if (one.value, one.depth) not in seen:
            seen.add((one.value, one.depth))
            unique.append(one)
    return unique


def _latest(made: list[Remade]) -> dict[str, Remade]:
    found: dict[str, Remade] = {}
    for one in made:
        found.setdefault(one.register, one)
    return found


def _traced(
    context: Context, site: FaultSite, made: dict[str, Remade], word: Word
) -> list[Suspect]:
    """Return a word and the words that it was loaded through."""
    found = [_suspect(context, site, made.get(word.source), word, 0)]
    names = {word.source}
    if word.source == "target" and site.operand is not None:
        names = set(site.operand.registers())
        found += [_of_register(context, site, made, name, 1) for name in sorted(names)]
    depth = 1
    while names and depth <= MAX_BACK:
        following: set[str] = set()
        for name in names:
            one = made.get(name)
            if one is None or one.kind not in (LOAD, COPY) or one.slot is None:
                continue
            following |= {n for n in one.through if n not in (name, "rsp")}
        for name in sorted(following):
            found.append(_of_register(context, site, made, name, depth))
        names = following
        depth += 1
    return [one for one in found if one.value >= NEAR_NULL]


def _of_register(
    context: Context, site: FaultSite, made: dict[str, Remade], name: str, depth: int
) -> Suspect:
    value = site.fault.registers.get(name, 0)
    return _suspect(context, site, made.get(name), Word(name, value, 0), depth)


def _suspect(
    context: Context, site: FaultSite, one: Remade | None, word: Word, depth: int
) -> Suspect:
    slots: tuple[int, ...] = ()
    loaded = False
    if one is not None and one.kind == LOAD and one.slot is not None and one.held == one.expected:
        slots, loaded = _with_origin(context, word.value, one.slot), True
    elif word.value >= NEAR_NULL and not (depth and word.source == "rsp"):
        slots = context.places_of(word.value, MAX_PLACES)
        slots = tuple(at for at in slots if not (word.source == "target" and at == site.fault.sp))
    expected = None if one is None or one.expected == one.held else one.expected
    return Suspect(word.source, word.value, depth, slots, loaded, word.distance, expected)


def _with_origin(context: Context, value: int, slot: int) -> tuple[int, ...]:
    """Return the slot of a load; of a spilled register first where else memory holds the word."""
    from gdb_epi.corruption.pointers.neighbours import on_stack

    if value < NEAR_NULL or not on_stack(context, slot):
        return (slot,)
    places = context.places_of(value, MAX_PLACES)
    return (*(at for at in places if not on_stack(context, at)), slot)


def is_held_once(context: Context, value: int) -> bool:
    """Whether at most one word but those of stacks holds a word: a flip changes one.

    What several containers hold is an object whose type was cleared (seen in 1 of 820 cores).
    """
    from gdb_epi.corruption.heap.cpython_fields import in_data_stack
    from gdb_epi.corruption.pointers.neighbours import on_stack

    places = context.places_of(value, MAX_HELD)
    kept = [at for at in places if not (on_stack(context, at) or in_data_stack(context, at))]
    return len(kept) <= 1

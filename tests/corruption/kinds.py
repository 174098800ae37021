# SPDX-License-Identifier: Apache-2.0
"""The registry of hardware-like kinds, and what they share."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from corruption.labels import HW, Change
from corruption.process import WORD
from corruption.scene import Scene

Damage = Callable[[Scene], Change]
FIRST_CHECKED_CANARY_BIT = 8  # byte 0 of a canary is 0, and an overflow may change it


class Kind(NamedTuple):
    """One hardware-like kind; `damage` changes memory of a victim that waits.

    `native` says that a program without Python can be its victim too. A kind with `cpu` is no
    change of memory: corruption.cpu knows it by its name.
    """

    name: str
    damage: Damage | None
    group: str
    python: bool
    native: bool
    cpu: bool = False


KINDS: dict[str, Kind] = {}


def kind(
    name: str, *, group: str = HW, python: bool = True, native: bool = False
) -> Callable[[Damage], Damage]:
    """Register a function that damages memory."""

    def register(damage: Damage) -> Damage:
        KINDS[name] = Kind(name, damage, group, python, native)
        return damage

    return register


def flipped(
    scene: Scene, where: int, what: str, *, lowest: int = 0, highest: int = 63,
    symptoms: tuple[str, ...] = (),
) -> Change:  # fmt: skip
    """Flip one bit of a word, chosen from a range, and return what was done."""
    original = scene.memory.word(where)
    bit = scene.dice.randint(max(lowest, scene.bits[0]), min(highest, scene.bits[1]))
    return changed(scene, where, original ^ 1 << bit, f"bit {bit} of {what}", symptoms)


def changed(
    scene: Scene, where: int, wrong: int, what: str, symptoms: tuple[str, ...] = ()
) -> Change:
    """Write a word and return what was done."""
    original = scene.memory.word(where)
    scene.memory.put(where, wrong)
    return Change(what, where, original, wrong, symptoms=symptoms)


def flipped_byte(scene: Scene, address: int, what: str) -> Change:
    """Flip one bit of a byte; the label is in terms of the aligned word that holds it."""
    where = address & ~(WORD - 1)
    shift = 8 * (address - where)
    return flipped(scene, where, what, lowest=shift, highest=shift + 7)

# SPDX-License-Identifier: Apache-2.0
"""The offsets that 3.13+ publishes, damaged word by word in real cores: nothing wrong is shown."""

from __future__ import annotations

import pytest
from support.interpreters import Interpreter, discover, one_per_minor
from support.offset_damage import Damage, damages, truth_of, wrong
from support.opening import made_or_skip, target_of

WHOLE_EVERY = 50  # in so many damages one is analysed to the end
PUBLISHING = (3, 13)
HERE = [interpreter for interpreter in one_per_minor() if interpreter.minor >= PUBLISHING]
EVERY = [interpreter for interpreter in discover() if interpreter.minor >= PUBLISHING]
PROGRAMS = ("simple", "threads")


def examine(interpreter: Interpreter, program: str, *, each: int | None) -> None:
    """Decode a core once for each damage, or for so many of every word."""
    made = made_or_skip(interpreter, program)
    truth = truth_of(made)
    chosen: list[Damage] = []
    if each is None:
        chosen = list(damages(made, 1))
    else:
        by_word: dict[str, list[Damage]] = {}
        for damage in damages(made, 1):
            by_word.setdefault(damage.word, []).append(damage)
        # Another kind of damage for each word in turn.
        for number, kinds in enumerate(by_word.values()):
            chosen += [kinds[(number * 7 + turn * 13) % len(kinds)] for turn in range(each)]
    assert len(chosen) > 60
    layouts = [
        (damage, problem)
        for number, damage in enumerate(chosen)
        if (problem := wrong(target_of(made), truth, damage, whole=number % WHOLE_EVERY == 0))
    ]
    assert layouts == []


@pytest.mark.skipif(not HERE, reason="no CPython 3.13 or later is on this machine")
def test_one_damage_of_each_word() -> None:
    examine(HERE[-1], "simple", each=1)


@pytest.mark.heavy
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(
    "interpreter", [pytest.param(interpreter, id=interpreter.id) for interpreter in EVERY]
)
def test_every_damage_of_each_word(interpreter: Interpreter, program: str) -> None:
    examine(interpreter, program, each=None if program == "simple" else 8)

# SPDX-License-Identifier: Apache-2.0
"""A program that moves to other hosts is followed; hosts that come, go or fall silent are not."""

from __future__ import annotations

import numpy as np
import pytest
from support.fleet_simulator import CPUS, Crash, population, simulate

from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.questions.onset import find_onset
from gdb_epi.fleet.screen.moved_programs import find_program_moves
from gdb_epi.fleet.screen.silent_hosts import find_silent_groups

DAYS, TURN = 40, 20


def fleet_with(places: dict[range, range], *, lives_on: bool = True) -> Population:
    """A fleet in which `claims` dies twice a day, on the given hosts on the given days."""
    fleet = simulate(661_400, hosts=60, days=DAYS, per_day=6.0)
    if not lives_on:
        fleet.crashes[:] = [c for c in fleet.crashes if c.host >= 20 or c.day < TURN]
    for days, hosts in places.items():
        for number in range(2 * len(days)):
            host = hosts[3 * number % len(hosts)]
            fleet.crashes.append(Crash(days[number // 2], host, "settle", number % CPUS, False, ""))
    fleet.crashes.sort()
    whole = population(fleet)
    code = whole.signatures.index("settle")
    program = Attribute(
        "program", ["other", "claims"], np.where(whole.signature == code, 1, 0), np.zeros(0)
    )
    return whole._replace(facts=(program,), memo=None)


def test_a_program_that_moved_is_told_with_its_rate():
    whole = fleet_with({range(TURN): range(20), range(TURN, DAYS): range(40, 54)})
    (move,) = find_program_moves(whole)
    assert (len(move.old), len(move.new), move.is_same) == (20, 14, True)
    assert "crashes as often as before (2 a day, 2 before)" in move.words()
    assert find_silent_groups(whole) == []
    onset = find_onset(whole, whole.signatures.index("settle"))
    assert onset.answer.startswith("no lasting change of its rate")
    assert onset.caveats[0] == move.words()


@pytest.mark.parametrize(
    ("places", "lives_on"),
    [
        ({range(DAYS): range(20)}, True),
        ({range(TURN): range(20), range(TURN, DAYS): range(34)}, True),  # it got more hosts
        ({range(TURN): range(20), range(TURN, DAYS): range(40, 54)}, False),  # the old are silent
        ({range(TURN): range(20)}, True),  # it ended
    ],
)
def test_what_did_not_move(places, lives_on):
    assert find_program_moves(fleet_with(places, lives_on=lives_on)) == []

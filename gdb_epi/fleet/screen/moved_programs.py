# SPDX-License-Identifier: Apache-2.0
"""Programs that moved to other hosts: their crashes go along, and no host got better or worse.

Host-hours know nothing of programs. After a move the old hosts look mended and the new ones bad,
and so do their models, rows and kernels. A program has moved where its crashes ended on hosts that
run on and crash in other programs, and go on where there were none of it before.
"""

from __future__ import annotations

import numpy as np

from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.population.value_spans import first_and_last_days
from gdb_epi.fleet.screen.finding import MIN_N
from gdb_epi.fleet.screen.programs import program_of_each_crash
from gdb_epi.fleet.statistics.arrays import (
    ABSENT,
    Bools,
    Ints,
    distinct_rows,
    sum_by_code,
    widen_codes,
)
from gdb_epi.fleet.statistics.hypothesis_tests import two_sided_binomial_p
from gdb_epi.fleet.store.day_numbers import iso_day
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted, shortened_list

MAX_PROGRAMS = 1_000  # the most frequent ones
MIN_CRASHES = 8  # of a program, on each side
MIN_LIVE = 2  # of several hosts that a program left
MAX_TAKES = 7  # days of the move
MAX_STAY = 0.1  # of the crashes of hosts with several, on those that have some before and after
MAX_P = 1e-4  # over all programs and days: nobody asked
MAX_SAME_P = 0.05  # of rates that are told as different
MAX_NAMED = 4  # hosts


class ProgramMove(NamedTuple):
    """A program that crashed on some hosts until some day, and on others since then."""

    program: str
    first: int  # day of its first crash on the new hosts
    last: int  # day of its last crash on the old ones
    old: tuple[str, ...]
    new: tuple[str, ...]
    a_day: tuple[float, float]  # crashes of the program, before and after
    is_same: bool  # the two may be one rate

    def words(self) -> str:
        """Say it in a sentence."""
        when = " to ".join(dict.fromkeys(map(iso_day, sorted((self.first, self.last)))))
        places = [
            f"{counted(len(hosts), 'host')} ({shortened_list(hosts, MAX_NAMED)})"
            for hosts in (self.old, self.new)
        ]
        before, after = self.a_day
        often = "more often than" if after > before else "less often than"
        often = "as often as" if self.is_same else often
        return (
            f"{self.program} moved from {' to '.join(places)} ({when}) and crashes {often} before "
            f"({after:.3g} a day, {before:.3g} before): its crashes went along, and no host, model "
            f"or kernel is better or worse by that"
        )


def find_program_moves(population: Population) -> list[ProgramMove]:
    """Return the programs that moved once, by name."""
    programs = program_of_each_crash(population)
    if programs is None:
        return []
    rows = np.flatnonzero(population.has_time & (population.host >= 0) & (programs.crash >= 0))
    sizes = np.bincount(programs.crash[rows], minlength=len(programs.values))
    asked = np.argsort(-sizes, kind="stable")[:MAX_PROGRAMS]
    asked = asked[sizes[asked] >= 2 * MIN_CRASHES]
    if not asked.size:
        return []
    number = np.full(sizes.size, ABSENT)
    number[asked] = np.arange(asked.size)
    program = number[programs.crash[rows]]
    rows, program = rows[program >= 0], program[program >= 0]
    likely = _programs_that_left_hosts(population.day[rows], population.host[rows], program)
    parts = (rows[program == code] for code in np.flatnonzero(likely).tolist())
    moves = (_best_fitting_move(population, programs, part, asked.size) for part in parts)
    return [move for move in moves if move is not None]


def _programs_that_left_hosts(day: Ints, host: Ints, program: Ints) -> Bools:
    """Return of which programs few crashes are on hosts that have some before and after a day.

    Most programs stay, and looking at each of them by itself takes seconds of a million crashes.
    Arguments have one entry for each crash. Below, names with `pair` or `counts`, `first`, `last`
    and `stays` have one for each pair of a program and a host; `sizes`, `total` and
    `with_several` one for each program; the tables are program x day.
    """
    sizes, start = np.bincount(program), int(day.min())
    days = int(day.max()) - start + 2
    first_row, pair, counts = distinct_rows((program, host))
    program_of_pair = program[first_row]
    first, last = first_and_last_days(pair, day - start, counts.size)
    # A host stays at each day after its first crash, up to MAX_TAKES before its last one.
    stays, until = last - MAX_TAKES > first, last - MAX_TAKES + 1
    stay_changes = np.zeros((sizes.size, days), dtype=np.int64)
    np.add.at(stay_changes, (program_of_pair[stays], first[stays] + 1), counts[stays])
    np.add.at(stay_changes, (program_of_pair[stays], until[stays]), -counts[stays])
    cell = widen_codes(program) * days + day - start
    before = np.bincount(cell, minlength=sizes.size * days).reshape(sizes.size, days)
    before = np.cumsum(before, axis=1) - before
    total = sizes[:, None]
    with_several = sum_by_code(program_of_pair[counts > 1], counts[counts > 1], sizes.size)[:, None]
    possible = (np.cumsum(stay_changes, axis=1) <= MAX_STAY * with_several) & (
        before >= MIN_CRASHES
    )
    possible &= total - before >= MIN_CRASHES
    # P that all of them are on one side is no smaller than if each host were on the likelier one.
    at_end_of_move = before[:, np.minimum(np.arange(days) + MAX_TAKES, days - 1)]
    likelier_share = np.maximum(at_end_of_move, total - before) / total
    tells = -with_several * np.log(likelier_share) >= np.log(sizes.size * days / MAX_P)
    return np.asarray((possible & tells).any(axis=1))


def find_moves_of_signature(population: Population, signature: int) -> list[ProgramMove]:
    """Return the moves of the program that all crashes of a signature are of."""
    programs = program_of_each_crash(population)
    if programs is None:
        return []
    codes = np.unique(programs.crash[population.signature == signature])
    names = {programs.values[code] for code in codes.tolist() if code >= 0}
    return [move for move in find_program_moves(population) if names == {move.program}]


def _best_fitting_move(
    population: Population, programs: Attribute, mine: Ints, tested: int
) -> ProgramMove | None:
    """Return the move of a program at the day that fits it best; None where it has not moved."""
    hosts, host = np.unique(population.host[mine], return_inverse=True)
    day = population.day[mine]
    first, last = first_and_last_days(host, day, hosts.size)
    count = np.bincount(host)
    best: tuple[float, int, Bools, Bools] | None = None
    for turn in np.unique(day)[1:].tolist():
        end = turn + MAX_TAKES
        old, new = (first < turn) & (last < end), first >= turn
        stays = ~old & ~new
        if not _are_crashes_enough_to_tell(count, old) or not _are_crashes_enough_to_tell(
            count, new
        ):
            continue
        if count[stays].sum() > MAX_STAY * count[count > 1].sum():
            continue
        # P that all crashes of a host are on one side of that day, had each any day of the program.
        sides = float((day < end).mean()), float((day >= turn).mean())
        moved = count[old | new]
        fit = float(np.log(np.minimum(sides[0] ** moved + sides[1] ** moved, 1.0)).sum())
        fit += np.count_nonzero(stays) * float(np.log(hosts.size))  # which hosts are left aside
        if best is None or fit < best[0]:
            best = fit, turn + MAX_TAKES, old, new
    if best is None or best[0] > np.log(MAX_P / (tested * np.unique(day).size)):
        return None
    _, end, old, new = best
    # A host that is gone, or sends no more records, does not tell where the program went.
    others = population.has_time & (population.day >= end) & (population.host >= 0)
    others &= programs.crash != programs.crash[mine[0]]
    live_on = population.host[others][np.isin(population.host[others], hosts[old])]
    if live_on.size < MIN_N or np.unique(live_on).size < min(MIN_LIVE, int(old.sum())):
        return None
    came_on, left_on = int(first[new].min()), int(last[old].max())
    low, high = sorted((came_on, left_on))
    whole = population.day[population.has_time]
    days = low - int(whole.min()), int(whole.max()) - high
    crashes = int(np.count_nonzero(day < low)), int(np.count_nonzero(day > high))
    if min(days) <= 0:
        return None
    share = days[1] / sum(days)
    p = two_sided_binomial_p(crashes[1], sum(crashes), share)
    before, after = (
        tuple(population.hosts[h] for h in hosts[some].tolist()) for some in (old, new)
    )
    a_day = crashes[0] / days[0], crashes[1] / days[1]
    program = programs.values[programs.crash[mine[0]]]
    return ProgramMove(program, came_on, left_on, before, after, a_day, p >= MAX_SAME_P)


def _are_crashes_enough_to_tell(count: Ints, some: Bools) -> bool:
    """Whether the crashes of some hosts are enough to tell."""
    return bool(count[some].sum() >= MIN_CRASHES)

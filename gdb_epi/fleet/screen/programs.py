# SPDX-License-Identifier: Apache-2.0
"""On which hosts a program runs, as its other crashes tell.

A service that runs on one model of machines has all of its crashes there, and no model is to blame;
by host-hours, which know nothing of services, the model looks bad. What its other signatures do
tells where it runs. A version of its image or of its packages is compared with those of its other
crashes alone: other programs have other images throughout.
"""

from __future__ import annotations

import numpy as np

from gdb_epi.fleet.population.attribute_combinations import count_known_pairs
from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.records.facts import (
    PROGRAM,
    is_process_attribute,
    program_in_words,
    program_name_of_crashes,
)
from gdb_epi.fleet.screen.finding import NOT_ONE_JOB
from gdb_epi.fleet.statistics.arrays import Bools, Floats, Ints, count_pairs, sum_by_code
from gdb_epi.fleet.statistics.hypothesis_tests import (
    beta_binomial_tail,
    binomial_p,
    hypergeometric_p,
    risk_by_share,
)
from gdb_epi.render.signature_words import (
    UNKNOWN,
    WHERE,
    differ_only_in_how_names_are_known,
    signature_phrase_and_key,
    where_and_what,
)
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import shortened_list

OF_PROGRAM = "the other crashes of"  # and its name: what a version of it is compared with
ONLY_HERE = "{program} crashed on no other host: it may run there alone"
ITS_PROGRAM = (
    "{share:.0%} of its crashes are of {program}: a program that damages its own memory dies in "
    "many ways too"
)
MAX_NAMED = 4
MOSTLY = 0.8  # of some crashes, that they are of one program
WEIGHT = 10.0  # crashes that the fleet's share counts as, beside those of the program
MIN_OTHERS = 5  # crashes of a program, that tell where it runs
MAX_LOUD = 2  # programs that are left aside, when all crashes are asked
MAX_LEFT_P = 0.05
WEAK = 4.0  # crashes that the fleet's share counts as beside so many


def program_of_each_crash(population: Population) -> Attribute | None:
    """Return the program of each crash; None where records do not tell, or all have one."""
    return next((fact for fact in population.facts if fact.name == PROGRAM), None)


def program_of_signature(population: Population, signature: str) -> str:
    """Return what the crashes of a signature are of, in words; "" where that is not known."""
    line, programs = signature.partition(WHERE)[0], program_of_each_crash(population)
    if programs is None or line not in population.signatures:
        return ""
    columns = population.signature, programs.crash
    of_pair, program, _ = population.computed_once(count_known_pairs, *columns)
    codes = program[of_pair == population.signatures.index(line)].tolist()
    return program_in_words(program_name_of_crashes([programs.values[code] for code in codes]))


def known_programs(population: Population, crashes: Bools | Ints) -> list[str]:
    """Return the programs that some crashes are known to be of."""
    programs = program_of_each_crash(population)
    codes = [] if programs is None else np.unique(programs.crash[crashes]).tolist()
    return [programs.values[code] for code in codes if programs is not None and code >= 0]


def signature_with_program_words(population: Population, signature: str) -> str:
    """Return a signature in words, with what its crashes are of."""
    return signature_phrase_and_key(signature, program_of_signature(population, signature))


def program_of_most_crashes(
    population: Population, crashes: Bools | Ints
) -> tuple[str, int, int] | None:
    """Return the program of most of some crashes, how many these are, and of how many it is known.

    None where programs are not known.
    """
    programs = program_of_each_crash(population)
    if programs is None:
        return None
    counts = np.bincount(programs.crash[crashes] + 1, minlength=len(programs.values) + 1)[1:]
    most, total = int(counts.argmax()), int(counts.sum())
    return (programs.values[most], int(counts[most]), total) if total else None


def caveat_of_program_on_one_host(population: Population, crashes: Bools) -> tuple[str, ...]:
    """Return a caveat where the program of a host's crashes has crashed on no other host."""
    main = program_of_most_crashes(population, crashes)
    if main is None or main[1] < MOSTLY * main[2]:
        return ()
    programs = program_of_each_crash(population)
    assert programs is not None
    of_program = programs.crashes_with(main[0]) & (population.host >= 0)
    hosts = population.host[of_program]
    return (ONLY_HERE.format(program=main[0]),) if (hosts == hosts[0]).all() else ()


def are_crashes_of_one_function(population: Population, crashes: Bools) -> bool:
    """Whether nearly all of some crashes are in one function of one program."""
    main = program_of_most_crashes(population, crashes)
    counts = np.bincount(population.signature[crashes & (population.signature >= 0)], minlength=1)
    places: dict[str, int] = {}
    for code in np.flatnonzero(counts).tolist():
        where, _ = where_and_what(population.signatures[code], None, hung=False)
        places[where] = places.get(where, 0) + int(counts[code])
    most = max((count for where, count in places.items() if where != UNKNOWN), default=0)
    is_of_one_program = main is None or main[1] >= MOSTLY * main[2]
    return bool(is_of_one_program and most >= MOSTLY * np.count_nonzero(crashes))


def crashes_of_same_programs(population: Population, crashes: Ints | Bools) -> Bools | None:
    """Return which crashes are of the programs that some crashes are of; None: not known."""
    programs = program_of_each_crash(population)
    if programs is None:
        return None
    mine = np.zeros(len(programs.values) + 1, dtype=bool)
    mine[programs.crash[crashes]] = True  # an unknown program has the last place
    return np.asarray(mine[programs.crash])


def p_with_other_names(population: Population, mine: Ints, codes: Ints, value: int) -> float:
    """Return P of as many crashes with a value, where a bug has a name for each interpreter.

    `codes` are the values of all crashes. Keys have names in them that one Python knows and another
    one does not: each key needs its Python, and the bug needs none. 0 where it has one name.
    """
    name = population.signatures[int(population.signature[mine[0]])]
    names = [
        code
        for code, other in enumerate(population.signatures)
        if differ_only_in_how_names_are_known(name, other)
    ]
    if len(names) < 2:
        return 0.0
    same = crashes_of_same_programs(population, mine)
    rows = np.flatnonzero((codes >= 0) & (population.signature >= 0)
                          & (True if same is None else same))  # fmt: skip
    own, has = np.isin(population.signature[rows], names), codes[rows] == value
    counts = int((own & has).sum()), rows.size, int(has.sum()), int(own.sum())
    return hypergeometric_p(*counts)


def is_compared_by_program(population: Population, name: str) -> bool:
    """Whether the crashes of programs tell what the values of an attribute are compared with."""
    return is_process_attribute(name) and program_of_each_crash(population) is not None


class ProgramTable(NamedTuple):
    """How many crashes each program has, of those whose value of an attribute is known."""

    program: Ints  # of the pairs that occur, shifted by one: 0 is an unknown program
    value: Ints
    crashes: Ints
    programs: int

    def without(self, other: ProgramTable) -> ProgramTable:
        """Return the table without the crashes that another one counts."""
        return ProgramTable(
            np.concatenate((self.program, other.program)),
            np.concatenate((self.value, other.value)),
            np.concatenate((self.crashes, -other.crashes)),
            self.programs,
        )

    def crashes_with_value(self, value: int) -> tuple[Floats, Floats]:
        """Return the crashes of each program with a value, and with any."""
        has = self.value == value
        sizes = sum_by_code(self.program, self.crashes, self.programs)
        return sum_by_code(self.program[has], self.crashes[has], self.programs), sizes


def program_table(population: Population, crashes: Ints, codes: Ints) -> ProgramTable | None:
    """Count some crashes (where they are) by program and value; None where no program is known.

    `codes` are their values.
    """
    programs = program_of_each_crash(population)
    if programs is None:
        return None
    has_value = codes >= 0
    pairs = count_pairs(programs.crash[crashes[has_value]] + 1, codes[has_value])
    return ProgramTable(*pairs, len(programs.values) + 1)


def p_adjusted_for_programs(
    population: Population,
    table: ProgramTable,
    mine: Ints,
    codes: Ints,
    value: int,
    given: float | None,
) -> float:
    """Return P of as many crashes with a value, by where the other crashes of their programs are.

    `mine` are the crashes of a signature whose value is known, `codes` their values, and `given` is
    the share of the value in the fleet; None where it is of the process: nothing is given then.
    """
    programs = program_of_each_crash(population)
    assert programs is not None  # there is a table
    program = programs.crash[mine] + 1
    with_value, sizes = table.crashes_with_value(value)
    here = np.bincount(program, minlength=table.programs).astype(float)
    here_with = np.bincount(program[codes == value], minlength=table.programs).astype(float)
    count, n = float(here_with.sum()), float(mine.size)
    own = here > 0
    if given is None:
        # These crashes and the others of their programs, as if the value were dealt out anew.
        whole, marked = sizes[own], with_value[own]
        if int(own.sum()) == 1:
            return hypergeometric_p(count, whole[0], marked[0], n)
        share = float((here[own] * marked / np.maximum(whole, 1.0)).sum()) / n
    else:
        others, marked = (sizes - here)[own], (with_value - here_with)[own]
        shares = (WEIGHT * given + marked) / (WEIGHT + others)
        share = float((here[own] * shares).sum()) / n
        if float(others.sum()) >= MIN_OTHERS:
            # Where it runs is known as well as its other crashes tell: the share has an error, too.
            shares = (WEAK * given + marked) / (WEAK + others)
            share = float((here[own] * shares).sum()) / n
            weight = WEAK + float(others.sum())
            return beta_binomial_tail(int(count), int(n), share * weight, (1 - share) * weight)
    return binomial_p(count, n, min(share, 1.0))


def share_adjusted_for_programs(
    population: Population, table: ProgramTable, mine: Ints, codes: Ints, value: int
) -> tuple[float, str]:
    """Return which share of the other crashes of some crashes' programs has a value, and of which.

    Of no other crash half of one has it, so that a risk can be said.
    """
    programs = program_of_each_crash(population)
    assert programs is not None
    program = programs.crash[mine] + 1
    here = np.bincount(program, minlength=table.programs)
    here_with = np.bincount(program[codes == value], minlength=table.programs)
    with_value, sizes = table.crashes_with_value(value)
    own = here > 0
    marked, size = float((with_value - here_with)[own].sum()), float((sizes - here)[own].sum())
    most = int(here[1:].argmax()) if here.size > 1 else 0
    single = here.size > 1 and here[most + 1] >= MOSTLY * mine.size
    name = programs.values[most] if single else "its programs"
    return (marked + 0.5) / (size + 1.0), f"{OF_PROGRAM} {name}"


def name_several_programs(population: Population, crashes: Bools) -> str | None:
    """Say of which programs (else namespaces) some crashes are, if more than one has several."""
    programs = program_of_each_crash(population) or population.attribute("namespace")
    if programs is None:
        return None
    counts = np.bincount(programs.crash[crashes] + 1, minlength=1)[1:]
    order = [code for code in np.argsort(-counts, kind="stable").tolist() if counts[code] > 1]
    if len(order) < 2 or counts[order[0]] >= MOSTLY * counts.sum():
        return None
    some = [f"{programs.values[code]} ({counts[code]})" for code in order]
    return NOT_ONE_JOB.format(programs=shortened_list(some, MAX_NAMED))


def is_preferred_by_most_programs(
    population: Population, crashes: Ints, inside: Bools, share: float, least: float
) -> bool:
    """Whether more than one or two programs have a value that all crashes seem to prefer.

    A rack on which the busiest service runs has more crashes of all kinds, and only of that
    service. True where programs are not known. `inside` are the crashes with the value, `least` is
    the relative risk that the others must show. A program that crashes with the value alone does
    not count: nothing tells that it runs elsewhere, and services differ in how often they crash.
    """
    programs = program_of_each_crash(population)
    if programs is None:
        return True
    program = programs.crash[crashes]
    has_program = program >= 0
    size = len(programs.values)
    total = np.bincount(program[has_program], minlength=size).astype(float)
    with_value = np.bincount(program[has_program & inside], minlength=size).astype(float)
    present = int(np.count_nonzero(total))
    loudest = np.argsort(share * total - with_value, kind="stable")[: min(MAX_LOUD, present // 2)]
    total[loudest] = with_value[loudest] = 0.0
    if present > 1:
        runs_elsewhere = with_value < total
        with_value, total = with_value[runs_elsewhere], total[runs_elsewhere]
    a, n = float(with_value.sum()), float(total.sum())
    risk = risk_by_share(a, n, share)[0]
    return risk >= least and binomial_p(a, n, share) <= MAX_LEFT_P

# SPDX-License-Identifier: Apache-2.0
"""What is right to say of a row, and what each rule said of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gdb_epi.errors import Absent
from gdb_epi.judgement.calibration import ANY_RULE, NO_CASE, RuleCounts
from gdb_epi.judgement.label_evidence import DAMAGE, evidence_for_verdict_labels
from gdb_epi.judgement.labels import DAMAGED_MEMORY, HARDWARE_SUSPECT, KILLED, SOFTWARE
from gdb_epi.judgement.verdict import Verdict
from gdb_epi.resign.verdicts import VerdictBasis, judge_basis, stored_verdict_basis

Row = dict[str, Any]
OF_DAMAGE = frozenset((DAMAGED_MEMORY, HARDWARE_SUSPECT))
# Nothing failed in these: a program asks for its own death, by a way that others use too.
OWN_DEATH = frozenset(("py_kill", "raised", "aborted", "py_abort"))


class Truth(NamedTuple):
    """Which labels are right, whether a word was damaged, and what the program is."""

    program: str
    labels: frozenset[str]
    damaged: bool
    origin: str


def truth_of(row: Row) -> Truth:
    """Return what really happened to a row's process."""
    program, origin = str(row["program"]), str(row["from"])
    if origin.startswith("gallery"):
        truth = row["truth"]
        right = frozenset(truth["right"])
        return Truth(program, right, bool(truth.get("damage") or right & OF_DAMAGE), origin)
    if row["label"]["class"] == "hw":
        return Truth(program, OF_DAMAGE, True, origin)
    own = {SOFTWARE, KILLED} if program in OWN_DEATH else {SOFTWARE}
    return Truth(program, frozenset(own), False, origin)


def case_of(row: Row) -> VerdictBasis:
    """Return what the verdict rests on. Raises ValueError when the row lacks it."""
    case = stored_verdict_basis(row["record"])
    if isinstance(case, Absent):
        raise ValueError(f"{row['program']}: {case.detail}")
    return case


def judged(row: Row, table: Mapping[str, RuleCounts] | None = None) -> Verdict:
    """Return this version's verdict on a row."""
    return judge_basis(case_of(row), table)


def rules_that_spoke(row: Row) -> dict[str, bool]:
    """Return whether each rule that spoke of a row was right."""
    judge_basis(case_of(row))  # loads the detectors
    truth = truth_of(row)
    arguments = evidence_for_verdict_labels(*case_of(row), {})
    if any(not argument.last for argument in arguments):
        arguments = [argument for argument in arguments if not argument.last]
    return {
        a.rule: truth.damaged if a.label == DAMAGE else a.label in truth.labels for a in arguments
    }


def counted(rows: Iterable[Row]) -> dict[str, RuleCounts]:
    """Count programs by rule: one program counts 1, in parts where its cores differ."""
    by_rule: dict[str, dict[tuple[str, str], list[bool]]] = {}
    for row in rows:
        truth = truth_of(row)
        for rule, right in rules_that_spoke(row).items():
            cores = by_rule.setdefault(rule, {})
            cores.setdefault((truth.origin, truth.program), []).append(right)
    table = {rule: _counts(programs) for rule, programs in sorted(by_rule.items())}
    usual = usually_right(table)
    table = {rule: counts._replace(usual=usual) for rule, counts in table.items()}
    return {**table, ANY_RULE: RuleCounts(0, 0, NO_CASE, usual)}


def usually_right(table: Mapping[str, RuleCounts]) -> float:
    """Return how often rules are right: the mean over rules."""
    shares = [counts.right / (counts.right + counts.wrong) for counts in table.values()]
    return round(sum(shares) / len(shares), 3) if shares else 0.5


def _counts(programs: Mapping[tuple[str, str], Sequence[bool]]) -> RuleCounts:
    right = sum(sum(cores) / len(cores) for cores in programs.values())
    origins = sorted({origin for origin, _ in programs})
    number = tuple((o, sum(origin == o for origin, _ in programs)) for o in origins)
    return RuleCounts(round(right, 2), round(len(programs) - right, 2), programs=number)


def read_rows(paths: Iterable[Path]) -> Iterator[Row]:
    """Yield the rows of files."""
    for path in paths:
        with path.open() as file:
            yield from map(json.loads, file)

# SPDX-License-Identifier: Apache-2.0
"""Which conditions go with some crashes of a signature: hosts, attributes, pairs of attributes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gdb_epi.fleet.conjunctions import pair_findings
from gdb_epi.fleet.echoes import distinct
from gdb_epi.fleet.forms import Form
from gdb_epi.fleet.population import Bools, Population
from gdb_epi.fleet.screen_attributes import signature_findings
from gdb_epi.fleet.screen_hosts import host_signatures
from gdb_epi.fleet.screen_types import MIN_N, Finding
from gdb_epi.lean import NamedTuple

MIN_TOGETHER = 0.8  # of a mark's crashes that a second one shares: then the cause needs both


class Explained(NamedTuple):
    """Crashes, and the conditions that go with them."""

    conditions: tuple[Finding, ...]
    members: Bools


def explained(
    population: Population, name: str, free: Bools, left: Bools, forms: Sequence[Form]
) -> list[Explained]:
    """Return the populations in the crashes `left` of a signature that something marks.

    Each form is asked on its own, because what goes with half of the crashes alone is diluted in
    all of them; if nothing goes with a form, all are asked together. `free` are the crashes that
    hosts do not explain.
    """
    found: list[Explained] = []
    for form in forms:
        here = _named(population, form, f"{name} where {form.mark}")
        found += _of_crashes(here, here.signatures[-1], free, form.members, hosts=True)
    return found or _of_crashes(population, name, free, left, hosts=False)


def _named(population: Population, form: Form, name: str) -> Population:
    """The population with a form as a signature of its own."""
    codes = population.signature.copy()
    codes[form.members] = len(population.signatures)
    return population._replace(signature=codes, signatures=[*population.signatures, name])


def _of_crashes(
    population: Population, name: str, free: Bools, left: Bools, *, hosts: bool
) -> list[Explained]:
    found: list[Explained] = []
    if hosts:
        for finding in host_signatures(population, ~free, name):
            found.append(Explained((finding,), finding.members & left))
            left, free = left & ~finding.members, free & ~finding.members
    marks = list(signature_findings(population, free, name))
    groups = _together(distinct(population, marks, [], order=_explains))
    for conditions in _with_pairs(groups, pair_findings(population, free, name)):
        mine = left.copy()
        for finding in conditions:
            mine &= finding.members
        if int(mine.sum()) >= MIN_N:
            found.append(Explained(conditions, mine))
            left = left & ~mine
    return found


def _explains(finding: Finding) -> float:
    """Minus the crashes beyond the share of the value: a mark of few must not hide one of all.

    The share is worked out backwards from the relative risk.
    """
    rest = finding.total - finding.n
    odds = (finding.n + 0.5) / max((rest + 0.5) * finding.rr, 1e-12)
    return finding.total * odds / (1 + odds) - finding.n


def _together(found: Sequence[Finding]) -> list[tuple[Finding, ...]]:
    """Join the marks that the same crashes carry; those that explain the most first."""
    groups: list[list[Finding]] = []
    for finding in found:
        for group in groups:
            base = group[0].members
            both = int((base & finding.members).sum())
            if both >= MIN_TOGETHER * int(base.sum()):
                group.append(finding)
                break
        else:
            groups.append([finding])
    return [tuple(group) for group in groups]


def _with_pairs(
    groups: Sequence[tuple[Finding, ...]], pairs: Iterable[tuple[Finding, Finding]]
) -> list[tuple[Finding, ...]]:
    """Add what a pair adds: a second condition of a mark, or a mark that neither one was alone."""
    found = list(groups)
    for pair in pairs:
        for i, group in enumerate(found):
            base = group[0].members
            both = int((base & pair[0].members).sum())
            names = {(f.attr, f.value) for f in group}
            second = [f for f in pair if (f.attr, f.value) not in names]
            if len(group) == len(second) == 1 and both >= MIN_TOGETHER * int(base.sum()):
                found[i] = (group[0], second[0])
            if both:
                break
        else:
            found.append(pair)
    return found

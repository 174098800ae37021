# SPDX-License-Identifier: Apache-2.0
"""The populations inside one signature.

The crashes of bad hosts are set apart first. The rest is divided by facts of the cores, and each
part is tested for a host, attribute or pair of attributes that goes with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import permutations

import numpy as np

from gdb_epi.fleet.population.attribute_combinations import (
    count_known_pairs,
    find_combinations,
    sum_by_value,
)
from gdb_epi.fleet.population.coverage import drop_host_hours, sum_old_host_hours
from gdb_epi.fleet.population.population import ComputedOnceCache, Population
from gdb_epi.fleet.questions.conditions_of_two_causes import find_conditions_of_two_causes
from gdb_epi.fleet.questions.subpopulations import (
    Subpopulation,
    attributes_in_mark,
    distinguishing_facts,
    find_subpopulations,
)
from gdb_epi.fleet.questions.values_in_common import ValuesInCommon, find_values_in_common
from gdb_epi.fleet.screen.attribute_pairs import pair_findings
from gdb_epi.fleet.screen.attributes import signature_findings
from gdb_epi.fleet.screen.confounded_findings import drop_confounded_findings
from gdb_epi.fleet.screen.design_effect import expected_shares
from gdb_epi.fleet.screen.dose_response import describe_marks_that_are_versions, describe_thresholds
from gdb_epi.fleet.screen.events import CrashEvents, find_events
from gdb_epi.fleet.screen.finding import (
    CPU,
    HOST,
    MAX_CONDITIONAL_P,
    MAX_Q,
    MIN_N,
    MOSTLY,
    WINDOWS,
    Finding,
    is_about_whole_host,
)
from gdb_epi.fleet.screen.finding_texts import (
    describe_cause_kind,
    describe_certainty,
    describe_risk,
    describe_verdict,
)
from gdb_epi.fleet.screen.hosts import exposure_shares, host_findings_of_signature
from gdb_epi.fleet.screen.programs import is_compared_by_program
from gdb_epi.fleet.screen.screening import case_control_findings, screen_hosts
from gdb_epi.fleet.statistics.arrays import Bools, count_distinct, count_pairs, without_pairs
from gdb_epi.fleet.statistics.hypothesis_tests import binomial_p, binomial_tail, risk_by_share
from gdb_epi.render.signature_words import WHERE
from gdb_epi.typing_lite import NamedTuple

MAX_BESIDE = 0.02  # of the host-hours with a value, that are without one that it implies
MAX_IMPLIED_P = 1e-3  # of the crashes with the implied value, that they prefer the other one so
MIN_TOGETHER = 0.8  # of a mark's crashes shared by a second mark: then the cause needs both


class CrashesWithConditions(NamedTuple):
    """Crashes, and the conditions that go with them."""

    conditions: tuple[Finding, ...]
    members: Bools


def split_by_conditions(
    population: Population,
    signature: str,
    not_host_explained: Bools,
    unassigned: Bools,
    subpopulations: Sequence[Subpopulation],
) -> list[CrashesWithConditions]:
    """Return groups of a signature's `unassigned` crashes, by the conditions that go with them.

    Each subpopulation is tested on its own, because a mark of half of the crashes is diluted among
    all of them. If nothing goes with any subpopulation, all crashes are tested together.
    """
    parts: list[CrashesWithConditions] = []
    same = population.crashes_of_signature(signature)
    for subpopulation in subpopulations:
        name = f"{signature}{WHERE}{subpopulation.mark}"
        # The population with a subpopulation as a signature of its own.
        codes = population.signature.copy()
        codes[subpopulation.members] = len(population.signatures)
        signatures = [*population.signatures, name]
        memo = None
        if population.memo is not None:
            memo = ComputedOnceCache(population.memo, codes)
            # Of ten million crashes counting these pairs anew takes a second.
            mine = np.flatnonzero(subpopulation.members & (population.host >= 0))
            old = population.computed_once(count_known_pairs, population.signature, population.host)
            old = without_pairs(old, population.signature[mine], population.host[mine])
            new = count_pairs(codes[mine], population.host[mine])
            pairs = tuple(np.concatenate(both) for both in zip(old, new, strict=True))
            memo.keep(pairs, count_known_pairs, codes, population.host)
        apart = population._replace(signature=codes, signatures=signatures, memo=memo)
        circular = attributes_in_mark(population, same, subpopulation.members)
        if circular:
            kept = tuple(a for a in apart.attributes if a.name not in circular)
            apart = apart._replace(attributes=kept)
        parts += _crashes_by_conditions_or_hosts(
            apart, name, not_host_explained, subpopulation.members, hosts=True
        )
    if not parts:
        parts = _crashes_by_conditions_or_hosts(
            population, signature, not_host_explained, unassigned, hosts=False
        )
    return parts or _marks_without_hours(population, signature, not_host_explained, unassigned)


def _crashes_by_conditions_or_hosts(
    population: Population, name: str, free: Bools, left: Bools, *, hosts: bool
) -> list[CrashesWithConditions]:
    parts: list[CrashesWithConditions] = []
    if hosts:
        for finding in host_findings_of_signature(population, ~free, name):
            parts.append(CrashesWithConditions((finding,), finding.members & left))
            left, free = left & ~finding.members, free & ~finding.members
    marks = list(signature_findings(population, free, name))
    groups = _join_marks_of_same_crashes(
        drop_confounded_findings(population, marks, [], order=_sort_key_of_marks(marks))
    )
    groups = [_conditions_without_implied(population, group) for group in groups]
    pairs = pair_findings(population, free, name)
    groups = _add_conditions_of_pairs(groups, pairs)
    if all(len(group) == 1 for group in groups):
        same = population.crashes_of_signature(name)
        single = [group[0] for group in groups]
        if (own := find_conditions_of_two_causes(population, same & free, single)) is not None:
            return parts + _assign_crashes_by_values(
                population, list(zip(single, own, strict=True)), left
            )
    return parts + _assign_crashes_by_conditions(population, groups, left)


def _assign_crashes_by_values(
    population: Population, groups: Sequence[tuple[Finding, ...]], left: Bools
) -> list[CrashesWithConditions]:
    """Assign each of the crashes `left` to the first group all of whose values it has."""
    parts = []
    for conditions in groups:
        mine = left.copy()
        for finding in conditions:
            attribute = population.attribute(finding.attr)
            assert attribute is not None  # it was found there
            mine &= attribute.crashes_with(finding.value)
        parts.append(CrashesWithConditions(conditions, mine))
        left = left & ~mine
    return parts


def _marks_without_hours(
    population: Population, name: str, free: Bools, left: Bools
) -> list[CrashesWithConditions]:
    """Return what marks the crashes of a signature that host-hours do not cover in full."""
    marks = case_control_findings(population, free, name)
    if not marks:
        return []
    alone = drop_host_hours(population)
    groups = _join_marks_of_same_crashes(
        drop_confounded_findings(alone, marks, [], order=_sort_key_of_marks(marks))
    )
    return _assign_crashes_by_conditions(population, groups, left)


def _assign_crashes_by_conditions(
    population: Population, groups: Iterable[tuple[Finding, ...]], left: Bools
) -> list[CrashesWithConditions]:
    """Assign each of the crashes `left` to the first group of conditions that it meets."""
    parts: list[CrashesWithConditions] = []
    for conditions in groups:
        mine = left.copy()
        for finding in conditions:
            mine &= finding.members | _crashes_with_value_in_record_only(population, finding)
        if int(mine.sum()) >= MIN_N:
            parts.append(CrashesWithConditions(conditions, mine))
            left = left & ~mine & ~_crashes_that_may_meet_conditions(population, conditions)
    return parts


def _crashes_that_may_meet_conditions(
    population: Population, conditions: Iterable[Finding]
) -> Bools:
    """Return the crashes that may well meet some conditions too: no other cause takes them.

    All whose value is known have it, and theirs is not known.
    """
    may = np.ones(population.day.size, dtype=bool)
    for finding in conditions:
        attribute = population.attribute(finding.attr)
        is_unknown = np.zeros(may.size, dtype=bool) if attribute is None else attribute.crash < 0
        may &= finding.members | (is_unknown & (finding.n == finding.total))
    return may


def _crashes_with_value_in_record_only(population: Population, finding: Finding) -> Bools:
    """Return which crashes have the value in their records where the host-hours have none."""
    attribute = population.attribute(finding.attr)
    if attribute is None or attribute.reported is None:
        return np.zeros(population.day.size, dtype=bool)
    code = attribute.values.index(finding.value)
    return np.asarray((attribute.crash < 0) & (attribute.reported == code))


def _sort_key_of_marks(marks: Sequence[Finding]) -> Callable[[Finding], tuple[float, float]]:
    """Return the order of marks: a mark of few must not hide a mark of all.

    Of those that explain nearly as much as the best one the surest comes first, as in a screening.
    """
    least = MIN_TOGETHER * min(map(_minus_excess_crashes, marks), default=0.0)
    return lambda finding: (max(_minus_excess_crashes(finding), least), finding.p)


def _minus_excess_crashes(finding: Finding) -> float:
    """Return minus the excess crashes of the value; the share comes from the relative risk."""
    rest = finding.total - finding.n
    odds = (finding.n + 0.5) / max((rest + 0.5) * finding.rr, 1e-12)
    return finding.total * odds / (1 + odds) - finding.n


def _join_marks_of_same_crashes(marks: Sequence[Finding]) -> list[tuple[Finding, ...]]:
    """Join marks of the same crashes, those that explain the most first."""
    groups: list[list[Finding]] = []
    for finding in marks:
        for group in groups:
            base = group[0].members
            both = int((base & finding.members).sum())
            if both >= MIN_TOGETHER * int(base.sum()):
                group.append(finding)
                break
        else:
            groups.append([finding])
    return [tuple(group) for group in groups]


def _conditions_without_implied(
    population: Population, group: tuple[Finding, ...]
) -> tuple[Finding, ...]:
    """Return conditions without those that another one implies, and that bring nothing without it.

    All machines with one firmware are of one model: of this model the others do not crash.
    """
    implied: set[int] = set()
    for i, j in permutations(range(len(group)), 2):
        if (
            i not in implied
            and j not in implied
            and _is_condition_implied(population, group[i], group[j])
        ):
            implied.add(j)
    return tuple(finding for i, finding in enumerate(group) if i not in implied)


def _is_condition_implied(population: Population, part: Finding, whole: Finding) -> bool:
    mine, other = population.attribute(part.attr), population.attribute(whole.attr)
    if mine is None or other is None:
        return False
    code = mine.values.index(part.value)
    with_whole = other.hours_with(whole.value)
    hours = [
        float(population.exposure_hours[some].sum())
        for some in (
            (mine.exposure == code) & with_whole,
            (mine.exposure == code) & (other.exposure >= 0) & ~with_whole,
            (mine.exposure >= 0) & (mine.exposure != code) & with_whole,
        )
    ]
    if hours[1] > MAX_BESIDE * hours[0] or min(hours[0], hours[2]) <= 0:
        return False
    same = population.crashes_of_signature(whole.signature)
    has_both = same & (mine.crash >= 0) & (other.crash >= 0)
    in_part, in_whole = mine.crash == code, other.crashes_with(whole.value)
    n = [
        int((has_both & some).sum())
        for some in (in_part & in_whole, ~in_part & in_whole, ~in_whole)
    ]
    rest = float(population.exposure_hours[(other.exposure >= 0) & ~with_whole].sum())
    tests = ((n[0], n[1], hours[0], hours[2]), (n[1], n[2], hours[2], rest))
    prefers, raised = (binomial_p(a, a + b, h / (h + beside)) for a, b, h, beside in tests)
    return prefers <= MAX_IMPLIED_P and raised > MAX_Q


def _add_conditions_of_pairs(
    groups: Sequence[tuple[Finding, ...]], pairs: Iterable[tuple[Finding, Finding]]
) -> list[tuple[Finding, ...]]:
    """Add what pairs show: a second condition of a mark, or a mark that neither half was alone."""
    joined = list(groups)
    for pair in pairs:
        for i, group in enumerate(joined):
            base = group[0].members
            both = int((base & pair[0].members).sum())
            names = {(f.attr, f.value) for f in group}
            second = [f for f in pair if (f.attr, f.value) not in names]
            if len(group) == len(second) == 1 and both >= MIN_TOGETHER * int(base.sum()):
                joined[i] = (group[0], second[0])
            if both:
                break
        else:
            joined.append(pair)
    return joined


MAX_CHANCE = 0.1  # that the best of all values leans as far
MAX_MORE = 2000  # crashes; beyond that "no number of crashes" is the honest answer
MIN_FLAGGED = (
    0.3  # share of a subpopulation's crashes with a flag from which the flag suggests the cause
)
MANY_HOSTS = 4  # with damage in one signature, none with most of it: not one host's hardware
NOT_EXPLAINED = "not explained"
UNCERTAIN = "uncertain"
IN_BETWEEN = "their facts fit two forms nearly as well: left unassigned"
ONE_POPULATION = "one population, as far as can be told"


class SignaturePart(NamedTuple):
    """One population of a signature."""

    label: str
    mark: str  # attr=value (and attr=value ...), or what the rest is
    finding: Finding | None
    crashes: int
    hosts: int
    bitflips: int
    members: Bools
    also: tuple[Finding, ...] = ()  # further conditions that the same crashes meet
    facts: tuple[str, ...] = ()  # facts of the cores that differ from the other parts, in words
    more: int | None = None  # crashes that may settle what it is; None: settled, or not known
    leaning: str | None = None  # its best mark that is not significant yet
    undecided: ValuesInCommon | None = None  # of a part that nothing marks: what cannot be told
    here: str = ""  # of a host that is bad as such: how much of this signature it has


class SignatureSplit(NamedTuple):
    """The parts, the answer in words, and how many more crashes may settle the open questions."""

    signature: str
    parts: tuple[SignaturePart, ...]
    answer: str
    more: int | None
    leaning: str | None  # the best mark that is not significant yet

    @property
    def has_open_question(self) -> bool:
        """Whether hosts that crash in many ways have some of it, and nothing explains the others.

        Every bad host has a few crashes of whatever is frequent anyway: that is not its cause.
        """
        return _have_parts_open_question(self.parts)


MINOR = 0.2  # of the crashes: a smaller part does not explain why there are so many


def _have_parts_open_question(parts: Sequence[SignaturePart]) -> bool:
    marked = [part for part in parts if part.finding is not None]
    total = sum(part.crashes for part in parts)
    return (
        bool(marked)
        and all(p.finding is not None and is_about_whole_host(p.finding.signature) for p in marked)
        and sum(part.crashes for part in marked) <= MINOR * total
    )


def split_signature(
    population: Population, signature: int, day: int, hosts: Sequence[Finding] | None = None
) -> SignatureSplit:
    """Split the crashes of one signature (its code in the population).

    `hosts` are the findings of hosts as a screening of that day has them; it saves finding them.
    """
    name = population.signatures[signature]
    if hosts is None:
        hosts = screen_hosts(population, day)
    events = find_events(population)
    whole, population = population, sum_old_host_hours(events.counted, day - max(WINDOWS))
    same = left = population.signature == signature
    marked_parts = _parts_of_single_hosts(population, name, left, hosts)
    for part in marked_parts:
        left = left & ~part.members
    free = left | ~same
    for part in marked_parts:
        free &= ~part.conditions[0].members
    subpopulations = find_subpopulations(population, left)
    marked = split_by_conditions(population, name, free, left, subpopulations)
    marked_parts, marked = _without_explained_hosts(population, same, marked_parts, marked)
    marked_parts += marked
    for part in marked:
        left = left & ~part.members
    parts = [_marked_part(population, same, marked_part) for marked_part in marked_parts]
    unsure = _crashes_in_no_subpopulation(left, subpopulations, marked)
    parts += _parts_without_mark(
        population, same, free, left & ~unsure, subpopulations, alone=not parts, marked=bool(marked)
    )
    if unsure.any():
        between = _unmarked_part(population, same, IN_BETWEEN, unsure)
        parts.append(between._replace(mark=UNCERTAIN))
    # Crashes without mark and subpopulation wait for more only where no other part has a mark.
    waiting = [p for p in parts if p.more is not None and (p.mark != REST or not marked)]
    most = max(waiting, key=lambda p: p.more or 0) if waiting else None
    more, leaning = (most.more, most.leaning) if most is not None else (None, None)
    counts = tuple(_add_repeated_crashes(whole, events, part) for part in parts)
    return SignatureSplit(name, counts, _split_sentence(whole, parts, more), more, leaning)


def _add_repeated_crashes(
    population: Population, events: CrashEvents, part: SignaturePart
) -> SignaturePart:
    """Add to each part the crashes that came together with one of its own."""
    members = events.with_repeats(part.members) & (
        part.members | (population.signature == population.signature[part.members][:1])
    )
    hosts = population.host[members & (population.host >= 0)]
    return part._replace(
        members=members,
        crashes=int(members.sum()),
        hosts=count_distinct(hosts),
        bitflips=int((population.bitflip & members).sum()),
    )


def _without_explained_hosts(
    population: Population,
    same: Bools,
    hosts: Sequence[CrashesWithConditions],
    marked: Sequence[CrashesWithConditions],
) -> tuple[list[CrashesWithConditions], list[CrashesWithConditions]]:
    """Return hosts and marks, the crashes of hosts that meet a mark of all others being of that."""
    needed = [part for part in marked if all(f.n == f.total for f in part.conditions)]
    if len(needed) != 1 or len(marked) != 1:
        return list(hosts), list(marked)
    meets = same.copy()
    for finding in needed[0].conditions:
        attribute = population.attribute(finding.attr)
        if attribute is not None:
            meets &= attribute.crashes_with(finding.value)
    kept, members = [], needed[0].members.copy()
    for part in hosts:
        is_minor = part.members.sum() <= MINOR * same.sum()
        whole_host = is_about_whole_host(part.conditions[0].signature)
        if whole_host and is_minor and meets[part.members].mean() >= MOSTLY:
            members |= part.members
        else:
            kept.append(part)
    return kept, [needed[0]._replace(members=members)]


REST = "the rest"


def _crashes_in_no_subpopulation(
    left: Bools, subpopulations: Sequence[Subpopulation], marked: Sequence[CrashesWithConditions]
) -> Bools:
    """Return the crashes in no subpopulation; none where a mark spans several subpopulations."""
    inside = left & False
    for subpopulation in subpopulations:
        inside = inside | subpopulation.members
    for part in marked:
        if not any(bool(whole.members[part.members].all()) for whole in subpopulations):
            return left & False
    return left & ~inside if subpopulations else inside


def _parts_of_single_hosts(
    population: Population, name: str, left: Bools, hosts: Iterable[Finding]
) -> list[CrashesWithConditions]:
    """Return the parts of single hosts: all crashes of each, also on days without hours."""
    parts: list[CrashesWithConditions] = []
    for finding in hosts:
        mine = finding.members & left
        if not finding.signature.startswith(CPU):
            mine = left & (population.host == population.hosts.index(finding.value))
        # Crashes left out when the host was judged (a storm) do not count as its own.
        about = finding.signature == name or (
            is_about_whole_host(finding.signature)
            and _has_more_than_its_share(population, mine, left)
        )
        if about and (finding.members & mine).any() and int(mine.sum()) >= MIN_N:
            parts.append(CrashesWithConditions((finding,), mine))
            left = left & ~mine
    return parts


def _has_more_than_its_share(population: Population, mine: Bools, left: Bools) -> bool:
    """Whether a bad host has its cause in this signature too: more of it than its share, or flips.

    Of what is frequent everywhere it has some crashes anyway, as any host.
    """
    if int((population.bitflip & mine).sum()) > MIN_FLAGGED * int(mine.sum()):
        return True
    n, total, share = _share_of_host(population, mine, left)
    return bool(total) and binomial_p(n, total, share) <= MAX_CONDITIONAL_P


def _share_of_host(population: Population, mine: Bools, left: Bools) -> tuple[int, int, float]:
    """Return the crashes of a host, those of all hosts, and the share that it should have."""
    with_host = left & (population.host >= 0)
    host = int(population.host[mine][0]) if mine.any() else 0
    share = float(exposure_shares(population).by_host[host])
    return int((mine & with_host).sum()), int(with_host.sum()), share


def _bad_host_sentence(population: Population, same: Bools, part: CrashesWithConditions) -> str:
    """Say how many crashes of the signature a host has that is bad as such; "" of other parts."""
    finding = part.conditions[0]
    if finding.attr != HOST or not is_about_whole_host(finding.signature):
        return ""
    n, total, share = _share_of_host(population, part.members, same)
    risk = describe_risk(*risk_by_share(n, total, share))
    return f"{n} of {total} crashes of this signature are on host={finding.value}; {risk}"


def _marked_part(
    population: Population, same: Bools, explained_part: CrashesWithConditions
) -> SignaturePart:
    conditions = explained_part.conditions
    mark = " and ".join(f.mark for f in conditions)
    label = describe_verdict(conditions[0])
    if len(conditions) > 1:
        certainty = describe_certainty(population, same, conditions)
        kinds = {describe_cause_kind(f.attr, f.signature) for f in conditions}
        kind = kinds.pop() if len(kinds) == 1 else "software or configuration"
        label = f"{kind}: {certainty} {mark}"
    part = _unmarked_part(population, same, label, explained_part.members)
    here = _bad_host_sentence(population, same, explained_part)
    return part._replace(mark=mark, finding=conditions[0], also=conditions[1:], here=here)


def _parts_without_mark(
    population: Population,
    same: Bools,
    free: Bools,
    left: Bools,
    subpopulations: Sequence[Subpopulation],
    *,
    alone: bool,
    marked: bool,
) -> list[SignaturePart]:
    """Return the parts without a mark in the fleet: subpopulations as such, and the rest."""
    parts = []

    def add_part(mark: str, label: str, mine: Bools) -> None:
        open_question = find_values_in_common(population, free, mine)
        more, leaning = _crashes_needed(population, mine, open_question)
        part = _unmarked_part(population, same, label, mine)._replace(
            mark=mark, undecided=open_question
        )
        parts.append(part._replace(more=more, leaning=leaning))

    for subpopulation in subpopulations:
        mine = subpopulation.members & left
        # Where attributes marked all of them together, subpopulations of the rest are no parts.
        if int(mine.sum()) >= max(MIN_N, subpopulation.members.sum() / 2) and not (
            marked and len(subpopulations) < 2
        ):
            add_part(subpopulation.mark, _likely_label_by_flags(population, mine), mine)
            left = left & ~mine
    if left.any():
        add_part(REST, ONE_POPULATION if alone and not parts else NOT_EXPLAINED, left)
    return parts


def _likely_label_by_flags(population: Population, members: Bools) -> str:
    """Return the likely label, by their flags, of crashes that no mark in the fleet goes with."""
    share = MIN_FLAGGED * int(members.sum())
    flipped = population.bitflip & members
    if int(flipped.sum()) >= share:
        per_host = np.bincount(population.host[flipped & (population.host >= 0)], minlength=1)
        hosts = int(np.count_nonzero(per_host))
        if hosts >= MANY_HOSTS and 2 * int(per_host.max()) <= int(per_host.sum()):
            return (
                f"software is likely: memory was damaged on {hosts} hosts, in this one place: a "
                "stray write of the program does that; a broken part stays on its host"
            )
        return "hardware is likely by its bit-flip flags; no host or attribute goes with it yet"
    if int((population.lock_inherited & members).sum()) >= share:
        return "software is likely: locks inherited over a fork; no attribute goes with it yet"
    return "unlike the others; no host or attribute goes with them yet: their cause cannot be told"


def _unmarked_part(
    population: Population, same: Bools, label: str, members: Bools
) -> SignaturePart:
    hosts = count_distinct(population.host[members & (population.host >= 0)])
    flips = int((population.bitflip & members).sum())
    facts = tuple(t.words() for t in distinguishing_facts(population, members, same & ~members))
    return SignaturePart(label, REST, None, int(members.sum()), hosts, flips, members, facts=facts)


def _split_sentence(population: Population, parts: list[SignaturePart], more: int | None) -> str:
    hosts = [p for p in parts if p.finding is not None and p.finding.attr == "host"]
    others = [p for p in parts if p.finding is not None and p.finding.attr != "host"]
    rest = sum(p.crashes for p in parts if p.finding is None)
    if _have_parts_open_question(parts):
        total = rest + sum(p.crashes for p in hosts)
        some = ", ".join(f"{p.crashes} on {p.mark}" for p in hosts)
        return (
            f"not explained: {rest} of {total} crashes; beside them {some}, bad in other ways too"
        )
    is_alike = not others and not any(p.facts or p.bitflips for p in hosts)
    if hosts and is_alike and rest >= MIN_N:
        names = ", ".join(p.mark for p in hosts)
        return f"more than its share: {names}; for its job or for a cause of its own: cannot tell"
    if hosts and (others or rest >= MIN_N):
        return f"two causes or more: {', '.join(p.mark for p in hosts)} apart from the others"
    if hosts:
        return f"one host: {hosts[0].mark}"
    single = [p.finding for p in others if p.finding is not None and not p.also]
    if len(single) == len(others) and (threshold := describe_thresholds(population, single)):
        return f"one cause: goes with {threshold}"
    alike = [] if any(p.facts for p in others) else [(p.finding, p.members) for p in others]
    if len(single) == len(others) and (
        versions := describe_marks_that_are_versions(population, alike)
    ):
        return f"one cause: goes with {versions}"
    if len(others) > 1:
        return f"two causes or more: {' apart from '.join(p.mark for p in others)}"
    if others:
        return f"one cause: {others[0].label}"
    shapes = [p.mark for p in parts if p.mark not in (REST, UNCERTAIN)]
    looks = f"; {len(shapes)} forms: {' apart from '.join(shapes)}" if len(shapes) > 1 else ""
    if more is None:
        return f"not enough: nothing of the fleet marks these crashes{looks}"
    return f"not enough: about {more} more crashes would settle it{looks}"


def _crashes_needed(
    population: Population, members: Bools, open_question: ValuesInCommon
) -> tuple[int | None, str | None]:
    """Return how many more crashes make the strongest leaning significant, if it goes on like this.

    A value that all of them share leans most; else one that so many share as chance, among all
    values tested, seldom gives: the best of many always stands out a little.
    """
    for mark in open_question.possible:
        if mark.more is not None:
            return mark.more, mark.name
    best: tuple[float, int, str] | None = None
    combinations = find_combinations(population)
    crashes = combinations.count_crashes_by_combination(members)
    tests = 0
    for attribute in population.attributes:
        # Beside other programs every version of its own stands out.
        if is_compared_by_program(population, attribute.name):
            continue
        share, _ = expected_shares(population, attribute)
        counts = sum_by_value(combinations.codes(attribute), crashes, share.size)
        n = int(counts.sum())
        tests += int((share > 0).sum())
        if n < MIN_N:
            continue
        p = binomial_tail(counts, np.full(share.size, float(n)), share)
        value = int(np.argmin(p))
        threshold = MAX_Q / max(int((share > 0).sum()), 1)
        if p[value] <= threshold:  # it does not fail for lack of crashes
            continue
        enough = _crashes_until_significant(counts[value] / n, float(share[value]), n, threshold)
        if enough is not None and (best is None or p[value] < best[0]):
            best = (float(p[value]), enough - n, attribute.mark_of_value(value))
    return (best[1], best[2]) if best and best[0] * tests <= MAX_CHANCE else (None, None)


def _crashes_until_significant(purity: float, share: float, n: int, threshold: float) -> int | None:
    """Return the number of crashes from which this purity is significant; None beyond MAX_MORE."""
    if purity <= share:
        return None
    sizes = np.arange(max(n, MIN_N), MAX_MORE, dtype=float)
    p = binomial_tail(np.floor(purity * sizes), sizes, np.full(sizes.size, share))
    enough = np.flatnonzero((p <= threshold) & (sizes > n))
    return int(sizes[enough[0]]) if enough.size else None

# SPDX-License-Identifier: Apache-2.0
"""Drop confounded findings (aliases): they hold only because another attribute's value holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from gdb_epi.fleet.population.attribute_combinations import find_combinations, sum_by_value
from gdb_epi.fleet.population.number_ranges import FINE, group_into_ranges
from gdb_epi.fleet.population.population import RANGE, Attribute, Population
from gdb_epi.fleet.records.facts import is_process_attribute
from gdb_epi.fleet.screen.design_effect import (
    effect_of_bursts,
    expected_shares,
    hours_of_values_within,
)
from gdb_epi.fleet.screen.dose_response import is_explained_by_age
from gdb_epi.fleet.screen.events import PLACES
from gdb_epi.fleet.screen.finding import ALL, BITFLIP, LOCK, MAX_CONDITIONAL_P, MIN_N, Finding
from gdb_epi.fleet.screen.programs import (
    MIN_OTHERS,
    crashes_of_same_programs,
    is_compared_by_program,
    program_of_each_crash,
    program_table,
    share_adjusted_for_programs,
)
from gdb_epi.fleet.statistics.arrays import Bools, Floats, Ints, count_codes
from gdb_epi.fleet.statistics.hypothesis_tests import (
    beta_binomial_tail,
    binomial_p,
    binomial_tail,
    hypergeometric_tail,
    poisson_binomial_tail,
    relative_risk,
    upper_normal_tail,
)

MIN_OUTSIDE = 20  # crashes of other kinds, that can show what a value does by itself
MAX_BROUGHT_P = 0.05  # that a kind of crash comes with a value so often by chance
ALIAS_OVERLAP = 0.9  # of the smaller one's host-hours
TOLD_APART = 8.0  # likelihood ratio: "fairly strong evidence" (Royall 1997)
MAX_RIVALS = 3
MOSTLY_THERE = 0.8  # of the crashes: what they have is where the trouble is


def drop_aliases_that_are_findings(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings without the aliases that are findings of the same signature themselves."""
    own = {(f.mark, f.signature) for f in findings}
    return [
        f._replace(aliases=tuple(a for a in f.aliases if (a, f.signature) not in own))
        for f in findings
    ]


def drop_confounded_findings(
    population: Population,
    findings: Sequence[Finding],
    earlier: Sequence[Finding],
    order: Callable[[Finding], object] = lambda finding: finding.p,
) -> list[Finding]:
    """Drop aliases: findings that hold only because another attribute's value holds.

    Findings are taken by strength (lowest `order` first), after the `earlier` ones of other days.
    Each must still show inside or outside the host-hours of every finding kept for the same
    signature. Otherwise it is an alias, which is named if the crashes fit it nearly as well. What
    old processes alone die of has no value that others as old have as often.
    """
    findings = [f for f in findings if not is_explained_by_age(population, f)]
    kept: list[Finding] = list(earlier)
    same: dict[str, list[int]] = {}  # of a signature, the indices in `kept`
    for i, finding in enumerate(kept):
        same.setdefault(finding.signature, []).append(i)
    for finding in sorted(
        findings, key=lambda f: (order(f), _crashes_of_all_kinds_with_value(population, f), f.attr)
    ):
        mine = same.setdefault(finding.signature, [])
        alias_of = next(
            (i for i in mine if _is_alias_of_finding(population, finding, kept[i])), None
        )
        if alias_of is None and any(
            _is_explained_by_kinds_of_value(population, finding, kept[i]) for i in mine
        ):
            continue
        if alias_of is None:
            mine.append(len(kept))
            kept.append(finding)
        elif finding.identity != kept[alias_of].identity:
            alias = finding.mark
            if alias not in kept[alias_of].aliases:
                kept[alias_of] = kept[alias_of]._replace(aliases=(*kept[alias_of].aliases, alias))
    new = kept[len(earlier) :]
    wholes = [f for f in new if f.attr.endswith(RANGE) or is_process_attribute(f.attr)]
    return [
        _finding_without_told_apart_aliases(population, finding)
        for finding in new
        if not any(
            _is_explained_by_number_or_version(population, finding, whole) for whole in wholes
        )
    ]


def _crashes_of_all_kinds_with_value(population: Population, finding: Finding) -> tuple[int, str]:
    """Return how many crashes of all kinds have the value: of equals the narrowest tells most."""
    attribute = population.attribute(finding.attr)
    if attribute is None or not is_process_attribute(finding.attr):
        return 0, finding.value
    value = attribute.values.index(finding.value)
    return int(
        population.computed_once(_count_by_value, attribute.crash, len(attribute.values))[value]
    ), ""


def _is_explained_by_number_or_version(
    population: Population, finding: Finding, whole: Finding
) -> bool:
    """Whether the values of a number, or versions, explain a finding that came first.

    It has all crashes of its value, and those of a number lie in several ranges: each is weaker
    than the rack whose hosts have most. So is each of two versions than a kernel that came with the
    first and stayed with the second. A finding of host-hours is not explained by crashes alone.
    """
    mine, theirs = (population.attribute(f.attr) for f in (finding, whole))
    is_range = whole.attr.endswith(RANGE)
    if finding.signature != whole.signature or finding.attr.endswith(RANGE):
        return False
    if mine is None or theirs is None or mine is theirs:
        return False
    if not is_range and (is_process_attribute(finding.attr) or mine.has_hours):
        return False
    same = _rows_of_finding(population, finding.signature)
    cell = mine, mine.values.index(finding.value)
    return _is_explained_by_other_value(population, cell, theirs, same)


def add_rival_values(population: Population, finding: Finding, free: Bools) -> Finding:
    """Name the values of other attributes that explain the finding nearly as well, best first.

    One of them may be the cause although it is no finding yet: of two versions that roll out in one
    week, the wrong one can stand out first. `free`: the crashes that hosts do not explain.
    """
    attribute = population.attribute(finding.attr)
    if finding.signature in (ALL, BITFLIP, LOCK) or attribute is None:
        return finding
    mine, value = (
        _rows_of_finding(population, finding.signature),
        attribute.values.index(finding.value),
    )
    if _do_crashes_rise_within_range(population, attribute, value, mine):
        return finding
    crashes = mine[free[mine]]
    tally = find_combinations(population).occurring_combinations_and_counts(crashes)
    own_gain = _log_likelihood_gains(population, attribute, tally)[value]
    # Gains are log likelihoods: a value whose gain is lower by less than this cannot be told apart.
    least_gain = own_gain - np.log(TOLD_APART)
    rivals: list[tuple[float, str]] = []
    for other in population.attributes:
        if other is attribute:
            continue
        gains = _log_likelihood_gains(population, other, tally)
        for code in np.flatnonzero(gains >= least_gain).tolist():
            rival = finding._replace(attr=other.name, value=other.values[code])
            # The gain is by the share in all crashes: a program's only image has all of its own.
            if _is_alias_of_finding(population, finding, rival) and not _explains_better_than_alias(
                population, (attribute, value), rival.mark, crashes
            ):
                rivals.append((-float(gains[code]), rival.mark))
    more = [name for _, name in sorted(rivals) if name not in finding.aliases]
    return finding._replace(aliases=(*finding.aliases, *more[:MAX_RIVALS]))


def _finding_without_told_apart_aliases(population: Population, finding: Finding) -> Finding:
    """Drop the aliases that the crashes tell apart: they stood out only because of this value.

    A rack that got a firmware in mid-month crashed only since then: it is no other cause.
    """
    attribute = population.attribute(finding.attr)
    if not finding.aliases or attribute is None:
        return finding
    crashes = _rows_of_finding(population, finding.signature)
    value = attribute.values.index(finding.value)
    rises = _do_crashes_rise_within_range(population, attribute, value, crashes)
    aliases = [
        alias
        for alias in finding.aliases
        if not rises
        and not _explains_better_than_alias(population, (attribute, value), alias, crashes)
    ]
    return finding._replace(aliases=tuple(aliases))


def _do_crashes_rise_within_range(
    population: Population, whole: Attribute, value: int, crashes: Ints
) -> bool:
    """Whether the higher numbers of a range have more crashes: what the range has as one does not.

    Of one model those with twice the CPUs die seven times as often: it is not the model.
    """
    number = population.attribute(whole.name.removesuffix(RANGE))
    if number is None or number is whole:
        return False
    inside = whole.exposure == value
    hours = np.bincount(
        number.exposure[inside], population.exposure_hours[inside], len(number.values)
    )
    order = sorted(np.flatnonzero(hours).tolist(), key=lambda v: float(number.values[v]))
    if len(order) < 2:
        return False
    cut = np.searchsorted(np.cumsum(hours[order]), hours.sum() / 2)
    upper = order[min(max(int(cut), 1), len(order) - 1) :]
    mine = number.crash[crashes[whole.crash[crashes] == value]]
    hits, share = int(np.isin(mine, upper).sum()), float(hours[upper].sum() / hours.sum())
    return binomial_p(hits, mine.size, share) <= MAX_CONDITIONAL_P


def _explains_better_than_alias(
    population: Population, named: tuple[Attribute, int], alias: str, crashes: Ints
) -> bool:
    """Whether the named value explains the crashes with both values known far better."""
    name, _, text = alias.partition("=")
    other = population.attribute(name)
    if other is None or text not in other.values:
        return False
    both = [named, (other, other.values.index(text))]
    has_both = np.logical_and.reduce([attribute.crash[crashes] >= 0 for attribute, _ in both])
    total = float(np.count_nonzero(has_both))
    gains = []
    for attribute, value in both:
        # Of the same crashes: of one library only those tell that have it.
        share = _share_of_value_among_possible(population, attribute, value, crashes[has_both])
        here = float(np.count_nonzero(attribute.crash[crashes[has_both]] == value))
        parts = ((here, share), (total - here, 1 - share))
        gains.append(sum(a * np.log(a / max(total * s, 1e-12)) for a, s in parts if a > 0))
    return bool(gains[0] - gains[1] > np.log(TOLD_APART))


def _share_of_value_among_possible(
    population: Population, attribute: Attribute, value: int, crashes: Ints
) -> float:
    """Return a value's share where the crashes could have been: for an image, its program's.

    Of one program all host-hours are those of its images.
    """
    programs = program_of_each_crash(population)
    is_only_one = programs is not None and len(programs.values) == 1 and attribute.has_hours
    if is_only_one or not is_compared_by_program(population, attribute.name):
        return float(expected_shares(population, attribute)[0][value])
    every = np.flatnonzero(attribute.crash >= 0)
    table = program_table(population, every, attribute.crash[every])
    assert table is not None  # programs are known
    mine = crashes[attribute.crash[crashes] >= 0]
    return share_adjusted_for_programs(population, table, mine, attribute.crash[mine], value)[0]


def _log_likelihood_gains(
    population: Population, attribute: Attribute, tally: tuple[Ints, Floats]
) -> Floats:
    """Return how much the log likelihood of crashes gains when a value has a rate of its own.

    Values that have fewer crashes than their share gain nothing. `tally` are the combinations that
    the crashes have, and how many each.
    """
    share, _ = expected_shares(population, attribute)
    codes = find_combinations(population).codes(attribute)[tally[0]]
    here = sum_by_value(codes, tally[1], share.size)
    total = here.sum()
    both = ((here, share), (total - here, 1 - share))
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = sum(np.where(a > 0, a * np.log(a / (total * s)), 0.0) for a, s in both)
    return np.where((here >= MIN_N) & (here > total * share), gain, -np.inf)


def _is_alias_of_finding(population: Population, finding: Finding, other: Finding) -> bool:
    if finding.signature != other.signature or finding.identity == other.identity:
        return finding.identity == other.identity
    mine, theirs = (population.attribute(f.attr) for f in (finding, other))
    if mine is None or theirs is None:
        return False
    code, against = mine.values.index(finding.value), theirs.values.index(other.value)
    if _have_same_hours(population, mine, code, theirs, against):
        return True
    same = _rows_of_finding(population, finding.signature)
    # Of a number each range has its own rate; and where a version has ended, who has the next one
    # tells.
    is_range = theirs.is_range
    if is_range or theirs.is_of_process:
        explained = _is_explained_by_other_value(population, (mine, code), theirs, same)
        if is_range:
            return explained
        # What lies beside the value that is kept is explained by another one, which nobody names.
        beside = theirs.crash[same][mine.crash[same] == code]
        if explained and np.count_nonzero(beside == against) > (1 - ALIAS_OVERLAP) * beside.size:
            return True
    return all(
        _conditional_p(population, (mine, code), (theirs, against), side, same) > MAX_CONDITIONAL_P
        for side in (True, False)
    )


def _is_explained_by_kinds_of_value(
    population: Population, finding: Finding, other: Finding
) -> bool:
    """Whether crashes of all kinds go with a value by the kinds that another value brings.

    A release that leaks kills small machines sooner; of what they died of before, they die as often
    as large ones. A kind that goes with the machines by itself is a finding of its own.
    """
    mine, theirs = (population.attribute(f.attr) for f in (finding, other))
    if finding.signature != ALL or other.signature != ALL or mine is None or theirs is None:
        return False
    if not mine.has_hours or not theirs.has_hours:
        return False
    kinds, hours = population.signature, population.exposure_hours
    usable = (kinds >= 0) & (mine.crash >= 0)
    crashes, feed = mine.crashes_with(finding.value), mine.hours_with(finding.value)
    there = theirs.crashes_with(other.value)
    everywhere, inside = (
        count_codes(kinds, len(population.signatures) + 1, some).astype(float)
        for some in (usable & (theirs.crash >= 0), usable & there)
    )
    of_other = float(
        hours[theirs.hours_with(other.value)].sum() / hours[theirs.exposure >= 0].sum()
    )
    p = binomial_tail(inside, everywhere, np.full(inside.size, of_other))
    brought = (inside >= MOSTLY_THERE * everywhere) & (p <= MAX_BROUGHT_P)
    left = usable & ~brought[kinds]
    if not brought.any() or left.sum() < MIN_OUTSIDE:
        return False
    beside = (mine.exposure >= 0) & ~feed
    cells = [
        (left & crashes).sum(),
        hours[feed].sum(),
        (left & ~crashes).sum(),
        hours[beside].sum(),
    ]
    return relative_risk(*map(float, cells))[1] <= 1


def _is_explained_by_other_value(
    population: Population, mine: tuple[Attribute, int], other: Attribute, same: Ints
) -> bool:
    if other.is_range and mine[0].is_of_process:
        # Few other crashes tell what ran in each range: a release that leaks has all of its own.
        values = mine[0].crash[same]
        if (values[values >= 0] == mine[1]).all():
            return False
    return _p_given_all_values(population, mine, other, same) > MAX_CONDITIONAL_P


def _p_given_all_values(
    population: Population, mine: tuple[Attribute, int], other: Attribute, same: Ints
) -> float:
    """Return P of as many crashes with a value, given which value of the other one each has."""
    if other.is_range:  # inside of a range it rises, too
        number = population.attribute(other.name.removesuffix(RANGE))
        other = (group_into_ranges(number, FINE) if number is not None else None) or other
    (attribute, code), size = mine, len(other.values)
    given, value = other.crash[same], attribute.crash[same]
    has_both = (given >= 0) & (value >= 0)
    a = int(np.count_nonzero(value[has_both] == code))
    if a < MIN_N:
        return 1.0
    has_hours = other.has_hours and attribute.has_hours
    if has_hours:
        there, of_value, weights = other.exposure, attribute.exposure, population.exposure_hours
        weights = _hours_since_first_crash(population, of_value == code, there >= 0, same)
    else:
        of_programs = crashes_of_same_programs(population, same)
        weights = np.ones(other.crash.size) if of_programs is None else of_programs.astype(float)
        weights[same] = 0.0
        there, of_value = other.crash, attribute.crash
    both = (there >= 0) & (of_value >= 0)
    whole, part = (
        np.bincount(there[rows], weights=weights[rows], minlength=size)
        for rows in (both, both & (of_value == code))
    )
    share = (part + 0.5) / (whole + 1.0)
    if has_hours:
        return poisson_binomial_tail(a, share[given[has_both]])
    # Few other crashes leave it open where a version runs: a beta-binomial of each value.
    n = np.bincount(given[has_both], minlength=size)
    variance = n * share * (1 - share) * (n + whole + 1) / (whole + 2)
    return upper_normal_tail((a - 0.5 - float((n * share).sum())) / float(variance.sum()) ** 0.5)


def _hours_since_first_crash(
    population: Population, of_value: Bools, asked: Bools, same: Ints
) -> Floats:
    """Return the host-hours since the first of some crashes, if a value is not everywhere then.

    A release leaks, and shows when its processes are old: what came up on that day is beside none
    of the old processes of the days before, which had no leak.
    """
    hours = population.exposure_hours
    since = np.where(population.exposure_day >= population.day[same].min(), hours, 0.0)
    return since if since[of_value].sum() <= ALIAS_OVERLAP * since[asked].sum() else hours


def _rows_of_finding(population: Population, signature: str) -> Ints:
    """Return the rows of the crashes that a finding is about."""
    if signature in (ALL, BITFLIP, LOCK):
        flags = {BITFLIP: population.bitflip, LOCK: population.lock_inherited}
        return np.flatnonzero(flags.get(signature, np.ones(population.day.size, dtype=bool)))
    code = population.signatures.index(signature)
    return population.computed_once(_rows_with_code, population.signature, code)


def _rows_with_code(column: Ints, code: int) -> Ints:
    return np.flatnonzero(column == code)


def _have_same_hours(
    population: Population, mine: Attribute, code: int, theirs: Attribute, against: int
) -> bool:
    """Whether the host-hours (else the crashes) of two values are nearly the same."""
    hours = population.exposure_hours
    a, b = mine.exposure == code, theirs.exposure == against
    if a.any() and b.any():
        union = float(hours[a | b].sum())
        return union > 0 and float(hours[a & b].sum()) / union >= ALIAS_OVERLAP
    fewer, more = sorted(
        int(population.computed_once(_count_by_value, whole.crash, len(whole.values))[value])
        for whole, value in ((mine, code), (theirs, against))
    )
    if more == 0 or fewer / more < ALIAS_OVERLAP:
        return False  # the smaller one is not large enough, wherever its crashes are
    both = int(np.count_nonzero((mine.crash == code) & (theirs.crash == against)))
    return both / (fewer + more - both) >= ALIAS_OVERLAP


def _count_by_value(crash: Ints, size: int) -> Ints:
    return np.bincount(crash + 1, minlength=size + 1)[1:]  # ABSENT is -1


def _conditional_p(
    population: Population,
    mine: tuple[Attribute, int],
    theirs: tuple[Attribute, int],
    side: bool,
    same: Ints,
) -> float:
    """Return P of as many crashes with a value, given the other one (or none of it: `side`)."""
    (attribute, code), (other, against) = mine, theirs
    value = attribute.crash[same]
    inside = ((other.crash[same] == against) == side) & (value >= 0)
    a, n = float((inside & (value == code)).sum()), float(inside.sum())
    if a < MIN_N:
        return 1.0
    hours = hours_of_values_within(population, attribute, (other.exposure == against) == side)
    controls = ((other.crash == against) == side) & (attribute.crash >= 0)
    of_programs = crashes_of_same_programs(population, same)
    if hours.sum() > 0:
        # Two outages of a rack are few draws of the days on which it had a release.
        effect = effect_of_bursts(population, other, against, same[inside]) if side else 1.0
        p = binomial_p(a / effect, n / effect, float(hours[code] / hours.sum()))
        if p > MAX_CONDITIONAL_P or of_programs is None:
            return p
        # Where more of its program runs, more of all that it dies of comes.
        controls &= of_programs
        controls[same] = False
        with_it, size = (
            int(np.count_nonzero(c)) for c in (controls & (attribute.crash == code), controls)
        )
        if size < MIN_OTHERS:
            return p
        return max(p, beta_binomial_tail(int(a), int(n), with_it + 0.5, size - with_it + 0.5))
    if not attribute.is_of_process:
        of_programs = None
    if of_programs is not None:  # of other programs each has images of its own
        controls &= of_programs
        if other.name in PLACES and n >= MOSTLY_THERE * np.count_nonzero(value >= 0):
            # While a place has trouble, what ran there on those days is no second cause of it.
            controls &= np.isin(population.day, population.day[same[inside & (value == code)]])
    marked = float((controls & (attribute.crash == code)).sum())
    four = (np.array([x]) for x in (a, float(controls.sum()), marked, n))
    return float(hypergeometric_tail(*four)[0])

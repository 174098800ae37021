# SPDX-License-Identifier: Apache-2.0
"""Hardware, kernel, image and library attributes with more crashes than their share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from gdb_epi.fleet.population.attribute_combinations import (
    find_combinations,
    sum_by_value,
    with_host_by_combination,
)
from gdb_epi.fleet.population.number_ranges import HALVES, number_or_low_end, without_own_numbers
from gdb_epi.fleet.population.population import RANGE, Population
from gdb_epi.fleet.population.value_spans import (
    DaysOfUseByValue,
    is_kept_by_hosts,
    is_value_refuted_while_it_ran,
    p_by_hours_while_value_ran,
    value_ran_alone,
)
from gdb_epi.fleet.records.facts import is_process_attribute
from gdb_epi.fleet.screen.design_effect import (
    AttributeToTest,
    HoursByHost,
    UnexplainedCrashes,
    attribute_to_test,
    expected_shares,
    has_previous_version_signature_too,
    hours_by_host_and_value,
    inflation_without_host_hours,
    p_by_hours_of_version,
    p_given_bursts,
    p_given_weeks,
)
from gdb_epi.fleet.screen.dose_response import dose_response_caveat
from gdb_epi.fleet.screen.finding import (
    ALL,
    BITFLIP,
    CAVEAT_ALONE,
    CAVEAT_ROLL_OUT,
    HOST_HOURS,
    LOCK,
    MAX_CELLS,
    MAX_CONDITIONAL_P,
    MAX_Q,
    MIN_N,
    MIN_RR,
    Finding,
    crashes_of_findings,
)
from gdb_epi.fleet.screen.hosts import exposure_shares
from gdb_epi.fleet.screen.programs import (
    ProgramTable,
    crashes_of_same_programs,
    is_compared_by_program,
    is_preferred_by_most_programs,
    p_adjusted_for_programs,
    p_with_other_names,
    program_of_each_crash,
    program_table,
    share_adjusted_for_programs,
)
from gdb_epi.fleet.statistics.arrays import (
    Bools,
    Floats,
    Ints,
    count_codes,
    count_pairs,
    distinct_pairs,
    sum_by_code,
)
from gdb_epi.fleet.statistics.hypothesis_tests import (
    binomial_p,
    binomial_tail,
    estimate_overdispersion,
    hypergeometric_bound,
    hypergeometric_p,
    hypergeometric_tail,
    negative_binomial_tail,
    q_values,
    q_values_up_to,
    risk_by_share,
)
from gdb_epi.typing_lite import NamedTuple

CAVEAT_PROGRAM_UNKNOWN = (
    "a program that runs mostly there looks the same: the records do not tell of programs"
)
MIN_HOSTS, MAX_HOST_P = 2, 0.01  # one host has a finding of its own; hosts must lean the same way
MIN_REPORTED_EFFECT = 1.5
MAX_CONTRASTS = 30  # findings of an attribute; with more, everything depends on everything


def attribute_findings(
    population: Population, free: Bools, asked_for: Sequence[str] = ()
) -> Iterator[Finding]:
    """Yield values with more than their share: of each signature, then of flags and of all crashes.

    Crashes that a signature's finding explains do not count again for all crashes. The tests of a
    signature that is `asked_for` form a family of their own: it was not picked for its p value.
    """
    rest = free.copy()
    names = {s: i for i, s in enumerate(population.signatures)}
    codes = [names[name] for name in asked_for if name in names]
    crashes = UnexplainedCrashes(population, free)
    # Damage kills programs in many places: what has it is one finding, not one for each place.
    flips = {
        (f.attr, f.value): f
        for f in _findings_of_flags(population, (BITFLIP, free & population.bitflip))
        if not is_process_attribute(f.attr) and _has_many_signatures(population, f.members)
    }
    damaged = crashes_of_findings(flips.values(), free.size)
    for attribute in without_own_numbers(population.attributes):
        tests = attribute_to_test(population, attribute)
        for finding in _findings_without_contrasts(
            tests, crashes, _findings_of_signatures(tests, crashes, codes)
        ):
            rest &= ~finding.members
            is_told = 2 * (finding.members & damaged).sum() >= finding.n
            if is_process_attribute(finding.attr) or not is_told:
                yield finding
    rest &= ~damaged
    yield from flips.values()
    flags = ((BITFLIP, population.bitflip), (LOCK, population.lock_inherited))
    # Without host-hours each host counts once, so those that were named may count.
    rest_of = rest if population.has_exposure else np.ones(rest.size, dtype=bool)
    masks = ((name, rest_of & flag) for name, flag in flags)
    for finding in _findings_of_flags(population, *masks, (ALL, rest)):
        if finding.signature != BITFLIP or (finding.attr, finding.value) not in flips:
            yield finding


def _has_many_signatures(population: Population, members: Bools) -> bool:
    """Whether no signature has most of some crashes, as where one bug damages what it works on."""
    counts = np.bincount(population.signature[members & (population.signature >= 0)], minlength=1)
    return bool(2 * counts.max() <= counts.sum())


def _findings_without_contrasts(
    tests: AttributeToTest, crashes: UnexplainedCrashes, findings: Iterator[Finding]
) -> Iterator[Finding]:
    """Yield the findings that are not merely the contrast to a stronger one (case-control only).

    A new version with a bug of its own has many crashes, and next to them every other signature of
    the program seems to prefer the old version.
    """
    ordered = sorted(findings, key=lambda f: f.p) if tests.source != HOST_HOURS else None
    if ordered is None or len(ordered) > MAX_CONTRASTS:
        yield from findings if ordered is None else ordered
        return
    signature = tests.population.signature
    kept: list[tuple[str, Ints]] = []
    for finding in ordered:
        mine = np.flatnonzero(finding.members)
        others = [members for name, members in kept if name != finding.signature]
        code = tests.population.signatures.index(finding.signature)
        cell = crashes.rows_of_signature(code), tests.values.index(finding.value)
        gone = np.unique(np.concatenate([cell[0][:0], *others]))
        gone = gone[signature[gone] != code]
        gone = np.union1d(gone, _crashes_avoiding_value(tests, crashes, cell, gone))
        if gone.size and _p_without_some_crashes(tests, crashes, cell, gone) > MAX_CONDITIONAL_P:
            continue
        kept.append((finding.signature, mine))
        yield finding


def _crashes_avoiding_value(
    tests: AttributeToTest, crashes: UnexplainedCrashes, cell: tuple[Ints, int], gone: Ints
) -> Ints:
    """Return the crashes of the signature that avoids a value the most, of the same programs.

    Those in `gone` are left out; none where chance explains as much. (A signature that grows with
    the load while half of the hosts have the new version does not speak against the old one.)
    """
    population, (mine, value) = tests.population, cell
    some = crashes.mask & (population.signature >= 0)
    some[mine] = some[gone] = False
    same = crashes_of_same_programs(population, mine) if is_process_attribute(tests.name) else None
    if same is not None:
        some = some & same
    rows = np.flatnonzero(some)
    codes = tests.codes_of(rows)
    rows, codes = rows[codes >= 0], codes[codes >= 0]
    signature = population.signature[rows]
    of_signature = np.bincount(signature, minlength=1).astype(float)
    without = np.bincount(signature[codes != value], minlength=of_signature.size).astype(float)
    present = np.flatnonzero(of_signature >= MIN_N)
    whole, lacking = np.full(present.size, float(rows.size)), float(without.sum())
    p = hypergeometric_tail(
        without[present], whole, np.full(present.size, lacking), of_signature[present]
    )
    if not p.size or float(p.min()) * p.size > MAX_CONDITIONAL_P:
        return rows[:0]
    return np.asarray(rows[signature == present[int(p.argmin())]])


def _p_without_some_crashes(
    tests: AttributeToTest, crashes: UnexplainedCrashes, cell: tuple[Ints, int], gone: Ints
) -> float:
    """Return P of as many crashes of a signature with a value, among all crashes but `gone`."""
    mine, value = cell
    codes = tests.codes_of(mine)
    has_value = codes >= 0
    table = _program_table_of(tests, crashes)
    if table is not None and is_process_attribute(tests.name):
        less = program_table(tests.population, gone, tests.codes_of(gone))
        assert less is not None  # there is a table
        asked = tests.population, table.without(less), mine[has_value], codes[has_value], value
        return p_adjusted_for_programs(*asked, None)
    whole = sum_by_value(tests.codes, crashes.combination_counts(), tests.share.size)
    left = tests.codes_of(gone)
    whole = whole - np.bincount(left[left >= 0], minlength=whole.size)
    of_value = int(np.count_nonzero(codes == value))
    return hypergeometric_p(of_value, whole.sum(), whole[value], int(np.count_nonzero(has_value)))


def findings_of_all_crashes(population: Population, *, flips: bool = False) -> Iterator[Finding]:
    """Yield values with more than their share of all crashes, those of single hosts among them."""
    of_flips = ((BITFLIP, population.bitflip),) * flips
    everything = (ALL, np.ones(population.day.size, dtype=bool))
    yield from _findings_of_flags(population, *of_flips, everything)


def _findings_of_flags(population: Population, *masks: tuple[str, Bools]) -> Iterator[Finding]:
    has_host = population.host >= 0
    by_hours = population.has_exposure
    # Without host-hours the crashes alone tell where more of them are damaged, not where more are.
    everything = [
        _count_flagged(population, name, mask & has_host)
        for name, mask in masks
        if by_hours or name == BITFLIP
    ]
    share = exposure_shares(population).by_host
    for attribute in population.attributes if everything else ():
        tests = attribute_to_test(population, attribute)
        is_kept = by_hours or is_kept_by_hosts(population.host, attribute.crash)
        if (tests.source == HOST_HOURS) != by_hours or not is_kept:
            continue
        hours = hours_by_host_and_value(population, attribute.exposure)
        for flagged in everything:
            yield from _findings_of_flag(tests, flagged, share, hours)


def signature_findings(population: Population, free: Bools, name: str) -> Iterator[Finding]:
    """Yield the values with more than their share of one signature, given by name."""
    crashes = UnexplainedCrashes(population, free)
    mine = crashes.rows_of_signature(population.signatures.index(name))
    counts = find_combinations(population).occurring_combinations_and_counts(mine)
    for attribute in without_own_numbers(population.attributes):
        tests = attribute_to_test(population, attribute)
        yield from value_findings(tests, crashes, counts, mine, name)


def value_findings(
    tests: AttributeToTest,
    crashes: UnexplainedCrashes,
    combination_counts: tuple[Ints, Floats],
    mine: Ints,
    name: str,
) -> Iterator[Finding]:
    """Yield the values of one attribute that have more than their share of the crashes `mine`.

    All its values are one family of tests; `mine` are the free crashes of the signature `name`,
    `combination_counts` the combinations that they have, and how many each.
    """
    share = tests.share
    has, counts = combination_counts
    with_value = sum_by_value(tests.codes[has], counts, share.size)
    n = np.full(share.size, with_value.sum())
    if (v := np.flatnonzero(with_value >= MIN_N)).size:
        cells = _CrashesBySignatureAndValue(v, with_value[v], n[v], lambda _: name, lambda _: mine)
        tested = int((share > 0).sum())
        yield from _findings_of_cells(tests, crashes, cells, lambda p: q_values(p, tested))


class _CrashesBySignatureAndValue(NamedTuple):
    """Pairs of a signature and a value: the crashes of each pair, and of the signature in all."""

    values: Ints
    counts: Floats
    totals: Floats
    name: Callable[[int], str]  # of the signature
    crashes: Callable[[int], Ints]  # of the signature, with any value and with none

    def crashes_and_value(self, number: int) -> tuple[Ints, int]:
        """Return the crashes of the signature, and the value."""
        return self.crashes(number), int(self.values[number])


def _findings_of_cells(
    tests: AttributeToTest,
    crashes: UnexplainedCrashes,
    cells: _CrashesBySignatureAndValue,
    q_of: Callable[[Floats], Floats],
) -> Iterator[Finding]:
    """Yield the cells that have more than their share, by all tests, the slowest ones last."""
    p = _p_by_host_hours(tests.source, cells.counts, cells.totals, tests.share[cells.values])
    p = _p_raised_by_other_signatures(tests, crashes, p, cells, q_of)
    p, near = _keep_smallest_p_values(p, q_of(p) <= MAX_Q)
    p, effects = _p_raised_by_design_effects(tests, crashes, p, near, cells)
    p = _p_raised_by_programs(tests, crashes, p, near, cells, q_of)
    p = _p_raised_by_choice_of_days(tests, crashes, p, np.flatnonzero(q_of(p) <= MAX_Q), cells)
    q = q_of(p)
    named = np.flatnonzero(q <= MAX_Q).tolist()
    is_by_program = bool(named) and is_compared_by_program(tests.population, tests.name)
    beside = _program_table_of(tests, crashes) if is_by_program else None
    for i in named:
        mine, value = cells.crashes_and_value(i)
        chance, effect = (float(p[i]), float(q[i])), effects.get(i, 1.0)
        of_cell = tests, value, cells.name(i), mine, chance, effect, beside
        yield from filter(None, (_finding_unless_weak(*of_cell),))


def _p_by_host_hours(source: str, count: Floats, n: Floats, share: Floats) -> Floats:
    """Return P of as many crashes with a value by host-hours; 0 where these are unknown."""
    return binomial_tail(count, n, share) if source == HOST_HOURS else np.zeros(count.size)


def _p_raised_by_other_signatures(
    tests: AttributeToTest,
    crashes: UnexplainedCrashes,
    p: Floats,
    cells: _CrashesBySignatureAndValue,
    q_of: Callable[[Floats], Floats],
) -> Floats:
    """Return P of as many crashes with a value: the larger of `p` and that by other signatures.

    Without host-hours it is also raised where all signatures prefer some values.

    Where q is above MAX_Q already, the remaining tests are skipped: they could only raise p. The
    cell is no finding either way, and does not change the q of any cell that is one.
    """
    near = np.flatnonzero(q_of(p) <= MAX_Q)
    if not near.size:
        return p
    p, count, n = p.copy(), cells.counts, cells.totals
    with_value = sum_by_value(tests.codes, crashes.combination_counts(), tests.share.size)
    marked, whole = with_value[cells.values], np.full(p.size, with_value.sum())

    def raise_p_values(test: Callable[..., Floats], *numbers: Floats) -> Ints:
        p[near] = np.maximum(p[near], test(*(column[near] for column in numbers)))
        return np.flatnonzero(q_of(p) <= MAX_Q)

    # From the cheapest test to the most expensive one, for the cells that are still in question.
    near = raise_p_values(hypergeometric_bound, count, whole, marked, n)
    near = raise_p_values(hypergeometric_tail, count, whole, marked, n)
    if (
        tests.source != HOST_HOURS
        and near.size
        and not is_compared_by_program(tests.population, tests.name)
    ):
        inflation = inflation_without_host_hours(tests.population, tests.codes, tests.share)
        if inflation > 1:
            shares = tests.share[cells.values]
            raise_p_values(binomial_tail, count / inflation, n / inflation, shares)
    return p


def _p_raised_by_programs(
    tests: AttributeToTest,
    crashes: UnexplainedCrashes,
    p: Floats,
    near: Ints,
    cells: _CrashesBySignatureAndValue,
    q_of: Callable[[Floats], Floats],
) -> Floats:
    """Return the p values, those in `near` raised where their programs run there anyway."""
    if not near.size or program_of_each_crash(tests.population) is None:
        return p
    p, population = p.copy(), tests.population
    table = _program_table_of(tests, crashes)
    assert table is not None  # there are programs
    of_process = is_process_attribute(tests.name)
    for i in near.tolist():
        mine, value = cells.crashes_and_value(i)
        codes = tests.codes_of(mine)
        mine, codes = mine[codes >= 0], codes[codes >= 0]
        given = None if of_process else float(tests.share[value])
        p[i] = max(p[i], p_adjusted_for_programs(population, table, mine, codes, value, given))
        if of_process and float(q_of(p)[i]) <= MAX_Q:
            asked = population, table, mine, codes, value
            share = share_adjusted_for_programs(*asked)[0]
            every = tests.codes_of(np.arange(population.day.size))
            inside = every == value
            p[i] = max(
                p[i],
                float(has_previous_version_signature_too(population, mine, every, value)),
                p_given_bursts(population, crashes.mask, mine, inside, share),
                p_by_hours_of_version(population, mine, inside, tests.values[value]),
            )
    return p


def _p_raised_by_choice_of_days(
    tests: AttributeToTest,
    crashes: UnexplainedCrashes,
    p: Floats,
    near: Ints,
    cells: _CrashesBySignatureAndValue,
) -> Floats:
    """Return the p values, those in `near` paid for by the days that a past value alone stands for.

    An image that each day replaces tells no more than the day does; nor does what no host-hours
    tell of, beside the other crashes of the same weeks.
    """
    p, population = p.copy(), tests.population
    programs = program_of_each_crash(population) if is_process_attribute(tests.name) else None
    usage_of_attribute: dict[bytes, DaysOfUseByValue] = {}
    for i in near.tolist():
        mine, value = cells.crashes_and_value(i)
        if is_process_attribute(tests.name):
            every = tests.codes_of(np.arange(population.day.size))
            p[i] = max(p[i], p_with_other_names(population, mine, every, value))
        about = b"" if programs is None else np.unique(programs.crash[mine]).tobytes()
        if about not in usage_of_attribute:
            same = None if programs is None else crashes_of_same_programs(population, mine)
            usage_of_attribute[about] = _days_of_use_by_value(tests, crashes, same)
        p[i] = min(p[i] * usage_of_attribute[about].spans_to_choose_from(value), 1.0)
        if tests.source != HOST_HOURS and not is_process_attribute(tests.name):
            every = tests.codes_of(np.arange(population.day.size))
            p[i] = max(p[i], p_given_weeks(population, crashes.mask, mine, every, value))
    return p


def _days_of_use_by_value(
    tests: AttributeToTest, crashes: UnexplainedCrashes, same: Bools | None
) -> DaysOfUseByValue:
    """Return on which days the values were used: by host-hours, else by crashes (`same`: some)."""
    population, size = tests.population, tests.share.size
    if tests.source == HOST_HOURS:
        codes = tests.exposure()
        return DaysOfUseByValue(codes, population.exposure_day, population.exposure_hours, size)
    usable = crashes.mask & population.has_time & (population.signature >= 0)
    rows = np.flatnonzero(usable if same is None else usable & same)
    return DaysOfUseByValue(tests.codes_of(rows), population.day[rows], np.ones(rows.size), size)


def _program_table_of(tests: AttributeToTest, crashes: UnexplainedCrashes) -> ProgramTable | None:
    """Return the crashes by program and value, counted once for each attribute."""
    if tests.name not in crashes.tables:
        chosen = np.flatnonzero(crashes.mask & (tests.population.signature >= 0))
        crashes.tables[tests.name] = program_table(tests.population, chosen, tests.codes_of(chosen))
    return crashes.tables[tests.name]


def _keep_smallest_p_values(p: Floats, near: Bools) -> tuple[Floats, Ints]:
    """Return the p values, 1 for all but the MAX_CELLS smallest in `near`, and where these are.

    Where thousands stand out, values and signatures depend on each other throughout. Each cell
    takes an expensive test, and a mask of all crashes when it is named.
    """
    at = np.flatnonzero(near)
    if at.size <= MAX_CELLS:
        return p, at
    order = at[np.argsort(p[at], kind="stable")]
    kept = p.copy()
    kept[order[MAX_CELLS:]] = 1.0
    return kept, np.sort(order[:MAX_CELLS])


def _p_raised_by_design_effects(
    tests: AttributeToTest,
    crashes: UnexplainedCrashes,
    p: Floats,
    near: Ints,
    cells: _CrashesBySignatureAndValue,
) -> tuple[Floats, dict[int, float]]:
    """Return the p values, those in `near` raised by their design effects, and these effects."""
    p, effects, looked_at = p.copy(), {}, None
    for i in near.tolist() if tests.source == HOST_HOURS else ():
        mine, value = cells.crashes_and_value(i)
        if mine is not looked_at:  # the values of a signature come one after the other
            codes, looked_at = tests.codes_of(mine), mine
            has_value = codes >= 0
            codes = codes[has_value]
            hosts = crashes.hosts.hosts_of_crashes(mine[has_value], codes)
        effect = effects[i] = crashes.hosts.design_effect(hosts, value, tests.exposure())
        inside = np.count_nonzero(codes == value)
        count, n = (np.array([size / effect]) for size in (inside, codes.size))
        p[i] = max(p[i], float(binomial_tail(count, n, tests.share[[value]])[0]))
    return p, effects


def _findings_of_signatures(
    tests: AttributeToTest, crashes: UnexplainedCrashes, asked_for: Sequence[int]
) -> Iterator[Finding]:
    population, share = tests.population, tests.share
    signature, combination, counts = crashes.signature_cells()
    value = tests.codes[combination]
    has_value = value >= 0
    if not has_value.all():
        signature, value, counts = signature[has_value], value[has_value], counts[has_value]
    if counts.sum() < MIN_N:
        return
    of_signature, of_value, in_cell = count_pairs(signature, value, counts)
    totals = sum_by_code(signature, counts, len(population.signatures))
    tested = int((totals >= MIN_N).sum()) * int((share > 0).sum())
    keep = (in_cell >= MIN_N) & (totals[of_signature] >= MIN_N)
    signatures = of_signature[keep]

    def q_values_of(p: Floats) -> Floats:
        q = q_values_up_to(MAX_Q, p, tested)
        for code in asked_for:
            own = signatures == code
            q[own] = np.minimum(q[own], q_values(p[own], int((share > 0).sum())))
        return q

    def name_of_signature(i: int) -> str:
        return population.signatures[int(signatures[i])]

    def crashes_of_signature(i: int) -> Ints:
        return crashes.rows_of_signature(int(signatures[i]))

    cell_counts = in_cell[keep].astype(float)
    cells = _CrashesBySignatureAndValue(
        of_value[keep], cell_counts, totals[signatures], name_of_signature, crashes_of_signature
    )
    yield from _findings_of_cells(tests, crashes, cells, q_values_of)


class _CrashesByHost(NamedTuple):
    """All crashes, or those with a flag: how many each combination and each host has."""

    name: str
    mask: Bools
    counts: Floats
    per_host: Floats

    def crashes(self) -> Ints:
        """Return their positions, which take eight times the memory of the mask."""
        return np.flatnonzero(self.mask)


def _count_flagged(population: Population, name: str, mask: Bools) -> _CrashesByHost:
    per_host = count_codes(population.host, len(population.hosts), mask)
    counts = find_combinations(population).count_crashes_by_combination(mask)
    return _CrashesByHost(name, mask, counts, per_host.astype(float))


def _findings_of_flag(
    tests: AttributeToTest, flagged: _CrashesByHost, host_share: Floats, hours: HoursByHost
) -> Iterator[Finding]:
    """Yield the values with more crashes of a flag; hosts differ, so the null is over-dispersed."""
    population, share = tests.population, tests.share
    if flagged.counts[tests.codes < 0].any():
        crashes = flagged.crashes()
        has_value = population.mask_of_rows(crashes[tests.codes_of(crashes) >= 0])
        flagged = _count_flagged(population, flagged.name, has_value)
    counts = sum_by_value(tests.codes, flagged.counts, share.size)
    total = counts.sum()
    if total < MIN_N:
        return
    if tests.source != HOST_HOURS:
        p = _p_by_counting_hosts(tests, flagged)
        p = np.maximum(p, _p_within_programs(tests, flagged, counts))
        yield from _findings_in_flagged_crashes(tests, flagged, counts, p)
        return
    mean = total * share
    alpha = estimate_overdispersion(flagged.per_host, total * host_share)
    of_value, of_host = hours.value, hours.hours
    # Of the hours with a known value, as for the crashes: otherwise hosts would seem more alike.
    expected = total * of_host / max(float(of_host.sum()), 1e-12)
    spread = alpha * np.bincount(of_value, weights=expected**2, minlength=share.size)
    p = negative_binomial_tail(counts, mean, mean + spread)
    # A place or a part, which hosts keep; with a version the days of the flips would count as well.
    is_kept = of_value.size <= int(np.count_nonzero(host_share > 0))
    if flagged.name == BITFLIP and is_kept:
        # So many of the hosts with a flip have the value by chance, however much hosts differ.
        p = np.minimum(1.0, 2 * np.minimum(p, _p_by_counting_hosts(tests, flagged)))
    if flagged.name == BITFLIP:
        p = np.maximum(p, _p_within_programs(tests, flagged, counts))
    yield from _findings_in_flagged_crashes(tests, flagged, counts, p)


def _findings_in_flagged_crashes(
    tests: AttributeToTest, flagged: _CrashesByHost, counts: Floats, p: Floats
) -> Iterator[Finding]:
    population, share, total = tests.population, tests.share, counts.sum()
    q = q_values(p, int((share > 0).sum()))
    for v in np.flatnonzero((q <= MAX_Q) & (counts >= MIN_N) & (share > 0)).tolist():
        # Among all crashes many values are a little too frequent, and examining each takes long.
        if risk_by_share(counts[v], total, share[v])[0] < MIN_RR:
            continue
        chance = float(p[v]), float(q[v])
        crashes = flagged.crashes()
        if flagged.name == ALL:
            inside = tests.codes_of(crashes) == v
            if not is_preferred_by_most_programs(
                population, crashes, inside, float(share[v]), MIN_RR
            ):
                continue
        finding = _finding_unless_weak(tests, v, flagged.name, crashes, chance)
        if finding is not None:
            yield finding


def _p_within_programs(tests: AttributeToTest, flagged: _CrashesByHost, counts: Floats) -> Floats:
    """Return P of as many flips with each value among the crashes of the programs that have flips.

    A flip is seen only in a crash: where services crash more often, more flips are seen.
    """
    population = tests.population
    same = crashes_of_same_programs(population, flagged.crashes())
    with_value = sum_by_value(tests.codes, with_host_by_combination(population, same), counts.size)
    whole, total = (np.full(counts.size, float(x)) for x in (with_value.sum(), counts.sum()))
    return hypergeometric_tail(counts, whole, with_value, total)


def _p_by_counting_hosts(tests: AttributeToTest, flagged: _CrashesByHost) -> Floats:
    """Return P of as many hosts with each value, among the hosts that have any of some crashes."""
    crashes = flagged.crashes()
    values = tests.codes_of(crashes)
    has_value = values >= 0
    host, value, _ = count_pairs(tests.population.host[crashes[has_value]], values[has_value])
    hosts = np.bincount(value, minlength=tests.share.size).astype(float)
    n = np.full(hosts.size, float(np.unique(host).size))
    if tests.source == HOST_HOURS:
        return binomial_tail(np.minimum(hosts, n), n, tests.share)
    codes = tests.codes_of(np.arange(tests.population.day.size))
    has_host = tests.population.host >= 0
    place = distinct_pairs(tests.population.host, codes, has_host & (codes >= 0))
    of_value = np.bincount(place[1], minlength=hosts.size).astype(float)
    whole = np.full(hosts.size, float(np.unique(place[0]).size))
    return hypergeometric_tail(hosts, whole, of_value, n)


def _finding_unless_weak(
    tests: AttributeToTest,
    value: int,
    name: str,
    some: Ints,
    chance: tuple[float, float],
    effect: float = 1.0,
    beside: ProgramTable | None = None,
) -> Finding | None:
    """Return the finding unless few hosts carry it or the effect is small; `chance` is p and q.

    `some` are the rows of its crashes, with this value, with others and with none; `effect` is the
    design effect that p allows for. For a value of the process, `beside` counts the crashes of the
    programs that it was compared with.
    """
    population, part, source = tests.population, float(tests.share[value]), tests.source
    codes = tests.codes_of(some)
    if beside is not None:
        has_value = codes >= 0
        part, source = share_adjusted_for_programs(
            population, beside, some[has_value], codes[has_value], value
        )
    mine = some[codes == value]
    a, n = mine.size, int(np.count_nonzero(codes >= 0))
    risk = risk_by_share(a, n, part)
    if risk[0] < MIN_RR:
        return None
    typical = n / max(len(population.hosts), 1)
    hosts, all_hosts = (_count_loud_hosts(population, m, typical) for m in (mine, some[codes >= 0]))
    # P(as many hosts), so that one loud host cannot speak for a whole value.
    if hosts < MIN_HOSTS or binomial_p(hosts, all_hosts, part) > MAX_HOST_P:
        return None
    case_control = tests.source != HOST_HOURS
    test = "Fisher exact" if case_control else "binomial by host-hours and Fisher exact, the weaker"
    if effect >= MIN_REPORTED_EFFECT:
        test += f" (hosts are unlike: {effect:.1f} of these crashes tell as much as one)"
    if name in (ALL, BITFLIP, LOCK):
        test = "Fisher exact, of hosts" if case_control else "negative binomial by host-hours"
    asked = tests.population, tests.exposure(), some, codes, value
    is_newest, is_alone = tests.is_newest(value), value_ran_alone(*asked[:2], value)
    caveats: tuple[str, ...] = ()
    if (is_newest or is_alone) and p_by_hours_while_value_ran(*asked) > MAX_CONDITIONAL_P:
        if is_value_refuted_while_it_ran(*asked, risk[1]):
            return None
        caveats = (CAVEAT_ROLL_OUT if is_newest else CAVEAT_ALONE,)
    caveats += _rising_number_caveat(tests, some, codes, value)
    is_program_known = program_of_each_crash(population) is not None
    if name not in (ALL, BITFLIP, LOCK) and not (case_control or is_program_known):
        caveats = (*caveats, CAVEAT_PROGRAM_UNKNOWN)
    members = population.mask_of_rows(mine)
    subject = tests.name, tests.values[value], name, a, n, *chance
    return Finding(*subject, *risk, test, source, (), caveats, members)


def _rising_number_caveat(
    tests: AttributeToTest, some: Ints, codes: Ints, value: int
) -> tuple[str, ...]:
    """Return the caveat of a number that rises, of the two halves of one by its single values."""
    number = tests.population.attribute(tests.name.removesuffix(RANGE))
    if len(tests.values) == HALVES and number is not None and number.name != tests.name:
        share, codes = expected_shares(tests.population, number)[0], number.crash[some]
        ends = [number_or_low_end(text) or 0.0 for text in number.values]
        value = int(np.argmax(ends) if value == HALVES - 1 else np.argmin(ends))
        return dose_response_caveat(number.name, number.values, codes[codes >= 0], share, value)
    return dose_response_caveat(tests.name, tests.values, codes[codes >= 0], tests.share, value)


def _count_loud_hosts(population: Population, crashes: Ints, typical: float) -> int:
    """Return how many hosts have more of these crashes than is typical; no host counts as one."""
    counts = np.bincount(population.host[crashes] + 1, minlength=1)
    return int(np.count_nonzero(counts > typical))

# SPDX-License-Identifier: Apache-2.0
"""Crashes per host-hour by the values of an attribute: is a kernel, a release, a canary ring worse?

A rate alone misleads: a canary ring has more crashes because of what is tried on it, a new kernel
because the load grew. So each value is held against the other ones twice: on the same days (other
hosts, the same load of the week), and on the same hosts (other days, the same work and hardware).
Both are rate ratios of Mantel and Haenszel for person-time, their variance as Greenland and Robins
have it (Biometrics 41, 1985), widened by how far hosts or days scatter.

Both mislead together where quiet hosts got a version first and busy ones later. While some hosts
change and others do not, what changed on the hosts is held against what changed on the others: a
Poisson regression with a rate of each host and of each day, which judges then.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from shlex import quote

import numpy as np

from gdb_epi.fleet.population.host_spelling import count_machines
from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.population.staged_rollout_hours import (
    MIN_OF_STAGE,
    population_with_rollout_hours,
)
from gdb_epi.fleet.population.value_spans import first_and_last_days, is_kept_by_hosts
from gdb_epi.fleet.questions.changes_by_host_hours import find_recounted_hours
from gdb_epi.fleet.questions.collection_limits import DailyCollectionLimit, find_collection_limit
from gdb_epi.fleet.questions.rates_beside_others import (
    MAX_VALUES,
    count_hosts_that_changed,
    explaining_attribute,
    risks_of_value,
    same_hours_words,
    signatures_grown_since,
    value_without_its_crashes,
    what_other_findings_bring_sentence,
)
from gdb_epi.fleet.records.facts import short_program
from gdb_epi.fleet.screen.dose_response import (
    AT_START,
    AT_STOP,
    GROWS,
    host_age_words,
    process_age_words,
)
from gdb_epi.fleet.screen.events import find_events
from gdb_epi.fleet.screen.finding import Finding
from gdb_epi.fleet.screen.leaving_values import hosts_still_with_value_words
from gdb_epi.fleet.screen.moved_programs import find_program_moves
from gdb_epi.fleet.screen.programs import crashes_of_same_programs, program_of_each_crash
from gdb_epi.fleet.screen.silent_hosts import (
    RUNS,
    drop_silent_hours,
    find_silent_days,
    find_silent_groups,
)
from gdb_epi.fleet.statistics.arrays import Bools, Ints
from gdb_epi.fleet.statistics.hypothesis_tests import relative_risk
from gdb_epi.fleet.statistics.rate_ratios import (
    CrashesAndHostHours,
    HostsChosenForCrashes,
    RateRatio,
    find_chosen_hosts,
    risk_by_strata,
    risk_given_host_and_day,
)
from gdb_epi.fleet.store.day_numbers import SECONDS_A_DAY
from gdb_epi.render.signature_words import signature_phrase_and_key
from gdb_epi.typing_lite import NamedTuple

MIN_HIGH = 1.2  # an upper end of an interval that is worth a word
MAX_HIGH, MAX_LONGER = 2.0, 20.0  # an upper end that acquits nothing; times the host-hours
SIGNATURE, NO_CODES = "signature", np.zeros(0, dtype=np.int64)
MAX_RECOUNTED = 0.1  # of the hours with a value, more or less than of those without it
MIN_IN_EXCESS, MAX_OF_STARTS = 4, 5  # crashes of what an excess is made of; signatures
MAX_ELSEWHERE = 0.2  # of these crashes on the hosts of the value, on others
MAX_ALIAS = 0.9  # of the crashes of the value: more is another name for it
MAX_CRASHES, MAX_LOOKED_AT = 1_000_000, 50  # values; what nobody asked must stay quick
MIN_WORSE, SURE_SIGMAS = 30, 4.5  # crashes; by chance once in 300,000 values
LEFT_OUT, MAX_SAID = 2, 2  # signatures, the most frequent ones; values
ALL_TELL, MIN_HOSTS = 0.95, 3  # of the crashes; of each value that all hosts have in its time


class ValueRate(NamedTuple):
    """The crashes of one value of an attribute, and how they compare."""

    value: str
    crashes: int  # an event or a crash loop counts once
    hosts: int
    hours: float
    per_1000_hours: float | None  # None: no host-hours have the value
    same_days: RateRatio | None  # beside hosts with other values; None: no day has both
    same_hosts: RateRatio | None  # beside other days of its hosts; None: never another value
    same_both: RateRatio | None  # its hosts before and after, beside what the others did then
    sentences: tuple[str, ...]  # what follows

    @property
    def answer(self) -> str:
        """The sentences as one text."""
        return "; ".join(self.sentences)


class RatesByValue(NamedTuple):
    """The rates of all values of an attribute, the most host-hours first."""

    attribute: str
    rows: list[ValueRate]
    not_covered: int  # crashes that no host-hours tell of
    without_value: int  # crashes that do not tell the attribute
    limit: DailyCollectionLimit | None = None  # of what was collected: its full days are left out
    silent: tuple[str, ...] = ()  # hosts that fell silent: their hours since then are left out
    repeats: int = 0  # crashes of an event or a loop beyond the first, which do not count


def rates_of_values(
    population: Population,
    attribute: Attribute,
    mine: Bools,
    *,
    explain: bool = True,
    findings: Sequence[Finding] = (),
) -> RatesByValue:
    """Return the rates of some crashes by the values of an attribute.

    Without `explain` no answer says what else explains a difference: that takes the longest.
    `findings` are those of the screening: crashes that another value brings explain one, too.
    An attribute of processes alone has no host-hours: its rows have crashes and no rate.
    """
    events = find_events(population)
    together = mine & events.repeated_crashes
    repeats = int(together.sum())
    mine = mine & (events.counted.signature >= 0)
    silent = [group.words() for group in find_silent_groups(population) if group.hours == RUNS]
    population = drop_silent_hours(population_with_rollout_hours(population, attribute))
    attribute = population.attribute(attribute.name) or attribute
    counting = mine & population.has_host_hours & population.has_time
    cells = crashes_and_host_hours_with_value(population, attribute, counting)
    rows = [
        _rate_of_value(population, attribute, code, cells, mine, explain=explain, findings=findings)
        for code in range(len(attribute.values))
        if (cells.codes[1] == code).any() or (mine & (attribute.crash == code)).any()
    ]
    rows = [_without_answer_if_recounted(population, attribute, cells, row) for row in rows]
    if not attribute.has_hours:
        rows = _compare_values_by_time(population, attribute, mine, rows)
    if (counted_once := int(mine.sum())) < repeats:
        most = (
            f"cannot tell: {repeats} of these {repeats + counted_once} crashes came together with"
        )
        for at, row in enumerate(rows):
            has_it = row.crashes + int((together & attribute.crashes_with(row.value)).sum())
            answer = f"{most} others, as of one event, which counts once: {has_it} of them have it"
            rows[at] = row._replace(sentences=(answer,))
    rows.sort(key=lambda row: (-row.hours, -row.crashes, row.value))
    not_covered = int((mine & ~population.has_host_hours).sum())
    limit = find_collection_limit(population)
    without_value = int((mine & (attribute.crash < 0)).sum())
    return RatesByValue(
        attribute.name, rows, not_covered, without_value, limit, tuple(silent), repeats
    )


def _without_answer_if_recounted(
    population: Population, attribute: Attribute, cells: CrashesAndHostHours, row: ValueRate
) -> ValueRate:
    """Return a row, without an answer where hosts have other hours and as many crashes since a day.

    Only where more of the hours of the value, or fewer, are such than of the others.
    """
    for recounted in find_recounted_hours(population):
        of_value = cells.codes[1] == attribute.values.index(row.value)
        inside = np.isin(cells.hosts[1], recounted.hosts)
        inside &= population.exposure_day[cells.feed] >= recounted.day
        parts = [cells.hours[inside & some].sum() / max(float(cells.hours[some].sum()), 1e-9)
                 for some in (of_value, ~of_value)]  # fmt: skip
        if abs(parts[0] - parts[1]) > MAX_RECOUNTED:
            answer = f"cannot tell by these host-hours: {recounted.words()}"
            return row._replace(sentences=(answer,))
    return row


def _compare_values_by_time(
    population: Population, attribute: Attribute, mine: Bools, rows: list[ValueRate]
) -> list[ValueRate]:
    """Return rows of values without host-hours, compared where each was seen in a time of its own.

    A move, or a release to all at once, parts the time. Crashes of several hosts must show it, and
    nearly all that are asked of must tell the value; no comparison of the same hosts comes of it.
    """
    second = population.second
    if second is None:
        return rows
    asked = mine & (second >= 0) & (population.has_host_hours | (not population.has_exposure))
    has_value = (second >= 0) & (attribute.crash >= 0)
    if (asked & has_value).sum() < ALL_TELL * asked.sum():
        return rows
    size = len(attribute.values)
    first, last = first_and_last_days(attribute.crash[has_value], second[has_value], size)
    order = [code for code in np.argsort(first, kind="stable").tolist() if last[code] >= 0]
    if len(order) < 2 or any(last[a] >= first[b] for a, b in pairwise(order)):
        return rows
    cuts = [(last[a] + first[b]) / 2 for a, b in pairwise(order)]
    begins, ends = [first[order[0]], *cuts], [*cuts, last[order[-1]]]
    start = int(first[order[0]] // SECONDS_A_DAY)
    days = np.arange(start, int(last[order[-1]] // SECONDS_A_DAY) + 1)
    hours = np.full(days.size, 24.0)
    if population.has_exposure:
        inside = (population.exposure_day >= start) & (population.exposure_day <= days[-1])
        of_day, weights = population.exposure_day[inside] - start, population.exposure_hours[inside]
        hours = np.bincount(of_day, weights, days.size)
    if (gap := find_silent_days(population)) is not None:
        hours[(days >= gap.first) & (days <= gap.last)] = 0.0
    if (limit := find_collection_limit(population)) is not None:
        hours[np.isin(days, limit.days)] = 0.0
    counts = asked & has_value & (hours > 0)[np.clip(population.day - start, 0, days.size - 1)]
    crashes = np.bincount(attribute.crash[counts], minlength=size)
    due = np.zeros(size)
    for code, begin, end in zip(order, begins, ends, strict=True):
        part = np.minimum((days + 1) * SECONDS_A_DAY, end) - np.maximum(days * SECONDS_A_DAY, begin)
        due[code] = (hours * np.maximum(part, 0) / SECONDS_A_DAY).sum()
        hosts = population.host[has_value & (attribute.crash == code) & (population.host >= 0)]
        if crashes[code] < MIN_OF_STAGE or np.unique(hosts).size < MIN_HOSTS or due[code] <= 0:
            return rows
    unit = "host-hours" if population.has_exposure else "hours"
    compared = []
    for row in rows:
        code = attribute.values.index(row.value)
        n, h = int(crashes[code]), float(due[code])
        risk = RateRatio(*relative_risk(n, h, float(crashes.sum()) - n, float(due.sum()) - h))
        words = (
            f"{n} crashes in {h:,.0f} {unit} (every crash of then that tells it has it), so "
            f"{risk.words()} those of the rest of the time"
        )
        if risk.low > 1:
            fits = "whatever else changed then fits as well"
            sentences = [f"more crashes in its time: {words}", fits]
        else:
            sentences = _no_rise_sentences(risk, words)
        compared.append(row._replace(sentences=tuple(sentences)) if h > 0 else row)
    return compared


def worse_value_sentences(population: Population, findings: Sequence[Finding]) -> list[str]:
    """Say with which values of their hosts crashes of all kinds come more often.

    A kernel that makes everything worse by half marks no signature, and where quiet hosts get it
    first it has fewer crashes than others. The hosts that change tell it, beside those that do not.
    """
    if not population.has_exposure or population.day.size > MAX_CRASHES:
        return []
    marks_of_findings = {(finding.attr, finding.value) for finding in findings}
    population = find_events(population).counted
    mine = population.signature >= 0
    for finding in findings:
        mine &= ~finding.members
    kinds = np.bincount(population.signature[mine], minlength=len(population.signatures))
    loudest = np.argsort(-kinds, kind="stable")[:LEFT_OUT]
    usual = mine & ~np.isin(population.signature, loudest)
    seen_once = mine & (kinds == 1)[population.signature]
    code_of = {signature: code for code, signature in enumerate(population.signatures)}
    marked = {(f.attr, code_of[f.signature]) for f in findings if f.signature in code_of}
    worse: list[tuple[float, str]] = []
    for attribute in population.attributes:
        if not 1 < len(attribute.values) <= MAX_LOOKED_AT or attribute.is_of_process:
            continue
        feed = attribute.exposure >= 0
        if is_kept_by_hosts(population.exposure_host[feed], attribute.exposure[feed]):
            continue
        # What a load brings more of at its height comes more often at half of it, too.
        free = population.has_host_hours & population.has_time
        of_load = [code for name, code in sorted(marked) if name == attribute.name]
        free &= ~np.isin(population.signature, of_load)
        parts = [crashes_and_host_hours_with_value(population, attribute, some & free)
                 for some in (mine, usual, seen_once, mine & ~seen_once)]  # fmt: skip
        for code, value in enumerate(attribute.values):
            if np.count_nonzero(parts[0].codes[0] == code) < MIN_WORSE:
                continue
            if (attribute.name, value) in marks_of_findings:
                continue
            whole = risk_given_host_and_day(code, parts[0])
            if (
                whole is None
                or whole.ratio < MIN_HIGH
                or whole.standard_errors_above_one() < SURE_SIGMAS
            ):
                continue
            rest = risk_given_host_and_day(code, parts[1])
            if rest is None or rest.low <= 1:
                continue
            chosen = find_chosen_hosts(code, parts[0], whole)
            if chosen is not None and chosen.risk.low <= 1:
                continue
            mark = f"{attribute.name}={value}"
            if (of_one := _one_program_sentence(population, code, parts[0])) is not None:
                worse.append((-whole.standard_errors_above_one(), f"{of_one.format(mark=mark)}; "
                              f"gdb-epi fleet rates {quote(mark)}"))  # fmt: skip
                continue
            words = f"crashes of all kinds come more often with {mark}: {whole.words()} what its "
            words += "hosts had before, set against the other hosts; "
            words += _singletons_sentence(code, parts[2], parts[3])
            if still := hosts_still_with_value_words(
                population, attribute.name, value, population.last_day
            ):
                words += f"{still}; "
            words += f"gdb-epi fleet rates {quote(mark)}"
            worse.append((-whole.standard_errors_above_one(), words))
    return [words for _, words in sorted(worse)[:MAX_SAID]]


def _one_program_sentence(
    population: Population, code: int, cells: CrashesAndHostHours
) -> str | None:
    """Say that crashes of one program come with a value, as of a service that runs there alone.

    None where the others come more often with it, too. The sentence lacks the `mark`.
    """
    programs = program_of_each_crash(population)
    if programs is None:
        return None
    program, has_value = programs.crash[cells.crashes], cells.codes[0] == code
    counts = np.bincount(program[has_value & (program >= 0)], minlength=len(programs.values))
    most = int(counts.argmax())
    rest = risk_given_host_and_day(code, cells.select_crashes(program != most))
    if counts[most] < MIN_IN_EXCESS or rest is None or rest.low > 1:
        return None
    name, total = short_program(programs.values[most]), int((program == most).sum())
    return (
        f"crashes of {name} come more often with {{mark}} ({counts[most]} of {total}); of "
        f"other programs that does not show: those {rest.words()} what its hosts had before"
    )


def _singletons_sentence(code: int, once: CrashesAndHostHours, often: CrashesAndHostHours) -> str:
    """Say that what comes more often are crashes of which each has a signature of its own."""
    alone, others = (risk_given_host_and_day(code, cells) for cells in (once, often))
    has_value = [int((cells.codes[0] == code).sum()) for cells in (once, often)]
    without = once.codes[0].size - has_value[0]
    if has_value[0] < MIN_WORSE or (without and (alone is None or alone.low <= 1)):
        return ""
    if alone is not None and others is not None and others.low > 1 and others.high >= alone.low:
        return ""
    more = f"{alone.words()}" if alone else "none without it"
    no_more = others is not None and others.low <= 1
    rest = f"{others.words()}{', no more than chance' * no_more}" if others else "too few to tell"
    return (
        f"it is crashes whose signature nothing else has ({has_value[0]} of {sum(has_value)}): "
        f"{more}, all others {rest}; that is damaged memory, a fault below the "
        "programs, or stacks that cannot be read there; "
    )


def crashes_and_host_hours_with_value(
    population: Population, attribute: Attribute, mine: Bools
) -> CrashesAndHostHours:
    """Return the crashes and host-hours that have a value, on days that count."""
    feed = (attribute.exposure >= 0) & (population.exposure_host >= 0)
    feed &= population.exposure_hours > 0
    if (gap := find_silent_days(population)) is not None:
        feed &= (population.exposure_day < gap.first) | (population.exposure_day > gap.last)
        mine = mine & ((population.day < gap.first) | (population.day > gap.last))
    if (limit := find_collection_limit(population)) is not None:
        feed &= ~np.isin(population.exposure_day, limit.days)
    days_of_feed = np.unique(population.exposure_day[feed])
    crashes = np.flatnonzero(
        mine & (attribute.crash >= 0) & (population.host >= 0)
        & np.isin(population.day, days_of_feed)
    )  # fmt: skip
    first = int(days_of_feed[0]) if days_of_feed.size else 0
    return CrashesAndHostHours(
        (attribute.crash[crashes], attribute.exposure[feed]),
        (population.day[crashes] - first, population.exposure_day[feed] - first),
        (population.host[crashes], population.exposure_host[feed]),
        population.exposure_hours[feed],
        crashes,
        np.flatnonzero(feed),
    )


def _rate_of_value(
    population: Population,
    attribute: Attribute,
    code: int,
    cells: CrashesAndHostHours,
    mine: Bools,
    *,
    explain: bool,
    findings: Sequence[Finding],
) -> ValueRate:
    value, has_hours = attribute.values[code], cells.codes[1] == code
    hours = float(cells.hours[has_hours].sum())
    crashes = int((cells.codes[0] == code).sum())
    if hours <= 0:
        members = mine & (attribute.crash == code)
        hosts = _count_hosts(population, population.host[members & (population.host >= 0)])
        unknown = ("no host-hours are known of it",)
        return ValueRate(value, int(members.sum()), hosts, 0.0, None, None, None, None, unknown)
    risks = same_days, same_hosts, same_both = risks_of_value(code, cells)
    chosen = None if same_both is None else find_chosen_hosts(code, cells, same_both)
    instead = what_other_findings_bring_sentence(
        population, attribute, code, cells, risks, findings
    )
    changed = count_hosts_that_changed(code, cells)
    sentences = instead or _comparison_sentences(*risks, changed)
    grown = None
    if explain and not instead and chosen is None:
        grown = signatures_grown_since(population, attribute, code, cells)
    if grown is not None:
        is_grown = np.isin(population.signature[cells.crashes], grown.codes)
        others = cells.select_crashes(~is_grown)
        rest = (
            _comparison_sentences(*risks_of_value(code, others), changed)
            if others.crashes.size
            else []
        )
        none_with = value_without_its_crashes(
            population, attribute, code, cells.select_crashes(is_grown)
        )
        sentences = [grown.words, none_with, *(f"all other crashes: {words}" for words in rest[:1])]
        sentences += rest[1:]
    elif chosen is not None and same_both is not None:
        sentences = _chosen_hosts_sentences(chosen, same_both)
        same_both = chosen.risk
    elif explain and same_days is not None:
        judges = same_both or same_days
        why = []
        if same_days.low > 1 or judges.low > 1 or judges.high < 1:
            asked = population, attribute.crash == code, code, cells, judges, same_both
            why.append(_explained_by_process_age_clause(*asked))
        if not any(why) and not instead and same_days.low > 1 and judges.high >= 1:
            why.append(
                _moved_programs_sentence(population, code, cells, same_days)
                or explaining_attribute(population, attribute, code, cells, same_days)
                or _crashes_behind_excess_words(population, attribute, code, cells, same_days)
            )
        elif not any(why) and not instead and same_both is not None and same_both.low > 1:
            why.append(explaining_attribute(population, attribute, code, cells, same_days))
        sentences = [*sentences, *why]
    if explain and any(r and (r.low > 1 or r.high < 1) for r in risks):
        sentences = [same_hours_words(population, attribute, code, cells), *sentences]
    more = (same_both or same_days) if explain and chosen is None and grown is None else None
    if more is not None and more.low > 1:
        sentences = [*sentences, value_without_its_crashes(population, attribute, code, cells)]
    hosts = _count_hosts(population, cells.hosts[1][has_hours])
    rate, said = 1000 * crashes / hours, tuple(filter(None, sentences))
    return ValueRate(value, crashes, hosts, hours, rate, same_days, same_hosts, same_both, said)


def _count_hosts(population: Population, hosts: Ints) -> int:
    return count_machines(population.hosts[host] for host in np.unique(hosts).tolist())


def _comparison_sentences(
    days: RateRatio | None,
    hosts: RateRatio | None,
    both: RateRatio | None,
    changed: tuple[int, int],
) -> list[str]:
    """Say what the comparisons tell together; `both` judges where it can.

    It is of the hosts that `changed`, so many of all with the value: few of them tell what the
    value does, and not how its hosts crash.
    """
    if days is None and hosts is None:
        return ["cannot tell: there is nothing to compare it with"]
    here = "" if days is None else f"{days.words()} the crashes of others on the same days"
    before = "" if hosts is None else f"{hosts.words()} those of the same hosts with other values"
    if hosts is None:
        assert days is not None
        if days.low > 1:
            hosts_too = (
                "its hosts never had another value, so these hosts or their work fit as well"
            )
            return [f"more crashes with it: {here}", hosts_too]
        return _no_rise_sentences(days, here)
    if days is None:
        if hosts.low <= 1 <= hosts.high:
            return _no_rise_sentences(hosts, before)
        change = "more" if hosts.low > 1 else "fewer"
        all_at_once = "all got it at once, so whatever else changed then fits as well"
        return [f"{change} crashes in its time: {before}", all_at_once]
    is_ruled_out = both is not None and both.low <= 1 and both.high < days.ratio
    if days.low > 1 and both is not None and is_ruled_out and 2 * changed[0] < changed[1]:
        return [
            f"more crashes on its hosts, and not by it: {here}",
            f"those {changed[0]} of its {changed[1]} hosts that had another value, too, have with "
            f"it {both.words()} what they had before, set against the other hosts",
        ]
    if both is not None and (both.low > 1 or both.high < 1):
        since = f"{both.words()} what its hosts had before, set against the other hosts"
        if both.high < 1:
            return _no_rise_sentences(both, since)
        fewer = f"on the same days they have fewer than others ({days.ratio:.2g} times), and had "
        return [f"more crashes with it: {since}", f"{fewer}fewer before" * (days.high < 1)]
    if days.low > 1 and hosts.low > 1 and not is_ruled_out:
        return [f"more crashes with it: {here}, {before}"]
    if days.low > 1 and hosts.high >= days.ratio and (both is None or both.high >= days.ratio):
        whether = "whether by it or by these hosts cannot be told yet"
        return [f"more crashes on its hosts: {here}", f"{whether}: {before}"]
    if days.low > 1:
        if both is not None and hosts.low > 1:
            hosts, before = both, f"{both.words()} what they had, set against the other hosts"
        words = f"its hosts crash more, with it or without it: {here}, and {before}"
        return [words, _hidden_increase_words(hosts)]
    if hosts.low > 1 or (days.low <= 1 <= days.high and hosts.high < 1):
        change = "more" if hosts.low > 1 else "fewer"
        if all(r.low <= hosts.high and r.high >= hosts.low for r in (days, both or days)):
            whether = "whether by it or by what else changed then cannot be told"
            return [f"{change} crashes since its hosts have it: {before}", f"{whether}: {here}"]
        return [f"all hosts have {change} since then, not those with it: {here}, {before}"]
    return _no_rise_sentences(max(days, hosts, key=lambda risk: -risk.high), f"{here}, {before}")


def _chosen_hosts_sentences(chosen: HostsChosenForCrashes, both: RateRatio) -> list[str]:
    """Say what hosts tell that had many crashes until they got a value, or lost it."""
    risk, got = chosen.risk, "lost it" if chosen.lost else "got it"
    start = "no effect can be seen"
    if risk.low > 1 or risk.high < 1:
        start = f"{'more' if risk.low > 1 else 'fewer'} crashes with it"
    return [
        f"{start}: {risk.words()} what hosts with as many crashes have",
        f"those that {got} had had {chosen.times:.2g} times the crashes of the others until then, "
        "and whoever is chosen for many crashes has fewer afterwards, whatever is done (before "
        f"and after alone: {both.ratio:.2g} times)",
    ]


def _no_rise_sentences(risk: RateRatio, words: str) -> list[str]:
    if risk.high > MAX_HIGH:
        half, far = (float(np.log(x)) for x in (risk.high / max(risk.low, 1e-9), risk.ratio))
        more = (half / 2 / far) ** 2 if far else 0.0
        would = f"{more:.2g} times as many host-hours would tell, if this goes on"
        return [f"cannot tell: {words}", would * bool(1 < more <= MAX_LONGER)]
    if risk.ratio > MIN_HIGH:
        return [f"no clear difference: {words}", _hidden_increase_words(risk)]
    less = "fewer" if risk.high < 1 else "no more"
    return [f"{less} crashes with it: {words}", _hidden_increase_words(risk)]


def _hidden_increase_words(risk: RateRatio) -> str:
    """Say how many times as many crashes a comparison leaves open; "" where hardly any."""
    words = f"up to {risk.high:.2g} times as many would not show yet"
    return words * (risk.high > MIN_HIGH)


def _explained_by_process_age_clause(
    population: Population,
    with_it: Bools,
    code: int,
    cells: CrashesAndHostHours,
    whole: RateRatio,
    both: RateRatio | None,
) -> str:
    """Say that a value has no more (or fewer) than others but what comes at starts or stops.

    Machines that live for hours have more starts in their host-hours, and a value that nobody has
    left yet has no stops.
    """
    kinds, has_value = population.signature[cells.crashes], cells.codes[0] == code
    fewer = whole.high < 1
    sizes = np.bincount(kinds[(has_value != fewer) & (kinds >= 0)], minlength=1)
    moments = {
        AT_START: "at each start of a process",
        AT_STOP: "at each stop of a process",
        GROWS: "in old processes alone",
    }
    when_of_kind: dict[int, str] = {}
    for kind in np.argsort(-sizes, kind="stable")[:MAX_OF_STARTS].tolist():
        mine = population.signature == kind
        words = process_age_words(population, mine) or ""
        when = next((text for end, text in moments.items() if words.endswith(end)), None)
        when = when or host_age_words(population, mine, with_it, fewer=fewer)
        if sizes[kind] >= MIN_IN_EXCESS and when is not None:
            when_of_kind[kind] = when
    if not when_of_kind:
        return ""
    kept = cells.select_crashes(~np.isin(kinds, list(when_of_kind)))
    by_days = both is None
    risk = risk_by_strata(code, kept, kept.days) if by_days else risk_given_host_and_day(code, kept)
    if risk is None or not risk.low <= 1 <= risk.high or not _is_difference_gone(whole, risk):
        return ""
    names = " and ".join(
        signature_phrase_and_key(population.signatures[kind]) for kind in when_of_kind
    )
    when = " or ".join(sorted(set(when_of_kind.values())))
    return f"the difference comes {when} ({names}): without these {risk.words()}"


def _moved_programs_sentence(
    population: Population, code: int, cells: CrashesAndHostHours, risk: RateRatio
) -> str:
    """Say that a value has no more than others but of programs that went from host to host."""
    programs = program_of_each_crash(population)
    moved = [move.program for move in find_program_moves(population)]
    if programs is None or not moved:
        return ""
    of_moved = np.isin(programs.crash[cells.crashes], list(map(programs.values.index, moved)))
    kept = cells.select_crashes(~of_moved)
    rest = risk_by_strata(code, kept, kept.days)
    if rest is None or rest.low > 1 or not _is_difference_gone(risk, rest):
        return ""
    return f"the excess is {' and '.join(moved)}, which moved: without these {rest.words()}"


def _do_hosts_change_value(population: Population, codes: Ints, value: int) -> bool:
    """Whether the hosts with a value have others too, often enough: it is no mark of them."""
    has_host = population.host >= 0
    hosts = np.zeros(len(population.hosts) + 1, dtype=bool)
    hosts[population.host[has_host & (codes == value)]] = True
    theirs = codes[has_host & (codes >= 0) & hosts[population.host]]
    return bool((theirs != value).mean() >= 1 - MAX_ALIAS)


def _do_programs_have_other_values_too(population: Population, codes: Ints, value: int) -> bool:
    """Whether other crashes of the programs have other values while a value is there.

    What all have in its time, as a release, takes all crashes of that time with it.
    """
    mine = population.has_time & (codes == value)
    programs = crashes_of_same_programs(population, mine)
    days = population.day[mine]
    if not days.size:
        return False
    beside = population.has_time & (codes >= 0)
    beside &= (population.day > days.min()) & (population.day < days.max())
    beside = beside if programs is None else beside & programs
    return bool(beside.any() and (codes[beside] != value).mean() >= 1 - MAX_ALIAS)


def _is_difference_gone(whole: RateRatio, rest: RateRatio) -> bool:
    """Whether at least half of a difference is surely gone with what was left out.

    Without some of the crashes any interval is wider, and soon has 1 inside.
    """
    if rest.low <= whole.ratio <= rest.high:
        return False
    return bool(2 * abs(np.log(max(rest.ratio, 1e-9))) <= abs(np.log(max(whole.ratio, 1e-9))))


def _crashes_behind_excess_words(
    population: Population,
    attribute: Attribute,
    code: int,
    cells: CrashesAndHostHours,
    risk: RateRatio,
) -> str:
    """Name the crashes without which the value has no more than others; "" when none are such.

    A signature, or a value that its hosts do not keep: without those of some hosts their hours
    would stay. Without them at least half of the difference must be gone.
    """
    has_value = cells.codes[0] == code
    its_hosts = np.isin(cells.hosts[0], cells.hosts[1][cells.codes[1] == code])
    changed = np.isin(cells.hosts[1], cells.hosts[1][cells.codes[1] == code])
    changed &= cells.codes[1] != code
    best: tuple[float, str] | None = None
    signatures = Attribute(SIGNATURE, population.signatures, population.signature, NO_CODES)
    for other in (signatures, *population.attributes):
        if other.name == attribute.name or len(other.values) > MAX_VALUES:
            continue
        if other.has_hours:  # the hours of its hosts would stay
            continue
        is_signature = other.name == SIGNATURE
        codes = other.crash[cells.crashes]
        with_value, elsewhere, before = (
            np.bincount(codes[some & (codes >= 0)], minlength=len(other.values))
            for some in (has_value, ~its_hosts, its_hosts & ~has_value)
        )
        likely = (with_value >= MIN_IN_EXCESS) & (with_value <= MAX_ALIAS * has_value.sum())
        if not is_signature:
            likely &= elsewhere <= MAX_ELSEWHERE * (with_value + before)
        if changed.any():  # what its hosts never had without the value came with it
            likely &= before >= MIN_IN_EXCESS
        some = np.flatnonzero(likely)
        if not is_signature:
            some = some[
                [
                    _do_hosts_change_value(population, other.crash, int(i))
                    and _do_programs_have_other_values_too(population, other.crash, int(i))
                    for i in some
                ]
            ]
        else:
            some = some[np.argsort(-with_value[some], kind="stable")[:MAX_OF_STARTS]]
        for index in some.tolist():
            kept = cells.select_crashes(codes != index)
            rest = risk_by_strata(code, kept, kept.days)
            if rest is None or rest.low > 1 or not _is_difference_gone(risk, rest):
                continue
            distance = abs(float(np.log(max(rest.ratio, 1e-9))))
            share = f"{with_value[index]} of its {has_value.sum()} crashes"
            value = other.values[index]
            mark = signature_phrase_and_key(value) if is_signature else f"{other.name}={value}"
            words = f"the excess is {mark} ({share}): without these {rest.words()}"
            if best is None or distance < best[0]:
                best = distance, words
    return "" if best is None else best[1]

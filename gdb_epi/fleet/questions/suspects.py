# SPDX-License-Identifier: Apache-2.0
"""What stands out now, as lines: verdicts, the findings behind them, and what remains open."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from math import lgamma, log

import numpy as np

from gdb_epi.fleet.decisions.repairs import screen_without_repaired_hosts_past
from gdb_epi.fleet.population.host_spelling import count_machines
from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.questions.changes_by_host_hours import (
    change_by_host_hours_sentences,
    find_recounted_hours,
)
from gdb_epi.fleet.questions.collection_limits import (
    find_collection_limit,
    find_core_size_limit,
    find_limit_per_host,
    rise_within_limit_words,
)
from gdb_epi.fleet.questions.daily_rates import (
    fleet_wide_rise_words,
    growing_signatures,
    month_end_words,
)
from gdb_epi.fleet.questions.job_deaths_by_first_host import (
    JobDeathsByFirstHost,
    find_job_deaths_by_first_host,
)
from gdb_epi.fleet.questions.onset import programs_risen_with_value_sentences
from gdb_epi.fleet.questions.population_verdict import (
    HARDWARE_HOST,
    ONE_EVENT,
    PopulationVerdict,
    hosts_by_crashes,
    judge_population,
    judge_signature,
    name_main_hosts,
)
from gdb_epi.fleet.questions.rates import worse_value_sentences
from gdb_epi.fleet.questions.same_bugs import same_bug_headlines
from gdb_epi.fleet.screen.dose_response import AT_STOP, GROWS, MOMENTS, process_age_words
from gdb_epi.fleet.screen.events import PLACES, find_events
from gdb_epi.fleet.screen.finding import (
    ALL,
    BITFLIP,
    CLUSTERED_CRASHES,
    HOST,
    MIN_N,
    MOSTLY,
    TIME_AND_CPU_ATTRIBUTES,
    Finding,
    crashes_of_findings,
)
from gdb_epi.fleet.screen.finding_texts import (
    P_AND_Q,
    describe_verdict,
    is_hardware_or_place_attribute,
)
from gdb_epi.fleet.screen.hosts import exposure_shares, signature_of_most
from gdb_epi.fleet.screen.moved_programs import find_program_moves
from gdb_epi.fleet.screen.possibly_bad_hosts import undecided_sentences
from gdb_epi.fleet.screen.programs import (
    crashes_of_same_programs,
    known_programs,
    program_of_most_crashes,
    program_of_signature,
    signature_with_program_words,
)
from gdb_epi.fleet.screen.recurring_events import (
    describe_group,
    finding_lines,
    group_recurring_events,
    place_of_events,
)
from gdb_epi.fleet.screen.renamings import renaming_of_python_functions
from gdb_epi.fleet.screen.screening import ScreeningResult
from gdb_epi.fleet.screen.silent_hosts import find_silent_groups
from gdb_epi.fleet.screen.version_courses import versions_with_signature
from gdb_epi.fleet.statistics.arrays import Bools, Floats, Ints, count_distinct
from gdb_epi.fleet.statistics.hypothesis_tests import hypergeometric_p, negative_binomial_tail
from gdb_epi.fleet.store.day_numbers import iso_day
from gdb_epi.render.signature_words import signature_phrase_and_key
from gdb_epi.util import counted, shortened_list

# -- Signatures whose time or place is not chance, and which no finding explains -------------------
#
# A bug that came with a release on all hosts at once goes with no value of any attribute, and a
# bug of a service that runs on twelve hosts accuses none of them. All that can be said is that
# it began on some day, or stays on those hosts; this accuses nobody.

MIN_CRASHES = 8  # of a signature
MAX_P = 1e-3  # over all signatures: nobody asked about this one
MIN_BEFORE = 3  # days before it began
MAX_BURST_P, SPREAD = 1e-6, 0.3  # of a day, paid for all; how much usual days differ
MIN_BURST, MIN_IN_BURSTS = 6, 0.3  # crashes of a day, and hosts; of all crashes of the signature
LOUDEST, MAX_ROUNDS = 0.15, 8  # days that are left aside at first
MAX_TOLD = 5  # of each kind, the most frequent first
MAX_UNEXPLAINED_CRASHES = 1_000_000  # in all; with more of them everything is significant
MAX_PART = 0.5  # of the hosts: more are not "a few hosts"
QUIET = 7  # days without a crash after which the last one is named


def unexplained_signature_sentences(
    population: Population, day: int, screened: ScreeningResult, left_out: Sequence[str] = ()
) -> list[str]:
    """Return sentences about signatures that no finding is about, the most frequent ones first.

    Those in `left_out` have another explanation, and those whose events tell when they come too.
    """
    if not MIN_N <= population.day.size <= MAX_UNEXPLAINED_CRASHES:
        return []
    explained = {
        signature_of_most(population, f)
        for f in screened.findings
        if f.attr not in CLUSTERED_CRASHES or any(c.endswith(MOMENTS) for c in f.caveats)
    }.union(left_out)
    counted_once = find_events(population).counted
    sizes = np.bincount(counted_once.signature + 1, minlength=len(population.signatures) + 1)[1:]
    tested = int(np.count_nonzero(sizes >= MIN_CRASHES))
    began: list[str] = []
    bursts: list[str] = []
    few: list[str] = []
    rows = np.argsort(counted_once.signature, kind="stable")  # those without one come first
    ends = rows.size - sizes.sum() + np.cumsum(sizes)
    timed = counted_once.has_time
    days = np.sort(counted_once.day[timed])
    each_day = np.bincount(days - days[:1])
    for code in np.argsort(-sizes, kind="stable").tolist():
        if sizes[code] < MIN_CRASHES:
            break
        if population.signatures[code] in explained:
            continue
        mine = rows[ends[code] - sizes[code] : ends[code]]
        name = population.signatures[code]
        begun = list(_beginning_sentences(counted_once, mine[timed[mine]], days, (day, tested)))
        if begun and (renaming := renaming_of_python_functions(counted_once, name)):
            begun = (
                [] if explained.intersection(sum(renaming.signatures, ())) else [renaming.words()]
            )
            explained.update(sum(renaming.signatures, ()))
        elif begun and (
            course := versions_with_signature(counted_once, counted_once.signature == code)
        ):
            begun = [f"{course.words()}: {signature_with_program_words(population, name)}"]
        began += begun
        if (its_own := mine[timed[mine]]).size >= MIN_CRASHES:
            bursts += _burst_sentences(counted_once, its_own, (int(days[0]), each_day), tested)
        few += _few_hosts_sentences(counted_once, mine, tested)
    return [*bursts[:MAX_TOLD], *began[:MAX_TOLD], *few[:MAX_TOLD]]


def _burst_sentences(
    population: Population, mine: Ints, crashes: tuple[int, Ints], tested: int
) -> Iterator[str]:
    """Say that a signature comes in bursts of a day or some, on many hosts each time.

    A job that is queued again until somebody cancels it, or an input that no process can read, goes
    from host to host: it is one story, whatever version runs on those days. `crashes` are the first
    day, and how many crashes there are on each from then on.
    """
    first, every = crashes
    own = np.bincount(population.day[mine] - first, minlength=every.size)
    others = (every - own) + 1.0
    is_burst = (own >= MIN_BURST) & (own > np.quantile(own, 1 - LOUDEST))
    for _ in range(MAX_ROUNDS):  # what lies outside of the bursts tells what is usual
        usual = others * (own[~is_burst].sum() + 1) / max(others[~is_burst].sum(), 1.0)
        p = (
            negative_binomial_tail(own.astype(float), usual, usual * (1 + SPREAD * usual))
            * own.size
            * tested
        )
        again = (p <= MAX_BURST_P) & (own >= MIN_BURST)
        if (again == is_burst).all():
            break
        is_burst = again
    edges = np.flatnonzero(np.diff(np.concatenate(([0], is_burst.astype(int), [0]))))
    runs = edges.reshape(-1, 2)
    if not 1 <= len(runs) <= MAX_TOLD or own[is_burst].sum() < MIN_IN_BURSTS * mine.size:
        return
    parts = []
    for begin, end in runs.tolist():
        some = mine[(population.day[mine] >= first + begin) & (population.day[mine] < first + end)]
        hosts = np.unique(population.host[some[population.host[some] >= 0]]).size
        if hosts < MIN_BURST:  # one host's loop is its own story
            return
        last = f" to {iso_day(first + end - 1)}" if end - begin > 1 else ""
        parts.append(f"{some.size} on {hosts} hosts, {iso_day(first + begin)}{last}")
    name = signature_with_program_words(
        population, population.signatures[population.signature[mine[0]]]
    )
    yield (
        f"comes in bursts: {name}: {'; '.join(parts)}; of {counted(mine.size, 'crash')} in all. A "
        "job or an input that is tried again on other hosts looks like this, and no host and no "
        "version is accused by it"
    )


def _beginning_sentences(
    population: Population, mine: Ints, all_days: Ints, asked: tuple[int, int]
) -> Iterator[str]:
    """Say when a signature began, if chance would not have kept it away until then.

    `mine` are its crashes with a time, `known` the days of all crashes, in order.
    """
    day, tested = asked
    days = np.sort(population.day[mine])
    if days.size < MIN_CRASHES:
        return
    first, last = int(days[0]), int(days[-1])
    if first - int(all_days[0]) < MIN_BEFORE:
        return
    others = all_days.size - int(np.searchsorted(all_days, first)) - days.size
    share = (others + 1) / (all_days.size - days.size + 1)
    if population.has_exposure:
        late = population.exposure_hours[population.exposure_day >= first].sum()
        share = max(share, float(late / population.exposure_hours.sum()))
    # P(all others come after the first one), if each could have come before it.
    if min(share, 1.0) ** (days.size - 1) * tested > MAX_P:
        return
    hosts = np.unique(population.host[mine[population.host[mine] >= 0]]).size
    size = f"{counted(days.size, 'crash')} on {counted(hosts, 'host')}"
    until = f", the last on {iso_day(last)}" if day - last >= QUIET else ""
    name = signature_with_program_words(
        population, population.signatures[population.signature[mine[0]]]
    )
    yield f"began on {iso_day(first)}{until}: {name}: {size}; gdb-epi fleet onset says with what"


def _few_hosts_sentences(population: Population, mine: Ints, tested: int) -> Iterator[str]:
    """Say that a signature stays on a few hosts, if chance would have spread it."""
    share = exposure_shares(population).by_host
    alive = int(np.count_nonzero(share > 0))
    hosts = population.host[mine[population.host[mine] >= 0]]
    own = np.unique(hosts)
    if hosts.size < MIN_CRASHES or own.size < 2 or own.size > MAX_PART * alive:
        return
    # P(all on so many hosts) is at most the sum over all sets of so many hosts.
    part, size = float(np.sort(share)[-own.size :].sum()), alive
    if (its_shares := _shares_of_program(population, mine)) is not None:
        # Its program may run nowhere else, and more on some hosts: its other crashes tell where.
        part, size = float(its_shares[-own.size :].sum()), its_shares.size
    sets = lgamma(size + 1) - lgamma(own.size + 1) - lgamma(size - own.size + 1)
    if sets + hosts.size * log(part) > log(MAX_P / tested):
        return
    name = signature_with_program_words(
        population, population.signatures[population.signature[mine[0]]]
    )
    names = population.hosts
    few, every = (count_machines(names[c] for c in some) for some in (own, np.flatnonzero(share)))
    where = f"{counted(hosts.size, 'crash')} on {few} of {every} hosts and on no other"
    mask = population.mask_of_rows(mine)
    main = program_of_most_crashes(population, mask)
    runs = f": see what else {main[0]} has there" if main and main[1] == main[2] else ""
    yield f"stays on few hosts: {name}: {where}; no host is to blame by that{runs}"


def _shares_of_program(population: Population, mine: Ints) -> Floats | None:
    """Return each host's share of a program, in order; None: it has hardly crashed otherwise.

    `mine` are the crashes of the program that are asked about. A host that has no others counts as
    if it had one.
    """
    of_program = crashes_of_same_programs(population, mine)
    if of_program is None:
        return None
    of_program &= population.host >= 0
    has_any = np.unique(population.host[of_program])
    of_program[mine] = False
    if int(np.count_nonzero(of_program)) < MIN_CRASHES:
        return None
    others = np.bincount(population.host[of_program], minlength=len(population.hosts))[has_any]
    return np.asarray(np.sort(np.maximum(others, 1) / np.maximum(others, 1).sum()))


# -- What stands out now, as lines: verdicts, the findings behind them, and what remains open ------

MIN_OF_PLACE, MAX_P_OF_PLACE = 10, 1e-6  # crashes of a signature that joins others of a place
MAX_CRASHES, MAX_LOOKED_AT = 200_000, 50  # a question must stay quick; signatures
MIN_HOSTS, MAX_NAMED = 3, 10  # of a place: fewer are these hosts; hosts that are named


def suspect_lines(population: Population, screened: ScreeningResult) -> Iterator[str]:
    """Yield all that stands out by a screening, the strongest first, and what is open."""
    of_hosts = find_limit_per_host(population)
    if of_hosts is not None:
        yield of_hosts.words()
    findings = sorted(screened.findings, key=lambda f: f.p)
    worse = worse_value_sentences(population, findings)
    for growth in growing_signatures(population, findings):
        name = signature_with_program_words(population, population.signatures[growth.signature])
        worse.append(f"{name}: {growth.words()}")
    of_moments = list(_signatures_of_stops_or_old_processes(population, findings))
    worse += [f"software: {words}: {signature_with_program_words(population, name)}"
              for name, words in of_moments]  # fmt: skip
    yield from (f"verdict: {line}" for line in worse)
    deaths = find_job_deaths_by_first_host(population)
    if deaths is not None:
        yield from deaths.lines(population)
    if findings:
        yield from _verdict_lines(population, screened, deaths)
        yield ""
        for finding, others in group_recurring_events(findings):
            yield from finding_lines(population, screened.day, finding, others)
            if finding.signature == BITFLIP and finding.attr != HOST:  # which to look at first
                yield f"    they came {name_main_hosts(population, finding)}"
        yield P_AND_Q
    else:
        what = "nothing else" if worse or deaths is not None else "nothing"
        yield f"{what} stands out among {counted(population.day.size, 'crash')}"
    if (limit := find_collection_limit(population)) is not None:
        yield limit.words()
        yield from filter(None, (rise_within_limit_words(population),))
    for group in find_silent_groups(population):
        if group.of_hosts:
            yield f"{group.words()}: ask whether its cores still arrive, before this is a mending"
    yield from (move.words() for move in find_program_moves(find_events(population).counted))
    of_sizes: list[str] = []  # they seem to begin, or end
    if not any(f.signature == ALL and f.attr not in (HOST, *CLUSTERED_CRASHES) for f in findings):
        yield from filter(None, (fleet_wide_rise_words(population),))
    yield from filter(None, (month_end_words(population),))
    if (sizes := find_core_size_limit(population)) is not None:
        yield sizes.words()
        counts = (np.bincount(population.signature[m & (population.signature >= 0)],
                              minlength=len(population.signatures))
                  for m in (sizes.large, ~sizes.large))  # fmt: skip
        larger, smaller = counts
        of_sizes = [population.signatures[c] for c in np.flatnonzero(larger > smaller).tolist()]
    yield from programs_risen_with_value_sentences(population)
    yield from change_by_host_hours_sentences(population, screened.findings)
    yield from (recounted.words() for recounted in find_recounted_hours(population))
    explained = [*(name for name, _ in of_moments), *of_sizes]
    yield from unexplained_signature_sentences(population, screened.day, screened, explained)
    if of_hosts is None:
        yield from undecided_sentences(population, screened.day, screened)


def _signatures_of_stops_or_old_processes(
    population: Population, findings: Sequence[Finding]
) -> Iterator[tuple[str, str]]:
    """Yield the frequent signatures without a finding that come at stops, or in old processes.

    Not those of young ones: programs differ in how long they run.
    """
    if population.day.size > MAX_CRASHES:
        return
    about = {signature_of_most(population, finding) for finding in findings}
    sizes = np.bincount(population.signature[population.signature >= 0], minlength=1)
    for code in np.argsort(-sizes, kind="stable")[:MAX_LOOKED_AT].tolist():
        if sizes[code] < MIN_OF_PLACE or (name := population.signatures[code]) in about:
            continue
        words = process_age_words(population, population.signature == code)
        if words is not None and words.endswith((AT_STOP, GROWS)):
            yield name, words


def _verdict_lines(
    population: Population, screened: ScreeningResult, deaths: JobDeathsByFirstHost | None
) -> Iterator[str]:
    """Yield each headline once, with the first of its signatures.

    What is told of a job's `deaths` on several hosts is no event and no host's job any more.
    """
    verdicts = judge_population(population, screened.day, screened)
    if deaths is not None:
        first = f"host={population.hosts[deaths.host]}" if deaths.host >= 0 else ""
        events_of_deaths = {
            id(v)
            for v in verdicts
            if v.kind == ONE_EVENT and _do_deaths_cover_all_causes(deaths, v)
        }
        verdicts = [
            v
            for v in verdicts
            if id(v) not in events_of_deaths and (v.subject != first or v.kind == HARDWARE_HOST)
        ]
    same_bugs = [
        *same_bug_headlines(population, verdicts),
        *_sentences_about_shared_places(population, verdicts),
    ]
    yield from (f"verdict: {line}" for line, _ in same_bugs)
    of_same = {subject for _, subjects in same_bugs for subject in subjects}
    # What is said of one of them alone is which of its versions have it.
    verdicts = [v for v in verdicts if v.subject not in of_same or v.tells_versions]
    for headline, subjects in _subjects_by_headline(verdicts):
        # Headlines name the host that they are about; `*` is a group that they describe.
        is_named = subjects[0].startswith(("host=", ALL))
        what = "" if is_named else f": {signature_with_program_words(population, subjects[0])}"
        rest = len(subjects) - 1
        more = f", and {counted(rest, 'more signature')}" if rest else ""
        yield f"verdict: {headline}{what}{more}"


def _sentences_about_shared_places(
    population: Population, verdicts: Sequence[PopulationVerdict]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Say of a place that signatures of several programs go with it: no release is why.

    With each sentence come the subjects of the verdicts that it stands for: all of them had crashes
    there on a day that they share. A signature whose crashes are on too few hosts to stand out
    alone belongs to it where the other crashes of its program are elsewhere.
    """
    by_mark: dict[tuple[str, str], list[tuple[int, int, PopulationVerdict]]] = {}
    for verdict in verdicts:
        of_place = (
            f for f in verdict.causes[0].findings
            if f.attr in PLACES or (is_hardware_or_place_attribute(f.attr) and f.attr != HOST)
        )  # fmt: skip
        # Beside a place a version is another cause; a part needs one that has the code at all.
        first = next(of_place, None)
        if first is None or verdict.subject not in population.signatures:
            continue
        if first.attr in PLACES and len(verdict.causes[0].findings) > 1:
            continue
        if (days := population.day[first.members & population.has_time]).size:
            span = int(days.min()), int(days.max()), verdict
            by_mark.setdefault((first.attr, first.value), []).append(span)
    groups: list[tuple[str, str, list[PopulationVerdict]]] = []
    for (attr, value), spans in by_mark.items():
        end = -1
        for begin, last, verdict in sorted(spans, key=lambda span: span[:2]):
            if begin > end:
                groups.append((attr, value, []))
            end = last if begin > end else min(end, last)
            groups[-1][2].append(verdict)
    for attr, value, same in groups:
        members = crashes_of_findings(
            (f for v in same for f in v.causes[0].findings if f.attr == attr), population.day.size
        ) & population.has_time  # fmt: skip
        hosts = count_distinct(population.host[members & (population.host >= 0)])
        if len(same) < 2 or hosts < MIN_HOSTS or len(known_programs(population, members)) < 2:
            continue
        names = [v.subject for v in same]
        others = _further_signatures_of_place(population, attr, value, members, names)
        every = [*names, *others]
        programs = [program_of_signature(population, name) for name in every]
        days = population.day[members]
        dates = f"from {iso_day(int(days.min()))} to {iso_day(int(days.max()))}"
        what = (
            "hardware, power or network of that place, or what is set up or runs there"
            if attr in PLACES
            else "that part, its firmware, or code of each that only such hosts run"
        )
        yield (
            f"perhaps one cause in {len(every)} signatures of "
            f"{', '.join(dict.fromkeys(programs))}: they go with {attr}={value}, {dates}, and a "
            f"release of one of these programs does not explain the others. It may be "
            f"{what}{_hosts_lacking_attribute_words(population, attr, every)}: "
            f"{', '.join(signature_with_program_words(population, name) for name in every)}",
            tuple(names),
        )


def _hosts_lacking_attribute_words(population: Population, attr: str, names: Sequence[str]) -> str:
    """Name the hosts that do not tell an attribute and have most of some signatures."""
    attribute = population.attribute(attr)
    assert attribute is not None  # it has a finding
    codes = [population.signatures.index(name) for name in names]
    mine = np.isin(population.signature, codes) & (attribute.crash < 0)
    hosts = hosts_by_crashes(population, mine, MIN_N)
    if not hosts:
        return ""
    return f"; look too at hosts that do not tell {attr}: {shortened_list(hosts, MAX_NAMED)}"


def _further_signatures_of_place(
    population: Population, attr: str, value: str, members: Bools, except_for: Sequence[str]
) -> list[str]:
    """Return further signatures that prefer a place while it has trouble, beside their programs.

    An event or a crash loop counts once, and one or two hosts are no place.
    """
    days = population.day[members]
    population = find_events(population).counted
    attribute = population.attribute(attr)
    assert attribute is not None  # it has a finding
    during = population.has_time & (population.day >= days.min()) & (population.day <= days.max())
    during &= (attribute.crash >= 0) & (population.host >= 0)
    there = during & attribute.crashes_with(value)
    counts = np.bincount(population.signature[there & (population.signature >= 0)])
    asked = [
        code
        for code in np.flatnonzero(counts >= MIN_OF_PLACE).tolist()
        if population.signatures[code] not in except_for
    ]
    others = []
    for code in asked:
        mine = population.signature == code
        if np.unique(population.host[mine & there]).size < MIN_HOSTS:
            continue
        same = crashes_of_same_programs(population, mine)
        beside = during & ~members if same is None else during & ~members & same
        masks = mine & there, beside, beside & there, mine & during
        p = hypergeometric_p(*(int(np.count_nonzero(mask)) for mask in masks))
        if p * len(asked) <= MAX_P_OF_PLACE:
            others.append(population.signatures[code])
    return others


def _do_deaths_cover_all_causes(deaths: JobDeathsByFirstHost, verdict: PopulationVerdict) -> bool:
    return all(deaths.members[cause.members].mean() >= MOSTLY for cause in verdict.causes)


def _subjects_by_headline(verdicts: Sequence[PopulationVerdict]) -> list[tuple[str, list[str]]]:
    """Return each headline with its subjects; alike events are one."""
    # A finding holds arrays, which cannot be compared: it is known by its identity.
    by_finding: dict[int, PopulationVerdict] = {}
    first_findings: list[Finding] = []
    without_finding: list[PopulationVerdict] = []
    for verdict in verdicts:
        if verdict.causes and verdict.causes[0].findings:
            first_findings.append(verdict.causes[0].findings[0])
            by_finding[id(first_findings[-1])] = verdict
        else:
            without_finding.append(verdict)
    by_headline: dict[str, dict[str, None]] = {}  # the subjects, each once, in order
    for finding, others in group_recurring_events(first_findings):
        verdict = by_finding[id(finding)]
        headline = describe_group(verdict.headline, finding, others)
        is_place = place_of_events(finding, others) is not None
        by_headline.setdefault(headline, {})[ALL if is_place else verdict.subject] = None
    for verdict in without_finding:
        by_headline.setdefault(verdict.headline, {})[verdict.subject] = None
    return [(headline, list(subjects)) for headline, subjects in by_headline.items()]


def signatures_with_value_words(
    population: Population, findings: Sequence[Finding], name: str, value: str
) -> list[str]:
    """Say which signatures go with a value by the screening: all crashes together may hide them."""
    words = []
    for finding in findings:
        if finding.signature not in population.signatures or finding.attr in CLUSTERED_CRASHES:
            continue
        if f"{name}={value}" in finding.marks:
            code = population.signatures.index(finding.signature)
            # The finding may be of a part alone, as of the crashes at one hour.
            mine, attribute = population.signature == code, population.attribute(name)
            has = finding.members if attribute is None else attribute.crashes_with(value)
            verdict = judge_signature(population, code, population.last_day)
            is_marked = any(cause.findings for cause in verdict.causes)
            words.append(
                f"{np.count_nonzero(mine & has)} of {np.count_nonzero(mine)} crashes of "
                f"{signature_with_program_words(population, finding.signature)} have it; "
                f"{verdict.headline if is_marked else describe_verdict(finding)}"
            )
    return words[:MAX_TOLD]


def sentences_about_signature(population: Population, code: int) -> list[str]:
    """Say what the screening and its events tell of a signature: with what it goes, when it came.

    Nothing of very many crashes: a question must stay quick.
    """
    name = population.signatures[code]
    return _sentences_about_findings(population, lambda f: signature_of_most(population, f) == name)


def sentences_about_hosts(population: Population, names: Collection[str]) -> list[str]:
    """Say what the screening tells of hosts, and whether it is over; nothing of very many crashes.

    Its loops are left out: it is said which crashes came right after another.
    """
    return _sentences_about_findings(population, lambda f: f.attr == HOST and f.value in names)


def kinds_of_host_sentences(population: Population, hosts: Sequence[int]) -> list[str]:
    """Say how many crashes of a host (codes of its names) are of kinds that other hosts have too.

    Which kind has most of them, and with what these go by the screening. A program that runs
    there, or what its place has, makes a host look bad.
    """
    mine = np.isin(population.host, hosts) & (population.signature >= 0)
    elsewhere = (population.host >= 0) & (population.signature >= 0) & ~mine
    kinds = np.bincount(population.signature[mine], minlength=1)
    total, most = int(kinds.sum()), int(kinds.argmax())
    if total < MIN_N or population.day.size > MAX_CRASHES:
        return []
    shared = int(np.isin(population.signature[mine], population.signature[elsewhere]).sum())
    which = "all" if shared == total else shared if shared else "none"
    words = f"{which} of its {total} crashes are of kinds that other hosts have too"
    beside = count_distinct(population.host[elsewhere & (population.signature == most)])
    if 2 * kinds[most] >= total and beside:
        phrase = signature_phrase_and_key(population.signatures[most])
        words += f"; {kinds[most]} are {phrase}, as on {counted(beside, 'other host')}"
    screened = screen_without_repaired_hosts_past(population)
    causes: dict[str, list[Finding]] = {}
    for finding in () if screened is None else screened.findings:
        of_values = finding.attr not in (HOST, *CLUSTERED_CRASHES, *TIME_AND_CPU_ATTRIBUTES)
        if of_values and (finding.members & mine).any():
            causes.setdefault(" or ".join(finding.marks), []).append(finding)
    screened_hosts = () if screened is None else screened.hosts
    accused = {finding.value for finding in screened_hosts}.intersection(
        population.hosts[host] for host in hosts
    )
    if shared >= MOSTLY * total and not accused and not population.bitflip[mine].any():
        words += "; nothing points to its hardware"
    sentences = [words]
    for marks, same in causes.items():
        members = crashes_of_findings(same, mine.size)
        others = counted(count_distinct(population.host[members & elsewhere]), "other host")
        sentences.append(
            f"{np.count_nonzero(members & mine)} of them go with {marks}, as "
            f"{np.count_nonzero(members & elsewhere)} on {others} do"
        )
    return sentences[: 1 + MAX_TOLD]


def _sentences_about_findings(
    population: Population, is_meant: Callable[[Finding], bool]
) -> list[str]:
    if not population.day.size or population.day.size > MAX_CRASHES:
        return []
    screened = screen_without_repaired_hosts_past(population)
    mine = [f for f in (() if screened is None else screened.findings) if is_meant(f)]
    told = [
        describe_group(describe_verdict(finding), finding, others)
        + (f" ({finding.n} of {finding.total})" if finding.attr not in CLUSTERED_CRASHES else "")
        for finding, others in group_recurring_events(sorted(mine, key=lambda f: f.p))
    ]
    return told[:MAX_TOLD]

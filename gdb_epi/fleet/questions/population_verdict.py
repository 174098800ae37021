# SPDX-License-Identifier: Apache-2.0
"""A verdict over the population, in words: hardware, software, two causes, or not enough.

Pure functions of the tests' findings. A verdict never says more than its findings: each has its
evidence and what else would look the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from hashlib import sha256
from typing import Any

import numpy as np

from gdb_epi.fleet.population.cached_answers import cached_answer
from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.questions.splitting import (
    UNCERTAIN,
    SignaturePart,
    SignatureSplit,
    split_signature,
)
from gdb_epi.fleet.records.facts import is_process_attribute
from gdb_epi.fleet.screen.dose_response import (
    AT_START,
    MOMENTS,
    describe_gradual_rise,
    describe_marks_that_are_versions,
    describe_thresholds,
    is_age_of_process,
    numeric_limit_of_crashes,
    process_age_words,
    starts_by_place_words,
    threshold_within_finding,
)
from gdb_epi.fleet.screen.finding import (
    ALL,
    BITFLIP,
    CAVEAT_ALONE,
    CAVEAT_ONE_FUNCTION,
    CAVEAT_ONE_PROGRAM,
    CAVEAT_ONE_SIGNATURE,
    CAVEAT_ONLY_MORE_CRASHES,
    CLUSTERED_CRASHES,
    CPU,
    CPU_NUMBER,
    HOST_HOURS,
    LOCK,
    MIN_N,
    MOSTLY,
    TIME_AND_CPU_ATTRIBUTES,
    DaysHostChanged,
    Finding,
    is_about_whole_host,
    is_signature_of_several_programs,
    may_host_stand_out_by_chance,
)
from gdb_epi.fleet.screen.finding_texts import (
    describe_cause_kind,
    describe_certainty,
    describe_minor_value,
    describe_test,
    describe_verdict,
    finding_json,
    finding_sentence,
    is_hardware_or_place_attribute,
    words_of_test,
)
from gdb_epi.fleet.screen.host_evidence import flipped_bits_words, own_value_words
from gdb_epi.fleet.screen.hosts import ONE_CPU, main_signature, signature_of_most
from gdb_epi.fleet.screen.hosts_explained_by_group import (
    FurtherValuesOfGroup,
    find_further_values_of_group,
)
from gdb_epi.fleet.screen.programs import OF_PROGRAM
from gdb_epi.fleet.screen.renamings import (
    find_renamings,
    renaming_of_python_functions,
    several_names_words,
    simultaneous_names,
)
from gdb_epi.fleet.screen.screening import MAX_OTHERS, ScreeningResult, screen_population
from gdb_epi.fleet.screen.version_courses import version_regression_words, versions_with_signature
from gdb_epi.fleet.statistics.arrays import Bools, count_distinct
from gdb_epi.render.signature_words import signature_phrase_and_key
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted, shortened_list

# The kinds of verdicts; the report colours by them.
HARDWARE_HOST = "hardware-host"  # one host, crashes of all kinds
ONE_HOST = "one-host"  # one host, one signature or nearly: hardware, or its job
HARDWARE_GROUP = "hardware-group"  # a rack, a model, a microcode
SOFTWARE = "software"
TWO_CAUSES = "two-causes"
NOT_ENOUGH = "not-enough"
ONE_EVENT = "one-event"  # crashes that came together

MAX_SPLITS = 20  # signatures examined for a second cause, the strongest first
NOT_SPLIT = "many signatures stand out, so no second cause was looked for: gdb-epi fleet split does"
MAX_CRASHES = 1_000_000  # with more of them a question must stay quick
MAX_NAMED = 12  # hosts
NEARLY = "nearly all one signature"
ITS_OWN = "nearly all of one program that crashed on no other host"
USUAL = "more crashes of the usual kinds than its share"
LEADING = "most of one signature, and like other hosts without it"
MOVE_JOB = "move its job first; if the crash stays on the host, test the host"
MANY_MACHINES = (
    "{machines} machine ids had this name: if it is one of a scaling group, that machine is gone"
)
BUSY = "so what is busier than others looks worse than it is"
NOT_COVERED = (
    "compared with other crashes, as the host-hours that are known do not tell of these ones; "
    f"{BUSY}"
)
NO_HOURS_AT_ALL = f"compared with other crashes, as no host-hours are known; {BUSY}"


class PopulationCause(NamedTuple):
    """One cause: its kind (of the constants above), what marks it, how many crashes and hosts."""

    kind: str
    mark: str  # "host=node-7", "image=v2 and load=high", "the rest"
    crashes: int
    hosts: int
    findings: tuple[Finding, ...]
    members: Bools
    facts: tuple[str, ...] = ()  # facts of the cores that set it apart from the others, in words
    label: str = ""  # the likely cause, where no finding names one
    more: int | None = None  # crashes that would settle it; None: settled, or not known

    def as_json(self, day: int) -> dict[str, Any]:
        """Return it as one JSON object; `day` is that of the findings."""
        plain = {**self._asdict(), "facts": list(self.facts)}
        del plain["members"]
        return {**plain, "findings": [finding_json(f, day) for f in self.findings]}


class PopulationVerdict(NamedTuple):
    """What the population says about one signature or host."""

    kind: str
    subject: str  # text of the signature, or "host=NAME"
    headline: str  # one sentence without numbers that need explanation
    evidence: tuple[str, ...]
    caveats: tuple[str, ...]
    causes: tuple[PopulationCause, ...]
    crashes: int
    more: int | None  # crashes that would settle it, if they go on like this; None: unknown
    tells_versions: bool = False  # the headline says which versions of the program have it

    def as_json(self, day: int) -> dict[str, Any]:
        """Return it as one JSON object; `day` is that of the findings."""
        causes = [cause.as_json(day) for cause in self.causes]
        plain = {**self._asdict(), "causes": causes}
        del plain["tells_versions"]
        return {k: list(v) if isinstance(v, tuple) else v for k, v in plain.items()}


def judge_signature(
    population: Population, signature: int, day: int, screened: ScreeningResult | None = None
) -> PopulationVerdict:
    """Judge one signature (its code in the population) by its populations.

    `screened` is the screening of that day, where the caller has it. What it found too has its
    numbers: a question about one signature pays for fewer tests, and one finding would be told with
    two relative risks.
    """
    hosts = None if screened is None else screened.hosts
    parted = split_signature(population, signature, day, hosts)
    if screened is not None:
        by_key = {f.identity: f for f in screened.findings}
        parts = (
            part._replace(
                finding=_finding_with_screened_numbers(
                    part.finding, by_key.get(part.finding.identity)
                )
            )
            if part.finding is not None and not part.also
            else part
            for part in parted.parts
        )
        parted = parted._replace(parts=tuple(parts))
    return verdict_of_split_signature(population, parted)


def _finding_with_screened_numbers(finding: Finding, same: Finding | None) -> Finding:
    if same is None:
        return finding
    names = ("n", "total", "p", "q", "rr", "rr_low", "rr_high", "test", "exposure")
    return finding._replace(**{name: getattr(same, name) for name in names})


def judge_population(
    population: Population, day: int, screened: ScreeningResult | None = None
) -> list[PopulationVerdict]:
    """Judge everything that stands out: hosts first, then signatures, strongest evidence first.

    `screened` saves the screening where the caller has it (without findings held back).
    """
    screened = screened or screen_population(population, day)
    # Its findings may be fewer than those of the day: hosts that were repaired.
    rows = [
        [f.identity, f.n, f.total, f.p, f.q, f.caveats]
        for f in (*screened.findings, *screened.hosts)
    ]
    asked = f"{day}-{sha256(repr(rows).encode()).hexdigest()[:16]}"
    make = partial(_judge_findings, population, day, screened)
    kinds = PopulationVerdict, PopulationCause, Finding, DaysHostChanged
    return cached_answer(population, "verdicts", make, *kinds, of=asked)


def _judge_findings(
    population: Population, day: int, screened: ScreeningResult
) -> list[PopulationVerdict]:
    hosts = [f for f in screened.findings if f.attr == "host" and is_about_whole_host(f.signature)]
    verdicts = [judge_host(population, finding) for finding in sorted(hosts, key=lambda f: f.p)]
    apart = [
        f for f in screened.findings if f.attr in (*CLUSTERED_CRASHES, *TIME_AND_CPU_ATTRIBUTES)
    ]
    named = {id(f) for f in (*hosts, *apart)}
    others = sorted((f for f in screened.findings if id(f) not in named), key=lambda f: f.p)
    index = {name: code for code, name in enumerate(population.signatures)}
    # With so many findings, signatures and values depend on each other throughout.
    splits = MAX_SPLITS if len(others) < MAX_OTHERS else 0
    renamed = find_renamings(population, others)
    seen: set[str] = set()
    for finding in others:
        if finding.signature in seen:
            continue
        seen.add(finding.signature)
        if finding.signature in (ALL, BITFLIP, LOCK):
            verdicts += _judge_values_of_all_crashes(
                population, [f for f in others if f.signature == finding.signature]
            )
        elif (renaming := renamed.get(finding.signature)) is not None:
            verdict = _judge_by_strongest_finding(population, finding)
            headline = f"{SOFTWARE}: {several_names_words(population, renaming)}"
            verdicts.append(verdict._replace(headline=headline, caveats=finding.caveats))
        elif len(seen) > splits:
            verdicts.append(_judge_by_strongest_finding(population, finding))
        else:
            code = index[finding.signature]
            verdicts.append(judge_signature(population, code, day, screened))
    of_moments = {verdict.subject for verdict in verdicts if verdict.headline.endswith(MOMENTS)}
    for finding in apart:
        name = signature_of_most(population, finding)
        if name in of_moments:
            continue
        if any(caveat.endswith(MOMENTS) for caveat in finding.caveats):
            of_moments.add(name)
            verdicts.append(judge_signature(population, index[name], day, screened))
        else:
            verdicts.append(_judge_clustered_crashes(population, finding))
    return verdicts


def _attributes_of_causes(causes: Sequence[PopulationCause]) -> list[str]:
    return [finding.attr for cause in causes for finding in cause.findings]


def _judge_by_strongest_finding(population: Population, finding: Finding) -> PopulationVerdict:
    """Judge a signature by its strongest finding alone: with so many, none is examined further."""
    cause = _make_cause(
        population, finding.members, (finding,), kind_of_cause(population, (finding,))
    )
    evidence = (finding_sentence(finding), describe_test(finding.test, finding.exposure))
    return PopulationVerdict(
        cause.kind, finding.signature, describe_verdict(finding), evidence,
        (*finding.caveats, NOT_SPLIT), (cause,), finding.n, None,
    )  # fmt: skip


def _judge_clustered_crashes(population: Population, finding: Finding) -> PopulationVerdict:
    """Judge crashes that came together, at some time, or on one CPU number of many hosts."""
    kind = ONE_EVENT if finding.attr in CLUSTERED_CRASHES else SOFTWARE
    if finding.attr == CPU_NUMBER:
        kind = HARDWARE_GROUP
    cause = _make_cause(population, finding.members, (finding,), kind)
    return PopulationVerdict(
        kind, finding.signature, describe_verdict(finding), (finding_sentence(finding),),
        finding.caveats, (cause,), finding.n, None,
    )  # fmt: skip


def judge_host(population: Population, finding: Finding) -> PopulationVerdict:
    """Judge a host that has more crashes than its share: of all kinds, or nearly all of one."""
    kind = kind_of_cause(population, (finding,))
    cause = _make_cause(population, finding.members, (finding,), kind)
    name, most = main_signature(population, finding.members)
    kinds = count_distinct(population.signature[finding.members] + 1)
    evidence = [
        finding_sentence(finding),
        f"{kinds} different signatures on this host; {words_of_test(finding.test)}",
    ]
    if flips := flipped_bits_words(population, finding.members):
        evidence.append(flips)
    other_words = {
        CAVEAT_ONLY_MORE_CRASHES: USUAL,
        CAVEAT_ONE_PROGRAM: ITS_OWN,
        CAVEAT_ONE_FUNCTION: "one function of one program",
    }
    special = [words for caveat, words in other_words.items() if caveat in finding.caveats]
    if kind == ONE_HOST and kinds > 1 and not special:
        called = signature_phrase_and_key(name)
        evidence.append(f"{most} of its {finding.n} crashes are one signature: {called}")
    words = "one signature" if kinds == 1 else NEARLY if most >= MOSTLY * finding.n else LEADING
    headline = _host_headline(finding, kind, *(special or [words]))
    if kind == HARDWARE_HOST:
        headline += _main_cpu_words(population, finding)
        headline += own_value_words(population, finding)
    caveats = (*finding.caveats, *_coverage_caveats(population, finding))
    if machines := population.quality.get("reused", {}).get(finding.value):
        caveats = (MANY_MACHINES.format(machines=machines), *caveats)
    mark, lines = f"host={finding.value}", tuple(evidence)
    return PopulationVerdict(kind, mark, headline, lines, caveats, (cause,), finding.n, None)


def _main_cpu_words(population: Population, finding: Finding) -> str:
    """Say on which CPU number, or which two of one core, most of a host's crashes were."""
    if ONE_CPU not in finding.test or finding.signature.startswith(CPU):
        return ""
    numbers = population.cpu[finding.members & (population.cpu >= 0)]
    counts = np.bincount(numbers, minlength=1)
    second, most = np.argsort(counts, kind="stable")[-2:].tolist() if counts.size > 1 else (0, 0)
    both = int(counts[most] + counts[second])
    low, high = sorted((most, second))
    is_one_core = counts[second] >= MIN_N and high - low == _sibling_cpu_distance(
        population, finding
    )
    if is_one_core and 2 * both > finding.n:
        where = f"{both} of its {finding.n} crashes were on CPUs {low} and {high}"
        return f"; {where}, by their numbers the two threads of one core: test that core"
    if 2 * counts[most] <= finding.n:
        return ""
    return f"; {counts[most]} of its {finding.n} crashes were on CPU {most}"


def _sibling_cpu_distance(population: Population, finding: Finding) -> int | None:
    """Return the distance between the CPU numbers of a core's two threads; None if unknown."""
    attribute = population.attribute("cpu_count")
    codes = attribute.crash[finding.members] if attribute is not None else np.zeros(0, np.int64)
    if attribute is None or not codes.size or codes[0] < 0 or (codes != codes[0]).any():
        return None
    count = attribute.values[codes[0]]
    return int(count) // 2 if count.isdigit() else None


def _host_headline(finding: Finding, kind: str, signatures: str = "one signature") -> str:
    """Say what to do with a host; more than one kind of crash is needed to call it broken."""
    name = finding.value
    if finding.signature.startswith(CPU):
        cpu = finding.signature[len(CPU) :]
        return f"one CPU of one host ({name}, CPU {cpu}): hardware, or a pinned job"
    if may_host_stand_out_by_chance(finding):
        return f"one host ({name}) may be broken, or had bad luck: wait for more crashes like these"
    if kind == ONE_HOST and is_signature_of_several_programs(finding):
        return f"one host ({name}), {signatures}, in several programs: test the host"
    if kind == ONE_HOST:
        return f"one host ({name}), {signatures}: {MOVE_JOB}"
    if (out := finding.changes.left) is not None:
        seems = f"which has no host-hours since {out} and seems to be out"
        return f"hardware: one host ({name}), {seems}; test it before it comes back"
    if (since := finding.changes.replaced) is not None:
        gone = f"another machine has its name since {since}"
        return f"hardware: the former machine of one host ({name}); {gone}: nothing to take out"
    if (end := finding.changes.recovered) is not None:
        return f"hardware: one host ({name}) until {end}; if nobody repaired it, test it"
    return f"hardware: one host ({name}), take it out and test it"


def verdict_of_split_signature(population: Population, parted: SignatureSplit) -> PopulationVerdict:
    """Judge one signature by the populations that a split of it gave."""
    causes = tuple(_cause_of_part(population, part) for part in parted.parts)
    named = tuple(cause for cause in causes if cause.findings)
    rest = sum(cause.crashes for cause in causes if not cause.findings)
    total = sum(cause.crashes for cause in causes)
    kind, headline = _kind_and_headline(population, named, rest, parted)
    course = None
    if population.day.size <= MAX_CRASHES:
        same = population.crashes_of_signature(parted.signature)
        lasting = None
        renaming = renaming_of_python_functions(population, parted.signature) or simultaneous_names(
            population, parted.signature
        )
        if renaming is not None:
            kind, headline = (SOFTWARE, f"{SOFTWARE}: {several_names_words(population, renaming)}")
        elif course := versions_with_signature(
            population, same, _crashes_with_conditions(population, named)
        ):
            lasting = course.words()
        if lasting and all(map(is_process_attribute, _attributes_of_causes(named))):
            kind, headline, lasting = SOFTWARE, f"{SOFTWARE}: {lasting}", None
        age = process_age_words(population, same)
        # What dies at each start or stop dies at the hours of roll-outs, and in each of their
        # bursts; what needs an old process does not come with a version that was replaced sooner.
        regression = version_regression_words(population, same)
        if (
            age
            and age.endswith(MOMENTS)
            and all(map(is_age_of_process, _attributes_of_causes(named)))
        ):
            kind, headline, rest = SOFTWARE, f"software: {age}", 0
            is_at_start = age.endswith(AT_START)
            regression = regression if is_at_start else None
            lasting = lasting if is_at_start else None
            age = starts_by_place_words(population, same) if is_at_start else None
            course = course if lasting else None
        more = regression, lasting, age
        headline = "; ".join(filter(None, (headline, *more)))
    evidence = [part.here for part in parted.parts if part.here]
    evidence += [finding_sentence(f) for cause in named for f in cause.findings]
    for cause in causes:
        if cause.facts:
            label = "" if cause.findings else f"; {cause.label}"
            size = counted(cause.crashes, "crash")
            evidence.append(f"{size} ({cause.mark}): {', '.join(cause.facts)}{label}")
    if rest and named:
        evidence.append(f"{rest} of {total} crashes are explained by none of these")
    if parted.leaning:
        open_questions = (part.undecided for part in parted.parts if part.undecided is not None)
        possible = [mark for question in open_questions for mark in question.possible]
        how = next((f": {m.numbers_sentence()}" for m in possible if m.name == parted.leaning), "")
        evidence.append(f"the rest leans to {parted.leaning}, which may be chance{how}")
    findings = [f for cause in named for f in cause.findings]
    repeated = [c for f in findings for c in (*f.caveats, *_coverage_caveats(population, f))]
    caveats = tuple(dict.fromkeys(repeated))
    subject = parted.signature
    return PopulationVerdict(
        kind, subject, headline, tuple(evidence), caveats, causes, total, parted.more,
        tells_versions=course is not None,
    )  # fmt: skip


def _crashes_with_conditions(
    population: Population, named: Sequence[PopulationCause]
) -> Bools | None:
    """Return all crashes with what some causes need besides the version of their program.

    None where they need nothing else. Where the kernel is not, no version of a program dies of it.
    """
    given = np.zeros(population.day.size, dtype=bool)
    for cause in named:
        has_all: Bools | None = None
        for finding in cause.findings:
            attribute = population.attribute(finding.attr)
            if attribute is not None and not is_process_attribute(finding.attr):
                has = attribute.crashes_with(finding.value)
                has_all = has if has_all is None else has_all & has
        if has_all is None:
            return None
        given |= has_all
    return given if named else None


def _kind_and_headline(
    population: Population, named: tuple[PopulationCause, ...], rest: int, parted: SignatureSplit
) -> tuple[str, str]:
    """Return the kind and the headline."""
    distinct = list(dict.fromkeys(cause.mark for cause in named))
    marks = " apart from ".join(distinct)
    if parted.has_open_question:
        return NOT_ENOUGH, parted.answer
    single = [cause.findings[0] for cause in named if len(cause.findings) == 1]
    goes = "goes with" if rest else "needs"
    if len(single) == len(named) and not any(cause.facts for cause in named):
        both = [(cause.findings[0], cause.members) for cause in named]
        if versions := describe_marks_that_are_versions(population, both):
            return SOFTWARE, f"software: {goes} {versions}"
    if len(single) == len(named) and (threshold := describe_thresholds(population, single)):
        group = describe_cause_kind(single[0].attr, parted.signature)
        return named[0].kind, f"{group}: {goes} {threshold} (one limit, not several causes)"
    if len(distinct) > 1 and (shared := _findings_of_all_causes(named)):
        what = " and ".join(f.mark for f in shared)
        same = {(f.attr, f.value) for f in shared}
        only = [f for c in named for f in c.findings if (f.attr, f.value) not in same]
        with_what = dict.fromkeys(f.mark for f in only)
        group = "software" if named[0].kind == SOFTWARE else describe_cause_kind(shared[0].attr, "")
        return named[
            0
        ].kind, f"{group}: {goes} {what}, some of them with {', '.join(with_what)} too"
    if len(distinct) > 1:
        return TWO_CAUSES, f"two causes: {marks}"
    if named and named[0].kind in (ONE_HOST, HARDWARE_HOST) and rest >= MIN_REST:
        more = (
            f"about {counted(parted.more, 'more crash')} would tell their cause"
            if parted.more
            else "their cause is not known yet"
        )
        alike = not any(part.facts or part.bitflips for part in parted.parts if part.finding)
        if alike and named[0].kind == ONE_HOST:  # of one cause a host may have more, by its job
            has = f"one host ({named[0].findings[0].value}) has more of them than its share"
            why = "by its job or by a cause of its own: cannot tell"
            return ONE_HOST, f"{has}, {why}; {rest} other crashes ({more})"
        return TWO_CAUSES, f"two causes: {marks} apart from {rest} other crashes ({more})"
    if not named:
        more = (
            f"about {counted(parted.more, 'more crash')} would tell"
            if parted.more
            else "nothing marks these crashes"
        )
        yet = " yet" if parted.more else ""
        looks = sum(part.mark != UNCERTAIN for part in parted.parts)
        kinds = f" ({looks} kinds of cores among them: one cause or more)" if looks > 1 else ""
        return NOT_ENOUGH, f"cannot tell{yet}: {more}{kinds}"
    kind = named[0].kind
    if len(named) > 1:
        marks += f" ({len(named)} kinds of cores among them: one cause or more)"
    group = describe_cause_kind(named[0].findings[0].attr, parted.signature)
    is_single = len(named) == len(named[0].findings) == 1
    if is_single and kind in (SOFTWARE, HARDWARE_GROUP):
        limit = threshold_within_finding(population, named[0].findings[0])
        marks += f" and {limit}" if limit else ""
    of_same = population.crashes_of_signature(parted.signature)
    certainty = describe_certainty(population, of_same, named[0].findings)
    minor = describe_minor_value(population, of_same, named[0].findings[0]) if is_single else ""
    is_time = is_single and CAVEAT_ALONE in named[0].findings[0].caveats
    by_time = ", or what else changed then" if is_time else ""
    words = {
        HARDWARE_HOST: _host_headline(named[0].findings[0], kind),
        ONE_HOST: _host_headline(named[0].findings[0], kind),
        HARDWARE_GROUP: f"{group}: {minor or f'goes with {marks}'}",
        SOFTWARE: f"software: {minor or f'{certainty} {marks}'}{by_time}",
    }
    return kind, words[kind]


def _findings_of_all_causes(named: tuple[PopulationCause, ...]) -> list[Finding]:
    """Return the findings of values that all causes have: these are no causes of their own."""
    values = [{(f.attr, f.value) for f in cause.findings} for cause in named]
    return [f for f in named[0].findings if all((f.attr, f.value) in of for of in values)]


MIN_REST = 3  # crashes besides a host's that are a population of their own


def _cause_of_part(population: Population, part: SignaturePart) -> PopulationCause:
    findings = (part.finding, *part.also) if part.finding is not None else ()
    cause = _make_cause(
        population,
        part.members,
        findings,
        kind_of_cause(population, findings) if findings else NOT_ENOUGH,
    )
    mark = cause.mark if findings else part.mark
    return cause._replace(mark=mark, facts=part.facts, label=part.label, more=part.more)


def _judge_values_of_all_crashes(
    population: Population, findings: list[Finding]
) -> list[PopulationVerdict]:
    """Judge the groups of all crashes or of a flag; a group inside another is named there.

    The strongest come first.
    """
    verdicts: list[PopulationVerdict] = []
    parts: set[str] = set()
    hosts: set[tuple[str, ...]] = set()
    for finding in findings:
        if finding.mark in parts:
            continue
        part = (
            find_further_values_of_group(population, finding)
            if finding.signature == BITFLIP
            else None
        )
        if part is not None and part.ever in hosts:
            continue
        if part is not None:
            parts.update(part.marks)
            hosts.add(part.ever)
        verdicts.append(_judge_value_of_all_crashes(population, finding, part))
    return verdicts


def _judge_value_of_all_crashes(
    population: Population, finding: Finding, part: FurtherValuesOfGroup | None
) -> PopulationVerdict:
    """Judge one value of an attribute that goes with all crashes, or all with a flag."""
    cause = _make_cause(
        population, finding.members, (finding,), kind_of_cause(population, (finding,))
    )
    what = {ALL: "crashes of all kinds", BITFLIP: "bit flips", LOCK: "inherited locks"}
    name = describe_cause_kind(finding.attr, finding.signature)
    headline = (
        describe_gradual_rise(finding) or f"{name}: {what[finding.signature]} go with {cause.mark}"
    )
    if part is not None:
        headline += f", most of them with {part.words()}; {part.hosts_words()}"
    caveats = (*finding.caveats, *_coverage_caveats(population, finding))
    evidence = (finding_sentence(finding), describe_test(finding.test, finding.exposure))
    return PopulationVerdict(
        cause.kind, finding.signature, headline, evidence, caveats, (cause,), finding.n, None
    )


def name_main_hosts(population: Population, finding: Finding) -> str:
    """Name the hosts of some crashes, those with most of them first, and the number of others."""
    return f"on {shortened_list(hosts_by_crashes(population, finding.members), MAX_NAMED)}"


def hosts_by_crashes(population: Population, crashes: Bools, least: int = 1) -> list[str]:
    """Return the hosts that have at least so many of some crashes, as "node-7 (12)", most first."""
    counts = np.bincount(population.host[crashes & (population.host >= 0)])
    order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts >= least)].tolist()
    return [f"{population.hosts[host]} ({counts[host]})" for host in order]


def kind_of_cause(population: Population, findings: tuple[Finding, ...]) -> str:
    """Return the kind (one of the constants above) of a cause that findings name together."""
    first = findings[0]
    if first.attr == "host":
        most = main_signature(population, first.members)[1]
        single_cause_caveats = {
            CAVEAT_ONE_SIGNATURE,
            CAVEAT_ONE_FUNCTION,
            CAVEAT_ONE_PROGRAM,
            CAVEAT_ONLY_MORE_CRASHES,
        }.intersection(first.caveats)
        single_cause = bool(single_cause_caveats) or may_host_stand_out_by_chance(first)
        is_one_signature = single_cause or most >= MOSTLY * first.members.sum()
        broad = is_about_whole_host(first.signature) and not is_one_signature
        return HARDWARE_HOST if broad else ONE_HOST
    # Hardware alone: with a version beside it, the version is what can be changed.
    return (
        HARDWARE_GROUP
        if all(is_hardware_or_place_attribute(f.attr) for f in findings)
        else SOFTWARE
    )


def _make_cause(
    population: Population, members: Any, findings: tuple[Finding, ...], kind: str
) -> PopulationCause:
    hosts = count_distinct(population.host[members & (population.host >= 0)])
    marks = [
        " or ".join((numeric_limit_of_crashes(population, f, members) or f.mark, *f.aliases))
        for f in findings
    ]
    if len(marks) > 1:  # or nobody knows what the `or` is about
        marks = [f"({m})" if f.aliases else m for m, f in zip(marks, findings, strict=True)]
    return PopulationCause(kind, " and ".join(marks), int(members.sum()), hosts, findings, members)


def _coverage_caveats(population: Population, finding: Finding) -> tuple[str, ...]:
    if finding.exposure == HOST_HOURS or finding.exposure.startswith(OF_PROGRAM):
        return ()
    return (NOT_COVERED if population.has_exposure else NO_HOURS_AT_ALL,)

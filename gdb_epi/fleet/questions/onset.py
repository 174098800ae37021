# SPDX-License-Identifier: Apache-2.0
"""When a signature began, and which roll-out goes with that.

The change point is the day that splits the daily counts best into two Poisson rates per host-hour
(likelihood ratio scan; Kulldorff 1997 in one dimension); its p value comes from 999 permutations of
the crashes over the host-hours. Where days scatter more than Poisson's, the statistic is divided by
the dispersion (quasi-likelihood). A roll-out is judged twice: by how well the rate follows its
share of the host-hours and, free of time, by whether on each day crashes prefer the hosts that
have it to those that do not (exact Poisson-binomial).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gdb_epi.fleet.population.coverage import drop_host_hours
from gdb_epi.fleet.population.population import RANGE, Attribute, Population
from gdb_epi.fleet.population.staged_rollout_hours import population_with_rollout_hours
from gdb_epi.fleet.questions.changes_by_host_hours import (
    change_by_hours_of_value_sentence,
    find_changes_by_host_hours,
)
from gdb_epi.fleet.questions.collection_limits import (
    CoreSizeLimit,
    find_collection_limit,
    find_core_size_limit,
    find_limit_per_host,
)
from gdb_epi.fleet.questions.daily_rates import (
    COMMON_CAUSE,
    MIN_OF_PROGRAM,
    CommonRise,
    DailyRates,
    burst_words,
    daily_rates_of_signature,
    find_common_rise,
    find_steady_growth,
    p_value_of_change,
    rate_of_days,
    rate_ratio_at_day,
    scan_for_change,
)
from gdb_epi.fleet.questions.remaining_part import remaining_part_sentence
from gdb_epi.fleet.questions.roll_outs import (
    MAX_LATE,
    MAX_P,
    MIN_CRASHES,
    MIN_SEEN,
    SURE_P,
    RollOut,
    days_until_crashes_begin,
    do_values_stay_in_use,
    join_same_roll_outs,
    roll_outs_of_attribute,
    words_of_partial_causes,
)
from gdb_epi.fleet.questions.subpopulations import find_subpopulations
from gdb_epi.fleet.records.facts import OF_PROCESS, is_process_attribute
from gdb_epi.fleet.screen.dose_response import AT_STOP, GROWS, process_age_words
from gdb_epi.fleet.screen.events import find_events
from gdb_epi.fleet.screen.finding_texts import meaning_of_program_rise_words
from gdb_epi.fleet.screen.moved_programs import find_moves_of_signature
from gdb_epi.fleet.screen.past_silence import drop_past_silences, find_past_silences
from gdb_epi.fleet.screen.programs import (
    crashes_of_same_programs,
    program_of_each_crash,
    program_of_most_crashes,
)
from gdb_epi.fleet.screen.renamings import (
    renaming_of,
    renaming_of_python_functions,
    several_names_words,
    simultaneous_names,
)
from gdb_epi.fleet.screen.silent_hosts import (
    STOPPED,
    drop_silent_hosts,
    find_silent_days,
    find_silent_groups,
    silent_groups_with_signature,
)
from gdb_epi.fleet.screen.version_courses import version_regression_words, versions_with_signature
from gdb_epi.fleet.statistics.arrays import Bools
from gdb_epi.fleet.statistics.hypothesis_tests import (
    binomial_tail,
    poisson_binomial_tail,
    relative_risk,
)
from gdb_epi.fleet.store.day_numbers import iso_day
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted, shortened_list

MAYBE_P = 0.05
COMES_WITH_IT = 10.0  # times as often as without it
MOST_OF_THEM = 0.9
OF_OTHERS = 0.05  # of the other crashes of those days, that are of the same job
MAX_FOR_KINDS = 50_000  # crashes: a question must stay quick
INTERVAL = 1.92  # log-likelihood units: half of chi-square's 95 % point at one degree of freedom
SLOW_FIT = 0.5  # of the log-likelihood of the change, by a share that grew while it did
CLOSE = 2.0  # log-likelihood units: roll-outs that fit as well as each other
MAX_SHOWN = 8
MAX_SAID = 3  # releases
MAX_FOR_COUNTING = 200_000  # crashes: a question must stay quick
MAX_PROGRAMS = 20  # the most frequent ones
MIN_KINDS = 3  # signatures: fewer are a bug or two


class OnsetAnswer(NamedTuple):
    """The answer: `day` is None when it cannot be told, and `answer` says why."""

    signature: str
    answer: str = ""
    crashes: int = 0
    day: int | None = None
    low: int | None = None  # 95 % interval of the day
    high: int | None = None
    before: float | None = None  # crashes per 1,000 host-hours, or per day without exposure
    after: float | None = None
    rr: float | None = None  # rate after : rate before, given that day
    rr_low: float | None = None  # its 95 % interval, wider where days scatter more than Poisson's
    rr_high: float | None = None
    p: float | None = None
    first_crash: int | None = None
    exposure: str = ""
    roll_outs: tuple[RollOut, ...] = ()  # that came up near it, the best fitting first
    caveats: tuple[str, ...] = ()
    remains: str | None = None  # of a rate that fell: the part that goes on as before


class _RateChange(NamedTuple):
    """A change of a rate: the interval of its day, its log-likelihood, and how much more there was.

    `times` is beside all other crashes, and above 1 whichever side has more.
    """

    low: int
    high: int
    fit: float
    times: float


def find_onset(population: Population, signature: int) -> OnsetAnswer:
    """Tell when a signature (its code in the population) began, and with what."""
    events = find_events(population)
    if (of_hosts := find_limit_per_host(population)) is not None:
        number, words = int((population.signature == signature).sum()), of_hosts.words()
        alone = "nothing, as all hosts have as many"
        name = population.signatures[signature]
        return OnsetAnswer(name, f"cannot tell: {words}", number, exposure=alone)
    asked = events.counted  # crashes that came together are no rate
    for attribute in asked.attributes:
        if not attribute.is_of_process:
            asked = population_with_rollout_hours(asked, attribute)
    moves = find_moves_of_signature(asked, signature)
    if moves:  # the host-hours of all hosts are not those of its program
        asked = drop_host_hours(asked)
    past = silent_groups_with_signature(population, find_past_silences(population), signature)
    asked = drop_past_silences(asked, past, signature)
    answer = _compute_onset(asked, signature)
    silent = [g for g in find_silent_groups(population) if g.hours != STOPPED]
    left_out = ""
    if silent and answer.after is not None and answer.after < (answer.before or 0.0):
        asked = drop_silent_hosts(asked, silent)
        answer = _compute_onset(asked, signature)
        left_out = "left out: "
    else:
        silent = silent_groups_with_signature(population, silent, signature)
    if answer.day is not None and (answer.after or 0.0) < (answer.before or 0.0):
        rates = daily_rates_of_signature(asked, signature)
        answer = answer._replace(remains=remaining_part_sentence(asked, rates, answer.day))
    if answer.day is not None and not any(_is_roll_out_proven(r) for r in answer.roll_outs):
        whole = _program_rise_sentences(asked, signature)
        answer = answer._replace(caveats=(*answer.caveats, *whole))
    if not any(_is_roll_out_proven(r) for r in answer.roll_outs) and (
        growth := find_steady_growth(asked, signature)
    ):
        answer = OnsetAnswer(
            answer.signature, growth.words(), answer.crashes, p=answer.p, exposure=answer.exposure,
            first_crash=answer.first_crash,
        )  # fmt: skip
    if partial := words_of_partial_causes(asked, answer.signature, answer.roll_outs):
        kept = tuple(words for words in answer.caveats if _REFUTED not in words and words != _TIME)
        answer = answer._replace(answer=partial, caveats=kept)
    elif of_one := _one_job_sentence(asked, signature):
        answer = answer._replace(answer=of_one, roll_outs=(), caveats=())
    elif not any(_is_roll_out_proven(r) for r in answer.roll_outs):
        age = process_age_words(asked, asked.signature == signature)
        if age is not None and age.endswith((AT_STOP, GROWS)):
            # What needs old processes may still have begun on a day.
            began = answer.day is not None and age.endswith(GROWS)
            age = f"{answer.answer}; {age}" if began else age
            answer = answer._replace(answer=age, caveats=(), roll_outs=())
        else:
            answer = _onset_by_version_course(asked, signature, answer)
    if answer.day is not None and not any(_is_roll_out_proven(r) for r in answer.roll_outs):
        rates = daily_rates_of_signature(asked, signature)
        if by_mix := change_by_hours_of_value_sentence(asked, rates, answer.day - rates.first):
            kept = tuple(words for words in answer.caveats if words != _TIME)
            answer = answer._replace(answer=by_mix, caveats=kept)
    if answer.day is None and not answer.roll_outs:
        answer = answer._replace(caveats=tuple(_kind_change_sentences(asked, signature)))
    fell = answer.day is not None and (answer.after or 0.0) < (answer.before or 0.0)
    outside = [_OUTSIDE] if fell and KILLED in answer.signature.split() else []
    caveats = [
        _other_change_sentence(asked, signature, answer.day, fell=fell) if answer.day else None,
        *outside,
        *(move.words() for move in moves),
        _left_out_sentence(asked, signature, answer.crashes),
    ]
    caveats += [f"{left_out}{group.words()}" for group in silent]
    caveats += [f"left out: {gap.words()}" for gap in past]
    renamed = (renaming_of(asked, r.attr, answer.signature) for r in answer.roll_outs)
    caveats += list(dict.fromkeys(renaming.words() for renaming in renamed if renaming))[:1]
    if (gap := find_silent_days(population)) is not None:
        caveats.append(f"left out: {gap.words()}")
    if (limit := find_collection_limit(population)) is not None:
        caveats.append(limit.words())
    same = population.signature == signature
    caveats.append(version_regression_words(asked, asked.signature == signature))
    if sizes := find_core_size_limit(population):
        answer = _onset_by_size_limit(population, sizes, same, answer)
    if repeats := int((events.repeated_crashes & same).sum()):
        text = f"{repeats:,} of its {counted(int(same.sum()), 'crash')} came together with others"
        caveats.append(f"{text}: counted once")
    together = None if answer.day else events.event_of_most_crashes(population, signature)
    if together and (answer.crashes < MIN_CRASHES or repeats >= MOST_OF_THEM * same.sum()):
        answer = answer._replace(answer=f"nothing to date but {together}", roll_outs=())
    answer = answer._replace(caveats=(*answer.caveats, *filter(None, caveats)))
    if (pruned := population.left_by_prune) is None or answer.signature not in pruned.signatures:
        return answer
    caveat = f"it came before {iso_day(pruned.before)} too; crashes of then were pruned"
    return answer._replace(caveats=(*answer.caveats, caveat), first_crash=None)


def _other_change_sentence(
    population: Population, signature: int, day: int, *, fell: bool
) -> str | None:
    """Say when a rate that rose on a day fell again, or had risen before it fell, and with what."""
    sides = population.day >= day, population.exposure_day >= day
    other = _compute_onset(population.select(*(side != fell for side in sides)), signature)
    if other.day is None or ((other.after or 0.0) > (other.before or 0.0)) != fell:
        return None
    when = f"{'it rose before' if fell else 'it fell since'}, on {iso_day(other.day)}"
    return f"{when}, from {other.before:.3g} to {other.after:.3g}: {other.answer}"


def _onset_by_size_limit(
    population: Population, sizes: CoreSizeLimit, same: Bools, answer: OnsetAnswer
) -> OnsetAnswer:
    """Return an answer by what is kept, where most crashes after a rise have such a size."""
    count = int((sizes.large & same).sum())
    text = f"{count} of its crashes are so large: {sizes.words()}"
    if answer.day is None or answer.low is None or answer.high is None:
        return answer._replace(caveats=(*answer.caveats, text)) if count else answer
    fits = sizes.has_begun and answer.low - 1 <= sizes.day <= answer.high + 1
    late = same & population.has_time & (population.day >= answer.day)
    if not fits or 2 * int((sizes.large & late).sum()) < int(late.sum()):
        return answer
    return answer._replace(answer=f"larger cores are kept, it seems: {text}", roll_outs=())


def _one_job_sentence(population: Population, signature: int) -> str | None:
    """Say that all crashes of a signature are of one job, tenant or request; None: they are not.

    They are no draws of what else was there on its days then: it began, and it ended.
    """
    mine = np.flatnonzero((population.signature == signature) & population.has_time)
    same = crashes_of_same_programs(population, mine)
    others = np.ones(population.day.size, dtype=bool) if same is None else same
    others[mine] = False
    for attribute in population.attributes:
        if attribute.is_of_process or attribute.has_hours:
            continue
        codes, beside = attribute.crash[mine], attribute.crash[others & (attribute.crash >= 0)]
        if not (codes >= 0).any():
            continue
        value = int(np.bincount(codes[codes >= 0]).argmax())
        days = population.day[mine[codes == value]]
        during = population.day[others & (attribute.crash >= 0)]
        beside = beside[(during >= days.min()) & (during <= days.max())]
        if days.size < max(MIN_CRASHES, MOST_OF_THEM * mine.size) or beside.size < MIN_CRASHES:
            continue
        if (beside == value).mean() <= OF_OTHERS:
            return (
                f"its crashes are those of {attribute.name}={attribute.values[value]}, from "
                f"{iso_day(int(days.min()))} to {iso_day(int(days.max()))}: it began and ended "
                "with that, and no version that was there then is to blame by it"
            )
    return None


def _onset_by_version_course(
    population: Population, signature: int, answer: OnsetAnswer
) -> OnsetAnswer:
    """Return an answer that says which versions have a signature, or which name it had before."""
    if renaming := renaming_of_python_functions(population, answer.signature):
        return answer._replace(answer=renaming.words(), caveats=())
    if renaming := simultaneous_names(population, answer.signature):
        words = several_names_words(population, renaming)
        return answer._replace(answer=words, caveats=())
    course = versions_with_signature(population, population.signature == signature)
    if course is None or answer.p is None or answer.p > MAYBE_P or COMMON_CAUSE in answer.answer:
        return answer
    kept = tuple(words for words in answer.caveats if words not in (_TOGETHER, _TIME))
    caveats = tuple(words for words in kept if _REFUTED not in words)
    return answer._replace(answer=f"it {course.words()}", caveats=(_TIME, *caveats))


def _is_roll_out_proven(roll_out: RollOut) -> bool:
    return roll_out.p is not None and roll_out.p <= SURE_P and not roll_out.refuted


def _program_rise_sentences(population: Population, signature: int) -> tuple[str, ...]:
    """Say with what all crashes of a signature's program rose, where its own tell no more."""
    every = crashes_of_same_programs(population, population.signature == signature)
    return () if every is None else tuple(_program_risen_with_value_sentences(population, every))


def programs_risen_with_value_sentences(population: Population) -> list[str]:
    """Say of which programs the crashes of all kinds came up with a value of their hosts.

    A program of which no core was kept seems to begin to crash where a collector keeps them.
    """
    programs = program_of_each_crash(population)
    if programs is None or population.day.size > MAX_FOR_COUNTING:
        return []
    counted_once = find_events(population).counted
    sizes = np.bincount(programs.crash[programs.crash >= 0], minlength=len(programs.values))
    largest = np.argsort(-sizes, kind="stable")[:MAX_PROGRAMS].tolist()
    parts = (programs.crash == code for code in largest if sizes[code] >= MIN_OF_PROGRAM)
    return [
        words for part in parts for words in _program_risen_with_value_sentences(counted_once, part)
    ]


def _program_risen_with_value_sentences(population: Population, crashes: Bools) -> Iterator[str]:
    """Say with what some crashes of one program rose, where those of all kinds did, host by host.

    Each crash must prefer the hosts that had the value on its day, and the days on which its host
    had it; so neither the time nor where the program runs explains it.
    """
    kinds = np.bincount(population.signature[crashes & (population.signature >= 0)], minlength=1)
    program = program_of_most_crashes(population, crashes)
    if np.count_nonzero(kinds) < MIN_KINDS or kinds.sum() < MIN_OF_PROGRAM or program is None:
        return
    rest = crashes & (population.signature != kinds.argmax())
    answers = [_onset_of_crashes(population, some, program[0]) for some in (crashes, rest)]
    if any(answer.day is None for answer in answers) or (answers[0].p or 0.0) > SURE_P:
        return
    also = {r.words() for r in answers[1].roll_outs if r.p is not None and r.p <= MAX_P}
    for r in answers[0].roll_outs:
        attribute = population.attribute(r.attr)
        if attribute is None or is_process_attribute(r.attr) or r.words() not in also:
            continue
        value = attribute.values.index(r.value)
        if not _is_roll_out_proven(r) or r.went:
            continue
        if _p_of_crashes_while_host_has_value(population, crashes, attribute, value) > SURE_P:
            continue
        others = (population.signature >= 0) & ~crashes
        alone = _p_of_crashes_while_host_has_value(population, others, attribute, value) > MAX_P
        size = counted(np.count_nonzero(kinds), "signature")
        few = f"crashes of {program[0]} of all kinds ({size})"
        where = " and of no other program" if alone else ""
        means = meaning_of_program_rise_words(r.attr)
        yield f"{few}{where} rose with {r.words()}, host by host: {means}"
        yield from _images_before_sentences(population, crashes, attribute, value)
        return


def _images_before_sentences(
    population: Population, crashes: Bools, attribute: Attribute, value: int
) -> Iterator[str]:
    """Say which images some crashes had no sooner, where with a value of their hosts they came."""
    mine = crashes & population.has_time & population.has_host_hours & (attribute.crash == value)
    has = attribute.exposure == value
    given = f"with {attribute.name}={attribute.values[value]} they came"
    for image in filter(None, map(population.attribute, OF_PROCESS)):
        for code in np.unique(image.crash[mine & (image.crash >= 0)]).tolist():
            since = population.day[crashes & population.has_time & (image.crash == code)].min()
            n, h = (
                [float(np.sum(weights[some & when])) for when in (day >= since, day < since)]
                for weights, some, day in (
                    (np.ones(mine.size), mine, population.day),
                    (population.exposure_hours, has, population.exposure_day),
                )
            )
            # Where so few are due before it that none may come, nothing is told.
            if min(h) <= 0 or n[0] * h[1] / h[0] < MIN_SEEN:
                continue
            rr, low, high = relative_risk(n[0], h[0], n[1], h[1])
            if low <= 1 <= high:
                yield (
                    f"{given} before {image.name}={image.values[code]}, too: it is not why "
                    f"({rr:.2g} times as often since then; 95 %: {low:.2g} to {high:.2g})"
                )


def _p_of_crashes_while_host_has_value(
    population: Population, crashes: Bools, attribute: Attribute, value: int
) -> float:
    """Return P that as many crashes come while their own host has a value, by its host-hours."""
    size = len(population.hosts)
    host, hours = population.exposure_host, population.exposure_hours
    whole = np.bincount(host, weights=hours, minlength=size)
    part = np.bincount(host, weights=hours * (attribute.exposure == value), minlength=size)
    mine = crashes & (population.host >= 0) & population.has_time & (attribute.crash >= 0)
    share = part[population.host[mine]] / np.maximum(whole[population.host[mine]], 1e-12)
    is_open = (share > 0) & (share < 1)
    hits = int((attribute.crash[mine][is_open] == value).sum())
    return poisson_binomial_tail(hits, share[is_open]) if is_open.any() else 1.0


def _onset_of_crashes(population: Population, crashes: Bools, name: str) -> OnsetAnswer:
    """Return the onset of some crashes, as if they were a signature of their own."""
    code, names = len(population.signatures), [*population.signatures, name]
    codes = np.where(crashes, code, population.signature)
    return _compute_onset(population._replace(signature=codes, signatures=names, memo=None), code)


def _kind_change_sentences(population: Population, signature: int) -> Iterator[str]:
    """Say which kinds of its cores came or went while the rate stayed: one bug for another one."""
    mine = population.signature == signature
    if not MIN_CRASHES <= np.count_nonzero(mine) <= MAX_FOR_KINDS:
        return
    for kind in find_subpopulations(population, mine):
        onset = _onset_of_crashes(population, kind.members, kind.mark)
        if onset.day is not None and (onset.p or 0.0) <= SURE_P:
            yield f"of those with {kind.mark} {onset.answer}, on {iso_day(onset.day)}"


def _left_out_sentence(population: Population, signature: int, used: int) -> str | None:
    """Say how many crashes of a signature the days have no place for; None where they have all."""
    mine = population.signature == signature
    total, timeless = int(mine.sum()), int((mine & ~population.has_time).sum())
    why = []
    if timeless:
        why.append(f"{timeless} without a time that is believed")
    if outside := total - timeless - used:
        why.append(f"{outside} on days without host-hours")
    return f"of its {counted(total, 'crash')} are left out: {' and '.join(why)}" if why else None


def _compute_onset(population: Population, signature: int) -> OnsetAnswer:
    days = daily_rates_of_signature(population, signature)
    n = int(days.counts.sum())
    name = population.signatures[signature]
    first = int(population.day[days.mine].min()) if n else None
    nothing = OnsetAnswer(name, crashes=n, first_crash=first, exposure=days.source)
    if n < MIN_CRASHES:
        few = f"cannot tell: {counted(n, 'crash')} to count, at least {MIN_CRASHES} are needed"
        return nothing._replace(answer=few)
    if days.counts.size < 3:
        return nothing._replace(answer="cannot tell: fewer than three days are known")
    scan, spread = scan_for_change(days.counts, days.hours)
    best = int(np.argmax(scan))
    p = p_value_of_change(days, float(scan[best]) / spread)
    if p > MAX_P:
        answer_text = (
            f"no lasting change of its rate: chance alone does as much in {p:.0%} of cases"
        )
        if p <= MAYBE_P and not days.counts[: best + 1].any():
            since = f"none before {iso_day(days.first + best + 1)}, {n} since"
            answer_text = f"cannot tell yet: {since}; chance alone does that in {p:.0%} of cases"
        if by_hours := find_changes_by_host_hours(days.first, days.counts[None], days.hours[None]):
            answer_text = f"{answer_text}; {by_hours[0].words()}"
        if bursts := burst_words(population, days):
            answer_text = f"no lasting change of its rate, but {bursts}"
        if came := _values_proven_on_own_days(population, days):
            both = " and ".join(r.words() for r in came)
            answer_text = f"no lasting change of its rate; it comes and goes with {both}: {_WHERE}"
            if do_values_stay_in_use(population, came, days.mine):
                course = versions_with_signature(population, days.mine)
                stays = f"came with {came[0].words()} on {iso_day(came[0].first)}"
                stays += "".join(f", and goes on with {r.words()}" for r in came[1:])
                answer_text = f"it {course.words() if course else f'{stays}: {_WHERE}'}"
        return nothing._replace(answer=answer_text, p=p, roll_outs=came)
    near = np.flatnonzero(scan >= scan[best] - INTERVAL * spread) + 1
    low, high = days.first + int(near.min()), days.first + int(near.max())
    cut = best + 1
    rates = [rate_of_days(days, slice(0, cut)), rate_of_days(days, slice(cut, None))]
    rr, rr_low, rr_high = rate_ratio_at_day(days, cut, spread)
    common = _common_rise(population, days, cut) if rates[1] > rates[0] else None
    times = rr / common[0].ratio if common else max(rr, 1 / rr)
    change = _RateChange(low, high, float(scan[best]), times)
    roll_outs = tuple(_roll_outs_around_change(population, days, change, rose=rr > 1))
    answer, caveats = _rate_sentence(rates, roll_outs)
    if rr > 1 and not any(_is_roll_out_proven(r) for r in roll_outs):
        caveats = (*caveats, *_values_that_came_days_before(population, days, change))
    if common is not None and common[1]:
        answer = f"the rate rose as that of all other crashes did ({common[0].words()}): "
        answer += COMMON_CAUSE
        caveats = (_EVERYWHERE,) if roll_outs else ()
    elif common is not None:
        caveats = (*caveats, f"all other crashes rose too, and less ({common[0].words()})")
    elif not roll_outs:
        varied = [a.name for a in population.attributes if len(a.values) > 1]
        answer = f"{answer}{_unchanged_attributes_sentence(varied)}"
        caveats = (*caveats, *_name_version_no_other_crash_has(population, days.mine))
    return nothing._replace(
        answer=answer, day=days.first + cut, low=low, high=high, before=rates[0], after=rates[1],
        rr=rr, rr_low=rr_low, rr_high=rr_high, p=p, roll_outs=roll_outs, caveats=caveats,
    )  # fmt: skip


def _common_rise(
    population: Population, days: DailyRates, cut: int
) -> tuple[CommonRise, bool] | None:
    """Return how all other crashes rose from a day on, and whether this signature rose no more."""
    n, hours = ((float(x[:cut].sum()), float(x[cut:].sum())) for x in (days.counts, days.hours))
    others = population.has_time & (population.signature >= 0) & ~days.mine
    others &= (population.day >= days.first) & (population.day < days.first + days.hours.size)
    rise = find_common_rise(population, others, days.first + cut, hours)
    if rise is None:
        return None
    share = rise.ratio * hours[1] / (rise.ratio * hours[1] + hours[0])
    chance = binomial_tail(*(np.array([x]) for x in (n[1], n[0] + n[1], share)))[0]
    return rise, bool(chance > MAX_P)


def _roll_outs_around_change(
    population: Population, days: DailyRates, change: _RateChange, *, rose: bool
) -> Iterator[RollOut]:
    """The values that came up, or went away, when the rate may have changed; the best fit first."""
    # With what brings a fall fewer crashes come, by as much.
    risen = change if rose else change._replace(times=1 / change.times)
    near = _values_that_rose_with_rate(population, days, risen)
    if not rose:
        # What went away came up when time is read backwards.
        end = 2 * days.first + days.hours.size - 1
        exposed = end - population.exposure_day
        turned = population._replace(day=end - population.day, exposure_day=exposed, memo=None)
        back = days._replace(counts=days.counts[::-1], hours=days.hours[::-1])
        mirrored = change._replace(low=end + 1 - change.high, high=end + 1 - change.low)
        near += [
            r._replace(
                first=end + 1 - r.first,
                half=None if r.half is None else end + 1 - r.half,
                went=True,
            )
            for r in _values_that_rose_with_rate(turned, back, mirrored)
        ]
    ranked = sorted(near, key=_roll_out_rank)
    yield from join_same_roll_outs(population, ranked, days.mine)[:MAX_SHOWN]


def _values_proven_on_own_days(population: Population, days: DailyRates) -> tuple[RollOut, ...]:
    """Return the values that nearly all crashes have, each proven on its own days; else nothing.

    A version that is rolled out and back leaves no change of the rate that lasts.
    """
    last = days.first + days.hours.size - 1
    whole = _RateChange(days.first, last, 0.0, COMES_WITH_IT)
    came = [r for r in _values_that_rose_with_rate(population, days, whole) if not r.refuted]
    proven = sorted((r for r in came if r.p is not None and r.p <= SURE_P), key=_roll_out_rank)
    for name in dict.fromkeys(r.attr for r in proven):
        same = [r for r in proven if r.attr == name]
        if sum(r.with_it for r in same) >= MOST_OF_THEM * days.counts.sum():
            return tuple(sorted(same, key=lambda r: r.first))
    return ()


def _values_that_rose_with_rate(
    population: Population, days: DailyRates, change: _RateChange
) -> list[RollOut]:
    """Return the values that came up while a rate may have risen."""
    low, candidates = change.low, list[RollOut]()
    for attribute in population.attributes:
        candidates += roll_outs_of_attribute(population, attribute, days, change.times)
    # Numbers that every host comes by, as days of uptime, are told as ranges.
    ranges = {r.attr.removesuffix(RANGE) for r in candidates if r.attr.endswith(RANGE)}
    return [
        r
        for r in candidates
        if r.attr not in ranges
        and (r.first <= change.high or _did_value_come_gradually(r, change))
        # Without host-hours it has no day of its half: it counts where it came up at that time.
        and ((r.half or change.high) >= low - 1 or _did_value_come_gradually(r, change))
        and (r.half is not None or r.first >= low - 1 or _do_hours_tell_attribute(population, r))
    ]


def _values_that_came_days_before(
    population: Population, days: DailyRates, change: _RateChange
) -> list[str]:
    """Say which values came up some days sooner, and are had by nearly all crashes.

    A leak, a queue or a counter that grows shows days after its release.
    """
    earlier: list[tuple[int, int, str]] = []
    for attribute in population.attributes:
        if attribute.is_range or all(v.isdigit() for v in attribute.values):
            continue
        for r in roll_outs_of_attribute(population, attribute, days, change.times):
            if r.refuted or r.first >= change.low or r.with_it < MOST_OF_THEM * days.counts.sum():
                continue
            code = attribute.values.index(r.value)
            lag = days_until_crashes_begin(population, days, attribute, code)
            if not lag and not 1 < change.low - (r.half or r.first) <= MAX_LATE:
                continue
            where = f", on no host sooner than {lag} days after it came there" if lag else ""
            words = f"{r.words()} came up before, on {iso_day(r.first)}, and {r.with_it} of them "
            words += f"have it{where}: what grows, as a leak does, shows days after its release"
            earlier.append((-lag, -r.with_it, words))
    earlier.sort()
    return [words for lag, _, words in earlier if lag == earlier[0][0]][:MAX_SAID]


def _did_value_come_gradually(roll_out: RollOut, change: _RateChange) -> bool:
    """Whether a value came host by host: its crashes tell it, and its share, not its day."""
    proven = roll_out.p is not None and roll_out.p <= SURE_P
    return proven and roll_out.fit >= SLOW_FIT * change.fit


def _do_hours_tell_attribute(population: Population, roll_out: RollOut) -> bool:
    attribute = population.attribute(roll_out.attr)
    return attribute is not None and attribute.has_hours


def _name_version_no_other_crash_has(population: Population, mine: Bools) -> Iterator[str]:
    """Name a version that most crashes have and no other crash: when it came is not recorded."""
    for attribute in population.attributes:
        codes = attribute.crash[mine & (attribute.crash >= 0)]
        if not codes.size or not attribute.is_of_process:
            continue
        value = int(np.bincount(codes).argmax())
        kinds = population.signature[attribute.crash == value]
        if (codes == value).mean() >= MOST_OF_THEM and np.unique(kinds[kinds >= 0]).size == 1:
            yield (
                f"{int((codes == value).sum())} have {attribute.name}={attribute.values[value]} "
                "and no other crash has it: since when that runs is not known, and it may be why"
            )


def _roll_out_rank(roll_out: RollOut) -> tuple[float, float, str, str]:
    """What the crashes of its own days prefer comes first: time cannot have done that."""
    proof = roll_out.p if roll_out.p is not None and roll_out.p <= MAX_P else 1.0
    return proof, -roll_out.fit, roll_out.attr, roll_out.value


def _rate_sentence(
    rates: list[float], roll_outs: tuple[RollOut, ...]
) -> tuple[str, tuple[str, ...]]:
    rose = rates[1] > rates[0]
    word = "rose" if rose else "fell"
    if not roll_outs:
        return f"the rate {word}; nothing that is recorded came up then", ()
    left = [r for r in roll_outs if not r.refuted]
    gone = ", ".join(r.words() for r in roll_outs if r.refuted)
    caveats = (f"{gone}{_REFUTED} as much {'without' if rose else 'with'} it",) if gone else ()
    if not left:
        return f"the rate {word}; nothing that is recorded and changed then is why", caveats
    best = max(left, key=lambda r: r.fit)
    proven = [r for r in left if r.p is not None and r.p <= MAX_P and r.went != rose]
    rivals = [r for r in left if r is not best and best.fit - r.fit < CLOSE]
    if len(proven) == 1:
        r = proven[0]
        if r.went:
            answer = f"the rate fell when {r.words()} went out of use"
            return f"{answer}: on the days before, the crashes came where it was", ()
        answer = f"the rate rose with {r.words()}"
        return f"{answer}: {_WHERE}", (_TOGETHER,) if r.is_several_values else ()
    if rose and len(proven) > 1:
        both = " and ".join(r.words() for r in proven)
        return f"the rate rose with {both}, which were rolled out together", (_TOGETHER,)
    if proven:
        both = " and ".join(r.words() for r in proven)
        return f"the rate fell when {both} went out of use together", (_TOGETHER,)
    if best.fit <= CLOSE:
        return f"the rate {word}; no roll-out of that time fits it", caveats
    names = ", ".join(r.words() for r in (best, *rivals))
    if rivals:
        how = "came up or went" if any(r.went for r in (best, *rivals)) else "came up"
        return f"cannot tell: the rate {word} when {names} {how} at once", (_TOGETHER, *caveats)
    answer = f"the rate {word} when {names} {'went out of use' if best.went else 'came up'}"
    p = "unknown" if best.p is None else f"{best.p:.2g}"
    answer += f"; beside the date nothing speaks for it (p {p})"
    return answer, (_TIME, *((_TOGETHER,) if best.is_several_values else ()), *caveats)


def _unchanged_attributes_sentence(names: list[str]) -> str:
    """Name the attributes of which no value came into use."""
    if not names:
        return ": no attribute of hosts, kernels or images is"
    return f" (looked at: {shortened_list(names, MAX_SHOWN)}); see what else was changed"


KILLED = "killed-external"  # a category of signatures
_OUTSIDE = (
    "these were ended from outside: what ends them, as a watchdog, may wait longer now, and fewer "
    "kills do not show that it hangs less"
)
_WHERE = "on the days of its roll-out the crashes came where it was"
_TOGETHER = "simultaneous roll-outs cannot be told apart: stage the next ones"
_TIME = "coincides with a roll-out: anything else that changed then fits too"
_REFUTED = " changed then, and is not why: while some hosts had it and some not, crashes came"
_EVERYWHERE = "what came up then explains no rise of what does not run it"

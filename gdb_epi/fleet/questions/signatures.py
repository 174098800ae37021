# SPDX-License-Identifier: Apache-2.0
"""The signatures of the fleet: the most frequent, the new, day by day, two windows compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from shlex import quote
from typing import NamedTuple

import numpy as np
from sqlalchemy import ColumnElement, Connection, Engine, and_, func, or_, select, true

from gdb_epi.errors import InputError
from gdb_epi.fleet.paths import COLUMNAR
from gdb_epi.fleet.population.cache import load_population_without_attributes
from gdb_epi.fleet.population.doubled_records import find_doubled_records
from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.questions.rates import crashes_and_host_hours_with_value
from gdb_epi.fleet.records.facts import PROGRAM, program_name_of_crashes
from gdb_epi.fleet.screen.events import find_events
from gdb_epi.fleet.screen.finding_texts import describe_verdict
from gdb_epi.fleet.statistics.arrays import ABSENT, Bools, count_pairs
from gdb_epi.fleet.statistics.rate_ratios import RateRatio, risk_by_strata, risk_given_host_and_day
from gdb_epi.fleet.store import tables
from gdb_epi.fleet.store.day_numbers import SECONDS_A_DAY, iso_day
from gdb_epi.fleet.store.day_of_prune import read_prune_day_by_itself
from gdb_epi.fleet.store.tables import crash, sig
from gdb_epi.judgement.labels import NO_FAULT

MAX_VERDICTS = 8  # labels shown for a signature
KEYS_AT_ONCE = 200  # signatures
SAMPLE = 1_000  # crashes whose labels are read
MAX_LEFT_OUT = 3  # signatures that changed, of what others are measured by
MAX_Q_OF_CHANGE = 0.05  # of a signature that changed between two windows
HOURS_DIGITS = 6  # decimals of the host-hours of a day


class TopSignature(NamedTuple):
    """One signature: how often, on how many hosts, when; times are seconds since the epoch."""

    signature: str | None  # text; None for cores without a signature
    kind: str | None  # which key groups them: stable, python ...
    key: str | None
    category: str | None
    crashes: int
    hosts: int
    first_seen: float | None
    last_seen: float | None
    verdicts: dict[str, int]
    program: str | None = None  # what crashed: its script, unit or image; SEVERAL; None: not known


def crashed_by_end_of_day_condition(day: int | None) -> ColumnElement[bool]:
    """Return the condition that a crash was, or came, by the end of a day (None: any)."""
    if day is None:
        return true()
    c, end = crash.c, (day + 1) * SECONDS_A_DAY
    return or_(c.ts < end, c.ts.is_(None) & or_(c.received.is_(None), c.received < end))


def top_signatures(engine: Engine, limit: int, asof: int | None = None) -> list[TopSignature]:
    """Return the most frequent signatures by the end of a day, ties in the order of their text.

    A death that came as two records counts once.
    """
    by_then = crashed_by_end_of_day_condition(asof)
    counted = (
        select(
            crash.c.sig_id,
            func.count().label("n"),
            func.min(crash.c.ts).label("first"),
            func.max(crash.c.ts).label("last"),
        )
        .select_from(crash)
        .where(by_then)
        .group_by(crash.c.sig_id)
        .subquery()
    )
    n = func.sum(counted.c.n)
    own = (sig.c.version, sig.c.kind, sig.c.key)
    chosen = (
        select(
            *own,
            func.min(sig.c.text),
            func.min(sig.c.category),
            n,
            func.min(counted.c.first),
            func.max(counted.c.last),
        )
        .select_from(counted.outerjoin(sig, counted.c.sig_id == sig.c.id))
        .group_by(*own)
        .order_by(n.desc(), func.min(sig.c.text), sig.c.key)
        .limit(limit)
    )
    times = load_population_without_attributes(engine)
    with engine.connect() as connection:
        # Its cache knows whether there are any: to look for them takes as long as all the rest.
        again = _doubled_verdicts(connection, by_then) if times.quality.get("twice") else {}
        some = chosen.limit(limit + len(again) if again else limit)
        counts_by_key = [
            (*row[:5], int(row[5]) - sum(again.get(_SignatureKey(*row[:3]), {}).values()), *row[6:])
            for row in connection.execute(some)
        ]
        counts_by_key.sort(key=lambda row: -row[5])  # ties stay in their order
        del counts_by_key[limit:]
        keys = [_SignatureKey(*row[:3]) for row in counts_by_key]
        if connection.dialect.name == COLUMNAR:
            beside = _hosts_and_verdicts(connection, keys, by_then)
        else:
            beside = {key: _hosts_and_verdicts_of(connection, key, by_then) for key in keys}
        rows = []
        for key, (*_, text, category, count, first, last) in zip(keys, counts_by_key, strict=True):
            (hosts, every), (_, kind, value) = beside[key], key
            less = again.get(key, Counter[str]())
            verdicts = {v: n - less.get(v, 0) for v, n in every.items() if n > less.get(v, 0)}
            values = (text, kind, value, category, int(count), hosts, first, last, verdicts)
            same = _signature_condition(key, by_then)
            rows.append(TopSignature(*values, find_program(connection, same)))
    return _with_believed_times(engine, times, rows, asof)


def _with_believed_times(
    engine: Engine, times: Population, rows: list[TopSignature], asof: int | None
) -> list[TopSignature]:
    """Return the rows with the first and last of the times that their neighbours do not refute."""
    if not times.quality.get("stray"):
        return rows
    with engine.connect() as connection:
        spans = [
            _believed_first_and_last_time(connection, times, row.signature or row.key, asof)
            for row in rows
        ]
    return [
        row._replace(first_seen=first, last_seen=last)
        for row, (first, last) in zip(rows, spans, strict=True)
    ]


def _believed_first_and_last_time(
    connection: Connection, population: Population, signature: str | None, asof: int | None
) -> tuple[float | None, float | None]:
    """Return the first and last time of a signature's crashes, of those that are believed."""
    if signature not in population.signatures:
        return None, None
    mine = population.has_time & population.crashes_of_signature(signature)
    if asof is not None:
        mine = mine & (population.day <= asof)
    rows = np.flatnonzero(mine)  # in the order of time
    keys = [population.core_keys[at] for at in (*rows[:1].tolist(), *rows[-1:].tolist())]
    ends = select(func.min(crash.c.ts), func.max(crash.c.ts)).where(crash.c.core_key.in_(keys))
    first, last = connection.execute(ends).one()
    return first, last


class _SignatureKey(NamedTuple):
    """What a row of the table is about; None: crashes without a signature."""

    version: str | None
    kind: str | None
    key: str | None


def _doubled_verdicts(
    connection: Connection, by_then: ColumnElement[bool]
) -> dict[_SignatureKey, Counter[str]]:
    """Return signature -> verdicts of the records that tell of a death which another one tells."""
    c = crash.c
    several = select(c.death).where(c.death > 0).group_by(c.death).having(func.count() > 1)
    chosen = (
        select(c.death, c.ts, c.sig_id, c.verdict, sig.c.version, sig.c.kind, sig.c.key)
        .select_from(crash.outerjoin(sig, c.sig_id == sig.c.id))
        .where(c.death.in_(several), by_then)
        .order_by(c.ts, c.core_key)
    )
    rows = connection.execute(chosen).all()
    again: dict[_SignatureKey, Counter[str]] = {}
    if not rows:
        return again
    death, ts, sig_id = (
        np.array([-1 if row[i] is None else row[i] for row in rows]) for i in range(3)
    )
    doubled = find_doubled_records(death, np.floor(ts), sig_id)
    for at in () if doubled is None else np.flatnonzero(doubled.rows).tolist():
        *_, verdict, version, kind, key = rows[at]
        again.setdefault(_SignatureKey(version, kind, key), Counter())[verdict or ""] += 1
    return again


def _hosts_and_verdicts(
    connection: Connection, signatures: Sequence[_SignatureKey], by_then: ColumnElement[bool]
) -> dict[_SignatureKey, tuple[int, dict[str, int]]]:
    """Return signature -> number of hosts, verdicts, in one pass, where there is no index."""
    own = (sig.c.version, sig.c.kind, sig.c.key)
    named = sig.c.key.in_([name.key for name in signatures if name.key is not None])
    some = crash.outerjoin(sig, crash.c.sig_id == sig.c.id)
    where = and_(or_(named, sig.c.id.is_(None)), by_then)
    hosts = select(*own, func.count(crash.c.host_id.distinct())).select_from(some)
    labels = select(*own, crash.c.verdict, func.count()).select_from(some)
    number = {
        _SignatureKey(*k): int(n) for *k, n in connection.execute(hosts.where(where).group_by(*own))
    }
    verdicts: dict[_SignatureKey, list[tuple[str, int]]] = {}
    labels = labels.where(where, crash.c.verdict.is_not(None)).group_by(*own, crash.c.verdict)
    for *k, label, count in connection.execute(labels):
        verdicts.setdefault(_SignatureKey(*k), []).append((label, int(count)))
    ordered = {k: sorted(v, key=lambda pair: (-pair[1], pair[0])) for k, v in verdicts.items()}
    return {k: (number.get(k, 0), dict(ordered.get(k, [])[:MAX_VERDICTS])) for k in signatures}


def _hosts_and_verdicts_of(
    connection: Connection, signature: _SignatureKey, by_then: ColumnElement[bool]
) -> tuple[int, dict[str, int]]:
    """Return the number of hosts and the verdicts of one signature; None: crashes without one.

    Only for signatures that are shown: counting the hosts of all takes ten times as long.
    """
    where = _signature_condition(signature, by_then)
    hosts = select(crash.c.host_id).where(where, crash.c.host_id.is_not(None)).distinct()
    number = connection.execute(select(func.count()).select_from(hosts.subquery())).scalar_one()
    return int(number), dict(count_verdicts(connection, where)[:MAX_VERDICTS])


def _signature_condition(
    signature: _SignatureKey, by_then: ColumnElement[bool]
) -> ColumnElement[bool]:
    version, kind, key = signature
    where: ColumnElement[bool] = crash.c.sig_id.is_(None)
    if kind is not None:
        same = (sig.c.version == version, sig.c.kind == kind, sig.c.key == key)
        where = crash.c.sig_id.in_(select(sig.c.id).where(*same))
    return and_(where, by_then)


def find_program(connection: Connection, where: ColumnElement[bool]) -> str | None:
    """Return the program of some crashes, SEVERAL of more than one, None where none is known.

    A thousand of them are asked: there may be millions, of one program as a rule.
    """
    v = tables.attrset_value.c
    some = select(crash.c.factset_id).where(where, crash.c.factset_id.is_not(None)).limit(SAMPLE)
    sets = select(some.subquery().c.factset_id).distinct()
    chosen = select(v.value).where(v.attr == PROGRAM, v.attrset_id.in_(sets)).distinct().limit(2)
    programs = connection.execute(chosen).scalars().all()
    return program_name_of_crashes(programs)


def count_verdicts(connection: Connection, where: ColumnElement[bool]) -> list[tuple[str, int]]:
    """Return the verdicts of some crashes and how many have each, the most frequent first."""
    return sorted(_count_verdicts(connection, where).items(), key=lambda pair: (-pair[1], pair[0]))


def _count_verdicts(connection: Connection, where: ColumnElement[bool]) -> dict[str, int]:
    """Count the verdicts of some crashes.

    There are few verdicts, and the first crashes have most of them: those are counted without
    sorting, in a fifth of the time. If they do not add up to all crashes, there are others.
    """
    label = crash.c.verdict
    some = select(label).where(where, label.is_not(None)).limit(SAMPLE)
    first = connection.execute(some).scalars().all()
    if len(first) < SAMPLE:
        return Counter(first)
    names = sorted(set(first))
    if len(names) <= MAX_VERDICTS:
        each = (func.count().filter(label == name) for name in names)
        labelled, *counts = connection.execute(select(func.count(label), *each).where(where)).one()
        if sum(counts) == labelled:
            return dict(zip(names, map(int, counts), strict=True))
    grouped = select(label, func.count()).where(where, label.is_not(None)).group_by(label)
    return {name: int(n) for name, n in connection.execute(grouped)}


class NewSignature(NamedTuple):
    """A signature whose very first crash lies in the window.

    If no crash is `timed`, it was first seen on the day on which its first record came in.
    """

    first_seen: float
    kind: str
    key: str
    crashes: int
    hosts: int
    signature: str | None
    verdicts: dict[str, int]
    timed: bool
    program: str | None = None


class EpidemicCurveDay(NamedTuple):
    """Crashes and host-hours of one day (days since 1970-01-01); hours are None when unknown."""

    day: int
    crashes: int
    hosts: int
    hours: float | None
    per_1000_hours: float | None


class ComparedSignature(NamedTuple):
    """One signature in two windows, with the rate ratio and the p value of its change."""

    kind: str
    key: str
    before: int
    after: int
    ratio: float | None
    p: float
    q: float
    signature: str | None
    together: tuple[int, int] = (0, 0)  # more crashes in each, which came together with others


class SignatureComparison(NamedTuple):
    """The rows of two windows, what they come to in all, and the events inside."""

    rows: list[ComparedSignature]
    changed: int  # signatures, by more than chance
    rest: ComparedSignature | None  # all crashes of the others
    events: tuple[str, ...] = ()
    changed_codes: tuple[int, ...] = ()  # of the signatures that changed
    rest_on_same: RateRatio | None = None  # of two values: the others, on the same hosts and days


def latest_crash_time(population: Population) -> float | None:
    """Return the time of the latest crash: `now` for questions, so that answers do not age.

    Where no crash has a time, it is the day on which the last record came in.
    """
    if not population.day.size:  # all that there is may be from before a prune
        pruned = population.left_by_prune
        return None if pruned is None else pruned.before * SECONDS_A_DAY - 1
    if population.second is not None and population.has_time.any():
        return float(population.second.max())
    return population.last_day * SECONDS_A_DAY


def new_signatures(
    engine: Engine, population: Population, days: float, until: float, limit: int
) -> list[NewSignature]:
    """Return the signatures first seen in the last `days` before `until`, most crashes first.

    One whose crashes were all of healthy processes (somebody ended them from outside) is no news.
    A crash of unknown time happened before its record came in, which is all that is known.
    """
    day_of_arrival = population.day * SECONDS_A_DAY
    moment = day_of_arrival
    if population.second is not None:
        moment = np.where(population.has_time, population.second, day_of_arrival)
    chosen = (population.signature >= 0) & (moment <= until)
    code = population.signature[chosen]
    first = np.full(len(population.signatures), np.inf)
    np.minimum.at(first, code, moment[chosen])
    if population.left_by_prune is not None:  # what came before it is not new
        old = set(population.left_by_prune.signatures)
        first[[name in old for name in population.signatures]] = -np.inf
    new = np.flatnonzero(np.isfinite(first) & (first > until - days * SECONDS_A_DAY))
    counts = np.bincount(code, minlength=first.size)
    new = new[np.lexsort((new, -first[new], -counts[new]))]
    rows: list[NewSignature] = []
    with engine.connect() as connection:
        for at, number in enumerate(new.tolist()):
            if len(rows) == limit:
                break
            if at % KEYS_AT_ONCE == 0:  # of a hundred thousand few are shown
                some = new[at : at + KEYS_AT_ONCE].tolist()
                keys = _kinds_and_keys(connection, [population.signatures[i] for i in some])
            name = population.signatures[number]
            hosts = population.host[chosen & (population.signature == number)]
            size = int(np.unique(hosts[hosts >= 0]).size)
            kind, key = keys.get(name, ("", ""))
            same = crash.c.sig_id.in_(select(sig.c.id).where(sig.c.kind == kind, sig.c.key == key))
            verdicts = dict(count_verdicts(connection, same)[:MAX_VERDICTS])
            if verdicts.keys() == {NO_FAULT}:
                continue
            timed = bool((chosen & population.has_time & (population.signature == number)).any())
            program = find_program(connection, same)
            values = (kind, key, int(counts[number]), size, name, verdicts, timed, program)
            rows.append(NewSignature(float(first[number]), *values))
    return rows


def _kinds_and_keys(connection: Connection, names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return the kind and key of signatures by their name, as the population has it."""
    c = tables.sig.c
    name = func.coalesce(c.text, func.nullif(c.key, ""), c.coarse)
    chosen = select(name, c.kind, c.key).where(name.in_(names)).order_by(c.key)
    return {text: (kind, key) for text, kind, key in connection.execute(chosen)}


def epidemic_curve(
    population: Population, signature: str | None, asof: int | None = None
) -> list[EpidemicCurveDay]:
    """Return the crashes of each day up to one, of a signature (its name) or of all.

    Days between are filled in; crashes whose time is not known are left out.
    """
    exposed = _hours_by_day(population)
    by_day = _counts_by_day(population, signature, asof)
    if not by_day:
        return []
    rows = []
    # The days to show: without gaps, unless a gap is longer than MAX_GAP.
    first, last = min(by_day), max(by_day)
    for number in range(first, last + 1) if last - first <= MAX_GAP else sorted(by_day):
        crashes, hosts, covered = by_day.get(number, (0, 0, 0))
        hours_of_day = exposed.get(number)
        # Crashes of hosts that the feed lacks have no hours and count in no rate.
        rate = 1000 * covered / hours_of_day if hours_of_day else None
        rows.append(EpidemicCurveDay(number, crashes, hosts, hours_of_day, rate))
    return rows


def _hours_by_day(population: Population) -> dict[int, float]:
    """Return the host-hours of each day, those of no host twice."""
    days, rows = np.unique(population.exposure_day, return_inverse=True)
    hours = np.bincount(rows, weights=population.exposure_hours, minlength=days.size)
    return dict(zip(days.tolist(), hours.round(HOURS_DIGITS).tolist(), strict=True))


def count_crashes_without_time(
    population: Population, signature: str | None, asof: int | None
) -> int:
    """Return how many crashes a curve leaves out, because no time of theirs is believed."""
    lost = ~population.has_time
    if asof is not None:
        lost = lost & (population.day <= asof)
    if signature is not None:
        names = population.signatures
        code = names.index(signature) if signature in names else -2  # no crash has it
        lost = lost & (population.signature == code)
    return int(lost.sum())


def _counts_by_day(
    population: Population, signature: str | None, asof: int | None
) -> dict[int, tuple[int, int, int]]:
    """Return day -> crashes, hosts, crashes that host-hours cover."""
    timed = population.has_time
    if asof is not None:
        timed = timed & (population.day <= asof)
    if signature is not None:
        names = population.signatures
        code = names.index(signature) if signature in names else ABSENT - 1
        timed = timed & (population.signature == code)
    if not timed.any():
        return {}
    days = population.day[timed]
    first = int(days.min())
    day, host, crashes = count_pairs(days - first, population.host[timed] + 1)  # 0: no host
    counts, hosts = np.bincount(day, weights=crashes), np.bincount(day[host > 0])
    hosts = np.pad(hosts, (0, counts.size - hosts.size))
    covered = np.bincount(
        population.day[timed & population.has_host_hours] - first, minlength=counts.size
    )
    return {
        first + int(d): (int(counts[d]), int(hosts[d]), int(covered[d]))
        for d in np.flatnonzero(counts)
    }


MAX_GAP = 3660  # days between two crashes; a clock off by decades must not fill the screen


def compare_windows(
    engine: Engine,
    population: Population,
    before: tuple[float, float],
    after: tuple[float, float],
    limit: int,
) -> SignatureComparison:
    """Compare the signatures of two half-open windows (epoch seconds), strongest change first.

    Given both windows' crashes of a signature, how many fall in the second one is binomial, with
    the share of the host-hours, or of the days where hours are not known. Raises InputError for a
    window in which crashes were pruned.
    """
    day = read_prune_day_by_itself(engine)
    if day is not None and min(before[0], after[0]) < day * SECONDS_A_DAY:
        problem = f"crashes before {iso_day(day)} were pruned: how many there were is not known"
        raise InputError(problem, hint=f"windows from {iso_day(day)} on")
    seconds = population.second
    moment = population.known_day * SECONDS_A_DAY if seconds is None else seconds
    inside = [(moment >= begin) & (moment < end) for begin, end in (before, after)]
    exposed = _hours_by_day(population)
    hours = [_hours_in_window(exposed, window) for window in (before, after)]
    if not all(hours):
        hours = [window[1] - window[0] for window in (before, after)]
    return _compare_signatures(engine, population, inside, hours[1] / sum(hours), limit)


def compare_values(
    engine: Engine, population: Population, marks: Sequence[tuple[str, str]], limit: int
) -> SignatureComparison:
    """Compare the signatures of crashes with two values of attributes, as `compare_windows` does.

    By the host-hours with each value, or by their crashes of all kinds where none tell it. Raises
    InputError for a value that no crash has.
    """
    sides, weights = [], []
    for name, value in marks:
        attribute = population.attribute_asked_for(name)
        if attribute is None or value not in attribute.values:
            hint = None if attribute is None else f"gdb-epi fleet rates {quote(attribute.name)}"
            raise InputError(f"no crash has {name}={value}", hint=hint or "gdb-epi fleet check")
        sides.append(attribute.crashes_with(value))
        weights.append(float(population.exposure_hours[attribute.hours_with(value)].sum()))
    has_hours = all(weights)
    usual = find_events(population).counted.signature >= 0
    if not has_hours:
        weights = [float((side & usual).sum()) for side in sides]
    if not all(weights):
        raise InputError("no crash of one of the two has a signature")
    comparison = _compare_signatures(engine, population, sides, weights[1] / sum(weights), limit)
    # Beside what came with one value all else seems rarer there: it is no measure of the others.
    for _ in range(0 if has_hours else MAX_LEFT_OUT):
        changed = (
            population.signatures.index(row.signature)
            for row in comparison.rows
            if row.signature and row.q <= MAX_Q_OF_CHANGE
        )
        most = next((code for code in changed if usual[population.signature == code].any()), None)
        if most is None:
            break
        usual &= population.signature != most
        weights = [float((side & usual).sum()) for side in sides]
        if not all(weights):
            break
        share = weights[1] / sum(weights)
        comparison = _compare_signatures(engine, population, sides, share, limit)
    (name, _), (other_name, value) = marks
    if name != other_name or (attribute := population.attribute_asked_for(name)) is None:
        return comparison
    # Hosts with one value may crash more than those with the other, whatever they run.
    cells = crashes_and_host_hours_with_value(
        population, attribute, find_events(population).counted.signature >= 0
    )
    codes = [attribute.values.index(value) for _, value in marks]
    unchanged = ~np.isin(population.signature[cells.crashes], list(comparison.changed_codes))
    cells = cells.select_crashes(unchanged & np.isin(cells.codes[0], codes))
    cells = cells.select_host_hours(np.isin(cells.codes[1], codes))
    both = risk_given_host_and_day(codes[1], cells)
    return comparison._replace(rest_on_same=both or risk_by_strata(codes[1], cells, cells.days))


def _compare_signatures(
    engine: Engine, population: Population, sides: Sequence[Bools], share: float, limit: int
) -> SignatureComparison:
    """Return rows of both sides, of which the second one has a `share` of what counts.

    What came together, as a loop, counts once.
    """
    from gdb_epi.fleet.statistics.hypothesis_tests import holm_adjusted_p_values, two_sided_binomial

    share = min(max(share, 1e-9), 1 - 1e-9)
    events = find_events(population)
    size = len(population.signatures)
    first, second, *more = (
        np.bincount(code[side & (code >= 0)], minlength=size)
        for code in (events.counted.signature, population.signature)
        for side in sides
    )
    some = np.flatnonzero(first + second)
    a, b = (side[some].astype(float) for side in (first, second))
    p = two_sided_binomial(b, a + b, np.full(a.size, share))
    q = holm_adjusted_p_values(p)
    together = np.array(more)[:, some] - np.array((a, b))
    names = [population.signatures[code] for code in some.tolist()]
    order = sorted(range(some.size), key=lambda i: (p[i], -b[i], names[i]))

    def compared(n: float, m: float, row: ComparedSignature) -> ComparedSignature:
        ratio = float((m / share) / (n / (1 - share))) if n else None
        return row._replace(before=int(n), after=int(m), ratio=ratio)

    with engine.connect() as connection:
        keys = _kinds_and_keys(connection, [names[i] for i in order[:limit]])
    rows = []
    for i in order[:limit]:
        extra = int(together[0, i]), int(together[1, i])
        head = *keys.get(names[i], ("", "")), 0, 0, None, float(p[i]), float(q[i]), names[i], extra
        rows.append(compared(a[i], b[i], ComparedSignature(*head)))
    usual = (q > MAX_Q_OF_CHANGE) | (together.sum(0) > a + b)
    n, m = float(a[usual].sum()), float(b[usual].sum())
    chance = float(two_sided_binomial(*(np.array([x]) for x in (m, n + m, share)))[0])
    rest = compared(n, m, ComparedSignature("", "", 0, 0, None, chance, chance, None))
    inside = sides[0] | sides[1]
    told = tuple(
        describe_verdict(event)
        for event in sorted(events.findings, key=lambda event: -event.n)
        if (inside & events.with_repeats(event.members)).any()
    )
    changed = tuple(some[~usual].tolist())
    return SignatureComparison(rows, len(changed), rest if n + m else None, told, changed)


def _hours_in_window(exposed: dict[int, float], window: tuple[float, float]) -> float:
    first, last = int(window[0] // SECONDS_A_DAY), window[1] / SECONDS_A_DAY
    return sum(hours for day, hours in exposed.items() if first <= day < last)

# SPDX-License-Identifier: Apache-2.0
"""Read the population out of the database in one pass, as columns.

A machine that was renamed has its latest name everywhere (`read_machine_names`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Connection, case, func, select

from gdb_epi.fleet.paths import COLUMNAR
from gdb_epi.fleet.population.attribute_set_columns import (
    AttributeColumn,
    mask_of_occurring_sets,
    read_attribute_columns,
)
from gdb_epi.fleet.population.coverage import (
    drop_doubled_host_hours,
    use_attributes_of_exposure_feed,
)
from gdb_epi.fleet.population.doubled_records import describe_doubled_records, find_doubled_records
from gdb_epi.fleet.population.duckdb_crashes import read_duckdb_crashes
from gdb_epi.fleet.population.fill_missing_attributes import fill_missing_attributes
from gdb_epi.fleet.population.judged_times import (
    ResetClocks,
    find_reset_clocks,
    judge_times,
    whole_seconds,
)
from gdb_epi.fleet.population.machine_names import MachineNames, read_machine_names
from gdb_epi.fleet.population.number_ranges import group_into_ranges
from gdb_epi.fleet.population.population import (
    FLIP_BIT,
    MAX_VALUES,
    NO_SIGNATURE,
    Attribute,
    CoreKeys,
    Population,
    WhatPruneLeft,
)
from gdb_epi.fleet.population.shared_host_names import split_shared_host_names
from gdb_epi.fleet.population.sqlite_crashes import (
    CrashColumns,
    ValueTooWide,
    consistent_snapshot,
    read_sqlite_crashes,
)
from gdb_epi.fleet.records.crash_times import EARLIEST, FILE_DATE, NO_ZONE, UNREADABLE
from gdb_epi.fleet.records.facts import ENV, PROGRAM, YES, split_image_tag
from gdb_epi.fleet.records.projection import PACKAGE, is_of_this_model
from gdb_epi.fleet.statistics.arrays import (
    ABSENT,
    Floats,
    Ints,
    absent_column,
    count_pairs,
    narrow_codes,
    row_blocks,
    row_blocks_with_next_row,
)
from gdb_epi.fleet.store import tables
from gdb_epi.fleet.store.day_numbers import SECONDS_A_DAY
from gdb_epi.fleet.store.day_of_prune import read_prune_day
from gdb_epi.fleet.store.dimensions import parts_for_in_list
from gdb_epi.fleet.store.plain_sql import sqlalchemy_executor

ROWS_AT_ONCE = 10_000  # turned into columns at a time; more do not fit a CPU's cache
MAX_NAMED_HOSTS = 6  # of those whose times are not believed
# Facts of the host that are attributes where its collector has none.
_FACTS_AS_ATTRIBUTES = ("python", "kernel", "image", "namespace")
MAX_NAMED_LIBRARIES = 3  # of those that change together, in the name and the value
VDSO = ("linux-vdso", "linux-gate")  # code of the kernel: the attribute `kernel` has it already
MAX_LIBRARIES = 24  # libraries that differ inside the fleet and become attributes
MIN_TO_NAME, MIN_KINDS, PARTED = 5, 2, 0.97  # crashes of a signature; signatures; of all of them
MAX_SETTINGS = 24  # environment variables that become attributes
FALSE = "false"
_NUMBER_COLUMNS = (
    "host_id", "sig_id", "cpu_no", "bitflip", "lock_inherited", "attrset_id", "factset_id",
    "libset_id", "flip_bit", "death",
)  # fmt: skip


class _CrashTableColumns(NamedTuple):
    """The columns of crash, sorted by time and core_key; ABSENT for NULL."""

    keys: CoreKeys
    day: Ints  # where a crash lies in time, if only by when it arrived
    second: Ints  # since the epoch; ABSENT: unknown
    numbers: dict[str, Ints]
    verdict: Ints
    verdicts: list[str]
    stray: int  # times that those of the neighbours show to be wrong
    days_off: dict[int, float]  # id of a host -> by how many days its clock is off
    days_ahead: dict[int, float]  # the same of those that may be ahead
    went_back: dict[int, int]  # id of a host whose clock was behind at times -> its crashes so
    reset: ResetClocks | None = None  # of clocks that were set to another year
    after_all: dict[int, float] = {}  # id of the host alone after all hours -> days after others


def read_population(connection: Connection) -> Population:
    """Return the whole population: times judged, one spelling per host, host-hours reconciled.

    Crashes from before the day of a prune are left out: what remains of them is no fair sample.
    `quality` lists their signatures, so that none of them is taken for new.
    """
    host_ids, days, sets, hours = _read_exposure(connection)
    last_day = int(days[hours > 0].max(initial=ABSENT))
    crashes = _read_crashes(connection, None if last_day < 0 else (last_day + 1) * SECONDS_A_DAY)
    numbers = crashes.numbers
    machines = read_machine_names(connection, np.unique(numbers["host_id"]).tolist())
    for day, rows in machines.outlived.values():  # the machine has hours under its new name then
        hours[np.isin(host_ids, rows) & (days >= day)] = 0.0
    hosts, host_code = _codes_of_names(machines.of_id)
    exposure_host = _codes_of_ids(host_ids, host_code)
    crash_host = _codes_of_ids(numbers["host_id"], host_code)
    for name, (day, rows) in machines.given_again.items():  # another machine has the name since
        exposure_host[np.isin(host_ids, rows) & (days >= day)] = hosts.index(name)
        crash_host[np.isin(numbers["host_id"], rows) & (crashes.day >= day)] = hosts.index(name)
    hours, doubled = drop_doubled_host_hours(host_ids, exposure_host, days, hours)
    signatures, signature_code = _codes_of_names(_signature_texts(connection))
    attributes, facts = _attributes_and_facts(connection, crashes, sets)
    population = Population(
        core_keys=crashes.keys,
        day=crashes.day,
        second=crashes.second,
        host=crash_host,
        signature=_codes_of_ids(numbers["sig_id"], signature_code),
        cpu=numbers["cpu_no"],
        bitflip=numbers["bitflip"] > 0,
        lock_inherited=numbers["lock_inherited"] > 0,
        hosts=hosts,
        signatures=signatures,
        attributes=attributes,
        exposure_day=days,
        exposure_host=exposure_host,
        exposure_hours=hours,
        facts=facts,
    )
    population, of_names = split_shared_host_names(
        population, numbers["host_id"], machines.ids, partial(_boots_of_hosts, connection)
    )
    before = read_prune_day(sqlalchemy_executor(connection))
    twice = find_doubled_records(numbers["death"], crashes.second, population.signature)
    left_out = () if twice is None else crashes.keys.keys_under(twice.rows)
    quality = {
        **_quality_of_times(connection, crashes, machines.of_id, before, left_out),
        **_quality_of_names(machines),
        **of_names,
        "doubled": [hosts[code] for code in doubled],
    }
    if twice is not None:
        quality["twice"] = describe_doubled_records(population, twice)
        population = population.select(~twice.rows, np.ones(days.size, dtype=bool))
    if before is not None:
        population, past = _without_pruned_past(population, before)
        quality["pruned"] = past._asdict()
    population, quality["filled"] = fill_missing_attributes(population)
    population, quality["differ"] = use_attributes_of_exposure_feed(population)
    return population._replace(quality=quality)


def _quality_of_times(
    connection: Connection,
    crashes: _CrashTableColumns,
    spelt: Mapping[int, str],
    before: int | None,
    left_out: Sequence[str],
) -> dict[str, Any]:
    """Return which times had to be corrected or set aside, and whose clocks are off.

    Crashes that are `left_out` (core keys) do not count.
    """
    unknown, hosts_without = _count_unknown_times(connection, before, left_out)
    reset = crashes.reset
    hosts = () if reset is None else sorted({spelt[n] for n in reset.hosts if n in spelt})
    return {
        "reset": None if reset is None else (reset.crashes, *reset.says, *reset.came, hosts),
        "unknown": unknown,
        "unknown_hosts": {
            why: _some_host_names_and_count(ids, spelt) for why, ids in hosts_without.items()
        },
        "stray": crashes.stray,
        "clocks_off": {spelt[n]: d for n, d in crashes.days_off.items() if n in spelt},
        "clocks_back": {spelt[n]: many for n, many in crashes.went_back.items() if n in spelt},
        "after_all": {spelt[n]: d for n, d in crashes.after_all.items() if n in spelt},
        "clocks_ahead": {spelt[n]: d for n, d in crashes.days_ahead.items() if n in spelt},
    }


def _boots_of_hosts(connection: Connection, rows: Sequence[int]) -> dict[int, set[str]]:
    """Return row of `host` -> the ids of its boots."""
    c, boots = tables.crash.c, dict[int, set[str]]()
    for part in parts_for_in_list(rows):
        chosen = select(c.host_id, c.boot_id).where(c.host_id.in_(part)).distinct()
        for number, boot in connection.execute(chosen):
            if boot:
                boots.setdefault(number, set()).add(boot)
    return boots


def _quality_of_names(machines: MachineNames) -> dict[str, Any]:
    """Return which hosts are spelt in several ways, were renamed, or are copies of another one."""
    return {
        "spelt": machines.spelt,
        "renamed": machines.renamed,
        "copies": machines.copies,
        "reused": machines.reused,
        "outlived": list(machines.outlived),
        "given_again": list(machines.given_again),
    }


def _without_pruned_past(population: Population, before: int) -> tuple[Population, WhatPruneLeft]:
    """Return the population since the day of a prune, and what the prune left from before it."""
    thinned = population.day < before
    codes, counts = np.unique(population.signature[thinned], return_counts=True)
    old = [population.signatures[code] for code in codes.tolist() if code >= 0]
    since = population.select(~thinned, population.exposure_day >= before)
    return since, WhatPruneLeft(before, int(counts.sum()), old)


def _attributes_and_facts(
    connection: Connection, crashes: _CrashTableColumns, exposure_sets: Ints
) -> tuple[tuple[Attribute, ...], tuple[Attribute, ...]]:
    """Return the attributes, of hosts and of what ran there, and the facts of the cores."""
    numbers, rows = crashes.numbers, exposure_sets.size
    values = read_attribute_columns(connection)
    facts = _core_facts(values, numbers["factset_id"], rows)
    settings = [f for f in facts if f.name.startswith(ENV) and _do_values_of_fact_recur(f)]
    settings = sorted(settings, key=lambda fact: len(fact.values))[:MAX_SETTINGS]
    named = {*_FACTS_AS_ATTRIBUTES, *(fact.name for fact in settings)}
    core_facts = {fact.name: fact for fact in facts if fact.name in named}
    host_attributes = [
        _attribute_filled_from_fact(attribute, core_facts.pop(attribute.name, None))
        for attribute in _host_attributes(values, numbers["attrset_id"], exposure_sets)
    ]
    varying = (fact for fact in core_facts.values() if len(fact.values) > 1)
    libraries = _library_attributes(connection, numbers["libset_id"], rows)
    others = [fact for fact in facts if fact.name not in named]
    attributes = (*host_attributes, *varying, *libraries)
    return attributes, (
        *_facts_with_programs(attributes, others, numbers["sig_id"]),
        *_facts_of_columns(crashes, rows),
    )


def _facts_with_programs(
    attributes: Sequence[Attribute], facts: Sequence[Attribute], signature: Ints
) -> Iterator[Attribute]:
    """Yield the facts; of one image for all, the program is what a host attribute parts them by.

    Where no attribute does, it is the one program.
    """
    told = list(_facts_with_programs_of_images(attributes, facts))
    yield from (fact for fact in told if fact.name != PROGRAM or len(fact.values) > 1)
    single = next((fact for fact in told if fact.name == PROGRAM), None)
    if single is None or len(single.values) < 2:
        for attribute in attributes:
            if _does_attribute_name_programs(attribute, signature):
                yield attribute._replace(
                    name=PROGRAM, exposure=absent_column(attribute.exposure.size)
                )
                return
        if single is not None:
            yield single


def _does_attribute_name_programs(attribute: Attribute, signature: Ints) -> bool:
    """Whether crashes of nearly every signature have one value: a service, or what it is called.

    Each value must have several signatures, so that no single bug of a kernel is one.
    """
    has_both = (attribute.crash >= 0) & (signature >= 0)
    if not (attribute.exposure >= 0).any() or not has_both.any():
        return False
    of_pair, value, crashes = count_pairs(signature[has_both], attribute.crash[has_both])
    codes, number = np.unique(of_pair, return_inverse=True)
    size, most = np.bincount(number, crashes), np.zeros(codes.size)
    np.maximum.at(most, number, crashes)
    often = size >= MIN_TO_NAME
    main = value[(crashes == most[number]) & often[number]]
    own = np.bincount(main, minlength=2)
    is_parted = most[often].sum() >= PARTED * size[often].sum()
    return bool(is_parted and np.count_nonzero(own) > 1 and own[own > 0].min() >= MIN_KINDS)


def _facts_with_programs_of_images(
    attributes: Sequence[Attribute], facts: Sequence[Attribute]
) -> Iterator[Attribute]:
    """Yield the facts; crashes whose program no record tells are of the program of their image.

    A collector may tell the image as an attribute of the host. Its name is that of a program where
    it has a tag. Without it a release would be compared with all programs of the fleet, and every
    signature of one program seems to need its releases then.
    """
    images = next((attribute for attribute in attributes if attribute.name == "image"), None)
    programs = next((fact for fact in facts if fact.name == PROGRAM), None)
    yield from (fact for fact in facts if fact.name != PROGRAM)
    tagged = [split_image_tag(image) for image in images.values] if images is not None else []
    if images is None or not any(tag for _, tag in tagged):
        if programs is not None:
            yield programs
        return
    texts = [] if programs is None else programs.values
    values = sorted({*texts, *(name for name, tag in tagged if tag)})
    code = {value: number for number, value in enumerate(values)}
    of_image = [code[name] if tag else ABSENT for name, tag in tagged]
    crash = narrow_codes(np.array([*of_image, ABSENT], dtype=np.int64))[images.crash]
    if programs is not None:
        own = np.array([*map(code.__getitem__, texts), ABSENT], dtype=np.int64)[programs.crash]
        crash = np.where(own >= 0, own, crash).astype(crash.dtype, copy=False)
    if values:
        yield Attribute(PROGRAM, values, crash, absent_column(images.exposure.size))


def _do_values_of_fact_recur(fact: Attribute) -> bool:
    """Whether the values of a fact come again; ids of single jobs or requests hardly do."""
    return 2 * len(fact.values) <= int(np.count_nonzero(fact.crash >= 0))


def _some_host_names_and_count(ids: Sequence[int], spelt: Mapping[int, str]) -> list[Any]:
    """Return the first names of some hosts and their number; two spellings count once."""
    names = list(dict.fromkeys(spelt[number] for number in ids if number in spelt))
    return [names[:MAX_NAMED_HOSTS], len(names)]  # as JSON keeps it


def _count_unknown_times(
    connection: Connection, before: int | None, left_out: Sequence[str]
) -> tuple[dict[str, int], dict[str, list[int]]]:
    """Return how many crashes have no time, by reason, and the ids of the hosts with the most.

    Only crashes that came since the day of a prune count, and none that is `left_out` (core keys).
    """
    c = tables.crash.c
    why = case(
        (c.ts_source == UNREADABLE, UNREADABLE),
        (c.ts_claimed.is_(None), "none"),
        (c.ts_source == FILE_DATE, "file date"),
        (c.ts_source == NO_ZONE, NO_ZONE),
        (c.ts_claimed < EARLIEST, "before 2000"),
        else_="ahead",
    ).label("why")
    chosen_rows = select(why, c.host_id).where(c.ts.is_(None))
    if before is not None:
        chosen_rows = chosen_rows.where(c.received >= before * SECONDS_A_DAY)
    by_host: Counter[tuple[str, int | None]] = Counter()
    parts = [(1, chosen_rows)]
    parts += [(-1, chosen_rows.where(c.core_key.in_(part))) for part in parts_for_in_list(left_out)]
    for sign, some in parts:
        columns = some.subquery().c
        grouped = select(columns.why, columns.host_id, func.count())
        for *key, count in connection.execute(grouped.group_by(columns.why, columns.host_id)):
            by_host[key[0], key[1]] += sign * count
    counts: Counter[str] = Counter()
    hosts: dict[str, list[int]] = {}
    for (reason, host), count in sorted(by_host.items(), key=lambda row: (-row[1], row[0][1] or 0)):
        counts[reason] += count
        if host is not None and count:
            hosts.setdefault(reason, []).append(host)
    return dict(+counts), hosts


def _facts_of_columns(crashes: _CrashTableColumns, exposure_rows: int) -> Iterator[Attribute]:
    """Yield the facts with columns of their own: the verdict, the bit that may have flipped."""
    unknown = absent_column(exposure_rows)
    # A label of another model means something else: those crashes count as not judged.
    is_current = np.array([is_of_this_model(label) for label in crashes.verdicts], dtype=bool)
    if is_current.sum() > 1 and is_current.size <= MAX_VALUES:
        judged = crashes.verdict >= 0
        judged[judged] = is_current[crashes.verdict[judged]]
        verdict = np.where(judged, crashes.verdict, ABSENT)
        yield Attribute("verdict", crashes.verdicts, verdict, unknown)
    bits = crashes.numbers["flip_bit"]
    if (bits >= 0).any():
        yield Attribute(FLIP_BIT, [str(bit) for bit in range(64)], bits, unknown)


def _read_crashes(connection: Connection, end_of_hours: float | None = None) -> _CrashTableColumns:
    driver = connection.connection.driver_connection
    labels: list[str] = []
    if connection.dialect.name == "sqlite" and driver is not None:
        with suppress(ValueTooWide), consistent_snapshot(driver):
            return _join_and_sort_crash_columns(
                read_sqlite_crashes(driver, labels), labels, end_of_hours
            )
    labels = []
    if connection.dialect.name == COLUMNAR and driver is not None:
        parts = read_duckdb_crashes(driver, _NUMBER_COLUMNS, labels)
        return _join_and_sort_crash_columns(parts, labels, end_of_hours)
    return _join_and_sort_crash_columns(
        _crash_columns_by_plain_sql(connection, labels), labels, end_of_hours
    )


def _crash_columns_by_plain_sql(
    connection: Connection, labels: list[str]
) -> Iterator[CrashColumns]:
    """Yield the crashes column by column; new verdicts go to `labels`."""
    code: dict[str | None, int] = {None: ABSENT}
    chosen = ", ".join(("core_key", "ts", "received", "verdict", *_NUMBER_COLUMNS))
    cursor = _execute_on_raw_cursor(connection, f"SELECT {chosen} FROM crash ORDER BY id")
    while rows := cursor.fetchmany(ROWS_AT_ONCE):
        keys, times, arrivals, verdicts, *numbers = zip(*rows, strict=True)
        for label in sorted(set(verdicts) - code.keys()):
            code[label] = len(labels)
            labels.append(label)
        ts = np.array(times, dtype=float)  # None becomes NaN
        yield CrashColumns(
            np.array(keys, dtype="S"),
            np.where(ts >= EARLIEST, ts, np.nan),
            np.where(ts >= EARLIEST, np.nan, np.array(arrivals, dtype=float)),
            np.fromiter(map(code.__getitem__, verdicts), np.int64, len(rows)),
            {
                n: _integer_column(column)
                for n, column in zip(_NUMBER_COLUMNS, numbers, strict=True)
            },
        )


def _join_and_sort_crash_columns(
    parts: Iterable[CrashColumns], labels: list[str], end_of_hours: float | None = None
) -> _CrashTableColumns:
    """Return the parts as one, sorted; `labels` is complete once the last part was read."""
    columns = list(zip(*parts, strict=True))
    if not columns:
        empty = {name: np.zeros(0, dtype=np.int64) for name in _NUMBER_COLUMNS}
        none = empty["cpu_no"]
        return _CrashTableColumns(
            CoreKeys.from_strings([]), none, none, empty, none, [], 0, {}, {}, {}
        )
    keys, ts, received, verdict = map(_concatenate_column, columns[:4])
    numbers = {
        name: _concatenate_column([part[name] for part in columns[4]]) for name in _NUMBER_COLUMNS
    }
    del columns  # what is in order takes the place of what was not, column by column
    ids = numbers["host_id"], numbers["libset_id"]
    judged = judge_times(ts, received, *ids, end_of_hours=end_of_hours)
    order = _order_by_time(judged.sort_time, keys)
    is_in_order = all((np.diff(order[x]) == 1).all() for x in row_blocks_with_next_row(order.size))
    day, second = (
        _days_of_times_in_order(judged.sort_time, order),
        _whole_seconds_in_order(judged.ts, order),
    )
    stray = int(judged.stray.sum())
    reset = find_reset_clocks(ts, judged.ts, numbers["host_id"])
    clocks = judged.days_off, judged.days_ahead, judged.went_back, reset, judged.after_all
    del judged, ts, received
    if not is_in_order:
        keys = keys[order]
        for name in numbers:
            numbers[name] = numbers[name][order]
        verdict = verdict[order]
    texts = sorted(labels)
    # The last place is for ABSENT, which is -1.
    sorted_code_of: Any = narrow_codes(np.array([*map(texts.index, labels), ABSENT]))
    verdict = sorted_code_of[verdict]
    return _CrashTableColumns(CoreKeys(keys), day, second, numbers, verdict, texts, stray, *clocks)


def _days_of_times_in_order(place: Floats, order: Ints) -> Ints:
    last = float(place.max(initial=0.0)) // SECONDS_A_DAY
    day: Ints = np.zeros(order.size, dtype=np.int64 if last >= 1 << 30 else np.int32)
    for part in row_blocks(order.size):
        day[part] = place[order[part]] // SECONDS_A_DAY
    return day


def _whole_seconds_in_order(ts: Floats, order: Ints) -> Ints:
    """Return whole seconds, in 32 bits as long as they fit: they are never added up."""
    last = float(np.fmax.reduce(ts, initial=0.0))  # fmax: NaN does not count
    second: Ints = np.zeros(order.size, dtype=np.int64 if last >= (1 << 31) - 1 else np.int32)
    for part in row_blocks(order.size):
        second[part] = whole_seconds(ts[order[part]])
    return second


def _concatenate_column(parts: Sequence[Any]) -> Any:
    """Return the parts of a column as one; a single one may be a gigabyte and is not copied."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _order_by_time(place: Floats, keys: Any) -> Ints:
    """Return the order by time, and by key where times are equal, as few are."""
    order = narrow_codes(np.argsort(place, kind="stable"), np.int32)  # they come nearly in order
    tied = np.zeros(order.size, dtype=bool)
    for part in row_blocks_with_next_row(order.size):
        same = np.diff(place[order[part]]) == 0
        tied[part][:-1] |= same
        tied[part][1:] |= same
    some = np.flatnonzero(tied)
    if some.size:
        rows = order[some]
        order[some] = rows[np.lexsort((_key_prefixes(keys[rows]), place[rows]))]
    return order


def _key_prefixes(keys: Any) -> Any:
    """The first 8 bytes of each key as a number: sorting texts takes as long as reading them.

    Of a packed key the first 4, which are those of its text.
    """
    if keys.dtype.kind == "V":
        some = np.ascontiguousarray(keys).view(np.uint8).reshape(keys.size, -1)
        wide = np.zeros((keys.size, 4), dtype=np.uint8)
        wide[:, : some.shape[1]] = some[:, :4]
        return wide.view(">u4").ravel()
    wide = np.ascontiguousarray(keys.astype(f"S{max(keys.dtype.itemsize, 8)}"))
    return wide.view(np.uint8).reshape(keys.size, -1)[:, :8].copy().view(">u8").ravel()


def _execute_on_raw_cursor(connection: Connection, query: str) -> Any:
    """SQLite's own cursor, whose rows cost half of SQLAlchemy's; these rows need no converting."""
    driver = connection.connection.driver_connection
    if connection.dialect.name == "sqlite" and driver is not None:
        return driver.execute(query)
    # The server keeps the result, which may be larger than our memory.
    return connection.execution_options(stream_results=True).exec_driver_sql(query)


def _integer_column(column: Sequence[Any]) -> Ints:
    try:
        return np.fromiter(column, np.int64, len(column))
    except TypeError:  # there are NULLs
        without_nulls = (ABSENT if x is None else x for x in column)
        return np.fromiter(without_nulls, np.int64, len(column))


def _read_exposure(connection: Connection) -> tuple[Ints, Ints, Ints, Floats]:
    e = tables.exposure.c
    chosen = str(select(e.host_id, e.day, e.attrset_id, e.hours))
    driver = connection.connection.driver_connection
    columns: list[Any]
    if connection.dialect.name == COLUMNAR and driver is not None:
        columns = list(driver.execute(chosen).fetchnumpy().values())  # no column may be NULL
    else:
        rows = _execute_on_raw_cursor(connection, chosen).fetchall()
        columns = list(zip(*rows, strict=True)) or [(), (), (), ()]
    host, day, sets = (np.asarray(column, dtype=np.int64) for column in columns[:3])
    hours = np.asarray(columns[3], dtype=float)
    del columns
    order = np.lexsort((sets, host, day))
    return host[order], day[order], sets[order], hours[order]


def _signature_texts(connection: Connection) -> dict[int, str]:
    """Name each row of `sig` by its text, else by its key; those that differ in `coarse` merge."""
    rows = connection.execute(
        select(tables.sig.c.id, tables.sig.c.text, tables.sig.c.key, tables.sig.c.coarse)
    )
    return {number: text or key or coarse or NO_SIGNATURE for number, text, key, coarse in rows}


def _codes_of_names(named: Mapping[int, str]) -> tuple[list[str], dict[int, int]]:
    """Return the distinct names in order, and row id -> code."""
    names = sorted(set(named.values()))
    index = {name: code for code, name in enumerate(names)}
    return names, {number: index[name] for number, name in named.items()}


def _codes_of_ids(ids: Ints, code: Mapping[int, int]) -> Ints:
    """Return the code of each id; ABSENT where there is none."""
    if not code or not ids.size:
        return np.full(ids.size, ABSENT, dtype=np.int64)
    table = np.full(max(int(ids.max()), max(code)) + 2, ABSENT, dtype=np.int64)
    table[np.fromiter(code.keys(), np.int64, len(code))] = np.fromiter(
        code.values(), np.int64, len(code)
    )
    return np.asarray(narrow_codes(table)[ids])  # ABSENT is -1: the last place, which nothing fills


def _host_attributes(
    values: Mapping[str, AttributeColumn], crash_sets: Ints, exposure_sets: Ints
) -> list[Attribute]:
    """Return the attributes of the hosts."""
    used = mask_of_occurring_sets(crash_sets, exposure_sets)
    kept = []
    for name, column in sorted(values.items()):
        occurring = column.restricted_to_sets(used)
        if occurring.texts:
            codes = occurring.codes_of_sets(crash_sets), occurring.codes_of_sets(exposure_sets)
            kept.append(Attribute(name, occurring.texts, *codes))
    return [*kept, *filter(None, map(group_into_ranges, kept))]


def _attribute_filled_from_fact(attribute: Attribute, fact: Attribute | None) -> Attribute:
    """Return an attribute of hosts, filled from the cores where the collector wrote no value.

    Only where both spell values alike: else one release would appear under two spellings.
    """
    if fact is None or not set(fact.values) & set(attribute.values):
        return attribute
    values = sorted({*attribute.values, *fact.values})
    code_of = {value: code for code, value in enumerate(values)}

    def translate(codes: Ints, texts: list[str]) -> Ints:
        table = np.array([*map(code_of.__getitem__, texts), ABSENT], dtype=np.int64)
        return np.asarray(narrow_codes(table)[codes])  # ABSENT is -1: the last place

    is_current, theirs = (
        translate(attribute.crash, attribute.values),
        translate(fact.crash, fact.values),
    )
    exposure = translate(attribute.exposure, attribute.values)
    return attribute._replace(
        values=values, crash=np.where(is_current < 0, theirs, is_current), exposure=exposure
    )


def _core_facts(
    values: Mapping[str, AttributeColumn], crash_sets: Ints, exposure_rows: int
) -> list[Attribute]:
    """Return the facts of the cores; a fact that is only ever true is false where it is absent."""
    used = mask_of_occurring_sets(crash_sets)
    unknown = absent_column(exposure_rows)
    kept = []
    for name, column in sorted(values.items()):
        occurring = column.restricted_to_sets(used)
        if not occurring.texts:
            continue
        texts, of_crash = occurring.texts, occurring.codes_of_sets(crash_sets)
        lacking = (of_crash < 0) & (crash_sets >= 0)
        if texts == [YES] and lacking.any():
            texts, of_crash = [FALSE, YES], np.where(lacking, 0, np.where(of_crash < 0, ABSENT, 1))
        if len(texts) > 1 or name in _FACTS_AS_ATTRIBUTES:
            kept.append(Attribute(name, texts, of_crash, unknown))
    return kept


def _library_attributes(
    connection: Connection, crash_sets: Ints, exposure_rows: int
) -> list[Attribute]:
    """Return the libraries with several builds in the fleet, those with the fewest first.

    Libraries that change together are one attribute, named by all of them.
    """
    chosen = select(
        tables.libset_lib.c.libset_id,
        tables.lib.c.soname,
        tables.lib.c.version,
        tables.lib.c.build_id,
    )
    chosen = chosen.join(tables.lib, tables.lib.c.id == tables.libset_lib.c.lib_id)
    builds: dict[str, dict[int, str]] = {}
    for number, name, version, build in connection.execute(chosen):
        if not name.startswith(VDSO):
            builds.setdefault(name, {})[number] = version or build[:12] or "?"
    together: dict[tuple[tuple[int, int], ...], list[str]] = {}
    for name, values in sorted(builds.items()):
        texts, code = _codes_of_names(values)
        if 1 < len(texts) <= MAX_VALUES:
            first = {c: i for i, c in sorted(code.items(), reverse=True)}
            shape = tuple(sorted((number, first[c]) for number, c in code.items()))
            together.setdefault(shape, []).append(name)
    unknown = absent_column(exposure_rows)
    groups = sorted(
        together.values(), key=lambda names: (len(set(builds[names[0]].values())), names)
    )
    kept = []
    libraries = [names for names in groups if not names[0].startswith(PACKAGE)]
    # Packages that came with a library are named by it: its build is one version of them.
    packages = [names for names in groups if names[0].startswith(PACKAGE)]
    for names in (*libraries[:MAX_LIBRARIES], *packages[:MAX_LIBRARIES]):
        shown = [builds[name] for name in names[:MAX_NAMED_LIBRARIES]]
        texts, code = _codes_of_names(
            {n: _joined_versions([b[n] for b in shown]) for n in shown[0]}
        )
        kind = "package" if names[0].startswith(PACKAGE) else "lib"
        title = f"{kind} {', '.join(n.removeprefix(PACKAGE) for n in names[:MAX_NAMED_LIBRARIES])}"
        title += (
            f" (and {len(names) - MAX_NAMED_LIBRARIES} more)"
            if len(names) > MAX_NAMED_LIBRARIES
            else ""
        )
        kept.append(Attribute(title, texts, _codes_of_ids(crash_sets, code), unknown))
    return kept


def _joined_versions(versions: list[str]) -> str:
    """Return the versions of libraries that change together, those that are all alike once."""
    return versions[0] if len(set(versions)) == 1 else ", ".join(versions)

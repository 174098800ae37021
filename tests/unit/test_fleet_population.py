# SPDX-License-Identifier: Apache-2.0
"""The population out of the database: columns, its cache, libraries and facts, odd clocks."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import numpy as np
import pytest
from sqlalchemy import Connection, Engine
from unit.fleet_records import full, minimal

from gdb_epi.fleet.population import cache as population_cache
from gdb_epi.fleet.population import read_population as population_read
from gdb_epi.fleet.population import sqlite_crashes
from gdb_epi.fleet.population.cache import load_population
from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.screen.screening import screen_day_by_day
from gdb_epi.fleet.statistics import arrays
from gdb_epi.fleet.store.database import open_database
from gdb_epi.fleet.store.ingest import ingest


@pytest.fixture(autouse=True)
def _cache_of_our_own(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(population_cache, "MIN_CRASHES", 1)


def put(db, *records):
    with open_database(str(db), write=True) as engine:
        return ingest(engine, [("t", record) for record in records])


def loaded(db) -> Population:
    with open_database(str(db), write=False) as engine:
        return load_population(engine)


def same(a: Population, b: Population) -> bool:
    return (
        list(a.core_keys) == list(b.core_keys)
        and a.hosts == b.hosts
        and a.signatures == b.signatures
        and [x.name for x in (*a.attributes, *a.facts)]
        == [x.name for x in (*b.attributes, *b.facts)]
        and all(
            np.array_equal(x.crash, y.crash) and x.values == y.values
            for x, y in zip((*a.attributes, *a.facts), (*b.attributes, *b.facts), strict=True)
        )
        and all(
            np.array_equal(getattr(a, n), getattr(b, n))
            for n in ("day", "host", "signature", "cpu", "bitflip", "lock_inherited")
        )
    )


# Changes of the rows of crash -> whether all of it still fits the words of `sqlite_crashes`.
ODD = {
    "": True,
    "cpu_no = CASE id % 4 WHEN 0 THEN 0 WHEN 1 THEN 4094 ELSE NULL END": True,
    "cpu_no = 4095 * (id = 3)": False,
    "cpu_no = -7 * (id = 3)": False,
    "cpu_no = 1 << 62": False,
    "host_id = CASE id WHEN 3 THEN 2097151 ELSE NULL END": True,
    "host_id = 1 + 2097151 * (id = 3)": False,
    "host_id = 0": False,
    "sig_id = 1 << 40": False,
    "sig_id = -2": False,
    "host_id = 2097151, sig_id = 2097151": True,
    "attrset_id = 2097151 * (id = 3)": False,  # no row of attrset is of that id
    "libset_id = 1 << 62, factset_id = -(1 << 62)": False,
    "attrset_id = NULL, libset_id = NULL, factset_id = NULL": True,
    "bitflip = NULL, lock_inherited = id % 2, flip_bit = 63 * (id % 2)": True,
    "ts = NULL": True,
    "ts = CASE id % 3 WHEN 0 THEN NULL ELSE ts END, id = id * 100000": True,
    "ts = CASE id % 3 WHEN 0 THEN 0.1 WHEN 1 THEN -3.7 ELSE ts + id / 7.0 END": True,
    "ts = ts + id / 7.0": True,
    "ts = 9e18 * (id = 3)": True,
    "ts = 3e9 + id / 3.0": True,
    "verdict = 'v' || id": True,  # more than are found at first
    "verdict = CASE id % 2 WHEN 0 THEN '' ELSE NULL END": True,
    "verdict = NULL": True,
    "core_key = core_key || substr('xyz', 1, id % 3)": True,
    "core_key = core_key || char(10)": False,
    "core_key = substr(core_key, 1, id - 1)": True,  # the first is empty
}


def changed(engine: Engine, change: str) -> Iterator[Connection]:
    """Yield a connection that sees a change which is then taken back."""
    with engine.connect() as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        if change:
            connection.exec_driver_sql(f"UPDATE crash SET {change}")
        yield connection
        connection.rollback()


def test_words_hold_what_the_columns_hold(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite_crashes, "IDS", 4)
    put(tmp_path / "f.sqlite3", *[full(i, cpu={"number": i % 5}) for i in range(9)])
    with open_database(str(tmp_path / "f.sqlite3"), write=True) as engine:
        for change, does_fit in ODD.items():
            for to in changed(engine, change):
                assert fits(to.connection.driver_connection) == does_fit, change
                crashes, labels = population_read._read_crashes(to), []
                rows = population_read._crash_columns_by_plain_sql(to, labels)
                plain = population_read._join_and_sort_crash_columns(rows, labels)
            assert list(crashes.keys) == list(plain.keys) and crashes.verdicts == plain.verdicts, (
                change
            )
            assert np.array_equal(crashes.day, plain.day), change
            assert np.array_equal(crashes.second, plain.second), change
            assert crashes.verdict.tolist() == plain.verdict.tolist(), change
            assert crashes.numbers.keys() == plain.numbers.keys()
            for name, column in plain.numbers.items():
                assert crashes.numbers[name].tolist() == column.tolist(), (change, name)


def fits(driver) -> bool:
    try:
        return list(sqlite_crashes.read_sqlite_crashes(driver, [])) is not None
    except sqlite_crashes.ValueTooWide:
        return False


def test_more_verdicts_than_a_word_has_room_for(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite_crashes, "MAX_LABELS", 5)
    put(tmp_path / "f.sqlite3", *[full(i) for i in range(9)])
    with open_database(str(tmp_path / "f.sqlite3"), write=True) as engine:
        for to in changed(engine, "verdict = 'v' || id"):
            assert not fits(to.connection.driver_connection)
            assert population_read._read_crashes(to).verdicts == [f"v{i}" for i in range(1, 10)]


def test_digits_are_what_int_reads():
    for text in ("1234567890123456", "9999999999999999" * 3, "0" * 16):
        tolist = sqlite_crashes.fixed_width_numbers(text, len(text) // 16).tolist()
        assert tolist == [int(text[i : i + 16]) for i in range(0, len(text), 16)]
    for text in ("", "-000000000000001", "1.50000000000000", "9.99999999999e+17", "\xb2" * 16):
        with pytest.raises(sqlite_crashes.ValueTooWide):
            sqlite_crashes.fixed_width_numbers(text, 1)


def test_the_cache_gives_what_the_database_gives(tmp_path, monkeypatch):
    db = tmp_path / "f.sqlite3"
    put(db, *[full(i) for i in range(50)])
    first = loaded(db)
    assert len(list((tmp_path / "cache" / "gdb-epi").glob("population-*"))) == 1
    monkeypatch.setattr(
        population_read, "read_population", lambda _: pytest.fail("not from the cache")
    )
    assert same(loaded(db), first) and len(first.core_keys) == 50


def test_who_asks_for_times_gets_no_attributes_from_the_cache(tmp_path, monkeypatch):
    db = tmp_path / "f.sqlite3"
    put(db, *[full(i) for i in range(50)], full(50, time={}), full(51, host={}))
    whole = loaded(db)
    monkeypatch.setattr(
        population_read, "read_population", lambda _: pytest.fail("not from the cache")
    )
    with open_database(str(db), write=False) as engine:
        times = population_cache.load_population_without_attributes(engine)
    assert whole.attributes and not times.attributes and not times.facts
    for name in ("day", "second", "host", "signature", "has_time", "has_host_hours"):
        assert (getattr(times, name) == getattr(whole, name)).all(), name
    assert (times.hosts, times.signatures) == (whole.hosts, whole.signatures)
    assert list(times.core_keys) == list(whole.core_keys) and times.quality == whole.quality


def test_a_change_makes_the_cache_old(tmp_path):
    db = tmp_path / "f.sqlite3"
    put(db, *[full(i) for i in range(9)])
    assert loaded(db).day.size == 9
    put(db, full(9))
    assert loaded(db).day.size == 10
    put(
        db,
        full(
            9,
            verdict={"model": 2, "label": "hardware-suspect"},
            flags={"bitflip": True},
            quality={},
        ),
    )
    put(db, full(9, version="9.9.9", flags={"bitflip": True}))
    assert int(loaded(db).bitflip.sum()) == 1, "a re-analysis counts too"


def test_a_damaged_cache_or_another_database_is_no_error(tmp_path):
    db = tmp_path / "f.sqlite3"
    put(db, *[full(i) for i in range(9)])
    first = loaded(db)
    (folder,) = (tmp_path / "cache" / "gdb-epi").glob("population-*")
    for name in ("head.json", "day.npy", "core_keys.npy", "host.npy", "attributes-0-crash.npy"):
        whole = (folder / name).read_bytes()
        for damage in (b"", b"\x93NUMPY nonsense", whole[: len(whole) - 5], None):
            if damage is None:
                (folder / name).unlink()
            else:
                (folder / name).write_bytes(damage)
            assert same(loaded(db), first)
            assert (folder / name).read_bytes() == whole, "written again"
    db.unlink()
    put(db, full(3))
    assert loaded(db).day.size == 1, "another file of the same name"
    (tmp_path / "cache").rename(tmp_path / "gone")
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert loaded(db).day.size == 1


def test_the_cache_keeps_the_folders_that_were_written_last(tmp_path, monkeypatch):
    monkeypatch.setattr(population_cache, "MAX_FOLDERS", 3)
    folder = tmp_path / "cache" / "gdb-epi"
    for number in range(6):
        old = folder / f"population-{number}-0"
        old.mkdir(parents=True)
        (old / "day.npy").write_bytes(bytes(100))
        os.utime(old, (number, number))
    ages = {"population-of-a-kill.part": 86_400.0, "population-of-now.part": 0.0}
    for name, age in {**ages, "population-of-0.1.npz": 86_400.0}.items():
        (folder / name).touch() if name.endswith("npz") else (folder / name).mkdir()
        os.utime(folder / name, (time.time() - age,) * 2)
    (folder / "another.npz").touch()
    db = tmp_path / "f.sqlite3"
    put(db, *[full(i) for i in range(9)])
    loaded(db)
    kept = {path.name for path in folder.iterdir()}
    assert kept >= {"population-5-0", "population-4-0", "population-of-now.part", "another.npz"}
    assert len(kept) == 5, "those two, the new one, a draft of now, what is not ours"
    put(db, full(9))
    loaded(db)
    kept = {path.name for path in folder.iterdir()}
    assert "population-4-0" in kept and len(kept) == 5, "the older state of this database went"
    monkeypatch.setattr(population_cache, "MAX_BYTES", 1)
    put(db, full(10))
    loaded(db)
    left = [path for path in folder.glob("population-*") if path.suffix != ".part"]
    assert len(left) == 1, "one is kept whatever its size"


def test_libraries_and_facts_become_attributes(tmp_path):
    db = tmp_path / "f.sqlite3"

    def record(i):
        build = "aa" if i % 3 else "bb"
        libs = [{"soname": "libx.so", "build_id": build}, {"soname": "liby.so", "build_id": build}]
        libs += [{"soname": "libc.so.6", "build_id": "cc"}]
        libs += [{"soname": "linux-vdso.so.1", "build_id": f"d{i % 4}"}]
        spoke = [{"detector": "pointer_one_bit_off", "facts": {"bit": 41}}] if i % 2 else []
        more = {"python": {"version": f"3.{9 + i % 2}.0"}, "findings": spoke}
        return full(i, libs={"modules": libs}, facts={"sp_misaligned": i % 5 == 0}, **more)

    put(db, *[record(i) for i in range(30)])
    whole = loaded(db)
    library = whole.attribute("lib libx.so, liby.so")
    assert library is not None and library.values == ["aa", "bb"]
    assert np.bincount(library.crash).tolist() == [20, 10]
    assert whole.attribute("lib libc.so.6") is None, "the same everywhere"
    assert not [a.name for a in whole.attributes if "vdso" in a.name], "code of the kernel"
    python = whole.attribute("python")
    assert python is not None and python.values == ["3.10.0", "3.9.0"]
    facts = {fact.name: fact for fact in whole.facts}
    spoke = facts["found pointer_one_bit_off"]
    assert spoke.values == ["false", "true"] and int(spoke.crash.sum()) == 15
    assert facts["sp_misaligned"].values == ["false", "true"]


def test_one_clock_that_is_off_does_not_move_today(tmp_path):
    db = tmp_path / "f.sqlite3"
    records = [
        minimal(i, time={"crash_ts": 1_764_000_000.0 + 86_400 * (i % 9)}) for i in range(1500)
    ]
    ahead = minimal(9_999, time={"crash_ts": 1_764_000_000.0 + 400 * 86_400})
    behind = minimal(9_998, time={"crash_ts": 12.0})
    put(db, *records, ahead, behind, minimal(9_997, time={"crash_ts": 1e15}))
    whole = loaded(db)
    assert whole.last_day == 1_764_000_000 // 86_400 + 8
    assert len(list(screen_day_by_day(whole))) <= 12, "not one screen for each day since 1970"


def test_a_jump_of_many_crashes_is_no_stray_clock(tmp_path):
    db = tmp_path / "f.sqlite3"
    old = [minimal(i, time={"crash_ts": 1_764_000_000.0}) for i in range(10)]
    put(db, *old, *[minimal(i, time={"crash_ts": 1_794_000_000.0}) for i in range(20, 23)])
    assert loaded(db).last_day == 1_794_000_000 // 86_400
    assert Population.last_day.fget(loaded(db).until_day(0)) == 0  # type: ignore[attr-defined]


def test_the_tails_are_those_of_scipy():
    from scipy import stats

    from gdb_epi.fleet.statistics.hypothesis_tests import (
        binomial_tail,
        hypergeometric_bound,
        hypergeometric_tail,
        negative_binomial_tail,
        q_values,
    )

    rng = np.random.default_rng(1)
    n = rng.integers(1, 2_000, 3_000).astype(float)
    share = rng.random(3_000) ** 3
    count = np.floor(rng.random(3_000) * (n + 2))
    near = np.minimum(count, np.floor(n * share) + rng.integers(0, 9, 3_000))
    for k in (count, near, np.zeros(3_000)):
        expected = stats.binom.sf(k - 1, n, share)
        np.testing.assert_allclose(binomial_tail(k, n, share), expected, rtol=1e-8, atol=1e-290)
    # Small tables, and those of large fleets; scipy counts with primes, slowly, up to 104,729.
    sizes = rng.integers(0, 10_000, 1_500), rng.integers(104_729, 1_000_000, 1_500)
    everything = n + np.concatenate(sizes)
    marked = np.floor(rng.random(3_000) * everything)
    mean = n * marked / everything
    for k in (count, np.floor(mean), np.ceil(mean) + 3, np.maximum(np.floor(mean) - 9, 0)):
        expected = stats.hypergeom.sf(k - 1, everything, marked, n)
        tail = hypergeometric_tail(k, everything, marked, n)
        np.testing.assert_allclose(tail, expected, rtol=1e-6, atol=1e-12)
        bound = hypergeometric_bound(k, everything, marked, n)
        assert (bound <= tail).all()
        # It is of use: of what may be seen by chance most is told to be so.
        assert ((bound > 0.01) >= (tail > 0.2)).all()
    deep = hypergeometric_tail(*(np.array([x]) for x in (40.0, 1e6, 500.0, 60.0)))
    assert deep[0] == pytest.approx(stats.hypergeom.sf(39, 1_000_000, 500, 60), rel=1e-6)
    mean, variance = n * share + 0.1, (n * share + 0.1) * (1 + rng.random(3_000) * 5)
    size = mean**2 / (variance - mean)
    expected = stats.nbinom.sf(near - 1, size, size / (size + mean))
    tail = negative_binomial_tail(near, mean, variance)
    np.testing.assert_allclose(tail, expected, rtol=1e-6, atol=1e-290)
    p = rng.random(500) ** 4
    np.testing.assert_allclose(q_values(p, p.size), stats.false_discovery_control(p))


def test_cells_are_counted_alike_in_a_table_and_by_sorting(monkeypatch):
    from gdb_epi.fleet.statistics import arrays
    from gdb_epi.fleet.statistics.arrays import count_pairs

    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 50, 2_000), rng.integers(0, 9, 2_000)
    table = count_pairs(a, b)
    monkeypatch.setattr(arrays, "MAX_TABLE", 0)
    for count, other in zip(table, count_pairs(a, b), strict=True):
        assert np.array_equal(count, other)
    assert int(table[2].sum()) == 2_000
    wide = count_pairs(a, np.full(2_000, 2**31 - 1))
    assert set(wide[1].tolist()) == {2**31 - 1}


def test_pairs_of_nothing_are_wide_enough_for_what_is_made_of_them() -> None:
    """Columns of codes are narrow, and callers multiply what comes out (CI of 2026-11-23)."""
    nobody = arrays.narrow_codes(np.array([], dtype=np.int64))
    assert nobody.dtype == np.int8
    for columns in (arrays.count_pairs(nobody, nobody), arrays.distinct_pairs(nobody, nobody)):
        assert all((column * 8192).size == 0 for column in columns)

# SPDX-License-Identifier: Apache-2.0
"""Questions without SQLAlchemy, all of SciPy, or a pass over every crash: the same answers."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.fleet_simulator import population, simulate
from unit.fleet_records import minimal

from gdb_epi.errors import InputError
from gdb_epi.fleet.paths import database_file
from gdb_epi.fleet.population import attribute_combinations
from gdb_epi.fleet.population import cache as population_cache
from gdb_epi.fleet.population.attribute_combinations import find_combinations, sum_by_value
from gdb_epi.fleet.population.cache import load_population, load_population_without_attributes
from gdb_epi.fleet.population.open_for_question import open_for_question
from gdb_epi.fleet.population.population import Attribute, ComputedOnceCache, CoreKeys, pack_hex
from gdb_epi.fleet.questions.find_signature import find_signature
from gdb_epi.fleet.questions.lookup import find_signature_group
from gdb_epi.fleet.questions.signatures import latest_crash_time
from gdb_epi.fleet.questions.splitting import split_signature
from gdb_epi.fleet.screen.screening import screen_population
from gdb_epi.fleet.statistics import arrays, scipy_special
from gdb_epi.fleet.statistics.arrays import count_pairs, distinct_rows, few_distinct_rows
from gdb_epi.fleet.store import database as fleet_db
from gdb_epi.fleet.store.day_numbers import iso_day, parse_day, parse_day_range
from gdb_epi.fleet.store.ingest import ingest
from gdb_epi.fleet.store.schema_version import REPROJECTED_TO, SCHEMA_KEY

DAY = 86_400.0
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def base(tmp_path, monkeypatch):
    """A database whose population is in the cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(population_cache, "MIN_CRASHES", 1)
    path = str(tmp_path / "f.sqlite3")
    put(path, [minimal(i) for i in range(40)])
    with fleet_db.open_database(path, write=False) as engine:
        load_population(engine)
    return path


def put(path, records):
    with fleet_db.open_database(path, write=True) as engine:
        ingest(engine, [("t", record) for record in records])


class Slow(Exception):
    """The database was opened by SQLAlchemy."""


@pytest.fixture
def only_quick(base, monkeypatch):
    def opened(given, *, write):
        raise Slow

    monkeypatch.setattr(fleet_db, "open_database", opened)
    return base


def test_a_cached_population_is_read_without_sqlalchemy(base, monkeypatch):
    with fleet_db.open_database(base, write=False) as engine:
        whole = load_population(engine)
        wanted = whole.signatures[0]
        expected = find_signature_group(engine, wanted)
    monkeypatch.setattr(fleet_db, "open_database", None)  # whoever calls it fails
    with open_for_question(base) as quick:
        read_population = quick.population()
        assert find_signature(quick.execute, wanted) == expected
    assert list(read_population.core_keys) == list(whole.core_keys)
    assert np.array_equal(read_population.signature, whole.signature)


@pytest.mark.parametrize("change", ["crash", "schema", "migration", "cache"])
def test_any_other_state_goes_the_whole_way(change, base, monkeypatch, tmp_path):
    if change == "crash":
        put(base, [minimal(99)])
    elif change == "cache":
        (file,) = (tmp_path / "cache" / "gdb-epi").glob("*/day.npy")
        file.write_bytes(file.read_bytes()[:100])
    else:
        row = (SCHEMA_KEY, "99") if change == "schema" else (REPROJECTED_TO, "7")
        with closing(sqlite3.connect(base)) as connection, connection:
            connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", row)

    def opened(given, *, write):
        raise Slow

    monkeypatch.setattr(fleet_db, "open_database", opened)
    with pytest.raises(Slow), open_for_question(base):
        pass


@pytest.mark.parametrize("given", ["", "nothing.sqlite3", "sqlite:///x", "postgresql://h/x"])
def test_what_is_no_file_goes_the_whole_way(given, only_quick, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Slow), open_for_question(given):
        pass


def test_a_signature_is_found_by_key_start_or_part(base):
    with open_for_question(base) as quick:
        keys = [row[0] for row in quick.execute("SELECT key FROM sig ORDER BY key", {})]
        assert len(keys) > 1
        assert find_signature(quick.execute, keys[0]).key == keys[0]
        assert find_signature(quick.execute, "100%_sure'; --") is None
        assert (
            find_signature(quick.execute, "%%%%") is None
            and find_signature(quick.execute, "____") is None
        )
        with pytest.raises(InputError, match="signatures fit"):
            find_signature(quick.execute, "gsig")


def test_the_special_functions_are_those_of_the_package():
    from scipy import special as whole

    x = np.linspace(0.01, 40, 300)
    assert np.array_equal(scipy_special.gammaln(x), whole.gammaln(x))
    assert np.array_equal(scipy_special.betainc(x, x[::-1], 0.4), whole.betainc(x, x[::-1], 0.4))
    assert np.array_equal(scipy_special.ndtr(-x), whole.ndtr(-x))
    assert whole.logsumexp([0.0, 0.0]) == pytest.approx(np.log(2))  # the package is whole


OTHER_SCIPY = """
import sys
class Elsewhere:
    def find_spec(self, name, path=None, target=None):
        package = sys.modules.get("scipy.special")
        if name == "scipy.special._ufuncs" and not hasattr(package, "__file__"):
            raise ImportError("a SciPy that needs its package")
sys.meta_path.insert(0, Elsewhere())
from gdb_epi.fleet.statistics import arrays, scipy_special
from scipy import special as whole
assert scipy_special._special is whole is sys.modules["scipy.special"]
assert scipy_special.ndtr(0.0) == 0.5 and scipy_special.gammaln(1.0) == 0.0
"""


def test_a_scipy_whose_functions_need_the_package_gives_them_too():
    subprocess.run([sys.executable, "-c", OTHER_SCIPY], cwd=ROOT, check=True, timeout=120)


def test_hexadecimal_keys_take_half_of_their_size():
    texts = [f"{n * 2**77 + 5:032x}" for n in range(40)]
    packed = CoreKeys(pack_hex(np.array(texts, dtype="S32")))
    assert (
        packed.packed.itemsize == 16 and list(packed) == texts and list(packed[3:5]) == texts[3:5]
    )
    odd = np.arange(40) % 2 == 1
    assert packed.keys_under(odd) == texts[1::2] == list(packed.select(odd))
    for other in ("ABCD", "ab d", "abcg", "ab\x00d"):
        with pytest.raises(ValueError):
            pack_hex(np.array(["abcd", other], dtype="S4"))


def test_what_is_counted_from_a_passing_column_goes_with_it():
    kept, passing = np.arange(5), np.arange(6)
    parent = ComputedOnceCache()
    memo = ComputedOnceCache(parent, passing)
    made: list[int] = []

    def doubled(column: Any) -> Any:
        made.append(column.size)
        return column * 2

    twice = memo.get(doubled, memo.get(doubled, passing))
    assert twice is memo.get(doubled, memo.get(doubled, passing)) and made == [6, 6]
    assert memo.get(doubled, kept) is parent.get(doubled, kept) and made == [6, 6, 5]
    parent.get(doubled, passing)
    assert made == [6, 6, 5, 6]


def test_distinct_rows_are_numpys():
    random = np.random.default_rng(5)
    for high in (3, 4_000, 1 << 40):  # counted, counted and compacted, sorted
        columns = [random.integers(-1, high, 500) for _ in range(4)]
        columns = [np.where(random.random(500) < 0.5, 0, c) for c in columns]
        where, number, counts = distinct_rows(columns)
        whole = np.stack(columns, axis=1)
        rows, inverse, n = np.unique(whole, axis=0, return_inverse=True, return_counts=True)
        assert np.array_equal(whole[where], rows) and np.array_equal(number, inverse.ravel())
        assert np.array_equal(counts, n)


def test_many_distinct_rows_are_not_numbered():
    columns = [np.arange(400) % 7, np.arange(400) % 11]
    rows = few_distinct_rows(columns, 77)
    assert rows is not None
    assert all(np.array_equal(x, y) for x, y in zip(rows, distinct_rows(columns), strict=True))
    assert few_distinct_rows(columns, 76) is None
    assert few_distinct_rows([column << 30 for column in columns], 76) is None  # sorted midway


def test_weighted_cells_count_as_their_rows_do():
    random = np.random.default_rng(6)
    a, b = random.integers(0, 20, 900), random.integers(0, 30, 900)
    once = count_pairs(a, b)
    again = count_pairs(*once)
    assert all(np.array_equal(x, y) for x, y in zip(once, again, strict=True))
    far = count_pairs(a * (1 << 40), b)  # too many cells for a table
    assert np.array_equal(far[0], once[0] * (1 << 40)) and np.array_equal(far[2], once[2])


@pytest.mark.parametrize("high", [6, 1 << 24])  # counted in a table, sorted
def test_rows_under_a_mask_are_counted_block_by_block(high, monkeypatch):
    random = np.random.default_rng(7)
    a, b = (random.integers(-1, high, 300) for _ in range(2))
    some = (a >= 0) & (b >= 0) & (random.random(300) < 0.7)
    whole = np.unique(np.stack((a[some], b[some])), axis=1, return_counts=True)
    monkeypatch.setattr(
        arrays, "row_blocks", lambda size: (slice(i, i + 7) for i in range(0, size, 7))
    )
    for table in (count_pairs(a, b, among=some), count_pairs(a[some], b[some])):
        assert np.array_equal(table[:2], whole[0]) and np.array_equal(table[2], whole[1])
    assert np.array_equal(arrays.distinct_pairs(a, b, some), whole[0])
    assert all(x.size == 0 for x in count_pairs(a, b, among=some & False))
    where, number, counts = distinct_rows([a, b])
    rows = np.stack((a, b))
    assert np.array_equal(rows[:, where][:, number], rows) and counts.sum() == 300
    assert where.size == np.unique(rows, axis=1).shape[1]
    if high < 300:
        for size in (high, arrays.BLOCK + 1):
            codes = arrays.count_codes(a, size, some)
            assert np.array_equal(codes, np.bincount(a[some], minlength=size))


def test_combinations_count_what_the_crashes_have():
    whole = population(simulate(3, hosts=60, days=8, per_day=40))
    combinations = find_combinations(whole)
    assert combinations.where is not None and combinations.where.size < whole.day.size
    for attribute in whole.attributes:
        codes = combinations.codes(attribute)
        assert np.array_equal(codes[combinations.of_crash], attribute.crash)
        counts = sum_by_value(
            codes, combinations.count_crashes_by_combination(whole.host >= 0), len(attribute.values)
        )
        assert np.array_equal(counts, np.bincount(attribute.crash, minlength=counts.size))


@pytest.mark.parametrize("with_hours", [True, False])
def test_crashes_of_many_combinations_are_counted_one_by_one(with_hours, monkeypatch):
    whole = population(simulate(3, hosts=60, days=24, per_day=40, bad_host=3.0, race=3.0))
    rows = whole.exposure_day.size
    job = Attribute(
        "job", [str(i) for i in range(90)], np.arange(whole.day.size) % 90, np.full(rows, -1)
    )
    whole = whole._replace(attributes=(*whole.attributes, job))
    if not with_hours:
        whole = whole.select(whole.day >= 0, whole.exposure_day < 0)
    expected = screen_population(whole, whole.last_day).findings
    monkeypatch.setattr(attribute_combinations, "few_distinct_rows", lambda columns, most: None)
    assert find_combinations(whole).where is None
    made = screen_population(whole, whole.last_day).findings
    assert len(made) == len(expected) > 1
    for one_by_one, together in zip(made, expected, strict=True):
        assert one_by_one._replace(members=None) == together._replace(members=None)
        assert np.array_equal(one_by_one.members, together.members)


def test_a_memo_changes_no_answer():
    whole = population(simulate(7003, hosts=150, days=14, per_day=30, race=2.0, split=2.0))
    day, code = whole.last_day, whole.signatures.index("two-faces")

    def told(one):
        findings = screen_population(one, day).findings
        parts = split_signature(one, code, day).parts
        return [f._replace(members=None) for f in findings], [
            (p.mark, p.label, p.members.sum()) for p in parts
        ]

    plain = told(whole)
    kept = whole._replace(memo=ComputedOnceCache())
    assert plain[0] and told(kept) == plain and told(kept) == plain
    assert told(kept.until_day(day)) == plain


@pytest.mark.parametrize("given", ["9999-12-31", "99999999999999", 1e300, -1e13, "nan", "", None])
def test_what_is_no_day_of_this_age_is_none(given):
    assert parse_day(given) is None


def test_the_latest_moment_is_none_of_a_clock_that_is_off(tmp_path):
    path = str(tmp_path / "f.sqlite3")
    at = [minimal(i) for i in range(600)]
    last = max(record["time"]["crash_ts"] for record in at)
    put(path, at)
    with fleet_db.open_database(path, write=False) as engine:
        assert latest_crash_time(load_population_without_attributes(engine)) == last
    wrong = minimal(1_000)
    wrong["time"]["crash_ts"] = last + 400 * DAY
    put(path, [wrong])
    with fleet_db.open_database(path, write=False) as engine:
        assert latest_crash_time(load_population_without_attributes(engine)) == last
        assert load_population(engine).last_day == last // DAY


@pytest.mark.parametrize("start", ["", "sqlite:///"])
def test_a_file_is_read_without_sqlalchemy_however_it_is_named(base, start):
    code = (
        "import sys\n"
        "from gdb_epi.fleet.population.open_for_question import open_for_question\n"
        "with open_for_question(sys.argv[1]) as found:\n"
        "    assert found.population().day.size == 40\n"
        "print('sqlalchemy' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, start + base],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize(
    ("given", "file"),
    [
        ("/a/f.db", "/a/f.db"),
        ("sqlite:////a/f.db", "/a/f.db"),
        ("/a/f?.db", "/a/f?.db"),
        ("sqlite:////a/f.db?mode=ro", None),
        ("sqlite:///", None),
        ("sqlite://", None),
        ("postgresql://h/d", None),
        (" ", None),
    ],
)
def test_which_databases_are_files(given, file):
    opened_file = database_file(given)
    assert (str(opened_file) if opened_file else None) == file


@pytest.mark.parametrize(
    ("words", "first", "last"),
    [
        ("2026", "2026-01-01", "2026-12-31"),
        ("2024-02", "2024-02-01", "2024-02-29"),
        ("2025-12", "2025-12-01", "2025-12-31"),
        ("2026-11-21", "2026-11-21", "2026-11-21"),
        ("2026-11-21T23:30:00-02:00", "2026-11-22", "2026-11-22"),
        ("20000", "2024-10-04", "2024-10-04"),
    ],
)
def test_a_written_year_or_month_is_all_of_its_days(words: str, first: str, last: str) -> None:
    """`fleet compare 2026 2027` once compared the days 2026 and 2027 since 1970."""
    days = parse_day_range(words)
    assert days is not None
    assert (iso_day(days[0]), iso_day(days[1])) == (first, last)


@pytest.mark.parametrize("words", ["", "soon", "2026-13", "2026-00", "2026-02-30", "0000", "9999"])
def test_what_is_no_day_is_none(words: str) -> None:
    assert parse_day_range(words) is None

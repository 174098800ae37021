# SPDX-License-Identifier: Apache-2.0
"""A lake: the same answers as its database, and an export that writes what changed."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from functools import partial
from pathlib import Path

import duckdb
import numpy as np
import pytest
from support.fleet_simulator import FIRST_DAY, records, simulate, write_exposure
from support.lake_cells import read_cells
from unit.fleet_records import full

from gdb_epi.cli.main import main
from gdb_epi.errors import EpiError
from gdb_epi.fleet.lake import export as lake_export
from gdb_epi.fleet.lake import precompute_answers as lake_prepare
from gdb_epi.fleet.lake.manifest import MANIFEST, PREPARED, read_manifest
from gdb_epi.fleet.population import cache as population_cache
from gdb_epi.fleet.population import read_population as population_read
from gdb_epi.fleet.population.cache import load_population
from gdb_epi.fleet.questions import population_verdict, quality
from gdb_epi.fleet.screen import events, past_silence, screening, silent_hosts
from gdb_epi.fleet.store.database import open_database
from gdb_epi.fleet.store.exposure import read_host_days, store_exposure
from gdb_epi.fleet.store.ingest import ingest
from gdb_epi.fleet.store.plain_sql import sqlalchemy_executor

DAY = 86_400
QUESTIONS = (
    "top", "top --json", "top --asof 2026-01-15", "show two-faces", "show node-7", "show nobody",
    "seen two-faces", "new --days 7", "trend two-faces --csv", "trend",
    "compare 2026-01-05..2026-01-14 2026-01-15..2026-01-24", "suspects", "suspects --json",
    "split two-faces", "onset two-faces", "rates rack", "correlate", "correlate two-faces",
    "findings", "check", "states", "states node-7", "exclude", "exclude --format slurm",
    "digest --days 7", "findings --json", "check --json", "top --csv",
)  # fmt: skip


def odd_records():
    """What the simulator does not make: unknown times, no host, no signature, libraries."""
    yield full(1 << 64, time={})
    yield full(2 << 64, time={"crash_ts": 1.0})
    yield full(3 << 64, host={}, time={"crash_ts": (FIRST_DAY + 3) * DAY + 0.5})
    yield full(4 << 64, signature={}, time={"crash_ts": (FIRST_DAY + 4) * DAY})
    libs = {"modules": [{"soname": "libm", "build_id": "cd"}]}
    for i in range(5, 40):
        moment = (FIRST_DAY + i % 20) * DAY + i * 100
        yield full(i << 64, libs=libs if i % 2 else {}, time={"crash_ts": moment})
    label = {"model": 2, "label": "it's 100 %", "confidence": 0.5}
    yield full(40 << 64, verdict=label, time={"crash_ts": (FIRST_DAY + 5) * DAY})


def fill(db, folder):
    """A fleet with causes that can be told, and odd records."""
    fleet = simulate(7000, split=8.0, bad_host=3.0, hosts=50, days=20, per_day=30)
    write_exposure(fleet, folder / "hours.csv")
    with open_database(db, write=True) as engine:
        store_exposure(engine, read_host_days(folder / "hours.csv"))
        ingest(engine, (("t", r) for r in [*odd_records(), *records(fleet)]))
    return fleet


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A database of such a fleet, and its lake."""
    folder = tmp_path_factory.mktemp("lake")
    db = str(folder / "fleet.sqlite3")
    fill(db, folder)
    words = ["mark", "signature", "two-faces", "--acknowledged", "--owner", "o", "--db", db]
    assert main(["fleet", *words]) == 0
    lake = folder / "lake"
    assert main(["fleet", "export", "--format", "lake", "--output", str(lake), "--db", db]) == 0
    return db, lake


@pytest.fixture
def export(capsys):
    """Export and return the words of what it did."""

    def run(db, lake, code=0):
        capsys.readouterr()
        words = ["fleet", "export", "--format", "lake", "--output", str(lake), "--db", db]
        assert main(words) == code
        printed = capsys.readouterr()
        return printed.out if not code else printed.err

    return run


def ask(db, question, capsys):
    """Return exit code, answer and errors; in the answer the database is called DB."""
    capsys.readouterr()
    code = main(["fleet", *question.split(), "--db", db])
    printed = capsys.readouterr()
    return code, printed.out.replace(db, "DB"), printed.err


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_lake_answers_as_its_database(stored, question, capsys):
    db, lake = stored
    code, out, err = ask(db, question, capsys)
    lake_code, lake_out, lake_err = ask(f"lake:{lake}", question, capsys)
    assert (lake_code, lake_out) == (code, out)
    assert lake_err.replace(f"lake:{lake}", "DB") == err.replace(db, "DB")
    assert out or err


@pytest.fixture(scope="module")
def prepared(stored):
    """A lake whose export worked out what it does of a large one only."""
    lake = stored[1].parent / "prepared"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(population_cache, "MIN_CRASHES", 1)
        patch.setattr(screening, "MAX_OPEN_CRASHES", 0)
        words = ["--format", "lake", "--output", str(lake), "--db", stored[0]]
        assert main(["fleet", "export", *words]) == 0
    return lake


@pytest.mark.parametrize("question", [q for q in QUESTIONS if "asof" not in q])
def test_a_prepared_lake_answers_so_and_works_nothing_out(
    stored, prepared, question, capsys, monkeypatch
):
    monkeypatch.setattr(screening, "MAX_OPEN_CRASHES", 0)
    expected = ask(stored[0], question, capsys)
    monkeypatch.setattr(population_read, "read_population", lambda _: pytest.fail("read"))
    monkeypatch.setattr(screening, "_screen_uncached", lambda *_: pytest.fail("screened"))

    def of_parts_alone(make, population, *given):
        entry = population.memo and population.memo.cache_entry
        assert entry is None or entry.population is not population, make
        return make(population, *given)

    for room, name in (
        (quality, "_run_checks"), (population_verdict, "_judge_findings"),
        (events, "_find_repeats"),
        (silent_hosts, "_groups_gone_silent"), (past_silence, "_find_silences"),
    ):  # fmt: skip
        monkeypatch.setattr(room, name, partial(of_parts_alone, getattr(room, name)))
    assert ask(f"lake:{prepared}", question, capsys)[:2] == expected[:2]


def test_what_was_prepared_goes_with_the_state_that_it_was_of(
    stored, tmp_path, export, monkeypatch
):
    db, lake = str(tmp_path / "f.sqlite3"), tmp_path / "lake"
    shutil.copy(stored[0], db)
    export(db, lake)
    assert not (lake / PREPARED).exists(), "it is as quickly read"
    monkeypatch.setattr(population_cache, "MIN_CRASHES", 1)
    export(db, lake)
    (of_before,) = (lake / PREPARED).iterdir()
    (lake / PREPARED / "population-of-another").mkdir()
    (lake / PREPARED / "population-killed.part").mkdir()
    export(db, lake)
    assert list((lake / PREPARED).iterdir()) == [of_before]
    assert main(["fleet", "forget", "--host", "node-7", "--apply", "--db", db]) == 0
    with monkeypatch.context() as patch:
        patch.setattr(lake_export.shutil, "rmtree", lambda _: (_ for _ in ()).throw(OSError("x")))
        assert f"{lake / PREPARED} has older crashes" in export(db, lake, 1)
    export(db, lake)
    (of_now,) = (lake / PREPARED).iterdir()
    assert of_now != of_before
    with open_database(f"lake:{lake}", write=False) as engine:
        assert "node-7" not in load_population(engine).hosts


def test_a_server_over_a_lake_answers_of_its_newest_state(stored, tmp_path, export, monkeypatch):
    """Views, and the name under which a population is kept, are those of one state."""
    db, lake = str(tmp_path / "f.sqlite3"), tmp_path / "lake"
    shutil.copy(stored[0], db)
    export(db, lake)
    monkeypatch.setattr(population_cache, "MIN_CRASHES", 1)
    manifest = json.loads((lake / MANIFEST).read_text())
    manifest["tables"]["crash"] = {}
    with open_database(f"lake:{lake}", write=False) as engine:
        with engine.connect() as before:
            (lake / MANIFEST).write_text(json.dumps(manifest))
            with engine.connect() as after:
                states = [c.info[population_cache.LAKE_STATE] for c in (before, after)]
                counts = [
                    c.exec_driver_sql("SELECT count(*) FROM crash").scalar()
                    for c in (before, after)
                ]
        assert states[0] != states[1] and counts[0] > counts[1] == 0
        assert load_population(engine).day.size == 0
        assert states[1] == population_cache.state_identity_of_lake(read_manifest(lake))
        export(db, lake)
        assert load_population(engine).day.size == counts[0]


@pytest.mark.parametrize(
    "problem", [EpiError("x"), OSError("full"), MemoryError(), duckdb.Error("of the driver")]
)
def test_an_export_is_done_where_preparing_fails(stored, tmp_path, export, problem, monkeypatch):
    def fail(*_args, **_options):
        raise problem

    monkeypatch.setattr(lake_prepare, "load_population", fail)
    assert "written" in export(stored[0], tmp_path / "lake")


def test_nobody_exports_while_a_lake_is_prepared(stored, tmp_path, export, monkeypatch):
    lake = tmp_path / "lake"

    def meanwhile(*_args, **_options):
        assert "another export writes" in export(stored[0], lake, 1)
        raise EpiError("tried")

    monkeypatch.setattr(lake_prepare, "load_population", meanwhile)
    export(stored[0], lake)
    monkeypatch.undo()
    assert " 0 files written" in export(stored[0], lake)


@pytest.mark.heavy
def test_a_replay_over_a_lake_is_that_of_its_database(stored, capsys):
    db, lake = stored
    code, out, _ = ask(db, "screen --replay --json", capsys)
    assert code == 0 and "two-faces" in out
    assert ask(f"lake:{lake}", "screen --replay --json", capsys) == (0, out, "")


def test_cells_are_the_crashes_that_questions_count(stored):
    """One SQL over two engines, against what the reader of rows gives."""
    db, lake = stored
    counts = []
    for name in (db, f"lake:{lake}"):
        with open_database(name, write=False) as engine, engine.connect() as connection:
            execute = sqlalchemy_executor(connection)
            counts.append(sorted(read_cells(execute), key=str))
            hosts = dict(map(tuple, execute("SELECT id, name FROM host", {})))
            texts = dict(map(tuple, execute("SELECT id, text FROM sig", {})))
    assert counts[0] == counts[1]
    with open_database(db, write=False) as engine:
        population = load_population(engine)
    timed = population.has_time
    expected = Counter(
        (day, population.hosts[host] if host >= 0 else None,
         population.signatures[sig] if sig >= 0 else None)
        for day, host, sig in zip(
            population.day[timed].tolist(), population.host[timed].tolist(),
            population.signature[timed].tolist(), strict=True,
        )
    )  # fmt: skip
    by_name: Counter[object] = Counter()
    for cell in counts[0]:
        if cell.day is not None:
            by_name[cell.day, hosts.get(cell.host_id), texts.get(cell.sig_id)] += cell.crashes
    assert by_name == expected
    assert sum(c.crashes for c in counts[0]) == population.day.size
    assert int(np.count_nonzero(~timed)) == 2


ODD = {
    "hexadecimal": "id = id",
    "capitals": "core_key = upper(core_key)",
    "odd lengths": "core_key = substr(core_key, 1, 7 + id % 9)||'-'||id",
    "a clock that is off": "ts = ts - 100 * 86400",  # too few to tell which host's
}


@pytest.mark.parametrize("odd", ODD)
def test_the_population_of_a_lake_is_that_of_its_database(stored, odd, tmp_path, export):
    """Column by column; the clock's crash lies where its neighbours do."""
    db, lake = str(tmp_path / "f.sqlite3"), tmp_path / "lake"
    shutil.copy(stored[0], db)
    with open_database(db, write=True) as engine, engine.begin() as connection:
        where = "id = 300" if "clock" in odd else "id % 2"
        assert connection.exec_driver_sql(f"UPDATE crash SET {ODD[odd]} WHERE {where}").rowcount
    export(db, lake)
    read = []
    for name in (db, f"lake:{lake}"):
        with open_database(name, write=False) as engine, engine.connect() as connection:
            read.append(population_read.read_population(connection))
    of_database, of_lake = read
    is_hex = odd in ("hexadecimal", "a clock that is off")
    assert of_lake.core_keys.packed.dtype.kind == ("V" if is_hex else "S")
    assert list(of_lake.core_keys) == list(of_database.core_keys)
    assert of_lake.quality == of_database.quality
    assert of_lake.quality["stray"] == ("clock" in odd)
    for name in ("day", "second", "host", "signature", "cpu", "bitflip", "has_host_hours"):
        assert np.array_equal(getattr(of_lake, name), getattr(of_database, name)), name
    for one, two in zip(of_lake.attributes, of_database.attributes, strict=True):
        assert one[:2] == two[:2] and np.array_equal(one.crash, two.crash), one.name


WRITERS = (
    "confirm 1", "dismiss 1", "reopen 1", "mark host node-7 --drained",
    "mark signature two-faces --acknowledged", "screen", "screen --exit-code", "exclude --apply",
    "digest --notify http://127.0.0.1:9/", "exposure {hours}", "ingest /dev/null", "reproject",
    "forget --host node-7", "forget --host node-7 --apply", "prune --older-than 1d",
    "prune --older-than 1d --apply",
)  # fmt: skip
EXPORTS = (
    "--output {out}", "--whole --output {out}", "--otel --output {out}",
    "--format parquet --output {out}", "--format lake --output {out}",
)  # fmt: skip


def files_of(lake):
    """The content of all files of a lake."""
    return {path: path.read_bytes() for path in lake.rglob("*") if path.is_file()}


@pytest.mark.parametrize("words", WRITERS)
def test_what_writes_refuses_a_lake_in_one_line(stored, words, capsys):
    """A dry run of it too: what it says would be of no use."""
    db, lake = stored
    before = files_of(lake)
    place = f"lake:{lake}"
    code, out, err = ask(place, words.format(hours=Path(db).parent / "hours.csv"), capsys)
    assert code == 1 and out == "" and err.count("\n") == 1
    assert f"{place} is read-only; try: --db" in err
    assert files_of(lake) == before


@pytest.mark.parametrize("words", EXPORTS)
def test_a_lake_is_no_source_of_an_export(stored, words, tmp_path, capsys):
    """It has no whole records: an export of none would look like a fleet without crashes."""
    place = f"lake:{stored[1]}"
    target = tmp_path / "out"
    code, out, err = ask(place, f"export {words.format(out=target)}", capsys)
    assert code == 1 and out == "" and err.count("\n") == 1
    assert "is an export itself, and holds no whole records; try: --db" in err
    assert not target.exists()


def test_an_export_writes_the_days_that_changed(tmp_path, export, capsys):
    db, lake = str(tmp_path / "f.sqlite3"), tmp_path / "lake"
    fill(db, tmp_path)
    assert " 0 unchanged, 0 removed" in export(db, lake)
    before = read_manifest(lake).tables
    assert export(db, lake).endswith(f"0 files written, {len(_files(lake))} unchanged, 0 removed\n")
    again = full(1 << 80, time={"crash_ts": (FIRST_DAY + 7) * DAY + 9.0})
    better = full(5 << 64, quality=7.0, time={"crash_ts": (FIRST_DAY + 5) * DAY + 500})
    with open_database(db, write=True) as engine:
        assert ingest(engine, (("t", r) for r in (again, better))).replaced == 1
    assert "written" in export(db, lake)
    after = read_manifest(lake).tables
    changed = {part for part in after["crash"] if after["crash"][part] != before["crash"][part]}
    assert changed == {"date=2026-01-12", "date=2026-01-10"}
    assert after["exposure"] == before["exposure"] and len(after["exposure"]) == 20
    assert ask(f"lake:{lake}", "check", capsys) == ask(db, "check", capsys)


@pytest.mark.heavy
def test_what_is_forgotten_leaves_the_lake_with_the_next_export(tmp_path, export, capsys):
    db, lake = str(tmp_path / "f.sqlite3"), tmp_path / "lake"
    fill(db, tmp_path)
    export(db, lake)
    # A file that a killed export left.
    stray = lake / "crash" / "date=1999-01-01" / "0.parquet"
    stray.parent.mkdir()
    shutil.copy(_files(lake)[0], stray)
    assert main(["fleet", "forget", "--host", "node-7", "--apply", "--db", db]) == 0
    assert str(lake) in capsys.readouterr().out, "exports are named"
    assert " 0 removed" not in export(db, lake)
    assert not stray.parent.exists()
    assert len(_files(lake)) == len(read_manifest(lake).file_names())
    hosts = f"SELECT name FROM read_parquet('{lake}/host/*.parquet')"
    assert ("node-7",) not in duckdb.sql(hosts).fetchall()
    assert ask(f"lake:{lake}", "top", capsys) == ask(db, "top", capsys)
    words = ["--older-than", "1d", "--keep", "1", "--apply"]
    assert main(["fleet", "prune", *words, "--db", db]) == 0
    export(db, lake)
    for question in ("top", "suspects", "check"):
        assert ask(f"lake:{lake}", question, capsys) == ask(db, question, capsys)
    assert main(["fleet", "reproject", "--db", db]) == 0
    export(db, lake)
    assert ask(f"lake:{lake}", "top", capsys) == ask(db, "top", capsys)


def test_a_lake_without_crashes(tmp_path, export, capsys):
    """Its tables by day have no file."""
    db, lake = str(tmp_path / "f.sqlite3"), tmp_path / "lake"
    with open_database(db, write=True):
        pass
    export(db, lake)
    for question in ("top", "suspects", "check", "findings"):
        assert ask(f"lake:{lake}", question, capsys) == ask(db, question, capsys)


def test_what_a_lake_is_not(stored, tmp_path, export, capsys):
    db, lake = stored
    place = f"lake:{lake}"
    code, _, err = ask(place, "screen", capsys)
    assert code == 1 and f"{place} is read-only" in err
    keys = f"SELECT min(core_key) FROM read_parquet('{lake}/crash/*/*')"
    ((key,),) = duckdb.sql(keys).fetchall()
    assert ask(db, f"show {key}", capsys)[0] == 0
    code, _, err = ask(place, f"show {key}", capsys)
    assert code == 3 and "a lake holds no whole records" in err
    assert ask(f"lake:{tmp_path / 'none'}", "top", capsys)[0] == 3
    (tmp_path / "notes").write_text("mine")
    assert "is no lake, and not empty" in export(db, tmp_path, 3)
    other = str(tmp_path / "other.sqlite3")
    with open_database(other, write=True):
        pass
    assert f"is a lake of {db}" in export(other, lake, 3).replace("sqlite:///", "")
    copied = tmp_path / "copied"
    shutil.copytree(lake, copied)
    gone = next(f for f in _files(copied) if "crash" in f.parts)
    gone.unlink()
    code, _, err = ask(f"lake:{copied}", "top", capsys)
    assert code == 1 and gone.name in err
    manifest = json.loads((copied / MANIFEST).read_text())
    for schema, advice in ((1, "fleet export into it again"), (999, "upgrade gdb-epi")):
        (copied / MANIFEST).write_text(json.dumps({**manifest, "schema": schema}))
        code, _, err = ask(f"lake:{copied}", "top", capsys)
        assert code == 1 and advice in err
    for content in ("", "{}", json.dumps({"format": "gdb-epi/lake/9"}), '{"format": 1'):
        (copied / MANIFEST).write_text(content)
        assert ask(f"lake:{copied}", "top", capsys)[0] == 1
    assert main(["fleet", "export", "--format", "lake", "--db", db]) == 2


def _files(lake: Path) -> list[Path]:
    return sorted(lake.rglob("*.parquet"))

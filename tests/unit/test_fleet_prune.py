# SPDX-License-Identifier: Apache-2.0
"""What a prune leaves, and that no question takes its day for the beginning of anything."""

from __future__ import annotations

import json
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sqlalchemy import select
from unit.fleet_records import full
from unit.test_fleet_archive import rows_of_tables
from unit.test_fleet_ingest import rows

from gdb_epi.cli.fleet.data import prune as prune_verb
from gdb_epi.cli.main import main
from gdb_epi.errors import InputError
from gdb_epi.fleet.population.cache import load_population, load_population_without_attributes
from gdb_epi.fleet.questions.onset import find_onset
from gdb_epi.fleet.questions.quality import check_quality
from gdb_epi.fleet.questions.signatures import compare_windows, epidemic_curve, new_signatures
from gdb_epi.fleet.store import tables
from gdb_epi.fleet.store.database import open_database
from gdb_epi.fleet.store.exposure import HostDay, store_exposure
from gdb_epi.fleet.store.ingest import ingest

DAY = 86_400
NOW = time.time()  # the age is counted from now
TODAY = int(NOW // DAY)
CUT = TODAY - 180
BAD = "node-3"


@pytest.fixture(autouse=True)
def surroundings(monkeypatch):
    """Those in which every test of a prune runs."""
    wide_and_timeless(monkeypatch)


def wide_and_timeless(monkeypatch):
    """Let no line be folded, and no midnight come between NOW and a prune."""
    monkeypatch.setenv("COLUMNS", "1000")
    monkeypatch.setattr(prune_verb, "time", SimpleNamespace(time=lambda: NOW))


def crash(number, days_ago, host=None):
    """A record of the signature `number % 7`."""
    when = {"crash_ts": (TODAY - days_ago) * DAY + 60.0 * (number % 1000)}
    host = host or f"node-{number % 11 + 10}"
    return full(number, host={"hostname": host}, time=when)


def fill(db):
    """300 days: signatures 0 to 3 all the time, 4 long ago, 5 long ago and again, 6 new."""
    many = [crash(7 * n + n % 4, 300 - n // 4) for n in range(1196)]
    many += [crash(70_000 + 7 * n + 4, 290 - n) for n in range(30)]
    many += [crash(84_005, 250), crash(84_011, 260, BAD), crash(84_018, 261, BAD)]
    many += [crash(91_000 + 7 * n + 5, 2 - n % 2) for n in range(8)]  # 5 again
    many += [crash(91_006 + 7 * n, 3) for n in range(5)]
    hosts = [BAD, *(f"node-{h}" for h in range(10, 21))]
    hours = (HostDay(TODAY - d, h, 24.0, {"rack": "a"}) for d in range(301) for h in hosts)
    with open_database(db, write=True) as engine:
        ingest(engine, [("t", record) for record in many])
        store_exposure(engine, (("t", row) for row in hours))
    assert main(["fleet", "mark", "host", BAD, "--suspect", "--db", db]) == 0


def cores(db):
    """Core key -> day and signature."""
    c = tables.crash.c
    chosen = select(c.core_key, c.ts, tables.sig.c.key).join(
        tables.sig, tables.sig.c.id == c.sig_id
    )
    return {key: (int(ts // DAY), sig, ts) for key, ts, sig in rows(db, chosen)}


def asked(db):
    """What the questions say of the time since the day of the prune."""
    with open_database(db, write=False) as engine:
        new = [
            (row.key, row.crashes)
            for row in new_signatures(
                engine, load_population_without_attributes(engine), 7, NOW, 50
            )
        ]
        days = [
            row
            for row in epidemic_curve(load_population_without_attributes(engine), None)
            if row.day >= CUT
        ]
        recent = ((CUT * DAY, (CUT + 60) * DAY), ((CUT + 60) * DAY, NOW))
        changes = compare_windows(
            engine, load_population_without_attributes(engine), *recent, 50
        ).rows
        p = load_population(engine)
        p = p.select(p.day >= CUT, p.exposure_day >= CUT)
        host, signature = np.array(p.hosts)[p.host], np.array(p.signatures)[p.signature]
        columns = [p.core_keys.keys_under(p.day > 0), p.day, host, signature, p.exposure_day]
    return new, days, changes, [list(column) for column in columns]


def _day(number):
    return time.strftime("%Y-%m-%d", time.gmtime(number * DAY))


def check_pruned(db, tmp_path, capsys):
    """Prune a database and compare the answers with those from before."""
    fill(db)
    before, all_tables, answers = cores(db), rows_of_tables(db), asked(db)
    words = ["fleet", "prune", "--older-than", "180d", "--keep", "2", "--db", db]
    capsys.readouterr()
    assert main(words) == 0
    dry = capsys.readouterr().out
    assert (
        "dry run" in dry
        and "would go" in dry
        and f"2 of these are of suspected hosts: {BAD}" in dry
    )
    assert rows_of_tables(db) == all_tables
    assert main([*words, "--apply"]) == 0
    out = capsys.readouterr().out
    after = cores(db)
    gone = before.keys() - after.keys()
    assert f"deleted, from before {_day(CUT)}: {len(gone)} crashes" in out
    assert dry.splitlines()[0].split(":", 1)[1] == out.splitlines()[0].split(":", 1)[1]
    expected = {key for key, (day, *_) in before.items() if day >= CUT}
    for signature in {sig for _, sig, _ in before.values()}:
        mine = sorted((ts, key) for key, (_, sig, ts) in before.items() if sig == signature)
        expected |= {mine[0][1], mine[-1][1], mine[-2][1]}
    bad = {f"{84_000 + n:032x}" for n in (11, 18)}
    assert after.keys() == expected | bad and len(gone) > 400
    # The same answers of the time since then, by the same questions.
    assert asked(db) == answers
    assert [key for key, _ in answers[0]] == [f"{6:016x}"], "of two that came, one is new"
    with open_database(db, write=False) as engine:
        population = load_population(engine)
        assert int(population.day.min()) >= CUT and int(population.exposure_day.min()) >= CUT
        again = next(n for n, name in enumerate(population.signatures) if "f5" in name)
        assert "it came before" in " ".join(find_onset(population, again).caveats)
        assert find_onset(population, again).first_crash is None
        assert any("were pruned" in check.text for check in check_quality(population))
        with pytest.raises(InputError, match="were pruned"):
            compare_windows(
                engine,
                load_population_without_attributes(engine),
                ((CUT - 9) * DAY, CUT * DAY),
                (CUT * DAY, NOW),
                50,
            )
    capsys.readouterr()
    assert main(["fleet", "trend", "--db", db]) == 0
    assert f"before {_day(CUT)} crashes were pruned" in capsys.readouterr().out
    warning = f"Crashes before {_day(CUT)} were pruned: of then there may have been more"
    for verb, is_said in (("show 0000000000000005", 1), ("seen 0000000000000004", 1), ("top", 1),
                          ("show 0000000000000006", 0), (f"show {BAD}", 1)):  # fmt: skip
        assert main(["fleet", *verb.split(), "--db", db]) == 0
        assert capsys.readouterr().out.count(warning) == is_said, verb
    # No id leads nowhere, an export has it all, and once more changes nothing.
    kept = rows_of_tables(db)
    assert main(["fleet", "reproject", "--db", db]) == 0
    assert rows_of_tables(db) == kept
    whole, other = str(tmp_path / "whole.jsonl"), str(tmp_path / "other.sqlite3")
    assert main(["fleet", "export", "--whole", "--output", whole, "--db", db]) == 0
    assert main(["fleet", "ingest", whole, "--db", other]) == 0
    assert asked(other)[:3] == answers[:3]
    capsys.readouterr()
    assert main([*words, "--apply"]) == 0
    assert ": nothing\n" in capsys.readouterr().out
    return dry


def test_what_a_prune_leaves(tmp_path, capsys):
    db = str(tmp_path / "f.sqlite3")
    dry = check_pruned(db, tmp_path, capsys)
    assert "records: " in dry and "kB" in dry, "sizes of the tables"


def test_open_findings_keep_their_cores(tmp_path, capsys):
    db = str(tmp_path / "f.sqlite3")
    fill(db)
    keys = [f"{70_004 + 7 * n:032x}" for n in (3, 4)]
    row = {"day": CUT, "attr": "rack", "value": "a", "signature": "*", "n": 2}
    with open_database(db, write=True) as engine, engine.begin() as connection:
        connection.execute(
            tables.finding.insert().values(**row, detail=json.dumps({"cores": keys}))
        )
    size = Path(db).stat().st_size
    assert main(["fleet", "prune", "--older-than", "180", "--apply", "--db", db]) == 0
    assert set(keys) <= cores(db).keys()
    assert Path(db).stat().st_size < size, "the file is smaller"


@pytest.mark.parametrize("age", ["0d", "-1", "x", "99999999d", "0000000099999999", "1y", ""])
def test_ages_that_are_none_are_refused(tmp_path, capsys, age):
    assert main(["fleet", "prune", f"--older-than={age}", "--db", str(tmp_path / "f")]) == 2

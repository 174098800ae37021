# SPDX-License-Identifier: Apache-2.0
"""An export of the whole makes the same database, table by table; what can be read is read."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import select
from support.shell import Shell
from unit.fleet_records import full, minimal

from gdb_epi.cli.main import main
from gdb_epi.fleet.decisions.finding_states import stored_findings
from gdb_epi.fleet.decisions.news import unsent_news
from gdb_epi.fleet.decisions.record_decision import DecisionToRecord, record_decision
from gdb_epi.fleet.records.packing import unpack_record
from gdb_epi.fleet.store import tables
from gdb_epi.fleet.store.database import open_database
from gdb_epi.fleet.store.ingest import crash_count, ingest
from gdb_epi.fleet.store.schema_version import PRUNED_BEFORE, SCREENED

ROOT = Path(__file__).resolve().parents[2]
DAY = 86_400


@pytest.fixture
def filled(tmp_path):
    """A database with something in every table."""
    return fill(str(tmp_path / "f.sqlite3"), tmp_path)


def fill(db, folder):
    """Put something into every table of a database."""
    hours = folder / "hours.csv"
    rows = [f"{20_417 + d},24,node-{h},r{h % 2}" for d in range(5) for h in range(60)]
    hours.write_text("day,hours,host,rack\n" + "\n".join(rows) + "\n")
    records = [full(n) if n % 3 else minimal(n) for n in range(60)]
    flip = {"bitflip": True, "lock_inherited": False}
    for n in range(40):
        host = {"hostname": "node-7", "machine_id": "m7"}
        when = {"crash_ts": 20_418 * DAY + n}
        records.append(minimal(1000 + n, host=host, time=when, flags=flip))
    # A clock far ahead of its day, and a file's date.
    records += [minimal(2000, time={"crash_ts": 4e9}),
                minimal(2001, time={"crash_ts": 1.7e9, "ts_source": "mtime"})]  # fmt: skip
    keys = {"stable": "5" * 16, "coarse": "6" * 12, "exact": "7" * 16, "strict": "8" * 16}
    records.append(minimal(3000, signature={"version": "gsig/2", "keys": keys}))
    assert main(["fleet", "exposure", str(hours), "--db", db]) == 0
    with open_database(db, write=True) as engine:
        ingest(engine, [("t", record) for record in records])
        ingest(engine, [("bad", {"schema": "other"})])
    assert main(["fleet", "screen", "--db", db]) == 0
    main(["fleet", "confirm", "1", "--note", "DIMM 3", "--db", db])
    with open_database(db, write=True) as engine:
        record_decision(
            engine,
            DecisionToRecord("signature", f"{3:016x}", "ann", fixed_in="2.3", version_of="rack"),
            1.8e9,
        )
        record_decision(
            engine, DecisionToRecord("host", "node-7", "bob", "drained", ticket="HW-1"), 1.8e9
        )
        with engine.begin() as connection:
            connection.execute(tables.notice.insert().values(at=1.0, channel="c", subject="s"))
            connection.execute(tables.meta.insert().values(key=PRUNED_BEFORE, value="20410"))
            mine = (
                select(tables.crash.c.core_key).where(tables.crash.c.sig_id.is_not(None)).limit(1)
            )
            key = connection.execute(mine).scalar_one()
            connection.execute(tables.examined.insert().values(key="k", core_key=key, at=1.0))
    return db


def rows_of_tables(db):
    """All rows of every table; ids of dimensions are replaced by what they stand for."""
    with open_database(db, write=False) as engine, engine.connect() as connection:
        rows = {
            table.name: [dict(row._mapping) for row in connection.execute(table.select())]
            for table in tables.metadata.sorted_tables
        }
    del rows["change"]  # counts writes
    named = {
        name: {row["id"]: tuple(v for k, v in row.items() if k != "id") for row in rows[name]}
        for name in ("sig", "trace", "host", "lib", "libset", "attrset")
    }
    for name, some in rows.items():
        for row in some:
            for column, value in list(row.items()):
                kind = column.removesuffix("_id").replace("factset", "attrset")
                if column.endswith("_id") and kind in named and value is not None:
                    row[column] = named[kind][value]
            if name == "raw":
                row["record"] = unpack_record(row["record"])
            elif name in named:
                del row["id"]
    return {name: sorted(map(repr, some)) for name, some in rows.items()}


def test_an_export_of_the_whole_makes_the_same_database(filled, tmp_path, capsys):
    whole, other = tmp_path / "whole.jsonl", str(tmp_path / "other.sqlite3")
    assert main(["fleet", "export", "--whole", "--output", str(whole), "--db", filled]) == 0
    assert main(["fleet", "ingest", str(whole), "--db", other]) == 0
    before, after = rows_of_tables(filled), rows_of_tables(other)
    # Which files were read here is nothing for another database.
    assert before["examined"] and not after["examined"]
    before["examined"] = after["examined"]
    # Nor when this one was screened: another one may hold crashes that no screening has seen.
    before["meta"] = [row for row in before["meta"] if SCREENED not in row]
    assert before.keys() == after.keys()
    assert all(before[name] for name in before if name != "examined"), "no table is empty here"
    for name, rows in before.items():
        assert after[name] == rows, name
    # Once more changes nothing.
    assert main(["fleet", "ingest", str(whole), "--db", other]) == 0
    assert rows_of_tables(other) == before
    again = tmp_path / "again.jsonl"
    assert main(["fleet", "export", "--whole", "--output", str(again), "--db", other]) == 0
    assert again.read_bytes() == whole.read_bytes()


def test_an_export_of_records_says_what_it_leaves_out(filled, tmp_path, capsys):
    path = tmp_path / "records.jsonl"
    capsys.readouterr()
    assert main(["fleet", "export", "--output", str(path), "--db", filled]) == 0
    error = capsys.readouterr().err
    findings = len(rows_of_tables(filled)["finding"])
    counts = f"300 host-days, {findings} finding{'s' * (findings > 1)}, 3 decisions"
    assert findings and f"{counts} left out; --whole keeps them" in error
    schemas = {json.loads(line)["schema"] for line in path.read_text().splitlines()}
    assert schemas == {"gdb-epi/record/1"}


def test_a_later_decision_wins_and_damaged_lines_are_refused(filled, tmp_path, capsys):
    whole = tmp_path / "whole.jsonl"
    main(["fleet", "export", "--whole", "--output", str(whole), "--db", filled])
    main(["fleet", "dismiss", "1", "--note", "no", "--db", filled])
    assert main(["fleet", "ingest", str(whole), "--db", filled]) == 0
    main(["fleet", "findings", "--json", "--db", filled])
    out = capsys.readouterr().out
    assert '"state": "dismissed"' in out and '"note": "no"' in out
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"schema": "gdb-epi/fleet-mark/1", "rows": [{"at": 1}]}\n')
    before = rows_of_tables(filled)
    assert main(["fleet", "ingest", str(bad), "--db", filled]) == 3
    assert "damaged" in capsys.readouterr().err and rows_of_tables(filled) == before


_HOUR_ROW = [20_417, {"rack": "r"}, [["node-1", "", 24]]]
_MARK = {
    "at": 1.8e9, "who": "ann", "about": "host", "kind": "", "name": "node-1", "state": "drained",
    "version": None, "version_of": None, "owner": None, "ticket": None, "note": None,
    "until": None,
}  # fmt: skip
_FINDING = {
    "day": 20_417, "attr": "host", "value": "node-1", "signature": "*", "n": 9, "rr": 3.0,
    "p": 0.1, "q": 0.1, "detail": "{}", "state": "open", "note": None, "decided_at": None,
    "decided_n": None, "decided_p": None, "raised": 1,
}  # fmt: skip


@pytest.mark.parametrize(
    "kind, row",
    [
        ("pruned", float("inf")), ("pruned", 99_999_999_999), ("pruned", 90_000),
        ("exposure", [10**30, *_HOUR_ROW[1:]]), ("exposure", [99_999_999_999, *_HOUR_ROW[1:]]),
        ("exposure", [20_417, {}, [["node-1", "", float("inf")]]]),
        ("finding", {**_FINDING, "day": 99_999_999_999}), ("finding", {**_FINDING, "n": 1e300}),
        ("mark", {**_MARK, "until": 1e200}), ("mark", {**_MARK, "at": float("nan")}),
        ("received", ["key", float("nan")]),
    ],
)  # fmt: skip
def test_no_line_of_an_export_makes_a_database_that_cannot_be_asked(tmp_path, capsys, kind, row):
    """A day that no calendar has, or one to come: it raised in every question that showed it."""
    db, path = str(tmp_path / "f.sqlite3"), tmp_path / "lines.jsonl"
    good = {"exposure": _HOUR_ROW, "mark": _MARK, "finding": _FINDING, "received": ["key", 1.8e9],
            "pruned": 20_000}  # fmt: skip
    for line, expected in ((good[kind], 0), (row, 3)):
        path.write_text(json.dumps({"schema": f"gdb-epi/fleet-{kind}/1", "rows": [line]}) + "\n")
        assert main(["fleet", "ingest", str(path), "--db", db]) == expected
    assert f"a damaged line of {kind}" in capsys.readouterr().err
    for verb in ("check", "trend", "findings", "states", "top"):
        assert main(["fleet", verb, "--db", db]) == 0


@pytest.mark.parametrize(
    "detail",
    [
        {"caveats": 5, "cores": 7, "test": 3, "exposure": [], "verdict": {"a": 1}},
        {"caveats": [1, {}], "cores": [None], "rr_interval": ["low", "high"]},
        {"rr_interval": 5}, {"rr_interval": [10**400, None]},
        [], "[" * 100_000, '{"verdict": "cut off in the mid',
    ],
)  # fmt: skip
def test_a_finding_that_says_odd_things_is_shown_sent_and_forgotten(tmp_path, capsys, detail):
    db, path = str(tmp_path / "f.sqlite3"), tmp_path / "lines.jsonl"
    column = detail if isinstance(detail, str) else json.dumps(detail)
    rows = [{**_FINDING, "detail": column}, {**_FINDING, "value": "node-2", "detail": column}]
    path.write_text(json.dumps({"schema": "gdb-epi/fleet-finding/1", "rows": rows}) + "\n")
    assert main(["fleet", "ingest", str(path), "--db", db]) == 0
    asked = [["findings"], ["findings", "--json"], ["digest"], ["prune", "--older-than", "9"]]
    for words in (*asked, ["forget", "--host", "node-1", "--apply"]):
        assert main(["fleet", *words, "--db", db]) == 0, words
    with open_database(db, write=False) as engine:
        assert len(unsent_news(engine, "http://127.0.0.1/")) == 1


def test_a_finding_with_many_cores_comes_back_whole(tmp_path):
    """Its detail is longer than any other text that the tables have."""
    cores = [f"{n:040x}" for n in range(100)]
    row = {**_FINDING, "detail": json.dumps({"verdict": "v", "cores": cores})}
    first, second = (str(tmp_path / f"{n}.sqlite3") for n in (1, 2))
    path = tmp_path / "lines.jsonl"
    path.write_text(json.dumps({"schema": "gdb-epi/fleet-finding/1", "rows": [row]}) + "\n")
    assert main(["fleet", "ingest", str(path), "--db", first]) == 0
    assert main(["fleet", "export", "--whole", "--output", str(path), "--db", first]) == 0
    assert main(["fleet", "ingest", str(path), "--db", second]) == 0
    with open_database(second, write=False) as engine:
        assert stored_findings(engine)[0].detail["cores"] == cores


def test_a_pipe_of_the_shell_is_read(filled, tmp_path):
    """`ingest <(...)` and `exposure <(...)`: bash gives the name of a pipe."""
    db = str(tmp_path / "piped.sqlite3")
    whole, hours = tmp_path / "whole.jsonl", tmp_path / "hours.csv"
    main(["fleet", "export", "--whole", "--output", str(whole), "--db", filled])
    tool = f"{sys.executable} -m gdb_epi.cli.main fleet"
    for verb, path in (("ingest", whole), ("exposure", hours)):
        done = subprocess.run(
            ["bash", "-c", f"{tool} {verb} <(cat {path}) --db {db}"],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
    with open_database(db, write=False) as engine:
        assert crash_count(engine) == 103
    assert rows_of_tables(db)["exposure"] == rows_of_tables(filled)["exposure"]


def test_a_database_that_nobody_may_write_is_read(filled, tmp_path):
    place = tmp_path / "read only"
    place.mkdir()
    shutil.copy(filled, place / "f.sqlite3")
    (place / "f.sqlite3").chmod(0o444)
    place.chmod(0o555)
    shell = Shell(tmp_path)
    shell.without_rights()
    key = f"{3:016x}"
    try:
        for verb in (["top"], ["seen", key], ["suspects"], ["states"], ["export", "--whole"],
                     ["findings"], ["exclude"]):  # fmt: skip
            done = shell("fleet", *verb, "--db", place / "f.sqlite3")
            assert (done.code, done.err) == (0, ""), verb
            assert done.out
        done = shell("fleet", "screen", "--db", place / "f.sqlite3")
        assert done.code == 1 and "make the file and its folder writable" in done.err
        assert sorted(os.listdir(place)) == ["f.sqlite3"]
    finally:
        place.chmod(0o755)

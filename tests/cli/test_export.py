# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet export`: what other tools read back is what was stored."""

from __future__ import annotations

import json
from datetime import datetime, timezone

import duckdb
import pyarrow.parquet as pq
import pytest
from support.demo_fleet import dressed
from support.fleet_simulator import simulate

from gdb_epi.cli.main import main
from gdb_epi.fleet.records.flat_rows import COLUMNS, flat_row
from gdb_epi.fleet.store.database import open_database
from gdb_epi.fleet.store.ingest import ingest
from gdb_epi.suggestions import install_command

EVIL = "'; DROP TABLE x; --\u202e\x00<b>"


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A small fleet, and a record that is hostile."""
    fleet = simulate(5, hosts=30, days=5, per_day=12)
    records = list(dressed(fleet, few_signatures=False))
    odd = {"schema": "gdb-epi/record/1", "core_key": "f" * 32, "time": {"crash_ts": 1e300},
           "host": {"hostname": EVIL, "attributes": {EVIL: EVIL}}, "threads": {"crashed": [1]},
           "process": {"pid": 2**40, "comm": EVIL}}  # fmt: skip
    path = tmp_path_factory.mktemp("export") / "f.sqlite3"
    with open_database(str(path), write=True) as engine:
        assert ingest(engine, (("t", r) for r in [*records, odd])).added == len(records) + 1
    return str(path), records


@pytest.fixture
def exported(stored, tmp_path, capsys):
    """Export to a file and return its path."""

    def export(name, *words):
        path = tmp_path / name
        code = main(["fleet", "export", "--db", stored[0], "--output", str(path), *words])
        assert (code, capsys.readouterr().err) == (0, "")
        return path

    return export


def test_parquet_is_read_back_by_pyarrow(stored, exported):
    table = pq.read_table(exported("f.parquet", "--format", "parquet"))
    assert table.column_names == [column.name for column in COLUMNS]
    rows = {row["core_key"]: row for row in table.to_pylist()}
    assert len(rows) == table.num_rows == len(stored[1]) + 1
    for record in stored[1]:
        row, wanted = rows[record["core_key"]], flat_row(record)
        moment = datetime.fromtimestamp(record["time"]["crash_ts"], timezone.utc)
        assert row["time"] == moment
        assert dict(row["attributes"]) == record["host"]["attributes"]
        rest = [c.name for c in COLUMNS if c.name not in ("time", "attributes")]
        assert {n: row[n] for n in rest} == {n: wanted[n] for n in rest}
        assert row["host"] == record["host"]["hostname"]
        assert row["signature"] == record["signature"]["text"]["stable"]
        assert row["bitflip"] == record["flags"]["bitflip"]
        assert (
            row["stack"].splitlines()[-1]
            == f"main (/srv/app/__main__.py:{row['stack'].rsplit(':', 1)[1]}"
        )
    odd = rows["f" * 32]
    assert odd["time"] is None and odd["pid"] is None and odd["stack"] is None
    assert odd["host"].startswith("'; DROP TABLE x; --") and "\x00" not in odd["host"]


def test_duckdb_asks_the_parquet_file_and_the_lines(stored, exported):
    parquet = exported("f.parquet", "--format", "parquet")
    lines = exported("f.jsonl")
    bad = sum(r["flags"]["bitflip"] for r in stored[1])
    ask = f"SELECT count(*), count(DISTINCT host), sum(bitflip::int) FROM '{parquet}'"
    assert duckdb.connect().execute(ask).fetchone() == (
        len(stored[1]) + 1, len({r["host"]["hostname"] for r in stored[1]}) + 1, bad,
    )  # fmt: skip
    ask = f"SELECT attributes['rack'], count(*) FROM '{parquet}' GROUP BY 1 ORDER BY 1"
    assert len(duckdb.connect().execute(ask).fetchall()) >= 2
    ask = f"SELECT count(*) FROM read_json('{lines}', format='newline_delimited')"
    assert duckdb.connect().execute(ask).fetchone() == (len(stored[1]) + 1,)


def test_opentelemetry_names(stored, exported):
    table = pq.read_table(exported("o.parquet", "--format", "parquet", "--otel"))
    for name in ("host.name", "process.pid", "exception.type", "service.name", "timestamp",
                 "process.runtime.version", "thread.name", "exception.stacktrace"):  # fmt: skip
        assert name in table.column_names
    rows = [json.loads(x) for x in exported("o.jsonl", "--otel").read_text().splitlines()]
    named = {row["log.record.uid"]: row for row in rows}
    for record in stored[1]:
        row = named[record["core_key"]]
        attributes = record["host"]["attributes"]
        assert row["host.name"] == record["host"]["hostname"]
        assert row["container.image.name"] == attributes["image"]
        assert row["host.cpu.model.name"] == attributes["cpu_model"]
        assert row["os.version"] == attributes["kernel"]
        assert row["gdb_epi.host.rack"] == attributes["rack"]
        assert row["cpu.logical_number"] == record["cpu"]["number"]
        assert row["gdb_epi.signature.category"] == record["signature"]["category"]
        assert "process.pid" not in row, "absent values are absent"
    ours = {"gdb_epi", "host", "os", "service", "process", "thread", "exception", "log", "cpu",
            "timestamp", "container", "k8s", "cloud", "hw"}  # fmt: skip
    assert {name.partition(".")[0] for row in rows for name in row} <= ours


def test_a_real_core_under_opentelemetry_names(tmp_path, shell, cores):
    (record,) = shell.triage(cores[0], "--format", "json").records
    done = shell("fleet", "export", "--otel")
    row = json.loads(done.out)
    assert row["process.pid"] == record["process"]["pid"]
    assert row["exception.type"] == "SIGSEGV" and row["service.name"] == "program.py"
    assert row["process.runtime.version"] == "3.13.0" and row["process.runtime.name"] == "cpython"
    assert row["process.executable.build_id.gnu"] == record["process"]["build_id"]
    assert "copy_payload (" in row["exception.stacktrace"]


def test_a_dash_is_standard_output(stored, shell):
    as_usual = shell("fleet", "export", "--db", stored[0])
    assert len(as_usual.out.splitlines()) == len(stored[1]) + 1
    assert shell("fleet", "export", "--db", stored[0], "--output", "-") == as_usual
    for form, words in (("parquet", "Parquet needs a file"), ("lake", "a lake needs a folder")):
        done = shell("fleet", "export", "--db", stored[0], "--format", form, "--output", "-")
        assert (done.code, done.out) == (2, "") and words in done.err
    assert not (shell.folder / "-").exists()


def test_what_is_missing_or_wrong_is_said(stored, shell, tmp_path):
    done = shell("fleet", "export", "--db", stored[0], "--format", "parquet")
    assert done.code == 2 and "Parquet needs a file" in done.err
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['pyarrow'] = None\n")
    paths = f"{tmp_path}:{shell.env['PYTHONPATH']}"
    words = ("--format", "parquet", "--output", tmp_path / "x.parquet")
    done = shell("fleet", "export", "--db", stored[0], *words, env={"PYTHONPATH": paths})
    assert done.code == 1 and "pyarrow is not installed here" in done.err
    assert install_command("parquet") in done.err


@pytest.mark.parametrize(
    ("error", "code"),
    [(BrokenPipeError(32, "Broken pipe"), 0), (OSError(28, "No space left on device"), 1)],
)
def test_what_is_wrong_with_the_output_is_not_laid_on_the_database(
    stored, monkeypatch, capfd, error, code
):
    def fail(stream, lines):
        next(iter(lines))
        raise error

    monkeypatch.setattr("gdb_epi.cli.fleet.data.export._write_lines", fail)
    monkeypatch.setattr("gdb_epi.cli.main._discard_buffered_output", lambda: None)
    assert main(["fleet", "export", "--db", stored[0]]) == code
    assert "database" not in capfd.readouterr().err

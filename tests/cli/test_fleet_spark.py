# SPDX-License-Identifier: Apache-2.0
"""Spark SQL over the files of a lake: the same SQL counts the same cells on two workers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cli.test_fleet_lake import fill
from support.lake_cells import read_cells

from gdb_epi.cli.main import main
from gdb_epi.fleet.store.database import open_database
from gdb_epi.fleet.store.plain_sql import sqlalchemy_executor

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    """An interpreter with pyspark: that of $GDB_EPI_SPARK, or one that is made here."""
    if shutil.which("java") is None:
        pytest.skip("no java, which Spark runs on")
    if os.environ.get("GDB_EPI_SPARK"):
        return os.environ["GDB_EPI_SPARK"]
    folder = tmp_path_factory.mktemp("spark")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = str(folder / "bin" / "python")
    done = subprocess.run(
        [python, "-m", "pip", "install", "-q", "pyspark"], capture_output=True, text=True
    )
    if done.returncode:
        pytest.skip(f"pyspark cannot be installed here: {done.stderr.strip()[-200:]}")
    return python


@pytest.mark.heavy
def test_spark_counts_the_same_cells_on_two_workers(spark, tmp_path, capsys):
    db, lake = str(tmp_path / "f.sqlite3"), tmp_path / "lake"
    fill(db, tmp_path)
    decided = ["mark", "signature", "two-faces", "--acknowledged", "--owner", "o", "--db", db]
    assert main(["fleet", *decided]) == 0
    assert main(["fleet", "export", "--format", "lake", "--output", str(lake), "--db", db]) == 0
    with open_database(db, write=False) as engine, engine.connect() as connection:
        execute = sqlalchemy_executor(connection)
        expected = sorted(read_cells(execute), key=str)
        key = "SELECT kind, key FROM sig WHERE text LIKE '%two-faces%'"
        ((kind, value),) = [tuple(row) for row in execute(key, {})]
    capsys.readouterr()
    assert main(["fleet", "seen", value, "--db", db]) == 0
    _, *seen = capsys.readouterr().out.splitlines()
    program = ROOT / "tests" / "support" / "spark_lake.py"
    done = subprocess.run(
        [spark, str(program), str(lake), kind, value], capture_output=True, text=True,
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    answer = json.loads(done.stdout)
    assert answer["workers"] == 2
    assert sorted(map(tuple, answer["cells"]), key=str) == expected
    assert len(expected) > 300
    assert [line for line in answer["seen"] if "very core" not in line] == seen

# SPDX-License-Identifier: Apache-2.0
"""`epi push` inside every real GDB of this machine."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BOOTSTRAP = ROOT / "gdb_epi" / "gdb_epi_bootstrap.py"
KEY = "ed59cab39870482201c0545ac6c53ffc"  # core_key of the sample null-deref-ctypes


def gdbs() -> list[str]:
    """The GDBs beside this Python and on PATH."""
    beside = Path(sys.executable).parent / "gdb"
    paths = [str(beside)] if beside.exists() else []
    on_path = [shutil.which("gdb"), "/usr/bin/gdb" if Path("/usr/bin/gdb").exists() else None]
    return list(dict.fromkeys([*paths, *(path for path in on_path if path)]))


GDBS = gdbs() or [pytest.param("", marks=pytest.mark.skip(reason="no gdb"))]


def push(shell, gdb: str, *before: str, words: str = "") -> tuple[int, dict, str]:
    """Run `epi push` in a GDB; return its exit code, its JSON answer and all it printed."""
    answer = shell.folder / "answer.json"
    answer.unlink(missing_ok=True)
    command = [gdb, "-nx", "-nh", "-batch", *before, "-x", str(BOOTSTRAP)]
    command += ["-ex", f"epi push {words} --json --output {answer}"]
    env = {name: value for name, value in shell.env.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        command, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=env, timeout=120
    )
    data = json.loads(answer.read_text()) if answer.exists() else {}
    return done.returncode, data, done.stdout + done.stderr


@pytest.mark.parametrize("gdb", GDBS)
def test_push_keeps_the_record_and_the_shell_takes_it_in(shell, core, gdb):
    code, data, printed = push(shell, gdb, f"--core={core}")
    assert code == 0, printed
    assert data["core_key"] == KEY
    if data["outcome"] == "spooled":
        (path,) = shell.spooled
        assert data["spool"] == str(path)
        assert shell("fleet", "ingest").out.startswith("1 added")
    import sqlite3

    with closing(sqlite3.connect(shell.database)) as database:
        row = database.execute("SELECT core_key, signo, ts_source FROM crash").fetchone()
    assert row == (KEY, 11, "mtime")
    # The shell's own analysis of the same core finds it there.
    assert shell.triage(core).code == 0
    with closing(sqlite3.connect(shell.database)) as database:
        assert database.execute("SELECT count(*) FROM crash").fetchone() == (1,)


@pytest.mark.parametrize("gdb", GDBS)
def test_push_without_a_core_is_one_line(shell, gdb):
    _, data, printed = push(shell, gdb)
    assert data == {} and not shell.data.exists()
    assert "no process and no core" in printed and "Traceback" not in printed


@pytest.mark.parametrize("gdb", GDBS)
def test_push_names_the_database_for_later(shell, core, gdb):
    target = shell.folder / "mine.sqlite3"
    code, data, printed = push(shell, gdb, f"--core={core}", words=f"--db {target}")
    assert code == 0, printed
    if data["outcome"] == "spooled":
        assert shell("fleet", "ingest", "--db", target).out.startswith("1 added")
    assert target.exists() and not shell.database.exists()

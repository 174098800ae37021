# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi doctor` on this machine and on a bare one."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from gdb_epi import __version__


def test_doctor_tells_what_is_here(shell, core):
    shell.triage(core)
    done = shell("doctor", "--json")
    assert (done.code, done.err) == (0, "")
    lines = {line["subject"]: line for line in json.loads(done.out)}
    assert lines["gdb-epi"]["state"].startswith(__version__)
    assert lines["python"]["state"].endswith(sys.executable)
    assert lines["database"]["state"].endswith("fleet.sqlite3: 1 core")
    pattern = Path("/proc/sys/kernel/core_pattern").read_text().strip()
    assert lines["core_pattern"]["state"] == pattern
    if shutil.which("gdb"):
        assert "its Python 3" in lines.get("gdb (used)", {}).get("state", "")


def test_doctor_on_a_bare_machine_gives_advice(shell, tmp_path):
    (tmp_path / "bin").mkdir()
    python = tmp_path / "bin" / "python"
    python.symlink_to(sys.executable)
    shell.python = str(python)
    done = shell("doctor", env={"PATH": str(tmp_path / "bin"), "GDB_EPI_GDB": ""})
    assert done.code == 0
    assert "none: no native frames" in done.out
    assert "try: apt install zstd" in done.out or "zstandard" in done.out
    assert "Traceback" not in done.err


def test_doctor_tells_of_a_gdb_that_is_not_there_and_of_the_spool(shell):
    spool = shell.data / "spool"
    spool.mkdir(parents=True)
    (spool / "a.jsonl").write_text("{}\n")
    done = shell("doctor", env={"GDB_EPI_GDB": "/nowhere/gdb"})
    assert done.code == 0
    assert "GDB_EPI_GDB /nowhere/gdb: no such program" in done.out
    assert "1 waiting file in" in done.out and "try: gdb-epi fleet ingest" in done.out

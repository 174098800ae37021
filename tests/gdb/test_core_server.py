# SPDX-License-Identifier: Apache-2.0
"""What a GDB that forks for each core must not share with the GDBs that it forked."""

from __future__ import annotations

from pathlib import Path

from driver import BOOTSTRAP, Gdb, run_gdb

SCRIPT = """
import os
from gdb_epi.gdbhost.core_server import _reopen_files
os.lseek(99, 3, os.SEEK_SET)
ready, go = os.pipe()
if os.fork() == 0:
    _reopen_files()
    first = os.read(99, 2)
    os.lseek(99, 7, os.SEEK_SET)
    os.write(go, first)
    os._exit(0)
print("child read", os.read(ready, 2).decode(), "parent reads", os.read(99, 2).decode())
"""


def test_a_forked_gdb_has_its_own_place_in_every_open_file(gdb: Gdb, tmp_path: Path) -> None:
    text, script = tmp_path / "text", tmp_path / "script.py"
    text.write_text("0123456789")
    opened = f"import os\nos.dup2(os.open({str(text)!r}, os.O_RDONLY), 99)\n"
    script.write_text(opened + SCRIPT)
    done = run_gdb(gdb, f"source {BOOTSTRAP}", f"source {script}")
    assert "child read 34 parent reads 34" in done.stdout, done.text

# SPDX-License-Identifier: Apache-2.0
"""A live process that sees other mounts than GDB: its files are those below its own root."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.opening import need_gdb

ROOT = Path(__file__).resolve().parents[2]
ASK = (
    "from gdb_epi.gdbhost.procfs import LocalProcFolder; print('root', LocalProcFolder({}).root())"
)


def roots_seen(gdb: str, *pids: int) -> list[str]:
    words = [gdb, "-nx", "-batch", "-x", str(ROOT / "gdb_epi" / "gdb_epi_bootstrap.py")]
    for pid in pids:
        words += ["-ex", "python " + ASK.format(pid)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    return [line.split()[1] for line in done.stdout.splitlines() if line.startswith("root ")]


def test_a_process_with_mounts_of_its_own_is_looked_at_below_its_root() -> None:
    gdb = need_gdb()
    if os.getuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("a mount namespace needs root and unshare (util-linux)")
    code = "print('ready', flush=True); import time; time.sleep(600)"
    python = [sys.executable, "-c", code]
    own = subprocess.Popen(python, stdout=subprocess.PIPE)
    other = subprocess.Popen(["unshare", "--mount", *python], stdout=subprocess.PIPE)
    try:
        for process in (own, other):
            assert process.stdout is not None
            if process.stdout.readline() != b"ready\n":
                pytest.skip("no mount namespaces here")
        assert roots_seen(gdb, own.pid, other.pid) == ["None", f"/proc/{other.pid}/root"]
    finally:
        for process in (own, other):
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()

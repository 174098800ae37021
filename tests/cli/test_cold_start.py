# SPDX-License-Identifier: Apache-2.0
"""What an ordinary crash does not need is not imported for it: each module costs every core."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "sample_cores" / "null-deref-ctypes" / "core.xz"
NOT_NEEDED = (
    "gdb_epi.hangs.diagnose_hang",
    "gdb_epi.cpython.running.unfinished_tasks",
    "gdb_epi.demangle",
)


@pytest.mark.parametrize("verb", [("stacks",), ("triage", "--native", "never", "--no-db")])
def test_an_ordinary_crash_imports_no_hangs_and_no_demangling(verb: tuple[str, ...]) -> None:
    script = ROOT / "gdb_epi" / "cli" / "gdb-epi"
    done = subprocess.run(
        [sys.executable, "-X", "importtime", str(script), *verb, str(CORE)],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "gdb_epi.process_state" in imported or "gdb_epi.cpython.runtime.python_state" in imported
    assert not imported.intersection(NOT_NEEDED)

# SPDX-License-Identifier: Apache-2.0
"""Make the texts that people keep of crashes: backtraces by a real GDB."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

if __package__:
    from support.cores import Made
    from support.interpreters import Interpreter

SYSTEM_GDB = "/usr/bin/gdb"
TIMEOUT = 300


def gdb_plugin(interpreter: Interpreter) -> Path | None:
    """Return the interpreter's python-gdb.py, which gives GDB `py-bt`; None without it or GDB."""
    path = interpreter.host_executable.resolve()
    plugin = path.with_name(f"{path.name}-gdb.py")
    return plugin if plugin.is_file() and os.access(SYSTEM_GDB, os.X_OK) else None


def other_gdb() -> str:
    """Return the GDB beside this Python, the system's when there is none."""
    beside = Path(sys.executable).with_name("gdb")
    return str(beside) if beside.exists() else SYSTEM_GDB


def backtrace(
    made: Made, *commands: str, plugin: Path | None = None, gdb: str = SYSTEM_GDB
) -> bytes:
    """Return what GDB prints for these commands on a core, both streams together."""
    sourced = [f"source {plugin}"] if plugin else []
    return run_gdb(gdb, made.executable, made.core, *sourced, *commands)


def run_gdb(gdb: str, executable: Path, core: Path, *commands: str) -> bytes:
    """Return what a GDB prints, both streams together."""
    words = [gdb, "-nx", "-batch", "-iex", "set debuginfod enabled off"]
    words += ["-iex", "set auto-load off"]
    for command in commands:
        words += ["-ex", command]
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    done = subprocess.run(
        [*words, str(executable), str(core)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=TIMEOUT,
        env=kept,
    )
    return done.stdout

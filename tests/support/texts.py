# SPDX-License-Identifier: Apache-2.0
"""Make the texts that people keep of crashes: backtraces by a real GDB."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

if __package__:
    from support.cores import Made
    from support.interpreters import Interpreter

SYSTEM_GDB = "/usr/bin/gdb"
TIMEOUT = 120


def gdb_plugin(interpreter: Interpreter) -> Path | None:
    """Return the interpreter's python-gdb.py, which gives GDB `py-bt`; None without it or GDB."""
    path = interpreter.host_executable.resolve()
    plugin = path.with_name(f"{path.name}-gdb.py")
    return plugin if plugin.is_file() and os.access(SYSTEM_GDB, os.X_OK) else None


def backtrace(
    made: Made, *commands: str, plugin: Path | None = None, gdb: str = SYSTEM_GDB
) -> bytes:
    """Return what GDB prints for these commands on a core, both streams together."""
    words = [gdb, "-nx", "-batch", "-iex", "set debuginfod enabled off"]
    words += ["-iex", "set auto-load off"]
    for command in (*([f"source {plugin}"] if plugin else []), *commands):
        words += ["-ex", command]
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    done = subprocess.run(
        [*words, str(made.executable), str(made.core)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=TIMEOUT,
        env=kept,
    )
    return done.stdout

# SPDX-License-Identifier: Apache-2.0
"""What bench.py does with GDB."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from install import Installed
from measure import TIMEOUT, Tool, clean_environment
from support.cores import Made

SCRIPT = Path(__file__).with_name("ingdb.py")
QUIET = ("-nx", "-batch", "-iex", "set debuginfod enabled off", "-iex", "set auto-load off")


class Gdb(NamedTuple):
    """A GDB on this machine."""

    path: str
    version: str


@cache
def available_gdbs() -> tuple[Gdb, ...]:
    """Return each GDB with Python once: /usr/bin/gdb, the one beside this Python, PATH's first."""
    places = ("/usr/bin/gdb", str(Path(sys.executable).with_name("gdb")), shutil.which("gdb") or "")
    by_version: dict[str, Gdb] = {}
    for place in places:
        if os.access(place, os.X_OK):
            words = [place, "-nx", "-batch", "-ex", "python print(gdb.VERSION)"]
            done = subprocess.run(
                words, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=environment()
            )
            version = re.search(r"^\d+\.\d+", done.stdout, re.MULTILINE)
            if version:
                by_version.setdefault(version[0], Gdb(place, version[0]))
    return tuple(by_version.values())


def environment(*, bytecode: bool = True) -> dict[str, str]:
    """Return the environment for GDB; without `bytecode` its Python writes no compiled modules."""
    return {**clean_environment(), **({} if bytecode else {"PYTHONDONTWRITEBYTECODE": "1"})}


def loading(made: Made) -> tuple[str, ...]:
    """Return the words that load a core."""
    root = ("-iex", f"set sysroot {made.sysroot}") if made.sysroot else ()
    return (*root, "-se", str(made.executable), "-c", str(made.core))


def batch_tools(gdb: Gdb, installed: Installed, made: Made, scratch: Path) -> list[Tool]:
    """Return whole GDB runs: loading the core alone, and with `epi bt --all`."""
    output = scratch / "epi-bt.json"
    load = (gdb.path, *QUIET, *loading(made))
    source = ("-ex", f"source {installed.package / 'gdb_epi_bootstrap.py'}")
    words = (*load, *source, "-ex", f"epi bt --all --json --output {output}")
    return [
        Tool(f"gdb {gdb.version}, load only", load, lambda _: ""),
        Tool(f"gdb {gdb.version}, epi bt --all", words, lambda _: count(output)),
    ]


def count(output: Path) -> str:
    """Return how many threads and frames `epi bt` wrote, and take the file away."""
    try:
        threads = json.loads(output.read_text())["threads"]
    except (OSError, ValueError, KeyError) as error:
        return f"no answer: {error}"
    output.unlink()
    return f"{len(threads)} threads, {sum(len(thread['frames']) for thread in threads)} frames"


def inside(
    gdb: Gdb, package: Path, made: Made | None, runs: int, scratch: Path, *, bytecode: bool = True
) -> dict[str, Any]:
    """Return what ingdb.py measured in a fresh GDB; {"trouble": ...} when it did not end well."""
    answer = scratch / "inside.json"
    answer.unlink(missing_ok=True)
    words = [gdb.path, *QUIET, *(loading(made) if made else ()), "-d", str(package)]
    wanted = {"GDB_EPI_BENCH": str(answer), "GDB_EPI_BENCH_RUNS": str(runs)}
    try:
        done = subprocess.run(
            [*words, "-x", str(SCRIPT)],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            env={**environment(bytecode=bytecode), **wanted},
            cwd="/",
            timeout=TIMEOUT,
        )
    except subprocess.TimeoutExpired:
        return {"trouble": f"stopped after {TIMEOUT:.0f} s"}
    if not answer.is_file():
        return {"trouble": f"exit {done.returncode}: {done.stderr.strip()[-300:]}"}
    measured: dict[str, Any] = json.loads(answer.read_text())
    return measured

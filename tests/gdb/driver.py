# SPDX-License-Identifier: Apache-2.0
"""Run a real GDB for tests: quiet start-up, no PYTHON* variables, no terminal, a time-out."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from support.interpreters import cache_root

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "gdb_epi"
BOOTSTRAP = PACKAGE / "gdb_epi_bootstrap.py"
TIMEOUT = 300

# Nothing from the network, nothing from the debugged files, no questions.
QUIET = ("set debuginfod enabled off", "set auto-load off", "set confirm off")


class Gdb(NamedTuple):
    """A GDB on this machine."""

    path: str
    version: str

    @property
    def id(self) -> str:
        """Return a short name for test ids."""
        return f"gdb-{self.version}"


class Done(NamedTuple):
    """How a GDB run ended."""

    returncode: int
    stdout: str
    stderr: str

    @property
    def text(self) -> str:
        """Return both streams, for messages of failed assertions."""
        return f"exit {self.returncode}\n--- stdout\n{self.stdout}\n--- stderr\n{self.stderr}"


@cache
def available_gdbs() -> tuple[Gdb, ...]:
    """Return every GDB found, one for each version.

    GDB_EPI_GDBS (colon-separated) names them; else /usr/bin/gdb, the one beside the running
    Python (pip install gdb-for-pwndbg) and the first on PATH; in the full matrix (--heavy) also
    those that tests/tools/fetch_gdbs.py has fetched.
    """
    named = os.environ.get("GDB_EPI_GDBS", "").split(":")
    places = [name for name in named if name] or [
        "/usr/bin/gdb",
        str(Path(sys.executable).with_name("gdb")),
        shutil.which("gdb") or "",
        *(fetched_places() if os.environ.get("GDB_EPI_MATRIX") == "full" else ()),
    ]
    return _one_of_each(places)


@cache
def fetched_gdbs() -> tuple[Gdb, ...]:
    """Return the GDBs that tests/tools/fetch_gdbs.py has fetched, oldest first."""
    return tuple(sorted(_one_of_each(fetched_places()), key=lambda gdb: gdb.version))


def fetched_places() -> list[str]:
    """Return the paths of the fetched GDBs."""
    return sorted(map(str, (cache_root() / "gdbs").glob("*/gdb")))


def _one_of_each(places: Sequence[str]) -> tuple[Gdb, ...]:
    by_version: dict[str, Gdb] = {}
    for place in places:
        version = _version(place) if place and os.access(place, os.X_OK) else None
        if version:
            by_version.setdefault(version, Gdb(place, version))
    return tuple(by_version.values())


def _version(path: str) -> str | None:
    """Return the version of a GDB that has Python 3.10 or later."""
    probe = "python import sys; print('%s|%d' % (gdb.VERSION, sys.version_info >= (3, 10)))"
    done = subprocess.run(
        [path, "-nx", "-batch", "-ex", probe],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        stdin=subprocess.DEVNULL,
        env=environment(),
    )
    match = re.search(r"^(\d+\.\d+)[^|]*\|1$", done.stdout, re.MULTILINE)
    return match.group(1) if match else None


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment without PYTHON* and without this project's variables.

    GDB takes tabulate, SQLAlchemy and so on from the environment that runs the tests.
    """
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "GDB_EPI"))}
    return {**kept, "GDB_EPI_SITE": sysconfig.get_path("purelib"), **(extra or {})}


def run_gdb(
    gdb: Gdb,
    *commands: str,
    exe: str | os.PathLike[str] | None = None,
    core: str | os.PathLike[str] | None = None,
    words: Sequence[str] = (),
    cwd: str | os.PathLike[str] = "/",
    env: Mapping[str, str] | None = None,
    init: bool = False,
) -> Done:
    """Run GDB in batch mode with one -ex for each command.

    `words` come before the commands (options); `init` lets GDB read its start-up files. To read the
    symbols of a Python takes half of the time of most runs: their index is kept, as by `gdb-epi`.
    """
    line = [gdb.path, "-batch", *([] if init else ["-nx"])]
    folder = cache_root() / "gdb-index-of-tests" / gdb.version
    for command in (*QUIET, f"set index-cache directory {folder}", "set index-cache enabled on"):
        line += ["-iex", command]
    line += words
    if exe is not None:
        line += ["-se", os.fspath(exe)]
    if core is not None:
        line += ["-c", os.fspath(core)]
    for command in commands:
        line += ["-ex", command]
    done = subprocess.run(
        line,
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        timeout=TIMEOUT,
        stdin=subprocess.DEVNULL,
        cwd=cwd,
        env=environment(env),
    )
    return Done(done.returncode, done.stdout, done.stderr)


def with_epi(*commands: str) -> tuple[str, ...]:
    """Return commands that follow the loading of this checkout."""
    return (f"source {BOOTSTRAP}", *commands)


def read_json(path: Path) -> Any:
    """Return the document in a file that a command wrote."""
    return json.loads(path.read_text())

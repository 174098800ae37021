# SPDX-License-Identifier: Apache-2.0
"""What the supervisor tells the processes that it watches: a file in a folder of this run.

The folder (mode 700, below the temporary folder) also holds the journals, the deaths that were
examined, and what GDB writes. The session and its workers get its name in an environment variable
and remove that, so that a pytest started by a test is a run of its own.
"""

from __future__ import annotations

import json
import os

import pytest

from gdb_epi.cli.support.native_gdb import SETTINGS, gdb_environment
from gdb_epi.private_files import private_opener
from gdb_epi.repro.run_once import CoreDumping, RunPlan
from gdb_epi.typing_lite import NamedTuple

FOLDER = "GDB_EPI_PYTEST"
WORKERS_FOLDER = "GDB_EPI_PYTEST_WORKERS"  # from a controller of pytest-xdist
GDB_FOLDER = "GDB_EPI_PYTEST_GDB"  # of a process that runs under GDB: what GDB writes
_FILE = "settings.json"


class ChildSettings(NamedTuple):
    """One run. `capture` is "core", "gdb", or "" where no core can be had (`why_not` says why)."""

    folder: str  # of this run
    start: str  # the folder in which pytest was started
    artifacts: str
    cores: int  # that are kept
    since: float  # seconds of the epoch
    timeout: float | None
    capture: str
    why_not: str
    dumping: CoreDumping
    gdb: str | None

    def write(self) -> None:
        """Write the settings for the processes of the run."""
        path = os.path.join(self.folder, _FILE)
        with open(path, "w", encoding="utf-8", opener=private_opener) as file:
            json.dump(self._asdict(), file)

    def relative_path(self, path: str) -> str:
        """Return a path for display: relative to where pytest was started, if it is below that."""
        relative = os.path.relpath(path, self.start)
        return path if relative.startswith("..") else relative

    def make_run_plan(self, command: tuple[str, ...], capture: str) -> RunPlan:
        """Return how to run a command so that it leaves a core."""
        return RunPlan(
            command=command,
            folder=self.start,
            timeout=0.0,  # the supervisor has its own
            capture=capture,
            dumping=self.dumping,
            gdb=self.gdb,
            gdb_settings=SETTINGS,
            gdb_environment=gdb_environment(),
            own_streams=True,
        )


def read_settings(folder: str) -> ChildSettings:
    """Return what the supervisor wrote."""
    with open(os.path.join(folder, _FILE), encoding="utf-8") as file:
        values = json.load(file)
    return ChildSettings(**{**values, "dumping": CoreDumping(*values["dumping"])})


def uses_xdist_workers(config: pytest.Config) -> bool:
    """Tell whether pytest-xdist will run the tests in workers."""
    options = config.known_args_namespace
    processes = getattr(options, "numprocesses", None)
    if processes is not None:
        return processes != 0 and not (options.usepdb and isinstance(processes, str))
    spread = getattr(options, "distload", False) or getattr(options, "dist", "no") != "no"
    return bool(spread and getattr(options, "tx", None))

# SPDX-License-Identifier: Apache-2.0
"""Decide what a pytest with `--epi` is: the supervisor, the tests' process, controller, worker."""

from __future__ import annotations

import os
import sys

import pytest

from gdb_epi.pytest_plugin.child_settings import (
    FOLDER,
    GDB_FOLDER,
    WORKERS_FOLDER,
    read_settings,
    uses_xdist_workers,
)
from gdb_epi.pytest_plugin.journal import CONTROLLER, MAIN, WORKER, JournalWriter

_EXECNET = "exec(eval(sys.stdin.readline"  # of the command line of its processes


def begin_session(config: pytest.Config) -> None:
    """Supervise, or watch from inside. Does not return when a supervised session ended well."""
    options = config.known_args_namespace
    session, workers = os.environ.pop(FOLDER, None), os.environ.pop(WORKERS_FOLDER, None)
    folder = session or workers
    if folder is None:
        if "PYTEST_XDIST_WORKER" in os.environ and _EXECNET in sys.orig_argv[-1]:
            return  # a worker on another machine, or one whose controller is not watched
        if not (options.help or options.version):
            from gdb_epi.pytest_plugin.supervisor import supervise

            supervise(config)
        return
    from gdb_epi.pytest_plugin.in_process_plugin import InProcessPlugin

    role, name = WORKER, os.environ.get("PYTEST_XDIST_WORKER", "")
    if session is not None:
        role, name = CONTROLLER if uses_xdist_workers(config) else MAIN, ""
    if role == CONTROLLER:
        os.environ[WORKERS_FOLDER] = folder
    journal = JournalWriter(folder, role, name, os.environ.pop(GDB_FOLDER, None))
    inside = InProcessPlugin(config, read_settings(folder), role, journal)
    config.pluginmanager.register(inside, "epi-inside")

# SPDX-License-Identifier: Apache-2.0
"""Run a worker of pytest-xdist under GDB, where the kernel writes no cores.

pytest-xdist starts `PYTHON under_gdb.py -u -c ...` in place of `PYTHON -u -c ...`; this process
becomes GDB, and the worker keeps the streams by which its controller talks to it.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Become the GDB that runs the worker."""
    here = os.path.dirname(os.path.abspath(__file__))  # its modules may have names of others
    root = os.path.dirname(os.path.dirname(here))
    sys.path = [*(path for path in sys.path if path != here), root]
    from gdb_epi.pytest_plugin.child_settings import GDB_FOLDER, WORKERS_FOLDER, read_settings
    from gdb_epi.repro.run_once import command_to_start

    settings = read_settings(os.environ[WORKERS_FOLDER])
    scratch = os.path.join(settings.folder, f"gdb-{os.getpid()}")
    os.mkdir(scratch, 0o700)
    plan = settings.make_run_plan((sys.executable, *sys.argv[1:]), "gdb")
    words, environment = command_to_start(plan, scratch, {**os.environ, GDB_FOLDER: scratch})
    os.execve(words[0], words, environment)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""A few cores on a worker of a cluster, in a process of their own that ends with the worker.

A worker of Dask has threads, and must not fork; what takes it down would take other tasks with it.
Run as a module this file is that process: the work on standard input, a line for each core.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

from gdb_epi import __version__

LAST_WORDS = 300  # characters of what the process complained of


def installed_version() -> str:
    """Return the version of gdb-epi on this machine."""
    return __version__


def examine_part(work: str) -> str:
    """Examine the cores of a task: a JSON line for each, of its place and its result."""
    import gdb_epi

    alive, life = os.pipe()  # its other end goes with this process
    try:
        home = os.path.dirname(os.path.dirname(os.path.abspath(gdb_epi.__file__)))
        path = os.pathsep.join(filter(None, (home, os.environ.get("PYTHONPATH"))))
        done = subprocess.run(
            [sys.executable, "-m", "gdb_epi.cli.support.cluster_worker_process", str(alive)],
            input=work,
            capture_output=True,
            check=False,
            encoding="ascii",
            errors="backslashreplace",
            env={**os.environ, "PYTHONPATH": path},
            pass_fds=(alive,),
        )
    finally:
        os.close(alive)
        os.close(life)
    if done.returncode:
        words = done.stderr.strip().splitlines()[-1:] or ["no output"]
        raise RuntimeError(f"exit code {done.returncode}: {words[0][:LAST_WORDS]}")
    return done.stdout


def main() -> None:
    """Be that process."""
    import signal

    from gdb_epi.cli.support.core_files import CoreInput
    from gdb_epi.cli.support.examine import ExaminedCore, ExamineOptions, FailedCore
    from gdb_epi.cli.support.remote import RemoteObject
    from gdb_epi.cli.support.supervisor import raise_end_until_caught, request_signal_at_end
    from gdb_epi.cli.support.workers import examine_all
    from gdb_epi.errors import EXIT_FAILED
    from gdb_epi.sidecars.find import SidecarOptions

    # What runs is killed, what was unpacked is removed.
    signal.signal(signal.SIGTERM, lambda number, _frame: raise_end_until_caught(number))
    request_signal_at_end(int(sys.argv[1]), os.getpid(), signal.SIGTERM)
    work = json.load(sys.stdin)
    host = os.uname().nodename
    given = work["options"]
    options = ExamineOptions(**{**given, "sidecars": SidecarOptions(**given["sidecars"])})
    cores = [
        CoreInput(path, compression, RemoteObject(*remote[0]) if remote else None)
        for path, compression, *remote in work["cores"]
    ]
    if work["version"] != __version__:
        why = f"{host} has gdb-epi {__version__}, not {work['version']}"
        for place, core in enumerate(cores):
            failure = FailedCore(f"{core.path}: {why}", "the same version everywhere", EXIT_FAILED)
            print(json.dumps([place, "failed", *failure]))
        return
    for place, result in examine_all(cores, options, 1, work["timeout"]):
        if isinstance(result, ExaminedCore):
            print(json.dumps([place, "done", *result]))
        else:
            result = result._replace(message=f"{result.message} (on {host})")
            print(json.dumps([place, "failed", *result]))


if __name__ == "__main__":
    main()

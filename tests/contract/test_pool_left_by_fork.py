# SPDX-License-Identifier: Apache-2.0
"""A forked child waits for a job of a pool whose threads stayed in the parent; its healthy twin."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest
from support.cores import find_core
from support.interpreters import Interpreter, one_per_minor
from support.opening import need_core_dumps
from support.waiting import wait_until

from gdb_epi.analysis import run_stages
from gdb_epi.errors import Absent
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

PROGRAM = """
import os, sys, threading, time
from concurrent.futures import ThreadPoolExecutor
pool = ThreadPoolExecutor(3)
if sys.argv[1] == "used":
    list(pool.map(time.sleep, [0.1] * 3))
child = os.fork()
if not child:
    threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
    job = pool.submit(time.sleep, 3600)
    threading.Timer(0.5, lambda: open("ready", "w").write(str(os.getpid()))).start()
    job.result()
os.waitpid(child, 0)
"""
OWN = [i for i in one_per_minor() if i.root is None]


@pytest.mark.parametrize("pool", ["used", "unused"])
@pytest.mark.parametrize("interpreter", [pytest.param(i, id=i.id) for i in OWN])
def test_threads_that_fork_left_behind_run_no_job(
    tmp_path: Path, interpreter: Interpreter, pool: str
) -> None:
    need_core_dumps()
    (tmp_path / "program.py").write_text(PROGRAM)
    limit = ["/bin/sh", "-c", 'ulimit -c unlimited; exec "$@"', "sh"]
    command = [*limit, *interpreter.command("program.py", pool, cwd=tmp_path)]
    with subprocess.Popen(command, cwd=tmp_path, env=interpreter.environment()) as parent:
        ready = tmp_path / "ready"
        wait_until(lambda: ready.exists() and ready.read_text())
        os.kill(int(ready.read_text()), signal.SIGABRT)
        parent.wait(60)
    (core,) = find_core(tmp_path)
    parts = run_stages(Session(CoreFileTarget.open(core)))
    assert not isinstance(parts.verdict, Absent)
    hung = any("made before fork()" in reason for reason in parts.verdict.reasons)
    assert hung is (pool == "used"), parts.verdict
    assert (parts.verdict.label == "hang") is (pool == "used"), parts.verdict

# SPDX-License-Identifier: Apache-2.0
"""`epi pools` of real processes with pools of multiprocessing; each wrote down what is true."""

from __future__ import annotations

import json
import subprocess
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest
from support.cores import find_core
from support.interpreters import Interpreter, own_interpreters
from support.opening import need_core_dumps

from gdb_epi.cli.support.open_core import open_core
from gdb_epi.loader import load_commands
from gdb_epi.registry import COMMANDS
from gdb_epi.session import Session

HEAD = """
import json, multiprocessing, os, signal, sys, threading, time
from multiprocessing.pool import ThreadPool
def write(**truth):
    with open("truth.json", "w") as file:
        json.dump(truth, file)
"""
# The jobs have begun when the children say so.
BUSY = (
    HEAD
    + """
def job(pipe):
    os.write(pipe, b"x")
    signal.pause()
if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    begun, pipe = os.pipe()
    pool = multiprocessing.Pool(2)
    results = [pool.apply_async(job, (pipe,)) for _ in range(5)]
    mapped = pool.map_async(len, ["a"] * 7, chunksize=1)
    items = pool.imap_unordered(len, ["a"] * 9)
    while items._length is None:
        time.sleep(0.01)
    for _ in range(2):
        os.read(begun, 1)
    workers = [worker.pid for worker in pool._pool]
    write(workers=workers)
    os.abort()
"""
)
LOST = (
    HEAD
    + """
def job():
    os.kill(os.getpid(), signal.SIGKILL)
if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    pool = multiprocessing.Pool(2)
    before = {worker.pid for worker in pool._pool}
    result = pool.apply_async(job)
    while {worker.pid for worker in pool._pool} == before or len(pool._pool) < 2:
        time.sleep(0.01)
    now = [worker.pid for worker in pool._pool]
    write(workers=now, new=[pid for pid in now if pid not in before])
    os.abort()
"""
)
THREADS = (
    HEAD
    + """
begun, held = threading.Event(), threading.Event()
def job():
    begun.set()
    held.wait()
if __name__ == "__main__":
    pool = ThreadPool(2)
    result = pool.apply_async(job)
    begun.wait()
    write()
    os.abort()
"""
)
WORKER = (
    HEAD
    + """
def job():
    write()
    os.abort()
if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    pool = multiprocessing.Pool(1)
    worker = pool._pool[0]  # the pool starts another one in its place
    pool.apply_async(job)
    worker.join()
    for other in multiprocessing.active_children():
        other.kill()
    os._exit(0)
"""
)
EACH = pytest.mark.parametrize("interpreter", own_interpreters(), ids=lambda made: made.id)


def shown(interpreter: Interpreter, source: str, folder: Path) -> tuple[str, dict[str, Any], Any]:
    """Run a program that dies; return what `epi pools` shows, its JSON, and the truth."""
    need_core_dumps()
    (folder / "prog.py").write_text(source)
    start = ["sh", "-c", 'ulimit -c unlimited; exec "$0" "$@"']
    subprocess.run(
        [*start, *interpreter.command("prog.py", cwd=folder)], cwd=folder,
        env=interpreter.environment(), timeout=300, check=False, start_new_session=True,
    )  # fmt: skip
    truth = json.loads((folder / "truth.json").read_text())
    for pid in truth.get("workers", ()):
        subprocess.run(["kill", "-9", str(pid)], check=False, stderr=subprocess.DEVNULL)
    (core,) = find_core(folder)
    assert not load_commands()
    with open_core(str(core), str(interpreter.host_executable), None) as target:
        report = COMMANDS["pools"].run(Session(target), Namespace(all=False, limit=100))
    core.unlink()
    return "\n".join(report.lines), dict(report.data or {}), truth


@EACH
def test_workers_and_awaited_results_are_shown(interpreter: Interpreter, tmp_path: Path) -> None:
    text, data, truth = shown(interpreter, BUSY, tmp_path)
    (pool,) = data["pools"]
    assert sorted(worker["pid"] for worker in pool["workers"]) == sorted(truth["workers"])
    assert not any(worker["replaces"] for worker in pool["workers"])
    assert "awaited: 5 results of apply_async() or apply()" in text
    assert "awaited: map of 7 calls, 7 chunks without a result: 2 run at most" in text
    assert "awaited: imap of 9 calls, 9 calls without a result: 2 run at most" in text
    assert "the thread that takes results: thread " in text
    assert f"gdb-epi triage {pool['workers'][0]['pid']}" in text


@EACH
def test_a_worker_in_place_of_one_that_ended_is_marked(
    interpreter: Interpreter, tmp_path: Path
) -> None:
    text, data, truth = shown(interpreter, LOST, tmp_path)
    (pool,) = data["pools"]
    marked = [worker["pid"] for worker in pool["workers"] if worker["replaces"]]
    assert marked == truth["new"]
    assert text.count("started in place of one that ended") == len(truth["new"])
    assert "awaited: 1 result of apply_async() or apply()" in text


def test_threads_of_a_thread_pool_are_idle_or_run_a_job(tmp_path: Path) -> None:
    text, data, _ = shown(own_interpreters()[-1], THREADS, tmp_path)
    (pool,) = data["pools"]
    assert pool["kind"] == "threads" and len(pool["workers"]) == 2
    assert sorted(worker["idle"] for worker in pool["workers"]) == [False, True]
    assert "runs __main__.job at " in text


def test_in_a_worker_its_own_job_is_shown(tmp_path: Path) -> None:
    text, _, _ = shown(own_interpreters()[-1], WORKER, tmp_path)
    assert "this process is a worker of a Pool itself: runs __main__.job at " in text

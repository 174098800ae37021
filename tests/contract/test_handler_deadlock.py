# SPDX-License-Identifier: Apache-2.0
"""A signal handler that needs a lock of the C library which the interrupted function holds.

localtime() holds the lock of the time zone while it opens the zone's file. That file is a FIFO
here, so the thread sleeps there until the signal comes, and for ever behind the handler.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.cores import find_core
from support.opening import need_core_dumps
from support.waiting import PATIENCE, until_asleep, wait_until

from gdb_epi.analysis import run_stages
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

SOURCE = r"""
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static void stamp(int unused) { struct tm made; time_t now = 0; localtime_r(&now, &made); }
static void set_flag(int unused) { }
static void *look(void *unused) { time_t now = 0; localtime(&now); return 0; }
void zone(int careful, int beside)
{
    pthread_t thread;
    sigset_t signals;
    struct sigaction action = {0};
    action.sa_handler = careful ? set_flag : stamp;
    action.sa_flags = SA_RESTART;
    sigaction(SIGUSR1, &action, 0);
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    setenv("TZ", getenv("ZONE"), 1);
    if (beside) {
        pthread_sigmask(SIG_BLOCK, &signals, 0);
        pthread_create(&thread, 0, look, 0);
        close(open("go", O_RDONLY));
        pthread_sigmask(SIG_UNBLOCK, &signals, 0);
    }
    look(0);
}
"""
PROGRAM = """import ctypes, sys
def report():
    ctypes.CDLL("./zone.so").zone(int(sys.argv[1]), int(sys.argv[2]))
report()
"""
FUTEX, OPENAT = "202", "257"


def until_in(process: subprocess.Popen[bytes], number: str, tid: int = 0) -> None:
    """Wait until a thread of a process, by default the first one, sleeps in a system call."""
    call = Path(f"/proc/{process.pid}/task/{tid or process.pid}/syscall")
    wait_until(lambda: call.read_text().split()[0] == number, what=f"call {number}", during=process)
    until_asleep(process.pid)


def start(folder: Path, *, careful: bool, beside: bool) -> subprocess.Popen[bytes]:
    """Start the program; `beside` has another thread call localtime() first."""
    need_core_dumps()
    if shutil.which("gcc") is None:
        pytest.skip("no gcc to build the program with; try: apt install gcc")
    (folder / "zone.c").write_text(SOURCE)
    (folder / "program.py").write_text(PROGRAM)
    build = ["gcc", "-O1", "-shared", "-fPIC", "zone.c", "-o", "zone.so", "-pthread"]
    subprocess.run(build, cwd=folder, check=True)
    os.mkfifo(folder / "fifo")
    os.mkfifo(folder / "go")
    command = f"ulimit -c unlimited; exec {sys.executable} program.py {int(careful)} {int(beside)}"
    environment = {**os.environ, "ZONE": f":{folder}/fifo"}
    return subprocess.Popen(["/bin/sh", "-c", command], cwd=folder, env=environment)


@pytest.mark.parametrize("careful", [False, True], ids=["locks", "sets a flag"])
def test_a_handler_that_takes_what_was_interrupted(careful: bool, tmp_path: Path) -> None:
    process = start(tmp_path, careful=careful, beside=False)
    try:
        until_in(process, OPENAT)
        process.send_signal(signal.SIGUSR1)
        until_in(process, OPENAT if careful else FUTEX)
        process.send_signal(signal.SIGABRT)
        process.wait(PATIENCE)
    finally:
        process.kill()
        process.wait()
    (core,) = find_core(tmp_path)
    parts = run_stages(Session(CoreFileTarget.open(core)))
    waits = [(wait.verdict, wait.owner.tid) for wait in parts.state.locks.waits]
    assert waits == ([] if careful else [("self-deadlock", process.pid)])
    assert (parts.verdict.label == "deadlock") is not careful
    if not careful:
        assert "a signal handler runs in this thread" in parts.state.hang.sentence


def test_a_thread_beside_that_sleeps_in_such_a_function_holds_the_lock(tmp_path: Path) -> None:
    """The first thread waits twice, behind its handler too: it was said to hold the lock itself."""
    process = start(tmp_path, careful=False, beside=True)
    tasks = Path(f"/proc/{process.pid}/task")
    try:
        wait_until(lambda: len(list(tasks.iterdir())) == 2, what="a thread", during=process)
        (beside,) = {int(task.name) for task in tasks.iterdir()} - {process.pid}
        until_in(process, OPENAT, beside)
        (tmp_path / "go").write_bytes(b"")
        until_in(process, FUTEX)
        process.send_signal(signal.SIGUSR1)
        handled = Path(f"/proc/{process.pid}/status")
        wait_until(lambda: _is_blocked(handled.read_text()), what="the handler", during=process)
        until_in(process, FUTEX)
        process.send_signal(signal.SIGABRT)
        process.wait(PATIENCE)
    finally:
        process.kill()
        process.wait()
    (core,) = find_core(tmp_path)
    parts = run_stages(Session(CoreFileTarget.open(core)))
    assert [wait.verdict for wait in parts.state.locks.waits] == ["unknown"]
    assert parts.verdict.label != "deadlock"


def _is_blocked(status: str) -> bool:
    """Whether SIGUSR1 is blocked, as it is while its handler runs."""
    (mask,) = (line.split()[1] for line in status.splitlines() if line.startswith("SigBlk:"))
    return bool(int(mask, 16) >> (signal.SIGUSR1 - 1) & 1)

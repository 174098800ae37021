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

from gdb_epi.analysis import examine
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

SOURCE = r"""
#include <signal.h>
#include <stdlib.h>
#include <time.h>
static void stamp(int unused) { struct tm made; time_t now = 0; localtime_r(&now, &made); }
static void set_flag(int unused) { }
void zone(int careful)
{
    time_t now = 0;
    struct sigaction action = {0};
    action.sa_handler = careful ? set_flag : stamp;
    action.sa_flags = SA_RESTART;
    sigaction(SIGUSR1, &action, 0);
    setenv("TZ", getenv("ZONE"), 1);
    localtime(&now);
}
"""
PROGRAM = """import ctypes, sys
def report():
    ctypes.CDLL("./zone.so").zone(int(sys.argv[1]))
report()
"""
FUTEX, OPENAT = "202", "257"


def until_in(process: subprocess.Popen[bytes], number: str) -> None:
    """Wait until a process sleeps in a system call."""
    call = Path(f"/proc/{process.pid}/syscall")
    wait_until(lambda: call.read_text().split()[0] == number, what=f"call {number}", during=process)
    until_asleep(process.pid)


@pytest.mark.parametrize("careful", [False, True], ids=["locks", "sets a flag"])
def test_a_handler_that_takes_what_was_interrupted(careful: bool, tmp_path: Path) -> None:
    need_core_dumps()
    if shutil.which("gcc") is None:
        pytest.skip("no gcc to build the program with; try: apt install gcc")
    (tmp_path / "zone.c").write_text(SOURCE)
    (tmp_path / "program.py").write_text(PROGRAM)
    build = ["gcc", "-O1", "-shared", "-fPIC", "zone.c", "-o", "zone.so"]
    subprocess.run(build, cwd=tmp_path, check=True)
    os.mkfifo(tmp_path / "fifo")
    command = f"ulimit -c unlimited; exec {sys.executable} program.py {int(careful)}"
    process = subprocess.Popen(
        ["/bin/sh", "-c", command], cwd=tmp_path, env={**os.environ, "ZONE": f":{tmp_path}/fifo"}
    )
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
    parts = examine(Session(CoreFileTarget.open(core)))
    waits = [(wait.verdict, wait.owner.tid) for wait in parts.state.locks.waits]
    assert waits == ([] if careful else [("self-deadlock", process.pid)])
    assert (parts.verdict.label == "deadlock") is not careful
    if not careful:
        assert "a signal handler runs in this thread" in parts.state.hang.sentence

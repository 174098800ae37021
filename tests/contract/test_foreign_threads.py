# SPDX-License-Identifier: Apache-2.0
"""A library's thread that may call into Python is seen, also where its stack cannot be unwound."""

from __future__ import annotations

import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from support.hangs import core_by_signal
from support.interpreters import Interpreter, spread
from support.opening import need_core_dumps

from gdb_epi.analysis import run_stages
from gdb_epi.errors import Absent
from gdb_epi.locks.types import INFO
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

SOURCE = r"""
#include <pthread.h>
#include <time.h>
static void (*deliver)(void);
static void *run(void *unused) {
    for (;;) { struct timespec pause = {1000, 0}; nanosleep(&pause, 0); deliver(); }
    return unused;
}
void start(void (*callback)(void)) {
    pthread_t thread;
    deliver = callback;
    pthread_create(&thread, 0, run, 0);
}
"""
PROGRAM = """
import ctypes, threading
arrived = threading.Event()
@ctypes.CFUNCTYPE(None)
def deliver():
    arrived.set()
def main():
    ctypes.CDLL(LIBRARY).start(deliver)
    open("ready", "w").close()
    arrived.wait()
main()
"""
WITHOUT_TABLES = ("-fno-asynchronous-unwind-tables", "-fno-unwind-tables")


CELLS = [
    pytest.param(installed, id=installed.id)
    for installed in spread(
        "foreign",
        lambda interpreter: interpreter.root is None and not interpreter.free_threaded,
        every=99,
    )
]


@pytest.mark.parametrize("flags", [(), WITHOUT_TABLES], ids=["tables", "no-tables"])
@pytest.mark.parametrize("interpreter", CELLS)
def test_who_waits_for_a_librarys_thread_is_not_left_alone(
    tmp_path: Path, interpreter: Interpreter, flags: tuple[str, ...]
) -> None:
    need_core_dumps()
    if shutil.which("gcc") is None:
        pytest.skip("no gcc to build the library with; try: apt install gcc")
    (tmp_path / "courier.c").write_text(SOURCE)
    build = ["gcc", "-O2", "-shared", "-fPIC", "-pthread", *flags, "courier.c", "-o", "courier.so"]
    subprocess.run(build, cwd=tmp_path, check=True)
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.replace("LIBRARY", repr(str(tmp_path / "courier.so"))))
    core = core_by_signal(interpreter, "main", tmp_path, signal.SIGABRT, program)
    answer = run_stages(Session(CoreFileTarget.open(core))).state.hang
    assert not isinstance(answer, Absent), answer
    assert answer.sure == INFO, answer
    assert ", of courier.so, runs no Python now" in answer.sentence

# SPDX-License-Identifier: Apache-2.0
"""A native thread that never ran Python has one key, wherever the kernel puts things."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.cores import find_core
from support.opening import need_core_dumps, need_gdb
from support.zoo import keys_of, signed

from gdb_epi.target.corefile import CoreFileTarget

SOURCE = r"""
#include <pthread.h>
#include <unistd.h>
volatile int *volatile nothing;
__attribute__((noinline)) static void poll_sensor(void) { *nothing = 1; }
static void *feeder(void *unused) { usleep(50000); poll_sensor(); return unused; }
void start(void) { pthread_t thread; pthread_create(&thread, 0, feeder, 0); sleep(5); }
"""
PROGRAM = "import ctypes\nctypes.CDLL('./sensor.so').start()\n"


def randomised() -> None:
    """Let the kernel choose addresses again: the tests' own programs have fixed ones."""
    ctypes.CDLL(None).personality(0)


def test_one_key_under_aslr(tmp_path: Path) -> None:
    gdb = need_gdb()
    need_core_dumps()
    if shutil.which("gcc") is None:
        pytest.skip("no gcc to build the program with; try: apt install gcc")
    (tmp_path / "sensor.c").write_text(SOURCE)
    build = ["gcc", "-O1", "-g", "-shared", "-fPIC", "-pthread", "sensor.c", "-o", "sensor.so"]
    subprocess.run(build, cwd=tmp_path, check=True)
    (tmp_path / "program.py").write_text(PROGRAM)
    keys, places = [], set()
    for _ in range(2):
        command = f"ulimit -c unlimited; exec {sys.executable} program.py"
        subprocess.run(["/bin/sh", "-c", command], cwd=tmp_path, preexec_fn=randomised, check=False)
        (core,) = find_core(tmp_path)
        places.add(CoreFileTarget.open(core).threads()[0].registers["rip"])
        keys.append(keys_of(signed(core, gdb)))
        core.unlink()
    if len(places) == 1:
        pytest.skip("this machine puts programs at the same addresses each time")
    assert keys[0] == keys[1]
    assert keys[0]["stable"].startswith("gsig/2 stable segv-null poll_sensor <- feeder")

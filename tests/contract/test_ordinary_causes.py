# SPDX-License-Identifier: Apache-2.0
"""Crashes of ordinary C code that leave what a failing CPU leaves: no machine is accused."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.cores import find_core
from support.opening import need_core_dumps, need_gdb

SOURCE = r"""
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#define PAUSE for (int i = 0; i < 30; i++) __asm__ volatile ("pause")
typedef long (*handler)(long);
__attribute__((noinline)) static long dispatch(handler h, long x) { return h(x) + 1; }
/* A call through a retpoline (-mindirect-branch=thunk) of a pointer that is none. */
long call_wild(long x) { void *block = malloc(64); return dispatch((handler)block, x) + x; }
/* An array whose size was computed wrongly: 2^40 bytes. */
long sum_window(long n) { volatile char w[n]; w[0] = 1; w[n - 1] = 2; return w[0] + w[n / 2]; }
/* A thread marks an index as busy for a moment; the reader forgot to mask the mark. */
static volatile long slot; volatile long table[64];
static void *marker(void *unused) {
    for (;;) { slot = 5 | 1L << 40; PAUSE; slot = 5; usleep(200); }
    return unused;
}
__attribute__((noinline)) static long at(void) { return table[slot]; }
long read_slot(void) {
    pthread_t t; long sum = 0;
    pthread_create(&t, 0, marker, 0);
    for (;;) sum += at();
}
/* Code made at run time, which is illegal when it runs; another thread puts it right. */
static unsigned char *code;
static void *patcher(void *unused) {
    for (;;) { code[0] = 0x0f; code[1] = 0x0b; PAUSE; code[0] = 0x48; code[1] = 0x89; usleep(200); }
    return unused;
}
long run_patched(void) {
    static const unsigned char body[] = {0x48, 0x89, 0xf8, 0xc3}; /* mov %rdi,%rax; ret */
    pthread_t t;
    code = mmap(0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(code, body, sizeof body);
    pthread_create(&t, 0, patcher, 0);
    for (;;) ((handler)code)(1);
}
"""
CALLS = {
    "call_wild": "call_wild(3)",
    "sum_window": "sum_window(ctypes.c_long(1 << 40))",
    "read_slot": "read_slot()",
    "run_patched": "run_patched()",
}


@pytest.mark.parametrize("function", CALLS)
def test_no_machine_is_accused(tmp_path: Path, function: str) -> None:
    need_core_dumps()
    need_gdb()
    if shutil.which("gcc") is None:
        pytest.skip("no gcc to build the library with; try: apt install gcc")
    (tmp_path / "odd.c").write_text(SOURCE)
    build = ["gcc", "-O1", "-shared", "-fPIC", "-mindirect-branch=thunk", "-pthread"]
    subprocess.run([*build, "odd.c", "-o", "libodd.so"], cwd=tmp_path, check=True)
    code = f"import ctypes\nctypes.CDLL('./libodd.so').{CALLS[function]}"
    limit = ["/bin/sh", "-c", 'ulimit -c unlimited; exec "$@"', "sh"]
    subprocess.run([*limit, sys.executable, "-c", code], cwd=tmp_path, check=False, timeout=60)
    (core,) = find_core(tmp_path)
    triage = [sys.executable, "-m", "gdb_epi.cli.main", "triage", str(core), "--no-db"]
    done = subprocess.run([*triage, "--format", "json"], capture_output=True, check=True)
    record = json.loads(done.stdout)
    verdict, frames = record["verdict"], record["threads"]["crashed"]["frames"]
    assert any(frame.get("function") for frame in frames), "without names nothing was judged"
    assert verdict["label"] in ("software", "cannot-tell"), verdict
    assert not verdict["damage"]["found"], verdict

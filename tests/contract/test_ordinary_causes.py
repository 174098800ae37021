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
/* Masks, flags and offsets of pointers: each leaves one bit that is wrong, by design. */
static long *all[8], *marked[8];
static unsigned long key;
#define KEEP for (int i = 0; i < 8; i++) { all[i] = malloc(64); marked[i] = all[i]; }
#define ALONE __attribute__((noinline))
ALONE static long *unpacked(long word) { return (long *)(word & 0x3fffffffffff); }
long narrow_mask(void) { KEEP return *unpacked((long)marked[3]); }
ALONE static long *flagged(long *p, int bit) { return (long *)((long)p | 1L << bit); }
ALONE static long value_of(int i) { return *marked[i]; }
long forgotten_flag(void) { KEEP marked[3] = flagged(marked[3], 45); return value_of(3); }
ALONE static long *coded(long *p) { return (long *)((long)p ^ key); }
long forgotten_key(void) { KEEP key = 1L << 43; marked[4] = coded(marked[4]); return value_of(4); }
ALONE static long *shadow(long *p) { return p + (1L << 40); }
long no_shadow(void) { KEEP return *shadow(marked[2]); }
/* Returns of hand-written code that take the word below their return address. */
long unbalanced(void *kept), swap(long **save, long *stack, void *kept);
__asm__("unbalanced: push %rbx; mov %rdi,%rbx; call 1f; pop %rbx; ret;"
        "1: push %rbx; mov $1,%eax; ret;"
        "swap: push %rbx; mov %rdx,%rbx; call 2f; pop %rbx; ret;"
        "2: push %rbx; push %rbp; mov %rsp,(%rdi); mov %rsi,%rsp; pop %rbp; pop %rbx; ret");
long push_without_pop(void) { return unbalanced(malloc(64)) + 1; }
static long *resumed, *left; /* coroutines: where each has stored its registers */
static void second(void) { swap(&left, resumed - 1, malloc(64)); }
long resume_too_low(void) {
    long *stack = (long *)(((unsigned long)malloc(8192) + 8000) & -16UL) - 1;
    stack[0] = (long)second;
    return swap(&resumed, stack - 2, malloc(64)) + 1;
}
ALONE static long step(long x) { return x + 1; }
/* A handler that is data: its callers keep it in a register that callees save. */
struct chain { long (*handle)(long, void *); struct chain *next; };
ALONE static long pass_on(struct chain *c, long x) { x = step(x); return c->handle(x, c->next); }
ALONE static long each(void *h, long x) {
    struct chain c = {h, 0};
    for (int i = 0; i < 3; i++) x += pass_on(&c, x) + step(x) + (long)h;
    return x;
}
long handler_of_data(void) { return each(malloc(64), 3); }
ALONE static long repeated(handler h, long x) {
    for (int i = 0; i < 3; i++) x += h(x) + step(x);
    return x;
}
long repeat_wild(void) { return repeated((handler)malloc(64), 3); }
"""
CALLS = {
    "call_wild": "lib.call_wild(3)",
    "sum_window": "lib.sum_window(ctypes.c_long(1 << 40))",
    "read_slot": "lib.read_slot()",
    "run_patched": "lib.run_patched()",
    "narrow_mask": "lib.narrow_mask()",
    "forgotten_flag": "lib.forgotten_flag()",
    "forgotten_key": "lib.forgotten_key()",
    "no_shadow": "lib.no_shadow()",
    "push_without_pop": "lib.push_without_pop()",
    "resume_too_low": "lib.resume_too_low()",
    "handler_of_data": "lib.handler_of_data()",
    "repeat_wild": "lib.repeat_wild()",
    "mask_in_python": "b = ctypes.create_string_buffer(1 << 20); p = ctypes.addressof(b)\n"
    "ctypes.string_at(p & (1 << 46) - 1)",
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
    code = f"import ctypes\nlib = ctypes.CDLL('./libodd.so')\n{CALLS[function]}"
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

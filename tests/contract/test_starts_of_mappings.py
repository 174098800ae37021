# SPDX-License-Identifier: Apache-2.0
"""Memory that was given back and began 2^n bytes from a library: no flipped bit.

The kernel maps files and memory side by side, so starts of mappings differ by the sizes of what
lies between, and those are often powers of two. A log in shared memory of 1 MiB lay below a library
whose start four words of ld.so hold, and its address was called damaged (28 November 2026).
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.cores import find_core
from support.opening import need_core_dumps

from gdb_epi.analysis import run_stages
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

SOURCE = r"""
#define _GNU_SOURCE
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
struct segment { char name[24]; char *data; };
static struct segment *segment;
unsigned long starts[4]; /* as a profiler keeps where libraries lie */
static int beside(struct dl_phdr_info *info, size_t size, void *unused)
{
    unsigned long start = info->dlpi_addr;
    if (segment->data || !strstr(info->dlpi_name, NAME))
        return 0;
    for (int at = 0; at < 4; at++)
        starts[at] = start;
    for (int bit = 18; bit < 30 && !segment->data; bit++) {
        void *wanted = (void *)(start ^ 1UL << bit), *memory;
        memory = mmap(wanted, 1 << 18, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (memory == wanted)
            segment->data = memory;
    }
    return 0;
}
int level(int position)
{
    segment = calloc(1, sizeof *segment);
    strcpy(segment->name, "log");
    dl_iterate_phdr(beside, 0);
    if (!segment->data)
        exit(7);
    munmap(segment->data + 4096, (1 << 18) - 4096); /* as mremap() makes it smaller */
    return segment->data[position];
}
"""
PROGRAM = 'import ctypes\nctypes.CDLL("./segment.so").level(0x28011)\n'


@pytest.mark.parametrize("library", ["libc.so", "libm.so"])
def test_what_began_beside_a_library_is_no_flip(library: str, tmp_path: Path) -> None:
    need_core_dumps()
    if shutil.which("gcc") is None:
        pytest.skip("no gcc to build the program with; try: apt install gcc")
    (tmp_path / "segment.c").write_text(SOURCE)
    (tmp_path / "program.py").write_text(PROGRAM)
    build = ["gcc", "-O1", "-shared", "-fPIC", f'-DNAME="{library}"', "segment.c", "-o",
             "segment.so"]  # fmt: skip
    subprocess.run(build, cwd=tmp_path, check=True)
    command = ["/bin/sh", "-c", f"ulimit -c unlimited; exec {sys.executable} program.py"]
    ended = subprocess.run(command, cwd=tmp_path, timeout=60, check=False)
    if ended.returncode == 7:
        pytest.skip(f"no free memory 2^n bytes from {library}")
    (core,) = find_core(tmp_path)
    parts = run_stages(Session(CoreFileTarget.open(core)))
    assert parts.verdict.damage.confidence is None, parts.verdict.damage
    assert parts.verdict.label in ("software", "cannot-tell")

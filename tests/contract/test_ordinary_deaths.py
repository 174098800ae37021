# SPDX-License-Identifier: Apache-2.0
"""Real C programs that die of something ordinary: none of it may look like damaged memory."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.cores import find_core
from support.opening import need_core_dumps

from gdb_epi.analysis import analyze
from gdb_epi.render.source_lines import truncated_mapped_file
from gdb_epi.render.triage import Audience, render_triage
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

# strtol leaves 0x1999999999999999 in a register (ULONG_MAX / 10): text-like, not canonical.
SOURCE = r"""
#define _GNU_SOURCE
#include <alloca.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

static void refused(void) {
    struct sock_filter all[] = {{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_KILL_PROCESS}};
    struct sock_fprog filter = {1, all};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
    write(1, "x", 1);
}

static void file_ended(void) {
    int file = open("mapped", O_RDWR | O_CREAT, 0600);
    if (ftruncate(file, 8192)) return;
    char *at = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (ftruncate(file, 0)) return;
    at[5000] = 1;
}

static int file_ended_read_only(void) {
    int file = open("mapped", O_RDWR | O_CREAT, 0600);
    if (ftruncate(file, 8192)) return 0;
    volatile char *at = mmap(0, 8192, PROT_READ, MAP_SHARED, file, 0);
    if (ftruncate(file, 0)) return 0;
    return at[5000];
}

static int huge_pages(void) { /* a pool of none is the default */
    volatile char *at = mmap(0, 2 << 20, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) return 0;
    at[5000] = 1;
    return at[5000];
}

static int large_frame(long size) {
    volatile char *at = alloca(size);
    at[0] = 1;
    return at[5];
}

static void cpu_limit(void) {
    struct rlimit one = {1, 2};
    setrlimit(RLIMIT_CPU, &one);
    for (;;) ;
}

struct object { void (**methods)(void); long more[6]; };

static void use_after_free(int blocks) {
    struct object *volatile all[2];
    for (int i = 0; i < 2; i++) all[i] = calloc(1, sizeof(struct object));
    for (int i = 2 - blocks; i < 2; i++) free(all[i]);
    all[1]->methods[1]();
}

int main(int count, char **words) {
    double room[2] __attribute__((aligned(16)));
    volatile char *page;
    switch (strtol(words[1], 0, 10) + 0 * count) {
    case 0: refused(); break;
    case 1: file_ended(); break;
    case 2: return large_frame(20000000);
    case 3: __builtin_trap();
    case 4: __asm__ volatile("int3"); break;
    case 5: __asm__ volatile("hlt"); break;
    case 6: __asm__ volatile("movaps %%xmm0, (%0)" ::"r"((long)room + 8) : "memory"); break;
    case 7: page = mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); page[1] = 3; break;
    case 8: cpu_limit();
    case 9: use_after_free(1); break;
    case 10: use_after_free(2); break;
    case 11: return file_ended_read_only();
    case 12: return huge_pages();
    }
    return 0;
}
"""
# Number: (category, label of the verdict, a part of what is said)
DEATHS: dict[str, tuple[int, str, str, str]] = {
    "seccomp": (0, "seccomp", "software", "a seccomp filter"),
    "file-ended": (1, "bus-adrerr", "software", "no data at the place that was used"),
    "large-frame": (2, "segv-stack-overflow", "software", "by a size that it computed"),
    "ud2": (3, "ill", "software", "ud2 at 0x"),
    "int3": (4, "trap", "software", "int3 at 0x"),
    "privileged": (5, "segv-privileged", "cannot-tell", "hlt: by it musl"),
    "misaligned": (6, "segv-misaligned", "software", "an aligned address"),
    "read-only": (7, "segv-wild", "software", "mapped, but only to be read"),
    "freed": (9, "segv-wild", "software", "the link of a free block of malloc"),
    "freed-with-next": (10, "segv-wild", "software", "the link of a free block of malloc"),
    "huge-pages": (12, "bus-adrerr", "out-of-memory", "had no such page left"),
    "cpu-limit": (8, "limit:cpu", "killed", "RLIMIT_CPU"),
}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_core_dumps()
    if shutil.which("gcc") is None:
        pytest.skip("gcc is missing")
    folder = tmp_path_factory.mktemp("deaths")
    (folder / "deaths.c").write_text(SOURCE)
    made = folder / "deaths"
    subprocess.run(["gcc", "-O1", "-o", made, folder / "deaths.c"], check=True, capture_output=True)
    return made


def session_of(program: Path, folder: Path, number: int) -> Session:
    command = ["/bin/sh", "-c", 'ulimit -c unlimited; exec "$0" "$1"', str(program), str(number)]
    subprocess.run(command, cwd=folder, check=False, capture_output=True, timeout=60)
    (core,) = find_core(folder)
    return Session(CoreFileTarget.open(core))


def record_of(program: Path, folder: Path, number: int) -> dict[str, Any]:
    return analyze(session_of(program, folder, number))


@pytest.mark.parametrize(("number", "name"), [(1, "mapped"), (11, "mapped"), (7, "")])
def test_the_screen_names_the_file_that_ended(
    program: Path, tmp_path: Path, number: int, name: str
) -> None:
    """It sent its reader to `info proc mappings`: a hundred lines, to be compared by hand."""
    session = session_of(program, tmp_path, number)
    record = analyze(session)
    file = truncated_mapped_file(session, record)
    assert file == (str(tmp_path / name) if name else "")
    lines = render_triage(record, Audience(ended_file=file))
    shown = [line.rpartition("  ")[2] for line in lines if "the file: " in line]
    assert shown == ([file] if name else [])
    assert str(tmp_path) not in json.dumps(record), "no path of data in a record"


def test_a_read_behind_the_end_of_a_file_is_no_write(program: Path, tmp_path: Path) -> None:
    record = record_of(program, tmp_path, 11)
    assert not any("only to be read" in reason for reason in record["verdict"]["reasons"])


@pytest.mark.parametrize("name", list(DEATHS))
def test_an_ordinary_death(program: Path, tmp_path: Path, name: str) -> None:
    number, category, label, words = DEATHS[name]
    record = record_of(program, tmp_path, number)
    signature, verdict = record["signature"], record["verdict"]
    assert (signature["category"], verdict["label"]) == (category, label)
    texts = [signature["evidence"], *(finding["summary"] for finding in record["findings"])]
    assert any(words in text for text in [*texts, *verdict["reasons"]]), texts
    assert record["corruption"]["word"] in ("none", "software-like")
    assert not any("filling pattern" in reason for reason in verdict["reasons"])
    assert all(verdict["reasons"])

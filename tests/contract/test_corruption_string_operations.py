# SPDX-License-Identifier: Apache-2.0
"""memset and memcpy past the end: which code of the C library does it hangs on the CPU.

So the instructions are written out here, and the addresses are fixed: each end lies one bit from
the beginning, which is what a check that compares registers with what made them could take for
a wrong bit.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from corruption.examine import Row, examine
from corruption.labels import Labelled
from support.cores import find_core
from support.opening import need_core_dumps

SOURCE = """
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

static char *map(unsigned long at, unsigned long size) {{
    char *m = mmap((void *)at, size, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (m != (char *)at) exit(1);
    return m;
}}

int main(void) {{
    char *to = map(0x100000000000, {to_size}), *from = map(0x200000000000, {from_size});
    unsigned long rounds = {rounds};
    __asm__ volatile("{code}" :: "r"(to), "r"(from), "r"(rounds)
                     : "rdi", "rsi", "rcx", "rax", "memory", "cc");
    return 0;
}}
"""
FILL = "mov %0, %%rdi; mov %2, %%rcx; xor %%eax, %%eax; "
COPY = "mov %0, %%rdi; mov %1, %%rsi; mov %2, %%rcx; "
# Each way: (instructions, bytes a round moves, which of `to` and `from` is too short).
WAYS = {
    "fill-bytes": (FILL + "rep stosb", 1, ("to",)),
    "fill-words": (FILL + "rep stosq", 8, ("to",)),
    "write-bytes": (COPY + "rep movsb", 1, ("to",)),
    "write-words": (COPY + "rep movsq", 8, ("to",)),
    "read-bytes": (COPY + "rep movsb", 1, ("from",)),
    "read-words": (COPY + "rep movsq", 8, ("from",)),
    "search": (FILL + "mov $1, %%al; repne scasb", 1, ("to",)),
    "compare": (COPY + "repe cmpsb", 1, ("to", "from")),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_core_dumps()
    if shutil.which("gcc") is None:
        pytest.skip("gcc is missing")
    return tmp_path_factory.mktemp("moved")


def row_of(folder: Path, name: str, size: int) -> Row:
    code, width, short = WAYS[name]
    place = folder / f"{name}-{size:x}"
    place.mkdir()
    source, program = place / "main.c", place / "main"
    sizes = {f"{end}_size": size if end in short else 4 * size for end in ("to", "from")}
    source.write_text(SOURCE.format(code=code, rounds=2 * size // width, **sizes))
    subprocess.run(["gcc", "-O1", "-w", "-o", program, source], check=True, capture_output=True)
    command = ["/bin/sh", "-c", 'ulimit -c unlimited; exec "$0"', str(program)]
    subprocess.run(command, cwd=place, check=False, capture_output=True, timeout=120)
    (core,) = find_core(place)
    core.rename(place / "core")
    label = {"kind": name, "class": "sw", "executable": str(program), "sysroot": None}
    return examine(Labelled(place, label))


@pytest.mark.parametrize("size", [0x1000, 0x10000, 0x20000, 0x100000])
@pytest.mark.parametrize("name", WAYS)
def test_the_end_of_a_block_is_no_wrong_bit(folder: Path, name: str, size: int) -> None:
    row = row_of(folder, name, size)
    assert row["symptom"] == "past-the-end"
    assert not [piece for piece in row["evidence"] if piece["id"].startswith(("R", "M"))]
    assert row["word"] == "software-like", row["evidence"]

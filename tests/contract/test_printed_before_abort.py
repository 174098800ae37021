# SPDX-License-Identifier: Apache-2.0
"""The text that C code was about to print when it called abort(), read from the code."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from support.cores import find_core, why_no_core_dumps

from gdb_epi.detectors.runtimes.aborts import _text_printed_earlier, read_printed_message
from gdb_epi.fault.instructions import call_before
from gdb_epi.target.corefile import CoreFileTarget

CHECKED = r"""
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) void check(int count, const char *name)
{
    if (count > 2) {
        WRITE;
        __builtin_trap();
    }
}
int main(int count, char **words) { check(count, words[0]); return 0; }
"""
CASES = {
    'printf("%s:%d: assertion \'%s\' failed\\n", "queue.h", 17, "count <= 2")': (
        "queue.h:17: assertion 'count <= 2' failed"
    ),
    'fprintf(stderr, "out of slots in %s (%d)\\n", name, count)': "out of slots in ? (?)",
    'printf("%-8s: %lu of 100%% at %#x, %.*s\\n", "pool.c", 7UL, count, 2, "grow")': (
        "pool.c: 7 of 100% at ?, grow"
    ),
    'fwrite("the index is broken\\n", 1, 20, stderr)': "the index is broken",
    "fwrite(name, 1, 4, stderr)": "",
}
EARLIER = {
    'fputs("two users at once\\n", stderr); fflush(stderr)': "two users at once",
    'setenv("QUEUE_LENGTH", name, 1); fflush(stderr)': "",
}


@pytest.mark.skipif(why_no_core_dumps() is not None, reason=str(why_no_core_dumps()))
@pytest.mark.parametrize(
    "write",
    [*CASES, *EARLIER],
    ids=["printf", "fprintf", "sizes", "fwrite", "no constant", "flushed", "a name, flushed"],
)
def test_the_constants_of_the_call(write: str, tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("no gcc on this machine")
    source = tmp_path / "checked.c"
    source.write_text(CHECKED.replace("WRITE", write))
    program = tmp_path / "checked"
    subprocess.run(["gcc", "-O2", "-w", str(source), "-o", str(program)], check=True)
    command = f"ulimit -c unlimited; cd {tmp_path}; exec {program} a b c"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, env=os.environ)
    assert done.returncode < 0
    (core,) = find_core(tmp_path)
    target = CoreFileTarget.open(core)
    pc = target.threads()[0].registers["rip"]  # of the trap: right behind the call that writes
    assert call_before(target, pc) is not None
    if write in CASES:
        assert read_printed_message(target, pc) == CASES[write]
    else:
        assert read_printed_message(target, pc) == ""
        assert _text_printed_earlier(target, pc) == EARLIER[write]

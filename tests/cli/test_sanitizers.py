# SPDX-License-Identifier: Apache-2.0
"""Programs built with AddressSanitizer: what it reports, and what it only passes on."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from support.cores import find_core
from support.opening import need_core_dumps

SOURCE = r"""
#include <stdlib.h>
#include <string.h>
int main(int count, char **words) {
    char **all = malloc(80);
    switch (atoi(words[1])) {
    case 0: free(all); return ((long *volatile *)all)[count] != 0;
    case 1: abort();
    default: return strlen(all[count]);
    }
}
"""
# Way: (category, label, what the screen says)
DEATHS = {
    "reported": (0, "abort-other", "software", "AddressSanitizer reported an error"),
    "own-abort": (1, "abort-other", "software", "the process sent itself SIGABRT"),
    "passed-on": (2, "segv-noncanonical", "software", "a filling pattern"),
}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_core_dumps()
    if shutil.which("gcc") is None or shutil.which("gdb") is None:
        pytest.skip("gcc or gdb is missing")
    folder = tmp_path_factory.mktemp("asan")
    (folder / "asan.c").write_text(SOURCE)
    command = ["gcc", "-g", "-O1", "-fsanitize=address", "-o", "asan", "asan.c"]
    built = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    if built.returncode:
        pytest.skip(f"no AddressSanitizer here: {built.stderr.strip()[-200:]}")
    return folder / "asan"


@pytest.mark.parametrize("name", list(DEATHS))
def test_a_program_with_address_sanitizer(shell, program: Path, tmp_path: Path, name: str) -> None:
    number, category, label, words = DEATHS[name]
    folder = tmp_path / "ran"
    folder.mkdir()
    options = "ASAN_OPTIONS=disable_coredump=0:abort_on_error=1:detect_leaks=0"
    command = f"ulimit -c unlimited; exec env {options} {program} {number}"
    subprocess.run(["/bin/sh", "-c", command], cwd=folder, check=False, capture_output=True)
    (core,) = find_core(folder)
    done = shell("triage", core, "--format", "json", "--no-db")
    (record,) = done.records
    signature, verdict = record["signature"], record["verdict"]
    assert (signature["category"], verdict["label"]) == (category, label)
    assert signature["text"]["stable"].endswith(f"{category} main"), "no frame of the sanitizer"
    assert any(words in reason for reason in verdict["reasons"])
    assert record["fork"]["forked"] is False

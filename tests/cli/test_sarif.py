# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi triage --sarif` and `repro --sarif` on real cores."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from support.opening import need_core_dumps
from support.sarif import results_of
from support.shell import SAMPLES, Shell


def test_triage_writes_a_result_for_each_crash(shell: Shell, cores: list[Path]) -> None:
    noise = shell.folder / "noise"
    noise.write_text("no core")
    twin = shutil.copy(cores[0], shell.folder / "twin.xz")
    # The sample's own source, where the record says that it was.
    shutil.copy(SAMPLES / "null-deref-ctypes" / "program.py", shell.folder)
    log = shell.folder / "a.sarif"
    done = shell.triage(*cores, twin, noise, "--no-db", "--sarif", log)
    assert done.code == 3, done.err
    assert log.stat().st_mode & 0o777 == 0o600
    results = results_of(json.loads(log.read_text()))
    assert [result["occurrenceCount"] for result in results] == [2, 1, 1]
    assert results[0]["ruleId"].endswith("/segv-null")
    assert "program.py:27" in results[0]["message"]["text"]
    frames = results[0]["stacks"][0]["frames"]
    names = [frame["location"]["message"]["text"] for frame in frames]
    assert "copy_payload" in names


def test_no_value_of_a_local_is_in_it(shell: Shell, core: Path) -> None:
    done = shell.triage(core, "--no-db", "--stacks", "--locals", "--sarif", "a.sarif")
    assert done.code == 0, done.err
    values = [line.split(" = ", 1)[1] for line in done.out.splitlines() if " = " in line]
    assert values, "the screen has them when they are asked for"
    text = (shell.folder / "a.sarif").read_text()
    assert not [value for value in values if len(value) > 8 and json.dumps(value)[1:-1] in text]


def test_repro_counts_equal_crashes_as_one_result(shell: Shell) -> None:
    need_core_dumps()
    program = shell.folder / "job.py"
    program.write_text("import ctypes\n\ndef boom():\n    ctypes.memset(16, 0, 8)\n\nboom()\n")
    words = ("--runs", 2, "--native", "never", "--sarif", "a.sarif", "--github")
    done = shell("repro", *words, "--", shell.python, "-S", program)
    assert done.code == 0, done.out + done.err
    (result,) = results_of(json.loads((shell.folder / "a.sarif").read_text()))
    assert result["occurrenceCount"] == 2
    at = result["locations"][0]["physicalLocation"]
    assert at["artifactLocation"]["uri"] == "job.py" and at["region"]["startLine"] == 4
    assert "::error file=job.py,line=4," in done.out


@pytest.mark.parametrize("verb", ["triage", "repro"])
def test_a_folder_that_is_not_there_is_said_before_any_work(shell: Shell, verb: str) -> None:
    target = os.devnull if verb == "triage" else "true"
    words = ("--sarif", "no/where.sarif") + (("--", target) if verb == "repro" else (target,))
    done = shell(verb, *words)
    assert done.code == 2 and "--sarif no/where.sarif: no such folder" in done.err

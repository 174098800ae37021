# SPDX-License-Identifier: Apache-2.0
"""The table for those who come from py-bt, pystack and py-spy: each command is run."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys

import pytest
from driver import ROOT, TIMEOUT, Gdb, run_gdb, with_epi
from support.opening import core_of, newest_or_skip

REFERENCE = (ROOT / "commands" / "README.md").read_text()
SECTION = REFERENCE.split("### Coming from py-bt, pystack, py-spy")[1]
TABLE = [line.split("|")[1:4] for line in SECTION.split("\n### ")[0].splitlines() if "|" in line][
    2:
]
COMMANDS = [re.findall(r"`([^`]+)`", row[1]) for row in TABLE]
IN_GDB = [c for row in COMMANDS for c in row if not c.startswith(("gdb-epi ", "gdb "))]
OF_SHELL = sorted({c for row in COMMANDS for c in row if c.startswith("gdb-epi ")})
IN_SHELL = [command for command in OF_SHELL if "PID" not in command]
ATTACHING = [command for command in OF_SHELL if "PID" in command]
# What a command must have said; of the others that it says anything.
SAYS = {
    "epi bt full": "numbers = [10, 20, 30]",
    "bt": "work (",
    "epi list": "->",
    "epi locals": "way = ",
    "epi triage": "spoken.py",
}


def test_the_table_is_whole() -> None:
    typed = " ".join(row[0] for row in TABLE)
    for word in ("py-bt", "py-bt-full", "py-list", "py-up", "py-down", "py-locals", "py-print"):
        assert f"{word}`" in typed or f"{word} " in typed, word
    for tool in ("pystack core", "pystack remote", "py-spy dump", "py-spy record"):
        assert tool in typed, tool


def test_each_command_of_gdb_answers(gdb: Gdb) -> None:
    made = core_of("spoken")
    words = [word for command in IN_GDB for word in (f"echo \\n=== {command}\\n", command)]
    done = run_gdb(gdb, *with_epi(*words), exe=made.executable, core=made.core)
    assert done.returncode == 0 and len(IN_GDB) > 12, done.text
    assert not re.search(r"^(?:.*; try: |Undefined command)", done.stderr, re.MULTILINE), done.text
    for part in done.stdout.split("\n=== ")[1:]:
        command, _, answer = part.partition("\n")
        assert command.startswith("set ") or SAYS.get(command, "") in answer.strip(), done.text
        assert command.startswith("set ") or answer.strip(), command


def run_in_shell(line: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "gdb_epi" / "cli" / "gdb-epi", *shlex.split(line)[1:]],
        capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip


def test_each_command_of_the_shell_answers() -> None:
    made = core_of("spoken")
    assert len(IN_SHELL) > 4
    for command in IN_SHELL:
        done = run_in_shell(
            command.replace("CORE", str(made.core)).replace("EXE", str(made.executable))
        )
        says = "No thread waits for a lock" if " locks " in command else "work"
        assert done.returncode == 0 and says in done.stdout, (command, done.stdout, done.stderr)
        assert "--locals" not in command or "numbers" in done.stdout, command


@pytest.mark.heavy
def test_each_command_that_attaches_answers() -> None:
    python = newest_or_skip().host_executable
    program = (
        "import time\ndef work():\n    print('ready', flush=True)\n    time.sleep(1000)\nwork()"
    )
    process = subprocess.Popen([python, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    try:
        assert ATTACHING
        for command in ATTACHING:
            done = run_in_shell(command.replace("PID", str(process.pid)))
            if "no permission" in done.stderr:
                pytest.skip("ptrace is not permitted here")
            assert re.search(r"py +work ", done.stdout), (command, done.stdout, done.stderr)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()

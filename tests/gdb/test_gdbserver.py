# SPDX-License-Identifier: Apache-2.0
"""A healthy process behind a gdbserver: its words are those of a live one, with mappings or not."""

from __future__ import annotations

import re
import select
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from driver import Gdb, run_gdb, with_epi
from support.interpreters import oldest_and_newest
from test_live import PROGRAM, until_spinning

PORT = re.compile(r"Listening on port (\d+)")
TIMEOUT = 60  # seconds until a line comes
COMMANDS = ("triage", "bt --all", "threads", "locks", "corruption", "signature", "fork")
NO_FILES = "set remote hostio-open-packet off"  # a stub that sends no files


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """Yield the address of a gdbserver that is attached to a Python with two threads."""
    program = shutil.which("gdbserver")
    if program is None:
        pytest.skip("gdbserver is not installed (apt-get install gdbserver)")
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    python = oldest_and_newest()[-1]
    debuggee = subprocess.Popen(
        [*python.argv, str(file), "spin"], stdout=subprocess.PIPE, env=python.environment()
    )
    assert debuggee.stdout is not None
    assert debuggee.stdout.readline() == b"ready\n"
    until_spinning(debuggee.pid)
    attached = subprocess.Popen(
        [program, "--once", "--attach", "localhost:0", str(debuggee.pid)],
        bufsize=0,  # select() does not see lines that were read ahead
        stderr=subprocess.PIPE,
    )
    try:
        assert attached.stderr is not None
        text = ""
        while PORT.search(text) is None:
            if not select.select([attached.stderr], [], [], TIMEOUT)[0]:
                break
            line = attached.stderr.readline().decode()
            if not line or "ptrace" in line:
                pytest.skip(f"gdbserver cannot attach here: {text}{line}")
            text += line
        port = PORT.search(text)
        assert port is not None, text
        yield f"localhost:{port[1]}"
    finally:
        for process in (attached, debuggee):
            process.kill()
            process.wait()


@pytest.mark.parametrize("files", [True, False], ids=["with mappings", "without"])
def test_a_healthy_process_is_not_called_damaged(gdb: Gdb, server: str, files: bool) -> None:
    before = () if files else (NO_FILES,)
    commands = [*before, f"target remote {server}", *(f"epi {command}" for command in COMMANDS)]
    done = run_gdb(gdb, *with_epi(*commands, "kill"), exe=oldest_and_newest()[-1].host_executable)
    assert "internal error" not in done.stderr, done.text
    assert "spin (program.py:11)" in done.stdout or "spin  " in done.stdout, done.text
    assert "waiter" in done.stdout and "is alive" in done.stdout, done.text
    lines = [line for line in done.stdout.splitlines() if not line.startswith("#")]
    wrong = re.compile(r"\b(core|cores|crashed|died|damaged stack|corrupt-stack)\b")
    assert not [line for line in lines if wrong.search(line)], done.text
    if files:
        assert "program.py is alive" in done.stdout, done.text
        assert "no mappings" not in done.stdout
    else:
        assert "no mappings" in done.stdout, done.text

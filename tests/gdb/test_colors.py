# SPDX-License-Identifier: Apache-2.0
"""Colours in a GDB that runs on a terminal, and where its output goes elsewhere."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from pathlib import Path

from driver import BOOTSTRAP, QUIET, TIMEOUT, Gdb, environment
from support.opening import core_of
from support.shell import read_terminal

# Bold and red; newer GDBs write the sequences anew, with all that they switch off.
RED = re.compile(r"\x1b\[(?:1;31|31;49;1;23;24;27)m")
DIM = re.compile(r"\x1b\[(?:2|39;49;2;23;24;27)m")


def on_terminal(gdb: Gdb, *commands: str, **env: str) -> str:
    """Return what GDB writes to a terminal; not in batch mode, in which nothing is styled."""
    made = core_of("spoken")
    line = [gdb.path, "-nx", "-q"]
    for command in (*QUIET, "set pagination off", "set width 0"):
        line += ["-iex", command]
    line += [str(made.executable), str(made.core), "-ex", f"source {BOOTSTRAP}"]
    for command in (*commands, "quit"):
        line += ["-ex", command]
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        line, stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True,
        env=environment({"TERM": "xterm-256color", "NO_COLOR": "", **env}),
    )  # fmt: skip
    os.close(theirs)
    written = read_terminal(ours)
    process.wait(timeout=TIMEOUT)
    return written.decode("utf-8", "replace").replace("\r\n", "\n")


def test_colours_follow_the_terminal_and_the_settings(gdb: Gdb, tmp_path: Path) -> None:
    piped, file, forced = (tmp_path / name for name in ("piped", "file", "forced"))
    text = on_terminal(
        gdb, "epi triage", "echo NEXT\\n", "epi bt --source", "echo NEXT\\n",
        f"pipe epi triage | cat > {piped}", f"epi triage --output {file}",
        "set style enabled off", "epi triage", "echo NEXT\\n",
        "set style enabled on", "set epi color off", "epi triage", "echo NEXT\\n",
        "set epi color on", f"pipe epi triage | cat > {forced}",
    )  # fmt: skip
    auto, stack, plain, off = text.split("NEXT\n")[:4]
    assert RED.search(auto) and DIM.search(stack), text
    assert not RED.search(plain) and not RED.search(off) and not DIM.search(off)
    assert RED.search(forced.read_text())
    for written in (piped, file):
        assert "CPython" in written.read_text() and "\x1b" not in written.read_text()


def test_the_environment_says_no(one_gdb: Gdb) -> None:
    assert not RED.search(on_terminal(one_gdb, "epi triage", NO_COLOR="1"))
    assert not RED.search(on_terminal(one_gdb, "epi triage", TERM="dumb"))

# SPDX-License-Identifier: Apache-2.0
"""Nothing is shown from before: whatever may have changed a process, it is read anew."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from driver import Done, Gdb, run_gdb, with_epi
from support.cores import Made
from support.opening import core_of, newest_or_skip

PROGRAM = """
import os, sys
value = 123456
turn = 0
def step():
    global turn
    turn += 1
    local = value + turn
    return local
def in_child():
    where = "child"
    return where
def forking():
    where = "parent"
    if not os.fork():
        in_child()
        os._exit(0)
    os.wait()
print("ready", flush=True)
sys.stdin.readline()
while True:
    step()
    if len(sys.argv) > 1:
        forking()
"""
# What writes 7 into the value of an int: its digit begins behind three words in all of 3.8 to 3.15.
WRITE = "set var *(int *) ((char *) $a + 24) = 7"
WRITE_BY_PYTHON = (
    "python import gdb; gdb.selected_inferior().write_memory("
    "int(gdb.parse_and_eval('(long) $a')) + 24, (8).to_bytes(4, 'little'))"
)
CALL = 'call (int) PyRun_SimpleString("import __main__; __main__.turn = 4000")'


@pytest.fixture(params=[()])
def running(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that makes one step after the other."""
    (tmp_path / "program.py").write_text(PROGRAM)
    words = [newest_or_skip().host_executable, tmp_path / "program.py", *request.param]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None and child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        child.stdin.write("\n")
        child.stdin.flush()
        yield child
        child.kill()


def attached(gdb: Gdb, pid: int, *commands: str) -> Done:
    done = run_gdb(gdb, *with_epi(*commands, "kill"), words=("-p", str(pid)))
    if "Operation not permitted" in done.stderr:
        pytest.skip(f"ptrace is not permitted here: {done.stderr.strip().splitlines()[-1]}")
    assert "internal error" not in done.stderr, done.text
    return done


def shown(done: Done, name: str) -> list[str]:
    return re.findall(rf"^{re.escape(name)} = (.*)$", done.stdout, re.MULTILINE)


def test_running_on_writing_and_calling(gdb: Gdb, running: subprocess.Popen[str]) -> None:
    turn, value = "epi print __main__.turn", "epi print __main__.value"
    done = attached(
        gdb, running.pid, "epi break __main__.step", "continue", turn, "continue", turn, turn,
        value, 'set $a = $epi_local("__main__.value")', WRITE, value, WRITE_BY_PYTHON, value,
        CALL, turn, "epi locals", "delete", "epi break program.py:9", "continue", "epi locals",
    )  # fmt: skip
    turns = list(map(int, shown(done, "__main__.turn")))
    assert turns[1] == turns[2] == turns[0] + 1, done.text
    assert shown(done, "__main__.value") == ["123456", "7", "8"], done.text
    # GDB 13.1 cannot write the registers of newer processors, and so calls nothing.
    called = "Couldn't write extended state" not in done.stderr
    assert turns[3] == (4000 if called else turns[2]), done.text
    assert f"  local = {turns[3] + 9}" in done.stdout, done.text


@pytest.mark.parametrize("running", [("fork",)], indirect=True)
def test_following_a_fork(one_gdb: Gdb, running: subprocess.Popen[str]) -> None:
    done = attached(
        one_gdb, running.pid, "set follow-fork-mode child", "catch fork", "continue",
        "epi print where", "epi break __main__.in_child", "continue", "epi bt", "epi frame 1",
        "info inferiors", "epi doctor",
    )  # fmt: skip
    assert shown(done, "where") == ["'parent'"], done.text
    assert re.search(r"#0 +py +in_child", done.stdout), done.text


@pytest.mark.heavy
def test_another_core_another_process(
    gdb: Gdb, running: subprocess.Popen[str], threads_core: Made
) -> None:
    other = core_of("callbacks")
    title = "epi triage"
    done = attached(
        gdb, running.pid, title, "detach", f"file {threads_core.executable}",
        f"core-file {threads_core.core}", title, f"core-file {other.core}", title, "core-file",
        title, f"file {newest_or_skip().host_executable}", f"attach {running.pid}", title,
    )  # fmt: skip
    heads = re.findall(r"^\S*?(\w+\.py) ", done.stdout, re.MULTILINE)
    assert heads == ["program.py", "threads.py", "callbacks.py", "program.py"], done.text
    assert "no process and no core" in done.stderr

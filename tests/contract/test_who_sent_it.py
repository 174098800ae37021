# SPDX-License-Identifier: Apache-2.0
"""A signal of the own process need not be the thread's own: a watchdog, a timer, a handler.

Each program waits for an item in a queue, and somebody sends the signal; or it sends it itself.
"""

from __future__ import annotations

import resource
import signal
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest
from support.cores import find_core
from support.interpreters import Interpreter, one_per_minor
from support.opening import need_core_dumps
from support.waiting import until_asleep

from gdb_epi.analysis import analyze
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

WAIT = """
import queue
items = queue.Queue()
def consume():
    print("ready", flush=True)
    return items.get()
consume()
"""
# It sends the signal when the main thread sleeps in the kernel, in get().
HANDLER = "import faulthandler; faulthandler.enable()\n"
WATCHDOG = """
import os, queue, signal, sys, threading, time
main = threading.main_thread().ident
def at_rest():
    with open("/proc/self/task/%d/stat" % os.getpid()) as stat:
        state = stat.read().rpartition(")")[2].split()[0]
    return state == "S" and sys._current_frames()[main].f_code.co_name in ("get", "wait")
def watch():
    calm = 0
    while calm < 20:
        calm = calm + 1 if at_rest() else 0
        time.sleep(0.01)
    signal.pthread_kill(main, signal.SIGABRT)
threading.Thread(target=watch, daemon=True).start()
"""


# faulthandler prints the frames of a thread that runs on meanwhile: about one time in thirty it
# dies of that itself, by SIGSEGV (3.12.1).
TRIES = 5


class Death(NamedTuple):
    """A program, whether the test sends the signal, and what must be said."""

    program: str
    sent: bool
    sender: str
    category: str


DEATHS = {
    "another-process": Death(WAIT, True, "other", "killed-external"),
    "another-process-and-a-handler": Death(HANDLER + WAIT, True, "elsewhere", "killed-external"),
    "a-watchdog": Death(WATCHDOG + WAIT, False, "process", "killed-external"),
    "a-watchdog-and-a-handler": Death(
        HANDLER + WATCHDOG + WAIT, False, "elsewhere", "killed-external"
    ),
    "abort": Death("import os\nos.abort()", False, "self", "abort-other"),
    "abort-and-a-handler": Death(HANDLER + "import os\nos.abort()", False, "self", "abort-other"),
    "kill-of-itself": Death(
        "import os\nos.kill(os.getpid(), 6)\nprint()", False, "self", "abort-other"
    ),
}
SOME = [i for i in one_per_minor() if i.gil and i.root is None][::2]


def _end(interpreter: Interpreter, program: Path, death: Death) -> int:
    """Run a program to its end; return the signal that it died of."""
    process = subprocess.Popen(
        [*interpreter.argv, str(program)],
        cwd=program.parent,
        env={**interpreter.env, "PATH": "/usr/bin:/bin"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (-1, -1)),
    )
    if death.sent:
        assert process.stdout is not None and process.stdout.readline() == b"ready\n"
        until_asleep(process.pid)
        process.send_signal(signal.SIGABRT)
    process.wait(60)
    if process.stdout is not None:
        process.stdout.close()
    return -process.returncode


@pytest.mark.parametrize("name", DEATHS)
@pytest.mark.parametrize("interpreter", SOME, ids=lambda i: i.id)
def test_who_sent_the_signal(interpreter: Interpreter, name: str, tmp_path: Path) -> None:
    need_core_dumps()
    death = DEATHS[name]
    program = tmp_path / "program.py"
    program.write_text(death.program)
    for _ in range(TRIES):
        ended_by = _end(interpreter, program, death)
        (core,) = find_core(tmp_path)
        if ended_by == signal.SIGABRT:
            break
        core.unlink()
    record = analyze(Session(CoreFileTarget.open(str(core))))
    assert record["signal"]["sender"] == death.sender
    category = record["signature"]["category"]
    assert category == death.category or (category == "unknown" and death.sender == "self")
    # Whether a watchdog's thread is still in the core is chance, and so what it might yet do.
    if death.sender != "self" and WATCHDOG not in death.program:
        assert record["verdict"]["label"] == "hang", record["verdict"]
        assert any("for an item in a queue" in text for text in record["verdict"]["reasons"])

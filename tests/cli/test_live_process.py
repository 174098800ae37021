# SPDX-License-Identifier: Apache-2.0
"""The number of a process in place of a core: GDB looks at it for a moment, and it goes on."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
from support.opening import need_gdb
from support.waiting import state_of, ticks_of, until_asleep, wait_until

PROGRAM = """
import sys, threading
lock = threading.Lock()
lock.acquire()
def write():
    password = "hunter2"
    lock.acquire()
    print("went on", flush=True)
writer = threading.Thread(target=write, name="writer")
writer.start()
print("ready", flush=True)
sys.stdin.readline()
lock.release()
"""


MANY = """
import sys, threading
event = threading.Event()
def watch():
    event.wait()
threads = [threading.Thread(target=watch, name=f"watch-{n}") for n in range(60)]
for thread in threads: thread.start()
print("ready", flush=True)
sys.stdin.readline()
event.set()
"""


@pytest.fixture
def process() -> Iterator[subprocess.Popen[str]]:
    """A process that waits, and ends well once it is told to."""
    if shutil.which("gdb") is None:
        pytest.skip("needs GDB")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", PROGRAM], **pipes) as started:
        assert started.stdout is not None
        assert started.stdout.readline() == "ready\n"
        until_asleep(started.pid)
        yield started
        started.kill()


def ends_well(process: subprocess.Popen[str]) -> bool:
    """Tell a process to go on; whether it did what it was to do."""
    written, _ = process.communicate("go\n", timeout=120)
    return written == "went on\n" and process.returncode == 0


def test_triage_of_a_process_is_the_answer_and_leaves_it_running(shell, process):
    done = shell("triage", process.pid)
    assert done.code == 0
    assert f"pid {process.pid}" in done.out
    assert "Signal   none: the process runs; GDB stopped it" in done.out
    assert " epi " not in done.out, "GDB has gone: its commands are of no use"
    assert f"gdb-epi stacks {process.pid}" in done.out
    *before, after = done.err.splitlines()  # the first is said only once GDB has it
    assert all(f"process {process.pid} (" in line for line in done.err.splitlines())
    assert all("stands still while GDB reads it, 60 s" in line for line in before)
    assert "at most; it goes on" in after
    assert state_of(process.pid) == "S"
    assert ends_well(process)


def test_many_threads_of_one_stack_are_named_and_shown_once(shell):
    if shutil.which("gdb") is None:
        pytest.skip("needs GDB")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", MANY], **pipes) as process:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        until_asleep(process.pid)
        done = shell("triage", process.pid, "--db", "of day.sqlite3")
        assert "fleet seen" not in done.out, "nothing failed"
        assert "60 of 61 have the same stack, in watch (" in " ".join(done.out.split())
        first, second = done.out.split("\n\n")[0].replace("\n", " ").split(" is alive; ")
        assert first and second.startswith("MainThread "), "what it does, not a C function"
        assert "_read" not in second.partition("It was ")[0]
        stacks = shell("stacks", process.pid).out
        assert "60 threads with this stack: " in stacks and stacks.count("py  watch ") == 1
        process.kill()


def test_other_verbs_take_a_process_too(shell, process):
    alone = shell("stacks", process.pid)
    assert alone.code == 0 and "py  write" in alone.out and "\n  C " not in alone.out
    stacks = shell("stacks", process.pid, "--locals")
    assert stacks.code == 0 and "py  write" in stacks.out
    assert "hunter2" not in stacks.out and "password = <masked str>" in stacks.out
    record = json.loads(shell("triage", process.pid, "--json").out)
    assert record["process"]["pid"] == process.pid and record["process"]["live"] is True
    assert "no tasks" in shell("tasks", process.pid).out
    assert "variables lead to" in shell("memory", process.pid).out
    assert ends_well(process)


@pytest.mark.parametrize("verb", ["triage", "stacks", "tasks", "memory", "corruption"])
def test_files_of_cores_are_refused_with_a_process(shell, verb, tmp_path):
    with subprocess.Popen(["sleep", "60"]) as sleeper:
        refused = shell(verb, sleeper.pid, "--sysroot", tmp_path)
        sleeper.kill()
    assert refused.code == 2 and not refused.out
    assert "--exe and --sysroot are of cores" in refused.err


@pytest.mark.parametrize("moments", [0, 0, 0, 3, 10])
def test_a_process_goes_on_when_the_look_at_it_is_ended(shell, process, moments):
    """GDB sends SIGINT to what it attaches to when SIGTERM asks it to end."""
    look = subprocess.Popen(
        shell.command("triage", process.pid), env=shell.env, cwd=shell.folder,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    gdb = wait_until(lambda: tracer_of(process.pid), what="GDB", during=look)
    wait_until(lambda: ticks_of(gdb) >= moments or not tracer_of(process.pid))
    look.send_signal(signal.SIGTERM)
    look.communicate(timeout=120)
    wait_until(lambda: tracer_of(process.pid) == 0)
    assert ends_well(process)


def tracer_of(pid: int) -> int:
    with open(f"/proc/{pid}/status", encoding="utf-8") as status:
        (line,) = (line for line in status if line.startswith("TracerPid:"))
    return int(line.split()[1])


def test_a_process_that_was_stopped_before_stays_so(shell, process):
    process.send_signal(signal.SIGSTOP)
    wait_until(lambda: state_of(process.pid) == "T")
    done = shell("triage", process.pid)
    assert done.code == 0 and "is stopped, as it was before" in done.err
    assert f"kill -CONT {process.pid}" in done.out.splitlines()[0]
    process.send_signal(signal.SIGCONT)
    assert ends_well(process)


def test_without_permission_it_says_how_to_get_it(shell, process):
    setpriv = shutil.which("setpriv")
    if setpriv is None or os.geteuid() != 0:
        pytest.skip("needs setpriv, and root to drop a capability")
    shell.prefix = [setpriv, "--bounding-set=-sys_ptrace", "--inh-caps=-all"]
    done = shell("triage", process.pid)
    assert done.code == 3
    *_, line = done.err.splitlines()
    assert f"no permission to look at process {process.pid}" in line
    assert "run it as root or as the owner of the process" in line
    assert ends_well(process)


def test_a_process_that_a_debugger_has_is_left_to_it(shell, process):
    with subprocess.Popen(
        ["gdb", "-nx", "-p", str(process.pid)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as gdb:
        wait_until(lambda: tracer_of(process.pid) != 0)
        done = shell("triage", process.pid)
        assert done.code == 3 and f"is under a debugger: pid {gdb.pid}" in done.err
        gdb.communicate(b"detach\nquit\n", timeout=120)
    assert ends_well(process)


def test_a_zombie_has_nothing_left_to_look_at(shell, process):
    process.kill()
    wait_until(lambda: state_of(process.pid) == "Z")
    done = shell("stacks", process.pid)
    assert done.code == 3 and "has ended: a zombie, whose memory is gone" in done.err


@pytest.mark.parametrize("verb", ["triage", "stacks", "tasks", "memory", "corruption"])
def test_a_process_without_python_is_called_so_by_every_verb(shell, verb):
    with subprocess.Popen(["sleep", "60"]) as sleeper:
        done = shell(verb, sleeper.pid)
        assert state_of(sleeper.pid) == "S"
        sleeper.kill()
    assert done.code == 3 and not done.out
    assert f"process {sleeper.pid} is sleep; there is no Python in it" in done.err


def test_a_process_may_be_named_by_its_folder(shell, process):
    done = shell("stacks", f"/proc/{process.pid}")
    assert done.code == 0 and "py  write" in done.out
    assert ends_well(process)


def test_a_process_goes_on_when_the_look_at_it_takes_too_long(shell, process):
    done = shell("triage", "--timeout", "0.01", process.pid)
    assert done.code == 3 and not done.out
    assert f"GDB took more than 0.01 s for process {process.pid}, and let it go" in done.err
    assert tracer_of(process.pid) == 0
    assert ends_well(process)


IN_A_CELL = """
import threading
class Channel:
    def __init__(self):
        self.a = threading.Lock()
        self.b = threading.RLock()
def main():
    channel = Channel()
    def close():
        channel.a.acquire()
    with channel.a, channel.b:
        closer = threading.Thread(target=close, name="closer")
        closer.start()
        print("ready", flush=True)
        closer.join()
main()
"""


def test_a_lock_of_an_object_that_a_closure_shares_has_a_name(shell) -> None:
    need_gdb()
    words = [sys.executable, "-c", IN_A_CELL]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as started:
        assert started.stdout is not None and started.stdout.readline() == "ready\n"
        until_asleep(started.pid)
        done = shell("locks", started.pid)
        started.kill()
    assert "waits for Channel.a (threading.Lock, " in done.out, done.out
    assert "Nobody waits for Channel.b (threading.RLock, " in done.out, done.out

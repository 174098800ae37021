# SPDX-License-Identifier: Apache-2.0
"""The same commands on a live process under GDB."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from driver import Done, Gdb, read_json, run_gdb, with_epi
from support.interpreters import Interpreter, oldest_and_newest
from support.waiting import until_asleep, until_busy

PROGRAM = """
import ctypes, sys, threading, time
lock = threading.Lock()
lock.acquire()
def waiting(depth):
    if depth:
        return waiting(depth - 1)
    lock.acquire()
def spin():
    while True:
        pass
def main(how):
    print("ready", flush=True)
    if how == "crash":
        ctypes.string_at(24)
    spin()
waiter = threading.Thread(target=waiting, args=(3,), name="waiter", daemon=True)
waiter.start()
while waiter.ident not in (at := sys._current_frames()) or at[waiter.ident].f_lineno != 8:
    time.sleep(0.01)
main(sys.argv[1])
"""

# The gdb of the gdb-for-pwndbg package starts with PYTHONHOME set, and programs inherit it.
UNSET = ("unset environment PYTHONHOME", "unset environment PYTHONPATH")


@pytest.fixture(params=oldest_and_newest(), ids=lambda interpreter: interpreter.id)
def python(request: pytest.FixtureRequest) -> Interpreter:
    return request.param


@pytest.fixture
def program(tmp_path: Path) -> Path:
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    return file


def until_spinning(pid: int) -> None:
    """Wait until the main thread runs in its loop, and the other one waits for its lock."""
    until_busy(pid, pid)
    until_asleep(pid, but=pid)


@pytest.fixture
def spinning(python: Interpreter, program: Path) -> Iterator[int]:
    """The pid of a process that runs Python code for ever."""
    process = subprocess.Popen(
        [python.host_executable, program, "spin"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    until_spinning(process.pid)
    yield process.pid
    process.kill()
    process.wait()
    process.stdout.close()


def attached(gdb: Gdb, pid: int, *commands: str) -> Done:
    """Run commands in a GDB that is attached to a process; skip where that is forbidden."""
    done = run_gdb(gdb, *with_epi(*commands), words=("-p", str(pid)))
    if "Operation not permitted" in done.stderr:
        pytest.skip(f"ptrace is not permitted here: {done.stderr.strip().splitlines()[-1]}")
    return done


def test_attach(gdb: Gdb, spinning: int, program: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    done = attached(
        gdb,
        spinning,
        f"epi bt --all --json --output {out}/bt",
        f"epi native --json --output {out}/native",
        f"epi doctor --json --output {out}/doctor",
        "python print('PC', int(gdb.parse_and_eval('$pc')))",
        "kill",
    )
    assert "internal error" not in done.stderr, done.text
    stacks = read_json(out / "bt")
    by_name = {thread["name"]: thread for thread in stacks["threads"]}
    main, waiter = by_name["MainThread"], by_name["waiter"]
    assert [frame["name"] for frame in main["frames"]] == ["spin", "main", "<module>"]
    assert {frame["filename"] for frame in main["frames"]} == {str(program)}
    assert [frame["name"] for frame in waiter["frames"]][:4] == ["waiting"] * 4
    assert main["tid"] == spinning and main["alive"] and main["holds_gil"]
    native = read_json(out / "native")
    assert {thread["tid"] for thread in native["threads"]} == {main["tid"], waiter["tid"]}
    assert all(thread["frames"] for thread in native["threads"])
    stopped = next(t for t in native["threads"] if t["tid"] == spinning)["frames"]
    assert stopped[0]["pc"] == int(done.stdout.split("PC ")[1].split()[0])
    doctor = read_json(out / "doctor")
    assert doctor["core"]["kind"] == "live"
    assert doctor["core"]["signal"]["absent"] == "not_applicable"
    assert len(doctor["modules"]) > 3
    assert all(m["gdb"] == "matches" for m in doctor["modules"] if m["gdb"] != "not loaded")


def test_crash_under_gdb(gdb: Gdb, python: Interpreter, program: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    done = run_gdb(
        gdb,
        *UNSET,
        f"run {program} crash",
        *with_epi(
            f"epi doctor --json --output {out}/doctor",
            f"epi bt --json --output {out}/bt",
            f"epi threads --json --output {out}/threads",
            "kill",
        ),
        exe=python.host_executable,
    )
    if "Operation not permitted" in done.stderr:
        pytest.skip("ptrace is not permitted here")
    crash = read_json(out / "doctor")["core"]["signal"]
    assert (crash["signo"], crash["fault_address"]) == (11, 24), done.text
    thread = read_json(out / "bt")["threads"][0]
    assert [frame["name"] for frame in thread["frames"]] == ["string_at", "main", "<module>"]
    marks = {t["name"]: t["state"] for t in read_json(out / "threads")["threads"]}
    assert "got the signal" in marks["MainThread"] and "signal" not in marks["waiter"]


LOOKING = (
    "triage", "bt --all", "threads", "locks", "fork", "interp", "exceptions", "tasks", "signature",
    "locals", "generators", "corruption", "pools", "greenlets", "gc", "modules", "native", "list",
    "print sys", "refs __main__.lock", "find str --limit 1",
)  # fmt: skip


def test_no_word_of_a_core(gdb: Gdb, spinning: int) -> None:
    """A process that runs has not died, and what is read of it is no core."""
    done = attached(gdb, spinning, *(f"epi {command}" for command in LOOKING), "kill")
    assert "internal error" not in done.stderr, done.text
    assert "program.py is alive" in done.stdout, done.text
    lines = [line for line in done.stdout.splitlines() if not line.startswith("#")]
    assert not [line for line in lines if re.search(r"\b(core|cores|crashed|died)\b", line)]


def test_a_process_that_has_only_begun(gdb: Gdb, python: Interpreter, program: Path) -> None:
    done = run_gdb(
        gdb,
        *UNSET,
        f"set args {program} spin",
        "starti",
        *with_epi("epi triage", "epi bt", "kill"),
        exe=python.host_executable,
    )
    if "Operation not permitted" in done.stderr:
        pytest.skip("ptrace is not permitted here")
    assert "program.py has only begun" in done.stdout, done.text
    assert "crashed" not in done.stdout


def test_running_on_is_noticed(gdb: Gdb, spinning: int, tmp_path: Path) -> None:
    show = "python print('PC', int(gdb.parse_and_eval('$pc')))"
    out = tmp_path / "out"
    out.mkdir()
    commands = []
    for number in range(4):
        commands += [f"epi native --tid {spinning} --json --output {out}/{number}", show, "stepi 7"]
    commands += ["set var $pc = $pc + 1", f"epi native --json --output {out}/4", show, "kill"]
    done = attached(gdb, spinning, *commands)
    shown = [int(number) for number in re.findall(r"PC (\d+)$", done.stdout, re.MULTILINE)]
    seen = []
    for number in range(5):
        threads = read_json(out / str(number))["threads"]
        seen.append(next(t for t in threads if t["tid"] == spinning)["frames"][0]["pc"])
    assert seen == shown, done.text
    assert len(set(seen)) > 1


def test_threads_do_not_move_the_selection(gdb: Gdb, spinning: int) -> None:
    where = "python print('WHERE', gdb.selected_thread().num, gdb.selected_frame().level())"
    done = attached(
        gdb, spinning, "thread 2", "frame 1", where, "epi threads", "epi native", where, "kill"
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("WHERE")]
    assert lines == ["WHERE 2 1"] * 2, done.text


def test_program_that_is_not_python(gdb: Gdb) -> None:
    done = run_gdb(
        gdb,
        "starti",
        *with_epi("epi bt", "epi threads", "epi doctor", "kill"),
        exe="/bin/sleep",
    )
    if "Operation not permitted" in done.stderr:
        pytest.skip("ptrace is not permitted here")
    assert "internal error" not in done.stderr, done.text
    assert "no CPython" in done.stdout, done.text

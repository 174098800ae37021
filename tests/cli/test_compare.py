# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi compare`: real cores of the same crash, of another, of half a stack, and of a key."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.cores import find_core, wait_for
from support.interpreters import own_interpreters
from support.opening import need_core_dumps
from support.shell import SAMPLES
from support.waiting import wait_until

PROGRAM = """
import ctypes, os, sys
def copy(address):
    ctypes.string_at(address)
def by_name():
    copy(16)
def by_number():
    copy(24)
def give_up():
    os.abort()
def refuse():
    try:
        raise ValueError
    except ValueError:
        os.abort()
globals()[sys.argv[1]]()
"""


@pytest.fixture
def core_of(tmp_path):
    """Make the core of a program that dies in a function."""
    need_core_dumps()

    def make(
        function: str, program: str = "prog.py", source: str = PROGRAM, python: str = sys.executable
    ) -> Path:
        folder = tmp_path / f"{program}-{function}"
        folder.mkdir(exist_ok=True)
        (folder / program).write_text(source)
        start = ["sh", "-c", 'ulimit -c unlimited; exec "$0" "$@"', python]
        subprocess.run([*start, program, function], cwd=folder, timeout=120, check=False)
        (core,) = find_core(folder)
        number = len(list(tmp_path.glob("*.core")))
        return Path(shutil.move(core, tmp_path / f"{number}.core"))

    return make


def test_two_runs_of_one_crash_are_the_same(shell, core_of):
    first, second = core_of("by_name"), core_of("by_name")
    done = shell("compare", first, second)
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0] == "The same crash."
    assert len(lines) <= 25
    assert "A        0.core: prog.py crashed" in done.out
    assert "all libraries" in done.out and "Differs" not in done.out
    # No bare name of a category, and no word of damage where there is none.
    assert "kind NULL pointer" in done.out
    assert "segv-" not in done.out and "damage" not in done.out and "software-like" not in done.out
    assert "Both stacks, most recent call first" in done.out
    done = shell("compare", first, first)
    assert (done.code, done.out.splitlines()[0]) == (0, "Both are the same file.")


METHOD = PROGRAM.replace(
    "def by_name():\n    copy(16)",
    """
class Worker:
    def handle(self):
        ctypes.memmove(16, b"1234", 4)
    def other(self):
        ctypes.memmove(16, b"1234", 4)
def by_name():
    Worker().handle()
def by_other():
    Worker().other()
""",
)


def test_the_same_calls_under_a_python_that_knows_no_classes_of_methods(shell, core_of):
    old, new = _pythons_around(11)
    cores = [core_of("by_name", source=METHOD, python=python) for python in (old, new)]
    done = shell("compare", *cores)
    assert done.code == 0, done.out
    assert "The same crash: the same Python calls, at the same lines." in done.out
    assert "Worker.handle" in done.out
    done = shell("compare", cores[0], core_of("by_other", source=METHOD, python=new))
    assert "The same crash: the same Python calls" not in done.out


def _pythons_around(minor):
    """Return a Python before a version, and one from it on."""
    sides = {False: None, True: None}
    for interpreter in own_interpreters():
        sides[interpreter.minor >= (3, minor)] = str(interpreter.host_executable)
    if not all(sides.values()):
        pytest.skip("Pythons of both kinds are needed")
    return sides[False], sides[True]


def test_another_way_to_the_same_function_is_told_apart(shell, core_of):
    done = shell("compare", core_of("by_name"), core_of("by_number"))
    assert done.code == 0, "the innermost calls decide (SPEC.md)"
    assert done.out.splitlines()[0] == "The same crash, reached by other calls."
    marked = [line.split()[:3] for line in done.out.splitlines() if line.startswith("  ")]
    assert ["A", "py", "by_name"] in marked and ["B", "py", "by_number"] in marked
    assert ["both", "py", "copy"] in marked
    assert len(done.out.splitlines()) <= 25


def test_the_same_calls_of_other_programs_are_not_called_the_same_crash(shell, core_of):
    """All scripts are `__main__`, so that their signatures are equal."""
    done = shell("compare", core_of("give_up"), core_of("give_up", "other.py"))
    assert done.code == 4
    first = done.out.splitlines()[0]
    assert first == "Alike, but of different programs: prog.py (A), other.py (B)."


def test_what_was_raised_tells_two_causes_apart(shell, core_of):
    source = PROGRAM.replace("raise ValueError", "raise MemoryError").replace(
        "except ValueError", "except MemoryError"
    )
    done = shell("compare", core_of("refuse"), core_of("refuse", source=source))
    first = " ".join(done.out.splitlines()[:2])
    assert first.startswith("The same place, but perhaps not the same cause:")
    assert "ValueError (A)" in first and "MemoryError (B)" in first


def test_a_core_is_compared_with_a_key_and_with_a_record(shell, core_of, tmp_path):
    core = core_of("by_name")
    (record,) = shell("triage", core, "--no-db", "--format", "json").records
    stable = record["signature"]["keys"]["stable"]
    assert shell("compare", core, stable).out.startswith("The same crash.")
    kept = tmp_path / "record.json"
    kept.write_text(json.dumps(record))
    done = shell("compare", kept, core)
    assert done.code == 0 and done.out.startswith("The same crash.")
    done = shell("compare", core, "f" * 16)
    assert done.code == 4 and done.out.startswith("Not the same crash: no key is equal.")
    (comparison,) = shell("compare", core, kept, "--json").records
    assert comparison["match"]["level"] == "exact"


def test_cores_of_different_interpreters_and_causes(shell):
    first, second = (SAMPLES / name / "core.xz" for name in ("null-deref-ctypes", "use-after-free"))
    done = shell("compare", first, second)
    assert done.code == 4
    assert "A        null-deref-ctypes/core.xz: " in done.out
    assert len(done.out.splitlines()) <= 25


def test_what_is_no_core_is_said(shell, tmp_path):
    (tmp_path / "notes").write_text("no core")
    done = shell("compare", tmp_path / "notes", "f" * 16)
    assert done.code == 3 and "not a core dump" in done.err
    done = shell("compare", tmp_path / "gone", "f" * 16)
    assert done.code == 3 and "no such file" in done.err


COPIED = """
import os, sys, threading, time
def beat():
    for turn in range(10 ** 9):
        if turn % 2:
            time.sleep(0.1)
        else:
            time.sleep(0.11)
def rest():
    threading.Event().wait()
def fill():
    turn, kept = 0, []
    while True: turn += 1; kept.append(bytes(200_000)); time.sleep(0.002)
def count():
    turn = 0
    while True: turn += 1
threading.Thread(target=rest, name="rest").start()
open("ready", "w").write(str(os.getpid()))
globals()[sys.argv[1]]()
"""


@pytest.mark.parametrize(("main", "moves"), [("beat", True), ("count", True), ("rest", False)])
def test_two_copies_of_a_living_process_say_whether_it_moved(shell, tmp_path, main, moves):
    """They were "The same crash." of a process that worked; of a loop of one line "it hangs"."""
    need_core_dumps()
    (tmp_path / "served.py").write_text(COPIED)
    process = subprocess.Popen([sys.executable, "served.py", main], cwd=tmp_path)
    try:
        wait_for(tmp_path / "ready", process)
        records = []
        for number in range(40):  # until it stands elsewhere, if it moves at all
            core = tmp_path / f"{number}.core"
            subprocess.run(["gcore", "-o", core, str(process.pid)], capture_output=True, check=True)
            records.append(Path(shutil.move(f"{core}.{process.pid}", core)))
            if len(records) > 1:
                done = shell("compare", records[0], records[-1])
                if not moves or "moved. What" in done.out:
                    break
    finally:
        process.kill()
        process.wait()
    first = " ".join(done.out.split("\n\n")[0].split())
    assert first.startswith("One process, looked at twice"), done.out
    if moves:
        assert first.endswith("1 of its 2 threads moved. What moves is not blocked.")
        assert f"MainThread: {main} (served.py:" in done.out
    else:
        stays = "It hangs, as both say: hang (79%)."
        assert first.endswith(f"none of its 2 threads moved. {stays}")


def pages_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1])


@pytest.mark.heavy
def test_a_process_that_grows_in_one_line_is_not_called_a_hang(shell, tmp_path):
    """It sleeps in each turn, and is seen there each time: its values tell that it goes on."""
    need_core_dumps()
    (tmp_path / "served.py").write_text(COPIED)
    process = subprocess.Popen([sys.executable, "served.py", "fill"], cwd=tmp_path)
    try:
        wait_for(tmp_path / "ready", process)
        cores = [tmp_path / "0.core", tmp_path / "1.core"]
        for core in cores:
            more = pages_of(process.pid) + (16 << 20) // 4096
            wait_until(lambda more=more: pages_of(process.pid) > more)
            subprocess.run(["gcore", "-o", core, str(process.pid)], capture_output=True, check=True)
            shutil.move(f"{core}.{process.pid}", core)
        done = shell("compare", *cores)
        alive = shell("triage", process.pid, "--no-db")
    finally:
        process.kill()
        process.wait()
    first = " ".join(done.out.split("\n\n")[0].split())
    assert "hangs" not in first and "Its memory grew by " in first
    assert "what fills it: gdb-epi memory" in done.out
    assert "`turn` of fill: " in done.out and "`kept` of fill: list of " in done.out
    assert f"if its memory grows:  gdb-epi memory {process.pid}" in alive.out


def test_a_part_of_a_key_is_refused_by_the_words_that_were_typed(shell):
    done = shell("compare", SAMPLES / "use-after-free" / "core.xz", "deadbeef")
    assert done.code == 2 and "deadbeef: 8 digits" in done.err and "--expect" not in done.err

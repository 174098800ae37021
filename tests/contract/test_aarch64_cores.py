# SPDX-License-Identifier: Apache-2.0
"""Cores that a real aarch64 kernel wrote of Debian's CPythons (tests/tools/fetch_aarch64.py)."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from support.interpreters import cache_root
from support.shell import Shell

from gdb_epi.analysis import analyze
from gdb_epi.cli.support.native_gdb import GdbNativeFrames
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent
from gdb_epi.fault.account import ACCESS, TRANSFER
from gdb_epi.hangs.system_calls import read_system_call
from gdb_epi.machine import AARCH64
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

CACHED = cache_root() / "aarch64"
SUITES = {"bookworm": "3.11", "trixie": "3.13", "forky": "3.14"}


class Machine:
    """The cores and the file system of one suite's Python."""

    def __init__(self, suite: str) -> None:
        self.minor = SUITES[suite]
        self.cores = CACHED / suite / "cores"
        self.sysroot = CACHED / suite / "root"
        self.executable = self.sysroot / "usr/bin" / f"python{self.minor}"

    @cache
    def session(self, death: str) -> Session:
        return Session(CoreFileTarget.open(self.cores / death, sysroot=str(self.sysroot)))

    @cache
    def record(self, death: str) -> dict[str, Any]:
        return analyze(self.session(death))

    def python(self, death: str) -> PythonState:
        python = self.session(death).state.python
        assert isinstance(python, PythonState), python
        return python


@pytest.fixture(scope="module", params=SUITES)
def machine(request: pytest.FixtureRequest) -> Machine:
    made = Machine(request.param)
    if not (made.cores / "aarch64_deaths.py").is_file():
        pytest.skip(
            f"no cores in {made.cores}: tests/tools/fetch_aarch64.py makes them (qemu-system-arm, "
            "qemu-user, cpio; bash tests/run --heavy does both)"
        )
    return made


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.mark.parametrize(
    ("death", "names", "category", "how", "address"),
    [
        ("null_access", ["string_at", "inner", "outer", "null_access", "<module>"], "segv-null",
         ACCESS, 0),
        ("behind_handler", ["string_at", "inner", "behind_handler", "<module>"], "segv-null",
         ACCESS, 0),
        ("wild_write", ["wild_write", "<module>"], "segv-wild", ACCESS, 0x4100_0000_0000),
        ("wild_call", ["wild_call", "<module>"], "segv-exec", TRANSFER, 0x30_0000_0000),
        ("overflow", ["overflow", "<module>"], "segv-stack-overflow", ACCESS, None),
    ],
)  # fmt: skip
def test_a_fault(
    machine: Machine, death: str, names: list[str], category: str, how: str, address: int | None
) -> None:
    (crashed,) = (thread for thread in machine.python(death).threads() if thread.crashed)
    assert [frame.name for frame in crashed.frames] == names
    assert machine.record(death)["signature"]["category"] == category
    account = machine.session(death).state.fault_account
    assert account.how == how
    assert address is None or account.address == address
    assert account.fault.architecture is AARCH64 and account.site.instruction is None


def test_what_a_handler_raised_again_is_the_first_fault(machine: Machine) -> None:
    """faulthandler asks for no siginfo: what the CPU said is in the signal frame."""
    fault = machine.session("behind_handler").state.fault
    assert (fault.origin, fault.sender, fault.signo, fault.code) == (
        "signal-frame",
        "kernel",
        11,
        1,
    )
    assert machine.record("behind_handler")["signal"]["si_code"] < 0
    # Both died in the same place of the same function.
    assert fault.pc % 4096 == machine.session("null_access").state.fault.pc % 4096


def test_values_and_lines_are_read(machine: Machine) -> None:
    (crashed,) = (thread for thread in machine.python("null_access").threads() if thread.crashed)
    inner = crashed.frames[1]
    assert (inner.filename, inner.lineno) == ("/epi/aarch64_deaths.py", 35)
    from gdb_epi.record.stacks import stacks_json

    text = str(stacks_json(machine.session("null_access").state, locals=True))
    assert "'hello'" in text and "[1, 2, 3]" in text


def test_threads_are_told_by_glibcs_descriptor(machine: Machine) -> None:
    """The thread descriptor lies before the thread pointer (NT_ARM_TLS) leads to."""
    threads = {thread.tid: thread for thread in machine.session("stuck").state.target.threads()}
    states = machine.python("stuck").threads()
    assert len(states) == len(threads) == 6
    for state in states:
        assert state.tid is not None and threads[state.tid].ident == state.ident


def test_waits_and_the_circle(machine: Machine) -> None:
    state = machine.session("stuck").state
    waits = [wait for wait in state.locks.waits if wait.kind == "threading.Lock"]
    owners = {wait.tid: wait.owner.tid for wait in waits}
    assert len([tid for tid, owner in owners.items() if owners.get(owner or 0) == tid]) == 2
    assert machine.record("stuck")["verdict"]["label"] == "deadlock"
    calls = {
        thread.name: read_system_call(state.target, lwp)
        for thread in machine.python("stuck").threads()
        for lwp in state.target.threads()
        if lwp.tid == thread.tid
    }
    kinds = {name: call.name for name, call in calls.items() if call is not None}
    assert kinds["read_pipe"] == "read" and kinds["poll_pipe"] == "ppoll"
    assert kinds["sleep"] == "clock_nanosleep" and kinds["take_both"] == "futex"


def test_who_sent_the_signal(machine: Machine) -> None:
    assert machine.session("aborted").state.fault.sender == "self"
    assert machine.session("stuck").state.fault.sender == "other"


@pytest.mark.parametrize("death", ["null_access", "wild_write"])
def test_damage_is_not_judged(machine: Machine, death: str) -> None:
    made = machine.record(death)
    why = "not judged on this architecture (aarch64)"
    assert made["corruption"]["skipped"] == [{"check": "all", "why": why}]
    assert made["corruption"]["evidence"] == [] and made["corruption"]["possible_bit_flips"] == []
    assert made["verdict"]["damage"] == {"found": False, "judged": False}


def test_a_core_without_notes_of_the_machine(machine: Machine) -> None:
    """qemu-user writes no NT_FILE, no NT_SIGINFO and no thread pointer: it is read all the same."""
    made = machine.record("by-qemu-user")
    assert made["signal"]["name"] == "SIGSEGV"
    assert made["verdict"]["label"] == "cannot-tell"
    assert len(machine.session("by-qemu-user").state.target.threads()) == 2


def knowing_gdb() -> str:
    for name in filter(None, map(shutil.which, ("gdb-multiarch", "gdb"))):
        code = "python print('aarch64' in gdb.selected_inferior().architecture().name())"
        words = [name, "-nx", "-batch", "-ex", "set architecture aarch64", "-ex", code]
        if "True" in subprocess.run(words, capture_output=True, text=True, check=False).stdout:
            return name
    pytest.skip("no GDB that knows aarch64 (gdb-multiarch)")


def test_native_frames_are_gdbs(machine: Machine, tmp_path: Path) -> None:
    target = machine.session("null_access").state.target
    thread = target.threads()[0]
    core, exe = str(machine.cores / "null_access"), str(machine.executable)
    native = GdbNativeFrames(core, exe, str(machine.sysroot), knowing_gdb(), str(tmp_path))
    try:
        frames = native.frames(thread.tid)
    finally:
        native.close()
    assert not isinstance(frames, Absent), frames
    assert frames[0].pc == thread.pc and len(frames) > 8
    assert "_PyEval_EvalFrameDefault" in [frame.function for frame in frames]


def test_a_gdb_that_does_not_know_the_machine(machine: Machine, shell: Shell) -> None:
    """Its own words speak of threads that it cannot see."""
    plain = "/usr/bin/gdb"
    if not Path(plain).is_file():
        pytest.skip("no /usr/bin/gdb")
    words = [plain, "-nx", "-batch", "-ex", "set architecture aarch64"]
    if not subprocess.run(words, capture_output=True, text=True, check=False).stderr:
        pytest.skip(f"{plain} knows aarch64")
    core = machine.cores / "null_access"
    done = shell.triage(
        core,
        "--sysroot",
        machine.sysroot,
        "--gdb",
        plain,
        "--native",
        "auto",
        "--no-db",
        "--format",
        "json",
    )
    assert done.code == 0
    (made,) = done.records
    messages = [
        error["message"] for error in made["soft_errors"] if error["stage"] == "native frames"
    ]
    assert f"{plain} does not read cores of aarch64; apt install gdb-multiarch" in messages


def test_several_sysroots_the_first_that_fits(
    machine: Machine, shell: Shell, tmp_path: Path
) -> None:
    """The first has another build of libc at its path; the build-id tells, to GDB too."""
    first, right = tmp_path / "first", machine.sysroot
    wrong = first / "usr/lib/aarch64-linux-gnu/libc.so.6"
    wrong.parent.mkdir(parents=True)
    shutil.copy("/bin/true", wrong)
    core = machine.cores / "null_access"
    words = ("--gdb", knowing_gdb(), "--native", "auto", "--no-db", "--format", "json")
    (alone,) = shell.triage(core, "--sysroot", right, *words).records
    (several,) = shell.triage(core, "--sysroot", first, "--sysroot", right, *words).records
    assert several["signature"]["keys"] == alone["signature"]["keys"]
    assert several["signature"]["keys"]["native"]
    assert several["soft_errors"] == alone["soft_errors"]

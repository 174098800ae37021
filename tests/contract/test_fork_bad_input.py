# SPDX-License-Identifier: Apache-2.0
"""Forks in cores that lack something: memory, symbols, or the process's own view of its ids."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.cores import PROGRAMS, CoreFailed, run_gcore, truncate, why_no_core_dumps
from support.forks import fork_program
from support.interpreters import Interpreter, discover, one_per_minor
from support.opening import made_or_skip, sysroot_of
from support.waiting import until_asleep, wait_until

from gdb_epi.locks.fork import fork_facts
from gdb_epi.locks.glibc_threads import StackLists, read_stack_lists
from gdb_epi.locks.types import LockReport
from gdb_epi.process_state import ProcessState
from gdb_epi.target.corefile import CoreFileTarget

GDB = "/usr/bin/gdb"
needs_cores = pytest.mark.skipif(why_no_core_dumps() is not None, reason=str(why_no_core_dumps()))
minors = pytest.mark.parametrize(
    "interpreter", one_per_minor(), ids=lambda interpreter: interpreter.id
)


class NoThreadSymbols(CoreFileTarget):
    """A core whose C library tells nothing about its threads."""

    def symbol(self, name: str) -> int | None:
        is_expected = name.startswith(("_thread_db", "__nptl", "_rtld_global", "__libc_"))
        return None if is_expected or name == "fork" else super().symbol(name)


class Overwritten(CoreFileTarget):
    """A core in which words are zero."""

    zero: frozenset[int] = frozenset()

    def read(self, address: int, size: int) -> bytes:
        return bytes(size) if address in self.zero else super().read(address, size)


@needs_cores
@minors
def test_a_thread_that_does_not_name_itself_is_none(interpreter: Interpreter) -> None:
    made = made_or_skip(interpreter, fork_program("fork-four-threads"))
    core = Overwritten.open(made.core, sysroot=sysroot_of(made))
    lists = read_stack_lists(core)
    assert isinstance(lists, StackLists)
    live = {thread.registers["fs_base"] for thread in core.threads()}
    gone = {descriptor.address for descriptor in lists.descriptors} - live
    assert gone
    core.zero = frozenset(address + 16 for address in gone)
    again = read_stack_lists(core)
    assert isinstance(again, StackLists)
    assert not again.complete
    assert {descriptor.address for descriptor in again.descriptors} <= live
    states = {reading.name: reading.state for reading in ProcessState(core).locks.fork.readings}
    assert (states["F2"], states["F3"]) == ("unreadable", "unreadable")


@needs_cores
@minors
@pytest.mark.parametrize("percent", [20, 50, 80, 95])
def test_a_truncated_core_claims_no_more_than_it_holds(
    interpreter: Interpreter, percent: int, tmp_path: Path
) -> None:
    made = made_or_skip(interpreter, fork_program("fork-four-threads"))
    core = truncate(made.core, percent / 100, tmp_path / "core")
    sysroot = sysroot_of(made)
    locks = ProcessState(CoreFileTarget.open(core, sysroot=sysroot)).locks
    assert locks.fork.forked in (True, None)
    truth_by_name = {thread["name"]: thread for thread in made.truth["fork"]["vanished"]}
    for thread in locks.vanished.threads:
        assert thread.frames or thread.missing
        if thread.frames and thread.name is not None:
            names = [frame.name for frame in thread.frames]
            assert names == [frame[0] for frame in truth_by_name[thread.name]["frames"]]


@needs_cores
@minors
def test_an_unknown_c_library_is_said_and_not_guessed_about(interpreter: Interpreter) -> None:
    made = made_or_skip(interpreter, fork_program("fork-lock"))
    sysroot = sysroot_of(made)
    locks = ProcessState(NoThreadSymbols.open(made.core, sysroot=sysroot)).locks
    readings = {reading.name: reading for reading in locks.fork.readings}
    old_glibc = readings["F2"].state == "yes"  # libpthread's own .symtab names the lists
    if not old_glibc:
        for name in ("F1", "F2", "F3", "F5", "F6"):
            assert readings[name].state == "unreadable"
            assert readings[name].says
        assert locks.vanished.at_least or not locks.fork.forked
    assert locks.fork.forked is not False


# --- from outside a pid namespace -----------------------------------------------------------------


@contextlib.contextmanager
def process_in_a_namespace(interpreter: Interpreter, folder: Path, *words: str) -> Iterator[int]:
    """Start the program in a pid namespace of its own; yield the number it has outside."""
    unshare = shutil.which("unshare")
    if unshare is None or not Path(GDB).is_file():
        pytest.skip("needs unshare and GDB")
    ready = folder / "ready"
    program = str(PROGRAMS / "fork_in_namespace.py")
    command = [unshare, "-p", "-f", "--kill-child", *interpreter.argv, program, str(ready), *words]
    with subprocess.Popen(
        command, cwd=folder, env=interpreter.environment(), stderr=subprocess.PIPE,
        start_new_session=True,
    ) as started:  # fmt: skip
        try:
            wait_until(lambda: ready.is_file() or started.poll() is not None)
            if not ready.is_file():
                assert started.stderr is not None
                pytest.skip(f"no pid namespace here: {started.stderr.read().decode()[:200]}")
            pid = int(ready.read_text())
            until_asleep(pid)
            yield pid
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(started.pid, signal.SIGKILL)


def local() -> Interpreter:
    """Return an interpreter of this machine's own root that is started without a wrapper."""
    interpreters = [
        interpreter
        for interpreter in discover()
        if interpreter.root is None and len(interpreter.argv) == 1
    ]
    if not interpreters:
        pytest.skip("no interpreter outside of a chroot")
    return next(
        (interpreter for interpreter in interpreters if interpreter.minor >= (3, 12)),
        interpreters[0],
    )


def dump(tmp_path: Path, *words: str) -> LockReport:
    with process_in_a_namespace(local(), tmp_path, *words) as pid:
        try:
            run_gcore(GDB, pid, tmp_path / "core")
        except CoreFailed as error:
            pytest.skip(str(error))
    return ProcessState(CoreFileTarget.open(tmp_path / "core")).locks


def test_a_core_from_outside_a_namespace_is_no_fork(tmp_path: Path) -> None:
    locks = dump(tmp_path)
    assert locks.fork.forked is False
    readings = {reading.name: reading for reading in locks.fork.readings}
    assert readings["F6"].state == "unclear"
    assert "namespace" in readings["F6"].says
    assert readings["F7"].state == "no"


def test_a_fork_shows_from_outside_a_namespace_too(tmp_path: Path) -> None:
    locks = dump(tmp_path, "fork")
    assert (locks.fork.forked, locks.fork.depth) == (True, 1)
    assert locks.fork.hooks_bypassed is False
    assert [thread.name for thread in locks.vanished.threads] == ["holder"]
    assert [frame.name for frame in locks.vanished.threads[0].frames][:2] == ["hold", "run"]


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def test_parent_and_child_are_of_one_lineage(tmp_path: Path) -> None:
    places = []
    with process_in_a_namespace(local(), tmp_path, "fork") as child:
        for number, pid in enumerate((child, parent_of(child))):
            core = tmp_path / f"core{number}"
            try:
                run_gcore(GDB, pid, core)
            except CoreFailed as error:
                pytest.skip(str(error))
            places.append(CoreFileTarget.open(core))
    forks = [ProcessState(target).locks.fork for target in places]
    assert [fork.forked for fork in forks] == [True, False]
    assert forks[0].lineage is not None
    assert forks[0].lineage == forks[1].lineage
    # The kernel's random bytes give the same name where no thread's registers are at hand.
    for target in places:
        assert fork_facts._stack_canary_from_auxv(
            target
        ) == fork_facts._stack_canary_in_thread_memory(target)

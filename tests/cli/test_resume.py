# SPDX-License-Identifier: Apache-2.0
"""A second run over many cores goes on where the first one stopped."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
from pathlib import Path

import pytest
from support.shell import INTERRUPTIBLE, Shell
from support.small_cores import SNAPSHOTS, core_of
from support.snapshot import SnapshotTarget
from support.waiting import wait_until

from gdb_epi.target.api import ProcessInfo

SNAPSHOT = next(SNAPSHOTS.glob("trixie-*-generators.json.xz"))
CORES = 12
STORED_AT_ONCE = """
import gdb_epi.cli.support.record_keeper
gdb_epi.cli.support.record_keeper.BATCH = 4
gdb_epi.cli.support.record_keeper.WAIT = 1e9  # a slow machine stores no smaller batches
"""
# Has frames of no core, and does not come to an end with the last one as long as `hang` is there.
HANGING_GDB = """#!/bin/sh
case "$*" in *core.{last}*) if mv "{hang}" "{hang}s"; then sleep 1000; fi;; esac
exit 1
"""


@pytest.fixture
def cores(shell: Shell) -> list[Path]:
    """Cores of different processes, each of its own pid."""
    snapshot = SnapshotTarget.load(SNAPSHOT)
    folder = shell.folder / "cores"
    folder.mkdir()
    paths = [folder / f"core.{number}" for number in range(CORES)]
    for number, path in enumerate(paths):
        path.write_bytes(core_of(snapshot, pid_shift=number))
    return paths


def stored(shell: Shell) -> list[str]:
    """Return the keys of the cores in the database; fails when one is there twice."""
    with sqlite3.connect(shell.database) as connection:
        keys = [key for (key,) in connection.execute("select core_key from crash order by id")]
        assert connection.execute("select count(*) from raw").fetchone() == (len(keys),)
    connection.close()
    assert len(set(keys)) == len(keys)
    return keys


def done_before(err: str) -> int:
    """Return how many cores a run took from an earlier one."""
    match = re.search(rf"^gdb-epi: (\d+) of {CORES} cores were done before", err, re.MULTILINE)
    return int(match[1]) if match else 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_was_stopped_goes_on(
    shell: Shell, cores: list[Path], number: signal.Signals
) -> None:
    hang = shell.folder / "hang"
    hang.touch()
    gdb = shell.folder / "gdb"
    gdb.write_text(HANGING_GDB.format(last=CORES - 1, hang=hang))
    gdb.chmod(0o755)
    site = shell.folder / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(STORED_AT_ONCE)
    env = shell.env | {"PYTHONPATH": os.pathsep.join((str(site), shell.env["PYTHONPATH"]))}
    words = ("triage", *cores, "--native", "gdb", "--gdb", gdb, "--jobs", 1)
    process = subprocess.Popen(
        [*INTERRUPTIBLE, *shell.command(*words)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=env,
        cwd=shell.folder,
        start_new_session=True,
    )
    wait_until(lambda: not hang.exists(), 120, what="the last core", during=process)
    if number == signal.SIGKILL:
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
    process.communicate(timeout=120)
    assert process.returncode in (-number, 128 + number)
    # SIGKILL leaves no time: what was not stored yet is done again.
    expected = 8 if number == signal.SIGKILL else CORES - 1
    first = stored(shell)
    assert len(first) == expected

    done = shell(*words)
    assert done.code == 0 and done_before(done.err) == expected
    assert f"{CORES} inputs: {CORES} read, 0 unusable, 0 failed" in done.out
    assert stored(shell)[:expected] == first and len(stored(shell)) == CORES
    assert shell.leftovers == [] or number == signal.SIGKILL


def test_what_is_not_the_same_is_done_again(shell: Shell, cores: list[Path]) -> None:
    words = ("triage", *cores, "--native", "never")
    fresh = shell(*words, "--format", "json")
    assert done_before(fresh.err) == 0
    again = shell(*words, "--format", "json")
    assert done_before(again.err) == CORES
    # The very same answer, in the same order.
    assert again.records == fresh.records and len(again.records) == CORES

    assert done_before(shell(*words, "--again").err) == 0
    assert done_before(shell(*words, "--messages").err) == 0
    assert done_before(shell(*words, "--stacks").err) == 0
    assert done_before(shell(*words, "--db", "other.sqlite3").err) == 0
    os.utime(cores[0], (1, 1))
    (cores[1].parent / "core.1.host.json").write_text('{"hostname": "node-7"}')
    renamed = cores[2].with_name("core.renamed")
    cores[2].rename(renamed)
    with cores[3].open("ab") as file:
        file.write(b"more")
    paths = [*cores[:2], renamed, *cores[3:]]
    done = shell("triage", *paths, "--native", "never", "--format", "json")
    assert done_before(done.err) == CORES - 4
    assert done.records[1]["host"]["hostname"] == "node-7"
    assert len(stored(shell)) == CORES

    assert shell("fleet", "forget", "--core", stored(shell)[0], "--apply").code == 0
    assert done_before(shell("triage", *paths, "--native", "never").err) == CORES - 1
    assert len(stored(shell)) == CORES


def test_a_core_alone_is_always_read(shell: Shell, cores: list[Path]) -> None:
    for _ in range(2):
        done = shell.triage(cores[0])
        assert done.code == 0 and "done before" not in done.err


# What happens to the worker of a core, by how far its pid is from the recorded one.
DYING = """
import os, time
import gdb_epi.analysis
import gdb_epi.cli.support.workers as workers

FIRST = {first}
ENDINGS = (
    lambda: time.sleep(1000),
    lambda: [None for _ in iter(int, 1)],
    lambda: os.kill(os.getpid(), 9),
    lambda: os.kill(os.getpid(), 11),
    lambda: os._exit(0),
    lambda: {{}}["on purpose"],
    lambda: bytearray(1 << 46),
)
analyze = gdb_epi.analysis.analyze
begin = workers._Worker.hand_core

def patient(self, index, core):
    begin(self, index, core)
    if index > 1:  # a slow machine may take its time for those that come to an end
        self.deadline = float("inf")

def dying(session, **options):
    number = session.target.process().pid - FIRST
    if number < len(ENDINGS):
        ENDINGS[number]()
    return analyze(session, **options)

gdb_epi.analysis.analyze = dying
workers._Worker.hand_core = patient
"""
ENDED = (
    "not done within 4 s",
    "not done within 4 s",
    "the worker died by SIGKILL (out of memory?)",
    "the worker died by SIGSEGV",
    "the worker ended with exit code 0 and no result",
    "internal error: KeyError: 'on purpose'",
    "needs more than 4294967296 bytes of memory",
)


def test_each_worker_that_ends_costs_one_core(shell: Shell, cores: list[Path]) -> None:
    site = shell.folder / "site"
    site.mkdir()
    process = SnapshotTarget.load(SNAPSHOT).process()
    assert isinstance(process, ProcessInfo)
    (site / "sitecustomize.py").write_text(DYING.format(first=process.pid))
    path = os.pathsep.join((str(site), shell.env["PYTHONPATH"]))
    words = ("triage", *cores, "--native", "never", "--jobs", CORES)
    done = shell(*words, "--timeout", 4, env={"PYTHONPATH": path})
    read = CORES - len(ENDED)
    assert f"{CORES} inputs: {read} read, 0 unusable, {len(ENDED)} failed" in done.out
    assert done.code == 1
    for core, how in zip(cores, ENDED, strict=False):
        assert f"gdb-epi: {core}: {how}" in done.err
    assert len(stored(shell)) == read and shell.leftovers == []
    # Those that failed are tried again.
    done = shell(*words)
    assert done.code == 0 and done_before(done.err) == read
    assert len(stored(shell)) == CORES

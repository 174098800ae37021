# SPDX-License-Identifier: Apache-2.0
"""One GDB that forks for each core gives the records that a GDB for each core gives."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.opening import need_gdb, own_cores
from support.shell import Shell
from support.waiting import wait_until, wait_until_gone

from gdb_epi.cli.support.gdb_server import MOST_HANGS, GdbServer

WANTED = ("pyenv-3.12.1", "debian-3.11.2")
PROGRAMS = ("simple-string-at", "threads")
COPIES = 2  # of each core: a later one meets what an earlier one left, if anything is left
# A GDB that hangs in the process that it forked for a core, and says which that is.
HANGING_FORK = """import gdb, os, time
def hang(*words):
    with open({pids!r}, "a") as file:
        print(os.getpid(), file=file)
    time.sleep(1000)
os.register_at_fork(after_in_child=lambda: setattr(gdb, "execute", hang))
"""
LOGGING_GDB = '#!/bin/sh\necho $$ "$@" >> "{log}"\nexec "{gdb}" "$@"\n'


@pytest.fixture(autouse=True)
def nothing_is_known(shell: Shell) -> None:
    """Keep nothing of what GDB says: each core has to be asked for."""
    shell.env["XDG_CACHE_HOME"] = str(shell.folder / "no-folder")
    (shell.folder / "no-folder").touch()


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Cores of several interpreters, each several times, mixed."""
    made, folder = own_cores(WANTED, PROGRAMS), tmp_path_factory.mktemp("many")
    cores = []
    for copy in range(COPIES):
        for number, core in enumerate(made):
            cores.append(folder / f"core.{copy}.{number}")
            shutil.copy(core, cores[-1])
    return cores


@pytest.fixture(scope="module")
def alone(many: list[Path], tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The records that a GDB for each core gives; one for all tests, for it takes longest."""
    shell = Shell(tmp_path_factory.mktemp("alone"))
    gdb, log = gdb_that_logs(shell.folder)
    made = records(shell, *many, "--gdb", gdb, "--native", "gdb", "--jobs", 2)
    assert len(log.read_text().splitlines()) == len(many)
    return made


def gdb_that_logs(folder: Path) -> tuple[Path, Path]:
    """Return a GDB that writes its process id and words into a file, and that file."""
    log, gdb = folder / "gdb.log", folder / "logging-gdb"
    gdb.write_text(LOGGING_GDB.format(log=log, gdb=need_gdb()))
    gdb.chmod(0o755)
    log.touch()
    return gdb, log


def records(shell: Shell, *words: object) -> list[dict[str, Any]]:
    done = shell("triage", *words, "--no-db", "--format", "json")
    assert done.code == 0, done.err
    assert shell.leftovers == []
    return done.records


def test_a_shared_gdb_gives_the_records_of_one_for_each_core(
    shell: Shell, many: list[Path], alone: list[dict[str, Any]], tmp_path: Path
) -> None:
    gdb, log = gdb_that_logs(tmp_path)
    shared = records(shell, *many, "--gdb", gdb, "--jobs", 4)
    assert len(log.read_text().splitlines()) == 1, "every core was answered by the one GDB"
    assert all("native" in record["signature"]["keys"] for record in shared)
    assert [json.dumps(record) for record in shared] == [json.dumps(record) for record in alone]


def test_names_that_gdb_would_have_to_be_told_in_quotes_get_a_gdb_of_their_own(
    shell: Shell, many: list[Path], tmp_path: Path
) -> None:
    gdb, log = gdb_that_logs(tmp_path)
    odd = Path(shutil.copy(many[0], tmp_path / 'a core\'s "name" #1'))
    first, second = records(shell, odd, many[1], "--gdb", gdb, "--native", "always")
    assert "native" in first["signature"]["keys"] and "native" in second["signature"]["keys"]
    lines = log.read_text().splitlines()
    assert len(lines) == 2 and sum(f"--core={odd}" in line for line in lines) == 1


@pytest.mark.heavy
def test_when_the_shared_gdb_dies_the_cores_get_their_own(
    shell: Shell, many: list[Path], alone: list[dict[str, Any]], tmp_path: Path
) -> None:
    gdb, log = gdb_that_logs(tmp_path)
    words = shell.command("triage", *many, "--no-db", "--format", "json", "--gdb", gdb)
    process = subprocess.Popen(
        words,
        bufsize=0,  # communicate() does not give what readline() has read ahead
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=shell.env,
        cwd=shell.folder,
    )
    assert process.stdout is not None
    output = process.stdout.readline()  # so the shared GDB works by now
    os.kill(int(log.read_text().split()[0]), signal.SIGKILL)
    rest, complaints = process.communicate(timeout=120)
    assert process.returncode == 0, complaints
    answers = [json.loads(line) for line in (output + rest).splitlines()]
    assert answers == alone
    assert shell.leftovers == []


HANGING_GDB = """#!/bin/sh
case "$*" in *core_server*) echo $$ > "{log}"; exec sleep 600;; esac
exec "{gdb}" "$@"
"""
IMPATIENT = (
    "from gdb_epi.cli.support import native_gdb; native_gdb.SHARED_SECONDS = 1.0; "
    "from gdb_epi.cli.main import main; raise SystemExit(main())"
)


@pytest.mark.heavy
def test_a_shared_gdb_that_hangs_is_given_up_once_for_all_cores(
    shell: Shell, many: list[Path], alone: list[dict[str, Any]], tmp_path: Path
) -> None:
    log, gdb = tmp_path / "hanging.pid", tmp_path / "hanging-gdb"
    gdb.write_text(HANGING_GDB.format(log=log, gdb=need_gdb()))
    gdb.chmod(0o755)
    words = ["triage", *map(str, many), "--no-db", "--format", "json", "--native", "always"]
    done = subprocess.run(
        [sys.executable, "-c", IMPATIENT, *words, "--gdb", str(gdb), "--jobs", "1"],
        capture_output=True,
        env=shell.env,
        cwd=shell.folder,
        timeout=300,
    )
    complaints = done.stderr.decode()
    assert done.returncode == 0, complaints
    assert log.exists(), "the shared GDB was asked"
    assert complaints.count("the GDB that all cores share hung") == 1
    assert [json.loads(line) for line in done.stdout.splitlines()] == alone
    wait_until(lambda: processes_of_group(log.read_text().strip()) == [], what="its end")


def test_a_core_whose_own_gdb_hangs_does_not_cost_the_others_the_shared_one() -> None:
    server = GdbServer(["/bin/false"], {})
    try:
        for hangs in range(1, MOST_HANGS + 1):
            server.note_hang(of_itself=False)
            assert server.is_given_up() == (hangs == MOST_HANGS)
        assert server.ask("/core", None, None, "/folder", "answer") is None
    finally:
        server.close()


def test_a_worker_that_is_killed_ends_the_work_of_the_shared_gdb(
    shell: Shell, many: list[Path], tmp_path: Path
) -> None:
    """Beyond --timeout nothing goes on: the GDB that was forked for a core is killed too."""
    gdb, log = gdb_that_logs(tmp_path)
    pids, script = tmp_path / "pids", tmp_path / "hang.py"
    script.write_text(HANGING_FORK.format(pids=str(pids)))
    gdb.write_text(gdb.read_text().replace('"$@"\n', f'-iex "source {script}" "$@"\n'))
    for seconds in (2, 8, 32):  # until the worker of a core has come to its GDB, however slow
        words = ("--gdb", gdb, "--timeout", seconds, "--jobs", "8")
        done = shell("triage", *many, "--no-db", "--format", "json", *words)
        assert done.code == 1 and f"not done within {seconds} s" in done.err
        if pids.exists():
            break
    wait_until_gone(*map(int, pids.read_text().split()))
    for line in log.read_text().splitlines():
        server = line.split()[0]
        wait_until(lambda: processes_of_group(server) == [], what=f"the end of group {server}")
    assert shell.leftovers == []


def processes_of_group(group: str) -> list[str]:
    members = []
    for entry in Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except (OSError, NotADirectoryError):
            continue
        if fields[2] == group and fields[0] != "Z":
            members.append(entry.name)
    return members

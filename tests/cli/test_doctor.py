# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi doctor` on this machine and on a bare one."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.waiting import wait_until, wait_until_gone

from gdb_epi import __version__
from gdb_epi.cli import doctor
from gdb_epi.cli.support import native_gdb
from gdb_epi.repro import run_once
from gdb_epi.suggestions import install_command

ROOT = Path(__file__).resolve().parents[2]
needs_gdb = pytest.mark.skipif(shutil.which("gdb") is None, reason="no gdb on PATH")


def test_doctor_tells_what_is_here(shell, core):
    shell.triage(core)
    done = shell("doctor", "--json")
    assert (done.code, done.err) == (0, "")
    lines = {line["subject"]: line for line in json.loads(done.out)}
    assert lines["gdb-epi"]["state"].startswith(__version__)
    assert lines["python"]["state"].endswith(sys.executable)
    assert lines["database"]["state"].endswith("fleet.sqlite3: 1 core")
    pattern = Path("/proc/sys/kernel/core_pattern").read_text().strip()
    assert lines["core_pattern"]["state"].startswith(pattern)
    if shutil.which("gdb"):
        assert "its Python 3" in lines.get("gdb (used)", {}).get("state", "")


def test_doctor_on_a_bare_machine_gives_advice(shell, tmp_path):
    (tmp_path / "bin").mkdir()
    python = tmp_path / "bin" / "python"
    python.symlink_to(sys.executable)
    shell.python = str(python)
    done = shell("doctor", env={"PATH": str(tmp_path / "bin"), "GDB_EPI_GDB": ""})
    assert done.code == 0
    assert "none: no native frames" in done.out
    assert "cannot be tried: there is no GDB" in done.out
    assert "try: apt install zstd" in done.out or "zstandard" in done.out
    assert "Traceback" not in done.err


def test_doctor_tells_of_a_gdb_that_is_not_there_and_of_the_spool(shell):
    spool = shell.data / "spool"
    spool.mkdir(parents=True)
    (spool / "a.jsonl").write_text("{}\n")
    done = shell("doctor", env={"GDB_EPI_GDB": "/nowhere/gdb"})
    assert done.code == 0
    assert "GDB_EPI_GDB /nowhere/gdb: no such program" in done.out
    assert "1 waiting file in" in done.out
    assert "try: gdb-epi fleet ingest; with --db FILE if they were meant for that one" in done.out


def test_doctor_has_an_exit_code_when_asked(shell):
    spool = shell.data / "spool"
    spool.mkdir(parents=True)
    (spool / "a.jsonl").write_text("{}\n")
    assert shell("doctor", "--exit-code").code == 4
    done = shell("doctor", "--exit-code", "--json")
    assert done.code == 4 and json.loads(done.out)


def test_no_core_is_lost_by_the_advice(tmp_path, monkeypatch):
    """The kernel makes no folder: where the pattern names one that is not there, it writes none."""
    monkeypatch.setattr(doctor, "CRASH_FOLDER", str(tmp_path / "crash"))
    why, advice = doctor._problem_of_core_pattern("core.%p")
    assert why == "cores land in the working folder of each process"
    make, set_pattern = advice.split(" && ")
    assert f"kernel.core_pattern={tmp_path}/crash/core.%e.%p.%t" in set_pattern
    assert "cores are lost" in doctor._problem_of_core_pattern(f"{tmp_path}/crash/core.%p.%t")[0]
    subprocess.run(shlex.split(make), check=True)
    assert (tmp_path / "crash").stat().st_mode & 0o7777 == 0o1777
    assert doctor._problem_of_core_pattern("core.%p")[1].startswith("sysctl -w ")
    assert doctor._problem_of_core_pattern(f"{tmp_path}/crash/core.%p.%t") == ("", "")
    monkeypatch.setattr(run_once, "CORE_USES_PID", tmp_path / "nothing")
    for pattern in ("core", f"{tmp_path}/crash/core.%t"):
        assert "overwrites the first" in doctor._problem_of_core_pattern(pattern)[0], pattern


def test_what_is_missing_is_installed_out_of_what_the_running_one_was(shell):
    words = shlex.split(install_command("serve"))
    assert words[:4] == [sys.executable, "-m", "pip", "install"]
    place, _, extra = words[4].partition("[")
    assert extra == "serve]" and (Path(place) / "setup.py").is_file()


# -- does `source gdb_epi` work? -----------------------------------------------------------------


@pytest.fixture
def home(shell) -> Path:
    """An empty home folder, whose .gdbinit is the one that GDB reads."""
    folder = shell.folder / "home"
    folder.mkdir()
    shell.env |= {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder / ".config")}
    return folder


def source_lines(shell) -> list[dict[str, str]]:
    """What doctor says of `source gdb_epi`, for each GDB."""
    done = shell("doctor", "--json")
    assert (done.code, done.err) == (0, "")
    lines = [line for line in json.loads(done.out) if line["subject"] == "source gdb_epi"]
    assert lines
    return lines


def copy_of_package(target: Path) -> Path:
    """Copy what GDB loads, as an installation has it."""
    skip = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "gdb_epi", target / "gdb_epi", ignore=skip)
    shutil.copytree(ROOT / "commands", target / "gdb_epi" / "commands", ignore=skip)
    return target / "gdb_epi"


@needs_gdb
def test_source_fails_before_the_installation_and_works_after_the_advice(shell, home):
    for line in source_lines(shell):
        assert f"fails: {home / '.gdbinit'} does not say where gdb-epi is" in line["state"]
        assert line["advice"].endswith("gdb-epi gdbinit --install")
        words = shlex.split(line["advice"])
        assert shutil.which(words[0], path=shell.env["PATH"]), line
    assert shell("gdbinit", "--install").code == 0
    for line in source_lines(shell):
        assert line["state"].endswith(": works") and not line["advice"], line


@needs_gdb
def test_source_fails_when_the_installation_is_gone(shell, home):
    package = copy_of_package(shell.folder / "site-packages")
    (home / ".gdbinit").write_text(f'directory "{package}"\n')
    for line in source_lines(shell):
        assert line["state"].endswith(f"works, but loads another copy, in {package}"), line
        assert line["advice"].endswith("gdb-epi gdbinit --install")
    shutil.rmtree(package)
    for line in source_lines(shell):
        gone = f"fails: gdb-epi is no longer in {package}, which {home / '.gdbinit'} names"
        assert line["state"].endswith(gone), line
        assert line["advice"].endswith("gdb-epi gdbinit --install")
    # What an editable install does to the folder: it stays, with other files alone.
    (package / "__pycache__").mkdir(parents=True)
    assert all(gone in line["state"] for line in source_lines(shell))
    assert shell("gdbinit", "--install").code == 0
    assert all(line["state"].endswith(": works") for line in source_lines(shell))


@needs_gdb
def test_source_fails_when_the_installation_is_damaged(shell, home):
    package = copy_of_package(shell.folder / "site-packages")
    (home / ".gdbinit").write_text(f'directory "{package}"\n')
    (package / "registry.py").write_text("raise RuntimeError\n")
    for line in source_lines(shell):
        assert line["state"].endswith(f": fails: gdb-epi in {package} does not load"), line


@needs_gdb
@pytest.mark.parametrize(
    "startup", ["shell echo $$ > ~/pid; exec sleep 1000", "quit", "python import os; os._exit(3)"]
)
def test_a_start_up_file_that_stops_gdb_is_no_hang(shell, home, monkeypatch, startup):
    (home / ".gdbinit").write_text(startup + "\n")
    for name in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, shell.env[name])
    pid, ends = home / "pid", native_gdb.wait_for_process_end

    def as_far_as_it_comes(process, seconds):
        if "pid" in startup:
            wait_until(lambda: pid.exists() and pid.read_text(), during=process)
            seconds = 0.1
        return ends(process, seconds)

    monkeypatch.setattr(native_gdb, "wait_for_process_end", as_far_as_it_comes)
    line = doctor._check_sourcing(shutil.which("gdb"))
    assert f"does not come that far within {doctor.GDB_SECONDS:.0f} s" in line.state
    assert str(home / ".gdbinit") in line.advice
    if "pid" in startup:
        wait_until_gone(int(pid.read_text()))


@needs_gdb
def test_what_start_up_files_print_does_not_matter(shell, home):
    loud = "python import sys; print('x' * 10_000_000); print('epi', file=sys.stderr)\n"
    (home / ".gdbinit").write_text(loud + f'directory "{ROOT / "gdb_epi"}"\nno-such-command\n')
    assert all(line["state"].endswith(": works") for line in source_lines(shell))

# SPDX-License-Identifier: Apache-2.0
"""`pytest --epi` with real pytests: a crash, a hang, an abort at exit, with and without workers."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.opening import need_core_dumps, need_gdb
from support.pytest_runs import (
    ABORT_AT_EXIT,
    CRASH,
    CRASHED_AT,
    FINE,
    HANG,
    HUNG_AT,
    SECRET,
    Pytest,
    Run,
)
from support.sarif import results_of
from support.shell import INTERRUPTIBLE
from support.waiting import wait_until

PAPERS = ("--junit-xml", "j.xml", "--epi-sarif", "a.sarif", "--epi-annotations")


@pytest.fixture
def run(tmp_path: Path) -> Pytest:
    """A pytest in a project of its own."""
    return Pytest(tmp_path)


@pytest.fixture
def cores() -> None:
    need_core_dumps()


def check_crash(done: Run) -> None:
    """Hold a run of FINE and CRASH against what every paper must say."""
    assert CRASHED_AT in done.out
    (folder,) = done.kept
    assert sorted(path.name for path in folder.iterdir()) == ["core", "record.json", "triage.txt"]
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert SECRET.encode() in (folder / "core").read_bytes()
    case = done.junit("test_crash")
    properties = {p.get("name"): p.get("value") for p in case.iter("property")}
    assert properties["epi_verdict"] == "software"
    # Debian's libc names its variants of memset() in its debug information alone (libc6-dbg).
    signature = str(properties["epi_signature"])
    assert re.match(r"gsig/2 stable segv-null (memset|libc\.so\.6!\?) <-- ", signature)
    assert properties["epi_artifacts"] == f".epi/{folder.name}"
    assert "Stack of MainThread" in (case.findtext("system-out") or "")
    assert len([*case.iter("failure"), *case.iter("error")]) == 1
    assert done.junit("test_fine").find("failure") is None
    (result,) = results_of(done.sarif())
    at = result["locations"][0]["physicalLocation"]
    assert (at["artifactLocation"]["uri"], at["region"]["startLine"]) == ("test_crash.py", 4)
    assert "::error file=test_crash.py,line=4,title=" in done.out
    names = ("record.json", "triage.txt")
    written = [(folder / name).read_text() for name in names]
    written += [(done.folder / name).read_text() for name in ("j.xml", "a.sarif")]
    assert not [text for text in (*written, done.out) if SECRET in text], "no values of locals"


def test_a_crash_is_a_failed_test_with_its_triage(run: Pytest, cores: None) -> None:
    run.write(test_a=FINE, test_crash=CRASH)
    summary = run.folder / "summary.md"
    summary.write_text("before\n")
    done = run("--epi", *PAPERS, GITHUB_STEP_SUMMARY=str(summary), GITHUB_WORKSPACE=str(run.folder))
    assert done.code == 128 + signal.SIGSEGV, done.out + done.err
    check_crash(done)
    assert "1 failed, 1 passed" in done.out and "1 test did not run" in done.out
    text = summary.read_text()
    assert text.startswith("before\n") and "<pre>" in text and SECRET not in text
    assert not [name for name in os.listdir(run.env["TMPDIR"]) if name.startswith("gdb-epi")]


@pytest.mark.heavy
def test_an_abort_at_exit_is_seen_after_a_green_session(run: Pytest, cores: None) -> None:
    run.write(test_a=ABORT_AT_EXIT)
    done = run("--epi", *PAPERS)
    assert "1 passed" in done.out and done.code == 128 + signal.SIGABRT, done.out
    assert "the exit of pytest crashed" in done.out and "sent itself SIGABRT" in done.out
    case = done.junit("the exit of pytest")
    assert case.find("error") is not None and case.find("system-out") is not None
    assert [r["ruleId"] for r in results_of(done.sarif())] == ["software/abort-other"]


@pytest.mark.heavy
def test_a_session_that_ends_well_says_nothing_more(run: Pytest) -> None:
    run.write(test_a=FINE)
    done = run("--epi", "-q", "--epi-sarif", "a.sarif")
    assert done.code == 0 and done.out.startswith(".") and "gdb-epi" not in done.out
    assert results_of(done.sarif()) == []
    failing = "def test_fails():\n    assert 0\n"
    run.write(test_a=failing)
    assert run("--epi", "-q").code == 1
    assert run("--epi", "--no-such-option").code == 4
    assert run("--epi", "-k", "nothing").code == 5


def test_a_test_that_ends_the_process_is_no_success(run: Pytest) -> None:
    """os._exit(0) in a test makes pytest alone exit with 0, and nobody sees the tests left out."""
    run.write(test_a="import os\n\ndef test_leaves():\n    os._exit(0)\n" + FINE)
    done = run("--epi", "--junit-xml", "j.xml")
    assert done.code == 1
    assert "ended itself with status 0" in done.out and "1 test did not run" in done.out
    assert done.junit("test_leaves").find("failure") is not None


def test_without_the_option_nothing_is_imported(run: Pytest) -> None:
    run.write(
        test_a="import sys\n\ndef test_modules():\n"
        "    ours = {name for name in sys.modules if name.startswith('gdb_epi')}\n"
        "    assert ours == {'gdb_epi', 'gdb_epi.pytest_plugin'}\n"
    )
    assert run("-q").code == 0


def test_what_cannot_be_started_again_is_refused(run: Pytest) -> None:
    done = subprocess.run(
        [sys.executable, "-"],
        input=b"import pytest, sys; sys.exit(pytest.main(['--epi']))",
        cwd=run.folder,
        env=run.env,
        capture_output=True,
    )
    assert done.returncode == 4 and b"cannot be started again" in done.stderr


# -- heavy: each of these takes seconds ------------------------------------------------------------


@pytest.mark.heavy
def test_under_gdb_where_the_kernel_writes_no_cores(run: Pytest) -> None:
    """The hard limit is 0, as in many CI machines: the same papers."""
    need_gdb()
    run.write(test_a=FINE, test_crash=CRASH)
    run.prefix = ("sh", "-c", 'ulimit -c 0; exec "$@"', "sh")
    done = run("--epi", *PAPERS, GITHUB_WORKSPACE=str(run.folder))
    assert "tests run under GDB" in done.out and done.code == 128 + signal.SIGSEGV
    check_crash(done)
    for folder in done.kept:
        subprocess.run(["rm", "-r", folder], check=True)
    done = run("--epi", "-n", 1, *PAPERS, GITHUB_WORKSPACE=str(run.folder))
    assert done.code == 1
    check_crash(done)


@pytest.mark.heavy
@pytest.mark.parametrize("capture", ["core", "gdb"])
@pytest.mark.parametrize("workers", [0, 1])
def test_hangs(run: Pytest, cores: None, capture: str, workers: int) -> None:
    need_gdb()
    run.write(test_a=FINE, test_hang=HANG)
    words = ("-n", workers, "--epi-timeout", 6, "--epi-capture", capture, "--junit-xml", "j.xml")
    done = run("--epi", *words)
    assert done.code == 1, done.out + done.err
    assert HUNG_AT in (done.junit("test_hang").findtext("system-out") or "")
    assert len(done.kept) == 1
    assert ("2 passed" if workers else "1 test did not run") in done.out
    assert run.still_running() == []


@pytest.mark.heavy
@pytest.mark.parametrize("capture", ["core", "gdb"])
def test_aborts_at_exit_of_workers_and_under_gdb(run: Pytest, cores: None, capture: str) -> None:
    need_gdb()
    run.write(test_a=ABORT_AT_EXIT)
    done = run("--epi", "--epi-capture", capture)
    assert done.code == 134 and "the exit of pytest crashed" in done.out
    done = run("--epi", "--epi-capture", capture, "-n", 1)
    # Workers of pytest-xdist leave by os._exit(), so nothing is left to die at their exit; the
    # controller has not imported the tests.
    assert done.code == 0


@pytest.mark.heavy
@pytest.mark.parametrize("words", [(), ("-n", 1)])
def test_without_any_way_to_a_core_the_tests_still_run(run: Pytest, words: tuple) -> None:
    """No cores, and a GDB that may not trace: the name of the test and the signal are told."""
    run.write(test_a=FINE, test_crash=CRASH)
    run.prefix = ("sh", "-c", 'ulimit -c 0; exec "$@"', "sh")
    done = run("--epi", "--junit-xml", "j.xml", *words, GDB_EPI_GDB="/bin/false")
    assert done.code == (1 if words else 139), done.out + done.err
    assert "no cores: the hard limit of core sizes is 0 (ulimit -Hc), and /" in done.out
    assert "cannot run programs here (ptrace)" in done.out and "no core of it was found" in done.out
    case = done.junit("test_crash")
    assert len([*case.iter("failure"), *case.iter("error")]) == 1
    assert run("--epi", "--epi-capture", "gdb", GDB_EPI_GDB="/bin/false").code == 4


@pytest.mark.heavy
def test_something_named_core_is_in_the_way(run: Pytest, cores: None) -> None:
    """A package `core` of the project: the kernel cannot write a file of that name."""
    if Path("/proc/sys/kernel/core_pattern").read_text().strip() != "core":
        pytest.skip("core_pattern is not `core`; try: sysctl -w kernel.core_pattern=core")
    need_gdb()
    (run.folder / "core").mkdir()
    run.write(test_crash=CRASH)
    done = run("--epi")
    assert "tests run under GDB" in done.out and CRASHED_AT in done.out
    assert list((run.folder / "core").iterdir()) == []


@pytest.mark.heavy
def test_a_hang_at_exit(run: Pytest, cores: None) -> None:
    need_gdb()
    body = "import threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()\n"
    run.write(test_a=body + FINE)
    done = run("--epi", "--epi-timeout", 4)
    assert done.code == 1 and "1 passed" in done.out and "the exit of pytest hung" in done.out
    assert "the end of" in done.out, "what the exit waits for"


@pytest.mark.heavy
def test_a_crash_while_tests_are_collected(run: Pytest, cores: None) -> None:
    run.write(test_a="import ctypes\nctypes.memset(16, 0, 8)\n")
    done = run("--epi", "--junit-xml", "j.xml")
    assert done.code == 139 and "the collection of test_a.py crashed" in done.out
    assert done.junit("the collection of test_a.py").find("error") is not None
    run.write(test_a=FINE, conftest="import ctypes\nctypes.memset(16, 0, 8)\n")
    done = run("--epi")
    assert done.code == 139 and "start of pytest crashed" in done.out


@pytest.mark.heavy
def test_processes_that_a_failed_test_started(run: Pytest, cores: None) -> None:
    run.write(
        test_a="import subprocess, sys\n"
        "CODE = 'import ctypes; ctypes.memset(16, 0, 8)'\n"
        "def child(folder):\n"
        "    return subprocess.run([sys.executable, '-S', '-c', CODE], cwd=folder).returncode\n"
        "def test_expected(tmp_path):\n    assert child(tmp_path) == -11\n"
        "def test_not_expected(tmp_path):\n    assert child(tmp_path) == 0\n"
    )
    for words in ((), ("-n", 1)):
        done = run("--epi", "--junit-xml", "j.xml", *words)
        assert done.code == 1 and "a process of this test died" in done.out, done.out
        case = done.junit("test_not_expected")
        assert case.find("properties/property[@name='epi_signature']") is not None
        assert done.junit("test_expected").find("properties") is None
        (folder,) = done.kept
        subprocess.run(["rm", "-r", folder], check=True)


@pytest.mark.heavy
def test_a_core_in_the_folder_that_the_test_went_to(run: Pytest, cores: None) -> None:
    run.write(
        test_a="import ctypes\ndef test_away(tmp_path, monkeypatch):\n"
        "    monkeypatch.chdir(tmp_path)\n    ctypes.memset(16, 0, 8)\n"
    )
    done = run("--epi", "--epi-cores", 0)
    assert done.code == 139 and "test_away (test_a.py:4)" in done.out
    assert sorted(path.name for path in done.kept[0].iterdir()) == ["record.json", "triage.txt"]


@pytest.mark.heavy
@pytest.mark.parametrize(("signo", "code"), [(signal.SIGINT, 2), (signal.SIGTERM, 143)])
def test_an_interrupted_session_leaves_nothing(run: Pytest, signo: int, code: int) -> None:
    run.write(test_a="import time\n\ndef test_waits():\n    open('on', 'w')\n    time.sleep(600)\n")
    process = subprocess.Popen(
        [*INTERRUPTIBLE, *run.command("--epi")], cwd=run.folder, env=run.env, start_new_session=True
    )
    wait_until((run.folder / "on").exists, during=process)
    assert len(run.still_running()) == 2, "the supervisor and the session"
    process.send_signal(signo)
    assert process.wait(60) == code
    wait_until(lambda: run.still_running() == [], what="the end of the session")
    assert Run(code, "", "", run.folder).kept == []
    assert not [name for name in os.listdir(run.env["TMPDIR"]) if name.startswith("gdb-epi")]


@pytest.mark.heavy
def test_a_pytest_that_a_test_starts_is_a_run_of_its_own(run: Pytest, cores: None) -> None:
    inner = run.folder / "inner"
    inner.mkdir()
    (inner / "test_inner.py").write_text(CRASH)
    run.write(
        test_a="import subprocess, sys\n\ndef test_nested():\n"
        "    words = [sys.executable, '-m', 'pytest', '--epi', '-q', 'inner']\n"
        "    done = subprocess.run(words, capture_output=True, text=True)\n"
        "    assert done.returncode == 139 and 'test_crash crashed' in done.stdout, done.stdout\n"
    )
    for words in ((), ("-n", 1)):
        done = run("--epi", "test_a.py", *words)
        assert done.code == 0, done.out


@pytest.mark.heavy
def test_coverage_like_programs_run_once(run: Pytest) -> None:
    """`coverage run -m pytest` writes its file at exit: the supervisor must not do it again."""
    run.write(
        test_a=FINE,
        tool="import atexit, os, pytest, sys\n"
        "atexit.register(lambda: open('ends', 'a').write('x'))\n"
        "sys.exit(pytest.main(sys.argv[1:]))\n",
    )
    words = [sys.executable, "tool.py", "--epi", "-q", "test_a.py"]
    done = subprocess.run(words, cwd=run.folder, env=run.env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (run.folder / "ends").read_text() == "x"

# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi repro` on real commands: planted races, sure crashes, hangs, bisection, no cores."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support.cores import why_no_core_dumps
from support.opening import need_core_dumps, need_gdb
from support.shell import INTERRUPTIBLE, ROOT, Done, Shell
from support.waiting import wait_until

PYTHON = sys.executable
RUNS = 16
# Each race says in COINS how it ended, then crashes or not; `seeded` draws from the run's number.
COINS = "coins"
SEEDED_RATE = 0.25
RACES = {
    "urandom": "end(os.urandom(1)[0] < 128)",
    "threads": (
        "first, late = [], os.urandom(1)[0] & 1\n"
        "def racer(name):\n"
        "    time.sleep(0.05 if name == late else 0)\n"
        "    first.append(name)\n"
        "two = [threading.Thread(target=racer, args=(n,)) for n in (0, 1)]\n"
        "[t.start() for t in two]; [t.join() for t in two]\n"
        "end(first[0] == 0)"
    ),
    "seeded": (
        f"random.seed(int(os.environ['GDB_EPI_RUN']) * 7919)\nend(random.random() < {SEEDED_RATE})"
    ),
}
PROGRAM = """import ctypes, os, random, sys, threading, time
def boom():
    ctypes.memset(8, 1, 1)
def other():
    os.abort()
def stuck():
    with open("stuck.partial", "w") as file:
        file.write(str(os.getpid()))
    os.rename("stuck.partial", "stuck")
    time.sleep(600)
def end(crash):
    with open("coins", "a") as file:
        file.write("01"[crash])
    if crash:
        boom()
{0}
"""


# --timeout counts from where the job hangs, however long it took to come there.
TIMED_FROM_THERE = """
import os
import gdb_epi.repro.run_once as running
from support.waiting import until_asleep, wait_until
wait = running._wait_for_exit
def from_there(process, seconds, stop):
    wait_until(lambda: os.path.exists("stuck"), during=process)
    with open("stuck") as file:
        until_asleep(int(file.read()))
    return wait(process, seconds, stop)
running._wait_for_exit = from_there
"""


@pytest.fixture
def cores() -> None:
    need_core_dumps()


def program(shell: Shell, body: str, name: str = "job.py") -> Path:
    path = shell.folder / name
    path.write_text(PROGRAM.format(body))
    return path


def running(job: Path) -> str:
    """Return the processes that run a program."""
    words = ["pgrep", "-f", str(job)]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout


def repro(shell: Shell, *words: object, **options: object) -> Done:
    limit = ("sh", "-c", 'ulimit -S -c 0; exec "$@"', "sh")  # repro itself must raise it
    shell.prefix = list(limit)
    return shell("repro", *words, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("race", sorted(RACES))
@pytest.mark.heavy
def test_the_interval_covers_the_rate_of_a_race(shell: Shell, cores: None, race: str) -> None:
    """Of chance itself nothing is expected: each race says how it ended, and so it is counted."""
    job = program(shell, RACES[race])
    done = repro(shell, "--runs", RUNS, "--native", "never", "--json", "--", PYTHON, "-S", job)
    answer = json.loads(done.out)
    ended = (shell.folder / COINS).read_text()
    crashes = ended.count("1")
    assert done.code == (0 if crashes else 4), done.err
    assert len(ended) == RUNS == answer["counts"]["runs"] and answer["counts"]["unable"] == 0
    assert answer["counts"]["expected"] == crashes
    rate = SEEDED_RATE if race == "seeded" else crashes / RUNS
    assert answer["rate"]["low"] <= rate <= answer["rate"]["high"], answer["rate"]
    assert answer["rate"]["high"] - answer["rate"]["low"] < 0.6, "an interval, not everything"
    lines = {
        crash["record"]["signature"]["text"]["python"]
        for run in answer["runs"]
        for crash in run["crashes"]
    }
    assert len(lines) == (1 if crashes else 0)
    assert all("py:__main__.boom" in line for line in lines)
    assert not list(shell.folder.glob("core*")), "no core is left behind"
    assert not shell.leftovers


@pytest.mark.parametrize(
    ("body", "category"), [("boom()", "segv-null"), ("other()", "abort-other")]
)
def test_a_sure_crash_equals_itself_and_no_other(
    shell: Shell, cores: None, body: str, category: str
) -> None:
    job = program(shell, body)
    seen = repro(shell, "--runs", 1, "--json", "--", PYTHON, "-S", job)
    record = json.loads(seen.out)["runs"][0]["crashes"][0]["record"]
    assert record["signature"]["category"] == category
    path = shell.folder / "record.json"
    path.write_text(json.dumps(record))
    words = ("--runs", 1, "--keep", shell.folder / "kept", "--expect", path)
    again = repro(shell, *words, "--", PYTHON, "-S", job)
    assert again.code == 0, again.out
    assert "run 1: " in again.out
    assert [core.name for core in (shell.folder / "kept").iterdir()] == ["run-1-core.0"]
    assert "equals the expected one at exact, strict, stable, coarse" in again.out
    third = program(shell, "other()" if body == "boom()" else "boom()", "third.py")
    junit = shell.folder / "j.xml"
    words = ("--runs", 1, "--native", "never", "--expect", path, "--junit", junit, "--github")
    different = repro(shell, *words, "--", PYTHON, "-S", third)
    assert different.code == 4, different.out
    assert "another crash" in different.out and "(not the expected crash)" in different.out
    assert f"::error file={third.name},line=" in different.out
    assert ElementTree.parse(junit).getroot().get("failures") == "1"


def test_a_hang_is_snapshotted_signed_and_killed(shell: Shell, cores: None) -> None:
    """The third sure case: a wrapper waits for the process that hangs; both must go."""
    need_gdb()
    job = program(shell, "stuck()")
    site = shell.folder / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(TIMED_FROM_THERE)
    shell.env["PYTHONPATH"] += f":{site}:{ROOT / 'tests'}"
    words = ("sh", "-c", f"{PYTHON} -S {job} & wait")
    done = repro(shell, "--runs", 1, "--timeout", 0.1, "--native", "never", "--json", "--", *words)
    answer = json.loads(done.out)
    assert done.code == 0 and answer["runs"][0]["kind"] == "hang", done.out + done.err
    texts = [c["record"]["signature"]["text"] for c in answer["runs"][0]["crashes"]]
    assert any("py:__main__.stuck" in text.get("python", "") for text in texts)
    wait_until(lambda: not running(job), what="the end of all processes of the run")


def test_no_crash(shell: Shell, cores: None) -> None:
    done = repro(shell, "--runs", 3, "--native", "never", "--", PYTHON, "-S", "-c", "pass")
    assert done.code == 4
    assert "3 runs: 0 crashed or hung" in done.out and "would have shown" in done.out


def test_a_program_that_never_worked_shows_nothing(shell: Shell, cores: None) -> None:
    words = ["--runs", 2, "--native", "never", "--", PYTHON, "-S", "no_such_job.py"]
    done = repro(shell, *words)
    assert done.code == 4
    assert "run 1: ended with status 2: " in done.out and "No such file" in done.out
    assert "nothing is shown about the crash" in done.out and "would have shown" not in done.out
    assert repro(shell, "--bisect", *words).code == 125


def test_a_key_is_compared_at_its_own_level_alone(shell: Shell, cores: None) -> None:
    command = ["--", PYTHON, "-S", "-c", "pass"]
    done = repro(shell, "--expect", "0123456789abcdef", "--at", "coarse", *command)
    assert done.code == 2 and "0123456789abcdef is no coarse key" in done.err


def test_a_core_is_no_record(shell: Shell, core: Path) -> None:
    done = shell("repro", "--expect", core, "--", PYTHON, "-c", "pass")
    assert (done.code, "a core, no record; try: gdb-epi triage" in done.err) == (3, True)


@pytest.mark.parametrize("where", ["job", "wrapper"])
@pytest.mark.heavy
def test_under_gdb_where_no_core_file_comes(shell: Shell, where: str) -> None:
    """The hard limit is 0, as in many CI machines; the same signature as by the kernel's core."""
    need_gdb()
    job = program(shell, "boom()")
    command = [PYTHON, "-S", str(job)]
    if where == "wrapper":
        command = ["sh", "-c", f"exec {' '.join(command)}"]
    shell.prefix = ["sh", "-c", 'ulimit -c 0; exec "$@"', "sh"]
    hostile = {"ODD": "a\nshell touch INJECTED\nb 'c\" $d", "PYTHONDONTWRITEBYTECODE": "1"}
    done = shell("repro", "--runs", 1, "--json", "--", *command, env=hostile)
    assert "the hard limit of core sizes is 0" in done.err
    answer = json.loads(done.out)
    assert done.code == 0 and answer["capture"] == "gdb", done.out
    under_gdb = answer["runs"][0]["crashes"][0]["record"]["signature"]
    assert under_gdb["category"] == "segv-null"
    assert not (shell.folder / "INJECTED").exists()
    if where == "job" and why_no_core_dumps() is None:
        plain = repro(shell, "--runs", 1, "--json", "--", *command)
        by_kernel = json.loads(plain.out)["runs"][0]["crashes"][0]["record"]["signature"]
        for key in ("exact", "strict", "stable", "coarse"):
            assert under_gdb["text"][key] == by_kernel["text"][key]


SECRET = """
import os
with open(f"/proc/{os.getppid()}/cmdline", "rb") as stream:
    seen = stream.read()
assert os.environ["TOKEN"] == "hunter2-hunter2" and b"--args" in seen, seen
os._exit(7 if b"hunter2" in seen else 0)
"""


def test_the_environment_is_not_among_the_arguments_of_gdb(shell: Shell) -> None:
    """Everybody may read them; the command gets its environment all the same."""
    need_gdb()
    job = program(shell, SECRET)
    words = ("--runs", 1, "--capture", "gdb", "--json", "--", PYTHON, "-S", job)
    done = shell("repro", *words, env={"TOKEN": "hunter2-hunter2"})
    (run,) = json.loads(done.out)["runs"]
    assert (run["kind"], run["status"]) == ("ended", 0), done.out


def test_ctrl_c_does_not_wait_for_what_runs(shell: Shell, cores: None) -> None:
    job = program(shell, "open('started', 'w').close(); stuck()")
    words = ("repro", "--runs", 2, "--timeout", 300, "--", PYTHON, "-S", job)
    process = subprocess.Popen(
        [*INTERRUPTIBLE, *shell.command(*words)],
        cwd=shell.folder,
        env=shell.env,
        start_new_session=True,
    )
    wait_until((shell.folder / "started").exists, what="a run", during=process)
    process.send_signal(signal.SIGINT)
    assert process.wait(120) == 130, "not after the 300 seconds that a run may take"
    wait_until(lambda: not running(job), what="the end of all processes of the run")
    assert not shell.leftovers


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("--", "no-such-program"), 3, "no such program"),
        (("--runs", "0", "--", "true"), 2, "at least 1"),
        (("--expect", "hello", "--", "true"), 2, "neither a key nor a file"),
        (("--bisect", "--runs", "x", "--", "true"), 128, "not a whole number"),
        (("--bisect", "--expect", "hello", "--", "true"), 128, "neither a key"),
        (("--bisect", "--", "no-such-program"), 125, "no such program"),
        (("--junit", "/nonexistent/x.xml", "--", "true"), 2, "no such folder"),
        (("--bisect", "--junit", "/nonexistent/x.xml", "--", "true"), 128, "no such folder"),
        # What fails in us must not call the commit bad (1) or good (0).
        (("--bisect", "--keep", "/proc/nowhere", "--", "true"), 128, "No such file"),
    ],
)
def test_wrong_use(shell: Shell, words: tuple[str, ...], code: int, told: str) -> None:
    done = shell("repro", *words)
    assert done.code == code, done.err
    assert told in done.err


def test_an_older_core_is_not_overwritten(shell: Shell, cores: None) -> None:
    if Path("/proc/sys/kernel/core_pattern").read_text().strip() != "core":
        pytest.skip("core_pattern is not `core`; try: sysctl -w kernel.core_pattern=core")
    (shell.folder / "core").write_text("evidence")
    done = shell("repro", "--", "true")
    assert done.code == 3 and "would be overwritten" in done.err


@pytest.mark.heavy
def test_git_bisect_run_finds_the_commit(shell: Shell, cores: None) -> None:
    """Five commits; the third cannot be run, the fourth brings the crash, the fifth keeps it."""
    folder = shell.folder / "repo"
    folder.mkdir()
    env = {**shell.env, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}

    def git(*words: str) -> str:
        name = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        done = subprocess.run(
            ["git", *name, *words], cwd=folder, env=env, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    git("init", "-q")
    bodies = ["pass", "import no_such_module", "1", "boom()", "boom(); pass", "boom(); 1"]
    for number, body in enumerate(bodies):
        (folder / "job.py").write_text(PROGRAM.format(body))
        git("add", "job.py")
        git("commit", "-q", "-m", f"commit {number}")
    expected = "gsig/2 python segv-null py:ctypes.memset <- py:__main__.boom"
    seen = repro(
        shell, "--runs", 1, "--json", "--native", "never", "--", PYTHON, "-S", folder / "job.py"
    )
    texts = json.loads(seen.out)["runs"][0]["crashes"][0]["record"]["signature"]["text"]
    expected = texts["python"]
    git("bisect", "start", "HEAD", "HEAD~5")
    words = ["--bisect", "--runs", "2", "--native", "never", "--expect", expected]
    tool = shell.command("repro", *words, "--", PYTHON, "-S", "job.py")
    out = git("bisect", "run", *tool)
    # What lies beside a commit that cannot be run: git names both.
    log = git("bisect", "log")
    assert "# bad: " in log and "commit 3" in log.split("# bad: ")[-1], log + out
    assert not (folder / "core").exists()


def test_jobs_share_no_core_file(shell: Shell, cores: None) -> None:
    job = program(shell, "time.sleep(0.2); boom()")
    done = repro(
        shell, "--runs", 2, "--jobs", 2, "--native", "never", "--json", "--", PYTHON, "-S", job
    )
    answer = json.loads(done.out)
    assert answer["counts"]["expected"] == 2, done.out
    shared = "one run at a time" in done.err
    assert shared == (Path("/proc/sys/kernel/core_pattern").read_text().strip() == "core")

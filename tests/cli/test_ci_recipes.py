# SPDX-License-Identifier: Apache-2.0
"""The workflows to paste (gdb_epi/pytest_plugin/CI.md): YAML that is whole, commands that work."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from support import pytest_runs
from support.opening import need_core_dumps, need_gdb
from support.plain_yaml import read_yaml
from support.pytest_runs import Pytest, Run
from support.sarif import results_of
from support.shell import ROOT

GUIDE = (ROOT / "gdb_epi" / "pytest_plugin" / "CI.md").read_text(encoding="utf-8")
YAML = re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)
LIMIT = "--epi-timeout 300"
PYTEST = f"python -m pytest --epi -n auto {LIMIT} --junit-xml junit.xml --epi-sarif epi.sarif"


def workflow() -> tuple[dict[str, Any], dict[str, Any]]:
    github, gitlab = (read_yaml(text) for text in YAML)
    return github, gitlab


def steps() -> dict[str, Any]:
    github, _ = workflow()
    return {step.get("name") or step["uses"]: step for step in github["jobs"]["tests"]["steps"]}


def test_the_workflows_are_yaml() -> None:
    if find_spec("yaml") is not None:  # PyYAML reads the same, where it is there
        import yaml  # type: ignore[import-untyped]

        for text, value in zip(YAML, workflow(), strict=True):
            loaded = yaml.safe_load(text)
            # To YAML 1.1 the key `on` is a truth value; GitHub reads it as the word.
            loaded = {"on" if key is True else key: inner for key, inner in loaded.items()}
            assert loaded == value
    github, gitlab = workflow()
    assert github["on"] == ["push", "pull_request"]
    assert github["permissions"]["security-events"] == "write"
    for step in github["jobs"]["tests"]["steps"]:
        assert ("uses" in step) != ("run" in step), "a step does one of them"
        assert set(step) <= {"name", "uses", "with", "run", "if"}
    assert set(gitlab["tests"]) <= {"image", "before_script", "script", "artifacts"}


def test_what_tests_leave_is_uploaded_though_they_failed() -> None:
    upload, sarif = (
        steps()["Keep the cores and the records"],
        steps()["Show the crashes in the code"],
    )
    assert upload["if"] == sarif["if"] == "always()"
    assert upload["with"]["path"].split() == [".epi/", "junit.xml"]
    # .epi is a hidden folder: the action leaves those out since its version 4.4.
    assert upload["with"]["include-hidden-files"] is True
    assert sarif["with"]["sarif_file"] == "epi.sarif"
    artifacts = workflow()[1]["tests"]["artifacts"]
    assert artifacts["when"] == "always" and artifacts["paths"] == [".epi/", "epi.sarif"]
    assert artifacts["reports"] == {"junit": "junit.xml"}


def test_both_run_the_same_tests_with_cores_on() -> None:
    script = steps()["Tests"]["run"].splitlines()
    assert script == ["ulimit -c unlimited", PYTEST] == workflow()[1]["tests"]["script"]
    assert steps()["Let the kernel write cores"]["run"].endswith("kernel.core_pattern=core.%p")


def test_the_readme_shows_the_same_command_and_the_way_here() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "pytest --epi" in readme and "(gdb_epi/pytest_plugin/CI.md)" in readme


def test_every_option_is_in_the_guide() -> None:
    source = (ROOT / "gdb_epi" / "pytest_plugin" / "__init__.py").read_text(encoding="utf-8")
    declared = set(re.findall(r'"(--epi[a-z-]*)"', source))
    assert declared == set(re.findall(r"^\| `(--epi[a-z-]*)", GUIDE, re.MULTILINE))


def script_of(run: Pytest, lines: str, **env: str) -> Run:
    """Run a script as a CI does: bash -e, the first failure ends it."""
    lines = lines.replace(LIMIT, "--epi-timeout 12")  # nobody waits five minutes
    path = f"{os.path.dirname(sys.executable)}:{run.env['PATH']}"
    done = subprocess.run(
        ["bash", "-e", "-c", lines],
        cwd=run.folder,
        env={**run.env, "PATH": path, **env},
        capture_output=True,
        text=True,
    )
    return Run(done.returncode, done.stdout, done.stderr, run.folder)


@pytest.fixture
def run(tmp_path: Path) -> Pytest:
    """A pytest in a project of its own, on a machine that writes cores."""
    need_core_dumps()
    need_gdb()
    return Pytest(tmp_path)


@pytest.mark.heavy
def test_the_workflow_of_github_on_a_crash_and_a_hang(run: Pytest) -> None:
    """With workers, as it is pasted; what a CI then shows."""
    run.write(test_a=pytest_runs.FINE, test_crash=pytest_runs.CRASH, test_hang=pytest_runs.HANG)
    env = {"GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": str(run.folder)}
    env["GITHUB_STEP_SUMMARY"] = str(run.folder / "summary.md")
    done = script_of(run, steps()["Tests"]["run"], **env)
    assert done.code == 1, done.out + done.err
    assert "3 passed" in done.out and "2 failed" in done.out, "the others ran in new workers"
    assert "::error file=test_crash.py,line=4,title=test_crash.py%3A%3Atest_crash crashed::" in (
        done.out
    )
    assert "::error file=test_hang.py,line=6,title=test_hang.py%3A%3Atest_hang hung::" in done.out
    lines_of_tests = {"test_crash": pytest_runs.CRASHED_AT, "test_hang": pytest_runs.HUNG_AT}
    for name, words in lines_of_tests.items():
        case = done.junit(name, "junit.xml")
        (failure,) = [*case.iter("failure"), *case.iter("error")]
        assert "worker 'gw" in (failure.text or "") and words in (failure.text or "")
        assert words in (case.findtext("system-out") or "")
        assert case.find("properties/property[@name='epi_signature']") is not None
    results = results_of(done.sarif("epi.sarif"))
    assert sorted(r["ruleId"].split("/")[0] for r in results) == ["deadlock", "software"]
    assert (run.folder / "summary.md").read_text().count("<details>") == 2
    assert [re.sub(r"-\d+$", "", folder.name) for folder in done.kept] == list(lines_of_tests)
    assert pytest_runs.SECRET not in done.out + (run.folder / "junit.xml").read_text()


@pytest.mark.heavy
def test_the_workflows_on_an_abort_at_exit(run: Pytest) -> None:
    run.write(test_a=pytest_runs.ABORT_AT_EXIT)
    script = steps()["Tests"]["run"].replace(" -n auto", "")
    done = script_of(run, script)
    assert done.code == 128 + signal.SIGABRT and "the exit of pytest crashed" in done.out


@pytest.mark.heavy
def test_the_line_for_programs_that_are_no_tests(run: Pytest) -> None:
    (line,) = re.findall(r"```sh\n(gdb-epi repro .*)\n```", GUIDE)
    run.write(job="import ctypes\n\ndef boom():\n    ctypes.memset(16, 0, 8)\n\nboom()\n")
    words = line.replace("gdb-epi ", f"{sys.executable} -m gdb_epi.cli.main ", 1)
    done = script_of(run, words.replace("--runs 20", "--runs 2"))
    assert done.code == 0, done.out + done.err
    assert "::error file=job.py,line=4," in done.out
    (result,) = results_of(done.sarif("epi.sarif"))
    assert result["occurrenceCount"] == 2 and (run.folder / "junit.xml").is_file()
    assert len(list((run.folder / ".epi").iterdir())) == 2

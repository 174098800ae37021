# SPDX-License-Identifier: Apache-2.0
"""The three scripts for `gdb -x`, from this checkout, in every GDB."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from driver import PACKAGE, QUIET, TIMEOUT, Gdb, environment
from support.cores import Made
from support.opening import core_of, made_or_skip, own_interpreters

BATCH = PACKAGE / "batch"


def run(gdb: Gdb, script: str, made: Made | None, cwd: Path, **env: str) -> tuple[int, str, str]:
    """Run a script as its head says, and return exit code and both streams."""
    line = [gdb.path, "-nx", "-batch"]
    for command in QUIET:
        line += ["-iex", command]
    line += ["-x", str(BATCH / script)]
    if made is not None:
        line += [str(made.executable), str(made.core)]
    done = subprocess.run(
        line, cwd=cwd, env=environment(env), capture_output=True, text=True, errors="replace",
        timeout=TIMEOUT, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def crash() -> Made:
    return core_of("simple-string-at")


def test_a_record(gdb: Gdb, crash: Made, tmp_path: Path) -> None:
    path = tmp_path / "the record.json"
    code, out, err = run(gdb, "triage_json.gdb", crash, tmp_path, EPI_OUTPUT=str(path))
    assert code == 0, out + err
    record = json.loads(path.read_text())
    assert record["schema"] == "gdb-epi/record/1"
    assert {"exact", "strict", "stable", "coarse"} <= set(record["signature"]["keys"])
    code, out, _ = run(gdb, "triage_json.gdb", crash, tmp_path)
    shown = [line for line in out.splitlines() if line.startswith('{"schema"')]
    assert code == 0 and json.loads(shown[0])["signature"] == record["signature"]


def test_all_stacks(gdb: Gdb, threads_core: Made, tmp_path: Path) -> None:
    code, out, err = run(gdb, "all_stacks.gdb", threads_core, tmp_path)
    assert code == 0, out + err
    titles = [line for line in out.splitlines() if line and line[0] != " " and "thread " in line]
    assert len(titles) >= 20 and "[eval loop" in out
    path = tmp_path / "s.json"
    env = {"EPI_FORMAT": "json", "EPI_OUTPUT": str(path)}
    code, out, err = run(gdb, "all_stacks.gdb", threads_core, tmp_path, **env)
    assert code == 0, out + err
    assert len(json.loads(path.read_text())["threads"]) >= 20


def test_two_cores(gdb: Gdb, crash: Made, tmp_path: Path) -> None:
    """The same crash in two processes agrees (not in addresses), another one does not."""
    link = tmp_path / "second.core"
    link.symlink_to(crash.core)
    env = {"EPI_OTHER": str(link), "EPI_FORMAT": "json", "EPI_OUTPUT": "c.json"}
    code, out, err = run(gdb, "compare_two_cores.gdb", crash, tmp_path, **env)
    assert code == 0, out + err
    answer = json.loads((tmp_path / "c.json").read_text())
    assert answer["match"]["level"] == "exact"
    assert answer["facts"]["verdict"] == ["software", "software"]
    # Read with the executable of the first, its C functions would have no names.
    pythons = [i for i in own_interpreters() if i.minor != crash.interpreter.minor]
    other = made_or_skip(pythons[0], "simple-abort") if pythons else core_of("simple-abort")
    env = {"EPI_OTHER": str(other.core)}
    code, out, err = run(gdb, "compare_two_cores.gdb", crash, tmp_path, **env)
    assert code == 4, out + err
    assert "no key is equal" in out and "category    segv-null | abort-other" in out
    assert "gsig/2 stable segv-null" in out and "gsig/2 stable abort-other" in out


@pytest.mark.parametrize("script", ["triage_json.gdb", "all_stacks.gdb", "compare_two_cores.gdb"])
def test_without_a_core(gdb: Gdb, script: str, tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(b"")
    code, out, err = run(gdb, script, None, tmp_path, EPI_OTHER="other")
    assert code == 3, out + err
    assert "no process and no core" in err and "Traceback" not in err


def test_wrong_words(gdb: Gdb, crash: Made, tmp_path: Path) -> None:
    code, _, err = run(gdb, "compare_two_cores.gdb", crash, tmp_path)
    assert code == 2 and "EPI_OTHER names no core" in err
    code, _, err = run(gdb, "compare_two_cores.gdb", crash, tmp_path, EPI_OTHER="/no/such")
    assert code == 3 and "no such file" in err
    for script in ("all_stacks.gdb", "compare_two_cores.gdb"):
        env = {"EPI_FORMAT": "xml", "EPI_OTHER": str(crash.core)}
        code, out, err = run(gdb, script, crash, tmp_path, **env)
        assert code == 2 and "EPI_FORMAT=xml: no such format; try: text or json" in err
        assert "\nthread " not in out and "Traceback" not in err


def test_each_script_says_how_to_run_it() -> None:
    scripts = sorted(path.name for path in BATCH.iterdir())
    assert scripts == ["all_stacks.gdb", "compare_two_cores.gdb", "triage_json.gdb"]
    reference = (PACKAGE.parent / "commands" / "README.md").read_text()
    for name in scripts:
        head = (BATCH / name).read_text().split("python\n")[0]
        assert f"-x FOLDER/gdb_epi/batch/{name}" in head and "Exit code" in head
        assert name in reference

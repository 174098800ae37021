# SPDX-License-Identifier: Apache-2.0
"""Frames that GDB has shown before come without it, and make the same records."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from cli.test_gdb_server import gdb_that_logs
from support.opening import need_gdb, own_cores
from support.shell import Shell

from gdb_epi.cli.native.cached_stacks import CachedStacks
from gdb_epi.errors import Absent
from gdb_epi.target.corefile import CoreFileTarget
from gdb_epi.target.gdb_like_unwinder import GdbNeeded

WANTED = ("pyenv-3.12.1", "debian-3.11.2", "trixie-3.13.5")
PROGRAMS = ("simple-string-at", "threads")


@pytest.fixture(scope="module")
def cores() -> list[Path]:
    """Cores of builds with debug information, without it, and of one whose files are not here."""
    return own_cores(WANTED, PROGRAMS)


def records(shell: Shell, *words: object) -> list[str]:
    done = shell("triage", *words, "--no-db", "--format", "json")
    assert done.code == 0, done.err
    assert shell.leftovers == []
    return [json.dumps(record) for record in done.records]


def test_the_second_time_no_gdb_is_started(shell: Shell, cores: list[Path], tmp_path: Path) -> None:
    gdb, log = gdb_that_logs(tmp_path)
    expected = records(shell, *cores, "--gdb", gdb, "--native", "gdb")
    assert len(log.read_text().splitlines()) == len(cores)
    for _ in range(2):  # with what this very run learns of the cores before, and with all
        log.write_text("")
        assert records(shell, *cores, "--gdb", gdb, "--jobs", 2) == expected
    assert log.read_text() == ""
    assert records(shell, cores[0], "--gdb", gdb, "--native", "always") == expected[:1]
    assert log.read_text() == ""


def test_files_without_debug_information_are_named_by_their_symbols(
    shell: Shell, cores: list[Path], tmp_path: Path
) -> None:
    """GDB is only asked where it would look for debug information, and once."""
    core = next((core for core in cores if "debian-3.11.2" in str(core)), None)
    if core is None:
        pytest.skip("no core of debian-3.11.2: tests/tools/fetch_interpreters.py")
    gdb, log = gdb_that_logs(tmp_path)
    with_debug = gdb.read_text()
    # What Debian's packages of debug information put below /usr/lib/debug is not seen.
    nowhere = '-iex "set debug-file-directory /nowhere" "$@"'
    gdb.write_text(with_debug.replace('exec "', 'exec "', 1).replace('" "$@"', f'" {nowhere}'))
    expected = records(shell, core, "--gdb", gdb, "--native", "gdb")
    log.write_text("")
    for _ in range(2):
        assert records(shell, core, "--gdb", gdb) == expected
    assert "--core" in log.read_text(), "the first answer came from guessed folders"
    log.write_text("")
    for path in (Path(shell.env["XDG_CACHE_HOME"]) / "gdb-epi" / "native-frames").iterdir():
        if not path.name.startswith("gdb-"):
            path.unlink()
    assert records(shell, core, "--gdb", gdb) == expected
    assert log.read_text() == ""


def test_debug_information_needs_no_gdb_even_the_first_time(
    shell: Shell, cores: list[Path], tmp_path: Path
) -> None:
    """GDB is only asked where it would look for debug information, and once."""
    matching = [core for core in cores if "pyenv-3.12.1" in str(core)]
    if not matching:
        pytest.skip("no core of pyenv-3.12.1, whose libpython has debug information")
    gdb, log = gdb_that_logs(tmp_path)
    expected = records(shell, *matching, "--gdb", gdb, "--native", "gdb")
    log.write_text("")
    assert records(shell, *matching, "--gdb", gdb, "--jobs", 1) == expected
    (question,) = log.read_text().splitlines()
    assert "debug-file-directory" in question


def test_of_several_versions_of_a_function_the_one_that_gdb_takes(
    shell: Shell, tmp_path: Path
) -> None:
    """A jump to pthread_kill(), of which glibc has two."""
    cores = own_cores(("pyenv-3.12.1", "pyenv-3.11.7"), ("signal_handlers",))
    gdb, log = gdb_that_logs(tmp_path)
    expected = records(shell, *cores, "--gdb", gdb, "--native", "gdb")
    log.write_text("")
    assert records(shell, *cores, "--gdb", gdb, "--jobs", 1) == expected
    (question,) = log.read_text().splitlines()
    assert "debug-file-directory" in question


def test_another_gdb_is_asked_anew(shell: Shell, cores: list[Path], tmp_path: Path) -> None:
    gdb, log = gdb_that_logs(tmp_path)
    expected = records(shell, cores[0], "--gdb", gdb)
    with gdb.open("a") as file:
        file.write("# newer\n")
    assert records(shell, cores[0], "--gdb", gdb) == expected
    assert len(log.read_text().splitlines()) == 2


def native_answer(shell: Shell, core: Path, tmp_path: Path) -> dict[str, Any]:
    """Return what GDB says, as it goes from it to us."""
    keeping = tmp_path / "keeping-gdb"
    kept = tmp_path / "answer.json"
    script = f'#!/bin/sh\n"{need_gdb()}" "$@"\nstatus=$?\ncp native.json "{kept}"\nexit $status\n'
    keeping.write_text(script)
    keeping.chmod(0o755)
    records(shell, core, "--gdb", keeping, "--native", "gdb")
    answer = json.loads(kept.read_text())
    assert isinstance(answer, dict)
    return answer


def test_debug_information_that_comes_later_is_asked_for(
    shell: Shell, cores: list[Path], tmp_path: Path
) -> None:
    answer = native_answer(shell, cores[0], tmp_path)
    target = CoreFileTarget.open(cores[0])
    module = next(m for m in target.modules() if isinstance(m.file, str) and m.build_id)
    assert module.build_id is not None
    answer["debug_folders"].append(str(tmp_path / "debug"))

    def known() -> CachedStacks:
        return CachedStacks(CoreFileTarget.open(cores[0]), need_gdb(), None, tmp_path / "books")

    known().learn_from_gdb(answer)
    assert known().gdb_answer() is not None
    place = tmp_path / "debug" / ".build-id" / module.build_id[:2] / f"{module.build_id[2:]}.debug"
    place.parent.mkdir(parents=True)
    shutil.copy(str(module.file), place)
    assert known().gdb_answer() is None


def test_frames_that_are_not_those_of_the_walk_are_not_learned(
    shell: Shell, cores: list[Path], tmp_path: Path
) -> None:
    answer = native_answer(shell, cores[0], tmp_path)
    for thread in answer["threads"]:
        thread["frames"][-1]["sp"] += 8
    books = tmp_path / "books"
    CachedStacks(CoreFileTarget.open(cores[0]), need_gdb(), None, books).learn_from_gdb(answer)
    assert [path for path in books.iterdir() if path.name[:4] not in ("gdb-", "core")] == []


def test_of_the_same_core_no_gdb_is_asked_twice(
    shell: Shell, cores: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the walk does not do: deep stacks, code that was compiled as the program ran."""
    answer = native_answer(shell, cores[0], tmp_path)
    core = tmp_path / "core"
    core.write_bytes(cores[0].read_bytes())

    def known() -> CachedStacks:
        return CachedStacks(CoreFileTarget.open(core), need_gdb(), None, tmp_path / "books")

    def walk(_stacks: CachedStacks) -> None:
        raise GdbNeeded("a deep stack")

    monkeypatch.setattr(CachedStacks, "_walk_all_threads", walk)
    assert known().gdb_answer() is None
    known().learn_from_gdb(answer)
    again = known().gdb_answer()
    assert again is not None
    for thread in answer["threads"]:
        frames = again.frames(thread["tid"])
        assert not isinstance(frames, Absent)
        assert [frame._asdict() for frame in frames] == thread["frames"]
    os.utime(core, (1, 1))
    assert known().gdb_answer() is None


@pytest.mark.parametrize("content", [None, b"", b"not ours", b"\xff" * 100])
def test_a_damaged_cache_changes_nothing(
    shell: Shell, cores: list[Path], content: bytes | None
) -> None:
    expected = records(shell, cores[0])
    folder = Path(shell.env["XDG_CACHE_HOME"]) / "gdb-epi" / "native-frames"
    assert list(folder.iterdir())
    for path in folder.iterdir():
        if content is None:
            os.truncate(path, path.stat().st_size // 2)
        else:
            path.write_bytes(content)
    assert records(shell, cores[0]) == expected

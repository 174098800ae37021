# SPDX-License-Identifier: Apache-2.0
"""What is written is for its owner alone; what is there keeps its mode; no stranger's folder."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from gdb_epi.cli.support.triage_output import _open_output
from gdb_epi.fleet.paths import default_database
from gdb_epi.fleet.records.spool import SpoolError, write_to_spool
from gdb_epi.fleet.store.database import open_database
from gdb_epi.private_files import replace_file

RECORD = {"schema": "gdb-epi/record/1", "core_key": "ab" * 16}


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(autouse=True, params=[0o000, 0o022, 0o077])
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def write_answer(path: Path) -> None:
    with _open_output(str(path), ()) as stream:
        stream.write("answer\n")


def write_page(path: Path) -> None:
    replace_file(path, b"page")


@pytest.mark.parametrize("write", [write_answer, write_page])
def test_a_new_file_is_private_and_an_old_one_keeps_its_mode(tmp_path, write) -> None:
    new, old = tmp_path / "new", tmp_path / "old"
    old.touch()
    old.chmod(0o664)
    write(new)
    write(old)
    assert (mode(new), mode(old)) == (0o600, 0o664)
    assert new.read_text() == old.read_text() != ""


def test_a_new_database_and_its_folder_are_private(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    path = default_database()  # only its folder is made
    with open_database(str(path), write=True) as engine, engine.connect():
        assert {mode(file) for file in path.parent.iterdir()} == {0o600}, "with SQLite's log"
    assert mode(path.parent) == mode(path.parent.parent) == 0o700
    path.chmod(0o640)
    path.parent.chmod(0o750)
    with open_database(str(path), write=True):
        pass
    assert (mode(path), mode(path.parent)) == (0o640, 0o750)


def test_the_spool_and_the_data_folder_above_it_are_private(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    path = write_to_spool([RECORD])
    assert mode(path) == 0o600
    assert mode(path.parent) == mode(path.parent.parent) == 0o700


@pytest.fixture
def fallback(tmp_path, monkeypatch) -> Path:
    """The spool's place among the temporary files; a file is where the data folder would be."""
    (tmp_path / "data").touch()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path / f"gdb-epi-spool-{os.getuid()}"


def test_the_fallback_of_the_spool_is_private(fallback) -> None:
    assert write_to_spool([RECORD]).parent == fallback and mode(fallback) == 0o700


def test_a_link_is_no_place_for_the_spool(fallback, tmp_path) -> None:
    (tmp_path / "elsewhere").mkdir()
    fallback.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SpoolError, match="is no folder"):
        write_to_spool([RECORD])
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_folder_of_another_user_is_no_place_for_the_spool(fallback, monkeypatch) -> None:
    fallback.mkdir(mode=0o700)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(SpoolError, match="another user"):
        write_to_spool([RECORD])
    assert list(fallback.iterdir()) == []


def test_a_folder_that_others_may_write_to_is_no_place_for_the_spool(fallback) -> None:
    fallback.mkdir()
    fallback.chmod(0o777)
    with pytest.raises(SpoolError, match="others may write"):
        write_to_spool([RECORD])

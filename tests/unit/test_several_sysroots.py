# SPDX-License-Identifier: Apache-2.0
"""Of several sysroots the first that has the file is taken: by path and build-id, or build-id."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gdb_epi.errors import Absent
from gdb_epi.target.elf_files import (
    SEVERAL,
    ElfFile,
    FileFinder,
    locate_in_sysroot,
    open_elf,
    sysroot_folders,
)

ONE, OTHER = "/bin/true", "/bin/false"


@pytest.fixture
def build_id() -> str:
    opened = open_elf(ONE)
    other = open_elf(OTHER)
    if isinstance(opened, Absent) or isinstance(other, Absent) or not opened.build_id:
        pytest.skip(f"{ONE} or {OTHER} is no ELF file with a build-id here")
    assert opened.build_id != other.build_id
    return opened.build_id


def put(file: str, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(file, place)


def match(tmp_path: Path, build_id: str, path: str = "/app/tool") -> str | Absent:
    sysroot = SEVERAL.join(str(tmp_path / name) for name in "abc")
    file = FileFinder(None, sysroot).find_by_build_id(path, build_id, False)
    return file.path if isinstance(file, ElfFile) else file


def test_another_build_is_passed_over(tmp_path: Path, build_id: str) -> None:
    put(OTHER, tmp_path / "a/app/tool")
    put(ONE, tmp_path / "b/app/tool")
    put(ONE, tmp_path / "c/app/tool")
    assert match(tmp_path, build_id) == str(tmp_path / "b/app/tool")


def test_a_store_by_build_id_may_be_any_of_them(tmp_path: Path, build_id: str) -> None:
    put(OTHER, tmp_path / "a/app/tool")  # it was replaced since
    stored = tmp_path / "c/.build-id" / build_id[:2] / build_id[2:]
    put(ONE, stored)
    assert match(tmp_path, build_id) == str(stored)


def test_what_none_has_says_so(tmp_path: Path, build_id: str) -> None:
    put(OTHER, tmp_path / "a/app/tool")
    missing = match(tmp_path, build_id)
    assert isinstance(missing, Absent)


def test_a_path_is_the_first_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "b/x").mkdir(parents=True)
    sysroot = SEVERAL.join((str(tmp_path / "a"), str(tmp_path / "b")))
    assert locate_in_sysroot("/x", sysroot) == str(tmp_path / "b/x")
    assert locate_in_sysroot("/y", sysroot) == str(tmp_path / "a/y")
    assert locate_in_sysroot("/../../x", sysroot) == str(tmp_path / "b/x")  # never out of them
    assert sysroot_folders(None) == [] and sysroot_folders("/r") == ["/r"]


def test_a_path_seen_from_outside_of_the_sysroot_is_not_looked_for_below_it_twice(
    tmp_path: Path,
) -> None:
    """gcore of a process in a chroot: with its sysroot no file was found, without it all were."""
    root = tmp_path / "root"
    (root / "lib").mkdir(parents=True)
    (root / "lib/x").write_bytes(b"x")
    (tmp_path / "link").symlink_to(root)
    for given in (root, tmp_path / "link"):
        assert locate_in_sysroot(f"{root}/lib/x", str(given)) == f"{given}/lib/x"
    assert locate_in_sysroot(f"{root}/../../x", str(root)) == f"{root}/x"  # never out of it
    inner = root / str(root)[1:] / "lib/x"
    inner.parent.mkdir(parents=True)
    inner.write_bytes(b"x")
    assert locate_in_sysroot(f"{root}/lib/x", str(root)) == str(inner)

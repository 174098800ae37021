# SPDX-License-Identifier: Apache-2.0
"""Files that a core names: what is no regular file is not even opened."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gdb_epi.errors import Absent
from gdb_epi.target.files import ElfFile, open_elf


@pytest.mark.parametrize("kind", ["device", "pipe", "folder", "link to a device"])
def test_what_is_no_regular_file_is_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    path = tmp_path / "libodd.so"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "link to a device":
        path.symlink_to("/dev/zero")
    name = "/dev/ptmx" if kind == "device" else str(path)
    opened: list[str] = []
    monkeypatch.setattr("gdb_epi.target.files.os.open", lambda name, _flags: opened.append(name))
    file = open_elf(name)
    assert isinstance(file, Absent) and file.detail == f"{name}: empty or not a regular file"
    assert opened == []


def test_odd_names_are_told() -> None:
    for name in ("/nul\0", "/lone\udc80\ud800", "/" + "x" * 300):
        assert isinstance(open_elf(name), Absent)


def test_an_elf_file_is_opened() -> None:
    assert isinstance(open_elf(os.path.realpath("/proc/self/exe")), ElfFile)

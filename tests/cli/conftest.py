# SPDX-License-Identifier: Apache-2.0
"""Run the shell command as users do: a process of its own, in a folder of its own."""

from __future__ import annotations

import lzma
import shutil
from pathlib import Path

import pytest
from support.shell import SAMPLES, Shell


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """The command, with an empty data folder."""
    return Shell(tmp_path)


@pytest.fixture(scope="session")
def core_bytes() -> bytes:
    """The bytes of a small real core of CPython 3.13."""
    packed = SAMPLES / "null-deref-ctypes" / "core.xz"
    if not packed.exists():
        pytest.skip(f"{packed} is missing")
    return lzma.decompress(packed.read_bytes())


@pytest.fixture
def core(tmp_path: Path, core_bytes: bytes) -> Path:
    """A real core in a file."""
    path = tmp_path / "core.1"
    path.write_bytes(core_bytes)
    return path


@pytest.fixture
def cores(tmp_path: Path) -> list[Path]:
    """Three different real cores, as they are kept in the tree."""
    names = ("null-deref-ctypes", "failed-assertion", "null-deref-py39")
    core_files = []
    for name in names:
        path = tmp_path / f"{name}.xz"
        shutil.copy(SAMPLES / name / "core.xz", path)
        core_files.append(path)
    return core_files

# SPDX-License-Identifier: Apache-2.0
"""The source distribution and the wheel of the tree: built once, for all workers of a test run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from support.interpreters import cache_root
from support.shared_files import locked

ROOT = Path(__file__).resolve().parents[2]
INPUTS = ("setup.py", "README.md", "LICENSE", "gdb_epi", "commands")
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


class Built(NamedTuple):
    """A copy of the tree, its source distribution, and the wheel that was built from that alone."""

    tree: Path
    sdist: Path
    wheel: Path


def run(*words: object, cwd: Path, env: dict[str, str] | None = None) -> str:
    """Run a program to its end and return what it printed."""
    done = subprocess.run(
        [str(word) for word in words], cwd=cwd, capture_output=True, text=True, env=env or CLEAN
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout


def build_tools() -> Path:
    """Return a folder with a setuptools that builds wheels by itself; kept in the cache."""
    folder = cache_root() / "build-tools" / f"python{sys.version_info[0]}.{sys.version_info[1]}"
    with locked(folder.with_name(f"{folder.name}.lock")):
        if not folder.is_dir():
            partial = folder.with_name(f"{folder.name}.partial")
            shutil.rmtree(partial, ignore_errors=True)
            words = [sys.executable, "-m", "pip", "install", "-q", "--target", str(partial)]
            words += ["--disable-pip-version-check", "setuptools>=70.1"]
            done = subprocess.run(words, capture_output=True, text=True, env=CLEAN)
            if done.returncode:
                pytest.skip(f"pip cannot get setuptools or is missing: {done.stderr[-200:]}")
            partial.rename(folder)
    return folder


def built(factory: pytest.TempPathFactory) -> Built:
    """Return what the first test that asked has built."""
    base = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # each worker has a folder in that of the run
    tree, out = base / "built-tree", base / "built-wheel"
    mark = base / "built-wheel.done"
    with locked(base / "built-wheel.lock"):
        if not mark.exists():
            _build(tree, out)
            mark.touch()
    (sdist,), (wheel,) = (tree / "dist").glob("*.tar.gz"), out.glob("*.whl")
    return Built(tree, sdist, wheel)


def _build(tree: Path, out: Path) -> None:
    """Build in a copy, for building writes beside the sources."""
    tools = {**CLEAN, "PYTHONPATH": str(build_tools())}
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for folder in (tree, out):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
    for name in INPUTS:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tree / name, ignore=ignored)
        elif (ROOT / name).exists():
            shutil.copy(ROOT / name, tree / name)
    run(sys.executable, "setup.py", "-q", "sdist", cwd=tree, env=tools)
    (sdist,) = (tree / "dist").glob("*.tar.gz")
    words = ("-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", out, sdist)
    run(sys.executable, *words, cwd=out, env=tools)

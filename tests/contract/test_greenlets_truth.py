# SPDX-License-Identifier: Apache-2.0
"""Suspended greenlets of real cores; the package comes from the package index, into the cache."""

from __future__ import annotations

import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest
from support.cores import Made, Program, make_core
from support.interpreters import Interpreter, cache_root, discover
from support.opening import made_or_skip, need_core_dumps
from support.shared_files import locked

from commands.greenlets import show_greenlets as greenlets_command
from gdb_epi.cpython.running.greenlets import ENDED, NOT_STARTED, SUSPENDED, read_greenlets
from gdb_epi.cpython.types import PyFrame, PythonState
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

# Interpreters below a root of their own cannot see the cache.
INTERPRETERS = [
    pytest.param(interpreter, id=interpreter.id)
    for interpreter in discover()
    if interpreter.root is None and not interpreter.stripped
]
TIMEOUT = 300


def package(interpreter: Interpreter) -> Path:
    """Return the folder of the package for an interpreter's version; skip when there is none."""
    tag = f"3.{interpreter.minor[1]}{'t' if interpreter.free_threaded else ''}"
    folder = cache_root() / "packages" / f"greenlet-{tag}"
    with locked(folder.with_name(f"{folder.name}.lock")):
        fetch(tag, folder)
    return folder


def fetch(tag: str, folder: Path) -> None:
    """Install the package into a folder, unless an earlier run has."""
    if not (folder / "greenlet").is_dir():
        abi = f"cp{tag.replace('.', '')}"
        command = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "-q",
            "--no-deps",
            "--target",
            str(folder),
        ]
        command += ["--only-binary", ":all:", "--python-version", tag.rstrip("t"), "--abi", abi]
        command += ["--implementation", "cp"]
        for platform in ("manylinux_2_28_x86_64", "manylinux_2_24_x86_64", "manylinux2014_x86_64"):
            command += ["--platform", platform]
        try:
            done = subprocess.run(
                [*command, "greenlet"], capture_output=True, text=True, timeout=TIMEOUT
            )
        except subprocess.TimeoutExpired:
            pytest.skip("the package index does not answer")
        if done.returncode:
            pytest.skip(f"greenlet cannot be had for {tag}: {done.stderr[-200:]}")


def opened(interpreter: Interpreter) -> tuple[Made, Session]:
    need_core_dumps()
    entry = Program("greenlets-installed", "greenlets.py", (str(package(interpreter)),))
    made = made_or_skip(interpreter, entry)
    return made, Session(CoreFileTarget.open(made.core))


def shown(frame: PyFrame) -> list[object]:
    assert frame.hole is None
    return [frame.name, frame.qualname, frame.filename, frame.lineno]


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_stacks_of_suspended_greenlets(interpreter: Interpreter) -> None:
    made, session = opened(interpreter)
    python = session.state.python
    assert isinstance(python, PythonState), python
    greenlets = read_greenlets(session.target, python)
    expected = dict(made.truth["greenlets"])
    assert len(expected) == 5 and sum(1 for stack in expected.values() if stack) == 3
    # The program keeps three that are suspended, one that ended and one that never started.
    states = dict(zip(expected, [SUSPENDED] * 3 + [ENDED, NOT_STARTED], strict=True))
    by_address = {greenlet.address: greenlet for greenlet in greenlets.greenlets}
    if interpreter.free_threaded:
        assert any("no list of their objects" in error.message for error in greenlets.soft_errors)
    else:
        assert greenlets.soft_errors == () and set(expected) <= set(by_address)
    for address, stack in expected.items():
        if address in by_address:
            assert [shown(frame) for frame in by_address[address].stack] == stack
            # Without the collector's lists a greenlet that never ran may be in an unknown state.
            unknown = ("",) if interpreter.free_threaded else ()
            assert by_address[address].state in (states[address], *unknown)


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_the_command_shows_them(interpreter: Interpreter) -> None:
    _, session = opened(interpreter)
    if interpreter.free_threaded:
        pytest.skip("free-threaded builds keep no list of their objects")
    text = "\n".join(greenlets_command(session, Namespace(limit=40)).lines)
    assert (
        "greenlet of start(), the first at 0x" in text
        and "py  leaf " in text
        and "py  start " in text
    )


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_no_package_no_greenlets(interpreter: Interpreter) -> None:
    need_core_dumps()
    made = make_core(interpreter, "greenlets")
    session = Session(CoreFileTarget.open(made.core))
    python = session.state.python
    assert isinstance(python, PythonState), python
    assert read_greenlets(session.target, python).greenlets == ()

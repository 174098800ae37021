# SPDX-License-Identifier: Apache-2.0
"""Modules that Cython compiled: the .pyx lines where they can be had, and no wrong one."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import venv
from pathlib import Path
from typing import Any

import pytest
from support.cores import START, find_core
from support.interpreters import Interpreter, cache_root, discover, one_per_minor
from support.opening import need_core_dumps
from support.shared_files import locked
from support.shell import Shell

pytestmark = pytest.mark.heavy  # an environment with Cython, five builds

PYX = """
cdef struct Thing:
    int value


cdef int read(Thing *thing) except? -1:
    cdef int number = 3
    number += 1
    return thing.value + number


cdef class Box:
    cdef Thing *thing

    def use(self, how):
        kept = [how, 2]
        if how == "deep":
            kept.append(3)
            return read(self.thing) + len(kept)
        return 0


def outer(callback, text):
    box = Box()
    for number in range(3):
        other = text * 2
        if number == 2:
            result = callback(box, other)
    return result


def direct(text):
    box = Box()
    return box.use(text)


def generated(text):
    box = Box()
    yield 1
    yield box.use(text)
"""
MAIN = """import sys
import crashing


def back(box, text):
    return crashing.direct("deep")


def main(way):
    if way == "nested":
        crashing.outer(back, "x")
    list(crashing.generated("deep"))


main(sys.argv[1])
"""
# name, options of Cython, options of gcc, whether lines can be had.
BUILDS = {
    "debug": ((), ("-O2", "-g"), True),
    "unoptimised": ((), ("-O0", "-g"), True),
    "line directives": (("--line-directives",), ("-O2", "-g"), True),
    "linetrace": (("-X", "linetrace=True"), ("-O2", "-g", "-DCYTHON_TRACE=1"), True),
    "profile": (("-X", "profile=True"), ("-O2",), False),
    "stripped": ((), ("-O2", "-s"), False),
}
READ, USE = ("read", 9), ("use", 19)
LINES = {
    "nested": [
        READ, USE, ("direct", 34), ("back", 6), ("outer", 28), ("main", 11), ("<module>", 15)
    ],
    "generator": [READ, USE, ("generator", 40), ("main", 12), ("<module>", 15)],
}  # fmt: skip
# Cython 3.3 dropped 3.8.
INTERPRETERS = [
    interpreter
    for interpreter in one_per_minor()
    if interpreter.root is None and interpreter.minor >= (3, 9)
]
INTERPRETERS += [interpreter for interpreter in discover() if interpreter.id.startswith("ft-")]


def built(interpreter: Interpreter, build: str) -> Path:
    """Return a folder with the module; it is built once."""
    key = hashlib.sha256((PYX + MAIN + repr(BUILDS[build])).encode()).hexdigest()[:12]
    folder = cache_root() / "cython" / interpreter.id / f"{build.replace(' ', '-')}-{key}"
    with locked(cache_root() / "cython" / ".lock"):  # other workers build too
        if not (folder / "crashing.so").exists():
            folder.mkdir(parents=True, exist_ok=True)
            _build(interpreter, build, folder)
    return folder


def _build(interpreter: Interpreter, build: str, folder: Path) -> None:
    environment = cache_root() / "cython" / "env"
    if not (environment / "bin" / "cython").exists():
        venv.create(environment, with_pip=True)
        pip = [str(environment / "bin" / "python"), "-m", "pip", "install", "-q", "cython>=3"]
        done = subprocess.run(pip, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"Cython cannot be had here: {done.stderr[-300:]}")
    (folder / "crashing.pyx").write_text(PYX)
    (folder / "main.py").write_text(MAIN)
    cython, gcc, _ = BUILDS[build]
    command = [str(environment / "bin" / "cython"), "-3", *cython, "crashing.pyx"]
    subprocess.run(command, cwd=folder, check=True)
    include = "import sysconfig; print(sysconfig.get_path('include'))"
    done = subprocess.run(
        [*interpreter.argv, "-c", include], capture_output=True, text=True, check=True
    )
    flags = [*gcc, "-shared", "-fPIC", f"-I{done.stdout.strip()}"]
    subprocess.run(
        ["gcc", *flags, "crashing.c", "-o", "crashing.partial"], cwd=folder, check=True
    )  # fmt: skip
    (folder / "crashing.partial").replace(folder / "crashing.so")


def frames_of(interpreter: Interpreter, folder: Path, way: str, tmp_path: Path) -> list[Any]:
    start = ["/bin/sh", "-c", START, "sh", *interpreter.argv, str(folder / "main.py"), way]
    environment = {**interpreter.environment(), "GDB_EPI_FILTER": ""}
    subprocess.run(start, cwd=tmp_path, env=environment, timeout=60, check=False)
    (core,) = find_core(tmp_path)
    shell = Shell(tmp_path)
    done = shell("triage", "--no-db", "--native", "always", "--format", "json", core)
    core.unlink()
    (record,) = done.records
    frames: list[Any] = record["threads"]["crashed"]["frames"]
    return frames


def own(frames: list[Any]) -> list[tuple[str, int | None]]:
    """Return function and line of the frames of the module and the script, wrappers left out."""
    calls = []
    for frame in frames:
        if frame["language"] == "python":
            calls.append((frame["name"], frame["lineno"]))
        elif "__pyx_" in str(frame.get("function")) and "__pyx_pw_" not in frame["function"]:
            pyx = frame.get("pyx") or frame.get("filename") or ""
            line = frame.get("pyx_line", frame.get("lineno")) if pyx.endswith(".pyx") else None
            names = ("read", "use", "outer", "direct", "generator")
            name = next(n for n in names if n in frame["function"].rpartition("crashing")[2])
            calls.append((name, line))
    return calls


@pytest.mark.parametrize("way", LINES)
@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("interpreter", INTERPRETERS, ids=lambda interpreter: interpreter.id)
def test_lines(interpreter: Interpreter, build: str, way: str, tmp_path: Path) -> None:
    need_core_dumps()
    frames = frames_of(interpreter, built(interpreter, build), way, tmp_path)
    if BUILDS[build][2]:
        assert own(frames) == LINES[way]
        return
    # Without debug information: no line of the module, and the names that there are.
    own_frames = [frame for frame in frames if frame.get("module") == "crashing.so"]
    assert own_frames and not any(f.get("pyx") or f.get("lineno") for f in own_frames)
    if build == "stripped":
        names = {frame.get("python_name") for frame in frames} - {None}
        assert names <= {"use", "direct", "outer", "generated"} and "use" in names


def test_another_c_file_gives_no_line(tmp_path: Path) -> None:
    need_core_dumps()
    interpreter = INTERPRETERS[-1]
    folder = tmp_path / "moved"
    shutil.copytree(built(interpreter, "debug"), folder)
    original = built(interpreter, "debug") / "crashing.c"
    hidden = original.rename(original.with_suffix(".hidden"))
    try:
        text = hidden.read_text()
        (folder / "crashing.c").write_text(text.replace("\n", "\n\n\n", 1))
        frames = frames_of(interpreter, folder, "nested", tmp_path)
        assert not any(frame.get("pyx") for frame in frames)
        assert any(frame.get("filename", "").endswith("crashing.c") for frame in frames)
        (folder / "crashing.c").write_text(text)
        assert own(frames_of(interpreter, folder, "nested", tmp_path)) == LINES["nested"]
    finally:
        hidden.rename(original)

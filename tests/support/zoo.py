# SPDX-License-Identifier: Apache-2.0
"""The crash zoo: one bug per mode, built in many ways, and the signature of each core.

tests/programs/zoo holds the sources. A build is an option set and an origin (the source as is,
or one of two refactorings); a case is a build, a mode and, for the extension, an interpreter.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from gdb_epi.analysis import run_stages
from gdb_epi.cli.support.native_gdb import GdbNativeFrames
from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import Absent
from gdb_epi.session import Session
from gdb_epi.signature.sign import SignedProcess
from gdb_epi.target.corefile import CoreFileTarget
from support.cores import START, find_core, require_core_dumps
from support.interpreters import Interpreter

SOURCES = Path(__file__).parents[1] / "programs" / "zoo"
TIMEOUT = 300
STEP = 5200  # bytes of environment by which the stacks of two runs differ
MODES = {
    "c": ("null", "wild", "copy", "assert", "assert_static", "free", "smash", "overflow", "divide",
          "trap", "guard", "inlined"),
    "c++": ("template", "lambda", "out_of_range", "throw", "pure_virtual", "sort", "thread",
            "assert"),
    "extension": ("null", "direct", "failed_assert", "overflow", "lost_reference", "fatal", "stop",
                  "callback"),
}  # fmt: skip
OPTIONS = {
    "O0": ("-g", "-O0"), "O1": ("-g", "-O1"), "O2": ("-g", "-O2"), "O3": ("-g", "-O3"),
    "Os": ("-g", "-Os"), "lto": ("-g", "-O2", "-flto"), "symtab": ("-g0", "-O2"),
    "stripped": ("-g0", "-O2", "-s"),
}  # fmt: skip
ORIGINS = ("as-is", "reordered", "extracted")
COMMON = ("-fPIC", "-shared", "-fstack-protector-strong", "-U_FORTIFY_SOURCE", "-pthread",
          "-fno-stack-clash-protection")  # fmt: skip
FILES = {"c": "zoo.c", "c++": "zoo.cpp", "extension": "_zoo.c"}


class Build(NamedTuple):
    """One way to compile one of the libraries."""

    language: str
    options: str
    origin: str = "as-is"


class Case(NamedTuple):
    """One crash."""

    build: Build
    mode: str
    interpreter: Interpreter | None = None

    @property
    def bug(self) -> str:
        """What every core of the case is about."""
        return f"{self.build.language}-{self.mode}"


class Stack(NamedTuple):
    """One frame of the signed thread, as other tools see it."""

    function: str | None
    module: str
    filename: str | None
    lineno: int | None
    inlined: bool
    python: str


def make_build(build: Build, folder: Path) -> Path:
    """Compile a library; return its path. Extensions are for the limited API."""
    source = variant(build, folder)
    name = "_zoo.abi3.so" if build.language == "extension" else "libzoo.so"
    out = folder / name
    compiler = "g++" if build.language == "c++" else "gcc"
    command = [compiler, *OPTIONS[build.options], *COMMON, f"-I{headers()}", str(source), "-o"]
    subprocess.run([*command, str(out)], check=True, cwd=folder)
    return out


def headers() -> str:
    """Return a folder with Python.h; the limited API needs that of any version from 3.9 on."""
    import sysconfig

    return sysconfig.get_path("include")


def variant(build: Build, folder: Path) -> Path:
    """Write the source of a build: as it stands, reordered under another name, or extracted."""
    text = (SOURCES / FILES[build.language]).read_text()
    suffix = Path(FILES[build.language]).suffix
    name = f"menagerie{suffix}"
    if build.origin == "reordered":
        head, *blocks = re.split(r"^/\* @block \*/$", text, flags=re.MULTILINE)
        last, end, rest = blocks[-1].partition("/* @end */")
        blocks[-1] = last
        text = "\n\n/* moved */\n" + head + "".join(reversed(blocks)) + end + rest
        name = f"renamed{suffix}"
    elif build.origin == "extracted":
        text = "#define EXTRACT 1\n" + text
    path = folder / name
    path.write_text(text)
    return path


def make_driver(folder: Path) -> Path:
    """Compile the program that calls a mode of a library."""
    out = folder / "zoo_main"
    words = ["gcc", "-g", "-O1", str(SOURCES / "zoo_main.c"), "-o", str(out), "-ldl"]
    subprocess.run(words, check=True)
    return out


class Libraries:
    """The driver and the libraries in a folder, each built once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.driver = make_driver(folder)
        self._built: dict[Build, Path] = {}

    def library(self, build: Build) -> Path:
        """Return the compiled library."""
        if build not in self._built:
            place = self.folder / "-".join(build).replace("+", "p")
            place.mkdir(exist_ok=True)
            self._built[build] = make_build(build, place)
        return self._built[build]

    def sign(self, case: Case, name: str, gdb: str, run: int = 0) -> SignedProcess:
        """Make a core and sign it; the folder of this name is gone afterwards."""
        interpreter = case.interpreter
        place = (interpreter.workspace() if interpreter else self.folder) / name
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        try:
            core = crash(case, self.library(case.build), self.driver, place, run)
            return signed(core, gdb, case.interpreter)
        finally:
            shutil.rmtree(place, ignore_errors=True)


def crash(case: Case, library: Path, driver: Path, folder: Path, run: int = 0) -> Path:
    """Run a case until it dies; return the core. Each run's stack begins elsewhere."""
    require_core_dumps()
    environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"}
    if case.interpreter is None:
        command = [str(driver), str(library), f"zoo_{case.mode}"]
    else:
        shutil.copy(library, folder / library.name)
        shutil.copy(SOURCES / "zoo.py", folder / "zoo.py")
        inside = case.interpreter.inside(folder)
        command = case.interpreter.command("zoo.py", inside, case.mode, cwd=folder)
        environment = case.interpreter.environment()
    done = subprocess.run(
        ["/bin/sh", "-c", START, "sh", *command],
        cwd=folder,
        env={**environment, "GDB_EPI_FILTER": "", "GDB_EPI_RUN": "x" * run * STEP},
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=TIMEOUT,
    )
    cores = find_core(folder)
    if not cores:
        raise RuntimeError(f"{case}: no core; exit {done.returncode}; {done.stderr[-300:]!r}")
    return cores[0]


def signed(core: Path, gdb: str, interpreter: Interpreter | None = None) -> SignedProcess:
    """Return the signature of a core, with native frames from a GDB beside it.

    `interpreter` is the one that died, None for a program of this machine's own root.
    """
    root = str(interpreter.root) if interpreter is not None and interpreter.root else None
    exe = str(interpreter.host_executable) if interpreter is not None else None
    target = CoreFileTarget.open(str(core), exe=exe, sysroot=root)
    modules = target.modules()
    exe = modules[0].file if modules and isinstance(modules[0].file, str) else exe
    with tempfile.TemporaryDirectory() as place:
        native = GdbNativeFrames(str(core), exe, root, gdb, place)
        try:
            target.native_source = native.frames
            signed_core = run_stages(Session(target)).signed
            _ = [signed_core.inputs.fault, signed_core.signature]
            return signed_core
        finally:
            native.close()


def stack_of(core: SignedProcess) -> list[Stack]:
    """Return the frames of the signed stack as plain values."""
    frames = []
    for frame in core.stack.frames if core.stack is not None else ():
        native = frame.native
        if native is not None:
            frames.append(
                Stack(
                    native.function,
                    native.module or "",
                    native.filename,
                    native.lineno,
                    native.inlined,
                    "",
                )
            )
        if frame.python is not None:
            frames.append(Stack(None, "", None, None, False, _python(frame.python)))
    return frames


def _python(frame: PyFrame) -> str:
    return f"{frame.module}.{frame.qualname or frame.name}"


def keys_of(core: SignedProcess) -> dict[str, str]:
    """Return the lines of a signature, and its category and core_key."""
    lines = {name: key.text for name, key in core.signature.keys.items()}
    return {"category": core.signature.category.name, **lines}


def absent(core: SignedProcess) -> Absent | None:
    """Return why the stack has no native half, None when it has."""
    return core.stack.native if core.stack is not None else None


def adjusted_rand_index(labels: list[str], groups: list[str]) -> float:
    """Return the ARI of a grouping against labels: 1 is equal, 0 is chance."""
    from collections import Counter

    def pairs(counts: Any) -> float:
        return sum(n * (n - 1) / 2 for n in counts)

    both = pairs(Counter(zip(labels, groups, strict=True)).values())
    first, other = pairs(Counter(labels).values()), pairs(Counter(groups).values())
    total = len(labels) * (len(labels) - 1) / 2
    expected = first * other / total if total else 0.0
    most = (first + other) / 2
    return 1.0 if most == expected else (both - expected) / (most - expected)

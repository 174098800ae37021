# SPDX-License-Identifier: Apache-2.0
"""Build the C programs of this package, once for each state of their sources."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from support.cores import locked
from support.interpreters import Interpreter, cache_root

NATIVE = Path(__file__).resolve().parent / "native"
# The same bytes from each checkout: several share the interpreters' folders, and cores are kept.
COMMON = ("-O1", "-g", "-w", "-fno-omit-frame-pointer", "-gno-record-gcc-switches")
FLAGS = {
    "pie": (*COMMON, "-fPIE", "-pie"),
    "non-pie": (*COMMON, "-fno-pie", "-no-pie"),
    "library": (*COMMON, "-fPIC", "-shared"),
}
# What looks at cores and does not make them.
JUDGES = ("__init__.py", "evaluate.py", "examine.py", "fit.py", "kept.py", "outcome.py", "table.py")
PROTECTOR = {"scene": "-fstack-protector-all", "bugs": "-fstack-protector-strong"}


class NoCompiler(Exception):
    """gcc is not here, or does not build the programs; the message says why."""


def source_hash() -> str:
    """Return a hash of everything that decides how a labelled core looks."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).resolve().parent.rglob("*")):
        if path.suffix in (".c", ".py") and path.name not in JUDGES:
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def built(name: str, way: str) -> Path:
    """Return a program ("scene" or "bugs") built as "pie", "non-pie" or "library"."""
    source = NATIVE / f"{name}.c"
    flags = (*FLAGS[way], PROTECTOR[name])
    digest = hashlib.sha256(source.read_bytes() + repr(flags).encode()).hexdigest()[:12]
    folder = cache_root() / "build" / "corruption"
    path = folder / f"{name}-{way}-{digest}"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder / "lock"):
            if not path.is_file():  # another process may have made it meanwhile
                compile_to(source, flags, path)
    return path


def compile_to(source: Path, flags: tuple[str, ...], path: Path) -> None:
    """Run gcc. Raises NoCompiler."""
    temporary = path.with_suffix(f".{os.getpid()}")
    command = ["gcc", *flags, f"-ffile-prefix-map={source.parent}=.", str(source)]
    try:
        done = subprocess.run(
            [*command, "-o", str(temporary)], cwd=source.parent, capture_output=True, text=True
        )
    except OSError as error:
        raise NoCompiler(f"gcc: {error}") from None
    if done.returncode:
        raise NoCompiler(f"gcc: {done.stderr[-400:]}")
    temporary.replace(path)


def placed(path: Path, interpreter: Interpreter) -> str:
    """Return a file's path as the interpreter's process sees it, copied there when it must be."""
    if interpreter.root is None:
        return str(path)
    folder = interpreter.workspace() / "corruption"
    target = folder / path.name
    if not target.is_file() or target.stat().st_mtime < path.stat().st_mtime:
        folder.mkdir(parents=True, exist_ok=True)
        temporary = target.with_suffix(f".{os.getpid()}")
        shutil.copy(path, temporary)
        temporary.replace(target)
    return interpreter.inside(target)

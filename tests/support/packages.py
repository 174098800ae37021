# SPDX-License-Identifier: Apache-2.0
"""Install wheels for the interpreters under test, into the cache, with whichever pip there is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from support.interpreters import LIBRARIES, Interpreter, binaries, cache_root
from support.shared_files import locked, write_whole

INSTALL_TIMEOUT = 300
CXX_LIBRARY = "libstdc++.so.6"
# What a package cannot be imported without; pip looks for no dependencies here (their wheels may
# not be there for an interpreter, and most are not needed). PyTorch's wheels for CPUs alone.
NEEDS = {
    "trio": (
        "trio", "attrs", "sortedcontainers", "idna", "outcome", "sniffio", "exceptiongroup",
        "typing_extensions",
    ),
    "anyio": ("anyio", "idna", "sniffio", "exceptiongroup", "typing_extensions"),
    "gevent": ("gevent", "greenlet", "zope.event", "zope.interface"),
    "eventlet": ("eventlet", "greenlet", "dnspython"),
    "pandas": ("pandas", "numpy", "python-dateutil", "pytz", "tzdata", "six"),
    "pydantic": (
        "pydantic", "pydantic_core", "annotated_types", "typing_extensions", "typing_inspection",
    ),
    "sqlalchemy": ("sqlalchemy", "typing_extensions", "greenlet"),
    "grpcio": ("grpcio", "typing_extensions"),
    "torch": (
        "torch==2.13.0+cpu", "typing_extensions", "sympy", "mpmath", "networkx", "jinja2",
        "markupsafe", "filelock", "fsspec",
    ),
}  # fmt: skip
PLATFORMS = ("manylinux_2_28", "manylinux_2_27", "manylinux_2_17", "manylinux2014")


class NoPackages(Exception):
    """pip could not install what a program needs; the message says why."""


def packages_for(interpreter: Interpreter, names: Sequence[str]) -> str:
    """Return a folder with packages, as the interpreter's process sees it; installed once.

    Raises NoPackages, and does so again without trying until the mark beside the folder is removed.
    """
    home = (interpreter.root / "epi" if interpreter.root else cache_root()) / "packages"
    folder = home / interpreter.id / "-".join(names)
    mark = folder.with_name(f"{folder.name}.done")  # versions have dots
    if not mark.is_file():
        with locked(folder.with_name(f"{folder.name}.lock")):
            if not mark.is_file():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir(parents=True)
                problem = _install(interpreter, names, folder)
                if interpreter.root:
                    _lend(interpreter.root)
                write_whole(mark, problem)
    problem = mark.read_text()
    if problem:
        raise NoPackages(problem)
    return interpreter.inside(folder)


def debian_library(package: str) -> None:
    """Unpack a Debian package below the cache's "debs", once. Raises NoPackages."""
    folder = cache_root() / "debs"
    mark = folder / f"{package}.done"
    if not mark.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        with locked(cache_root() / "debs.lock"):
            if not mark.is_file():
                write_whole(mark, _unpack(package, folder))
    problem = mark.read_text()
    if problem:
        raise NoPackages(problem)


def _unpack(package: str, folder: Path) -> str:
    """Fetch a package with apt-get and unpack it; return why that failed, or ""."""
    try:
        for command in (["apt-get", "download", package], ["dpkg", "-x", "", str(folder)]):
            files = sorted(map(str, folder.glob(f"{package}_*.deb")))
            subprocess.run(
                [part or files[-1] for part in command], cwd=folder, check=True,
                capture_output=True, timeout=INSTALL_TIMEOUT, stdin=subprocess.DEVNULL,
            )  # fmt: skip
    except (OSError, subprocess.SubprocessError, IndexError) as error:
        return f"apt-get has no {package}: {error}"
    return ""


def library_path(interpreter: Interpreter) -> str:
    """Return the folder of this machine's C++ library for an interpreter whose root has none.

    A root's own fits its C library: that of Debian 12 asks for a newer one than Debian 11 has.
    """
    own = interpreter.root is None or any(
        (interpreter.root / folder / CXX_LIBRARY).exists() for folder in LIBRARIES
    )
    return "" if own else "/epi/packages/lib"


def _lend(root: Path) -> None:
    """Copy the C++ library, which wheels need and a bare root has not."""
    folder = root / "epi" / "packages" / "lib"
    folder.mkdir(parents=True, exist_ok=True)
    for name in (CXX_LIBRARY, "libgcc_s.so.1"):
        source = Path("/usr/lib/x86_64-linux-gnu") / name
        if source.exists() and not (folder / name).exists():
            # Other packages of this root may come at the same time, and have it mapped.
            partial = folder / f"{name}.{os.getpid()}"
            shutil.copy(source, partial)
            partial.replace(folder / name)


def _install(interpreter: Interpreter, names: Sequence[str], folder: Path) -> str:
    """Run pip; return why it failed, or ""."""
    python = _a_pip()
    if python is None:
        return "no pip on this machine"
    digits = "".join(map(str, interpreter.minor))
    abi = f"cp{digits}{'t' if interpreter.free_threaded else ''}"
    command = [
        python,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--ignore-requires-python",
        "--no-deps",
        "--no-compile",
    ]
    command += [
        "--only-binary=:all:",
        "--implementation=cp",
        f"--python-version={interpreter.minor[0]}.{interpreter.minor[1]}",
    ]
    command += [f"--abi={abi}", f"--target={folder}", "--disable-pip-version-check"]
    command += [f"--platform={name}_x86_64" for name in PLATFORMS]
    try:
        done = subprocess.run(
            [*command, *(need for name in names for need in NEEDS.get(name, (name,)))],
            capture_output=True,
            timeout=INSTALL_TIMEOUT,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PIP_ROOT_USER_ACTION": "ignore"},
        )
    except subprocess.TimeoutExpired:
        return f"pip took more than {INSTALL_TIMEOUT} s"
    if done.returncode:
        tail = done.stderr.decode(errors="replace").strip().splitlines()
        return f"pip has no {' '.join(names)} for {abi}: {tail[-1] if tail else 'no message'}"
    return ""


def _a_pip() -> str | None:
    """Return a Python that has pip."""
    base = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    pythons = [path for folder in sorted(base.glob("3.*")) for path in binaries(folder / "bin")]
    for python in (sys.executable, *map(str, reversed(pythons))):
        asked = subprocess.run([python, "-m", "pip", "--version"], capture_output=True)
        if asked.returncode == 0:
            return python
    return None

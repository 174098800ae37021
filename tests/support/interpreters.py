# SPDX-License-Identifier: Apache-2.0
"""Find every CPython interpreter that this machine can run, for the test matrix."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

OLDEST, NEWEST = (3, 8), (3, 15)
PROBE_TIMEOUT = 120  # seconds; a worker that knew fewer would collect other tests
PROBE_FORMAT = 6
LOADER = "lib64/ld-linux-x86-64.so.2"
MAX_LINKS = 10
JIT = "-jit"  # the same executable with its JIT compiler switched on
BUILT = ("standalone-", "musl-")  # by build_interpreters.py, beside the free-threaded ones
PLACES = ("PATH", "HOME", "PYENV_ROOT", "GDB_EPI_CACHE", "GDB_EPI_TAILCALL", "GDB_EPI_JIT")
LIBRARIES = ("usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu")

# Run by each candidate once; the answer is cached.
PROBE = """
import json, sys, sysconfig
print(json.dumps({
    "version": list(sys.version_info[:3]), "level": sys.version_info[3],
    "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
    "gil": getattr(sys, "_is_gil_enabled", lambda: True)(),
    "debug": hasattr(sys, "gettotalrefcount"),
    "jit": hasattr(sys, "_jit") and sys._jit.is_enabled(),
    "implementation": sys.implementation.name,
}))
"""


class Interpreter(NamedTuple):
    """One interpreter that can be started here.

    `executable` is the path as the process itself sees it; with a `root` it lies below that folder,
    and the paths in a core are to be looked up there (GDB's sysroot).
    """

    id: str
    version: tuple[int, int, int]
    executable: str
    argv: tuple[str, ...]
    env: Mapping[str, str]
    root: Path | None
    shared: bool
    stripped: bool
    free_threaded: bool
    gil: bool
    debug: bool
    dwarf: bool

    @property
    def minor(self) -> tuple[int, int]:
        """Return the version as (3, minor)."""
        return self.version[:2]

    @property
    def host_executable(self) -> Path:
        """Return the executable's path as this process sees it."""
        return self.outside(self.executable)

    def outside(self, path: str) -> Path:
        """Return a path of the interpreter's process as this process sees it."""
        return self.root / path.lstrip("/") if self.root else Path(path)

    def inside(self, path: Path) -> str:
        """Return a path of this process as the interpreter's process sees it."""
        return "/" + str(path.relative_to(self.root)) if self.root else str(path)

    def workspace(self) -> Path:
        """Return a folder that both this process and the interpreter's process can see."""
        return self.root / "epi" / "runs" if self.root else cache_root() / "runs"

    def command(self, *arguments: str, cwd: Path) -> list[str]:
        """Return the command line that starts the interpreter in a folder of its workspace."""
        return [part.replace("{cwd}", self.inside(cwd)) for part in self.argv] + list(arguments)

    def environment(self) -> dict[str, str]:
        """Return the environment to start it with: nothing of this process's Python."""
        clean = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C.UTF-8"}
        return {**clean, "PYTHONDONTWRITEBYTECODE": "1", **self.env}


class Candidate(NamedTuple):
    """A place where an interpreter may be, before anything was started."""

    family: str  # the first part of the id
    path: Path  # as this process sees it
    root: Path | None = None
    env: tuple[tuple[str, str], ...] = ()
    suffix: str = ""


def cache_root() -> Path:
    """Return the folder that everything fetched or made for the tests lives in."""
    named = os.environ.get("GDB_EPI_CACHE")
    return Path(named) if named else Path.home() / ".cache" / "gdb-epi"


# --- where to look --------------------------------------------------------------------------------


def in_range(name: str) -> bool:
    """Return whether a file is named like an interpreter 3.8 to 3.15, of any build."""
    match = re.fullmatch(r"python3\.(\d+)[td]?", name)
    return match is not None and OLDEST[1] <= int(match[1]) <= NEWEST[1]


def binaries(folder: Path) -> list[Path]:
    """Return the interpreters of a bin folder, never a script such as a pyenv shim."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if in_range(path.name) and is_elf(path))


def is_elf(path: Path) -> bool:
    """Return whether a file begins like an ELF file."""
    try:
        with path.open("rb") as handle:
            return handle.read(4) == b"\x7fELF"
    except OSError:
        return False


def of_pyenv() -> Iterator[Candidate]:
    """Yield pyenv's interpreters."""
    base = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    for folder in sorted(base.glob("3.*")):
        for path in binaries(folder / "bin"):
            yield Candidate("pyenv", path)


def of_system() -> Iterator[Candidate]:
    """Yield the distribution's interpreters and those on PATH."""
    system = Path("/usr/bin/python3")
    if is_elf(system):
        yield Candidate(distribution(), system.resolve())
    for name in os.environ.get("PATH", "").split(os.pathsep):
        for path in binaries(Path(name)):
            local = not str(path.resolve()).startswith("/usr/bin/")
            yield Candidate("path" if local else distribution(), path.resolve())


def distribution() -> str:
    """Return the distribution's short name, such as "debian"."""
    try:
        text = Path("/etc/os-release").read_text()
    except OSError:
        return "system"
    match = re.search(r'^ID="?([\w.-]+)', text, re.M)
    return match[1] if match else "system"


def of_cache() -> Iterator[Candidate]:
    """Yield what fetch_interpreters.py and build_interpreters.py have put into the cache."""
    base = cache_root() / "interpreters"
    for whole in sorted((base / "built").glob("*/whole")):
        family = whole.parent.name.rpartition("-")[0]
        for path in binaries(whole.parent / "bin"):
            yield Candidate(family, path)
    for path in binaries(base / "free-threaded" / "bin"):
        yield Candidate("ft", path)
    for folder in sorted((base / "stripped").glob("3.*")):
        if re.fullmatch(r"3\.\d+\.\d+t?", folder.name):
            libraries = (("LD_LIBRARY_PATH", str(folder / "lib")),)
            for path in binaries(folder / "bin"):
                yield Candidate("pyenv", path, env=libraries, suffix="-stripped")
    for marker in sorted(base.glob("*.json")):
        root = base / marker.stem
        for path in binaries(root / "usr" / "bin"):
            yield Candidate(marker.stem, path, root=root)


def of_environment() -> Iterator[Candidate]:
    """Yield what the environment asks for: see tests/bench/README.md, "Other eval loops"."""
    named = os.environ.get("GDB_EPI_TAILCALL")
    if named:
        yield Candidate("tailcall", Path(named))
    for candidate in of_cache() if os.environ.get("GDB_EPI_JIT") else ():
        yield candidate._replace(env=(*candidate.env, ("PYTHON_JIT", "1")), suffix=JIT)


# --- probing --------------------------------------------------------------------------------------


def ways_to_start(candidate: Candidate) -> Iterator[tuple[tuple[str, ...], Path | None]]:
    """Yield (argv, root) for each way to start a candidate, the best first."""
    root = candidate.root
    if root is None:
        yield (str(candidate.path),), None
        return
    unshare = shutil.which("unshare")
    if unshare and os.geteuid() == 0:
        inside = "/" + str(candidate.path.relative_to(root))
        yield (unshare, f"--root={root}", "--wd={cwd}", inside), root
    folders = ":".join(str(root / folder) for folder in LIBRARIES)
    loader = link_target(root, root / LOADER)
    yield (str(loader), "--library-path", folders, str(candidate.path)), None


def link_target(root: Path, path: Path) -> Path:
    """Return what a link below a root leads to when an absolute target means below that root."""
    for _ in range(MAX_LINKS):
        if not path.is_symlink():
            break
        target = str(path.readlink())
        path = root / target.lstrip("/") if target.startswith("/") else path.parent / target
    return path


def ask(argv: tuple[str, ...], env: Mapping[str, str]) -> dict[str, Any] | None:
    """Run the probe; None when the candidate cannot be run this way."""
    command = [part.replace("{cwd}", "/") for part in argv] + ["-c", PROBE]
    clean = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", **env}
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=PROBE_TIMEOUT, env=clean, stdin=subprocess.DEVNULL
        )
        answer = json.loads(done.stdout) if done.returncode == 0 else None
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return answer if isinstance(answer, dict) else None


def probe(candidate: Candidate) -> dict[str, Any]:
    """Return what is to be known of a candidate; {"argv": None} when it cannot be run."""
    for argv, root in ways_to_start(candidate):
        answer = ask(argv, dict(candidate.env))
        if answer is not None:
            answer.update(argv=list(argv), chroot=root is not None, **elf_facts(candidate, answer))
            return answer
    return {"argv": None}


def elf_facts(candidate: Candidate, answer: Mapping[str, Any]) -> dict[str, bool]:
    """Return whether libpython is shared, and whether symbols and DWARF are there."""
    path = candidate.path.resolve()
    # Distributions configure --enable-shared for the library and still link python statically.
    shared = b"libpython3" in section_bytes(path, ".dynstr")
    minor = ".".join(str(number) for number in answer["version"][:2])
    libraries = sorted(path.parent.parent.glob(f"lib/libpython{minor}*.so.*"))
    if shared and libraries:
        path = libraries[0]
    names = sections(path)
    separate = candidate.root is not None and debug_file(candidate.root, path).is_file()
    return {
        "shared": shared,
        "stripped": ".symtab" not in names,
        "dwarf": ".debug_info" in names or separate,
    }


def debug_file(root: Path, path: Path) -> Path:
    """Return where the separate DWARF of a file would be, by its build-id."""
    with path.open("rb") as handle:
        start = handle.read(4096)
    at = start.find(b"\x04\x00\x00\x00\x14\x00\x00\x00\x03\x00\x00\x00GNU\x00")
    name = start[at + 16 : at + 36].hex() if at >= 0 else "none"
    return root / "usr/lib/debug/.build-id" / name[:2] / f"{name[2:]}.debug"


def sections(path: Path) -> dict[str, tuple[int, int]]:
    """Return (offset, size) of each section of a 64-bit ELF file; empty without a table."""
    with path.open("rb") as handle:
        header = handle.read(64)
        offset = struct.unpack_from("<Q", header, 40)[0]
        size, count, strings = struct.unpack_from("<HHH", header, 58)
        handle.seek(offset)
        table = [handle.read(size) for _ in range(count)]
        if not table:
            return {}
        start, length = struct.unpack_from("<QQ", table[strings], 24)
        handle.seek(start)
        names = handle.read(length)
    sections = {}
    for entry in table:
        at = struct.unpack_from("<I", entry)[0]
        sections[names[at : names.index(b"\0", at)].decode("latin-1")] = struct.unpack_from(
            "<QQ", entry, 24
        )
    return sections


def section_bytes(path: Path, name: str) -> bytes:
    """Return the content of a section; empty when there is none."""
    offset, size = sections(path).get(name, (0, 0))
    with path.open("rb") as handle:
        handle.seek(offset)
        return handle.read(size)


class ProbeCache:
    """The answers of earlier probes, on disk; a changed file is asked again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.changed = False
        try:
            content = json.loads(path.read_text())
        except (OSError, ValueError):
            content = {}
        self.answers: dict[str, Any] = content if isinstance(content, dict) else {}

    def get(self, candidate: Candidate) -> dict[str, Any]:
        """Return the answer of one candidate, asking it when that is needed."""
        state = candidate.path.stat()
        marker = [PROBE_FORMAT, state.st_mtime_ns, state.st_size, os.geteuid()]
        debug = candidate.root / "usr/lib/debug" if candidate.root else None
        key = json.dumps([str(candidate.path), *marker, bool(debug and debug.is_dir())])
        key += JIT if candidate.suffix == JIT else ""
        if key not in self.answers:
            self.answers[key] = probe(candidate)
            self.changed = True
        answer = self.answers[key]
        return answer if isinstance(answer, dict) else {"argv": None}

    def save(self) -> None:
        """Write the answers, when there are new ones and the folder can be written."""
        if not self.changed:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            temporary = self.path.with_suffix(f".{os.getpid()}")
            temporary.write_text(json.dumps(self.answers, indent=1))
            temporary.replace(self.path)
        except OSError:
            return


def build(candidate: Candidate, answer: Mapping[str, Any]) -> Interpreter | None:
    """Return the interpreter that an answer describes; None when it is none of ours."""
    if not answer.get("argv") or answer.get("implementation") != "cpython":
        return None
    major, minor, micro = answer["version"]
    if not OLDEST <= (major, minor) <= NEWEST or (candidate.suffix == JIT) > answer["jit"]:
        return None
    root = candidate.root if answer["chroot"] else None
    executable = "/" + str(candidate.path.relative_to(root)) if root else str(candidate.path)
    suffix = candidate.suffix + ("-debug" if answer["debug"] else "")
    suffix += "t" if answer["free_threaded"] and candidate.family != "ft" else ""
    return Interpreter(
        id=f"{candidate.family}-{major}.{minor}.{micro}{suffix}",
        version=(major, minor, micro),
        executable=executable,
        argv=tuple(answer["argv"]),
        env=dict(candidate.env),
        root=root,
        shared=answer["shared"],
        stripped=answer["stripped"],
        free_threaded=answer["free_threaded"],
        gil=answer["gil"],
        debug=answer["debug"],
        dwarf=answer["dwarf"],
    )


def candidates() -> Iterable[Candidate]:
    """Return every candidate once, whatever names lead to it."""
    seen: dict[tuple[Path, bool], Candidate] = {}
    for candidate in (*of_pyenv(), *of_cache(), *of_system(), *of_environment()):
        seen.setdefault((candidate.path.resolve(), candidate.suffix == JIT), candidate)
    return seen.values()


def discover(*, debug: bool = False) -> list[Interpreter]:
    """Return every interpreter that can be run here, oldest version first.

    Py_DEBUG builds are left out unless asked for. Fast after the first time; a candidate that does
    not run, or whose files cannot be read, is left out and never an error.
    """
    return list(_discover(debug, tuple(os.environ.get(name) for name in PLACES)))


@cache
def _discover(debug: bool, places: tuple[str | None, ...]) -> list[Interpreter]:
    """Look once for each state of what says where to look: modules of tests ask 500 times."""
    cache = ProbeCache(cache_root() / "interpreters" / "probes" / "probe.json")
    by_id: dict[str, Interpreter] = {}
    for candidate in candidates():
        try:
            interpreter = build(candidate, cache.get(candidate))
        except (OSError, ValueError, KeyError, TypeError, struct.error):
            continue
        if interpreter is not None and (debug or not interpreter.debug):
            by_id.setdefault(interpreter.id, interpreter)
    cache.save()
    return sorted(by_id.values(), key=lambda i: (i.version, i.id))


def by_id(name: str) -> Interpreter | None:
    """Return the interpreter of an id, or the first whose id begins with it; None without one."""
    every = discover(debug=True)
    exact = [i for i in every if i.id == name]
    return next(iter(exact or [i for i in every if i.id.startswith(name)]), None)


def one_per_minor() -> list[Interpreter]:
    """Return one ordinary interpreter for each minor version: the newest with a GIL.

    Of equal ones that of this machine's own root, in which a debugger finds its files.
    """
    chosen: dict[tuple[int, int], Interpreter] = {}
    for i in sorted(discover(), key=lambda i: (i.version, i.root is None)):
        odd = i.id.endswith(("-stripped", JIT)) or i.id.startswith(BUILT)
        if not (i.free_threaded or i.debug or odd):
            chosen[i.minor] = i
    return [chosen[minor] for minor in sorted(chosen)]


def own_interpreters() -> list[Interpreter]:
    """Return those of one_per_minor() that run on this machine's own root, the oldest first."""
    return [interpreter for interpreter in one_per_minor() if interpreter.root is None]


def oldest_and_newest() -> list[Interpreter]:
    """Return an old and a recent interpreter that run on this machine's own root."""
    usable = own_interpreters()
    return usable[:1] + usable[-1:] if len(usable) > 1 else usable


def spread(
    name: str, runs_on: Callable[[Interpreter], bool] = lambda interpreter: True, *, every: int = 1
) -> list[Interpreter]:
    """Return the interpreters to run one program on: minor versions, and their builds, in turn.

    `every` 2 takes every second minor version that the program runs on, and so on. All builds of
    all versions when GDB_EPI_MATRIX=full (and with `--heavy`), which takes hours and 40 GB of
    cores. The choice hangs on the program's name alone, so it is the same in every run.
    """
    usable = [i for i in discover() if runs_on(i)]
    if os.environ.get("GDB_EPI_MATRIX") == "full":
        return usable
    groups: dict[tuple[object, ...], list[Interpreter]] = {}
    for i in usable:
        groups.setdefault((i.minor, i.free_threaded), []).append(i)
    turn = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big")
    step = max(min(every, len(groups)), 1)
    chosen = [builds for _, builds in sorted(groups.items())][turn % step :: step]
    return [builds[turn % len(builds)] for builds in chosen]


if __name__ == "__main__":
    for i in discover(debug="--debug" in sys.argv):
        marks = ("shared", "stripped", "free_threaded", "debug", "dwarf")
        print(f"{i.id:28} {' '.join(m for m in marks if getattr(i, m)):30} {i.executable}")

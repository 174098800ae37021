# SPDX-License-Identifier: Apache-2.0
"""The programs of the gallery, and the cores that they leave; cached by their content.

A program is a folder: `program.py`, what it needs beside it (`NAME.c` and `NAME.cc` are compiled to
`NAME.so`, which it imports or loads), and `truth.json` (README.md says what stands there). How it
comes to its core is the truth's `core`:

    dies    it dies by itself
    signal  it writes its pid into the file `ready`; once it is at rest, or has gone on for
            `settle` seconds, `signal` is sent to it
    gcore   the same, but GDB takes the core and nothing was wrong with the signal

With `flip` the file `ready` holds {"pid": .., "memory": [[address, bit], ..]} or {"pid": ..,
"register": .., "bit": ..}: those bits are flipped and a line is sent to its standard input.

The kept cores take 24 GB at the most (those of one interpreter take about 5), and no more than is
left free beside them: after a new one those that were used longest ago go. They once filled a disk
with 40 GB.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from gallery import flipping
from support import layout
from support.cores import (
    HASH_SEED,
    CoreFailed,
    find_core,
    locked,
    move,
    require_core_dumps,
    run_gcore,
)
from support.interpreters import Interpreter, cache_root
from support.packages import NoPackages, library_path, packages_for
from support.waiting import NeverAsleep, until_asleep

HERE = Path(__file__).resolve().parent
HALVES = ("first", "second")
PATIENCE = 60.0
START = 'ulimit -c unlimited || exit 97; exec "$@"'
NEWEST = [3, 13]
MAX_KEPT = 24 << 30  # bytes of all kept cores
FORMAT = "1"  # part of what a kept core depends on: how the programs are run


class Piece(NamedTuple):
    """One program of the gallery and its truth."""

    name: str
    half: str
    folder: Path
    truth: dict[str, Any]

    def supports(self, interpreter: Interpreter) -> bool:
        """Return whether the program can run on an interpreter."""
        oldest, newest = self.truth.get("oldest", [3, 8]), self.truth.get("newest", NEWEST)
        fits = oldest <= list(interpreter.minor) <= newest
        if self.needs_headers:
            fits = fits and interpreter.root is None and headers(interpreter) is not None
        # A library compiled here asks for the C library of here.
        return fits and (interpreter.root is None or not self.sources)

    @property
    def sources(self) -> list[Path]:
        """Return what is to be compiled."""
        return sorted([*self.folder.glob("*.c"), *self.folder.glob("*.cc")])

    @property
    def needs_headers(self) -> bool:
        """Return whether a source includes CPython's headers."""
        return any("Python.h" in path.read_text() for path in self.sources)


class Taken(NamedTuple):
    """A core, the folder in which its process ran, and whose it is."""

    piece: Piece
    interpreter: Interpreter
    core: Path
    folder: Path


def pieces(half: str | None = None) -> list[Piece]:
    """Return the programs, of one half or of both."""
    taken_pieces = []
    for each in HALVES if half is None else (half,):
        for path in sorted((HERE / each).glob("*/truth.json")):
            truth = json.loads(path.read_text())
            taken_pieces.append(Piece(path.parent.name, each, path.parent, truth))
    return taken_pieces


def headers(interpreter: Interpreter) -> str | None:
    """Return the folder of an interpreter's Python.h, or None."""
    return _headers(interpreter.argv)


@cache
def _headers(argv: tuple[str, ...]) -> str | None:
    code = "import sysconfig; print(sysconfig.get_path('include'))"
    done = subprocess.run([*argv, "-c", code], capture_output=True, text=True)
    folder = done.stdout.strip()
    return folder if Path(folder, "Python.h").is_file() else None


def identity(piece: Piece, interpreter: Interpreter) -> str:
    """Return what a core depends on, as 12 hex digits: not the words of the truth."""
    state = interpreter.host_executable.stat()
    digest = hashlib.sha256(
        repr((FORMAT, interpreter.id, state.st_size, state.st_mtime_ns, layout.name())).encode()
    )
    how = ("core", "signal", "settle", "flip", "packages", "dies_of", "arguments")
    digest.update(repr([piece.truth.get(key) for key in how]).encode())
    for path in sorted(piece.folder.iterdir()):
        if path.is_file() and path.name != "truth.json":
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def take(piece: Piece, interpreter: Interpreter) -> Taken:
    """Return the core of a program on an interpreter, made now or kept from before.

    Raises CoreFailed when there is none, and NoCoreDumps where the kernel writes none.
    """
    layout.fix()
    key = f"{piece.name}-{identity(piece, interpreter)}"
    home = cache_root() / "gallery" / interpreter.id
    home.mkdir(parents=True, exist_ok=True)
    folder = interpreter.workspace() / interpreter.id / f"gallery-{key}"
    core = home / f"{key}.core"
    with locked(home / f"{key}.lock"):
        if not (core.is_file() and (folder / "program.py").is_file()):
            require_core_dumps()
            for old in (*home.glob(f"{piece.name}-????????????.core"),):
                old.unlink()
            for old in folder.parent.glob(f"gallery-{piece.name}-????????????"):
                shutil.rmtree(old, ignore_errors=True)
            lay_out(piece, interpreter, folder)
            made = run(piece, interpreter, folder)
            move(made, core)
            free = shutil.disk_usage(home).free
            drop_oldest_cores(home.parent, MAX_KEPT, free)
        os.utime(core)
    return Taken(piece, interpreter, core, folder)


def drop_oldest_cores(gallery: Path, most: int, free: int) -> None:
    """Delete the cores used longest ago until they take `most` bytes, and half of what they can.

    The newest one stays. Holes take no space.
    """
    cores = []
    for path in gallery.glob("*/*.core"):
        with contextlib.suppress(FileNotFoundError):  # dropped by another process
            state = path.stat()
            cores.append((state.st_mtime_ns, 512 * state.st_blocks, path))
    kept = sum(size for _, size, _ in cores)
    most = min(most, (kept + free) // 2)
    for _, size, path in sorted(cores)[:-1]:
        if kept <= most:
            break
        path.unlink(missing_ok=True)
        kept -= size


def lay_out(piece: Piece, interpreter: Interpreter, folder: Path) -> None:
    """Make the working folder: the sources, and what is compiled of them."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path in piece.folder.iterdir():
        if path.is_file() and path.name != "truth.json":
            shutil.copy(path, folder / path.name)
    for source in piece.sources:
        compiler = ["gcc"] if source.suffix == ".c" else ["g++"]
        flags = ["-O2", "-shared", "-fPIC", "-pthread", "-w"]
        flags += piece.truth.get("flags", [])
        if piece.needs_headers:
            flags += [f"-I{headers(interpreter)}"]
        target = folder / f"{source.stem}.so"
        command = [*compiler, *flags, source.name, "-o", str(target), "-lm", "-ldl"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if done.returncode:
            raise CoreFailed(f"{piece.name}: {done.stderr[-600:]}")


def environment_of(piece: Piece, interpreter: Interpreter) -> dict[str, str]:
    """Return the environment of the program."""
    environment = {**interpreter.environment(), **layout.one_cpu(), "PYTHONHASHSEED": HASH_SEED}
    if piece.truth.get("packages"):
        try:
            environment["PYTHONPATH"] = packages_for(interpreter, piece.truth["packages"])
        except NoPackages as error:
            raise CoreFailed(f"{interpreter.id} {piece.name}: {error}") from None
        environment["LD_LIBRARY_PATH"] = library_path(interpreter)
        environment["OPENBLAS_NUM_THREADS"] = "2"
    return {**environment, **piece.truth.get("environment", {})}


@contextlib.contextmanager
def started(piece: Piece, interpreter: Interpreter, folder: Path) -> Iterator[subprocess.Popen]:
    """Start the program, and end all that it started."""
    inside = interpreter.inside(folder)
    command = interpreter.command(
        *piece.truth.get("options", []), f"{inside}/program.py",
        *piece.truth.get("arguments", []), cwd=folder,
    )  # fmt: skip
    with (folder / "output").open("wb") as output:
        process = subprocess.Popen(
            ["/bin/sh", "-c", START, "sh", *command],
            cwd=folder, env=environment_of(piece, interpreter), stdin=subprocess.PIPE,
            stdout=output, stderr=output, start_new_session=True,
        )  # fmt: skip
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            process.stdin.close()
        process.wait()


def run(piece: Piece, interpreter: Interpreter, folder: Path) -> Path:
    """Run the program to its core; return the core's file."""
    truth = piece.truth
    with started(piece, interpreter, folder) as process:
        if truth.get("flip") or truth["core"] != "dies":
            ready = wait_ready(folder, process)
            pid = ready.get("pid", process.pid)
            if started_at(pid) < started_at(process.pid):  # a `1` once hit the machine's init
                raise CoreFailed(f"{folder.name}: process {pid} in `ready` is none of its own")
            if truth.get("flip"):
                flip(ready, pid, truth.get("settle", 0.2))
                with contextlib.suppress(OSError):
                    process.stdin.write(b"\n")
                    process.stdin.flush()
        if truth["core"] != "dies":
            settle(pid, truth.get("settle"))
        if truth["core"] == "gcore":
            run_gcore("/usr/bin/gdb", pid, folder / "core")
            subprocess.run(["fallocate", "--dig-holes", str(folder / "core")], check=False)
        elif truth["core"] == "signal":
            os.kill(pid, getattr(signal, truth["signal"]))
        if truth["core"] != "gcore":
            ended(folder, process, truth.get("child", False))
    return the_core(piece, interpreter, folder, process.returncode)


def started_at(pid: int) -> int:
    """Return when a process started, in clock ticks: proc_pid_stat(5)."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    except FileNotFoundError:
        raise CoreFailed(f"process {pid} has ended") from None


def ended(folder: Path, process: subprocess.Popen, child: bool) -> None:
    """Wait until the program has ended; of a child, until its core is written."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        if child and find_core(folder):
            size = -1
            while size != (size := find_core(folder)[0].stat().st_size):
                time.sleep(0.3)
            return
        time.sleep(0.02)


def wait_ready(folder: Path, process: subprocess.Popen) -> dict[str, Any]:
    """Return what the program wrote into `ready`: JSON, ended by a line break."""
    deadline = time.monotonic() + PATIENCE
    path = folder / "ready"
    while time.monotonic() < deadline and process.poll() is None:
        if path.is_file() and (text := path.read_text()).endswith("\n"):
            answer = json.loads(text)
            return answer if isinstance(answer, dict) else {"pid": answer}
        time.sleep(0.01)
    raise CoreFailed(f"{folder.name}: never ready: {tail(folder)}")


def settle(pid: int, seconds: float | None) -> None:
    """Wait until a process is at rest, or for a time where it never is."""
    if seconds is not None:
        time.sleep(seconds)
        return
    time.sleep(0.2)
    try:
        until_asleep(pid)
    except NeverAsleep as reason:
        raise CoreFailed(str(reason)) from None


def flip(ready: dict[str, Any], pid: int, seconds: float) -> None:
    """Do to the process what its file asks for."""
    if "register" in ready:
        time.sleep(seconds)
        flipping.flip_register(pid, ready["register"], ready["bit"])
    else:
        until_asleep(pid)
        for address, bit in ready["memory"]:
            flipping.flip_memory(pid, address, bit)


def the_core(piece: Piece, interpreter: Interpreter, folder: Path, status: int) -> Path:
    """Return the one core of a folder; CoreFailed when there is none or another death."""
    cores = find_core(folder)
    title = f"{interpreter.id} {piece.name}"
    if len(cores) != 1:
        raise CoreFailed(f"{title}: status {status}, {len(cores)} cores: {tail(folder)}")
    wanted = piece.truth.get("dies_of")
    if piece.truth["core"] == "dies" and wanted and not piece.truth.get("child"):
        name = signal.Signals(-status).name if status < 0 else str(status)
        if name not in wanted:
            raise CoreFailed(f"{title}: ended by {name}, not {wanted}: {tail(folder)}")
    return cores[0]


def tail(folder: Path) -> str:
    """Return the end of what the program printed."""
    return (folder / "output").read_text(errors="replace")[-500:]

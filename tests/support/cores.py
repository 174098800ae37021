# SPDX-License-Identifier: Apache-2.0
"""Make real core dumps of the programs in tests/programs, and keep them in a cache."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

if __package__:
    from support import layout
    from support.interpreters import Interpreter, cache_root, discover
    from support.packages import NoPackages, library_path, packages_for
    from support.shared_files import locked
    from support.waiting import NeverHappened, until_asleep, wait_until
else:  # started as a program
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from support import layout
    from support.interpreters import Interpreter, cache_root, discover
    from support.packages import NoPackages, library_path, packages_for
    from support.shared_files import locked
    from support.waiting import NeverHappened, until_asleep, wait_until

PROGRAMS = Path(__file__).resolve().parents[1] / "programs"
HELPER = "deathbed.py"
TIMEOUT = 300  # seconds; the programs are asleep or dead within a few when quiet
HASH_SEED = "1"  # the order of sets decides what lies where
NEWEST_MINOR = (3, 99)
COPY_CHUNK = 1 << 20
# Set limit and filter in the child alone, then become the interpreter.
START = 'ulimit -c unlimited || exit 97; [ -z "$GDB_EPI_FILTER" ] || '
START += 'echo "$GDB_EPI_FILTER" > /proc/self/coredump_filter || exit 98; exec "$@"'


class NoCoreDumps(Exception):
    """This machine writes no core dump files that tests can find; the message says why."""


class CoreFailed(Exception):
    """A program did not die as it should have, or left no core."""


class Program(NamedTuple):
    """One entry of the corpus: a program, its arguments and where it can run."""

    name: str
    file: str
    arguments: tuple[str, ...] = ()
    oldest: tuple[int, int] = (3, 8)
    newest: tuple[int, int] = NEWEST_MINOR
    bench: bool = False  # big or slow; for measurements
    child: bool = False  # a forked child dies, and the program itself ends well
    beside: tuple[str, ...] = ()  # other programs that it imports
    packages: tuple[str, ...] = ()  # what pip must install for it
    semaphores: bool = False  # it makes some, which takes a /dev/shm

    def supports(self, interpreter: Interpreter) -> bool:
        """Return whether the program can run on an interpreter."""
        if self.semaphores and not interpreter.outside("/dev/shm").is_dir():
            return False
        return self.oldest <= interpreter.minor <= self.newest


class Made(NamedTuple):
    """A core and what is true of the process that left it."""

    core: Path
    truth: dict[str, Any]
    interpreter: Interpreter
    program: Program
    folder: Path  # the process's working directory, with the sources that ran

    @property
    def executable(self) -> Path:
        """Return the executable as a file of this machine."""
        return self.interpreter.host_executable

    @property
    def sysroot(self) -> Path | None:
        """Return the folder in which the core's paths live; None for this machine's own root."""
        return self.interpreter.root


MARK = "# corpus: "


def declared(path: Path) -> Iterator[Program]:
    """Yield the corpus entries that a program declares: a JSON object per `# corpus:` line.

    Its keys are those of `Program`; `name` is the file's own unless given.
    """
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith(MARK):
            fields = json.loads(line[len(MARK) :])
            for key in ("arguments", "oldest", "newest", "beside", "packages"):
                if key in fields:
                    fields[key] = tuple(fields[key])
            file = str(path.relative_to(PROGRAMS))
            yield Program(**{"name": path.stem, "file": file, **fields})


FOLDERS = (".", "libraries")
CORPUS = tuple(
    entry
    for folder in FOLDERS
    for path in sorted((PROGRAMS / folder).glob("*.py"))
    for entry in declared(path)
)


def corpus_programs(*, bench: bool = False) -> list[Program]:
    """Return the programs of the corpus; the big ones only when asked for."""
    return [program for program in CORPUS if bench or not program.bench]


def program(name: str) -> Program:
    """Return the corpus entry of a name."""
    return next(entry for entry in CORPUS if entry.name == name)


# --- can this machine leave cores? ----------------------------------------------------------------


def require_core_dumps(pattern_file: Path = Path("/proc/sys/kernel/core_pattern")) -> None:
    """Raise NoCoreDumps unless the kernel writes cores as files into the working directory."""
    try:
        pattern = pattern_file.read_text().strip()
    except OSError as error:
        raise NoCoreDumps(f"core_pattern cannot be read: {error}") from None
    if pattern.startswith("|"):
        raise NoCoreDumps(f"core_pattern is a pipe: {pattern}")
    if not pattern or "/" in pattern:
        raise NoCoreDumps(f"core_pattern is no plain file name: {pattern!r}")
    if resource.getrlimit(resource.RLIMIT_CORE)[1] == 0:
        raise NoCoreDumps("the hard limit of core sizes is 0 (ulimit -Hc)")


def why_no_core_dumps() -> str | None:
    """Return why this machine leaves no cores, as a reason to skip; None when it does."""
    try:
        require_core_dumps()
    except NoCoreDumps as reason:
        return str(reason)
    return None


# --- making one core ------------------------------------------------------------------------------


def resolve(wanted: Program | str) -> Program:
    """Return a corpus entry, given itself or its name."""
    return program(wanted) if isinstance(wanted, str) else wanted


def identity(interpreter: Interpreter, entry: Program, coredump_filter: int | None) -> str:
    """Return what a cached core depends on, as 12 hex digits."""
    state = interpreter.host_executable.stat()
    digest = hashlib.sha256()
    parts = (interpreter.id, interpreter.argv, state.st_size, state.st_mtime_ns)
    parts += (layout.name(), HASH_SEED)
    # What most programs do not have is left out, so that new fields make no new cores.
    words = repr(entry)
    for absent in (", beside=()", ", packages=()", ", semaphores=False"):
        words = words.replace(absent, "")
    digest.update(f"({parts!r}, {words}, {coredump_filter!r})".encode())
    for name in (HELPER, entry.file, *entry.beside):
        digest.update((PROGRAMS / name).read_bytes())
    return digest.hexdigest()[:12]


def make_core(
    interpreter: Interpreter, program: Program | str, *, coredump_filter: int | None = None
) -> Made:
    """Run a program until it dies, unless an earlier run's core is there; return core and truth.

    `coredump_filter` is the value of /proc/PID/coredump_filter; None leaves the machine's own.
    Raises NoCoreDumps when this machine leaves no cores, CoreFailed when this program left none.
    """
    layout.fix()
    entry = resolve(program)
    variant = "" if coredump_filter is None else f"-filter{coredump_filter:x}"
    key = f"{entry.name}{variant}-{identity(interpreter, entry, coredump_filter)}"
    home = cache_root() / "cores" / interpreter.id / key
    folder = interpreter.workspace() / interpreter.id / key
    home.parent.mkdir(parents=True, exist_ok=True)
    with locked(home.with_suffix(".lock")):
        # The folder is asked for too: it goes when the interpreter's root is unpacked anew.
        if not ((home / "truth.json").is_file() and (folder / Path(entry.file).name).is_file()):
            require_core_dumps()
            create(interpreter, entry, coredump_filter, home, folder)
    truth = json.loads((home / "truth.json").read_text())
    return Made(home / "core", truth, interpreter, entry, folder)


def create(
    interpreter: Interpreter,
    entry: Program,
    coredump_filter: int | None,
    home: Path,
    folder: Path,
) -> None:
    """Run the program in a fresh folder and move core and truth home; the truth comes last."""
    drop_older(home)
    drop_older(folder)
    lay_out(folder, entry)
    command = start_command(interpreter, entry, folder)
    environment = interpreter.environment()
    if entry.packages:
        environment["PYTHONPATH"] = installed(interpreter, entry)
        environment["LD_LIBRARY_PATH"] = library_path(interpreter)
    environment["PYTHONHASHSEED"] = HASH_SEED
    environment["GDB_EPI_FILTER"] = "" if coredump_filter is None else hex(coredump_filter)
    try:
        done = subprocess.run(
            ["/bin/sh", "-c", START, "sh", *command],
            cwd=folder,
            env=environment,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=TIMEOUT,
        )
    except subprocess.TimeoutExpired:
        raise CoreFailed(f"{interpreter.id} {entry.name}: still alive after {TIMEOUT} s") from None
    problem = verify(entry, folder, done.returncode)
    if problem:
        tail = done.stderr.decode(errors="replace")[-800:]
        missing = re.findall(r"^ModuleNotFoundError: No module named '([^']+)'", tail, re.M)
        if missing:
            problem = f"the package {missing[-1]} is missing: {problem}"
        raise CoreFailed(f"{interpreter.id} {entry.name}: {problem}\n{tail}")
    home.mkdir(exist_ok=True)
    move(find_core(folder)[0], home / "core")
    move(folder / "truth.json", home / "truth.json")


def installed(interpreter: Interpreter, entry: Program) -> str:
    """Return the folder of a program's packages, as its process sees it."""
    try:
        return packages_for(interpreter, entry.packages)
    except NoPackages as error:
        raise CoreFailed(f"{interpreter.id} {entry.name}: {error}") from None


def drop_older(folder: Path) -> None:
    """Remove what earlier versions of the same program left: the same name with another hash."""
    name = folder.name.rpartition("-")[0]
    for other in folder.parent.glob(f"{name}-*"):
        if len(other.name) == len(folder.name) and other.name != folder.name and other.is_dir():
            shutil.rmtree(other, ignore_errors=True)


def lay_out(folder: Path, entry: Program) -> None:
    """Make a fresh working directory that holds the program."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in (HELPER, entry.file, *entry.beside):
        shutil.copy(PROGRAMS / name, folder / Path(name).name)


def start_command(interpreter: Interpreter, entry: Program, folder: Path) -> list[str]:
    """Return the command line of a program in its folder."""
    inside = interpreter.inside(folder)
    arguments = (f"{inside}/{Path(entry.file).name}", f"{inside}/truth.json", *entry.arguments)
    return interpreter.command(*arguments, cwd=folder)


def verify(entry: Program, folder: Path, status: int) -> str | None:
    """Return what went wrong with a run; None when it died of the signal that it foretold."""
    if not (folder / "truth.json").is_file():
        return f"ended with status {status} before it wrote the truth"
    truth = json.loads((folder / "truth.json").read_text())
    expected = 0 if entry.child else -truth["signal"]
    if status != expected:
        return f"ended with status {status}, not {expected}"
    cores = find_core(folder)
    if len(cores) != 1:
        return f"left {len(cores)} cores"
    return None


def find_core(folder: Path) -> list[Path]:
    """Return the core files of a folder, whatever they are named."""
    return [path for path in sorted(folder.iterdir()) if path.is_file() and is_core(path)]


def is_core(path: Path) -> bool:
    """Return whether a file is an ELF file of type core."""
    with path.open("rb") as handle:
        start = handle.read(18)
    return start[:4] == b"\x7fELF" and start[16:18] == b"\x04\x00"


def move(source: Path, target: Path) -> None:
    """Move a file; between file systems its holes stay holes."""
    try:
        source.replace(target)
    except OSError:
        copy_sparse(source, target)
        source.unlink()


def copy_sparse(source: Path, target: Path, size: int | None = None) -> None:
    """Copy the first `size` bytes of a file (all by default), leaving holes as holes."""
    length = source.stat().st_size if size is None else size
    with source.open("rb") as reader, target.open("wb") as writer:
        at = 0
        while at < length:
            try:
                at = os.lseek(reader.fileno(), at, os.SEEK_DATA)
                end = min(os.lseek(reader.fileno(), at, os.SEEK_HOLE), length)
            except OSError:
                break  # no data beyond
            while at < end:
                chunk = os.pread(reader.fileno(), min(COPY_CHUNK, end - at), at)
                os.pwrite(writer.fileno(), chunk, at)
                at += len(chunk)
        writer.truncate(length)


# --- variants -------------------------------------------------------------------------------------


def truncate(core: Path, fraction: float, target: Path | None = None) -> Path:
    """Return a copy that holds only the first part of a core, as a full disk would leave it."""
    place = target or core.with_name(f"{core.name}.first-{round(fraction * 100)}-percent")
    copy_sparse(core, place, int(core.stat().st_size * fraction))
    return place


def make_snapshot(
    interpreter: Interpreter, program: Program | str, *, gdb: str = "/usr/bin/gdb"
) -> Made:
    """Return a core that GDB's gcore took of a program that lives on where it would have died.

    The truth's `signal` is 0: nothing killed the process. Raises CoreFailed when GDB cannot attach.
    """
    layout.fix()
    entry = resolve(program)
    key = f"{entry.name}-gcore-{identity(interpreter, entry, None)}"
    home = cache_root() / "cores" / interpreter.id / key
    folder = interpreter.workspace() / interpreter.id / key
    home.mkdir(parents=True, exist_ok=True)
    with locked(home.with_suffix(".lock")):
        if not (home / "truth.json").is_file():
            drop_older(home)
            drop_older(folder)
            lay_out(folder, entry)
            take_snapshot(interpreter, entry, gdb, home, folder)
    truth = json.loads((home / "truth.json").read_text())
    return Made(home / "core", truth, interpreter, entry, folder)


def take_snapshot(
    interpreter: Interpreter, entry: Program, gdb: str, home: Path, folder: Path
) -> None:
    """Start the program, wait for its truth, let GDB write the core, end the program."""
    environment = {**interpreter.environment(), "PYTHONHASHSEED": HASH_SEED, "GDB_EPI_WAY": "pause"}
    command = start_command(interpreter, entry, folder)
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, start_new_session=True
    ) as process:
        try:
            wait_for(folder / "truth.json", process)
            truth = json.loads((folder / "truth.json").read_text())
            until_asleep(truth["pid"])  # the truth is written a moment before it pauses
            run_gcore(gdb, truth["pid"], home / "core")
            # GDB writes untouched stacks as zeros: 980 MB for 20 threads.
            subprocess.run(["fallocate", "--dig-holes", str(home / "core")], check=False)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    move(folder / "truth.json", home / "truth.json")


def wait_for(path: Path, process: subprocess.Popen[bytes]) -> None:
    """Wait until a file is there; CoreFailed when the process ends, or takes too long, before."""
    try:
        wait_until(path.is_file, TIMEOUT, during=process)
    except NeverHappened as reason:
        raise CoreFailed(f"no {path.name}: {reason}") from None


def run_gcore(gdb: str, pid: int, target: Path) -> None:
    """Let GDB write a core of a live process."""
    command = [gdb, "-nx", "-batch", "-p", str(pid), "-ex", f"gcore {target}"]
    clean = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"}
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=TIMEOUT, env=clean, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CoreFailed(f"{gdb}: {error}") from None
    if not target.is_file() or not is_core(target):
        raise CoreFailed(f"{gdb} wrote no core: {done.stderr.decode(errors='replace')[-400:]}")


# --- the whole corpus -----------------------------------------------------------------------------


def main(arguments: Sequence[str]) -> int:
    """Make the whole corpus, or the part whose interpreter ids begin as an argument does."""
    failed = 0
    started = time.monotonic()
    for interpreter in discover():
        if arguments and not any(interpreter.id.startswith(argument) for argument in arguments):
            continue
        begun = time.monotonic()
        for entry in corpus_programs(bench="bench" in arguments):
            if entry.supports(interpreter):
                try:
                    make_core(interpreter, entry)
                except CoreFailed as reason:
                    failed += 1
                    print(f"FAILED {reason}", flush=True)
        print(f"{interpreter.id}: {time.monotonic() - begun:.1f} s", flush=True)
    print(f"all: {time.monotonic() - started:.1f} s, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

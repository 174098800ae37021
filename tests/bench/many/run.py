# SPDX-License-Identifier: Apache-2.0
"""Measure `gdb-epi triage` on many mixed cores, beside pystack and GDB with libpython.py.

    python tests/bench/many/run.py make FOLDER               # 40 cores, 1 GB, two minutes
    python tests/bench/many/run.py measure FOLDER [TREE ...]  # trees of gdb-epi; this by default
    python tests/bench/many/run.py native FOLDER [TREE ...]   # native frames: cold, and again

The cores: a service (service.py) that ends in 14 ways, twice each, and 12 programs of the corpus
and the gallery, on pyenv's 3.8 to 3.13 and Debian's python3. `measure` runs the tools in turn, two
processes at once each, after a warm-up; CPU is user and system of all processes. `native` does the
same with native frames and NATIVE_ROUNDS rounds, without a warm-up: of gdb-epi with a cache that is
new, and again with what that run has kept; of pystack with `--native-all`; of a fresh GDB, the
first on PATH, for each core with its own libpython.py: `thread apply all py-bt` and `bt`. Cores of
Debian's python3, which has no such file here, take that of pyenv's release of the same version.
"""

from __future__ import annotations

import os
import resource
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from gallery.taking import pieces, take
from support.cores import copy_sparse, find_core, make_core
from support.interpreters import Interpreter, discover

from gdb_epi.target.corefile import CoreFileTarget

INTERPRETERS = ("3.8.18", "3.9.18", "3.10.13", "3.11.7", "3.12.1", "3.13.0", "3.11.2")
WAYS = (
    "in_c", "aborts", "deadlock", "serves", "double_free", "stray", "flipped", "freed", "tasks",
    "reraised", "busy", "database", "fatal", "deep",
)  # fmt: skip
MEGABYTES = (6, 12, 20, 40, 25, 9, 30, 15)
PROGRAMS = {
    "subinterpreter": "3.10.13", "foreign_threads": "3.11.7", "signal_handlers": "3.12.1",
    "coroutines": "3.13.0",
}  # fmt: skip
GALLERY = {
    "two_locks_crossed": "3.11.7", "full_queue_under_a_lock": "3.12.1",
    "memset_by_c_thread": "3.11.7", "pool_of_idle_workers": "3.12.1",
    "idle_http_server": "3.11.2", "asyncio_tasks_in_a_circle": "3.11.7",
    "thread_not_joined": "3.11.2", "late_write_to_stack": "3.13.0",
}  # fmt: skip
ROUNDS = 5
NATIVE_ROUNDS = 3
PATIENCE = 60.0


def interpreter(version: str) -> Interpreter:
    """Return the interpreter of a release: pyenv's, or Debian's own."""
    return next(i for i in discover() if i.id in (f"pyenv-{version}", f"debian-{version}"))


def make(folder: Path) -> None:
    """Make the cores."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(2 * len(WAYS)):
        way, second = WAYS[number % len(WAYS)], number >= len(WAYS)
        at = len(WAYS) + 3 * (number - len(WAYS)) if second else number
        version = INTERPRETERS[at % len(INTERPRETERS)]
        end_service(folder, way, interpreter(version), MEGABYTES[at % len(MEGABYTES)])
    for name, version in PROGRAMS.items():
        made = make_core(interpreter(version), name)
        copy_sparse(made.core, folder / f"{name}-{version}.core")
    gallery = {piece.name: piece for piece in pieces("first")}
    for name, version in GALLERY.items():
        taken = take(gallery[name], interpreter(version))
        copy_sparse(taken.core, folder / f"{name}-{version}.core")


def end_service(folder: Path, way: str, which: Interpreter, megabytes: int) -> None:
    """Run the service to its end and keep its core."""
    with tempfile.TemporaryDirectory() as work:
        shutil.copy(HERE / "service.py", work)
        command = which.command(f"{work}/service.py", way, str(megabytes), cwd=Path(work))
        quiet = subprocess.DEVNULL
        with subprocess.Popen(command, cwd=work, stdout=quiet, stderr=quiet) as process:
            until = time.monotonic() + PATIENCE
            while process.poll() is None and time.monotonic() < until:
                if Path(work, "ready").exists():
                    time.sleep(0.3)  # the other threads come to rest
                    process.send_signal(signal.SIGABRT)
                    break
                time.sleep(0.02)
            else:
                process.kill()
        for core in find_core(Path(work)):
            shutil.move(core, folder / f"{way}-{which.id}-{megabytes}.core")


def cost(
    command: Sequence[str], cores: Sequence[str], tree: Path | None, cache: str | None = None
) -> tuple[float, float]:
    """Return CPU and wall seconds of a command that reads names of cores."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    environment = {**os.environ, **({"PYTHONPATH": str(tree)} if tree else {})}
    if cache is not None:
        environment["XDG_CACHE_HOME"] = cache
    quiet = subprocess.DEVNULL
    names = "\n".join(cores).encode()
    subprocess.run(command, input=names, stdout=quiet, stderr=quiet, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.monotonic() - began


def measure(folder: Path, trees: Sequence[Path]) -> None:
    """Print CPU and wall seconds, medians of ROUNDS in which the tools take turns."""
    cores = [str(path) for path in sorted(folder.glob("*.core"))]
    tools: list[tuple[str, list[str], Path | None]] = [
        ("pystack core", ["xargs", "-n1", "-P2", "pystack", "core"], None)
    ]
    for tree in trees:
        options = ["--native", "never", "--no-db", "--jobs", "2", "--format", "json", "-"]
        script = str(tree / "gdb_epi" / "cli" / "gdb-epi")
        tools.append((str(tree), [sys.executable, script, "triage", *options], tree))
        subprocess.run([sys.executable, "-m", "compileall", "-q", str(tree / "gdb_epi")])
    costs: dict[str, list[tuple[float, float]]] = {name: [] for name, _, _ in tools}
    for _ in range(ROUNDS + 1):
        for name, command, tool_tree in tools:
            costs[name].append(cost(command, cores, tool_tree))
    tell(len(cores), {name: rounds[1:] for name, rounds in costs.items()})


def tell(count: int, costs: Mapping[str, Sequence[tuple[float, float]]]) -> None:
    """Print the medians."""
    print(f"{count} cores, load {os.getloadavg()[0]:.1f}")
    for name, rounds in costs.items():
        cpu, wall = (statistics.median(column) for column in zip(*rounds, strict=True))
        print(f"{name}: CPU {cpu:.2f} s, wall {wall:.2f} s, {count / cpu:.1f} cores a CPU s")


def measure_native(folder: Path, trees: Sequence[Path]) -> None:
    """Print CPU and wall seconds with native frames, medians of rounds in turn."""
    cores = [str(path) for path in sorted(folder.glob("*.core"))]
    questions = [with_libpython(core) for core in cores]
    answered = sum(has_answered(question) for question in questions)
    print(f"py-bt of GDB shows Python frames of {answered} of {len(cores)} cores")
    costs: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for tree in trees:
        subprocess.run([sys.executable, "-m", "compileall", "-q", str(tree / "gdb_epi")])
    pystack = ["xargs", "-n1", "-P2", "pystack", "core", "--native-all"]
    in_shell = ["xargs", "-d", "\n", "-n1", "-P2", "sh", "-c"]
    for _ in range(NATIVE_ROUNDS):
        costs["pystack core --native-all"].append(cost(pystack, cores, None))
        for tree in trees:
            script = str(tree / "gdb_epi" / "cli" / "gdb-epi")
            options = ["--no-db", "--jobs", "2", "--format", "json", "-"]
            command = [sys.executable, script, "triage", *options]
            with tempfile.TemporaryDirectory() as cache:
                for when in ("cold", "again"):
                    costs[f"{tree}, {when}"].append(cost(command, cores, tree, cache))
        costs["GDB with libpython.py"].append(cost(in_shell, questions, None))
    tell(len(cores), costs)


def with_libpython(core: str) -> str:
    """Return a shell's command: a fresh GDB tells all frames of a core, with its libpython.py."""
    target = CoreFileTarget.open(core)
    executable = str(target.modules()[0].file)
    version = next(v for v in INTERPRETERS if v in core or f"/{v}/" in executable)
    own = [path for v in (version, *INTERPRETERS) for path in libpython_of(v) if same(v, version)]
    commands = [f"source {own[0]}", "thread apply all py-bt", "thread apply all bt"]
    words = ["gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off"]
    words += [word for command in commands for word in ("-ex", command)]
    return shlex.join([*words, executable, core])


def same(version: str, other: str) -> bool:
    """Whether two releases are of one minor version."""
    return version.split(".")[:2] == other.split(".")[:2]


def libpython_of(version: str) -> list[Path]:
    """Return libpython.py of a release of pyenv, as it is installed."""
    minor = ".".join(version.split(".")[:2])
    path = Path.home() / f".pyenv/versions/{version}/bin/python{minor}-gdb.py"
    return [path] if path.exists() else []


def has_answered(question: str) -> bool:
    """Whether GDB shows a Python frame."""
    done = subprocess.run(["sh", "-c", question], capture_output=True, timeout=PATIENCE)
    return b'  File "' in done.stdout


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]))
    elif sys.argv[1] == "native":
        measure_native(Path(sys.argv[2]), [Path(tree).resolve() for tree in sys.argv[3:]] or [ROOT])
    else:
        measure(Path(sys.argv[2]), [Path(tree).resolve() for tree in sys.argv[3:]] or [ROOT])

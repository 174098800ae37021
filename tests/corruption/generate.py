# SPDX-License-Identifier: Apache-2.0
"""Make labelled cores; see the docstring of this package for how."""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import functools
import json
import os
import platform
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support import layout
from support.cores import copy_sparse, find_core, require_core_dumps
from support.interpreters import Interpreter, cache_root, discover
from support.waiting import STEP, TICKS, ticks_of

from corruption import cpu_kinds, memory_kinds  # noqa: F401 - they register themselves
from corruption.building import built, placed
from corruption.cpu_kinds import imitate
from corruption.kinds import KINDS
from corruption.labels import AMBIGUOUS, HW, LATENT, REGISTER, SW, Change
from corruption.process import Memory
from corruption.ptrace import TraceFailed
from corruption.scene import ANY_BIT, Bits, NoTarget, Scene
from corruption.software_kinds import PROGRAM, c_kinds, group_of, python_kinds
from gdb_epi.errors import Absent, UnreadableMemory
from gdb_epi.target.corefile import CoreFileTarget

VICTIM = PROGRAM.parent / "victim.py"
PIE, NON_PIE = "c-pie", "c-non-pie"
SECONDS_ALIVE = 0.7  # of processor time: a victim works that long, then it has survived
SOFTWARE_TIMEOUT = 15.0
READY_TIMEOUT = 60.0
MAX_CORE = 160 << 20
CPU_LIMIT = 20  # seconds
NATIVE_SHARE, NATIVE_HW_SHARE = 0.4, 0.25


class Job(NamedTuple):
    """One attempt; picklable."""

    seed: int
    number: int
    kind: str
    out: str
    interpreters: tuple[str, ...]
    python: bool = True
    native: bool = True
    keep_alive: bool = False
    bits: Bits = ANY_BIT
    steady: bool = False  # addresses, hashes and glibc's choice by CPU are the same each time


class Survived(Exception):
    """The process did not die of it."""


# --- what to make ---------------------------------------------------------------------------------


def known_kinds(group: str) -> list[str]:
    """Return the kinds of a group (hw, sw, ambiguous, latent), in a fixed order."""
    hardware = [kind.name for kind in KINDS.values() if kind.group == group]
    software = [name for name in (*c_kinds(), *python_kinds()) if group_of(name) == group]
    return hardware + software


def chosen_kinds(words: str) -> list[str]:
    """Return kinds by a comma-separated list of groups and names. Raises SystemExit."""
    everything = {n for group in (HW, SW, AMBIGUOUS, LATENT) for n in known_kinds(group)}
    chosen: list[str] = []
    for part in words.split(","):
        names = known_kinds(part) if part in (HW, SW, AMBIGUOUS, LATENT) else [part]
        if not set(names) <= everything:
            raise SystemExit(f"no kind {part!r}; --list names them")
        chosen += names
    return chosen


def jobs_of(
    seed: int, attempts: int, kinds: Sequence[str], out: Path, interpreters: Sequence[str],
    *, start: int = 0, python: bool = True, native: bool = True, keep_alive: bool = False,
    bits: Bits = ANY_BIT, steady: bool = False,
) -> list[Job]:  # fmt: skip
    """Return the attempts of a seed: each kind equally often, in an order of the seed's own."""
    order = list(kinds)
    random.Random(f"order:{seed}").shuffle(order)
    return [
        Job(
            seed,
            n,
            order[n % len(order)],
            str(out),
            tuple(interpreters),
            python,
            native,
            keep_alive,
            bits,
            steady,
        )
        for n in range(start, start + attempts)
    ]


def dice_of(job: Job) -> random.Random:
    """Return the dice of one attempt."""
    return random.Random(f"{job.seed}:{job.number}:{job.kind}")


# --- running one ----------------------------------------------------------------------------------


def run(job: Job) -> dict[str, Any]:
    """Make one attempt; the answer says what became of it (`outcome`)."""
    dice = dice_of(job)
    started = time.monotonic()
    row: dict[str, Any] = {"kind": job.kind, "seed": job.seed, "attempt": job.number}
    folder = Path(job.out) / f"{job.number:05d}-{job.kind}"
    try:
        label = _hardware(job, dice, folder) if job.kind in KINDS else _software(job, dice, folder)
        row.update(outcome="core", folder=str(folder), interpreter=label["interpreter"])
    except (NoTarget, TraceFailed) as why:
        row.update(outcome="no target", why=str(why))
    except Survived as why:
        row.update(outcome="survived", why=str(why))
    row["seconds"] = round(time.monotonic() - started, 3)
    return row


class Place(NamedTuple):
    """Where and how the process of an attempt runs. `interpreter` is None without Python."""

    interpreter: Interpreter | None
    name: str
    folder: Path
    executable: Path

    @property
    def sysroot(self) -> Path | None:
        """Return the folder in which the core's paths live."""
        return self.interpreter.root if self.interpreter is not None else None


def _place(job: Job, dice: random.Random, *, program: str, python: bool, native: bool) -> Place:
    """Choose Python or not, and which."""
    interpreters = (
        [interpreter for interpreter in discover() if interpreter.id in job.interpreters]
        if job.python
        else []
    )
    share = NATIVE_HW_SHARE if program == "scene" else NATIVE_SHARE
    without = job.native and native and dice.random() < share
    if not (python and interpreters) or without:
        if not (native and job.native):
            raise NoTarget("needs Python")
        way = dice.choice(["pie", "non-pie"])
        name = PIE if way == "pie" else NON_PIE
        folder = cache_root() / "runs" / "corruption" / _run_name(job)
        return Place(None, name, folder, built(program, way))
    choice = dice.choice(interpreters)
    folder = choice.workspace() / "corruption" / _run_name(job)
    return Place(choice, choice.id, folder, choice.host_executable)


def _run_name(job: Job) -> str:
    return f"run-{os.getpid():07}-{job.seed}-{job.number}"  # of one length: it is on the stack


@functools.cache
def _random() -> tuple[str, ...]:
    """Return what starts a command with random addresses, also from a process without them."""
    return ("setarch", platform.machine()) if layout.is_fixed() else ()


@contextlib.contextmanager
def _running(
    job: Job, place: Place, arguments: Sequence[str], **extra: str
) -> Iterator[subprocess.Popen[bytes]]:
    """Start the process in a fresh folder, with pipes; it is dead when this ends."""
    shutil.rmtree(place.folder, ignore_errors=True)
    place.folder.mkdir(parents=True)
    if place.interpreter is None:
        command, environment = [str(place.executable), *arguments], {"PATH": "/usr/bin:/bin"}
    else:
        command = place.interpreter.command(*arguments, cwd=place.folder)
        environment = place.interpreter.environment()
    if job.steady:
        environment |= {"PYTHONHASHSEED": str(1 + job.number), **layout.one_cpu()}
    else:
        command = [*_random(), *command]
    try:
        with subprocess.Popen(
            command, cwd=place.folder, env={**environment, **extra}, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
        ) as process:  # fmt: skip
            try:
                yield process
            finally:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
    finally:  # also of an attempt without a target
        shutil.rmtree(place.folder, ignore_errors=True)


def _script(place: Place, path: Path) -> str:
    assert place.interpreter is not None
    return placed(path, place.interpreter)


# --- hardware -------------------------------------------------------------------------------------


def _hardware(job: Job, dice: random.Random, folder: Path) -> dict[str, Any]:
    kind = KINDS[job.kind]
    place = _place(job, dice, program="scene", python=kind.python, native=kind.native)
    arguments: list[str] = []
    if place.interpreter is not None:
        library = placed(built("scene", "library"), place.interpreter)
        way = "c" if kind.native else dice.choice(["c", "read"])
        arguments = [_script(place, VICTIM), library, way, str(SECONDS_ALIVE)]
    with _running(job, place, arguments) as process:
        truth = _told(process, python=place.interpreter is not None)
        memory = Memory(process.pid)
        try:
            free_threaded = place.interpreter is not None and place.interpreter.free_threaded
            scene = Scene(memory, truth, dice, free_threaded, job.bits)
            change = _damage(job.kind, memory, scene, process)
        finally:
            memory.close()
        seconds = _death(process, SECONDS_ALIVE + 5, abort=job.keep_alive)
        return _keep(job, place, folder, process.returncode, seconds, change, kind.group)


def _told(process: subprocess.Popen[bytes], *, python: bool) -> dict[str, Any]:
    """Return what the victim says of itself; it then waits."""
    assert process.stdout is not None
    lines: dict[str, Any] = {}
    if python:
        line = process.stdout.readline()
        if not line:
            raise Survived("the victim did not start")
        lines = json.loads(line)
        way = process.args[-2]  # type: ignore[index]
        if way == "read":
            _until_waiting(process.pid)
            return lines
    line = process.stdout.readline()
    if not line:
        raise Survived("the victim did not start")
    lines["native"] = json.loads(line)
    _until_waiting(process.pid)
    return lines


def _until_waiting(pid: int) -> None:
    """Wait until the process is inside read()."""
    deadline = time.monotonic() + READY_TIMEOUT
    while time.monotonic() < deadline:
        if Path(f"/proc/{pid}/syscall").read_text().startswith("0 "):
            return
        time.sleep(0.001)
    raise Survived("the victim did not come to its read()")


def _damage(name: str, memory: Memory, scene: Scene, process: subprocess.Popen[bytes]) -> Change:
    """Damage the victim, and let it go on."""
    assert process.stdin is not None
    damage = KINDS[name].damage
    if damage is None:
        _go(process)
        return imitate(name, memory, scene.dice)
    try:
        change = damage(scene)
    except (OSError, KeyError, IndexError) as why:
        raise NoTarget(f"{type(why).__name__}: {why}") from None
    _go(process)
    return change


def _go(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.write(b"x")
    process.stdin.flush()


def _death(process: subprocess.Popen[bytes], timeout: float, *, abort: bool = False) -> float:
    """Wait for the end; return seconds. Raises Survived for one that no core is to be had of.

    It is still alive after `timeout` seconds of processor time, or without any: a machine that has
    other work to do makes no survivors.
    """
    started = time.monotonic()
    if abort:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.3)
        if process.returncode is None:
            process.send_signal(signal.SIGQUIT)
    first = spent = 0 if process.poll() is not None else ticks_of(process.pid)
    moved = started
    while process.poll() is None:
        now, clock = ticks_of(process.pid), time.monotonic()
        if now != spent:
            spent, moved = now, clock
        if now - first > timeout * TICKS or clock - moved > timeout:
            raise Survived("still alive")
        time.sleep(STEP)
    if process.returncode is None or process.returncode >= 0:
        raise Survived(f"ended with status {process.returncode}")
    return time.monotonic() - started


# --- software -------------------------------------------------------------------------------------


def _software(job: Job, dice: random.Random, folder: Path) -> dict[str, Any]:
    python_only = job.kind.startswith("py_")
    place = _place(job, dice, program="bugs", python=True, native=not python_only)
    arguments = [job.kind, str(dice.randrange(1 << 31))]
    extra: dict[str, str] = {}
    if place.interpreter is not None:
        library = placed(built("bugs", "library"), place.interpreter)
        arguments = [_script(place, PROGRAM), library, *arguments]
        if dice.random() < 0.1:
            extra["PYTHONMALLOC"] = dice.choice(["malloc", "debug", "malloc_debug"])
    if dice.random() < 0.06:
        extra["MALLOC_PERTURB_"] = str(dice.choice([0x5A, 0xA5, 1]))
    with _running(job, place, arguments, **extra) as process:
        assert process.stdin is not None
        process.stdin.close()
        seconds = _death(process, SOFTWARE_TIMEOUT)
        return _keep(job, place, folder, process.returncode, seconds, None, group_of(job.kind))


# --- keeping --------------------------------------------------------------------------------------


def _keep(
    job: Job, place: Place, folder: Path, status: int, seconds: float, change: Change | None,
    group: str,
) -> dict[str, Any]:  # fmt: skip
    """Move the core into its folder and write the label."""
    cores = find_core(place.folder)
    if len(cores) != 1:
        raise Survived(f"{len(cores)} cores after signal {-status}")
    if cores[0].stat().st_size > MAX_CORE:
        raise Survived(f"a core of {cores[0].stat().st_size >> 20} MB")
    folder.mkdir(parents=True, exist_ok=True)
    copy_sparse(cores[0], folder / "core")
    label: dict[str, Any] = {
        "kind": job.kind, "class": group, "seed": job.seed, "attempt": job.number,
        "interpreter": place.name, "executable": str(place.executable), "signal": -status,
        "non_pie": _is_non_pie(place.executable),
        "sysroot": str(place.sysroot) if place.sysroot else None, "seconds": round(seconds, 3),
        "python": place.interpreter is not None,
    }  # fmt: skip
    if change is not None:
        label.update(change.told())
        target = CoreFileTarget.open(
            folder / "core", exe=label["executable"], sysroot=label["sysroot"]
        )
        label["visible"] = _visible(target, change)
        label["symptoms"] = list(_symptoms(target, change))
    (folder / "label.json").write_text(json.dumps(label, indent=1) + "\n")
    return label


def _is_non_pie(executable: Path) -> bool:
    with executable.open("rb") as file:
        return bool(struct.unpack_from("<H", file.read(18), 16)[0] == 2)


def _visible(target: CoreFileTarget, change: Change) -> bool:
    """Whether the wrong word is where it was put; of a register: in any of the dying thread."""
    registers = target.threads()[0].registers
    if change.where == "rsp":
        return registers.get("rsp") == change.original  # died of this very return
    if change.path == REGISTER:
        return change.found in registers.values()
    try:
        word = target.read(int(change.where), 8)
    except UnreadableMemory:
        return False
    return int.from_bytes(word, "little") == change.found


def _symptoms(target: CoreFileTarget, change: Change) -> tuple[str, ...]:
    """Return the symptom that this death must have, where the registers alone tell it."""
    registers = target.threads()[0].registers
    crash = target.crash()
    if isinstance(crash, Absent) or crash.signo not in (signal.SIGSEGV, signal.SIGBUS):
        return change.symptoms if "abort-stack-smashing" in change.symptoms else ()
    if change.where == "rsp":  # control went to what lay below the return address
        here = registers.get("rsp") == change.original
        return change.symptoms if here and crash.fault_address == registers["rip"] else ()
    if change.where == registers["rsp"] - 8 and registers["rip"] == change.found:
        return ("return-slot-one-bit-off",)
    return ()


# --- command line ---------------------------------------------------------------------------------


def allow_cores() -> None:
    """Let this process's children leave cores. Raises NoCoreDumps when the machine has none."""
    require_core_dumps()
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))


def generate(jobs: Sequence[Job], workers: int = 1) -> Iterator[dict[str, Any]]:
    """Run attempts, in their order; each answer tells what became of it."""
    allow_cores()
    if workers <= 1:
        yield from map(run, jobs)
        return
    with concurrent.futures.ProcessPoolExecutor(workers) as pool:
        yield from pool.map(run, jobs, chunksize=1)


def default_interpreters() -> list[str]:
    """Return the ids of the interpreters that serve as victims unless others are named."""
    return [interpreter.id for interpreter in discover() if not interpreter.debug]


def main(arguments: Sequence[str] | None = None) -> int:
    """Make labelled cores."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--attempts", type=int, default=40)
    parser.add_argument("--start", type=int, default=0, help="number of the first attempt")
    parser.add_argument("--kinds", default="hw")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--interpreters", help="ids or beginnings of ids, by commas")
    parser.add_argument("--no-python", action="store_true")
    parser.add_argument("--no-native", action="store_true")
    parser.add_argument("--keep-alive", action="store_true", help="end survivors for a core")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args(arguments)
    if args.list or args.out is None:
        for group in (HW, SW, AMBIGUOUS, LATENT):
            print(f"{group}: {' '.join(known_kinds(group))}")
        return 0 if args.list else 2
    names = default_interpreters()
    if args.interpreters:
        wanted = tuple(args.interpreters.split(","))
        names = [name for name in names if name.startswith(wanted)]
    jobs = jobs_of(
        args.seed, args.attempts, chosen_kinds(args.kinds), args.out, names, start=args.start,
        python=not args.no_python, native=not args.no_native, keep_alive=args.keep_alive,
    )  # fmt: skip
    made = 0
    for answer in generate(jobs, args.jobs):
        made += answer["outcome"] == "core"
        why = f" ({answer['why']})" if "why" in answer else f" {answer['interpreter']}"
        print(f"{answer['attempt']:5} {answer['kind']:20} {answer['outcome']}{why}", flush=True)
    print(f"{made} cores of {len(jobs)} attempts")
    return 0 if made else 1


if __name__ == "__main__":
    sys.exit(main())
